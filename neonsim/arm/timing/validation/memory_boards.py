"""The memory of the core models against what was measured on boards.

    L2, memory            a chain of loads through lines that only L2, or no cache, has
    eight chains in L2    eight such chains side by side: how many misses a core has under way
    read, fill, copy      LDP and STP of Q registers over memory that is in no cache

`neonsim cores validate --memory` prints the comparison. The figures stand in `tables/boards.tsv`, with their boards; a
row says
whether a number of the core's file was chosen with it in sight. Boards with the same core differ by a factor of two.

Source: ThomasKaiser/sbc-bench, results/*.txt (tinymembench and ramlat by many owners of boards); AnandTech 15578 and
Arm's Learning Path on memory subsystems (Graviton2).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from neonsim.arm.timing.cores.loader import load_core
from neonsim.arm.timing.cores.model import Core
from neonsim.arm.timing.pipeline.memory_hierarchy import MemoryHierarchy
from neonsim.arm.timing.simulation import simulate
from neonsim.arm.timing.stream import InstructionStream, StaticInstruction
from neonsim.arm.timing.validation.microbench import rows

__all__ = ["BoardRow", "boards", "boards_report", "bytes_a_cycle"]

LINES = 640                 # of a walk; the second half of it counts
CHAIN = 48                  # links of a chain
STEP = 37                   # lines from one link to the next: no stream for the prefetcher
EXTRA, TOGETHER, FAR = "extra", 8, 1 << 24


@dataclass(frozen=True, slots=True)
class BoardRow:
    """One figure of a board beside the model's, in its unit: "ns", "ns extra" (beyond a hit in L1) or "MB/s"."""

    core: str
    board: str
    quantity: str
    unit: str
    measured: float
    modeled: float
    used: bool
    source: str

    @property
    def error(self) -> float:
        """Modelled over measured, less 1."""
        return self.modeled / self.measured - 1


def boards(core: str | None = None) -> tuple[BoardRow, ...]:
    """Return the figures of all cores that have some, or of one."""
    found = []
    for row in rows("boards.tsv"):
        if core in (None, row["core"]):
            model, what, mhz = load_core(row["core"]), row["what"], float(row["mhz"])
            if row["unit"] == "MB/s":
                value = mhz * bytes_a_cycle(model, what)
            else:
                cycles = _chain(model, what) - (_chain(model, "L1") if row["unit"].endswith(EXTRA) else 0)
                value = 1000 * cycles / mhz
            found.append(BoardRow(row["core"], row["board"], what, row["unit"], float(row["measured"]), value,
                                  row["used"] == "used", row["source"]))
    return tuple(found)


def boards_report(core: str | None = None) -> str:
    """`boards` as text."""
    lines = ["memory as measured on boards, and what the models say; * no number of the model was chosen by it"]
    for row in boards(core):
        lines.append(f"  {row.core:<12} {row.board:<18} {row.quantity:<19}{row.measured:9.1f}{row.modeled:10.1f} "
                     f"{row.unit:<9}{100 * row.error:+7.1f} % {'' if row.used else '*':<2}{row.source}")
    return "\n".join(lines) if len(lines) > 1 else f"{core}: no board's memory in the tables."


def _run(core: Core, ops: list[StaticInstruction], touches: list[tuple[int, int]], near: list[int]) -> list[int]:
    """Cycles in which the instructions start; `near`: addresses that L2 has."""
    assert core.memory is not None
    memory = MemoryHierarchy(core.memory, caches=True)
    for address in near:
        memory.l2.touch(address // core.memory.line)
    return simulate(replace(InstructionStream.of_ops(ops, isa=core.isas[-1]), touches=touches), core, memory).issue


def _chain(core: Core, what: str) -> float:
    """Cycles of a load (of a group of eight) in a chain of them."""
    assert core.memory is not None
    line, together = core.memory.line, TOGETHER if what.startswith("eight") else 1
    ops, places = [], []
    for k in range(CHAIN):
        for n in range(together):
            register = f"x{n}"
            ops.append(StaticInstruction("ldr", "ldr", reads=(("base", register),), writes=(("t", register),),
                                         nbytes=8))
            places.append(0 if what == "L1" else (FAR if what == "memory" else line) * STEP * (together * k + n + 1))
    # Once around L2's sets: every line of the chain has a place there.
    places = [at % (core.memory.l2_size // 2) if what.endswith("L2") else at for at in places]
    start = _run(core, ops, [(at, 8) for at in places], places if what.endswith("L2") else [])
    half = len(ops) // 2
    return together * (start[-1] - start[half]) / (len(ops) - 1 - half)


def bytes_a_cycle(core: Core, operation: str) -> float:
    """Bytes a cycle of a walk over cold memory, 32 bytes at a time."""
    assert core.memory is not None
    pair, pair_out = ("ldp_simd", "stp_simd") if "aarch64" in core.isas else ("vldm", "vstm")
    load = StaticInstruction(pair, "load", "q", reads=(("base", "x0"),), writes=(("t", "v0"), ("t", "v1")), nbytes=32)
    store = StaticInstruction(pair_out, "store", "q", reads=(("t", "v0"), ("t", "v1"), ("base", "x1")), nbytes=32)
    once = {"read": [load], "fill": [store], "copy": [load, store]}[operation]
    turns = LINES * core.memory.line // 32
    touches = [(FAR * (2 if op is store else 1) + 32 * k, 32) for k in range(turns) for op in once]
    start = _run(core, once * turns, touches, [])
    half = len(start) // 2
    return 32 * (turns - turns // 2) / (start[-1] - start[half])
