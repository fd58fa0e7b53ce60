"""`neonsim bench timing`: how many instructions the cost models simulate a second here, beside llvm-mca where it is."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from neonsim.asm import assemble
from neonsim.machine import Machine
from neonsim.timing import Able, cores, load_core, loop_heads, needs_of, simulate
from neonsim.timing.caches import MemoryHierarchy
from neonsim.timing.mca import mca, mca_program
from neonsim.timing.op import Stream, from_trace, stream_of
from neonsim.ukernel import kernel

if TYPE_CHECKING:
    from .bench import Measurement

__all__ = ["timing"]

KERNEL = "qu8_gemm_q31_8x8__aarch64_neon_mlal_lane"
GOAL = 100_000          # instructions a second, on one core
# Adds up bytes: loads with addresses, for the caches.
SUM = """
sum:    movi    v4.4s, #0
0:      ld1     {v0.16b}, [x0], #16
        uaddlp  v1.8h, v0.16b
        uadalp  v4.4s, v1.8h
        subs    x1, x1, #16
        b.ne    0b
        ret
"""


def timing(row: Callable[..., Measurement], quick: bool = False) -> tuple[list[Measurement], list[str]]:
    """Rows (name, value, unit, goal) and what could not be measured: every core on a loop, two on a run with caches.

    row   makes a Measurement; whole runs are simulated, nothing is extrapolated
    """
    program = kernel(KERNEL).program()
    heads = loop_heads(program)
    entry = max(heads, key=lambda head: heads[head][1] - heads[head][0])
    loop = stream_of(program, entry=entry, iterations=30 if quick else 150)
    # A stream that is no loop is simulated from its first to its last instruction.
    whole = Stream(loop.isa, loop.ops, loop.order, loop.taken, 0, loop.name)
    rows = []
    for name in (able := Able()).cores(cores(), needs_of(whole)):
        core = load_core(name)
        seconds = _best(lambda core=core: simulate(whole, core), 2 if quick else 8)  # type: ignore[misc]
        rows.append(row(f"{name}: main loop of the 8x8 kernel", len(whole) / seconds / 1e3, "k instr/s", GOAL / 1e3))
    n = 1 << (12 if quick else 15)
    machine = Machine("aarch64")
    at = machine.memory.place(np.zeros(n, np.uint8), name="a")
    done = machine.call(assemble(SUM, "aarch64"), at, n, trace=True)
    assert done.trace is not None
    run = from_trace(done.trace)
    for name in ("cortex-a53", "cortex-a76"):
        core = load_core(name)

        def once(core: Any = core) -> object:
            assert core.memory is not None
            return simulate(run, core, MemoryHierarchy(core.memory, caches=True, regions=run.regions))

        rows.append(row(f"{name}: a run with cold caches", len(run) / _best(once, 2 if quick else 8) / 1e3, "k instr/s",
                        GOAL / 1e3))
    found = mca_program()
    if found is None:
        return rows, [*able.sentences(), "llvm-mca is not installed: no figure of its speed"]
    seconds = _best(lambda: mca(stream_of(loop), "neoverse-n1"), 2)
    rows.append(row(f"llvm-mca {found[1]}, neoverse-n1: the same loop, 100 iterations", 100 * loop.body / seconds / 1e3,
                    "k instr/s"))
    return rows, list(able.sentences())


def _best(run: Callable[[], object], rounds: int) -> float:
    """Seconds of processor time of the fastest round, with what it starts as another process by the clock."""
    fastest = float("inf")
    for _ in range(rounds):
        begin, clock = time.process_time(), time.perf_counter()
        run()
        used, passed = time.process_time() - begin, time.perf_counter() - clock
        fastest = min(fastest, used if used > 0.5 * passed else passed)
    return max(fastest, 1e-9)
