"""The quantised matrix product by its definition: what every kernel, emulated or native, is judged by."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.errors import BadArgument
from neonsim.quant.fixedpoint import wrap

__all__ = ["accumulate"]


def accumulate(lhs: NDArray[Any], rhs: NDArray[Any], bias: NDArray[Any], a_zero_point: int,
               w_zero_point: int) -> NDArray[np.int32]:
    """Sums of products of centred values, in 32 bits.

    acc[i, j] = bias[j] + sum over l of (lhs[i, l] - a_zero_point) * (rhs[l, j] - w_zero_point)     (modulo 2**32)

    lhs    uint8 or int8 [m, k]
    rhs    uint8 or int8 [k, n]
    bias   int32 [n]
    ->     int32 [m, n]    wraps when it overflows, as accumulator registers do

    The product is taken in float64 because numpy multiplies those matrices fast; it is exact: |a - za| * |w - zw| <=
    255 * 255, so even k = 2**37 terms stay below 2**53.

    >>> accumulate(np.array([[3, 5]], np.uint8), np.array([[1], [2]], np.uint8), np.array([7], np.int32), 1, 0).tolist()
    [[17]]
    """
    for name, array in (("lhs", lhs), ("rhs", rhs)):
        if array.dtype not in (np.uint8, np.int8) or array.ndim != 2:
            raise BadArgument(f"{name} must be uint8 or int8 with two dimensions; got {array.dtype} {array.shape}.")
    if lhs.shape[1] != rhs.shape[0]:
        raise BadArgument(f"lhs {lhs.shape} and rhs {rhs.shape} do not fit: lhs has k = {lhs.shape[1]} columns, "
                          f"rhs has {rhs.shape[0]} rows.")
    if bias.shape != (rhs.shape[1],):
        raise BadArgument(f"bias must have one value per column of rhs, {rhs.shape[1]}; got shape {bias.shape}.")
    sums = (lhs.astype(np.float64) - a_zero_point) @ (rhs.astype(np.float64) - w_zero_point)
    return wrap(sums.astype(np.int64) + bias.astype(np.int64))
