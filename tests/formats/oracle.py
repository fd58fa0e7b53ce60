"""LiteRT, made to show every tensor of a file: its delegate, its reference kernels, its optimised ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

# Arithmetics by who judges them.
RESOLVERS = {"xnnpack": "AUTO", "tflite": "BUILTIN_REF", "ruy": "BUILTIN_WITHOUT_DEFAULT_DELEGATES"}


class Oracle:
    """An interpreter of a file.

    outputs   [int, ...]   numbers of the tensors that it shows
    """

    def __init__(self, data: bytes, arithmetic: str = "xnnpack", every: bool = False) -> None:
        interpreter = pytest.importorskip("ai_edge_litert.interpreter",
                                          reason="the outside check needs LiteRT: pip install 'neonsim[outside]'")
        self.outputs: list[int] = []
        if every:
            data, self.outputs = all_seen(data)
        resolver = interpreter.OpResolverType[RESOLVERS[arithmetic]]
        self.made = interpreter.Interpreter(model_content=data, num_threads=1, experimental_op_resolver_type=resolver)
        self.made.allocate_tensors()
        self.outputs = self.outputs or [int(one["index"]) for one in self.made.get_output_details()]

    def run(self, x: list[np.ndarray]) -> dict[int, np.ndarray]:
        """What it shows, by number."""
        for detail, value in zip(self.made.get_input_details(), x, strict=True):
            self.made.set_tensor(detail["index"], value)
        self.made.invoke()
        return {number: self.made.get_tensor(number) for number in self.outputs}


def all_seen(data: bytes) -> tuple[bytes, list[int]]:
    """The same file with every tensor that a node writes among its outputs: only so the delegate shows them."""
    schema: Any = pytest.importorskip("ai_edge_litert.schema_py_generated",
                                      reason="the outside check needs LiteRT: pip install 'neonsim[outside]'")
    import flatbuffers

    model = schema.ModelT.InitFromPackedBuf(data, 0)
    graph = model.subgraphs[0]
    for tensor in graph.tensors:    # biases that kept the axis of their weights are refused by LiteRT
        if tensor.quantization is not None and tensor.quantization.quantizedDimension >= len(tensor.shape):
            tensor.quantization.quantizedDimension = 0
    graph.outputs = list(dict.fromkeys(int(number) for node in graph.operators for number in node.outputs))
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output()), graph.outputs
