"""The tests are tested: bugs planted into the kernels, each caught by one case of its contract, alone.

bugs/by_hand.toml has the mutations that we thought of, for four kernels; the other files were made by record_bugs.py.
Into a kernel without a list mutations are planted as they come. Caught means: other bytes than the contract says, bytes
changed beside the output, a fault, or (where the list says so) a report of the sanitizer.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from neonsim.arm.asm import assemble
from neonsim.ukernel import Case, kernel, kernels, run_cases
from neonsim.ukernel.cases import stream
from neonsim.ukernel.naming import split_name
from neonsim.verify.checking import lint_kernels
from neonsim.verify.checking.kernel_lint import CAUGHT
from neonsim.verify.checking.mutations import apply_edits, flat
from tests.tiers import first_of_each

FOLDER = Path(__file__).parent / "bugs"
FILES: dict[str, dict[str, Any]] = {
    path.stem: tomllib.loads(path.read_text()) for path in sorted(FOLDER.glob("*.toml"))}
BUGS: dict[str, list[dict[str, Any]]] = {
    name: entry["bugs"] for table in FILES.values() for name, entry in table.items()}
AT_LEAST = 40
IN_ONE_TEST = 1
PARTS = [(name, first) for name, bugs in BUGS.items() for first in range(0, len(bugs), IN_ONE_TEST)]
WHOLE = ("qu8_sumrows_4x__aarch32_neon",)
# One part of every contract is planted every day, and all of the mutations that we thought of for one kernel.
EVERY_DAY = first_of_each(lambda part: part if part[0] in WHOLE else split_name(part[0])[:2] if part[0] in
                          FILES["by_hand"] else split_name(part[0])[0], PARTS)


@cache
def lines(name: str) -> tuple[str, ...]:
    return flat(kernel(name))


@cache
def _cases(name: str) -> dict[str, Case]:
    """Those that the list of a kernel names."""
    wanted = {bug["case"] for bug in BUGS[name]}
    found: dict[str, Case] = {}
    for case in stream(*split_name(name)[:2]):
        if case.name in wanted:
            found[case.name] = case
            if len(found) == len(wanted):
                break
    return found


def plant(name: str, bug: dict[str, Any]) -> str:
    return apply_edits(lines(name), bug["edits"], bug["name"])


def caught(name: str, text: str, case: str, **options: Any) -> bool:
    """Whether one case, alone in buffers of its exact size, tells this text from the kernel."""
    each = kernel(name)
    chosen = _cases(name)[case]
    limits = {"reads_before": each.header.reads_before, "reads_after": each.header.reads_after}
    return bool(run_cases(assemble(text, isa=each.isa), name, [chosen], lockstep=False, max_steps=30_000, **limits,
                          **options))


def test_lists_are_of_kernels_that_there_are() -> None:
    assert not set(BUGS) - set(kernels().names), "bugs are listed for kernels that are gone: delete their lists"
    for path in FILES:
        mine = {name.parent.name for name in (kernel(each).path for each in FILES[path])}
        assert path == "by_hand" or mine == {path}, f"bugs/{path}.toml lists kernels of {mine}"


@pytest.mark.parametrize("family", sorted({k.path.parent.name for k in kernels()}))
def test_every_folder_of_kernels_has_many(family: str) -> None:
    mine = [k.name for k in kernels() if k.path.parent.name == family]
    listed = sum(len(BUGS.get(name, ())) for name in mine)
    # A kernel without a list has as many as are planted when the tests run.
    assert listed + CAUGHT * sum(name not in BUGS for name in mine) >= min(AT_LEAST, CAUGHT * len(mine)), family


@pytest.mark.parametrize("name", FILES["by_hand"])
def test_kernels_with_mutations_that_we_thought_of_have_many(name: str) -> None:
    assert len(BUGS[name]) >= AT_LEAST


@pytest.mark.nightly
@pytest.mark.parametrize("generated", [False, True])
def test_lists_fit_their_kernels_and_others_notice_mutations_as_they_come(generated: bool) -> None:
    mine = [each for each in kernels() if each.is_generated == generated]
    assert mine and not [str(found) for each in mine if not (found := lint_kernels(each, ["bugs"]))]


@pytest.mark.parametrize(("name", "first"), EVERY_DAY)
def test_planted_bugs_are_caught(name: str, first: int) -> None:
    unnoticed = [f"{bug['name']} ({bug['imitates']})" for bug in BUGS[name][first:first + IN_ONE_TEST]
                 if not caught(name, plant(name, bug), bug["case"], sanitize=bug.get("sanitize", False))]
    assert not unnoticed


@pytest.mark.nightly  # every day the sweeps say that the kernels are right
@pytest.mark.parametrize("name", BUGS)
def test_without_a_bug_nothing_is_caught(name: str) -> None:
    for case in {bug["case"] for bug in BUGS[name]}:
        assert not caught(name, "\n".join(lines(name)) + "\n", case, sanitize=True)
