"""What an operator is to a network of the C library, and how its tensors are described there.

The library keeps every tensor as unsigned bytes, NHWC: of int8 with 128 added, so zero points and limits move along.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

__all__ = ["ArenaTensor", "NativeLayer", "image_of", "layer_fields"]


@dataclass(frozen=True)
class NativeLayer:
    """A kind of layer, and the fields that are the operator's own.

    kind     str             a name of `neonsim.nn.backends.native.network.kinds`
    fields   {name: value}   of `NetworkLayer.create`: windows, rounding, weights. output_min
             and
                             output_max count in the type of the result, as int8; sizes that are given here come before
                             those of the tensors

    Places, sizes and zero points of the tensors are filled in by `layer_fields`.
    """

    kind: str
    fields: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ArenaTensor:
    """A tensor in an arena.

    shape         [..., channels]    what is no image is a row of pixels
    pixel_bytes   int                bytes of a pixel that count         stride   bytes from one pixel to the next
    dtype         str                as the operator sees it             zero_point   int, likewise
    offset        int                of the first byte in the arena
    """

    shape: tuple[int, ...]
    pixel_bytes: int
    stride: int
    dtype: str
    zero_point: int
    offset: int = 0

    @property
    def moved(self) -> int:
        """What is added to its bytes to store them unsigned."""
        return 128 if self.dtype == "int8" else 0

    @property
    def image(self) -> tuple[int, int, int]:
        """Batch, height, width."""
        return image_of(self.shape)


def image_of(shape: tuple[int, ...]) -> tuple[int, int, int]:
    """Batch, height, width of a tensor; what is no image is a row of pixels."""
    return (shape[0], shape[1], shape[2]) if len(shape) == 4 else (1, 1, math.prod(shape[:-1]))


def layer_fields(layer: NativeLayer, inputs: Sequence[ArenaTensor], out: ArenaTensor) -> dict[str, Any]:
    """The fields of `NetworkLayer.create`: the operator's own, and those of one or two inputs and the result."""
    own = dict(layer.fields)
    for limit in {"output_min", "output_max"} & set(own):
        own[limit] += out.moved
    fields: dict[str, Any] = {"batch": inputs[0].image[0]}
    for prefix, tensor in (("input", inputs[0]), ("output", out)):
        _, height, width = tensor.image
        fields |= {f"{prefix}_height": height, f"{prefix}_width": width, f"{prefix}_channels": tensor.pixel_bytes,
                   f"{prefix}_stride": tensor.stride, prefix: tensor.offset,
                   f"{prefix}_zero_point": tensor.zero_point + tensor.moved}
    if len(inputs) == 2:
        fields |= {"second": inputs[1].offset, "second_stride": inputs[1].stride,
                   "second_zero_point": inputs[1].zero_point + inputs[1].moved}
    return {**fields, **own}
