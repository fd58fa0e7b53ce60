"""What `.tflite` files leave out, or say in an older way: read as LiteRT reads it, and run to its bytes."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim.nn.formats import Model, tflite_bytes
from neonsim.nn.formats.tflite.read import read_tflite
from tests.needs import needs

needs("tflite", "flatbuffers", install="pip install 'neonsim[models]'")
needs("ai_edge_litert", install="pip install 'neonsim[outside]'")

pytestmark = pytest.mark.filterwarnings("ignore:.*runs (operator by operator|in segments)")
X, OUT = ns.Scheme(0.25, 3, "int8"), ns.Scheme(0.5, -4, "int8")
IMAGE = np.random.default_rng(3).integers(-128, 128, (1, 5, 6, 2)).astype(np.int8)


def _schema() -> Any:
    return importlib.import_module("ai_edge_litert.schema_py_generated")


def changed(data: bytes, change: Callable[[Any], object]) -> bytes:
    """The file with something else in it."""
    import flatbuffers

    schema = _schema()
    model = schema.ModelT.InitFromPackedBuf(data, 0)
    change(model)
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def compare(litert: Any, data: bytes, *given: np.ndarray, arithmetics: tuple[str, ...] = ("xnnpack", "tflite", "ruy")
            ) -> None:
    model = Model(read_tflite(data, "one"))
    for arithmetic in arithmetics:
        wanted = litert.run(litert.interpreter(data, arithmetic), list(given))
        for backend in ("reference", None):
            for found, there in zip(model.run(list(given), backend, arithmetic=arithmetic), wanted, strict=True):
                assert found.dtype == there.dtype and np.array_equal(found, there), (arithmetic, backend)


def _old_field_empty(model: Any) -> None:
    for code in model.operatorCodes:
        code.deprecatedBuiltinCode = 0


def _new_field_empty(model: Any) -> None:
    for code in model.operatorCodes:
        code.builtinCode = 0


@pytest.mark.parametrize("change", [_old_field_empty, _new_field_empty])
@pytest.mark.parametrize("word, inputs, options", [
    ("TANH", 1, None), ("SUB", 2, ("SubOptions", {})), ("QUANTIZE", 1, ("QuantizeOptions", {})),
])
def test_numbers_of_operators_in_one_field(litert: Any, word: str, inputs: int, options: Any, change: Any) -> None:
    out = ns.Scheme(1 / 128, 0, "int8") if word == "TANH" else OUT
    data = litert.one(word, [(IMAGE.shape, "int8", X)] * inputs, [(IMAGE.shape, "int8", out)], options)
    compare(litert, changed(data, change), *[IMAGE] * inputs)


@pytest.mark.parametrize("there", [True, False])
def test_constants_of_no_elements(litert: Any, there: bool) -> None:
    """A shape of nothing is that of a single value; its buffer is an empty one, or none."""
    data = litert.one("RESHAPE", [((1, 1), "int8", X), (np.zeros(0, np.int32), None)], [((), "int8", X)],
                      ("ReshapeOptions", {}), 1)
    if not there:
        data = changed(data, lambda model: setattr(model.subgraphs[0].tensors[1], "buffer", 0))
    compare(litert, data, np.array([[7]], np.int8))


@pytest.mark.parametrize("kind", ["Add", "Mul", "other"])
def test_options_that_are_not_there(litert: Any, kind: str) -> None:
    def change(model: Any) -> None:
        node = model.subgraphs[0].operators[0]
        if kind == "other":
            schema = _schema()
            node.builtinOptions, node.builtinOptionsType = schema.MulOptionsT(), schema.BuiltinOptions.MulOptions
            node.builtinOptions.fusedActivationFunction = 1
        else:
            node.builtinOptions, node.builtinOptionsType = None, 0

    word = "Add" if kind == "other" else kind
    data = litert.one(word.upper(), [(IMAGE.shape, "int8", X)] * 2, [(IMAGE.shape, "int8", OUT)],
                      (f"{word}Options", {"fusedActivationFunction": 1}))
    compare(litert, changed(data, change), IMAGE, IMAGE[:, ::-1].copy())


@pytest.mark.parametrize("activation", [0, 1])
@pytest.mark.parametrize("stride", [1, 2, 3])
@pytest.mark.parametrize("word", ["MAX_POOL_2D", "AVERAGE_POOL_2D"])
def test_windows_of_one_pixel(litert: Any, word: str, stride: int, activation: int) -> None:
    options = {"filterHeight": 1, "filterWidth": 1, "strideH": stride, "strideW": stride, "padding": 1,
               "fusedActivationFunction": activation}
    size = (1, -(-5 // stride), -(-6 // stride), 2)
    compare(litert, litert.one(word, [(IMAGE.shape, "int8", X)], [(size, "int8", X)], ("Pool2DOptions", options)),
            IMAGE)


@pytest.mark.parametrize("word", ["Max", "Min"])
def test_numbers_of_channels_of_64_bits(litert: Any, word: str) -> None:
    data = litert.one(f"ARG_{word.upper()}", [(IMAGE.shape, "int8", X), (np.array(-1, np.int32), None)],
                      [(IMAGE.shape[:3], "int64", None)], (f"Arg{word}Options", {"outputType": 4}))
    compare(litert, data, IMAGE)
    again = Model(read_tflite(tflite_bytes(Model(read_tflite(data, "one")).graph), "again"))
    assert np.array_equal(again.run(IMAGE)[0], Model(read_tflite(data, "one")).run(IMAGE)[0])


def test_sizes_of_64_bits(litert: Any) -> None:
    data = litert.one("SHAPE", [(IMAGE.shape, "int8", X)], [((4,), "int64", None)], ("ShapeOptions", {"outType": 4}), 1)
    compare(litert, data, IMAGE)


@pytest.mark.parametrize("way", ["shape", "signature"])
@pytest.mark.parametrize("batch", [None, 3])
def test_a_batch_that_is_left_open(litert: Any, tmp_path: Path, way: str, batch: int | None) -> None:
    data = litert.one("TANH", [((1, 8), "int8", X)], [((1, 8), "int8", ns.Scheme(1 / 128, 0, "int8"))])
    theirs = litert.interpreter(data)

    def change(model: Any) -> None:
        for tensor in model.subgraphs[0].tensors:
            setattr(tensor, "shape" if way == "shape" else "shapeSignature", [-1, 8])

    path = tmp_path / "open.tflite"
    path.write_bytes(changed(data, change))
    x = np.arange(8 * (batch or 1), dtype=np.int8).reshape(-1, 8)
    theirs.resize_tensor_input(theirs.get_input_details()[0]["index"], x.shape)
    theirs.allocate_tensors()
    model = ns.load_model(path, batch=batch)
    assert model.inputs[0].shape == x.shape
    assert np.array_equal(model.run(x)[0], litert.run(theirs, [x])[0])


def test_a_batch_that_is_said(litert: Any, tmp_path: Path) -> None:
    path = tmp_path / "said.tflite"
    path.write_bytes(litert.one("TANH", [((1, 8), "int8", X)], [((1, 8), "int8", ns.Scheme(1 / 128, 0, "int8"))]))
    with pytest.raises(ns.BadArgument, match=r"has its own batch, int8 \[1, 8\]: omit batch"):
        ns.load_model(path, batch=3)
