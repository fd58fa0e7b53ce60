"""`.tflite` written, read, run on every backend; and against LiteRT, whose bytes they must be, tensor by tensor."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim.cli import main
from neonsim.nn import ops
from neonsim.nn.backends.native import library
from neonsim.nn.formats import Model, tflite_bytes, write_tflite
from neonsim.nn.formats.ir import IRNode, StoredTensor
from neonsim.nn.formats.tflite.read import read_tflite
from neonsim.nn.graph import Graph
from neonsim.quant.tensor_type import elements
from tests.needs import needs

needs("tflite", install="pip install 'neonsim[models]'")

ROOT = Path(ns.__file__).parents[1]
# Files of others, Apache-2.0, where somebody has put them beside the checkout; none is in this repository.
FILES = sorted(path for folder in ROOT.parent.glob("*/data/models") for path in folder.glob("*.tflite"))
NATIVE = "native" if library.available() is None else "reference"
needs_files = pytest.mark.skipif(not FILES, reason="no real models beside this checkout: a folder */data/models")


def read(graph: Graph) -> Model:
    """Written and read again."""
    return Model(read_tflite(tflite_bytes(graph), "chance.tflite"))


@pytest.mark.filterwarnings("ignore:.*runs (operator by operator|in segments)")
@pytest.mark.parametrize("count", [25, pytest.param(400, marks=pytest.mark.nightly)])
def test_what_is_written_is_read_as_it_was(chance: Any, count: int) -> None:
    kinds = set()
    for seed in range(count):
        made = chance([1, seed])
        model, x = read(made.graph), made.input(seed)
        wanted = elements(made.graph.plan("reference").run(made.graph.tensors["input"].type.value(x)))
        for backend in ("reference", None):
            assert np.array_equal(model.run(x, backend)[0].reshape(wanted.shape), wanted), (seed, backend)
        assert not model.report().missing and sum(row.macs for row in model.report().rows) == made.graph.macs
        kinds |= {node.kind.split()[0] for node in made.graph}
    assert kinds >= {"conv", "depthwise", "addition", "average", "max", "concatenation", "padding", "clamp", "slice",
                     "transpose", "bilinear", "nearest", "constant", "multiplication", "maximum"}


def test_emulated(chance: Any) -> None:
    for seed in (4,):
        made = chance([2, seed], 4)
        model, x = read(made.graph), made.input(seed)
        graph = model.graph
        tensor = graph.tensors[graph.inputs[0]]
        found = elements(graph.plan(("emulated", "reference")).run(tensor.type.value(x)))
        assert np.array_equal(found.reshape(-1), model.run(x, "reference")[0].reshape(-1)), seed


QUICKLY_EMULATED = ("hello_world_int8",)


@needs_files
@pytest.mark.skipif(NATIVE != "native", reason=str(library.available()))
@pytest.mark.parametrize("path", [pytest.param(
    path, id=path.stem, marks=() if path.stem in QUICKLY_EMULATED else pytest.mark.nightly) for path in FILES])
def test_files_are_emulated_whole(path: Path) -> None:
    """Every tensor that NEON kernels of AArch64 write, from the text of the kernels, has the bytes of C."""
    model = ns.load_model(path)
    tensor = model.graph.tensors[model.graph.inputs[0]]
    info = np.iinfo(tensor.type.dtype)
    x = np.random.default_rng(8).integers(info.min, info.max + 1, tensor.shape, dtype=tensor.type.dtype)
    plans = [model.graph.plan("emulated"), model.graph.plan("native", keep=True)]
    for plan in plans:
        plan.run(tensor.type.value(x))
    for node in model.graph.nodes:
        emulated, native = (np.asarray(getattr(found, "values", found))
                            for found in (plan.tensor(node.name) for plan in plans))
        assert np.array_equal(emulated, native), node.name


@pytest.mark.filterwarnings("ignore:.*runs (operator by operator|in segments)")
@pytest.mark.nightly
def test_by_chance_against_litert(chance: Any, litert: Any) -> None:
    """Its XNNPACK delegate: equal to the last bit."""
    for seed in range(500):
        made = chance([3, seed])
        data, x = tflite_bytes(made.graph), made.input(seed)
        theirs = litert.interpreter(data)
        theirs.set_tensor(theirs.get_input_details()[0]["index"], x)
        theirs.invoke()
        found = theirs.get_tensor(theirs.get_output_details()[0]["index"])
        assert np.array_equal(Model(read_tflite(data, "chance")).run(x)[0], found), seed


@needs_files
@pytest.mark.nightly
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_tensor_of_real_models_against_litert(path: Path, litert: Any) -> None:
    model, (data, numbers) = ns.load_model(path), litert.all_seen(path.read_bytes())
    theirs, rng = litert.interpreter(data), np.random.default_rng(1)
    for run in range(10):
        x = [rng.integers(np.iinfo(t.dtype).min, np.iinfo(t.dtype).max + 1, t.shape).astype(t.dtype)
             for t in model.inputs]
        for detail, value in zip(theirs.get_input_details(), x, strict=True):
            theirs.set_tensor(detail["index"], value)
        theirs.invoke()
        for backend in (NATIVE, *(["reference"] if run == 0 else [])):
            model.run(x, backend, keep=True)
            for number in numbers:
                name = model.record.tensors[number].name
                assert np.array_equal(model.tensor(name), theirs.get_tensor(number)), (run, backend, name)


@pytest.mark.slow
@needs_files
def test_answers_of_real_models() -> None:
    from neonsim.nn.formats import answers, image_for

    there = {path.name: path for path in FILES}
    beside = FILES[0].parent
    model = ns.load_model(there["person_detect.tflite"])
    # What TensorFlow Lite Micro's own test asserts; the numbers are those of its interpreter, by its package.
    for picture, number, theirs in (("person.bmp", 1, [-113, 113]), ("no_person.bmp", 0, [57, -57])):
        x = image_for(beside / picture, model.inputs[0])
        assert answers(model.run(x)[0], model.outputs[0].scheme, ())[0].number == number
        assert model.run(x, arithmetic="tflite")[0].reshape(-1).tolist() == theirs
    model = ns.load_model(there["mobilenet_v2_1.0_224_quant.tflite"], beside / "imagenet_labels.txt")
    result = model.run(image_for(beside / "grace_hopper.bmp", model.inputs[0]))[0]
    assert answers(result, model.outputs[0].scheme, model.labels)[0].name == "military uniform"


@pytest.mark.slow
@needs_files
def test_the_page_shows_the_answer_of_a_picture(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
                                                ) -> None:
    text = (ROOT / "docs" / "models.md").read_text("utf-8")
    ((command, shown),) = re.findall(r"```\n\$ neonsim (.+)\n((?:.+\n)+)```", text)
    monkeypatch.chdir(FILES[0].parent)
    assert main(command.split()) == 0
    said = capsys.readouterr().out.splitlines()
    assert set(shown.splitlines()) <= set(said), said


# ---- what is refused -------------------------------------------------------------------------------------------------

def one_conv(**options: Any) -> Graph:
    graph = Graph("one", (1, 5, 5, 2), ns.Scheme(0.1, 3, "int8"))
    w = ns.Quantized(np.ones((3, 2, 2, 2), np.int8), 0.01)
    given = {"requantization": "fp32", **options}
    graph.add_node("y", ops.Conv2d(graph.scheme("input"), w, out=ns.Scheme(0.2, 0, "int8"), **given), "input")
    return graph


def test_what_cannot_be_written() -> None:
    leaky = Graph("leaky", (1, 4), ns.Scheme(0.1))
    leaky.add_node("y", ops.LeakyRelu(leaky.scheme("input"), slope=0.1, out=ns.Scheme(0.1)), "input")
    for graph, words in ((leaky, "of uint8 it is QNNPACK's"),
                         (one_conv(requantization="rndnu"), "y of one, conv 2x2: its requantization is 'rndnu'"),
                         (one_conv(output_min=-3), "limits of -3 to 127 are no activation")):
        with pytest.raises(ns.ModelError, match=words):
            tflite_bytes(graph)


def test_what_cannot_be_read(tmp_path: Path) -> None:
    right = tflite_bytes(one_conv())
    (tmp_path / "a.txt").write_bytes(right)
    for made, error, words in (
            (lambda: ns.load_model(tmp_path / "a.txt"), ns.BadArgument, "none of .tflite"),
            (lambda: ns.load_model(tmp_path / "none.tflite"), ns.BadArgument, "there is no file"),
            (lambda: read_tflite(b"", "x"), ns.ModelError, "x is not a .tflite file"),
            (lambda: read_tflite(right[:200], "x"), ns.ModelError, "x"),
            (lambda: read_tflite(right[:4] + b"TFL2" + right[8:], "x"), ns.ModelError, "bytes 4 to 7")):
        with pytest.raises(error, match=words):
            made()


def test_operators_that_are_missing() -> None:
    """The part before them still runs."""
    graph = one_conv()
    graph.add_node("z", ops.Convert(graph.scheme("y"), out=ns.Scheme(0.1, 1, "int8")), "y")
    graph.finish("z")
    data = tflite_bytes(graph)
    model = Model(read_tflite(data, "m.tflite"))
    record = model.record
    unknown = [replace(entry, kind="", word="EXOTIC") if entry.kind == "quantize" else entry for entry in record.nodes]
    model = Model(replace(record, nodes=tuple(unknown)))
    x = np.zeros((1, 5, 5, 2), np.int8)
    with pytest.raises(ns.ModelError, match=r"m.tflite: node 1, EXOTIC: this operator is not supported.*until=NAME"):
        model.run(x)
    assert np.array_equal(model.run(x, until="y")[0], read(one_conv()).run(x)[0])
    report = model.report()
    assert [row.operator for row in report.missing] == ["EXOTIC"] and "missing" in str(report)


def test_a_node_whose_result_the_file_says_otherwise() -> None:
    """What is made before that is seen is not run: not by itself, and not by what comes after it."""
    read_as = read(one_conv()).record
    said = replace(read_as.tensors[read_as.outputs[0]], shape=(1, 3, 4, 3))
    tensors = [said if tensor.name == said.name else tensor for tensor in read_as.tensors]
    last = StoredTensor("behind", (1, 4, 4, 3), "int8", said.scale, said.zero_point)
    relu = IRNode("relu", "RELU", len(read_as.nodes), read_as.outputs, (len(tensors),))
    model = Model(replace(read_as, tensors=(*tensors, last), nodes=(*read_as.nodes, relu), outputs=(len(tensors),)))
    assert [row.runs for row in model.report().missing] == ["missing"] * 2
    for until in (None, said.name, "behind"):
        with pytest.raises(ns.ModelError, match=r"node 0, CONV_2D: its result would be .*; the file says"):
            model.run(np.zeros((1, 5, 5, 2), np.int8), until=until)
        with pytest.raises(ns.ModelError, match="node 0, CONV_2D"):
            model.plan("reference", until=until)
    with pytest.raises(ns.ModelError, match="node 0, CONV_2D"):
        model.bind(np.zeros((1, 5, 5, 2), np.int8))


def test_a_constant_as_its_output() -> None:
    record = read(one_conv()).record
    constant = next(i for i, tensor in enumerate(record.tensors) if tensor.data is not None)
    with pytest.raises(ns.ModelError, match="is a constant: nothing is computed"):
        Model(replace(record, outputs=(constant,))).report()


def test_inputs_that_do_not_fit() -> None:
    model = read(one_conv())
    for x, words in ((np.zeros((1, 5, 5, 2), np.uint8), "got uint8"), (np.zeros((5, 5, 2), np.int8), r"\[5, 5, 2\]"),
                     ([np.zeros((1, 5, 5, 2), np.int8)] * 2, "takes 1 inputs; got 2")):
        with pytest.raises(ns.BadArgument, match=words):
            model.run(x)
    with pytest.raises(ns.BadArgument, match="no tensor 'nothing'"):
        model.run(np.zeros((1, 5, 5, 2), np.int8), until="nothing")


def test_round_trip_of_a_file(tmp_path: Path) -> None:
    path = write_tflite(one_conv(), tmp_path / "one.tflite")
    model = ns.load_model(path)
    model.run(np.full((1, 5, 5, 2), 7, np.int8), keep=True)
    assert model.tensor("y").shape == (1, 4, 4, 3) and "one.tflite" in repr(model)
