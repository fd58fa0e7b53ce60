"""Pictures for the input of a network, and answers with their names."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from neonsim.common.extras import install
from neonsim.common.fileio import open_file
from neonsim.errors import BadArgument, MissingPackage
from neonsim.nn.formats.ir import StoredTensor
from neonsim.quant.scheme import Quantized, Scheme
from neonsim.quant.tensor_type import elements

__all__ = ["ClassScore", "answers", "image_and_convention", "image_for", "pixels_of"]

_GREY, _COLORS = 1, 3
_MIDDLE = (-1, 0)     # zero points of int8 whose floats are as much below zero as above


def image_for(path: str | Path, tensor: StoredTensor, raw_image: bool | None = None,
              pixels: tuple[float, float] = (-1.0, 1.0)) -> NDArray[Any]:
    """A picture of a file as the input of a network: resized to its height and width, in its type.

    path        any file that Pillow reads, up to Pillow's limit of pixels
    tensor      [1, height, width, 1 or 3], of .onnx [1, 1 or 3, height, width]: 8-bit integers take the picture's bytes
                0..255 from the lower end of their type, as networks trained on pictures expect; float32 takes `pixels`
    raw_image   bool   the picture's bytes are those of the input, also where that is int8; None: by the picture's kind.
                A .bmp of one byte a pixel and the network's own size is copied as it is to int8 that means signed
                pixels (zero in the middle): so do TensorFlow Lite Micro's examples (its tools/generate_cc_arrays.py)
    pixels      (float, float)   what bytes 0 and 255 are in float32: -1 and 1 by default, often 0 and 1
    ->          array of the tensor's shape and type

    Raises BadArgument for a file that is no picture, and a tensor that is no image; MissingPackage without Pillow.
    """
    return image_and_convention(path, tensor, raw_image, pixels)[0]


def image_and_convention(path: str | Path, tensor: StoredTensor, raw_image: bool | None = None,
                         pixels: tuple[float, float] = (-1.0, 1.0)) -> tuple[NDArray[Any], str]:
    """`image_for`, and in words what its bytes 0..255 became."""
    shape = tensor.in_graph.shape
    if len(shape) != 4 or shape[0] != 1 or shape[3] not in (_GREY, _COLORS):
        image = "[1, height, width, 1 or 3]" if tensor.order is None else "[1, 1 or 3, height, width]"
        raise BadArgument(f"{tensor.name} is {tensor}; pictures go into {image}. Give the numbers themselves, as --npy "
                          "FILE.")
    if tensor.dtype not in ("uint8", "int8", "float32"):
        raise BadArgument(f"{tensor.name} is {tensor}; pictures become uint8, int8 or float32.")
    try:
        from PIL import Image, UnidentifiedImageError
    except ImportError:
        raise MissingPackage(f"reading pictures needs another package: {install('neonsim[models]')}.") from None
    try:
        with open_file(path) as file, Image.open(file) as picture:
            copied = picture.format == "BMP" and picture.mode == "L" and picture.size == (shape[2], shape[1])
            sized = picture.convert("L" if shape[3] == _GREY else "RGB").resize((shape[2], shape[1]),
                                                                              Image.Resampling.BILINEAR)
    except BadArgument:
        raise
    except (UnidentifiedImageError, Image.DecompressionBombError, OSError, ValueError, SyntaxError) as problem:
        raise BadArgument(f"{path} is not a picture that can be read: {problem}.") from None
    found = tensor.to_file(np.asarray(sized, np.uint8))
    if tensor.dtype == "float32":
        low, high = map(float, pixels)
        if (low, high) == (-1.0, 1.0):
            real = (found.astype(np.float32) - np.float32(127.5)) / np.float32(127.5)
        else:
            real = (found.astype(np.float64) / 255 * (high - low) + low).astype(np.float32)
        return real, f"{path}: bytes 0..255 are used as {low:g}..{high:g}"
    if tensor.dtype == "uint8":
        return found, f"{path}: bytes 0..255 are used unchanged, uint8"
    if raw_image is None:
        raw_image = copied and tensor.scheme is not None and tensor.scheme.zero_point in _MIDDLE
        why = "a grey .bmp of the network's own size holds them so in TensorFlow Lite Micro; --no-raw-image: 0..255 " \
              "as -128..127" if raw_image else "--raw-image: as they are"
    else:
        why = "as asked"
    if raw_image:
        return found.view(np.int8), f"{path}: bytes are used unchanged, int8 ({why})"
    return (found ^ 0x80).view(np.int8), f"{path}: bytes 0..255 are used as -128..127 ({why})"


def pixels_of(value: Any, tensor: StoredTensor) -> NDArray[np.uint8] | None:
    """The other way: what was given to a network as a picture to look at, uint8 [height, width, 1 or 3].

    int8 from its lower end, float32 from the least to the largest there is. None for tensors that are no picture.
    """
    shape = tensor.in_graph.shape
    if len(shape) != 4 or shape[0] != 1 or shape[3] not in (_GREY, _COLORS) or 1 in shape[1:3]:
        return None
    given = np.asarray(elements(value) if isinstance(value, Quantized) else value).reshape(tensor.shape)
    array: NDArray[Any] = tensor.from_file(given)[0]
    found: NDArray[np.uint8]
    if array.dtype in (np.uint8, np.int8):
        found = array.view(np.uint8) ^ np.uint8(0x80 if array.dtype == np.int8 else 0)
        return found
    if array.dtype != np.float32:
        return None
    real = np.nan_to_num(array.astype(np.float64))
    low, high = float(real.min()), float(real.max())
    found = np.rint((real - low) * (255 / (high - low) if high > low else 0)).astype(np.uint8)
    return found


class ClassScore(NamedTuple):
    """A class of a result.

    number   int     from 0
    name     str     its label, "" without labels
    score    float   the real number that the result stands for
    """

    number: int
    name: str
    score: float


def answers(result: NDArray[Any], scheme: Scheme | None, labels: tuple[str, ...], count: int = 5) -> list[ClassScore]:
    """The classes with the largest scores, best first; of equal ones the first."""
    values = result.reshape(-1)
    real = values.astype(np.float64) if scheme is None else \
        float(np.float32(scheme.scale)) * (values.astype(np.float64) - scheme.zero_point)
    best = np.argsort(-real, kind="stable")[:count]
    return [ClassScore(int(i), labels[i] if i < len(labels) else "", float(real[i])) for i in best]
