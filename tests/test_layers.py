"""Imports go down only: a package may use those below it, never those above."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache

import pytest

import neonsim as ns
from tests.syntax import ROOT, Import, imports, imports_of_all, sources

# From the ground up. A layer may have layers of its own; `errors` lies beside `common`.
LAYERS = ("common", "arm.semantics", "quant", "arm.isa", "arm.asm", "arm.machine", "arm.timing", "ukernel", "render",
          "nn.backends", "nn.ops", "nn.graph", "nn.formats", "verify", "studies", "learn", "bench", "cli", "__main__")
# In the order of their last layers: the vocabulary of bodies, "arm.semantics", lies below the arithmetic written in it.
PACKAGES = tuple(dict.fromkeys(layer.partition(".")[0] for layer in LAYERS[-2::-1]))[::-1]
# Thin late imports upwards, inside one function each, so that a trace is easy to show and a kernel easy to run.
UPWARD = {("arm", "render"), ("ukernel", "nn")}
# Folders with more than twelve modules and packages: one file per family of contracts, and per command.
CROWDED = {"cli", "ukernel/cases"}


def _layer(module: str) -> int | None:
    """The place of a module, by its dotted name below the package; None of the package itself and of `arm` alone."""
    if module == "errors":
        return 0
    found = [at for at, layer in enumerate(LAYERS) if f"{module}.".startswith(f"{layer}.")]
    return found[0] if found else None


def _imported(source: str, found: Iterable[Import]) -> Iterator[tuple[str, Import]]:
    """Every module of the package that a file imports, by its name below the package."""
    folder = source.split("/")[:-1]
    for one in found:
        node = one.node
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif node.level:
            base = ["neonsim", *folder[:len(folder) - node.level + 1], *filter(None, [node.module])]
            names = [".".join([*base, alias.name]) for alias in node.names]
        else:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            if name.startswith("neonsim."):
                yield name.removeprefix("neonsim."), one


def test_imports_go_down() -> None:
    wrong, upward = [], set()
    for source, found in imports_of_all().items():
        here = source.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        for target, one in _imported(source, found):
            mine, its = _layer(here), _layer(target)
            if mine is None or its is None or its <= mine or one.typing:
                continue
            arrow = (here.partition(".")[0], target.partition(".")[0])
            if one.inside and arrow in UPWARD:
                upward.add(arrow)
            else:
                wrong.append(f"{source}:{one.node.lineno}: {LAYERS[mine]} imports {target}: imports go down only")
    assert not wrong, "\n".join(wrong)
    assert upward == UPWARD


# ---- circles ---------------------------------------------------------------------------------------------------------

# Imports inside a function that would close a circle at the top of its file: no new ones.
LATE = {
    ("nn.graph.plan.run", "nn.graph.plan.native"), ("nn.graph.plan.run", "nn.graph.plan.partition"),
    ("nn.graph.plan.run", "nn.graph.select.strategy"), ("nn.graph.graph", "nn.graph.plan.run"),
    # s16(1, 2, 3): a type makes lanes, lanes have a type
    ("arm.semantics.types", "arm.semantics.interp.numpy_lanes"),
    # time() of very many iterations gives a Timing of another kind
    ("arm.timing.timing", "arm.timing.long_loops"),
    # a result has its run done again with a value changed by hand
    ("arm.machine.call.result", "arm.machine.call.rerun"),
    ("ukernel.catalog", "nn.ops"),             # see UPWARD
}

Edges = dict[str, set[str]]


def _edges(of: Mapping[str, Iterable[Import]], package: str) -> tuple[Edges, Edges]:
    """Which module imports which when it is loaded, and inside a function; imports for type checking are none.

    of   the imports of every file, by its path below the package; a package is its `__init__`
    """
    modules = {source.removesuffix(".py").replace("/", ".").removesuffix("__init__").rstrip("."): source
               for source in of}
    loading: Edges = {name: set() for name in modules}
    inside: Edges = {name: set() for name in modules}
    for name, source in modules.items():
        here = name.split(".") if source.endswith("__init__.py") else name.split(".")[:-1]
        for node, late, typing in of[source]:
            if not typing:
                (inside if late else loading)[name] |= _targets(node, here, package, modules.keys())
    return loading, inside


def _targets(node: ast.Import | ast.ImportFrom, here: list[str], package: str, modules: Collection[str]) -> set[str]:
    """The modules that one statement imports, in the folder named by `here`."""
    if isinstance(node, ast.Import):
        return {alias.name.removeprefix(f"{package}.") for alias in node.names}.intersection(modules)
    base = node.module.split(".") if node.module else []
    if node.level:
        base = [part for part in here[:len(here) - node.level + 1] if part] + base
    elif base[:1] == [package]:
        base = base[1:]
    else:
        return set()
    full = {".".join([*base, alias.name]) for alias in node.names}
    return {name if name in modules else ".".join(base) for name in full}


@cache
def _edges_here() -> tuple[Edges, Edges]:
    return _edges(imports_of_all(), "neonsim")


def _way(edges: Edges, start: str, end: str) -> list[str]:
    """Modules from start to end along imports, both included; none if there is no way."""
    before, waiting = {start: ""}, [start]
    while waiting:
        at = waiting.pop(0)
        for to in sorted(edges.get(at, ())):
            if to == end:
                way = [end, at]
                while before[way[-1]]:
                    way.append(before[way[-1]])
                return way[::-1]
            if to not in before:
                before[to] = at
                waiting.append(to)
    return []


def _circles(edges: Edges) -> list[str]:
    """Each as a sentence, once."""
    found: dict[frozenset[str], str] = {}
    for name in sorted(edges):
        way = _way(edges, name, name)
        if way:
            found.setdefault(frozenset(way), " imports ".join(part or "the package" for part in way))
    return list(found.values())


def test_no_module_imports_itself_by_way_of_others() -> None:
    loading, _ = _edges_here()
    assert sum(map(len, loading.values())) > 500
    assert not _circles(loading)


def test_imports_inside_functions_that_hide_a_circle_are_declared() -> None:
    loading, inside = _edges_here()
    hidden = {(name, to) for name, targets in inside.items() for to in targets
              if name and to != name and to not in loading[name] and _way(loading, to, name)}
    assert hidden == LATE


def test_a_circle_is_found() -> None:
    texts = {"__init__.py": "from .one import a", "one.py": "import pack.room.two", "room/__init__.py": "",
             "room/two.py": "from ..three import c\ndef f():\n    from pack.one import a",
             "three.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .one import a"}
    loading, inside = _edges({name: [*imports(text)] for name, text in texts.items()}, "pack")
    assert loading == {"": {"one"}, "one": {"room.two"}, "room": set(), "room.two": {"three"}, "three": set()}
    assert inside["room.two"] == {"one"} and not _circles(loading)
    texts["three.py"] = "from pack import one"
    loading, _ = _edges({name: [*imports(text)] for name, text in texts.items()}, "pack")
    assert _circles(loading) == ["one imports room.two imports three imports one"]


def test_imports_are_found_wherever_they_stand() -> None:
    text = """
if TYPE_CHECKING:
    import a
else:
    import b
try:
    with x: import c
except E:
    for i in y:
        import d
    else: from . import e
finally: import f
match z:
    case 1:
        class C:
            async def g(self):
                if True: import g
"""
    found = {alias.name: (one.inside, one.typing) for one in imports(text) for alias in one.node.names}
    assert found == {**dict.fromkeys("bcdef", (False, False)), "a": (False, True), "g": (True, False)}


def test_there_are_eleven_packages() -> None:
    found = {path.stem for path in ROOT.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert found == {*PACKAGES, "errors", "__init__", "__main__"} and len(PACKAGES) == 11


def test_no_folder_is_crowded() -> None:
    inside: dict[str, int] = {}
    for path in (*ROOT.rglob("*.py"), *(file.parent for file in ROOT.rglob("__init__.py"))):
        if path != ROOT and path.name != "__init__.py":
            folder = path.parent.relative_to(ROOT).as_posix()
            inside[folder] = inside.get(folder, 0) + 1
    del inside["."]
    assert {folder for folder, number in inside.items() if number > 12} == CROWDED


def test_a_class_name_stands_in_one_module() -> None:
    found: dict[str, list[str]] = {}
    for source, text in sources():
        for name in re.findall(r"^class ([A-Za-z]\w*)", text, re.M):
            found.setdefault(name, []).append(source)
    assert not {name: places for name, places in found.items() if len(places) > 1}


def test_every_package_says_what_it_is() -> None:
    assert not [source for source, text in sources() if source.endswith("__init__.py") and not text.startswith('"""')]


def test_the_processor_is_usable_alone() -> None:
    """`neonsim.arm` assembles, runs and times a program where the packages above it cannot be imported."""
    script = """
import sys
for name in ("ukernel", "render", "nn", "verify", "studies", "learn", "bench", "cli"):
    sys.modules["neonsim." + name] = None
from neonsim.arm.asm import assemble
from neonsim.arm.machine import Machine
from neonsim.arm.timing import time
program = assemble("f: add v0.4s, v1.4s, v2.4s\\n fmov w0, s0\\n ret", isa="aarch64")
result = Machine(isa="aarch64").call(program)
print(result.steps, time(result.trace, core="cortex-a53").instructions)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (done.stdout.split(), done.stderr) == (["3", "3"], "")


def test_importing_the_package_is_light() -> None:
    """`import neonsim` loads neither widgets nor the C library."""
    script = "import sys, neonsim; print(*[m for m in ('anywidget', 'ipywidgets') if m in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    assert not loaded


def test_a_public_name_is_written_once() -> None:
    """In the stub, which `neonsim/__init__.py` reads: each name is there, and `dir` and star imports know it."""
    stub = (ROOT / "__init__.pyi").read_text("utf-8")
    names = re.findall(r" as (\w+)", stub)
    assert len(names) == len(set(names)) > 60
    assert {name for name in names if getattr(ns, name, None) is None} == set()
    assert set(ns.__all__) < set(names) <= set(dir(ns)) and set(PACKAGES) < set(names)
    assert not set(ns.__all__).intersection(PACKAGES) and {"assemble", "prove", "BadArgument"} < set(ns.__all__)
    with pytest.raises(AttributeError, match="neonsim has no 'quantum'"):
        ns.quantum  # type: ignore[attr-defined]  # noqa: B018


def test_ctypes_only_where_libraries_are_loaded() -> None:
    """The native backend and the compiled engine, which load what was translated (late, when it is used)."""
    allowed = {f"nn/backends/native/{name}.py" for name in ("library", "network", "structs")}
    allowed.add("arm/machine/engines/compiled.py")
    found = {source for source, statements in imports_of_all().items() for node, *_ in statements
             for name in ([node.module] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names])
             if (name or "").split(".")[0] == "ctypes"}
    assert found <= allowed, f"ctypes in {found - allowed}"
