"""Images of another size, each pixel between four.

    operator          kernel    network
    resize_bilinear   none yet  a layer, by tables of rows and columns
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.common.integers import as_int
from neonsim.common.limits import MAX_INDICES
from neonsim.errors import BackendError, BadArgument
from neonsim.nn.backends import Backend
from neonsim.nn.backends.native_layer import NativeLayer
from neonsim.nn.ops.operand import check_scheme, scheme_of
from neonsim.nn.ops.operator import Operator
from neonsim.quant.reference import operators
from neonsim.quant.reference.tflite_resize import RESIZINGS, leaves, resized
from neonsim.quant.scheme import Quantized, Scheme

__all__ = ["ResizeBilinear", "resize_bilinear"]

Shape = tuple[int, ...]
_MAX_SIDE = 1 << 20     # of a layer


class ResizeBilinear(Operator):
    """Images of another size, prepared. Arguments as `resize_bilinear`, with the scheme in place of the array."""

    kind = "bilinear"

    def __init__(self, x: Scheme, *, size: Sequence[int], corners: str = "legacy", rule: str = "q11") -> None:
        self.schemes = (check_scheme(x, "x", ("uint8", "int8")),)
        self.out = self.schemes[0]
        if len(size) != 2:
            raise BadArgument(f"size must be (height, width); got {size!r}.")
        self.size = tuple(as_int(n, f"new {what}", 1, MAX_INDICES)
                          for n, what in zip(size, ("height", "width"), strict=True))
        if corners not in ("legacy", "aligned", "half"):
            raise BadArgument(f"corners must be 'legacy', 'aligned' or 'half'; got {corners!r}.")
        if rule not in ("q11", *RESIZINGS):
            raise BadArgument(f"rule must be 'q11', {', '.join(map(repr, RESIZINGS))}; got {rule!r}.")
        self.corners, self.rule = corners, rule

    def output_shape(self, *shapes: Shape) -> Shape:
        """[batch, height, width, channels] -> the same with another height and width."""
        x = shapes[0]
        if len(x) != 4 or 0 in x:
            raise BadArgument(f"x must be images [batch, height, width, channels], with all sizes at least 1; got "
                              f"{list(x)}.")
        for before, after in zip(x[1:3], self.size, strict=True):
            if self.rule != "q11" and leaves(before, after, self.corners, self.rule):
                raise BadArgument(f"a side of {before} cannot become {after} by rule {self.rule!r}: its steps of "
                                  "1/1024, rounded, lead beyond the image, where TensorFlow Lite reads undefined "
                                  "bytes.")
        return (x[0], *self.size, x[3])

    def between(self, *shapes: Shape) -> int:
        """Images that are as wide as the result, and as high as the input."""
        batch, height, _, channels = shapes[0]
        return batch * height * self.size[1] * channels

    def lines(self, shape: Shape) -> list[NDArray[np.int64]]:
        """For rows and for columns, one after the other: [new size, 3], the two it lies between and the share of the
        second in 1/2048."""
        return [np.stack(operators.between(before, after, self.corners), axis=-1)
                for before, after in zip(shape[1:3], self.size, strict=True)]

    def reference(self, *values: NDArray[Any]) -> NDArray[Any]:
        if self.rule != "q11":
            return resized(values[0], (self.size[0], self.size[1]), self.corners, self.rule)
        return operators.bilinear(values[0], *self.lines(values[0].shape))

    def network_layer(self, *shapes: Shape) -> NativeLayer:
        """Row by row, with tables."""
        if self.rule != "q11":
            raise BackendError(f"networks resize by rule 'q11'; this is {self.rule!r}.")
        if max(*self.size, *shapes[0][1:3]) > _MAX_SIDE:
            raise BackendError(f"a side of its images is more than {_MAX_SIDE:,}.")
        table = np.concatenate([line.reshape(-1) for line in self.lines(shapes[0])]).astype(np.int32)
        return NativeLayer("bilinear", {"bias": table, "scales": table.size})

    def unsupported_reason(self) -> str | None:
        others = ", and networks do" if self.rule == "q11" else ""
        return f"there are no kernels for resizing by rule {self.rule!r}; backend='reference' takes it{others}."

    def details(self) -> list[str]:
        return [f"to {self.size[0]} by {self.size[1]}, corners {self.corners}, rule {self.rule}"]


def resize_bilinear(x: Quantized, *, size: Sequence[int], corners: str = "legacy", rule: str = "q11",
                    backend: str | Backend | None = None, threads: int = 1,
                    out_array: NDArray[Any] | None = None) -> Quantized:
    """Images of another size: each pixel between the four that it lies among.

    x         Quantized uint8 or int8 [batch, height, width, channels]; the result has its scale and zero point
    size      (height, width)   of the result
    corners   "legacy"    pixel i of the result lies at i * before / after
              "aligned"   at i * (before - 1) / (after - 1): the outermost pixels stay where they are
              "half"      at (i + 1/2) * before / after - 1/2, not outside: pixels are squares
    rule      "q11"                       shares in 1/2048: XNNPACK's
              "q10", "float", "weights"   TensorFlow Lite's own, of int8 and uint8 (`quant.reference.tflite_resize`)
    ->        Quantized [batch, *size, channels]

    Raises BadArgument for what is no image and sizes below 1, BackendError for backends that have no kernel for it.
    Source: (M17, Y30).

    >>> x = Quantized(np.array([0, 100], np.uint8).reshape(1, 1, 2, 1), 0.5)
    >>> resize_bilinear(x, size=(1, 4), corners="half").values.reshape(-1).tolist()
    [0, 25, 75, 100]
    """
    operator = ResizeBilinear(scheme_of(x), size=size, corners=corners, rule=rule)
    return operator(x, backend=backend, threads=threads, out_array=out_array)
