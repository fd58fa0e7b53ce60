"""Wrong kernels get the same verdict from the compiled engine as from lock-step: every bug that is planted.

The calls are those of a bug's own case: as many of its sizes as go into one group. What is compared is all that a
report is made of: which calls fail, whether each fails alone, how many were made.
"""

from __future__ import annotations

from itertools import islice
from typing import Any

import pytest

import neonsim as ns
from neonsim.arm.machine import compiler
from neonsim.arm.machine.engines import compiled
from neonsim.ukernel import Case, kernel, run_together
from neonsim.ukernel.case_runner import _places
from neonsim.ukernel.cases import stream
from neonsim.ukernel.naming import split_name
from neonsim.verify.checking import contract_run, subject
from neonsim.verify.checking.contract_run import ContractRun
from tests.ukernel.test_planted_bugs import BUGS, plant

MOST = 16       # calls of a group
SAME_SIZES = 400    # cases of a contract, among which they are looked for


def _group(name: str, bug: dict[str, Any]) -> list[Case]:
    """The bug's case and others of its sizes; where there are none, the same call twice."""
    found = list(stream(*split_name(name)[:2]))
    mine = next(case for case in found if case.name == bug["case"])
    alike = [case for case in islice(found, SAME_SIZES) if case is not mine
             and (case.sizes, _places(case)) == (mine.sizes, _places(mine))]
    return [mine, *(alike[:MOST - 1] or [mine])]


def _verdict(name: str, text: str, group: list[Case]) -> tuple[list[tuple[str, bool]], int, int]:
    each = kernel(name)
    what = subject(ns.assemble(text, isa=each.isa), each.contract.name, tile=each.tile, entry=name,
                   reads_before=each.header.reads_before, reads_after=each.header.reads_after)
    run = ContractRun(what, lambda kind: group, steps=30_000)
    run._compiles = compiler() is not None
    run._go(group, alone=False, doing="")
    assert not run.result.notes, run.result.notes
    return [(case.name, alone) for case, alone in run.failing], run.result.cases, run.result.sanitized_calls


@pytest.mark.nightly
@pytest.mark.skipif(compiler() is None, reason="needs a C compiler")
@pytest.mark.parametrize("name", BUGS)
def test_planted_bugs_have_the_same_verdict(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "in_a_hurry", lambda: True)   # -Og: the verdict is looked at, not the speed
    monkeypatch.setattr(compiled._LEISURE, "add", lambda *given: None)
    engines: list[str] = []

    def counted(*given: Any, **options: Any) -> Any:
        engines.append(options.get("engine", ""))
        return run_together(*given, **options)
    monkeypatch.setattr(contract_run, "run_together", counted)
    differ = []
    for bug in BUGS[name]:
        text, group, found = plant(name, bug), _group(name, bug), []
        for worth in (0, 1 << 62):      # the compiled engine from the first step on, and never
            monkeypatch.setattr(contract_run, "WORTH", worth)
            found.append(_verdict(name, text, group))
        if found[0] != found[1]:
            differ.append(f"{bug['name']}, {bug['case']}: compiled {found[0]}, lock-step {found[1]}")
    assert not differ, "\n".join(differ)
    assert engines.count("compiled") == len(BUGS[name])
