"""Arithmetic of quantization in numpy and exact fractions: schemes, requantization, calibration, Winograd.

    scheme       Scheme, Quantized: integers that stand for real numbers
    fixedpoint   a scale as multiplier and shift; the few rounding operations
    rounding     the schemes of requantisation, a body each in the words of `arm.semantics`; which scales each takes
    readings     a body as numpy arrays, as a formula, as the steps of one number
    requant      int32 accumulators back to 8 bits: precise, rndnu, fp32, q31, gemmlowp
    product_params   zero points, scale and limits of a product: Q31Params, SchemeParams
    reference    the quantised matrix product by its definition
    explain      the same as text: one scale step by step, ties, where schemes disagree
    laboratory   all schemes side by side: witnesses that two of them differ, one number on its way through each
    gemm_params, vector_params   int8: symmetric weights, and what kernels are given
    pair_sums    sums of 16 bits as by VPMADDUBSW of x86; the weights for which they are exact
    dynamic      activations quantised row by row at run time, float results
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
