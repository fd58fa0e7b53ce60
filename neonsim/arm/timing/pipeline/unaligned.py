"""Runs with addresses, where every access hits L1, as runs without: so their loops are cut short like those of others.

Addresses matter to a load that is not aligned, or crosses a line, and to one that reads what a store has just left. The
former is seen from the address alone. Such a load becomes an instruction of its own, dearer than the others of its
place in the text, and an iteration with it is another iteration. Where there is one of the latter, the run is simulated
in full.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from neonsim.arm.timing.cores.model import OUT_OF_ORDER, Core
from neonsim.arm.timing.pipeline.base import Decoded
from neonsim.arm.timing.pipeline.lazy_column import Column
from neonsim.arm.timing.pipeline.memory_hierarchy import BufferTraffic, MemoryHierarchy, MemoryModel
from neonsim.arm.timing.stream import InstructionStream, touched

__all__ = ["count_traffic", "without_addresses"]

STORES = 64     # as many before a load are looked at by any pipeline
Numbers = NDArray[np.int64]


def without_addresses(stream: InstructionStream, decoded: list[Decoded], core: Core, model: MemoryModel
                      ) -> tuple[InstructionStream, list[Decoded]] | None:
    """Return a trace whose addresses no pipeline need look at, and its instructions; None where a load may wait for a
    store.

    The same steps: numbers of instructions beyond those of ``stream`` stand for loads that take longer.
    """
    addresses, sizes = touched(stream)
    loads, stores = _accesses(stream, sizes)
    if _forwarded(loads, stores, addresses, sizes, _reach(core, model)):
        return None
    order = np.array(stream.order, np.int64)
    at, nbytes = addresses[loads], sizes[loads]
    simd, beat = (np.array(of, np.int64)[order[loads]]
                  for of in ([one.op.neon for one in decoded], [one.price.beat for one in decoded]))
    # As `MemoryHierarchy.load` and `alignment_beats` have it.
    aligned = at % np.minimum(model.load_align, nbytes & -nbytes) == 0
    extra = np.where(aligned, 0, np.where(simd, model.unaligned_simd, model.unaligned))
    crosses = (at + nbytes - 1) // model.line > at // model.line
    extra = np.where(crosses, np.maximum(extra, model.cross), extra)
    word = np.maximum(beat, 1)
    more = np.where(beat, (at + nbytes - 1) // word - at // word + 1 - -(-nbytes // word), 0)
    dearer = np.flatnonzero((extra > 0) | (more > 0))
    kinds, which = np.unique(np.stack([order[loads[dearer]], extra[dearer], more[dearer]]), axis=1, return_inverse=True)
    order[loads[dearer]] = len(decoded) + which.reshape(-1)
    own = [replace(decoded[index], extra=late, expansion=beats) for index, late, beats in kinds.T.tolist()]
    return (replace(stream, ops=(*stream.ops, *(one.op for one in own)), order=Column.from_array(order), touches=()),
            [*decoded, *own])


def _accesses(stream: InstructionStream, sizes: Numbers) -> tuple[Numbers, Numbers]:
    """(instructions that load, those that store), of those that move bytes; a prefetch is neither."""
    order = np.asarray(stream.order)
    loading = np.array([op.kind == "load" for op in stream.ops], bool)[order]
    hint = np.array([op.hint for op in stream.ops], bool)[order]
    return np.flatnonzero((sizes > 0) & loading), np.flatnonzero((sizes > 0) & ~loading & ~hint)


def _reach(core: Core, model: MemoryModel) -> int:
    """Instructions between a store and a load after which the load can tell nothing of it.

    No more than `width` of them start in a cycle. Out of order the store has left the reorder buffer before the load
    enters, and from there on no more than `retire` of them leave in a cycle.
    """
    cycles = max(model.forward, model.partial)
    return core.rob + core.retire * cycles if core.kind == OUT_OF_ORDER else core.width * cycles


def _forwarded(loads: Numbers, stores: Numbers, addresses: Numbers, sizes: Numbers, reach: int) -> bool:
    """Whether a load reads bytes of one of the last stores before it, fewer than ``reach`` instructions away."""
    before = np.searchsorted(stores, loads)
    for back in range(1, min(STORES, len(stores)) + 1):
        near = before >= back
        store = stores[before[near] - back]
        load = loads[near]
        near = load - store < reach
        store, load = store[near], load[near]
        if not len(load):
            return False
        if ((addresses[store] < addresses[load] + sizes[load])
                & (addresses[load] < addresses[store] + sizes[store])).any():
            return True
    return False


def count_traffic(stream: InstructionStream, memory: MemoryHierarchy) -> None:
    """What each buffer moves where every access hits L1, counted into ``memory`` in the order of their first use."""
    addresses, sizes = touched(stream)
    home = np.full(len(addresses), len(memory.regions))
    for number, (low, high, _) in reversed([*enumerate(memory.regions)]):
        home[(low <= addresses) & (addresses < high)] = number
    loads, stores = _accesses(stream, sizes)
    used, first = np.unique(home[np.sort(np.concatenate([loads, stores]))], return_index=True)
    names = [name for _, _, name in memory.regions] + ["other"]
    found = {int(number): memory.traffic.setdefault(names[number], BufferTraffic()) for number
             in used[np.argsort(first)]}
    for accesses, count, nbytes in ((loads, "loads", "bytes_read"), (stores, "stores", "bytes_written")):
        for number, one in found.items():
            mine = accesses[home[accesses] == number]
            setattr(one, count, getattr(one, count) + len(mine))
            setattr(one, nbytes, getattr(one, nbytes) + int(sizes[mine].sum()))
