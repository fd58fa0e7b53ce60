"""Instructions of floats one after another, which generated C computes together where the host's results will do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from neonsim.arm.asm import assemble
from neonsim.arm.machine import Grid, Machine, compiler, translate_c

# Chains, registers that are written twice, elements, every word that the host has, two runs with a load between.
LINES = """
        fmla    v16.4s, v0.4s, v1.4s
        fmul    v17.4s, v16.4s, v2.4s
        fmls    v16.4s, v17.4s, v3.s[1]
        fadd    v18.4s, v16.4s, v17.4s
        fadd    v18.4s, v18.4s, v0.4s
        fdiv    v19.4s, v18.4s, v1.4s
        fsqrt   v20.4s, v19.4s
        fmulx   v21.4s, v20.4s, v2.4s
        fsub    v22.4s, v21.4s, v3.4s
        fmla    v22.4s, v0.4s, v3.s[3]
        ldr     q0, [x0, #16]
        fmul    v23.4s, v0.4s, v1.4s
        fmul    v23.4s, v23.4s, v1.4s
        fmul    v24.4s, v23.4s, v1.4s
        fadd    v25.4s, v24.4s, v2.4s
"""
PROGRAM = "msr fpsr, x2\nmsr fpcr, x3\n" + "".join(
    f"ldr q{i}, [x0, #{16 * i}]\n" for i in range(4)) + "mov v16.16b, v3.16b\n" + LINES + "".join(
    f"str q{16 + i}, [x1, #{16 * i}]\n" for i in range(10)) + "mrs x0, fpsr\nstr x0, [x1, #160]\nret"
SPECIAL = np.array([0, 0x80000000, 1, 0x007FFFFF, 0x00800000, 0x80800000, 0x00800001, 0x7F7FFFFF, 0x7F800000,
                    0xFF800000, 0x7FC00001, 0x7F800001, 0xFFC12345, 0x3F800000, 0x34000000, 0x1FFFFFFF], np.uint32)


def values(tiles: int, seed: int) -> np.ndarray[Any, Any]:
    """Tiles of ordinary numbers, in most of which nothing happens, in others one lane, in others everything."""
    random = np.random.default_rng(seed)
    found = random.uniform(0.5, 2, (tiles, 16)).astype(np.float32).view(np.uint32)
    for tile in range(tiles // 4, tiles):
        count = int(random.integers(1, 3)) if tile < tiles * 3 // 4 else 16
        where = random.choice(16, count, replace=False)
        found[tile, where] = random.choice(SPECIAL, count)
        if tile % 3 == 0:
            found[tile, where] += random.integers(-2, 3, count).astype(np.uint32)
    return found


def outcome(engine: str, data: np.ndarray[Any, Any], fpsr: int, fpcr: int) -> np.ndarray[Any, Any]:
    machine, side = Machine("aarch64"), int(len(data) ** 0.5)
    each = np.arange(side * side).reshape(side, side)
    source = machine.memory.place(data) + each * 64
    out = machine.memory.place(np.zeros((len(data), 168), np.uint8))
    machine.call(assemble(PROGRAM, "aarch64"), source, out + each * 168, fpsr, fpcr, tiles=Grid(side, side),
                 trace=False, engine=engine)
    return np.frombuffer(machine.memory.peek(out, 168 * len(data)), np.uint8).reshape(-1, 168)


def compare(tiles: int, rules: list[int], seed: int) -> None:
    for fpcr in rules:
        for fpsr in (0, 0x10):
            data = values(tiles, seed)
            compiled, plain = (outcome(engine, data, fpsr, fpcr) for engine in ("compiled", "interpreter"))
            assert np.array_equal(compiled, plain), (fpcr, fpsr)
            seed += 1


def test_the_runs_are_there() -> None:
    text = translate_c(assemble(PROGRAM, "aarch64")).text
    assert text.count("if (ALL_NOTED32(noted0, noted1))") == 2
    assert text.count("on_host_v23 = (u8x16)host") == 2
    assert "(u32x4)on_host_v23" in text


@pytest.mark.skipif(compiler() is None, reason="no C compiler")
def test_as_without_them() -> None:
    """Bytes and exceptions are those of the interpreter, which is judged by QEMU."""
    compare(64, [0, 1 << 24], 1)


@pytest.mark.nightly
@pytest.mark.skipif(compiler() is None, reason="no C compiler")
def test_by_every_rule() -> None:
    compare(4096, [rounding << 22 | flush << 24 | default << 25 for rounding in range(4) for flush in (0, 1)
                   for default in (0, 1)], 100)


@pytest.mark.skipif(compiler() is None, reason="no C compiler")
def test_rounded_up_to_the_smallest_normal_number() -> None:
    """2**-63 (1 - 2**-24) times 2**-63: tiny before it is rounded, which Arm asks, and a normal number then."""
    data = np.full((4, 16), 0x3F800000, np.uint32)
    data[:, 13] = 0x3F000000  # 0.5: no difference is zero
    data[2, [0, 8, 12]] = 0, 0x20000000, 0x1FFFFFFF
    found = outcome("compiled", data, 0x10, 0)
    assert found[2, 16:20].view(np.uint32)[0] == 0x00800000
    assert [int(row[160]) for row in found] == [16, 16, 24, 16]
    assert np.array_equal(found, outcome("interpreter", data, 0x10, 0))
