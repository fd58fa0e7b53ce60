"""Cases of the uint8 operators, by the axes of the libraries' own tests, with a name each.

    operator            axes
    convolutions        windows, each padding side, strides, dilation, groups, depthwise 3x3 and 5x5, pixel strides,
                        batch, clamps, zero points, depths and channels of every residue
    pooling             every regime of channels and taps, each padding side, strides, dilation, clamps, zero points,
                        ratios
    element by element  lengths around the vector width and the task, scales, zero points, clamps
    channels            groups 2 to 7; channels around the vector width

"quick" takes a seeded sample of the residues, "full" all of them. The table is in `tests.nn.operator_cases.operators`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from neonsim.quant.scheme import Quantized, Scheme
from tests.nn.operator_cases.products import Case, sample, tensor

Random = np.random.Generator
SIDES = {"top": ((1, 0), (0, 0)), "bottom": ((0, 1), (0, 0)), "left": ((0, 0), (1, 0)), "right": ((0, 0), (0, 1)),
         "all_sides": 1}


def _quantized(rng: Random, shape: tuple[int, ...], scale: float = 1.0, zero_point: int | None = None,
               spare: int = 0) -> Quantized:
    return tensor(rng, shape, "uint8", scale, zero_point, spare)


# ---- convolutions

def _convolution(rng: Random, name: str, kernel: tuple[int, int] = (3, 3), inputs: int = 3, outputs: int = 5, *,
                 image: tuple[int, int, int] = (1, 6, 7), groups: int = 1, zero_points: tuple[int, int] | None = None,
                 spare: int = 0, **options: Any) -> Case:
    za, zw = zero_points or tuple(int(v) for v in rng.integers(0, 256, 2))
    x = _quantized(rng, (*image, inputs), 1.0, za, spare)
    w = _quantized(rng, (outputs, *kernel, inputs // groups), 1.0, zw)
    bias = rng.integers(-1000, 1001, outputs, dtype=np.int32)
    out = Scheme(float(90 * np.sqrt(kernel[0] * kernel[1] * inputs / groups)), 128)
    return Case(name, (x, w, bias), {"out": out, "groups": groups, **options})


def conv2d(rng: Random, size: str) -> Iterator[Case]:
    for window in ((1, 1), (1, 3), (3, 1), (3, 3), (2, 5)):
        yield _convolution(rng, f"{window[0]}x{window[1]}", window)
    for side, padding in SIDES.items():
        yield _convolution(rng, f"3x3_padding_{side}", padding=padding)
    for name, options in {"s2": {"stride": 2}, "s1x2": {"stride": (1, 2)}, "s2x1": {"stride": (2, 1)},
                          "d2": {"dilation": 2, "padding": 1}, "d1x2": {"dilation": (1, 2)},
                          "d2x1": {"dilation": (2, 1)}, "stride_beyond_window": {"stride": 4},
                          "padding_beyond_window": {"padding": 4}}.items():
        yield _convolution(rng, f"3x3_{name}", **options)  # type: ignore[arg-type]  # options of the operator
    yield _convolution(rng, "1x1_s2", (1, 1), stride=2)
    yield _convolution(rng, "1x1_padded", (1, 1), padding=1)
    yield _convolution(rng, "grouped_3x3", inputs=6, outputs=8, groups=2, padding=1)
    yield _convolution(rng, "grouped_1x1", (1, 1), inputs=12, outputs=20, groups=4)
    yield _convolution(rng, "batch", image=(3, 4, 5), padding=1)
    yield _convolution(rng, "zero_batch", image=(0, 4, 5))
    yield _convolution(rng, "pixel_stride", spare=5, padding=1)
    yield _convolution(rng, "qmin128", output_min=128)
    yield _convolution(rng, "qmax128", output_max=128)
    for za, zw in ((0, 127), (127, 0), (0, 0), (255, 255)):
        yield _convolution(rng, f"azp{za}_wzp{zw}", zero_points=(za, zw), padding=1)
    for window in ((3, 3), (5, 5), (1, 9), (7, 7)):
        name = f"depthwise_{window[0]}x{window[1]}"
        image = (1, 8, 10)
        for channels in (8, 11):
            yield _convolution(rng, f"{name}_c{channels}", window, channels, channels, groups=channels, image=image)
        yield _convolution(rng, f"{name}_s2", window, 9, 9, groups=9, image=image, stride=2, padding=2)
        yield _convolution(rng, f"{name}_d1x2", window, 8, 8, groups=8, image=(1, 9, 20), dilation=(1, 2), padding=1)
        yield _convolution(rng, f"{name}_pixel_stride", window, 9, 9, groups=9, image=image, spare=3, padding=1)
    for depth in sample(rng, range(1, 41), size, 5):
        yield _convolution(rng, f"depth{depth}", (2, 2), depth, 9, image=(1, 3, 4))
        yield _convolution(rng, f"1x1_depth{depth}", (1, 1), depth, 9, image=(1, 3, 3))
    for channels in sample(rng, range(1, 41), size, 5):
        yield _convolution(rng, f"depthwise_c{channels}", inputs=channels, outputs=channels, groups=max(channels, 1),
                           image=(1, 3, 5), padding=1)
    for outputs in sample(rng, range(1, 25), size, 4):
        yield _convolution(rng, f"outputs{outputs}", (2, 2), 9, outputs, image=(1, 4, 4))
    for width in sample(rng, range(3, 12), size, 4):
        yield _convolution(rng, f"depthwise_width{width}", inputs=8, outputs=8, groups=8, image=(1, 3, width),
                           padding=1)


def deconv2d(rng: Random, size: str) -> Iterator[Case]:
    def case(name: str, kernel: tuple[int, int] = (3, 3), inputs: int = 3, outputs: int = 5, *, groups: int = 1,
             image: tuple[int, int, int] = (1, 4, 5), spare: int = 0, **options: Any) -> Case:
        x = _quantized(rng, (*image, inputs), spare=spare)
        w = _quantized(rng, (inputs, *kernel, outputs // groups))
        bias = rng.integers(-1000, 1001, outputs, dtype=np.int32)
        out = Scheme(float(90 * np.sqrt(kernel[0] * kernel[1] * inputs / groups)), 128)
        return Case(name, (x, w, bias), {"out": out, "groups": groups, **options})

    for window in ((1, 1), (1, 3), (3, 1), (3, 3)):
        yield case(f"{window[0]}x{window[1]}", window)
    for side, padding in SIDES.items():
        yield case(f"3x3_padding_{side}", padding=padding)
    for name, options in {"s2": {"stride": 2}, "s1x2": {"stride": (1, 2)}, "s2x1": {"stride": (2, 1)},
                          "s3_beyond_window_1": {"stride": 3, "kernel": (1, 1)}, "d2": {"dilation": 2},
                          "d2x1": {"dilation": (2, 1), "stride": 2},
                          "s2_adjustment": {"stride": 2, "padding": 1, "adjustment": 1},
                          "s2_adjustment_0x1": {"stride": 2, "adjustment": (0, 1)}}.items():
        yield case(name, **options)  # type: ignore[arg-type]  # options of the operator
    yield case("grouped", inputs=6, outputs=8, groups=2, stride=2, padding=1)
    yield case("batch", image=(3, 3, 2), stride=2)
    yield case("zero_batch", image=(0, 3, 2))
    yield case("pixel_stride", spare=4)
    yield case("qmin128", output_min=128)
    yield case("qmax128", output_max=128)
    for depth in sample(rng, range(1, 41), size, 4):
        yield case(f"depth{depth}", (2, 2), depth, 9, image=(1, 2, 3), stride=2)


# ---- pooling

def global_avg_pool(rng: Random, size: str) -> Iterator[Case]:
    def case(name: str, shape: tuple[int, ...], scale: float = 1.0, zero_point: int = 128, spare: int = 0,
             **options: Any) -> Case:
        return Case(name, (_quantized(rng, shape, scale, None, spare),), {"out": Scheme(1.0, zero_point), **options})

    for channels in (1, 7, 8, 9, 16, 23):
        for width in (1, 6, 7, 8, 14, 15, 49):
            yield case(f"c{channels}_m{width}", (2, width, channels))
    yield case("image", (2, 3, 4, 11))
    yield case("zero_batch", (0, 9, 8))
    yield case("pixel_stride", (2, 9, 10), spare=7)
    for scale in (0.01, 0.3, 2.5, 100.0):
        yield case(f"ratio{scale}", (1, 10, 9), scale)
    for zero_point in (0, 255):
        yield case(f"out_zp{zero_point}", (1, 10, 9), 1.0, zero_point)
    yield case("qmin128", (1, 10, 9), output_min=128)
    yield case("qmax128", (1, 10, 9), output_max=128)
    for channels in sample(rng, range(1, 41), size, 4):
        for width in sample(rng, range(1, 31), size, 3):
            yield case(f"residue_c{channels}_m{width}", (1, width, channels))


def _window_options() -> dict[str, dict[str, Any]]:
    return {"2x2": {"pool": 2}, "3x3": {"pool": 3}, "1x3": {"pool": (1, 3)}, "3x1": {"pool": (3, 1)},
            "1x9": {"pool": (1, 9)}, "2x5": {"pool": (2, 5)}, "4x4": {"pool": 4}, "5x5": {"pool": 5},
            "3x3_s1": {"pool": 3, "stride": 1}, "3x3_s2": {"pool": 3, "stride": 2},
            "2x2_s3_beyond": {"pool": 2, "stride": 3}, "3x3_s1x2": {"pool": 3, "stride": (1, 2)},
            **{f"3x3_padding_{side}": {"pool": 3, "stride": 2, "padding": padding} for side, padding in SIDES.items()}}


def avg_pool2d(rng: Random, size: str) -> Iterator[Case]:
    def case(name: str, channels: int, batch: int = 1, scale: float = 1.0, spare: int = 0, image: int = 9,
             **options: Any) -> Case:
        x = _quantized(rng, (batch, image, image + 1, channels), scale, None, spare)
        return Case(name, (x,), {"out": Scheme(1.0, 128), **options})

    for name, options in _window_options().items():
        for channels in (3, 8, 13):
            yield case(f"{name}_c{channels}", channels, **options)
    yield case("batch", 9, 3, pool=2)
    yield case("zero_batch", 9, 0, pool=2)
    yield case("pixel_stride", 9, spare=5, pool=3, padding=1)
    for scale in (0.01, 2.5, 100.0):
        yield case(f"ratio{scale}", 9, scale=scale, pool=3)
    yield case("qmin128", 9, pool=3, output_min=128)
    yield case("qmax128", 9, pool=3, output_max=128)
    for channels in sample(rng, range(1, 41), size, 4):
        for taps in sample(rng, range(2, 27), size, 3):
            yield case(f"residue_c{channels}_taps{taps}", channels, image=27 if taps > 9 else 9, pool=(1, taps))


def max_pool2d(rng: Random, size: str) -> Iterator[Case]:
    def case(name: str, channels: int, batch: int = 1, spare: int = 0, image: int = 9, **options: Any) -> Case:
        return Case(name, (_quantized(rng, (batch, image, image + 1, channels), spare=spare),), options)

    for name, options in {**_window_options(), "3x3_d2": {"pool": 3, "dilation": 2, "stride": 1},
                          "3x3_d1x2": {"pool": 3, "dilation": (1, 2), "stride": 1, "padding": 1},
                          "2x2_padding_beyond_window": {"pool": 2, "padding": 3}}.items():
        for channels in (3, 16, 21):
            yield case(f"{name}_c{channels}", channels, **options)
    yield case("batch", 17, 3, pool=2)
    yield case("zero_batch", 17, 0, pool=2)
    yield case("pixel_stride", 17, spare=5, pool=3, padding=1)
    yield case("qmin192", 17, pool=3, output_min=192)
    yield case("qmax192", 17, pool=3, output_max=192)
    for channels in sample(rng, range(1, 49), size, 4):
        for taps in sample(rng, range(2, 27), size, 3):
            yield case(f"residue_c{channels}_taps{taps}", channels, image=27 if taps > 9 else 9, pool=(1, taps))


# ---- element by element, channels

def binary(rng: Random, size: str, scale: float = 1.0) -> Iterator[Case]:
    def case(name: str, shape: tuple[int, ...], a: float = 1.0, b: float = 1.0, spare: int = 0,
             zero_points: tuple[int | None, int | None, int] = (None, None, 128), **options: Any) -> Case:
        inputs = (_quantized(rng, shape, a, zero_points[0], spare), _quantized(rng, shape, b, zero_points[1], spare))
        return Case(name, inputs, {"out": Scheme(scale, zero_points[2]), **options})

    for n in sample(rng, range(1, 129), size, 12):
        yield case(f"n{n}", (n,))
    for n in (4095, 4096, 4097, 8200):
        yield case(f"task_n{n}", (1, n))
    for ratio in (0.01, 0.0289, 0.14, 0.7, 1.7, 4.9, 24.0, 99.0):
        yield case(f"a_scale{ratio}", (40,), a=ratio)
        yield case(f"b_scale{ratio}", (40,), b=ratio)
    for zero_point in (0, 51, 255):
        yield case(f"a_zp{zero_point}", (40,), zero_points=(zero_point, None, 128))
        yield case(f"b_zp{zero_point}", (40,), zero_points=(None, zero_point, 128))
        yield case(f"out_zp{zero_point}", (40,), zero_points=(None, None, zero_point))
    yield case("qmin128", (40,), output_min=128)
    yield case("qmax128", (40,), output_max=128)
    yield case("zero_batch", (0, 9))
    yield case("pixel_stride", (5, 9), spare=3)


def _bytes(rng: Random, size: str, task: int, scale: float = 0.05, **options: Any) -> Iterator[Case]:
    for n in sample(rng, range(1, 129), size, 10):
        yield Case(f"n{n}", (_quantized(rng, (n,), scale),), options)
    for n in (task - 1, task, task + 1, 2 * task + 5):
        yield Case(f"task_n{n}", (_quantized(rng, (1, n), scale),), options)
    yield Case("all_bytes", (Quantized(np.arange(256, dtype=np.uint8), scale, 77),), options)
    yield Case("zero_batch", (_quantized(rng, (0, 9), scale),), options)
    yield Case("pixel_stride", (_quantized(rng, (5, 9), scale, spare=3),), options)


def clamp(rng: Random, size: str) -> Iterator[Case]:
    yield from _bytes(rng, size, 4096, output_min=50, output_max=200)
    for low, high in ((0, 255), (128, 255), (0, 128), (77, 77)):
        yield Case(f"{low}_to_{high}", (_quantized(rng, (70,)),), {"output_min": low, "output_max": high})


def multiply(rng: Random, size: str) -> Iterator[Case]:
    yield from binary(rng, size, 40.0)


def curve(rng: Random, size: str) -> Iterator[Case]:
    yield from _bytes(rng, size, 1024)
    for scale in (0.001, 0.02, 0.5, 10.0):
        yield Case(f"scale{scale}", (_quantized(rng, (70,), scale),))
    yield Case("qmin128", (_quantized(rng, (70,), 0.1),), {"output_min": 128})
    yield Case("qmax128", (_quantized(rng, (70,), 0.1),), {"output_max": 128})


def convert(rng: Random, size: str) -> Iterator[Case]:
    yield from _bytes(rng, size, 1024, out=Scheme(0.07, 130))
    for ratio in (1 / 256, 0.3, 1.0, 2.5, 128.0):
        for zero_point in (0, 255):
            x = Quantized(np.arange(256, dtype=np.uint8), ratio * 0.5, 77)
            yield Case(f"ratio{ratio:.3g}_zp{zero_point}", (x,), {"out": Scheme(0.5, zero_point)})


def leaky_relu(rng: Random, size: str) -> Iterator[Case]:
    out = Scheme(0.05, 60)
    yield from _bytes(rng, size, 1024, slope=0.3, out=out)
    for slope in (1e-5, 0.01, 0.5, 1.0):
        yield Case(f"slope{slope}", (_quantized(rng, (70,), 0.1),), {"slope": slope, "out": out})
    for ratio in (1 / 256, 0.1, 3.0, 255.0):
        yield Case(f"ratio{ratio:.3g}", (_quantized(rng, (70,), 0.05 * ratio * 1.0001),), {"slope": 0.2, "out": out})
    yield Case("qmin128", (_quantized(rng, (70,), 0.1),), {"slope": 0.2, "out": out, "output_min": 128})


def softargmax(rng: Random, size: str) -> Iterator[Case]:
    for n in (*sample(rng, range(1, 41), size, 8), 100, 1000):
        yield Case(f"c{n}", (_quantized(rng, (3, n), 0.05),))
    for scale in (0.001, 0.3, 5.0, 100.0):
        yield Case(f"scale{scale}", (_quantized(rng, (4, 17), scale),))
    yield Case("largest_0", (Quantized(np.zeros((2, 9), np.uint8), 0.1, 3),))
    yield Case("largest_255", (Quantized(np.full((2, 9), 255, np.uint8), 0.1, 3),))
    yield Case("zero_batch", (_quantized(rng, (0, 9), 0.1),))
    yield Case("pixel_stride", (_quantized(rng, (5, 9), 0.1, spare=3),))


def images(rng: Random, size: str, **options: Any) -> Iterator[Case]:
    for channels in sample(rng, range(1, 41), size, 8):
        yield Case(f"c{channels}", (_quantized(rng, (2, 5, 4, channels)),), options)
    yield Case("zero_batch", (_quantized(rng, (0, 5, 6, 9)),), options)
    yield Case("pixel_stride", (_quantized(rng, (2, 5, 6, 9), spare=3),), options)


def pad(rng: Random, size: str) -> Iterator[Case]:
    yield from images(rng, size, amounts=(0, 1, (2, 0), 0))
    for name, amounts in (("channels", (0, (1, 0), 0, (2, 3))), ("batch", ((1, 2), 0, 0, 0)), ("all", 1), ("none", 0)):
        for value in (0, 200):
            yield Case(f"{name}_value{value}", (_quantized(rng, (2, 3, 4, 5)),), {"amounts": amounts, "value": value})


def fully_connected(rng: Random, size: str) -> Iterator[Case]:
    def case(name: str, m: int, n: int, k: int, spare: int = 0, **options: Any) -> Case:
        bias = rng.integers(-1000, 1001, n, dtype=np.int32)
        x, w = _quantized(rng, (m, k), spare=spare), _quantized(rng, (n, k))
        return Case(name, (x, w, bias), {"out": Scheme(float(90 * np.sqrt(k)), 128), **options})

    for k in sample(rng, range(1, 41), size, 6):
        yield case(f"k{k}", 5, 9, k)
    for n in sample(rng, range(1, 25), size, 5):
        yield case(f"n{n}", 4, n, 9)
    for m in sample(rng, range(1, 18), size, 5):
        yield case(f"m{m}", m, 8, 9)
    yield case("pixel_stride", 5, 9, 11, spare=6)
    yield case("zero_batch", 0, 9, 11)
    yield case("qmin128", 5, 9, 11, output_min=128)
    yield case("qmax128", 5, 9, 11, output_max=128)
