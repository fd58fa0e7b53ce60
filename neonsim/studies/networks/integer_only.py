"""A study: integers kept from end to end. How many bits they need, what they lose, and what their products cost.

    print(integer_only_study())

The cost is that of one layer, 64 channels to 64 of 64 pixels (1x1), by the kernels that a core takes: with int8 in and
out, requantised; and with sums that are kept, int8 to int32, int32 to int64, int64 to int64. Instructions and bytes are
counted on the emulated machine, cycles modelled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from neonsim.common.study_report import short
from neonsim.errors import BadArgument
from neonsim.nn.backends.emulated import EmulatedBackend
from neonsim.nn.graph.graph import Graph
from neonsim.nn.graph.models import digits
from neonsim.nn.graph.models.float_builder import F32
from neonsim.nn.graph.passes import simplify
from neonsim.nn.graph.quantize.integer_only import AccumulatorBits, IntegerOnlyChain, growth
from neonsim.nn.graph.quantize.quantize import quantize
from neonsim.nn.ops.arithmetics.integer_only import IntegerConv2d
from neonsim.nn.ops.explain.lowering_costs import Cost, cost
from neonsim.nn.ops.float32.operators import Float32FullyConnected
from neonsim.nn.ops.quantized.conv import Conv2d
from neonsim.quant.calibration import similarity
from neonsim.quant.scheme import Quantized, Scheme
from neonsim.studies.kernels import Bars, Report

__all__ = ["CORES", "Chain", "Layers", "integer_only_study", "layer_costs", "prefixes", "random_chain"]

CORES = ("cortex-a53", "cortex-a55", "cortex-a72", "cortex-a76")
_PIXELS, _CHANNELS = (8, 8), 64
_LENGTHS = range(2, 9)
Reals = NDArray[np.float32]


class Chain(NamedTuple):
    """A chain of layers, at both ends and after every layer.

    name           str
    layers         int
    bits           int              that its sums need, with these weights
    ends           float or None    1 - cosine to the real chain, quantised at both ends; None: it does not fit
    requantised    float            the same, every layer requantised ("tflite")
    """

    name: str
    layers: int
    bits: int
    ends: float | None
    requantized: float


class Layers(NamedTuple):
    """What one layer costs on a core.

    requantised   int8 in and out
    integer_only  int8 to int32, int32 to int64, int64 to int64
    """

    core: str
    requantized: Cost
    integer_only: tuple[Cost, Cost, Cost]

    def costs(self, layers: int) -> list[Cost]:
        """Return the layers of a chain whose sums are kept."""
        return [self.integer_only[min(number, 2)] for number in range(layers)]

    def ratio(self, layers: int) -> float:
        """Cycles of a chain whose sums are kept, of one that is requantised: modelled."""
        return sum(one.cycles for one in self.costs(layers)) / (layers * self.requantized.cycles)


def integer_only_study(seed: int = 0, cores: Sequence[str] = CORES) -> Report:
    """Return how integers grow where nothing is rounded between the ends, and what that costs: digits, chains of 2 to
    8 random layers, and a layer on cores. `data` is (the chains, the costs of a layer by core)."""
    images = digits.sample()[0].astype(np.float32) / np.float32(255)
    rng = np.random.default_rng(seed)
    wide, narrow = random_chain(8, seed), random_chain(8, seed, width=2, low=-np.inf)
    of_wide, of_narrow = ([rng.normal(size=(1, width)).astype(np.float32) for _ in range(20)] for width in (64, 2))
    given = {"digits": (digits.digits(F32), [one[np.newaxis] for one in images[:20]]), "64 wide": (wide, of_wide),
             "2 wide": (narrow, of_narrow)}
    networks = {name: growth(whole, inputs) for name, (whole, inputs) in given.items()}
    chains = [_chain(name, part, inputs) for name, (whole, inputs) in given.items() for part in prefixes(whole)]
    costs = [layer_costs(core) for core in cores]
    names = [short(core) for core in cores]
    table = (["network", "layer", "terms", "any weights", "these weights", "seen", "fits"],
             [[name, one.name, str(one.terms), str(one.worst_case), str(one.with_weights), str(one.observed or "-"),
               next((f"int{bits}" for bits in (32, 64) if one.with_weights <= bits), "-")]
              for name, layers in networks.items() for one in layers])
    errors = [[f"{one.name}, {one.layers} layers", str(one.bits),
               "does not fit int64" if one.ends is None else f"{one.ends:.1e}", f"{one.requantized:.1e}"]
              for one in chains]
    layers = [[f"{name}, {what}", f"{one.instructions:,}", f"{one.moved:,}", f"{one.cycles:,}",
               f"{one.cycles / each.requantized.cycles:.1f}x"] for name, each in zip(names, costs, strict=True)
              for what, one in zip(("int8, requantised", "int8 to int32", "int32 to int64", "int64 to int64"),
                                   (each.requantized, *each.integer_only), strict=True)]
    ratios = [(f"{count} layers", tuple(each.ratio(count) for each in costs)) for count in _LENGTHS]
    return Report(
        "Quantised at both ends only: bits that sums need (counted), errors, and cycles (modelled) of int8 requantised",
        _notes(networks, costs), table,
        Bars("cycles, of a chain of int8 requantised (modelled)", tuple(names), tuple(ratios),
             ((1.0, "int8, requantised"),)),
        printed=(table, (["chain", "bits", "1 - cosine, ends only", "requantised each layer"], errors),
                 (["a layer of 64 by 64, 64 pixels", "instructions", "bytes moved", "cycles", "of int8"], layers),
                 (["cycles, of int8 requantised", *names],
                  [[text, *(f"{one:.1f}x" for one in found)] for text, found in ratios])),
        data=(tuple(chains), tuple(costs)))


def _notes(networks: Mapping[str, Sequence[AccumulatorBits]], costs: Sequence[Layers]) -> str:
    told = "; ".join(f"{name}: {sum(one.with_weights <= 32 for one in rows)} in int32, "
                     f"{sum(one.with_weights <= 64 for one in rows)} "
                     f"in int64 of {len(rows)}" for name, rows in networks.items())
    kernels = "; ".join(f"{short(each.core)} {', '.join(each.requantized.kernels)}" for each in costs)
    return (f"Layers whose sums fit with these weights, whatever the input: {told}.\n"
            "Every layer of K terms adds up to 7 + log2(K) bits. So it can be done for a few layers, with products of "
            "32 and 64 bits; beyond that some layer must be brought back to few bits, which is requantising.\n"
            "What it saves is one rounding a layer; what is lost at the ends, and with the weights, stays. What it "
            "costs is width: a register holds four sums of 32 bits or two of 64, and of 64-bit activations both halves "
            "are multiplied.\n"
            f"Requantised layers are those of the kernel that each core takes: {kernels}. Cycles are of kernels alone, "
            "operands in the first cache; a chain is the sum of its layers.")


def prefixes(graph: Graph) -> list[Graph]:
    """Return the beginnings of a chain, 2 products long and more, as floats."""
    simple = simplify(graph)
    names = [node.name for node in simple.nodes if node.operator.product_kind]
    return [simple.part(name) for name in names[1:]]


def _chain(name: str, part: Graph, inputs: Sequence[Reals]) -> Chain:
    count = sum(bool(node.operator.product_kind) for node in part.nodes)
    plan = part.plan("reference")
    wanted = np.concatenate([np.array(plan.run(x)) for x in inputs])
    made = quantize(part, "tflite", calibration=inputs).plan(("native", "reference"))
    requantized = 1 - similarity(wanted, np.concatenate([np.array(made.run(x)) for x in inputs]))
    whole = IntegerOnlyChain(part, float(max(abs(x).max() for x in inputs)))
    bits = max(largest for _, _, _, largest in whole.bounds()).bit_length() + 1
    try:
        kept = whole.integer_graph().plan("reference")
    except BadArgument:
        return Chain(name, count, bits, None, requantized)
    found = np.concatenate([whole.reals(kept.run(whole.inputs(x))) for x in inputs])
    return Chain(name, count, bits, 1 - similarity(wanted, found), requantized)


def random_chain(layers: int, seed: int, width: int = 64, low: float = 0.0) -> Graph:
    """Products of n by as many, with a ReLU between; low=-inf: without, where narrow layers would give 0 only."""
    rng, name = np.random.default_rng(seed), "input"
    graph = Graph("chain", (1, width), dtype="float32")
    for number in range(1, layers + 1):
        w = rng.normal(size=(width, width)) * np.sqrt(2 / width)
        name = graph.add_node(f"layer{number}", Float32FullyConnected(w, 0.1 * rng.normal(size=width), low=low), name)
    return graph


def layer_costs(core: str) -> Layers:
    """One layer on a core, by its kernels of AArch64.

    Raises BackendError for a core that the timing model does not know, or without kernels.
    """
    rng = np.random.default_rng(0)
    shape, size = (1, *_PIXELS, _CHANNELS), (_CHANNELS, 1, 1, _CHANNELS)
    values = rng.integers(-127, 128, size).astype(np.int8)
    backend = EmulatedBackend("aarch64", core)
    weights = Quantized(values, np.full(_CHANNELS, 0.01, np.float32), axis=0)
    one = Conv2d(Scheme(0.02, 0, "int8"), weights, out=Scheme(0.05, 0, "int8"), output_min=0)
    return Layers(core, cost(one.plan(shape, backend=backend), core), (
        cost(IntegerConv2d("int8", values, low=0).plan(shape, backend=backend), core),
        cost(IntegerConv2d("int32", values, low=0).plan(shape, backend=backend), core),
        cost(IntegerConv2d("int64", values, low=0).plan(shape, backend=backend), core)))
