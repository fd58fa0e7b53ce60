"""What this machine runs of the ladder, measured: every family of native networks, and WebAssembly in Node.js.

Whole networks, the least of some runs in turns, one thread. All families' bytes are compared first.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm  # type: ignore[import-untyped]

from neonsim.backends.network import families, probe_peak
from neonsim.errors import BackendError
from neonsim.graph import Graph, model, random_input
from neonsim.graph.native import NativePlan
from neonsim.graph.planner import place
from neonsim.graph.saved import saved, tensor_in
from neonsim.quant.tensor_type import Value
from neonsim.timing.studies.steps import Measured

__all__ = ["NETWORKS", "measure_ladder"]

NETWORKS = ("mobilenet_v1", "mobilenet_v2")
QUANTIZATION = "qc8w"
SECONDS, ROUNDS = 0.1, 4        # of a turn of a network by a family; turns
RUNS = 60                       # in WebAssembly, where engines compile again what has run some times
ROOT = Path(__file__).parents[2]
MODULE, SCRIPT = ROOT / "build/wasm/neonsim.wasm", ROOT / "native/wasm/run.mjs"


def measure_ladder(size: int = 224) -> dict[str, Measured]:
    """By family: what was measured, or why it does not run. Networks of images of so many pixels.

    Raises BackendError without the C library, and if two families give different bytes.
    """
    there = families()
    found = {name: Measured(lacks) for name, lacks in there.items() if lacks is not None}
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
        found[name] = Measured(None, probe_peak(name, 20), times[name])
    found["simd128"] = Measured(lacks, peak, wasm)
    return found


def _turn(plan: NativePlan) -> float:
    """Least milliseconds of the runs of one turn."""
    least, end = np.inf, time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        begin = time.perf_counter()
        plan.network.run(1)
        least = min(least, time.perf_counter() - begin)
    return 1e3 * float(least)


def _wasm_missing() -> str | None:
    if not MODULE.is_file() or not SCRIPT.is_file():
        return "no module: `make wasm` makes it"
    return None if shutil.which("node") else "no Node.js"


def _in_node(graph: Graph, x: Value, wanted: NDArray[np.uint8]) -> tuple[float, float]:
    """Least milliseconds, and products a second of the inner loop. Raises BackendError for other bytes."""
    arena = place(graph)
    text = saved(graph, arena, x)
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
