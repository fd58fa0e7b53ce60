"""The ladder: products per vector instruction of every matrix product kernel, counted, and what cores make of it.

The articles said that int8 kernels gained 50 % over the older library's on one phone and four to five times on another,
whose core has the dot product (D05). A count of instructions alone gives 1.48 and 3.9 to 4.2: the study puts it beside
the cost models, and says what each of the two leaves out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from neonsim.errors import BadArgument
from neonsim.timing.counts import Counts
from neonsim.timing.studies.steps import STEPS, Measured, steps_table
from neonsim.timing.studies.study import Bars, Quoted, Study, Table, short

__all__ = ["PUBLISHED", "Ladder", "Rung", "ladder"]

# MACs per vector instruction of the libraries' own inner loops, by operands, tile and technique of our names.
# Source: (I01, I02, I03, I04, I05, I06, I07, I08, I09).
PUBLISHED: dict[tuple[str, str, str], float] = {
    ("qu8", "4x8", "aarch32 neon_mlal_lane"): 2.91, ("qu8", "8x8", "aarch64 neon_mlal_lane"): 3.20,
    ("qu8", "4x8c2", "aarch32 neon_mull_padal"): 3.05, ("u8", "12x4", "aarch32 neon_cells"): 3.00,
    ("qs8", "2x8c8", "aarch64 neon_mull_padal"): 3.37,
    ("qs8", "2x8c8", "aarch64 neon_mlal_padal"): 4.74,
    ("qs8", "2x8c16", "aarch64 neon_mlal_padal"): 4.74,
    ("qs8", "4x16", "aarch64 neon_mlal_lane_cortex_a53"): 3.0,     # 3.0 to 3.2, counted roughly
    ("qs8", "4x16c4", "aarch64 neondot_ld32"): 10.7,
    ("qs8", "4x16c4", "aarch64 neondot_ld64"): 12.5,
    ("qs8", "4x16c4", "aarch64 neondot_ld128"): 13.3,
}
BASE = ("8x8", "aarch64 neon_mlal_lane")        # the older library's kernel that the articles compare with
ARTICLE = ((1.5, "+50 %"), (4.0, "4x"), (5.0, "5x"))


@dataclass(frozen=True)
class Rung:
    """One kernel's main loop.

    kernel      str      name
    tile        str      as 4x16c4
    technique   str      instruction set and technique
    counts      Counts   of one iteration
    cycles      dict     core -> modelled cycles of one iteration; cores that cannot run it are missing
    """

    kernel: str
    tile: str
    technique: str
    counts: Counts
    cycles: Mapping[str, float]

    @property
    def rate(self) -> float:
        """MACs per vector instruction, loads included: counted."""
        return self.counts.macs_per_neon

    def cycles_per_mac(self, core: str) -> float | None:
        """Modelled; None on a core that cannot run it."""
        return self.cycles[core] / self.counts.macs if core in self.cycles else None

    @property
    def published(self) -> float | None:
        """MACs per vector instruction of the library's own loop, where one is known."""
        contract, _, end = self.kernel.partition(f"_{self.tile}__")
        older = "rndnu" not in contract or contract.startswith("qs8")
        return PUBLISHED.get((contract.partition("_")[0], self.tile, self.technique)) if older and end else None


@dataclass(frozen=True)
class Ladder(Study):
    """Kernels in the order of their products per instruction; `cores` in the order of the table.

    measured   dict   family of native networks -> what this machine does with it; empty: nothing was measured
    """

    rungs: tuple[Rung, ...]
    cores: tuple[str, ...]
    skipped: tuple[str, ...] = ()
    measured: Mapping[str, Measured] = field(default_factory=dict)
    # Source: (I01, I02, I03, I04, I05, I06, I07, I08, I09, D05).
    quoted = (Quoted("the library's loop", "library's code", "counted in QNNPACK's, gemmlowp's and XNNPACK's"),
              Quoted("+50 %, 4 to 5 times", "article", "XNNPACK's"))

    @property
    def base(self) -> Rung:
        """The older library's 8x8 kernel."""
        return next(r for r in self.rungs if (r.tile, r.technique) == BASE)

    def speed_up(self, rung: Rung, core: str) -> float | None:
        """How many times faster than the 8x8 kernel on the same core, modelled; None where it cannot run."""
        mine, theirs = rung.cycles_per_mac(core), self.base.cycles_per_mac(core)
        return None if mine is None or theirs is None else theirs / mine

    @property
    def title(self) -> str:
        return "The ladder: MACs per vector instruction (counted), cycles per MAC (modelled), against the 8x8 kernel"

    @property
    def notes(self) -> str:
        by = {(r.tile, r.technique): r.rate / self.base.rate for r in self.rungs}
        pairwise = by.get(("2x8c8", "aarch64 neon_mlal_padal"))
        dots = [v for (_, technique), v in by.items() if technique.startswith("aarch64 neondot")]
        lines: list[str] = []
        if pairwise:
            lines.append(f"Instructions alone say {pairwise:.2f}x for two products in 16 bits (the articles: +50 % on "
                         "a Pixel 3a).")
        if dots:
            lines.append(f"For the dot product they say {min(dots):.1f}x to {max(dots):.1f}x (the articles: 4x to 5x "
                         "on a Pixel 4a).")
        missing = [r.kernel for r in self.rungs if not r.cycles]
        if missing and self.cores:
            lines.append(f"None of these cores can run {', '.join(missing)}: counted, not modelled.")
        for core in self.cores:
            gains = [(self.speed_up(r, core), r.kernel) for r in self.rungs if "aarch64" in r.technique]
            best = max(((gain, name) for gain, name in gains if gain is not None), default=None)
            if best is not None:
                lines.append(f"  modelled on {core}: at best {best[0]:.2f}x, {best[1]}")
        lines.append(
            "What the count of instructions ignores: how many of them start in a cycle, and that a 64-bit one can cost "
            "half of a 128-bit one (Cortex-A53, A55); that an accumulator must be ready before it is added to again; "
            "that multiplies share one pipe on many cores while additions have two; loads that ride along or block.")
        lines.append(
            "What the modelled loop ignores: requantisation and the tail of every tile, packing, caches and memory, "
            "depthwise and other layers of a network, clocks; the articles measured whole networks on phones, and "
            "these figures are quoted, not measured here.")
        lines += self._notes_of_sets()
        return "\n".join(lines)

    def table(self) -> Table:
        def cell(value: float | None, form: str) -> str:
            return "-" if value is None else format(value, form)

        head = ["kernel", "MAC", "NEON", "MAC/NEON", "library's loop", "x 8x8", "multiply",
                *(f"{core} cycles/MAC" for core in self.cores), *(f"{core} x 8x8" for core in self.cores)]
        rows = []
        for r in self.rungs:
            known = r.published
            rows.append([r.kernel, str(r.counts.macs), str(r.counts.neon), f"{r.rate:.2f}",
                         f"{known:.2f}" if known else "-", f"{r.rate / self.base.rate:.2f}",
                         f"{100 * r.counts.share_neon:.0f} %",
                         *(cell(r.cycles_per_mac(core), ".3f") for core in self.cores),
                         *(cell(self.speed_up(r, core), ".2f") for core in self.cores)])
        return head, rows

    def _notes_of_sets(self) -> list[str]:
        here = ("GMAC/s is the inner loop alone, ms a whole network of int8 with a scale for each channel, one thread, "
                "x scalar the last network's: measured on this machine, all with the same bytes."
                if self.measured else "Nothing was measured on this machine.")
        missing: dict[str, list[str]] = {}
        for name, *_, why in self.sets()[1]:
            if why:
                missing.setdefault(why, []).append(name)
        return ["Instruction sets: MAC and instructions of one multiplying step, and MAC/NEON of the best main loop of "
                f"the catalogue, are counted. {here}",
                *(f"  {', '.join(names)}: {why}" for why, names in missing.items() if self.measured)]

    def sets(self) -> Table:
        """The articles' instruction sets: a step of each, the best counted loop, and what was measured here."""
        counted = {step.name: max((r.rate for r in self.rungs if r.technique.startswith(step.kernels)), default=0.0)
                   for step in STEPS if step.kernels}
        networks = dict.fromkeys(name for one in self.measured.values() for name in one.milliseconds)
        return steps_table(self.measured, list(networks), counted)

    def to_dict(self) -> dict[str, Any]:
        """With the instruction sets and what was measured beside the kernels."""
        head, rows = self.sets()
        return {**super().to_dict(), "instruction_sets": [dict(zip(head, row, strict=True)) for row in rows]}

    def printed(self) -> Sequence[Table]:
        """What is counted; then, by core, modelled cycles a MAC and how many times as fast as the 8x8 kernel; then
        instruction sets, as far as this machine has them measured.
        """
        head, rows = self.table()
        sets, set_rows = self.sets()
        modelled = []
        for r in self.rungs:
            pairs = [(r.cycles_per_mac(core), self.speed_up(r, core)) for core in self.cores]
            cells = ["-" if a is None or b is None else f"{a:.3f}".removeprefix("0") + f" {b:.2f}" for a, b in pairs]
            modelled.append([_label(r), *cells])
        return ((head[:7], [row[:7] for row in rows]),
                (["modelled: cycles a MAC, times 8x8", *map(short, self.cores)], modelled),
                (sets[:-1], [row[:-1] for row in set_rows]))

    def figure(self) -> Bars:
        """The AArch64 kernels whose loops are published, and the matrix multiply; four cores at most."""
        shown = self.cores[:4]
        seen = [r for r in self.rungs if r.technique.startswith("aarch64") and (r.published or "i8mm" in r.technique)]
        groups = tuple((f"{r.tile} {_short(r.technique)}",
                        (r.rate / self.base.rate, *(self.speed_up(r, core) for core in shown))) for r in seen)
        return Bars("times the 8x8 kernel", ("instructions alone", *shown), groups, ARTICLE)


def _label(rung: Rung) -> str:
    """A kernel's name over narrow columns."""
    contract, _, _ = rung.kernel.partition(f"_{rung.tile}__")
    isa, _, technique = rung.technique.partition(" ")
    return f"{contract.replace('_gemm', '')} {rung.tile} {isa.replace('aarch', 'A')} {technique.removeprefix('neon_')}"


def _short(technique: str) -> str:
    """A technique in as few letters as fit under a bar: what multiplies."""
    word = technique.removeprefix("aarch64 ").removeprefix("neon").strip("_")
    return word.removesuffix("_padal").replace("mlal_lane", "lane").replace("_cortex", "").replace("dot_ld", "dot ")


def ladder(rungs: Iterable[Rung], cores: Iterable[str], skipped: Sequence[str] = (),
           measured: Mapping[str, Measured] | None = None) -> Ladder:
    """The study from the main loops of kernels; the older library's 8x8 kernel must be among them.

    skipped    sentences on cores that cannot run some of them
    measured   by family of native networks, what this machine does
    """
    found = tuple(sorted(rungs, key=lambda r: (r.rate, r.kernel)))
    if not any((r.tile, r.technique) == BASE for r in found):
        raise BadArgument("the ladder stands on the 8x8 kernel of AArch64 (qu8_gemm_q31_8x8__aarch64_neon_mlal_lane); "
                          "it is not among the loops.")
    return Ladder(found, tuple(cores), tuple(skipped), measured or {})
