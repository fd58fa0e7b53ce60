"""What `.tflite` has no word for, or whose word has other bytes there, in other operators that give the same bytes.

    max pooling with any padding    a padding by the smallest number, then without
    channel shuffle                 two reshapes and a transposition between
    mean of all pixels              MEAN, if LiteRT's has the same byte for every sum; else a depthwise convolution by
                                    equal weights that has; else MEAN, and how many sums differ is said
    mean of windows, zeros counted  padded, then a mean of integers or such a convolution, likewise

A mean has a byte for every sum, and these are few: all are compared, so that what is said is exact.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.common.class_table import ClassTable
from neonsim.errors import BadArgument
from neonsim.nn import ops
from neonsim.nn.formats.lowering import same_padding
from neonsim.nn.graph import Graph, Node, Reshape
from neonsim.nn.graph.gather import pad_indices, transpose_indices
from neonsim.nn.ops.float32 import operators
from neonsim.quant.requant.runtimes import ARITHMETICS
from neonsim.quant.rounding import limits
from neonsim.quant.scheme import Quantized, Scheme

__all__ = ["respelled"]

Shape = tuple[int, ...]
Steps = list[tuple[str, Any]]       # (what it is, operator), one after the other; the last one has the node's name
_MAX_COMPARED = 1 << 14            # elements of a mean: four million sums


class _Respelling:
    """One node."""

    def __init__(self, graph: Graph, node: Node, said: dict[str, str]) -> None:
        self.node, self.said, self.type = node, said, graph.tensors[node.inputs[0]].type
        self.x, self.y = graph.tensors[node.inputs[0]].shape, graph.tensors[node.results[0]].shape

    def steps(self) -> Steps | None:
        """What it becomes, None if it stays."""
        respell = _RESPELLINGS.find(self.node.operator)
        return None if respell is None else respell(self, self.node.operator)

    def _shuffle(self, one: ops.ChannelShuffle) -> Steps:
        parts = (*self.x[:-1], one.groups, self.x[-1] // one.groups)
        order = (*range(len(self.x) - 1), len(self.x), len(self.x) - 1)
        return [("groups", Reshape(self.type, parts)), ("dealt", transpose_indices(self.type, parts, order)),
                ("", Reshape(self.type, self.y))]

    def _largest(self, one: Any) -> Steps | None:
        shape = one.shape(self.x)
        same = same_padding(shape.input, shape.kernel, shape.stride, shape.dilation)
        if not any(map(any, shape.padding)) or shape.padding == same or shape.dilation != (1, 1):
            return None
        if any(max(pair) >= taps for pair, taps in zip(shape.padding, shape.kernel, strict=True)):
            return None     # a window beside the image, where its edge lies, repeated
        amounts = ((0, 0), *shape.padding, (0, 0))
        if self.type.scheme is not None:
            low = limits(one.out.dtype)[0]
            return [("padded", ops.Pad(one.schemes[0], amounts=amounts, value=low)),
                    ("", ops.MaxPool2d(one.schemes[0], pool=one.pool, stride=shape.stride, output_min=one.output_min,
                                       output_max=one.output_max))]
        return [("padded", pad_indices(self.type, self.x, amounts, -math.inf)),
                ("", operators.Float32MaxPool2d(one.pool, stride=shape.stride, low=one.low, high=one.high))]

    def _mean(self, one: ops.GlobalAvgPool) -> Steps | None:
        if (one.output_min, one.output_max) != limits(one.out.dtype):
            return None
        window = self.x[1:-1]
        count = math.prod(window)
        if count > _MAX_COMPARED:
            self._say("the mean of this number of pixels is not compared with LiteRT's.")
            return None
        sums = _sums(one.schemes[0], count)
        # Fewer channels than 16 fill no vector: rule "ruy16" rounds them otherwise.
        rows = sums if self.x[-1] >= 16 else sums[:, np.newaxis]
        wanted = one.requantize(rows, count).reshape(-1)
        theirs = ops.Mean(one.schemes[0], out=one.out).requantize(sums, count)
        differing = int((wanted != theirs).sum())
        if not differing:
            return None
        made = self._by_ones(one, window, (1, 1), sums, wanted) if len(window) == 2 else None
        if made is not None:
            return [("sums", made), ("", Reshape(one.out, self.y))]
        self._say(f"of {sums.size:,} sums that it can have, LiteRT's MEAN rounds {differing} to another byte.")
        return None

    def _average(self, one: ops.AvgPool2d) -> Steps | None:
        if one.integer:
            return None
        x, shape, count = one.schemes[0], one.shape(self.x), math.prod(one.pool)
        if count > _MAX_COMPARED:
            return None
        sums = _sums(x, count)
        wanted = one.requantize(sums, count)
        amounts = ((0, 0), *shape.padding, (0, 0))
        before: Steps = [("padded", ops.Pad(x, amounts=amounts))] if any(map(any, shape.padding)) else []
        if x == one.out:
            whole = ops.AvgPool2d(x, pool=one.pool, stride=shape.stride, out=one.out, output_min=one.output_min,
                                  output_max=one.output_max, integer=True)
            if np.array_equal(whole.requantize(sums, count), wanted):
                return [*before, ("", whole)]
        made = self._by_ones(one, shape.kernel, shape.stride, sums, wanted)
        return None if made is None else [*before, ("", made)]

    def _by_ones(self, one: ops.GlobalAvgPool | ops.AvgPool2d, window: Shape, stride: tuple[int, int],
                 sums: NDArray[np.int64], wanted: NDArray[Any]) -> ops.Conv2d | None:
        """A depthwise convolution with the same byte for every sum, if there is one: ties go to the even byte; with
        weights of 127 and a bias of 1 or -1, a small part of a step, they go up or down."""
        x, channels, count = one.schemes[0], self.x[-1], math.prod(window)
        for weight, bias in ((1, 0), (127, 1), (127, -1)):
            w = Quantized(np.full((channels, *window, 1), weight, x.dtype), 1 / (count * weight), 0)
            try:
                made = ops.Conv2d(x, w, np.full(channels, bias, np.int32), out=one.out, groups=channels, stride=stride,
                                  requantization=ARITHMETICS["xnnpack"].products, output_min=one.output_min,
                                  output_max=one.output_max)
            except BadArgument:     # its scale is out of range
                return None
            found = made.params.requantize((weight * (sums - count * x.zero_point) + bias).astype(np.int32))
            if np.array_equal(found, wanted):
                return made
        return None

    def _say(self, what: str) -> None:
        self.said[self.node.name] = what


_RESPELLINGS = ClassTable[Callable[[_Respelling, Any], "Steps | None"]]({
    **dict.fromkeys((ops.MaxPool2d, operators.Float32MaxPool2d), _Respelling._largest),
    ops.ChannelShuffle: _Respelling._shuffle, ops.GlobalAvgPool: _Respelling._mean, ops.AvgPool2d: _Respelling._average,
})


def _sums(x: Scheme, count: int) -> NDArray[np.int64]:
    """All that n bytes can have."""
    low, high = limits(x.dtype)
    return np.arange(count * low, count * high + 1, dtype=np.int64)


def respelled(graph: Graph, said: dict[str, str]) -> Graph:
    """The graph in such words; what differs all the same goes into `said`, by node."""
    made, names = Graph(graph.name), dict[str, str]()
    for name in graph.inputs:
        tensor = graph.tensors[name]
        names[name] = made.add_input(name, tensor.shape, tensor.scheme, None if tensor.scheme else tensor.dtype)
    for node in graph.nodes:
        steps = _Respelling(graph, node, said).steps() if len(node.inputs) == 1 else None
        if steps is None:
            added = made.add_node(node.name, node.operator, *(names[name] for name in node.inputs))
            names |= dict(zip(node.results, made.results(added), strict=True))
            continue
        at = names[node.inputs[0]]
        for what, operator in steps:
            at = made.add_node(f"{node.name} ({what})" if what else node.name, operator, at)
        names[node.results[0]] = at
    return made.finish(*(names[name] for name in graph.outputs))

