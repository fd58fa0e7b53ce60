"""The bit-vector reading: each lane is a formula over bits, as SMT solvers take them (QF_BV of SMT-LIB 2.6).

No solver is needed to make formulas, to compute with them (`FormulaBuilder.evaluate`) or to write them down
(`FormulaBuilder.problem`): any solver reads that text. Unlike terms (`arm.semantics.interp.polynomials`), formulas have
no canonical form: whether two are equal is a question for a solver. `TermFormulas` says what terms mean in bits, so
that what terms leave open can be asked. Words of floating point have no formula here and are refused by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from neonsim.arm.semantics.softfloat import FloatWord
from neonsim.arm.semantics.types import ElementType, element
from neonsim.arm.semantics.vocabulary import CONDITIONS, Lanes
from neonsim.errors import NeonsimError

from .polynomials import Polynomial, Term, TermPool, applied

__all__ = ["BitVectorLanes", "Bits", "FormulaBuilder", "NoFormula", "TermFormulas", "different"]

_U8 = element("u", 8)
_RELATIONS = {"==": ("=", False, False), "!=": ("=", False, True), "<": ("less", False, False),
              ">=": ("less", False, True), ">": ("less", True, False), "<=": ("less", True, True)}


class NoFormula(NeonsimError):
    """A word of the vocabulary has no formula over bits; the message names it."""


class Bits:
    """One formula; made by `FormulaBuilder` only, once for each meaning that looks the same.

    op     "var", "const", or the name of a function of SMT-LIB; of "=", "bvult", "bvslt" one bit comes, 1 if true, and
           "ite" takes one
    args   formulas, and the plain numbers that extract, zero_extend, sign_extend take
    bits   how wide
    """

    __slots__ = ("args", "bits", "number", "op")

    def __init__(self, op: str, args: tuple[Any, ...], bits: int, number: int) -> None:
        self.op, self.args, self.bits, self.number = op, args, bits, number

    @property
    def constant(self) -> int | None:
        """Its value, unsigned, if it is a number."""
        return self.args[0] if self.op == "const" else None

    def __repr__(self) -> str:
        return f"<{self.bits} bits: {self.op} {' '.join(str(a) for a in self.args)}>"


def _signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> bits - 1 else value


# op -> (widths of the arguments, their values) -> value, unsigned; before it is cut to the width of the result
_MEANING: dict[str, Callable[[tuple[int, ...], tuple[int, ...]], int]] = {
    "bvadd": lambda w, v: v[0] + v[1],
    "bvmul": lambda w, v: v[0] * v[1],
    "bvand": lambda w, v: v[0] & v[1],
    "bvor": lambda w, v: v[0] | v[1],
    "bvxor": lambda w, v: v[0] ^ v[1],
    "bvnot": lambda w, v: ~v[0],
    "bvneg": lambda w, v: -v[0],
    "bvshl": lambda w, v: v[0] << v[1] if v[1] < w[0] else 0,
    "bvlshr": lambda w, v: v[0] >> v[1],
    "bvashr": lambda w, v: _signed(v[0], w[0]) >> v[1],
    "bvudiv": lambda w, v: v[0] // v[1] if v[1] else -1,
    "concat": lambda w, v: v[0] << w[1] | v[1],
    "ite": lambda w, v: v[1] if v[0] else v[2],
    "=": lambda w, v: int(v[0] == v[1]),
    "bvult": lambda w, v: int(v[0] < v[1]),
    "bvslt": lambda w, v: int(_signed(v[0], w[0]) < _signed(v[1], w[1])),
    "zero_extend": lambda w, v: v[0],
    "sign_extend": lambda w, v: _signed(v[0], w[0]),
}
_TRUTHS = ("=", "bvult", "bvslt")


class FormulaBuilder:
    """All formulas of one question. Formulas of two of these must not meet."""

    def __init__(self) -> None:
        self._made: dict[tuple[Any, ...], Bits] = {}

    # -- making
    def _new(self, op: str, args: tuple[Any, ...], bits: int) -> Bits:
        key = op, bits, *args
        found = self._made.get(key)
        if found is None:
            found = self._made[key] = Bits(op, args, bits, len(self._made))
        return found

    def number(self, value: int, bits: int) -> Bits:
        """Return the value modulo 2**bits."""
        return self._new("const", (value & (1 << bits) - 1,), bits)

    def variable(self, name: tuple[Any, ...], bits: int) -> Bits:
        """Return an unknown, the same one for the same name."""
        return self._new("var", (name,), bits)

    def make(self, op: str, *args: Bits) -> Bits:
        """Return a function of SMT-LIB on formulas; numbers give a number."""
        values = tuple(a.args[0] for a in args if a.op == "const")
        bits = 1 if op in _TRUTHS else args[0].bits + args[1].bits if op == "concat" else args[-1].bits
        if len(values) == len(args):
            return self.number(_MEANING[op](tuple(a.bits for a in args), values), bits)
        if op in ("bvadd", "bvor", "bvxor") and 0 in values:
            return next(a for a in args if a.constant != 0)
        if op in ("bvand", "bvmul") and 0 in values:
            return self.number(0, bits)
        if ((1 << bits) - 1 if op == "bvand" else 1 if op == "bvmul" else None) in values:
            return args[1] if args[0].op == "const" else args[0]
        if op == "ite":
            if args[1] is args[2] or args[0].op == "const":
                return args[2] if args[0].constant == 0 else args[1]
        elif op == "=" and args[0] is args[1]:
            return self.number(1, 1)
        return self._new(op, args, bits)

    def extract(self, n: Bits, low: int, bits: int) -> Bits:
        """Bits ``low`` ..."""
        if bits == n.bits:
            return n
        if n.op == "const":
            return self.number(n.args[0] >> low, bits)
        if n.op == "extract":
            return self.extract(n.args[0], n.args[1] + low, bits)
        if n.op == "concat":
            high, rest = n.args
            if low >= rest.bits:
                return self.extract(high, low - rest.bits, bits)
            if low + bits <= rest.bits:
                return self.extract(rest, low, bits)
        if n.op in ("zero_extend", "sign_extend") and low + bits <= n.args[0].bits:
            return self.extract(n.args[0], low, bits)
        return self._new("extract", (n, low), bits)

    def extend(self, n: Bits, bits: int, signed: bool) -> Bits:
        """As wide as ``bits``: the value kept, or what lies above cut off."""
        if bits <= n.bits:
            return self.extract(n, 0, bits)
        if n.op == "const":
            return self.number(_signed(n.args[0], n.bits) if signed else n.args[0], bits)
        return self._new("sign_extend" if signed else "zero_extend", (n,), bits)

    def negated(self, truth: Bits) -> Bits:
        return self.make("bvxor", truth, self.number(1, 1))

    def difference(self, n: Bits, m: Bits) -> Bits:
        return self.make("bvadd", n, self.make("bvneg", m))

    def less_than(self, n: Bits, m: Bits, signed: bool) -> Bits:
        """One bit: n < m."""
        return self.make("bvslt" if signed else "bvult", n, m)

    # -- values and text
    def _order(self, wanted: list[Bits]) -> Iterator[Bits]:
        """Those and what they are made of, operands first."""
        needed: set[Bits] = set()
        waiting = list(wanted)
        while waiting:
            one = waiting.pop()
            if one not in needed:
                needed.add(one)
                waiting += [a for a in one.args if isinstance(a, Bits)]
        return iter(sorted(needed, key=lambda n: n.number))  # a formula is made after what it is made of

    def evaluate(self, formulas: list[Bits], inputs: Mapping[tuple[Any, ...], int]) -> list[int]:
        """Their values, unsigned, for these values of the variables by name."""
        found: dict[Bits, int] = {}
        for n in self._order(formulas):
            if n.op == "const":
                value = n.args[0]
            elif n.op == "var":
                value = inputs[n.args[0]]
            elif n.op == "extract":
                value = found[n.args[0]] >> n.args[1]
            else:
                value = _MEANING[n.op](tuple(a.bits for a in n.args), tuple(found[a] for a in n.args))
            found[n] = value & (1 << n.bits) - 1
        return [found[n] for n in formulas]

    def variables(self, formulas: list[Bits]) -> dict[str, Bits]:
        """{name in `problem`: variable} of all that these are made of."""
        return {f"v{n.number}": n for n in self._order(formulas) if n.op == "var"}

    def problem(self, truths: list[Bits]) -> str:
        """SMT-LIB text: is there data for which all of these (of one bit) are 1?"""
        rows = ["(set-logic QF_BV)"]
        for n in self._order(truths):
            if n.op == "var":
                rows.append(f"(declare-const v{n.number} (_ BitVec {n.bits}))")
            elif n.op != "const":
                rows.append(f"(define-fun n{n.number} () (_ BitVec {n.bits}) {_text(n)})")
        rows += [f"(assert (= {_name(n)} #b1))" for n in truths]
        return "\n".join([*rows, "(check-sat)", ""])


def _name(n: Bits) -> str:
    return f"(_ bv{n.args[0]} {n.bits})" if n.op == "const" else f"{'v' if n.op == 'var' else 'n'}{n.number}"


def _text(n: Bits) -> str:
    names = [_name(a) for a in n.args if isinstance(a, Bits)]
    if n.op == "extract":
        return f"((_ extract {n.args[1] + n.bits - 1} {n.args[1]}) {names[0]})"
    if n.op in ("zero_extend", "sign_extend"):
        return f"((_ {n.op} {n.bits - n.args[0].bits}) {names[0]})"
    if n.op == "ite":
        return f"(ite (= {names[0]} #b1) {names[1]} {names[2]})"
    if n.op in _TRUTHS:
        return f"(ite ({n.op} {' '.join(names)}) #b1 #b0)"
    return f"({n.op} {' '.join(names)})"


class BitVectorLanes(Lanes):
    """Lanes of formulas: ``lanes`` is a tuple of `Bits` of one `FormulaBuilder`, all as wide as ``type``."""

    __slots__ = ("formulas", "lanes", "type")

    def __init__(self, formulas: FormulaBuilder, lanes: tuple[Bits, ...], type_: ElementType) -> None:
        self.formulas, self.lanes, self.type = formulas, lanes, type_

    @classmethod
    def from_integers(cls, formulas: FormulaBuilder, values: list[int], type_: ElementType) -> BitVectorLanes:
        """Numbers, one a lane."""
        return cls(formulas, tuple(formulas.number(v, type_.bits) for v in values), type_)

    @classmethod
    def inputs(cls, formulas: FormulaBuilder, name: str, type_: ElementType, count: int) -> BitVectorLanes:
        """Variables (name, 0), (name, 1) ..."""
        return cls(formulas, tuple(formulas.variable((name, i), type_.bits) for i in range(count)), type_)

    @property
    def count(self) -> int:
        return len(self.lanes)

    def __repr__(self) -> str:
        return f"{self.type}({', '.join(map(repr, self.lanes))})"

    # -- helpers
    def _made(self, lanes: Any, type_: ElementType | None = None) -> BitVectorLanes:
        return BitVectorLanes(self.formulas, tuple(lanes), type_ or self.type)

    def _zip(self, other: Any) -> list[tuple[Bits, Bits]]:
        if not isinstance(other, BitVectorLanes):
            other = BitVectorLanes.from_integers(self.formulas, [other], self.type)
        elif other.type.bits != self.type.bits:
            raise TypeError(f"lanes of {self.type} do not match lanes of {other.type}: use wide() or narrow() first")
        n = max(self.count, other.count)
        return list(zip(self.lanes * (n // self.count), other.lanes * (n // other.count), strict=True))

    def _both(self, op: str, other: Any) -> BitVectorLanes:
        return self._made(self.formulas.make(op, a, b) for a, b in self._zip(other))

    def _number(self, value: int, bits: int | None = None) -> Bits:
        return self.formulas.number(value, bits or self.type.bits)

    @property
    def _is_signed(self) -> bool:
        return self.type.kind == "s"

    def _extended(self, n: Bits, bits: int) -> Bits:
        return self.formulas.extend(n, bits, self._is_signed)

    def _byte(self, truth: Bits) -> BitVectorLanes:
        """One lane of 8 bits, 0 or 1."""
        return self._made((self.formulas.extend(truth, 8, False),), _U8)

    # -- operators
    def __add__(self, other: Any) -> BitVectorLanes:
        return self._both("bvadd", other)

    def __sub__(self, other: Any) -> BitVectorLanes:
        return self._made(self.formulas.difference(a, b) for a, b in self._zip(other))

    def __mul__(self, other: Any) -> BitVectorLanes:
        return self._both("bvmul", other)

    def __and__(self, other: Any) -> BitVectorLanes:
        return self._both("bvand", other)

    def __or__(self, other: Any) -> BitVectorLanes:
        return self._both("bvor", other)

    def __xor__(self, other: Any) -> BitVectorLanes:
        return self._both("bvxor", other)

    def __invert__(self) -> BitVectorLanes:
        return self._made(self.formulas.make("bvnot", n) for n in self.lanes)

    def __neg__(self) -> BitVectorLanes:
        return self._made(self.formulas.make("bvneg", n) for n in self.lanes)

    def __lshift__(self, by: int) -> BitVectorLanes:
        return self._made(self._left(n, by) for n in self.lanes)

    def _left(self, n: Bits, by: int) -> Bits:
        if by == 0 or by >= n.bits:
            return n if by == 0 else self._number(0)
        return self.formulas.make("concat", self.formulas.extract(n, 0, n.bits - by), self._number(0, by))

    def __rshift__(self, by: int) -> BitVectorLanes:
        by = min(by, self.type.bits - 1 if self._is_signed else self.type.bits)
        if by == self.type.bits:
            return self._made(self._number(0) for _ in self.lanes)
        return self._made(self._extended(self.formulas.extract(n, by, n.bits - by), n.bits) for n in self.lanes)

    def __getitem__(self, lanes: int | slice) -> BitVectorLanes:
        chosen = self.lanes[lanes]
        return self._made(chosen if isinstance(chosen, tuple) else (chosen,))

    # -- words
    def _constants(self, values: tuple[int, ...]) -> BitVectorLanes:
        return BitVectorLanes.from_integers(self.formulas, list(values), self.type)

    def _as_kind(self, type_: ElementType) -> BitVectorLanes:
        return self._made(self.lanes, type_)

    def _view(self, type_: ElementType) -> BitVectorLanes:
        have, want = self.type.bits, type_.bits
        if have >= want:
            return self._made((self.formulas.extract(n, low, want) for n in self.lanes
                               for low in range(0, have, want)), type_)
        step, made = want // have, []
        for i in range(0, self.count, step):
            whole = self.lanes[i]
            for part in self.lanes[i + 1:i + step]:
                whole = self.formulas.make("concat", part, whole)
            made.append(whole)
        return self._made(made, type_)

    def _wide(self) -> BitVectorLanes:
        type_ = self.type.with_(bits=self.type.bits * 2)
        return self._made((self._extended(n, type_.bits) for n in self.lanes), type_)

    def _narrow(self) -> BitVectorLanes:
        type_ = self.type.with_(bits=self.type.bits // 2)
        return self._made((self.formulas.extract(n, 0, type_.bits) for n in self.lanes), type_)

    def _sat(self, type_: ElementType) -> tuple[BitVectorLanes, BitVectorLanes]:
        f, bits = self.formulas, max(self.type.bits, type_.bits) + 1
        low, high = self._number(type_.low, bits), self._number(type_.high, bits)
        outside, made = self._number(0, 1), []
        for n in self.lanes:
            whole = self._extended(n, bits)
            below, above = f.less_than(whole, low, True), f.less_than(high, whole, True)
            made.append(f.extract(f.make("ite", below, low, f.make("ite", above, high, whole)), 0, type_.bits))
            outside = f.make("bvor", outside, f.make("bvor", below, above))
        return self._made(made, type_), self._byte(outside)

    def _join(self, others: tuple[Any, ...]) -> BitVectorLanes:
        return self._made(sum((o.lanes for o in others), self.lanes))

    def _compare(self, relation: str, other: Any) -> BitVectorLanes:
        kind, swapped, inverted = _RELATIONS[relation]
        f, made = self.formulas, []
        for a, b in self._zip(other):
            a, b = (b, a) if swapped else (a, b)
            truth = f.make("=", a, b) if kind == "=" else f.less_than(a, b, self._is_signed)
            made.append(f.extend(f.negated(truth) if inverted else truth, a.bits, True))
        return self._made(made, self.type.with_("u"))

    def _select(self, n: Any, m: Any) -> BitVectorLanes:
        f = self.formulas
        return BitVectorLanes(f,
                              tuple(f.make("bvor", f.make("bvand", mask, a), f.make("bvand", f.make("bvnot", mask), b))
                                    for mask, (a, b) in zip(self.lanes, n._zip(m), strict=True)), n.type)

    def _shift_by(self, by: Any, rounding: bool) -> BitVectorLanes:
        f, made = self.formulas, []
        for n, amount in self._zip(by):
            # Wide enough for amounts of -128 to 127: shifts by more than the width are defined in SMT-LIB.
            bits = max(n.bits, 16)
            wide, low = self._extended(n, bits), f.extend(f.extract(amount, 0, 8), bits, True)
            right = f.make("bvneg", low)
            op = "bvashr" if self._is_signed else "bvlshr"
            shifted = f.make(op, wide, right)
            if rounding:  # the highest of the bits that go
                last = f.extend(f.extract(f.make(op, wide, f.make("bvadd", right, self._number(-1, bits))), 0, 1),
                                bits, False)
                shifted = f.make("bvadd", shifted, last)
            left = f.make("bvshl", wide, low)
            made.append(f.extract(f.make("ite", f.less_than(low, self._number(0, bits), True), shifted, left), 0,
                                  n.bits))
        return self._made(made)

    def _total(self) -> BitVectorLanes:
        whole = self.lanes[0]
        for n in self.lanes[1:]:
            whole = self.formulas.make("bvadd", whole, n)
        return self._made((whole,))

    def _carryless(self, other: Any) -> BitVectorLanes:
        f, type_ = self.formulas, self.type.with_(bits=self.type.bits * 2)
        made = []
        for a, b in self._zip(other):
            whole, result = f.extend(a, type_.bits, False), self._number(0, type_.bits)
            for i in range(b.bits):
                moved = self._left(whole, i)
                result = f.make("bvxor", result, f.make("ite", f.extract(b, i, 1), moved, self._number(0, type_.bits)))
            made.append(result)
        return self._made(made, type_)

    def _quotient(self, other: Any) -> BitVectorLanes:
        f, made = self.formulas, []
        zero = self._number(0)
        for a, b in self._zip(other):
            signs = [f.extract(x, x.bits - 1, 1) if self._is_signed else self._number(0, 1) for x in (a, b)]
            n, m = (f.make("ite", sign, f.make("bvneg", x), x) for sign, x in zip(signs, (a, b), strict=True))
            value = f.make("bvudiv", n, m)
            value = f.make("ite", f.make("bvxor", *signs), f.make("bvneg", value), value)
            made.append(f.make("ite", f.make("=", b, zero), zero, value))
        return self._made(made)

    def _of_bits(self, word: str) -> BitVectorLanes:
        f, made = self.formulas, []
        for n in self.lanes:
            each = [f.extract(n, i, 1) for i in range(n.bits)]
            if word == "mirror":
                value = each[0]
                for bit in each[1:]:
                    value = f.make("concat", value, bit)
            elif word == "ones":
                value = self._number(0)
                for bit in each:
                    value = f.make("bvadd", value, f.extend(bit, n.bits, False))
            else:
                value = self._number(n.bits)
                for i, bit in enumerate(each):
                    value = f.make("ite", bit, self._number(n.bits - 1 - i), value)
            made.append(value)
        return self._made(made)

    def _lookup(self, index: Any, otherwise: Any) -> BitVectorLanes:
        f, made = self.formulas, []
        for at, value in zip(index.lanes, otherwise.lanes * (index.count // otherwise.count), strict=True):
            for i, entry in enumerate(self.lanes[:1 << at.bits]):
                value = f.make("ite", f.make("=", at, f.number(i, at.bits)), entry, value)
            made.append(value)
        return self._made(made)

    def _flags(self, value: Bits, carry: Bits, overflow: Bits) -> BitVectorLanes:
        """n<<3 | z<<2 | c<<1 | v of one bit each."""
        f = self.formulas
        whole = f.make("concat", f.extract(value, value.bits - 1, 1), f.make("=", value, self._number(0, value.bits)))
        for bit in (carry, overflow):
            whole = f.make("concat", whole, bit)
        return self._made((f.extend(whole, 8, False),), _U8)

    def _add_flags(self, other: Any, carry: Any) -> tuple[BitVectorLanes, BitVectorLanes]:
        f = self.formulas
        (a, b), = self._zip(other)
        c = carry.lanes[0] if isinstance(carry, BitVectorLanes) else self._number(carry, 8)
        full = f.make("bvadd", f.extend(a, a.bits + 1, False), f.extend(b, a.bits + 1, False))
        full = f.make("bvadd", full, f.extend(c, a.bits + 1, False))  # c is 0 or 1
        value = f.extract(full, 0, a.bits)
        # What is added has one sign, the sum has the other.
        over = f.make("bvand", f.make("bvxor", a, value), f.make("bvxor", b, value))
        return self._made((value,)), self._flags(value, f.extract(full, a.bits, 1), f.extract(over, a.bits - 1, 1))

    def _logic_flags(self, carry: Any, nzcv: Any) -> BitVectorLanes:
        f, value = self.formulas, self.lanes[0]
        c = self._number(0, 1) if carry is None else f.negated(f.make("=", carry.lanes[0], self._number(0, 8)))
        v = self._number(0, 1) if nzcv is None else f.extract(nzcv.lanes[0], 0, 1)
        return self._flags(value, c, v)

    def _holds(self, condition: str) -> BitVectorLanes:
        f, number = self.formulas, CONDITIONS.index(condition)
        v, c, z, n = (f.extract(self.lanes[0], i, 1) for i in range(4))
        alike = f.negated(f.make("bvxor", n, v))
        truth = (z, c, n, v, f.make("bvand", c, f.negated(z)), alike, f.make("bvand", alike, f.negated(z)),
                 f.number(1, 1))[number // 2]
        return self._byte(f.negated(truth) if number % 2 else truth)

    def _choose(self, n: Any, m: Any) -> BitVectorLanes:
        f = self.formulas
        truth = f.negated(f.make("=", self.lanes[0], self._number(0)))
        return BitVectorLanes(f, tuple(f.make("ite", truth, a, b) for a, b in n._zip(m)), n.type)

    def _float(self, word: FloatWord, others: tuple[Any, ...],
               type_: ElementType) -> tuple[BitVectorLanes, BitVectorLanes]:
        raise NoFormula(f"the floating word {word.name} has no formula over bits")


class TermFormulas:
    """What terms of a pool mean in bits.

    opaque      products are unknowns of their own, of which bounds and signs are known: what holds so, holds
    variables   {name of an input: its formula}, of those that were met
    bounds      truths of one bit: inputs are within their bounds, and what is known of products
    products    whether there are any that are unknowns
    """

    def __init__(self, pool: TermPool, formulas: FormulaBuilder, opaque: bool = False) -> None:
        self.pool, self.formulas, self.opaque, self.products = pool, formulas, opaque, False
        self.variables: dict[tuple[Any, ...], Bits] = {}
        self.bounds: list[Bits] = []
        self._put_together: dict[tuple[int, ...], list[Term]] = {}  # monomial -> terms of several parts that have it
        self._values: dict[int, tuple[Bits, bool]] = {}  # of a variable, as an integer: (formula, is it signed)

    def get(self, terms: list[Term]) -> list[Bits]:
        """Formulas as wide as the terms. Raises NoFormula for words that have none."""
        self._put_together = {}
        for term in self.pool.composites():
            if any(len(part.polynomial) >= len(term.polynomial) for part in self.pool.parts(term)):
                continue  # beside nothing but zeros
            for monomial in term.polynomial:
                self._put_together.setdefault(monomial, []).append(term)
        for number in self.pool.variables_of(terms):
            if number not in self._values:
                self._values[number] = self._value(number)
        return [self._term(t) for t in terms]

    def _term(self, term: Term) -> Bits:
        return self._modulo(term.polynomial, term.bits)

    def _modulo(self, polynomial: Polynomial, bits: int) -> Bits:
        f = self.formulas
        whole, left = f.number(0, bits), dict(polynomial)
        for term in sorted({t for monomial in left for t in self._put_together.get(monomial, ())},
                           key=lambda t: len(t.polynomial), reverse=True):
            # Bytes side by side are no sum for a solver, if there is the same multiple of all of them.
            first, one = next(iter(term.polynomial.items()))
            times = left.get(first, 0) // one
            if times and all(left.get(m) == c * times for m, c in term.polynomial.items()):
                whole = f.make("bvadd", whole, self._times(times, f.extend(self._side_by_side(term), bits, False)))
                left = {m: c for m, c in left.items() if m not in term.polynomial}
        for monomial, c in left.items():
            whole = f.make("bvadd", whole, self._product(monomial, c, bits))
        return whole

    def _product(self, monomial: tuple[int, ...], c: int, bits: int) -> Bits:
        f = self.formulas
        truths = [n for n in monomial if self._is_truth(n)]
        rest = tuple(n for n in monomial if not self._is_truth(n))
        if self.opaque and (len(rest) > 1 or (rest and abs(c).bit_count() > 1)):
            times = 1 if len(rest) > 1 else abs(c)
            product = self._times(c // times, f.extend(self._unknown(rest, times), bits, True))
        else:
            product = f.number(1, bits)
            for number in rest:
                value, signed = self._values[number]
                product = f.make("bvmul", product, f.extend(value, bits, signed))
            product = self._times(c, product)
        for number in truths:
            product = f.make("ite", f.extract(self._values[number][0], 0, 1), product, f.number(0, bits))
        return product

    def _is_truth(self, number: int) -> bool:
        v = self.pool.variable_numbered(number)
        return v.low == 0 and v.high == 1

    def _unknown(self, monomial: tuple[int, ...], times: int) -> Bits:
        """A product of which is known: its bounds, and its sign if one factor alone decides that."""
        f, self.products = self.formulas, True
        name = ("product", monomial, times)
        low, high = self.pool.bounds({monomial: times})
        if name in self.variables:
            return self.variables[name]
        n = self._input(name, min(low, -1), high)
        signs = [number for number in monomial if self.pool.variable_numbered(number).low <= 0]
        if len(signs) == 1 and monomial.count(signs[0]) == 1:
            value, signed = self._values[signs[0]]
            bits = value.bits + 1
            value = f.extend(value, bits, signed)
            for one, other in ((f.less_than(n, f.number(0, n.bits), True), f.less_than(value, f.number(0, bits), True)),
                               (f.make("=", n, f.number(0, n.bits)), f.make("=", value, f.number(0, bits)))):
                self.bounds.append(f.make("=", one, other))
        return n

    def _times(self, c: int, n: Bits) -> Bits:
        f = self.formulas
        if abs(c).bit_count() == 1:
            n, by = f.make("bvneg", n) if c < 0 else n, abs(c).bit_length() - 1
            return n if by == 0 else f.make("bvshl", n, f.number(by, n.bits)) if by < n.bits else f.number(0, n.bits)
        return f.make("bvmul", f.number(c, n.bits), n)

    def _side_by_side(self, term: Term) -> Bits:
        low, *rest = (self._term(part) for part in self.pool.parts(term))
        for part in rest:
            low = self.formulas.make("concat", part, low)
        return low

    def _exact(self, polynomial: Polynomial) -> Bits:
        """Signed, as wide as its bounds need."""
        return self._modulo(polynomial, _width(*self.pool.bounds(polynomial)))

    def _value(self, number: int) -> tuple[Bits, bool]:
        f, v = self.formulas, self.pool.variable_numbered(number)
        op, a, signed = v.op, v.args, v.low < 0
        if op == "input":
            return self._input(a, v.low, v.high), signed
        if op == "value":
            return self._term(a[0]), a[1] == "s"
        if op == "bits":
            return f.extract(self._term(a[0]), a[1], a[2]), False
        if op == "clamp":
            value = self._exact(self.pool.integer(a[2]))
            bits = max(value.bits, _width(a[0], a[1]))
            value, low, high = f.extend(value, bits, True), f.number(a[0], bits), f.number(a[1], bits)
            value = f.make("ite", f.less_than(value, low, True), low,
                           f.make("ite", f.less_than(high, value, True), high, value))
            return value, True
        if op == "shift":
            value = self._exact(self.pool.integer(a[0]))
            by = min(a[1], value.bits - 1)
            return f.extract(value, by, value.bits - by), True
        if op == "negative":
            value = self._exact(self.pool.integer(a[0]))
            return f.extract(value, value.bits - 1, 1), False
        if op == "zero":
            return f.make("=", self._term(a[0]), f.number(0, a[0].bits)), False
        if op == "and":
            return f.make("bvand", self._term(a[0]), self._term(a[1])), False
        name, detail, given, type_, result = a
        lanes = [BitVectorLanes(f, (self._term(t),), kind) for t, kind in given]
        made = applied(name, detail, lanes)[result]
        return made.lanes[0], type_.kind == "s"

    def _input(self, name: tuple[Any, ...], low: int, high: int) -> Bits:
        f, bits = self.formulas, _width(low, high) if low < 0 else max(high.bit_length(), 1)
        n = self.variables[name] = f.variable(name, bits)
        wide = f.extend(n, bits + 1, low < 0)
        for truth in (f.less_than(wide, f.number(low, bits + 1), True),
                      f.less_than(f.number(high, bits + 1), wide, True)):
            full = (low, high) == ((-(1 << bits - 1), (1 << bits - 1) - 1) if low < 0 else (0, (1 << bits) - 1))
            if not full:
                self.bounds.append(f.negated(truth))
        return n


def different(read: TermFormulas, pairs: list[tuple[Term, Term]]) -> list[Bits]:
    """Truths for a solver: at least one pair differs, and inputs are within their bounds."""
    f = read.formulas
    sides = [read.get([pair[i] for pair in pairs]) for i in (0, 1)]
    some = f.number(0, 1)
    for a, b in zip(*sides, strict=True):
        some = f.make("bvor", some, f.negated(f.make("=", a, b)))
    return [*read.bounds, some]


def _width(low: int, high: int) -> int:
    """Bits that signed integers from low to high need."""
    return max(((-1 - low) if low < 0 else low).bit_length(), ((-1 - high) if high < 0 else high).bit_length()) + 1
