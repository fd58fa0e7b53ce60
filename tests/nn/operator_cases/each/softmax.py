"""Softmax: channels around the vector and the largest byte's search, tables from steep to flat (M14)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from neonsim.nn.ops import Softmax
from tests.nn.operator_cases.each import OperatorTests, given, pixels_on_top_of_each_other, tensor
from tests.nn.operator_cases.products import Case, sample


def _cases(dtype: str, rng: np.random.Generator, size: str) -> Iterator[Case]:
    for channels in (*sample(rng, range(1, 34), size, 12), 100, 1001):
        beta = float(rng.choice([0.02, 0.3, 1.0, 4.0]))
        yield Case(f"c{channels}_beta{beta}", (tensor(rng, (3, channels), dtype),), {"beta": beta})
    yield Case("zero_batch", (tensor(rng, (0, 9), dtype),), {})
    yield Case("pixel_stride", (tensor(rng, (5, 12), dtype, spare=3),), {})


TESTS = OperatorTests(
    operator=Softmax, options={}, shape=(5, 30),
    uint8=partial(_cases, "uint8"), int8=partial(_cases, "int8"),
    words="c beta zero pixel_stride", axes={"channels": r"^c\d", "beta": r"beta(0|1|4)"},
    refusals={"beta_0": (given(2, 4), {"beta": 0.0}, "beta must be a number above 0"),
              "channels_0": (given(2, 0), {}, "1 to")},
    bugs={"pixels_on_top_of_each_other": pixels_on_top_of_each_other})
