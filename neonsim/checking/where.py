"""Which element of which argument a byte of memory belongs to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from neonsim.ukernel import Case
from neonsim.ukernel.case import At, axes, column_blocks, columns_of, steps
from neonsim.ukernel.contract import InOut, Out

__all__ = ["Element", "element_at"]


@dataclass(frozen=True)
class Element:
    """A byte of a region that is not what it should be.

    argument         the output it belongs to
    index            of the element; None between the rows, where nothing may change
    expected, got    the element's values, or the byte's between the rows
    written          False: nobody has written it, so that `got` says nothing
    """

    region: str
    offset: int
    argument: str
    index: tuple[int, ...] | None
    expected: int | float
    got: int | float
    written: bool = True

    def sentence(self) -> str:
        if self.index is None:
            return (f"byte {self.offset} of {self.region} lies outside the output and must stay {self.expected}; it is "
                    f"{self.got}")
        place = ", ".join(map(str, self.index))
        got = f"is {self.got}" if self.written else "was not written"
        return f"{self.argument}[{place}] should be {self.expected}, {got}   (byte {self.offset} of {self.region})"


def element_at(case: Case, region: str, offset: int, left: Any, known: bytes | None = None) -> Element:
    """The element that byte ``offset`` of a region is part of; ``left`` is the region after the call.

    known   which bytes of the region somebody has written, one byte per byte; None: all
    """
    expected = case.expected[region]
    for argument in case.contract.arguments:
        value, note = case.values.get(argument.name), argument.memory
        if not isinstance(value, At) or value.region != region or not isinstance(note, Out | InOut):
            continue
        kind = np.dtype(note.dtype)
        shape = axes(note, case.values)
        apart = steps(note, shape, kind, case.values)
        rest, index = offset - value.offset, []
        first = 0
        if note.blocks is not None:
            # A row spans all blocks: which of them, then as if it were alone.
            width = columns_of(case.objects)
            row = min(rest // apart[0], shape[0] - 1)
            place, columns = max((b for b in column_blocks(note, case.values, width) if b[0] <= rest - row * apart[0]),
                                 default=(0, width))
            first, shape = place // case.number(note.blocks) * width, (shape[0], columns)
            rest -= place
        for n, step in zip(shape, apart, strict=True):
            index.append(min(rest // step, n - 1) if step else 0)
            rest -= index[-1] * step
        if 0 <= rest < kind.itemsize:
            start = offset - rest
            index[-1] += first
            values = [data[start:start + kind.itemsize].view(kind)[0].item() for data in (expected, left)]
            written = known is None or any(known[start:start + kind.itemsize])
            return Element(region, offset, argument.name, tuple(index), values[0], values[1], written)
        return Element(region, offset, argument.name, None, int(expected[offset]), int(left[offset]))
    return Element(region, offset, region, None, int(expected[offset]), int(left[offset]))
