"""A function of a file is called with numpy arrays, as its prototype says."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

from neonsim.arm.asm import load_c
from neonsim.arm.asm.c.compile import compilers
from neonsim.errors import BadArgument, UninitialisedRead
from neonsim.ukernel import build, kernel
from neonsim.ukernel.prototype import contract_of, declared_in, prototype_text
from neonsim.verify.testing import load

ADD = """//! isa: aarch64
//! prototype: void add(const uint8_t *a[n], const uint8_t *b[n], uint8_t *sum[n], size_t n)
add:
    ldrb    w4, [x0], #1
    ldrb    w5, [x1], #1
    add     w4, w4, w5
    strb    w4, [x2], #1
    subs    x3, x3, #1
    b.ne    add
    ret
"""
C = """#include <stddef.h>
#include <stdint.h>
int32_t dot(const int8_t *a, const int8_t *b, size_t n) {
  int32_t sum = 0;
  for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}
void scale(const float x[4], float y[4], float by, int8_t minus) {
  for (int i = 0; i < 4; i++) y[i] = x[i] * by - minus;
}
float first(const float *x, size_t n) { return n ? x[0] : 0; }
"""
needs_compiler = pytest.mark.skipif(not compilers("aarch64"), reason="no C compiler for aarch64: make system-packages")


@pytest.fixture
def add_file(tmp_path: Path) -> Path:
    path = tmp_path / "add.S"
    path.write_text(ADD)
    return path


def test_arrays_in_and_out(add_file: Path) -> None:
    add = load(add_file)
    a, b = np.arange(20, dtype=np.uint8), np.full(20, 250, np.uint8)
    assert np.array_equal(add(a, b), a + b)
    assert np.array_equal(add(b=b, a=a, n=20), a + b)
    assert add.inputs == ("a", "b") and add.outputs == ("sum",)


def test_a_prototype_can_be_given(tmp_path: Path) -> None:
    path = tmp_path / "add.aarch64.S"
    path.write_text(ADD.split("\n", 2)[2])
    with pytest.raises(BadArgument, match=r"has no prototype of add. Pass one"):
        load(path, entry="add")
    add = load(path, "void add(const uint8_t a[n], const uint8_t b[n], uint8_t sum[n], size_t n)")
    assert add([1], [2]).tolist() == [3]


@pytest.mark.parametrize(("call", "says"), [
    (lambda add: add([1, 2], [3], n=2), "b must be uint8"),
    (lambda add: add([1]), "b is missing"),
    (lambda add: add([1], [2], [3]), "3 arguments are too many"),
    (lambda add: add([1], [2], sum=[3]), "no input sum"),
    (lambda add: add([300], [2]), "a takes uint8"),
    (lambda add: add([1], [2], a=[1]), "a is given twice"),
])
def test_arguments_that_do_not_fit(add_file: Path, call: object, says: str) -> None:
    with pytest.raises(BadArgument, match=says):
        call(load(add_file))  # type: ignore[operator]


def test_every_call_has_a_machine_of_its_own(add_file: Path) -> None:
    add = load(add_file)
    first, second = add.run(add.case([1], [2])), add.run(add.case([1], [2]))
    assert first.machine is not second.machine


def test_the_sanitizer_looks_on_unless_an_engine_is_chosen(add_file: Path) -> None:
    add_file.write_text(ADD.replace("add     w4, w4, w5", "add     w4, w4, w6"))
    with pytest.raises(UninitialisedRead, match='to buffer "sum", offset 0'):
        load(add_file)([1], [2])
    assert load(add_file, engine="python")([1], [2]) != 3


@needs_compiler
def test_c_says_its_prototypes_itself(tmp_path: Path) -> None:
    path = tmp_path / "all.c"
    path.write_text(C)
    a, b = np.array([-128, 127, 3], np.int8), np.array([-128, 2, 1], np.int8)
    assert load(path, entry="dot")(a, b) == int(a.astype(int) @ b.astype(int))
    assert load(path, entry="scale")(np.arange(4), 1.5, -1).tolist() == [1.0, 2.5, 4.0, 5.5]
    assert load(path, entry="first")([2.5, 1]) == 2.5
    program = load_c(C)
    assert {one.name: prototype_text(one) for one in program.prototypes} == {
        "dot": "int32_t dot(const int8_t *a, const int8_t *b, size_t n)",
        "scale": "void scale(const float *x, float *y, float by, int8_t minus)",
        "first": "float first(const float *x, size_t n)"}
    assert declared_in(C, "scale") == "void scale(const float x[4], float y[4], float by, int8_t minus)"


@needs_compiler
@pytest.mark.parametrize("isa", ["aarch64", "aarch32"])
def test_numbers_and_results_of_both_instruction_sets(isa: str, tmp_path: Path) -> None:
    if not compilers(isa):
        pytest.skip(f"no C compiler for {isa}: make system-packages")
    path = tmp_path / "all.c"
    path.write_text(C)
    assert load(path, entry="dot", isa=isa)([-1], [100]) == -100
    assert load(path, entry="scale", isa=isa)(np.arange(4), 2, 3).tolist() == [-3, -1, 1, 3]
    assert load(path, entry="first", isa=isa)([-0.5]) == -0.5


@needs_compiler
def test_objects_and_archives_by_their_debug_information(tmp_path: Path) -> None:
    compiler = compilers("aarch64").get("gcc")
    if compiler is None:
        pytest.skip("no GCC for aarch64: make system-packages")
    (tmp_path / "all.c").write_text(C)
    subprocess.run([*compiler, "-g", "-O2", "-c", "all.c"], cwd=tmp_path, check=True)
    subprocess.run(["aarch64-linux-gnu-ar", "rcs", "all.a", "all.o"], cwd=tmp_path, check=True)
    assert load(tmp_path / "all.o", entry="dot")([2], [3]) == 6
    assert load(tmp_path / "all.a", entry="dot")([2], [3]) == 6
    with pytest.raises(BadArgument, match="select a function with entry=; it has dot"):
        load(tmp_path / "all.a")


def test_a_kernel_of_the_catalogue_is_called_by_its_contract() -> None:
    clamp = load(kernel("u8_clamp_64x__aarch64_neon"))
    assert clamp.contract.name == "u8_clamp"


@pytest.mark.parametrize(("prototype", "says"), [
    ("add(size_t n)", "is not a prototype"),
    ("void add(size_t n, const uint8_t a[m], uint8_t y[n])",
     r"a\[m\]: a size must be a number or an integer of the proto"),
    ("void add(size_t n, size_t m, const uint8_t *a, uint8_t y[n])", "needs its size in brackets"),
    ("void add(size_t n, const struct x a[n], uint8_t y[n])", "float16_t; got struct x"),
    ("void add(size_t n, wchar_t k, uint8_t y[n])", "a number must be size_t"),
    ("void add(size_t n, size_t n, uint8_t y[n])", "two arguments n"),
    ("uint8_t *add(size_t n)", "is not a prototype"),
    ("enum_t add(size_t n)", "returns enum_t"),
    ("void add(size_t n, const uint8_t a[n])", "has no output"),
])
def test_prototypes_that_are_none(prototype: str, says: str) -> None:
    with pytest.raises(BadArgument, match=says):
        contract_of(prototype, None)


def test_an_integer_in_brackets_is_a_size() -> None:
    contract = contract_of("void f(int rows, unsigned int cols, const int16_t x[rows][cols], double y[rows*2])",
                           lambda rows, cols, x, y: None)
    assert [(a.name, a.ctype, a.kind) for a in contract.arguments] == [
        ("rows", "int32_t", "size"), ("cols", "uint32_t", "size"), ("x", "const int16_t *", "memory"),
        ("y", "double *", "memory")]
    case = build(contract, "", rows=2, cols=3, x=np.zeros((2, 3), np.int16))
    assert case.memory["y"].data.size == 2 * 2 * 8
