"""Real processes that crash, that take too long, whose owner is killed: nothing twice, nothing lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import neonsim as ns
from neonsim.errors import BadArgument
from neonsim.studies.sweeps import Rows, worker_pool
from neonsim.studies.sweeps.job import row_of
from neonsim.studies.sweeps.plan import SweepPlan, make_plan
from tests.needs import needs
from tests.until import HANGS, until

needs("pyarrow", install="pip install 'neonsim[sweep]'")
KERNELS = "qu8_gemm_q31_1x8*"
MARK = "NEONSIM_TEST_FOLDER"     # a variable of its environment names the folder of a sweep
WORDS: dict[str, Any] = {"measures": "cycles,counts,calls", "cores": "a53,a72", "shapes": "1..2x8x1..9", "chunk": 5,
                         "data": "uniform,ties"}
# The process as it is, but for what it does: of a package without the rest, so that it starts at once.
CHILD = f"""
import os, signal, sys, time, types
class SweepPlan:
    from_dict = classmethod(lambda cls, said: cls())
    def job(self, number): return number
def row_of(number):
    if number == 1: os.kill(os.getpid(), signal.SIGSEGV)
    if number == 4: os._exit(7)
    if number == 6: time.sleep({10 * HANGS})
    print("what a kernel prints is no row")
    return {{"job": number, "measure": "counts", "kernel": "own", "status": "ok", "seconds": 0.0}}
studies = types.ModuleType("neonsim.studies.sweeps")
studies.__path__ = [{str(Path(worker_pool.__file__).parent)!r}]
sys.modules["neonsim.studies.sweeps"] = studies
for name, words in dict(dataset="Dataset encoded import_extra", job="Row broken", plan="Chunk check_digest").items():
    made = types.ModuleType(name)
    made.__dict__.update(dict.fromkeys(words.split()), SweepPlan=SweepPlan, row_of=row_of)
    sys.modules["neonsim.studies.sweeps." + name] = made
{worker_pool.CHILD}
"""


def plain(rows: Any) -> list[dict[str, Any]]:
    """Rows as they must be however they were made: without how long each took."""
    return [{name: value for name, value in row.items() if name != "seconds" and value is not None} for row in rows]


@pytest.fixture(scope="module")
def expected() -> list[dict[str, Any]]:
    plan = make_plan(KERNELS, **WORDS)
    return plain(row_of(plan.job(number)) for number in range(len(plan)))


def test_rows_that_crash_are_rows_and_the_others_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_pool, "CHILD", CHILD)
    told: list[int] = []
    rows = ns.sweep("qu8_gemm_q31_1x8__aarch64*", measures="counts", shapes="1x8x1..6", chunk=3, workers=1,
                    timeout=HANGS, progress=lambda count, doing: told.append(count))
    assert [(row["job"], row["status"], row["what"]) for row in rows] == [
        (0, "ok", None), (1, "error", "the process that did it ended by signal 11"), (2, "ok", None), (3, "ok", None),
        (4, "error", "the process that did it ended with status 7"), (5, "ok", None)]
    assert rows.complete and rows.failures == 2 and told == [0, 3, 3]


def test_a_row_that_takes_too_long_is_a_row_and_the_others_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_pool, "CHILD", CHILD)
    plan = make_plan("qu8_gemm_q31_1x8__aarch64*", measures="counts", shapes="1x8x1..9", chunk=3)
    hands = worker_pool.Processes(plan, 0.3)
    rows: list[Any] = []
    for row in hands._rows(hands._process(), 6, 9):     # ended with the first
        rows.append(row)
    hands.seconds = HANGS
    rows += hands._rows(hands._process(), 7, 9)
    hands.stop()
    assert [(row["job"], row["status"]) for row in rows] == [(6, "timeout"), (7, "ok"), (8, "ok")]
    assert rows[0]["what"] == "not done after 0.3 s" and rows[0]["seconds"] == 0.3
    with pytest.raises(BadArgument, match="no worker process can start"):
        hands.part(0)


def test_a_machine_with_other_kernels_is_refused() -> None:
    other = SweepPlan.from_dict({**make_plan(KERNELS, **WORDS).to_dict(), "digest": "0" * 32})
    with pytest.raises(BadArgument, match="Install the same neonsim everywhere"):
        worker_pool.Processes(other, 60)


@pytest.mark.nightly
def test_rows_of_processes_are_those_of_this_one(tmp_path: Path, expected: list[dict[str, Any]]) -> None:
    told: list[int] = []
    rows = ns.sweep(KERNELS, **WORDS, output_dir=tmp_path / "rows", workers=2, progress=lambda n, doing: told.append(n))
    assert rows.complete and plain(rows) == expected and sum(told) == len(rows) == len(expected)
    assert {row["status"] for row in rows} <= {"ok", "right"} and not rows.failures
    before = {path.name: path.stat().st_mtime_ns for path in rows.path.glob("parts/*")}
    again = ns.sweep(output_dir=tmp_path / "rows")        # nothing is left to do, and nothing is done
    assert plain(again) == expected
    assert {path.name: path.stat().st_mtime_ns for path in rows.path.glob("parts/*")} == before


@pytest.mark.nightly
def test_without_a_folder_rows_live_as_long_as_what_is_returned() -> None:
    rows = ns.sweep("qu8_gemm_q31_1x8__aarch64*", measures="counts", shapes="1x8x1..3", workers=1)
    path = rows.path
    assert len(rows) == 3 and path.is_dir()
    del rows
    assert not path.exists()


def run_killed(folder: Path, how: int, after: int) -> int:
    """A sweep in a process of its own, ended by a signal when so many parts are there; the status."""
    command = [sys.executable, "-m", "neonsim", "sweep", KERNELS, "--measure", "cycles,counts,calls", "--core",
               "a53,a72", "--shape", "1..2x8x1..9", "--chunk", "5", "--data", "uniform,ties",
               "--output-dir", str(folder), "--workers", "2"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                               env={**os.environ, MARK: str(folder)})
    assert process.stderr is not None

    def there() -> bool:
        assert process.poll() is None, process.stderr.read()
        return len(list(folder.glob("parts/*.parquet"))) >= after
    until(there, f"{after} parts")
    process.send_signal(how)
    status = process.wait(HANGS)
    said = process.stderr.read()
    process.stderr.close()
    assert "Traceback" not in said
    return status


@pytest.mark.nightly
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_killed_in_the_middle_and_gone_on_with(tmp_path: Path, expected: list[dict[str, Any]], how: int) -> None:
    folder = tmp_path / "rows"
    status = run_killed(folder, how, after=3)
    assert status == (130 if how == signal.SIGINT else -how)
    there = Rows.open(folder)
    kept = {path.name: path.stat().st_mtime_ns for path in folder.glob("parts/*.parquet")}
    assert 3 <= len(kept) < there.plan.chunks
    rows = ns.sweep(KERNELS, **WORDS, output_dir=folder, workers=2)
    assert plain(rows) == expected
    now = {path.name: path.stat().st_mtime_ns for path in folder.glob("parts/*.parquet")}
    assert {name: now[name] for name in kept} == kept          # nothing was done twice
    until(lambda: not children_of(folder), "the end of processes whose owner is gone")


def children_of(folder: Path) -> list[str]:
    """Processes of jobs that the killed sweep of a folder has started, and that are still there."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            if f"{MARK}={folder}".encode() in path.read_bytes().split(b"\0"):
                found.append(path.parent.name)
    return found


@pytest.mark.nightly
def test_a_process_that_is_killed_is_one_row() -> None:
    plan = make_plan(KERNELS, **{**WORDS, "chunk": 40})
    hands, rows = worker_pool.Processes(plan, HANGS), list[Any]()
    while len(rows) < 40:
        for row in hands._rows(hands._process(), len(rows), 40):
            rows.append(row)
            if len(rows) == 7:
                next(iter(hands._running)).kill()
    hands.stop()
    assert [row["job"] for row in rows] == list(range(40))
    bad = [row for row in rows if row["status"] != "ok"]
    assert len(bad) <= 1 and all(row["status"] == "error" and "signal 9" in row["what"] for row in bad)


@pytest.mark.nightly
def test_a_disk_that_is_full_ends_it_in_a_sentence(tmp_path: Path) -> None:
    """A quota of the process: no file may grow beyond two kilobytes."""
    script = ("import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
              "from neonsim.cli import main; import pyarrow.parquet; "
              "resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000)); sys.exit(main(sys.argv[1:]))")
    words = ["sweep", KERNELS, "--measure", "counts", "--shape", "1..2x8x1..40", "--output-dir", str(tmp_path / "rows")]
    done = subprocess.run([sys.executable, "-c", script, *words], capture_output=True, text=True, timeout=300)
    assert done.returncode == 2 and "cannot be written: File too large: 0 of 160 rows are kept" in done.stderr
    assert len(done.stderr.splitlines()) == 1 and not list((tmp_path / "rows" / "parts").iterdir())
    assert len(ns.sweep(output_dir=tmp_path / "rows", workers=2)) == 160
