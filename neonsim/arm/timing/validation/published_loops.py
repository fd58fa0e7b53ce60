"""Published speeds of whole loops, and what the models say of the same loops.

    gemmlowp 12x4, 12x8   Cortex-A53 and A57: loads at the top of the loop ("before"), between the products ("after")
    IPC                   Cortex-A55: short sequences of integer instructions, measured on a board
    products              Cortex-A55, A72, A76, Neoverse N1, V1, Apple M1: a whole call too. Held out, but for the
                          product of two vectors on the V1, from which it has the depth of its NEON queues
    NTT                   Cortex-A55, A72, A76, Neoverse N1: a complete call of third-party integer NEON code. Held
                          out: nothing in the models was chosen with these figures in sight, but the A72's for the
                          depth of its NEON queues (and the A57's, the same)

`neonsim cores validate --loops` prints the table, with llvm-mca's figures where it is installed and has
a model of its own.

Source: gemmlowp 057a2c4 and its parent, standalone/neon-gemm-kernel-benchmark.cc (Nexus 5X; clocks 1.44 and
1.82 GHz, known to 3 %); LLVM D98174, llvm/test/tools/llvm-mca/AArch64/Cortex/IPC; mldsa-native pull requests
715 (2025-11), 761 and 776 (2025-12), "before": Snapdragon, Raspberry Pi 4 and 5, Graviton2 and 3, M1; mlkem-native
issue 73 (2024-06, Graviton2, ntt_kyber_123_4567). The figures of calls include the call, its saved registers and the
counting of cycles, which the loops here do not; calls in a row overlap on the boards (on the M1 its end is hidden).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from neonsim.arm.asm import Program, assemble
from neonsim.arm.timing.report.llvm_mca import mca, mca_program
from neonsim.arm.timing.stream import InstructionStream
from neonsim.arm.timing.timing import Timing, time
from neonsim.arm.timing.validation.loop_sources import (
    ntt_dilithium,
    ntt_kyber,
    pointwise_dilithium,
    tile_12x4,
    tile_12x8,
)

__all__ = ["ANCHORS", "AnchorRow", "Anchors", "PublishedLoop", "anchors"]

ITERATION, RATE, CALL = "cycles an iteration", "instructions a cycle", "cycles a call"


@dataclass(frozen=True, slots=True)
class PublishedLoop:
    """A loop, or a call of several, with its published speed.

    unit       "cycles an iteration", "instructions a cycle" or "cycles a call"
    loops      (text, iterations), run one after the other
    unrolled   measured as a straight sequence: the closing branch is not part of it
    """

    name: str
    core: str
    isa: str
    loops: tuple[tuple[str, int], ...]
    measured: float
    unit: str = ITERATION
    unrolled: bool = False

    def program(self) -> Program:
        """Return the first loop."""
        return assemble(self.loops[0][0], self.isa)

    def times(self) -> list[Timing]:
        """Return the model's answer for each loop."""
        found = [time(assemble(text, self.isa), core=self.core, iterations=n) for text, n in self.loops]
        if self.unrolled:
            found = [time(InstructionStream.of_ops(t.stream.ops[:-1], iterations=t.stream.iterations), core=self.core)
                     for t in found]
        return found

    def value(self, per_iteration: list[float], timings: list[Timing]) -> float:
        """Cycles an iteration of each loop -> the figure in the anchor's unit."""
        if self.unit == CALL:
            return sum(cycles * n for cycles, (_, n) in zip(per_iteration, self.loops, strict=True))
        return timings[0].stream.body / per_iteration[0] if self.unit == RATE else per_iteration[0]


@dataclass(frozen=True, slots=True)
class AnchorRow:
    """One anchor beside the models; `llvm` None where llvm-mca is missing or has no model of its own."""

    anchor: PublishedLoop
    modeled: float
    llvm: float | None

    def error(self, value: float) -> float:
        """Return how far a figure is from the measured one, in units of time: modelled / measured - 1."""
        return self.anchor.measured / value - 1 if self.anchor.unit == RATE else value / self.anchor.measured - 1


@dataclass(frozen=True)
class Anchors:
    """All anchors beside the models."""

    rows: tuple[AnchorRow, ...]

    def mean_errors(self) -> tuple[float, float] | None:
        """(ours, llvm-mca's) mean error over the anchors that both have; None without llvm-mca."""
        both = [row for row in self.rows if row.llvm is not None]
        if not both:
            return None
        ours = sum(abs(row.error(row.modeled)) for row in both) / len(both)
        theirs = sum(abs(row.error(row.llvm)) for row in both if row.llvm is not None) / len(both)
        return ours, theirs

    def __str__(self) -> str:
        found = mca_program()
        head = f"llvm-mca {found[1]}" if found else "llvm-mca"
        lines = ["published speeds of loops and calls, and what the models say ('off' in units of time)"]
        if not self.rows:
            return lines[0] + "\nnone: no published speed of a loop or a call on this core was found."
        for unit in dict.fromkeys(row.anchor.unit for row in self.rows):
            lines.append(f"{unit:<52}{'measured':>9}{'modelled':>10}{'off':>8}{head:>13}{'off':>8}")
            for row in self.rows:
                if row.anchor.unit == unit:
                    line = (f"  {row.anchor.core:<18} {row.anchor.name[:30]:<31}{row.anchor.measured:9.2f}"
                            f"{row.modeled:10.2f}{100 * row.error(row.modeled):+7.1f} %")
                    if row.llvm is not None:
                        line += f"{row.llvm:12.2f}{100 * row.error(row.llvm):+8.1f} %"
                    lines.append(line)
        mean = self.mean_errors()
        if mean:
            lines.append(f"mean error where both have a model: ours {100 * mean[0]:.1f} %, "
                         f"llvm-mca {100 * mean[1]:.1f} %")
        elif found is None:
            lines.append("llvm-mca is not installed: on Debian, apt-get install llvm-22 or the newest llvm.")
        return "\n".join(lines)


def anchors(core: str | None = None) -> Anchors:
    """Return the anchors of all cores, or of one, beside the models and llvm-mca."""
    found = []
    for anchor in ANCHORS:
        if core not in (None, anchor.core):
            continue
        timings = anchor.times()
        others = [mca(timing.stream, anchor.core) for timing in timings]
        whole = anchor.unit == CALL
        ours = [t.cycles / t.stream.iterations if whole else t.cycles_per_iteration for t in timings]
        theirs = [other.cycles_per_iteration for other in others if other is not None]
        found.append(AnchorRow(anchor, anchor.value(ours, timings),
                               anchor.value(theirs, timings) if len(theirs) == len(others) else None))
    return Anchors(tuple(found))


# ---- the anchors

def _gemmlowp() -> list[PublishedLoop]:
    measured = {"cortex-a53": (32.3, 35.2, 58.5, 62.5), "cortex-a57": (26.1, 29.5, 52.5, 55.6)}
    tiles: tuple[tuple[str, str, Callable[[bool], str]], ...] = (("12x4", "aarch32", tile_12x4),
                                                                 ("12x8", "aarch64", tile_12x8))
    return [PublishedLoop(f"{tile} {order}", core, isa, ((text(order == "after"), 200),),
                          speeds[2 * k + (order == "before")])
            for core, speeds in measured.items() for k, (tile, isa, text) in enumerate(tiles)
            for order in ("after", "before")]


def _ipc() -> list[PublishedLoop]:
    rows = (
        ("add w8, w8, #1; add w10, w10, #1; add w11, w10, #1; add w12, w8, #1; cmp w8, w9; b.lt top", 2.00),
        ("add w8, w8, #1; add w10, w8, #1; add w12, w8, #1", 2.00),
        ("add w8, w8, #1; add w12, w8, #1; mul w10, w10, w10", 1.00),
        ("add w8, w8, #1; add w12, w8, #1; mul w10, w10, w10; cmp w8, w9; b.lt top", 1.66),
        ("add w8, w8, #1; cmp w8, #42; add w12, w8, #1; mul w10, w12, w10; cmp w8, w9; b.lt top", 2.00),
        ("add w8, w8, #1; cmp w8, #42; add w12, w8, #1; mul w10, w12, w10", 1.33),
        ("add w8, w8, #1; and w12, w8, #0x3f; ldr w14, [x10, w12, uxtw #2]", 1.50),
        ("add w8, w8, #1; and w12, w8, #0x3f; ldr w14, [x10, w12, uxtw #2]; ldr w15, [x10, w12, uxtw #2]", 1.33),
    )
    found = []
    for lines, ipc in rows:
        loop = lines.endswith("top")
        text = "\n".join(["top:", *(line.strip() for line in lines.split(";")), *([] if loop else ["b top"])])
        found.append(PublishedLoop(lines, "cortex-a55", "aarch64", ((text, 200),), ipc, RATE, unrolled=not loop))
    return found


def _ntt() -> list[PublishedLoop]:
    dilithium, kyber = tuple(ntt_dilithium()), tuple(ntt_kyber())
    rows = (("cortex-a55", 3625), ("cortex-a72", 2102), ("cortex-a76", 1755), ("neoverse-n1", 1755))
    return [*(PublishedLoop("NTT, 32-bit coefficients", core, "aarch64", dilithium, cycles, CALL) for core, cycles
              in rows),
            PublishedLoop("NTT, 16-bit coefficients", "neoverse-n1", "aarch64", kyber, 1091, CALL)]


def _products() -> list[PublishedLoop]:
    measured = {"cortex-a55": (1292, 2411), "cortex-a72": (599, 1094), "cortex-a76": (407, 792),
                "neoverse-n1": (407, 792), "neoverse-v1": (252, 467), "apple-m1-firestorm": (114, 213)}
    return [PublishedLoop(f"products, 32 bits, {text}", core, "aarch64", tuple(pointwise_dilithium(vectors)), cycles,
                          CALL)
            for core, both in measured.items()
            for (text, vectors), cycles in zip((("one", 1), ("sum of four", 4)), both, strict=True)]


ANCHORS = (*_gemmlowp(), *_ipc(), *_ntt(), *_products())
