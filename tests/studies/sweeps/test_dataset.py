"""The folder of a sweep: whole parts or none, one definition, one at a time."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest

from neonsim.common import fileio
from neonsim.errors import BadArgument
from neonsim.studies.sweeps.dataset import Dataset, encoded
from neonsim.studies.sweeps.job import Row, broken
from neonsim.studies.sweeps.plan import Chunk, SweepPlan, make_plan
from neonsim.studies.sweeps.rows import Rows
from tests.needs import needs

needs("pyarrow", install="pip install 'neonsim[sweep]'")
GEMM = "qu8_gemm_q31_1x8__aarch64_neon_mlal_lane"


@pytest.fixture
def plan() -> SweepPlan:
    return make_plan(GEMM, measures="counts,calls", shapes="1x8x1..5", seeds="0..3", chunk=3)


def rows_of(plan: SweepPlan, chunk: Chunk) -> list[Row]:
    return [{**broken(plan.job(number), "ok" if number % 2 else "error", f"row {number}", 0.5), "macs": 10 * number}
            for number in range(chunk.first, chunk.end)]


def filled(data: Dataset, *numbers: int) -> None:
    for number in numbers:
        chunk = data.plan.chunk_of(number)
        assert data.add(chunk, encoded(data.plan, chunk, rows_of(data.plan, chunk)))


def test_rows_come_back_in_order_whatever_the_order_they_came_in(tmp_path: Path, plan: SweepPlan) -> None:
    data = Dataset.create(tmp_path / "rows", plan)
    filled(data, 3, 0, 8, 1)
    rows = Rows.open(tmp_path / "rows")
    numbers = [number for at in (0, 1, 3, 8) for number in range(plan.chunk_of(at).first, plan.chunk_of(at).end)]
    assert [row["job"] for row in rows] == numbers and len(rows) == len(numbers) and not rows.complete
    for row in rows:
        job = plan.job(row["job"])
        assert (row["measure"], row["kernel"], row["seed"]) == (job.measure, GEMM, job.seed)
        assert row["macs"] == 10 * job.number
        assert (row["m"], row["n"], row["k"], row["taps"]) == job.shape and row["core"] is None
    assert rows.table().num_rows == len(numbers)
    assert sum(rows.counts()["counts"].values()) == 3 + 2 and rows.failures == sum(n % 2 == 0 for n in numbers)
    assert [chunk.number for chunk in data.missing()] == [2, 4, 5, 6, 7]
    assert [row["job"] for row in rows.troubles(2)] == [n for n in numbers if n % 2 == 0][:2]


def test_other_programs_read_it_as_one_table(tmp_path: Path, plan: SweepPlan) -> None:
    dataset = pytest.importorskip("pyarrow.dataset")
    data = Dataset.create(tmp_path / "rows", plan)
    filled(data, *range(plan.chunks))
    table = dataset.dataset(tmp_path / "rows" / "parts").to_table()
    assert sorted(table["job"].to_pylist()) == list(range(len(plan))) and Rows.open(tmp_path / "rows").complete


def test_a_part_is_kept_once(tmp_path: Path, plan: SweepPlan) -> None:
    data = Dataset.create(tmp_path / "rows", plan)
    filled(data, 1)
    chunk = plan.chunk_of(1)
    before = data.path_of(1).stat().st_mtime_ns
    assert not data.add(chunk, b"something else") and data.path_of(1).stat().st_mtime_ns == before


def test_what_a_crash_left_is_removed_and_done_again(tmp_path: Path, plan: SweepPlan) -> None:
    data = Dataset.create(tmp_path / "rows", plan)
    filled(data, 0, 1, 2, 3)
    data.close()
    half = data.path_of(1).read_bytes()
    data.path_of(1).write_bytes(half[:len(half) // 2])                  # power was lost before it was on the disk
    data.path_of(2).write_bytes(b"")
    os.replace(data.path_of(3), data.path_of(4))                        # a chunk under the name of another
    (data.parts / ".neonsim-0123456789abcdef01234567.part").write_bytes(half[:9])
    again = Dataset.create(tmp_path / "rows", plan)
    assert again.numbers() == [0] and [path.name for path in again.parts.iterdir()] == ["part-00000000.parquet"]
    assert [chunk.number for chunk in again.missing()] == list(range(1, plan.chunks))


def test_the_folder_of_another_sweep_is_refused(tmp_path: Path, plan: SweepPlan) -> None:
    Dataset.create(tmp_path / "rows", plan).close()
    other = make_plan(GEMM, measures="counts", shapes="1x8x1..5", seeds="0..3", chunk=3)
    with pytest.raises(BadArgument, match="has another sweep: its definition differs in measures"):
        Dataset.create(tmp_path / "rows", other)
    for change, says in (({"version": "9.9"}, "begun with neonsim 9.9"), ({"digest": "0"}, "kernels or core files")):
        manifest = json.loads((tmp_path / "rows" / "manifest.json").read_text())
        manifest["definition"] |= change
        folder = tmp_path / says.split()[0]
        folder.mkdir()
        (folder / "manifest.json").write_text(json.dumps(manifest))
        with pytest.raises(BadArgument, match=says):
            Dataset.create(folder, plan)


def test_one_fills_a_folder_at_a_time(tmp_path: Path, plan: SweepPlan) -> None:
    pytest.importorskip("fcntl", reason="this system has no such locks")
    first = Dataset.create(tmp_path / "rows", plan)
    with pytest.raises(BadArgument, match="is in use by another process"):
        Dataset.create(tmp_path / "rows", plan)
    first.close()
    Dataset.create(tmp_path / "rows", plan).close()


@pytest.mark.parametrize("text", ["", "[]", "{", '{"format": "neonsim sweep 1"}', '{"format": 3}', "[" * 5000])
def test_a_manifest_that_is_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(BadArgument, match="is not a manifest of a sweep"):
        Dataset.open(tmp_path)


def test_folders_that_are_no_sweep(tmp_path: Path, plan: SweepPlan) -> None:
    with pytest.raises(BadArgument, match="has no sweep"):
        Rows.open(tmp_path)
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(BadArgument, match="has other files"):
        Dataset.create(tmp_path, plan)
    with pytest.raises(BadArgument, match="a file has this name"):
        Dataset.create(tmp_path / "thesis.tex", plan)
    with pytest.raises(BadArgument, match="cannot be"):
        Dataset.create("/proc/neonsim-sweep", plan)


def test_a_part_that_somebody_spoilt_is_a_sentence(tmp_path: Path, plan: SweepPlan) -> None:
    data = Dataset.create(tmp_path / "rows", plan)
    filled(data, 0, 1)
    data.path_of(1).write_bytes(b"PAR1 nothing PAR1")
    with pytest.raises(BadArgument, match=r"part-00000001.parquet is not a part of a sweep"):
        list(Rows.open(tmp_path / "rows"))


def test_a_full_disk_is_a_sentence_and_loses_nothing(tmp_path: Path, plan: SweepPlan, monkeypatch: Any) -> None:
    data = Dataset.create(tmp_path / "rows", plan)
    filled(data, 0)

    def full(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    monkeypatch.setattr(fileio, "_beside", full)
    with pytest.raises(BadArgument, match=r"No space left on device: 3 of 25 rows are in .*the same command"):
        filled(data, 1)
    monkeypatch.undo()
    data.close()
    again = Dataset.create(tmp_path / "rows", plan)
    assert again.numbers() == [0]
    filled(again, 1)
