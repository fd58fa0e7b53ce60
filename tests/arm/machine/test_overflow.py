"""Lanes that wrapped, saturated or lost bits: against exact integers, and where nothing is to be said."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import neonsim as ns

A, B = np.array([200, 100, 3, 255, 0, 128, 127, 1], np.uint8), np.array([100, 27, 4, 1, 0, 128, 1, 255], np.uint8)


def run(isa: str, body: str, **options: Any) -> Any:
    machine = ns.Machine(isa)
    a, b = (machine.memory.place(data, name) for data, name in ((A, "a"), (B, "b")))
    junk = machine.memory.alloc(64, "junk")
    head, end = (("ldr d0, [x0]; ldr d1, [x1]", "ret") if isa == "aarch64" else
                 ("vld1.8 {d0}, [r0]; vld1.8 {d1}, [r1]", "bx lr"))
    return machine.call(ns.assemble(f"{head}; {body}; {end}", isa=isa), a, b, junk, trace=True, **options).trace.wraps()


def told(isa: str, body: str) -> list[tuple[Any, ...]]:
    return [(one.effect, one.type, one.lane, one.exact, one.value) for one in run(isa, body).rows]


ROWS = [  # A64, A32, (what, type, first lane, exact, value) ...
    ("add v2.8b, v0.8b, v1.8b", "vadd.i8 d2, d0, d1", [("wrapped", "u8", 0, 300, 44), ("wrapped", "s8", 5, -256, 0)]),
    ("sub v2.8b, v0.8b, v1.8b", "vsub.i8 d2, d0, d1", [("wrapped", "u8", 2, -1, 255), ("wrapped", "s8", 0, -156, 100)]),
    ("mul v2.4h, v0.4h, v1.4h", "vmul.i16 d2, d0, d1", [
        ("wrapped", "u16", 0, 25800 * 7012, 25800 * 7012 % 65536),
        ("wrapped", "s16", 0, 25800 * 7012, (25800 * 7012 + 32768) % 65536 - 32768)]),
    ("uqadd v2.8b, v0.8b, v1.8b", "vqadd.u8 d2, d0, d1", [("saturated", "u8", 0, None, 255)]),
    ("sqadd v2.8b, v0.8b, v1.8b", "vqadd.s8 d2, d0, d1", [("saturated", "s8", 5, None, -128)]),
    ("uqsub v2.8b, v0.8b, v1.8b", "vqsub.u8 d2, d0, d1", [("saturated", "u8", 2, None, 0)]),
    ("sqxtun v2.8b, v0.8h", "vmov.i8 d1, #0; vqmovun.s16 d2, q0", [("saturated", "u8", 0, None, 255)]),
    ("xtn v2.8b, v0.8h", "vmov.i8 d1, #0; vmovn.i16 d2, q0", [
        ("lost bits", "u8", 0, 25800, 200), ("lost bits", "s8", 0, 25800, -56)]),
    ("shl v2.8b, v0.8b, #1", "vshl.i8 d2, d0, #1", [
        ("lost bits", "u8", 0, 400, 144), ("lost bits", "s8", 1, 200, -56)]),
    ("neg v2.8b, v0.8b", "vneg.s8 d2, d0", [("wrapped", "s8", 5, 128, -128)]),
    ("movi v2.8h, #255, lsl #8; umlal v2.8h, v0.8b, v1.8b", "vmov.i16 q1, #0xff00; vmlal.u8 q1, d0, d1",
     [("wrapped", "u16", 0, 65280 + 20000, 19744)]),
    ("movi v2.4h, #255, lsl #8; uadalp v2.4h, v0.8b", "vmov.i16 d2, #0xff00; vpadal.u8 d2, d0",
     [("wrapped", "u16", 0, 65580, 44)]),
    ("mvni v2.2s, #0; udot v2.2s, v0.8b, v1.8b", "vmvn.i32 d2, #0; vudot.u8 d2, d0, d1",
     [("wrapped", "u32", 0, 2**32 - 1 + 20000 + 2700 + 12 + 255, 22966)]),
    ("addp v2.8b, v0.8b, v1.8b", "vpadd.i8 d2, d0, d1", [
        ("wrapped", "u8", 0, 300, 44), ("wrapped", "s8", 3, 128, -128)]),
    # Nothing to say: wider results, halves by design, logic, comparisons, shifts to the right.
    ("uaddl v2.8h, v0.8b, v1.8b; umull v3.8h, v0.8b, v1.8b; uhadd v4.8b, v0.8b, v1.8b; uabd v5.8b, v0.8b, v1.8b; "
     "cmhi v6.8b, v0.8b, v1.8b; orn v7.8b, v0.8b, v1.8b; ushr v16.8b, v0.8b, #3; addhn v17.8b, v0.8h, v1.8h",
     "vaddl.u8 q1, d0, d1; vmull.u8 q8, d0, d1; vhadd.u8 d4, d0, d1; vabd.u8 d5, d0, d1; vcgt.u8 d6, d0, d1; "
     "vorn d7, d0, d1; vshr.u8 d6, d0, #3; vaddhn.i16 d6, q0, q0", []),
]


@pytest.mark.parametrize(("a64", "a32", "rows"), ROWS, ids=[row[0][:30] for row in ROWS])
def test_what_lanes_do(a64: str, a32: str, rows: list[tuple[Any, ...]]) -> None:
    for isa, body in (("aarch64", a64), ("aarch32", a32)):
        assert told(isa, body) == rows, isa


def test_first_steps_and_how_often() -> None:
    body = "movi v2.8b, #100; mov x5, #3; 1: add v2.8b, v2.8b, v1.8b; subs x5, x5, #1; b.ne 1b"
    unsigned, signed = run("aarch64", body).rows
    assert (unsigned.steps, unsigned.executions, unsigned.first, unsigned.lane) == (3, 3, 4, 7)
    assert str(unsigned).startswith("line 1, add v2.8b, v2.8b, v1.8b: wrapped as u8 in 3 of 3 steps, first in step 5, ")
    assert signed.type == "s8"
    assert str(run("aarch64", "nop")) == "no lane wrapped, saturated or lost bits"


def test_what_nobody_has_written_does_not_count() -> None:
    assert not run("aarch64", "ldr q3, [x2]; add v3.16b, v3.16b, v3.16b; add v4.8b, v20.8b, v21.8b").rows
    mixed = run("aarch64", "ldr q3, [x2]; ins v3.b[2], v0.b[0]; sqadd v3.16b, v3.16b, v3.16b; uqadd v3.16b, v3.16b, "
                           "v3.16b").rows
    assert [(one.instruction[:5], one.lane) for one in mixed] == [("uqadd", 2)]


def test_against_exact_integers() -> None:
    """Every pair of bytes, added, subtracted and multiplied."""
    machine = ns.Machine()
    x, y = (np.repeat(np.arange(256, dtype=np.uint8), 256), np.tile(np.arange(256, dtype=np.uint8), 256))
    pick = np.random.default_rng(0).integers(0, 65536, 1024)
    x, y = x[pick], y[pick]
    a, b = machine.memory.place(x, "a"), machine.memory.place(y, "b")
    text = ("mov x5, #64; 1: ldr q0, [x0], #16; ldr q1, [x1], #16; add v2.16b, v0.16b, v1.16b; sub v3.16b, v0.16b, "
            "v1.16b; mul v4.16b, v0.16b, v1.16b; sqsub v5.16b, v0.16b, v1.16b; subs x5, x5, #1; b.ne 1b; ret")
    rows = {(one.instruction.split()[0], one.type): one.steps for one in machine.call(
        ns.assemble(text, "aarch64"), a, b, trace=True).trace.wraps().rows}
    for name, function in (("add", np.add), ("sub", np.subtract), ("mul", np.multiply), ("sqsub", np.subtract)):
        for kind in ("u8", "s8") if name != "sqsub" else ("s8",):
            exact = function(*(np.frombuffer(v.tobytes(), f"{'u' if kind[0] == 'u' else 'i'}1").astype(int)
                               for v in (x, y)))
            low, high = (0, 255) if kind == "u8" else (-128, 127)
            steps = int(((exact < low) | (exact > high)).reshape(64, 16).any(axis=1).sum())
            assert rows[name, kind] == steps, (name, kind)
