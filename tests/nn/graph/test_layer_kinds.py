"""Kinds of layers: the header of the C library names them, Python takes them from there, every one is run."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neonsim
from neonsim.nn import ops
from neonsim.nn.backends.native import library
from neonsim.nn.backends.native.network import families, kinds, roundings
from neonsim.nn.graph import Constant, Graph, Reshape, gather, model, random_inputs
from neonsim.nn.graph.memory.planner import place
from neonsim.nn.graph.models.builder import GraphBuilder
from neonsim.nn.graph.plan.native import NativePlan, layers_of
from neonsim.nn.graph.quantize.ncnn import quantize_by_steps
from neonsim.nn.graph.select.two_pass import Im2colTwoPass
from neonsim.nn.ops import Operator
from neonsim.nn.ops.float32 import operators
from neonsim.quant.scheme import Quantized, Scheme
from neonsim.quant.tensor_type import elements
from tests.nn.operator_cases.each import operator_files
from tests.nn.operator_cases.listed import classes, left_out
from tests.tiers import every

HEADER = Path(neonsim.__file__).parents[1] / "native" / "include" / "neonsim_network.h"
needs_library = pytest.mark.skipif(library.available() is not None, reason=str(library.available()))


def joined_twice() -> Graph:
    """Two results side by side in either order: they cannot lie in both places, so they are copied."""
    make = GraphBuilder("joined_twice", 9, "qu8", 0)
    a, b = make.conv("a", make.input, 12), make.conv("b", make.input, 20, 3, padding=1)
    return make.finish(make.conv("last", make.add("sum", make.concat("ab", a, b), make.concat("ba", b, a)), 7))


def alone(name: str) -> Graph:
    """One operator."""
    each = operator_files()[name]
    scheme = Scheme(0.05, 128)
    graph = Graph(name, each.shape, scheme)
    graph.add_node("node", each.prepared(scheme), "input")
    return graph


def curves(dtype: str) -> Graph:
    """Functions of one byte, one after the other, and shares at the end."""
    zero = {"uint8": 128, "int8": 0}[dtype]
    graph = Graph(f"curves_{dtype}", (2, 5, 3, 37), Scheme(0.05, zero + 3, dtype))
    inner = Scheme(0.02, zero - 7, dtype)
    x = graph.add_node("leaky", ops.LeakyRelu(graph.scheme("input"), slope=0.2, out=inner), "input")
    x = graph.add_node("cut", ops.Clamp(inner, output_min=zero - 60, output_max=zero + 90), x)
    x = graph.add_node("tanh", ops.Tanh(inner), x)
    x = graph.add_node("other", ops.Convert(graph.scheme(x), out=Scheme(0.03, zero + 1, dtype)), x)
    x = graph.add_node("sigmoid", ops.Sigmoid(graph.scheme(x)), x)
    return graph.finish(graph.add_node("shares", ops.Softmax(graph.scheme(x), beta=7.0), x))


def moves(dtype: str) -> Graph:
    """Moves, resizing, two operands of several kinds, rows added up, and where the largest is."""
    zero = {"uint8": 128, "int8": 0}[dtype]
    graph, shape = Graph(f"moves_{dtype}", (2, 6, 5, 9), Scheme(0.05, zero + 3, dtype)), (2, 6, 5, 9)
    scheme = graph.scheme("input")
    backwards = gather.slice_indices(scheme, shape, (range(2), range(5, -1, -2), range(1, 5), range(0, 9, 4)))
    x = graph.add_node("padded",
                       gather.pad_indices(scheme, backwards.result, ((0, 0), (1, 2), (0, 1), (2, 4)), zero - 9),
                       graph.add_node("slice", backwards, "input"))
    known = graph.add_node("known", Constant(scheme, np.arange(2 * 6 * 5 * 9).reshape(shape).astype(dtype)))
    x = graph.add_node("product", ops.Multiply(scheme, scheme, out=Scheme(0.2, zero - 4, dtype)), x, known)
    x = graph.add_node("larger", ops.Maximum(graph.scheme(x)), x, graph.add_node(
        "other", gather.transpose_indices(graph.scheme(x), shape, (0, 1, 2, 3)), x))
    x = graph.add_node("smaller", ops.Minimum(graph.scheme(x)), x, graph.add_node("limit", Constant(
        graph.scheme(x), np.full(shape, zero + 20, dtype))))
    resized = graph.add_node("resized", ops.ResizeBilinear(graph.scheme(x), size=(7, 3), corners="half"), x)
    rows = graph.add_node("rows", Reshape(graph.scheme(x), (2, 21, 9)), resized)
    mean = graph.add_node("mean", ops.Mean(graph.scheme(x), out=Scheme(0.1, zero, dtype)), rows)
    real = graph.add_node("real", ops.Dequantize(graph.scheme(mean)), mean)
    graph.add_node("whole", ops.Quantize(out=Scheme(0.13, zero + 1, dtype), reciprocal=True), real)
    graph.add_node("largest", ops.ArgMax(graph.scheme(x)), resized)
    graph.add_node("smallest", ops.ArgMin(graph.scheme("whole")), "whole")
    return graph.finish("whole", "largest", "smallest", "real")


def twice(dtype: str) -> Graph:
    """What is rounded twice, by multipliers of 31 bits."""
    zero = {"uint8": 128, "int8": 0}[dtype]
    rng, schemes = np.random.default_rng(4), [Scheme(scale, zero + 5, dtype) for scale in (0.05, 0.08, 0.11)]
    graph = Graph(f"twice_{dtype}", (2, 6, 5, 21), schemes[0])

    def product(name: str, x: str, out: Scheme, shape: tuple[int, ...], rule: str, **options: Any) -> str:
        w = Quantized((rng.integers(-9, 10, shape) + zero).astype(dtype), 0.03, zero)
        scale = 2.0 ** rng.uniform(-7, -5, shape[0])
        return graph.add_node(name, ops.Conv2d(graph.scheme(x), w, out=out, padding=1, requantization=rule, scale=scale,
                                               **options), x)

    a = product("conv", "input", schemes[1], (21, 3, 3, 21), "gemmlowp")
    b = product("depthwise", "input", schemes[2], (21, 3, 3, 1), "ruy8", groups=21)
    y = graph.add_node("sum", ops.Add(schemes[1], schemes[2], out=schemes[0], rounding="twice"), a, b)
    y = graph.add_node("product", ops.Multiply(schemes[0], schemes[1], out=schemes[2], requantization="gemmlowp"), y, a)
    y = product("last", y, schemes[1], (21, 3, 3, 21), "fp64")
    y = graph.add_node("mean", ops.GlobalAvgPool(schemes[1], out=schemes[0], requantization="gemmlowp"), y)
    return graph.finish(graph.add_node("shares", ops.Softmax(schemes[0], fixed=True), y))


def reals() -> Graph:
    """Real numbers, one layer after the other."""
    rng = np.random.default_rng(3)

    def some(*shape: int) -> np.ndarray[Any, Any]:
        return rng.uniform(-0.5, 0.5, shape)

    graph = Graph("reals", (2, 9, 7, 5), dtype="float32")
    x = graph.add_node("conv", operators.Float32Conv2d(some(19, 3, 3, 5), some(19), padding=1, low=0.0), "input")
    y = graph.add_node("depthwise", operators.Float32Conv2d(some(19, 3, 3, 1), groups=19, padding=1), x)
    norm = graph.add_node("norm", operators.BatchNorm(some(19), some(19)), y)
    x = graph.add_node("sum", operators.Float32Add(), x, norm)
    x = graph.add_node("cut", operators.Float32Clamp(-1.0, 6.0),
                       graph.add_node("leaky", operators.Float32LeakyRelu(0.1), x))
    x = graph.add_node("max", operators.Float32MaxPool2d(2, stride=1), x)
    x = graph.add_node("mean", operators.Float32GlobalAvgPool(),
                       graph.add_node("average", operators.Float32AvgPool2d(2), x))
    return graph.finish(graph.add_node("shares", operators.Float32Softmax(), x))


def by_steps() -> Graph:
    """ncnn's arithmetic: floats to int8, sums to floats, sums to int8; products, depthwise, groups, padding."""
    rng = np.random.default_rng(5)

    def product(out: int, kernel: int, depth: int, groups: int = 1, **limits: Any) -> operators.Float32Conv2d:
        w = rng.normal(size=(out, kernel, kernel, depth))
        return operators.Float32Conv2d(w, rng.normal(size=out), padding=kernel // 2, groups=groups, **limits)

    graph = Graph("by_steps", (2, 6, 5, 21), dtype="float32")
    x = graph.add_node("a", product(21, 3, 21, low=0.0), "input")
    x = graph.add_node("b", product(21, 3, 1, 21, low=0.0, high=6.0), x)
    x = graph.add_node("c", product(12, 5, 7, 3), x)
    graph.finish(graph.add_node("d", operators.Float32FullyConnected(rng.normal(size=(9, 12)), rng.normal(size=9)), x))
    return quantize_by_steps(graph, "ncnn-fused", calibration=[random_inputs(graph, 1)["input"]])


def sixteen() -> Graph:
    """Products of int16: depths beyond a stretch of 256, groups, channels by themselves, rows."""
    rng, scheme = np.random.default_rng(3), Scheme(0.001, 0, "int16")
    graph = Graph("sixteen", (2, 6, 5, 64), scheme)

    def made(name: str, x: str, shape: tuple[int, ...], **options: Any) -> str:
        scale = rng.uniform(0.002, 0.01, shape[0]).astype(np.float32)
        w = Quantized(rng.integers(-127, 128, shape).astype(np.int8), scale, 0, axis=0)
        bias = rng.integers(-(1 << 33), 1 << 33, shape[0])
        out = Scheme(0.002 * np.sqrt(np.prod(shape[1:])), 0, "int16")
        one: Any = ops.Conv2d if len(shape) == 4 else ops.FullyConnected
        return graph.add_node(name, one(graph.scheme(x), w, bias, out=out, output_min=-30000, **options), x)

    y = made("conv", "input", (21, 3, 3, 64), padding=1, stride=2)
    y = made("groups", y, (42, 1, 2, 7), groups=3, dilation=2)
    y = made("depthwise", y, (42, 3, 3, 1), groups=42, padding=((2, 1), (0, 2)))
    return graph.finish(made("rows", y, (5, 42)))


HAVE_LAYERS = {name: each.operator.network_layer is not Operator.network_layer for name,
               each in operator_files().items()}
# Small networks that have every kind of layer between them; as they are, and in two passes.
NETWORKS: dict[str, Callable[[], Graph]] = {
    "joined_twice": joined_twice, "reals": reals, "by_steps": by_steps, "sixteen": sixteen,
    "moves": partial(moves, "uint8"), "moves_int8": partial(moves, "int8"),
    "curves": partial(curves, "uint8"), "curves_int8": partial(curves, "int8"),
    "twice": partial(twice, "uint8"), "twice_int8": partial(twice, "int8"),
    **{name: partial(model, name, size=64) for name in ("squeezenet", "shufflenet_v1", "mobilenet_v2")},
    **{name: partial(alone, name) for name, has in HAVE_LAYERS.items() if has}}
# Operators that no network runs in the C library by itself: `plan` says so, and takes operators=True.
NO_LAYER = dict.fromkeys((*(operator_files()[name].operator.__name__ for name, has in HAVE_LAYERS.items() if not has),
                          "Deconv2d", "SoftArgmax", "Pad"),
                         "run as an operator, between the layers of a network")


def members(enum: str, prefix: str) -> list[str]:
    """Of an enum of the header, in order."""
    text = re.sub(r"/\*.*?\*/", "", HEADER.read_text(), flags=re.S)
    body = re.search(rf"enum {enum} {{(.*?)}}", text, re.S)
    assert body is not None
    return [word.lower() for word in re.findall(rf"{prefix}(\w+)", body[1])]


@needs_library
@pytest.mark.skipif(not HEADER.is_file(), reason="an installed package has no sources of the C library")
def test_names_are_those_of_the_header() -> None:
    listed = re.search(r"#define NEONSIM_LAYER_LIST\(X\)(.*?[^\\])\n", HEADER.read_text(), re.S)
    assert {name.lower(): i for i, name in enumerate(re.findall(r"^  X\((\w+)\)", listed[1], re.M))} == kinds()
    assert {name: i for i, name in enumerate(members("neonsim_rounding", "NEONSIM_ROUND_"))} == roundings()


def kinds_of(name: str, two_passes: bool) -> set[str]:
    graph = NETWORKS[name]()
    arena = place(graph, True, {})
    layers, _ = layers_of(graph, arena, Im2colTwoPass(arena.nbytes)) if two_passes else layers_of(graph, arena)
    numbers = {number: kind for kind, number in kinds().items()}
    return {numbers[layer.kind] for layer in layers}


@pytest.mark.slow
@needs_library
def test_every_kind_is_in_a_network_that_is_run() -> None:
    found = {kind for name in NETWORKS for old in (False, True) for kind in kinds_of(name, old)}
    lost = left_out(found, "layer in a network that is compared (NETWORKS of tests/nn/graph/test_layer_kinds.py)",
                    kinds())
    assert not lost, lost


def test_every_operator_has_a_layer_or_none_on_purpose() -> None:
    those = [name for name, each in vars(ops).items() if isinstance(each, type) and issubclass(each, Operator)
             and each.network_layer is not Operator.network_layer]
    lost = left_out(those, "layer of native networks (network_layer of its class)", classes(), NO_LAYER)
    assert not lost, lost


def values_of(results: Any) -> list[Any]:
    return [elements(one) for one in (results if isinstance(results, tuple) else (results,))]


@needs_library
@pytest.mark.parametrize("name", every(3, NETWORKS))
def test_every_family_runs_them(name: str) -> None:
    graph = NETWORKS[name]()
    x = random_inputs(graph, 7)
    expected = values_of(graph.plan("reference").run(x))
    for family, lacks in families().items():
        for old in (False, True):
            if lacks is None:
                found = values_of(NativePlan(graph, family, two_passes=old).run(x))
                assert all(map(np.array_equal, found, expected)), (family, old)
