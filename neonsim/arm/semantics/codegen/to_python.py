"""The source-text reading as Python: every lane an integer in a local variable.

Lanes are exact integers in the range of their type. Sums and products may run past it inside one expression: they are
brought back when the value is read (`exact`), not after every step (`loose`: right modulo the lane width).
Intervals are carried along, so that what cannot leave its range is not brought back at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

from neonsim.arm.semantics.float_formats import LiveRules
from neonsim.arm.semantics.interp.host_float import quick_named
from neonsim.arm.semantics.types import ElementType
from neonsim.arm.semantics.vocabulary import condition_bits

from .dag import DEEP, DagNode, pick, resting

__all__ = ["HELPERS", "IntervalTerm", "PythonWriter", "interval"]

MAX_LENGTH = 300  # characters of one expression, before a part of it gets a name


class IntervalTerm(NamedTuple):
    """An expression and the interval its value lies in. ``atom``: a name, a number or something in brackets."""

    text: str
    low: int
    high: int
    atom: bool = False

    @property
    def inner(self) -> str:
        return self.text if self.atom else f"({self.text})"


def _shift(value: int, by: int) -> int:
    by = (by & 255 ^ 128) - 128
    return value << by if by >= 0 else value >> -by


def _shift_rounded(value: int, by: int) -> int:
    by = (by & 255 ^ 128) - 128
    return value << by if by >= 0 else value + (1 << -by - 1) >> -by


def _carryless(n: int, m: int) -> int:
    result = 0
    while m:
        if m & 1:
            result ^= n
        n, m = n << 1, m >> 1
    return result


def _quotient(n: int, m: int) -> int:
    return 0 if m == 0 else abs(n) // abs(m) * (1 if (n < 0) == (m < 0) else -1)


def _mirror(n: int, bits: int) -> int:
    return int(f"{n:0{bits}b}"[::-1], 2)


def _sum_flags(n: int, m: int, carry: int, bits: int) -> int:
    full = n + m + carry
    value = full & (1 << bits) - 1
    return (value >> bits - 1 << 3 | (value == 0) << 2 | full >> bits << 1
            | ((n ^ value) & (m ^ value)) >> bits - 1)


# What the text refers to.
HELPERS: dict[str, Any] = {"_shift": _shift, "_shift_rounded": _shift_rounded, "_carryless": _carryless,
                           "_mirror": _mirror, "_quotient": _quotient, "_sum_flags": _sum_flags,
                           "_float": quick_named}


class PythonWriter:
    """Writes nodes as statements; ``lines`` grows, names are never used twice.

    name_lane   how a name and a lane make a variable: name "v8" lane 2 -> "v8_2"
    relations   those that the language spells otherwise than Python
    """

    relations: ClassVar[Mapping[str, str]] = {}

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._exact: dict[tuple[int, int], IntervalTerm] = {}
        self._loose: dict[tuple[int, int], IntervalTerm] = {}
        self._texts: dict[str, str] = {}
        self._tables: dict[int, str] = {}
        self._outcomes: dict[tuple[int, int], str] = {}
        self._keep: list[DagNode] = []
        self._next = 0

    def fresh(self) -> str:
        self._next += 1
        return f"t{self._next}"

    def materialize(self, node: DagNode) -> None:
        """Compute all lanes here, into variables: what is built on them begins anew."""
        for i in range(node.count):
            term = self._atom(self.exact(node, i))
            source, lane = pick(node, i)
            self._keep.append(source)
            self._exact[id(source), lane] = term
            source.depth = 0
        node.depth = 0

    def _rest(self, node: DagNode) -> None:
        for one in resting(node):
            self.materialize(one)

    @staticmethod
    def variable(name: str, lane: int) -> str:
        return f"{name}_{lane}"

    # -- values
    def exact(self, node: DagNode, lane: int) -> IntervalTerm:
        """Return the value, in the range of its type."""
        node, lane = pick(node, lane if node.count > 1 else 0)
        if node.depth > DEEP:
            self._rest(node)
        key = id(node), lane
        found = self._exact.get(key)
        if found is None:
            loose = self._loose_of(node, lane)
            found = self._brought_back(loose, node.type)
            if not found.atom and (node.uses > 1 or len(found.text) > MAX_LENGTH or found.text in self._texts):
                found = self.named(found)
            self._keep.append(node)
            self._exact[key] = found
        return found

    def loose(self, node: DagNode, lane: int) -> IntervalTerm:
        """Return a value that is right modulo the lane width."""
        node, lane = pick(node, lane if node.count > 1 else 0)
        if node.depth > DEEP:
            self._rest(node)
        return self._exact.get((id(node), lane)) or self._loose_of(node, lane)

    def _loose_of(self, node: DagNode, lane: int) -> IntervalTerm:
        key = id(node), lane
        found = self._loose.get(key)
        if found is None:
            found = self._value(node, lane)
            if not found.atom and (node.uses > 1 or len(found.text) > MAX_LENGTH):
                found = self.named(found)
            self._keep.append(node)
            self._loose[key] = found
        return found

    def named(self, term: IntervalTerm) -> IntervalTerm:
        """Return the value in a variable; the same expression is computed once."""
        name = self._texts.get(term.text)
        if name is None:
            name = self._texts[term.text] = self.fresh()
            self.lines.append(f"{name} = {term.text}")
        return IntervalTerm(name, term.low, term.high, True)

    @staticmethod
    def _brought_back(term: IntervalTerm, type_: ElementType) -> IntervalTerm:
        if type_.low <= term.low and term.high <= type_.high:
            return term
        if type_.kind != "s":
            return IntervalTerm(f"{term.inner} & {type_.mask:#x}", 0, type_.mask)
        half = type_.high + 1
        if -half <= term.low and term.high <= type_.mask:  # only the sign is missing
            return IntervalTerm(f"({term.inner} & {type_.mask:#x} ^ {half:#x}) - {half:#x}", type_.low, type_.high)
        return IntervalTerm(f"({term.text} + {half:#x} & {type_.mask:#x}) - {half:#x}" if term.atom else
                            f"(({term.text}) + {half:#x} & {type_.mask:#x}) - {half:#x}", type_.low, type_.high)

    def _unsigned(self, node: DagNode, lane: int) -> IntervalTerm:
        term = self.exact(node, lane)
        return term if term.low >= 0 else IntervalTerm(f"{term.inner} & {node.type.mask:#x}", 0, node.type.mask)

    def _atom(self, term: IntervalTerm) -> IntervalTerm:
        return term if term.atom else self.named(term)

    # -- operations: an expression that is right modulo the lane width
    def _value(self, node: DagNode, lane: int) -> IntervalTerm:
        op, a = node.op, node.args
        if op == "name":
            return IntervalTerm(self.variable(a[0], lane), node.type.low, node.type.high, True)
        if op == "const":
            value = a[lane]
            return IntervalTerm(str(value) if value >= 0 else f"({value})", value, value, True)
        if op in ("+", "-", "*", "&", "|", "^"):
            return interval(op, self.loose(a[0], lane), self.loose(a[1], lane))
        if op in ("kind", "narrow"):
            return self.loose(a[0], lane)
        if op == "wide":
            return self.exact(a[0], lane)
        if op in ("~", "neg"):
            x = self.loose(a[0], lane)
            low, high = (-x.high - 1, -x.low - 1) if op == "~" else (-x.high, -x.low)
            return IntervalTerm(("~" if op == "~" else "-") + x.inner, low, high)
        if op == "<<":
            x = self.loose(a[0], lane)
            return IntervalTerm(f"{x.inner} << {a[1]}", x.low << a[1], x.high << a[1])
        if op == ">>":
            x = self.exact(a[0], lane)
            return IntervalTerm(f"{x.inner} >> {a[1]}", x.low >> a[1], x.high >> a[1])
        return getattr(self, "_" + op)(node, lane, *a)  # type: ignore[no-any-return]

    def _view(self, node: DagNode, lane: int, x: DagNode) -> IntervalTerm:
        have, want = x.type.bits, node.type.bits
        if have > want:
            parts = have // want
            whole, at = self.exact(x, lane // parts), lane % parts * want
            return IntervalTerm(f"{whole.inner} >> {at}", whole.low >> at, whole.high >> at) if at else whole
        parts = want // have
        texts = []
        for i in range(parts):
            part = self._unsigned(x, lane * parts + i)
            texts.append(f"{part.inner} << {i * have}" if i else part.inner)
        return IntervalTerm(" | ".join(texts), 0, node.type.mask)

    def _sat(self, node: DagNode, lane: int, x: DagNode) -> IntervalTerm:
        term, type_ = self.exact(x, lane), node.type
        low, high = max(type_.low, x.type.low), min(type_.high, x.type.high)
        if low <= term.low and term.high <= high:
            return term
        term = self._atom(term)
        return IntervalTerm(f"({low} if {term.text} < {low} else {high} if {term.text} > {high} else {term.text})",
                            low, high,
                            True)

    def _clamped(self, node: DagNode, lane: int, x: DagNode, type_: ElementType) -> IntervalTerm:
        tests = []
        for i in range(x.count):
            term = self.exact(x, i)
            if term.low < type_.low or term.high > type_.high:
                tests.append(f"{type_.low} <= {self._atom(term).text} <= {type_.high}")
        return IntervalTerm(f"(0 if {' and '.join(tests)} else 1)" if tests else "0", 0, 1, True)

    def condition(self, node: DagNode, lane: int) -> str:
        """Return a truth (one lane, not 0) as the language likes it."""
        node, lane = pick(node, lane if node.count > 1 else 0)
        if (id(node), lane) not in self._exact:
            if node.op == "kind" and node.args[0].op == "compare":
                node = node.args[0]
            if node.op == "compare":
                relation, n, m = node.args
                relation = self.relations.get(relation, relation)
                return f"{self.exact(n, lane).inner} {relation} {self.exact(m, lane).inner}"
            if node.op == "holds":
                return self._test(*node.args)
        return self.exact(node, lane).text

    def _compare(self, node: DagNode, lane: int, relation: str, n: DagNode, m: DagNode) -> IntervalTerm:
        return IntervalTerm(f"({node.type.mask:#x} if {self.condition(node, lane)} else 0)", 0, node.type.mask, True)

    def _select(self, node: DagNode, lane: int, mask: DagNode, n: DagNode, m: DagNode) -> IntervalTerm:
        k, at = pick(mask, lane if mask.count > 1 else 0)
        while k.op == "kind":
            k, at = pick(k.args[0], at)
        if k.op == "compare":
            x, y = self.exact(n, lane), self.exact(m, lane)
            return IntervalTerm(f"({x.text} if {self.condition(k, at)} else {y.text})", min(x.low, y.low),
                                max(x.high, y.high), True)
        x, y, key = self.loose(n, lane), self.loose(m, lane), self._atom(self.loose(mask, lane))
        return interval("|", interval("&", x, key),
                        interval("&", y, IntervalTerm(f"~{key.text}", -key.high - 1, -key.low - 1)))

    def _shift_by(self, node: DagNode, lane: int, x: DagNode, by: DagNode, rounding: bool) -> IntervalTerm:
        value, amount = self.exact(x, lane), self.loose(by, lane)
        reach = max(abs(value.low), abs(value.high)) + 1 << 127
        return IntervalTerm(f"{'_shift_rounded' if rounding else '_shift'}({value.text}, {amount.text})", -reach,
                            reach, True)

    def _total(self, node: DagNode, lane: int, x: DagNode) -> IntervalTerm:
        terms = [self.loose(x, i) for i in range(x.count)]
        return IntervalTerm(" + ".join(t.inner for t in terms), sum(t.low for t in terms), sum(t.high for t in terms))

    def _carryless(self, node: DagNode, lane: int, n: DagNode, m: DagNode) -> IntervalTerm:
        return IntervalTerm(f"_carryless({self.exact(n, lane).text}, {self.exact(m, lane).text})", 0, node.type.mask,
                            True)

    def _quotient(self, node: DagNode, lane: int, n: DagNode, m: DagNode) -> IntervalTerm:
        # The lowest number by -1 is one too large for its type.
        reach = max(-node.type.low, node.type.high)
        return IntervalTerm(f"_quotient({self.exact(n, lane).text}, {self.exact(m, lane).text})", -reach, reach, True)

    def _ones(self, node: DagNode, lane: int, x: DagNode) -> IntervalTerm:
        return IntervalTerm(f"({self.exact(x, lane).text}).bit_count()", 0, node.type.bits, True)

    def _leading_zeros(self, node: DagNode, lane: int, x: DagNode) -> IntervalTerm:
        return IntervalTerm(f"{node.type.bits} - ({self.exact(x, lane).text}).bit_length()", 0, node.type.bits)

    def _mirror(self, node: DagNode, lane: int, x: DagNode) -> IntervalTerm:
        return IntervalTerm(f"_mirror({self.exact(x, lane).text}, {node.type.bits})", 0, node.type.mask, True)

    def _lookup(self, node: DagNode, lane: int, index: DagNode, table: DagNode, otherwise: DagNode) -> IntervalTerm:
        name = self._tables.get(id(table))
        if name is None:
            lanes = "".join(f"{self.exact(table, i).inner}, " for i in range(table.count))
            name = self._tables[id(table)] = self.named(IntervalTerm(f"({lanes})", 0, 0)).text
            self._keep.append(table)
        at = self.exact(index, lane)
        if at.high < table.count:
            return IntervalTerm(f"{name}[{at.text}]", node.type.low, node.type.high, True)
        at, other = self._atom(at), self.exact(otherwise, lane)
        return IntervalTerm(f"({name}[{at.text}] if {at.text} < {table.count} else {other.text})", node.type.low,
                            node.type.high, True)

    def _sum(self, node: DagNode, lane: int, n: DagNode, m: DagNode, c: DagNode) -> IntervalTerm:
        return interval("+", interval("+", self.loose(n, 0), self.loose(m, 0)), self.exact(c, 0))

    def _sum_flags(self, node: DagNode, lane: int, n: DagNode, m: DagNode, c: DagNode, value: DagNode) -> IntervalTerm:
        texts = ", ".join(self.exact(x, 0).text for x in (n, m, c))
        return IntervalTerm(f"_sum_flags({texts}, {n.type.bits})", 0, 15, True)

    def _logic_flags(self, node: DagNode, lane: int, value: DagNode, carry: DagNode, nzcv: DagNode) -> IntervalTerm:
        v, c, f = self._atom(self.exact(value, 0)), self.exact(carry, 0), self.exact(nzcv, 0)
        text = f"{v.text} >> {value.type.bits - 1} << 3 | ({v.text} == 0) << 2"
        if c.high:
            text += f" | {c.inner} << 1"
        if f.high:
            text += f" | {f.inner} & 1"
        return IntervalTerm(text, 0, 15)

    def _holds(self, node: DagNode, lane: int, condition: str, flags: DagNode) -> IntervalTerm:
        return IntervalTerm(f"(1 if {self._test(condition, flags)} else 0)", 0, 1, True)

    def _choose(self, node: DagNode, lane: int, truth: DagNode, n: DagNode, m: DagNode) -> IntervalTerm:
        x, y = self.exact(n, lane), self.exact(m, lane)
        return IntervalTerm(f"({x.text} if {self.condition(truth, 0)} else {y.text})", min(x.low, y.low),
                            max(x.high, y.high),
                            True)

    def _outcome(self, node: DagNode, lane: int) -> str:
        """The variable with (bit pattern, exceptions) of one lane of a floating word."""
        key = id(node), lane
        if key not in self._outcomes:
            word, *operands = node.args
            rules = str(word.rules)
            if isinstance(word.rules, LiveRules):
                rules = word.rules.text(self.exact(operands.pop(), 0).inner)
            texts = ", ".join(self.exact(x, lane).text for x in operands)
            self._keep.append(node)
            call = f"_float({word.name!r}, {word.format!r}, {rules}, {word.detail!r})({texts})"
            self._outcomes[key] = self.named(IntervalTerm(call, 0, 0)).text
        return self._outcomes[key]

    def _float(self, node: DagNode, lane: int, *_: Any) -> IntervalTerm:
        return IntervalTerm(f"{self._outcome(node, lane)}[0]", 0, node.type.mask, True)

    def _exceptions(self, node: DagNode, lane: int, value: DagNode) -> IntervalTerm:
        return IntervalTerm(" | ".join(f"{self._outcome(value, i)}[1]" for i in range(value.count)), 0, 255)

    def _test(self, condition: str, flags: DagNode) -> str:
        """A condition on flags, from what the flags came from where that is shorter."""
        flags, _ = pick(flags, 0)
        if flags.op == "sum_flags" and (id(flags), 0) not in self._exact:
            n, m, c, value = flags.args
            if condition in ("eq", "ne"):
                return f"{self._atom(self.exact(value, 0)).text} {'==' if condition == 'eq' else '!='} 0"
            if condition in ("mi", "pl"):
                text, half = self._atom(self.exact(value, 0)).text, value.type.mask >> 1
                return f"{text} {'>' if condition == 'mi' else '<='} {half:#x}"
            if m.op == "~" and c.op == "const" and c.args[0] == 1:  # a comparison of n with what m is the inverse of
                x, y = self.exact(n, 0), self._unsigned(m.args[0], 0)
                relation = {"hs": ">=", "lo": "<", "hi": ">", "ls": "<="}.get(condition)
                if relation:
                    return f"{x.inner} {relation} {y.inner}"
                relation = {"ge": ">=", "lt": "<", "gt": ">", "le": "<="}.get(condition)
                if relation:
                    half = value.type.mask + 1 >> 1
                    return f"{x.inner} ^ {half:#x} {relation} {y.inner} ^ {half:#x}"
        term = self.exact(flags, 0)
        return f"{condition_bits(condition):#x} >> {term.inner} & 1"


def interval(op: str, x: IntervalTerm, y: IntervalTerm) -> IntervalTerm:
    """x op y with the interval of the result."""
    text = f"{x.inner} {op} {y.inner}"
    if op == "+":
        return IntervalTerm(text, x.low + y.low, x.high + y.high)
    if op == "-":
        return IntervalTerm(text, x.low - y.high, x.high - y.low)
    if op == "*":
        corners = [a * b for a in (x.low, x.high) for b in (y.low, y.high)]
        return IntervalTerm(text, min(corners), max(corners))
    if op == "&" and (x.low >= 0 or y.low >= 0):
        return IntervalTerm(text, 0, min(t.high for t in (x, y) if t.low >= 0))
    reach = 1 << max(t.bit_length() for t in (x.low, x.high, y.low, y.high))
    if x.low >= 0 and y.low >= 0:
        return IntervalTerm(text, 0, reach - 1)
    return IntervalTerm(text, -reach, reach - 1)
