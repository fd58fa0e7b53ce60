"""Contracts of requantisation by itself: a vector of int32 sums to bytes, by each scheme.

The same work done in five ways, so that their instructions can be counted beside each other. Sixteen values at
a time: a caller with another number of them fills up the last sixteen.

Source: (K38, R01, R02, R03, R04, R05, R08, X29, Y09, Y10).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from neonsim.quant.params.elementwise import Fp32Params, PreciseParams, RndnuParams
from neonsim.quant.params.gemm_steps import Q31Params
from neonsim.ukernel.contract import Array, Family, In, Out, Params, Size

__all__ = ["PRECISE"]

PRECISE = Family("requantize_precise", n=Size("a multiple of 16, >= 16"), x=In("int32", "n"), y=Out("uint8", "n"),
                 params=Params())
FP32, Q31, RNDNU = (PRECISE.but(f"requantize_{scheme}") for scheme in ("fp32", "q31", "rndnu"))


def _requantize(params: Any, x: Array) -> Array:
    return np.asarray(params.requantize(x))


for family, scheme, params, says, source in (
        (PRECISE, "precise", PreciseParams, "with one exact rounding, ties away from zero", "QNNPACK's"),
        (FP32, "fp32", Fp32Params, "in single precision, ties to even", "QNNPACK's"),
        (Q31, "q31", Q31Params, "with two roundings: half up, then half away from zero", "QNNPACK's"),
        (Q31, "gemmlowp", Q31Params, "as gemmlowp: SRDHM, then RDivPOT; the same values as q31",
         "gemmlowp's fixed point, as QNNPACK's"),
        (RNDNU, "rndnu", RndnuParams, "with one exact rounding, ties up", "XNNPACK's")):
    family.row(f"qu8_requantize_{scheme}", _requantize, params=params, says=f"Requantise {says}.",
               source=f'{source} requantization "{scheme}"')
