"""The articles' own comparison in one repository: fused and indirect against copied windows and two passes (A43, A44).

QNNPACK's articles report 1.8 times TensorFlow Lite's speed for MobileNetV1 and some 2 times for V2, on phones, against
other people's kernels. Here both ways use the same kernels of one family, layer by layer in turns, so that the ratio
is that of the ideas alone: no matrix of copied windows, no sums in memory.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from neonsim.common.integers import as_int
from neonsim.common.study_report import Table
from neonsim.errors import BackendError, BadArgument
from neonsim.nn.graph.graph import Graph, Node
from neonsim.nn.graph.plan.native import NativePlan
from neonsim.nn.graph.plan.run import random_input
from neonsim.studies.kernels import Bars, Quoted, Report

__all__ = ["ARTICLE", "LayerTimes", "TwoPassStudy", "compare_two_pass", "two_pass_report"]

# The articles' geometric means over phones: network, times TensorFlow Lite's speed (A43, A44).
ARTICLE = (("mobilenet_v1", 1.8), ("mobilenet_v2", 2.0))
KINDS = ("1x1", "larger windows", "depthwise", "fully connected")
ALL = "all layers"


@dataclass(frozen=True)
class LayerTimes:
    """One layer, both ways.

    network, layer, kind   str       kind: one of KINDS
    shape                  (int, ...)   of the result, without the batch
    fused, two_passes      float     seconds, the least: measured
    matrix_bytes           int       of the copied windows, 0 where there are none: counted
    sum_bytes              int       of the sums: counted
    """

    network: str
    layer: str
    kind: str
    shape: tuple[int, ...]
    fused: float
    two_passes: float
    matrix_bytes: int
    sum_bytes: int

    @property
    def speedup(self) -> float:
        """How many times as fast the fused way is."""
        return self.two_passes / self.fused


@dataclass(frozen=True)
class TwoPassStudy:
    """Both ways over the layers of some networks.

    network_seconds  {network: (float, float)}   seconds of all operators, fused and in two passes: measured
    arenas   {network: (int, int)}       bytes of the arenas: counted
    """

    layers: tuple[LayerTimes, ...]
    network_seconds: dict[str, tuple[float, float]]
    arenas: dict[str, tuple[int, int]]
    quantization: str
    family: str
    threads: int

    def mean(self, network: str, kind: str = ALL) -> float | None:
        """Geometric mean of the layers' ratios, of a kind or of all; None where there are none."""
        ratios = [x.speedup for x in self.layers if x.network == network and kind in (ALL, x.kind)]
        return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else None

    def layer_table(self) -> Table:
        """(head, rows) of every layer."""
        head = ["network", "layer", "kind", "result", "fused us", "two passes us", "ratio", "windows copied", "sums"]
        return head, [[x.network, x.layer, x.kind, "x".join(map(str, x.shape)), f"{x.fused * 1e6:.1f}",
                       f"{x.two_passes * 1e6:.1f}", f"{x.speedup:.2f}x",
                       f"{x.matrix_bytes / 1e3:.0f} KB" if x.matrix_bytes else "-", f"{x.sum_bytes / 1e3:.0f} KB"]
                      for x in self.layers]


def two_pass_report(articles: TwoPassStudy) -> Report:
    """Means by network and kind beside the articles'."""
    legend = (*KINDS, ALL)
    head = ["network", "layers", *legend, "whole network", "article", "windows copied", "sums", "arena", "two passes"]
    means = {name: tuple(articles.mean(name, kind) for kind in legend) for name in articles.network_seconds}
    article = {name: f"{value:g}x" for name, value in ARTICLE}
    rows = []
    for name, (fused, two) in articles.network_seconds.items():
        mine = [x for x in articles.layers if x.network == name]
        sizes = (sum(x.matrix_bytes for x in mine), sum(x.sum_bytes for x in mine), *articles.arenas[name])
        rows.append([name, str(len(mine)), *("-" if m is None else f"{m:.2f}x" for m in means[name]),
                     f"{two / fused:.2f}x", article.get(name, "-"), *(f"{size / 1e6:.1f} MB" for size in sizes)])
    said = [f"{name} {mean:.2f}x, the article {value:g}x" for name, value in ARTICLE
            if name in means and (mean := means[name][-1]) is not None]
    return Report(
        f"Fused and indirect against copied windows and two passes: {articles.quantization}, {articles.family}, "
        f"{articles.threads} thread{'s' * (articles.threads > 1)} (measured)",
        f"Geometric means over all layers with weights: {'; '.join(said) or 'none that the articles name'}.\n"
        "The articles compare with TensorFlow Lite on 32-bit Arm phones with 4 threads: other kernels, another "
        "machine. Here the products are the same kernels both times, so that the ratio is what the ideas are worth on "
        "this machine: windows are read where they lie instead of copied (1x1 convolutions need no copy either way), "
        "and sums become bytes in registers instead of going through memory; depthwise, a row of sums is not loaded "
        "and stored once for every tap. The faster the multiplier, the more of the time they are: slower families "
        "(--isa-variant avx2, sse41, scalar) have smaller ratios for the same bytes moved.\n"
        "Ratios are measured: the least of many runs, both ways in turns. Bytes are counted.",
        (head, rows),
        Bars("times as fast as in two passes, geometric mean over layers", legend, tuple(means.items()),
             tuple((value, f"article's {name}") for name, value in ARTICLE), legend),
        # Source: (A43, A44).
        quoted=(Quoted("the column of the article", "article", "QNNPACK's"),), data=articles)


def _kind(node: Node) -> str | None:
    one: Any = node.operator
    if one.product_kind == "rows":
        return KINDS[3]
    if one.product_kind == "windows":
        return KINDS[2] if one.groups > 1 and one.depth == 1 else KINDS[0] if one.window == (1, 1) else KINDS[1]
    return None


def compare_two_pass(graphs: Iterable[Graph], quantization: str, *, family: str | None = None, threads: int = 1,
                 runs: int = 40) -> Report:
    """Measure networks both ways; the results are compared first. `data` is an `TwoPassStudy`.

    graphs         networks of one quantization
    quantization   str   what they are called by
    family         str or None   kernels; None: the best here
    runs           int   of each way, in turns

    Raises BadArgument without a network or for numbers out of range, BackendError if the two ways differ.
    """
    count, times = as_int(threads, "threads", 1, 1024), as_int(runs, "runs", 1, 1_000_000)
    layers: list[LayerTimes] = []
    whole: dict[str, tuple[float, float]] = {}
    arenas: dict[str, tuple[int, int]] = {}
    name = ""
    for graph in graphs:
        fused, old = NativePlan(graph, family), NativePlan(graph, family, two_passes=True)
        x = random_input(graph)
        if not np.array_equal(fused.run(x, count).values, old.run(x, count).values):
            raise BackendError(f"{graph.name}: the two methods give different bytes.")
        taken = _turns((fused, old), count, times)
        name = fused.family
        whole[graph.name] = (sum(taken[0].values()), sum(taken[1].values()))
        arenas[graph.name] = (fused.network.arena.size, old.network.arena.size)
        for node in graph.nodes:
            kind = _kind(node)
            if kind is not None:
                layers.append(LayerTimes(graph.name, node.name, kind, graph.tensors[node.name].shape[1:],
                                         taken[0][node.name], taken[1][node.name], *old.moved[node.name]))
    if not whole:
        raise BadArgument("There is no network to compare.")
    return two_pass_report(TwoPassStudy(tuple(layers), whole, arenas, quantization, name, count))


def _turns(plans: Sequence[NativePlan], threads: int, runs: int) -> list[dict[str, float]]:
    """Least seconds of every node of every plan."""
    found = [plan.profile(threads) for plan in plans]       # and not counted as slow: the first run warms up
    for _ in range(runs):
        for k, plan in enumerate(plans):
            again = plan.profile(threads)
            found[k] = {name: min(took, again[name]) for name, took in found[k].items()}
    return found
