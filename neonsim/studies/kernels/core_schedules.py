"""Schedules: kernels in the order that one core likes, beside the plain kernel of the same tile, on every core.

Orders of the same work: where a core issues in order, and by how much, order matters; where it does not, a schedule
must not cost. Loops without a plain version stand beside their bound: what no order of these instructions can beat.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from neonsim.common.study_report import Bars, Report, short

__all__ = ["SLOWER", "SchedulePair", "schedules"]

# By how much a schedule may be slower than the plain kernel before it has to be said.
SLOWER = 1.02


@dataclass(frozen=True)
class SchedulePair:
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


def schedules(pairs: Iterable[SchedulePair], cores: Iterable[str], skipped: Sequence[str] = ()) -> Report:
    """Return the study of these pairs, those with a plain kernel first; `data` has them in that order.

    cores     in the order of the table
    skipped   sentences on cores that cannot run some kernels
    """
    found, names = sorted(pairs, key=lambda pair: (pair.against == "bound", pair.kernel)), tuple(cores)
    rows = [[pair.kernel, pair.against,
             *(f"{pair.ratios[core]:.2f}{'*' if core == pair.home else ''}" if core in pair.ratios else "-"
               for core in names)] for pair in found]
    # For reading, plain kernels and cores have short names.
    reading = [[kernel, plain.partition("__aarch64_")[2] or plain, *rest] for kernel, plain, *rest in rows]
    shown = names[:4]
    groups = tuple((_short(pair.kernel), tuple(pair.ratios.get(core) for core in shown))
                   for pair in found if pair.against != "bound")
    return Report("Schedules: cycles of a main loop (modelled), over those of the plain kernel, or of the bound",
                  _notes(found), (["kernel", "against", *names], rows),
                  Bars("cycles over the plain kernel's", shown, groups, ((1.0, "plain"),)),
                  printed=[(["kernel", "against", *map(short, names)], reading)], skipped=tuple(skipped),
                  data=tuple(found))


def _notes(pairs: Sequence[SchedulePair]) -> str:
    lines = [f"{pair.kernel} takes {pair.ratios[pair.home]:.2f} of the plain kernel's cycles on its core, {pair.home}."
             for pair in pairs if pair.home in pair.ratios]
    slower = [f"  {pair.kernel} on {core}: {100 * (ratio - 1):+.0f} %"
              for pair in pairs for core, ratio in pair.slower.items()]
    if slower:
        lines += ["Slower than the plain kernel by more than 2 %, everything in the first cache:", *slower,
                  "What costs there are instructions that another core needs: moves from general registers, a slot "
                  "each where 128 bits load at once; prefetches, which pay where caches are cold and no prefetcher of "
                  "the core is ahead of them."]
    if any(pair.against == "bound" for pair in pairs):
        lines.append(
            "Depthwise loops come in one order only, made for cores that issue in order: beside their bound. It counts "
            "units and issue slots alone; out-of-order cores lose to dependencies what it does not know.")
    return "\n".join(lines)


def _short(name: str) -> str:
    """A kernel's name in as few letters as fit under a bar."""
    left, _, right = name.partition("__")
    technique = right.removeprefix("aarch64_").replace("neon_", "").replace("_cortex", "")
    return f"{left.rpartition('_')[2]} {technique.replace('mlal_lane', 'lane').replace('_padal', '')}"
