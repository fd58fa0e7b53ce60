"""Layout of operands: packed weights, and convolutions written as matrices.

    layout   where each element sits: index arithmetic, drawable as data and as text
    pack     weights into that order, zero points folded into the bias
    im2col   a convolution's input as the left-hand matrix
"""

from __future__ import annotations

from neonsim.packing.im2col import ConvShape, conv_shape, im2col
from neonsim.packing.layout import BIAS, PADDING, WEIGHT, GemmLayout, LayoutTable
from neonsim.packing.pack import PackedWeights, fold_bias, pack, pack_gemm, pack_gemm_xzp, unpack

__all__ = ["BIAS", "PADDING", "WEIGHT", "ConvShape", "GemmLayout", "LayoutTable", "PackedWeights", "conv_shape",
           "fold_bias", "im2col", "pack", "pack_gemm", "pack_gemm_xzp", "unpack"]
