"""From a network of floats to one of integers, every tensor by a scheme: the ways of four libraries.

    flow         activations            weights                     bias    back to 8 bits
    tflite       int8, with zero point  int8, a scale per channel   int32   one factor in single precision (fp32)
    qnnpack      uint8, zero point      uint8, one scale            int32   multiplier and shift (q31)
    shift-only   int8, symmetric        int8, one scale             int32   scales are powers of two: only shifts
    onnxruntime  as tflite; what is no product goes through floats in single precision
                 (`neonsim.nn.ops.arithmetics.onnxruntime`)
    16x8         int16, symmetric       int8, a scale per channel   int64   multiplier of 15 bits, sums of 64 (s64)

A flow names rules and types; the operators are those there are. Both ends stay real: the first node quantises, the last
dequantises, so a quantised graph takes and gives what the float graph does.

Means of 16x8 are depthwise convolutions by ones, which have its kernels; what else is no product goes through real
numbers there: dequantised, computed, quantised again.

Tensors between which nothing is computed (pooling by the largest, limits, moves) have one scheme.

What died in training has scales that would be too small: they are made larger as the libraries' own tools do it
(`neonsim.quant.calibration.dead_channels`), and what XNNPACK's kernels refuse is done as LiteRT's own do it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.common.integers import as_int
from neonsim.errors import BadArgument
from neonsim.nn import ops
from neonsim.nn.graph.data_movement import Reshape
from neonsim.nn.graph.graph import Graph, Node
from neonsim.nn.graph.quantize.recipe_base import Product, SchemeRecipe, float32_network, ranges
from neonsim.nn.ops.arithmetics import onnxruntime
from neonsim.nn.ops.float32 import operators
from neonsim.quant.calibration import Range, calibrate, dead_channels, scheme_of
from neonsim.quant.requant.runtimes import ARITHMETICS, RuntimeArithmetic
from neonsim.quant.rounding import limits, rounding_named
from neonsim.quant.scheme import Quantized, Scheme

__all__ = ["SCHEMES", "Flow", "by_ranges", "quantize_by_schemes"]


@dataclass(frozen=True)
class Flow:
    """The rules of a way.

    name            str
    dtype           type of activations and weights
    symmetric       activations without a zero point (128 of uint8)
    per_channel     weights have a scale for each result channel
    arithmetic      a name of ARITHMETICS, the runtime whose products it has; None: those of 16x8
    powers          scales are rounded up to powers of two
    single          what is no product goes through floats in single precision, as ONNX Runtime does it
    bits            of weights: 8, or fewer of them, which lie in 8 as they are
    weights_dtype   type of weights; "": that of activations
    widens          ranges next to nothing are made wider, as TensorFlow Lite's converter does it
    max_bias        steps of the sums that a bias has at most: scales of weights are made larger for it
    """

    name: str
    dtype: str
    symmetric: bool
    per_channel: bool
    arithmetic: str | None
    powers: bool = False
    single: bool = False
    bits: int = 8
    weights_dtype: str = ""
    widens: bool = False
    max_bias: float = dead_channels.MAX_BIAS

    @property
    def requantization(self) -> str:
        """Of products."""
        return "s64" if self.arithmetic is None else ARITHMETICS[self.arithmetic].products

    @property
    def fallback(self) -> RuntimeArithmetic | None:
        """The runtime whose own kernels do what those of this one refuse."""
        other = None if self.arithmetic is None else ARITHMETICS[self.arithmetic].fallback
        return None if other is None else ARITHMETICS[other]

    @property
    def wide(self) -> bool:
        """Sums have 64 bits."""
        return self.dtype == "int16"

    @property
    def below(self) -> float:
        """What x scale * weight scale / output scale must be less than."""
        return 128 if self.wide else rounding_named(self.requantization).below

    def scheme(self, reals: Range) -> Scheme:
        """Of an activation."""
        found = dead_channels.wide_enough(reals) if self.widens else reals
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
            scale = np.where(most <= dead_channels.NARROW / 2, dead_channels.NARROW / 2 / 127, scale)
        if self.bits < 8:
            scale = scale.astype(np.float32) * np.float32(127 / (2 ** (self.bits - 1) - 1))
        return self._weights(scheme, dead_channels.for_bias(scale, one.bias, float(x.scale), self.max_bias))

    def fitted(self, weights: Scheme, x: Scheme, out: Scheme) -> Scheme:
        """The same, larger where no result could be other than its zero point."""
        if self.wide:
            return weights
        return self._weights(weights, dead_channels.for_sums(weights.scale, float(x.scale), float(out.scale)))

    def _weights(self, scheme: Scheme, scale: NDArray[np.float64]) -> Scheme:
        return self.scaled(scheme, scale.astype(np.float32) if scale.ndim else float(scale))

    def _rounded(self, scheme: Scheme) -> Scheme:
        """Up to powers of two, where the flow has such."""
        if not self.powers:
            return scheme
        up = np.exp2(np.ceil(np.log2(np.asarray(scheme.scale, np.float64))))
        return replace(scheme, scale=up if up.ndim else float(up))


SCHEMES = {flow.name: flow for flow in (
    Flow("tflite", "int8", symmetric=False, per_channel=True, arithmetic="xnnpack", widens=True),
    Flow("qnnpack", "uint8", symmetric=False, per_channel=False, arithmetic="qnnpack"),
    Flow("shift-only", "int8", symmetric=True, per_channel=False, arithmetic="xnnpack", powers=True),
    Flow("onnxruntime", "int8", symmetric=False, per_channel=True, arithmetic="onnxruntime", single=True,
         max_bias=dead_channels.ONNX_BIAS),
    Flow("16x8", "int16", symmetric=True, per_channel=True, arithmetic=None, weights_dtype="int8", widens=True,
         max_bias=2**38),
)}


def quantize_by_schemes(graph: Graph, flow: str = "tflite", *, calibration: Iterable[Any],
                        method: str = "minmax", per_channel: bool | None = None) -> Graph:
    """A network of floats as one of integers by schemes: see `neonsim.nn.graph.quantize.quantize`.

    flow   a name of SCHEMES; other arguments and errors are those of `quantize` there
    """
    simple = float32_network(graph, flow, SCHEMES)
    return by_ranges(simple, flow, ranges(simple, calibration, method), per_channel)


def by_ranges(graph: Graph, flow: str, ranges: Mapping[str, Range], per_channel: bool | None = None,
              bits: int = 8) -> Graph:
    """The same where ranges are known: those of a table, or those that were learned.

    graph   simplified: batch normalisations folded, limits fused
    ranges  {tensor: Range} of all tensors
    bits    int   2 to 8, of weights: they lie in 8 bits, and reach less far
    """
    rules = replace(SCHEMES[flow], bits=as_int(bits, "bits of weights", 2, 8))
    if per_channel and rules.dtype == "uint8":
        raise BadArgument(f"flow {flow!r} has one scale of weights: its requantisation has one multiplier.")
    recipe: type[_BySchemes] = _ByOnnxRuntime if rules.single else _Wide if rules.wide else _BySchemes
    return recipe(graph, rules if per_channel is None else replace(rules, per_channel=per_channel), ranges).all()


_MAX_RATIO = 120     # of an operand's scale and the result's: sums of more leave 16 bits in LiteRT's own kernels


class _BySchemes(SchemeRecipe):
    """By the operators of XNNPACK and QNNPACK."""

    # Operators whose results have no scale that is too small for that of an operand.
    limited: tuple[type, ...] = (operators.Float32Add, operators.Float32GlobalAvgPool, operators.Float32LeakyRelu)

    def __init__(self, graph: Graph, rules: Flow, found: Mapping[str, Range]) -> None:
        self.rules = rules
        super().__init__(graph, rules.name, self._schemes(graph, found), rules.requantization)

    def _schemes(self, graph: Graph, found: Mapping[str, Range]) -> dict[str, Scheme]:
        """Of every tensor; those that must have one scheme reach as far as all of them."""
        leader = {name: name for name in graph.tensors}

        def lead(name: str) -> str:
            while leader[name] != name:
                name = leader[name]
            return name
        for node in graph.nodes:
            if node.operator.selects or node.operator.mean_of == "windows":
                first, *others = [lead(name) for name in (*node.inputs, *node.results)]
                for other in others:
                    leader[lead(other)] = lead(first)
        fixed = {name: self.shares() for node in graph.nodes
                 if node.operator.shares for name in node.results}
        reach: dict[str, Range] = {}
        for name, one in found.items():
            top = lead(name)
            so_far = reach.get(top, one)
            reach[top] = Range(min(so_far.low, one.low), max(so_far.high, one.high))
        of_group = {top: self.rules.scheme(one) for top, one in reach.items()} | {
            lead(name): scheme for name, scheme in fixed.items()}
        for node in graph.nodes:
            least, top = self._least(node, [of_group[lead(name)] for name in node.inputs]), lead(node.results[0])
            if float(of_group[top].scale) < least:
                of_group[top] = self.rules.scaled(of_group[top], least)
        return {name: of_group[lead(name)] for name in graph.tensors}

    def _least(self, node: Node, schemes: Sequence[Scheme]) -> float:
        """The least scale of a result that its operator takes."""
        one: Any = node.operator
        if one.product_kind:
            weights = self.rules.weights(one, schemes[0])
            return dead_channels.least_output(weights.scale, float(schemes[0].scale), self.rules.below)
        if isinstance(one, self.limited):
            return max(float(one.scale) for one in schemes) / _MAX_RATIO
        return 0.0

    def shares(self) -> Scheme:
        """Of softmax, whatever it was seen to give: to 1, as TensorFlow Lite has it."""
        return Scheme(1 / 256, limits(self.rules.dtype)[0], self.rules.dtype)

    def entry(self, out: Scheme) -> ops.Operator:
        # Times 1 / scale is what runs files of networks; of powers of two it is the quotient, to the bit.
        return ops.Quantize(out=out, reciprocal=True, finite=True)

    def weights(self, one: Product, x: Scheme, out: Scheme) -> Quantized:
        return self.rules.fitted(self.rules.weights(one, x), x, out).quantize(one.w)

    def bias(self, one: Product, x: Scheme, w: Quantized) -> NDArray[Any]:
        steps = np.rint(one.bias.astype(np.float64) / (float(x.scale) * np.asarray(w.scale, np.float64)))
        return steps.astype(np.int64 if self.rules.wide else np.int32)

    def cut(self, one: operators.Float32Operator, out: Scheme) -> dict[str, Any]:
        """Those of the result's type where there is none."""
        ends = [int(out.quantize([end]).values[0]) if np.isfinite(end) else whole
                for end, whole in zip((one.low, one.high), limits(out.dtype), strict=True)]
        return {"output_min": ends[0], "output_max": ends[1]}

    def _norm(self, one: operators.BatchNorm, node: Node, x: Scheme, out: Scheme) -> ops.Operator:
        raise BadArgument(f"{one.kind} has no form in integers: nothing before it took it in (a convolution without "
                          "limits, that nothing else reads).")

    def _as_litert(self, make: Callable[..., ops.Operator], **fallback: str) -> ops.Operator:
        """By XNNPACK's rules; where it refuses the scales, by those of LiteRT's own kernels, which do it then.

        fallback   an option of the operator, and which of their rules is its value
        """
        try:
            return make()
        except BadArgument:
            if self.rules.fallback is None:
                raise
            return make(**{name: getattr(self.rules.fallback, rule) for name, rule in fallback.items()})

    forms = SchemeRecipe.forms.but({
        operators.Float32Add: lambda of, one, node, x, out: of._as_litert(
            partial(ops.Add, x, of.schemes[node.inputs[1]], out=out, **of.cut(one, out)), rounding="sums"),
        operators.Float32Clamp: lambda of, one, node, x, out: ops.Clamp(x, **of.cut(one, out)),
        operators.Float32LeakyRelu: lambda of, one, node, x, out: of._as_litert(
            partial(ops.LeakyRelu, x, slope=one.slope, out=out), requantization="leaky"),
        operators.Float32AvgPool2d: lambda of, one, node, x, out: ops.AvgPool2d(
            x, pool=one.pool, out=out, stride=one.stride, padding=one.padding, integer=True, **of.cut(one, out)),
        operators.Float32GlobalAvgPool: lambda of, one, node, x, out: ops.GlobalAvgPool(x, out=out),
        operators.Float32Softmax: lambda of, one, node, x, out: ops.Softmax(x, beta=one.beta, out=out),
        operators.BatchNorm: _norm,
    })


class _ByOnnxRuntime(_BySchemes):
    """What is no product goes through floats in single precision."""

    limited = ()

    def entry(self, out: Scheme) -> ops.Operator:
        return onnxruntime.OrtQuantize(out=out)

    def _average(self, one: operators.Float32AvgPool2d, node: Node, x: Scheme, out: Scheme) -> ops.Operator:
        if np.isfinite([one.low, one.high]).any():
            raise BadArgument("a mean with limits: leave them behind it.")
        shape = one.shape(self.graph.tensors[node.inputs[0]].shape)
        return onnxruntime.OrtMean(x, pool=one.pool, out=out, stride=shape.stride, padding=shape.padding,
                                      counts_padding=False)

    def _softmax(self, one: operators.Float32Softmax, node: Node, x: Scheme, out: Scheme) -> ops.Operator:
        if one.beta != 1:
            raise BadArgument(f"its beta is {one.beta:g}; supported: 1.")
        return onnxruntime.OrtSoftmax(x, out=out)

    def _mean(self, one: operators.Float32GlobalAvgPool, node: Node) -> None:
        """Means of images keep height and width, of 1."""
        x, y = (self.graph.tensors[name] for name in (*node.inputs, *node.results))
        mean = onnxruntime.OrtGlobalMean(self.schemes[x.name], out=self.schemes[y.name], image=x.shape[1:])
        image = self.made.add_node(f"{node.name} (image)", mean, self.names[x.name])
        self.put(node, Reshape(self.schemes[y.name], y.shape), image)

    forms = _BySchemes.forms.but({
        operators.Float32Add: lambda of, one, node, x, out: ops.Add(
            x, of.schemes[node.inputs[1]], out=out, rounding="onnxruntime", **of.cut(one, out)),
        operators.Float32LeakyRelu: lambda of, one, node, x, out: onnxruntime.OrtActivation(
            x, out, "LEAKY_RELU", slope=one.slope),
        operators.Float32AvgPool2d: _average, operators.Float32Softmax: _softmax,
    })
    places = SchemeRecipe.places.but({operators.Float32GlobalAvgPool: _mean})


class _Wide(_BySchemes):
    """16x8, which has kernels for products only."""

    limited = ()

    def shares(self) -> Scheme:
        return Scheme(2.0**-15, 0, self.rules.dtype)

    def entry(self, out: Scheme) -> ops.Operator:
        return ops.Quantize(out=out, ties="eights", finite=True)

    def _through_reals(self, one: operators.Float32Operator, node: Node) -> None:
        """What is no product: dequantised, computed, quantised again."""
        reals = {name: self.made.add_node(f"{node.name} (from {name})", ops.Dequantize(self.schemes[name]),
                                          self.names[name]) for name in dict.fromkeys(node.inputs)}
        made = self.made.add_node(f"{node.name} (in real numbers)", one, *(reals[name] for name in node.inputs))
        self.put(node, ops.Quantize(out=self.schemes[node.results[0]], ties="eights"), made)

    def _mean(self, one: Any, node: Node) -> None:
        """A mean as a depthwise convolution: weights of 1, whose scale is one part of the window."""
        x, out = self.graph.tensors[node.inputs[0]], self.schemes[node.results[0]]
        window, stride, whole = x.shape[1:3], (1, 1), one.mean_of == "image"
        if not whole:
            window, stride = one.pool, one.shape(x.shape).stride
            if any(map(any, one.shape(x.shape).padding)):
                self._through_reals(one, node)
                return
        w = Quantized(np.ones((x.shape[-1], *window, 1), np.int8), 1 / float(np.prod(window)), 0)
        made = ops.Conv2d(self.schemes[x.name], w, out=out, groups=x.shape[-1], stride=stride,
                          requantization=self.requantization, **self.cut(one, out))
        if not whole:
            self.put(node, made, self.names[x.name])
            return
        sums = self.made.add_node(f"{node.name} (sums)", made, self.names[x.name])
        self.put(node, Reshape(out, (x.shape[0], x.shape[-1])), sums)

    places = SchemeRecipe.places.but({
        operators.Float32Operator: _through_reals,
        **dict.fromkeys((operators.Float32Conv2d, operators.Float32FullyConnected, operators.BatchNorm),
                        SchemeRecipe.place_one),
        **dict.fromkeys((operators.Float32GlobalAvgPool, operators.Float32AvgPool2d), _mean),
    })
