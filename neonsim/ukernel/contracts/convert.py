"""Contracts between real numbers and integers, and of int8 by a detour through real numbers.

    f32_x8_vcvt            float32 -> 8 bits    by a product, to nearest even: as XNNPACK at the edges of a network
    x8_f32_vcvt            8 bits -> float32    qs16_f32_vcvt: 16 bits
    f32_qs8_quotient       float32 -> int8      by a quotient, ties away from zero; f32_qs16_quotient: int16
    s32_qs8_quotient       int32 sums -> int8   times a factor for each channel before
    qs8_vadd_quotient      int8 + int8          as real numbers
    qs8_clamp_quotient     int8                 an activation as a real number
    qs8_avgpool_quotient   means of int8        the sum an integer

Every step is rounded to single precision, nothing is fused. Kernels of AArch32 take subnormal operands of products and
sums for zeros: parameters are such that no byte shows it. Kernels that divide in AArch32 do so lane by lane.

Source: (F08, F10, F12, M17, Y17); definitions of our own.
"""

from __future__ import annotations

import numpy as np

from neonsim.quant.params.convert import DequantizeParams, DivideParams, QuantizeParams
from neonsim.ukernel.contract import Family, In, Out, Params, Size, Stride
from neonsim.ukernel.contracts.elementwise import BINARY, UNARY
from neonsim.ukernel.contracts.pool import WINDOWS

__all__ = ["VCVT"]

VCVT = UNARY.but("unary", x=In("{x}", "n", "{either_x}"), y=Out("{y}", "n", "{either_y}"))
ROWS = Family(
    "scaled_rows", rows=Size("at least 1"), channels=Size("at least 1"), x=In("int32", "rows channels",
                                                                              stride="x_stride"),
    x_stride=Stride("from one row of x to the next"),
    factor=In("float32", "channels", "scale of the input times that of the channel's weights"),
    y=Out("int8", "rows channels", stride="y_stride"), y_stride=Stride("from one row of y to the next"),
    params=Params())

_EITHER = "or int8, as params say"
_QUOTIENT = "divisor and limits of the result; the rest is not used"
VCVT.row("f32_x8_vcvt", lambda x, params: params.quantize(x).view(np.uint8), x="float32", y="uint8", either_x="",
         either_y=_EITHER, params=QuantizeParams, says="Quantise real numbers to bytes of either sign.",
         formula="y[i] <- clip(round(x[i] * factor) + zero_point), ties to even, the product rounded; NaN is the upper "
                 "end",
         source="XNNPACK's vcvt from f32 to qs8 and qu8")
VCVT.row("x8_f32_vcvt", lambda x, params: params.real(x.view(params.dtype)), x="uint8", y="float32", either_x=_EITHER,
         either_y="", params=DequantizeParams, says="Dequantise bytes of either sign.",
         formula="y[i] <- (x[i] - zero_point) * scale", source="XNNPACK's vcvt from qs8 and qu8 to f32")
VCVT.row("qs16_f32_vcvt", lambda x, params: params.real(x), x="int16", y="float32", either_x="", either_y="",
         params=DequantizeParams, says="Dequantise 16 bits.", formula="y[i] <- (x[i] - zero_point) * scale",
         source="XNNPACK's vcvt from qs16 to f32")
for t, what, source in (
        ("int8", "", "Tengine's quantisation of what it computed in real numbers"),
        ("int16", " to 16 bits", "TensorFlow Lite's quantisation to int16")):
    VCVT.row(f"f32_qs{t[3:]}_quotient", lambda x, params: params.whole(x), x="float32", y=t, either_x="", either_y="",
             params=DivideParams, block=_QUOTIENT, says=f"Quantise real numbers{what} by a quotient.",
             formula="y[i] <- clip(round(x[i] / divisor)), ties away from zero; 0 of a NaN", source=source)
ROWS.row("s32_qs8_quotient", lambda x, factor, params: params.of_sums(x, factor), params=DivideParams, block=_QUOTIENT,
         says="Sums to int8 as Tengine's reference has it: a real number, then a quotient.",
         formula="y[i, j] <- clip(round(float(x[i, j]) * factor[j] / divisor)), ties away from zero, every step "
                 "rounded",
         source="Tengine's reference convolution of int8")
BINARY.row("qs8_vadd_quotient", lambda a, b, params: params.added(a, b), t="int8", params=DivideParams,
           says="Add two vectors of int8 as real numbers.",
           formula="y[i] <- clip(round((a[i] * scale + b[i] * other_scale) / divisor)), ties away from zero, every "
                   "step rounded",
           source="Tengine's element-wise reference")
UNARY.row("qs8_clamp_quotient", lambda x, params: params.clamped(x), t="int8", params=DivideParams,
          block="ReLU: low 0, high infinite",
          says="An activation by a detour through real numbers: what a maximum does with bytes.",
          formula="y[i] <- clip(round(the smaller of high and the larger of low and x[i] * scale, / divisor)), ties "
                  "away from "
                  "zero",
          source="Tengine's relu_kernel_ref_int8")
WINDOWS.row("qs8_avgpool_quotient", lambda input, params: params.mean(input.sum(axis=1, dtype=np.int32)), t="int8",
            ks="",
            kc=": any", params=DivideParams, block="count: rows of each",
            says="Average ks gathered rows of int8 for each output pixel: a whole sum, then real numbers.",
            formula="y[p, j] <- clip(round(float(input[p, 0][j] + input[p, 1][j] + ...) * scale / count / divisor)), "
                    "ties away "
                    "from zero",
            source="Tengine's pooling reference; f32_avgpool's argument order")
