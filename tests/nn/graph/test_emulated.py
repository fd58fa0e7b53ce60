"""Networks and full-size layers emulated from the text of kernels: the bytes of the reference and of C."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from neonsim.nn.backends.native import library
from neonsim.nn.graph import Graph, mobilenet_v2, random_input
from neonsim.nn.graph.models.builder import GraphBuilder, TensorRef

pytestmark = [pytest.mark.nightly, pytest.mark.skipif(library.available() is not None,
                                                      reason=str(library.available()))]


def check(graph: Graph) -> None:
    """Every tensor by three backends."""
    x = random_input(graph)
    reference, emulated = graph.plan("reference"), graph.plan("emulated")
    native = graph.plan("native", keep=True)
    for plan in (reference, emulated, native):
        plan.run(x)
    for node in graph.nodes:
        wanted = reference.tensor(node.name).values
        assert np.array_equal(emulated.tensor(node.name).values, wanted), node.name
        assert np.array_equal(native.tensor(node.name).values, wanted), node.name


@pytest.mark.parametrize(("quantization", "size"), [("qu8", 96), ("qc8w", 64)])
def test_mobilenet_v2(quantization: str, size: int) -> None:
    """Width 0.25, completely; the int8 one smaller, for its kernels take longer to emulate."""
    check(mobilenet_v2(0.25, size, quantization))


LAYERS: dict[str, tuple[int, int, Callable[[GraphBuilder], TensorRef]]] = {
    "stem": (224, 3, lambda m: m.conv("y", m.input, 32, 3, stride=2, padding=m.same_padding(m.input, 3, 2))),
    "depthwise": (112, 32, lambda m: m.conv("y", m.input, 32, 3, padding=1, groups=32)),
    "depthwise_s2": (28, 256, lambda m: m.conv("y", m.input, 256, 3, stride=2, padding=1, groups=256)),
    "pointwise": (14, 512, lambda m: m.conv("y", m.input, 512)),
    "add": (28, 256, lambda m: m.add("y", m.input, m.input)),
    "conv7": (224, 3, lambda m: m.conv("y", m.input, 64, 7, stride=2, padding=3, activation="relu")),
    "conv3": (28, 128, lambda m: m.conv("y", m.input, 128, 3, padding=1, activation="relu")),
    "wide": (14, 192, lambda m: m.conv("y", m.input, 192, (1, 7), padding=(0, 3))),
    "tall": (14, 192, lambda m: m.conv("y", m.input, 192, (7, 1), padding=(3, 0))),
    "grouped": (28, 240, lambda m: m.conv("y", m.input, 60, groups=3)),
    "shuffle": (28, 240, lambda m: m.shuffle("y", m.input, 3)),
    "concat": (28, 64, lambda m: m.concat("y", m.conv("a", m.input, 64), m.conv("b", m.input, 128, 3, padding=1))),
    "max_pool": (56, 64, lambda m: m.max_pool("y", m.input, 3, 2, padding=1)),
    "avg_pool": (28, 240, lambda m: m.avg_pool("y", m.input, 3, 2, 1, m.scheme(m.input))),
    "pool": (7, 1024, lambda m: m.global_pool("y", m.input)),
    "classifier": (7, 1024, lambda m: m.linear("y", m.global_pool("p", m.input), 1001)),
}


@pytest.mark.parametrize("quantization", ["qu8", "qc8w"])
@pytest.mark.parametrize("name", LAYERS)
def test_full_size_layer(name: str, quantization: str) -> None:
    """One layer of every kind, as large as MobileNet has it."""
    size, channels, build = LAYERS[name]
    make = GraphBuilder("layer", size, quantization, 0, channels)
    check(make.finish(build(make)))
