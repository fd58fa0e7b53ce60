"""Scheme and Quantized: round trips, refusals, pickles."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neonsim.errors import BadArgument
from neonsim.quant import Quantized, Scheme
from tests.tiers import examples

U8 = np.uint8


@examples(60)
@given(st.floats(1e-6, 1e6), st.integers(0, 255), st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=20))
def test_round_trip_is_within_half_a_step(scale: float, zero_point: int, reals: list[float]) -> None:
    scheme = Scheme(scale, zero_point)
    low, high = scheme.range
    back = scheme.quantize(reals).dequantize().astype(np.float64)
    step = float(np.float32(scale))
    inside = np.clip(reals, low, high)
    assert (np.abs(back - inside) <= step / 2 * (1 + 1e-5) + np.abs(inside) * 1e-6).all()


@pytest.mark.parametrize("dtype", ["uint8", "int8"])
def test_every_integer_survives(dtype: str) -> None:
    info = np.iinfo(dtype)
    values = np.arange(info.min, info.max + 1).astype(dtype)
    for zero_point in (info.min, 0, 3, info.max):
        q = Quantized(values, 0.37, zero_point)
        np.testing.assert_array_equal(q.scheme.quantize(q.dequantize()).values, values)
        assert q.dequantize()[int(zero_point) - info.min] == 0.0


def test_formula() -> None:
    q = Quantized(np.array([0, 127, 128, 255], U8), scale=0.5, zero_point=127)
    assert q.dequantize().tolist() == [-63.5, 0.0, 0.5, 64.0]
    assert q.dequantize().dtype == np.float32


def test_ties_go_to_even_and_the_ends_saturate() -> None:
    assert Scheme(1.0, 10).quantize([0.5, 1.5, -0.5, -1.5, 1e30, -np.inf, np.inf]).values.tolist() == [
        10, 12, 10, 8, 255, 0, 255]


def test_per_channel() -> None:
    values = np.arange(6, dtype=np.int8).reshape(2, 3)
    rows = Quantized(values, scale=np.array([0.5, 2.0]), zero_point=1, axis=0)
    assert rows.dequantize().tolist() == [[-0.5, 0.0, 0.5], [4.0, 6.0, 8.0]]
    columns = Quantized(values, scale=np.array([1.0, 2.0, 4.0]), axis=-1)
    assert columns.axis == 1
    assert columns.dequantize().tolist() == [[0, 2, 8], [3, 8, 20]]
    np.testing.assert_array_equal(rows.scheme.quantize(rows.dequantize()).values, values)
    with pytest.raises(ValueError):
        rows.scale[0] = 3.0  # type: ignore[index]  # scales are frozen


def test_covering_reaches_both_ends_and_zero() -> None:
    for low, high in ((-1.0, 1.0), (0.0, 6.0), (2.0, 6.0), (-7.0, -1.0), (-0.1, 25.0)):
        for dtype in ("uint8", "int8"):
            scheme = Scheme.covering(low, high, dtype)
            first, last = scheme.range
            step = float(scheme.scale)
            assert first <= min(low, 0) + step and last >= max(high, 0) - step
            assert scheme.quantize(0.0).dequantize() == 0.0


@pytest.mark.parametrize("scale", [0, -1.0, float("nan"), float("inf"), 1e-39, "one", None])
def test_scale_is_refused(scale: object) -> None:
    with pytest.raises(BadArgument, match="scale of a Scheme must be"):
        Scheme(scale)  # type: ignore[arg-type]
    with pytest.raises(BadArgument, match="scale of a Quantized must be"):
        Quantized(np.zeros(3, U8), scale)  # type: ignore[arg-type]


@pytest.mark.parametrize("dtype,zero_point", [("uint8", 256), ("uint8", -1), ("int8", 128), ("int8", -129),
                                              ("uint8", 1.0), ("uint8", None), ("uint8", True)])
def test_zero_point_is_refused(dtype: str, zero_point: object) -> None:
    with pytest.raises(BadArgument, match=f"zero_point of {dtype}"):
        Scheme(1.0, zero_point, dtype)  # type: ignore[arg-type]
    with pytest.raises(BadArgument, match=f"zero_point of {dtype}"):
        Quantized(np.zeros(3, dtype), 1.0, zero_point)  # type: ignore[arg-type]


@pytest.mark.parametrize("values", [[1, 2], np.zeros(2), np.zeros(2, np.int32), np.zeros(2, bool)])
def test_values_must_be_bytes(values: object) -> None:
    with pytest.raises(BadArgument, match="must be uint8, int8 or int16"):
        Quantized(values, 1.0)  # type: ignore[arg-type]


def test_scales_must_fit_their_axis() -> None:
    values = np.zeros((2, 3), U8)
    with pytest.raises(BadArgument, match="2 scales for axis 1"):
        Quantized(values, np.array([1.0, 2.0]), axis=1)
    with pytest.raises(BadArgument, match="Pass its axis"):
        Quantized(values, np.array([1.0, 2.0]))
    with pytest.raises(BadArgument, match="array of one dimension"):
        Quantized(values, 1.0, axis=0)
    with pytest.raises(BadArgument, match=r"axis must be in -2\.\.1"):
        Quantized(values, np.array([1.0, 2.0]), axis=2)
    with pytest.raises(BadArgument, match="at channel 1"):
        Quantized(values, np.array([1.0, 0.0]), axis=0)


def test_real_numbers_that_are_none() -> None:
    with pytest.raises(BadArgument, match=r"NaN at \(1, 0\)"):
        Scheme(1.0).quantize([[1.0], [np.nan]])
    with pytest.raises(BadArgument, match="finite low <= high"):
        Scheme.covering(1.0, np.inf)
    with pytest.raises(BadArgument, match="zero width"):
        Scheme.covering(0.0, 0.0)
    with pytest.raises(BadArgument, match="uint8, int8 or int16"):
        Scheme(1.0, dtype="float32")


def test_pickles_and_prints() -> None:
    for q in (Quantized(np.arange(4, dtype=U8), 0.5, 3), Quantized(np.zeros((2, 2), np.int8), np.array([1.0, 2.0]),
                                                                  axis=0, backend="reference", kernel="numpy")):
        again = pickle.loads(pickle.dumps(q))
        np.testing.assert_array_equal(again.values, q.values)
        assert again.scheme == q.scheme and (again.backend, again.kernel) == (q.backend, q.kernel)
        assert repr(again) == repr(q)
        assert hash(again.scheme) == hash(q.scheme)
    assert repr(q) == "Quantized(int8 [2, 2], scale=<2 from 1 to 2>, zero_point=0, axis=0, backend='reference')"
    assert repr(Scheme(0.1, 3)) == "Scheme(scale=0.1, zero_point=3, dtype='uint8')"
    assert Scheme(0.1, 3) != Scheme(0.1, 4) and Scheme(0.1) != "scheme"


def test_values_are_not_copied() -> None:
    values = np.zeros(4, U8)
    q = Quantized(values, 1.0)
    values[0] = 9
    assert q.values[0] == 9 and q.shape == (4,) and q.dtype == np.uint8
