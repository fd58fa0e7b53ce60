"""Results of a class, and cells for nbgrader."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import neonsim as ns
from neonsim.cli import main
from neonsim.errors import BadArgument
from neonsim.learn.course import check_answer, solution, task_named
from neonsim.learn.course.classroom.gradebook import FORMAT, attempt, grade, regrade
from neonsim.learn.course.classroom.nbgrader import CONFIG, nbgrader_cells, notebook


def _tried(text: str) -> list[object]:
    return [attempt(check_answer(task_named("grey"), text), keep=False)]


def test_grading_does_not_believe_the_file(tmp_path: Path) -> None:
    said = grade("Eve", _tried("grey: ret"))  # type: ignore[arg-type]
    said["results"][0]["passed"] = True
    said["passed"] = 1
    path = tmp_path / "eve.json"
    path.write_text(json.dumps(said))
    again = regrade(path)
    assert again["who"] == "Eve" and again["passed"] == 0 and not again["results"][0]["passed"]


def test_files_of_results_in_a_folder_are_graded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They lie in it, or in a student's own folder; nobody is left out without a word."""
    (tmp_path / "cy").mkdir()
    (tmp_path / "bo").mkdir()
    (tmp_path / "bo" / "grey.S").write_text("grey: ret")
    (tmp_path / "eve.json").write_text(json.dumps(grade("Eve", _tried("grey: ret"))))  # type: ignore[arg-type]
    (tmp_path / "cy" / "results.json").write_text(json.dumps(grade("Cy", _tried("grey: ret"))))  # type: ignore[arg-type]
    assert main(["course", "grade", str(tmp_path), "--seed", "1"]) == 0
    assert [line.partition(":")[0] for line in capsys.readouterr().out.splitlines() if "of 1 passed" in line] == [
        "bo", "Cy", "Eve"]


@pytest.mark.parametrize("text", ["", "[]", "{}", "[" * 100_000, json.dumps({"format": FORMAT, "results": [1]}),
                                  json.dumps({"format": FORMAT, "results": [{"exercise": 1}]})],
                         ids=["empty", "list", "object", "deep", "row", "number"])
def test_files_that_are_no_results(text: str, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(BadArgument, match="not a file of results") as caught:
        regrade(path)
    assert ("nested deeper than 32 levels" in str(caught.value)) is text.startswith("[[")


def test_an_unknown_exercise_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps({"format": FORMAT, "results": [{"exercise": "gray", "isa": "aarch64", "answer": ""}]}))
    with pytest.raises(BadArgument, match="grey"):
        regrade(path)
    with pytest.raises(BadArgument, match="there is no file"):
        regrade(tmp_path / "nothing.json")


def test_nbgrader_cells_grade_themselves() -> None:
    """The answer cell and the assertion, run as a notebook would."""
    pytest.importorskip("IPython", reason="needs IPython")
    from IPython.core.interactiveshell import InteractiveShell

    statement, answer, test = nbgrader_cells("saturating-add", points=3)
    marks = [cell["metadata"]["nbgrader"] for cell in (statement, answer, test)]
    assert [(m["grade"], m["solution"], m["locked"]) for m in marks] == [
        (False, False, True), (False, True, False), (True, False, True)]
    assert answer["source"].endswith("saturating_add:\n        // BEGIN SOLUTION\n        // your instructions\n"
                                     "        // END SOLUTION\n        ret\n")
    assert marks[2]["points"] == 3 and all(m["schema_version"] == 3 for m in marks)
    assert len({m["grade_id"] for m in marks}) == 3
    shell = InteractiveShell()
    shell.run_cell("import neonsim\n%load_ext neonsim")
    assert shell.run_cell(answer["source"]).success
    refused = shell.run_cell(test["source"])
    assert isinstance(refused.error_in_exec, AssertionError) and "should be" in str(refused.error_in_exec)
    magic = answer["source"].split("\n", 1)[0]
    shell.run_cell(f"{magic}\n{solution('saturating-add')}")
    assert shell.run_cell(test["source"]).success


@pytest.mark.parametrize("name, isa, places", [("gemm-1x8", "aarch64", 2), ("gemm-1x8", "aarch32", 2),
                                               ("horizontal-sum", "aarch32", 1), ("break-the-chain", "aarch64", 0)])
def test_marks_stand_round_what_is_left_open(name: str, isa: str, places: int) -> None:
    """nbgrader clears all of a cell that is said to hold a solution and has no marks."""
    _, answer, _ = nbgrader_cells(name, isa)
    start = task_named(name).start(isa)
    assert answer["source"].count("BEGIN SOLUTION") == answer["source"].count("END SOLUTION") == places
    assert ("nbgrader" in answer["metadata"]) is (places > 0)
    kept = [line for line in answer["source"].splitlines(keepends=True)[1:] if "SOLUTION" not in line]
    assert "".join(kept) == start


def test_the_stub_of_nbgrader_is_a_comment_in_assembly() -> None:
    stub = json.loads(CONFIG.partition("=")[2])["python"]
    for isa, back in (("aarch64", "ret"), ("aarch32", "bx lr")):
        assert len(ns.assemble(f"f:\n        {stub}\n        {back}\n", isa=isa).instructions) == 1
    compile(stub, "a cell of Python", "exec")


def test_nbgrader_is_told_of_its_stub(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sheet = tmp_path / "source" / "one" / "sheet.ipynb"
    sheet.parent.mkdir(parents=True)
    assert main(["course", "notebook", "grey", "-o", str(sheet)]) == 0
    settings = tmp_path / "nbgrader_config.py"
    assert settings.read_text() == f"c = get_config()\n{CONFIG}\n" and str(settings) in capsys.readouterr().out
    sheet.unlink()
    settings.write_text("c = get_config()\n")
    assert main(["course", "notebook", "grey", "-o", str(sheet)]) == 0
    assert settings.read_text() == "c = get_config()\n" and CONFIG in capsys.readouterr().out
    assert main(["course", "notebook", "grey", "--plain", "-o", str(tmp_path / "plain.ipynb")]) == 0
    assert "code_stub" not in capsys.readouterr().out and "SOLUTION" not in (tmp_path / "plain.ipynb").read_text()


def test_a_notebook_to_hand_out() -> None:
    made = notebook(["beat-dual-issue", "dot-product", "beat-dual-issue"], "aarch32")
    assert sum("%%neon_exercise" in cell["source"] for cell in made["cells"]) == 2
    assert "%%neon_exercise dot-product aarch32" in str(made) and "%%neon_exercise beat-dual-issue aarch64" in str(made)
    assert solution("dot-product", "aarch32") not in str(made)
    assert "nbgrader" not in str(notebook(["grey"], graded=False))
    for names, options in (([], {}), (["gray"], {}), (["grey"], {"points": -1}), (["grey"], {"points": "1"})):
        with pytest.raises(BadArgument):
            notebook(names, **options)


@pytest.mark.nightly
def test_it_is_a_notebook() -> None:
    nbformat = pytest.importorskip("nbformat", reason="needs nbformat")
    nbformat.validate(notebook(["grey", "dot-product"]))
