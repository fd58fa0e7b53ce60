"""From real numbers to integers: passes change what they say and no more, flows give what their formulas give."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from neonsim.errors import BadArgument
from neonsim.nn.graph import FLOWS, Graph, gather
from neonsim.nn.graph.gather import GatherIndices
from neonsim.nn.graph.models import digits
from neonsim.nn.graph.models.float_builder import F32
from neonsim.nn.graph.passes import diff, fold_batch_norm, fuse_activations, simplify
from neonsim.nn.graph.quantize.quantize import quantize
from neonsim.nn.graph.quantize.recipe_base import ranges
from neonsim.nn.graph.quantize.recipes import SCHEMES
from neonsim.nn.ops import AvgPool2d, Conv2d, FullyConnected, Quantize
from neonsim.nn.ops.float32.operators import BatchNorm, Float32Add, Float32Clamp, Float32Conv2d
from tests.float_graph import float_graph, float_images
from tests.tiers import every

Reals = NDArray[np.float32]


def test_folding_changes_the_last_bits_only() -> None:
    graph = float_graph()
    folded = fold_batch_norm(graph)
    assert [node.name for node in graph.nodes if node.name not in {n.name for n in folded.nodes}] == ["conv"]
    for x in float_images(1):
        for was, now in zip(graph.plan("reference").run(x), folded.plan("reference").run(x), strict=True):
            assert abs(was - now).max() < 1e-5
    # The formula, in float64: gain * (conv + bias) + offset.
    norm, conv = graph.node("norm").operator, graph.node("conv").operator
    new = folded.node("norm").operator
    assert isinstance(norm, BatchNorm) and isinstance(conv, Float32Conv2d) and isinstance(new, Float32Conv2d)
    assert (new.w == (conv.w.astype(np.float64) * norm.gain.reshape(-1, 1, 1, 1).astype(np.float64)).astype(
        np.float32)).all()


def test_fusing_changes_no_bit() -> None:
    graph = fold_batch_norm(float_graph())
    fused = fuse_activations(graph)
    assert {"relu6", "relu"} <= {node.name for node in fused.nodes} and len(fused.nodes) == len(graph.nodes) - 2
    for x in float_images(2):
        for was, now in zip(graph.plan("reference").run(x), fused.plan("reference").run(x), strict=True):
            assert was.tobytes() == now.tobytes()


def test_what_a_pass_changed() -> None:
    graph = float_graph()
    assert [str(one) for one in diff(graph, simplify(graph))] == [
        "relu6: conv 3x3 + batch normalisation + clamp [0, 6] -> conv 3x3 [0, 6]",
        "relu: addition [-1, 1.5] + clamp [0, inf] -> addition [0, 1.5]"]
    assert diff(graph, graph) == []


def test_what_is_read_twice_is_not_folded() -> None:
    graph = Graph("twice", (1, 2, 2, 1), dtype="float32")
    a = graph.add_node("conv", Float32Conv2d(np.ones((1, 1, 1, 1))), "input")
    b = graph.add_node("norm", BatchNorm([2.0], [1.0]), a)
    graph.finish(graph.add_node("sum", Float32Add(), a, b))
    assert len(simplify(graph).nodes) == 3
    with pytest.raises(BadArgument, match=r"norm of twice \(batch normalisation\) does not suit flow='tflite'"):
        quantize(graph, calibration=[np.ones((1, 2, 2, 1))])
    # A result of the graph is read from outside.
    graph.finish(a, "sum")
    assert len(simplify(graph).nodes) == 3
    limits = Graph("limits", (1, 2, 2, 1), dtype="float32")
    one = limits.add_node("conv", Float32Conv2d(np.ones((1, 1, 1, 1)), high=1.0), "input")
    limits.finish(limits.add_node("clamp", Float32Clamp(2.0), one))
    assert len(simplify(limits).nodes) == 2, "limits that exclude each other stay apart"


def _close(found: tuple[Reals, ...], wanted: tuple[Reals, ...], steps: float) -> None:
    for one, other in zip(found, wanted, strict=True):
        assert abs(one - other).max() <= steps * max(float(abs(other).max()), 1e-6)


@pytest.mark.parametrize("method", every(3, ["minmax", "mse", "moving-average"]))
@pytest.mark.parametrize("flow", SCHEMES)
def test_a_quantized_network_says_nearly_the_same(flow: str, method: str) -> None:
    graph = float_graph(3, limits=(-np.inf, np.inf))
    made = quantize(graph, flow, calibration=float_images(3), method=method)
    assert made.tensors[made.inputs[0]].dtype == "float32" and len(made.outputs) == 3
    plan, real = made.plan("reference"), graph.plan("reference")
    for x in float_images(3):
        _close(plan.run(x), real.run(x), 0.2 if flow == "shift-only" else 0.12)


@pytest.mark.parametrize("flow", every(len(SCHEMES), SCHEMES))
def test_every_backend_has_its_bytes(flow: str) -> None:
    made = quantize(float_graph(4), flow, calibration=float_images(4))
    plans = [made.plan(backend) for backend in ("reference", ("native", "reference"), ("emulated", "reference"))]
    for x in float_images(5, 2):
        wanted, *others = [plan.run(x, threads=2) for plan in plans]
        for found in others:
            assert all(a.tobytes() == b.tobytes() for a, b in zip(found, wanted, strict=True))


def test_tflite_by_its_formulas() -> None:
    """Scales, bias, limits of one convolution, and its bytes, written once more."""
    rng = np.random.default_rng(6)
    w, bias = rng.normal(size=(4, 1, 1, 3)).astype(np.float32), rng.normal(size=4).astype(np.float32)
    graph = Graph("one", (1, 2, 2, 3), dtype="float32")
    graph.finish(graph.add_node("conv", Float32Conv2d(w, bias, low=0.0, high=6.0), "input"))
    x = rng.uniform(-1, 3, (1, 2, 2, 3)).astype(np.float32)
    made = quantize(graph, "tflite", calibration=[x])
    operator = made.node("conv").operator
    assert isinstance(operator, Conv2d)
    low, high = min(float(x.min()), 0.0), max(float(x.max()), 0.0)
    s_x = (high - low) / 255
    z_x = int(np.rint(-128 - low / s_x))
    s_w = abs(w.reshape(4, -1)).max(1) / np.float32(127)
    y = np.clip(x.reshape(-1, 3) @ w.reshape(4, 3).T + bias, 0, 6)
    s_y = float(y.max()) / 255
    q_x = np.clip(np.rint(x.reshape(-1, 3) / np.float32(s_x)) + z_x, -128, 127)
    q_w = np.clip(np.rint(w.reshape(4, 3) / s_w[:, None]), -127, 127)
    q_b = np.rint(bias / (s_x * s_w.astype(np.float64)))
    sums = (q_x - z_x) @ q_w.T + q_b
    factor = np.float32(s_x) * s_w / np.float32(s_y)
    wanted = np.clip(np.rint(sums.astype(np.float32) * factor) - 128, -128, 127)
    assert (operator.bias == q_b).all() and operator.out.zero_point == -128
    plan = made.plan("reference")
    plan.run(x)
    assert (plan.tensor("conv").values.reshape(-1, 4) == wanted).all()


def test_shift_only_has_powers_of_two() -> None:
    made = quantize(float_graph(7), "shift-only", calibration=float_images(7))
    for node in made.nodes:
        if isinstance(node.operator, Conv2d | FullyConnected):
            mantissa, _ = np.frexp(node.operator.scale)
            assert (mantissa == 0.5).all() and node.operator.schemes[0].zero_point == 0


def test_tensors_without_arithmetic_share_a_scheme() -> None:
    made = quantize(float_graph(8), "tflite", calibration=float_images(8))
    assert made.scheme("relu") == made.scheme("largest") == made.scheme("mean") == made.scheme("join")
    assert isinstance(made.node("mean").operator, AvgPool2d)
    assert made.scheme("shares").scale == 1 / 256


def test_ranges_are_those_of_the_tensors() -> None:
    graph = simplify(float_graph(9))
    found = ranges(graph, float_images(9))
    plan = graph.plan("reference")
    lows = []
    for x in float_images(9):
        plan.run(x)
        lows.append(float(plan.tensor("dense").min()))
    assert found["dense"].low == min(*lows, 0.0) and found["relu6"].low == 0.0 and found["relu6"].high <= 6.0


@pytest.mark.parametrize(("flow", "method", "inputs", "words"), [
    ("best", "minmax", float_images(1), "flow must be 'tflite'"),
    ("tflite", "best", float_images(1), "a method of calibration must be"),
    ("tflite", "minmax", [], "calibration"),
    ("tflite", "minmax", [np.full((1, 9, 9, 3), np.nan)], "must be finite; batch 0 has nan"),
    ("tflite", "minmax", [np.ones((1, 5, 9, 3))], "small takes"),
    ("tflite", "minmax", [np.full((1, 9, 9, 3), "x")], "floating-point values"),
])
def test_wrong_input(flow: str, method: str, inputs: list[Reals], words: str) -> None:
    with pytest.raises(BadArgument, match=words):
        quantize(float_graph(), flow, calibration=inputs, method=method)


def test_integers_are_no_network_of_real_numbers() -> None:
    from neonsim.nn.graph import mobilenet_v1
    with pytest.raises(BadArgument, match="not a network of floating-point values"):
        quantize(mobilenet_v1(size=32), calibration=[np.zeros((1, 32, 32, 3))])


def test_shift_only_is_one_network_of_the_c_library() -> None:
    """Its input too: times 1 / scale, a power of two, is the quotient to the bit, of ties and tiny numbers as well."""
    rng = np.random.default_rng(9)
    x = rng.normal(size=(3, 28, 28, 1)).astype(np.float32)
    x[0, 0] *= np.float32(2.0**-126)
    made = quantize(digits.digits(F32, 3), "shift-only", calibration=[x])
    first = made.nodes[0].operator
    assert isinstance(first, Quantize)
    x[1, 0, :, 0] = (np.arange(28) - 13.5) * np.float32(first.out.scale)
    assert np.array_equal(first.reference(x), first.out.quantize(x).values)
    assert np.array_equal(made.plan("native").run(x), made.plan("reference").run(x))


@pytest.mark.parametrize("flow", FLOWS)
def test_moves_of_blocks_only_move(flow: str) -> None:
    """Several moves of one call are a node each; in any flow they change no number."""
    image, batch = (1, 8, 8, 6), (4, 4, 4, 6)
    moves: dict[str, tuple[GatherIndices, ...]] = {
        "apart": gather.space_to_batch("float32", image, (2, 2), ((0, 0), (0, 0))),
        "together": gather.batch_to_space("float32", batch, (2, 2), ((0, 0), (0, 1))),
        "channels": (gather.space_to_depth("float32", image, 2),),
        "turn": (gather.transpose_indices("float32", image, (0, 2, 1, 3)),)}
    for name, made in moves.items():
        shape = made[0].shape
        rng, results = np.random.default_rng(1), []
        conv = Float32Conv2d(rng.normal(size=(6, 1, 1, 6)), low=0)
        given = [rng.normal(size=shape).astype(np.float32) for _ in range(2)]
        for several in ((), made):
            graph = Graph("one", shape, dtype="float32")
            last = graph.add_node("conv", conv, "input")
            for i, move in enumerate(several):
                last = graph.add_node(f"move {i}", move, last)
            quantized = quantize(graph.finish(last), flow, calibration=given)
            results.append(np.asarray(quantized.plan("reference").run(given[0])))
        wanted = results[0]
        for move in made:
            wanted = move.reference(wanted)[0]
        assert np.array_equal(results[1], wanted), (flow, name)
