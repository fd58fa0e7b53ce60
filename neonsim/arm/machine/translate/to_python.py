"""Program to Python: every lane of every register a local variable, one block of straight code after the other.

Inside a block values are expressions and fresh names; at its end they go home, into the variables that hold the
registers between blocks (in the element type that the program uses a register as). So a block that cannot be finished
(a fault, the step limit) is left as if it had not begun, its stores taken back: the interpreter then goes through it
step by step and says what is wrong.
"""

from __future__ import annotations

import re
import struct
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from neonsim.arm.asm import Program
from neonsim.arm.isa import Location
from neonsim.arm.machine.arch.abi import RETURN
from neonsim.arm.machine.arch.binder import BOUND, BoundInstruction
from neonsim.arm.machine.arch.registers import VectorValue
from neonsim.arm.machine.memory.layout import BASE
from neonsim.arm.semantics import DagNode, ElementType, Lanes, PythonWriter, SourceLanes, u8
from neonsim.arm.semantics.codegen.to_python import HELPERS

from .blocks import BasicBlock, SourceMemory, SourceState, blocks, emit, slots_of, targets

__all__ = [
    "FLAGS",
    "FORMATS",
    "MAX_DEPTH",
    "Leave",
    "PythonMemory",
    "PythonProgram",
    "PythonTranslator",
    "flags_of",
    "translate_python",
]

FORMATS = {8: "B", 16: "H", 32: "I", 64: "Q"}
_WORD = re.compile(r"[a-z]\w*")
MAX_DEPTH = 40  # operations in one expression, before its value gets variables
FLAGS = ("flag_n", "flag_m", "flag_c", "flag_bits")  # operands of the last flag-setting sum, or (nzcv, 0, 0, 0)


class Leave(Exception):
    """The block cannot be finished."""


def flags_of(n: int, m: int, carry: int, bits: int) -> int:
    """NZCV from its home: of the sum n + m + carry, or n itself if bits is 0; bits < 0: m is inverted first."""
    if bits == 0:
        return n
    if bits < 0:
        m, bits = m ^ (1 << -bits) - 1, -bits
    return HELPERS["_sum_flags"](n, m, carry, bits)  # type: ignore[no-any-return]


@dataclass(frozen=True)
class PythonProgram:
    """A translation.

    function   function(registers, memory, limit, pc, find_load, find_store) -> (registers, pc, steps, returned)
    slots      the registers that the text names: the flat list of registers holds these
    homes      element type of each SIMD register there; each flag is one number, but NZCV is `FLAGS`
    """

    text: str
    function: Callable[..., Any]
    slots: tuple[int, ...]
    homes: tuple[ElementType, ...]
    leaders: frozenset[int]


class PythonMemory(SourceMemory):
    """Loads and stores as checked struct calls; one remembered buffer for each base register and direction."""

    def __init__(self, owner: PythonTranslator) -> None:
        self.owner = owner
        self.stores = False

    def _reach(self, address: Lanes, nbytes: int, way: str) -> str:
        owner, writer = self.owner, self.owner.writer
        at = writer.named(writer.exact(address.node, 0)).text  # type: ignore[attr-defined]
        low, end = f"low_{way}_{owner.base}", f"end_{way}_{owner.base}"
        owner.near |= {low, end}
        writer.lines.append(f"if not {low} <= {at} <= {end} - {nbytes}: {low}, {end} = find_{way}({at}, {nbytes})")
        return f"{at} - {BASE:#x}"

    def load(self, address: Lanes, nbytes: int, type_: ElementType) -> SourceLanes:
        at, count = self._reach(address, nbytes, "load"), nbytes // type_.bytes
        name = self.owner.writer.fresh().replace("t", "m")
        names = ", ".join(f"{name}_{i}" for i in range(count)) + ("," if count == 1 else "")
        self.owner.writer.lines.append(f"{names} = {self.owner.format(type_, count, 'unpack_from')}(memory, {at})")
        return SourceLanes.named(name, type_, count)

    def store(self, address: Lanes, lanes: Lanes, undo: list[Any]) -> None:
        writer, type_ = self.owner.writer, lanes.type
        texts = ", ".join(writer.exact(lanes.node, i).text for i in range(lanes.count))  # type: ignore[attr-defined]
        nbytes = lanes.count * type_.bytes
        at = self._reach(address, nbytes, "store")
        writer.lines.append(f"log.append(({at}, bytes(memory[{at}:{at} + {nbytes}])))")
        writer.lines.append(f"{self.owner.format(type_, lanes.count, 'pack_into')}(memory, {at}, {texts})")
        self.stores = True

    def demand(self, address: Lanes, multiple: int) -> None:
        text = self.owner.writer.exact(address.node, 0).inner  # type: ignore[attr-defined]
        self.owner.writer.lines.append(f"if {text} & {multiple - 1}: raise Leave")


class PythonTranslator:
    """Writes the blocks of a program one after the other into one function."""

    def __init__(self, program: Program, entry: int) -> None:
        self.program, self.slots = program, slots_of(program.isa)
        self.blocks = blocks(program, entry)
        self.leaders = {b.first for b in self.blocks}
        self.writer = PythonWriter()
        self.near: set[str] = set()
        self.scope: dict[str, Any] = dict(HELPERS) | {"Leave": Leave, "_flags": flags_of}
        self.base = ""
        self.homes: list[ElementType] = [u8] * self.slots.vectors
        self.bound = BOUND.get(program)

    def format(self, type_: ElementType, count: int, direction: str) -> str:
        letter = FORMATS[type_.bits]
        key = f"{direction}_{count}{letter.lower() if type_.kind == 's' else letter}"
        self.scope[key] = getattr(struct.Struct(f"<{count}{key[-1]}"), direction)
        return key

    def values(self) -> list[Any]:
        names, slots = self.slots.names, self.slots
        return [VectorValue(((0, SourceLanes.named(names[s], self.homes[s], 128 // self.homes[s].bits)),))
                if s < slots.vectors else SourceLanes.named(names[s], u8 if s >= slots.nzcv else slots.word, 1)
                for s in range(len(names))]

    # -- which type a register is at home in
    def choose_homes(self) -> None:
        votes: list[Counter[ElementType]] = [Counter() for _ in self.homes]
        for block in self.blocks:
            weight = 100 if self._repeats(block) else 1
            values = self.values()
            state = SourceState(self.slots, PythonMemory(self), list(values))
            for at in range(block.first, block.last + 1):
                self._set_base(self.bound[at])
                emit(self.bound[at], state)
                for places in self.bound[at].instruction.places.values():
                    for place in places:
                        if isinstance(place, Location) and place.bank in "vq" and place.type.bits <= 64:
                            votes[self.slots.get(place)][place.type] += weight
            for slot in range(self.slots.vectors):
                if state.slots[slot] is not values[slot]:
                    votes[slot][state.slots[slot].parts[0][1].type] += 10 * weight
        for slot, count in enumerate(votes):
            types = [t for t, _ in count.most_common() if t.bits <= 64]
            if types:
                self.homes[slot] = types[0]
        self.writer, self.near = PythonWriter(), set()

    def _repeats(self, block: BasicBlock) -> bool:
        return self.program.instructions[block.last].target == block.first

    def _set_base(self, bound: BoundInstruction) -> None:
        base = bound.operands.base
        self.base = base.registers[0] if base is not None else "none"

    # -- text
    def block(self, block: BasicBlock) -> list[str]:
        self.writer = writer = PythonWriter()
        count = block.last - block.first + 1
        values = self.values()
        memory = PythonMemory(self)
        state = SourceState(self.slots, memory, list(values))
        truth: SourceLanes | None = None
        for at in range(block.first, block.last + 1):
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
        home = self._home(state, values)
        body = [*lines, *go, *writer.lines[len(lines):], *home]
        if memory.stores:
            body.append("log.clear()")
        if truth is not None:  # alone in its block: the condition comes before all it does
            test = PythonWriter()
            text = test.condition(truth.node, 0)
            skip = [f"pc = {block.last + 1}"]
            chosen = tail or skip
            indent = ["    " + line for line in [*body, f"steps += {count}", *chosen]]
            return self._guarded([*test.lines, f"if {text}:", *indent, "else:", f"    steps += {count}", *(
                "    " + x for x in skip)], block, count)
        return self._guarded([*body, f"steps += {count}", *(tail or [f"pc = {block.last + 1}"])], block, count)

    def _guarded(self, body: list[str], block: BasicBlock, count: int) -> list[str]:
        head = [f"if steps + {count} > limit: break"]
        if any(re.search(r"\bnzcv_0", line) for line in body):
            head.append(f"nzcv_0 = _flags({', '.join(FLAGS)})")
        lines = [*head, *body]
        if self._repeats(block):
            return [f"if pc == {block.first}:", f"    while pc == {block.first}:",
                    f"        if steps + {count} > limit: raise Leave", *("        " + x for x in lines[1:])]
        return [f"if pc == {block.first}:", *("    " + line for line in lines)]

    def _way(self, state: SourceState, block: BasicBlock) -> tuple[list[str], list[str]]:
        """(statements before the registers go home, statements behind it) of the branch, if there is one."""
        if state.target is None:
            return [], []
        writer = self.writer
        truth, yes, no = targets(state.target, self.program)
        if truth is not None and no is not None:
            mark = len(writer.lines)
            text = writer.condition(truth, 0)
            added = writer.lines[mark:]
            del writer.lines[mark:]
            # Where there is no code, the interpreter has to say so.
            lost = ["if go: raise Leave"] * (yes.index is None) + ["if not go: raise Leave"] * (no.index is None)
            return [*added, f"go = {text}", *lost], [f"pc = {yes.index} if go else {no.index}",
                                                     *self._onward(yes.index, block)]
        if yes.returns:
            return [], [f"pc, return_ = {block.last}, True", "break"]
        if yes.index is not None:
            return [], [f"pc = {yes.index}", *self._onward(yes.index, block)]
        assert yes.address is not None
        mark = len(writer.lines)
        text = writer.exact(yes.address, 0).text
        added = writer.lines[mark:]
        del writer.lines[mark:]
        before = [*added, f"go = {text}", f"if go != {RETURN:#x} and go not in leaders: raise Leave"]
        return before, [f"if go == {RETURN:#x}:", f"    pc, return_ = {block.last}, True", "    break",
                        "pc = leaders[go]", "continue"]

    def _onward(self, index: int | None, block: BasicBlock) -> list[str]:
        """Blocks behind this one are reached by falling; those before it need another round."""
        return ["continue"] if index is not None and index <= block.first and not self._repeats(block) else []

    def _home(self, state: SourceState, values: list[Any]) -> list[str]:
        """Assign what changed to the registers' variables; all of it is computed from what was there before."""
        writer, slots, names = self.writer, self.slots, self.slots.names
        assigned: list[tuple[str, str]] = []
        for slot, value in enumerate(state.slots):
            if value is values[slot]:
                continue
            if slot == slots.nzcv:
                assigned += zip(FLAGS, self._flag_operands(value.node), strict=True)
                continue
            node = value.read(0, 16, self.homes[slot]).node if slot < slots.vectors else value.node
            assigned += [(f"{names[slot]}_{i}", writer.exact(node, i).text) for i in range(node.count)]
        assigned = [(name, text) for name, text in assigned if name != text]
        later: Counter[str] = Counter(w for _, text in assigned for w in set(_WORD.findall(text)))
        lines, behind = [], []
        for name, text in assigned:
            for word in set(_WORD.findall(text)):
                later[word] -= 1
            if later[name]:  # the old value is still needed
                lines.append(f"new_{name} = {text}")
                behind.append(f"{name} = new_{name}")
            else:
                lines.append(f"{name} = {text}")
        return lines + behind

    def _flag_operands(self, node: DagNode) -> tuple[str, str, str, str]:
        writer = self.writer
        if node.op == "sum_flags":
            n, m, c, _ = node.args
            inverted = m.op == "~"
            other = m.args[0] if inverted else m
            return (writer.exact(n, 0).text, writer.exact(other, 0).text, writer.exact(c, 0).text,
                    str(-n.type.bits if inverted else n.type.bits))
        return writer.exact(node, 0).text, "0", "0", "0"

    def registers(self, numbers: Sequence[int]) -> str:
        """Return the names of registers in the order in which a run takes them."""
        slots = self.slots
        listed: list[str] = []
        for slot in numbers:
            name = slots.names[slot]
            count = 128 // self.homes[slot].bits if slot < slots.vectors else 1
            listed += FLAGS if slot == slots.nzcv else [f"{name}_{i}" for i in range(count)]
        return ", ".join(listed)

    def _used(self, body: list[str]) -> tuple[int, ...]:
        """The registers that the text names; the flags are always among them."""
        words = {found[1] for found in re.finditer(r"\b([a-z]+\d*)_\d+\b", "\n".join(body))}
        return tuple(slot for slot, name in enumerate(self.slots.names) if name in words or slot == self.slots.nzcv)

    def translate(self) -> PythonProgram:
        self.choose_homes()
        body = [line for block in self.blocks for line in self.block(block)]
        used = self._used(body)
        listed = self.registers(used)
        near = sorted(self.near)
        text = "\n".join([
            "def run(registers, memory, limit, pc, find_load, find_store):",
            f"    [{listed}] = registers",
            *([f"    {' = '.join(near)} = 0"] if near else []),
            "    steps, return_, log = 0, False, []",
            "    try:",
            "        while True:",
            *("            " + line for line in body),
            "            if pc not in first: break",
            "    except Leave:",
            "        for at, old in reversed(log):",
            "            memory[at:at + len(old)] = old",
            f"    return [{listed}], pc, steps, return_"])
        self.scope["leaders"] = {self.program.address(i): i for i in self.leaders}
        self.scope["first"] = frozenset(self.leaders)
        exec(compile(text, f"<{self.program.path!a} as Python>", "exec"), self.scope)
        return PythonProgram(text, self.scope["run"], used, tuple(self.homes), frozenset(self.leaders))


def translate_python(program: Program, entry: str | None = None) -> PythonProgram:
    """Return a program, from one entry on, as a Python function.

    Raises AssemblyError for an unknown entry.
    """
    return PythonTranslator(program, program.entry(entry)).translate()
