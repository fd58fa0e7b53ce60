"""Channel shuffle: numbers of groups with a kernel of their own and without, channels around the vector (K07, K20)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from neonsim.nn.ops import ChannelShuffle
from tests.nn.operator_cases.each import OperatorTests, given, pixels_on_top_of_each_other, tensor
from tests.nn.operator_cases.products import Case, sample


def _cases(dtype: str, rng: np.random.Generator, size: str) -> Iterator[Case]:
    for groups in range(2, 8):
        for channels in sample(rng, range(1, 41), size, 6):
            yield Case(f"g{groups}_c{channels}", (tensor(rng, (3, groups * channels), dtype),), {"groups": groups})
    yield Case("zero_batch", (tensor(rng, (0, 9), dtype),), {"groups": 3})
    yield Case("pixel_stride", (tensor(rng, (5, 12), dtype, spare=3),), {"groups": 2})


TESTS = OperatorTests(
    operator=ChannelShuffle, options={"groups": 2}, shape=(5, 30),
    uint8=partial(_cases, "uint8"), int8=partial(_cases, "int8"),
    words="g2 g3 g4 g5 g7", axes={"groups": r"^g[2357]_", "channels": r"_c\d"},
    refusals={"groups_1": (given(2, 4), {"groups": 1}, "at least 2"),
              "channels_0": (given(2, 0), {"groups": 2}, "at least one each"),
              "uneven": (given(2, 5), {"groups": 2}, "equal groups")},
    bugs={"pixels_on_top_of_each_other": pixels_on_top_of_each_other})
