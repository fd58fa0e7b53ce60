"""A back end for each operator, chosen by cost, and copies where a tensor goes from one to another.

    devices = [*measured_devices(), *SIMULATED]           rates measured here; classes of GPUs by MNN's table
    chosen = assign(graph, devices)                       operator by operator; per="network": one for all, MNN's code
    print(chosen.explain())
    plan = mixed_plan(graph, chosen.backends)             any assignment runs, and gives the same bytes
    find_mismatching_operators(plan, x)                              which operator of which back end is not right

    cost of an operator     products / rate + schedule
    cost of a copy          bytes / bandwidth + schedule, once for each tensor and each device that reads it

The paper chooses for each operator; MNN's code of 2020 adds up the operators of a whole network and takes one back end,
with the processor for what that cannot do (Z16). Here both are there, and copies are nodes of the graph that is run.

What is chosen is the least cost that no change of one operator makes smaller, from several starts: on chains of few
operators it is the least of all, which the tests compare; in general that is not known.

Source: (E22, E23, E24, Z16); MNN `source/backend/opencl/core/OpenCLBackend.cpp`, `OpenCLRuntime.cpp` of 2020.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from neonsim.errors import BackendError, BadArgument
from neonsim.nn.backends import names as all_names
from neonsim.nn.backends.native.network import probe_bandwidth
from neonsim.nn.graph.data_movement import BackendCopy
from neonsim.nn.graph.graph import Graph, Node
from neonsim.nn.graph.plan.run import Inputs, OperatorPlan, check_named
from neonsim.nn.ops import Conv2d
from neonsim.quant.scheme import Quantized, Scheme
from neonsim.quant.tensor_type import elements

__all__ = ["GPUS", "HOST", "SIMULATED", "Assignment", "Device", "Mismatch", "assign", "find_mismatching_operators",
           "measured_devices", "mixed_plan", "with_copies"]

# Thousand millions of products a second by class, as MNN's code of 2020 has them, in units of 1024**3.
GPUS = {"Mali-T860": 6.83, "Mali-T880": 6.83, "Mali-G51": 6.83, "Mali-G52": 6.83, "Mali-G71": 31.61, "Mali-G72": 31.61,
        "Mali-G76": 31.61, "Adreno 505": 3.19, "Adreno 506": 4.74, "Adreno 512": 14.23, "Adreno 530": 25.40,
        "Adreno 540": 42.74, "Adreno 615": 16.77, "Adreno 616": 18.77, "Adreno 618": 18.77, "Adreno 630": 42.74,
        "Adreno 640": 42.74}
_MNN_UNIT = 1024.0**3
_MNN_PROCESSOR = 2048 * 1024.0**2       # products a second, where its clocks are not known
_OPENCL, _VULKAN = 50e-6, 1e-6          # seconds an operator, in the code
_SHARED = 8e9                           # bytes a second that a copy to a GPU is reckoned with here: an assumption
HOST = ""                               # where inputs come from and results go


class Device(NamedTuple):
    """Something that computes operators.

    name       str
    rate       float    products a second
    schedule   float    seconds beside them, an operator
    bandwidth  float    bytes a second of copies to it and from it
    origin     str      "measured", or whose table
    backend    str      who computes its bytes here: a simulated device only has a price
    on_host    bool     it reads inputs and leaves results where they are
    """

    name: str
    rate: float
    schedule: float
    bandwidth: float
    origin: str = "measured"
    backend: str = "reference"
    on_host: bool = True

    def seconds(self, macs: int) -> float:
        """Of an operator with n products."""
        return macs / self.rate + self.schedule


def _gpu(name: str, rate: float, how: str, schedule: float) -> Device:
    return Device(f"{name} {how}", rate * _MNN_UNIT, schedule, _SHARED, "MNN's table, simulated", on_host=False)


SIMULATED = (Device("MNN processor", _MNN_PROCESSOR, 0.0, _SHARED, "MNN's default, simulated"),
             *(_gpu(name, rate, how, schedule) for name, rate in GPUS.items()
               for how, schedule in (("OpenCL", _OPENCL), ("Vulkan", _VULKAN))))


def measured_devices(names: Sequence[str] | None = None) -> list[Device]:
    """The back ends that are here, with their rates: two convolutions of int8, timed; the line through both.

    names   of back ends; None: all

    Raises BackendError for one that is missing here.
    """
    found, bandwidth = [], probe_bandwidth(1 << 20)
    for name in all_names() if names is None else names:
        small, large = (_timed(name, size) for size in (6, 18))
        rate = max((large[1] - small[1]) / max(large[0] - small[0], 1e-9), 1.0)
        found.append(Device(name, rate, max(small[0] - small[1] / rate, 0.0), bandwidth, backend=name))
    return found


def _timed(name: str, size: int) -> tuple[float, int]:
    """(seconds of a run, products) of a convolution of 3x3 with 32 channels."""
    x, rng = Scheme(0.05, 3, "int8"), np.random.default_rng(0)
    w = Quantized(rng.integers(-127, 128, (32, 3, 3, 32), dtype=np.int8), 0.001)
    graph = Graph("rate", (1, size, size, 32), x)
    graph.add_node("conv", Conv2d(x, w, out=x, padding=1), "input")
    plan = OperatorPlan(graph, name)
    value = Quantized(rng.integers(-128, 128, (1, size, size, 32), dtype=np.int8), x.scale, x.zero_point)
    least = float("inf")
    for _ in range(4):
        begin = time.perf_counter()
        plan.run(value)
        least = min(least, time.perf_counter() - begin)
    return least, graph.macs


# ---- choosing --------------------------------------------------------------------------------------------------------

@dataclass(frozen=True)
class Assignment:
    """Who computes each operator.

    graph      str
    per        str                        "operator" or "network"
    devices    {node: Device}
    costs      {node: {device: seconds}}  of the operators alone; devices that cannot do one are not there
    refusals   {node: {device: str}}      why not
    copies     [(tensor, from, to, seconds)]
    single_device  {device: seconds}          of the whole network on one device, copies in and out with it, the first
                                              of
                                          the others for what it cannot do
    """

    graph: str
    per: str
    devices: Mapping[str, Device]
    costs: Mapping[str, Mapping[str, float]]
    refusals: Mapping[str, Mapping[str, str]]
    copies: Sequence[tuple[str, str, str, float]]
    single_device: Mapping[str, float]

    @property
    def seconds(self) -> float:
        """Of all operators and copies, as reckoned."""
        return sum(self.costs[node][device.name] for node, device in self.devices.items()) + sum(
            copy[3] for copy in self.copies)

    @property
    def backends(self) -> dict[str, str]:
        """{node: back end that computes its bytes here}."""
        return {node: device.backend for node, device in self.devices.items()}

    def explain(self) -> str:
        """A row for each operator, the copies, and what one device for all would cost."""
        lines = [f"{self.graph}: a device for each {self.per}, {1e3 * self.seconds:.3f} ms reckoned, "
                 f"{len(self.copies)} copies"]
        for node, device in self.devices.items():
            costs = "; ".join(f"{name} {1e6 * took:.1f} us" for name, took in
                              sorted(self.costs[node].items(), key=lambda one: one[1])[:4])
            lines.append(f"  {node}: {device.name} ({device.origin}); {costs}")
            lines += [f"      cannot: {name}: {why}" for name, why in self.refusals[node].items()]
        lines += [f"  copy of {tensor} from {source or 'the host'} to {target or 'the host'}: {1e6 * took:.1f} us"
                  for tensor, source, target, took in self.copies]
        lines += [f"  all on {name}: {1e3 * took:.3f} ms" for name, took in
                  sorted(self.single_device.items(), key=lambda one: one[1])[:6]]
        return "\n".join(lines)


class _Costs:
    """Prices of a graph's operators and of the ways between them."""

    def __init__(self, graph: Graph, devices: Sequence[Device]) -> None:
        self.graph, self.devices = graph, {device.name: device for device in devices}
        self.nodes = [node for node in graph.nodes if not node.operator.moves]
        self.refusals: dict[str, dict[str, str]] = {node.name: {} for node in self.nodes}
        self.costs: dict[str, dict[str, float]] = {}
        for node in self.nodes:
            macs = graph.macs_of(node) or graph.tensors[node.results[0]].size
            refused = {backend: _refusal(graph, node, backend) for backend in
                       dict.fromkeys(device.backend for device in devices)}
            self.refusals[node.name] = {d.name: why for d in devices if (why := refused[d.backend])}
            self.costs[node.name] = {d.name: d.seconds(macs) for d in devices if not refused[d.backend]}
            if not self.costs[node.name]:
                raise BackendError(f"No device can do {node.name} of {graph.name}: "
                                   f"{'; '.join(dict.fromkeys(self.refusals[node.name].values()))}")
        # Moves compute nothing: what they carry comes from its producer, all of it.
        self.origin = _origins(graph)

    def copies(self, where: Mapping[str, str]) -> list[tuple[str, str, str, float]]:
        """All copies that an assignment needs, each once."""
        found: dict[tuple[str, str], tuple[str, str, str, float]] = {}
        wanted = [(name, where[node.name]) for node in self.nodes for name in node.inputs]
        for name, target in (*wanted, *((name, HOST) for name in self.graph.outputs)):
            for tensor in self.origin[name]:
                source = where.get(self.maker(tensor), HOST)
                if source != target and not self._in_place(source, target):
                    found[tensor, target] = (tensor, source, target, self._carried(tensor, source, target))
        return list(found.values())

    def _in_place(self, source: str, target: str) -> bool:
        """Inputs and results lie where devices on the host read and write."""
        return HOST in (source, target) and all(self.devices[name].on_host for name in (source, target) if name)

    def maker(self, tensor: str) -> str:
        """The node that makes a tensor, HOST for inputs."""
        return next((node.name for node in self.nodes if tensor in node.results), HOST)

    def _carried(self, tensor: str, source: str, target: str) -> float:
        """By way of the host, where neither is there."""
        nbytes, ends = self.graph.tensors[tensor].nbytes, [self.devices[name] for name in (source, target) if name]
        away = [one for one in ends if not one.on_host]
        if away:
            return sum(nbytes / one.bandwidth + one.schedule for one in away)
        return nbytes / min(one.bandwidth for one in ends)

    def total(self, where: Mapping[str, str]) -> float:
        """Seconds of all."""
        return sum(self.costs[node][device] for node, device in where.items()) + sum(
            copy[3] for copy in self.copies(where))

    def alone(self, device: str) -> dict[str, str]:
        """All on one, what it cannot do on the quickest other one."""
        return {node: device if device in costs else min(costs, key=lambda name: costs[name])
                for node, costs in self.costs.items()}


def _origins(graph: Graph) -> dict[str, tuple[str, ...]]:
    """For each tensor those that it was moved together from: itself, where an operator made it."""
    found: dict[str, tuple[str, ...]] = {name: (name,) for name in graph.tensors}
    for node in graph.nodes:
        if node.operator.moves:
            parts = tuple(dict.fromkeys(one for name in node.inputs for one in found[name]))
            found |= dict.fromkeys(node.results, parts)
    return found


def _refusal(graph: Graph, node: Node, backend: str) -> str:
    """Why a back end cannot do an operator, "" if it can."""
    operator: Any = node.operator
    try:
        operator.plan(*(graph.tensors[name].shape for name in node.inputs), backend=backend)
    except BackendError as problem:
        return str(problem)
    return ""


def assign(graph: Graph, devices: Sequence[Device], per: str = "operator") -> Assignment:
    """Choose a device for each operator, or one for all of a network with others for what that cannot do.

    Raises BadArgument without devices, for two of one name and another `per`; BackendError for an operator that none
    can do.
    """
    if per not in ("operator", "network"):
        raise BadArgument(f"a device must be chosen per operator or per network; got {per!r}.")
    if not devices or len({device.name for device in devices}) != len(devices):
        raise BadArgument("devices are one and more, of different names.")
    costs = _Costs(graph, devices)
    starts = [costs.alone(device.name) for device in devices]
    alone = {device.name: costs.total(where) for device, where in zip(devices, starts, strict=True)}
    best = min(starts, key=costs.total)
    if per == "operator":
        quickest = {node: min(each, key=lambda name, each=each: each[name])  # type: ignore[misc]
                    for node, each in costs.costs.items()}
        some = sorted(starts, key=costs.total)[:3]
        best = min((_improved(costs, where) for where in (*some, quickest)), key=costs.total)
    return Assignment(graph.name, per, {node: costs.devices[name] for node, name in best.items()}, costs.costs,
                      costs.refusals, costs.copies(best), alone)


def _improved(costs: _Costs, where: dict[str, str]) -> dict[str, str]:
    """Change operators, each by itself and with all behind it up to one, until nothing gets quicker."""
    found, least = dict(where), costs.total(where)
    names = list(found)
    while True:
        before = least
        for begin in range(len(names)):
            for length in (1, 2, 4, 8, len(names)):
                run = names[begin:begin + length]
                for device in costs.devices:
                    if any(device not in costs.costs[node] for node in run):
                        continue
                    changed = found | dict.fromkeys(run, device)
                    if changed != found and (total := costs.total(changed)) < least:
                        found, least = changed, total
        if least >= before:
            return found


# ---- running ---------------------------------------------------------------------------------------------------------

def with_copies(graph: Graph, placement: Mapping[str, str]) -> Graph:
    """The graph with a copy wherever a tensor goes to another back end: once for each tensor and each reader's.

    placement  {node: back end}, of every operator
    """
    found = Graph(graph.name)
    for name in graph.inputs:
        tensor = graph.tensors[name]
        found.add_input(name, tensor.shape, tensor.scheme, None if tensor.scheme is not None else tensor.dtype)
    at: dict[str, str] = dict.fromkeys(graph.inputs, HOST)
    there: dict[tuple[str, str], str] = {}

    def brought(name: str, target: str) -> str:
        if at[name] in (target, HOST) or target == HOST:    # inputs lie where all of these read
            return name
        if (name, target) not in there:
            tensor = graph.tensors[name]
            there[name, target] = found.add_node(f"{name} to {target}", BackendCopy(tensor.type, tensor.shape), name)
        return there[name, target]

    for node in graph.nodes:
        # A move is done where the first of what it moves lies.
        target = placement[node.name] if node.name in placement else at[node.inputs[0]] if node.inputs else HOST
        found.add_node(node.name, node.operator, *(brought(name, target) for name in node.inputs))
        at |= dict.fromkeys(node.results, target)
    return found.finish(*graph.outputs)


def mixed_plan(graph: Graph, placement: Mapping[str, str]) -> OperatorPlan:
    """A plan in which each operator is computed by the back end that is named for it, with copies between.

    Raises BadArgument for operators without a back end and names that are none; BackendError for one that cannot.
    """
    check_named(graph, placement)
    return OperatorPlan(with_copies(graph, placement), placement)


@dataclass(frozen=True)
class Mismatch:
    """An operator whose bytes are not those of the judge, given the same inputs.

    node, backend   str
    index           (int, ...)   of the first element that differs
    values          (judge's, its own)
    count           int          elements that differ
    """

    node: str
    backend: str
    index: tuple[int, ...]
    values: tuple[Any, Any]
    count: int

    def __str__(self) -> str:
        return (f"{self.node} on {self.backend}: {self.count} elements differ, first {list(self.index)}: "
                f"{self.values[1]}, by the judge {self.values[0]}")


def find_mismatching_operators(plan: OperatorPlan, x: Inputs, judge: str = "reference") -> list[Mismatch]:
    """Every operator of a plan that does not give the judge's bytes, each on the judge's inputs: none hides another."""
    right = OperatorPlan(plan.graph, judge)
    right.run(x)
    found = []
    for node in plan.graph.nodes:
        if node.operator.moves:
            continue
        wanted = elements(right.tensor(node.name))
        got = elements(plan.compute(node.name, *(right.tensor(name) for name in node.inputs))[0])
        wrong: NDArray[np.intp] = np.argwhere(got != wanted)
        if len(wrong):
            index = tuple(int(one) for one in wrong[0])
            found.append(Mismatch(node.name, plan.backends[node.name], index, (wanted[index].item(), got[index].item()),
                                  len(wrong)))
    return found
