"""A small network of every kind of layer, and the same with one thing changed."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from neonsim.nn import ops
from neonsim.nn.formats import Model, tflite_bytes
from neonsim.nn.formats.tflite.read import read_tflite
from neonsim.nn.graph import Concat, Graph, Reshape
from neonsim.quant import Quantized, Scheme

SHAPE = (2, 8, 8, 3)
S = {name: Scheme(scale, zero, "int8") for name, scale, zero in (
    ("input", 0.02, -5), ("conv", 0.05, 3), ("deep", 0.04, -9), ("sum", 0.0625, 1), ("point", 0.0625, 0),
    ("dense", 0.1, 7))}
Weights = dict[str, np.ndarray]


def weights() -> Weights:
    """Of all layers, seeded."""
    rng = np.random.default_rng(5)
    made: Weights = {}
    for name, shape in (("conv", (8, 3, 3, 3)), ("deep", (8, 3, 3, 1)), ("point", (12, 1, 1, 16)),
                        ("dense", (10, 192))):
        made[name] = rng.integers(-127, 128, shape).astype(np.int8)
        made[f"{name} scale"] = rng.uniform(0.001, 0.004, shape[0]).astype(np.float32)
        if name == "point":
            made["point scale"][:] = 2.0**-8        # a requantisation scale of 2**-8: ties are common
        made[f"{name} bias"] = rng.integers(-900, 900, shape[0]).astype(np.int32)
    return made


def graph_of(change: Callable[[Weights], Any] | None = None, rules: dict[str, str] | None = None) -> Graph:
    """input - conv - deep (depthwise) - sum (of both) - join - point - pool - dense - shares

    change   of the weights, in place
    rules    {layer: requantization}, "fp32" where nothing is said
    """
    made = weights()
    if change is not None:
        change(made)

    def of(name: str) -> dict[str, Any]:
        return {"w": Quantized(made[name], made[f"{name} scale"], axis=0), "bias": made[f"{name} bias"],
                "out": S[name], "requantization": (rules or {}).get(name, "fp32")}

    graph = Graph("planted", SHAPE, S["input"])
    graph.add_node("conv", ops.Conv2d(S["input"], padding=1, output_min=3, **of("conv")), "input")
    graph.add_node("deep", ops.Conv2d(S["conv"], padding=1, groups=8, **of("deep")), "conv")
    graph.add_node("sum", ops.Add(S["conv"], S["deep"], out=S["sum"]), "conv", "deep")
    graph.add_node("join", Concat(S["sum"]), "sum", "sum")
    graph.add_node("point", ops.Conv2d(S["sum"], **of("point")), "join")
    graph.add_node("pool", ops.MaxPool2d(S["point"], pool=2, stride=2), "point")
    graph.add_node("flat", Reshape(S["point"], (2, -1)), "pool")
    graph.add_node("dense", ops.FullyConnected(S["point"], **of("dense")), "flat")
    graph.add_node("shares", ops.Softmax(S["dense"]), "dense")
    return graph.finish("shares")


def model_of(graph: Graph) -> Model:
    """Written and read."""
    return Model(read_tflite(tflite_bytes(graph), "planted.tflite"))


def image(seed: int = 1) -> np.ndarray:
    """An input."""
    return np.random.default_rng(seed).integers(-128, 128, SHAPE).astype(np.int8)


def tensors(graph: Graph, x: np.ndarray) -> dict[str, np.ndarray]:
    """Every tensor of a run by definition, the input too."""
    plan = graph.plan("reference")
    plan.run(Quantized(x, S["input"].scale, S["input"].zero_point))
    return {name: np.asarray(plan.tensor(name).values) for name in graph.tensors}


@pytest.fixture(scope="module")
def planted() -> SimpleNamespace:
    """These functions, for tests."""
    pytest.importorskip("tflite", reason="needs the packages tflite and flatbuffers: pip install 'neonsim[models]'")
    return SimpleNamespace(graph_of=graph_of, model_of=model_of, image=image, tensors=tensors)


@pytest.fixture(scope="module")
def network(planted: SimpleNamespace) -> Model:
    """The file as it is."""
    return model_of(graph_of())
