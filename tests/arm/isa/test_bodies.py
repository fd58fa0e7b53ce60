"""Meanings are written with the vocabulary only, and say what they do: that is what lets every reading read them."""

from __future__ import annotations

import ast
import builtins
import inspect
import re
import textwrap
from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any

import pytest

from neonsim.arm.isa import FAMILIES, all_semantics, family_name, forms
from neonsim.arm.isa.forms.spec import Semantics
from neonsim.arm.isa.operands import addressing
from neonsim.arm.semantics import VOCABULARY
from neonsim.arm.timing.cores.instruction_classes import CLASSES

# What the addressing room offers to bodies; it is written with the vocabulary too, and checked below.
HELPERS = {"shifted_operand"}
STATEMENTS = (ast.Return, ast.Assign, ast.AugAssign, ast.Expr, ast.For)


def wrong(holds: Callable[[Semantics], None]) -> list[str]:
    """The meanings of which something does not hold, each with what does not."""
    found = []
    for name, meaning in all_semantics().items():
        try:
            holds(meaning)
        except Exception as problem:
            found.append(f"{name}: {type(problem).__name__}: {problem}")
    return found


def definition(function: Callable[..., Any]) -> ast.FunctionDef:
    """The function's own syntax tree, also of one made inside another."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    found = tree.body[0]
    assert isinstance(found, ast.FunctionDef)
    return found


def module_of(function: Callable[..., Any]) -> ModuleType:
    module = inspect.getmodule(function)
    assert module is not None
    return module


def tables(module: ModuleType) -> set[str]:
    """The constants of a family: integers, and tuples of them."""
    return {name for name, value in vars(module).items() if name.isupper() and (
        type(value) is int or (type(value) is tuple and all(type(x) is int for x in value)))}


def shared_parts(module: ModuleType) -> dict[str, Callable[..., Any]]:
    """What several meanings of a family have in common: functions of lanes, held to the same rules."""
    written = {f.__name__ for f in (m.function for m in all_semantics().values())}
    return {name: f for name, f in vars(module).items() if inspect.isfunction(f) and f.__module__ == module.__name__
            and name not in written and inspect.signature(f).return_annotation in ("Lanes", "Result")}


def free_names(function: ast.FunctionDef) -> set[str]:
    own = {a.arg for a in function.args.args}
    own |= {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    body = [n for statement in function.body for n in ast.walk(statement)]
    return {n.id for n in body if isinstance(n, ast.Name)} - own


def test_only_the_vocabulary() -> None:
    found = wrong(lambda meaning: keeps_to_the_vocabulary(meaning.name, meaning.function))
    assert len(all_semantics()) > 500 and not found, "\n".join(found)


def keeps_to_the_vocabulary(name: str, meant: Callable[..., Any]) -> None:
    function = definition(meant)
    # A factory's own choices (the name of a shift, which half) are text or numbers, fixed before any lane flows.
    closed = inspect.getclosurevars(meant).nonlocals
    assert all(isinstance(v, str | int) for v in closed.values()), f"{name}: {closed}"
    module = module_of(meant)
    shared = shared_parts(module)
    foreign = free_names(function) - VOCABULARY - HELPERS - set(closed) - tables(module) - set(shared) - {"range"}
    assert not foreign, f"{name} uses {foreign}: no words of the vocabulary"
    lanes = {a.arg for a in function.args.args if ast.unparse(a.annotation or ast.Constant("")) == "Lanes"}
    for node in (n for statement in function.body for n in ast.walk(statement)):
        assert not isinstance(node, (ast.If, ast.IfExp, ast.While, ast.ListComp, ast.GeneratorExp, ast.Try,
                                     ast.With, ast.Lambda, ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal,
                                     ast.BoolOp, ast.Compare)), f"{name}, line {node.lineno}: {ast.dump(node)}"
        if isinstance(node, ast.Attribute):
            assert node.attr in ("type", "with_"), f"{name} looks at .{node.attr}"
        if isinstance(node, ast.Name) and node.id == "range":
            assert any(isinstance(x, ast.For) and isinstance(x.iter, ast.Call) and x.iter.func is node
                       for x in ast.walk(function)), f"{name}: range belongs into `for ... in range(...)`"
        if isinstance(node, ast.For):
            assert_constant_range(name, node, lanes | stored(function))
            assert all(isinstance(s, STATEMENTS) and not isinstance(s, ast.Return) for s in node.body), name
    assert all(isinstance(s, STATEMENTS) for s in function.body), f"{name} has other statements"


def stored(function: ast.FunctionDef) -> set[str]:
    """The names that a body gives values to, those of its loops apart."""
    counters = {x.target.id for x in ast.walk(function) if isinstance(x, ast.For) and isinstance(x.target, ast.Name)}
    return {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)} - counters


def assert_constant_range(name: str, loop: ast.For, lanes: set[str]) -> None:
    """`for i in range(...)`, of numbers that no lane decides: how many there are, and how wide, no lane does."""
    assert isinstance(loop.target, ast.Name), name
    assert not loop.orelse, name
    assert isinstance(loop.iter, ast.Call), f"{name}, line {loop.lineno}: a loop is `for i in range(...)`"
    assert isinstance(loop.iter.func, ast.Name), name
    assert loop.iter.func.id == "range", f"{name}, line {loop.lineno}: a loop is `for i in range(...)`"
    for argument in loop.iter.args:
        sizes = {id(inner) for n in ast.walk(argument) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)
                 and n.func.id in ("bits", "count") for inner in ast.walk(n)}
        decided = {n.id for n in ast.walk(argument) if isinstance(n, ast.Name) and id(n) not in sizes} & lanes
        assert not decided, f"{name}, line {loop.lineno}: {decided} decide how often it turns"


@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: family_name(f.__name__))
def test_shared_parts_keep_to_the_vocabulary_too(family: ModuleType) -> None:
    for name, function in shared_parts(family).items():
        keeps_to_the_vocabulary(name, function)


def _wrong(text: str) -> ast.For:
    return next(n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.For))


@pytest.mark.parametrize("loop", [
    "for i in range(n): n = n + i", "for i in n: n = n + i", "for i in range(m[0]): n = n",
    "for i in range(4): n = n\nelse: n = n", "for i, j in range(4): n = n", "for i in TABLE: n = n"])
def test_other_loops_are_refused(loop: str) -> None:
    with pytest.raises(AssertionError):
        assert_constant_range("x", _wrong(loop), {"n", "m"})


def test_loops_of_plain_numbers_are_taken() -> None:
    for text in ("range(4)", "range(1, 8, 2)", "range(bits(n))", "range(count(n) // 2)", "range(i, size)"):
        assert_constant_range("x", _wrong(f"for i in {text}: n = n"), {"n", "m"})


def test_the_addressing_room_keeps_to_the_vocabulary_too() -> None:
    """Its functions choose by text and plain numbers (the kind of a shift), never by a lane."""
    own = {name for name, f in vars(addressing).items()
           if inspect.isfunction(f) and f.__module__ == addressing.__name__}
    computing = ["effective", "extended", "shifted_operand", "moved", "_far", "_carried", "_carried_far", "_bit",
                 "_low_byte", "_as"]
    for name in computing:
        function = definition(getattr(addressing, name))
        allowed = VOCABULARY | own | {"isinstance", "int", "range", "Any"}
        foreign = free_names(function) - allowed
        assert not foreign, f"{name} uses {foreign}"
        lanes = {a.arg for a in function.args.args if ast.unparse(a.annotation or ast.Constant("")) == "Lanes"}
        for node in ast.walk(function):
            if isinstance(node, (ast.If, ast.IfExp, ast.While)):
                tested = {n.id for n in ast.walk(node.test) if isinstance(n, ast.Name)}
                sizes = {n.args[0].id for n in ast.walk(node.test)  # type: ignore[attr-defined]
                         if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id == "bits"}
                assert not tested & lanes - sizes, f"{name} branches on a lane: {ast.unparse(node.test)}"


def test_families_import_nothing_but_the_vocabulary() -> None:
    for family in FAMILIES:
        for node in ast.walk(ast.parse(inspect.getsource(family))):
            if isinstance(node, ast.ImportFrom):
                assert node.module in ("__future__", "typing", "neonsim.arm.semantics", "neonsim.arm.isa.forms.spec",
                                       "neonsim.arm.isa.operands.addressing"), (family.__name__, node.module)
            assert not isinstance(node, ast.Import), (family.__name__, ast.unparse(node))


def test_every_page() -> None:
    found = wrong(has_its_page)
    assert len(all_semantics()) > 500 and not found, "\n".join(found)


@cache
def isas_of() -> dict[int, set[str]]:
    """The id of a meaning -> the instruction sets that have forms of it."""
    found: dict[int, set[str]] = {}
    for form in forms("aarch64") + forms("aarch32"):
        found.setdefault(id(form.semantics), set()).add(form.isa)
    return found


def has_its_page(meaning: Semantics) -> None:
    """One sentence of what; a formula; the place in Arm's manual."""
    lines = meaning.doc.splitlines()
    assert lines[0][0].isupper(), lines[0]
    assert lines[0].endswith("."), lines[0]
    assert re.search(r"^Source: DDI (0487|0406) [A-F]\d", meaning.doc, re.M), "no source"
    assert "<-" in meaning.doc or not meaning.writes, "no formula"
    sources = meaning.doc.partition("Source:")[2]
    isas = isas_of().get(id(meaning), set())
    assert ("DDI 0487 C" in sources) == ("a64" in isas) or meaning.name == "pmull64", f"of {isas}, from {sources}"
    # What AArch32 got later than its own manual is in the AArch64 one's second half.
    assert ("DDI 0406" in sources or "DDI 0487 F" in sources) == ("a32" in isas), f"of {isas}, from {sources}"


@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: family_name(f.__name__))
def test_family_page(family: Any) -> None:
    page = inspect.getdoc(family) or ""
    assert "|---" in page, "no table of operations"
    assert "Traps:" in page


def test_words_of_python_are_not_in_the_vocabulary() -> None:
    assert not VOCABULARY & set(dir(builtins))


def test_every_timing_class_is_priced() -> None:
    """Each class a form names is one that the cores price."""
    classes = {f.timing for isa in ("aarch64", "aarch32") for f in forms(isa)}
    names = {name.format(count=n) for name in classes for n in ((1, 2, 3, 4) if "{" in name else (1,))}
    assert not names - set(CLASSES), f"classes without a price: {names - set(CLASSES)}"
