"""Operators over the channels of a pixel: their shares (softargmax, softmax), channels dealt out (channel shuffle), and
which is the largest or the smallest (ArgMax, ArgMin: no kernels yet, networks have a layer; source: (M17))."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.common.integers import as_int
from neonsim.errors import BackendError, BadArgument
from neonsim.nn.backends import Backend, NamedKernel, OffsetPointer, Pointer
from neonsim.nn.backends.native_layer import NativeLayer
from neonsim.nn.ops.job_builder import Builder
from neonsim.nn.ops.lowering.signed_as_unsigned import bias_input, unbias_output
from neonsim.nn.ops.operand import check_scheme, scheme_of, with_channels
from neonsim.nn.ops.operator import Operator
from neonsim.nn.ops.quantize import UnquantizedOperator
from neonsim.nn.ops.quantized.elementwise import check_softscale
from neonsim.quant.reference import operators
from neonsim.quant.requant import fixed_softmax
from neonsim.quant.scheme import Quantized, Scheme
from neonsim.quant.tensor_type import TensorType

__all__ = ["ArgMax", "ArgMin", "ChannelShuffle", "Shares", "SoftArgmax", "Softmax", "channel_shuffle", "softargmax",
           "softmax"]

MAX_FIXED_CHANNELS = (1 << 12) - 1  # channels whose exponentials, of 1 at most, add up within 12 bits before the point
LANES, FLOAT_BYTES = 8, 4
MAX_SUM_CHANNELS = 1 << 24   # channels whose exponentials, of a few steps each, still add up within 32 bits
LEAST_STEP = 2.0**-30       # shares of 1 are integers of 32 bits


class Shares(Operator):
    """Shares of exponentials along the last axis."""

    kind = "softmax"
    fixed = False
    most = MAX_SUM_CHANNELS - 1     # channels

    def output_shape(self, *shapes: tuple[int, ...]) -> tuple[int, ...]:
        """[..., channels] -> the same."""
        channels = shapes[0][-1] if shapes[0] else 0
        if not 1 <= channels <= self.most:
            raise BadArgument(f"x of {self.kind}{' in fixed point' * self.fixed} needs 1 to {self.most} channels; got "
                              f"shape {list(shapes[0])}.")
        return shapes[0]


class SoftArgmax(Shares):
    """Shares of exponentials, prepared. Arguments as `softargmax`."""

    kind = "softargmax"

    def __init__(self, x: Scheme, *, out: Scheme | None = None) -> None:
        self.schemes = (check_scheme(x, "x", ("uint8", "int8")),)
        self.out = check_softscale(out, "softargmax", x.dtype)

    def reference(self, *values: NDArray[Any]) -> NDArray[Any]:
        """By definition; int8 by its order: only differences to the largest count."""
        x, signed = values[0], values[0].dtype == np.int8
        raw = (x.view(np.uint8) ^ 0x80) if signed else x
        shares = operators.softargmax(raw, x_scale=float(self.schemes[0].scale))
        return (shares ^ 0x80).view(np.int8) if signed else shares

    def lower(self, build: Builder, **options: Any) -> None:
        """The largest channel of every pixel, then shares by a table that begins as far in as it falls short of 255."""
        x, out = build.inputs[0], build.output
        largest = build.choose("u8_rmax", "the table is moved by the largest channel", main=False)
        signed = self.out.dtype == "int8"
        source = bias_input(build, largest.isa).region if signed else x.name
        shares = build.choose("u8_lut32norm", "exponentials by table, normalised by their sum", isa=largest.isa)
        pixel = np.arange(x.pixels, dtype=np.int64)[:, np.newaxis]
        peak = Pointer(build.scratch("largest", x.pixels).region, pixel)
        table = operators.exp_table(x.channels, float(self.schemes[0].scale))
        values = build.constant("table", table.astype("<u4").view(np.uint8))
        build.call(largest, len(pixel), 1, f"the largest of {x.channels} channels", n=x.channels,
                   x=Pointer(source, pixel * x.stride), y=peak)
        build.call(shares, len(pixel), 1, f"the shares of {x.channels} channels", n=x.channels,
                   x=Pointer(source, pixel * x.stride), t=OffsetPointer(values, peak, 4, 255),
                   y=Pointer(build.result, pixel * out.stride))
        if signed:
            unbias_output(build, largest.isa)


class Softmax(Shares):
    """Shares of exponentials in single precision, prepared. Arguments as `softmax`."""

    account = "shares"

    def __init__(self, x: Scheme, *, beta: float = 1.0, out: Scheme | None = None, fixed: bool = False) -> None:
        self.schemes = (check_scheme(x, "x", ("uint8", "int8")),)
        self.out = _shares(out, x.dtype, fixed)
        try:
            self.beta = float(np.float32(beta))
        except (TypeError, ValueError, OverflowError):
            self.beta = 0.0
        if not 0 < self.beta < 2.0**64:
            raise BadArgument(f"beta must be a number above 0; got {beta!r}.")
        self.fixed = bool(fixed)
        self.most = MAX_FIXED_CHANNELS if self.fixed else type(self).most
        self.table: NDArray[Any] = (fixed_softmax.exponentials(float(self.schemes[0].scale), self.beta) if self.fixed
                                    else operators.softmax_table(self.schemes[0].scale, self.beta))

    def reference(self, *values: NDArray[Any]) -> NDArray[Any]:
        if self.fixed:
            return fixed_softmax.softmax(values[0], self.table, zero_point=self.out.zero_point)
        return operators.softmax(values[0], self.table, zero_point=self.out.zero_point, step=float(self.out.scale))

    def network_layer(self, *shapes: tuple[int, ...]) -> NativeLayer:
        """Pixel by pixel, with the table."""
        if (why := self._of_other_steps) is not None:
            raise BackendError(why)
        if self.fixed:
            return NativeLayer("softmax", {"weights": self.table.astype(np.int32),
                                           "rounding": fixed_softmax.ROUNDING.word})
        return NativeLayer("softmax", {"scale": self.table, "rounding": "up" if self.out.dtype == "uint8" else "away"})

    def unsupported_reason(self) -> str | None:
        """Kernels work in single precision, in steps of 1/256."""
        return ("there are no kernels for softmax in fixed point; backend='reference' takes it, and networks do."
                if self.fixed else self._of_other_steps)

    @property
    def _of_other_steps(self) -> str | None:
        """Why no kernel does it, where its steps are its own."""
        if self.out.scale == 1 / 256:
            return None
        return f"kernels of softmax have steps of 1/256, not {self.out.scale:g}; backend='reference' takes it."

    def lower(self, build: Builder, **options: Any) -> None:
        """A pixel a call, each with room for its exponentials."""
        x, out = build.inputs[0], build.output
        one = build.choose("qs8_softmax" if self.out.dtype == "int8" else "qu8_softmax",
                           "exponentials by table, their sum in single precision")
        pixel = np.arange(x.pixels, dtype=np.int64)[:, np.newaxis]
        room = -(-x.channels // LANES) * LANES * FLOAT_BYTES
        build.call(one, len(pixel), 1, f"the shares of {x.channels} channels", n=x.channels,
                   x=Pointer(x.name, pixel * x.stride),
                   t=build.constant("table", self.table.astype("<f4").view(np.uint8)),
                   buffer=Pointer(build.scratch("exponentials", x.pixels * room).region, pixel * room),
                   y=Pointer(build.result, pixel * out.stride))

    def details(self) -> list[str]:
        return [f"beta {self.beta:g}"]


def _shares(out: Scheme | None, dtype: str, fixed: bool) -> Scheme:
    """The scheme of results: in single precision its steps may be others, 0 is the lowest byte."""
    if out is None or fixed:
        return check_softscale(out, "softmax", dtype)
    found, lowest = check_scheme(out, "out", (dtype,)), np.iinfo(dtype).min
    if found.zero_point != lowest or not found.scale >= LEAST_STEP:
        raise BadArgument(f"softmax of {dtype} has the zero point {lowest}, and steps of 2**-30 and more: C++ leaves "
                          f"open what becomes of smaller ones; got out = {found}.")
    return found


class ChannelShuffle(Operator):
    """Channels dealt out, prepared. Arguments as `channel_shuffle`."""

    kind, account = "channel shuffle", "shuffle"

    def __init__(self, x: Scheme, *, groups: int) -> None:
        self.schemes = (check_scheme(x, "x", ("uint8", "int8")),)
        self.out = self.schemes[0]
        self.groups = as_int(groups, "groups", 0, 1 << 20)
        if self.groups < 2:
            raise BadArgument(f"groups must be at least 2, or there is nothing to shuffle; got {self.groups}.")

    def output_shape(self, *shapes: tuple[int, ...]) -> tuple[int, ...]:
        """[..., groups * channels] -> the same."""
        x = shapes[0]
        if not x or x[-1] == 0 or x[-1] % self.groups:
            raise BadArgument(f"x of channel shuffle has channels in {self.groups} equal groups, at least one each; "
                              f"got shape {list(x)}.")
        return x

    def reference(self, *values: NDArray[Any]) -> NDArray[Any]:
        return operators.channel_shuffle(values[0], self.groups)

    def network_layer(self, *shapes: tuple[int, ...]) -> NativeLayer:
        """Channels of every pixel dealt out."""
        return NativeLayer("shuffle", {"groups": self.groups})

    def lower(self, build: Builder, **options: Any) -> None:
        """One pixel a call (K20)."""
        x, out = build.inputs[0], build.output
        contract = f"x8_zip_x{self.groups}" if self.groups <= 4 else "x8_zip_xm"
        one = build.choose(contract, f"{self.groups} groups")
        pixel = np.arange(x.pixels, dtype=np.int64)[:, np.newaxis]
        more = {"m": self.groups} if self.groups > 4 else {}
        build.call(one, len(pixel), 1, f"a pixel of {self.groups} groups of {x.channels // self.groups} channels",
                   n=x.channels // self.groups, x=Pointer(x.name, pixel * x.stride),
                   y=Pointer(build.result, pixel * out.stride), **more)

    def details(self) -> list[str]:
        return [f"{self.groups} groups"]


class ArgMax(UnquantizedOperator):
    """Which channel of each pixel is the largest, the first of several.

    x       Scheme or TensorType   of [..., channels]; the result is [...], at least [1]
    dtype   str                    of the result: "int32", "int64"
    """

    kind, layer, dense = "argmax", "argmax", True

    def __init__(self, x: Scheme | TensorType, dtype: str = "int32") -> None:
        self.x = TensorType.from_any(check_scheme(x, "x", ("uint8", "int8")) if isinstance(x, Scheme) else x)
        if dtype not in ("int32", "int64"):
            raise BadArgument(f"numbers of channels must be int32 or int64; got {dtype!r}.")
        self.dtype = dtype

    @property
    def input_types(self) -> tuple[TensorType, ...]:
        return (self.x,)

    @property
    def output_type(self) -> TensorType:
        """Numbers of channels."""
        return TensorType(self.dtype)

    def output_shape(self, *shapes: tuple[int, ...]) -> tuple[int, ...]:
        """[..., channels] -> [...]."""
        return with_channels(shapes[0], "x")[:-1] or (1,)

    def reference(self, *values: NDArray[Any]) -> NDArray[Any]:
        found = np.asarray(np.argmax(values[0], axis=-1), self.dtype)
        return found.reshape(self.output_shape(values[0].shape))

    def network_layer(self, *shapes: tuple[int, ...]) -> NativeLayer:
        """Pixel by pixel; of bytes to int32 only."""
        if self.dtype != "int32":
            raise BackendError(f"there is no layer for {self.kind} to {self.dtype}: networks give int32.")
        if self.x.itemsize != 1:
            raise BackendError(f"there is no layer for {self.kind} of {self.x}")
        pixels = int(np.prod(shapes[0][:-1], dtype=np.int64))
        line = {"batch": 1, "input_height": 1, "input_width": pixels, "output_height": 1, "output_width": pixels}
        return NativeLayer(self.layer, {**line, "output_channels": 1, "output_stride": 4, "output_zero_point": 0})

    def unsupported_reason(self) -> str | None:
        others = ", and networks do" if self.dtype == "int32" else "; networks give int32"
        return f"there are no kernels for {self.kind}; backend='reference' takes it{others}."


class ArgMin(ArgMax):
    """Which channel of each pixel is the smallest: as `ArgMax`."""

    kind, layer = "argmin", "argmin"

    def reference(self, *values: NDArray[Any]) -> NDArray[Any]:
        found = np.asarray(np.argmin(values[0], axis=-1), self.dtype)
        return found.reshape(self.output_shape(values[0].shape))


def softargmax(x: Quantized, *, out: Scheme | None = None, backend: str | Backend | None = None, threads: int = 1,
               kernel: str | NamedKernel | None = None, out_array: NDArray[Any] | None = None) -> Quantized:
    """Shares of the exponentials of the channels of every pixel, in steps of 1/256.

    t = 32-bit table of exponentials, moved so that the largest channel takes its last entry
    y = min(255, (256 * t[x] + sum // 2) // sum)

    x     Quantized uint8 or int8 [..., channels]
    out   Scheme(1/256, 0) for uint8, Scheme(1/256, -128, "int8") for int8, or None, which is the same
    ->    Quantized of the same shape and type

    Raises BadArgument for other types and another out. Source: (K12).

    >>> softargmax(Quantized(np.array([[1, 1]], np.uint8), 0.1), backend="reference").values.tolist()
    [[128, 128]]
    """
    return SoftArgmax(scheme_of(x), out=out)(x, backend=backend, threads=threads, kernel=kernel, out_array=out_array)


def softmax(x: Quantized, *, beta: float = 1.0, out: Scheme | None = None, fixed: bool = False,
            backend: str | Backend | None = None, threads: int = 1, kernel: str | NamedKernel | None = None,
            out_array: NDArray[Any] | None = None) -> Quantized:
    """Shares of the exponentials of the channels of every pixel, in single precision, as TensorFlow Lite has them.

    t[d] = exp(-x.scale * beta * d)                          float32, for differences d of 0..255
    y    = min(255, round(t[max - x] * (256 / sum of t)))    float32, added up from the first channel to the last

    x      Quantized uint8 or int8 [..., channels]
    beta   factor of the exponents
    fixed  bool   in fixed point, as the reference kernels of TensorFlow Lite (Y19); up to 4095 channels
    out    Scheme(1/256, 0) for uint8, Scheme(1/256, -128, "int8") for int8, or None, which is the same; where `fixed`
           is not asked for, of any scale from 2**-30 up: 1 / scale stands for 256 then
    ->     Quantized of the same shape and type

    Raises BadArgument for other types, another out, and beta of 0 and less. Source: (M14).

    >>> softmax(Quantized(np.array([[1, 1, 8]], np.uint8), 0.5), backend="reference").values.tolist()
    [[7, 7, 241]]
    """
    operator = Softmax(scheme_of(x), beta=beta, out=out, fixed=fixed)
    return operator(x, backend=backend, threads=threads, kernel=kernel, out_array=out_array)


def channel_shuffle(x: Quantized, *, groups: int, backend: str | Backend | None = None, threads: int = 1,
                    kernel: str | NamedKernel | None = None, out_array: NDArray[Any] | None = None) -> Quantized:
    """Deal the channels of groups out: channel c of group g becomes channel c * groups + g.

    x        Quantized [..., groups * channels]
    groups   int   2 and more

    Raises BadArgument for channels that groups does not divide, and fewer than 2 groups. Source: (K07).

    >>> x = Quantized(np.array([[10, 11, 12, 20, 21, 22]], np.uint8), 1.0)
    >>> channel_shuffle(x, groups=2, backend="reference").values.tolist()
    [[10, 20, 11, 21, 12, 22]]
    """
    return ChannelShuffle(scheme_of(x), groups=groups)(x, backend=backend, threads=threads, kernel=kernel,
                                                       out_array=out_array)
