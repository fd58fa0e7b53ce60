"""Contracts of element-wise kernels: add, multiply, clamp, change of scale, leaky ReLU; largest, interleave, look up.

    a, b     vectors of n elements, or b a constant: the kernels whose names end in c
    y        written; may lie over a vector that is read

Source: (C08, K12, K32, K34, K35, K36, K37, M14, R02, R07, R08, R12, X09, X23, X45).
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from neonsim.quant.params.elementwise import AddParams, ClampParams
from neonsim.quant.params.qs8_elementwise import ConvertParams, LeakyParams, ScaledAddParams
from neonsim.quant.reference import operators
from neonsim.ukernel.contract import Array, In, MulFp32, MulRndnu, Out, Scratch, Size, contract

__all__ = ["qs8_softmax", "qs8_vadd", "qs8_vaddc", "qs8_vcvt", "qs8_vlrelu", "qs8_vmul_fp32", "qs8_vmul_rndnu",
           "qs8_vmulc_fp32", "qs8_vmulc_rndnu", "qu8_softmax", "qu8_vadd", "qu8_vmul_fp32", "qu8_vmul_rndnu",
           "qu8_vmulc_fp32", "qu8_vmulc_rndnu", "qu8_vsub", "qu8_vsubc", "s8_clamp", "u8_clamp", "u8_lut32norm",
           "u8_rmax", "x8_lut", "x8_zip_x2", "x8_zip_x3", "x8_zip_x4", "x8_zip_xm"]


@contract
def qu8_vadd(
    n: Size,
    a: Annotated[Array, In("uint8", "n")],
    b: Annotated[Array, In("uint8", "n")],
    y: Annotated[Array, Out("uint8", "n")],
    params: AddParams,
) -> None:
    """Add two vectors of quantised bytes.

    y[i] <- clamp(round((a_multiplier * (a[i] - a_zero_point) + b_multiplier * (b[i] - b_zero_point)) / 2**shift) + zp)

    n        size        >= 1
    a, b     uint8 [n]
    y        uint8 [n]   written; may be a, b or both
    params   AddParams

    Source: QNNPACK's q8vadd argument order; definition of our own.
    """
    y[...] = params.add(a, b)


@contract
def u8_clamp(
    n: Size,
    x: Annotated[Array, In("uint8", "n")],
    y: Annotated[Array, Out("uint8", "n")],
    params: ClampParams,
) -> None:
    """Keep bytes within two limits.

    y[i] <- min(max(x[i], output_min), output_max)

    n        size        >= 1
    x        uint8 [n]
    y        uint8 [n]   written; may be x
    params   ClampParams

    Source: QNNPACK's u8clamp argument order; definition of our own.
    """
    y[...] = params.clamp(x)


@contract
def s8_clamp(
    n: Size,
    x: Annotated[Array, In("int8", "n")],
    y: Annotated[Array, Out("int8", "n")],
    params: ClampParams,
) -> None:
    """Keep signed bytes within two limits.

    y[i] <- min(max(x[i], output_min), output_max)

    x        int8 [n]
    y        int8 [n]   written; may be x
    params   ClampParams of dtype int8
    others   as u8_clamp

    Source: u8_clamp's argument order, XNNPACK's clamp for s8; definition of our own.
    """
    y[...] = params.clamp(x)


@contract
def u8_rmax(
    n: Size,
    x: Annotated[Array, In("uint8", "n")],
    y: Annotated[Array, Out("uint8", "1")],
) -> None:
    """Find the largest byte.

    y[0] <- largest of x[i]

    n   size        >= 1
    x   uint8 [n]
    y   uint8 [1]   written

    Source: QNNPACK's u8rmax, which returns the value instead; definition of our own.
    """
    y[0] = x.max()


def _zip(x: Array, y: Array) -> None:
    y[...] = x.T


@contract
def x8_zip_x2(
    n: Size,
    x: Annotated[Array, In("uint8", "2 n")],
    y: Annotated[Array, Out("uint8", "n 2")],
) -> None:
    """Interleave two vectors of bytes.

    y[i, j] <- x[j, i]

    n   size           >= 1
    x   uint8 [2, n]   one vector behind the other
    y   uint8 [n, 2]   written

    Source: QNNPACK's x8zip argument order; definition of our own.
    """
    _zip(x, y)


@contract
def x8_zip_x3(
    n: Size,
    x: Annotated[Array, In("uint8", "3 n")],
    y: Annotated[Array, Out("uint8", "n 3")],
) -> None:
    """Interleave three vectors of bytes.

    y[i, j] <- x[j, i]

    n   size           >= 1
    x   uint8 [3, n]   one vector behind the other
    y   uint8 [n, 3]   written

    Source: QNNPACK's x8zip argument order; definition of our own.
    """
    _zip(x, y)


@contract
def x8_zip_x4(
    n: Size,
    x: Annotated[Array, In("uint8", "4 n")],
    y: Annotated[Array, Out("uint8", "n 4")],
) -> None:
    """Interleave four vectors of bytes.

    y[i, j] <- x[j, i]

    n   size           >= 1
    x   uint8 [4, n]   one vector behind the other
    y   uint8 [n, 4]   written

    Source: QNNPACK's x8zip argument order; definition of our own.
    """
    _zip(x, y)


@contract
def x8_zip_xm(
    n: Size,
    m: Size,
    x: Annotated[Array, In("uint8", "m n")],
    y: Annotated[Array, Out("uint8", "n m")],
) -> None:
    """Interleave any number of vectors of bytes.

    y[i, j] <- x[j, i]

    n   size           elements of a vector, >= 1
    m   size           vectors, >= 4
    x   uint8 [m, n]   one vector behind the other
    y   uint8 [n, m]   written

    Source: QNNPACK's x8zip argument order; definition of our own.
    """
    _zip(x, y)


@contract
def x8_lut(
    n: Size,
    x: Annotated[Array, In("uint8", "n")],
    t: Annotated[Array, In("uint8", "256")],
    y: Annotated[Array, Out("uint8", "n")],
) -> None:
    """Look bytes up in a table.

    y[i] <- t[x[i]]

    n   size          >= 1
    x   uint8 [n]
    t   uint8 [256]
    y   uint8 [n]     written; may be x

    Source: QNNPACK's x8lut argument order; definition of our own.
    """
    y[...] = t[x]


@contract
def u8_lut32norm(
    n: Size,
    x: Annotated[Array, In("uint8", "n")],
    t: Annotated[Array, In("uint32", "256")],
    y: Annotated[Array, Out("uint8", "n")],
) -> None:
    """Look bytes up in a table and divide by their sum: the last step of softargmax.

    s = sum over i of t[x[i]];   y[i] <- min(255, (256 * t[x[i]] + s // 2) // s)

    n   size           >= 1
    x   uint8 [n]
    t   uint32 [256]   entries below 2**23, and their sum over x from 1 up to 2**32 - 1
    y   uint8 [n]      written; may be x

    Source: QNNPACK's u8lut32norm argument order; definition of our own.
    """
    found = t[x].astype(np.int64)
    total = int(found.sum())
    y[...] = np.minimum((256 * found + total // 2) // total, 255)


@contract
def qs8_softmax(
    n: Size,
    x: Annotated[Array, In("int8", "n")],
    t: Annotated[Array, In("float32", "256")],
    buffer: Annotated[Array, Scratch("float32", "n:8")],
    y: Annotated[Array, Out("int8", "n")],
) -> None:
    """Shares of exponentials in steps of 1/256, in single precision and added from the first to the last.

    s = sum over i of t[largest - x[i]];   y[i] <- min(round(t[largest - x[i]] * (1 / (s / 256))) - 128, 127)

    n        size            >= 1
    x        int8 [n]
    t        float32 [256]   not negative, t[0] above 0: exponentials of what bytes fall short of the largest
    buffer   float32 [n]     rounded up to 8
    y        int8 [n]        written; may be x

    Every step is rounded by itself; the last one to nearest, ties up.
    Source: TensorFlow Lite's optimised softmax for bytes; definition of our own.
    """
    y[...] = operators.softmax(x, t, zero_point=-128)


@contract
def qu8_softmax(
    n: Size,
    x: Annotated[Array, In("uint8", "n")],
    t: Annotated[Array, In("float32", "256")],
    buffer: Annotated[Array, Scratch("float32", "n:8")],
    y: Annotated[Array, Out("uint8", "n")],
) -> None:
    """Shares of exponentials in steps of 1/256, in single precision and added from the first to the last.

    s = sum over i of t[largest - x[i]];   y[i] <- min(floor(t[largest - x[i]] * (1 / (s / 256)) + 1/2), 255)

    x        uint8 [n]
    y        uint8 [n]       written; may be x
    others   as qs8_softmax

    Every step is rounded by itself, the addition of 1/2 too: just below a half it goes up.
    Source: TensorFlow Lite's optimised softmax for bytes; definition of our own.
    """
    y[...] = operators.softmax(x, t, zero_point=0)


@contract
def qs8_vadd(
    n: Size,
    a: Annotated[Array, In("int8", "n")],
    b: Annotated[Array, In("int8", "n")],
    y: Annotated[Array, Out("int8", "n")],
    params: ScaledAddParams,
) -> None:
    """Add two vectors of int8, each with a scale and a zero point.

    y[i] <- clamp(((ma * (a[i] - za) + mb * (b[i] - zb) + 2**(shift-1)) >> shift) + zp)

    n        size        >= 1
    a, b     int8 [n]
    y        int8 [n]    written; may be a, b or both
    params   ScaledAddParams

    Source: XNNPACK's vadd for qs8 (factors of 21 bits, ties up); definition of our own.
    """
    y[...] = params.add(a, b)


@contract
def qs8_vaddc(
    n: Size,
    a: Annotated[Array, In("int8", "n")],
    b: Annotated[Array, In("int8", "1")],
    y: Annotated[Array, Out("int8", "n")],
    params: ScaledAddParams,
) -> None:
    """Add one value to a vector of int8, each with a scale and a zero point.

    y[i] <- clamp(((ma * (a[i] - za) + mb * (b[0] - zb) + 2**(shift-1)) >> shift) + zp)

    b        int8 [1]    the constant
    others   as qs8_vadd; y may be a

    Source: XNNPACK's vaddc for qs8; definition of our own.
    """
    y[...] = params.add(a, b)


@contract
def qs8_vmul_fp32(
    n: Size,
    a: Annotated[Array, In("int8", "n")],
    b: Annotated[Array, In("int8", "n")],
    y: Annotated[Array, Out("int8", "n")],
    params: MulFp32,
) -> None:
    """Multiply two vectors of int8 element by element: single precision, ties to even.

    y[i] <- clamp(round((a[i] - za) * (b[i] - zb) * scale) + zp)

    n        size        >= 1
    a, b     int8 [n]
    y        int8 [n]    written; may be a, b or both
    params   MultiplyParams of scheme 'fp32'

    Source: XNNPACK's vmul for qs8, fp32; definition of our own.
    """
    y[...] = params.multiply(a, b)


@contract
def qs8_vmulc_fp32(
    n: Size,
    a: Annotated[Array, In("int8", "n")],
    b: Annotated[Array, In("int8", "1")],
    y: Annotated[Array, Out("int8", "n")],
    params: MulFp32,
) -> None:
    """Multiply a vector of int8 by one value: single precision, ties to even.

    y[i] <- clamp(round((a[i] - za) * (b[0] - zb) * scale) + zp)

    b        int8 [1]    the constant
    others   as qs8_vmul_fp32; y may be a

    Source: XNNPACK's vmulc for qs8, fp32; definition of our own.
    """
    y[...] = params.multiply(a, b)


@contract
def qs8_vmul_rndnu(
    n: Size,
    a: Annotated[Array, In("int8", "n")],
    b: Annotated[Array, In("int8", "n")],
    y: Annotated[Array, Out("int8", "n")],
    params: MulRndnu,
) -> None:
    """Multiply two vectors of int8 element by element: one exact rounding, ties up.

    y[i] <- clamp(round((a[i] - za) * (b[i] - zb) * scale) + zp)

    n        size        >= 1
    a, b     int8 [n]
    y        int8 [n]    written; may be a, b or both
    params   MultiplyParams of scheme 'rndnu'

    Source: XNNPACK's vmul for qs8, rndnu; definition of our own.
    """
    y[...] = params.multiply(a, b)


@contract
def qs8_vmulc_rndnu(
    n: Size,
    a: Annotated[Array, In("int8", "n")],
    b: Annotated[Array, In("int8", "1")],
    y: Annotated[Array, Out("int8", "n")],
    params: MulRndnu,
) -> None:
    """Multiply a vector of int8 by one value: one exact rounding, ties up.

    y[i] <- clamp(round((a[i] - za) * (b[0] - zb) * scale) + zp)

    b        int8 [1]    the constant
    others   as qs8_vmul_rndnu; y may be a

    Source: XNNPACK's vmulc for qs8, rndnu; definition of our own.
    """
    y[...] = params.multiply(a, b)


@contract
def qu8_vmul_fp32(
    n: Size,
    a: Annotated[Array, In("uint8", "n")],
    b: Annotated[Array, In("uint8", "n")],
    y: Annotated[Array, Out("uint8", "n")],
    params: MulFp32,
) -> None:
    """Multiply two vectors of uint8 element by element: single precision, ties to even.

    y[i] <- clamp(round((a[i] - za) * (b[i] - zb) * scale) + zp)

    n        size        >= 1
    a, b     uint8 [n]
    y        uint8 [n]   written; may be a, b or both
    params   MultiplyParams of scheme 'fp32'

    Source: XNNPACK's vmul for qu8, fp32; definition of our own.
    """
    y[...] = params.multiply(a, b)


@contract
def qu8_vmulc_fp32(
    n: Size,
    a: Annotated[Array, In("uint8", "n")],
    b: Annotated[Array, In("uint8", "1")],
    y: Annotated[Array, Out("uint8", "n")],
    params: MulFp32,
) -> None:
    """Multiply a vector of uint8 by one value: single precision, ties to even.

    y[i] <- clamp(round((a[i] - za) * (b[0] - zb) * scale) + zp)

    b        uint8 [1]    the constant
    others   as qu8_vmul_fp32; y may be a

    Source: XNNPACK's vmulc for qu8, fp32; definition of our own.
    """
    y[...] = params.multiply(a, b)


@contract
def qs8_vcvt(
    n: Size,
    x: Annotated[Array, In("int8", "n")],
    y: Annotated[Array, Out("int8", "n")],
    params: ConvertParams,
) -> None:
    """Give a vector of int8 another scale and zero point.

    y[i] <- saturate((((x[i] - zx) * multiplier + 128) >> 8) + zy)

    n        size        >= 1
    x        int8 [n]
    y        int8 [n]    written; may be x
    params   ConvertParams

    Source: XNNPACK's vcvt for qs8; definition of our own.
    """
    y[...] = params.convert(x)


@contract
def qs8_vlrelu(
    n: Size,
    x: Annotated[Array, In("int8", "n")],
    y: Annotated[Array, Out("int8", "n")],
    params: LeakyParams,
) -> None:
    """Leaky ReLU of a vector of int8, with another scale and zero point.

    y[i] <- saturate((((x[i] - zx) * multiplier + 128) >> 8) + zy), the multiplier by the sign of x[i] - zx

    n        size        >= 1
    x        int8 [n]
    y        int8 [n]    written; may be x
    params   LeakyParams

    Source: XNNPACK's vlrelu for qs8; definition of our own.
    """
    y[...] = params.apply(x)


@contract
def qu8_vmul_rndnu(
    n: Size,
    a: Annotated[Array, In("uint8", "n")],
    b: Annotated[Array, In("uint8", "n")],
    y: Annotated[Array, Out("uint8", "n")],
    params: MulRndnu,
) -> None:
    """Multiply two vectors of uint8 element by element: one exact rounding, ties up.

    y[i] <- clamp(round((a[i] - za) * (b[i] - zb) * scale) + zp)

    n        size        >= 1
    a, b     uint8 [n]
    y        uint8 [n]   written; may be a, b or both
    params   MultiplyParams of scheme 'rndnu'

    Source: XNNPACK's vmul for qu8, rndnu; definition of our own.
    """
    y[...] = params.multiply(a, b)


@contract
def qu8_vmulc_rndnu(
    n: Size,
    a: Annotated[Array, In("uint8", "n")],
    b: Annotated[Array, In("uint8", "1")],
    y: Annotated[Array, Out("uint8", "n")],
    params: MulRndnu,
) -> None:
    """Multiply a vector of uint8 by one value: one exact rounding, ties up.

    y[i] <- clamp(round((a[i] - za) * (b[0] - zb) * scale) + zp)

    b        uint8 [1]   the constant
    others   as qu8_vmul_rndnu; y may be a

    Source: XNNPACK's vmulc for qu8, rndnu; definition of our own.
    """
    y[...] = params.multiply(a, b)


@contract
def qu8_vsub(
    n: Size,
    a: Annotated[Array, In("uint8", "n")],
    b: Annotated[Array, In("uint8", "n")],
    y: Annotated[Array, Out("uint8", "n")],
    params: ScaledAddParams,
) -> None:
    """Subtract two vectors of uint8, each with a scale and a zero point.

    y[i] <- clamp(((ma * (a[i] - za) + mb * (b[i] - zb) + 2**(shift-1)) >> shift) + zp)

    n        size        >= 1
    a, b     uint8 [n]
    y        uint8 [n]   written; may be a, b or both
    params   ScaledAddParams of dtype uint8, which subtracts by a negative factor

    Source: XNNPACK's vadd for qu8 (factors of 21 bits, ties up; sums of uint8 are qu8_vadd's, in QNNPACK's form);
    definition of our own.
    """
    y[...] = params.add(a, b)


@contract
def qu8_vsubc(
    n: Size,
    a: Annotated[Array, In("uint8", "n")],
    b: Annotated[Array, In("uint8", "1")],
    y: Annotated[Array, Out("uint8", "n")],
    params: ScaledAddParams,
) -> None:
    """Subtract one value and a vector of uint8, each with a scale and a zero point, either from the other.

    y[i] <- clamp(((ma * (a[i] - za) + mb * (b[0] - zb) + 2**(shift-1)) >> shift) + zp)

    b        uint8 [1]   the constant
    others   as qu8_vsub; y may be a

    Source: XNNPACK's vaddc for qu8; definition of our own.
    """
    y[...] = params.add(a, b)
