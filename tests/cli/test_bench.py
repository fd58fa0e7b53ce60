"""`neonsim bench`: the form of its answer, not its speed."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest

from neonsim.arm.asm import assemble
from neonsim.bench import emulator, model_files, scaling
from neonsim.bench.native import chosen_families
from neonsim.bench.peers import isa_limit
from neonsim.cli import main
from neonsim.common.extras import install
from neonsim.errors import BackendError
from neonsim.nn.backends.native import library
from neonsim.nn.backends.native.network import families
from neonsim.nn.formats import write_tflite
from neonsim.nn.graph import Graph
from neonsim.nn.ops import Clamp, MaxPool2d
from neonsim.quant import Scheme


@pytest.mark.nightly
def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "emulator", "--quick", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {"machine", "rows"} <= set(found)
    names = [row["name"] for row in found["rows"]]
    assert any("sanitizer" in n for n in names)
    assert any("gathered" in n for n in names)
    for row in found["rows"]:
        assert {"name", "value", "unit", "peer", "peer_value", "ratio"} <= set(row)
        assert row["value"] > 0
        if row["peer"] is not None:
            assert row["ratio"] == pytest.approx(row["value"] / row["peer_value"])


def test_how_cost_grows(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Sizes, seconds, exponent and bars side by side, without a word about how fast this machine is."""
    monkeypatch.setattr("neonsim.arm.machine.engines.background_build._waited_for", [])
    assert main(["bench", "scaling", "--quick", "--json", "--only", "blank,operator"]) == 0
    lines, plan = json.loads(capsys.readouterr().out)["rows"]
    assert (lines["sizes"], plan["sizes"], plan["bar"], plan["exponent"]) == ([1_000, 10_000], [1], 0.0005, None)
    assert lines["steepest"] == 1.15 and lines["exponent"] == pytest.approx(
        scaling.exponent(lines["sizes"], lines["seconds"]))
    assert scaling.exponent((64, 128, 256, 512), [n ** 1.85 for n in (64, 128, 256, 512)]) == pytest.approx(1.85)
    row = scaling.ScalingRow("", (1, 10), (1.0, 20.0), 10.0, 1.3, 1.15)
    assert row.over == "slow and steep" and not scaling.ScalingRow("", (1,), (1.0,), 1.0, None, None).over
    assert main(["bench", "scaling", "--quick", "--only", "blank"]) == 0
    assert "blank lines, read  10,000" in capsys.readouterr().out
    assert main(["bench", "scaling", "--only", "nowhere"]) == 2
    assert "no row of `neonsim bench scaling` has nowhere in its name; there are: neonsim --version; " \
        in capsys.readouterr().err


def test_the_page_has_the_bars() -> None:
    page = (Path(__file__).parents[2] / "docs/costs.md").read_text("utf-8")
    words = {0.0005: "0.5 ms", 1.0: "a second for a million"}
    with scaling._cases() as cases:
        missing = [case.name for case in cases if case.bar and words.get(case.bar, f"{case.bar:g} s") not in page]
    assert not missing and f"above {scaling.STEEPEST}." in page


@pytest.mark.nightly
def test_chosen_cases(capsys: pytest.CaptureFixture[str]) -> None:
    """Words choose cases; one that is in no name is an error that lists the names."""
    if library.available() is not None:
        pytest.skip(str(library.available()))
    assert main(["bench", "gemm", "--quick", "--json", "--only", "pw_49,fc_1x"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [row["name"] for row in rows] == ["pw_49x1024x1024", "fc_1x1024x1001"]
    assert all(0 < row["value"] <= row["median"] and row["percent_of_peak"] > 0 for row in rows)
    assert main(["bench", "gemm", "--quick", "--clock", "processor", "--only", "pw_49,fc_1x"]) == 0
    assert "; measured, time of the processor: least" in capsys.readouterr().out
    assert main(["bench", "gemm", "--clock", "processor", "--threads", "1,2"]) == 2
    assert "so it needs --threads 1" in capsys.readouterr().err
    assert main(["bench", "gemm", "--quick", "--only", "pw_50"]) != 0
    assert "no case of gemm has 'pw_50' in its name; there are pw_12544x32x64, " in capsys.readouterr().err


@pytest.mark.parametrize("words", ["emulator --only=pw", "timing --peers", "gemm --layers", "two-pass --padding=even",
                                   "timing --clock=processor", "gemm x.tflite", "model x.tflite --only y"])
def test_options_of_other_benchmarks_are_refused(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(["bench", *words.split()])
    assert "unrecognized arguments: " in capsys.readouterr().err


needs_library = pytest.mark.skipif(library.available() is not None, reason=str(library.available()))


@needs_library
def test_families_of_a_benchmark(capsys: pytest.CaptureFixture[str]) -> None:
    """The best, one, several, all that run here; those that do not are said, and unknown ones refused."""
    there = families()
    here = [name for name, lacks in there.items() if lacks is None]
    assert chosen_families(None) == ([None], []) and chosen_families("scalar") == (["scalar"], [])
    assert chosen_families("scalar,scalar") == (["scalar"], [])
    names, missing = chosen_families("all")
    assert names == here and len(missing) == len(there) - len(here)
    assert all(f"{name} did not run: {lacks}" in missing for name, lacks in there.items() if lacks)
    assert main(["bench", "gemm", "--isa-variant", "scalar,mmx"]) == 2
    assert "unknown family 'mmx'; use " in capsys.readouterr().err
    for name in set(there) - set(here):
        assert main(["bench", "gemm", "--isa-variant", name]) != 0
        assert f"{name} cannot run here: {there[name]}" in capsys.readouterr().err


def test_peers_are_held_to_a_family_where_they_can_be(monkeypatch: pytest.MonkeyPatch) -> None:
    def held(*names: str | None) -> isa_limit.Restriction:
        for variable in isa_limit._ISA_VARIABLES:
            monkeypatch.setenv(variable, "")        # so that it is put back as it was
            monkeypatch.delenv(variable)
        one = isa_limit.Restriction(names)
        one.apply()
        return one

    monkeypatch.setattr(isa_limit, "_loaded", lambda module: False)
    assert held(None).mark("openvino 1") == "openvino 1"
    assert held("avx2", "sse41").mark("openvino 1") == "openvino 1 (unrestricted)"
    assert held("sse41").mark("openvino 1") == "openvino 1 (SSE41)"
    assert held("sse41").mark("torch-x86 1") == "torch-x86 1 (unrestricted)"      # fbgemm has nothing below AVX2
    one = held("avx512vnni")
    assert [one.mark(name) for name in ("torch-onednn", "torch-fbgemm", "torch-x86", "torch-qnnpack", "litert 2")] == [
        "torch-onednn (AVX512_CORE_VNNI)", "torch-fbgemm (AVX512_E1)", "torch-x86 (AVX512_CORE_VNNI, AVX512_E1)",
        "torch-qnnpack (unrestricted)", "litert 2 (unrestricted)"]
    monkeypatch.setattr(isa_limit, "_loaded", lambda module: module == "openvino")      # it heeds nothing any more
    assert held("avx2").mark("openvino 1") == "openvino 1 (unrestricted)"


@needs_library
@pytest.mark.nightly
def test_copies_beside_threads(capsys: pytest.CaptureFixture[str]) -> None:
    """Networks by several threads stand beside as many copies; by one, and layers, do not."""
    assert main(["bench", "network", "--quick", "--json", "--only", "squeezenet", "--threads", "1,2"]) == 0
    one, two = json.loads(capsys.readouterr().out)["rows"]
    assert one["peer"] is None and two["peer"] == "2 copies, a run"
    assert two["ratio"] == pytest.approx(two["value"] / two["peer_value"])
    assert main(["bench", "gemm", "--quick", "--json", "--only", "fc_1x", "--threads", "2"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"][0]["peer"] is None


@needs_library
@pytest.mark.nightly
def test_every_family_in_one_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A row for each; bytes are compared on the way."""
    here = [name for name, lacks in families().items() if lacks is None]
    assert main(["bench", "gemm", "--quick", "--json", "--only", "fc_1x", "--isa-variant", "all"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [row["family"] for row in rows] == here and all(row["percent_of_peak"] > 0 for row in rows)
    assert main(["bench", "model", _written(tmp_path), "--quick", "--json", "--isa-variant", "all", "--peers"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [row["backend"] for row in rows] == [f"native ({name})" for name in here]
    assert all(row["bytes_equal"] in (None, True) for row in rows)


def _written(folder: Path) -> str:
    pytest.importorskip("tflite", reason="needs packages: pip install 'neonsim[models]'")
    x = Scheme(0.05, 3, "int8")
    graph = Graph("small", (1, 6, 6, 4), x)
    graph.add_node("low", Clamp(x, output_min=3, output_max=127), "input")
    graph.add_node("most", MaxPool2d(x, pool=2), "low")
    write_tflite(graph, str(folder / "small.tflite"))
    return str(folder / "small.tflite")


def test_models_beside_peers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Files by two numbers of threads; what the peer gives is compared, and one that is not there is said."""
    path = _written(tmp_path)
    native, litert = library.available() is None, importlib.util.find_spec("ai_edge_litert") is not None
    assert main(["bench", "model", path, path, "--peers", "--threads", "1,2", "--quick", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [(row["name"], row["threads"]) for row in found["rows"]] == [("small.tflite", 1), ("small.tflite", 2)] * 2
    for row in found["rows"]:
        assert (row["layers"] is not None) == (row["bound"] is not None) == native and row["run"] > 0
        if native:
            assert row["layers"] > 0 and row["bound"] > 0  # what is faster is measured, not tested
        if litert:
            assert row["bytes_equal"] is True and row["ratio"] == pytest.approx(
                (row["bound"] if native else row["run"]) / row["peer_value"])
    assert litert or f"litert not measured: {install('ai-edge-litert')}" in found["missing"][0]


def test_onnxruntime_as_a_peer(tmp_path: Path) -> None:
    """Prepared and run as files of ours will be; what is no model there is a sentence."""
    onnx = pytest.importorskip("onnx", reason="needs packages: pip install onnx onnxruntime")
    pytest.importorskip("onnxruntime", reason="needs packages: pip install onnx onnxruntime")
    kind, helper = onnx.TensorProto.FLOAT, onnx.helper
    values = [helper.make_tensor_value_info(name, kind, [2, 3]) for name in ("x", "y")]
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "relu", values[:1], values[1:])
    path = tmp_path / "relu.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9), str(path))
    x = np.array([[-1, 2, -3], [4, -5, 6]], np.float32)
    prepared = model_files._onnxruntime(str(path), [x], 1)
    prepared.run()
    assert np.array_equal(prepared.results()[0], np.maximum(x, 0))
    path.write_bytes(b"no model")
    with pytest.raises(BackendError, match="cannot run it: "):
        model_files._onnxruntime(str(path), [x], 1)


def test_what_is_no_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "model", "nowhere.tflite"]) == 2
    assert "there is no file nowhere.tflite" in capsys.readouterr().err
    with pytest.raises(SystemExit, match="2"):
        main(["bench", "model"])
    assert "the following arguments are required: MODEL" in capsys.readouterr().err


def test_the_encoding_is_that_of_the_text() -> None:
    """Unicorn runs words, we run text: they are the same twenty instructions."""
    capstone = pytest.importorskip("capstone", reason="capstone reads the words back: pip install capstone")
    words = capstone.Cs(capstone.CS_ARCH_ARM64, capstone.CS_MODE_ARM).disasm(emulator.CODE, 0)
    # SXTL and UXTL are other names of a shift by nothing.
    found = [f"{w.mnemonic} {w.op_str}".replace("ushll", "uxtl").removesuffix(", #0") for w in words]
    ours = [str(i) for i in assemble(emulator.LOOP, isa="aarch64").instructions]
    assert len(found) == len(ours) == emulator.COUNT
    assert found[:-1] == ours[:-1]
    assert found[-1].startswith("b.ne")
