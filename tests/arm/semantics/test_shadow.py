"""Which bits are known: never a false "known", and exact where bits only move."""

from __future__ import annotations

import itertools
import operator
from typing import Any

import pytest
from lane_readings import INTEGERS, WITH_128, check_shadow

from neonsim.arm.semantics import (
    CONDITIONS,
    NumpyLanes,
    ShadowLanes,
    add_flags,
    carryless,
    choose,
    compare,
    element,
    extend,
    holds,
    join,
    logic_flags,
    narrow,
    pairs,
    rotate,
    s8,
    s16,
    s32,
    sat,
    select,
    shift_by,
    signed,
    total,
    u8,
    u16,
    u32,
    u64,
    view,
    wide,
)
from tests.tiers import every

machine_types = pytest.mark.parametrize("t", INTEGERS, ids=str)
named = pytest.mark.parametrize("t", WITH_128, ids=str)


@pytest.mark.parametrize(("name", "t"), every(3, itertools.product(["add", "sub", "mul"], WITH_128)))
def test_sums_and_products_are_sound(name: str, t: Any) -> None:
    op = getattr(operator, name)
    check_shadow(op, [(t, 2), (t, 2)], 1, rounds=5)
    check_shadow(op, [(t, 2), (t, 1)], 2, rounds=3)
    check_shadow(lambda n: op(n, 12), [(t, 2)], 3, rounds=3)
    check_shadow(lambda n: op(n, n), [(t, 2)], 4, rounds=3)


@pytest.mark.parametrize(("name", "t"), every(3, itertools.product(["and_", "or_", "xor"], WITH_128)))
def test_logic_is_exact(name: str, t: Any) -> None:
    op = getattr(operator, name)
    check_shadow(op, [(t, 2), (t, 2)], 5, exact=True)
    check_shadow(op, [(t, 2), (t, 1)], 6, exact=True, rounds=4)
    check_shadow(lambda n: op(n, 0x35), [(t, 2)], 7, exact=True, rounds=4)
    check_shadow(lambda n: op(n, n), [(t, 2)], 8, exact=True, rounds=4)


@named
def test_moves_are_exact(t: Any) -> None:
    w = t.bits
    check_shadow(operator.invert, [(t, 2)], 9, exact=True, rounds=4)
    for by in (0, 1, 5, w - 1, w, w + 3):
        check_shadow(lambda n, by=by: n << by, [(t, 2)], 10, exact=True, rounds=3)
        check_shadow(lambda n, by=by: n >> by, [(t, 2)], 11, exact=True, rounds=3)
    if w > 8:
        check_shadow(narrow, [(t, 2)], 12, exact=True, rounds=4)
    check_shadow(lambda n: n[1:3], [(t, 4)], 13, exact=True, rounds=3)
    check_shadow(lambda n, m: join(n, m)[1:3], [(t, 2), (t, 2)], 14, exact=True, rounds=4)
    check_shadow(pairs, [(t, 4)], 15, exact=True, rounds=3)


@machine_types
def test_widths_are_exact(t: Any) -> None:
    w = t.bits
    check_shadow(wide, [(t, 2)], 16, exact=True)
    check_shadow(lambda n: extend(n, element("x", 64)), [(t, 1)], 17, exact=True)
    for to in (u8, u16, u32, u64, s16):
        check_shadow(lambda n, to=to: view(n, to), [(t, 128 // w)], 18, exact=True, rounds=3)
    check_shadow(lambda n: signed(n) >> 3, [(t, 2)], 19, exact=True)
    for by in (1, w // 2, w - 1):
        check_shadow(lambda n, by=by: rotate(n, by), [(t, 2)], 20, exact=True, rounds=3)


@machine_types
def test_select_is_exact(t: Any) -> None:
    check_shadow(select, [(t.with_("u"), 2), (t, 2), (t, 2)], 21, exact=True)
    check_shadow(select, [(t.with_("u"), 1), (t, 2), (t, 2)], 22, exact=True, rounds=4)


@machine_types
def test_shift_by_known_amounts_is_exact(t: Any) -> None:
    check_shadow(lambda n, m: shift_by(n, m), [(t, 4), (t.with_("s"), 4)], 23, exact=True, known=[1], rounds=6)


@machine_types
def test_shift_by_is_sound(t: Any) -> None:
    for rounding in (False, True):
        check_shadow(lambda n, m, up=rounding: shift_by(n, m, up), [(t, 4), (t.with_("s"), 4)], 24, rounds=4)
        check_shadow(lambda n, m, up=rounding: shift_by(n, m, up), [(t, 4), (t.with_("s"), 1)], 25, rounds=2)
    check_shadow(lambda n, m: shift_by(n, m, True), [(t, 4), (t.with_("s"), 4)], 26, known=[1], rounds=4)


@machine_types
def test_a_rounding_shift_to_the_left_is_exact(t: Any) -> None:
    check_shadow(lambda n, m: shift_by(n, m & 7, True), [(t, 4), (t.with_("s"), 4)], 27, exact=True, known=[1])


@pytest.mark.parametrize(("relation", "t"), every(3, itertools.product(["==", "!=", ">=", ">", "<=", "<"], WITH_128)))
def test_compare_is_sound(relation: str, t: Any) -> None:
    check_shadow(lambda n, m: compare(n, relation, m), [(t, 3), (t, 3)], 28, rounds=4)
    check_shadow(lambda n, m: compare(n, relation, m), [(t, 1), (t, 3)], 29, rounds=3)
    check_shadow(lambda n: compare(n, relation, 0), [(t, 3)], 30, rounds=3)


@named
def test_sat_is_sound(t: Any) -> None:
    for to in (s8, u8, s16, u16, s32, u32, u64):
        check_shadow(lambda n, to=to: sat(n, to), [(t, 3)], 31, rounds=3)


@machine_types
def test_total_and_carryless_are_sound(t: Any) -> None:
    check_shadow(total, [(t, 4)], 32)
    check_shadow(carryless, [(t.with_("u"), 2), (t.with_("u"), 2)], 33, rounds=4)


@machine_types
def test_flags_are_sound(t: Any) -> None:
    check_shadow(lambda n, m: add_flags(n, m, 0), [(t, 1), (t, 1)], 34, rounds=6)
    check_shadow(lambda n, m, c: add_flags(n, m, c & 1), [(t, 1), (t, 1), (u8, 1)], 35, rounds=6)
    check_shadow(logic_flags, [(t, 1)], 36, exact=True, rounds=6)
    check_shadow(lambda n, c, f: logic_flags(n, c & 1, f & 15), [(t, 1), (u8, 1), (u8, 1)], 37, exact=True, rounds=6)


@pytest.mark.parametrize("condition", CONDITIONS)
def test_holds_is_sound(condition: str) -> None:
    check_shadow(lambda f: holds(condition, f & 15), [(u8, 1)], 38, rounds=24)


@machine_types
def test_choose_is_sound(t: Any) -> None:
    check_shadow(lambda k, n, m: choose(k & 1, n, m), [(u8, 1), (t, 2), (t, 2)], 39)
    check_shadow(lambda k, n, m: choose(k & 1, n, m), [(u8, 1), (t, 2), (t, 2)], 40, exact=True, known=[0])


def test_a_register_with_itself() -> None:
    """The usual ways to clear a register give known zeros."""
    x = ShadowLanes(u32(5, 6), NumpyLanes.from_integers([0xFFFFFFFF] * 2, u32))
    for result in (x ^ x, x - x):
        assert result.undefined is None
        assert result.value.tolist() == [0, 0]
    assert compare(x, "==", x).undefined is None
    assert (x & x).undefined is not None


def test_one_unknown_lane_spoils_its_own_result_only() -> None:
    x = ShadowLanes(u8(1, 2, 3, 4), u8(0, 255, 0, 0))
    assert (x + 1).mask.tolist() == [0, 255, 0, 0]
    assert (wide(x) * wide(x)).mask.tolist() == [0, 65535, 0, 0]
    assert x[2:4].undefined is None
