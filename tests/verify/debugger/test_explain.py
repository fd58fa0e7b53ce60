"""Any byte of any layer: its numbers, and the tile that writes it, which gives the layer's byte."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim.cli import main
from neonsim.errors import BadArgument
from neonsim.nn import ops
from neonsim.nn.formats import Model, write_tflite
from neonsim.nn.graph import Graph
from neonsim.quant import Quantized, Scheme
from tests.tiers import every

KERNELS = {"conv": "qs8_qc8w", "deep": "dwconv", "sum": "qs8_vadd", "point": "qs8_qc8w", "pool": "maxpool",
           "dense": "qs8_qc8w", "shares": "qs8_softmax"}


@pytest.mark.parametrize("at", every(3, [
    "conv:7,7,5", "deep:0,0,0", "sum:3,4,5", "join:3,4,13", "point:1,2,3,11", "pool:1,3,0,2", "flat:1,100", "dense:1,9",
    "shares:4", "1:3,3,7", "input:0,1,2"]))
def test_every_layer(planted: Any, network: Model, at: str) -> None:
    """Padding, groups, the second image of a batch; joined and reshaped elements are followed."""
    x = planted.image()
    values = planted.tensors(planted.graph_of(), x)
    found = ns.explain_byte(network, x, at, backend="reference")
    name = found.place.name
    assert found.sides[0].value == values[name][found.place.index]
    if name in KERNELS or name in ("join", "flat"):
        step = found.step
        assert step is not None and found.writer.agrees and step.value == int(found.sides[0].value) & 0xFF
        assert KERNELS.get(name, "") in step.kernel and step.instruction.startswith("st")
        trace = step.trace
        assert trace.last_store(trace.accesses(step.step)[0][0]) is not None
    if name in ("join", "flat"):
        origin = found.sides[0].origin
        assert origin is not None and origin.trail and origin.node is not None
        assert origin.node.name == {"join": "sum", "flat": "pool"}[name]
    assert str(found).splitlines()[0].startswith("planted.tflite, ")


def test_a_layer_without_a_kernel(planted: Any, network: Model) -> None:
    """Softmax in fixed point."""
    found = ns.explain_byte(network, planted.image(), "shares:4", arithmetic="tflite", backend="reference")
    assert found.step is None and found.writer.reason.startswith("no ")
    with pytest.raises(BadArgument, match="no steps to show"):
        ns.Stepper(found)


@pytest.mark.slow
def test_stepper_page_and_picture(planted: Any, network: Model, tmp_path: Path) -> None:
    found = ns.explain_byte(network, planted.image(), "deep:3,4,5", core="cortex-a53")
    stepper = ns.Stepper(found)
    written = stepper.trace.instruction(stepper.step - 1)
    assert str(written) == found.step.instruction and stepper.step == found.step.step + 1
    page = found.to_html(tmp_path / "tile.html", core="cortex-a53").read_text()
    assert "deep[0,3,4,5]" in page and f"step%3D{stepper.step}" in page.replace("=", "%3D")
    assert found.picture is not None and "times" in found.picture.description
    outside = re.sub(r"src='[^']*'", "", html := found._repr_html_())
    assert found.picture.image in html and "<svg" not in outside    # which is taken out of untrusted notebooks
    assert found.writer.cycles > 0 and "cycles on cortex-a53 (modelled)" in str(found)


def test_names_are_escaped() -> None:
    pytest.importorskip("tflite", reason="needs the packages tflite and flatbuffers: pip install 'neonsim[models]'")
    from neonsim.nn.formats import tflite_bytes
    from neonsim.nn.formats.tflite.read import read_tflite

    graph = Graph("g", (1, 2, 2, 8), Scheme(0.1, 3))
    graph.add_node("<script>alert(1)</script>", ops.Clamp(graph.scheme("input"), output_min=3, output_max=255),
                   "input")
    model = Model(read_tflite(tflite_bytes(graph), "<b>.tflite"))
    found = ns.explain_byte(model, np.full((1, 2, 2, 8), 99, np.uint8), "0:1,1,7")
    assert "<script>" not in found._repr_html_() and "&lt;script&gt;" in found._repr_html_()
    assert found.step is not None and found.writer.agrees


@pytest.mark.parametrize(("at", "words"), [
    ("conv", "is not an element"), ("conv:", "is not an element"), ("conv:1,x", "is not an element"),
    (None, "is not an element"), ("conv:-1,0,0", "is not an element"),
    ("cnv:0,0,0", "no layer 'cnv'; there are 'conv'"),
    ("99:0,0", "no node 99; it has 9"), ("conv:8,0,0", "is outside 'conv'"), ("conv:0,0,0,0,0", "5 numbers"),
    ("conv:3", "1 numbers do not select"), ("dense:2,0", "is outside")], ids=str)
def test_wrong_places_are_refused(planted: Any, network: Model, at: Any, words: str) -> None:
    with pytest.raises(BadArgument, match=words) as problem:
        ns.explain_byte(network, planted.image(), at)
    assert "\n" not in str(problem.value)


def test_wrong_places_of_graphs_are_refused() -> None:
    """No command lists what has no file; the graph does, and so does what the message names."""
    graph = Graph("g", (1, 2, 2, 8), Scheme(0.1, 3))
    graph.add_node("held", ops.Clamp(graph.scheme("input"), output_min=3, output_max=255), "input")
    x = np.zeros((1, 2, 2, 8), np.uint8)
    for at, words in (("hold:0,0,0", r"no layer 'hold'; there are 'held' \(`graph.tensors` lists all\)"),
                      ("9:0,0,0", r"no node 9; it has 1, and the first is 0 \(`graph.nodes` lists them\)")):
        with pytest.raises(BadArgument, match=words):
            ns.explain_byte(graph, x, at)
    assert "held" in graph.tensors and graph.nodes[0].name == "held"


def test_wrong_inputs_are_refused(planted: Any, network: Model) -> None:
    x = planted.image()
    for given, words in ((x.astype(np.uint8), "takes int8"), ([x, x], "takes int8"), (x[:1], "takes int8")):
        with pytest.raises(BadArgument, match=words):
            ns.explain_byte(network, given, "conv:0,0,0")
    with pytest.raises(BadArgument, match="unknown arithmetic 'abacus'; use xnnpack"):
        ns.explain_byte(network, x, "conv:0,0,0", arithmetic="abacus")
    with pytest.raises(BadArgument, match="sparc"):
        ns.explain_byte(network, x, "conv:0,0,0", isa="sparc")


def test_uint8_is_shown_by_a_kernel_that_makes_the_same_byte() -> None:
    """There is none that rounds uint8 as fp32 does."""
    pytest.importorskip("tflite", reason="needs the packages tflite and flatbuffers: pip install 'neonsim[models]'")
    from neonsim.nn.formats import tflite_bytes
    from neonsim.nn.formats.tflite.read import read_tflite

    rng = np.random.default_rng(0)
    graph = Graph("g", (1, 5, 5, 4), Scheme(0.1, 3))
    w = Quantized(rng.integers(0, 256, (6, 3, 3, 4)).astype(np.uint8), 0.02, 130)
    graph.add_node("conv", ops.Conv2d(graph.scheme("input"), w, out=Scheme(0.9, 120), requantization="fp32"), "input")
    model = Model(read_tflite(tflite_bytes(graph), "u8.tflite"))
    found = ns.explain_byte(model, rng.integers(0, 256, (1, 5, 5, 4)).astype(np.uint8), "conv:1,2,3")
    assert found.writer.agrees and found.step is not None
    if "fp32" not in found.step.kernel:
        assert "gives the same byte here" in found.writer.reason


@pytest.mark.parametrize("at", ["conv:7,7,5", "deep:3,0,0", "point:1,2,3,11"])
def test_bytes_that_later_calls_change(planted: Any, network: Model, at: str) -> None:
    """int8 with multipliers of 31 bits: a product of bytes, whose signs a table flips; the product is what is shown."""
    found = ns.explain_byte(network, planted.image(), at, arithmetic="tflite", backend="reference")
    step, account = found.step, found.sides[0].account
    assert step is not None and found.writer.agrees and account is not None and step.right_sum == account.total
    assert "lut" not in step.kernel and step.sum_step is not None, "the sum stands in a register of this tile"
    assert found.sides[0].value == network.run(planted.image(), "reference", arithmetic="tflite",
                                              until=found.place.name)[0][found.place.index]


# ---- on the command line

@pytest.fixture
def files(planted: Any, tmp_path: Path) -> tuple[str, Path]:
    """The network as a file, and a folder with tensors of a run that rounds one layer otherwise."""
    write_tflite(planted.graph_of(), tmp_path / "net.tflite")
    folder = tmp_path / "dump"
    folder.mkdir()
    for name, array in planted.tensors(planted.graph_of(rules={"point": "rndnu"}), planted.image()).items():
        np.save(folder / f"{name}.npy", array)
    return str(tmp_path / "net.tflite"), folder


@pytest.mark.slow
def test_commands(files: tuple[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    network, folder = files
    assert main(["explain", network, "--at", "deep:3,4,5", "--core", "a53", "--html", str(tmp_path / "p.html"), "--svg",
                 str(tmp_path / "p.svg")]) == 0
    said = capsys.readouterr().out
    assert "who writes it" in said and "cortex-a53 (modelled)" in said and "its input is random" in said
    assert (tmp_path / "p.html").is_file() and (tmp_path / "p.svg").read_text().startswith("<svg")
    assert main(["explain", network, "--against", str(folder)]) == 1
    said = capsys.readouterr().out
    assert "in 1 of 9 layers from equal inputs" in said and "the same sum" in said and "rndnu" in said
    assert main(["explain", "model", network, "--against", network, "--at", "point:0,0,0"]) == 0
    assert main(["explain", network, "--against", "xnnpack", "--inputs", "3"]) == 0
    assert "3 inputs" in capsys.readouterr().out


@pytest.mark.parametrize(("words", "said"), [
    (["--at", "deep:3,4"], "2 numbers do not select"), ([], "--at LAYER:INDEX"),
    (["--at", "1:0,0,0", "--open"], "--html"), (["--inputs", "2"], "--at or --against is missing"),
    (["--at", "deep:3,4,5", "--raw-image"], "need --image"),
    (["--at", "deep:3,4,5", "--no-raw-image", "--npy", "x.npy"], "need --image"),
    (["--against", "xnnpack", "--inputs", "0"], "--inputs must be 1"),
    (["--against", "./none"], "there is no dump"),
    (["--at", "shares:0", "--arithmetic", "tflite", "--html", "x.html"], "no steps to show"),
    (["--against", "xnnpack", "--inputs", "2", "--at", "1:0,0,0"], "excludes --at")], ids=str)
def test_commands_refuse(files: tuple[str, Path], words: list[str], said: str, tmp_path: Path,
                         monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["explain", files[0], *words]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.nightly
@pytest.mark.filterwarnings("ignore:.*runs operator by operator")
def test_any_byte_of_graphs_by_chance() -> None:
    """Whatever a file can hold: the value is that of a run, and of the tile where a kernel writes it."""
    pytest.importorskip("tflite", reason="needs the packages tflite and flatbuffers: pip install 'neonsim[models]'")
    from neonsim.nn.formats import tflite_bytes
    from neonsim.nn.formats.tflite.read import read_tflite
    from tests.nn.formats.conftest import Chance

    written = 0
    for seed in range(30):
        made = Chance([77, seed])
        model, x, rng = Model(read_tflite(tflite_bytes(made.graph), "c.tflite")), made.input(seed), \
            np.random.default_rng(seed)
        for tensor in {model.record.tensors[number].name for node in model.record.nodes for number in node.outputs}:
            shape = model.tensor_of(tensor).shape
            index = tuple(int(rng.integers(size)) for size in shape)
            found = ns.explain_byte(model, x, f"{tensor}:{','.join(map(str, index))}", backend="reference")
            assert found.writer.agrees, (seed, tensor, index)
            written += found.step is not None
            if found.sides[0].origin is not None and found.sides[0].origin.node is not None:
                run = model.run(x, "reference", until=tensor)[0]
                assert found.sides[0].value == run[index], (seed, tensor, index)
    assert written > 100
