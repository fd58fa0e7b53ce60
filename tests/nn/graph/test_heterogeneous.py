"""Mixed back ends: any assignment gives the same bytes, the cheapest is found, and who is wrong is named."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from neonsim.errors import BadArgument
from neonsim.nn.backends.native import library
from neonsim.nn.graph import Graph, model, random_input, random_inputs
from neonsim.nn.graph.data_movement import BackendCopy
from neonsim.nn.graph.plan.heterogeneous import (
    GPUS,
    SIMULATED,
    Device,
    assign,
    find_mismatching_operators,
    measured_devices,
    mixed_plan,
    with_copies,
)
from neonsim.nn.ops import Operator, compare
from neonsim.quant.scheme import Quantized
from neonsim.quant.tensor_type import elements
from tests.nn.graph.test_any_tensors import Chance
from tests.nn.graph.test_strategy import convolutions
from tests.nn.ops.test_find_the_fault import edited

MISSING = library.available()
pytestmark = pytest.mark.skipif(MISSING is not None, reason=str(MISSING))

NAMES = ("reference", "emulated", "native")
FAST, SLOW = Device("fast", 1e9, 3e-3, 1e9, on_host=False), Device("slow", 5e8, 1e-7, 1e9)


def operators(graph: Graph) -> list[str]:
    return [node.name for node in graph.nodes if isinstance(node.operator, Operator)]


@pytest.mark.parametrize("count", [20, pytest.param(1000, marks=pytest.mark.nightly)])
def test_any_mix_gives_equal_bytes(count: int) -> None:
    """Networks by chance and a small one of those here, each with back ends by chance."""
    known = model("digits", quantization="qs8")
    copies = 0
    for seed in range(count):
        rng = np.random.default_rng([5, seed])
        graph = known if seed % 20 == 10 else Chance([8, seed], real=False, nodes=6).graph
        where = {name: str(rng.choice(NAMES)) for name in operators(graph)}
        plan = mixed_plan(graph, where)
        assert plan.backends == where and plan.graph.outputs == graph.outputs
        x: Any = random_inputs(graph, seed)
        found, wanted = plan.run(x), graph.plan("reference").run(x)
        for a, b in zip(*(one if isinstance(one, tuple) else (one,) for one in (found, wanted)), strict=True):
            assert np.array_equal(elements(a), elements(b)), (seed, where)
        copies += sum(isinstance(node.operator, BackendCopy) for node in plan.graph)
    assert copies > count / 2


def test_copies_are_nodes_once_for_each_reader() -> None:
    graph = model("squeezenet", size=64)
    where = {name: "native" if "squeeze" in name else "reference" for name in operators(graph)}
    made = with_copies(graph, where)
    # What squeeze2 made is read twice by the reference backend: it is copied once.
    assert [node.name for node in made if isinstance(node.operator, BackendCopy)][:2] == ["pool1 to native",
                                                                                          "squeeze2 to reference"]
    one = with_copies(graph, dict.fromkeys(where, "native"))
    assert not any(isinstance(node.operator, BackendCopy) for node in one)


@pytest.mark.parametrize("count", [6, pytest.param(200, marks=pytest.mark.nightly)])
def test_the_cheapest_is_found(count: int) -> None:
    """Among all assignments of small networks, by trying them; copies and operators added up by hand."""
    for seed in range(count):
        graph, rng = convolutions(seed), np.random.default_rng(seed)
        devices = [Device(f"d{i}", 10 ** rng.uniform(6, 9), 10 ** rng.uniform(-7, -4), 10 ** rng.uniform(6, 9),
                          on_host=bool(rng.random() < 0.5)) for i in range(3)]
        found = assign(graph, devices)
        least = min(by_hand(graph, dict(zip(operators(graph), mix, strict=True)))
                    for mix in product(devices, repeat=len(operators(graph))))
        assert np.isclose(found.seconds, least) and np.isclose(by_hand(graph, dict(found.devices)), least)
        whole = assign(graph, devices, per="network")
        assert len(set(whole.devices.values())) == 1 and np.isclose(whole.seconds, min(whole.single_device.values()))
        assert found.seconds <= whole.seconds * (1 + 1e-12)


def by_hand(graph: Graph, where: dict[str, Device]) -> float:
    """One operator behind the other: each on its device, its input brought there, the result brought back."""
    total, at = 0.0, None
    for node in graph.nodes:
        device, nbytes = where[node.name], graph.tensors[node.inputs[0]].nbytes
        total += graph.macs_of(node) / device.rate + device.schedule + carried(nbytes, at, device)
        at = device
    return total + carried(graph.tensors[graph.output].nbytes, at, None)


def carried(nbytes: int, source: Device | None, target: Device | None) -> float:
    if source == target:
        return 0.0
    away = [one for one in (source, target) if one is not None and not one.on_host]
    if away:
        return sum(nbytes / one.bandwidth + one.schedule for one in away)
    return 0.0 if source is None or target is None else nbytes / min(source.bandwidth, target.bandwidth)


@pytest.mark.slow
def test_per_operator_and_per_network() -> None:
    """Large products go where products are quick, small ones stay; for a whole network one of both is taken."""
    graph = model("mobilenet_v1")
    found, whole = assign(graph, [FAST, SLOW]), assign(graph, [FAST, SLOW], per="network")
    assert {device.name for device in found.devices.values()} == {"fast", "slow"}
    assert found.seconds < whole.seconds and not whole.copies[1:-1] and found.copies
    assert "all on fast" in found.explain() and "copy of" in found.explain() and set(found.costs) == set(found.devices)
    assert all(device.rate > 0 for device in SIMULATED) and len(SIMULATED) == 2 * len(GPUS) + 1
    simulated = assign(graph, SIMULATED)
    assert {device.name for device in simulated.devices.values()} <= {device.name for device in SIMULATED}
    with pytest.raises(BadArgument, match="per operator or per network; got 'layer'"):
        assign(graph, SIMULATED, per="layer")
    with pytest.raises(BadArgument, match="one and more, of different names"):
        assign(graph, [FAST, FAST])


@pytest.mark.nightly
def test_rates_are_measured() -> None:
    devices = measured_devices()
    assert {device.name for device in devices} == set(NAMES) and all(one.rate > 0 <= one.schedule for one in devices)
    graph = model("digits")
    chosen = assign(graph, devices)
    plan = mixed_plan(graph, chosen.backends)
    assert np.array_equal(plan.run(random_input(graph)).values, graph.plan("reference").run(random_input(graph)).values)


def test_who_is_named_for_what() -> None:
    graph = convolutions(1)
    for where, said in (({}, "for each operator of some.*: conv0, conv1, conv2"),
                        (dict.fromkeys([*operators(graph), "x"], "native"), "no other: x")):
        with pytest.raises(BadArgument, match=said):
            mixed_plan(graph, where)
    with pytest.raises(BadArgument, match="neon"):
        mixed_plan(graph, dict.fromkeys(operators(graph), "neon"))


def test_the_wrong_operator_is_named(tmp_path: Path) -> None:
    """A fault planted in a kernel of one operator of one back end: found, although later ones are spoiled too; and
    compare finds its instruction."""
    graph = model("digits", quantization="qu8")
    where = {name: NAMES[number % 3] for number, name in enumerate(operators(graph))}
    where |= {"pw1": "emulated"}
    plan = mixed_plan(graph, where)
    x = random_input(graph)
    assert find_mismatching_operators(plan, x) == []
    node = graph.node("pw1")
    operator, shape = node.operator, graph.tensors[node.inputs[0]].shape
    assert isinstance(operator, Operator)
    chosen = operator.plan(shape, backend="emulated").choices[0].kernel
    broken = edited(chosen, tmp_path, "vmin.u8", "vmax.u8")
    plan._plans["pw1"] = operator.plan(shape, backend="emulated", kernel=broken)
    faults = find_mismatching_operators(plan, x)
    assert [(one.node, one.backend) for one in faults] == [("pw1", "emulated")]
    assert "pw1 on emulated" in str(faults[0]) and faults[0].values[0] != faults[0].values[1]
    before = graph.plan("reference")
    before.run(x)
    given = before.tensor(node.inputs[0])
    assert isinstance(given, Quantized)
    found = compare(operator, given, backends=("reference", "emulated"), kernel=broken)
    assert found.first is not None and found.first.step is not None and found.first.step.path == str(broken.path)
