"""`neonsim bench gemm | dwconv | network`: the native backend, layers and whole networks, and peers beside it.

Times are the least and the median of many runs of one plan, packing left out. With peers the ways take turns, a slice
each, so that a busy or a fast moment of the machine meets all of them. The probe of the machine's peak is one of the
ways: percentages are of what it reached meanwhile.

Networks by several threads have one more way beside them: as many copies side by side, a thread each. A copy never
waits, so the time of a run among them is what the machine gives to a network that shares its threads perfectly.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from tqdm import tqdm  # type: ignore[import-untyped]

from neonsim.errors import BackendError, BadArgument, UnsupportedHardware
from neonsim.nn.backends.native.network import NativeNetwork, families, probe_peak, run_together
from neonsim.nn.graph import Graph, model, random_inputs
from neonsim.nn.graph.models import options_of
from neonsim.nn.graph.models.builder import GraphBuilder, TensorRef
from neonsim.nn.graph.models.float_builder import F32, maker
from neonsim.nn.graph.plan.native import NativePlan
from neonsim.nn.graph.select.strategy import default_policy, plan_with_strategy
from neonsim.quant.tensor_type import elements

from .peers.base import Peer, peers
from .peers.isa_limit import Restriction

__all__ = ["SETS", "NativeRow", "bench_native", "chosen_families", "measure"]

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


def _pointwise(make: GraphBuilder, pixels: int, outputs: int) -> TensorRef:
    return make.conv(f"pw_{pixels}x{make.shape(make.input)[-1]}x{outputs}", make.input, outputs)


def _one(quantization: str, size: int, channels: int, build: Callable[[GraphBuilder], TensorRef],
         padding: str = "same") -> Graph:
    make = maker("case", size, quantization, 0, channels, padding)
    return make.finish(build(make))


def _gemm(quantization: str, padding: str) -> list[Graph]:
    """The shapes of the literature's networks: 1x1 convolutions, fully connected layers, full 3x3 convolutions."""
    graphs = []
    for size, depth, outputs in ((112, 32, 64), (56, 128, 128), (28, 256, 256), (14, 512, 512), (7, 1024, 1024),
                                 (56, 24, 144), (14, 576, 96)):
        def point(make: GraphBuilder, size: int = size, outputs: int = outputs) -> TensorRef:
            return _pointwise(make, size * size, outputs)
        graphs.append(_one(quantization, size, depth, point))
    for rows, depth, outputs in ((512, 512, 512), (1024, 1024, 1024), (1, 1024, 1001)):
        make = maker("case", 1, quantization, 0, depth)
        make.graph = (Graph("case", (rows, depth), dtype="float32") if quantization == F32 else
                      Graph("case", (rows, depth), make.scheme(make.input)))
        graphs.append(make.finish(make.linear(f"fc_{rows}x{depth}x{outputs}", make.input, outputs)))
    for size, depth, outputs, stride in ((224, 3, 32, 2), (56, 64, 64, 1)):
        def window(make: GraphBuilder, n: int = outputs, s: int = stride) -> TensorRef:
            h, _, c = make.shape(make.input)[1:]
            return make.conv(f"conv3_{h}x{h}x{c}_{n}_s{s}", make.input, n, 3, stride=s,
                             padding=make.same_padding(make.input, 3, s))
        graphs.append(_one(quantization, size, depth, window, padding))
    return graphs


def _depthwise(quantization: str, padding: str) -> list[Graph]:
    graphs = []
    for size, channels in ((112, 32), (56, 128), (28, 256), (14, 512), (7, 1024)):
        for stride in (1, 2):
            def window(make: GraphBuilder, s: int = stride) -> TensorRef:
                h, _, c = make.shape(make.input)[1:]
                return make.conv(f"dw_{h}x{h}x{c}_s{s}", make.input, c, 3, stride=s, groups=c,
                                 padding=make.same_padding(make.input, 3, s))
            graphs.append(_one(quantization, size, channels, window, padding))
    return graphs


def _networks(quantization: str, padding: str) -> list[Graph]:
    more = ("inception_v3",) if quantization == F32 else ("shufflenet_v1",)
    names = ("mobilenet_v1", "mobilenet_v2", "resnet18", "squeezenet", *more)
    return [model(name, quantization=quantization, **({"padding": padding} if "padding" in options_of(name) else {}))
            for name in names]


# Of a quantization and a padding, see `neonsim.nn.graph.models`.
SETS: dict[str, Callable[[str, str], list[Graph]]] = {"gemm": _gemm, "dwconv": _depthwise, "network": _networks}


# What --clock names: time that passes, or what the process is given of it, which others on the machine do not lengthen.
CLOCKS: dict[str, Callable[[], float]] = {"wall": time.perf_counter, "processor": time.process_time}


def _slice(call: Callable[[], object], seconds: float, clock: Callable[[], float]) -> list[float]:
    times: list[float] = []
    end = clock() + seconds
    while not times or clock() < end:
        begin = clock()
        call()
        times.append(clock() - begin)
    return times


def measure(calls: Sequence[Callable[[], object]], threads: int, quick: bool, clock: str = "wall") -> list[list[float]]:
    """Times of every call by one of CLOCKS, taking turns; a first turn warms up and is not counted."""
    for call in calls:
        call()
    slice_, rounds = (SLICE, ROUNDS) if threads == 1 else (SLICE_THREADS, ROUNDS_THREADS)
    times: list[list[float]] = [[] for _ in calls]
    for _ in range(rounds // QUICK if quick else rounds):
        for one, call in zip(times, calls, strict=True):
            one += _slice(call, slice_, CLOCKS[clock])
    return times


def choose(graphs: list[Graph], suite: str, patterns: str | None) -> list[Graph]:
    """Return the cases whose names contain one of the words of `patterns`, which commas separate; None: all.

    Raises BadArgument if there is none.
    """
    words = [""] if patterns is None else patterns.split(",")
    chosen = [graph for graph in graphs if any(word in _name(graph, suite) for word in words)]
    if not chosen:
        raise BadArgument(f"no case of {suite} has {patterns!r} in its name; there are "
                          f"{', '.join(_name(graph, suite) for graph in graphs)}.")
    return chosen


def choose_peers(peers: list[Peer], missing: list[str], peer_filter: str | None) -> tuple[list[Peer], list[str]]:
    """Those whose names contain one of the words, which commas separate, and what is said of the others like them.

    Raises BadArgument if there is neither.
    """
    words = [""] if peer_filter is None else peer_filter.lower().split(",")
    chosen = [peer for peer in peers if any(word in peer.name for word in words)]
    lacking = [line for line in missing if any(word in line for word in words)]
    if not chosen and not lacking:
        raise BadArgument(f"no installed library has {peer_filter!r} in its name; there are "
                          f"{', '.join(peer.name for peer in peers) or 'none'}.")
    return chosen, lacking


def _name(graph: Graph, what: str) -> str:
    return graph.name if what == "network" else graph.output


def chosen_families(requested: str | None) -> tuple[list[str | None], list[str]]:
    """Families of `--isa-variant`: None, the best here; a name; names with commas; "all", which is those that run here.

    -> names, and a sentence for each that "all" leaves out.

    Raises BadArgument for a name that is none, UnsupportedHardware for one that cannot run here.
    """
    if requested is None:
        return [None], []
    there = families()
    if requested == "all":
        return ([name for name, lacks in there.items() if lacks is None],
                [f"{name} did not run: {lacks}" for name, lacks in there.items() if lacks is not None])
    names: list[str | None] = list(dict.fromkeys(requested.split(",")))
    for name in names:
        if name not in there:
            raise BadArgument(f"unknown family {name!r}; use {', '.join(there)} or all.")
        if there[name] is not None:
            raise UnsupportedHardware(f"{name} cannot run here: {there[name]}.")
    return names, []


def _plans(graph: Graph, x: Any, names: Sequence[str | None], directly: bool = False) -> list[NativePlan]:
    """A plan by each family, by itself or all products directly. Raises BackendError if their bytes differ."""
    plans = [NativePlan(graph, name) if directly else default_policy(graph, name) for name in names]
    results = [elements(plan.run(x)).tobytes() for plan in plans]
    for plan, result in zip(plans, results, strict=True):
        if result != results[0]:
            raise BackendError(f"{graph.name}: {plan.family} gives other bytes than {plans[0].family}. Please report "
                               "this.")
    return plans


def _copies(plan: NativePlan, x: Any, count: int) -> list[NativeNetwork]:
    """The network of a plan and others like it, with something in their arenas."""
    others = [NativePlan(plan.graph, plan.family, strategy=plan.strategy) for _ in range(count - 1)]
    for other in others:
        other.run(x)
    return [plan.network, *(other.network for other in others)]


def _rows(name: str, plans: Sequence[NativePlan], prepared: Mapping[str, Callable[[], object]], threads: int,
          quick: bool, copies: Sequence[Sequence[NativeNetwork]] = (), clock: str = "wall") -> Iterator[NativeRow]:
    """A row for each plan and each of the others; all take turns, and a probe of each family's peak.

    copies   of each plan, to be run together; none: not measured
    """
    macs, real = plans[0].graph.macs, any(t.dtype == "float32" for t in plans[0].graph.tensors.values())
    peaks: list[list[float]] = [[] for _ in plans]
    calls: list[Callable[[], object]] = [lambda p=plan: p.network.rerun(threads) for plan in plans]  # type: ignore[misc]
    calls += [lambda p=plan, to=to: to.append(probe_peak(p.family, 1, float32=real))  # type: ignore[misc]
              for plan, to in zip(plans, peaks, strict=True)]
    calls += [lambda some=some: run_together(some) for some in copies]      # type: ignore[misc]
    times = measure([*calls, *prepared.values()], threads, quick, clock)
    others = dict(zip(prepared, times[len(calls):], strict=True))
    for number, (plan, ours, found) in enumerate(zip(plans, times, peaks, strict=False)):
        best, middle, peak = min(ours), float(np.median(ours)), max(found) * threads
        share = 100 * macs / (best * peak) if best * peak and macs else None
        row = NativeRow(name, best * 1e3, "ms", None, None, None, middle * 1e3, share, threads, plan.family)
        beside = dict(others)
        if copies:
            together = times[2 * len(plans) + number]
            beside[f"{threads} copies, a run"] = [seconds / threads for seconds in together]
        if not beside:
            yield row
        for peer, theirs in beside.items():
            yield replace(row, peer=peer, peer_value=min(theirs) * 1e3, ratio=best / min(theirs),
                          ratio_of_medians=middle / float(np.median(theirs)))


def bench_native(suite: str, *, quick: bool, threads: Sequence[int], with_peers: bool, family: str | None,
                 quantization: str, patterns: str | None = None, peer_filter: str | None = None,
                 padding: str = "same", strategy: str | None = None, clock: str = "wall"
                 ) -> tuple[list[NativeRow], list[str]]:
    """Rows, and sentences about what is missing.

    family              str or None   of `chosen_families`; one alone restricts peers too, where they can be
    patterns, peer_filter  str or None   parts of the names of the cases, of the peers, that are wanted, with commas
    strategy            str or None   of `neonsim.nn.graph.select.strategy`, settled for each number of threads; the
                                      direct algorithm takes its turns as the first of the peers
    padding             "same", "even": of windows with a stride, see `neonsim.nn.graph.models`
    clock               of CLOCKS; "processor", which counts all threads of the process, is for one thread

    Raises BadArgument where nothing has such a name, BackendError where families give different bytes.
    """
    if clock == "processor" and set(threads) != {1}:
        raise BadArgument("--clock processor adds the time of all threads, so it needs --threads 1.")
    rows: list[NativeRow] = []
    found: list[Peer] = []
    names, missing = chosen_families(family)
    label = Restriction(names)
    if with_peers:
        label.apply()       # before the libraries are loaded
        found, absent = choose_peers(*peers(quantization), peer_filter)
        missing += absent
    graphs = choose(SETS[suite](quantization, padding), suite, patterns)
    for graph in tqdm(graphs, unit="case", disable=None, leave=False):
        x = random_inputs(graph)[graph.inputs[0]]
        own = _plans(graph, x, names, directly=strategy is not None)
        name = _name(graph, suite)
        for count in threads:
            plans, prepared = own, dict[str, Callable[[], object]]()
            if strategy is not None:
                plans = [plan_with_strategy(graph, strategy, count, one) for one in names]
                for plan in plans:
                    plan.run(x)
                prepared |= {"neonsim, direct" + (f", {plan.family}" if len(own) > 1 else ""):
                             lambda p=plan, n=count: p.network.rerun(n) for plan in own}  # type: ignore[misc]
            for peer in found:
                try:
                    prepared[label.mark(peer.name)] = peer.prepare(graph, x, count).run
                except BackendError as problem:
                    missing.append(f"{name}: not by {peer.name}: {problem}")
            copies = ([_copies(plan, x, count) for plan in plans]
                      if suite == "network" and count > 1 and strategy is None else [])
            rows += _rows(name, plans, prepared, count, quick, copies, clock)
    return rows, list(dict.fromkeys(missing))
