"""Plans between arrays of the caller's: the bytes of plain runs, nothing made by a run, and no array that can hurt."""

from __future__ import annotations

import ctypes
import gc
import pickle
import threading
import tracemalloc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from neonsim.errors import BadArgument
from neonsim.nn.backends.native import library as native_library
from neonsim.nn.backends.native.network import NativeNetwork, NetworkLayer, Transfers
from neonsim.nn.backends.native.structs import TransferRecord
from neonsim.nn.graph import Concat, Graph, choose_algorithms, model, random_input, random_inputs
from neonsim.nn.graph.plan.native import NativePlan
from neonsim.nn.ops import Add
from neonsim.quant.scheme import Quantized, Scheme
from neonsim.quant.tensor_type import elements
from tests.nn.graph.test_any_tensors import Chance

MISSING = native_library.available()
pytestmark = pytest.mark.skipif(MISSING is not None, reason=str(MISSING))

A, B = Scheme(0.1, 3, "int8"), Scheme(0.1, 128)


def adds(scheme: Scheme = A, shape: tuple[int, ...] = (1, 4, 4, 8)) -> NativePlan:
    """state + x -> state: the smallest network with a memory."""
    graph = Graph("adds")
    graph.add_input("x", shape, scheme)
    graph.add_input("state", shape, scheme)
    graph.add_node("sum", Add(scheme, scheme, out=scheme), "x", "state")
    graph.finish("sum")
    return NativePlan(graph)


def small(quantization: str = "qs8") -> NativePlan:
    plan = NativePlan(model("mobilenet_v1", width=0.25, size=32, quantization=quantization))
    plan.most_threads = 64      # however small
    return plan


def values(x: Any) -> list[np.ndarray]:
    return [np.array(elements(one)) for one in (x if isinstance(x, tuple) else (x,))]


@pytest.mark.parametrize("count", [40, pytest.param(1500, marks=pytest.mark.nightly)])
def test_bound_runs_equal_plain_ones(count: int) -> None:
    """Any types, several inputs and results, results within others: again and again, by any number of threads."""
    for seed in range(count):
        graph = Chance([41, seed], real=False).graph
        plan = NativePlan(graph)
        plan.most_threads = 64      # however small
        inputs = {name: np.empty(t.shape, t.dtype) for name, t in graph.tensors.items() if name in graph.inputs}
        outputs = [np.empty(graph.tensors[name].shape, graph.tensors[name].dtype) for name in graph.outputs]
        bound = plan.bind(inputs, outputs)
        for turn in range(3):
            x = random_inputs(graph, 10 * seed + turn)
            wanted = values(plan.run(x))
            for name, array in inputs.items():
                array[...] = elements(x[name])
            found = values(bound.run(1 + turn % 2))
            assert all(np.array_equal(a, b) for a, b in zip(found, wanted, strict=True)), (seed, turn)
            assert all(np.array_equal(a, b) for a, b in zip(outputs, wanted, strict=True)), (seed, turn)


@pytest.mark.parametrize("quantization", ["qu8", "qs8"])
def test_a_network_with_schemes(quantization: str) -> None:
    plan = small(quantization)
    x = random_input(plan.graph)
    bound = plan.bind(x)
    y = bound.run()
    assert isinstance(y, Quantized) and y is bound.outputs[0] and y.backend == "native"
    assert np.array_equal(y.values, plan.run(x).values)
    x.values[...] = random_input(plan.graph, 5).values
    assert np.array_equal(bound.run().values, plan.run(x).values)


def test_a_state_is_one_array() -> None:
    """Exactly the same memory as input and result: what a run leaves, the next one takes."""
    plan = adds()
    x, state = np.full((1, 4, 4, 8), 5, np.int8), np.full((1, 4, 4, 8), 3, np.int8)
    bound = plan.bind([x, state], state)
    for turn in range(1, 4):
        bound.run()
        assert (state == 3 + 2 * turn).all()        # 5 stands for 2 steps of the scale


def test_what_does_not_fit() -> None:
    plan = adds()
    shape = (1, 4, 4, 8)
    x, state, y = (np.zeros(shape, np.int8) for _ in range(3))
    gaps, closed = np.zeros((1, 4, 4, 16), np.int8)[..., ::2], np.zeros(shape, np.int8)
    closed.flags.writeable = False
    room = np.zeros(300, np.int8)
    near = room[4:132].reshape(shape), room[:128].reshape(shape)
    for inputs, outputs, said in (
            ([x], y, "adds has 2 inputs, x, state: bind a list of arrays in this order, or a dict; got 1"),
            ({"x": x}, y, "the inputs of adds must be x, state; got x"),
            ([x, state], [y, y], "adds has 1 results, sum"),
            ([x, state.astype(np.uint8)], y,
             r"the input state of adds must be \[1, 4, 4, 8\] of int8; got .* of uint8"),
            ([x, state[0]], y, r"got \[4, 4, 8\] of int8. No conversion"),
            ([x, state.tolist()], y, "must be bound to a numpy array of int8; got list"),
            ([x, np.ma.masked_array(state)], y, "got MaskedArray"),
            ([Quantized(x, 0.2, 3), state], y, "the input x of adds must be .*; got .*scale=0.2"),
            ([gaps, state], y, "contiguous array.*np.ascontiguousarray"),
            ([x, state], gaps, "the result sum of adds must be bound to a contiguous array"),
            ([x, state], closed, "the result sum of adds is an output, but this array is read-only"),
            ([x, near[1]], near[0], "the result sum of adds shares memory with state")):
        with pytest.raises(BadArgument, match=said):
            plan.bind(inputs, outputs)
    assert plan.bind([closed, state], y).run() is y             # inputs are only read
    assert plan.bind([x, x], y).run() is y
    wrong: tuple[Any, ...] = (0, 1025, "2", True)
    for threads in wrong:
        with pytest.raises(BadArgument, match="threads"):
            plan.bind([x, state], y).run(threads)
    with pytest.raises(BadArgument, match="Bind a plan again there"):
        pickle.dumps(plan.bind([x, state], y))


def test_results_apart_from_each_other() -> None:
    graph = Graph("two", (1, 2, 2, 4), B)
    graph.add_node("a", Add(B, B, out=B), "input", "input")
    graph.add_node("b", Concat(B), "a", "input")
    plan = NativePlan(graph.finish("a", "b"))
    room = np.zeros(64, np.uint8)
    with pytest.raises(BadArgument, match="the result b of two shares memory with a"):
        plan.bind(room[48:].reshape(1, 2, 2, 4), [room[:16].reshape(1, 2, 2, 4), room[8:40].reshape(1, 2, 2, 8)])


def _resize(array: np.ndarray) -> None:
    array.resize((1 << 20,), refcheck=False)


def _shrink(array: np.ndarray) -> None:
    array.resize((1,), refcheck=False)


def _close(array: np.ndarray) -> None:
    array.flags.writeable = False


@pytest.mark.parametrize(("spoil", "which", "said"), [
    (_resize, "x", "bound to x lies elsewhere"), (_shrink, "x", "bound to x lies elsewhere"),
    (_resize, "y", "bound to sum lies elsewhere"), (_shrink, "y", "bound to sum lies elsewhere"),
    (_close, "y", "the result sum may not be written any more"), (_resize, "owner", "bound to state lies elsewhere"),
    (_shrink, "owner", "bound to state lies elsewhere")])
def test_arrays_that_changed_are_refused(spoil: Callable[[np.ndarray], None], which: str, said: str) -> None:
    """Resized without numpy's own check, which refuses it as long as they are bound."""
    plan = adds()
    arrays = {name: np.zeros(128 if name == "owner" else (1, 4, 4, 8), np.int8) for name in ("x", "y", "owner")}
    bound = plan.bind([arrays["x"], arrays["owner"].reshape(1, 4, 4, 8)], arrays["y"])
    bound.run()
    with pytest.raises(ValueError, match=r"cannot resize|does not own"):
        arrays["x"].resize((1 << 20,))
    spoil(arrays[which])
    for _ in range(2):
        with pytest.raises(BadArgument, match=said):
            bound.run()
    ones = Quantized(np.ones((1, 4, 4, 8), np.int8), 0.1, 3)
    assert (plan.run((ones, ones)).values == -1).all()      # the plan itself is as it was


def test_arrays_live_as_long_as_they_are_bound() -> None:
    gc.freeze()     # what is collected is what is made here
    plan = small()
    x = random_input(plan.graph)
    bound = plan.bind(np.array(x.values))       # nobody else has this one
    gc.collect()
    assert np.array_equal(elements(bound.run()), plan.run(x).values)
    network = weakref.ref(plan.network)
    held = [weakref.ref(elements(one)) for one in (*bound.inputs, *bound.outputs)]
    wanted = plan.run(x).values
    del plan
    assert network() is not None and np.array_equal(elements(bound.run()), wanted)
    del bound
    assert network() is None and all(one() is None for one in held)


def test_threads_take_turns() -> None:
    """A Bound each of one plan, plain runs beside them, and one Bound that all share."""
    plan, wrong = small(), []
    graph = plan.graph
    inputs = [random_input(graph, seed) for seed in range(4)]
    wanted = [plan.run(x).values.copy() for x in inputs]
    shared = plan.bind(Quantized(inputs[0].values.copy(), inputs[0].scale, inputs[0].zero_point))

    def work(number: int) -> None:
        bound = plan.bind(inputs[number])
        for turn in range(60):
            found = (bound.run(1 + turn % 2), plan.run(inputs[number]))[turn % 3 == 0]
            if not (np.array_equal(found.values, wanted[number]) and
                    np.array_equal(shared.run().values, wanted[0])):
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert not wrong


@pytest.mark.parametrize("strategy", [None, "mnn", "im2col"])
def test_a_thousand_runs_allocate_nothing(strategy: str | None) -> None:
    """Counted: calls of the library's allocator, and what Python holds before and after; however products go."""
    library, c = native_library.require(), ctypes.CDLL(None)
    c.malloc.restype, c.malloc.argtypes, c.free.argtypes = ctypes.c_void_p, (ctypes.c_size_t,), (ctypes.c_void_p,)
    taken = 0

    def allocate(count: int) -> Any:
        nonlocal taken
        taken += 1
        return c.malloc(count)

    hook = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t)(allocate)
    library.neonsim_set_allocator(hook, None)
    try:
        plan = small()
        if strategy == "mnn":
            plan = NativePlan(plan.graph, strategy=choose_algorithms(plan.graph, strategy))
        elif strategy is not None:
            plan = NativePlan(plan.graph, choices={"stem": strategy})
        plan.most_threads = 64
        assert taken > 0
        bound = plan.bind(random_input(plan.graph))
        bound.run(2)
        made = taken
        tracemalloc.start()
        for _ in range(10):
            bound.run()
        before = tracemalloc.take_snapshot()
        for turn in range(1000):
            bound.run(1 + turn % 2)
        grown = [one for one in tracemalloc.take_snapshot().compare_to(before, "filename")
                 if one.size_diff > 0 and "neonsim" in one.traceback[0].filename]
        assert taken == made and sum(one.size_diff for one in grown) < 200, grown
    finally:
        tracemalloc.stop()
        library.neonsim_set_allocator(None, None)


def test_costs_are_measured() -> None:
    """What a run costs beside its layers is told of one run, so that it is above nothing with several threads, too."""
    plan = small()
    for threads in (1, 2, 3):
        costs = plan.bind(random_input(plan.graph)).costs(threads, runs=20)
        assert 0 < costs.layers < costs.layers + costs.moved < costs.bound
        assert 0 < costs.moved <= costs.bound_overhead < costs.bound
        assert costs.moved < costs.unbound_overhead < costs.unbound
        assert plan._transfers.watched is None


def test_records_that_lead_out_of_the_arena_are_refused() -> None:
    """By the library itself, before anything is moved."""
    layer = NetworkLayer.create("copy", batch=1, input_height=1, input_width=4, output_height=1, output_width=4,
                                input_channels=8,
                                output_channels=8, input_stride=8, output_stride=8, output=64)
    network = NativeNetwork([layer], 128)
    memory = np.zeros(256, np.uint8)
    for offset, rows, row_bytes, stride, flips, fine in (
            (0, 4, 8, 8, 0, True), (96, 4, 8, 8, 0, True), (64, 4, 1, 21, 128, True), (97, 4, 8, 8, 0, False),
            (64, 4, 1, 22, 0, False), (2**64 - 1, 1, 1, 1, 0, False), (0, 2**63, 2, 2, 0, False),
            (0, 2**61, 8, 8, 0, False), (0, 4, 8, 7, 0, False), (0, 0, 8, 8, 0, False), (0, 4, 8, 8, 256, False)):
        record = TransferRecord(offset, rows, row_bytes, stride, flips, memory.ctypes.data)
        for transfers in (Transfers(network, [record], []), Transfers(network, [], [record])):
            memory[...] = 1
            if fine:
                transfers.run()
            else:
                with pytest.raises(BadArgument):
                    transfers.run()
                assert (memory == 1).all()
    with pytest.raises(BadArgument):
        Transfers(network, [TransferRecord(0, 4, 8, 8, 0, None)], []).run()
