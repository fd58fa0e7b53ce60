"""Convolutions whose channels have multipliers of their own, by kernels that have one: a call for each column.

                 columns: output channels, one at a time
    group 0   +--+--+--+       a call computes mr rows of one column, with weights and parameters of that column's own;
      tiles   |  |  |  |       the other columns of its tile are zeros, computed and not stored
              |  |  |  |

Kernels are those of uint8 with one scale: of int8, both operands and the result are bytes with their sign flipped,
which adds 128 to values and zero points alike. A channel whose multiplier is 0 is a channel of zeros.

It shows the arithmetic, and is up to nr times slower than a kernel with a vector of multipliers would be.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from neonsim.nn.backends import Pointer
from neonsim.nn.ops.job_builder import Builder, parts
from neonsim.nn.ops.lowering.gemm_calls import concatenated
from neonsim.nn.ops.lowering.signed_as_unsigned import bias_input, unbias_output
from neonsim.nn.ops.windows import copy_windows
from neonsim.quant.fixedpoint import FixedPoint
from neonsim.quant.params.gemm_steps import Q31Params
from neonsim.ukernel.packing import ConvShape, pack_gemm
from neonsim.ukernel.packing.param_blocks import block_of

if TYPE_CHECKING:
    from neonsim.nn.ops.quantized.weighted import WeightedOperator

__all__ = ["lower_by_column"]


def _columns(operator: WeightedOperator, fixed: FixedPoint,
             moved: int) -> tuple[NDArray[np.uint8], NDArray[np.int32], list[Q31Params]]:
    """Weights [out, k], bias and parameters of every column, as of uint8."""
    weights = operator.w.values.reshape(len(operator.bias), -1).astype(np.int64) + moved
    bias, common = operator.bias.copy(), {
        "a_zero_point": operator.schemes[0].zero_point + moved, "w_zero_point": operator.w.zero_point + moved,
        "output_zero_point": operator.out.zero_point + moved, "output_min": operator.output_min + moved,
        "output_max": operator.output_max + moved}
    found = []
    pairs = zip(*(np.broadcast_to(n, len(bias)).tolist() for n in fixed), strict=True)
    for channel, (multiplier, shift) in enumerate(pairs):
        if multiplier == 0:
            weights[channel], bias[channel] = common["w_zero_point"], 0
        found.append(Q31Params(multiplier or 1 << 30, shift, **common))
    return weights.astype(np.uint8), bias, found


def lower_by_column(operator: WeightedOperator, fixed: FixedPoint, build: Builder, shape: ConvShape) -> None:
    """The image as a matrix, and a call for every tile of rows and every column of it.

    fixed   multipliers and shifts to the right, one or one a channel
    """
    out = build.output
    signed = operator.out.dtype == "int8"
    weights, bias, params = _columns(operator, fixed, 128 if signed else 0)
    one = build.choose("qu8_gemm_q31", "every channel has a multiplier of 31 bits of its own: a column at a time", nr=8)
    source = bias_input(build, one.isa).region if signed else None
    zero = {"a_zero_point": params[0].a_zero_point, "w_zero_point": params[0].w_zero_point}
    packed = concatenated(build, [pack_gemm(weights[i:i + 1], bias[i:i + 1], nr=one.nr, kr=one.kr, **zero)
                                  for i in range(len(bias))])
    blocks = [np.frombuffer(block_of(each), np.uint8) for each in params]
    block = build.constant("params", np.concatenate(blocks))
    m = out.pixels
    matrix, k = copy_windows(build, shape, groups=operator.groups, depth=operator.w.shape[3],
                             outside=params[0].a_zero_point, source=source)
    column = np.arange(len(bias), dtype=np.int64)[np.newaxis, :]
    of_group = column // (len(bias) // operator.groups)
    for high in parts(m, one.mr):
        row = high.rows
        build.call(one, high.tiles, len(bias), f"{high.size} x 1 results of depth {k}", mr=high.size, nr=1, kc=k,
                   a=Pointer(matrix.region, (of_group * m + row) * k), a_stride=k,
                   w=Pointer(packed.place.region, column * packed.group_bytes),
                   c=Pointer(build.result, row * out.stride + column), c_stride=out.stride,
                   params=Pointer(block.region, column * blocks[0].size))
    if signed:
        unbias_output(build, one.isa)
