"""Program to numpy: one function per block of instructions, for all tiles of a grid in lock-step.

What a register holds is known by its *kind* before a block is written: a number that is the same in all tiles, a
pointer that steps evenly, or arrays of one element type that vary along the grid's rows, columns, both or neither (see
`lanes.source_numpy`). A block is written anew for every combination of kinds that it meets: two or three of them in
practice, since a loop settles after its first round. So in the text nothing is asked any more: widening a register of
weights costs what the weights cost, not what the grid costs.

A function never changes what it was given: it makes new values and hands them over at its end. When it cannot go on (a
fault, tiles that part), it raises `Leave`; its stores are taken back, and the interpreter goes through the block from
the start and says what is wrong. Instructions that the writer does not know, loads and stores through sp (each tile has
a stack of its own) and conditional instructions that hold in some tiles only are left to the interpreter alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from neonsim.asm import Program
from neonsim.isa import CoreRegister
from neonsim.lanes import ElementType, Lanes, Node, PythonWriter, SourceLanes, u8
from neonsim.lanes.source import pick
from neonsim.lanes.source_numpy import NUMPY_HELPERS, NumpyWriter, Unwritten, Variable, can_write

from .abi import RETURN
from .bind import BOUND, Bound
from .registers import VectorValue
from .translate import Block, SeenMemory, SourceMemory, SourceState, blocks, perform, slots_of, targets
from .translate_python import DEEPEST, Leave

__all__ = ["RETURNED", "Kind", "NumpyBlock", "NumpyTranslation", "kind"]

RETURNED = -1  # the block after the last one
MOST = 12      # ways in which a block is written, before it is left to the interpreter
_WORD = re.compile(r"\b[a-z]\w*")
Part = tuple[int, ElementType, int, bool, bool]


@dataclass(frozen=True, eq=False)
class Kind:
    """What a slot holds; made by `kind`, one object per kind.

    form    "int": a Python integer; "line": (base, row step, column step); "array": one array per part
    parts   (first byte, element type, lanes, varies along rows, along columns)
    """

    form: str
    parts: tuple[Part, ...]


@lru_cache(maxsize=4096)
def kind(form: str, parts: tuple[Part, ...]) -> Kind:
    """The kind of this form and these parts."""
    return Kind(form, parts)


@dataclass
class NumpyBlock:
    """A written block.

    function   function(values, memory, R, C) -> (next block or RETURNED, whether its condition held)
    exits      the kinds that it leaves, of the slots that it writes; values has been changed already
    """

    text: str
    function: Callable[..., Any]
    steps: int
    exits: list[tuple[int, Kind]]
    left: int = 0


@dataclass
class _Ways:
    """A block, the slots whose kinds matter to it, and the ways in which it is written (None: it cannot be)."""

    block: Block
    live: list[int]
    ways: dict[tuple[Kind, ...], NumpyBlock | None] = field(default_factory=dict)
    met: int = 0


class _Memory(SourceMemory):
    """Loads and stores as calls of the run's memory, see `lockstep`."""

    def __init__(self, writer: NumpyWriter, word: ElementType) -> None:
        self.writer, self.word = writer, word
        self.stores = False
        self.count = 0

    def _place(self, address: Node) -> tuple[str, list[int], tuple[bool, bool]]:
        """(how the helpers take the address, arrays in it, along which axes it varies)."""
        writer = self.writer
        form = writer.form(address)
        if form == "array":
            number = writer.array(address)
            made = writer.of(number)
            return "_each({0}", [number], (made.rows, made.columns)
        base, row, column = writer.point(address)
        rows, columns = writer.steps(address) if form == "line" else (False, False)
        return (f"({base} & {self.word.mask:#x}, {row}, {column}, {'R' if rows else 1}, {'C' if columns else 1}", [],
                (rows, columns))

    def load(self, address: Lanes, nbytes: int, type_: ElementType) -> SourceLanes:
        place, numbers, (rows, columns) = self._place(address.node)  # type: ignore[attr-defined]
        self.count += 1
        name, count = f"m{self.count}", nbytes // type_.bytes
        call = f"load{place}, {nbytes}, {self.writer.type_name(type_)})"
        if count == 1 and not rows and not columns and type_.bits <= 64:
            self.writer.values[name] = Variable("int")
            self.writer.raw(f"{name}_0 = int({call}.item())", numbers)
        else:
            self.writer.values[name] = Variable("array", rows, columns)
            self.writer.raw(f"{name} = {call}", numbers)
        return SourceLanes.named(name, type_, count)

    def store(self, address: Lanes, lanes: Lanes, undo: list[Any]) -> None:
        node = _bytes_of(lanes.node)  # type: ignore[attr-defined]
        value = self.writer.array(node)
        place, numbers, _ = self._place(address.node)  # type: ignore[attr-defined]
        self.writer.raw(f"store{place}, {{{len(numbers)}}}, {self.writer.type_name(node.type)})", [*numbers, value])
        self.stores = True

    def demand(self, address: Lanes, multiple: int) -> None:
        place, numbers, _ = self._place(address.node)  # type: ignore[attr-defined]
        self.writer.raw(f"demand{place}, {multiple})", numbers)


def _bytes_of(node: Node) -> Node:
    """A node of the same bytes, cut as they were before they were viewed as other elements."""
    while True:
        if node.op == "kind" or (node.op == "view" and node.args[0].type.bits <= 64):
            node = node.args[0]
        elif node.op == "lanes" and node.args[0].op in ("view", "kind") and node.args[0].args[0].type.bits <= (
                node.type.bits):
            inner, ratio = node.args[0].args[0], node.type.bits // node.args[0].args[0].type.bits
            wanted = tuple(ratio * i + k for i in node.args[1] for k in range(ratio))
            node = SourceLanes(inner)._lanes(wanted).node
        else:
            return node


class NumpyTranslation:
    """A program from one entry on, its blocks written when they are met.

    leaders   instructions at which a block begins
    """

    def __init__(self, program: Program, entry: int) -> None:
        self.program, self.slots = program, slots_of(program.isa)
        self.types: dict[str, ElementType] = {}
        self._ways: dict[int, _Ways] = {}
        self._bound: dict[int, Bound] = {}
        for block in blocks(program, entry):
            self._split(block)
        self.leaders = frozenset(self._ways)

    def known(self, pc: int) -> bool:
        """Whether a block begins at an instruction that may still be written."""
        return pc in self._ways

    def find(self, pc: int, kinds: list[Kind], patience: int) -> NumpyBlock | None:
        """The block at an instruction, written for these kinds; None: the interpreter does it.

        patience   how often a block is met before it is worth writing
        """
        ways = self._ways.get(pc)
        if ways is None:
            return None
        key = tuple([kinds[slot] for slot in ways.live])
        found = ways.ways.get(key)
        if found is None:
            if key in ways.ways or len(ways.ways) >= MOST:
                return None
            ways.met += 1
            if ways.met <= patience:
                return None
            try:
                found = self._write(ways.block, kinds)
            except Unwritten:
                found = None
            ways.ways[key] = found
        return found if found is None or found.left < 3 else None

    # -- a first look: which instructions can be written, which registers does a block start from
    def _split(self, block: Block) -> None:
        first = block.first
        for at in range(block.first, block.last + 1):
            bound = self._bound[at] = BOUND.of(self.program)[at]
            if not self._can_write(bound):
                self._add(first, at - 1)
                first = at + 1
        self._add(first, block.last)

    def _can_write(self, bound: Bound) -> bool:
        instruction = bound.instruction
        if instruction.address is not None and isinstance(instruction.address.base, CoreRegister) and (
                instruction.address.base.is_sp or (self.program.isa == "aarch32" and
                                                   instruction.address.base.number == 13)):
            return False
        seen = SeenMemory()
        state = SourceState(self.slots, seen, self._generic())
        truth = perform(bound, state)
        nodes = [*seen.nodes, *_nodes(state, [slot for slot, _, _ in state.writes])]
        if truth is not None:
            nodes.append(truth.node)
        return all(can_write(node) for node in _reached(nodes))

    def _generic(self) -> list[Any]:
        slots = self.slots
        names = [f"s{i}" for i in range(len(slots.names))]
        return [VectorValue(((0, SourceLanes.named(name, u8, 16)),)) if i < slots.vectors else
                SourceLanes.named(name, u8 if i >= slots.nzcv else slots.word, 1) for i, name in enumerate(names)]

    def _add(self, first: int, last: int) -> None:
        if first > last:
            return
        seen = SeenMemory()
        values = self._generic()
        state = SourceState(self.slots, seen, list(values))
        for at in range(first, last + 1):
            truth = perform(self._bound[at], state)
            if truth is not None:
                seen.nodes.append(truth.node)
        if state.target is not None:
            seen.nodes.append(state.target)
        changed = [slot for slot, value in enumerate(state.slots) if value is not values[slot]]
        names = {node.args[0] for node in _reached([*seen.nodes, *_nodes(state, changed)]) if node.op == "name"}
        live = [slot for slot in range(len(values)) if f"s{slot}" in names]
        self._ways[first] = _Ways(Block(first, last), live)

    # -- text
    def _write(self, block: Block, kinds: list[Kind]) -> NumpyBlock:
        slots, names = self.slots, self.slots.names
        given: dict[str, Variable] = {}
        values: list[Any] = []
        for slot, name in enumerate(names):
            parts = []
            for start, type_, count, rows, columns in kinds[slot].parts:
                part = f"{name}_at{start}" if kinds[slot].form == "array" else name
                given[part] = Variable(kinds[slot].form, rows, columns)
                parts.append((start, SourceLanes.named(part, type_, count)))
            values.append(VectorValue(tuple(parts)) if slot < slots.vectors else parts[0][1])
        writer = NumpyWriter(given)
        memory = _Memory(writer, slots.word)
        state = SourceState(slots, memory, list(values))
        truth: SourceLanes | None = None
        for at in range(block.first, block.last + 1):
            truth = perform(self._bound[at], state)
            self._settle(writer, state)
        test = PythonWriter()  # alone in its block: the condition comes before all that the instruction does
        if truth is not None and writer.form(truth.node) != "int":
            raise Unwritten("a condition that differs between tiles")
        condition = test.condition(truth.node, 0) if truth is not None else ""
        way = self._way(writer, state, block)
        exits: list[tuple[int, Kind]] = []
        homes: list[tuple[str, list[int]]] = []
        for slot, value in enumerate(state.slots):
            if value is not values[slot]:
                text, numbers, left = self._home(writer, slot, value)
                exits.append((slot, left))
                homes.append((f"values[{slot}] = {text}", numbers))
        kept = list(dict.fromkeys(n for _, numbers in homes for n in numbers))
        statements, variables = writer.text(kept)
        variable = dict(zip(kept, variables, strict=True))
        body = [*statements, *way[0], *(text.format(*(variable[n] for n in numbers)) for text, numbers in homes),
                *way[1]]
        if condition:
            body = [*test.lines, f"if not ({condition}): return {block.last + 1}, False", *body]
        return self._compiled(block, kinds, body, writer, exits)

    def _settle(self, writer: NumpyWriter, state: SourceState) -> None:
        """Long chains are computed piece by piece."""
        for slot, _, _ in state.writes:
            value = state.slots[slot]
            for lanes in [p[1] for p in value.parts] if isinstance(value, VectorValue) else [value]:
                assert isinstance(lanes, SourceLanes)
                if lanes.node.depth > DEEPEST:
                    writer.settle(lanes.node)

    def _way(self, writer: NumpyWriter, state: SourceState, block: Block) -> tuple[list[str], list[str]]:
        """(statements before the registers are handed over, statements behind it): where to go next."""
        if state.target is None:
            return [], [f"return {block.last + 1}, True"]
        truth, yes, no = targets(state.target, self.program)

        def number(target: Any) -> str:
            if target.returns:
                return str(RETURNED)
            if target.index is None:
                raise Unwritten("a branch to an address")
            return str(target.index)
        if truth is not None and no is not None:
            text = writer.truth(truth)
            if text is None:
                raise Unwritten("tiles that part")
            return [f"go = {text}"], [f"return ({number(yes)} if go else {number(no)}), True"]
        if yes.address is None:
            return [], [f"return {number(yes)}, True"]
        if writer.form(yes.address) != "int":
            raise Unwritten("a branch that differs between tiles")
        text = writer.integer(yes.address)
        return [f"go = {text}", f"if go != {RETURN:#x} and go not in leaders: raise Leave"], [
            f"return ({RETURNED} if go == {RETURN:#x} else leaders[go]), True"]

    def _home(self, writer: NumpyWriter, slot: int, value: Any) -> tuple[str, list[int], Kind]:
        """(what is stored for a register, arrays in it, its kind)."""
        slots = self.slots
        if slot >= slots.vectors:
            node = value.node
            form = writer.form(node)
            type_ = u8 if slot >= slots.nzcv else slots.word
            if form == "int":
                return writer.integer(node), [], kind("int", ((0, type_, 1, False, False),))
            if form == "line":
                base, row, column = writer.point(node)
                rows, columns = writer.steps(node)
                half, mask = f"{type_.mask // 2 + 1:#x}", f"{type_.mask:#x}"
                steps = [text if text == "0" or text.isidentifier() else f"({text} + {half} & {mask}) - {half}"
                         for text in (row, column)]
                return (f"({base} & {type_.mask:#x}, {steps[0]}, {steps[1]})", [],
                        kind("line", ((0, type_, 1, rows, columns),)))
            number = writer.array(node)
            made = writer.of(number)
            if not (made.rows or made.columns):
                return "{0}.item()", [number], kind("int", ((0, type_, 1, False, False),))
            return "({0}, )", [number], kind("array", ((0, type_, 1, made.rows, made.columns),))
        if len(value.parts) > 2:
            types = {lanes.type for _, lanes in value.parts}
            value = VectorValue(((0, value.read(0, 16, types.pop() if len(types) == 1 else u8)),))
        numbers, parts = [], []
        for start, lanes in value.parts:
            assert isinstance(lanes, SourceLanes)
            node = _bytes_of(lanes.node)
            number = writer.array(node)
            made = writer.of(number)
            numbers.append(number)
            parts.append((start, node.type, node.count, made.rows, made.columns))
        text = "(" + "".join(f"{{{i}}}, " for i in range(len(numbers))) + ")"
        return text, numbers, kind("array", tuple(parts))

    def _compiled(self, block: Block, kinds: list[Kind], body: list[str], writer: NumpyWriter,
                  exits: list[tuple[int, Kind]]) -> NumpyBlock:
        names = self.slots.names
        used = {word for line in body for word in _WORD.findall(line)}
        unpack = []
        for slot, held in enumerate(kinds):
            name = names[slot]
            if held.form == "int":
                listed = [f"{name}_0"]
            elif held.form == "line":
                listed = [f"{name}_b", f"{name}_i", f"{name}_j"]
            else:
                listed = [f"{name}_at{part[0]}" for part in held.parts]
            if used.intersection(listed):
                comma = "," if held.form == "array" and len(listed) == 1 else ""
                unpack.append(f"{', '.join(listed)}{comma} = values[{slot}]")
        ways = ("load", "store", "demand", "load_each", "store_each", "demand_each")
        calls = [f"{way} = memory.{way}" for way in ways if any(f"{way}(" in line for line in body)]
        text = "\n    ".join(["def block(values, memory, R, C):", *calls, *unpack, *body])
        scope = NUMPY_HELPERS | writer.scope | {"Leave": Leave,
                                                "leaders": {self.program.address(i): i for i in self.leaders}}
        exec(compile(text, f"<{self.program.path} as numpy, from {block.first}>", "exec"), scope)
        return NumpyBlock(text, scope["block"], block.last - block.first + 1, exits)


def _nodes(state: SourceState, slots: list[int]) -> list[Node]:
    found: list[Node] = []
    for slot in slots:
        value = state.slots[slot]
        for lanes in [p[1] for p in value.parts] if isinstance(value, VectorValue) else [value]:
            assert isinstance(lanes, SourceLanes)
            found.append(lanes.node)
    return found


def _reached(nodes: list[Node]) -> list[Node]:
    """These nodes and all that they are made of; what lies behind the lanes that were picked does not count."""
    seen: set[int] = set()
    found = []
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        found.append(node)
        if node.op in ("lanes", "join"):
            waiting += [pick(node, i)[0] for i in range(node.count)]
        else:
            waiting += [arg for arg in node.args if isinstance(arg, Node)]
    return found
