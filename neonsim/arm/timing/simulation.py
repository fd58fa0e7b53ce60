"""A stream through a core: the pipeline of its kind, with or without caches, loops cut short.

    plain    the pipeline as it is written, from the first instruction to the last: the judge of the other
    folded   of loops only the iterations that it takes until the pipeline is in a state again in which it
             was (`loops`); of runs with addresses where no load waits for a store (`unaligned`)

Both give the same, to the last column.
"""

from __future__ import annotations

from typing import Any

from neonsim.arm.timing.cores.model import IN_ORDER, Core
from neonsim.arm.timing.pipeline.base import Execution, decode
from neonsim.arm.timing.pipeline.extrapolate import extrapolate
from neonsim.arm.timing.pipeline.inorder import InOrder
from neonsim.arm.timing.pipeline.memory_hierarchy import MemoryHierarchy
from neonsim.arm.timing.pipeline.outoforder import OutOfOrder
from neonsim.arm.timing.pipeline.trace_feed import Folded, Skip
from neonsim.arm.timing.pipeline.unaligned import count_traffic, without_addresses
from neonsim.arm.timing.stream import InstructionStream
from neonsim.errors import BadArgument

__all__ = ["METHODS", "pipeline_of", "simulate"]

METHODS = ("folded", "plain")


def pipeline_of(core: Core) -> type[InOrder] | type[OutOfOrder]:
    """Return the pipeline of a core's kind."""
    return InOrder if core.kind == IN_ORDER else OutOfOrder


def simulate(stream: InstructionStream, core: Core, memory: MemoryHierarchy | None = None,
             method: str = "folded") -> Execution:
    """Run the stream through the core's pipeline, cycle by cycle.

    memory   caches in their first state; without, and without addresses in the stream, every access hits L1
    method   "folded"; "plain": no loop is cut short

    Raises TimingError where the core cannot run the stream.
    """
    if method not in METHODS:
        raise BadArgument(f"method must be {', '.join(METHODS)}; got {method!r}.")
    decoded = decode(stream, core)
    if not stream.touches or core.memory is None:
        memory = None
    elif memory is None:
        memory = MemoryHierarchy(core.memory, regions=stream.regions)

    def run(whole: InstructionStream, folded: Folded | None) -> tuple[Execution, list[Skip]]:
        machine: Any = pipeline_of(core)(whole, core, decoded, memory, folded)
        return machine.run(), machine.skips

    if memory is not None and not memory.caches and method == "folded":
        short = without_addresses(stream, decoded, core, memory.model)
        if short is not None:
            count_traffic(stream, memory)
            (stream, decoded), memory = short, None
    return run(stream, None)[0] if memory is not None or method == "plain" else extrapolate(stream, run)
