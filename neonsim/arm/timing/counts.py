"""Counted instructions: how many of which class, how many products each makes, what share multiplies.

No core model takes part. The share of multiply-accumulate instructions depends on what it is a share of. Two are
*counted*, a third is *computed* from the tile alone and needs an assumption:

    neon      multiplies / NEON instructions of the code as it is (loops load and widen eight lanes an instruction)
    all       multiplies / all instructions
    article   (mr*nr/4) / (mr*nr/4 + 2 * (mr+nr)/4): every four lanes of either operand cost a load and a widening. The
              article (A21, A22) quotes 57 % and 60 % for 4x8 and 4x12 and says nothing of how; this reproduces both.
              Only for loops in which every multiply is a multiply-accumulate of four lanes: the formula assumes it

A product is counted at the multiply: SMLAL .4s makes 4, VMULL.U8 makes 8, the VPADAL that adds them none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from neonsim.arm.timing.cores.instruction_classes import KINDS, MULTIPLIES
from neonsim.arm.timing.stream import InstructionStream, stream_of
from neonsim.errors import BadArgument

__all__ = ["GOAL", "Budget", "Counts", "article_share", "count"]

GOAL = "goal reached"


def article_share(mr: int, nr: int) -> float:
    """Multiply-add share of an mr x nr tile, computed: the article's figures, under an assumption it does not state.

    share = MN/4 / (MN/4 + (M+N)/2), if every four lanes of an operand cost one load and one widening

    Raises BadArgument if mr or nr is not positive.
    Source: reproduces 57.1 % (4x8, QNNPACK) and 60.0 % (4x12, gemmlowp).

    >>> round(100 * article_share(4, 8), 1), round(100 * article_share(4, 12), 1)
    (57.1, 60.0)
    """
    if mr < 1 or nr < 1:
        raise BadArgument(f"A tile of {mr}x{nr} is empty; mr and nr must be at least 1.")
    products = mr * nr / 4
    return products / (products + (mr + nr) / 2)


@dataclass(frozen=True)
class Counts:
    """Counted instructions of a trace or of one loop iteration.

    classes       timing class -> instructions
    instructions  all of them
    neon          NEON instructions (vector loads and stores are, address arithmetic is not)
    multiplies    instructions that make products to be accumulated
    macs          products
    tile          (mr, nr) or None
    name          of what was counted
    """

    name: str
    classes: Mapping[str, int]
    kinds: Mapping[str, int]
    instructions: int
    neon: int
    multiplies: int
    macs: int
    nbytes: int
    tile: tuple[int, int] | None = None

    @property
    def share_article(self) -> float | None:
        """`article_share` of the tile; None without one, or if a multiply is no accumulation of four lanes."""
        accumulate = self.classes.get("asimd_mla_long", 0)
        fits = self.multiplies == accumulate > 0 and self.macs == 4 * accumulate
        return article_share(*self.tile) if self.tile and fits else None

    @property
    def share_neon(self) -> float:
        """Multiplies / NEON instructions."""
        return self.multiplies / self.neon if self.neon else 0.0

    @property
    def share_all(self) -> float:
        """Multiplies / all instructions."""
        return self.multiplies / self.instructions if self.instructions else 0.0

    @property
    def macs_per_instruction(self) -> float:
        """Products / all instructions."""
        return self.macs / self.instructions if self.instructions else 0.0

    @property
    def macs_per_neon(self) -> float:
        """Products / NEON instructions."""
        return self.macs / self.neon if self.neon else 0.0

    def __str__(self) -> str:
        lines = [f"{self.name}: counted",
                 f"  {'instructions':<34}{self.instructions:8d}",
                 f"  {'NEON instructions':<34}{self.neon:8d}",
                 f"  {'multiply-accumulates (products)':<34}{self.macs:8d}",
                 f"  {'per instruction, per NEON one':<34}{self.macs_per_instruction:8.2f}{self.macs_per_neon:8.2f}"]
        lines += [f"  {kind:<34}{n:8d}" for kind, n in self.kinds.items()]
        lines.append("  multiply share, counted")
        lines.append(f"    {'of NEON instructions':<32}{100 * self.share_neon:7.1f} %")
        lines.append(f"    {'of all instructions':<32}{100 * self.share_all:7.1f} %")
        if self.tile and self.share_article is not None:
            lines.append(f"  multiply share computed from {self.tile[0]}x{self.tile[1]}, as in the QNNPACK article")
            lines.append(f"    {'if 4 lanes cost load and widening':<33}{100 * self.share_article:6.1f} %")
        lines.append("  by class")
        most = sorted(self.classes.items(), key=lambda item: (-item[1], item[0]))
        lines += [f"    {name:<32}{n:8d}" for name, n in most]
        return "\n".join(lines)


@dataclass(frozen=True)
class Budget:
    """What one call of an exercise may take; None: as much as it likes.

    call           str            its sizes, in words: "n = 256"
    elements       int            of the array ``each``, which instructions are counted for
    instructions   float | None   executed, for each element, at most (counted)
    neon           float | None   share of them that are NEON and that the result depends on, at least (counted)
    cycles         int | None     modelled on ``core``, at most
    """

    call: str
    elements: int
    each: str
    instructions: float | None = None
    neon: float | None = None
    cycles: int | None = None
    core: str = ""

    def judge(self, instructions: int, neon: int, useful: int, cycles: int | None) -> tuple[list[str], list[str]]:
        """(what is kept, what is missed) of it, a sentence each, by a call that took so much.

        useful   of the NEON instructions those that the result depends on
        """
        kept: list[str] = []
        missed: list[str] = []
        if self.instructions is not None:
            each = instructions / self.elements
            words = (f"{instructions:,} executed instructions (counted) with {self.call}, {each:.2f} for each of the "
                     f"{self.elements:,} elements of {self.each}; at most {self.instructions:g}")
            if each <= self.instructions:
                kept.append(words)
            else:
                missed.append(f"too many instructions: {words}. Vectors do many elements at once.")
        if self.neon is not None:
            share, idle = useful / instructions, neon - useful
            words = (f"{100 * share:.0f} % of them NEON that the result depends on (counted); at least "
                     f"{100 * self.neon:.0f} %")
            if share >= self.neon:
                kept.append(words)
            else:
                words += f". On {idle:,} NEON instructions nothing depends that is left in memory" if idle else ""
                missed.append(f"too little NEON: of {instructions:,} executed instructions with {self.call}, {words}. "
                              "This exercise asks for vectors.")
        if self.cycles is not None and cycles is not None:
            words = f"{cycles:,} modelled cycles on {self.core} with {self.call}; at most {self.cycles:,}"
            (kept if cycles <= self.cycles else missed).append(
                f"{GOAL if cycles <= self.cycles else 'not fast enough'}: {words}")
        return kept, missed

    def to_dict(self) -> dict[str, Any]:
        """For JSON; ``Budget(**...)`` is the way back."""
        return dict(vars(self))


def count(subject: object, *, entry: str | int | None = None, tile: tuple[int, int] | None = None) -> Counts:
    """Count the instructions of a trace, or of one iteration of a program's loop.

    subject  a trace, a program (one iteration of the loop `entry` is counted), or a `InstructionStream` (all of it)
    entry   label or line of the loop, see `time`
    tile    (mr, nr) of the kernel, for the share that is computed from it

    Raises BadArgument for anything else, or for an entry that is no loop.
    """
    loop = hasattr(subject, "instructions") and hasattr(subject, "symbols")
    stream = stream_of(subject, entry=entry, iterations=1) if loop else stream_of(subject, entry=entry)
    return count_stream(stream, tile)


def count_stream(stream: InstructionStream, tile: tuple[int, int] | None = None) -> Counts:
    """Count a stream as it is."""
    times = stream.times()
    classes: dict[str, int] = {}
    kinds: dict[str, int] = {}
    for op, n in zip(stream.ops, times, strict=True):
        classes[op.timing] = classes.get(op.timing, 0) + n
        kind = f"NEON {op.kind}" if op.neon else op.kind
        kinds[kind] = kinds.get(kind, 0) + n
    order = [*(f"NEON {kind}" for kind in KINDS), *KINDS, "unknown"]
    pairs = list(zip(stream.ops, times, strict=True))
    return Counts(
        name=stream.name, classes=classes, kinds={kind: kinds[kind] for kind in order if kind in kinds},
        instructions=len(stream), neon=sum(n for op, n in pairs if op.neon),
        multiplies=sum(n for op, n in pairs if op.timing in MULTIPLIES), macs=sum(n * op.macs for op, n in pairs),
        nbytes=sum(n * op.nbytes for op, n in pairs), tile=tile)
