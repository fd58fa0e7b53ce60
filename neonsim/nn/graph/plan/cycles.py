"""A whole network on a core, modelled: instructions and cycles of every layer, one core, one thread.

    cycles of a layer = the sum over its kernel calls of (calls of that shape) x (cycles of one, call after call)

All tiles of a call run the same instructions, because kernels branch on sizes and not on data: so one of them is looked
at (`neonsim.arm.timing.steady_state`). Edges are calls of their own, with sizes of their own. Instructions are counted:
those of a run, where the plan has been run, else calls times those of one; if the two differ, cycles are scaled by it.

Not modelled: caches beyond L1 and memory (every access hits L1), the library's code around the kernels, threads, and
what no kernel does: copies (Concat, Split, im2col) and operators that have none, which are listed without cycles.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from neonsim.arm.timing import Core, Steady, load_core, steady
from neonsim.errors import BackendError
from neonsim.nn.backends.emulated import EmulatedJob
from neonsim.nn.graph.plan.run import OperatorPlan

__all__ = ["LayerCycles", "NetworkCycles", "kernel_names", "network_cycles"]


@dataclass(frozen=True)
class LayerCycles:
    """One operator.

    name, kind     of the node
    kernels        names, in the order of their first call; empty where no kernel does it
    calls          kernel calls                         counted
    instructions   of all calls                         counted
    cycles         modelled; None where no kernel does it
    macs           products that the operator needs     counted, padding included
    """

    name: str
    kind: str
    kernels: tuple[str, ...]
    calls: int
    instructions: int
    cycles: float | None
    macs: int

    @property
    def macs_per_cycle(self) -> float:
        """Of the products that the operator needs, not of those that kernels compute beyond an edge."""
        return self.macs / self.cycles if self.cycles else 0.0


@dataclass(frozen=True)
class NetworkCycles:
    """All layers of a network on one core.

    network, core, isa   str
    layers               tuple of LayerCycles, in the order in which they run
    simulated            instructions that were simulated for it
    """

    network: str
    core: str
    isa: str
    layers: tuple[LayerCycles, ...]
    simulated: int

    @property
    def cycles(self) -> float:
        """Of all layers that kernels do. Modelled."""
        return sum(layer.cycles or 0.0 for layer in self.layers)

    @property
    def instructions(self) -> int:
        """Of all layers that kernels do. Counted."""
        return sum(layer.instructions for layer in self.layers)

    @property
    def macs(self) -> int:
        """Of all layers that kernels do. Counted."""
        return sum(layer.macs for layer in self.layers if layer.cycles is not None)

    @property
    def macs_per_cycle(self) -> float:
        """Products a modelled cycle."""
        return self.macs / self.cycles if self.cycles else 0.0

    @property
    def without(self) -> tuple[str, ...]:
        """Names of the layers without cycles: no kernel does them here."""
        return tuple(layer.name for layer in self.layers if layer.cycles is None)

    def milliseconds(self, gigahertz: float, cores: int = 1) -> float:
        """Time of these cycles, if n cores share them without loss."""
        return self.cycles / (gigahertz * 1e6 * cores)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {"network": self.network, "core": self.core, "isa": self.isa, "instructions": self.instructions,
                "cycles": self.cycles, "macs": self.macs, "macs_per_cycle": self.macs_per_cycle,
                "without_cycles": list(self.without),
                "layers": [{"name": one.name, "kind": one.kind, "kernels": list(one.kernels), "calls": one.calls,
                            "instructions": one.instructions, "cycles": one.cycles, "macs": one.macs,
                            "macs_per_cycle": one.macs_per_cycle} for one in self.layers]}


def kernel_names(kernels: tuple[str, ...]) -> str:
    """Kernels without what a table's reader knows: 4x16 neon_mlal_lane_cortex_a53."""
    short = [f"{left.rpartition('_')[2]} {right.partition('_')[2]}" for left, _, right in
             (name.partition("__") for name in kernels)]
    return "; ".join(dict.fromkeys(short)) or "-"


def network_cycles(plan: OperatorPlan, core: str | Core, show: Any = None) -> NetworkCycles:
    """The modelled cycles of a plan's kernels on a core.

    plan   of the emulated backend, alone or before others
    core   name, file or Core; the plan's kernels should be chosen for it: plan("emulated", isa=..., core=...)
    show   wraps the list of layers, for a progress bar

    Raises BackendError for a plan without emulated operators; TimingError for a core that cannot run its kernels.
    """
    model = load_core(core)
    if not plan.jobs:
        raise BackendError("Cycles are modelled of kernels that run emulated: plan(\"emulated\"); this plan is "
                           f"{plan.backend}.")
    kernels = {k.name: k for job in plan.jobs.values() for k in job.kernels.values()}
    known: dict[tuple[str, bytes], Steady] = {}
    layers = []
    for node in plan.graph.nodes if show is None else show(plan.graph.nodes):
        job, macs = plan.jobs.get(node.name), plan.graph.macs_of(node)
        if job is None or not job.job.calls:
            layers.append(LayerCycles(node.name, node.kind, (), 0, 0, None, macs))
        else:
            layers.append(_layer(node.name, node.kind, job, macs, model, known))
    isa = next((k.isa for k in kernels.values()), "")
    return NetworkCycles(plan.graph.name, model.name, isa, tuple(layers), sum(s.simulated for s in known.values()))


def _layer(name: str, kind: str, job: EmulatedJob, macs: int, core: Core,
           known: dict[tuple[str, bytes], Steady]) -> LayerCycles:
    cycles, instructions = 0.0, 0
    for number, call in enumerate(job.job.calls):
        kernel = call.implementation.kernel
        assert kernel is not None
        order = job.execution_path(number)
        key = kernel.name, order.tobytes()
        if key not in known:
            known[key] = steady(kernel.program(), order, core)
        cycles += call.tiles * known[key].cycles
        instructions += call.tiles * len(order)
    if job.steps:
        cycles, instructions = cycles * job.steps / instructions, job.steps
    return LayerCycles(name, kind, tuple(job.kernels), job.tiles, instructions, cycles, macs)
