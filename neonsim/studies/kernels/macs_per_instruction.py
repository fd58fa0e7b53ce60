"""The ladder: products per vector instruction of every matrix product kernel, counted, and what cores make of it.

The articles said that int8 kernels gained 50 % over the older library's on one phone and four to five times on another,
whose core has the dot product (D05). A count of instructions alone gives 1.48 and 3.9 to 4.2: the study puts it beside
the cost models, and says what each of the two leaves out.

Beside it stand the articles' instruction sets: what a multiplying step does, how fast those of this machine are. A step
multiplies once and adds once: MACs and instructions of it are counted. Times are measured, on a machine that has them
at hand (`neonsim.studies.runners.kernels`); where an instruction set does not run here, it is said why.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from neonsim.arm.timing.counts import Counts
from neonsim.common.study_report import Bars, Quoted, Report, Table, by_column, cell, short
from neonsim.errors import BadArgument

__all__ = ["PUBLISHED", "STEPS", "InstructionSetStep", "IsaComparison", "IsaPoint", "MeasuredFamily", "compare_isas",
           "steps_table"]

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
class IsaPoint:
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


# ---- the articles' instruction sets ----------------------------------------------------------------------------------

@dataclass(frozen=True)
class InstructionSetStep:
    """One instruction set.

    name           str        as in the table
    text           str        what multiplies and adds
    macs           int        products of bytes, or of 16-bit numbers made of them, that one step does
    instructions   int        that it takes, with a copy where one of its operands is destroyed
    family         str        of native networks; "" where there is none
    kernels        str        how techniques of the catalogue begin whose main loops are counted; "" for none
    reason         str        why there is no family
    """

    name: str
    text: str
    macs: int
    instructions: int
    family: str = ""
    kernels: str = ""
    reason: str = ""


# What instructions do: (B01, B02) for x86, (B03) for WebAssembly; Arm's are those of `neonsim isa`.
STEPS = (
    InstructionSetStep("scalar", "multiply, add", 1, 2, "scalar"),
    InstructionSetStep("SSE2", "copy, PMADDWD, PADDD", 8, 3, "sse2"),
    InstructionSetStep("SSE4.1", "copy, PMADDWD, PADDD", 8, 3, "sse41"),
    InstructionSetStep("AVX", "VPMADDWD, VPADDD on 128 bits", 8, 2, reason="not built: docs/families.md"),
    InstructionSetStep("XOP", "VPMADCSWD on 128 bits", 8, 1, reason="not built: docs/families.md"),
    InstructionSetStep("WASM SIMD", "i32x4.dot_i16x8_s, i32x4.add", 8, 2, "simd128"),
    InstructionSetStep("AVX2", "VPMADDWD, VPADDD on 256 bits", 16, 2, "avx2"),
    InstructionSetStep("AVX-VNNI", "VPDPBUSD on 256 bits", 32, 1, "avxvnni"),
    InstructionSetStep("AVX-512 BW", "VPMADDWD, VPADDD on 512 bits", 32, 2, "avx512bw"),
    InstructionSetStep("AVX-512 VNNI", "VPDPBUSD on 512 bits", 64, 1, "avx512vnni"),
    InstructionSetStep("AMX", "TDPBUSD on tiles", 16384, 1, "amx"),
    InstructionSetStep("NEON", "SMLAL by lane", 4, 1, "neon", "aarch64 neon_mlal_lane"),
    InstructionSetStep("NEON, pairs", "SMULL, SMLAL, SADALP", 16, 3, "", "aarch64 neon_mlal_padal",
                       "no family of native networks: kernels of the catalogue"),
    InstructionSetStep("NEON v8", "VMLAL by lane; VCVTN at the end", 4, 1, "", "aarch32 neon_mlal_lane",
                       "no family of native networks: the loop is NEON's of 32-bit state, only the end differs"),
    InstructionSetStep("NEON dot", "SDOT by lane", 16, 1, "neondot", "aarch64 neondot"),
    InstructionSetStep("NEON i8mm", "SMMLA", 32, 1, "i8mm", "aarch64 neoni8mm"),
)


@dataclass(frozen=True)
class MeasuredFamily:
    """One family on this machine, measured: products of a second of its inner loop, milliseconds of networks.

    lacks   str or None   why it did not run; then there are no numbers
    """

    lacks: str | None = None
    peak: float = 0.0
    milliseconds: Mapping[str, float] = field(default_factory=dict)


def steps_table(measured: Mapping[str, MeasuredFamily], rungs: Sequence[IsaPoint] = ()) -> Table:
    """Return a step of each, MACs per vector instruction of the best main loop of these rungs, and what was measured
    here."""
    scalar = measured.get("scalar", MeasuredFamily()).milliseconds
    networks = list(dict.fromkeys(name for one in measured.values() for name in one.milliseconds))
    head = ["instruction set", "one step", "MAC", "instr", "MAC/NEON", "GMAC/s", *(f"{n} ms" for n in networks),
            "x scalar", "not here"]
    rows = []
    for step in STEPS:
        found = measured.get(step.family, MeasuredFamily(step.reason or "no such machine here"))
        gain = [scalar[n] / found.milliseconds[n] for n in networks if n in scalar and n in found.milliseconds]
        rate = max((r.rate for r in rungs if r.technique.startswith(step.kernels)), default=0.0) \
            if step.kernels else None
        rows.append([step.name, step.text, str(step.macs), str(step.instructions), cell(rate, ".2f"),
                     "-" if found.lacks else f"{found.peak / 1e9:.1f}",
                     *(cell(found.milliseconds.get(network), ".2f") for network in networks),
                     f"{gain[-1]:.1f}" if gain else "-", found.lacks or ""])
    return head, rows


# ---- the study -------------------------------------------------------------------------------------------------------

@dataclass(frozen=True)
class IsaComparison:
    """Kernels in the order of their products per instruction; the older library's 8x8 kernel is among them."""

    rungs: tuple[IsaPoint, ...]

    @property
    def base(self) -> IsaPoint:
        """The older library's 8x8 kernel."""
        return next(r for r in self.rungs if (r.tile, r.technique) == BASE)

    def speed_up(self, point: IsaPoint, core: str) -> float | None:
        """Return how many times faster than the 8x8 kernel on the same core, modelled; None where it cannot run."""
        mine, theirs = point.cycles_per_mac(core), self.base.cycles_per_mac(core)
        return None if mine is None or theirs is None else theirs / mine


def compare_isas(points: Iterable[IsaPoint], cores: Sequence[str], skipped: Sequence[str] = (),
           measured: Mapping[str, MeasuredFamily] | None = None) -> Report:
    """Return the study from the main loops of kernels; `data` is a `IsaComparison`.

    cores      in the order of the table
    skipped    sentences on cores that cannot run some of the loops
    measured   by family of native networks, what this machine does

    Raises BadArgument without the older library's 8x8 kernel.
    """
    found = IsaComparison(tuple(sorted(points, key=lambda r: (r.rate, r.kernel))))
    if not any((r.tile, r.technique) == BASE for r in found.rungs):
        raise BadArgument("the study needs the 8x8 kernel of AArch64 (qu8_gemm_q31_8x8__aarch64_neon_mlal_lane); "
                          "it is not among the loops.")
    base = found.base.rate
    head = ["kernel", "MAC", "NEON", "MAC/NEON", "library's loop", "x 8x8", "multiply",
            *(f"{core} cycles/MAC" for core in cores), *(f"{core} x 8x8" for core in cores)]
    rows, modeled = [], []
    for r in found.rungs:
        each, gains = [r.cycles_per_mac(core) for core in cores], [found.speed_up(r, core) for core in cores]
        rows.append([r.kernel, str(r.counts.macs), str(r.counts.neon), f"{r.rate:.2f}", cell(r.published, ".2f"),
                     f"{r.rate / base:.2f}", f"{100 * r.counts.share_neon:.0f} %",
                     *(cell(value, ".3f") for value in each), *(cell(value, ".2f") for value in gains)])
        modeled.append([_label(r), *("-" if a is None or b is None else f"{a:.3f}".removeprefix("0") + f" {b:.2f}"
                                      for a, b in zip(each, gains, strict=True))])
    sets = steps_table(measured or {}, found.rungs)
    # The AArch64 kernels whose loops are published, and the matrix multiply; four cores at most.
    shown = tuple(cores[:4])
    groups = tuple((f"{r.tile} {_short(r.technique)}", (r.rate / base, *(found.speed_up(r, core) for core in shown)))
                   for r in found.rungs
                   if r.technique.startswith("aarch64") and (r.published or "i8mm" in r.technique))
    return Report(
        "The ladder: MACs per vector instruction (counted), cycles per MAC (modelled), against the 8x8 kernel",
        "\n".join([*_notes(found, cores), *_notes_of_sets(sets, bool(measured))]), (head, rows),
        Bars("times the 8x8 kernel", ("instructions alone", *shown), groups, ARTICLE),
        printed=((head[:7], [row[:7] for row in rows]),
                 (["modelled: cycles a MAC, times 8x8", *map(short, cores)], modeled),
                 (sets[0][:-1], [row[:-1] for row in sets[1]])),
        details={"instruction_sets": by_column(sets)},
        # Source: (I01, I02, I03, I04, I05, I06, I07, I08, I09, D05).
        quoted=(Quoted("the library's loop", "library's code", "counted in QNNPACK's, gemmlowp's and XNNPACK's"),
                Quoted("+50 %, 4 to 5 times", "article", "XNNPACK's")),
        skipped=tuple(skipped), data=found)


def _notes(found: IsaComparison, cores: Sequence[str]) -> list[str]:
    by = {(r.tile, r.technique): r.rate / found.base.rate for r in found.rungs}
    pairwise = by.get(("2x8c8", "aarch64 neon_mlal_padal"))
    dots = [v for (_, technique), v in by.items() if technique.startswith("aarch64 neondot")]
    lines: list[str] = []
    if pairwise:
        lines.append(f"Instructions alone say {pairwise:.2f}x for two products in 16 bits (the articles: +50 % on a "
                     "Pixel 3a).")
    if dots:
        lines.append(f"For the dot product they say {min(dots):.1f}x to {max(dots):.1f}x (the articles: 4x to 5x on a "
                     "Pixel 4a).")
    missing = [r.kernel for r in found.rungs if not r.cycles]
    if missing and cores:
        lines.append(f"None of these cores can run {', '.join(missing)}: counted, not modelled.")
    for core in cores:
        gains = [(found.speed_up(r, core), r.kernel) for r in found.rungs if "aarch64" in r.technique]
        best = max(((gain, name) for gain, name in gains if gain is not None), default=None)
        if best is not None:
            lines.append(f"  modelled on {core}: at best {best[0]:.2f}x, {best[1]}")
    return [
        *lines,
        "What the count of instructions ignores: how many of them start in a cycle, and that a 64-bit one can cost "
        "half of a 128-bit one (Cortex-A53, A55); that an accumulator must be ready before it is added to again; that "
        "multiplies share one pipe on many cores while additions have two; loads that ride along or block.",
        "What the modelled loop ignores: requantisation and the tail of every tile, packing, caches and memory, "
        "depthwise and other layers of a network, clocks; the articles measured whole networks on phones, and these "
        "figures are quoted, not measured here."]


def _notes_of_sets(sets: Table, measured: bool) -> list[str]:
    here = ("GMAC/s is the inner loop alone, ms a whole network of int8 with a scale for each channel, one thread, x "
            "scalar the last network's: measured on this machine, all with the same bytes."
            if measured else "Nothing was measured on this machine.")
    missing: dict[str, list[str]] = {}
    for name, *_, why in sets[1]:
        if why:
            missing.setdefault(why, []).append(name)
    return ["Instruction sets: MAC and instructions of one multiplying step, and MAC/NEON of the best main loop of the "
            f"catalogue, are counted. {here}",
            *(f"  {', '.join(names)}: {why}" for why, names in missing.items() if measured)]


def _label(rung: IsaPoint) -> str:
    """A kernel's name over narrow columns."""
    contract, _, _ = rung.kernel.partition(f"_{rung.tile}__")
    isa, _, technique = rung.technique.partition(" ")
    return f"{contract.replace('_gemm', '')} {rung.tile} {isa.replace('aarch', 'A')} {technique.removeprefix('neon_')}"


def _short(technique: str) -> str:
    """A technique in as few letters as fit under a bar: what multiplies."""
    word = technique.removeprefix("aarch64 ").removeprefix("neon").strip("_")
    return word.removesuffix("_padal").replace("mlal_lane", "lane").replace("_cortex", "").replace("dot_ld", "dot ")
