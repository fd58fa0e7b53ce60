"""Weights of the newer kernels: against the packers' loops, back again, and drawn byte by byte."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from neonsim.errors import BadArgument
from neonsim.ukernel.packing import (
    TAIL,
    DepthwiseLayout,
    GemmLayout,
    pack_channelwise,
    pack_qc8w,
    pack_qd8,
    pack_qs8,
    pack_qu8,
    unpack,
)

# nr, kr, sr of c1, c2, c2s4, c4, c8, c16 kernels
TILES = [(16, 1, 1), (8, 2, 1), (8, 2, 4), (16, 4, 1), (8, 8, 1), (8, 16, 1)]


def by_loops(w: np.ndarray, words: list[int], nr: int, kr: int, sr: int, taps: int, fill: int = 0) -> bytes:
    """One byte after the other, in the order of the buffer; words: what stands in front of the weights (X30, X31)."""
    n, depth = w.shape[0], w.shape[1] // taps
    turn = kr * sr
    out = bytearray()
    for start in range(0, n, nr):
        for i in range(nr):
            out += struct.pack("<I", words[start + i] % 2**32) if start + i < n else bytes([fill]) * 4
        for tap in range(taps):
            for k0 in range(0, -(-depth // turn) * turn, kr):
                for i in range(nr):
                    for o in range(kr):
                        k = k0 // turn * turn + (k0 + i * kr) % turn + o
                        inside = start + i < n and k < depth
                        out.append(int(w[start + i, tap * depth + k]) & 0xFF if inside else fill)
    return bytes(out)


@pytest.mark.parametrize(("nr", "kr", "sr"), TILES)
@pytest.mark.parametrize(("n", "k", "taps"), [(1, 1, 1), (8, 8, 1), (17, 13, 1), (5, 33, 1), (9, 21, 3), (16, 64, 4)])
def test_packing_is_what_the_loops_give_and_comes_back(nr: int, kr: int, sr: int, n: int, k: int, taps: int) -> None:
    rng = np.random.default_rng((nr, kr, sr, n, k))
    depth = k // taps
    w = rng.integers(-127, 128, (n, 1, taps, depth)).astype(np.int8)
    bias = rng.integers(-5000, 5000, n).astype(np.int32)
    flat = w.reshape(n, -1)
    packed = pack_qs8(w, bias, nr=nr, kr=kr, sr=sr, a_zero_point=-7)
    folded = [int(b) + 7 * int(row.astype(int).sum()) for b, row in zip(bias, flat, strict=True)]
    assert packed.data.tobytes() == by_loops(flat, folded, nr, kr, sr, taps)
    weights, words = unpack(packed.data, packed.layout, "int8")
    assert np.array_equal(weights, flat)
    assert words.tolist() == folded

    unsigned = (w.astype(int) + 128).astype(np.uint8)
    other = pack_qu8(unsigned, bias, nr=nr, kr=kr, sr=sr, a_zero_point=5, w_zero_point=9)
    folded = [int(b) + flat.shape[1] * 45 - 5 * int(row.astype(int).sum())
              for b, row in zip(bias, unsigned.reshape(n, -1), strict=True)]
    assert other.data.tobytes() == by_loops(unsigned.reshape(n, -1), folded, nr, kr, sr, taps, 9)


@pytest.mark.parametrize(("nr", "kr", "sr"), TILES)
def test_scales_and_biases_lie_behind_the_weights_of_their_block(nr: int, kr: int, sr: int) -> None:
    rng = np.random.default_rng(nr * kr)
    n, k = 19, 11
    w = rng.integers(-127, 128, (n, k)).astype(np.int8)
    scales = rng.uniform(0.001, 0.1, n).astype(np.float32)
    floats = rng.normal(0, 1, n).astype(np.float32)
    plain = pack_qs8(w, np.zeros(n, np.int32), nr=nr, kr=kr, sr=sr, a_zero_point=0)
    scaled = pack_qc8w(w, np.zeros(n, np.int32), scales, nr=nr, kr=kr, sr=sr, a_zero_point=0)
    dynamic = pack_qd8(w, floats, scales, nr=nr, kr=kr, sr=sr)
    for j in range(plain.blocks):
        one, two, three = (p.block(j) for p in (plain, scaled, dynamic))
        size, count = one.data.size, one.n
        assert two.data[:size].tobytes() == one.data.tobytes()
        assert three.data[4 * nr:size].tobytes() == one.data[4 * nr:].tobytes()
        assert three.data[:4 * count].view("<i4").tolist() == (-one.weights.astype(int).sum(axis=1)).tolist()
        first = slice(j * nr, j * nr + count)
        assert two.data[size:].view("<f4")[:count].tolist() == scales[first].tolist()
        assert three.data[size:].view("<f4")[[*range(count), *range(nr, nr + count)]].tolist() == [
            *scales[first].tolist(), *floats[first].tolist()]
        assert two.scales is not None
        assert np.array_equal(two.scales, scales[first])
    table = dynamic.layout.table()
    assert (table.kind == TAIL).sum() == 8 * n
    assert "scale" in scaled.describe()
    assert dynamic.describe().splitlines()[2].split()[1] == "-sum"


def test_a_byte_says_what_it_is() -> None:
    layout = GemmLayout(3, 10, 4, 2, 8, whole=True, tail=("scale", "bias"), head="-sum")
    assert layout.describe_byte(0) == "block 0: byte 0 of the -sum of channel 0"
    assert layout.describe_byte(18) == "block 0, group 0: weight of channel 1, depth 2"
    assert layout.describe_byte(layout.nbytes - 32) == "block 0: byte 0 of the scale of channel 0, behind the weights"
    assert layout.describe_byte(layout.nbytes - 1) == ("block 0: byte 3 of the bias padding of channel 3, behind the "
                                                       "weights")


def test_wrong_operands_are_refused() -> None:
    w, bias = np.ones((2, 3), np.int8), np.zeros(2, np.int32)
    with pytest.raises(BadArgument, match=r"int8 in -127\.\.127"):
        pack_qs8(w.astype(np.uint8), bias, nr=8, a_zero_point=0)
    with pytest.raises(BadArgument, match="one scale per output channel"):
        pack_qc8w(w, bias, [0.5], nr=8, a_zero_point=0)
    with pytest.raises(BadArgument, match="positive, finite"):
        pack_qc8w(w, bias, [0.5, 0.0], nr=8, a_zero_point=0)
    with pytest.raises(BadArgument, match="bias must be finite"):
        pack_qd8(w, [0.0, np.nan], [0.5, 0.5], nr=8)
    with pytest.raises(BadArgument, match="after the weights must be scale or bias"):
        GemmLayout(1, 1, 1, tail=("magic",))


@pytest.mark.parametrize(("channels", "taps", "lanes"), [(5, 9, 8), (19, 9, 16), (16, 25, 8)])
def test_depthwise_weights_byte_by_byte(channels: int, taps: int, lanes: int) -> None:
    rng = np.random.default_rng(channels)
    w = rng.integers(-127, 128, (taps, channels), dtype=np.int8)
    bias, scales = rng.integers(-999, 999, channels, dtype=np.int32), rng.uniform(0.1, 2, channels).astype("f4")
    expected = bytearray()
    for start in range(0, channels, lanes):
        inside = [start + i if start + i < channels else None for i in range(lanes)]
        for c in inside:
            expected += struct.pack("<i", 0 if c is None else int(bias[c]) - 7 * int(w[:, c].astype(int).sum()))
        for tap in range(taps):
            expected += bytes(0 if c is None else int(w[tap, c]) & 0xFF for c in inside)
        for c in inside:
            expected += struct.pack("<f", 0 if c is None else float(scales[c]))
    packed = pack_channelwise(w, bias, scales, lanes=lanes, a_zero_point=7)
    assert packed.data.tobytes() == bytes(expected)
    assert packed.layout == DepthwiseLayout(channels, (taps,), lanes, scaled=True)
    # Every byte knows what it is.
    place = int(packed.layout.scale_offset(channels - 1)) + 2
    assert packed.layout.place(place) == ("scale", channels - 1, 2)
    assert packed.layout.describe_byte(place).endswith(f"byte 2 of the scale of channel {channels - 1}")
    assert packed.layout.place(int(packed.layout.weight_offset(channels - 1, 4))) == ("weight", channels - 1, 4)
    assert packed.layout.describe().splitlines()[-1].split()[1] == "scale"


@pytest.mark.parametrize(("change", "message"), [
    ({"weights": np.full((9, 4), -128, np.int8)}, "has -128"),
    ({"weights": np.ones((9, 4), np.uint8)}, "must be int8"),
    ({"bias": np.zeros(3, np.int32)}, r"int32 \[4\]"),
    ({"scales": [1.0, 2.0]}, "one scale per channel"),
    ({"scales": [1.0, 2.0, -3.0, 1.0]}, "scales of the channels"),
    ({"a_zero_point": 200}, "a_zero_point"),
], ids=["narrow", "dtype", "bias", "scales", "range", "zero_point"])
def test_depthwise_weights_refused(change: dict[str, object], message: str) -> None:
    given = {"weights": np.ones((9, 4), np.int8), "bias": np.zeros(4, np.int32), "scales": None, "a_zero_point": 0}
    with pytest.raises(BadArgument, match=message):
        pack_channelwise(**{**given, **change})  # type: ignore[arg-type]
