"""The process that does jobs, one after the other: `python -m neonsim.studies.child`, started by `supervise`.

It is told the definition once, then runs of job numbers, a line of JSON each on standard input; it answers with a line
a row. When standard input ends, so does it, in the middle of a job too: whoever asked is gone.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
from typing import IO, Any

from neonsim.errors import NeonsimError

from .jobs import row_of
from .plan import Plan, check_digest

__all__ = ["main"]

IDLE = 120.0    # seconds without work after which it ends


def _listen(asked: queue.Queue[Any]) -> None:
    for line in sys.stdin:
        asked.put(json.loads(line))
    os._exit(0)


def main() -> int:
    """Answer until nobody asks."""
    # Whatever else prints, prints elsewhere: this stream holds rows alone.
    answers: IO[str] = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def answer(value: Any) -> None:
        answers.write(json.dumps(value, allow_nan=False) + "\n")
        answers.flush()
    asked: queue.Queue[Any] = queue.Queue()
    threading.Thread(target=_listen, args=(asked,), daemon=True).start()
    try:
        plan = Plan.from_dict(asked.get(timeout=IDLE))
        check_digest(plan)
    except queue.Empty:
        return 0
    except NeonsimError as why:
        answer({"refused": str(why)})
        return 1
    answer({"ready": os.getpid()})
    while True:
        try:
            first, end = asked.get(timeout=IDLE)
        except queue.Empty:
            return 0
        for number in range(first, end):
            answer(row_of(plan.job(number)))


if __name__ == "__main__":
    sys.exit(main())
