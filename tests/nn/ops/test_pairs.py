"""Sums and products of two by the rules of runtimes that compute in single precision: by fractions, on all backends."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim import Scheme
from neonsim.nn import ops

EVERY = np.arange(256, dtype=np.uint8)
RNG = np.random.default_rng(7)


def single(exact: Fraction) -> Fraction:
    """The nearest number of float32: two roundings, the first of 53 bits, agree here."""
    return Fraction(float(np.float32(float(exact))))


def byte(exact: Fraction, out: Scheme) -> int:
    """To the nearest integer, halves to even, within the type."""
    info = np.iinfo(out.dtype)
    return min(max(round(exact), int(info.min)), int(info.max))


@pytest.mark.parametrize("dtype", ["uint8", "int8"])
def test_onnx_runtimes_sum_and_product_by_fractions(dtype: str) -> None:
    a, b, out = (Scheme(scale, zero - 128 * (dtype == "int8"), dtype)
                 for scale, zero in ((0.043, 117), (0.021, 140), (0.05, 99)))
    x, y = np.meshgrid(EVERY.view(dtype), EVERY.view(dtype), indexing="ij")
    total = ops.Add(a, b, out=out, rounding="onnxruntime").reference(x, y)
    product = ops.Multiply(a, b, out=out, requantization="onnxruntime").reference(x, y)
    s_a, s_b, s_y = (Fraction(float(np.float32(one.scale))) for one in (a, b, out))
    r_a, r_b = single(s_a / s_y), single(s_b / s_y)
    fixed = single(out.zero_point - single(a.zero_point * r_a + single(r_b * b.zero_point)))
    ratio = single(single(s_a * s_b) / s_y)
    for i, j in RNG.integers(0, 256, (300, 2)):
        p, q = int(x[i, j]), int(y[i, j])
        assert total[i, j] == byte(single(p * r_a + single(q * r_b + fixed)), out)
        integers = Fraction((p - a.zero_point) * (q - b.zero_point))
        assert product[i, j] == byte(single(single(integers * ratio) + out.zero_point), out)


@pytest.mark.parametrize("backend", ["emulated", "native"])
def test_kernels_do_it_where_all_pairs_agree(backend: str) -> None:
    """Halves go to the even byte, or to the even step: where the zero point is odd the two differ."""
    values = ns.Quantized(RNG.integers(0, 256, (3, 40), dtype=np.uint8), 0.5, 3)
    for make, name in ((ops.add, "rounding"), (ops.multiply, "requantization")):
        options: dict[str, Any] = {"out": Scheme(0.5, 10), name: "onnxruntime"}
        wanted = make(values, values, backend="reference", **options).values
        assert (make(values, values, backend=backend, **options).values == wanted).all()
    with pytest.raises(ns.BackendError, match=r"\d+ of the 65 536 pairs of bytes have another result"):
        ops.multiply(values, values, out=Scheme(0.5, 9), requantization="onnxruntime", backend=backend)


def test_rules_are_named_where_one_is_wrong() -> None:
    x = Scheme(0.5, 0, "int8")
    with pytest.raises(ns.BadArgument, match=r"rounding of addition of int8 must be 'up', .* or 'tengine'; got 'away'"):
        ops.Add(x, x, out=x, rounding="away")
    assert ops.Add(x, x, out=x).by_rule("twice").rounding == "twice"
    assert ops.Add(x, x, out=x, rounding="tengine").output_min == -127
