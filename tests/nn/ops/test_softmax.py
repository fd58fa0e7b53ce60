"""Softmax in single precision: against Python's own floats, and its layer against its definition."""

from __future__ import annotations

import math
import struct

import numpy as np
import pytest

import neonsim as ns
from neonsim.nn import ops
from neonsim.nn.backends.native import library
from neonsim.nn.graph import Graph

needs_library = pytest.mark.skipif(library.available() is not None, reason=str(library.available()))


def single(value: float) -> float:
    """Rounded to single precision."""
    return float(struct.unpack("<f", struct.pack("<f", value))[0])


def by_hand(row: list[int], scale: float, beta: float, signed: bool) -> list[int]:
    """From the formula, number by number."""
    step = single(single(-single(scale)) * single(beta))
    shares = [single(math.exp(single(step * (max(row) - q)))) for q in row]
    whole = 0.0
    for share in shares:
        whole = single(whole + share)
    unit = single(1 / single(whole * single(1 / 256)))
    made = []
    for share in shares:
        part = single(share * unit)
        made.append(min(math.floor(part + 0.5) if signed else int(single(part + 0.5)), 255) - 128 * signed)
    return made


@pytest.mark.parametrize("dtype", ["uint8", "int8"])
@pytest.mark.parametrize("channels", [1, 2, 5, 12, 1001])
def test_by_hand(dtype: str, channels: int) -> None:
    rng = np.random.default_rng(channels)
    for scale, beta in ((0.05, 1.0), (0.3, 0.5), (1e-3, 1.0), (2.0, 3.0), (0.0471, 1.0)):
        info = np.iinfo(dtype)
        x = ns.Quantized(rng.integers(info.min, info.max + 1, (3, channels), dtype=dtype), scale)
        expected = [by_hand(row, scale, beta, dtype == "int8") for row in x.values.tolist()]
        assert ops.softmax(x, beta=beta, backend="reference").values.tolist() == expected


@needs_library
@pytest.mark.parametrize("dtype", ["uint8", "int8"])
def test_in_a_network(dtype: str) -> None:
    rng = np.random.default_rng(3)
    for shape in ((1, 1, 1, 1001), (2, 3, 4, 17), (5, 7)):
        scheme = ns.Scheme(0.07, 0, dtype)
        graph = Graph("shares", shape, scheme)
        graph.finish(graph.add_node("y", ops.Softmax(scheme), "input"))
        info = np.iinfo(dtype)
        x = ns.Quantized(rng.integers(info.min, info.max + 1, shape, dtype=dtype), 0.07, 0)
        expected = graph.plan("reference").run(x).values
        for threads in (1, 3):
            assert np.array_equal(graph.plan("native").run(x, threads).values, expected)


def test_what_is_refused() -> None:
    x = ns.Quantized(np.zeros((2, 3), np.uint8), 0.1)
    for made, words in ((lambda: ops.softmax(x, beta=0.0), "beta must be a number above 0"),
                        (lambda: ops.softmax(x, beta=float("nan")), "beta must be a number above 0"),
                        (lambda: ops.softmax(x, out=ns.Scheme(1 / 128), fixed=True), "steps of 1/256 from 0"),
                        (lambda: ops.softmax(x, out=ns.Scheme(1 / 128, 1)), "softmax of uint8 has the zero point 0"),
                        (lambda: ops.softmax(x, out=ns.Scheme(2.0**-31)), r"steps of 2\*\*-30 and more"),
                        (lambda: ops.softmax(ns.Quantized(np.zeros((2, 0), np.uint8), 0.1)), "1 to")):
        with pytest.raises(ns.NeonsimError, match=words):
            made()
