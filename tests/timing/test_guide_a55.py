"""The Cortex-A55 against instructions a cycle measured on a board (against Arm's guide: `test_measured`).

Source: LLVM D98174, llvm/test/tools/llvm-mca/AArch64/Cortex/IPC.
"""

from __future__ import annotations

import pytest

from neonsim.asm import assemble
from neonsim.timing import Op, Stream, Timing, load_core, time
from neonsim.timing.pipeline import simulate

A55 = load_core("cortex-a55")

IPC = [
    ("add w8, w8, #1; add w10, w10, #1; add w11, w10, #1; add w12, w8, #1; cmp w8, w9; b.lt top", 2.00),
    ("add w8, w8, #1; add w10, w8, #1; add w12, w8, #1", 2.00),
    ("add w8, w8, #1; add w12, w8, #1; mul w10, w10, w10", 1.00),
    ("add w8, w8, #1; add w12, w8, #1; mul w10, w10, w10; cmp w8, w9; b.lt top", 1.66),
    ("add w8, w8, #1; cmp w8, #42; add w12, w8, #1; mul w10, w12, w10; cmp w8, w9; b.lt top", 2.00),
    ("add w8, w8, #1; cmp w8, #42; add w12, w8, #1; mul w10, w12, w10", 1.33),
    ("add w8, w8, #1; and w12, w8, #0x3f; ldr w14, [x10, w12, uxtw #2]", 1.50),
    ("add w8, w8, #1; and w12, w8, #0x3f; ldr w14, [x10, w12, uxtw #2]; ldr w15, [x10, w12, uxtw #2]", 1.33),
]


def timed(lines: str) -> Timing:
    """The instructions over and over; those without a branch were unrolled on the board."""
    body = [line.strip() for line in lines.split(";")]
    if body[-1].startswith("b."):
        return time(assemble("\n".join(["top:", *body]), "aarch64"), core=A55, iterations=200)
    stream = time(assemble("\n".join(["top:", *body, "b top"]), "aarch64"), core=A55).stream
    return time(Stream.of_ops(stream.ops[:-1], iterations=200), core=A55)


@pytest.mark.parametrize(("lines", "measured"), IPC, ids=[
    "loop", "skewed_alu", "mul_chain", "mul_loop", "mul_dependent_loop", "mul_dependent", "address_of_alu", "two_loads",
])
def test_instructions_a_cycle_as_measured(lines: str, measured: float) -> None:
    timing = timed(lines)
    modelled = timing.stream.body / timing.cycles_per_iteration
    print(f"measured {measured:.2f}  modelled {modelled:.2f}  {lines}")
    assert modelled == pytest.approx(measured, rel=0.04)


def test_skewed_chain_runs_one_a_cycle() -> None:
    """Two dependent additions issue together, but a long chain still takes a cycle each."""
    chain = [Op("alu", "add", reads=(("n", f"x{k % 2}"),), writes=(("d", f"x{1 - k % 2}"),)) for k in range(40)]
    run = simulate(Stream.of_ops(chain), A55)
    assert run.issue[1] == 0 and run.issue[39] - run.issue[19] == 20
