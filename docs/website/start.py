"""The run on the start page: one column of the default kernel's tile, small enough to read at once."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import neonsim as ns

__all__ = ["write"]

TEXT = """
dot:                                    // x0: n, x1: inputs, x2: weights, x3: zero point of the inputs
        dup     v3.8b, w3
        movi    v0.4s, #0
again:  ld1     {v1.8b}, [x1], #8
        ld1     {v2.8b}, [x2], #8
        usubl   v1.8h, v1.8b, v3.8b     // bytes less their zero point: 16 bits
        uxtl    v2.8h, v2.8b
        smlal   v0.4s, v1.4h, v2.4h     // four products into four sums
        smlal2  v0.4s, v1.8h, v2.8h
        subs    x0, x0, #8
        b.ne    again
        addv    s0, v0.4s
        fmov    w0, s0
        ret
"""


def write(sources: Path) -> None:
    """runs/start.html."""
    machine = ns.Machine(isa="aarch64")
    rng = np.random.default_rng(1)
    inputs, weights = (rng.integers(0, 256, 16, np.uint8) for _ in range(2))
    places = [machine.memory.place(array, name=name) for name, array in (("inputs", inputs), ("weights", weights))]
    result = machine.call(ns.assemble(TEXT, isa="aarch64"), inputs.size, *places, 128, trace=True)
    (sources / "runs").mkdir(exist_ok=True)
    names = {"v0": "sums", "v1": "inputs", "v2": "weights", "v3": "zero points", "x0": "n", "x3": "zero point"}
    result.trace.to_html(sources / "runs" / "start.html", names=names, title="a quantised dot product", view="step=8",
                         timing=ns.time(result.trace, core="cortex-a53"), live=True)
