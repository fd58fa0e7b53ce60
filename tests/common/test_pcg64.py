"""The generator in plain integers is numpy's, draw by draw."""

from __future__ import annotations

import numpy as np
import pytest

from neonsim.common.pcg64 import Pcg64


@pytest.mark.parametrize("seed", [0, 1, 7, 2**31 + 5, 2**200 + 12345, (1, 1), (3, 2**40, 0, 9, 11)], ids=str)
def test_the_same_numbers_as_numpy(seed: int | tuple[int, ...]) -> None:
    plain, judge = Pcg64(seed), np.random.default_rng(seed)
    # An odd number of 32-bit draws leaves half a draw behind, which 64-bit draws step over.
    for nbytes, count in ((4, 3), (1, 5), (2, 7), (8, 4), (1, 64), (4, 1), (4, 1)):
        drawn = judge.integers(0, (1 << 8 * nbytes) - 1, count, dtype=f"u{nbytes}", endpoint=True)
        assert plain.full_range(nbytes, count) == drawn.tobytes(), (nbytes, count)
    assert plain.uniform(-1, 1, 6) == judge.uniform(-1, 1, 6).tolist()


def test_skipping_is_drawing() -> None:
    for count in (0, 1, 2, 63, 64, 1000):
        skipped, drawn = Pcg64(5), Pcg64(5)
        for one in (skipped, drawn):
            one.next32()
        skipped.skip(count)
        drawn.full_range(4, count)
        assert [skipped.next32(), skipped.next32()] == [drawn.next32(), drawn.next32()], count
