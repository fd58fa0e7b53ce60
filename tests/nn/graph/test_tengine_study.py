"""The tables of Tengine's study, counted once more."""

from __future__ import annotations

import numpy as np
import pytest

from neonsim.nn.graph.models import digits
from neonsim.nn.graph.models.float_builder import F32
from neonsim.nn.graph.quantize.tengine import bias_bits
from neonsim.studies.networks.tengine import constants_of_relu6, relu_graph, relu_variants, roundings, tengine_report


def test_the_constant_of_relu6() -> None:
    """min(real, 6) / s_out rounded is the byte; with the constant that is cut off it is another."""
    for one in constants_of_relu6([0.0472441, 0.05, 0.0621, 0.07, 1 / 12]):
        assert (one.rounded, one.truncated) == (int(6 / one.scale + 0.5), int(6 / one.scale + 1e-6))
        assert (one.total is None) == (one.rounded == one.truncated)
        if one.total is not None:
            real = min(one.total * one.scale / 90, 6.0)
            assert one.bytes == (round(real / one.scale), one.truncated) and one.bytes[0] != one.bytes[1]


def test_every_rounding_commutes_with_relu() -> None:
    found = {one.rule: one for one in roundings()}
    assert len(found) == 6 and all(one.differ == 0 and one.accumulators > 20_000 for one in found.values())
    # Ties up twice: of the 127 negative halves that a scale just above 1 / 90 has, each.
    assert found["tengine"].unlike == 127 and found["precise"].unlike == 0


def test_printed_and_plain() -> None:
    pictures = digits.sample()[0][:1].astype(np.float32) / np.float32(255)
    biases = {"digits": bias_bits(digits.digits(F32), calibration=[pictures])}
    study = tengine_report(biases, constants_of_relu6([0.0621]), roundings()[:1])
    plain = study.to_dict()
    assert [len(plain[name]) for name in ("table", "relu6", "roundings", "winograd", "relu")] == [6, 1, 1, 6, 0]
    assert plain["winograd"][2] | {"in int16": "no", "transformed weights": "18"} == plain["winograd"][2]
    assert "F(4, 3)" in str(study) and study.picture() is not None


@pytest.mark.nightly
def test_three_ways_of_relu_are_one_and_cost_what_they_cost() -> None:
    """Every byte but -128, which Tengine never has; kernels of both instruction sets, and C."""
    x = np.arange(-127, 128, dtype=np.int8).reshape(1, -1)
    for way in ("maximum", "detour", "buffer"):
        graph = relu_graph(way, x.size)
        given = graph.tensors["input"].type.value(x)
        for options in ({"backend": "reference"}, {"backend": "native"}, {"backend": "emulated", "isa": "aarch32"},
                        {"backend": "emulated", "isa": "aarch64"}):
            assert np.array_equal(graph.plan(**options).run(given).values, np.maximum(x, 0))
    ways = relu_variants(elements=1024)
    for isa in ("aarch64", "aarch32"):
        maximum, detour, buffer = (one for one in ways if one.isa == isa)
        assert 10 * maximum.cycles < detour.cycles < buffer.cycles
        assert (maximum.moved, detour.moved, buffer.moved) == (2 * 1024, 2 * 1024, 18 * 1024)
