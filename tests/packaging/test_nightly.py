"""`make nightly` goes on where it was ended and says of every part what became of it; costs and tiers are kept."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests import nightly
from tests.nightly import Part
from tests.tiers import every, first_of_each

ROOT = Path(__file__).parents[2]


def ends_with(status: int, into: Path) -> tuple[str, ...]:
    """A command that writes a letter and ends so."""
    return sys.executable, "-c", f"open({str(into)!r}, 'a').write('x'); print('said'); raise SystemExit({status})"


def test_what_has_passed_is_not_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                          capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(nightly, "KEEP", tmp_path / "kept")
    monkeypatch.setattr(nightly, "ROOT", tmp_path)
    monkeypatch.setattr(nightly, "commit", lambda: "abc")
    good, bad, none = tmp_path / "good", tmp_path / "bad", tmp_path / "none"
    parts = [Part("good part", ends_with(0, good)), Part("bad", ends_with(3, bad)),
             Part("no tests", ends_with(nightly.NO_TESTS, none))]
    for _ in range(2):
        assert not nightly.run_all(parts, again=False)
    assert (good.read_text(), bad.read_text(), none.read_text()) == ("x", "xx", "x")
    assert nightly.run_all(parts[:1], again=True) and good.read_text() == "xx"
    monkeypatch.setattr(nightly, "commit", str)     # "": files are changed
    assert nightly.run_all(parts[:1], again=False) and nightly.run_all(parts[:1], again=False)
    assert good.read_text() == "xxxx"
    shown = capsys.readouterr().out
    assert "bad" in shown and "failed: see kept/bad.log" in shown and "passed" in shown
    assert (tmp_path / "kept" / "good-part.log").read_text() == "said\n"


def test_an_ended_run_says_what_it_did_not_reach(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                                 capsys: pytest.CaptureFixture[str]) -> None:
    def ended(part: Part) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(nightly, "KEEP", tmp_path)
    monkeypatch.setattr(nightly, "commit", lambda: "abc")
    monkeypatch.setattr(nightly, "run", ended)
    assert not nightly.run_all([Part("one", ()), Part("two", ())], again=False)
    shown = capsys.readouterr().out
    assert shown.count("not reached") == 2 and "goes on from here" in shown


def test_a_dear_test_fails_the_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    costs = tmp_path / "costs.json"
    costs.write_text(json.dumps({"tests": {"a": nightly.MAX_CPU_SECONDS + 1, "b": nightly.MAX_CPU_SECONDS - 1}}))
    monkeypatch.setattr(nightly, "KEEP", tmp_path)
    monkeypatch.setattr(nightly, "KEPT", costs)
    said = nightly.run(Part("part", ends_with(0, tmp_path / "x"), dear=True))
    assert said.startswith("failed: more than 3 CPU-seconds") and said.endswith(": a")


def test_every_folder_of_tests_is_a_part() -> None:
    folders = set(nightly.folders())
    assert all(any(f"{path.as_posix()}/".startswith(f"{folder}/") for folder in folders)
               for file in (ROOT / "tests").glob("*/**/test_*.py") if "node_modules" not in file.parts
               for path in [file.parent.relative_to(ROOT / "tests")])
    names = {part.name for part in nightly.parts()}
    assert folders <= names and len(names) == len(nightly.parts())


def test_an_unknown_part_is_refused() -> None:
    done = subprocess.run([sys.executable, "-m", "tests.nightly", "nothing"], cwd=ROOT, capture_output=True, text=True,
                          check=False)
    assert done.returncode == 2 and "no part nothing; there are one process" in done.stderr


def test_tiers_leave_the_first_of_each() -> None:
    def quick(cases: list[object]) -> list[object]:
        return [case for case in cases if not hasattr(case, "marks")]

    assert quick(every(3, range(7))) == [0, 3, 6]
    assert quick(first_of_each(lambda word: word[0], ["ab", "ac", "b", "a"])) == ["ab", "b"]
    slow = pytest.param(1, marks=pytest.mark.slow, id="one")
    marked = every(2, [0, slow])[1]
    assert marked.id == "one" and {mark.name for mark in marked.marks} == {"slow", "nightly"}


@pytest.mark.slow
def test_costs_are_named_and_kept(tmp_path: Path) -> None:
    """A test that costs something is said, with the processes that it waits for; a short one is not."""
    (tmp_path / "test_one.py").write_text(
        "import subprocess, sys, time\n\n"
        "BUSY = 'import time\\nwhile time.process_time() < 0.3: pass'\n"
        "def test_dear():\n    end = time.process_time() + 0.3\n    while time.process_time() < end: pass\n"
        "def test_child(): subprocess.run([sys.executable, '-c', BUSY])\n"
        "def test_cheap(): pass\n")
    text = ("import pytest, tests.costs as costs; from pathlib import Path\n"
            f"costs.KEPT, costs.DEAR = Path({str(tmp_path / 'costs.json')!r}), 0.2\n"
            f"pytest.main(['-p', 'no:cacheprovider', '--rootdir={tmp_path}', {str(tmp_path)!r}], [costs.Costs()])")
    done = subprocess.run([sys.executable, "-c", text], cwd=ROOT, capture_output=True, text=True, check=True)
    assert "test_one.py::test_dear" in done.stdout and "test_one.py::test_child" in done.stdout, done.stdout
    assert "test_one.py::test_cheap" not in done.stdout
    kept = json.loads((tmp_path / "costs.json").read_text())
    assert set(kept["tests"]) == {f"test_one.py::test_{name}" for name in ("dear", "child", "cheap")}
    assert kept["all"] >= 0.6
