"""What fuzzing has found stays found; short slices of it run with the long tests.

The long runs are by hand: see `harness`. A find that is worth keeping goes, made small, into finds/: `.s` is checked as
fuzz_text does, `.o` as fuzz_object does, `.neontrace` as fuzz_trace does, with many seeds, which choose what is done
with the program, and every engine.
"""

from __future__ import annotations

import importlib.util
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
FINDS = sorted((HERE / "finds").iterdir())


def script(name: str) -> Any:
    """A script of this folder as a module; they import each other by name, as scripts do."""
    if name in sys.modules:
        return sys.modules[name]
    sys.path.insert(0, str(HERE))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(HERE))


@pytest.mark.parametrize("path", FINDS, ids=lambda p: p.name)
def test_finds(path: Path) -> None:
    text, harness = script("fuzz_text"), script("harness")
    module = script({".s": "fuzz_text", ".o": "fuzz_object", ".neontrace": "fuzz_trace"}[path.suffix])
    harness.signal.signal(harness.signal.SIGVTALRM, harness._stop)
    box = module.BOX if path.suffix == ".neontrace" else text.BOX
    fuzz = harness.Fuzz("finds", text.make, text.mutate, module.check, module.NeonsimError, box)
    for seed in range(20):
        outcome, problem = fuzz.one(path.read_bytes(), random.Random(seed))
        assert not problem, (outcome, problem)


def test_a_few_traces() -> None:
    trace, harness = script("fuzz_trace"), script("harness")
    harness.signal.signal(harness.signal.SIGVTALRM, harness._stop)
    fuzz = harness.Fuzz("trace", trace.make, trace.mutate, trace.check, trace.BadArgument, trace.BOX)
    rng, outcomes = random.Random(3), set()
    for _ in range(60):
        data = trace.make(rng)
        for _ in range(rng.choice((0, 1, 1, 2))):
            data = trace.mutate(data, rng)
        outcome, problem = fuzz.one(data, rng)
        assert not problem, (outcome, problem)
        outcomes.add(outcome)
    assert {"refused", "loaded"} <= outcomes


def test_a_few_texts_of_the_playground() -> None:
    play, harness = script("fuzz_play"), script("harness")
    harness.signal.signal(harness.signal.SIGVTALRM, harness._stop)
    fuzz = harness.Fuzz("play", play.make, play.mutate, play.check, play.NeonsimError, play.BOX)
    rng, outcomes = random.Random(5), set()
    for _ in range(60):
        data = play.make(rng)
        for _ in range(rng.choice((0, 0, 1, 2))):
            data = play.mutate(data, rng)
        outcome, problem = fuzz.one(data, rng)
        assert not problem, (outcome, problem)
        outcomes.add(outcome)
    assert {"refused", "opened"} <= outcomes


@pytest.mark.nightly
@pytest.mark.parametrize(("name", "inputs"), [("fuzz_text", 20_000), ("fuzz_object", 4_000), ("fuzz_archive", 10_000),
                                              ("fuzz_lines", 3_000), ("fuzz_trace", 10_000), ("fuzz_play", 10_000)])
def test_a_slice(name: str, inputs: int, tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, str(HERE / f"{name}.py"), "--inputs", str(inputs), "--seed", "7", "--finds",
                           str(tmp_path)], capture_output=True, text=True, check=False, timeout=3600)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]


@pytest.mark.nightly
@pytest.mark.skipif(importlib.util.find_spec("atheris") is None, reason="needs atheris: pip install atheris")
def test_a_slice_guided_by_coverage(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, str(HERE / "fuzz_text.py"), "--inputs", "3000", "--seed", "7", "--engine",
                           "atheris", "--finds", str(tmp_path)], capture_output=True, text=True, check=False,
                          timeout=3600)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
