"""Whole networks in the C library: the same bytes as the reference, by every family and any number of threads."""

from __future__ import annotations

import ctypes
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from neonsim.errors import BackendError, BadArgument, OutOfMemory, UnsupportedHardware
from neonsim.nn.backends import get
from neonsim.nn.backends.native import library as native_library
from neonsim.nn.backends.native.network import (
    NativeNetwork,
    NetworkLayer,
    Transfers,
    families,
    probe_bandwidth,
    probe_peak,
    run_together,
)
from neonsim.nn.graph import Concat, Graph, mobilenet_v1, mobilenet_v2, model, random_input
from neonsim.nn.graph.models import PUBLISHED
from neonsim.nn.graph.models.builder import GraphBuilder
from neonsim.nn.graph.plan.native import NativePlan
from neonsim.nn.ops import Add, AvgPool2d, ChannelShuffle, Conv2d, FullyConnected, GlobalAvgPool, SoftArgmax
from neonsim.quant.scheme import Quantized, Scheme

MISSING = native_library.available()
pytestmark = pytest.mark.skipif(MISSING is not None, reason=str(MISSING))
HERE = [name for name, lacks in families().items() if lacks is None] if MISSING is None else ["scalar"]


def check(graph: Graph, threads: tuple[int, ...] = (1, 2), seed: int = 0) -> None:
    """Every tensor, and the result once more in a tight arena, by every family."""
    x = random_input(graph, seed)
    reference = graph.plan("reference")
    reference.run(x)
    for family in HERE:
        kept, tight = NativePlan(graph, family, keep=True), NativePlan(graph, family)
        assert tight.family == family
        kept.most_threads = tight.most_threads = 64     # however small: their order is what is looked at
        for count in threads:
            kept.run(x, count)
            for node in graph.nodes:
                assert np.array_equal(kept.tensor(node.name).values, reference.tensor(node.name).values), \
                    (family, node.name, count)
            assert np.array_equal(tight.run(x, count).values, reference.tensor(graph.output).values), (family, count)


@pytest.mark.parametrize(("name", "options"), [
    ("mobilenet_v1", {"width": 0.3, "size": 64}), ("mobilenet_v2", {"width": 0.35, "size": 64, "seed": 1}),
    ("mobilenet_v1", {"width": 0.3, "size": 64, "quantization": "qs8"}),
    ("mobilenet_v2", {"width": 0.35, "size": 64, "quantization": "qc8w"}),
    ("digits", {}), ("digits", {"quantization": "qu8"}), ("digits", {"quantization": "qs8"}),
    *(pytest.param(name, {"size": 64}, marks=[pytest.mark.nightly] * (name == "resnet18"))
      for name in PUBLISHED if not name.startswith(("mobilenet", "inception"))),
    ("inception_v3", {"size": 75, "width": 0.125})])
def test_networks(name: str, options: dict[str, Any]) -> None:
    check(model(name, **options))


@pytest.mark.nightly
@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize(("name", "quantization"), [
    (name, quantization) for quantization in ("qu8", "qs8", "qc8w") for name in PUBLISHED])
def test_networks_at_full_size(name: str, quantization: str, seed: int) -> None:
    check(model(name, seed=seed, quantization=quantization), seed=seed)


def random_graph(rng: np.random.Generator, dtype: str) -> Graph:
    """One layer with any geometry and any bytes; weights whose differences do not fit 8 bits come up."""
    batch, height, width = int(rng.integers(1, 3)), int(rng.integers(1, 14)), int(rng.integers(1, 14))
    kernel = tuple(int(k) for k in rng.choice([1, 1, 2, 3, 3, 5], 2))
    groups = int(rng.choice([1, 1, 2, 3]))
    if depthwise := bool(rng.random() < 0.4):
        groups = int(rng.integers(2, 150))
        kernel = (3, 3) if rng.random() < 0.6 else kernel
    depth = 1 if depthwise else int(rng.integers(1, 80))
    outputs = groups * (1 if depthwise else int(rng.integers(1, 150)))
    info = np.iinfo(dtype)
    x = Scheme(0.05, int(rng.integers(info.min, info.max + 1)), dtype)
    shape = (outputs, *kernel, depth)
    spread = int(rng.choice([3, 40, 127]))
    if dtype == "uint8":
        zero = int(rng.integers(0, 256))
        values = np.clip(rng.integers(-spread, spread + 1, shape) * 2 + zero, 0, 255).astype(np.uint8)
        w = Quantized(values, 0.01, zero)
    else:
        scales = rng.uniform(0.001, 0.02, outputs).astype(np.float32)
        w = Quantized(rng.integers(-spread, spread + 1, shape).astype(np.int8), scales, 0, axis=0)
    bias = rng.integers(-5000, 5000, outputs).astype(np.int32)
    out = Scheme(float(rng.choice([0.0011, 0.05, 0.7])), int(rng.integers(info.min, info.max + 1)), dtype)
    low, high = sorted(int(v) for v in rng.integers(info.min, info.max + 1, 2))
    pads = [[int(p) for p in rng.integers(0, k + 1, 2)] for k in kernel]
    layer = Conv2d(x, w, bias, out=out, stride=int(rng.integers(1, 4)), padding=pads,
                   dilation=int(rng.choice([1, 1, 1, 2])), groups=groups, output_min=low, output_max=high,
                   requantization="q31" if dtype == "uint8" else "fp32")
    graph = Graph("one", (batch, height, width, groups * depth), x)
    graph.add_node("layer", layer, "input")
    return graph


@pytest.mark.parametrize(("dtype", "count"), [
    ("uint8", 30), ("int8", 15), pytest.param("uint8", 600, marks=pytest.mark.nightly),
    pytest.param("int8", 600, marks=pytest.mark.nightly)])
def test_any_convolution(dtype: str, count: int) -> None:
    rng = np.random.default_rng(8 + count)
    done = 0
    while done < count:
        try:
            graph = random_graph(rng, dtype)
        except BadArgument:
            continue        # a window larger than the image, or a scale that q31 does not take
        check(graph, seed=done)
        done += 1


@pytest.mark.parametrize(("name", "options"), [
    ("mobilenet_v2", {"width": 0.35, "size": 64}), ("shufflenet_v1", {"size": 64}),
    ("squeezenet", {"size": 64, "quantization": "qc8w"}),
    pytest.param("mobilenet_v1", {}, marks=pytest.mark.nightly),
    pytest.param("resnet18", {}, marks=pytest.mark.nightly),
    pytest.param("mobilenet_v2", {"quantization": "qc8w"}, marks=pytest.mark.nightly)])
def test_two_passes(name: str, options: dict[str, Any]) -> None:
    """Copied windows, sums in memory, bytes in a second pass: the same bytes, by every family."""
    graph = model(name, **options)
    x = random_input(graph)
    fused = NativePlan(graph, keep=True)
    fused.run(x)
    for family in HERE:
        plan = NativePlan(graph, family, keep=True, two_passes=True)
        assert len(plan.owners) > len(fused.owners)
        plan.run(x, 2)
        for node in graph.nodes:
            assert np.array_equal(plan.tensor(node.name).values, fused.tensor(node.name).values), (family, node.name)


@pytest.mark.parametrize("quantization", ["qu8", "qc8w"])
def test_windows_of_other_shapes(quantization: str) -> None:
    """7x7, 1x7 and 7x1, channels shuffled, results side by side."""
    make = GraphBuilder("shapes", 18, quantization, 0)
    x = make.conv("square", make.input, 12, 7, stride=2, padding=3)
    sides = (make.conv("wide", x, 20, (1, 7), padding=(0, 3)), make.conv("tall", x, 68, (7, 1), padding=(3, 0)))
    y = make.shuffle("shuffle", make.concat("sides", *sides), 4)
    check(make.finish(make.conv("last", y, 24, (7, 1), padding=(3, 0), groups=2)))


def test_no_thread_is_woken_for_a_few_microseconds(monkeypatch: pytest.MonkeyPatch) -> None:
    small, large = mobilenet_v1(0.25, 32), mobilenet_v1(0.25, 128)
    asked: list[int] = []
    monkeypatch.setattr(Transfers, "run", lambda _, threads=1: asked.append(threads))
    for family in HERE:
        few, many = NativePlan(small, family), NativePlan(large, family)
        assert many.most_threads > 8 * few.most_threads and (few.most_threads == 1) == (family != "scalar")
        few.run(random_input(small), 2)
        few.bind(random_input(small)).run(2)
        assert asked[-2:] == [min(2, few.most_threads)] * 2


def test_extremes() -> None:
    """All ones by all extremes: sums as large as they get, and classifiers of one row."""
    for depth in (4, 1001):
        for zero, weight in ((0, 255), (255, 0), (128, 255), (3, 200)):
            x, w = Scheme(1.0, 0), Quantized(np.full((17, depth), weight, np.uint8), 0.9 / depth, zero)
            layer = FullyConnected(x, w, out=Scheme(1.0, 100))
            for rows in (1, 7):
                graph = Graph("fc", (rows, depth), x)
                graph.add_node("layer", layer, "input")
                reference = graph.plan("reference")
                for value in (0, 255):
                    given = Quantized(np.full((rows, depth), value, np.uint8), 1.0, 0)
                    wanted = reference.run(given).values
                    for family in HERE:
                        assert np.array_equal(NativePlan(graph, family).run(given).values, wanted), (family, depth)


def test_pools() -> None:
    for dtype, less in (("uint8", 0), ("int8", 128)):
        x, mean, out = (Scheme(scale, zero - less, dtype) for scale, zero in ((0.1, 7), (0.03, 200), (0.02, 9)))
        for size, pool, stride, padding in ((9, 3, 2, 1), (14, 2, 2, 0), (5, 5, 1, 2)):
            graph = Graph("pool", (2, size, size, 37), x)
            graph.add_node("avg", AvgPool2d(x, pool=pool, stride=stride, padding=padding, out=mean), "input")
            graph.add_node("all", GlobalAvgPool(mean, out=out), "avg")
            check(graph)


def test_what_networks_refuse() -> None:
    graph = Graph("s", (1, 4), Scheme(0.1))
    graph.add_node("shares", SoftArgmax(Scheme(0.1)), "input")
    with pytest.raises(BackendError, match="operators=True"):
        graph.plan("native")
    assert graph.plan("native", operators=True).run(random_input(graph)).shape == (1, 4)
    plan: Any = mobilenet_v1(0.25, 32).plan("native")
    plan.run(random_input(plan.graph))
    with pytest.raises(BadArgument, match="used again"):
        plan.tensor("stem")
    with pytest.raises(BadArgument, match=r"(no|[Uu]nknown) family"):
        NativePlan(plan.graph, "avx9000")
    x = random_input(plan.graph)
    with pytest.raises(BadArgument, match="no input yet"):
        plan.graph.plan("native").run()
    wanted = plan.run(x).values
    assert np.array_equal(plan.run().values, wanted)        # its place was used again meanwhile
    again = pickle.loads(pickle.dumps(plan))
    assert again.family == plan.family and np.array_equal(again.run(x).values, wanted)
    small = np.zeros((1, 31, 32, 3), np.uint8)
    for wrong in (x.values, Quantized(small, x.scale, x.zero_point), Quantized(x.values, 0.1, x.zero_point),
                  Quantized(x.values.view(np.int8), x.scale, 0)):
        with pytest.raises(BadArgument, match=r"takes|must be a Quantized"):
            plan.run(wrong)
    for threads in (0, -1, 1025, 2.5, "2", None):
        with pytest.raises(BadArgument, match="threads"):
            plan.run(x, threads)
    for call in (lambda: plan.network.run(-1), lambda: plan.network.run(10**30), lambda: plan.network.run(1, 3, 2),
                 lambda: plan.graph.plan("native", keeep=True), lambda: mobilenet_v1(seed=-1),
                 lambda: mobilenet_v1("a"), lambda: mobilenet_v1(size=96.5),  # type: ignore[arg-type]
                 lambda: random_input(plan.graph, -1),
                 lambda: Graph("g", (1, -2, 2, 3), Scheme(0.1))):
        with pytest.raises(BadArgument):
            call()


@pytest.mark.slow
def test_processors_that_lack_something() -> None:
    """A faked processor: what it lacks is not taken; it is planned if asked for, and running it says so."""
    text = ("from neonsim.nn.backends.native.network import families, run_together\n"
            "from neonsim.nn.graph import mobilenet_v1\n"
            "from neonsim.nn.graph import random_input\nfrom neonsim.errors import UnsupportedHardware\n"
            "there = families()\nassert there['scalar'] is None\n"
            "plan = mobilenet_v1(0.25, 32).plan('native')\nassert plan.family == 'scalar', plan.family\n"
            "x = random_input(plan.graph)\n"
            "for name in there:\n    if name != 'scalar':\n"
            "        other = plan.graph.plan('native', family=name)\n"
            "        assert other.family == name and name in other.explain()\n"
            "        network = other.network\n"
            "        for call in (lambda: other.run(x), network.run, network.profile, network.waits,\n"
            "                     lambda: run_together([plan.network, network]), other.bind(x).run):\n"
            "            try:\n                call()\n"
            "            except UnsupportedHardware as e:\n                assert name in str(e) and 'no ' in str(e)\n"
            "            else:\n                raise SystemExit('not refused')\n")
    everything = "neon,dotprod,i8mm,sse2,sse41,avx2,avxvnni,avx512bw,avx512vnni,amxint8"
    subprocess.run([sys.executable, "-c", text], env={**os.environ, "NEONSIM_WITHOUT": everything}, check=True)
    assert issubclass(UnsupportedHardware, BackendError)


@pytest.mark.nightly
def test_the_next_best_is_taken() -> None:
    """A faked processor without the best, without the two best, and so on."""
    text = "from neonsim.nn.graph import mobilenet_v1\nprint(mobilenet_v1(0.25, 32).plan('native').family)\n"
    features = {"amx": "amxint8", "neondot": "dotprod", "assembly": "neon"}
    for count in range(1, len(HERE)):
        without = [features.get(name, name) for name in HERE[:count]]
        taken = subprocess.run([sys.executable, "-c", text], env={**os.environ, "NEONSIM_WITHOUT": ",".join(without)},
                               check=True, capture_output=True, text=True).stdout
        assert taken.strip() == next(name for name in HERE[count:] if features.get(name, name) not in without)


def _pixels(prefix: str, at: int = 0, stride: int = 8) -> dict[str, Any]:
    return {prefix: at, f"{prefix}_height": 1, f"{prefix}_width": 8, f"{prefix}_channels": 8,
            f"{prefix}_stride": stride}


def test_what_is_joined() -> None:
    """An addition with the product before it: only where nothing is read that was written over."""
    w, bias = np.eye(8, dtype=np.int8).reshape(8, 1, 1, 8), np.zeros(8, np.int32)
    scale = np.ones(1, np.float32)

    def network(product: int, first: int, second: int, total: int, **more: Any) -> NativeNetwork:
        conv = NetworkLayer.create("conv", rounding="fp32", scale=scale, weights=w, bias=bias, **_pixels("input"),
                                   **_pixels("output", product))
        add = {**_pixels("input", first), **_pixels("output", total), "second": second, "second_stride": 8,
               "multiplier": 1, "second_multiplier": 1, "rounding": "up", "fuse_with_previous": 1, **more}
        return NativeNetwork([conv, NetworkLayer.create("add", **add)], 512)

    x, other = np.arange(64, dtype=np.uint8), np.arange(64, 128, dtype=np.uint8)
    # The product at 64, what is added to it at 128; the sum apart, in the product's place, in the other's.
    for first, second, total in ((64, 128, 192), (128, 64, 64), (64, 128, 128)):
        made = network(64, first, second, total)
        made.arena[:64], made.arena[128:192] = x, other
        assert made.profile(2)[1] == 0 and np.array_equal(made.arena[total:total + 64], x + other)
    for product, first, second, total in ((64, 64, 128, 0),     # on what the product reads
                                          (64, 64, 128, 72),    # one pixel on
                                          (64, 128, 192, 256),  # no operand is the product
                                          (64, 64, 64, 128),    # both are
                                          (64, 64, 72, 256)):   # the other one is written by the product
        with pytest.raises(BadArgument):
            network(product, first, second, total)
    with pytest.raises(BadArgument):
        network(64, 64, 128, 192, output_width=4, input_width=4)


@pytest.mark.parametrize("quantization", ["qu8", "qc8w"])
def test_joined_within_a_concatenation(quantization: str) -> None:
    """What the product reads and the sum lie side by side in every pixel, as in networks that keep all results."""
    make = GraphBuilder("dense", 9, quantization, 0)
    x = make.conv("stem", make.input, 24)
    product = make.conv("product", x, 24, 3, padding=1, activation="none")
    graph, scheme = make.graph, make.scheme(x)
    graph.add_node("sum", Add(make.scheme(product), scheme, out=scheme), "product", "stem")
    graph.finish(graph.add_node("last", ChannelShuffle(scheme, groups=2),
                                graph.add_node("all", Concat(scheme), "sum", "stem")))
    assert NativePlan(graph).joined == {"sum": "product"}
    check(graph)


@pytest.fixture
def small() -> tuple[list[NetworkLayer], int]:
    plan = NativePlan(mobilenet_v1(0.25, 32))
    from neonsim.nn.graph.plan.native import layers_of
    return layers_of(plan.graph, plan.arena)[0], plan.arena.nbytes


def test_no_memory(small: tuple[list[NetworkLayer], int]) -> None:
    """An allocator that fails after some calls: a status each time, everything given back."""
    library = native_library.require()
    malloc, free = ctypes.CDLL(None).malloc, ctypes.CDLL(None).free
    malloc.restype, malloc.argtypes, free.argtypes = ctypes.c_void_p, (ctypes.c_size_t,), (ctypes.c_void_p,)
    left = 0
    alive: set[int] = set()

    def allocate(size: int) -> int | None:
        nonlocal left
        left -= 1
        if left < 0:
            return None
        address = malloc(size)
        alive.add(address)
        return int(address)

    def release(address: int) -> None:
        alive.remove(address)
        free(address)

    callbacks = (ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t)(allocate),
                 ctypes.CFUNCTYPE(None, ctypes.c_void_p)(release))
    library.neonsim_set_allocator(*callbacks)
    try:
        for count in (0, 1, 2, 3, 5, 20, 50):
            left = count
            with pytest.raises(OutOfMemory, match="memory"):
                NativeNetwork(*small)
            assert not alive
        left = 10_000
        network = NativeNetwork(*small)
        del network
        assert not alive
    finally:
        library.neonsim_set_allocator(None, None)


def test_wrong_layers(small: tuple[list[NetworkLayer], int]) -> None:
    """Random values in random fields: a status, or a network that runs; never a crash."""
    layers, nbytes = small
    rng = np.random.default_rng(3)
    names = [field[0] for field in NetworkLayer._fields_]
    names = [name for name in names if name not in ("scale", "weights", "bias", "double_scale")]
    refused = 0
    for _ in range(400):
        layer = NetworkLayer.from_buffer_copy(layers[int(rng.integers(len(layers)))])
        for name in rng.choice(names, 1):
            old = getattr(layer, name)
            new = int(rng.choice([0, 1, -1, 255, 256, 2**31 - 1, 2**20, old + 1, old - 1, old * 2]))
            # The arrays of weights have the size that these say.
            if name in ("kernel_height", "kernel_width", "input_channels", "output_channels", "scales", "groups"):
                new = min(new, old)
            setattr(layer, name, new)
        if layer.kind >= 2:
            layer.weights = layer.weights or 0
        if layer.kind not in (0, 1) or layer.weights:
            try:
                NativeNetwork([layer], nbytes).run()
            except BadArgument:
                refused += 1
    assert refused > 50
    for name in ("weights",):
        layer = NetworkLayer.from_buffer_copy(layers[0])
        setattr(layer, name, None)
        with pytest.raises(BadArgument, match="pointer"):
            NativeNetwork([layer], nbytes)
    with pytest.raises(BadArgument):    # joined to nothing
        NativeNetwork([NetworkLayer.create("add", fuse_with_previous=1, **_pixels("input"), **_pixels("output", 64),
                                           second=128, second_stride=8, multiplier=1, second_multiplier=1,
                                           rounding="up")], 256)
    library = native_library.require()
    assert library.neonsim_network_run_part(None, 0, 0, 1, None) == 1
    assert library.neonsim_network_create(None, 1, 1, None, None, None) == 1
    with pytest.raises(BadArgument):
        NativeNetwork([], 10)
    with pytest.raises(BadArgument):
        NativeNetwork(layers, nbytes).run(threads=0)
    for wrong in ({"kind": "convolution"}, {"kind": "add", "rounding": "down"}, {"kind": "add", "size": 3}):
        with pytest.raises(BadArgument, match=r"has no (kind of layer|rounding of layers|field) '"):
            NetworkLayer.create(**wrong)


def test_many_threads_of_python() -> None:
    """Networks of their own and one in common, from several threads: the interpreter's lock is released, bytes stay."""
    graph = mobilenet_v2(0.35, 96)
    x = random_input(graph)
    wanted = NativePlan(graph).run(x).values
    wrong: list[str] = []

    def work(plan: NativePlan, threads: int) -> None:
        for _ in range(20):
            if not np.array_equal(plan.run(x, threads).values, wanted):
                wrong.append("differs")

    shared = NativePlan(graph)
    plans = [NativePlan(graph), NativePlan(graph), shared, shared]
    workers = [threading.Thread(target=work, args=(plan, 1 + i % 2)) for i, plan in enumerate(plans)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not wrong


def _children(plan: NativePlan, x: Quantized, wanted: Any) -> Iterator[int]:
    for _ in range(3):
        child = os.fork()
        if child == 0:
            same = all(np.array_equal(plan.run(x, 2).values, wanted) for _ in range(5))
            os._exit(0 if same else 1)
        yield os.waitpid(child, 0)[1]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_after_fork() -> None:
    graph = mobilenet_v1(0.25, 64)
    plan, x = NativePlan(graph), random_input(graph)
    wanted = plan.run(x, 2).values
    assert list(_children(plan, x, wanted)) == [0, 0, 0]
    assert np.array_equal(plan.run(x, 2).values, wanted)


def test_profile_and_peak() -> None:
    plan = NativePlan(mobilenet_v1(0.25, 64))
    took = plan.profile(1, runs=2)
    assert list(took) == [n.name for n in plan.graph.nodes] and all(t >= 0 for t in took.values())
    for threads in (1, 2, 5):
        times, idle = plan.network.waits(threads)
        assert len(idle) == len(times) and 1 <= idle.shape[1] <= threads and (idle <= times[:, None]).all()
        assert idle.min(axis=1).sum() < times.sum()      # somebody did it, if not so that a coarse clock sees each
        assert threads > 1 or not idle.any()
        shares = plan.waiting(threads, runs=2)
        assert list(shares) == list(took) and all(0 <= share < 1 for share in shares.values())
    assert probe_peak(None, 2) > 0 and probe_peak(None, 10, threads=2) > 0
    assert probe_bandwidth(1 << 20, 2) > 0 and probe_bandwidth(1) > 0
    assert get("native").name == "native"


def test_copies_side_by_side() -> None:
    """Each is run once, whether threads come or not; none is there twice, and none is none."""
    graph = mobilenet_v1(0.25, 64)
    plans = [NativePlan(graph, keep=True) for _ in range(3)]
    wanted = [plan.run(random_input(graph, seed)).values for seed, plan in enumerate(plans)]
    place = plans[0].arena.slots[graph.output].offset
    for plan in plans:
        plan.network.arena[place:place + wanted[0].size] ^= 0xFF
    run_together([plan.network for plan in plans])
    for plan, result in zip(plans, wanted, strict=True):
        assert np.array_equal(plan.network.arena[place:place + result.size], result.ravel())
    for wrong in ([], [plans[0].network] * 2, [plans[0].network] * 65):
        with pytest.raises(BadArgument, match="networks run together, each once"):
            run_together(wrong)


@pytest.mark.nightly
@pytest.mark.skipif(os.name == "nt", reason="this system has no SIGINT for processes")
def test_control_c() -> None:
    """SIGINT while a network runs: KeyboardInterrupt, and the plan goes on afterwards with the same bytes."""
    text = ("import os, signal, threading, numpy as np\nfrom neonsim.nn.graph import mobilenet_v1, random_input\n"
            "graph = mobilenet_v1(0.5, 96)\nplan, x = graph.plan('native'), random_input(graph)\n"
            "wanted = plan.run(x, 2).values\ncaught = 0\n"
            "for i in range(20):\n"
            "    timer = threading.Timer(0.002 * i, os.kill, (os.getpid(), signal.SIGINT))\n"
            "    try:\n        timer.start()\n        while True:\n            plan.run(x, 1 + i % 2)\n"
            "    except KeyboardInterrupt:\n        caught += 1\n    timer.join()\n"
            "    assert np.array_equal(plan.run(x, 2).values, wanted)\nassert caught == 20\n")
    subprocess.run([sys.executable, "-c", text], check=True, timeout=600)
