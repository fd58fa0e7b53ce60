"""Expressions as C++: values, comparisons, walks over lists and dictionaries, comprehensions."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from typing import cast

from neonsim.integers import is_int
from neonsim.timing.compiled.kinds import BOOL, INT, NONE, STR, Kind, as_maybe, cpp, joined, kind_of
from neonsim.timing.compiled.scope import Scope, Value, plain_name

__all__ = ["ARITHMETIC", "Expressions"]

_COMPARE = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
ARITHMETIC = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^"}
_CALLED = {ast.FloorDiv: "floor_div", ast.Mod: "floor_mod", ast.LShift: "power_of_two"}


class Expressions(Scope):
    """Of a function: `v_NAME` for each kind of node."""

    def bind(self, target: ast.expr, value: Value) -> list[str]:
        """Names for a value, or for the parts of a tuple: see `statements`."""
        raise NotImplementedError

    def place(self, target: ast.expr) -> Value:
        """Something that can stand left of an assignment: see `statements`."""
        raise NotImplementedError

    # ---- loops

    def loop(self, node: ast.expr) -> tuple[list[str], str, Value]:
        """(lines before, head of the loop, the item) of a walk over something."""
        i = self.fresh("i")
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id not in self.scope:
            word = node.func.id
            if word == "range":
                ends = [self.plain(self.value(arg))[0] for arg in node.args]
                first, last = ends if len(ends) == 2 else ("i64(0)", *ends)
                stop = self.fresh("stop")
                return ([f"i64 {stop} = {last};"], f"for (i64 {i} = {first}; {i} < {stop}; {i}++)", (i, INT))
            if word == "enumerate":
                before, head, (code, kind) = self.loop(node.args[0])
                number = self.fresh("number")
                return ([*before, f"i64 {number} = -1;"], f"{head} if (++{number}, true)",
                        (f"std::make_tuple({number}, {code})", ("tuple", INT, kind)))
            if word == "reversed":
                code, kind = self.plain(self.value(node.args[0]))
                name = self.fresh("list")
                return ([f"{cpp(kind)} {name} = {code};"], f"for (i64 {i} = {name}->n - 1; {i} >= 0; {i}--)",
                        (f"{name}->at({i})", kind[1]))
            if word == "zip":
                lists = [self.plain(self.value(arg)) for arg in node.args]
                names = [self.fresh("list") for _ in lists]
                lines = [f"{cpp(kind)} {name} = {code};" for name, (code, kind) in zip(names, lists, strict=True)]
                if any(kind[0] != "list" for _, kind in lists):
                    raise self.refuse(node)
                many = [f"{i} < {name}->n" for name in names]
                if any(word.arg == "strict" for word in node.keywords):
                    lines += [f"if ({name}->n != {names[0]}->n) fail();" for name in names[1:]]
                items = ", ".join(f"{name}->at({i})" for name in names)
                return (lines, f"for (i64 {i} = 0; {' && '.join(many)}; {i}++)",
                        (f"std::make_tuple({items})", ("tuple", *(kind[1] for _, kind in lists))))
        what, code, kind = self.walked(node)
        name = self.fresh("list")
        lines = [f"{cpp(kind)} {name} = {code};"]
        if kind[0] == "list":
            return lines, f"for (i64 {i} = 0; {i} < {name}->n; {i}++)", (f"{name}->at({i})", kind[1])
        if kind[0] in ("dict", "set"):
            entry = f"{name}->entries[{i}]"
            head = f"for (i64 {i} = 0; {i} < {name}->used; {i}++) if ({entry}.there)"
            if what == "items":
                return lines, head, (f"std::make_tuple({entry}.k, {entry}.v)", ("tuple", *kind[1:]))
            return lines, head, (f"{entry}.{'v' if what == 'values' else 'k'}", kind[2 if what == "values" else 1])
        raise self.refuse(node, "no walk over")

    def walked(self, node: ast.expr) -> tuple[str, str, Kind]:
        """(items, values or keys, the thing, its kind)."""
        if (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and not node.args
                and node.func.attr in ("items", "values", "keys")):
            code, kind = self.plain(self.value(node.func.value))
            if kind[0] == "dict":
                return node.func.attr, code, kind
        return "keys", *self.plain(self.value(node))

    def comprehension(self, generators: list[ast.comprehension], inner: Callable[[], list[str]]) -> list[str]:
        """Loops around `inner`, with names of their own."""
        outer, hidden = dict(self.scope), self.locals
        self.locals = {}
        lines: list[str] = []
        ends = 0
        for each in generators:
            before, head, item = self.loop(each.iter)
            for name in ast.walk(each.target):
                if isinstance(name, ast.Name):
                    self.scope.pop(plain_name(name.id), None)
            bound = self.bind(each.target, item)
            own = [f"{cpp(kind)} {name}{{}};" for name, kind in self.locals.items()]
            self.locals = {}
            lines += ["{", *before, f"{head} {{", *own, *bound]
            ends += 2
            for test in each.ifs:
                lines.append(f"if ({self.test(test)}) {{")
                ends += 1
        lines += [*inner(), "}" * ends]
        self.scope, self.locals = outer, hidden
        return lines

    def collected(self, node: ast.ListComp | ast.GeneratorExp, want: Kind | None = None) -> Value:
        """A comprehension as a list."""
        kinds: list[Kind] = []
        element = want[1] if want is not None and want[0] == "list" else None

        def inner() -> list[str]:
            code, kind = self.value(node.elt, element)
            kinds.append(element or (INT if kind == BOOL else kind))
            return [f"found_->append({self.as_kind((code, kind), kinds[0], self.at(node))});"]

        lines = self.comprehension(node.generators, inner)
        kind = ("list", kinds[0])
        made = f"auto found_ = made<List<{cpp(kinds[0])}>>();"
        return "([&] { " + " ".join([made, *lines]) + " return found_; }())", kind

    def folded(self, node: ast.expr, start: str, step: Callable[[Value], str]) -> str:
        """A list or generator brought down to one value `sum_`."""
        if isinstance(node, ast.GeneratorExp | ast.ListComp):
            lines = self.comprehension(node.generators, lambda: [step(self.value(node.elt))])
        else:
            before, head, item = self.loop(node)
            lines = ["{", *before, f"{head} {{", step(item), "} }"]
        return "([&] { " + " ".join([start, *lines]) + " return sum_; }())"

    # ---- expressions

    def test(self, node: ast.expr) -> str:
        """An expression as a C++ condition."""
        if isinstance(node, ast.BoolOp):
            symbol = " && " if isinstance(node.op, ast.And) else " || "
            return "(" + symbol.join(self.test(part) for part in node.values) + ")"
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return f"!{self.test(node.operand)}"
        code, kind = self.value(node)
        return f"({code})" if kind == BOOL else f"truth({code})"

    def value(self, node: ast.expr, want: Kind | None = None) -> Value:
        """(C++, kind) of an expression. `want`: the kind it will be used as, where that is known."""
        handler: Callable[..., Value] | None = getattr(self, f"v_{type(node).__name__}", None)
        if handler is None:
            raise self.refuse(node)
        return handler(node, want)

    def v_Constant(self, node: ast.Constant, want: Kind | None) -> Value:
        if node.value is None:
            return "None{}", NONE
        if isinstance(node.value, bool):
            return f"i64({int(node.value)})", BOOL
        if is_int(node.value) and abs(number := cast("int", node.value)) < 1 << 63:
            return f"i64({number})", INT
        if isinstance(node.value, str):
            return self.owner.word(node.value), STR
        raise self.refuse(node)

    def v_Name(self, node: ast.Name, want: Kind | None) -> Value:
        name = plain_name(node.id)
        if name in self.scope:
            return name, self.scope[name]
        if node.id == "self" and self.cls:
            return f"Ref<{self.cls.__name__}>(this)", ("ref", self.cls)
        value = self.names.get(node.id)
        kind = kind_of(value)
        if isinstance(value, int):
            return f"i64({int(value)})", BOOL if isinstance(value, bool) else INT
        if kind == STR:
            return self.owner.word(str(value)), STR
        raise self.refuse(node, "nothing known of")

    def v_Attribute(self, node: ast.Attribute, want: Kind | None) -> Value:
        owner, kind = self.plain(self.value(node.value))
        if kind[0] != "ref":
            raise self.refuse(node)
        found = self.owner.attribute(kind[1], node.attr, self.at(node))
        if found is not None:
            return f"{owner}->{plain_name(node.attr)}", found
        if isinstance(inspect.getattr_static(kind[1], node.attr, None), property):
            return f"{owner}->{plain_name(node.attr)}()", self.owner.method_of(kind[1], node.attr, self.at(node))
        raise self.refuse(node)

    def v_Subscript(self, node: ast.Subscript, want: Kind | None) -> Value:
        owner, kind = self.plain(self.value(node.value))
        if isinstance(node.slice, ast.Slice):
            if kind[0] != "list" or node.slice.step is not None:
                raise self.refuse(node)
            low = self.plain(self.value(node.slice.lower))[0] if node.slice.lower else "i64(0)"
            high = self.plain(self.value(node.slice.upper))[0] if node.slice.upper else f"{owner}->n"
            return f"{owner}->slice({low}, {high})", kind
        if kind[0] == "tuple":
            if not isinstance(node.slice, ast.Constant) or not isinstance(node.slice.value, int):
                raise self.refuse(node)
            return f"get<{node.slice.value}>({owner})", kind[node.slice.value + 1]
        return self.place(node)

    def v_UnaryOp(self, node: ast.UnaryOp, want: Kind | None) -> Value:
        if isinstance(node.op, ast.Not):
            return f"({self.test(node)})", BOOL
        code, kind = self.plain(self.value(node.operand))
        if kind not in (INT, BOOL) or not isinstance(node.op, ast.USub | ast.Invert):
            raise self.refuse(node)
        return f"({'-' if isinstance(node.op, ast.USub) else '~'}{code})", INT

    def v_BinOp(self, node: ast.BinOp, want: Kind | None) -> Value:
        (a, left), (b, right) = self.plain(self.value(node.left)), self.plain(self.value(node.right))
        if {left, right} <= {INT, BOOL}:
            if type(node.op) in ARITHMETIC:
                return f"({a} {ARITHMETIC[type(node.op)]} {b})", INT
            if type(node.op) in _CALLED:
                return f"{_CALLED[type(node.op)]}({a}, {b})", INT
        raise self.refuse(node)

    def v_BoolOp(self, node: ast.BoolOp, want: Kind | None) -> Value:
        """`and` and `or` give one of their values."""
        first, *rest = node.values
        code, kind = self.value(first, want)
        for each in rest:
            other, its = self.value(each, want)
            if kind == BOOL and its == BOOL:
                symbol = "&&" if isinstance(node.op, ast.And) else "||"
                code = f"(({code}) {symbol} ({other}))"
                continue
            both = self.either(kind, its, node)
            keep = "!truth(one_)" if isinstance(node.op, ast.And) else "truth(one_)"
            yes = f"{cpp(both)}()" if isinstance(node.op, ast.And) and kind[0] == "ref" and its != kind else \
                self.as_kind(("one_", kind), both, self.at(node))
            code = (f"([&]() -> {cpp(both)} {{ {cpp(kind)} one_ = {code}; if ({keep}) return {yes}; "
                    f"return {self.as_kind((other, its), both, self.at(node))}; }}())")
            kind = both
        return code, kind

    def either(self, a: Kind, b: Kind, node: ast.BoolOp) -> Kind:
        # An object is false only where it is None.
        if isinstance(node.op, ast.And) and a[0] == "ref" and b != a:
            return as_maybe(b)
        return joined(a, b, self.at(node))

    def v_Compare(self, node: ast.Compare, want: Kind | None) -> Value:
        values = [self.value(part) if not isinstance(part, ast.Tuple | ast.List) else ("", NONE)
                  for part in (node.left, *node.comparators)]
        parts = []
        for k, (symbol, right) in enumerate(zip(node.ops, node.comparators, strict=True)):
            parts.append(self.compared(symbol, values[k], values[k + 1], right, node))
        return f"({' && '.join(parts)})", BOOL

    def compared(self, op: ast.cmpop, left: Value, right: Value, node: ast.expr, whole: ast.Compare) -> str:
        where = self.at(whole)
        if isinstance(op, ast.Is | ast.IsNot):
            if right[1] != NONE or not isinstance(node, ast.Constant):
                raise self.refuse(whole)
            if left[1][0] not in ("ref", "maybe"):
                raise self.refuse(whole)
            return f"{'!' if isinstance(op, ast.IsNot) else ''}is_none({left[0]})"
        if isinstance(op, ast.In | ast.NotIn):
            if isinstance(node, ast.Tuple | ast.List):
                each = " || ".join(self.compared(ast.Eq(), left, self.value(part), part, whole) for part in node.elts)
                code = f"({each})"
            else:
                owner, kind = self.plain(right)
                if kind[0] not in ("list", "dict", "set"):
                    raise self.refuse(whole)
                code = f"{owner}->contains({self.as_kind(left, kind[1], where)})"
            return f"!{code}" if isinstance(op, ast.NotIn) else code
        if isinstance(op, ast.Eq | ast.NotEq):
            both = joined(left[1], right[1], where)
            same = f"alike({self.as_kind(left, both, where)}, {self.as_kind(right, both, where)})"
            if both in (INT, BOOL):
                return f"({left[0]} {_COMPARE[type(op)]} {right[0]})"
            return f"!{same}" if isinstance(op, ast.NotEq) else same
        (a, first), (b, second) = self.plain(left), self.plain(right)
        if not {first, second} <= {INT, BOOL}:
            raise self.refuse(whole)
        return f"({a} {_COMPARE[type(op)]} {b})"

    def v_IfExp(self, node: ast.IfExp, want: Kind | None) -> Value:
        a, b = self.value(node.body, want), self.value(node.orelse, want)
        kind = want if want is not None and want[0] != "key" else joined(a[1], b[1], self.at(node))
        where = self.at(node)
        return f"({self.test(node.test)} ? {self.as_kind(a, kind, where)} : {self.as_kind(b, kind, where)})", kind

    def v_Tuple(self, node: ast.Tuple, want: Kind | None) -> Value:
        if any(isinstance(part, ast.Starred) for part in node.elts) or (want is not None and want[0] == "list"):
            return self.listed(node.elts, node, want)
        inner = want[1:] if want is not None and want[0] == "tuple" and len(want) == len(node.elts) + 1 else \
            (None,) * len(node.elts)
        values = [self.value(part, kind) for part, kind in zip(node.elts, inner, strict=True)]
        values = [(self.as_kind(v, k, self.at(node)), k) if k is not None else v
                  for v, k in zip(values, inner, strict=True)]
        kind = ("tuple", *(k for _, k in values))
        return f"{cpp(kind)}({', '.join(code for code, _ in values)})", kind

    def v_List(self, node: ast.List, want: Kind | None) -> Value:
        return self.listed(node.elts, node, want)

    def listed(self, parts: list[ast.expr], node: ast.expr, want: Kind | None) -> Value:
        element = want[1] if want is not None and want[0] == "list" else None
        lines = []
        for part in parts:
            if isinstance(part, ast.Starred):
                code, kind = self.plain(self.value(part.value))
                if kind[0] != "list":
                    raise self.refuse(part)
                element = element or kind[1]
                lines.append(f"found_->extend({code});")
            else:
                code, kind = self.value(part, element)
                element = element or (INT if kind == BOOL else kind)
                lines.append(f"found_->append({self.as_kind((code, kind), element, self.at(part))});")
        if element is None:
            raise self.refuse(node, "an empty list of unknown things:")
        return (f"([&] {{ auto found_ = made<List<{cpp(element)}>>(); {' '.join(lines)} return found_; }}())",
                ("list", element))

    def v_Dict(self, node: ast.Dict, want: Kind | None) -> Value:
        if want is None or want[0] != "dict" or node.keys:
            raise self.refuse(node)
        return f"made<{cpp(want)[4:-1]}>()", want

    def v_ListComp(self, node: ast.ListComp, want: Kind | None) -> Value:
        return self.collected(node, want)

    def v_GeneratorExp(self, node: ast.GeneratorExp, want: Kind | None) -> Value:
        return self.collected(node, want)

    def v_DictComp(self, node: ast.DictComp, want: Kind | None) -> Value:
        inner: tuple[Kind | None, Kind | None] = (want[1], want[2]) if want is not None and want[0] == "dict" else (
            None, None)
        kinds: list[Kind] = []

        def put() -> list[str]:
            key, value = self.value(node.key, inner[0]), self.value(node.value, inner[1])
            kinds.extend((inner[0] or key[1], inner[1] or (INT if value[1] == BOOL else value[1])))
            return [f"found_->put({self.as_kind(key, kinds[0], self.at(node))}, "
                    f"{self.as_kind(value, kinds[1], self.at(node))});"]

        lines = self.comprehension(node.generators, put)
        made = f"auto found_ = made<Dict<{cpp(kinds[0])}, {cpp(kinds[1])}>>();"
        return "([&] { " + " ".join([made, *lines]) + " return found_; }())", ("dict", *kinds)

    def v_JoinedStr(self, node: ast.JoinedStr, want: Kind | None) -> Value:
        pieces = []
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                if part.format_spec is not None or part.conversion != -1:
                    raise self.refuse(node)
                code, kind = self.plain(self.value(part.value))
                if kind not in (INT, STR):
                    raise self.refuse(node)
                pieces.append(code)
            else:
                pieces.append(self.value(part)[0])
        return f"(Line() << {' << '.join(pieces)}).done()", STR
