"""From a network of real numbers to one of integers, every tensor by a scheme: the ways of four libraries.

    flow         activations            weights                     bias    back to 8 bits
    tflite       int8, with zero point  int8, a scale per channel   int32   one factor in single precision (fp32)
    qnnpack      uint8, zero point      uint8, one scale            int32   multiplier and shift (q31)
    shift-only   int8, symmetric        int8, one scale             int32   scales are powers of two: only shifts
    onnxruntime  as tflite; what is no product goes through real numbers in single precision (`neonsim.ops.single`)
    16x8         int16, symmetric       int8, a scale per channel   int64   multiplier of 15 bits, sums of 64 (s64)

A flow names rules and types; the operators are those there are. Both ends stay real: the first node quantises, the last
dequantises, so a quantised graph takes and gives what the float graph does.

Means of 16x8 are depthwise convolutions by ones, which have its kernels; what else is no product goes through real
numbers there: dequantised, computed, quantised again.

Tensors between which nothing is computed (pooling by the largest, limits, moves) have one scheme.

What died in training has scales that would be too small: they are made larger as the libraries' own tools do it
(`neonsim.quant.calibration.enlarged`), and what XNNPACK's kernels refuse is done as LiteRT's own do it.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim import ops
from neonsim.errors import BadArgument
from neonsim.graph.graph import Graph, Node
from neonsim.graph.moves import Move, Reshape
from neonsim.graph.passes import simplify
from neonsim.integers import as_int
from neonsim.ops import floating, single
from neonsim.quant.calibration import Observer, Range, calibrate, enlarged, observer_of, scheme_of
from neonsim.quant.rounding import limits, rounding
from neonsim.quant.scheme import Quantized, Scheme

__all__ = ["SCHEMES", "Flow", "by_ranges", "check_real", "quantise_by_schemes", "ranges"]


Product = floating.RealConv2d | floating.RealFullyConnected


@dataclass(frozen=True)
class Flow:
    """The rules of a way.

    name            str
    dtype           type of activations and weights
    symmetric       activations without a zero point (128 of uint8)
    per_channel     weights have a scale for each result channel
    requantization  of products
    powers          scales are rounded up to powers of two
    single          what is no product goes through real numbers in single precision, as ONNX Runtime does it
    bits            of weights: 8, or fewer of them, which lie in 8 as they are
    weights_dtype   type of weights; "": that of activations
    widens          ranges next to nothing are made wider, as TensorFlow Lite's converter does it
    most_bias       steps of the sums that a bias has at most: scales of weights are made larger for it
    """

    name: str
    dtype: str
    symmetric: bool
    per_channel: bool
    requantization: str
    powers: bool = False
    single: bool = False
    bits: int = 8
    weights_dtype: str = ""
    widens: bool = False
    most_bias: float = enlarged.MOST_BIAS

    @property
    def wide(self) -> bool:
        """Sums have 64 bits."""
        return self.dtype == "int16"

    @property
    def below(self) -> float:
        """What x scale * weight scale / output scale must be less than."""
        return 128 if self.wide else rounding(self.requantization).below

    def scheme(self, reals: Range) -> Scheme:
        """Of an activation."""
        found = enlarged.wide_enough(reals) if self.widens else reals
        return self._rounded(scheme_of(found, self.dtype, self.symmetric))

    def scaled(self, scheme: Scheme, scale: Any) -> Scheme:
        """The same with another scale."""
        return self._rounded(replace(scheme, scale=scale))

    def weights(self, one: Product, x: Scheme) -> Scheme:
        """By their largest size; larger where the bias would not fit."""
        scheme = calibrate([one.w], "minmax", self.weights_dtype or self.dtype, symmetric=True,
                           axis=0 if self.per_channel else None)
        scale: NDArray[Any] = np.asarray(scheme.scale, np.float64)
        if self.widens:
            most = np.abs(one.w.reshape(scale.size, -1)).max(axis=1, initial=0.0).reshape(scale.shape)
            scale = np.where(most <= enlarged.NARROW / 2, enlarged.NARROW / 2 / 127, scale)
        if self.bits < 8:
            scale = scale.astype(np.float32) * np.float32(127 / (2 ** (self.bits - 1) - 1))
        return self._weights(scheme, enlarged.for_bias(scale, one.bias, float(x.scale), self.most_bias))

    def fitted(self, weights: Scheme, x: Scheme, out: Scheme) -> Scheme:
        """The same, larger where no result could be other than its zero point."""
        if self.wide:
            return weights
        return self._weights(weights, enlarged.for_sums(weights.scale, float(x.scale), float(out.scale)))

    def _weights(self, scheme: Scheme, scale: NDArray[np.float64]) -> Scheme:
        return self.scaled(scheme, scale.astype(np.float32) if scale.ndim else float(scale))

    def _rounded(self, scheme: Scheme) -> Scheme:
        """Up to powers of two, where the flow has such."""
        if not self.powers:
            return scheme
        up = np.exp2(np.ceil(np.log2(np.asarray(scheme.scale, np.float64))))
        return replace(scheme, scale=up if up.ndim else float(up))


SCHEMES = {flow.name: flow for flow in (
    Flow("tflite", "int8", symmetric=False, per_channel=True, requantization="fp32", widens=True),
    Flow("qnnpack", "uint8", symmetric=False, per_channel=False, requantization="q31"),
    Flow("shift-only", "int8", symmetric=True, per_channel=False, requantization="fp32", powers=True),
    Flow("onnxruntime", "int8", symmetric=False, per_channel=True, requantization="fp32", single=True,
         most_bias=enlarged.ONNX_BIAS),
    Flow("16x8", "int16", symmetric=True, per_channel=True, requantization="s64", weights_dtype="int8", widens=True,
         most_bias=2**38),
)}


def quantise_by_schemes(graph: Graph, flow: str = "tflite", *, calibration: Iterable[Any],
                        method: str = "minmax", per_channel: bool | None = None) -> Graph:
    """A network of real numbers as one of integers by schemes: see `neonsim.graph.quantising`.

    graph         of float32, one input; batch normalisations and limits are folded and fused first
    flow          a name of SCHEMES
    calibration   inputs, each of the graph's shape: what the network is used on
    method        a name of `neonsim.quant.calibration.METHODS`, for activations; weights reach their largest size
    per_channel   bool   weights have a scale for each result channel, or one; None: as the flow has it
    ->            Graph that takes and gives float32

    Raises BadArgument for another flow or method, calibration that is empty or no finite numbers, and an operator
    that the flow does not take, by its name.
    """
    if flow not in SCHEMES:
        raise BadArgument(f"flow is {', '.join(map(repr, SCHEMES))}; got {flow!r}.")
    simple = simplify(graph)
    return by_ranges(simple, flow, ranges(simple, calibration, method), per_channel)


def by_ranges(graph: Graph, flow: str, found: Mapping[str, Range], per_channel: bool | None = None,
              bits: int = 8) -> Graph:
    """The same where ranges are known: those of a table, or those that were learned.

    graph   simplified: batch normalisations folded, limits fused
    found   {tensor: Range} of all tensors
    bits    int   2 to 8, of weights: they lie in 8 bits, and reach less far
    """
    rules = replace(SCHEMES[flow], bits=as_int(bits, "bits of weights", 2, 8))
    if per_channel and rules.requantization == "q31":
        raise BadArgument(f"flow {flow!r} has one scale of weights: its requantisation has one multiplier.")
    return _Quantising(graph, rules if per_channel is None else replace(rules, per_channel=per_channel), found).all()


def check_real(graph: Graph) -> None:
    """Raises BadArgument for what is no graph, and one in which there is something else than real numbers."""
    if not isinstance(graph, Graph):
        raise BadArgument(f"a flow takes a Graph of float32; got {type(graph).__name__}.")
    for name, tensor in graph.tensors.items():
        if tensor.dtype != "float32":
            raise BadArgument(f"{graph.name} is no network of real numbers: its {name!r} is {tensor.type}.")


def ranges(graph: Graph, calibration: Iterable[Any], method: str = "minmax") -> dict[str, Range]:
    """What every tensor of a float graph reaches on some inputs: {tensor: Range}.

    Raises BadArgument as `quantise_by_schemes`.
    """
    check_real(graph)
    inputs = calibration if isinstance(calibration, Sequence) else list(calibration)
    seen = {name: observer_of(method) for name in graph.tensors}
    if not inputs:
        raise BadArgument("nothing to calibrate with: give some inputs of the network.")
    plan = graph.plan("reference")
    looks: list[Callable[[Observer, Any], None]] = [lambda one, values: one.look(values)]
    if next(iter(seen.values())).looks == 2:
        looks.append(lambda one, values: one.look_again(values))
    for look in looks:
        for x in inputs:
            plan.run(_input(graph, x))
            for name, observer in seen.items():
                look(observer, plan.tensor(name))
    found = {name: observer.range() for name, observer in seen.items()}
    for name in graph.inputs:
        if found[name] == (0.0, 0.0):
            warnings.warn(f"{graph.name}: every value of {name!r} to calibrate with is 0, so that scales say nothing "
                          "of what it will hold. Calibrate with inputs that the network is used on.", RuntimeWarning,
                          stacklevel=2)
    return found


def _input(graph: Graph, x: Any) -> Any:
    if len(graph.inputs) != 1:
        return x
    array = np.asarray(x)
    if array.dtype.kind not in "fiu":
        raise BadArgument(f"values to calibrate with are real numbers; got {array.dtype}.")
    return np.ascontiguousarray(array, np.float32)


_LARGEST_RATIO = 120     # of an operand's scale and the result's: sums of more leave 16 bits in LiteRT's own kernels


class _Quantising:
    """One graph on its way."""

    def __init__(self, graph: Graph, flow: Flow, found: Mapping[str, Range]) -> None:
        self.graph, self.flow = graph, flow
        self.made = Graph(f"{graph.name} ({flow.name})")
        self.names: dict[str, str] = {}
        self.schemes = self._schemes(found)

    def _schemes(self, found: Mapping[str, Range]) -> dict[str, Scheme]:
        """Of every tensor; those that must have one scheme reach as far as all of them."""
        leader = {name: name for name in self.graph.tensors}

        def lead(name: str) -> str:
            while leader[name] != name:
                name = leader[name]
            return name
        for node in self.graph.nodes:
            if isinstance(node.operator, Move | floating.RealMaxPool2d | floating.RealClamp | floating.RealAvgPool2d):
                first, *others = [lead(name) for name in (*node.inputs, *node.results)]
                for other in others:
                    leader[lead(other)] = lead(first)
        fixed = {name: self._shares() for node in self.graph.nodes
                 if isinstance(node.operator, floating.RealSoftmax) for name in node.results}
        reach: dict[str, Range] = {}
        for name, one in found.items():
            top = lead(name)
            so_far = reach.get(top, one)
            reach[top] = Range(min(so_far.low, one.low), max(so_far.high, one.high))
        of_group = {top: self.flow.scheme(one) for top, one in reach.items()} | {
            lead(name): scheme for name, scheme in fixed.items()}
        for node in self.graph.nodes:
            least, top = self._least(node, [of_group[lead(name)] for name in node.inputs]), lead(node.results[0])
            if float(of_group[top].scale) < least:
                of_group[top] = self.flow.scaled(of_group[top], least)
        return {name: of_group[lead(name)] for name in self.graph.tensors}

    def _least(self, node: Node, schemes: Sequence[Scheme]) -> float:
        """The least scale of a result that its operator takes."""
        if isinstance(node.operator, Product):
            weights = self.flow.weights(node.operator, schemes[0])
            return enlarged.least_output(weights.scale, float(schemes[0].scale), self.flow.below)
        scaled = isinstance(node.operator, floating.RealAdd | floating.RealGlobalAvgPool | floating.RealLeakyRelu)
        if scaled and not (self.flow.single or self.flow.wide):
            return max(float(one.scale) for one in schemes) / _LARGEST_RATIO
        return 0.0

    def _shares(self) -> Scheme:
        """Of softmax, whatever it was seen to give: to 1, as TensorFlow Lite has it."""
        if self.flow.wide:
            return Scheme(2.0**-15, 0, self.flow.dtype)
        return Scheme(1 / 256, limits(self.flow.dtype)[0], self.flow.dtype)

    def all(self) -> Graph:
        """Every node."""
        for name in self.graph.inputs:
            self.made.add_input(name, self.graph.tensors[name].shape, dtype="float32")
            # Times 1 / scale is what runs files of networks; of powers of two it is the quotient, to the bit.
            first = (single.SingleQuantize(out=self.schemes[name]) if self.flow.single else
                     ops.Quantize(out=self.schemes[name], ties="eights" if self.flow.wide else "even",
                                  reciprocal=not self.flow.wide, finite=True))
            self.names[name] = self.made.add_node(f"{name} (quantised)", first, name)
        for node in self.graph.nodes:
            self._node(node)
        ends = [self.made.add_node(f"{name} (real)", ops.Dequantize(self.schemes[name]), self.names[name])
                for name in self.graph.outputs]
        return self.made.finish(*ends)

    def _node(self, node: Node) -> None:
        given = [self.names[name] for name in node.inputs]
        try:
            if self.flow.wide and not isinstance(node.operator, Product | Move):
                self._beside_products(node)
                return
            operator = self._operator(node)
        except BadArgument as problem:
            raise BadArgument(f"{node.name} of {self.graph.name} ({node.kind}) does not suit flow="
                              f"{self.flow.name!r}: {problem}") from None
        shape = self.graph.tensors[node.results[0]].shape
        if isinstance(operator, single.SingleGlobalMean):       # keeps height and width, of 1
            image = self.made.add_node(f"{node.name} (image)", operator, *given)
            operator, given = Reshape(operator.out, shape), [image]
        made = self.made.add_node(node.name, operator, *given)
        self.names |= dict(zip(node.results, self.made.results(made), strict=True))

    def _operator(self, node: Node) -> ops.Operator | Move:
        if isinstance(node.operator, Move):
            return node.operator.quantised(self.schemes[node.results[0]])
        found = _single(node.operator, self, node) if self.flow.single else None
        return _quantised(node.operator, self, node) if found is None else found

    def _beside_products(self, node: Node) -> None:
        """What 16x8 has no kernels for: means as products, all others through real numbers."""
        one = node.operator
        if isinstance(one, floating.RealGlobalAvgPool) or (isinstance(one, floating.RealAvgPool2d) and not any(
                map(any, one.shape(self.graph.tensors[node.inputs[0]].shape).padding))):
            self._mean(node, one)
            return
        if not isinstance(one, floating.Real) or isinstance(one, floating.BatchNorm):
            _quantised(one, self, node)     # says that it has no form
        reals = [self.made.add_node(f"{node.name} (from {name})", ops.Dequantize(self.schemes[name]),
                                    self.names[name]) for name in dict.fromkeys(node.inputs)]
        given = dict(zip(dict.fromkeys(node.inputs), reals, strict=True))
        made = self.made.add_node(f"{node.name} (in real numbers)", one, *(given[name] for name in node.inputs))
        back = ops.Quantize(out=self.out(node), ties="eights")
        self.names[node.results[0]] = self.made.add_node(node.name, back, made)

    def _mean(self, node: Node, one: floating.RealGlobalAvgPool | floating.RealAvgPool2d) -> None:
        """A mean as a depthwise convolution: weights of 1, whose scale is one part of the window."""
        x = self.graph.tensors[node.inputs[0]].shape
        window, stride, whole = x[1:3], (1, 1), isinstance(one, floating.RealGlobalAvgPool)
        if isinstance(one, floating.RealAvgPool2d):
            window, stride = one.pool, one.shape(x).stride
        w = Quantized(np.ones((x[-1], *window, 1), np.int8), 1 / float(np.prod(window)), 0)
        made = ops.Conv2d(self.scheme(node), w, out=self.out(node), groups=x[-1],
                          stride=stride, requantization=self.flow.requantization,
                          **self.cut(one.low, one.high, self.out(node)))
        name = self.made.add_node(f"{node.name} (sums)" if whole else node.name, made, self.names[node.inputs[0]])
        if whole:
            name = self.made.add_node(node.name, Reshape(self.out(node), (x[0], x[-1])), name)
        self.names[node.results[0]] = name

    # ---- what the functions of operators use
    def scheme(self, node: Node, which: int = 0) -> Scheme:
        """Of an input."""
        return self.schemes[node.inputs[which]]

    def out(self, node: Node) -> Scheme:
        """Of the result."""
        return self.schemes[node.results[0]]

    def cut(self, low: float, high: float, out: Scheme) -> dict[str, Any]:
        """Limits as integers of the result; those of its type where there is none."""
        ends = [int(out.quantize([end]).values[0]) if np.isfinite(end) else whole
                for end, whole in zip((low, high), limits(out.dtype), strict=True)]
        return {"output_min": ends[0], "output_max": ends[1]}

    def weighted(self, one: Product, node: Node) -> dict[str, Any]:
        """Weights, bias and limits of a product."""
        x, out = self.scheme(node), self.out(node)
        w = self.flow.fitted(self.flow.weights(one, x), x, out).quantize(one.w)
        steps = np.rint(one.bias.astype(np.float64) / (float(x.scale) * np.asarray(w.scale, np.float64)))
        return {"w": w, "bias": steps.astype(np.int64 if self.flow.wide else np.int32), "out": out,
                "requantization": self.flow.requantization, **self.cut(one.low, one.high, out)}


def _single(operator: object, of: _Quantising, node: Node) -> ops.Operator | None:
    """What is no product, by ONNX Runtime's rules; None: as by any."""
    x, out = of.scheme(node), of.out(node)
    limits_ = of.cut(operator.low, operator.high, out) if isinstance(operator, floating.Real) else {}
    match operator:
        case floating.RealAdd():
            return single.SingleAdd(x, of.scheme(node, 1), out=out, **limits_)
        case floating.RealLeakyRelu():
            return single.SingleLeakyRelu(x, operator.slope, out)
        case floating.RealAvgPool2d():
            if np.isfinite([operator.low, operator.high]).any():
                raise BadArgument("a mean with limits: leave them behind it.")
            shape = operator.shape(of.graph.tensors[node.inputs[0]].shape)
            return single.SingleMean(x, pool=operator.pool, out=out, stride=shape.stride, padding=shape.padding,
                                     counts_padding=False)
        case floating.RealGlobalAvgPool():
            return single.SingleGlobalMean(x, out=out, image=of.graph.tensors[node.inputs[0]].shape[1:])
        case floating.RealSoftmax():
            if operator.beta != 1:
                raise BadArgument(f"its beta is {operator.beta:g}; 1 is taken.")
            return single.SingleSoftmax(x, out=out)
    return None


def _as_litert(of: _Quantising, fallback: dict[str, Any], make: Callable[..., ops.Operator]) -> ops.Operator:
    """By XNNPACK's rules; where it refuses the scales, by those of LiteRT's own kernels, which do it then."""
    try:
        return make()
    except BadArgument:
        if of.flow.requantization != "fp32":
            raise
        return make(**fallback)


@functools.singledispatch
def _quantised(operator: object, of: _Quantising, node: Node) -> ops.Operator:
    """The operator of integers for one of real numbers."""
    kind = getattr(operator, "kind", type(operator).__name__)
    hint = (": nothing before it took it in (a convolution without limits, that nothing else reads)"
            if isinstance(operator, floating.BatchNorm) else "")
    raise BadArgument(f"{kind} has no form in integers{hint}.")


@_quantised.register
def _(operator: floating.RealConv2d, of: _Quantising, node: Node) -> ops.Operator:
    return ops.Conv2d(of.scheme(node), stride=operator.stride, padding=operator.padding, dilation=operator.dilation,
                      groups=operator.groups, **of.weighted(operator, node))


@_quantised.register
def _(operator: floating.RealFullyConnected, of: _Quantising, node: Node) -> ops.Operator:
    return ops.FullyConnected(of.scheme(node), **of.weighted(operator, node))


@_quantised.register
def _(operator: floating.RealAdd, of: _Quantising, node: Node) -> ops.Operator:
    out = of.out(node)
    return _as_litert(of, {"rounding": "twice"}, lambda **how: ops.Add(
        of.scheme(node), of.scheme(node, 1), out=out, **of.cut(operator.low, operator.high, out), **how))


@_quantised.register
def _(operator: floating.RealClamp, of: _Quantising, node: Node) -> ops.Operator:
    return ops.Clamp(of.scheme(node), **of.cut(operator.low, operator.high, of.out(node)))


@_quantised.register
def _(operator: floating.RealLeakyRelu, of: _Quantising, node: Node) -> ops.Operator:
    return _as_litert(of, {"requantization": "gemmlowp"}, lambda **how: ops.LeakyRelu(
        of.scheme(node), slope=operator.slope, out=of.out(node), **how))


@_quantised.register
def _(operator: floating.RealMaxPool2d, of: _Quantising, node: Node) -> ops.Operator:
    return ops.MaxPool2d(of.scheme(node), pool=operator.pool, stride=operator.stride, padding=operator.padding,
                         dilation=operator.dilation, **of.cut(operator.low, operator.high, of.out(node)))


@_quantised.register
def _(operator: floating.RealAvgPool2d, of: _Quantising, node: Node) -> ops.Operator:
    return ops.AvgPool2d(of.scheme(node), pool=operator.pool, out=of.out(node), stride=operator.stride,
                         padding=operator.padding, integer=True, **of.cut(operator.low, operator.high, of.out(node)))


@_quantised.register
def _(operator: floating.RealGlobalAvgPool, of: _Quantising, node: Node) -> ops.Operator:
    return ops.GlobalAvgPool(of.scheme(node), out=of.out(node))


@_quantised.register
def _(operator: floating.RealSoftmax, of: _Quantising, node: Node) -> ops.Operator:
    return ops.Softmax(of.scheme(node), beta=operator.beta, out=of.out(node))
