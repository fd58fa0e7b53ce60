"""How large integers become on their way through F(n, k): what fits 16 bits, and what does not.

The transforms are made whole: what their denominators divide by is multiplied into G, by the same factor for every row
as ncnn does, and divided out of the result at the end, where the division leaves no rest.

What is multiplied must fit its type. Sums need not on their way: modulo 2**32 they come back, as long as the result
fits, with the factor that it has until the end.

Bounds are those of the worst data: every number of its largest size, with the signs that add up.

Source: (F18, G12); ncnn `src/layer/convolution_3x3_winograd_int8.h` quantises weights to 6 bits for F(4, 3).
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from typing import NamedTuple

from neonsim.errors import BadArgument
from neonsim.integers import as_int
from neonsim.winograd.transforms import Matrix, transforms

__all__ = ["Growth", "balanced_transforms", "growth", "integer_transforms"]

Whole = list[list[int]]


class Growth(NamedTuple):
    """Largest sizes of integers in F(n x n, k x k), signed.

    source        of transformed inputs
    weights       of transformed weights
    product       of one product of both
    sum           of the products of all input channels, which may wrap
    destination   of the result before the division
    divisor       what that is divided by
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
    """A, B and G as whole numbers, and what they have been multiplied by in all.

    ->   A [t, n], B [t, t], G [t, k], factor:  y = A^T [(G g) * (B^T d)] / factor along every axis

    >>> a, b, g, factor = integer_transforms(2, 3)
    >>> g, factor
    ([[-2, 0, 0], [1, 1, 1], [1, -1, 1], [0, 0, 2]], 2)
    """
    (a, by_a), (b, by_b), (g, by_g) = map(_whole, transforms(n, k, f))
    return a, b, g, by_a * by_b * by_g


def balanced_transforms(n: int, k: int, f: Fraction | float = 1) -> tuple[Whole, Whole, Whole, int]:
    """The same, each row of G made whole by its own factor; what it lacks of the common one is in A's row.

    Weights stay as small as they can: F(4, 3) fits 16 bits with weights of 8.

    ->   A [t, n], B [t, t], G [t, k], factor:  y = A^T [(G g) * (B^T d)] / factor along every axis

    >>> a, b, g, factor = balanced_transforms(4, 3)
    >>> max(sum(map(abs, row)) for row in g), factor
    (7, 24)
    """
    a_real, b_real, g_real = transforms(n, k, f)
    own = [lcm(*(one.denominator for one in row)) for row in g_real]
    common = lcm(*own)
    a, by_a = _whole([[one * common / mine for one in row] for row, mine in zip(a_real, own, strict=True)])
    b, by_b = _whole(b_real)
    return a, b, [[int(one * mine) for one in row] for row, mine in zip(g_real, own, strict=True)], common * by_a * by_b


def _whole(matrix: Matrix) -> tuple[Whole, int]:
    factor = lcm(*(one.denominator for row in matrix for one in row))
    return [[int(one * factor) for one in row] for row in matrix], factor


def growth(n: int, k: int, f: Fraction | float = 1, *, data: int = 128, weights: int = 127,
           channels: int = 1) -> Growth:
    """The bounds of F(n x n, k x k).

    data       the largest size of an input; 128 for int8, 255 where a zero point is subtracted
    weights    of a weight: 127, or 31 for 6 bits
    channels   input channels, whose products are added up

    >>> growth(4, 3).refusal
    'its weights need 18 bits at worst (73,152); there are 16.'
    >>> growth(4, 3, weights=31).refusal
    ''
    """
    for what, value in (("data", data), ("weights", weights), ("channels", channels)):
        if as_int(value, what, 0, 2**31) != value:
            raise BadArgument(f"{what} is a whole number; got {value!r}.")
    _, b, g, factor = integer_transforms(n, k, f)
    t = len(b)
    by_column = [sum(abs(b[row][column]) for row in range(t)) for column in range(t)]
    by_row = [sum(map(abs, row)) for row in g]
    product = max(by_column[i] * by_column[j] * by_row[i] * by_row[j] for i in range(t) for j in range(t))
    destination = k**2 * data * weights * channels * factor**2
    product *= data * weights
    return Growth(max(by_column) ** 2 * data, max(by_row) ** 2 * weights, product, product * channels, destination,
                  factor**2)
