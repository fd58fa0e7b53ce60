"""What an operator is to a network of the C library, it says itself; a subclass has its parent's layer."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from neonsim.errors import BackendError
from neonsim.nn.backends.native import library
from neonsim.nn.backends.native.network import kinds
from neonsim.nn.graph import Graph, random_input, random_inputs
from neonsim.nn.graph.plan.native import NativePlan
from neonsim.nn.ops import (
    Add,
    ArgMax,
    ArgMin,
    AvgPool2d,
    ChannelShuffle,
    Clamp,
    Conv2d,
    Convert,
    Copy,
    Dequantize,
    FullyConnected,
    GlobalAvgPool,
    LeakyRelu,
    Maximum,
    MaxPool2d,
    Mean,
    Minimum,
    Multiply,
    Operator,
    Quantize,
    Rescale,
    ResizeBilinear,
    Sigmoid,
    SoftArgmax,
    Softmax,
    Subtract,
    Tanh,
)
from neonsim.quant.scheme import Quantized, Scheme
from neonsim.quant.tensor_type import elements
from tests.nn.operator_cases.each import operator_files
from tests.nn.operator_cases.listed import classes, left_out

needs_library = pytest.mark.skipif(library.available() is not None, reason=str(library.available()))

X = Scheme(0.05, 128)
SHAPE = (2, 6, 5, 8)
W = Quantized(np.random.default_rng(0).integers(0, 256, (8, 3, 3, 8)).astype(np.uint8), 0.004, 117)
ROWS = Quantized(W.values.reshape(8, 72)[:, :8].copy(), 0.004, 117)
# Every operator that has a layer, with its kind.
LAYERS: dict[str, tuple[type[Operator], Any, dict[str, Any]]] = {
    "conv": (Conv2d, (X, W), {"out": X, "padding": 1}),
    "linear": (FullyConnected, (X, ROWS), {"out": X}),
    "add": (Add, (X, X), {"out": X}),
    "subtract": (Subtract, (X, X), {"out": X}),
    "multiply": (Multiply, (X, X), {"out": X}),
    "average": (AvgPool2d, (X,), {"pool": 2, "out": X}),
    "whole": (GlobalAvgPool, (X,), {"out": X}),
    "max": (MaxPool2d, (X,), {"pool": 2}),
    "copy": (Copy, (X,), {}),
    "clamp": (Clamp, (X,), {"output_min": 9, "output_max": 200}),
    "convert": (Convert, (X,), {"out": X}),
    "leaky_relu": (LeakyRelu, (X,), {"slope": 0.3, "out": X}),
    "sigmoid": (Sigmoid, (X,), {}),
    "tanh": (Tanh, (X,), {}),
    "softmax": (Softmax, (X,), {}),
    "rescale": (Rescale, (X,), {"out": Scheme(0.03, 99)}),
    "bilinear": (ResizeBilinear, (X,), {"size": (9, 4)}),
    "maximum": (Maximum, (X,), {}),
    "minimum": (Minimum, (X,), {}),
    "mean": (Mean, (X,), {"out": X}),
    "argmax": (ArgMax, (X,), {}),
    "argmin": (ArgMin, (X,), {}),
    "quantize": (Quantize, (), {"out": X, "reciprocal": True}),
    "dequantize": (Dequantize, (X,), {}),
    **{name: (each.operator, (X,), dict(each.options)) for name, each in operator_files().items()
       if each.operator.network_layer is not Operator.network_layer},
}


SHAPES = {Mean: (2, 30, 8)}


def of(operator: Operator) -> Graph:
    shape = next((shape for kind, shape in SHAPES.items() if isinstance(operator, kind)), SHAPE)
    graph, type_ = Graph("one"), operator.input_types[0]
    graph.add_input("input", shape, type_.scheme, None if type_.scheme else type_.dtype)
    graph.add_node("node", operator, *["input"] * len(operator.input_types))
    return graph


def test_every_layer_is_here() -> None:
    there = [name for name, each in classes().items() if each.network_layer is not Operator.network_layer]
    listed = [each.__name__ for each, _, _ in LAYERS.values()]
    lost = left_out(listed, "subclass that is tried (LAYERS of tests/nn/graph/test_layers.py)", there)
    assert not lost, lost


@needs_library
@pytest.mark.parametrize("name", LAYERS)
def test_a_subclass_works_as_its_parent(name: str) -> None:
    """A class of your own, with a word more to say: planned and joined as the one it is of."""
    parent, given, options = LAYERS[name]
    child = type("Own", (parent,), {"kind": "own", "details": lambda self: ["my own"]})
    graph = of(child(*given, **options))
    shapes = [graph.tensors[name].shape for name in graph.nodes[0].inputs]
    assert child(*given, **options).network_layer(*shapes).kind in kinds()
    x = random_inputs(graph)
    wanted = elements(graph.plan("reference").run(x))
    assert np.array_equal(elements(NativePlan(graph).run(x)), wanted)
    assert np.array_equal(elements(NativePlan(of(parent(*given, **options))).run(x)), wanted)


@needs_library
def test_sums_of_subclasses_are_joined() -> None:
    product, total = type("P", (Conv2d,), {}), type("S", (Subtract,), {})
    graph = of(product(X, W, out=X, padding=1))
    graph.add_node("sum", total(X, X, out=X), "node", "input")
    plan, x = NativePlan(graph), random_input(graph)
    assert plan.joined == {"sum": "node"}
    assert np.array_equal(plan.run(x).values, graph.plan("reference").run(x).values)


@needs_library
def test_what_has_no_layer_is_refused_by_name() -> None:
    class Own(SoftArgmax):
        kind = "own shares"

    for operator, words in ((Own(X), "there is no layer for own shares. Omit the backend"),
                            (type("M", (MaxPool2d,), {})(X, pool=2, dilation=2), "the dilation of its windows")):
        with pytest.raises(BackendError, match=f"does not support node: {words}"):
            of(operator).plan("native")
    graph = Graph("broad", SHAPE, X)
    graph.add_input("row", SHAPE[-1:], X)
    graph.add_node("node", Add(X, X, out=X), "input", "row")
    with pytest.raises(BackendError,
                       match=r"does not support node: the shapes of its operands are \[2, 6, 5, 8\] and \[8\]"):
        graph.plan("native")
    x = random_inputs(graph)
    assert np.array_equal(graph.plan("native", operators=True).run(x).values, graph.plan("reference").run(x).values)


TOY = '''
"""An operator of your own: the class, and nothing else, for its layer is of a kind that is there."""

from neonsim.nn.backends.native_layer import NativeLayer
from neonsim.nn.ops import ChannelShuffle, Operator
from neonsim.nn.ops.operand import check_scheme
from neonsim.quant.reference import operators as definitions


class Unshuffle(Operator):
    """Undoes a channel shuffle: channel c * groups + g becomes channel c of group g."""

    kind = "channel unshuffle"

    def __init__(self, x, *, groups):
        self.schemes, self.out = (check_scheme(x, "x", ("uint8", "int8")),), x
        self.groups = groups

    def output_shape(self, *shapes):
        return shapes[0]

    def reference(self, *values):
        x = values[0]
        return x.reshape(*x.shape[:-1], -1, self.groups).swapaxes(-1, -2).reshape(x.shape)

    def lower(self, build, **options):
        ChannelShuffle(self.out, groups=build.inputs[0].channels // self.groups).lower(build)

    def network_layer(self, *shapes):
        return NativeLayer("shuffle", {"groups": shapes[0][-1] // self.groups})
'''


@pytest.fixture
def toy(tmp_path: Path) -> Any:
    path = tmp_path / "toy_operator.py"
    path.write_text(TOY)
    spec = importlib.util.spec_from_file_location("toy_operator", path)
    assert spec is not None and spec.loader is not None
    module: ModuleType = importlib.util.module_from_spec(spec)
    sys.modules["toy_operator"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["toy_operator"]


@needs_library
@pytest.mark.parametrize("dtype", ["uint8", "int8"])
def test_an_operator_with_a_layer_is_one_class(toy: Any, dtype: str) -> None:
    """In a module of its own, on three backends, in a network and by operators."""
    scheme = Scheme(0.05, 3, dtype)
    graph = Graph("own", (1, 3, 3, 12), scheme)
    graph.add_node("there", ChannelShuffle(scheme, groups=3), "input")
    graph.add_node("back", toy.Unshuffle(scheme, groups=3), "there")
    x = random_input(graph)
    plans = [graph.plan("native"), graph.plan("native", operators=True), graph.plan("reference"),
             graph.plan("emulated")]
    assert isinstance(plans[0], NativePlan)
    for plan in plans:
        assert np.array_equal(plan.run(x).values, x.values), plan
