"""A wrong argument of a public function is an error that says what to write instead."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim.arm.machine.machine import Machine
from neonsim.nn.ops import Conv2d
from tests.nn.operator_cases import assert_bit_equal

PROGRAM: Any = ns.assemble("f: add x0, x0, #1\n ret", isa="aarch64")
KERNEL: Any = ns.kernel("qu8_sumrows_4x__aarch64_neon")
ARRAY: Any = np.zeros((1, 4, 4, 8), np.uint8)
X = ns.Quantized(ARRAY, 0.5, 3)
W = ns.Quantized(np.ones((8, 1, 1, 8), np.uint8), 1.0)
LAYER = Conv2d(X.scheme, W, out=ns.Scheme(9.0))
PLAN: Any = LAYER.plan(ARRAY.shape, backend="reference")
TEXT: Any = "ret"
WRITE = (r"Write Quantized\(x, scale=0\.5, zero_point=3\), or of real numbers "
         r"Scheme\(scale=0\.5, zero_point=3, dtype='uint8'\)\.quantize\(x\)")

CASES: dict[str, tuple[Callable[[], object], str]] = {
    "assert_bit_equal(program)": (lambda: assert_bit_equal(PROGRAM), r"got a Program.*ns\.check\(program, contract="),
    "assert_bit_equal(name)": (lambda: assert_bit_equal("qu8_x"), r"got a str.*ns\.kernel\('qu8_x'\)"),      # type: ignore[arg-type]
    "assert_bit_equal(plan)": (lambda: assert_bit_equal(PLAN), r"write assert_bit_equal\(plan\.operator, x\)"),
    "assert_bit_equal(layer)": (lambda: assert_bit_equal(LAYER), r"for Conv2d\(\.\.\.\): give inputs, .*, x\)"),
    "assert_bit_equal(kernel)": (lambda: assert_bit_equal(KERNEL), r"ns\.check\(kernel\)"),
    "assert_bit_equal(3)": (lambda: assert_bit_equal(3), r"got an int\. Write assert_bit_equal\(ns\.ops"),     # type: ignore[arg-type]
    "compare(program)": (lambda: ns.compare(PROGRAM), r"compare takes .* a Program.*ns\.check\(program"),
    "compare(layer, array)": (lambda: ns.compare(LAYER, ARRAY), WRITE),
    "plan.run(array)": (lambda: PLAN.run(ARRAY), WRITE),
    "plan.run(real)": (lambda: PLAN.run(ARRAY / 2), r"quantised by Scheme\(scale=0\.5, zero_point=3"),
    "conv2d(array)": (lambda: ns.ops.conv2d(ARRAY, W, out=ns.Scheme(1.0)), r"Write Quantized\(x, scale=\.\.\."),
    "Conv2d(x)": (lambda: Conv2d(X, W, out=ns.Scheme(1.0)), r"the input x; got Quantized.*: x\.scheme"),  # type: ignore[arg-type]
    "conv2d(out=y)": (lambda: ns.ops.conv2d(X, W, out=X), r"Give its scheme: out=out\.scheme"),        # type: ignore[arg-type]
    "plan(kernel=3)": (lambda: LAYER.plan(ARRAY.shape, kernel=PROGRAM), r"ns\.kernel\(name\); got Program"),
    "call(text)": (lambda: Machine().call(TEXT), r"call\(ns\.assemble\(text, isa="),
    "call(kernel)": (lambda: Machine().call(KERNEL), r"call\(kernel\.program\(\)"),
    "place(text)": (lambda: Machine().memory.place(TEXT), r"np\.frombuffer\(text\.encode"),
    "time(kernel)": (lambda: ns.time(KERNEL), r"kernel\.program\(\)"),
    "time(core=3)": (lambda: ns.time(KERNEL.program(), core=3), "core must be a name"),      # type: ignore[arg-type]
    "load_trace(3)": (lambda: ns.load_trace(3), r"trace\.save\(path\) wrote, not int"),         # type: ignore[arg-type]
    "kernels(x)": (lambda: ns.kernels("nocontract"), "`neonsim check contracts` lists them"),
    "check(program)": (lambda: ns.check(PROGRAM), r'in Python contract="qu8_gemm_q31"'),
    "check(path)": (lambda: ns.check(Path("nowhere.S")), "there is no file"),
}


@pytest.mark.parametrize("name", CASES)
def test_a_wrong_argument_names_the_remedy(name: str) -> None:
    call, words = CASES[name]
    with pytest.raises(ns.NeonsimError, match=words) as caught:
        call()
    assert "object at 0x" not in str(caught.value) and "\n" not in str(caught.value)


def test_the_remedies_work() -> None:
    assert PLAN.run(ns.Quantized(ARRAY, scale=0.5, zero_point=3)).shape == (1, 4, 4, 8)
    assert PLAN.run(ns.Scheme(scale=0.5, zero_point=3, dtype="uint8").quantize(ARRAY / 2)).shape == (1, 4, 4, 8)
    assert assert_bit_equal(LAYER, X, backends=("reference", "reference")) == 1
    assert ns.time(KERNEL.program()).cycles > 0
