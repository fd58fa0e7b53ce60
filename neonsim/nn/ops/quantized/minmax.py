"""What is larger, what is smaller, and where: bytes are compared, nothing is scaled.

    operator            result                        kernel    network
    Maximum, Minimum    the scheme of both operands   none yet  a layer, operands of one shape
    ArgMax, ArgMin      int32                         none yet  a layer

Source: (M17).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.errors import BackendError, BadArgument
from neonsim.nn.backends.native_layer import NativeLayer
from neonsim.nn.ops.operand import check_scheme, with_channels
from neonsim.nn.ops.quantize import UnquantizedOperator
from neonsim.nn.ops.quantized.binary import Broadcasting, check_alike
from neonsim.quant.scheme import Scheme
from neonsim.quant.tensor_type import TensorType

__all__ = ["ArgMax", "ArgMin", "Maximum", "Minimum"]

Shape = tuple[int, ...]


class Maximum(Broadcasting):
    """The larger of two, element by element, broadcast as numpy does.

    x   Scheme   of both operands and of the result
    """

    kind, layer = "maximum", "maximum"

    def __init__(self, x: Scheme) -> None:
        self._check(x, x, x, None, None)

    @property
    def params(self) -> Any:
        raise BackendError(str(self.unsupported_reason()))

    def reference(self, *values: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(np.maximum(values[0], values[1]))

    def network_layer(self, *shapes: Shape) -> NativeLayer:
        """Of two tensors of one shape."""
        check_alike(shapes)
        return NativeLayer(self.layer)

    def unsupported_reason(self) -> str | None:
        return f"there are no kernels for the {self.kind} of two; backend='reference' takes it, and networks do."


class Minimum(Maximum):
    """The smaller of two: as `Maximum`."""

    kind, layer = "minimum", "minimum"

    def reference(self, *values: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(np.minimum(values[0], values[1]))


class ArgMax(UnquantizedOperator):
    """Which channel of each pixel is the largest, the first of several.

    x       Scheme or TensorType   of [..., channels]; the result is [...], at least [1]
    dtype   str                    of the result: "int32", "int64"
    """

    kind, layer = "argmax", "argmax"

    def __init__(self, x: Scheme | TensorType, dtype: str = "int32") -> None:
        self.x = TensorType.from_any(check_scheme(x, "x", ("uint8", "int8")) if isinstance(x, Scheme) else x)
        if dtype not in ("int32", "int64"):
            raise BadArgument(f"numbers of channels are int32 or int64; got {dtype!r}.")
        self.dtype = dtype

    @property
    def input_types(self) -> tuple[TensorType, ...]:
        return (self.x,)

    @property
    def output_type(self) -> TensorType:
        """Numbers of channels."""
        return TensorType(self.dtype)

    def output_shape(self, *shapes: Shape) -> Shape:
        """[..., channels] -> [...]."""
        return with_channels(shapes[0], "x")[:-1] or (1,)

    def reference(self, *values: NDArray[Any]) -> NDArray[Any]:
        found = np.asarray(np.argmax(values[0], axis=-1), self.dtype)
        return found.reshape(self.output_shape(values[0].shape))

    def network_layer(self, *shapes: Shape) -> NativeLayer:
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
