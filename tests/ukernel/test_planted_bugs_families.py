"""The cases are tested: bugs planted into every family of kernels, each caught by the case recorded with it.

record_bugs.py made the list; the kernels of test_planted_bugs.py have one written by hand.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from neonsim.asm import assemble
from neonsim.ukernel import Case, cases, judge, kernel, kernels

FAMILIES: dict[str, dict[str, Any]] = {
    path.stem: tomllib.loads(path.read_text()) for path in sorted((Path(__file__).parent / "bugs").glob("*.toml"))}
BUGS = [(name, bug) for table in FAMILIES.values() for name, entry in table.items() for bug in entry["bugs"]]
AT_LEAST = 40


@cache
def _flat(name: str) -> tuple[str, ...]:
    """The kernel's lines with its macros in place."""
    each, lines = kernel(name), []
    for line in each.source.splitlines():
        found = re.fullmatch(r'#include "(include/\w+\.h)"', line)
        lines += (each.path.parent.parent / found[1]).read_text().splitlines() if found else [line]
    return tuple(lines)


@cache
def _made(contract: str, tile: str) -> dict[str, Case]:
    return {case.name: case for case in cases(contract, tile)}


def _cases(name: str) -> dict[str, Case]:
    return _made(kernel(name).contract.name, str(kernel(name).tile))


def plant(name: str, bug: dict[str, Any]) -> str:
    """The kernel's text with the bug in it; IndexError if the list and the kernel have drifted apart."""
    line, put, which = bug["edit"]
    lines = list(_flat(name))
    places = [i for i, text in enumerate(lines) if " ".join(text.split("//")[0].split()) == line]
    lines[places[which - 1]] = f"    {put}"
    return "\n".join(lines) + "\n"


def test_every_family_has_bugs_and_every_kernel_some() -> None:
    assert set(FAMILIES) == {k.path.parent.name for k in kernels()}
    for family, table in FAMILIES.items():
        assert sum(len(entry["bugs"]) for entry in table.values()) >= AT_LEAST, family
    old = tomllib.loads((Path(__file__).parent / "planted_bugs.toml").read_text())
    assert {name for table in FAMILIES.values() for name in table} == set(kernels().names) - set(old)


@pytest.mark.parametrize("family", FAMILIES)
def test_planted_bugs_are_caught(family: str) -> None:
    unnoticed = []
    for name, entry in FAMILIES[family].items():
        each = kernel(name)
        limits = {"reads_before": each.header.reads_before, "reads_after": each.header.reads_after}
        for bug in entry["bugs"]:
            program = assemble(plant(name, bug), isa=each.isa)
            case = _cases(name)[bug["case"]]
            sanitize = bug.get("sanitize", False)
            if not judge(program, name, [case], lockstep=False, sanitize=sanitize, max_steps=30_000, **limits):
                unnoticed.append(f"{name}: {bug['name']} ({bug['imitates']})")
    assert not unnoticed


@pytest.mark.full  # every day the sweeps say that the kernels are right
@pytest.mark.parametrize("family", FAMILIES)
def test_without_a_bug_nothing_is_caught(family: str) -> None:
    for name, entry in FAMILIES[family].items():
        each = kernel(name)
        limits = {"reads_before": each.header.reads_before, "reads_after": each.header.reads_after}
        program = assemble("\n".join(_flat(name)) + "\n", isa=each.isa)
        chosen = [_cases(name)[bug["case"]] for bug in entry["bugs"][:1]]
        assert not judge(program, name, chosen, lockstep=False, sanitize=True, **limits)
