"""The ladder on whole networks: QNNPACK's uint8, XNNPACK's channelwise int8, and the dot product, on modelled cores.

    network_study     rung by rung, with its kernel, beside published times
    family_study      every family of Arm kernels, cores side by side as one table

    way                quantisation, kernels                                        whose
    qu8 A32, A64       uint8, "q31": 4x8, its dual-issue twin, 8x8                  QNNPACK
    qc8w A32, A64      int8, a scale for each channel, "fp32", without dot product  XNNPACK
    qc8w dot product   the same bytes by SDOT                                       XNNPACK

Cycles are those of `neonsim.nn.graph.plan.cycles`. Beside them stand the times that XNNPACK has published for its
MobileNets on two boards (H07); cycles become milliseconds by the boards' clocks, their four cores sharing the work
without loss.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from tqdm import tqdm  # type: ignore[import-untyped]

from neonsim.arm.timing import load_core
from neonsim.common.study_report import cell, short
from neonsim.nn.graph.models import model
from neonsim.nn.graph.plan.cycles import NetworkCycles, kernel_names, network_cycles
from neonsim.nn.graph.plan.run import OperatorPlan
from neonsim.studies.kernels import Bars, Quoted, Report

__all__ = ["BOARDS", "FAMILIES", "PUBLISHED", "WAYS", "Board", "NetworkPoint", "NetworkVariant", "cycles_of",
           "family_study",
           "network_study"]


@dataclass(frozen=True)
class NetworkVariant:
    """A rung of the ladder.

    name           str    as the table has it
    quantization   str    of the networks
    isa            str
    dot            bool   kernels with the dot product: for cores that have it, and only those
    matrix         bool   kernels with the matrix product likewise
    """

    name: str
    quantization: str
    isa: str
    dot: bool = False
    matrix: bool = False

    def lacks(self, features: Collection[str]) -> str | None:
        """Return what of a core's features is missing, in words; None: nothing."""
        if self.matrix and "i8mm" not in features:
            return "matrix product"
        return "dot product" if self.dot and "dotprod" not in features else None


WAYS = (NetworkVariant("qu8 A32", "qu8", "aarch32"), NetworkVariant("qu8 A64", "qu8", "aarch64"),
        NetworkVariant("qc8w A32", "qc8w", "aarch32"),
        NetworkVariant("qc8w A64", "qc8w", "aarch64"), NetworkVariant("qc8w dot product", "qc8w", "aarch64", dot=True))
FAMILIES = (*WAYS[:-1], NetworkVariant("qc8w A32 dot product", "qc8w", "aarch32", dot=True), WAYS[-1],
            NetworkVariant("qc8w matrix product", "qc8w", "aarch64", dot=True, matrix=True))
BASE = "qu8 A64"


@dataclass(frozen=True)
class Board:
    """Whose times were published."""

    name: str
    core: str
    gigahertz: float
    cores: int


# Source: (H07).
BOARDS = {board.core: board for board in (Board("Raspberry Pi 3 B+", "cortex-a53", 1.4, 4),
                                          Board("Raspberry Pi 4 B", "cortex-a72", 1.5, 4))}
# Milliseconds of int8 networks with a scale for each channel, as many threads as cores. Source: (H07).
PUBLISHED = {("cortex-a53", "qc8w A32", "mobilenet_v1"): 46, ("cortex-a53", "qc8w A32", "mobilenet_v2"): 30,
             ("cortex-a72", "qc8w A32", "mobilenet_v1"): 29, ("cortex-a72", "qc8w A32", "mobilenet_v2"): 20,
             ("cortex-a72", "qc8w A64", "mobilenet_v1"): 24, ("cortex-a72", "qc8w A64", "mobilenet_v2"): 17}


@dataclass(frozen=True)
class NetworkPoint:
    """A network, a way and a core; `kernel` is the one that does most of it."""

    variant: str
    kernel: str
    result: NetworkCycles

    @property
    def milliseconds(self) -> float | None:
        """On the board with this core, all its cores sharing the work; None where no board is known."""
        board = BOARDS.get(self.result.core)
        return None if board is None else self.result.milliseconds(board.gigahertz, board.cores)

    @property
    def published(self) -> int | None:
        """Milliseconds that XNNPACK measured on that board, None if it tells none."""
        return PUBLISHED.get((self.result.core, self.variant, self.result.network))

    @property
    def ratio(self) -> float | None:
        """Modelled over published milliseconds; None where one of them is not there."""
        return None if self.milliseconds is None or self.published is None else self.milliseconds / self.published


def _rungs(networks: Sequence[str], cores: Sequence[str], ways: Iterable[NetworkVariant],
           quiet: bool) -> tuple[tuple[NetworkPoint, ...], tuple[str, ...]]:
    """Every network by every way that a core can go; and a sentence for each that it cannot."""
    skipped = []
    wanted: list[tuple[str, str, NetworkVariant]] = []
    for way in ways:
        for name in cores:
            core = load_core(name)
            lacks = way.isa if way.isa not in core.isas else way.lacks(core.features)
            if lacks:
                skipped.append(f"{way.name} is left out on {name}: it has no {lacks}.")
            else:
                wanted += [(network, name, way) for network in networks]
    order = sorted(wanted, key=lambda one: (networks.index(one[0]), cores.index(one[1])))
    rungs = [_rung(*one) for one in tqdm(order, desc="networks", disable=True if quiet else None, leave=False)]
    return tuple(rungs), tuple(skipped)


def _rung(network: str, core: str, way: NetworkVariant) -> NetworkPoint:
    found = cycles_of(network, core, way)
    return NetworkPoint(way.name, _main_kernel(found), found)


def cycles_of(network: str, core: str, variant: NetworkVariant) -> NetworkCycles:
    """Return a network by name on a core; without the dot product, on a core that has it, by the kernels of any
    core."""
    chosen_for = core if variant.dot or "dotprod" not in load_core(core).features else None
    plan = model(network, quantization=variant.quantization).plan("emulated", isa=variant.isa, core=chosen_for)
    assert isinstance(plan, OperatorPlan)
    return network_cycles(plan, core)


def _main_kernel(found: NetworkCycles) -> str:
    """The kernel of most cycles, layers with several counted for the last, which multiplies."""
    cycles: dict[str, float] = {}
    for layer in found.layers:
        if layer.cycles is not None:
            cycles[layer.kernels[-1]] = cycles.get(layer.kernels[-1], 0.0) + layer.cycles
    return kernel_names((max(cycles, key=lambda name: cycles[name]),))


def _products_a_cycle(rungs: Sequence[NetworkPoint]) -> Bars:
    """A group a network and core, a bar a way."""
    rates = {(r.result.network, r.result.core, r.variant): r.result.macs_per_cycle for r in rungs}
    ways = tuple(dict.fromkeys(r.variant for r in rungs))
    groups = tuple((f"{network.replace('mobilenet_', '')} {short(core)}",
                    tuple(rates.get((network, core, way)) for way in ways))
                   for network, core in dict.fromkeys(key[:2] for key in rates))
    return Bars("products a cycle (modelled)", ways, groups)


# ---- rung by rung ----------------------------------------------------------------------------------------------------

def network_study(networks: Sequence[str], cores: Sequence[str], quiet: bool = False) -> Report:
    """Every rung with its kernel, by network and core; `data` has them.

    quiet   without a bar that shows how far it is
    """
    rungs, skipped = _rungs(networks, cores, WAYS, quiet)
    base = {(r.result.network, r.result.core): r.result.cycles for r in rungs if r.variant == BASE}
    head = ["network", "core", "way", "kernel of most cycles", "instructions", "cycles", "MAC/cycle", "x",
            "ms of board", "published", "ratio"]
    rows = []
    reading: dict[str, list[list[str]]] = {}
    for r in rungs:
        found, theirs = r.result, base.get((r.result.network, r.result.core))
        times = [f"{found.macs_per_cycle:.2f}", cell(None if theirs is None else theirs / found.cycles, ".2f"),
                 cell(r.milliseconds, ".1f"), cell(r.published, "d")]
        rows.append([found.network, found.core, r.variant, r.kernel, f"{found.instructions:,}", f"{found.cycles:,.0f}",
                     *times, cell(r.ratio, ".2f")])
        # For reading: a table a network, with millions, and without what does not change.
        reading.setdefault(found.network, []).append([
            r.variant, short(found.core), r.kernel, f"{found.instructions / 1e6:.1f}", f"{found.cycles / 1e6:.1f}",
            *times])
    tables = [([f"{network}, way", "core", "kernel of most cycles", "M instr", "M cycles", "MAC/cycle", "x", "ms",
                "published"], mine) for network, mine in reading.items()]
    return Report(
        "Whole networks on cores: instructions counted, cycles modelled; published times of boards beside them",
        _notes(rungs), (head, rows), _products_a_cycle(rungs), printed=tables,
        # Source: (H07, D05).
        quoted=(Quoted("published milliseconds", "library's page", "XNNPACK's README"),
                Quoted("1.5, and 4 to 5 times QNNPACK", "article", "XNNPACK's")),
        skipped=skipped, data=rungs)


def _notes(rungs: Sequence[NetworkPoint]) -> str:
    lines = [f"{r.result.network}, {r.variant}, {BOARDS[r.result.core].name}: modelled {r.milliseconds:.1f} ms, "
             f"published {r.published} ms: {r.ratio:.2f} of it." for r in rungs if r.ratio is not None]
    boards = "; ".join(f"{b.name}: {b.cores} x {b.core} at {b.gigahertz} GHz" for b in BOARDS.values())
    lines.append(f"Milliseconds are cycles / (clock x cores), {boards}: all cores share the work without loss. "
                 "The published times are those of XNNPACK's README, several threads, random weights (quoted, not "
                 "measured here; on the Raspberry Pi 3 B+ of a 32-bit system).")
    lines.append("Left out of the cycles, which makes them too few: caches beyond the first and memory, waiting of "
                 "threads for each other, the library's code around kernels, a board that grows hot. Too many they "
                 "are where the library has better kernels than the catalogue, as of 3x3 windows with 3 channels.")
    if any(r.result.core == "cortex-a72" and r.variant == "qc8w A32" and r.published for r in rungs):
        # Source: (H07), and the rules of the core's file.
        lines.append("On the Cortex-A72 in AArch32 the library runs its pairwise int8 kernel, 2x8c2s4, which "
                     "is not in the catalogue: 4x8 by lane stands in for it, with 2.78 products a cycle in "
                     "MobileNetV1 where the pairwise one of uint8 (qu8 A32) has 3.90. That is why this core's row "
                     "is above what was published. With NEON queues of 8 entries instead of 6 the unscheduled "
                     "ends of the kernel by lane were 14 % faster: two errors that hid each other.")
    # Source: (D05).
    lines.append('"x" is how many times as fast as QNNPACK\'s 8x8 kernels (qu8 A64) on the same core. The XNNPACK '
                 "article measured 1.5 on a phone, one thread, and 4 to 5 on one with the dot product.")
    return "\n".join(lines)


# ---- families side by side -------------------------------------------------------------------------------------------

def family_study(networks: Sequence[str], cores: Sequence[str], quiet: bool = False) -> Report:
    """Cycles by family and core as one table, XNNPACK's published times beside. Nothing is measured.

    cores   in the order of the columns
    quiet   as of `network_study`
    """
    rungs, skipped = _rungs(networks, cores, FAMILIES, quiet)
    found = {(r.result.network, r.variant, r.result.core): r for r in rungs}
    boards = [core for core in cores if core in BOARDS]
    rows = []
    for line in dict.fromkeys(key[:2] for key in found):
        mine, published = ([found.get((*line, core)) for core in some] for some in (cores, boards))
        rows.append([*line, *("-" if r is None else f"{r.result.cycles / 1e6:.1f}" for r in mine),
                     *("-" if r is None else f"{r.milliseconds:.1f} / {r.published or '-'}" for r in published)])
    times = [f"{BOARDS[core].name} ms" for core in boards]
    tables = [([f"{network}, family", *map(short, cores), *times], [row[1:] for row in rows if row[0] == network])
              for network in dict.fromkeys(row[0] for row in rows)]
    lines = ['Millions of cycles of one core, modelled; "-" where the core has no such instructions. Nothing here '
             "is measured. Without the dot product, cores that have it run the kernels made for any core."]
    if boards:
        said = "; ".join(f"{b.name}, {b.cores} x {short(b.core)} at {b.gigahertz} GHz"
                         for core, b in BOARDS.items() if core in boards)
        # Source: (H07).
        lines.append("ms: modelled, for all cores of a board that share the work without loss, / published by "
                     f"XNNPACK: {said}.")
    ratios = sorted(r.ratio for r in rungs if r.ratio is not None)
    if ratios:
        lines.append(f"Modelled over published: {ratios[0]:.2f} to {ratios[-1]:.2f}. What the cycles leave out: "
                     "`neonsim study networks`.")
    return Report(
        "Whole networks by family of Arm kernels: cycles modelled, beside XNNPACK's published milliseconds",
        "\n".join(lines), (["network", "family", *cores, *times], rows), _products_a_cycle(rungs), printed=tables,
        # Source: (H07).
        quoted=(Quoted("published milliseconds", "library's page", "XNNPACK's README"),), skipped=skipped)
