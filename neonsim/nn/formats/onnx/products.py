"""Convolutions and products."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.nn.formats.onnx.convert import LAST, ConvertedTensor, Converter, Misfit, Shape, one_per_result
from neonsim.nn.formats.onnx.pooling import image_of, windows_of
from neonsim.nn.formats.onnx.qdq import Group
from neonsim.nn.formats.onnx.read import OnnxNode
from neonsim.nn.formats.onnx.words import WINDOW, reads

__all__: list[str] = []

ROWS, COLUMNS = (0, 1), (1, 0)      # of a matrix: the weights of one result are a row of it, or a column


def _convolved(node: OnnxNode, x: ConvertedTensor, weights: Shape) -> tuple[dict[str, Any], Shape]:
    """Attributes of a convolution by such weights, and the shape of its result."""
    image, count = image_of(node, x), node.attributes.get("group", 1)
    if len(weights) != 4 or 0 in weights:
        raise Misfit(f"its weights are {list(weights)}; supported: [out, in, height, width].")
    if count < 1 or image[1] != count * weights[1] or weights[0] % count:
        raise Misfit(f"its weights {list(weights)} do not fit {image[1]} channels in {count} groups.")
    windows, sizes = windows_of(node, image, (weights[2], weights[3]))
    return windows, (image[0], weights[0], *sizes)


def _multiplied(node: OnnxNode, x: ConvertedTensor, weights: Shape) -> tuple[tuple[int, int], Shape]:
    """The order of the axes of a matrix, and the shape of the result of rows by it."""
    for name, plain in (("transA", 0), ("alpha", 1.0), ("beta", 1.0)):
        if node.attributes.get(name, plain) != plain:
            raise Misfit(f"its {name} is {node.attributes[name]:g}; supported: {plain:g}.")
    order = ROWS if node.attributes.get("transB", 0) else COLUMNS
    if len(weights) != 2 or 0 in weights or not x.shape or len(x.shape) == 4 or x.shape[-1] != weights[order[1]]:
        raise Misfit(f"it multiplies {list(x.shape)} by {list(weights)}; supported: rows by a matrix.")
    return order, (*x.shape[:-1], weights[order[0]])


def _real_constants(of: Converter, node: OnnxNode, count: int) -> tuple[NDArray[Any], int | None]:
    """Weights, and the bias of n channels."""
    values = of.need(node.inputs[1], "weights")
    bias = of.need(node.inputs[2], "bias") if len(node.inputs) > 2 and node.inputs[2] else None
    if values.dtype != np.float32:
        raise Misfit(f"its weights are {values.dtype} {list(values.shape)}; supported: float32.")
    if bias is not None and (bias.dtype != np.float32 or not one_per_result(bias.shape, count)):
        raise Misfit(f"its bias is {bias.dtype} {list(bias.shape)}; supported: float32 [{count}].")
    if bias is None:
        return values, None
    return values, of.constant(node.inputs[2], np.broadcast_to(bias.reshape(-1), (count,)), None)


def _real_conv(of: Converter, node: OnnxNode, group: Group) -> None:
    x = of.real(node)
    windows, shape = _convolved(node, x, of.need(node.inputs[1], "weights").shape)
    values, bias = _real_constants(of, node, shape[1])
    weights = of.constant(node.inputs[1], values, None, LAST)
    of.emit("conv2d", node, (of.numbers[x.name], weights, bias), [(node.outputs[0], shape, "float32")],
            activation="none", **windows)


@reads("Conv", "X W B?", f"{WINDOW} group:i", operands=3, real=_real_conv)
@reads("QLinearConv", "x x_scale x_zero_point w w_scale w_zero_point y_scale y_zero_point B?", f"{WINDOW} group:i")
def _conv(of: Converter, node: OnnxNode, group: Group) -> None:
    last = 3 if group is None else 1
    number, x = of.operand(node, 0, group)
    values, rule, axis = of.weights(node, last, group)
    windows, shape = _convolved(node, x, values.shape)
    if rule.scale.size > 1 and axis != 0:
        raise Misfit(f"its weights have their scales along axis {axis}; axis 0 counts the results.")
    name, dtype = of.result(node, group)
    weights = of.constant(node.inputs[last], values, rule, LAST)
    bias = of.bias(node, 8 if group is None else 2, group, values.shape[0])
    of.emit("conv2d", node, (number, weights, bias), [(name, shape, dtype)], activation="none", **windows)


def _real_product(of: Converter, node: OnnxNode, group: Group) -> None:
    x = of.real(node)
    order, shape = _multiplied(node, x, of.need(node.inputs[1], "weights").shape)
    values, bias = _real_constants(of, node, shape[-1])
    of.emit("fully_connected", node, (of.numbers[x.name], of.constant(node.inputs[1], values, None, order), bias),
            [(node.outputs[0], shape, "float32")], activation="none", weights_format=0, keep_dims=True)


@reads("MatMul", "A B", operands=2, real=_real_product)
@reads("Gemm", "A B C?", "alpha:f beta:f transA:i transB:i", operands=3, real=_real_product)
@reads("QLinearMatMul", "a a_scale a_zero_point b b_scale b_zero_point y_scale y_zero_point")
@reads("com.microsoft.QGemm", "A A_scale A_zero_point B B_scale B_zero_point C? Y_scale? Y_zero_point?",
       "alpha:f transA:i transB:i")
def _product(of: Converter, node: OnnxNode, group: Group) -> None:
    """By constant weights."""
    second = 3 if group is None else 1
    number, x = of.operand(node, 0, group)
    values, rule, axis = of.weights(node, second, group)
    order, shape = _multiplied(node, x, values.shape)
    if rule.scale.size > 1 and axis != order[0]:
        raise Misfit("its weights have their scales along the sum.")
    name, dtype = of.result(node, group)
    weights = of.constant(node.inputs[second], values, rule, order)
    bias = of.bias(node, 6 if group is None else 2, group, shape[-1]) if "Gemm" in node.word else None
    of.emit("fully_connected", node, (number, weights, bias), [(name, shape, dtype)], activation="none",
            weights_format=0, keep_dims=True)


# ---- sums that stay sums ---------------------------------------------------------------------------------------------

def _zero_points(of: Converter, node: OnnxNode, dtype: str) -> tuple[int | None, int | None]:
    """Of x, which may be computed, and of the weights."""
    name = node.inputs[2] if len(node.inputs) > 2 else ""
    x: int | None = None
    if name:
        found = of.constants[name].dtype.name if name in of.constants else of.known(name).dtype
        if found != dtype:
            raise Misfit(f"its zero point {name!r} is {found}; supported: {dtype}.")
        x = of.constant(name, of.constants[name], None) if name in of.constants else of.numbers[name]
    name = node.inputs[3] if len(node.inputs) > 3 else ""
    if not name:
        return x, None
    zeros = of.need(name, "zero points of the weights")
    if zeros.dtype != of.need(node.inputs[1], "weights").dtype:
        raise Misfit(f"zero points of its weights are {zeros.dtype}, the weights are not.")
    return x, of.constant(name, zeros, None)


def _integer_operands(of: Converter, node: OnnxNode) -> tuple[ConvertedTensor, NDArray[Any]]:
    x, values = of.known(node.inputs[0]), of.need(node.inputs[1], "weights")
    if x.dtype not in ("uint8", "int8") or values.dtype not in (np.uint8, np.int8) or 0 in values.shape:
        raise Misfit(f"it multiplies {x.dtype} by {values.dtype} {list(values.shape)}; supported: 8-bit integers.")
    return x, values


@reads("ConvInteger", "x w x_zero_point? w_zero_point?", f"{WINDOW} group:i")
def _integer_conv(of: Converter, node: OnnxNode, group: Group) -> None:
    x, values = _integer_operands(of, node)
    windows, shape = _convolved(node, x, values.shape)
    zero, weight_zero = _zero_points(of, node, x.dtype)
    weights = of.constant(node.inputs[1], values, None, LAST)
    of.emit("integer_conv", node, (of.numbers[x.name], weights, zero, weight_zero),
            [(node.outputs[0], shape, "int32")], **windows)


@reads("MatMulInteger", "A B a_zero_point? b_zero_point?")
def _integer_product(of: Converter, node: OnnxNode, group: Group) -> None:
    x, values = _integer_operands(of, node)
    order, shape = _multiplied(node, x, values.shape)
    zero, weight_zero = _zero_points(of, node, x.dtype)
    of.emit("integer_product", node, (of.numbers[x.name], of.constant(node.inputs[1], values, None, order), zero,
                                      weight_zero), [(node.outputs[0], shape, "int32")])
