"""What `make test-full BUDGET=...` runs: each room for as long as the others, beginning elsewhere at other commits."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

CONFTEST = Path(__file__).parents[1] / "conftest.py"
SECONDS = {"cheap": 0.1, "dear": 30.0, "other": 1.0}


@pytest.fixture(scope="module")
def suite() -> ModuleType:
    spec = importlib.util.spec_from_file_location("suite_conftest", CONFTEST)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def items() -> list[Any]:
    """Three rooms of two modules of twenty tests."""
    return [SimpleNamespace(path=Path(f"/tests/{room}/test_{module}.py"), name=f"{room}-{module}-{n}")
            for room in SECONDS for module in "ab" for n in range(20)]


def run(suite: ModuleType, commit: int, budget: float) -> list[str]:
    """Names in the order in which they ran, until the time was used up."""
    turns = suite.Turns(items(), commit)
    names, passed = [], 0.0
    item = turns.next()
    while item is not None:
        following = turns.next()
        if passed < budget:
            names.append(item.name)
            seconds = SECONDS[item.path.parent.name]
            passed += seconds
            turns.took(item, seconds)
        item = following
    return names


def test_nothing_is_lost_and_nothing_runs_twice(suite: ModuleType) -> None:
    for commit in (0, 1, 12345678901234567890):
        assert sorted(run(suite, commit, 1e9)) == sorted(item.name for item in items())


def test_rooms_have_the_same_time(suite: ModuleType) -> None:
    """One after the other, 120 s would have run three of the dear tests or four, and nothing of the room after them."""
    for commit in range(12):
        count = Counter(name.partition("-")[0] for name in run(suite, commit, 120))
        assert count["cheap"] == 40
        assert 2 <= count["dear"] <= 4
        assert count["other"] >= 20


def test_a_module_goes_on_for_a_while(suite: ModuleType) -> None:
    """Its fixtures are made again for each turn: a cheap module has one."""
    names = run(suite, 7, 1e9)
    modules = [name.rpartition("-")[0] for name in names if name.startswith("cheap")]
    assert sum(a != b for a, b in pairwise(modules)) <= 2


def test_commits_reach_what_others_left_out(suite: ModuleType) -> None:
    reached = {name for commit in range(60) for name in run(suite, commit, 100)}
    assert reached == {item.name for item in items()}


def test_pytest_runs_in_this_order(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST.read_text("utf-8"), "utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\n", "utf-8")
    for room in ("one", "two"):
        (tmp_path / room).mkdir()
        (tmp_path / room / f"test_{room}.py").write_text(
            "import pytest\n@pytest.fixture(scope='module', autouse=True)\ndef once():\n    print('\\nmade')\n"
            "@pytest.mark.parametrize('n', range(3))\ndef test_it(n):\n    pass\n", "utf-8")

    def said(*words: str) -> str:
        done = subprocess.run([sys.executable, "-m", "pytest", "-v", "-s", "-p", "no:cacheprovider", *words],
                              cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    whole = said("--budget=600")
    assert "6 passed" in whole and whole.count("made") == 2  # a module's tests in one piece, its fixture once
    assert "6 skipped" in said("--budget=0.000001")
