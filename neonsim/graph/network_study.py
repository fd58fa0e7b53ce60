"""The ladder on whole networks: QNNPACK's uint8, XNNPACK's channelwise int8, and the dot product, on modelled cores.

    way                quantisation, kernels                                        whose
    qu8 A32, A64       uint8, "q31": 4x8, its dual-issue twin, 8x8                  QNNPACK
    qc8w A32, A64      int8, a scale for each channel, "fp32", without dot product  XNNPACK
    qc8w dot product   the same bytes by SDOT                                       XNNPACK

Cycles are those of `neonsim.graph.cycles`. Beside them stand the times that XNNPACK has published for its MobileNets on
two boards (H07); cycles become milliseconds by the boards' clocks, their four cores sharing the work without loss.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from neonsim.graph.cycles import NetworkCycles
from neonsim.timing.studies import Bars, Study
from neonsim.timing.studies.study import Quoted, Table, short

__all__ = ["BOARDS", "PUBLISHED", "WAYS", "Board", "NetworkRung", "NetworkStudy", "Way"]


@dataclass(frozen=True)
class Way:
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
        """What of a core's features is missing, in words; None: nothing."""
        if self.matrix and "i8mm" not in features:
            return "matrix product"
        return "dot product" if self.dot and "dotprod" not in features else None


WAYS = (Way("qu8 A32", "qu8", "aarch32"), Way("qu8 A64", "qu8", "aarch64"), Way("qc8w A32", "qc8w", "aarch32"),
        Way("qc8w A64", "qc8w", "aarch64"), Way("qc8w dot product", "qc8w", "aarch64", dot=True))
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
class NetworkRung:
    """A network, a way and a core; `kernel` is the one that does most of it."""

    way: str
    kernel: str
    found: NetworkCycles

    @property
    def milliseconds(self) -> float | None:
        """On the board with this core, all its cores sharing the work; None where no board is known."""
        board = BOARDS.get(self.found.core)
        return None if board is None else self.found.milliseconds(board.gigahertz, board.cores)

    @property
    def published(self) -> int | None:
        """Milliseconds that XNNPACK measured on that board, None if it tells none."""
        return PUBLISHED.get((self.found.core, self.way, self.found.network))


@dataclass(frozen=True)
class NetworkStudy(Study):
    """The rungs, by network and core."""

    rungs: tuple[NetworkRung, ...]
    skipped: tuple[str, ...] = ()
    # Source: (H07, D05).
    quoted = (Quoted("published milliseconds", "library's page", "XNNPACK's README"),
              Quoted("1.5, and 4 to 5 times QNNPACK", "article", "XNNPACK's"))

    def _base(self, rung: NetworkRung) -> NetworkRung | None:
        return next((r for r in self.rungs if r.way == BASE and r.found.core == rung.found.core
                     and r.found.network == rung.found.network), None)

    def speed_up(self, rung: NetworkRung) -> float | None:
        """Times as fast as the older library's kernels of AArch64 on the same core."""
        base = self._base(rung)
        return None if base is None else base.found.cycles / rung.found.cycles

    @property
    def title(self) -> str:
        return "Whole networks on cores: instructions counted, cycles modelled; published times of boards beside them"

    @property
    def notes(self) -> str:
        lines = []
        for rung in self.rungs:
            if rung.published is not None and rung.milliseconds is not None:
                ratio = rung.milliseconds / rung.published
                lines.append(f"{rung.found.network}, {rung.way}, {BOARDS[rung.found.core].name}: modelled "
                             f"{rung.milliseconds:.1f} ms, published {rung.published} ms: {ratio:.2f} of it.")
        boards = "; ".join(f"{b.name}: {b.cores} x {b.core} at {b.gigahertz} GHz" for b in BOARDS.values())
        lines.append(f"Milliseconds are cycles / (clock x cores), {boards}: all cores share the work without loss. "
                     "The published times are those of XNNPACK's README, several threads, random weights (quoted, not "
                     "measured here; on the Raspberry Pi 3 B+ of a 32-bit system).")
        lines.append("Left out of the cycles, which makes them too few: caches beyond the first and memory, waiting of "
                     "threads for each other, the library's code around kernels, a board that grows hot. Too many they "
                     "are where the library has better kernels than the catalogue, as of 3x3 windows with 3 channels.")
        if any(r.found.core == "cortex-a72" and r.way == "qc8w A32" and r.published for r in self.rungs):
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

    def table(self) -> Table:
        def cell(value: float | None, form: str) -> str:
            return "-" if value is None else format(value, form)

        head = ["network", "core", "way", "kernel of most cycles", "instructions", "cycles", "MAC/cycle", "x",
                "ms of board", "published", "ratio"]
        rows = []
        for r in self.rungs:
            ms = r.milliseconds
            rows.append([r.found.network, r.found.core, r.way, r.kernel, f"{r.found.instructions:,}",
                         f"{r.found.cycles:,.0f}", f"{r.found.macs_per_cycle:.2f}", cell(self.speed_up(r), ".2f"),
                         cell(ms, ".1f"), cell(r.published, "d"),
                         "-" if ms is None or r.published is None else f"{ms / r.published:.2f}"])
        return head, rows

    def printed(self) -> Sequence[Table]:
        """A table a network, with millions for the large numbers and without what does not change."""
        tables = []
        for network in dict.fromkeys(r.found.network for r in self.rungs):
            mine = [r for r in self.rungs if r.found.network == network]
            _, rows = NetworkStudy(tuple(mine)).table()
            # The ratio to the base stands in this study's rows.
            tables.append(([f"{network}, way", "core", "kernel of most cycles", "M instr", "M cycles", "MAC/cycle", "x",
                            "ms", "published"],
                           [[r.way, short(r.found.core), row[3], f"{r.found.instructions / 1e6:.1f}",
                             f"{r.found.cycles / 1e6:.1f}", *row[6:10]] for r, row in zip(mine, rows, strict=True)]))
        return tables

    def figure(self) -> Bars:
        """Products a cycle; a group a network and core, a bar a way."""
        ways = tuple(dict.fromkeys(r.way for r in self.rungs))
        places = dict.fromkeys((r.found.network, r.found.core) for r in self.rungs)
        groups = tuple((f"{network.replace('mobilenet_', '')} {short(core)}", tuple(next((
            r.found.macs_per_cycle for r in self.rungs
            if (r.found.network, r.found.core, r.way) == (network, core, way)), None) for way in ways))
            for network, core in places)
        return Bars("products a cycle (modelled)", ways, groups)


