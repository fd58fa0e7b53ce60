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
def _together(make: Any, name: str, kinds: tuple[str, ...]) -> tuple[Any, ...]:
    """Calls of one size in lock-step: one main loop and a tail of 5, all columns but one, every kind of data."""
    mr, nr = kernel(name).tile.mr, kernel(name).tile.nr or 1
    rng = np.random.default_rng(2026)
    size = (mr, max(nr - 1, 1), 13, rng)
    strides = {"a_stride": 15, "c_stride": nr + 9}
    return (*(make(kind, *size, **strides) for kind in kinds * 3),
            *(make(kind, *size, tie_shift=24, **strides) for kind in ("ties", "near_ties") * 2))


@cache
def _alone(make: Any, name: str) -> tuple[Any, ...]:
    """Calls one by one, in buffers of their exact size: every number of rows and columns, every tail, several loops."""

    def sizes() -> Iterator[tuple[str, int, int, int]]:
        mr, nr = kernel(name).tile.mr, kernel(name).tile.nr or 1
        yield "clamped", mr, nr, 8
        # Few rows at large depths and the other way round: one must not pass for the other.
        for m in range(1, mr):
            yield "uniform", m, min(m + 2, nr), 8 - m
        for k in range(1, 9 - mr):
            yield "uniform", mr, min(k, nr), k
        for k in (16, 24, 32):
            yield "uniform", mr, min(3, nr), k
        yield "uniform", mr, nr, 48
        yield "uniform", mr, max(nr - 1, 1), 31

    rng = np.random.default_rng(2027)
    return tuple(make(kind, m, n, k, rng, c_stride=n + 9) for kind, m, n, k in sizes())


def _wrong(rig: Any, case: Any, outcome: Any) -> str:
    if not np.array_equal(outcome.output, rig.expected(case)):
        return f"{case.name}: wrong bytes"
    if outcome.stray:
        return f"{case.name}: bytes beside the output"
    return f"{case.name}: {outcome.result.warnings[0]}" if outcome.result.warnings else ""


def _caught(rig: Any, together: tuple[Any, ...], alone: tuple[Any, ...]) -> str:
    """How it shows first, or an empty text."""
    options = {"max_steps": 5_000}
    try:
        for case, outcome in zip(together, rig.lockstep(together, **options), strict=True):
            if found := _wrong(rig, case, outcome):
                return found
        for case in alone:
            if found := _wrong(rig, case, rig.single(case, sanitize=True, **options)):
                return found
    except MachineError as error:
        return type(error).__name__
    return ""


def test_every_kernel_has_bugs_to_be_caught() -> None:
    assert set(BUGS) <= set(kernels().names)
    for name, table in BUGS.items():
        names = [bug["name"] for bug in table["bugs"]]
        assert len(names) == len(set(names)) >= AT_LEAST, name
        assert all(bug["imitates"] for bug in table["bugs"])


@pytest.mark.parametrize("name", BUGS)
def test_without_a_bug_nothing_is_caught(name: str, rig: Any, make: Any, kinds: tuple[str, ...]) -> None:
    assert _caught(rig(kernel(name)), _together(make, name, kinds), _alone(make, name)) == ""


@pytest.mark.parametrize(("name", "bug"), [
    pytest.param(name, bug, id=f"{name}-{bug['name']}") for name, table in BUGS.items() for bug in table["bugs"]])
def test_planted_bug_is_caught(name: str, bug: dict[str, Any], rig: Any, make: Any, kinds: tuple[str, ...]) -> None:
    broken = rig(kernel(name), assemble(plant(name, bug), isa=kernel(name).isa))
    how = _caught(broken, _together(make, name, kinds), _alone(make, name))
    assert how, f"{bug['name']} ({bug['imitates']}) gets through"


# Instructions that only save time: without them the same bytes come out, by a longer way.
ONLY_FASTER = {
    "qu8_gemm_q31_4x8__aarch32_neon_mlal_lane": ["b 6f"],
    "qu8_gemm_xzp_q31_4x8c2__aarch32_neon_mull_padal": ["b 8f"],
    "qu8_gemm_q31_8x8__aarch64_neon_mlal_lane": ["b 6f"],
    "qu8_sumrows_4x__aarch32_neon": ["cmp r2, #-16", "beq 3f"],
}


@pytest.mark.full
@pytest.mark.parametrize("name", BUGS)
def test_without_any_one_instruction_something_is_wrong(name: str, rig: Any, make: Any, kinds: tuple[str, ...]) -> None:
    lines, _ = _lines(name)
    unnoticed = []
    for at, line in enumerate(lines):
        if line.startswith("    ") and _normal(line) and not _normal(line).startswith("."):
            shorter = assemble("\n".join([*lines[:at], *lines[at + 1:]]) + "\n", isa=kernel(name).isa)
            if not _caught(rig(kernel(name), shorter), _together(make, name, kinds), _alone(make, name)):
                unnoticed.append(_normal(line))
    assert unnoticed == ONLY_FASTER[name]
