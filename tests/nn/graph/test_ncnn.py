"""ncnn's flows: by their formulas, and against its own layers."""

from __future__ import annotations

import platform
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from neonsim.errors import BackendError, BadArgument
from neonsim.nn.backends.native import library
from neonsim.nn.backends.native.network import families
from neonsim.nn.graph import Graph, model
from neonsim.nn.graph.models import digits
from neonsim.nn.graph.plan.native import NativePlan
from neonsim.nn.graph.quantize.ncnn import pairs_of, quantize_by_steps
from neonsim.nn.graph.quantize.quantize import list_casts, quantize
from neonsim.nn.ops.arithmetics.ncnn import DequantizeAcc, QuantizeInt8, RequantizeAcc
from neonsim.nn.ops.float32.operators import Float32Clamp, Float32Conv2d, Float32FullyConnected, Float32MaxPool2d
from neonsim.quant.calibration import similarity

Reals = NDArray[np.float32]


def chain(seed: int = 0) -> Graph:
    """Two convolutions that the red line joins, a pool that ends it, a product."""
    rng = np.random.default_rng(seed)
    graph = Graph("chain", (1, 9, 9, 3), dtype="float32")
    x = graph.add_node("a", Float32Conv2d(rng.normal(size=(5, 3, 3, 3)), rng.normal(size=5)), "input")
    x = graph.add_node("relu", Float32Clamp(0.0), x)
    x = graph.add_node("b", Float32Conv2d(rng.normal(size=(4, 1, 1, 5)), rng.normal(size=4), low=0.0, high=6.0), x)
    x = graph.add_node("pool", Float32MaxPool2d(7), x)
    return graph.finish(graph.add_node("c", Float32FullyConnected(rng.normal(size=(3, 4)), rng.normal(size=3)), x))


def image(seed: int = 0) -> Reals:
    return np.random.default_rng(seed).normal(size=(1, 9, 9, 3)).astype(np.float32)


def _half_away(x: Any) -> Any:
    return np.trunc(np.asarray(x, np.float64) + np.copysign(0.5, x))


def _bytes(x: Any, steps: Any) -> Any:
    return np.clip(_half_away(np.float32(x) * np.float32(steps)), -127, 127)


@pytest.mark.parametrize("way", ["ncnn", "ncnn-fused"])
def test_by_the_formulas(way: str) -> None:
    """(F04, F05), in float64 but for where ncnn rounds to float32."""
    graph, x = chain(1), image(1)
    made = quantize_by_steps(graph, way, calibration=[x], method="minmax")
    plan = made.plan("reference")
    found = plan.run(x)
    a, b, c = (graph.node(name).operator for name in "abc")
    assert isinstance(a, Float32Conv2d) and isinstance(b, Float32Conv2d) and isinstance(c, Float32FullyConnected)
    float_plan = graph.plan("reference")
    float_plan.run(x)
    steps = {"a": 127 / abs(x).max(), "b": 127 / float_plan.tensor("relu").max(), "c": 127 / float_plan.tensor(
        "pool").max()}

    def layer(values: Any, name: str, w: Any, bias: Any) -> Any:
        s_w = np.float32(127) / abs(w.reshape(w.shape[0], -1)).max(1)
        q = _bytes(w, s_w.reshape(-1, *[1] * (w.ndim - 1)))
        if w.ndim == 2:
            sums = values.reshape(-1, w.shape[1]) @ q.T
        else:
            k = w.shape[1]
            size = values.shape[1] - k + 1
            sums = sum(values[:, y:y + size, z:z + size] @ q[:, y, z].T for y in range(k) for z in range(k))
        factor = np.float32(1) / (np.float32(steps[name]) * s_w)
        return (sums * factor.astype(np.float64) + bias).astype(np.float32)      # one rounding

    y = np.maximum(layer(_bytes(x, steps["a"]), "a", a.w, a.bias), 0)
    y = np.clip(layer(_bytes(y, steps["b"]), "b", b.w, b.bias), 0, 6)
    y = layer(_bytes(y.max(axis=(1, 2)), steps["c"]), "c", c.w, c.bias)
    assert abs(found.reshape(-1) - y.reshape(-1)).max() < 1e-6
    assert (way == "ncnn-fused") == any(isinstance(node.operator, RequantizeAcc) for node in made.nodes)


def test_red_and_blue_are_the_same_numbers() -> None:
    """The red line saves memory and changes nothing: what it skips is a dequantisation and the quantisation after."""
    for seed in range(4):
        graph, x = chain(seed), image(seed)
        blue, red = (quantize_by_steps(graph, way, calibration=[x], method="minmax").plan("reference").run(x)
                     for way in ("ncnn", "ncnn-fused"))
        assert blue.tobytes() == red.tobytes()


def test_conversions_are_the_closed_form() -> None:
    """One quantisation for each input element and one dequantisation for each output element of a layer."""
    graph = chain()
    sizes = {name: graph.tensors[name].size for name in graph.tensors}
    blue = list_casts(quantize_by_steps(graph, "ncnn", calibration=[image()], method="minmax"))
    assert blue == {"quantized": sizes["input"] + sizes["relu"] + sizes["pool"],
                    "dequantized": sizes["a"] + sizes["b"] + sizes["c"], "requantized": 0}
    red = list_casts(quantize_by_steps(graph, "ncnn-fused", calibration=[image()], method="minmax"))
    assert red == {"quantized": sizes["input"] + sizes["pool"], "dequantized": sizes["b"] + sizes["c"],
                   "requantized": sizes["a"]}


def test_pairs_of_networks() -> None:
    """(F06): every pair of convolutions of MobileNetV1 qualifies."""
    graph = model("mobilenet_v1", quantization="f32", size=32, width=0.25)
    convolutions = [node for node in graph.nodes if isinstance(node.operator, Float32Conv2d)]
    assert len(pairs_of(graph)) == len(convolutions) - 1 == 26
    assert len(pairs_of(chain())) == 1


@pytest.mark.nightly
def test_digits() -> None:
    images, labels = digits.sample()
    graph, x = digits.digits("f32", 100), images.astype(np.float32) / np.float32(255)
    real = graph.plan("reference").run(x)
    for way in ("ncnn", "ncnn-fused"):
        found = quantize_by_steps(graph, way, calibration=[x]).plan("reference").run(x)
        assert (found.argmax(1) == labels).mean() >= 0.95 and similarity(found, real) > 0.99


def ncnns_layer(one: Float32Conv2d | Float32FullyConnected, x: Reals, steps: Any, w_steps: Reals, folder: Path, *,
                after: float | None = None, packing: bool = False) -> NDArray[Any]:
    """What ncnn gives for a layer in int8, steps given; `after`: those of the layer behind it, whose int8 it gives."""
    ncnn = pytest.importorskip("ncnn", reason="needs a package: pip install ncnn")
    low, high = one.low, one.high
    words = [] if (low, high) == (-np.inf, np.inf) else ["9=1"] if (low, high) == (0, np.inf) else [
        f"9=3 -23310=2,{max(low, -1e30):g},{min(high, 1e30):g}"]
    if isinstance(one, Float32Conv2d):
        shape = one.shape(x.shape)
        (top, bottom), (left, right) = shape.padding
        kind = "ConvolutionDepthWise" if one.groups > 1 else "Convolution"
        words += [f"0={one.outputs} 1={one.w.shape[2]} 11={one.w.shape[1]} 5=1 6={one.w.size}",
                  f"2={shape.dilation[1]} 12={shape.dilation[0]} 3={shape.stride[1]} 13={shape.stride[0]}",
                  f"4={left} 15={right} 14={top} 16={bottom} 8={1 if after is None else 101}",
                  *[f"7={one.groups}"] * (one.groups > 1)]
        flat = np.ascontiguousarray(one.w.transpose(0, 3, 1, 2))
        given = np.ascontiguousarray(x[0].transpose(2, 0, 1))       # the Mat only points there
    else:
        kind, flat, given = "InnerProduct", one.w, np.ascontiguousarray(x[0])
        words += [f"0={one.w.shape[0]} 1=1 2={one.w.size} 8=2"]
    lines = ["7767517", "2 2", "Input in 0 1 in", f"{kind} layer 1 1 in out {' '.join(words)}", ""]
    (folder / "one.param").write_text("\n".join(lines))
    numbers = [flat, one.bias, w_steps, steps, *([] if after is None else [after])]
    (folder / "one.bin").write_bytes(bytes(4) + b"".join(np.asarray(each, np.float32).tobytes() for each in numbers))
    net = ncnn.Net()
    net.opt.use_winograd_convolution, net.opt.use_packing_layout, net.opt.num_threads = False, packing, 1
    net.opt.use_fp16_packed = net.opt.use_fp16_storage = net.opt.use_fp16_arithmetic = net.opt.use_bf16_storage = False
    assert net.load_param(str(folder / "one.param")) == 0 and net.load_model(str(folder / "one.bin")) == 0
    run = net.create_extractor()
    run.input("in", ncnn.Mat(given))
    status, top = run.extract("out")
    assert status == 0
    found = np.array(top)
    return found.transpose(1, 2, 0) if found.ndim == 3 else found.reshape(-1)


def a_layer(channels: int, window: int, groups: int, seed: int, outputs: int = 0, **more: Any
            ) -> tuple[Reals, Float32Conv2d]:
    """An image and a convolution; the weights of its channels differ in size."""
    rng = np.random.default_rng(seed)
    outputs = outputs or channels
    w = rng.normal(size=(outputs, window, window, channels // groups)) * rng.uniform(0.1, 2, (outputs, 1, 1, 1))
    x = rng.normal(size=(1, 10, 10, channels)).astype(np.float32)
    return x, Float32Conv2d(w, rng.normal(size=outputs), groups=groups, **more)


def as_ncnn(x: Reals, one: Float32Conv2d | Float32FullyConnected, folder: Path,
            backends: tuple[str, ...] = ("reference",)
            ) -> None:
    """A layer of the flow against ncnn's, to the last bit."""
    graph = Graph("one", x.shape, dtype="float32")
    graph.finish(graph.add_node("layer", one, "input"))
    made = quantize_by_steps(graph, calibration=[x], method="minmax")
    groups = getattr(one, "groups", 1)
    steps = np.float32(127 / float(abs(x).max()))
    # What ncnn2table writes: one number for a channel, or for a group.
    w_steps = np.float32(127) / abs(one.w.reshape(groups if groups > 1 else len(one.w), -1)).max(axis=1)
    theirs = ncnns_layer(one, x, steps, w_steps, folder)
    plan = made.plan("reference")
    ours = np.asarray(plan.run(x))[0]
    assert ours.shape == theirs.shape
    if groups == x.shape[-1] == len(one.w):     # there x86-64 rounds product and sum one after the other, not once
        by_channel: Any = made.node("layer").operator
        twice = np.clip(np.float32(plan.tensor("layer (sums)")) * by_channel.factor + one.bias, one.low, one.high)[0]
        assert theirs.tobytes() in (ours.tobytes(), twice.tobytes())
    else:
        assert ours.tobytes() == theirs.tobytes(), abs(ours - theirs).max()
    for backend in backends:
        assert np.asarray(made.plan(backend).run(x))[0].tobytes() == ours.tobytes()


@pytest.mark.parametrize(("channels", "outputs", "groups", "window", "more"), [
    (8, 8, 1, 1, {"low": 0.0}), (8, 8, 1, 3, {"stride": 2}), (8, 8, 1, 3, {"low": 0.0, "high": 6.0, "padding": 1}),
    (8, 8, 8, 3, {"low": 0.0}), (8, 8, 8, 3, {"stride": 2, "padding": 1}), (6, 12, 6, 3, {"low": 0.0}),
    (6, 6, 3, 3, {}), (6, 6, 2, 3, {"low": 0.0, "padding": ((1, 0), (2, 1))}), (6, 12, 3, 1, {"high": 1.0}),
    (8, 12, 4, 3, {"dilation": 2, "low": 0.0}), (16, 16, 2, 3, {"stride": (2, 1)})])
def test_ncnns_own_layers(channels: int, outputs: int, groups: int, window: int, more: dict[str, Any],
                          tmp_path: Path) -> None:
    """Its int8 convolution, of one group and of several, which have one number for their weights each."""
    x, one = a_layer(channels, window, groups, channels + window + groups, outputs, **more)
    as_ncnn(x, one, tmp_path, ("emulated", *["native"] * (library.available() is None)))


def test_ncnns_own_product(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    one = Float32FullyConnected(rng.normal(size=(7, 20)) * rng.uniform(0.1, 2, (7, 1)), rng.normal(size=7), low=0.0)
    as_ncnn(rng.normal(size=(1, 20)).astype(np.float32), one, tmp_path)


@pytest.mark.slow
def test_ncnns_layers_at_random(tmp_path: Path) -> None:
    """All that a layer of the flow can be."""
    rng = np.random.default_rng(38)
    for seed in range(100):
        groups = int(rng.choice([1, 1, 2, 3, 4]))
        channels, outputs = (groups * int(n) for n in rng.integers(1, 5, 2))
        if seed % 4 == 0:
            groups = channels
            outputs = channels * int(rng.integers(1, 3))
        low, high = ((-np.inf, np.inf), (0.0, np.inf), (0.0, 6.0), (-1.0, 1.0))[int(rng.integers(4))]
        pairs = [[int(n) for n in pair] for pair in rng.integers(0, 3, (2, 2))]
        x, one = a_layer(channels, int(rng.choice([1, 2, 3, 5])), groups, seed, outputs, low=low, high=high,
                         stride=[int(n) for n in rng.integers(1, 3, 2)], padding=pairs,
                         dilation=int(rng.integers(1, 3)))
        as_ncnn(x, one, tmp_path)


@pytest.mark.parametrize("groups", [1, 3])
def test_ncnns_red_line(groups: int, tmp_path: Path) -> None:
    """The int8 that it gives to the convolution behind."""
    x, one = a_layer(6, 3, groups, groups, low=0.0)
    graph = Graph("two", x.shape, dtype="float32")
    middle = graph.add_node("layer", one, "input")
    graph.finish(graph.add_node("behind", a_layer(6, 1, 1, 9)[1], middle))
    made = quantize_by_steps(graph, "ncnn-fused", inputs={"layer": 40.0, "behind": 9.5}).plan("reference")
    made.run(x)
    w_steps = np.float32(127) / abs(one.w.reshape(groups if groups > 1 else 6, -1)).max(axis=1)
    theirs = ncnns_layer(one, x, 40.0, w_steps, tmp_path, after=9.5)
    assert made.tensor("layer").dtype == np.int8 and np.array_equal(made.tensor("layer")[0], theirs)


def test_steps_of_groups_are_given_by_group() -> None:
    x, one = a_layer(6, 3, 2, 1)
    graph = Graph("one", x.shape, dtype="float32")
    graph.finish(graph.add_node("layer", one, "input"))
    made: Any = quantize_by_steps(graph, inputs={"layer": 40.0}, weights={"layer": np.array([10.0, 20.0])})
    assert made.node("layer").operator.factor.tolist() == [float(np.float32(1 / (40 * s))) for s in [10] * 3 + [20] * 3]
    with pytest.raises(BadArgument, match="layer takes 2 numbers of steps per unit, 0 and more; got 6"):
        quantize_by_steps(graph, inputs={"layer": 40.0}, weights={"layer": np.ones(6)})


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="a way of x86-64's vectors")
@pytest.mark.parametrize(("channels", "relu"), [(8, False), (16, True)])
def test_ncnns_depthwise_with_packing(channels: int, relu: bool, tmp_path: Path) -> None:
    """Eight channels side by side: there 1 / (s_in s_w) is the processor's estimate of a reciprocal, RCPPS, wrong by at
    most 1.5 / 2**12 and with 12 bits behind the point, and product and sum are rounded one after the other. With this
    factor it is equal to the last bit."""
    x, one = a_layer(channels, 3, channels, channels + 3, low=0.0 if relu else -np.inf)
    w, bias, steps = one.w, one.bias, np.float32(127 / abs(x).max())
    w_steps = np.float32(127) / abs(w.reshape(channels, -1)).max(1)
    theirs = ncnns_layer(one, x, steps, w_steps, tmp_path, packing=True)
    seen, taps = _bytes(x, steps)[0], _bytes(w, w_steps.reshape(-1, 1, 1, 1))[..., 0]
    sums = sum(seen[i:i + 8, j:j + 8] * taps[:, i, j] for i in range(3) for j in range(3))
    kept = theirs > 0 if relu else np.ones(theirs.shape, bool)      # where the activation lets the sum be seen
    fitted = (np.where(kept, (theirs.astype(np.float64) - bias) * sums, 0).sum((0, 1))
              / np.where(kept, sums**2, 0).sum((0, 1))).astype(np.float32)
    estimate = ((fitted.view(np.uint32) + 0x400) & ~np.uint32(0x7FF)).view(np.float32)
    assert (abs(estimate * (steps * w_steps).astype(np.float64) - 1) <= 1.5 / 2**12).all()
    assert (abs(estimate * (steps * w_steps).astype(np.float64) - 1) > 1e-5).any()
    found = sums.astype(np.float32) * estimate + bias
    assert np.array_equal(np.maximum(found, 0) if relu else found, theirs)


@pytest.mark.parametrize(("arguments", "words"), [
    ({"way": "red"}, "flow must be 'ncnn'"), ({}, "calibration"),
    ({"inputs": {"relu": 0.0, "b": 1.0, "c": 1.0}}, r"steps per unit of what relu reads .* must be positive"),
    ({"inputs": {"relu": 1.0, "b": -1.0, "c": 1.0}}, r"steps per unit of what b reads .* must be positive"),
    ({"inputs": {"relu": 1.0, "b": 1.0, "c": np.nan}}, r"steps per unit of what c reads .* must be positive, finite"),
    ({"weights": {"b": np.array([1, np.nan, 1, 1])}, "calibration": [image()]}, "number 1 is nan"),
    ({"weights": {"b": np.array([1, 1, 1, -2.0])}, "calibration": [image()]}, "number 3 is -2"),
    ({"weights": {"b": ["a"] * 4}, "calibration": [image()]}, "these are no numbers"),
    ({"inputs": {"z": 1.0}, "calibration": [image()]}, "has no layer 'z' with weights"),
    ({"weights": {"b": np.ones(2)}, "calibration": [image()]}, "b takes 4 numbers of steps per unit"),
    ({"calibration": [np.full((1, 9, 9, 3), np.nan, np.float32)]}, "must be finite")])
def test_wrong_input(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(BadArgument, match=words):
        quantize_by_steps(chain(), **{"method": "minmax", **arguments})


def test_nan_at_run_time() -> None:
    plan = quantize_by_steps(chain(), calibration=[image()], method="minmax").plan("reference")
    with pytest.raises(BadArgument, match=r"NaN (has no integer|and values)"):
        plan.run(np.full((1, 9, 9, 3), np.nan, np.float32))


def test_graphs_that_take_no_flow() -> None:
    with pytest.raises(BadArgument, match="not a network of floating-point values: its 'input' is"):
        quantize_by_steps(model("squeezenet", size=64), calibration=[image()])
    nothing = Graph("nothing", (1, 2), dtype="float32")
    nothing.finish(nothing.add_node("relu", Float32Clamp(0.0), "input"))
    with pytest.raises(BadArgument, match="nothing has no convolution and no product"):
        quantize_by_steps(nothing, calibration=[np.ones((1, 2), np.float32)])
    with pytest.raises(BadArgument, match="a flow takes a Graph of float32; got str"):
        quantize_by_steps("chain")      # type: ignore[arg-type]


def test_what_is_next_to_nothing_is_nothing() -> None:
    """Channels that died in training, with weights and biases of too few digits: the same on every backend."""
    graph = Graph("dead", (1, 1, 1, 2), dtype="float32")
    w = np.array([[1e-42, 0], [1, 2.0], [0, 0], [1e-35, 1e-36]]).reshape(4, 1, 1, 2)
    graph.finish(graph.add_node("conv", Float32Conv2d(w, [1e-39, 0.5, -3.0, 1e-33]), "input"))
    x = np.ones((1, 1, 1, 2), np.float32)
    made = quantize_by_steps(graph, calibration=[x], method="minmax")
    wanted = made.plan("reference").run(x)
    assert wanted.reshape(-1)[[0, 2, 3]].tolist() == [0.0, -3.0, 0.0] and abs(wanted.reshape(-1)[1] - 3.5) < 0.02
    for backend in ("emulated", *["native"] * (library.available() is None)):
        assert made.plan(backend).run(x).tobytes() == wanted.tobytes()
    silent = quantize_by_steps(graph, calibration=[np.full_like(x, 1e-40)], method="minmax")
    assert silent.plan("reference").run(x).reshape(-1)[2] == -3.0


def test_a_channel_of_zeros() -> None:
    """Its steps are 0, as ncnn has it: the bias is what is left."""
    graph = Graph("zero", (1, 1, 1, 2), dtype="float32")
    graph.finish(graph.add_node("conv", Float32Conv2d(np.array([[0, 0], [1, 2.0]]).reshape(2, 1, 1, 2), [0.5, 0.0]),
                                "input"))
    x = np.ones((1, 1, 1, 2), np.float32)
    found = quantize_by_steps(graph, calibration=[x], method="minmax").plan("reference").run(x)
    assert found.reshape(-1)[0] == 0.5 and abs(found.reshape(-1)[1] - 3) < 0.02


# ---- three backends

def limits_and_groups(seed: int) -> Graph:
    """What the chain does not have: groups, depthwise, strides, 5x5, two readers, an activation of one side."""
    rng = np.random.default_rng(seed)

    def layer(out: int, kernel: int, depth: int, **more: Any) -> Float32Conv2d:
        w = rng.normal(size=(out, kernel, kernel, depth))
        return Float32Conv2d(w, rng.normal(size=out), padding=kernel // 2, **more)

    graph = Graph("branches", (2, 5, 4, 3), dtype="float32")
    x = graph.add_node("a", layer(18, 3, 3, low=0.0), "input")
    left = graph.add_node("left", layer(18, 3, 1, groups=18, stride=2, low=0.0, high=6.0), x)
    right = graph.add_node("right", layer(6, 3, 6, groups=3, stride=2, high=2.0), x)
    return graph.finish(graph.add_node("last", layer(5, 1, 18), left), graph.add_node("wide", layer(21, 1, 6), right))


def results_of(plan: Any, x: Reals, threads: int = 1) -> list[bytes]:
    found = plan.run(x, threads=threads)
    return [np.asarray(one).tobytes() for one in (found if isinstance(found, tuple) else (found,))]


@pytest.mark.nightly
@pytest.mark.parametrize(("way", "seed", "isa"), [pytest.param(way, seed, isa, marks=() if (way, seed, isa) == (
    "ncnn-fused", 0, "aarch32") else pytest.mark.nightly)
    for way in ("ncnn", "ncnn-fused") for seed in range(3) for isa in ("aarch32", "aarch64")])
def test_three_backends_give_the_same_bytes(way: str, seed: int, isa: str) -> None:
    graph = limits_and_groups(seed)
    x = (2 * np.random.default_rng(seed).normal(size=(2, 5, 4, 3))).astype(np.float32)
    made = quantize_by_steps(graph, way, calibration=[x / 2], method="minmax")
    wanted = results_of(made.plan("reference"), x)
    emulated: Any = made.plan("emulated", isa=isa, engine="interpreter")
    assert set(emulated.backends.values()) == {"emulated"} and results_of(emulated, x) == wanted
    if library.available() is None:
        plan = made.plan("native")
        assert isinstance(plan, NativePlan)
        assert all(results_of(plan, x, threads) == wanted for threads in (1, 2, 5))
        tiles = made.plan("native", operators=True)
        assert all(results_of(tiles, x, threads) == wanted for threads in (1, 3))


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["digits", "mobilenet_v1", "mobilenet_v2", "resnet18", "shufflenet_v1"])
@pytest.mark.parametrize("way", ["ncnn", "ncnn-fused"])
def test_networks_on_three_backends(name: str, way: str) -> None:
    """Whole networks, float layers between those that are quantised among them: one native network, all emulated."""
    size = 64 if name in ("resnet18", "shufflenet_v1") else 32
    graph = digits.digits("f32") if name == "digits" else model(name, quantization="f32", size=size)
    shape = graph.tensors[graph.inputs[0]].shape
    made = quantize_by_steps(graph, way, calibration=[np.random.default_rng(9).random(shape, np.float32)],
                             method="minmax")
    for seed in range(2):
        x = np.random.default_rng(seed).random(shape, np.float32)
        wanted = results_of(made.plan("reference"), x)
        if library.available() is None:
            native = made.plan("native")
            assert isinstance(native, NativePlan)
            assert all(results_of(native, x, threads) == wanted for threads in (1, 2, 4))
        if seed == 0:
            emulated: Any = made.plan("emulated", isa="aarch64")
            assert set(emulated.backends.values()) == {"emulated"} and results_of(emulated, x) == wanted


@pytest.mark.skipif(library.available() is not None, reason=str(library.available()))
@pytest.mark.parametrize("family", [name for name, lacks in (families() if library.available() is None else {}
                                                             ).items() if lacks is None])
def test_nan_and_the_ends_of_numbers_in_every_family(family: str) -> None:
    """Halves, what is next to them, infinite: of many lengths, so that no lane is left out; a NaN in any is said."""
    rng = np.random.default_rng(1)
    for channels in (*range(1, 19), 31, 67):
        graph = Graph("one", (1, 1, 3, channels), dtype="float32")
        graph.finish(graph.add_node("steps", QuantizeInt8(0.5), "input"))
        plan = NativePlan(graph, family)
        edge = [0.5, -0.5, 0.99999994, -0.99999994, 1.0, 3.0, -5.0, 253.0, 255.0, -255.0, -256.9, np.inf, -np.inf, 0.0,
                -0.0, 1e-40, 2.9999998]
        x = rng.choice(np.array(edge, np.float32), (1, 1, 3, channels))
        with np.errstate(over="ignore"):
            wanted = _bytes(x, 0.5)
        assert np.array_equal(plan.run(x), wanted)
        x[0, 0, int(rng.integers(0, 3)), int(rng.integers(0, channels))] = np.nan
        with pytest.raises(BadArgument, match=r"NaN (has no integer|and values)"):
            plan.run(x)
        assert set(plan.profile()) == {"steps"}     # its time is that of any numbers
        x[np.isnan(x)] = 0
        plan.run(x)     # the one before left nothing


def test_numbers_of_too_few_digits_are_left_to_the_reference() -> None:
    graph = Graph("tiny", (1, 1, 1, 4), dtype="int32")
    graph.finish(graph.add_node("real", DequantizeAcc(np.full(4, 2.0**-110), np.zeros(4)), "input"))
    with pytest.raises(BackendError, match=r"factors and biases of kernels of dequantization are 0 or at least"):
        graph.plan("emulated")
    with pytest.raises(BackendError, match=r"steps per unit of a kernel must be 2\*\*-100 to 2\*\*124"):
        QuantizeInt8(2.0**125).plan((1, 4), backend="emulated")


@pytest.mark.nightly
def test_eq_is_the_search_that_ncnn_has() -> None:
    """Written once more without any short way: the whole layer for each of 100 scales of each channel, then of the
    input, in float64, as images are."""
    rng = np.random.default_rng(4)
    w, bias = rng.normal(size=(3, 1, 1, 4)) * [[[[1.0]]], [[[0.1]]], [[[3.0]]]], rng.normal(size=3)
    w[2] = 0
    graph = Graph("one", (1, 5, 5, 4), dtype="float32")
    graph.finish(graph.add_node("conv", Float32Conv2d(w, bias, low=0.0), "input"))
    images = [rng.standard_t(3, size=(1, 5, 5, 4)).astype(np.float32) for _ in range(2)]
    start = quantize_by_steps(graph, calibration=images, method="kl")
    made = quantize_by_steps(graph, calibration=images, method="eq")

    def real(x: Any) -> Any:
        return np.maximum(x.reshape(-1, 4).astype(np.float64) @ np.float32(w).reshape(3, 4).T.astype(np.float64)
                          + np.float32(bias), 0)

    def layer(x: Any, steps: float, w_steps: Any) -> Any:
        sums = _bytes(x.reshape(-1, 4), steps) @ _bytes(np.float32(w).reshape(3, 4), w_steps.reshape(-1, 1)).T
        product = np.float32(steps) * np.float32(w_steps)
        factor = np.where(product == 0, 0, 1 / np.where(product == 0, 1, product)).astype(np.float32)
        return np.maximum((sums * factor.astype(np.float64) + np.float32(bias)).astype(np.float32), 0)

    def best(first: float, of: Any) -> float:
        tried = [np.float32(first / 2 + number * (1.5 * first / 100)) for number in range(100)]
        scores = [sum(similarity(real(x), of(x, one)) for x in images) for one in tried]
        return float(tried[int(np.argmax(scores))])
    steps = start.node("conv (quantised)").operator.steps       # type: ignore[union-attr]
    most = abs(np.float32(w)).reshape(3, 4).max(axis=1)
    w_steps = np.where(most == 0, 0, np.float32(127) / np.where(most == 0, 1, most)).astype(np.float32)
    for channel in (0, 1):
        def changed(x: Any, one: float, channel: int = channel) -> Any:
            tried = w_steps.copy()
            tried[channel] = one
            return layer(x, steps, tried)
        w_steps[channel] = best(float(w_steps[channel]), changed)
    steps = best(steps, lambda x, one: layer(x, one, w_steps))
    found = made.node("conv (quantised)").operator
    assert isinstance(found, QuantizeInt8) and found.steps == pytest.approx(steps, rel=1e-6)
    sums, start_sums = (one.node("conv (sums)").operator.w for one in (made, start))      # type: ignore[union-attr]
    assert np.array_equal(sums.reshape(3, 4), _bytes(np.float32(w).reshape(3, 4), w_steps.reshape(-1, 1)))
    assert not np.array_equal(sums, start_sums) and not sums[2].any()
    alike = [similarity(graph.plan("reference").run(images[0]), one.plan("reference").run(images[0]))
             for one in (start, made)]
    assert alike[1] > alike[0]


@pytest.mark.nightly
def test_eq_of_every_kind_of_layer_and_its_refusals() -> None:
    rng = np.random.default_rng(5)
    graph = Graph("kinds", (1, 6, 6, 4), dtype="float32")
    a = graph.add_node("groups", Float32Conv2d(rng.normal(size=(6, 3, 3, 2)), groups=2, padding=1), "input")
    b = graph.add_node("depthwise", Float32Conv2d(rng.normal(size=(6, 3, 3, 1)), groups=6, stride=2, low=0.0), a)
    c = graph.add_node("pool", Float32MaxPool2d(2), b)
    graph.finish(graph.add_node("dense", Float32FullyConnected(rng.normal(size=(5, 6)), rng.normal(size=5)), c))
    images = [rng.standard_t(3, size=(1, 6, 6, 4)).astype(np.float32) for _ in range(3)]
    real = [graph.plan("reference").run(x) for x in images]
    for way in ("ncnn", "ncnn-fused"):
        alike = []
        for method in ("kl", "eq"):
            plan = quantize(graph, way, calibration=iter(images), method=method).plan("reference")
            alike.append(sum(similarity(one, plan.run(x)) for one, x in zip(real, images, strict=True)))
        assert alike[1] > alike[0]
    with pytest.raises(BadArgument, match="take flow 'ncnn' or 'ncnn-fused', or with 'tflite' one of minmax"):
        quantize(graph, "tflite", calibration=images, method="eq")
    with pytest.raises(BadArgument, match="always has one scale for each channel"):
        quantize(graph, "ncnn", calibration=images, method="eq", per_channel=False)
    with pytest.raises(BadArgument, match="calibration"):
        quantize(graph, "ncnn", calibration=[], method="eq")
