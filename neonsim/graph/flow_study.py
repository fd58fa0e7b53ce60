"""A study of how networks are quantised: flows and calibrators side by side.

    print(flow_study(*digits.sample()))
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neonsim.errors import BadArgument
from neonsim.graph.aware import BITS, aware, in_few_bits
from neonsim.graph.flow_cost import FlowCost, FlowLayer, flow_costs
from neonsim.graph.graph import Graph
from neonsim.graph.models import digits
from neonsim.graph.models.real import F32
from neonsim.graph.quantising import FLOWS, conversions, methods_of, quantise
from neonsim.quant.calibration import METHODS, similarity
from neonsim.timing.studies import Bars, Study
from neonsim.timing.studies.study import Table

__all__ = ["FlowStudy", "flow_study"]

_CALIBRATED = 50    # of the digits, those that ranges are taken from


@dataclass(frozen=True)
class _Quantised:
    """One flow with one calibrator.

    right         digits told rightly
    alike         cosine between its scores and those in real numbers, over all digits
    conversions   elements that are quantised or dequantised in a run
    requantised   elements that go from 32 bits to 8
    """

    flow: str
    method: str
    right: int
    alike: float
    conversions: int
    requantised: int


@dataclass(frozen=True)
class _FewBits:
    """Weights of so many bits, by flow `tflite`: digits told rightly with what was trained in real numbers, and with
    what was trained to be rounded (`neonsim.graph.aware`)."""

    bits: int
    after: int
    aware: int


@dataclass(frozen=True, eq=False)
class FlowStudy(Study):
    """The network of digits by every flow and calibrator, and with weights of few bits; what flows cost: of it, and of
    other networks.

    costs   {network: what it costs by each flow}
    """

    count: int
    real: int
    found: tuple[_Quantised, ...]
    costs: Mapping[str, tuple[FlowCost, ...]]
    few: tuple[_FewBits, ...] = ()

    @property
    def title(self) -> str:
        return (f"Digits by flow and calibrator: of {self.count}, {self.real} are told rightly in real numbers; bytes "
                f"moved (counted) and cycles (modelled, {self._digits[0].core})")

    @property
    def _digits(self) -> tuple[FlowCost, ...]:
        return self.costs["digits"]

    def table(self) -> Table:
        head = ["flow", "calibrator", "right", "cosine", "converted", "requantised", "bytes moved", "cycles"]
        costs = {cost.flow: cost for cost in self._digits}
        return head, [[one.flow, one.method, f"{100 * one.right / self.count:.1f}%", f"{one.alike:.5f}",
                       f"{one.conversions:,}", f"{one.requantised:,}", f"{costs[one.flow].moved:,}",
                       _number(costs[one.flow].cycles)] for one in self.found]

    def printed(self) -> Sequence[Table]:
        """Flows and calibrators; weights of few bits; for each network bytes and cycles of every layer by flow."""
        rows = [[str(one.bits), *(f"{100 * right / self.count:.1f}%" for right in (one.after, one.aware))]
                for one in self.few]
        tables = [self.table(), (["bits of weights", "quantised after training", "trained with rounding"], rows)]
        for name, costs in self.costs.items():
            layers = list(dict.fromkeys(layer.name for cost in costs for layer in cost.layers))
            by_flow = [{layer.name: layer for layer in cost.layers} for cost in costs]
            flows = [cost.flow for cost in costs]
            moved = [[layer, *(f"{found[layer].moved:,}" if layer in found else "" for found in by_flow)]
                     for layer in layers]
            tables.append(([f"{name}: bytes moved", *flows], [*moved, ["all", *(f"{c.moved:,}" for c in costs)]]))
            cycles = [[layer, *(_cycles(found.get(layer)) for found in by_flow)] for layer in layers]
            tables.append(([f"{name}: cycles", *flows], [*cycles, ["all", *(_number(c.cycles) for c in costs)]]))
        return tables

    def to_dict(self) -> dict[str, Any]:
        """With the layers of every flow."""
        layers = [{"network": name, "flow": cost.flow, "layer": layer.name, "read": layer.read,
                   "written": layer.written, "cycles": layer.cycles, "without": list(layer.without)}
                  for name, costs in self.costs.items() for cost in costs for layer in cost.layers]
        return {**super().to_dict(), "core": self._digits[0].core, "layers": layers}

    def figure(self) -> Bars:
        groups = []
        for method in METHODS:
            wrong = {one.flow: float(self.count - one.right) for one in self.found if one.method == method}
            groups.append((method, tuple(wrong.values())))
        return Bars("digits told wrongly, by calibrator", tuple(dict.fromkeys(one.flow for one in self.found)),
                    tuple(groups))

    @property
    def _missing(self) -> str:
        kinds = sorted({kind for costs in self.costs.values() for cost in costs for kind in cost.without})
        return f"; those of {', '.join(kinds)} are missing where no kernel does it" if kinds else ""

    @property
    def notes(self) -> str:
        best, worst = (choose(self.found, key=lambda one: one.alike) for choose in (max, min))
        return (f"Ranges of activations are taken from {_CALIBRATED} of the digits. Where every tensor has a scheme, "
                "real numbers are made integers once at the input and integers real numbers once at the end; between, "
                "every result of a convolution goes from 32 to 8 bits once. ncnn quantises the input of every "
                "convolution and makes its result real numbers again; fused, convolutions that follow each other "
                "requantise.\n"
                "Bytes are those of tensors, read once and written once by each layer of one image, sums of 32 bits "
                "among them where they are kept in memory; cycles are those of the core's kernels, modelled"
                f"{self._missing}.\n"
                f"Nearest to the real network: {best.flow} with {best.method} (cosine {best.alike:.5f}). Furthest: "
                f"{worst.flow} with {worst.method} ({worst.alike:.5f}); entropy compares shapes of distributions, and "
                "one that is mostly a spike (here: what the first layer makes of blank paper) may be cut right behind "
                "it.\n"
                "Trained with rounding: weights and results were rounded on their way forward while the network "
                "learned on from its trained parameters, and slopes went straight through. With 8 bits there is "
                "nothing to win; the fewer the bits, the more. Results have 8 bits in every row, by the ranges of the "
                "4 000 digits that it was trained with.")


def _cycles(layer: FlowLayer | None) -> str:
    """Of a layer that a flow has; "-" where no kernel does it."""
    return "" if layer is None else _number(layer.cycles)


def _number(cycles: float | None) -> str:
    return f"{cycles:,.0f}" if cycles else "-"


def flow_study(images: ArrayLike, labels: ArrayLike, core: str = "cortex-a53",
               networks: Mapping[str, Graph] | None = None, flows: Sequence[str] = FLOWS) -> FlowStudy:
    """Run the network of digits by every flow.

    images     uint8 [n, 28, 28, 1]
    labels     int [n]
    core       whose cycles are modelled
    networks   {name: float network} whose costs are listed too, calibrated on seeded random numbers
    flows      names of FLOWS

    Raises BadArgument for arrays that are no digits, TimingError for a core that there is not.
    """
    pixels, known = np.asarray(images), np.asarray(labels, np.int64)
    real = digits.real(pixels)["classifier"]
    if known.shape != (len(pixels),) or len(pixels) < _CALIBRATED:
        raise BadArgument(f"{_CALIBRATED} digits at least, each with its label; got {len(pixels)} and {known.size} "
                          "labels.")
    x = pixels.astype(np.float32) / np.float32(255)
    graph = digits.digits(F32, _CALIBRATED)
    found = []
    for flow in flows:
        for method in methods_of(flow):
            scores = _scores(graph, x, flow, method)
            found.append(_Quantised(flow, method, int((scores.argmax(1) == known).sum()), similarity(scores, real),
                                    *_counts(graph, x[:_CALIBRATED], flow)))
    one = digits.digits(F32)
    costs = {"digits": flow_costs(one, core, calibration=[x[:1]], flows=flows)}
    for name, other in (networks or {}).items():
        shape = other.tensors[other.inputs[0]].shape
        costs[name] = flow_costs(other, core, calibration=[np.random.default_rng(0).random(shape, np.float32)],
                                 flows=flows)
    few = []
    for bits in BITS:
        right = [int((_run(in_few_bits(layers, bits, _CALIBRATED), x).argmax(1) == known).sum())
                 for layers in (digits.parameters(), aware(bits))]
        few.append(_FewBits(bits, *right))
    return FlowStudy(len(pixels), int((real.argmax(1) == known).sum()), tuple(found), costs, tuple(few))


def _scores(graph: Graph, x: NDArray[np.float32], flow: str, method: str) -> NDArray[np.float32]:
    """Of all digits, ranges from the first of them."""
    return _run(quantise(graph, flow, calibration=[x[:_CALIBRATED]], method=method), x)


def _run(graph: Graph, x: NDArray[np.float32]) -> NDArray[np.float32]:
    """Scores of all digits, as many at once as the graph takes."""
    plan = graph.plan(("native", "reference"))
    missing = -len(x) % _CALIBRATED
    filled = np.concatenate([x, np.zeros((missing, *x.shape[1:]), np.float32)])
    return np.concatenate([plan.run(filled[at:at + _CALIBRATED]) for at in range(0, len(filled), _CALIBRATED)])[:len(x)]


def _counts(graph: Graph, x: NDArray[np.float32], flow: str) -> tuple[int, int]:
    """(elements converted between integers and real numbers, elements requantised) for one digit."""
    made = quantise(graph, flow, calibration=[x])
    count = made.tensors[made.inputs[0]].shape[0]
    found = conversions(made)
    return (found["quantised"] + found["dequantised"]) // count, found["requantised"] // count
