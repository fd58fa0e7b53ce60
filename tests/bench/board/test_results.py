"""Result files come from strangers; and when their numbers are not believed."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from neonsim.bench.board import read_measurement, result_of, simulated_board, some_probes
from neonsim.bench.board.results import FEWEST
from neonsim.common.limits import MAX_MEASUREMENT_BYTES
from neonsim.common.terminal import escape_text
from neonsim.errors import BadArgument


@pytest.fixture(scope="module")
def good() -> dict[str, Any]:
    return simulated_board("cortex-a53", tests=some_probes(words=["smlal.4s"]), kernels=False, memory=False)


def test_what_a_model_answers_is_believed(good: dict[str, Any]) -> None:
    found = result_of(good)
    assert found.refusals() == ()
    row = found.rows["latency smlal.4s"]
    assert 128 <= row.minimum <= row.median < 130 and not row.noisy


def changed(good: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {**copy.deepcopy(good), **more}


def samples(good: dict[str, Any], values: list[float]) -> dict[str, Any]:
    return changed(good, rows=[{**row, "samples": values} for row in good["rows"]])


@pytest.mark.parametrize(("make", "said"), [
    (lambda g: changed(g, kind="emulated"), "emulator"),
    (lambda g: changed(g, clock={"method": "none", "mhz": 0, "coarsest": 0}), "No counter"),
    (lambda g: changed(g, clock={"method": "time", "mhz": 24, "coarsest": 12}), "the shortest sample took 12 ticks"),
    (lambda g: samples(g, [100.0] * (FEWEST - 1)), f"Too few repetitions: a row has {FEWEST - 1} samples"),
    (lambda g: changed(g, reference=[1800.0, 1799.0, 1500.0]), "The frequency changed by 20 %"),
    (lambda g: changed(g, taken=100, migrated=26), "moved between processors in 26 of 100"),
    (lambda g: samples(g, [100.0, 110.0, 111.0, 112.0, 113.0]), "The noise is too large"),
])
def test_refused_in_a_sentence(good: dict[str, Any], make: Any, said: str) -> None:
    (sentence,) = result_of(make(good)).refusals()
    assert said in sentence and sentence.endswith(".") and "\n" not in sentence


def test_at_the_bounds_it_is_believed(good: dict[str, Any]) -> None:
    for value in (changed(good, reference=[1800.0, 1750.0]), changed(good, taken=100, migrated=25),
                  samples(good, [100.0, 104.0, 104.9, 200.0, 100.0])):
        assert result_of(value).refusals() == ()


def without(good: dict[str, Any], key: str) -> dict[str, Any]:
    return {k: v for k, v in good.items() if k != key}


ROW = {"name": "latency add.8h", "unit": "cycles an iteration", "samples": [1.0] * 5}
WRONG: list[tuple[Any, str]] = [
    (lambda g: [], "does not say"), (lambda g: "x", "does not say"), (lambda g: changed(g, format="x"), "does not say"),
    (lambda g: changed(g, version=2), "version 2; this neonsim reads version 1"),
    (lambda g: without(g, "rows"), "has no 'rows'"), (lambda g: changed(g, more=1), "has 'more', which is not known"),
    (lambda g: changed(g, kind="real"), "kind is none of"), (lambda g: changed(g, rows={}), "rows is no list"),
    (lambda g: changed(g, rows=[]), "rows are none"), (lambda g: changed(g, rows=[ROW, ROW]), "is there twice"),
    (lambda g: changed(g, rows=[{**ROW, "name": "x\x1b[2J"}]), "a name that no row can have"),
    (lambda g: changed(g, rows=[{**ROW, "unit": "hours"}]), "has a unit that is none of"),
    (lambda g: changed(g, rows=[{**ROW, "samples": []}]), "has no samples"),
    (lambda g: changed(g, rows=[{**ROW, "samples": [float("nan")]}]), "is no number"),
    (lambda g: changed(g, rows=[{**ROW, "samples": [-1]}]), "is no number"),
    (lambda g: changed(g, rows=[{**ROW, "samples": [True]}]), "is no number"),
    (lambda g: changed(g, rows=[{**ROW, "samples": [10**400]}]), "is no number"),
    (lambda g: changed(g, rows=[{**ROW, "samples": [1.0] * 1000}]), "is no list of at most"),
    (lambda g: changed(g, migrated=10**8), "migrated is no integer"),
    (lambda g: changed(g, machine={**g["machine"], "isa": "x86"}), "neither aarch64 nor aarch32"),
    (lambda g: changed(g, machine={**g["machine"], "midr": -1}), "machine, midr is no integer"),
    (lambda g: changed(g, machine={**g["machine"], "model": "x" * 1000}), "is no text of at most"),
    (lambda g: changed(g, clock=None), "clock is no object"),
]


@pytest.mark.parametrize(("make", "said"), WRONG, ids=[said[:24] for _, said in WRONG])
def test_wrong_files_are_refused_in_a_sentence(good: dict[str, Any], make: Any, said: str) -> None:
    with pytest.raises(BadArgument) as problem:
        result_of(make(good), "x.json")
    text = str(problem.value)
    assert said in text and text.startswith("x.json: ") and text.isprintable()


@pytest.mark.parametrize(("content", "said"), [
    (b"", "is not JSON"), (b"{", "is not JSON"), (b"\xff", "is not JSON"), (b"[" * 100_000, "nested deeper"),
    (b" " * (MAX_MEASUREMENT_BYTES + 1), "is larger than"),
    (b'{"a": ' + b"9" * 10_000 + b"}", "is not JSON"),
], ids=["empty", "open", "bytes", "deep", "large", "digits"])
def test_files_that_are_no_results(content: bytes, said: str, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(content)
    with pytest.raises(BadArgument, match=said):
        read_measurement(path)


def test_no_file_and_a_folder(tmp_path: Path) -> None:
    for path in (tmp_path / "none.json", tmp_path):
        with pytest.raises(BadArgument, match=r"there is no file|is a folder"):
            read_measurement(path)


def test_control_characters_are_written_out(good: dict[str, Any]) -> None:
    machine = {**good["machine"], "model": "Pi\x1b[2J\u202e\ud800\n"}
    found = result_of(json.loads(json.dumps(changed(good, machine=machine))))
    assert found.machine["model"] == escape_text(machine["model"], "") and found.machine["model"].isprintable()
