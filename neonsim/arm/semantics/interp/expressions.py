"""The symbolic reading: each lane is an expression over the lanes that went in.

From it come the lane arrows (which input lanes an output lane depends on), their arithmetic as text, and a second
opinion on every instruction: `Expression.evaluate` computes with Python integers, not with numpy.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

from neonsim.arm.semantics.float_formats import Format
from neonsim.arm.semantics.softfloat import FloatWord
from neonsim.arm.semantics.types import ElementType, element
from neonsim.arm.semantics.vocabulary import Lanes, condition_bits

__all__ = ["Expression", "SymbolicLanes"]

Leaf = tuple[str, int]
_UNSAID = ("clamped", "exceptions")  # whose text does not spell out what they are made of
MAX_OPERATIONS = 150  # operations that a formula spells out
_U8 = element("u", 8)
_PRECEDENCE = {"|": 1, "^": 2, "&": 3, "<<": 5, ">>": 5, "+": 6, "-": 6, "*": 7}
_RELATIONS: dict[str, Callable[[int, int], bool]] = {
    "==": lambda a, b: a == b, "!=": lambda a, b: a != b, ">=": lambda a, b: a >= b, ">": lambda a, b: a > b,
    "<=": lambda a, b: a <= b, "<": lambda a, b: a < b}

_BITWISE: dict[str, Callable[[int, int], int]] = {
    "ones": lambda value, bits: value.bit_count(),
    "leading_zeros": lambda value, bits: bits - value.bit_length(),
    "mirror": lambda value, bits: int(f"{value:0{bits}b}"[::-1], 2)}


class Expression:
    """A node: ``op`` applied to ``args``, its value an integer of ``type``.

    op      "leaf" (name, lane), "const" (value), an operator, or a word of the vocabulary
    args    Expressions, and plain ints or strings where the op takes them
    """

    __slots__ = ("args", "op", "type")

    def __init__(self, op: str, args: tuple[Any, ...], type_: ElementType) -> None:
        self.op, self.args, self.type = op, args, type_

    def leaves(self) -> list[Leaf]:
        """Return the lanes that this value depends on, in order of appearance, each once."""
        seen: dict[Leaf, None] = {}
        visited: set[int] = set()
        stack: list[Expression] = [self]
        while stack:
            node = stack.pop()
            if id(node) in visited:
                continue
            visited.add(id(node))
            if node.op == "leaf":
                seen[cast("Leaf", node.args)] = None
            stack.extend(a for a in reversed(node.args) if isinstance(a, Expression))
        return list(seen)

    def evaluate(self, lanes: Mapping[Leaf, int]) -> int:
        """Return the value for these input lanes (integers; their bits are read as the leaf's type)."""
        return _evaluate(self, lanes, {})

    def text(self, name: str = "f") -> str:
        """Return the arithmetic; of more than `MAX_OPERATIONS` operations only ``name`` of what it depends on."""
        if _size(self) <= MAX_OPERATIONS:
            return _text(self)
        return f"{name}({', '.join(f'{leaf}[{lane}]' for leaf, lane in self.leaves())})"

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"<{self.type} {self}>"


def _evaluate(e: Expression, lanes: Mapping[Leaf, int], memo: dict[int, int]) -> int:
    """Operands first, without recursion: a loop is as deep as its turns are many."""
    stack = [e]
    while stack:
        one = stack[-1]
        waiting = [a for a in one.args if isinstance(a, Expression) and id(a) not in memo]
        if waiting:
            stack += waiting
            continue
        stack.pop()
        if id(one) not in memo:
            memo[id(one)] = one.type.wrap(_value(one, lambda a: memo[id(a)], lanes))
    return memo[id(e)]


def _size(e: Expression) -> int:
    """How many operations its text would hold, what is used twice counted twice: a loop's grows beyond all bounds."""
    sizes: dict[int, int] = {}
    stack = [e]
    while stack:
        one = stack[-1]
        inner = [a for a in one.args if isinstance(a, Expression)] if one.op not in _UNSAID else []
        waiting = [a for a in inner if id(a) not in sizes]
        if waiting:
            stack += waiting
            continue
        sizes[id(stack.pop())] = 1 + sum(sizes[id(a)] for a in inner)
    return sizes[id(e)]


def _value(e: Expression, of: Callable[[Expression], int], lanes: Mapping[Leaf, int]) -> int:
    op, a = e.op, e.args
    if op == "leaf":
        return int(lanes[cast("Leaf", a)])
    if op == "const":
        return int(a[0])
    if op in ("wide", "narrow", "as"):
        return of(a[0])
    if op == "bits":
        return of(a[0]) >> int(a[1])
    if op == "concat":
        return sum((of(part) & part.type.mask) << i * part.type.bits for i, part in enumerate(a))
    if op == "sat":
        return min(max(of(a[0]), e.type.low), e.type.high)
    if op == "clamped":
        return int(any(not a[0].low <= of(x) <= a[0].high for x in a[1:]))
    if op == "compare":
        return -int(_RELATIONS[a[0]](of(a[1]), of(a[2])))
    if op == "select":
        mask = of(a[0])
        return of(a[1]) & mask | of(a[2]) & ~mask
    if op == "choose":
        return of(a[1]) if of(a[0]) else of(a[2])
    if op == "holds":
        return condition_bits(a[0]) >> (of(a[1]) & 15) & 1
    if op == "shift_by":
        return _shifted(of(a[0]), (of(a[1]) & 255 ^ 128) - 128, a[2])
    if op == "carryless":
        n, m = of(a[0]) & a[0].type.mask, of(a[1]) & a[1].type.mask
        result = 0
        for bit in range(a[1].type.bits):
            result ^= n << bit if m >> bit & 1 else 0
        return result
    if op == "quotient":
        x, y = of(a[0]), of(a[1])
        return 0 if y == 0 else abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
    if op == "derived":
        return a[2](SymbolicLanes.constants((of(a[0]),), e.type)).lanes[0].evaluate({})  # type: ignore[no-any-return]
    if op in _BITWISE:
        return _BITWISE[op](of(a[0]) & e.type.mask, e.type.bits)
    if op == "float":
        return int(a[0](*(of(x) & x.type.mask for x in a[1:]))[0])
    if op == "exceptions":
        found = 0
        for lane in a:
            found |= lane.args[0](*(of(x) & x.type.mask for x in lane.args[1:]))[1]
        return found
    if op == "lookup":
        at = of(a[0])
        return of(a[2 + at]) if at < len(a) - 2 else of(a[1])
    if op == "entry":
        at = of(a[0])
        return int(a[2][at]) if at < len(a[2]) else of(a[1])
    if op == "sum_flags":
        n, m, mask = of(a[0]) & a[0].type.mask, of(a[1]) & a[0].type.mask, a[0].type.mask
        full = n + m + of(a[2])
        value, s, t = full & mask, a[0].type.with_("s").wrap(n), a[0].type.with_("s").wrap(m)
        exact = s + t + of(a[2])
        low = -(mask + 1 >> 1)
        return _flags(value, a[0].type, full > mask, not low <= exact <= mask >> 1)
    if op == "logic_flags":
        return _flags(of(a[0]) & a[0].type.mask, a[0].type, bool(of(a[1])), bool(of(a[2]) & 1))
    if op == "~":
        return ~of(a[0])
    if op == "neg":
        return -of(a[0])
    if op == "<<":
        return of(a[0]) << int(a[1])
    if op == ">>":
        return of(a[0]) >> int(a[1])
    x, y = of(a[0]), of(a[1])
    return {"+": x + y, "-": x - y, "*": x * y, "&": x & y, "|": x | y, "^": x ^ y}[op]


def _flags(value: int, type_: ElementType, carry: bool, overflow: bool) -> int:
    return value >> type_.bits - 1 << 3 | (value == 0) << 2 | carry << 1 | overflow


def _shifted(value: int, by: int, rounding: bool) -> int:
    if by >= 0:
        return value << by
    return value + (1 << -by - 1) >> -by if rounding else value >> -by


def _text(e: Expression, outer: int = 0) -> str:
    op, a = e.op, e.args
    if op == "leaf":
        name, lane = cast("Leaf", a)
        return f"{name}[{lane}]"
    if op == "const":
        return str(e.type.wrap(a[0]))
    if op == "as":
        return _text(a[0], outer)
    if op == "wide":
        # Widening keeps the value: only a cast of a leaf says something new to the reader.
        return f"{e.type}({_text(a[0])})"
    if op == "derived":
        return f"{a[1]}({_text(a[0])})"
    if op in ("narrow", "sat"):
        return f"{'low' if op == 'narrow' else 'sat'}_{e.type}({_text(a[0])})"
    if op == "bits":
        return f"{_text(a[0], 9)}<{a[1] + e.type.bits - 1}:{a[1]}>"
    if op == "concat":
        return "{" + ", ".join(_text(x) for x in reversed(a)) + "}"
    if op == "clamped":
        return f"any lane outside {a[0]}"
    if op == "compare":
        return f"({_text(a[1])} {a[0]} {_text(a[2])})"
    if op == "select" and a[0].op == "compare" and a[0].args[0] in "<>" and a[0].args[1:] == a[1:]:
        return f"{'max' if a[0].args[0] == '>' else 'min'}({_text(a[1])}, {_text(a[2])})"
    if op == "entry":
        return f"table[{_text(a[0])}]" + ("" if a[1].op == "const" else f" or {_text(a[1])}")
    if op == "lookup":
        return f"table[{_text(a[0])}]" + ("" if a[1].op == "const" else f" or {_text(a[1])}")
    if op == "holds":
        return f"{a[0]}({_text(a[1])})"
    if op == "float":
        return str(a[0].text(*(_operand(x, a[0].form) for x in a[1:])))
    if op == "exceptions":
        return "exceptions of these operations"
    if op == "choose":
        return f"({_text(a[1])} if {_text(a[0])} else {_text(a[2])})"
    if op == "shift_by":
        return f"{'round_' if a[2] else ''}shift({_text(a[0])}, {_text(a[1])})"
    if op in _PRECEDENCE:
        mine = _PRECEDENCE[op]
        left, right = (_text(x, mine + i) if isinstance(x, Expression) else str(x) for i, x in enumerate(a))
        text = f"{left} {op} {right}"
        return f"({text})" if mine < outer else text
    if op in ("~", "neg"):
        return ("~" if op == "~" else "-") + _text(a[0], 8)
    return f"{op}({', '.join(_text(x) for x in a if isinstance(x, Expression))})"


def _operand(e: Expression, form: Format) -> str:
    """A number that a floating word takes: bits that are turned or moved up say what that means for it."""
    e = _plain(e)
    if e.op == "^" and e.args[1].op == "const" and e.args[1].args[0] & e.type.mask == form.sign:
        return "-" + _text(e.args[0], 8)
    if e.op == "<<" and form.sign == 1 << 31 and e.args[1] == 16 and (n := _plain(e.args[0])).op == "wide":
        return f"bf16({_text(n.args[0])})"
    return _text(e, 8)


class SymbolicLanes(Lanes):
    """Lanes of expressions: ``lanes`` is a tuple of `Expression`, all of ``type``."""

    __slots__ = ("lanes", "type")

    def __init__(self, lanes: tuple[Expression, ...], type_: ElementType) -> None:
        self.lanes, self.type = lanes, type_

    @classmethod
    def leaves(cls, name: str, type_: ElementType, count: int, first: int = 0) -> SymbolicLanes:
        """Inputs: lanes ``first``... of the register (or role) called ``name``."""
        return cls(tuple(Expression("leaf", (name, first + i), type_) for i in range(count)), type_)

    @classmethod
    def constants(cls, values: tuple[int, ...], type_: ElementType) -> SymbolicLanes:
        return cls(tuple(Expression("const", (v,), type_) for v in values), type_)

    @property
    def count(self) -> int:
        return len(self.lanes)

    def __repr__(self) -> str:
        return f"{self.type}({', '.join(map(str, self.lanes))})"

    def _zip(self, other: Any) -> list[tuple[Expression, Expression]]:
        if not isinstance(other, SymbolicLanes):
            other = SymbolicLanes.constants((self.type.wrap(other),), self.type)
        elif other.type.bits != self.type.bits:
            raise TypeError(f"lanes of {self.type} do not match lanes of {other.type}: use wide() or narrow() first")
        elif other.type is not self.type:
            other = other._as_kind(self.type)
        n = max(self.count, other.count)
        return list(zip(self.lanes * (n // self.count), other.lanes * (n // other.count), strict=True))

    def _binary(self, op: str, other: Any) -> SymbolicLanes:
        return SymbolicLanes(tuple(_fold(op, a, b, self.type) for a, b in self._zip(other)), self.type)

    def _each(self, op: str, type_: ElementType, *rest: Any) -> SymbolicLanes:
        return SymbolicLanes(tuple(Expression(op, (x, *rest), type_) for x in self.lanes), type_)

    def __add__(self, other: Any) -> SymbolicLanes:
        return self._binary("+", other)

    def __sub__(self, other: Any) -> SymbolicLanes:
        return self._binary("-", other)

    def __mul__(self, other: Any) -> SymbolicLanes:
        return self._binary("*", other)

    def __and__(self, other: Any) -> SymbolicLanes:
        return self._binary("&", other)

    def __or__(self, other: Any) -> SymbolicLanes:
        return self._binary("|", other)

    def __xor__(self, other: Any) -> SymbolicLanes:
        return self._binary("^", other)

    def __invert__(self) -> SymbolicLanes:
        return self._each("~", self.type)

    def __neg__(self) -> SymbolicLanes:
        return self._each("neg", self.type)

    def __lshift__(self, by: int) -> SymbolicLanes:
        return self if by == 0 else self._each("<<", self.type, by)

    def __rshift__(self, by: int) -> SymbolicLanes:
        return self if by == 0 else self._each(">>", self.type, by)

    def __getitem__(self, lanes: int | slice) -> SymbolicLanes:
        chosen = self.lanes[lanes]
        return SymbolicLanes(chosen if isinstance(chosen, tuple) else (chosen,), self.type)

    def _constants(self, values: tuple[int, ...]) -> SymbolicLanes:
        return SymbolicLanes.constants(values, self.type)

    def _as_kind(self, type_: ElementType) -> SymbolicLanes:
        return self if type_ is self.type else self._each("as", type_)

    def _view(self, type_: ElementType) -> SymbolicLanes:
        have, want = self.type.bits, type_.bits
        if have == want:
            return self._as_kind(type_)
        if have > want:
            return SymbolicLanes(tuple(Expression("bits", (x, low), type_) for x in self.lanes
                                       for low in range(0, have, want)), type_)
        step = want // have
        return SymbolicLanes(tuple(Expression("concat", self.lanes[i:i + step], type_)
                                   for i in range(0, self.count, step)), type_)

    def _wide(self) -> SymbolicLanes:
        return self._each("wide", self.type.with_(bits=self.type.bits * 2))

    def _narrow(self) -> SymbolicLanes:
        return self._each("narrow", self.type.with_(bits=self.type.bits // 2))

    def _sat(self, type_: ElementType) -> tuple[SymbolicLanes, SymbolicLanes]:
        return self._each("sat", type_), SymbolicLanes((Expression("clamped", (type_, *self.lanes), _U8),), _U8)

    def _join(self, others: tuple[Any, ...]) -> SymbolicLanes:
        return SymbolicLanes(sum((o.lanes for o in others), self.lanes), self.type)

    def _compare(self, relation: str, other: Any) -> SymbolicLanes:
        type_ = self.type.with_("u")
        return SymbolicLanes(tuple(Expression("compare", (relation, a, b), type_) for a, b in self._zip(other)), type_)

    def _select(self, n: Any, m: Any) -> SymbolicLanes:
        masks = self._as_kind(n.type).lanes
        return SymbolicLanes(tuple(Expression("select", (mask, a, b), n.type)
                                   for mask, (a, b) in zip(masks, n._zip(m), strict=True)), n.type)

    def _shift_by(self, by: Any, rounding: bool) -> SymbolicLanes:
        return SymbolicLanes(tuple(Expression("shift_by", (a, b, rounding), self.type) for a, b in self._zip(by)),
                             self.type)

    def _total(self) -> SymbolicLanes:
        result = self.lanes[0]
        for lane in self.lanes[1:]:
            result = Expression("+", (result, lane), self.type)
        return SymbolicLanes((result,), self.type)

    def _carryless(self, other: Any) -> SymbolicLanes:
        type_ = self.type.with_(bits=self.type.bits * 2)
        return SymbolicLanes(tuple(Expression("carryless", (a, b), type_) for a, b in self._zip(other)), type_)

    def _quotient(self, other: Any) -> SymbolicLanes:
        return SymbolicLanes(tuple(Expression("quotient", (a, b), self.type) for a, b in self._zip(other)), self.type)

    def _derived(self, word: str, made_of: Callable[[SymbolicLanes], SymbolicLanes]) -> SymbolicLanes:
        return self._each("derived", self.type, word, made_of)

    def _of_bits(self, word: str) -> SymbolicLanes:
        return self._each(word, self.type)

    def _lookup(self, index: Any, otherwise: Any) -> SymbolicLanes:
        defaults = otherwise.lanes * (index.count // otherwise.count)
        if all(i.op == "const" and 0 <= i.args[0] < self.count for i in map(_plain, index.lanes)):
            return SymbolicLanes(tuple(self.lanes[_plain(i).args[0]] for i in index.lanes), self.type)
        if all(x.op == "const" for x in self.lanes):
            table = tuple(self.type.wrap(x.args[0]) for x in self.lanes)
            if index.type.mask < self.count:  # no index is behind its end
                defaults = (Expression("const", (0,), self.type),) * index.count
            return SymbolicLanes(tuple(Expression("entry", (i, d, table), self.type)
                                       for i, d in zip(index.lanes, defaults, strict=True)), self.type)
        return SymbolicLanes(tuple(Expression("lookup", (i, d, *self.lanes), self.type)
                                   for i, d in zip(index.lanes, defaults, strict=True)), self.type)

    def _add_flags(self, other: Any, carry: Any) -> tuple[SymbolicLanes, SymbolicLanes]:
        c = (carry if isinstance(carry, SymbolicLanes) else SymbolicLanes.constants((carry,), _U8)).lanes[0]
        (a, b), = self._zip(other)
        widened = Expression("as", (c,), self.type)
        plain = _fold("+", a, b, self.type)
        known = c.op == "const" and c.args[0] == 0
        value = plain if known else Expression("+", (plain, widened), self.type)
        return (SymbolicLanes((value,), self.type),
                SymbolicLanes((Expression("sum_flags", (a, b, c), _U8),), _U8))

    def _logic_flags(self, carry: Any, nzcv: Any) -> SymbolicLanes:
        zero = Expression("const", (0,), _U8)
        return SymbolicLanes((Expression("logic_flags", (self.lanes[0], carry.lanes[0] if carry is not None else zero,
                                                         nzcv.lanes[0] if nzcv is not None else zero), _U8),), _U8)

    def _holds(self, condition: str) -> SymbolicLanes:
        return SymbolicLanes((Expression("holds", (condition, self.lanes[0]), _U8),), _U8)

    def _choose(self, n: Any, m: Any) -> SymbolicLanes:
        return SymbolicLanes(tuple(Expression("choose", (self.lanes[0], a, b), n.type) for a, b in n._zip(m)), n.type)

    def _float(self, word: FloatWord, others: tuple[Any, ...],
               type_: ElementType) -> tuple[SymbolicLanes, SymbolicLanes]:
        count = max(lanes.count for lanes in (self, *others))
        columns = [lanes.lanes * (count // lanes.count) for lanes in (self, *others)]
        made = tuple(Expression("float", (word, *each), type_) for each in zip(*columns, strict=True))
        return SymbolicLanes(made, type_), SymbolicLanes((Expression("exceptions", made, _U8),), _U8)


def _plain(e: Expression) -> Expression:
    """Without the casts that change its sign only."""
    while e.op == "as":
        e = e.args[0]
    return e


def _fold(op: str, a: Expression, b: Expression, type_: ElementType) -> Expression:
    """a op b, without the nothings (+ 0, << 0) that immediates and addresses bring along."""
    if b.op == "const" and b.args[0] == 0:
        if op in "+-|^":
            return a
        if op == "&":
            return b
    if a.op == "const" and a.args[0] == 0 and op in "+|^":
        return b
    return Expression(op, (a, b), type_)
