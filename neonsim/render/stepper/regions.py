"""Regions of memory as elements: of which type they are, their values as text, addresses as a reader writes them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from neonsim.arm.machine.arch.register_names import (
    TYPE_BYTES,
    UNWRITTEN,
    VECTOR,
    ShadowBytes,
    lane_values,
    locate,
    numbers_of,
    printable,
)
from neonsim.arm.machine.memory.arguments import DTYPES
from neonsim.errors import BadArgument
from neonsim.render.stepper.cursor import TraceCursor

if TYPE_CHECKING:
    from neonsim.arm.machine import Machine
    from neonsim.arm.machine.trace.trace import BufferInfo, Trace

__all__ = ["RegionValues", "address_of_text", "region_lines", "region_of", "region_types", "type_of_dtype"]

WIDTH = 79      # columns of printed values
MAX_ELEMENTS = 256      # elements that are printed; of more the first and the last
TYPE_OF = {dtype: kind for kind, dtype in DTYPES.items()} | {"bool": "u8"}


def type_of_dtype(dtype: str) -> str:
    """Our word for numpy's; bytes for what has none."""
    return TYPE_OF.get(np.dtype(dtype).name, "u8")


def region_types(trace: Trace) -> dict[str, str]:
    """buffer -> element type: what was declared, else that of most of what the run loads from it and stores to it,
    else bytes."""
    found = {b.name: type_of_dtype(b.dtype) for b in trace.buffers if b.typed}
    open_ = [b for b in trace.buffers if not b.typed]
    walk = TraceCursor(trace) if any(b.nbytes for b in open_) else None
    for b in open_:
        found[b.name] = "u8" if walk is None else _accessed_as(walk, b)
    return found


def _accessed_as(walk: TraceCursor, buffer: BufferInfo) -> str:
    trace = walk.trace
    inside = (trace.access_address >= buffer.address) & (trace.access_address < buffer.address + buffer.nbytes)
    steps = np.searchsorted(trace.access_start, np.flatnonzero(inside), side="right") - 1
    votes: Counter[str] = Counter()
    pcs, first, which = np.unique(trace.pc[steps], return_index=True, return_inverse=True)
    moved = np.bincount(which.reshape(-1), trace.access_bytes[inside], len(pcs))
    for pc, step, nbytes in zip(pcs.tolist(), steps[first].tolist(), moved.tolist(), strict=True):
        for kind in _moved_as(walk, pc, step):
            votes[kind] += nbytes
    fitting = [(count, kind) for kind, count in votes.items() if buffer.nbytes % TYPE_BYTES[kind] == 0]
    return max(fitting)[1] if fitting else "u8"


def _moved_as(walk: TraceCursor, pc: int, step: int) -> set[str]:
    """Element types of what one load or store moves: those of the vector registers at its other end, else its own."""
    kinds = set()
    for edge in walk.touched(pc).edges:
        ends = (edge.destination, *edge.sources)
        memory = next((end for end in ends if end[0] == "mem"), None)
        if memory is None:
            continue
        vectors = {locate(end[0], walk.trace.isa)[0] for end in ends if VECTOR.match(end[0])}
        # A store of a whole register moves what was made there before it, a load what is read from it later.
        kinds |= {walk.type_of(name, step) if memory is edge.destination else walk.reader_type(name, step + 1)
                  for name in vectors} or {printable(memory[1])}
    return kinds


@dataclass(frozen=True)
class RegionValues:
    """What a region holds after a call. `typed`: whether its type was declared."""

    name: str
    kind: str
    shape: tuple[int, ...]
    data: ShadowBytes
    typed: bool = True

    def __str__(self) -> str:
        """Name, type and shape, then the elements."""
        shape = "x".join(map(str, self.shape))
        used = "" if self.typed else ", as used"
        some = f"; {UNWRITTEN} has not been written" if not all(self.data.defined) else ""
        return "\n".join([f"{self.name:8s} {self.kind} [{shape}]{used}{some}",
                          *region_lines(self.data, self.kind, self.shape)])

    def values(self) -> list[Any]:
        """Elements as numbers, null for elements that are not fully initialized; of a matrix as rows."""
        array = self.array()
        return list(array.tolist())  # masked elements come out as None

    def array(self) -> np.ma.MaskedArray[Any, Any]:
        """Elements as numpy, masked where they are not fully initialized."""
        size = TYPE_BYTES[self.kind]
        values = numbers_of(self.data[:len(self.data) // size * size], self.kind).reshape(self.shape).copy()
        known = np.frombuffer(self.data.defined, np.uint8, size * values.size).reshape(-1, size).all(axis=1)
        return np.ma.masked_array(values, ~known.reshape(self.shape))


def region_of(machine: Machine, trace: Trace | None, name: str) -> RegionValues:
    """Return a region as a call left it; `trace` of the call says what bytes without a type are."""
    buffer = machine.memory.buffer(name)
    data = machine.memory.fetch(name).tobytes()
    if machine.state.shadow or trace is None:
        known = machine.memory.defined_bytes(buffer)
    else:
        known = bytes(trace.knowledge.cursor_at(trace.steps).memory[name])
    kind = type_of_dtype(str(buffer.dtype)) if buffer.typed or trace is None else region_types(trace)[name]
    same = TYPE_BYTES[kind] == buffer.dtype.itemsize
    shape = tuple(buffer.shape) if same and buffer.shape else (len(data) // TYPE_BYTES[kind],)
    return RegionValues(name, kind, shape, ShadowBytes(data, b"\1" * len(data) if known is None else known),
                        buffer.typed)


def region_lines(data: bytes, kind: str, shape: Sequence[int] = (), width: int = WIDTH) -> list[str]:
    """Elements as rows of text of at most `width` columns, "--" for uninitialized data; a matrix by its rows."""
    size = TYPE_BYTES[kind]
    count = len(data) // size
    shown = list(range(count)) if count <= MAX_ELEMENTS else [*range(MAX_ELEMENTS // 2),
                                                              *range(count - MAX_ELEMENTS // 2, count)]
    texts = dict(zip(shown, [lane_values(data[k * size:(k + 1) * size], kind)[0] for k in shown], strict=True))
    each = max(map(len, texts.values()), default=1) + 1
    fits = max(1, (width - 2) // each)
    across = shape[-1] if len(shape) > 1 and 0 < shape[-1] <= fits else fits
    lines, row = [], []
    for place, k in enumerate(shown):
        row.append(texts[k].rjust(each))
        gap = place + 1 < len(shown) and shown[place + 1] != k + 1
        if (k + 1) % across == 0 or gap or place + 1 == len(shown):
            lines.append("  " + "".join(row)[1:] if len(row) else "")
            row = []
        if gap:
            lines.append(f"  ... {shown[place + 1] - k - 1} more ...")
    text = data.rstrip(b"\0") if size == 1 and all(getattr(data, "defined", b"\1")) else b""
    if len(text) >= 4 and all(32 <= byte < 127 or byte in b"\n\t" for byte in text):
        said = text.decode("ascii").replace("\n", "\\n").replace("\t", "\\t")
        most = width - 16
        lines.append(f'  as text "{said[:most]}{"..." if len(said) > most else ""}"')
    return lines


def address_of_text(text: str, walk: TraceCursor) -> int:
    """Return an address as a reader writes it: 4096, 0x1000, a region ("c"), a register ("x1"), either with + or -
    bytes.

    Raises BadArgument for what is no address, or lies in no region.
    """
    trace = walk.trace
    found = re.fullmatch(r"\s*([A-Za-z_][\w.]*|0[xX][0-9a-fA-F]{1,16}|\d{1,20})\s*(?:([+-])\s*(0[xX][0-9a-fA-F]{1,16}|"
                         r"\d{1,20}))?\s*", text)
    names = ", ".join(b.name for b in trace.buffers)
    if found is None:
        raise BadArgument(f"{text.strip()!r} is not an address. Write 4096, 0x1000, a region or a register, as c + 16 "
                          f"(regions: {names})")
    base, sign, more = found.groups()
    buffer = next((b for b in trace.buffers if b.name == base), None)
    if buffer is not None:
        at = buffer.address
    elif base[0].isdigit():
        at = int(base, 0) if base[:2].lower() == "0x" else int(base)
    else:
        location = locate(base.lower(), trace.isa)[0]
        data = walk.state().get(location)
        if data is None or len(data) not in (4, 8):
            raise BadArgument(f"{base!r} is neither a region nor a general register of this run (regions: {names})")
        if not all(getattr(data, "defined", data and b"\1")):
            raise BadArgument(f"{base} has not been written yet, so it has no address")
        at = int.from_bytes(data, "little")
    at += (-1 if sign == "-" else 1) * (0 if more is None else int(more, 0) if more[:2].lower() == "0x" else int(more))
    if walk.home(at) is None:
        raise BadArgument(f"{at:#x} is not in any region of this run ({names})")
    return at
