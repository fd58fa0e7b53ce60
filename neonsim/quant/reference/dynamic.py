"""Dynamic quantisation (qd8): activations quantised row by row when they are known, results in floating point.

    row     scale = (max - min) / 255 of the row, 0 included; zero point so that 0 is hit exactly; values int8
    sum     acc = sum over k of x[k] * w[k, n]  -  zero_point * sum over k of w[k, n]
    result  (float32(acc) * row scale) * channel scale + bias[n], clamped; each step rounded to single precision

An image of a convolution is one such row: all its pixels share a scale and a zero point.

Weights are those of the symmetric scheme, one scale per output channel. The zero point is known at run time only, so
packing keeps the sums of the weights and the kernel multiplies (X32). The steps are not fused: AArch32 and AArch64 give
the same bytes.

Source: (X04, X32).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neonsim.errors import BadArgument
from neonsim.quant.fixedpoint import wrap
from neonsim.quant.reference import operators

__all__ = ["DynamicRows", "Qd8Params", "dynamic_conv2d", "dynamic_matmul", "quantize_rows"]


@dataclass(frozen=True, eq=False)
class DynamicRows:
    """A matrix whose rows have a scale and a zero point of their own.

    values       int8 [m, k]
    zero_point   int32 [m]     -128..127
    scale        float32 [m]   positive: what one step of the integers of this row is worth

    real = scale[:, None] * (values - zero_point[:, None])
    """

    values: NDArray[np.int8]
    zero_point: NDArray[np.int32]
    scale: NDArray[np.float32]

    def dequantize(self) -> NDArray[np.float32]:
        """The floats, float32 [m, k]."""
        centered = (self.values.astype(np.int32) - self.zero_point[:, np.newaxis]).astype(np.float32)
        return np.asarray(centered * self.scale[:, np.newaxis], np.float32)


def quantize_rows(real: ArrayLike) -> DynamicRows:
    """Quantise every row of a matrix by itself, from its smallest and largest value (0 included).

    span       = max(row, 0) - min(row, 0)
    scale      = span / 255, or 1 for a row of zeros
    zero_point = where 0 falls, counted from the end of the range that it fits better, rounded, within -128..127
    value      = clip(rint(real / scale) + zero_point), ties to even

    real   float [m, k]   finite
    ->     DynamicRows    the error of each value is at most scale / 2, one scale at the far end

    Raises BadArgument for another shape, and for values that are not finite in single precision.

    >>> rows = quantize_rows([[0.0, 0.5, 25.5], [-1.0, 0.0, 0.0]])
    >>> rows.values.tolist(), rows.zero_point.tolist()
    ([[-128, -123, 127], [-128, 127, 127]], [-128, 127])
    """
    with np.errstate(over="ignore"):
        x = np.asarray(real, np.float64).astype(np.float32)
    if x.ndim != 2 or 0 in x.shape:
        raise BadArgument(f"rows to quantise must be a matrix [m, k], with all sizes at least 1; got shape "
                          f"{list(x.shape)}.")
    if not np.isfinite(x).all():
        where = [int(i) for i in np.unravel_index(int(np.argmin(np.isfinite(x))), x.shape)]
        raise BadArgument(f"rows to quantise must be finite in float32; at {where} is {x[tuple(where)]}.")
    low, high = np.minimum(x.min(axis=1), np.float32(0)), np.maximum(x.max(axis=1), np.float32(0))
    span = high.astype(np.float64) - low
    scale = (span / 255).astype(np.float32)
    if (span > np.finfo(np.float32).max).any():
        raise BadArgument("a row of numbers to quantise spans more than float32 can hold.")
    # Steps below the normal range cannot be divided by; such a row is zero for every purpose.
    scale = np.where(scale < np.finfo(np.float32).tiny, np.float32(1), scale).astype(np.float32)
    from_low, from_high = -128 - low / scale, 127 - high / scale
    # Each end would put 0 elsewhere, by rounding; the end whose numbers are smaller has the smaller error.
    zero = np.where(128 + np.abs(low / scale) < 127 + np.abs(high / scale), from_low, from_high)
    zero_point = np.clip(np.rint(zero), -128, 127).astype(np.int32)
    steps = np.rint(x / scale[:, np.newaxis]).astype(np.int64) + zero_point[:, np.newaxis]
    return DynamicRows(np.clip(steps, -128, 127).astype(np.int8), zero_point, scale)


@dataclass(frozen=True)
class Qd8Params:
    """Parameters of a product of dynamically quantised rows: two limits, as floats.

    output_min, output_max   float   single precision; infinite: no limit

    Raises BadArgument for NaN, and for limits that exclude every value.

    >>> Qd8Params(0.0)
    Qd8Params(output_min=0.0, output_max=inf)
    """

    output_min: float = -np.inf
    output_max: float = np.inf

    def __post_init__(self) -> None:
        for name in ("output_min", "output_max"):
            try:
                value = float(np.float32(getattr(self, name)))
            except (TypeError, ValueError):
                raise BadArgument(f"{name} must be a number; got {getattr(self, name)!r}.") from None
            object.__setattr__(self, name, value)
        if not self.output_min <= self.output_max:
            raise BadArgument(f"output_min {self.output_min} and output_max {self.output_max} exclude every value.")

    def scale(self, acc: NDArray[Any], row_scale: ArrayLike, channel_scale: ArrayLike,
              bias: ArrayLike) -> NDArray[np.float32]:
        """Sums to results: int32 [m, n], float32 [m], float32 [n], float32 [n] -> float32 [m, n].

        y = clamp((float32(acc) * row_scale) * channel_scale + bias), every step in single precision
        """
        rows = np.asarray(row_scale, np.float32)[:, np.newaxis]
        with np.errstate(over="ignore", under="ignore"):      # beyond single precision: infinite, as in a register
            y = acc.astype(np.float32) * rows * np.asarray(channel_scale, np.float32) + np.asarray(bias, np.float32)
        return np.asarray(np.minimum(np.maximum(y, np.float32(self.output_min)), np.float32(self.output_max)),
                          np.float32)


def dynamic_matmul(x: DynamicRows, w: NDArray[np.int8], channel_scale: ArrayLike, bias: ArrayLike,
                   params: Qd8Params | None = None) -> NDArray[np.float32]:
    """The product by its definition: float32 [m, n] from rows and symmetric weights.

    x               DynamicRows [m, k]
    w               int8 [n, k]
    channel_scale   float32 [n]
    bias            float32 [n]

    >>> rows = quantize_rows([[1.0, 2.0]])
    >>> dynamic_matmul(rows, np.array([[10, 0], [0, 1]], np.int8), [0.1, 1.0], [0.0, 5.0]).round(2).tolist()
    [[1.0, 7.0]]
    """
    centered = x.values.astype(np.int64) - x.zero_point[:, np.newaxis]
    acc = wrap(np.rint(centered.astype(np.float64) @ w.T.astype(np.float64)).astype(np.int64))
    return (params or Qd8Params()).scale(acc, x.scale, channel_scale, bias)


def dynamic_conv2d(x: DynamicRows, size: tuple[int, int], w: NDArray[np.int8], channel_scale: ArrayLike,
                   bias: ArrayLike, params: Qd8Params | None = None, *, groups: int = 1,
                   **window: Any) -> NDArray[np.float32]:
    """The convolution by its definition: float32 [images, oh, ow, out].

    x               DynamicRows [images, height * width * channels]   every image with its own zero point and scale
    size            (height, width)
    w               int8 [out, kh, kw, channels / groups]
    channel_scale   float32 [out]
    bias            float32 [out]
    window          stride, padding, dilation, as definitions.conv2d; outside an image lies its zero point

    >>> images = quantize_rows([[1.0, 2.0], [10.0, 20.0]])
    >>> dynamic_conv2d(images, (1, 2), np.ones((1, 1, 2, 1), np.int8), [1.0], [0.0]).round(1).reshape(-1).tolist()
    [3.0, 30.0]
    """
    images, nothing = x.values.reshape(len(x.scale), *size, -1), np.zeros(len(w), np.int32)
    acc = np.concatenate([
        operators.conv2d(image[np.newaxis], w, nothing, x_zero_point=int(zero), w_zero_point=0, groups=groups,
                         **window)
        for image, zero in zip(images, x.zero_point, strict=True)])
    rows = np.repeat(x.scale, acc.shape[1] * acc.shape[2])
    flat = (params or Qd8Params()).scale(acc.reshape(-1, len(w)), rows, channel_scale, bias)
    return flat.reshape(acc.shape)
