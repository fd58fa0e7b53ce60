"""Memory: named buffers with guard zones, one tile or a grid of tiles in lock-step.

All buffers lie in one arena of bytes, so an address that differs from tile to tile is one strided copy (affine
addresses), or one gather (any others). Around each buffer is a guard zone that no access may touch, except as far as
the buffer was declared over-readable. In a grid, buffers are shared for reading and written disjointly: a byte that two
tiles write, or that one tile reads after another wrote it, raises `Divergence`. The stack of a grid is private to each
tile.

A second plane of the same shape holds the bits that nobody has written, for the shadow reading.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from neonsim.errors import BadArgument, Divergence, MemoryFault, UninitialisedRead
from neonsim.lanes import ElementType, Lanes, NumpyLanes, ShadowLanes, join, u8, view

__all__ = ["Buffer", "Memory", "Undo"]

BASE = 0x1000_0000        # address of the arena's first byte: fits both instruction sets
GUARD = 64                # bytes between buffers, at least
LIMIT = 1 << 30           # bytes of all buffers together
STACK_BYTES = 1 << 16
STACK_TOP = 0x0F00_0000   # the grid's private stack grows down from here

Array = npt.NDArray[Any]
Undo = Callable[[Array, Array], None]  # puts back what a store replaced, into (arena, unknown bits)
# Where the tiles' bytes are: (first offset, row step, column step, rows, columns), or any offsets [rows, columns].
_Where = tuple[int, int, int, int, int] | Array


@dataclass
class Buffer:
    """A named range of memory.

    address       of the first byte                 nbytes   size
    dtype, shape  as placed                         readonly stores are refused
    reads_before, reads_after  bytes outside that may be read
    scratch       the stack: unknown bytes may be stored there
    """

    name: str
    address: int
    nbytes: int
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    readonly: bool = False
    reads_before: int = 0
    reads_after: int = 0
    scratch: bool = False
    written: bool = False

    @property
    def end(self) -> int:
        return self.address + self.nbytes


@dataclass
class _Stack:
    """The private stack of a grid: byte by byte, each [1, rows or 1, columns or 1]; uniform values stay small."""

    cells: dict[int, tuple[Array, Array | None]] = field(default_factory=dict)


class Memory:
    """The buffers of a machine; see `place`, `alloc`, `fetch`."""

    def __init__(self, seed: int = 0) -> None:
        self._random = np.random.default_rng(seed)
        self._arena = self._poison(4096)
        self._unknown = np.full(4096, 255, np.uint8)
        self._owner: Array | None = None
        self._used = GUARD
        self._buffers: list[Buffer] = []
        self._starts: list[int] = []
        self._names: dict[str, Buffer] = {}
        self._stack: _Stack | None = None
        self.tiles: tuple[int, int] | None = None
        self.shadow = False
        self._ids: Array | None = None
        self._stack_buffer: Buffer | None = None

    # -- what users call
    def place(self, array: Any, name: str | None = None, reads_before: int = 0, reads_after: int = 0,
              readonly: bool = False, align: int = 64) -> int:
        """Copy an array into memory and return its address.

        array                      anything numpy takes; copied in C order
        name                       for messages and `fetch`; "buffer0" and so on if left out
        reads_before, reads_after  bytes outside the array that a program may read (not write)
        readonly                   refuse stores
        align                      the address is a multiple of it: a power of two, 64 or more

        Raises BadArgument for a name that exists, an object array, or more than 1 GiB in all.
        """
        try:
            data = np.ascontiguousarray(array)
        except ValueError as error:
            raise BadArgument(f"this is no array that can be placed: {error}") from None
        if data.dtype.hasobject:
            raise BadArgument(f"an array of Python objects ({data.dtype}) has no bytes to place: give it a dtype such "
                              "as uint8")
        shape = np.shape(array)
        buffer = self._new(name, data.nbytes, data.dtype, shape, reads_before, reads_after, readonly, align=align)
        at = buffer.address - BASE
        self._arena[at:at + buffer.nbytes] = data.reshape(-1).view(np.uint8)
        self._unknown[at:at + buffer.nbytes] = 0
        return buffer.address

    def alloc(self, nbytes: int, name: str | None = None, reads_before: int = 0, reads_after: int = 0) -> int:
        """Reserve ``nbytes`` uninitialised bytes and return their address.

        Raises as `place` does.
        """
        if isinstance(nbytes, bool) or not isinstance(nbytes, (int, np.integer)) or nbytes < 0:
            raise BadArgument(f"a buffer's size is a number of bytes, not {nbytes!r}")
        return self._new(name, int(nbytes), np.dtype(np.uint8), (int(nbytes),), reads_before, reads_after,
                         False).address

    def fill(self, address: int, data: bytes) -> None:
        """Write bytes into a buffer from outside, also a read-only one; they count as initialised.

        Raises BadArgument if no buffer holds them all.
        """
        if not any(b.address <= address and address + len(data) <= b.end for b in self._buffers):
            raise BadArgument(f"no buffer holds {len(data)} bytes from {address:#x}")
        at = address - BASE
        self._arena[at:at + len(data)] = np.frombuffer(data, np.uint8)
        self._unknown[at:at + len(data)] = 0

    def fetch(self, name: str, dtype: Any = None, shape: Any = None) -> Array:
        """Copy a buffer out of memory.

        dtype, shape   how to read its bytes; as placed if left out

        Raises BadArgument for an unknown name, or a dtype and shape that do not fit its size.
        """
        buffer = self.buffer(name)
        try:
            kind = buffer.dtype if dtype is None else np.dtype(dtype)
        except (TypeError, ValueError, SyntaxError):
            raise BadArgument(f"{dtype!r} is no element type: write one like \"uint8\" or \"int32\"") from None
        at = buffer.address - BASE
        raw = self._arena[at:at + buffer.nbytes].copy()
        if kind.hasobject or not kind.itemsize or buffer.nbytes % kind.itemsize:
            raise BadArgument(f'buffer "{name}" has {buffer.nbytes} bytes: that is no whole number of {kind}')
        flat = raw.view(kind)
        want = (buffer.shape if dtype is None else flat.shape) if shape is None else shape
        try:
            return flat.reshape(want)
        except (ValueError, TypeError):
            raise BadArgument(f'buffer "{name}" has {flat.size} elements of {kind}: they do not fill shape {want}') \
                from None

    def buffer(self, name: str) -> Buffer:
        """The buffer of this name; BadArgument lists those there are."""
        if not isinstance(name, str) or name not in self._names:
            raise BadArgument(f"there is no buffer {name!r}: "
                              + (f"there are {', '.join(self._names)}" if self._names else "none has been placed"))
        return self._names[name]

    @property
    def buffers(self) -> tuple[Buffer, ...]:
        return tuple(self._buffers)

    @property
    def arena(self) -> Array:
        """The bytes of all buffers, for engines that do their own checking; byte 0 has the address `base`."""
        return self._arena

    @property
    def base(self) -> int:
        return BASE

    def arguments_on_stack(self, tiles: tuple[int, int]) -> tuple[int, Array]:
        """What a grid's private stack holds so far: (address of the first byte, bytes [rows, columns, n])."""
        cells = self._stack.cells if self._stack is not None else {}
        first = min(cells, default=STACK_TOP)
        count = max(cells, default=first - 1) + 1 - first
        found = np.zeros((*tiles, count), np.uint8)
        for at, (value, _) in cells.items():
            found[..., at - first] = value[0]
        return first, found

    def refusal(self, address: int, nbytes: int, store: bool) -> str | None:
        """What is wrong with an access of one tile, in the reader's words; None if nothing is."""
        try:
            self._check(address, address, nbytes, store)
        except MemoryFault as problem:
            return str(problem)
        return None

    def __repr__(self) -> str:
        rows = [f"{b.address:#010x}  {b.nbytes:8d} bytes  {b.name}  {b.dtype}{list(b.shape)}"
                + ("  read-only" if b.readonly else "") for b in self._buffers]
        return "\n".join(rows) or "no buffers"

    # -- allocation
    def _poison(self, nbytes: int) -> Array:
        return self._random.integers(0, 256, nbytes, dtype=np.uint8)

    def _new(self, name: str | None, nbytes: int, dtype: np.dtype[Any], shape: tuple[int, ...], before: int, after: int,
             readonly: bool, scratch: bool = False, align: int = 64) -> Buffer:
        if name is None:
            name = next(f"buffer{i}" for i in range(len(self._names) + 1) if f"buffer{i}" not in self._names)
        if not isinstance(name, str) or not name:
            raise BadArgument(f"a buffer's name is a text, not {name!r}")
        if name == "stack" and not scratch:
            raise BadArgument('the name "stack" belongs to the machine: give this buffer another one')
        if name in self._names:
            raise BadArgument(f'a buffer "{name}" exists already: give this one another name')
        for value, what in ((before, "reads_before"), (after, "reads_after")):
            if not isinstance(value, (int, np.integer)) or not 0 <= value <= 1 << 20:
                raise BadArgument(f"{what} is a number of bytes from 0 to {1 << 20}, not {value!r}")
        start = self._used + GUARD + int(before)
        if align not in (1 << k for k in range(6, 21)):
            raise BadArgument(f"align is a power of two from 64 to {1 << 20}, not {align!r}")
        start += -start % align
        end = start + nbytes + int(after) + GUARD
        if end > LIMIT:
            raise BadArgument(f'buffer "{name}" of {nbytes} bytes is too large: all buffers together may have '
                              f"{LIMIT >> 30} GiB")
        if end > self._arena.size:
            grown = max(end, min(2 * self._arena.size, LIMIT))
            self._arena = np.concatenate([self._arena, self._poison(grown - self._arena.size)])
            self._unknown = np.concatenate([self._unknown, np.full(grown - self._unknown.size, 255, np.uint8)])
        self._used = end
        buffer = Buffer(name, BASE + start, nbytes, dtype, tuple(int(n) for n in shape), readonly, int(before),
                        int(after), scratch)
        self._buffers.append(buffer)
        self._starts.append(buffer.address - buffer.reads_before)
        self._names[name] = buffer
        return buffer

    def begin(self, tiles: tuple[int, int] | None, shadow: bool) -> int:
        """Make ready for a call: a fresh stack; returns the stack pointer. Called by the machine."""
        for buffer in self._buffers:
            if buffer.written and not self.shadow:
                # A run without the sanitizer did not say which bytes it wrote: from now on they count as known.
                self._unknown[buffer.address - BASE:buffer.end - BASE] = 0
            buffer.written = False
        self.tiles, self.shadow = tiles, shadow
        if tiles is not None:
            self._stack = _Stack()
            self._owner = np.zeros(self._arena.size, np.int32)
            self._ids = np.arange(1, tiles[0] * tiles[1] + 1, dtype=np.int32).reshape(1, 1, *tiles)
            return STACK_TOP
        self._stack = self._owner = None
        stack = self._stack_buffer
        if stack is None:
            stack = self._new("stack", STACK_BYTES, np.dtype(np.uint8), (STACK_BYTES,), 0, 0, False, scratch=True)
            self._stack_buffer = stack
        at = stack.address - BASE
        self._arena[at:at + stack.nbytes] = self._poison(stack.nbytes)
        self._unknown[at:at + stack.nbytes] = 255
        return stack.end

    # -- what the engine calls
    def load(self, address: Lanes, nbytes: int, type_: ElementType) -> Lanes:
        """``nbytes`` bytes from each tile's address, as lanes of ``type_``."""
        where = self._address(address)
        if self._stack is not None and where.size == 1 and self._on_stack(int(where.item()), nbytes):
            return self._load_stack(int(where.item()), nbytes, type_)
        at = self._offsets(where, nbytes, store=False)
        if self._owner is not None:
            self._check_owner(at, nbytes)
        value = NumpyLanes(self._cut(self._arena, at, nbytes, type_), type_)
        if not self.shadow:
            return value
        unknown = type_.of("u")
        return ShadowLanes(value, NumpyLanes(self._cut(self._unknown, at, nbytes, unknown), unknown))

    def store(self, address: Lanes, lanes: Lanes, undo: list[Undo]) -> None:
        """Write lanes at each tile's address; ``undo`` gets what takes it back, before anything is written."""
        where = self._address(address)
        value, unknown = (lanes.value, lanes.undefined) if isinstance(lanes, ShadowLanes) else (lanes, None)
        assert isinstance(value, NumpyLanes)
        nbytes = value.count * value.type.bytes
        if self._stack is not None and where.size == 1 and self._on_stack(int(where.item()), nbytes):
            self._store_stack(int(where.item()), value, unknown, undo)
            return
        at = self._offsets(where, nbytes, store=True)
        if unknown is not None:
            self._check_known(int(where.flat[0]), unknown)
        if self._owner is not None:
            self._claim(at, nbytes)
        self._paste(0, at, value, undo)
        if self.shadow:
            bits = value.type.of("u")
            self._paste(1, at, unknown or NumpyLanes(np.zeros_like(value.array, bits.dtype), bits), undo)

    def take_back(self, undo: Iterable[Undo]) -> None:
        """Undo stores, the last one first."""
        for put_back in undo:
            put_back(self._arena, self._unknown)

    def before(self, undo: Iterable[Undo]) -> list[tuple[Buffer, bytes, bytes | None]]:
        """(buffer, bytes, known: one byte per byte, or None for all) as they were before these stores, last one first.
        """
        arena, unknown = self._arena[:self._used].copy(), self._unknown[:self._used].copy()
        for put_back in undo:
            put_back(arena, unknown)
        return [(b, arena[b.address - BASE:b.end - BASE].tobytes(), self.known(b, unknown)) for b in self._buffers]

    def peek(self, address: int, nbytes: int) -> bytes:
        """Bytes at an address of one tile, without checks (for traces); on a grid's stack those of tile (0, 0)."""
        if self._stack is not None and self._on_stack(address, nbytes):
            return bytes(int(self._cell(self._stack, at)[0].flat[0]) for at in range(address, address + nbytes))
        return self._arena[address - BASE:address - BASE + nbytes].tobytes()

    def known(self, buffer: Buffer, plane: Array | None = None) -> bytes | None:
        """One byte per byte of a buffer, 1 if all its bits were written; None if everything was."""
        at = buffer.address - BASE
        mask = (self._unknown if plane is None else plane)[at:at + buffer.nbytes] == 0
        return None if mask.all() else mask.astype(np.uint8).tobytes()

    # -- addresses
    def _address(self, address: Lanes) -> Array:
        if isinstance(address, ShadowLanes):
            if address.undefined is not None:
                raise UninitialisedRead("the address depends on bits that nobody has written")
            address = address.value
        assert isinstance(address, NumpyLanes)
        return address.array

    def _offsets(self, where: Array, nbytes: int, store: bool) -> _Where:
        """How to reach the bytes, checked against the buffers."""
        if where.size == 1:
            address = int(where.item())
            self._check(address, address, nbytes, store)
            return address - BASE, 0, 0, 1, 1
        grid: Array = where.reshape(where.shape[1:]).astype(np.int64)
        rows, columns = grid.shape
        first = int(grid[0, 0])
        row = int(grid[1, 0]) - first if rows > 1 else 0
        column = int(grid[0, 1]) - first if columns > 1 else 0
        # Two rows or columns are always in line; more are looked at.
        if (rows > 2 or columns > 2 or (rows > 1 and columns > 1)) and not np.array_equal(
                grid, first + np.arange(rows)[:, None] * row + np.arange(columns) * column):
            return self._check_each(grid, nbytes, store)
        low = first + min(0, (rows - 1) * row) + min(0, (columns - 1) * column)
        high = first + max(0, (rows - 1) * row) + max(0, (columns - 1) * column)
        self._check(low, high, nbytes, store, grid)
        return first - BASE, row, column, rows, columns

    def _check(self, low: int, high: int, nbytes: int, store: bool, grid: Array | None = None) -> None:
        """All accesses from low to high + nbytes lie in one buffer."""
        at = bisect_right(self._starts, low) - 1
        if at >= 0:
            buffer = self._buffers[at]
            if store:
                inside = buffer.address <= low and high + nbytes <= buffer.end
            else:
                inside = high + nbytes <= buffer.end + buffer.reads_after
            if inside and not (store and buffer.readonly):
                buffer.written = buffer.written or store
                return
            if grid is not None and high != low:
                self._check_each(grid, nbytes, store)
                return
            raise MemoryFault(self._fault(low, nbytes, store))
        raise MemoryFault(self._fault(low, nbytes, store))

    def _check_each(self, grid: Array, nbytes: int, store: bool) -> Array:
        """Every tile's access on its own; the first bad one is named with its tile."""
        starts = np.array(self._starts, np.int64)
        ends = np.array([b.end if store else b.end + b.reads_after for b in self._buffers], np.int64)
        firsts = np.array([b.address if store else b.address - b.reads_before for b in self._buffers], np.int64)
        refused = np.array([store and b.readonly for b in self._buffers])
        index = np.searchsorted(starts, grid, side="right") - 1
        safe = np.maximum(index, 0)
        good: Any = ((index >= 0) & (grid >= firsts[safe]) & (grid + nbytes <= ends[safe]) & ~refused[safe]
                if len(starts) else np.zeros(grid.shape, bool))
        if not good.all():
            i, j = divmod(int(np.argmin(good)), good.shape[1])
            raise MemoryFault(f"tile ({i}, {j}): {self._fault(int(grid[i, j]), nbytes, store)}")
        if store:
            for k in np.unique(index):
                self._buffers[int(k)].written = True
        return grid - BASE

    def _fault(self, address: int, nbytes: int, store: bool) -> str:
        """What is wrong with an access, in the reader's words."""
        does = f"{'writes' if store else 'reads'} {nbytes} byte{'s' if nbytes != 1 else ''} at {address:#x}"
        at = bisect_right(self._starts, address) - 1
        near = min(self._buffers[max(at, 0):at + 2], default=None,
                   key=lambda b: max(b.address - address, address - b.end + 1, 0))
        if near is not None and store and near.readonly and near.address <= address < near.end:
            return f'{does}, but buffer "{near.name}" is read-only'
        if near is not None and near.address - 256 <= address < near.end + 256:
            return f"{does}: {self._relation(near, address, nbytes, store)}"
        return (f"{does}, where no buffer is. Buffers: "
                + (", ".join(f"{b.name} {b.address:#x}..{b.end:#x}" for b in self._buffers[:8]) or "none"))

    @staticmethod
    def _relation(buffer: Buffer, address: int, nbytes: int, store: bool) -> str:
        size = f'buffer "{buffer.name}" ({buffer.nbytes} bytes)'
        allowed = ""
        if not store and (buffer.reads_before or buffer.reads_after):
            allowed = f"; {buffer.reads_before} bytes before and {buffer.reads_after} after it may be read"
        if address < buffer.address:
            return f"that is {buffer.address - address} bytes before {size}{allowed}"
        past = address + nbytes - buffer.end
        return f"offset {address - buffer.address} of {size}, {past} bytes past its end{allowed}"

    # -- bytes
    def _window(self, plane: Array, at: tuple[int, int, int, int, int], count: int, dtype: np.dtype[Any]) -> Array:
        """Lanes first, as a view: [count], on a grid [count, rows or 1, columns or 1]. Steps are in elements of plane.
        """
        first, row, column, rows, columns = at
        unit, size = plane.itemsize, dtype.itemsize
        if self.tiles is None:
            return np.ndarray((count,), dtype, plane, first * unit, (size,))
        return np.ndarray((count, rows, columns), dtype, plane, first * unit, (size, row * unit, column * unit))

    def _cut(self, plane: Array, at: _Where, nbytes: int, type_: ElementType) -> Array:
        """Lanes-first copy of the bytes of every tile; type_ of up to 64 bits."""
        if isinstance(at, tuple):
            return self._window(plane, at, nbytes // type_.bytes, type_.dtype).copy()
        lanes: Array = view(NumpyLanes(plane[_bytes_at(at, nbytes)], u8), type_).array
        return lanes

    def _paste(self, which: int, at: _Where, value: NumpyLanes, undo: list[Undo]) -> None:
        """Write into the arena (0) or the unknown bits (1)."""
        plane = self._unknown if which else self._arena
        if not isinstance(at, tuple):
            index = _bytes_at(at, value.count * value.type.bytes)
            replaced = plane[index]

            def put_gathered(*planes: Array) -> None:
                planes[which][index] = replaced
            undo.append(put_gathered)
            plane[index] = np.broadcast_to(view(value, u8).array, index.shape)
            return
        window = self._window(plane, at, value.count, value.type.dtype)
        old, first = window.copy(), at[0]
        shape, dtype, strides = window.shape, window.dtype, window.strides

        def put_back(*planes: Array) -> None:
            np.ndarray(shape, dtype, planes[which], first, strides)[...] = old
        undo.append(put_back)
        window[...] = value.array

    def _check_known(self, address: int, unknown: NumpyLanes) -> None:
        at = bisect_right(self._starts, address) - 1
        buffer = self._buffers[at]
        if buffer.scratch:
            return
        mask: Array = view(unknown, u8).array
        byte = int(np.argmax((mask != 0).reshape(mask.shape[0], -1).any(axis=1)))
        raise UninitialisedRead(f'stores bits that nobody has written to buffer "{buffer.name}", offset '
                                f"{address - buffer.address + byte}")

    # -- who wrote what, in a grid
    def _owners(self, at: _Where, nbytes: int) -> Array:
        """Owner of each byte, 0 for none: [bytes, rows, columns], a view unless gathered."""
        assert self._owner is not None
        if isinstance(at, tuple):
            return self._window(self._owner, at, nbytes, self._owner.dtype)
        owners: Array = self._owner[_bytes_at(at, nbytes)]
        return owners

    def _claim(self, at: _Where, nbytes: int) -> None:
        assert self._ids is not None and self._owner is not None and self.tiles is not None
        owners, ids = self._owners(at, nbytes), self._ids[0]
        if owners.shape[1:] != self.tiles:  # fewer addresses than tiles
            raise Divergence("two tiles write the same byte, the address does not differ between tiles: give every "
                             "tile its own output")
        if not ((owners == 0) | (owners == ids)).all():
            self._overlap(owners, ids)
        if isinstance(at, tuple):
            owners[...] = ids
        else:
            index = _bytes_at(at, nbytes)
            self._owner[index] = np.broadcast_to(ids, index.shape)
            owners = self._owner[index]
        if not (owners == ids).all():
            self._overlap(owners, ids)

    def _check_owner(self, at: _Where, nbytes: int) -> None:
        if not any(b.written for b in self._buffers):
            return
        assert self._ids is not None
        owners = self._owners(at, nbytes)
        if not ((owners == 0) | (owners == self._ids[0])).all():
            raise Divergence("a tile reads a byte that another tile has written: in lock-step the order would matter. "
                             "Run the second step as a call of its own")

    def _overlap(self, owners: Array, ids: Array) -> None:
        assert self.tiles is not None
        wrong = np.argwhere((owners != 0) & (owners != ids))
        _, i, j = (int(n) for n in wrong[0])
        other = divmod(int(np.broadcast_to(owners, (owners.shape[0], *ids.shape[1:]))[tuple(wrong[0])]) - 1,
                       self.tiles[1])
        raise Divergence(f"tiles ({i}, {j}) and {other} write the same byte: give every tile its own output")

    # -- the private stack
    @staticmethod
    def _on_stack(address: int, nbytes: int) -> bool:
        return address >= STACK_TOP - STACK_BYTES and address + nbytes <= STACK_TOP

    def _cell(self, stack: _Stack, at: int) -> tuple[Array, Array | None]:
        if at not in stack.cells:  # nobody wrote here
            stack.cells[at] = self._poison(1).reshape(1, 1, 1), np.full((1, 1, 1), 255, np.uint8)
        return stack.cells[at]

    def _load_stack(self, address: int, nbytes: int, type_: ElementType) -> Lanes:
        assert self._stack is not None
        parts: list[Lanes] = []
        for at in range(address, address + nbytes):
            value, unknown = self._cell(self._stack, at)
            lanes = NumpyLanes(value, u8)
            parts.append(ShadowLanes(lanes, None if unknown is None else NumpyLanes(unknown, u8)) if self.shadow else
                         lanes)
        return view(join(parts[0], *parts[1:]), type_)

    def _store_stack(self, address: int, value: NumpyLanes, unknown: NumpyLanes | None, undo: list[Undo]) -> None:
        assert self._stack is not None
        cells = self._stack.cells
        data = view(value, u8).array
        mask = None if unknown is None else view(unknown, u8).array
        replaced = {at: self._cell(self._stack, at) for at in range(address, address + len(data))}
        undo.append(lambda *planes: cells.update(replaced))
        for i in range(len(data)):
            cells[address + i] = (data[i:i + 1], None if mask is None else mask[i:i + 1])


def _bytes_at(offsets: Array, nbytes: int) -> Array:
    """The offsets of all bytes: [bytes, rows, columns]."""
    index: Array = offsets[None] + np.arange(nbytes).reshape(-1, 1, 1)
    return index
