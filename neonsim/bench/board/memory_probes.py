"""Memory as a board's program measures it: loads in a chain through working sets of rising size, and streams.

    load BYTES          one load of a chain through every line of n bytes, in an order that no prefetcher follows
    read, fill, copy    streams of vectors over memory that is in no cache: cycles a byte
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from neonsim.arm.timing import Core
from neonsim.arm.timing.validation.memory_boards import bytes_a_cycle

from .probes import modeled, probe_named
from .results import BoardSamples

__all__ = ["SIZES", "STREAMS", "Levels", "levels", "modeled_memory"]

_K = 1024
SIZES = tuple(_K * n for n in (4, 8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096,
                               8192, 16384, 32768, 65536))
STREAMS = ("read", "fill", "copy")
LEVEL = 1.25        # a working set whose loads take so much longer is on the next level
FAR = 16 << 20      # bytes from which on a set is taken to be in no cache


@dataclass(frozen=True)
class Levels:
    """What a chain of loads says: cycles of a load, and how many bytes still have it; None where the sizes do not tell.

    l1, l2, memory     cycles
    l1_size, l2_size   bytes of the largest set with them
    """

    l1: float
    l1_size: int
    l2: float | None
    l2_size: int
    memory: float | None


def levels(rows: Mapping[str, BoardSamples]) -> Levels | None:
    """Return the levels of a measured chain; None if it was not measured."""
    found = sorted((int(name.split()[1]), row.minimum) for name, row in rows.items()
                   if name.startswith("load ") and name.split()[1].isdigit() and len(name.split()) == 2)
    if not found:
        return None
    l1 = found[0][1]
    l1_size = max(size for size, cycles in found if cycles <= LEVEL * l1)
    # Half of a set that is just too large still hits, so the next level begins at twice the size.
    beyond = [(size, cycles) for size, cycles in found if size >= 2 * l1_size and size < FAR]
    l2 = beyond[0][1] if beyond else None
    l2_size = max((size for size, cycles in beyond if l2 and cycles <= LEVEL * l2), default=0)
    far = [cycles for size, cycles in found if size >= FAR]
    return Levels(l1, l1_size, l2, l2_size, max(far, default=None))


def modeled_memory(core: Core, isa: str) -> dict[str, float]:
    """Return the same rows as a core's file has it; none without [memory]."""
    if core.memory is None:
        return {}
    chain = probe_named("latency ldr.x" if isa == "aarch64" else "latency ldr.r", isa)
    assert chain is not None
    hit, model = modeled(chain, core), core.memory
    found = {f"load {size}": hit + (0 if size <= model.l1_size else model.l2 if size <= model.l2_size else model.dram)
             for size in SIZES}
    if isa == "aarch64":
        found |= {name: 1 / bytes_a_cycle(core, name) for name in STREAMS}
    return found
