"""Contracts of element-wise kernels of the newer library: add, multiply, change of scale, leaky ReLU; int8 and uint8.

    a, b     vectors of n elements, or b a constant: the kernels whose names end in c
    y        written; may lie over a vector that is read

Source: (R02, R07, R08, R12, X09, X23, X45).
"""

from __future__ import annotations

from typing import Annotated

from neonsim.quant.vector_params import ConvertParams, LeakyParams, ScaledAddParams
from neonsim.ukernel.contract import Array, In, MulFp32, MulRndnu, Out, Size, contract

__all__ = ["qs8_vadd", "qs8_vaddc", "qs8_vcvt", "qs8_vlrelu", "qs8_vmul_fp32", "qs8_vmul_rndnu", "qs8_vmulc_fp32",
           "qs8_vmulc_rndnu", "qu8_vmul_fp32", "qu8_vmul_rndnu", "qu8_vmulc_fp32", "qu8_vmulc_rndnu", "qu8_vsub",
           "qu8_vsubc"]


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
