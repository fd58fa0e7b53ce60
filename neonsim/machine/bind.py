"""The binder: an instruction tied to the registers it names.

Operands are resolved once per line. What comes out is a list of readers (one per parameter of the meaning), the pure
function, and a list of writers (one per result). Nothing else touches registers; addresses and write-back go through
`isa.syntax.address`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from neonsim.errors import Divergence
from neonsim.isa import Constant, CoreRegister, Immediate, Instruction, Place
from neonsim.isa.syntax.address import effective, extended, moved, shifted_operand
from neonsim.isa.syntax.general import core_place
from neonsim.isa.syntax.immediates import a32_encodes
from neonsim.isa.syntax.places import FLAG_BITS, NUMBERS, STICKY, shares
from neonsim.lanes import (
    ElementType,
    Lanes,
    ShadowLanes,
    choose,
    element,
    extend,
    holds,
    join,
    narrow,
    u8,
    unsigned,
    view,
)

from .alignment import aligned
from .registers import Slots, VectorValue, numeric
from .rules import broken
from .state import State, parting

__all__ = ["CODE", "Bound", "address_of", "bind", "memory_type", "shifter"]

CODE = 0x0800_0000  # address of instruction 0, unless the program has data among the code
STOP = 0x07FF_FFF0  # where a breakpoint or an undefined instruction goes: no code is there, and an error says why

Reader = Callable[["State"], Any]
Writer = Callable[["State", Any], None]
AddressAt = Callable[[int], int]


@dataclass(slots=True)
class Bound:
    """One instruction ready to run: calling it does one step, except for advancing pc."""

    instruction: Instruction
    readers: list[tuple[str, Reader]]
    function: Callable[..., Any]
    writers: list[Writer | None]
    address: Callable[[State], tuple[Lanes, Lanes | None]] | None
    base: Writer | None

    def __call__(self, s: State) -> None:
        instruction = self.instruction
        condition = instruction.condition
        truth: Lanes | None = None
        if condition is not None:
            truth = holds(condition, s.slots[s.registers.nzcv])
            decided = decide(truth, f"the condition {condition} depends on flags that nobody has set")
            if decided is False:
                s.executed = False
                return
            if decided is True:
                truth = None
            elif instruction.memory or instruction.is_branch:
                raise Divergence(parting(truth, "execute this conditional instruction"))
        place, after = self.address(s) if self.address is not None else (None, None)
        mem = self._load(s, place) if place is not None and instruction.memory == "load" else None
        arguments = [mem if role == "mem" else read(s) for role, read in self.readers]
        self._finish(s, self._apply(arguments), place)
        if after is not None and self.base is not None:
            self.base(s, after)
        if truth is not None:
            self._merge(s, truth)
            s.executed = bool(numeric(truth).array.flat[0])  # the trace is that of tile (0, 0)

    def _apply(self, arguments: list[Any]) -> tuple[Any, ...]:
        result = self.function(*arguments)
        return result if type(result) is tuple else (result,)

    def _load(self, s: State, place: Lanes) -> Lanes:
        instruction = self.instruction
        nbytes = instruction.transfer_bytes
        mem = s.memory.load(place, nbytes, memory_type(instruction))
        if s.tracing:
            at = int(numeric(place).array.flat[0])
            data = s.memory.peek(at, nbytes)
            s.accesses.append((at, nbytes, False, data, data))
        return mem

    def _finish(self, s: State, results: tuple[Any, ...], place: Lanes | None) -> None:
        for write, value in zip(self.writers, results, strict=True):
            if write is None:
                continue
            if write is not STORE:
                write(s, value)
                continue
            assert place is not None
            if not s.tracing:
                s.memory.store(place, value, s.undo)
                continue
            at, nbytes = int(numeric(place).array.flat[0]), self.instruction.transfer_bytes
            before = s.memory.peek(at, nbytes)
            s.memory.store(place, value, s.undo)
            s.accesses.append((at, nbytes, True, before, s.memory.peek(at, nbytes)))

    @staticmethod
    def _merge(s: State, truth: Lanes) -> None:
        """A conditional instruction that holds in some tiles only: each tile keeps its own result."""
        first: dict[int, Any] = {}
        for at, (slot, before, new) in enumerate(s.writes):
            old = first.setdefault(slot, before)
            if isinstance(new, VectorValue):
                merged: Any = VectorValue(((0, choose(truth, new.read(0, 16, u8), old.read(0, 16, u8))),))
            else:
                merged = choose(truth, new, old)
            s.writes[at] = (slot, before, merged)
            s.slots[slot] = merged


def STORE(s: State, value: Any) -> None:
    """Stands for the result `mem`: stores need the address, which `Bound` has."""
    raise AssertionError("stores go through Bound._finish")


def decide(truth: Lanes, complaint: str) -> bool | None:
    """Whether a truth holds in all tiles (True), in none (False) or in some (None)."""
    if isinstance(truth, ShadowLanes):
        if truth.undefined is not None:
            raise broken("junk-decision", complaint)
        truth = truth.value
    array = numeric(truth).array
    if array.size == 1:
        return bool(array.item())
    flags = array != 0
    return True if flags.all() else None if flags.any() else False


def memory_type(instruction: Instruction) -> ElementType:
    """How loaded bytes are cut into lanes: as the first register they go to, or as one narrow integer."""
    if "bytes" in instruction.form.options:
        return element("x", 8 * instruction.transfer_bytes)
    first = instruction.places_of("t")[0]
    assert isinstance(first, Place)
    return first.type


def in_a_row(index: int) -> int:
    """The address of an instruction when there is nothing but instructions."""
    return CODE + 4 * index


def bind(instruction: Instruction, index: int, slots: Slots, address_at: AddressAt = in_a_row) -> Bound:
    """Resolve the operands of one line; ``index`` is its place in the program, whose `address` says where that is."""
    meaning, here = instruction.form.meaning, address_at(index)
    readers = [(role, _reader(role, instruction, index, slots, address_at)) for role in meaning.parameters]
    if "zero" in instruction.form.options:
        readers = [(role, _mostly_zero(read, instruction.form.options["zero"])) for role, read in readers]
    writers = [_writer(name, instruction, slots) for name in instruction.writes_names]
    address = base = None
    if instruction.address is not None:
        address = aligned(_addresser(instruction, here, slots), instruction, slots)
        if instruction.address.writeback:
            base = _place_writer((core_place(instruction.address.base),), slots)
    elif instruction.memory and instruction.label is not None:
        literal = _reader("label", instruction, index, slots, address_at)
        address = lambda s: (literal(s), None)  # noqa: E731
    return Bound(instruction, readers, meaning.function, writers, address, base)


def _mostly_zero(read: Reader, bits: str) -> Reader:
    """A reader of the value for a control register: these bits of it would change the rules of floating point."""
    low, high = (int(number) for number in bits.split("-"))

    def checked(s: State) -> Any:
        value = read(s)
        size = 1 << high - low + 1
        part = unsigned(value) >> low & size - 1
        if getattr(part, "undefined", None) is not None:
            raise broken("junk-decision", "the rules of floating point would depend on bits that nobody has written")
        s.demand(part, size, "float-rules",
                 f"bits {high} to {low} of the value for the floating-point control register are {{}}, not 0: rounding "
                 "is to nearest, and nothing is flushed or trapped")
        return value
    return checked


# ---- reading --------------------------------------------------------------------------------------------------------

def _reader(role: str, instruction: Instruction, index: int, slots: Slots, address_at: AddressAt) -> Reader:
    word, here = slots.word, address_at(index)
    if role in FLAG_BITS:
        flag = slots.index[role]
        return lambda s: s.slots[flag]
    if role == "mem":
        return lambda s: None
    if role == "fpcr":
        return lambda s: instruction.form.fpcr
    if role == "cond":
        return lambda s: instruction.select_condition
    if role in NUMBERS:
        return lambda s: instruction.numbers[role]
    if role == "stop":
        return lambda s: s.lanes([STOP], word)
    if role == "pc":
        behind = address_at(index + 1)
        return lambda s: s.lanes([behind], word)
    if role == "label":
        target, fixed = instruction.target, instruction.label_address
        if fixed is not None:
            return lambda s: s.lanes([fixed], word)
        if target is None:
            raise instruction.where.error(f'the label "{instruction.label}" has no place in this program')
        place = address_at(target)
        return lambda s: s.lanes([place], word)
    if role == "like":
        kind = instruction.places_of("d")[0].type
        return lambda s: s.lanes([0], kind)
    if role == "carry":
        shifted = _shifter(instruction, here, slots)
        return lambda s: shifted(s)[1]
    if role == "m" and instruction.shift is not None:
        shifted = _shifter(instruction, here, slots)
        return lambda s: shifted(s)[0]
    return _places_reader(instruction, instruction.places_of(role), here, slots)


def _places_reader(instruction: Instruction, places: tuple[Place | Constant, ...], here: int, slots: Slots) -> Reader:
    if not places:
        raise instruction.where.error(f"{instruction.mnemonic} cannot be run: an operand has no place")
    if len(places) == 1:
        return _place_reader(places[0], instruction, here, slots)
    readers = [_place_reader(p, instruction, here, slots) for p in places]
    return lambda s: join(readers[0](s), *(r(s) for r in readers[1:]))


def _place_reader(place: Place | Constant, instruction: Instruction, here: int, slots: Slots) -> Reader:
    if isinstance(place, Constant):
        value, kind = place.value, place.type
        return lambda s: s.lanes([value], kind)
    start, nbytes, type_, number = place.start, place.nbytes, place.type, place.number
    if place.bank in "vq":
        return lambda s: s.slots[number].read(start, nbytes, type_)
    if place.bank == "r" and number == 15:
        return lambda s: s.lanes([here + 8], type_)
    if number < 0:
        return lambda s: s.lanes([0], type_)
    slot = slots.vectors + number
    if place.bank == "x" and nbytes == 4:
        if type_.kind == "x":
            return lambda s: narrow(s.slots[slot])
        return lambda s: view(narrow(s.slots[slot]), type_)
    return (lambda s: s.slots[slot]) if type_ is slots.word else (lambda s: view(s.slots[slot], type_))


def shifter(instruction: Instruction, read: Callable[[Place | Constant], Any], flags: Any) -> tuple[Any, Any]:
    """(operand m after its shift or extension, the shifter's carry out): of any reading.

    Without a shift the carry is that of a rotated constant (AArch32), or C as it is; ``flags`` None: nobody asks.
    """
    place, shift = instruction.places_of("m")[0], instruction.shift
    value, carry = read(place), read(Constant(0, u8)) if flags is None else flags >> 1 & 1
    if shift is None:
        encoded = a32_encodes(place.value) if isinstance(place, Constant) else 0
        return value, read(Constant(encoded >> 31 & 1, u8)) if encoded > 255 else carry
    if isinstance(shift.amount, CoreRegister):
        amount = read(core_place(shift.amount))
    else:
        amount = int(shift.amount.value) if shift.amount is not None else 0
    if instruction.isa == "aarch64" and shift.kind[:3] in ("uxt", "sxt"):
        return extended(value, shift.kind, amount, instruction.places_of("n")[0].type.bits), carry
    return shifted_operand(value, shift.kind, amount, carry)


def _shifter(instruction: Instruction, here: int, slots: Slots) -> Callable[[State], tuple[Any, Any]]:
    return lambda s: shifter(instruction, lambda place: _place_reader(place, instruction, here, slots)(s),
                             s.slots[slots.nzcv])


# ---- writing --------------------------------------------------------------------------------------------------------

def _writer(name: str, instruction: Instruction, slots: Slots) -> Writer | None:
    if name == "":
        return None
    if name == "mem":
        return STORE
    if name in STICKY and "replaces" not in instruction.form.options:
        sticky = slots.index[name]
        return lambda s, value: s.put(sticky, s.slots[sticky] | value)
    if name in FLAG_BITS:
        flag = slots.index[name]
        return lambda s, value: s.put(flag, value)
    if name == "pc":
        return _branch
    if name == "link":
        return lambda s, value: s.put(slots.link, value)
    return _place_writer(instruction.places_of(name), slots)


def _branch(s: State, value: Any) -> None:
    s.branch(value)


def _place_writer(places: tuple[Place | Constant, ...], slots: Slots) -> Writer:
    writers = [_one_writer(p, slots) for p in places if isinstance(p, Place)]
    counts = tuple(p.count for p in places if isinstance(p, Place))
    if len(writers) == 1:
        return writers[0]

    def several(s: State, value: Lanes) -> None:
        for write, share in zip(writers, shares(value.count, counts), strict=True):
            write(s, value[share])
    return several


def _one_writer(place: Place, slots: Slots) -> Writer:
    start, nbytes, number = place.start, place.nbytes, place.number
    if place.bank in "vq":
        clears = place.clears

        def vector(s: State, value: Lanes) -> None:
            if value.count * value.type.bytes != nbytes:
                value = spread(value, nbytes)
            old = s.slots[number]
            s.put(number, old.written(start, value, s.zeros(16 - nbytes) if clears and nbytes < 16 else None))
        return vector
    if number < 0:
        return lambda s, value: None
    if place.bank == "r" and number == 15:
        return _branch
    slot, type_, written = slots.vectors + number, slots.word, element("x", 8 * nbytes)

    def core(s: State, value: Lanes) -> None:
        if value.type is not type_:
            if value.count > 1:
                value = view(value, written)
            # A w register's upper half is cleared.
            value = view(value, type_) if value.type.bits == type_.bits else extend(
                value._as_kind(value.type.of("u")), type_)
        s.put(slot, value)
    return core


def spread(value: Lanes, nbytes: int) -> Lanes:
    """One lane repeated until it fills ``nbytes``."""
    assert value.count == 1, f"{value.count} lanes of {value.type} for {nbytes} bytes"
    return join(value, *[value] * (nbytes // value.type.bytes - 1))


# ---- addresses ------------------------------------------------------------------------------------------------------

def address_of(instruction: Instruction, read: Callable[[Place], Any], flags: Any) -> tuple[Any, Any]:
    """(address of the first byte, new value of the base register or None): of any reading."""
    address = instruction.address
    assert address is not None
    base, transfer, options = read(core_place(address.base)), instruction.transfer_bytes, instruction.form.options
    offset: Any = 0
    if isinstance(address.offset, Immediate):
        offset = int(address.offset.value)
    elif isinstance(address.offset, CoreRegister):
        offset, shift = read(core_place(address.offset)), address.shift
        if shift is not None:
            amount = int(shift.amount.value) if isinstance(shift.amount, Immediate) else 0
            offset = (extended(offset, shift.kind, amount, 64) if instruction.isa == "aarch64" else
                      shifted_operand(offset, "rrx", 1, flags >> 1 & 1)[0] if shift.kind == "rrx" else
                      moved(offset, shift.kind, amount))
    elif address.writeback == "pre" and ("base" in options or any(
            p.role == "mem" and p.spec in ("vld", "ldm", "ldmdb") for p in instruction.form.patterns)):
        offset = None  # block transfers advance by what they moved; `ldr r0, [r1]!` has an offset of nothing
    return effective(address, base, offset, transfer, "down" in options, int(options.get("apart", 0)))


def _addresser(instruction: Instruction, here: int, slots: Slots) -> Callable[[State], tuple[Any, Any]]:
    address = instruction.address
    assert address is not None
    base = _place_reader(core_place(address.base), instruction, here, slots)
    if address.writeback == "" and address.offset is None and not instruction.form.options.keys() & {"down", "apart"}:
        return lambda s: (base(s), None)
    readers = {p: _place_reader(p, instruction, here, slots) for p in (
        core_place(r) for r in (address.base, address.offset) if isinstance(r, CoreRegister))}
    return lambda s: address_of(instruction, lambda place: readers[place](s), s.slots[slots.nzcv])
