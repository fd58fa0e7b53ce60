"""Graphs that are written to files and read again, and what the other side makes of those."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from neonsim.nn import ops
from neonsim.nn.graph import Concat, Constant, Graph, Reshape, Split, gather
from neonsim.quant import Quantized, Scheme

RANGES = {"uint8": (0, 255, 128), "int8": (-128, 127, 0)}


class Chance:
    """A graph of operators that .tflite has words for, by chance."""

    def __init__(self, seed: Any, nodes: int = 8) -> None:
        self.rng = np.random.default_rng(seed)
        self.dtype = str(self.rng.choice(["uint8", "int8"]))
        self.low, self.high, self.middle = RANGES[self.dtype]
        shape = (int(self.rng.integers(1, 3)), *(int(n) for n in self.rng.integers(4, 15, 2)), self.channels())
        self.graph = Graph("chance", shape, self.scheme(0.05))
        self.images = ["input"]
        for number in range(nodes):
            kinds = [self.conv, self.conv, self.depthwise, self.add, self.pool, self.largest, self.join, self.curve,
                     self.padded, self.cut, self.multiply, self.moved, self.moved, self.resized, self.broadcast,
                     self.broadcast, self.larger, self.deconv]
            made = self.rng.choice(np.array(kinds, object))(f"n{number}")
            if made is not None:
                self.images.append(made)
        last = self.images[-1]
        if self.rng.integers(2):
            shape_ = self.graph.tensors[last].shape
            flat = self.graph.add_node("flat", Reshape(self.graph.scheme(last), (shape_[0], -1)), last)
            depth = self.graph.tensors[flat].shape[1]
            last = self.graph.add_node("dense", ops.FullyConnected(
                self.graph.scheme(flat), self.weights((10, depth)), self.bias(10), out=self.scheme(0.3),
                requantization="fp32"), flat)
            if self.rng.integers(2):
                last = self.graph.add_node("shares", ops.Softmax(self.graph.scheme(last)), last)
        elif self.rng.integers(3) == 0:
            last = self.graph.add_node("where", ops.ArgMax(self.graph.scheme(last)), last)
        elif self.rng.integers(2):
            mean = ops.GlobalAvgPool(self.graph.scheme(last), out=self.scheme(0.06))
            last = self.graph.add_node("mean", mean, last)
        self.graph.finish(last)

    def channels(self) -> int:
        return int(self.rng.integers(1, 20))

    def scheme(self, scale: float) -> Scheme:
        return Scheme(float(np.float32(scale * self.rng.uniform(0.5, 2))),
                      int(self.rng.integers(self.middle - 60, self.middle + 60)), self.dtype)

    def pick(self) -> str:
        return str(self.rng.choice(self.images))

    def weights(self, shape: tuple[int, ...]) -> Quantized:
        if self.dtype == "uint8":
            return Quantized(self.rng.integers(0, 256, shape).astype(np.uint8), float(self.rng.uniform(0.002, 0.01)),
                             int(self.rng.integers(0, 256)))
        scale = self.rng.uniform(0.002, 0.01, shape[0]).astype(np.float32)
        values = self.rng.integers(-127, 128, shape).astype(np.int8)
        return Quantized(values, scale, axis=0) if self.rng.integers(2) and shape[0] > 1 else Quantized(values, 0.005)

    def bias(self, count: int) -> np.ndarray:
        return self.rng.integers(-3000, 3000, count).astype(np.int32)

    def limits(self, out: Scheme) -> dict[str, Any]:
        if not self.rng.integers(2):
            return {}
        return {"output_min": out.zero_point} if self.rng.integers(2) else {
            "output_min": out.zero_point, "output_max": int(np.clip(out.zero_point + np.floor(
                np.float32(6) / np.float32(out.scale) + np.float32(0.5)), self.low, self.high))}

    # ---- operators
    def conv(self, name: str) -> str:
        x = self.pick()
        shape, scheme = self.graph.tensors[x].shape, self.graph.scheme(x)
        window, out = int(self.rng.choice([1, 1, 2, 3])), self.scheme(0.2)
        channels, stride = self.channels(), int(self.rng.choice([1, 1, 2]))
        most = min(shape[1:3])
        padding = ((0, 0), (0, 0)) if window <= most and self.rng.integers(2) else self._same(shape, window, stride)
        return self.graph.add_node(name, ops.Conv2d(
            scheme, self.weights((channels, window, window, shape[3])), self.bias(channels), out=out, stride=stride,
            padding=padding, requantization="fp32", **self.limits(out)), x)

    def _same(self, shape: tuple[int, ...], window: int, stride: int) -> Any:
        whole = [max((-(-n // stride) - 1) * stride + window - n, 0) for n in shape[1:3]]
        return [(n // 2, n - n // 2) for n in whole]

    def depthwise(self, name: str) -> str:
        x = self.pick()
        shape, scheme = self.graph.tensors[x].shape, self.graph.scheme(x)
        stride, out = int(self.rng.choice([1, 2])), self.scheme(0.1)
        return self.graph.add_node(name, ops.Conv2d(
            scheme, self.weights((shape[3], 3, 3, 1)), self.bias(shape[3]), out=out, stride=stride,
            padding=self._same(shape, 3, stride), groups=shape[3], requantization="fp32", **self.limits(out)), x)

    def deconv(self, name: str) -> str | None:
        x = self.pick()
        shape, scheme = self.graph.tensors[x].shape, self.graph.scheme(x)
        if max(shape[1:3]) > 20:
            return None
        window, stride, out, channels = int(self.rng.integers(2, 5)), int(self.rng.integers(1, 4)), self.scheme(0.2), \
            self.channels()
        w = self.weights((channels, window, window, shape[3]))
        turned = Quantized(np.ascontiguousarray(w.values.transpose(3, 1, 2, 0)), w.scale, w.zero_point,
                           axis=None if w.axis is None else 3)
        cut = max(window - stride, 0) if self.rng.integers(2) else 0
        return self.graph.add_node(name, ops.Deconv2d(
            scheme, turned, self.bias(channels), out=out, stride=stride, padding=[(cut // 2, cut - cut // 2)] * 2,
            adjustment=max(stride - window, 0) if self.rng.integers(2) else 0, requantization="fp32",
            **self.limits(out)), x)

    def _two(self) -> tuple[str, str]:
        a = self.pick()
        alike = [n for n in self.images if self.graph.tensors[n].shape == self.graph.tensors[a].shape]
        return a, str(self.rng.choice(alike))

    def add(self, name: str) -> str:
        a, b = self._two()
        out = self.scheme(0.1)
        return self.graph.add_node(name, ops.Add(self.graph.scheme(a), self.graph.scheme(b), out=out, rounding="up",
                                                 **self.limits(out)), a, b)

    def multiply(self, name: str) -> str:
        a, b = self._two()
        out = self.scheme(0.1)
        return self.graph.add_node(name, ops.Multiply(self.graph.scheme(a), self.graph.scheme(b), out=out), a, b)

    def pool(self, name: str) -> str | None:
        x = self.pick()
        shape, scheme = self.graph.tensors[x].shape, self.graph.scheme(x)
        height, width = (int(self.rng.integers(1, n + 1)) for n in shape[1:3])
        if height * width == 1:
            return None
        stride = int(self.rng.integers(1, 3))
        padding = [(0, 0), (0, 0)] if self.rng.integers(2) else [
            self._same(shape, n, stride)[i] for i, n in enumerate((height, width))]
        return self.graph.add_node(name, ops.AvgPool2d(scheme, pool=(height, width), out=scheme, stride=stride,
                                                       padding=padding, integer=True), x)

    def largest(self, name: str) -> str | None:
        x = self.pick()
        shape = self.graph.tensors[x].shape
        if min(shape[1:3]) < 2:
            return None
        operator = ops.MaxPool2d(self.graph.scheme(x), pool=2, stride=int(self.rng.integers(1, 3)))
        return self.graph.add_node(name, operator, x)

    def join(self, name: str) -> str:
        x = self.pick()
        scheme = self.graph.scheme(x)
        if self.rng.integers(2) and self.graph.tensors[x].shape[3] > 1:
            channels = self.graph.tensors[x].shape[3]
            self.graph.add_node(name, Split(scheme, (1, channels - 1)), x)
            return self.graph.add_node(f"{name} joined", Concat(scheme), *reversed(self.graph.results(name)))
        return self.graph.add_node(name, Concat(scheme, axis=int(self.rng.choice([1, 2, 3]))), x, x)

    def curve(self, name: str) -> str:
        x = self.pick()
        scheme = self.graph.scheme(x)
        kinds: list[Any] = [ops.Convert(scheme, out=self.scheme(0.05)), ops.Sigmoid(scheme), ops.Tanh(scheme),
                            ops.HardSwish(scheme, out=self.scheme(0.05))]
        if scheme.zero_point > self.low and self.rng.integers(3) == 0:      # else it would limit nothing
            kinds = [ops.Clamp(scheme, output_min=scheme.zero_point, output_max=self.high)]
        if self.dtype == "int8":
            kinds.append(ops.LeakyRelu(scheme, slope=float(self.rng.uniform(0.2, 1)), out=self.scheme(0.05)))
            kinds.append(ops.Elu(scheme, out=self.scheme(0.05)))
        return self.graph.add_node(name, kinds[int(self.rng.integers(len(kinds)))], x)

    def padded(self, name: str) -> str:
        x = self.pick()
        return self.graph.add_node(name, ops.Pad(self.graph.scheme(x), amounts=((0, 0), (1, 0), (0, 2), (0, 0))), x)

    cut = conv

    def moved(self, name: str) -> str | None:
        """Slices, transposes and the like; blocks go to batches and come back."""
        x = self.pick()
        shape, scheme = self.graph.tensors[x].shape, self.graph.scheme(x)
        n, h, w, c = shape

        def cut(size: int) -> range:
            first, last = sorted(int(i) for i in self.rng.integers(0, size, 2))
            step = int(self.rng.integers(1, 4))
            return range(first, last + 1, step) if self.rng.integers(2) else range(last, first - 1, -step)

        makes: list[Callable[[], Any]] = [
            lambda: gather.slice_indices(scheme, shape, [cut(size) for size in shape]),
            lambda: gather.transpose_indices(scheme, shape, self.rng.permutation(4).tolist()),
            lambda: gather.pad_indices(scheme, shape, [(0, 0), (int(h > 1), 0), (0, int(w > 1)), (0, 0)],
                                       mode="reflect"),
            lambda: gather.pad_indices(scheme, shape, [(0, 0), (1, h), (0, 1), (0, c)], mode="symmetric"),
            lambda: gather.pad_indices(scheme, shape, [(0, 0), (2, 0), (0, 1), (1, 0)], self.low),
            lambda: gather.tile_indices(scheme, shape, [1, 2, 1, int(self.rng.integers(1, 3))]),
            lambda: gather.take_indices(scheme, shape, 1, self.rng.integers(0, h, 3)),
            lambda: gather.space_to_batch(scheme, shape, (2, 3), ((0, -h % 2), (-w % 3, 0)), scheme.zero_point),
        ]
        if n % 4 == 0:
            makes.append(lambda: gather.batch_to_space(scheme, shape, (2, 2), ((0, 1), (0, 0))))
        if c % 4 == 0:
            makes.append(lambda: gather.depth_to_space(scheme, shape, 2))
        if h % 2 == 0 and w % 2 == 0:
            makes.append(lambda: gather.space_to_depth(scheme, shape, 2))
        made = makes[int(self.rng.integers(len(makes)))]()
        for i, one in enumerate(made if isinstance(made, tuple) else (made,)):
            if np.prod(one.result) > 20_000:
                return None
            x = self.graph.add_node(f"{name} {i}", one, x)
        return x

    def resized(self, name: str) -> str:
        x = self.pick()
        shape, scheme = self.graph.tensors[x].shape, self.graph.scheme(x)
        size = [int(n) for n in self.rng.integers(1, 14, 2)]
        corners = str(self.rng.choice(["legacy", "aligned", "half"]))
        return self.graph.add_node(name, ops.ResizeBilinear(scheme, size=size, corners=corners) if self.rng.integers(2)
                                   else gather.nearest(scheme, shape, size, align_corners=corners == "aligned",
                                                       half_pixel=corners == "half"), x)

    def _constant(self, name: str, scheme: Scheme, shape: tuple[int, ...]) -> str:
        values = self.rng.integers(self.low, self.high + 1, shape).astype(self.dtype)
        return self.graph.add_node(f"{name} constant", Constant(scheme, values), *())

    def broadcast(self, name: str) -> str:
        """With a constant, or with a part of the image itself."""
        x, out = self.pick(), self.scheme(0.1)
        shape, scheme = self.graph.tensors[x].shape, self.graph.scheme(x)
        smaller = tuple(size if self.rng.integers(2) else 1 for size in shape)
        if self.rng.integers(2):
            other = self._constant(name, self.scheme(0.05), smaller[int(self.rng.integers(4)):])
        else:
            part = gather.slice_indices(scheme, shape, [range(size) for size in smaller])
            other = self.graph.add_node(f"{name} part", part, x)
        a, b = (x, other) if self.rng.integers(2) else (other, x)
        first, second = self.graph.scheme(a), self.graph.scheme(b)
        kinds: list[Callable[[], Any]] = [
            lambda: ops.Add(first, second, out=out, rounding="up", **self.limits(out)),
            lambda: ops.Subtract(first, second, out=out), lambda: ops.Multiply(first, second, out=out)]
        return self.graph.add_node(name, kinds[int(self.rng.integers(3))](), a, b)

    def larger(self, name: str) -> str:
        x = self.pick()
        scheme, shape = self.graph.scheme(x), self.graph.tensors[x].shape
        kind = ops.Maximum if self.rng.integers(2) else ops.Minimum
        return self.graph.add_node(name, kind(scheme), x, self._constant(name, scheme, shape[-1:]))

    def input(self, seed: int) -> np.ndarray:
        """Bytes of the whole range."""
        return np.random.default_rng(seed).integers(self.low, self.high + 1, self.graph.tensors["input"].shape
                                                    ).astype(self.dtype)


@pytest.fixture
def chance() -> type[Chance]:
    """Makes graphs by chance."""
    return Chance


class LiteRt:
    """The outside judge: other people's runtime, with its XNNPACK delegate, or its reference or optimised kernels."""

    resolvers: ClassVar = {"xnnpack": "AUTO", "tflite": "BUILTIN_REF", "ruy": "BUILTIN_WITHOUT_DEFAULT_DELEGATES"}
    missing = "the outside check needs LiteRT: pip install 'neonsim[outside]'"

    def interpreter(self, data: bytes, arithmetic: str = "xnnpack") -> Any:
        """Of the bytes of a file, ready."""
        theirs = pytest.importorskip("ai_edge_litert.interpreter", reason=self.missing)
        resolver = theirs.OpResolverType[self.resolvers[arithmetic]]
        made = theirs.Interpreter(model_content=data, num_threads=1, experimental_op_resolver_type=resolver)
        made.allocate_tensors()
        return made

    def run(self, theirs: Any, inputs: list[np.ndarray]) -> list[np.ndarray]:
        """All results for inputs."""
        for detail, value in zip(theirs.get_input_details(), inputs, strict=True):
            theirs.set_tensor(detail["index"], value)
        theirs.invoke()
        return [theirs.get_tensor(detail["index"]) for detail in theirs.get_output_details()]

    def one(self, word: str, inputs: list[Any], outputs: list[Any], options: Any = None, version: int = 2) -> bytes:
        """A file of one operator, made field by field.

        inputs    (shape, type, scheme or None) of what is computed; (array, scheme or None) of constants; schemes
                  are anything with scale, zero_point and axis, as scales of 0 have no Scheme
        options   (name of their table, {field: value})
        """
        schema = pytest.importorskip("ai_edge_litert.schema_py_generated", reason=self.missing)
        import flatbuffers

        model, graph, operator = schema.ModelT(), schema.SubGraphT(), schema.OperatorT()
        model.version, model.description, model.buffers = 3, "one operator", [schema.BufferT()]
        graph.name, graph.tensors, graph.inputs = "main", [], []
        for place, (*what, scheme) in enumerate([*inputs, *outputs]):
            tensor = schema.TensorT()
            tensor.name, tensor.buffer = f"t{place}", 0
            if len(what) == 1:
                held = schema.BufferT()
                held.data = np.frombuffer(np.ascontiguousarray(what[0]).tobytes(), np.uint8)
                model.buffers.append(held)
                tensor.buffer = len(model.buffers) - 1
            elif place < len(inputs):
                graph.inputs.append(place)
            tensor.shape = list(what[0].shape if len(what) == 1 else what[0])
            dtype = what[0].dtype.name if len(what) == 1 else what[1]
            tensor.type = getattr(schema.TensorType, dtype.upper())
            if scheme is not None:
                tensor.quantization = schema.QuantizationParametersT()
                scale = np.atleast_1d(np.asarray(scheme.scale, np.float32))
                tensor.quantization.scale, tensor.quantization.zeroPoint = scale, [scheme.zero_point] * scale.size
                tensor.quantization.quantizedDimension = scheme.axis or 0
            graph.tensors.append(tensor)
        graph.outputs = [len(inputs) + i for i in range(len(outputs))]
        operator.opcodeIndex, operator.inputs, operator.outputs = 0, list(range(len(inputs))), graph.outputs
        if options is not None:
            operator.builtinOptions = getattr(schema, f"{options[0]}T")()
            operator.builtinOptionsType = getattr(schema.BuiltinOptions, options[0])
            for name, value in options[1].items():
                assert hasattr(operator.builtinOptions, name), name
                setattr(operator.builtinOptions, name, value)
        code = schema.OperatorCodeT()
        code.builtinCode = getattr(schema.BuiltinOperator, word)
        code.deprecatedBuiltinCode, code.version = min(code.builtinCode, 127), version
        graph.operators, model.operatorCodes, model.subgraphs = [operator], [code], [graph]
        builder = flatbuffers.Builder(1024)
        builder.Finish(model.Pack(builder), b"TFL3")
        return bytes(builder.Output())

    def all_seen(self, data: bytes) -> tuple[bytes, list[int]]:
        """The same file with every tensor that a node writes among its outputs: only so the delegate shows them."""
        schema = pytest.importorskip("ai_edge_litert.schema_py_generated", reason=self.missing)
        import flatbuffers

        model = schema.ModelT.InitFromPackedBuf(data, 0)
        graph = model.subgraphs[0]
        for tensor in graph.tensors:    # biases that kept the axis of their weights are refused by LiteRT
            if tensor.quantization is not None and tensor.quantization.quantizedDimension >= len(tensor.shape):
                tensor.quantization.quantizedDimension = 0
        made = (int(number) for node in graph.operators if node.outputs is not None for number in node.outputs)
        graph.outputs = list(dict.fromkeys(
            number for number in made if graph.tensors[number].type != schema.TensorType.RESOURCE))
        builder = flatbuffers.Builder(1024)
        builder.Finish(model.Pack(builder), b"TFL3")
        return bytes(builder.Output()), graph.outputs


@pytest.fixture
def words() -> list[Path]:
    """Four networks with variables that wait for a word, Apache-2.0: files of a package; none is in this repository."""
    found = importlib.util.find_spec("pymicro_wakeword")
    if found is None:
        pytest.skip("no networks with variables: pip install 'neonsim[outside]'")
    return sorted((Path(str(found.origin)).parent / "models").glob("*.tflite"))


@pytest.fixture
def litert() -> LiteRt:
    """LiteRT, or a skip that says what is missing."""
    return LiteRt()
