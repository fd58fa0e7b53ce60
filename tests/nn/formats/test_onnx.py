"""`.onnx` read and run: every tensor has the bytes of ONNX Runtime; what it cannot be is said in a sentence.

Where weights are int8 and activations uint8, processors without VNNI add with saturation there (M35): on them such
graphs are left out of the comparison.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim.errors import BadArgument, ModelError, NeonsimError
from neonsim.nn.backends.native import library
from neonsim.nn.formats import Model, image_for
from neonsim.nn.formats.onnx import read_onnx
from neonsim.nn.graph import OperatorPlan
from neonsim.nn.graph.plan.partition import SegmentPlan

from .onnx_chance import OnnxChance, integer_graph, theirs

onnx = pytest.importorskip("onnx", reason="needs the package onnx: pip install 'neonsim[models]'")
NATIVE = "native" if library.available() is None else "reference"
pytestmark = pytest.mark.filterwarnings("ignore:.*runs operator by operator")


def exact() -> bool:
    """Does ONNX Runtime multiply uint8 by int8 exactly here?"""
    cpu = Path("/proc/cpuinfo")
    return cpu.is_file() and "vnni" in cpu.read_text()


def read(data: bytes) -> Model:
    return Model(read_onnx(data, "chance.onnx"))


@pytest.mark.parametrize("count, first", [(10, 0), pytest.param(250, 1000, marks=pytest.mark.nightly)])
def test_by_chance_against_onnx_runtime(count: int, first: int) -> None:
    """Both forms, every quantised tensor, reference and the fastest: equal to the last bit."""
    pytest.importorskip("onnxruntime", reason="the outside check needs ONNX Runtime: pip install 'neonsim[outside]'")
    kinds, compared = set(), 0
    for seed in range(first, first + count):
        for pairs in (False, True):
            made = OnnxChance([11, seed], pairs)
            if made.dtype != made.weight and not exact():
                continue
            data, x = made.model(every=True), made.input(seed)
            wanted = theirs(data, {"x": x})
            model = read(data)
            assert not model.report().missing, (seed, pairs)
            kinds |= {entry.word.rpartition(".")[2] for entry in model.record.nodes}
            for backend in ("reference", None):
                for tensor, found in zip(model.outputs, model.run(x, backend), strict=True):
                    assert np.array_equal(found, wanted[tensor.name]), (seed, pairs, backend, tensor.name)
                    assert found.dtype == wanted[tensor.name].dtype
                    compared += found.size
    assert compared > 4_000 * count
    assert kinds >= {"QLinearConv", "QLinearAdd", "QLinearAveragePool", "Conv", "Add", "AveragePool", "MaxPool"}
    if count > 100:
        assert kinds >= {"QLinearMatMul", "QGemm", "QLinearGlobalAveragePool", "QLinearMul", "QLinearConcat",
                         "QLinearSigmoid", "QLinearLeakyRelu", "MatMul", "Gemm", "GlobalAveragePool", "Mul", "Concat"}


@pytest.mark.parametrize("count, first", [(10, 0), pytest.param(250, 1000, marks=pytest.mark.nightly)])
def test_integers_and_schemes_found_at_run_time(count: int, first: int) -> None:
    """ConvInteger, MatMulInteger, DynamicQuantizeLinear, and the real numbers between: all equal."""
    pytest.importorskip("onnxruntime", reason="the outside check needs ONNX Runtime: pip install 'neonsim[outside]'")
    if not exact():
        pytest.skip("uint8 by int8 saturates in ONNX Runtime on this processor")
    kinds = set()
    for seed in range(first, first + count):
        data, x = integer_graph([14, seed])
        wanted, model = theirs(data, {"x": x}), read(data)
        assert not model.report().missing, (seed, model.report().missing[0].reason)
        kinds |= {entry.word for entry in model.record.nodes}
        for tensor, found in zip(model.outputs, model.run(x), strict=True):
            assert found.dtype == wanted[tensor.name].dtype and found.shape == wanted[tensor.name].shape
            assert np.array_equal(found, wanted[tensor.name]), (seed, tensor.name)
    assert kinds >= {"ConvInteger", "MatMulInteger", "DynamicQuantizeLinear"}


def _moves() -> list[tuple[str, list[str], dict[str, Any]]]:
    """Nodes on what is quantised already: word, inputs, attributes."""
    return [
        *(("Transpose", ["q"], {"perm": list(axes)}) for axes in ((0, 2, 3, 1), (3, 1, 0, 2), (1, 0, 2, 3))),
        *(("Reshape", ["q", shape], {}) for shape in ("flat", "deep", "rows", "kept", "more")),
        ("Flatten", ["q"], {"axis": 2}), ("Flatten", ["q"], {"axis": 0}), ("Identity", ["q"], {}),
        ("Unsqueeze", ["q", "axes"], {}), ("Pad", ["q", "pads", "z"], {}),
        *(("Concat", ["q", "q"], {"axis": axis}) for axis in (0, 1, 2, 3, -1)),
        ("MaxPool", ["q"], {"kernel_shape": [2, 3], "strides": [2, 2], "ceil_mode": 1}),
        ("MaxPool", ["q"], {"kernel_shape": [2, 2], "dilations": [2, 1]}),
        ("MaxPool", ["q"], {"kernel_shape": [3, 2], "strides": [2, 2], "pads": [1, 0, 1, 1], "ceil_mode": 1}),
        ("MaxPool", ["q"], {"kernel_shape": [3, 3], "strides": [2, 3], "auto_pad": "SAME_LOWER"}),
        ("MaxPool", ["q"], {"kernel_shape": [1, 1], "strides": [2, 3]}),
    ]


@pytest.mark.parametrize("dtype", ["uint8", "int8"])
def test_moves_and_windows(dtype: str) -> None:
    pytest.importorskip("onnxruntime", reason="the outside check needs ONNX Runtime: pip install 'neonsim[outside]'")
    node, shape = onnx.helper.make_node, [2, 3, 5, 4]
    x = np.random.default_rng(3).normal(0, 20, shape).astype(np.float32)
    constants: dict[str, Any] = {
        "s": np.float32(0.5), "z": np.array(3, dtype), "flat": np.array([-1]), "deep": np.array([3, 2, 4, 5]),
        "rows": np.array([2, 3, 20]), "kept": np.array([0, -1, 2, 2]), "more": np.array([2, 3, 5, 2, 2]),
        "axes": np.array([1]), "pads": np.array([0, 1, 0, 2, 0, 0, 3, 1])}
    for word, inputs, attributes in _moves():
        data = written([node("QuantizeLinear", ["x", "s", "z"], ["q"]), node(word, inputs, ["y"], **attributes),
                        node("DequantizeLinear", ["y", "s", "z"], ["r"])],
                       [tensor("x", "float", shape)], [tensor("r", "float", None), tensor("y", dtype, None)],
                       **constants)
        wanted, model = theirs(data, {"x": x}), read(data)
        assert not model.report().missing, (word, inputs, attributes, model.report().missing[0].reason)
        for backend in ("reference", None):
            found = model.run(x, backend)
            for one, name in zip(found, ("r", "y"), strict=True):
                assert one.shape == wanted[name].shape and np.array_equal(one, wanted[name]), (word, inputs, attributes)


@pytest.mark.parametrize("dtype", ["uint8", "int8"])
def test_curves_and_single_values(dtype: str) -> None:
    """Between pairs, and as words of integers."""
    pytest.importorskip("onnxruntime", reason="the outside check needs ONNX Runtime: pip install 'neonsim[outside]'")
    node, ours = onnx.helper.make_node, {"domain": "com.microsoft"}
    x = np.random.default_rng(3).normal(0, 9, [2, 3, 5, 4]).astype(np.float32)
    low = np.iinfo(dtype).min
    constants: dict[str, Any] = {"s": np.float32(0.25), "z": np.array(low + 120, dtype), "t": np.float32(0.37),
                 "u": np.array(low + 99, dtype), "v": np.float32(1 / 256), "w": np.array(low, dtype),
                 "one": np.array([low + 77], dtype), "lo": np.float32(-3.1), "hi": np.float32(7.3)}
    x_, out, single = ["q", "s", "z"], ["t", "u"], ["one", "t", "z"]
    pairs: list[tuple[str, list[str], dict[str, Any]]] = [
        ("Relu", ["r"], {}), ("Clip", ["r", "lo", "hi"], {}), ("Clip", ["r", "lo"], {}), ("Sigmoid", ["r"], {}),
        ("LeakyRelu", ["r"], {"alpha": 0.3}), ("GlobalAveragePool", ["r"], {}),
        ("AveragePool", ["r"], {"kernel_shape": [3, 3], "strides": [2, 2], "ceil_mode": 1})]
    words: list[tuple[list[Any], str]] = [
        *(([node("DequantizeLinear", x_, ["r"]), node(word, inputs, ["f"], **more),
            node("QuantizeLinear", ["f", *out], ["y"])], word) for word, inputs, more in pairs),
        ([node("QLinearAdd", [*x_, *single, *out], ["y"], **ours)], "sum"),
        ([node("QLinearAdd", [*single, *x_, *out], ["y"], **ours)], "sum the other way"),
        ([node("QLinearMul", [*x_, *single, *out], ["y"], **ours)], "product"),
        ([node("QLinearGlobalAveragePool", [*x_, *x_[1:]], ["m"], **ours),
          node("QLinearMul", [*x_, "m", *x_[1:], *out], ["y"], **ours)], "channels times their means"),
        ([node("Flatten", ["q"], ["m"]), node("QLinearSoftmax", ["m", *x_[1:], "v", "w"], ["y"], axis=-1, opset=13,
                                              **ours)], "shares"),
    ]
    for nodes, what in words:
        data = written([node("QuantizeLinear", ["x", "s", "z"], ["q"]), *nodes], [tensor("x", "float", x.shape)],
                       [tensor("y", dtype, None)], **constants)
        wanted, model = theirs(data, {"x": x}), read(data)
        assert not model.report().missing, (what, model.report().missing[0].reason)
        for backend in ("reference", None):
            assert np.array_equal(model.run(x, backend)[0], wanted["y"]), (what, dtype, backend)


def test_emulated() -> None:
    """int8 graphs on NEON kernels where there are such."""
    done = 0
    for seed in range(40):
        made = OnnxChance([12, seed], bool(seed % 2), nodes=2)
        if made.dtype != "int8" or made.weight != "int8" or made.real_input:
            continue
        model, x = read(made.model()), made.input(seed)
        graph = model.graph
        tensor = graph.tensors["x"]
        given = tensor.type.value(np.ascontiguousarray(x.transpose(0, 2, 3, 1)))
        assert np.array_equal(np.asarray(getattr((y := graph.plan(("emulated", "reference")).run(given)), "values", y)),
                              np.asarray(getattr((z := graph.plan("reference").run(given)), "values", z))), seed
        done += 1
        if done == 2:
            return
    raise AssertionError("no such graph")


# ---- files by hand
def tensor(name: str, dtype: str, shape: Any) -> Any:
    return onnx.helper.make_tensor_value_info(name, getattr(onnx.TensorProto, dtype.upper()), shape)


def written(nodes: list[Any], inputs: list[Any], outputs: list[Any], opset: int = 17, **constants: Any) -> bytes:
    graph = onnx.helper.make_graph(nodes, "g", inputs, outputs, [
        onnx.numpy_helper.from_array(value, name) for name, value in constants.items()])
    model = onnx.helper.make_model(graph, opset_imports=[
        onnx.helper.make_opsetid("", opset), onnx.helper.make_opsetid("com.microsoft", 1)])
    model.ir_version = 9
    return bytes(model.SerializeToString())


ONE: dict[str, Any] = {"s": np.float32(0.5), "z": np.uint8(3)}


def flat(shape: Any) -> bytes:
    """Quantised, reshaped."""
    node = onnx.helper.make_node
    return written([node("QuantizeLinear", ["x", "s", "z"], ["q"]), node("Reshape", ["q", "to"], ["y"]),
                    node("DequantizeLinear", ["y", "s", "z"], ["r"])],
                   [tensor("x", "float", shape)], [tensor("r", "float", None)], to=np.array([0, -1]), **ONE)


def test_the_order_of_elements_is_that_of_the_file() -> None:
    x = np.arange(2 * 3 * 4 * 5, dtype=np.float32).reshape(2, 3, 4, 5)
    model = read(flat([2, 3, 4, 5]))
    assert model.inputs[0].shape == (2, 3, 4, 5) and str(model.inputs[0]) == "float32 [2, 3, 4, 5]"
    assert np.array_equal(model.run(x, keep=True)[0], x.reshape(2, -1))
    assert model.tensor("q").shape == (2, 3, 4, 5)
    assert np.array_equal(model.tensor("q").reshape(-1), np.minimum(x.reshape(-1) * 2 + 3, 255).astype(np.uint8))


def test_pictures_go_in_and_are_shown_with_their_channels_last(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image", reason="needs the package pillow: pip install 'neonsim[models]'")
    pixels = np.random.default_rng(2).integers(0, 256, (6, 5, 3)).astype(np.uint8)
    pixels[0, 0], pixels[0, 1] = 0, 255
    image.fromarray(pixels).save(tmp_path / "p.png")
    model = read(flat([1, 3, 6, 5]))
    x = image_for(tmp_path / "p.png", model.inputs[0])
    assert np.array_equal(x, (pixels.transpose(2, 0, 1)[np.newaxis] - np.float32(127.5)) / np.float32(127.5))
    assert np.array_equal(model.run(x).image, pixels)


def test_sizes_that_are_open() -> None:
    assert read(flat(["batch", 3, 2, 2])).inputs[0].shape == (1, 3, 2, 2)
    with pytest.raises(ModelError, match="'wide'"):
        read(flat([1, 3, 2, "wide"]))
    assert Model(read_onnx(flat(["n", 3, 2, "wide"]), "f", {"wide": 7, "n": 2})).inputs[0].shape == (2, 3, 2, 7)


def test_what_is_not_there_is_said() -> None:
    node, x, y = onnx.helper.make_node, [tensor("x", "float", [1, 2, 4, 4])], [tensor("y", "float", None)]
    model = read(written([node("QuantizeLinear", ["x", "s", "z"], ["q"]), node("DequantizeLinear", ["q", "s", "z"],
                         ["r"]), node("Sigmoid", ["r"], ["y"])], x, y, **ONE))
    with pytest.raises(ModelError, match="node 2, Sigmoid: there is no Sigmoid of float32"):
        model.run(np.zeros((1, 2, 4, 4), np.float32))
    assert model.run(np.zeros((1, 2, 4, 4), np.float32), until="q")[0].tolist() == np.full((1, 2, 4, 4), 3).tolist()
    assert [row.operator for row in model.report().missing] == ["Sigmoid"]
    branch = onnx.helper.make_graph([node("Identity", ["x"], ["b"])], "b", [], [tensor("b", "float", None)])
    looped = read(written([node("If", ["c"], ["y"], then_branch=branch, else_branch=branch)], x, y, c=np.array(True)))
    assert "network of its own" in looped.report().missing[0].reason
    strange = read(written([node("Magic", ["x"], ["y"], domain="other.domain")], x, y))
    assert "'other.domain'" in strange.report().missing[0].reason


@pytest.mark.parametrize("change, said", [
    (lambda m: m.graph.node[0].input.__setitem__(0, "r"), "written after it"),
    (lambda m: m.graph.node[0].input.__setitem__(0, "nobody"), "which nothing writes"),
    (lambda m: m.graph.node[1].output.__setitem__(0, "q"), "there already"),
    (lambda m: m.opset_import[0].__setattr__("version", 99), "version 99"),
    (lambda m: m.graph.initializer[0].dims.extend([1 << 40, 1 << 40]), "too many"),
    (lambda m: m.graph.initializer[0].dims.append(7), "takes 112 bytes"),
    (lambda m: m.graph.input[0].type.tensor_type.shape.dim[1].__setattr__("dim_value", 1 << 50), "which no tensor has"),
    (lambda m: m.ClearField("graph"), "has no network"),
    (lambda m: m.graph.output[0].__setattr__("name", "nowhere"), "nothing writes its output"),
])
def test_files_that_are_wrong(change: Any, said: str) -> None:
    model = onnx.ModelProto.FromString(flat([1, 3, 2, 2]))
    change(model)
    with pytest.raises(NeonsimError, match=said):
        read(model.SerializeToString()).run(np.zeros((1, 3, 2, 2), np.float32))


def test_constants_outside(tmp_path: Path) -> None:
    model = onnx.ModelProto.FromString(flat([1, 3, 2, 2]))
    to = next(one for one in model.graph.initializer if one.name == "to")
    (tmp_path / "inside").mkdir()
    (tmp_path / "secret").write_bytes(b"\0" * 16)
    (tmp_path / "inside" / "weights").write_bytes(to.raw_data)
    path = tmp_path / "inside" / "m.onnx"
    for place, said in (("weights", ""), ("../secret", "not a file in the model's folder"),
                        ("none", "not a file in the"), (str(tmp_path / "secret"), "not a file in the model's folder")):
        onnx.external_data_helper.set_external_data(to, place)
        bare = onnx.ModelProto.FromString(model.SerializeToString())
        next(one for one in bare.graph.initializer if one.name == "to").ClearField("raw_data")
        path.write_bytes(bare.SerializeToString())
        with pytest.raises(ModelError, match="external=True"):
            ns.load_model(path)
        if said:
            with pytest.raises(ModelError, match=said):
                ns.load_model(path, external=True)
        else:
            assert ns.load_model(path, external=True).outputs[0].shape == (1, 12)
    with pytest.raises(BadArgument, match="Omit sizes and external"):
        (tmp_path / "m.tflite").write_bytes(b"")
        ns.load_model(tmp_path / "m.tflite", external=True)


def test_constants_that_many_nodes_name_are_not_copied_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("neonsim.nn.formats.onnx.convert.MAX_MODEL_BYTES", 100_000)
    node = onnx.helper.make_node
    model = read(written([*(node("DequantizeLinear", ["w", "s"], [f"r{i}"]) for i in range(20)),
                          node("QuantizeLinear", ["x", "s"], ["y"])], [tensor("x", "float", [2])],
                         [tensor("y", "uint8", None)], w=np.zeros(10_000, np.uint8), s=np.float32(0.5)))
    assert "take more than 200,000 bytes" in model.report().missing[0].reason


def test_many_fields_are_refused_before_they_are_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("neonsim.nn.formats.onnx.read.MAX_FIELDS", 1000)
    nodes = b"\x0a\x00" * 1000
    with pytest.raises(ModelError, match="more than 1,000 fields"):
        read(b"\x3a\xd0\x0f" + nodes)


@pytest.mark.parametrize("many", [False, True])
def test_weights_that_the_file_holds_as_real_numbers(many: bool) -> None:
    """Quantised and back while reading: in integers where the result is quantised, in real numbers where not."""
    pytest.importorskip("onnxruntime", reason="the outside check needs ONNX Runtime: pip install 'neonsim[outside]'")
    node, rng = onnx.helper.make_node, np.random.default_rng(8)
    w = rng.normal(size=(6, 3, 3, 3)).astype(np.float32)
    scale = (np.abs(w).max(axis=(1, 2, 3)) / 127 if many else np.abs(w).max() / 127).astype(np.float32)
    zero = np.zeros(scale.shape, np.int8)
    nodes = [node("QuantizeLinear", ["x", "s", "z"], ["q"]), node("DequantizeLinear", ["q", "s", "z"], ["r"]),
             node("QuantizeLinear", ["w", "ws", "wz"], ["wq"], axis=0),
             node("DequantizeLinear", ["wq", "ws", "wz"], ["wr"], axis=0), node("Conv", ["r", "wr"], ["c"])]
    constants: dict[str, Any] = {"s": np.float32(0.02), "z": np.int8(5), "w": w, "ws": scale, "wz": zero,
                                 "t": np.float32(0.1)}
    x = rng.normal(size=(1, 3, 8, 8)).astype(np.float32)
    data = written([*nodes, node("QuantizeLinear", ["c", "t", "z"], ["y"])], [tensor("x", "float", x.shape)],
                   [tensor("y", "int8", None)], **constants)
    model = read(data)
    assert model.record.nodes[4].kind == "conv2d" and [n.kind for n in model.graph][:2] == ["quantization", "conv 3x3"]
    assert np.array_equal(model.run(x)[0], theirs(data, {"x": x})["y"])
    data = written(nodes, [tensor("x", "float", x.shape)], [tensor("c", "float", None)], **constants)
    assert np.allclose(read(data).run(x)[0], theirs(data, {"x": x})["c"], atol=1e-5)


def test_real_numbers(tmp_path: Path) -> None:
    """What is not between pairs: in single precision, added up in an order of our own."""
    pytest.importorskip("onnxruntime", reason="the outside check needs ONNX Runtime: pip install 'neonsim[outside]'")
    from .onnx_resnet import resnet50
    resnet50(tmp_path / "real.onnx", 32, (1, 1))
    x = np.random.default_rng(1).normal(0, 1, (1, 3, 32, 32)).astype(np.float32)
    model = ns.load_model(tmp_path / "real.onnx")
    wanted, = theirs((tmp_path / "real.onnx").read_bytes(), {"x": x}).values()
    assert not model.report().missing
    assert np.allclose(model.run(x)[0], wanted, rtol=1e-3, atol=1e-4 * float(np.abs(wanted).max()))


@pytest.mark.nightly
@pytest.mark.parametrize("size", [64, 224])
def test_resnet50_as_onnxruntime_quantizes_it(size: int, tmp_path: Path) -> None:
    """Both forms, uint8 and int8, weights int8 with a scale per channel: every quantised tensor, run natively."""
    pytest.importorskip("onnxruntime", reason="the outside check needs ONNX Runtime: pip install 'neonsim[outside]'")
    from .onnx_resnet import quantized, resnet50
    resnet50(tmp_path / "real.onnx", size)
    x = np.random.default_rng(1).normal(0, 1, (1, 3, size, size)).astype(np.float32)
    for pairs, signed in ((True, False), (False, False), (True, True), (False, True)):
        if not signed and not exact():
            continue
        data = quantized(tmp_path / "real.onnx", tmp_path / "small.onnx", pairs, signed, size)
        wanted, model = theirs(data, {"x": x}), read(data)
        assert len(model.report().missing) == 0 and len(model.outputs) > 70
        plan = model.plan()
        for tensor, found in zip(model.outputs, model.run(x), strict=True):
            assert np.array_equal(found, wanted[tensor.name]), (pairs, signed, tensor.name)
        if NATIVE == "native":
            assert isinstance(plan, OperatorPlan | SegmentPlan)
            products = [node.name for node in plan.graph if node.kind.startswith(("conv", "fully"))]
            assert len(products) == 54 and all(plan.backends[name] == "native" for name in products)
