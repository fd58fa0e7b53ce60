"""Quantised arrays: small integers that stand for floats.

    real = scale * (q - zero_point)

`Scheme` is the rule (scale, zero point, type), `Quantized` an array of integers together with its rule. With `axis`
the scale is an array, one per index along that axis (per channel); zero points are one per array.

Scales count in single precision, as in the libraries: what is computed with is float32(scale).

Source: (A10): QNNPACK's scheme, the one of Android NNAPI and TensorFlow Lite.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neonsim.common.integers import as_int
from neonsim.errors import BadArgument
from neonsim.quant.fixedpoint import check_scale
from neonsim.quant.rounding import limits

__all__ = ["Quantized", "Scheme"]

Scale = float | NDArray[np.float32]


def _scale(scale: ArrayLike, axis: int | None, owner: str) -> Scale:
    single = check_scale(scale, f"scale of a {owner}")
    if axis is None:
        if single.ndim:
            raise BadArgument(f"scale of a {owner} is an array of shape {single.shape}. Pass its axis, for example "
                              f"axis=0 for weights [out, ...].")
        return float(np.asarray(scale))
    if single.ndim != 1:
        raise BadArgument(f"with axis={axis}, scale of a {owner} must be an array of one dimension, one scale per "
                          f"index along the axis; got shape {single.shape}.")
    frozen = single.copy()
    frozen.flags.writeable = False
    return frozen


def _spread(scale: Scale, axis: int | None, ndim: int) -> NDArray[np.float32]:
    """The scale shaped so that it broadcasts along its axis."""
    single = np.asarray(scale, np.float32)
    if axis is None:
        return single
    return single.reshape([-1 if i == axis else 1 for i in range(ndim)])


def _check_axis(scale: Scale, axis: int | None, shape: tuple[int, ...]) -> int | None:
    if axis is None:
        return None
    where = as_int(axis, "axis", -len(shape), len(shape) - 1) % len(shape) if shape else -1
    if where < 0:
        raise BadArgument("a single value has no axis for per-channel scales.")
    count = np.asarray(scale).size
    if count != shape[where]:
        raise BadArgument(f"there are {count} scales for axis {where}, but values of shape {shape} have "
                          f"{shape[where]} channels there.")
    return where


def _format_scale(scale: Scale) -> str:
    if isinstance(scale, float):
        return repr(scale)
    return f"<{scale.size} from {scale.min():.6g} to {scale.max():.6g}>" if scale.size else "<none>"


@dataclass(frozen=True, eq=False, repr=False)
class Scheme:
    """A rule that quantizes float32 to 8-bit integers: q = clip(round(real / scale) + zero_point), ties to even.

    scale        float, or float32 [n] with axis   what one step of the integer is worth; positive, finite, normal
    zero_point   int                               the integer that stands for 0, one of the type
    dtype        str                               "uint8", "int8" or "int16"
    axis         int or None                       None: one scale; else the axis that the scales run along

    Raises BadArgument for values out of range.

    >>> out = Scheme(scale=0.5, zero_point=10)
    >>> out.quantize([0.0, 1.0, -2.0, 1000.0]).values.tolist()
    [10, 12, 6, 255]
    >>> out
    Scheme(scale=0.5, zero_point=10, dtype='uint8')
    """

    scale: Scale
    zero_point: int = 0
    dtype: str = "uint8"
    axis: int | None = None

    def __post_init__(self) -> None:
        low, high = limits(self.dtype)
        object.__setattr__(self, "dtype", np.dtype(self.dtype).name)
        object.__setattr__(self, "scale", _scale(self.scale, self.axis, "Scheme"))
        object.__setattr__(self, "zero_point", as_int(self.zero_point, f"zero_point of {self.dtype}", low, high))

    def __repr__(self) -> str:
        tail = "" if self.axis is None else f", axis={self.axis}"
        return f"Scheme(scale={_format_scale(self.scale)}, zero_point={self.zero_point}, dtype={self.dtype!r}{tail})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Scheme):
            return NotImplemented
        return ((self.zero_point, self.dtype, self.axis) == (other.zero_point, other.dtype, other.axis)
                and np.array_equal(np.asarray(self.scale), np.asarray(other.scale)))

    def __hash__(self) -> int:
        return hash((np.asarray(self.scale).tobytes(), self.zero_point, self.dtype, self.axis))

    @classmethod
    def covering(cls, low: float, high: float, dtype: str = "uint8") -> Scheme:
        """Return the finest scheme whose integers cover low to high and represent 0 exactly.

        low, high   floats, low <= high; 0 is always included in the range

        >>> Scheme.covering(-64.0, 63.5)
        Scheme(scale=0.5, zero_point=128, dtype='uint8')
        """
        if not (np.isfinite(low) and np.isfinite(high) and low <= high):
            raise BadArgument(f"a range needs finite low <= high; got {low!r} and {high!r}.")
        bottom, top = min(float(low), 0.0), max(float(high), 0.0)
        if bottom == top:
            raise BadArgument("a range of zero width has no scale: low and high are both 0.")
        first, last = limits(dtype)
        scale = (top - bottom) / (last - first)
        return cls(scale, int(np.clip(round(first - bottom / scale), first, last)), dtype)

    def wrap(self, values: NDArray[Any], backend: str | None = None, kernel: str | None = None) -> Quantized:
        """Wrap integers of this scheme, without a copy.

        What the scheme knows already is not looked at again: a tenth of the time of `Quantized(...)`.
        """
        if self.axis is not None or not isinstance(values, np.ndarray) or values.dtype != self.dtype:
            return Quantized(values, self.scale, self.zero_point, self.axis, backend, kernel)
        made = object.__new__(Quantized)
        made.__dict__.update(values=values, scale=self.scale, zero_point=self.zero_point, axis=None, backend=backend,
                             kernel=kernel)
        return made

    @property
    def range(self) -> tuple[float, float]:
        """The smallest and largest real number it can hold (per-channel: of the largest scale)."""
        low, high = limits(self.dtype)
        scale = float(np.max(np.asarray(self.scale, np.float32)))
        return (low - self.zero_point) * scale, (high - self.zero_point) * scale

    def quantize(self, real: ArrayLike) -> Quantized:
        """Quantize values to the nearest integers, and clip them to the range.

        real   float [...]   finite or infinite, any shape
        ->     Quantized     values of the same shape; within the range the error is at most scale / 2

        Raises BadArgument for NaN.
        """
        try:
            given = np.asarray(real, np.float64)
        except (TypeError, ValueError):
            raise BadArgument(f"quantize takes an array of floating-point values; got {type(real).__name__}.") from None
        if np.isnan(given).any():
            place = np.unravel_index(int(np.argmax(np.isnan(given))), given.shape) if given.ndim else ()
            raise BadArgument(f"real numbers to quantise hold NaN at {tuple(int(i) for i in place)}; "
                              "no integer stands for it.")
        axis = _check_axis(self.scale, self.axis, given.shape)
        low, high = limits(self.dtype)
        with np.errstate(over="ignore"):
            steps = np.rint(given / _spread(self.scale, axis, given.ndim)) + self.zero_point
        return Quantized(np.asarray(np.clip(steps, low, high)).astype(self.dtype), self.scale, self.zero_point, axis)


@dataclass(frozen=True, eq=False, repr=False)
class Quantized:
    """An array of 8-bit integers that represent scale * (value - zero_point).

    values       uint8, int8 or int16 [...]                   kept as given, not copied; images are NHWC
    scale        float, or float32 [n] with axis       positive, finite, normal in single precision
    zero_point   int                                   within the range of the values' type
    axis         int or None                           None: one scale; else the axis that the scales run along
    backend      str or None                           which backend computed it; None if none did
    kernel       str or None                           which kernel, where the backend has kernels

    Raises BadArgument for a wrong dtype, a scale that is not positive, a zero point out of range, or a number of
    scales that does not fit the axis.

    >>> x = Quantized(np.array([[0, 127, 255]], np.uint8), scale=0.5, zero_point=127)
    >>> x.dequantize().tolist()
    [[-63.5, 0.0, 64.0]]
    >>> x
    Quantized(uint8 [1, 3], scale=0.5, zero_point=127)
    """

    values: NDArray[Any]
    scale: Scale
    zero_point: int = 0
    axis: int | None = None
    backend: str | None = None
    kernel: str | None = None

    def __post_init__(self) -> None:
        values = np.asarray(self.values)
        if values.dtype not in (np.uint8, np.int8, np.int16):
            raise BadArgument(f"values of a Quantized must be uint8, int8 or int16; got {values.dtype}. To quantise "
                              f"floating-point values use Scheme(scale, zero_point).quantize(real); for quantized "
                              f"integers use np.asarray(values, dtype='uint8').")
        low, high = limits(values.dtype)
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "scale", _scale(self.scale, self.axis, "Quantized"))
        object.__setattr__(self, "zero_point", as_int(self.zero_point, f"zero_point of {values.dtype}", low, high))
        object.__setattr__(self, "axis", _check_axis(self.scale, self.axis, values.shape))

    def __repr__(self) -> str:
        shape = ", ".join(map(str, self.values.shape))
        tail = "" if self.axis is None else f", axis={self.axis}"
        maker = "" if self.backend is None else f", backend={self.backend!r}"
        return (f"Quantized({self.values.dtype} [{shape}], scale={_format_scale(self.scale)}, "
                f"zero_point={self.zero_point}{tail}{maker})")

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the values."""
        return self.values.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """uint8, int8 or int16."""
        return self.values.dtype

    @property
    def scheme(self) -> Scheme:
        """The rule alone: the same scale, zero point and type, without values."""
        return Scheme(self.scale, self.zero_point, self.values.dtype.name, self.axis)

    def follows(self, scheme: Scheme) -> bool:
        """Return `self.scheme == scheme`, quickly for one scale."""
        if self.axis is not None or scheme.axis is not None:
            return self.scheme == scheme
        return (self.zero_point == scheme.zero_point and self.scale == scheme.scale
                and self.values.dtype == scheme.dtype)

    def dequantize(self) -> NDArray[np.float32]:
        """Return scale * (value - zero_point), float32 of the same shape."""
        centered = self.values.astype(np.int32) - self.zero_point
        return np.asarray(centered.astype(np.float32) * _spread(self.scale, self.axis, self.values.ndim), np.float32)
