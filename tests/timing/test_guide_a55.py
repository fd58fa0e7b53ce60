"""The Cortex-A55 against Arm's guide, instruction group by group, and against instructions a cycle measured on a board.

Source: EPM128372 v4.0, the rows of `guide_a55.tsv`; LLVM D98174, llvm/test/tools/llvm-mca/AArch64/Cortex/IPC.
"""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from neonsim.asm import assemble
from neonsim.timing import Op, Stream, Timing, load_core, time
from neonsim.timing.pipeline import simulate

A55 = load_core("cortex-a55")
REGISTERS = {"ld1_2": 2, "ldp_simd": 2, "ld1_4": 4}
ROWS = list(csv.DictReader((line for line in (Path(__file__).parent / "guide_a55.tsv").read_text().splitlines()
                            if not line.startswith("#")), delimiter="\t"))


def op(row: dict[str, str], width: str, source: str, target: str, role: str = "n") -> Op:
    name, size = row["class"], 16 if width == "q" else 8
    if A55.price(Op(name, width=width, nbytes=8)).beat and name.startswith("st"):
        return Op(name, name, width, reads=(("t", source), ("base", "x0")), nbytes=size)
    if name.startswith("ld"):
        n = REGISTERS.get(name, 1)
        size = 4 if name in ("ld1r", "ld1_lane") else 8 if name == "ldr" else size * n
        return Op(name, name, width, reads=(("base", "x0"),), writes=tuple(("t", f"{target}{k}") for k in range(n)),
                  nbytes=size)
    return Op(name, name, width, 16, reads=((role, source),), writes=(("d", target),))


def throughput(row: dict[str, str], width: str) -> float:
    run = simulate(Stream.of_ops([op(row, width, "v99", f"v{k % 16}_") for k in range(65)]), A55)
    return 32 / (run.issue[64] - run.issue[32])


def latency(row: dict[str, str], width: str, role: str = "n") -> int:
    """Cycles from its issue to that of a reader of its last register."""
    first = op(row, width, "v1", "v2", role)
    last = first.writes[-1][1]
    alike = row["class"] if role == "a" else "asimd_mul" if row["class"] != "ldr" else "alu"
    reader = Op(alike, "reader", width, 16, reads=((role, last),), writes=(("d", "v3"),))
    run = simulate(Stream.of_ops([first, reader]), A55)
    return run.issue[1]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["form"])
def test_group(row: dict[str, str]) -> None:
    for width in ("q", "d"):
        assert throughput(row, width) == pytest.approx(float(row[width]), rel=0.05), width
    if row["latency"] == "-" or row["class"] in ("alu", "alu_shift"):
        return
    q, _, d = row["latency"].partition(" ")
    assert (latency(row, "q"), latency(row, "d")) == (int(q), int(d or q))
    if row["forwarded"] != "-":
        assert latency(row, "q", "a") == int(row["forwarded"])


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
