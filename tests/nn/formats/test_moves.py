"""Operators of files that move, broadcast, resize and reduce: numpy's words for what moves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim.nn.backends.native import library
from neonsim.nn.formats import Model
from neonsim.nn.formats.ir import IRNode, ModelIR, StoredTensor

BACKENDS = ["reference", *(["native"] if library.available() is None else [])]
SCALE, ZERO = np.array([0.5], np.float32), np.array([3], np.int64)
X = np.arange(-60, 60, dtype=np.int8).reshape(2, 3, 4, 5)


def alone(kind: str, out: Sequence[tuple[int, ...]], *constants: Any, inputs: int = 1, **attributes: Any) -> Model:
    """A network of one node: int8 [2, 3, 4, 5] as its inputs, then constants."""
    tensors = [StoredTensor(f"x{i}", X.shape, "int8", SCALE, ZERO) for i in range(inputs)]
    for i, one in enumerate(constants):
        values = np.asarray(one, np.int32)
        tensors.append(StoredTensor(f"c{i}", values.shape, "int32", data=values))
    first = len(tensors)
    tensors += [StoredTensor(f"y{i}", shape, "int8", SCALE, ZERO) for i, shape in enumerate(out)]
    made = tuple(range(first, len(tensors)))
    entry = IRNode(kind, kind.upper(), 0, tuple(range(first)), made, attributes)
    return Model(ModelIR("one", "tflite", tuple(tensors), (entry,), tuple(range(inputs)), made))


MASKS = {"begin_mask": 0, "end_mask": 0, "ellipsis_mask": 0, "new_axis_mask": 0, "shrink_axis_mask": 0}


@pytest.mark.parametrize("model, wanted", [
    (alone("strided_slice", [(2, 2, 5)], [0, -1, 1], [2, 0, 3], [1, 1, 1], **MASKS | {"shrink_axis_mask": 2}),
     X[0:2, -1, 1:3]),
    (alone("strided_slice", [(1, 3, 2, 5)], [1, 0, -1, 9], [9, 1, 0, 0], [1, 1, -2, 1],
           **MASKS | {"begin_mask": 8, "end_mask": 14}), X[1:9, :, ::-2]),
    (alone("strided_slice", [(3, 4, 5)], [-2], [0], [1], **MASKS | {"shrink_axis_mask": 1}), X[0]),
    (alone("slice", [(1, 3, 2, 5)], [1, 0, 2, 0], [1, -1, 2, -1]), X[1:, :, 2:]),
    (alone("gather", [(2, 3, 5)], 2, axis=2, batch_dims=0), X[:, :, 2]),
    (alone("reduce_max", [(2, 4)], [1, -1]), X.max(axis=(1, 3))),
    (alone("reduce_max", [(2, 1, 4, 5)], [1], keep_dims=True), X.max(axis=1, keepdims=True)),
    (alone("broadcast", [(2, 2, 3, 4, 5)], [2, 2, 3, 4, 5]), np.stack([X, X])),
])
@pytest.mark.parametrize("backend", BACKENDS)
def test_as_numpy_says(model: Model, wanted: Any, backend: str) -> None:
    assert not model.report().missing, model.report()
    assert np.array_equal(model.run(X, backend)[0], wanted)


@pytest.mark.parametrize("backend", BACKENDS)
def test_several_inputs_and_results(backend: str) -> None:
    other = X[::-1].copy()
    for axis in range(-5, 5):
        shape = list(X.shape)
        shape.insert(axis % 5, 2)
        packed = alone("pack", [tuple(shape)], inputs=2, axis=axis)
        assert np.array_equal(packed.run([X, other], backend)[0], np.stack([X, other], axis)), axis
    for axis in range(-4, 4):
        parts = [np.take(X, i, axis) for i in range(X.shape[axis])]
        found = alone("unpack", [one.shape for one in parts], axis=axis).run(X, backend)
        assert all(map(np.array_equal, found, parts)), axis
        found = alone("concatenation", [tuple(n * (1 + (i == axis % 4)) for i, n in enumerate(X.shape))], inputs=2,
                      axis=axis, activation="none").run([X, other], backend)
        assert np.array_equal(found[0], np.concatenate([X, other], axis))


@pytest.mark.parametrize("backend", BACKENDS)
def test_shapes_that_are_worked_out(backend: str) -> None:
    """SHAPE, a slice of it, PACK with a constant, RESHAPE: known before anything runs."""
    def whole(name: str, shape: tuple[int, ...], data: Any = None) -> StoredTensor:
        return StoredTensor(name, shape, "int32", data=None if data is None else np.asarray(data, np.int32))
    tensors = (StoredTensor("x", X.shape, "int8", SCALE, ZERO), whole("shape", (4,)), whole("zero", (1,), [0]),
               whole("one", (1,), [1]), whole("batch", ()), whole("rest", (), -1), whole("new", (2,)),
               StoredTensor("y", (2, 60), "int8", SCALE, ZERO))
    nodes = (IRNode("shape", "SHAPE", 0, (0,), (1,)),
             IRNode("strided_slice", "STRIDED_SLICE", 1, (1, 2, 3, 3), (4,), MASKS | {"shrink_axis_mask": 1}),
             IRNode("pack", "PACK", 2, (4, 5), (6,), {"axis": 0}), IRNode("reshape", "RESHAPE", 3, (0, 6), (7,)))
    model = Model(ModelIR("shapes", "tflite", tensors, nodes, (0,), (7,)))
    assert np.array_equal(model.run(X, backend)[0], X.reshape(2, 60)) and not model.report().missing
    assert model.run(X, backend, until="new")[0].tolist() == [2, -1]


@pytest.mark.parametrize("model, words", [
    (alone("strided_slice", [(2, 3, 4, 5)], [0] * 4, [2] * 4, [1, 0, 1, 1], **MASKS), "stride along axis 1 is 0"),
    (alone("strided_slice", [(1,)], [0] * 4, [0] * 4, [1] * 4, **MASKS), "it takes nothing of axis 0"),
    (alone("strided_slice", [(1,)], [7], [8], [1], **MASKS | {"shrink_axis_mask": 1}), "it takes index 7 of axis 0"),
    (alone("strided_slice", [(1,)], [0] * 5, [0] * 5, [1] * 5, **MASKS), "it has 5 begins"),
    (alone("strided_slice", [(1,)], [0], [1], [1], **MASKS | {"ellipsis_mask": 1}), "ellipsis"),
    (alone("slice", [(1,)], [0] * 4, [3, 3, 4, 5]), "more than there is"),
    (alone("transpose", [(1,)], [0, 1, 2, 2**31 - 1]), "axis of a tensor"),
    (alone("tile", [(1,)], [2**31 - 1, 1, 1, 1]), "cannot be repeated"),
    (alone("pad", [(1,)], [[2**31 - 1, 0]] * 4), "padding of axis 0"),
    (alone("pad", [(1,)], [[-1, 0]] * 4), "padding of axis 0"),
    (alone("mirror_pad", [(1,)], [[0, 0]] * 4, mode=7), "its mode is 7"),
    (alone("gather", [(1,)], [9], axis=0, batch_dims=0), "indices 0 to 1"),
    (alone("gather", [(1,)], [0], axis=9, batch_dims=0), "axis"),
    (alone("depth_to_space", [(1,)], block=0), "blocks of 1 and more"),
    (alone("space_to_depth", [(1,)], block=2**31 - 1), "squares"),
    (alone("space_to_batch", [(1,)], [0, 2], [[0, 0]] * 2), "blocks"),
    (alone("batch_to_space", [(1,)], [2, 1], [[0, 0], [2, 9]]), "indices"),
    (alone("broadcast", [(2**27,)], [2**27]), "does not broadcast"),
    (alone("resize_nearest", [(2, 3, 4, 5)], [2**30, 2**30], align_corners=False, half_pixel=False),
     "the file says int8"),
    (alone("resize_bilinear", [(2, 7, 4, 5)], [7, 4], align_corners=True, half_pixel=True), "supported: one of them"),
    (alone("mean", [(1,)], [9]), "axes"), (alone("reduce_max", [(1,)], [4]), "axes"),
    (alone("unpack", [(1,)] * 9, axis=1), "into 9"), (alone("pack", [(2, 3, 4, 5, 1)], axis=9), "along axis 9"),
    (alone("cast", [(2, 3, 4, 5)]), "scheme|would be|moved|reshape"),
])
def test_what_is_refused(model: Model, words: str) -> None:
    if model.record.nodes[0].kind == "cast":        # of the same type: as it is
        assert not model.report().missing
        return
    with pytest.raises(ns.ModelError, match=words) as problem:
        model.run(X)
    assert str(problem.value).startswith("one: node 0, ") and str(problem.value).count("\n") == 0
