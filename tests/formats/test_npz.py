"""Graphs saved as .npz: read back as they were, opened by numpy without pickle; damaged files refused in a sentence."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from neonsim import ops
from neonsim.errors import BadArgument, ModelError
from neonsim.formats import load_model, npz_bytes, read_npz, write_npz
from neonsim.graph import FLOWS, MODELS, Graph, model, quantise
from neonsim.graph.moves import Relabel
from neonsim.ops.floating import (
    BatchNorm,
    RealAdd,
    RealClamp,
    RealConv2d,
    RealFullyConnected,
    RealGlobalAvgPool,
    RealLeakyRelu,
    RealMaxPool2d,
    RealSoftmax,
)
from neonsim.quant import Scheme
from neonsim.quant.tensor_type import elements


def small() -> Graph:
    """Limits that are finite, infinite and none; a norm that stays; a branch."""
    rng = np.random.default_rng(3)
    graph = Graph("small", (1, 6, 6, 2), dtype="float32")
    first = RealConv2d(rng.normal(size=(4, 3, 3, 2)), rng.normal(size=4), padding=1, low=0.0)
    a = graph.add_node("conv", first, "input")
    b = graph.add_node("depthwise", RealConv2d(rng.normal(size=(4, 3, 3, 1)), padding=((1, 1), (1, 1)), groups=4), a)
    b = graph.add_node("norm", BatchNorm(rng.uniform(1, 2, 4), rng.normal(size=4)), b)
    b = graph.add_node("leaky", RealLeakyRelu(0.1), graph.add_node("cut", RealClamp(-1.0, 6.0), b))
    c = graph.add_node("largest", RealMaxPool2d(2), graph.add_node("sum", RealAdd(), a, b))
    d = graph.add_node("mean", RealGlobalAvgPool(), c)
    d = graph.add_node("dense", RealFullyConnected(rng.normal(size=(3, 4))), d)
    return graph.finish(graph.add_node("shares", RealSoftmax(), d), c)


def images(count: int = 3) -> list[NDArray[np.float32]]:
    rng = np.random.default_rng(4)
    return [rng.normal(size=(1, 6, 6, 2)).astype(np.float32) for _ in range(count)]


def _results(graph: Graph, x: NDArray[np.float32]) -> list[bytes]:
    found = graph.plan("reference").run(x)
    return [elements(one).tobytes() for one in (found if isinstance(found, tuple) else (found,))]


@pytest.mark.parametrize("flow", [None, *FLOWS])
def test_what_is_read_is_what_was_written(tmp_path: Path, flow: str | None) -> None:
    graph = small() if flow is None else quantise(small(), flow, calibration=images())
    again = read_npz(write_npz(graph, tmp_path / "saved.npz"))
    assert npz_bytes(again) == npz_bytes(graph) == (tmp_path / "saved.npz").read_bytes()
    assert (again.inputs, again.outputs, again.tensors) == (graph.inputs, graph.outputs, graph.tensors)
    for x in images():
        assert _results(again, x) == _results(graph, x)
    with np.load(tmp_path / "saved.npz", allow_pickle=False) as opened:
        assert json.loads(opened["graph"].tobytes())["name"] == graph.name
        assert all(opened[name].dtype.kind in "iuf" for name in opened.files)


@pytest.mark.nightly
@pytest.mark.parametrize("name", MODELS)
def test_every_network(tmp_path: Path, name: str) -> None:
    for quantization in ("qu8", "qs8", "qc8w", "f32"):
        graph = model(name, quantization=quantization, **({} if name == "digits" else {"size": 96}))
        assert npz_bytes(read_npz(write_npz(graph, tmp_path / "a.npz"))) == (tmp_path / "a.npz").read_bytes()


def _changed(change: Callable[[dict[str, Any], dict[str, NDArray[Any]]], None]) -> bytes:
    with np.load(io.BytesIO(npz_bytes(small()))) as opened:
        arrays = {name: opened[name] for name in opened.files}
    said = json.loads(arrays.pop("graph").tobytes())
    change(said, arrays)
    arrays["graph"] = np.frombuffer(json.dumps(said).encode(), np.uint8)
    held = io.BytesIO()
    np.savez(held, allow_pickle=False, **arrays)
    return held.getvalue()


def _node(said: dict[str, Any], which: int) -> Any:
    return said["nodes"][which]


@pytest.mark.parametrize(("change", "words"), [
    (lambda said, arrays: said.update(neonsim=2), "is of version 2; 1 is read"),
    (lambda said, arrays: said.pop("nodes"), "is no saved graph, or it is damaged: KeyError"),
    (lambda said, arrays: said.update(nodes=7), r"its inputs: TypeError"),
    (lambda said, arrays: said.update(outputs=["no"]), "its results: .*has no tensor 'no'"),
    (lambda said, arrays: _node(said, 0).__setitem__(1, "system"), r"node 0, 'conv' \(system\): there is no such"),
    (lambda said, arrays: _node(said, 0).__setitem__(2, ["no"]), "node 0, 'conv' .*reads 'no', which"),
    (lambda said, arrays: _node(said, 0)[3].update(groups=3), "node 0, 'conv' .*groups"),
    (lambda said, arrays: _node(said, 0)[3].update(more=3), "node 0, 'conv' .*TypeError"),
    (lambda said, arrays: _node(said, 0)[3].update(w={"array": 99}), "node 0, 'conv' .*KeyError, '99'"),
    (lambda said, arrays: _node(said, 0)[3].update(w={"eval": "1"}), "there is no value of kind 'eval'"),
    (lambda said, arrays: arrays.update({"0": np.full((4, 3, 3, 2), np.nan)}), "node 0, 'conv' .*must be finite"),
    (lambda said, arrays: said["inputs"][0].__setitem__(1, [1, 1 << 30, 1 << 30, 1]), "too many|do not fit|channels"),
    (lambda said, arrays: said["inputs"][0].__setitem__(2, 5), "has no type"),
])
def test_damaged_texts(tmp_path: Path, change: Any, words: str) -> None:
    path = tmp_path / "saved.npz"
    path.write_bytes(_changed(change))
    with pytest.raises(ModelError, match=words) as found:
        read_npz(path)
    assert "\n" not in str(found.value)


def test_damaged_archives(tmp_path: Path) -> None:
    path, whole = tmp_path / "saved.npz", npz_bytes(small())
    rng = np.random.default_rng(1)
    for cut in (0, 10, len(whole) // 2, len(whole) - 5):
        path.write_bytes(whole[:cut])
        with pytest.raises(ModelError, match="no whole"):
            read_npz(path)
    for _ in range(60):     # a byte is another: refused, or what it was (a name, a date)
        damaged = bytearray(whole)
        damaged[int(rng.integers(len(whole)))] ^= int(rng.integers(1, 256))
        path.write_bytes(damaged)
        try:
            assert npz_bytes(read_npz(path)) == whole
        except ModelError as problem:
            assert str(problem).endswith(".")


def test_archives_of_others(tmp_path: Path) -> None:
    path = tmp_path / "saved.npz"
    np.savez(path, a=np.zeros(3))
    with pytest.raises(ModelError, match="it holds no array 'graph'"):
        read_npz(path)
    np.savez(path, graph=np.array([{}], object))
    with pytest.raises(ModelError, match="holds object"):
        read_npz(path)
    with zipfile.ZipFile(path, "w") as archive:     # says more than it has
        header = io.BytesIO()
        np.lib.format.write_array_header_1_0(header, {"descr": "|u1", "fortran_order": False, "shape": (1 << 60,)})
        archive.writestr("graph.npy", header.getvalue())
    with pytest.raises(ModelError, match="take more than"):
        read_npz(path)
    for deep, words in ((40, "nests more than 32 deep"), (100_000, "RecursionError")):
        np.savez(path, graph=np.frombuffer(('{"neonsim":' + "[" * deep + "]" * deep + "}").encode(), np.uint8))
        with pytest.raises(ModelError, match=words):
            read_npz(path)


def test_a_mean_of_no_image_is_refused(tmp_path: Path) -> None:
    """It would be made of as many ones."""
    made = quantise(small(), "onnxruntime", calibration=images())
    with np.load(io.BytesIO(npz_bytes(made))) as opened:
        arrays = {name: opened[name] for name in opened.files}
    text = arrays["graph"].tobytes().replace(b'"image":[3,3,4]', b'"image":[99999,99999,99]')
    assert b"99999" in text
    arrays["graph"] = np.frombuffer(text, np.uint8)
    np.savez(tmp_path / "saved.npz", **arrays)
    with pytest.raises(ModelError, match="more pixels than an image"):
        read_npz(tmp_path / "saved.npz")


def test_what_is_not_saved(tmp_path: Path) -> None:
    graph = Graph("hard", (1, 4), Scheme(0.1, 128))
    graph.add_node("swish", ops.HardSwish(Scheme(0.1, 128), out=Scheme(0.1, 128)), "input")
    with pytest.raises(ModelError, match=r"swish of hard: .* of class HardSwish is not saved"):
        npz_bytes(graph)
    with pytest.raises(BadArgument, match="there is no file"):
        read_npz(tmp_path / "no.npz")
    write_npz(small(), tmp_path / "saved.npz")
    with pytest.raises(BadArgument, match="read_npz"):
        load_model(tmp_path / "saved.npz")


def test_rules_and_schemes_that_are_given(tmp_path: Path) -> None:
    """A leaky ReLU's requantization, and integers that are taken under another scheme."""
    x, out = Scheme(0.1, 100), Scheme(0.07, 90)
    graph = Graph("rules", (1, 2, 2, 8), x)
    leaky = graph.add_node("leaky", ops.LeakyRelu(x, slope=0.3, out=out, requantization="q8"), "input")
    graph.finish(graph.add_node("as", Relabel(x, (1, 2, 2, 8), out), leaky))
    again = read_npz(write_npz(graph, tmp_path / "rules.npz"))
    given = x.quantize(np.random.default_rng(2).normal(0, 5, (1, 2, 2, 8)))
    wanted = graph.plan("reference").run(given)
    for backend in ("reference", None):
        found = again.plan(backend).run(given)
        assert found.scheme == x and np.array_equal(found.values, wanted.values)
    own = graph.plan("reference")
    own.run(given)
    assert np.array_equal(own.tensor("leaky").values, wanted.values) and own.tensor("leaky").scheme == out
