"""Rows by processes that may crash or hang, here or on Dask's workers: none is lost, none is written twice.

Each thread that does chunks has a process, started from nothing (no fork): scripts, notebooks and Dask's workers may.
A row that ends its process, by a crash or by the watchdog (`faulthandler`) when its time is over, is a row that says
so, and a new process goes on. Parts are kept by who asked alone, so workers need no shared folder.
"""

from __future__ import annotations

import faulthandler
import json
import os
import queue
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

from neonsim.common.locking import processors
from neonsim.errors import BadArgument

from .dataset import Dataset, encoded, import_extra
from .job import Row, broken, row_of
from .plan import Chunk, SweepPlan, check_digest

__all__ = ["Processes", "do_missing", "main"]

CHILD = "from neonsim.studies.sweeps.worker_pool import main; main()"
IDLE = 120.0    # seconds without work after which a process ends
AHEAD = 4000    # chunks given out at a time
LOOK = 0.2      # seconds between two looks at Ctrl-C
ALONE = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")   # a process is for one core
Given = tuple[Callable[[int], Future[bytes]], tuple[type[BaseException], ...]]   # how to give out; what loses it


def main() -> None:
    """A process: it reads a definition, then runs of numbers, and answers a line for each row until its input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)       # whatever else prints, prints elsewhere
    seconds, said = json.loads(sys.stdin.readline())
    plan = SweepPlan.from_dict(said)
    print("ready", file=answers, flush=True)
    while True:
        faulthandler.dump_traceback_later(IDLE, exit=True)
        if not (line := sys.stdin.readline()):
            return
        for number in range(*json.loads(line)):
            faulthandler.dump_traceback_later(seconds, exit=True, file=answers)
            row = row_of(plan.job(number))
            faulthandler.cancel_dump_traceback_later()
            print(json.dumps(row, allow_nan=False), file=answers, flush=True)


class Processes:
    """One for each thread that asks. Raises BadArgument where the kernels here are not those of the definition."""

    def __init__(self, plan: SweepPlan, seconds: float) -> None:
        check_digest(plan)
        self.plan, self.seconds = plan, seconds
        self._running, self._stopped = set[subprocess.Popen[str]](), False
        self._idle: list[tuple[subprocess.Popen[str], float]] = []

    def part(self, number: int) -> bytes:
        """Return a chunk's rows, as they are kept. Raises BadArgument if no process can be started, so after `stop`
        too."""
        chunk, rows = self.plan.chunk_of(number), list[Row]()
        while (at := chunk.first + len(rows)) < chunk.end:
            rows += self._rows(self._process(), at, chunk.end)
        return encoded(self.plan, chunk, rows)

    def stop(self) -> None:
        """End all of them now; from any thread."""
        self._stopped = True
        self._idle.clear()
        for process in list(self._running):
            process.kill()
            self._end(process)

    def _rows(self, process: subprocess.Popen[str], first: int, end: int) -> Iterator[Row]:
        """Rows first..end-1, or up to the one that ends the process."""
        assert process.stdout is not None
        try:
            print(f"[{first}, {end}]", file=process.stdin, flush=True)
        except OSError:     # it has ended without work
            self._end(process)
            return
        for number in range(first, end):
            line = process.stdout.readline()
            if not line.endswith("}\n"):
                code, job = self._end(process), self.plan.job(number)
                why = f"by signal {-code}" if code < 0 else f"with status {code}"
                yield broken(job, "timeout", f"not done after {self.seconds:g} s", self.seconds) \
                    if line.startswith("Timeout") else broken(job, "error", f"the process that did it ended {why}", 0.0)
                return
            yield json.loads(line)
        self._idle.append((process, time.monotonic()))

    def _process(self) -> subprocess.Popen[str]:
        with suppress(IndexError):
            process, since = self._idle.pop()
            if time.monotonic() - since < IDLE / 2:     # others are about to end
                return process
            self._end(process)
        paths = [*filter(None, sys.path), str(Path(__file__).parents[3])]
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", CHILD], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, encoding="utf-8", start_new_session=True,     # Ctrl-C is for who asked
            env={**os.environ, **dict.fromkeys(ALONE, "1"), "PYTHONPATH": os.pathsep.join(paths)})
        self._running.add(process)
        if self._stopped:
            process.kill()
        with suppress(OSError):
            print(json.dumps([self.seconds, self.plan.to_dict()]), file=process.stdin, flush=True)
        if process.stdout is None or process.stdout.readline() != "ready\n":
            code = self._end(process)
            raise BadArgument(f"no worker process can start: {sys.executable} ends with status {code}.")
        return process

    def _end(self, process: subprocess.Popen[str]) -> int:
        """Its status: it has ended, or ends now that its input is closed."""
        self._running.discard(process)
        with suppress(OSError), process:    # what was not sent cannot be
            pass
        return process.wait()


def do_missing(data: Dataset, workers: int | None, seconds: float, scheduler: Any,
               progress: Callable[[int, str], None]) -> None:
    """Fill a data set. Arguments as of `sweep`; progress is called in this thread, for each chunk.

    Raises BadArgument for a scheduler that does not answer, machines that cannot do the work, a part that cannot be
    kept; KeyboardInterrupt. Whole parts are kept, whatever happens.
    """
    missing, came = data.missing(), queue.SimpleQueue[Future[bytes]]()
    flying: dict[Future[bytes], Chunk] = {}
    where = _here(data.plan, workers, seconds) if scheduler is None else _there(data, scheduler, seconds)
    with where as (submit, lost):
        def give(chunk: Chunk) -> None:
            flying[future := submit(chunk.number)] = chunk
            future.add_done_callback(came.put)
        for chunk in islice(missing, AHEAD):
            give(chunk)
        while flying:
            with suppress(queue.Empty):
                chunk = flying.pop(future := came.get(timeout=LOOK))
                try:
                    data.add(chunk, future.result())
                except lost:
                    give(chunk)
                    continue
                except (ImportError, OSError, RuntimeError) as why:
                    told = " ".join(str(why).split())
                    raise BadArgument(f"chunk {chunk.number} failed ({told}). All machines, including the scheduler's, "
                                      f"need neonsim[sweep] {data.plan.version}.") from why
                progress(chunk.end - chunk.first, "")
                for chunk in islice(missing, 1):
                    give(chunk)


@contextmanager
def _here(plan: SweepPlan, workers: int | None, seconds: float) -> Iterator[Given]:
    hands, threads = Processes(plan, seconds), ThreadPoolExecutor(workers or processors())
    try:
        yield lambda number: threads.submit(hands.part, number), ()
    finally:
        hands.stop()
        threads.shutdown(cancel_futures=True)


@contextmanager
def _there(data: Dataset, scheduler: Any, seconds: float) -> Iterator[Given]:
    distributed, said = import_extra("distributed"), json.dumps(data.plan.to_dict())

    class Client(distributed.Client):   # type: ignore[misc, name-defined]
        def __del__(self) -> None:      # of one that could not be made Dask's waits, and prints a traceback
            pass

    def gone(why: Exception) -> BadArgument:
        kept = f" {len(data):,} of {len(data.plan):,} rows are kept, and the same command goes on." if len(data) else ""
        return BadArgument(f"no scheduler with workers answers at {scheduler} ({why}): start dask scheduler and dask "
                           f"worker.{kept}")
    with ExitStack() as stack:
        try:
            client = scheduler if isinstance(scheduler, distributed.Client) else \
                stack.enter_context(Client(scheduler, set_as_default=False))
            client.wait_for_workers(1, import_extra("dask").config.get("distributed.comm.timeouts.connect"))
        except (OSError, ValueError, TypeError, RuntimeError) as why:
            raise gone(why) from None
        executor = client.get_executor(pure=False)
        try:
            # A scheduler that goes has forgotten its chunks; one that several workers went with is given up.
            yield (lambda number: executor.submit(_part, said, number, seconds)), (CancelledError,
                                                                                   distributed.KilledWorker)
        except distributed.client.ClosedClientError as why:
            raise gone(why) from None
        finally:
            if client.status == "running":
                executor.shutdown(wait=False)


@lru_cache(maxsize=2)
def _of(said: str, seconds: float) -> Processes:
    return Processes(SweepPlan.from_dict(json.loads(said)), seconds)


def _part(said: str, number: int, seconds: float) -> bytes:
    """On a worker: the part of a chunk."""
    return _of(said, seconds).part(number)
