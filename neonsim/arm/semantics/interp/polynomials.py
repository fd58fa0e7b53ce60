"""The term reading: each lane is an integer polynomial modulo 2**bits, equal lanes are one and the same object.

An unknown lane is a variable with bounds. Sums, differences, products and shifts to the left keep a lane a
polynomial; so does widening where bounds prove that nothing has wrapped. Anything else (what clamps, shifts to the
right, compares, rounds) becomes a variable of its own, named by the word and by the canonical form of what it is
applied to: the same word on the same polynomials gives the same variable, in whatever order they were summed up. So
two computations whose lanes end as one object are equal for all data; if they do not, nothing is said.

Every word is accepted. A word without a rule here becomes a named variable (`TermPool.word`). The numpy reading
computes it where all its arguments are numbers, and in `TermPool.evaluate`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any
from weakref import WeakValueDictionary

from neonsim.arm.semantics.float_formats import DN, FZ, STEPWISE
from neonsim.arm.semantics.softfloat import FloatWord
from neonsim.arm.semantics.types import ElementType, element
from neonsim.arm.semantics.vocabulary import Lanes

from .numpy_lanes import NumpyLanes

__all__ = ["Polynomial", "PolynomialLanes", "Term", "TermPool", "Variable", "applied"]

_U8 = element("u", 8)
Polynomial = dict[tuple[int, ...], int]  # monomial (numbers of variables, ascending) -> coefficient
Bounds = tuple[int, int]
MAX_MONOMIALS = 20_000  # of a product; one that would have more is a variable


class Term:
    """One value modulo 2**bits; made by a `TermPool` only, once for each value while a reference to it exists.

    polynomial   its canonical form: coefficients from -2**(bits-1) to 2**(bits-1) - 1, none of them 0
    key          sum of the hashes of its monomials: equal terms have equal ones
    """

    __slots__ = ("__weakref__", "_bounds", "bits", "key", "number", "polynomial", "pool")

    def __init__(self, pool: TermPool, number: int, bits: int, key: int, polynomial: Polynomial) -> None:
        self.pool, self.number, self.bits, self.key, self.polynomial = pool, number, bits, key, polynomial
        self._bounds: Bounds | None = None

    @property
    def constant(self) -> int | None:
        """The value, from 0 to 2**bits - 1, if it is the same whatever the variables are."""
        if not self.polynomial:
            return 0
        if len(self.polynomial) == 1 and () in self.polynomial:
            return self.polynomial[()] & (1 << self.bits) - 1
        return None

    @property
    def bounds(self) -> Bounds:
        """Of the canonical polynomial as an integer."""
        if self._bounds is None:
            self._bounds = self.pool.bounds(self.polynomial)
        return self._bounds

    def __repr__(self) -> str:
        return f"<{self.bits} bits: {self.pool.text(self.polynomial)}>"


class Variable:
    """A value of its own: an input (op "input"), or an operation that no polynomial says."""

    __slots__ = ("args", "high", "low", "op")

    def __init__(self, op: str, args: tuple[Any, ...], low: int, high: int) -> None:
        self.op, self.args, self.low, self.high = op, args, low, high


class TermPool:
    """All terms of one proof: what is equal here is the same object. Lanes of two pools must not meet.

    ordinary   numbers in floating point count as neither denormal nor NaN: rules that say what becomes of these make
               no difference
    """

    def __init__(self, ordinary: bool = False) -> None:
        self.ordinary = ordinary
        self._terms: WeakValueDictionary[tuple[int, int, int], Term] = WeakValueDictionary()
        self._alike: list[Term] = []    # different terms of one key: they stay
        self._made = 0
        self._variables: list[Variable] = []
        self._numbers: dict[tuple[Any, ...], int] = {}
        self._integers: dict[frozenset[Any], tuple[int, Polynomial]] = {}
        self._by_number: dict[int, Polynomial] = {}
        self._cut: set[Term] = set()
        self._parts: dict[Term, tuple[Term, ...]] = {}  # what a term was put together from, lowest first

    # -- making
    def make(self, bits: int, polynomial: Polynomial) -> Term:
        """Return the term of this polynomial modulo 2**bits."""
        half, mask = 1 << bits - 1, (1 << bits) - 1
        reduced = {monomial: (c + half & mask) - half for monomial, c in polynomial.items() if c & mask}
        key = sum([hash((monomial, c & mask)) for monomial, c in reduced.items()])
        found = self._one(bits, key, reduced)
        if reduced != polynomial and any(m and reduced.get(m, 0) != c for m, c in polynomial.items()):
            self._cut.add(found)
        return found

    def _one(self, bits: int, key: int, polynomial: Polynomial) -> Term:
        """The term of a canonical polynomial: that of before, if its key and then its monomials are the same."""
        number = 0
        while (found := self._terms.get((bits, key, number))) is not None:
            if found.polynomial == polynomial:
                return found
            self._alike.append(found)
            number += 1
        self._terms[bits, key, number] = found = Term(self, self._made, bits, key, polynomial)
        self._made += 1
        if number:
            self._alike.append(found)
        return found

    def is_truncated(self, term: Term) -> bool:
        """Return whether a coefficient was too large for its bits when a term was made: it is no sum of integers
        then."""
        return term in self._cut

    def number(self, value: int, bits: int) -> Term:
        return self.make(bits, {(): value})

    def variable(self, name: tuple[Any, ...], type_: ElementType, bounds: Bounds | None = None) -> Term:
        """Return an input, the same one for the same name; within bounds, else any value of its type."""
        low, high = bounds or (type_.low, type_.high)
        return self.make(type_.bits, self._new("input", name, low, high))

    def unnamed(self, type_: ElementType) -> Term:
        """Return an input that is no other one."""
        return self.variable(("unnamed", len(self._variables)), type_)

    def choice(self, term: Term) -> tuple[Term, int, int] | None:
        """(truth, n, m) of a term that is the number n where truth is other than 0, else the number m."""
        if len(term.polynomial) != 1:
            return None
        (monomial, c), = term.polynomial.items()
        v = self._variables[monomial[0]] if len(monomial) == 1 and c == 1 else None
        if v is None or v.op != "word" or v.args[0] != "_choose":
            return None
        (truth, _), (n, _), (m, _) = v.args[2]
        return None if n.constant is None or m.constant is None else (truth, n.constant, m.constant)

    def _new(self, op: str, args: tuple[Any, ...], low: int, high: int) -> Polynomial:
        key = (op, *args)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._variables)
            self._variables.append(Variable(op, args, low, high))
        return {(number,): 1}

    def _integer(self, polynomial: Polynomial) -> tuple[int, Polynomial]:
        """(a number that only this polynomial has, the polynomial): of integers, not modulo anything."""
        key = frozenset(polynomial.items())
        return self._integers.setdefault(key, (len(self._integers), polynomial))

    # -- bounds and values
    def bounds(self, polynomial: Polynomial) -> Bounds:
        """Return what the integer polynomial cannot leave."""
        least = most = 0
        for monomial, c in polynomial.items():
            low = high = c
            for number in monomial:
                v = self._variables[number]
                ends = low * v.low, low * v.high, high * v.low, high * v.high
                low, high = min(ends), max(ends)
            least, most = least + low, most + high
        return least, most

    def value(self, term: Term, kind: str) -> Polynomial:
        """Return the integer that the bits mean, read as signed ("s") or as unsigned: exact, or a variable."""
        size = 1 << term.bits
        low = -(size >> 1) if kind == "s" else 0
        least, most = term.bounds
        turns = (least - low) // size
        if most - turns * size < low + size:
            return term.polynomial if turns == 0 else _sum(term.polynomial, {(): -turns * size})
        if kind != "s":  # once more with no coefficient negative: of one bit, 1 and -1 are the same
            upward = {monomial: c % size for monomial, c in term.polynomial.items()}
            least, most = self.bounds(upward)
            if least >= 0 and most < size:
                return upward
        return self._new("value", (term, "s" if kind == "s" else "u"), low, low + size - 1)

    # -- arithmetic
    def times(self, a: Term, b: Term) -> Term:
        if len(a.polynomial) * len(b.polynomial) > MAX_MONOMIALS:
            a, b = (self.make(x.bits, self.value(x, "u") if len(x.polynomial) == 1 else
                              self._new("value", (x, "u"), 0, (1 << x.bits) - 1)) for x in (a, b))
        made: Polynomial = {}
        for m, c in a.polynomial.items():
            for n, d in b.polynomial.items():
                key = tuple(sorted(m + n)) if m and n else m or n
                made[key] = made.get(key, 0) + c * d
        return self.make(a.bits, made)

    def plus(self, a: Term, b: Term, sign: int = 1) -> Term:
        """a + b, or a - b with sign -1; of a the monomials that b does not have are only copied."""
        half, mask = 1 << a.bits - 1, (1 << a.bits) - 1
        made, key, cut = dict(a.polynomial), a.key, False
        before: Polynomial = {}
        after: Polynomial = {}
        for monomial, c in b.polynomial.items():
            old = made.get(monomial, 0)
            exact = old + sign * c
            now = (exact + half & mask) - half
            cut |= now != exact and monomial != ()
            if old:
                before[monomial] = old
                key -= hash((monomial, old & mask))
            if now:
                made[monomial] = after[monomial] = now
                key += hash((monomial, now & mask))
            elif old:
                del made[monomial]
        found = self._one(a.bits, key, made)
        if found._bounds is None and a._bounds is not None:
            (low, high), (least, most) = self.bounds(before), self.bounds(after)
            found._bounds = a._bounds[0] - low + least, a._bounds[1] - high + most
        if cut:
            self._cut.add(found)
        return found

    def narrow(self, term: Term, bits: int) -> Term:
        """Return the lowest bits."""
        if bits == term.bits:
            return term
        if term in self._parts and bits % self._parts[term][0].bits == 0:
            return self.concat(self._parts[term][:bits // self._parts[term][0].bits])
        made: Polynomial = {}
        for monomial, c in term.polynomial.items():
            factors: Polynomial = {(): c}
            for number in monomial:
                v = self._variables[number]
                plain: Polynomial = {(number,): 1}
                if v.op == "value" and v.args[0].bits >= bits:  # modulo so little it is what it was made of
                    plain = self.narrow(v.args[0], bits).polynomial
                factors = _product(factors, plain)
            made = _sum(made, factors)
        return self.make(bits, made)

    def part(self, term: Term, low: int, bits: int) -> Term:
        """Bits ``low`` ... of a term."""
        if low == 0:
            return self.narrow(term, bits)
        if term.constant is not None:
            return self.number(term.constant >> low, bits)
        parts = self._parts.get(term)
        if parts:
            size = parts[0].bits
            first, inside = divmod(low, size)
            if inside == 0 and bits % size == 0:
                return self.concat(parts[first:first + bits // size])
            if inside + bits <= size:
                return self.part(parts[first], inside, bits)
        least, most = self.bounds(self.value(term, "u"))
        if least >> low == most >> low:
            return self.number(least >> low, bits)
        return self.make(bits, self._new("bits", (term, low, bits), 0, (1 << bits) - 1))

    def concat(self, parts: tuple[Term, ...]) -> Term:
        """Terms side by side, the lowest first."""
        if len(parts) == 1:
            return parts[0]
        size, total = parts[0].bits, sum(p.bits for p in parts)
        whole = self._cut_from(parts[-1], total)
        if whole is not None and all(self.part(whole, i * size, size) is p for i, p in enumerate(parts)):
            return whole
        made: Polynomial = {}
        for i, p in enumerate(parts):
            made = _sum(made, self.value(p, "u"), 1 << i * size)
        term = self.make(total, made)
        if term.constant is None:
            self._parts.setdefault(term, parts)
        return term

    def _cut_from(self, part: Term, bits: int) -> Term | None:
        """The term of n bits whose highest part this is."""
        monomials = list(part.polynomial.items())
        if len(monomials) == 1 and len(monomials[0][0]) == 1 and monomials[0][1] == 1:
            v = self._variables[monomials[0][0][0]]
            if v.op == "bits" and v.args[0].bits == bits and v.args[1] == bits - part.bits:
                found: Term = v.args[0]
                return found
        return None

    def sum(self, a: Polynomial, b: Polynomial) -> Polynomial:
        """Of integers: nothing wraps."""
        return _sum(a, b)

    def product(self, a: Polynomial, b: Polynomial) -> Polynomial:
        """Of integers: nothing wraps."""
        return {monomial: c for monomial, c in _product(a, b).items() if c}

    # -- what no polynomial says
    def clamp(self, polynomial: Polynomial, low: int, high: int) -> Polynomial:
        least, most = self.bounds(polynomial)
        if low <= least and most <= high:
            return polynomial
        if least >= high or most <= low:
            return {(): high if least >= high else low}
        return self._new("clamp", (low, high, self._integer(polynomial)[0]), max(low, least), min(high, most))

    def shifted(self, polynomial: Polynomial, bits: int) -> Polynomial:
        """Return the integer shifted right: what 2**by divides goes out of the rounding, after what all have in
        common."""
        common = min([bits, *((c & -c).bit_length() - 1 for c in polynomial.values())])
        if common:
            polynomial, bits = {m: c >> common for m, c in polynomial.items()}, bits - common
        whole: Polynomial = {m: c >> bits for m, c in polynomial.items() if c >> bits}
        rest: Polynomial = {m: c & (1 << bits) - 1 for m, c in polynomial.items() if c & (1 << bits) - 1}
        least, most = (end >> bits for end in self.bounds(rest))
        if least == most:
            return _sum(whole, {(): least} if least else {})
        least, most = (end >> bits for end in self.bounds(polynomial))
        if whole and not (len(polynomial) == 1 or whole.keys() <= {()}):
            # Bounds of the whole are tighter than those of its pieces.
            return self._new("shift", (self._integer(polynomial)[0], bits), least, most)
        least, most = (end >> bits for end in self.bounds(rest))
        return _sum(whole, self._new("shift", (self._integer(rest)[0], bits), least, most))

    def bitwise_and(self, a: Term, b: Term) -> Term:
        """Bitwise and; or, exclusive or and the like are made of it."""
        if a is b:
            return a
        if b.constant is None:
            a, b = b, a
        mask = b.constant
        if mask is not None:
            if a.constant is not None:
                return self.number(a.constant & mask, a.bits)
            if mask == (1 << a.bits) - 1:
                return a
            runs = _runs(mask)
            if len(runs) <= 8:
                made: Polynomial = {}
                for low, size in runs:
                    made = _sum(made, self.value(self.part(a, low, size), "u"), 1 << low)
                return self.make(a.bits, made)
        a, b = sorted((a, b), key=lambda t: t.number)
        return self.make(a.bits, self._new("and", (a, b), 0, (1 << a.bits) - 1))

    def less_than(self, n: Polynomial, m: Polynomial) -> Polynomial:
        """1 if n < m, else 0."""
        difference = _sum(n, m, -1)
        least, most = self.bounds(difference)
        if most < 0 or least >= 0:
            return {(): 1} if most < 0 else {}
        return self._new("negative", (self._integer(difference)[0],), 0, 1)

    def equal(self, n: Term, m: Term) -> Polynomial:
        """1 if both are the same, else 0."""
        difference = self.plus(n, m, -1)
        least, most = self.bounds(self.value(difference, "s"))
        if difference.constant is not None or not least <= 0 <= most:
            return {} if difference.constant else {(): 1} if difference.constant == 0 else {}
        opposite = self.plus(m, n, -1)
        return self._new("zero", (min(difference, opposite, key=lambda t: t.number),), 0, 1)

    def word(self, name: str, detail: tuple[Any, ...], arguments: tuple[tuple[Term, ElementType], ...],
             type_: ElementType, result: int = 0) -> Term:
        """Return a word of the vocabulary, by its name: ``detail`` is what it takes besides lanes, ``result`` which
        one of several it is."""
        return self.make(type_.bits, self._new("word", (name, detail, arguments, type_, result), type_.low, type_.high))

    # -- values
    def evaluate(self, terms: list[Term], inputs: Mapping[tuple[Any, ...], int]) -> list[int]:
        """Their values, unsigned, for these values of the inputs by name."""
        by_number = dict(self._integers.values())
        found: dict[int, int] = {}
        for n in self.variables_of(terms):
            found[n] = self._compute(self._variables[n], found, by_number, inputs)
        return [_at(t.polynomial, found) & (1 << t.bits) - 1 for t in terms]

    def variables_of(self, terms: list[Term]) -> list[int]:
        """Return the numbers of all variables that terms are made of, what each is made of before it."""
        needed: set[int] = set()
        waiting = [n for t in terms for m in t.polynomial for n in m]
        by_number = dict(self._integers.values())
        while waiting:
            n = waiting.pop()
            if n not in needed:
                needed.add(n)
                waiting += self._inside(self._variables[n], by_number)
        return sorted(needed)  # a variable is made after what it is made of

    def input_bounds(self, name: tuple[Any, ...]) -> Bounds:
        """Of an input, which was made before."""
        v = self._variables[self._numbers[("input", *name)]]
        return v.low, v.high

    def variable_numbered(self, number: int) -> Variable:
        return self._variables[number]

    def parts(self, term: Term) -> tuple[Term, ...]:
        """Return what a term was put together from, lowest first; itself if it was not."""
        return self._parts.get(term, (term,))

    def composites(self) -> Iterator[Term]:
        """All terms of several parts."""
        return iter(tuple(self._parts))

    def integer(self, number: int) -> Polynomial:
        """Return the integer polynomial that a clamp, a shift or a comparison names by this number."""
        if number not in self._by_number:
            self._by_number = dict(self._integers.values())
        return self._by_number[number]

    def _inside(self, v: Variable, integers: Mapping[int, Polynomial]) -> list[int]:
        polynomials = [a.polynomial for a in v.args if isinstance(a, Term)]
        if v.op in ("clamp", "shift", "negative"):
            polynomials.append(integers[v.args[2 if v.op == "clamp" else 0]])
        elif v.op == "word":
            polynomials += [t.polynomial for t, _ in v.args[2]]
        return [n for polynomial in polynomials for m in polynomial for n in m]

    def _compute(self, v: Variable, found: dict[int, int], integers: Mapping[int, Polynomial],
                 inputs: Mapping[tuple[Any, ...], int]) -> int:
        a: Any = v.args
        if v.op == "input":
            return int(inputs[a])
        if v.op == "value":
            return _wrapped(_at(a[0].polynomial, found), a[0].bits, a[1])
        if v.op == "bits":
            return _wrapped(_at(a[0].polynomial, found), a[0].bits, "u") >> int(a[1]) & (1 << int(a[2])) - 1
        if v.op == "clamp":
            return int(min(max(_at(integers[a[2]], found), a[0]), a[1]))
        if v.op == "shift":
            return int(_at(integers[a[0]], found) >> a[1])
        if v.op == "negative":
            return int(_at(integers[a[0]], found) < 0)
        if v.op == "zero":
            return int(_wrapped(_at(a[0].polynomial, found), a[0].bits, "u") == 0)
        if v.op == "and":
            return _wrapped(_at(a[0].polynomial, found) & _at(a[1].polynomial, found), a[0].bits, "u")
        name, detail, given, type_, result = a
        lanes = [NumpyLanes.from_integers([kind.wrap(_at(t.polynomial, found))], kind) for t, kind in given]
        return _number(applied(name, detail, lanes)[result], type_)

    def text(self, polynomial: Polynomial) -> str:
        """Return the polynomial, its variables by their names."""
        def named(number: int) -> str:
            v = self._variables[number]
            return ".".join(map(str, v.args)) if v.op == "input" else f"{v.op}#{number}"
        rows = [" * ".join([*([str(c)] if c != 1 or not m else []), *map(named, m)]) for m, c in polynomial.items()]
        return " + ".join(rows[:12]) + (f" + {len(rows) - 12} more" if len(rows) > 12 else "") or "0"

    def float_rules(self) -> set[int]:
        """By which rules anything was rounded here (`float_formats`)."""
        return {v.args[1][0].rules for v in self._variables if v.op == "word" and v.args[0] == "_float"}

    def inputs(self, term: Term) -> set[tuple[Any, ...]]:
        """Return the names of all inputs that it is made of."""
        by_number, names, seen = dict(self._integers.values()), set(), set()
        waiting = [n for m in term.polynomial for n in m]
        while waiting:
            n = waiting.pop()
            if n in seen:
                continue
            seen.add(n)
            v = self._variables[n]
            if v.op == "input":
                names.add(v.args)
            waiting += self._inside(v, by_number)
        return names


def _sum(a: Polynomial, b: Polynomial, factor: int = 1) -> Polynomial:
    made = dict(a)
    for monomial, c in b.items():
        now = made.get(monomial, 0) + factor * c
        if now:
            made[monomial] = now
        else:
            made.pop(monomial, None)
    return made


def _product(a: Polynomial, b: Polynomial) -> Polynomial:
    made: Polynomial = {}
    for m, c in a.items():
        for n, d in b.items():
            key = tuple(sorted(m + n))
            made[key] = made.get(key, 0) + c * d
    return made


def _at(polynomial: Polynomial, values: Mapping[int, int]) -> int:
    total = 0
    for monomial, c in polynomial.items():
        for number in monomial:
            c *= values[number]
        total += c
    return total


def _wrapped(value: int, bits: int, kind: str) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if kind == "s" and value >> bits - 1 else value


def _runs(mask: int) -> list[tuple[int, int]]:
    """(lowest bit, how many) of every run of ones."""
    found = []
    while mask:
        low = (mask & -mask).bit_length() - 1
        size = (~(mask >> low) & (mask >> low) + 1).bit_length() - 1
        found.append((low, size))
        mask &= ~((1 << size) - 1 << low)
    return found


def _number(lanes: Any, type_: ElementType) -> int:
    return type_.wrap(int(lanes.array.flat[0]))


def applied(name: str, detail: tuple[Any, ...], lanes: list[Any]) -> tuple[Any, ...]:
    """Return a word of the vocabulary on numbers, by the numpy reading; lanes of one."""
    first, *rest = lanes
    if name == "_float":
        made: Any = first._float(detail[0], tuple(rest), detail[1])
    elif name == "_logic_flags":
        made = first._logic_flags(*rest)
    elif name == "_clamped":
        made = first._join(tuple(rest))._sat(*detail)[1]
    elif name == "_lookup":
        index, otherwise, *table = lanes
        made = (table[0]._join(tuple(table[1:])) if len(table) > 1 else table[0])._lookup(index, otherwise)
    else:
        made = getattr(first, name)(*rest, *detail)
    return made if isinstance(made, tuple) else (made,)


class PolynomialLanes(Lanes):
    """Lanes of terms: ``lanes`` is a tuple of `Term` of one pool, all as wide as ``type``."""

    __slots__ = ("lanes", "pool", "type")

    def __init__(self, pool: TermPool, lanes: tuple[Term, ...], type_: ElementType) -> None:
        self.pool, self.lanes, self.type = pool, lanes, type_

    @classmethod
    def from_integers(cls, pool: TermPool, values: list[int], type_: ElementType) -> PolynomialLanes:
        """Numbers, one a lane."""
        return cls(pool, tuple(pool.number(v, type_.bits) for v in values), type_)

    @classmethod
    def inputs(cls, pool: TermPool, name: str, type_: ElementType, count: int) -> PolynomialLanes:
        """Variables (name, 0), (name, 1) ... of any value."""
        return cls(pool, tuple(pool.variable((name, i), type_) for i in range(count)), type_)

    @property
    def count(self) -> int:
        return len(self.lanes)

    def numbers(self) -> NumpyLanes | None:
        """Return the same lanes in the numpy reading, if all of them are numbers."""
        values = [t.constant for t in self.lanes]
        return None if None in values else NumpyLanes.from_integers([v for v in values if v is not None], self.type)

    def __repr__(self) -> str:
        return f"{self.type}({', '.join(map(repr, self.lanes))})"

    # -- helpers
    def _made(self, lanes: Any, type_: ElementType | None = None) -> PolynomialLanes:
        return PolynomialLanes(self.pool, tuple(lanes), type_ or self.type)

    def _zip(self, other: Any) -> list[tuple[Term, Term]]:
        if not isinstance(other, PolynomialLanes):
            other = PolynomialLanes.from_integers(self.pool, [other], self.type)
        elif other.type.bits != self.type.bits:
            raise TypeError(f"lanes of {self.type} do not match lanes of {other.type}: use wide() or narrow() first")
        n = max(self.count, other.count)
        return list(zip(self.lanes * (n // self.count), other.lanes * (n // other.count), strict=True))

    def _values(self) -> list[Polynomial]:
        return [self.pool.value(t, self.type.kind) for t in self.lanes]

    def _integers(self, polynomials: list[Polynomial], type_: ElementType) -> PolynomialLanes:
        return self._made((self.pool.make(type_.bits, p) for p in polynomials), type_)

    def _word(self, name: str, type_: ElementType, given: tuple[tuple[Term, ElementType], ...],
              *detail: Any, result: int = 0) -> Term:
        """One lane of a word without a rule: a number if it is applied to numbers, else a variable of its name."""
        if all(t.constant is not None for t, _ in given):
            lanes = [NumpyLanes.from_integers([t.constant or 0], kind) for t, kind in given]
            return self.pool.number(_number(applied(name, detail, lanes)[result], type_), type_.bits)
        return self.pool.word(name, detail, given, type_, result)

    # -- operators
    def __add__(self, other: Any) -> PolynomialLanes:
        return self._made(self.pool.plus(a, b) for a, b in self._zip(other))

    def __sub__(self, other: Any) -> PolynomialLanes:
        return self._made(self.pool.plus(a, b, -1) for a, b in self._zip(other))

    def __mul__(self, other: Any) -> PolynomialLanes:
        return self._made(self.pool.times(a, b) for a, b in self._zip(other))

    def __and__(self, other: Any) -> PolynomialLanes:
        return self._made(self.pool.bitwise_and(a, b) for a, b in self._zip(other))

    def __or__(self, other: Any) -> PolynomialLanes:
        plus, both = self.pool.plus, self.pool.bitwise_and
        return self._made(plus(plus(a, b), both(a, b), -1) for a, b in self._zip(other))

    def __xor__(self, other: Any) -> PolynomialLanes:
        pool = self.pool
        return self._made(pool.make(a.bits, _sum(pool.plus(a, b).polynomial, pool.bitwise_and(a, b).polynomial, -2))
                          for a, b in self._zip(other))

    def __invert__(self) -> PolynomialLanes:
        return -self - 1

    def __neg__(self) -> PolynomialLanes:
        return self._made(self.pool.make(t.bits, _sum({}, t.polynomial, -1)) for t in self.lanes)

    def __lshift__(self, by: int) -> PolynomialLanes:
        return self._made(self._left(t, by) for t in self.lanes)

    def _left(self, term: Term, by: int) -> Term:
        pool, parts = self.pool, self.pool._parts.get(term)
        if parts and by % parts[0].bits == 0 and by < term.bits:
            gone = by // parts[0].bits
            return pool.concat((pool.number(0, parts[0].bits),) * gone + parts[:len(parts) - gone])
        return pool.make(term.bits, _sum({}, term.polynomial, 1 << by))

    def __rshift__(self, by: int) -> PolynomialLanes:
        return self._made(self._right(t, by) for t in self.lanes)

    def _right(self, term: Term, by: int) -> Term:
        pool, parts = self.pool, self.pool._parts.get(term)
        if parts and self.type.kind != "s" and by % parts[0].bits == 0 and by < term.bits:
            gone = by // parts[0].bits
            return pool.concat(parts[gone:] + (pool.number(0, parts[0].bits),) * gone)
        return pool.make(term.bits, pool.shifted(pool.value(term, self.type.kind), by))

    def __getitem__(self, lanes: int | slice) -> PolynomialLanes:
        chosen = self.lanes[lanes]
        return self._made(chosen if isinstance(chosen, tuple) else (chosen,))

    # -- words
    def _constants(self, values: tuple[int, ...]) -> PolynomialLanes:
        return PolynomialLanes.from_integers(self.pool, list(values), self.type)

    def _as_kind(self, type_: ElementType) -> PolynomialLanes:
        return self if type_ is self.type else self._made(self.lanes, type_)

    def _view(self, type_: ElementType) -> PolynomialLanes:
        have, want = self.type.bits, type_.bits
        if have == want:
            return self._as_kind(type_)
        if have > want:
            return self._made((self.pool.part(t, low, want) for t in self.lanes for low in range(0, have, want)), type_)
        step = want // have
        return self._made((self.pool.concat(self.lanes[i:i + step]) for i in range(0, self.count, step)), type_)

    def _wide(self) -> PolynomialLanes:
        return self._integers(self._values(), self.type.with_(bits=self.type.bits * 2))

    def _narrow(self) -> PolynomialLanes:
        bits = self.type.bits // 2
        return self._made((self.pool.narrow(t, bits) for t in self.lanes), self.type.with_(bits=bits))

    def _sat(self, type_: ElementType) -> tuple[PolynomialLanes, PolynomialLanes]:
        values = self._values()
        clamped = [self.pool.clamp(p, type_.low, type_.high) for p in values]
        outside = tuple((t, self.type) for t, p, c in zip(self.lanes, values, clamped, strict=True) if p is not c)
        if outside:
            flag = self._word("_clamped", _U8, tuple(sorted(set(outside), key=lambda one: one[0].number)), type_)
        else:
            flag = self.pool.number(0, 8)
        return self._integers(clamped, type_), self._made((flag,), _U8)

    def _join(self, others: tuple[Any, ...]) -> PolynomialLanes:
        return self._made(sum((o.lanes for o in others), self.lanes))

    def _compare(self, relation: str, other: Any) -> PolynomialLanes:
        pool, kind = self.pool, self.type.kind
        made = []
        for a, b in self._zip(other):
            if relation in ("==", "!="):
                truth, inverted = pool.equal(a, b), relation == "!="
            else:
                n, m = pool.value(a, kind), pool.value(b, kind)
                truth, inverted = (pool.less_than(n, m) if relation in ("<", ">=") else pool.less_than(m, n),
                                   relation in (">=", "<="))
            made.append(pool.make(a.bits, _sum({(): -1}, truth) if inverted else _sum({}, truth, -1)))
        return self._made(made, self.type.with_("u"))

    def _select(self, n: Any, m: Any) -> PolynomialLanes:
        pool = self.pool
        made = []
        for mask, (a, b) in zip(self.lanes, n._zip(m), strict=True):
            if a is b or mask.constant in (0, (1 << a.bits) - 1):
                made.append(a if mask.constant else b)
            else:
                given = ((mask, self.type), (a, n.type), (b, n.type))
                made.append(self._word("_select", n.type, given))
        return PolynomialLanes(pool, tuple(made), n.type)

    def _shift_by(self, by: Any, rounding: bool) -> PolynomialLanes:
        made = []
        for a, b in self._zip(by):
            amount = self.pool.narrow(b, 8)
            known = amount.constant
            if known is None:
                made.append(self._word("_shift_by", self.type, ((a, self.type), (self.pool.make(
                    self.type.bits, self.pool.value(amount, "s")), self.type.with_("s"))), rounding))
                continue
            known = (known ^ 128) - 128
            if known >= 0:
                made.append(self._left(a, known))
            elif not rounding:
                made.append(self._right(a, -known))
            else:
                value = _sum(self.pool.value(a, self.type.kind), {(): 1 << -known - 1})
                made.append(self.pool.make(a.bits, self.pool.shifted(value, -known)))
        return self._made(made)

    def _total(self) -> PolynomialLanes:
        total = self.lanes[0]
        for t in self.lanes[1:]:
            total = self.pool.plus(total, t)
        return self._made((total,))

    def _pairwise(self, name: str, other: Any, type_: ElementType) -> PolynomialLanes:
        return self._made((self._word(name, type_, ((a, self.type), (b, self.type))) for a, b in self._zip(other)),
                          type_)

    def _carryless(self, other: Any) -> PolynomialLanes:
        return self._pairwise("_carryless", other, self.type.with_(bits=self.type.bits * 2))

    def _quotient(self, other: Any) -> PolynomialLanes:
        return self._pairwise("_quotient", other, self.type)

    def _of_bits(self, word: str) -> PolynomialLanes:
        return self._made(self._word("_of_bits", self.type, ((t, self.type),), word) for t in self.lanes)

    def _derived(self, word: str, made_of: Callable[[Any], Any]) -> PolynomialLanes:
        return self._made(self._word("_derived", self.type, ((t, self.type),), word, made_of) for t in self.lanes)

    def _lookup(self, index: Any, otherwise: Any) -> PolynomialLanes:
        table = tuple((t, self.type) for t in self.lanes)
        made = []
        for i, default in zip(index.lanes, otherwise.lanes * (index.count // otherwise.count), strict=True):
            at = i.constant
            if at is not None:
                made.append(self.lanes[at] if at < self.count else default)
            else:
                made.append(self._word("_lookup", self.type, ((i, index.type), (default, self.type), *table)))
        return self._made(made)

    def _add_flags(self, other: Any, carry: Any) -> tuple[PolynomialLanes, PolynomialLanes]:
        c = carry.lanes[0] if isinstance(carry, PolynomialLanes) else self.pool.number(carry, 8)
        (a, b), = self._zip(other)
        value = self.pool.plus(self.pool.plus(a, b), self.pool.make(a.bits, self.pool.value(c, "u")))
        flags = self._word("_add_flags", _U8, ((a, self.type), (b, self.type), (c, _U8)), result=1)
        return self._made((value,)), self._made((flags,), _U8)

    def _logic_flags(self, carry: Any, nzcv: Any) -> PolynomialLanes:
        zero = self.pool.number(0, 8)
        rest = [zero if one is None else one.lanes[0] for one in (carry, nzcv)]
        flags = self._word("_logic_flags", _U8, ((self.lanes[0], self.type), (rest[0], _U8), (rest[1], _U8)))
        return self._made((flags,), _U8)

    def _holds(self, condition: str) -> PolynomialLanes:
        return self._made((self._word("_holds", _U8, ((self.lanes[0], _U8),), condition),), _U8)

    def _choose(self, n: Any, m: Any) -> PolynomialLanes:
        truth = self.lanes[0]
        if truth.constant is not None:
            return n if truth.constant else m  # type: ignore[no-any-return]
        return PolynomialLanes(self.pool, tuple(a if a is b else self._word(
            "_choose", n.type, ((truth, self.type), (a, n.type), (b, n.type))) for a, b in n._zip(m)), n.type)

    def _float(self, word: FloatWord, others: tuple[Any, ...],
               type_: ElementType) -> tuple[PolynomialLanes, PolynomialLanes]:
        if self.pool.ordinary:
            # Steps of Newton's method are rounded otherwise in AArch32, ordinary numbers or not.
            kept = STEPWISE if word.name in ("recps", "rsqrts") else 0
            word = word.with_rules(word.rules & (~(FZ | DN | STEPWISE) | kept))
        count = max(lanes.count for lanes in (self, *others))
        columns = [[(t, x.type) for t in x.lanes * (count // x.count)] for x in (self, *others)]
        given = list(zip(*columns, strict=True))
        made = [self._word("_float", type_, one, word, type_) for one in given]
        flags = self._made((self.pool.number(0, 8),), _U8)
        for one in dict.fromkeys(given):
            flags = flags | self._made((self._word("_float", _U8, one, word, type_, result=1),), _U8)
        return self._made(made, type_), flags
