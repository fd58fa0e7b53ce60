"""A real scheduler and real workers on loopback, killed in the middle: the rows are those of this process."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import neonsim as ns
from neonsim.errors import BadArgument
from neonsim.studies import Cluster, Rows
from neonsim.studies.jobs import row_of
from neonsim.studies.plan import make_plan
from neonsim.studies.sweeping import fill
from tests.needs import needs
from tests.until import HANGS, until

needs("pyarrow", "distributed", install="pip install 'neonsim[sweep]'")
pytestmark = pytest.mark.nightly
KERNELS = "qu8_gemm_q31_1x8*"
WORDS: dict[str, Any] = {"measures": "counts,calls", "shapes": "1..2x8x1..40", "chunk": 4, "data": "uniform,ties"}
Tls = tuple[Path, Path, Path]


def plain(rows: Any) -> list[dict[str, Any]]:
    return [{name: value for name, value in row.items() if name != "seconds" and value is not None} for row in rows]


@pytest.fixture(scope="module")
def expected() -> list[dict[str, Any]]:
    plan = make_plan(KERNELS, **WORDS)
    return plain(row_of(plan.job(number)) for number in range(len(plan)))


class Machines:
    """Processes of a scheduler and of workers, as `dask scheduler` and `dask worker` start them."""

    def __init__(self, folder: Path, tls: Tls | None = None) -> None:
        self.folder, self.running = folder, list[subprocess.Popen[bytes]]()
        with socket.socket() as some:
            some.bind(("127.0.0.1", 0))
            self.port = int(some.getsockname()[1])
        self.address = f"{'tls' if tls else 'tcp'}://127.0.0.1:{self.port}"
        self.tls = [] if tls is None else [
            "--tls-ca-file", str(tls[0]), "--tls-cert", str(tls[1]), "--tls-key", str(tls[2])]

    def _start(self, *words: str) -> subprocess.Popen[bytes]:
        log = open(self.folder / f"{words[0]}-{len(self.running)}.log", "wb")     # noqa: SIM115
        process = subprocess.Popen([sys.executable, "-m", "dask", *words, *self.tls], stdout=log, stderr=log,
                                   cwd=self.folder)
        log.close()
        self.running.append(process)
        return process

    def scheduler(self) -> subprocess.Popen[bytes]:
        started = self._start("scheduler", "--host", "127.0.0.1", "--port", str(self.port), "--no-dashboard")

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


def parts_of(folder: Path) -> list[Path]:
    return sorted(folder.glob("parts/*.parquet"))


def when(folder: Path, count: int) -> dict[str, int]:
    """Wait for so many parts; when each of them was written."""
    until(lambda: len(parts_of(folder)) >= count, f"{count} parts")
    return {path.name: path.stat().st_mtime_ns for path in parts_of(folder)}


def test_a_worker_is_killed_and_the_scheduler_restarted(machines: Machines, tmp_path: Path,
                                                        expected: list[dict[str, Any]]) -> None:
    folder, said, kept = tmp_path / "rows", list[str](), dict[str, int]()
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
            until(lambda: said[1:], "the word that the scheduler is gone")
            machines.scheduler()
            second.wait(HANGS)              # a worker without a nanny goes with its scheduler
            machines.worker(), machines.worker()
        except BaseException as problem:
            troubles.append(problem)
    thread = threading.Thread(target=trouble)
    thread.start()
    told = list[int]()
    rows = fill(make_plan(KERNELS, **WORDS), folder, where=Cluster(machines.address, patience=HANGS),
                progress=lambda count, doing: told.append(count), say=said.append)
    thread.join()
    assert not troubles, troubles
    assert rows.complete and plain(rows) == expected and sum(told) == len(expected)
    now = {path.name: path.stat().st_mtime_ns for path in parts_of(folder)}
    assert {name: now[name] for name in kept} == kept, "a part was written twice"
    assert said[0].startswith("dashboard http") and said[1:] == [
        f"the scheduler at {machines.address} is gone; waiting for it", f"the scheduler at {machines.address} is back"]


def test_a_scheduler_that_stays_away_is_a_sentence_and_processes_go_on(machines: Machines, tmp_path: Path,
                                                                       expected: list[dict[str, Any]]) -> None:
    folder = tmp_path / "rows"
    scheduler, _ = machines.scheduler(), machines.worker()
    where = Cluster(machines.address)

    def kill() -> None:
        when(folder, 4)
        object.__setattr__(where, "patience", 1.0)      # it does not come back, however long one waits
        scheduler.kill()
    thread = threading.Thread(target=kill)
    thread.start()
    with pytest.raises(BadArgument, match=r"no scheduler answers at .*\d+ of 480 rows are kept, and the same"):
        fill(make_plan(KERNELS, **WORDS), folder, where=where)
    thread.join()
    kept = when(folder, 4)
    rows = ns.sweep(KERNELS, **WORDS, into=folder, workers=2)
    assert plain(rows) == expected
    assert {path.name: path.stat().st_mtime_ns for path in parts_of(folder) if path.name in kept} == kept


def test_no_workers_is_a_sentence(machines: Machines, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock that goes on by half a minute whenever somebody looks at it."""
    monkeypatch.setattr("neonsim.studies.cluster.time", SimpleNamespace(monotonic=count(0, 30).__next__))
    machines.scheduler()
    with pytest.raises(BadArgument, match="has no workers: start some"):
        fill(make_plan(KERNELS, **WORDS), tmp_path / "rows", where=Cluster(machines.address))


def listening() -> set[str]:
    """Addresses on which this process listens."""
    psutil = pytest.importorskip("psutil")
    return {one.laddr.ip for one in psutil.Process().net_connections("tcp") if one.status == "LISTEN"}


def test_ones_own_scheduler_is_for_this_machine_alone(tmp_path: Path, expected: list[dict[str, Any]]) -> None:
    said, seen = list[str](), set[str]()

    def look(count: int, doing: str) -> None:
        seen.update(listening())
    rows = ns.sweep(KERNELS, **WORDS, into=tmp_path / "rows", scheduler="own", workers=2, progress=look,
                    say=said.append)
    assert plain(rows) == expected and seen == {"127.0.0.1"}
    assert re.match(r"scheduler tcp://127\.0\.0\.1:\d+$", said[0])
    assert re.match(r"dashboard http://127\.0\.0\.1:\d+/status", said[1])


def certificates(folder: Path, name: str) -> Tls:
    """An authority, a certificate by it, its key."""
    authority, mine, key = (folder / f"{name}-{word}.pem" for word in ("ca", "cert", "key"))

    def openssl(*words: str | Path) -> None:
        subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True)
    try:
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", folder / "ca.key", "-out", authority,
                "-days", "2", "-subj", f"/CN={name}")
    except FileNotFoundError:
        pytest.skip("certificates are made by openssl: apt-get install openssl")
    openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", folder / "one.csr", "-subj",
            "/CN=127.0.0.1")
    openssl("x509", "-req", "-in", folder / "one.csr", "-CA", authority, "-CAkey", folder / "ca.key",
            "-CAcreateserial", "-out", mine, "-days", "2")
    return authority, mine, key


def test_tls(tmp_path: Path) -> None:
    """Works with certificates of one authority; without, or with those of another, nobody gets in."""
    ours, theirs = certificates(tmp_path, "ours"), certificates(tmp_path, "theirs")
    machines = Machines(tmp_path, ours)
    plan = make_plan(KERNELS, **{**WORDS, "shapes": "1x8x1..8"})
    try:
        machines.scheduler(), machines.worker()
        rows = fill(plan, tmp_path / "rows", where=Cluster(machines.address, tls=ours))
        assert rows.complete and not rows.wrong
        with pytest.raises(BadArgument, match="no scheduler answers"):
            fill(plan, tmp_path / "others", where=Cluster(machines.address, tls=theirs, patience=4))
        with pytest.raises(BadArgument, match="no scheduler answers"):
            fill(plan, tmp_path / "plain", where=Cluster(machines.address.replace("tls", "tcp"), patience=4))
        with pytest.raises(BadArgument, match="wants certificates"):
            fill(plan, tmp_path / "none", where=Cluster(machines.address))
    finally:
        machines.stop()
    with pytest.raises(BadArgument, match="TLS cannot be set up"):
        fill(plan, tmp_path / "odd", where=Cluster(machines.address, tls=(ours[2], ours[0], ours[1])))
    with pytest.raises(BadArgument, match="there is no file"):
        ns.sweep(KERNELS, **WORDS, scheduler=machines.address, tls="a.pem,b.pem,c.pem")
    own = fill(plan, tmp_path / "own", where=Cluster("own", tls=ours), workers=1, say=(said := list[str]()).append)
    assert own.complete and said[0].startswith("scheduler tls://127.0.0.1:")


@pytest.mark.parametrize("address", ["what", "tcp://:3", "http://host:80", "tcp://host", "tcp://a b:3", "-c:1:2"])
def test_words_that_are_no_address(address: str, tmp_path: Path) -> None:
    with pytest.raises(BadArgument, match="is no address of a scheduler"):
        ns.sweep(KERNELS, **WORDS, scheduler=address, into=tmp_path / "rows")
    assert not len(Rows.open(tmp_path / "rows"))


def test_an_address_that_cannot_be_bound(tmp_path: Path) -> None:
    with pytest.raises(BadArgument, match=r"no scheduler can be started at 192\.0\.2\.7"):
        fill(make_plan(KERNELS, **WORDS), tmp_path / "rows", where=Cluster("own", bind="192.0.2.7"))


def test_ctrl_c_of_a_sweep_on_a_cluster(machines: Machines, tmp_path: Path) -> None:
    folder = tmp_path / "rows"
    machines.scheduler(), machines.worker()
    command = [sys.executable, "-m", "neonsim", "sweep", KERNELS, "--measure", "counts,calls", "--shape",
               "1..2x8x1..40", "--chunk", "4", "--data", "uniform,ties", "--into", str(folder), "--scheduler",
               machines.address]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env={**os.environ, "COLUMNS": "200"})
    when(folder, 3)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=HANGS)
    assert process.returncode == 130 and "Traceback" not in said and "neonsim: interrupted" in said
    assert f" of 480 rows are kept in {folder}; the same command goes on.\n" in said
    assert 3 <= len(parts_of(folder)) < Rows.open(folder).plan.chunks
