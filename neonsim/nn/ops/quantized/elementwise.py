"""Element by element: clamping, and functions of one byte by table.

    operator      kernel (K20)                    task (P10)
    clamp         u8_clamp, s8_clamp              4096 bytes, or a pixel where pixels are apart
    sigmoid       x8_lut, a table of 256 bytes    1024 bytes, or a pixel
    tanh          the same
    leaky_relu    the same; int8 qs8_vlrelu     1024 or 4096 bytes, or a pixel
    convert       the same; int8 to int8 qs8_vcvt; int16 by definition only

uint8 and int8; all may write their result over the input: `out_array=x.values`. Whatever maps one byte to one byte is a
table of 256; x8_lut may be asked for by name where another kernel is taken by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from neonsim.errors import BackendError, BadArgument
from neonsim.nn.backends import Backend, NamedKernel
from neonsim.nn.backends.native_layer import NativeLayer
from neonsim.nn.ops.job_builder import Builder
from neonsim.nn.ops.lowering.elementwise import TASK, call_tasks
from neonsim.nn.ops.operand import check_ratio, check_scheme, scheme_of, with_channels
from neonsim.nn.ops.operator import Operator
from neonsim.quant.params.elementwise import ClampParams, ConvertParams, LeakyParams
from neonsim.quant.reference import operators
from neonsim.quant.reference.lut_functions import SOFT_SCHEMES, TIES, lut_function
from neonsim.quant.requant.double_scale import DoubleUnaryParams
from neonsim.quant.rounding import limits
from neonsim.quant.scheme import Quantized, Scheme
from neonsim.ukernel.packing.param_blocks import block_of, is_block

__all__ = ["Clamp", "Convert", "Elementwise", "LeakyRelu", "Rescale", "Sigmoid", "Tabled", "Tanh", "check_softscale",
           "clamp", "convert", "leaky_relu", "sigmoid", "tanh"]

DTYPES = ("uint8", "int8")
_WIDE_DTYPES = (*DTYPES, "int16")
TABLE_TASK = 1024


class Elementwise(Operator):
    """One result per element, from the elements at the same place."""

    may_overwrite, account = True, "table"

    def output_shape(self, *shapes: tuple[int, ...]) -> tuple[int, ...]:
        """All inputs and the result have one shape."""
        if any(s != shapes[0] for s in shapes):
            raise BadArgument(f"{' and '.join(self.names)} must have one shape; got "
                              f"{' and '.join(str(list(s)) for s in shapes)}.")
        return with_channels(shapes[0], self.names[0])

    def network_layer(self, *shapes: tuple[int, ...]) -> NativeLayer:
        """The table, of bytes as networks keep them: int8 with 128 added."""
        before, after = (np.uint8(0x80 if scheme.dtype == "int8" else 0) for scheme in (self.schemes[0], self.out))
        return NativeLayer("lut", {"weights": self.table()[np.arange(256, dtype=np.uint8) ^ before] ^ after})

    def table(self) -> NDArray[np.uint8]:
        """The result for every byte of the input, as bytes: uint8 [256]."""
        every = np.arange(256, dtype=np.uint8).view(self.schemes[0].dtype)
        return np.asarray(self.reference(every)).view(np.uint8)


class Tabled(Elementwise):
    """A function of one byte: worked out for all 256, then looked up."""

    def lower(self, build: Builder, **options: Any) -> None:
        """Tasks of 1024 bytes."""
        table = build.constant("table", self.table())
        one = build.choose("x8_lut", "a function of one byte is a table of 256")
        call_tasks(build, one, TABLE_TASK, "bytes", t=table)


class Clamp(Elementwise):
    """Limits, prepared. Arguments as `clamp`."""

    kind, account = "clamp", "limits"

    def __init__(self, x: Scheme, *, output_min: int, output_max: int) -> None:
        self.schemes = (check_scheme(x, "x", DTYPES),)
        self.out = self.schemes[0]
        self.output_min, self.output_max = limits(self.out.dtype, output_min, output_max)

    def reference(self, *values: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(np.clip(values[0], self.output_min, self.output_max), self.out.dtype)

    def lower(self, build: Builder, **options: Any) -> None:
        """Tasks of 4096 bytes."""
        params = ClampParams(self.output_min, self.output_max, self.out.dtype)
        contract = "s8_clamp" if self.out.dtype == "int8" else "u8_clamp"
        call_tasks(build, build.choose(contract, "the only one"), TASK, "bytes",
                   params=build.constant("params", block_of(params)))


class Sigmoid(Tabled):
    """Logistic function, prepared. Arguments as `sigmoid`."""

    kind = curve = "sigmoid"

    def __init__(self, x: Scheme, *, out: Scheme | None = None, output_min: int | None = None,
                 output_max: int | None = None, ties: str | None = None) -> None:
        self.schemes = (check_scheme(x, "x", DTYPES),)
        self.ties = None if ties is None else check_ties(ties)
        self.out = (check_softscale(out, self.curve, x.dtype) if ties is None or out is None else
                    check_scheme(out, "out", (x.dtype,)))
        self.output_min, self.output_max = _open_limits(self.out.dtype, output_min, output_max)

    def reference(self, *values: NDArray[Any]) -> NDArray[Any]:
        found = lut_function(self.curve, values[0], self.schemes[0], self.out, self.ties)
        return np.asarray(np.clip(found, self.output_min, self.output_max), self.out.dtype)


class Tanh(Sigmoid):
    """Hyperbolic tangent, prepared. Arguments as `tanh`."""

    kind = curve = "tanh"


class _Applied(NamedTuple):
    """A function of bytes as parameters that no kernel has."""

    apply: Callable[[NDArray[Any]], NDArray[Any]]


class _Scaled(Tabled):
    """By parameters that `apply`: int8 to int8 by a kernel that multiplies, if they are its block, else by a table."""

    contract: str
    params: Any

    def reference(self, *values: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(self.params.apply(values[0]))

    def lower(self, build: Builder, **options: Any) -> None:
        """Tasks of 4096 elements; a kernel asked for by name decides between the two."""
        other = not is_block(self.params) or {self.schemes[0].dtype, self.out.dtype} != {"int8"}
        if other or build.requested_contract(self.contract, "x8_lut") == "x8_lut":
            super().lower(build, **options)
            return
        one = build.choose(self.contract, "int8 to int8: one multiplication an element")
        call_tasks(build, one, TASK, "bytes", params=build.constant("params", block_of(self.params)))


class Convert(_Scaled):
    """Change of scale, zero point and type, prepared. Arguments as `convert`."""

    kind, account = "conversion", "change of scale"
    contract = "qs8_vcvt"

    def __init__(self, x: Scheme, *, out: Scheme, requantization: str | None = None, output_min: int | None = None,
                 output_max: int | None = None) -> None:
        taken = DTYPES if requantization is None else _WIDE_DTYPES
        self.schemes, self.out = (check_scheme(x, "x", taken),), check_scheme(out, "out", taken)
        # Elements of another size are in each other's way.
        self.may_overwrite = "int16" not in (x.dtype, out.dtype) or x.dtype == out.dtype
        self.wide = None
        if requantization is not None:
            self.params = self.wide = DoubleUnaryParams.from_schemes(x, out, output_min=output_min,
                                                                     output_max=output_max,
                                                              requantization=requantization)
            self.output_min, self.output_max = self.wide.output_min, self.wide.output_max
            return
        if output_min is not None or output_max is not None:
            raise BadArgument("a conversion has limits only with a requantization. Clamp afterwards.")
        ratio = float(check_ratio(x, out, -8, 8, "input"))
        if ratio > 128:
            raise BadArgument(f"input scale / output scale is {ratio:g}; a conversion takes 2**-8 up to 2**7.")
        # As of int8 to int8: types differ by 128 in value and zero point alike.
        before, after = (one.zero_point - 128 * (one.dtype == "uint8") for one in (x, out))
        self.params = ConvertParams.from_ratio(ratio, input_zero_point=before, output_zero_point=after)

    def reference(self, *values: NDArray[Any]) -> NDArray[Any]:
        if self.wide is not None:
            # In the order of memory, of which vectors take whole sixteens.
            return self.wide.apply(values[0].reshape(-1)).reshape(values[0].shape)
        x = values[0].astype(np.int64) - 128 * (values[0].dtype == np.uint8)
        found = self.params.apply(x).astype(np.int64) + 128 * (self.out.dtype == "uint8")
        return np.asarray(found.astype(self.out.dtype))

    @property
    def _no_table(self) -> str | None:
        """Why it is no function of a byte, None if it is one: where no byte lies on a half, its place says nothing."""
        if "int16" in (self.schemes[0].dtype, self.out.dtype):
            return "no kernel converts int16; backend='reference' has it."
        if self.wide is None or self.wide.positive.scheme != "ruy16":
            return None
        every = np.arange(256, dtype=np.uint8).view(self.schemes[0].dtype)
        plain = DoubleUnaryParams.from_schemes(self.schemes[0], self.out, output_min=self.wide.output_min,
                                        output_max=self.wide.output_max)
        if np.array_equal(self.wide.apply(every), plain.apply(every)):
            return None
        return (f"requantization {self.wide.positive.scheme!r} rounds by an element's place; only "
                "backend='reference' has it.")

    def network_layer(self, *shapes: tuple[int, ...]) -> NativeLayer:
        """A table, of bytes whose place does not count."""
        if self._no_table is not None:
            raise BackendError(self._no_table)
        return super().network_layer(*shapes)

    def unsupported_reason(self) -> str | None:
        """Nor a kernel."""
        return self._no_table

    def details(self) -> list[str]:
        factor = f"{self.params.multiplier}/256" if self.wide is None else f"{float(self.wide.positive.scale):.9g}"
        return [f"{self.schemes[0].dtype} to {self.out.dtype}, times {factor}"]


class Rescale(Tabled):
    """Change of scale and zero point as files of networks have it between a tensor and what it is joined to.

    y = clip(round(x * s - zx * s) + zy), s = x.scale * (1 / out.scale): in single precision, ties away from zero
    Source: (M18).
    """

    kind = "rescaling"

    def __init__(self, x: Scheme, *, out: Scheme) -> None:
        self.schemes, self.out = (check_scheme(x, "x", DTYPES),), check_scheme(out, "out", (x.dtype,))

    def reference(self, *values: NDArray[Any]) -> NDArray[Any]:
        x, (low, high) = self.schemes[0], limits(self.out.dtype)
        with np.errstate(over="ignore"):
            factor = np.float32(x.scale) * (np.float32(1) / np.float32(self.out.scale))
            real = values[0].astype(np.float32) * factor + np.float32(-x.zero_point) * factor
            whole = np.copysign(np.floor(np.abs(real) + np.float32(0.5)), real)
        # A product of 0 and a factor that is no number any more is none either: such scales are not refused.
        whole = np.clip(np.nan_to_num(whole, nan=0), -1024, 1024)
        return np.asarray(np.clip(whole + self.out.zero_point, low, high)).astype(self.out.dtype)


class LeakyRelu(_Scaled):
    """Leaky ReLU, prepared. Arguments as `leaky_relu`."""

    kind = "leaky ReLU"
    contract = "qs8_vlrelu"

    def __init__(self, x: Scheme, *, slope: float, out: Scheme, output_min: int | None = None,
                 output_max: int | None = None, requantization: str | None = None) -> None:
        self.schemes, self.out = (check_scheme(x, "x", DTYPES),), check_scheme(out, "out", (x.dtype,))
        self.requantization = requantization
        try:
            self.slope = float(np.float32(slope))
        except (TypeError, ValueError):
            raise BadArgument(f"slope must be a number; got {slope!r}.") from None
        ends: dict[str, Any] = {"output_min": output_min, "output_max": output_max}
        if requantization == "q8" or (requantization is None and x.dtype == "int8"):
            if output_min is not None or output_max is not None:
                raise BadArgument("leaky ReLU by factors of 1/256, int8's, has no clamp: it saturates. Omit output_min "
                                  "and output_max, or clamp afterwards.")
            self.params = LeakyParams.from_ratio(float(check_ratio(x, out, -8, 8, "input")), slope,
                                                 input_zero_point=x.zero_point, output_zero_point=out.zero_point,
                                                 dtype=x.dtype)
        elif requantization is not None:
            self.params = DoubleUnaryParams.from_schemes(x, out, slope=self.slope, requantization=requantization,
                                                         **ends)
        else:
            if not np.finfo(np.float32).tiny <= self.slope <= 1:
                raise BadArgument(f"slope must be a normal number in (0, 1]; got {slope!r}.")
            self.output_min, self.output_max = _open_limits(self.out.dtype, output_min, output_max)
            check_ratio(x, out, -8, 8, "input")
            self.params = _Applied(partial(
                operators.leaky_relu, slope=self.slope, x_scale=float(x.scale), x_zero_point=x.zero_point,
                out_scale=float(out.scale), out_zero_point=out.zero_point, output_min=self.output_min,
                output_max=self.output_max))


def _open_limits(dtype: str, low: int | None, high: int | None) -> tuple[int, int]:
    """Limits that leave more than one value, as QNNPACK asks of these operators."""
    found = limits(dtype, low, high)
    if found[0] >= found[1]:
        raise BadArgument(f"output_min {found[0]} must be less than output_max {found[1]}.")
    return found


def check_ties(ties: str) -> str:
    """Raises BadArgument for a name that is not there."""
    if ties not in TIES:
        raise BadArgument(f"ties must be {' or '.join(map(repr, TIES))}; got {ties!r}.")
    return ties


def check_softscale(out: Scheme | None, name: str, dtype: str = "uint8") -> Scheme:
    """The only scheme that results of such functions have here, of the input's type (`curves.SOFT_SCHEMES`)."""
    scale, zero = SOFT_SCHEMES[name, dtype]
    wanted = Scheme(scale, zero, dtype)
    found = wanted if out is None else check_scheme(out, "out", (dtype,))
    if found != wanted:
        raise BadArgument(f"{name} of {dtype} gives steps of 1/{round(1 / scale)} from {zero}: out must be "
                          f"Scheme(1/{round(1 / scale)}, {zero}, {dtype!r}); got {found}.")
    return found


def clamp(x: Quantized, *, output_min: int, output_max: int, backend: str | Backend | None = None, threads: int = 1,
          kernel: str | NamedKernel | None = None, out_array: NDArray[Any] | None = None) -> Quantized:
    """Keep values within limits.

    x                        Quantized uint8 or int8 [..., channels]; the result has its scale and zero point
    output_min, output_max   int   quantised values; may be equal
    out_array                     array or None   may be x.values

    Raises BadArgument for other types and output_min > output_max. Source: (K09).

    >>> x = Quantized(np.array([0, 9], np.uint8), 1.0)
    >>> clamp(x, output_min=3, output_max=5, backend="reference").values.tolist()
    [3, 5]
    """
    operator = Clamp(scheme_of(x), output_min=output_min, output_max=output_max)
    return operator(x, backend=backend, threads=threads, kernel=kernel, out_array=out_array)


def sigmoid(x: Quantized, *, out: Scheme | None = None, output_min: int | None = None, output_max: int | None = None,
            ties: str | None = None, backend: str | Backend | None = None, threads: int = 1,
            kernel: str | NamedKernel | None = None, out_array: NDArray[Any] | None = None) -> Quantized:
    """Logistic function 1 / (1 + exp(-x)), in steps of 1/256.

    x      Quantized uint8 or int8 [..., channels]
    out    Scheme(1/256, 0) for uint8, Scheme(1/256, -128, "int8") for int8, or None, which is the same
    ties   str or None   None: in double precision, to even; "even", as XNNPACK, or "away", as TensorFlow Lite: in
                         single (`neonsim.quant.reference.lut_functions`), to any scheme of x's type

    Raises BadArgument for other types, another out, output_min >= output_max. Source: (K10).

    >>> sigmoid(Quantized(np.array([128, 255], np.uint8), 0.1, 128), backend="reference").values.tolist()
    [128, 255]
    """
    operator = Sigmoid(scheme_of(x), out=out, output_min=output_min, output_max=output_max, ties=ties)
    return operator(x, backend=backend, threads=threads, kernel=kernel, out_array=out_array)


def leaky_relu(x: Quantized, *, slope: float, out: Scheme, output_min: int | None = None,
               output_max: int | None = None, requantization: str | None = None,
               backend: str | Backend | None = None, threads: int = 1, kernel: str | NamedKernel | None = None,
               out_array: NDArray[Any] | None = None) -> Quantized:
    """x where it is positive, slope * x where it is not.

    x       Quantized uint8 or int8 [..., channels]
    slope   float in (0, 1] (uint8); for int8 of either sign, |slope * x.scale / out.scale| in [2**-8, 2**7]
    out     Scheme of the same type; x.scale / out.scale in [2**-8, 2**8), for int8 up to 2**7

    uint8 is rounded once in single precision, ties to even; int8 by factors of 1/256, ties up. requantization="q8":
    uint8 as int8, which is XNNPACK's. "gemmlowp": both by multipliers of 31 bits, as TensorFlow Lite (Y17); any slope
    (an infinite one, or NaN, counts as 0), any ratio from 0 up.

    Raises BadArgument for other types, a slope or a ratio out of range, output_min >= output_max. Source: (K11).

    >>> x = Quantized(np.array([0, 128, 138], np.uint8), 1.0, 128)
    >>> leaky_relu(x, slope=0.25, out=Scheme(1.0, 128), backend="reference").values.tolist()
    [96, 128, 138]
    """
    operator = LeakyRelu(scheme_of(x), slope=slope, out=out, output_min=output_min, output_max=output_max,
                         requantization=requantization)
    return operator(x, backend=backend, threads=threads, kernel=kernel, out_array=out_array)


def tanh(x: Quantized, *, out: Scheme | None = None, output_min: int | None = None, output_max: int | None = None,
         ties: str | None = None, backend: str | Backend | None = None, threads: int = 1,
         kernel: str | NamedKernel | None = None, out_array: NDArray[Any] | None = None) -> Quantized:
    """Hyperbolic tangent, in steps of 1/128.

    x      Quantized uint8 or int8 [..., channels]
    out    Scheme(1/128, 128) for uint8, Scheme(1/128, 0, "int8") for int8, or None, which is the same
    ties   as of `sigmoid`

    Raises BadArgument for another out, output_min >= output_max. Source: a table of 256 (X23).

    >>> tanh(Quantized(np.array([-40, 0, 40], np.int8), 0.05), backend="reference").values.tolist()
    [-123, 0, 123]
    """
    operator = Tanh(scheme_of(x), out=out, output_min=output_min, output_max=output_max, ties=ties)
    return operator(x, backend=backend, threads=threads, kernel=kernel, out_array=out_array)


def convert(x: Quantized, *, out: Scheme, requantization: str | None = None, output_min: int | None = None,
            output_max: int | None = None, backend: str | Backend | None = None, threads: int = 1,
            kernel: str | NamedKernel | None = None, out_array: NDArray[Any] | None = None) -> Quantized:
    """Give values another scale, zero point or type.

    m = rint(256 * x.scale / out.scale);   y = saturate((((x - zx) * m + 128) >> 8) + zy)

    x     Quantized uint8 or int8 [..., channels]; int16 with a requantization
    out   Scheme of any of these types; x.scale / out.scale in [2**-8, 2**7]
    ->    Quantized of the same shape; ties up, and the factor has steps of 1/256

    requantization            "gemmlowp", "ruy16": by a multiplier of 31 bits, as TensorFlow Lite (Y17); any ratio
    output_min, output_max    then: limits, quantised values

    Raises BadArgument for a ratio out of range. Source: (X09, X23).

    >>> convert(Quantized(np.array([0, 128, 255], np.uint8), 0.5, 128), out=Scheme(0.5, 0, "int8"),
    ...         backend="reference").values.tolist()
    [-128, 0, 127]
    """
    operator = Convert(scheme_of(x), out=out, requantization=requantization, output_min=output_min,
                       output_max=output_max)
    return operator(x, backend=backend, threads=threads, kernel=kernel, out_array=out_array)
