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
from dataclasses import dataclass
from typing import Any

from neonsim.timing.compiled.kinds import (
    BOOL,
    INT,
    NONE,
    STR,
    Kind,
    Refused,
    annotated,
    constants,
    cpp,
    fields_of,
    function_ast,
    method,
)
from neonsim.timing.compiled.scope import Value, plain_name
from neonsim.timing.compiled.statements import Statements

__all__ = ["Translation", "translate"]


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
        name = f"{owner}{plain_name(tree.name)}"
        if name in self.bodies:
            return answer
        self.bodies[name] = ""
        inside = Statements(self, tree, names, where, cls, self.see(answer))
        parameters = []
        arguments = tree.args.args[1 if cls else 0:]
        if tree.args.kwonlyargs or tree.args.vararg or tree.args.kwarg:
            raise Refused(f"{where}: a parameter by name only, or any number of them")
        for arg in arguments:
            if arg.annotation is None:
                raise Refused(f"{where}: {arg.arg} has no annotation")
            kind = self.see(annotated(arg.annotation, names, where))
            inside.scope[plain_name(arg.arg)] = kind
            parameters.append(f"{cpp(kind)} {plain_name(arg.arg)}")
        defaults = dict(zip([a.arg for a in arguments][len(arguments) - len(tree.args.defaults):], tree.args.defaults,
                            strict=True))
        result = "void" if answer == NONE else cpp(answer)
        shown = ", ".join(parameter + (f" = {inside.value(defaults[arg.arg])[0]}" if arg.arg in defaults else "")
                          for parameter, arg in zip(parameters, arguments, strict=True))
        head = f"{result} {plain_name(tree.name)}({shown});"
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

    def construct(self, cls: type, node: ast.Call, inside: Statements) -> Value:
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
            return (f"([&] {{ auto made_ = made<{cls.__name__}>(); made_->init_({sent}); return made_; }}())",
                    ("ref", cls))
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
            lines.append(f"made_->{plain_name(name)} = {code};")
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
    work.attribute(root, "skips", root.__name__)
    _whole(work, fields_of(root)["skips"][1][1])        # type: ignore[index]
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
                  f"static constexpr bool by_identity = {json.dumps(not equal)};",
                  f"static constexpr bool always_true = {json.dumps(not sized)};",
                  *(f"{cpp(kind)} {plain_name(name)}{{}};" for name, kind in fields.items()),
                  *work.heads.get(cls, []), "void load(In &wire_);", "void save(Out &wire_) const;"]
        if cls is work.asked:
            lines += ["Ref<Dict<std::tuple<i64, i64, i64, i64>, i64>> answered_;",
                      "i64 call_(i64 a, i64 b, i64 c, i64 d);"]
        lines.append("};")
    lines += work.loose
    for cls in classes:
        fields = work.used[cls]
        name = cls.__name__
        lines += [f"void {name}::load(In &wire_) {{", *(f"::load(wire_, {plain_name(f)});" for f in fields), "}",
                  f"void {name}::save(Out &wire_) const {{", *(f"::save(wire_, {plain_name(f)});" for f in fields), "}"]
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
        save(out, machine->skips);
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
