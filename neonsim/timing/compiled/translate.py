"""The plain model's own text as C++: the classes of a pipeline, and the methods that run it.

There is one description of a pipeline, the Python of `inorder`, `outoforder`, `pipeline` and `caches`. It is read as a
tree, every expression gets its kind from the annotations that mypy checks, and what comes out means the same, word for
word: a changed or a new rule is in both. What the translation does not know is `Refused`, with the place.

Not translated: how a machine is made (`__init__` of what is there before the first cycle: Python makes it, and it goes
over the wire), and what is worked out once for a pair of instructions (`Latencies.__call__`: Python is asked).
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import inspect
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from neonsim.timing.compiled.kinds import (
    BOOL,
    INT,
    KEY,
    NONE,
    STR,
    Kind,
    Refused,
    annotated,
    as_maybe,
    constants,
    cpp,
    fields_of,
    function_ast,
    joined,
    kind_of,
    method,
)

__all__ = ["Translation", "translate"]

_COMPARE = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
_ARITHMETIC = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^"}
_CALLED = {ast.FloorDiv: "floor_div", ast.Mod: "floor_mod", ast.LShift: "power_of_two"}
Value = tuple[str, Kind]


@dataclass
class Translation:
    """C++ of a pipeline.

    text      definitions, without what every translation begins and ends with
    classes   class -> its fields that went over, in order
    words     strings that the text names, by their numbers
    """

    text: str
    classes: dict[type, dict[str, Kind]]
    words: tuple[str, ...]


class _Translator:
    def __init__(self, asked: type) -> None:
        self.asked = asked
        self.words: dict[str, int] = {"": 0}
        self.used: dict[type, dict[str, Kind]] = {}
        self.bodies: dict[str, str] = {}             # signature's owner -> definition
        self.heads: dict[type, list[str]] = {}
        self.loose: list[str] = []                   # declarations of functions outside of classes
        self.made: set[type] = set()

    def word(self, text: str) -> str:
        return f"Str{{{self.words.setdefault(text, len(self.words))}}}"

    def see(self, kind: Kind) -> Kind:
        """Note the classes that a kind speaks of."""
        for part in kind[1:]:
            if inspect.isclass(part):
                self.used.setdefault(part, {})
            elif isinstance(part, tuple):
                self.see(part)
        return kind

    def attribute(self, cls: type, name: str, where: str) -> Kind | None:
        """The kind of a field, noted as used; None if it is no field."""
        kind = fields_of(cls).get(name)
        if isinstance(kind, Refused):
            raise Refused(f"{where}: {kind}")
        if kind is not None:
            self.used.setdefault(cls, {})[name] = self.see(kind)
        return kind

    def method_of(self, cls: type, name: str, where: str) -> Kind:
        """Translate a method, once; -> the kind of its answer."""
        function = method(cls, name)
        if function is None:
            raise Refused(f"{where}: {cls.__name__} has no {name} that can be translated")
        return self.function(function, cls)

    def function(self, function: Any, cls: type | None = None) -> Kind:
        tree = function_ast(function)
        names = constants(function)
        where = f"{function.__module__.rpartition('.')[2]}.py:{tree.lineno} {function.__qualname__}"
        answer = NONE if tree.name == "__init__" or tree.returns is None else annotated(tree.returns, names, where)
        owner = f"{cls.__name__}::" if cls else ""
        name = f"{owner}{_plain(tree.name)}"
        if name in self.bodies:
            return answer
        self.bodies[name] = ""
        inside = _Function(self, tree, names, where, cls, self.see(answer))
        parameters = []
        arguments = tree.args.args[1 if cls else 0:]
        if tree.args.kwonlyargs or tree.args.vararg or tree.args.kwarg:
            raise Refused(f"{where}: a parameter by name only, or any number of them")
        for arg in arguments:
            if arg.annotation is None:
                raise Refused(f"{where}: {arg.arg} has no annotation")
            kind = self.see(annotated(arg.annotation, names, where))
            inside.scope[_plain(arg.arg)] = kind
            parameters.append(f"{cpp(kind)} {_plain(arg.arg)}")
        defaults = dict(zip([a.arg for a in arguments][len(arguments) - len(tree.args.defaults):], tree.args.defaults,
                            strict=True))
        result = "void" if answer == NONE else cpp(answer)
        shown = ", ".join(parameter + (f" = {inside.value(defaults[arg.arg])[0]}" if arg.arg in defaults else "")
                          for parameter, arg in zip(parameters, arguments, strict=True))
        head = f"{result} {_plain(tree.name)}({shown});"
        if cls:
            self.used.setdefault(cls, {})
            self.heads.setdefault(cls, []).append(head)
        else:
            self.loose.append(f"static {head}")
        lines = inside.block(tree.body)
        fixed = [f"{cpp(kind)} {name}{{}};" for name, kind in inside.locals.items()]
        static = "" if cls else "static "
        self.bodies[name] = "\n".join([f"{static}{result} {name}({', '.join(parameters)}) {{", *fixed, *lines, "}"])
        return answer

    def construct(self, cls: type, node: ast.Call, inside: _Function) -> Value:
        """A call of a class."""
        where = inside.at(node)
        self.used.setdefault(cls, {})
        given = [inside.value(arg) for arg in node.args]
        by_name = {str(word.arg): inside.value(word.value) for word in node.keywords}
        start = method(cls, "__init__")
        if start is not None and not dataclasses.is_dataclass(cls):
            if by_name:
                raise Refused(f"{where}: arguments by name")
            self.method_of(cls, "__init__", where)
            kinds = [annotated(arg.annotation, constants(start), where)
                     for arg in function_ast(start).args.args[1:] if arg.annotation is not None]
            sent = ", ".join(inside.as_kind(v, k, where) for v, k in zip(given, kinds, strict=False))
            return f"([&] {{ auto made_ = made<{cls.__name__}>(); made_->init_({sent}); return made_; }}())", ("ref", cls)
        fields = [(name, kind) for name, kind in fields_of(cls).items()
                  if not isinstance(inspect.getattr_static(cls, name, None), property)]
        lines = []
        for k, (name, kind) in enumerate(fields):
            if isinstance(kind, Refused):
                raise Refused(f"{where}: {kind}")
            if k < len(given):
                code = inside.as_kind(given[k], kind, where)
            elif name in by_name:
                code = inside.as_kind(by_name[name], kind, where)
            else:
                code = self.default(cls, name, kind, where)
            self.attribute(cls, name, where)
            lines.append(f"made_->{_plain(name)} = {code};")
        return (f"([&] {{ auto made_ = made<{cls.__name__}>(); {' '.join(lines)} return made_; }}())", ("ref", cls))

    def default(self, cls: type, name: str, kind: Kind, where: str) -> str:
        """What a field of a dataclass is, unless said."""
        row = getattr(cls, "__dataclass_fields__", {}).get(name)
        if row is None:
            raise Refused(f"{where}: {cls.__name__} needs {name}")
        if row.default_factory in (list, dict):
            return f"made<{cpp(kind)[4:-1]}>()"
        if row.default is None:
            return "None{}"
        if kind in (INT, BOOL) and isinstance(row.default, int):
            return f"i64({int(row.default)})"
        if kind == STR and isinstance(row.default, str):
            return self.word(row.default)
        raise Refused(f"{where}: the default of {cls.__name__}.{name}")


class _Function:
    """One function: its scope, statements, expressions."""

    def __init__(self, owner: _Translator, tree: ast.FunctionDef, names: dict[str, Any], where: str,
                 cls: type | None, answer: Kind) -> None:
        self.owner, self.tree, self.names, self.where, self.cls, self.answer = owner, tree, names, where, cls, answer
        self.scope: dict[str, Kind] = {}
        self.locals: dict[str, Kind] = {}
        self.inner: dict[str, tuple[list[Kind], Kind]] = {}     # functions inside
        self.count = 0
        self.flags: list[str] = []

    def at(self, node: ast.AST) -> str:
        return f"{self.where.split()[0].split(':')[0]}:{getattr(node, 'lineno', self.tree.lineno)}"

    def fresh(self, word: str) -> str:
        self.count += 1
        return f"{word}{self.count}_"

    def refuse(self, node: ast.AST, what: str = "") -> Refused:
        shown = ast.unparse(node).splitlines()[0][:80]
        return Refused(f"{self.at(node)}: {what or 'no translation of'} {shown}")

    # ---- statements

    def block(self, body: list[ast.stmt]) -> list[str]:
        lines = []
        for node in body:
            handler: Callable[[Any], list[str]] | None = getattr(self, f"_{type(node).__name__}", None)
            if handler is None:
                raise self.refuse(node)
            lines += handler(node)
        return lines

    def _Expr(self, node: ast.Expr) -> list[str]:
        return [] if isinstance(node.value, ast.Constant) else [f"{self.value(node.value)[0]};"]

    def _Pass(self, node: ast.Pass) -> list[str]:
        return [";"]

    def _Return(self, node: ast.Return) -> list[str]:
        if node.value is None or self.answer == NONE:
            return ["return;"]
        return [f"return {self.as_kind(self.value(node.value, self.answer), self.answer, self.at(node))};"]

    def _Break(self, node: ast.Break) -> list[str]:
        return [f"{self.flags[-1]} = true;", "break;"] if self.flags[-1] else ["break;"]

    def _Continue(self, node: ast.Continue) -> list[str]:
        return ["continue;"]

    def _Assert(self, node: ast.Assert) -> list[str]:
        return [f"if (!({self.test(node.test)})) fail();"]

    def _If(self, node: ast.If) -> list[str]:
        lines = [f"if ({self.test(node.test)}) {{", *self.block(node.body), "}"]
        return [*lines, "else {", *self.block(node.orelse), "}"] if node.orelse else lines

    def _While(self, node: ast.While) -> list[str]:
        if node.orelse:
            raise self.refuse(node, "else after")
        self.flags.append("")
        lines = [f"while ({self.test(node.test)}) {{", *self.block(node.body), "}"]
        self.flags.pop()
        return lines

    def _For(self, node: ast.For) -> list[str]:
        flag = self.fresh("broken") if node.orelse else ""
        before, head, item = self.loop(node.iter)
        self.flags.append(flag)
        bound = self.bind(node.target, item)
        lines = ["{", *([f"bool {flag} = false;"] if flag else []), *before, f"{head} {{", *bound,
                 *self.block(node.body), "}"]
        self.flags.pop()
        if flag:
            lines += [f"if (!{flag}) {{", *self.block(node.orelse), "}"]
        return [*lines, "}"]

    def _FunctionDef(self, node: ast.FunctionDef) -> list[str]:
        """A function inside: its own names, and those around it."""
        if node.returns is None:
            raise self.refuse(node, "no annotation of")
        kinds = [annotated(arg.annotation, self.names, self.at(node)) for arg in node.args.args
                 if arg.annotation is not None]
        inside = _Function(self.owner, node, self.names, self.where, self.cls,
                           annotated(node.returns, self.names, self.at(node)))
        inside.scope = {**self.scope, **{_plain(a.arg): k for a, k in zip(node.args.args, kinds, strict=True)}}
        body = inside.block(node.body)
        own = [f"{cpp(kind)} {name}{{}};" for name, kind in inside.locals.items()]
        shown = ", ".join(f"{cpp(k)} {_plain(a.arg)}" for a, k in zip(node.args.args, kinds, strict=True))
        self.inner[node.name] = kinds, inside.answer
        return [f"auto {_plain(node.name)} = [&]({shown}) -> {cpp(inside.answer)} {{", *own, *body, "};"]

    def _AnnAssign(self, node: ast.AnnAssign) -> list[str]:
        kind = self.owner.see(annotated(node.annotation, self.names, self.at(node)))
        if isinstance(node.target, ast.Name):
            self.declare(node.target.id, kind)
        if node.value is None:
            return []
        return [f"{self.place(node.target)[0]} = {self.as_kind(self.value(node.value, kind), kind, self.at(node))};"]

    def _Assign(self, node: ast.Assign) -> list[str]:
        wanted = self.wanted(node.targets[0])
        if len(node.targets) == 1 and isinstance(node.targets[0], ast.Tuple) and isinstance(node.value, ast.Tuple):
            return self.several(node.targets[0], node.value)
        if len(node.targets) == 1 and wanted is not None:
            return self.assign(node.targets[0], self.value(node.value, wanted))
        code, kind = self.value(node.value, wanted)
        if len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            return self.assign(node.targets[0], (code, kind))
        name = self.fresh("value")
        lines = ["{", f"{cpp(kind)} {name} = {code};"]
        for target in node.targets:
            lines += self.assign(target, (name, kind))
        return [*lines, "}"]

    def several(self, targets: ast.Tuple, values: ast.Tuple) -> list[str]:
        """a, b = x, y: all values before the first assignment."""
        lines, later = ["{"], []
        for target, value in zip(targets.elts, values.elts, strict=True):
            code, kind = self.value(value, self.wanted(target))
            name = self.fresh("value")
            lines.append(f"{cpp(kind)} {name} = {code};")
            later.append((target, (name, kind)))
        for target, pair in later:
            lines += self.assign(target, pair)
        return [*lines, "}"]

    def wanted(self, target: ast.expr) -> Kind | None:
        """The kind that a target is known to have."""
        if isinstance(target, ast.Name):
            return self.scope.get(_plain(target.id))
        if isinstance(target, ast.Attribute):
            return self.value(target)[1]
        return None

    def _AugAssign(self, node: ast.AugAssign) -> list[str]:
        place, kind = self.place(node.target)
        code, other = self.plain(self.value(node.value))
        if kind not in (INT, BOOL) or other not in (INT, BOOL):
            raise self.refuse(node)
        symbol = _ARITHMETIC.get(type(node.op))
        if symbol is None:
            raise self.refuse(node)
        return [f"{place} {symbol}= {code};"]

    def _Delete(self, node: ast.Delete) -> list[str]:
        lines = []
        for target in node.targets:
            if not isinstance(target, ast.Subscript):
                raise self.refuse(node)
            owner, kind = self.plain(self.value(target.value))
            if kind[0] != "dict":
                raise self.refuse(node)
            lines.append(f"{owner}->pop({self.as_kind(self.value(target.slice), kind[1], self.at(node))});")
        return lines

    def declare(self, name: str, kind: Kind) -> None:
        name = _plain(name)
        known = self.scope.get(name)
        if known is None:
            self.scope[name] = self.locals[name] = self.owner.see(kind)
        elif known != kind and {known, kind} != {INT, BOOL}:
            raise Refused(f"{self.where}: {name} is of two kinds, {known} and {kind}")

    def place(self, target: ast.expr) -> Value:
        """Something that can stand left of an assignment."""
        if isinstance(target, ast.Subscript):
            owner, kind = self.plain(self.value(target.value))
            index = self.value(target.slice)
            if kind[0] == "list":
                return f"{owner}->at({self.plain(index)[0]})", kind[1]
            if kind[0] == "dict":
                return f"{owner}->at({self.as_kind(index, kind[1], self.at(target))})", kind[2]
            raise self.refuse(target)
        return self.value(target)

    def assign(self, target: ast.expr, value: Value) -> list[str]:
        code, kind = value
        if isinstance(target, ast.Name):
            if _plain(target.id) not in self.scope:
                self.declare(target.id, INT if kind == BOOL else kind)
            return [f"{_plain(target.id)} = {self.as_kind(value, self.scope[_plain(target.id)], self.at(target))};"]
        if isinstance(target, ast.Tuple):
            name = self.fresh("pair")
            code, kind = self.plain(value)
            return ["{", f"{cpp(kind)} {name} = {code};", *self.bind(target, (name, kind)), "}"]
        if isinstance(target, ast.Subscript):
            owner, held = self.plain(self.value(target.value))
            if held[0] == "dict":
                key = self.as_kind(self.value(target.slice), held[1], self.at(target))
                return [f"{owner}->put({key}, {self.as_kind(value, held[2], self.at(target))});"]
        place, wanted = self.place(target)
        return [f"{place} = {self.as_kind(value, wanted, self.at(target))};"]

    def bind(self, target: ast.expr, value: Value) -> list[str]:
        """Names for a value, or for the parts of a tuple."""
        if isinstance(target, ast.Name | ast.Attribute | ast.Subscript):
            return [] if isinstance(target, ast.Name) and target.id == "_" else self.assign(target, value)
        code, kind = self.plain(value)
        if isinstance(target, ast.Tuple) and kind[0] == "tuple" and len(kind) == len(target.elts) + 1:
            lines = []
            for k, part in enumerate(target.elts):
                lines += self.bind(part, (f"get<{k}>({code})", kind[k + 1]))
            return lines
        raise self.refuse(target, f"a value of kind {kind} does not go into")

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
                    self.scope.pop(_plain(name.id), None)
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

    def plain(self, value: Value) -> Value:
        """What may be missing, as it is when it is there."""
        code, kind = value
        return (f"({code}).value()", kind[1]) if kind[0] == "maybe" else value

    def as_kind(self, value: Value, kind: Kind, where: str) -> str:
        """A value as one of another kind that holds it."""
        code, own = value
        if own == kind or {own, kind} <= {INT, BOOL}:
            return code
        if kind == KEY:
            return f"key_of({code})"
        if kind[0] == "maybe":
            return f"{cpp(kind)}({code})" if own == NONE else \
                f"{cpp(kind)}({self.as_kind(value, kind[1], where)})"
        if own[0] == "maybe":
            return self.as_kind(self.plain(value), kind, where)
        if own == NONE and kind[0] in ("ref", "list", "dict"):
            return f"{cpp(kind)}()"
        if own[0] == kind[0] == "tuple" and len(own) == len(kind):
            parts = ", ".join(self.as_kind((f"get<{k}>(whole_)", a), b, where)
                              for k, (a, b) in enumerate(zip(own[1:], kind[1:], strict=True)))
            return f"([&] {{ auto whole_ = {code}; return {cpp(kind)}({parts}); }}())"
        raise Refused(f"{where}: a value of kind {own} where one of {kind} is needed")

    def value(self, node: ast.expr, want: Kind | None = None) -> Value:
        """(C++, kind) of an expression. `want`: the kind it will be used as, where that is known."""
        handler: Callable[..., Value] | None = getattr(self, f"v_{type(node).__name__}", None)
        if handler is None:
            raise self.refuse(node)
        return handler(node, want)

    def v_Constant(self, node: ast.Constant, want: Kind | None) -> Value:
        if node.value is None:
            return "None{}", NONE
        if isinstance(node.value, bool | int) and abs(node.value) < 1 << 63:
            return f"i64({int(node.value)})", BOOL if isinstance(node.value, bool) else INT
        if isinstance(node.value, str):
            return self.owner.word(node.value), STR
        raise self.refuse(node)

    def v_Name(self, node: ast.Name, want: Kind | None) -> Value:
        name = _plain(node.id)
        if name in self.scope:
            return name, self.scope[name]
        if node.id == "self" and self.cls:
            return f"Ref<{self.cls.__name__}>(this)", ("ref", self.cls)
        value = self.names.get(node.id)
        kind = kind_of(value)
        if kind in (INT, BOOL):
            return f"i64({int(value)})", kind or INT
        if kind == STR:
            return self.owner.word(str(value)), STR
        raise self.refuse(node, "nothing known of")

    def v_Attribute(self, node: ast.Attribute, want: Kind | None) -> Value:
        owner, kind = self.plain(self.value(node.value))
        if kind[0] != "ref":
            raise self.refuse(node)
        found = self.owner.attribute(kind[1], node.attr, self.at(node))
        if found is not None:
            return f"{owner}->{_plain(node.attr)}", found
        if isinstance(inspect.getattr_static(kind[1], node.attr, None), property):
            return f"{owner}->{_plain(node.attr)}()", self.owner.method_of(kind[1], node.attr, self.at(node))
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
            if type(node.op) in _ARITHMETIC:
                return f"({a} {_ARITHMETIC[type(node.op)]} {b})", INT
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

    # ---- calls

    def v_Call(self, node: ast.Call, want: Kind | None) -> Value:
        if isinstance(node.func, ast.Name):
            name = node.func.id
            if name in self.inner:
                kinds, answer = self.inner[name]
                return f"{_plain(name)}({self.sent(node, kinds)})", answer
            found = self.names.get(name)
            if inspect.isfunction(found):
                answer = self.owner.function(found)
                return f"{_plain(found.__name__)}({self.sent(node, self.parameters(found))})", answer
            if inspect.isclass(found) and found.__module__.startswith("neonsim."):
                return self.owner.construct(found, node, self)
            builtin: Callable[..., Value] | None = getattr(self, f"c_{name}", None)
            if builtin is not None and name not in self.scope:
                return builtin(node, want)
        if isinstance(node.func, ast.Attribute):
            return self.called(node, node.func)
        raise self.refuse(node)

    def parameters(self, function: Any, skip: int = 0) -> list[Kind]:
        return [annotated(arg.annotation, constants(function), self.where)
                for arg in function_ast(function).args.args[skip:] if arg.annotation is not None]

    def sent(self, node: ast.Call, kinds: list[Kind]) -> str:
        if node.keywords or len(node.args) > len(kinds) or any(isinstance(arg, ast.Starred) for arg in node.args):
            raise self.refuse(node, "arguments by name, or a row of them:")
        return ", ".join(self.as_kind(self.value(arg, kind), kind, self.at(node))
                         for arg, kind in zip(node.args, kinds, strict=False))

    def called(self, node: ast.Call, func: ast.Attribute) -> Value:
        """A method of an object, a list, a dictionary or a word."""
        if isinstance(func.value, ast.Name) and func.value.id == "dict" and func.attr == "fromkeys":
            raise self.refuse(node)
        owner, kind = self.plain(self.value(func.value))
        name, where = func.attr, self.at(node)
        if kind[0] == "ref":
            attribute = self.owner.attribute(kind[1], name, where)
            if attribute is not None:
                if attribute[0] != "ref":
                    raise self.refuse(node)
                cls = attribute[1]
                asked = "__call__"
                if cls is not self.owner.asked:
                    self.owner.method_of(cls, asked, where)
                call = method(cls, asked)
                answer = annotated(function_ast(call).returns or ast.Constant(None), constants(call), where)
                return f"{owner}->{_plain(name)}->call_({self.sent(node, self.parameters(call, 1))})", answer
            answer = self.owner.method_of(kind[1], name, where)
            return f"{owner}->{_plain(name)}({self.sent(node, self.parameters(method(kind[1], name), 1))})", answer
        handler: Callable[..., Value] | None = getattr(self, f"m_{kind[0]}_{name}", None)
        if handler is None:
            raise self.refuse(node)
        return handler(node, owner, kind)

    def m_list_append(self, node: ast.Call, owner: str, kind: Kind) -> Value:
        return f"{owner}->append({self.sent(node, [kind[1]])})", NONE

    m_list_append.__doc__ = "Also `remove`, `popleft` ... below: as Python's."

    def m_list_remove(self, node: ast.Call, owner: str, kind: Kind) -> Value:
        return f"{owner}->remove({self.sent(node, [kind[1]])})", NONE

    def m_list_popleft(self, node: ast.Call, owner: str, kind: Kind) -> Value:
        return f"{owner}->popleft()", kind[1]

    def m_list_pop(self, node: ast.Call, owner: str, kind: Kind) -> Value:
        return f"{owner}->pop({self.sent(node, [INT])})", kind[1]

    def m_list_clear(self, node: ast.Call, owner: str, kind: Kind) -> Value:
        return f"{owner}->clear()", NONE

    def m_list_extend(self, node: ast.Call, owner: str, kind: Kind) -> Value:
        return f"{owner}->extend({self.sent(node, [kind])})", NONE

    def m_list_sort(self, node: ast.Call, owner: str, kind: Kind) -> Value:
        by = node.keywords[0].value if len(node.keywords) == 1 and node.keywords[0].arg == "key" else None
        found = self.names.get(by.id) if isinstance(by, ast.Name) else None
        if node.args or (node.keywords and not inspect.isfunction(found)):
            raise self.refuse(node)
        element = cpp(kind[1])
        if found is None:
            return f"{owner}->sort([](const {element} &a, const {element} &b) {{ return less(a, b); }})", NONE
        self.owner.function(found)
        name = _plain(found.__name__)
        return (f"{owner}->sort([](const {element} &a, const {element} &b) {{ return less({name}(a), {name}(b)); }})",
                NONE)

    def m_dict_get(self, node: ast.Call, owner: str, kind: Kind) -> Value:
        answer = kind[2] if len(node.args) > 1 else as_maybe(kind[2])
        if answer[0] == "ref" and len(node.args) == 1:
            return f"{owner}->look({self.sent(node, list(kind[1:]))}, {cpp(answer)}())", answer
        return f"{owner}->look({self.sent(node, list(kind[1:]))})", answer

    def m_dict_pop(self, node: ast.Call, owner: str, kind: Kind) -> Value:
        return f"{owner}->pop({self.sent(node, list(kind[1:]))})", kind[2]

    def m_dict_setdefault(self, node: ast.Call, owner: str, kind: Kind) -> Value:
        return f"{owner}->setdefault({self.sent(node, list(kind[1:]))})", kind[2]

    def m_str_join(self, node: ast.Call, owner: str, kind: Kind) -> Value:
        step = "if (!first_) line_ << {glue}; first_ = false; line_ << {item};"
        before, head, (code, item) = self.loop(node.args[0])
        if item != STR:
            raise self.refuse(node)
        lines = ["{", *before, f"{head} {{", step.format(glue=owner, item=code), "} }"]
        return f"([&] {{ Line line_; bool first_ = true; {' '.join(lines)} return line_.done(); }}())", STR

    def c_len(self, node: ast.Call, want: Kind | None) -> Value:
        code, kind = self.plain(self.value(node.args[0]))
        if kind[0] not in ("list", "dict", "set"):
            raise self.refuse(node)
        return f"{code}->n", INT

    def c_id(self, node: ast.Call, want: Kind | None) -> Value:
        code, kind = self.value(node.args[0])
        if kind[0] != "ref":
            raise self.refuse(node)
        return f"i64(({code}).p)", INT

    def c_int(self, node: ast.Call, want: Kind | None) -> Value:
        code, kind = self.plain(self.value(node.args[0]))
        if kind not in (INT, BOOL):
            raise self.refuse(node)
        return f"i64({code})", INT

    def c_bool(self, node: ast.Call, want: Kind | None) -> Value:
        return f"({self.test(node.args[0])})", BOOL

    def c_abs(self, node: ast.Call, want: Kind | None) -> Value:
        code, kind = self.plain(self.value(node.args[0]))
        if kind != INT:
            raise self.refuse(node)
        return f"([&] {{ i64 v_ = {code}; return v_ < 0 ? -v_ : v_; }}())", INT

    def c_sum(self, node: ast.Call, want: Kind | None) -> Value:
        if len(node.args) != 1 or node.keywords:
            raise self.refuse(node)
        return self.folded(node.args[0], "i64 sum_ = 0;", lambda v: f"sum_ += {self.number(v, node)};"), INT

    def number(self, value: Value, node: ast.expr) -> str:
        code, kind = self.plain(value)
        if kind not in (INT, BOOL):
            raise self.refuse(node)
        return code

    def truth(self, value: Value) -> str:
        return f"({value[0]})" if value[1] == BOOL else f"truth({value[0]})"

    def c_any(self, node: ast.Call, want: Kind | None) -> Value:
        return self.folded(node.args[0], "i64 sum_ = 0;", lambda v: f"if ({self.truth(v)}) return i64(1);"), BOOL

    def c_all(self, node: ast.Call, want: Kind | None) -> Value:
        return self.folded(node.args[0], "i64 sum_ = 1;", lambda v: f"if (!{self.truth(v)}) return i64(0);"), BOOL

    def c_max(self, node: ast.Call, want: Kind | None) -> Value:
        return self.most(node, "less(best_, v_)")

    def c_min(self, node: ast.Call, want: Kind | None) -> Value:
        return self.most(node, "less(v_, best_)")

    def most(self, node: ast.Call, better: str) -> Value:
        """max and min of several values, or of a list; the first of equal ones."""
        by = {str(word.arg): word.value for word in node.keywords}
        if set(by) - {"default"}:
            raise self.refuse(node)
        if len(node.args) > 1:
            values = [self.plain(self.value(arg)) for arg in node.args]
            kind = values[0][1]
            for _, other in values[1:]:
                kind = joined(kind, other, self.at(node))
            lines = [f"{cpp(kind)} best_ = {values[0][0]};"]
            lines += [f"{{ {cpp(kind)} v_ = {code}; if ({better}) best_ = v_; }}" for code, _ in values[1:]]
            return "([&] { " + " ".join(lines) + " return best_; }())", kind
        if isinstance(node.args[0], ast.GeneratorExp | ast.ListComp):
            code, listed = self.collected(node.args[0])
        else:
            code, listed = self.plain(self.value(node.args[0]))
        if listed[0] != "list":
            raise self.refuse(node)
        kind = listed[1]
        other = f"return {self.as_kind(self.value(by['default']), kind, self.at(node))};" if "default" in by else "fail();"
        return (f"([&]() -> {cpp(kind)} {{ {cpp(listed)} all_ = {code}; if (!all_->n) {other} "
                f"{cpp(kind)} best_ = all_->at(0); for (i64 i_ = 1; i_ < all_->n; i_++) {{ {cpp(kind)} v_ = "
                f"all_->at(i_); if ({better}) best_ = v_; }} return best_; }}())"), kind

    def c_next(self, node: ast.Call, want: Kind | None) -> Value:
        """next(iter(d)); next(generator) and next(generator, default)."""
        what = node.args[0]
        if isinstance(what, ast.Call) and isinstance(what.func, ast.Name) and what.func.id == "iter":
            code, kind = self.plain(self.value(what.args[0]))
            if kind[0] != "dict" or len(node.args) > 1:
                raise self.refuse(node)
            return f"{code}->oldest()", kind[1]
        if not isinstance(what, ast.GeneratorExp):
            raise self.refuse(node)
        kinds: list[Kind] = []

        def inner() -> list[str]:
            code, kind = self.value(what.elt)
            kinds.append(INT if kind == BOOL else kind)
            return [f"return RESULT_({code});"]

        lines = self.comprehension(what.generators, inner)
        kind = kinds[0]
        last = "fail();"
        if len(node.args) > 1:
            other = self.value(node.args[1])
            kind = joined(kind, other[1], self.at(node))
            last = f"return {self.as_kind(other, kind, self.at(node))};"
        text = " ".join(lines).replace("RESULT_", cpp(kind))
        return f"([&]() -> {cpp(kind)} {{ {text} {last} }}())", kind

    def c_list(self, node: ast.Call, want: Kind | None) -> Value:
        return self.copied(node, want, "list")

    def c_tuple(self, node: ast.Call, want: Kind | None) -> Value:
        return self.copied(node, want, "list")

    def c_dict(self, node: ast.Call, want: Kind | None) -> Value:
        return self.copied(node, want, "dict")

    def copied(self, node: ast.Call, want: Kind | None, word: str) -> Value:
        if len(node.args) != 1 or node.keywords:
            raise self.refuse(node)
        if isinstance(node.args[0], ast.GeneratorExp):
            return self.collected(node.args[0], want)
        code, kind = self.plain(self.value(node.args[0]))
        if kind[0] != word:
            raise self.refuse(node)
        return f"{code}->copy()", kind

    def c_sorted(self, node: ast.Call, want: Kind | None) -> Value:
        if len(node.args) != 1 or node.keywords:
            raise self.refuse(node)
        what = node.args[0]
        if isinstance(what, ast.GeneratorExp):
            code, kind = self.collected(what)
        elif self.walked(what)[0] == "values":
            _, owner, held = self.walked(what)
            kind = ("list", held[2])
            code = (f"([&] {{ auto found_ = made<List<{cpp(held[2])}>>(); auto all_ = {owner}; for (i64 i_ = 0; i_ < "
                    "all_->used; i_++) if (all_->entries[i_].there) found_->append(all_->entries[i_].v); "
                    "return found_; }())")
        else:
            code, kind = self.plain(self.value(what))
        if kind[0] != "list":
            raise self.refuse(node)
        element = cpp(kind[1])
        return (f"([&] {{ auto sorted_ = {code}->copy(); sorted_->sort([](const {element} &a, const {element} &b) "
                "{ return less(a, b); }); return sorted_; }())"), kind


# Words that C++ keeps for itself, and those of ours.
_TAKEN = frozenset("""and auto bool break case char class const continue default delete do double else enum explicit
extern false float for friend goto if inline int long namespace new not operator or private protected public register
return short signed sizeof static struct switch template this throw true try typedef union unsigned using virtual void
while get refs load save NEW HIT truth less alike fail made here allot""".split())


def _plain(name: str) -> str:
    """A name of Python as one of C++."""
    fixed = {"__init__": "init_", "__call__": "call_"}
    return fixed.get(name) or (f"{name}_py" if name in _TAKEN else name)


@functools.cache
def translate(root: type, memory: type, asked: type) -> Translation:
    """The C++ of a pipeline.

    root     its class; `run` is what is called
    memory   the class of the caches, which come back as they are after the run
    asked    the class whose calls go back to Python: (four numbers) -> a number, kept in its dictionaries of such keys

    Raises Refused with what is not translated and where.
    """
    work = _Translator(asked)
    answer = work.method_of(root, "run", root.__name__)
    for name, kind in fields_of(asked).items():
        if not isinstance(kind, Refused) and kind == ("dict", ("tuple", INT, INT, INT, INT), INT):
            work.attribute(asked, name, asked.__name__)
    # What comes back comes back whole, with the fields of what is in it.
    for cls in (answer[1], memory):
        _whole(work, cls)
    work.attribute(root, "marks", root.__name__)
    _whole(work, fields_of(root)["marks"][1][1])        # type: ignore[index]
    return Translation(_written(work, root, memory, answer[1]), work.used, tuple(work.words))


def _whole(work: _Translator, cls: type) -> None:
    for name, kind in fields_of(cls).items():
        if isinstance(inspect.getattr_static(cls, name, None), property):
            continue
        if not isinstance(kind, Refused):
            work.attribute(cls, name, cls.__name__)
            for part in _classes(kind):
                if not work.used[part]:
                    _whole(work, part)


def _classes(kind: Kind) -> list[type]:
    found = []
    for part in kind[1:]:
        if inspect.isclass(part):
            found.append(part)
        elif isinstance(part, tuple):
            found += _classes(part)
    return found


def _written(work: _Translator, root: type, memory: type, answer: type) -> str:
    """All definitions, in an order that C++ takes."""
    classes = list(work.used)
    lines = [f"struct {cls.__name__};" for cls in classes]
    for cls in classes:
        fields = work.used[cls]
        equal = "__eq__" in vars(cls) or issubclass(cls, tuple)
        sized = any("__len__" in vars(base) or "__bool__" in vars(base) for base in cls.__mro__[:-1])
        lines += [f"struct {cls.__name__} {{", "i64 refs = 0;",
                  f"static constexpr bool by_identity = {json.dumps(not equal)}, always_true = {json.dumps(not sized)};",
                  *(f"{cpp(kind)} {_plain(name)}{{}};" for name, kind in fields.items()),
                  *work.heads.get(cls, []), "void load(In &wire_);", "void save(Out &wire_) const;"]
        if cls is work.asked:
            lines += ["Ref<Dict<std::tuple<i64, i64, i64, i64>, i64>> answered_;",
                      "i64 call_(i64 a, i64 b, i64 c, i64 d);"]
        lines.append("};")
    lines += work.loose
    for cls in classes:
        fields = work.used[cls]
        name = cls.__name__
        lines += [f"void {name}::load(In &wire_) {{", *(f"::load(wire_, {_plain(f)});" for f in fields), "}",
                  f"void {name}::save(Out &wire_) const {{", *(f"::save(wire_, {_plain(f)});" for f in fields), "}"]
    if work.asked in work.used:
        lines += _asking(work.asked.__name__, work.used[work.asked])
    lines += [body for body in work.bodies.values() if body]
    return "\n".join([*lines, _ENTRY.format(root=root.__name__, memory=memory.__name__, answer=answer.__name__)])


def _asking(name: str, fields: dict[str, Kind]) -> list[str]:
    """A call that Python answers: for each dictionary whether the key is in it now, and its value."""
    wanted = [field for field, kind in fields.items() if kind[0] == "dict"]
    lines = [f"i64 {name}::call_(i64 a, i64 b, i64 c, i64 d) {{",
             "std::tuple<i64, i64, i64, i64> k(a, b, c, d);",
             "if (!answered_.p) answered_ = made<Dict<std::tuple<i64, i64, i64, i64>, i64>>();",
             "i64 before = answered_->find(k);", "if (before >= 0) return answered_->entries[before].v;",
             f"i64 key[4] = {{a, b, c, d}}, answer[{1 + 2 * len(wanted)}];", "here->ask(key, answer);",
             "answered_->put(k, answer[0]);"]
    for n, field_name in enumerate(wanted):
        lines.append(f"if (answer[{1 + 2 * n}]) {field_name}->put(k, answer[{2 + 2 * n}]);")
    return [*lines, "return answer[0];", "}"]


_ENTRY = """
extern "C" int neonsim_run(const i64 *words, i64 count, const char *letters, const i64 *lengths, i64 texts, Ask ask,
                           Answer *answer) {{
    Run run{{}};
    Run *before = here;
    run.chunks.before = run.chunks.after = &run.chunks;
    run.ask = ask;
    here = &run;
    static thread_local Out out;
    out = Out{{nullptr, 0, 0}};
    int status = setjmp(run.out);
    if (!status) {{
        for (i64 k = 0; k < texts; letters += lengths[k++]) interned(letters, lengths[k]);
        if (run.texts != texts) fail();
        In in{{words, words + count, nullptr, 0, 0}};
        Ref<{root}> machine;
        Ref<{memory}> memory;
        load(in, machine);
        load(in, memory);
        Ref<{answer}> result = machine->run();
        save(out, result);
        save(out, machine->marks);
        save(out, memory);
        i64 bytes = run.start[run.texts];
        answer->letters = (char *)malloc(bytes);
        if (!answer->letters) fail();
        memcpy(answer->letters, run.letters, bytes);
        answer->words = out.words, answer->n = out.n, answer->texts_bytes = bytes, answer->texts = run.texts;
    }} else
        free(out.words);
    for (Block *b = run.chunks.after; b != &run.chunks;) {{
        Block *after = b->after;
        free(b);
        b = after;
    }}
    here = before;
    return status;
}}

extern "C" void neonsim_forget(Answer *answer) {{
    free(answer->words);
    free(answer->letters);
}}
"""
