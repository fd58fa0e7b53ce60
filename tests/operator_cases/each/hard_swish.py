"""Hard swish: all bytes, ratios of scales, zero points from end to end, lengths around tasks of 1024 bytes (M31)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from neonsim.ops import HardSwish
from neonsim.quant.scheme import Quantized, Scheme
from tests.operator_cases.each import OperatorTests, tensor
from tests.operator_cases.products import Case, sample


def _out(x: Quantized, ratio: float, rng: np.random.Generator) -> Scheme:
    info = np.iinfo(x.scheme.dtype)
    return Scheme(float(np.float32(x.scheme.scale) * np.float32(ratio)), int(rng.integers(info.min, info.max + 1)),
                  x.scheme.dtype)


def _cases(dtype: str, rng: np.random.Generator, size: str) -> Iterator[Case]:
    every = np.arange(256, dtype=np.uint8).view(dtype).reshape(1, 256)
    for i, ratio in enumerate((0.02, 0.1, 0.5, 1.0, 1.7, 4.0)):
        info = np.iinfo(dtype)
        x = Quantized(every, float(np.float32(2.0 ** -(i + 1))), int(rng.integers(info.min, info.max + 1)))
        yield Case(f"all_bytes_ratio{ratio}", (x,), {"out": _out(x, ratio, rng)})
    for n in (1, *sample(rng, range(2, 60), size, 6), 1024, 1025):
        x = tensor(rng, (1, n), dtype)
        yield Case(f"n{n}", (x,), {"out": _out(x, 0.8, rng)})
    yield Case("same_scheme", (tensor(rng, (3, 7), dtype),), {})
    yield Case("zero_batch", (tensor(rng, (0, 9), dtype),), {})
    yield Case("pixel_stride", (tensor(rng, (5, 12), dtype, spare=3),), {})


def _another_curve(patch: Any) -> None:
    """The table is that of another function."""
    right = HardSwish.table
    patch.setattr(HardSwish, "table", lambda operator: np.roll(right(operator), 1))


def _x(*shape: int) -> tuple[Any, ...]:
    return (tensor(np.random.default_rng(0), shape),)


TESTS = OperatorTests(
    operator=HardSwish, options={}, shape=(5, 30),
    uint8=partial(_cases, "uint8"), int8=partial(_cases, "int8"),
    words="all_bytes ratio n1 n1025 same pixel_stride", axes={"all bytes": "^all_bytes", "n": r"^n\d"},
    refusals={"channels_0": (_x(2, 0), {}, "at least one channel"),
              "fine_steps": (_x(2, 4), {"out": Scheme(0.05 / 200, 0)}, "steps of the result"),
              "mixture": (_x(2, 4), {"out": Scheme(0.1, 0, "int8")}, "out")},
    bugs={"another_curve": _another_curve})
