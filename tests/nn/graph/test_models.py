"""Networks: the published shapes, weights that neither saturate nor kill, arenas, and all ways to run them."""

from __future__ import annotations

import numpy as np
import pytest

from neonsim.errors import BadArgument
from neonsim.nn.graph import Concat, Graph, Reshape, mobilenet_v1, mobilenet_v2, model, place, random_input
from neonsim.nn.graph.layer_shapes import products, shapes, share
from neonsim.nn.graph.memory.planner import Arena, joins
from neonsim.nn.graph.models import PUBLISHED
from neonsim.nn.ops import Clamp
from neonsim.quant.scheme import Quantized, Scheme
from neonsim.studies.kernels import Bars
from tests.tiers import every


@pytest.mark.parametrize(("name", "nodes", "macs"), [
    ("mobilenet_v1", 29, 568_741_376), ("mobilenet_v2", 64, 300_775_552), ("squeezenet", 38, 349_151_936),
    ("shufflenet_v1", 86, 137_460_672), ("digits", 7, 129_752),
    pytest.param("resnet18", 31, 1_814_073_344, marks=pytest.mark.nightly),
    pytest.param("inception_v3", 120, 5_713_216_096, marks=pytest.mark.nightly)])
def test_published_sizes(name: str, nodes: int, macs: int) -> None:
    graph = model(name)
    assert (len(graph.nodes), graph.macs) == (nodes, macs)
    arena = place(graph)
    assert arena.nbytes <= 1.1 * arena.peak
    check_arena(graph, arena, {})
    joined = joins(graph)
    smaller = place(graph, joined=joined)
    assert len(joined) == sum(node.kind == "addition" for node in graph.nodes)
    assert smaller.nbytes <= min(arena.nbytes, 1.1 * smaller.peak)
    check_arena(graph, smaller, joined)
    found = products(graph)
    assert sum(p.m * p.k * p.n for p in found if p.network.startswith(("mobile", "squeeze", "res"))) <= macs
    if name == "mobilenet_v2":
        assert arena.peak == 1_505_280
        # Its depths (W04); the only one that is no multiple of 8 is the first layer's.
        assert {p.k for p in found} == {27, 16, 24, 32, 96, 144, 192, 320, 384, 576, 960, 1280, 64, 160}
        study = shapes([graph])
        assert sum(int(c) for c in study.table[1][0][3:11] if c != "-") == len(found) == 36
        assert share(found, "k", 1, 1024) == 35 / 36
        assert "classifier: K = 1280; mobilenet_v2 head: N" in study.notes
        assert isinstance(study.figure, Bars) and [v[0] for _, v in study.figure.groups] == [1, 7, 4, 4, 8, 5, 6, 1]
    if name == "shufflenet_v1":
        assert {(p.k, p.n) for p in found if p.layer == "stage2_2_a"} == {(80, 20)}     # of one group of three


def check_arena(graph: Graph, arena: Arena, joined: dict[str, str]) -> None:
    """No two tensors that live at one time share a byte, unless one is a part of the other or becomes it."""
    spans = {}
    for name, slot in arena.slots.items():
        tensor = graph.tensors[name]
        pixel = slot.offset + slot.stride * np.arange(tensor.nbytes // tensor.shape[-1])
        cells = (pixel[:, None] + np.arange(tensor.shape[-1])).reshape(-1)
        assert cells.max() < arena.nbytes
        spans[name] = (slot, np.bincount(cells, minlength=arena.nbytes).astype(bool))
    inside = {i: n.name for n in graph.nodes if isinstance(n.operator, Concat | Reshape) for i in n.inputs}
    inside |= {product: name for name, product in joined.items()}
    names = list(spans)
    for i, one in enumerate(names):
        for other in names[i + 1:]:
            (a, cells), (b, more) = spans[one], spans[other]
            if a.first <= b.last and b.first <= a.last and inside.get(one) != other and inside.get(other) != one:
                assert not (cells & more).any(), (one, other)


@pytest.mark.parametrize("name", every(len(PUBLISHED), sorted(PUBLISHED, key="mobilenet_v1".__ne__)))
def test_activations_live(name: str) -> None:
    graph = model(name, size=96 if name.startswith("mobile") else 139 if name == "inception_v3" else 64)
    plan = graph.plan("reference")
    plan.run(random_input(graph))
    for node in graph.nodes:
        values, scheme = plan.tensor(node.name).values, graph.scheme(node.name)
        centered = values.astype(float) - scheme.zero_point
        assert np.mean(values == np.iinfo(values.dtype).max) < 0.05, node.name
        assert 5 < np.sqrt(np.mean(centered**2)) < 135, node.name


def test_seeds_and_widths() -> None:
    one, same, other = mobilenet_v1(0.25, 32), mobilenet_v1(0.25, 32), mobilenet_v1(0.25, 32, seed=1)
    first, second, third = (g.plan("reference").run(random_input(g)).values for g in (one, same, other))
    assert np.array_equal(first, second) and not np.array_equal(first, third)
    assert mobilenet_v2(0.25, 96).tensors["head"].shape == (1, 3, 3, 1280)


def test_refusals() -> None:
    graph = Graph("g", (1, 2, 2, 4), Scheme(1.0))
    layer = Clamp(Scheme(1.0), output_min=0, output_max=9)
    with pytest.raises(BadArgument, match="no nodes"):
        graph.plan("reference").run(random_input(graph))
    graph.add_node("a", layer, "input")
    for name, what, text in (("a", "input", "already"), ("b", "c", "does not have")):
        with pytest.raises(BadArgument, match=text):
            graph.add_node(name, layer, what)
    with pytest.raises(BadArgument, match="was made for"):
        graph.add_node("b", Clamp(Scheme(2.0), output_min=0, output_max=9), "a")
    with pytest.raises(BadArgument, match="takes"):
        graph.plan("reference").run(Quantized(np.zeros((1, 2, 2, 3), np.uint8), 1.0))
    with pytest.raises(BadArgument, match="Unknown network"):
        model("alexnet")
    with pytest.raises(BadArgument, match="quantization"):
        mobilenet_v1(quantization="fp16")
    with pytest.raises(BadArgument, match="only channels may differ"):
        Concat(Scheme(1.0)).output_shape((1, 2, 2, 3), (1, 2, 3, 3))
