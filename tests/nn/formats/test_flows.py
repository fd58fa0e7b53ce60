"""Float networks as files, and quantised ones: LiteRT gives the bytes of the flow."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from neonsim.errors import ModelError
from neonsim.nn.formats import load_model, tflite_bytes, write_tflite
from neonsim.nn.graph import Graph, quantize
from neonsim.nn.ops.float32.operators import (
    BatchNorm,
    Float32AvgPool2d,
    Float32Clamp,
    Float32Conv2d,
    Float32FullyConnected,
    Float32GlobalAvgPool,
)
from tests.float_graph import float_graph, float_images
from tests.tiers import every

pytest.importorskip("tflite", reason="needs packages: pip install 'neonsim[models]'")
litert = pytest.importorskip("ai_edge_litert.interpreter", reason="needs a package: pip install ai-edge-litert")


network = partial(float_graph, norm=False, limits=(-1.0, 1.0), beta=2.0)     # what .tflite has words for


def runtime(path: Path, x: NDArray[np.float32]) -> list[NDArray[np.float32]]:
    one = litert.Interpreter(str(path))
    one.allocate_tensors()
    one.set_tensor(one.get_input_details()[0]["index"], x)
    one.invoke()
    return [np.asarray(one.get_tensor(tensor["index"])) for tensor in one.get_output_details()]


@pytest.mark.parametrize("seed", range(2))
def test_a_float_network_goes_round(tmp_path: Path, seed: int) -> None:
    """Written, read: the same bits. LiteRT adds in another order: the last bits differ."""
    graph = network(seed)
    path = tmp_path / "real.tflite"
    write_tflite(graph, path)
    again = load_model(path)
    assert not again.report().missing
    for x in float_images(seed, 2):
        wanted = graph.plan("reference").run(x)
        for found, ours in zip(again.run(x, "reference"), wanted, strict=True):
            assert found.tobytes() == ours.tobytes()
        for theirs, ours in zip(runtime(path, x), wanted, strict=True):
            assert abs(theirs - ours).max() < 2e-6 * max(1.0, float(abs(ours).max()))


@pytest.mark.parametrize("seed", range(2))
def test_the_flow_of_tflite_has_litert_s_bytes(tmp_path: Path, seed: int) -> None:
    """Quantised here, written, run there: the same floats from the same float inputs."""
    made = quantize(network(seed), "tflite", calibration=float_images(seed, 6), method="percentile")
    path = tmp_path / "int8.tflite"
    write_tflite(made, path)
    plan = made.plan(("native", "reference"))
    for x in float_images(seed + 10, 5):
        for theirs, ours in zip(runtime(path, x), plan.run(x), strict=True):
            assert theirs.tobytes() == ours.tobytes()


def test_what_tflite_has_no_word_for() -> None:
    graph = Graph("norm", (1, 2, 2, 1), dtype="float32")
    graph.add_node("norm", BatchNorm([1.0], [0.0]), "input")
    with pytest.raises(ModelError, match="has no word for batch normalisation"):
        tflite_bytes(graph)
    limits = Graph("limits", (1, 2, 2, 1), dtype="float32")
    limits.add_node("cut", Float32Clamp(0.5, 2.0), "input")
    with pytest.raises(ModelError, match=r"limits of 0.5 to 2 are no activation"):
        tflite_bytes(limits)


def _litert_16x8(path: Path, x: NDArray[np.float32], resolver: str = "BUILTIN_REF") -> dict[str, NDArray[np.int16]]:
    """Every tensor by its name, by the runtime's reference kernels, or those that it takes by itself ("AUTO")."""
    one = litert.Interpreter(str(path), experimental_op_resolver_type=litert.OpResolverType[resolver],
                             experimental_preserve_all_tensors=True)
    one.allocate_tensors()
    one.set_tensor(one.get_input_details()[0]["index"], x)
    one.invoke()
    return {tensor["name"]: np.array(one.get_tensor(tensor["index"])) for tensor in one.get_tensor_details()
            if tensor["dtype"] in (np.int16, np.float32)}


def wide_network(seed: int) -> Graph:
    """What the flow 16x8 takes."""
    rng = np.random.default_rng(seed)

    def w(*shape: int) -> NDArray[np.float64]:
        return rng.normal(size=shape) / np.sqrt(np.prod(shape[1:]))
    graph = Graph("wide", (2, 9, 9, 3), dtype="float32")
    a = graph.add_node("conv", Float32Conv2d(w(10, 3, 3, 3), rng.normal(size=10), stride=2, padding=1, low=0, high=6),
                       "input")
    b = graph.add_node("depthwise", Float32Conv2d(w(10, 3, 3, 1), rng.normal(size=10), padding=1, groups=10), a)
    c = graph.add_node("point", Float32Conv2d(w(7, 1, 1, 10), rng.normal(size=7), low=0), b)
    d = graph.add_node("average", Float32AvgPool2d(2), c)
    e = graph.add_node("means", Float32GlobalAvgPool(), d)
    return graph.finish(graph.add_node("dense", Float32FullyConnected(w(5, 7), 100 * rng.normal(size=5)), e))


@pytest.mark.parametrize("seed", every(3, (1, 2, 0)))
def test_the_flow_16x8_has_litert_s_numbers(tmp_path: Path, seed: int) -> None:
    """Every tensor, not only the last: sums of 64 bits, multipliers of 15. Every backend has them as well."""
    rng = np.random.default_rng(seed)
    inputs = [rng.normal(size=(2, 9, 9, 3)).astype(np.float32) for _ in range(3)]
    made = quantize(wide_network(seed), "16x8", calibration=inputs[:1])
    write_tflite(made, tmp_path / "wide.tflite")
    plan = made.plan("reference")
    others = [made.plan((name, "reference"), **options) for name, options in (
        ("emulated", {"isa": "aarch32"}), ("emulated", {"isa": "aarch64"}), ("native", {}))]
    for x in inputs:
        wanted, theirs = plan.run(x), _litert_16x8(tmp_path / "wide.tflite", x, "AUTO")
        for name in made.tensors:
            ours = plan.tensor(name)
            assert np.array_equal(theirs[name].reshape(ours.shape), getattr(ours, "values", ours)), name
        for other in others:
            assert np.array_equal(other.run(x), wanted), other.explain()


def test_what_16x8_has_no_kernel_for_goes_through_real_numbers() -> None:
    """Three numbers for each such operator, and a real network's answer nearly."""
    inputs = float_images(0, 2)
    made = quantize(network(0), "16x8", calibration=inputs)
    kinds = [node.kind for node in made.nodes]
    assert kinds.count("quantization") == 6 and kinds.count("dequantization") == 9
    for theirs, ours in zip(network(0).plan("reference").run(inputs[0]), made.plan("reference").run(inputs[0]),
                            strict=True):
        assert abs(theirs - ours).max() < 0.02 * abs(theirs).max()


@pytest.mark.parametrize("arithmetic", every(3, ["tflite", "ruy", "xnnpack"]))
def test_files_of_16x8_are_read(tmp_path: Path, arithmetic: str) -> None:
    """Every tensor is LiteRT's, on three backends; real numbers at the edges, and integers of 16 bits there."""
    rng = np.random.default_rng(7)
    inputs = [rng.normal(size=(2, 9, 9, 3)).astype(np.float32) for _ in range(2)]
    write_tflite(quantize(wide_network(7), "16x8", calibration=inputs[:1]), tmp_path / "wide.tflite")
    model = load_model(tmp_path / "wide.tflite")
    wanted = _litert_16x8(tmp_path / "wide.tflite", inputs[1])
    model.run(inputs[1], "reference", arithmetic=arithmetic, keep=True)
    for name in (stored.name for stored in model.record.tensors if stored.name in wanted and stored.data is None):
        assert np.array_equal(wanted[name].reshape(-1), model.tensor(name).reshape(-1)), name
    # By the optimised kernels an element's place decides how a real number is rounded: no kernel here does that.
    emulated = "emulated" if arithmetic == "tflite" else ("emulated", "reference")
    for backend in (emulated, ("native", "reference")):
        found, = model.run(inputs[1], backend, arithmetic=arithmetic)
        assert np.array_equal(found, wanted[model.outputs[0].name].reshape(found.shape))
