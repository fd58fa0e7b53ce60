"""The tests are tested: bugs planted into the kernels, all of which must be caught.

A reduced sweep, directed at the edges, runs each broken kernel until something is wrong: other bytes than the contract
says, bytes changed beside the output, a fault, an uninitialised read, a broken procedure call standard.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from neonsim.asm import assemble
from neonsim.errors import MachineError
from neonsim.ukernel import kernel, kernels

BUGS: dict[str, Any] = tomllib.loads((Path(__file__).parent / "planted_bugs.toml").read_text())
AT_LEAST = 40


def _normal(line: str) -> str:
    return " ".join(line.split("//")[0].split())


@cache
def _lines(name: str) -> tuple[list[str], dict[str, list[int]]]:
    lines = kernel(name).source.splitlines()
    where: dict[str, list[int]] = {}
    for number, line in enumerate(lines):
        where.setdefault(_normal(line), []).append(number)
    return lines, where


def plant(name: str, bug: dict[str, Any]) -> str:
    """The kernel's text with the bug in it; KeyError or ValueError if the list and the kernel have drifted apart."""
    lines, where = _lines(name)
    lines = lines.copy()
    for line, put, *which in bug["edits"]:
        found = where[line]
        if not which and len(found) != 1:
            raise ValueError(f"{bug['name']}: {line!r} occurs {len(found)} times, say which")
        lines[found[which[0] - 1 if which else 0]] = put
    return "\n".join(lines) + "\n"


@cache
def _directed(make: Any, name: str) -> tuple[Any, ...]:
    """Cases in the order in which they catch most: everything at once first, then each edge."""

    def sizes() -> Iterator[tuple[str, int, int, int]]:
        mr, nr = kernel(name).tile.mr, kernel(name).tile.nr or 1
        yield "uniform", mr, max(nr - 1, 1), 23
        yield "clamped", mr, nr, 8
        yield "ties", mr, nr, 1
        yield "unshifted", mr, nr, 1
        yield "saturating", mr, nr, 1
        yield "extremes", mr, nr, 3
        for m in range(1, mr):
            yield "uniform", m, min(3, nr), 10 + m
        for k in (1, 2, 3, 4, 5, 6, 7, 8, 16, 24, 32, 48):
            yield "uniform", mr, min(5, nr), k
        yield "ones", mr, nr, 31
        for kind in ("near_ties", "ends", "extremes", "saturating", "ties", "ties", "ties", "ties", "clamped", "zeros"):
            yield kind, mr, nr, 2
        yield "uniform", mr, max(nr - 2, 1), 12
        yield "uniform", mr, min(4, nr), 12

    rng = np.random.default_rng(2026)
    large = [make(kind, kernel(name).tile.mr, kernel(name).tile.nr or 1, 1, rng, tie_shift=24)
             for kind in ("ties", "near_ties")]
    return (*(make(kind, m, n, k, rng, c_stride=n + 9) for kind, m, n, k in sizes()), *large)


def _caught(rig: Any, cases: tuple[Any, ...]) -> str:
    """How it shows, or an empty text."""
    for case in cases:
        try:
            outcome = rig.single(case, sanitize=True, trace=False, max_steps=20_000)
        except MachineError as error:
            return f"{case.name}: {type(error).__name__}"
        if not np.array_equal(outcome.output, rig.expected(case)):
            return f"{case.name}: wrong bytes"
        if outcome.stray:
            return f"{case.name}: bytes beside the output"
        if outcome.result.warnings:
            return f"{case.name}: {outcome.result.warnings[0]}"
    return ""


def test_every_kernel_has_bugs_to_be_caught() -> None:
    assert set(BUGS) == set(kernels().names)
    for name, table in BUGS.items():
        names = [bug["name"] for bug in table["bugs"]]
        assert len(names) == len(set(names)) >= AT_LEAST, name
        assert all(bug["imitates"] for bug in table["bugs"])


@pytest.mark.parametrize("name", BUGS)
def test_without_a_bug_nothing_is_caught(name: str, rig: Any, make: Any) -> None:
    assert _caught(rig(kernel(name)), _directed(make, name)) == ""


@pytest.mark.parametrize(("name", "bug"), [
    pytest.param(name, bug, id=f"{name}-{bug['name']}") for name, table in BUGS.items() for bug in table["bugs"]])
def test_planted_bug_is_caught(name: str, bug: dict[str, Any], rig: Any, make: Any) -> None:
    broken = assemble(plant(name, bug), isa=kernel(name).isa)
    assert _caught(rig(kernel(name), broken), _directed(make, name)), f"{bug['name']} ({bug['imitates']}) gets through"
