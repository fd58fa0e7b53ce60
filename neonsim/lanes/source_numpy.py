"""The source-text reading as numpy: every value one array for all tiles of a grid, every operation one line.

Arrays are [rows, lanes, columns], the tile's row first: what does not vary along rows (or columns) has length 1 there
and numpy stretches it. A value is written in one of three forms, the cheapest that holds it:

| form  | what it is                                            | text                                   |
|-------|-------------------------------------------------------|----------------------------------------|
| int   | one lane, the same in all tiles: counters, flags       | a Python integer, see `source_python`  |
| line  | one lane that steps evenly: base + row*i + column*j    | three Python integers: pointers        |
| array | anything else                                         | a numpy array of the element's dtype   |

Arrays wrap by themselves where the machine wraps, so sums and products need no masks. The hot words have lines of
their own here; every other word is a call of the numpy reading, whose meaning it then is by definition.

How lines become variables: `numpy_lines`. How sums of products become matrix products: `numpy_products`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .float_formats import LiveRules
from .floating import FloatWord
from .numeric import NumpyLanes
from .numpy_float import FLOAT_LINES, QUICK
from .numpy_lines import Lines
from .numpy_products import Products, even_slice, product
from .source import DEEP, Node, SourceLanes, pick, resting
from .source_python import HELPERS as PYTHON_HELPERS
from .types import ElementType, element

__all__ = ["NUMPY_HELPERS", "NumpyWriter", "Unwritten", "Variable", "can_write", "line_values", "recut"]

_BINARY = {"+": "add", "-": "subtract", "*": "multiply", "&": "bitwise_and", "|": "bitwise_or", "^": "bitwise_xor"}
_RELATIONS = {"==": "equal", "!=": "not_equal", ">=": "greater_equal", ">": "greater", "<=": "less_equal", "<": "less"}
# Words that are written as calls of the numpy reading: op -> how, given the arguments' texts.
_CALLS: dict[str, Callable[[list[Any]], str]] = {
    "shift_by": lambda a: f"{a[0]}._shift_by({a[1]}, {a[2]})",
    "total": lambda a: f"{a[0]}._total()",
    "carryless": lambda a: f"{a[0]}._carryless({a[1]})",
    "ones": lambda a: f"{a[0]}._of_bits('ones')",
    "quotient": lambda a: f"{a[0]}._quotient({a[1]})",
    "leading_zeros": lambda a: f"{a[0]}._of_bits('leading_zeros')",
    "mirror": lambda a: f"{a[0]}._of_bits('mirror')",
    "lookup": lambda a: f"{a[1]}._lookup({a[0]}, {a[2]})",
    "sum": lambda a: f"{a[0]}._add_flags({a[1]}, {a[2]})[0]",
    "sum_flags": lambda a: f"{a[0]}._add_flags({a[1]}, {a[2]})[1]",
    "logic_flags": lambda a: f"{a[0]}._logic_flags({a[1]}, {a[2]})",
    "holds": lambda a: f"{a[1]}._holds({a[0]})",
}
# The same for operations that have a line of their own, where numpy has no integers wide enough.
_BIG: dict[str, Callable[[list[Any]], str]] = {op: lambda a, op=op: f"({a[0]} {op} {a[1]})"
                                               for op in (*_BINARY, "<<", ">>")} | {
    "~": lambda a: f"(~{a[0]})",
    "neg": lambda a: f"(-{a[0]})",
    "wide": lambda a: f"{a[0]}._wide()",
    "narrow": lambda a: f"{a[0]}._narrow()",
    "compare": lambda a: f"{a[1]}._compare({a[0]}, {a[2]})",
    "select": lambda a: f"{a[0]}._select({a[1]}, {a[2]})",
}
_OWN = {*_BINARY, "<<", ">>", "~", "neg", "wide", "narrow", "kind", "view", "lanes", "join", "compare", "select", "sat",
        "clamped", "choose", "float", "exceptions", "name", "const"}
_ANY_WIDTH = {"kind", "view", "lanes", "join", "sat", "clamped", "choose"}  # of these, those that take 128 bits too


class Unwritten(Exception):
    """The writer has no line for an operation."""


def can_write(node: Node) -> bool:
    """Whether the writer knows this operation (its arguments are asked for themselves)."""
    return node.op in _OWN or node.op in _CALLS


@dataclass(frozen=True)
class Variable:
    """A name that the writer is given. ``form`` "int", "line" or "array"; ``rows``, ``columns``: whether it varies."""

    form: str
    rows: bool = False
    columns: bool = False


class NumpyWriter(Lines):
    """Writes nodes as lines; ``scope`` gets the constants that the text refers to.

    values   name -> Variable of everything that nodes of op "name" stand for
    """

    def __init__(self, values: dict[str, Variable]) -> None:
        super().__init__()
        self.values = values
        self.scope: dict[str, Any] = {}
        self.products = Products(self)
        self.arrays: dict[int, int] = {}  # id(node) -> number
        self._forms: dict[int, str] = {}
        self._points: dict[int, tuple[str, str, str]] = {}
        self._by_rules: dict[tuple[str, str], str] = {}
        self._keep: list[Node] = []

    # -- forms
    def form(self, node: Node) -> str:
        """ "int", "line" or "array"."""
        found = self._forms.get(id(node))
        if found is None:
            if node.depth > DEEP:
                self._rest(node)
            self._keep.append(node)
            found = self._forms[id(node)] = self._form(node)
        return found

    def _form(self, node: Node) -> str:
        if node.op == "name":
            return self.values[node.args[0]].form
        if node.op == "const":
            return "int" if node.count == 1 else "array"
        if node.op in ("lanes", "join") and node.count == 1:
            source, _ = pick(node, 0)
            return "int" if source.op == "const" or (source.count == 1 and self.form(source) == "int") else "array"
        nodes = [a for a in node.args if isinstance(a, Node)]
        forms = [self.form(a) for a in nodes]
        if node.count == 1 and all(f == "int" for f in forms) and all(a.count == 1 for a in nodes):
            return "int"
        if "array" not in forms and (
                node.op in ("+", "-") or (node.op == "<<" and forms[0] == "line") or node.op == "kind"
                 or (node.op == "choose" and forms[0] == "int")):
            return "line"
        return "array"

    def integer(self, node: Node) -> str:
        """The value of an int form, exact."""
        return self.integers.exact(node, 0).text

    def truth(self, node: Node) -> str | None:
        """A truth as a test for Python, None if it may differ between tiles."""
        if self.form(node) != "int":
            number = self.array(node)
            if self.of(number).rows or self.of(number).columns:
                return None
            self.count += 1
            self.raw(f"q{self.count} = {{0}}.item()", (number,))
            return f"q{self.count}"
        text = self.integers.condition(node, 0)
        self.drain()
        return text

    def point(self, node: Node) -> tuple[str, str, str]:
        """(base, row step, column step) of a line or int form, right modulo the lane width."""
        if self.form(node) == "int":
            return self.integers.exact(node, 0).inner, "0", "0"
        found = self._points.get(id(node))
        if found is None:
            found = self._point(node)
            if any(len(text) > 60 for text in found):
                found = self._stored(found)
            self._points[id(node)] = found
        return found

    def _stored(self, point: tuple[str, str, str]) -> tuple[str, str, str]:
        """The three numbers of a line in variables."""
        self.count += 1
        names = [text if text == "0" else f"p{self.count}{letter}" for letter, text in zip("bij", point, strict=True)]
        for name, text in zip(names, point, strict=True):
            if name != text:
                self.raw(f"{name} = {text}")
        return names[0], names[1], names[2]

    def _point(self, node: Node) -> tuple[str, str, str]:
        if node.op == "name":
            name = node.args[0]
            return f"{name}_b", f"{name}_i", f"{name}_j"
        if node.op == "kind":
            return self.point(node.args[0])
        if node.op == "<<":
            return tuple(t if t == "0" else f"({t} << {node.args[1]})"  # type: ignore[return-value]
                         for t in self.point(node.args[0]))
        if node.op == "choose":
            test = self.integers.condition(node.args[0], 0)
            yes, no = self.point(node.args[1]), self.point(node.args[2])
            return tuple(y if y == n else f"({y} if {test} else {n})"  # type: ignore[return-value]
                         for y, n in zip(yes, no, strict=True))
        x, y = (self.point(a) for a in node.args)

        def both(a: str, b: str) -> str:
            if b == "0":
                return a
            return f"({a} {node.op} {b})" if a != "0" or node.op == "-" else b
        return both(x[0], y[0]), both(x[1], y[1]), both(x[2], y[2])

    def steps(self, node: Node) -> tuple[bool, bool]:
        """Along which axes an int or line form may vary."""
        if node.op == "name":
            value = self.values[node.args[0]]
            return value.rows, value.columns
        found = [self.steps(a) for a in node.args if isinstance(a, Node) and self.form(a) != "int"]
        return any(r for r, _ in found), any(c for _, c in found)

    # -- arrays
    def array(self, node: Node) -> int:
        """The number of the array that holds a node, whatever its form."""
        found = self.arrays.get(id(node))
        if found is None:
            self._keep.append(node)
            form = "array" if node.op == "const" else self.form(node)
            found = self.arrays[id(node)] = (self._array(node) if form == "array" else self._spread(node, form))
        return found

    def settle(self, node: Node) -> None:
        """Compute a value here: what is built on it begins anew."""
        form = self.form(node)
        if form == "array":
            self.array(node)
        elif form == "int":
            self.integers.settle(node)
        else:
            self._points[id(node)] = self._stored(self.point(node))
        node.depth = 0

    def _rest(self, node: Node) -> None:
        for one in resting(node):
            self.settle(one)
            self.products.range(one)

    def _array(self, node: Node) -> int:
        op, a = node.op, node.args
        if op == "name":
            value = self.values[a[0]]
            return self.line(a[0], (), value.rows, value.columns, node.type, node.count, owned=False)
        if op == "const":
            return self._constant(a, node.type)
        widest = max([node.type.bits, *(x.type.bits for x in a if isinstance(x, Node))])
        if op not in _OWN or (widest > 64 and op not in _ANY_WIDTH):
            return self._call(node, _CALLS.get(op) or _BIG.get(op))
        if op == "+":
            summed = self.products.summed(node)
            if summed is not None:
                return summed
        if op in _BINARY:
            return self._elementwise(_BINARY[op], node, a)
        if op in ("<<", ">>"):
            return self._elementwise("left_shift" if op == "<<" else "right_shift", node, a[:1], f", {a[1]}")
        if op in ("~", "neg"):
            return self._elementwise("invert" if op == "~" else "negative", node, a)
        if op in ("wide", "narrow"):
            return self.made(f"{{0}}.astype({self.dtype(node.type)})", (self.array(a[0]),), node)
        return getattr(self, "_" + op)(node, *a)  # type: ignore[no-any-return]

    def _spread(self, node: Node, form: str) -> int:
        """An int or a line as an array."""
        if form == "int":
            text = self.integer(node)
            self.drain()
            return self.line(f"full((1, 1, 1), {text}, {self.dtype(node.type)})", (), False, False, node.type, 1)
        base, row, column = self.point(node)
        rows, columns = self.steps(node)
        self.drain()
        return self.line(f"spread({base}, {row}, {column}, {'R' if rows else 1}, {'C' if columns else 1}, "
                         f"{self.dtype(node.type)})", (), rows, columns, node.type, 1)

    def _constant(self, values: tuple[int, ...], type_: ElementType) -> int:
        name = "c_" + type_.name + "_" + "_".join(str(v).replace("-", "m") for v in values)
        if len(name) > 60:
            name = next((n for n, (v, t) in self.scope.get("_long", {}).items() if (v, t) == (values, type_)),
                        f"c_long{len(self.scope.get('_long', {}))}")
            self.scope.setdefault("_long", {})[name] = (values, type_)
        if name not in self.scope:
            self.scope[name] = NumpyLanes.of(values, type_).array.reshape(1, -1, 1)
        return self.line(name, (), False, False, type_, len(values), owned=False)

    def dtype(self, type_: ElementType) -> str:
        """The name of an element type's dtype in the text."""
        name = "object" if type_.bits > 64 else f"{'i' if type_.kind == 's' else 'u'}{type_.bytes}"
        self.scope[name] = type_.dtype
        return name

    def type_name(self, type_: ElementType) -> str:
        """The name of an element type in the text."""
        self.scope["T" + type_.name] = type_
        return "T" + type_.name

    def _shape(self, numbers: Sequence[int]) -> tuple[bool, bool]:
        return any(self.of(n).rows for n in numbers), any(self.of(n).columns for n in numbers)

    def made(self, text: str, numbers: Sequence[int], node: Node, owned: bool = True, in_place: str = "",
                type_: ElementType | None = None, count: int | None = None) -> int:
        rows, columns = self._shape(numbers)
        return self.line(text, numbers, rows, columns, type_ or node.type, count or node.count, owned, in_place)

    def _operands(self, nodes: Sequence[Node]) -> tuple[list[int], list[str]]:
        """Numbers of the arrays among operands, and the operands' texts."""
        numbers: list[int] = []
        texts = []
        for node in nodes:
            if self.form(node) == "int":
                texts.append(self.integer(node))
                self.drain()
            else:
                texts.append(f"{{{len(numbers)}}}")
                numbers.append(self.array(node))
        return numbers, texts

    def _elementwise(self, function: str, node: Node, nodes: Sequence[Node], more: str = "") -> int:
        numbers, texts = self._operands(nodes)
        if not numbers:
            numbers, texts = [self.array(nodes[0])], ["{0}", *texts[1:]]
        inner = ", ".join(texts) + more
        return self.made(f"{function}({inner})", numbers, node, in_place=f"{function}({inner}, {{out}})")

    def _call(self, node: Node, how: Callable[[list[Any]], str] | None) -> int:
        """A word as the numpy reading says it."""
        if how is None:
            raise Unwritten(node.op)
        numbers: list[int] = []
        texts: list[Any] = []
        for arg in node.args:
            if isinstance(arg, Node):
                texts.append(f"lanes({{{len(numbers)}}}, {self.type_name(arg.type)})")
                numbers.append(self.array(arg))
            else:
                texts.append(repr(arg))
        return self.made(f"plain({how(texts)})", numbers, node, owned=False)  # it may be a part of an operand

    def _kind(self, node: Node, x: Node) -> int:
        number = self.array(x)
        if x.type.bits > 64:
            return self.made(f"plain(lanes({{0}}, {self.type_name(x.type)})._as_kind({self.type_name(node.type)}))",
                                (number,), node, owned=False)
        if x.type.dtype == node.type.dtype:
            return number
        return self.made(f"{{0}}.view({self.dtype(node.type)})", (number,), node, owned=False)

    def _view(self, node: Node, x: Node) -> int:
        again = recut(x, node.type)
        if again is not None:
            return self.array(again)
        return self.made(f"plain(lanes({{0}}, {self.type_name(x.type)})._view({self.type_name(node.type)}))",
                            (self.array(x),), node, owned=False)

    def _lanes(self, node: Node, *_: Any) -> int:
        return self._gathered(node)

    _join = _lanes

    def _gathered(self, node: Node) -> int:
        """Lanes from anywhere: a slice of one array, or a new one filled part by part."""
        picked = [pick(node, i) for i in range(node.count)]
        number = self.one_source([source for source, _ in picked])
        if number is not None:
            indices = [lane for _, lane in picked]
            if indices == list(range(self.of(number).count)):
                return number
            cut = even_slice(indices)
            if cut is not None:
                return self.made(f"{{0}}[:, {cut}]", (number,), node, owned=False)
            return self.made(f"{{0}}.take({self.indices(indices)}, 1)", (number,), node)
        groups: dict[int, list[tuple[int, int]]] = {}
        sources: dict[int, Node] = {}
        for at, (source, lane) in enumerate(picked):
            groups.setdefault(id(source), []).append((at, lane))
            sources[id(source)] = source
        numbers: list[int] = []
        parts = []
        for key, pairs in groups.items():
            source = sources[key]
            to = even_slice([at for at, _ in pairs]) or self.indices([at for at, _ in pairs])
            if self.form(source) == "int":
                text = self.integer(source)
                self.drain()
            else:
                lanes = [lane for _, lane in pairs]
                cut = even_slice(lanes) or self.indices(lanes)
                whole = lanes == list(range(source.count))
                text = f"{{{len(numbers)}}}" + ("" if whole else f"[:, {cut}]")
                numbers.append(self.array(source))
            parts.append((to, text))
        rows, columns = self._shape(numbers)
        self.drain()
        # One statement of several parts: the array and what fills it.
        text = "; ".join([f"empty(({'R' if rows else 1}, {node.count}, {'C' if columns else 1}), "
                          f"{self.dtype(node.type)})", *(f"{{=}}[:, {to}] = {part}" for to, part in parts)])
        return self.line(text, numbers, rows, columns, node.type, node.count)

    def one_source(self, sources: list[Node]) -> int | None:
        """The array that all these nodes are, None if they are several or no array."""
        found: int | None = None
        for node in sources:
            number = self.array(node) if self.form(node) == "array" else None
            if number is None or (found is not None and number != found):
                return None
            found = number
        return found

    def indices(self, indices: list[int]) -> str:
        """The name of a constant array of indices."""
        name = "at_" + "_".join(map(str, indices))
        self.scope[name] = np.array(indices)
        return name

    def _compared(self, node: Node) -> int:
        """A comparison as booleans."""
        relation, n, m = node.args
        numbers, texts = self._operands((n, m))
        if not numbers:
            numbers, texts = [self.array(n)], ["{0}", texts[1]]
        return self.made(f"{_RELATIONS[relation]}({', '.join(texts)})", numbers, node, type_=element("u", 8))

    def _compare(self, node: Node, *_: Any) -> int:
        return self.made(f"negative({{0}}.view(u1), dtype={self.dtype(node.type)})" if node.type.bits == 8 else
                            f"negative({{0}}.astype({self.dtype(node.type)}))", (self._compared(node),), node)

    def _select(self, node: Node, mask: Node, n: Node, m: Node) -> int:
        test = mask.args[0] if mask.op == "kind" else mask
        if test.op == "compare" and test.type.bits == node.type.bits and self.form(test) == "array":
            return self.made("where({0}, {1}, {2})", (self._compared(test), self.array(n), self.array(m)), node)
        key, x, y = (self.array(a) for a in (mask, n, m))
        yes = self.made("bitwise_and({0}, {1})", (x, key), node)
        inverse = self.made("invert({0})", (key,), node, count=mask.count)
        no = self.made("bitwise_and({0}, {1})", (y, inverse), node, in_place="bitwise_and({0}, {1}, {out})")
        return self.made("bitwise_or({0}, {1})", (yes, no), node, in_place="bitwise_or({0}, {1}, {out})")

    def _clip(self, x: Node, type_: ElementType) -> int:
        """x within the range of a type, in its own dtype."""
        number, (low, high) = self.array(x), self.products.range(x)
        for word, limit, needed in (("maximum", type_.low, low < type_.low),
                                    ("minimum", type_.high, high > type_.high)):
            if needed:
                number = self.made(f"{word}({{0}}, {limit})", (number,), x,
                                   in_place=f"{word}({{0}}, {limit}, out={{out}})")
        return number

    def _sat(self, node: Node, x: Node) -> int:
        if x.type.bits > 64:
            return self.made(f"plain(lanes({{0}}, {self.type_name(x.type)})._sat({self.type_name(node.type)})[0])",
                                (self.array(x),), node)
        return self.made(f"{{0}}.astype({self.dtype(node.type)})", (self._clip(x, node.type),), node)

    def _clamped(self, node: Node, x: Node, type_: ElementType) -> int:
        if x.type.bits > 64:
            return self.made(f"plain(lanes({{0}}, {self.type_name(x.type)})._sat({self.type_name(type_)})[1])",
                                (self.array(x),), node)
        clipped = self._clip(x, type_)
        if clipped == self.array(x):
            return self._constant((0,), node.type)
        lost = self.made("not_equal({0}, {1})", (clipped, self.array(x)), x, type_=element("u", 8))
        return self.made("{0}.any(1, keepdims=True).view(u1)", (lost,), node)

    def _rounded(self, node: Node) -> int:
        """The pair (value, exceptions) of a floating-point operation."""
        word, *nodes = node.args
        if isinstance(word.rules, LiveRules):
            register = nodes.pop()
            if self.form(register) != "int":
                raise Unwritten("rules of floating point that differ between tiles")
            name = self._ruled(word, word.rules.text(self.integers.exact(register, 0).inner))
        else:
            name = self._word(word)
        numbers = [self.array(x) for x in nodes]
        if word.format in QUICK.get(word.name, ()):
            operands = "".join(f", {{{i}}}" for i in range(len(numbers)))
            return self.made(f"float_{word.name}({name}, {self.type_name(node.type)}{operands})", numbers, node,
                             owned=False)
        first, *others = (f"lanes({{{i}}}, {self.type_name(x.type)})" for i, x in enumerate(nodes))
        text = f"{first}._float({name}, ({''.join(o + ', ' for o in others)}), {self.type_name(node.type)})"
        return self.made(text, numbers, node, owned=False)

    def _word(self, word: FloatWord) -> str:
        """The name of a floating word in the text."""
        name = f"word_{len(self.scope)}"
        name = next((n for n, v in self.scope.items() if type(v) is type(word) and v == word), name)
        self.scope[name] = word
        return name

    def _ruled(self, word: FloatWord, rules: str) -> str:
        """The same of a word by rules that are known when the text runs: looked up once for all places."""
        name = self._word(replace(word, rules=0))
        found = self._by_rules.get((name, rules))
        if found is None:
            found = self._by_rules[name, rules] = f"w{len(self._by_rules)}"
            self.raw(f"{found} = {name}.at({rules})")
        return found

    def _float(self, node: Node, *_: Any) -> int:
        return self._part(node, node, 0)

    def _exceptions(self, node: Node, value: Node) -> int:
        return self._part(node, value, 1)

    def _part(self, node: Node, value: Node, which: int) -> int:
        """The value or the exceptions of such a pair."""
        text = f"{{0}}[{which}]"
        if value.args[0].format not in QUICK.get(value.args[0].name, ()):
            text = f"plain({text})"
        return self.made(text, (self._rounded(value),), node, owned=False)

    def _choose(self, node: Node, truth: Node, n: Node, m: Node) -> int:
        if self.form(truth) != "int":
            return self.made("where({0} != 0, {1}, {2})", (self.array(truth), self.array(n), self.array(m)), node)
        test = self.integers.condition(truth, 0)
        x, y = self.array(n), self.array(m)
        self.drain()
        rows, columns = self._shape((x, y))
        made = [self.of(x), self.of(y)]
        if all((v.rows, v.columns, v.count) == (rows, columns, node.count) for v in made):
            return self.made(f"({{0}} if {test} else {{1}})", (x, y), node, owned=False)
        return self.made(f"where({test}, {{0}}, {{1}})", (x, y), node)

def recut(node: Node, type_: ElementType, logic: int = 8) -> Node | None:
    """The same bytes as lanes of another type, from what they were cut of; None if that is not how they came about.

    logic   operations that it follows: logic does not care how wide its lanes are, and moves to the lanes that its
            operands are made of
    """
    if node.type.bits == type_.bits:
        return SourceLanes(node)._as_kind(type_).node
    if node.op == "kind":
        return recut(node.args[0], type_, logic)
    if node.op == "view":
        inner = node.args[0]
        return SourceLanes(inner)._as_kind(type_).node if inner.type.bits == type_.bits else recut(
            inner, type_, logic)
    size = node.count * node.type.bits
    if size % type_.bits or type_.bits > 64:
        return None
    if node.op == "const":
        data = np.array([v & node.type.mask for v in node.args], f"u{node.type.bytes}").tobytes()
        return SourceLanes.constants(tuple(np.frombuffer(data, type_.dtype).tolist()), type_).node
    if logic and node.op in ("&", "|", "^", "~") and all(a.count == node.count for a in node.args):
        parts = [recut(a, type_, logic - 1) for a in node.args]
        if all(p is not None for p in parts):
            return Node(node.op, tuple(parts), type_, size // type_.bits)
    return None


def _lanes(array: Any, type_: ElementType) -> NumpyLanes:
    return NumpyLanes(array.transpose(1, 0, 2), type_)


def _plain(lanes: NumpyLanes) -> Any:
    return lanes.array.transpose(1, 0, 2)


def line_values(base: int, row: int, column: int, rows: int, columns: int, dtype: Any) -> Any:
    """base + row*i + column*j as an array, modulo the dtype's width."""
    mask = (1 << 8 * dtype.itemsize) - 1
    unsigned: Any = np.dtype(f"u{dtype.itemsize}").type
    i, j = (np.arange(n, dtype=unsigned) for n in (rows, columns))
    made = (i * unsigned(row & mask)).reshape(-1, 1, 1) + (j * unsigned(column & mask)).reshape(1, 1, -1)
    return (made + unsigned(base & mask)).view(dtype)


# What the text refers to.
NUMPY_HELPERS: dict[str, Any] = PYTHON_HELPERS | {
    "product": product, "lanes": _lanes, "plain": _plain, "spread": line_values,
    "NumpyLanes": NumpyLanes} | FLOAT_LINES | {name: np.dtype(name) for name in ("f4", "f8", "i4", "i8", "u1")} | {
    name: getattr(np, name) for name in (*_BINARY.values(), *_RELATIONS.values(), "left_shift", "right_shift", "invert",
                                         "negative", "maximum", "minimum", "where", "empty", "full")}
