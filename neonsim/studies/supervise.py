"""A process that does jobs, and who watches over it: what takes too long is ended, what dies is started again.

Neither a kernel that never ends nor a crash in C takes the sweep with it: its row says so, and a new process goes on
with the next one. Processes are started from nothing (no fork), so threads, notebooks and Dask's workers may do it.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import neonsim
from neonsim.errors import BadArgument

from .jobs import Row, broken
from .plan import Chunk, Plan

__all__ = ["StoppedError", "Supervised"]

START = 300.0   # seconds that a new process may take until it is ready
ALONE = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")   # a process is for one core


class StoppedError(Exception):
    """`Supervised.stop` was called."""


class Supervised:
    """One process at a time, started when there is work. Used by one thread; `stop` may come from any."""

    def __init__(self, plan: Plan, seconds: float) -> None:
        self.plan, self.seconds = plan, seconds
        self._process: subprocess.Popen[str] | None = None
        self._said: queue.Queue[Any] = queue.Queue()
        self._stopped = threading.Event()

    def run(self, chunk: Chunk, progress: Callable[[int], None] = lambda count: None) -> list[Row]:
        """All rows of a chunk. Raises StoppedError after `stop`, NeonsimError if no process can be started."""
        rows: list[Row] = []
        while (at := chunk.first + len(rows)) < chunk.end:
            try:
                self._ask(at, chunk.end)
            except OSError:     # it has ended since the last chunk
                self._end()
                continue
            while chunk.first + len(rows) < chunk.end:
                row = self._row(chunk.first + len(rows))
                rows.append(row)
                progress(1)
                if row["status"] in ("timeout", "died"):
                    row["status"] = "timeout" if row["status"] == "timeout" else "error"
                    break
        return rows

    def _row(self, number: int) -> Row:
        try:
            said = self._said.get(timeout=self.seconds)
        except queue.Empty:
            self._end()
            return broken(self.plan.job(number), "timeout", f"not done after {self.seconds:g} s", self.seconds)
        if said is not None:
            found: Row = said
            return found
        code = self._end()
        if self._stopped.is_set():
            raise StoppedError
        why = f"by signal {-code}" if code < 0 else f"with status {code}"
        return broken(self.plan.job(number), "died", f"the process that did it ended {why}", 0.0)

    def _ask(self, first: int, end: int) -> None:
        if self._stopped.is_set():
            raise StoppedError
        if self._process is None or self._process.poll() is not None:
            self._start()
        self._tell([first, end])

    def _tell(self, value: Any) -> None:
        process = self._process
        if process is None or process.stdin is None:
            raise StoppedError
        process.stdin.write(json.dumps(value) + "\n")
        process.stdin.flush()

    def _start(self) -> None:
        self._end()
        home = str(Path(neonsim.__file__).parent.parent)
        others = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
        # -P: not from the folder in which it happens to be started.
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "neonsim.studies.child"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, encoding="utf-8", start_new_session=True,     # Ctrl-C is for who asked
            env={**os.environ, **dict.fromkeys(ALONE, "1"), "PYTHONPATH": os.pathsep.join([home, *others])})
        self._said = queue.Queue()
        threading.Thread(target=_read, args=(self._process, self._said), daemon=True).start()
        try:
            self._tell(self.plan.to_dict())
            said = self._said.get(timeout=START)
        except (queue.Empty, OSError):
            said = None
        if said is None or "ready" not in said:
            self._end()
            if self._stopped.is_set():
                raise StoppedError
            raise BadArgument((said or {}).get("refused") or "no process for the sweep can be started: "
                              f"{sys.executable} -m neonsim.studies.child ends at once.")

    def _end(self) -> int:
        process, self._process = self._process, None
        if process is None:
            return 0
        if process.poll() is None:
            process.kill()
        with suppress(OSError):     # what was not sent cannot be
            assert process.stdin is not None
            process.stdin.close()
        return process.wait()

    def stop(self) -> None:
        """End it now; who waits in `run` is told by StoppedError."""
        self._stopped.set()
        process = self._process
        if process is not None and process.poll() is None:
            process.kill()


def _read(process: subprocess.Popen[str], said: queue.Queue[Any]) -> None:
    assert process.stdout is not None
    with process.stdout, suppress(ValueError, OSError):     # cut in the middle of a line
        for line in process.stdout:
            said.put(json.loads(line))
    said.put(None)
