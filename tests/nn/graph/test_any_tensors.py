"""Graphs of tensors of any element type, with branches, several inputs and results, joins and cuts along any axis."""

from __future__ import annotations

import math
import pickle
from collections import Counter
from typing import Any

import numpy as np
import pytest

from neonsim.errors import BackendError, BadArgument
from neonsim.nn.backends.native import library
from neonsim.nn.graph import Concat, Graph, OperatorPlan, Reshape, Split, place, random_input, random_inputs
from neonsim.nn.graph.data_movement import DataMovement
from neonsim.nn.graph.memory.planner import Arena, joins
from neonsim.nn.graph.plan.native import NativePlan
from neonsim.nn.graph.plan.partition import SegmentPlan
from neonsim.nn.ops import (
    Add,
    AvgPool2d,
    ChannelShuffle,
    Conv2d,
    Dequantize,
    FullyConnected,
    GlobalAvgPool,
    MaxPool2d,
    Quantize,
    Subtract,
)
from neonsim.quant.scheme import Quantized, Scheme
from neonsim.quant.tensor_type import DTYPES, TensorType, elements

MISSING = library.available()
needs_library = pytest.mark.skipif(MISSING is not None, reason=str(MISSING))

SCHEMES = (Scheme(0.05, 131), Scheme(0.05, -3, "int8"))
PLAIN = ("float32", "int32", "int16", "uint8", "int8")


# ---- graphs by chance ------------------------------------------------------------------------------------------------

class Chance:
    """Draws a graph node by node.

    real   bool   with quantisation and dequantisation, which networks of the C library have no layers for
    """

    def __init__(self, seed: list[int], real: bool, nodes: int = 9) -> None:
        self.rng = np.random.default_rng(seed)
        self.graph = Graph("chance")
        kinds = [self.input, self.conv, self.conv, self.linear, self.add, self.pool, self.whole, self.shuffle,
                 self.concat, self.concat, self.split, self.split, self.reshape, self.reshape]
        kinds += [self.quantize, self.dequantize] if real else []
        for _ in range(int(self.rng.integers(1, 4))):
            self.input()
        while not self.graph.nodes or (len(self.graph.nodes) < nodes and self.rng.random() < 0.95):
            kinds[int(self.rng.integers(len(kinds)))]()
        names = list(self.graph.tensors)
        picked = self.rng.permutation(len(names))[:int(self.rng.integers(1, 4))]
        self.graph.finish(self.graph.nodes[-1].results[0],
                          *(names[i] for i in picked if names[i] != self.graph.nodes[-1].results[0]))

    def pick(self, **wanted: Any) -> str | None:
        """A tensor, later ones more often: of so many axes, with a scheme or not, of a type."""
        fits = [name for name, t in self.graph.tensors.items()
                if wanted.get("rank", len(t.shape)) == len(t.shape) and wanted.get("dtype", t.dtype) == t.dtype
                and wanted.get("scheme", t.scheme is not None) == (t.scheme is not None)
                and wanted.get("like", t.type) == t.type and t.size <= 4000]
        if not fits:
            return None
        return fits[-1 - int(self.rng.integers(len(fits)) * self.rng.random())]

    def put(self, operator: Any, *inputs: str) -> str:
        return self.graph.add_node(f"n{len(self.graph.nodes)}", operator, *inputs)

    def scheme(self, name: str) -> Scheme:
        return self.graph.scheme(name)

    def out(self, dtype: str) -> Scheme:
        return SCHEMES[dtype == "int8"]

    def input(self) -> None:
        rank = int(self.rng.choice([1, 2, 3, 4, 4, 4, 5]))
        shape = [int(s) for s in self.rng.integers(1, 6, rank)]
        if self.rng.random() < 0.5:
            shape[0] = 1
        name = f"in{len(self.graph.inputs)}"
        if self.rng.random() < 0.7:
            self.graph.add_input(name, shape, SCHEMES[int(self.rng.integers(2))])
        else:
            self.graph.add_input(name, shape, dtype=str(self.rng.choice(PLAIN)))

    def _weights(self, dtype: str, *shape: int) -> dict[str, Any]:
        bias = self.rng.integers(-900, 900, shape[0]).astype(np.int32)
        values, zero = (self.rng.integers(0, 256, shape).astype(np.uint8), 120) if dtype == "uint8" else \
            (self.rng.integers(-127, 128, shape).astype(np.int8), 0)
        return {"w": Quantized(values, 0.004, zero), "bias": bias,
                "requantization": "q31" if dtype == "uint8" else "fp32"}

    def conv(self) -> None:
        if (x := self.pick(rank=4, scheme=True)) is None:
            return
        scheme, channels = self.scheme(x), self.graph.tensors[x].shape[-1]
        depthwise = channels > 1 and self.rng.random() < 0.3
        same = self.rng.random() < 0.5
        outputs = channels if depthwise or same else int(self.rng.integers(1, 20))
        size = int(self.rng.choice([1, 3]))
        y = self.put(Conv2d(scheme, **self._weights(scheme.dtype, outputs, size, size, 1 if depthwise else channels),
                            out=self.out(scheme.dtype), padding=size // 2, groups=channels if depthwise else 1), x)
        if same and not depthwise and self.rng.random() < 0.7:      # such a sum may be done with the product
            kind = Add if self.rng.random() < 0.7 else Subtract
            pair = (y, x) if self.rng.random() < 0.5 else (x, y)
            self.put(kind(*map(self.scheme, pair), out=scheme), *pair)

    def linear(self) -> None:
        if (x := self.pick(scheme=True)) is not None:
            scheme = self.scheme(x)
            self.put(FullyConnected(scheme, **self._weights(scheme.dtype, int(self.rng.integers(1, 9)),
                                                            self.graph.tensors[x].shape[-1]),
                                    out=self.out(scheme.dtype)), x)

    def add(self) -> None:
        if (a := self.pick(scheme=True)) is None:
            return
        alike = [n for n, t in self.graph.tensors.items()
                 if t.shape == self.graph.tensors[a].shape and t.scheme == self.graph.tensors[a].scheme]
        b = alike[int(self.rng.integers(len(alike)))]
        scheme = self.scheme(a)
        if len(self.graph.tensors[a].shape) <= 6:
            self.put(Add(scheme, self.scheme(b), out=self.out(scheme.dtype)), a, b)

    def pool(self) -> None:
        if (x := self.pick(rank=4, scheme=True)) is not None:
            scheme = self.scheme(x)
            self.put(MaxPool2d(scheme, pool=2, stride=1, padding=1) if self.rng.random() < 0.5 else
                     AvgPool2d(scheme, pool=(1, 2), stride=1, padding=1, out=self.out(scheme.dtype)), x)

    def whole(self) -> None:
        if (x := self.pick(rank=int(self.rng.integers(3, 5)), scheme=True)) is not None:
            self.put(GlobalAvgPool(self.scheme(x), out=self.out(self.scheme(x).dtype)), x)

    def shuffle(self) -> None:
        if (x := self.pick(scheme=True)) is not None and self.graph.tensors[x].shape[-1] % 2 == 0:
            self.put(ChannelShuffle(self.scheme(x), groups=2), x)

    def concat(self) -> None:
        if (x := self.pick()) is None:
            return
        first = self.graph.tensors[x]
        axis = int(self.rng.integers(len(first.shape)))
        fits = [n for n, t in self.graph.tensors.items() if t.type == first.type and len(t.shape) == len(first.shape)
                and all(m == n for i, (m, n) in enumerate(zip(t.shape, first.shape, strict=True)) if i != axis)]
        others = [fits[int(i)] for i in self.rng.integers(0, len(fits), int(self.rng.integers(0, 4)))]
        at = axis if self.rng.random() < 0.5 else axis - len(first.shape)
        self.put(Concat(first.type, at), *self.rng.permutation([x, *others]).tolist())

    def split(self) -> None:
        if (x := self.pick()) is None:
            return
        tensor = self.graph.tensors[x]
        axis = int(self.rng.integers(len(tensor.shape)))
        whole = tensor.shape[axis]
        if self.rng.random() < 0.3:
            self.put(Split(tensor.type, whole, axis), x)
            return
        cut = int(self.rng.integers(0, whole))
        self.put(Split(tensor.type, [cut, whole - cut] if cut else [whole], axis - len(tensor.shape)), x)

    def reshape(self) -> None:
        if (x := self.pick()) is None:
            return
        tensor = self.graph.tensors[x]
        factors = [f for size in tensor.shape for f in ((2, size // 2) if size % 2 == 0 else (size,))]
        shape = [int(f) for f in self.rng.permutation(factors)]
        while len(shape) > 4 or (len(shape) > 1 and self.rng.random() < 0.4):
            at = int(self.rng.integers(len(shape) - 1))
            shape[at:at + 2] = [shape[at] * shape[at + 1]]
        if self.rng.random() < 0.3:
            shape[int(self.rng.integers(len(shape)))] = -1
        self.put(Reshape(tensor.type, shape), x)

    def quantize(self) -> None:
        if (x := self.pick(dtype="float32")) is not None:
            self.put(Quantize(out=SCHEMES[int(self.rng.integers(2))]), x)

    def dequantize(self) -> None:
        if (x := self.pick(scheme=True)) is not None and self.rng.random() < 0.5:
            self.put(Dequantize(self.scheme(x)), x)
        elif (x := self.pick(dtype="int32")) is not None:
            scales = self.rng.uniform(0.001, 0.1, self.graph.tensors[x].shape[-1])
            self.put(Dequantize(scale=scales if self.rng.random() < 0.5 else 0.25), x)


# ---- the planner -----------------------------------------------------------------------------------------------------

def cells(graph: Graph, arena: Arena, name: str) -> np.ndarray[Any, Any]:
    """Bytes of the arena that hold a tensor, [pixels, bytes of a pixel]."""
    tensor, slot = graph.tensors[name], arena.slots[name]
    pixels = slot.offset + slot.stride * np.arange(tensor.nbytes // tensor.pixel_bytes)
    return pixels[:, None] + np.arange(tensor.pixel_bytes)


def walk(graph: Graph, arena: Arena, joined: dict[str, str], keep: bool, needs: dict[str, int]) -> None:
    """Run a graph on marks instead of numbers: a reader finds what was written, to the byte.

    Every byte that an operator makes gets a mark of its own; moves carry marks along. What a node needs for itself is
    spoiled while it reads and writes.
    """
    memory = np.full(arena.nbytes, -1, np.int64)
    marks: dict[str, np.ndarray[Any, Any]] = {}
    count = 0

    def fresh(name: str) -> np.ndarray[Any, Any]:
        nonlocal count
        tensor = graph.tensors[name]
        count += tensor.nbytes
        return np.arange(count - tensor.nbytes, count).reshape(*tensor.shape, tensor.type.itemsize)

    def write(name: str, made: np.ndarray[Any, Any]) -> None:
        marks[name] = made
        where = cells(graph, arena, name)
        assert arena.slots[name].offset % graph.tensors[name].type.itemsize == 0
        assert np.bincount(where.reshape(-1)).max() == 1 and where.max() < arena.nbytes
        memory[where] = made.reshape(where.shape)

    def check(name: str) -> None:
        where = cells(graph, arena, name)
        assert np.array_equal(memory[where], marks[name].reshape(where.shape)), name

    for name in graph.inputs:
        write(name, fresh(name))
    for node in graph.nodes:
        if node.name in needs:
            begin = arena.scratch[node.name]
            end = begin + needs[node.name]
            assert begin >= 0 and end <= arena.nbytes and begin % 64 == 0
            memory[begin:end] = -2
            assert not any(((begin <= at) & (at < end)).any() for at in (
                cells(graph, arena, name) for name in node.results)), node.name
        for name in node.inputs:
            check(name)
        one, given = node.operator, [marks[name] for name in node.inputs]
        if not isinstance(one, DataMovement):
            if node.name not in joined:
                read = np.concatenate([cells(graph, arena, name).reshape(-1) for name in node.inputs])
                assert not np.isin(cells(graph, arena, node.name), read).any(), node.name
            write(node.name, fresh(node.name))
        elif isinstance(one, Concat):
            write(node.name, np.concatenate(given, axis=one.axis % (given[0].ndim - 1)))
        elif isinstance(one, Split):
            shape = given[0].shape[:-1]
            for name, part in zip(node.results, np.split(given[0], np.cumsum(one.sizes(shape))[:-1],
                                                         axis=one.axis % len(shape)), strict=True):
                write(name, part)
        else:
            write(node.name, given[0].reshape(*graph.tensors[node.name].shape, -1))
    for name in graph.tensors if keep else graph.outputs:
        check(name)


@pytest.mark.parametrize("count", [30, pytest.param(10_000, marks=pytest.mark.nightly)])
def test_what_is_read_is_what_was_written(count: int) -> None:
    """By chance, in tight arenas, with sums joined to products, and with all tensors kept."""
    together = inside = 0
    for seed in range(count):
        graph = Chance([16, seed], real=True, nodes=12).graph
        joined = joins(graph)
        needs = {node.name: 40 * number for number, node in enumerate(graph.nodes) if number % 3 == seed % 3}
        for keep, some, way in ((False, {}, "largest-first"), (False, joined, "reference-counts"),
                                (True, {}, "no-reuse"), (seed % 2 == 0, joined, "largest-first")):
            arena = place(graph, keep, some, needs, way)
            assert arena.nbytes >= arena.peak or not arena.nbytes
            walk(graph, arena, {} if keep else some, keep, needs)
        together += bool(joined)
        arena = place(graph)
        inside += any(arena.slots[name].stride != graph.tensors[name].pixel_bytes for name in graph.tensors)
    assert together > count / 60 and inside > count / 60     # both come up


def test_what_needs_no_copy() -> None:
    """Along channels and the outermost axis parts lie in the whole, at any element type, as what is reshaped does."""
    for dtype in DTYPES:
        type_ = TensorType(dtype)
        for axis, shape in ((-1, (2, 3, 4)), (0, (2, 3, 4)), (1, (1, 6, 4)), (1, (2, 6, 4))):
            graph = Graph("g")
            graph.add_node("p", Split(type_, 2, axis), graph.add_input("x", shape, dtype=dtype))
            y = graph.add_node("y", Concat(type_, axis), "p:1", "p:0")
            if axis != -1:
                graph.add_node("z", Reshape(type_, [-1]), y)
            slots, item = place(graph).slots, type_.itemsize
            assert axis == -1 or slots["z"].offset == slots["y"].offset
            there = [slots[f"p:{i}"].offset - slots["y"].offset for i in (1, 0)]
            strides = {slots[f"p:{i}"].stride for i in (0, 1)}
            if axis == -1:
                assert there == [0, 2 * item] and strides == {4 * item}
            elif shape == (2, 6, 4):        # in the middle: copied, from places of their own
                assert len({slots[name].offset for name in ("p:0", "p:1", "y")}) == 3 and strides == {4 * item}
            else:
                assert there == [0, 12 * item] and strides == {4 * item}


# ---- three backends --------------------------------------------------------------------------------------------------

def same(a: Any, b: Any) -> bool:
    left, right = elements(a), elements(b)
    return type(a) is type(b) and left.dtype == right.dtype and np.array_equal(left, right)


def equal_everywhere(graph: Graph, seed: int, *plans: Any) -> None:
    """Every tensor that plans can show is the reference's."""
    x = random_inputs(graph, seed)
    reference = graph.plan("reference")
    wanted = reference.run(x)
    for number, plan in enumerate(plans):
        if isinstance(plan, NativePlan):
            plan.most_threads = 64      # however small
        found = plan.run(x, 1 + (seed + number) % 2)
        pairs = zip(found, wanted, strict=True) if isinstance(wanted, tuple) else [(found, wanted)]
        assert all(same(a, b) for a, b in pairs), (seed, plan)
        for name in graph.tensors if getattr(plan, "keep", True) else graph.outputs:
            assert same(plan.tensor(name), reference.tensor(name)), (seed, name, plan)


@needs_library
@pytest.mark.parametrize("count", [60, pytest.param(3000, marks=pytest.mark.nightly)])
def test_networks_by_chance(count: int) -> None:
    kinds: Counter[str] = Counter()
    several: Counter[str] = Counter()
    for seed in range(count):
        graph = Chance([17, seed], real=False).graph
        equal_everywhere(graph, seed, NativePlan(graph, None if seed % 4 else "scalar"), NativePlan(graph, keep=True))
        kinds.update(type(node.operator).__name__ for node in graph.nodes)
        several.update(inputs=len(graph.inputs) > 1, outputs=len(graph.outputs) > 1,
                       mixed=len({t.dtype for t in graph.tensors.values()}) > 1)
    assert len(kinds) == 11 and min(kinds.values()) >= count // 60, kinds
    assert min(several[name] for name in ("inputs", "outputs", "mixed")) > count / 4, several


@needs_library
@pytest.mark.parametrize("count", [60, pytest.param(1500, marks=pytest.mark.nightly)])
def test_real_edges_by_chance(count: int) -> None:
    """The int8 middle by kernels, what has none by definition: each said."""
    refused = 0
    for seed in range(count):
        graph = Chance([18, seed], real=True).graph
        plan = OperatorPlan(graph, ("native", "reference"))
        equal_everywhere(graph, seed, plan)
        real = {n.name for n in graph.nodes if isinstance(n.operator, Quantize | Dequantize)
                and n.operator.unsupported_reason() is not None}
        assert {name for name, backend in plan.backends.items() if backend == "reference"} == real
        assert len(plan.refusals) == len(real)
        # Exact quotients, and sums as they are: layers are of the rest.
        without = [n for n in graph.nodes if isinstance(n.operator, Quantize)
                   or (isinstance(n.operator, Dequantize) and n.operator.x is None)]
        if real and not without:
            equal_everywhere(graph, seed, NativePlan(graph))
        if without:
            refused += 1
            with pytest.raises(BackendError, match=r"does not support n\d+: (networks multiply|there is no layer)"):
                NativePlan(graph)
        if real:
            with pytest.raises(BackendError, match=r"n\d+ of chance: .*there are no kernels for (de)?quantization"):
                graph.plan("native", operators=True)
    assert refused > count / 12


@pytest.mark.parametrize("count", [3, pytest.param(100, marks=pytest.mark.nightly)])
def test_emulated_by_chance(count: int) -> None:
    for seed in range(count):
        graph = Chance([19, seed], real=True, nodes=6).graph
        equal_everywhere(graph, seed, graph.plan(("emulated", "reference")))


def edges() -> Graph:
    """float32 in, uint8 within, float32 out, and a state of int32 sums."""
    graph = Graph("edges")
    image = graph.add_input("image", (1, 6, 6, 4), dtype="float32")
    sums = graph.add_input("sums", (1, 8), dtype="int32")
    inner = Scheme(0.02, 128)
    x = graph.add_node("quantize", Quantize(out=inner), image)
    w = Quantized(np.arange(8 * 9 * 4, dtype=np.uint8).reshape(8, 3, 3, 4), 0.01, 120)
    y = graph.add_node("conv", Conv2d(inner, w, out=Scheme(0.1, 100), padding=1), x)
    y = graph.add_node("mean", GlobalAvgPool(Scheme(0.1, 100), out=Scheme(0.1, 100)), y)
    y = graph.add_node("real", Dequantize(Scheme(0.1, 100)), y)
    z = graph.add_node("sums_real", Dequantize(scale=0.5), sums)
    graph.add_node("both", Concat("float32", axis=0), y, z)
    return graph.finish("both", "mean")


@needs_library
def test_real_edges() -> None:
    graph = edges()
    assert graph.tensors["both"].nbytes == 4 * 16 and str(graph.tensors["both"]) == "[2, 8] of float32"
    with pytest.raises(BackendError, match="does not support quantize: networks multiply by 1 / scale"):
        graph.plan("native")
    with pytest.warns(RuntimeWarning, match="in segments, native, reference: .*networks multiply by") as seen:
        plan = graph.plan()
    assert seen[0].filename == __file__
    assert isinstance(plan, SegmentPlan) and plan.backends == {
        "quantize": "reference", "conv": "native", "mean": "native", "real": "native", "sums_real": "reference"}
    x = random_inputs(graph)
    both, mean = plan.run(x)
    wanted, _ = graph.plan("reference").run((x["image"], x["sums"]))
    assert both.dtype == np.float32 and np.array_equal(both, wanted) and isinstance(mean, Quantized)
    assert np.array_equal(both[1], np.float32(0.5) * x["sums"][0].astype(np.float32))
    with pytest.raises(BackendError,
                       match=r"quantize of edges: The emulated backend does not support this: there are no "
                                           r"kernels for quantization of float32 so \(to uint8, .* by the quotient\)"):
        graph.plan("emulated")
    again = pickle.loads(pickle.dumps(graph)).plan("reference").run(x)
    assert np.array_equal(again[0], both)


# ---- what is said --------------------------------------------------------------------------------------------------

def test_inputs_and_results_by_name_or_in_order() -> None:
    graph = Graph("two")
    a, b = graph.add_input("a", (2, 3), Scheme(1.0)), graph.add_input("b", (4,), dtype="float32")
    graph.add_node("parts", Split(Scheme(1.0), 3), a)
    assert graph.results("parts") == ("parts:0", "parts:1", "parts:2") == graph.outputs and graph.inputs == (a, b)
    graph.add_node("flat", Reshape("float32", (2, -1)), b)
    graph.finish("parts:2", "flat", "a")
    x = random_inputs(graph)
    for plan in [graph.plan("reference"), *([graph.plan("native")] if MISSING is None else [])]:
        for given in (x, (x["a"], x["b"]), {"b": x["b"], "a": x["a"]}, None):
            last, flat, whole = plan.run(given)
            assert np.array_equal(last.values, x["a"].values[:, 2:]) and flat.tolist() == x["b"].reshape(2, 2).tolist()
            assert np.array_equal(whole.values, x["a"].values)
        for wrong, words in ((x["a"], r"two takes 2 inputs, a, b: a dict of them, or a tuple in this order; got 1"),
                             ({"a": x["a"]}, r"two takes a, b; got a\."),
                             ({**x, "c": x["a"]}, r"two takes a, b; got a, b, c\."),
                             ((x["a"], x["b"].tolist()), r"b of two must be a numpy array of float32; got list"),
                             ((x["a"], x["a"]), r"b of two must be a numpy array of float32; got Quantized"),
                             ((x["a"].values, x["b"]), r"a of two must be a Quantized; got ndarray"),
                             ((x["a"], x["b"].astype(np.float64)), r"b of two takes \[4\] of float32; got \[4\] of "
                                                                   r"float64"),
                             ((x["a"], x["b"][:3]), r"takes \[4\] of float32; got \[3\]")):
            with pytest.raises(BadArgument, match=words):
                plan.run(wrong)
    with pytest.raises(BadArgument, match=r"two has 3 results: parts:2, flat, a\. Take `outputs`"):
        _ = graph.output
    with pytest.raises(BadArgument, match=r"two takes \[2, 3\] of Scheme.*; \[4\] of float32: see random_inputs"):
        random_input(graph)


def test_what_graphs_refuse() -> None:
    x = Scheme(1.0)
    graph = Graph("g", (2, 4, 6), x)
    graph.add_node("cut", Split(x, 2, 1), "input")
    refusals: list[tuple[Any, str]] = [
        (lambda: graph.add_node("a", Concat(x), "cut"), r"which g does not have: it has several results, cut:0, cut:1"),
        (lambda: graph.add_node("cut", Concat(x), "input"), "g has a tensor 'cut' already"),
        (lambda: graph.add_node("cut:1", Concat(x), "input"), "already"),
        (lambda: graph.add_node("a", Concat(x)), r"a \(concatenation\) takes one input; got 0"),
        (lambda: graph.add_node("a", Split(x, 2), "input", "input"), "takes one input; got 2"),
        (lambda: graph.add_node("a", Concat("float32"), "input"), r"was made for float32; input has Scheme"),
        (lambda: graph.add_node("a", Quantize(out=x), "input"), r"was made for float32; input has Scheme"),
        (lambda: graph.add_node("a", Concat(x, 3), "input"), r"axis of a tensor of shape \[2, 4, 6\]"),
        (lambda: graph.add_node("a", Concat(x, 2), "input", "cut:0"), r"only channels may differ .* \[2, 2, 6\]"),
        (lambda: graph.add_node("a", Concat(x, 0), "input", "cut:0"), r"only sizes of axis 0 may differ"),
        (lambda: graph.add_node("a", Split(x, [1, 4], 1), "input"), r"parts of 1, 4 make 5; axis 1 of \[2, 4, 6\] has"),
        (lambda: graph.add_node("a", Split(x, 4, 2), "input"), r"axis 2 of \[2, 4, 6\] has 6, which 4 equal parts"),
        (lambda: graph.add_node("a", Reshape(x, (5, -1)), "input"), r"48 elements, which do not make \[5, -1\]"),
        (lambda: graph.add_node("a", Reshape(x, (2, 4)), "input"), r"48 elements, which do not make \[2, 4\]"),
        (lambda: Reshape(x, (-1, -1)), "-1 once at most"), (lambda: Reshape(x, ()), "1 to 8 axes"),
        (lambda: Reshape(x, (0, -1)), "none of size 0"), (lambda: Split(x, []), "one part and more"),
        (lambda: Split(x, 0), "parts"), (lambda: Concat("float64"), "tensors hold"),
        (lambda: Split(x, "ab"), "parts"),  # type: ignore[arg-type]
        (lambda: Concat(7), "tensors hold"),  # type: ignore[arg-type]
        (lambda: TensorType("int8", x), "of that type"),
        (lambda: TensorType("uint8", 3), "must be a Scheme, or None"),  # type: ignore[arg-type]
        (lambda: graph.add_input("b", (1,)), "a scheme or a dtype: give one of both"),
        (lambda: graph.add_input("b", (1,), x, "uint8"), "give one of both"),
        (lambda: graph.add_input("b", (), x), "1 to 8 axes"), (lambda: graph.add_input("", (1,), x), "not empty"),
        (lambda: graph.add_input("b", (0,), x), "size 0 of b's shape"),
        (lambda: Graph("g", dtype="float32"), "the shape of its input is missing"),
        (lambda: graph.finish(), "one tensor and more, each once; got none"),
        (lambda: graph.finish("cut:0", "cut:0"), "each once; got 'cut:0', 'cut:0'"),
        (lambda: graph.finish("cut"), "no tensor 'cut'"), (lambda: graph.scheme("cut"), "no tensor 'cut'"),
        (lambda: Graph("f", (1,), dtype="int16").scheme("input"), "has int16 as it is, without a scheme"),
        (lambda: graph.plan(()), "must name at least one backend"),
        (lambda: graph.plan(("reference",), family="scalar"), "only complete networks"),
    ]
    for act, words in refusals:
        with pytest.raises(BadArgument, match=words):
            act()
    assert list(graph.tensors) == ["input", "cut:0", "cut:1"] and math.prod(graph.tensors["cut:1"].shape) == 24
