"""Bodies of arithmetic in the vocabulary of instructions (`neonsim.arm.semantics`), and how they are read here.

A rounding is a function of lanes, as an instruction is: it is written once, and read as numpy arrays (`read_fixed`,
`read_float`), as a formula and as the steps of one number (`formula_of`, `steps_of`). Proofs read it as
terms, the C library as C (`neonsim.ukernel.kernelgen.roundings_c`).

What a body takes besides lanes are plain numbers, a shift first of all. A `Letter` stands for one in a formula.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neonsim.arm.semantics import Expression, Lanes, NumpyLanes, SymbolicLanes, element, f32, f64, s32
from neonsim.arm.semantics.softfloat import FloatWord
from neonsim.arm.semantics.types import ElementType
from neonsim.quant.fixedpoint import Int64

__all__ = ["Body", "HostFloats", "Letter", "expression_of", "formula_of", "in_blocks", "lanes_of", "named_parts",
           "read_fixed", "read_float", "read_values", "steps_of", "without_casts"]

Body = Callable[..., Lanes]
# Sums that are read at a time: 96 KB of 64 bits, which malloc keeps; arrays of 128 KB are mapped anew each time.
BLOCK = 12288
_SCALES = {np.dtype(np.float32): f32, np.dtype(np.float64): f64}


# ---- numpy -----------------------------------------------------------------------------------------------------------

class HostFloats(NumpyLanes):
    """The numpy reading of floating words without exceptions: what numpy's own arithmetic gives, rounded to nearest.

    `NumpyLanes` finds the exceptions of every operation, which take a hundred times as long.
    """

    __slots__ = ()

    def _float(self, word: FloatWord, others: tuple[Any, ...], type_: ElementType) -> tuple[HostFloats, HostFloats]:
        given = [_numbers(one) for one in (self, *others)]
        if word.name == "to_int":
            assert not word.detail[-2], "integers"
            return RoundedFloats(np.rint(given[0]) if word.detail[-1] == "n" else _half_away(given[0]), type_), _FLAGS
        made = given[0].astype(f"f{type_.bytes}") if word.name == "from_int" else _HOST[word.name](*given)
        return HostFloats(made.view(type_.dtype), type_), _FLAGS


_FLAGS = HostFloats(np.zeros(1, np.uint8), element("u", 8))


class RoundedFloats(HostFloats):
    """Floats that were rounded to integers, and are integers of the type, saturated, as soon as they are needed so."""

    __slots__ = ("floats",)

    def __init__(self, floats: NDArray[Any], type_: ElementType) -> None:
        self.floats, self.type, self._wider = floats, type_, None

    @property
    def array(self) -> NDArray[Any]:  # type: ignore[override]
        """What the conversion gives."""
        n, type_ = self.floats, self.type
        above, low = n.dtype.type(float(type_.high) + 1), n.dtype.type(type_.low)
        if n.max(initial=0) < above and n.min(initial=0) >= low:    # neither is so of NaN
            return np.asarray(n.astype(type_.dtype))
        made = np.clip(np.nan_to_num(n), low, np.nextafter(above, n.dtype.type(0))).astype(type_.dtype)
        made[n >= above] = type_.high
        return np.asarray(made)


def _numbers(lanes: NumpyLanes) -> NDArray[Any]:
    """Patterns of floats as floats; integers as they are."""
    return np.asarray(lanes.array.view(f"f{lanes.type.bytes}") if lanes.type.kind == "f" else lanes.array)


def _half_away(n: NDArray[Any]) -> NDArray[Any]:
    size = np.abs(n)
    whole = np.floor(size)
    with np.errstate(invalid="ignore"):     # infinite less infinite
        return np.asarray(np.copysign(whole + (size - whole >= 0.5), n), n.dtype)


_HOST: dict[str, np.ufunc] = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide,
                              "max": np.maximum, "min": np.minimum}


def lanes_of(values: NDArray[Any], type_: ElementType | None = None) -> NumpyLanes:
    """An array [...] as lanes of int32, or of the floats that it holds; one number is one lane."""
    array = values if values.ndim else values.reshape(1)
    if array.dtype.kind == "f":
        type_ = _SCALES[array.dtype]
        return HostFloats(array.view(type_.dtype), type_)
    type_ = type_ or s32
    return HostFloats(array.astype(type_.dtype, copy=False), type_)


def _read(body: Body, *operands: Any) -> NDArray[Any]:
    found = body(*operands)
    assert isinstance(found, NumpyLanes)
    return found.array


def read_values(body: Body, values: NDArray[Any], type_: ElementType, *numbers: Any) -> NDArray[Any]:
    """A body of one value, and plain numbers, on an array: the same shape."""
    return _read(body, lanes_of(values, type_), *numbers).reshape(values.shape)


def read_fixed(body: Body, acc: NDArray[Any], multiplier: ArrayLike, shift: ArrayLike,
               type_: ElementType = s32) -> Int64:
    """A body (acc, multiplier, shift) of arrays that numpy broadcasts: once for each shift there is.

    type_   of acc and multiplier, which fit it
    """
    sums, m, s = np.asarray(acc), np.asarray(multiplier), np.asarray(shift, np.int64)
    shape = np.broadcast_shapes(sums.shape, m.shape, s.shape)
    shifts = np.unique(s)
    if len(shifts) == 1:
        found = _read(body, lanes_of(sums, type_), _beside(m, sums.ndim, type_), int(shifts[0]))
        return found.reshape(shape)
    made = np.empty(shape, np.int64)
    if s.ndim > 1:
        sums, m, s = (np.broadcast_to(one, shape).reshape(-1) for one in (sums, m, s))
    else:
        sums, m = np.broadcast_to(sums, shape), np.broadcast_to(m, shape[-1:]) if m.ndim < 2 else m
        s = np.broadcast_to(s, shape[-1:])
    flat = made.reshape(sums.shape)
    for one in shifts.tolist():
        at = np.flatnonzero(s == one)
        flat[..., at] = _read(body, lanes_of(sums[..., at], type_), _beside(m[..., at], sums.ndim, type_), one)
    return made


def _beside(values: NDArray[Any], axes: int, type_: ElementType | None = None) -> NumpyLanes:
    """One number, or one a channel, beside sums of n axes."""
    return lanes_of(values.reshape((1,) * (max(axes, 1) - values.ndim) + values.shape), type_)


def read_float(body: Body, acc: NDArray[Any], *scales: NDArray[Any], as_floats: bool = False) -> NDArray[Any]:
    """A body (acc, scale ...) of arrays that numpy broadcasts.

    as_floats   whether integers that were rounded last are left as floats, which may lie out of range
    """
    shape = np.broadcast_shapes(acc.shape, *(one.shape for one in scales))
    with np.errstate(over="ignore", under="ignore"):
        found = body(lanes_of(acc), *(_beside(one, acc.ndim) for one in scales))
        assert isinstance(found, NumpyLanes)
        return (found.floats if as_floats and isinstance(found, RoundedFloats) else found.array).reshape(shape)


def in_blocks(read: Callable[..., NDArray[Any]], dtype: Any, acc: NDArray[Any], *factors: Any,
              block: int = BLOCK) -> NDArray[Any]:
    """What a reading of whole arrays gives, some thousand sums at a time: what lies between its words then stays in a
    processor's cache, and is not memory that is new each time.

    factors   numbers, or one a channel, along the last axis of the sums; others are read at once
    ->        dtype
    """
    given = [np.asarray(one) for one in factors]
    channels = 1 if all(one.size == 1 for one in given) else acc.shape[-1] if acc.ndim else 0
    if acc.size <= block or not channels or any(one.ndim > 1 or one.size not in (1, channels) for one in given):
        return np.asarray(read(acc, *given)).astype(dtype, copy=False)
    rows = acc.reshape(-1, channels) if channels > 1 else acc.reshape(-1)
    step = max(block // channels, 1)
    made = np.empty(rows.shape, dtype)
    for start in range(0, len(rows), step):
        made[start:start + step] = read(rows[start:start + step], *given)
    return made.reshape(acc.shape)


# ---- formulas --------------------------------------------------------------------------------------------------------

class Letter(int):
    """A number with the text that stands for it in a formula: `1 << 30 + s` is 2**(30 + s)."""

    text: str
    rank: int       # how strongly its text holds together: 3 a name, 2 a product, 1 a sum

    def __new__(cls, value: int, text: str, rank: int = 3) -> Letter:
        made = super().__new__(cls, value)
        made.text, made.rank = text, rank
        return made

    def __str__(self) -> str:
        return self.text

    def held(self, rank: int) -> str:
        """Its text, in parentheses if it is one that holds together less."""
        return self.text if self.rank >= rank else f"({self.text})"

    def __add__(self, other: int) -> Letter:
        return Letter(int(self) + int(other), f"{self.text} + {other}", 1)

    def __radd__(self, other: int) -> Letter:
        return Letter(int(self) + int(other), f"{other} + {self.text}", 1)

    def __sub__(self, other: int) -> Letter:
        return Letter(int(self) - int(other), f"{self.text} - {other}", 1)

    def __neg__(self) -> Letter:
        return Letter(-int(self), f"-{self.held(3)}", 1)

    def __rlshift__(self, other: int) -> Letter:
        assert other == 1, "powers of two"
        return Letter(1 << int(self), f"2**{self.held(3)}", 2)

    def leftward(self) -> int:
        """How far a shift to the right goes to the left: one that is a letter is positive."""
        return 0

    def rightward(self) -> int:
        return self

    def __rshift__(self, by: int) -> Letter:
        return Letter(int(self) >> int(by), f"{self.held(2)} >> {by}", 1)


def without_casts(e: Expression) -> Expression:
    """Without what keeps the value: another sign, more room. The bits of a float are another value."""
    while e.op == "wide" or (e.op == "as" and e.args[0].type.kind != "f"):
        e = e.args[0]
    return e


_RANK = {"|": 1, "^": 2, "&": 3, "<<": 5, ">>": 5, "+": 6, "-": 6, "*": 7}
_CALLS = {"sat": "sat", "narrow": "low", "as": "bits"}
_FLOAT = {"mul": "{} * {}", "add": "{} + {}", "div": "{} / {}", "min": "min({}, {})", "max": "max({}, {})"}


class _Text:
    """Formulas of expressions: what is in `names` is written by its name, all else spelt out."""

    def __init__(self, names: dict[int, str]) -> None:
        self.names = names

    def of(self, e: Expression, outer: int = 0) -> str:
        e = without_casts(e)
        if id(e) in self.names:
            return self.names[id(e)]
        op, a = e.op, e.args
        if op == "leaf":
            return str(a[0])
        if op == "const":
            return _constant(e)
        if op == "float":
            return self._float(a[0], a[1:], outer)
        if op in _CALLS:
            return f"{_CALLS[op]}{e.type.bits}({self.of(a[0])})"
        if op == "compare":
            return f"-[{self.of(a[1])} {a[0]} {self.of(a[2])}]"
        right = without_casts(a[1]) if isinstance(a[1], Expression) else a[1]
        mine = _RANK[op]
        if op == "-" and isinstance(right, Expression) and right.op == "compare":
            op, text = "+", self.of(right)[1:]      # a comparison is -1 where it holds
        else:
            text = self.of(right, mine + 1) if isinstance(right, Expression) else _factor(right)
        left = self.of(a[0], _RANK["*"] if op in ("<<", ">>", "&") else mine)   # sums in parentheses, for people
        whole = f"{left} {op} {text}"
        return f"({whole})" if mine < outer else whole

    def _float(self, word: FloatWord, operands: tuple[Expression, ...], outer: int) -> str:
        if word.name == "from_int":
            return f"float{word.form.bits}({self.of(operands[0])})"
        if word.name == "to_int":
            return f"{'rint' if word.detail[-1] == 'n' else 'half_away'}({self.of(operands[0])})"
        text = _FLOAT[word.name].format(*(self.of(one, 6) for one in operands))
        return f"({text})" if outer > 6 else text


def _factor(number: int) -> str:
    return number.held(2) if isinstance(number, Letter) else str(number)


def _constant(e: Expression) -> str:
    value = e.args[0]
    if isinstance(value, Letter):
        return str(value)
    if e.type.kind == "f":
        return _shown(e, value)
    size = abs(value)
    if size > 1024 and not size & size - 1:
        return f"{'-' * (value < 0)}2**{size.bit_length() - 1}"
    return f"0x{value:X}" if value > 1 << 24 and not value & 0xFFFF else str(value)


def _shown(e: Expression, value: int) -> str:
    """A value as a reader takes it."""
    if e.type.kind == "f":
        pattern = np.array([value & e.type.mask], e.type.dtype).view(f"f{e.type.bytes}")
        return f"{float(pattern[0]):.10g}"
    return str(e.type.wrap(value))


def _uses(e: Expression, found: dict[int, int], order: list[Expression]) -> None:
    """How often each operation is needed; all of them, what one needs before it."""
    e = without_casts(e)
    found[id(e)] = found.get(id(e), 0) + 1
    if found[id(e)] == 1:
        for one in e.args:
            if isinstance(one, Expression):
                _uses(one, found, order)
        order.append(e)


def named_parts(e: Expression, each_float: bool = False) -> list[tuple[str, Expression]]:
    """What it is written in: operations that are needed more than once, by letters, and the result ("")."""
    found: dict[int, int] = {}
    order: list[Expression] = []
    _uses(e, found, order)
    letters = iter("pqrtu")
    inner = [one for one in order[:-1] if one.op not in ("leaf", "const")
             and (found[id(one)] > 1 or (each_float and one.op == "float") or one.op in ("sat", "narrow"))]
    return [*((next(letters), one) for one in inner), ("", order[-1])]


def expression_of(body: Body, operands: tuple[tuple[str, ElementType], ...], numbers: tuple[int, ...]) -> Expression:
    """One lane of a body; operands are (name, type) of its lanes, numbers the plain ones it takes."""
    found = body(*(SymbolicLanes((Expression("leaf", (name, 0), type_),), type_) for name, type_ in operands), *numbers)
    assert isinstance(found, SymbolicLanes)
    return found.lanes[0]


def formula_of(body: Body, operands: tuple[tuple[str, ElementType], ...], *numbers: int) -> str:
    """A body as a formula.

    operands   (name, type) of its lanes
    numbers    the plain numbers it takes, a `Letter` where its name is to stand

    What is needed twice has a letter of its own; `[a > b]` is 1 where it holds, else 0.
    """
    names: dict[int, str] = {}
    parts = []
    for name, one in named_parts(expression_of(body, operands, numbers)):
        text = _Text(names).of(one)
        parts.append(f"{name} = {text}" if name else text)
        names[id(one)] = name
    return ";  ".join(parts)


def steps_of(body: Body, operands: dict[str, tuple[ElementType, int]], *numbers: int) -> tuple[str, ...]:
    """A body with numbers in it, a line for each value that has a name, the last one for the result.

    operands   {name: (type, value)} of its lanes; floats by their bits
    """
    kinds = tuple((name, type_) for name, (type_, _) in operands.items())
    values = {(name, 0): value for name, (_, value) in operands.items()}
    made = expression_of(body, kinds, numbers)
    leaves = {name: _shown(Expression("leaf", (name, 0), type_), value) for name, (type_, value) in operands.items()}
    lines = []
    names: dict[int, str] = {}
    known: dict[int, str] = {}
    for name, one in named_parts(made, each_float=True):
        formula = _Text(names).of(one)
        put = _Known(known, leaves).of(one)
        value = _shown(one, one.evaluate(values))
        start = f"{name} = " if name else ""
        lines.append(f"{start}{formula} = {value}" if put == formula else f"{start}{formula} = {put} = {value}")
        names[id(one)], known[id(one)] = name, value
    return tuple(lines)


class _Known(_Text):
    """The same with the numbers in place of the names."""

    def __init__(self, names: dict[int, str], leaves: dict[str, str]) -> None:
        super().__init__(names)
        self.leaves = leaves

    def of(self, e: Expression, outer: int = 0) -> str:
        e = without_casts(e)
        text = self.leaves[e.args[0]] if e.op == "leaf" else super().of(e, outer)
        return f"({text})" if outer and text.startswith("-") and (e.op == "leaf" or id(e) in self.names) else text
