"""Requantisation: int32 accumulators back to 8 bits, exactly as the quantised-kernel libraries do it.

    q = clip(round(acc * scale) + zero_point, lo, hi)

The schemes differ in `round` alone, and there in how often and which way they round:

    scheme       roundings   ties                                        scales        used by
    precise      1           away from zero                              [2**-32,256)  the oracle; pooling
    rndnu        1           up                                          [2**-32,256)  XNNPACK on Arm
    fp32_lrint   up to 3     to even (of the float32 product)            [2**-32,256)  AArch64, FCVTNS
    fp32_magic   up to 3     to even, same values as fp32_lrint          [2**-32,256)  AArch32 and scalar code
    q31          2           up, then away from zero (shift 0: only up)  [2**-32,1)    QNNPACK's kernels
    gemmlowp     2           as q31, same values                         [2**-32,1)    gemmlowp, early TensorFlow Lite

Integer schemes see the scale as `multiplier / 2**(31 + shift)` (fixedpoint.decompose), which loses nothing: all the
difference is rounding. `scale`, `multiplier` and `shift` may be arrays [n] for one value per output channel; they then
run along the last axis of the accumulators.

Source: QNNPACK, gemmlowp and XNNPACK (R01, R02, R03, R04, R05, R08); tie rules (Z10, Z11, R17).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from neonsim.quant.fixedpoint import Int64
from neonsim.quant.rounding import Packed8, default_rounding, derive, limits, rounding_named

__all__ = ["largest_error", "requantize", "unclamped"]

_DEFAULT = default_rounding("uint8").name


def unclamped(acc: ArrayLike, scale: ArrayLike, scheme: str = _DEFAULT) -> Int64:
    """round(acc * scale) by a scheme's rounding, before zero point and clamp: what the schemes differ in.

    Of fp32_magic it is held to -2**22..2**22, as far as its addition rounds.

    >>> unclamped(585, 1 / 90, "q31").item(), unclamped(585, 1 / 90, "fp32_lrint").item()
    (7, 6)
    """
    derive(scale, scheme)
    return rounding_named(scheme).of(acc, scale)


def largest_error(scale: float, scheme: str = _DEFAULT) -> float:
    """How far a scheme may land from the exact product acc * scale, in steps of the output, clamp aside.

    precise, rndnu   0.5
    q31, gemmlowp    0.5 + 2**-(shift + 1) for shift >= 1: the second rounding starts from a rounded value; 0.5 at 0
    fp32             0.5 + 2**-15 for results of 8 bits: conversion and product are each off by up to 2**-24 of it

    Source: (R14, Z11).

    >>> [largest_error(s) for s in (0.6, 0.3, 0.15)]
    [0.5, 0.75, 0.625]
    """
    shift = int(derive(scale, scheme).shift)
    rule = rounding_named(scheme)
    if not rule.fixed:
        return 0.5 + 2.0**-15
    return 0.5 + 2.0 ** -(shift + 1) if rule.twice and shift else 0.5


def requantize(acc: ArrayLike, scale: ArrayLike, zero_point: int = 0, lo: int | None = None, hi: int | None = None, *,
               scheme: str = _DEFAULT, dtype: Any = "uint8") -> Packed8:
    """Requantise by the name of a scheme, from the float32 scale itself.

    acc     int32 [..., n]     sums of products plus bias
    scale   float32 [n] or []  input scale * weight scale / output scale
    ->      dtype [..., n]

    >>> [requantize(-3, 0.5, 10, scheme=name).item() for name in ("precise", "rndnu", "fp32", "q31")]
    [8, 9, 8, 9]
    """
    row, within = rounding_named(scheme), limits(dtype, lo, hi, zero_point)
    by, single = row.derive(scale), np.asarray(scale, np.float32)
    return row.requantize(acc, by if row.fixed else (single,), zero_point, within, dtype)
