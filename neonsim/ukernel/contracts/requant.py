"""Contracts of requantisation by itself: a vector of int32 sums to bytes, by each scheme.

The same work done in five ways, so that their instructions can be counted beside each other. Sixteen values at
a time: whoever has another number of them fills up the last sixteen.

Source: (K38, R01, R02, R03, R04, R05, R08, X29, Y09, Y10).
"""

from __future__ import annotations

from typing import Annotated

from neonsim.quant.params.elementwise import Fp32Params, PreciseParams, RndnuParams
from neonsim.quant.params.gemm_steps import Q31Params
from neonsim.ukernel.contract import Array, In, Out, Size, contract

__all__ = ["qu8_requantize_fp32", "qu8_requantize_gemmlowp", "qu8_requantize_precise", "qu8_requantize_q31",
           "qu8_requantize_rndnu"]


@contract
def qu8_requantize_precise(
    n: Size,
    x: Annotated[Array, In("int32", "n")],
    y: Annotated[Array, Out("uint8", "n")],
    params: PreciseParams,
) -> None:
    """Requantise with one exact rounding, ties away from zero.

    n        size        a multiple of 16, >= 16
    x        int32 [n]
    y        uint8 [n]   written
    params   PreciseParams

    Source: QNNPACK's requantization "precise"; definition of our own.
    """
    y[...] = params.requantize(x)


@contract
def qu8_requantize_fp32(
    n: Size,
    x: Annotated[Array, In("int32", "n")],
    y: Annotated[Array, Out("uint8", "n")],
    params: Fp32Params,
) -> None:
    """Requantise in single precision, ties to even.

    n        size        a multiple of 16, >= 16
    x        int32 [n]
    y        uint8 [n]   written
    params   Fp32Params

    Source: QNNPACK's requantization "fp32"; definition of our own.
    """
    y[...] = params.requantize(x)


@contract
def qu8_requantize_q31(
    n: Size,
    x: Annotated[Array, In("int32", "n")],
    y: Annotated[Array, Out("uint8", "n")],
    params: Q31Params,
) -> None:
    """Requantise with two roundings: half up, then half away from zero.

    n        size        a multiple of 16, >= 16
    x        int32 [n]
    y        uint8 [n]   written
    params   Q31Params

    Source: QNNPACK's requantization "q31"; definition of our own.
    """
    y[...] = params.requantize(x)


@contract
def qu8_requantize_gemmlowp(
    n: Size,
    x: Annotated[Array, In("int32", "n")],
    y: Annotated[Array, Out("uint8", "n")],
    params: Q31Params,
) -> None:
    """Requantise as gemmlowp: SRDHM, then RDivPOT; the same values as q31.

    n        size        a multiple of 16, >= 16
    x        int32 [n]
    y        uint8 [n]   written
    params   Q31Params

    Source: gemmlowp's fixed point, as QNNPACK's requantization "gemmlowp"; definition of our own.
    """
    y[...] = params.requantize(x)


@contract
def qu8_requantize_rndnu(
    n: Size,
    x: Annotated[Array, In("int32", "n")],
    y: Annotated[Array, Out("uint8", "n")],
    params: RndnuParams,
) -> None:
    """Requantise with one exact rounding, ties up.

    n        size        a multiple of 16, >= 16
    x        int32 [n]
    y        uint8 [n]   written
    params   RndnuParams

    Source: XNNPACK's requantization "rndnu"; definition of our own.
    """
    y[...] = params.requantize(x)
