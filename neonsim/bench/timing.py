"""`neonsim bench timing`: how many instructions the cost models simulate a second here, beside llvm-mca where it is."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from neonsim.arm.asm import assemble
from neonsim.arm.machine import Machine, compiler
from neonsim.arm.timing import Core, CoreFilter, load_core, load_cores, loop_heads, requirements_of, simulate
from neonsim.arm.timing.pipeline.base import Execution
from neonsim.arm.timing.pipeline.memory_hierarchy import MemoryHierarchy
from neonsim.arm.timing.report.llvm_mca import mca, mca_program
from neonsim.arm.timing.stream import InstructionStream, from_order, from_trace, stream_of
from neonsim.bench.measurement import BenchMeasurement
from neonsim.nn.graph import model
from neonsim.ukernel import kernel

__all__ = ["timing"]

KERNEL = "qu8_gemm_q31_8x8__aarch64_neon_mlal_lane"
KERNEL32 = "qu8_gemm_q31_4x8__aarch32_neon_mlal_lane"       # for cores without AArch64
GOAL = 60               # times as fast as the plain model, on whole layers
LAYERS: dict[bool, tuple[str, dict[str, Any], tuple[str, ...]]] = {
    False: ("mobilenet_v1", {"size": 128}, ("dw4", "pw4")),
    True: ("mobilenet_v1", {"size": 32, "width": 0.25}, ("pw1", "dw2"))}
LONG = 100_000          # instructions of which the plain model runs once
BESIDE = ("cortex-a53", "cortex-a72", "cortex-a76")
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


def timing(quick: bool = False) -> tuple[list[BenchMeasurement], list[str]]:
    """Rows and what could not be measured: every core on a loop, three on whole layers, two on a run with caches, each
    beside the plain model in the same run, which must give the same.
    """
    said = []
    turns = 30 if quick else 150
    loop, loop32 = _main_loop(KERNEL, turns), _main_loop(KERNEL32, turns)
    rows, able = [], CoreFilter()
    for core in load_cores():
        mine, what = (loop, "the 8x8 kernel") if "aarch64" in core.isas else (loop32, "the 4x8 kernel of AArch32")
        if able.runs(core, requirements_of(mine)):
            rows.append(_compare(f"{core.name}: main loop of {what}", mine, core, 2 if quick else 8))
    if compiler() is None:
        said.append("no C compiler: no path of a whole layer (install gcc or clang)")
    else:
        for layer, stream in _layers(quick):
            rows += [_compare(f"{name}: {layer}, {len(stream) / 1e6:.2f} M instr", stream, load_core(name), 4, GOAL)
                     for name in BESIDE]
    n = 1 << (12 if quick else 15)
    machine = Machine("aarch64")
    at = machine.memory.place(np.zeros(n, np.uint8), name="a")
    done = machine.call(assemble(SUM, "aarch64"), at, n, trace=True)
    assert done.trace is not None
    run = from_trace(done.trace)
    for name in ("cortex-a53", "cortex-a76"):
        rows.append(_compare(f"{name}: a run with cold caches", run, load_core(name), 2 if quick else 8,
                            caches=True))
    found = mca_program()
    if found is None:
        return rows, [*said, *able.sentences(), "llvm-mca is not installed: no figure of its speed"]
    seconds = _best(lambda: mca(stream_of(loop), "neoverse-n1"), 2, time.perf_counter)
    rows.append(BenchMeasurement(f"llvm-mca {found[1]}, neoverse-n1: the same loop, 100 iterations",
                                 100 * loop.body / seconds / 1e3, "k instr/s"))
    return rows, [*said, *able.sentences()]


def _main_loop(name: str, turns: int) -> InstructionStream:
    """The longest loop of a kernel."""
    program = kernel(name).program()
    heads = loop_heads(program)
    return stream_of(program, entry=max(heads, key=lambda head: heads[head][1] - heads[head][0]), iterations=turns)


def _layers(quick: bool) -> list[tuple[str, InstructionStream]]:
    """Whole layers: the instructions of all tiles of all calls, one after the other."""
    name, options, layers = LAYERS[quick]
    plan: Any = model(name, **options).plan("emulated", isa="aarch64")
    found = []
    for layer in layers:
        job = plan.jobs[layer]
        kernels = {call.implementation.kernel.name: call.implementation.kernel for call in job.job.calls}
        if len(kernels) > 1:
            raise AssertionError(f"{layer} uses several kernels")
        orders = [np.tile(job.execution_path(number), call.tiles) for number, call in enumerate(job.job.calls)]
        order = np.concatenate(orders)
        program = next(iter(kernels.values())).program()
        found.append((f"{layer} of {name}", from_order(program, order, np.append(np.diff(order) != 1, True))))
    return found


def _compare(name: str, stream: InstructionStream, core: Core, rounds: int,
            goal: float | None = None, caches: bool = False) -> BenchMeasurement:
    """One row: the model as it is used, beside the plain one."""
    def once(way: str) -> Execution:
        memory = None
        if caches and core.memory is not None:
            memory = MemoryHierarchy(core.memory, caches=True, regions=stream.regions)
        return simulate(stream, core, memory, way)

    found: list[Execution] = []
    plain = _best(lambda: found.append(once("plain")), 1 if len(stream) > LONG else rounds)
    fast = _best(lambda: found.append(once("folded")), rounds)
    if found[0] != found[-1]:
        raise AssertionError(f"{name}: the folded model differs from the full one")
    each = len(stream) / 1e3
    return BenchMeasurement(name, each / fast, "k instr/s", goal, "plain", each / plain, plain / fast)


def _best(run: Callable[[], object], rounds: int, clock: Callable[[], float] = time.process_time) -> float:
    """Seconds of the fastest round: of this processor's work, so that others on the machine do not count.

    clock   another one for what runs as another process
    """
    fastest = float("inf")
    for _ in range(rounds):
        begin = clock()
        run()
        fastest = min(fastest, clock() - begin)
    return max(fastest, 1e-9)
