"""Layout of operands: packed weights, convolutions written as matrices, and tables of pointers in their place.

    layout        where each element of packed weights sits: index arithmetic, drawn, or as text (P01, P02, P03, P04)
    pack          weights into that order, zero points folded into the bias
    symmetric     the same for the newer kernels: any nr, kr, sr, scales per channel (X30, X31, X32)
    depthwise     the same for one channel at a time (P05, P06)
    floats        float32 weights, of products and depthwise alike
    fours         images with four channels side by side: NC4HW4 (E12)
    im2col        a convolution's input as the left-hand matrix; sizes of a convolution
    params        the numbers of `quant` as kernels read them: `block_of`
    taps          which input pixel every tap of every output pixel reads
    indirection   tables of pointers to those pixels (P07, P08), the zero buffer (P09)
    work          counting what all of it costs
"""

from __future__ import annotations

from neonsim.common.argument_types import check_arguments
from neonsim.ukernel.packing.counters import Counters, counting
from neonsim.ukernel.packing.depthwise import DepthwiseLayout, PackedDepthwise, pack_channelwise, pack_depthwise
from neonsim.ukernel.packing.float32 import FloatLayout, PackedFloats, pack_f32
from neonsim.ukernel.packing.gemm import (
    PackedWeights,
    fold_bias,
    pack,
    pack_gemm,
    pack_gemm_xzp,
    unpack,
)
from neonsim.ukernel.packing.gemm_layout import BIAS, PADDING, TAIL, WEIGHT, GemmLayout, LayoutTable
from neonsim.ukernel.packing.im2col import ConvShape, conv_shape, im2col
from neonsim.ukernel.packing.indirection import (
    IndirectionBuffer,
    pixel_offsets,
    row_indirection,
    tile_indirection,
    window_indirection,
    zero_buffer,
)
from neonsim.ukernel.packing.nc4hw4 import nc4hw4_bytes, nc4hw4_offset, to_nc4hw4
from neonsim.ukernel.packing.param_blocks import block_of
from neonsim.ukernel.packing.qs8 import pack_qc8w, pack_qd8, pack_qs8, pack_qu8
from neonsim.ukernel.packing.taps import OUTSIDE, Taps, conv_taps, deconv_shape, deconv_taps

__all__ = [
    "BIAS",
    "OUTSIDE",
    "PADDING",
    "TAIL",
    "WEIGHT",
    "ConvShape",
    "Counters",
    "DepthwiseLayout",
    "FloatLayout",
    "GemmLayout",
    "IndirectionBuffer",
    "LayoutTable",
    "PackedDepthwise",
    "PackedFloats",
    "PackedWeights",
    "Taps",
    "block_of",
    "conv_shape",
    "conv_taps",
    "counting",
    "deconv_shape",
    "deconv_taps",
    "fold_bias",
    "im2col",
    "nc4hw4_bytes",
    "nc4hw4_offset",
    "pack",
    "pack_channelwise",
    "pack_depthwise",
    "pack_f32",
    "pack_gemm",
    "pack_gemm_xzp",
    "pack_qc8w",
    "pack_qd8",
    "pack_qs8",
    "pack_qu8",
    "pixel_offsets",
    "row_indirection",
    "tile_indirection",
    "to_nc4hw4",
    "unpack",
    "window_indirection",
    "zero_buffer",
]

check_arguments(globals())
