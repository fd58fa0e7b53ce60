"""Real kernels in the stepper: the page equals the trace at steps all over the run, on both instruction sets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim.arm.machine.arch.register_names import lane_values
from neonsim.nn.backends.emulated import EmulatedBackend
from neonsim.render import write_page

pytestmark = [pytest.mark.browser, pytest.mark.nightly]

SHOWN = """() => Object.fromEntries([...document.querySelectorAll('.nsim-vectors [data-register]')].map(row => [
  row.dataset.register, [...row.querySelectorAll('.nsim-cell')].sort((a, b) => a.dataset.lane - b.dataset.lane)
    .map(cell => cell.textContent)]))"""
MARKED = """() => [...document.querySelectorAll('.nsim-vectors .nsim-changed')]
  .map(row => row.dataset.register).sort()"""


def tile_trace(name: str) -> ns.Trace:
    rng = np.random.default_rng(5)
    weights, bias = rng.integers(0, 256, (8, 21), np.uint8), rng.integers(-999, 999, 8, np.int32)
    lhs = ns.Quantized(rng.integers(0, 256, (3, 21), np.uint8), 1.0, 9)
    layer = ns.ops.FullyConnected(lhs.scheme, ns.Quantized(weights, 0.002, 120), bias, out=ns.Scheme(1.0, 128))
    plan = layer.plan(lhs.shape, backend="emulated", kernel=name)
    plan.run(lhs)
    return next(plan.trace(i).trace for i, call in enumerate(plan.job.calls) if call.implementation.name == name)


@pytest.mark.parametrize("name", EmulatedBackend().kernels("qu8_gemm_q31"))
def test_page_equals_trace(tab: Any, tmp_path: Path, name: str) -> None:
    trace = tile_trace(name)
    path = write_page(trace, tmp_path / "tile.html", names=ns.kernel(name).header.register_names(),
                      timing=ns.time(trace, core="cortex-a53"))
    page = tab.open(path)
    page.get_by_label("element type of all registers").select_option("s32")
    skipped = [k + 1 for k in range(trace.steps) if not trace.executed[k]]
    steps = [*np.linspace(0, trace.steps, 12).astype(int).tolist(), *skipped[:2]]
    for step in [*steps, *reversed(steps[::4])]:
        page.evaluate("step => window.neonsim.goto(step)", step)
        state, shown = trace.marked(step), page.evaluate(SHOWN)
        assert shown == {register: [v.replace("--", "·") for v in lane_values(state[register], "s32")]
                         for register in shown}, step
        assert len(shown) >= 6
        if step:
            rows = range(trace.write_start[step - 1], trace.write_start[step])
            written = {trace.locations[trace.write_location[row]] for row in rows}
            vectors = sorted(place for place in written if place[0] in "vq" and place != "qc")
            assert page.evaluate(MARKED) == vectors, step
        if step in skipped:
            assert "Not executed" in page.locator(".nsim-explain").inner_text()
    assert "modelled" in page.locator(".nsim-status").inner_text()
    assert tab.errors == []
