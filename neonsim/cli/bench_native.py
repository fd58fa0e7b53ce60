"""`neonsim bench gemm | dwconv | network`: the native backend, layers and whole networks, and peers beside it.

Times are the least and the median of many runs of one plan, packing left out. With peers the ways take turns, a slice
each, so that a busy or a fast moment of the machine meets all of them. The probe of the machine's peak is one of the
ways: percentages are of what it reached meanwhile.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from tqdm import tqdm  # type: ignore[import-untyped]

from neonsim.backends.network import probe_peak
from neonsim.errors import BackendError, BadArgument
from neonsim.graph import Graph, model, random_inputs
from neonsim.graph.models.maker import Maker, Value
from neonsim.graph.models.real import F32, maker
from neonsim.graph.native import NativePlan

from .peers import Peer, peers

__all__ = ["SETS", "NativeRow", "bench_native", "measure"]

# Seconds of one turn, turns. Short turns let fast moments, which may last some milliseconds, come to all; libraries of
# several threads go on spinning after their turn, and longer turns leave time for that to end.
SLICE, ROUNDS = 0.005, 100
SLICE_THREADS, ROUNDS_THREADS = 0.02, 40
QUICK = 10                      # --quick: a tenth of the turns


@dataclass
class NativeRow:
    """One case, measured.

    value, peer_value   milliseconds, the least;  median   of all runs
    ratio               value / peer_value: below 1 is faster than the peer
    ratio_of_medians    the same of the medians of all runs
    percent_of_peak     of the multiply-accumulates that the probe does in a second in the same turns, by all threads
    """

    name: str
    value: float
    unit: str
    peer: str | None
    peer_value: float | None
    ratio: float | None
    median: float
    percent_of_peak: float | None
    threads: int
    family: str
    ratio_of_medians: float | None = None


def _pointwise(make: Maker, pixels: int, outputs: int) -> Value:
    return make.conv(f"pw_{pixels}x{make.shape(make.input)[-1]}x{outputs}", make.input, outputs)


def _one(quantization: str, size: int, channels: int, build: Callable[[Maker], Value], padding: str = "same") -> Graph:
    make = maker("case", size, quantization, 0, channels, padding)
    return make.finish(build(make))


def _gemm(quantization: str, padding: str) -> list[Graph]:
    """The shapes of the literature's networks: 1x1 convolutions, fully connected layers, full 3x3 convolutions."""
    graphs = []
    for size, depth, outputs in ((112, 32, 64), (56, 128, 128), (28, 256, 256), (14, 512, 512), (7, 1024, 1024),
                                 (56, 24, 144), (14, 576, 96)):
        def point(make: Maker, size: int = size, outputs: int = outputs) -> Value:
            return _pointwise(make, size * size, outputs)
        graphs.append(_one(quantization, size, depth, point))
    for rows, depth, outputs in ((512, 512, 512), (1024, 1024, 1024), (1, 1024, 1001)):
        make = maker("case", 1, quantization, 0, depth)
        make.graph = (Graph("case", (rows, depth), dtype="float32") if quantization == F32 else
                      Graph("case", (rows, depth), make.scheme(make.input)))
        graphs.append(make.finish(make.linear(f"fc_{rows}x{depth}x{outputs}", make.input, outputs)))
    for size, depth, outputs, stride in ((224, 3, 32, 2), (56, 64, 64, 1)):
        def window(make: Maker, n: int = outputs, s: int = stride) -> Value:
            h, _, c = make.shape(make.input)[1:]
            return make.conv(f"conv3_{h}x{h}x{c}_{n}_s{s}", make.input, n, 3, stride=s,
                             padding=make.same(make.input, 3, s))
        graphs.append(_one(quantization, size, depth, window, padding))
    return graphs


def _depthwise(quantization: str, padding: str) -> list[Graph]:
    graphs = []
    for size, channels in ((112, 32), (56, 128), (28, 256), (14, 512), (7, 1024)):
        for stride in (1, 2):
            def window(make: Maker, s: int = stride) -> Value:
                h, _, c = make.shape(make.input)[1:]
                return make.conv(f"dw_{h}x{h}x{c}_s{s}", make.input, c, 3, stride=s, groups=c,
                                 padding=make.same(make.input, 3, s))
            graphs.append(_one(quantization, size, channels, window, padding))
    return graphs


def _networks(quantization: str, padding: str) -> list[Graph]:
    more = ("resnet18", "squeezenet") if quantization == F32 else ()
    return [model(name, quantization=quantization, **({"padding": padding} if name not in more else {}))
            for name in ("mobilenet_v1", "mobilenet_v2", *more)]


# Of a quantization and a padding, see `neonsim.graph.models`.
SETS: dict[str, Callable[[str, str], list[Graph]]] = {"gemm": _gemm, "dwconv": _depthwise, "network": _networks}


def _slice(call: Callable[[], object], seconds: float) -> list[float]:
    times: list[float] = []
    end = time.perf_counter() + seconds
    while not times or time.perf_counter() < end:
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return times


def measure(calls: Sequence[Callable[[], object]], threads: int, quick: bool) -> list[list[float]]:
    """Times of every call, taking turns; a first turn warms up and is not counted."""
    for call in calls:
        call()
    slice_, rounds = (SLICE, ROUNDS) if threads == 1 else (SLICE_THREADS, ROUNDS_THREADS)
    times: list[list[float]] = [[] for _ in calls]
    for _ in range(rounds // QUICK if quick else rounds):
        for one, call in zip(times, calls, strict=True):
            one += _slice(call, slice_)
    return times


def choose(graphs: list[Graph], what: str, only: str | None) -> list[Graph]:
    """The cases whose names contain one of the words of `only`, which commas separate; None: all.

    Raises BadArgument if there is none.
    """
    words = [""] if only is None else only.split(",")
    chosen = [graph for graph in graphs if any(word in _name(graph, what) for word in words)]
    if not chosen:
        raise BadArgument(f"no case of {what} has {only!r} in its name; there are "
                          f"{', '.join(_name(graph, what) for graph in graphs)}.")
    return chosen


def choose_peers(found: list[Peer], missing: list[str], beside: str | None) -> tuple[list[Peer], list[str]]:
    """Those whose names contain one of the words, which commas separate, and what is said of the others like them.

    Raises BadArgument if there is neither.
    """
    words = [""] if beside is None else beside.lower().split(",")
    chosen = [peer for peer in found if any(word in peer.name for word in words)]
    lacking = [line for line in missing if any(word in line for word in words)]
    if not chosen and not lacking:
        raise BadArgument(f"no library here has {beside!r} in its name; there are "
                          f"{', '.join(peer.name for peer in found) or 'none'}.")
    return chosen, lacking


def _name(graph: Graph, what: str) -> str:
    return graph.name if what == "network" else graph.output


def bench_native(what: str, *, quick: bool, threads: Sequence[int], with_peers: bool, family: str | None,
                 quantization: str, only: str | None = None, beside: str | None = None,
                 padding: str = "same") -> tuple[list[NativeRow], list[str]]:
    """Rows, and sentences about what is missing.

    only, beside   str or None   parts of the names of the cases, of the peers, that are wanted, separated by commas
    padding        "same", "even": of windows with a stride, see `neonsim.graph.models`

    Raises BadArgument where nothing has such a name.
    """
    rows: list[NativeRow] = []
    found: list[Peer] = []
    missing: list[str] = []
    if with_peers:
        found, missing = choose_peers(*peers(quantization), beside)
    real = quantization == F32
    graphs = choose(SETS[what](quantization, padding), what, only)
    for graph in tqdm(graphs, unit="case", disable=None, leave=False):
        plan = NativePlan(graph, family)
        x = random_inputs(graph)[graph.inputs[0]]
        plan.run(x)
        name = _name(graph, what)
        for count in threads:
            peaks: list[float] = []
            calls: list[Callable[[], Any]] = [lambda p=plan, n=count: p.network.again(n),  # type: ignore[misc]
                                              lambda p=plan, to=peaks: to.append(probe_peak(p.family, 1, real=real))]  # type: ignore[misc]
            names = []
            for peer in found:
                try:
                    calls.append(peer.prepare(graph, x, count).run)
                    names.append(peer.name)
                except BackendError as problem:
                    missing.append(f"{name}: not by {peer.name}: {problem}")
            ours, _, *others = measure(calls, count, quick)
            best, peak = min(ours), max(peaks) * count
            share = 100 * graph.macs / (best * peak) if peak and graph.macs else None
            middle = float(np.median(ours))
            common = (middle * 1e3, share, count, plan.family)
            if not names:
                rows.append(NativeRow(name, best * 1e3, "ms", None, None, None, *common))
            for peer_name, times in zip(names, others, strict=True):
                rows.append(NativeRow(name, best * 1e3, "ms", peer_name, min(times) * 1e3, best / min(times), *common,
                                      middle / float(np.median(times))))
    return rows, missing
