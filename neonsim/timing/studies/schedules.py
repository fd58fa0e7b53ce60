"""Schedules: kernels in the order that one core likes, beside the plain kernel of the same tile, on every core.

Orders of the same work: where a core issues in order, and by how much, order matters; where it does not, a schedule
must not cost. Loops without a plain version stand beside their bound: what no order of these instructions can beat.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from neonsim.timing.studies.study import Bars, Study, Table, short

__all__ = ["SLOWER", "Pair", "Schedules", "schedules"]

# By how much a schedule may be slower than the plain kernel before it has to be said.
SLOWER = 1.02


@dataclass(frozen=True)
class Pair:
    """One scheduled loop and what it is held against.

    kernel    str    the scheduled kernel
    against   str    the plain kernel, or "bound"
    home      str    the core it is made for; empty if it is made for a kind of core
    ratios    dict   core -> modelled cycles a product over those of the plain kernel (or over the bound); cores that
                     cannot run it are missing
    """

    kernel: str
    against: str
    home: str
    ratios: Mapping[str, float]

    @property
    def slower(self) -> dict[str, float]:
        """Cores on which the plain kernel is faster by more than 2 %."""
        return {} if self.against == "bound" else {c: r for c, r in self.ratios.items() if r > SLOWER}


@dataclass(frozen=True)
class Schedules(Study):
    """Pairs of loops; `cores` in the order of the table."""

    pairs: tuple[Pair, ...]
    cores: tuple[str, ...]
    skipped: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        return "Schedules: cycles of a main loop (modelled), over those of the plain kernel, or of the bound"

    @property
    def notes(self) -> str:
        lines = []
        for pair in self.pairs:
            if pair.home in pair.ratios:
                lines.append(f"{pair.kernel} takes {pair.ratios[pair.home]:.2f} of the plain kernel's cycles on its "
                             f"core, {pair.home}.")
        said = [f"  {pair.kernel} on {core}: {100 * (ratio - 1):+.0f} %"
                for pair in self.pairs for core, ratio in pair.slower.items()]
        if said:
            lines += ["Slower than the plain kernel by more than 2 %, everything in the first cache:", *said]
            lines.append(
                "What costs there are instructions that another core needs: moves from general registers, a slot each "
                "where 128 bits load at once; prefetches, which pay where caches are cold and no prefetcher of the "
                "core is ahead of them.")
        if any(pair.against == "bound" for pair in self.pairs):
            lines.append(
                "Depthwise loops come in one order only, made for cores that issue in order: beside their bound. It "
                "counts units and issue slots alone; out-of-order cores lose to dependencies what it does not know.")
        return "\n".join(lines)

    def table(self) -> Table:
        head = ["kernel", "against", *self.cores]
        return head, [[pair.kernel, pair.against,
                       *(f"{pair.ratios[core]:.2f}{'*' if core == pair.home else ''}" if core in pair.ratios else "-"
                         for core in self.cores)] for pair in self.pairs]

    def printed(self) -> Sequence[Table]:
        """With short names of plain kernels and of cores."""
        head, rows = self.table()
        return (([*head[:2], *map(short, self.cores)],
                 [[kernel, plain.partition("__aarch64_")[2] or plain, *rest] for kernel, plain, *rest in rows]),)

    def figure(self) -> Bars:
        """The scheduled kernels against the plain ones; four cores at most."""
        shown = self.cores[:4]
        groups = tuple((_short(pair.kernel), tuple(pair.ratios.get(core) for core in shown))
                       for pair in self.pairs if pair.against != "bound")
        return Bars("cycles over the plain kernel's", shown, groups, ((1.0, "plain"),))


def _short(name: str) -> str:
    """A kernel's name in as few letters as fit under a bar."""
    left, _, right = name.partition("__")
    technique = right.removeprefix("aarch64_").replace("neon_", "").replace("_cortex", "")
    return f"{left.rpartition('_')[2]} {technique.replace('mlal_lane', 'lane').replace('_padal', '')}"


def schedules(pairs: Iterable[Pair], cores: Iterable[str], skipped: Sequence[str] = ()) -> Schedules:
    """The study; pairs with a plain kernel come first. `skipped`: sentences on cores that cannot run some kernels."""
    found = sorted(pairs, key=lambda pair: (pair.against == "bound", pair.kernel))
    return Schedules(tuple(found), tuple(cores), tuple(skipped))
