"""Whole numbers that nobody knows, for definitions: they compute as numpy integers do, and are polynomials of terms.

The definitions of `neonsim.quant` are written once, with operators and a few functions of numpy. Given these instead of
arrays they say what they mean for all numbers at once. Nothing wraps: values are integers, as wide as they need be.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from neonsim.arm.semantics import TermPool, element, u8
from neonsim.arm.semantics.interp.polynomials import Polynomial
from neonsim.errors import BadArgument
from neonsim.quant.fixedpoint import INT32_MAX, INT32_MIN

__all__ = ["SymbolicInt"]


class SymbolicInt:
    """An integer polynomial of a pool's variables. Shifts are by numbers; comparisons give 0 or 1."""

    def __init__(self, pool: TermPool, polynomial: Polynomial) -> None:
        self.pool, self.polynomial = pool, polynomial

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        made = _NUMPY.get(ufunc.__name__)
        if made is None or method != "__call__" or options:
            raise BadArgument(f"a definition that calls numpy's {ufunc.__name__} cannot be read for unknown numbers")
        result: SymbolicInt = made(*(self._of(one) for one in inputs))
        return result

    def _of(self, other: Any) -> SymbolicInt:
        if isinstance(other, SymbolicInt):
            return other
        number = int(np.asarray(other).item())
        return SymbolicInt(self.pool, {(): number} if number else {})

    def _number(self) -> int:
        if self.polynomial.keys() <= {()}:
            return self.polynomial.get((), 0)
        raise BadArgument("a definition that shifts by an unknown number cannot be read for all of them at once")

    def _truth(self, polynomial: Polynomial) -> SymbolicInt:
        return SymbolicInt(self.pool, polynomial)

    def __add__(self, other: Any) -> SymbolicInt:
        return SymbolicInt(self.pool, self.pool.sum(self.polynomial, self._of(other).polynomial))

    __radd__ = __add__

    def __neg__(self) -> SymbolicInt:
        return self * -1

    def __sub__(self, other: Any) -> SymbolicInt:
        return self + -self._of(other)

    def __rsub__(self, other: Any) -> SymbolicInt:
        made: SymbolicInt = -self + other
        return made

    def __mul__(self, other: Any) -> SymbolicInt:
        return SymbolicInt(self.pool, self.pool.product(self.polynomial, self._of(other).polynomial))

    __rmul__ = __mul__

    def __lshift__(self, by: Any) -> SymbolicInt:
        return self._left(self._of(by))

    def _left(self, by: SymbolicInt) -> SymbolicInt:
        return self * (1 << by._number())

    def __rlshift__(self, other: Any) -> SymbolicInt:
        return self._of(other)._left(self)

    def __rshift__(self, by: Any) -> SymbolicInt:
        return self._right(self._of(by))

    def _right(self, by: SymbolicInt) -> SymbolicInt:
        return SymbolicInt(self.pool, self.pool.shifted(self.polynomial, by._number()))

    def __rrshift__(self, other: Any) -> SymbolicInt:
        return self._of(other)._right(self)

    def __and__(self, other: Any) -> SymbolicInt:
        mask = self._of(other)._number()
        if mask < 0 or mask & mask + 1:
            raise BadArgument(f"a definition that masks with {mask} cannot be read for unknown numbers")
        bits = mask.bit_length()
        return self - (self >> bits << bits)

    def _less(self, other: Any) -> SymbolicInt:
        return self._truth(self.pool.less(self.polynomial, self._of(other).polynomial))

    def __lt__(self, other: Any) -> SymbolicInt:
        return self._less(other)

    def __gt__(self, other: Any) -> SymbolicInt:
        return self._of(other)._less(self)

    def __ge__(self, other: Any) -> SymbolicInt:
        return self._truth({(): 1}) - self._less(other)

    def __le__(self, other: Any) -> SymbolicInt:
        return self._truth({(): 1}) - self._of(other)._less(self)

    def __abs__(self) -> SymbolicInt:
        return self * (1 - (self < 0) * 2)

    def sign(self) -> SymbolicInt:
        return (self > 0) - (self < 0)

    def least(self, other: Any) -> SymbolicInt:
        """The smaller of both."""
        return self._limited(self._of(other), upper=True)

    def most(self, other: Any) -> SymbolicInt:
        """The larger of both."""
        return self._limited(self._of(other), upper=False)

    def _limited(self, limit: SymbolicInt, upper: bool) -> SymbolicInt:
        low, high = self.pool.bounds(self.polynomial)
        if limit.polynomial.keys() <= {()}:
            number = limit._number()
            ends = (low, number) if upper else (number, high)
            if ends[0] > ends[1]:
                return limit
            return SymbolicInt(self.pool, self.pool.clamp(self.polynomial, *ends))
        beyond = limit._less(self) if upper else self._less(limit)
        span = (*self.pool.bounds(limit.polynomial), low, high)
        kind = element("s", 32 if min(span) >= INT32_MIN and max(span) <= INT32_MAX else 64)
        one, other = (self.pool.make(kind.bits, side.polynomial) for side in (limit, self))
        chosen = self.pool.word("_choose", (), ((self.pool.make(8, beyond.polynomial), u8), (one, kind), (other, kind)),
                                kind)
        return SymbolicInt(self.pool, self.pool.value(chosen, "s"))

    def clip(self, low: Any, high: Any, out: None = None) -> SymbolicInt:
        low, high = self._of(low), self._of(high)
        if low.polynomial.keys() <= {()} >= high.polynomial.keys():
            return SymbolicInt(self.pool, self.pool.clamp(self.polynomial, low._number(), high._number()))
        return self.most(low).least(high)


_NUMPY: dict[str, Callable[..., SymbolicInt]] = {
    "add": lambda a, b: a + b, "subtract": lambda a, b: a - b, "multiply": lambda a, b: a * b,
    "left_shift": lambda a, b: a << b, "right_shift": lambda a, b: a >> b, "bitwise_and": lambda a, b: a & b,
    "less": lambda a, b: a < b, "greater": lambda a, b: a > b, "less_equal": lambda a, b: a <= b,
    "greater_equal": lambda a, b: a >= b, "absolute": abs, "negative": lambda a: -a, "sign": SymbolicInt.sign,
    "minimum": SymbolicInt.least, "maximum": SymbolicInt.most}
