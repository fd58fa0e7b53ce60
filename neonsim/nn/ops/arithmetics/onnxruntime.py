"""Operators as ONNX Runtime defines them: from bytes to real numbers in single precision, and back.

    ByTable       one byte, one byte: 256 results that are worked out beforehand; SingleLeakyRelu is one
    SingleAdd     sum of two arrays             SingleMultiply   product of two arrays
    SingleMean    mean of windows, pixel by pixel in order   SingleGlobalMean   of whole images
    SingleQuantize   real numbers to integers   SingleSoftmax    shares of exponentials, by a table

Kernels add and multiply in integers. Where their 65 536 results are those of single precision for two schemes,
which is tried when the operator is made, kernels do the work; else it is done by definition.

Source: (M30, M31, M32, M33, M35).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.errors import BackendError, BadArgument
from neonsim.nn.backends.native_layer import NativeLayer
from neonsim.nn.ops.job_builder import Builder
from neonsim.nn.ops.operand import check_scheme, with_channels
from neonsim.nn.ops.operator import Operator
from neonsim.nn.ops.quantize import Quantize
from neonsim.nn.ops.quantized.binary import Add, Broadcasting, Multiply
from neonsim.nn.ops.quantized.conv import Conv2d
from neonsim.nn.ops.quantized.elementwise import DTYPES, Tabled
from neonsim.nn.ops.windows import PoolWindows
from neonsim.quant.scheme import Quantized, Scheme

__all__ = ["ByTable", "Paired", "SingleAdd", "SingleGlobalMean", "SingleLeakyRelu", "SingleMean", "SingleMultiply",
           "SingleQuantize", "SingleSoftmax", "back", "real_of"]

Floats = NDArray[np.float32]


def real_of(values: NDArray[Any], scheme: Scheme) -> Floats:
    """What integers stand for: scale * (q - zero_point), in single precision.

    >>> real_of(np.array([3], np.uint8), Scheme(0.5, 1)).tolist()
    [1.0]
    """
    return np.asarray(np.float32(scheme.scale) * (values.astype(np.int32) - scheme.zero_point).astype(np.float32),
                      np.float32)


def back(real: Floats, out: Scheme) -> NDArray[Any]:
    """The integers of real numbers: clip(rint(real / scale) + zero_point), the quotient in single precision. (M31)

    >>> back(np.array([0.25, 0.75, 1e9], np.float32), Scheme(0.5, 1)).tolist()
    [1, 3, 255]
    """
    info = np.iinfo(out.dtype)
    with np.errstate(over="ignore"):
        steps = np.asarray(real, np.float32) / np.float32(out.scale)
    inside = np.clip(steps, np.float32(info.min - out.zero_point), np.float32(info.max - out.zero_point))
    return np.asarray((np.rint(inside) + out.zero_point).astype(out.dtype))


def _fused(a: Any, b: np.float32, c: Any) -> Floats:
    """a * b + c, rounded once: a has few bits, so float64 holds the product and, at these sizes, the sum."""
    return np.asarray(np.asarray(a, np.float64) * np.float64(b) + np.asarray(c, np.float64)).astype(np.float32)


def _every(scheme: Scheme) -> NDArray[Any]:
    return np.arange(256, dtype=np.uint8).view(scheme.dtype)


class ByTable(Tabled):
    """A function of one byte.

    x, out     Scheme
    function   from float32 [256] to float32 [256]; None: the bytes as they are, under another scheme
    kind       str   what it does, in a word

    >>> halved = ByTable(Scheme(1.0), Scheme(1.0), lambda real: real / 2, "half")
    >>> halved.reference(np.array([0, 3, 8], np.uint8)).tolist()
    [0, 2, 4]
    """

    def __init__(self, x: Scheme, out: Scheme, function: Callable[[Floats], Floats] | None, kind: str) -> None:
        self.schemes, self.out = (check_scheme(x, "x", DTYPES),), check_scheme(out, "out", DTYPES)
        self.kind = kind  # type: ignore[misc]
        bytes_ = _every(x)
        self._table = bytes_.view(out.dtype) if function is None else back(function(real_of(bytes_, x)), out)

    @classmethod
    def from_table(cls, x: Scheme, out: Scheme, table: NDArray[Any], kind: str) -> ByTable:
        """From the 256 results themselves, in the order of the bytes 0 to 255."""
        made = cls(x, out, None, kind)
        made._table = table
        return made

    def reference(self, *values: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(self._table[np.ascontiguousarray(values[0]).view(np.uint8)])


class SingleLeakyRelu(ByTable):
    """Negative values times a slope.

    >>> SingleLeakyRelu(Scheme(1.0, 8), 0.25, Scheme(1.0, 8)).reference(np.array([0, 4, 9], np.uint8)).tolist()
    [6, 7, 9]
    """

    def __init__(self, x: Scheme, slope: float, out: Scheme) -> None:
        self.slope = float(np.float32(slope))
        super().__init__(x, out, lambda real: np.where(real >= 0, real, np.float32(slope) * real).astype(np.float32),
                         "leaky ReLU")


class Paired(Broadcasting):
    """Two bytes, one byte: in single precision, by integers where that is the same for all pairs."""

    def _prepare(self, a: Scheme, b: Scheme, out: Scheme, low: int | None, high: int | None,
                 twins: Sequence[Callable[[], Add | Multiply]]) -> None:
        self._check(a, b, out, low, high)
        self.twin: Add | Multiply | None = None
        every = _every(a)[:, np.newaxis], _every(b)[np.newaxis, :]
        wanted = self._results = self._finish(self._steps(*every))
        self.differing = wanted.size
        for make in twins:
            try:
                twin = make()
            except BadArgument:     # its scales are out of the kernels' range
                continue
            self.differing = min(self.differing, int((twin.reference(*every) != wanted).sum()))
            if self.differing == 0:
                self.twin = twin
                return

    @property
    def params(self) -> Any:
        """Of the kernels that do the same. Raises BackendError where none do."""
        return self._kernels().params

    def _kernels(self) -> Add | Multiply:
        if self.twin is None:
            raise BackendError(str(self.unsupported_reason()))
        return self.twin

    def unsupported_reason(self) -> str | None:
        """Kernels round otherwise, for some pairs of bytes."""
        if self.twin is not None:
            return None
        return (f"in single precision {self.differing} of the 65 536 pairs of bytes have another result than kernels "
                "give; backend='reference' has it.")

    def network_layer(self, *shapes: tuple[int, ...]) -> NativeLayer:
        """Of the kernels that do the same."""
        return self._kernels().network_layer(*shapes)

    def lower(self, build: Builder, **options: Any) -> None:
        """By the kernels that do the same."""
        self._kernels().lower(build, **options)

    def reference(self, *values: NDArray[Any]) -> NDArray[Any]:
        """By definition, which was worked out for all pairs."""
        a, b = (np.ascontiguousarray(one).view(np.uint8) for one in values)
        return np.asarray(self._results[a, b])

    def _finish(self, steps: Floats) -> NDArray[Any]:
        # Out of range, single precision becomes the nearest end before it becomes an integer.
        return np.asarray(np.clip(np.rint(steps), self.output_min, self.output_max).astype(self.out.dtype))

    def by_constant(self, value: NDArray[Any], first: bool) -> NDArray[Any]:
        """The results for every byte, the other operand being a constant of one element; first: it is a."""
        every = _every(self.schemes[int(first)])
        return self.reference(value, every) if first else self.reference(every, value)

    @abstractmethod
    def _steps(self, a: NDArray[Any], b: NDArray[Any]) -> Floats:
        """The result before it is rounded, zero point included."""


class SingleAdd(Paired):
    """Sum: (zero_out - (ra * za + rb * zb)) + b * rb + a * ra; ra, rb: ratios of scales (M30).

    Products and sums are fused, in this order, as its kernels for AVX2 do it.
    """

    kind = "addition"

    def __init__(self, a: Scheme, b: Scheme, *, out: Scheme, output_min: int | None = None,
                 output_max: int | None = None) -> None:
        self.ratios = np.float32(a.scale) / np.float32(out.scale), np.float32(b.scale) / np.float32(out.scale)
        zeros = _fused(np.float32(a.zero_point), self.ratios[0], self.ratios[1] * np.float32(b.zero_point))
        self.fixed = np.float32(out.zero_point) - zeros
        limits: dict[str, Any] = {"out": out, "output_min": output_min, "output_max": output_max}
        self._prepare(a, b, out, output_min, output_max, [
            lambda: Add(a, b, rounding="up", **limits), lambda: Add(a, b, rounding="away", **limits)])

    def _steps(self, a: NDArray[Any], b: NDArray[Any]) -> Floats:
        return _fused(a, self.ratios[0], _fused(b, self.ratios[1], self.fixed))

    def by_constant(self, value: NDArray[Any], first: bool) -> NDArray[Any]:
        """A single value is added to what is fixed beforehand."""
        one, other = (0, 1) if first else (1, 0)
        fixed = np.asarray(self.fixed + value.astype(np.float32) * self.ratios[one], np.float32)
        return self._finish(_fused(_every(self.schemes[other]), self.ratios[other], fixed))


class SingleMultiply(Paired):
    """Product: (a - za) * (b - zb) * (scale_a * scale_b / scale_out) + zero_out (M30)."""

    kind = "multiplication"

    def __init__(self, a: Scheme, b: Scheme, *, out: Scheme, output_min: int | None = None,
                 output_max: int | None = None) -> None:
        self.zeros = a.zero_point, b.zero_point
        self.ratio = np.float32(a.scale) * np.float32(b.scale) / np.float32(out.scale)
        self.zero = np.float32(out.zero_point)
        self._prepare(a, b, out, output_min, output_max, [
            lambda: Multiply(a, b, out=out, output_min=output_min, output_max=output_max)])

    def _steps(self, a: NDArray[Any], b: NDArray[Any]) -> Floats:
        product = (a.astype(np.int32) - self.zeros[0]) * (b.astype(np.int32) - self.zeros[1])
        return np.asarray(product.astype(np.float32) * self.ratio + self.zero, np.float32)


class SingleMean(PoolWindows, Operator):
    """Mean of windows: real numbers added up row by row, divided by their count, and back (M32).

    x, out    Scheme of one type
    pool, stride   (int, int)      padding   ((top, bottom), (left, right))
    counts_padding  bool   divides by all taps of the window, not by those inside the image
    """

    kind = "average pooling"

    def __init__(self, x: Scheme, *, pool: tuple[int, int], out: Scheme, stride: tuple[int, int],
                 padding: Sequence[Sequence[int]], counts_padding: bool) -> None:
        self.schemes, self.out = (check_scheme(x, "x", DTYPES),), check_scheme(out, "out", (x.dtype,))
        self.counts_padding = counts_padding
        self._settle(pool, stride, padding)

    def reference(self, *values: NDArray[Any]) -> NDArray[Any]:
        """By definition; adding the 0.0 of pixels outside changes no sum."""
        shape = self.shape(values[0].shape)
        (top, bottom), (left, right) = shape.padding
        edges = (0, 0), (top, bottom), (left, right), (0, 0)
        real = np.pad(real_of(values[0], self.schemes[0]), edges)
        inside = np.pad(np.ones((1, *values[0].shape[1:3], 1), np.float32), edges)
        height, width = shape.output
        sums = np.zeros((values[0].shape[0], height, width, values[0].shape[3]), np.float32)
        count = np.zeros((1, height, width, 1), np.float32)
        for y in range(self.pool[0]):
            for x in range(self.pool[1]):
                rows = slice(y, y + (height - 1) * shape.stride[0] + 1, shape.stride[0])
                columns = slice(x, x + (width - 1) * shape.stride[1] + 1, shape.stride[1])
                sums += real[:, rows, columns]
                count += inside[:, rows, columns]
        if self.counts_padding:
            count[...] = self.pool[0] * self.pool[1]
        steps = sums / count / np.float32(self.out.scale) + np.float32(self.out.zero_point)
        info = np.iinfo(self.out.dtype)
        return np.asarray(np.clip(np.rint(steps), info.min, info.max).astype(self.out.dtype))

    def unsupported_reason(self) -> str | None:
        """None add up in single precision."""
        return "no kernel adds up windows in single precision; backend='reference' has it."


class SingleGlobalMean(Conv2d):
    """Mean over whole images: sums of integers, scaled once: a depthwise convolution by ones (M32).

    x, out   Scheme of one type
    image    (height, width, channels)
    """

    def __init__(self, x: Scheme, *, out: Scheme, image: Sequence[int]) -> None:
        height, width, channels = image
        taps = height * width
        ones = Quantized(np.ones((channels, height, width, 1), x.dtype), 1 / taps)
        super().__init__(x, ones, out=out, groups=channels, requantization="fp32")
        # Divided in this order; the product with 1 / taps may be rounded to its neighbour.
        with np.errstate(over="ignore", under="ignore"):
            self.scale = np.asarray(np.float32(x.scale) / (np.float32(out.scale) * np.float32(taps)), np.float32)
        self._check_scale(None)


class SingleQuantize(Quantize):
    """Real numbers to integers, the quotient in single precision (M31)."""

    def reference(self, *values: NDArray[Any]) -> NDArray[Any]:
        """By definition. Raises BadArgument for NaN."""
        if np.isnan(values[0]).any():
            raise BadArgument("real numbers to quantise hold NaN; no integer stands for it.")
        return back(values[0], self.out)


class SingleSoftmax(Operator):
    """Shares of exponentials along the last axis, from a table of 256, added up in order (M33)."""

    kind = "softmax"

    def __init__(self, x: Scheme, *, out: Scheme) -> None:
        self.schemes, self.out = (check_scheme(x, "x", DTYPES),), check_scheme(out, "out", (x.dtype,))

    def output_shape(self, *shapes: tuple[int, ...]) -> tuple[int, ...]:
        """[..., channels] -> the same."""
        return with_channels(shapes[0], "x of softmax")

    def _exponentials(self, count: int) -> Floats:
        """For every distance from the largest byte of a row, from -255 to 0."""
        scale = float(np.float32(self.schemes[0].scale))
        room = max(0.0, float(np.log(np.float64(np.finfo(np.float32).max / np.float32(count)))) - 5) / scale
        with np.errstate(over="ignore", under="ignore"):
            return np.exp((np.arange(256, dtype=np.float64) - 255 + room) * scale).astype(np.float32)

    def reference(self, *values: NDArray[Any]) -> NDArray[Any]:
        x = values[0].astype(np.int32)
        shares = self._exponentials(x.shape[-1])[255 - (x.max(axis=-1, keepdims=True) - x)]
        sums = np.add.accumulate(shares, axis=-1, dtype=np.float32)[..., -1:]
        steps = np.float32(np.floor(np.float32(1) / np.float32(self.out.scale)))
        found = np.rint(shares * steps / sums).astype(np.int64) + self.out.zero_point
        info = np.iinfo(self.out.dtype)
        return np.asarray(np.clip(found, info.min, info.max).astype(self.out.dtype))

    def unsupported_reason(self) -> str | None:
        return "no kernel has this table of exponentials; backend='reference' has it."
