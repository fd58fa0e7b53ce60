"""Strassen: exact on integers, 7/8 of the products a level, a flat list, the rules of paper and code."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from neonsim.errors import BadArgument
from neonsim.nn.ops.explain.strassen import pays_2020, strassen, strassen_gain, where_it_pays


@pytest.mark.parametrize("levels", [0, 1, 2, 3])
@pytest.mark.parametrize("size", [(8, 8, 8), (7, 9, 11), (1, 5, 3), (16, 4, 30), (33, 17, 2)])
def test_integers_are_exact(size: tuple[int, int, int], levels: int) -> None:
    """Also where sums wrap: modulo 2**32 a ring is a ring."""
    m, n, k = size
    rng = np.random.default_rng(m)
    for largest in (100, 1 << 31):
        a, b = (rng.integers(-largest, largest, shape).astype(np.int32) for shape in ((m, k), (k, n)))
        wanted = (a.astype(object) @ b.astype(object) + (1 << 31)) % (1 << 32) - (1 << 31)
        assert (strassen(m, n, k, levels=levels).run(a, b) == wanted.astype(np.int64)).all()


def test_products_and_sums_are_counted() -> None:
    for levels in range(4):
        plan = strassen(64, 32, 128, levels=levels)
        seen: list[int] = []

        def multiply(x: Any, y: Any, out: Any, seen: list[int] = seen) -> None:
            seen.append(x.shape[0] * x.shape[1] * y.shape[1])
            np.matmul(x, y, out=out)

        plan.run(np.ones((64, 128), np.float32), np.ones((128, 32), np.float32), multiply)
        assert sum(seen) == plan.multiplications == 64 * 32 * 128 * 7**levels // 8**levels
        assert len(seen) == 7**levels
    one = strassen(64, 32, 128, levels=1)
    # Fifteen sums: four of each operand, seven of products.
    assert one.additions == 4 * 32 * 64 + 4 * 64 * 16 + 7 * 32 * 16
    assert one.traffic() > strassen(64, 32, 128, levels=0).traffic() == 4 * (64 * 128 + 128 * 32 + 64 * 32)
    assert one.scratch == 32 * 64 + 64 * 16 + 4 * 32 * 16


def test_a_run_goes_from_step_to_step() -> None:
    """Nothing that a step reads of the plan's own memory is unwritten, and nobody writes the operands."""
    plan = strassen(12, 20, 28, levels=2)
    written = np.zeros(plan.scratch, bool)
    for word, target, a, b in plan.steps:
        for part in (a, b, *([target] if word == "more" else [])):
            if part.memory == "t":
                assert part.seen(written).all()
        assert target.memory in "ct"
        if target.memory == "t":
            target.seen(written)[...] = True
    assert written.all()


@pytest.mark.parametrize("levels", [1, 2, 3])
def test_an_error_is_within_its_bound(levels: int) -> None:
    rng = np.random.default_rng(levels)
    a, b = (rng.uniform(-1, 1, (96, 96)).astype(np.float32) for _ in range(2))
    plan = strassen(96, 96, 96, levels=levels)
    error = abs(plan.run(a, b) - a.astype(np.float64) @ b.astype(np.float64)).max()
    assert 0 < error < plan.error_bound(a, b)
    assert plan.error_bound(a, b) < strassen(96, 96, 96, levels=levels + 1).error_bound(a, b)


def test_the_rules() -> None:
    """The paper's is first true of squares at 32, as published; the code's, which counts fours, later."""
    assert min(size for size in range(2, 512, 2) if strassen_gain(size, size, size) > 0) == 32
    first = min(size for size in range(8, 2048, 8) if pays_2020(size, size, size))
    assert 64 < first < 512
    assert strassen(32, 32, 32).levels == 1
    assert strassen(30, 30, 30).levels == 0
    assert strassen(256, 256, 256).levels > strassen(256, 256, 256, pays=pays_2020).levels


@pytest.mark.nightly
def test_it_is_measured() -> None:
    found = where_it_pays((32, 64), repeats=2)
    assert [size for size, _ in found] == [32, 64]
    assert all(ratio > 0 for _, ratio in found)


def test_wrong_input() -> None:
    with pytest.raises(BadArgument, match="m must be"):
        strassen(0, 4, 4)
    with pytest.raises(BadArgument, match="levels must be"):
        strassen(4, 4, 4, levels=99)
    plan = strassen(4, 6, 8, levels=1)
    with pytest.raises(BadArgument, match=r"multiplies \[4, 8\] by \[8, 6\]; got \[4, 4\]"):
        plan.run(np.ones((4, 4), np.int32), np.ones((4, 6), np.int32))
    with pytest.raises(BadArgument, match="both int32, float32 or float64"):
        plan.run(np.ones((4, 8), np.int8), np.ones((8, 6), np.int8))
