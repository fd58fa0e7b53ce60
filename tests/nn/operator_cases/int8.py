"""Cases of the int8 operators, and of uint8 with rndnu, by the axes of the newer library's tests (T11, T12, T13, T14).

    operator                       axes
    products, one scale            every window, padding side, stride, dilation, groups, depth and channel residues,
                                   pixel strides, batches, clamps, zero points at their ends, weights at theirs
    products, scale per channel    the same, scales over four orders of magnitude
    deconvolution                  strides that split into phases and those that do not, adjustment, windows below them
    add, subtract, multiply        lengths around the vector, every way to broadcast up to six axes, scales, zero points
    element by element             all bytes, ratios, slopes of both signs
    pooling, softargmax, moving    channels around the vector, pixel strides, padding, dilation, clamps
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.quant.scheme import Quantized, Scheme
from tests.nn.operator_cases.products import Case, tensor

Random = np.random.Generator
KINDS = (("qs8", "rndnu"), ("qs8", "fp32"), ("qc8w", "fp32"), ("qu8", "rndnu"))
_SIDES = {"top": ((1, 0), (0, 0)), "bottom": ((0, 1), (0, 0)), "left": ((0, 0), (1, 0)), "right": ((0, 0), (0, 1))}


def _weights(rng: Random, kind: str, shape: tuple[int, ...], axis: int, data: str = "uniform") -> Quantized:
    if kind == "qu8":
        return Quantized(rng.integers(0, 256, shape, dtype=np.uint8), 1.0, int(rng.integers(0, 256)))
    values: NDArray[np.int8] = rng.integers(-127, 128, shape, dtype=np.int8)
    if data == "ends":
        values = rng.choice(np.array([-127, 127], np.int8), shape)
    if kind == "qs8":
        return Quantized(values, 1.0)
    return Quantized(values, (10.0 ** rng.uniform(-3, 1, shape[axis])).astype(np.float32), axis=axis)


def _product(rng: Random, kind: str, requantization: str, name: str, x: tuple[int, ...], w: tuple[int, ...], *,
             depth: int, outputs: int, axis: int = 0, data: str = "uniform", spare: int = 0, zero: int | None = None,
             **options: Any) -> Case:
    """Weights, bias, and an output scale that spreads the results."""
    dtype = "uint8" if kind == "qu8" else "int8"
    given = tensor(rng, x, dtype, 1.0, zero, spare)
    if data == "ends":
        given = Quantized(np.full(x, np.iinfo(dtype).min, dtype), 1.0, 127 if dtype == "int8" else 255)
    weights = _weights(rng, kind, w, axis, data)
    bias = rng.integers(-1000, 1001, outputs, dtype=np.int32)
    spread = 90 * np.sqrt(depth) * (1 if kind != "qc8w" else float(np.median(np.asarray(weights.scale))))
    out = Scheme(float(spread), int(rng.integers(-20, 20)) + (128 if dtype == "uint8" else 0), dtype)
    return Case(f"{kind}_{requantization}_{name}", (given, weights, bias),
                {"out": out, "requantization": requantization, **options})


def _residues(rng: Random, values: range, size: str, count: int) -> list[int]:
    if size == "full":
        return list(values)
    return sorted({values[0], values[-1], *(int(v) for v in rng.choice(np.array(values), count))})


def fully_connected(rng: Random, size: str) -> Iterator[Case]:
    for kind, scheme in KINDS:
        def case(name: str, m: int, n: int, k: int, kind: str = kind, scheme: str = scheme, **options: Any) -> Case:
            return _product(rng, kind, scheme, name, (m, k), (n, k), depth=k, outputs=n, **options)

        for k in _residues(rng, range(1, 70), size, 4):
            yield case(f"k{k}", 5, 18, k)
        for n in _residues(rng, range(1, 40), size, 2):
            yield case(f"n{n}", 4, n, 9)
        for m in _residues(rng, range(1, 14), size, 2):
            yield case(f"m{m}", m, 17, 9)
        yield case("pixel_stride", 5, 9, 21, spare=6)
        yield case("zero_batch", 0, 9, 11)
        yield case("ends", 5, 17, 130, data="ends")
        low = 60 if kind != "qu8" else 190
        yield case("qmin", 5, 9, 11, output_min=low)
        yield case("qmax", 5, 9, 11, output_max=low)


def conv2d(rng: Random, size: str) -> Iterator[Case]:
    for kind, scheme in KINDS:
        def case(name: str, window: tuple[int, int] = (3, 3), inputs: int = 3, outputs: int = 5,
                 image: tuple[int, int, int] = (1, 5, 6), groups: int = 1, kind: str = kind, scheme: str = scheme,
                 **options: Any) -> Case:
            return _product(rng, kind, scheme, name, (*image, inputs), (outputs, *window, inputs // groups),
                            depth=window[0] * window[1] * inputs // groups, outputs=outputs, groups=groups, **options)

        for window in ((1, 1), (1, 3), (3, 1), (2, 5)):
            yield case(f"{window[0]}x{window[1]}", window)
        for side, padding in _SIDES.items():
            yield case(f"3x3_padding_{side}", padding=padding)
        yield case("3x3_s2_d1", stride=2, padding=1)
        yield case("3x3_d2", dilation=2, padding=1)
        yield case("1x1_s2", (1, 1), stride=2)
        yield case("grouped_3x3", inputs=6, outputs=8, groups=2, padding=1)
        yield case("depthwise_3x3", inputs=9, outputs=9, groups=9, padding=1)
        yield case("batch", image=(3, 4, 5), padding=1)
        yield case("zero_batch", image=(0, 4, 5))
        yield case("pixel_stride", spare=5, padding=1)
        yield case("im2col", padding=1, stride=2, lowering="im2col")
        for zero in (-128, 127) if kind != "qu8" else (0, 255):
            yield case(f"azp{zero}", zero=zero, padding=1)
        for inputs in _residues(rng, range(1, 36), size, 2):
            yield case(f"c{inputs}", inputs=inputs, outputs=17, padding=1)
        middle = 0 if kind != "qu8" else 128
        yield case("qmin", padding=1, output_min=middle)
        yield case("qmax", padding=1, output_max=middle)
        yield case("depthwise_5x5_qmin", (5, 5), inputs=11, outputs=11, groups=11, padding=2, output_min=middle)
        yield case("depthwise_3x3_s2_qmax", inputs=11, outputs=11, groups=11, stride=2, output_max=middle)
        yield case("depthwise_3x3_d2", inputs=5, outputs=5, groups=5, padding=2, dilation=2, zero=middle)


def deconv2d(rng: Random, size: str) -> Iterator[Case]:
    for kind, scheme in KINDS:
        def case(name: str, window: tuple[int, int] = (3, 3), inputs: int = 4, outputs: int = 7, groups: int = 1,
                 image: tuple[int, int, int] = (1, 4, 3), kind: str = kind, scheme: str = scheme,
                 **options: Any) -> Case:
            return _product(rng, kind, scheme, name, (*image, inputs), (inputs, *window, outputs // groups),
                            depth=window[0] * window[1] * inputs // groups, outputs=outputs, axis=3, groups=groups,
                            **options)

        yield case("s1")
        for stride in (2, 3, (1, 2), (2, 1)):
            yield case(f"s{stride}_phases", stride=stride, padding=1)
        yield case("s2_indirect", stride=2, padding=1, lowering="indirect")
        yield case("s2_window_1x3", (1, 3), stride=2)
        yield case("s2_dilated", stride=2, dilation=2)
        yield case("s3_adjusted", stride=3, adjustment=(1, 2), image=(2, 3, 4))
        if kind != "qc8w":      # groups have one scale
            yield case("s2_groups", outputs=6, groups=2, stride=2)
        yield case("s2_wide", inputs=19, outputs=20, stride=2, window=(4, 4))
        yield case("pixel_stride", stride=2, spare=3)
        yield case("zero_batch", stride=2, image=(0, 4, 3))
        yield case("batch", stride=2, image=(3, 2, 3))
        middle = 0 if kind != "qu8" else 128
        yield case("qmin", stride=2, output_min=middle)
        yield case("qmax", padding=1, output_max=middle)
        for zero in (middle - 128, middle + 127):
            yield case(f"azp{zero}", stride=2, padding=1, zero=zero)


_BROADCASTS: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
    "same": ((2, 3, 5), (2, 3, 5)), "row": ((4, 3, 17), (17,)), "constant": ((4, 33), (1,)),
    "reversed_constant": ((1, 1), (3, 40)), "channel_each": ((2, 3, 4, 5), (3, 1, 1)), "both": ((3, 1, 8), (1, 5, 8)),
    "outer": ((5, 1), (1, 7)), "reversed_row": ((9,), (2, 3, 9)), "six": ((2, 1, 3, 1, 2, 5), (1, 2, 3, 2, 1, 5)),
    "ones": ((1, 1, 1), (1,)), "alternating": ((2, 1, 3, 1), (1, 4, 1, 5)),
}


def binary(rng: Random, size: str, dtypes: tuple[str, ...], scale: float, **options: Any) -> Iterator[Case]:
    for dtype in dtypes:
        def case(name: str, a: tuple[int, ...], b: tuple[int, ...], ratios: tuple[float, float] = (1.0, 1.0),
                 zeros: tuple[int | None, int | None, int | None] = (None, None, None), spare: int = 0,
                 dtype: str = dtype, **more: Any) -> Case:
            zero = zeros[2] if zeros[2] is not None else 5 + 128 * (dtype == "uint8")
            inputs = (tensor(rng, a, dtype, ratios[0], zeros[0], spare), tensor(rng, b, dtype, ratios[1], zeros[1]))
            return Case(f"{dtype}_{name}", inputs, {"out": Scheme(scale, zero, dtype), **options, **more})

        for name, (a, b) in _BROADCASTS.items():
            yield case(name, a, b)
        for n in _residues(rng, range(1, 70), size, 3):
            yield case(f"n{n}", (n,), (n,))
            yield case(f"constant_n{n}", (n,), (1,))
        yield case("task", (1, 4097), (1, 4097))
        for ratio in (0.011, 0.35, 3.3, 60.0):
            yield case(f"a_scale{ratio}", (40,), (40,), ratios=(ratio, 1.0))
            yield case(f"b_scale{ratio}", (3, 20), (20,), ratios=(1.0, ratio))
        ends = (-128, 127) if dtype == "int8" else (0, 255)
        for zero in ends:
            yield case(f"zp{zero}", (40,), (40,), zeros=(zero, ends[0] + ends[1] - zero, zero))
        yield case("qmin", (40,), (40,), output_min=40)
        yield case("qmax", (40,), (2, 1), output_max=40)
        yield case("pixel_stride", (5, 9), (9,), spare=3)
        yield case("zero_batch", (0, 9), (9,))


def _bytes(rng: Random, size: str, **options: Any) -> Iterator[Case]:
    yield Case("all_bytes", (Quantized(np.arange(-128, 128).astype(np.int8), 0.05, -7),), options)
    for n in _residues(rng, range(1, 70), size, 3):
        yield Case(f"n{n}", (tensor(rng, (n,), scale=0.05),), options)
    yield Case("task", (tensor(rng, (1, 1031), scale=0.05),), options)
    yield Case("pixel_stride", (tensor(rng, (5, 9), scale=0.05, spare=3),), options)
    yield Case("zero_batch", (tensor(rng, (0, 9), scale=0.05),), options)


def _every_byte(name: str, scale: float, zero: int = 3, dtype: str = "int8", **options: Any) -> Case:
    values = np.arange(256, dtype=np.uint8).view(dtype)
    return Case(name, (Quantized(values, scale, zero + 128 * (dtype == "uint8")),), options)


def convert(rng: Random, size: str) -> Iterator[Case]:
    yield from _bytes(rng, size, out=Scheme(0.07, 11, "int8"))
    for ratio in (1 / 256, 0.3, 1.0, 2.5, 128.0):
        for source in ("int8", "uint8"):
            for target in ("int8", "uint8"):
                yield _every_byte(f"{source}_{target}_{ratio:.3g}", ratio * 0.5, dtype=source,
                                  out=Scheme(0.5, 9, target))


def leaky_relu(rng: Random, size: str) -> Iterator[Case]:
    out = Scheme(0.05, -20, "int8")
    yield from _bytes(rng, size, slope=0.3, out=out)
    for slope in (-1.5, -0.25, 0.01, 1.0, 8.0):
        yield _every_byte(f"slope{slope}", 0.1, slope=slope, out=out)


def images(rng: Random, size: str, zero: int | None = None, **options: Any) -> Iterator[Case]:
    for channels in (3, 16, 21):
        yield Case(f"c{channels}", (tensor(rng, (2, 7, 6, channels), scale=0.05, zero_point=zero),), options)
    yield Case("pixel_stride", (tensor(rng, (1, 5, 6, 9), scale=0.05, zero_point=zero, spare=3),), options)
    yield Case("zero_batch", (tensor(rng, (0, 5, 6, 9), scale=0.05, zero_point=zero),), options)


def pad(rng: Random, size: str) -> Iterator[Case]:
    yield from images(rng, size, amounts=(0, 1, (2, 0), 0))
    for name, amounts in (("channels", (0, (1, 0), 0, (2, 3))), ("all", 1), ("none", 0)):
        yield Case(name, (tensor(rng, (2, 3, 4, 5)),), {"amounts": amounts, "value": -7})


def max_pool2d(rng: Random, size: str) -> Iterator[Case]:
    yield from images(rng, size, pool=3, padding=1, stride=2)
    for name, options in (("many_taps", {"pool": (3, 4)}), ("d2", {"pool": 2, "dilation": 2, "stride": 1}),
                          ("clamped", {"pool": 2, "output_min": -20, "output_max": 30})):
        yield Case(name, (tensor(rng, (1, 6, 7, 19)),), options)


def avg_pool2d(rng: Random, size: str) -> Iterator[Case]:
    yield from images(rng, size, -20, pool=3, padding=1, stride=2, out=Scheme(0.04, 7, "int8"))
    for channels in _residues(rng, range(1, 34), size, 3):
        for taps in _residues(rng, range(2, 27), size, 2):
            pool = {"pool": (1, taps), "stride": (1, 3), "padding": (0, taps - 1)}
            yield Case(f"c{channels}_taps{taps}", (tensor(rng, (1, 2, 7, channels), scale=0.05),),
                       {"out": Scheme(0.03, -9, "int8"), **pool})
    for name, options in (("d9_same_row", {"pool": 3, "stride": 1}), ("many_taps", {"pool": (4, 5), "stride": 2}),
                          ("ties", {"pool": 2, "out": Scheme(0.05, 0, "int8")}),
                          ("qmin", {"pool": 2, "output_min": -10}), ("qmax", {"pool": (5, 2), "output_max": -3})):
        given = {"out": Scheme(0.02, 5, "int8"), **options}
        yield Case(name, (tensor(rng, (1, 6, 7, 19), scale=0.05, zero_point=-128 if name == "ties" else None),), given)


def global_avg_pool(rng: Random, size: str) -> Iterator[Case]:
    out = Scheme(0.02, 5, "int8")
    yield from images(rng, size, -2, out=out)
    # One to eight pixels fit a pass, more take several.
    for pixels in _residues(rng, range(1, 25), size, 4):
        yield Case(f"pixels{pixels}", (tensor(rng, (2, pixels, 1, 13), scale=0.05),), {"out": out})
    for ratio in (0.011, 0.4, 3.3, 100.0):
        yield Case(f"scale{ratio}", (tensor(rng, (3, 2, 2, 19), scale=ratio, zero_point=-9),),
                   {"out": Scheme(1.0, 3, "int8")})
    for zero in (-128, 127):
        yield Case(f"zp{zero}", (tensor(rng, (3, 2, 2, 19), scale=0.05, zero_point=zero),),
                   {"out": Scheme(0.05, -1 - zero, "int8")})
    for name, options in (("qmin", {"output_min": 5}), ("qmax", {"output_max": 5})):
        yield Case(name, (tensor(rng, (2, 2, 3, 19), scale=0.05, zero_point=0),), {"out": out, **options})


def softargmax(rng: Random, size: str) -> Iterator[Case]:
    for n in (1, 5, 17, 100):
        yield Case(f"c{n}", (tensor(rng, (3, n), scale=0.05),), {})
    yield Case("pixel_stride", (tensor(rng, (5, 9), scale=0.05, spare=3),), {})
    yield Case("zero_batch", (tensor(rng, (0, 9), scale=0.05),), {})


def sum_of_two(rng: Random, size: str) -> Iterator[Case]:
    yield from binary(rng, size, ("int8", "uint8"), 1.0)


def multiply(rng: Random, size: str) -> Iterator[Case]:
    for scheme in ("fp32", "rndnu"):
        for each in binary(rng, size, ("int8", "uint8"), 40.0, requantization=scheme):
            yield Case(f"{scheme}_{each.name}", each.inputs, each.options)


def clamp(rng: Random, size: str) -> Iterator[Case]:
    yield from _bytes(rng, size, output_min=-50, output_max=70)


def curve(rng: Random, size: str) -> Iterator[Case]:
    yield from _bytes(rng, size)
    yield _every_byte("scale10", 10.0)
    yield _every_byte("qmin", 0.1, output_min=-60)
