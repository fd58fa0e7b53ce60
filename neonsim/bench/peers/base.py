"""The libraries that `neonsim bench network --peers` measures: each gets the network in its fastest form.

    name          package                       activations                     weights
    openvino      openvino, onnx                uint8 after ReLU, else int8     int8, one scale per channel
    onnxruntime   onnxruntime, onnx             uint8                           int8, one scale per channel
    litert        ai-edge-litert, tflite        int8                            int8, one scale per channel
    litert-u8     the same; qu8 only            uint8                           uint8, one scale, zero point
    torch-ENGINE  torch                         uint8                           int8, one scale (or one per channel)

Networks of float32 get peers of their own: `neonsim.bench.peers.float32`.

All but litert-u8 are given the graph's own weights as int8 without zero point: uint8 weights less their zero point are
the same floats, and a library whose fast kernels want them so is not held up by the scheme it was asked for.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from neonsim.common.extras import install
from neonsim.errors import BackendError
from neonsim.nn.graph import Graph
from neonsim.nn.graph.graph import Node
from neonsim.nn.graph.models.float_builder import F32
from neonsim.nn.ops import Conv2d, FullyConnected
from neonsim.quant.scheme import Scheme

__all__ = [
    "Peer",
    "PreparedNetwork",
    "Reals",
    "as_type",
    "centered",
    "channels_first",
    "channels_last",
    "check_limits",
    "peer_error",
    "peers",
    "shifted",
]

Reals = NDArray[np.float32]


@dataclass(frozen=True)
class PreparedNetwork:
    """A network in another library.

    run      runs it once
    result   what the last run gave, channels last, with 128 added where it is int8
    """

    run: Callable[[], object]
    result: Callable[[], NDArray[Any]]


class Peer(Protocol):
    """Another library."""

    name: str

    def prepare(self, graph: Graph, x: Any, threads: int) -> PreparedNetwork:
        """Build the graph there, its input a Quantized, or an array of float32.

        Raises BackendError for what the library does not take.
        """
        ...


# A module, the classes in it and their names, what they import, what to install.
_WAYS: tuple[tuple[str, dict[str, str], tuple[str, ...], str], ...] = (
    ("onnx_openvino", {"openvino": "OpenVino"}, ("openvino", "onnx"), "openvino onnx"),
    ("onnx_openvino", {"onnxruntime": "OnnxRuntime"}, ("onnxruntime", "onnx"), "onnxruntime onnx"),
    ("litert", {"litert": "LiteRt", "litert-u8": "LiteRtU8"}, ("ai_edge_litert", "flatbuffers", "tflite"),
     "ai-edge-litert flatbuffers tflite"),
    ("torch", {"torch-onednn": "TorchOnednn", "torch-x86": "TorchX86", "torch-fbgemm": "TorchFbgemm",
               "torch-qnnpack": "TorchQnnpack"}, ("torch",), "neonsim[torch]"))

_REAL_WAYS: tuple[tuple[str, dict[str, str], tuple[str, ...], str], ...] = (
    ("onnx_openvino", {"openvino": "OpenVino"}, ("openvino", "onnx"), "openvino onnx"),
    ("onnx_openvino", {"onnxruntime": "OnnxRuntime"}, ("onnxruntime", "onnx"), "onnxruntime onnx"),
    ("ncnn_mnn", {"ncnn": "Ncnn"}, ("ncnn",), "ncnn"),
    ("ncnn_mnn", {"mnn": "Mnn"}, ("MNN",), "MNN"),
    ("float32", {"torch": "TorchFloat32"}, ("torch",), "neonsim[torch]"))


def peers(quantization: str) -> tuple[list[Peer], list[str]]:
    """Those that are installed and take a quantization of `nn.graph.models`; a sentence for each that is not."""
    found: list[Peer] = []
    missing = []
    for module, classes, needs, wanted in _REAL_WAYS if quantization == F32 else _WAYS:
        try:
            for need in needs:
                importlib.import_module(need)
        except ImportError:
            missing.append(f"{', '.join(classes)} not measured: {install(*wanted.split())}")
            continue
        room = importlib.import_module(f"neonsim.bench.peers.{module}")
        found += [getattr(room, one)() for name, one in classes.items() if name != "litert-u8" or quantization == "qu8"]
    return found, missing


def channels_first(values: NDArray[Any]) -> NDArray[Any]:
    """Return an image, or a batch of them, in one piece with its channels first."""
    return np.ascontiguousarray(values.transpose(0, 3, 1, 2)) if values.ndim == 4 else values


def channels_last(values: NDArray[Any]) -> NDArray[Any]:
    """Return the other way."""
    return values.transpose(0, 2, 3, 1) if values.ndim == 4 else values


def shifted(values: NDArray[Any]) -> NDArray[Any]:
    """int8 as uint8, 128 added; others as they are."""
    return values.view(np.uint8) ^ np.uint8(0x80) if values.dtype == np.int8 else values


def peer_error(library: str, problem: Exception) -> BackendError:
    """For `raise`: why a library does not run a network."""
    return BackendError(f"{library} cannot run it: {str(problem).splitlines()[0][:160]}")


def as_type(scheme: Scheme, dtype: str) -> Scheme:
    """Return the scheme of the same floats in the other 8-bit type."""
    moved = {"uint8": 0, "int8": 128}
    return Scheme(scheme.scale, scheme.zero_point + moved[scheme.dtype] - moved[dtype], dtype)


def centered(operator: Conv2d | FullyConnected) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Weights as int8 with zero point 0, and a scale for every output channel.

    Raises BackendError where they do not fit.
    """
    w = operator.w
    values = w.values.astype(np.int16) - w.zero_point
    if values.min() < -128 or values.max() > 127:
        raise BackendError("weights minus their zero point do not fit int8")
    return values.astype(np.int8), np.broadcast_to(np.asarray(w.scale, np.float32), values.shape[0]).copy()


def check_limits(graph: Graph, node: Node) -> None:
    """Raise BackendError unless results are limited by their type alone: that is what models without activations do."""
    info = np.iinfo(graph.scheme(node.name).dtype)
    operator: Any = node.operator
    if (operator.output_min, operator.output_max) != (info.min, info.max):
        raise BackendError(f"{node.name} has separate limits")
