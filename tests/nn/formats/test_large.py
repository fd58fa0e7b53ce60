"""Short files that ask for much memory: refused in a sentence, by every backend, before anything so large is made."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from neonsim.common import memory_limit
from neonsim.errors import BackendError, ModelError, NeonsimError, OutOfMemory
from neonsim.nn import ops
from neonsim.nn.backends.native import library
from neonsim.nn.formats import load_model, read_npz, tflite_bytes, write_npz
from neonsim.nn.graph import Graph, gather
from neonsim.nn.graph.data_movement import DataMovement
from neonsim.nn.ops.float32.operators import Float32Conv2d
from neonsim.quant import Quantized, Scheme
from tests.needs import needs
from tests.tiers import every

needs("tflite", install="pip install 'neonsim[models]'")

X = Scheme(0.1, 3, "int8")
BACKENDS = ("reference", "emulated", *(("native",) if library.available() is None else ()))
LEFT = 8_000_000
SIDE = 4000     # an image of that side has twice as many bytes as there are


def w(*shape: int) -> Quantized:
    return Quantized(np.ones(shape, np.int8), 0.1)


def _of(x: tuple[int, ...], operator: ops.Operator | DataMovement, *more: tuple[int, ...]) -> Graph:
    graph = Graph("large")
    type_ = operator.type if isinstance(operator, DataMovement) else operator.input_types[0]
    names = [graph.add_input(f"x{i}", shape, type_.scheme, None if type_.scheme else type_.dtype)
             for i, shape in enumerate((x, *more))]
    return graph.finish(graph.add_node("y", operator, *names))


SMALL = (1, 4, 4, 1)
# What files of TensorFlow Lite cannot say, and .npz can, stands in the second table.
GRAPHS: dict[str, Callable[[], Graph]] = {
    "transposed convolution": lambda: _of((1, 40, 40, 1), ops.Deconv2d(X, w(1, 3, 3, 1), out=X, stride=SIDE // 40)),
    "bilinear": lambda: _of(SMALL, ops.ResizeBilinear(X, size=(SIDE, SIDE))),
    "bilinear between": lambda: _of((1, SIDE, 1, 1), ops.ResizeBilinear(X, size=(1, SIDE))),
    "to many channels": lambda: _of((1, 300, 300, 1), ops.Conv2d(X, w(200, 1, 1, 1), out=X)),
    "sum": lambda: _of((SIDE, 1), ops.Add(X, X, out=X), (1, SIDE)),
    "product": lambda: _of((SIDE, 1), ops.Multiply(X, X, out=X), (1, SIDE)),
    "tile": lambda: _of(SMALL, gather.tile_indices(X, SMALL, (1, SIDE // 4, SIDE // 4, 1))),
    "gather": lambda: _of((1, 999, 1), gather.take_indices(X, (1, 999, 1), 0, np.zeros(SIDE * 4, int))),
    "broadcast": lambda: _of((1, 1), gather.broadcast_indices(X, (1, 1), (SIDE, SIDE))),
    "padding": lambda: _of(SMALL, gather.pad_indices(X, SMALL, ((0, 0), (SIDE, 0), (0, SIDE), (0, 0)))),
    "nearest": lambda: _of(SMALL, gather.nearest(X, SMALL, (SIDE, SIDE))),
}
OURS: dict[str, Callable[[], Graph]] = {
    "far outside": lambda: _of(SMALL, ops.Conv2d(X, w(1, 3, 3, 1), out=X, padding=SIDE, stride=SIDE)),
    "far apart": lambda: _of(SMALL, ops.Conv2d(X, w(1, 3, 3, 1), out=X, padding=SIDE, dilation=SIDE)),
    "cut off": lambda: _of((1, 40, 40, 1), ops.Deconv2d(X, w(1, 3, 3, 1), out=X, stride=SIDE // 40,
                                                        padding=SIDE // 2 - 50)),
    "largest far outside": lambda: _of(SMALL, ops.MaxPool2d(X, pool=3, stride=SIDE, padding=SIDE)),
    "mean far outside": lambda: _of(SMALL, ops.AvgPool2d(X, pool=3, stride=SIDE, padding=SIDE, out=X)),
    "real far outside": lambda: _of(SMALL, Float32Conv2d(np.ones((1, 3, 3, 1)), padding=SIDE, stride=SIDE)),
}
# The C library makes no padded images: a small result is computed in little memory.
DONE = {("native", "bilinear between"), ("native", "far outside"), ("native", "far apart"),
        ("native", "mean far outside"), ("native", "real far outside")}


@pytest.fixture
def little(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine with LEFT bytes; that no more was taken is checked at the end."""
    monkeypatch.setattr(memory_limit, "JUDGED_MEMORY", 0)
    monkeypatch.setattr(memory_limit, "available_bytes", lambda: LEFT)
    tracemalloc.start()
    yield
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < LEFT


@pytest.mark.usefixtures("little")
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("suffix, name", every(4, [     # of .npz not what is not saved there
    *((".tflite", name) for name in GRAPHS),
    *((".npz", name) for name in GRAPHS | OURS if not name.startswith(("bilinear", "product")))]))
def test_more_than_there_is(tmp_path: Path, suffix: str, name: str, backend: str) -> None:
    graph, path = (GRAPHS | OURS)[name](), tmp_path / f"large{suffix}"
    if suffix == ".npz":
        write_npz(graph, path)
    else:
        path.write_bytes(tflite_bytes(graph))
    assert path.stat().st_size < 150_000
    try:
        if suffix == ".npz":
            plan = read_npz(path).plan(backend)
            inputs = [plan.graph.tensors[one] for one in plan.graph.inputs]
            plan.run(tuple(one.type.value(np.ones(one.shape, one.dtype)) for one in inputs))
        else:
            model = load_model(path)
            model.run([np.ones(one.shape, one.dtype) for one in model.inputs], backend)
    except OutOfMemory as problem:
        assert "Use smaller inputs" in str(problem) and "\n" not in str(problem)
    except BackendError as problem:
        assert backend == "native" and "The native backend does not support" in str(problem)
    else:
        assert (backend, name) in DONE


@pytest.mark.usefixtures("little")
def test_constants_of_onnx_are_not_spread_over_each_other(tmp_path: Path) -> None:
    """3 000 bytes with 3 000 scales along an axis of 1 would be 9 000 000 numbers."""
    onnx = pytest.importorskip("onnx", reason="needs the package onnx: pip install 'neonsim[models]'")
    made, arrays = onnx.helper, onnx.numpy_helper
    nodes = [made.make_node("DequantizeLinear", ["q", "s"], ["real"], axis=0), made.make_node("Add", ["x", "real"],
                                                                                            ["y"])]
    kind = onnx.TensorProto.FLOAT
    graph = made.make_graph(nodes, "g", [made.make_tensor_value_info("x", kind, [1, 3000])],
                            [made.make_tensor_value_info("y", kind, None)],
                            [arrays.from_array(np.ones((1, 3000), np.int8), "q"),
                             arrays.from_array(np.ones(3000, np.float32), "s")])
    path = tmp_path / "spread.onnx"
    path.write_bytes(made.make_model(graph, opset_imports=[made.make_opsetid("", 13)]).SerializeToString())
    with pytest.raises(ModelError, match=r"there are 3000 scales along axis 0 of \[1, 3000\]"):
        load_model(path).run(np.ones((1, 3000), np.float32), "reference")


def test_many_nodes_that_name_one_constant(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Each has weights of its own."""
    graph, shared = Graph("many", (1, 64), X), w(64, 64)
    last = "input"
    for number in range(40):
        last = graph.add_node(f"n{number}", ops.FullyConnected(X, shared, out=X), last)
    path = tmp_path / "many.tflite"
    path.write_bytes(tflite_bytes(graph.finish(last)))
    load_model(path).run(np.ones((1, 64), np.int8), "reference")
    monkeypatch.setattr("neonsim.nn.formats.lowering.base.MAX_MODEL_BYTES", 50_000)
    with pytest.raises(ModelError, match=r"node .* take more than 100,000 bytes"):
        load_model(path).run(np.ones((1, 64), np.int8), "reference")


# ---- under a limit of the system, by chance
_LIMITED = """
import resource, sys
sys.path.insert(0, {root!r})
from tests.nn.formats.test_large import try_all
resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
try_all({seed})
"""


def _makers(x: tuple[int, ...], far: int, step: int,
            weights: Quantized) -> list[Callable[[], ops.Operator | DataMovement]]:
    return [
        lambda: ops.Conv2d(X, weights, out=X, padding=far, stride=step),
        lambda: ops.Conv2d(X, weights, out=X, padding=far, dilation=step),
        lambda: ops.Deconv2d(X, w(x[3], 3, 3, 9), out=X, padding=far, stride=step),
        lambda: ops.MaxPool2d(X, pool=3, padding=far, stride=step),
        lambda: ops.AvgPool2d(X, pool=3, padding=far, stride=step, out=X),
        lambda: ops.ResizeBilinear(X, size=(far, step)),
        lambda: gather.tile_indices(X, x, (1, step, far, 1)), lambda: gather.nearest(X, x, (step, far)),
        lambda: gather.take_indices(X, x, 1, np.zeros(far, int)),
        lambda: gather.pad_indices(X, x, ((0, 0), (far, 0), (0, step), (0, 0)))]


def try_all(seed: int) -> None:
    """Operators of chance with sizes of chance: nothing but the project's own sentences."""
    rng, refused = np.random.default_rng(seed), 0
    for _ in range(20):
        high, wide, channels = (int(2.0 ** rng.uniform(0, top)) for top in (16, 16, 6))
        step, far = (int(2.0 ** rng.uniform(0, 17)) for _ in range(2))
        x, weights = (1, high, wide, channels), w(int(2.0 ** rng.uniform(0, 8)), 3, 3, channels)
        if high * wide * channels > 1 << 28:
            continue
        for make in _makers(x, far, step, weights):
            for backend in BACKENDS:
                try:
                    graph = _of(x, make())
                    if sum(tensor.size for tensor in graph.tensors.values()) < 1 << 26:
                        continue        # it takes time only
                    graph.plan(backend)
                except NeonsimError as problem:
                    refused += isinstance(problem, OutOfMemory)
    assert refused > 5, refused


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux holds processes to such a limit")
@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(10))
def test_under_a_limit_of_the_system(seed: int) -> None:
    root = str(Path(__file__).parents[3])
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", _LIMITED.format(root=root, seed=seed)],
                          capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
