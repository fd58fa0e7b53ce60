"""What a run costs on a core, from the record that the page made of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from neonsim.arm.asm import Program
from neonsim.arm.timing.cores.loader import load_core
from neonsim.arm.timing.cores.model import Core
from neonsim.arm.timing.pipeline.base import Execution
from neonsim.arm.timing.simulation import simulate
from neonsim.arm.timing.stream import InstructionStream, from_record
from neonsim.arm.timing.timing import memory_of

__all__ = ["Accesses", "modeled", "price", "recorded"]

Accesses = Sequence[Sequence[tuple[int, int, int]]]


def recorded(program: Program, pcs: Sequence[int], executed: Sequence[int], accesses: Accesses,
             buffers: Sequence[dict[str, Any]]) -> InstructionStream:
    """Return a run as the cost models read it; arguments as of `price`."""
    touches = [(min(at for at, _, _ in some), max(at + n for at, n, _ in some) - min(at for at, _, _ in some))
               if some else (0, 0) for some in accesses]
    regions = tuple((one["address"] - one["skipped"], one["address"] + one["nbytes"], one["name"]) for one in buffers)
    return from_record(program, pcs, executed, touches, regions)


def modeled(stream: InstructionStream, core: str) -> tuple[Execution, Core]:
    """Its cycles on a core, and that core. Raises TimingError: no such core, or one that cannot run it."""
    model = load_core(core)
    return simulate(stream, model, memory_of(stream, model, None, True), method="plain"), model


def price(program: Program, core: str, pcs: Sequence[int], executed: Sequence[int],
          accesses: Accesses, buffers: Sequence[dict[str, Any]]) -> tuple[dict[str, Any], dict[str, list[int]]]:
    """(``timing`` of a header, its columns): modelled cycles of a run, with every access in the first-level cache.

    pcs, executed   of each step: the number of the instruction, whether it was executed
    accesses        of each step: (first address, bytes, whether it is a store) of each of its own
    buffers         of the header

    Raises TimingError: no such core, or one that cannot run the program.
    """
    run, model = modeled(recorded(program, pcs, executed, accesses, buffers), core)
    columns = {f"{name}_cycle": list(times) for name, times in (("start", run.start), ("issue", run.issue),
                                                                ("done", run.completion))}
    words: dict[str, list[str]] = {}
    for name, values in (("unit", list(run.unit)), ("reason", list(run.stall_reason or [""] * len(pcs)))):
        words[name] = sorted(set(values))
        index = {word: k for k, word in enumerate(words[name])}
        columns[name] = [index[word] for word in values]
    return {"core": model.name, "cycles": int(run.cycles), "units": words["unit"], "reasons": words["reason"],
            "caches": None}, columns
