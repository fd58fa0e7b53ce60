"""The words that kernel names are made of, said aloud."""

from __future__ import annotations

import re

from neonsim.quant.rounding import ROUNDINGS

__all__ = ["WORDS", "describe_name"]

WORDS = {
    "qu8": "uint8 operands with scale and zero point",
    "qs8": "int8 operands with scale and zero point",
    "u8": "uint8 without scale or zero point",
    "s8": "int8 without scale or zero point",
    "x8": "bytes of any meaning",
    "s32": "int32: sums as the result, or an operand that was one",
    "gemm": "matrix product, one tile of it per call",
    "packed": "both operands packed before",
    "igemm": "indirect matrix product: rows of the left operand gathered by a table of pointers, tap after tap",
    "qc8w": "int8 weights with a scale for each output channel",
    "qd8": "int8 rows, each with a scale and zero point found at run time",
    "f32": "numbers of 32 bits in floating point",
    "qs16": "int16 activations without a zero point, one scale",
    "s64": "int64: sums as the result, or an operand that was one",
    "conv": "convolution: rows of the left operand gathered by a table of pointers",
    "dwconv": "depthwise convolution: each channel by itself",
    "mp": "several passes, sums kept in a buffer between them",
    "gavgpool": "average of all rows",
    "avgpool": "average of gathered rows, for each pixel",
    "maxpool": "largest of gathered rows, for each pixel",
    "vadd": "sum of two vectors",
    "vaddc": "sum of a vector and a constant",
    "vsub": "difference of two vectors",
    "vsubc": "difference of a vector and a constant",
    "vmul": "product of two vectors, element by element",
    "vmulc": "product of a vector and a constant",
    "vcvt": "change of scale and zero point, or between integers and real numbers",
    "vlrelu": "leaky ReLU: another factor for what lies below the zero point",
    "vmulcaddc": "each channel times a number of its own, plus another",
    "clamp": "elements kept within two limits",
    "rmax": "largest element",
    "zip": "vectors interleaved",
    "x2": "two of them",
    "x3": "three of them",
    "x4": "four of them",
    "xm": "any number of them",
    "lut": "bytes looked up in a table",
    "lut32norm": "bytes looked up in a table of 32-bit words, divided by their sum",
    "softmax": "shares of exponentials in single precision, of bytes by a table",
    "quantize": "numbers in single precision to bytes, by steps per unit",
    "dequantize": "int32 sums to numbers in single precision: a factor and a bias for each channel, an activation",
    "requantize": "int32 sums scaled to bytes, nothing else",
    "rndna": "scaled to bytes with one exact rounding, ties away from zero",
    "quotient": "as real numbers divided by the scale of the result, ties away from zero",
    "tengine": "scaled to bytes by multiplier and shift of a float's own bits, ties up twice",
    "xzp": "zero points outside the loop: raw bytes are multiplied, row sums correct the result",
    "sumrows": "sums of the rows of a matrix, times a factor",
    "aarch32": "32-bit Arm state (UAL syntax, 16 vector registers of 128 bits)",
    "aarch64": "64-bit Arm state (32 vector registers of 128 bits)",
    "s16": "int16 operands",
    "winograd": "a transform of Winograd's convolutions along one axis",
    "source": "of pixels",
    "destination": "of sums",
    "generated": "made by rule, not written: `neonsim.ukernel.kernelgen`",
    "neon": "Advanced SIMD, no extensions",
    "neonv8": "Advanced SIMD of Armv8: conversions that round to nearest, fused multiply-adds",
    "neondot": "Advanced SIMD with dot products: SDOT, four bytes at a time",
    "neoni8mm": "Advanced SIMD with matrix products of bytes: SMMLA",
    "ld32": "32 bits of a row for each load",
    "ld64": "64 bits of a row for each load",
    "ld128": "128 bits of a row for each load",
    "dup": "elements of a row repeated over a register",
    "fma": "fused multiply-add: product and sum rounded once",
    "prfm": "weights fetched ahead of their use",
    "cortex": "instructions ordered for the core that follows:",
    "a53": "Cortex-A53, two at a time in order, loads of 64 bits",
    "a55": "Cortex-A55, two at a time in order, a load beside each multiplication",
    "mlal": "multiply-accumulate long: products added to sums twice as wide as their factors",
    "mull": "multiply long: products twice as wide as the factors",
    "padal": "pairwise add and accumulate long",
    "tap": "one tap",
    "row": "one row",
    "by": "after another:",
    "3pixels": "three neighbouring output pixels at a time, which share loads",
    "mul16": "operands widened to 16 bits before they are multiplied",
    "mul8": "bytes multiplied to 16 bits, each product added to 32-bit sums",
    "mla8": "products of two taps added in 16 bits before they join 32-bit sums",
    "lane": "by element: one lane of a register times a whole vector",
    "few": "fewer than fill a vector",
    "channels": "of channels",
    "cells": "operands in cells of 4x2",
    "ldrb": "one load of a byte for each element",
    "madd": "multiply-add in general registers",
    "mla": "multiply-add in general registers",
    "umulh": "high half of a product of 64-bit integers, in place of a division",
    "umlal": "long products of 32-bit integers, in place of a division",
    **{row.word: f"scaled to bytes {row.says}" for row in ROUNDINGS.values() if row.says},
}


# What the two sizes of a tile count, where they are not rows and columns: with both sizes, with the first alone.
_TILES = (
    (("qu8_dwconv", "qs8_dwconv", "qs8_qc8w_dwconv", "f32_dwconv"), "{0} channels side by side, {1} taps", ""),
    (("qu8_gavgpool", "qs8_gavgpool", "qu8_avgpool", "u8_maxpool", "s8_maxpool"),
     "{0} channels side by side, {1} rows in the first pass",
     "fewer than {0} channels, any number of rows"),
    (("qs8_avgpool", "f32_avgpool", "f32_gavgpool", "f32_maxpool"), "{0} channels side by side, {1} rows",
     "{0} channels side by side, any number of rows"),
    (("qu8_v", "qs8_v", "qu8_softmax", "qs8_softmax", "u8_clamp", "s8_clamp", "u8_rmax", "x8_", "u8_lut",
      "qu8_requantize", "f32_v", "f32_clamp", "f32_qs", "f32_x8", "f32_softmax", "qs16_f32", "qs8_clamp"),
     "", "{0} elements at a time"),
    (("s32_f32_dequantize", "s32_qs8_"), "", "{0} channels at a time"),
    (("f32_winograd", "qs8_winograd", "qu8_winograd", "s16_winograd", "s32_winograd"),
     "F({0}, {1}): {0} results of a window of {1} taps", ""),
)


def describe_name(word: str, contract: str = "") -> str | None:
    """What a word of a kernel name means, None for an unknown one.

    contract   the kernel's, which decides what the sizes of its tile count

    >>> describe_name("4x8c2")
    'tile of 4 rows and 8 columns, depth taken 2 at a time'
    >>> describe_name("8x9", "qu8_dwconv_q31")
    '8 channels side by side, 9 taps'
    """
    if word in WORDS:
        return WORDS[word]
    match = re.fullmatch(r"(\d+)x(\d+)?(?:c(\d+))?(?:s(\d+))?", word)
    if match is None:
        return None
    rows, columns, group, swizzled = match.groups()
    for prefixes, both, alone in _TILES:
        if contract.startswith(prefixes):
            return both.format(rows, columns) if columns else alone.format(rows)
    text = f"tile of {rows} rows" + (f" and {columns} columns" if columns else "")
    text += f", depth taken {group} at a time" if group else ""
    return text + (f", columns swizzled within {swizzled} such groups" if swizzled else "")
