"""A place in a recorded run."""

from __future__ import annotations

import neonsim as ns
from neonsim.render.stepper.cursor import TraceCursor

SMLAL = 7  # steps done when the first SMLAL has been executed


def test_every_state_and_memory_forwards_and_backwards(dot: ns.Trace) -> None:
    walk = TraceCursor(dot)
    before = {b.name: b.before for b in dot.buffers}
    for step in (0, 3, SMLAL, dot.steps, SMLAL, 0):
        walk.goto(step)
        assert walk.state() == dot.state(step)
    walk.goto(dot.steps)
    assert walk.memory["c"].tobytes() == dot.state(dot.steps)["v16"]
    walk.goto(0)
    assert {name: data.tobytes() for name, data in walk.memory.items()} == before
