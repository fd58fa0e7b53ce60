"""Operators of files that move, broadcast, resize and reduce: numpy's words for what moves, and LiteRT's bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim.backends import native_library
from neonsim.formats import Model
from neonsim.formats.record import Entry, Record, Stored
from neonsim.formats.tflite import read_tflite

BACKENDS = ["reference", *(["native"] if native_library.available() is None else [])]
SCALE, ZERO = np.array([0.5], np.float32), np.array([3], np.int64)
X = np.arange(-60, 60, dtype=np.int8).reshape(2, 3, 4, 5)


def alone(kind: str, out: Sequence[tuple[int, ...]], *constants: Any, inputs: int = 1, **attributes: Any) -> Model:
    """A network of one node: int8 [2, 3, 4, 5] as its inputs, then constants."""
    tensors = [Stored(f"x{i}", X.shape, "int8", SCALE, ZERO) for i in range(inputs)]
    for i, one in enumerate(constants):
        values = np.asarray(one, np.int32)
        tensors.append(Stored(f"c{i}", values.shape, "int32", data=values))
    first = len(tensors)
    tensors += [Stored(f"y{i}", shape, "int8", SCALE, ZERO) for i, shape in enumerate(out)]
    made = tuple(range(first, len(tensors)))
    entry = Entry(kind, kind.upper(), 0, tuple(range(first)), made, attributes)
    return Model(Record("one", "tflite", tuple(tensors), (entry,), tuple(range(inputs)), made))


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
    def whole(name: str, shape: tuple[int, ...], data: Any = None) -> Stored:
        return Stored(name, shape, "int32", data=None if data is None else np.asarray(data, np.int32))
    tensors = (Stored("x", X.shape, "int8", SCALE, ZERO), whole("shape", (4,)), whole("zero", (1,), [0]),
               whole("one", (1,), [1]), whole("batch", ()), whole("rest", (), -1), whole("new", (2,)),
               Stored("y", (2, 60), "int8", SCALE, ZERO))
    nodes = (Entry("shape", "SHAPE", 0, (0,), (1,)),
             Entry("strided_slice", "STRIDED_SLICE", 1, (1, 2, 3, 3), (4,), MASKS | {"shrink_axis_mask": 1}),
             Entry("pack", "PACK", 2, (4, 5), (6,), {"axis": 0}), Entry("reshape", "RESHAPE", 3, (0, 6), (7,)))
    model = Model(Record("shapes", "tflite", tensors, nodes, (0,), (7,)))
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
    (alone("resize_bilinear", [(2, 7, 4, 5)], [7, 4], align_corners=True, half_pixel=True), "one of them is taken"),
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


# ---- LiteRT ----------------------------------------------------------------------------------------------------------

class Files:
    """Files of one operator by chance, with inputs."""

    def __init__(self, seed: Any, litert: Any) -> None:
        self.rng, self.one = np.random.default_rng(seed), litert.one
        self.dtype = str(self.rng.choice(["uint8", "int8"]))

    def scheme(self, scale: float | None = None) -> ns.Scheme:
        info = np.iinfo(self.dtype)
        return ns.Scheme(float(np.float32(scale or self.rng.uniform(0.02, 0.2))),
                         int(self.rng.integers(info.min, info.max + 1)), self.dtype)

    def values(self, shape: Sequence[int]) -> Any:
        info = np.iinfo(self.dtype)
        return self.rng.integers(info.min, info.max + 1, tuple(shape)).astype(self.dtype)

    def shape(self, least: int, most: int, largest: int = 8) -> tuple[int, ...]:
        return tuple(int(n) for n in self.rng.integers(1, largest, self.rng.integers(least, most + 1)))

    def broadcast(self, word: str) -> tuple[bytes, list[Any]]:
        """Either operand smaller, either constant."""
        whole, out = self.shape(1, 5), self.scheme(0.1)
        shapes = [tuple(n if self.rng.integers(2) else 1 for n in whole)[int(self.rng.integers(len(whole))):]
                  for _ in range(2)]
        schemes = [self.scheme(), self.scheme()]
        if word in ("Maximum", "Minimum"):
            schemes, out = [out, out], out
        constant, given = int(self.rng.integers(3)), []
        inputs: list[Any] = []
        for i, (shape, scheme) in enumerate(zip(shapes, schemes, strict=True)):
            values = self.values(shape)
            if i == constant:
                inputs.append((values, scheme))
            else:
                inputs.append((shape, self.dtype, scheme))
                given.append(values)
        options = "MaximumMinimum" if out is schemes[0] else word
        result = np.broadcast_shapes(*shapes)
        return self.one(word.upper(), inputs, [(result, self.dtype, out)], (f"{options}Options", {})), given

    def reduce(self, word: str) -> tuple[bytes, list[Any]]:
        """Ties are usual: scales are often multiples of each other."""
        shape, keep = self.shape(1, 4), bool(self.rng.integers(2))
        axes = sorted(self.rng.choice(len(shape), self.rng.integers(1, len(shape) + 1), replace=False).tolist())
        x = self.scheme()
        factor = float(self.rng.choice([1, 1, 2, 0.5, 4, self.rng.uniform(0.3, 3)]))
        out = x if word == "REDUCE_MAX" else self.scheme(float(x.scale) * factor)
        result = tuple(1 if i in axes else n for i, n in enumerate(shape) if keep or i not in axes)
        return self.one(word, [(shape, self.dtype, x), (np.array(axes, np.int32), None)], [(result, self.dtype, out)],
                        ("ReducerOptions", {"keepDims": keep})), [self.values(shape)]

    def find(self, word: str) -> tuple[bytes, list[Any]]:
        shape = self.shape(2, 4)
        axis = int(self.rng.integers(-len(shape), len(shape)))
        result = tuple(n for i, n in enumerate(shape) if i != axis % len(shape))
        few = (self.values(shape) // 40).astype(self.dtype)     # several are the largest
        return self.one(f"ARG_{word.upper()}", [(shape, self.dtype, self.scheme()), (np.array(axis, np.int32), None)],
                        [(result, "int32", None)], (f"Arg{word}Options", {"outputType": 2})), [few]

    def join(self) -> tuple[bytes, list[Any]]:
        """uint8 of any schemes."""
        shape = self.shape(1, 4)
        axis, out = int(self.rng.integers(len(shape))), self.scheme()
        shapes = [tuple(int(self.rng.integers(1, 6)) if i == axis else n for i, n in enumerate(shape))
                  for _ in range(int(self.rng.integers(2, 4)))]
        schemes = [self.scheme() if self.dtype == "uint8" and self.rng.integers(2) else out for _ in shapes]
        result = tuple(sum(one[axis] for one in shapes) if i == axis else n for i, n in enumerate(shape))
        inputs = [(one, self.dtype, scheme) for one, scheme in zip(shapes, schemes, strict=True)]
        return self.one("CONCATENATION", inputs, [(result, self.dtype, out)], (
            "ConcatenationOptions", {"axis": axis})), [self.values(one) for one in shapes]

    def resize(self, word: str, name: str) -> tuple[bytes, list[Any]]:
        n, h, w, c = (int(n) for n in self.rng.integers(1, (3, 40, 40, 9)))
        size = self.rng.integers(1, 90, 2)
        flags = [{}, {"alignCorners": True}, {"halfPixelCenters": True}][int(self.rng.integers(3))]
        scheme = self.scheme()
        return self.one(word, [((n, h, w, c), self.dtype, scheme), (size.astype(np.int32), None)],
                        [((n, *map(int, size), c), self.dtype, scheme)], (name, flags), 3), [self.values((n, h, w, c))]

    def edge(self) -> tuple[bytes, list[Any]]:
        """Real numbers in: on ties, next to them, and none at all."""
        scheme = self.scheme()
        ties = np.arange(-600, 600).astype(np.float32) / 2 * np.float32(scheme.scale)
        more = np.array([np.nan, np.inf, -np.inf, 1e38], np.float32)
        x = np.concatenate([ties, np.nextafter(ties, np.float32(9)), np.nextafter(ties, np.float32(-9)), more])
        return self.one("QUANTIZE", [(x.shape, "float32", None)], [(x.shape, self.dtype, scheme)],
                        ("QuantizeOptions", {})), [x]

    def other_edge(self) -> tuple[bytes, list[Any]]:
        x = self.values(self.shape(1, 4))
        return self.one("DEQUANTIZE", [(x.shape, self.dtype, self.scheme())], [(x.shape, "float32", None)],
                        ("DequantizeOptions", {})), [x]

    def all(self) -> Iterator[tuple[str, bytes, list[Any]]]:
        for word in ("Add", "Sub", "Mul", "Maximum", "Minimum"):
            yield word, *self.broadcast(word)
        for word in ("MEAN", "SUM", "REDUCE_MAX"):
            yield word, *self.reduce(word)
        yield "ARG_MAX", *self.find("Max")
        yield "ARG_MIN", *self.find("Min")
        yield "CONCATENATION", *self.join()
        yield "RESIZE_BILINEAR", *self.resize("RESIZE_BILINEAR", "ResizeBilinearOptions")
        yield "RESIZE_NEAREST_NEIGHBOR", *self.resize("RESIZE_NEAREST_NEIGHBOR", "ResizeNearestNeighborOptions")
        yield "QUANTIZE", *self.edge()
        yield "DEQUANTIZE", *self.other_edge()


@pytest.mark.nightly
def test_one_operator_against_litert(litert: Any) -> None:
    """Natively as whole networks; the sums and products of two emulated too, sometimes."""
    for seed in range(100):
        for word, data, given in Files([7, seed], litert).all():
            wanted = litert.run(litert.interpreter(data), given)
            model = Model(read_tflite(data, word))
            emulated = ["emulated"] if word in ("Add", "Sub", "Mul") and seed % 10 == 0 else []
            for backend in (*BACKENDS, *emulated):
                found = model.run(given, backend)
                assert all(map(np.array_equal, found, wanted)), (seed, word, backend)
