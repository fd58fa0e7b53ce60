"""The run that the tests of the faces look at."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import neonsim as ns

DOT = Path(__file__).with_name("dot.S")


def record_dot(loops: int) -> ns.Trace:
    rng = np.random.default_rng(7)
    machine = ns.Machine(isa="aarch64")
    place = machine.memory.place
    a = place(rng.integers(0, 256, (4, 2 * loops), np.uint8), name="a")
    w = place(rng.integers(0, 256, 8 * loops, np.uint8), name="w")
    c = place(np.array([100, -200, 300, -400], np.int32), name="c")
    zero = place(np.array([17], np.uint8), name="zero_point")
    trace = machine.call(ns.assemble(DOT, isa="aarch64"), a, w, loops, c, zero, entry="dot", trace=True).trace
    assert trace is not None
    return trace
