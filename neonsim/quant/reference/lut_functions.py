"""Functions of one quantised value, by their definitions: logistic function, hyperbolic tangent.

    y = clip(rint(f(x.scale * (x - zx)) / out.scale) + zy, lo, hi)        in double precision, ties to even

    function   results     scheme of the result
    sigmoid    0 .. 1      1/256, zero point 0 (uint8) or -128 (int8)
    tanh       -1 .. 1     1/128, zero point 128 (uint8) or 0 (int8)

Runtimes compute in single precision: `neonsim.quant.reference.lut_float32`. Source: the table of 256 entries
(K10, X23).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["SOFT_SCHEMES", "sigmoid", "tanh"]

# (scale, zero point) of the only results these functions have, by function and type.
SOFT_SCHEMES: dict[tuple[str, str], tuple[float, int]] = {
    ("sigmoid", "uint8"): (1 / 256, 0), ("sigmoid", "int8"): (1 / 256, -128),
    ("softargmax", "uint8"): (1 / 256, 0), ("softargmax", "int8"): (1 / 256, -128),
    ("softmax", "uint8"): (1 / 256, 0), ("softmax", "int8"): (1 / 256, -128),
    ("tanh", "uint8"): (1 / 128, 128), ("tanh", "int8"): (1 / 128, 0),
}


def _finish(real: NDArray[np.float64], kind: str, dtype: Any, lo: int, hi: int) -> NDArray[Any]:
    scale, zero = SOFT_SCHEMES[kind, np.dtype(dtype).name]
    return np.asarray(np.clip(np.rint(real / scale) + zero, lo, hi).astype(dtype))


def sigmoid(x: NDArray[Any], *, x_scale: float, x_zero_point: int, output_min: int, output_max: int) -> NDArray[Any]:
    """1 / (1 + exp(-real)) in steps of 1/256, of the type of x.

    >>> sigmoid(np.array([-128, 0, 127], np.int8), x_scale=0.125, x_zero_point=0, output_min=-128,
    ...         output_max=127).tolist()
    [-128, 0, 127]
    """
    real = float(np.float32(x_scale)) * (x.astype(np.float64) - x_zero_point)
    with np.errstate(over="ignore"):
        return _finish(1.0 / (1.0 + np.exp(-real)), "sigmoid", x.dtype, output_min, output_max)


def tanh(x: NDArray[Any], *, x_scale: float, x_zero_point: int, output_min: int, output_max: int) -> NDArray[Any]:
    """tanh(real) in steps of 1/128, of the type of x.

    >>> tanh(np.array([-128, -4, 0, 4, 127], np.int8), x_scale=0.125, x_zero_point=0, output_min=-128,
    ...      output_max=127).tolist()
    [-128, -59, 0, 59, 127]
    """
    real = float(np.float32(x_scale)) * (x.astype(np.float64) - x_zero_point)
    return _finish(np.tanh(real), "tanh", x.dtype, output_min, output_max)
