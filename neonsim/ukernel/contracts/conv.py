"""The contract of convolutions over an indirection buffer.

    input     table of pointers to rows of channels, one for each tap of each output pixel; a tap that falls on
              padding points at a row of zero points
    sum       acc[pixel, n] = sum over taps and channels of (x - a_zero_point) * (w - w_zero_point) + bias[n]

Source: (P02).
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from neonsim.quant.params.gemm_steps import Q31Params
from neonsim.ukernel.contract import Array, Indirect, Out, Packed, PointerTable, Size, contract
from neonsim.ukernel.packing import PackedWeights

__all__ = ["qu8_conv_q31"]


@contract
def qu8_conv_q31(
    mr: Size,
    nr: Size,
    kc: Size,
    ks: Size,
    a: Annotated[PointerTable, Indirect("uint8", "kc")],
    w: Annotated[PackedWeights, Packed("uint8", "ks kc nr")],
    c: Annotated[Array, Out("uint8", "mr nr", stride="c_stride")],
    params: Q31Params,
) -> None:
    """Multiply gathered rows of bytes by packed weights, tap after tap, and requantise.

    c[i] <- requant(sum over taps t of (a[t, i] - a_zero_point) @ (w[t] - w_zero_point) + bias)

    mr, nr     size               rows and columns of the tile, 1..MR and 1..NR of the kernel
    kc, ks     size               channels of a row, taps; both >= 1
    a          pointers [ks, MR]  to rows of kc bytes; with mr < MR the last row is listed again
    w          packed [ks*kc, nr] one block of `packing.pack_gemm`, depth = taps, then channels
    c          uint8 [mr, nr]     rows c_stride bytes apart; written
    params     Q31Params

    Sums wrap at 32 bits. Source: QNNPACK's q8conv argument order and layouts; definition of our own.
    """
    rows = len(a) // ks
    gathered = a.take(np.arange(ks)[:, None] * rows + np.arange(mr)).astype(np.int32) - np.int32(params.a_zero_point)
    y = w.unpacked.astype(np.int32).reshape(ks, kc, -1) - np.int32(params.w_zero_point)
    acc = np.einsum("tik,tkj->ij", gathered, y, dtype=np.int32, casting="unsafe") + w.original_bias
    c[...] = params.requantize(acc[:, :nr])
