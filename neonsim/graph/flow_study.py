"""A study of how networks are quantised: flows and calibrators side by side.

    print(flow_study(*digits.sample()))
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neonsim.errors import BadArgument
from neonsim.graph.graph import Graph
from neonsim.graph.models import digits
from neonsim.graph.models.real import F32
from neonsim.graph.quantising import FLOWS, conversions, quantise
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


@dataclass(frozen=True, eq=False)
class FlowStudy(Study):
    """The network of digits by every flow and calibrator."""

    count: int
    real: int
    found: tuple[_Quantised, ...]

    @property
    def title(self) -> str:
        return f"Digits by flow and calibrator: of {self.count}, {self.real} are told rightly in real numbers (counted)"

    def table(self) -> Table:
        head = ["flow", "calibrator", "right", "cosine", "converted", "requantised"]
        return head, [[one.flow, one.method, f"{100 * one.right / self.count:.1f}%", f"{one.alike:.5f}",
                       f"{one.conversions:,}", f"{one.requantised:,}"] for one in self.found]

    def figure(self) -> Bars:
        groups = []
        for method in METHODS:
            wrong = {one.flow: float(self.count - one.right) for one in self.found if one.method == method}
            groups.append((method, tuple(wrong[flow] for flow in FLOWS)))
        return Bars("digits told wrongly, by calibrator", tuple(FLOWS), tuple(groups))

    @property
    def notes(self) -> str:
        best, worst = (choose(self.found, key=lambda one: one.alike) for choose in (max, min))
        return (f"Ranges of activations are taken from {_CALIBRATED} of the digits. Where every tensor has a scheme, "
                "real numbers are made integers once at the input and integers real numbers once at the end; between, "
                "every result of a convolution goes from 32 to 8 bits once. ncnn quantises the input of every "
                "convolution and makes its result real numbers again; fused, convolutions that follow each other "
                "requantise.\n"
                f"Nearest to the real network: {best.flow} with {best.method} (cosine {best.alike:.5f}). Furthest: "
                f"{worst.flow} with {worst.method} ({worst.alike:.5f}); entropy compares shapes of distributions, and "
                "one that is mostly a spike (here: what the first layer makes of blank paper) may be cut right behind "
                "it.")


def flow_study(images: ArrayLike, labels: ArrayLike) -> FlowStudy:
    """Run the network of digits by every flow.

    images   uint8 [n, 28, 28, 1]
    labels   int [n]

    Raises BadArgument for arrays that are no digits.
    """
    pixels, known = np.asarray(images), np.asarray(labels, np.int64)
    real = digits.real(pixels)["classifier"]
    if known.shape != (len(pixels),) or len(pixels) < _CALIBRATED:
        raise BadArgument(f"{_CALIBRATED} digits at least, each with its label; got {len(pixels)} and {known.size} "
                          "labels.")
    x = pixels.astype(np.float32) / np.float32(255)
    graph = digits.digits(F32, _CALIBRATED)
    found = []
    for flow in FLOWS:
        for method in METHODS:
            scores = _scores(graph, x, flow, method)
            found.append(_Quantised(flow, method, int((scores.argmax(1) == known).sum()), similarity(scores, real),
                                    *_counts(graph, x[:_CALIBRATED], flow)))
    return FlowStudy(len(pixels), int((real.argmax(1) == known).sum()), tuple(found))


def _scores(graph: Graph, x: NDArray[np.float32], flow: str, method: str) -> NDArray[np.float32]:
    """Of all digits, ranges from the first of them."""
    plan = quantise(graph, flow, calibration=[x[:_CALIBRATED]], method=method).plan(("native", "reference"))
    missing = -len(x) % _CALIBRATED
    filled = np.concatenate([x, np.zeros((missing, *x.shape[1:]), np.float32)])
    return np.concatenate([plan.run(filled[at:at + _CALIBRATED]) for at in range(0, len(filled), _CALIBRATED)])[:len(x)]


def _counts(graph: Graph, x: NDArray[np.float32], flow: str) -> tuple[int, int]:
    """(elements converted between integers and real numbers, elements requantised) for one digit."""
    made = quantise(graph, flow, calibration=[x])
    count = made.tensors[made.inputs[0]].shape[0]
    found = conversions(made)
    return (found["quantised"] + found["dequantised"]) // count, found["requantised"] // count
