"""Program to Python that keeps a record: what it takes to say later what every single instruction did.

The text is that of `translate_python`, with one more statement for each block, just before its registers go home: the
registers that the block reads or overwrites, the bytes it loaded and the bytes its stores replaced, packed behind the
block's number. That is all that a run costs. `replay` makes the steps of it.

The sanitizer rides along in one integer, ``junk``: a bit for each byte of a SIMD register and for each other register
that holds bits nobody has written. A block begins only if none of the bytes it works on is among them, and if every
byte it loads is known; it clears the bits of what it writes. So in here everything that is read has been written, and
there is nothing to find; wherever that is in doubt, the interpreter does the block.
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from typing import Any

import numpy as np

from neonsim.asm import Program
from neonsim.lanes import ElementType, Lanes, Node, PythonWriter, SourceLanes, u8
from neonsim.lanes.source import pick

from .bind import Bound
from .registers import Slots, VectorValue
from .translate import Block, SeenMemory, SourceState, perform, targets
from .translate_python import DEEPEST, FLAGS, FORMATS, PythonMemory, PythonTranslator

__all__ = ["SKIPPED", "Recorded", "RecordingProgram", "junk_bit", "translate_recording"]

SKIPPED = 1 << 31  # in the number of a block: its condition did not hold
_CALL = re.compile(r"\b_\w+\(")


def junk_bit(slots: Slots, slot: int, byte: int = 0) -> int:
    """The number of the bit that says "unknown" of a byte of a SIMD register, or of any other register."""
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

    def _parts(self, block: Block) -> list[Block]:
        """The block without the instructions that only the interpreter does: calls and returns, which it checks, and
        what moves sp, below which nothing may be accessed."""
        found, first = [], block.first
        for at in range(block.first, block.last + 2):
            if at > block.last or not self._plain(self.bound[at]):
                if at > first:
                    found.append(Block(first, at - 1))
                first = at + 1
        return found

    def _plain(self, bound: Bound) -> bool:
        """Whether this is no branch, or one that goes to a label and remembers nothing; and leaves sp alone."""
        state = SourceState(self.slots, SeenMemory(), self.values())
        perform(bound, state)
        if any(slot == self.slots.sp for slot, _, _ in state.writes):
            return False
        if state.target is None:
            return True
        _, yes, no = targets(state.target, self.program)
        return yes.index is not None and (no is None or no.index is not None) and not any(
            slot == self.slots.link for slot, _, _ in state.writes)

    # -- what a block works on
    def _look(self, block: Block) -> tuple[list[int], int, list[int], int]:
        """(registers that it reads or overwrites, junk bits it must not meet, registers it writes, bits it clears)."""
        slots = self.slots
        values: list[Any] = []
        for slot in range(len(slots.names)):
            if slot < slots.vectors:
                values.append(VectorValue(tuple((b, SourceLanes.named(f"{slot}.{b}", u8, 1)) for b in range(16))))
            else:
                values.append(SourceLanes.named(f"{slot}.0", u8 if slot >= slots.nzcv else slots.word, 1))
        seen = SeenMemory()
        state = SourceState(slots, seen, list(values))
        state.shadow = True
        made: list[Node] = []
        written: set[int] = set()
        for at in range(block.first, block.last + 1):
            bound = self.bound[at]
            seen.nodes += [lanes.node for role, read in bound.readers if role != "mem"
                           if isinstance(lanes := read(state), SourceLanes)]
            truth = perform(bound, state)
            seen.nodes += [n for n in (truth.node if truth is not None else None, state.target) if n is not None]
            for slot, _, new in state.writes:
                written.add(slot)
                made += [_node(p[1]) for p in new.parts] if isinstance(new, VectorValue) else [_node(new)]
        worked = _names(seen.nodes)
        touched = sorted({slot for slot, _ in worked | _names(made)} | written)
        mask = sum({1 << junk_bit(slots, slot, byte) for slot, byte in worked})
        cleared = 0
        for slot in written:
            value = state.slots[slot]
            for byte in range(16 if slot < slots.vectors else 1):
                node, lane = pick(_node(value.read(byte, 1, u8) if isinstance(value, VectorValue) else value), 0)
                if node.op != "name" or (node.args[0], lane) != (f"{slot}.{byte}", 0):
                    cleared |= 1 << junk_bit(slots, slot, byte)
        return touched, mask, sorted(written), cleared

    # -- text
    def block(self, block: Block) -> list[str]:
        self.writer = writer = PythonWriter()
        first, count, slots, names = block.first, block.last - block.first + 1, self.slots, self.slots.names
        touched, mask, written, cleared = self._look(block)
        values = self.values()
        memory = _Memory(self)
        state = SourceState(slots, memory, list(values))
        state.shadow = True  # what only the sanitizer demands is tested here too
        truth: SourceLanes | None = None
        for at in range(first, block.last + 1):
            self._set_base(self.bound[at])
            truth = perform(self.bound[at], state)
            for slot, _, _ in state.writes:
                value = state.slots[slot]
                for lanes in [p[1] for p in value.parts] if isinstance(value, VectorValue) else [value]:
                    assert isinstance(lanes, SourceLanes)
                    if lanes.node.depth > DEEPEST:
                        writer.settle(lanes.node)
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
        for slot in touched:
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
        self.recorded[first] = Recorded(first, block.last, np.dtype(record), touched,
                                        [(type_, n) for _, type_, n in memory.loads], written, cleared)
        jump = tail[0] if tail else f"pc = {block.last + 1}"
        body = [*lines, *go, *writer.lines[len(lines):], f"r = pack_{first}({', '.join(fields)})", *home,
                f"steps += {count}", jump]
        if cleared:
            body.append(f"junk &= {~cleared:#x}")
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
        if mask:
            head.append(f"if junk & {mask:#x}: raise Leave")
        if any(re.search(r"\bnzcv_0", line) for line in body):
            head.append(f"nzcv_0 = _flags({', '.join(FLAGS)})")
        if self._repeats(block):
            return [f"if pc == {first}:", f"    while pc == {first}:", *("        " + x for x in [*head, *body])]
        return [f"if pc == {first}:", *("    " + line for line in [*head, *body])]

    def recording(self) -> RecordingProgram:
        """The text, compiled."""
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


def _node(lanes: Any) -> Node:
    assert isinstance(lanes, SourceLanes)
    return lanes.node


def _letter(type_: ElementType) -> str:
    return FORMATS[type_.bits].lower() if type_.kind == "s" else FORMATS[type_.bits]


def _names(nodes: list[Node]) -> set[tuple[int, int]]:
    """(slot, byte) of the registers' names that nodes are made of, through picked lanes exactly."""
    found: set[tuple[int, int]] = set()
    seen: set[int] = set()
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if node.op == "name":
            if node.args[0] != "loaded":
                slot, _, byte = node.args[0].partition(".")
                found.add((int(slot), int(byte)))
        elif node.op in ("lanes", "join"):
            waiting += [pick(node, i)[0] for i in range(node.count)]
        else:
            waiting += [arg for arg in node.args if isinstance(arg, Node)]
    return found


def translate_recording(program: Program, entry: str | None = None) -> RecordingProgram:
    """A program, from one entry on, as a Python function that keeps a record.

    Raises AssemblyError for an unknown entry.
    """
    return _Translator(program, program.entry(entry)).recording()
