"""Integers through numbers in single precision: what ONNX Runtime and Tengine compute element by element.

    dequantize      what integers stand for           quantize     the integers that numbers become, ties to even (M31)
    Float32Sum      sum of two, ONNX Runtime's (M30)  DetourSum    the same, Tengine's: ties away from zero (F17)
    Float32Product  product of two, ONNX Runtime's (M30)

Source: (F17, M30, M31).
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.quant.params.convert import DivideParams
from neonsim.quant.requant.tengine import check_symmetric, to_bytes
from neonsim.quant.scheme import Scheme

__all__ = ["DetourSum", "Float32Product", "Float32Sum", "dequantize", "every_byte", "quantize"]

Floats = NDArray[np.float32]


def dequantize(values: NDArray[Any], scheme: Scheme) -> Floats:
    """What integers stand for: scale * (q - zero_point), in single precision.

    >>> dequantize(np.array([3], np.uint8), Scheme(0.5, 1)).tolist()
    [1.0]
    """
    return np.asarray(np.float32(scheme.scale) * (values.astype(np.int32) - scheme.zero_point).astype(np.float32),
                      np.float32)


def quantize(numbers: Floats, out: Scheme) -> NDArray[Any]:
    """The integers of numbers: clip(rint(number / scale) + zero_point), the quotient in single precision.

    >>> quantize(np.array([0.25, 0.75, 1e9], np.float32), Scheme(0.5, 1)).tolist()
    [1, 3, 255]
    """
    info = np.iinfo(out.dtype)
    with np.errstate(over="ignore"):
        steps = np.asarray(numbers, np.float32) / np.float32(out.scale)
    inside = np.clip(steps, np.float32(info.min - out.zero_point), np.float32(info.max - out.zero_point))
    return np.asarray((np.rint(inside) + out.zero_point).astype(out.dtype))


def every_byte(scheme: Scheme) -> NDArray[Any]:
    """All 256 values of a type of 8 bits, in the order of the bytes 0 to 255."""
    return np.arange(256, dtype=np.uint8).view(scheme.dtype)


def _fused(a: Any, b: np.float32, c: Any) -> Floats:
    """a * b + c, rounded once: a has few bits, so float64 holds the product and, at these sizes, the sum."""
    return np.asarray(np.asarray(a, np.float64) * np.float64(b) + np.asarray(c, np.float64)).astype(np.float32)


@dataclass(frozen=True, eq=False)
class _Pair:
    """A function of two bytes, broadcast: its operands, its result, and the limits of that."""

    a: Scheme
    b: Scheme
    out: Scheme
    output_min: int
    output_max: int

    @abstractmethod
    def _steps(self, a: NDArray[Any], b: NDArray[Any]) -> Floats:
        """The result before it is rounded, zero point included."""

    def _finish(self, steps: Floats) -> NDArray[Any]:
        # Out of range, single precision becomes the nearest end before it becomes an integer.
        return np.asarray(np.clip(np.rint(steps), self.output_min, self.output_max).astype(self.out.dtype))

    def combine(self, a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
        """Bytes of both types, broadcast -> bytes of the result's."""
        return self._finish(self._steps(a, b))

    def by_constant(self, value: NDArray[Any], first: bool) -> NDArray[Any]:
        """The results for every byte, the other operand being a constant of one element; first: it is a."""
        return self.combine(value, every_byte(self.b)) if first else self.combine(every_byte(self.a), value)


class Float32Sum(_Pair):
    """(zero_out - (ra * za + rb * zb)) + b * rb + a * ra; ra, rb: ratios of scales.

    Products and sums are fused, in this order, as ONNX Runtime's kernels for AVX2 do it.
    """

    @property
    def _ratios(self) -> tuple[np.float32, np.float32]:
        out = np.float32(self.out.scale)
        return np.float32(self.a.scale) / out, np.float32(self.b.scale) / out

    @property
    def _fixed(self) -> Floats:
        a, b = self._ratios
        zeros = _fused(np.float32(self.a.zero_point), a, b * np.float32(self.b.zero_point))
        return np.asarray(np.float32(self.out.zero_point) - zeros, np.float32)

    def _steps(self, a: NDArray[Any], b: NDArray[Any]) -> Floats:
        return _fused(a, self._ratios[0], _fused(b, self._ratios[1], self._fixed))

    def by_constant(self, value: NDArray[Any], first: bool) -> NDArray[Any]:
        """A single value is added to what is fixed beforehand."""
        one, other = self._ratios if first else self._ratios[::-1]
        fixed = np.asarray(self._fixed + value.astype(np.float32) * one, np.float32)
        return self._finish(_fused(every_byte(self.b if first else self.a), other, fixed))


class Float32Product(_Pair):
    """(a - za) * (b - zb) * (scale_a * scale_b / scale_out) + zero_out."""

    def _steps(self, a: NDArray[Any], b: NDArray[Any]) -> Floats:
        ratio = np.float32(self.a.scale) * np.float32(self.b.scale) / np.float32(self.out.scale)
        product = (a.astype(np.int32) - self.a.zero_point) * (b.astype(np.int32) - self.b.zero_point)
        return np.asarray(product.astype(np.float32) * ratio + np.float32(self.out.zero_point), np.float32)


@dataclass(frozen=True, eq=False)
class DetourSum(_Pair):
    """round((a * s_a + b * s_b) / s_out). Raises BadArgument for types that Tengine does not have."""

    def __post_init__(self) -> None:
        for name in ("a", "b", "out"):
            check_symmetric(getattr(self, name), name)

    def _steps(self, a: NDArray[Any], b: NDArray[Any]) -> Floats:
        with np.errstate(over="ignore"):
            return np.asarray((dequantize(a, self.a) + dequantize(b, self.b)) / np.float32(self.out.scale))

    def _finish(self, steps: Floats) -> NDArray[Any]:
        return np.asarray(np.clip(to_bytes(steps, 1.0), self.output_min, self.output_max))

    @property
    def quotient(self) -> DivideParams:
        """Of the kernel that goes the whole way. Raises BadArgument for scales that are too small for it."""
        a, b, out = (float(np.float32(one.scale)) for one in (self.a, self.b, self.out))
        return DivideParams(out, self.output_min, self.output_max, a, b)
