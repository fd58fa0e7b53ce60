"""Right already, and too slow: chains of dependence, order of instructions, a better instruction."""

from __future__ import annotations

import numpy as np

from neonsim.learn.course.define import define
from neonsim.learn.course.grading.cost import loop_cycles
from neonsim.learn.course.program_exercise import Answers, Limits
from neonsim.ukernel import Case, kernel
from neonsim.ukernel.contract import Array

__all__ = ["TASKS"]

DEPTH = 256  # of the product that beat-dual-issue is timed with
DUAL_ISSUE = "qu8_gemm_xzp_q31_4x8c2__aarch32_neon_mull_padal"


def _break_the_chain(n: int, x: Array, y: Array) -> None:
    """Add up a vector of words.

    y[0] <- sum over i of x[i]     (wraps at 32 bits)

    n   size        a multiple of 16, >= 16
    x   int32 [n]
    y   int32 [1]   written
    """
    y[0] = x.sum(dtype=np.int32)


def _one_of_two(n: int, x: Array, y: Array) -> None:
    y[0] = x.reshape(-1, 2, 4)[:, 0].sum(dtype=np.int32)


def _one_of_four(n: int, x: Array, y: Array) -> None:
    y[0] = x.reshape(-1, 4, 4)[:, 0].sum(dtype=np.int32)


def _pass_it_on(n: int, x: Array, y: Array) -> None:
    """Add up squares, four sums side by side.

    y[l] <- sum over k of x[k][l] * x[k][l]     (wraps at 32 bits)

    n   size           groups of four, >= 2
    x   int16 [n, 4]
    y   int32 [4]      written
    """
    y[...] = (x.astype(np.int64) ** 2).sum(axis=0).astype(np.int32)


def _first_only(n: int, x: Array, y: Array) -> None:
    y[...] = (x[:-1].astype(np.int64) ** 2).sum(axis=0).astype(np.int32)


def _schedule_for_a53(n: int, a: Array, b: Array, y: Array) -> None:
    """Multiply two vectors element by element and add up the products.

    y[0] <- sum over i of a[i] * b[i]     (sums wrap at 32 bits)

    n      size         a multiple of 32, >= 32
    a, b   int16 [n]
    y      int32 [1]    written
    """
    y[0] = np.array(a.astype(np.int64) @ b.astype(np.int64)).astype(np.int32)


def _low_halves(n: int, a: Array, b: Array, y: Array) -> None:
    keep = np.arange(n) % 8 < 4
    y[0] = np.array(a[keep].astype(np.int64) @ b[keep].astype(np.int64)).astype(np.int32)


def _mixed(n: int, a: Array, b: Array, y: Array) -> None:
    keep = np.arange(n) % 32 < 24
    y[0] = np.array(a[keep].astype(np.int64) @ b[keep].astype(np.int64)).astype(np.int32)


def _beat_dual_issue(k: int, a: Array, w: Array, c: Array) -> None:
    """Multiply four rows of bytes by eight columns, bytes as they are.

    c[i, j] <- sum over k of a[i, k] * w[k / 4, j, k mod 4]

    k   size                depth, a multiple of 16, >= 16
    a   uint8 [4, k]        four rows, one behind the other
    w   uint8 [k/4, 8, 4]   four depths of column 0, four depths of column 1, ... column 7; the next four depths
    c   int32 [4, 8]        written
    """
    c[...] = a.astype(np.int32) @ w.astype(np.int32).transpose(0, 2, 1).reshape(k, 8)


def _signed_bytes(k: int, a: Array, w: Array, c: Array) -> None:
    c[...] = a.view(np.int8).astype(np.int32) @ w.view(np.int8).astype(np.int32).transpose(0, 2, 1).reshape(k, 8)


def _columns_twice(k: int, a: Array, w: Array, c: Array) -> None:
    full = a.astype(np.int32) @ w.astype(np.int32).transpose(0, 2, 1).reshape(k, 8)
    c[...] = full[:, [0, 1, 2, 3, 0, 1, 2, 3]]


def _one_group(k: int, a: Array, w: Array, c: Array) -> None:
    first = np.arange(k) % 16 < 4
    c[...] = a[:, first].astype(np.int32) @ w.astype(np.int32).transpose(0, 2, 1).reshape(k, 8)[first]


SQUARES = """
        movi    v0.4s, #0
0:
        ldr     d1, [x1], #8
        smull   v2.4s, v1.4h, v1.4h
        add     v0.4s, v0.4s, v2.4s
        subs    x0, x0, #1
        b.ne    0b
        str     q0, [x2]
"""
CHAIN = """
        movi    v0.4s, #0
0:
        ldr     q1, [x1], #16
        add     v0.4s, v0.4s, v1.4s
        subs    x0, x0, #4
        b.ne    0b
        addv    s0, v0.4s
        str     s0, [x2]
"""
CHAIN_32 = """
        vmov.i32    q0, #0
0:
        vld1.32     {q1}, [r1]!
        vadd.i32    q0, q0, q1
        subs        r0, r0, #4
        bne         0b
        vadd.i32    d0, d0, d1
        vpadd.i32   d0, d0, d0
        vst1.32     {d0[0]}, [r2]
"""
UNSCHEDULED = """
        movi    v0.4s, #0
0:
        ldr     q2, [x1], #16
        ldr     q3, [x2], #16
        smlal   v0.4s, v2.4h, v3.4h
        smlal2  v0.4s, v2.8h, v3.8h
        ldr     q2, [x1], #16
        ldr     q3, [x2], #16
        smlal   v0.4s, v2.4h, v3.4h
        smlal2  v0.4s, v2.8h, v3.8h
        ldr     q2, [x1], #16
        ldr     q3, [x2], #16
        smlal   v0.4s, v2.4h, v3.4h
        smlal2  v0.4s, v2.8h, v3.8h
        ldr     q2, [x1], #16
        ldr     q3, [x2], #16
        smlal   v0.4s, v2.4h, v3.4h
        smlal2  v0.4s, v2.8h, v3.8h
        subs    x0, x0, #32
        b.ne    0b
        addv    s0, v0.4s
        str     s0, [x3]
"""


def _loop_alone(case: Case) -> int:
    return loop_cycles(kernel(DUAL_ISSUE), "cortex-a75", case.number("k") // 8) - 1


TASKS = (
    define(
        "break-the-chain", "several sums at once",
        prototype="void break_the_chain(size_t n, const int32_t x[n], int32_t y[1])",
        definition=_break_the_chain,
        story="""
The text you start from is right. Each ADD waits for the one before it: three cycles on a Cortex-A72, whatever else
is free. Sums may be made in any order, so make several of them and add them up at the end.""",
        sizes={"n": range(16, 2049, 16)}, timed={"n": 1024},
        limits=Limits(core="cortex-a72", start_share=0.5),
        start={"aarch64": CHAIN, "aarch32": CHAIN_32},
        hints=(
            "Look at the chain: time(trace, core=\"cortex-a72\").path_report(), or the pipeline pane of the stepper.",
            "Sixteen words an iteration: four loads, four registers of sums.",
            "Unrolling alone changes nothing: four ADDs to the same register wait for each other as before.",
        ),
        mistakes=(
            (_one_of_two, "Every other vector is missing in the sum: is a register of sums left out at the end?"),
            (_one_of_four, "Three of four vectors are missing in the sum: add all registers of sums at the end."),
        ),
        lessons=True,
        answers=Answers(
            wrong={
                "aarch64": (
                    ("        add     v0.4s, v0.4s, v2.4s\n", "", "y[0] should be"),
                    ("add     v1.4s, v1.4s, v5.4s\n        add     v2.4s, v2.4s, v6.4s\n"
                     "        add     v3.4s, v3.4s, v7.4s",
                     "add     v0.4s, v0.4s, v5.4s\n        add     v0.4s, v0.4s, v6.4s\n"
                     "        add     v0.4s, v0.4s, v7.4s",
                     "but not fast enough"),
                    ("        add     v0.4s, v0.4s, v1.4s\n        add     v2.4s, v2.4s, v3.4s\n"
                     "        add     v0.4s, v0.4s, v2.4s\n",
                     "",
                     "Three of four vectors are missing"),
                    ("        movi    v3.4s, #0\n", "", "uninitialized"),
                    ("subs    x0, x0, #16", "subs    x0, x0, #32", "past its end"),
                ),
                "aarch32": (
                    ("        vadd.i32    q0, q0, q2\n", "", "y[0] should be"),
                    ("vadd.i32    q1, q1, q9\n        vadd.i32    q2, q2, q10\n        vadd.i32    q3, q3, q11",
                     "vadd.i32    q0, q0, q9\n        vadd.i32    q0, q0, q10\n        vadd.i32    q0, q0, q11",
                     "but not fast enough"),
                    ("        vadd.i32    q0, q0, q1\n        vadd.i32    q2, q2, q3\n"
                     "        vadd.i32    q0, q0, q2\n",
                     "",
                     "Three of four vectors are missing"),
                ),
            },
        ),
    ),
    define(
        "pass-it-on", "a sum that is handed on",
        prototype="void pass_it_on(size_t n, const int16_t x[n][4], int32_t y[4])",
        definition=_pass_it_on,
        story="""
The text you start from is right. On the Cortex-A53 all of it waits: the product for its factors, the sum for the
product, and the next load, which waits for no result, behind both. A product is handed to a sum sooner than to
any other instruction, if one instruction does both. A loop of one group an iteration is enough.""",
        sizes={"n": range(2, 513)}, timed={"n": 256},
        limits=Limits(core="cortex-a53", start_share=0.5),
        start={"aarch64": SQUARES},
        hints=(
            "Which instruction multiplies and adds? It needs the sum last of all.",
            "Then it waits for the load alone: what if each iteration multiplies what the one before has loaded?",
            "One group is loaded before the loop, and one is multiplied behind it; a load must not go past the end.",
        ),
        mistakes=(
            (_first_only, "The last group is missing: the last iteration loads it; behind the loop it is multiplied."),
        ),
        lessons=True,
        answers=Answers(
            wrong={
                "aarch64": (
                    ("b.hs    0b\n        smlal   v0.4s, v1.4h, v1.4h\n", "b.hs    0b\n", "The last group is missing"),
                    ("        movi    v0.4s, #0\n", "", "uninitialized"),
                    ("0:\n        smlal   v0.4s, v1.4h, v1.4h", "0:\n        smull   v0.4s, v1.4h, v1.4h",
                     "y[0] should be"),
                    ("0:\n        smlal   v0.4s, v1.4h, v1.4h",
                     "0:\n        smull   v2.4s, v1.4h, v1.4h\n        add     v0.4s, v0.4s, v2.4s",
                     "but not fast enough"),
                    ("subs    x0, x0, #2", "subs    x0, x0, #1", "past its end"),
                ),
            },
        ),
    ),
    define(
        "schedule-for-a53", "an in-order core waits for every load",
        prototype="void schedule_for_a53(size_t n, const int16_t a[n], const int16_t b[n], int32_t y[1])",
        definition=_schedule_for_a53,
        story="""
The text you start from is right. The Cortex-A53 issues instructions in their order: SMLAL right behind its load
waits for it, and everything behind SMLAL waits too. Spread the loads: use other registers, load early, multiply
late, fill every gap with something that is ready.""",
        sizes={"n": range(32, 2049, 32)}, timed={"n": 1024},
        limits=Limits(core="cortex-a53", start_share=0.8),
        start={"aarch64": UNSCHEDULED},
        hints=(
            "time(trace, core=\"cortex-a53\") says what the lost slots were lost to: \"operand: load\" is the "
            "waiting.",
            "Eight registers for the loads of one iteration, so that none waits for another's use.",
            "Two sums, one for SMLAL and one for SMLAL2, so that neighbours do not wait for each other. Three loads "
            "first, then alternate multiplies and loads.",
        ),
        mistakes=(
            (_low_halves, "Only lanes 0..3 of every eight were multiplied: is the second sum added at the end?"),
            (_mixed, "The last eight products of every 32 are missing."),
        ),
        lessons=True,
        answers=Answers(
            wrong={
                "aarch64": (
                    ("        add     v0.4s, v0.4s, v1.4s\n", "", "is the second sum added"),
                    ("        smlal   v0.4s, v16.4h, v17.4h\n        smlal2  v1.4s, v16.8h, v17.8h\n",
                     "",
                     "The last eight products of every 32"),
                    ("ldr     q3, [x2]\n        ldr     q4", "ldr     q3, [x1]\n        ldr     q4", "y[0] should be"),
                    ("smlal2  v1.4s, v2.8h, v3.8h", "smlal2  v1.4s, v2.8h, v2.8h", "y[0] should be"),
                    ("        movi    v1.4s, #0\n", "", "uninitialized"),
                ),
            },
        ),
    ),
    define(
        "beat-dual-issue", "a better instruction",
        prototype="void beat_dual_issue(size_t k, const uint8_t a[4][k], const uint8_t w[k/4][8][4], int32_t c[4][8])",
        definition=_beat_dual_issue,
        story=f"""
The dual-issue kernel of the articles ({DUAL_ISSUE}) multiplies raw bytes with VMULL.U8 and adds pairs with
VPADAL.U16, alternately, so that two units work at once. The Cortex-A75 has something it could not know: UDOT
multiplies sixteen bytes and adds groups of four products to four 32-bit lanes, in one instruction. The weights are
packed for it, four depths of a column side by side.""",
        sizes={"k": range(16, 513, 16)}, timed={"k": DEPTH},
        limits=Limits(core="cortex-a75", cycles=_loop_alone,
                      words="fewer than the main loop of the dual-issue kernel takes by itself"),
        start=("aarch64",),
        hints=(
            "Eight registers of sums: two for each row, four columns each. They fit easily.",
            "UDOT v16.4s, v4.16b, v0.4b[0]: the four depths in group 0 of v0 (a row), times those of four columns "
            "in v4.",
            "Sixteen depths an iteration: four registers of a (one per row), eight of w, 32 UDOT: for group g the "
            "columns are in registers 2g and 2g + 1.",
            "ld1 {v4.16b, v5.16b, v6.16b, v7.16b}, [x2], #64 loads eight depths of all columns.",
        ),
        mistakes=(
            (_signed_bytes, "The bytes were taken as signed: this is SDOT. They are unsigned: UDOT."),
            (_columns_twice, "Columns 4..7 got the sums of columns 0..3."),
            (_one_group, "Only the first four of every sixteen depths are in the sums: .4b[0] to .4b[3]."),
        ),
        lessons=True,
        answers=Answers(
            wrong={
                "aarch64": (
                    ("udot", "sdot", "this is SDOT"),
                    ("\\upper\\().16b", "\\lower\\().16b", "Columns 4..7 got the sums"),
                    ("        four_depths 1, v6, v7\n        four_depths 2, v24, v25\n"
                     "        four_depths 3, v26, v27\n",
                     "",
                     "Only the first four of every sixteen"),
                    ("stp     q22, q23, [x3, #96]", "stp     q22, q23, [x3, #112]", "outside"),
                    ("        movi    v23.4s, #0\n", "", "uninitialized"),
                ),
            },
        ),
    ),
)
