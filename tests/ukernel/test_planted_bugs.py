"""The tests are tested: bugs planted into the kernels, each caught by one case of its contract, alone.

bugs/by_hand.toml has the slips that we thought of, for four kernels; the other files were made by record_bugs.py, for
every kernel. Caught means: other bytes than the contract says, bytes changed beside the output, a fault, or (where the
list says so) a report of the sanitizer.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from neonsim.asm import assemble
from neonsim.ukernel import Case, judge, kernel, kernels
from neonsim.ukernel.cases import stream
from neonsim.ukernel.header import split_name

FOLDER = Path(__file__).parent / "bugs"
FILES: dict[str, dict[str, Any]] = {
    path.stem: tomllib.loads(path.read_text()) for path in sorted(FOLDER.glob("*.toml"))}
BUGS: dict[str, list[dict[str, Any]]] = {
    name: entry["bugs"] for table in FILES.values() for name, entry in table.items()}
AT_LEAST = 40
IN_ONE_TEST = 25
PARTS = [(name, first) for name, bugs in BUGS.items() for first in range(0, len(bugs), IN_ONE_TEST)]


def normal(line: str) -> str:
    return " ".join(line.split("//")[0].split())


@cache
def flat(name: str) -> tuple[str, ...]:
    """The kernel's lines with its macros in place."""
    each, lines = kernel(name), []
    for line in each.source.splitlines():
        found = re.fullmatch(r'#include "(include/\w+\.h)"', line)
        lines += (each.path.parent.parent / found[1]).read_text().splitlines() if found else [line]
    return tuple(lines)


@cache
def _cases(contract: str, tile: str) -> dict[str, Case]:
    """Those that the lists name."""
    wanted = {bug["case"] for name, bugs in BUGS.items() if split_name(name)[:2] == (contract, tile) for bug in bugs}
    found: dict[str, Case] = {}
    for case in stream(contract, tile):
        if case.name in wanted:
            found[case.name] = case
            if len(found) == len(wanted):
                break
    return found


def plant(name: str, bug: dict[str, Any]) -> str:
    """The kernel's text with the bug in it; ValueError or IndexError if the list and the kernel have drifted apart."""
    lines = list(flat(name))
    before = [normal(line) for line in lines]
    for line, put, *which in bug["edits"]:
        places = [at for at, text in enumerate(before) if text == line]
        if not which and len(places) != 1:
            raise ValueError(f"{bug['name']}: {line!r} occurs {len(places)} times, say which")
        lines[places[which[0] - 1 if which else 0]] = f"    {put}"
    return "\n".join(lines) + "\n"


def caught(name: str, text: str, case: str, **options: Any) -> bool:
    """Whether one case, alone in buffers of its exact size, tells this text from the kernel."""
    each = kernel(name)
    chosen = _cases(*split_name(name)[:2])[case]
    limits = {"reads_before": each.header.reads_before, "reads_after": each.header.reads_after}
    return bool(judge(assemble(text, isa=each.isa), name, [chosen], lockstep=False, max_steps=30_000, **limits,
                      **options))


def test_every_family_has_bugs_and_every_kernel_some() -> None:
    family = {k.name: k.path.parent.name for k in kernels()}
    assert set(BUGS) == set(family)
    for each in set(family.values()):
        assert sum(len(bugs) for name, bugs in BUGS.items() if family[name] == each) >= AT_LEAST, each
    for name in FILES["by_hand"]:
        assert len(BUGS[name]) >= AT_LEAST, name
    for name, bugs in BUGS.items():
        assert len({bug["name"] for bug in bugs}) == len(bugs), name
        assert all(bug["imitates"] for bug in bugs)


@pytest.mark.parametrize(("name", "first"), PARTS)
def test_planted_bugs_are_caught(name: str, first: int) -> None:
    unnoticed = [f"{bug['name']} ({bug['imitates']})" for bug in BUGS[name][first:first + IN_ONE_TEST]
                 if not caught(name, plant(name, bug), bug["case"], sanitize=bug.get("sanitize", False))]
    assert not unnoticed


@pytest.mark.full  # every day the sweeps say that the kernels are right
@pytest.mark.parametrize("name", BUGS)
def test_without_a_bug_nothing_is_caught(name: str) -> None:
    for case in {bug["case"] for bug in BUGS[name]}:
        assert not caught(name, "\n".join(flat(name)) + "\n", case, sanitize=True)
