"""Pooling: average over windows, average over everything, largest of a window.

    operator            outside the image        kernels by channels and window (K17, K18, K19)
    global_avg_pool     there is no outside      fewer than 8 channels | up to 7 pixels | more pixels
    avg_pool2d          zeros, and they count    fewer than 8 channels | up to 9 taps | more taps; int8: up to 9 | more
      integer=True      not counted              the same; int8: up to 9 | more
    max_pool2d          the edge, repeated       fewer than 16 channels | 16 and more

int8 averages take any number of channels, and round ties up (MeanParams) where uint8, and integer=True, round them
away from zero. What divides by the pixels inside is called for each part of the result whose windows hold as many.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.errors import BackendError, BadArgument
from neonsim.nn.backends import Backend, NamedKernel, Pointer
from neonsim.nn.backends.native_layer import NativeLayer
from neonsim.nn.ops.job_builder import Builder
from neonsim.nn.ops.operand import check_ratio, check_scheme, scheme_of
from neonsim.nn.ops.operator import Operator
from neonsim.nn.ops.windows import PoolWindows, image_fields, part_windows, parts_alike, window_fields
from neonsim.quant.fixedpoint import decompose, wrap
from neonsim.quant.params.elementwise import ClampParams
from neonsim.quant.params.requant import AveragePoolParams, MeanParams
from neonsim.quant.reference import operators
from neonsim.quant.requant.double_scale import BLOCKS, DoubleMeanParams
from neonsim.quant.rounding import limits, precise, rndnu
from neonsim.quant.scheme import Quantized, Scheme
from neonsim.ukernel.packing import ConvShape, Taps, conv_taps, zero_buffer
from neonsim.ukernel.packing.im2col import Padding, Pair, as_pair
from neonsim.ukernel.packing.param_blocks import block_of

__all__ = ["AvgPool2d", "GlobalAvgPool", "MaxPool2d", "avg_pool2d", "global_avg_pool", "max_pool2d"]

LANES = 8           # channels that the averaging kernels take at a time; fewer have kernels of their own
WIDE_LANES = 16     # the same of max pooling
SUM_BYTES = 4
MAX_POOL_TAPS = 1 << 24
MAX_DIVIDED_TAPS = 1 << 14  # taps of a window that a factor of 24 bits divides exactly



class _Pool(PoolWindows, Operator):
    """Over windows of 8-bit images, of which there may be none."""

    def _check_image(self, x: tuple[int, ...]) -> None:
        if len(x) != 4:
            raise BadArgument(f"x of {self.kind} must be [batch, height, width, channels]; got shape {list(x)}.")
        if 0 in x[1:]:
            raise BadArgument(f"x of {self.kind} needs at least one pixel and one channel; got shape {list(x)}.")


class _Mean(Operator):
    """Means of bytes: sums that are divided and rounded once, ties away from zero (uint8) or up (int8)."""

    def _take(self, x: Scheme, out: Scheme, output_min: int | None, output_max: int | None) -> None:
        self.schemes = (check_scheme(x, "x", ("uint8", "int8")),)
        self.out = check_scheme(out, "out", (x.dtype,))
        self.output_min, self.output_max = limits(out.dtype, output_min, output_max)

    def _scale(self, count: int) -> float:
        return operators.average_scale(self.schemes[0].scale, self.out.scale, count)

    def _params(self, count: int, rows: int) -> AveragePoolParams | MeanParams:
        """For kernels that add up n rows, those that only fill up a pass included, for a mean of count."""
        kind = MeanParams if self.out.dtype == "int8" else AveragePoolParams
        return kind.from_scale(self._scale(count), rows=rows, dtype=self.out.dtype,
                               input_zero_point=self.schemes[0].zero_point, output_zero_point=self.out.zero_point,
                               output_min=self.output_min, output_max=self.output_max)

    def _round(self, sums: NDArray[np.int64], count: int) -> NDArray[Any]:
        """Bytes of sums without their zero points."""
        by = rndnu if self.out.dtype == "int8" else precise
        return by(wrap(sums), *decompose(self._scale(count)), self.out.zero_point, self.output_min, self.output_max,
                  self.out.dtype)

    def requantize(self, sums: NDArray[np.int64], count: int) -> NDArray[Any]:
        """Bytes of sums of n bytes as they are: what `reference` makes of them."""
        return self._round(sums - count * self.schemes[0].zero_point, count)

    def _layer(self, count: int) -> dict[str, Any]:
        """How a layer makes bytes of the sums of n."""
        mean = self._params(count, 1)
        up = isinstance(mean, MeanParams)
        return {"rounding": "up" if up else "away", "multiplier": mean.multiplier, "shift": mean.shift + 31 * up,
                "output_min": self.output_min, "output_max": self.output_max}


class GlobalAvgPool(_Mean):
    """Mean over all pixels, prepared. Arguments as `global_avg_pool`."""

    kind, account = "global average pooling", "integer average"

    def __init__(self, x: Scheme, *, out: Scheme, output_min: int | None = None, output_max: int | None = None,
                 requantization: str | None = None) -> None:
        self._take(x, out, output_min, output_max)
        if requantization not in (None, *DoubleMeanParams.RULES):
            rules = ", ".join(map(repr, DoubleMeanParams.RULES))
            raise BadArgument(f"requantization of a mean must be {rules} or left out; got {requantization!r}.")
        self.requantization = requantization
        if requantization is None:
            check_ratio(x, out, -8, 8, "input")

    def wide(self, width: int) -> DoubleMeanParams:
        """Parameters of means that are rounded twice."""
        make = DoubleMeanParams.RULES[str(self.requantization)]
        return make(self.schemes[0], self.out, width, output_min=self.output_min, output_max=self.output_max)

    def output_shape(self, *shapes: tuple[int, ...]) -> tuple[int, ...]:
        """[batch, ..., channels] -> [batch, channels]."""
        x = shapes[0]
        if len(x) < 3:
            raise BadArgument(f"x of global average pooling must be [batch, pixels, channels] or [batch, height, "
                              f"width, channels]; got shape {list(x)}.")
        if 0 in x[1:]:
            raise BadArgument(f"x of global average pooling needs at least one pixel and one channel; got {list(x)}.")
        if self._width(x) >= 1 << 23:
            raise BadArgument(f"sums of {self._width(x)} pixels do not fit 32 bits; at most {(1 << 23) - 1}.")
        return (x[0], x[-1])

    @staticmethod
    def _width(x: tuple[int, ...]) -> int:
        return int(np.prod(x[1:-1], dtype=np.int64))

    def reference(self, *values: NDArray[Any]) -> NDArray[Any]:
        x = values[0]
        sums = x.reshape(x.shape[0], -1, x.shape[-1]).sum(axis=1, dtype=np.int64)
        return self.requantize(sums, self._width(x.shape))

    def requantize(self, sums: NDArray[np.int64], count: int) -> NDArray[Any]:
        return super().requantize(sums, count) if self.requantization is None else self.wide(count).requantize(sums)

    def network_layer(self, *shapes: tuple[int, ...]) -> NativeLayer:
        """One window, the whole image."""
        x = shapes[0]
        height, width = x[1], self._width(x) // x[1]
        return NativeLayer("average_pool", {**image_fields(x[0], height, width), **self._layer(height * width)})

    def _layer(self, count: int) -> dict[str, Any]:
        if self.requantization is None:
            return super()._layer(count)
        if self.requantization in BLOCKS:
            raise BackendError(f"its requantization is {self.requantization!r}, which rounds by an element's place; "
                               f"of means that are rounded twice there is {next(iter(DoubleMeanParams.RULES))!r}.")
        fixed = self.wide(count).scale.fixed
        if not 0 <= fixed.shift <= 31:
            raise BackendError(f"its shift is {-int(fixed.shift)} to the left; means that are rounded twice shift "
                               "right.")
        return {"rounding": self.requantization, "multiplier": int(fixed.multiplier), "shift": int(fixed.shift),
                "output_min": self.output_min, "output_max": self.output_max}

    def unsupported_reason(self) -> str | None:
        """Kernels round once."""
        return None if self.requantization is None else (
            "there are no kernels for means that are rounded twice; backend='reference' takes them, and networks do.")

    def lower(self, build: Builder, **options: Any) -> None:
        """One image a call; rows that are missing in a pass are literal zeros (Z08)."""
        x, out = build.inputs[0], build.output
        width, channels = self._width(x.shape), x.channels
        signed, nr = out.dtype == "int8", 7
        kind = "qs8_gavgpool" if signed else "qu8_gavgpool"
        if channels < LANES and not signed:
            contract, nr, why = kind, 0, f"{channels} channels are fewer than {LANES}: pixel after pixel"
        elif width <= 7:
            contract, why = kind, f"{width} pixels are at most 7: one pass"
        else:
            contract, why = f"{kind}_mp", f"{width} pixels are more than 7: passes of 7, sums in memory"
        one = build.choose(contract, why, mr=LANES, nr=nr)
        params = self._params(width, width)
        row, start = zero_buffer(channels, 0)
        image = np.arange(x.shape[0], dtype=np.int64)[:, np.newaxis]
        sums = -(-channels // LANES) * LANES * SUM_BYTES
        more = {} if nr == 0 or width <= 7 else {
            "buffer": Pointer(build.scratch("sums", x.shape[0] * sums).region, image * sums)}
        build.call(one, x.shape[0], 1, f"an image of {width} pixels, {channels} channels", m=width, n=channels,
                   x=Pointer(x.name, image * width * x.stride), x_stride=x.stride,
                   zero=Pointer(build.constant("zero", row).region, start), y=Pointer(build.result, image * out.stride),
                   params=build.constant("params", block_of(params)), **more)


class AvgPool2d(_Pool, _Mean):
    """Mean over windows, prepared. Arguments as `avg_pool2d`."""

    kind, account = "average pooling", "average"

    def __init__(self, x: Scheme, *, pool: Pair, out: Scheme, stride: Pair | None = None, padding: Padding = 0,
                 output_min: int | None = None, output_max: int | None = None, integer: bool = False) -> None:
        self._take(x, out, output_min, output_max)
        self.integer = bool(integer)
        if self.integer and x != out:
            raise BadArgument(f"integer=True takes the mean of the integers, so out must be the scheme of x, {x}; got "
                              f"{out}.")
        self.pool = as_pair(pool, "pool", 1)
        if self.pool == (1, 1):
            raise BadArgument("pool must not be 1x1, which would only requantise.")
        if self.pool[0] * self.pool[1] >= MAX_POOL_TAPS:
            raise BadArgument(f"a pool of {self.pool[0] * self.pool[1]} taps is too large: sums are exact below 2**24.")
        check_ratio(x, out, -8, 8, "input")
        self._settle(self.pool, stride, padding)

    def reference(self, *values: NDArray[Any]) -> NDArray[Any]:
        shape = self.shape(values[0].shape)
        window: dict[str, Any] = {"pool": self.pool, "stride": shape.stride, "padding": shape.padding}
        zero = 0 if self.integer else self.schemes[0].zero_point
        sums = operators.window_sums(values[0], x_zero_point=zero, **window)
        if not self.integer:
            return self._round(sums, self.pool[0] * self.pool[1])
        inside = operators.window_sums(np.ones((1, *values[0].shape[1:3], 1), np.int8), x_zero_point=0, **window)
        return operators.integer_mean(sums, inside, self.out.dtype, self.output_min, self.output_max)

    def requantize(self, sums: NDArray[np.int64], count: int) -> NDArray[Any]:
        if self.integer:
            return operators.integer_mean(sums, count, self.out.dtype, self.output_min, self.output_max)
        return super().requantize(sums, count)

    def _params(self, count: int, rows: int) -> AveragePoolParams | MeanParams:
        if self.integer:
            return AveragePoolParams(*operators.reciprocal(count), 0, rows, 0, self.output_min, self.output_max,
                                     self.out.dtype)
        return super()._params(self.pool[0] * self.pool[1], rows)

    def _whole(self, shape: ConvShape) -> str | None:
        """Why windows of integers cannot be divided by one number, None if they can."""
        if any(map(any, shape.padding)):
            return "means of integers with padding divide by the taps inside the image, whose number differs."
        if self.pool[0] * self.pool[1] > MAX_DIVIDED_TAPS:
            return (f"means of integers have windows of up to {MAX_DIVIDED_TAPS} taps; "
                    f"got {self.pool[0]}x{self.pool[1]}.")
        return None

    def network_layer(self, *shapes: tuple[int, ...]) -> NativeLayer:
        """Sums of windows."""
        shape = self.shape(shapes[0])
        if self.integer and (why := self._whole(shape)) is not None:
            raise BackendError(why)
        zero = 128 if self.out.dtype == "int8" else 0   # bytes are kept with 128 added
        as_they_are = {"input_zero_point": zero, "output_zero_point": zero} if self.integer else {}
        return NativeLayer("average_pool", {**window_fields(shape), **self._layer(self.pool[0] * self.pool[1]),
                                            **as_they_are})

    def lower(self, build: Builder, **options: Any) -> None:
        """One output row a call; outside the image, and where a pass has no tap left, lies the zero point (Z08)."""
        taps = conv_taps(self.shape(build.inputs[0].shape))
        if self.integer:
            for number, part in enumerate(parts_alike(taps)):
                self._lower_part(build, part.taps, f" {number}" if number else "", part.first)
        else:
            self._lower_part(build, taps, "", (0, 0))

    def _lower_part(self, build: Builder, taps: Taps, name: str, first: tuple[int, int]) -> None:
        """The windows of a part of the result whose first pixel is `first`; name: of its tables, beside the others'."""
        x, channels, signed, count = build.inputs[0], build.inputs[0].channels, self.out.dtype == "int8", taps.count
        if self.integer and count > MAX_DIVIDED_TAPS:
            raise BackendError(f"means of integers have windows of up to {MAX_DIVIDED_TAPS} taps; got {count}.")
        if signed:
            contract, nr = "qs8_avgpool_rndna" if self.integer else "qs8_avgpool", 9 if count <= 9 else 0
            rows = max(count, 9)
            why = f"{count} taps are {'at most 9: one pass' if nr else 'more than 9: row after row'}"
        elif channels < LANES:
            contract, nr, rows = "qu8_avgpool", 0, count
            why = f"{channels} channels are fewer than {LANES}: pixel after pixel"
        elif count <= 9:
            contract, nr, rows, why = "qu8_avgpool", 9, 9, f"{count} taps are at most 9: one pass"
        else:
            contract, nr, rows = "qu8_avgpool_mp", 9, 9 + 8 * -(-(count - 9) // 8)
            why = f"{count} taps are more than 9: a pass of 9, then of 8, sums in memory"
        one = build.choose(contract, why, mr=LANES, nr=nr)
        zero_point = 0 if self.integer else self.schemes[0].zero_point
        # Rows that only fill up a pass hold the zero point, and are in the bias like all the others.
        params = self._params(count, rows)
        row_of_zeros, start = zero_buffer(channels, zero_point & 0xFF)
        zero = Pointer(build.constant(f"zero{name}", row_of_zeros, before=one.reads_before).region, start)
        stride = as_pair(self.stride, "stride", 1)[1]
        arguments, row = part_windows(build, taps, one, zero=zero, name=name, first=first, step=stride,
                                       whole=self.output_shape(x.shape)[1:3])
        sums = -(-channels // LANES) * LANES * SUM_BYTES
        more = {"buffer": Pointer(build.scratch(f"sums{name}", len(row) * sums).region, row * sums)} \
            if contract.endswith("_mp") else {}
        what = f"an output row of {taps.output[1]} pixels, {count} taps of {channels} channels"
        build.call(one, len(row), 1, what, zero=zero, params=build.constant(f"params{name}", block_of(params)),
                   **arguments, **more)

    def details(self) -> list[str]:
        counted = "not counted, integers as they are" if self.integer else "counted"
        return [f"pool {self.pool[0]}x{self.pool[1]}, stride {self.stride}, padding {self.padding} ({counted})"]


class MaxPool2d(_Pool):
    """Largest of windows, prepared. Arguments as `max_pool2d`."""

    kind, account = "max pooling", "largest"
    element_bytes = 8

    def __init__(self, x: Scheme, *, pool: Pair, stride: Pair | None = None, padding: Padding = 0, dilation: Pair = 1,
                 output_min: int | None = None, output_max: int | None = None) -> None:
        self.schemes = (check_scheme(x, "x", ("uint8", "int8")),)
        self.out = self.schemes[0]
        self.output_min, self.output_max = limits(self.out.dtype, output_min, output_max)
        self.pool = as_pair(pool, "pool", 1)
        if self.pool == (1, 1):
            raise BadArgument("pool must not be 1x1, which would only copy.")
        self._settle(self.pool, stride, padding, dilation)

    def reference(self, *values: NDArray[Any]) -> NDArray[Any]:
        shape = self.shape(values[0].shape)
        return operators.max_pool2d(values[0], pool=self.pool, stride=shape.stride, padding=shape.padding,
                                    dilation=shape.dilation, output_min=self.output_min, output_max=self.output_max)

    def network_layer(self, *shapes: tuple[int, ...]) -> NativeLayer:
        """Windows that each see a part of the image."""
        shape = self.shape(shapes[0])
        if shape.dilation != (1, 1):
            raise BackendError(f"the dilation of its windows is {list(shape.dilation)}; it must be [1, 1].")
        for window, (before, after) in zip(shape.kernel, shape.padding, strict=True):
            if max(before, after) >= window:
                raise BackendError(f"its padding is {max(before, after)} for windows of {window}; it must be less, so "
                                   f"that no window is outside the image.")
        return NativeLayer("max_pool", {**window_fields(shape), "output_min": self.output_min,
                                   "output_max": self.output_max})

    def lower(self, build: Builder, **options: Any) -> None:
        """One output row a call; pointers outside the image go to its edge (K06)."""
        x, shape = build.inputs[0], self.shape(build.inputs[0].shape)
        few = x.channels < WIDE_LANES
        why = f"{x.channels} channels are {'fewer than' if few else 'at least'} {WIDE_LANES}"
        contract = "s8_maxpool" if self.out.dtype == "int8" else "u8_maxpool"
        one = build.choose(contract, why, mr=WIDE_LANES, nr=0 if few else 9)
        taps = conv_taps(shape, clamp=True)
        # With dilation nothing is shared by neighbours (P08).
        step = shape.kernel[1] if shape.dilation[1] > 1 else shape.stride[1]
        arguments, row = part_windows(build, taps, one, zero=Pointer(x.name), name="", first=(0, 0), step=step,
                                       whole=taps.output)
        params = ClampParams(self.output_min, self.output_max, self.out.dtype)
        what = f"an output row of {shape.output[1]} pixels, {arguments['ks']} taps of {x.channels} channels"
        build.call(one, len(row), 1, what, params=build.constant("params", block_of(params)), **arguments)

    def details(self) -> list[str]:
        return [f"pool {self.pool[0]}x{self.pool[1]}, stride {self.stride}, padding {self.padding}, dilation "
                f"{self.dilation}"]


def global_avg_pool(x: Quantized, *, out: Scheme, output_min: int | None = None, output_max: int | None = None,
                    requantization: str | None = None, backend: str | Backend | None = None, threads: int = 1,
                    kernel: str | NamedKernel | None = None, out_array: NDArray[Any] | None = None) -> Quantized:
    """Average all pixels of each image.

    y[b, c] = clip(round(sum over pixels of (x[b, p, c] - zx) * (x.scale / (out.scale * pixels))) + zy)

    x     Quantized uint8 or int8 [batch, pixels, channels] or [batch, height, width, channels]
    out   Scheme of x's type; x.scale / out.scale in [2**-8, 2**8)
    ->    Quantized [batch, channels]; one rounding, ties away from zero (uint8) or up (int8: MeanParams)

    requantization   "gemmlowp": by a multiplier of 31 bits that the count is divided out of, rounded twice, as
                     TensorFlow Lite (Y18); any ratio. "ruy16": as its optimised kernels where axes are kept

    Raises BadArgument for other shapes and types, no pixels or channels, and a ratio out of range.
    Source: (K04, R01).

    >>> x = Quantized(np.array([[[1], [2], [6]]], np.uint8), scale=1.0)
    >>> global_avg_pool(x, out=Scheme(1.0), backend="reference").values.tolist()
    [[3]]
    """
    operator = GlobalAvgPool(scheme_of(x), out=out, output_min=output_min, output_max=output_max,
                             requantization=requantization)
    return operator(x, backend=backend, threads=threads, kernel=kernel, out_array=out_array)


def avg_pool2d(x: Quantized, *, pool: int | Sequence[int], out: Scheme, stride: Pair | None = None,
               padding: Padding = 0, output_min: int | None = None, output_max: int | None = None,
               integer: bool = False, backend: str | Backend | None = None, threads: int = 1,
               kernel: str | NamedKernel | None = None, out_array: NDArray[Any] | None = None) -> Quantized:
    """Average windows of images; pixels outside count as zeros, and are counted.

    x         Quantized uint8 or int8 [batch, height, width, channels]
    pool      int or (height, width)   not 1x1
    out       Scheme of x's type; x.scale / out.scale in [2**-8, 2**8)
    stride    int or (height, width)   None: the pool
    padding   int, (height, width) or ((top, bottom), (left, right))
    integer   bool   the mean of the integers as they are, ties away from zero, as TensorFlow Lite has it: pixels
                     outside are not counted, and the result has the scheme of x
    ->        Quantized [batch, oh, ow, channels]; one rounding, ties away from zero (uint8) or up (int8: MeanParams)

    Raises BadArgument for other shapes and types, a pool of 1x1 or of 2**24 taps, and a ratio out of range.
    Source: (K05, R01); integer: (M16).

    >>> x = Quantized(np.arange(4, dtype=np.uint8).reshape(1, 2, 2, 1), scale=1.0)
    >>> avg_pool2d(x, pool=2, out=Scheme(0.5), backend="reference").values.item()
    3
    """
    operator = AvgPool2d(scheme_of(x), pool=pool, out=out, stride=stride, padding=padding, output_min=output_min,
                         output_max=output_max, integer=integer)
    return operator(x, backend=backend, threads=threads, kernel=kernel, out_array=out_array)


def max_pool2d(x: Quantized, *, pool: int | Sequence[int], stride: Pair | None = None, padding: Padding = 0,
               dilation: Pair = 1, output_min: int | None = None, output_max: int | None = None,
               backend: str | Backend | None = None, threads: int = 1, kernel: str | NamedKernel | None = None,
               out_array: NDArray[Any] | None = None) -> Quantized:
    """Largest value of windows of images; outside lies the edge of the image, repeated.

    x                   Quantized uint8 or int8 [batch, height, width, channels]; the result has its scheme
    pool                int or (height, width)   not 1x1
    stride, dilation    int or (height, width); stride None: the pool
    ->                  Quantized of the same type [batch, oh, ow, channels]

    Raises BadArgument for other shapes and types, and a pool of 1x1.
    Source: (K06).

    >>> x = Quantized(np.arange(4, dtype=np.uint8).reshape(1, 2, 2, 1), scale=1.0)
    >>> max_pool2d(x, pool=2, backend="reference").values.item()
    3
    """
    operator = MaxPool2d(scheme_of(x), pool=pool, stride=stride, padding=padding, dilation=dilation,
                         output_min=output_min, output_max=output_max)
    return operator(x, backend=backend, threads=threads, kernel=kernel, out_array=out_array)
