"""ResNet-50 with seeded weights, quantised by onnxruntime.quantization: written where a test wants it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np


class _Net:
    def __init__(self, seed: int) -> None:
        import onnx
        self.onnx, self.rng = onnx, np.random.default_rng(seed)
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, value: np.ndarray) -> str:
        name = f"c{len(self.constants)}"
        self.constants.append(self.onnx.numpy_helper.from_array(value.astype(np.float32), name))
        return name

    def node(self, word: str, *inputs: str, **attributes: Any) -> str:
        name = f"{word.lower()}{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(word, list(inputs), [name], name, **attributes))
        return name

    def conv(self, x: str, inside: int, out: int, window: int, stride: int = 1, relu: bool = True,
             gain: float = 1.0) -> str:
        weights = self.rng.normal(0, gain * np.sqrt(2 / (inside * window**2)), (out, inside, window, window))
        edge = window // 2
        y = self.node("Conv", x, self.constant(weights), self.constant(self.rng.normal(0, 0.05, out)),
                      kernel_shape=[window] * 2, strides=[stride] * 2, pads=[edge] * 4)
        return self.node("Relu", y) if relu else y

    def block(self, x: str, inside: int, width: int, stride: int) -> str:
        y = self.conv(self.conv(x, inside, width, 1), width, width, 3, stride)
        y = self.conv(y, width, 4 * width, 1, relu=False, gain=0.4)
        if inside != 4 * width or stride > 1:
            x = self.conv(x, inside, 4 * width, 1, stride, relu=False, gain=0.7)
        return self.node("Relu", self.node("Add", y, x))


def resnet50(path: Path, size: int = 224, blocks: tuple[int, ...] = (3, 4, 6, 3), seed: int = 0) -> None:
    """Real numbers, [1, 3, size, size]."""
    net = _Net(seed)
    y = net.node("MaxPool", net.conv("x", 3, 64, 7, 2), kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    inside = 64
    for stage, count in enumerate(blocks):
        for number in range(count):
            width = 64 << stage
            y = net.block(y, inside, width, 2 if stage and not number else 1)
            inside = 4 * width
    y = net.node("Flatten", net.node("GlobalAveragePool", y))
    y = net.node("Gemm", y, net.constant(net.rng.normal(0, 0.02, (1000, inside))),
                 net.constant(net.rng.normal(0, 0.05, 1000)), transB=1)
    helper, kind = net.onnx.helper, net.onnx.TensorProto.FLOAT
    graph = helper.make_graph(net.nodes, "resnet50", [helper.make_tensor_value_info("x", kind, [1, 3, size, size])],
                              [helper.make_tensor_value_info(y, kind, [1, 1000])], net.constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 9
    net.onnx.save(model, str(path))


def quantized(source: Path, target: Path, pairs: bool, signed: bool, size: int = 224) -> bytes:
    """In either form; the file, every quantised tensor an output."""
    import onnx
    from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static

    class Data(CalibrationDataReader):  # type: ignore[misc]
        def __init__(self) -> None:
            self.left = [np.random.default_rng(5).normal(0, 1, (1, 3, size, size)).astype(np.float32)]

        def get_next(self) -> dict[str, np.ndarray] | None:
            return {"x": self.left.pop()} if self.left else None

    quantize_static(str(source), str(target), Data(), quant_format=QuantFormat.QDQ if pairs else QuantFormat.QOperator,
                    activation_type=QuantType.QInt8 if signed else QuantType.QUInt8, weight_type=QuantType.QInt8,
                    per_channel=True)
    model = onnx.load(str(target))
    there = {one.name for one in model.graph.output}
    words = ("QuantizeLinear", "QLinearConv", "QLinearAdd", "QLinearGlobalAveragePool", "QGemm", "QLinearMatMul")
    for node in model.graph.node:
        if node.op_type in words and node.output[0] not in there and node.output[0] != "x":
            model.graph.output.append(onnx.helper.make_tensor_value_info(
                node.output[0], onnx.TensorProto.INT8 if signed else onnx.TensorProto.UINT8, None))
    return bytes(model.SerializeToString())
