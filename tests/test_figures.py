"""Figures in prose are those that are counted: notebooks, exercises, minutes, cores, networks."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import neonsim as ns
from neonsim.arm.timing import cores
from neonsim.nn.graph.models import PUBLISHED

ROOT = Path(__file__).parents[1]
UNITS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
         "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"]
TENS = ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]


def spelled(number: int) -> str:
    """A number below 100 as a word."""
    if number < len(UNITS):
        return UNITS[number]
    tens, unit = divmod(number, 10)
    return TENS[tens] + (f"-{UNITS[unit]}" if unit else "")


def page(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


@cache
def notebooks() -> dict[str, Any]:
    """The course, by the two digits of a notebook's name."""
    return {path.name[:2]: json.loads(path.read_text("utf-8")) for path in sorted((ROOT / "notebooks").glob("*.ipynb"))}


@cache
def counted() -> dict[str, int]:
    """What prose counts."""
    posed = list(ns.exercises())
    return {"notebooks": len(notebooks()), "exercises": len(posed), "both": sum(len(one.isas) == 2 for one in posed),
            "one": sum(len(one.isas) == 1 for one in posed), "networks": len(PUBLISHED),
            "cores": sum(not name.startswith("ideal") for name in cores())}


@pytest.mark.parametrize("name, pattern, what", [
    ("README.md", r"(\w+ty-\w+)\s+notebooks\b", "notebooks"),
    ("notebooks/README.md", r"([\w-]+)\s+notebooks\b(?=, each)", "notebooks"),
    ("README.md", r"(\d+) exercises that grade themselves", "exercises"),
    ("docs/features.md", r"(\w+) exercises that grade themselves", "exercises"),
    ("CHANGELOG.md", r"(\w+ty-\w+)\s+notebooks\b", "notebooks"),
    ("CHANGELOG.md", r"(\d+) exercises that grade themselves", "exercises"),
    ("CHANGELOG.md", r"(\w+) cores from", "cores"),
    ("docs/features.md", r"([\w-]+) of them in both instruction sets", "both"),
    ("notebooks/README.md", r"All but (\w+) can\s+be solved in either", "one"),
    ("README.md", r"cycles on (\w+) cores", "cores"),
    ("README.md", r"runs (\w+) built-in networks", "networks"),
], ids=lambda value: value if " " not in value and "(" not in value else "")
def test_a_figure_is_the_one_counted(name: str, pattern: str, what: str) -> None:
    found = re.findall(pattern, page(name))
    assert found, f"{name} says no longer how many {what} there are"
    number = counted()[what]
    wrong = [word for word in found if word.lower() not in (str(number), spelled(number))]
    assert not wrong, f"{name} counts {wrong} {what}; there are {number} ({spelled(number)})"


def posed(notebook: Any) -> list[str]:
    """The exercises that a notebook has a cell for."""
    found = [name for cell in notebook["cells"] if cell["cell_type"] == "code"
             for name in re.findall(r"^%%neon_exercise ([\w-]+)", "".join(cell["source"]), re.M)]
    return list(dict.fromkeys(found))


def test_the_teachers_map_says_what_stands_in_the_notebooks() -> None:
    """Minutes, question and exercises of each."""
    rows = re.findall(r"^\| \[(\d\d) ([^\]]*)\]\([^|]*\| ([^|]*) \| (\d+) min \| [^|]* \| [^|]* \| ([^|]*) \|$",
                      page("notebooks/README.md"), re.M)
    assert [number for number, *_ in rows] == list(notebooks())
    for number, _, question, minutes, exercises in rows:
        notebook = notebooks()[number]
        first = "".join(notebook["cells"][0]["source"])
        assert re.search(rf"^\*\*Time\*\* {minutes} minutes", first, re.M), f"notebook {number} takes other minutes"
        assert question.lower() in first.splitlines()[0].lower(), f"notebook {number} asks something else"
        missing = [name for name in posed(notebook) if name not in exercises]
        assert not missing, f"the map leaves {missing} of notebook {number} out"


def test_exercises_without_a_notebook_are_named() -> None:
    text = page("notebooks/README.md")
    named = re.search(r"More exercises without a notebook of their own: ([\w, -]+) \(", text)
    listed = set(re.findall(r"[\w-]+", " ".join(re.findall(r"\| ([^|]*) \|$", text, re.M))))
    assert named is not None
    assert set(named[1].split(", ")) == {one.name for one in ns.exercises()} - listed
