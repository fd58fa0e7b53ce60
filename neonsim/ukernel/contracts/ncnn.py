"""Contracts of ncnn's arithmetic: int8 by steps per unit, sums that stay until a float bias is added.

    blue line   float --quantize--> int8 --products--> int32 --dequantize--> float
    red line    int8 --products--> int32 --requantize--> int8

Bytes are symmetric, -127..127, without zero points; the last step of both lines is in single precision, rounded as one
fused multiply-add. Kernels are given numbers of single precision with all their digits, or 0: see `NcnnParams`.

Source: (F03, F04, F05, X22, X25, X26).
"""

from __future__ import annotations

from neonsim.quant.requant.ncnn import NcnnParams, dequantize_accumulators, quantize_int8, requantize_accumulators
from neonsim.ukernel.contract import Family, In, Out, Params, Size
from neonsim.ukernel.contracts.dwconv import OFFSET, channel_sums
from neonsim.ukernel.contracts.elementwise import UNARY
from neonsim.ukernel.contracts.gemm_columns import COLUMNS, INDIRECT, sums

__all__ = ["PER_CHANNEL"]

QUANTIZE = UNARY.but("unary", x=In("float32", "n", "infinite is cut off as all that is large; NaN becomes 0"),
                     y=Out("int8", "n"))
PER_CHANNEL = Family(
    "per_channel", rows=Size("at least 1"), channels=Size("at least 1"), x=In("int32", "rows channels",
                                                                              stride="x_stride"),
    factor=In("float32", "channels", "finite, 0 or at least 2**-100 in size"),
    bias=In("float32", "channels", "finite, 0 or at least 2**-100 in size"),
    y=Out("{y}", "rows channels", stride="y_stride"), params=Params())
_SUMS = Out("int32", "mr nc", stride="cm_stride", blocks="cn_stride")
GEMM, IGEMM = COLUMNS.but("gemm_columns_s32", c=_SUMS, params=None), INDIRECT.but("igemm_s32", c=_SUMS, params=None)
DWCONV = OFFSET.but("dwconv_s32", output=Out("int32", "output_width channels", gap="output_increment"), params=None)

QUANTIZE.row("f32_qs8_quantize", lambda params, x: quantize_int8(x, params.steps), params=NcnnParams,
             block="of which only steps is used",
             says="Quantise floats by steps per unit: to nearest, half away from zero, within -127 and 127.",
             formula="y[i] <- clip(round(x[i] * steps), -127, 127), the product rounded to single precision",
             source="ncnn's quantize")
PER_CHANNEL.row(
    "s32_f32_dequantize", lambda params, x, factor,
    bias: dequantize_accumulators(x, factor, bias, params.low, params.high),
    y="float32", params=NcnnParams, block="limits",
    says="Make floats of sums: a factor and a bias for each channel, then the activation.",
    formula="y[i, j] <- min(max(float32(x[i, j]) * factor[j] + bias[j], low), high), product and sum rounded once",
    source="ncnn's dequantize")
PER_CHANNEL.row(
    "s32_qs8_requantize",
    lambda params, x, factor, bias: requantize_accumulators(x, factor, bias, params.steps, params.low, params.high),
    y="int8", params=NcnnParams, block="limits, steps per unit of y",
    says="Make int8 of sums through floats: as s32_f32_dequantize, then as f32_qs8_quantize.",
    formula="y[i, j] <- clip(round(min(max(float32(x[i, j]) * factor[j] + bias[j], low), high) * steps), -127, 127)",
    source="ncnn's requantize, which is no cast")
GEMM.row("qs8_gemm_s32", sums, t="int8", packing="`packing.pack_qs8`, nothing folded",
         says="Multiply rows of int8 by packed weights and keep the sums.", formula="c <- a @ w + bias",
         notes="Sums wrap at 32 bits.", source="XNNPACK's products of qs8 without what follows the sums")
IGEMM.row("qs8_igemm_s32", sums, t="int8", packing="`packing.pack_qs8`, nothing folded", zeros="a row",
          says="Multiply gathered rows of int8 by packed weights and keep the sums.",
          formula="c <- sum over taps t of a[t] @ w[t] + bias", notes="Sums wrap at 32 bits.",
          source="XNNPACK's indirect products of qs8")
DWCONV.row("qs8_dwconv_s32", channel_sums, t="int8", taps="column by column", zeros="a row",
           packing="`packing.pack_channelwise`, nothing folded",
           says="Convolve each channel of int8 with its own weights and keep the sums.",
           formula="output[p] <- sum over taps t of input[p, t] * w[t] + bias", notes="Sums wrap at 32 bits.",
           source="XNNPACK's depthwise kernels for qs8")
