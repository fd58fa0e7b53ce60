"""Architectures of files: written as `.tflite`, every tensor has LiteRT's bytes; none of them saturated or dead."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from neonsim.nn.backends.native import library
from neonsim.nn.formats import Model, tflite_bytes
from neonsim.nn.formats.tflite.read import read_tflite
from neonsim.nn.graph import Graph, random_input
from tests.needs import needs
from tests.nn.graph.architectures import ARCHITECTURES

needs("tflite", install="pip install 'neonsim[models]'")

NATIVE = ["native"] if library.available() is None else []
# Multiplications; anchors of the two that find things are the published ones.
MACS = {"efficientnet_lite0": 385_187_552, "mobilenet_v3_small": 56_511_424, "ssd_mobilenet_v1": 1_237_129_408,
        "posenet": 684_554_448, "deeplab_v3": 720_425_664, "movenet": 306_713_088, "efficientdet_lite0": 966_626_496}
ROWS = {"ssd_mobilenet_v1": 1917, "efficientdet_lite0": 19206}


def compare(graph: Graph, litert: Any, backends: list[str]) -> None:
    """Every tensor that a node of the file writes."""
    data, x = tflite_bytes(graph), random_input(graph).values
    model, (seen, numbers) = Model(read_tflite(data, graph.name)), litert.all_seen(data)
    theirs = litert.interpreter(seen)
    litert.run(theirs, [x])
    for backend in backends:
        model.run(x, backend, keep=True)
        for number in numbers:
            name = model.record.tensors[number].name
            assert np.array_equal(model.tensor(name), theirs.get_tensor(number)), (graph.name, backend, name)


def test_a_small_one_against_litert(litert: Any) -> None:
    compare(ARCHITECTURES["mobilenet_v3_small"](size=32), litert, ["reference", *NATIVE])


@pytest.mark.nightly
@pytest.mark.parametrize("quantization", ["qc8w", "qs8", "qu8"])
@pytest.mark.parametrize("name", ARCHITECTURES)
def test_against_litert(name: str, quantization: str, litert: Any) -> None:
    compare(ARCHITECTURES[name](size=64, quantization=quantization), litert, ["reference", *NATIVE])
    compare(ARCHITECTURES[name](quantization=quantization), litert, NATIVE)


@pytest.mark.nightly
@pytest.mark.parametrize("name", ARCHITECTURES)
def test_activations_live(name: str) -> None:
    graph = ARCHITECTURES[name]()
    assert graph.macs == MACS[name]
    assert name not in ROWS or {graph.tensors[output].shape[1] for output in graph.outputs} == {ROWS[name]}
    plan = graph.plan("reference")
    plan.run(random_input(graph))
    for node in graph.nodes:
        values, scheme = plan.tensor(node.name).values, graph.scheme(node.name)
        centered = values.astype(float) - scheme.zero_point
        assert np.mean(values == np.iinfo(values.dtype).max) < 0.1, node.name
        assert node.name == "classes" or 3 < np.sqrt(np.mean(centered**2)) < 160, node.name
