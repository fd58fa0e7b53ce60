"""Kernels that take arrays element by element, of any type: how they become calls."""

from __future__ import annotations

from typing import Any

import numpy as np

from neonsim.nn.backends import Implementation, Pointer
from neonsim.nn.ops.job_builder import Builder, parts
from neonsim.nn.ops.lowering.gemm_conv import kernel_for
from neonsim.nn.ops.operand import Operand
from neonsim.ukernel.packing.param_blocks import block_of

__all__ = ["TASK", "call_elements", "call_rows_of", "call_tasks"]

TASK = 4096     # elements


def call_elements(build: Builder, contract: str, reason: str, params: Any, task: int = TASK) -> None:
    """One kernel over everything, as `call_tasks`. params: of the kernel."""
    one = kernel_for(build, contract, reason)
    call_tasks(build, one, task, "elements", params=build.constant("params", block_of(params)))


def call_tasks(build: Builder, one: Implementation, task: int, unit: str, **constant: Pointer) -> None:
    """A kernel over everything: n elements a call where all pixels touch, else a pixel a call.

    unit       what elements are called
    constant   arguments that all calls have; operands have the names of the others, the result is y
    """
    operands = _operands(build)
    if any(o.matrix is None for _, o in operands.values()):
        _call_pixels(build, one, unit, **constant)
        return
    for part in parts(build.output.pixels * build.output.shape[-1], task):
        start = part.rows
        build.call(one, part.tiles, 1, f"{part.size} {unit}", n=part.size, **constant,
                   **{name: Pointer(region, np.dtype(o.dtype).itemsize * start) for name, (region, o)
                      in operands.items()})


def call_rows_of(build: Builder, contract: str, reason: str, params: Any) -> None:
    """One kernel over everything, a pixel a call."""
    one = kernel_for(build, contract, reason)
    _call_pixels(build, one, "elements", params=build.constant("params", block_of(params)))


def _call_pixels(build: Builder, one: Implementation, unit: str, **constant: Pointer) -> None:
    channels = build.output.shape[-1]
    pixel = np.arange(build.output.pixels, dtype=np.int64)[:, np.newaxis]
    build.call(one, len(pixel), 1, f"a pixel of {channels} {unit}", n=channels, **constant,
               **{name: Pointer(region, pixel * o.stride) for name, (region, o) in _operands(build).items()})


def _operands(build: Builder) -> dict[str, tuple[str, Operand]]:
    """{argument of the kernel: (region, operand)}."""
    return {**{o.name: (o.name, o) for o in build.inputs}, "y": (build.result, build.output)}
