"""Memory: named buffers with guard zones, one tile or a grid of tiles in lock-step.

All buffers lie in one arena of bytes, so an address that differs from tile to tile is one strided copy (affine
addresses), or one gather (any others). `guard` says which bytes an access may touch, `owners` which tile of a grid they
belong to, `windows` where they are; the stack of a grid is private to each tile (`private_stack`).

A second plane of the same shape holds the uninitialized bits, for the shadow interpretation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from neonsim.arm.semantics import ElementType, Lanes, NumpyLanes, ShadowLanes, u8, view
from neonsim.common.integers import as_int
from neonsim.common.limits import MAX_MEMORY_BYTES, STACK_BYTES
from neonsim.common.locking import Serialized, reentrant
from neonsim.common.pcg64 import Pcg64
from neonsim.errors import BadArgument

from .arguments import DTYPES, declared, with_size
from .grid_stack import STACK_TOP, PrivateStack
from .layout import BASE, CALLER_FRAME, GUARD, PROGRAMS, Layout
from .races import RaceDetector
from .regions import Buffer, RegionMap
from .strided import Addresses, Affine, affine, offsets, window
from .violations import violation

__all__ = ["Buffer", "Memory", "Undo"]

Array = npt.NDArray[Any]
# Puts back what a store replaced, into (arena, unknown bits); if True also what is kept beside them.
Undo = Callable[[Array, Array, bool], None]


def copy_generator(random: np.random.Generator) -> np.random.Generator:
    """Return the same numbers from a new generator: a thread that a fork left behind may hold the lock of the old
    one."""
    made = np.random.PCG64(0)
    made.state = random.bit_generator.state  # type: ignore[assignment]  # numpy's stub is narrower than its setter
    return np.random.Generator(made)


_ALIGNMENTS = frozenset(1 << k for k in range(6, 21))


@lru_cache(maxsize=4)
def _programs(seed: int) -> Array:
    """Junk where programs' data will be; its users copy it."""
    return np.random.default_rng((seed, 1)).integers(0, 256, PROGRAMS, dtype=np.uint8)


class Memory(Serialized):
    """The buffers of a machine; see `place`, `alloc`, `fetch`."""

    def __init__(self, seed: int = 0) -> None:
        self._random = np.random.default_rng(as_int(seed, "seed", 0))
        self._arena = np.concatenate([_programs(seed), self._poison(4096)])
        self._unknown = np.full(PROGRAMS + 4096, 255, np.uint8)
        self._layout = Layout()
        self._guard = RegionMap()
        self._buffers = self._guard.buffers
        self._names: dict[str, Buffer] = {}
        self.tiles: tuple[int, int] | None = None
        self.shadow = False
        self._owners: RaceDetector | None = None      # on a grid
        self._stack: PrivateStack | None = None  # on a grid

    def _forked(self) -> None:
        super()._forked()
        self._random = copy_generator(self._random)
        if self._stack is not None:
            self._stack.random = self._random

    # -- what users call
    @reentrant
    def place(self, array: Any, name: str | None = None, reads_before: int = 0, reads_after: int = 0,
              readonly: bool = False, align: int = 64, initialized: bool = True, typed: bool = True,
              skew: int = 0) -> int:
        """Copy an array into memory and return its address.

        array                      anything numpy takes; copied in C order
        name                       for messages and `fetch`; "buffer0" and so on if left out
        reads_before, reads_after  bytes outside the array that a program may read (not write)
        readonly                   refuse stores
        align                      the address is a multiple of it: a power of two, 64 or more
        initialized                False: its values count as uninitialized, as after `alloc`
        typed                      False: its dtype says nothing, these are bytes
        skew                       bytes that the address lies behind a multiple of ``align``, 0 to 63

        Raises BadArgument for a name that exists, an object array, or more than 1 GiB in all.
        """
        try:
            data = np.ascontiguousarray(array)
        except ValueError as error:
            raise BadArgument(f"this array cannot be placed: {error}") from None
        if data.dtype.kind == "U":
            raise BadArgument("text must be placed as bytes: np.frombuffer(text.encode(), np.uint8)")
        if data.dtype.hasobject:
            raise BadArgument(f"an array of Python objects ({data.dtype}) has no bytes to place. Use a dtype such as "
                              f"uint8")
        shape = np.shape(array)
        buffer = self._new(name, data.nbytes, data.dtype, shape, reads_before, reads_after, readonly, align=align,
                           skew=as_int(skew, "skew, in bytes,", 0, 63))
        buffer.typed = bool(typed)
        at = buffer.address - BASE
        self._arena[at:at + buffer.nbytes] = data.reshape(-1).view(np.uint8)
        self._unknown[at:at + buffer.nbytes] = 0 if initialized else 255
        return buffer.address

    @reentrant
    def alloc(self, size: int | str, name: str | None = None, reads_before: int = 0, reads_after: int = 0) -> int:
        """Reserve uninitialised memory and return its address.

        size   bytes, or elements as "s32*4" and "s32*4x8" (see `declare`)

        Raises as `place` does.
        """
        kind, shape = with_size(size) if isinstance(size, str) and "*" in size else (
            "", (as_int(size, "the size of a buffer, in bytes,", 0),))
        return self._reserve(name, kind, shape, reads_before, reads_after)

    @reentrant
    def declare(self, word: str, name: str | None = None, random: Pcg64 | None = None) -> Any:
        """Place what a word says, as on the command line: "u8:1,2,3", "c=out:s32*4", "w=s8*64", "12", "f32:1.5", "c+4".

        name     for a region whose word gives none     random   for elements that it leaves open
        ->       its address; a number is given back as it is, as a scalar of numpy where the word says its type

        Raises BadArgument for what is no such word (see `neonsim.arm.machine.memory.arguments`), and as `place` does.
        """
        said = declared(word, random)
        if said.value is not None:
            return said.number
        if said.place is not None:
            return self.buffer(said.place[0]).address + said.place[1]
        called = said.name or name
        if said.data is None:
            return self._reserve(called, said.kind, said.shape)
        return self.place(said.array, called, typed=bool(said.kind))

    @reentrant
    def place_recorded(self, name: str, address: int, before: bytes, defined: bytes | None, dtype: str,
                    shape: tuple[int, ...], *, readonly: bool = False, reads_before: int = 0,
                    reads_after: int = 0, typed: bool = True) -> None:
        """Place a buffer of a recorded run where it was, with what it held; in the order of their addresses.

        Raises BadArgument if there is no room at that address.
        """
        if address - BASE < self._layout.used + GUARD + reads_before:
            raise BadArgument(f'there is no room for the buffer "{name}" at {address:#x}')
        self._layout.used = address - BASE - GUARD - reads_before
        buffer = self._new(name, len(before), np.dtype(dtype), shape, reads_before, reads_after, readonly,
                           skew=address % 64)
        buffer.typed = typed
        at = buffer.address - BASE
        self._arena[at:at + buffer.nbytes] = np.frombuffer(before, np.uint8)
        if defined is None:
            self._unknown[at:at + buffer.nbytes] = 0
        else:
            self._unknown[at:at + buffer.nbytes] = np.where(np.frombuffer(defined, np.uint8) != 0, 0, 255)

    def place_data(self, name: str, data: bytes, readonly: bool, align: int) -> int:
        """Copy a program's data into memory, if there is room where programs are, and return its address."""
        buffer = self._new(name, len(data), np.dtype(np.uint8), (len(data),), 0, 0, readonly, align=align, program=True)
        buffer.typed = False
        self.fill(buffer.address, data)
        return buffer.address

    def place_code(self, rows: list[tuple[str, int, int]], nbytes: int, align: int, reads_after: int) -> int:
        """Room for code with read-only data in it; returns its address.

        rows     (name, offset in the code, bytes) of each run of data, in order; nothing else in the code can be read
        nbytes   of all the code
        """
        _, offset, size = rows[-1]
        start = self._room(max(nbytes, offset + size + reads_after), 0, 0, align, "a program", True)
        for name, offset, size in rows:
            self._add(Buffer(name, BASE + start + offset, size, np.dtype(np.uint8), (size,), True, 0, reads_after,
                             typed=False))
        return BASE + start

    @reentrant
    def fill(self, address: int, data: bytes) -> None:
        """Write bytes into a buffer from outside, also a read-only one; they count as initialised.

        Raises BadArgument if no buffer holds them all.
        """
        if not any(b.address <= address and address + len(data) <= b.end for b in self._buffers):
            raise BadArgument(f"no buffer contains the {len(data)} bytes from {address:#x}")
        at = address - BASE
        self._arena[at:at + len(data)] = np.frombuffer(data, np.uint8)
        self._unknown[at:at + len(data)] = 0

    def restore(self, name: str, before: bytes, defined: bytes | None) -> None:
        """What a buffer of a recorded run held, where there is one of this name and size; junk stays junk."""
        buffer = self._names.get(name)
        if buffer is None or buffer.nbytes != len(before):
            return
        at = buffer.address - BASE
        self._arena[at:at + buffer.nbytes] = np.frombuffer(before, np.uint8)
        self._unknown[at:at + buffer.nbytes] = 0 if defined is None else np.where(np.frombuffer(defined, np.uint8), 0,
                                                                                  255)

    @reentrant
    def fetch(self, name: str, dtype: Any = None, shape: Any = None) -> Array:
        """Copy a buffer out of memory.

        dtype, shape   how to read its bytes; as placed if left out

        Raises BadArgument for an unknown name, or a dtype and shape that do not fit its size.
        """
        buffer = self.buffer(name)
        try:
            kind = buffer.dtype if dtype is None else np.dtype(dtype)
        except (TypeError, ValueError, SyntaxError):
            raise BadArgument(f"{dtype!r} is not an element type: write one such as \"uint8\" or \"int32\"") from None
        at = buffer.address - BASE
        raw = self._arena[at:at + buffer.nbytes].copy()
        if kind.hasobject or not kind.itemsize or buffer.nbytes % kind.itemsize:
            raise BadArgument(f'buffer "{name}" has {buffer.nbytes} bytes, which is not a multiple of the size of '
                              f'{kind}')
        flat = raw.view(kind)
        want = (buffer.shape if dtype is None else flat.shape) if shape is None else shape
        try:
            return flat.reshape(want)
        except (ValueError, TypeError):
            raise BadArgument(f'buffer "{name}" has {flat.size} elements of {kind}, which do not fill shape {want}') \
                from None

    def buffer(self, name: str) -> Buffer:
        """Return the buffer of this name; BadArgument lists those there are."""
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
    def undefined_bits(self) -> Array:
        """Beside the arena: the uninitialized bits are set."""
        return self._unknown

    @property
    def stack(self) -> tuple[int, int]:
        """(first address, end) of the stack of the call under way."""
        if self._stack is not None:
            return STACK_TOP - STACK_BYTES, STACK_TOP
        stack = self._names.get("stack")
        return (0, 0) if stack is None else (stack.address, stack.end)

    @property
    def base(self) -> int:
        return BASE

    def arguments_on_stack(self, tiles: tuple[int, int]) -> tuple[int, Array]:
        """Return what a grid's private stack holds so far: (address of the first byte, bytes [rows, columns, n])."""
        return self._stack.contents(tiles) if self._stack is not None else (STACK_TOP, np.zeros((*tiles, 0), np.uint8))

    def refusal(self, address: int, nbytes: int, store: bool) -> str | None:
        """Return what is wrong with an access of one tile, in the reader's words; None if nothing is."""
        if self._guard.single_buffer(address, address, nbytes, store) is not None:
            return None
        return str(self._guard.fault(address, nbytes, store))

    def __repr__(self) -> str:
        rows = [f"{b.address:#010x}  {b.nbytes:8d} bytes  {b.name}  {b.dtype}{list(b.shape)}"
                + ("  read-only" if b.readonly else "") for b in self._buffers]
        return "\n".join(rows) or "no buffers"

    # -- allocation
    def _poison(self, nbytes: int) -> Array:
        return self._random.integers(0, 256, nbytes, dtype=np.uint8)

    def _new(self, name: str | None, nbytes: int, dtype: np.dtype[Any], shape: tuple[int, ...], before: int, after: int,
             readonly: bool, scratch: bool = False, align: int = 64, program: bool = False, skew: int = 0) -> Buffer:
        if name is None:
            name = next(f"buffer{i}" for i in range(len(self._names) + 1) if f"buffer{i}" not in self._names)
        if not isinstance(name, str) or not name:
            raise BadArgument(f"the name of a buffer must be a str; got {name!r}")
        if name == "stack" and not scratch:
            raise BadArgument('the name "stack" is reserved for the machine. Use another name for this buffer')
        if name in self._names:
            raise BadArgument(f'a buffer "{name}" exists already. Use another name for this one')
        for value, what in ((before, "reads_before"), (after, "reads_after")):
            as_int(value, f"{what}, in bytes,", 0, 1 << 20)
        if align not in _ALIGNMENTS:
            raise BadArgument(f"align must be a power of two from 64 to {1 << 20}; got {align!r}")
        start = self._room(nbytes, int(before), int(after), align, f'buffer "{name}"', program, skew)
        buffer = Buffer(name, BASE + start, nbytes, dtype, tuple(int(n) for n in shape), readonly, int(before),
                        int(after), scratch, typed=not scratch)
        self._add(buffer)
        return buffer

    def _reserve(self, name: str | None, kind: str, shape: tuple[int, ...], before: int = 0, after: int = 0) -> int:
        dtype = np.dtype(DTYPES[kind or "u8"])
        buffer = self._new(name, prod(shape) * dtype.itemsize, dtype, shape, before, after, False)
        buffer.typed = bool(kind)
        return buffer.address

    def _add(self, buffer: Buffer) -> None:
        self._guard.add(buffer)
        self._names[buffer.name] = buffer

    def _room(self, nbytes: int, before: int, after: int, align: int, what: str, program: bool,
              skew: int = 0) -> int:
        """Where in the arena n bytes are free; it grows, and they count as used."""
        start = self._layout.reserve(nbytes, before, after, align, what, program, skew)
        end = self._layout.used
        if end > self._arena.size:
            grown = max(end, min(2 * self._arena.size, PROGRAMS + MAX_MEMORY_BYTES))
            self._arena = np.concatenate([self._arena, self._poison(grown - self._arena.size)])
            self._unknown = np.concatenate([self._unknown, np.full(grown - self._unknown.size, 255, np.uint8)])
        return start

    def begin(self, tiles: tuple[int, int] | None, shadow: bool, watched: frozenset[str] = frozenset()) -> int:
        """Make ready for a call: a fresh stack; returns the stack pointer. Called by the machine.

        watched   on a grid: buffers whose readers are noted, see `owners`
        """
        for buffer in self._buffers:
            if buffer.is_written and not self.shadow:
                # A run without the sanitizer did not say which bytes it wrote: from now on they count as known.
                self._unknown[buffer.address - BASE:buffer.end - BASE] = 0
            buffer.is_written = buffer.is_read = False
        self.tiles, self.shadow = tiles, shadow
        if tiles is not None:
            self._stack = PrivateStack(self._random, shadow)
            self._owners = RaceDetector(self._arena.size, tiles, watched)
            return STACK_TOP
        self._stack = self._owners = None
        stack = self._names.get("stack") or self._new("stack", STACK_BYTES, np.dtype(np.uint8), (STACK_BYTES,), 0,
                                                      CALLER_FRAME, False, scratch=True)
        at, size = stack.address - BASE, stack.nbytes + stack.reads_after
        self._arena[at:at + size] = self._poison(size)
        self._unknown[at:at + size] = 255
        return stack.end

    def wrote(self, names: Iterable[str]) -> None:
        """An engine without a shadow has stored to these buffers: all their bytes count as known."""
        for name in names:
            buffer = self._names[name]
            self._unknown[buffer.address - BASE:buffer.end - BASE] = 0

    def snapshot(self) -> Callable[[], None]:
        """Remember what a call can change; calling the result puts it back."""
        junk = self._random.bit_generator.state
        spans = [(b, slice(b.address - BASE, b.end - BASE)) for b in self._buffers if not b.readonly]
        kept = [(b, span, self._arena[span].copy(), self._unknown[span].copy(), b.is_written) for b, span in spans]

        def restore() -> None:
            self._random.bit_generator.state = junk
            for buffer, span, data, unknown, written in kept:
                self._arena[span], self._unknown[span], buffer.is_written = data, unknown, written
        return restore

    # -- what the engine calls
    def load(self, address: Lanes, nbytes: int, type_: ElementType) -> Lanes:
        """``nbytes`` bytes from each tile's address, as lanes of ``type_``."""
        place = self._address(address)
        if self._stack is not None and place.size == 1 and self._stack.holds(int(place.item()), nbytes):
            return self._stack.load(int(place.item()), nbytes, type_)
        where = self._allowed(place, nbytes, store=False)
        value = NumpyLanes(self._cut(self._arena, where, nbytes, type_), type_)
        if not self.shadow:
            return value
        unknown = type_.with_("u")
        return ShadowLanes(value, NumpyLanes(self._cut(self._unknown, where, nbytes, unknown), unknown))

    def store(self, address: Lanes, lanes: Lanes, undo: list[Undo]) -> None:
        """Write lanes at each tile's address; ``undo`` gets what takes it back, before anything is written."""
        place = self._address(address)
        value, unknown = (lanes.value, lanes.undefined) if isinstance(lanes, ShadowLanes) else (lanes, None)
        assert isinstance(value, NumpyLanes)
        nbytes = value.count * value.type.bytes
        if self._stack is not None and place.size == 1 and self._stack.holds(int(place.item()), nbytes, store=True):
            undo.append(self._stack.store(int(place.item()), value, unknown))
            return
        # What the shadow has to say must pass first: a store that is refused leaves no trace.
        where = self._allowed(place, nbytes, store=True, unknown=unknown, undo=undo)
        self._paste(0, where, value, undo)
        if self.shadow:
            bits = value.type.with_("u")
            self._paste(1, where, unknown or NumpyLanes(np.zeros_like(value.array, bits.dtype), bits), undo)

    def take_back(self, undo: Iterable[Undo]) -> None:
        """Undo stores, the last one first."""
        for put_back in undo:
            put_back(self._arena, self._unknown, True)

    def before(self, undo: Iterable[Undo]) -> list[tuple[Buffer, bytes, bytes | None]]:
        """(buffer, bytes, known: one byte per byte, or None for all) as they were before these stores, last one first.
        """
        arena, unknown = self._arena[:self._layout.used].copy(), self._unknown[:self._layout.used].copy()
        for put_back in undo:
            put_back(arena, unknown, False)
        return [(b, arena[b.address - BASE:b.end - BASE].tobytes(),
                 self.defined_bytes(b, unknown)) for b in self._buffers]

    def peek(self, address: int, nbytes: int) -> bytes:
        """Bytes at an address of one tile, without checks (for traces); on a grid's stack those of tile (0, 0)."""
        if self._stack is not None and self._stack.holds(address, nbytes):
            return self._stack.peek(address, nbytes)
        return self._arena[address - BASE:address - BASE + nbytes].tobytes()

    def defined_bytes(self, buffer: Buffer, plane: Array | None = None) -> bytes | None:
        """One byte per byte of a buffer, 1 if all its bits were written; None if everything was."""
        at = buffer.address - BASE
        mask = (self._unknown if plane is None else plane)[at:at + buffer.nbytes] == 0
        return None if mask.all() else mask.astype(np.uint8).tobytes()

    # -- addresses
    def _address(self, address: Lanes) -> Array:
        if isinstance(address, ShadowLanes):
            if address.undefined is not None:
                raise violation("junk-address", "the address depends on uninitialized bits")
            address = address.value
        assert isinstance(address, NumpyLanes)
        return address.array

    def _allowed(self, place: Array, nbytes: int, store: bool, unknown: NumpyLanes | None = None,
                 undo: list[Undo] | None = None) -> Addresses:
        """Where the bytes are, after every rule about them has been checked."""
        if place.size == 1:
            first = int(place.item())
            return self.allow(Affine(first - BASE, 0, 0, 1, 1), nbytes, store, unknown, undo)
        grid: Array = place.reshape(place.shape[1:]).astype(np.int64)
        even = affine(grid - BASE)
        return self.allow(grid - BASE if even is None else even, nbytes, store, unknown, undo)

    def allow(self, offsets: Addresses, nbytes: int, store: bool, undefined: NumpyLanes | None = None,
              undo: list[Undo] | None = None) -> Addresses:
        """Check every rule about an access at these offsets in the arena; raises what an access may raise.

        undefined  the bits of a store that are uninitialized, if there are any
        undo      gets what gives the bytes of a store back to the tile that owned them
        """
        buffers: list[Buffer] = []
        if isinstance(offsets, Affine):
            down, along = (offsets.rows - 1) * offsets.row, (offsets.columns - 1) * offsets.column
            low = BASE + offsets.first + min(0, down) + min(0, along)
            high = BASE + offsets.first + max(0, down) + max(0, along)
            buffer = self._guard.single_buffer(low, high, nbytes, store)
            if buffer is not None:
                buffers = [buffer]
            elif low == high:
                raise self._guard.fault(low, nbytes, store)
            else:  # several buffers, or one tile at fault
                offsets = np.asarray(offsets.first + np.arange(offsets.rows)[:, None] * offsets.row
                                   + np.arange(offsets.columns) * offsets.column)
        if not buffers:
            assert not isinstance(offsets, Affine)
            buffers = self._guard.buffers_at(offsets + BASE, nbytes, store)
        if undefined is not None:
            first = offsets.first if isinstance(offsets, Affine) else int(offsets[0, 0])
            self._check_known(first + BASE, undefined)
        if self._owners is not None:
            self._own(self._owners, buffers, offsets, nbytes, store, undo)
        if store:
            for buffer in buffers:
                buffer.is_written = True
        return offsets

    @staticmethod
    def _own(owners: RaceDetector, buffers: list[Buffer], where: Addresses, nbytes: int, store: bool,
             undo: list[Undo] | None) -> None:
        looked_at = [owners.touches(buffer, store) for buffer in buffers]
        if store:
            give_back = owners.store(where, nbytes, any(b.name in owners.watched for b in buffers))
            if undo is not None:
                undo.append(give_back)
        elif any(looked_at):
            owners.load(where, nbytes)

    def _check_known(self, address: int, unknown: NumpyLanes) -> None:
        buffer = self._guard.find_buffer(address)
        if buffer.scratch:
            return
        mask: Array = view(unknown, u8).array
        byte = int(np.argmax((mask != 0).reshape(mask.shape[0], -1).any(axis=1)))
        raise violation("junk-stored", f'stores uninitialized bits to buffer "{buffer.name}", offset '
                                    f"{address - buffer.address + byte}")

    # -- bytes
    def _window(self, plane: Array, where: Affine, count: int, dtype: np.dtype[Any]) -> Array:
        """Lanes first, as a view: [count], on a grid [count, rows or 1, columns or 1]."""
        if self.tiles is None:
            return np.ndarray((count,), dtype, plane, where.first * plane.itemsize, (dtype.itemsize,))
        return window(plane, where, count, dtype)

    def _cut(self, plane: Array, where: Addresses, nbytes: int, type_: ElementType) -> Array:
        """Lanes-first copy of the bytes of every tile; type_ of up to 64 bits."""
        if isinstance(where, Affine):
            return self._window(plane, where, nbytes // type_.bytes, type_.dtype).copy()
        lanes: Array = view(NumpyLanes(plane[offsets(where, nbytes)], u8), type_).array
        return lanes

    def _paste(self, which: int, where: Addresses, value: NumpyLanes, undo: list[Undo]) -> None:
        """Write into the arena (0) or the unknown bits (1)."""
        plane = self._unknown if which else self._arena
        if not isinstance(where, Affine):
            index = offsets(where, value.count * value.type.bytes)
            replaced = plane[index]

            def put_gathered(*planes: Any) -> None:
                planes[which][index] = replaced
            undo.append(put_gathered)
            plane[index] = np.broadcast_to(view(value, u8).array, index.shape)
            return
        target = self._window(plane, where, value.count, value.type.dtype)
        old, first = target.copy(), where.first
        shape, dtype, strides = target.shape, target.dtype, target.strides

        def put_back(*planes: Any) -> None:
            np.ndarray(shape, dtype, planes[which], first, strides)[...] = old
        undo.append(put_back)
        target[...] = value.array
