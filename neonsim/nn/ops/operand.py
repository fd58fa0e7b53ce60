"""Operands as they lie in memory: pixels of some channels, a stride apart; and what a caller's arrays must be.

    shape    [..., channels]     all axes but the last are pixels
    stride   bytes from one pixel to the next, those of its channels or more: a slice of the channels of a bigger
             tensor has more
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.common.integers import as_int
from neonsim.errors import BadArgument
from neonsim.quant.scheme import Quantized, Scheme
from neonsim.quant.tensor_type import TensorType

__all__ = ["Operand", "check_input", "check_output", "check_ratio", "check_scheme", "pixel_stride", "scheme_of",
           "with_channels"]

# AArch32 kernels add offsets in 32 bits; operands that its memory cannot hold are refused by every backend.
MAX_BYTES = (1 << 31) - 1


@dataclass(frozen=True)
class Operand:
    """One input or the result of a plan.

    name     str                in messages
    shape    tuple[int, ...]    [..., channels]
    stride   int                bytes from one pixel to the next
    dtype    str                of the elements, a byte each where kernels read them

    Raises BadArgument for a stride that is less than the channels, and for more than 2**31 - 1 bytes.
    """

    name: str
    shape: tuple[int, ...]
    stride: int
    dtype: str = "uint8"

    def __post_init__(self) -> None:
        as_int(self.stride, f"pixel stride of {self.name}", self.channels, MAX_BYTES)
        if self.nbytes > MAX_BYTES:
            raise BadArgument(f"{self.name} {list(self.shape)} with {self.stride} bytes per pixel takes {self.nbytes} "
                              f"bytes; at most {MAX_BYTES} can be addressed by every kernel.")

    @property
    def channels(self) -> int:
        """Bytes of a pixel that count."""
        return int(self.shape[-1]) * np.dtype(self.dtype).itemsize

    @property
    def pixels(self) -> int:
        """How many there are."""
        return math.prod(self.shape[:-1])

    @property
    def nbytes(self) -> int:
        """Bytes from the first to the last that counts."""
        pixels = self.pixels
        return int((pixels - 1) * self.stride + self.channels) if pixels else 0

    @property
    def matrix(self) -> tuple[int, int] | None:
        """Pixels x channels, where nothing lies between the pixels."""
        return (self.pixels, self.channels) if self.stride == self.channels else None

    def view(self, data: NDArray[np.uint8]) -> NDArray[Any]:
        """Its elements within a region's bytes: a view [..., channels] that can be written."""
        strides = [1]
        step = self.stride
        for size in reversed(self.shape[:-1]):
            strides.insert(0, step)
            step *= size
        return np.lib.stride_tricks.as_strided(data, (*self.shape[:-1], self.channels), strides).view(self.dtype)


def pixel_stride(values: NDArray[Any], name: str) -> int:
    """Bytes from one pixel of an array to the next.

    Raises BadArgument unless the channels of a pixel lie next to each other and all pixels the same distance apart, in
    ascending order and without overlap: what kernels can walk over.
    """
    channels = int(values.shape[-1]) * values.itemsize
    if values.size == 0:
        return channels
    if values.shape[-1] > 1 and values.strides[-1] != values.itemsize:
        raise BadArgument(f"{name} is not contiguous: the {values.shape[-1]} channels of a pixel must lie next to each "
                          f"other; they are {values.strides[-1]} bytes apart. Make a copy: "
                          "np.ascontiguousarray(...).")
    step: int | None = None
    expected = 0
    for size, stride in zip(reversed(values.shape[:-1]), reversed(values.strides[:-1]), strict=True):
        if size > 1:
            if step is None:
                step, expected = int(stride), int(stride) * size
            elif stride != expected:
                raise BadArgument(f"{name} is not contiguous: its pixels lie {step} bytes apart, but not all of them "
                                  f"(strides {list(values.strides)} of shape {list(values.shape)}). "
                                  "Make a copy: np.ascontiguousarray(...).")
            else:
                expected *= size
    if step is None:
        return channels
    if step < channels:
        raise BadArgument(f"the pixels of {name} must lie at least {channels} bytes apart, in ascending order; they "
                          f"lie {step} bytes apart. Make a copy: np.ascontiguousarray(...).")
    return step


def check_input(value: Any, type_: TensorType, name: str) -> NDArray[Any]:
    """The elements of an operand, if it is of the type and scheme that an operator was made for."""
    if type_.scheme is not None:
        given = scheme_of(value, name, type_.scheme)
        if given != type_.scheme:
            raise BadArgument(f"this operator was made for {name} of {type_.scheme}; got {given}.")
    return type_.array(value, name)


def scheme_of(x: Any, name: str = "x", expected: Scheme | None = None) -> Scheme:
    """The scheme of an input, which must be a Quantized with one scale.

    expected  the scheme that it should have, for the message
    """
    if not isinstance(x, Quantized):
        raise BadArgument(f"{name} must be a Quantized, an array with its scale and zero point; got "
                          f"{_kind(x)}. {_quantized(x, name, expected)}")
    if x.axis is not None:
        raise BadArgument(f"{name} has one scale per channel (axis {x.axis}); only weights may. Give {name} one scale.")
    return x.scheme


def _kind(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"a numpy array, {value.dtype} {list(value.shape)}"
    return type(value).__name__


def _quantized(value: Any, name: str, wanted: Scheme | None) -> str:
    """How to make a Quantized of a value."""
    if wanted is None:
        scale, zero, dtype = "...", "...", "uint8"
    else:
        scale, zero, dtype = repr(wanted.scale), repr(wanted.zero_point), wanted.dtype
    named = name if isinstance(value, np.ndarray) else "values"
    real = f"Scheme(scale={scale}, zero_point={zero}, dtype={dtype!r}).quantize({named})"
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return f"Real numbers are quantised by {real}."
    return f"Write Quantized({named}, scale={scale}, zero_point={zero}), or of real numbers {real}."


def with_channels(shape: tuple[int, ...], name: str) -> tuple[int, ...]:
    """The shape of an input, if it has at least one channel. Raises BadArgument."""
    if not shape or shape[-1] == 0:
        raise BadArgument(f"{name} needs at least one channel; got shape {list(shape)}.")
    return shape


def check_scheme(value: Any, name: str, dtypes: tuple[str, ...] = ("uint8",)) -> Scheme:
    """The scheme of an input or a result, if it has one scale and a type that the operator knows."""
    if not isinstance(value, Scheme):
        of = "the result" if name == "out" else f"the input {name}"
        remedy = f"Write {'' if name != 'out' else 'out='}Scheme(scale=..., zero_point=...)."
        if isinstance(value, Quantized):
            remedy = f"Give its scheme: {'' if name != 'out' else 'out='}{name}.scheme."
        raise BadArgument(f"{name} must be a Scheme, scale and zero point of {of}; got {type(value).__name__}. "
                          f"{remedy}")
    if value.axis is not None:
        raise BadArgument(f"{name} has one scale per channel (axis {value.axis}); only weights may. "
                          f"Give {name} one scale.")
    if value.dtype not in dtypes:
        raise BadArgument(f"{name} must be {' or '.join(dtypes)}; got {value.dtype}.")
    return value


def check_ratio(numerator: Scheme, out: Scheme, low: int, high: int, name: str) -> np.float32:
    """Scale ratio of an input and the result, in single precision, within [2**low, 2**high)."""
    with np.errstate(over="ignore"):
        ratio = np.float32(numerator.scale) / np.float32(out.scale)
    if not 2.0**low <= ratio < 2.0**high:
        raise BadArgument(f"{name} scale / output scale is {float(ratio):.9g} ({numerator.scale!r} / {out.scale!r}); "
                          f"it must be in [2**{low}, 2**{high}).")
    return ratio


def _overlap(one: NDArray[Any], other: NDArray[Any]) -> bool:
    try:
        return np.shares_memory(one, other, max_work=10_000)  # type: ignore[arg-type]  # numpy's stub knows two numbers
    except np.exceptions.TooHardError:
        return True     # strides too tangled to tell: rather refuse


def check_output(out_array: Any, shape: tuple[int, ...], dtype: str, inputs: tuple[NDArray[Any], ...],
                 in_place: bool) -> NDArray[Any]:
    """The caller's array for the result, if it can be written there.

    in_place   bool   may it be exactly the memory of an input?

    Raises BadArgument for a wrong type or shape, a read-only array, and one that overlaps an input.
    """
    if not isinstance(out_array, np.ndarray) or out_array.dtype != dtype or out_array.shape != shape:
        got = (f"{out_array.dtype} {list(out_array.shape)}" if isinstance(out_array, np.ndarray) else
               type(out_array).__name__)
        raise BadArgument(f"out_array must be a numpy array, {dtype} {list(shape)}; got {got}.")
    if not out_array.flags.writeable:
        raise BadArgument("out_array is read-only.")
    for values in inputs:
        same = (out_array.__array_interface__["data"][0] == values.__array_interface__["data"][0]
                and out_array.strides == values.strides and out_array.shape == values.shape)
        if _overlap(out_array, values) and not (same and in_place):
            raise BadArgument("out_array overlaps an input, but kernels read their inputs while they write"
                              + (", so it must be exactly the input or separate." if in_place else "."))
    return out_array
