"""Registers: one slot per architectural register, every overlapping view of it derived.

Slots hold immutable values: a write puts a new value into the slot, so the old one stays what it was, and stepping
back is putting it in again. A SIMD register may hold its 16 bytes in pieces (two d halves, one replaced lane); it is
cut and joined into the lanes that an instruction asks for, once for each way of reading it.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import numpy.typing as npt

from neonsim.arm.isa import WORD_BYTES
from neonsim.arm.isa.operands.locations import FLAG_BITS, Location
from neonsim.arm.semantics import (
    ElementType,
    Lanes,
    NumpyLanes,
    PolynomialLanes,
    ShadowLanes,
    element,
    element_named,
    join,
    u8,
    view,
)
from neonsim.arm.semantics.float_formats import RULES_FROM
from neonsim.arm.semantics.lane_order import in_order
from neonsim.common.integers import as_int, is_int
from neonsim.errors import BadArgument, MachineError

__all__ = ["RULES_TAKEN", "Flags", "Register", "Registers", "Slots", "VectorValue", "digits_of", "known_bytes",
           "known_lanes", "slot_bytes"]


RULES_TAKEN = 0xF9 << RULES_FROM  # bits of FPCR that say how floating point is computed
_EXCEPTIONS = 0x9F                # cumulative: IDC in bit 7, IXC UFC OFC DZC IOC in bits 4 to 0
# Words of several flags: (flag, its lowest bit, its bits in the word). DDI 0487 C5.2 FPSR, G8.2 FPSCR.
_STATUS = (("qc", 27, 1 << 27), ("fpsr", 0, _EXCEPTIONS))
_CONTROL = (("fpnzcv", 28, 0xF << 28), ("fpcr", RULES_FROM, RULES_TAKEN))
_WORDS: dict[str, dict[str, tuple[tuple[str, int, int], ...]]] = {
    "aarch64": {"fpsr": _STATUS}, "aarch32": {"fpsr": _STATUS, "fpscr": (*_CONTROL, *_STATUS)}}


class VectorValue:
    """The 16 bytes of a SIMD register: ``parts`` are (first byte, lanes), in order, without gaps."""

    __slots__ = ("_views", "parts")

    def __init__(self, parts: tuple[tuple[int, Lanes], ...]) -> None:
        self.parts = parts
        self._views: dict[tuple[int, int, ElementType], Lanes] = {}

    def read(self, start: int, nbytes: int, type_: ElementType) -> Lanes:
        """These bytes as lanes of ``type_``; the same object each time."""
        key = (start, nbytes, type_)
        found = self._views.get(key)
        if found is None:
            found = self._views[key] = self._cut(start, nbytes, type_)
        return found

    def _cut(self, start: int, nbytes: int, type_: ElementType) -> Lanes:
        size = type_.bytes
        if len(self.parts) == 1 and start % size == 0:  # the usual case: the register was written whole
            whole = view(self.parts[0][1], type_)
            return whole if nbytes == 16 else whole[start // size:(start + nbytes) // size]
        inside = [(at, lanes) for at, lanes in self.parts
                  if at < start + nbytes and start < at + lanes.count * lanes.type.bytes]
        at, lanes = inside[0]
        if len(inside) == 1 and (start - at) % size == 0 and lanes.count * lanes.type.bytes % size == 0:
            whole = view(lanes, type_)
            first = (start - at) // size
            return whole if first == 0 and whole.count * size == nbytes else whole[first:first + nbytes // size]
        pieces = [view(lanes, u8)[max(start - at, 0):start + nbytes - at] for at, lanes in inside]
        return view(join(pieces[0], *pieces[1:]), type_)

    def with_bytes(self, start: int, value: Lanes, zeros: Lanes | None) -> VectorValue:
        """This register with some bytes replaced; ``zeros`` (zero bytes), if given, take the place of the others."""
        nbytes = value.count * value.type.bytes
        if nbytes == 16:
            return VectorValue(((0, value),))
        if zeros is not None:
            return VectorValue(((0, value), (nbytes, zeros)))
        parts: list[tuple[int, Lanes]] = []
        for at, lanes in self.parts:
            end = at + lanes.count * lanes.type.bytes
            if at < start:
                parts.append((at, lanes if end <= start else self.read(at, start - at, u8)))
            if end > start + nbytes:
                first = max(at, start + nbytes)
                parts.append((first, lanes if first == at else self.read(first, end - first, u8)))
        parts.append((start, value))
        return VectorValue(tuple(sorted(parts, key=lambda p: p[0])))


class Slots:
    """Where each register lies in the list of slots: A64 v0-v31 x0-x30 sp, A32 q0-q15 r0-r15; then the flags.

    flags   names of the flag registers, the last slots from ``nzcv`` on: one lane of 8 bits each
    """

    def __init__(self, isa: str) -> None:
        self.isa = isa
        if isa == "aarch64":
            registers = (*(f"v{i}" for i in range(32)), *(f"x{i}" for i in range(31)), "sp")
            self.vectors, self.core, only_aarch32 = 32, 32, {"fpnzcv", "ge", "q"}
        else:
            registers = (*(f"q{i}" for i in range(16)), *(f"r{i}" for i in range(16)))
            self.vectors, self.core, only_aarch32 = 16, 16, set()
        self.flags = tuple(name for name in FLAG_BITS if name not in only_aarch32)
        self.names = (*registers, *self.flags)
        self.word = element("x", 8 * WORD_BYTES[isa])
        self.sp = self.vectors + (31 if isa == "aarch64" else 13)
        self.link = self.vectors + (30 if isa == "aarch64" else 14)
        self.index = {name: i for i, name in enumerate(self.names)}
        self.nzcv, self.qc, self.fpsr, self.fpcr = (self.index[name] for name in ("nzcv", "qc", "fpsr", "fpcr"))

    def get(self, place: Location) -> int:
        """Return the slot that a place lies in; it is a register (number >= 0)."""
        return place.number if place.bank in "vq" else self.vectors + place.number

    def find(self, name: Any) -> tuple[int, int, int]:
        """(slot, first byte, bytes) of a register by name; slot -1 for pc. Raises BadArgument."""
        low = name.lower() if isinstance(name, str) else ""
        if low in self.flags:
            return self.index[low], 0, 1
        word = self.word.bytes
        alias = {"lr": "x30", "fp": "x29"} if self.isa == "aarch64" else {
            "sp": "r13", "lr": "r14", "pc": "r15", "ip": "r12", "fp": "r11", "sl": "r10"}
        low = alias.get(low, low)
        if low in ("pc", "r15"):
            return -1, 0, word
        if low == "sp":
            return self.sp, 0, 8
        found = re.fullmatch(r"([vqdshbxwr])([0-9]{1,2})", low)
        if found:
            kind, number = found[1], int(found[2])
            sizes = {"v": 16, "q": 16, "d": 8, "s": 4, "h": 2, "b": 1}
            if self.isa == "aarch64":
                if kind in sizes and number < 32:
                    return number, 0, sizes[kind]
                if kind in "xw" and number < 31:
                    return self.vectors + number, 0, 8 if kind == "x" else 4
            else:
                if kind in "qds" and number < {"q": 16, "d": 32, "s": 32}[kind]:
                    size = sizes[kind]
                    return number * size // 16, number * size % 16, size
                if kind == "r" and number < 16:
                    return self.vectors + number, 0, 4
        raise BadArgument(f"unknown register {name!r}; use " + (
            "v0-v31 (q d s h b), x0-x30 (w), sp, pc, " if self.isa == "aarch64" else
            "q0-q15, d0-d31, s0-s31, r0-r15 (sp lr pc), fpscr, ") + ", ".join(self.flags))


AARCH64, AARCH32 = Slots("aarch64"), Slots("aarch32")


def numeric(lanes: Lanes) -> NumpyLanes:
    """Return the values, without the shadow; MachineError for terms that are no numbers."""
    if isinstance(lanes, PolynomialLanes):
        known = lanes.numbers()
        if known is None:
            raise MachineError("a branch, a condition or an address depends on unknown data: "
                               f"{lanes.lanes[0]!r:.200}")
        return known
    value = lanes.value if isinstance(lanes, ShadowLanes) else lanes
    assert isinstance(value, NumpyLanes)
    return value


def digits_of(data: bytes, defined: bytes) -> str:
    """Return the hexadecimal digits of a number, the most significant first; "--" for a byte that is not known."""
    return "".join(f"{byte:02x}" if told else "--" for byte,
                   told in zip(reversed(data), reversed(defined), strict=True))


def known_bytes(value: Any) -> bytes:
    """Of what a slot holds, in tile (0, 0): one byte per byte, 1 if all its bits are known."""
    parts = [lanes for _, lanes in value.parts] if isinstance(value, VectorValue) else [value]
    return b"".join(known_lanes(lanes) for lanes in parts)


def known_lanes(lanes: Lanes) -> bytes:
    """Return the same of lanes."""
    nbytes = lanes.count * lanes.type.bytes
    if not isinstance(lanes, ShadowLanes) or lanes.undefined is None:
        return b"\1" * nbytes
    array = numeric(view(lanes.undefined, u8)).array
    first = array if array.ndim == 1 else array[:, 0, 0]
    return bytes((first == 0).astype(np.uint8))


def slot_bytes(value: Any) -> bytes:
    """Return what a slot holds, in tile (0, 0): 16, 8, 4 or 1 bytes, little-endian."""
    if isinstance(value, VectorValue):
        return b"".join(_first_tile(lanes) for _, lanes in value.parts)
    return _first_tile(value)


def _first_tile(lanes: Lanes) -> bytes:
    array = numeric(view(lanes, u8) if lanes.type.bits > 64 else lanes).array
    return (array if array.ndim == 1 else array[:, 0, 0]).tobytes()


class Flags:
    """The condition flags n z c v, the saturation flag qc and the floating-point exceptions, each 0 or 1.

    ioc invalid operation, dzc division by zero, ofc overflow, ufc underflow, ixc inexact, idc denormal input (sticky)
    """

    def __init__(self, nzcv: int, qc: int, fpsr: int = 0) -> None:
        self.n, self.z, self.c, self.v = (nzcv >> i & 1 for i in (3, 2, 1, 0))
        self.qc = qc
        self.ioc, self.dzc, self.ofc, self.ufc, self.ixc, self.idc = (fpsr >> i & 1 for i in (0, 1, 2, 3, 4, 7))

    def __repr__(self) -> str:
        raised = [name for name in ("ioc", "dzc", "ofc", "ufc", "ixc", "idc") if getattr(self, name)]
        return " ".join([f"n={self.n} z={self.z} c={self.c} v={self.v} qc={self.qc}", *raised])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Flags) and repr(self) == repr(other)

    def __hash__(self) -> int:
        return hash(repr(self))


class Register:
    """A SIMD register as it stands: prints its lanes, lane 0 last; `as_` gives them as numpy."""

    def __init__(self, name: str, data: bytes, defined: bytes | None = None) -> None:
        self.name, self.data, self._known = name, data, defined

    def as_(self, type_: str) -> npt.NDArray[Any]:
        """Return the lanes as numpy, lane 0 first: ``as_("s32")`` is int32 [4] of a 16-byte register.

        Raises BadArgument for an element type that does not exist or does not fit.
        """
        try:
            floats = {"f16": "<f2", "f32": "<f4", "f64": "<f8"}
            dtype = np.dtype(floats[type_]) if type_ in floats else element_named(type_).dtype
        except (KeyError, ValueError, IndexError, TypeError):
            raise BadArgument(f"{type_!r} is not an element type: "
                              "use s8 u8 s16 u16 s32 u32 s64 u64 f16 f32 f64") from None
        if dtype.hasobject or len(self.data) % dtype.itemsize:
            raise BadArgument(f"{self.name} has {len(self.data)} bytes, which is not a multiple of the size of {type_}")
        return np.frombuffer(self.data, dtype).copy()

    @property
    def hex(self) -> str:
        """The whole register as one number, most significant byte first."""
        return self.data[::-1].hex()

    def __int__(self) -> int:
        return int.from_bytes(self.data, "little")

    def __bytes__(self) -> bytes:
        return self.data

    def __repr__(self) -> str:
        """Its digits and its lanes; "--" for uninitialized data, where the sanitizer knows it."""
        known = self._known or b"\1" * len(self.data)
        rows = [f"{self.name}  0x{digits_of(self.data, known)}"]
        for type_ in ("u8", "s16", "s32"):
            size = element_named(type_).bytes
            if len(self.data) % size == 0:
                values = [str(v) if all(known[size * k:size * (k + 1)]) else "--" for k, v in
                          enumerate(self.as_(type_).tolist())]
                numbers = in_order(range(len(values)))
                which = f"[{numbers[0]}..{numbers[-1]}]" if len(values) > 1 else "[0]"
                rows.append(f"  {type_:>4} {which:<7} " + " ".join(in_order(values)))
        return "\n".join(rows)


class Registers:
    """The registers by name: SIMD ones give a `Register`, general ones an int. Assigning sets them.

    A64: v0 q0 d0 s0 h0 b0 x0 w0 sp lr pc; A32: q0 d0 s0 r0 sp lr pc, fpnzcv ge q, and fpscr, the word as Arm has it;
    both: nzcv qc, fpsr (QC in bit 27, exceptions in bits 7 and 4 to 0) and fpcr (how to round, what is flushed to zero,
    which NaN). Of FPSCR A32's fpsr and fpcr are those bits.
    """

    def __init__(self, machine: Any) -> None:
        self._machine = machine

    def _word(self, name: Any) -> tuple[tuple[str, int, int], ...]:
        """The flags of a status word, none for another register."""
        return _WORDS[self._machine.state.registers.isa].get(name.lower() if isinstance(name, str) else "", ())

    def __getitem__(self, name: str) -> Any:
        if word := self._word(name):
            state = self._machine.state
            return sum(int.from_bytes(slot_bytes(state.slots[state.registers.index[flag]]), "little") << bit & mask
                       for flag, bit, mask in word)
        slot, start, nbytes = self._machine.state.registers.find(name)
        if slot < 0:
            return self._machine.pc_address
        value = self._machine.state.slots[slot]
        if isinstance(value, VectorValue):
            lanes = numeric(value.read(start, nbytes, u8)).array
            data = (lanes if lanes.ndim == 1 else np.ascontiguousarray(lanes[:, 0, 0])).tobytes()
            return Register(name.lower(), data, known_bytes(value)[start:start + nbytes])
        number = int.from_bytes(slot_bytes(value)[:nbytes], "little")
        return number << RULES_FROM if self._is_fpcr(slot) else number

    def _is_fpcr(self, slot: int) -> bool:
        """Whether it is the register whose bits 26 to 19 are kept."""
        return bool(slot == self._machine.state.registers.fpcr)

    def __setitem__(self, name: str, value: Any) -> None:
        if word := self._word(name):
            number, state = as_int(value, name, 0, (1 << 32) - 1), self._machine.state
            taken = sum(mask for _, _, mask in word)
            if number & ~taken:
                raise BadArgument(f"{name} must have bits of {taken:#x} only; got {number:#x}. The other bits are not "
                                  f"flags, or are not simulated")
            for flag, bit, mask in word:
                state.write_slot(state.registers.index[flag], state.lanes([(number & mask) >> bit], u8))
            return
        slot, start, nbytes = self._machine.state.registers.find(name)
        if slot < 0:
            raise BadArgument("pc cannot be assigned; only instructions set it")
        state = self._machine.state
        slots = state.registers
        if slot < slots.vectors:
            lanes = state.lanes(list(_register_bytes(name, value, nbytes)), u8)
            zeros = state.zeros(16 - nbytes) if slots.isa == "aarch64" and nbytes < 16 else None
            state.write_slot(slot, state.slots[slot].with_bytes(start, lanes, zeros))
            return
        bits = FLAG_BITS.get(slots.names[slot], 8 * nbytes)
        if self._is_fpcr(slot):
            value = as_int(value, "fpcr", 0, (1 << 27) - 1)
            if value & ~RULES_TAKEN:
                raise BadArgument(f"fpcr must have only AHP, DN, FZ, RMode (bits 26 to 22) and FZ16 (19); got "
                                  f"{value:#x}. Traps and VFP vectors are not simulated")
            value >>= RULES_FROM
        number = _number(name, value, bits)
        state.write_slot(slot, state.lanes([number], slots.word if slot < slots.nzcv else u8))

    def __repr__(self) -> str:
        state = self._machine.state
        slots = state.registers
        rows = []
        for i, name in enumerate(slots.names[:slots.nzcv]):
            rows.append(f"{name:>4} 0x{digits_of(slot_bytes(state.slots[i]), known_bytes(state.slots[i]))}")
        return "\n".join(rows) + f"\n{self._machine.flags!r}"


def _number(name: str, value: Any, bits: int) -> int:
    """An integer that fits, modulo 2**bits; else BadArgument."""
    return as_int(value, f"{name} of {bits} bits", -(1 << bits - 1), (1 << bits) - 1) & (1 << bits) - 1


def _register_bytes(name: str, value: Any, nbytes: int) -> bytes:
    """The bytes of a SIMD register: a number, or an array (list, bytes) of exactly that size; else BadArgument."""
    if isinstance(value, bool) or is_int(value):
        return _number(name, value, 8 * nbytes).to_bytes(nbytes, "little")
    try:
        array = np.frombuffer(value, np.uint8) if isinstance(value, (bytes, bytearray)) else np.frombuffer(
            value.data, np.uint8) if isinstance(value, Register) else np.asarray(value)
    except ValueError:
        array = np.asarray(None)
    if array.dtype.kind not in "biuf" or array.nbytes != nbytes:
        what = f"{array.nbytes} bytes" if array.dtype.kind in "biuf" else repr(value)
        raise BadArgument(f"{name} must be an integer or an array of {nbytes} bytes (np.array([...], np.int16)), not "
                          f"{what}")
    return array.tobytes()
