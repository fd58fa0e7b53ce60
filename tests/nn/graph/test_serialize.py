"""Networks as one file: what is written, what has no place in it. What runs them is tested with C and WebAssembly."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from neonsim.errors import BackendError
from neonsim.nn.backends.native import library
from neonsim.nn.graph import Graph, random_input
from neonsim.nn.graph.memory.planner import place
from neonsim.nn.graph.models.float_builder import maker
from neonsim.nn.graph.plan.native import layers_of
from neonsim.nn.graph.serialize import serialize, tensor_in
from neonsim.nn.ops import Conv2d
from neonsim.quant import Quantized, Scheme

pytestmark = pytest.mark.skipif(library.available() is not None, reason=str(library.available()))


def small(quantization: str) -> Graph:
    make = maker("small", 6, quantization, 0, 5)
    return make.finish(make.conv("y", make.input, 7, 3, padding=1))


@pytest.mark.parametrize("quantization", ["qu8", "qc8w"])
def test_what_is_written(quantization: str) -> None:
    graph = small(quantization)
    arena, x = place(graph), random_input(graph)
    text, (layers, _) = serialize(graph, arena, x), layers_of(graph, arena)
    assert (text[:4], *struct.unpack_from("<IQ", text, 4)) == (b"NSN1", len(layers), arena.nbytes)
    memory = np.frombuffer(text[-arena.nbytes:], np.uint8)
    assert np.array_equal(tensor_in(memory, graph, arena, "input"), x.values.view(np.uint8))
    node = graph.nodes[0].operator
    assert isinstance(node, Conv2d)
    assert text.count(node.w.values.tobytes()) == 1 and text.count(node.bias.tobytes()) == 1


def test_what_has_no_place_in_it() -> None:
    x, w = Scheme(0.05, 3), Quantized(np.ones((5, 1, 1, 2), np.uint8), scale=0.01, zero_point=7)
    graph = Graph("double", (1, 4, 4, 2), x)
    graph.add_node("y", Conv2d(x, w, np.zeros(5, np.int32), out=Scheme(0.1, 4), requantization="ruy",
                                scale=0.005), "input")
    with pytest.raises(BackendError, match="y of double cannot be saved: its scales are in float64"):
        serialize(graph, place(graph), random_input(graph))
