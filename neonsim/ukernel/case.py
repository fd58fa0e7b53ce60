"""One call of a kernel, apart from any machine: arguments, memory, and what must stand in memory afterwards.

A case says what is in memory and what is passed; where the memory lies, and how wide a pointer is, belongs to its
runner (the emulated machine, the C library, a driver under QEMU). The definition of the contract is applied to a copy
of the memory, through views that follow from the contract's arguments, so that `expected` tells every byte of every
region: also those between the rows of a strided output, which must stay.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.errors import BadArgument
from neonsim.ukernel.contract import Argument, Contract, In, Indirect, InOut, Out, Packed, Pointee, Scratch

__all__ = ["CANARY", "RETURNED", "At", "Case", "CaseRegion", "Pointers", "axes", "build", "steps"]

CANARY = 0xA5
RETURNED = "returned value"     # its name among what a call leaves behind; no argument is called so
_SIZE = re.compile(r"([*/:+])")


@dataclass(frozen=True)
class At:
    """An address: n bytes into a region."""

    region: str
    offset: int = 0


@dataclass(frozen=True, eq=False)
class CaseRegion:
    """A piece of memory.

    data       uint8 [bytes]       before the call; of a table of pointers empty
    role       str                 in | out | scratch | table | block (packed weights, parameters)
    pointers   tuple[At, ...]      what a table points at
    dtype      str                 of its elements; "" where they are of several kinds
    written    bool                False: its data is uninitialized, as of an output
    skew       int                 bytes that its address lies behind a multiple of 64
    """

    data: NDArray[np.uint8]
    role: str
    pointers: tuple[At, ...] = ()
    dtype: str = ""
    written: bool = True
    skew: int = 0

    def nbytes(self, pointer_bytes: int) -> int:
        """Size on a machine with pointers of that size."""
        return len(self.pointers) * pointer_bytes if self.role == "table" else int(self.data.size)


@dataclass(frozen=True, eq=False)
class Pointers:
    """An indirection buffer to build a case from: rows of bytes here and there, and which pointer means which row.

    areas     {name: uint8 [bytes]}   what is pointed into: an image, a row of zeros
    entries   list[At]                in the order in which they lie in memory
    """

    areas: dict[str, NDArray[np.uint8]]
    entries: list[At]


class _Table:
    """What a definition sees of a table of pointers (contract.PointerTable)."""

    def __init__(self, region: CaseRegion, memory: Mapping[str, NDArray[np.uint8]], nbytes: int, dtype: str,
                 offset: int = 0, zero: At | None = None, instead: At | None = None) -> None:
        self.region, self.memory, self.nbytes, self.dtype = region, memory, nbytes, dtype
        self.offset, self.zero, self.instead = offset, zero, instead or zero

    def __len__(self) -> int:
        return len(self.region.pointers)

    def _row(self, at: At) -> NDArray[np.uint8]:
        place = self.instead if at == self.zero and self.instead is not None else At(at.region, at.offset + self.offset)
        return self.memory[place.region][place.offset:place.offset + self.nbytes]

    def take(self, index: NDArray[np.int64]) -> NDArray[Any]:
        rows = [self._row(self.region.pointers[i]) for i in np.asarray(index).reshape(-1)]
        return np.stack(rows).view(self.dtype).reshape(*np.shape(index), -1)


class _Blocks:
    """An output whose columns lie in blocks: takes the whole matrix, ``c[...] = values``, and spreads it."""

    def __init__(self, shape: tuple[int, ...], parts: list[NDArray[Any]]) -> None:
        self.shape, self.parts = shape, parts

    def __setitem__(self, key: Any, values: NDArray[Any]) -> None:
        assert key is Ellipsis
        width = self.parts[0].shape[1]
        for j, part in enumerate(self.parts):
            part[...] = np.broadcast_to(values, self.shape)[:, j * width:j * width + part.shape[1]]


@dataclass(frozen=True, eq=False)
class Case:
    """One call.

    name       str                 what is special about it
    contract   Contract
    values     dict[str, int | At] by argument, in ABI order; pointer strides counted in pointers
    memory     dict[str, Region]
    objects    dict[str, Any]      packed weights and parameters, as the definition sees them
    """

    name: str
    contract: Contract
    values: dict[str, int | At]
    memory: dict[str, CaseRegion]
    objects: dict[str, Any] = field(default_factory=dict)

    @property
    def sizes(self) -> tuple[int, ...]:
        """What kernels branch on: calls with equal sizes may run in lock-step."""
        return tuple(self.number(a.name) for a in self.contract.arguments if a.kind == "size")

    def number(self, name: str) -> int:
        """An argument that is no address."""
        value = self.values[name]
        assert not isinstance(value, At)
        return value

    @cached_property
    def expected(self) -> dict[str, NDArray[np.uint8]]:
        """Every region after the call, by the definition; scratch as it was, tables left out; what is returned."""
        memory = self._bytes()
        returned = self.contract(**self._views(memory))
        if self.contract.returns:
            memory[RETURNED] = np.array([returned]).astype(self.contract.returns).view(np.uint8)
        return memory

    def views(self, memory: Mapping[str, NDArray[np.uint8]] | None = None) -> dict[str, Any]:
        """What the definition sees of each argument before the call, on memory of its own; or in ``memory``."""
        return self._views({**self._bytes(), **(memory or {})})

    def _bytes(self) -> dict[str, NDArray[np.uint8]]:
        return {name: region.data.copy() for name, region in self.memory.items() if region.role != "table"}

    def _views(self, memory: dict[str, NDArray[np.uint8]]) -> dict[str, Any]:
        return {a.name: self._view(a, memory) for a in self.contract.arguments if a.name in self.contract.takes}

    def _view(self, argument: Argument, memory: dict[str, NDArray[np.uint8]]) -> Any:
        value, note = self.values[argument.name], argument.memory
        if argument.name in self.objects:
            return self.objects[argument.name]
        if not isinstance(value, At):
            return value
        assert note is not None
        if isinstance(note, Scratch):
            return None
        kind = np.dtype(note.dtype)
        if isinstance(note, Indirect):
            nbytes = int(np.prod(axes(note, self.values))) * kind.itemsize
            offset = self.number(note.offset) if note.offset is not None else 0
            zero, instead = (self.values[n] if n is not None else None for n in (note.zero, note.fallback))
            return _Table(self.memory[value.region], memory, nbytes, note.dtype, offset,
                          zero if isinstance(zero, At) else None, instead if isinstance(instead, At) else None)
        shape = axes(note, self.values)
        if note.blocks is not None:
            inside = steps(note, shape, kind, self.values)
            parts = [np.ndarray((shape[0], width), kind, memory[value.region], value.offset + at, inside)
                     for at, width in column_blocks(note, self.values, columns_of(self.objects))]
            return _Blocks(shape, parts)
        return np.ndarray(shape, kind, memory[value.region], value.offset, steps(note, shape, kind, self.values))


def axes(memory: Pointee, values: Mapping[str, int | At]) -> tuple[int, ...]:
    """The sizes of an array's axes, from the call's numbers: "mr kc", "3 n", "k/2", "n*2", "n+2", "channels:8" (rounded
    up)."""
    found = []
    for word in memory.shape.split():
        name, *changes = _SIZE.split(word)
        size = int(name) if name.isdigit() else values[name]
        assert not isinstance(size, At)
        for sign, number in zip(changes[::2], map(int, changes[1::2]), strict=True):
            size = (size * number if sign == "*" else size // number if sign == "/" else size + number if sign == "+"
                    else -(-size // number) * number)
        found.append(size)
    return tuple(found)


def steps(memory: Pointee, shape: tuple[int, ...], kind: np.dtype[Any], values: Mapping[str, Any]) -> tuple[int, ...]:
    """Bytes from one element to the next along each axis."""
    found = [kind.itemsize]
    for size in reversed(shape[1:]):
        found.insert(0, found[0] * size)
    if memory.stride is not None and len(shape) > 1:
        found[0] = values[memory.stride]
    if memory.gap is not None:
        found[0] += values[memory.gap]
    return tuple(found)


def columns_of(objects: Mapping[str, Any]) -> int:
    """Columns of a block of an output with ``blocks=``: as many as a block of the packed weights has."""
    return next(int(value.nr) for value in objects.values() if hasattr(value, "nr"))


def column_blocks(memory: Pointee, values: Mapping[str, Any], width: int) -> list[tuple[int, int]]:
    """(offset in bytes, columns) of every block of an output with ``blocks=``."""
    columns, apart = axes(memory, values)[-1], values[memory.blocks or ""]
    return [(i * apart, min(width, columns - i * width)) for i in range(-(-columns // width))]


def _place(memory: Pointee, values: Mapping[str, Any], array: NDArray[Any] | None, what: str,
           width: int = 0) -> NDArray[np.uint8]:
    """The bytes of an array as it lies in memory, what lies between its rows included; width: columns of a block."""
    shape, kind = axes(memory, values), np.dtype(memory.dtype)
    distances = steps(memory, shape, kind, values)
    if memory.blocks is not None:
        # No block reaches into the next one: they lie side by side in a row, or apart.
        last = max(at + (n - 1) * kind.itemsize for at, n in column_blocks(memory, values, width))
        return np.full((shape[0] - 1) * distances[0] + last + kind.itemsize, CANARY, np.uint8)
    nbytes = sum((n - 1) * step for n, step in zip(shape, distances, strict=True)) + kind.itemsize
    # No two bytes between the rows alike, so that a row read from the wrong place shows.
    data = (np.arange(nbytes) * 37 % 251).astype(np.uint8) if array is not None else np.full(nbytes, CANARY, np.uint8)
    if array is not None:
        if np.shape(array) != shape:
            raise BadArgument(f"{what} must be {memory.dtype} {list(shape)}; got {list(np.shape(array))}.")
        np.ndarray(shape, kind, data, 0, distances)[...] = array
    return data


NUMBER_KINDS = ("size", "stride", "pointers", "int32", "number")


def build(contract: Contract, name: str, **given: Any) -> Case:
    """A case from what the definition sees: arrays, sizes, packed weights, parameters; outputs are left out.

    given   numbers as they are; an array for In and InOut; `Pointers` for Indirect; an object with ``data`` for Packed,
            parameters that `packing.block_of` knows; for Out nothing, or the name of the input it is written over (in
            place)
    """
    if missing := [a.name for a in contract.arguments if a.kind in NUMBER_KINDS
                   and a.name not in given]:
        raise BadArgument(f"a case of {contract.name} also needs {', '.join(missing)}.")
    values: dict[str, Any] = {a.name: given[a.name] for a in contract.arguments
                              if a.kind in NUMBER_KINDS}
    # A list of kernels needs no layouts.
    from neonsim.ukernel.packing.param_blocks import block_of

    memory: dict[str, CaseRegion] = {}
    objects: dict[str, Any] = {}
    for argument in contract.arguments:
        key, note = argument.name, argument.memory
        value: Any = given.get(key)
        if argument.kind == "params":
            memory[key], objects[key] = CaseRegion(np.frombuffer(block_of(value), np.uint8).copy(), "block"), value
        elif isinstance(note, Packed):
            memory[key], objects[key] = CaseRegion(value.data, "block"), value
        elif isinstance(note, Indirect):
            memory |= {area: CaseRegion(data, "in", dtype=note.dtype) for area, data in value.areas.items()}
            memory[key] = CaseRegion(np.zeros(0, np.uint8), "table", tuple(value.entries))
        elif isinstance(value, str):
            continue
        elif isinstance(note, In | Out | InOut | Scratch):
            role = "in" if isinstance(note, In) else "scratch" if isinstance(note, Scratch) else "out"
            width = columns_of(given) if note.blocks is not None else 0
            memory[key] = CaseRegion(_place(note, values, value, key, width), role, dtype=note.dtype,
                                     written=value is not None)
        else:
            continue
        values[key] = At(key)
    for argument in contract.arguments:
        value = given.get(argument.name)
        if isinstance(argument.memory, Out) and isinstance(value, str):
            memory[value] = replace(memory[value], role="out")
            values[argument.name] = At(value)
        elif isinstance(argument.memory, In) and isinstance(value, str):
            values[argument.name] = At(value)
    return Case(name, contract, {a.name: values[a.name] for a in contract.arguments}, memory, objects)
