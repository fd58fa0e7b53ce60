"""Loops with a constant range and tables of constants, in every reading; what they look like as text stays bounded."""

from __future__ import annotations

from typing import Any

import pytest
from lane_readings import check, check_shadow

from neonsim.arm.semantics import (
    Lanes,
    PythonWriter,
    SourceLanes,
    SymbolicLanes,
    constants,
    element,
    f32,
    float_fma,
    lookup,
    narrow,
    unsigned,
)
from neonsim.arm.semantics.codegen.to_c import CWriter
from neonsim.arm.semantics.softfloat import FloatWord

TURNS = 400
U8, U16, U32 = (element("u", bits) for bits in (8, 16, 32))
SQUARES = tuple(i * i % 256 for i in range(256))
SHORT = (7, 300, -1)


def mixed(n: Lanes, m: Lanes) -> Lanes:
    """Each turn uses the last one three times: written out as a tree it would have 3**400 leaves."""
    for turn in range(TURNS):
        n = (n >> 1 ^ -(n & 1) & 0xB8) + (m | turn % 3)
    return n


def mixed_integers(n: list[int], m: list[int]) -> list[int]:
    found = []
    for x, y in zip(n, m, strict=True):
        for turn in range(TURNS):
            x = ((x >> 1 ^ -(x & 1) & 0xB8) + (y | turn % 3)) & 0xFF
        found.append(x)
    return found


@pytest.mark.nightly
def test_a_loop_of_many_turns() -> None:
    check(mixed, mixed_integers, [(U8, 2), (U8, 2)], seed=1, rounds=1)


def test_a_loop_of_floating_point() -> None:
    """Each turn rounds; the exceptions of all turns are one result, as FPSR collects them."""
    def turned(n: Lanes, m: Lanes) -> tuple[Lanes, Lanes]:
        flags = unsigned(m)[0] & 0
        raised = narrow(narrow(flags))
        for _ in range(40):
            n, more = float_fma(m, n, m, 0)
            raised = raised | more
        return n, raised

    fma = FloatWord("fma")

    def turned_integers(n: list[int], m: list[int]) -> tuple[list[int], list[int]]:
        n, raised = list(n), 0
        for _ in range(40):
            for i, y in enumerate(m):
                n[i], more = fma(y, n[i], y)
                raised |= more
        return n, [raised]

    check(turned, turned_integers, [(f32, 4), (f32, 4)], seed=7, rounds=1)
    check(turned, turned_integers, [(f32, 1), (f32, 1)], seed=8, rounds=1)


def test_a_whole_table() -> None:
    check(lambda n: lookup(constants(n, SQUARES), n, n), lambda n: [SQUARES[x] for x in n], [(U8, 8)], seed=3)


@pytest.mark.parametrize("type_", [U8, U16, U32])
def test_a_table_with_an_end(type_: Any) -> None:
    check(lambda n, m: lookup(constants(n, SHORT), n, m),
          lambda n, m: [SHORT[x] % (1 << type_.bits) if x < 3 else y for x, y in zip(n, m, strict=True)],
          [(type_, 4), (type_, 4)], seed=4)


def test_lanes_from_constant_places() -> None:
    """An index that is known is no look-up: the picture's arrow comes from that lane."""
    def turned(n: Lanes) -> Lanes:
        return lookup(n, constants(n, (1, 2, 3, 0)), n)

    check(turned, lambda n: [n[1], n[2], n[3], n[0]], [(U8, 4)], seed=5)
    symbolic = turned(SymbolicLanes.leaves("n", U8, 4))
    assert str(symbolic) == "u8(n[1], n[2], n[3], n[0])"


def test_unknown_bits_go_through_loops_and_tables() -> None:
    def few(n: Lanes) -> Lanes:
        for _ in range(8):
            n = n >> 1 ^ -(n & 1) & 0xB8
        return lookup(constants(n, SQUARES), n, n)

    check_shadow(few, [(U8, 4)], seed=6)


def test_formulas_and_texts_stay_short() -> None:
    symbolic = mixed(SymbolicLanes.leaves("n", U8, 2), SymbolicLanes.leaves("m", U8, 2))
    assert [lane.text("mixed") for lane in symbolic.lanes] == [  # type: ignore[attr-defined]
        "mixed(n[0], m[0])", "mixed(n[1], m[1])"]
    node = mixed(SourceLanes.named("n", U8, 4), SourceLanes.named("m", U8, 4)).node  # type: ignore[attr-defined]
    python = PythonWriter()
    python.materialize(node)
    assert len("\n".join(python.lines)) < 4 * TURNS * 200
    node = mixed(SourceLanes.named("n", U8, 4), SourceLanes.named("m", U8, 4)).node  # type: ignore[attr-defined]
    c = CWriter()
    c.vector(node)
    assert len("\n".join(c.lines)) < TURNS * 200


def test_a_loop_is_one_function_in_c() -> None:
    """Compilers take minutes for straight lines of thousands of statements: every use is a call."""
    c = CWriter()
    for name, count in (("n", 4), ("m", 4), ("k", 1), ("j", 1)):
        node = mixed(SourceLanes.named(name, U8, count), SourceLanes.named("by", U8, count)).node  # type: ignore[attr-defined]
        if count > 1:
            c.vector(node)
        else:
            c.scalar(node, 0)
    assert sum(name.startswith("long_") for name in c.helpers) == 2
    assert len(c.lines) == 4
    assert all("long_" in line for line in c.lines)


def test_a_table_is_written_once_in_c() -> None:
    c = CWriter()
    for name in "nm":
        lanes = SourceLanes.named(name, U8, 4)
        c.vector(lookup(constants(lanes, SQUARES), lanes, lanes).node)
    assert "\n".join(c.helpers.values()).count("[256]") == 1
    assert not any("[256] =" in line for line in c.lines)
