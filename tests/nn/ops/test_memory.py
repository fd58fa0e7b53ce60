"""Memory is judged before it is taken: what an operator says it needs is enough, and nothing is made before."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from neonsim.common import memory_limit
from neonsim.common.memory_limit import available_bytes, judge, within
from neonsim.errors import OutOfMemory
from neonsim.nn import ops
from neonsim.nn.backends.native import library
from neonsim.nn.graph import gather
from neonsim.nn.graph.data_movement import BackendCopy, Concat, Constant, DataMovement, Reshape, Split
from neonsim.nn.ops import Operator
from neonsim.nn.ops.float32 import operators
from neonsim.quant import Quantized, Scheme
from neonsim.quant.tensor_type import elements
from tests.nn.operator_cases.each import operator_files
from tests.nn.operator_cases.listed import classes, left_out
from tests.tiers import every

X, S = Scheme(0.1, 3, "int8"), Scheme(0.1, 128)
Shape = tuple[int, ...]


def w(*shape: int, dtype: Any = np.int8) -> Quantized:
    return Quantized(np.ones(shape, dtype), 0.1)


IMAGE = (1, 24, 24, 16)
# The name of the class, and what is special.
CASES: dict[str, tuple[Operator, tuple[Shape, ...]]] = {
    "Conv2d": (ops.Conv2d(X, w(16, 3, 3, 16), out=X, padding=1), (IMAGE,)),
    "Conv2d far outside": (ops.Conv2d(X, w(4, 3, 3, 4), out=X, padding=100, stride=100), ((1, 9, 9, 4),)),
    "Conv2d to many": (ops.Conv2d(X, w(256, 1, 1, 2), out=X), ((1, 12, 12, 2),)),
    "Conv2d depthwise": (ops.Conv2d(S, w(16, 5, 5, 1, dtype=np.uint8), out=S, padding=2, groups=16), (IMAGE,)),
    "Deconv2d": (ops.Deconv2d(X, w(4, 3, 3, 4), out=X, stride=3), ((1, 20, 20, 4),)),
    "Deconv2d cut off": (ops.Deconv2d(X, w(4, 3, 3, 4), out=X, stride=9, padding=70), ((1, 20, 20, 4),)),
    "FullyConnected": (ops.FullyConnected(X, w(100, 50), out=X), ((100, 50),)),
    "Add": (ops.Add(S, S, out=S), ((200, 1), (1, 90))), "Subtract": (ops.Subtract(X, X, out=X), (IMAGE, IMAGE)),
    "Multiply": (ops.Multiply(X, X, out=X), ((200, 1), (1, 90))),
    "Maximum": (ops.Maximum(X), ((200, 1), (1, 90))), "Minimum": (ops.Minimum(X), (IMAGE, IMAGE)),
    "Clamp": (ops.Clamp(X, output_min=0, output_max=9), (IMAGE,)), "Sigmoid": (ops.Sigmoid(S), (IMAGE,)),
    "Tanh": (ops.Tanh(S), (IMAGE,)), "LeakyRelu": (ops.LeakyRelu(S, slope=0.1, out=S), (IMAGE,)),
    "Convert": (ops.Convert(X, out=X), (IMAGE,)), "Rescale": (ops.Rescale(S, out=S), (IMAGE,)),
    "MaxPool2d": (ops.MaxPool2d(X, pool=9, stride=1), (IMAGE,)),
    "MaxPool2d far outside": (ops.MaxPool2d(X, pool=9, stride=100, padding=100), ((1, 9, 9, 4),)),
    "AvgPool2d": (ops.AvgPool2d(X, pool=9, stride=1, out=X), (IMAGE,)),
    "AvgPool2d far outside": (ops.AvgPool2d(S, pool=9, stride=100, padding=100, out=S), ((1, 9, 9, 4),)),
    "AvgPool2d of integers": (ops.AvgPool2d(X, pool=9, stride=1, out=X, integer=True), (IMAGE,)),
    "GlobalAvgPool": (ops.GlobalAvgPool(X, out=X), (IMAGE,)), "Mean": (ops.Mean(X, out=X), ((9, 99, 9),)),
    "ArgMax": (ops.ArgMax(X), (IMAGE,)), "ArgMin": (ops.ArgMin(X), (IMAGE,)),
    "SoftArgmax": (ops.SoftArgmax(S), (IMAGE,)), "Copy": (ops.Copy(X), (IMAGE,)),
    **{each.operator.__name__: (each.prepared(X), (IMAGE,)) for each in operator_files().values()},
    "Pad": (ops.Pad(X, amounts=((0, 0), (50, 50), (50, 50), (0, 0))), ((1, 3, 3, 4),)),
    "ResizeBilinear": (ops.ResizeBilinear(X, size=(99, 99)), ((1, 3, 3, 4),)),
    "ResizeBilinear by a wide one": (ops.ResizeBilinear(X, size=(1, 200)), ((1, 200, 1, 1),)),
    "Quantize": (ops.Quantize(out=X), (IMAGE,)), "Dequantize": (ops.Dequantize(X), (IMAGE,)),
    "real conv": (operators.Float32Conv2d(np.ones((16, 3, 3, 16)), padding=1), (IMAGE,)),
    "real product": (operators.Float32FullyConnected(np.ones((100, 50))), ((100, 50),)),
    "real pool": (operators.Float32MaxPool2d(9, stride=1), (IMAGE,)),
    "real mean": (operators.Float32AvgPool2d(9, stride=1), (IMAGE,)),
}


def test_every_operator_is_here() -> None:
    names = {name.split()[0] for name in CASES if name[0].isupper()}
    lost = left_out(names, "memory (CASES of tests/nn/ops/test_memory.py)", classes())
    assert not lost, lost


def _peak(do: Callable[[], object]) -> int:
    do()    # tables that are made once
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        do()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", every(4, CASES))
def test_what_is_asked_for_is_enough(name: str) -> None:
    operator, shapes = CASES[name]
    values = [type_.value(np.ones(shape, type_.dtype)) for type_,
              shape in zip(operator.input_types, shapes, strict=True)]
    took = _peak(lambda: operator.plan(*shapes, backend="reference").run(*values)) - 50_000     # plans, without data
    assert took <= operator.max_bytes(*shapes) <= 40 * max(took, 50_000)


MOVES: dict[str, tuple[DataMovement, tuple[Shape, ...]]] = {
    "slice": (gather.slice_indices(X, (99, 99), (range(0, 99, 2), range(98, -1, -1))), ((99, 99),)),
    "transpose": (gather.transpose_indices(X, (90, 80), (1, 0)), ((90, 80),)),
    "padding": (gather.pad_indices(X, (4, 4), ((60, 0), (0, 99))), ((4, 4),)),
    "reflected": (gather.pad_indices(X, (99, 99), ((60, 0), (0, 90)), mode="reflect"), ((99, 99),)),
    "broadcast": (gather.broadcast_indices(X, (1, 1), (200, 100)), ((1, 1),)),
    "tile": (gather.tile_indices(X, (4, 4), (50, 50)), ((4, 4),)),
    "gather": (gather.take_indices(X, (4, 4), 0, np.zeros(9999, int)), ((4, 4),)),
    "gather two axes": (gather.GatherIndices(X, (900, 1), {0: np.array([0]), 1: np.zeros(900, int)}), ((900, 1),)),
    "nearest": (gather.nearest(X, (1, 4, 4, 3), (99, 99)), ((1, 4, 4, 3),)),
    "depth to space": (gather.depth_to_space(X, (1, 40, 40, 8), 2), ((1, 40, 40, 8),)),
    "space to depth": (gather.space_to_depth(X, (1, 80, 80, 2), 2), ((1, 80, 80, 2),)),
    "concat": (Concat(X), ((99, 99), (99, 9))), "split": (Split(X, 3), ((99, 99),)),
    "reshape": (Reshape(X, (-1,)), ((99, 99),)), "copy": (BackendCopy(X, (99, 99)), ((99, 99),)),
    "constant": (Constant(X, np.zeros((99, 99), np.int8)), ()),
}


@pytest.mark.parametrize("name", every(3, MOVES))
def test_what_moves_ask_for_is_enough(name: str) -> None:
    move, shapes = MOVES[name]
    values = [np.ones(shape, np.int8) for shape in shapes]
    took = _peak(lambda: move.reference(*values)) - 10_000
    assert took <= move.max_bytes(*shapes)


def test_an_axis_that_shrinks_goes_first() -> None:
    """Or 900 values would be 810 000 on the way from 900 rows to 900 columns."""
    move, shapes = MOVES["gather two axes"]
    assert _peak(lambda: move.reference(np.ones(shapes[0], np.int8))) < 100_000
    x = np.arange(24, dtype=np.int8).reshape(2, 3, 4)
    odd = gather.GatherIndices(X, (2, 3, 4), {0: np.array([[1, 0], [gather.NOTHING, 1]]), 2: np.array([3])}, fill=7)
    assert np.array_equal(odd.reference(x)[0], np.where(np.array([[1, 1], [0, 1]])[..., None, None],
                                                        x[np.array([[1, 0], [0, 1]])][..., 3:], 7))


# ---- when there is none
def test_the_sentence() -> None:
    there = available_bytes()
    assert there is None or there > 0
    with pytest.raises(OutOfMemory, match=r"^the sum of \[9\] needs about 1\.0 EiB of memory; .* are available\. "
                                          r"Use smaller inputs, or a machine with more memory\.$"):
        judge(1 << 60, "the sum of [9]")
    with pytest.raises(OutOfMemory, match=r"^the sum of \[9\] needs more memory than is available\. Use"), \
            within("the sum of [9]"):
        np.zeros(1 << 60, np.uint8)
    with pytest.raises(KeyError), within("it"):
        raise KeyError
    with pytest.raises(OutOfMemory, match=r"^first"), within("second"):
        raise OutOfMemory("first")


@pytest.fixture
def little(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with 100 000 bytes."""
    monkeypatch.setattr(memory_limit, "JUDGED_MEMORY", 0)
    monkeypatch.setattr(memory_limit, "available_bytes", lambda: 100_000)


@pytest.mark.usefixtures("little")
@pytest.mark.parametrize("backend", ["reference", "emulated", *(
    ["native"] if library.available() is None else [])])
@pytest.mark.parametrize("name", ["Conv2d far outside", "Deconv2d cut off", "MaxPool2d far outside", "Pad",
                                  "ResizeBilinear by a wide one", "Multiply"])
def test_refused_before_anything_is_made(name: str, backend: str) -> None:
    operator, shapes = CASES[name]
    tracemalloc.start()
    try:
        with pytest.raises(OutOfMemory, match=f"^{operator.kind} of .* needs about"):
            operator.plan(*shapes, backend=backend)
        assert tracemalloc.get_traced_memory()[1] < 100_000
    finally:
        tracemalloc.stop()


@pytest.mark.usefixtures("little")
def test_plans_look_again_when_they_run(monkeypatch: pytest.MonkeyPatch) -> None:
    operator, shapes = CASES["Multiply"]
    values = [type_.value(np.ones(shape, type_.dtype)) for type_,
              shape in zip(operator.input_types, shapes, strict=True)]
    with monkeypatch.context() as before:
        before.setattr(memory_limit, "available_bytes", lambda: 1 << 30)
        plan = operator.plan(*shapes, backend="reference")
    with pytest.raises(OutOfMemory, match=r"^multiplication of"):
        plan.run(*values)
    assert elements(values[0]).size
