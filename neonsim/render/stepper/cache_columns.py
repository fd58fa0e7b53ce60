"""What the caches did in a timed run, as columns of the recording: which lines were where, touch by touch.

timing.caches of the header: state ("cold" or "warm" at first), prefetch (whether the stream prefetcher is on), line
(bytes), sets and ways of L1, sets2 and ways2 of L2.

Columns, all modelled. One entry an access of the recording:

    access_found    where its line was: 0 in L1, 1 on its way to L1, 2 in L2, 3 in neither; of several lines the
                    farthest; 255 where the model has no such access (an instruction that was not executed)

One entry a touch of a line, in the order of the modelled cycles:

    touch_step      the step (from 0) that touches it; steps issue in another order than they are numbered on some cores
    touch_line      address / line size
    touch_what      where it was, as in access_found; + 4 the stream prefetcher wants it, + 8 a prefetch instruction
    touch_way       the way of its set (line mod sets) in L1 in which it is then
    touch_out       the line that leaves L1 for it; touch_out2: L2. 4294967295: none

and what is in the caches at first, the line used longest ago first: first_line and first_way for L1, first_line2.
Least recently used goes out; the browser replays the touches, it models nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from neonsim.arm.machine.trace.trace import Trace
    from neonsim.arm.timing import Timing

__all__ = ["NOT_FOUND", "NO_LINE", "cache_columns"]

NO_LINE = 0xFFFFFFFF
NOT_FOUND = 255
WHERE = 3  # the bits of touch_what that say where a line was

Columns = dict[str, tuple[str, np.ndarray]]


def cache_columns(trace: Trace, timing: Timing) -> tuple[dict[str, Any] | None, Columns]:
    """timing.caches and the columns of a timing with caches=; (None, {}) of one in which every access hits L1."""
    memory = timing.memory
    if memory is None or not memory.caches:
        return None, {}
    model, (first, first2) = memory.model, memory.first
    touches = np.array(memory.log, np.int64).reshape(-1, 6)
    out = np.where(touches[:, 4:6] < 0, NO_LINE, touches[:, 4:6])
    columns: Columns = {
        "access_found": ("u1", _found(trace, touches, model.line)),
        "touch_step": ("u4", touches[:, 0]), "touch_line": ("u4", touches[:, 1]), "touch_what": ("u1", touches[:, 2]),
        "touch_way": ("u1", touches[:, 3]), "touch_out": ("u4", out[:, 0]), "touch_out2": ("u4", out[:, 1]),
        "first_line": ("u4", np.array([line for line, _ in first], np.int64)),
        "first_way": ("u1", np.array([way for _, way in first], np.int64)),
        "first_line2": ("u4", np.array(first2, np.int64)),
    }
    return {"state": timing.state, "prefetch": memory.prefetch, "line": model.line, "sets": len(memory.l1.sets),
            "ways": model.l1_ways, "sets2": len(memory.l2.sets), "ways2": model.l2_ways}, columns


def _found(trace: Trace, touches: np.ndarray, line: int) -> np.ndarray:
    """Of each access the farthest place at which one of its lines was."""
    where = {(step, number): what & WHERE for step, number, what in touches[:, :3].tolist() if what <= WHERE}
    steps = np.repeat(np.arange(trace.steps), np.diff(trace.access_start)).tolist()
    lows = np.asarray(trace.access_address, np.int64)
    ends = (lows + np.maximum(np.asarray(trace.access_bytes, np.int64), 1) - 1) // line
    return np.array([max((where.get((step, number), -1) for number in range(low, end + 1)), default=-1) & NOT_FOUND
                     for step, low, end in zip(steps, (lows // line).tolist(), ends.tolist(), strict=True)], np.int64)
