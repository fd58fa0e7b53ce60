"""Contracts of Winograd's convolutions: a transform along one axis, and the product of what was transformed.

In two dimensions a transform is called twice, down the columns and along the rows; strides say where rows lie, so that
the second call also puts every number where the product wants it.

    pixels -> source -> [t * t][tiles, in] -> product -> [t * t][tiles, out] -> destination -> pixels

A transform is a program, `neonsim.quant.winograd.straightline`: which operations in which order. Kernels made by rule
(`neonsim.ukernel.kernelgen`) have the program of their name as instructions and do not read it; portable C does what it
says. Every operation on floats is rounded by itself, integers wrap.

Source: (E15, E17, F18); definitions of our own.
"""

from __future__ import annotations

import numpy as np

from neonsim.quant.winograd.bytecode import evaluate
from neonsim.ukernel.contract import Array, Family, In, Int32, Out, Size

__all__ = ["GEMM_S16", "TRANSFORM"]

TRANSFORM = Family(
    "transform", count=Size("elements of a row, >= 1"), x=In("{x}", "inputs count", stride="x_stride"),
    y=Out("{y}", "outputs count", stride="y_stride"), inputs=Size("n + k - 1, at most 16"), outputs=Size("{outputs}"),
    steps=Size("of the program, stores included; at most 256"),
    program=In("int32", "steps 4", "`Program.words` of the {which}"))
ZEROED = TRANSFORM.but("transform_by", before="inputs", zero_point=Int32("{range}"))
SHIFTED = TRANSFORM.but("transform_by", before="inputs", shift=Int32(
    "0..31: what both axes owe, along the last of them; 0 along another"))
GEMM_S16 = Family(
    "gemm_s16", mr=Size("rows, 1..MR"), nr=Size("columns, 1..8"), kc=Size("depth, at least 1"),
    a=In("int16", "mr kc", stride="a_stride"),
    w=In("int16", "kc 8", "depth by depth; columns from nr on are read and not used"), bias=In("int32", "8",
                                                                                               "where sums begin"),
    c=Out("int32", "mr nr", stride="c_stride"))


def _transform(program: Array, x: Array, outputs: int) -> Array:
    return np.asarray(evaluate(program, x, outputs))


def _zeroed(program: Array, x: Array, outputs: int, zero_point: int) -> Array:
    return np.asarray(evaluate(program, x.astype(np.int16) - np.int16(zero_point), outputs))


_FLOATS, _BYTES = "the flow of MNN's Winograd layers", "the transforms of ncnn's int8 Winograd layers"
TRANSFORM.row(
    "f32_winograd_source", _transform, x="float32", y="float32", outputs="n + k - 1", which="source transform",
    says="Transform rows of pixels for F(n, k) along one axis.", formula="y <- B^T x, by the steps of the program",
    notes="Numbers below the smallest normal one are those of the unit that adds: AArch32's Advanced SIMD makes them "
          "0.",
    source=_FLOATS)
TRANSFORM.row(
    "f32_winograd_destination", _transform, x="float32", y="float32", outputs="n", which="destination transform",
    says="Transform rows of sums for F(n, k) along one axis.", formula="y <- A^T x, by the steps of the program",
    notes="Numbers below the smallest normal one are those of the unit that adds: AArch32's Advanced SIMD makes them "
          "0.",
    source=_FLOATS)
for q, t, low in (("qs8", "int8", -128), ("qu8", "uint8", 0)):
    ZEROED.row(
        f"{q}_winograd_source", _zeroed, x=t, y="int16", range=f"{low}..{low + 255}", outputs="n + k - 1",
        which="source transform of integers", says=f"Transform rows of {t} pixels for F(n, k) along one axis.",
        formula="y <- B^T (x - zero_point), in int16, by the steps of the program", source=_BYTES)
TRANSFORM.row(
    "s16_winograd_source", _transform, x="int16", y="int16", outputs="n + k - 1",
    which="source transform of integers",
    says="Transform rows of int16 for F(n, k) along the other axis.",
    formula="y <- B^T x, wraps at 16 bits, by the steps of the program", source=_BYTES)
SHIFTED.row(
    "s32_winograd_destination", lambda program, x, outputs, shift: evaluate(program, x, outputs) >> np.int32(shift),
    x="int32", y="int32", outputs="n", which="destination transform of integers",
    says="Transform rows of int32 sums for F(n, k) along one axis.",
    formula="y <- (A^T x / odd) >> shift, wraps at 32 bits before it is shifted, by the steps of the program",
    source=_BYTES)
GEMM_S16.row(
    "s16_gemm_s32", lambda a, w, bias, nr: (a.astype(np.int32) @ w.astype(np.int32) + bias)[:, :nr],
    says="Multiply rows of int16 by a block of eight columns of int16 into int32 sums.", formula="c <- a @ w + bias",
    notes="Sums wrap at 32 bits.")
