"""What each operator is in `.tflite`: handlers by the operator's class, the words they write from `words`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.nn import ops
from neonsim.nn.formats.lowering import limits_of, no_change_reason
from neonsim.nn.formats.tflite.writer import WRITERS, Writer, writes
from neonsim.nn.graph import Concat, Constant, GatherIndices, Node, Reshape, Split
from neonsim.nn.ops.float32 import operators as floating
from neonsim.nn.ops.quantized.lut import ACTIVATIONS
from neonsim.nn.ops.quantized.weighted import WeightedOperator
from neonsim.quant.reference.litert_vectors import narrowing_of
from neonsim.quant.requant.runtimes import ARITHMETICS
from neonsim.quant.rounding import limits, scheme_word
from neonsim.ukernel.packing import ConvShape

__all__: list[str] = []

_Write = Callable[[Writer, Node, Any], None]
# LiteRT with its delegate, and its own kernels, which do what the delegate leaves.
_DELEGATE = ARITHMETICS["xnnpack"]
_OWN = ARITHMETICS[_DELEGATE.fallback or ""]


# ---- products --------------------------------------------------------------------------------------------------------

def _weights(of: Writer, node: Node, operator: WeightedOperator, values: NDArray[Any], axis: int) -> list[int]:
    """Numbers of weights and bias; of a depthwise convolution weights are turned."""
    if scheme_word(operator.requantization) not in (_DELEGATE.products, "s64"):
        raise of.refuse(node, f"its requantization is {operator.requantization!r}; .tflite has {_DELEGATE.products!r}, "
                              "and 's64' of int16.")
    w, x = operator.w, operator.schemes[0]
    scale = np.float32(x.scale) * np.atleast_1d(np.asarray(w.scale, np.float32))
    weights = of.tensor(f"{node.name} (weights)", values.shape, values.dtype.name, w.scheme, values,
                        axis if scale.size > 1 else 0)
    of.tensors.append((f"{node.name} (bias)", operator.bias.shape, operator.bias.dtype.name, scale, 0, 0,
                       operator.bias))
    return [weights, weights + 1]


def _float_weights(of: Writer, node: Node, operator: Any, values: NDArray[Any], axis: int) -> list[int]:
    return [of.constant(f"{node.name} (weights)", values), of.constant(f"{node.name} (bias)", operator.bias)]


def _convolution(of: Writer, node: Node, operator: Any, values: NDArray[Any],
                 weights: Callable[[Writer, Node, Any, NDArray[Any], int], list[int]]) -> None:
    shape = operator.shape(of.shape(node.inputs[0]))
    source, window = of.window(node, shape)
    window |= {"dilation_height": shape.dilation[0], "dilation_width": shape.dilation[1],
               "activation": of.activation(node)}
    if operator.groups > 1 and operator.depth == 1:
        turned = np.ascontiguousarray(values.transpose(3, 1, 2, 0))
        of.add(node, "DEPTHWISE_CONV_2D", inputs=(source, *weights(of, node, operator, turned, 3)),
               multiplier=operator.outputs // operator.groups, **window)
        return
    of.add(node, "CONV_2D", inputs=(source, *weights(of, node, operator, values, 0)), **window)


@writes(ops.Conv2d)
def _conv(of: Writer, node: Node, operator: ops.Conv2d) -> None:
    _convolution(of, node, operator, operator.w.values, _weights)


@writes(floating.Float32Conv2d)
def _float_conv(of: Writer, node: Node, operator: floating.Float32Conv2d) -> None:
    _convolution(of, node, operator, operator.w, _float_weights)


@writes(ops.Deconv2d)
def _deconv(of: Writer, node: Node, operator: ops.Deconv2d) -> None:
    x, result = of.shape(node.inputs[0]), of.shape(node.name)
    shape = operator.shape(x)
    if operator.groups > 1 or shape.dilation != (1, 1):
        raise of.refuse(node, "deconvolutions of .tflite have no groups and no dilation.")
    whole = [(n - 1) * step + taps for n, step, taps in zip(x[1:3], shape.stride, operator.window, strict=True)]
    cut = [max(a - b, 0) for a, b in zip(whole, result[1:3], strict=True)]
    padding = tuple((n // 2, n - n // 2) for n in cut)
    if shape.padding != padding:
        raise of.refuse(node, f"its padding is {shape.padding}; .tflite cuts {padding} off such a result.")
    said = of.integers(node, "shape", result)
    values = np.ascontiguousarray(operator.w.values.transpose(3, 1, 2, 0))
    weights, bias = _weights(of, node, operator, values, 0)
    of.add(node, "TRANSPOSE_CONV", inputs=(said, weights, of.numbers[node.inputs[0]], bias),
           padding="same" if any(cut) else "valid", stride_height=shape.stride[0], stride_width=shape.stride[1],
           activation=of.activation(node))


@writes(ops.FullyConnected)
def _fully_connected(of: Writer, node: Node, operator: ops.FullyConnected) -> None:
    if operator.finish.sum_type == "int64":
        _rows_convolved(of, node, operator)
        return
    of.add(node, "FULLY_CONNECTED", *_weights(of, node, operator, operator.w.values, 0),
           activation=of.activation(node), keep_dims=len(of.shape(node.inputs[0])) > 2)


@writes(floating.Float32FullyConnected)
def _float_rows(of: Writer, node: Node, operator: floating.Float32FullyConnected) -> None:
    of.add(node, "FULLY_CONNECTED", *_float_weights(of, node, operator, operator.w, 0),
           keep_dims=len(of.shape(node.inputs[0])) > 2, activation=of.activation(node))


def _rows_convolved(of: Writer, node: Node, operator: ops.FullyConnected) -> None:
    """16x8 rows as a 1x1 convolution: FULLY_CONNECTED of the runtime rounds int16 in double precision, CONV_2D as we do
    (M45)."""
    x, y = of.graph.tensors[node.inputs[0]], of.graph.tensors[node.name]

    def moved(what: str, given: int, shape: tuple[int, ...], to: int) -> None:
        of.step("RESHAPE", (given, of.integers(node, f"shape of {what}", shape)), (to,))
    rows, columns = x.size // x.shape[-1], x.shape[-1]
    image = of.tensor(f"{node.name} (rows)", (1, rows, 1, columns), x.dtype, x.scheme)
    moved("rows", of.numbers[node.inputs[0]], (1, rows, 1, columns), image)
    made = of.tensor(f"{node.name} (sums)", (1, rows, 1, y.shape[-1]), y.dtype, y.scheme)
    weights = _weights(of, node, operator, operator.w.values.reshape(-1, 1, 1, columns), 0)
    of.step("CONV_2D", (image, *weights), (made,), padding="valid", stride_height=1, stride_width=1, dilation_height=1,
            dilation_width=1, activation=of.activation(node))
    moved("results", made, y.shape, of.numbers[node.name])


# ---- element by element ----------------------------------------------------------------------------------------------

def _of_two(word: str) -> _Write:
    def write(of: Writer, node: Node, operator: Any) -> None:
        a, b = (of.graph.tensors[name] for name in node.inputs)
        if operator.narrowing not in (None, narrowing_of("add" if word == "ADD" else "multiply", a.dtype, a.shape,
                                                         b.shape)):
            raise of.refuse(node, "results that leave 16 bits wrap as those of other shapes, which .tflite does not "
                                  "have.")
        for name, column in (("rounding", "sums"), ("requantization", "pairs")):
            theirs, other = (getattr(one, column) for one in (_DELEGATE, _OWN))
            rule = scheme_word(getattr(operator, name, theirs))
            if rule not in (theirs, other):
                raise of.refuse(node, f"its {name} is {rule!r}; .tflite has {theirs!r} and {other!r}.")
            if rule != theirs:
                if word != "SUB" and operator.narrowing is None and _leaves_16_bits(operator, word == "MUL"):
                    of.said[node.name] = "results can leave 16 bits before they are cut off, and then wrap in LiteRT."
                kind: Any = type(operator)
                of.by_delegate(node, f"{name} {rule!r}",
                               partial(kind, *operator.schemes, out=operator.out, **{name: theirs}))
        of.add(node, word, activation=of.activation(node))
    return write


@writes(floating.Float32Add)
def _float_sum(of: Writer, node: Node, operator: floating.Float32Add) -> None:
    of.add(node, "ADD", activation=of.activation(node))


def _leaves_16_bits(operator: Any, product: bool) -> bool:
    """Whether a sum or product of two can be so large, counted in steps of the result."""
    reach = [float(one.scale) * max(abs(end - one.zero_point) for end in limits(one.dtype)) for one in operator.schemes]
    size = math.prod(reach) if product else sum(reach)
    return bool(size / float(operator.out.scale) + abs(operator.out.zero_point) > 0x7FFF)


@writes(ops.Convert)
def _convert(of: Writer, node: Node, operator: ops.Convert) -> None:
    """An activation of two schemes has the same rule in all kernels of LiteRT; few change scales by it."""
    x, rule = operator.schemes[0], None if operator.wide is None else operator.wide.positive.scheme
    wide = "int16" in (x.dtype, operator.out.dtype)
    if wide and (why := no_change_reason(x, operator.out)):
        raise of.refuse(node, why)
    if rule == ARITHMETICS["tflite"].bytes and x.dtype == operator.out.dtype and not wide:
        info = np.iinfo(operator.out.dtype)
        for word in ("RELU", "RELU6", "RELU_N1_TO_1"):
            low, high = limits_of(word.lower(), operator.out).values()
            if (operator.output_min, operator.output_max) == (low, info.max if high is None else high):
                of.add(node, word)
                return
    of.without_limits(node)
    if wide or x.dtype != operator.out.dtype:       # which its delegate leaves to its own optimised kernels
        if rule != (theirs := _OWN.rescaling(x.dtype, operator.out.dtype)):
            change = f"{x.dtype} to {operator.out.dtype}"
            of.said[node.name] = f"requantization {rule!r}; LiteRT changes {change} by {theirs!r}."
    elif rule is not None:
        of.by_delegate(node, f"requantization {rule!r}", lambda: ops.Convert(x, out=operator.out))
    of.add(node, "QUANTIZE")


def _activation(word: str) -> _Write:
    """An activation of the table, by its word. Of those filled in floats LiteRT's delegate rounds ties to even:
    how many bytes it has otherwise is said."""
    def write(of: Writer, node: Node, operator: Any) -> None:
        row = ACTIVATIONS[word]
        if operator.out.dtype not in row.dtypes:
            raise of.refuse(node, f".tflite runs {word} of {' and '.join(row.dtypes)} only.")
        of.without_limits(node)
        if row.ties:
            theirs = type(operator)(operator.schemes[0], out=operator.out, ties="even")
            if differing := int((theirs.table() != operator.table()).sum()):
                of.said[node.name] = (f"ties {operator.ties!r}; LiteRT rounds {differing} of 256 bytes otherwise, to "
                                      "even.")
        of.add(node, word)
    return write


@writes(ops.Quantize)
def _quantize(of: Writer, node: Node, operator: ops.Quantize) -> None:
    power = np.frexp(np.float32(operator.out.scale))[0] == 0.5
    if operator.out.dtype == "int16":       # which its delegate leaves to its own optimised kernels
        if operator.ties != "eights":
            of.said[node.name] = f"ties {operator.ties!r}; LiteRT quantises to int16 by 'eights'."
    elif operator.ties != "even" or not (operator.reciprocal or power):
        of.by_delegate(node, f"ties {operator.ties!r}, reciprocal={operator.reciprocal}")
    of.add(node, "QUANTIZE")


@writes(ops.Dequantize)
def _dequantize(of: Writer, node: Node, operator: ops.Dequantize) -> None:
    if operator.x is None:
        raise of.refuse(node, "it reads int32 sums; .tflite dequantises integers of 8 and 16 bits.")
    if operator.eights:
        of.by_delegate(node, "eights=True")
    of.add(node, "DEQUANTIZE")


def _plain(word: str) -> _Write:
    return lambda of, node, operator: of.add(node, word)


@writes(ops.LeakyRelu)
def _leaky_relu(of: Writer, node: Node, operator: ops.LeakyRelu) -> None:
    rule = operator.requantization
    if rule is None and operator.out.dtype == "uint8":
        raise of.refuse(node, "of uint8 it is QNNPACK's; .tflite has the bytes of requantization='gemmlowp'.")
    of.without_limits(node)
    if rule not in (None, "q8"):
        of.by_delegate(node, f"requantization {rule!r}", lambda: ops.LeakyRelu(
            operator.schemes[0], slope=operator.slope, out=operator.out, requantization="q8"))
    _float_leaky_relu(of, node, operator)


@writes(floating.Float32LeakyRelu)
def _float_leaky_relu(of: Writer, node: Node, operator: ops.LeakyRelu | floating.Float32LeakyRelu) -> None:
    of.add(node, "LEAKY_RELU", slope=operator.slope)


@writes(ops.Clamp, floating.Float32Clamp)
def _clamp(of: Writer, node: Node, operator: Any) -> None:
    word = of.activation(node)
    if word == "none":
        raise of.refuse(node, "it limits nothing.")
    of.add(node, word.upper())


@writes(ops.Softmax)
def _softmax(of: Writer, node: Node, operator: ops.Softmax) -> None:
    out = operator.out
    if out.dtype == "int8" and abs(float(out.scale) * 256 - 1) > 0.001:
        raise of.refuse(node, f"its steps are {out.scale:g}; LiteRT has 1/256 of int8, within a thousandth.")
    if operator.fixed:
        of.by_delegate(node, "fixed=True")
    _float_softmax(of, node, operator)


@writes(floating.Float32Softmax)
def _float_softmax(of: Writer, node: Node, operator: ops.Softmax | floating.Float32Softmax) -> None:
    of.add(node, "SOFTMAX", beta=operator.beta)


# ---- windows and rows ------------------------------------------------------------------------------------------------

def _pool(word: str) -> _Write:
    def write(of: Writer, node: Node, operator: Any) -> None:
        shape: ConvShape = operator.shape(of.shape(node.inputs[0]))
        source, window = of.window(node, shape)
        if source != of.numbers[node.inputs[0]] or shape.dilation != (1, 1):
            raise of.refuse(node, "pooling of .tflite has padding SAME or VALID, and no dilation.")
        fused = {"activation": of.activation(node)}
        # Their order decides which bytes are a file's.
        fields = {**fused, **window} if of.graph.tensors[node.name].scheme is not None else {**window, **fused}
        of.add(node, word, inputs=(source,), pool_height=shape.kernel[0], pool_width=shape.kernel[1], **fields)
    return write


@writes(ops.AvgPool2d)
def _average(of: Writer, node: Node, operator: ops.AvgPool2d) -> None:
    if not operator.integer:
        raise of.refuse(node, "no words of .tflite round its mean so; they have that of integers as they are "
                              "(integer=True).")
    _pool("AVERAGE_POOL_2D")(of, node, operator)


@writes(ops.GlobalAvgPool)
def _mean(of: Writer, node: Node, operator: ops.GlobalAvgPool) -> None:
    of.without_limits(node)
    _float_mean(of, node, operator)


@writes(floating.Float32GlobalAvgPool)
def _float_mean(of: Writer, node: Node, operator: Any) -> None:
    axes = of.integers(node, "axes", np.arange(1, len(of.shape(node.inputs[0])) - 1))
    of.add(node, "MEAN", axes, keep_dims=False)


@writes(ops.Mean)
def _rows(of: Writer, node: Node, operator: ops.Mean) -> None:
    if operator.rule != "even":
        raise of.refuse(node, f"its rule is {operator.rule!r}; .tflite has 'even'.")
    of.add(node, "SUM" if operator.total else "MEAN", of.integers(node, "axes", [1]), keep_dims=False)


def _find(word: str) -> _Write:
    def write(of: Writer, node: Node, operator: Any) -> None:
        axis = of.integers(node, "axis", [len(of.shape(node.inputs[0])) - 1])
        of.add(node, word, axis, OutputType=getattr(of.schema.TensorType, of.graph.tensors[node.name].dtype.upper()))
    return write


@writes(ops.ResizeBilinear)
def _resize(of: Writer, node: Node, operator: ops.ResizeBilinear) -> None:
    if operator.rule != "q11":
        raise of.refuse(node, f"its rule is {operator.rule!r}; .tflite has 'q11'.")
    of.add(node, "RESIZE_BILINEAR", of.integers(node, "size", operator.size),
           align_corners=operator.corners == "aligned", half_pixel=operator.corners == "half")


# ---- moves -----------------------------------------------------------------------------------------------------------

@writes(ops.Pad)
def _pad(of: Writer, node: Node, operator: ops.Pad) -> None:
    amounts = of.integers(node, "amounts", operator._pairs(len(of.shape(node.inputs[0]))))
    if operator.value == operator.out.zero_point:
        of.add(node, "PAD", amounts)
        return
    value = np.asarray([operator.value], operator.out.dtype)
    of.add(node, "PADV2", amounts, of.constant(f"{node.name} (value)", value, operator.out))


@writes(Reshape)
def _reshape(of: Writer, node: Node, operator: Reshape) -> None:
    of.add(node, "RESHAPE", of.integers(node, "shape", of.shape(node.name)))


@writes(Concat)
def _concat(of: Writer, node: Node, operator: Concat) -> None:
    of.add(node, "CONCATENATION", axis=operator.axis % len(of.shape(node.inputs[0])))


@writes(Split)
def _split(of: Writer, node: Node, operator: Split) -> None:
    x = of.shape(node.inputs[0])
    of.add(node, "SPLIT_V", of.integers(node, "sizes", operator.sizes(x)),
           of.integers(node, "axis", [operator.axis % len(x)]), NumSplits=len(node.results))


@writes(Constant)
def _constant(of: Writer, node: Node, operator: Constant) -> None:
    """No operator: a tensor with its elements."""
    number = of.numbers[node.name]
    of.tensors[number] = (*of.tensors[number][:-1], operator.values)


@writes(GatherIndices)
def _pick(of: Writer, node: Node, operator: GatherIndices) -> None:
    """What its function was asked for."""
    asked, kind, word = operator.made_with, operator.kind, operator.kind.replace(" ", "_").upper()
    if kind == "slice" and len(operator.result) == len(operator.shape):
        ranges: Sequence[range] = asked["ranges"]
        # Backwards to the first: there is no number for what comes before it.
        mask = sum(1 << i for i, one in enumerate(ranges) if one[-1] + one.step < 0)
        of.add(node, "STRIDED_SLICE", of.integers(node, "begins", [one[0] for one in ranges]),
               of.integers(node, "ends", [max(one[-1] + one.step, 0) for one in ranges]),
               of.integers(node, "strides", [one.step for one in ranges]), end_mask=mask)
    elif kind == "transpose":
        of.add(node, "TRANSPOSE", of.integers(node, "axes", asked["axes"]))
    elif kind == "padding" and asked["mode"] == "constant":
        value = of.constant(f"{node.name} (value)", np.asarray([operator.fill], operator.type.dtype),
                            operator.type.scheme)
        of.add(node, "PADV2", of.integers(node, "amounts", asked["amounts"]), value)
    elif kind == "padding":
        of.add(node, "MIRROR_PAD", of.integers(node, "amounts", asked["amounts"]),
               mode=int(asked["mode"] == "symmetric"))
    elif kind == "broadcast":
        of.add(node, "BROADCAST_TO", of.integers(node, "shape", operator.result))
    elif kind == "nearest":
        of.add(node, "RESIZE_NEAREST_NEIGHBOR", of.integers(node, "size", asked["size"]),
               align_corners=asked["align_corners"], half_pixel=asked["half_pixel"])
    elif kind == "tile":
        of.add(node, "TILE", of.integers(node, "times", asked["times"]))
    elif kind == "gather":
        of.add(node, "GATHER", of.integers(node, "indices", asked["indices"]), axis=asked["axis"])
    elif kind in ("depth to space", "space to depth") and operator.type.dtype != "int16":
        of.add(node, word, block=asked["block"])
    elif kind in ("space to batch", "batch to space"):
        blocks, amounts = asked["blocks"], [(0, 0)] * len(asked["blocks"])
        of.add(node, f"{word}_ND", of.integers(node, "blocks", blocks), of.integers(node, "amounts", amounts))
    else:
        raise of.refuse(node, f".tflite has no word for such a move of {operator.type.dtype}, or not for any shape.")


WRITERS |= {
    ops.Add: _of_two("ADD"), ops.Subtract: _of_two("SUB"), ops.Multiply: _of_two("MUL"),
    ops.Maximum: _plain("MAXIMUM"), ops.Minimum: _plain("MINIMUM"),
    ops.ArgMax: _find("ARG_MAX"), ops.ArgMin: _find("ARG_MIN"),
    ops.MaxPool2d: _pool("MAX_POOL_2D"), floating.Float32MaxPool2d: _pool("MAX_POOL_2D"),
    floating.Float32AvgPool2d: _pool("AVERAGE_POOL_2D"),
}
WRITERS |= {row.operator: _activation(word) for word, row in ACTIVATIONS.items() if row.operator not in WRITERS}
