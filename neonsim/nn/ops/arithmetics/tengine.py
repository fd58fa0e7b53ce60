"""Operators of int8 by a detour through floats, as Tengine has all but products: bytes become floats,
those are computed with in single precision, and what comes out is divided by the output's scale and rounded, ties
away from zero.

    TengineQuantize    floats to int8             converted    int8 to int8 of another scale, by a table
    DetourMean         mean of windows, or of images    DetourSoftmax   shares of exponentials
    dequantize_compute_requantize   a function of one byte, by a table; a sum of two is Add(rounding="tengine")
    DetourClamp        an activation's limits, element by element (F12)

Bytes are in -127..127, zero points 0. Functions of one byte are tables of 256; limits can go the whole way, as Tengine
has them, and be measured (DetourClamp). Sums of two and means take kernels that compute in integers where those
have the same results for all pairs, for every sum that a window can have, which is tried when the operator is made;
else kernels that go the whole way, by a quotient.

Source: (F08, F12, F17): Tengine `source/device/cpu/op/eltwise/eltwise_ref.c`, `.../pooling/pooling_kernel_ref_int8.c`,
`.../relu/relu_kernel_ref_int8.c`, `.../softmax/softmax_kernel_ref_int8.c`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.errors import BackendError, BadArgument
from neonsim.nn.backends.native_layer import NativeLayer
from neonsim.nn.ops.arithmetics.onnxruntime import TableFunction
from neonsim.nn.ops.float32.lowering import call_windows
from neonsim.nn.ops.job_builder import Builder
from neonsim.nn.ops.lowering.elementwise import call_elements
from neonsim.nn.ops.operator import Operator, kernels_refuse
from neonsim.nn.ops.quantize import Quantize
from neonsim.nn.ops.quantized.channels import Shares
from neonsim.nn.ops.quantized.pooling import AvgPool2d, GlobalAvgPool
from neonsim.nn.ops.windows import PoolWindows, parts_alike
from neonsim.quant import float32
from neonsim.quant.params.convert import DivideParams
from neonsim.quant.reference import operators
from neonsim.quant.reference.single_precision import dequantize, every_byte
from neonsim.quant.requant.tengine import MAX_INT8, check_symmetric, to_bytes
from neonsim.quant.rounding import limits
from neonsim.quant.scheme import Scheme
from neonsim.ukernel.packing import conv_taps
from neonsim.ukernel.packing.im2col import Padding, Pair

__all__ = ["DetourClamp", "DetourMean", "DetourSoftmax", "TengineQuantize", "converted",
           "dequantize_compute_requantize"]

Floats = NDArray[np.float32]


def _ends(output_min: int | None, output_max: int | None) -> tuple[int, int]:
    return limits("int8", -MAX_INT8 if output_min is None else output_min, output_max)


class TengineQuantize(Quantize):
    """Floats to int8 in -127..127, ties away from zero.

    >>> TengineQuantize(out=Scheme(1.0, 0, "int8")).reference(np.array([0.5, -2.5, -500.0], np.float32)).tolist()
    [1, -3, -127]
    """

    bounded = False

    def __init__(self, *, out: Scheme) -> None:
        super().__init__(out=check_symmetric(out, "out"), ties="away")

    @property
    def _ends(self) -> tuple[int, int]:
        return -MAX_INT8, MAX_INT8

    def reference(self, *values: NDArray[Any]) -> NDArray[Any]:
        """By definition. Raises BadArgument for NaN."""
        return to_bytes(values[0], float(self.out.scale))


def dequantize_compute_requantize(x: Scheme, out: Scheme, function: Callable[[Floats], Floats],
                                  kind: str) -> TableFunction:
    """A function of one byte.

    function   from float32 [256] to float32 [256]
    kind       str   what it does, in a word

    >>> size = dequantize_compute_requantize(Scheme(1.0, 0, "int8"), Scheme(2.0, 0, "int8"), np.abs, "size")
    >>> size.reference(np.array([-3, 4], np.int8)).tolist()
    [2, 2]
    """
    bytes_ = every_byte(x)
    real = function(dequantize(bytes_, check_symmetric(x, "x")))
    return TableFunction.from_table(x, out, to_bytes(real, float(check_symmetric(out, "out").scale)), kind)


def converted(x: Scheme, out: Scheme) -> TableFunction:
    """The same numbers by another scale: clip(round(q * (s_in / s_out))), the factor in single precision."""
    bytes_ = every_byte(x)
    with np.errstate(over="ignore"):
        factor = np.float32(check_symmetric(x, "x").scale) / np.float32(check_symmetric(out, "out").scale)
        steps = bytes_.astype(np.float32) * factor
    return TableFunction.from_table(x, out, to_bytes(steps, 1.0), "change of scale")


class DetourMean(PoolWindows, Operator):
    """Mean: round(sum * s_in / count / s_out), the sum an integer; pixels outside of the image are not counted.

    x, out    Scheme of int8
    pool      height and width of a window; None: whole images, [batch, height, width, channels] -> [batch, channels]

    >>> one = Scheme(1.0, 0, "int8")
    >>> DetourMean(one, out=one).reference(np.array([[[[1], [2]]]], np.int8)).tolist()
    [[2]]
    """

    kind = "average pooling"

    def __init__(self, x: Scheme, *, out: Scheme, pool: Pair | None = None, stride: Pair | None = None,
                 padding: Padding = 0, output_min: int | None = None, output_max: int | None = None) -> None:
        self.schemes, self.out = (check_symmetric(x, "x"),), check_symmetric(out, "out")
        self.output_min, self.output_max = _ends(output_min, output_max)
        self._settle(pool, stride, padding, inside=True)

    def bytes_of(self, sums: NDArray[Any], count: NDArray[Any] | int) -> NDArray[np.int8]:
        """Sums of n bytes: int [...] -> int8 [...]."""
        with np.errstate(over="ignore"):
            real = sums.astype(np.float32) * np.float32(self.schemes[0].scale)
            steps = np.asarray(real / np.asarray(count).astype(np.float32), np.float32)
        return np.clip(to_bytes(steps, float(self.out.scale)), self.output_min, self.output_max).astype(np.int8)

    def reference(self, *values: NDArray[Any]) -> NDArray[Any]:
        x = values[0]
        shape = self.shape(x.shape)
        window: dict[str, Any] = {"pool": shape.kernel, "stride": shape.stride, "padding": shape.padding,
                                  "x_zero_point": 0}
        count = operators.window_sums(np.ones_like(x[:1, :, :, :1]), **window)
        return self.bytes_of(operators.window_sums(x, **window), count).reshape(self.output_shape(x.shape))

    def twin(self, x: tuple[int, ...]) -> AvgPool2d | GlobalAvgPool:
        """The operator of integers that has the same byte for every sum of a window.

        Raises BackendError where there is none.
        """
        shape = self.shape(x)
        if any(max(pair) for pair in shape.padding):
            raise BackendError("it divides by the number of pixels inside the image; kernels of means with two scales "
                               "do not.")
        count = shape.kernel[0] * shape.kernel[1]
        ends: dict[str, Any] = {"output_min": self.output_min, "output_max": self.output_max}
        try:
            found = (GlobalAvgPool(self.schemes[0], out=self.out, **ends) if self.pool is None else
                     AvgPool2d(self.schemes[0], pool=self.pool, stride=shape.stride, out=self.out, **ends))
        except BadArgument as why:
            raise BackendError(f"kernels do not take it: {why}") from None
        if count > _MAX_TRIED:
            raise BackendError(f"its windows of {count} pixels exceed the limit of {_MAX_TRIED}.")
        sums = np.arange(-128 * count, 127 * count + 1, dtype=np.int64)
        other = self.bytes_of(sums, count) != found.requantize(sums, count)
        if other.any():
            raise BackendError(f"{int(other.sum())} of the {sums.size} sums of {count} pixels have another mean in "
                               f"integers, {int(sums[other][0])} is the first.")
        return found

    def network_layer(self, *shapes: tuple[int, ...]) -> NativeLayer:
        """Of the operator of integers."""
        return self.twin(shapes[0]).network_layer(*shapes)

    def quotient(self, count: int) -> DivideParams:
        """Of the kernel that goes the whole way, for windows that see n pixels."""
        return DivideParams(float(np.float32(self.out.scale)), self.output_min, self.output_max,
                            float(np.float32(self.schemes[0].scale)), count=float(count))

    def unsupported_reason(self) -> str | None:
        """Scales may be too small for kernels."""
        return kernels_refuse(lambda: self.quotient(1))

    def lower(self, build: Builder, **options: Any) -> None:
        """By the kernels of the operator of integers, or the whole way."""
        shape = self.shape(build.inputs[0].shape)
        if build.requested_contract("qs8_avgpool_quotient", "qs8_gavgpool", "qs8_avgpool") != "qs8_avgpool_quotient":
            try:
                twin = self.twin(build.inputs[0].shape)
            except BackendError:
                pass
            else:
                twin.lower(build, **options)
                return
        for part in parts_alike(conv_taps(shape)):
            call_windows(build, "qs8_avgpool_quotient", part.taps, self.quotient(part.taps.count),
                         f" from {part.first[0]}, {part.first[1]}", part.first)


_MAX_TRIED = 1 << 14


class DetourClamp(TableFunction):
    """Limits of an activation: round(clip(q * s_in, low, high) / s_out), every element the whole way; a table of 256
    has the same bytes (`dequantize_compute_requantize`), and where scales are equal so has a maximum (`Clamp`).

    >>> relu = DetourClamp(Scheme(1.0, 0, "int8"), Scheme(2.0, 0, "int8"), 0.0)
    >>> relu.reference(np.array([-3, 3, 4], np.int8)).tolist()
    [0, 2, 2]
    """

    def __init__(self, x: Scheme, out: Scheme, low: float = -np.inf, high: float = np.inf) -> None:
        super().__init__(check_symmetric(x, "x"), check_symmetric(out, "out"), None, "clamp")
        self.params = DivideParams(float(np.float32(out.scale)), -MAX_INT8, MAX_INT8, float(np.float32(x.scale)),
                                   low=low, high=high)
        self.low, self.high = self.params.low, self.params.high
        real = float32.clamp(dequantize(every_byte(x), x), self.low, self.high)
        self._table = to_bytes(real, float(out.scale))

    def lower(self, build: Builder, **options: Any) -> None:
        """4096 elements a call."""
        call_elements(build, "qs8_clamp_quotient", "as real numbers, divided by the scale of the result", self.params)


class DetourSoftmax(Shares):
    """Shares of exponentials along the last axis, in floats (`quant.floating.softmax`)."""

    def __init__(self, x: Scheme, *, out: Scheme, beta: float = 1.0) -> None:
        self.schemes, self.out, self.beta = (check_symmetric(x, "x"),), check_symmetric(out, "out"), beta

    def reference(self, *values: NDArray[Any]) -> NDArray[Any]:
        return to_bytes(float32.softmax(dequantize(values[0], self.schemes[0]), self.beta), float(self.out.scale))

    def unsupported_reason(self) -> str | None:
        return "no kernel has this softmax of int8 through real numbers; backend='reference' takes it."
