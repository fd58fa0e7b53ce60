"""Which bytes of a call are unknown, and what each value is called: the same name means the same value in two kernels.

A value is named by what it is (the weight of channel 3, depth 5), not by where it lies: kernels with other tiles have
other packings. What belongs to no value (bytes between rows, outputs before the call) is junk of that kernel alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.arm.semantics import ElementType, element
from neonsim.errors import BadArgument
from neonsim.ukernel import Case
from neonsim.ukernel.case import At, axes, column_blocks, columns_of, steps
from neonsim.ukernel.contract import In, Indirect, InOut, Out, Packed, Pointee
from neonsim.ukernel.packing.depthwise import DepthwiseLayout
from neonsim.ukernel.packing.float32 import FloatLayout
from neonsim.ukernel.packing.gemm_layout import BIAS, PADDING, TAIL, WEIGHT, GemmLayout
from neonsim.ukernel.packing.param_blocks import block_of

__all__ = ["Name", "UnknownValue", "outputs_of", "sums_of", "values_of"]

Name = tuple[Any, ...]


@dataclass(frozen=True)
class UnknownValue:
    """One unknown value in memory.

    name     what it is             region, offset   where it lies in this kernel's call
    type     its element type       bounds           None: any value of the type
    """

    name: Name
    region: str
    offset: int
    type: ElementType
    bounds: tuple[int, int] | None = None


def _type(dtype: str) -> ElementType:
    kind = np.dtype(dtype)
    return element("s" if kind.kind == "i" else "u", 8 * kind.itemsize)


def values_of(case: Case, weights: tuple[int, int]) -> Iterator[UnknownValue]:
    """All unknown values of a call; ``weights`` are the bounds of signed ones."""
    for argument in case.contract.arguments:
        name, note, at = argument.name, argument.memory, case.values[argument.name]
        if argument.kind == "params":
            # Byte by byte: whatever widths the fields have, a kernel puts them together.
            yield from (UnknownValue(("params", i), name, i, element("u", 8)) for i
                        in range(case.memory[name].data.size))
        elif isinstance(note, Packed):
            yield from _packed(case, name, note, weights)
        elif isinstance(note, Indirect):
            yield from _gathered(case, name, note)
        elif isinstance(note, In | InOut) and isinstance(at, At) and at.region == name:
            yield from (UnknownValue((name, *index), at.region, at.offset + offset, _type(note.dtype))
                        for index, offset in _elements(note, case))


def _elements(note: Pointee, case: Case) -> Iterator[tuple[tuple[int, ...], int]]:
    """(index, offset in bytes) of every element of an array."""
    shape = axes(note, case.values)
    if note.blocks is not None:
        width = columns_of(case.objects)
        row, size = case.number(note.stride or ""), np.dtype(note.dtype).itemsize
        for block, (at, columns) in enumerate(column_blocks(note, case.values, width)):
            yield from (((i, block * width + j), i * row + at + j * size) for i in range(shape[0])
                        for j in range(columns))
        return
    distances = steps(note, shape, np.dtype(note.dtype), case.values)
    yield from ((index, sum(i * d for i, d in zip(index, distances, strict=True))) for index in np.ndindex(*shape))


def _gathered(case: Case, name: str, note: Indirect) -> Iterator[UnknownValue]:
    """Rows behind pointers: of tap t and row i, whichever tile the table is for."""
    entries, shape = case.memory[name].pointers, axes(note, case.values)
    # Of other operations than products every pointer is a row of its own.
    taps = case.number("ks") if "ks" in case.values else len(entries)
    added = case.number(note.offset) if note.offset else 0
    rows, zero = len(entries) // taps, case.values.get(note.zero or "")
    instead = case.values[note.fallback] if note.fallback else zero
    kind, seen = _type(note.dtype), set()
    for n, at in enumerate(entries):
        place = instead if at == zero else At(at.region, at.offset + added)
        assert isinstance(place, At)
        if place in seen or (at == zero and note.fallback):
            continue  # the row that is read instead is an argument of its own
        seen.add(place)
        called = ("zero",) if at == zero else (name, n // rows, n % rows)
        yield from (UnknownValue((*called, k), place.region, place.offset + k * kind.bytes, kind) for k
                    in range(shape[-1]))


def _packed(case: Case, name: str, note: Packed, weights: tuple[int, int]) -> Iterator[UnknownValue]:
    layout, kind = case.objects[name].layout, _type(note.dtype)
    bounds = weights if kind.kind == "s" and kind.bits == 8 else None
    word = element("s", 32)
    if isinstance(layout, GemmLayout):
        yield from _product_weights(case, name, kind, bounds)
    elif isinstance(layout, DepthwiseLayout):
        for n in range(layout.channels):
            yield UnknownValue(("bias", 0, n), name, int(layout.bias_offset(n)), word)
            yield from (UnknownValue(("w", n, t), name, int(layout.weight_offset(n, t)), kind, bounds)
                        for t in range(layout.taps))
            if layout.scaled:
                yield UnknownValue(("tail", 0, n), name, int(layout.scale_offset(n)), word)
    elif isinstance(layout, FloatLayout):
        for n in range(layout.n):
            yield UnknownValue(("bias", 0, n), name, layout.bias_offset(n), word)
            yield from (UnknownValue(("w", n, k), name, layout.weight_offset(n, k), word) for k in range(layout.k))
    else:
        raise BadArgument(f"the packed weights of {case.contract.name} have no symbolic names, so claims cannot refer "
                          f"to them")


def _product_weights(case: Case, name: str, kind: ElementType, weights: tuple[int, int]
                     | None) -> Iterator[UnknownValue]:
    made = case.objects[name]
    table = made.layout.table()
    word, zero_point = element("s", 32), _zero_point(case)
    for at in range(len(table.kind)):
        what, n = int(table.kind[at]), int(table.channel[at])
        if what == WEIGHT:
            yield UnknownValue(("w", n, int(table.depth[at])), name, at, kind, weights)
        elif what in (BIAS, TAIL) and table.part[at] == 0:
            inside = at % made.layout.block_bytes
            row = inside // (4 * made.nr) if what == BIAS else (
                made.layout.block_bytes - inside - 1) // (4 * made.nr) + 1
            yield UnknownValue(("bias" if what == BIAS else "tail", row, n), name, at, word)
        elif what == PADDING and zero_point is not None and made.padding == made.w_zero_point:
            yield UnknownValue(("params", zero_point), name, at, element("u", 8))


def _zero_point(case: Case) -> int | None:
    """The byte of the parameters that holds the zero point of the weights: padding is that, whatever it is."""
    params: Any = next((case.objects[a.name] for a in case.contract.arguments if a.kind == "params"), None)
    if not case.contract.name.startswith("qu8") or not hasattr(params, "w_zero_point"):
        return None
    blocks = [np.frombuffer(block_of(replace(params, w_zero_point=value)), np.uint8) for value in (1, 2)]
    where: NDArray[np.int64] = np.flatnonzero(blocks[0] != blocks[1])
    return int(where[0])


def sums_of(case: Case) -> dict[Name, tuple[Name, tuple[Name, ...]]]:
    """Return what the row sums of the dual-issue product are: {name: (zero point of the weights, the row)}, of which
    each is minus the zero point times the sum of the row."""
    zero_point = _zero_point(case)
    if zero_point is None or case.contract.name != "qu8_gemm_xzp_q31":
        return {}
    depths = range(case.number("kc"))
    return {("a_sum", i): (("params", zero_point), tuple(("a", i, k) for k in depths))
            for i in range(case.number("mr"))}


def outputs_of(case: Case) -> dict[Name, tuple[str, int, ElementType]]:
    """Every element of what the call must write: (argument, index ...) -> (region, offset, element type)."""
    found: dict[Name, tuple[str, int, ElementType]] = {}
    for argument in case.contract.arguments:
        note, at = argument.memory, case.values[argument.name]
        if isinstance(note, Out | InOut) and isinstance(at, At):
            found |= {(argument.name, *index): (at.region, at.offset + offset, _type(note.dtype))
                      for index, offset in _elements(note, case)}
    return found
