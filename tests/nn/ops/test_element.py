"""How one element came about: against the definition of every kind of operator, and formulas written out here."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from neonsim.errors import BadArgument
from neonsim.nn import ops
from neonsim.nn.ops.explain.element import account
from neonsim.nn.ops.explain.rounding_cause import alternatives, by_rules, line_of, needed, reason
from neonsim.quant import Quantized, Scheme
from neonsim.quant.requant.schemes import requantize

RNG = np.random.default_rng(7)
U8, S8 = Scheme(0.05, 120), Scheme(0.04, -7, "int8")


def _bytes(shape: tuple[int, ...], dtype: str = "uint8") -> np.ndarray:
    info = np.iinfo(dtype)
    return RNG.integers(info.min, info.max + 1, shape).astype(dtype)


def _weights(shape: tuple[int, ...], axis: int | None = None) -> Quantized:
    if axis is None:
        return Quantized(_bytes(shape), 0.01, 100)
    scales = RNG.uniform(0.002, 0.02, shape[axis]).astype(np.float32)
    return Quantized(np.maximum(_bytes(shape, "int8"), -127), scales, axis=axis)


def _bias(count: int) -> np.ndarray:
    return RNG.integers(-9000, 9000, count).astype(np.int32)


OUT8, OUTS = Scheme(0.8, 100), Scheme(0.7, 5, "int8")
# Every kind of operator, with shapes of its inputs.
KINDS: dict[str, tuple[Any, list[tuple[int, ...]]]] = {
    "conv padded, strided": (ops.Conv2d(U8, _weights((5, 3, 2, 4)), _bias(5), out=OUT8, stride=(2, 1), padding=(
        (1, 0), (1, 1)), requantization="fp32"), [(2, 7, 6, 4)]),
    "conv dilated, int8 per channel": (ops.Conv2d(S8, _weights((6, 3, 3, 3), 0), _bias(6), out=OUTS, dilation=2,
                                                  padding=2, output_min=5), [(2, 6, 5, 3)]),
    "conv grouped": (ops.Conv2d(U8, _weights((6, 2, 2, 3)), _bias(6), out=OUT8, groups=3, requantization="rndnu"),
                     [(1, 4, 5, 9)]),
    "conv q31": (ops.Conv2d(U8, _weights((4, 1, 1, 8)), _bias(4), out=Scheme(2.0, 90)), [(1, 3, 3, 8)]),
    "depthwise": (ops.Conv2d(S8, _weights((20, 3, 3, 1), 0), _bias(20), out=OUTS, groups=20, padding=1),
                  [(2, 4, 4, 20)]),
    "deconvolution": (ops.Deconv2d(U8, _weights((6, 3, 3, 2)), _bias(4), out=OUT8, stride=2, padding=1, groups=2),
                      [(2, 3, 4, 6)]),
    "fully connected": (ops.FullyConnected(S8, _weights((7, 30), 0), _bias(7), out=OUTS), [(3, 30)]),
    "fully connected, three axes": (ops.FullyConnected(U8, _weights((7, 12)), None, out=OUT8, requantization="precise"),
                                    [(2, 3, 12)]),
    "conv, tflite": (ops.Conv2d(U8, _weights((5, 3, 2, 4)), _bias(5), out=OUT8, padding=1, requantization="gemmlowp",
                                scale=0.05 * 0.01 / 0.8), [(2, 5, 4, 4)]),
    "conv that enlarges, ruy": (ops.Conv2d(U8, _weights((5, 1, 1, 2)), _bias(5), out=OUT8, requantization="ruy",
                                           scale=2.7), [(2, 3, 4, 2)]),
    "depthwise, in eights": (ops.Conv2d(S8, _weights((20, 3, 3, 1), 0), _bias(20), out=OUTS, groups=20, padding=1,
                                        requantization="ruy8", scale=RNG.uniform(0.0005, 0.005, 20)), [(2, 4, 4, 20)]),
    "fully connected, once": (ops.FullyConnected(S8, _weights((7, 30), 0), _bias(7), out=OUTS, requantization="fp64",
                                                 scale=RNG.uniform(0.0005, 0.005, 7)), [(3, 30)]),
    "addition, twice": (ops.Add(U8, Scheme(0.02, 9), out=Scheme(0.06, 130), rounding="twice"), [(2, 3, 4), (4,)]),
    "subtraction, twice": (ops.Subtract(S8, S8, out=OUTS, rounding="twice"), [(2, 9), (2, 9)]),
    "multiplication, twice": (ops.Multiply(S8, S8, out=OUTS, requantization="gemmlowp"), [(4, 5), (4, 5)]),
    "mean, twice": (ops.GlobalAvgPool(S8, out=Scheme(0.01, 9, "int8"), requantization="gemmlowp"), [(2, 5, 4, 6)]),
    "mean, kept": (ops.GlobalAvgPool(S8, out=Scheme(0.01, 9, "int8"), requantization="ruy16"), [(2, 3, 3, 20)]),
    "conversion, in sixteens": (ops.Convert(S8, out=OUTS, requantization="ruy16"), [(3, 25)]),
    "conversion, twice": (ops.Convert(U8, out=Scheme(0.06, -3, "int8"), requantization="gemmlowp"), [(4, 9)]),
    "conversion, to 16 bits": (ops.Convert(U8, out=Scheme(0.001, 0, "int16"), requantization="gemmlowp"), [(4, 9)]),
    "conversion, of 16 bits": (ops.Convert(Scheme(0.0003, 0, "int16"), out=OUTS, requantization="gemmlowp"), [(4, 9)]),
    "leaky, twice": (ops.LeakyRelu(U8, slope=0.2, out=U8, requantization="gemmlowp"), [(4, 9)]),
    "softmax, other steps": (ops.Softmax(U8, out=Scheme(0.01, 0)), [(3, 10)]),
    "softmax, fixed": (ops.Softmax(S8, fixed=True), [(3, 10)]),
    "quantization, away": (ops.Quantize(out=S8, ties="away"), [(3, 7)]),
    "addition, away": (ops.Add(U8, Scheme(0.02, 9), out=Scheme(0.06, 130)), [(2, 3, 4), (2, 3, 4)]),
    "addition, up, broadcast": (ops.Add(S8, S8, out=Scheme(0.09, 3, "int8")), [(2, 3, 4), (3, 1)]),
    "subtraction": (ops.Subtract(U8, U8, out=Scheme(0.06, 130)), [(2, 9), (2, 9)]),
    "multiplication": (ops.Multiply(S8, S8, out=Scheme(0.05, 3, "int8"), requantization="rndnu"), [(4, 5), (5,)]),
    "average, uint8": (ops.AvgPool2d(U8, pool=3, out=Scheme(0.04, 99), stride=2, padding=1), [(2, 6, 6, 5)]),
    "average, int8": (ops.AvgPool2d(S8, pool=(2, 3), out=Scheme(0.03, -3, "int8"), padding=(0, 1)), [(2, 6, 6, 5)]),
    "average of integers": (ops.AvgPool2d(S8, pool=3, out=S8, integer=True, stride=2, padding=1), [(1, 6, 6, 5)]),
    "mean, uint8": (ops.GlobalAvgPool(U8, out=Scheme(0.04, 99)), [(2, 5, 4, 6)]),
    "mean, int8": (ops.GlobalAvgPool(S8, out=Scheme(0.01, 9, "int8")), [(2, 5, 4, 6)]),
    "largest": (ops.MaxPool2d(S8, pool=3, stride=2, padding=1, output_max=90), [(2, 6, 6, 5)]),
    "clamp": (ops.Clamp(U8, output_min=30, output_max=200), [(4, 9)]),
    "sigmoid": (ops.Sigmoid(S8), [(4, 9)]), "tanh": (ops.Tanh(U8), [(4, 9)]),
    "leaky": (ops.LeakyRelu(S8, slope=0.2, out=S8), [(4, 9)]),
    "conversion": (ops.Convert(U8, out=Scheme(0.06, -3, "int8")), [(4, 9)]),
    "softmax": (ops.Softmax(S8), [(3, 10)]), "softargmax": (ops.SoftArgmax(U8), [(3, 10)]),
    "shuffle": (ops.ChannelShuffle(U8, groups=3), [(2, 12)]),
    "padding": (ops.Pad(S8, amounts=((0, 0), (1, 2), (0, 1))), [(1, 3, 4)]), "copy": (ops.Copy(U8), [(2, 5)]),
    "quantization": (ops.Quantize(out=S8), [(3, 7)]), "dequantization": (ops.Dequantize(S8), [(3, 7)]),
}


def _inputs(operator: ops.Operator, shapes: list[tuple[int, ...]]) -> list[np.ndarray]:
    return [RNG.normal(0, 3, s).astype(np.float32) if t.dtype == "float32" else _bytes(s, t.dtype)
            for s, t in zip(shapes, operator.input_types, strict=True)]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_gives_what_the_definition_gives(kind: str) -> None:
    operator, shapes = KINDS[kind]
    values = _inputs(operator, shapes)
    wanted = operator.reference(*values)
    sums = operator.accumulators(*values)
    for flat in RNG.choice(wanted.size, min(wanted.size, 30), replace=False):
        index = tuple(int(i) for i in np.unravel_index(flat, wanted.shape))
        found = account(operator, values, index)
        assert found.checked and found.value == wanted[index]
        assert found.requantized is None or found.requantized.value == wanted[index]
        summed = ops.Conv2d | ops.Deconv2d | ops.FullyConnected | ops.Multiply
        assert (sums is None) == (not isinstance(operator, summed))
        if sums is not None:
            assert found.total == sums[index] and found.terms is not None and found.requantized is not None
        if found.moved is not None:
            assert values[found.moved[0]][found.moved[1]] == wanted[index]
        text = str(found)
        assert str(found.value) in text and len(text.splitlines()) < 40, "bounded, whatever the depth"


def test_sums_by_a_loop_over_the_definition() -> None:
    """Grouped, strided, padded, batch 2: every product of one element by plain Python."""
    x, w, bias = _bytes((2, 6, 7, 6)), _weights((4, 3, 2, 3)), _bias(4)
    operator = ops.Conv2d(U8, w, bias, out=OUT8, stride=(2, 3), padding=((2, 1), (0, 1)), groups=2,
                          requantization="fp32")
    for b, oy, ox, o in ((0, 0, 0, 0), (1, 2, 1, 3), (1, 3, 2, 2), (0, 3, 0, 1)):
        total, outside = int(bias[o]), 0
        for ky in range(3):
            for kx in range(2):
                y, column = oy * 2 + ky - 2, ox * 3 + kx
                for c in range(3):
                    if not (0 <= y < 6 and column < 7):
                        outside += 1
                        continue
                    total += (int(x[b, y, column, o // 2 * 3 + c]) - 120) * (int(w.values[o, ky, kx, c]) - 100)
        found = account(operator, [x], (b, oy, ox, o))
        assert found.total == total and found.bias == bias[o]
        assert found.terms is not None and found.terms.padding == outside and len(found.terms.x) == 18
        scale = np.float32(0.05) * np.float32(0.01) / np.float32(0.8)
        rounded = int(np.rint(np.float32(np.float32(total) * scale)))
        assert found.value == min(max(rounded + 100, 0), 255)


def test_every_rule_of_one_sum_is_what_quant_gives() -> None:
    operator, shapes = KINDS["conv padded, strided"]
    values = _inputs(operator, shapes)
    found = account(operator, values, (0, 1, 2, 3))
    for name, way in alternatives(found).items():
        if name in ("precise", "rndnu", "fp32_lrint", "q31"):
            assert way.value == requantize(found.total, operator.scale, 100, scheme=name)
    every = by_rules(operator, values)
    assert np.array_equal(every["fp32_lrint"], operator.reference(*values)) and {"rndnu", "q31",
                                                                                 "precise"} <= set(every)
    assert np.array_equal(every["q31"], requantize(operator.accumulators(*values), operator.scale, 100, scheme="q31"))
    sums, (a, b) = KINDS["addition, away"], (_bytes((2, 3, 4)), _bytes((2, 3, 4)))
    assert np.array_equal(by_rules(sums[0], [a, b])["ties away"], sums[0].reference(a, b))
    assert not by_rules(KINDS["softmax"][0], [_bytes((3, 10), "int8")])


def test_two_rules_at_a_tie() -> None:
    """585 / 90 = 6.5 in single precision, a little more exactly."""
    x, w = Scheme(1.0), Quantized(np.array([[1]], np.uint8), 1.0)
    made = [ops.FullyConnected(x, w, np.array([385], np.int32), out=Scheme(90.0), requantization=rule)
            for rule in ("rndnu", "fp32")]
    one, other = (account(operator, [np.array([[200]], np.uint8)], (0, 0)) for operator in made)
    assert (one.total, one.value, other.value) == (585, 7, 6)
    said = reason(one, other, ("a", "b"))
    assert "one sum, 585, two rules" in said and "single precision" in said
    assert not reason(one, one, ("a", "b"))
    line = line_of({"a": one, "b": other})
    assert line is not None and line.results == {"a": 7, "b": 6} and float(line.exact) == pytest.approx(6.5)
    assert alternatives(one)["fp32_lrint"].value == 6
    assert needed(one, 9) == "9 would need sums from 765 to 854 (but for ties): this one is 180 below"
    assert needed(one, 7) == ""


def test_it_refuses_what_lies_outside() -> None:
    operator, shapes = KINDS["clamp"]
    for index in ((4, 0), (0,), (0, -1), (0, 9)):
        with pytest.raises(BadArgument, match="outside the result of clamp"):
            account(operator, _inputs(operator, shapes), index)
