"""Which element of which argument a byte of memory belongs to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from neonsim.ukernel import Case
from neonsim.ukernel.case import RETURNED, At, axes, column_blocks, columns_of, steps
from neonsim.ukernel.contract import In, InOut, Out

__all__ = ["Element", "ElementSpot", "element_at", "spot_at"]

_OUTPUT = Out | InOut
_ARRAY = In | Out | InOut


@dataclass(frozen=True)
class Element:
    """A byte of a region that is not what it should be.

    argument         the output it belongs to
    index            of the element; None between the rows, where nothing may change
    expected, got    the element's values, or the byte's between the rows
    is_initialized   False: the byte is uninitialized, so that `got` says nothing
    start, size      its first byte in the region, and how many it has
    """

    region: str
    offset: int
    argument: str
    index: tuple[int, ...] | None
    expected: int | float
    got: int | float
    is_initialized: bool = True
    start: int = 0
    size: int = 1

    @property
    def name(self) -> str:
        """As messages and the stepper call it: "c[0, 3]"; "" between the rows."""
        if self.region == RETURNED:
            return f"the {RETURNED}"
        return "" if self.index is None else f"{self.argument}[{', '.join(map(str, self.index))}]"

    def sentence(self) -> str:
        if self.index is None:
            return (f"byte {self.offset} of {self.region} lies outside the output and must stay {self.expected}; it is "
                    f"{self.got}")
        got = f"is {self.got}" if self.is_initialized else "was not written"
        if self.region == RETURNED:
            return f"{self.name} should be {self.expected}, {got}"
        return f"{self.name} should be {self.expected}, {got}   (byte {self.offset} of {self.region})"


@dataclass(frozen=True)
class ElementSpot:
    """The element of an argument that a byte of a region belongs to.

    index   None where the region has no elements: between rows, in packed blocks
    start   its first byte in the region
    dtype   "" where there is no element
    """

    argument: str
    index: tuple[int, ...] | None
    start: int
    dtype: str = ""

    def value(self, data: Any) -> Any:
        """Return what stands there in the region's bytes, as a numpy scalar."""
        kind = np.dtype(self.dtype or np.uint8)
        return data[self.start:self.start + kind.itemsize].view(kind)[0]


def spot_at(case: Case, region: str, offset: int, output: bool = False) -> ElementSpot:
    """Return the element that byte ``offset`` of a region is part of; ``output``: of an argument that the call may
    write."""
    for argument in case.contract.arguments:
        value, note = case.values.get(argument.name), argument.memory
        if not isinstance(value, At) or value.region != region or not isinstance(note, _OUTPUT if output else _ARRAY):
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
            index[-1] += first
            return ElementSpot(argument.name, tuple(index), offset - rest, note.dtype)
        return ElementSpot(argument.name, None, offset)
    if not output and (dtype := case.memory[region].dtype):
        size = np.dtype(dtype).itemsize
        return ElementSpot(region, (offset // size,), offset // size * size, dtype)
    return ElementSpot(region, None, offset)


def element_at(case: Case, region: str, offset: int, after: Any, defined: bytes | None = None) -> Element:
    """Return the element that byte ``offset`` of a region is part of; ``after`` is the region after the call.

    defined  which bytes of the region are initialized, one byte per byte; None: all
    """
    expected = case.expected[region]
    if region == RETURNED:
        kind = np.dtype(case.contract.returns)
        return Element(region, offset, region, (), expected.view(kind)[0].item(), after.view(kind)[0].item(),
                       size=kind.itemsize)
    spot = spot_at(case, region, offset, output=True)
    if spot.index is None:
        return Element(region, offset, spot.argument, None, int(expected[offset]), int(after[offset]))
    size = np.dtype(spot.dtype).itemsize
    written = defined is None or any(defined[spot.start:spot.start + size])
    return Element(region, offset, spot.argument, spot.index, spot.value(expected).item(), spot.value(after).item(),
                   written, spot.start, size)
