"""What a call begins with: registers, buffers, a stack, in plain bytes; all as `Machine.call` has it.

Of the stack the page has the uppermost `STACK_SENT` bytes.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from math import prod
from typing import Any

from neonsim.arm.isa.operands.locations import CLEAR_AT_FIRST, FLAG_BITS
from neonsim.arm.machine.arch.abi import RETURN
from neonsim.arm.machine.arch.argument_places import argument_places
from neonsim.arm.machine.arch.registers import AARCH32, AARCH64, Slots
from neonsim.arm.machine.memory.arguments import DTYPES, ArgumentSpec, declared, is_place, nbytes_of
from neonsim.arm.machine.memory.layout import BASE, CALLER_FRAME, PROGRAMS, Layout
from neonsim.common.limits import STACK_BYTES
from neonsim.common.pcg64 import Pcg64
from neonsim.errors import BadArgument

__all__ = ["MAX_BYTES", "NO_ARGUMENT", "STACK_SENT", "ByteBuffer", "ByteMemory", "ByteRegisters"]

MAX_BYTES = 1 << 20    # of all buffers: what a page draws, and a link can hold
STACK_SENT = 1 << 14
NO_ARGUMENT = "+"
FIRST_ARENA = 4096      # bytes of buffers that a new machine has room for; more is drawn when it is needed


@dataclass
class ByteBuffer:
    """A buffer: its bytes, and one byte for each that says whether it is initialized.

    kind   element type, "" where none was said; skipped: bytes below the address that are not here
    """

    name: str
    address: int
    data: bytearray
    defined: bytearray
    kind: str = ""
    shape: tuple[int, ...] = ()
    readonly: bool = False
    after: bytes = b""
    scratch: bool = False
    skipped: int = 0

    @property
    def dtype(self) -> str:
        return DTYPES[self.kind or "u8"]


class ByteMemory:
    """The buffers of one call. As `memory.Memory`, it takes a program's data (`loader.load`)."""

    def __init__(self) -> None:
        self.layout = Layout()
        self._random = Pcg64(1)  # of Machine(poison=0).memory
        self._size = PROGRAMS
        self._drawn: list[tuple[int, Pcg64]] = [(0, Pcg64((1, 1)))]  # (first place, what draws the junk from there on)
        self._grow(FIRST_ARENA)
        self._all: list[ByteBuffer] = []

    @property
    def buffers(self) -> list[ByteBuffer]:
        """In the order of their addresses."""
        return sorted(self._all, key=lambda one: one.address)

    def named(self, name: str) -> ByteBuffer:
        """Return the buffer of this name. Raises BadArgument."""
        found = next((one for one in self._all if one.name == name), None)
        if found is None:
            names = ", ".join(one.name for one in self._all)
            raise BadArgument(f"there is no buffer {name!r}: " + (f"there are {names}" if names else
                                                                  "none has been placed"))
        return found

    def declare(self, spec: ArgumentSpec, name: str) -> int:
        """Place what a word says, under this name where it gives none; returns the address."""
        size = prod(spec.shape) * nbytes_of(spec.kind)
        place = self._room(size, spec.name or name)
        data = self._junk(place, size) if spec.data is None else spec.data
        self._add(spec.name or name, place, data, spec.data is not None, kind=spec.kind, shape=spec.shape)
        return BASE + place

    def place_data(self, name: str, data: bytes, readonly: bool, align: int) -> int:
        place = self._room(len(data), name, align=align, program=True)
        self._add(name, place, data, True, shape=(len(data),), readonly=readonly)
        return BASE + place

    def place_code(self, rows: list[tuple[str, int, int]], nbytes: int, align: int, reads_after: int) -> int:
        _, offset, size = rows[-1]
        start = self._room(max(nbytes, offset + size + reads_after), "", align=align, program=True)
        for name, offset, size in rows:
            first = start + offset
            self._add(name, first, self._junk(first, size), False, shape=(size,), readonly=True,
                      after=self._junk(first + size, reads_after))
        return BASE + start

    def fill(self, address: int, data: bytes) -> None:
        found = next(one for one in self._all if one.address <= address
                     and address + len(data) <= one.address + len(one.data))
        at = address - found.address
        found.data[at:at + len(data)] = data
        found.defined[at:at + len(data)] = b"\1" * len(data)

    def begin(self) -> int:
        """Return a fresh stack; returns its end."""
        place = self._room(STACK_BYTES, "stack", after=CALLER_FRAME)
        self._random.skip((STACK_BYTES - STACK_SENT) // 4)
        drawn = self._random.full_range(1, STACK_SENT + CALLER_FRAME)
        skipped = STACK_BYTES - STACK_SENT
        self._add("stack", place + skipped, drawn[:STACK_SENT], False, shape=(STACK_BYTES,), scratch=True,
                  skipped=skipped, after=drawn[STACK_SENT:])
        return BASE + place + STACK_BYTES

    # -- inside
    def _add(self, name: str, place: int, data: bytes, known: bool, **more: Any) -> None:
        self._all.append(ByteBuffer(name, BASE + place, bytearray(data), bytearray([known]) * len(data), **more))

    def _room(self, nbytes: int, name: str, after: int = 0, align: int = 64, program: bool = False) -> int:
        if not program:
            if name == "stack" and not after:
                raise BadArgument('the name "stack" is reserved for the machine. Use another name for this buffer')
            if any(one.name == name for one in self._all):
                raise BadArgument(f'a buffer "{name}" exists already. Use another name for this one')
        if nbytes + sum(len(one.data) for one in self._all) > MAX_BYTES + STACK_BYTES * bool(after):
            raise BadArgument(f'buffer "{name}" of {nbytes} bytes is too large. All buffers of this page together may '
                              f"have {MAX_BYTES >> 20} MiB")
        start = self.layout.reserve(nbytes, 0, after, align, name, program)
        if self.layout.used > self._size:
            self._grow(max(self.layout.used, 2 * self._size) - self._size)
        return start

    def _grow(self, nbytes: int) -> None:
        self._drawn.append((self._size, copy(self._random)))
        self._random.skip(-(-nbytes // 4))
        self._size += nbytes

    def _junk(self, place: int, nbytes: int) -> bytes:
        """What a machine has there before anything is written."""
        ends = [*(first for first, _ in self._drawn[1:]), self._size]
        made = b""
        for (first, random), end in zip(self._drawn, ends, strict=True):
            low, high = max(place, first), min(place + nbytes, end)
            if low < high:
                drawing = copy(random)
                drawing.skip((low - first) // 4)
                cut = (low - first) % 4
                made += drawing.full_range(1, cut + high - low)[cut:]
        return made


class ByteRegisters:
    """The registers of one call: bytes by slot, and which of them are initialized."""

    def __init__(self, isa: str) -> None:
        self.slots: Slots = AARCH64 if isa == "aarch64" else AARCH32
        self._random = Pcg64(0)  # of Machine(poison=0)
        for _ in ("a new machine", "the call"):
            self.data = self._poison()
        self.known = [bytearray(bytes([name in CLEAR_AT_FIRST]) * len(data))
                      for name, data in zip(self.slots.names, self.data, strict=True)]

    def _poison(self) -> list[bytearray]:
        slots, random = self.slots, self._random
        made = [bytearray(random.full_range(4, 4)) for _ in range(slots.vectors)]
        made += [bytearray(random.full_range(4, slots.word.bytes // 4)) for _ in range(slots.core)]
        return made + [bytearray(1) if name in CLEAR_AT_FIRST else
                       bytearray([random.full_range(4, 1)[0] & (1 << FLAG_BITS[name]) - 1]) for name in slots.flags]

    def set_bytes(self, slot: int, byte: int, data: bytes) -> None:
        """Bytes of a register that the caller knows."""
        self.data[slot][byte:byte + len(data)] = data
        self.known[slot][byte:byte + len(data)] = b"\1" * len(data)

    def place(self, words: Sequence[str], memory: ByteMemory) -> None:
        """Arguments, as words of `memory.arguments`, into registers and memory; and a stack.

        A word that begins with + makes a buffer and is no argument: what others point at, or a few bytes into.
        """
        random = Pcg64()
        said: dict[int, ArgumentSpec] = {}
        addresses: dict[int, int] = {}
        # Where a region is, is known when all are placed.
        for number, word in sorted(enumerate(words), key=lambda one: is_place(one[1])):
            said[number] = one = declared(word.removeprefix(NO_ARGUMENT), random)
            if one.place is not None:
                addresses[number] = memory.named(one.place[0]).address + one.place[1]
            elif one.value is None:
                addresses[number] = memory.declare(one, f"arg{number}")
        stack = memory.begin()
        values = [self._argument(number, said[number], addresses.get(number)) for number, word in enumerate(words)
                  if not word.startswith(NO_ARGUMENT)]
        slots = self.slots
        places, taken = argument_places(slots.isa, ((is_float, len(data)) for data, is_float, _ in values))
        for (data, _, known), place in zip(values, places, strict=True):
            slot = slots.vectors + place.number
            if place.bank == "v":
                self.set_bytes(place.number, place.byte, data)
            elif place.bank == "r":
                self.data[slot][:] = data
                self.known[slot][:] = known
            elif place.bank == "rr":
                self.set_bytes(slot, 0, data[:4])
                self.set_bytes(slot + 1, 0, data[4:])
            else:
                self._stack(memory, stack - taken + place.number, data, known)
        for slot, address in ((slots.sp, stack - taken), (slots.link, RETURN)):
            self.set_bytes(slot, 0, address.to_bytes(slots.word.bytes, "little"))

    @staticmethod
    def _stack(memory: ByteMemory, address: int, data: bytes, known: bytes) -> None:
        stack = memory.named("stack")
        at = address - stack.address
        if at < 0:
            raise BadArgument(f"these are too many arguments: the page has {STACK_SENT} bytes of stack")
        stack.data[at:at + len(data)] = data
        stack.defined[at:at + len(data)] = known

    def _argument(self, number: int, said: ArgumentSpec, address: int | None) -> tuple[bytes, bool, bytes]:
        """(bytes, is a float, which of them are known) of one argument, as `abi.place_arguments` has it."""
        word = self.slots.word.bytes
        value: int | float = address if address is not None else said.value if said.value is not None else 0
        kind = said.kind if address is None else ""
        if isinstance(value, float) and not (kind and kind[0] in "us"):
            data = struct.pack({"f16": "<e", "f32": "<f"}.get(kind, "<d"), value)
            return data, True, b"\1" * len(data)
        size = nbytes_of(kind) if kind else word
        value = int(value)
        if not -(1 << 8 * size - 1) <= value < 1 << 8 * size:
            raise BadArgument(f"argument {number} is {value}, which does not fit a register of {8 * size} bits")
        if size < word == 8:
            # AAPCS64 says nothing about the rest of the register.
            rest = self._random.full_range(4, -(-(word - size) // 4))[:word - size]
            return (value & (1 << 8 * size) - 1).to_bytes(size, "little") + rest, False, (
                b"\1" * size + bytes(word - size))
        size = max(size, word)
        return (value & (1 << 8 * size) - 1).to_bytes(size, "little"), False, b"\1" * size
