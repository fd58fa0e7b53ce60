"""A board that is one of our own core models with noise: to try the whole way without a board, and to test it.

The file says "simulated" and is no measurement of anything; what is made of it finds the model's own numbers again.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from neonsim.arm.timing import Core, load_core

from .kernel_probes import calls_of, modeled_call, needs_of_call
from .memory_probes import modeled_memory
from .probes import Probe, modeled, probes
from .results import FORMAT, VERSION

__all__ = ["simulated_board"]

MHZ = 1000.0


def simulated_board(core: str | Path | Core, *, isa: str = "aarch64", tests: Iterable[Probe] | None = None,
                    kernels: bool = True, memory: bool = True, noise: float = 0.002, drift: float = 0.0,
                    repeats: int = 9, seed: int = 0) -> dict[str, Any]:
    """Return what a board with that core would write: a result file as a dictionary.

    core      whose model answers
    tests     micro-tests; default: all that the core can run
    noise     how far samples lie above the model, on average, as a share (exponentially distributed)
    drift     by how much the clock falls from the first round to the last, as a share
    repeats   samples of each row
    """
    model, rng = load_core(core), np.random.default_rng(seed)
    rows: list[dict[str, Any]] = []

    def add(name: str, unit: str, cycles: float) -> None:
        samples = cycles * (1 + rng.exponential(noise, repeats)) if noise else np.full(repeats, cycles)
        rows.append({"name": name, "unit": unit, "samples": [round(float(value), 6) for value in samples]})

    for probe in probes(isa) if tests is None else tests:
        if not model.lacks(isa, probe.features):
            add(probe.name, "cycles an iteration", modeled(probe, model) * probe.per)
    for name, (kernel, depth) in calls_of(isa).items() if kernels else ():
        if not model.lacks(isa, needs_of_call(kernel.name)):
            add(name, "cycles a call", modeled_call(kernel.name, depth, model))
    for name, cycles in modeled_memory(model, isa).items() if memory else ():
        add(name, "cycles a load" if name.startswith("load") else "cycles a byte", cycles)
    return {"format": FORMAT, "version": VERSION, "kind": "simulated",
            "machine": {"system": "none", "release": "", "isa": isa, "midr": model.identity.get("midr", 0),
                        "model": f"the model of {model.name}", "compiler": "", "cpus": 1, "cpu": 0},
            "clock": {"method": "simulated", "mhz": MHZ, "coarsest": 100_000},
            "reference": [MHZ * (1 - drift * k / max(repeats - 1, 1)) for k in range(repeats)],
            "taken": len(rows) * repeats, "migrated": 0, "rows": rows}
