"""A sweep on this machine: as many processes as there are cores, each watched over by a thread."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator

from neonsim.errors import NeonsimError
from neonsim.turns import processors

from .dataset import Dataset, encoded
from .jobs import Row
from .plan import Chunk
from .supervise import StoppedError, Supervised

__all__ = ["run_here"]

LOOK = 0.2      # seconds between two looks at Ctrl-C


def run_here(data: Dataset, workers: int | None, seconds: float, progress: Callable[[int, str], None]) -> None:
    """Do what is missing of a data set.

    workers    processes; None: as many as this one may use cores
    seconds    that a job may take
    progress   called with (rows done since the last time, what is being done), in this thread

    Raises KeyboardInterrupt, and NeonsimError where a part cannot be kept: whole parts are kept, whatever happens.
    """
    missing, turn = data.missing(), threading.Lock()
    came: queue.Queue[tuple[Chunk, list[Row]] | int | Exception | None] = queue.Queue(maxsize=1000)
    hands = [Supervised(data.plan, seconds) for _ in range(workers or processors())]
    threads = [threading.Thread(target=_work, args=(hand, missing, turn, came), daemon=True) for hand in hands]
    try:
        for thread in threads:
            thread.start()
        left = len(threads)
        while left:
            try:
                said = came.get(timeout=LOOK)
            except queue.Empty:
                continue
            if said is None:
                left -= 1
            elif isinstance(said, int):
                progress(said, "")
            elif isinstance(said, Exception):
                raise said
            else:
                chunk, rows = said
                data.add(chunk, encoded(data.plan, chunk, rows))
    finally:
        for hand in hands:
            hand.stop()
        while any(thread.is_alive() for thread in threads):
            try:        # one of them may wait for room to say what nobody asks any more
                came.get(timeout=LOOK)
            except queue.Empty:
                continue


def _work(hand: Supervised, missing: Iterator[Chunk], turn: threading.Lock,
          came: queue.Queue[tuple[Chunk, list[Row]] | int | Exception | None]) -> None:
    try:
        while True:
            with turn:
                chunk = next(missing, None)
            if chunk is None:
                break
            came.put((chunk, hand.run(chunk, came.put)))
    except StoppedError:
        pass
    except (NeonsimError, OSError) as problem:
        came.put(problem)
    came.put(None)
