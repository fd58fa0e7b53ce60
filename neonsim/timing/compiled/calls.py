"""Calls as C++: functions and methods of ours, of lists, dictionaries and words, and those that Python has."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from typing import Any

from neonsim.timing.compiled.expressions import Expressions
from neonsim.timing.compiled.kinds import (
    BOOL,
    INT,
    NONE,
    STR,
    Kind,
    annotated,
    as_maybe,
    constants,
    cpp,
    function_ast,
    joined,
    method,
)
from neonsim.timing.compiled.scope import Value, plain_name

__all__ = ["Calls"]


class Calls(Expressions):
    """`c_NAME` for a function of Python, `m_KIND_NAME` for a method."""

    # ---- calls

    def v_Call(self, node: ast.Call, want: Kind | None) -> Value:
        if isinstance(node.func, ast.Name):
            name = node.func.id
            if name in self.inner:
                kinds, answer = self.inner[name]
                return f"{plain_name(name)}({self.sent(node, kinds)})", answer
            found = self.names.get(name)
            if inspect.isfunction(found):
                answer = self.owner.function(found)
                return f"{plain_name(found.__name__)}({self.sent(node, self.parameters(found))})", answer
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
                return f"{owner}->{plain_name(name)}->call_({self.sent(node, self.parameters(call, 1))})", answer
            answer = self.owner.method_of(kind[1], name, where)
            return f"{owner}->{plain_name(name)}({self.sent(node, self.parameters(method(kind[1], name), 1))})", answer
        handler: Callable[..., Value] | None = getattr(self, f"m_{kind[0]}_{name}", None)
        if handler is None:
            raise self.refuse(node)
        return handler(node, owner, kind)

    def m_list_append(self, node: ast.Call, owner: str, kind: Kind) -> Value:
        return f"{owner}->append({self.sent(node, [kind[1]])})", NONE

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
        name = plain_name(found.__name__)
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
        without = "fail();"
        if "default" in by:
            without = f"return {self.as_kind(self.value(by['default']), kind, self.at(node))};"
        return (f"([&]() -> {cpp(kind)} {{ {cpp(listed)} all_ = {code}; if (!all_->n) {without} "
                f"{cpp(kind)} best_ = all_->at(0); for (i64 i_ = 1; i_ < all_->n; i_++) {{ {cpp(kind)} v_ = "
                f"all_->at(i_); if ({better}) best_ = v_; }} return best_; }}())", kind)

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
