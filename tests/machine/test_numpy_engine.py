"""Grids translated to numpy leave what the interpreter leaves, and fail with its words."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim.machine import lockstep
from neonsim.machine.translate_numpy import NumpyTranslation
from tests.tiers import every

GRID = ns.Grid(3, 4)
SHAPES = [(3, 4), (1, 5), (4, 1), (2, 2), (1, 1)]


def outcome(isa: str, text: str, engine: str | None, shape: tuple[int, int] = (3, 4), seed: int = 1,
            **options: Any) -> Any:
    """All that a call leaves: memory, every tile's registers, counts, or the error's text.

    Arguments: a byte vector per row, one per column, one for all; an output of 64 bytes per tile, and tile numbers.
    """
    rows, columns = shape
    rng = np.random.default_rng(seed)
    machine = ns.Machine(isa=isa, poison=3)
    memory = machine.memory
    edges = np.array([0, 1, 127, 128, 255, 254], np.uint8)

    def some(n: int) -> Any:
        return np.where(rng.random(n) < 0.3, rng.choice(edges, n), rng.integers(0, 256, n)).astype(np.uint8)

    by_row = memory.place(some(64 * rows), name="by_row", readonly=True)
    by_column = memory.place(some(64 * columns), name="by_column", readonly=True)
    fixed = memory.place(some(64), name="fixed", readonly=True)
    out = memory.place(np.zeros(64 * rows * columns, np.uint8), name="out")
    row, column = np.arange(rows)[:, None], np.arange(columns)[None, :]
    arguments = [np.broadcast_to(by_row + 64 * row, shape), np.broadcast_to(by_column + 64 * column, shape),
                 out + 64 * (row * columns + column), fixed]
    if isa == "aarch64":
        arguments += [row * 5 + column * column, 7]
    try:
        result = machine.call(ns.assemble(text, isa=isa), *arguments, tiles=ns.Grid(*shape), trace=False,
                              engine=engine, **options)
        done: Any = (result.steps, result.tile_steps, result.tile_returned.tolist())
    except ns.NeonsimError as problem:
        done = type(problem).__name__, str(problem)
    registers = []
    for value in machine.state.slots:
        lanes = value.read(0, 16, ns.lanes.u8) if hasattr(value, "parts") else value
        registers.append(np.broadcast_to(lanes.array, (lanes.count, *shape)).tolist())
    return done, memory.fetch("out").tolist(), registers, machine.line


def agree(isa: str, text: str, **options: Any) -> Any:
    expected = outcome(isa, text, "interpreter", **options)
    got = outcome(isa, text, "numpy", **options)
    assert got[0] == expected[0]
    assert got == expected
    return expected[0]


LOAD = ("ld1 {v0.16b, v1.16b}, [x0]\nld1 {v2.16b, v3.16b}, [x1]\nld1 {v4.16b, v5.16b}, [x3]\n"
        "dup v6.8h, w4\nins v7.s[1], w4\n")
STORE = "st1 {v0.16b, v1.16b, v2.16b, v3.16b}, [x2]\n"

PROGRAMS = {
    "loop": LOAD + "mov x9, #3\n0: smlal v6.4s, v0.4h, v2.h[1]\nadd v0.8h, v0.8h, v6.8h\nsubs x9, x9, #1\nb.ne 0b\n"
            "mov v1.16b, v6.16b\n" + STORE + "ret",
    "pointers": "mov x9, #2\n0: ldr q0, [x0], #16\nldr q1, [x1], #8\nadd v2.16b, v0.16b, v1.16b\nstr q2, [x2], #16\n"
                "cmp x5, #7\ncsel x6, x0, x1, eq\nldrb w7, [x6]\nsubs x9, x9, #1\nb.ne 0b\nsub x0, x2, x1\nret",
    "indirect": "ubfx x9, x4, #0, #4\nldrb w10, [x3, x9]\nand x10, x10, #31\nadd x9, x3, x10\nld1 {v0.16b}, [x9]\n"
                "ldr x0, [x9]\nstr q0, [x2]\nstrb w10, [x2, #40]\nret",
    "flags": "cmp x4, #6\ncsel x0, x4, x5, lo\ncsinc x6, x4, x5, hi\nadcs x7, x6, x0\nstp x0, x6, [x2]\n"
             "str x7, [x2, #16]\nands x9, x4, #3\ncset x0, eq\nret",
    "saturated": LOAD + "sqadd v0.8h, v0.8h, v2.8h\nsqrdmulh v1.4s, v0.4s, v2.4s\nsqxtun v2.8b, v1.8h\n"
                 "uqsub v3.16b, v3.16b, v0.16b\nsqneg v3.2d, v3.2d\nsqdmlal v3.2d, v1.2s, v0.s[2]\n" + STORE + "ret",
    "permuted": LOAD + "zip1 v0.8h, v1.8h, v2.8h\nrev64 v1.16b, v2.16b\next v2.16b, v0.16b, v3.16b, #7\n"
                "tbl v3.16b, {v1.16b, v2.16b}, v5.16b\nuzp2 v3.4s, v3.4s, v7.4s\ntrn1 v0.2d, v0.2d, v3.2d\n" + STORE
                + "ret",
    "logic": LOAD + "bic v0.16b, v0.16b, v2.16b\nssra v6.4s, v0.4s, #3\nbsl v1.16b, v0.16b, v6.16b\n"
             "cmgt v2.4s, v1.4s, v0.4s\nbit v3.16b, v6.16b, v2.16b\nsrshl v3.4s, v3.4s, v5.4s\n" + STORE + "ret",
    "stack": "str q8, [sp, #-32]!\nstr x4, [sp, #16]\nmovi v8.16b, #3\nldr x0, [sp, #16]\nstr x0, [x2]\n"
             "ldr q8, [sp], #32\nret",
    "call": "mov x9, x30\nmov x0, x4\nbl f\nbl f\nmov x30, x9\nret\nf: add x0, x0, #5\nret",
    "wide": LOAD + "pmull v0.1q, v0.1d, v2.1d\nsqdmull v1.2d, v1.2s, v2.2s\naddv s2, v2.4s\nuaddlv d3, v3.4s\n" + STORE
            + "ret",
}


@pytest.mark.parametrize(("name", "shape"), every(3, ((name, shape) for name in PROGRAMS for shape in SHAPES)))
def test_same_result(name: str, shape: tuple[int, int]) -> None:
    assert isinstance(agree("aarch64", PROGRAMS[name], shape=shape)[0], int)


A32 = {
    "conditions": "cmp r3, #3\nmovhi r0, r1\naddls r0, r0, r1\nldrb r12, [r0]\nstrb r12, [r2]\nvld1.8 {d0, d1}, [r0]!\n"
                  "vld1.8 {d16}, [r1]\nvmlal.u8 q9, d0, d16\nvmovlt d3, r0, r1\nvst1.8 {d18-d19}, [r2]\nbx lr",
    "parting": "ldrb r12, [r0]\ncmp r12, #128\nmovhi r12, #3\naddls r12, r12, r12\nstr r12, [r2]\nbx lr",
    "push": "push {r4, r5, lr}\nmov r4, r2\nldrb r5, [r1]\nstrb r5, [r4]\npop {r4, r5, pc}",
}


@pytest.mark.parametrize("name", A32)
def test_same_result_aarch32(name: str) -> None:
    assert isinstance(agree("aarch32", A32[name])[0], int)


FAULTS = {
    "past_the_end": "str x5, [x2]\nadd x9, x0, #128\nld1 {v0.16b}, [x9]\nret",
    "read_only": "str x5, [x2]\nstr x5, [x0]\nret",
    "nowhere": "add x9, x9, #1\nldr x9, [x5]\nret",
    "overlap": "ldr x9, [x0]\nstr x9, [x2, #56]\nadd x9, x2, #60\nstr x9, [x9]\nret",
    "one_output": "and x9, x2, #-64\nmov x10, #0\nb 1f\n1: mul x9, x9, x10\nstr x9, [x9]\nret",
    "parting": "cmp x4, #6\nb.lo 1f\nadd x0, x0, #1\n1: ret",
    "wild": "add x9, x9, #1\nmov x3, #64\nbr x3",
    "no_return": "mov x0, #1\nnop",
    "clobbered": "mov x19, #1\nmovi v8.16b, #1\nret",
    "odd_sp": "sub sp, sp, #8\nldr x9, [sp]\nret",
    "breakpoint": "mov x0, #1\nbrk #1",
}


@pytest.mark.parametrize("name", FAULTS)
def test_same_error(name: str) -> None:
    """Errors have the interpreter's words and leave its state, also when the block had stored before."""
    assert isinstance(agree("aarch64", FAULTS[name])[0], str)


FLOATS = ["fmla v{d}.4s, v{n}.4s, v{m}.4s", "fmla v{d}.4s, v{n}.4s, v{m}.s[1]", "fmls v{d}.4s, v{n}.4s, v{m}.4s",
          "fmul v{d}.4s, v{n}.4s, v{m}.4s", "fadd v{d}.4s, v{n}.4s, v{m}.4s", "fsub v{d}.4s, v{n}.4s, v{m}.4s"]


@pytest.mark.parametrize(("line", "shape"), every(4, ((line, shape) for line in FLOATS for shape in SHAPES)))
def test_floats_that_vary_along_one_axis(line: str, shape: tuple[int, int]) -> None:
    """Each of the three operands by row, by column or the same in all tiles; ordinary numbers, that round."""
    loads = "".join(f"ldr q{r}, [x{x}]\nucvtf v{r}.4s, v{r}.4s\n" for r, x in ((0, 0), (1, 1), (2, 3)))
    each = [(a, n, m) for a in range(3) for n in range(3) for m in range(3)]
    body = "".join(f"mov v{d}.16b, v{a}.16b\n{line.format(d=d, n=n, m=m)}\n" for d, (a, n, m) in enumerate(each, 4))
    agree("aarch64", loads + body + "stp q4, q30, [x2]\nret", shape=shape)


@pytest.mark.parametrize("limit", [1, 2, 7, 100, 300, 301])
def test_step_limit(limit: int) -> None:
    """The limit holds to the step; a hundred rounds take 302."""
    text = "mov x9, #100\n0: add x0, x0, x4\nsubs x9, x9, #1\nb.ne 0b\nret"
    assert agree("aarch64", text, max_steps=limit)[0] == "StepLimit"
    assert agree("aarch64", text, max_steps=302)[0] == 302


def test_two_halfwords_as_part_of_a_pair() -> None:
    """Between blocks a general register is one word, also what was computed as two halfwords."""
    agree("aarch32", """ldr r0, [r0]
        ldr r1, [r1]
        ldr r3, [r3]
        usax r0, r0, r1
        cmp r3, r3
        beq 1f
        nop
    1:  umlal r0, r1, r3, r3
        stm r2, {r0, r1}
        bx lr""")


def test_endless_loop() -> None:
    text = "mov x9, #1\n0: add x9, x9, #0\nadd v0.16b, v1.16b, v2.16b\nb 0b"
    for engine in ("interpreter", "numpy"):
        done = outcome("aarch64", text, engine)[0]
        assert done[0] == "StepLimit" and "never ends" in done[1]
    counting = "mov x9, #0\n0: add x9, x9, #1\nb 0b"
    for engine in ("interpreter", "numpy"):
        assert "still running after 20,000" in outcome("aarch64", counting, engine, max_steps=20_000)[0][1]


# ---- sums of products -----------------------------------------------------------------------------------------------

def test_sums_of_products_are_exact() -> None:
    """The largest values there are, at the widths where floating point would round."""
    for kind, wide in (("s16", "smlal"), ("u16", "umlal")):
        for fill in ("0x80", "0xff"):
            products = "\n".join(f"{wide} v{16 + k % 2}.4s, v2.4h, v0.h[{k % 8}]" for k in range(24))
            text = (f"movi v0.16b, #{fill}\nins v0.h[1], w4\nld1 {{v1.8h}}, [x0]\nld1 {{v2.8h}}, [x1]\n"
                    f"orr v0.16b, v0.16b, v1.16b\nmovi v2.16b, #{fill}\nld1 {{v3.8h}}, [x1]\n"
                    f"orr v2.16b, v2.16b, v3.16b\n{products}\n"
                    "st1 {v16.16b, v17.16b}, [x2]\nret")
            assert isinstance(agree("aarch64", text)[0], int), kind
    wide64 = "\n".join(f"umlal v16.2d, v2.2s, v0.s[{k % 4}]" for k in range(8))
    text = f"ld1 {{v0.16b}}, [x0]\nld1 {{v2.16b}}, [x1]\n{wide64}\nst1 {{v16.16b}}, [x2]\nret"
    for seed in range(4):
        agree("aarch64", text, seed=seed)


@pytest.mark.parametrize("by_element", ["x0", "x1"])
def test_sums_of_products_become_a_matrix_product(by_element: str) -> None:
    """Rows times columns, whichever is the single lane; one that varies along both is left as it is."""
    other = {"x0": "x1", "x1": "x0"}[by_element]
    products = "\n".join(f"umlal v16.4s, v{2 + k % 2}.4h, v0.h[{k}]" for k in range(8))
    text = (f"ld1 {{v0.8h}}, [{by_element}]\nld1 {{v2.8h, v3.8h}}, [{other}]\nmovi v16.16b, #1\n{products}\n"
            "st1 {v16.16b}, [x2]\nret")
    agree("aarch64", text)
    program = ns.assemble(text, isa="aarch64")
    machine = ns.Machine()
    at = machine.memory.place(np.arange(255, dtype=np.uint8), name="data")
    out = machine.memory.alloc(16 * 12, name="out")
    row, column = np.arange(3)[:, None], np.arange(4)[None, :]
    shape = (3, 4)
    machine.call(program, np.broadcast_to(at + 2 * row, shape), np.broadcast_to(at + 64 + column, shape),
                 out + 16 * (4 * row + column), tiles=GRID, trace=False, engine="numpy")
    assert "product(" in written(program)


def written(program: Any) -> str:
    translation = lockstep.numpy_translation(program, None)
    return "\n".join(block.text for ways in translation._ways.values() for block in ways.ways.values() if block)


# ---- any programs ---------------------------------------------------------------------------------------------------

OPERATIONS = ["add", "sub", "mul", "mla", "mls", "sqadd", "uqsub", "smax", "umin", "cmgt", "cmhs", "cmtst", "sshl",
              "urshl", "sqrshl", "zip1", "zip2", "uzp1", "trn2", "addp", "smaxp", "uhadd", "srhadd", "sabd", "uaba",
              "and", "orr", "eor", "bic", "bsl", "bit"]


def random_line(rng: random.Random) -> str:
    d, n, m = (f"v{rng.choice((0, 1, 2, 3, 4, 6))}" for _ in range(3))
    t = rng.choice(("8b", "16b", "4h", "8h", "2s", "4s"))
    kind = rng.random()
    if kind < 0.45:
        op = rng.choice(OPERATIONS)
        if op in ("and", "orr", "eor", "bic", "bsl", "bit"):
            t = rng.choice(("8b", "16b"))
        return f"{op} {d}.{t}, {n}.{t}, {m}.{t}"
    if kind < 0.6:
        return f"{rng.choice(('smlal', 'umlsl', 'sqdmlal', 'smull'))} {d}.4s, {n}.4h, {m}.h[{rng.randint(0, 7)}]"
    if kind < 0.7:
        return f"{rng.choice(('smlal2', 'umull2', 'usubl2', 'sabdl2'))} {d}.4s, {n}.8h, {m}.8h"
    if kind < 0.8:
        return f"{rng.choice(('ssra', 'ursra', 'sri', 'sli', 'shl', 'sqshlu'))} {d}.8h, {n}.8h, #{rng.randint(1, 15)}"
    if kind < 0.87:
        return f"{rng.choice(('sqxtn2', 'uqxtn2', 'xtn2', 'sqxtun2'))} {d}.16b, {n}.8h"
    if kind < 0.93:
        return rng.choice((f"dup {d}.4s, {n}.s[{rng.randint(0, 3)}]",
                           f"ins {d}.h[{rng.randint(0, 7)}], w{rng.randint(4, 6)}",
                           f"mov {d}.16b, {n}.16b", f"umov w{rng.randint(6, 8)}, {n}.b[{rng.randint(0, 15)}]",
                           f"ext {d}.16b, {n}.16b, {m}.16b, #{rng.randint(0, 15)}", f"addv h{d[1:]}, {n}.8h"))
    a, b, c = (f"x{rng.randint(4, 8)}" for _ in range(3))
    return rng.choice((f"add {a}, {b}, {c}, lsl #{rng.randint(0, 9)}", f"subs {a}, {b}, #{rng.randint(0, 99)}",
                       f"adc {a}, {b}, {c}", f"csel {a}, {b}, {c}, {rng.choice(('lo', 'ge', 'ne'))}",
                       f"mul {a}, {b}, {c}", f"bfi {a}, {b}, #3, #7", f"ands {a}, {b}, {c}"))


PAIRS = ("fadd", "fsub", "fmul", "fmla", "fmls", "fmulx", "fdiv", "fmax", "fmin", "fmaxnm", "fminnm", "fabd", "faddp",
         "fmaxp", "fminnmp", "frecps", "frsqrts", "fcmeq", "fcmge", "facgt")
ALONE = ("fabs", "fneg", "fsqrt", "frintn", "frinta", "frintm", "frintx", "fcvtzs", "fcvtnu", "fcvtas", "scvtf",
         "ucvtf", "frecpe", "frsqrte")


def random_float_line(rng: random.Random) -> str:
    d, n, m = (rng.choice((0, 1, 2, 3, 4, 6)) for _ in range(3))
    t, e = rng.choice((("4s", "s"), ("2s", "s"), ("2d", "d"), ("8h", "h"), ("4h", "h")))
    kind = rng.random()
    if kind < 0.35:
        return f"{rng.choice(PAIRS)} v{d}.{t}, v{n}.{t}, v{m}.{t}"
    if kind < 0.5:
        return f"{rng.choice(('fmul', 'fmla', 'fmls', 'fmulx'))} v{d}.{t}, v{n}.{t}, v{m}.{e}[{rng.randint(0, 1)}]"
    if kind < 0.7:
        return f"{rng.choice(ALONE)} v{d}.{t}, v{n}.{t}"
    if kind < 0.76:
        return f"{rng.choice(('fmadd', 'fmsub', 'fnmadd', 'fnmsub'))} {e}{d}, {e}{n}, {e}{m}, {e}{rng.randint(0, 3)}"
    if kind < 0.9:
        return rng.choice((f"fcvtl v{d}.4s, v{n}.4h", f"fcvtn v{d}.2s, v{n}.2d", f"fcvtn2 v{d}.8h, v{n}.4s",
                           f"fcvtxn v{d}.2s, v{n}.2d", f"fcmla v{d}.4s, v{n}.4s, v{m}.4s, #90",
                           f"fmlal v{d}.4s, v{n}.4h, v{m}.4h", f"fmaxv s{d}, v{n}.4s", f"faddp d{d}, v{n}.2d",
                           f"ucvtf v{d}.4s, v{n}.4s, #{rng.randint(1, 32)}", f"fmov v{d}.4s, #-2.5",
                           f"fcsel {e}{d}, {e}{n}, {e}{m}, ge", f"fcmp {e}{n}, {e}{m}", f"fccmp s{n}, s{m}, #3, ne"))
    return random_line(rng)


@pytest.mark.parametrize("line", [random_line, random_float_line])
@pytest.mark.parametrize("seed", every(20, range(60)))
def test_random_programs(seed: int, line: Callable[[random.Random], str]) -> None:
    """What one instruction leaves in its own element type, varying its own way, the next one takes in another."""
    rng = random.Random(seed)
    lines = "\n".join(line(rng) for _ in range(40))
    text = f"{LOAD}mov x6, #5\nmov x7, x0\nmov x8, x2\nmov x9, #2\n0:\n{lines}\nsub x9, x9, #1\ncbnz x9, 0b\n{STORE}ret"
    assert isinstance(agree("aarch64", text, shape=SHAPES[seed % len(SHAPES)], seed=seed)[0], int)


# ---- by default -----------------------------------------------------------------------------------------------------

def test_default_translates_what_is_run_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is written for a block that runs once; a loop is, and gives the same."""
    wrote: list[int] = []
    whole = NumpyTranslation._write

    def write(self: NumpyTranslation, block: Any, kinds: Any) -> Any:
        wrote.append(block.first)
        return whole(self, block, kinds)

    monkeypatch.setattr(NumpyTranslation, "_write", write)
    once = "add x0, x0, x4\nadd v0.16b, v0.16b, v1.16b\nret"
    assert outcome("aarch64", once, None) == outcome("aarch64", once, "interpreter")
    assert not wrote
    assert outcome("aarch64", PROGRAMS["loop"], None) == outcome("aarch64", PROGRAMS["loop"], "interpreter")
    assert wrote


def test_trace_and_sanitizer_are_the_interpreters() -> None:
    machine = ns.Machine()
    program = ns.assemble("add x0, x0, #1\nret", isa="aarch64")
    done = machine.call(program, np.arange(12).reshape(3, 4), tiles=GRID)
    assert done.trace is not None and done.trace.steps == 2
    with pytest.raises(ns.NeonsimError, match='engine="interpreter"'):
        machine.call(program, np.arange(12).reshape(3, 4), tiles=GRID, trace=True, engine="numpy")
