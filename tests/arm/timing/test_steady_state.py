"""Folded paths against simulating every instruction."""

from __future__ import annotations

import numpy as np
import pytest

import neonsim as ns
from neonsim.arm.machine import compiler
from neonsim.arm.timing import steady, time
from neonsim.arm.timing.steady_state import _Folded
from tests.tiers import every

needs_compiler = pytest.mark.skipif(compiler() is None, reason="no C compiler: install gcc or clang")
NEST = """
        movi    v2.16b, #0
        movi    v3.16b, #0
        mov     x9, #{outer}
1:      mov     x10, #{inner}
        ld1     {{v1.16b}}, [x0]
2:      ld1     {{v0.16b}}, [x0]
        mla     v2.8h, v0.8h, v1.8h
        smlal   v3.4s, v0.4h, v2.4h
        subs    x10, x10, #1
        b.ne    2b
        st1     {{v3.16b}}, [x1]
        subs    x9, x9, #1
        b.ne    1b
        ret
"""


def _call(outer: int, inner: int) -> tuple[ns.Program, ns.Trace]:
    machine = ns.Machine()
    a = machine.memory.place(np.zeros(16, np.uint8))
    program = ns.assemble(NEST.format(outer=outer, inner=inner), isa="aarch64")
    trace = machine.call(program, a, machine.memory.alloc(16)).trace
    assert trace is not None
    return program, trace


@pytest.mark.parametrize(("core", "outer", "inner"), every(2, (
    (core, *loops) for loops in ((1, 1), (1, 500), (30, 30), (100, 5), (40, 1), (3, 200))
    for core in ("cortex-a53", "cortex-a72", "cortex-a76"))))
def test_a_nest_of_loops(outer: int, inner: int, core: str) -> None:
    """Within 1 % of the whole, and what the pipeline takes to fill and to drain."""
    program, trace = _call(outer, inner)
    whole, found = time(trace, core=core), steady(program, trace.pc.astype(np.int64), core)
    assert found.instructions == whole.instructions
    assert found.macs == round(whole.macs_per_cycle * whole.cycles)
    assert abs(found.cycles - whole.cycles) <= 0.01 * whole.cycles + 40
    if trace.steps > 5000:
        assert found.simulated < trace.steps


@pytest.mark.parametrize("outer, inner", [(1, 1), (7, 9), (100, 100), (50, 3)])
def test_weights_are_those_of_the_path(outer: int, inner: int) -> None:
    """Every instruction stands for as many as there are of it."""
    _, trace = _call(outer, inner)
    folded = _Folded(trace.pc.astype(np.int64))
    found = np.bincount(folded.order, folded.weights)
    np.testing.assert_allclose(found, np.bincount(trace.pc.astype(np.int64)))


@needs_compiler
def test_the_order_of_a_call_is_that_of_its_trace() -> None:
    """By blocks of compiled text; memory is left as it was."""
    program, trace = _call(5, 7)
    machine = ns.Machine()
    a, c = machine.memory.place(np.zeros(16, np.uint8)), machine.memory.place(np.full(16, 9, np.uint8), "c")
    np.testing.assert_array_equal(machine.execution_path(program, a, c), trace.pc)
    assert (machine.memory.fetch("c") == 9).all()


@needs_compiler
def test_conditional_instructions_take_their_slot() -> None:
    text = "mov r2, #3\n0: subs r2, r2, #1\naddeq r0, r0, #1\nbxmi lr\nbpl 0b\nbx lr"
    program = ns.assemble(text, isa="aarch32")
    trace = ns.Machine("aarch32").call(program, 1, 2).trace
    assert trace is not None
    np.testing.assert_array_equal(ns.Machine("aarch32").execution_path(program, 1, 2), trace.pc)


@needs_compiler
def test_a_long_path_has_room() -> None:
    program = ns.assemble("mov x9, #60000\n0: cbz x9, 1f\nsub x9, x9, #1\nb 0b\n1: ret", isa="aarch64")
    assert len(ns.Machine().execution_path(program)) == 1 + 3 * 60000 + 2


@needs_compiler
def test_an_order_of_what_does_not_return() -> None:
    with pytest.raises(ns.NeonsimError, match=r"does not return \(limit\)"):
        ns.Machine().execution_path(ns.assemble("0: b 0b", isa="aarch64"), max_steps=1000)


@needs_compiler
@pytest.mark.nightly
@pytest.mark.parametrize("name, sizes", [
    ("qs8_gemm_rndnu_4x16__aarch64_neon_mlal_lane", (4, 48, 64)),
    ("qs8_gemm_rndnu_4x16c4__aarch64_neondot_ld64", (4, 48, 64))])
@pytest.mark.parametrize("core", ["cortex-a55", "cortex-a76"])
def test_kernels_of_layers(name: str, sizes: tuple[int, int, int], core: str) -> None:
    """A tile as an operator calls it, folded and whole."""
    from neonsim.nn.backends.emulated import EmulatedBackend, EmulatedJob
    from neonsim.nn.ops import FullyConnected
    from neonsim.quant import Quantized, Scheme
    m, n, k = sizes
    w = Quantized(np.zeros((n, k), np.int8), 1.0, 0)
    layer = FullyConnected(Scheme(1.0, 3, "int8"), w, out=Scheme(90.0, 1, "int8"), requantization="rndnu")
    plan = layer.plan((m, k), kernel=name, backend=EmulatedBackend("aarch64"))
    assert isinstance(plan.loaded, EmulatedJob)
    whole = time(plan.trace(0).trace, core=core)
    found = steady(ns.kernel(name).program(), plan.loaded.execution_path(0), core)
    assert abs(found.cycles - whole.cycles) <= 0.01 * whole.cycles + 40
