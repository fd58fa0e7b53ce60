"""Arithmetic of quantization in numpy and exact fractions: schemes, requantization, calibration, Winograd.

    scheme        Scheme, Quantized: integers that stand for floats; tensor_type: what a tensor holds
    fixedpoint    a scale as multiplier and shift; the few rounding operations
    rounding      the schemes of requantisation, a body each in the words of `arm.semantics`; rounding_row: what is
                  known of each, and how its body is read
    readings      a body as numpy arrays, as a formula, as the steps of one number
    requant       int32 sums back to 8 bits: one scale explained, all schemes side by side, other runtimes' arithmetic
    params        zero points, scale and limits as kernels are given them
    reference     definitions in plain numpy: products, activations, rows quantised at run time
    calibration   ranges of floats to schemes
    winograd      the transforms as straight-line programs, their bits and costs
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from neonsim.common.argument_types import later

if TYPE_CHECKING:
    from neonsim.quant.fixedpoint import FixedPoint, compose, decompose
    from neonsim.quant.params.gemm_steps import GemmParams, Q31Params, SchemeParams
    from neonsim.quant.reference.dynamic import DynamicRows, dynamic_matmul, quantize_rows
    from neonsim.quant.reference.matmul import accumulate
    from neonsim.quant.requant.explain import compare_schemes, explain_requant, tie_table
    from neonsim.quant.requant.lab import (
        Counterexample,
        Steps,
        disagree,
        magic_range,
        rate_table,
        rates,
        scheme_table,
        steps,
    )
    from neonsim.quant.requant.schemes import largest_error, requantize, unclamped
    from neonsim.quant.rounding import ROUNDINGS, derive, fp32_lrint, fp32_magic, gemmlowp, precise, q31, rndnu
    from neonsim.quant.scheme import Quantized, Scheme

__all__ = ["ROUNDINGS", "Counterexample", "DynamicRows", "FixedPoint", "GemmParams", "Q31Params", "Quantized", "Scheme",
           "SchemeParams", "Steps", "accumulate", "compare_schemes", "compose", "decompose", "derive", "disagree",
           "dynamic_matmul", "explain_requant", "fp32_lrint", "fp32_magic",
           "gemmlowp", "largest_error", "magic_range", "precise", "q31", "quantize_rows",
           "rate_table", "rates", "requantize", "rndnu", "scheme_table", "steps", "tie_table", "unclamped"]

__getattr__ = later(globals(), "Scheme", "Quantized")
