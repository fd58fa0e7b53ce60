"""Double precision on arrays, exact by error terms: where the numbers are ordinary, results rounded to nearest and what
they lost.

    DOUBLES["fma"](a, n, m)      (float64 results, whether each is inexact, whether it may be believed)

What an addition loses is a float64 (`_sum`), what a multiplication loses too (`_product`, Dekker's halves). A fused
multiply-add is three numbers, added so that only the last addition rounds: the two smaller ones are summed to odd.
Source: Boldo and Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd",
IEEE Transactions on Computers 57(4), 2008.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["DOUBLES", "sum_to_odd"]

Reals = npt.NDArray[np.float64]
Made = tuple[Reals, Any, Any]

_SPLIT = 134217729.0  # 2**27 + 1
# Operands between these: no product, no halves and no error term is too large or denormal.
_LOW, _HIGH = 2.0 ** -400, 2.0 ** 400


def _ordinary(*operands: Reals) -> Any:
    """Where all are zero or of middling size."""
    found: Any = True
    for n in operands:
        size = np.abs(n)
        found = found & ((size < _HIGH) & (size > _LOW) | (size == 0))
    return found


def _sum(n: Reals, m: Reals) -> tuple[Reals, Reals]:
    """(n + m, what it lost)."""
    total = n + m
    part = total - n
    return total, (n - (total - part)) + (m - part)


def _halves(n: Reals) -> tuple[Reals, Reals]:
    big = n * _SPLIT
    high = big - (big - n)
    return high, n - high


def _product(n: Reals, m: Reals) -> tuple[Reals, Reals]:
    """(n * m, what it lost)."""
    total = n * m
    (a, b), (c, d) = _halves(n), _halves(m)
    return total, b * d - (((total - a * c) - b * c) - a * d)


def sum_to_odd(n: Any, m: Any) -> Any:
    """n + m in float64, rounded to odd: if it was inexact the last bit is 1."""
    total, error = _sum(n, m)
    bits = np.atleast_1d(total).view(np.int64)
    wrong = (error != 0) & (bits & 1 == 0) & np.isfinite(error)
    # One step towards the side on which the error lies: outwards if it has the sign of the sum.
    step = np.where((error > 0) == (total > 0), 1, -1)
    return np.where(wrong, bits + step, bits).view(np.float64)


def _add(n: Reals, m: Reals) -> Made:
    total, error = _sum(n, m)
    return total, error != 0, _ordinary(n, m)


def _sub(n: Reals, m: Reals) -> Made:
    return _add(n, -m)


def _mul(n: Reals, m: Reals) -> Made:
    total, error = _product(n, m)
    return total, error != 0, _ordinary(n, m)


def _div(n: Reals, m: Reals) -> Made:
    quotient = n / m
    again, error = _product(quotient, m)
    return quotient, (again != n) | (error != 0), _ordinary(n, m) & (m != 0)


def _sqrt(n: Reals) -> Made:
    root = np.sqrt(n)
    again, error = _product(root, root)
    return root, (again != n) | (error != 0), _ordinary(n) & (n > 0)


def _fma(a: Reals, n: Reals, m: Reals) -> Made:
    high, low = _product(n, m)
    total, below = _sum(a, low)
    upper, lower = _sum(high, total)
    rest = sum_to_odd(below, lower).reshape(upper.shape)
    result, error = _sum(upper, rest)
    # Where all of it cancels, the sign of zero is that of a + n * m itself.
    zero = result == 0
    result = np.where(zero, a + high, result)
    return result, (error != 0) | (_sum(below, lower)[1] != 0), _ordinary(a, n, m)


def _recps(n: Reals, m: Reals) -> Made:
    return _fma(np.full(n.shape, 2.0), -n, m)


def _rsqrts(n: Reals, m: Reals) -> Made:
    result, inexact, ordinary = _fma(np.full(n.shape, 3.0), -n, m)
    return result / 2, inexact, ordinary


DOUBLES: dict[str, Callable[..., Made]] = {function.__name__[1:]: function for function in (
    _add, _sub, _mul, _div, _sqrt, _fma, _recps, _rsqrts)}
DOUBLES["mulx"] = _mul  # zero times infinity is not ordinary
