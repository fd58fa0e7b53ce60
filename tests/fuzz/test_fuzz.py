"""What fuzzing has found stays found; short slices of it run with the long tests.

The long runs are by hand: see `harness`. A find that is worth keeping goes, made small, into finds/: `.s` is checked as
fuzz_text does, `.o` as fuzz_object does, with many seeds, which choose what is done with the program, and every engine.
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
    module = text if path.suffix == ".s" else script("fuzz_object")
    harness.signal.signal(harness.signal.SIGVTALRM, harness._stop)
    fuzz = harness.Fuzz("finds", text.make, text.mutate, module.check, module.NeonsimError, text.BOX)
    for seed in range(60):
        outcome, problem = fuzz.one(path.read_bytes(), random.Random(seed))
        assert not problem, (outcome, problem)


@pytest.mark.full
@pytest.mark.parametrize(("name", "inputs"), [("fuzz_text", 20_000), ("fuzz_object", 4_000)])
def test_a_slice(name: str, inputs: int, tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, str(HERE / f"{name}.py"), "--inputs", str(inputs), "--seed", "7", "--finds",
                           str(tmp_path)], capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]


@pytest.mark.full
@pytest.mark.skipif(importlib.util.find_spec("atheris") is None, reason="needs atheris: pip install atheris")
def test_a_slice_guided_by_coverage(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, str(HERE / "fuzz_text.py"), "--inputs", "3000", "--seed", "7", "--engine",
                           "atheris", "--finds", str(tmp_path)], capture_output=True, text=True, check=False,
                          timeout=600)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
