"""The binder: an instruction tied to the registers it names.

Operands are resolved once per line (`arm.isa.forms.resolve`). What comes out is a list of readers (one per parameter of
the meaning), the pure function, and a list of writers (one per result). Nothing else touches registers; addresses and
write-back go through `arm.isa.operands.addressing`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from neonsim.arm.asm import Program
from neonsim.arm.isa import Immediate, ImmediateLane, Instruction, Location
from neonsim.arm.isa.forms.resolve import Operands, Result, Source
from neonsim.arm.isa.operands.addressing import effective, extended, moved, shifted_operand
from neonsim.arm.isa.operands.immediates import a32_encodes
from neonsim.arm.isa.operands.locations import shares
from neonsim.arm.machine.memory.violations import violation
from neonsim.arm.semantics import Lanes, ShadowLanes, choose, element, extend, holds, join, narrow, u8, unsigned, view
from neonsim.common.locking import PerObjectCache
from neonsim.errors import LockstepDivergence

from .alignment import aligned
from .registers import AARCH32, AARCH64, Slots, VectorValue, numeric
from .state import State, parting

__all__ = ["BOUND", "CODE", "BoundInstruction", "address_of", "bind", "shifter"]

CODE = 0x0800_0000  # address of instruction 0, unless the program has data among the code
STOP = 0x07FF_FFF0  # where a breakpoint or an undefined instruction goes: no code is there, and an error says why

Reader = Callable[["State"], Any]
Writer = Callable[["State", Any], None]
AddressAt = Callable[[int], int]


@dataclass(slots=True)
class BoundInstruction:
    """One instruction ready to run: calling it does one step, except for advancing pc.

    operands   what its parameters and results are        readers   one for each parameter, with its role
    writers    one for each result, None for none         address   (address, base written back) of its memory access
    moves_sp   whether the base written back is sp
    """

    instruction: Instruction
    operands: Operands
    readers: list[tuple[str, Reader]]
    function: Callable[..., Any]
    writers: list[Writer | None]
    address: Callable[[State], tuple[Lanes, Lanes | None]] | None
    base: Writer | None
    moves_sp: bool

    def __call__(self, s: State) -> None:
        instruction = self.instruction
        condition = instruction.condition
        truth: Lanes | None = None
        if condition is not None:
            truth = holds(condition, s.slots[s.registers.nzcv])
            decided = decide(truth, f"the condition {condition} depends on uninitialized flags")
            if decided is False:
                s.executed = False
                return
            if decided is True:
                truth = None
            elif instruction.memory or instruction.is_branch:
                raise LockstepDivergence(parting(truth, "execute this conditional instruction"))
        place, after = self.address(s) if self.address is not None else (None, None)
        if s.shadow and place is not None and instruction.memory:
            s.above_sp(place, after if self.moves_sp else None, instruction.memory)
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
        assert self.operands.loads is not None
        mem = s.memory.load(place, nbytes, self.operands.loads)
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
    """Stands for the result `mem`: stores need the address, which `BoundInstruction` has."""
    raise AssertionError("stores go through Bound._finish")


def decide(truth: Lanes, complaint: str) -> bool | None:
    """Return whether a truth holds in all tiles (True), in none (False) or in some (None)."""
    if isinstance(truth, ShadowLanes):
        if truth.undefined is not None:
            raise violation("junk-decision", complaint)
        truth = truth.value
    array = numeric(truth).array
    if array.size == 1:
        return bool(array.item())
    flags = array != 0
    return True if flags.all() else None if flags.any() else False


def in_a_row(index: int) -> int:
    """Return the address of an instruction when there is nothing but instructions."""
    return CODE + 4 * index


def bind(instruction: Instruction, index: int, slots: Slots, address_at: AddressAt = in_a_row) -> BoundInstruction:
    """Tie one line to registers; ``index`` is its place in the program, whose `address` says where that is."""
    meaning, here, operands = instruction.form.semantics, address_at(index), instruction.resolved
    readers = [(source.role, _place_reader(source.places[0], here, slots)
                if source.kind == "lanes" and len(source.places) == 1 else
                _reader(source, instruction, index, slots, address_at)) for source in operands.sources]
    if "zero" in instruction.form.options:
        readers = [(role, _mostly_zero(read, instruction.form.options["zero"])) for role, read in readers]
    writers = [_writer(result, slots) for result in operands.results]
    address = base = None
    if operands.base is not None and instruction.address is not None:
        address = aligned(_addresser(instruction, here, slots), instruction, slots)
        if instruction.address.writeback:
            base = _place_writer((operands.base,), slots)
    elif instruction.memory and instruction.label is not None:
        literal = _reader(LABEL, instruction, index, slots, address_at)
        address = lambda s: (literal(s), None)  # noqa: E731
    moves_sp = base is not None and operands.base is not None and slots.get(operands.base) == slots.sp
    return BoundInstruction(instruction, operands, readers, meaning.function, writers, address, base, moves_sp)


def _bind_all(program: Program) -> list[BoundInstruction]:
    slots = AARCH64 if program.isa == "aarch64" else AARCH32
    return [bind(instruction, i, slots, program.address) for i, instruction in enumerate(program.instructions)]


# The instructions of a program, bound. They keep no state, so all sessions and engines use the same.
BOUND: PerObjectCache[Program, list[BoundInstruction]] = PerObjectCache(_bind_all)


def _mostly_zero(read: Reader, bits: str) -> Reader:
    """A reader of the value for a control register: what these bits of it ask for is not simulated."""
    ranges = [[int(number) for number in part.split("-")] for part in bits.split(",")]

    def checked(s: State) -> Any:
        value = read(s)
        for low, high in ranges:
            size = 1 << high - low + 1
            part = unsigned(value) >> low & size - 1
            if getattr(part, "undefined", None) is not None:
                raise violation("junk-decision", "the floating-point mode depends on uninitialized bits")
            s.require_alignment(part, size, "float-rules",
                     f"bits {high} to {low} of the value for the floating-point control register are {{}}, not 0: "
                     "there are no traps, and no vectors of VFP")
        return value
    return checked


# ---- reading --------------------------------------------------------------------------------------------------------

LABEL = Source("label", "label")


def _reader(source: Source, instruction: Instruction, index: int, slots: Slots, address_at: AddressAt) -> Reader:
    word, here, kind = slots.word, address_at(index), source.kind
    if kind == "flag":
        flag = slots.index[source.role]
        return lambda s: s.slots[flag]
    if kind == "memory":
        return lambda s: None
    if source.role == "fpcr" and kind == "value":
        form = instruction.form
        if form.standard and form.rules(0) == form.rules(255):
            fixed = form.rules()
            return lambda s: fixed
        return (lambda s: form.rules(s.rules())) if form.standard else (lambda s: s.rules())
    if kind == "value":
        value = source.value
        return lambda s: value
    if kind == "stop":
        return lambda s: s.constant(STOP, word)
    if kind == "pc":
        behind = address_at(index + 1)
        return lambda s: s.constant(behind, word)
    if kind == "label":
        target, fixed = instruction.target, instruction.label_address
        if fixed is not None:
            return lambda s: s.constant(fixed, word)
        if target is None:  # of another file
            return lambda s: s.constant(STOP, word)
        place = address_at(target)
        return lambda s: s.constant(place, word)
    if kind == "zero":
        type_ = source.type
        assert type_ is not None
        return lambda s: s.constant(0, type_)
    if kind in ("shifted", "carry"):
        which, both = kind == "carry", _shifter(instruction, here, slots)
        return lambda s: both(s)[which]
    if not source.places:
        raise instruction.position.error(f"{instruction.mnemonic} cannot run: an operand has no location")
    readers = [_place_reader(place, here, slots) for place in source.places]
    return lambda s: join(readers[0](s), *(r(s) for r in readers[1:]))


def _place_reader(place: Location | ImmediateLane, here: int, slots: Slots) -> Reader:
    if isinstance(place, ImmediateLane):
        value, kind = place.value, place.type
        return lambda s: s.constant(value, kind)
    start, nbytes, type_, number = place.start, place.nbytes, place.type, place.number
    if place.bank in "vq":
        return lambda s: s.slots[number].read(start, nbytes, type_)
    if place.bank == "r" and number == 15:
        return lambda s: s.constant(here + 8, type_)
    if number < 0:
        return lambda s: s.constant(0, type_)
    slot = slots.get(place)
    if place.bank == "x" and nbytes == 4:
        if type_.kind == "x":
            return lambda s: narrow(s.slots[slot])
        return lambda s: view(narrow(s.slots[slot]), type_)
    return (lambda s: s.slots[slot]) if type_ is slots.word else (lambda s: view(s.slots[slot], type_))


def shifter(instruction: Instruction, read: Callable[[Location | ImmediateLane], Any], flags: Any) -> tuple[Any, Any]:
    """(operand m after its shift or extension, the shifter's carry out): of any reading.

    Without a shift the carry is that of a rotated constant (AArch32), or C as it is; ``flags`` None: they are not
    needed.
    """
    operands, shift = instruction.resolved, instruction.shift
    place = operands.shifted
    assert place is not None
    value, carry = read(place), read(ImmediateLane(0, u8)) if flags is None else flags >> 1 & 1
    if shift is None:
        encoded = a32_encodes(place.value) if isinstance(place, ImmediateLane) else 0
        return value, read(ImmediateLane(encoded >> 31 & 1, u8)) if encoded > 255 else carry
    if operands.amount is not None:
        amount = read(operands.amount)
    else:
        amount = int(shift.amount.value) if isinstance(shift.amount, Immediate) else 0
    if instruction.isa == "aarch64" and shift.kind[:3] in ("uxt", "sxt"):
        return extended(value, shift.kind, amount, instruction.places_of("n")[0].type.bits), carry
    return shifted_operand(value, shift.kind, amount, carry)


def _shifter(instruction: Instruction, here: int, slots: Slots) -> Callable[[State], tuple[Any, Any]]:
    readers = {place: _place_reader(place, here, slots)
               for place in (instruction.resolved.shifted, instruction.resolved.amount) if place is not None}

    def both(s: State) -> tuple[Any, Any]:
        def read(place: Location | ImmediateLane) -> Any:
            found = readers.get(place)
            return s.constant(place.value, place.type) if isinstance(place, ImmediateLane) else found and found(s)
        return shifter(instruction, read, s.slots[slots.nzcv])
    return both


# ---- writing --------------------------------------------------------------------------------------------------------

def _writer(result: Result, slots: Slots) -> Writer | None:
    kind = result.kind
    if kind == "none":
        return None
    if kind == "memory":
        return STORE
    if kind == "pc":
        return _branch
    if kind == "link":
        return lambda s, value: s.write_slot(slots.link, value)
    if kind == "lanes":
        return _place_writer(result.places, slots)
    flag = slots.index[result.role]
    if kind == "sticky":
        return lambda s, value: s.write_slot(flag, s.slots[flag] | value)
    return lambda s, value: s.write_slot(flag, value)


def _branch(s: State, value: Any) -> None:
    s.branch(value)


def _place_writer(places: tuple[Location, ...], slots: Slots) -> Writer:
    if len(places) == 1:
        return _one_writer(places[0], slots)
    writers = [_one_writer(p, slots) for p in places]
    counts = tuple(p.count for p in places)

    def several(s: State, value: Lanes) -> None:
        for write, share in zip(writers, shares(value.count, counts), strict=True):
            write(s, value[share])
    return several


def _one_writer(place: Location, slots: Slots) -> Writer:
    start, nbytes, number = place.start, place.nbytes, place.number
    if place.bank in "vq":
        clears, half = place.clears, place.zeros_behind

        def vector(s: State, value: Lanes) -> None:
            if value.count * value.type.bytes != nbytes:
                value = spread(value, nbytes)
            old = s.slots[number]
            if half:
                s.write_slot(number, old.with_bytes(start, join(value, value & 0), None))
                return
            s.write_slot(number, old.with_bytes(start, value, s.zeros(16 - nbytes) if clears and nbytes < 16 else None))
        return vector
    if number < 0:
        return lambda s, value: None
    if place.bank == "r" and number == 15:
        return _branch
    slot, type_, written = slots.get(place), slots.word, element("x", 8 * nbytes)

    def core(s: State, value: Lanes) -> None:
        if value.type is not type_:
            if value.count > 1:
                value = view(value, written)
            # A w register's upper half is cleared.
            value = view(value, type_) if value.type.bits == type_.bits else extend(
                value._as_kind(value.type.with_("u")), type_)
        s.write_slot(slot, value)
    return core


def spread(value: Lanes, nbytes: int) -> Lanes:
    """One lane repeated until it fills ``nbytes``."""
    assert value.count == 1, f"{value.count} lanes of {value.type} for {nbytes} bytes"
    return join(value, *[value] * (nbytes // value.type.bytes - 1))


# ---- addresses ------------------------------------------------------------------------------------------------------

def address_of(instruction: Instruction, read: Callable[[Location], Any], flags: Any) -> tuple[Any, Any]:
    """(address of the first byte, new value of the base register or None): of any reading."""
    address, operands = instruction.address, instruction.resolved
    assert address is not None and operands.base is not None
    base, transfer, options = read(operands.base), instruction.transfer_bytes, instruction.form.options
    offset: Any = 0
    if isinstance(address.offset, Immediate):
        offset = int(address.offset.value)
    elif operands.offset is not None:
        offset, shift = read(operands.offset), address.shift
        if shift is not None:
            amount = int(shift.amount.value) if isinstance(shift.amount, Immediate) else 0
            offset = (extended(offset, shift.kind, amount, 64) if instruction.isa == "aarch64" else
                      shifted_operand(offset, "rrx", 1, flags >> 1 & 1)[0] if shift.kind == "rrx" else
                      moved(offset, shift.kind, amount))
    elif address.writeback == "pre" and ("base" in options or any(
            p.role == "mem" and p.spec in ("vld", "ldm", "ldmdb") for p in instruction.form.patterns)):
        offset = None  # block transfers advance by what they moved; `ldr r0, [r1]!` has an offset of nothing
    return effective(address, base, offset, transfer + int(options.get("behind", 0)), "down" in options,
                     int(options.get("apart", 0)))


def _addresser(instruction: Instruction, here: int, slots: Slots) -> Callable[[State], tuple[Any, Any]]:
    address, operands = instruction.address, instruction.resolved
    assert address is not None and operands.base is not None
    base = _place_reader(operands.base, here, slots)
    if any(p.spec == "block" for p in instruction.form.patterns):  # DC ZVA
        return lambda s: (base(s) & -instruction.transfer_bytes, None)
    if address.writeback == "" and address.offset is None and not instruction.form.options.keys() & {"down", "apart"}:
        return lambda s: (base(s), None)
    readers = {place: _place_reader(place, here, slots)
               for place in (operands.base, operands.offset) if place is not None}
    return lambda s: address_of(instruction, lambda place: readers[place](s), s.slots[slots.nzcv])
