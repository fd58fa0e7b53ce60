"""Tengine's two ways to run a float network in int8: every tensor is int8, in steps of its own scale, and every
operator takes int8 and gives int8 (F08).

    flow                products                                                            activation
    tengine-reference   sum * (s_w * s_in), a real number; divided by s_out (F09, F10)      of the real number
    tengine             multiplier and shift of s_w * s_in / s_out, as the kernels for Arm  of the integer (F13, Z14)

Weights have a scale for each result channel, biases are int32 in steps of s_w * s_in: an int8 bias would not hold them
(F08): see `bias_bits`. What is no product goes through floats in both (`neonsim.nn.ops.arithmetics.tengine`).

What died in training has larger scales of weights, by which biases and factors fit (`quant.calibration.dead_channels`):
Tengine's own tool converts what is out of range to int, which C leaves open. Scales that are given stay.

Scales are inherited (F17): what only cuts off, picks the largest or moves elements takes the scale of its result for
its input, if nothing else reads that; softmax has 1/127. Operands of a concatenation whose scale is another are
converted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from neonsim.common.class_table import ClassTable
from neonsim.errors import BadArgument
from neonsim.nn import ops
from neonsim.nn.graph.data_movement import Constant, DataMovement
from neonsim.nn.graph.graph import Graph, Node
from neonsim.nn.graph.quantize.recipe_base import Product, SchemeRecipe, float32_network, ranges
from neonsim.nn.ops.arithmetics import tengine
from neonsim.nn.ops.float32 import operators
from neonsim.quant.calibration import scheme_of
from neonsim.quant.calibration.dead_channels import MAX_BIAS, for_bias, for_sums, least_output
from neonsim.quant.requant.tengine import MAX_INT8, RULES, activation_limit, to_bytes, to_sums
from neonsim.quant.scheme import Quantized, Scheme

__all__ = ["SOFTMAX_SCALE", "BiasBits", "bias_bits", "by_tengine", "inherited", "quantize_by_tengine"]

SOFTMAX_SCALE = 1 / 127


def quantize_by_tengine(graph: Graph, flow: str = "tengine", *, calibration: Iterable[Any] = (), method: str = "minmax",
                        scales: Mapping[str, float] | None = None, per_channel: bool | None = None) -> Graph:
    """A float network in Tengine's int8.

    flow          "tengine" or "tengine-reference"
    calibration   inputs of the network, unless the scales of all tensors are given
    method        a name of `neonsim.quant.calibration.METHODS`
    scales        {tensor: scale}, as of a table (`tests.nn.formats.scale_tables`); tensors by their names after
                  `simplify`. They are inherited all the same.
    ->            Graph that takes and gives float32

    Raises BadArgument for another flow, for tensors without a scale and scales of no tensor, and for an operator that
    the flow does not take, by its name.

    >>> from neonsim.nn.ops.float32.operators import Float32FullyConnected
    >>> one = Graph("one", (1, 2), dtype="float32")
    >>> made = quantize_by_tengine(one.finish(one.add_node("dense", Float32FullyConnected(np.eye(2)), "input")),
    ...                            scales={"input": 1.0, "dense": 0.5})
    >>> made.plan("reference").run(np.array([[3, -70]], np.float32)).tolist()
    [[3.0, -63.5]]
    """
    simple = float32_network(graph, flow, RULES)
    given = {name: _scale(name, scale) for name, scale in (scales or {}).items()}
    unknown = set(given) - set(simple.tensors)
    if unknown:
        raise BadArgument(f"{graph.name} has no tensor {sorted(unknown)[0]!r}.")
    if set(given) != set(simple.tensors):
        found = ranges(simple, calibration, method)
        measured = {name: float(np.float32(scheme_of(one).scale)) for name, one in found.items()} | given
        given = _spacious(simple, inherited(simple, measured), per_channel is not False, set(given))
    return by_tengine(simple, flow, given, per_channel)


def _spacious(graph: Graph, scales: dict[str, float], per_channel: bool, given: set[str]) -> dict[str, float]:
    """Scales of results that kernels take; those that are given stay."""
    for node in graph.nodes:
        result = node.results[0]
        if node.operator.product_kind and result not in given:
            x_scale = scales[node.inputs[0]]
            least = least_output(_scales(cast(Product, node.operator), x_scale, per_channel), x_scale, 256)
            scales[result] = max(scales[result], float(np.float32(least)))
    return scales


def by_tengine(graph: Graph, flow: str, scales: Mapping[str, float], per_channel: bool | None = None) -> Graph:
    """The same where the scales of all tensors are known.

    graph         simplified: batch normalisations folded, limits fused
    per_channel   bool   False: the largest weight of a layer; else of every result channel
    """
    return _ByTengine(graph, flow, inherited(graph, scales), per_channel is not False).all()


def _scale(name: str, scale: Any) -> float:
    try:
        return float(np.float32(Scheme(float(scale), 0, "int8").scale))
    except (BadArgument, TypeError, ValueError):
        raise BadArgument(f"the scale of {name!r} must be a positive number, normal in float32; got "
                          f"{scale!r}.") from None


def inherited(graph: Graph, scales: Mapping[str, float]) -> dict[str, float]:
    """The scale of every tensor, from one measured for each (F17): softmax has 1/127; limits, largest of windows and
    moves of one tensor give their input the scale of their result, from the last to the first, if nothing else reads
    it; the results of a move otherwise have that of its input.

    >>> from neonsim.nn.ops.float32.operators import Float32Clamp
    >>> one = Graph("one", (1, 2), dtype="float32")
    >>> inherited(one.finish(one.add_node("relu", Float32Clamp(0.0), "input")), {"input": 9.0, "relu": 1.0})
    {'input': 1.0, 'relu': 1.0}
    """
    found = dict(scales)
    readers = {name: sum(name in node.inputs for node in graph.nodes) + (name in graph.outputs)
               for name in graph.tensors}
    for node in graph.nodes:
        if node.operator.shares:
            found[node.results[0]] = float(np.float32(SOFTMAX_SCALE))
    for node in reversed(graph.nodes):
        if _passes(node) and readers[node.inputs[0]] == 1:
            found[node.inputs[0]] = found[node.results[0]]
    for node in graph.nodes:
        if node.operator.moves and len(node.inputs) == 1:
            found |= dict.fromkeys(node.results, found[node.inputs[0]])
    return found


def _passes(node: Node) -> bool:
    """Its result's scale is its input's, too."""
    return node.operator.selects and len(node.inputs) == len(node.results) == 1


class _ByTengine(SchemeRecipe):
    """By the operators of Tengine, which go through floats where they are no products."""

    form = "Tengine's int8"

    def __init__(self, graph: Graph, flow: str, scales: Mapping[str, float], per_channel: bool) -> None:
        self.per_channel = per_channel
        super().__init__(graph, flow, {name: Scheme(scale, 0, "int8") for name, scale in scales.items()}, flow)

    def entry(self, out: Scheme) -> ops.Operator:
        return tengine.TengineQuantize(out=out)

    def _place_move(self, one: DataMovement, node: Node) -> None:
        """Moves take what has their result's scale."""
        out = self.schemes[node.results[0]]
        self.put(node, self._move(one, out), *(self._as(node, name, out) for name in node.inputs))

    def _place_largest(self, one: operators.Float32MaxPool2d, node: Node) -> None:
        """The largest of windows is taken before its scale is changed."""
        x, out = self.schemes[node.inputs[0]], self.schemes[node.results[0]]
        if x == out:
            self.place_one(one, node)
            return
        pool = ops.MaxPool2d(x, pool=one.pool, stride=one.stride, padding=one.padding, dilation=one.dilation,
                             output_min=-MAX_INT8, output_max=MAX_INT8)
        inner = self.made.add_node(f"{node.name} (largest)", pool, self.names[node.inputs[0]])
        self.put(node, tengine.converted(x, out), inner)

    places = ClassTable({DataMovement: _place_move, operators.Float32MaxPool2d: _place_largest})

    def _as(self, node: Node, name: str, out: Scheme) -> str:
        """A tensor in the scale of a result."""
        if self.schemes[name] == out:
            return self.names[name]
        return self.made.add_node(f"{node.name} ({name})", tengine.converted(self.schemes[name], out), self.names[name])

    @staticmethod
    def _move(move: DataMovement, out: Scheme) -> DataMovement:
        found: Any = move.quantized(out)
        if move.layout == "constant":
            found.values = to_bytes(cast(Constant, move).values, float(out.scale))
        return cast(DataMovement, found)

    def _clamp(self, one: operators.Float32Clamp, node: Node, x: Scheme, out: Scheme) -> ops.Operator:
        if x == out:
            return ops.Clamp(x, **self.cut(one, out))
        return tengine.dequantize_compute_requantize(x, out, lambda real: np.clip(real, one.low, one.high), one.kind)

    forms = SchemeRecipe.forms.but({
        operators.Float32Add: lambda of, one, node, x, out: ops.Add(
            x, of.schemes[node.inputs[1]], out=out, rounding="tengine", **of.cut(one, out)),
        operators.Float32Clamp: _clamp,
        operators.Float32LeakyRelu: lambda of, one, node, x, out: tengine.dequantize_compute_requantize(
            x, out, one.before_limits, one.kind),
        operators.Float32AvgPool2d: lambda of, one, node, x, out: tengine.DetourMean(
            x, out=out, pool=one.pool, stride=one.stride, padding=one.padding, **of.cut(one, out)),
        operators.Float32GlobalAvgPool: lambda of, one, node, x, out: tengine.DetourMean(x, out=out),
        operators.Float32Softmax: lambda of, one, node, x, out: tengine.DetourSoftmax(x, out=out, beta=one.beta),
    })

    def weights(self, one: Product, x: Scheme, out: Scheme) -> Quantized:
        x_scale = float(x.scale)
        scale = for_sums(_scales(one, x_scale, self.per_channel), x_scale, float(out.scale)).astype(np.float32)
        return Quantized(to_bytes(one.w, scale.reshape(-1, *[1] * (one.w.ndim - 1))), scale, 0, axis=0)

    def bias(self, one: Product, x: Scheme, w: Quantized) -> NDArray[Any]:
        return to_sums(one.bias, np.float32(float(x.scale)) * np.asarray(w.scale, np.float32))

    def cut(self, one: operators.Float32Operator, out: Scheme) -> dict[str, Any]:
        """The reference divides in single precision."""
        single = self.flow == "tengine-reference"
        return {"output_min": activation_limit(one.low, float(out.scale), single=single),
                "output_max": activation_limit(one.high, float(out.scale), single=single)}


def _scales(one: Product, x_scale: float, per_channel: bool) -> NDArray[np.float64]:
    """Return the scales of weights, from the largest of every result channel, or of all channels.

    A scale is larger where the bias would not fit. It is 1 where all weights are zero: any scale gives their bytes.
    """
    most = abs(one.w.reshape(one.w.shape[0], -1)).max(axis=1) / np.float32(127)
    if not per_channel:
        most[:] = most.max()
    return for_bias(np.where(most < np.finfo(np.float32).tiny, np.float32(1), most), one.bias, x_scale, MAX_BIAS)


class BiasBits(NamedTuple):
    """What the bias of one layer needs as integers (F08).

    layer    str     node of the simplified graph
    bits     int     of a signed number that holds the largest of it in steps of s_w * s_in
    beyond   int     channels whose bias is no int8 in those steps
    out_of   int     channels
    error    float   largest error of an int8 bias in steps of s_w * s_in: cut off at 127
    """

    layer: str
    bits: int
    beyond: int
    out_of: int
    error: float


def bias_bits(graph: Graph, *, calibration: Iterable[Any] = (), method: str = "minmax",
              scales: Mapping[str, float] | None = None) -> list[BiasBits]:
    """Where a bias of int8 would overflow, layer by layer: the scale of a bias is s_w * s_in, so that it can be added
    to sums, and that is small. Arguments as `quantize_by_tengine`."""
    made = quantize_by_tengine(graph, calibration=calibration, method=method, scales=scales)
    found = []
    for node in made.nodes:
        operator: Any = node.operator
        if operator.product_kind:
            size = np.abs(operator.bias.astype(np.int64))
            found.append(BiasBits(node.name, int(size.max()).bit_length() + 1, int((size > 127).sum()), size.size,
                                  float(max(size.max() - 127, 0))))
    return found
