"""MNN's article, its paper and its code: their figures and what follows from their formulas. `neonsim study mnn`.

Every row says where its figure stands: few stand in a text; most are ours, by a formula of the paper's or a rule of the
code's.

    choices       the tile that the paper's cost takes for a layer, and what MNN's code takes
    errors        of single precision by distance of interpolation points
    whole         bits of 8-bit operands in tiles; exact tiles of int8 layers by every family: measured
    Strassen      from which size another level pays, what it counts, where it does here: measured
    memory        by reference counts, largest first, none given back, beside what is alive at most
    weights       of a layer that waits for them: bytes of each tile, and how fast they pass: counted, measured
    allocation    memory taken and given back in every run, of the allocator and of the system, beside planned once:
                  measured
    search        a network by the rule, by the quickest of each layer, by the quickest of all combinations: measured
    odd windows   products a second of 1x7 and 7x1 beside 3x3 of as many products: measured
    NC4HW4        loads of four channels beside those of planes: counted by running both
    back ends     a device for each operator beside one for the network, on classes of GPUs: simulated

Source: (E01, E03, E05, E06, E07, E08, E09, E11, E12, E13, E14, E16, E19, E20, E21, E22, E24, E25, E26, E27, F18).
"""

from __future__ import annotations

import mmap
import time
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from neonsim.nn.backends.native.network import families
from neonsim.nn.graph.graph import Graph
from neonsim.nn.graph.memory.allocator import METHODS, bound, place_blocks
from neonsim.nn.graph.memory.planner import blocks_of, joins
from neonsim.nn.graph.models import model
from neonsim.nn.graph.plan.heterogeneous import SIMULATED, assign
from neonsim.nn.graph.plan.native import NativePlan
from neonsim.nn.graph.plan.run import random_inputs
from neonsim.nn.graph.select.algorithms import DIRECT, tiles_named
from neonsim.nn.graph.select.strategy import choose_algorithms, tune_layer_by_layer
from neonsim.nn.ops import Conv2d
from neonsim.nn.ops.explain.strassen import pays_2020, strassen, strassen_gain, where_it_pays
from neonsim.nn.ops.float32.operators import Float32Conv2d, Float32MaxPool2d
from neonsim.quant.scheme import Quantized, Scheme
from neonsim.quant.winograd import (
    ConvLayer,
    choose,
    correlate,
    correlate_directly,
    direct_cost,
    transforms,
    winograd_cost,
)
from neonsim.quant.winograd.bit_growth import growth
from neonsim.studies.kernels import Lines, Report, Series
from neonsim.studies.kernels.nc4hw4_loads import count_loads

try:
    import resource
except ImportError:     # Windows has none
    resource = None     # type: ignore[assignment]

__all__ = [
    "LAYERS",
    "Allocation",
    "Claim",
    "allocation",
    "compare_layers",
    "cost_curve",
    "mnn_study",
    "odd_windows",
    "time_strategies",
]

LAYERS = (ConvLayer(56, 56, 64, 64), ConvLayer(28, 28, 128, 128), ConvLayer(14, 14, 256, 256),
          ConvLayer(7, 7, 512, 512),
          ConvLayer(112, 112, 3, 32))
_TILES = ((2, 3), (4, 3), (6, 3), (4, 5), (2, 7))       # F(n, k) whose errors are measured
IDEAL = {2: 2.25, 4: 4.0, 6: 5.06}
NETWORKS = ("mobilenet_v1", "squeezenet", "resnet18")
_OFF = {"MI6": 6.5, "Huawei-P10": 7.6}         # percent that planned memory saved on two phones


class Claim(NamedTuple):
    """A row: a figure, where it stands, and what it is here.

    subject   str
    stated    str   the figure as it is stated; "-" of ours
    stands    str   in what, of `PLACES`
    result    str
    method    str   "derived", "counted", "modelled", "measured" or "-"
    verdict   str   "reproduced", "corrected: ...", "not here: ..."; of ours what there is to say
    """

    subject: str
    stated: str
    stands: str
    result: str
    method: str
    verdict: str


def _ours(what: str, here: str, how: str, verdict: str) -> Claim:
    """A figure without another source."""
    return Claim(what, "-", "ours", here, how, verdict)


_NOTES = (
    "Where a figure stands: in the article, in a paper, in the library's code, or nowhere but here (ours), by the "
    "formula or the rule that the row names. Only what others state can be reproduced or corrected.\n"
    "The curve: what tiles of n x n results cost beside the direct way, by the paper's formula. Transforms grow with "
    "the cube of the tile, products a result fall: so there is a least, at another n for each layer.\n"
    "Allocation: what it takes to get every tensor's memory, touch its pages, and give it back after its last reader, "
    "beside the run with all of it planned. The allocator here keeps what it got back: no page fault after the first "
    "run, so little is saved. Of the system every page is a fault. What the article's phones save depends on their "
    "allocator, on the price of a fault and on how long a run is, which it does not say. Only tensors are counted "
    "here, not what operators need for themselves.\n"
    "Errors are means of a tile on uniform data.")


def mnn_study(measure: bool = True) -> Report:
    """All of it; `data` are the claims.

    measure   also what is timed on this machine, some seconds
    """
    claims = [*_choices(), *_ideal(), *_errors(), *_whole(), *_strassen(), *_memory(), *_fours(), *_devices()]
    skipped = []
    if measure:
        claims += [*_allocation(), *_odd(), *_whole_measured(), *_weights(), *_strassen_measured(), *_search()]
    else:
        skipped.append("not measured here: allocation, odd windows, tiles of int8, Strassen, rule beside search.")
    claims.append(Claim("speed beside other engines, on phones", "20 to 40 % faster", "article", "-", "-",
                        "not here: it takes those phones"))
    return Report(
        "MNN's article, paper and code: figures and where they stand (derived, counted, measured as said)", _NOTES,
        (["figure", "stated", "stands in", "here", "how", "verdict"], [list(one) for one in claims]),
        cost_curve(LAYERS), attribution="Where a figure stands is said in its row.", skipped=tuple(skipped),
        data=tuple(claims))


def cost_curve(layers: Sequence[ConvLayer], policy: str = "mnn", largest: int = 12) -> Lines:
    """Return what tiles of n x n results cost by a policy, as a share of the direct way's; the least of each is marked.

    n = 1 is the direct way itself. Beyond 8 policies do not look: the curve shows why that costs little.
    """
    series, marks = [], []
    marked: set[int] = set()
    for layer in layers:
        name = f"{layer.oh}x{layer.ow} {layer.ic}-{layer.oc}"
        points = [(1.0, 1.0), *((float(n), winograd_cost(layer, n, policy) / direct_cost(layer))
                                for n in range(2, largest + 1))]
        series.append(Series(name, tuple(points)))
        taken = choose(layer, policy).n
        if taken not in marked:         # several layers have one best tile: it is marked once
            marks.append((name, float(taken), f"n = {taken}"))
            marked.add(taken)
    return Lines("n: tiles of n x n results", "cost / direct", tuple(series), marks=tuple(marks))


def _says(same: bool, correction: str) -> str:
    return "reproduced" if same else f"corrected: {correction}"


def _choices() -> list[Claim]:
    found = []
    for layer in LAYERS:
        name = f"{layer.oh}x{layer.ow} {layer.ic}-{layer.oc} 3x3"
        made, code, head = (choose(layer, policy) for policy in ("mnn", "mnn-2020", "mnn-main"))
        found.append(_ours(f"tile of {name}", f"n = {made.n}, {made.gain:.2f}x", "derived",
                           "the least of the paper's formula"))
        if layer.ic >= 4:       # the code counts channels in fours
            found.append(_ours("... by the code of 2020, and by later code",
                               f"n = {code.n}, {code.gain:.2f}x; n = {head.n}", "derived",
                               "by the rules of the code"))
    return found


def _ideal() -> list[Claim]:
    found = {n: (3 * n) ** 2 / (n + 2) ** 2 for n in IDEAL}
    return [Claim(f"fewer multiplications of F({n}, 3)", f"{wanted:g}x", "paper", f"{found[n]:.2f}x", "derived",
                  _says(round(found[n], 2) == wanted, "by k^2 n^2 / (n + k - 1)^2")) for n, wanted in IDEAL.items()]


def mean_error(n: int, k: int, f: Fraction, tiles: int = 40) -> float:
    """Mean error of a tile in single precision against double, on uniform data."""
    rng, of, found = np.random.default_rng(0), transforms(n, k, f), []
    for _ in range(tiles):
        d = rng.uniform(-1, 1, (n + k - 1,) * 2).astype(np.float32)
        g = rng.uniform(-1, 1, (k, k)).astype(np.float32)
        found.append(float(abs(correlate(d, g, of) - correlate_directly(d.astype(float), g.astype(float))).mean()))
    return float(np.mean(found))


def _errors() -> list[Claim]:
    found = []
    for n, k in _TILES:
        here = mean_error(n, k, Fraction(1)), mean_error(n, k, Fraction(1, 2))
        verdict = "1/2, the code's default of 2020, is " + (
            "better" if here[1] < 0.9 * here[0] else "worse" if here[1] > 1.1 * here[0] else "no different")
        found.append(_ours(f"error of F({n}, {k}) with f = 1, 1/2", f"{here[0]:.1e}, {here[1]:.1e}", "measured",
                           verdict))
    return found


def _strassen() -> list[Claim]:
    first = next(n for n in range(2, 1024, 2) if strassen_gain(n, n, n) > 0)
    code = 2 + max(n for n in range(32, 2048, 2) if not pays_2020(n, n, n))     # small ones are rounded away
    one, direct = strassen(256, 256, 256, levels=1), strassen(256, 256, 256, levels=0)
    return [_ours("Strassen: squares from which a level pays", str(first), "derived", "by the paper's rule"),
            _ours("... by the code of 2020, which makes memory dearer", str(code), "derived",
                  "later than by the paper"),
            Claim("... multiplications of a level, and of two", "seven for eight", "library's code",
                  " and ".join(str(Fraction(strassen(256, 256, 256, levels=n).multiplications, 256**3))
                               for n in (1, 2)), "counted",
                  _says(one.multiplications * 8 == 7 * 256**3, "by the list of steps")),
            _ours("... bytes read and written, 256x256x256 float32",
                  f"{one.traffic() / direct.traffic():.1f} times the direct way's", "modeled",
                  "without caches: what a level has to win back")]


def _strassen_measured() -> list[Claim]:
    found = where_it_pays((512, 1024, 2048), repeats=3)
    pays = [size for size, gain in found if gain > 1.0]
    return [_ours("Strassen on this machine: a level of float32 beside numpy's product",
                  ", ".join(f"{size}: {gain:.2f}x" for size, gain in found), "measured",
                  f"pays from {pays[0]} here" if pays else "pays at none of these sizes here")]


def _whole() -> list[Claim]:
    """Numbers of 8-bit operands in tiles."""
    found = []
    for n in (2, 4):
        common, own = (growth(n, 3, data=255, common=each) for each in (True, False))
        bits, balanced = common.bits(), own.bits()
        found.append(_ours(f"F({n}, 3) of int8: bits of transformed data and weights, of 16",
                           f"{bits['source']} and {bits['weights']}; {balanced['source']} and "
                           f"{balanced['weights']} with each row of G whole by itself, divisor {own.divisor}",
                           "derived", "refused" if own.refusal else "exact"))
    return found


def compare_layers(seconds: float = 0.3, family: str | None = None) -> dict[str, dict[str, float]]:
    """{layer: {way: seconds}} of int8 layers of ResNet-18 by every way that networks have for them: measured in turns.

    family   of kernels; None: the best here
    """
    scheme, rng, found = Scheme(0.05, 3, "int8"), np.random.default_rng(0), {}
    for size, channels in ((56, 64), (28, 128), (14, 256), (7, 512)):
        graph = Graph(f"{size}x{size} {channels}-{channels}", (1, size, size, channels), scheme)
        w = Quantized(rng.integers(-60, 61, (channels, 3, 3, channels), dtype=np.int8), 0.001)
        graph.add_node("conv", Conv2d(scheme, w, out=scheme, padding=1, requantization="fp32"), "input")
        row, = choose_algorithms(graph, family=family).rows
        able = [one.name for one in row.candidates if not one.refusal and one.name != "im2col"]
        plans = {name: NativePlan(graph, family, choices={"conv": name}) for name in able}
        took = _least([plan.network.run for plan in plans.values()], seconds)
        found[graph.name] = dict(zip(plans, took, strict=True))
    return found


def _whole_measured() -> list[Claim]:
    found = []
    for family in (name for name, missing in families().items() if missing is None and name != "scalar"):
        for layer, took in compare_layers(family=family).items():
            best = min(took, key=lambda name: took[name])
            found.append(_ours(f"{layer} 3x3 int8, {family}: exact tiles",
                               ", ".join(f"{name.removeprefix('winograd ')} {took[DIRECT] / one:.2f}x"
                                         for name, one in took.items() if name != DIRECT), "measured",
                               f"{best}, {1e6 * took[DIRECT]:.0f} us directly"))
    return found


def _memory() -> list[Claim]:
    found = []
    for name in NETWORKS:
        graph = model(name)
        blocks = blocks_of(graph, joined=joins(graph))
        least = bound(blocks)
        here = ", ".join(f"{way} {place_blocks(blocks, way).nbytes / least:.2f}" for way in METHODS)
        found.append(_ours(f"{name}: memory / {least:,} bytes alive", here, "counted",
                           "by reference counts more than largest first"))
    return found


def _fours() -> list[Claim]:
    found = {(one.isa, one.layout): one for one in count_loads()}
    return [_ours(f"loads of four channels, NC4HW4 and planes, {isa}",
                  ", ".join(f"{found[isa, layout].loads / found[isa, layout].pixels:g}" for layout in
                            ("NC4HW4", "planes")) +
                  f" ({found[isa, 'NC4HW4'].steps / found[isa, 'planes'].steps:.2f} of the instructions)", "counted",
                  "side by side, and a plane apart") for isa in ("aarch64", "aarch32")]


def _devices() -> list[Claim]:
    found = []
    small = model("mobilenet_v1", width=0.25, size=96)
    for graph, text, gpu in ((model("mobilenet_v1"), "mobilenet_v1", "Mali-T860 OpenCL"),
                             (small, "mobilenet_v1 0.25, 96x96", "Adreno 505 OpenCL")):
        both = [device for device in SIMULATED if device.name in (gpu, "MNN processor")]
        each, whole = (assign(graph, both, per) for per in ("operator", "network"))
        names = "; ".join(f"{name} {sum(d.name == name for d in each.devices.values())}"
                          for name in dict.fromkeys(d.name for d in each.devices.values()))
        found.append(_ours(f"{text}: device per operator, per network",
                           f"{1e3 * each.seconds:.2f}, {1e3 * whole.seconds:.2f} ms: {names}", "simulated",
                           f"{100 * (1 - each.seconds / whole.seconds):.1f} % less, by MNN's rates"))
    return found


# ---- measured --------------------------------------------------------------------------------------------------------

def _least(calls: Sequence[Callable[[], object]], seconds: float = 0.6) -> list[float]:
    """Least seconds of each call, in turns."""
    least, end = [float("inf")] * len(calls), time.perf_counter() + seconds
    while time.perf_counter() < end:
        for number, call in enumerate(calls):
            begin = time.perf_counter()
            call()
            least[number] = min(least[number], time.perf_counter() - begin)
    return least


_PAGE = 4096


class Allocation(NamedTuple):
    """What memory costs a run in which it is not planned: measured, but for faults, which the system counts.

    run      float   seconds of a run with memory planned
    reused   float   seconds to take each tensor's memory from the allocator, touch its pages, and give it back
    fresh    float   the same with memory of the system, piece by piece
    bytes    int     taken in a run
    faults   (float, float)   page faults a run of both, after the first ones; nan where the system does not count them
    """

    run: float
    reused: float
    fresh: float
    bytes: int
    faults: tuple[float, float]

    def saved(self, run_seconds: float) -> float:
        """Percent of a run that planning saves."""
        return 100 * run_seconds / (self.run + run_seconds)


def _from_allocator(nbytes: int) -> tuple[NDArray[np.uint8], None]:
    return np.empty(nbytes, np.uint8), None


def _from_system(nbytes: int) -> tuple[NDArray[np.uint8], mmap.mmap]:
    piece = mmap.mmap(-1, nbytes)
    return np.frombuffer(piece, np.uint8), piece


def allocation(graph: Graph, seconds: float = 0.6) -> Allocation:
    """Memory taken when a tensor is made, each of its pages touched, and given back behind its last reader, as an
    engine without a plan does in every run; beside the run with all of it planned, in turns.
    """
    plan = NativePlan(graph)
    run = plan.bind(random_inputs(graph)[graph.inputs[0]]).run
    blocks = blocks_of(graph, joined=plan.joined)
    steps = [([b for b in blocks if b.first == at], [b.name for b in blocks if b.last == at])
             for at in range(-1, len(graph.nodes) + 1)]

    def take(of: Callable[[int], tuple[NDArray[np.uint8], Any]]) -> None:
        taken: dict[str, tuple[NDArray[np.uint8], Any]] = {}
        for begin, end in steps:
            for block in begin:
                taken[block.name] = of(block.nbytes)
                taken[block.name][0][::_PAGE] = 0
            for name in end:
                del taken[name]         # an mmap without references is unmapped

    ways = [partial(take, of) for of in (_from_allocator, _from_system)]
    for way in ways:
        way()
    planned, kept, fresh = _least([run, *ways], seconds)
    return Allocation(planned, kept, fresh, sum(b.nbytes for b in blocks), (_faults(ways[0]), _faults(ways[1])))


def _faults(call: Callable[[], object], times: int = 5) -> float:
    """Page faults of a call that need no disk."""
    if resource is None:
        return float("nan")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(times):
        call()
    return (resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before) / times


def _allocation() -> list[Claim]:
    found, published = [], ", ".join(f"{n} % ({p})" for p, n in _OFF.items())
    for name in NETWORKS:
        for kind, quantization in (("int8", "qs8"), ("float32", "f32")):
            one = allocation(model(name, quantization=quantization))
            found.append(Claim(
                f"{name} {kind}: planned memory saves", published, "article",
                f"{one.saved(one.reused):.1f} % ({one.faults[0]:.0f} faults), of fresh pages "
                f"{one.saved(one.fresh):.1f} % ({one.faults[1]:.0f} faults)", "measured",
                f"{one.bytes / 1e6:.1f} MB beside {1e6 * one.run:.0f} us"))
    return found


def odd_windows(size: int = 17, channels: int = 192, seconds: float = 0.6, dtype: str = "int8",
                policy: str = DIRECT) -> dict[str, float]:
    """Products a second of convolutions of as many products, by their windows: measured in turns.

    dtype    "int8" or "float32"
    policy   the strategy by which each is computed; products are those of the direct way

    Channels of the 3x3 are fewer, such that products are the same, within 1 %.
    """
    scheme, rng, graphs = Scheme(0.05, 3, "int8"), np.random.default_rng(0), {}
    for window in ((3, 3), (1, 7), (7, 1), (1, 3), (3, 1), (5, 1)):
        taps = window[0] * window[1]
        outputs = max(round(channels * 7 / taps), 1)
        name, padding = "x".join(map(str, window)), (window[0] // 2, window[1] // 2)
        w = rng.integers(-127, 128, (outputs, *window, channels), dtype=np.int8)
        if dtype == "float32":
            graph = Graph(name, (1, size, size, channels), dtype=dtype)
            graph.add_node("conv", Float32Conv2d(w, padding=padding), "input")
        else:
            graph = Graph(name, (1, size, size, channels), scheme)
            graph.add_node("conv", Conv2d(scheme, Quantized(w, 0.001), out=scheme, padding=padding,
                                          requantization="fp32"), "input")
        graphs[name] = graph
    plans = {name: NativePlan(graph, strategy=choose_algorithms(graph, policy)) for name, graph in graphs.items()}
    took = _least([plan.network.run for plan in plans.values()], seconds)
    return {name: graph.macs / least for (name, graph), least in zip(graphs.items(), took, strict=True)}


def time_strategies(graph: Graph, policies: Sequence[str], seconds: float = 0.6) -> dict[str, float]:
    """Seconds of a network whose products go by each strategy, all in turns: measured."""
    plans = {policy: NativePlan(graph, strategy=choose_algorithms(graph, policy)) for policy in policies}
    return dict(zip(plans, _least([plan.network.run for plan in plans.values()], seconds), strict=True))


def three_layers() -> Graph:
    """Convolutions of 3x3 on images of 28, 14 and 7 pixels, for which all combinations can be tried."""
    rng, graph = np.random.default_rng(0), Graph("three", (1, 28, 28, 32), dtype="float32")
    at = graph.inputs[0]
    for number, channels in enumerate((32, 64, 128)):
        w = rng.normal(0, 0.1, (2 * channels, 3, 3, channels))
        at = graph.add_node(f"conv{number}", Float32Conv2d(w, padding=1, low=0.0), at)
        at = graph.add_node(f"half{number}", Float32MaxPool2d(2, stride=2), at)
    return graph.finish(at)


_RULES = (DIRECT, "mnn", "mnn-2020", "mnn-main", "autotune")


def compare_weights(size: int = 7, channels: int = 512) -> dict[str, tuple[int, float, float]]:
    """{way: (bytes of packed weights, multiplications of the product, seconds)} of a 3x3 layer of float32; counted, and
    measured in turns with caches as other layers leave them."""
    graph = Graph(f"{size}x{size} {channels}", (1, size, size, channels), dtype="float32")
    w = np.random.default_rng(0).normal(0, 0.1, (channels, 3, 3, channels)).astype(np.float32)
    graph.finish(graph.add_node("conv", Float32Conv2d(w, padding=1), "input"))
    tiles = {tiles_named(n): n for n in (2, 3, 4)}
    plans = {way: NativePlan(graph, choices={"conv": way}) for way in (DIRECT, *tiles)}
    rest = np.ones(1 << 21)
    took = tune_layer_by_layer({way: plan.network.run for way, plan in plans.items()}, rest.sum)
    products = {way: (-(-size // n) * (n + 2))**2 * channels**2 for way, n in tiles.items()}
    return {way: (plan.network.packed_bytes, products.get(way, graph.macs), took[way]) for way, plan in plans.items()}


def _weights() -> list[Claim]:
    found = compare_weights()
    nbytes, products, direct = found[DIRECT]
    claims = []
    for way, (size, less, took) in list(found.items())[1:]:
        passed = np.ones(size // 8)
        read = tune_layer_by_layer({"read": passed.max}, lambda: None)["read"]
        claims.append(_ours(f"7x7 512-512 3x3 float32: {way}",
                            f"{direct / took:.2f}x; {products / less:.2f}x fewer products, {size / nbytes:.2f}x the "
                            f"weights' bytes", "measured",
                            f"weights pass at {size / took / 1e9:.0f} GB/s; alone {size / read / 1e9:.0f} GB/s"))
    return claims


def _search() -> list[Claim]:
    small = time_strategies(three_layers(), (*_RULES, "autotune-exhaustive"))
    large = time_strategies(model("resnet18", quantization="f32"), _RULES, 3.0)
    return [_ours("three layers of f32: rules beside full search",
                  ", ".join(f"{policy} {took / small['autotune-exhaustive']:.2f}" for policy, took in small.items()),
                  "measured",
                  "times of the best of all combinations"),
            _ours("resnet18 f32: times quicker than directly",
                  ", ".join(f"{policy} {large[DIRECT] / took:.2f}" for policy, took in large.items()), "measured",
                  f"directly {1e3 * large[DIRECT]:.1f} ms")]


def _odd() -> list[Claim]:
    found = []
    for dtype, policy in (("int8", DIRECT), ("int8", "mnn"), ("float32", DIRECT), ("float32", "mnn")):
        rates = odd_windows(dtype=dtype, policy=policy)
        by = "" if policy == DIRECT else f", {policy}"
        found += [Claim(f"{name} beside 3x3, equal products, {dtype}{by}", "slow in other engines", "article",
                        f"{rates[name] / 1e9:.0f} G/s, {rates[name] / rates['3x3']:.2f}x", "measured",
                        "no cliff here" if rates[name] >= 0.8 * rates["3x3"] else "a cliff here too")
                  for name in rates if name != "3x3"]
    return found
