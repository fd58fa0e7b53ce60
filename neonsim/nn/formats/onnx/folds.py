"""Constants that are computed while a file is read: shapes, most of all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.nn.formats.onnx.read import OnnxNode, type_name
from neonsim.nn.formats.onnx.words import row

__all__ = ["NUMPY", "cast", "compute", "concatenate", "dequantize", "identity", "quantize", "reshape", "squeeze",
           "unsqueeze"]

Array = NDArray[Any]
NUMPY = {1: np.float32, 6: np.int32, 7: np.int64}


def _integers(given: Array) -> list[int]:
    if given.dtype.kind not in "iu":
        raise ValueError(f"{given.dtype} where integers belong")
    return [int(one) for one in given.reshape(-1)]


def _axes(node: OnnxNode, given: list[Any]) -> tuple[int, ...] | None:
    found = node.attributes.get("axes") if len(given) < 2 or given[1] is None else _integers(given[1])
    return None if found is None else tuple(found)


def identity(node: OnnxNode, given: list[Any]) -> Any:
    return given[0]


def squeeze(node: OnnxNode, given: list[Any]) -> Array:
    return np.asarray(np.squeeze(given[0], _axes(node, given)))


def unsqueeze(node: OnnxNode, given: list[Any]) -> Array:
    axes = _axes(node, given)
    if axes is None:
        raise ValueError("it names no axes")
    return np.expand_dims(given[0], axes)


def _gather(node: OnnxNode, given: list[Any]) -> Array:
    where = np.array(_integers(given[1]), np.int64).reshape(given[1].shape)
    return np.asarray(np.take(given[0], where, axis=node.attributes.get("axis", 0)))


def cast(node: OnnxNode, given: list[Any]) -> Array:
    if node.attributes.get("to") not in NUMPY:
        raise ValueError(f"it makes {type_name(node.attributes.get('to'))}; supported: float32, int32 and int64")
    dtype: np.dtype[Any] = np.dtype(NUMPY[node.attributes["to"]])
    if dtype.kind == "i" and given[0].dtype.kind == "f":
        ends = np.iinfo(dtype.name)
        if not ((given[0] >= ends.min) & (given[0] < ends.max)).all():
            raise ValueError(f"a number that no {dtype} is")
    return np.asarray(given[0].astype(dtype))


def compute(function: Callable[[Any, Any], Any]) -> Callable[[OnnxNode, list[Any]], Array]:
    """A function of two arrays of one type."""
    def computed(node: OnnxNode, given: list[Any]) -> Array:
        if given[0].dtype != given[1].dtype:
            raise ValueError(f"{given[0].dtype} and {given[1].dtype}; supported: one type")
        with np.errstate(all="ignore"):
            return np.asarray(function(*given))
    return computed


def concatenate(node: OnnxNode, given: list[Any]) -> Array:
    if "axis" not in node.attributes or len({one.dtype for one in given}) > 1:
        raise ValueError("no axis, or several types")
    return np.concatenate(given, axis=node.attributes["axis"])


def reshape(node: OnnxNode, given: list[Any]) -> Array:
    wanted, keeps = _integers(given[1]), not node.attributes.get("allowzero", 0)
    return np.asarray(given[0].reshape([given[0].shape[i] if not size and keeps else size
                                        for i, size in enumerate(wanted)]))


def _spread(node: OnnxNode, given: list[Any]) -> tuple[Array, Array, Any]:
    """Scales and zero points along their axis, and the type of the integers."""
    values, scale = given[0], given[1]
    zero = given[2] if len(given) > 2 and given[2] is not None else np.zeros(scale.shape, np.uint8)
    if scale.dtype != np.float32 or zero.dtype not in (np.uint8, np.int8, np.int32) or "block_size" in node.attributes:
        raise ValueError("scales are float32, zero points 8-bit integers, without blocks")
    if zero.size != scale.size:
        raise ValueError(f"{scale.size} scales and {zero.size} zero points")
    if scale.size > 1:
        axis, shape = node.attributes.get("axis", 1), [1] * values.ndim
        if values.shape[axis] != scale.size:    # they would be spread over each other: ten thousand by ten thousand
            raise ValueError(f"there are {scale.size} scales along axis {axis} of {list(values.shape)}")
        shape[axis] = -1
        return scale.reshape(shape), zero.reshape(shape), zero.dtype
    return scale.reshape(()), zero.reshape(()), zero.dtype


def quantize(node: OnnxNode, given: list[Any]) -> Array:
    scale, zero, dtype = _spread(node, given)
    if given[0].dtype != np.float32 or dtype == np.int32:
        raise ValueError("float32 becomes 8-bit integers")
    info = np.iinfo(dtype)
    with np.errstate(all="ignore"):
        steps = np.rint(given[0] / scale) + zero.astype(np.float32)
    return np.asarray(np.clip(np.nan_to_num(steps), info.min, info.max).astype(dtype))


def dequantize(node: OnnxNode, given: list[Any]) -> Array:
    scale, zero, _ = _spread(node, given)
    if given[0].dtype not in (np.uint8, np.int8, np.int32):
        raise ValueError("8-bit integers and int32 become float32")
    with np.errstate(all="ignore"):
        return np.asarray((given[0].astype(np.int64) - zero).astype(np.float32) * scale, np.float32)


row("Constant", "", "value:t value_float:f value_floats:ff value_int:i value_ints:ii")
row("Gather", "data indices", "axis:i", fold=_gather)
row("Shape", "data", "start:i end:i")
row("Sub", "A B", fold=compute(np.subtract))
