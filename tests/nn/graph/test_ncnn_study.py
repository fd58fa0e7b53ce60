"""Where ncnn's red line goes, and the article's network: counts by closed forms, scales by their definition."""

from __future__ import annotations

import numpy as np
import pytest

from neonsim.nn.graph import Graph, quantize
from neonsim.nn.graph.passes import diff, fuse_requantization
from neonsim.nn.graph.quantize.quantize import calibrate_run, list_casts
from neonsim.nn.ops.arithmetics.ncnn import RequantizeAcc
from neonsim.nn.ops.float32.operators import Float32Add, Float32Conv2d, Float32FullyConnected
from neonsim.studies.networks.ncnn import red_line_study, scale_study, small_network


def branched() -> Graph:
    """a is read by two convolutions; b by one, and by a sum; c is a result; d is read by a product."""
    rng = np.random.default_rng(0)
    graph = Graph("branched", (1, 8, 8, 2), dtype="float32")

    def conv(name: str, x: str, channels: int, low: float = -np.inf) -> str:
        shape = (channels, 3, 3, graph.tensors[x].shape[-1])
        return graph.add_node(name, Float32Conv2d(rng.normal(size=shape) / 4, rng.normal(size=channels), padding=1,
                                                  low=low), x)
    a = conv("a", "input", 4, 0.0)
    b, c = conv("b", a, 4), conv("c", a, 4)
    d = conv("d", graph.add_node("sum", Float32Add(), b, c), 4)
    e = graph.add_node("e", Float32FullyConnected(rng.normal(size=(3, 4))), d)
    return graph.finish(e, conv("f", b, 2), c)


def images() -> list[np.ndarray]:
    rng = np.random.default_rng(1)
    return [rng.normal(size=(1, 8, 8, 2)).astype(np.float32) for _ in range(3)]


@pytest.mark.parametrize("graph", [branched(), small_network()], ids=lambda graph: graph.name)
def test_the_pass_gives_the_red_line_and_the_same_bits(graph: Graph) -> None:
    x = images() if graph.name == "branched" else [one[..., :1].repeat(2, 1)[:, :12].repeat(2, 2)[:, :, :12]
                                                   for one in images()]
    blue, red = (quantize(graph, way, calibration=x) for way in ("ncnn", "ncnn-fused"))
    fused = fuse_requantization(blue)
    assert [(node.name, type(node.operator), node.inputs) for node in fused] == \
        [(node.name, type(node.operator), node.inputs) for node in red]
    assert list_casts(fused) == list_casts(red) != list_casts(blue)
    assert [node.name for node in fused if isinstance(node.operator, RequantizeAcc)] == \
        [{"branched": "a", "article": "conv1"}[graph.name]]
    for one in x:
        made = [each.plan("reference").run(one) for each in (blue, red, fused)]
        first, *others = [found if isinstance(found, tuple) else (found,) for found in made]
        for other in others:
            assert all(a.tobytes() == b.tobytes() for a, b in zip(first, other, strict=True))
    assert fuse_requantization(fused).nodes[0].operator is fused.nodes[0].operator and not diff(
        fused, fuse_requantization(fused)), "there is nothing left to fuse"


def test_what_the_pass_changed_is_told() -> None:
    blue = calibrate_run(small_network(), "ncnn")
    assert [str(one) for one in diff(blue, fuse_requantization(blue))] == [
        "conv1: dequantization [0, inf] -> requantization [0, inf]",
        "conv2 (sums): quantization + integer convolution -> integer convolution"]


@pytest.mark.nightly
def test_counts_of_the_networks() -> None:
    """(F06). Elements: by the blue line every input of a layer and every result; by the red one not those between."""
    study = red_line_study()
    found = {name: [int(cell.replace(",", "")) for cell in cells] for name, *cells, _ in study.table[1]}
    assert (found["mobilenet_v1"][1:3], found["digits"][2]) == ([0, 26], 4)
    assert found["mobilenet_v2"][1:3] == [2, 36]
    inputs, results = 12 * 12 + 10 * 10 * 4 + 512, 10 * 10 * 4 + 8 * 8 * 8 + 10
    assert found["the article's"][3:] == [inputs + results, inputs + results - 800]
    assert "mobilenet_v1" in str(study) and "saved" in str(study)


@pytest.mark.nightly
def test_scales_of_the_article_s_network() -> None:
    study, graph = scale_study(), small_network()
    weights, _ = study.data
    assert {name: len(steps) for name, steps in weights.items()} == {"conv1": 4, "conv2": 8, "fc": 10}
    for name, steps in weights.items():
        w = graph.node(name).operator.w  # type: ignore[union-attr]
        assert steps == pytest.approx(127 / abs(w.reshape(len(w), -1)).max(axis=1), rel=1e-5)
    rows = study.printed[1][1]
    assert "give the same bits" in study.notes and min(float(row[-1]) for row in rows) > 0.99
    assert [row[:-1] for row in rows] == [["ncnn", "1,056", "922", "0"], ["ncnn-fused", "656", "522", "400"]]
    assert "conv2_param_0" in str(study)
