"""What flows cost: bytes by closed form, cycles where there are kernels."""

from __future__ import annotations

import numpy as np
import pytest

from neonsim.errors import NeonsimError
from neonsim.nn.graph import Graph
from neonsim.nn.graph.quantize.quantize import FLOWS, quantize
from neonsim.nn.ops.float32.operators import Float32Conv2d, Float32FullyConnected
from neonsim.studies.networks.quantize_recipes import flow_cost, flow_costs


def two_layers() -> Graph:
    """A convolution of 3 channels to 4 that keeps the size, a 1x1 to 5, a product of all to 2."""
    rng = np.random.default_rng(0)
    graph = Graph("two", (1, 6, 5, 3), dtype="float32")
    x = graph.add_node("a", Float32Conv2d(rng.normal(size=(4, 3, 3, 3)), padding=1, low=0.0), "input")
    x = graph.add_node("b", Float32Conv2d(rng.normal(size=(5, 1, 1, 4))), x)
    return graph.finish(graph.add_node("c", Float32FullyConnected(rng.normal(size=(2, 5))), x))


X = np.random.default_rng(1).normal(size=(1, 6, 5, 3)).astype(np.float32)


@pytest.mark.nightly
def test_bytes_are_the_closed_form() -> None:
    """ncnn: floats in, bytes out and in, sums out and in, floats out, for every layer; fused, bytes between a and b."""
    pixels, sizes = 30, {"a": (3, 4), "b": (4, 5), "c": (5, 2)}
    blue, red = flow_costs(two_layers(), calibration=[X], flows=("ncnn", "ncnn-fused"))
    for layer in blue.layers:
        read, made = (pixels * channels for channels in sizes[layer.name])
        assert (layer.bytes_read, layer.bytes_written) == (4 * read + read + 4 * made, read + 4 * made + 4 * made)
    of = {layer.name: layer.moved for layer in red.layers}
    assert of["a"] == 30 * (4 * 3 + 3 + 3 + 4 * 4 + 4 * 4 + 4) and of["b"] == 30 * (4 + 4 * 5 + 4 * 5 + 4 * 5)
    assert red.moved < blue.moved and blue.converted["requantized"] == 0
    assert red.converted == {"quantized": 30 * (3 + 5), "dequantized": 30 * (5 + 2), "requantized": 30 * 4}


@pytest.mark.nightly
def test_cycles_where_there_are_kernels() -> None:
    made = quantize(two_layers(), "ncnn-fused", calibration=[X])
    slow, fast = (flow_cost(made, "ncnn-fused", core) for core in ("cortex-a53", "cortex-a76"))
    assert all(layer.cycles and not layer.without for layer in (*slow.layers, *fast.layers))
    assert slow.cycles > fast.cycles > 0 and slow.core == "cortex-a53"
    assert flow_cost(made, "ncnn-fused", "cortex-a53", isa="aarch32").cycles != slow.cycles
    with pytest.raises(NeonsimError, match="no core"):
        flow_cost(made, "ncnn-fused", "cortex-m0")


@pytest.mark.nightly
@pytest.mark.parametrize("flow", FLOWS)
def test_every_flow_has_a_cost(flow: str) -> None:
    cost = flow_cost(quantize(two_layers(), flow, calibration=[X]), flow)
    assert cost.flow == flow and cost.moved > 0 and {"a", "b", "c"} <= {layer.name for layer in cost.layers}
