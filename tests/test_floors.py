"""Imports go down the floors: a room may use rooms below it, never its neighbours or those above."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Mapping
from functools import cache

from tests.syntax import ROOT, Import, imports, imports_of_all

FLOORS = {name: floor for floor, names in enumerate((
    "terminal",
    "errors extras limits",
    "files integers kinds lanes memory turns untrusted",
    "isa quant winograd",
    "asm packing",
    "machine generate",
    "timing ukernel",
    "backends measuring",
    "ops",
    "checking graph",
    "formats proving",
    "studies",
    "render course",
    "debugger",
    "ui",
    "cli",
    "__main__",
)) for name in names.split()}
# Thin late imports upwards, inside one function each, so that a trace is easy to show and a kernel easy to run.
DECLARED = {("arm/machine/trace/trace.py", "render"), ("arm/timing/timing.py", "render"), ("ukernel/catalog.py", "ops"),
            ("verify/debugger/explain.py", "ui")}


def _rooms(source: str, found: Iterable[Import]) -> list[tuple[str, int, bool]]:
    """(room, line, only for type checking) of every import of the package."""
    rooms = []
    for node, _, typing in found:
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [a.name for a in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names = [node.module or ""] if node.module != "neonsim" else [f"neonsim.{a.name}" for a in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level > 1:
            base = source.split("/")[:-node.level + 1 or None]
            inner = [node.module] if node.module else [a.name for a in node.names]
            names = [".".join(["neonsim", *base[:len(base) - 1], str(n)]) for n in inner]
        for name in names:
            parts = name.split(".")
            if parts[0] == "neonsim" and len(parts) > 1:
                rooms.append((parts[1], node.lineno, typing))
    return rooms


def test_imports_go_down_the_floors() -> None:
    wrong = []
    for source, found in imports_of_all().items():
        room = source.split("/")[0].removesuffix(".py")
        if room == "__init__":
            continue
        for target, line, typing in _rooms(source, found):
            if target == room or (source, target) in DECLARED or typing:
                continue
            if target not in FLOORS:
                continue
            if FLOORS[target] >= FLOORS[room]:
                wrong.append(f"{source}:{line}: {room} (floor {FLOORS[room]}) imports {target} (floor "
                             f"{FLOORS[target]}): imports go down only")
    assert not wrong, "\n".join(wrong)


# ---- circles ---------------------------------------------------------------------------------------------------------

# Imports inside a function that would close a circle at the top of its file: no new ones.
LATE = {
    ("graph.execute", "graph.native"), ("graph.execute", "graph.segments"), ("graph.execute", "graph.strategy"),
    ("graph.graph", "graph.execute"),
    ("lanes.types", "lanes.numeric"),       # s16(1, 2, 3): a type makes lanes, lanes have a type
    ("timing.timing", "timing.longer"),     # time() of very many iterations gives a Timing of another kind
    ("machine.calls", "machine.again"),     # a result has its run done again with a value changed by hand
    ("ukernel.catalog", "ops"),             # see DECLARED
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


def test_every_room_has_a_floor() -> None:
    rooms = {p.name.removesuffix(".py") for p in ROOT.iterdir()
             if p.suffix == ".py" or (p.is_dir() and (p / "__init__.py").exists())} - {"__init__"}
    assert rooms <= set(FLOORS), f"rooms without a floor: {rooms - set(FLOORS)}"


def test_importing_the_package_is_light() -> None:
    """`import neonsim` loads neither widgets nor the C library."""
    import subprocess
    import sys

    script = "import sys, neonsim; print(*[m for m in ('anywidget', 'ipywidgets') if m in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    assert not loaded


def test_ctypes_only_where_libraries_are_loaded() -> None:
    """The native backend and the compiled engine, which load what was translated (late, when it is used)."""
    allowed = {"nn/backends/native/library.py", "nn/backends/native/network.py", "nn/backends/native/structs.py", "arm/machine/engines/compiled.py"}
    found = {source for source, statements in imports_of_all().items() for node, *_ in statements
             for name in ([node.module] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names])
             if (name or "").split(".")[0] == "ctypes"}
    assert found <= allowed, f"ctypes in {found - allowed}"
