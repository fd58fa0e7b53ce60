"""Winograd's convolution of 8-bit integers: the bytes of the direct way on three backends, or a refusal in words."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from neonsim import Quantized, Scheme
from neonsim.errors import BackendError, BadArgument
from neonsim.nn.backends.emulated import EmulatedBackend
from neonsim.nn.backends.native import backend
from neonsim.nn.ops import Conv2d, Deconv2d
from neonsim.nn.ops.lowering.winograd_tiling import candidate, tile_of

WITHOUT_LIBRARY = backend.available()


def layer(kind: str = "uint8", channels: int = 5, outputs: int = 11, window: tuple[int, int] = (3, 3),
          scales: bool = False, largest: int = 127, seed: int = 0, **options: Any) -> Conv2d:
    """Random weights of up to that size; zero points away from the middle."""
    rng = np.random.default_rng(seed)
    unsigned = kind == "uint8"
    values = rng.integers(-largest, largest + 1, (outputs, *window, channels)) + 128 * unsigned
    scale = np.linspace(0.01, 0.02, outputs).astype(np.float32)
    w = Quantized(values.astype(kind), scale, 0, axis=0) if scales else Quantized(values.astype(kind), 0.01,
                                                                                 128 if unsigned else 0)
    bias = rng.integers(-9000, 9000, outputs).astype(np.int32)
    return Conv2d(Scheme(0.05, 250 if unsigned else -7, kind), w, bias, out=Scheme(0.9, 100 if unsigned else 5, kind),
                  **options)


def image(of: Conv2d, height: int, width: int, batch: int = 1, ends: bool = False) -> Quantized:
    rng = np.random.default_rng((height, width))
    low, high = (0, 255) if of.schemes[0].dtype == "uint8" else (-128, 127)
    shape = (batch, height, width, of.depth)
    values = rng.choice([low, high], shape) if ends else rng.integers(low, high + 1, shape)
    return Quantized(values.astype(of.schemes[0].dtype), of.schemes[0].scale, of.schemes[0].zero_point)


SWEEP = [
    ("q31", {"padding": 1, "requantization": "q31"}, (7, 9), 1, "f23"),
    ("odd", {"requantization": "rndnu"}, (5, 4), 2, "f23"),
    ("one_pixel", {"requantization": "fp32"}, (3, 3), 1, "f23"),
    ("far_padding", {"padding": ((3, 0), (0, 2)), "requantization": "q31"}, (4, 6), 1, "f23"),
    ("clamped", {"padding": 1, "output_min": 40, "output_max": 180}, (6, 6), 1, "f23"),
    ("qs8", {"kind": "int8", "padding": 1, "requantization": "rndnu"}, (6, 5), 1, "f23"),
    ("qc8w", {"kind": "int8", "scales": True, "padding": 1}, (6, 9), 2, "f23"),
    ("one_channel", {"kind": "int8", "scales": True, "channels": 1, "outputs": 1}, (4, 4), 1, "f23"),
    ("nine_wide", {"kind": "int8", "channels": 17, "outputs": 9, "padding": 1}, (4, 4), 1, "f23"),
    ("row", {"kind": "int8", "window": (1, 3), "padding": (0, 1), "scales": True}, (6, 9), 1, "f23"),
    ("column", {"kind": "int8", "window": (3, 1), "padding": (1, 0), "scales": True}, (6, 9), 1, "f23"),
    ("two_by_two", {"window": (2, 2), "padding": (1, 0)}, (6, 9), 1, "f32"),
    ("four_in_a_row", {"window": (1, 4)}, (3, 9), 1, "f14"),
    ("eight_bits", {"kind": "int8", "padding": 1, "scales": True}, (7, 6), 1, "f43"),
    ("eight_bits_far_zero", {"padding": 1}, (9, 6), 1, "f43"),
    ("three", {"padding": 1}, (7, 6), 1, "f33"),
    ("seven_in_a_row", {"kind": "int8", "window": (1, 7), "padding": (0, 3), "scales": True}, (3, 9), 1, "f27"),
    ("seven_in_a_column", {"window": (7, 1), "padding": (3, 0)}, (9, 3), 1, "f27"),
    ("six_results", {"kind": "int8", "window": (1, 3), "padding": (0, 1)}, (3, 13), 1, "f63"),
    ("six_bits", {"kind": "int8", "largest": 31, "padding": 1, "scales": True}, (7, 6), 1, "f43"),
    ("double", {"kind": "int8", "padding": 1, "scale": np.linspace(0.001, 0.01, 11), "requantization": "gemmlowp"},
     (5, 6), 1, "f23"),
]


# Every day those of whose kinds and lengths the others are mixtures.
DAILY = {("aarch64", "odd"), ("aarch32", "q31"), ("aarch64", "column"), ("aarch32", "row"), ("aarch64", "one_channel")}


@pytest.mark.parametrize(("isa", "options", "size", "batch", "which"), [
    pytest.param(isa, *one[1:], id=f"{isa}-{one[0]}", marks=() if (isa, one[0]) in DAILY else pytest.mark.nightly)
    for isa in ("aarch64", "aarch32") for one in SWEEP])
def test_the_bytes_are_those_of_the_direct_way(isa: str, options: dict[str, Any], size: tuple[int, int], batch: int,
                                               which: str) -> None:
    of = layer(**options)
    for ends in (False, True):
        x = image(of, *size, batch, ends)
        wanted = of(x, backend="reference").values
        assert len(np.unique(wanted)) > 1
        lowering = f"winograd-{which}"
        assert np.array_equal(of(x, backend=EmulatedBackend(isa), lowering=lowering).values, wanted)
        if WITHOUT_LIBRARY is None and isa == "aarch64":
            assert np.array_equal(of(x, backend="native", lowering=lowering, threads=2).values, wanted)


def test_pixels_may_lie_apart() -> None:
    of = layer(padding=1)
    x = image(of, 6, 5)
    room = np.zeros((1, 6, 5, 20), np.uint8)
    result = room[..., 3:14]
    found = of(x, backend="emulated", lowering="winograd-f23", out_array=result)
    assert np.array_equal(result, of(x, backend="reference").values)
    assert found.values is result or np.array_equal(found.values, result)
    assert not room[..., :3].any()
    assert not room[..., 14:].any()


def test_a_plan_names_its_parts() -> None:
    of = layer(padding=1)
    plan = of.plan((1, 8, 8, 5), backend="emulated", lowering="winograd-f23")
    assert [choice.contract for choice in plan.choices] == [
        "qu8_winograd_source", "s16_winograd_source", "s16_gemm_s32", "s32_winograd_destination",
        "s32_winograd_destination", "qu8_requantize_q31"]
    assert "source transform of F(2, 3) down the columns" in plan.explain()
    products = 0
    for call in plan.job.calls:
        if call.implementation.contract == "s16_gemm_s32":
            sizes = [call.arguments[name] for name in ("mr", "nr", "kc")]
            products += call.tiles * math.prod(one for one in sizes if isinstance(one, int))
    record = candidate(of, (1, 8, 8, 5), 2)
    assert record.name == "winograd-f23"
    assert record.refusal == ""
    # Counted from the calls: 2.25 times less than the direct way where tiles fit.
    assert products == record.multiplications == 4 * 4 * 16 * 5 * 11
    assert record.direct / record.multiplications == 2.25
    regions = [one for one in plan.job.regions if one.role == "scratch"]
    assert 0.8 < record.scratch / sum(one.nbytes for one in regions) < 1.3


@pytest.mark.parametrize(("options", "which", "words"), [
    ({"stride": 2}, "f23", "for a stride of 1; this one is 2x2"),
    ({"dilation": 2}, "f23", "windows are dense; this one has a dilation of 2x2"),
    ({"groups": 5, "channels": 1, "outputs": 10}, "f23", "5 groups"),
    ({"window": (1, 1)}, "f21", "one tap has nothing to save"),
    ({"kind": "int8"}, "f53", r"its transformed source needs 18 bits \(any data: 18\); int16 has 16"),
    ({"kind": "int8", "window": (5, 5)}, "f25", r"its transformed weights need 1[78] bits \(any weights: 18\); int16"),
    ({"kind": "int8", "window": (1, 7)}, "f37", "bits; int16 has 16"),
    ({"window": (5, 5)}, "f65", "tiles of 10 numbers"),
])
def test_refusals(options: dict[str, Any], which: str, words: str) -> None:
    channels = options.pop("channels", 5)
    groups = options.get("groups", 1)
    of = layer(channels=channels, **options)
    with pytest.raises(BackendError, match=words):
        of.plan((1, 12, 12, channels * groups), backend="emulated", lowering=f"winograd-{which}")


def test_a_bias_that_would_not_fit_is_refused() -> None:
    rng = np.random.default_rng(0)
    w = Quantized(rng.integers(-99, 99, (3, 3, 3, 4)).astype(np.int8), 0.01)
    for bias, fits in ((1 << 28, True), (1 << 29, False)):
        of = Conv2d(Scheme(0.1, 3, "int8"), w, np.full(3, bias, np.int32), out=Scheme(1e6, 0, "int8"))
        assert (candidate(of, (1, 5, 5, 4), 2).refusal == "") == fits
    assert "its sums need 33 bits" in candidate(of, (1, 5, 5, 4), 2).refusal


@pytest.mark.parametrize(("name", "words"), [
    ("winograd", "must be called winograd-fNK"), ("winograd-f2", "must be called winograd-fNK"),
    ("winograd-f25", "for windows of 5 taps; this one is 3x3: use winograd-f23"),
])
def test_names(name: str, words: str) -> None:
    with pytest.raises(BadArgument, match=words):
        tile_of(name, (3, 3))
    with pytest.raises(BadArgument, match=words):
        layer().plan((1, 5, 5, 5), backend="emulated", lowering=name)


def test_no_kernel_of_ones_own() -> None:
    with pytest.raises(BackendError, match="Omit kernel"):
        layer().plan((1, 5, 5, 5), backend="emulated", lowering="winograd-f23",
                     kernel="qu8_gemm_q31_8x8__aarch64_neon_mlal_lane")


# ---- deconvolutions --------------------------------------------------------------------------------------------------

DECONVOLUTIONS = [
    ("uint8", (3, 3), 2, 1, 1, (4, 5)), ("int8", (4, 4), 2, 1, 0, (4, 3)), ("int8", (5, 3), (2, 1), (1, 0), 0, (3, 4)),
    ("uint8", (3, 3), 3, 0, 0, (3, 3)), ("int8", (3, 3), 1, 1, 0, (5, 4)),
    ("uint8", (2, 5), (1, 3), ((0, 1), (4, 2)), 0, (3, 6)),
]


def deconvolution(kind: str, window: tuple[int, int], **options: Any) -> Deconv2d:
    rng, unsigned = np.random.default_rng(3), kind == "uint8"
    low, high = (1, 255) if unsigned else (-127, 128)
    w = Quantized(rng.integers(low, high, (3, *window, 9)).astype(kind), 0.01, 120 * unsigned)
    return Deconv2d(Scheme(0.05, 131 if unsigned else 5, kind), w, rng.integers(-999, 999, 9).astype(np.int32),
                    out=Scheme(0.9, 100 * unsigned, kind), **options)


@pytest.mark.parametrize(("kind", "window", "stride", "padding", "adjustment", "size"), [
    pytest.param(*one, id=f"{one[1]}-{one[2]}", marks=() if at == 2 else pytest.mark.nightly)
    for at, one in enumerate(DECONVOLUTIONS)])
def test_deconvolutions_are_cut_into_phases(kind: str, window: tuple[int, int], stride: Any, padding: Any,
                                            adjustment: int, size: tuple[int, int]) -> None:
    """Each phase is a convolution by some of the taps: the bytes of the definition."""
    of = deconvolution(kind, window, stride=stride, padding=padding, adjustment=adjustment)
    values = np.random.default_rng(size).integers(0, 256, (2, *size, 3)).astype(np.uint8).view(kind)
    x = Quantized(values, 0.05, of.schemes[0].zero_point)
    wanted = of(x, backend="reference").values
    for name in ("emulated", *(["native"] if WITHOUT_LIBRARY is None else [])):
        assert np.array_equal(of(x, backend=name, lowering=f"winograd-f2{max(window)}").values, wanted)


@pytest.mark.parametrize(("options", "words"), [
    ({"stride": 4}, "its stride is larger than the window"), ({"dilation": 2}, "windows are dense"),
    ({"kernel": "qu8_conv_q31_8x8__aarch64_neon_mlal_lane"}, "leave kernel out"),
])
def test_deconvolutions_that_it_does_not_suit(options: dict[str, Any], words: str) -> None:
    kernel = options.pop("kernel", None)
    with pytest.raises(BackendError, match=words):
        deconvolution("uint8", (3, 3), **options).plan((1, 5, 5, 3), backend="emulated", lowering="winograd-f23",
                                                       kernel=kernel)
