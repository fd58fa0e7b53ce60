"""Tengine's two ways to run a float network in int8: every tensor is int8, in steps of its own scale, and every
operator takes int8 and gives int8 (F08).

    flow                products                                                            activation
    tengine-reference   sum * (s_w * s_in), a real number; divided by s_out (F09, F10)      of the real number
    tengine             multiplier and shift of s_w * s_in / s_out, as the kernels for Arm  of the integer (F13, Z14)

Weights have a scale for each result channel, biases are int32 in steps of s_w * s_in: an int8 bias would not hold them
(F08): see `bias_bits`. What is no product goes through real numbers in both (`neonsim.ops.detour`).

What died in training has larger scales of weights, by which biases and factors fit (`quant.calibration.enlarged`):
Tengine's own tool converts what is out of range to int, which C leaves open. Scales that are given stay.

Scales are inherited (F17): what only cuts off, picks the largest or moves elements takes the scale of its result for
its input, if nothing else reads that; softmax has 1/127. Operands of a concatenation whose scale is another are
converted.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from neonsim import ops
from neonsim.errors import BadArgument
from neonsim.graph.flows import ranges
from neonsim.graph.graph import Graph, Node
from neonsim.graph.moves import Constant, Move
from neonsim.graph.passes import simplify
from neonsim.ops import detour, floating
from neonsim.quant.calibration import scheme_of
from neonsim.quant.calibration.enlarged import MOST_BIAS, for_bias, for_sums, least_output
from neonsim.quant.scheme import Quantized, Scheme
from neonsim.quant.tengine import LARGEST, RULES, activation_limit, to_bytes, to_sums

__all__ = ["SOFTMAX_SCALE", "BiasBits", "bias_bits", "by_tengine", "inherited", "quantise_by_tengine"]

SOFTMAX_SCALE = 1 / 127
_WEIGHTED = (floating.RealConv2d, floating.RealFullyConnected)


def quantise_by_tengine(graph: Graph, flow: str = "tengine", *, calibration: Iterable[Any] = (), method: str = "minmax",
                        scales: Mapping[str, float] | None = None, per_channel: bool | None = None) -> Graph:
    """A float network in Tengine's int8.

    flow          "tengine" or "tengine-reference"
    calibration   inputs of the network, unless the scales of all tensors are given
    method        a name of `neonsim.quant.calibration.METHODS`
    scales        {tensor: scale}, as of a table (`tests.scale_tables`); tensors by their names after
                  `simplify`. They are inherited all the same.
    ->            Graph that takes and gives float32

    Raises BadArgument for another flow, for tensors without a scale and scales of no tensor, and for an operator that
    the flow does not take, by its name.

    >>> from neonsim.ops.floating import RealFullyConnected
    >>> one = Graph("one", (1, 2), dtype="float32")
    >>> made = quantise_by_tengine(one.finish(one.add_node("dense", RealFullyConnected(np.eye(2)), "input")),
    ...                            scales={"input": 1.0, "dense": 0.5})
    >>> made.plan("reference").run(np.array([[3, -70]], np.float32)).tolist()
    [[3.0, -63.5]]
    """
    if flow not in RULES:
        raise BadArgument(f"flow is {', '.join(map(repr, RULES))}; got {flow!r}.")
    simple = simplify(graph)
    for name, tensor in simple.tensors.items():
        if tensor.dtype != "float32":
            raise BadArgument(f"{graph.name} is no network of real numbers: its {name!r} is {tensor.type}.")
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
        if isinstance(node.operator, _WEIGHTED) and result not in given:
            x_scale = scales[node.inputs[0]]
            least = least_output(_scales(node.operator, x_scale, per_channel), x_scale, 256)
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
        raise BadArgument(f"the scale of {name!r} must be a positive number, normal in single precision; got "
                          f"{scale!r}.") from None


def inherited(graph: Graph, scales: Mapping[str, float]) -> dict[str, float]:
    """The scale of every tensor, from one measured for each (F17): softmax has 1/127; limits, largest of windows and
    moves of one tensor give their input the scale of their result, from the last to the first, if nothing else reads
    it; the results of a move otherwise have that of its input.

    >>> from neonsim.ops.floating import RealClamp
    >>> one = Graph("one", (1, 2), dtype="float32")
    >>> inherited(one.finish(one.add_node("relu", RealClamp(0.0), "input")), {"input": 9.0, "relu": 1.0})
    {'input': 1.0, 'relu': 1.0}
    """
    found = dict(scales)
    readers = {name: sum(name in node.inputs for node in graph.nodes) + (name in graph.outputs)
               for name in graph.tensors}
    for node in graph.nodes:
        if isinstance(node.operator, floating.RealSoftmax):
            found[node.results[0]] = float(np.float32(SOFTMAX_SCALE))
    for node in reversed(graph.nodes):
        if _passes(node) and readers[node.inputs[0]] == 1:
            found[node.inputs[0]] = found[node.results[0]]
    for node in graph.nodes:
        if isinstance(node.operator, Move) and len(node.inputs) == 1:
            found |= dict.fromkeys(node.results, found[node.inputs[0]])
    return found


def _passes(node: Node) -> bool:
    """Its result's scale is its input's, too."""
    kinds = floating.RealClamp | floating.RealMaxPool2d | Move
    return isinstance(node.operator, kinds) and len(node.inputs) == len(node.results) == 1


class _ByTengine:
    """One graph on its way."""

    def __init__(self, graph: Graph, flow: str, scales: Mapping[str, float], per_channel: bool) -> None:
        self.graph, self.flow, self.per_channel = graph, flow, per_channel
        self.made = Graph(f"{graph.name} ({flow})")
        self.names: dict[str, str] = {}
        self.schemes = {name: Scheme(scale, 0, "int8") for name, scale in scales.items()}

    def all(self) -> Graph:
        """Every node."""
        for name in self.graph.inputs:
            self.made.add_input(name, self.graph.tensors[name].shape, dtype="float32")
            quantise = detour.TengineQuantize(out=self.schemes[name])
            self.names[name] = self.made.add_node(f"{name} (quantised)", quantise, name)
        for node in self.graph.nodes:
            try:
                self._node(node)
            except BadArgument as problem:
                raise BadArgument(f"{node.name} of {self.graph.name} ({node.kind}) does not suit flow="
                                  f"{self.flow!r}: {problem}") from None
        return self.made.finish(*(self.made.add_node(f"{name} (real)", ops.Dequantize(self.schemes[name]),
                                                     self.names[name]) for name in self.graph.outputs))

    def _node(self, node: Node) -> None:
        out = self.schemes[node.results[0]]
        if isinstance(node.operator, Move):
            given = [self._as(node, name, out) for name in node.inputs]
            made = self.made.add_node(node.name, self._move(node.operator, out), *given)
        elif isinstance(node.operator, floating.RealMaxPool2d) and self.schemes[node.inputs[0]] != out:
            # The largest first, then its scale is changed.
            x = self.schemes[node.inputs[0]]
            pool = _largest(node.operator, x, (-LARGEST, LARGEST))
            inner = self.made.add_node(f"{node.name} (largest)", pool, self.names[node.inputs[0]])
            made = self.made.add_node(node.name, detour.converted(x, out), inner)
        else:
            made = self.made.add_node(node.name, _quantised(node.operator, self, node),
                                      *(self.names[name] for name in node.inputs))
        self.names |= dict(zip(node.results, self.made.results(made), strict=True))

    def _as(self, node: Node, name: str, out: Scheme) -> str:
        """A tensor in the scale of a result."""
        if self.schemes[name] == out:
            return self.names[name]
        return self.made.add_node(f"{node.name} ({name})", detour.converted(self.schemes[name], out), self.names[name])

    @staticmethod
    def _move(move: Move, out: Scheme) -> Move:
        found = move.quantised(out)
        if isinstance(move, Constant) and isinstance(found, Constant):
            found.values = to_bytes(move.values, float(out.scale))
        return found

    # ---- what the functions of operators use
    def of(self, node: Node, which: int = 0) -> Scheme:
        """Of an input."""
        return self.schemes[node.inputs[which]]

    def out(self, node: Node) -> Scheme:
        """Of the result."""
        return self.schemes[node.results[0]]

    def cut(self, low: float, high: float, out: Scheme) -> dict[str, int]:
        """Limits of an activation as integers of the result; the reference divides in single precision."""
        single = self.flow == "tengine-reference"
        return {"output_min": activation_limit(low, float(out.scale), single=single),
                "output_max": activation_limit(high, float(out.scale), single=single)}

    def weighted(self, one: floating.RealConv2d | floating.RealFullyConnected, node: Node) -> dict[str, Any]:
        """Weights, bias and limits of a product."""
        x_scale, out = float(self.of(node).scale), self.out(node)
        scale = for_sums(_scales(one, x_scale, self.per_channel), x_scale, float(out.scale)).astype(np.float32)
        w = Quantized(to_bytes(one.w, scale.reshape(-1, *[1] * (one.w.ndim - 1))), scale, 0, axis=0)
        bias = to_sums(one.bias, np.float32(x_scale) * scale)
        return {"w": w, "bias": bias, "out": out, "requantization": self.flow, **self.cut(one.low, one.high, out)}


def _scales(one: floating.RealConv2d | floating.RealFullyConnected, x_scale: float,
            per_channel: bool) -> NDArray[np.float64]:
    """Of weights, by the largest of every result channel, or of all; larger where the bias would not fit. Where all are
    zero the scale is 1: any gives their bytes."""
    most = abs(one.w.reshape(one.w.shape[0], -1)).max(axis=1) / np.float32(127)
    if not per_channel:
        most[:] = most.max()
    return for_bias(np.where(most < np.finfo(np.float32).tiny, np.float32(1), most), one.bias, x_scale, MOST_BIAS)


@functools.singledispatch
def _quantised(operator: object, of: _ByTengine, node: Node) -> ops.Operator:
    """The operator of int8 for one of real numbers."""
    kind = getattr(operator, "kind", type(operator).__name__)
    raise BadArgument(f"{kind} has no form in Tengine's int8.")


@_quantised.register
def _(operator: floating.RealConv2d, of: _ByTengine, node: Node) -> ops.Operator:
    return ops.Conv2d(of.of(node), stride=operator.stride, padding=operator.padding, dilation=operator.dilation,
                      groups=operator.groups, **of.weighted(operator, node))


@_quantised.register
def _(operator: floating.RealFullyConnected, of: _ByTengine, node: Node) -> ops.Operator:
    return ops.FullyConnected(of.of(node), **of.weighted(operator, node))


@_quantised.register
def _(operator: floating.RealAdd, of: _ByTengine, node: Node) -> ops.Operator:
    out = of.out(node)
    return detour.DetourAdd(of.of(node), of.of(node, 1), out=out, **of.cut(operator.low, operator.high, out))


@_quantised.register
def _(operator: floating.RealClamp, of: _ByTengine, node: Node) -> ops.Operator:
    x, out = of.of(node), of.out(node)
    if x == out:
        return ops.Clamp(x, **of.cut(operator.low, operator.high, out))
    return detour.detoured(x, out, lambda real: np.clip(real, operator.low, operator.high), operator.kind)


@_quantised.register
def _(operator: floating.RealLeakyRelu, of: _ByTengine, node: Node) -> ops.Operator:
    return detour.detoured(of.of(node), of.out(node), operator.before_limits, operator.kind)


def _largest(operator: floating.RealMaxPool2d, x: Scheme, ends: tuple[int, int]) -> ops.MaxPool2d:
    return ops.MaxPool2d(x, pool=operator.pool, stride=operator.stride, padding=operator.padding,
                         dilation=operator.dilation, output_min=ends[0], output_max=ends[1])


@_quantised.register
def _(operator: floating.RealMaxPool2d, of: _ByTengine, node: Node) -> ops.Operator:
    ends = of.cut(operator.low, operator.high, of.out(node))
    return _largest(operator, of.of(node), (ends["output_min"], ends["output_max"]))


@_quantised.register
def _(operator: floating.RealAvgPool2d, of: _ByTengine, node: Node) -> ops.Operator:
    return detour.DetourMean(of.of(node), out=of.out(node), pool=operator.pool, stride=operator.stride,
                             padding=operator.padding, **of.cut(operator.low, operator.high, of.out(node)))


@_quantised.register
def _(operator: floating.RealGlobalAvgPool, of: _ByTengine, node: Node) -> ops.Operator:
    return detour.DetourMean(of.of(node), out=of.out(node))


@_quantised.register
def _(operator: floating.RealSoftmax, of: _ByTengine, node: Node) -> ops.Operator:
    return detour.DetourSoftmax(of.of(node), out=of.out(node), beta=operator.beta)


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
    to sums, and that is small. Arguments as `quantise_by_tengine`."""
    made = quantise_by_tengine(graph, calibration=calibration, method=method, scales=scales)
    found = []
    for node in made.nodes:
        if isinstance(node.operator, ops.Conv2d | ops.FullyConnected):
            size = np.abs(node.operator.bias.astype(np.int64))
            found.append(BiasBits(node.name, int(size.max()).bit_length() + 1, int((size > 127).sum()), size.size,
                                  float(max(size.max() - 127, 0))))
    return found
