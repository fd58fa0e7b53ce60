"""A convolution (correlation) through the transforms, and directly: one tile, in one or two dimensions.

Arrays may hold fractions or integers of Python (dtype object: exact), or floats.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.errors import BadArgument
from neonsim.quant.winograd.transforms import Matrix

__all__ = ["correlate", "correlate_directly"]

Numbers = NDArray[Any]


def _along(matrix: Matrix, x: Numbers) -> Numbers:
    """A matrix applied along every axis of x, in x's kind of numbers."""
    values = np.array(matrix, object) if x.dtype == object else np.array(
        [[float(one) for one in row] for row in matrix], x.dtype)
    for axis in range(x.ndim):
        x = np.moveaxis(np.tensordot(values, x, (1, axis)), 0, axis)
    return x


def _turned(matrix: Matrix) -> Matrix:
    return [list(row) for row in zip(*matrix, strict=True)]


def correlate(d: Numbers, g: Numbers, matrices: tuple[Matrix, Matrix, Matrix]) -> Numbers:
    """One tile through A, B and G.

    d    [t] or [t, t]      inputs
    g    [k] or [k, k]      taps
    matrices  A, B, G
    ->   [n] or [n, n]

    Raises BadArgument for sizes that do not fit the transforms.

    >>> from neonsim.quant.winograd import transforms
    >>> correlate(np.array([1, 2, 3, 4], object), np.array([1, 0, -1], object), transforms(2, 3)).tolist()
    [Fraction(-2, 1), Fraction(-2, 1)]
    """
    a, b, small = matrices
    if d.shape != (len(b),) * d.ndim or g.shape != (len(small[0]),) * d.ndim:
        raise BadArgument(f"these transforms take {len(b)} inputs and {len(small[0])} taps along every axis; got "
                          f"shapes {list(d.shape)} and {list(g.shape)}.")
    return _along(_turned(a), _along(small, g) * _along(_turned(b), d))


def correlate_directly(d: Numbers, g: Numbers) -> Numbers:
    """The same by its definition: y[i] = sum over j of d[i + j] * g[j], along every axis.

    >>> correlate_directly(np.array([1, 2, 3, 4]), np.array([1, 0, -1])).tolist()
    [-2, -2]
    """
    shape = tuple(size - taps + 1 for size, taps in zip(d.shape, g.shape, strict=True))
    if min(shape, default=0) < 1:
        raise BadArgument(f"a window of {list(g.shape)} does not fit into {list(d.shape)}.")
    y = np.zeros(shape, d.dtype) if d.dtype != object else np.full(shape, Fraction(0), object)
    for where in np.ndindex(g.shape):
        y = y + d[tuple(slice(at, at + size) for at, size in zip(where, shape, strict=True))] * g[where]
    return y
