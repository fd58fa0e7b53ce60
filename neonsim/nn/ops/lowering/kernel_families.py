"""Which contracts multiply what: operand types, scales and requantisation decide the contracts.

    set      operands                                   requantization   contracts
    q31      uint8 x uint8, zero points, one scale      q31              qu8_gemm_q31, qu8_conv_q31, qu8_dwconv_q31 ...
    qu8      uint8 x uint8, zero points, one scale      rndnu, fp32      qu8_gemm_*, qu8_igemm_*; fp32: qu8_dwconv_fp32
    qs8      int8 x int8 in -127..127, one scale        rndnu, fp32      qs8_gemm_*, qs8_igemm_*, qs8_dwconv_*
    qc8w     the same, one scale per output channel     fp32, tengine    qs8_qc8w_gemm_fp32, qs8_qc8w_igemm_fp32 ...
    sums     the same, no scales                        none: int32      qs8_gemm_s32, qs8_igemm_s32, qs8_dwconv_s32

Depthwise layers of qs8 in single precision take the kernels of qc8w: the one scale is every channel's (X01).

Everything else is left to the reference backend. Operand types do not mix: both are uint8 or both int8, and so is the
result. Weights of int8 kernels are symmetric, zero point 0 and no -128 (D10).

Source: (X01, X02, X03, X25, X26).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from neonsim.errors import BadArgument
from neonsim.nn.backends import Implementation
from neonsim.quant.params.gemm import Fp32GemmParams, Qc8wParams, RndnuGemmParams, check_weights
from neonsim.quant.rounding import ROUNDINGS
from neonsim.quant.scheme import Quantized, Scheme
from neonsim.ukernel.contracts import is_contract
from neonsim.ukernel.packing import (
    PackedDepthwise,
    PackedWeights,
    pack_channelwise,
    pack_depthwise,
    pack_qc8w,
    pack_qs8,
    pack_qu8,
)

__all__ = ["SUMS", "KernelFamily", "KernelParams", "ZeroPoint", "check_operands", "contract_set_of", "kernel_params",
           "pack_rows", "pack_taps"]


class ZeroPoint(NamedTuple):
    """In place of parameters, for kernels that read none: what is folded into the bias, and lies outside images."""

    a_zero_point: int


KernelParams = RndnuGemmParams | Fp32GemmParams | Qc8wParams | ZeroPoint

class KernelFamily(NamedTuple):
    """The contracts of one way to quantise.

    name     str   "qs8" "qc8w" "qu8"
    gemm     str   rows as they lie
    igemm    str   rows through pointers
    dwconv   str   one channel at a time; "" if there is none
    """

    name: str
    gemm: str
    igemm: str
    dwconv: str


_PREFIXES = {"qu8": "qu8", "qs8": "qs8", "qc8w": "qs8_qc8w"}   # in the names of contracts


@cache
def _family(kind: str, word: str) -> KernelFamily | None:
    """The contracts of a kind of operands and a rounding, by its word in their names; None where there are none."""
    gemm, igemm, dwconv = (f"{_PREFIXES[kind]}_{shape}_{word}" for shape in ("gemm", "igemm", "dwconv"))
    if not (is_contract(gemm) and is_contract(igemm)):
        return None
    if kind == "qs8" and not is_contract(dwconv):
        dwconv = f"{_PREFIXES['qc8w']}_dwconv_{word}"       # each channel has the same scale
    return KernelFamily(kind, gemm, igemm, dwconv if is_contract(dwconv) else "")


def _word(requantization: str) -> str:
    return ROUNDINGS[requantization].word if requantization in ROUNDINGS else requantization


def _is_symmetric(requantization: str) -> bool:
    """Whether there are kernels of int8 that round so: their weights are symmetric, -127 and more.

    With single precision -128 is taken all the same, as XNNPACK takes it, but by no kernel
    (`WeightedOperator.contract_set`). What has no kernels computes int8 by definition only.
    """
    word = _word(requantization).partition("-")[0]      # Tengine's reference takes what its kernels take
    return any(_family(kind, word) for kind in ("qs8", "qc8w"))


SUMS = KernelFamily("sums", "qs8_gemm_s32", "qs8_igemm_s32", "qs8_dwconv_s32")


def check_operands(x: Scheme, w: Quantized, out: Scheme, requantization: str) -> None:
    """Refuse mixtures of types, and int8 weights that are not symmetric where kernels rely on it.

    requantization   str   name of the scheme, as `rounding(...).name`

    Raises BadArgument that names the operand and the remedy.
    """
    types = {"x": x.dtype, "w": w.dtype.name, "out": out.dtype}
    if len(set(types.values())) > 1:
        said = ", ".join(f"{name} is {kind}" for name, kind in types.items())
        raise BadArgument(f"{said}: operands and result are all uint8 or all int8. int8 from uint8: subtract 128 from "
                          "values and zero point alike.")
    if w.dtype == np.int8 and _is_symmetric(requantization):
        if w.zero_point != 0:
            raise BadArgument(f"w is int8 with zero point {w.zero_point}: int8 weights are symmetric, their zero point "
                              "is 0 (requantization 'precise' takes any).")
        if requantization != "fp32_lrint":
            check_weights(w.values)


def contract_set_of(dtype: str, scale: NDArray[np.float32], requantization: str) -> KernelFamily | None:
    """The contracts for operands of a type, a requantisation scale (one or one per channel) and a scheme.

    >>> contract_set_of("int8", np.ones(4, np.float32), "fp32_lrint").gemm
    'qs8_qc8w_gemm_fp32'
    """
    kind = "qu8" if dtype == "uint8" else "qc8w" if scale.ndim else "qs8"
    if kind == "qu8" and scale.ndim:
        return None
    return _family(kind, _word(requantization))


def kernel_params(contracts: KernelFamily, scale: NDArray[np.float32], **common: Any) -> KernelParams:
    """The parameter block of their kernels."""
    if contracts.name == "qc8w":
        common.pop("w_zero_point")
        return Qc8wParams(**common)
    chosen = Fp32GemmParams if contracts.gemm.endswith("fp32") else RndnuGemmParams
    return chosen.from_scale(float(scale), dtype="uint8" if contracts.name == "qu8" else "int8", **common)


def pack_taps(contracts: KernelFamily, one: Implementation, taps: NDArray[Any], bias: NDArray[np.int32],
              scale: NDArray[np.float32], params: KernelParams) -> tuple[PackedDepthwise, KernelParams]:
    """The weights of all channels as a depthwise kernel reads them, and the block that it takes.

    taps     [taps, channels], column by column
    scale    float32 [] or [channels]
    params   the block of the products
    """
    zero = params.a_zero_point
    if contracts.name == "qu8":
        assert not isinstance(params, ZeroPoint)
        return pack_depthwise(taps, bias, passes=(len(taps),), a_zero_point=zero,
                              w_zero_point=params.w_zero_point), params
    if contracts.dwconv in ("qs8_dwconv_rndnu", SUMS.dwconv):
        return pack_channelwise(taps, bias, lanes=one.mr, a_zero_point=zero), params
    assert not isinstance(params, ZeroPoint)
    block = params if isinstance(params, Qc8wParams) else Qc8wParams(
        zero, params.output_zero_point, params.output_min, params.output_max)
    return pack_channelwise(taps, bias, np.broadcast_to(scale, bias.shape).copy(), lanes=one.mr,
                            a_zero_point=zero), block


def pack_rows(contracts: KernelFamily, one: Implementation, weights: Sequence[NDArray[Any]],
              biases: Sequence[NDArray[np.int32]], scale: NDArray[np.float32],
              params: KernelParams) -> list[PackedWeights]:
    """The weights of every group as a kernel reads them.

    weights   per group [n, k] or [n, kh, kw, c]
    scale     float32 [] or [groups * n]
    """
    layout: dict[str, Any] = {"nr": one.nr, "kr": one.kr, "sr": one.sr}
    zero = params.a_zero_point
    if contracts.name == "qc8w":
        parts = np.split(scale, len(weights))
        return [pack_qc8w(w, b, s, a_zero_point=zero, **layout)
                for w, b, s in zip(weights, biases, parts, strict=True)]
    if contracts.name == "qu8":
        assert not isinstance(params, ZeroPoint)
        return [pack_qu8(w, b, a_zero_point=zero, w_zero_point=params.w_zero_point, **layout)
                for w, b in zip(weights, biases, strict=True)]
    return [pack_qs8(w, b, a_zero_point=zero, **layout) for w, b in zip(weights, biases, strict=True)]
