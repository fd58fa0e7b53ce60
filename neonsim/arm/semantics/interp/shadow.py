"""The shadow interpretation: every value travels with a mask of the uninitialized bits.

A set bit in ``undefined`` is unknown. Shifts, logic, permutes, moves and width changes are exact, bit by bit. Sums,
differences, their flags, comparisons of order and what clamps are done for the least and for the greatest value that
there can be: what is the same for both is known (a carry rises with its operands). A product is known below the lowest
bit that an unknown one can reach, and known whole if the other factor is 0. Equality and the rest are all or nothing
per lane. ``undefined is None`` means that every bit is known, which keeps the usual case cheap.

What meets itself may be known although it is not: n - n, n & ~n. So what is made of an unknown value alone (its other
views, halves, complement) is the same object each time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np

from neonsim.arm.semantics.float_formats import EXCEPTIONS
from neonsim.arm.semantics.softfloat import FloatWord
from neonsim.arm.semantics.types import ElementType, element
from neonsim.arm.semantics.vocabulary import Lanes

from .numpy_lanes import NumpyLanes

__all__ = ["ShadowLanes"]

_U8 = element("u", 8)


def _smear(mask: NumpyLanes) -> NumpyLanes:
    """All bits from the lowest set one upward."""
    return mask | -mask


def _whole(mask: NumpyLanes) -> NumpyLanes:
    """All bits of every lane that has any."""
    return mask._compare("!=", 0)


def _lowest(bits: NumpyLanes) -> NumpyLanes:
    """The lowest set bit of every lane."""
    return bits & -bits


def _extremes(value: NumpyLanes, unknown: NumpyLanes) -> tuple[NumpyLanes, NumpyLanes]:
    """The least and the greatest value that lanes can have, in their own signedness."""
    u = unknown.type
    sign = unknown & (1 << u.bits - 1 if value.type.kind == "s" else 0)
    n, others = value._as_kind(u), unknown ^ sign
    return (n & ~unknown | sign)._as_kind(value.type), ((n | others) & ~sign)._as_kind(value.type)


def _any(*masks: NumpyLanes | None) -> NumpyLanes | None:
    known = [m for m in masks if m is not None]
    if not known:
        return None
    result = known[0]
    for mask in known[1:]:
        result = result | mask
    return result


class ShadowLanes(Lanes):
    """``value`` as in the numpy reading; ``undefined``: unsigned lanes of the same width, or None."""

    __slots__ = ("_made", "type", "undefined", "value")

    def __init__(self, value: NumpyLanes, undefined: NumpyLanes | None = None) -> None:
        if undefined is not None and not undefined.array.any():
            undefined = None
        if undefined is not None and undefined.count < value.count:
            # The unknown side was one lane that stood for all: its mask must be cut like the value later.
            undefined = NumpyLanes(np.repeat(undefined.array, value.count, axis=0), undefined.type)
        self.value, self.undefined = value, undefined
        self.type = value.type
        self._made: dict[Any, ShadowLanes] | None = None  # what was made of it, by how

    def _once(self, how: Any, make: Callable[[], ShadowLanes]) -> ShadowLanes:
        """What is made of an unknown value, the same object each time."""
        if self._made is None:
            self._made = {}
        found = self._made.get(how)
        if found is None:
            found = self._made[how] = make()
        return found

    def _is_not(self, other: Any) -> bool:
        """Whether the other value is the complement of this one, whatever this one is."""
        return self._made is not None and self._made.get("~") is other

    def _all_ones(self) -> ShadowLanes:
        return ShadowLanes(self.value | ~self.value)

    @property
    def count(self) -> int:
        return self.value.count

    @property
    def mask(self) -> NumpyLanes:
        """The unknown bits as lanes, all zero if every bit is known."""
        if self.undefined is not None:
            return self.undefined
        u = self.type.with_("u")
        if u.bits > 64:
            return NumpyLanes.from_integers([0] * self.count, u, self.value.array.ndim - 1)
        return NumpyLanes(np.zeros(self.value.array.shape, u.dtype), u)

    def __repr__(self) -> str:
        return f"{self.value!r}" if self.undefined is None else f"{self.value!r} unknown {self.undefined!r}"

    # -- helpers
    def _pair(self, other: Any) -> tuple[Any, NumpyLanes | None]:
        if isinstance(other, ShadowLanes):
            return other.value, other.undefined
        return other, None

    def _bits(self, other: Any) -> tuple[NumpyLanes, NumpyLanes, Any, Any]:
        """(n, its unknown bits, m, its unknown bits), unsigned; m and its mask may be integers."""
        u = self.type.with_("u")
        n, un = self.value._as_kind(u), self.mask
        if isinstance(other, ShadowLanes):
            return n, un, other.value._as_kind(other.type.with_("u")), other.mask
        return n, un, (n & 0) + other, n & 0

    def __add__(self, other: Any) -> ShadowLanes:
        value = self.value + self._pair(other)[0]
        if self._known_with(other) or self._is_not(other):
            return ShadowLanes(value)
        n, un, m, um = self._bits(other)
        return ShadowLanes(value, un | um | ((n & ~un) + (m & ~um) ^ (n | un) + (m | um)))

    def __sub__(self, other: Any) -> ShadowLanes:
        value = self.value - self._pair(other)[0]
        if other is self or self._known_with(other):
            return ShadowLanes(value)
        n, un, m, um = self._bits(other)
        return ShadowLanes(value, un | um | ((n & ~un) - (m | um) ^ (n | un) - (m & ~um)))

    def __mul__(self, other: Any) -> ShadowLanes:
        value = self.value * self._pair(other)[0]
        if self._known_with(other):
            return ShadowLanes(value)
        # (n + a) * (m + b) - n * m = (n + a) * b + a * m, where a and b are made of unknown bits.
        n, un, m, um = self._bits(other)
        return ShadowLanes(value, _smear(_lowest(n | un) * _lowest(um) | _lowest(un) * _lowest(m & ~um)))

    def _known_with(self, other: Any) -> bool:
        return self.undefined is None and self._pair(other)[1] is None

    def __and__(self, other: Any) -> ShadowLanes:
        m, um = self._pair(other)
        value = self.value & m
        if (self.undefined is None and um is None) or self._is_not(other):
            return ShadowLanes(value)
        n, un = self.value._as_kind(self.type.with_("u")), self.mask
        um = um if um is not None else un & 0
        if isinstance(other, int):
            return self._once(("&", other), lambda: ShadowLanes(value, un & other))
        # A known zero on either side makes the result known.
        return ShadowLanes(value, un & um | un & m | n & um)

    def __or__(self, other: Any) -> ShadowLanes:
        m, um = self._pair(other)
        value = self.value | m
        if (self.undefined is None and um is None) or self._is_not(other):
            return ShadowLanes(value)
        n, un = self.value._as_kind(self.type.with_("u")), self.mask
        um = um if um is not None else un & 0
        return ShadowLanes(value, un & um | un & ~m | ~n & um)

    def __xor__(self, other: Any) -> ShadowLanes:
        value = self.value ^ self._pair(other)[0]
        # x ^ x is zero whatever x is: the usual way to clear a register.
        constant = other is self or self._is_not(other)
        return ShadowLanes(value) if constant else ShadowLanes(value, _any(self.undefined, self._pair(other)[1]))

    def __invert__(self) -> ShadowLanes:
        if self.undefined is None:
            return ShadowLanes(~self.value)

        def make() -> ShadowLanes:
            made = ShadowLanes(~self.value, self.undefined)
            made._made = {"~": self}
            return made
        return self._once("~", make)

    def __neg__(self) -> ShadowLanes:
        if self.undefined is None:
            return ShadowLanes(-self.value)
        n, un = self.value._as_kind(self.type.with_("u")), self.undefined
        return ShadowLanes(-self.value, un | (-(n & ~un) ^ -(n | un)))

    def __lshift__(self, by: int) -> ShadowLanes:
        return ShadowLanes(self.value << by, None if self.undefined is None else self.undefined << by)

    def __rshift__(self, by: int) -> ShadowLanes:
        if self.undefined is None:
            return ShadowLanes(self.value >> by)
        # A signed shift copies the top bit downwards, known or not.
        return ShadowLanes(self.value >> by, (self.undefined._as_kind(self.type) >> by)._as_kind(self.type.with_("u")))

    def __getitem__(self, lanes: int | slice) -> ShadowLanes:
        if self.undefined is None:
            return ShadowLanes(self.value[lanes])
        undefined, how = self.undefined, (lanes.start, lanes.stop, lanes.step) if isinstance(lanes, slice) else lanes
        return self._once(how, lambda: ShadowLanes(self.value[lanes], undefined[lanes]))

    # -- words
    def _constants(self, values: tuple[int, ...]) -> ShadowLanes:
        return ShadowLanes(self.value._constants(values))

    def _as_kind(self, type_: ElementType) -> ShadowLanes:
        if type_ is self.type:
            return self
        if self.undefined is None:
            return ShadowLanes(self.value._as_kind(type_))
        return self._once(("kind", type_), lambda: ShadowLanes(self.value._as_kind(type_), self.undefined))

    def _view(self, type_: ElementType) -> ShadowLanes:
        if type_ is self.type:
            return self
        if self.undefined is None:
            return ShadowLanes(self.value._view(type_))
        undefined = self.undefined
        return self._once(("view", type_), lambda: ShadowLanes(self.value._view(type_),
                                                               undefined._view(type_.with_("u"))))

    def _wide(self) -> ShadowLanes:
        if self.undefined is None:
            return ShadowLanes(self.value._wide())
        undefined = self.undefined
        return self._once("wide", lambda: ShadowLanes(self.value._wide(), undefined._as_kind(
            self.type)._wide()._as_kind(self.type.with_("u", self.type.bits * 2))))

    def _narrow(self) -> ShadowLanes:
        if self.undefined is None:
            return ShadowLanes(self.value._narrow())
        undefined = self.undefined
        return self._once("narrow", lambda: ShadowLanes(self.value._narrow(), undefined._narrow()))

    def _sat(self, type_: ElementType) -> tuple[ShadowLanes, ShadowLanes]:
        value, lost = self.value._sat(type_)
        if self.undefined is None:
            return ShadowLanes(value), ShadowLanes(lost)
        (low, lost_low), (high, lost_high) = (end._sat(type_) for end in _extremes(self.value, self.undefined))
        unknown = low._compare("!=", high)
        # What fits at both ends fits between them; anything else might have been clamped.
        maybe = (self.undefined.array != 0).any(axis=0, keepdims=True).astype(np.uint8)
        return ShadowLanes(value, unknown), ShadowLanes(lost, NumpyLanes(
            maybe & (lost_low.array | lost_high.array), _U8))

    def _join(self, others: tuple[Any, ...]) -> ShadowLanes:
        value = self.value._join(tuple(o.value for o in others))
        if self.undefined is None and all(o.undefined is None for o in others):
            return ShadowLanes(value)
        return ShadowLanes(value, self.mask._join(tuple(o.mask for o in others)))

    def _compare(self, relation: str, other: Any) -> ShadowLanes:
        m, um = self._pair(other)
        value = self.value._compare(relation, m)
        if other is self or self._known_with(other):
            return ShadowLanes(value)
        if relation in ("==", "!="):
            # All or nothing, although known bits that differ would decide: who reads too wide a register (CBZ of x0,
            # where the argument is in w0) learns it whatever the value.
            _, un, _, um = self._bits(other)
            return ShadowLanes(value, _whole(un | um))
        low, high = _extremes(self.value, self.mask)
        least, most = (m, m) if um is None else _extremes(m, um)
        return ShadowLanes(value, low._compare(relation, most) ^ high._compare(relation, least))

    def _select(self, n: Any, m: Any) -> ShadowLanes:
        value = self.value._select(n.value, m.value)
        if self.undefined is None and n.undefined is None and m.undefined is None:
            return ShadowLanes(value)
        u = n.type.with_("u")
        mask = self.value._as_kind(u)
        # An unknown choice between equal known bits is known.
        either = (n.value ^ m.value)._as_kind(u) | n.mask | m.mask
        return ShadowLanes(value, n.mask & mask | m.mask & ~mask | self.mask & either)

    def _shift_by(self, by: Any, rounding: bool) -> ShadowLanes:
        value = self.value._shift_by(by.value, rounding)
        if self.undefined is None and by.undefined is None:
            return ShadowLanes(value)
        u = self.type.with_("u")
        moved = self.mask._as_kind(self.type)._shift_by(by.value, False)._as_kind(u)
        if rounding:
            # The rounding bit is added at the bottom of a right shift: unknown, it can carry into every bit.
            right = by.value.array.astype(np.int8) < 0
            lost = self.mask ^ (self.mask._shift_by(by.value, False))._shift_by(-by.value, False)
            carried = np.where(lost.array != 0, u.dtype.type(u.mask), _smear(moved).array)
            moved = NumpyLanes(np.where(right, carried, moved.array), u)
        amount = by.mask & 0xFF
        return ShadowLanes(value, moved | _whole(amount)._as_kind(u))

    def _total(self) -> ShadowLanes:
        if self.undefined is None:
            return ShadowLanes(self.value._total())
        mask = np.bitwise_or.reduce(self.undefined.array, axis=0, keepdims=True)
        return ShadowLanes(self.value._total(), _smear(NumpyLanes(mask, self.undefined.type)))

    def _carryless(self, other: Any) -> ShadowLanes:
        undefined = _any(self.undefined, other.undefined)
        value = self.value._carryless(other.value)
        return ShadowLanes(value, None if undefined is None else _smear(undefined._wide()))

    def _quotient(self, other: Any) -> ShadowLanes:
        undefined = _any(self.undefined, other.undefined)
        return ShadowLanes(self.value._quotient(other.value), None if undefined is None else _whole(undefined))

    def _of_bits(self, word: str) -> ShadowLanes:
        value = self.value._of_bits(word)
        if self.undefined is None:
            return ShadowLanes(value)
        if word == "mirror":
            return ShadowLanes(value, self.undefined._of_bits(word))
        if word == "leading_zeros":
            # Between two counts lie numbers that agree with both above the highest bit in which these differ.
            n = self.value._as_kind(self.type.with_("u"))
            differs = (n & ~self.undefined)._of_bits(word) ^ (n | self.undefined)._of_bits(word)
            for step in (1, 2, 4):
                differs = differs | differs >> step
            return ShadowLanes(value, differs)
        return ShadowLanes(value, _whole(self.undefined))

    def _lookup(self, index: Any, otherwise: Any) -> ShadowLanes:
        value = self.value._lookup(index.value, otherwise.value)
        if self.undefined is None and index.undefined is None and otherwise.undefined is None:
            return ShadowLanes(value)
        mask = self.mask._lookup(index.value, otherwise.mask)
        return ShadowLanes(value, mask if index.undefined is None else mask | _whole(index.undefined))

    def _add_flags(self, other: Any, carry: Any) -> tuple[ShadowLanes, ShadowLanes]:
        if self._is_not(other):     # n - n, the usual way to compare a register with itself: the carry decides
            return self._all_ones()._add_flags(ShadowLanes(self.value & 0), carry)
        c, uc = (carry, None) if isinstance(carry, int) else (carry.value, carry.undefined)
        value, flags = self.value._add_flags(other.value, c)
        if uc is None and self._known_with(other):
            return ShadowLanes(value), ShadowLanes(flags)
        n, un, m, um = self._bits(other)
        if uc is None:
            least, most = c, c
        else:
            least, most = (NumpyLanes(bit.array & np.uint8(1), _U8) for bit in (c & ~uc, c | uc))
        low, low_flags = (n & ~un)._add_flags(m & ~um, least)
        high, high_flags = (n | un)._add_flags(m | um, most)
        unknown = un | um | (low ^ high)
        shift = unknown.array.dtype.type(self.type.bits - 1)
        # V is made of the top bits; a known 1 anywhere makes Z known (not zero).
        overflow = ((un | um | unknown).array >> shift).astype(np.uint8)
        sure = (value._as_kind(unknown.type).array & ~unknown.array) != 0
        carry = (low_flags.array ^ high_flags.array) & np.uint8(2)
        zero = ((unknown.array != 0) & ~sure).astype(np.uint8)
        unsure = overflow << np.uint8(3) | zero << np.uint8(2) | carry | overflow
        return ShadowLanes(value, unknown), ShadowLanes(flags, NumpyLanes(unsure, _U8))

    def _logic_flags(self, carry: Any, nzcv: Any) -> ShadowLanes:
        flags = self.value._logic_flags(None if carry is None else carry.value, None if nzcv is None else nzcv.value)
        mask = self.mask.array
        # A known 1 anywhere makes Z known (not zero).
        sure = (self.value._as_kind(self.type.with_("u")).array & ~mask) != 0
        top = (mask >> mask.dtype.type(self.type.bits - 1)).astype(np.uint8) << np.uint8(3)
        unknown = top | ((mask != 0) & ~sure).astype(np.uint8) << np.uint8(2)
        if carry is not None and carry.undefined is not None:
            unknown = unknown | (carry.undefined.array & np.uint8(1)) << np.uint8(1)
        if nzcv is not None and nzcv.undefined is not None:
            unknown = unknown | nzcv.undefined.array & np.uint8(1)
        return ShadowLanes(flags, NumpyLanes(unknown, _U8))

    def _holds(self, condition: str) -> ShadowLanes:
        truth = self.value._holds(condition)
        if self.undefined is None or condition == "al":
            return ShadowLanes(truth)
        # Unknown if any other setting of the unknown flags gives the other answer.
        f, unknown = self.value.array, self.undefined.array & np.uint8(15)
        wrong = [((np.uint8(k) & ~unknown) == 0) & (NumpyLanes(f ^ np.uint8(k), _U8)._holds(condition).array
                                                    != truth.array) for k in range(1, 16)]
        return ShadowLanes(truth, NumpyLanes(np.negative(np.logical_or.reduce(wrong).astype(np.uint8)), _U8))

    def _choose(self, n: Any, m: Any) -> ShadowLanes:
        value = self.value._choose(n.value, m.value)
        if self.undefined is None:
            if n.undefined is None and m.undefined is None:
                return ShadowLanes(value)
            return ShadowLanes(value, self.value._choose(n.mask, m.mask))
        u = n.type.with_("u")
        unknown = self.undefined.array != 0
        # Unknown even between equal values: what is chosen may be where a branch goes, and that is a decision.
        mask = np.where(unknown, u.dtype.type(u.mask), cast("Any", self.value._choose(n.mask, m.mask).array))
        return ShadowLanes(NumpyLanes(np.broadcast_to(value.array, mask.shape), value.type), NumpyLanes(mask, u))

    def _float(self, word: FloatWord, others: tuple[Any, ...], type_: ElementType) -> tuple[ShadowLanes, ShadowLanes]:
        value, flags = self.value._float(word, tuple(o.value for o in others), type_)
        unknown = [np.asarray(lanes.undefined.array != 0) for lanes in (self, *others) if lanes.undefined is not None]
        if not unknown:
            return ShadowLanes(value), ShadowLanes(flags)
        u = type_.with_("u")
        lanes = np.broadcast_to(np.logical_or.reduce(np.broadcast_arrays(*unknown)), value.array.shape)
        # No number is greater than itself, nor is a NaN.
        constant = word.name == "compare" and word.detail == (">",) and bool(others) and others[0] is self
        mask: Any = np.where(lanes, u.dtype.type(0 if constant else u.mask), u.dtype.type(0))
        anyone = np.where(lanes.any(axis=0, keepdims=True), np.uint8(EXCEPTIONS), np.uint8(0))
        return ShadowLanes(value, NumpyLanes(mask, u)), ShadowLanes(flags, NumpyLanes(anyone, _U8))
