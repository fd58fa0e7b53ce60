"""Plans: prepared once, run often; which kernel is chosen and why; the caller's memory; lowerings side by side."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from neonsim.errors import BackendError, BadArgument
from neonsim.nn.backends.emulated import EmulatedBackend
from neonsim.nn.backends.native.backend import NativeBackend, NativeLayerJob
from neonsim.nn.ops import (
    Add,
    AvgPool2d,
    ChannelShuffle,
    Clamp,
    Conv2d,
    Convert,
    Copy,
    Deconv2d,
    FullyConnected,
    GlobalAvgPool,
    LeakyRelu,
    MaxPool2d,
    Multiply,
    Operator,
    Pad,
    Rescale,
    Sigmoid,
    SoftArgmax,
    Subtract,
    Tanh,
    add,
    clamp,
    conv2d,
)
from neonsim.nn.ops.explain.lowering_costs import buffer_sizes, cost, lowering_table, lowerings
from neonsim.quant import Quantized, Scheme
from neonsim.ukernel.packing import counting
from tests.needs import needs_backend
from tests.nn.operator_cases.each import operator_files
from tests.nn.operator_cases.listed import WITHOUT_KERNELS, classes, left_out
from tests.tiers import every

X = Scheme(0.5, 12)
RNG = np.random.default_rng(0)


def weights(*shape: int) -> Quantized:
    return Quantized(np.random.default_rng(shape).integers(0, 256, shape, dtype=np.uint8), 0.1, 120)


def image(*shape: int, scheme: Scheme = X) -> Quantized:
    values = np.random.default_rng(shape).integers(0, 256, shape, dtype=np.uint8)
    return Quantized(values, scheme.scale, scheme.zero_point)


OPERATORS: dict[str, tuple[Operator, tuple[int, ...]]] = {
    "fully_connected": (FullyConnected(X, weights(9, 20), out=Scheme(30.0, 3)), (6, 20)),
    "conv2d": (Conv2d(X, weights(9, 3, 3, 4), out=Scheme(30.0, 3), padding=1), (2, 5, 4, 4)),
    "pointwise": (Conv2d(X, weights(9, 1, 1, 4), out=Scheme(30.0, 3)), (2, 5, 4, 4)),
    "depthwise": (Conv2d(X, weights(9, 3, 3, 1), out=Scheme(30.0, 3), groups=9, padding=1), (2, 5, 4, 9)),
    "depthwise_5x5": (Conv2d(X, weights(9, 5, 5, 1), out=Scheme(30.0, 3), groups=9, padding=2), (2, 5, 4, 9)),
    "deconv2d": (Deconv2d(X, weights(4, 3, 3, 9), out=Scheme(30.0, 3), stride=2), (1, 3, 4, 4)),
    "global_avg_pool": (GlobalAvgPool(X, out=Scheme(0.3, 9)), (2, 10, 9)),
    "avg_pool2d": (AvgPool2d(X, pool=4, out=Scheme(0.3, 9)), (1, 9, 8, 9)),
    "max_pool2d": (MaxPool2d(X, pool=3), (1, 9, 8, 17)),
    "add": (Add(X, X, out=Scheme(1.0, 5)), (3, 40)),
    "subtract": (Subtract(X, X, out=Scheme(1.0, 5)), (3, 40)),
    "multiply": (Multiply(X, X, out=Scheme(60.0, 5)), (3, 40)),
    "clamp": (Clamp(X, output_min=3, output_max=90), (3, 40)),
    "sigmoid": (Sigmoid(X), (3, 40)),
    "tanh": (Tanh(X), (3, 40)),
    "convert": (Convert(X, out=Scheme(0.4, 99)), (3, 40)),
    "rescale": (Rescale(X, out=Scheme(0.4, 99)), (3, 40)),
    "leaky_relu": (LeakyRelu(X, slope=0.2, out=Scheme(0.4, 99)), (3, 40)),
    "softargmax": (SoftArgmax(X), (3, 40)),
    "pad": (Pad(X, amounts=((0, 0), (1, 2), (3, 0))), (2, 5, 9)),
    "copy": (Copy(X), (3, 40)),
    **{name: (each.prepared(X), each.shape) for name, each in operator_files().items()},
}


def test_every_operator_is_planned() -> None:
    listed = {type(operator).__name__ for operator, _ in OPERATORS.values()}
    lost = left_out(listed, "a plan that runs twice (OPERATORS of tests/nn/ops/test_plans.py)", classes(),
                    WITHOUT_KERNELS)
    assert not lost, lost


@pytest.mark.parametrize(("name", "backend"), every(4, [    # 4 and 3: each backend is met
    (name, backend) for name in OPERATORS for backend in ("reference", "emulated", "native")]))
def test_a_second_run_prepares_nothing(name: str, backend: str) -> None:
    needs_backend(backend)
    operator, shape = OPERATORS[name]
    plan = operator.plan(*[shape] * len(operator.names), backend=backend)
    assert plan.work.allocations and plan.work.runs == 0
    inputs = [image(*shape) for _ in operator.names]
    for number in range(2):
        inputs[0].values[...] = 255 - inputs[0].values
        with counting() as work:
            y = plan.run(*inputs)
        np.testing.assert_array_equal(y.values, operator.reference(*(x.values for x in inputs)),
                                      err_msg=f"run {number}")
        assert work.preparation == 0 and work.packed_bytes == 0 and work.pointers == 0 and work.allocated_bytes == 0
        # The C library reads operands where they are; the emulated machine has a memory of its own.
        layer = isinstance(plan.loaded, NativeLayerJob)     # its inputs lie in an arena
        copied = 0 if backend == "native" and not layer else sum(x.values.size for x in inputs)
        assert work.runs == 1 and work.copied_bytes == copied
        # Where no kernel is called, as to pad, there are no pointers.
        assert bool(work.moved_pointers) == (backend == "native" and number == 0 and bool(plan.job.calls))
        assert work.calls == sum(call.tiles for call in plan.job.calls)
    # What already lies in the plan's memory is not copied either.
    for own in operator.names:
        plan.inputs_view(own)[...] = 7
    with counting() as work:
        y = plan.run()
    assert work.copied_bytes == 0 and work.preparation == 0
    np.testing.assert_array_equal(y.values, operator.reference(*(np.full(shape, 7, np.uint8) for _ in operator.names)))


def test_native_plans_read_operands_where_they_are() -> None:
    needs_backend("native")
    for name, (operator, shape) in OPERATORS.items():
        # Two arrays in turns, then one whose pixels are apart, which this plan has to copy; nothing is ever stale.
        plan = operator.plan(*[shape] * len(operator.names), backend=NativeBackend(layers=False))
        others = [[image(*shape) for _ in operator.names] for _ in range(2)]
        others[1][0].values[...] = 255 - others[1][0].values
        wide = [Quantized(np.repeat(x.values, 2, axis=-1)[..., ::2], x.scale, x.zero_point) for x in others[1]]
        for inputs, copies in ((others[0], False), (others[1], False), (others[0], False), (wide, True),
                               (others[1], False)):
            with counting() as work:
                y = plan.run(*inputs)
            assert (work.copied_bytes > 0) == copies and work.preparation == 0, name
            np.testing.assert_array_equal(y.values, operator.reference(*(x.values for x in inputs)), err_msg=name)


@pytest.mark.parametrize("backend", ["reference", "emulated", "native"])
def test_plans_copy_a_vector_whose_bytes_are_apart(backend: str) -> None:
    try:
        plan = Sigmoid(X).plan((200,), backend=backend)
    except BackendError as problem:
        pytest.skip(str(problem))
    values = np.arange(400, dtype=np.uint8)[::2]
    y = plan.run(Quantized(values, X.scale, X.zero_point))
    np.testing.assert_array_equal(y.values, plan.operator.reference(values))


def test_weights_are_packed_once_and_pointers_built_once() -> None:
    operator, shape = OPERATORS["conv2d"]
    plan = operator.plan(shape, backend="emulated")
    assert (plan.work.packs, plan.work.indirections) == (1, 1)
    assert plan.work.pointers == 2 * -(-20 // 4) * 4 * 9 and plan.work.packed_bytes == 2 * 8 * (4 + 36)
    assert "packs 1" in plan.explain() and "360 pointers" in plan.explain()


A32, A64 = EmulatedBackend(), EmulatedBackend("aarch64")
CHOICES: dict[str, tuple[Operator, tuple[int, ...], str, str]] = {
    "pointwise": (*OPERATORS["pointwise"], "qu8_gemm_q31_{}x8", "the image is the left-hand matrix"),
    "pointwise_s2": (Conv2d(X, weights(9, 1, 1, 4), out=Scheme(30.0), stride=2), (1, 5, 4, 4), "qu8_conv_q31_{}x8",
                     "through pointers, no copied matrix"),
    "3x3": (*OPERATORS["conv2d"], "qu8_conv_q31_{}x8", "through pointers, no copied matrix"),
    "depthwise_3x3": (*OPERATORS["depthwise"], "qu8_dwconv_q31_8x9", "each channel by itself"),
    "depthwise_1x9": (Conv2d(X, weights(9, 1, 9, 1), out=Scheme(30.0), groups=9), (1, 2, 12, 9), "qu8_dwconv_q31_8x9",
                      "each channel by itself"),
    "depthwise_5x5": (*OPERATORS["depthwise_5x5"], "qu8_dwconv_mp_q31_8x25", "each channel by itself"),
    "depthwise_7x7": (Conv2d(X, weights(9, 7, 7, 1), out=Scheme(50.0), groups=9), (1, 8, 8, 9), "qu8_conv_q31_{}x8",
                      "49 taps"),
    "one_channel_alone": (Conv2d(X, weights(1, 3, 3, 1), out=Scheme(30.0)), (1, 5, 5, 1), "qu8_conv_q31_{}x8",
                          "through pointers, no copied matrix"),
    "gavgpool_few": (GlobalAvgPool(X, out=X), (1, 20, 7), "qu8_gavgpool_8x_", "7 channels are fewer than 8"),
    "gavgpool_7": (GlobalAvgPool(X, out=X), (1, 7, 8), "qu8_gavgpool_8x7", "7 pixels are at most 7: one pass"),
    "gavgpool_8": (GlobalAvgPool(X, out=X), (1, 8, 8), "qu8_gavgpool_mp_8x7", "8 pixels are more than 7"),
    "avgpool_few": (AvgPool2d(X, pool=4, out=X), (1, 9, 9, 7), "qu8_avgpool_8x_", "7 channels are fewer than 8"),
    "avgpool_9": (AvgPool2d(X, pool=3, out=X), (1, 9, 9, 8), "qu8_avgpool_8x9", "9 taps are at most 9: one pass"),
    "avgpool_10": (AvgPool2d(X, pool=(2, 5), out=X), (1, 9, 9, 8), "qu8_avgpool_mp_8x9", "10 taps are more than 9"),
    "maxpool_15": (MaxPool2d(X, pool=3), (1, 9, 9, 15), "u8_maxpool_16x_", "15 channels are fewer than 16"),
    "maxpool_16": (MaxPool2d(X, pool=3), (1, 9, 9, 16), "u8_maxpool_16x9", "16 channels are at least 16"),
    "shuffle_4": (ChannelShuffle(X, groups=4), (1, 8), "x8_zip_x4", "4 groups"),
    "shuffle_5": (ChannelShuffle(X, groups=5), (1, 10), "x8_zip_xm", "5 groups"),
}


@pytest.mark.parametrize("name", CHOICES)
def test_kernels_are_chosen_by_the_rules(name: str) -> None:
    operator, shape, kernel, reason = CHOICES[name]
    for backend, mr in ((A32, 4), (A64, 8)):
        plan = operator.plan(shape, backend=backend)
        assert plan.kernels[0].startswith(kernel.format(mr)), plan.kernels
        assert backend.isa in plan.kernels[0] and reason in plan.explain() and plan.kernels[0] in plan.explain()


@pytest.mark.parametrize(("core", "depth", "raw"), [
    *every(2, [("cortex-a72", 63, False), ("cortex-a75", 32, True), ("cortex-a72", 64, True), ("cortex-a76", 16, True),
               ("cortex-a73", 255, False), (None, 512, False), ("cortex-a53", 512, False)])])
def test_the_dual_issue_kernel_is_chosen_by_core_and_depth(core: str | None, depth: int, raw: bool) -> None:
    """Never on AArch64 (K14)."""
    layer = Conv2d(X, weights(8, 1, 1, depth), out=Scheme(900.0, 100))
    plan = layer.plan((1, 2, 3, depth), backend=EmulatedBackend("aarch32", core))
    assert any("xzp" in name for name in plan.kernels) == raw
    assert ("gains from the kernel of raw bytes" in plan.explain()) == raw
    x = image(1, 2, 3, depth)
    np.testing.assert_array_equal(plan.run(x).values, layer.reference(x.values))
    assert "xzp" not in " ".join(layer.plan((1, 2, 3, depth), backend=EmulatedBackend("aarch64", core)).kernels)


def test_reference_has_nothing_to_choose() -> None:
    operator, shape = OPERATORS["conv2d"]
    assert "by definition" in operator.explain(shape, backend="reference")
    odd = Conv2d(X, weights(1, 2, 2, 1), out=X, stride=3, padding=2, requantization="precise")
    assert "inefficient" in odd.explain((1, 5, 5, 1), backend="reference")


# ---- memory of the caller

def test_result_goes_where_the_caller_wants() -> None:
    x, wide = image(2, 4, 4, 4), np.full((2, 4, 4, 20), 99, np.uint8)
    operator = OPERATORS["pointwise"][0]
    assert isinstance(operator, Conv2d)
    for backend in ("reference", "emulated"):
        wide[...] = 99
        y = operator(x, backend=backend, out_array=wide[..., 5:14])
        assert np.shares_memory(y.values, wide)
        np.testing.assert_array_equal(wide[..., 5:14], operator.reference(x.values))
        assert (wide[..., :5] == 99).all() and (wide[..., 14:] == 99).all()


@pytest.mark.parametrize("backend", ["reference", "emulated", "native"])
def test_elementwise_results_may_overwrite_an_input(backend: str) -> None:
    needs_backend(backend)
    for over in ("a", "b"):
        a, b = image(3, 41), image(3, 41, scheme=Scheme(0.3, 99))
        expected = Add(a.scheme, b.scheme, out=Scheme(1.0, 5)).reference(a.values, b.values)
        target = (a if over == "a" else b).values
        add(a, b, out=Scheme(1.0, 5), out_array=target, backend=backend)
        np.testing.assert_array_equal(target, expected)
    both = image(50)
    expected = Add(X, X, out=Scheme(1.0, 5)).reference(both.values, both.values)
    add(both, both, out=Scheme(1.0, 5), out_array=both.values, backend=backend)
    np.testing.assert_array_equal(both.values, expected)
    x = image(2, 30)
    expected = np.clip(x.values, 20, 90)
    clamp(x, output_min=20, output_max=90, out_array=x.values, backend=backend)
    np.testing.assert_array_equal(x.values, expected)


BIG = np.zeros((2, 4, 4, 40), np.uint8)
FROZEN = np.zeros((2, 4, 4, 9), np.uint8)
FROZEN.flags.writeable = False


@pytest.mark.parametrize("backend", ["reference", "emulated", "native"])
@pytest.mark.parametrize(("out_array", "words"), [
    (BIG[..., 2:11], "overlaps an input"), (np.zeros((2, 4, 4, 8), np.uint8), r"uint8 \[2, 4, 4, 9\]"),
    (np.zeros((2, 4, 4, 9), np.int8), "out_array must be"), ([1], "got list"), (FROZEN, "read-only"),
    (np.zeros((2, 4, 4, 18), np.uint8)[..., ::2], "not contiguous"),
], ids=["overlap", "shape", "dtype", "list", "read_only", "not_contiguous"])
def test_arrays_for_results_that_are_refused(out_array: Any, words: str, backend: str) -> None:
    x = Quantized(BIG[..., :4], X.scale, X.zero_point)
    with pytest.raises(BadArgument, match=words):
        conv2d(x, weights(9, 1, 1, 4), out=Scheme(30.0), out_array=out_array, backend=backend)


def test_a_result_of_wider_elements_is_not_written_over_its_input() -> None:
    memory = np.zeros(24, np.int16)
    x = Quantized(memory.view(np.uint8)[:24], 0.5)
    with pytest.raises(BadArgument, match="overlaps an input"):
        Convert(Scheme(0.5), out=Scheme(0.5, 0, "int16"), requantization="gemmlowp")(x, out_array=memory)


def test_plans_refuse_options_that_there_are_not() -> None:
    operator, shape = OPERATORS["conv2d"]
    with pytest.raises(BadArgument, match=r'no option core, isa; .*EmulatedBackend\("aarch64"\)'):
        operator.plan(shape, backend="emulated", isa="aarch64", core="cortex-a55")


def test_plans_say_what_they_are_for() -> None:
    operator, shape = OPERATORS["conv2d"]
    plan = operator.plan(shape, backend="emulated")
    with pytest.raises(BadArgument, match=r"this plan is for x \[2, 5, 4, 4\]; got \[1, 5, 4, 4\]"):
        plan.run(image(1, 5, 4, 4))
    with pytest.raises(BadArgument, match="made for x of Scheme"):
        plan.run(image(2, 5, 4, 4, scheme=Scheme(0.25, 12)))
    with pytest.raises(BadArgument, match="has 1 input"):
        operator.plan(shape, shape, backend="emulated")
    with pytest.raises(BadArgument, match="cannot overwrite"):
        operator.plan(shape, backend="emulated", in_place="x")
    with pytest.raises(BadArgument, match="pixel stride of x must be in 4"):
        operator.plan(shape, backend="emulated", strides=[3])
    assert "Plan of convolution [[2, 5, 4, 4]] on emulated" in repr(plan)


# ---- lowerings

@pytest.mark.parametrize("isa", every(2, ["aarch32", "aarch64"]))
def test_lowerings_give_the_same_bytes_and_other_costs(isa: str) -> None:
    x = image(1, 6, 6, 16)
    found = {c.lowering: c for c in lowerings(Conv2d(X, weights(8, 3, 3, 16), out=Scheme(90.0, 100), padding=1), x,
                                              backend=EmulatedBackend(isa))}
    assert set(found) == {"indirect", "im2col"} and all(c.equal for c in found.values())
    assert found["im2col"].copied == 36 * 9 * 16 and found["indirect"].copied == 0
    pointer, mr = (4, 4) if isa == "aarch32" else (8, 8)
    assert found["indirect"].buffer == pointer * 9 * -(-36 // mr) * mr
    assert found["indirect"].packed == found["im2col"].packed and all(c.cycles > 0 for c in found.values())
    table = lowering_table(list(found.values()))
    assert "NO" not in table and "cycles are modelled" in table
    plain = lowerings(Conv2d(X, weights(8, 1, 1, 16), out=Scheme(90.0, 100)), x, backend=EmulatedBackend(isa))
    assert [c.lowering for c in plain] == ["gemm", "indirect", "im2col"] and all(c.equal for c in plain)
    channelwise = Conv2d(X, weights(16, 3, 3, 1), out=Scheme(90.0, 100), groups=16)
    assert [(c.lowering, c.equal) for c in lowerings(channelwise, x, backend=EmulatedBackend(isa))] == [
        ("depthwise", True), ("indirect", True), ("im2col", True)]


def test_pointers_are_larger_than_the_matrix_for_few_channels() -> None:
    """The crossover lies at as many channels as a pointer has bytes (Z04)."""
    for channels in (3, 4, 5, 8, 9, 128):
        found = buffer_sizes(Conv2d(X, weights(1, 3, 3, channels), out=Scheme(90.0)), (1, 20, 20, channels))
        assert (found.indirection_4 < found.im2col) == (channels > 4)
        assert (found.indirection_8 < found.im2col) == (channels > 8)


def test_lowerings_that_do_not_exist() -> None:
    operator, shape = OPERATORS["conv2d"]
    with pytest.raises(BadArgument, match="gemm, indirect, im2col, or winograd-fNK; got 'fourier'"):
        operator.plan(shape, backend="emulated", lowering="fourier")
    with pytest.raises(BackendError, match="'gemm' takes a 1x1 window"):
        operator.plan(shape, backend="emulated", lowering="gemm")
    with pytest.raises(BackendError, match="nothing can be counted"):
        cost(operator.plan(shape, backend="reference"))
