"""Files of one operator in ONNX by chance: every one that the reader knows, in every form, with odd attributes too.

Integers by words of their own or between DequantizeLinear and QuantizeLinear; real numbers; tensors of one to five
axes; several versions of the operators; zero points that are left out; shapes that are computed of constants.
"""

from __future__ import annotations

from typing import Any

import numpy as np

TYPES = {"float32": "FLOAT", "uint8": "UINT8", "int8": "INT8", "int32": "INT32"}
# Sums of real numbers are added up in an order of the runtime's own.
BETWEEN_PAIRS = ("Elu", "HardSwish", "Sigmoid", "Tanh")     # activations that are read of integers alone
ADDED = {"Conv", "Gemm", "MatMul", "AveragePool", "GlobalAveragePool", "Softmax", "BatchNormalization"}


class OneNode:
    """A file, and what it is given.

    word     of the operator
    exact    its bytes are the runtime's; else they are close to them
    """

    def __init__(self, seed: Any, word: str = "", mixed: bool = False) -> None:
        import onnx
        self.onnx, self.rng, self.mixed = onnx, np.random.default_rng(seed), mixed
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.feeds: dict[str, np.ndarray] = {}
        self.results: list[str] = []
        self.opset = int(self.rng.choice([7, 9, 10, 11, 12, 13, 13, 17, 18, 21]))
        self.dtype = str(self.rng.choice(["uint8", "int8"]))
        self.word = word or str(self.rng.choice(WORDS))
        self.exact = True
        name = self.word
        if name.startswith("QLinear") or name.endswith("Integer"):
            self.opset = max(self.opset, 10)
        getattr(self, f"_{_METHODS.get(name, name)}")(name)

    # ---- pieces
    def chance(self, share: float = 0.5) -> bool:
        return bool(self.rng.random() < share)

    def one_of(self, *values: Any) -> Any:
        return values[int(self.rng.integers(len(values)))]

    def numbers(self, low: int, high: int, count: int) -> list[int]:
        return [int(n) for n in self.rng.integers(low, high + 1, count)]

    def shape(self, low: int = 1, high: int = 5) -> tuple[int, ...]:
        return tuple(self.numbers(1, 5, int(self.rng.integers(low, high + 1))))

    def image(self) -> tuple[int, ...]:
        return (*self.numbers(1, 2, 1), *self.numbers(1, 6, 1), *self.numbers(3, 8, 2))

    def constant(self, value: Any, dtype: Any) -> str:
        name = f"c{len(self.constants)}"
        made = self.onnx.numpy_helper.from_array(np.array(value, dtype), name)
        self.constants.append(made)
        if self.chance(0.1):
            self.constants[-1] = self.onnx.helper.make_tensor(f"{name} (none)", 1, [0], [])
            self.nodes.insert(0, self.onnx.helper.make_node("Constant", [], [name], value=made))
        return name

    def node(self, word: str, inputs: list[str], count: int = 1, **attributes: Any) -> str:
        names = [f"t{len(self.nodes)}{'' if not i else f' {i}'}" for i in range(count)]
        ours = (word.startswith("QLinear") and word not in ("QLinearConv", "QLinearMatMul")) or word == "QGemm"
        while inputs and not inputs[-1]:
            inputs = inputs[:-1]
        self.nodes.append(self.onnx.helper.make_node(word, inputs, names, f"n{len(self.nodes)}",
                                                     domain="com.microsoft" if ours else "", **attributes))
        self.results = names
        return names[0]

    def real(self, shape: tuple[int, ...], name: str = "x") -> str:
        self.feeds[name] = self.rng.normal(0, self.one_of(0.1, 1, 5), shape).astype(np.float32)
        return name

    def whole(self, shape: tuple[int, ...], name: str = "x", dtype: str = "") -> str:
        info = np.iinfo(dtype or self.dtype)
        self.feeds[name] = self.rng.integers(info.min, info.max + 1, shape).astype(info.dtype)
        return name

    def scale(self, step: float = 0.03) -> float:
        return float(np.float32(step * self.one_of(0.01, 0.3, 1, 1, 1, 2, 30) * self.rng.uniform(0.5, 2)))

    def zero(self, dtype: str = "") -> int:
        info = np.iinfo(dtype or self.dtype)
        return int(self.one_of(0, info.min, info.max, *self.numbers(info.min, info.max, 3)))

    def rule(self, step: float = 0.03, left_out: bool = True) -> list[str]:
        """Names of scale and zero point; that may be left out where it is 0."""
        one = self.constant(self.scale(step), np.float32)
        if left_out and self.dtype == "uint8" and self.chance(0.1):
            return [one, ""]
        return [one, self.constant(self.zero(), self.dtype)]

    def dequantized(self, name: str, rule: list[str]) -> str:
        return self.node("DequantizeLinear", [name, *rule])

    def either(self, word: str, names: list[str], **attributes: Any) -> None:
        """Between pairs, or as a word of its own: by `word`."""
        rules = [self.rule() for _ in names]
        # The runtime ends itself where a word of its own has no zero point of its result.
        out = self.rule(self.one_of(0.03, 0.1), left_out=not word.startswith("QLinear"))
        if word.startswith("QLinear"):
            self.node(word, [one for name, rule in zip(names, rules, strict=True) for one in (name, *rule)] + out,
                      **attributes)
            return
        reals = [self.dequantized(name, rule) for name, rule in zip(names, rules, strict=True)]
        made = self.node(word, reals, **attributes)
        if self.chance(0.15):
            made = self.node("Relu", [made])
        self.node("QuantizeLinear", [made, *out])

    def form(self, name: str) -> str:
        """Of an operator of real numbers: between pairs, or as it is."""
        return "pairs" if name.startswith("QLinear") or self.chance() else "real"

    # ---- windows
    def window(self, image: tuple[int, ...], pooling: bool) -> dict[str, Any]:
        kernel = [int(self.rng.integers(1, min(size, 4) + 1)) for size in image[2:]]
        found: dict[str, Any] = {"kernel_shape": kernel}
        if self.chance(0.7):
            found["strides"] = self.numbers(1, 3, 2)
        kind = self.one_of("pads", "pads", "none", "SAME_UPPER", "SAME_LOWER", "VALID", "NOTSET")
        if kind == "pads":
            found["pads"] = [int(self.rng.integers(0, kernel[i % 2] if pooling else 3)) for i in range(4)]
        elif kind != "none":
            found["auto_pad"] = kind
        return found

    # ---- products
    def _weights(self, shape: tuple[int, ...], axis: int, count: int) -> tuple[str, list[str], np.ndarray]:
        kind = self.one_of("int8", self.dtype) if self.mixed else self.dtype
        info = np.iinfo(kind)
        values = self.rng.integers(info.min, info.max + 1, shape)
        many = self.chance()
        scale = (self.rng.uniform(0.2, 2, count if many else ()) * self.scale(0.01)).astype(np.float32)
        zero = 0 if kind == "int8" else int(self.rng.integers(100, 156))
        return self.constant(values, kind), [self.constant(scale, np.float32), self.constant(
            np.full(scale.shape, zero), kind)], scale

    def _product(self, word: str, x: str, shape: tuple[int, ...], axis: int, **attributes: Any) -> None:
        count, rule, out = shape[axis], self.rule(left_out=False), self.rule(0.1, left_out=False)
        bias = word not in ("MatMul", "QLinearMatMul") and (self.chance() or (word == "Gemm" and self.opset < 11))
        w, w_rule, scale = self._weights(shape, axis, count)
        held = self.constant(self.rng.integers(-2000, 2000, count), np.int32) if bias else ""
        if word == "QGemm":
            self.node(word, [x, *rule, w, *w_rule, held, *out], **attributes)
        elif word.startswith("QLinear"):
            self.node(word, [x, *rule, w, *w_rule, *out, *([held] if held else [])], **attributes)
        else:
            steps = self.onnx.numpy_helper.to_array(next(one for one in self._held() if one.name == rule[0])) * scale
            along = {"axis": axis} if scale.ndim else {}
            reals = [self.dequantized(x, rule), self.node("DequantizeLinear", [w, *w_rule], **along)]
            if held:
                steps = steps.reshape(-1) if scale.ndim else steps.reshape(())
                reals.append(self.node("DequantizeLinear", [held, self.constant(steps, np.float32)],
                                       **({"axis": 0} if scale.ndim else {})))
            self.node("QuantizeLinear", [self.node(word, reals, **attributes), *out])

    def _held(self) -> list[Any]:
        return [*self.constants, *(one.attribute[0].t for one in self.nodes if one.op_type == "Constant")]

    def _conv(self, name: str) -> None:
        image = self.image()
        more = self.window(image, False)
        if self.chance(0.3) and "auto_pad" not in more:
            more["dilations"] = self.numbers(1, 2, 2)
        groups = self.one_of(1, 1, image[1])
        if groups > 1 or self.chance(0.2):
            more["group"] = groups
        shape = (groups * int(self.rng.integers(1, 4)), image[1] // groups, *more["kernel_shape"])
        if self.chance(0.3):
            del more["kernel_shape"]
        if name == "ConvInteger":
            x = self.whole(image)
            kind = self.one_of("int8", "uint8") if self.mixed else self.dtype
            w = self.constant(self.rng.integers(*self._ends(kind), shape), kind)
            self.node(name, [x, w, self.constant(self.zero(), self.dtype) if self.chance() else "",
                             self.constant(self.zero(kind) if kind == "uint8" else 0, kind) if self.chance() else ""],
                      **more)
        elif name == "QLinearConv" or self.form(name) == "pairs":
            self._product(name, self.whole(image), shape, 0, **more)
        else:
            self.exact = False
            self.node(name, [self.real(image), self.constant(self.rng.normal(size=shape), np.float32),
                             self.constant(self.rng.normal(size=shape[0]), np.float32) if self.chance() else ""],
                      **more)

    def _ends(self, dtype: str) -> tuple[int, int]:
        return int(np.iinfo(dtype).min), int(np.iinfo(dtype).max) + 1

    def _matrix(self, name: str) -> None:
        gemm, depth, out = "Gemm" in name, *self.numbers(1, 12, 2)
        turned = gemm and self.chance()
        x = (int(self.rng.integers(1, 4)), depth) if gemm else (*self.shape(1, 3)[:-1], depth)
        x = x if len(x) > 1 or self.chance(0.2) else (1, depth)
        shape, axis = ((out, depth), 0) if turned else ((depth, out), 1)
        more: dict[str, Any] = {"transB": 1} if turned else {}
        if gemm and self.chance(0.1):
            more |= self.one_of({"alpha": 0.5}, {"alpha": 1.0}, {"transA": 1}, {"transA": 0})
        if name == "MatMulInteger":
            kind = self.one_of("int8", "uint8") if self.mixed else self.dtype
            w = self.constant(self.rng.integers(*self._ends(kind), shape), kind)
            self.node(name, [self.whole(x), w, self.constant(self.zero(), self.dtype) if self.chance() else "",
                             self.constant(self.zero(kind), kind) if self.chance() else ""])
        elif name not in ("Gemm", "MatMul") or self.form(name) == "pairs":
            self._product(name, self.whole(x), shape, axis, **more)
        else:
            self.exact = False
            bias = self.constant(self.rng.normal(size=self.one_of((out,), (1, out), (1,), (x[0], 1))), np.float32)
            self.node(name, [self.real(x), self.constant(self.rng.normal(size=shape), np.float32),
                             bias if gemm and (self.opset < 11 or self.chance()) else ""], **more)

    # ---- pools
    def _pool(self, name: str) -> None:
        image = self.image()
        more = self.window(image, True)
        if self.opset >= 10 and self.chance(0.3):
            more["ceil_mode"] = int(self.rng.integers(2))
        if "Average" in name and self.chance():
            more["count_include_pad"] = int(self.rng.integers(2))
        if name == "MaxPool" and self.opset >= 10 and self.chance(0.2) and "auto_pad" not in more:
            more["dilations"] = self.numbers(1, 2, 2)
        if name == "QLinearAveragePool" and self.chance(0.1):
            more["channels_last"] = 0   # with 1 the runtime may end itself
        if name == "MaxPool" and self.opset >= 12 and self.chance(0.3):     # of integers
            self.node(name, [self.whole(image)], **more)
            return
        if self.form(name) == "pairs":
            rule = self.rule()
            if name == "MaxPool":
                made = self.node(name, [self.dequantized(self.whole(image), rule)], **more)
                self.node("QuantizeLinear", [made, *(rule if self.chance(0.8) else self.rule())])
            else:
                self.either(name, [self.whole(image)], **more)
        else:
            self.exact = name == "MaxPool"
            self.node(name, [self.real(image)], **more)

    def _mean(self, name: str) -> None:
        if name.startswith("QLinear"):
            self.node(name, [self.whole(self.image()), *self.rule(left_out=False), *self.rule(left_out=False)],
                      **({"channels_last": int(self.rng.integers(2))} if self.chance(0.2) else {}))
        elif self.form(name) == "pairs":
            self.either(name, [self.whole(self.image())])
        else:
            self.exact = False
            self.node(name, [self.real(self.image())])

    # ---- element by element
    def _second(self, shape: tuple[int, ...], plain: bool) -> tuple[int, ...]:
        """What broadcasts with it."""
        if plain or self.chance():
            return shape
        cut = shape[int(self.rng.integers(0, len(shape))):]
        found = tuple(1 if self.chance(0.4) else size for size in cut)
        return (1,) * int(self.chance(0.1)) + found

    def _two(self, name: str) -> None:
        shape = self.shape()
        other = self._second(shape, False)
        held = self.chance(0.3)
        if name.startswith("QLinear") or self.form(name) == "pairs":
            names = [self.whole(shape), self.constant(self.rng.integers(*self._ends(self.dtype), other), self.dtype)
                     if held else self.whole(other, "x2")]
            self.either(name, names[::self.one_of(1, -1)])
            return
        names = [self.real(shape), self.constant(self.rng.normal(size=other), np.float32) if held
                 else self.real(other, "x2")]
        self.node(name, names[::self.one_of(1, -1)])

    def _curve(self, name: str) -> None:
        more: dict[str, Any] = {}
        if ("Leaky" in name or name == "Elu") and self.chance(0.8):
            more["alpha"] = float(np.float32(self.rng.normal()))
        if name.startswith("QLinear") or name in BETWEEN_PAIRS or self.form(name) == "pairs":
            self.either(name, [self.whole(self.shape())], **more)
        else:
            self.node(name, [self.real(self.shape())], **more)

    def _Clip(self, name: str) -> None:
        low, high = sorted(float(np.float32(n)) for n in self.rng.normal(0, 2, 2))
        names: list[str] = []
        more: dict[str, Any] = {}
        if self.opset < 11:
            more = {key: value for key, value in (("min", low), ("max", high)) if self.chance(0.7)}
        else:
            names = [self.constant(one, np.float32) if self.chance(0.7) else "" for one in (low, high)]
        if self.chance():
            rule = self.rule()
            made = self.node(name, [self.dequantized(self.whole(self.shape()), rule), *names], **more)
            self.node("QuantizeLinear", [made, *(rule if self.chance() else self.rule())])
        else:
            self.node(name, [self.real(self.shape()), *names], **more)

    def _softmax(self, name: str) -> None:
        shape = self.shape(1, 3)
        axis = self.one_of(-1, len(shape) - 1, int(self.rng.integers(len(shape))))
        more: dict[str, Any] = {"axis": axis} if self.chance(0.8) else {}
        low = np.iinfo(self.dtype).min
        out = [self.constant(1 / 256, np.float32), self.constant(low, self.dtype)]
        if name == "QLinearSoftmax":
            self.node(name, [self.whole(shape), *self.rule(), *out], opset=self.one_of(7, 12, 13, 17), axis=axis)
        elif self.form(name) == "pairs":
            self.node("QuantizeLinear", [self.node(name, [self.dequantized(self.whole(shape), self.rule())], **more),
                                         *out])
        else:
            self.exact = False
            self.node(name, [self.real(shape)], **more)

    # ---- moves
    def moved(self) -> tuple[str, tuple[int, ...], Any]:
        """Real numbers, or integers as they are; with their pairs: what to do behind."""
        shape, kind = self.shape(), self.one_of("real", "whole", "between", "pairs")
        if kind == "real":
            return self.real(shape), shape, lambda name: None
        rule = self.rule()
        if kind == "whole":
            return self.whole(shape), shape, lambda name: None
        if kind == "between":
            made = self.node("QuantizeLinear", [self.real(shape), *rule])
            return made, shape, lambda name: self.node("DequantizeLinear", [name, *rule])
        made, behind = self.dequantized(self.whole(shape), rule), rule if self.chance(0.8) else self.rule()
        return made, shape, lambda name: self.node("QuantizeLinear", [name, *behind])

    def _Reshape(self, name: str) -> None:
        x, shape, behind = self.moved()
        rest, wanted = int(np.prod(shape)), list[int]()
        while rest > 1 or not wanted:
            size = self.one_of(*(n for n in range(1, rest + 1) if rest % n == 0))
            wanted.append(size)
            rest //= size
            if len(wanted) == 5:
                wanted[-1] *= rest
                break
        if self.chance(0.4):
            wanted[int(self.rng.integers(len(wanted)))] = -1
        for i, size in enumerate(wanted):
            if self.chance(0.3) and i < len(shape) and shape[i] == size:
                wanted[i] = 0
        behind(self.node(name, [x, self.constant(wanted, np.int64)]))

    def _Flatten(self, name: str) -> None:
        x, shape, behind = self.moved()
        low = -len(shape) if self.opset >= 11 else 0
        more: dict[str, Any] = {"axis": int(self.rng.integers(low, len(shape) + 1))} if self.chance(0.8) else {}
        behind(self.node(name, [x], **more))

    def _axes(self, name: str) -> None:
        x, shape, behind = self.moved()
        if name == "Squeeze":
            there = [i for i, size in enumerate(shape) if size == 1]
            axes = [i - len(shape) if self.opset >= 11 and self.chance(0.3) else i for i in there if self.chance(0.7)]
        else:
            count = int(self.rng.integers(1, 3))
            axes = [int(n) for n in self.rng.permutation(len(shape) + count)[:count]]
            if self.opset >= 11 and self.chance(0.3):
                axes = [n - len(shape) - count for n in axes]
        if not axes and name == "Squeeze":
            behind(self.node(name, [x]))
        elif self.opset < 13:
            behind(self.node(name, [x], axes=axes))
        else:
            behind(self.node(name, [x, self.constant(axes, np.int64)]))

    def _Transpose(self, name: str) -> None:
        x, shape, behind = self.moved()
        more: dict[str, Any] = {"perm": [int(n) for n in self.rng.permutation(len(shape))]} if self.chance(0.9) else {}
        behind(self.node(name, [x], **more))

    def _Identity(self, name: str) -> None:
        x, _, behind = self.moved()
        behind(self.node(name, [x]))

    def _Pad(self, name: str) -> None:
        x, shape, behind = self.moved()
        pads = self.numbers(0, 2, 2 * len(shape))
        value = float(np.float32(self.one_of(0, 1.5, -0.25, -np.inf, 1e-40, *self.rng.normal(size=2))))
        integers = (not x.startswith("t") and x in self.feeds and self.feeds[x].dtype != np.float32) or (
            self.nodes and self.nodes[-1].op_type == "QuantizeLinear")
        mode = {"mode": self.one_of("constant", "reflect")} if self.chance(0.2) else {}
        if self.opset < 11:
            more: dict[str, Any] = {"value": value} if self.chance(0.7) else {}
            behind(self.node(name, [x], pads=pads, **more, **mode))
            return
        held = self.constant(self.zero() if integers else value, self.dtype if integers else np.float32)
        behind(self.node(name, [x, self.constant(pads, np.int64), held if self.chance(0.7) else ""], **mode))

    def _join(self, name: str) -> None:
        shape = self.shape(1, 5)
        axis = int(self.rng.integers(-len(shape) if self.opset >= 11 else 0, len(shape)))
        names, rules = [], []
        real = name == "Concat" and self.chance(0.3)
        one = self.rule()
        for i in range(int(self.rng.integers(1, 4))):
            sizes = list(shape)
            sizes[axis] = int(self.rng.integers(1, 4))
            names.append(self.real(tuple(sizes), f"x{i}") if real else self.whole(tuple(sizes), f"x{i}"))
            rules.append(one if self.chance() else self.rule())
        if name == "QLinearConcat":
            rules = [rule if rule[1] else self.rule(left_out=False) for rule in rules]
            self.node(name, [*self.rule(left_out=False), *(part for each, rule in zip(names, rules, strict=True)
                                                           for part in (each, *rule))], axis=axis)
        elif real or self.chance(0.3):
            self.node(name, names, axis=axis)
        else:
            made = self.node(name, [self.dequantized(*pair) for pair in zip(names, rules, strict=True)], axis=axis)
            self.node("QuantizeLinear", [made, *(one if self.chance() else self.rule())])

    # ---- edges, and numbers as they are
    def _QuantizeLinear(self, name: str) -> None:
        self.node(name, [self.real(self.shape()), *self.rule()])

    def _DequantizeLinear(self, name: str) -> None:
        self.node(name, [self.whole(self.shape()), *self.rule()])

    def _DynamicQuantizeLinear(self, name: str) -> None:
        self.opset = max(self.opset, 11)
        self.node(name, [self.real(self.shape())], 3)

    def _Cast(self, name: str) -> None:
        w = self.constant(self.rng.integers(*self._ends(self.dtype), (4, 3)), self.dtype)
        self.opset = max(self.opset, 10)
        made = self.node("MatMulInteger", [self.whole((2, 4)), w])
        self.node(name, [made], to=self.one_of(1, 1, 1, 7))

    def _BatchNormalization(self, name: str) -> None:
        self.exact = False
        shape = self.shape(2, 5)
        parts = [self.constant(self.rng.uniform(0.1, 2, shape[1]), np.float32) for _ in range(4)]
        more: dict[str, Any] = {"epsilon": 0.01} if self.chance() else {}
        self.node(name, [self.real(shape), *parts], **more)

    def _shape_of(self, name: str) -> None:
        """A shape that is computed of another: Shape, Gather, Concat, Unsqueeze, Mul; used by a Reshape."""
        shape = self.shape(2, 5)
        made = self.node("Shape", [self.real(shape)])
        first = self.node("Gather", [made, self.constant(0, np.int64)], axis=0)
        first = self.node("Unsqueeze", [first], axes=[0]) if self.opset < 13 else self.node(
            "Unsqueeze", [first, self.constant([0], np.int64)])
        wanted = self.node("Concat", [first, self.constant([-1], np.int64)], axis=0)
        if name == "Sub":
            wanted = self.node("Sub", [wanted, self.constant([0, 0], np.int64)])
        self.node("Reshape", ["x", wanted])

    # ---- whole
    def model(self) -> bytes:
        helper, kinds = self.onnx.helper, self.onnx.TensorProto
        if any(one.op_type in ("QuantizeLinear", "DequantizeLinear") for one in self.nodes):
            self.opset = max(self.opset, 10)
            many = any(a.name == "axis" for one in self.nodes if one.op_type == "DequantizeLinear"
                       for a in one.attribute)
            self.opset = max(self.opset, 13 if many else 10)
        inputs = [helper.make_tensor_value_info(name, getattr(kinds, TYPES[one.dtype.name]), one.shape)
                  for name, one in self.feeds.items()]
        graph = helper.make_graph(self.nodes, "one", inputs, [
            helper.make_tensor_value_info(name, kinds.UNDEFINED, None) for name in self.results], self.constants)
        for one in graph.output:
            one.ClearField("type")
        made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset),
                                                       helper.make_opsetid("com.microsoft", 1)])
        made.ir_version = 8
        return bytes(made.SerializeToString())


_METHODS = {
    **dict.fromkeys(("Conv", "ConvInteger", "QLinearConv"), "conv"),
    **dict.fromkeys(("Gemm", "MatMul", "MatMulInteger", "QLinearMatMul", "QGemm"), "matrix"),
    **dict.fromkeys(("AveragePool", "MaxPool", "QLinearAveragePool"), "pool"),
    **dict.fromkeys(("GlobalAveragePool", "QLinearGlobalAveragePool"), "mean"),
    **dict.fromkeys(("Add", "Mul", "QLinearAdd", "QLinearMul"), "two"),
    **dict.fromkeys(("Relu", "QLinearSigmoid", "QLinearLeakyRelu", *BETWEEN_PAIRS, "LeakyRelu"), "curve"),
    **dict.fromkeys(("Softmax", "QLinearSoftmax"), "softmax"), **dict.fromkeys(("Squeeze", "Unsqueeze"), "axes"),
    **dict.fromkeys(("Concat", "QLinearConcat"), "join"), **dict.fromkeys(("Shape", "Gather", "Sub"), "shape_of"),
}
WORDS = sorted({*_METHODS, "Clip", "Reshape", "Flatten", "Transpose", "Identity", "Pad", "QuantizeLinear",
                "DequantizeLinear", "DynamicQuantizeLinear", "Cast", "BatchNormalization"})
