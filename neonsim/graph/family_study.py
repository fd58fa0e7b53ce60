"""Whole networks by family of Arm kernels and by core: modelled cycles as one table, XNNPACK's published times beside.

What `neonsim study networks` tells of each rung at length, on more cores and side by side. Nothing is measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from neonsim.graph.network_study import BOARDS, NetworkRung
from neonsim.timing.studies import Bars, Study
from neonsim.timing.studies.study import Quoted, Table, short

__all__ = ["FamilyStudy"]


@dataclass(frozen=True)
class FamilyStudy(Study):
    """Rungs of networks, by way and core; `cores` in the order of the columns."""

    rungs: tuple[NetworkRung, ...]
    cores: tuple[str, ...]
    skipped: tuple[str, ...] = ()
    # Source: (H07).
    quoted = (Quoted("published milliseconds", "library's page", "XNNPACK's README"),)

    def _find(self, network: str, way: str, core: str) -> NetworkRung | None:
        return next((r for r in self.rungs if (r.found.network, r.way, r.found.core) == (network, way, core)), None)

    def _lines(self) -> list[tuple[str, str]]:
        return list(dict.fromkeys((r.found.network, r.way) for r in self.rungs))

    @property
    def title(self) -> str:
        return "Whole networks by family of Arm kernels: cycles modelled, beside XNNPACK's published milliseconds"

    @property
    def notes(self) -> str:
        boards = [board for core, board in BOARDS.items() if core in self.cores]
        ratios = sorted(r.milliseconds / r.published for r in self.rungs
                        if r.published is not None and r.milliseconds is not None)
        lines = ['Millions of cycles of one core, modelled; "-" where the core has no such instructions. Nothing here '
                 "is measured. Without the dot product, cores that have it run the kernels made for any core."]
        if boards:
            said = "; ".join(f"{b.name}, {b.cores} x {short(b.core)} at {b.gigahertz} GHz" for b in boards)
            # Source: (H07).
            lines.append("ms: modelled, for all cores of a board that share the work without loss, / published by "
                         f"XNNPACK: {said}.")
        if ratios:
            lines.append(f"Modelled over published: {ratios[0]:.2f} to {ratios[-1]:.2f}. What the cycles leave out: "
                         "`neonsim study networks`.")
        return "\n".join(lines)

    def table(self) -> Table:
        boards = [core for core in self.cores if core in BOARDS]
        head = ["network", "family", *self.cores, *(f"{BOARDS[core].name} ms" for core in boards)]
        rows = []
        for network, way in self._lines():
            found = [self._find(network, way, core) for core in self.cores]
            published = [self._find(network, way, core) for core in boards]
            rows.append([network, way, *("-" if r is None else f"{r.found.cycles / 1e6:.1f}" for r in found),
                         *("-" if r is None else f"{r.milliseconds:.1f} / {r.published or '-'}" for r in published)])
        return head, rows

    def printed(self) -> Sequence[Table]:
        """A table a network, cores by their short names."""
        head, rows = self.table()
        short_head = [short(word) if word in self.cores else word for word in head[2:]]
        return [([f"{network}, family", *short_head], [row[1:] for row in rows if row[0] == network])
                for network in dict.fromkeys(row[0] for row in rows)]

    def figure(self) -> Bars:
        """Products a cycle; a group a network and core, a bar a family."""
        ways = tuple(dict.fromkeys(r.way for r in self.rungs))
        groups = []
        for network in dict.fromkeys(r.found.network for r in self.rungs):
            for core in self.cores:
                found = [self._find(network, way, core) for way in ways]
                groups.append((f"{network.replace('mobilenet_', '')} {short(core)}",
                               tuple(None if r is None else r.found.macs_per_cycle for r in found)))
        return Bars("products a cycle (modelled)", ways, tuple(groups))
