"""Activations of the table: each is written to .tflite by its word, and is the same when it is read again."""

from __future__ import annotations

import numpy as np
import pytest

from neonsim.nn.formats import Model, tflite_bytes
from neonsim.nn.formats.tflite.read import read_tflite
from neonsim.nn.graph import Graph
from neonsim.nn.ops.quantized.lut import ACTIVATIONS
from neonsim.quant.reference.lut_functions import SOFT_SCHEMES
from neonsim.quant.scheme import Scheme
from tests.needs import needs

needs("tflite", install="pip install 'neonsim[models]'")

SOFT = ("LOGISTIC", "TANH")
ATTRIBUTES = {"LEAKY_RELU": {"slope": 0.2, "requantization": "q8"}}     # what the operator must be given


@pytest.mark.parametrize("word, dtype", [(word, dtype) for word, row in ACTIVATIONS.items() for dtype in row.dtypes])
def test_written_and_read_again(word: str, dtype: str) -> None:
    info = np.iinfo(dtype)
    x, out = Scheme(0.05, info.min + 131, dtype), Scheme(0.031, info.min + 123, dtype)
    if word in SOFT:    # their results have one scheme
        out = Scheme(*SOFT_SCHEMES[word.lower().replace("logistic", "sigmoid"), dtype], dtype)
    operator = ACTIVATIONS[word].operator(x, out=out, **ATTRIBUTES.get(word, {}))
    graph = Graph("one", (1, 256), x)
    graph.finish(graph.add_node("node", operator, "input"))
    every = np.arange(info.min, info.max + 1).astype(dtype).reshape(1, 256)
    wanted = operator.reference(every)
    assert len(np.unique(wanted)) > 8, "a curve, not a constant"
    again = Model(read_tflite(tflite_bytes(graph), "one")).run(every, "reference")
    found, = again if isinstance(again, tuple | list) else (again,)
    assert np.array_equal(found, wanted)
