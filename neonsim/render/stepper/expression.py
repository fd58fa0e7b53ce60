"""Small expressions over a run: `v8.s[0]`, `C[0,3]`, `sum(v4.s16)`, `x2 == 8 and line == 12`. The grammar:

    expression   a or b   a and b   not a   a == b (!= < <= > >=)   a | b   a & b   a << b (>>)   a + b (-)
                 a * b (/ %)   -a !a   (a)   from weak to strong; && || are and, or; a comparison gives 1 or 0
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

Python's `ast` reads the text. Each node that is allowed has its meaning here, all others are refused, and nothing is
given to `eval`. Numbers are doubles, so that none grows beyond bounds. A text means the same in pages
(`static/expression.js`), which have && || and ! alone; comparisons in a chain, read otherwise there, are refused here.
Uninitialized data is no number (NaN): no comparison with it holds but !=.
"""

from __future__ import annotations

import ast
import keyword
import math
import operator
import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from neonsim.arm.machine.arch.register_names import TYPE_BYTES, locate, numbers_of
from neonsim.errors import BadArgument
from neonsim.render.stepper.regions import region_types

if TYPE_CHECKING:
    from neonsim.arm.machine.trace.definedness import DefinednessCursor
    from neonsim.arm.machine.trace.trace import Trace

__all__ = ["StateView", "WatchExpression", "WatchTarget", "parse_expression"]

SIGNED_LETTERS = {"b": "s8", "h": "s16", "s": "s32", "d": "s64"}
SIGNED = {8: "s64", 4: "s32", 2: "s16", 1: "s8"}  # by bytes
PLACES = ("step", "pc", "line")
FLAGS = "vczn"  # from the lowest bit
LONG = 200      # characters, which bound how deep it is too
# What Python writes otherwise. Its own words are names here, as a buffer's may be: they get a tail.
SIGNS = {"&&": " and ", "||": " or ", "!": " ~ ", "and": "and", "or": "or", "not": "not"}
WORD = re.compile(r"&&|\|\||!(?!=)|[a-z_]\w*", re.IGNORECASE)
TAIL = "__as_a_name"


@dataclass(frozen=True)
class WatchTarget:
    """What a register, lane, cell or buffer stands for: bytes of a location, or of a buffer.

    is_entire  all of the location
    """

    name: str
    start: int
    nbytes: int
    memory: bool = False
    is_entire: bool = True


@dataclass
class StateView:
    """A place in a run: registers (of those that are asked for), memory, what of both is initialized (None:
    all), and where it is."""

    registers: Mapping[str, bytes]
    memory: Mapping[str, Any]
    definedness: DefinednessCursor | None = None
    step: int = 0
    pc: int = -1
    line: int = 0

    def stand(self, trace: Trace, step: int) -> StateView:
        """Say where it is: behind n steps."""
        self.step, self.pc = step, int(trace.pc[step]) if step < trace.steps else -1
        self.line = trace.program.instructions[self.pc].position.line if self.pc >= 0 else 0
        return self

    def values(self, target: WatchTarget, kind: str) -> list[float]:
        """Return the elements of a place; NaN for uninitialized data."""
        size = TYPE_BYTES[kind]
        part = slice(target.start, target.start + target.nbytes // size * size)
        data = bytes((self.memory if target.memory else self.registers)[target.name][part])
        found = [float(v) for v in numbers_of(data, kind).tolist()]
        if self.definedness is not None:
            mask = (self.definedness.memory if target.memory else self.definedness.registers)[target.name][part]
            if 0 in mask:
                return [math.nan if 0 in mask[k * size:(k + 1) * size] else v for k, v in enumerate(found)]
        return found


Value = Callable[[StateView], Any]


@dataclass
class WatchExpression:
    """An expression of one run, and what it depends on.

    value    its value in a place: a number, or several (`is_vector`): all lanes of a register, all of a buffer
    target   of a plain register, lane, cell or buffer
    uses     locations (False) and buffers (True) whose writes can change it     moves   any step may change it
    """

    value: Value = lambda here: 0.0
    is_vector: bool = False
    target: WatchTarget | None = None
    uses: dict[bool, set[str]] = field(default_factory=lambda: {False: set(), True: set()})
    is_moving: bool = False


def parse_expression(text: str, trace: Trace, columns: Mapping[str, int] | None = None) -> WatchExpression:
    """Return an expression over a recorded run.

    columns   elements per row of buffers that are no matrix (16 otherwise), as of `neonsim.render.stepper.payload`

    Raises BadArgument, which says what is wrong.
    """
    text = text.strip()
    if not text or len(text) > LONG:
        raise BadArgument(f"the text is too long; the limit is {LONG} characters" if text else
                          "write something like v8.s[0], C[0,3], sum(v4.s16) or x2 == 8")
    said = WORD.sub(lambda m: SIGNS.get(m[0]) or m[0] + TAIL * keyword.iskeyword(m[0]), text).strip()
    with warnings.catch_warnings(action="ignore"):
        try:
            node = ast.parse(said, mode="eval").body
        except SyntaxError as problem:
            alone = re.search(r"(?<![=!<>])=(?!=)", text)
            raise BadArgument(f"{text!r} cannot be read: "
                              f"{'= is not valid here; == compares' if alone else problem.msg}") from None
        except (RecursionError, MemoryError, ValueError):
            raise BadArgument(f"{text!r} cannot be read: it is nested too deeply, or has invalid characters") from None
        reader = _Reader(trace, columns or {})
        value, reader.made.is_vector, reader.made.target = reader.read(node)
    reader.made.value = np.errstate(all="ignore")(value)     # infinity and NaN are answers
    return reader.made


class _Reader:
    """From nodes to functions."""

    def __init__(self, trace: Trace, columns: Mapping[str, int]) -> None:
        self.trace, self.columns, self.made = trace, columns, WatchExpression()

    def read(self, node: ast.AST) -> tuple[Value, bool, WatchTarget | None]:
        """Value, many and target of an Expression."""
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            number = float(node.value)  # type: ignore[arg-type]
            return lambda here: number, False, None
        if isinstance(node, ast.Call):
            return self.call(node)
        kind = type(getattr(node, "op", None) or getattr(node, "ops", [None])[0])
        if kind not in OPERATORS:
            return self.place(node)
        if len(getattr(node, "ops", ())) > 1:
            raise BadArgument(f"{_text(node)} compares more than two values. Write a < b and b < c")
        work, parts = OPERATORS[kind], [self.one(part) for part in ast.iter_child_nodes(node)
                                        if isinstance(part, ast.expr)]
        return lambda here: float(work(*[part(here) for part in parts])), False, None

    def one(self, node: ast.AST) -> Value:
        value, many, _ = self.read(node)
        if many:
            raise BadArgument(f"{_text(node)} has several values. Name a lane, or use sum, min or max")
        return value

    def call(self, node: ast.Call) -> tuple[Value, bool, WatchTarget | None]:
        work = FUNCTIONS.get(_text(node.func))
        if work is None or node.keywords or not node.args:
            raise BadArgument(f"{_text(node)} is not valid here; use sum(a, ...), min, max and abs")
        do, some = work, [self.read(value)[:2] for value in node.args]
        return lambda here: float(do([v for value, many in some for v in (value(here) if many else [value(here)])])), \
            False, None

    def place(self, node: ast.AST) -> tuple[Value, bool, WatchTarget | None]:
        """Return a register or a buffer, behind it .TYPE, and [PLACE] or [ROW, COLUMN]."""
        whole, trace, index, element = node, self.trace, [], ""
        if isinstance(node, ast.Subscript):
            start = StateView(trace.initial, {b.name: b.before for b in trace.buffers})
            some = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            index, node = [self.one(one)(start) for one in some], node.value     # constants: a place does not move
        if isinstance(node, ast.Attribute):
            element, node = node.attr, node.value
        if not isinstance(node, ast.Name):
            raise BadArgument(f"{_text(whole)} is not valid here")
        name = node.id.removesuffix(TAIL)
        buffer = next((b for b in trace.buffers if b.name == name), None)
        if buffer is None and node is whole and name in PLACES:
            self.made.is_moving = True
            return lambda here: float(getattr(here, name)), False, None
        kind, row = SIGNED_LETTERS.get(element, element), 0
        if buffer is not None:
            type_ = region_types(trace)[name]
            kind, own, every = kind or type_, TYPE_BYTES[type_], WatchTarget(name, 0, buffer.nbytes, memory=True)
            row = int(self.columns.get(name, buffer.shape[-1] if len(buffer.shape) > 1 else 16))
            row *= np.dtype(buffer.dtype).itemsize
            row = (row if row % own == 0 else 16) // own * own
        else:
            location, offset, nbytes = locate(name.lower(), trace.isa)
            if location not in trace.initial:
                raise BadArgument(f"{name} is not a register or buffer of this run "
                                  f"(buffers: {', '.join(b.name for b in trace.buffers) or 'none'})")
            size = len(trace.initial[location])
            every = WatchTarget(location, offset, min(nbytes, size), is_entire=nbytes >= size)
            if location == "nzcv" and element in tuple(FLAGS) and not index:
                flags, bit = self.place(node)[0], FLAGS.index(element)
                return lambda here: _bit(flags(here), bit), False, every
            if (element or index) and not re.match(r"[vqdshb]\d", name, re.IGNORECASE):
                raise BadArgument("the flags are nzcv.n, nzcv.z, nzcv.c and nzcv.v" if location == "nzcv"
                                  else f"{name} is one number and has no lanes")
            kind = kind or SIGNED.get(every.nbytes, "s32")
        if kind not in TYPE_BYTES:
            raise BadArgument(f".{element} is not an element type: use b h s d (signed), or u8 s16 f32 ...")
        self.made.uses[every.memory].add(every.name)
        size = TYPE_BYTES[kind]
        count, wide = every.nbytes // size, row // size
        if not index and (count > 1 or buffer is not None):
            return lambda here: here.values(every, kind), True, every
        at = index[0] if len(index) == 1 else index[0] * wide + index[1] if len(index) == 2 and 0 <= index[1] < wide \
            else -bool(index)
        if at not in range(count):
            raise BadArgument(f"{_text(whole)} is out of range: {name} has {count} elements of {kind}")
        target = every if not index else WatchTarget(every.name, every.start + int(at) * size, size, every.memory,
                                                     False)
        return lambda here: here.values(target, kind)[0], False, target


def _text(node: ast.AST) -> str:
    return ast.unparse(node).replace(TAIL, "")


def _bit(value: float, bit: int) -> float:
    return value if math.isnan(value) else float(int(value) >> bit & 1)


def _bits(value: float) -> int:
    return int(value) % 2 ** 64 if math.isfinite(value) else 0


def _power(y: float) -> float:
    return math.inf if y >= 1024 else 2.0 ** y


OPERATORS: dict[type, Callable[..., float]] = {
    ast.And: lambda *values: all(values), ast.Or: lambda *values: any(values), ast.Not: operator.not_,
    ast.Invert: operator.not_, ast.USub: operator.neg,
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: np.divide, ast.Mod: np.fmod,
    ast.LShift: lambda x, y: x * _power(y), ast.RShift: lambda x, y: np.floor(np.divide(x, _power(y))),
    ast.BitAnd: lambda x, y: _bits(x) & _bits(y), ast.BitOr: lambda x, y: _bits(x) | _bits(y),
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge}
FUNCTIONS: dict[str, Callable[[list[float]], Any]] = {"sum": sum, "min": np.min, "max": np.max,
                                                      "abs": lambda values: abs(values[0])}
