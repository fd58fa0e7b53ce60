"""The product by its definition, against Python integers; the viewers say what the numbers say."""

from __future__ import annotations

import numpy as np
import pytest

from neonsim.errors import BadArgument
from neonsim.quant import accumulate, compare_schemes, explain_requant, tie_table


@pytest.mark.parametrize("a_type", ["uint8", "int8"])
@pytest.mark.parametrize("w_type", ["uint8", "int8"])
def test_accumulate_is_the_sum(a_type: str, w_type: str) -> None:
    rng = np.random.default_rng(1)
    a = rng.integers(0, 256, (3, 7), dtype=np.uint8).view(a_type)
    w = rng.integers(0, 256, (7, 5), dtype=np.uint8).view(w_type)
    bias = rng.integers(-1000, 1000, 5, dtype=np.int32)
    za, zw = int(a[0, 0]), int(w[0, 0])
    want = [[int(bias[j]) + sum((int(a[i, k]) - za) * (int(w[k, j]) - zw) for k in range(7)) for j in range(5)]
            for i in range(3)]
    assert accumulate(a, w, bias, za, zw).tolist() == want


def test_accumulators_wrap_as_registers_do() -> None:
    a, w = np.full((1, 4), 255, np.uint8), np.full((4, 1), 255, np.uint8)
    near_the_end = np.array([2**31 - 5], np.int32)
    assert accumulate(a, w, near_the_end, 0, 0).item() == 2**31 - 5 + 4 * 65025 - 2**32


def test_operands_that_do_not_fit() -> None:
    a, w, b = np.zeros((2, 3), np.uint8), np.zeros((4, 5), np.uint8), np.zeros(5, np.int32)
    with pytest.raises(BadArgument, match="k = 3 columns"):
        accumulate(a, w, b, 0, 0)
    with pytest.raises(BadArgument, match="one value per column"):
        accumulate(a, w[:3], b[:4], 0, 0)
    with pytest.raises(BadArgument, match="lhs must be uint8 or int8"):
        accumulate(a.astype(np.int32), w[:3], b, 0, 0)


def test_viewers() -> None:
    assert "multiplier 1527099520 and left shift -6" in explain_requant(1 / 90)
    assert "refuses it" in explain_requant(1.5)
    with pytest.raises(BadArgument, match="one scale"):
        explain_requant(np.array([0.5, 0.25]))  # type: ignore[arg-type]
    assert tie_table(0.25, (-6, 6)).splitlines()[1].split() == ["-6", "-3/2", "-2", "-1", "-2", "-2"]
    assert "6.5" in tie_table(1 / 90, (585,)).splitlines()[1]
    assert compare_schemes(3, 2.0) == {"precise": 6, "rndnu": 6, "fp32_lrint": 6}
