"""Means and sums along an axis as files of networks have them: in single precision (M17).

    y = clip(rint(f(sum of x) * r + (zy - f(n * zx) * r))),  r = (x.scale / out.scale) * (1 / n), of sums without 1 / n

every operation rounded to single precision, ties to even. The kernels of `GlobalAvgPool` round ties another way.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.errors import BackendError, BadArgument
from neonsim.nn.backends.native_layer import NativeLayer
from neonsim.nn.ops.operand import check_ratio, check_scheme
from neonsim.nn.ops.operator import Operator
from neonsim.nn.ops.windows import image_fields
from neonsim.quant.requant.double_scale import DoubleScale
from neonsim.quant.requant.runtimes import ARITHMETICS
from neonsim.quant.rounding import default_rounding, limits
from neonsim.quant.scheme import Scheme

__all__ = ["Mean"]

Shape = tuple[int, ...]
_TWICE = ARITHMETICS["tflite"].totals
_MAX_ELEMENTS = 1 << 20     # elements of one mean: a side of a window of a layer


class Mean(Operator):
    """Mean or sum along the axis in the middle.

    x, out   Scheme   of one type
    total    bool     the sum
    rule     str      of sums: "even", XNNPACK's, as of means; TensorFlow Lite's own kernels have "away", in single
                      precision, halves away from zero, and "gemmlowp", whose int8 is read as bytes of uint8
    """

    def __init__(self, x: Scheme, *, out: Scheme, total: bool = False, rule: str = "even") -> None:
        self.schemes = (check_scheme(x, "x", ("uint8", "int8")),)
        self.out, self.total = check_scheme(out, "out", (x.dtype,)), total
        if rule not in ("even", *(("away", _TWICE) if total else ())):
            raise BadArgument(f"the rule of sums must be 'even', 'away' or {_TWICE!r}, that of means 'even'; got "
                              f"{rule!r}.")
        self.rule = rule
        if rule == "even":
            check_ratio(x, out, -16, 16, "input")

    @property
    def kind(self) -> str:  # type: ignore[override]
        """What it is."""
        return "sum" if self.total else "mean"

    def output_shape(self, *shapes: Shape) -> Shape:
        """[batch, rows, channels] -> [batch, channels]."""
        x = shapes[0]
        if len(x) != 3 or 0 in x or x[1] > _MAX_ELEMENTS:
            raise BadArgument(f"x of a {self.kind} must be [batch, 1 to {_MAX_ELEMENTS:,} rows, channels]; got "
                              f"{list(x)}.")
        return (x[0], x[2])

    def factors(self, count: int) -> NDArray[np.float32]:
        """What sums of n are multiplied by, and what is added then."""
        one, x = np.float32(1), self.schemes[0]
        factor = np.float32(x.scale) / np.float32(self.out.scale) * (one if self.total else one / np.float32(count))
        return np.array([factor, np.float32(self.out.zero_point) - np.float32(count * x.zero_point) * factor],
                        np.float32)

    def requantize(self, sums: NDArray[np.int64], count: int) -> NDArray[Any]:
        """Bytes of sums of n bytes."""
        factor, offset = self.factors(count)
        real = np.rint(sums.astype(np.float32) * factor + offset)
        return np.asarray(np.clip(real, *limits(self.out.dtype))).astype(self.out.dtype)

    def reference(self, *values: NDArray[Any]) -> NDArray[Any]:
        if self.rule != "even":
            return self._total(values[0])
        return self.requantize(values[0].sum(axis=1, dtype=np.int64), values[0].shape[1])

    def _total(self, values: NDArray[Any]) -> NDArray[Any]:
        """A sum by the rules of TensorFlow Lite's own kernels (Y32)."""
        x, out, count = self.schemes[0], self.out, values.shape[1]
        if self.rule == _TWICE:
            sums = values.view(np.uint8).sum(axis=1, dtype=np.int64) - count * x.zero_point
            scale = DoubleScale(_TWICE, float(np.float32(x.scale)) / float(np.float32(out.scale)))
            return np.clip(scale.round(sums) + out.zero_point, 0, 255).astype(np.uint8).view(out.dtype)
        with np.errstate(over="ignore"):
            factor = np.float32(x.scale) / np.float32(out.scale)
            real = (values.sum(axis=1, dtype=np.int64).astype(np.float32) * factor
                    + np.float32(-x.zero_point) * factor * np.float32(count))
            whole = np.copysign(np.floor(np.abs(real) + np.float32(0.5)), real)
        steps = np.clip(whole, -(2.0**31), 2.0**31 - 1).astype(np.int64) + out.zero_point
        return np.asarray(np.clip(steps, *limits(out.dtype))).astype(out.dtype)

    def network_layer(self, *shapes: Shape) -> NativeLayer:
        """One window, all rows; bytes count as they are in their type, what is added has the zero points."""
        if self.rule != "even":
            raise BackendError(f"networks add up by rule 'even'; this is {self.rule!r}.")
        batch, rows = shapes[0][:2]
        stored = 128 if self.out.dtype == "int8" else 0
        low, high = limits(self.out.dtype)
        return NativeLayer("average_pool", {
            **image_fields(batch, rows, 1), "input_zero_point": stored, "output_zero_point": stored,
            "rounding": default_rounding("int8").word, "scale": self.factors(rows), "output_min": low,
            "output_max": high})

    def unsupported_reason(self) -> str | None:
        others = ", and networks do" if self.rule == "even" else ""
        return f"there are no kernels for a {self.kind} by rule {self.rule!r}; backend='reference' takes it{others}."
