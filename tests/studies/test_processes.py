"""Real processes that are killed, that take too long, whose owner is killed: nothing twice, nothing lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import neonsim as ns
from neonsim.errors import BadArgument
from neonsim.studies import Rows
from neonsim.studies.jobs import row_of
from neonsim.studies.plan import Plan, make_plan
from neonsim.studies.supervise import StoppedError, Supervised
from tests.needs import needs
from tests.until import HANGS, until

needs("pyarrow", install="pip install 'neonsim[sweep]'")
pytestmark = pytest.mark.nightly
KERNELS = "qu8_gemm_q31_1x8*"
MARK = "NEONSIM_TEST_FOLDER"     # a variable of its environment names the folder of a sweep
WORDS: dict[str, Any] = {"measures": "cycles,counts,calls", "cores": "a53,a72", "shapes": "1..2x8x1..9", "chunk": 5,
                         "data": "uniform,ties"}


def plain(rows: Any) -> list[dict[str, Any]]:
    """Rows as they must be however they were made: without how long each took."""
    return [{name: value for name, value in row.items() if name != "seconds" and value is not None} for row in rows]


@pytest.fixture(scope="module")
def expected() -> list[dict[str, Any]]:
    plan = make_plan(KERNELS, **WORDS)
    return plain(row_of(plan.job(number)) for number in range(len(plan)))


def test_rows_of_processes_are_those_of_this_one(tmp_path: Path, expected: list[dict[str, Any]]) -> None:
    told: list[int] = []
    rows = ns.sweep(KERNELS, **WORDS, into=tmp_path / "rows", workers=2, progress=lambda n, doing: told.append(n))
    assert rows.complete and plain(rows) == expected and sum(told) == len(rows) == len(expected)
    assert {row["status"] for row in rows} <= {"ok", "right"} and not rows.wrong
    before = {path.name: path.stat().st_mtime_ns for path in rows.path.glob("parts/*")}
    again = ns.sweep(into=tmp_path / "rows")        # nothing is left to do, and nothing is done
    assert plain(again) == expected
    assert {path.name: path.stat().st_mtime_ns for path in rows.path.glob("parts/*")} == before


def test_without_a_folder_rows_live_as_long_as_what_is_returned() -> None:
    rows = ns.sweep("qu8_gemm_q31_1x8__aarch64*", measures="counts", shapes="1x8x1..3", workers=1)
    path = rows.path
    assert len(rows) == 3 and path.is_dir()
    del rows
    assert not path.exists()


def run_killed(folder: Path, how: int, after: int) -> int:
    """A sweep in a process of its own, ended by a signal when so many parts are there; the status."""
    command = [sys.executable, "-m", "neonsim", "sweep", KERNELS, "--measure", "cycles,counts,calls", "--core",
               "a53,a72", "--shape", "1..2x8x1..9", "--chunk", "5", "--data", "uniform,ties", "--into", str(folder),
               "--workers", "2"]
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


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_killed_in_the_middle_and_gone_on_with(tmp_path: Path, expected: list[dict[str, Any]], how: int) -> None:
    folder = tmp_path / "rows"
    status = run_killed(folder, how, after=3)
    assert status == (130 if how == signal.SIGINT else -how)
    there = Rows.open(folder)
    kept = {path.name: path.stat().st_mtime_ns for path in folder.glob("parts/*.parquet")}
    assert 3 <= len(kept) < there.plan.chunks
    rows = ns.sweep(KERNELS, **WORDS, into=folder, workers=2)
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


def test_a_process_that_is_killed_is_one_row() -> None:
    plan = make_plan(KERNELS, **{**WORDS, "chunk": 40})
    hand = Supervised(plan, 60)

    def kill(count: int) -> None:
        seen.append(count)
        if len(seen) == 7 and hand._process is not None:
            os.kill(hand._process.pid, signal.SIGKILL)
    seen: list[int] = []
    rows = hand.run(plan.chunk_of(0), kill)
    hand.stop()
    assert [row["job"] for row in rows] == list(range(40)) and len(seen) == 40
    bad = [row for row in rows if row["status"] != "ok"]
    assert len(bad) <= 1 and all(row["status"] == "error" and "signal 9" in row["what"] for row in bad)


def test_what_takes_too_long_is_given_up_and_the_next_is_done() -> None:
    # The full cases of a contract take minutes; counting a call may take as long as it wants to.
    plan: Plan = make_plan("qu8_gemm_q31_8x8__aarch64*", measures="contract,counts", shapes="8x8x1..3", size="full",
                           seeds="0..1")
    hand, rows = Supervised(plan, 0.5), list[Any]()
    for chunk in plan:
        hand.seconds = 0.5 if plan.job(chunk.first).measure == "contract" else HANGS
        rows += hand.run(chunk)
    hand.stop()
    assert [row["status"] for row in rows] == ["timeout"] * 2 + ["ok"] * 3
    assert rows[0]["what"] == "not done after 0.5 s" and rows[0]["kernel"].startswith("qu8_gemm_q31_8x8")


def test_stop_ends_it_from_another_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = make_plan("qu8_gemm_q31_8x8__aarch64*", measures="contract", size="full")
    hand, asked, ended = Supervised(plan, 10 * HANGS), threading.Event(), threading.Event()
    tell = hand._tell

    def told(value: Any) -> None:
        tell(value)
        if isinstance(value, list):     # the numbers of jobs; before, the definition
            asked.set()
    monkeypatch.setattr(hand, "_tell", told)

    def run() -> None:
        with pytest.raises(StoppedError):
            hand.run(plan.chunk_of(0))
        ended.set()
    thread = threading.Thread(target=run)
    thread.start()
    assert asked.wait(HANGS)
    hand.stop()
    assert ended.wait(HANGS)
    thread.join()


def test_a_machine_with_other_kernels_is_refused() -> None:
    plan = make_plan(KERNELS, **WORDS)
    other = Plan.from_dict({**plan.to_dict(), "digest": "0" * 32})
    with pytest.raises(BadArgument, match="install the same neonsim everywhere"):
        Supervised(other, 60).run(other.chunk_of(0))


def test_a_disk_that_is_full_ends_it_in_a_sentence(tmp_path: Path) -> None:
    """A quota of the process: no file may grow beyond two kilobytes."""
    script = ("import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
              "from neonsim.cli import main; import pyarrow.parquet; "
              "resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000)); sys.exit(main(sys.argv[1:]))")
    words = ["sweep", KERNELS, "--measure", "counts", "--shape", "1..2x8x1..40", "--into", str(tmp_path / "rows")]
    done = subprocess.run([sys.executable, "-c", script, *words], capture_output=True, text=True, timeout=300)
    assert done.returncode == 2 and "cannot be written: File too large: 0 of 160 rows are kept" in done.stderr
    assert len(done.stderr.splitlines()) == 1 and not list((tmp_path / "rows" / "parts").iterdir())
    assert len(ns.sweep(into=tmp_path / "rows", workers=2)) == 160
