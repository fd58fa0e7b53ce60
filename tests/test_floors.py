"""Imports go down the floors: a room may use rooms below it, never its neighbours or those above."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import neonsim

ROOT = Path(neonsim.__file__).parent
FLOORS = {name: floor for floor, names in enumerate((
    "errors limits",
    "files integers lanes turns untrusted",
    "isa quant winograd",
    "asm packing",
    "machine generate",
    "timing ukernel",
    "backends measuring",
    "ops",
    "testing checking graph",
    "formats proving",
    "studies",
    "render course",
    "debugger",
    "ui",
    "cli",
    "__main__",
)) for name in names.split()}
# Thin late imports upwards, inside one function each, so that a trace is easy to show and a kernel easy to run.
DECLARED = {("machine/trace.py", "render"), ("timing/timing.py", "render"), ("ukernel/catalog.py", "ops"),
            ("debugger/explanation.py", "ui")}


@cache
def _parsed(text: str) -> ast.Module:
    """Once for all the tests of this file."""
    return ast.parse(text)


def _tree(path: Path) -> ast.Module:
    return _parsed(path.read_text("utf-8"))


def _imports(path: Path) -> list[tuple[str, int, bool]]:
    """(room, line, only for type checking) of every import of the package."""
    tree = _tree(path)
    typing_only = {id(inner) for node in ast.walk(tree) if isinstance(node, ast.If)
                   and "TYPE_CHECKING" in ast.dump(node.test) for inner in ast.walk(node)}
    found = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [a.name for a in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names = [node.module or ""] if node.module != "neonsim" else [f"neonsim.{a.name}" for a in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level > 1:
            base = path.relative_to(ROOT).parts[:-node.level + 1 or None]
            inner = [node.module] if node.module else [a.name for a in node.names]
            names = [".".join(["neonsim", *base[:len(base) - 1], str(n)]) for n in inner]
        for name in names:
            parts = name.split(".")
            if parts[0] == "neonsim" and len(parts) > 1:
                found.append((parts[1], node.lineno, id(node) in typing_only))
    return found


def test_imports_go_down_the_floors() -> None:
    wrong = []
    for path in sorted(ROOT.rglob("*.py")):
        relative = path.relative_to(ROOT)
        room = relative.parts[0].removesuffix(".py")
        if room == "__init__":
            continue
        for target, line, typing_only in _imports(path):
            if target == room or (str(relative), target) in DECLARED or typing_only:
                continue
            if target not in FLOORS:
                continue
            if FLOORS[target] >= FLOORS[room]:
                wrong.append(f"{relative}:{line}: {room} (floor {FLOORS[room]}) imports {target} (floor "
                             f"{FLOORS[target]}): imports go down only")
    assert not wrong, "\n".join(wrong)


# ---- circles ---------------------------------------------------------------------------------------------------------

# Imports inside a function that would close a circle at the top of its file: no new ones.
LATE = {
    ("graph.execute", "graph.native"), ("graph.execute", "graph.segments"), ("graph.execute", "graph.strategy"),
    ("graph.graph", "graph.execute"),
    ("lanes.types", "lanes.numeric"),       # s16(1, 2, 3): a type makes lanes, lanes have a type
    ("machine.calls", "machine.again"),     # a result has its run done again with a value changed by hand
    ("ukernel.catalog", "ops"),             # see DECLARED
}

Edges = dict[str, set[str]]


def _modules(root: Path) -> dict[str, Path]:
    """Dotted name below the root -> file; a package is its `__init__`."""
    return {".".join(path.relative_to(root).with_suffix("").parts).removesuffix("__init__").rstrip("."): path
            for path in root.rglob("*.py")}


def _edges(root: Path, package: str) -> tuple[Edges, Edges]:
    """Which module imports which when it is loaded, and inside a function; imports for type checking are none."""
    modules = _modules(root)
    loading: Edges = {name: set() for name in modules}
    inside: Edges = {name: set() for name in modules}
    for name, path in modules.items():
        here = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
        waiting: list[tuple[ast.AST, Edges]] = [(_tree(path), loading)]
        while waiting:
            node, edges = waiting.pop()
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test):
                    waiting += [(other, edges) for other in child.orelse]
                elif isinstance(child, ast.Import):
                    edges[name] |= {a.name.removeprefix(f"{package}.") for a in child.names} & set(modules)
                elif isinstance(child, ast.ImportFrom):
                    base = (child.module or "").split(".") if child.module else []
                    if child.level:
                        base = [part for part in here[:len(here) - child.level + 1] if part] + base
                    elif base[:1] == [package]:
                        base = base[1:]
                    else:
                        continue
                    for alias in child.names:
                        full = ".".join([*base, alias.name])
                        edges[name].add(full if full in modules else ".".join(base))
                else:
                    within = isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
                    waiting.append((child, inside if within else edges))
    return loading, inside


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
    loading, _ = _edges(ROOT, "neonsim")
    assert sum(map(len, loading.values())) > 500
    assert not _circles(loading)


def test_imports_inside_functions_that_hide_a_circle_are_declared() -> None:
    loading, inside = _edges(ROOT, "neonsim")
    hidden = {(name, to) for name, targets in inside.items() for to in targets
              if name and to != name and to not in loading[name] and _way(loading, to, name)}
    assert hidden == LATE


def test_a_circle_is_found(tmp_path: Path) -> None:
    for name, text in (("__init__", "from .one import a"), ("one", "import pack.room.two"), ("room/__init__", ""),
                       ("room/two", "from ..three import c\ndef f():\n    from pack.one import a"),
                       ("three", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .one import a")):
        path = tmp_path / f"{name}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    loading, inside = _edges(tmp_path, "pack")
    assert loading == {"": {"one"}, "one": {"room.two"}, "room": set(), "room.two": {"three"}, "three": set()}
    assert inside["room.two"] == {"one"} and not _circles(loading)
    (tmp_path / "three.py").write_text("from pack import one", "utf-8")
    assert _circles(_edges(tmp_path, "pack")[0]) == ["one imports room.two imports three imports one"]


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
    """The native backend, the compiled engine and model, which load what was translated (late, when it is used)."""
    allowed = {"backends/native_library.py", "backends/network.py", "backends/records.py", "machine/compiled.py",
               "timing/compiled/engine.py"}
    found = {str(path.relative_to(ROOT)) for path in ROOT.rglob("*.py")
             for node in ast.walk(_tree(path))
             if isinstance(node, ast.Import) and any(a.name.split(".")[0] == "ctypes" for a in node.names)}
    assert found <= allowed, f"ctypes in {found - allowed}"
