"""Tensors of LiteRT itself, by each of its sets of kernels: the debugger says whose bytes they are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim.nn.formats import Model, tflite_bytes
from tests.nn.formats.conftest import LiteRt

FOLDERS = Path(ns.__file__).parents[2].glob("*/data/models")
FILES = sorted(path for folder in FOLDERS for path in folder.glob("*.tflite"))


def _dump(data: bytes, model: Model, kernels: str, x: list[np.ndarray]) -> dict[str, np.ndarray]:
    litert = LiteRt()
    whole, numbers = litert.all_seen(data)
    shown = litert.run(litert.interpreter(whole, kernels), x)
    return {model.record.tensors[number].name: array for number, array in zip(numbers, shown, strict=True)}


@pytest.mark.nightly
@pytest.mark.parametrize("kernels", LiteRt.resolvers)
def test_whose_bytes_they_are(planted: Any, network: Model, kernels: str) -> None:
    data = tflite_bytes(planted.graph_of())
    inputs = [planted.image(seed) for seed in range(3)]
    dumps = [_dump(data, network, kernels, [x]) for x in inputs]
    for other in LiteRt.resolvers:
        found = ns.count_differences(network, inputs, a=other, b=dumps)
        assert found.equal == (other == kernels)
        if not found.equal:
            assert f"of {kernels}" in found.verdict
            assert found.first is not None and found.first.sides[0].value != found.first.sides[1].value
            assert kernels in found.first.cause


@pytest.mark.nightly
@pytest.mark.skipif(not FILES, reason="no real models beside this checkout: a folder */data/models")
@pytest.mark.parametrize("path", [p for p in FILES if p.stem in ("person_detect", "mobilenet_v1_0.25_128_quant")],
                         ids=lambda path: path.stem)
def test_real_models(path: Path) -> None:
    """Of the reference kernels' tensors every layer is theirs; the first that differs from XNNPACK's is explained."""
    model, rng = ns.load_model(path), np.random.default_rng(2)
    tensor = model.inputs[0]
    info = np.iinfo(tensor.dtype)
    x = [rng.integers(info.min, info.max + 1, tensor.shape).astype(tensor.dtype)]
    dump = _dump(path.read_bytes(), model, "tflite", x)
    found = ns.explain_difference(model, x, a="xnnpack", b=dump)
    assert not found and found.first is not None and "of tflite" in found.verdict
    assert "is what tflite" in found.first.cause and found.first.writer.agrees
    assert ns.explain_difference(model, x, a="tflite", b=dump).equal
