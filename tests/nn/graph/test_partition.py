"""Networks with operators of other backends between them: the bytes of the reference, and everything said."""

from __future__ import annotations

import pickle
import threading
import warnings
from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from neonsim.errors import BackendError, BadArgument
from neonsim.nn.backends.native import library
from neonsim.nn.backends.native_layer import NativeLayer
from neonsim.nn.graph import Graph, OperatorPlan, random_input, random_inputs
from neonsim.nn.graph.data_movement import DataMovement
from neonsim.nn.graph.plan.native import NativePlan
from neonsim.nn.graph.plan.partition import SegmentPlan, partition, unsupported_nodes
from neonsim.nn.ops import Clamp, SoftArgmax
from neonsim.quant.scheme import Scheme
from tests.nn.graph.test_any_tensors import Chance, edges, equal_everywhere

MISSING = library.available()
pytestmark = pytest.mark.skipif(MISSING is not None, reason=str(MISSING))
X = Scheme(0.05, 128)


class Lonely(Clamp):
    """A clamp that networks have no layer for."""

    def network_layer(self, *shapes: tuple[int, ...]) -> NativeLayer:
        raise BackendError("there is no layer for lonely clamps.")


class Mixed(Chance):
    """Graphs by chance with some of these."""

    def lonely(self) -> None:
        if (x := self.pick(scheme=True)) is not None:
            info = np.iinfo(self.scheme(x).dtype)
            self.put(Lonely(self.scheme(x), output_min=info.min + 9, output_max=info.max - 20), x)

    quantize = dequantize = lonely      # among the kinds of real=True


def sandwich() -> Graph:
    """Two layers, an operator that is none, two layers."""
    graph = Graph("sandwich", (1, 4, 4, 8), X)
    for name, operator, inputs in (
            ("low", Clamp(X, output_min=20, output_max=255), "input"),
            ("high", Clamp(X, output_min=0, output_max=230), "low"),
            ("lonely", Lonely(X, output_min=40, output_max=200), "high"),
            ("left", Clamp(X, output_min=70, output_max=250), "lonely"),
            ("last", Clamp(X, output_min=9, output_max=180), "left")):
        graph.add_node(name, operator, inputs)
    return graph.finish("last")


def without_warnings(graph: Graph, **options: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return graph.plan(**options)


@pytest.mark.parametrize("count", [40, pytest.param(1500, marks=pytest.mark.nightly)])
def test_segments_equal_the_reference(count: int) -> None:
    """Graphs by chance of any types, several inputs and results: results, and with keep=True every tensor."""
    seen: Counter[str] = Counter()
    for seed in range(count):
        graph = Mixed([23, seed], real=True, nodes=12).graph
        plans = [without_warnings(graph), without_warnings(graph, keep=True)]
        for plan in plans:
            plan.keep = getattr(plan, "keep", True)
        equal_everywhere(graph, seed, *plans)
        seen.update([type(plans[0]).__name__])
        if isinstance(plans[0], SegmentPlan):
            unable = unsupported_nodes(graph)
            assert {node.name for one in plans[0].segments if not one.is_network for node in one.graph
                    if not isinstance(node.operator, DataMovement)} == set(unable)
            assert set(plans[0].refusals) == set(unable.values())
            seen["networks"] += sum(one.is_network for one in plans[0].segments)
    assert seen["SegmentPlan"] > count / 4 and seen["networks"] > seen["SegmentPlan"], seen


def test_parts_are_as_few_as_turns_allow() -> None:
    """Every node once, behind what it reads; neighbours are of different kinds; independent branches go together."""
    for seed in range(60):
        graph = Mixed([24, seed], real=True, nodes=14).graph
        unable = set(unsupported_nodes(graph))
        there, order = set(graph.inputs), []
        sides = []
        for part in partition(graph, unable):
            for node in part:
                assert there.issuperset(node.inputs)
                there.update(node.results)
            order += [node.name for node in part]
            kinds = {node.name in unable for node in part if not isinstance(node.operator, DataMovement)}
            assert len(kinds) <= 1
            sides.append(kinds)
        assert sorted(order) == sorted(node.name for node in graph.nodes)
        assert all(not (a and a == b) for a, b in pairwise(sides))
    graph = Graph("branches", (1, 2, 2, 4), X)
    for side in "ab":
        for at, before in ((1, "input"), (2, f"{side}1"), (3, f"{side}2")):
            graph.add_node(f"{side}{at}", Clamp(X, output_min=5, output_max=250), before)
    graph.finish("a3", "b3")
    assert [[node.name for node in part] for part in partition(graph, {"a2", "b2"})] == [
        ["a1", "b1"], ["a2", "b2"], ["a3", "b3"]]


def test_what_is_said() -> None:
    graph = sandwich()
    with pytest.raises(BackendError, match=r"does not support lonely: .*lonely clamps\. Omit the backend, or use"):
        graph.plan("native")
    with pytest.warns(RuntimeWarning, match=r"sandwich runs in segments, native: .*does not support lonely") as seen:
        plan = graph.plan()
    assert seen[0].filename == __file__ and isinstance(plan, SegmentPlan)
    with warnings.catch_warnings():
        warnings.simplefilter("error")          # who asks for it need not be told
        asked = graph.plan("native", segments=True)
    assert isinstance(asked, SegmentPlan) and repr(asked).startswith("<SegmentPlan of sandwich: 3 segments, native")
    lines = plan.explain().splitlines()
    assert lines[0] == "sandwich: 3 segments, 2 of them networks of the native backend"
    assert "network, " in lines[1] and "2 nodes, low .. high" in lines[1] and "1 node, lonely" in lines[2]
    assert "does not support lonely" in lines[3] and "2 nodes, left .. last" in lines[4]
    with pytest.raises(BackendError, match=r"(?s)sandwich is no single network .* 3 segments"):
        plan.bind(random_input(graph))
    with pytest.raises(BadArgument, match="has no input yet"):
        plan.run()
    with pytest.raises(BadArgument, match="no tensor 'x'"):
        plan.tensor("x")
    for way in ("reference", "emulated"):
        with pytest.raises(BadArgument, match="segments: only complete networks on the native backend"):
            graph.plan(way, segments=True)
    assert "one network of the native backend" in NativePlan(graph.part("high")).explain()
    assert "5 by reference" in graph.plan("reference").explain()


def test_tensors_afterwards() -> None:
    graph = sandwich()
    x, reference = random_input(graph), graph.plan("reference")
    reference.run(x)
    kept = graph.plan("native", segments=True, keep=True)
    kept.run(x)
    for name in graph.tensors:
        assert np.array_equal(kept.tensor(name).values, reference.tensor(name).values), name
    tight = graph.plan("native", segments=True)
    if isinstance(tight, SegmentPlan):
        tight.run(x)
        assert np.array_equal(tight.tensor("lonely").values, reference.tensor("lonely").values)
        with pytest.raises(BadArgument, match="keep=True"):
            tight.tensor("left")
        assert np.array_equal(tight.run().values, reference.tensor("last").values)


def test_pickled_and_from_threads() -> None:
    graph = edges()
    plan = pickle.loads(pickle.dumps(graph.plan("native", segments=True)))
    assert isinstance(plan, SegmentPlan)
    inputs = [random_inputs(graph, seed) for seed in range(4)]
    wanted = [graph.plan("reference").run(x)[0] for x in inputs]
    wrong = []

    def work(number: int) -> None:
        for _ in range(20):
            if not np.array_equal(plan.run(inputs[number], 1 + number % 2)[0], wanted[number]):
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert not wrong


def test_nothing_is_a_layer() -> None:
    graph = Graph("s", (1, 4), Scheme(0.1))
    graph.add_node("shares", SoftArgmax(Scheme(0.1)), "input")
    plan = graph.plan("native", segments=True)
    assert isinstance(plan, OperatorPlan) and plan.run(random_input(graph)).shape == (1, 4)
