"""`neonsim quantize` as one uses it: pictures and arrays, what it says of wrong ones, files that are run again."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from neonsim.cli import main
from neonsim.nn.formats import load_model, read_npz, write_onnx, write_tflite
from neonsim.nn.formats.images import image_for
from neonsim.nn.graph import FLOWS, quantize
from neonsim.nn.graph.models import digits
from tests.needs import needs

needs("onnx", install="pip install 'neonsim[models]'")
pytestmark = pytest.mark.filterwarnings("ignore:.*runs in segments", "ignore:.*runs operator by operator")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The digits as files, pictures of several sizes, arrays with channels first and last."""
    image = pytest.importorskip("PIL.Image", reason="needs Pillow: pip install 'neonsim[models]'")
    made = tmp_path_factory.mktemp("quantize")
    graph, (images, _) = digits.digits("f32"), digits.sample()
    write_onnx(graph, made / "real.onnx")
    write_tflite(graph, made / "real.tflite")
    np.save(made / "last.npy", images[:6].astype(np.float32) / np.float32(255))
    np.save(made / "first.npy", (images[:6].astype(np.float32) / np.float32(255)).transpose(0, 3, 1, 2))
    for name in ("pictures", "same", "broken", "none"):
        (made / name).mkdir()
    for number in range(4):
        one = image.fromarray(images[number, ..., 0])
        one.save(made / "same" / f"{number}.png")
        one.resize((20 + 9 * number, 31)).convert("RGB").save(made / "pictures" / f"{number}.jpg")
    (made / "pictures" / "notes.txt").write_text("no picture")
    (made / "broken" / "a.png").write_bytes(b"\x89PNG no more")
    return made


def _schemes(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    assert main(["quantize", *words, "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


@pytest.mark.nightly
def test_pictures_and_arrays_are_the_same_inputs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Pictures of the right size are the digits themselves; channels first or last, as the file has them."""
    real, onnx = str(folder / "real.tflite"), str(folder / "real.onnx")
    by_pictures = _schemes(capsys, real, "--calibrate", str(folder / "same"), "--pixels", "0", "1")
    by_array = _schemes(capsys, real, "--calibrate", str(folder / "last.npy"), "--max-inputs", "4")
    first_capable_backend = _schemes(capsys, onnx, "--calibrate", str(folder / "first.npy"), "--max-inputs", "4")
    assert by_pictures["schemes"] == by_array["schemes"]
    assert by_array["schemes"].items() <= first_capable_backend["schemes"].items(), "channels are turned besides"
    mixed = _schemes(capsys, onnx, "--calibrate", str(folder / "pictures"), "--pixels", "0", "1", "--method", "mse")
    assert mixed["inputs"] == 4 and mixed["schemes"] != by_array["schemes"]


def test_pixels_reach_from_low_to_high(folder: Path) -> None:
    wanted = load_model(folder / "real.tflite").inputs[0]
    picture = folder / "same" / "0.png"
    pixels = digits.sample()[0][:1].astype(np.float64)
    for low, high in ((-1.0, 1.0), (0.0, 1.0), (-0.5, 2.0)):
        found = image_for(picture, wanted, pixels=(low, high))
        assert np.allclose(found, pixels / 255 * (high - low) + low, atol=1e-6)


@pytest.mark.parametrize("words, said", [
    ("nothing.tflite", "there is no file nothing.tflite"),
    ("real.tflite", "--calibrate is missing"),
    ("real.tflite --calibrate none", "has no pictures"),
    ("real.tflite --calibrate broken", "is not a picture that can be read"),
    ("real.tflite --calibrate nowhere", "is neither a folder of pictures nor a .npy file"),
    ("real.tflite --calibrate first.npy", r"inputs of .* must be \[count, 28, 28, 1\]"),
    ("real.onnx --calibrate last.npy", r"inputs of .* must be \[count, 1, 28, 28\]"),
    ("real.tflite --calibrate last.npy --pixels 1 0", "LOW below HIGH; got 1 and 0"),
    ("real.tflite --calibrate last.npy --flow qnnpack --per channel", "has one scale of weights"),
    ("real.tflite --calibrate nowhere --flow ncnn --out a.onnx", "flow ncnn cannot be written as .onnx"),
    ("real.tflite --calibrate nowhere --flow qnnpack --out a.tflite", "flow qnnpack cannot be written as .tflite"),
    ("real.tflite --calibrate nowhere --flow tengine --out a.tflite", "flow tengine cannot be written as .tflite"),
    ("real.tflite --calibrate nowhere --out a.txt", "is none of .npz, .tflite, .onnx"),
])
def test_what_is_wrong_is_said_first(folder: Path, words: str, said: str, capsys: pytest.CaptureFixture[str],
                                     monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that a flow cannot become are refused before what it would be calibrated with is looked at."""
    monkeypatch.chdir(folder)
    assert main(["quantize", *words.split()]) == 2
    shown = capsys.readouterr()
    assert shown.err.count("\n") == 1
    assert re.search(said, shown.err), shown.err
    assert not any(folder.glob("a.*"))


@pytest.mark.nightly
@pytest.mark.parametrize("flow", FLOWS)
def test_every_flow_is_saved_and_run(folder: Path, flow: str, capsys: pytest.CaptureFixture[str]) -> None:
    out = folder / f"{flow}.npz"
    main(["quantize", str(folder / "real.tflite"), "--flow", flow, "--calibrate", str(folder / "last.npy"), "--out",
          str(out)])
    assert "how like the real network" in capsys.readouterr().out
    x = np.load(folder / "last.npy")
    made = quantize(digits.digits("f32"), flow, calibration=[one[np.newaxis] for one in x])
    saved, own = read_npz(out).plan("reference"), made.plan("reference")
    for one in x:
        assert np.array_equal(saved.run(one[np.newaxis]), own.run(one[np.newaxis]))
    assert main(["run", str(out), "--runs", "1", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["quantization"] == "saved" and told["macs"] == digits.digits("f32").macs == 129_752
    assert main(["run", str(out), "--size", "3"]) == 2 and "saved unchanged" in capsys.readouterr().err


def test_zeros_are_no_calibration(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.save(folder / "zeros.npy", np.zeros((2, 28, 28, 1), np.float32))
    assert main(["quantize", str(folder / "real.tflite"), "--calibrate", str(folder / "zeros.npy")]) == 0
    assert "neonsim: warning: real.tflite: every calibration value of 'input' is 0" in capsys.readouterr().err
