"""Imports go down the floors: a room may use rooms below it, never its neighbours or those above."""

from __future__ import annotations

import ast
from pathlib import Path

import neonsim

ROOT = Path(neonsim.__file__).parent
FLOORS = {name: floor for floor, names in enumerate((
    "errors limits",
    "files integers lanes turns untrusted",
    "isa quant",
    "asm packing",
    "machine",
    "timing ukernel",
    "backends",
    "ops",
    "testing checking graph",
    "render course",
    "ui",
    "cli",
    "__main__",
)) for name in names.split()}
# Thin late imports upwards, inside one function each, so that a trace is easy to show and a kernel easy to run.
DECLARED = {("machine/trace.py", "render"), ("timing/timing.py", "render"), ("ukernel/catalog.py", "ops")}


def _imports(path: Path) -> list[tuple[str, int, bool]]:
    """(room, line, only for type checking) of every import of the package."""
    tree = ast.parse(path.read_text("utf-8"))
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
    """The native backend, and the compiled engine, which loads what it has translated (late, when it is used)."""
    allowed = {"backends/native_library.py", "backends/network.py", "backends/records.py", "machine/compiled.py"}
    found = {str(path.relative_to(ROOT)) for path in ROOT.rglob("*.py")
             for node in ast.walk(ast.parse(path.read_text("utf-8")))
             if isinstance(node, ast.Import) and any(a.name.split(".")[0] == "ctypes" for a in node.names)}
    assert found <= allowed, f"ctypes in {found - allowed}"
