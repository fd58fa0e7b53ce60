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

from neonsim.errors import BadArgument, ModelError
from neonsim.nn import ops
from neonsim.nn.formats import load_model, npz_bytes, read_npz, write_npz
from neonsim.nn.graph import FLOWS, MODELS, Graph, model, quantize
from neonsim.nn.graph.data_movement import Relabel
from neonsim.quant import Scheme
from neonsim.quant.tensor_type import elements
from tests.float_graph import float_graph, float_images


def _results(graph: Graph, x: NDArray[np.float32]) -> list[bytes]:
    found = graph.plan("reference").run(x)
    return [elements(one).tobytes() for one in (found if isinstance(found, tuple) else (found,))]


@pytest.mark.parametrize("flow", [None, *FLOWS])
def test_what_is_read_is_what_was_written(tmp_path: Path, flow: str | None) -> None:
    graph = float_graph() if flow is None else quantize(float_graph(), flow, calibration=float_images(4))
    again = read_npz(write_npz(graph, tmp_path / "saved.npz"))
    assert npz_bytes(again) == npz_bytes(graph) == (tmp_path / "saved.npz").read_bytes()
    assert (again.inputs, again.outputs, again.tensors) == (graph.inputs, graph.outputs, graph.tensors)
    for x in float_images(4):
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
    with np.load(io.BytesIO(npz_bytes(float_graph()))) as opened:
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
    (lambda said, arrays: said.update(neonsim=2), "is of version 2; supported: 1"),
    (lambda said, arrays: said.pop("nodes"), "is not a saved graph, or it is damaged: KeyError"),
    (lambda said, arrays: said.update(nodes=7), r"its inputs: TypeError"),
    (lambda said, arrays: said.update(outputs=["no"]), "its results: .*has no tensor 'no'"),
    (lambda said, arrays: _node(said, 0).__setitem__(1, "system"), r"node 0, 'conv' \(system\): there is no such"),
    (lambda said, arrays: _node(said, 0).__setitem__(2, ["no"]), "node 0, 'conv' .*reads 'no', which"),
    (lambda said, arrays: _node(said, 0)[3].update(groups=3), "node 0, 'conv' .*groups"),
    (lambda said, arrays: _node(said, 0)[3].update(more=3), "node 0, 'conv' .*TypeError"),
    (lambda said, arrays: _node(said, 0)[3].update(w={"array": 99}), "node 0, 'conv' .*unknown array '99'"),
    (lambda said, arrays: _node(said, 0)[3].update(w={"eval": "1"}),
     "unknown value of kind 'eval'"),
    (lambda said, arrays: arrays.update({"0": np.full((8, 3, 3, 3), np.nan)}), "node 0, 'conv' .*must be finite"),
    (lambda said, arrays: said["inputs"][0].__setitem__(1, [1, 1 << 30, 1 << 30, 1]), "too many|do not fit|channels"),
    (lambda said, arrays: said["inputs"][0].__setitem__(2, 5), "has no type"),
    (lambda said, arrays: said["inputs"][0].__setitem__(1, [1] * 9), "has 1 to 8 axes"),
    (lambda said, arrays: _node(said, 1)[3].update(w={"array": 0}), "unknown array '0', or two arguments name it"),
])
def test_damaged_texts(tmp_path: Path, change: Any, words: str) -> None:
    path = tmp_path / "saved.npz"
    path.write_bytes(_changed(change))
    with pytest.raises(ModelError, match=words) as found:
        read_npz(path)
    assert "\n" not in str(found.value)


def test_damaged_archives(tmp_path: Path) -> None:
    path, whole = tmp_path / "saved.npz", npz_bytes(float_graph())
    rng = np.random.default_rng(1)
    for cut in (0, 10, len(whole) // 2, len(whole) - 5):
        path.write_bytes(whole[:cut])
        with pytest.raises(ModelError, match="not a complete"):
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
    with pytest.raises(ModelError, match="it has no array 'graph'"):
        read_npz(path)
    np.savez(path, graph=np.array([{}], object))
    with pytest.raises(ModelError, match="has object"):
        read_npz(path)
    with zipfile.ZipFile(path, "w") as archive:     # says more than it has
        header = io.BytesIO()
        np.lib.format.write_array_header_1_0(header, {"descr": "|u1", "fortran_order": False, "shape": (1 << 60,)})
        archive.writestr("graph.npy", header.getvalue())
    with pytest.raises(ModelError, match="more than 33,554,432 bytes of text"):
        read_npz(path)
    for deep in (40, 100_000):
        _save_text(path, '{"neonsim":' + "[" * deep + "]" * deep + "}")
        with pytest.raises(ModelError, match="nested deeper than 32 levels"):
            read_npz(path)


def _save_text(path: Path, text: str) -> None:
    np.savez_compressed(path, graph=np.frombuffer(text.encode(), np.uint8))


def _saved(nodes: list[Any]) -> str:
    return json.dumps({"neonsim": 1, "name": "a", "inputs": [["x", [1, 4], {"type": ["float32", None]}]],
                       "nodes": nodes, "outputs": ["y"]})


def _hostile_picks() -> list[dict[str, Any]]:
    """Arguments of `Pick` that a few numbers make huge."""
    whole: dict[str, Any] = {"type": {"type": ["float32", None]}, "shape": [1, 4], "axes": [1],
                             "indices": [{"range": [0, 4, 1]}], "view": [1, 4], "order": None, "result": [1, 4],
                             "fill": 0, "kind": "pick", "made_with": {"dict": {}}}
    endless = {"range": [0, 1 << 62, 1]}
    changes: list[dict[str, Any]] = [
        {"indices": [endless]}, {"indices": [{"range": [0, 1 << 70, 1]}]}, {"shape": endless}, {"view": endless},
        {"order": endless}, {"axes": endless}, {"result": endless}, {"indices": [{"range": [0, 4, 0]}]},
        {"indices": [{"range": [1 << 62, 0, -1]}]}, {"made_with": {"dict": {"ranges": [endless]}}},
        {"made_with": {"dict": {"ranges": [{"range": [0, 4_000_000, 1]}] * 17}}}, {"view": [1] * 33},
        {"indices": [{"range": ["a", 2, 3]}]}, {"indices": [{"range": [2]}]}]
    return [whole | change for change in changes]


@pytest.mark.parametrize("arguments", _hostile_picks(), ids=lambda one: "")
def test_ranges_are_bounded_before_they_are_counted_out(tmp_path: Path, arguments: dict[str, Any]) -> None:
    """0 to 2**62 in a file of 339 bytes made numpy count for ever, where no Ctrl-C is heard."""
    path = tmp_path / "saved.npz"
    _save_text(path, _saved([["y", "Pick", ["x"], arguments]]))
    with pytest.raises(ModelError, match=r"node 0, 'y' \(Pick\): "):
        read_npz(path)


def test_the_text_is_counted_before_it_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """102 kB, packed, were 2.9 GiB of values."""
    monkeypatch.setattr("neonsim.nn.formats.npz.MAX_GRAPH_TEXT_VALUES", 1000)
    monkeypatch.setattr("neonsim.nn.formats.npz.MAX_GRAPH_TEXT_BYTES", 8000)
    monkeypatch.setattr("json.loads", lambda *_, **__: pytest.fail("values were made"))
    path = tmp_path / "saved.npz"
    for text, words in (("[" + "{}," * 1000 + "0]", "has more than 1,000 values"),
                        (" " * 8001, "more than 8,000 bytes of text")):
        _save_text(path, text)
        with pytest.raises(ModelError, match=words):
            read_npz(path)


def test_nodes_are_added_in_a_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each name was looked for among all nodes before; a split into a million tensors was one node of 40 bytes."""
    path, real = tmp_path / "saved.npz", {"type": ["float32", None]}
    _save_text(path, _saved([["y", "Split", ["x"], {"type": real, "parts": 1 << 20, "axis": 1}]]))
    with pytest.raises(ModelError, match=r"parts must be in 1\.\.100000"):
        read_npz(path)
    _save_text(path, _saved([["y", "Reshape", ["x"], {"type": real, "shape": [1] * 9}]]))
    with pytest.raises(ModelError, match="a new shape has 1 to 8 axes"):
        read_npz(path)
    count = 3000
    _save_text(path, _saved([[f"n{i}", "Reshape", [f"n{i - 1}" if i else "x"], {"type": real, "shape": [4]}]
                             for i in range(count)]).replace('"outputs": ["y"]', f'"outputs": ["n{count - 1}"]'))
    monkeypatch.setattr(Graph, "node", lambda graph, name: pytest.fail(f"{name} is looked for among all nodes"))
    assert len(read_npz(path).nodes) == count


def test_a_mean_of_no_image_is_refused(tmp_path: Path) -> None:
    """It would be made of as many ones."""
    made = quantize(float_graph(), "onnxruntime", calibration=float_images(4))
    with np.load(io.BytesIO(npz_bytes(made))) as opened:
        arrays = {name: opened[name] for name in opened.files}
    text = arrays["graph"].tobytes().replace(b'"image":[5,5,8]', b'"image":[99999,99999,99]')
    assert b"99999" in text
    arrays["graph"] = np.frombuffer(text, np.uint8)
    np.savez(tmp_path / "saved.npz", **arrays)
    with pytest.raises(ModelError, match="more pixels than an image"):
        read_npz(tmp_path / "saved.npz")


def test_what_is_not_saved(tmp_path: Path) -> None:
    graph = Graph("rescaled", (1, 4), Scheme(0.1, 128))
    graph.add_node("y", ops.Convert(Scheme(0.1, 128), out=Scheme(0.1, 128)), "input")
    with pytest.raises(ModelError, match=r"y of rescaled: .* of class Convert is not saved"):
        npz_bytes(graph)
    with pytest.raises(BadArgument, match="there is no file"):
        read_npz(tmp_path / "no.npz")
    write_npz(float_graph(), tmp_path / "saved.npz")
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
