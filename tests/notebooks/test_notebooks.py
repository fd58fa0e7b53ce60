"""Every notebook runs from top to bottom, says what the committed file says, and computes what it claims."""

from __future__ import annotations

import json
import re
import runpy
from functools import cache
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import neonsim as ns
from neonsim.nn.backends.native.backend import NativeBackend
from neonsim.nn.backends.native.network import families

if find_spec("nbclient") is None:
    pytest.skip("needs Jupyter's libraries: pip install nbformat nbclient ipykernel", allow_module_level=True)

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
EACH = pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
PROSE = runpy.run_path(str(HERE / "prose.py"))
# A time by the clock belongs to the machine it was taken on.
CLOCK = re.compile(r"(?<![\w.])\d[\d.,]*[ \t]+(?:(?:milli|micro|nano)?seconds?|[mnuµ]?s|minutes?)\b|\bperf_counter\b|"
                   r"%%?time(?:it)?\b")


def read(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8"))


def outputs(notebook: dict[str, Any]) -> list[Any]:
    """What each code cell shows, without the spelling of line breaks; a cell tagged `live` is not compared."""
    def plain(value: Any) -> Any:
        if isinstance(value, list):
            return "".join(value) if all(isinstance(part, str) for part in value) else [plain(part) for part in value]
        return {key: plain(part) for key, part in value.items()} if isinstance(value, dict) else value

    return [plain(cell["outputs"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]


@cache
def refresh() -> dict[str, Any]:
    """Not loaded before it is needed: every process of a test run collects this file."""
    return runpy.run_path(str(HERE / "refresh.py"))


def same(session: Any, path: Path) -> None:
    if "native" in path.read_text(encoding="utf-8"):
        missing = NativeBackend().available()
        if missing is not None:
            pytest.skip(f"the notebook compares with the native backend: {missing}")
    if 'family=\\"avx2' in path.read_text(encoding="utf-8") and families().get("avx2", "not built") is not None:
        pytest.skip("the notebook shows what is chosen for AVX2, which this processor does not have")
    if "ns.prove" in path.read_text(encoding="utf-8") and find_spec("z3") is None:
        pytest.skip("the notebook asks a solver: pip install 'neonsim[prove]'")
    executed, committed = session.execute(path), read(path)
    hint = f"outputs changed: look at them, then python tests/notebooks/refresh.py {path.relative_to(ROOT)}"
    for now, then in zip(outputs(executed), outputs(committed), strict=True):
        assert now == then, hint


@pytest.mark.nightly
def test_the_first_runs_and_says_the_same() -> None:
    """`make notebooks` runs all of them."""
    with refresh()["Session"]() as session:
        same(session, NOTEBOOKS[0])


@pytest.mark.nightly
@EACH
def test_runs_alone(path: Path) -> None:
    with refresh()["Session"]() as own:
        same(own, path)


@EACH
def test_reads_well_on_a_code_host(path: Path) -> None:
    notebook = read(path)
    first = PROSE["text"](notebook["cells"][0])
    assert first.startswith("# ") and "?" in first.splitlines()[0], "a notebook opens with its one question"
    assert re.search(r"^\*\*Time\*\* [234]\d minutes · \*\*Before\*\* .+$", first, re.M), "then: how long, what before"
    last = PROSE["text"](notebook["cells"][-1])
    assert "What you can do now" in last and "Next" in last, "and closes with what was learned, and what comes next"
    shown = [output for cell in notebook["cells"] for output in cell.get("outputs", [])]
    kinds = {kind for output in shown for kind in output.get("data", {})}
    assert "image/svg+xml" in kinds, "a still picture shows where nothing can be clicked"
    for data in (output.get("data", {}) for output in shown):
        image = "".join(data.get("text/html", ""))
        assert "image/svg+xml" not in data or "<img src='data:image/svg+xml," in image, (
            "a picture that an untrusted notebook does not draw")
        assert "<svg" not in image.partition("<img")[0], "SVG in HTML is taken out of an untrusted notebook"
    assert "application/vnd.jupyter.widget-view+json" not in kinds
    assert not [output for output in shown if output["output_type"] == "error"], "a cell ended in an error"
    assert not re.search(r"File: /|/home/|/root/", str(shown)), "a path of the machine that it ran on is shown"
    counts = [cell["execution_count"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert counts == list(range(1, len(counts) + 1)), "not executed from top to bottom: run refresh.py"
    assert path.stat().st_size < 210_000


@EACH
def test_numbers_in_prose_are_computed(path: Path) -> None:
    missing = PROSE["uncomputed"](read(path))
    assert not missing, f"no cell of the notebook shows {missing}: let one compute them, or say it without the number"


@EACH
def test_claims_in_prose_rest_on_a_cell(path: Path) -> None:
    missing = PROSE["unfounded"](read(path), (ROOT / "docs" / "sources.md").read_text(encoding="utf-8"))
    assert not missing, "\n".join([*missing, "tests/notebooks/prose.py says how a claim is marked: let a cell show it, "
                                             "or say less"])


@EACH
def test_no_time_by_the_clock(path: Path) -> None:
    notebook = read(path)
    for cell in notebook["cells"]:
        prose = re.sub(r"^\*\*Time\*\*.*$", "", PROSE["text"](cell), flags=re.M)
        shown = "" if cell["cell_type"] == "markdown" else "".join(
            "".join(output.get("text", "")) for output in cell["outputs"])
        live = "live" in cell["metadata"].get("tags", ())
        found = CLOCK.search(shown) or (None if live else CLOCK.search(prose))
        assert found is None, f"{found.group()!r} is a time: committed notebooks hold counted and modelled numbers"


@EACH
def test_links_lead_somewhere(path: Path) -> None:
    missing = [target for target in PROSE["links"](read(path)) if not (path.parent / target).exists()]
    assert not missing


def test_the_course_is_whole() -> None:
    numbers = [path.stem.partition("_")[0] for path in NOTEBOOKS]
    assert numbers == [f"{k:02}" for k in range(len(NOTEBOOKS))], "notebooks are numbered in order, none missing"
    teacher = (ROOT / "notebooks" / "README.md").read_text(encoding="utf-8")
    for page in (teacher, (ROOT / "README.md").read_text(encoding="utf-8")):
        link = f"]({'notebooks/' if page is not teacher else ''}{NOTEBOOKS[0].name})"
        assert link in page, "a page begins at another notebook"
    for path in NOTEBOOKS:
        assert f"]({path.name})" in teacher, f"{path.name} is not on the teacher's map"
    for before, after in pairwise(NOTEBOOKS):
        assert after.name in PROSE["links"](read(before)), f"{before.name} does not lead on to {after.name}"
    # What a clone fetches for the course: notebooks of 100 KB each, pictures in them twice, as SVG and as an image.
    assert sum(path.stat().st_size for path in NOTEBOOKS) < 3_700_000


def test_the_ways_through_the_course_can_be_gone() -> None:
    """Sums of minutes are right, and what a notebook asks for was had before."""
    teacher = (ROOT / "notebooks" / "README.md").read_text(encoding="utf-8")
    minutes: dict[int, int] = {}
    before: dict[int, set[int]] = {}
    for number, time, asked in re.findall(r"^\| \[(\d\d) [^|]*\|[^|]*\| (\d+) min \| ([^|]*) \|", teacher, re.M):
        span = re.fullmatch(r"(\d+) to (\d+).*", asked)
        minutes[int(number)] = int(time)
        before[int(number)] = (set(range(int(span[1]), int(span[2]) + 1)) if span else
                               {int(one) for one in re.findall(r"\d+", asked)})
    assert len(minutes) == len(NOTEBOOKS)
    section = teacher.partition("## Three ways through")[2].partition("\n## ")[0]
    ways = re.findall(r"^\| (an? [^|]*|the same[^|]*) \| ([^|]*) \| ([^|]*) \|$", section, re.M)
    assert len(ways) == 4
    for way, knows, sessions in ways:
        had = {int(one) for one in re.findall(r"\d+", knows)}
        for session, total in re.findall(r"([\d, ]+) \((\d+)\)", sessions):
            for number in map(int, re.findall(r"\d+", session)):
                assert before[number] <= had, f"{way}: notebook {number} asks for {sorted(before[number] - had)}"
                had.add(number)
            assert sum(minutes[int(one)] for one in re.findall(r"\d+", session)) == int(total) <= 120, (way, session)


def test_every_exercise_exists_and_begins_at_its_start() -> None:
    known = {task.name for task in ns.exercises()}
    for path in NOTEBOOKS:
        given = PROSE["exercises"](read(path))
        assert given, f"{path.name} has no exercise"
        assert set(given) <= known, f"{path.name}: no such exercise: {sorted(set(given) - known)}"
        for cell in read(path)["cells"]:
            magic, _, answer = PROSE["text"](cell).partition("\n")
            if magic.startswith("%%neon_exercise"):
                name, *isa = magic.split()[1:]
                start = ns.Exercise(name, *isa).start
                assert answer.strip() == start.strip(), f"{path.name}: the answer cell of {name} is not its start"


@pytest.mark.nightly
def test_the_capstone_ends_with_every_byte(capsys: pytest.CaptureFixture[str]) -> None:
    """Its last cell puts the last answer into the network: with the solution, all bytes are the file's."""
    pytest.importorskip("tflite", reason="needs the packages tflite and flatbuffers: pip install 'neonsim[models]'")
    notebook = read(next(path for path in NOTEBOOKS if path.stem == "21_a_real_model_opened"))
    *cells, last = [PROSE["text"](cell) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    names: dict[str, Any] = {}
    for cell in cells:
        if not cell.startswith("%"):
            exec(compile(cell, "notebook 21", "exec"), names)
    exercise = ns.Exercise("layer-of-digits")
    assert exercise.check(exercise.task.solution("aarch64"))
    capsys.readouterr()
    exec(compile(last, "notebook 21", "exec"), names)
    assert capsys.readouterr().out == ("1568 of 1568 bytes are those of the file; with yours the answer is 7, "
                                       "with its own 7\n")


@pytest.mark.slow
def test_no_solution_is_given_away() -> None:
    def lines(text: str) -> set[str]:
        """Instructions, without labels, comments and spelling of blanks."""
        rows = (re.sub(r"//.*", "", row).split(":")[-1].split() for row in text.splitlines())
        return {" ".join(row) for row in rows if row}

    for task in ns.exercises():
        for isa in task.isas:
            own = lines(task.solution(isa)) - lines(task.start(isa))
            for path in NOTEBOOKS:
                for cell in read(path)["cells"]:
                    if cell["cell_type"] == "code":
                        assert not own <= lines(PROSE["text"](cell)), f"{path.name} has the solution of {task.name}"


@pytest.mark.parametrize("prose, said", [
    ("It takes 88 cycles, 72.7 % of them multiply.", ["88", "72.7"]),
    ("`v0.h[3]`, SMLAL2, 4x8, int8, 2**31 and Cortex-A72 are names.", []),
    ("Notebook 3 said so; see notebook 12.\n\n1. first\n2. second", []),
    ("**Time** 25 minutes · **Before** 3", []),
    ("3 612 672 bytes, and -120 or 1.5.", ["3612672", "-120", "1.5"]),
])
def test_the_check_of_prose_finds_numbers(prose: str, said: list[str]) -> None:
    assert PROSE["numbers"](prose) == said


def test_the_check_of_prose_wants_them_computed() -> None:
    def notebook(shown: str) -> dict[str, Any]:
        return {"cells": [{"cell_type": "markdown", "source": "All of 1 275 cases, 72.7 %."},
                          {"cell_type": "code", "source": "", "outputs": [{"text": shown}]}]}

    assert PROSE["uncomputed"](notebook("1275 and 72.7 %")) == []
    assert PROSE["uncomputed"](notebook("1276 and 72.70 %")) == ["1275", "72.7"]


@pytest.mark.parametrize("prose, said", [
    ("It is faster. It has four lanes.", ["It is faster."]),
    ("It never rounds <!-- by definition --> and only cuts.", ["It never rounds and only cuts."]),
    ("When is it faster? **Predict:** which is cheaper?", []),
    ("# Nothing is faster\n\n**Time** 30 minutes · **Before** nothing\n\n`never`, a freedom, the fastener", []),
    ("- it costs two\n- it has two", ["- it costs two"]),
    ("## What you can do now\n\n- say why it is faster.", []),
])
def test_the_check_of_claims_finds_them(prose: str, said: list[str]) -> None:
    assert [sentence for sentence, _ in PROSE["claims"](prose)] == said


@pytest.mark.parametrize("mark, wrong", [
    ("", "no mark"), ("<!-- shown: 5.3 cycles | 8.0 cycles -->", ""), ("<!-- shown: 5.4 cycles -->", "no cell shows"),
    ("<!-- shown: 5.3 cycles | 9.0 cycles -->", "'9.0 cycles'"), ("<!-- source: twice as fast -->", ""),
    ("<!-- source: thrice as fast -->", "no source says"), ("<!-- by definition -->", ""),
    ("<!-- I am sure -->", "no mark"),
    ("It is so. <!-- by definition -->", "no mark"),
], ids=["none", "shown", "not_shown", "half_shown", "source", "no_source", "definition", "opinion", "next_sentence"])
def test_the_check_of_claims_wants_them_shown(mark: str, wrong: str) -> None:
    shown = [{"text": "USUBL 5.3  cycles\nUXTL 8.0 cycles"}]
    notebook = {"cells": [{"cell_type": "markdown", "source": f"USUBL is the faster one. {mark}"},
                          {"cell_type": "code", "source": "", "outputs": shown}]}
    found = PROSE["unfounded"](notebook, "| 1 | It is twice as  fast | somebody |")
    assert (wrong in "".join(found)) if wrong else not found
