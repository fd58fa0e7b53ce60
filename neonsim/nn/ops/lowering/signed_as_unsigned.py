"""int8 by kernels of bytes: x xor 0x80 maps -128..127 to 0..255 in order, so what only compares may work on that.

The sign is flipped by a table on the way in and on the way out: two more passes, and no kernel of another kind.
"""

from __future__ import annotations

import numpy as np

from neonsim.nn.backends import Implementation, Pointer
from neonsim.nn.ops.job_builder import Builder, parts

__all__ = ["bias_input", "unbias_output"]

TASK = 1024
_WHY = "int8 in the order of bytes: the sign flipped by a table (x xor 0x80)"


def _table(build: Builder) -> Pointer:
    return build.constant("flip", (np.arange(256) ^ 0x80).astype(np.uint8))


def _look_up(build: Builder, isa: str) -> Implementation:
    # One emulated machine runs one instruction set; the C library calls whatever it has.
    return build.choose("x8_lut", _WHY, main=False, isa=isa if hasattr(build.backend, "isa") else None)


def bias_input(build: Builder, isa: str) -> Pointer:
    """The first input with every sign flipped, in a region of its own that lies as the input does."""
    x = build.inputs[0]
    one, table = _look_up(build, isa), _table(build)
    target = build.scratch("flipped", x.nbytes, operand=True)
    for part in parts(x.nbytes, TASK):
        start = part.rows
        build.call(one, part.tiles, 1, f"{part.size} bytes, signs flipped", n=part.size, x=Pointer(x.name, start),
                   t=table, y=Pointer(target.region, start))
    return target


def unbias_output(build: Builder, isa: str) -> None:
    """Flip the sign of every byte of the result where it stands, and of nothing between its pixels."""
    out = build.output
    one, table = _look_up(build, isa), _table(build)
    pixel = np.arange(out.pixels, dtype=np.int64)[:, np.newaxis] * out.stride
    build.call(one, len(pixel), 1, f"a pixel of {out.channels} bytes, signs flipped back", n=out.channels,
               x=Pointer(build.result, pixel), t=table, y=Pointer(build.result, pixel))
