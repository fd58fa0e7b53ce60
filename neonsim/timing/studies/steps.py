"""The articles' instruction sets beside each other: what a multiplying step does, how fast those of this machine are.

A step multiplies once and adds once: MACs and instructions of it are counted. Times are measured, by whoever has this
machine at hand (`neonsim.cli.ladder_host`); where an instruction set does not run here, it is said why.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from neonsim.timing.studies.study import Table

__all__ = ["STEPS", "Measured", "Step", "steps_table"]


@dataclass(frozen=True)
class Step:
    """One instruction set.

    name           str        as in the table
    text           str        what multiplies and adds
    macs           int        products of bytes, or of 16-bit numbers made of them, that one step does
    instructions   int        that it takes, with a copy where one of its operands is destroyed
    family         str        of native networks; "" where there is none
    kernels        str        how techniques of the catalogue begin whose main loops are counted; "" for none
    why            str        why there is no family
    """

    name: str
    text: str
    macs: int
    instructions: int
    family: str = ""
    kernels: str = ""
    why: str = ""


# What instructions do: (B01, B02) for x86, (B03) for WebAssembly; Arm's are those of `neonsim isa`.
STEPS = (
    Step("scalar", "multiply, add", 1, 2, "scalar"),
    Step("SSE2", "copy, PMADDWD, PADDD", 8, 3, "sse2"),
    Step("SSE4.1", "copy, PMADDWD, PADDD", 8, 3, "sse41"),
    Step("AVX", "VPMADDWD, VPADDD on 128 bits", 8, 2, why="not built: docs/families.md"),
    Step("XOP", "VPMADCSWD on 128 bits", 8, 1, why="not built: docs/families.md"),
    Step("WASM SIMD", "i32x4.dot_i16x8_s, i32x4.add", 8, 2, "simd128"),
    Step("AVX2", "VPMADDWD, VPADDD on 256 bits", 16, 2, "avx2"),
    Step("AVX-VNNI", "VPDPBUSD on 256 bits", 32, 1, "avxvnni"),
    Step("AVX-512 BW", "VPMADDWD, VPADDD on 512 bits", 32, 2, "avx512bw"),
    Step("AVX-512 VNNI", "VPDPBUSD on 512 bits", 64, 1, "avx512vnni"),
    Step("AMX", "TDPBUSD on tiles", 16384, 1, "amx"),
    Step("NEON", "SMLAL by lane", 4, 1, "neon", "aarch64 neon_mlal_lane"),
    Step("NEON, pairs", "SMULL, SMLAL, SADALP", 16, 3, "", "aarch64 neon_mlal_padal",
         "no family of native networks: kernels of the catalogue"),
    Step("NEON v8", "VMLAL by lane; VCVTN at the end", 4, 1, "", "aarch32 neon_mlal_lane",
         "no family of native networks: the loop is NEON's of 32-bit state, only the end differs"),
    Step("NEON dot", "SDOT by lane", 16, 1, "neondot", "aarch64 neondot"),
    Step("NEON i8mm", "SMMLA", 32, 1, "i8mm", "aarch64 neoni8mm"),
)


@dataclass(frozen=True)
class Measured:
    """One family on this machine, measured: products of a second of its inner loop, milliseconds of networks.

    lacks   str or None   why it did not run; then there are no numbers
    """

    lacks: str | None = None
    peak: float = 0.0
    milliseconds: Mapping[str, float] = field(default_factory=dict)


def steps_table(measured: Mapping[str, Measured], networks: Sequence[str], counted: Mapping[str, float]) -> Table:
    """All steps; `counted`: MACs per vector instruction of the best main loop, by name of the step."""
    scalar = measured.get("scalar", Measured()).milliseconds
    head = ["instruction set", "one step", "MAC", "instr", "MAC/NEON", "GMAC/s", *(f"{n} ms" for n in networks),
            "x scalar", "not here"]
    rows = []
    for step in STEPS:
        found = measured.get(step.family, Measured(step.why or "no such machine here"))
        ms = [found.milliseconds.get(network) for network in networks]
        gain = [scalar[n] / found.milliseconds[n] for n in networks if n in scalar and n in found.milliseconds]
        rate = counted.get(step.name)
        rows.append([step.name, step.text, str(step.macs), str(step.instructions),
                     "-" if rate is None else f"{rate:.2f}", "-" if found.lacks else f"{found.peak / 1e9:.1f}",
                     *("-" if value is None else f"{value:.2f}" for value in ms),
                     f"{gain[-1]:.1f}" if gain else "-", found.lacks or ""])
    return head, rows
