"""A stream through a core: the pipeline of its kind, with or without caches, a long loop by a few of its turns."""

from __future__ import annotations

from neonsim.timing.caches import MemoryHierarchy
from neonsim.timing.inorder import InOrder
from neonsim.timing.loops import Mark, extrapolate
from neonsim.timing.model import IN_ORDER, Core
from neonsim.timing.op import Stream
from neonsim.timing.outoforder import OutOfOrder
from neonsim.timing.pipeline import Execution, decode

__all__ = ["simulate"]


def simulate(stream: Stream, core: Core, memory: MemoryHierarchy | None = None) -> Execution:
    """Run the stream through the core's pipeline, cycle by cycle; see `loops` for what is not simulated of a long loop.

    memory   caches in their first state; without, and without addresses in the stream, every access hits L1
    """
    decoded = decode(stream, core)
    if not stream.touches or core.memory is None:
        memory = None
    elif memory is None:
        memory = MemoryHierarchy(core.memory, regions=stream.regions)
    pipeline = InOrder if core.kind == IN_ORDER else OutOfOrder
    if memory is not None or not stream.body:
        return pipeline(stream, core, decoded, memory).run()

    def run(piece: Stream) -> tuple[Execution, list[Mark]]:
        machine = pipeline(piece, core, decoded, None)
        return machine.run(), machine.marks

    return extrapolate(stream, run)
