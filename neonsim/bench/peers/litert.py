"""LiteRT (TensorFlow Lite) with XNNPACK: it gets the `.tflite` that `neonsim.nn.formats` writes."""

from __future__ import annotations

import importlib
import warnings
from importlib.metadata import version
from typing import Any, ClassVar

import numpy as np

from neonsim.errors import BackendError
from neonsim.nn.formats.tflite.write import tflite_bytes
from neonsim.nn.graph import Graph
from neonsim.quant.scheme import Quantized

from .base import PreparedNetwork, peer_error, shifted
from .graphs import for_tflite

__all__ = ["LiteRt", "LiteRtU8"]


class LiteRt:
    """LiteRT; products go to XNNPACK by its own choice."""

    dtype: ClassVar[str] = "int8"

    def __init__(self) -> None:
        self._interpreter: Any = importlib.import_module("ai_edge_litert.interpreter")
        self.name = f"litert{'-u8' if self.dtype == 'uint8' else ''} {version('ai-edge-litert')}"

    def prepare(self, graph: Graph, x: Quantized, threads: int) -> PreparedNetwork:
        """Write the model, and make an interpreter for it."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")     # of bytes that differ by a rounding: only time is measured
                content = tflite_bytes(for_tflite(graph, self.dtype))
            found = self._interpreter.Interpreter(model_content=content, num_threads=threads)
            found.allocate_tensors()
            unsigned = shifted(x.values)
            found.set_tensor(found.get_input_details()[0]["index"], unsigned if self.dtype == "uint8" else
                             (unsigned ^ np.uint8(0x80)).view(np.int8))
            found.invoke()
        except BackendError:
            raise
        except Exception as problem:  # ModelError, and whatever that library raises
            raise peer_error("litert", problem) from None
        return PreparedNetwork(found.invoke,
                               lambda: shifted(np.asarray(found.get_tensor(found.get_output_details()[0]["index"]))))


class LiteRtU8(LiteRt):
    """The same with the scheme of QNNPACK: uint8 weights with a zero point."""

    dtype: ClassVar[str] = "uint8"
