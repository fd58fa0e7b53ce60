"""Operators as ONNX Runtime defines them: from bytes to floats in single precision, and back.

    TableFunction  one byte, one byte: 256 results that are computed beforehand
    OrtActivation  such a function of a file
    OrtMean        mean of windows, pixel by pixel in order
    OrtGlobalMean  mean of whole images
    OrtQuantize    float32 to integers
    OrtSoftmax     shares of exponentials, by a table

Sums and products of two are `Add(rounding="onnxruntime")` and `Multiply(requantization="onnxruntime")`.

Source: (M30, M31, M32, M33, M35).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.errors import BadArgument
from neonsim.nn.ops.operand import check_scheme
from neonsim.nn.ops.operator import Operator
from neonsim.nn.ops.quantize import Quantize
from neonsim.nn.ops.quantized.channels import Shares
from neonsim.nn.ops.quantized.conv import Conv2d
from neonsim.nn.ops.quantized.elementwise import DTYPES, Tabled
from neonsim.nn.ops.quantized.lut import ACTIVATIONS
from neonsim.nn.ops.windows import PoolWindows
from neonsim.quant.reference.int64_conv import windows
from neonsim.quant.reference.single_precision import dequantize, every_byte, quantize
from neonsim.quant.requant.runtimes import ARITHMETICS
from neonsim.quant.scheme import Quantized, Scheme

__all__ = ["OrtActivation", "OrtGlobalMean", "OrtMean", "OrtQuantize", "OrtSoftmax", "TableFunction"]

Floats = NDArray[np.float32]


class TableFunction(Tabled):
    """A function of one byte.

    x, out     Scheme
    function   from float32 [256] to float32 [256]; None: the bytes as they are, under another scheme
    kind       str   what it does, in a word

    >>> halved = TableFunction(Scheme(1.0), Scheme(1.0), lambda real: real / 2, "half")
    >>> halved.reference(np.array([0, 3, 8], np.uint8)).tolist()
    [0, 2, 4]
    """

    def __init__(self, x: Scheme, out: Scheme, function: Callable[[Floats], Floats] | None, kind: str) -> None:
        self.schemes, self.out = (check_scheme(x, "x", DTYPES),), check_scheme(out, "out", DTYPES)
        self.kind = kind  # type: ignore[misc]
        bytes_ = every_byte(x)
        self._table = bytes_.view(out.dtype) if function is None else quantize(function(dequantize(bytes_, x)), out)

    @classmethod
    def from_table(cls, x: Scheme, out: Scheme, table: NDArray[Any], kind: str) -> TableFunction:
        """From the 256 results themselves, in the order of the bytes 0 to 255."""
        made = cls(x, out, None, kind)
        made._table = table
        return made

    def reference(self, *values: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(self._table[np.ascontiguousarray(values[0]).view(np.uint8)])


class OrtActivation(TableFunction):
    """An activation of the table, by its function of floats.

    word         str   its word in .tflite, by which `ACTIVATIONS` has it
    attributes   {name: float}   those of its row

    >>> leaky = OrtActivation(Scheme(1.0, 8), Scheme(1.0, 8), "LEAKY_RELU", slope=0.25)
    >>> leaky.reference(np.array([0, 4, 9], np.uint8)).tolist()
    [6, 7, 9]
    """

    def __init__(self, x: Scheme, out: Scheme, word: str, **attributes: float) -> None:
        row = ACTIVATIONS.get(word)
        if row is None or row.real is None or set(attributes) != set(row.attributes):
            raise BadArgument(f"unknown activation {word!r} of floating-point values with the attributes "
                              f"{', '.join(attributes) or '(none)'}.")
        self.word, self.attributes = word, {name: float(np.float32(value)) for name, value in attributes.items()}
        self.function = partial(row.real, **self.attributes)
        super().__init__(x, out, self.function, row.operator.kind)


class OrtMean(PoolWindows, Operator):
    """Mean of windows: floats added up row by row, divided by their count, and back (M32).

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
        seen = shape.kernel, shape.stride, shape.padding
        sums = reduce(np.add, windows(dequantize(values[0], self.schemes[0]), *seen))
        count = (np.float32(self.pool[0] * self.pool[1]) if self.counts_padding else
                 reduce(np.add, windows(np.ones((1, *values[0].shape[1:3], 1), np.float32), *seen)))
        steps = sums / count / np.float32(self.out.scale) + np.float32(self.out.zero_point)
        info = np.iinfo(self.out.dtype)
        return np.asarray(np.clip(np.rint(steps), info.min, info.max).astype(self.out.dtype))

    def unsupported_reason(self) -> str | None:
        """None add up in single precision."""
        return "no kernel adds up windows in single precision; backend='reference' has it."


class OrtGlobalMean(Conv2d):
    """Mean over whole images: sums of integers, scaled once: a depthwise convolution by ones (M32).

    x, out   Scheme of one type
    image    (height, width, channels)
    """

    def __init__(self, x: Scheme, *, out: Scheme, image: Sequence[int]) -> None:
        height, width, channels = image
        taps = height * width
        ones = Quantized(np.ones((channels, height, width, 1), x.dtype), 1 / taps)
        super().__init__(x, ones, out=out, groups=channels, requantization=ARITHMETICS["onnxruntime"].products)

    @property
    def single_scale(self) -> Floats:
        """Divided in this order; the product with 1 / taps may be rounded to its neighbour."""
        _, height, width, _ = self.w.shape
        with np.errstate(over="ignore", under="ignore"):
            return np.asarray(np.float32(self.schemes[0].scale)
                              / (np.float32(self.out.scale) * np.float32(height * width)), np.float32)


class OrtQuantize(Quantize):
    """Floats to integers, the quotient in single precision (M31)."""

    def reference(self, *values: NDArray[Any]) -> NDArray[Any]:
        """By definition. Raises BadArgument for NaN."""
        if np.isnan(values[0]).any():
            raise BadArgument("values to quantise contain NaN, which has no integer.")
        return quantize(values[0], self.out)


class OrtSoftmax(Shares):
    """Shares of exponentials along the last axis, from a table of 256, added up in order (M33)."""

    def __init__(self, x: Scheme, *, out: Scheme) -> None:
        self.schemes, self.out = (check_scheme(x, "x", DTYPES),), check_scheme(out, "out", (x.dtype,))

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
