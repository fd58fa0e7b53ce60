"""The row of `neonsim bench emulator` on whole networks: the interpreter beside the compiled engine, in one run."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import numpy as np

from neonsim.arm.machine.engines.compiled import find_or_build
from neonsim.arm.machine.loader import load
from neonsim.arm.machine.memory.memory import Memory
from neonsim.arm.machine.translate.to_c import translate_c
from neonsim.errors import BackendError
from neonsim.nn.graph import model, random_input
from neonsim.nn.graph.plan.run import OperatorPlan

from .measurement import BenchMeasurement, best_of

__all__ = ["bench_network"]

NETWORK, SIZE, QUICK_SIZE = "mobilenet_v1", 224, 64


def bench_network(quick: bool) -> list[BenchMeasurement]:
    """Seconds of processor time of a run by each engine, their ratio, and what the compiler takes without its cache.

    Raises BackendError without a C compiler, or if the engines do not agree.
    """
    graph = model(NETWORK, size=QUICK_SIZE if quick else SIZE)
    x, name = random_input(graph), f"{NETWORK} qu8, {QUICK_SIZE if quick else SIZE} pixels"
    plans: dict[str, OperatorPlan] = {}
    for engine in ("compiled", "interpreter"):
        plan = graph.plan("emulated", engine=engine)
        assert isinstance(plan, OperatorPlan)
        plans[engine] = plan
        plan.run(x)         # compiled code compares itself with the interpreter
    # A slice each in turn: a busy moment of the machine meets both.
    compiled, plain, results = float("inf"), float("inf"), {}
    for _ in range(2):
        seconds, results["interpreter"] = best_of(lambda: plans["interpreter"].run(x).values, 1)
        plain = min(plain, seconds)
        seconds, results["compiled"] = best_of(lambda: plans["compiled"].run(x).values, 5)
        compiled = min(compiled, seconds)
    if not np.array_equal(results["interpreter"], results["compiled"]):
        raise BackendError(f"{name}: the engines differ. Please report this.")
    made = [BenchMeasurement(f"{name}, emulated, interpreter", 1 / plain, "runs/s"),
            BenchMeasurement(f"{name}, emulated, compiled engine", 1 / compiled, "runs/s", None, "interpreter",
                             1 / plain, plain / compiled)]
    steps = sum(job.steps for job in plans["compiled"].jobs.values())
    made.append(BenchMeasurement(f"{name}, emulated, compiled engine", steps / compiled / 1e9, "G tile-instr/s", 1.0))
    if quick:       # compiling without the cache takes longer than all of the rest
        return made
    kernels = {k.name: k for job in plans["compiled"].jobs.values() for k in job.kernels.values()}
    begin = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        for one in kernels.values():
            find_or_build(translate_c(load(one.program(), Memory()), one.name), Path(folder))
    made.append(BenchMeasurement(f"{name}, its {len(kernels)} kernels to C, compiled (once)",
                                 time.perf_counter() - begin, "s"))
    return made
