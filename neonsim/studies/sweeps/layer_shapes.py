"""The shapes of all layers of the networks: what `neonsim sweep --preset network-layers` asks about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from neonsim.nn.graph import model
from neonsim.nn.graph.layer_shapes import products
from neonsim.nn.graph.models import PUBLISHED

__all__ = ["layer_lines", "layer_shapes"]

Shape = tuple[int, int, int, int]


def layer_shapes(networks: Sequence[str] | None = None, indirect: bool = False) -> dict[Shape, int]:
    """Shape of a product -> how many layers have it, groups counted; by depth, columns, rows.

    networks   names; None: all whose sizes were published
    indirect   windows as taps, for kernels that read through pointers; otherwise k counts the whole window

    Raises ModelError for a network that there is not.
    """
    found: Counter[Shape] = Counter()
    for name in PUBLISHED if networks is None else networks:
        for one in products(model(name)):
            taps = one.taps if indirect else 1
            found[one.m, one.n, one.k // taps, taps] += one.groups
    return {shape: found[shape] for shape in sorted(found, key=lambda shape: (shape[2] * shape[3], shape[3], shape[1],
                                                                              shape[0]))}


def layer_lines(networks: Sequence[str] | None = None) -> dict[Shape, int]:
    """Line of a depthwise layer's output, pixels x channels x 1 x taps -> how many all layers have; by taps, channels,
    pixels. A depthwise kernel does one line a call.

    Arguments and errors as of `layer_shapes`.
    """
    found: Counter[Shape] = Counter()
    for name in PUBLISHED if networks is None else networks:
        graph = model(name)
        for node in graph.nodes:
            one: Any = node.operator
            if one.product_kind == "windows" and one.is_depthwise:
                _, high, wide, channels = graph.tensors[node.results[0]].shape
                found[wide, channels, 1, one.window[0] * one.window[1]] += high
    return {shape: found[shape] for shape in sorted(found, key=lambda shape: (shape[3], shape[1], shape[0]))}
