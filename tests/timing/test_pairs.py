"""What the Cortex-A53 issues together, and whole small kernels, against published measurements.

Cycle counts of daniestevez/qsdr @6c08f41, qsdr-benchmarks/tests/instruction_benchmark (measured on a Cortex-A53). Its
FADD and FMUL .4s/.2s have the latency of the integer multiply (4), so a multiply of that width stands for them.
"""

from __future__ import annotations

import re

import pytest

from neonsim.timing import Op, Stream, load_core
from neonsim.timing.simulate import simulate

A53 = load_core("cortex-a53")
SIZE = {"q": 16, "d": 8, "x": 8}


def op(text: str) -> Op:
    """A line of the benchmark as an op: `fmul.4s v0, v1, v2`, `ldr d0, [p, #8]`, `ins v0.d[1], x0`, `b.ne`."""
    text = re.sub(r"fadd|fmul", "mul", text)
    name, _, rest = text.partition(" ")
    base = re.search(r"\[(\w+)", rest)
    regs = [r for r in re.findall(r"\b[vqdx]\d+\b", rest) if not base or r != base[1]]
    vec = ["v" + r[1:] if r[0] in "qdv" else r for r in regs]
    address = (("base", base[1]),) if base else ()
    update = (("base", base[1]),) if base and (rest.endswith("!") or re.search(r"\], #", rest)) else ()
    kind = regs[0][0] if regs else ""
    if name.startswith("mul."):
        width = "q" if name.endswith("4s") else "d"
        return Op("asimd_mul", text, width, 32, reads=tuple(("n", r) for r in vec[1:]), writes=(("d", vec[0]),))
    if name == "ins":
        return Op("asimd_ins_gpr", text, "q", 64, reads=(("n", vec[1]), ("d", vec[0])), writes=(("d", vec[0]),))
    if name == "umov":
        return Op("asimd_to_gpr", text, "d", 64, reads=(("n", vec[1]),), writes=(("d", vec[0]),))
    if name in ("ldr", "ldp", "ld1", "ld1lane"):
        n = len(vec)
        ldr = "ldr_simd" if kind in "qd" else "ldr"
        names = {"ldr": ldr, "ldp": "ldp_simd", "ld1": f"ld1_{n}", "ld1lane": "ld1_lane"}
        size = 16 if kind in "qv" and name != "ld1lane" else 8
        width = None if kind == "x" else "q" if size == 16 else "d"
        return Op(names[name], text, width, reads=address, writes=(*(("t", r) for r in vec), *update), nbytes=size * n)
    if name in ("str", "stp", "st1"):
        timing = {"str": "str_simd" if kind in "qd" else "str", "stp": "stp_simd", "st1": f"st1_{len(vec)}"}[name]
        size = 16 if kind in "qv" else 8
        width = None if kind == "x" else "q" if size == 16 else "d"
        return Op(timing, text, width, reads=(*(("t", r) for r in vec), *address), writes=update,
                  nbytes=size * len(vec))
    if name == "cmp":
        return Op("alu", text, reads=tuple(("n", r) for r in vec), writes=(("nzcv", "nzcv"),))
    if name == "add":
        return Op("alu", text, reads=tuple(("n", r) for r in vec[1:]), writes=(("d", vec[0]),))
    if name == "b.ne":
        return Op("branch", text, reads=(("nzcv", "nzcv"),))
    if name == "nop":
        return Op("nop", text)
    raise AssertionError(text)


ALONE = Op("mul", "mul x30, x30, x30")


def block(lines: str) -> int:
    """Cycles until a following instruction that issues alone can start."""
    ops = [op(line.strip()) for line in lines.strip().split(";")]
    run = simulate(Stream.of_ops([*ops, ALONE]), A53)
    return run.issue[-1]


@pytest.mark.parametrize(("lines", "cycles"), [
    ("ldr d0, [p]; fadd.4s v1, v1, v1", 2), ("fadd.4s v1, v1, v1; ldr d0, [p]", 2),
    ("ldr x0, [p]; fadd.4s v0, v0, v0", 2), ("fadd.4s v0, v0, v0; ldr x0, [p]", 1),
    ("ldr d0, [p]; ins v1.d[1], x0", 1), ("ins v1.d[1], x0; ldr d0, [p]", 1), ("ldr d0, [p]; ins v0.d[1], x0", 2),
    ("ld1lane v0, [p]; ins v1.d[1], x0", 2), ("ins v1.d[1], x0; ld1lane v0, [p]", 2),
    ("fadd.4s v0, v0, v0; str q1, [p]", 2), ("str q1, [p]; fadd.4s v0, v0, v0", 2),
    ("ldr d0, [p]; str q1, [p]", 2), ("str q1, [p]; ldr d0, [p, #16]", 2),
    ("ins v0.d[1], x0; str q1, [p]", 2), ("str q1, [p]; ins v0.d[1], x0", 2),
    ("ldr d0, [p]; str d1, [p, #64]", 2), ("str d1, [p, #64]; ldr d0, [p]", 2),
    ("fadd.4s v0, v0, v0; str x0, [p]", 1), ("str x0, [p]; fadd.4s v0, v0, v0", 2),
    ("fadd.4s v0, v0, v0; umov x0, v1", 2), ("umov x0, v1; fadd.4s v0, v0, v0", 2),
    ("fadd.2s v0, v0, v0; ldr d1, [p]", 1), ("ldr d1, [p]; fadd.2s v0, v0, v0", 1),
    ("nop; nop", 1), ("nop; nop; nop", 2), ("add x0, x0; add x1, x1; add x2, x2", 2),
    ("ins v0.d[1], x0; ins v1.d[1], x1", 1), ("ins v0.d[0], x0; ins v0.d[1], x1", 2),
    ("ins v0.d[1], x0; fadd.4s v0, v0, v0", 3),
    ("ins v0.d[1], x0; ins v1.d[1], x1; ins v2.d[1], x2; ins v3.d[1], x3; fadd.4s v0, v0, v0", 3),
    ("cmp x0; b.ne", 1), ("fadd.4s v0, v0, v0; cmp x0; fadd.4s v1, v1, v1; b.ne", 2),
], ids=lambda value: str(value).replace("; ", " | "))
def test_pairs(lines: str, cycles: int) -> None:
    assert block(lines) == cycles


@pytest.mark.parametrize(("lines", "cycles"), [
    ("ld1 v0, [p]", 2), ("ld1 v0, [p]; fadd.4s v0, v0, v0", 5), ("ld1 v0, [p]; ld1 v1, [p]", 4),
    ("ld1 v0, [p]; ld1 v1, [p]; fadd.4s v0, v0, v0", 5), ("ld1 v0, [p]; ld1 v1, [p]; fadd.4s v1, v1, v1", 7),
    ("ld1 v0 v1, [p]", 4), ("ld1 v0 v1, [p]; fadd.4s v0, v0, v0", 5), ("ld1 v0 v1, [p]; fadd.4s v1, v1, v1", 7),
    ("ld1 v0 v1, [p]; ld1 v2 v3, [p]; fadd.4s v2, v2, v2", 9),
    ("ld1 v0 v1, [p]; ld1 v2 v3, [p]; fadd.4s v3, v3, v3", 11),
    ("ld1 v0 v1 v2 v3, [p]", 8), ("ld1 v0 v1 v2 v3, [p]; fadd.4s v0, v0, v0", 9),
    ("ld1 v0 v1 v2 v3, [p]; fadd.4s v3, v3, v3", 11),
    ("ldr q0, [p]; fadd.4s v0, v0, v0", 5), ("ldp q0, q1, [p]; fadd.4s v1, v1, v1", 7),
    ("ldr d0, [p]", 1), ("ldr d0, [p]; fadd.4s v0, v0, v0", 4), ("ldr d0, [p]; ldr d1, [p]; fadd.4s v1, v1, v1", 5),
    ("ldp d0, d1, [p]", 2), ("ldp d0, d1, [p]; fadd.4s v0, v0, v0", 4),
    ("ldp d0, d1, [p]; ldp d2, d3, [p]; fadd.4s v2, v2, v2", 6),
    ("ldp d0, d1, [p]; ldp d2, d3, [p]; fadd.4s v3, v3, v3", 7),
    ("st1 v0, [p]; st1 v1, [p]; st1 v2, [p]; st1 v3, [p]", 4), ("st1 v0 v1 v2 v3, [p]", 4),
], ids=lambda value: str(value).replace("; ", " | "))
def test_loads_and_stores(lines: str, cycles: int) -> None:
    assert block(lines) == cycles


RUSTC = """add x9, x1, x2; add x2, x2; cmp x2; ldp q0, q1, [x9]; fmul.4s v0, v0, v2; fmul.4s v1, v1, v2;
    fadd.4s v0, v0, v3; fadd.4s v1, v1, v3; stp q0, q1, [x9]; b.ne"""
Q_CORE = """fmul.4s v0, v0, v31; ldr x0, [b0, #136]; fmul.4s v1, v1, v31; fmul.4s v2, v2, v31; ldr x1, [b0, #152];
    fmul.4s v3, v3, v31; ldr x2, [b0, #168]; fadd.4s v0, v0, v30; ldr x3, [b0, #184]; fadd.4s v1, v1, v30;
    ldr x4, [b0, #176]; st1 v4 v5 v6 v7, [b0]; ldr d5, [b0, #144]; ins v7.d[1], x3; ldr d6, [b0, #160]; ins v5.d[1], x1;
    ldr d4, [b0, #128]!; ins v6.d[1], x2; ins v7.d[0], x4; ins v4.d[1], x0; fadd.4s v2, v2, v30; fadd.4s v3, v3, v30;
    fmul.4s v4, v4, v31; ldr x0, [b1, #136]; fmul.4s v5, v5, v31; fmul.4s v6, v6, v31; ldr x1, [b1, #152];
    fmul.4s v7, v7, v31; ldr x2, [b1, #168]; fadd.4s v4, v4, v30; ldr x3, [b1, #184]; fadd.4s v5, v5, v30;
    ldr x4, [b1, #176]; st1 v0 v1 v2 v3, [b1]; ldr d1, [b1, #144]; ins v3.d[1], x3; ldr d2, [b1, #160]; ins v1.d[1], x1;
    ldr d0, [b1, #128]!; ins v2.d[1], x2; ins v3.d[0], x4; ins v0.d[1], x0; fadd.4s v6, v6, v30; fadd.4s v7, v7, v30"""
D_CORE = """
    fmul.2s v0, v0, v31; str d4, [w, #8]; fmul.2s v1, v1, v31; str d5, [w, #16]; fmul.2s v2, v2, v31; str d6, [w, #24];
    fmul.2s v3, v3, v31; str d7, [w, #32]!; fadd.2s v0, v0, v30; ldr d4, [r, #8]; fadd.2s v1, v1, v30; ldr d5, [r, #16];
    fadd.2s v2, v2, v30; ldr d6, [r, #24]; fadd.2s v3, v3, v30; ldr d7, [r, #32]!; fmul.2s v4, v4, v31; str d0, [w, #8];
    fmul.2s v5, v5, v31; str d1, [w, #16]; fmul.2s v6, v6, v31; str d2, [w, #24]; fmul.2s v7, v7, v31;
    str d3, [w, #32]!; fadd.2s v4, v4, v30; ldr d0, [r, #8]; fadd.2s v5, v5, v30; ldr d1, [r, #16]; fadd.2s v6, v6, v30;
    ldr d2, [r, #24]; fadd.2s v7, v7, v30; ldr d3, [r, #32]!"""


@pytest.mark.parametrize(("name", "lines", "measured", "percent"), [
    ("saxpy_rustc", RUSTC, 16, 0.0), ("saxpy_q_core", Q_CORE, 32, 0.0), ("saxpy_d_core", D_CORE, 16, 0.0),
])
def test_published_kernels(name: str, lines: str, measured: int, percent: float) -> None:
    ops = [op(line.strip()) for line in lines.split(";")]
    run = simulate(Stream.of_ops(ops, iterations=100), A53)
    n = len(ops)
    modelled = (run.issue[90 * n] - run.issue[10 * n]) / 80
    assert abs(modelled - measured) <= percent / 100 * measured, f"{name}: measured {measured}, modelled {modelled}"


# ---- phase: the addend of an FMLA is read four cycles after its factors, and no vector load starts then

def fmla(target: int) -> Op:
    register = f"v{target}"
    return Op("asimd_fp_mla", f"fmla {register}.4s", "q", 32, True, writes=(("d", register),),
              reads=(("a", register), ("n", "v30"), ("m", "v31")))


def per_turn(ops: list[Op]) -> float:
    run = simulate(Stream.of_ops(ops, iterations=40), A53)
    return (run.issue[30 * len(ops)] - run.issue[10 * len(ops)]) / 20


def test_ncnn_loop_takes_the_cycles_it_was_written_for() -> None:
    """Tencent/ncnn, arm-a53-a55-dual-issue.md, practical guide: three FMLA, then a cycle for loads and inserts.
    (Its pointer is updated two cycles before it is used again, which costs one more each time by what is measured of
    addresses; here the additions go elsewhere, so that only issue rules count.)"""
    lines = ["ldr d0, [p]", "F", "ldr x23, [p, #8]", "F", "add x8, x9", "F", "ldr d1, [p]", "ins v0.d[1], x23", "F",
             "ldr x23, [p, #8]", "F", "add x8, x9", "F", "ins v1.d[1], x23", "nop", "F", "F", "F", "nop", "nop",
             "F", "F", "F"]
    ops = [fmla(4 + k) if line == "F" else op(line) for k, line in enumerate(lines)]
    assert per_turn(ops) == 16.0


@pytest.mark.parametrize(("count", "cycles"), [(3, 4), (4, 9), (5, 10), (7, 12)])
def test_vector_load_in_phase_with_fmla(count: int, cycles: int) -> None:
    """A load each turn: after three FMLA it starts at once, after four it waits until none is four cycles old."""
    turn = [op("ldr d29, [p]"), *(fmla(k) for k in range(count))]
    assert per_turn(turn) == cycles
