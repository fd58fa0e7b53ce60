"""How large integers become on their way through F(n, k): what fits 16 bits, and what does not.

The transforms are made whole: what their denominators divide by is multiplied into G, each row by its own factor (by
one factor for all rows as ncnn does, if asked for), and divided out of the result at the end without a rest.

What is multiplied must fit its type. Sums need not on their way: modulo 2**32 they come back. There the odd part of the
factor is divided by with its inverse, so that only the result times the factor's power of two, which is shifted out
last, has to fit.

Bounds are those of the worst data: every number of its largest size, with the signs that add up.

Source: (F18, G12); ncnn `src/layer/convolution_3x3_winograd_int8.h` quantises weights to 6 bits for F(4, 3).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from math import gcd, lcm
from typing import NamedTuple

from neonsim.common.integers import as_int
from neonsim.errors import BadArgument
from neonsim.quant.winograd.transforms import Matrix, transforms

__all__ = ["MAX_INTEGER_TILE", "Growth", "balanced_transforms", "growth", "integer_transforms", "shift_of"]

Whole = list[list[int]]
MAX_INTEGER_TILE = 14


class Growth(NamedTuple):
    """Largest sizes of integers in F(n x n, k x k), signed.

    source        of transformed inputs
    weights       of transformed weights
    product       of one product of both
    sum           of the products of all input channels, which may wrap
    destination   of the result before what has to fit 32 bits is divided: by the divisor's power of two; by all of it
                  with one factor for all rows
    divisor       what results are multiplied by in all
    """

    source: int
    weights: int
    product: int
    sum: int
    destination: int
    divisor: int

    def bits(self) -> dict[str, int]:
        """Bits of a signed number for each stage.

        >>> growth(2, 3).bits()["weights"]
        12
        """
        return {name: getattr(self, name).bit_length() + 1
                for name in ("source", "weights", "product", "sum", "destination")}

    @property
    def refusal(self) -> str:
        """Why this does not run on int16 factors with int32 sums; "" if it does."""
        for name, limit in (("source", 16), ("weights", 16), ("destination", 32)):
            bits = self.bits()[name]
            if bits > limit:
                return (f"its {name} {'need' if name == 'weights' else 'needs'} {bits} bits at worst "
                        f"({getattr(self, name):,}); there are {limit}.")
        return ""


def integer_transforms(n: int, k: int, f: Fraction | float = 1) -> tuple[Whole, Whole, Whole, int]:
    """A, B and G as integers, and what they have been multiplied by in all.

    ->   A [t, n], B [t, t], G [t, k], factor:  y = A^T [(G g) * (B^T d)] / factor along every axis

    >>> a, b, g, factor = integer_transforms(2, 3)
    >>> g, factor
    ([[-2, 0, 0], [1, 1, 1], [1, -1, 1], [0, 0, 2]], 2)
    """
    (a, by_a), (b, by_b), (g, by_g) = map(_whole, transforms(n, k, f))
    return a, b, g, by_a * by_b * by_g


_POINTS = (0, 1, -1, 2, -2, Fraction(1, 2), Fraction(-1, 2), 3, -3, Fraction(1, 3), Fraction(-1, 3), 4, -4)


@lru_cache(maxsize=256)
def balanced_transforms(n: int, k: int) -> tuple[Whole, Whole, Whole, int]:
    """The same with numbers as small as they can be: every row of B^T and G is made whole by its own factor, and what
    that lacks of the common one is in A's row. Beyond six numbers a tile points are 1/2 rather than 3.

    F(4 x 4, 3 x 3) fits 16 bits with data and weights of 8, and so does F(2, 7) along one axis.

    ->   A [t, n], B [t, t], G [t, k], factor:  y = A^T [(G g) * (B^T d)] / factor along every axis; not to be changed

    >>> a, b, g, factor = balanced_transforms(4, 3)
    >>> max(sum(map(abs, row)) for row in g), factor
    (7, 24)
    """
    n, k = as_int(n, "n", 1, MAX_INTEGER_TILE), as_int(k, "k", 1, MAX_INTEGER_TILE)
    if n + k - 1 > MAX_INTEGER_TILE:
        raise BadArgument(f"F({n}, {k}) works on {n + k - 1} numbers at a time; "
                          f"{MAX_INTEGER_TILE} at most as whole ones.")
    a, b, g = transforms(n, k, points=_POINTS[:n + k - 2])
    small, source = [_primitive(row) for row in g], [_primitive(row) for row in zip(*b, strict=True)]
    rows = [[one / (x[1] * y[1]) for one in row] for row, x, y in zip(a, small, source, strict=True)]
    made, factor = _whole(rows)
    return made, [list(row) for row in zip(*(row for row, _ in source), strict=True)], [row for row, _ in small], factor


def _primitive(row: Sequence[Fraction]) -> tuple[list[int], Fraction]:
    """The smallest integers that are its multiples, and of what."""
    many = lcm(*(one.denominator for one in row))
    found = [int(one * many) for one in row]
    return [one // gcd(*found) for one in found], Fraction(many, gcd(*found))


def _whole(matrix: Matrix) -> tuple[Whole, int]:
    factor = lcm(*(one.denominator for row in matrix for one in row))
    return [[int(one * factor) for one in row] for row in matrix], factor


def shift_of(n: int, k: int) -> int:
    """The power of two in the factor of one axis of F(n, k), as bits: shifted out of results last, both axes at once.

    >>> shift_of(2, 3), shift_of(4, 3)
    (1, 3)
    """
    factor = balanced_transforms(n, k)[3]
    return (factor & -factor).bit_length() - 1


def growth(n: int, k: int, *, data: int = 128, weights: int = 127, channels: int = 1, common: bool = False) -> Growth:
    """The bounds of F(n x n, k x k).

    data       the largest size of an input; 128 for int8, 255 where a zero point is subtracted
    weights    of a weight: 127, or 31 for 6 bits
    channels   input channels, whose products are added up
    common     one factor for all rows of G and points a whole step apart, as ncnn has them

    >>> growth(4, 3, common=True).refusal
    'its weights need 18 bits at worst (73,152); there are 16.'
    >>> growth(4, 3).refusal, growth(4, 3).bits()["weights"]
    ('', 14)
    """
    for what, value in (("data", data), ("weights", weights), ("channels", channels)):
        if as_int(value, what, 0, 2**31) != value:
            raise BadArgument(f"{what} must be an integer; got {value!r}.")
    _, b, g, factor = (integer_transforms if common else balanced_transforms)(n, k)
    t = len(b)
    by_column = [sum(abs(b[row][column]) for row in range(t)) for column in range(t)]
    by_row = [sum(map(abs, row)) for row in g]
    product = max(by_column[i] * by_column[j] * by_row[i] * by_row[j] for i in range(t) for j in range(t))
    left = factor if common else factor & -factor
    destination = k**2 * data * weights * channels * left**2
    product *= data * weights
    return Growth(max(by_column) ** 2 * data, max(by_row) ** 2 * weights, product, product * channels, destination,
                  factor**2)
