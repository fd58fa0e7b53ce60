"""The reference backend: an operator by its definition in numpy, from the operands as they are.

It uses `quant` alone: no packing order, no pointer, no instruction, no C. Whatever it and another backend agree on,
they agree on for different reasons.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from neonsim.nn.backends import Implementation, Job, NamedKernel
from neonsim.ukernel.packing.counters import count

__all__ = ["ReferenceBackend", "ReferenceJob"]


class ReferenceJob:
    """Inputs and outputs of a job as arrays, and the definition between them."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self._arrays = {r.name: np.zeros(r.nbytes, np.uint8) for r in job.regions if r.role in ("input", "output")}
        count(allocations=len(self._arrays), allocated_bytes=sum(a.size for a in self._arrays.values()))

    def view(self, region: str) -> NDArray[np.uint8]:
        """The bytes of an input or an output."""
        return self._arrays[region]

    def run(self, threads: int = 1) -> None:
        """Compute by definition; threads are left to numpy."""
        for name, values in self.job.definition(self._arrays).items():
            self._arrays[name][...] = values
        count(runs=1)


class ReferenceBackend:
    """Numpy, written from the definition; takes every scheme, uint8 and int8, one scale or one per channel."""

    name = "reference"
    is_reference = True
    core: str | None = None

    def available(self) -> str | None:
        """Always: numpy is all it needs."""
        return None

    def kernels(self, contract: str | None = None) -> tuple[str, ...]:
        """None: it computes by definition."""
        return ()

    def find(self, contract: str, kernel: str | NamedKernel | None = None) -> tuple[Implementation, ...]:
        """None: it computes by definition."""
        return ()

    def load(self, job: Job) -> ReferenceJob:
        """Room for the operands; nothing is packed."""
        return ReferenceJob(job)
