"""`neonsim study ladder`: every matrix product kernel of the catalogue, counted and timed; instruction sets, measured.

Measured is what this machine runs: every family of native networks, and WebAssembly in Node.js. Whole networks, the
least of some runs in turns, one thread. All families' bytes are compared first.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import time as clock
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm  # type: ignore[import-untyped]

from neonsim.arm.timing import CoreFilter, count, requirements_of, time
from neonsim.arm.timing.stream import longest_loop, stream_of
from neonsim.errors import BackendError
from neonsim.nn.backends.native import backend
from neonsim.nn.backends.native.network import families, probe_peak
from neonsim.nn.graph import Graph, model, random_input
from neonsim.nn.graph.memory.planner import place
from neonsim.nn.graph.plan.native import NativePlan
from neonsim.nn.graph.serialize import serialize, tensor_in
from neonsim.quant.tensor_type import Value
from neonsim.studies.kernels import IsaPoint, MeasuredFamily, Report, compare_isas
from neonsim.ukernel import Kernel, kernels
from neonsim.ukernel.naming import split_name

__all__ = ["CONTRACTS", "NETWORKS", "measure_isa_families", "run_isa_comparison"]

# One contract of each kind of product: others have the same loops, and another end.
CONTRACTS = ("qu8_gemm_q31", "qu8_gemm_xzp_q31", "u8_gemm_packed_s32", "qs8_gemm_rndnu", "qu8_gemm_rndnu")
NETWORKS = ("mobilenet_v1", "mobilenet_v2")
QUANTIZATION = "qc8w"
SECONDS, ROUNDS = 0.1, 4        # of a turn of a network by a family; turns
RUNS = 60                       # in WebAssembly, where engines compile again what has run some times
ROOT = Path(__file__).parents[3]
MODULE, SCRIPT = ROOT / "build/wasm/neonsim.wasm", ROOT / "native/wasm/run.mjs"


def _rung(kernel: Kernel, names: Sequence[str], able: CoreFilter) -> IsaPoint:
    program = kernel.program()
    entry = longest_loop(program)
    _, tile, isa, technique = split_name(kernel.name)
    cycles = {core: float(time(stream_of(program, entry=entry), core=core).cycles_per_iteration)
              for core in able.cores(names, requirements_of(program, kernel.name, [kernel.feature]))}
    return IsaPoint(kernel.name, tile, f"{isa} {technique}", count(program, entry=entry), cycles)


def run_isa_comparison(names: Sequence[str], options: argparse.Namespace) -> Report:
    """Return the study on these cores; cores that cannot run a kernel are left out of its row, and said."""
    able = CoreFilter()
    every = [k for contract in CONTRACTS for k in kernels(contract) if (k.tile.nr or 0) > 1]
    rungs = [_rung(k, names, able) for k in tqdm(every, desc="loops", disable=None, leave=False)]
    return compare_isas(rungs, names, able.sentences(), {} if options.no_host else _measured())


def _measured() -> dict[str, MeasuredFamily]:
    """What this machine does; where there is no C library, a word on it."""
    missing = backend.available()
    if missing is None:
        return measure_isa_families()
    print(f"not measured here: {missing}", file=sys.stderr)
    return {}


# ---- this machine

def measure_isa_families(size: int = 224) -> dict[str, MeasuredFamily]:
    """By family: what was measured, or why it does not run. Networks of images of n pixels.

    Raises BackendError without the C library, and if two families give different bytes.
    """
    there = families()
    found = {name: MeasuredFamily(lacks) for name, lacks in there.items() if lacks is not None}
    here = [name for name, lacks in there.items() if lacks is None]
    times: dict[str, dict[str, float]] = {name: {} for name in here}
    wasm: dict[str, float] = {}
    lacks, peak = _wasm_missing(), 0.0
    for network in tqdm(NETWORKS, desc="networks", disable=None, leave=False):
        graph = model(network, size=size, quantization=QUANTIZATION)
        x = random_input(graph)
        plans = {name: NativePlan(graph, name) for name in here}
        wanted = {name: plan.run(x).values for name, plan in plans.items()}
        first = wanted[here[0]]
        for name, values in wanted.items():
            if not np.array_equal(values, first):
                raise BackendError(f"{network}: {name} gives other bytes than {here[0]}. Please report this.")
        for _ in range(ROUNDS):
            for name, plan in plans.items():
                times[name][network] = min(times[name].get(network, np.inf), _turn(plan))
        if lacks is None:
            wasm[network], peak = _in_node(graph, x, first)
    for name in here:
        found[name] = MeasuredFamily(None, probe_peak(name, 20), times[name])
    found["simd128"] = MeasuredFamily(lacks, peak, wasm)
    return found


def _turn(plan: NativePlan) -> float:
    """Least milliseconds of the runs of one turn."""
    least, end = np.inf, clock.perf_counter() + SECONDS
    while clock.perf_counter() < end:
        begin = clock.perf_counter()
        plan.network.run(1)
        least = min(least, clock.perf_counter() - begin)
    return 1e3 * float(least)


def _wasm_missing() -> str | None:
    if not MODULE.is_file() or not SCRIPT.is_file():
        return "no module: `make wasm` makes it"
    return None if shutil.which("node") else "no Node.js"


def _in_node(graph: Graph, x: Value, wanted: NDArray[np.uint8]) -> tuple[float, float]:
    """Least milliseconds, and products a second of the inner loop. Raises BackendError for other bytes."""
    arena = place(graph)
    text = serialize(graph, arena, x)
    command = ["node", str(SCRIPT), str(MODULE), "simd128"]
    outputs = []
    for more in ([], [str(RUNS)]):
        done = subprocess.run([*command, *more], input=text, capture_output=True, check=False)
        if done.returncode:
            raise BackendError(f"WebAssembly in Node.js: {done.stderr.decode(errors='replace').strip()}")
        outputs.append(done.stdout)
    memory = np.frombuffer(outputs[0], np.uint8)
    if not np.array_equal(tensor_in(memory, graph, arena, graph.output), wanted.view(np.uint8)):
        raise BackendError(f"{graph.name}: WebAssembly gives other bytes. Is build/wasm older than the C library? "
                           "`make wasm`.")
    said = json.loads(outputs[1])
    return float(min(said["times"])), float(said["peak"])
