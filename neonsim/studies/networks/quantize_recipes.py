"""How networks are quantised: flows and calibrators side by side, and what a flow costs beside the float network.

    print(flow_study(*digits.sample()))

    bytes    of tensors, as they are: what a layer reads once and what it writes once; counted
    cycles   of the kernels of a core, on one thread, every access in the first cache; modelled
             (`neonsim.nn.graph.plan.cycles`)

A layer of the float network may be several nodes of a flow: "conv (quantised)", "conv (sums)" and "conv" are one layer.
Weights are left out of the bytes: they are int8 in every flow. What only renames a tensor moves nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neonsim.arm.timing import Core, load_core
from neonsim.common.study_report import Table
from neonsim.errors import BackendError, BadArgument
from neonsim.nn.graph.graph import Graph, Node
from neonsim.nn.graph.models import digits
from neonsim.nn.graph.models.float_builder import F32
from neonsim.nn.graph.plan.cycles import network_cycles
from neonsim.nn.graph.plan.run import OperatorPlan, plan
from neonsim.nn.graph.quantize.qat import BITS, in_few_bits, quantization_aware_training
from neonsim.nn.graph.quantize.quantize import FLOWS, list_casts, methods_of, quantize
from neonsim.quant.calibration import METHODS, similarity
from neonsim.studies.kernels import Bars, Report

__all__ = ["FlowCost", "FlowLayer", "flow_cost", "flow_costs", "flow_study"]

_CALIBRATED = 50    # of the digits, those that ranges are taken from


# ---- what a flow costs -----------------------------------------------------------------------------------------------

@dataclass(frozen=True)
class FlowLayer:
    """One layer of the float network as a flow has it.

    name           str
    bytes_read, bytes_written  int             bytes of tensors           counted
    cycles         float or None   of its kernels             modelled; None where none of its nodes has a kernel
    without        (str, ...)      kinds of its nodes that no kernel does: their cycles are missing
    """

    name: str
    bytes_read: int
    bytes_written: int
    cycles: float | None
    without: tuple[str, ...] = ()

    @property
    def moved(self) -> int:
        """Bytes in all."""
        return self.bytes_read + self.bytes_written


@dataclass(frozen=True)
class FlowCost:
    """A network by one flow on one core.

    flow, core    str
    layers        (FlowLayer, ...)   in the order in which they run
    converted     {str: int}         elements that change their kind of number: `conversions`
    """

    flow: str
    core: str
    layers: tuple[FlowLayer, ...]
    converted: dict[str, int]

    @property
    def moved(self) -> int:
        """Bytes that all layers read and write. Counted."""
        return sum(layer.moved for layer in self.layers)

    @property
    def cycles(self) -> float:
        """Of all layers that kernels do. Modelled."""
        return sum(layer.cycles or 0.0 for layer in self.layers)

    @property
    def without(self) -> tuple[str, ...]:
        """Kinds of operators whose cycles are missing."""
        return tuple(dict.fromkeys(kind for layer in self.layers for kind in layer.without))


def flow_cost(graph: Graph, flow: str, core: str | Core = "cortex-a53", isa: str | None = None) -> FlowCost:
    """Return the cost of a graph that a flow has made.

    core   whose kernels are taken and priced
    isa    None: aarch64 where the core has it

    Raises TimingError for a core that there is not, or that cannot run kernels of `isa`.
    """
    model = load_core(core)
    known = _cycles(graph, model, isa)
    layers: dict[str, list[Node]] = {}
    for node in graph.nodes:
        layers.setdefault(node.name.partition(" (")[0], []).append(node)
    return FlowCost(flow, model.name, tuple(_layer(graph, name, nodes, known) for name, nodes in layers.items()),
                    list_casts(graph))


def flow_costs(graph: Graph, core: str | Core = "cortex-a53", *, calibration: Iterable[Any],
               flows: Sequence[str] = FLOWS, method: str = "minmax") -> tuple[FlowCost, ...]:
    """Return a float network by several flows. Arguments and errors as `quantize` and `flow_cost`."""
    inputs = list(calibration)
    return tuple(flow_cost(quantize(graph, flow, calibration=inputs, method=method), flow, core) for flow in flows)


def _cycles(made: Graph, core: Core, isa: str | None) -> dict[str, float]:
    """Modelled cycles by node, of those that have kernels."""
    try:
        prepared = plan(made, ("emulated", "reference"), isa=isa, core=core.name)
        assert isinstance(prepared, OperatorPlan)
        found = network_cycles(prepared, core)
    except BackendError:        # no kernel at all
        return {}
    return {layer.name: layer.cycles for layer in found.layers if layer.cycles is not None}


def _layer(made: Graph, name: str, nodes: Sequence[Node], known: dict[str, float]) -> FlowLayer:
    moving = [node for node in nodes if node.operator.layout not in ("view", "constant")]
    read = sum(made.tensors[tensor].nbytes for node in moving for tensor in node.inputs)
    written = sum(made.tensors[tensor].nbytes for node in moving for tensor in node.results)
    cycles = [known[node.name] for node in nodes if node.name in known]
    without = tuple(node.kind for node in moving if node.name not in known)
    return FlowLayer(name, read, written, sum(cycles) if cycles else None, without)


# ---- the study -------------------------------------------------------------------------------------------------------

class _Quantized(NamedTuple):
    """One flow with one calibrator.

    correct       digits told rightly
    alike         cosine between its scores and those in floats, over all digits
    conversions   elements that are quantised or dequantised in a run
    requantised   elements that go from 32 bits to 8
    """

    flow: str
    method: str
    correct: int
    alike: float
    conversions: int
    requantized: int


class _FewBits(NamedTuple):
    """Weights of n bits, by flow `tflite`: digits told rightly with what was trained in floats, and with
    what was trained to be rounded (`neonsim.nn.graph.quantize.qat`)."""

    bits: int
    after: int
    aware: int


def flow_study(images: ArrayLike, labels: ArrayLike, core: str = "cortex-a53",
               networks: Mapping[str, Graph] | None = None, flows: Sequence[str] = FLOWS) -> Report:
    """Return the network of digits by every flow and calibrator, and with weights of few bits; what flows cost.

    images     uint8 [n, 28, 28, 1]
    labels     int [n]
    core       whose cycles are modelled
    networks   {name: float network} whose costs are listed too, calibrated on seeded random numbers
    flows      names of FLOWS

    `data` is (flows and calibrators, weights of few bits), named tuples.

    Raises BadArgument for arrays that are no digits, TimingError for a core that there is not.
    """
    pixels, known = np.asarray(images), np.asarray(labels, np.int64)
    real = digits.to_float32(pixels)["classifier"]
    if known.shape != (len(pixels),) or len(pixels) < _CALIBRATED:
        raise BadArgument(f"{_CALIBRATED} digits or more are needed, each with its label; got {len(pixels)} and "
                          f"{known.size} labels.")
    x = pixels.astype(np.float32) / np.float32(255)
    graph = digits.digits(F32, _CALIBRATED)
    found = []
    for flow in flows:
        for method in methods_of(flow):
            scores = _scores(graph, x, flow, method)
            found.append(_Quantized(flow, method, int((scores.argmax(1) == known).sum()), similarity(scores, real),
                                    *_counts(graph, x[:_CALIBRATED], flow)))
    few = []
    for bits in BITS:
        right = [int((_run(in_few_bits(layers, bits, _CALIBRATED), x).argmax(1) == known).sum())
                 for layers in (digits.parameters(), quantization_aware_training(bits))]
        few.append(_FewBits(bits, *right))
    costs = {"digits": flow_costs(digits.digits(F32), core, calibration=[x[:1]], flows=flows)}
    for name, other in (networks or {}).items():
        shape = other.tensors[other.inputs[0]].shape
        costs[name] = flow_costs(other, core, calibration=[np.random.default_rng(0).random(shape, np.float32)],
                                 flows=flows)

    def share(right: int) -> str:
        return f"{100 * right / len(known):.1f}%"

    head = ["flow", "calibrator", "right", "cosine", "converted", "requantized", "bytes moved", "cycles"]
    by_flow = {cost.flow: cost for cost in costs["digits"]}
    rows = [[one.flow, one.method, share(one.correct), f"{one.alike:.5f}", f"{one.conversions:,}",
             f"{one.requantized:,}", f"{by_flow[one.flow].moved:,}", _number(by_flow[one.flow].cycles)]
            for one in found]
    small = [[str(one.bits), share(one.after), share(one.aware)] for one in few]
    wrong = [(method, tuple(float(len(known) - one.correct) for one in found if one.method == method))
             for method in METHODS]
    modeled = costs["digits"][0].core
    return Report(
        f"Digits by flow and calibrator: of {len(known)}, {int((real.argmax(1) == known).sum())} are told rightly in "
        f"real numbers; bytes moved (counted) and cycles (modelled, {modeled})",
        _notes(found, sorted({kind for each in costs.values() for cost in each for kind in cost.without})),
        (head, rows),
        Bars("digits told wrongly, by calibrator", tuple(dict.fromkeys(one.flow for one in found)), tuple(wrong)),
        printed=[(head, rows), (["bits of weights", "quantised after training", "trained with rounding"], small),
                 *(table for name, each in costs.items() for table in _layer_tables(name, each))],
        details={"core": modeled, "layers": [
            {"network": name, "flow": cost.flow, "layer": layer.name, "read": layer.bytes_read,
             "written": layer.bytes_written,
             "cycles": layer.cycles, "without": list(layer.without)}
            for name, each in costs.items() for cost in each for layer in cost.layers]},
        data=(tuple(found), tuple(few)))


def _layer_tables(name: str, costs: Sequence[FlowCost]) -> list[Table]:
    """Bytes and cycles of every layer of a network, by flow."""
    layers = list(dict.fromkeys(layer.name for cost in costs for layer in cost.layers))
    by_flow = [{layer.name: layer for layer in cost.layers} for cost in costs]
    flows = [cost.flow for cost in costs]
    moved = [[layer, *(f"{found[layer].moved:,}" if layer in found else "" for found in by_flow)] for layer in layers]
    cycles = [[layer, *(_number(found[layer].cycles) if layer in found else "" for found in by_flow)]
              for layer in layers]
    return [([f"{name}: bytes moved", *flows], [*moved, ["all", *(f"{c.moved:,}" for c in costs)]]),
            ([f"{name}: cycles", *flows], [*cycles, ["all", *(_number(c.cycles) for c in costs)]])]


def _number(cycles: float | None) -> str:
    """"-" where no kernel does a layer."""
    return f"{cycles:,.0f}" if cycles else "-"


def _notes(found: Sequence[_Quantized], without: Sequence[str]) -> str:
    best, worst = (choose(found, key=lambda one: one.alike) for choose in (max, min))
    missing = f"; those of {', '.join(without)} are missing where no kernel does it" if without else ""
    return (f"Ranges of activations are taken from {_CALIBRATED} of the digits. Where every tensor has a scheme, "
            "real numbers are made integers once at the input and integers real numbers once at the end; between, "
            "every result of a convolution goes from 32 to 8 bits once. ncnn quantises the input of every "
            "convolution and makes its result real numbers again; fused, convolutions that follow each other "
            "requantize.\n"
            "Bytes are those of tensors, read once and written once by each layer of one image, sums of 32 bits "
            "among them where they are kept in memory; cycles are those of the core's kernels, modelled"
            f"{missing}.\n"
            f"Nearest to the real network: {best.flow} with {best.method} (cosine {best.alike:.5f}). Furthest: "
            f"{worst.flow} with {worst.method} ({worst.alike:.5f}); entropy compares shapes of distributions, and "
            "one that is mostly a spike (here: what the first layer makes of blank paper) may be cut right behind "
            "it.\n"
            "Trained with rounding: weights and results were rounded on their way forward while the network "
            "learned on from its trained parameters, and slopes went straight through. With 8 bits there is "
            "nothing to win; the fewer the bits, the more. Results have 8 bits in every row, by the ranges of the "
            "4 000 digits that it was trained with.")


def _scores(graph: Graph, x: NDArray[np.float32], flow: str, method: str) -> NDArray[np.float32]:
    """Of all digits, ranges from the first of them."""
    return _run(quantize(graph, flow, calibration=[x[:_CALIBRATED]], method=method), x)


def _run(graph: Graph, x: NDArray[np.float32]) -> NDArray[np.float32]:
    """Scores of all digits, as many at once as the graph takes."""
    plan = graph.plan(("native", "reference"))
    missing = -len(x) % _CALIBRATED
    filled = np.concatenate([x, np.zeros((missing, *x.shape[1:]), np.float32)])
    return np.concatenate([plan.run(filled[at:at + _CALIBRATED]) for at in range(0, len(filled), _CALIBRATED)])[:len(x)]


def _counts(graph: Graph, x: NDArray[np.float32], flow: str) -> tuple[int, int]:
    """(elements converted between integers and floats, elements requantised) for one digit."""
    made = quantize(graph, flow, calibration=[x])
    count = made.tensors[made.inputs[0]].shape[0]
    found = list_casts(made)
    return (found["quantized"] + found["dequantized"]) // count, found["requantized"] // count
