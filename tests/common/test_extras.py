"""What is said about packages that are missing can be typed, and installs what it says."""

from __future__ import annotations

import ast
import re
import shutil
import sys
import tomllib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest

from neonsim.common import extras

ROOT = Path(__file__).parents[2]
TEXTS = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "notebooks/README.md")] + [
    *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "notebooks").glob("*.ipynb")),
    *sorted((ROOT / "neonsim").rglob("*.py"))]
# What --help and the reason for a missing library say is the same everywhere.
FIXED = {"cli/completion.py", "cli/prove.py", "nn/backends/native/library.py"}


def test_the_pip_of_this_python_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(metadata, "version", lambda name: "0.1.0")
    monkeypatch.setattr(sys, "executable", str(tmp_path / "an env" / "python"))
    monkeypatch.setattr(shutil, "which", lambda name: str(tmp_path / "an env" / name))
    assert extras.install("neonsim[models]") == "pip install 'neonsim[models]'"
    assert extras.install("onnx", "onnxruntime") == "pip install onnx onnxruntime"
    monkeypatch.setattr(shutil, "which", lambda name: "/usr/bin/pip")     # of another Python, or none
    assert extras.install("onnx") == f"'{tmp_path}/an env/python' -m pip install onnx"
    monkeypatch.setattr(sys, "platform", "win32")
    assert extras.install("neonsim[models]") == f'"{tmp_path}/an env/python" -m pip install neonsim[models]'


def test_a_checkout_that_is_not_installed_is_named_by_its_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", none)
    assert extras.install("neonsim[prove]", "onnx").endswith(f" install '{ROOT}[prove]' onnx")


def test_no_page_and_no_message_names_an_index_that_has_neonsim() -> None:
    known = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    for path in TEXTS:
        text = path.read_text("utf-8")
        assert not re.search(r"pip install (-\S+ )*neonsim(?![\w.\[-])", text), path
        assert set(re.findall(r"neonsim\[(\w+)\]", text)) - {"EXTRA"} <= known.keys(), path


def test_messages_ask_which_pip() -> None:
    """Every message about a package comes from `extras.install`."""
    found = {str(path.relative_to(ROOT / "neonsim")) for path in (ROOT / "neonsim").rglob("*.py")
             if path.name != "common/extras.py" and any("pip install" in text for text in _literals(path))}
    assert found == FIXED


def _literals(path: Path) -> Iterator[str]:
    """Texts of a file, without its docstrings."""
    text = path.read_text("utf-8")
    if "pip install" not in text:
        return
    tree = ast.parse(text)
    docs = {id(node.body[0].value) for node in ast.walk(tree)
            if isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef)) and node.body
            and isinstance(node.body[0], ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node.value
