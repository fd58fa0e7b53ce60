"""Exercises of your own: defined, proved, handed out, graded as those of neonsim are."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim.cli import main
from neonsim.errors import BadArgument
from neonsim.learn.course import (
    Answers,
    Limits,
    check_answer,
    define,
    handout,
    load,
    prove,
    task_named,
    tasks,
    template,
)
from neonsim.learn.course import tasks as all_tasks
from neonsim.learn.course.classroom.authoring import NO_HINTS
from neonsim.learn.course.classroom.gradebook import attempt, grade, table
from neonsim.learn.course.classroom.nbgrader import notebook
from neonsim.learn.course.tasks import collected

DOCS = Path(__file__).parents[3] / "docs" / "exercises.md"
PROTOTYPE = "void twice(size_t n, const int16_t x[n], int16_t y[n])"
RIGHT = """
twice:
        ldr     q0, [x1], #16
        add     v0.8h, v0.8h, v0.8h
        str     q0, [x2], #16
        subs    x0, x0, #8
        b.ne    twice
        ret
"""


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    with collected(keep=False):
        yield


def double(n: int, x: Any, y: Any) -> None:
    """Twice each element.

    y[i] <- 2 * x[i]
    """
    y[...] = 2 * x


def parts(**other: Any) -> dict[str, Any]:
    return {"story": "Twice.", "hints": ["ADD."], "prototype": PROTOTYPE, "definition": double,
            "sizes": {"n": range(8, 513, 8)}, "limits": Limits(instructions=2, neon=0.3),
            "answers": Answers({"aarch64": RIGHT}), **other}


def said(task: Any, what: str) -> str:
    """What `prove` says about one thing."""
    return next(finding.message for finding in prove(task) if finding.name.startswith(what))


@pytest.mark.nightly
def test_a_file_to_start_from_is_sound_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mean-of-two.py"
    assert main(["course", "new", "mean-of-two", "-o", str(path)]) == 0
    assert main(["course", "validate", str(path)]) == 0, capsys.readouterr().out
    assert "the exercise is sound" in capsys.readouterr().out
    assert main(["course", "new", "mean-of-two", "-o", str(path)]) == 2 and "exists already" in capsys.readouterr().err
    for name in ("Mean", "a b", "-x", "x" * 90):
        assert main(["course", "new", "--", name]) == 2 and "no name of an exercise" in capsys.readouterr().err
    assert main(["course", "new", "grey"]) == 2 and "already" in capsys.readouterr().err


@pytest.mark.nightly
def test_the_file_to_start_from_in_the_other_instruction_set(tmp_path: Path) -> None:
    path = tmp_path / "x.py"
    path.write_text(template("mean-of-two", "aarch32"))
    assert not [finding for finding in prove(load(path)[0]) if not finding]


@pytest.mark.nightly
def test_the_page_about_them_shows_some_that_are_sound(tmp_path: Path) -> None:
    texts = re.findall(r"```python\n(.*?)```", DOCS.read_text("utf-8"), re.S)
    assert len(texts) == 2
    for number, text in enumerate(texts):
        path = tmp_path / f"page{number}.py"
        path.write_text(text)
        assert not [finding for finding in prove(load(path)[0]) if not finding]


def test_from_the_file_to_the_grades(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, students = tmp_path / "mean-of-two.py", tmp_path / "class"
    path.write_text(template("mean-of-two"))
    for who in ("ada", "=bob()"):
        (students / who).mkdir(parents=True)
    load(path)
    (students / "ada" / "mean-of-two.S").write_text(task_named("mean-of-two").solution())
    (students / "=bob()" / "mean-of-two.S").write_text(task_named("mean-of-two").start())
    out = tmp_path / "grades.csv"
    assert main(["course", "grade", str(path), str(students), "-o", str(out), "--seed", "7"]) == 0
    shown = capsys.readouterr().out
    assert "ada: 1 of 1 passed" in shown and "seed 7" in shown
    rows = {row["who"]: row for row in csv.DictReader(io.StringIO(out.read_text()))}
    assert set(rows) == {"ada", "'=bob()"}, "no cell is a formula"
    ada = rows["ada"]
    assert ada["passed"] == "1" and ada["seed"] == "7" and int(ada["neon"]) < int(ada["instructions"])
    n = int(ada["call"].removeprefix("n = "))
    assert int(ada["instructions"]) == 6 * n // 16 + 1 and 224 <= n <= 288
    bob = rows["'=bob()"]
    assert bob["passed"] == "0" and not bob["cycles"] and "smallest" in bob["remark"]
    assert main(["course", str(path)]) == 0 and "void mean_of_two(" in capsys.readouterr().out
    assert main(["course", "check", str(path), str(students / "ada" / "mean-of-two.S")]) == 0
    assert main(["course", "grade", str(path), str(students), "-o", "x.txt"]) == 2
    assert ".csv or .json" in capsys.readouterr().err


def test_students_get_no_answers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, given = tmp_path / "mean-of-two.py", tmp_path / "students.py"
    path.write_text(template("mean-of-two"))
    assert main(["course", "handout", str(path), "-o", str(given)]) == 0
    assert "urhadd" not in given.read_text() and "uhadd" not in given.read_text()
    (task,) = load(given)
    verdict = check_answer(task, load(path)[0].solution())
    assert verdict and verdict.score is not None
    alone = check_answer(task, verdict.text)
    assert alone and alone.score is not None and alone.score.solution is None
    assert re.search(r" -$", str(alone.score), re.M)
    path.write_text(template("mean-of-two").replace("# ---- answers", "# answers"))
    capsys.readouterr()
    assert main(["course", "handout", str(path), "-o", str(tmp_path / "x.py")]) == 2
    assert "would show the answers of mean-of-two" in capsys.readouterr().err and not (tmp_path / "x.py").exists()


def test_hints_can_stay_with_the_teacher(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, given, sheet = tmp_path / "mean-of-two.py", tmp_path / "students.py", tmp_path / "sheet.ipynb"
    text = template("mean-of-two").replace("Look among", "\u00ab\u00e9\u00bb Look among")
    path.write_text(text, "utf-8")
    assert main(["course", "handout", str(path), "--no-hints", "-o", str(given)]) == 0
    assert main(["course", "notebook", str(path), "--no-hints", "-o", str(sheet)]) == 0
    for one in (given.read_text("utf-8"), json.dumps(json.loads(sheet.read_text()), ensure_ascii=False)):
        assert "A loop:" not in one and "Look among" not in one and one.count(NO_HINTS) == 1
    (task,) = load(given)
    assert task.hints == (NO_HINTS,) and given.read_text("utf-8").splitlines()[-1] == ")"
    path.write_text("FIRST = 'A loop: two loads.'\n" + re.sub(r"hints=\[.*?\],", "hints=[FIRST],", text, flags=re.S))
    capsys.readouterr()
    assert main(["course", "handout", str(path), "--no-hints", "-o", str(tmp_path / "x.py")]) == 2
    assert "is outside hints=[...]" in capsys.readouterr().err
    assert main(["course", "notebook", "grey", "--no-hints", "-o", str(tmp_path / "x.ipynb")]) == 2
    assert "cannot be left out" in capsys.readouterr().err and not (tmp_path / "x.ipynb").exists()


@pytest.mark.parametrize("body", [RIGHT, RIGHT.replace("\ntwice:\n", "").replace("        ret\n", "")],
                         ids=["with", "without"])
def test_a_start_may_have_its_own_label(body: str) -> None:
    task = define("twice", "x", **parts(start={"aarch64": body}))
    text = task.start("aarch64")
    assert text.count("twice:\n") == text.count("        ret\n") == 1
    assert check_answer(task, text, seed=1)


@pytest.mark.slow
def test_a_notebook_holds_the_definition_and_grades_itself(tmp_path: Path) -> None:
    pytest.importorskip("IPython", reason="needs IPython")
    from IPython.core.interactiveshell import InteractiveShell

    path = tmp_path / "mean-of-two.py"
    path.write_text(template("mean-of-two"))
    (task,) = load(path)
    right = task.solution()
    made = notebook([task.name, "grey"])
    assert "urhadd" not in json.dumps(made) and "mean_of_two(size_t n" in json.dumps(made)
    with collected(keep=False):
        shell = InteractiveShell()
        sources = [cell["source"] for cell in made["cells"] if cell["cell_type"] == "code"]
        setup, definition, answer, test = sources[:4]
        assert shell.run_cell(setup).success and shell.run_cell(definition).success
        magic = answer.split("\n", 1)[0]
        shell.run_cell(f"{magic}\n{right}")
        assert shell.run_cell(test).success
        shell.run_cell(answer)
        assert isinstance(shell.run_cell(test).error_in_exec, AssertionError)


@pytest.mark.parametrize(("other", "words"), [
    ({"prototype": "twice(size_t n)"}, "not a prototype"),
    ({"prototype": "int twice(size_t n, const int16_t x[n], int16_t y[n])"}, "must not return a result"),
    ({"prototype": "void twice(uint32_t n, const int16_t x[n], int16_t y[n])"}, "size_t or int32_t; n is uint32_t"),
    ({"prototype": "void twice(size_t n, const double x[n], int16_t y[n])"}, "those of x are float64"),
    ({"prototype": "void twice(size_t n, size_t m, int16_t *y)"}, "not a star"),
    ({"prototype": "void twice(size_t n, const int16_t x[m], int16_t y[n])"}, "an integer of the prototype"),
    ({"prototype": "void twice(size_t n, const long x[n], int16_t y[n])"}, "elements must"),
    ({"prototype": "void twice(size_t n, const int16_t x[n], const int16_t y[n])"}, "has no output"),
    ({"prototype": "void thrice(size_t n, const int16_t x[n], int16_t y[n])"}, "declares thrice"),
    ({"prototype": "void twice(size_t n, const int16_t a[n], int16_t y[n])"}, "the prototype has"),
    ({"definition": lambda n, x, y: None}, "docstring"),
    ({"definition": None}, "definition is missing"),
    ({"sizes": {}}, "the values of n are missing"), ({"sizes": {"n": range(0)}}, "the values of n are missing"),
    ({"sizes": {"n": [16, 8]}}, "must increase"), ({"sizes": {"n": [0, 8]}}, "at least 1"),
    ({"sizes": {"n": [8], "m": [1]}}, "sizes names m"),
    ({"timed": {"n": 9}}, "is not a value"), ({"timed": {}}, "timed must have values of n"),
    ({"data": {"z": range(3)}}, "not an array"), ({"data": {"x": [1 << 20]}}, "values of int16"),
    ({"data": {"x": lambda rng, shape: np.zeros(3)}}, "returned shape"),
    ({"data": {"x": lambda rng, shape: 1 / 0}}, "data cannot be generated: ZeroDivisionError"),
    ({"hints": "ADD"}, "hints"), ({"story": " "}, "story is missing"), ({"start": ["mips"]}, "not for mips"),
    ({"limits": Limits(neon=30)}, "between 0 and 1"),
    ({"limits": Limits(instructions=1, per_element="n")}, "not one of x, y"),
    ({"limits": Limits(start_share=0.5)}, "needs a core"),
    ({"limits": Limits(core="cortex-z9", start_share=0.5)}, "no core"),
    ({"limits": Limits(core="cortex-a53", start_share=0.5)}, "the text for aarch64 is empty"),
    ({"mistakes": [(lambda n, x: None, "No.")]}, r"takes \(n, x\)"), ({"extras": {"n": [9]}}, "not among its sizes"),
    ({"changed": ["x"]}, "changed names x"),
])
def test_what_is_wrong_is_said(other: dict[str, Any], words: str) -> None:
    with pytest.raises(BadArgument, match=words):
        define("twice", "two times", **parts(**other))


def test_a_definition_that_fails_is_said_before_a_class_meets_it() -> None:
    def broken(n: int, x: Any, y: Any) -> None:
        """Broken."""
        y[...] = x[: n // 2]

    with pytest.raises(BadArgument, match=r"the definition fails with n = \d+: ValueError"):
        define("twice", "two times", **parts(definition=broken))
    with pytest.raises(BadArgument, match=r"the mistake 1 \(No\.\.\.\.\) fails"):
        define("twice", "two times", **parts(mistakes=[(broken, "No.")]))


def test_files_that_are_wrong(tmp_path: Path) -> None:
    path = tmp_path / "x.py"
    empty = "import neonsim as ns\nns.Exercise.define('grey', 'x')"
    for text, words in (("x = (", r"x\.py:1: "), ("\n1 / 0", r"x\.py:2: ZeroDivisionError"),
                        ("x = 1", "defines no exercise"), (empty, r"x\.py:2: grey: the story is missing")):
        path.write_text(text)
        with pytest.raises(BadArgument, match=words):
            load(path)
    with pytest.raises(BadArgument, match="there is no file"):
        load(tmp_path / "no.py")
    path.write_text(template("mean-of-two").replace("exercise.answers(", "1 / 0\nexercise.answers("))
    with pytest.raises(BadArgument, match="ZeroDivisionError"):
        load(path)
    assert "mean-of-two" not in {task.name for task in all_tasks()}, "of a file that fails nothing is kept"


@pytest.mark.nightly
def test_unsound_exercises_are_found() -> None:
    made = define("twice", "two times", **parts())
    findings = {finding.name: finding.message for finding in prove(made)}
    assert next(says for what, says in findings.items() if what.startswith("wrong answers")).startswith(
        "there are 0: at least 3")
    assert not any(says for what, says in findings.items() if what.startswith(("right", "limits", "starting text")))
    rows = [("add     v0.8h, v0.8h, v0.8h", "shl     v0.8h, v0.8h, #1", "x"), ("sdiv", "udiv", "y"),
            ("add     v0", "sub     v0", "z")]
    odd = {finding.name: finding.message for finding in prove(
        replace(made, answers=Answers({"aarch64": RIGHT}, wrong={"aarch64": rows})))}
    for number, words in enumerate(("it passes", "its fields|the fields", "the message does not hold these words"), 1):
        assert words in next(says for what, says in odd.items() if what.startswith(f"wrong answer {number}"))


@pytest.mark.nightly
def test_limits_and_right_answers_that_are_unsound_are_found() -> None:
    made = define("twice", "two times", **parts())
    assert "a loop over single elements would pass" in said(replace(made, limits=Limits()), "limits")
    assert "leaves no room" in said(replace(made, limits=Limits(instructions=0.64, per_element="y")), "limits")
    assert "leaves too little" in said(replace(made, limits=replace(made.limits, steps=400)), "limits")
    wrong = replace(made, answers=Answers({"aarch64": RIGHT.replace("#8", "#16")}))
    assert "does not pass" in said(wrong, "right answer") and "there is none" in said(
        replace(made, answers=Answers()), "right answer")


@pytest.mark.nightly
def test_a_remark_that_never_shows_is_found() -> None:
    assert "never be shown" in said(define("twice", "two times", **parts(mistakes=[(double, "Twice.")])), "remark 1")


def test_definitions_may_return_and_change_in_place_and_use_floats() -> None:
    def negate(n: int, x: Any) -> Any:
        """Change the sign of each element.

        x[i] <- -x[i]
        """
        return -x

    made = define("negate", "in place", **parts(prototype="void negate(size_t n, float x[n])", definition=negate,
                                                changed=["x"], answers=None))
    text = "negate:\n ldr q0, [x1]\n fneg v0.4s, v0.4s\n str q0, [x1], #16\n subs x0, x0, #4\n b.ne negate\n ret\n"
    assert check_answer(made, text), check_answer(made, text)
    assert not check_answer(made, text.replace("fneg", "fabs"))


def test_one_of_ones_own_is_like_the_others(tmp_path: Path) -> None:
    exercise = ns.Exercise.define("twice", "two times", **parts())
    assert "twice" in repr(ns.exercises()) and "Vectors:" in exercise.statement and exercise.check(RIGHT)
    exercise.answers(correct={"aarch64": RIGHT})
    assert exercise.score(RIGHT).cost == exercise.score(RIGHT).solution
    rows = table([grade("Ada", [attempt(check_answer(task_named("twice"), RIGHT), keep=False)])])
    assert "Ada,twice,aarch64,1,1," in rows
    with pytest.raises(BadArgument, match="has an exercise grey already"):
        ns.Exercise.define("grey", "x", **parts(prototype=PROTOTYPE.replace("twice", "grey")))
    assert tasks()[-1].name == "twice"
    path = tmp_path / "x.py"
    path.write_text(template("twice"))
    assert load(path)[0].title == "the mean of two vectors" and handout(path).startswith('"""An exercise')
