"""Operators against loops over real numbers and integers, and what they refuse."""

from __future__ import annotations

import itertools
import pickle
import re
from fractions import Fraction
from math import floor
from typing import Any

import numpy as np
import pytest

from neonsim.errors import BackendError, BadArgument
from neonsim.nn.backends import Job
from neonsim.nn.backends.reference import ReferenceBackend, ReferenceJob
from neonsim.nn.ops import FullyConnected, conv2d, fully_connected
from neonsim.quant import Q31Params, Quantized, Scheme, largest_error, requantize


def quantized(rng: np.random.Generator, shape: tuple[int, ...], scale: Any = 1.0, zero_point: int | None = None,
              dtype: str = "uint8", axis: int | None = None) -> Quantized:
    values = rng.integers(0, 256, shape, dtype=np.uint8).view(dtype)
    chosen = int(values.reshape(-1)[0]) if zero_point is None else zero_point
    return Quantized(values, scale, chosen, axis)


def convolve_by_loops(x: Quantized, w: Quantized, bias: np.ndarray, stride: tuple[int, int], top: int, left: int,
                      output: tuple[int, int], dilation: tuple[int, int], groups: int) -> np.ndarray:
    """Accumulators, pixel by pixel, from the definition."""
    batch, height, width, _ = x.shape
    outputs, kh, kw, depth = w.shape
    xs, ws = x.values.astype(int) - x.zero_point, w.values.astype(int) - w.zero_point
    acc = np.zeros((batch, *output, outputs), np.int64) + bias
    for b, oy, ox, o in itertools.product(range(batch), range(output[0]), range(output[1]), range(outputs)):
        first = o // (outputs // groups) * depth
        for ky, kx in itertools.product(range(kh), range(kw)):
            y, col = oy * stride[0] + ky * dilation[0] - top, ox * stride[1] + kx * dilation[1] - left
            if 0 <= y < height and 0 <= col < width:
                acc[b, oy, ox, o] += int(xs[b, y, col, first:first + depth] @ ws[o, ky, kx])
    return acc


CONVOLUTIONS: dict[str, dict[str, Any]] = {
    "1x1": {"kernel": (1, 1)},
    "1x1_stride2": {"kernel": (1, 1), "stride": 2},
    "1x1_padded": {"kernel": (1, 1), "padding": 1},
    "3x3": {"kernel": (3, 3)},
    "3x3_same": {"kernel": (3, 3), "padding": 1},
    "3x3_stride2_bottom_right": {"kernel": (3, 3), "stride": 2, "padding": ((0, 1), (0, 1))},
    "1x3_stride_1x2": {"kernel": (1, 3), "stride": (1, 2), "padding": (0, 1)},
    "3x1_dilated": {"kernel": (3, 1), "dilation": (2, 1)},
    "2x2_groups": {"kernel": (2, 2), "groups": 2},
    "depthwise": {"kernel": (3, 3), "groups": 4, "padding": 1},
    "all": {"kernel": (2, 3), "groups": 2, "stride": (2, 1), "dilation": (1, 2), "padding": ((1, 0), (2, 3))},
}


@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_conv2d_is_the_definition(name: str) -> None:
    options = dict(CONVOLUTIONS[name])
    kernel, groups = options.pop("kernel"), options.get("groups", 1)
    rng = np.random.default_rng(len(name))
    x, w = quantized(rng, (2, 6, 5, 4), 0.5), quantized(rng, (8, *kernel, 4 // groups), 0.25)
    bias = rng.integers(-2000, 2000, 8, dtype=np.int32)
    out = Scheme(40.0, 120)
    y = conv2d(x, w, bias, out=out, backend="reference", **options)
    pair = {key: (v, v) if isinstance(v := options.get(key, 1), int) else v for key in ("stride", "dilation")}
    padding = options.get("padding", 0)
    padding = (padding, padding) if isinstance(padding, int) else padding
    top, left = (p if isinstance(p, int) else p[0] for p in padding)
    acc = convolve_by_loops(x, w, bias, pair["stride"], top, left, (y.shape[1], y.shape[2]), pair["dilation"], groups)
    np.testing.assert_array_equal(y.values, requantize(acc, 0.5 * 0.25 / 40.0, 120))
    assert y.backend == "reference" and y.scheme == out


@pytest.mark.parametrize("scheme", ["q31", "precise", "fp32", "rndnu", "gemmlowp", "fp32_magic"])
@pytest.mark.parametrize("dtype", ["uint8", "int8"])
def test_fully_connected_in_every_scheme(scheme: str, dtype: str) -> None:
    rng = np.random.default_rng(4)
    x, w = quantized(rng, (7, 19), 0.5, dtype=dtype), quantized(rng, (6, 19), 0.25, dtype=dtype)
    if dtype == "int8":     # symmetric: no zero point, no -128
        w = Quantized(np.maximum(w.values, -127), 0.25, 0)
    bias = rng.integers(-2000, 2000, 6, dtype=np.int32)
    acc = (x.values.astype(int) - x.zero_point) @ (w.values.astype(int) - w.zero_point).T + bias
    y = fully_connected(x, w, bias, out=Scheme(33.0, 3, dtype), requantization=scheme, backend="reference")
    scale = np.float32(0.5) * np.float32(0.25) / np.float32(33.0)
    np.testing.assert_array_equal(y.values, requantize(acc, scale, 3, scheme=scheme, dtype=dtype))


def test_result_is_near_the_real_product() -> None:
    rng = np.random.default_rng(6)
    x, w = quantized(rng, (9, 32), 0.02), quantized(rng, (5, 32), 0.01)
    out = Scheme.covering(-10.0, 10.0)
    y = fully_connected(x, w, out=out, backend="reference")
    real = np.clip(x.dequantize() @ w.dequantize().T, *out.range)
    error = np.abs(y.dequantize() - real).max() / float(out.scale)
    # A little more than the rounding: real products are in single precision themselves.
    assert error <= largest_error(0.02 * 0.01 / float(out.scale)) + 1e-3


@pytest.mark.nightly
def test_scale_is_computed_in_single_precision_and_in_this_order() -> None:
    """QNNPACK: input scale * kernel scale / output scale, in float: not the nearest float to the exact quotient."""
    a, b, c = 0.1, 0.3, 0.77
    assert np.float32(np.float32(a) * np.float32(b)) / np.float32(c) != np.float32(a * b / c)
    x = Quantized(np.full((1, 1), 255, np.uint8), a)
    w = Quantized(np.full((1, 1), 255, np.uint8), b)
    scale = Fraction(float(np.float32(np.float32(a) * np.float32(b)) / np.float32(c)))
    params = FullyConnected(x.scheme, w, out=Scheme(c)).params
    assert isinstance(params, Q31Params) and Fraction(params.scale) == scale
    for bias in range(-65_025, -55_000, 13):
        y = fully_connected(x, w, np.array([bias], np.int32), out=Scheme(c), requantization="rndnu",
                            backend="reference")
        assert y.values.item() == min(max(floor((255 * 255 + bias) * scale + Fraction(1, 2)), 0), 255)


def test_per_channel_scales() -> None:
    rng = np.random.default_rng(8)
    scales = np.linspace(0.001, 0.5, 6).astype(np.float32)
    x = quantized(rng, (1, 5, 5, 4), 0.5, dtype="int8")
    w = Quantized(rng.integers(-127, 128, (6, 3, 3, 2), dtype=np.int8), scales, 0, axis=0)
    y = conv2d(x, w, out=Scheme(9.0, 3, "int8"), groups=2, requantization="fp32", backend="reference")
    for channel in range(6):
        one = Quantized(w.values[channel:channel + 1], float(scales[channel]), 0)
        part = Quantized(x.values[..., channel // 3 * 2:channel // 3 * 2 + 2], 0.5, x.zero_point)
        alone = conv2d(part, one, out=Scheme(9.0, 3, "int8"), requantization="fp32", backend="reference")
        np.testing.assert_array_equal(y.values[..., channel], alone.values[..., 0])


def test_equal_scales_per_channel_are_one_scale() -> None:
    """The path of kernels (Q31Params) and the general one (SchemeParams) are the same maths."""
    rng = np.random.default_rng(12)
    x, values = quantized(rng, (20, 33), 0.5), rng.integers(0, 256, (9, 33), dtype=np.uint8)
    bias = rng.integers(-99, 99, 9, dtype=np.int32)
    one = fully_connected(x, Quantized(values, 0.25, 77), bias, out=Scheme(55.0, 9), backend="reference")
    each = fully_connected(x, Quantized(values, np.full(9, 0.25), 77, axis=0), bias, out=Scheme(55.0, 9),
                           backend="reference")
    np.testing.assert_array_equal(one.values, each.values)


def test_fully_connected_and_1x1_convolution_agree() -> None:
    rng = np.random.default_rng(9)
    x, w = quantized(rng, (2, 3, 4, 10)), quantized(rng, (7, 1, 1, 10))
    bias = rng.integers(-9, 9, 7, dtype=np.int32)
    flat = fully_connected(x, Quantized(w.values.reshape(7, 10), 1.0, w.zero_point), bias, out=Scheme(400.0, 99),
                           backend="reference")
    np.testing.assert_array_equal(conv2d(x, w, bias, out=Scheme(400.0, 99), backend="reference").values, flat.values)
    assert flat.shape == (2, 3, 4, 7)


def test_clamp() -> None:
    rng = np.random.default_rng(10)
    x, w = quantized(rng, (9, 12), zero_point=127), quantized(rng, (9, 12), zero_point=127)
    free = fully_connected(x, w, out=Scheme(200.0, 128), backend="reference").values
    held = fully_connected(x, w, out=Scheme(200.0, 128), output_min=100, output_max=150, backend="reference").values
    np.testing.assert_array_equal(held, np.clip(free, 100, 150))
    assert free.min() < 100 and free.max() > 150


def test_rows_may_be_apart() -> None:
    """A slice of the columns of a wider matrix is taken as it lies; so is every other row."""
    rng = np.random.default_rng(11)
    big = rng.integers(0, 256, (20, 64), dtype=np.uint8)
    w = quantized(rng, (5, 16))
    for view in (big[:, 8:24], big[::3, 40:56], big[7:8, :16]):
        got = fully_connected(Quantized(view, 1.0, 9), w, out=Scheme(500.0, 99), backend="reference")
        copy = fully_connected(Quantized(view.copy(), 1.0, 9), w, out=Scheme(500.0, 99), backend="reference")
        np.testing.assert_array_equal(got.values, copy.values)


@pytest.mark.parametrize("view,words", [
    (np.ones((20, 64), np.uint8)[:, ::4], "16 channels of a pixel must lie next to each other"),
    (np.ones((20, 16), np.uint8)[::-1], "in ascending order"),
    (np.broadcast_to(np.ones(16, np.uint8), (4, 16)), "at least 16 bytes apart"),
    (np.ones((4, 6, 16), np.uint8)[:, ::2][:, :2], "not all of them"),
], ids=["every_fourth_column", "rows_backwards", "one_row_repeated", "uneven"])
def test_what_kernels_cannot_walk_over_is_refused(view: np.ndarray, words: str) -> None:
    w = quantized(np.random.default_rng(1), (5, 16))
    with pytest.raises(BadArgument, match=words):
        fully_connected(Quantized(view, 1.0), w, out=Scheme(500.0), backend="reference")


class Spy(ReferenceBackend):
    """Counts how often it was asked to run."""

    runs = 0

    def load(self, job: Job) -> ReferenceJob:
        loaded = super().load(job)
        run = loaded.run

        def counted(threads: int = 1) -> None:
            self.runs += 1
            run(threads)

        loaded.run = counted  # type: ignore[method-assign]
        return loaded


def test_empty_batch_is_fine_and_no_work() -> None:
    w = Quantized(np.ones((3, 4), np.uint8), 0.5)
    spy = Spy()
    y = fully_connected(Quantized(np.ones((0, 4), np.uint8), 0.5), w, out=Scheme(1.0), backend=spy)
    assert y.shape == (0, 3) and y.dtype == np.uint8 and y.backend == "reference" and not spy.runs
    image, kernel = Quantized(np.ones((0, 5, 5, 2), np.uint8), 0.5), Quantized(np.ones((3, 3, 3, 2), np.uint8), 0.5)
    assert conv2d(image, kernel, out=Scheme(1.0), padding=1, backend="reference").shape == (0, 5, 5, 3)


def test_best_backend_says_who_it_was() -> None:
    x, w = Quantized(np.ones((1, 4), np.uint8), 0.5), Quantized(np.ones((3, 4), np.uint8), 0.5)
    assert fully_connected(x, w, out=Scheme(1.0)).backend in ("native", "reference")
    # What the kernels cannot do goes to the reference.
    assert fully_connected(x, w, out=Scheme(1.0), requantization="precise").backend == "reference"
    again = pickle.loads(pickle.dumps(fully_connected(x, w, out=Scheme(1.0))))
    assert again.backend in ("native", "reference") and again.kernel


# ---- what is refused

X = Quantized(np.ones((2, 4), np.uint8), 0.5, 3)
W = Quantized(np.ones((3, 4), np.uint8), 0.5, 3)
OUT = Scheme(1.0, 3)
BIAS = np.zeros(3, np.int32)


@pytest.mark.parametrize("changes,words", [
    ({"x": np.ones((2, 4), np.uint8)}, "x must be a Quantized"),
    ({"w": [[1, 2]]}, "w must be a Quantized"),
    ({"out": 0.5}, "out must be a Scheme"),
    ({"bias": np.zeros(3)}, "bias must be int32 [3]"),
    ({"bias": np.zeros(4, np.int32)}, "bias must be int32 [3], one per output channel"),
    ({"bias": [0, 0, 0]}, "round(float bias / (input scale * weight scale))"),
    ({"x": Quantized(np.ones((2, 5), np.uint8), 0.5)}, "5 in x and 4 in w"),
    ({"x": Quantized(np.ones((2, 4), np.uint8), np.ones(4, np.float32), axis=1)}, "only weights may"),
    ({"out": Scheme(np.ones(3, np.float32), axis=0)}, "only weights may"),
    ({"w": Quantized(np.ones((3, 4), np.uint8), np.ones(4, np.float32), axis=1)},
     "one scale per output channel, axis=0"),
    ({"w": Quantized(np.ones((3, 4, 1), np.uint8), 0.5)}, "[out, in]"),
    ({"w": Quantized(np.ones((3, 0), np.uint8), 0.5)}, "with all sizes at least 1"),
    ({"requantization": "mode 2"}, "Use precise, rndnu"),
    ({"output_min": 9, "output_max": 8}, "output_min 9 is greater than output_max 8"),
    ({"output_min": -1}, "output_min of uint8"),
    ({"output_max": 256}, "output_max of uint8"),
    ({"threads": 0}, "threads must be in"),
    ({"threads": "two"}, "threads must be an integer"),
    ({"backend": "gpu"}, "Unknown backend 'gpu'"),
    ({"out": Scheme(0.25)}, "choose a larger output scale"),
    ({"out": Scheme(0.2)}, "input scale * weight scale / output scale does not suit requantization='q31'"),
    ({"out": Scheme(0.0009), "requantization": "precise"}, "precise takes 2**-32 <= scale < 256"),
], ids=lambda value: "-".join(value) if isinstance(value, dict) else None)
def test_fully_connected_refuses(changes: dict[str, Any], words: str) -> None:
    arguments: dict[str, Any] = {"x": X, "w": W, "bias": BIAS, "out": OUT, "backend": "reference", **changes}
    with pytest.raises(BadArgument, match=re.escape(words)):
        fully_connected(arguments.pop("x"), arguments.pop("w"), arguments.pop("bias"), **arguments)


IMAGE = Quantized(np.ones((1, 5, 5, 4), np.uint8), 0.5, 3)
KERNEL = Quantized(np.ones((6, 3, 3, 4), np.uint8), 0.5, 3)


@pytest.mark.parametrize("changes,words", [
    ({"x": X}, "[batch, height, width, channels]"),
    ({"w": W}, "[out, kh, kw, in/groups]"),
    ({"groups": 2}, "x has 4 channels, w [6, 3, 3, 4] with groups=2 needs 2 * 4 = 8"),
    ({"groups": 0}, "groups must be in"),
    ({"x": Quantized(np.ones((1, 5, 5, 16), np.uint8), 0.5), "groups": 4}, "does not divide the 6 output channels"),
    ({"dilation": 3}, "no output pixel is left"),
    ({"stride": 0}, "stride must be"),
    ({"padding": "same"}, "padding must be an integer"),
], ids=lambda value: "-".join(value) if isinstance(value, dict) else None)
def test_conv2d_refuses(changes: dict[str, Any], words: str) -> None:
    arguments: dict[str, Any] = {"x": IMAGE, "w": KERNEL, "out": OUT, "backend": "reference", **changes}
    with pytest.raises(BadArgument, match=re.escape(words)):
        conv2d(arguments.pop("x"), arguments.pop("w"), **arguments)


def test_kernel_on_a_backend_without_it() -> None:
    with pytest.raises(BackendError, match="reference backend has no kernels"):
        fully_connected(X, W, out=OUT, backend="reference", kernel="qu8_gemm_q31_4x8__aarch32_neon_mlal_lane")
