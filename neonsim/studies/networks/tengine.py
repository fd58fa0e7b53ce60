"""What Tengine's way rests on, counted: biases of 32 bits, activations of integers, its two roundings; and why int8
Winograd is not simply int8.

    print(tengine_study())

    biases      bits that each bias needs in steps of s_w * s_in: one of int8 would not do (F08)
    ReLU6       its constant, rounded and cut off, and a sum whose byte differs (F13)
    roundings   sums around every half: ReLU before or after; bytes that the reference kernels and those for Arm have
                alike (F10)
    Winograd    bits of integers on their way through F(n, 3) (F18)
    ReLU        by three ways whose bytes are the same where the scale stays, and what each costs (F12, F13)
        maximum     the larger of each byte and 0: 16 bytes an instruction                   s8_clamp
        detour      every byte to a real number and back, in registers                       qs8_clamp_quotient
        buffer      the same by three walks, floats in memory between them, as Tengine's reference has it
                    x8_f32_vcvt, f32_clamp, f32_qs8_quotient
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from neonsim.common.study_report import Table, by_column, cell
from neonsim.nn import ops
from neonsim.nn.graph.graph import Graph
from neonsim.nn.graph.models import digits, model
from neonsim.nn.graph.models.float_builder import F32
from neonsim.nn.graph.plan.cycles import network_cycles
from neonsim.nn.graph.plan.run import OperatorPlan, plan
from neonsim.nn.graph.quantize.tengine import BiasBits, bias_bits
from neonsim.nn.ops.arithmetics.tengine import DetourClamp, TengineQuantize
from neonsim.nn.ops.float32.operators import Float32Clamp
from neonsim.quant.requant.schemes import unclamped
from neonsim.quant.requant.tengine import MAX_INT8, activation_limit, by_multiplier, through_real
from neonsim.quant.scheme import Scheme
from neonsim.quant.winograd.bit_growth import growth
from neonsim.studies.kernels import Bars, Report

__all__ = ["Constant6", "ReluVariant", "RoundingDifferences", "constants_of_relu6", "relu_graph", "relu_variants",
           "roundings",
           "tengine_report", "tengine_study"]

Ints = NDArray[np.int64]
_SCALE = 0.0111111119           # next to 1 / 90, which has ties
_TILES = (2, 4, 6)
_CHANNELS = 64
_BYTES = Scheme(0.05, 0, "int8")


class Constant6(NamedTuple):
    """ReLU6 of one output scale.

    scale     float   s_out
    exact     float   6 / s_out
    rounded   int     the constant
    truncated  int     what one gets without rounding
    total     int     a sum, in steps of s_out / 90, whose byte differs; None where both constants are one
    bytes     (int, int)   its byte by either
    """

    scale: float
    exact: float
    rounded: int
    truncated: int
    total: int | None
    bytes: tuple[int, int]


class RoundingDifferences(NamedTuple):
    """One rounding over sums around every half of a byte, and the ends of int32.

    rule       str
    accumulators  int   how many
    differ     int   whose ReLU before and after requantisation are two bytes
    unlike     int   whose byte is another than that of "precise", one exact rounding
    """

    rule: str
    accumulators: int
    differ: int
    unlike: int


def constants_of_relu6(scales: Sequence[float]) -> list[Constant6]:
    """Return the constant of ReLU6 in integers, of some output scales: min(real, 6) / s_out, rounded, is min(byte,
    constant) for the rounded constant only.

    >>> constants_of_relu6([0.0621])[0][2:]
    (97, 96, 8685, (97, 96))
    """
    found = []
    for scale in scales:
        rounded, cut = (activation_limit(6.0, scale, single=True, rounded=one) for one in (True, False))
        total, pair = None, (rounded, rounded)
        if rounded != cut:
            # The first sum whose byte is beyond the lower constant.
            sums = np.arange(90 * cut, 90 * (cut + 2))
            bytes_ = through_real(sums, np.float32(scale) / np.float32(90), scale)
            at = int(np.argmax(bytes_ > cut))
            total, byte = int(sums[at]), int(bytes_[at])
            pair = min(byte, rounded), min(byte, cut)
        found.append(Constant6(scale, 6 / scale, rounded, cut, total, pair))
    return found


_RULES: dict[str, Callable[[Ints], Ints]] = {
    **{name: (lambda acc, name=name: unclamped(acc, _SCALE, name))      # type: ignore[misc]
       for name in ("precise", "rndnu", "fp32_lrint", "q31")},
    "tengine": lambda acc: by_multiplier(acc, np.float32(_SCALE)),
    "tengine-reference": lambda acc: through_real(acc, np.float32(_SCALE) * np.float32(0.75), 0.75)}


def roundings() -> list[RoundingDifferences]:
    """Every rule with a scale next to 1 / 90."""
    halves = np.rint((np.arange(-MAX_INT8 - 3, MAX_INT8 + 4) + 0.5) / _SCALE).astype(np.int64)
    acc = np.unique(np.concatenate([halves + near for near in range(-45, 46)] +
                                   [np.array([-2**31, 2**31 - 1, -1, 0, 1], np.int64)]))
    exact = np.clip(_RULES["precise"](acc), -MAX_INT8, MAX_INT8)
    found = []
    for name, rule in _RULES.items():
        bytes_ = np.clip(rule(acc), -MAX_INT8, MAX_INT8)
        before = np.clip(rule(np.maximum(acc, 0)), -MAX_INT8, MAX_INT8)
        found.append(RoundingDifferences(name, acc.size, int((before != np.maximum(bytes_, 0)).sum()),
                             int((bytes_ != exact).sum())))
    return found


# ---- ReLU by three ways ----------------------------------------------------------------------------------------------

class ReluVariant(NamedTuple):
    """One way on one instruction set.

    name, isa      str
    elements       int
    instructions   int     counted
    cycles         float   modelled
    moved          int     bytes that are read and written, of tensors; counted
    """

    name: str
    isa: str
    elements: int
    instructions: int
    cycles: float
    moved: int


def relu_graph(variant: str, elements: int) -> Graph:
    """Return a graph of nothing else, int8 [1, elements] to int8."""
    graph = Graph(f"relu by {variant}", (1, elements), _BYTES)
    if variant == "maximum":
        return graph.finish(graph.add_node("relu", ops.Clamp(_BYTES, output_min=0, output_max=127), "input"))
    if variant == "detour":
        return graph.finish(graph.add_node("relu", DetourClamp(_BYTES, _BYTES, 0.0), "input"))
    real = graph.add_node("real", ops.Dequantize(_BYTES), "input")
    cut = graph.add_node("relu", Float32Clamp(0.0), real)
    return graph.finish(graph.add_node("bytes", TengineQuantize(out=_BYTES), cut))


def relu_variants(core: str = "cortex-a53", elements: int = 1 << 14) -> tuple[ReluVariant, ...]:
    """All ways on both instruction sets of a core."""
    found = []
    for isa in ("aarch64", "aarch32"):
        for way in ("maximum", "detour", "buffer"):
            graph = relu_graph(way, elements)
            made = plan(graph, "emulated", isa=isa, core=core)
            assert isinstance(made, OperatorPlan)
            made.run(_BYTES.wrap(np.zeros((1, elements), np.int8)))
            cost = network_cycles(made, core)
            moved = sum(graph.tensors[name].nbytes for node in graph.nodes for name in (*node.inputs, *node.results))
            found.append(ReluVariant(way, isa, elements, cost.instructions, cost.cycles, moved))
    return tuple(found)


# ---- the study -------------------------------------------------------------------------------------------------------

def _networks() -> dict[str, tuple[Graph, list[NDArray[np.float32]]]]:
    pictures = digits.sample()[0][:20].astype(np.float32) / np.float32(255)
    size = 32
    image = np.random.default_rng(0).normal(size=(1, size, size, 3)).astype(np.float32)
    return {"digits": (digits.digits(F32), [one[np.newaxis] for one in pictures]),
            "mobilenet_v1": (model("mobilenet_v1", quantization=F32, size=size, width=0.25), [image])}


def tengine_study() -> Report:
    """Return the digits, trained; a MobileNetV1 of a quarter width, seeded."""
    biases = {name: bias_bits(graph, calibration=inputs) for name, (graph, inputs) in _networks().items()}
    scales = [0.0472441, 0.05, 0.0621, 0.07, 0.0833333, 0.1, 0.15, 0.3]
    return tengine_report(biases, constants_of_relu6(scales), roundings(), relu_variants())


def tengine_report(biases: Mapping[str, Sequence[BiasBits]], constants: Sequence[Constant6],
                   rounded: Sequence[RoundingDifferences], variants: Sequence[ReluVariant] = ()) -> Report:
    """Five tables: biases of {network: layers}, constants of ReLU6, every rule of rounding, Winograd, ways of ReLU."""
    table = (["network", "layer", "channels", "beyond int8", "bits of the largest"],
             [[name, one.layer, str(one.out_of), str(one.beyond), str(one.bits)]
              for name, layers in biases.items() for one in layers])
    relu6 = (["ReLU6, output scale", "6 / scale", "rounded", "cut off", "a sum", "its bytes"],
             [[f"{one.scale:.6g}", f"{one.exact:.3f}", str(one.rounded), str(one.truncated), cell(one.total, "d"),
               "-" if one.total is None else f"{one.bytes[0]}, {one.bytes[1]}"] for one in constants])
    rules = (["rounding", "sums", "ReLU before is not ReLU after", "other byte than one exact rounding"],
             [[one.rule, f"{one.accumulators:,}", str(one.differ), f"{one.unlike:,}"] for one in rounded])
    relu = (["ReLU", "instruction set", "instructions an element (counted)", "cycles an element (modelled)",
             "bytes an element"],
            [[one.name, one.isa, *(f"{value / one.elements:.3g}" for value in
                                   (one.instructions, one.cycles, one.moved))] for one in variants])
    tables = {"relu6": relu6, "roundings": rules, "winograd": _winograd(), "relu": relu}
    groups = [(f"{name}: {one.layer}", (float(one.bits),)) for name, layers in biases.items()
              for one in list(layers)[:6]]
    every = [one for layers in biases.values() for one in layers]
    over, largest = sum(one.beyond > 0 for one in every), max(one.bits for one in every)
    return Report(
        "Tengine's int8: biases of 32 bits, activations of integers; and Winograd in int8 (counted)",
        f"Biases count in steps of s_w * s_in, so that they are added to sums. Of {len(every)} layers, {over} have one "
        f"that is no int8; the largest takes {largest} bits. As int32 it takes as many bytes as a real number.\n"
        "ReLU of the sum and ReLU of the byte are one byte if the rounding maps 0 to 0 and never falls: the tests go "
        "through all 2**32 sums. ReLU6 needs its constant rounded as the byte is: cut off, it is one too small for "
        f"{sum(one.total is not None for one in constants)} of {len(constants)} scales.\n"
        "Two roundings differ from one exact one next to halves only, by 1.\n"
        "Winograd's transforms make numbers larger: F(4, 3) fits 16 bits with weights of 6 bits, F(6, 3) does not."
        f"{_times_as_long(variants)}",
        table, Bars("bits of the largest bias", ("bits",), tuple(groups), ((8.0, "int8"),)),
        printed=[table, *tables.values()], details={name: by_column(one) for name, one in tables.items()})


def _winograd() -> Table:
    head = ["tile", "weights", "inputs", "transformed weights", "product", "sum of 64", "in int16"]
    rows = []
    for n in _TILES:
        for bits in (8, 6):
            found = growth(n, 3, weights=2 ** (bits - 1) - 1, channels=_CHANNELS, common=True)
            need = found.bits()
            rows.append([f"F({n}, 3)", f"{bits} bits", *(str(need[what]) for what in
                                                         ("source", "weights", "product", "sum")),
                         "no" if found.refusal else "yes"])
    return head, rows


def _times_as_long(ways: Sequence[ReluVariant]) -> str:
    """Of ReLU's ways."""
    by = {(one.name, one.isa): one.cycles for one in ways}
    if not by:
        return ""
    shares = [f"{by[way, isa] / by['maximum', isa]:.0f} times as long ({way}, {isa})"
              for isa in ("aarch64", "aarch32") for way in ("detour", "buffer")]
    return ("\nReLU through real numbers, on a Cortex-A53 with everything in its first cache, takes "
            f"{', '.join(shares)} as a maximum of bytes, for the same bytes where the scale stays.")
