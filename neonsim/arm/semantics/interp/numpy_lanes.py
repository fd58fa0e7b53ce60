"""The numpy reading: lanes as arrays, lanes first.

Axis 0 is the lane. One tile has no further axis; a lock-step grid has two more (tile rows, tile columns), each of
length 1 where the value does not vary along it: that is what keeps a shared operand as cheap as a single one.
Arrays are never changed in place, so a register's old value stays valid for stepping back.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from neonsim.arm.semantics.softfloat import FloatWord
from neonsim.arm.semantics.types import ElementType, element
from neonsim.arm.semantics.vocabulary import Lanes, condition_bits

from . import numpy_float

__all__ = ["NumpyLanes"]

Array = npt.NDArray[Any]
_U8 = element("u", 8)
_RELATIONS = {"==": np.equal, "!=": np.not_equal, ">=": np.greater_equal, ">": np.greater, "<=": np.less_equal,
              "<": np.less}


@cache
def _one_flags(flags: int, axes: int) -> NumpyLanes:
    """NZCV, the same for all tiles; lanes are read-only, so they may be shared."""
    return NumpyLanes(np.array(flags, np.uint8, ndmin=axes), _U8)


class NumpyLanes(Lanes):
    """Lanes held in ``array``: shape [lanes] or [lanes, rows or 1, columns or 1], dtype ``type.dtype``."""

    __slots__ = ("_wider", "array", "type")

    def __init__(self, array: Array, type_: ElementType) -> None:
        self.array = array
        self.type = type_
        self._wider: NumpyLanes | None = None

    @classmethod
    def from_integers(cls, values: Sequence[int], type_: ElementType, axes: int = 0) -> NumpyLanes:
        """Lanes of these integers (taken modulo the lane width), with ``axes`` grid axes of length 1."""
        array = np.array([type_.wrap(int(v)) for v in values], type_.dtype)
        return cls(array.reshape(-1, *(1,) * axes), type_)

    # -- looking at them
    @property
    def count(self) -> int:
        return len(self.array)

    def tolist(self) -> list[Any]:
        return cast("list[Any]", self.array.tolist())

    def item(self) -> int:
        """Return the value of the only lane of the only tile; ValueError if there are more."""
        return int(self.array.item())

    def __bool__(self) -> bool:
        return bool(self.array.any())

    def __repr__(self) -> str:
        return f"{self.type}{tuple(self.tolist())}" if self.array.ndim == 1 else f"{self.type}[{self.array.shape}]"

    # -- operators
    def _other(self, other: Lanes | int) -> Any:
        """The operand as numpy wants it, checked: what a body adds has one width."""
        if isinstance(other, NumpyLanes):
            if other.type.bits != self.type.bits:
                raise TypeError(f"lanes of {self.type} do not match lanes of {other.type}: use wide() or narrow() "
                                f"first")
            return other.array if other.array.dtype == self.array.dtype else other.array.view(self.array.dtype)
        value = self.type.wrap(cast("int", other))
        return value if self.type.bits > 64 else self.type.dtype.type(value)

    def _made(self, array: Array) -> NumpyLanes:
        if self.type.bits > 64:
            array = _wrap_big(array, self.type)
        return NumpyLanes(array, self.type)

    def __add__(self, other: Lanes | int) -> NumpyLanes:
        if type(other) is NumpyLanes and other.type is self.type and self.type.bits <= 64:
            return NumpyLanes(self.array + other.array, self.type)
        return self._made(self.array + self._other(other))

    def __sub__(self, other: Lanes | int) -> NumpyLanes:
        return self._made(self.array - self._other(other))

    def __mul__(self, other: Lanes | int) -> NumpyLanes:
        if type(other) is NumpyLanes and other.type is self.type and self.type.bits <= 64:
            return NumpyLanes(self.array * other.array, self.type)
        return self._made(self.array * self._other(other))

    def __and__(self, other: Lanes | int) -> NumpyLanes:
        return self._made(self.array & self._other(other))

    def __or__(self, other: Lanes | int) -> NumpyLanes:
        return self._made(self.array | self._other(other))

    def __xor__(self, other: Lanes | int) -> NumpyLanes:
        return self._made(self.array ^ self._other(other))

    def __invert__(self) -> NumpyLanes:
        return self._made(~self.array)

    def __neg__(self) -> NumpyLanes:
        return self._made(np.negative(self.array))

    def __lshift__(self, by: int) -> NumpyLanes:
        if by >= self.type.bits:
            return NumpyLanes(np.zeros_like(self.array), self.type)
        return self._made(self.array << (by if self.type.bits > 64 else self.type.dtype.type(by)))

    def __rshift__(self, by: int) -> NumpyLanes:
        if by >= self.type.bits:  # every bit is gone; a sign stays
            if self.type.kind != "s":
                return NumpyLanes(np.zeros_like(self.array), self.type)
            by = self.type.bits - 1
        return self._made(self.array >> (by if self.type.bits > 64 else self.type.dtype.type(by)))

    def __getitem__(self, lanes: int | slice) -> NumpyLanes:
        if isinstance(lanes, int):
            lanes = slice(lanes, lanes + 1)
        return NumpyLanes(self.array[lanes], self.type)

    # -- words
    def _constants(self, values: tuple[int, ...]) -> NumpyLanes:
        return _constants(values, self.type, self.array.ndim - 1)

    def _as_kind(self, type_: ElementType) -> NumpyLanes:
        if type_ is self.type:
            return self
        if type_.bits > 64:
            return NumpyLanes(_wrap_big(self.array, type_), type_)
        return NumpyLanes(self.array.view(type_.dtype), type_)

    def _view(self, type_: ElementType) -> NumpyLanes:
        have, want = self.type.bytes, type_.bytes
        if have == want:
            return self._as_kind(type_)
        if have == 16:
            return NumpyLanes(_split_big(self.array), element("u", 64))._view(type_)
        if want == 16:
            u64 = self._view(element("u", 64)).array.astype(object)
            return NumpyLanes(_wrap_big(u64[0::2] + u64[1::2] * (1 << 64), type_), type_)
        # The bytes of a lane must lie together for numpy to re-cut them, so the lane axis goes last and comes back.
        array = self.array
        if array.ndim == 1:
            return NumpyLanes(np.ascontiguousarray(array).view(type_.dtype), type_)
        axes = range(array.ndim)
        last = np.ascontiguousarray(array.transpose(*axes[1:], 0)).view(type_.dtype)
        return NumpyLanes(np.ascontiguousarray(last.transpose(-1, *axes[:-1])), type_)

    def _wide(self) -> NumpyLanes:
        # Kept: a row of a matrix kernel is widened once and then multiplied by many lanes.
        if self._wider is None:
            type_ = self.type.with_(bits=self.type.bits * 2)
            self._wider = NumpyLanes(self.array.astype(type_.dtype), type_)
        return self._wider

    def _narrow(self) -> NumpyLanes:
        type_ = self.type.with_(bits=self.type.bits // 2)
        if self.type.bits > 64:
            return NumpyLanes(_wrap_big(self.array, type_).astype(type_.dtype), type_)
        return NumpyLanes(self.array.astype(type_.dtype), type_)

    def _sat(self, type_: ElementType) -> tuple[NumpyLanes, NumpyLanes]:
        low, high = max(type_.low, self.type.low), min(type_.high, self.type.high)
        clamped = np.minimum(np.maximum(self.array, low), high)
        lost: Any = np.asarray(clamped != self.array).any(axis=0, keepdims=True)
        return NumpyLanes(clamped.astype(type_.dtype), type_), NumpyLanes(lost.astype(np.uint8), _U8)

    def _join(self, others: tuple[Any, ...]) -> NumpyLanes:
        arrays = [self.array, *(o.array for o in others)]
        grids = {array.shape[1:] for array in arrays}
        if len(grids) > 1:
            grid = np.broadcast_shapes(*grids)
            arrays = [np.broadcast_to(a, (a.shape[0], *grid)) for a in arrays]
        return NumpyLanes(np.concatenate(arrays), self.type)

    def _compare(self, relation: str, other: Any) -> NumpyLanes:
        type_ = self.type.with_("u")
        truth = np.asarray(_RELATIONS[relation](self.array, self._other(other)), bool)
        if type_.bits > 64:
            return NumpyLanes(truth.astype(object) * type_.mask, type_)
        ones: Any = np.negative(truth.astype(type_.dtype))
        return NumpyLanes(ones, type_)

    def _select(self, n: Any, m: Any) -> NumpyLanes:
        mask = self._as_kind(n.type)
        return cast("NumpyLanes", n & mask | m & ~mask)

    def _shift_by(self, by: Any, rounding: bool) -> NumpyLanes:
        width = self.type.bits
        amount = by.array.astype(np.int8)
        one = self.type.dtype.type
        left = np.clip(amount, 0, 127).astype(self.type.dtype)
        right = np.clip(-amount.astype(np.int16), 0, width + 1).astype(self.type.dtype)
        up = np.where(left >= width, one(0), self.array << np.minimum(left, one(width - 1)))
        if self.type.kind == "s":
            down = self.array >> np.minimum(right, one(width - 1))
        else:
            down = np.where(right >= width, one(0), self.array >> np.minimum(right, one(width - 1)))
        if rounding:
            # floor(x / 2**r + 1/2): the last bit shifted out is the rounding; past the width nothing is left of it,
            # and a negative value is rounded up from -1 to 0 by its sign.
            last = np.where(right > width, one(0), self.array >> np.minimum(np.maximum(right, one(1)) - one(1),
                                                                            one(width - 1)) & one(1))
            down = down + np.where(right > 0, last, one(0))
            if self.type.kind == "s":
                down = np.where(right > width, one(0), down)
        return NumpyLanes(np.where(amount >= 0, up, down).astype(self.type.dtype), self.type)

    def _total(self) -> NumpyLanes:
        return self._made(np.add.reduce(self.array, axis=0, keepdims=True, dtype=self.type.dtype))

    def _carryless(self, other: Any) -> NumpyLanes:
        wide = self.type.with_("u", self.type.bits * 2)
        n = NumpyLanes(self.array.astype(wide.dtype), wide)
        m = NumpyLanes(other.array.astype(wide.dtype), wide)
        result = n & 0
        for bit in range(self.type.bits):
            result = result ^ (n << bit) * (m >> bit & 1)
        return result._as_kind(self.type.with_(bits=self.type.bits * 2))

    def _quotient(self, other: Any) -> NumpyLanes:
        u = self.type.with_("u")
        n, m = self._as_kind(u).array, other._as_kind(u).array
        if self.type.kind != "s":
            return NumpyLanes(_floor(n, m), u)._as_kind(self.type)
        # Magnitudes, read as unsigned: that of the lowest number has no other place.
        negative = [np.asarray(x._as_kind(self.type).array < 0) for x in (self, other)]
        size = _floor(*(np.where(minus, np.negative(x), x) for minus, x in zip(negative, (n, m), strict=True)))
        return NumpyLanes(np.where(negative[0] != negative[1], np.negative(size), size), u)._as_kind(self.type)

    def _of_bits(self, word: str) -> NumpyLanes:
        u, width = self._as_kind(self.type.with_("u")).array, self.type.bits
        one = u.dtype.type
        if word == "ones":
            found: Array = _popcount(u, self.type.mask)
        elif word == "leading_zeros":
            for step in (1, 2, 4, 8, 16, 32):
                if step < width:
                    u = u | u >> one(step)
            found = one(width) - _popcount(u, self.type.mask)
        else:
            found = u
            for step in (1, 2, 4, 8, 16, 32):
                if step < width:  # neighbours change places: bits, pairs, nibbles ...
                    low = one(self.type.mask // ((1 << step) + 1))
                    found = found >> one(step) & low | (found & low) << one(step)
        return NumpyLanes(found, self.type.with_("u"))._as_kind(self.type)

    def _lookup(self, index: Any, otherwise: Any) -> NumpyLanes:
        size = len(self.array)
        if self.array.size == size:  # one table for all tiles
            flat = self.array.reshape(-1)
            if self.type.bits == 8 and size == 256:
                return NumpyLanes(flat[index.array], self.type)
            picked = flat[np.minimum(index.array, size - 1).astype(np.intp)]
            return NumpyLanes(np.where(index.array < size, picked, self._other(otherwise)), self.type)
        inside = index.array < size
        at = np.minimum(index.array, size - 1).astype(np.intp)
        grid = np.broadcast_shapes(self.array.shape[1:], at.shape[1:])
        picked = np.take_along_axis(np.broadcast_to(self.array, (size, *grid)),
                                    np.broadcast_to(at, (len(at), *grid)), 0)
        return NumpyLanes(np.where(inside, picked, self._other(otherwise)), self.type)

    def _add_flags(self, other: Any, carry: Any) -> tuple[NumpyLanes, NumpyLanes]:
        type_, width = self.type.with_("u"), self.type.bits
        if self.array.size == 1 and other.array.size == 1 and (isinstance(carry, int) or carry.array.size == 1):
            # One value for all tiles, the case of every loop counter: Python integers are the fastest way.
            n, m = int(self.array.item()) & type_.mask, int(other.array.item()) & type_.mask
            c = carry if isinstance(carry, int) else int(carry.array.item())
            full = n + m + c
            value = full & type_.mask
            overflow = ((n ^ value) & (m ^ value)) >> width - 1
            flags = value >> width - 1 << 3 | (value == 0) << 2 | full >> width << 1 | overflow
            axes = max(self.array.ndim, other.array.ndim)
            return (NumpyLanes(np.array(self.type.wrap(value), self.type.dtype, ndmin=axes), self.type),
                    _one_flags(flags, axes))
        a, b = self._as_kind(type_).array, other._as_kind(type_).array
        c = type_.dtype.type(carry) if isinstance(carry, int) else carry.array.astype(type_.dtype)
        half = a + b
        value = half + c
        carried = (half < a) | (value < half)
        top = type_.dtype.type(width - 1)
        negative, overflow = (value >> top).astype(np.uint8), (((a ^ value) & (b ^ value)) >> top).astype(np.uint8)
        flags = (negative << np.uint8(3) | (value == 0).astype(np.uint8) << np.uint8(2)
                 | carried.astype(np.uint8) << np.uint8(1) | overflow)
        return NumpyLanes(value, type_)._as_kind(self.type), NumpyLanes(flags, _U8)

    def _logic_flags(self, carry: Any, nzcv: Any) -> NumpyLanes:
        u = self._as_kind(self.type.with_("u")).array
        flags = ((u >> u.dtype.type(self.type.bits - 1)).astype(np.uint8) << np.uint8(3)
                 | (u == 0).astype(np.uint8) << np.uint8(2))
        if carry is not None:
            flags = flags | carry.array << np.uint8(1)
        if nzcv is not None:
            flags = flags | nzcv.array & np.uint8(1)
        return NumpyLanes(flags, _U8)

    def _holds(self, condition: str) -> NumpyLanes:
        table = condition_bits(condition)
        if self.array.size == 1:
            return NumpyLanes.from_integers([table >> int(self.array.item()) & 1], _U8, self.array.ndim - 1)
        return NumpyLanes((np.uint16(table) >> self.array.astype(np.uint16) & np.uint16(1)).astype(np.uint8), _U8)

    def _choose(self, n: Any, m: Any) -> NumpyLanes:
        if self.array.size == 1:
            return cast("NumpyLanes", n if self.array.item() else m)
        return NumpyLanes(np.where(self.array != 0, n.array, m.array), n.type)

    def _float(self, word: FloatWord, others: tuple[Any, ...], type_: ElementType) -> tuple[NumpyLanes, NumpyLanes]:
        unsigned = [lanes._as_kind(lanes.type.with_("u")).array for lanes in (self, *others)]
        result, flags = numpy_float.apply(word, unsigned, type_)
        return NumpyLanes(result, type_), NumpyLanes(flags, _U8)


@lru_cache(maxsize=256)
def _constants(values: tuple[int, ...], type_: ElementType, axes: int) -> NumpyLanes:
    """Kept: a loop asks for the same table every turn. Arrays are never changed in place."""
    return NumpyLanes.from_integers(values, type_, axes)


def _floor(n: Array, m: Array) -> Any:
    """n // m of unsigned arrays, 0 where m is 0."""
    one: Any = m.dtype.type(1)
    return np.where(m == 0, m.dtype.type(0), n // np.maximum(m, one))


def _popcount(u: Array, mask: int) -> Array:
    """Ones in each element of an unsigned array: sums of 1, 2, 4 ... neighbouring bits."""
    one: Any = u.dtype.type
    u = u - (u >> one(1) & one(mask // 3))
    u = (u & one(mask // 5)) + (u >> one(2) & one(mask // 5))
    u = u + (u >> one(4)) & one(mask // 17)
    for step in (8, 16, 32):
        if step < 8 * u.dtype.itemsize:
            u = u + (u >> one(step))
    total: Array = u & one(127)
    return total


def _wrap_big(array: Array, type_: ElementType) -> Array:
    """Python integers modulo 2**bits in the type's range (numpy's own integers end at 64 bits)."""
    flat = [type_.wrap(int(v)) for v in array.ravel().tolist()]
    out = np.empty(len(flat), object)
    out[:] = flat
    return out.reshape(array.shape)


def _split_big(array: Array) -> Array:
    """128-bit integers [n, ...] as their 64-bit halves [2n, ...], low half first."""
    low = (array & ((1 << 64) - 1)).astype(np.uint64)
    high = (array >> 64 & ((1 << 64) - 1)).astype(np.uint64)
    return np.stack([low, high], axis=1).reshape(-1, *array.shape[1:])
