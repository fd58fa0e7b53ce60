"""Packed weights: against loops written as QNNPACK's packers go, and by what must hold for any layout."""

from __future__ import annotations

import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neonsim.errors import BadArgument
from neonsim.quant.fixedpoint import wrap
from neonsim.ukernel.packing import BIAS, PADDING, WEIGHT, GemmLayout, fold_bias, pack, pack_gemm, pack_gemm_xzp, unpack
from tests.tiers import examples

sizes = st.integers(1, 40)
layouts = st.one_of(
    st.builds(GemmLayout, n=sizes, k=sizes, nr=st.integers(1, 12), kr=st.integers(1, 9)),
    st.builds(lambda n, k, nr, kr, sr: GemmLayout(n, k, nr, kr, kr * sr if kr * sr > 1 else 1),
              sizes, sizes, st.integers(1, 12), st.sampled_from([1, 2, 4]), st.sampled_from([1, 2, 4, 8])),
)


def random_weights(n: int, k: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return (rng.integers(0, 256, (n, k), dtype=np.uint8),
            rng.integers(-(2**31), 2**31, n, dtype=np.int64).astype(np.int32))


def by_loops(w: np.ndarray, bias: np.ndarray, nr: int, kr: int, sr: int, za: int, zw: int, fill: int) -> bytes:
    """One byte after the other, in the order of the buffer: the packers' loops, without any offset arithmetic."""
    n, k = w.shape
    out = bytearray()
    whole = k // sr * sr if sr > 1 else 0
    for start in range(0, n, nr):
        channels = range(start, start + nr)
        for c in channels:
            if c < n:
                total = int(bias[c]) + k * za * zw - za * sum(int(v) for v in w[c])
                out += struct.pack("<I", total % 2**32)
            else:
                out += bytes([fill]) * 4
        for k0 in range(0, k, kr):
            for c in channels:
                for o in range(kr):
                    first = k0 // sr * sr + (k0 + (c - start) * kr) % sr if k0 < whole else k0
                    depth = first + o
                    out.append(int(w[c, depth]) if c < n and depth < k else fill)
    return bytes(out)


@pytest.mark.parametrize("nr,kr", [(8, 1), (4, 1), (8, 2), (3, 5), (1, 1)])
@pytest.mark.parametrize("n,k", [(8, 8), (1, 1), (9, 7), (16, 17), (5, 40), (13, 3)])
def test_plain_packing_is_what_the_loops_give(nr: int, kr: int, n: int, k: int) -> None:
    w, bias = random_weights(n, k)
    packed = pack_gemm(w, bias, nr=nr, kr=kr, a_zero_point=37, w_zero_point=201)
    assert packed.data.tobytes() == by_loops(w, bias, nr, kr, 1, 37, 201, 201)


@pytest.mark.parametrize("n", [1, 7, 8, 9, 17])
@pytest.mark.parametrize("k", [1, 2, 3, 7, 8, 9, 10, 15, 16, 23, 24, 31])
def test_swizzled_packing_is_what_the_loops_give(n: int, k: int) -> None:
    w, bias = random_weights(n, k)
    packed = pack_gemm_xzp(w, bias, a_zero_point=37, w_zero_point=201)
    assert (packed.nr, packed.kr, packed.sr, packed.padding) == (8, 2, 8, 0)
    assert packed.data.tobytes() == by_loops(w, bias, 8, 2, 8, 37, 201, 0)


@examples(50)
@given(layouts)
def test_every_byte_is_one_thing(layout: GemmLayout) -> None:
    channel, depth = np.arange(layout.n), np.arange(layout.k)
    places = np.concatenate([
        (layout.bias_offset(channel)[:, None] + np.arange(4)).reshape(-1),
        layout.weight_offset(channel[:, None], depth).reshape(-1),
    ])
    assert len(set(places.tolist())) == places.size == layout.n * (4 + layout.k)
    assert places.min() >= 0 and places.max() < layout.nbytes
    table = layout.table()
    assert (np.bincount(table.kind, minlength=3) == [layout.nbytes - places.size, 4 * layout.n,
                                                     layout.n * layout.k]).all()
    # The table, read backwards, is the arithmetic.
    at = np.flatnonzero(table.kind == WEIGHT)
    np.testing.assert_array_equal(layout.weight_offset(table.channel[at], table.depth[at]), at)
    at = np.flatnonzero(table.kind == BIAS)
    np.testing.assert_array_equal(layout.bias_offset(table.channel[at]) + table.part[at], at)
    assert (table.depth[table.kind == PADDING] == -1).all()
    assert layout.nbytes == layout.blocks * layout.block_bytes
    assert layout.block_bytes == layout.nr * (4 + -(-layout.k // layout.kr) * layout.kr)


@examples(40)
@given(layouts, st.integers(0, 255), st.integers(0, 255), st.integers(0, 255), st.sampled_from(["uint8", "int8"]))
def test_round_trip(layout: GemmLayout, za: int, zw: int, fill: int, dtype: str) -> None:
    w, bias = random_weights(layout.n, layout.k, seed=layout.nbytes)
    w, zw = w.view(dtype), zw - 128 if dtype == "int8" else zw
    packed = pack(w, bias, nr=layout.nr, kr=layout.kr, sr=layout.sr, a_zero_point=za, w_zero_point=zw, padding=fill)
    weights, folded = unpack(packed.data, packed.layout, dtype)
    np.testing.assert_array_equal(weights, w)
    np.testing.assert_array_equal(folded, packed.bias)
    assert (packed.data[packed.layout.table().kind == PADDING] == fill).all()
    np.testing.assert_array_equal(packed.unpacked, w.T)
    np.testing.assert_array_equal(packed.original_bias, bias)


@examples(60)
@given(st.integers(1, 50), st.integers(0, 255), st.integers(0, 255), st.integers(0, 2**32))
def test_zero_points_fold_into_the_bias(k: int, za: int, zb: int, seed: int) -> None:
    """sum (a-za)(b-zb) = sum ab - zb sum a - za sum b + K za zb, and the packed bias holds the last two (A31)."""
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 256, (3, k)), rng.integers(0, 256, (4, k), dtype=np.uint8)
    bias = rng.integers(-(2**31), 2**31, 4).astype(np.int32)
    folded = fold_bias(b, bias, za, zb).astype(np.int64)
    want = wrap((a - za) @ (b.astype(np.int64) - zb).T + bias)
    default_kernel = wrap(a @ (b.astype(np.int64) - zb).T + folded)             # subtracts zb from the weights
    swizzled_kernel = wrap(a @ b.astype(np.int64).T - zb * a.sum(1)[:, None] + folded)      # adds row sums
    np.testing.assert_array_equal(default_kernel, want)
    np.testing.assert_array_equal(swizzled_kernel, want)


def test_blocks_are_views_of_the_whole() -> None:
    w, bias = random_weights(19, 5)
    packed = pack_gemm(w, bias, nr=8, a_zero_point=3, w_zero_point=9)
    assert packed.blocks == 3
    for j in range(3):
        block = packed.block(j)
        np.testing.assert_array_equal(block.unpacked, w[8 * j:8 * j + 8].T)
        np.testing.assert_array_equal(block.original_bias, bias[8 * j:8 * j + 8])
        np.testing.assert_array_equal(unpack(block.data, block.layout)[0], w[8 * j:8 * j + 8])
        assert np.shares_memory(block.data, packed.data) and block.data.size == packed.layout.block_bytes
    assert packed.block(2).n == 3
    with pytest.raises(BadArgument, match="block"):
        packed.block(3)


def test_rotation_of_the_swizzle() -> None:
    """Group 0 holds depths 0-1 of channel 0, 2-3 of channel 1, 4-5, 6-7, and again 0-1 of channel 4."""
    layout = GemmLayout(n=8, k=16, nr=8, kr=2, sr=8)
    table = layout.table()
    first = table.depth[32:48].reshape(8, 2).tolist()
    assert first == [[0, 1], [2, 3], [4, 5], [6, 7]] * 2
    assert table.depth[32 + 4 * 16:48 + 4 * 16].reshape(8, 2).tolist() == [[8, 9], [10, 11], [12, 13], [14, 15]] * 2


def test_text_viewers() -> None:
    plain, swizzled = GemmLayout(9, 10, 8), GemmLayout(8, 10, 8, 2, 8)
    assert plain.describe().splitlines()[3].split() == ["+32", *["0"] * 8]
    assert plain.describe(1).splitlines()[2].split() == ["+0", "bias", *["."] * 7]
    rows = swizzled.describe().splitlines()
    assert " ".join(rows[3].split()) == "+32 0 1 2 3 4 5 6 7 0 1 2 3 4 5 6 7"
    assert " ".join(rows[7].split()) == "+96 8 9 8 9 8 9 8 9 8 9 8 9 8 9 8 9"
    assert "rotate by 2 per channel within each 8" in rows[0]
    assert GemmLayout(8, 100, 8).describe(max_groups=3).splitlines()[-1].strip() == "... 97 more groups of 1"
    assert swizzled.describe_byte(0) == "block 0: byte 0 of the bias of channel 0"
    assert plain.describe_byte(plain.block_bytes + 4) == "block 1: byte 0 of the bias padding of channel 9"
    assert plain.describe_byte(plain.nbytes - 1) == "block 1, group 9: padding"
    w, bias = random_weights(3, 4)
    assert f"0={w[0, 0]}" in pack_gemm(w, bias, nr=4, a_zero_point=0, w_zero_point=0).describe()


@pytest.mark.parametrize("weights,bias,word", [
    (np.zeros((2, 3)), np.zeros(2, np.int32), "weights must be uint8 or int8"),
    (np.zeros(3, np.uint8), np.zeros(3, np.int32), "weights must be uint8 or int8"),
    (np.zeros((0, 3), np.uint8), np.zeros(0, np.int32), "all sizes at least 1"),
    (np.zeros((2, 3), np.uint8), np.zeros(2), "bias must be int32"),
    (np.zeros((2, 3), np.uint8), np.zeros(3, np.int32), "bias must be int32"),
])
def test_operands_are_checked(weights: np.ndarray, bias: np.ndarray, word: str) -> None:
    with pytest.raises(BadArgument, match=word):
        pack_gemm(weights, bias, nr=8, a_zero_point=0, w_zero_point=0)


def test_layouts_and_zero_points_are_checked() -> None:
    w, bias = random_weights(2, 3)
    with pytest.raises(BadArgument, match="w_zero_point of uint8"):
        pack_gemm(w, bias, nr=8, a_zero_point=0, w_zero_point=256)
    with pytest.raises(BadArgument, match="a_zero_point"):
        pack_gemm(w, bias, nr=8, a_zero_point=256, w_zero_point=0)
    with pytest.raises(BadArgument, match="nr of a layout"):
        GemmLayout(1, 1, 0)
    with pytest.raises(BadArgument, match="power of two"):
        GemmLayout(1, 1, 8, 2, 6)
    with pytest.raises(BadArgument, match=r"uint8 \[64\]"):
        unpack(np.zeros(63, np.uint8), GemmLayout(4, 12, 4))
