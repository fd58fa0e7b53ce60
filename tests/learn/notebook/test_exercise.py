"""Exercises in a notebook: what is shown, what is kept, what is refused."""

from __future__ import annotations

import json
from gzip import decompress
from pathlib import Path
from typing import Any

import pytest

import neonsim as ns
from neonsim.learn.course import solution
from neonsim.learn.notebook.exercise import run_exercise
from neonsim.render import split

WRAPS = solution("saturating-add").replace("uqadd ", "add ")


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """No attempts of other tests."""
    from neonsim.learn.course.classroom import gradebook

    monkeypatch.setattr(gradebook, "_session", gradebook._Session())


def test_what_is_shown() -> None:
    exercise = ns.Exercise("saturating-add")
    page = exercise._repr_html_()
    assert "min(a[i] + b[i], 255)" in page and "%%neon_exercise saturating-add" in page and "&lt;-" in page
    assert "x3" in page and "uint8_t *" in page and "uqadd" not in page.lower().replace("uqadd v", "")
    assert exercise.start in repr(exercise) and exercise.contract.name == "saturating_add"
    assert "aarch32" in ns.Exercise("saturating-add", "aarch32").cell
    assert {case.number("n") for case in exercise.cases()} == {16, 32, 48, 64} < {
        case.number("n") for case in exercise.cases(full=True)}
    assert "beat-dual-issue" in repr(ns.exercises()) and "<table>" in ns.exercises()._repr_html_()


def test_a_wrong_answer_opens_the_stepper_where_it_went_wrong(tmp_path: Path) -> None:
    """At the step that has the wrong element as a lane, selected; its inputs are those of the recorded flow of data."""
    answer = ns.Exercise("saturating-add").check(WRAPS)
    page = answer._repr_html_()
    assert not answer and "not yet" in page
    stepper, trouble = answer.stepper(), answer.verdict.trouble
    assert stepper is not None and trouble is not None and trouble.trace is not None and trouble.index is not None
    (i,) = trouble.index
    a, b = (trouble.outcome.case.views()[name][i] for name in "ab")
    # A store of all of q0 has no lane for a byte: the addition has.
    assert str(trouble.trace.instruction(stepper.step - 1)).startswith("add v0.16b")
    assert stepper.view == f"lane={i}&follow=v0.b%5B{i}%5D"
    assert trouble.inputs == (f"a[{i}] = {a}", f"b[{i}] = {b}")
    assert f"written by step {stepper.step + 1} of" in answer.message
    assert f"worked out by step {stepper.step}, " in answer.message and f"(lane v0.b[{i}])" in answer.message
    wrong = f"n = 16: y[{i}] should be 255, is {(a.item() + b.item()) % 256}; made of a[{i}] = {a}, b[{i}] = {b}"
    assert split(decompress(stepper.payload))[0]["title"] == f"saturating-add, {wrong}"
    assert 'id="neonsim-view">step=1&lane=' in trouble.to_html(tmp_path / "a.html", "mine", step=1).read_text()
    with pytest.raises(ns.BadArgument, match=r"step must be in 0\.\."):
        trouble.to_html(tmp_path / "a.html", "mine", step=99)
    assert page.index(f"<b>y[{i}]</b>") < page.index("smallest failing case") and "should be" in page


@pytest.mark.parametrize(("name", "old", "new", "inputs", "followed"), [
    ("horizontal-sum", "addv    s0, v0.4s", "nop", ("x[0]", "x[1]", "x[2]", "x[3]"), "y[0]"),
    ("channels-of-four", "smax    v3.4s, v3.4s, v4.4s", "nop", ("x[0, 1]", "scale[1]", "bias[1]"), "y[1]"),
    ("subtract-zero-point", "ldr     d0, [x1], #8", "movi    v0.8b, #3", (), "v0.h[0]"),
], ids=["sum", "matrix", "constant"])
def test_inputs_are_those_that_the_run_took(name: str, old: str, new: str, inputs: tuple[str, ...],
                                            followed: str) -> None:
    assert old in solution(name)
    trouble = ns.Exercise(name).check(solution(name).replace(old, new), seed=3).verdict.trouble
    assert trouble is not None and trouble.stepper_lane is not None and trouble.stepper_lane[2] == followed
    assert tuple(word.partition(" = ")[0] for word in trouble.inputs) == inputs
    assert bool(inputs) != ("of no input: of constants alone" in str(trouble))


def test_a_fault_opens_the_stepper_before_it() -> None:
    answer = ns.Exercise("saturating-add").check(solution("saturating-add").replace("[x1], #16", "[x1, #16]"))
    assert not answer and "past its end" in answer.message
    stepper = answer.stepper()
    assert stepper is not None and stepper.step == stepper._trace.steps


def test_a_right_answer() -> None:
    exercise = ns.Exercise("saturating-add")
    answer = exercise.check(solution("saturating-add"))
    assert answer and answer.stepper() is None and "right in every byte" in repr(answer)
    assert "97" in repr(exercise.score(answer.text)) and "modelled" in exercise.score(answer.text)._repr_html_()
    assert exercise.score(answer.text, "cortex-a72").cost.cycles < exercise.score(answer.text).cost.cycles


@pytest.mark.parametrize(("text", "words"), [
    ("saturating_add:\n  uqad v0.16b, v0.16b, v1.16b\n ret", "^^^^"),
    ("", "has no instruction to call"),
    ("f: b f", "never ends"),
    pytest.param("f: add x4, x4, #1\n b f", "uninitialized", marks=pytest.mark.nightly),
    pytest.param("f: mov x4, #0\n0: add x4, x4, #1\n b 0b", "20,000 steps", marks=pytest.mark.nightly),
    (".rept 1000000\n nop\n.endr", "lines"),
    ("x" * 300_000, "characters"),
    ("#include \"/etc/passwd\"\nf: ret", "/etc/passwd"),
    ("f: ret\ng: ret", "g"),
], ids=["mnemonic", "empty", "endless", "uninitialized", "counting", "bomb", "long", "outside", "two"])
def test_untrusted_text(text: str, words: str) -> None:
    answer = ns.Exercise("saturating-add").check(text)
    assert not answer and words in answer.message


def test_lines_of_an_answer_have_the_numbers_of_its_cell() -> None:
    wrong = run_exercise("saturating-add", WRAPS, {})
    line = 2 + next(k for k, row in enumerate(WRAPS.splitlines()) if row.strip().startswith("add "))
    assert f"<text>:{line}: add v0.16b" in wrong.message and wrong.text == WRAPS
    assert "<text>:3:" in run_exercise("saturating-add", "saturating_add:\n  uqad v0.16b", {}).message


def test_refusals() -> None:
    exercise = ns.Exercise("grey")
    with pytest.raises(ns.BadArgument, match="must be a str; got int"):
        exercise.check(5)  # type: ignore[arg-type]
    with pytest.raises(ns.BadArgument, match="not correct yet"):
        exercise.score(exercise.start)
    with pytest.raises(ns.TimingError, match="cortex-z9"):
        exercise.score(solution("grey"), "cortex-z9")
    with pytest.raises(ns.BadArgument, match=r"hint of .* must be in 1\.\.3"):
        exercise.hint(4)
    with pytest.raises(ns.BadArgument, match="no answer has been checked"):
        exercise.export("x.json", student="Ada")


def test_remarks_come_after_the_second_hint() -> None:
    """The first failure says what is wrong; which instruction it takes is told after two hints."""
    exercise = ns.Exercise("saturating-add")
    answer = exercise.check(WRAPS)
    for given in range(2):
        shown = f"{answer!r} {answer._repr_html_()}"
        assert "told after the second hint" in shown, given
        assert "uqadd" not in shown.lower() and "wrap around at 256" not in shown
        ns.Exercise("saturating-add").hint()  # of this session, whichever object is asked
    assert "These sums wrap around at 256. UQADD" in repr(answer) and "wrap around at 256" in answer._repr_html_()
    assert answer.remark == answer.verdict.mistake != "" and exercise.hint() == ns.Exercise("saturating-add").hint(3)


def test_hints_go_on() -> None:
    exercise = ns.Exercise("grey")
    assert [repr(exercise.hint())[5:11] for _ in range(4)] == ["1 of 3", "2 of 3", "3 of 3", "3 of 3"]


def test_results_for_the_teacher(tmp_path: Path) -> None:
    exercise = ns.Exercise("saturating-add")
    exercise.check(WRAPS)
    exercise.check(solution("saturating-add"))
    said = json.loads(exercise.export(tmp_path / "ada.json", student="Ada").read_text())
    row = said["results"][0]
    assert (said["who"], said["passed"], row["attempts"], row["passed"]) == ("Ada", 1, 2, True)
    assert row["time"].endswith("Z") and row["score"]["cost"] == row["score"]["solution"] and "uqadd" in row["answer"]
    ns.Exercise("grey").check("grey: ret")
    both = json.loads(exercise.export(tmp_path / "ada.json", student="Ada").read_text())
    assert [row["exercise"] for row in both["results"]] == ["saturating-add", "grey"], "all of the session"
    written = exercise.export(tmp_path / "ada.csv", student="Ada").read_text()
    assert written.splitlines()[1].startswith("Ada,saturating-add,")
    with pytest.raises(ns.BadArgument, match="name the student"):
        exercise.export(tmp_path / "x.json", student=" ")
    with pytest.raises(ns.BadArgument, match="cannot be written"):
        exercise.export(tmp_path / "no" / "x.json", student="Ada")


def test_the_magic(capsys: pytest.CaptureFixture[str]) -> None:
    variables: dict[str, Any] = {}
    answer = run_exercise("saturating-add -o mine --core cortex-a72", solution("saturating-add"), variables)
    assert answer and variables["mine"] is answer and answer.score.core == "cortex-a72"
    assert run_exercise("saturating-add --seed 5", solution("saturating-add"), {}).verdict.seed == 5
    for number in (1, 2):
        found = run_exercise("saturating-add --hint", WRAPS, variables)
        assert not found and f"Hint {number} of 3" in capsys.readouterr().out
    assert "wrap around at 256" in found.message
    for line, words in (("", "required: name"), ("gray", "Do you mean grey"), ("grey mips", "invalid choice"),
                        ("beat-dual-issue aarch32", "available for aarch64"), ("grey -o 1x", "variable name")):
        with pytest.raises(ns.BadArgument, match=words):
            run_exercise(line, "ret", {})


def test_in_ipython(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("IPython", reason="needs IPython")
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell()
    shell.run_line_magic("load_ext", "neonsim")
    assert shell.run_cell(f"%%neon_exercise saturating-add -o a\n{WRAPS}").success, "a wrong answer is no failed cell"
    shown = capsys.readouterr().out
    assert "told after the second hint" in shown and not shell.user_ns["a"].passed
    assert not shell.run_cell("%%neon_exercise gray\nret\n").success
    shown = capsys.readouterr().out
    assert "Do you mean grey" in shown and "Traceback" not in shown
