"""Strategies: the published choices, equal bytes whichever way is taken, times that are remembered safely."""

from __future__ import annotations

import json
import os
import pickle
import threading
from pathlib import Path

import numpy as np
import pytest

from neonsim.errors import BackendError, BadArgument
from neonsim.nn.backends.native import library
from neonsim.nn.backends.native.network import algorithms
from neonsim.nn.graph import Graph, OperatorPlan, choose_algorithms, model, random_input, random_inputs
from neonsim.nn.graph.plan.native import NativePlan
from neonsim.nn.graph.select import strategy
from neonsim.nn.graph.select.algorithms import DIRECT, algorithm_names, product_of
from neonsim.nn.graph.select.timing_cache import Measurements
from neonsim.nn.ops import Conv2d
from neonsim.nn.ops.explain.strassen import strassen_gain
from neonsim.nn.ops.float32.operators import Float32Conv2d, Float32FullyConnected
from neonsim.quant import Scheme
from neonsim.quant.scheme import Quantized
from neonsim.quant.winograd import POLICIES as COUNTED
from neonsim.quant.winograd import ConvLayer, choose

MISSING = library.available()
needs_library = pytest.mark.skipif(MISSING is not None, reason=str(MISSING))

LAYERS = {"a": (56, 64, 64), "b": (28, 128, 128), "c": (14, 256, 256), "d": (7, 512, 512), "e": (112, 3, 32)}


def real(window: int | tuple[int, int] = 3, stride: int = 1, groups: int = 1) -> Graph:
    """One convolution of each of LAYERS, each with an input of its own."""
    graph, (kh, kw) = Graph("layers"), (window, window) if isinstance(window, int) else window
    for name, (size, ic, oc) in LAYERS.items():
        graph.add_input(f"x{name}", (1, size, size, ic), dtype="float32")
        w = np.ones((oc, kh, kw, ic // groups))
        graph.add_node(name, Float32Conv2d(w, padding=(kh // 2, kw // 2), stride=stride, groups=groups), f"x{name}")
    return graph.finish(*LAYERS)


def convolutions(seed: int) -> Graph:
    """A few convolutions by chance, one behind the other."""
    rng = np.random.default_rng(seed)
    x = Scheme(0.05, int(rng.integers(-20, 20)), "int8")
    graph = Graph("some", tuple(int(n) for n in rng.integers((1, 5, 5, 1), (3, 12, 12, 9))), x)
    at = "input"
    for number in range(3):
        inputs, outputs = graph.tensors[at].shape[-1], int(rng.integers(1, 20))
        kh, kw = (int(n) for n in rng.integers(1, 4, 2))
        w = Quantized(rng.integers(-127, 128, (outputs, kh, kw, inputs), dtype=np.int8), 0.01)
        layer = Conv2d(x, w, rng.integers(-900, 900, outputs, dtype=np.int32), out=x, stride=int(rng.integers(1, 3)),
                       padding=(kh // 2, kw // 2), requantization="fp32")
        at = graph.add_node(f"conv{number}", layer, at)
    return graph.finish(at)


# ---- rules -----------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize(("policy", "sizes"), [("mnn", (8, 7, 7, 7, 4)),
                                               ("mnn-2020", (6, 6, 2, 2, 2)), ("direct", (1, 1, 1, 1, 1))])
def test_the_published_choices(policy: str, sizes: tuple[int, ...]) -> None:
    """Of the five layers, whatever networks have layers for."""
    found = choose_algorithms(real(), policy)
    assert found.policy == policy and found.timed_runs == 0
    names = [f"winograd {n}x{n}" if n > 1 else DIRECT for n in sizes]
    if policy != "mnn-2020":
        assert [row.best.name for row in found.rows] == names
    else:
        assert [row.best.name for row in found.rows][:4] == names[:4]


@pytest.mark.parametrize("threads", [1, 2, 8])
def test_rules_are_those_of_the_room_below(threads: int) -> None:
    """The best tile of a row is what `neonsim.quant.winograd.choose` takes, its cost that one's."""
    for policy in COUNTED:
        for row in choose_algorithms(real(), policy, threads).rows:
            size, ic, oc = LAYERS[row.node]
            choice = choose(ConvLayer(size, size, ic, oc), policy, threads)
            assert row.best.name == (DIRECT if choice.n == 1 else f"winograd {choice.n}x{choice.n}")
            assert row.best.cost == choice.cost


def test_every_way_has_its_word() -> None:
    """A row for each product, each way in it, what cannot be has a reason, what can a cost."""
    graph = real()
    graph.add_input("rows", (64, 64), dtype="float32")
    graph.add_node("product", Float32FullyConnected(np.ones((64, 64))), "rows")
    graph.finish(*LAYERS, "product")
    found = choose_algorithms(graph)
    assert [row.node for row in found.rows] == [*LAYERS, "product"] and found.fixed_nodes == 0
    said = found.explain()
    for row in found.rows:
        assert row.node in said and tuple(one.name for one in row.candidates) == algorithm_names()
        assert all(one.refusal or one.cost is not None for one in row.candidates)
        assert not row.chosen.refusal and row.chosen.name in found.choices[row.node]
        assert all(one.name.split()[-1] in said for one in row.candidates)
    for window, stride, groups, why in ((1, 1, 1, "nothing to save"), ((1, 6), 1, 1, "no such tiles for windows of 1x"),
                                        (3, 2, 1, "side by side")):
        for row in choose_algorithms(real(window, stride, groups)).rows:
            tiles = [one for one in row.candidates if one.name.startswith("winograd")]
            assert all(why in one.refusal for one in tiles), (row, why)


def test_strassen_pays_from_32() -> None:
    """The paper's rule, for squares."""
    assert next(n for n in range(2, 64, 2) if strassen_gain(n, n, n) > 0) == 32


def test_what_is_no_strategy() -> None:
    with pytest.raises(BadArgument, match="a strategy must be direct, cost-model, mnn, mnn-2020, mnn-main, autotune, "
                                          "autotune-exhaustive"):
        choose_algorithms(real(), "best")
    with pytest.raises(BadArgument, match="threads"):
        choose_algorithms(real(), "mnn", 0)
    graph = model("mobilenet_v1", width=0.25, size=32)
    with pytest.raises(BadArgument, match="a strategy must be"):
        graph.plan("native", strategy="best")
    with pytest.raises(BadArgument, match="threads= of a plan"):
        graph.plan("native", threads=2)
    with pytest.raises(BadArgument, match="operators by themselves take direct, mnn, mnn-2020, mnn-main"):
        graph.plan("reference", strategy="autotune")


# ---- plans -----------------------------------------------------------------------------------------------------------

@needs_library
@pytest.mark.parametrize("count", [25, pytest.param(2000, marks=pytest.mark.nightly)])
def test_the_same_bytes_whichever_way(count: int) -> None:
    """Each product by any way that it can go, by chance; scratch memory among tensors."""
    other = 0
    for seed in range(count):
        graph, rng = convolutions(seed), np.random.default_rng(seed)
        able = {row.node: [one.name for one in row.candidates if not one.refusal]
                for row in choose_algorithms(graph).rows}
        choices = {node: str(rng.choice(names)) for node, names in able.items()}
        plan = NativePlan(graph, choices=choices)
        x = random_input(graph, seed)
        assert np.array_equal(plan.run(x, 2).values, graph.plan("reference").run(x).values), choices
        other += sum(way != DIRECT for way in choices.values())
    assert other > count / 2


@needs_library
@pytest.mark.nightly
@pytest.mark.parametrize("policy", ["mnn", "mnn-2020"])
def test_operators_by_themselves(policy: str) -> None:
    """Winograd's lowering of 8-bit integers, chosen by rule: equal bytes on three backends, what overflows refused."""
    rng, x = np.random.default_rng(1), Scheme(0.05, 4, "int8")
    graph = Graph("deep", (1, 16, 16, 24), x)
    for name, window, stride in (("a", 3, 1), ("b", 3, 2), ("c", 1, 1)):
        w = Quantized(rng.integers(-127, 128, (32, window, window, 24 if name == "a" else 32), dtype=np.int8), 0.002)
        layer = Conv2d(x, w, out=x, stride=stride, padding=window // 2, requantization="fp32")
        graph.add_node(name, layer, "input" if name == "a" else chr(ord(name) - 1))
    given = random_input(graph)
    wanted = graph.plan("reference").run(given).values
    for backend, options in (("reference", {}), ("emulated", {}), ("native", {"operators": True})):
        plan = graph.plan(backend, strategy=policy, **options)
        assert isinstance(plan, OperatorPlan) and plan.strategy is not None
        assert set(plan.strategy.lowerings) == {"a"} and "winograd" in plan.strategy.choices["a"]
        assert np.array_equal(plan.run(given).values, wanted)
        assert "bits" in plan.explain() and f"strategy {plan.strategy.policy}" in plan.explain()


@needs_library
def test_real_tiles_are_near_the_definition() -> None:
    """Where the C library has layers of them: within a few units of the last place of the largest result."""
    graph = model("squeezenet", quantization="f32", size=64)
    found = choose_algorithms(graph)
    taken = [row for row in found.rows if row.chosen.name.startswith("winograd")]
    if not {"winograd_2", "winograd_4", "winograd_6"} <= set(algorithms()):
        assert not taken
        return
    assert len(taken) == 8
    x = random_inputs(graph)
    exact = NativePlan(graph).run(x)
    for policy in ("mnn", "mnn-2020", "mnn-main"):
        near = graph.plan("native", strategy=policy).run(x, 2)
        assert 0 < abs(near - exact).max() < 1e-4 * abs(exact).max(), policy


@needs_library
def test_choices_that_cannot_be() -> None:
    graph = convolutions(3)
    for choices, said in (({"conv0": "best"}, "algorithms of products are direct, im2col"),
                          ({"input": DIRECT}, "no node"),
                          ({"conv0": "strassen"}, "conv0 of some cannot use strassen: only products")):
        with pytest.raises(BadArgument, match=said):
            NativePlan(graph, choices=choices)
    with pytest.raises(BackendError, match="Omit strategy"):
        graph.plan("native", strategy="mnn", two_passes=True)


@needs_library
def test_a_plan_tells_its_strategy() -> None:
    graph = model("squeezenet", size=64, quantization="qs8")
    plan = graph.plan("native", strategy="mnn-2020")
    assert isinstance(plan, NativePlan)
    said = plan.explain()
    assert "strategy mnn-2020" in said and "reference-counts" in said and "expand2_3x3" in said
    x = random_input(graph)
    again = pickle.loads(pickle.dumps(plan))
    assert np.array_equal(plan.run(x).values, again.run(x).values) and again.strategy == plan.strategy


# ---- measuring -------------------------------------------------------------------------------------------------------

@needs_library
def test_measured_once(tmp_path: Path) -> None:
    graph, kept = convolutions(5), Measurements(tmp_path / "cache" / "strategy.json")
    first = choose_algorithms(graph, "autotune", measurements=kept)
    assert first.timed_runs > 0 and first.unit == "seconds"
    for again in (kept, Measurements(tmp_path / "cache" / "strategy.json")):
        second = choose_algorithms(graph, "autotune", measurements=again)
        assert second.timed_runs == 0 and second.choices == first.choices and second.rows == first.rows
    assert choose_algorithms(graph, "autotune", 2, measurements=kept).timed_runs > 0       # for other threads anew
    for row in first.rows:
        known = {one.name: one.cost for one in row.candidates if one.cost is not None}
        assert row.chosen.name == DIRECT or known[row.chosen.name] < known[DIRECT]


@pytest.mark.parametrize("text", ["", "{", "[1]", '{"a": "b"}', '{"a": -1.0, "b": NaN, "c": 1e99}', "[" * 5000,
                                  json.dumps({"x" * 5000: 1.0})])
@needs_library
def test_a_file_of_times_that_is_none(text: str, tmp_path: Path) -> None:
    """Is left aside, and written anew."""
    path = tmp_path / "strategy.json"
    path.write_text(text)
    kept = Measurements(path)
    assert kept.get("layer", "way") is None
    kept.put("layer", {"way": 0.5})
    assert Measurements(path).get("layer", "way") == 0.5 and set(json.loads(path.read_text()).values()) == {0.5}


@needs_library
def test_files_of_others_are_not_read(tmp_path: Path) -> None:
    path, link = tmp_path / "strategy.json", tmp_path / "link.json"
    Measurements(path).put("layer", {"way": 0.5})
    assert path.stat().st_mode & 0o777 == 0o600
    link.symlink_to(path)
    assert Measurements(link).get("layer", "way") is None
    path.chmod(0o666)
    assert Measurements(path).get("layer", "way") is None
    nowhere = Measurements(tmp_path / "strategy.json" / "below" / "strategy.json")
    nowhere.put("layer", {"way": 0.25})         # cannot be written: lasts as long as the object
    assert nowhere.get("layer", "way") == 0.25


@needs_library
def test_times_from_any_thread(tmp_path: Path) -> None:
    """Who tells at the same time loses nothing of its own, and the file stays whole."""
    kept = [Measurements(tmp_path / "strategy.json") for _ in range(2)]
    threads = [threading.Thread(target=lambda i=i: [kept[i % 2].put(f"layer{i}.{k}", {"way": 1.0}) for k in range(10)])
               for i in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert all(kept[i % 2].get(f"layer{i}.{k}", "way") == 1.0 for i in range(4) for k in range(10))
    assert not [name for name in os.listdir(tmp_path) if name.endswith(".part")]


@needs_library
def test_full_search(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = convolutions(5)
    found = choose_algorithms(graph, "autotune-exhaustive")
    able = [sum(not one.refusal for one in row.candidates) for row in found.rows]
    assert found.timed_runs == 6 * np.prod(able) and found.unit == "seconds"
    assert np.array_equal(NativePlan(graph, strategy=found).run(random_input(graph)).values,
                          graph.plan("reference").run(random_input(graph)).values)
    # More than that: layer after layer, each in every way, layers alike together.
    monkeypatch.setattr(strategy, "MAX_COMBINATIONS", 1)
    found = choose_algorithms(graph, "autotune-exhaustive")
    of_kinds = {row.product: sum(not one.refusal for one in row.candidates) for row in found.rows}
    assert found.timed_runs == 6 * sum(of_kinds.values()) and all(row.chosen in row.candidates for row in found.rows)
    assert np.array_equal(NativePlan(graph, strategy=found).run(random_input(graph)).values,
                          graph.plan("reference").run(random_input(graph)).values)


def test_products_are_those_of_the_graph() -> None:
    """Counted one by one."""
    for quantization in ("qs8", "f32"):
        graph = model("squeezenet", size=64, quantization=quantization)
        for node in graph:
            found = product_of(graph, node)
            assert (found.macs if found else 0) == graph.macs_of(node)
