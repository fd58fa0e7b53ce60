"""Functions of one byte in single precision: numbers that LiteRT gave where results lie next to a half."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim import Scheme
from neonsim.nn import ops
from neonsim.quant.reference import lut_functions

# Function, type, ties: scale and zero point of x, x, LiteRT's byte, which is not that of double precision.
RECORDED: list[tuple[str, str, str, list[tuple[float, int, int, int]]]] = [
    ("sigmoid", "int8", "even", [(0.013273441232740879, -104, -52, 42), (0.03287668898701668, -28, -90, -98)]),
    ("sigmoid", "int8", "away", [(0.003439506981521845, -21, 59, 18), (0.017712906002998352, 22, 110, 84)]),
    ("sigmoid", "uint8", "even", [(0.030978228896856308, 19, 132, 248), (0.019457127898931503, 149, 92, 64)]),
    ("sigmoid", "uint8", "away", [(0.012560023926198483, 7, 92, 191), (0.005819839891046286, 53, 128, 156)]),
    ("tanh", "int8", "even", [(0.015451177023351192, 84, 5, -108), (0.03137969225645065, 96, 83, -49)]),
    ("tanh", "int8", "away", [(0.005905346013605595, -30, -56, -20), (0.030839404091238976, 50, 15, -102)]),
    ("tanh", "uint8", "even", [(0.07256023585796356, 160, 142, 18), (0.008753111585974693, 70, 3, 60)]),
    ("tanh", "uint8", "away", [(0.06783479452133179, 156, 132, 9), (0.030949879437685013, 204, 198, 104)]),
    ("elu", "int8", "even", [(0.012500000186264515, 63, 65, 8), (0.02500000037252903, 64, 65, 8)]),
    ("elu", "int8", "away", [(0.02500000037252903, 107, 108, 8), (0.02500000037252903, -76, -75, 8)]),
]
RESULTS = {"sigmoid": {"uint8": (1 / 256, 0), "int8": (1 / 256, -128)},
           "tanh": {"uint8": (1 / 128, 128), "int8": (1 / 128, 0)}, "elu": {"int8": (0.05, 7)}}


@pytest.mark.parametrize(("function", "dtype", "ties", "rows"), RECORDED)
def test_what_litert_said(function: str, dtype: str, ties: str, rows: list[tuple[float, int, int, int]]) -> None:
    out = Scheme(*RESULTS[function][dtype], dtype)
    for scale, zero, x, wanted in rows:
        given = ns.Quantized(np.array([[x]], dtype), scale, zero)
        operator: Any = getattr(ops, function)
        for backend in ("reference", "emulated"):
            assert operator(given, out=out, ties=ties, backend=backend).values.tolist() == [[wanted]]
        if function != "elu":
            assert operator(given, backend="reference").values.tolist() != [[wanted]]


def test_the_tangent_of_c_libraries() -> None:
    """Recorded of glibc 2.36 where it is not the nearest; elsewhere within an ulp of the exact one."""
    x = np.array([0.7421563863754272, -1.838834524154663, 1.0793050527572632, -0.7903090119361877, 0.5382017493247986,
                  -0.1155179888010025], np.float32)
    assert lut_functions._tanh(x).tolist() == [0.630446195602417, -0.9506831169128418, 0.7929412126541138,
                                             -0.6585839986801147, 0.49162551760673523, -0.11500687152147293]
    wide = np.concatenate([np.linspace(-30, 30, 20_001), 2.0 ** np.arange(-126, 5), [0.0, -0.0, 22, 21.99]])
    found, exact = lut_functions._tanh(wide.astype(np.float32)), np.tanh(wide.astype(np.float32).astype(np.float64))
    assert np.abs(found - exact).max() < 2.0**-23 and np.signbit(found).tolist() == np.signbit(exact).tolist()
    assert np.abs(found / np.where(exact == 0, 1, exact) - (exact != 0)).max() < 2.0**-22


@pytest.mark.parametrize("ties", lut_functions.TIES)
@pytest.mark.parametrize("dtype", ["uint8", "int8"])
def test_steps_by_fractions(ties: str, dtype: str) -> None:
    """ELU of what is not negative is x itself: a change of scale."""
    rng, info = np.random.default_rng(4), np.iinfo(dtype)
    for scale, other in ((0.5, 1.0), (0.1, 0.2), (0.3, 0.11)):
        zero, last = (int(n) for n in rng.integers(info.min, info.max + 1, 2))
        x = np.arange(zero, info.max + 1).astype(dtype)
        found = lut_functions.lut_function("elu", x, Scheme(scale, zero, dtype), Scheme(other, last, dtype), ties)
        steps = np.float32(scale) * (x.astype(int) - zero).astype(np.float32) * (np.float32(1) / np.float32(other))
        wanted = [round(Fraction(float(np.float32(s + np.float32(last))))) if ties == "even" else
                  math.floor(Fraction(float(s)) + Fraction(1, 2)) + last for s in steps]
        assert found.tolist() == np.clip(wanted, info.min, info.max).tolist()


def test_what_is_refused() -> None:
    x, coarse = Scheme(0.1, 0, "int8"), Scheme(0.1, 3, "int8")
    for made in (lambda: ops.Elu(x, ties="up"), lambda: ops.Sigmoid(x, ties="up"), lambda: ops.Tanh(x, ties="up")):
        with pytest.raises(ns.BadArgument, match="ties must be 'even' or 'away'; got 'up'"):
            made()
    with pytest.raises(ns.BadArgument, match="out must be"):
        ops.Sigmoid(x, out=coarse)
    assert ops.Sigmoid(x, out=coarse, ties="even").out == coarse
