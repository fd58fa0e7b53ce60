"""A real scheduler and real workers of Dask on loopback, killed in the middle: the rows are those of this process."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import neonsim as ns
from neonsim.errors import BadArgument
from neonsim.studies.sweeps import Rows
from neonsim.studies.sweeps.job import row_of
from neonsim.studies.sweeps.plan import SweepPlan, make_plan
from neonsim.studies.sweeps.rows import fill
from tests.needs import needs
from tests.until import HANGS, until

needs("pyarrow", "distributed", install="pip install 'neonsim[sweep]'")
pytestmark = pytest.mark.nightly
KERNELS = "qu8_gemm_q31_1x8*"
WORDS: dict[str, Any] = {"measures": "counts,calls", "shapes": "1..2x8x1..40", "chunk": 4, "data": "uniform,ties"}


def waiting(seconds: float) -> Any:
    """Dask's configuration: how long it waits for what is not there."""
    import dask
    import distributed  # which brings the defaults

    assert distributed.config
    return dask.config.set({"distributed.comm.timeouts.connect": f"{seconds}s"})


def plain(rows: Any) -> list[dict[str, Any]]:
    return [{name: value for name, value in row.items() if name != "seconds" and value is not None} for row in rows]


@pytest.fixture(scope="module")
def expected() -> list[dict[str, Any]]:
    plan = make_plan(KERNELS, **WORDS)
    return plain(row_of(plan.job(number)) for number in range(len(plan)))


class Machines:
    """Processes of a scheduler and of workers, as `dask scheduler` and `dask worker` start them."""

    def __init__(self, folder: Path, protocol: str = "tcp") -> None:
        self.folder, self.running = folder, list[subprocess.Popen[bytes]]()
        with socket.socket() as some:
            some.bind(("127.0.0.1", 0))
            self.port = int(some.getsockname()[1])
        self.address = f"{protocol}://127.0.0.1:{self.port}"

    def _start(self, *words: str) -> subprocess.Popen[bytes]:
        log = open(self.folder / f"{words[0]}-{len(self.running)}.log", "wb")     # noqa: SIM115
        process = subprocess.Popen([sys.executable, "-m", "dask", *words], stdout=log, stderr=log, cwd=self.folder)
        log.close()
        self.running.append(process)
        return process

    def scheduler(self) -> subprocess.Popen[bytes]:
        started = self._start("scheduler", "--host", self.address.rpartition(":")[0], "--port", str(self.port),
                              "--no-dashboard")

        def listens() -> bool:
            socket.create_connection(("127.0.0.1", self.port), HANGS).close()
            return True
        until(listens, "the scheduler")
        return started

    def worker(self) -> subprocess.Popen[bytes]:
        return self._start("worker", self.address, "--host", "127.0.0.1", "--nthreads", "1", "--no-dashboard",
                           "--no-nanny")

    def stop(self) -> None:
        for process in self.running:
            if process.poll() is None:
                process.kill()
            process.wait()


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    made = Machines(tmp_path)
    yield made
    made.stop()


def when(folder: Path, count: int) -> dict[str, int]:
    """Wait for so many parts; when each of them was written."""
    def there() -> list[Path]:
        return list(folder.glob("parts/*.parquet"))
    until(lambda: len(there()) >= count, f"{count} parts")
    return {path.name: path.stat().st_mtime_ns for path in there()}


def test_a_worker_is_killed_and_the_scheduler_restarted(machines: Machines, tmp_path: Path,
                                                        expected: list[dict[str, Any]]) -> None:
    folder, kept = tmp_path / "rows", dict[str, int]()
    scheduler = machines.scheduler()
    first, second = machines.worker(), machines.worker()
    troubles = list[BaseException]()

    def trouble() -> None:
        try:
            when(folder, 5)
            first.send_signal(signal.SIGKILL)
            kept.update(when(folder, 20))
            scheduler.send_signal(signal.SIGKILL)
            scheduler.wait()
            second.wait(HANGS)              # a worker goes with its scheduler
            machines.scheduler()
            machines.worker(), machines.worker()
        except BaseException as problem:
            troubles.append(problem)
    thread = threading.Thread(target=trouble)
    thread.start()
    told = list[int]()
    with waiting(HANGS):
        rows = ns.sweep(KERNELS, **WORDS, output_dir=folder, scheduler=machines.address,
                        progress=lambda count, doing: told.append(count))
    thread.join()
    assert not troubles, troubles
    assert rows.complete and plain(rows) == expected and sum(told) == len(expected)
    now = when(folder, 0)
    assert {name: now[name] for name in kept} == kept, "a part was written twice"


def test_a_scheduler_that_stays_away_is_a_sentence_and_processes_go_on(machines: Machines, tmp_path: Path,
                                                                       expected: list[dict[str, Any]]) -> None:
    from distributed import Client

    folder = tmp_path / "rows"
    scheduler, _ = machines.scheduler(), machines.worker()

    def kill() -> None:
        when(folder, 4)
        scheduler.kill()
    thread = threading.Thread(target=kill)
    with Client(machines.address, timeout=HANGS, set_as_default=False) as client:
        client.wait_for_workers(1, HANGS)
        client._timeout = 1.0                           # it does not come back, however long one waits
        thread.start()
        with pytest.raises(BadArgument, match=r"no scheduler with .* \d+ of 480 rows are kept, and the same command"):
            ns.sweep(KERNELS, **WORDS, output_dir=folder, scheduler=client)
    thread.join()
    kept = when(folder, 4)
    rows = ns.sweep(KERNELS, **WORDS, output_dir=folder, workers=2)
    assert plain(rows) == expected
    now = when(folder, 0)
    assert {name: now[name] for name in kept} == kept


def test_a_client_of_ones_own_goes_on_after_a_sweep(tmp_path: Path) -> None:
    from distributed import Client

    with Client(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None, set_as_default=False,
                silence_logs=50) as client:
        rows = ns.sweep(KERNELS, measures="counts", shapes="1x8x1..9", chunk=2, output_dir=tmp_path / "rows",
                        scheduler=client)
        assert rows.complete and not rows.failures and client.submit(sum, [1, 2]).result() == 3
        other = SweepPlan.from_dict({**rows.plan.to_dict(), "digest": "0" * 32})
        with pytest.raises(BadArgument, match="Install the same neonsim everywhere"):
            fill(other, tmp_path / "other", scheduler=client)


def test_no_workers_is_a_sentence(machines: Machines, tmp_path: Path) -> None:
    from distributed import Client

    machines.scheduler()
    with Client(machines.address, timeout=HANGS, set_as_default=False) as client, waiting(1), \
            pytest.raises(BadArgument, match="Only 0/1 workers arrived"):
        ns.sweep(KERNELS, **WORDS, output_dir=tmp_path / "rows", scheduler=client)


def openssl(folder: Path, *words: str) -> None:
    try:
        subprocess.run(["openssl", *words], check=True, capture_output=True, cwd=folder)
    except FileNotFoundError:
        pytest.skip("certificates are made by openssl: apt-get install openssl")


def test_tls_by_the_configuration_of_dask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As docs/sweeps.md writes it: with certificates of one authority it works, without them nobody gets in."""
    text = (Path(__file__).parents[3] / "docs" / "sweeps.md").read_text("utf-8")
    lines = [line.split() for line in text.splitlines() if line.startswith("openssl ")]
    assert len(lines) == 3
    for _, *words in lines:
        openssl(tmp_path, *words)
    written = text[text.index("distributed:\n"):]
    (tmp_path / "dask.yaml").write_text(written[:written.index("```")].replace("/home/me", str(tmp_path)))
    monkeypatch.setenv("DASK_CONFIG", str(tmp_path / "dask.yaml"))
    machines = Machines(tmp_path, "tls")
    try:
        machines.scheduler(), machines.worker()
        done = subprocess.run([sys.executable, "-m", "neonsim", "sweep", KERNELS, "--measure", "counts", "--shape",
                               "1x8x1..8", "--scheduler", machines.address], capture_output=True, text=True)
        assert done.returncode == 0 and done.stdout.startswith("16 rows\n"), done.stderr
        monkeypatch.delenv("DASK_CONFIG")
        with waiting(4):
            for address in (machines.address, machines.address.replace("tls", "tcp")):
                with pytest.raises(BadArgument, match="no scheduler with workers answers"):
                    ns.sweep(KERNELS, measures="counts", shapes="1x8x1", scheduler=address)
    finally:
        machines.stop()


@pytest.mark.parametrize("address", ["what", "http://host:80", "tcp://host", "-c:1:2"])
def test_words_that_are_no_address(address: str, tmp_path: Path) -> None:
    with pytest.raises(BadArgument, match="no scheduler with workers answers"):
        ns.sweep(KERNELS, **WORDS, scheduler=address, output_dir=tmp_path / "rows")
    assert not len(Rows.open(tmp_path / "rows"))


def test_ctrl_c_of_a_sweep_on_a_cluster(machines: Machines, tmp_path: Path) -> None:
    folder = tmp_path / "rows"
    machines.scheduler(), machines.worker()
    command = [sys.executable, "-m", "neonsim", "sweep", KERNELS, "--measure", "counts,calls", "--shape",
               "1..2x8x1..40", "--chunk", "4", "--data", "uniform,ties", "--output-dir", str(folder), "--scheduler",
               machines.address]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env={**os.environ, "COLUMNS": "200"})
    when(folder, 3)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=HANGS)
    assert process.returncode == 130 and "Traceback" not in said and "neonsim: interrupted" in said
    assert f" of 480 rows are kept in {folder}; the same command goes on.\n" in said
    assert 3 <= len(when(folder, 3)) < Rows.open(folder).plan.chunks
