"""Program to Python that keeps a record: what it takes to say later what every single instruction did.

The text is that of `translate_python`, with one more statement for each block, just before its registers go home: the
registers that the block reads or overwrites, the bytes it loaded and the bytes its stores replaced, packed behind the
block's number. That is all that a run costs. `replay` makes the steps of it.

The sanitizer rides along in one integer, ``junk``: a bit for each byte of a SIMD register and for each other register
that may hold uninitialized bits. A block begins only if none of the bytes that decide is among them (those of
addresses, branches, conditions, what is stored), and if every byte it loads is known. It clears the bits of what it
writes, but for what may come of such bits: these are set, with `FLOWED`. So in here there is nothing to find; wherever
that is in doubt, the interpreter does the block, and `unwritten` says first which bits are unknown for sure.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from neonsim.arm.asm import Program
from neonsim.arm.machine.arch.binder import BoundInstruction
from neonsim.arm.machine.arch.registers import Slots, VectorValue
from neonsim.arm.semantics import DagNode, ElementType, Lanes, PythonWriter, SourceLanes, u8
from neonsim.arm.semantics.codegen.dag import pick

from .blocks import AnalysisMemory, BasicBlock, SourceState, emit, targets
from .to_python import FLAGS, FORMATS, MAX_DEPTH, PythonMemory, PythonTranslator

__all__ = ["ALIASED", "FLOWED", "SKIPPED", "Recorded", "RecordingProgram", "translate_recording", "undefined_bit"]

SKIPPED = 1 << 31  # in the number of a block: its condition did not hold
FLOWED = 1 << 1023  # among the junk bits: a block has made something of junk
ALIASED = 1024      # bits further up: of registers that hold one unknown value between them; no block may read these
_SAME = ("kind", "lanes", "join", "view", "wide", "narrow", "~")  # what is made so is known to be the same value
_CALL = re.compile(r"\b_\w+\(")


def undefined_bit(slots: Slots, slot: int, byte: int = 0) -> int:
    """Return the number of the bit that says "unknown" of a byte of a SIMD register, or of any other register."""
    return 16 * slot + byte if slot < slots.vectors else 15 * slots.vectors + slot


@dataclass
class Recorded:
    """A block that keeps a record.

    record    dtype of one record: "block", then registers by name, loads "m0" ..., bytes that stores replaced "o0" ...
    slots     registers in the record            loads   (element type, lanes) of each load
    changed   registers that the block writes    cleared junk bits of what it writes
    """

    first: int
    last: int
    record: np.dtype[Any]
    slots: list[int]
    loads: list[tuple[ElementType, int]]
    changed: list[int]
    cleared: int

    @property
    def steps(self) -> int:
        return self.last - self.first + 1


@dataclass(frozen=True)
class _Look:
    """What a block works on.

    touched   registers that it reads or overwrites     decides   junk bits that it must not meet
    written   registers that it writes                  cleared   bits of what it writes
    flows     {bits of what it reads: bits of what it makes of these}
    """

    touched: list[int]
    decides: int
    written: list[int]
    cleared: int
    flows: dict[int, int]


@dataclass(frozen=True)
class RecordingProgram:
    """A translation; ``function`` takes and gives the flat list of registers, see `translate_python`."""

    text: str
    function: Any
    homes: tuple[ElementType, ...]
    leaders: frozenset[int]
    blocks: dict[int, Recorded]


class _Memory(PythonMemory):
    """Loads and stores that are noted."""

    def __init__(self, owner: PythonTranslator) -> None:
        super().__init__(owner)
        self.loads: list[tuple[str, ElementType, int]] = []
        self.replaced: list[tuple[str, int]] = []

    def load(self, address: Lanes, nbytes: int, type_: ElementType) -> SourceLanes:
        made = super().load(address, nbytes, type_)
        self.loads.append((made.node.args[0], type_, made.count))
        return made

    def store(self, address: Lanes, lanes: Lanes, undo: list[Any]) -> None:
        assert isinstance(lanes, SourceLanes)
        writer, type_ = self.owner.writer, lanes.type
        texts = ", ".join(writer.exact(lanes.node, i).text for i in range(lanes.count))
        nbytes = lanes.count * type_.bytes
        at = writer.fresh()
        writer.lines.append(f"{at} = {self._reach(address, nbytes, 'store')}")
        old, cut = at.replace("t", "o"), f"{at}:{at} + {nbytes}"
        writer.lines += [f"{old} = bytes(memory[{cut}])", f"log.append(({at}, {old}, bytes(unknown[{cut}])))",
                         f"{self.owner.format(type_, lanes.count, 'pack_into')}(memory, {at}, {texts})",
                         f"unknown[{cut}] = {bytes(nbytes)!r}"]
        self.replaced.append((old, nbytes))
        self.stores = True


class _Translator(PythonTranslator):
    def __init__(self, program: Program, entry: int) -> None:
        super().__init__(program, entry)
        self.blocks = [part for block in self.blocks for part in self._parts(block)]
        self.leaders = {block.first for block in self.blocks}
        self.recorded: dict[int, Recorded] = {}

    def _parts(self, block: BasicBlock) -> list[BasicBlock]:
        """The block without the instructions that only the interpreter does: calls and returns, which it checks, and
        what moves sp, below which nothing may be accessed."""
        found, first = [], block.first
        for at in range(block.first, block.last + 2):
            if at > block.last or not self._plain(self.bound[at]):
                if at > first:
                    found.append(BasicBlock(first, at - 1))
                first = at + 1
        return found

    def _plain(self, bound: BoundInstruction) -> bool:
        """Whether this is no branch, or one that goes to a label and remembers nothing; and leaves sp alone."""
        state = SourceState(self.slots, AnalysisMemory(), self.values())
        emit(bound, state)
        if any(slot == self.slots.sp for slot, _, _ in state.writes):
            return False
        if state.target is None:
            return True
        _, yes, no = targets(state.target, self.program)
        return yes.index is not None and (no is None or no.index is not None) and not any(
            slot == self.slots.link for slot, _, _ in state.writes)

    # -- what a block works on
    def _look(self, block: BasicBlock) -> _Look:
        slots = self.slots
        values: list[Any] = []
        for slot in range(len(slots.names)):
            if slot < slots.vectors:
                values.append(VectorValue(tuple((b, SourceLanes.named(f"{slot}.{b}", u8, 1)) for b in range(16))))
            else:
                values.append(SourceLanes.named(f"{slot}.0", u8 if slot >= slots.nzcv else slots.word, 1))
        seen = AnalysisMemory()
        state = SourceState(slots, seen, list(values))
        state.shadow = True
        made: list[DagNode] = []
        read_by: list[DagNode] = []
        written: set[int] = set()
        for at in range(block.first, block.last + 1):
            bound = self.bound[at]
            operands = [lanes.node for role, read in bound.readers if role != "mem"
                        if isinstance(lanes := read(state), SourceLanes)]
            read_by += operands
            truth = emit(bound, state)
            one = bound.instruction
            if one.memory == "store" or one.is_branch or truth is not None or any(
                    slot == slots.fpcr for slot, _, _ in state.writes):
                seen.nodes += operands
            seen.nodes += [n for n in (truth.node if truth is not None else None, state.target) if n is not None]
            for slot, _, new in state.writes:
                written.add(slot)
                made += [_node(p[1]) for p in new.parts] if isinstance(new, VectorValue) else [_node(new)]
        sources = _Sources(slots)
        decides, read, flows = sources.get(*seen.nodes), sources.get(*read_by, *made), dict[int, int]()
        cleared, holders = 0, dict[int, tuple[DagNode, set[int]]]()
        for slot in written:
            value = state.slots[slot]
            for byte in range(16 if slot < slots.vectors else 1):
                node, lane = pick(_node(value.read(byte, 1, u8) if isinstance(value, VectorValue) else value), 0)
                if node.op == "name" and (node.args[0], lane) == (f"{slot}.{byte}", 0):
                    continue
                bit, before = 1 << undefined_bit(slots, slot, byte), sources.get(node)
                cleared |= bit
                if before:
                    flows[before] = flows.get(before, 0) | bit
                    for made_of in _made_of(node):
                        holders.setdefault(id(made_of), (made_of, set()))[1].add(slot)
        # Of two places that hold one unknown value only the interpreter knows it.
        for made_of, places in holders.values():
            if made_of.op == "name" or len(places) > 1 or made_of.depth > MAX_DEPTH:
                decides |= sources.get(made_of)
        touched = {*written, *sources.slots(decides | read)}
        if slots.fpcr in touched:   # the rules of floating point
            decides |= 1 << undefined_bit(slots, slots.fpcr)
        return _Look(sorted(touched), decides, sorted(written), cleared, flows)

    # -- text
    def block(self, block: BasicBlock) -> list[str]:
        self.writer = writer = PythonWriter()
        first, count, slots, names = block.first, block.last - block.first + 1, self.slots, self.slots.names
        look = self._look(block)
        values = self.values()
        memory = _Memory(self)
        state = SourceState(slots, memory, list(values))
        state.shadow = True  # what only the sanitizer demands is tested here too
        truth: SourceLanes | None = None
        for at in range(first, block.last + 1):
            self._set_base(self.bound[at])
            truth = emit(self.bound[at], state)
            for slot, _, _ in state.writes:
                value = state.slots[slot]
                for lanes in [p[1] for p in value.parts] if isinstance(value, VectorValue) else [value]:
                    assert isinstance(lanes, SourceLanes)
                    if lanes.node.depth > MAX_DEPTH:
                        writer.materialize(lanes.node)
        lines = list(writer.lines)
        go, tail = self._way(state, block)
        home = []
        for number, line in enumerate(self._home(state, values)):
            name, _, text = line.partition(" = ")
            if _CALL.search(text):  # no calls from here to the end: an interrupt must not come between
                writer.lines.append(f"h{number} = {text}")
                line = f"{name} = h{number}"
            home.append(line)
        layout: list[tuple[str, str, int]] = [("block", "I", 1)]
        fields = [str(first)]
        record: list[Any] = [("block", "<u4")]
        for slot in look.touched:
            type_ = self.homes[slot] if slot < slots.vectors else u8 if slot >= slots.nzcv else slots.word
            lanes_count = 128 // type_.bits if slot < slots.vectors else 1
            layout.append((names[slot], _letter(type_), lanes_count))
            record.append((names[slot], type_.dtype, (lanes_count,)))
            fields += [f"{names[slot]}_{i}" for i in range(lanes_count)]
        for number, (name, type_, lanes_count) in enumerate(memory.loads):
            layout.append((name, _letter(type_), lanes_count))
            record.append((f"m{number}", type_.dtype, (lanes_count,)))
            fields += [f"{name}_{i}" for i in range(lanes_count)]
        form = "<" + "".join(f"{n}{letter}" for _, letter, n in layout)
        for number, (name, nbytes) in enumerate(memory.replaced):
            form += f"{nbytes}s"
            record.append((f"o{number}", np.uint8, (nbytes,)))
            fields.append(name)
        self.scope[f"pack_{first}"] = struct.Struct(form).pack
        self.recorded[first] = Recorded(first, block.last, np.dtype(record), look.touched,
                                        [(type_, n) for _, type_, n in memory.loads], look.written, look.cleared)
        jump = tail[0] if tail else f"pc = {block.last + 1}"
        spread, kept = [], ~(look.cleared | look.cleared << ALIASED)
        if look.flows:
            self.scope[f"spread_{first}"] = _spread(kept, look.flows)
            spread = [f"left = spread_{first}(junk) if junk & {self._meets(look):#x} else junk & {kept:#x}"]
        body = [*lines, *go, *writer.lines[len(lines):], *spread, f"r = pack_{first}({', '.join(fields)})", *home,
                f"steps += {count}", jump]
        if look.cleared:
            body.append("junk = left" if spread else f"junk &= {kept:#x}")
        if memory.stores:
            body.append("log = []")
        body += ["done(r)", *tail[1:]]
        if truth is not None:
            test = PythonWriter()
            text = test.condition(truth.node, 0)
            skipped = struct.pack("<I", first | SKIPPED)
            body = [*test.lines, f"if {text}:", *("    " + line for line in body), "else:",
                    f"    steps, pc = steps + {count}, {block.last + 1}", f"    done({skipped!r})"]
        head = [f"if steps + {count} > limit: raise Leave"]
        refused = look.decides | self._meets(look) << ALIASED
        if refused:
            head.append(f"if junk & {refused:#x}: raise Leave")
        if any(re.search(r"\bnzcv_0", line) for line in body):
            head.append(f"nzcv_0 = _flags({', '.join(FLAGS)})")
        if self._repeats(block):
            return [f"if pc == {first}:", f"    while pc == {first}:", *("        " + x for x in [*head, *body])]
        return [f"if pc == {first}:", *("    " + line for line in [*head, *body])]

    @staticmethod
    def _meets(look: _Look) -> int:
        found = 0
        for before in look.flows:
            found |= before
        return found

    def recording(self) -> RecordingProgram:
        """Return the text, compiled."""
        self.choose_homes()
        body = [line for block in self.blocks for line in self.block(block)]
        listed = self.registers(range(len(self.slots.names)))
        near = sorted(self.near)
        text = "\n".join([
            "def run(registers, junk, memory, unknown, limit, pc, find_load, find_store, done):",
            f"    [{listed}] = registers",
            *([f"    {' = '.join(near)} = 0"] if near else []),
            "    steps, log, stopped = 0, [], None",
            "    try:",
            "        while pc in first:",
            *("            " + line for line in body or ["break"]),
            "    except BaseException as problem:",
            "        for at, old, known in reversed(log):",
            "            memory[at:at + len(old)], unknown[at:at + len(old)] = old, known",
            "        stopped = None if isinstance(problem, Leave) else problem",  # no circle of it and this frame
            f"    return [{listed}], junk, pc, steps, stopped"])
        self.scope["first"] = frozenset(self.leaders)
        exec(compile(text, f"<{self.program.path!a} as Python with a record>", "exec"), self.scope)
        return RecordingProgram(text, self.scope["run"], tuple(self.homes), frozenset(self.leaders), self.recorded)


def _spread(kept: int, flows: dict[int, int]) -> Callable[[int], int]:
    """junk before a block -> junk after it, where it meets some: there are few, and they come again and again."""
    @lru_cache(maxsize=256)
    def spread(junk: int) -> int:
        after = junk & kept | FLOWED
        for before, made in flows.items():
            if junk & before:
                after |= made
        return after
    return spread


def _made_of(node: DagNode) -> list[DagNode]:
    """What a value is that is only moved, cut, widened, narrowed or inverted; itself, if it is more."""
    found, waiting = [], [node]
    while waiting:
        one = waiting.pop()
        same = one.op in _SAME or (one.op == "&" and any(
            isinstance(arg, DagNode) and arg.op == "const" for arg in one.args))
        if same and one.depth <= MAX_DEPTH:
            waiting += [arg for arg in one.args if isinstance(arg, DagNode)]
        else:
            found.append(one)
    return found


def _node(lanes: Any) -> DagNode:
    assert isinstance(lanes, SourceLanes)
    return lanes.node


def _letter(type_: ElementType) -> str:
    return FORMATS[type_.bits].lower() if type_.kind == "s" else FORMATS[type_.bits]


class _Sources:
    """The junk bits of the registers' names that nodes are made of, through picked lanes exactly."""

    def __init__(self, slots: Slots) -> None:
        self._slots = slots
        self._known: dict[int, tuple[int, DagNode]] = {}   # with the node, so that its id stays its own

    def get(self, *nodes: DagNode) -> int:
        known, found = self._known, 0
        waiting = [(node, False) for node in nodes]
        while waiting:
            node, ready = waiting.pop()
            if id(node) in known:
                continue
            inner = ([pick(node, i)[0] for i in range(node.count)] if node.op in ("lanes", "join") else
                     [arg for arg in node.args if isinstance(arg, DagNode)])
            if inner and not ready:
                waiting += [(node, True), *((one, False) for one in inner)]
                continue
            bits = 0
            if node.op == "name" and node.args[0] != "loaded":
                slot, _, byte = node.args[0].partition(".")
                bits = 1 << undefined_bit(self._slots, int(slot), int(byte))
            for one in inner:
                bits |= known[id(one)][0]
            known[id(node)] = bits, node
        for node in nodes:
            found |= known[id(node)][0]
        return found

    def slots(self, bits: int) -> set[int]:
        """Return the registers of bits."""
        vectors, found = self._slots.vectors, set()
        while bits:
            bit = bits.bit_length() - 1
            slot = bit // 16 if bit < 16 * vectors else bit - 15 * vectors
            found.add(slot)
            bits &= (1 << undefined_bit(self._slots, slot)) - 1
        return found


def translate_recording(program: Program, entry: str | None = None) -> RecordingProgram:
    """Return a program, from one entry on, as a Python function that keeps a record.

    Raises AssemblyError for an unknown entry.
    """
    return _Translator(program, program.entry(entry)).recording()
