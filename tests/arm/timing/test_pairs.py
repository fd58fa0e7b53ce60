"""What the Cortex-A53 issues together, and whole small kernels, against published measurements.

Cycle counts of daniestevez/qsdr @6c08f41, qsdr-benchmarks/tests/instruction_benchmark (measured on a Cortex-A53):
they stand in `tables/sequences.tsv`, in A64's own words.
"""

from __future__ import annotations

import pytest

from neonsim.arm.timing import InstructionStream, StaticInstruction, load_core
from neonsim.arm.timing.fitting.evidence import straight
from neonsim.arm.timing.simulation import simulate
from neonsim.arm.timing.validation.microbench import rows

A53 = load_core("cortex-a53")
SEQUENCES = [row for row in rows("sequences.tsv") if row["core"] == A53.name]


@pytest.mark.parametrize("row", SEQUENCES, ids=lambda row: row["lines"][:60].replace("; ", " | "))
def test_sequences(row: dict[str, str]) -> None:
    """In cycles, to the last one: a block until an instruction that issues alone can start, a turn of a kernel."""
    turns = 100 if row["what"] == "turn" else 1
    ops = straight(row["lines"])
    issue = simulate(InstructionStream.of_ops(ops, iterations=turns), A53).issue
    modeled = issue[-1] if turns == 1 else (issue[90 * len(ops)] - issue[10 * len(ops)]) / 80
    assert modeled == float(row["cycles"])


def test_there_are_as_many_as_were_measured() -> None:
    assert len(SEQUENCES) == 59 and sum(row["what"] == "turn" for row in SEQUENCES) == 3


# ---- phase: the addend of an FMLA is read four cycles after its factors, and no vector load starts then

def fmla(target: int) -> StaticInstruction:
    register = f"v{target}"
    return StaticInstruction("asimd_fp_mla", f"fmla {register}.4s", "q", 32, True, writes=(("d", register),),
                             reads=(("a", register), ("n", "v30"), ("m", "v31")))


def per_turn(ops: list[StaticInstruction]) -> float:
    run = simulate(InstructionStream.of_ops(ops, iterations=40), A53)
    return (run.issue[30 * len(ops)] - run.issue[10 * len(ops)]) / 20


def test_ncnn_loop_takes_the_cycles_it_was_written_for() -> None:
    """Tencent/ncnn, arm-a53-a55-dual-issue.md, practical guide: three FMLA, then a cycle for loads and inserts.
    (Its pointer is updated two cycles before it is used again, which costs one more each time by what is measured of
    addresses; here the additions go elsewhere, so that only issue rules count.)"""
    lines = ["ldr d0, [x0]", "F", "ldr x23, [x0, #8]", "F", "add x8, x9, #1", "F", "ldr d1, [x0]", "ins v0.d[1], x23",
             "F", "ldr x23, [x0, #8]", "F", "add x8, x9, #1", "F", "ins v1.d[1], x23", "nop", "F", "F", "F", "nop",
             "nop", "F", "F", "F"]
    ops = [fmla(4 + k) if line == "F" else straight(line)[0] for k, line in enumerate(lines)]
    assert per_turn(ops) == 16.0


@pytest.mark.parametrize(("count", "cycles"), [(3, 4), (4, 9), (5, 10), (7, 12)])
def test_vector_load_in_phase_with_fmla(count: int, cycles: int) -> None:
    """A load each turn: after three FMLA it starts at once, after four it waits until none is four cycles old."""
    turn = [straight("ldr d29, [x0]")[0], *(fmla(k) for k in range(count))]
    assert per_turn(turn) == cycles
