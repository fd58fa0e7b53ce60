"""Small expressions over a run: `v8.s[0]`, `C[0,3]`, `sum(v4.s16)`, `x2 == 8 && line == 12`. The grammar:

    expression   a || b   a && b   a == b  a != b   a < b  a <= b  a > b  a >= b   a | b   a & b   a << b  a >> b
                 a + b  a - b   a * b  a / b  a % b   -a  !a   (a)   from weak to strong; what is compared gives 1 or 0
    number       12   1.5   0xff
    register     x2  w3  r4  sp         one signed number
                 v8.s[0]  v0.u8[3]      a lane; behind the point b h s d (signed) or s8 u16 f32 ...
                 v8.s  q4.s16  d3       all of its lanes, for sum, min and max
                 nzcv.n  nzcv.z  nzcv.c  nzcv.v  qc
    memory       c[3]  C[0,3]           an element, in a row as it is drawn; c: all of the buffer, for sum, min and max
                 c.s32[3]  c.u16        as elements of another type
    place        step                   how many instructions have been executed
                 pc                     which instruction comes next, counted from 0, as in `trace.pc`; -1 at the end
                 line                   its line; 0 at the end
    function     sum(a, ...)  min(a, ...)  max(a, ...)  abs(a)

All arithmetic is that of double precision, as in the page, whose twin of this file is `static/expression.js`. What
nobody has written is no number (NaN): no comparison with it holds but !=.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from neonsim.errors import BadArgument
from neonsim.render.names import TYPE_BYTES, locate, numbers_of
from neonsim.render.regions import region_types

if TYPE_CHECKING:
    from neonsim.machine.known import KnownAt
    from neonsim.machine.trace import BufferInfo, Trace

__all__ = ["Expression", "Here", "Target", "parse_expression", "wrong_at"]

Number = float | list[float]
PIECE = re.compile(r"\s*(?:(?P<number>0x[0-9a-f]+|\d+(?:\.\d+)?)|(?P<name>[a-z_]\w*)"
                   r"|(?P<sign><<|>>|&&|\|\||==|!=|<=|>=|[-+*/%&|()\[\],.<>!]))", re.IGNORECASE | re.ASCII)
SIGNED_LETTERS = {"b": "s8", "h": "s16", "s": "s32", "d": "s64"}
SIGNED = {8: "s64", 4: "s32", 2: "s16", 1: "s8"}  # by bytes
LEVELS = (("||",), ("&&",), ("==", "!="), ("<", "<=", ">", ">="), ("|",), ("&",), ("<<", ">>"), ("+", "-"),
          ("*", "/", "%"))
FORMATS = {"u8": "B", "s8": "b", "u16": "H", "s16": "h", "u32": "I", "s32": "i", "u64": "Q", "s64": "q", "f32": "f",
           "f16": "e", "f64": "d"}  # BF16 has none: the upper half of a float32


@dataclass(frozen=True)
class _Brain:
    """So many elements of BF16, beside `struct.Struct`."""

    size: int


def _form(count: int, kind: str) -> struct.Struct | _Brain:
    return _Brain(2 * count) if kind == "bf16" else struct.Struct(f"<{count}{FORMATS[kind]}")


PLACES = ("step", "pc", "line")
FLAGS = "vczn"  # from the lowest bit
DEEP, LONG = 40, 200


@dataclass
class Here:
    """A place in a run: its registers (of those that an expression asks for), memory by buffer, and where it is.

    known    which bytes somebody had written; None: all
    stores   rises when something is stored
    """

    registers: dict[str, bytes]
    memory: dict[str, bytearray]
    step: int = 0
    pc: int = -1
    line: int = 0
    stores: int = 0
    known: KnownAt | None = None

    def lanes(self, memory: bool, name: str, start: int, form: struct.Struct | _Brain, size: int) -> list[float]:
        """Elements of `size` bytes each, from a byte of a register or buffer on; NaN for what nobody has written."""
        whole = (self.memory if memory else self.registers)[name]
        if isinstance(form, struct.Struct):
            found = [float(v) for v in form.unpack_from(whole, start)]
        else:
            found = numbers_of(bytes(whole[start:start + form.size]), "bf16").tolist()
        if self.known is None:
            return found
        mask = (self.known.memory if memory else self.known.registers)[name]
        if 0 not in mask[start:start + form.size]:
            return found
        return [math.nan if 0 in mask[start + k * size:start + (k + 1) * size] else v for k, v in enumerate(found)]


@dataclass(frozen=True)
class Target:
    """What a register, lane, cell or buffer stands for: bytes of a location, or of a buffer.

    whole   all of the location
    """

    name: str
    start: int
    nbytes: int
    memory: bool = False
    whole: bool = True


@dataclass
class Expression:
    """An expression of one run: `value(here)`, and what it depends on.

    target    of a plain register, lane, cell or buffer
    uses      locations and buffers whose writes can change it     moves   it may change at every step
    """

    text: str
    value: Callable[[Here], Number]
    target: Target | None = None
    uses: dict[bool, set[str]] = field(default_factory=lambda: {False: set(), True: set()})
    moves: bool = False


Term = tuple[Callable[[Here], Number], Target | None]


def wrong_at(at: int, what: str) -> BadArgument:
    """The error: what is wrong at a character, counted from 1."""
    return BadArgument(f"character {at}: {what}")


def parse_expression(text: str, trace: Trace, columns: Mapping[str, int] | None = None, before: int = 0) -> Expression:
    """An expression over a recorded run.

    columns   elements per row of buffers that are no matrix (16 otherwise), as of `neonsim.render.payload`
    before    characters in front of the text, which the positions in messages count too

    Raises BadArgument, which says what is wrong at which character.
    """
    return _Parser(text, trace, columns or {}, before).parse()


class _Parser:
    def __init__(self, text: str, trace: Trace, columns: Mapping[str, int], before: int) -> None:
        self.text, self.trace, self.columns = text, trace, columns
        self.tokens, self.at, self.depth = _tokens(text, before), 0, 0
        self.made = Expression(text.strip(), lambda here: 0.0)
        self.start = Here(dict(trace.initial), {b.name: bytearray(b.before) for b in trace.buffers})

    def parse(self) -> Expression:
        self.made.value, self.made.target = self.level(0)
        if self.next[0] != "end":
            raise wrong_at(self.next[2], f"{self.next[1]} is out of place")
        return self.made

    @property
    def next(self) -> tuple[str, str, int]:
        return self.tokens[self.at]

    def take(self) -> tuple[str, str, int]:
        token = self.next
        self.at += token[0] != "end"
        return token

    def expect(self, sign: str) -> None:
        kind, found, at = self.next
        if found != sign:
            raise wrong_at(at, f"expected {sign} " + ("at the end" if kind == "end" else f"before {found}"))
        self.take()

    def level(self, k: int) -> Term:
        if k == len(LEVELS):
            return self.unary()
        first = self.next[2]
        left = self.level(k + 1)
        while self.next[0] == "sign" and self.next[1] in LEVELS[k]:
            work = OPERATORS[self.take()[1]]
            second = self.next[2]
            left = (_binary(work, left[0], first, self.level(k + 1)[0], second), None)
        return left

    def unary(self) -> Term:
        self.depth += 1
        if self.depth > DEEP:
            raise wrong_at(self.next[2], "too many brackets")
        kind, sign, _ = self.next
        try:
            if kind != "sign" or sign not in "-!":
                return self.primary()
            self.take()
            at = self.next[2]
            of = self.unary()[0]
            if sign == "-":
                return lambda here: -_single(of(here), at), None
            return lambda here: float(_single(of(here), at) == 0), None
        finally:
            self.depth -= 1

    def primary(self) -> Term:
        kind, text, at = self.take()
        if kind == "end":
            raise wrong_at(at, "something is missing at the end")
        if text == "(":
            inner = self.level(0)
            self.expect(")")
            return inner
        if kind == "number":
            number = float(int(text, 16)) if text[:2].lower() == "0x" else float(text)
            return lambda here: number, None
        if kind != "name":
            raise wrong_at(at, f"{text} is out of place")
        if self.next[1] == "(":
            return self.call(text, at)
        buffer = next((b for b in self.trace.buffers if b.name == text), None)
        if self.next[1] not in (".", "[") and buffer is None and text in PLACES:
            self.made.moves = True
            return lambda here: float(getattr(here, text)), None
        element = ""
        if self.next[1] == ".":
            self.take()
            letter = self.take()
            if letter[0] != "name":
                raise wrong_at(letter[2], "an element type is missing behind the point: b h s d (signed), or u8 s16 "
                                          "f32 ...")
            element = letter[1]
        index = self.indices() if self.next[1] == "[" else []
        return self.cell(buffer, element, index, at) if buffer else self.register(text, at, element, index)

    def indices(self) -> list[float]:
        found: list[float] = []
        while not found or self.next[1] == ",":
            self.take()
            at = self.next[2]
            found.append(_single(self.level(0)[0](self.start), at))  # constants: a place does not move
        self.expect("]")
        return found

    def call(self, name: str, at: int) -> Term:
        if name not in FUNCTIONS:
            raise wrong_at(at, f"{name} is no function here: {', '.join(FUNCTIONS)}")
        work = FUNCTIONS[name]
        some: list[Callable[[Here], Number]] = []
        registers, moves = self.made.uses[False], self.made.moves
        self.made.uses[False], self.made.moves = set(), False
        while not some or self.next[1] == ",":
            self.take()
            some.append(self.level(0)[0])
        self.expect(")")

        def value(here: Here) -> float:
            values: list[float] = []
            for one in some:
                found = one(here)
                values += found if isinstance(found, list) else [found]
            return work(values)

        memory_alone = not (self.made.uses[False] or self.made.moves)
        self.made.uses[False] |= registers
        self.made.moves |= moves
        return _once_per_store(value) if memory_alone else value, None

    def cell(self, buffer: BufferInfo, element: str, index: list[float], at: int) -> Term:
        name = buffer.name
        own = region_types(self.trace)[name]
        kind = SIGNED_LETTERS.get(element) or element or own
        if kind not in TYPE_BYTES:
            raise wrong_at(at, f".{element} is no element type: b h s d (signed), or u8 s16 f32 ...")
        size = TYPE_BYTES[kind]
        total = buffer.nbytes // size
        self.made.uses[True].add(name)
        if not index:
            every = _form(total, kind)
            return lambda here: here.lanes(True, name, 0, every, size), Target(name, 0, buffer.nbytes, memory=True)
        row = int(self.columns.get(name, buffer.shape[-1] if len(buffer.shape) > 1 else 16))
        row *= np.dtype(buffer.dtype).itemsize
        wide = (row if row % TYPE_BYTES[own] == 0 else 16) // TYPE_BYTES[own] * TYPE_BYTES[own] // size or 1
        place = index[0] * wide + index[1] if len(index) > 1 else index[0]
        if not (place.is_integer() and 0 <= place < total and len(index) < 3
                and (len(index) == 1 or 0 <= index[1] < wide)):
            said = f"{name}.{element}" if element else name
            raise wrong_at(at, f"{said}[{','.join(f'{k:g}' for k in index)}] is outside what was recorded of {name}")
        start, one = int(place) * size, _form(1, kind)
        return lambda here: here.lanes(True, name, start, one, size)[0], Target(name, start, size, memory=True)

    def register(self, name: str, at: int, element: str, index: list[float]) -> Term:
        location, offset, nbytes = locate(name.lower(), self.trace.isa)
        if location not in self.trace.locations:
            buffers = ", ".join(b.name for b in self.trace.buffers) or "none"
            raise wrong_at(at, f"{name} is no register or buffer of this run (buffers: {buffers})")
        self.made.uses[False].add(location)
        size = len(self.trace.initial[location])
        if not re.match(r"[vqdshb]\d", name, re.IGNORECASE):
            return self.plain(name, at, location, min(nbytes, size), element, index)
        kind = SIGNED_LETTERS.get(element) or element or SIGNED.get(nbytes, "s32")
        if kind not in TYPE_BYTES:
            raise wrong_at(at, f".{element} is no element type: b h s d (signed), or u8 s16 f32 ...")
        wide = TYPE_BYTES[kind]
        count = nbytes // wide
        if count < 1:
            raise wrong_at(at, f"{name} has {8 * nbytes} bits, {kind} needs {8 * wide}")
        if not index:
            target = Target(location, offset, nbytes, whole=nbytes == size)
            every = _form(count, kind)
            if count == 1:
                return lambda here: here.lanes(False, location, offset, every, wide)[0], target
            return lambda here: here.lanes(False, location, offset, every, wide), target
        if len(index) > 1 or not index[0].is_integer() or not 0 <= index[0] < count:
            raise wrong_at(at, f"{name} has lanes 0 to {count - 1} of {kind}")
        start, one = offset + int(index[0]) * wide, _form(1, kind)
        return lambda here: here.lanes(False, location, start, one, wide)[0], \
            Target(location, start, wide, whole=False)

    def plain(self, name: str, at: int, location: str, nbytes: int, element: str, index: list[float]) -> Term:
        target = Target(location, 0, nbytes, whole=nbytes == len(self.trace.initial[location]))
        if location == "nzcv" and len(element) == 1 and element in FLAGS and not index:
            bit = FLAGS.index(element)
            all_flags = struct.Struct("<B")
            return lambda here: _bit(here.lanes(False, location, 0, all_flags, 1)[0], bit), target
        if element or index:
            raise wrong_at(at, "the flags are nzcv.n, nzcv.z, nzcv.c and nzcv.v" if location == "nzcv"
                           else f"{name} is one number, without lanes")
        one = struct.Struct("<" + {1: "B", 4: "i", 8: "q"}[nbytes])
        return lambda here: here.lanes(False, location, 0, one, nbytes)[0], target


def _tokens(text: str, before: int) -> list[tuple[str, str, int]]:
    if len(text) + before > LONG:
        raise BadArgument(f"that is too long: {LONG} characters are the most")
    made: list[tuple[str, str, int]] = []
    text, at = text.rstrip(), 0
    while at < len(text):
        match = PIECE.match(text, at)
        if match is None:
            bad = at + len(text[at:]) - len(text[at:].lstrip())
            raise wrong_at(before + bad + 1, "= means nothing here: == compares" if text[bad] == "="
                           else f"{text[bad]} means nothing here")
        kind = str(match.lastgroup)
        made.append((kind, match[kind], before + match.start(kind) + 1))
        at = match.end()
    if not made:
        raise wrong_at(before + 1, "write something like v8.s[0], C[0,3], sum(v4.s16) or x2 == 8")
    return [*made, ("end", "", before + len(text) + 1)]


def _single(value: Number, at: int) -> float:
    if isinstance(value, list):
        raise wrong_at(at, "a whole register has several values: name a lane, or take sum, min or max")
    return value


def _binary(work: Callable[[float, float], float], left: Callable[[Here], Number], first: int,
            right: Callable[[Here], Number], second: int) -> Callable[[Here], float]:
    return lambda here: work(_single(left(here), first), _single(right(here), second))


def _once_per_store(value: Callable[[Here], float]) -> Callable[[Here], float]:
    known: list[float] = [math.nan, -1]

    def remembered(here: Here) -> float:
        if known[1] != here.stores:
            known[:] = value(here), here.stores
        return known[0]

    return remembered


def _bit(value: float, bit: int) -> float:
    return value if math.isnan(value) else float(int(value) >> bit & 1)


def _bits(value: float) -> int:
    return int(value) % 2 ** 64 if math.isfinite(value) else 0


def _power(value: float) -> float:
    return math.inf if value >= 1024 else 2.0 ** value


def _divided(x: float, y: float) -> float:
    if y:
        return x / y
    return math.nan if x == 0 or math.isnan(x) or math.isnan(y) else math.copysign(math.inf, x) * math.copysign(1, y)


def _rest(x: float, y: float) -> float:
    return math.nan if y == 0 or not math.isfinite(x) else math.fmod(x, y)


def _down(value: float) -> float:
    return float(math.floor(value)) if math.isfinite(value) else value


def _least(values: list[float], choose: Callable[[list[float]], float]) -> float:
    return math.nan if any(map(math.isnan, values)) else choose(values)


OPERATORS: dict[str, Callable[[float, float], float]] = {
    "+": lambda x, y: x + y, "-": lambda x, y: x - y, "*": lambda x, y: x * y, "/": _divided, "%": _rest,
    "<<": lambda x, y: x * _power(y), ">>": lambda x, y: _down(x / _power(y)),
    "&": lambda x, y: float(_bits(x) & _bits(y)), "|": lambda x, y: float(_bits(x) | _bits(y)),
    "==": lambda x, y: float(x == y), "!=": lambda x, y: float(x != y), "<": lambda x, y: float(x < y),
    "<=": lambda x, y: float(x <= y), ">": lambda x, y: float(x > y), ">=": lambda x, y: float(x >= y),
    "&&": lambda x, y: float(x != 0 and y != 0), "||": lambda x, y: float(x != 0 or y != 0)}
FUNCTIONS: dict[str, Callable[[list[float]], float]] = {
    "sum": lambda values: float(sum(values)), "min": lambda values: _least(values, min),
    "max": lambda values: _least(values, max), "abs": lambda values: abs(values[0])}
