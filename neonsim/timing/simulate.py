"""A stream through a core: the pipeline of its kind, with or without caches, compiled where it can be, loops cut short.

    plain      the pipeline as it is written, from the first instruction to the last: the judge of the others
    compiled   the same text translated to C++ and built here (`compiled`): from `LONG` instructions on
    folded     of loops only so many turns as it takes until the pipeline is in a state again in which it was (`loops`)

All give the same, to the last column.
"""

from __future__ import annotations

from typing import Any

from neonsim.errors import BadArgument
from neonsim.timing.caches import MemoryHierarchy
from neonsim.timing.compiled import built
from neonsim.timing.feed import Folded, Skip
from neonsim.timing.inorder import InOrder
from neonsim.timing.loops import extrapolate
from neonsim.timing.model import IN_ORDER, Core
from neonsim.timing.op import Stream
from neonsim.timing.outoforder import OutOfOrder
from neonsim.timing.pipeline import Decoded, Execution, decode

__all__ = ["WAYS", "pipeline_of", "simulate"]

WAYS = ("best", "folded", "plain")
LONG = 400      # instructions from which on sending a machine to a library costs less than running it here


def pipeline_of(core: Core) -> type[InOrder] | type[OutOfOrder]:
    """The pipeline of a core's kind."""
    return InOrder if core.kind == IN_ORDER else OutOfOrder


def simulate(stream: Stream, core: Core, memory: MemoryHierarchy | None = None, way: str = "best") -> Execution:
    """Run the stream through the core's pipeline, cycle by cycle.

    memory   caches in their first state; without, and without addresses in the stream, every access hits L1
    way      "plain"; "folded": plain, loops cut short; "best": folded, and compiled where it pays and can be
             (`compiled.why_not` says why it cannot)

    Raises TimingError where the core cannot run the stream.
    """
    if way not in WAYS:
        raise BadArgument(f"way={way!r}: one of {', '.join(WAYS)}.")
    decoded = decode(stream, core)
    if not stream.touches or core.memory is None:
        memory = None
    elif memory is None:
        memory = MemoryHierarchy(core.memory, regions=stream.regions)

    def run(whole: Stream, folded: Folded | None) -> tuple[Execution, list[Skip]]:
        return _run(whole, folded, core, decoded, memory, way == "best")

    return run(stream, None)[0] if memory is not None or way == "plain" else extrapolate(stream, run)


def _run(stream: Stream, folded: Folded | None, core: Core, decoded: list[Decoded], memory: MemoryHierarchy | None,
         fast: bool) -> tuple[Execution, list[Skip]]:
    pipeline: Any = pipeline_of(core)
    machine = pipeline(stream, core, decoded, memory, folded)
    library = built(pipeline, len(stream)) if fast and len(stream) >= LONG else None
    if library is not None:
        found = library.run(machine, machine.latency, memory)
        if found is not None:
            return found
    return machine.run(), machine.skips
