"""Element by element: addition, clamping, and functions by table.

    operator      kernel                          task (P10)
    add           qu8_vadd                        4096 bytes, or a pixel where pixels are apart
    clamp         u8_clamp                        the same
    sigmoid       x8_lut, a table of 256 bytes    1024 bytes, or a pixel
    leaky_relu    the same

All may write their result over an input: `into=x.values`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.backends import Backend, NamedKernel, Place
from neonsim.errors import BadArgument
from neonsim.ops.builder import Builder, parts
from neonsim.ops.operand import check_scheme, scheme_of
from neonsim.ops.operator import Operator
from neonsim.ops.pooling import check_ratio
from neonsim.quant import definitions
from neonsim.quant.params import AddParams, ClampParams
from neonsim.quant.requant import limits
from neonsim.quant.scheme import Quantized, Scheme

__all__ = ["Add", "Clamp", "LeakyRelu", "Sigmoid", "add", "check_softscale", "clamp", "leaky_relu", "sigmoid"]

TASK, TABLE_TASK = 4096, 1024


class Elementwise(Operator):
    """One result per element, from the elements at the same place."""

    may_overwrite = True

    def output_shape(self, *shapes: tuple[int, ...]) -> tuple[int, ...]:
        """All inputs and the result have one shape."""
        if not shapes[0] or shapes[0][-1] == 0:
            raise BadArgument(f"{self.names[0]} needs at least one channel; got shape {list(shapes[0])}.")
        if any(s != shapes[0] for s in shapes):
            raise BadArgument(f"{' and '.join(self.names)} must have one shape; got "
                              f"{' and '.join(str(list(s)) for s in shapes)}.")
        return shapes[0]

    def _tasks(self, build: Builder, contract: str, reason: str, task: int, **constant: Place) -> None:
        """One kernel over everything: in tasks of bytes where all pixels touch, else a pixel a call."""
        one = build.choose(contract, reason)
        operands = {**{o.name: o for o in build.inputs}, "y": build.output}
        regions = {**{o.name: o.name for o in build.inputs}, "y": build.result}
        channels = build.output.channels
        if all(o.stride == channels for o in operands.values()):
            length = build.output.nbytes
            for part in parts(length, task):
                start = part.first + task * np.arange(part.tiles, dtype=np.int64)[:, np.newaxis]
                build.call(one, part.tiles, 1, f"{part.size} bytes", n=part.size, **constant,
                           **{name: Place(regions[name], start) for name in operands})
            return
        pixel = np.arange(build.output.pixels, dtype=np.int64)[:, np.newaxis]
        build.call(one, len(pixel), 1, f"a pixel of {channels} bytes", n=channels, **constant,
                   **{name: Place(regions[name], pixel * o.stride) for name, o in operands.items()})


class Add(Elementwise):
    """Sum of two arrays, prepared. Arguments as `add`, with schemes in place of arrays."""

    kind = "addition"
    names = ("a", "b")

    def __init__(self, a: Scheme, b: Scheme, *, out: Scheme, output_min: int | None = None,
                 output_max: int | None = None) -> None:
        self.schemes, self.out = (check_scheme(a, "a"), check_scheme(b, "b")), check_scheme(out, "out")
        self.output_min, self.output_max = _open_limits(output_min, output_max)
        self.ratios = (float(check_ratio(a, out, -14, 8, "a")), float(check_ratio(b, out, -14, 8, "b")))
        if max(self.ratios) < 2.0**-10:
            raise BadArgument(f"a scale / output scale is {self.ratios[0]:.9g} and b scale / output scale "
                              f"{self.ratios[1]:.9g}; one of them must be at least 2**-10, or the sum of "
                              "products would be shifted by more than 31 bits.")

    def define(self, *values: NDArray[Any]) -> NDArray[Any]:
        """By definition."""
        return definitions.add(values[0], values[1], a_zero_point=self.schemes[0].zero_point,
                               b_zero_point=self.schemes[1].zero_point, a_ratio=self.ratios[0], b_ratio=self.ratios[1],
                               out_zero_point=self.out.zero_point, output_min=self.output_min,
                               output_max=self.output_max)

    def lower(self, build: Builder, **options: Any) -> None:
        """Tasks of 4096 bytes."""
        params = AddParams.from_scales(*self.ratios, a_zero_point=self.schemes[0].zero_point,
                                       b_zero_point=self.schemes[1].zero_point, output_zero_point=self.out.zero_point,
                                       output_min=self.output_min, output_max=self.output_max)
        self._tasks(build, "qu8_vadd", "the only one (K20)", TASK, params=build.constant("params", params.block()))


class Clamp(Elementwise):
    """Limits, prepared. Arguments as `clamp`."""

    kind = "clamp"

    def __init__(self, x: Scheme, *, output_min: int, output_max: int) -> None:
        self.schemes = (check_scheme(x, "x"),)
        self.out = self.schemes[0]
        self.output_min, self.output_max = limits("uint8", output_min, output_max)

    def define(self, *values: NDArray[Any]) -> NDArray[Any]:
        """By definition."""
        return np.asarray(np.clip(values[0], self.output_min, self.output_max), np.uint8)

    def lower(self, build: Builder, **options: Any) -> None:
        """Tasks of 4096 bytes."""
        params = ClampParams(self.output_min, self.output_max)
        self._tasks(build, "u8_clamp", "the only one (K20)", TASK, params=build.constant("params", params.block()))


class _ByTable(Elementwise):
    """A function of one byte: worked out for all 256, then looked up."""

    def table(self) -> NDArray[np.uint8]:
        """The result for every byte: uint8 [256]."""
        return np.asarray(self.define(np.arange(256, dtype=np.uint8)), np.uint8)

    def lower(self, build: Builder, **options: Any) -> None:
        """Tasks of 1024 bytes."""
        self._tasks(build, "x8_lut", "a function of one byte is a table of 256 (K20)", TABLE_TASK,
                    t=build.constant("table", self.table()))


class Sigmoid(_ByTable):
    """Logistic function, prepared. Arguments as `sigmoid`."""

    kind = "sigmoid"

    def __init__(self, x: Scheme, *, out: Scheme | None = None, output_min: int | None = None,
                 output_max: int | None = None) -> None:
        self.schemes = (check_scheme(x, "x"),)
        self.out = check_softscale(out, self.kind)
        self.output_min, self.output_max = _open_limits(output_min, output_max)

    def define(self, *values: NDArray[Any]) -> NDArray[Any]:
        """By definition."""
        return definitions.sigmoid(values[0], x_scale=float(self.schemes[0].scale),
                                   x_zero_point=self.schemes[0].zero_point, output_min=self.output_min,
                                   output_max=self.output_max)


class LeakyRelu(_ByTable):
    """Leaky ReLU, prepared. Arguments as `leaky_relu`."""

    kind = "leaky ReLU"

    def __init__(self, x: Scheme, *, slope: float, out: Scheme, output_min: int | None = None,
                 output_max: int | None = None) -> None:
        self.schemes, self.out = (check_scheme(x, "x"),), check_scheme(out, "out")
        try:
            single = float(np.float32(slope))
        except (TypeError, ValueError):
            raise BadArgument(f"slope is a number; got {slope!r}.") from None
        if not np.finfo(np.float32).tiny <= single <= 1:
            raise BadArgument(f"slope must be a normal number in (0, 1]; got {slope!r}.")
        self.slope = single
        self.output_min, self.output_max = _open_limits(output_min, output_max)
        check_ratio(x, out, -8, 8, "input")

    def define(self, *values: NDArray[Any]) -> NDArray[Any]:
        """By definition."""
        x = self.schemes[0]
        return definitions.leaky_relu(values[0], slope=self.slope, x_scale=float(x.scale), x_zero_point=x.zero_point,
                                      out_scale=float(self.out.scale), out_zero_point=self.out.zero_point,
                                      output_min=self.output_min, output_max=self.output_max)


def _open_limits(low: int | None, high: int | None) -> tuple[int, int]:
    """Limits that leave more than one value, as QNNPACK asks of these operators."""
    found = limits("uint8", low, high)
    if found[0] >= found[1]:
        raise BadArgument(f"output_min {found[0]} must be less than output_max {found[1]}.")
    return found


def check_softscale(out: Scheme | None, what: str) -> Scheme:
    """The only scheme that results between 0 and 1 have here: steps of 1/256 from 0."""
    found = Scheme(1 / 256) if out is None else check_scheme(out, "out")
    if float(found.scale) != 1 / 256 or found.zero_point != 0:
        raise BadArgument(f"{what} gives steps of 1/256 from 0: out must be Scheme(1/256, 0); got {found}.")
    return found


def add(a: Quantized, b: Quantized, *, out: Scheme, output_min: int | None = None, output_max: int | None = None,
        backend: str | Backend | None = None, threads: int = 1, kernel: str | NamedKernel | None = None,
        into: NDArray[Any] | None = None) -> Quantized:
    """Add two arrays whose scales and zero points differ.

    y = clip(round((ma * (a - za) + mb * (b - zb)) / 2**shift) + zy)     ma, mb, shift from the scale ratios (R07)

    a, b   Quantized uint8 of one shape
    out    Scheme uint8; a.scale / out.scale and b.scale / out.scale in [2**-14, 2**8), one of them at least 2**-10
    into   array or None   may be a.values or b.values
    ->     Quantized uint8 of that shape; one rounding, ties away from zero

    Raises BadArgument for other shapes and types, a ratio out of range, output_min >= output_max.
    Source: K08, R07.

    >>> a, b = Quantized(np.array([10], np.uint8), 1.0), Quantized(np.array([9], np.uint8), 0.5)
    >>> add(a, b, out=Scheme(2.0), backend="reference").values.tolist()
    [7]
    """
    operator = Add(scheme_of(a, "a"), scheme_of(b, "b"), out=out, output_min=output_min, output_max=output_max)
    return operator(a, b, backend=backend, threads=threads, kernel=kernel, into=into)


def clamp(x: Quantized, *, output_min: int, output_max: int, backend: str | Backend | None = None, threads: int = 1,
          kernel: str | NamedKernel | None = None, into: NDArray[Any] | None = None) -> Quantized:
    """Keep values within limits.

    x                        Quantized uint8 [..., channels]; the result has its scale and zero point
    output_min, output_max   int   quantised values; may be equal
    into                     array or None   may be x.values

    Raises BadArgument for other types and output_min > output_max. Source: K09.

    >>> x = Quantized(np.array([0, 9], np.uint8), 1.0)
    >>> clamp(x, output_min=3, output_max=5, backend="reference").values.tolist()
    [3, 5]
    """
    operator = Clamp(scheme_of(x), output_min=output_min, output_max=output_max)
    return operator(x, backend=backend, threads=threads, kernel=kernel, into=into)


def sigmoid(x: Quantized, *, out: Scheme | None = None, output_min: int | None = None, output_max: int | None = None,
            backend: str | Backend | None = None, threads: int = 1, kernel: str | NamedKernel | None = None,
            into: NDArray[Any] | None = None) -> Quantized:
    """Logistic function 1 / (1 + exp(-x)), in steps of 1/256.

    x     Quantized uint8 [..., channels]
    out   Scheme(1/256, 0) or None, which is the same

    Raises BadArgument for other types, another out, output_min >= output_max. Source: K10.

    >>> sigmoid(Quantized(np.array([128, 255], np.uint8), 0.1, 128), backend="reference").values.tolist()
    [128, 255]
    """
    operator = Sigmoid(scheme_of(x), out=out, output_min=output_min, output_max=output_max)
    return operator(x, backend=backend, threads=threads, kernel=kernel, into=into)


def leaky_relu(x: Quantized, *, slope: float, out: Scheme, output_min: int | None = None,
               output_max: int | None = None, backend: str | Backend | None = None, threads: int = 1,
               kernel: str | NamedKernel | None = None, into: NDArray[Any] | None = None) -> Quantized:
    """x where it is positive, slope * x where it is not.

    x       Quantized uint8 [..., channels]
    slope   float in (0, 1]
    out     Scheme uint8; x.scale / out.scale in [2**-8, 2**8)

    Raises BadArgument for other types, a slope or a ratio out of range, output_min >= output_max. Source: K11.

    >>> x = Quantized(np.array([0, 128, 138], np.uint8), 1.0, 128)
    >>> leaky_relu(x, slope=0.25, out=Scheme(1.0, 128), backend="reference").values.tolist()
    [96, 128, 138]
    """
    operator = LeakyRelu(scheme_of(x), slope=slope, out=out, output_min=output_min, output_max=output_max)
    return operator(x, backend=backend, threads=threads, kernel=kernel, into=into)
