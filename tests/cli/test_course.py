"""`neonsim course`: from the list to the grades of a class."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from neonsim.cli import main
from neonsim.learn.course import solution


@pytest.mark.slow
def test_from_the_statement_to_the_score(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["course"]) == 0 and "saturating-add" in capsys.readouterr().out
    file, results = tmp_path / "sat.S", tmp_path / "ada.json"
    assert main(["course", "saturating-add", "-o", str(file)]) == 0
    assert "min(a[i] + b[i], 255)" in capsys.readouterr().out and "saturating_add:" in file.read_text()
    assert main(["course", "saturating-add", "-o", str(file)]) == 2, "an answer is not written over"
    capsys.readouterr()
    page = tmp_path / "wrong.html"
    noted = ["--export", str(results), "--who", "Ada"]
    assert main(["course", "check", "saturating-add", str(file), "--html", str(page), *noted]) == 1
    assert "y[0] should be" in capsys.readouterr().out and page.stat().st_size > 10_000
    file.write_text(solution("saturating-add"))
    assert main(["course", "check", "saturating-add", str(file), *noted]) == 0
    assert "passed" in capsys.readouterr().out
    assert main(["course", "score", "saturating-add", str(file), "--core", "cortex-a72"]) == 0
    assert "cycles on cortex-a72, modelled" in capsys.readouterr().out
    assert main(["course", "grade", str(results), "--json"]) == 0
    graded = json.loads(capsys.readouterr().out)
    assert graded[0]["who"] == "Ada" and graded[0]["passed"] == 1 and graded[0]["results"][0]["isa"] == "aarch64"
    assert json.loads(results.read_text())["results"][0]["attempts"] == 2
    assert main(["course", "check", "grey", str(file), "--export", str(results), "--who", "Bob"]) == 2
    assert "does not have results of Bob" in capsys.readouterr().err
    for text in ("[" * 100_000, json.dumps({"format": "neonsim-results-1", "who": "Ada", "results": [
            {"exercise": "saturating-add", "isa": "aarch64", "answer": "", "attempts": "many"}]})):
        results.write_text(text)
        assert main(["course", "check", "saturating-add", str(file), *noted]) == 2
        assert "not a file of results" in capsys.readouterr().err


def test_remarks_are_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The first failure does not name the instruction that is missing; who wants to know asks."""
    line = ["course", "check", "saturating-add", str(tmp_path / "sat.S"), "--seed", "1"]
    (tmp_path / "sat.S").write_text(solution("saturating-add").replace("uqadd ", "add "))
    assert main(line) == 1
    said = capsys.readouterr().out
    assert "told after the second hint" in said and "--remark what was probably done" in said and "UQADD" not in said
    assert main([*line, "--remark"]) == 1 and "wrap around at 256. UQADD" in capsys.readouterr().out


def test_folders_of_a_class(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for who, text in (("ada", solution("grey")), ("bob", "grey: ret")):
        (tmp_path / who).mkdir()
        (tmp_path / who / "grey.S").write_text(text)
    (tmp_path / "bob" / "dot-product.aarch32.S").write_text(solution("dot-product", "aarch32"))
    (tmp_path / "bob" / "notes.S").write_text("ret")
    out = tmp_path / "class.json"
    assert main(["course", "grade", str(tmp_path), "-o", str(out)]) == 0
    shown = capsys.readouterr()
    assert "ada: 1 of 1 passed" in shown.out and "bob: 1 of 2 passed" in shown.out
    assert "dot-product (aarch32)" in shown.out and "notes.S" in shown.err
    (tmp_path / "bob" / "grey.mips.S").write_text("ret")
    broken = tmp_path / "eve.json"
    broken.write_text("{}")
    assert main(["course", "grade", str(tmp_path / "bob"), str(broken), "-o", str(tmp_path / "class.csv")]) == 1
    shown = capsys.readouterr()
    assert "bob: 1 of 2 passed" in shown.out, "one file that is none does not stop the others"
    assert "ignored" in shown.err and "not a file of results" in shown.err and "not available for 'mips'" in shown.err
    assert (tmp_path / "class.csv").read_text().count("\nbob,") == 2
    assert len(json.loads(out.read_text())) == 2


def test_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "a.S"
    file.write_text("grey: ret")
    assert main(["course", "check", "grey", str(file), "--json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert not said["passed"] and said["check"]["smallest"]["expected"] is not None
    assert main(["course", "--json"]) == 0 and len(json.loads(capsys.readouterr().out)) >= 18
    assert main(["course", "grey", "--json"]) == 0 and json.loads(capsys.readouterr().out)["hints"] == 3


@pytest.mark.parametrize(("words", "message"), [
    (["gray"], "Do you mean grey"),
    (["check", "grey", "/nowhere.S"], "there is no file"), (["hint", "grey", "9"], "hints 1 to 3"),
    (["grade", "/nowhere.json"], "there is no file"),
    (["beat-dual-issue", "--isa", "aarch32"], "available for aarch64"),
    (["check", "grey", "-", "--export", "x.json"], "--who"),
], ids=lambda value: "-".join(value) if isinstance(value, list) else None)
def test_refusals(words: list[str], message: str, capsys: pytest.CaptureFixture[str],
                  monkeypatch: pytest.MonkeyPatch) -> None:
    import io

    monkeypatch.setattr("sys.stdin", io.StringIO("grey: ret"))
    assert main(["course", *words]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(("words", "missing"), [
    ("check grey", "FILE"), ("hint", "EXERCISE"), ("grade", "PLACE"), ("notebook grey", "-o/--output")])
def test_what_a_command_needs(words: str, missing: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["course", *words.split()])
    assert f"the following arguments are required: {missing}" in capsys.readouterr().err


def test_hints_and_notebooks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["course", "hint", "grey", "2"]) == 0 and "Hint 2 of 3" in capsys.readouterr().out
    target = tmp_path / "lesson.ipynb"
    assert main(["course", "notebook", "grey", "clamp", "-o", str(target), "--points", "5"]) == 0
    assert json.loads(target.read_text())["nbformat"] == 4
    assert main(["course", "notebook", "grey", "-o", str(target)]) == 2
