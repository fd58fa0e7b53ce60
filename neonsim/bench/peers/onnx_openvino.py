"""ONNX Runtime and OpenVINO: they get the `.onnx` that `nn.formats` writes, float operators between quantisations.

Both make operators of integers of them and choose the order of axes themselves. Networks of float32 are written as
they are.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from neonsim.errors import BackendError
from neonsim.nn.formats.onnx.write import onnx_bytes
from neonsim.nn.graph import Graph

from .base import PreparedNetwork, channels_first, channels_last, peer_error, shifted
from .graphs import for_onnx

__all__ = ["OnnxRuntime", "OpenVino"]

_ZERO, _OF_WEIGHTS = " (zero point)", " (weights) (zero point)"      # what constants are called in the file


def _unsigned(content: bytes, which: Callable[[int], bool]) -> bytes:
    """The model with uint8 in place of int8 for activations whose zero point is among `which`."""
    onnx: Any = importlib.import_module("onnx")
    model = onnx.load_from_string(content)
    changed = set()
    for constant in model.graph.initializer:
        if constant.name.endswith(_ZERO) and not constant.name.endswith(_OF_WEIGHTS):
            zero = int(onnx.numpy_helper.to_array(constant))
            if which(zero):
                changed.add(constant.name.removesuffix(_ZERO))
                constant.CopyFrom(onnx.numpy_helper.from_array(np.array(zero + 128, np.uint8), constant.name))
    for node in model.graph.node:
        if node.op_type in ("Reshape", "Transpose", "Concat") and node.input[0] in changed:     # they only move
            changed.update(node.output)
    for end in (*model.graph.input, *model.graph.output):
        if end.name in changed:
            end.type.tensor_type.elem_type = onnx.TensorProto.UINT8
    return bytes(model.SerializeToString())


class OnnxRuntime:
    """ONNX Runtime on the CPU. All activations are uint8: what it has x86 kernels for."""

    package: ClassVar[str] = "onnxruntime"

    @staticmethod
    def unsigned(zero_point: int) -> bool:
        """Are activations of this zero point of int8 given as uint8?"""
        return True

    def __init__(self) -> None:
        self._runtime: Any = importlib.import_module(self.package)
        self.name = f"{self.package} {self._runtime.__version__.split('-')[0]}"

    def prepare(self, graph: Graph, x: Any, threads: int) -> PreparedNetwork:
        """Write the model, and make it ready for n threads."""
        real = graph.tensors[graph.inputs[0]].scheme is None
        try:
            content = onnx_bytes(graph) if real else _unsigned(onnx_bytes(for_onnx(graph)), self.unsigned)
            return self._prepared(content, channels_first(x if real else shifted(x.values)), threads)
        except BackendError:
            raise
        except Exception as problem:  # ModelError, and whatever that library raises
            raise peer_error(self.package, problem) from None

    def _prepared(self, content: bytes, x: NDArray[Any], threads: int) -> PreparedNetwork:
        """A session; input and output stay where they are."""
        options = self._runtime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        session = self._runtime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
        binding = session.io_binding()
        binding.bind_ortvalue_input(session.get_inputs()[0].name, self._runtime.OrtValue.ortvalue_from_numpy(x))
        binding.bind_output(session.get_outputs()[0].name)
        session.run_with_iobinding(binding)
        return PreparedNetwork(lambda: session.run_with_iobinding(binding),
                               lambda: channels_last(binding.copy_outputs_to_cpu()[0]))


class OpenVino(OnnxRuntime):
    """OpenVINO's CPU plug-in; of float32 it is told to stay there."""

    package = "openvino"

    @staticmethod
    def unsigned(zero_point: int) -> bool:
        """Return what follows a ReLU is."""
        return zero_point == -128

    def _prepared(self, content: bytes, x: NDArray[Any], threads: int) -> PreparedNetwork:
        """A model compiled for low latency."""
        options = {"INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": 1, "PERFORMANCE_HINT": "LATENCY"}
        if x.dtype == np.float32:
            options["INFERENCE_PRECISION_HINT"] = "f32"
        core = self._runtime.Core()
        model = core.read_model(content, b"")
        request = core.compile_model(model, "CPU", options).create_infer_request()
        given = request.get_input_tensor(0).data
        given[...] = (x ^ np.uint8(0x80)).view(np.int8) if given.dtype == np.int8 else x
        request.infer(share_outputs=True)
        return PreparedNetwork(lambda: request.infer(share_outputs=True),
                               lambda: channels_last(shifted(np.array(request.get_output_tensor(0).data))))
