"""What a function takes, from C, from an object's debug information and from a contract: arguments become that."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim.arm.asm.c import compile
from neonsim.errors import AbiViolation, BadArgument, UninitialisedRead
from tests.tiers import every

C = """#include <stdint.h>
typedef const float *Reals;
void scale(float *y, Reals x, float a, int n) { for (int i = 0; i < n; i++) y[i] = x[i] * a; }
double mixed(float a, double b, int8_t c, long long d, _Bool e, enum {ONE} f) { return a + b + c + d + e + f; }
typedef struct { int a, b, c; } Three;
int whole(Three s, float x) { return s.a + (int)x; }
"""
FOUND = [(isa, name) for isa in ("aarch64", "aarch32") for name in compile.compilers(isa)]
every_compiler = pytest.mark.parametrize(("isa", "compiler"), FOUND or [pytest.param("", "", marks=pytest.mark.skip(
    "no cross compiler: make system-packages"))])


@every_compiler
def test_a_call_of_c_converts(isa: str, compiler: str) -> None:
    program = ns.load_c(C, isa, compiler=compiler)
    machine = ns.Machine(isa)
    x, y = machine.memory.place(np.arange(5, dtype=np.float32)), machine.memory.alloc("f32*5", "y")
    for a in (1.5, np.float64(1.5), np.float16(1.5)):
        machine.call(program, y, x, a, 5, entry="scale")
        assert machine.memory.fetch("y").tolist() == [0, 1.5, 3, 4.5, 6]
    machine.call(program, y, x, 2, np.uint8(5), entry="scale")
    assert machine.memory.fetch("y").tolist() == [0, 2, 4, 6, 8]
    assert machine.call(program, 1.5, np.float32(2.25), -3, 1 << 40, 7, 0, entry="mixed").returned_float == (
        1.5 + 2.25 - 3 + (1 << 40) + 1)
    assert {one.name for one in program.prototypes} == {"scale", "mixed", "whole"}
    both = ns.link(program, ns.assemble(".global g\ng: nop", isa=isa))
    machine.call(both, y, x, 3.0, 5, entry="scale")
    assert machine.memory.fetch("y").tolist() == [0, 3, 6, 9, 12]


@every_compiler
@pytest.mark.parametrize(("arguments", "words"), every(2, [
    ((1.0, 0, 1.5, 5), r"argument 0 of scale, `float \*y`, is 1.0; it must be an address"),
    ((0, 0, 1.5, 5.0), r"argument 3 of scale, `int n`, is 5.0; it must be an integer"),
    ((0, 0, 1e60, 5), r"argument 2 of scale, `float a`, is 1e\+60, which does not fit"),
    ((0, 0, 10 ** 400, 5), "that does not fit"),
    ((0, 0, 1.5, 1 << 32), r"`int n`, is 4294967296, which does not fit 32 bits")]), ids=str)
def test_a_wrong_kind_is_refused(isa: str, compiler: str, arguments: Any, words: str) -> None:
    with pytest.raises(BadArgument, match=words):
        ns.Machine(isa).call(ns.load_c(C, isa, compiler=compiler, options=["-O1"]), *arguments, entry="scale")


@every_compiler
def test_an_object_says_it_too(isa: str, compiler: str) -> None:
    data = compile._compiled(C.encode(), C, "cell.c", isa, ["-O0"], [], compiler)
    machine = ns.Machine(isa)
    x, y = machine.memory.place(np.arange(5, dtype=np.float32)), machine.memory.alloc("f32*5", "y")
    machine.call(ns.load_object(data), y, x, 1.5, 5, entry="scale")
    assert machine.memory.fetch("y").tolist() == [0, 1.5, 3, 4.5, 6]


@every_compiler
def test_what_takes_several_registers_is_the_callers_business(isa: str, compiler: str) -> None:
    values = (5 | 6 << 32, 7) if isa == "aarch64" else (5, 6, 7)
    program = ns.load_c(C, isa, compiler=compiler)
    assert ns.Machine(isa).call(program, *values, np.float32(2.5), entry="whole").returned == 7


def test_a_kernel_takes_what_its_contract_says(tmp_path: Path) -> None:
    kernel = ns.kernel("qu8_sumrows_4x__aarch64_neon")
    with pytest.raises(BadArgument, match=r"argument 1 of \w+, `size_t m`, is 1.0; it must be an integer"):
        ns.Machine().call(kernel.program(), 0, 1.0)
    (said,) = kernel.program().prototypes
    assert [one.name for one in said.parameters] == [one.name for one in kernel.contract.arguments]


@pytest.mark.parametrize("isa", ["aarch64", "aarch32"])
def test_a_float_at_speed(isa: str) -> None:
    """A loop, which would otherwise go over to translated code, reads half of a double at last."""
    loop, read, end = (("mov x5, #900; 1: subs x5, x5, #1; b.ne 1b", "fadd s1, s0, s0", "ret") if isa == "aarch64" else
                       ("mov r12, #900; 1: subs r12, r12, #1; bne 1b", "vadd.f32 s4, s0, s0", "bx lr"))
    program = ns.assemble(f"{loop}; {read}; {end}", isa=isa)
    for argument in (1.5, np.float64(1.5)):
        with pytest.raises(AbiViolation, match="half of an argument"):
            ns.Machine(isa).call(program, argument)
    assert ns.Machine(isa).call(program, np.float32(1.5)).steps > 1800
    assert ns.Machine(isa).call(program, 1.5, sanitize=False).steps > 1800


def test_numbers_of_half_precision_and_what_is_above_a_float() -> None:
    machine = ns.Machine()
    machine.start(ns.assemble("str h0, [x0]; str s1, [x0, #4]; str q1, [x0]; ret", "aarch64"),
                  machine.memory.alloc(16, "o"), np.float16(1.5), np.float32(2))
    machine.step(2)
    assert machine.memory.fetch("o", "<f2")[0] == 1.5 and machine.memory.fetch("o", "<f4")[1] == 2
    with pytest.raises(UninitialisedRead, match="offset 4"):
        machine.step()
    a32 = ns.Machine("aarch32")
    a32.start(ns.assemble("bx lr", isa="aarch32"), np.float16(1.5), np.float32(2))
    assert a32.registers["s0"].as_("f16")[0] == 1.5 and a32.registers["s1"].as_("f32")[0] == 2
    with pytest.raises(BadArgument, match=r"np\.float16, np\.float32 and np\.float64"):
        ns.Machine().call(ns.assemble("ret", "aarch64"), np.longdouble(1))
