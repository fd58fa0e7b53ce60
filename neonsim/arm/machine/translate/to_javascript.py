"""Program to JavaScript: each instruction a function that reads registers out of one file, and writes them into it.

The text is made of the words of `JavaScriptWriter`, of the names in `SCOPE` and of numbers. Which registers an
instruction means is no part of it: a function takes the numbers of its slots, so that instructions that differ in
registers only share one. Nothing that a program's author wrote (labels, comments, names of buffers) gets in.

The file holds 16 bytes for every slot of `Slots`, then bytes just loaded and bytes to be stored (`LOADED`, `STORED`
cells behind it). All sources are constants before the first write, and a store comes before the registers, so an
instruction that is refused leaves everything as it was. What a function gives back says where the run goes on:

    nothing   behind it          SKIPPED   behind it, its condition did not hold          RETURNED   to the caller
    0 and up  to the instruction of this number
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from neonsim.arm.asm import Program
from neonsim.arm.machine.arch.binder import BOUND, BoundInstruction
from neonsim.arm.machine.arch.registers import Slots, VectorValue
from neonsim.arm.semantics import (
    JAVASCRIPT_HELPERS,
    SOFT_WORD,
    DagNode,
    ElementType,
    JavaScriptWriter,
    Lanes,
    NoJavaScript,
    SourceLanes,
    u8,
    u32,
    u64,
)
from neonsim.arm.semantics.codegen.dag import pick
from neonsim.arm.semantics.codegen.to_python import IntervalTerm
from neonsim.arm.semantics.softfloat import FloatWord

from .blocks import BranchTarget, SourceMemory, SourceState, emit, slots_of, targets

__all__ = ["CELLS", "RETURNED", "SCOPE", "SKIPPED", "JavaScriptFunctions", "JavaScriptProgram", "JavaScriptStep",
           "translate_javascript"]

CELL = 16  # bytes of a slot in the file
CELLS = 16  # of them for what an instruction loads, as many for what it stores: 256 bytes, the most is 128
SKIPPED, RETURNED = -2, -1
# What stands around the functions: the file seen as lanes, and what memory and branches do.
SCOPE = ("u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64", "load", "store", "demand", "far")

Leaf = tuple[int, int, int]  # slot, first byte, bytes


@dataclass(frozen=True)
class JavaScriptStep:
    """One instruction.

    function   its number                slots   the slots that it is given
    writes     slots that it writes, in that order, as often as it does
    pieces     where it writes one several times: (first byte, bytes) of each write; else nothing
    """

    function: int
    slots: tuple[int, ...]
    writes: tuple[int, ...]
    pieces: tuple[tuple[int, int], ...] = ()

    def to_list(self) -> list[Any]:
        """As the engine in JavaScript takes it."""
        return [self.function, self.slots, self.writes, *([self.pieces] if self.pieces else [])]


@dataclass(frozen=True)
class JavaScriptProgram:
    """A translation.

    steps     one per instruction; None for those that this reading has no words for
    refused   number of such an instruction -> why
    loaded, stored   the first cell of what an instruction loads, and of what it stores
    """

    steps: tuple[JavaScriptStep | None, ...]
    refused: dict[int, str]
    loaded: int
    stored: int


@dataclass
class JavaScriptFunctions:
    """Functions that programs share, each once.

    texts   each takes slots and gives a step          known   what the bytes that it writes are made of: see `_Known`
    words   those that `soft`, the last word of the scope, computes; None: there is none, and what has no exact
            JavaScript is refused
    """

    texts: list[str] = field(default_factory=list)
    shared: list[tuple[tuple[int, ...], ...]] = field(default_factory=list)
    words: list[FloatWord] | None = None
    _numbers: dict[Any, int] = field(default_factory=dict)

    def number(self, text: str, known: tuple[tuple[int, ...], ...]) -> int:
        """Return the number of a function."""
        found = self._numbers.get((text, known))
        if found is None:
            found = self._numbers[text, known] = len(self.texts)
            self.texts.append(text)
            self.shared.append(known)
        return found

    def text(self) -> str:
        """Return a function of what `SCOPE` names -> the array of all functions."""
        listed = ",\n".join(self.texts)
        soft = self.words is not None
        return (f"({', '.join([*SCOPE, *['soft'] * soft])}) => {{\n{JAVASCRIPT_HELPERS}{SOFT_WORD * soft}return [\n"
                f"{listed}\n];\n}}")


def _element(type_: ElementType) -> str:
    return ("s" if type_.kind == "s" else "u") + str(type_.bits)


class _Writer(JavaScriptWriter):
    """Names are "slot:byte": lanes in the file from there on, which are read where they are first needed."""

    def __init__(self, words: list[FloatWord] | None = None) -> None:
        super().__init__(words)
        self.slots: dict[int, str] = {}

    def place(self, slot: int, type_: ElementType, byte: int) -> str:
        """Return the text of a lane in the file."""
        name, size = self.slots.setdefault(slot, f"p{len(self.slots)}"), type_.bytes
        at = byte // size
        return f"{_element(type_)}[{name} * {CELL // size}{f' + {at}' if at else ''}]"

    def _read(self, node: DagNode, type_: ElementType, byte: int) -> IntervalTerm:
        slot, first = _home(node)
        return self.named(IntervalTerm(self.place(slot, type_, first + byte), type_.low, type_.high))

    def _value(self, node: DagNode, lane: int) -> IntervalTerm:
        if node.op == "name":
            return self._read(node, node.type, lane * node.type.bytes)
        return super()._value(node, lane)

    def _view(self, node: DagNode, lane: int, x: DagNode) -> IntervalTerm:
        if x.op == "name" and node.type.bits <= 64 and _home(x)[1] % node.type.bytes == 0:
            return self._read(x, node.type, lane * node.type.bytes)
        return super()._view(node, lane, x)

    def _narrowed(self, x: DagNode, lane: int, type_: ElementType) -> IntervalTerm:
        source, at = pick(x, lane)
        if source.op == "name" and source.type.bits == 2 * type_.bits:
            return self._read(source, type_, at * source.type.bytes)
        return super()._narrowed(x, lane, type_)

    def write(self, slot: int, first: int, lanes: SourceLanes) -> list[str]:
        """Statements that put lanes into the file; their values are constants before."""
        node, type_ = lanes.node, lanes.type
        size = lanes.count * type_.bytes
        wide = next((t for t in (u64, u32) if node.op == "const" and not first % t.bytes and not size % t.bytes), None)
        if type_.bits > 64 or first % type_.bytes:
            wide = u64 if type_.bits > 64 and not first % 8 else u8
        if wide is not None and wide.bits != type_.bits:
            node, type_ = lanes._view(wide).node, wide
        texts = [self._atom(self.exact(node, i)).text for i in range(node.count)]
        return [f"{self.place(slot, type_, first + i * type_.bytes)} = {text};" for i, text in enumerate(texts)]


def _home(node: DagNode) -> tuple[int, int]:
    slot, byte = node.args[0].split(":")
    return int(slot), int(byte)


def _named(slot: int, byte: int, type_: ElementType, count: int) -> SourceLanes:
    return SourceLanes.named(f"{slot}:{byte}", type_, count)


class _Register(VectorValue):
    """A SIMD register in the file: any lanes of it are read where they lie."""

    __slots__ = ("_slot",)

    def __init__(self, slot: int) -> None:
        super().__init__(((0, _named(slot, 0, u8, CELL)),))
        self._slot = slot

    def _cut(self, start: int, nbytes: int, type_: ElementType) -> Lanes:
        if start % type_.bytes or type_.bits > 64:
            return super()._cut(start, nbytes, type_)
        return _named(self._slot, start, type_, nbytes // type_.bytes)


class _Memory(SourceMemory):
    """Loads into the cells of what is loaded, stores out of those of what is stored."""

    def __init__(self, writer: _Writer, known: _Known, loaded: int) -> None:
        self.writer, self.known, self.loaded, self.stored = writer, known, loaded, loaded + CELLS
        self._at = 0

    def _address(self, address: Lanes) -> str:
        assert isinstance(address, SourceLanes)
        self.known.used("address", address.node, 0)
        return self.writer.exact(address.node, 0).text

    def load(self, address: Lanes, nbytes: int, type_: ElementType) -> SourceLanes:
        self.writer.lines.append(f"load({self._address(address)}, {nbytes}, {self._at});")
        made = _named(self.loaded, self._at, type_, nbytes // type_.bytes)
        self._at += nbytes + -nbytes % CELL
        assert self._at <= CELL * CELLS
        return made

    def store(self, address: Lanes, lanes: Lanes, undo: list[Any]) -> None:
        assert isinstance(lanes, SourceLanes)
        at, nbytes = self._address(address), lanes.count * lanes.type.bytes
        assert nbytes <= CELL * CELLS
        self.known.made(self.stored, 0, lanes)
        self.writer.lines += [*self.writer.write(self.stored, 0, lanes), f"store({at}, {nbytes});"]

    def demand(self, address: Lanes, multiple: int) -> None:
        self.writer.lines.append(f"demand({self._address(address)}, {multiple});")


class _Known:
    """What written bytes are made of, lane by lane, for readers that need to know whether all of it is initialized.

    An entry is a tuple of numbers, a slot in it the number of the function's argument. (0, slot, byte, n, then slot,
    byte, n of each source): n bytes that are known if all sources are. (1, slot, byte, n, slot, byte, n): n bytes that
    are known as those there are, byte for byte. (2, ...) and (3, ...): slot, byte, n of what an address and a decision
    depend on. Whole lanes: a bit that a known zero hides counts as needed, where the sanitizer looks closer.
    """

    def __init__(self) -> None:
        self.entries: list[tuple[int, ...]] = []
        self._leaves: dict[tuple[int, int], frozenset[Leaf]] = {}
        self._keep: list[DagNode] = []

    def made(self, slot: int, first: int, lanes: SourceLanes) -> None:
        size = lanes.type.bytes
        for i in range(lanes.count):
            origin = self._origin(lanes.node, i)
            if origin is not None:
                self._same(slot, first + i * size, size, origin)
                continue
            sources = tuple(n for leaf in sorted(self._of(lanes.node, i)) for n in leaf)
            last = self.entries[-1] if self.entries else ()
            if not sources and len(last) == 4 and last[:2] == (0, slot) and last[2] + last[3] == first + i * size:
                self.entries[-1] = (0, slot, last[2], last[3] + size)
            else:
                self.entries.append((0, slot, first + i * size, size, *sources))

    def _same(self, slot: int, byte: int, size: int, origin: Leaf) -> None:
        last = self.entries[-1] if self.entries else ()
        if last and last[0] == 1 and last[1] == slot and last[2] + last[3] == byte and (
                last[4:6] == (origin[0], origin[1] - last[3])):
            self.entries[-1] = (1, slot, last[2], last[3] + size, *last[4:6], last[3] + size)
        else:
            self.entries.append((1, slot, byte, size, *origin[:2], size))

    def used(self, what: str, node: DagNode, lane: int) -> None:
        leaves = [n for leaf in sorted(self._of(node, lane)) for n in leaf]
        if leaves:
            self.entries.append((2 if what == "address" else 3, *leaves))

    def numbered(self, slots: dict[int, str]) -> tuple[tuple[int, ...], ...]:
        """Return the entries, with the numbers of arguments; ``slots`` gets those that only they name."""
        def number(slot: int) -> int:
            slots.setdefault(slot, f"p{len(slots)}")
            return list(slots).index(slot)

        return tuple((entry[0], *(number(n) if at % 3 == 0 else n for at, n in enumerate(entry[1:])))
                     for entry in dict.fromkeys(self.entries))

    def _origin(self, node: DagNode, lane: int) -> Leaf | None:
        """Where a lane is a copy from."""
        node, lane = pick(node, lane if node.count > 1 else 0)
        while node.op == "kind":
            node, lane = pick(node.args[0], lane)
        if node.op == "view" and node.args[0].op == "name":
            slot, byte = _home(node.args[0])
            return slot, byte + lane * node.type.bytes, node.type.bytes
        if node.op != "name":
            return None
        slot, byte = _home(node)
        return slot, byte + lane * node.type.bytes, node.type.bytes

    def _of(self, node: DagNode, lane: int) -> frozenset[Leaf]:
        node, lane = pick(node, lane if node.count > 1 else 0)
        key = id(node), lane
        if key not in self._leaves:
            self._keep.append(node)
            origin = self._origin(node, lane)
            self._leaves[key] = frozenset((origin,)) if origin else frozenset().union(
                *(self._of(x, at) for x, at in self._sources(node, lane)))
        return self._leaves[key]

    @staticmethod
    def _sources(node: DagNode, lane: int) -> Iterable[tuple[DagNode, int]]:
        """(node, lane) of everything that a lane is made of."""
        args = [a for a in node.args if isinstance(a, DagNode)]
        if node.op in ("-", "^") and args[0] is args[1]:
            return  # the usual way to clear a register
        if node.op == "view":
            have, want = args[0].type.bits, node.type.bits
            yield from ((args[0], at) for at in range(lane * want // have, max((lane + 1) * want // have,
                                                                               lane * want // have + 1)))
            return
        if node.op == "narrow":
            source, at = pick(args[0], lane)
            if source.op == "name" and source.type.bits == 2 * node.type.bits:
                slot, byte = _home(source)
                yield _named(slot, byte + at * source.type.bytes, node.type, 1).node, 0
                return
        for number, x in enumerate(args):
            whole = (node.op == "lookup" and number == 1) or x.count not in (1, node.count)
            yield from ((x, at) for at in (range(x.count) if whole else (lane if x.count > 1 else 0,)))


class _Translator:
    def __init__(self, program: Program, functions: JavaScriptFunctions) -> None:
        self.program, self.functions = program, functions
        self.slots: Slots = slots_of(program.isa)
        self.loaded = len(self.slots.names)

    def _values(self) -> list[Any]:
        slots = self.slots
        return [_Register(s) if s < slots.vectors else _named(s, 0, u8 if s >= slots.nzcv else slots.word, 1)
                for s in range(len(slots.names))]

    def step(self, bound: BoundInstruction) -> JavaScriptStep:
        """One instruction. Raises NoJavaScript."""
        writer, known = _Writer(self.functions.words), _Known()
        values = self._values()
        state = SourceState(self.slots, _Memory(writer, known, self.loaded), list(values))
        truth = emit(bound, state)
        lines = self._condition(truth, known, writer)
        writes: list[str] = []
        changed = list(dict.fromkeys(slot for slot, _, _ in state.writes))
        for slot in changed:
            value = state.slots[slot]
            for first, lanes in value.parts if isinstance(value, VectorValue) else ((0, value),):
                assert isinstance(lanes, SourceLanes)
                if lanes.node.op == "name" and _home(lanes.node) == (slot, first):
                    continue  # left as it is
                known.made(slot, first, lanes)
                writes += writer.write(slot, first, lanes)
        go = self._branch(state.target, known, writer)
        body = [*lines, *writer.lines, *writes, *go]
        entries = known.numbered(writer.slots)
        text = f"({', '.join(writer.slots.values())}) => () => {{\n" + "\n".join(body) + "\n}"
        written = tuple(slot for slot, _, _ in state.writes)
        pieces = tuple(_piece(*one) for one in state.writes) if len(changed) < len(written) else ()
        return JavaScriptStep(self.functions.number(text, entries), tuple(writer.slots), written, pieces)

    def _condition(self, truth: SourceLanes | None, known: _Known, writer: _Writer) -> list[str]:
        """Of an instruction of AArch32: before everything else."""
        if truth is None:
            return []
        known.used("decision", truth.node, 0)
        test = _Writer()
        test.slots, test._next = writer.slots, 1000  # names of its own
        text = test.condition(truth.node, 0)
        return [*test.lines, f"if (!({text})) return {SKIPPED};"]

    def _branch(self, target: DagNode | None, known: _Known, writer: _Writer) -> list[str]:
        if target is None:
            return []
        mark = len(writer.lines)
        truth, yes, no = targets(target, self.program)
        if truth is not None and no is not None:
            known.used("decision", truth, 0)
            text = writer.condition(truth, 0)
            # Registers may be written in between (a link): what decides is a constant before.
            writer.lines.append(f"const go = {text};")
            return [f"return go ? {self._target(yes, known, writer)} : {self._target(no, known, writer)};"]
        made = self._target(yes, known, writer)
        if len(writer.lines) > mark or yes.address is not None:
            writer.lines.append(f"const go = {made};")
            made = "go"
        return [f"return {made};"]

    @staticmethod
    def _target(target: BranchTarget, known: _Known, writer: _Writer) -> str:
        if target.returns:
            return str(RETURNED)
        if target.index is not None:
            return str(target.index)
        assert target.address is not None
        known.used("decision", target.address, 0)
        return f"far({writer.exact(target.address, 0).text})"


def _piece(slot: int, old: Any, new: Any) -> tuple[int, int]:
    """(first byte, bytes) of one write."""
    if not isinstance(new, VectorValue):
        return 0, CELL
    kept = {id(lanes) for _, lanes in old.parts}
    made = [(first, lanes) for first, lanes in new.parts if id(lanes) not in kept and isinstance(lanes, SourceLanes)
            and not (lanes.node.op == "name" and _home(lanes.node) == (slot, first))]
    return made[0][0], made[-1][0] + made[-1][1].count * made[-1][1].type.bytes - made[0][0]


def translate_javascript(program: Program, functions: JavaScriptFunctions | None = None) -> JavaScriptProgram:
    """Return a program, as JavaScript functions; ``functions`` gets those that it has not yet.

    program   with data: as it is in a memory, see `loader.load`

    An instruction without words in this reading is named in `refused`; a run that comes to it has to stop there.
    """
    translator = _Translator(program, JavaScriptFunctions() if functions is None else functions)
    steps: list[JavaScriptStep | None] = []
    refused: dict[int, str] = {}
    for index, bound in enumerate(BOUND.get(program)):
        try:
            steps.append(translator.step(bound))
        except NoJavaScript as problem:
            steps.append(None)
            refused[index] = f"{bound.instruction}: {problem}"
    return JavaScriptProgram(tuple(steps), refused, translator.loaded, translator.loaded + CELLS)
