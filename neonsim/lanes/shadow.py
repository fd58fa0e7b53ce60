"""The shadow reading: every value travels with a mask of the bits that nobody has written.

A set bit in ``undefined`` is unknown. Shifts, logic, permutes, moves and width changes are exact, bit by bit; sums and
products are exact about the bits below the lowest unknown one (nothing can reach down); comparisons and saturation are
all or nothing per lane. ``undefined is None`` means that every bit is known, which keeps the usual case cheap.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from .floating import EXCEPTIONS, FloatWord
from .numeric import NumpyLanes
from .types import ElementType, element
from .words import Lanes

__all__ = ["ShadowLanes"]

_U8 = element("u", 8)


def _smear(mask: NumpyLanes) -> NumpyLanes:
    """All bits from the lowest set one upward."""
    return mask | -mask


def _whole(mask: NumpyLanes) -> NumpyLanes:
    """All bits of every lane that has any."""
    return mask._compare("!=", 0)


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

    __slots__ = ("type", "undefined", "value")

    def __init__(self, value: NumpyLanes, undefined: NumpyLanes | None = None) -> None:
        if undefined is not None and not undefined.array.any():
            undefined = None
        if undefined is not None and undefined.count < value.count:
            # The unknown side was one lane that stood for all: its mask must be cut like the value later.
            undefined = NumpyLanes(np.repeat(undefined.array, value.count, axis=0), undefined.type)
        self.value, self.undefined = value, undefined
        self.type = value.type

    @property
    def count(self) -> int:
        return self.value.count

    @property
    def mask(self) -> NumpyLanes:
        """The unknown bits as lanes, all zero if every bit is known."""
        if self.undefined is not None:
            return self.undefined
        u = self.type.of("u")
        if u.bits > 64:
            return NumpyLanes.of([0] * self.count, u, self.value.array.ndim - 1)
        return NumpyLanes(np.zeros(self.value.array.shape, u.dtype), u)

    def __repr__(self) -> str:
        return f"{self.value!r}" if self.undefined is None else f"{self.value!r} unknown {self.undefined!r}"

    # -- helpers
    def _pair(self, other: Any) -> tuple[Any, NumpyLanes | None]:
        if isinstance(other, ShadowLanes):
            return other.value, other.undefined
        return other, None

    def _arithmetic(self, other: Any, value: NumpyLanes) -> ShadowLanes:
        undefined = _any(self.undefined, self._pair(other)[1])
        return ShadowLanes(value, None if undefined is None else _smear(undefined))

    def __add__(self, other: Any) -> ShadowLanes:
        return self._arithmetic(other, self.value + self._pair(other)[0])

    def __sub__(self, other: Any) -> ShadowLanes:
        value = self.value - self._pair(other)[0]
        return ShadowLanes(value) if other is self else self._arithmetic(other, value)

    def __mul__(self, other: Any) -> ShadowLanes:
        return self._arithmetic(other, self.value * self._pair(other)[0])

    def __and__(self, other: Any) -> ShadowLanes:
        m, um = self._pair(other)
        value = self.value & m
        if self.undefined is None and um is None:
            return ShadowLanes(value)
        n, un = self.value._as_kind(self.type.of("u")), self.mask
        um = um if um is not None else un & 0
        # A known zero on either side makes the result known.
        return ShadowLanes(value, un & um | un & m | n & um)

    def __or__(self, other: Any) -> ShadowLanes:
        m, um = self._pair(other)
        value = self.value | m
        if self.undefined is None and um is None:
            return ShadowLanes(value)
        n, un = self.value._as_kind(self.type.of("u")), self.mask
        um = um if um is not None else un & 0
        return ShadowLanes(value, un & um | un & ~m | ~n & um)

    def __xor__(self, other: Any) -> ShadowLanes:
        value = self.value ^ self._pair(other)[0]
        # x ^ x is zero whatever x is: the usual way to clear a register.
        return ShadowLanes(value) if other is self else ShadowLanes(value, _any(self.undefined, self._pair(other)[1]))

    def __invert__(self) -> ShadowLanes:
        return ShadowLanes(~self.value, self.undefined)

    def __neg__(self) -> ShadowLanes:
        return self._arithmetic(0, -self.value)

    def __lshift__(self, by: int) -> ShadowLanes:
        return ShadowLanes(self.value << by, None if self.undefined is None else self.undefined << by)

    def __rshift__(self, by: int) -> ShadowLanes:
        if self.undefined is None:
            return ShadowLanes(self.value >> by)
        # A signed shift copies the top bit downwards, known or not.
        return ShadowLanes(self.value >> by, (self.undefined._as_kind(self.type) >> by)._as_kind(self.type.of("u")))

    def __getitem__(self, lanes: int | slice) -> ShadowLanes:
        return ShadowLanes(self.value[lanes], None if self.undefined is None else self.undefined[lanes])

    # -- words
    def _as_kind(self, type_: ElementType) -> ShadowLanes:
        return self if type_ is self.type else ShadowLanes(self.value._as_kind(type_), self.undefined)

    def _view(self, type_: ElementType) -> ShadowLanes:
        if type_ is self.type:
            return self
        undefined = None if self.undefined is None else self.undefined._view(type_.of("u"))
        return ShadowLanes(self.value._view(type_), undefined)

    def _wide(self) -> ShadowLanes:
        if self.undefined is None:
            return ShadowLanes(self.value._wide())
        return ShadowLanes(self.value._wide(), self.undefined._as_kind(self.type)._wide()._as_kind(
            self.type.of("u", self.type.bits * 2)))

    def _narrow(self) -> ShadowLanes:
        return ShadowLanes(self.value._narrow(), None if self.undefined is None else self.undefined._narrow())

    def _sat(self, type_: ElementType) -> tuple[ShadowLanes, ShadowLanes]:
        value, lost = self.value._sat(type_)
        if self.undefined is None:
            return ShadowLanes(value), ShadowLanes(lost)
        lanes = _whole(self.undefined)
        unknown = NumpyLanes((lanes.array != 0).astype(type_.of("u").dtype) * type_.of("u").dtype.type(type_.mask),
                             type_.of("u"))
        any_lane = (lanes.array != 0).any(axis=0, keepdims=True).astype(np.uint8)
        return ShadowLanes(value, unknown), ShadowLanes(lost, NumpyLanes(any_lane, _U8))

    def _join(self, others: tuple[Any, ...]) -> ShadowLanes:
        value = self.value._join(tuple(o.value for o in others))
        if self.undefined is None and all(o.undefined is None for o in others):
            return ShadowLanes(value)
        return ShadowLanes(value, self.mask._join(tuple(o.mask for o in others)))

    def _compare(self, relation: str, other: Any) -> ShadowLanes:
        m, um = self._pair(other)
        value = self.value._compare(relation, m)
        undefined = None if other is self else _any(self.undefined, um)
        return ShadowLanes(value, None if undefined is None else _whole(undefined))

    def _select(self, n: Any, m: Any) -> ShadowLanes:
        value = self.value._select(n.value, m.value)
        if self.undefined is None and n.undefined is None and m.undefined is None:
            return ShadowLanes(value)
        u = n.type.of("u")
        mask = self.value._as_kind(u)
        # An unknown choice between equal known bits is known.
        either = (n.value ^ m.value)._as_kind(u) | n.mask | m.mask
        return ShadowLanes(value, n.mask & mask | m.mask & ~mask | self.mask & either)

    def _shift_by(self, by: Any, rounding: bool) -> ShadowLanes:
        value = self.value._shift_by(by.value, rounding)
        if self.undefined is None and by.undefined is None:
            return ShadowLanes(value)
        u = self.type.of("u")
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
        return ShadowLanes(value, self.undefined._of_bits(word) if word == "mirror" else _whole(self.undefined))

    def _lookup(self, index: Any, otherwise: Any) -> ShadowLanes:
        value = self.value._lookup(index.value, otherwise.value)
        if self.undefined is None and index.undefined is None and otherwise.undefined is None:
            return ShadowLanes(value)
        mask = self.mask._lookup(index.value, otherwise.mask)
        return ShadowLanes(value, mask if index.undefined is None else mask | _whole(index.undefined))

    def _add_flags(self, other: Any, carry: Any) -> tuple[ShadowLanes, ShadowLanes]:
        c, uc = (carry, None) if isinstance(carry, int) else (carry.value, carry.undefined)
        value, flags = self.value._add_flags(other.value, c)
        undefined = _any(self.undefined, other.undefined)
        if uc is not None:
            undefined = self.mask | other.mask | 1  # an unknown carry comes in at bit 0
        if undefined is None:
            return ShadowLanes(value), ShadowLanes(flags)
        smeared = _smear(undefined)
        # Z, C and V depend on every bit, N on the top one, which a smear always reaches.
        unknown = (smeared.array != 0).any(axis=0, keepdims=True).astype(np.uint8) * np.uint8(15)
        return ShadowLanes(value, smeared), ShadowLanes(flags, NumpyLanes(unknown, _U8))

    def _logic_flags(self, carry: Any, nzcv: Any) -> ShadowLanes:
        flags = self.value._logic_flags(None if carry is None else carry.value, None if nzcv is None else nzcv.value)
        mask = self.mask.array
        # A known 1 anywhere makes Z known (not zero).
        sure = (self.value._as_kind(self.type.of("u")).array & ~mask) != 0
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
        used = {"eq": 4, "ne": 4, "hs": 2, "lo": 2, "mi": 8, "pl": 8, "vs": 1, "vc": 1, "hi": 6, "ls": 6, "ge": 9,
                "lt": 9, "gt": 13, "le": 13}[condition]
        return ShadowLanes(truth, _whole(self.undefined & used))

    def _choose(self, n: Any, m: Any) -> ShadowLanes:
        value = self.value._choose(n.value, m.value)
        if self.undefined is None:
            if n.undefined is None and m.undefined is None:
                return ShadowLanes(value)
            return ShadowLanes(value, self.value._choose(n.mask, m.mask))
        u = n.type.of("u")
        unknown = self.undefined.array != 0
        mask = np.where(unknown, u.dtype.type(u.mask), cast("Any", self.value._choose(n.mask, m.mask).array))
        return ShadowLanes(NumpyLanes(np.broadcast_to(value.array, mask.shape), value.type), NumpyLanes(mask, u))

    def _float(self, word: FloatWord, others: tuple[Any, ...], type_: ElementType) -> tuple[ShadowLanes, ShadowLanes]:
        value, flags = self.value._float(word, tuple(o.value for o in others), type_)
        unknown = [np.asarray(lanes.undefined.array != 0) for lanes in (self, *others) if lanes.undefined is not None]
        if not unknown:
            return ShadowLanes(value), ShadowLanes(flags)
        u = type_.of("u")
        lanes = np.broadcast_to(np.logical_or.reduce(np.broadcast_arrays(*unknown)), value.array.shape)
        mask: Any = np.where(lanes, u.dtype.type(u.mask), u.dtype.type(0))
        anyone = np.where(lanes.any(axis=0, keepdims=True), np.uint8(EXCEPTIONS), np.uint8(0))
        return ShadowLanes(value, NumpyLanes(mask, u)), ShadowLanes(flags, NumpyLanes(anyone, _U8))
