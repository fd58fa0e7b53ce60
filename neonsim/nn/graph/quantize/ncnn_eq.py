"""ncnn's search for better scales (EQ): each is tried from half to twice of what entropy gives, in 100 steps, and the
one is taken by which the layer's result is most like its result on floats.

    for every layer    its weights' scales, one after another, those before as they were found; then its input's
    how like           the cosine between both results, as vectors over all channels, added up over at most 50 inputs
    what it reads      the real network's tensor, whatever the layers before were given

A scale changes one channel of the result, or those of a group, so the 100 candidates are 100 channels or groups of one
convolution.

Source: (F17): ncnn `tools/quantize/ncnn2table.cpp`, quantize_EQ; D. Wu et al., EasyQuant, 2020.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.nn.graph.graph import Graph, Node
from neonsim.nn.graph.quantize.recipe_base import Product
from neonsim.nn.ops.float32.unquantized import AccumulatorConv2d, AccumulatorMatmul
from neonsim.quant.calibration import improved_scale
from neonsim.quant.requant.ncnn import dequantize_accumulators, factor_of, quantize_int8
from neonsim.quant.tensor_type import TensorType

__all__ = ["MAX_INPUTS", "SEARCHED", "integer_product", "search_scales"]

MAX_INPUTS, SEARCHED = 50, 100

Reals = NDArray[np.float32]
_BYTE = TensorType("int8")


def integer_product(one: Product, w: NDArray[np.int8], groups: int
                    | None = None) -> AccumulatorConv2d | AccumulatorMatmul:
    """A layer's sums of int8; of n groups, None: as many as it has."""
    if one.product_kind == "windows":
        conv: Any = one
        return AccumulatorConv2d(_BYTE, w, 0, groups=conv.groups if groups is None else groups, stride=conv.stride,
                                 padding=conv.padding, dilation=conv.dilation)
    return AccumulatorMatmul(_BYTE, w, 0)


def search_scales(graph: Graph, calibration: Sequence[Any], inputs: Mapping[str, float],
                   weights: Mapping[str, Reals]) -> tuple[dict[str, float], dict[str, Reals]]:
    """Better steps per unit of every layer.

    graph         of float32, simplified
    calibration   inputs of the network, arrays of its shape; the first 50 of them count
    inputs        {layer: steps per unit of what it reads}, to start from
    weights       {layer: float32 [`per_unit.scales_of`]}, likewise; where weights are nothing it is 0, and stays 0
    ->            both, improved
    """
    plan = graph.plan(("native", "reference"))
    found: tuple[dict[str, float], dict[str, Reals]] = ({}, {})
    nodes = [node for node in graph.nodes if node.name in inputs]
    seen: dict[str, list[Reals]] = {node.name: [] for node in nodes}
    for x in calibration[:MAX_INPUTS]:
        plan.run(x)
        for node in nodes:
            seen[node.name].append(np.array(plan.tensor(node.inputs[0])))
    for node in nodes:
        layer = _Layer(node, seen.pop(node.name), inputs[node.name], weights[node.name].copy())
        for which in np.flatnonzero(layer.w_steps):
            layer.search_weights(int(which))
        found[0][node.name], found[1][node.name] = layer.search_input(), layer.w_steps
    return found


@dataclass
class _Sums:
    """Products of the real result and the other one, by image and scale of weights: a * a, a * b, b * b."""

    aa: NDArray[np.float64]
    ab: NDArray[np.float64]
    bb: NDArray[np.float64]


class _Layer:
    """A layer, what it read, and the steps that it has so far."""

    def __init__(self, node: Node, xs: list[Reals], steps: float, w_steps: Reals) -> None:
        one = node.operator
        assert isinstance(one, Product)
        self.one, self.xs, self.steps, self.w_steps = one, xs, steps, w_steps
        self.each = one.w.shape[0] // w_steps.size      # channels of a scale
        plan = one.plan(xs[0].shape)
        self.real = [_flat(np.asarray(plan.run(x))) for x in xs]
        self.bytes = [quantize_int8(x, steps) for x in xs]
        run = self._run(one.w, np.repeat(w_steps, self.each), one.bias, xs[0].shape)
        made = [run(x, self.steps) for x in self.bytes]
        self.sums = _Sums(*(np.stack([np.einsum("pc,pc->c", a, b, dtype=np.float64).reshape(-1, self.each).sum(axis=1)
                                      for a, b in pairs]) for pairs in (
            zip(self.real, self.real, strict=True), zip(self.real, made, strict=True), zip(made, made, strict=True))))

    def _run(self, w: Reals, w_steps: Reals, bias: Reals, shape: tuple[int, ...],
             groups: int | None = None) -> Callable[[NDArray[np.int8], float], Reals]:
        """The layer on integers of this shape: (bytes, their steps) to its result, [pixels, channels]."""
        one = self.one
        plan = integer_product(one, quantize_int8(w, w_steps.reshape(-1, *[1] * (w.ndim - 1))), groups).plan(shape)

        def run(x: NDArray[np.int8], steps: float) -> Reals:
            return _flat(dequantize_accumulators(plan.run(x), factor_of(np.float32(steps), w_steps), bias, one.low,
                                                 one.high))
        return run

    def search_weights(self, which: int) -> None:
        """Better steps of the weights of one channel, or of one group."""
        first, begin, end = float(self.w_steps[which]), 0, self.xs[0].shape[-1]
        # As `improved_scale` walks, all at once.
        tried = (first * 0.5 + np.arange(SEARCHED) * (first * 1.5 / SEARCHED)).astype(np.float32)
        if self.one.product_kind == "windows":
            one: Any = self.one
            begin = which // (self.w_steps.size // one.groups) * one.depth
            end = begin + one.depth
        channels = range(which * self.each, (which + 1) * self.each)
        many, bias = (np.concatenate([one[channels]] * SEARCHED) for one in (self.one.w, self.one.bias))
        run = self._run(many, np.repeat(tried, self.each), bias, (*self.xs[0].shape[:-1], end - begin), 1)
        score, (ab, bb) = np.zeros(SEARCHED), np.zeros((2, len(self.xs), SEARCHED))
        for image, x in enumerate(self.bytes):
            result = run(np.ascontiguousarray(x[..., begin:end]), self.steps)
            for place, channel in enumerate(channels):
                made = result[:, place::self.each].astype(np.float64)
                ab[image] += self.real[image][:, channel].astype(np.float64) @ made
                bb[image] += np.einsum("pc,pc->c", made, made)
            score += _cosine(self.sums.aa[image].sum(), self._others(self.sums.ab[image], which) + ab[image],
                             self._others(self.sums.bb[image], which) + bb[image])
        at = int(np.argmax(score))      # the smallest of equals
        if score[at] > 0:
            self.w_steps[which] = tried[at]
            self.sums.ab[:, which], self.sums.bb[:, which] = ab[:, at], bb[:, at]

    @staticmethod
    def _others(sums: NDArray[np.float64], which: int) -> float:
        return float(sums.sum() - sums[which])

    def search_input(self) -> float:
        """Better steps of what the layer reads."""
        run = self._run(self.one.w, np.repeat(self.w_steps, self.each), self.one.bias, self.xs[0].shape)
        sizes = self.sums.aa.sum(axis=1)

        def score(steps: float) -> float:
            total = 0.0
            for x, real, size in zip(self.xs, self.real, sizes, strict=True):
                made = run(quantize_int8(x, steps), steps)
                ab, bb = (np.einsum("pc,pc->c", made, other, dtype=np.float64).sum() for other in (real, made))
                total += float(_cosine(size, ab, bb))
            return total
        return improved_scale(float(self.steps), score, steps=SEARCHED)


def _flat(values: Reals) -> Reals:
    return values.reshape(-1, values.shape[-1])


def _cosine(aa: Any, ab: Any, bb: Any) -> NDArray[np.float64]:
    """0 where one of both is nothing."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where((aa > 0) & (np.asarray(bb) > 0), ab / np.sqrt(aa) / np.sqrt(bb), 0.0))
