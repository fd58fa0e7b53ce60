"""A, B and G of F(n, k), by Toom and Cook's interpolation.

A product of two polynomials, of n and of k coefficients, has n + k - 1 coefficients: as many values of it settle them.
With one value at infinity there are n + k - 2 finite points p; V is what evaluates at them, C what gets coefficients
back from values,

    s = C [(V_k g) * (V_n x)]

and what is asked, the window sliding over n + k - 1 numbers, is this map turned over in x (transposed):

    y = V_n^T [(V_k g) * (C^T d)]          A = V_n, G = V_k, B = C

The denominators of C, products of differences of points, go to G: weights are transformed once.

Source: (E15): MNN `source/math/WingoradGenerater.cpp`; A. Lavin, S. Gray, Fast Algorithms for Convolutional Neural
Networks, 2015.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import prod

from neonsim.common.integers import as_int
from neonsim.errors import BadArgument

__all__ = ["MAX_TILE", "Matrix", "interpolation_points", "transforms"]

Matrix = list[list[Fraction]]
MAX_TILE = 64   # n + k - 1; fractions of hundreds of digits are useless.


def interpolation_points(count: int, f: Fraction | float = Fraction(1, 2)) -> list[Fraction]:
    """MNN's points: 0, f, -f, 2f, -2f, 3f ...

    >>> [str(one) for one in interpolation_points(5, 1)]
    ['0', '1', '-1', '2', '-2']
    """
    step = _fraction(f, "f")
    if step == 0:
        raise BadArgument("f is the distance of interpolation points: it cannot be 0.")
    return [step * ((number + 1) // 2) * (1 if number % 2 else -1) for number in range(count)]


def transforms(n: int, k: int, f: Fraction | float = Fraction(1, 2),
               points: Iterable[Fraction | float] | None = None) -> tuple[Matrix, Matrix, Matrix]:
    """A, B and G of F(n, k): y = A^T [(G g) * (B^T d)].

    n        results
    k        taps
    f        distance of the interpolation points; MNN takes 1/2, the papers 1
    points   n + k - 2 finite points of your own, instead; the last is infinity
    ->       A [t, n], B [t, t], G [t, k], t = n + k - 1, rows of Fraction

    Raises BadArgument for sizes below 1 or beyond MAX_TILE, points that repeat or are too few.

    >>> a, b, g = transforms(2, 3, 1)
    >>> [[str(x) for x in row] for row in g]
    [['-1', '0', '0'], ['1/2', '1/2', '1/2'], ['1/2', '-1/2', '1/2'], ['0', '0', '1']]
    """
    n, k = as_int(n, "n", 1, MAX_TILE), as_int(k, "k", 1, MAX_TILE)
    if n + k - 1 > MAX_TILE:
        raise BadArgument(f"F({n}, {k}) works on {n + k - 1} numbers at a time; the limit is {MAX_TILE}.")
    finite = interpolation_points(n + k - 2, f) if points is None else [_fraction(one, "a point") for one in points]
    if len(finite) != n + k - 2:
        raise BadArgument(f"F({n}, {k}) takes {n + k - 2} finite points; got {len(finite)}.")
    if len(set(finite)) != len(finite):
        raise BadArgument(f"interpolation points must differ; got {', '.join(map(str, finite))}.")
    a = [_powers(point, n) for point in finite] + [_unit(n)]
    g = []
    columns = []
    for number, point in enumerate(finite):
        others = finite[:number] + finite[number + 1:]
        scale = prod((point - other for other in others), start=Fraction(1))
        g.append([one / scale for one in _powers(point, k)])
        columns.append([*_polynomial(others), Fraction(0)])
    g.append(_unit(k))
    columns.append(_polynomial(finite))
    b = [list(row) for row in zip(*columns, strict=True)]
    return a, b, g


def _fraction(value: Fraction | float, what: str) -> Fraction:
    try:
        return Fraction(value)
    except (TypeError, ValueError, OverflowError):
        raise BadArgument(f"{what} must be a fraction, such as Fraction(1, 2); got {value!r}.") from None


def _powers(point: Fraction, count: int) -> list[Fraction]:
    return [point**power for power in range(count)]


def _unit(count: int) -> list[Fraction]:
    """Infinity: the leading coefficient."""
    return [Fraction(0)] * (count - 1) + [Fraction(1)]


def _polynomial(roots: Sequence[Fraction]) -> list[Fraction]:
    """Coefficients of the product of all (x - root), lowest power first."""
    found = [Fraction(1)]
    for root in roots:
        found = [up - root * here for up, here in zip([Fraction(0), *found], [*found, Fraction(0)], strict=True)]
    return found
