"""Which contracts multiply what: operand types, scales and requantisation decide the contracts.

    family   operands                                   requantization   contracts
    tiles    uint8 x uint8, zero points, one scale      q31              qu8_gemm_q31, qu8_conv_q31, qu8_dwconv_q31 ...
    qu8      uint8 x uint8, zero points, one scale      rndnu, fp32      qu8_gemm_*, qu8_igemm_*; fp32: qu8_dwconv_fp32
    qs8      int8 x int8 in -127..127, one scale        rndnu, fp32      qs8_gemm_*, qs8_igemm_*, qs8_dwconv_*
    qc8w     the same, one scale per output channel     fp32, tengine    qs8_qc8w_gemm_fp32, qs8_qc8w_igemm_fp32 ...
    sums     the same, no scales                        none: int32      qs8_gemm_s32, qs8_igemm_s32, qs8_dwconv_s32
    f32      float32                                    none: limits     f32_gemm, f32_igemm, f32_dwconv

Depthwise layers of qs8 in single precision take the kernels of qc8w: the one scale is every channel's (X01).

Everything else is left to the reference backend. Operand types do not mix: both are uint8 or both int8, and so is the
result. Weights of int8 kernels are symmetric, zero point 0 and no -128 (D10).

Source: (X01, X02, X03, X25, X26).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.nn.backends import Implementation
from neonsim.quant.params.gemm import Qc8wParams
from neonsim.ukernel.contracts import is_contract
from neonsim.ukernel.packing import (
    PackedFloats,
    PackedWeights,
    pack_channelwise,
    pack_depthwise,
    pack_f32,
    pack_gemm_xzp,
    pack_qc8w,
    pack_qs8,
    pack_qu8,
)

__all__ = ["FLOAT32", "SUMS", "TILES", "GemmLayer", "KernelFamily", "family_of", "is_symmetric", "pack_channels",
           "pack_rows"]


@dataclass(frozen=True)
class KernelFamily:
    """The contracts of one way to quantise.

    name     str               "qs8" "qc8w" "qu8" ...
    gemm     str               rows as they lie
    igemm    str               rows through pointers
    dwconv   {taps: contract}  one channel at a time; empty if there is none
    raw      str               rows as they lie, bytes without their zero points (A31); "" if there is none
    width    int or None       columns of the tiles that are taken without being asked for; None: by the core's rules
    """

    name: str
    gemm: str
    igemm: str
    dwconv: dict[int, str] = field(default_factory=dict)
    raw: str = ""
    width: int | None = None

    @property
    def contracts(self) -> tuple[str, ...]:
        """All of them, each once."""
        return tuple(dict.fromkeys(one for one in (self.gemm, self.raw, self.igemm, *self.dwconv.values()) if one))


_TAPS = (9, 25)
# Taps that each pass of a depthwise kernel takes that has several, by contract and taps (K29, A38).
_PASSES = {("qu8_dwconv_mp_q31", 25): (10, 10, 5), ("qu8_dwconv_mp_q31", 9): (1,) * 9}
_PREFIXES = {"qu8": "qu8", "qs8": "qs8", "qc8w": "qs8_qc8w"}   # in the names of contracts
TILES = KernelFamily("tiles", "qu8_gemm_q31", "qu8_conv_q31", {9: "qu8_dwconv_q31", 25: "qu8_dwconv_mp_q31"},
                   "qu8_gemm_xzp_q31", 8)
SUMS = KernelFamily("sums", "qs8_gemm_s32", "qs8_igemm_s32", dict.fromkeys(_TAPS, "qs8_dwconv_s32"))
FLOAT32 = KernelFamily("f32", "f32_gemm", "f32_igemm", {9: "f32_dwconv"})


@cache
def _family(kind: str, word: str) -> KernelFamily | None:
    """The contracts of a kind of operands and a rounding, by its word in their names; None where there are none."""
    gemm, igemm, dwconv = (f"{_PREFIXES[kind]}_{shape}_{word}" for shape in ("gemm", "igemm", "dwconv"))
    if gemm == TILES.gemm:
        return TILES
    if not (is_contract(gemm) and is_contract(igemm)):
        return None
    if kind == "qs8" and not is_contract(dwconv):
        dwconv = f"{_PREFIXES['qc8w']}_dwconv_{word}"       # each channel has the same scale
    return KernelFamily(kind, gemm, igemm, dict.fromkeys(_TAPS, dwconv) if is_contract(dwconv) else {})


def is_symmetric(word: str) -> bool:
    """Whether there are kernels of int8 that round so: their weights are symmetric, -127 and more.

    With single precision -128 is taken all the same, as XNNPACK takes it, but by no kernel. What has no kernels
    computes int8 by definition only.
    """
    return any(_family(kind, word) for kind in ("qs8", "qc8w"))


def family_of(dtype: str, per_channel: bool, word: str) -> KernelFamily | None:
    """The contracts for operands of a type, one scale or one per channel, and a rounding by its word; None: none.

    >>> family_of("int8", True, "fp32").gemm
    'qs8_qc8w_gemm_fp32'
    """
    kind = "qu8" if dtype == "uint8" else "qc8w" if per_channel else "qs8"
    return None if kind == "qu8" and per_channel else _family(kind, word)


@dataclass(frozen=True, eq=False)
class GemmLayer:
    """A product as kernels of a family take it.

    family   KernelFamily
    w        [groups, out / groups, kh, kw, in / groups]
    bias     [out]
    scale    float32 [] or [out]; of sums that stay, and of float32, nothing reads it
    params   the block of its kernels; a ZeroPoint for those that read none
    """

    family: KernelFamily
    w: NDArray[Any]
    bias: NDArray[Any]
    params: Any
    scale: NDArray[np.float32] = field(default_factory=lambda: np.ones((), np.float32))

    @property
    def zero_point(self) -> int:
        """Of the left operand, as it lies in memory: what is outside images."""
        return int(getattr(self.params, "a_zero_point", 0)) & 0xFF


def pack_rows(layer: GemmLayer, one: Implementation,
              weights: NDArray[Any]) -> list[PackedWeights] | list[PackedFloats]:
    """The weights of every group, [n, k] or [n, kh, kw, c], as a kernel reads them.

    weights   those of the layer; some taps of them, or all in a row
    """
    groups, params = len(weights), layer.params
    biases = np.split(layer.bias, groups)
    if layer.family is FLOAT32:
        return [pack_f32(w, b, nr=one.nr) for w, b in zip(weights, biases, strict=True)]
    layout = {"nr": one.nr, "kr": one.kr, "sr": one.sr, "a_zero_point": params.a_zero_point}
    if layer.family.name == "qc8w":
        return [pack_qc8w(w, b, s, **layout)
                for w, b, s in zip(weights, biases, np.split(layer.scale, groups), strict=True)]
    if layer.family.name in ("qs8", "sums"):
        return [pack_qs8(w, b, **layout) for w, b in zip(weights, biases, strict=True)]
    pack = pack_gemm_xzp if one.contract == layer.family.raw else pack_qu8
    return [pack(w, b, w_zero_point=params.w_zero_point, **layout) for w, b in zip(weights, biases, strict=True)]


def pack_channels(layer: GemmLayer, one: Implementation) -> tuple[NDArray[np.uint8], Any]:
    """Weights of groups of one channel as a depthwise kernel reads them, and the block that it takes."""
    w, params, family = layer.w[:, 0, ..., 0], layer.params, layer.family
    if family is FLOAT32:
        return pack_f32(w.reshape(len(w), -1), layer.bias, nr=one.mr).data, params
    taps = np.ascontiguousarray(w.transpose(2, 1, 0).reshape(-1, len(w)))       # column by column
    if w.dtype == np.uint8:
        passes = _PASSES.get((one.contract, one.nr), (len(taps),))
        return pack_depthwise(taps, layer.bias, passes=passes, a_zero_point=params.a_zero_point,
                              w_zero_point=params.w_zero_point, fold=len(passes) == 1).data, params
    scale = None
    if one.contract.startswith(_PREFIXES["qc8w"]):
        scale = np.broadcast_to(layer.scale, layer.bias.shape).copy()
        params = params if isinstance(params, Qc8wParams) else Qc8wParams(
            params.a_zero_point, params.output_zero_point, params.output_min, params.output_max)
    return pack_channelwise(taps, layer.bias, scale, lanes=one.mr, a_zero_point=params.a_zero_point).data, params
