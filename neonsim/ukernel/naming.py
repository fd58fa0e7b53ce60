"""Names of kernels: taken apart, with the tile that they say; and their words, said aloud."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache

from neonsim.errors import KernelFileError

__all__ = ["Tile", "describe_name", "split_name"]

_WORDS = {
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
}


@dataclass(frozen=True)
class Tile:
    """Size of what one call computes: `4x8`, `4x8c2` (depth in groups of 2), `4x8c2s4`, `4x` (no columns).

    mr   int          rows
    nr   int | None   columns
    kr   int          depths that are packed side by side for one column
    sr   int          groups of kr depths within which the columns of the weights are rotated; 1: not rotated
    """

    mr: int
    nr: int | None
    kr: int
    sr: int = 1

    def __str__(self) -> str:
        columns = "" if self.nr is None else str(self.nr)
        return (f"{self.mr}x{columns}{f'c{self.kr}' if self.kr > 1 else ''}"
                f"{f's{self.sr}' if self.sr > 1 else ''}")

    @classmethod
    def parse(cls, text: str) -> Tile | None:
        """The tile that is written so, or None."""
        match = re.fullmatch(r"([1-9]\d{0,5})x([1-9]\d{0,5})?(?:c([1-9]\d{0,5}))?(?:s([1-9]\d{0,5}))?", text, re.ASCII)
        if match is None:
            return None
        mr, nr, kr, sr = match.groups()
        return cls(int(mr), int(nr) if nr else None, int(kr or 1), int(sr or 1))


@lru_cache(maxsize=1024)
def split_name(name: str) -> tuple[str, str, str, str]:
    """Take a kernel's name apart: contract, tile, isa, technique.

    >>> split_name("qu8_gemm_q31_4x8__aarch32_neon_mlal_lane")
    ('qu8_gemm_q31', '4x8', 'aarch32', 'neon_mlal_lane')
    """
    match = re.fullmatch(r"([a-z][a-z0-9_]*?)_(\d+x[0-9cs]*)__(aarch32|aarch64)_([a-z0-9_]+)", name)
    if match is None:
        raise KernelFileError(f"{name!r} is not a kernel name. The form is contract_tile__isa_technique, as "
                              f"qu8_gemm_q31_4x8__aarch32_neon_mlal_lane.")
    contract, tile, isa, technique = match.groups()
    return contract, tile, isa, technique


@cache
def _words_of_roundings() -> dict[str, str]:
    from neonsim.quant.rounding import ROUNDINGS  # and numpy, which a list of names does not need

    return {row.word: f"scaled to bytes {row.says}" for row in ROUNDINGS.values() if row.says}


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
    said = _WORDS.get(word) or _words_of_roundings().get(word)
    if said is not None:
        return said
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
