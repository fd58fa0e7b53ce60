"""Products whose sums are kept in memory, then made bytes by a kernel of their own: Tengine's reference (F10).

    x --products--> int32 sums, a region of the job --times s_w * s_in, divided by s_out--> int8
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from neonsim.nn.backends import Pointer
from neonsim.nn.ops.job_builder import Builder, parts
from neonsim.nn.ops.operand import Operand
from neonsim.quant.params.convert import DivideParams
from neonsim.quant.requant.tengine import TengineParams
from neonsim.ukernel.packing.param_blocks import block_of

__all__ = ["lower_by_sums"]

ROWS = 64       # of a call


def lower_by_sums(build: Builder, params: TengineParams, products: Callable[[], Any]) -> None:
    """The sums into a region of their own, then to bytes, 64 rows a call.

    products   describes the products, whose result is what the builder says at that time
    """
    output, result, shape = build.output, build.result, build.output.shape
    sums = Operand("sums", shape, 4 * shape[-1], "int32")
    build.scratch(sums.name, sums.nbytes)
    build.output, build.result = sums, sums.name
    products()
    build.output, build.result = output, result
    one = build.choose("s32_qs8_quotient", "sums as real numbers, divided by the scale of the result", main=False)
    factor = np.ascontiguousarray(np.broadcast_to(params.factor, shape[-1:]), np.float32)
    block = build.constant("quotient", block_of(DivideParams(params.divisor, params.output_min, params.output_max)))
    place = build.constant("factors", factor.view(np.uint8))
    for part in parts(output.pixels, ROWS):
        row = part.rows
        build.call(one, part.tiles, 1, f"{part.size} rows of {shape[-1]} channels", rows=part.size, channels=shape[-1],
                   x=Pointer(sums.name, row * sums.stride), x_stride=sums.stride, factor=place,
                   y=Pointer(result, row * output.stride), y_stride=output.stride, params=block)
