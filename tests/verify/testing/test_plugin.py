"""The plugin in a pytest of its own: what it imports, how failures look, options, baselines, pytest-xdist."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim.errors import BadArgument
from neonsim.nn import ops
from neonsim.nn.formats import write_tflite
from neonsim.nn.graph import Graph
from neonsim.verify import pytest_plugin
from neonsim.verify.testing import Artifacts, FunctionFailure, Judge
from neonsim.verify.testing.cycles import Baselines, loops_of
from tests.syntax import ROOT

CHECKOUT = ROOT.parent

ADD = """//! isa: aarch64
//! prototype: void add(const uint8_t a[n], const uint8_t b[n], uint8_t sum[n], size_t n)
add:
    ldrb    w4, [x0], #1
    ldrb    w5, [x1], #1
    add     w4, w4, w5
    strb    w4, [x2], #1
    subs    x3, x3, #1
    b.ne    add
    ret
"""
SUITE = '''
import numpy as np
import pytest
from neonsim.verify import testing

def test_right(neon):
    f = neon.load("add.S")
    neon.equal(f, np.add, neon.cases(sizes={"n": range(1, 5)}, deep=False))
    assert neon.cycles(f, a=np.ones(8), b=np.ones(8)) <= neon.baseline

def test_wrong(neon):
    neon.equal(neon.load("add.S"), lambda a, b: np.minimum(a.astype(int) + b, 255))

test_sums = testing.contract("qu8_sumrows", "sums.S")

class TestPlain:
    def test_error(self, neon):
        neon.load("missing.S")
'''
MARKED = '''
import numpy as np
import pytest

@pytest.mark.neonsim(backends=("reference", "emulated"))
def test_two(neon):
    assert neon.backends == ("reference", "emulated")
    neon.agree(lambda backend: np.frombuffer(backend.encode()[:1] * 0, np.uint8))

@pytest.mark.neonsim(backend="reference")
def test_misspelt(neon):
    pass
'''
PLAIN = '''
import sys

def test_nothing_is_imported():
    print(sorted(name for name in sys.modules if name.partition(".")[0] == "neonsim"))
'''


def run(folder: Path, *words: str) -> tuple[int, str]:
    """(exit status, what it prints) of pytest in a folder: in this process, with the plugin alone."""
    said = io.StringIO()
    with pytest.MonkeyPatch.context() as changed, contextlib.redirect_stdout(said):
        changed.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
        changed.setenv("COLUMNS", "100")
        changed.chdir(folder)
        status = pytest.main(["-s", "-p", "no:cacheprovider", "-p", "neonsim.verify.pytest_plugin", *words])
    return int(status), said.getvalue()


def run_apart(folder: Path, *words: str, plugins: tuple[str, ...] = ()) -> str:
    """What pytest prints in a process of its own, with the plugin and these."""
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": str(CHECKOUT)}
    loaded = [word for name in ("neonsim.verify.pytest_plugin", *plugins) for word in ("-p", name)]
    ran = subprocess.run([sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *loaded, *words], cwd=folder,
                         env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("suite")
    (folder / "add.S").write_text(ADD)
    (folder / "sums.S").write_text(ns.kernel("qu8_sumrows_4x__aarch64_neon").source)
    (folder / "test_mine.py").write_text(SUITE)
    (folder / "test_plain.py").write_text(PLAIN)
    (folder / "pytest.ini").write_text("[pytest]\naddopts = --strict-markers\n")
    return folder


def test_the_entry_point_is_the_plugin() -> None:
    said = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"]["pytest11"]
    assert {name: import_module(module) for name, module in said.items()} == {"neonsim": pytest_plugin}


def test_the_plugin_is_short() -> None:
    assert len(Path(pytest_plugin.__file__).read_text("utf-8").splitlines()) <= 500


def test_it_costs_nothing_where_it_is_not_used(suite: Path) -> None:
    """Not even the packages above the plugin import anything: they are its own name."""
    assert "['neonsim', 'neonsim.verify', 'neonsim.verify.pytest_plugin']" in run_apart(suite, "-s", "test_plain.py")


def test_a_run_with_its_failures(suite: Path) -> None:
    status, said = run(suite, "test_mine.py", "--neonsim-update", "--neonsim-artifacts", "pages", "-v")
    assert status == 1 and "test_mine.py::test_right PASSED" in said, said
    accepted = json.loads((suite / "neonsim-baselines.json").read_text())
    assert list(accepted) == ["test_mine.py::test_right add n = 8 cortex-a53"]
    # A test for each class of sizes of the contract.
    classes = [line for line in said.splitlines() if "::test_sums[" in line and "PASSED" in line]
    assert len(classes) == 5 and any("deep" in line for line in classes)
    assert "2 failed" in said
    failure = said[said.index("add is not equal"):said.index("again:")]
    assert "first wrong element: sum[0] should be 255, is 254" in failure and "Saturate" in failure
    assert "strb w4, [x2], #1" in failure and "FunctionFailure" not in failure
    assert "pytest 'test_mine.py::test_wrong'" in said
    page = suite / "pages" / "test_mine.py-test_wrong.html"
    assert "sum[0] should be 255, is 254" in page.read_text("utf-8")
    assert "there is no file" in said and "def test_error" in said      # an error keeps its traceback


def test_the_mark_says_backends_alone(suite: Path) -> None:
    (suite / "test_mark.py").write_text(MARKED)
    status, said = run(suite, "test_mark.py")
    assert status == 1 and "1 passed" in said and "1 error" in said and "the mark must be neonsim(" in said, said


@pytest.mark.nightly
def test_xdist_workers_write_one_file(suite: Path) -> None:
    pytest.importorskip("xdist")
    (suite / "neonsim-baselines.json").unlink(missing_ok=True)
    run_apart(suite, "-n", "2", "--neonsim-update", "test_mine.py", "-k", "right or sums", plugins=("xdist",))
    assert len(json.loads((suite / "neonsim-baselines.json").read_text())) == 1


@pytest.fixture
def neon(tmp_path: Path) -> Judge:
    (tmp_path / "add.S").write_text(ADD)
    return Judge(tmp_path, artifacts=Artifacts(None, "test"), baselines=Baselines(tmp_path / "cycles.json", True))


def test_a_regression_says_which_loop_and_why(neon: Judge) -> None:
    inputs: dict[str, Any] = {"a": np.ones(64), "b": np.ones(64)}
    assert neon.cycles(neon.load("add.S"), **inputs) <= neon.baseline
    neon.baselines.write()
    neon.baselines = Baselines(neon.baselines.path)
    assert neon.cycles(neon.load("add.S"), **inputs) <= neon.baseline
    slow = ADD.replace("add     w4, w4, w5", "mul w6, w4, w5\n mul w6, w6, w5\n add w4, w4, w5")
    (neon.folder / "add.S").write_text(slow)
    slower = neon.cycles(neon.load("add.S"), **inputs)
    with pytest.raises(FunctionFailure) as caught:
        assert slower <= neon.baseline
    said = str(caught.value)
    assert "loop of lines 4 to 11: 9.0 cycles an iteration, 64 iterations; it was 5.0" in said, said
    assert "operand: alu" in said
    assert "--neonsim-update" in said and len(said.splitlines()) <= 25
    assert slower <= 10**6 and not slower <= 3      # an int beside other numbers


def test_loops_are_the_innermost_ones(neon: Judge) -> None:
    (neon.folder / "nest.S").write_text("//! isa: aarch64\n//! prototype: void nest(uint8_t y[1], size_t n)\nnest:\n"
                                        "1:  mov x3, #5\n2:  subs x3, x3, #1\n    b.ne 2b\n    subs x1, x1, #1\n"
                                        "    b.ne 1b\n    strb wzr, [x0]\n    ret\n")
    nest = neon.load("nest.S")
    (loop,) = loops_of(nest.time(nest.case(n=3)))
    assert (loop.first, loop.last, loop.iterations) == (5, 6, 15)


def test_files_that_hold_no_baselines(neon: Judge) -> None:
    cycles = neon.cycles(neon.load("add.S"), a=[1], b=[1])
    for text, says in (("{", "is not JSON"), ("[1]", "has no cycles"), ('{"a": 3}', "has no cycles")):
        neon.baselines.path.write_text(text)
        neon.baselines = Baselines(neon.baselines.path)
        with pytest.raises(BadArgument, match=says):
            assert cycles <= neon.baseline


def test_a_contract_by_classes(neon: Judge) -> None:
    source = ns.kernel("qu8_sumrows_4x__aarch64_neon").source
    (neon.folder / "sums.S").write_text(source)
    classes = neon.contract_classes("qu8_sumrows", "sums.S")
    assert {"m=4 k%8=0", "m=4 k%8>0", "m<4 k%8=0", "m<4 k%8>0", "deep"} == {*classes}
    # Each call alone, and once more beside the others: those of a class.
    assert neon.contract("qu8_sumrows", "sums.S", "deep") == 6
    with pytest.raises(BadArgument, match="no class of sizes 'odd'"):
        neon.contract("qu8_sumrows", "sums.S", "odd")


def test_operators_and_models_agree_on_every_backend(neon: Judge) -> None:
    neon.backends = ("reference", "emulated")
    x = ns.Quantized(np.arange(12, dtype=np.uint8).reshape(3, 4), scale=0.5, zero_point=3)
    result = neon.agree(ops.add, x, x, out=ns.Scheme(1.0))
    assert result.shape == (3, 4)

    def odd(x: Any, backend: str) -> Any:
        return x + (backend == "emulated") * np.array([0, 1])

    with pytest.raises(FunctionFailure, match=r"reference and emulated: element \[1\] of result 0 is 5, and 6"):
        neon.agree(odd, np.array([4, 5]))
    with pytest.raises(FunctionFailure, match="2 results, and 1"):
        neon.agree(lambda backend: [1, 2] if backend == "reference" else [1])
    with pytest.raises(FunctionFailure, match="result 0 is int64"):
        neon.agree(lambda backend: np.zeros(2, np.int64 if backend == "reference" else np.int8))


def test_a_model_of_a_file_agrees(neon: Judge) -> None:
    pytest.importorskip("tflite", reason="needs packages: pip install 'neonsim[models]'")
    graph = Graph("small", (1, 6, 6, 3), ns.Scheme(0.05, 128))
    graph.add_node("shares", ops.Softmax(graph.scheme("input")), "input")
    write_tflite(graph, str(neon.folder / "small.tflite"))
    model = ns.load_model(neon.folder / "small.tflite")
    neon.backends = ("reference", "emulated")
    x = np.arange(108, dtype=np.uint8).reshape(1, 6, 6, 3)
    (result,) = neon.agree(model.run, x)
    assert result.shape == (1, 6, 6, 3)
