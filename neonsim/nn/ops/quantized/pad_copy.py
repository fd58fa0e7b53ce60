"""Padding and copying: bytes are moved, nothing is computed, and no kernel is called."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.common.integers import as_int, is_int
from neonsim.errors import BackendError, BadArgument
from neonsim.nn.backends import Backend, CopyRows, Pointer
from neonsim.nn.backends.native_layer import NativeLayer
from neonsim.nn.ops.job_builder import Builder
from neonsim.nn.ops.operand import check_scheme, scheme_of, with_channels
from neonsim.nn.ops.operator import Operator
from neonsim.quant.scheme import Quantized, Scheme
from neonsim.ukernel.packing import OUTSIDE

__all__ = ["Copy", "Pad", "copy", "pad"]

Amounts = int | Sequence[Any]


class Pad(Operator):
    """Constant padding, prepared. Arguments as `pad`."""

    kind = account = "padding"
    element_bytes = 8

    def __init__(self, x: Scheme, *, amounts: Amounts, value: int | None = None) -> None:
        self.schemes = (check_scheme(x, "x", ("uint8", "int8")),)
        self.out = self.schemes[0]
        info = np.iinfo(self.out.dtype)
        self.value = self.out.zero_point if value is None else as_int(value, "value", info.min, info.max)
        self.amounts = amounts

    def _pairs(self, rank: int) -> tuple[tuple[int, int], ...]:
        given = self.amounts
        if is_int(given):
            given = [(given, given)] * rank
        try:
            pairs = [tuple(pair) if np.ndim(pair) else (pair, pair) for pair in given]  # type: ignore[union-attr]
        except TypeError:
            pairs = []
        if len(pairs) != rank or any(len(pair) != 2 for pair in pairs):
            raise BadArgument(f"amounts must be an int, or for each of the {rank} axes of x an int or (before, after); "
                              f"got {self.amounts!r}.")
        return tuple((as_int(a, f"padding before axis {i}", 0, 1 << 20),
                      as_int(b, f"padding after axis {i}", 0, 1 << 20)) for i, (a, b) in enumerate(pairs))

    def output_shape(self, *shapes: tuple[int, ...]) -> tuple[int, ...]:
        """Every axis grows by what is added at both ends."""
        shape = with_channels(shapes[0], "x")
        return tuple(size + a + b for size, (a, b) in zip(shape, self._pairs(len(shape)), strict=True))

    def reference(self, *values: NDArray[Any]) -> NDArray[Any]:
        return np.pad(values[0], self._pairs(values[0].ndim), constant_values=self.value)

    def lower(self, build: Builder, **options: Any) -> None:
        """Rows of channels copied, or single bytes where channels are padded too."""
        x, out = build.inputs[0], build.output
        if out.stride != out.channels:
            raise BackendError(f"The {build.backend.name} backend does not support this: {self.kind} writes pixels "
                               f"that touch; omit out_stride, or use a contiguous `out_array`.")
        pairs = self._pairs(len(x.shape))
        whole = pairs[-1] == (0, 0)
        pixels = np.arange(x.pixels, dtype=np.int64).reshape(x.shape[:-1]) * x.stride
        places = pixels if whole else pixels[..., np.newaxis] + np.arange(x.channels)
        wanted = np.pad(places, pairs[:-1] if whole else pairs, constant_values=OUTSIDE).reshape(-1)
        row = x.channels if whole else 1
        build.gather(CopyRows(Pointer(x.name), Pointer(build.result), wanted, row, self.value & 0xFF,
                            f"rows of {row} bytes, {self.value} around them"))

    def details(self) -> list[str]:
        return [f"amounts {self.amounts}, value {self.value}"]


class Copy(Pad):
    """A copy without gaps, prepared. Arguments as `copy`."""

    kind = "copy"

    def __init__(self, x: Scheme) -> None:
        super().__init__(x, amounts=0)

    def network_layer(self, *shapes: tuple[int, ...]) -> NativeLayer:
        return NativeLayer("copy")


def pad(x: Quantized, *, amounts: Amounts, value: int | None = None, backend: str | Backend | None = None,
        out_array: NDArray[Any] | None = None) -> Quantized:
    """Add rows of one value at the ends of axes.

    x         Quantized uint8 or int8 [..., channels]; the result has its scale and zero point
    amounts   int, or for each axis an int or (before, after)
    value     int or None   quantised; None: the zero point, which stands for 0

    Raises BadArgument for amounts that do not fit the axes, and a value outside the type.

    >>> x = Quantized(np.array([[1, 2]], np.int8), 0.5, -3)
    >>> pad(x, amounts=((1, 0), (0, 1)), backend="reference").values.tolist()
    [[-3, -3, -3], [1, 2, -3]]
    """
    return Pad(scheme_of(x), amounts=amounts, value=value)(x, backend=backend, out_array=out_array)


def copy(x: Quantized, *, backend: str | Backend | None = None, out_array: NDArray[Any] | None = None) -> Quantized:
    """The same values next to each other in memory.

    x   Quantized uint8 or int8 [..., channels], whose pixels may be apart

    >>> copy(Quantized(np.arange(6, dtype=np.int8).reshape(2, 3)[:, :2], 0.5), backend="reference").values.tolist()
    [[0, 1], [3, 4]]
    """
    return Copy(scheme_of(x))(x, backend=backend, out_array=out_array)
