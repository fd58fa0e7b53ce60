"""Contracts of Winograd's convolutions: a transform along one axis, and the product of what was transformed.

In two dimensions a transform is called twice, down the columns and along the rows; strides say where rows lie, so that
the second call also puts every number where the product wants it.

    pixels -> source -> [t * t][tiles, in] -> product -> [t * t][tiles, out] -> destination -> pixels

A transform is a program, `neonsim.quant.winograd.straightline`: which operations in which order. Kernels made by rule
(`neonsim.ukernel.kernelgen`) have the program of their name as instructions and do not read it; portable C does what it
says. Every operation on floats is rounded by itself, whole numbers wrap.

Source: (E15, E17, F18); definitions of our own.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from neonsim.quant.winograd.bytecode import evaluate
from neonsim.ukernel.contract import Array, In, Int32, Out, Size, contract

__all__ = ["f32_winograd_destination", "f32_winograd_source", "qs8_winograd_source", "qu8_winograd_source",
           "s16_gemm_s32", "s16_winograd_source", "s32_winograd_destination"]


@contract
def f32_winograd_source(
    count: Size,
    x: Annotated[Array, In("float32", "inputs count", stride="x_stride")],
    y: Annotated[Array, Out("float32", "outputs count", stride="y_stride")],
    inputs: Size,
    outputs: Size,
    steps: Size,
    program: Annotated[Array, In("int32", "steps 4")],
) -> None:
    """Transform rows of pixels for F(n, k) along one axis.

    y <- B^T x, by the steps of the program

    count     size                        elements of a row, >= 1
    x         float32 [inputs, count]     rows x_stride bytes apart
    y         float32 [outputs, count]    rows y_stride bytes apart; written
    inputs    size                        n + k - 1, at most 16
    outputs   size                        n + k - 1
    steps     size                        of the program, stores included; at most 256
    program   int32 [steps, 4]            `Program.words` of the source transform

    Numbers below the smallest normal one are those of the unit that adds: AArch32's Advanced SIMD makes them 0.
    Source: the flow of MNN's Winograd layers; definition of our own.
    """
    y[...] = evaluate(program, x, outputs)


@contract
def f32_winograd_destination(
    count: Size,
    x: Annotated[Array, In("float32", "inputs count", stride="x_stride")],
    y: Annotated[Array, Out("float32", "outputs count", stride="y_stride")],
    inputs: Size,
    outputs: Size,
    steps: Size,
    program: Annotated[Array, In("int32", "steps 4")],
) -> None:
    """Transform rows of sums for F(n, k) along one axis.

    y <- A^T x, by the steps of the program

    outputs   size                 n
    program   int32 [steps, 4]     `Program.words` of the destination transform
    others    as f32_winograd_source

    Source: the flow of MNN's Winograd layers; definition of our own.
    """
    y[...] = evaluate(program, x, outputs)


@contract
def qs8_winograd_source(
    count: Size,
    x: Annotated[Array, In("int8", "inputs count", stride="x_stride")],
    y: Annotated[Array, Out("int16", "outputs count", stride="y_stride")],
    zero_point: Int32,
    inputs: Size,
    outputs: Size,
    steps: Size,
    program: Annotated[Array, In("int32", "steps 4")],
) -> None:
    """Transform rows of int8 pixels for F(n, k) along one axis.

    y <- B^T (x - zero_point), in int16, by the steps of the program

    x            int8 [inputs, count]      rows x_stride bytes apart
    y            int16 [outputs, count]    rows y_stride bytes apart; written
    zero_point   int32                     -128..127
    program      int32 [steps, 4]          `Program.words` of the source transform of whole numbers
    others       as f32_winograd_source

    Source: the transforms of ncnn's int8 Winograd layers; definition of our own.
    """
    y[...] = evaluate(program, x.astype(np.int16) - np.int16(zero_point), outputs)


@contract
def qu8_winograd_source(
    count: Size,
    x: Annotated[Array, In("uint8", "inputs count", stride="x_stride")],
    y: Annotated[Array, Out("int16", "outputs count", stride="y_stride")],
    zero_point: Int32,
    inputs: Size,
    outputs: Size,
    steps: Size,
    program: Annotated[Array, In("int32", "steps 4")],
) -> None:
    """Transform rows of uint8 pixels for F(n, k) along one axis.

    y <- B^T (x - zero_point), in int16, by the steps of the program

    x            uint8 [inputs, count]     rows x_stride bytes apart
    zero_point   int32                     0..255
    others       as qs8_winograd_source

    Source: the transforms of ncnn's int8 Winograd layers; definition of our own.
    """
    y[...] = evaluate(program, x.astype(np.int16) - np.int16(zero_point), outputs)


@contract
def s16_winograd_source(
    count: Size,
    x: Annotated[Array, In("int16", "inputs count", stride="x_stride")],
    y: Annotated[Array, Out("int16", "outputs count", stride="y_stride")],
    inputs: Size,
    outputs: Size,
    steps: Size,
    program: Annotated[Array, In("int32", "steps 4")],
) -> None:
    """Transform rows of int16 for F(n, k) along the other axis.

    y <- B^T x, wraps at 16 bits, by the steps of the program

    x         int16 [inputs, count]      rows x_stride bytes apart
    y         int16 [outputs, count]     rows y_stride bytes apart; written
    others    as qs8_winograd_source

    Source: the transforms of ncnn's int8 Winograd layers; definition of our own.
    """
    y[...] = evaluate(program, x, outputs)


@contract
def s32_winograd_destination(
    count: Size,
    x: Annotated[Array, In("int32", "inputs count", stride="x_stride")],
    y: Annotated[Array, Out("int32", "outputs count", stride="y_stride")],
    shift: Int32,
    inputs: Size,
    outputs: Size,
    steps: Size,
    program: Annotated[Array, In("int32", "steps 4")],
) -> None:
    """Transform rows of int32 sums for F(n, k) along one axis.

    y <- (A^T x / odd) >> shift, wraps at 32 bits before it is shifted, by the steps of the program

    x         int32 [inputs, count]      rows x_stride bytes apart
    y         int32 [outputs, count]     rows y_stride bytes apart; written
    shift     int32                      0..31: what both axes owe, along the last of them; 0 along another
    program   int32 [steps, 4]           `Program.words` of the destination transform of whole numbers
    others    as f32_winograd_destination

    Source: the transforms of ncnn's int8 Winograd layers; definition of our own.
    """
    y[...] = evaluate(program, x, outputs) >> np.int32(shift)


@contract
def s16_gemm_s32(
    mr: Size,
    nr: Size,
    kc: Size,
    a: Annotated[Array, In("int16", "mr kc", stride="a_stride")],
    w: Annotated[Array, In("int16", "kc 8")],
    bias: Annotated[Array, In("int32", "8")],
    c: Annotated[Array, Out("int32", "mr nr", stride="c_stride")],
) -> None:
    """Multiply rows of int16 by a block of eight columns of int16 into int32 sums.

    c <- a @ w + bias

    mr         size               rows, 1..MR
    nr         size               columns, 1..8
    kc         size               depth, >= 1
    a          int16 [mr, kc]     rows a_stride bytes apart
    w          int16 [kc, 8]      depth by depth; columns from nr on are read and not used
    bias       int32 [8]          where sums begin
    c          int32 [mr, nr]     rows c_stride bytes apart; written

    Sums wrap at 32 bits. Definition of our own.
    """
    c[...] = (a.astype(np.int32) @ w.astype(np.int32) + bias)[:, :nr]
