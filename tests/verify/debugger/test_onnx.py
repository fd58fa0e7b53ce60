"""Networks of .onnx: inputs, dumps, shapes and places are the file's, which puts channels first (ONNX Runtime)."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim.cli import main
from neonsim.errors import BadArgument
from neonsim.nn.formats import Model
from neonsim.nn.formats.onnx import read_onnx
from neonsim.verify.debugger.locations import place_at
from tests.nn.formats.onnx_chance import OnnxChance, theirs

onnx = pytest.importorskip("onnx", reason="needs the package onnx: pip install 'neonsim[models]'")
pytest.importorskip("onnxruntime", reason="the outside check needs ONNX Runtime: pip install 'neonsim[outside]'")
pytestmark = pytest.mark.filterwarnings("ignore:.*runs in segments", "ignore:.*runs operator by operator")

T = onnx.TensorProto
INPUTS = {"image": (1, 8, 8, 8), "row": (2, 3, 4), "film": (1, 2, 3, 4, 5)}


def _file() -> bytes:
    """Images, rows and a tensor of five axes; every quantised tensor is an output."""
    nodes: list[Any] = []
    constants: dict[str, Any] = {}
    rng = np.random.default_rng(3)

    def add(word: str, *inputs: Any, to: str, **attributes: Any) -> str:
        names = []
        for one in inputs:
            if not isinstance(one, str):
                constants[f"c{len(constants)}"] = one
                one = f"c{len(constants) - 1}"
            names.append(one)
        nodes.append(onnx.helper.make_node(word, names, [to], **attributes))
        return to

    rule = np.float32(0.05), np.int8(3)

    def real(name: str) -> str:
        return add("DequantizeLinear", name, *rule, to=f"{name} (real {len(nodes)})")

    def whole(name: str, to: str) -> str:
        return add("QuantizeLinear", name, *rule, to=to)

    def weights(shape: tuple[int, ...], axis: int) -> str:
        scale = rng.uniform(0.002, 0.01, shape[axis]).astype(np.float32)
        return add("DequantizeLinear", rng.integers(-127, 128, shape).astype(np.int8), scale,
                   np.zeros(shape[axis], np.int8), to=f"w{len(nodes)}", axis=axis)

    conv = whole(add("Conv", real("image"), weights((6, 8, 3, 3), 0), to="conv (real)", pads=[1, 1, 1, 1],
                     strides=[2, 1]), "conv")
    largest = add("MaxPool", conv, to="largest", kernel_shape=[2, 3])
    turned = add("Transpose", largest, to="turned", perm=[0, 2, 3, 1])
    whole(add("MatMul", real(add("Flatten", turned, to="flat")), weights((108, 5), 1), to="dense (real)"), "dense")
    whole(add("Mul", real(conv), real(conv), to="square (real)"), "square")
    whole(add("Sigmoid", real("row"), to="curve (real)"), "curve")
    add("Transpose", "film", to="turned film", perm=[4, 2, 0, 1, 3])
    add("Reshape", "film", np.array([2, 3, 5, 4]), to="picture")
    outputs = "conv", "largest", "turned", "flat", "dense", "square", "curve", "turned film", "picture"
    value = onnx.helper.make_tensor_value_info
    graph = onnx.helper.make_graph(
        nodes, "g", [value(name, T.INT8, shape) for name, shape in INPUTS.items()],
        [value(name, T.INT8, None) for name in outputs],
        [onnx.numpy_helper.from_array(np.asarray(one), name) for name, one in constants.items()])
    made = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 13)], ir_version=8)
    return bytes(made.SerializeToString())


def _inputs(seed: int = 0) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {name: rng.integers(-128, 128, shape).astype(np.int8) for name, shape in INPUTS.items()}


@pytest.fixture(scope="module")
def model() -> Model:
    return Model(read_onnx(_file(), "f.onnx"))


def test_shapes_are_the_files(model: Model) -> None:
    assert [one.shape for one in model.inputs] == list(INPUTS.values())
    wanted = theirs(_file(), _inputs())
    for tensor, found in zip(model.outputs, model.run(list(_inputs().values())), strict=True):
        assert tensor.shape == found.shape == wanted[tensor.name].shape
    assert not model.report().missing
    assert {row.result: row.shape for row in model.report().rows if row.result in wanted} == {
        name: one.shape for name, one in wanted.items()}
    w = next(entry for entry in model.record.nodes if entry.word == "Conv").inputs[1]
    assert w is not None and model.record.tensors[w].shape == (6, 8, 3, 3)


def test_every_element_is_the_runs(model: Model) -> None:
    """One by chance of each tensor."""
    given = _inputs(1)
    wanted, x = theirs(_file(), given), list(given.values())
    rng = np.random.default_rng(4)
    for name, one in {**wanted, "film": given["film"]}.items():
        at = tuple(int(rng.integers(size)) for size in one.shape)
        found = ns.explain_byte(model, x, f"{name}:{','.join(map(str, at))}")
        assert found.values == (one[at],) and found.place.index == at
        assert found.writer.agrees


def test_terms_and_moves_are_the_files(model: Model) -> None:
    """What is listed are elements of the file's arrays."""
    given = _inputs(1)
    wanted, x = theirs(_file(), given), list(given.values())
    told = str(ns.explain_byte(model, x, "conv:0,1,2,3"))
    weights = model.record.tensors[next(e for e in model.record.nodes if e.word == "Conv").inputs[1] or 0].data
    assert weights is not None
    _hold(told, given["image"], weights, 4)
    told = str(ns.explain_byte(model, x, "dense:0,2"))
    matrix = model.record.tensors[next(e for e in model.record.nodes if e.word == "MatMul").inputs[1] or 0].data
    assert matrix is not None and matrix.shape == (108, 5)
    _hold(told, wanted["flat"], matrix, 4)
    for at in ((0, 1, 2, 3), (0, 5, 0, 4)):
        said = re.search(r"x\[([\d,]+)\] = (-?\d+)", str(ns.explain_byte(
            model, x, f"largest:{','.join(map(str, at))}")))
        assert said is not None and wanted["conv"][tuple(map(int, said[1].split(",")))] == int(said[2])
    told = str(ns.explain_byte(model, x, "turned:0,1,2,3"))
    assert "its element [0, 3, 1, 2], moved to [0, 1, 2, 3] of 'turned'" in told
    told = str(ns.explain_byte(model, x, "turned film:4,2,0,1,3"))
    assert "its element [0, 1, 2, 3, 4], moved to [4, 2, 0, 1, 3]" in told
    assert "of a [1, 6, 4, 8], b [1, 6, 4, 8]" in str(ns.explain_byte(model, x, "square:0,1,2,3"))


def _hold(told: str, x: np.ndarray, w: np.ndarray, least: int) -> None:
    """x[...] and w[...] of a text are elements of these arrays."""
    found = re.findall(r"x\[([\d,]+)\] = (-?\d+), w\[([\d,]+)\] = (-?\d+)", told)
    assert len(found) >= least
    for x_at, x_is, w_at, w_is in found:
        assert x[tuple(map(int, x_at.split(",")))] == int(x_is) and w[tuple(map(int, w_at.split(",")))] == int(w_is)


def test_the_runtimes_own_tensors_are_equal_and_one_changed_is_found(model: Model, tmp_path: Path) -> None:
    """By default: nobody says whose rules."""
    given = _inputs(2)
    dump, x = theirs(_file(), given), list(given.values())
    found = ns.explain_difference(model, x, b=dump)
    assert found and len(found.layers) == 9 and found.names[0] == "onnxruntime"
    assert {one.tensor: one.shape for one in found.layers} == {name: one.shape for name, one in dump.items()}
    for name, at in (("conv", (0, 4, 1, 6)), ("turned", (0, 1, 2, 3)), ("curve", (1, 2, 3)),
                     ("picture", (1, 2, 3, 1)), ("turned film", (1, 2, 0, 1, 3))):
        other = {**dump, name: dump[name].copy()}
        other[name][at] ^= 1
        found = ns.explain_difference(model, x, b=other)
        assert not found and found.first is not None
        assert (found.first.place.name, found.first.place.index) == (name, at)
        assert found.first.values == (dump[name][at], other[name][at])
    swapped = {**dump, "conv": dump["conv"][:, [0, 1, 4, 3, 2, 5]]}
    assert "channel 2 holds what is channel 4 here" in str(ns.explain_difference(model, x, b=swapped))
    asked = ns.explain_difference(model, None, b={**dump, **given}, at="conv:3,2,1").first
    assert asked is not None and asked.values == (dump["conv"][0, 3, 2, 1],) * 2
    with pytest.raises(BadArgument, match=r"has shape \[1, 4, 8, 6\], 'conv' has \[1, 6, 4, 8\]"):
        ns.explain_difference(model, x, b={"conv": np.ascontiguousarray(dump["conv"].transpose(0, 2, 3, 1))})


def test_a_dump_whose_channels_come_last_is_said_to_be_one(model: Model) -> None:
    dump, x = theirs(_file(), _inputs(3)), list(_inputs(3).values())
    last = np.ascontiguousarray(dump["conv"].transpose(0, 2, 3, 1)).reshape(dump["conv"].shape)
    found = ns.explain_difference(model, x, b={"conv": last})
    assert found.first is not None and "channels last (NHWC) and read as if they came first" in found.first.cause


def test_defaults_and_other_files(model: Model) -> None:
    x = list(_inputs().values())
    found = ns.explain_difference(model, x)
    assert found and "onnxruntime was compared with itself: give b" in str(found)
    assert ns.count_differences(model, [x, list(_inputs(1).values())])
    other = onnx.ModelProto.FromString(_file())
    held = next(one for one in other.graph.initializer if one.dims == [6, 8, 3, 3])
    changed = onnx.numpy_helper.to_array(held).copy()
    changed[2, 5, 1, 0] ^= 0x40
    held.CopyFrom(onnx.numpy_helper.from_array(changed, held.name))
    found = ns.explain_difference(model, x, b=Model(read_onnx(other.SerializeToString(), "g.onnx")))
    wanted = np.argwhere(theirs(_file(), _inputs())["conv"] != theirs(other.SerializeToString(), _inputs())["conv"])
    assert found.first is not None and found.first.place.index == tuple(wanted[0])
    assert "first w[2,5,1,0]" in found.first.cause


def test_places(model: Model) -> None:
    assert place_at(model, "conv:5,3,7").index == (0, 5, 3, 7)
    with pytest.raises(BadArgument, match=r"is outside 'conv', which has shape \[1, 6, 4, 8\]"):
        place_at(model, "conv:3,7,5")
    with pytest.raises(BadArgument, match="channel, row, column"):
        place_at(model, "conv")


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = _inputs()
    dump = theirs(_file(), given)
    (tmp_path / "f.onnx").write_bytes(_file())
    np.savez(tmp_path / "dump.npz", allow_pickle=False, **dump)
    words = ["explain", str(tmp_path / "f.onnx")]
    for name, one in given.items():
        np.save(tmp_path / f"{name}.npy", one)
        words += ["--npy", str(tmp_path / f"{name}.npy")]
    assert main([*words, "--against", str(tmp_path / "dump.npz")]) == 0
    assert "have the same bytes in all 9 tensors compared" in capsys.readouterr().out
    assert main([*words, "--at", "conv:1,2,3", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["index"] == [0, 1, 2, 3] and said["ways"][0]["value"] == dump["conv"][0, 1, 2, 3]


@pytest.mark.parametrize("first, count", [(0, 4), pytest.param(100, 150, marks=pytest.mark.nightly)])
def test_graphs_by_chance(first: int, count: int) -> None:
    """Every tensor of ONNX Runtime's run is equal; an element of each is explained."""
    for seed in range(first, first + count):
        made = OnnxChance([38, seed], bool(seed % 2))
        if made.dtype != made.weight:
            continue    # uint8 by int8 saturates there on some processors
        data, x = made.model(every=True), made.input(seed)
        dump, model = theirs(data, {"x": x}), Model(read_onnx(data, "chance.onnx"))
        assert ns.explain_difference(model, x, b=dump), seed
        name = list(made.kept)[-1]
        if name in dump:
            at = tuple(int(made.rng.integers(size)) for size in dump[name].shape)
            assert ns.explain_byte(model, x, f"{name}:{','.join(map(str, at))}").values == (dump[name][at],), seed
