"""The README is true: its example gives the output it shows, its commands and files exist."""

from __future__ import annotations

import contextlib
import io
import json
import re
from pathlib import Path

import pytest

from neonsim.cli import main

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "README.md").read_text("utf-8")


def test_the_example_gives_the_output_shown() -> None:
    code, shown = re.findall(r"```(?:python)?\n(.*?)```", TEXT[TEXT.index("## Six lines"):], re.S)[:2]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "README.md", "exec"), {})  # our own text, not a user's
    assert printed.getvalue() == shown


@pytest.mark.parametrize("target", sorted(set(re.findall(r"`make ([a-z-]+)", TEXT)) | {"demo", "test", "lab"}))
def test_make_targets_exist(target: str) -> None:
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text("utf-8"), re.M)


@pytest.mark.parametrize("path", sorted(set(re.findall(r"\]\(([^)#:]+)\)", TEXT))))
def test_pictures_and_links_exist(path: str) -> None:
    assert (ROOT / path).is_file()


def test_the_map_names_every_room() -> None:
    plan = TEXT[TEXT.index("## Where things are"):TEXT.index("## How to add things")]
    rooms = {p.name.removesuffix(".py") for p in (ROOT / "neonsim").iterdir()
             if (p / "__init__.py").is_file() or p.name == "errors.py"}
    missing = {room for room in rooms if not re.search(rf"\b{room}\b", plan)}
    assert not missing, f"rooms that the README's map leaves out: {missing}"


# Rows of the README's table of instructions -> families of `neonsim isa --coverage`.
COVERED = {
    "integer Advanced SIMD": (
        "add, subtract, average", "absolute difference", "saturating add, subtract, negate", "multiply",
        "saturating doubling multiply", "dot product, matrix product", "compare", "minimum, maximum", "across lanes",
        "shift", "narrow", "logic", "counts, bits", "estimates of integers", "permute, move", "table"),
    "loads and stores of SIMD registers": ("load and store",),
    "single precision": ("single precision",),
    "half precision and bfloat16: conversions": ("conversions of half precision",),
    "base integer instructions": (
        "integer arithmetic", "logic and moves of general registers", "bit fields, shifts, extension",
        "conditional select and compare", "branches, addresses", "loads and stores of general registers",
        "hints, barriers, prefetch", "products of halfwords", "packed and saturating arithmetic"),
}


def test_the_table_of_instructions_is_the_commands() -> None:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        assert main(["isa", "--coverage", "--json"]) == 0
    counted = json.loads(printed.getvalue())["families"]
    for row, families in COVERED.items():
        cells = []
        for isa in ("aarch64", "aarch32"):
            found = [counted[family][isa] for family in families if isa in counted[family]]
            cells.append(f"{sum(f['forms'] for f in found)} of {sum(f['of_forms'] for f in found)}")
        assert f"| {row} | {' | '.join(cells)} |" in TEXT
