"""Fused requantisation against a second pass: the formula, and what the kernels really move."""

from __future__ import annotations

import pytest

from neonsim.errors import BadArgument
from neonsim.nn.ops.explain.memory_traffic import fused_against_two_passes, result_traffic, traffic_table


@pytest.mark.parametrize("isa", ["aarch32", "aarch64"])
@pytest.mark.parametrize(("k", "block"), [(32, 16), (40, 64), (25, 8)])
def test_kernels_move_what_the_formula_says(isa: str, k: int, block: int) -> None:
    fused, split = fused_against_two_passes(k, block, isa)
    m = 8 if isa == "aarch64" else 4
    # A fused result is written once; the last rows and columns are never written twice in a full tile.
    assert (fused.bytes_read, fused.bytes_written) == result_traffic(m, 8, k)
    assert (split.bytes_read, split.bytes_written) == result_traffic(m, 8, k, block)
    assert split.blocks == -(-k // block) and split.loaded > fused.loaded
    assert "two-pass" in traffic_table((fused, split))


def test_every_further_block_costs_eight_bytes_a_result() -> None:
    one, two = result_traffic(8, 8, 512, 256), result_traffic(8, 8, 512, 128)
    assert sum(two) - sum(one) == 2 * 8 * 64
    with pytest.raises(BadArgument, match="aarch32 or aarch64"):
        fused_against_two_passes(isa="x86")
