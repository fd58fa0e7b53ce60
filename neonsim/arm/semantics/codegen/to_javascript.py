"""The source-text reading as JavaScript: lanes of up to 32 bits are Numbers, wider ones BigInts.

Written like the Python of `source_python`, whose book-keeping it takes: intervals are carried along and values brought
back into their lane when they are read. Two things are JavaScript's own. Numbers are exact up to 2**53 only, so
products that could pass it are Math.imul, sums that could are made of values brought back; and its bit operators give
32 bits with a sign. The text is made of the words below, of numbers and of names that the writer makes up or its owner
hands to `SourceLanes.named`: no third-party text comes into it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from neonsim.arm.semantics.float_formats import LiveRules
from neonsim.arm.semantics.softfloat import FloatWord
from neonsim.arm.semantics.types import ElementType
from neonsim.arm.semantics.vocabulary import condition_bits

from .dag import DagNode, pick
from .to_javascript_float import JAVASCRIPT_FLOATS, spoken
from .to_python import IntervalTerm, PythonWriter, interval

__all__ = ["JAVASCRIPT_HELPERS", "SOFT_WORD", "JavaScriptWriter", "NoJavaScript", "javascript_values"]

WIDEST = 32  # bits of a lane that is a Number
EXACT = 1 << 53  # Numbers are exact below
_LOW, _HIGH = -(1 << 31), (1 << 31) - 1  # what JavaScript's bit operators give

# What the text refers to.
JAVASCRIPT_HELPERS = """\
const small_shift = (value, by) => by >= 32 ? 0 : by >= 0 ? value << by : Math.floor(value / 2 ** -by);
const small_shift_rounded = (value, by) =>
    by >= 32 ? 0 : by >= 0 ? value << by : Math.floor((value + 2 ** (-by - 1)) / 2 ** -by);
const big_shift = (value, by) => by >= 0 ? value << BigInt(by) : value >> BigInt(-by);
const big_shift_rounded = (value, by) =>
    by >= 0 ? value << BigInt(by) : value + (1n << BigInt(-by - 1)) >> BigInt(-by);
const carryless = (n, m) => {
    let result = 0n;
    for (; m; n <<= 1n, m >>= 1n)
        if (m & 1n) result ^= n;
    return result;
};
const small_quotient = (n, m) => m === 0 ? 0 : Math.trunc(n / m);
const big_quotient = (n, m) => m === 0n ? 0n : n / m;
const binary = (n, bits) => n.toString(2).padStart(bits, "0");
const ones = (n) => n.toString(2).replaceAll("0", "").length;
const leading_zeros = (n, bits) => n ? bits - n.toString(2).length : bits;
const small_mirror = (n, bits) => Number("0b" + [...binary(n, bits)].reverse().join(""));
const big_mirror = (n, bits) => BigInt("0b" + [...binary(n, bits)].reverse().join(""));
const sum_flags = (n, m, carry, bits) => {
    const full = BigInt(n) + BigInt(m) + BigInt(carry), value = BigInt.asUintN(bits, full);
    const sign = BigInt(bits - 1), overflow = (BigInt(n) ^ value) & (BigInt(m) ^ value);
    return Number(value >> sign) << 3 | (value === 0n ? 4 : 0) | Number(full >> BigInt(bits)) << 1
        | Number(overflow >> sign);
};
""" + JAVASCRIPT_FLOATS

# What it refers to besides, where `soft` is in scope: (number of the word, rules, bit patterns) -> [bit pattern as a
# BigInt, exceptions].
SOFT_WORD = """\
const big_soft = soft;
const small_soft = (...asked) => {
    const [bits, exceptions] = soft(...asked);
    return [Number(bits), exceptions];
};
const exact_or = (quick, slow) => {
    try {
        return quick();
    } catch (problem) {
        if (typeof problem !== "string") throw problem;
        return slow();
    }
};
"""


class NoJavaScript(ValueError):
    """A word that this reading does not have: those of floating point that are not exact in it."""


def _big(type_: ElementType) -> bool:
    return type_.bits > WIDEST


def _number(value: int, type_: ElementType) -> str:
    text = f"{value}n" if _big(type_) else str(value)
    return f"({text})" if value < 0 else text


class JavaScriptWriter(PythonWriter):
    """Writes nodes as JavaScript; ``lines`` are its statements.

    words   those of floating point that `SOFT_WORD` computes where JavaScript is not exact, each once; the writer adds
            those that it needs. None: there is no `SOFT_WORD`

    Raises NoJavaScript for a word that is never exact, where there is no `SOFT_WORD`.
    """

    relations: ClassVar = {"==": "===", "!=": "!=="}

    def __init__(self, words: list[FloatWord] | None = None) -> None:
        super().__init__()
        self.words = words

    def named(self, term: IntervalTerm) -> IntervalTerm:
        name = self._texts.get(term.text)
        if name is None:
            name = self._texts[term.text] = self.fresh()
            self.lines.append(f"const {name} = {term.text};")
        return IntervalTerm(name, term.low, term.high, True)

    @staticmethod
    def _brought_back(term: IntervalTerm, type_: ElementType) -> IntervalTerm:
        if type_.low <= term.low and term.high <= type_.high:
            return term
        bits = type_.bits
        if _big(type_):
            word = "asIntN" if type_.kind == "s" else "asUintN"
            return IntervalTerm(f"BigInt.{word}({bits}, {term.text})", type_.low, type_.high)
        if type_.kind == "s":
            text = f"{term.inner} | 0" if bits == 32 else f"{term.inner} << {32 - bits} >> {32 - bits}"
        else:
            text = f"{term.inner} >>> 0" if bits == 32 else f"{term.inner} & {type_.mask}"
        return IntervalTerm(text, type_.low, type_.high)

    def _unsigned(self, node: DagNode, lane: int) -> IntervalTerm:
        term = self.exact(node, lane)
        return term if term.low >= 0 else self._brought_back(term, node.type.with_("u"))

    @staticmethod
    def _as(term: IntervalTerm, have: ElementType, want: ElementType) -> IntervalTerm:
        """An exact value in the kind of number that another type has."""
        if _big(have) == _big(want):
            return term
        if _big(want):
            return IntervalTerm(f"BigInt({term.text})", term.low, term.high)
        return IntervalTerm(f"Number({term.text})", term.low, term.high)

    # -- operations: an expression that is right modulo the lane width
    def _value(self, node: DagNode, lane: int) -> IntervalTerm:
        op, a, type_ = node.op, node.args, node.type
        if op == "name":
            return IntervalTerm(self.variable(a[0], lane), type_.low, type_.high, True)
        if op == "const":
            return IntervalTerm(_number(a[lane], type_), a[lane], a[lane], True)
        if op in ("+", "-", "*", "&", "|", "^"):
            return self._of_two(op, node, lane)
        if op in ("kind", "narrow"):
            return self._narrowed(a[0], lane, type_)
        if op == "wide":
            return self._as(self.exact(a[0], lane), a[0].type, type_)
        if op == "neg":
            x = self.loose(a[0], lane)
            return IntervalTerm(f"{'0n' if _big(type_) else '0'} - {x.inner}", -x.high, -x.low)
        if op == "~":
            x = self.loose(a[0], lane)
            if not _big(type_) and not _LOW <= x.low <= x.high <= _HIGH:
                return IntervalTerm(f"~{x.inner}", _LOW, _HIGH)
            return IntervalTerm(f"~{x.inner}", -x.high - 1, -x.low - 1)
        if op == "<<":
            x = self.loose(a[0], lane)
            return self._bits(IntervalTerm(f"{x.inner} << {a[1]}{'n' if _big(type_) else ''}", x.low << a[1],
                                           x.high << a[1]),
                              type_)
        if op == ">>":
            return self._down(self.exact(a[0], lane), a[1], type_)
        return getattr(self, "_" + op)(node, lane, *a)  # type: ignore[no-any-return]

    @staticmethod
    def _bits(term: IntervalTerm, type_: ElementType) -> IntervalTerm:
        """What a bit operator gives: of Numbers, 32 bits with a sign."""
        if _big(type_) or _LOW <= term.low <= term.high <= _HIGH:
            return term
        return IntervalTerm(term.text, _LOW, _HIGH)

    @staticmethod
    def _down(x: IntervalTerm, by: int, type_: ElementType) -> IntervalTerm:
        sign = "n" if _big(type_) else ""
        way = ">>" if _big(type_) or x.low < 0 else ">>>"
        return IntervalTerm(f"{x.inner} {way} {by}{sign}", x.low >> by, x.high >> by)

    def _of_two(self, op: str, node: DagNode, lane: int) -> IntervalTerm:
        n, m = node.args
        x, y = self.loose(n, lane), self.loose(m, lane)
        made = interval(op, x, y)
        if _big(node.type):
            return made
        if op in "&|^":
            return self._bits(made, node.type)
        if made.low > -EXACT and made.high < EXACT:
            return made
        if op == "*":
            return IntervalTerm(f"Math.imul({x.text}, {y.text})", _LOW, _HIGH)
        return interval(op, self.exact(n, lane), self.exact(m, lane))

    def _narrowed(self, x: DagNode, lane: int, type_: ElementType) -> IntervalTerm:
        if _big(x.type) == _big(type_):
            return self.loose(x, lane)
        word = "asIntN" if type_.kind == "s" else "asUintN"
        return IntervalTerm(f"Number(BigInt.{word}({type_.bits}, {self.loose(x, lane).text}))", type_.low, type_.high)

    def _view(self, node: DagNode, lane: int, x: DagNode) -> IntervalTerm:
        have, want = x.type.bits, node.type.bits
        if have > want:
            parts = have // want
            whole, at = self.exact(x, lane // parts), lane % parts * want
            part = self._down(whole, at, x.type) if at else whole
            if not _big(x.type) or _big(node.type):
                return part
            return IntervalTerm(f"Number(BigInt.asUintN({want}, {part.text}))", 0, node.type.mask)
        parts, sign = want // have, "n" if _big(node.type) else ""
        texts = []
        for i in range(parts):
            part = self._as(self._unsigned(x, lane * parts + i), x.type, node.type)
            texts.append(f"({part.inner} << {i * have}{sign})" if i else part.inner)
        made = IntervalTerm(" | ".join(texts), 0, node.type.mask)
        return made if sign else self._bits(made, node.type)

    def _sat(self, node: DagNode, lane: int, x: DagNode) -> IntervalTerm:
        term, type_ = self.exact(x, lane), node.type
        low, high = max(type_.low, x.type.low), min(type_.high, x.type.high)
        if term.low < low or high < term.high:
            term = self._atom(term)
            least, most = _number(low, x.type), _number(high, x.type)
            term = IntervalTerm(f"({term.text} < {least} ? {least} : {term.text} > {most} ? {most} : {term.text})",
                                low, high)
        return self._as(term, x.type, type_)

    def _clamped(self, node: DagNode, lane: int, x: DagNode, type_: ElementType) -> IntervalTerm:
        tests = []
        for i in range(x.count):
            term = self.exact(x, i)
            if term.low < type_.low or term.high > type_.high:
                text = self._atom(term).text
                tests.append(f"{text} < {_number(type_.low, x.type)} || {text} > {_number(type_.high, x.type)}")
        return IntervalTerm(f"({' || '.join(tests)} ? 1 : 0)" if tests else "0", 0, 1)

    def _compare(self, node: DagNode, lane: int, relation: str, n: DagNode, m: DagNode) -> IntervalTerm:
        yes, no = _number(node.type.mask, node.type), _number(0, node.type)
        return IntervalTerm(f"({self.condition(node, lane)} ? {yes} : {no})", 0, node.type.mask)

    def _either(self, truth: str, x: IntervalTerm, y: IntervalTerm) -> IntervalTerm:
        return IntervalTerm(f"({truth} ? {x.text} : {y.text})", min(x.low, y.low), max(x.high, y.high))

    def _select(self, node: DagNode, lane: int, mask: DagNode, n: DagNode, m: DagNode) -> IntervalTerm:
        k, at = pick(mask, lane if mask.count > 1 else 0)
        while k.op == "kind":
            k, at = pick(k.args[0], at)
        if k.op == "compare":
            return self._either(self.condition(k, at), self.exact(n, lane), self.exact(m, lane))
        x, y, key = self.exact(n, lane), self.exact(m, lane), self._atom(self.exact(mask, lane))
        text = f"({x.inner} & {key.text}) | ({y.inner} & ~{key.text})"
        return IntervalTerm(text, node.type.with_("s").low,
                            node.type.mask) if _big(node.type) else IntervalTerm(text, _LOW, _HIGH)

    def _shift_by(self, node: DagNode, lane: int, x: DagNode, by: DagNode, rounding: bool) -> IntervalTerm:
        value, amount = self.exact(x, lane), self.exact(by, lane)
        low_byte = (f"Number(BigInt.asIntN(8, {amount.text}))" if _big(by.type) else f"{amount.inner} << 24 >> 24")
        name = ("big" if _big(node.type) else "small") + "_shift" + ("_rounded" if rounding else "")
        reach = max(abs(value.low), abs(value.high)) + 1 << 127 if _big(node.type) else 1 << 32
        return IntervalTerm(f"{name}({value.text}, {low_byte})", -reach, reach)

    def _total(self, node: DagNode, lane: int, x: DagNode) -> IntervalTerm:
        terms = [self.exact(x, i) for i in range(x.count)]
        return IntervalTerm(" + ".join(t.inner for t in terms), sum(t.low for t in terms), sum(t.high for t in terms))

    def _carryless(self, node: DagNode, lane: int, n: DagNode, m: DagNode) -> IntervalTerm:
        texts = ", ".join(f"BigInt({self.exact(x, lane).text})" for x in (n, m))
        text = f"carryless({texts})"
        return IntervalTerm(text if _big(node.type) else f"Number({text})", 0, node.type.mask)

    def _quotient(self, node: DagNode, lane: int, n: DagNode, m: DagNode) -> IntervalTerm:
        # The lowest number by -1 is one too large for its type.
        reach = max(-node.type.low, node.type.high)
        name = "big_quotient" if _big(node.type) else "small_quotient"
        return IntervalTerm(f"{name}({self.exact(n, lane).text}, {self.exact(m, lane).text})", -reach, reach)

    def _counted(self, text: str, node: DagNode) -> IntervalTerm:
        return IntervalTerm(f"BigInt({text})" if _big(node.type) else text, 0, node.type.bits)

    def _ones(self, node: DagNode, lane: int, x: DagNode) -> IntervalTerm:
        return self._counted(f"ones({self.exact(x, lane).text})", node)

    def _leading_zeros(self, node: DagNode, lane: int, x: DagNode) -> IntervalTerm:
        return self._counted(f"leading_zeros({self.exact(x, lane).text}, {node.type.bits})", node)

    def _mirror(self, node: DagNode, lane: int, x: DagNode) -> IntervalTerm:
        name = "big_mirror" if _big(node.type) else "small_mirror"
        return IntervalTerm(f"{name}({self.exact(x, lane).text}, {node.type.bits})", 0, node.type.mask)

    def _lookup(self, node: DagNode, lane: int, index: DagNode, table: DagNode, otherwise: DagNode) -> IntervalTerm:
        name = self._tables.get(id(table))
        if name is None:
            lanes = ", ".join(self.exact(table, i).text for i in range(table.count))
            name = self._tables[id(table)] = self.named(IntervalTerm(f"[{lanes}]", 0, 0)).text
            self._keep.append(table)
        at = self._atom(self.exact(index, lane))
        found = IntervalTerm(f"{name}[{at.text}]", node.type.low, node.type.high)
        if at.high < table.count:
            return found
        return self._either(f"{at.text} < {_number(table.count, index.type)}", found, self.exact(otherwise, lane))

    def _sum(self, node: DagNode, lane: int, n: DagNode, m: DagNode, c: DagNode) -> IntervalTerm:
        return interval("+", interval("+", self.exact(n, 0), self.exact(m, 0)),
                        self._as(self.exact(c, 0), c.type, node.type))

    def _sum_flags(self, node: DagNode, lane: int, n: DagNode, m: DagNode, c: DagNode, value: DagNode) -> IntervalTerm:
        texts = ", ".join(self.exact(x, 0).text for x in (n, m, c))
        return IntervalTerm(f"sum_flags({texts}, {n.type.bits})", 0, 15)

    def _logic_flags(self, node: DagNode, lane: int, value: DagNode, carry: DagNode, nzcv: DagNode) -> IntervalTerm:
        v, c, f = self._atom(self.exact(value, 0)), self.exact(carry, 0), self.exact(nzcv, 0)
        half, zero = _number(value.type.mask >> 1, value.type), _number(0, value.type)
        text = f"({v.text} > {half} ? 8 : 0) | ({v.text} === {zero} ? 4 : 0)"
        if c.high:
            text += f" | {c.inner} << 1"
        if f.high:
            text += f" | {f.inner} & 1"
        return IntervalTerm(text, 0, 15)

    def _holds(self, node: DagNode, lane: int, condition: str, flags: DagNode) -> IntervalTerm:
        return IntervalTerm(f"({self._test(condition, flags)} ? 1 : 0)", 0, 1)

    def _choose(self, node: DagNode, lane: int, truth: DagNode, n: DagNode, m: DagNode) -> IntervalTerm:
        return self._either(self.condition(truth, 0), self.exact(n, lane), self.exact(m, lane))

    def _test(self, condition: str, flags: DagNode) -> str:
        return f"{condition_bits(condition)} >> {self.exact(flags, 0).inner} & 1"

    def _outcome(self, node: DagNode, lane: int) -> str:
        key = id(node), lane
        if key not in self._outcomes:
            word, *operands = node.args
            details = spoken(word)
            if details is None and self.words is None:
                raise NoJavaScript(f"the translation to JavaScript has no exact {word}")
            rules = str(word.rules)
            if isinstance(word.rules, LiveRules):
                rules = word.rules.text(self.exact(operands.pop(), 0).inner)
            patterns = [self.exact(x, lane).text for x in operands]
            text = self._soft(node, rules, patterns) if details is None else (
                f"float_{word.name}({', '.join([rules, *details, *patterns])})")
            if details is not None and self.words is not None:
                text = f"exact_or(() => {text}, () => {self._soft(node, rules, patterns)})"
            self._keep.append(node)
            self._outcomes[key] = self.named(IntervalTerm(text, 0, 0)).text
        return self._outcomes[key]

    def _soft(self, node: DagNode, rules: str, patterns: list[str]) -> str:
        """A lane by its definition in Python."""
        word = node.args[0].with_rules(0)
        assert self.words is not None
        if word not in self.words:
            self.words.append(word)
        size = "big" if _big(node.type) else "small"
        return f"{size}_soft({', '.join([str(self.words.index(word)), rules, *patterns])})"


def javascript_values(values: Iterable[int], type_: ElementType) -> str:
    """Lanes as a JavaScript array."""
    return f"[{', '.join(_number(v, type_) for v in values)}]"
