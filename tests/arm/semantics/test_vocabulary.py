"""Every word of the vocabulary in every reading equals plain Python integers, at every width and both signs."""

from __future__ import annotations

import itertools
import operator
import random
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from lane_readings import INTEGERS, WIDTHS, WITH_128, check, value_in

from neonsim.arm.semantics import (
    CONDITIONS,
    VOCABULARY,
    NumpyLanes,
    ShadowLanes,
    SymbolicLanes,
    add_flags,
    bits,
    byte_flags,
    byte_mask,
    carryless,
    choose,
    compare,
    count,
    double,
    element,
    element_named,
    extend,
    float_vocabulary,
    half,
    holds,
    interleave,
    join,
    largest,
    leading_zeros,
    logic_flags,
    lookup,
    mirror,
    narrow,
    ones,
    pairs,
    quotient,
    reciprocal,
    reciprocal_root,
    repeat,
    reverse,
    rotate,
    s16,
    sat,
    select,
    shift_by,
    signed,
    smallest,
    total,
    u8,
    u16,
    unsigned,
    view,
    wide,
)
from tests.tiers import every

OPERATORS = {"add": operator.add, "sub": operator.sub, "mul": operator.mul, "and": operator.and_, "or": operator.or_,
             "xor": operator.xor}
named = pytest.mark.parametrize("t", WITH_128, ids=str)
machine_types = pytest.mark.parametrize("t", INTEGERS, ids=str)
RELATIONS = {"==": operator.eq, "!=": operator.ne, ">=": operator.ge, ">": operator.gt, "<=": operator.le,
             "<": operator.lt}


def some(names: Iterable[Any]) -> list[Any]:
    """Names with all types, one pair in three by `make test`: all names and all types, as there are ten of them."""
    return every(3, itertools.product(names, WITH_128))


def each(t: Any, function: Any) -> Any:
    """A function of integers on lists of them; a list of one stands for all lanes."""

    def on_lists(*lists: list[int]) -> list[int]:
        n = max(map(len, lists))
        return [value_in(t, function(*(v[i % len(v)] for v in lists))) for i in range(n)]
    return on_lists


# ---- operators ------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("name", "t"), some(OPERATORS))
def test_operator(name: str, t: Any) -> None:
    op = OPERATORS[name]
    check(op, each(t, op), [(t, 4), (t, 4)], 1)
    check(op, each(t, op), [(t, 4), (t, 1)], 2)
    check(op, each(t, op), [(t, 1), (t, 4)], 3)


@machine_types
def test_quotient(t: Any) -> None:
    def divided(n: int, m: int) -> int:
        return 0 if m == 0 else abs(n) // abs(m) * (1 if (n < 0) == (m < 0) else -1)

    check(quotient, each(t, divided), [(t, 4), (t, 4)], 46, 12)
    check(quotient, each(t, divided), [(t, 4), (t, 1)], 47)


def test_byte_flags_and_masks() -> None:
    """All sixteen, there and back."""
    for flags in range(16):
        mask = [255 * (flags >> i & 1) for i in range(4)]
        assert byte_flags(u8(*mask)).tolist() == [flags]
        assert view(byte_mask(u8(flags)), u8).tolist() == mask
    check(lambda n: byte_flags(compare(n, ">", 99)), lambda n: [sum((x > 99) << i for i, x in enumerate(n))], [(u8, 4)],
          48)
    check(lambda n: byte_mask(n & 15), lambda n: [sum(255 << 8 * i for i in range(4) if n[0] >> i & 1)], [(u8, 1)], 49)


@pytest.mark.parametrize(("name", "t"), some(OPERATORS))
def test_operator_with_number(name: str, t: Any) -> None:
    op = OPERATORS[name]
    for number in (0, 1, -1, 1 << t.bits - 1, (1 << t.bits) - 1, -(1 << t.bits - 1), 5, 1 << t.bits):
        check(lambda n, number=number: op(n, number), each(t, lambda n, number=number: op(n, number)), [(t, 3)], 4, 2)


@machine_types
def test_operator_across_kinds(t: Any) -> None:
    """Lanes of one width but another sign meet as bits."""
    other = t.with_("u" if t.kind == "s" else "s")
    for op in OPERATORS.values():
        check(op, each(t, op), [(t, 4), (other, 4)], 5, 3)


@named
def test_not_and_minus(t: Any) -> None:
    check(operator.invert, each(t, operator.invert), [(t, 5)], 6)
    check(operator.neg, each(t, operator.neg), [(t, 5)], 7)


@named
def test_shift_by_constant(t: Any) -> None:
    w = t.bits
    for by in (0, 1, 2, w // 2, w - 1, w, w + 1, 2 * w, 200):
        check(lambda n, by=by: n << by, each(t, lambda n, by=by: n << by), [(t, 4)], 8, 2)
        check(lambda n, by=by: n >> by, each(t, lambda n, by=by: n >> by), [(t, 4)], 9, 2)


def test_widths_must_agree() -> None:
    for made in (lambda t: t(1, 2), lambda t: ShadowLanes(t(1, 2)), lambda t: SymbolicLanes.leaves("p", t, 2)):
        with pytest.raises(TypeError, match="use wide"):
            made(s16) + made(u8)
        with pytest.raises(TypeError, match="use wide"):
            compare(made(s16), "<", made(u8))


# ---- comparing and choosing -----------------------------------------------------------------------------------------

@pytest.mark.parametrize(("relation", "t"), some(RELATIONS))
def test_compare(relation: str, t: Any) -> None:
    truth = each(t.with_("u"), lambda a, b: -RELATIONS[relation](a, b))
    check(lambda n, m: compare(n, relation, m), truth, [(t, 6), (t, 6)], 10)
    check(lambda n, m: compare(n, relation, m), truth, [(t, 6), (t, 1)], 11, 3)
    check(lambda n: compare(n, relation, n), each(t.with_("u"), lambda a: -RELATIONS[relation](a, a)), [(t, 3)], 12, 2)
    check(lambda n: compare(n, relation, 0), each(t.with_("u"), lambda a: -RELATIONS[relation](a, 0)), [(t, 6)], 13, 3)


@machine_types
def test_select(t: Any) -> None:
    check(select, each(t, lambda k, n, m: n & k | m & ~k), [(t, 3), (t, 3), (t, 3)], 14)
    check(select, each(t, lambda k, n, m: n & k | m & ~k), [(t.with_("u"), 3), (t, 3), (t, 1)], 15)


@machine_types
def test_choose(t: Any) -> None:
    check(lambda k, n, m: choose(k & 1, n, m), each(t, lambda k, n, m: n if k & 1 else m),
          [(u8, 1), (t, 3), (t, 3)], 16)


@pytest.mark.parametrize("condition", CONDITIONS)
def test_holds(condition: str) -> None:
    """All sixteen states of the flags, in every reading."""
    def manual(f: int) -> bool:  # ConditionHolds of the manual: bits 3..1 choose the test, bit 0 inverts it
        n, z, c, v = (bool(f >> i & 1) for i in (3, 2, 1, 0))
        number = CONDITIONS.index(condition)
        test = [z, c, n, v, c and not z, n == v, n == v and not z, True][number >> 1]
        return test if number == 14 or not number & 1 else not test

    for f in range(16):
        want = [int(manual(f))]
        assert holds(condition, u8(f)).tolist() == want
        assert holds(condition, ShadowLanes(u8(f))).value.tolist() == want
        assert [e.evaluate({("f", 0): f}) for e in holds(condition, SymbolicLanes.leaves("f", u8, 1)).lanes] == want
    grid = NumpyLanes(np.arange(16, dtype=np.uint8).reshape(1, 4, 4), u8)
    assert holds(condition, grid).array.ravel().tolist() == [int(manual(f)) for f in range(16)]


# ---- widths ---------------------------------------------------------------------------------------------------------

@named
def test_wide_and_narrow(t: Any) -> None:
    if t.bits < 128:
        check(wide, lambda n: n, [(t, 4)], 17)
    if t.bits > 8:
        check(narrow, each(t.with_(bits=t.bits // 2), lambda n: n), [(t, 4)], 18)
    for kind in "sux":
        other = t.with_(kind)
        check(lambda n, other=other: view(n, other), each(other, lambda n: n), [(t, 3)], 19, 2)
    check(signed, each(t.with_("s"), lambda n: n), [(t, 3)], 20)
    check(unsigned, each(t.with_("u"), lambda n: n), [(t, 3)], 21)


@machine_types
def test_extend(t: Any) -> None:
    for bits_ in (w for w in WIDTHS if w >= t.bits):
        like = element("x", bits_)
        check(lambda n, like=like: extend(n, like), each(like, lambda n: n), [(t, 2)], 22, 3)


@pytest.mark.parametrize(("to", "t"), some(INTEGERS))
def test_sat(t: Any, to: Any) -> None:
    low, high = (-(1 << to.bits - 1), (1 << to.bits - 1) - 1) if to.kind == "s" else (0, (1 << to.bits) - 1)

    def clamped(n: list[int]) -> Any:
        return [min(max(x, low), high) for x in n], [int(any(not low <= x <= high for x in n))]

    check(lambda n: sat(n, to), clamped, [(t, 4)], 23, 5)
    check(lambda n: sat(n, to), clamped, [(t, 1)], 24, 12)


@pytest.mark.parametrize(("have", "want"), every(2, itertools.product([*WIDTHS, 128], repeat=2)))
def test_view(have: int, want: int) -> None:
    """The same bytes, least significant first, and back again."""
    n, t, to = 128 // have, element("s", have), element("u", want)

    def cut(lanes: list[int]) -> list[int]:
        number = sum((x % (1 << have)) << i * have for i, x in enumerate(lanes))
        return [number >> i * want & (1 << want) - 1 for i in range(128 // want)]

    check(lambda x: view(x, to), cut, [(t, n)], 25)
    check(lambda x: view(view(x, to), t), lambda x: x, [(t, n)], 26)


def test_half_and_double() -> None:
    n = s16(1, 2, 3)
    assert (bits(n), count(n), half(n).name, double(n).name) == (16, 3, "s8", "s32")
    assert element_named("u64") is element("u", 64)


# ---- shifts by lanes ------------------------------------------------------------------------------------------------

def shifted(x: int, by: int, rounding: bool) -> int:
    if by >= 0:
        return x << by
    return (x + (1 << -by - 1) if rounding else x) >> -by


@machine_types
@pytest.mark.parametrize("rounding", [False, True], ids=["plain", "rounding"])
def test_shift_by(t: Any, rounding: bool) -> None:
    low_byte = element("s", 8)
    reference = each(t, lambda n, m: shifted(n, value_in(low_byte, m), rounding))
    check(lambda n, m: shift_by(n, m, rounding), reference, [(t, 8), (t.with_("s"), 8)], 27, 4)
    check(lambda n, m: shift_by(n, m, rounding), reference, [(t, 8), (t.with_("u"), 8)], 28, 3)
    check(lambda n, m: shift_by(n, m, rounding), reference, [(t, 8), (t.with_("s"), 1)], 29, 3)


@machine_types
@pytest.mark.parametrize("rounding", [False, True], ids=["plain", "rounding"])
def test_every_shift_amount(t: Any, rounding: bool) -> None:
    """All 256 low bytes, on the values where rounding, sign and width matter; r = width and beyond included."""
    w = t.bits
    for x in {value_in(t, v) for v in (0, 1, -1, (1 << w - 1) - 1, 1 << w - 1, 3 << w - 2, 0x5A)}:
        n = NumpyLanes.from_integers([x] * 256, t)
        by = NumpyLanes.from_integers(range(256), t.with_("u")) if w > 8 else u8(*range(256))
        want = [value_in(t, shifted(x, (b ^ 128) - 128, rounding)) for b in range(256)]
        assert shift_by(n, by, rounding).tolist() == want
        assert shift_by(ShadowLanes(n), ShadowLanes(by), rounding).value.tolist() == want


@machine_types
def test_rotate(t: Any) -> None:
    w, mask = t.bits, (1 << t.bits) - 1
    for by in (1, 2, w // 2, w - 1):
        check(lambda n, by=by: rotate(n, by),
              each(t, lambda n, by=by: (n & mask) >> by | n << w - by), [(t, 3)], 30, 3)


# ---- lanes go elsewhere ---------------------------------------------------------------------------------------------

@named
def test_slices_pairs_join(t: Any) -> None:
    check(lambda n: n[3], lambda n: [n[3]], [(t, 8)], 31, 3)
    for cut in (slice(2, 6), slice(0, None, 2), slice(1, None, 2), slice(-1, None), slice(None, 4)):
        check(lambda n, cut=cut: n[cut], lambda n, cut=cut: n[cut], [(t, 8)], 32, 3)
    check(pairs, lambda n: (n[0::2], n[1::2]), [(t, 6)], 33)
    check(join, lambda n, m: n + m, [(t, 2), (t, 3)], 34)
    check(lambda a, b, c: join(a, b, c)[1:4], lambda a, b, c: (a + b + c)[1:4], [(t, 1), (t, 2), (t, 3)], 35)


@named
def test_interleave(t: Any) -> None:
    check(interleave, lambda n, m: [x for two in zip(n, m, strict=True) for x in two], [(t, 4), (t, 4)], 44)
    check(interleave, lambda n, m: n + m, [(t, 1), (t, 1)], 45, 2)


@named
def test_total(t: Any) -> None:
    check(total, lambda n: [value_in(t, sum(n))], [(t, 8)], 36)


@pytest.mark.parametrize("t", [element(k, w) for w in WIDTHS for k in "pu"], ids=str)
def test_carryless(t: Any) -> None:
    def product(n: int, m: int) -> int:
        result = 0
        for i in range(t.bits):
            result ^= (n << i) * (m >> i & 1)
        return result

    check(carryless, each(t.with_(bits=2 * t.bits), product), [(t, 2), (t, 2)], 37)


# ---- flags ----------------------------------------------------------------------------------------------------------

def flags_of_sum(t: Any, n: int, m: int, carry: int) -> tuple[list[int], list[int]]:
    """AddWithCarry of the manual."""
    w = t.bits
    mask, s = (1 << w) - 1, element("s", w)
    value = n + m + carry & mask
    carried = (n & mask) + (m & mask) + carry > mask
    exact = value_in(s, n) + value_in(s, m) + carry
    overflow = exact != value_in(s, value)
    return [value_in(t, value)], [value >> w - 1 << 3 | (value == 0) << 2 | carried << 1 | overflow]


@machine_types
def test_add_flags(t: Any) -> None:
    for carry in (0, 1):
        check(lambda n, m, carry=carry: add_flags(n, m, carry),
              lambda n, m, carry=carry: flags_of_sum(t, n[0], m[0], carry), [(t, 1), (t, 1)], 38, 8)
        check(lambda n, m, carry=carry: add_flags(n, ~m, carry),
              lambda n, m, carry=carry: flags_of_sum(t, n[0], ~m[0], carry), [(t, 1), (t, 1)], 39, 8)
    check(lambda n, m, c: add_flags(n, m, c & 1), lambda n, m, c: flags_of_sum(t, n[0], m[0], c[0] & 1),
          [(t, 1), (t, 1), (u8, 1)], 40, 8)


def test_add_flags_of_all_bytes() -> None:
    """Exhaustive at 8 bits, as a grid; the grid and the single tile take different ways."""
    t = element("x", 8)
    n = NumpyLanes(np.arange(256, dtype=np.uint8).reshape(1, 256, 1), t)
    m = NumpyLanes(np.arange(256, dtype=np.uint8).reshape(1, 1, 256), t)
    for carry in (0, 1):
        value, flags = add_flags(n, m, carry)
        want = [flags_of_sum(t, a, b, carry) for a in range(256) for b in range(256)]
        assert value.array.ravel().tolist() == [v[0] for v, _ in want]
        assert flags.array.ravel().tolist() == [f[0] for _, f in want]


@machine_types
def test_logic_flags(t: Any) -> None:
    def flags(n: list[int], c: int = 0, v: int = 0) -> list[int]:
        return [(n[0] >> t.bits - 1 & 1) << 3 | (n[0] == 0) << 2 | c << 1 | v]

    check(logic_flags, flags, [(t, 1)], 41, 12)
    check(lambda n, c, f: logic_flags(n, c & 1, f & 15), lambda n, c, f: flags(n, c[0] & 1, f[0] & 1),
          [(t, 1), (u8, 1), (u8, 1)], 42, 12)


@machine_types
def test_of_bits(t: Any) -> None:
    def text(x: int) -> str:
        return f"{x % (1 << t.bits):0{t.bits}b}"

    check(ones, lambda n: [text(x).count("1") for x in n], [(t, 4)], 43)
    check(leading_zeros, lambda n: [t.bits - len(text(x).lstrip("0")) for x in n], [(t, 4)], 44)
    check(mirror, lambda n: [value_in(t, int(text(x)[::-1], 2)) for x in n], [(t, 4)], 45)


@machine_types
def test_largest_and_smallest(t: Any) -> None:
    check(largest, lambda n: [max(n)], [(t, 8)], 46)
    check(smallest, lambda n: [min(n)], [(t, 8)], 47)


def test_reverse_and_repeat() -> None:
    for group in (16, 32, 64):
        size = group // 8
        check(lambda n, group=group: reverse(n, group),
              lambda n, size=size: [x for at in range(0, 16, size) for x in n[at:at + size][::-1]], [(u8, 16)], 48)
    check(lambda n: repeat(n, 8), lambda n: n + n, [(u8, 4)], 49)
    check(lambda n: repeat(n, 4), lambda n: n, [(u8, 4)], 50)


@pytest.mark.parametrize("size", [8, 24, 64])
def test_lookup(size: int) -> None:
    def found(table: list[int], index: list[int], otherwise: list[int]) -> list[int]:
        return [table[i] if i < size else d for i, d in zip(index, otherwise * (8 // len(otherwise)), strict=True)]

    def near(index: Any) -> Any:  # two of three lie inside the table
        return index & 127

    check(lambda t, i, d: lookup(t, near(i), d), lambda t, i, d: found(t, [x & 127 for x in i], d),
          [(u8, size), (u8, 8), (u8, 8)], 51)
    check(lambda t, i, d: lookup(t, near(i), d & 0), lambda t, i, d: found(t, [x & 127 for x in i], [0]),
          [(u8, size), (u8, 8), (u8, 1)], 52)


def test_reciprocal() -> None:
    """Every operand there is: (2**19 / (2n + 1) + 1) / 2, which is 2**17 / (n + 1/2) to nearest."""
    u32 = element("u", 32)
    check(lambda n: reciprocal(n & 255 | 256), lambda n: [((1 << 19) // (2 * (x & 255 | 256) + 1) + 1) // 2 for x in n],
          [(u32, 4)], 53)
    assert reciprocal(u32(*range(256, 512))).tolist() == [round(2**17 / (n + 0.5)) for n in range(256, 512)]


def test_reciprocal_root() -> None:
    """Every operand there is, of the four quarters of the range: the manual's search, one step at a time."""
    def searched(n: int) -> int:
        a, b = 2 * n + 1 if n < 256 else 2 * (n | 1), 512
        while a * (b + 1) ** 2 < 1 << 28:
            b += 1
        return (b + 1) // 2

    u32 = element("u", 32)
    check(lambda n: reciprocal_root(n & 127 | 128), lambda n: [searched(x & 127 | 128) for x in n], [(u32, 4)], 54)
    assert reciprocal_root(u32(*range(128, 512))).tolist() == [searched(n) for n in range(128, 512)]


# ---- the vocabulary itself ------------------------------------------------------------------------------------------

def test_every_word_is_tested_here() -> None:
    """A word added to the vocabulary is added to these tests."""
    names = set(globals())
    # Floating ones: test_float_words; tables: test_loops.
    others = {"Lanes", "Result", "x8", "x16", "x32", "x64", "constants", *float_vocabulary.__all__}
    assert VOCABULARY - others <= names


def test_element_types() -> None:
    assert (s16.low, s16.high, u16.low, u16.high) == (-32768, 32767, 0, 65535)
    rng = random.Random(43)
    for t in WITH_128:
        for _ in range(20):
            number = rng.randrange(-(1 << 130), 1 << 130)
            assert t.wrap(number) == value_in(t, number)
