"""Activations of the table: each is written to .tflite, .onnx and .npz, and is the same when it is read again."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from neonsim.nn.formats import Model, npz_bytes, onnx_bytes, read_npz, tflite_bytes, write_npz
from neonsim.nn.formats.ir import ModelIR
from neonsim.nn.formats.onnx import read_onnx
from neonsim.nn.formats.tflite.read import read_tflite
from neonsim.nn.graph import Graph
from neonsim.nn.ops import Operator
from neonsim.nn.ops.arithmetics.onnxruntime import OrtActivation
from neonsim.nn.ops.quantized.lut import ACTIVATIONS
from neonsim.quant.reference.lut_functions import SOFT_SCHEMES
from neonsim.quant.scheme import Scheme
from tests.needs import needs

SOFT = {"LOGISTIC": "sigmoid", "TANH": "tanh"}      # whose results have one scheme
ATTRIBUTES = {"LEAKY_RELU": {"slope": 0.2, "requantization": "q8"}}     # what the operator must be given


def _written(operator: Operator) -> tuple[Graph, NDArray[np.integer]]:
    """A graph of one operator, and every byte."""
    x = operator.schemes[0]
    graph = Graph("one", (1, 256), x)
    graph.finish(graph.add_node("node", operator, "input"))
    info = np.iinfo(x.dtype)
    every = np.arange(info.min, info.max + 1).astype(x.dtype).reshape(1, 256)
    assert len(np.unique(operator.reference(every))) > 8, "a curve, not a constant"
    return graph, every


def _again(record: ModelIR, every: NDArray[np.integer]) -> NDArray[np.integer]:
    found, = Model(record).run(every, "reference")
    return np.asarray(found)


@pytest.mark.parametrize("word, dtype", [(word, dtype) for word, row in ACTIVATIONS.items() for dtype in row.dtypes])
def test_written_to_tflite_and_read_again(word: str, dtype: str, tmp_path: Path) -> None:
    needs("tflite", install="pip install 'neonsim[models]'")
    low = np.iinfo(dtype).min
    x, out = Scheme(0.05, low + 131, dtype), Scheme(0.031, low + 123, dtype)
    if word in SOFT:
        out = Scheme(*SOFT_SCHEMES[SOFT[word], dtype], dtype)
    operator = ACTIVATIONS[word].operator(x, out=out, **ATTRIBUTES.get(word, {}))
    graph, every = _written(operator)
    assert np.array_equal(_again(read_tflite(tflite_bytes(graph), "one"), every), operator.reference(every))
    saved = read_npz(write_npz(graph, tmp_path / "one.npz"))
    assert type(saved.nodes[0].operator) is type(operator) and npz_bytes(saved) == npz_bytes(graph)


@pytest.mark.parametrize("word", [word for word, row in ACTIVATIONS.items() if row.onnx])
@pytest.mark.parametrize("dtype", ["uint8", "int8"])
def test_written_to_onnx_and_read_again(word: str, dtype: str) -> None:
    """Between pairs; ONNX Runtime has the same bytes."""
    needs("onnx", install="pip install 'neonsim[models]'")
    low = np.iinfo(dtype).min
    x, out = Scheme(0.05, low + 131, dtype), Scheme(0.031, low + 123, dtype)
    attributes = {name: float(np.float32(0.3 * default)) for name, (_, default) in ACTIVATIONS[word].attributes.items()}
    operator = OrtActivation(x, out, word, **attributes)
    graph, every = _written(operator)
    data = onnx_bytes(graph)
    assert np.array_equal(_again(read_onnx(data, "one"), every), operator.reference(every))
    if find_spec("onnxruntime"):
        from onnxruntime import InferenceSession
        theirs, = InferenceSession(data, providers=["CPUExecutionProvider"]).run(None, {"input": every})
        assert np.array_equal(theirs, operator.reference(every))
