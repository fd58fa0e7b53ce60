"""Kernels that take arrays element by element, of any type: how they become calls."""

from __future__ import annotations

from typing import Any

import numpy as np

from neonsim.backends import Spot
from neonsim.ops.builder import Builder, parts
from neonsim.ops.lower_rows import kernel_for
from neonsim.ops.operand import Operand
from neonsim.packing.params import block_of

__all__ = ["TASK", "call_elements", "call_rows_of"]

TASK = 4096     # elements


def call_elements(build: Builder, contract: str, reason: str, params: Any, task: int = TASK) -> None:
    """One kernel over everything: so many elements a call where all pixels touch, else a pixel a call.

    params   of the kernel; operands have the names of the contract's arguments, the result is its y
    """
    operands = _operands(build)
    if any(o.matrix is None for _, o in operands.values()):
        call_rows_of(build, contract, reason, params)
        return
    one = kernel_for(build, contract, reason)
    block = build.constant("params", block_of(params))
    for part in parts(build.output.pixels * build.output.shape[-1], task):
        start = part.first + task * np.arange(part.tiles, dtype=np.int64)[:, np.newaxis]
        build.call(one, part.tiles, 1, f"{part.size} elements", n=part.size, params=block,
                   **{name: Spot(region, np.dtype(o.dtype).itemsize * start) for name, (region, o) in operands.items()})


def call_rows_of(build: Builder, contract: str, reason: str, params: Any) -> None:
    """One kernel over everything, a pixel a call."""
    one = kernel_for(build, contract, reason)
    block, channels = build.constant("params", block_of(params)), build.output.shape[-1]
    pixel = np.arange(build.output.pixels, dtype=np.int64)[:, np.newaxis]
    build.call(one, len(pixel), 1, f"a pixel of {channels} elements", n=channels, params=block,
               **{name: Spot(region, pixel * o.stride) for name, (region, o) in _operands(build).items()})


def _operands(build: Builder) -> dict[str, tuple[str, Operand]]:
    """{argument of the kernel: (region, operand)}."""
    return {**{o.name: (o.name, o) for o in build.inputs}, "y": (build.result, build.output)}
