"""Contracts of element-wise kernels: add, multiply, clamp, change of scale, leaky ReLU; largest, interleave, look up.

    a, b     vectors of n elements, or b a constant: the kernels whose names end in c
    y        written; may lie over a vector that is read

Source: (C08, K12, K32, K34, K35, K36, K37, M14, R02, R07, R08, R12, X09, X23, X45).
"""

from __future__ import annotations

import numpy as np

from neonsim.quant.params.elementwise import (
    AddParams,
    ClampParams,
    ConvertParams,
    LeakyParams,
    MultiplyParams,
    ScaledAddParams,
)
from neonsim.quant.reference import operators
from neonsim.quant.rounding import served
from neonsim.ukernel.contract import Array, Family, In, Out, Params, Scratch, Size

__all__ = ["BINARY", "UNARY"]

BINARY = Family("binary", n=Size("elements, at least 1"), a=In("{t}", "n"), b=In("{t}", "n"), y=Out("{t}", "n",
                                                                                                    over="a b"),
                params=Params())
CONSTANT = BINARY.but("binary", b=In("{t}", "1", "the constant"), y=Out("{t}", "n", over="a"))
VADD = BINARY.but("vadd", a=In("uint8", "n"), b=In("uint8", "n"), y=Out("uint8", "n", over="a b"))
UNARY = Family("unary", n=Size("elements, at least 1"), x=In("{t}", "n"), y=Out("{t}", "n", over="x"), params=Params())
CLAMP = UNARY.but("clamp")
LARGEST = Family("bytes", n=Size("elements, at least 1"), x=In("uint8", "n"), y=Out("uint8", "1"))
ZIP = LARGEST.but("bytes", x=In("uint8", "{m} n", "one vector behind the other"), y=Out("uint8", "n {m}"))
ZIP_XM = Family("zip_xm", n=Size("elements of a vector, >= 1"), m=Size("vectors, >= 4"),
                x=In("uint8", "m n", "one vector behind the other"), y=Out("uint8", "n m"))
LUT = Family("lut", n=Size("elements, at least 1"), x=In("uint8", "n"), t=In("uint8", "256"), y=Out("uint8", "n",
                                                                                                    over="x"))
LUT32NORM = LUT.but("lut32norm", t=In("uint32", "256", "entries below 2**23; their sum over x is 1 to 2**32 - 1"))
SOFTMAX = Family(
    "softmax", n=Size("elements, at least 1"), x=In("{t}", "n"),
    t=In("float32", "256", "not negative, t[0] above 0: exponentials of what bytes fall short of the largest"),
    buffer=Scratch("float32", "n:8"), y=Out("{t}", "n", over="x"))


def _combine(params: AddParams | ScaledAddParams | MultiplyParams, a: Array, b: Array) -> Array:
    return params.combine(a, b)


VADD.row("qu8_vadd", _combine, params=AddParams, says="Add two vectors of quantised bytes.",
         formula="y[i] <- clamp(round((a_multiplier * (a[i] - a_zero_point) + b_multiplier * (b[i] - b_zero_point)) / "
                 "2**shift) + zp)",
         source="QNNPACK's q8vadd argument order")
for family, c, index in ((BINARY, "", "i"), (CONSTANT, "c", "0")):
    added = f"y[i] <- clamp(((ma * (a[i] - za) + mb * (b[{index}] - zb) + 2**(shift-1)) >> shift) + zp)"
    family.row(f"qs8_vadd{c}", _combine, t="int8", params=ScaledAddParams, formula=added,
               says=f"Add {'one value to a vector' if c else 'two vectors'} of int8, each with a scale and a zero "
                    f"point.",
               source=f"XNNPACK's vadd{c} for qs8 (factors of 21 bits, ties up)")
    family.row(f"qu8_vsub{c}", _combine, t="uint8", params=ScaledAddParams, formula=added,
               block="of dtype uint8, which subtracts by a negative factor",
               says="Subtract one value and a vector of uint8, each with a scale and a zero point, either from the "
                    "other."
                    if c else "Subtract two vectors of uint8, each with a scale and a zero point.",
               source=f"XNNPACK's vadd{c} for qu8 (factors of 21 bits, ties up; sums of uint8 are qu8_vadd's, in "
                      "QNNPACK's form)")
    for row in served("vmul"):
        for q, t in (("qs8", "int8"), ("qu8", "uint8")):
            both = f"a vector of {t} by one value" if c else f"two vectors of {t} element by element"
            family.row(f"{q}_vmul{c}_{row.word}", _combine, t=t, params=(MultiplyParams, row.word),
                       says=f"Multiply {both}, {row.says}.",
                       formula=f"y[i] <- clamp(round((a[i] - za) * (b[{index}] - zb) * scale) + zp)",
                       source=f"XNNPACK's vmul{c} for {q}, {row.word}")


def _clamp(params: ClampParams, x: Array) -> Array:
    return params.clamp(x)


def _apply(params: ConvertParams | LeakyParams, x: Array) -> Array:
    return params.apply(x)


CLAMP.row("u8_clamp", _clamp, t="uint8", params=ClampParams, says="Keep bytes within two limits.",
          formula="y[i] <- min(max(x[i], output_min), output_max)", source="QNNPACK's u8clamp argument order")
CLAMP.row("s8_clamp", _clamp, t="int8", params=ClampParams, block="of dtype int8",
          says="Keep signed bytes within two limits.", formula="y[i] <- min(max(x[i], output_min), output_max)",
          source="u8_clamp's argument order, XNNPACK's clamp for s8")
UNARY.row("qs8_vcvt", _apply, t="int8", params=ConvertParams,
          says="Give a vector of int8 another scale and zero point.",
          formula="y[i] <- saturate((((x[i] - zx) * multiplier + 128) >> 8) + zy)", source="XNNPACK's vcvt for qs8")
UNARY.row("qs8_vlrelu", _apply, t="int8", params=LeakyParams,
          says="Leaky ReLU of a vector of int8, with another scale and zero point.",
          formula="y[i] <- saturate((((x[i] - zx) * multiplier + 128) >> 8) + zy), the multiplier by the sign of x[i] "
                  "- zx",
          source="XNNPACK's vlrelu for qs8")


def _transpose(x: Array) -> Array:
    return x.T


LARGEST.row("u8_rmax", lambda x: x.max(), says="Find the largest byte.", formula="y[0] <- largest of x[i]",
            source="QNNPACK's u8rmax, which returns the value instead")
for m, number in enumerate(("two", "three", "four"), start=2):
    ZIP.row(f"x8_zip_x{m}", _transpose, m=str(m), says=f"Interleave {number} vectors of bytes.",
            formula="y[i, j] <- x[j, i]", source="QNNPACK's x8zip argument order")
ZIP_XM.row("x8_zip_xm", _transpose, says="Interleave any number of vectors of bytes.", formula="y[i, j] <- x[j, i]",
           source="QNNPACK's x8zip argument order")


def _shares(x: Array, t: Array) -> Array:
    found = t[x].astype(np.int64)
    total = int(found.sum())
    return np.minimum((256 * found + total // 2) // total, 255)


def _softmax(x: Array, t: Array) -> Array:
    return operators.softmax(x, t, zero_point=np.iinfo(x.dtype).min)


LUT.row("x8_lut", lambda x, t: t[x], says="Look bytes up in a table.", formula="y[i] <- t[x[i]]",
        source="QNNPACK's x8lut argument order")
LUT32NORM.row("u8_lut32norm", _shares,
              says="Look bytes up in a table and divide by their sum: the last step of softargmax.",
              formula="s = sum over i of t[x[i]];   y[i] <- min(255, (256 * t[x[i]] + s // 2) // s)",
              source="QNNPACK's u8lut32norm argument order")
for q, t, rounded, how in (
        ("qs8", "int8", "min(round(t[largest - x[i]] * (1 / (s / 256))) - 128, 127)",
         "Every step is rounded by itself; the last one to nearest, ties up."),
        ("qu8", "uint8", "min(floor(t[largest - x[i]] * (1 / (s / 256)) + 1/2), 255)",
         "Every step is rounded by itself, the addition of 1/2 too: just below a half it goes up.")):
    SOFTMAX.row(f"{q}_softmax", _softmax, t=t, notes=how,
                says="Shares of exponentials in steps of 1/256, in single precision and added from the first to the "
                     "last.",
                formula=f"s = sum over i of t[largest - x[i]];   y[i] <- {rounded}",
                source="TensorFlow Lite's optimised softmax for bytes")
