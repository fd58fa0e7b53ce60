"""One convolution, lowered in every way it can be: same bytes, other costs.

    lowering    what is moved besides the kernel's own loads and stores
    gemm        nothing: the image is the matrix
    im2col      every pixel is copied once per tap: written once, read once more
    indirect    a pointer per tap and pixel, written once for any number of runs, read in each
    depthwise   a pointer per tap and pixel, where neighbours share columns

Loads, stores and instructions are counted on the emulated machine (one tile of every call, times its tiles: tiles of a
call execute the same instructions). Cycles are modelled, for kernels alone: copies are given in bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from neonsim.arm.timing import time
from neonsim.errors import BackendError
from neonsim.nn.backends import Backend, TracingJob, get
from neonsim.nn.ops.lowering.gemm_conv import LOWERINGS
from neonsim.nn.ops.operator import Plan
from neonsim.nn.ops.quantized.conv import Conv2d
from neonsim.quant.scheme import Quantized

__all__ = ["BufferSizes", "Cost", "buffer_sizes", "cost", "lowering_table", "lowerings"]


@dataclass(frozen=True)
class Cost:
    """What one run of a plan costs.

    lowering        str
    kernels         tuple[str, ...]
    tiles           int     kernel calls                                          counted
    instructions    int     of all tiles                                          counted
    loaded, stored  int     bytes, by the kernels                                 counted
    copied          int     bytes written into a matrix before the kernels        counted
    buffer          int     bytes of that matrix, or of the pointers              counted
    packed          int     bytes of packed weights                               counted
    cycles          int     of all tiles, one after the other, on `core`          modelled
    core            str
    equal           bool or None    same bytes as by definition; None: not compared
    """

    lowering: str
    kernels: tuple[str, ...]
    tiles: int
    instructions: int
    loaded: int
    stored: int
    copied: int
    buffer: int
    packed: int
    cycles: int
    core: str
    equal: bool | None = None

    @property
    def moved(self) -> int:
        """Bytes in all: loaded and stored by kernels, and copied (read and written) before."""
        return self.loaded + self.stored + 2 * self.copied


def cost(plan: Plan, core: str = "cortex-a53", lowering: str = "", equal: bool | None = None) -> Cost:
    """Count and price a plan of the emulated backend.

    Raises BackendError for a plan of another backend.
    """
    loaded = plan.loaded
    if not isinstance(loaded, TracingJob):
        raise BackendError(f"The {plan.backend.name} backend records no steps, so nothing can be counted. Plan with "
                           f"backend='emulated'.")
    tiles = instructions = read = written = cycles = 0
    for index, call in enumerate(plan.job.calls):
        trace = loaded.trace(index, region=plan.result).trace
        tiles += call.tiles
        instructions += trace.steps * call.tiles
        stores = np.asarray(trace.access_store, bool)
        sizes = np.asarray(trace.access_bytes, np.int64)
        read += int(sizes[~stores].sum()) * call.tiles
        written += int(sizes[stores].sum()) * call.tiles
        cycles += time(trace, core=core).cycles * call.tiles
    regions = {r.name: r.size(plan.job.pointer_bytes) for r in plan.job.regions}
    return Cost(lowering or plan.operator.kind, plan.kernels, tiles, instructions, read, written,
                regions.get("im2col", 0), regions.get("im2col", regions.get("indirection", 0)),
                regions.get("weights", 0), cycles, core, equal)


def lowerings(operator: Conv2d, x: Quantized, *, backend: Backend | str = "emulated",
              core: str = "cortex-a53") -> tuple[Cost, ...]:
    """Compute a convolution in every way it can be lowered; the bytes are compared with the definition.

    operator   Conv2d
    x          Quantized   its input
    backend    of kind emulated: EmulatedBackend("aarch64") for that instruction set
    core       str         whose cycles are modelled

    >>> from neonsim.quant.scheme import Scheme
    >>> rng = np.random.default_rng(0)
    >>> x = Quantized(rng.integers(0, 256, (1, 4, 4, 8), np.uint8), 1.0, 127)
    >>> w = Quantized(rng.integers(0, 256, (8, 3, 3, 8), np.uint8), 1.0, 127)
    >>> [(c.lowering, c.equal, c.buffer) for c in lowerings(Conv2d(x.scheme, w, out=Scheme(2000.0, 128), padding=1), x)]
    [('indirect', True, 576), ('im2col', True, 1152)]
    """
    chosen = get(backend)
    expected = operator.reference(x.values)
    found = []
    for name in LOWERINGS:
        try:
            plan = operator.plan(x.shape, backend=chosen, lowering=name)
        except BackendError:
            continue        # this convolution cannot be lowered so
        values = plan.run(x).values
        found.append(cost(plan, core, name, bool(np.array_equal(values, expected))))
    return tuple(found)


def lowering_table(costs: Sequence[Cost]) -> str:
    """Costs side by side, as text."""
    heads = ("lowering", "same bytes", "tiles", "instructions", "loaded", "stored", "copied", "moved", "buffer",
             "weights", "cycles")
    rows = [(c.lowering, {True: "yes", False: "NO", None: "-"}[c.equal], c.tiles, c.instructions, c.loaded, c.stored,
             c.copied, c.moved, c.buffer, c.packed, c.cycles) for c in costs]
    cells = [heads, *([str(v) if isinstance(v, str) else f"{v:,}".replace(",", " ") for v in row] for row in rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(heads))]
    lines = ["  ".join(f"{cell:<{w}}" if i == 0 else f"{cell:>{w}}"
                       for i, (cell, w) in enumerate(zip(row, widths, strict=True))) for row in cells]
    core = costs[0].core if costs else ""
    note = f"bytes, tiles and instructions are counted; cycles are modelled ({core}, kernels alone)"
    return "\n".join([*lines, note])


@dataclass(frozen=True)
class BufferSizes:
    """What a convolution needs besides its operands, by lowering.

    im2col                     int   bytes of the copied matrix
    indirection_4, _8          int   bytes of the table of pointers of 4 and of 8 bytes
    channels                   int   of a group
    """

    im2col: int
    indirection_4: int
    indirection_8: int
    channels: int

    @property
    def smaller_from(self) -> str:
        """Since a pixel's tap is `channels` bytes or one pointer: which is smaller (A35, Z04)."""
        if self.channels > 8:
            return "pointers, of 4 bytes and of 8"
        return "pointers of 4 bytes" if self.channels > 4 else "the copied matrix, or neither"


def buffer_sizes(operator: Conv2d, shape: Sequence[int]) -> BufferSizes:
    """Sizes without computing anything; tiles are not filled up (that adds at most mr - 1 pixels an image).

    56x56x128 by 3x3 takes 3 612 672 bytes copied, 112 896 as 4-byte pointers; for 3 channels it is the other way
    round. Source: (A33, A35, Z04).

    >>> from neonsim.quant.scheme import Scheme
    >>> def layer(c):
    ...     return Conv2d(Scheme(1.0), Quantized(np.ones((1, 3, 3, c), np.uint8), 1.0), out=Scheme(9.0), padding=1)
    >>> buffer_sizes(layer(128), (1, 56, 56, 128))
    BufferSizes(im2col=3612672, indirection_4=112896, indirection_8=225792, channels=128)
    >>> buffer_sizes(layer(3), (1, 224, 224, 3)).indirection_4 > buffer_sizes(layer(3), (1, 224, 224, 3)).im2col
    True
    """
    found = operator.shape(tuple(shape))
    taps = shape[0] * found.output[0] * found.output[1] * found.kernel[0] * found.kernel[1] * operator.groups
    return BufferSizes(taps * operator.depth, 4 * taps, 8 * taps, operator.depth)

