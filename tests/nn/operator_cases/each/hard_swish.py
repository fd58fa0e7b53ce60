"""Hard swish: all bytes, ratios of scales, zero points from end to end, lengths around tasks of 1024 bytes (M31)."""

from __future__ import annotations

from functools import partial

from neonsim.nn.ops import HardSwish
from neonsim.quant.scheme import Scheme
from tests.nn.operator_cases.each import OperatorTests, another_table, byte_cases, given

TESTS = OperatorTests(
    operator=HardSwish, options={}, shape=(5, 30),
    uint8=partial(byte_cases, "uint8"), int8=partial(byte_cases, "int8"),
    words="all_bytes ratio n1 n1025 same pixel_stride", axes={"all bytes": "^all_bytes", "n": r"^n\d"},
    refusals={"channels_0": (given(2, 0), {}, "at least one channel"),
              "fine_steps": (given(2, 4), {"out": Scheme(0.05 / 200, 0)}, "steps of the result"),
              "mixture": (given(2, 4), {"out": Scheme(0.1, 0, "int8")}, "out")},
    bugs={"another_curve": partial(another_table, HardSwish)})
