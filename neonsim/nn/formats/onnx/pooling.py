"""Windows, pooling and means."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from neonsim.nn.formats.onnx.convert import ConvertedTensor, Converter, Misfit, Shape
from neonsim.nn.formats.onnx.qdq import Group
from neonsim.nn.formats.onnx.read import OnnxNode
from neonsim.nn.formats.onnx.words import POOL, reads

__all__ = ["image_of", "windows_of"]


def _pair(node: OnnxNode, name: str, default: int | None = 1) -> tuple[int, int]:
    given = node.attributes.get(name, None if default is None else [default, default])
    if not isinstance(given, list) or len(given) != 2 or any(not isinstance(n, int) or not 1 <= n <= 1 << 20
                                                             for n in given):
        raise Misfit(f"its {name} is {given}; it must be two integers from 1 on, for height and width.")
    return given[0], given[1]


def image_of(node: OnnxNode, tensor: ConvertedTensor) -> Shape:
    """The shape of an image. Raises Misfit for other tensors."""
    if len(tensor.shape) != 4 or 0 in tensor.shape:
        raise Misfit(f"{tensor.name!r} has shape {list(tensor.shape)}; an image is [batch, channels, height, width].")
    if node.attributes.get("channels_last", 0):
        raise Misfit("its channels come last; an image is [batch, channels, height, width].")
    return tensor.shape


def windows_of(node: OnnxNode, image: Shape, window: tuple[int, int]) -> tuple[dict[str, Any], Shape]:
    """Attributes of a node with windows, and height and width of its result."""
    stride, dilation = _pair(node, "strides"), _pair(node, "dilations")
    if node.attributes.get("kernel_shape", list(window)) != list(window):
        raise Misfit(f"its kernel_shape is {node.attributes['kernel_shape']}; its weights have {list(window)}.")
    reach = [(taps - 1) * gap + 1 for taps, gap in zip(window, dilation, strict=True)]
    padding = _padding(node, image, window, stride, reach)
    sizes, up = [], bool(node.attributes.get("ceil_mode", 0))
    for i in (0, 1):
        room = image[2 + i] + sum(padding[i]) - reach[i]
        if room < 0:
            raise Misfit(f"its windows of {reach[i]} do not fit an image of {image[2 + i]} with padding {padding[i]}.")
        count = (-(-room // stride[i]) if up else room // stride[i]) + 1
        if up and (count - 1) * stride[i] >= image[2 + i] + padding[i][0]:
            count -= 1      # no window begins outside
        sizes.append(count)
    return {"padding": tuple(padding), "stride_height": stride[0], "stride_width": stride[1],
            "dilation_height": dilation[0], "dilation_width": dilation[1], "sizes": tuple(sizes)}, tuple(sizes)


def _padding(node: OnnxNode, image: Shape, window: tuple[int, int], stride: tuple[int, int],
             reach: list[int]) -> list[tuple[int, int]]:
    kind = node.attributes.get("auto_pad", "NOTSET") or "NOTSET"
    if kind in ("SAME_UPPER", "SAME_LOWER"):
        whole = [(-(-size // step) - 1) * step + one - size
                 for size, step, one in zip(image[2:], stride, reach, strict=True)]
        if min(whole) < 0 and "Pool" in node.word:
            raise Misfit(f"its auto_pad is {kind!r}, and its windows of {list(window)} omit pixels at the ends, which "
                         f"ONNX Runtime refuses; pads say it.")
        halves = [(max(n, 0) // 2, max(n, 0) - max(n, 0) // 2) for n in whole]
        return [(b, a) if kind == "SAME_LOWER" else (a, b) for a, b in halves]
    if kind == "VALID":
        return [(0, 0), (0, 0)]
    if kind != "NOTSET":
        raise Misfit(f"its auto_pad is {kind!r}, which is unknown.")
    pads = node.attributes.get("pads", [0, 0, 0, 0])
    if not isinstance(pads, list) or len(pads) != 4 or any(not 0 <= n <= 1 << 20 for n in pads):
        raise Misfit(f"its pads are {pads}; supported: four integers from 0 on.")
    return [(pads[0], pads[2]), (pads[1], pads[3])]


def _pool(kind: str) -> Callable[[Converter, OnnxNode, Group], None]:
    def pool(of: Converter, node: OnnxNode, group: Group) -> None:
        number, x, name, dtype = of.moved(node, group) if kind == "max_pool" else of.unary(node, group)
        if len(node.outputs) > 1:
            raise Misfit("its second result, where the largest lies, is not there.")
        real, counted = x.dtype == "float32", bool(node.attributes.get("count_include_pad", 0))
        if not real and x.dtype not in ("uint8", "int8"):
            raise Misfit(f"{x.name!r} is {x.dtype}; supported: 8-bit integers and float32.")
        if not real and x.rule is None:
            raise Misfit(f"no node says by which scale the integers of {x.name!r} stand for floating-point values.")
        image, window = image_of(node, x), _pair(node, "kernel_shape", None)
        windows, sizes = windows_of(node, image, window)
        gaps = _pair(node, "dilations") != (1, 1)
        if gaps and not real and kind == "average_pool":
            raise Misfit(f"its dilations are {node.attributes['dilations']}; supported: windows without gaps.")
        counts = counted and any(map(any, windows["padding"]))
        for attribute, there in (("dilations", gaps), ("ceil_mode", node.attributes.get("ceil_mode", 0)),
                                 ("count_include_pad", counts)):
            if real and there:
                raise Misfit(f"it has {attribute} {node.attributes[attribute]}, which is supported for integers only.")
        of.emit(kind, node, (number,), [(name, (*image[:2], *sizes), dtype)], pool_height=window[0],
                pool_width=window[1], counts_padding=counted, activation="none", **windows)
    return pool


_average = _pool("average_pool")
reads("AveragePool", "X", f"{POOL} count_include_pad:i", operands=1)(_average)
reads("com.microsoft.QLinearAveragePool", "X X_scale X_zero_point? Y_scale Y_zero_point?",
      f"{POOL} channels_last:i count_include_pad:i")(_average)
reads("MaxPool", "X", f"{POOL} storage_order:i", results=2, operands=1, keeps=True)(_pool("max_pool"))


def _real_mean(of: Converter, node: OnnxNode, group: Group) -> None:
    number, x, name, dtype = of.unary(node, group)
    axes = of.constant("axes", np.array([1, 2], np.int32), None)
    of.emit("mean", node, (number, axes), [(name, (*image_of(node, x)[:2], 1, 1), dtype)], keep_dims=True)


@reads("GlobalAveragePool", "X", operands=1, real=_real_mean)
@reads("com.microsoft.QLinearGlobalAveragePool", "X X_scale X_zero_point Y_scale Y_zero_point", "channels_last:i")
def _global_average(of: Converter, node: OnnxNode, group: Group) -> None:
    number, x, name, dtype = of.unary(node, group)
    of.emit("global_mean", node, (number,), [(name, (*image_of(node, x)[:2], 1, 1), dtype)])
