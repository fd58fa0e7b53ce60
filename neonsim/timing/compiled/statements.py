"""Statements as C++: a handler for each kind of node."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from neonsim.timing.compiled.calls import Calls
from neonsim.timing.compiled.expressions import ARITHMETIC
from neonsim.timing.compiled.kinds import BOOL, INT, NONE, Kind, annotated, cpp
from neonsim.timing.compiled.scope import Value, plain_name

__all__ = ["Statements"]


class Statements(Calls):
    """A whole function."""

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
        inside = Statements(self.owner, node, self.names, self.where, self.cls,
                           annotated(node.returns, self.names, self.at(node)))
        inside.scope = {**self.scope, **{plain_name(a.arg): k for a, k in zip(node.args.args, kinds, strict=True)}}
        body = inside.block(node.body)
        own = [f"{cpp(kind)} {name}{{}};" for name, kind in inside.locals.items()]
        shown = ", ".join(f"{cpp(k)} {plain_name(a.arg)}" for a, k in zip(node.args.args, kinds, strict=True))
        self.inner[node.name] = kinds, inside.answer
        return [f"auto {plain_name(node.name)} = [&]({shown}) -> {cpp(inside.answer)} {{", *own, *body, "};"]

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
            return self.scope.get(plain_name(target.id))
        if isinstance(target, ast.Attribute):
            return self.value(target)[1]
        return None

    def _AugAssign(self, node: ast.AugAssign) -> list[str]:
        place, kind = self.place(node.target)
        code, other = self.plain(self.value(node.value))
        if kind not in (INT, BOOL) or other not in (INT, BOOL):
            raise self.refuse(node)
        symbol = ARITHMETIC.get(type(node.op))
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
            if plain_name(target.id) not in self.scope:
                self.declare(target.id, INT if kind == BOOL else kind)
            name = plain_name(target.id)
            return [f"{name} = {self.as_kind(value, self.scope[name], self.at(target))};"]
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
