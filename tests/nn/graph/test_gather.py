"""Elements picked axis by axis: numpy's own words for each move, on reference and native; and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim.common.limits import MAX_INDICES
from neonsim.nn.backends.native import library
from neonsim.nn.graph import Constant, GatherIndices, Graph, gather, random_inputs
from neonsim.quant.tensor_type import elements

BACKENDS = ["reference", *(["native"] if library.available() is None else [])]
SHAPE = (2, 6, 4, 12)
TYPES = {"uint8": ns.Scheme(0.1, 7, "uint8"), "int8": ns.Scheme(0.1, -7, "int8"), "float32": "float32",
         "int16": "int16"}


def blocks(x: Any, size: int) -> Any:
    n, h, w, c = x.shape
    return x.reshape(n, h // size, size, w // size, size, c).transpose(0, 1, 3, 2, 4, 5).reshape(
        n, h // size, w // size, -1)


def squares(x: Any, size: int) -> Any:
    return np.stack([x[..., i * (x.shape[3] // size**2):(i + 1) * (x.shape[3] // size**2)]
                     for i in range(size**2)], axis=3).reshape(*x.shape[:3], size, size, -1).transpose(
                         0, 1, 3, 2, 4, 5).reshape(x.shape[0], x.shape[1] * size, x.shape[2] * size, -1)


def batches(x: Any) -> Any:
    """Every second row and third column, from every beginning, one below and two to the left added."""
    x = np.pad(x, ((0, 0), (0, 0), (2, 0), (0, 0)), constant_values=3)
    return np.concatenate([x[:, i::2, j::3] for i in range(2) for j in range(3)])


MOVES: dict[str, tuple[Callable[[Any, Any], Any], Callable[[Any], Any]]] = {
    "backwards": (lambda t, s: gather.slice_indices(t, s, (range(1, 2), range(5, -1, -2), range(4), range(1, 12, 5))),
                  lambda x: x[1:2, ::-2, :, 1::5]),
    "index": (lambda t, s: gather.slice_indices(t, s, (range(2), range(3, 4), range(4), range(12)), (2, 4, 12)),
              lambda x: x[:, 3]),
    "transpose": (lambda t, s: gather.transpose_indices(t, s, (0, -1, 1, 2)), lambda x: x.transpose(0, 3, 1, 2)),
    "turned": (lambda t, s: gather.transpose_indices(t, s, (3, 2, 1, 0)), lambda x: x.T),
    "padding": (lambda t, s: gather.pad_indices(t, s, ((0, 1), (2, 0), (0, 0), (3, 1)), 5),
                lambda x: np.pad(x, ((0, 1), (2, 0), (0, 0), (3, 1)), constant_values=5)),
    "reflect": (lambda t, s: gather.pad_indices(t, s, ((1, 0), (2, 5), (0, 0), (3, 1)), mode="reflect"),
                lambda x: np.pad(x, ((1, 0), (2, 5), (0, 0), (3, 1)), mode="reflect")),
    "symmetric": (lambda t, s: gather.pad_indices(t, s, ((2, 0), (2, 6), (0, 0), (3, 1)), mode="symmetric"),
                  lambda x: np.pad(x, ((2, 0), (2, 6), (0, 0), (3, 1)), mode="symmetric")),
    "tile": (lambda t, s: gather.tile_indices(t, s, (1, 3, 1, 2)), lambda x: np.tile(x, (1, 3, 1, 2))),
    "gather": (lambda t, s: gather.take_indices(t, s, 2, [[3, 0], [1, 3]]), lambda x: x[:, :, [[3, 0], [1, 3]]]),
    "depth to space": (lambda t, s: gather.depth_to_space(t, s, 2), lambda x: squares(x, 2)),
    "space to depth": (lambda t, s: gather.space_to_depth(t, s, 2), lambda x: blocks(x, 2)),
    "space to batch": (lambda t, s: gather.space_to_batch(t, s, (2, 3), ((0, 0), (2, 0)), 3), batches),
    "there and back": (lambda t, s: (*gather.space_to_batch(t, s, (2, 3), ((0, 0), (2, 0))),
                                     *gather.batch_to_space(t, (12, 3, 2, 12), (2, 3), ((1, 0), (2, 1)))),
                       lambda x: x[:, 1:, :3]),
    "nearest": (lambda t, s: gather.nearest(t, s, (12, 2)), lambda x: x.repeat(2, axis=1)[:, :, ::2]),
}


def run(dtype: str, shape: tuple[int, ...], make: Callable[[Any, Any], Any], backend: str) -> tuple[Any, Any]:
    type_ = TYPES[dtype]
    graph = Graph("one", shape, **({"dtype": type_} if isinstance(type_, str) else {"scheme": type_}))
    made, name = make(type_, shape), "input"
    for number, one in enumerate(made if isinstance(made, tuple) else (made,)):
        name = graph.add_node(f"n{number}", one, name)
    given = random_inputs(graph, 3)
    return elements(given["input"]), elements(graph.plan(backend).run(given))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", MOVES)
def test_as_numpy_says(name: str, backend: str) -> None:
    make, wanted = MOVES[name]
    for dtype in TYPES:
        if name in ("padding", "space to batch") and dtype in ("float32", "int16") and backend == "native":
            with pytest.raises(ns.BackendError, match=r"what it fills in is . of \w+, not 0"):
                run(dtype, SHAPE, make, backend)
            continue
        x, found = run(dtype, SHAPE, make, backend)
        assert np.array_equal(found, wanted(x)), dtype


@pytest.mark.parametrize("backend", BACKENDS)
def test_broadcast(backend: str) -> None:
    for shape, wanted in (((3, 1), (2, 3, 4)), ((1,), (5,)), ((2, 1, 4, 1), (2, 3, 4, 7)), ((4,), (4,))):
        def make(t: Any, s: Any, w: Any = wanted) -> GatherIndices:
            return gather.broadcast_indices(t, s, w)
        x, found = run("int8", shape, make, backend)
        assert np.array_equal(found, np.broadcast_to(x, wanted))


@pytest.mark.nightly
@pytest.mark.skipif(len(BACKENDS) < 2, reason=str(library.available()))
def test_any_picks_natively() -> None:
    """Any indices of any axes in any order: the table of the C library against numpy."""
    rng = np.random.default_rng(5)
    for _ in range(500):
        dtype = str(rng.choice(["uint8", "int8", "float32", "int16"]))
        shape = tuple(int(n) for n in rng.integers(1, 8, rng.integers(1, 6)))
        chosen = {axis: rng.integers(-1, size, rng.integers(1, 9)) for axis, size in enumerate(shape)
                  if rng.integers(2)}
        fill = int(rng.integers(0, 9)) if dtype in ("uint8", "int8") else 0
        order = rng.permutation(len(shape)).tolist()
        def make(t: Any, s: Any, c: Any = chosen, o: Any = order, f: int = fill) -> Any:
            return GatherIndices(t, s, c, order=o, fill=f)
        assert np.array_equal(run(dtype, shape, make, "native")[1], run(dtype, shape, make, "reference")[1])


def test_constants() -> None:
    """They are there in every run, and nobody writes over them."""
    scheme, values = ns.Scheme(0.1, 0, "int8"), np.arange(-6, 6, dtype=np.int8).reshape(2, 6)
    graph = Graph("known", (2, 6), scheme)
    known = graph.add_node("known", Constant(scheme, values))
    turned = graph.add_node("turned", gather.transpose_indices(scheme, (2, 6), (1, 0)), known)
    graph.add_node("sum", ns.ops.Add(scheme, scheme, out=scheme), "input", known)
    graph.finish("sum", turned, known)
    x = ns.Quantized(np.full((2, 6), 3, np.int8), 0.1)
    for backend in BACKENDS:
        plan = graph.plan(backend)
        for _ in range(3):
            total, other, same = plan.run(x)
            assert np.array_equal(total.values, values + 3) and np.array_equal(other.values, values.T)
            assert np.array_equal(same.values, values)
    operator = graph.node("known").operator
    assert isinstance(operator, Constant)
    with pytest.raises(ValueError, match="read-only"):
        operator.values[0] = 1
    for wrong in (values.astype(np.uint8), values[:0], np.int8(3) * np.ones((), np.int8)):
        with pytest.raises(ns.BadArgument, match="a constant of int8 must"):
            Constant(scheme, wrong)


@pytest.mark.parametrize("make, words", [
    (lambda: gather.slice_indices("int8", (4, 3), (range(5), range(3))), "indices 0 to 3 of an axis; got 0 to 4"),
    (lambda: gather.slice_indices("int8", (4, 3), (range(0), range(3))), "indices of an axis; got 0"),
    (lambda: gather.slice_indices("int8", (4, 3), (range(4),)), "a range for each axis"),
    (lambda: gather.transpose_indices("int8", (4, 3), (0, 0)), "each of them once"),
    (lambda: gather.transpose_indices("int8", (4, 3), (0, 2)), "axis of a tensor"),
    (lambda: gather.pad_indices("int8", (4, 3), ((4, 0), (0, 0)), mode="reflect"), "not enough of axis 0"),
    (lambda: gather.pad_indices("int8", (4, 3), ((1 << 40, 0), (0, 0))), "padding of axis 0"),
    (lambda: gather.pad_indices("int8", (4, 3), ((MAX_INDICES, 0), (0, 0))), "the limit is"),
    (lambda: gather.tile_indices("int8", (4, 3), (1 << 40, 1)), "cannot be repeated"),
    (lambda: gather.tile_indices("int8", (1 << 20, 1 << 12), (1, 1 << 9)), "gives"),
    (lambda: gather.broadcast_indices("int8", (4, 3), (4, 5)), "does not broadcast"),
    (lambda: gather.broadcast_indices("int8", (1,), (1 << 40,)), "too long"),
    (lambda: gather.take_indices("int8", (4, 3), 0, [4]), "indices 0 to 3"),
    (lambda: gather.take_indices("int8", (4, 3), 0, [-1]), "count from 0"),
    (lambda: gather.depth_to_space("int8", (1, 2, 2, 6), 2), "squares of 2 by 2"),
    (lambda: gather.space_to_depth("int8", (1, 3, 2, 6), 2), "squares of 2 by 2"),
    (lambda: gather.space_to_depth("int8", (3, 2, 6), 2), "takes images"),
    (lambda: gather.space_to_batch("int8", (1, 3, 2, 6), (2, 2), ((0, 0), (0, 0))), "not made of blocks"),
    (lambda: gather.batch_to_space("int8", (3, 3, 2, 6), (2, 2), ((0, 0), (0, 0))), "blocks"),
    (lambda: gather.batch_to_space("int8", (4, 3, 2, 6), (2, 2), ((0, -1), (0, 0))), "none is negative"),
    (lambda: gather.nearest("int8", (1, 3, 2, 6), (1 << 40, 2)), "new size"),
    (lambda: GatherIndices("int8", (4, 3), {}, view=(5, 2)), "other elements"),
    (lambda: GatherIndices("int8", (4, 3), {}, result=(5, 2)), "cannot be"),
])
def test_what_is_refused(make: Callable[[], Any], words: str) -> None:
    with pytest.raises(ns.BadArgument, match=words):
        make()
