"""Two studies of ncnn's way: where its red line goes, and its scales for a small network.

    print(red_line_study())         pairs of convolutions that qualify, and what the line saves, network by network
    print(scale_study())            the article's network: its table of scales, what is converted by each line

Scales are there of weights and of inputs, no other (F02), as reciprocals (F03).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from neonsim.nn.graph.data_movement import Reshape
from neonsim.nn.graph.graph import Graph
from neonsim.nn.graph.models import MODELS, model, options_of
from neonsim.nn.graph.models.float_builder import F32
from neonsim.nn.graph.passes import simplify
from neonsim.nn.graph.quantize.ncnn import WAYS, pairs_of, quantize_by_steps, weighted
from neonsim.nn.graph.quantize.quantize import calibrate_run, list_casts
from neonsim.nn.ops.arithmetics.ncnn import QuantizeInt8
from neonsim.nn.ops.float32.operators import Float32Conv2d, Float32FullyConnected
from neonsim.quant.calibration import similarity
from neonsim.studies.kernels import Bars, Report

__all__ = ["red_line_study", "scale_study", "small_network"]


# ---- where the red line goes -----------------------------------------------------------------------------------------

def red_line_study() -> Report:
    """Pairs of convolutions of every network here, with its published sizes, and of the small one.

    bare pairs   have neither normalisation nor activation between them
    pairs        once both have been taken in (F06)
    converted    elements that are quantised or dequantised in a run, by each line
    """
    networks = [("the article's", small_network()), *((name, model(name, quantization=F32)) for name in MODELS
                                                      if "quantization" in options_of(name))]
    rows, groups = [], []
    for name, graph in networks:
        layers: dict[str, Any] = {node.name: node.operator for node in simplify(graph).nodes
                  if node.operator.product_kind == "windows"}
        pairs = pairs_of(graph)
        bare = sum(not np.isfinite([layers[first].low, layers[first].high]).any() for first, _ in pairs)
        blue, red = (one["quantized"] + one["dequantized"] for one in
                     (list_casts(calibrate_run(graph, way)) for way in WAYS))
        rows.append([name, str(len(layers)), str(bare), str(len(pairs)), f"{blue:,}", f"{red:,}",
                     f"{100 * (1 - red / blue):.0f}%"])
        groups.append((name, (blue / 1000, red / 1000)))
    head = ["network", "convolutions", "bare pairs", "pairs", "converted, blue", "converted, red", "saved"]
    return Report(
        "ncnn's red line: pairs of convolutions that stay in int8, and conversions that it saves (counted)",
        "A pair: a convolution that convolutions alone read, and one of these. Bare pairs have neither batch "
        "normalisation nor activation between them, which is what the article looks at when it calls the red line "
        "rare; ncnn takes both into the convolution first, and then the pairs are those of the fourth column. "
        "Converted: elements that are quantised or made real numbers again; by the red line the result of the first "
        "of a pair is neither, but requantised once.",
        (head, rows), Bars("elements converted in a run, in thousands", ("blue line", "red line"), tuple(groups)))


# ---- the article's network -------------------------------------------------------------------------------------------

def small_network(seed: int = 0) -> Graph:
    """Return the network of the article's figures: convolutions of 4 and of 8 kernels, a fully connected layer.

    The article says no more than that in words; sizes (12x12 pixels, windows of 3x3, 10 results) and weights are ours.
    """
    rng = np.random.default_rng(seed)

    def weights(*shape: int) -> np.ndarray:
        # Kernels of several sizes, as trained ones have them: why ncnn has a scale for each.
        spread = rng.uniform(0.3, 1.5, (shape[0], *[1] * (len(shape) - 1)))
        return np.asarray(rng.normal(size=shape) * spread / np.sqrt(np.prod(shape[1:])))

    graph = Graph("article", (1, 12, 12, 1), dtype="float32")
    x = graph.add_node("conv1", Float32Conv2d(weights(4, 3, 3, 1), 0.1 * rng.normal(size=4), low=0.0), "input")
    x = graph.add_node("conv2", Float32Conv2d(weights(8, 3, 3, 4), 0.1 * rng.normal(size=8), low=0.0), x)
    x = graph.add_node("flat", Reshape("float32", (1, -1)), x)
    return graph.finish(graph.add_node("fc", Float32FullyConnected(weights(10, 512), 0.1 * rng.normal(size=10)), x))


def scale_study(seed: int = 0) -> Report:
    """Return a table of scales as ncnn keeps it, and what both lines do with it: the small network, calibrated by its
    largest values on 20 inputs by chance.

    `data` is ({layer: steps per unit of each kernel}, {layer: steps per unit of its input}).
    """
    graph, rng = small_network(seed), np.random.default_rng(seed + 1)
    inputs = [rng.normal(size=(1, 12, 12, 1)).astype(np.float32) for _ in range(20)]
    real = [graph.plan("reference").run(x) for x in inputs]
    converted, results = [], []
    for way in WAYS:
        made = quantize_by_steps(graph, way, calibration=inputs, method="minmax")
        plan = made.plan("reference")
        results.append([plan.run(x) for x in inputs])
        alike = min(similarity(a, b) for a, b in zip(real, results[-1], strict=True))
        counts = list_casts(made)
        converted.append([way, *(f"{counts[what]:,}" for what in ("quantized", "dequantized", "requantized")),
                          f"{alike:.6f}"])
    blue = quantize_by_steps(graph, calibration=inputs, method="minmax")
    steps = {node.name.removesuffix(" (quantised)"): node.operator.steps for node in blue.nodes
             if isinstance(node.operator, QuantizeInt8)}
    weights: dict[str, tuple[float, ...]] = {}
    for name in weighted(simplify(graph)):
        made_real: Any = blue.node(name).operator
        weights[name] = tuple((1 / (made_real.factor.astype(np.float64) * steps[name])).tolist())
    equal = all(a.tobytes() == b.tobytes() for a, b in zip(*results, strict=True))
    rows = [[f"{name}_param_0", str(len(each)), " ".join(f"{one:.3f}" for one in each)]
            for name, each in weights.items()]
    table = ["line", "numbers", "steps per unit: 127 / largest"], [*rows, *([name, "1", f"{one:.3f}"]
                                                                           for name, one in steps.items())]
    return Report(
        "A network of two convolutions, 4 and 8 kernels, and a fully connected layer: ncnn's table of scales",
        "The numbers are large because they are reciprocals of scales: real * steps = int8. Weights have one for each "
        "kernel, inputs one for each layer; there is none for results and none for biases, which stay real numbers. "
        f"Blue and red line give {'the same bits' if equal else 'other bits'}.\n"
        "The article's own figures are pictures, whose numbers are not to be had here: sizes and weights of this "
        "network are ours, made by a seed.",
        table,
        Bars("steps per unit of each kernel", ("steps per unit",),
             tuple((f"{name} {place}", (one,)) for name, each in weights.items() if name != "fc"
                   for place, one in enumerate(each))),
        printed=(table, (["line", "quantized", "dequantized", "requantized", "cosine"], converted)),
        data=(weights, steps))
