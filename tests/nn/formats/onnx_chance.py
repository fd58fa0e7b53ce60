"""Graphs in ONNX by chance, in both forms, and ONNX Runtime's answer for every quantised tensor."""

from __future__ import annotations

from typing import Any

import numpy as np

RANGES = {"uint8": (0, 255, 128), "int8": (-128, 127, 0)}
Rule = tuple[float, int]


class OnnxChance:
    """A network by chance.

    pairs     DequantizeLinear and QuantizeLinear around operators of real numbers, not operators of integers
    dtypes    of activations and weights
    """

    def __init__(self, seed: Any, pairs: bool, nodes: int = 7) -> None:
        import onnx
        self.onnx = onnx
        self.rng = np.random.default_rng(seed)
        self.pairs = pairs
        self.dtype = str(self.rng.choice(["uint8", "int8"]))
        self.weight = "int8" if self.dtype == "int8" or self.rng.integers(2) else "uint8"
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.names: dict[str, str] = {}
        self.kept: dict[str, str] = {}      # quantised tensors and their types
        self.rules: dict[str, Rule] = {}
        self.shapes: dict[str, tuple[int, ...]] = {}
        batch, channels = int(self.rng.integers(1, 3)), int(self.rng.integers(1, 9))
        self.input_shape = (batch, channels, *(int(n) for n in self.rng.integers(4, 13, 2)))
        self.real_input = pairs or bool(self.rng.integers(2))
        self.images = [self._input()]
        makers = [self.conv, self.conv, self.conv, self.add, self.add, self.multiply, self.average, self.largest,
                  self.curve, self.join]
        for _ in range(nodes):
            made = self.rng.choice(np.array(makers, object))()
            if made:
                self.images.append(made)
        last = self.images[-1]
        if self.rng.integers(3):
            last = self.tail(last)
        self.last = last
        self.real_output = bool(self.rng.integers(2))
        if self.real_output:
            self.node("DequantizeLinear", [last, *self.rule(last)], "answer")

    # ---- pieces
    def constant(self, value: Any, dtype: Any) -> str:
        name = f"c{len(self.constants)}"
        self.constants.append(self.onnx.numpy_helper.from_array(np.array(value, dtype), name))
        return name

    def node(self, word: str, inputs: list[str], output: str | None = None, ours: bool = False, **more: Any) -> str:
        output = output or f"t{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(word, inputs, [output], f"n{len(self.nodes)}",
                                                     domain="com.microsoft" if ours else "", **more))
        return output

    def rule(self, name: str) -> list[str]:
        scale, zero = self.rules[name]
        return [self.constant(scale, np.float32), self.constant(zero, self.dtype)]

    def a_rule(self, step: float) -> Rule:
        middle = RANGES[self.dtype][2]
        return (float(np.float32(step * self.rng.uniform(0.5, 2))), int(self.rng.integers(middle - 60, middle + 60)))

    def keep(self, name: str, rule: Rule, shape: tuple[int, ...]) -> str:
        self.kept[name], self.rules[name], self.shapes[name] = self.dtype, rule, shape
        return name

    def real(self, name: str) -> str:
        return self.node("DequantizeLinear", [name, *self.rule(name)])

    def quantized(self, real: str, rule: Rule, shape: tuple[int, ...]) -> str:
        name = f"q{len(self.nodes)}"
        self.rules[name] = rule
        self.node("QuantizeLinear", [real, *self.rule(name)], name)
        return self.keep(name, rule, shape)

    def _input(self) -> str:
        rule = self.a_rule(0.03)
        return self.quantized("x", rule, self.input_shape) if self.real_input else self.keep("x", rule,
                                                                                            self.input_shape)

    def pick(self) -> str:
        return str(self.rng.choice(self.images))

    def either(self, word: str, ours: str, names: list[str], rule: Rule, shape: tuple[int, ...],
               **attributes: Any) -> str:
        """An operator in the form of this graph."""
        if self.pairs:
            return self.quantized(self.node(word, [self.real(name) for name in names], **attributes), rule, shape)
        name = f"q{len(self.nodes)}"
        self.rules[name] = rule
        operands = [one for each in names for one in (each, *self.rule(each))]
        self.node(ours, [*operands, *self.rule(name)], name, ours=True, **attributes)
        return self.keep(name, rule, shape)

    def weights(self, shape: tuple[int, ...], channels: int, axis: int) -> tuple[str, list[str], np.ndarray]:
        low, high, _ = RANGES[self.weight]
        values = self.rng.integers(max(low, -127), high + 1, shape)
        many = bool(self.rng.integers(2))
        scale = self.rng.uniform(0.002, 0.01, channels if many else ()).astype(np.float32)
        zero = 0 if self.weight == "int8" else int(self.rng.integers(100, 156))
        rule = [self.constant(scale, np.float32), self.constant(np.full(scale.shape, zero), self.weight)]
        return self.constant(values, self.weight), rule, scale

    # ---- operators
    def conv(self) -> str | None:
        x = self.pick()
        n, c, h, w = self.shapes[x]
        groups = int(self.rng.choice([1, 1, c, 2 if c % 2 == 0 else 1]))
        out = groups * int(self.rng.integers(1, max(2, 17 // groups)))
        window = [int(k) for k in self.rng.choice([1, 2, 3], 2)]
        stride, gap = [int(s) for s in self.rng.integers(1, 3, 2)], [int(s) for s in self.rng.integers(1, 3, 2)]
        kind = str(self.rng.choice(["NOTSET", "NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"]))
        pads = [int(p) for p in self.rng.integers(0, 2, 4)]
        more: dict[str, Any] = {"pads": pads} if kind == "NOTSET" else {"auto_pad": kind}
        if kind.startswith("SAME"):
            gap = [1, 1]        # dilated, versions of ONNX differ
        sizes = []
        for i, size in enumerate((h, w)):
            reach = (window[i] - 1) * gap[i] + 1
            if kind.startswith("SAME"):
                sizes.append(-(-size // stride[i]))
                continue
            room = size + (pads[i] + pads[i + 2] if kind == "NOTSET" else 0) - reach
            if room < 0:
                return None
            sizes.append(room // stride[i] + 1)
        values, rule, scale = self.weights((out, c // groups, *window), out, 0)
        bias = self.constant(self.rng.integers(-2000, 2000, out), np.int32) if self.rng.integers(2) else None
        attributes = {"group": groups, "strides": stride, "dilations": gap, "kernel_shape": window, **more}
        return self._product("Conv", "QLinearConv", x, values, rule, scale, bias, 0, (n, out, *sizes), attributes)

    def _product(self, word: str, ours: str, x: str, values: str, rule: list[str], scale: np.ndarray,
                 bias: str | None, axis: int, shape: tuple[int, ...], attributes: dict[str, Any]) -> str:
        out = self.a_rule(0.05)
        if not self.pairs:
            name = f"q{len(self.nodes)}"
            self.rules[name] = out
            inputs = [x, *self.rule(x), values, *rule]
            tail = [bias] if bias else []
            inputs += [bias or "", *self.rule(name)] if ours == "QGemm" else [*self.rule(name), *tail]
            self.node(ours, inputs, name, ours=ours == "QGemm", **attributes)
            return self.keep(name, out, shape)
        many: dict[str, Any] = {"axis": axis} if scale.ndim else {}
        operands = [self.real(x), self.node("DequantizeLinear", [values, *rule], **many)]
        if bias:
            steps = np.float32(self.rules[x][0]) * scale
            operands.append(self.node("DequantizeLinear", [
                bias, self.constant(steps, np.float32), self.constant(np.zeros(steps.shape), np.int32)],
                **(many and {"axis": 0})))
        return self.quantized(self.node(word, operands, **attributes), out, shape)

    def _alike(self) -> list[str]:
        a = self.pick()
        return [a, str(self.rng.choice([n for n in self.images if self.shapes[n] == self.shapes[a]]))]

    def add(self) -> str:
        names = self._alike()
        return self.either("Add", "QLinearAdd", names, self.a_rule(0.06), self.shapes[names[0]])

    def multiply(self) -> str:
        names = self._alike()
        return self.either("Mul", "QLinearMul", names, self.a_rule(0.06), self.shapes[names[0]])

    def _window(self, x: str) -> tuple[dict[str, Any], tuple[int, ...]]:
        n, c, h, w = self.shapes[x]
        window = [int(self.rng.integers(1, min(size, 5) + 1)) for size in (h, w)]
        if window == [1, 1]:
            window = [min(2, h), min(2, w)]
        stride = [int(s) for s in self.rng.integers(1, 3, 2)]
        pads = [int(self.rng.integers(0, 2)) if window[i % 2] > 1 else 0 for i in range(4)]
        sizes = [(size + pads[i] + pads[i + 2] - window[i]) // stride[i] + 1 for i, size in enumerate((h, w))]
        return {"kernel_shape": window, "strides": stride, "pads": pads}, (n, c, *sizes)

    def average(self) -> str | None:
        x = self.pick()
        more, shape = self._window(x)
        if more["kernel_shape"] == [1, 1]:
            return None
        return self.either("AveragePool", "QLinearAveragePool", [x], self.a_rule(0.04), shape,
                           count_include_pad=int(self.rng.integers(2)), **more)

    def largest(self) -> str | None:
        x = self.pick()
        more, shape = self._window(x)
        if more["kernel_shape"] == [1, 1]:
            return None
        if self.pairs and self.rng.integers(2):
            return self.quantized(self.node("MaxPool", [self.real(x)], **more), self.rules[x], shape)
        return self.keep(self.node("MaxPool", [x], **more), self.rules[x], shape)

    def curve(self) -> str:
        x, word = self.pick(), str(self.rng.choice(["LeakyRelu", "Sigmoid"]))
        more = {"alpha": float(self.rng.uniform(0.01, 0.4))} if word == "LeakyRelu" else {}
        return self.either(word, f"QLinear{word}", [x], self.a_rule(0.04 if more else 0.006), self.shapes[x], **more)

    def join(self) -> str:
        x = self.pick()
        n, _, h, w = self.shapes[x]
        alike = [name for name in self.images if self.shapes[name][::3] == (n, w) and self.shapes[name][2] == h]
        names = [x, *alike[:2]]
        shape = (n, sum(self.shapes[name][1] for name in names), h, w)
        out = self.a_rule(0.05)
        if self.pairs:
            return self.quantized(self.node("Concat", [self.real(name) for name in names], axis=1), out, shape)
        name = f"q{len(self.nodes)}"
        self.rules[name] = out
        self.node("QLinearConcat", [*self.rule(name), *(one for each in names for one in (each, *self.rule(each)))],
                  name, ours=True, axis=1)
        return self.keep(name, out, shape)

    def tail(self, x: str) -> str:
        """To rows: by the mean of the image, or all of its elements."""
        n, c, h, w = self.shapes[x]
        if self.rng.integers(2):
            x = self.either("GlobalAveragePool", "QLinearGlobalAveragePool", [x], self.a_rule(0.03), (n, c, 1, 1))
            h = w = 1
        flat = self.keep(self.node("Flatten", [x]), self.rules[x], (n, c * h * w))
        depth, out = c * h * w, int(self.rng.integers(1, 12))
        gemm, turned = bool(self.rng.integers(2)), bool(self.rng.integers(2))
        turned = turned and gemm
        values, rule, scale = self.weights((out, depth) if turned else (depth, out), out, 0 if turned else 1)
        bias = self.constant(self.rng.integers(-2000, 2000, out), np.int32) if gemm and self.rng.integers(2) else None
        return self._product("Gemm" if gemm else "MatMul", "QGemm" if gemm else "QLinearMatMul", flat, values, rule,
                             scale, bias, 0 if turned else 1, (n, out), {"transB": int(turned)} if gemm else {})

    # ---- whole
    def model(self, every: bool = False) -> bytes:
        """The file; every: all quantised tensors are outputs."""
        helper, kinds = self.onnx.helper, self.onnx.TensorProto
        outputs = ["answer" if self.real_output else self.last]
        outputs += [name for name in self.kept if every and name not in (outputs[0], "x")]
        types = {name: getattr(kinds, dtype.upper()) for name, dtype in self.kept.items()} | {"answer": kinds.FLOAT}
        graph = helper.make_graph(
            self.nodes, "chance", [helper.make_tensor_value_info(
                "x", kinds.FLOAT if self.real_input else types["x"], self.input_shape)],
            [helper.make_tensor_value_info(name, types[name], None) for name in outputs], self.constants)
        made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17),
                                                       helper.make_opsetid("com.microsoft", 1)])
        made.ir_version = 9
        return bytes(made.SerializeToString())

    def input(self, seed: int) -> np.ndarray:
        """Of the whole range."""
        rng = np.random.default_rng(seed)
        if self.real_input:
            return rng.uniform(-5, 5, self.input_shape).astype(np.float32)
        low, high, _ = RANGES[self.dtype]
        return rng.integers(low, high + 1, self.input_shape).astype(self.dtype)


def integer_graph(seed: Any) -> tuple[bytes, np.ndarray]:
    """Real numbers quantised by their range, multiplied as integers, scaled back; a ConvInteger, a MatMulInteger. And
    an input."""
    made = OnnxChance(seed, True, nodes=0)
    rng, shape = made.rng, made.input_shape
    made.nodes, made.constants = [], []
    outputs: dict[str, str] = {}
    weight = str(rng.choice(["int8", "uint8"]))

    def dynamic(x: str) -> tuple[str, str, str]:
        names = tuple(f"d{len(made.nodes)}{part}" for part in ("values", "scale", "zero"))
        made.nodes.append(made.onnx.helper.make_node("DynamicQuantizeLinear", [x], list(names)))
        outputs.update(zip(names, ("uint8", "float", "uint8"), strict=True))
        return names[0], names[1], names[2]

    def weights(sizes: tuple[int, ...]) -> list[str]:
        low, high, _ = RANGES[weight]
        return [made.constant(rng.integers(low, high + 1, sizes), weight),
                made.constant(rng.integers(-5, 5) if weight == "int8" else rng.integers(256), weight)]

    def scaled(sums: str, scale: str, bias: str) -> str:
        outputs[sums] = "int32"
        real = made.node("Cast", [sums], to=1)
        real = made.node("Mul", [real, made.node("Mul", [scale, made.constant(0.01, np.float32)])])
        real = made.node("Add", [real, bias])
        outputs[real] = "float"
        return real

    x = "x"
    if rng.integers(2):
        values, scale, zero = dynamic(x)
        out, groups = int(rng.integers(1, 9)), int(rng.choice([1, shape[1]]))
        pads, stride = [int(p) for p in rng.integers(0, 2, 4)], [int(s) for s in rng.integers(1, 3, 2)]
        w, wz = weights((out * groups, shape[1] // groups, 3, 2))
        sums = made.node("ConvInteger", [values, w, zero, wz], group=groups, strides=stride, pads=pads,
                         kernel_shape=[3, 2])
        sizes = [(n + pads[i] + pads[i + 2] - (3, 2)[i]) // stride[i] + 1 for i, n in enumerate(shape[2:])]
        shape = (shape[0], out * groups, sizes[0], sizes[1])
        x = scaled(sums, scale, made.constant(rng.normal(size=(1, shape[1], 1, 1)), np.float32))
        x = made.node("Relu", [x])
    flat = made.node("Flatten", [x])
    depth, out = int(np.prod(shape[1:])), int(rng.integers(1, 20))
    w, wz = weights((depth, out))
    if rng.integers(2):
        values, scale, zero = dynamic(flat)
        scaled(made.node("MatMulInteger", [values, w, zero, wz]), scale,
               made.constant(rng.normal(size=out), np.float32))
    else:
        kind = str(rng.choice(["int8", "uint8"]))
        rule = [made.constant(0.05, np.float32), made.constant(rng.integers(0, 100), kind)]
        outputs[made.node("QuantizeLinear", [flat, *rule], "fixed")] = kind
        outputs[made.node("MatMulInteger", ["fixed", w, rule[1], wz])] = "int32"
    helper, kinds = made.onnx.helper, made.onnx.TensorProto
    graph = helper.make_graph(
        made.nodes, "integers", [helper.make_tensor_value_info("x", kinds.FLOAT, made.input_shape)],
        [helper.make_tensor_value_info(name, getattr(kinds, kind.upper()), None) for name, kind in outputs.items()],
        made.constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 9
    return bytes(model.SerializeToString()), rng.normal(rng.normal(), 3, made.input_shape).astype(np.float32)


def theirs(data: bytes, feeds: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """What ONNX Runtime makes of it, one thread.

    On x86 it runs int8 convolutions between pairs in real numbers unless it is told, as here, to do as on Arm (M34).
    """
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.log_severity_level, options.intra_op_num_threads = 3, 1
    options.add_session_config_entry("session.qdqisint8allowed", "1")
    session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    names = [one.name for one in session.get_outputs()]
    return dict(zip(names, session.run(None, feeds), strict=True))
