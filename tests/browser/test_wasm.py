"""The C library in WebAssembly: the same bytes as the definition, in Node.js and in a page."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from neonsim.nn.graph import Graph, model, random_input
from neonsim.nn.graph.memory.planner import place
from neonsim.nn.graph.models.builder import GraphBuilder, TensorRef
from neonsim.nn.graph.models.float_builder import maker
from neonsim.nn.graph.serialize import serialize, tensor_in

pytestmark = pytest.mark.nightly

ROOT = Path(__file__).parents[2]
SCRIPTS = ROOT / "native/wasm"
FAMILIES = ("simd128", "scalar")
Run = Callable[[bytes, str], NDArray[np.uint8]]


@pytest.fixture(scope="module")
def module() -> Path:
    """What `make wasm` makes."""
    absent = [tool for tool in ("make", "clang", "wasm-ld") if shutil.which(tool) is None]
    if absent:
        pytest.skip(f"needs {' and '.join(absent)}: run `make system-packages`")
    done = subprocess.run(["make", "wasm"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "warning" not in done.stderr, done.stdout + done.stderr
    return ROOT / "build/wasm/neonsim.wasm"


@pytest.fixture(scope="module")
def node(module: Path) -> list[str]:
    if shutil.which("node") is None:
        pytest.skip("needs Node.js: run `make system-packages`")
    return ["node", str(SCRIPTS / "run.mjs"), str(module)]


@pytest.fixture(scope="module")
def page(module: Path, chromium: Any) -> Iterator[Any]:
    """A page of a place that serves the module and its script, and nothing else."""
    one = chromium.new_page()
    served = {"/": ("text/html", b"<!doctype html><title>neonsim</title>"),
              "/neonsim.mjs": ("text/javascript", (SCRIPTS / "neonsim.mjs").read_bytes()),
              "/neonsim.wasm": ("application/wasm", module.read_bytes())}

    def answer(route: Any) -> None:
        kind, body = served["/" + route.request.url.split("/", 3)[3]]
        route.fulfill(content_type=kind, body=body)

    one.route("http://neonsim.test/**", answer)
    one.goto("http://neonsim.test/")
    yield one
    one.close()


IN_PAGE = """async ([network, family]) => {
    const { load } = await import("/neonsim.mjs")
    const library = await load(await WebAssembly.compileStreaming(fetch("/neonsim.wasm")))
    const one = library.network(Uint8Array.from(atob(network), c => c.charCodeAt(0)), family)
    one.run()
    let text = ""
    for (const byte of one.arena) text += String.fromCharCode(byte)
    one.close()
    return btoa(text)
}"""


@pytest.fixture(params=["node", "page"])
def run(request: pytest.FixtureRequest) -> Run:
    """A saved network and a family to the arena after a run."""
    where = request.getfixturevalue(request.param)

    def in_node(network: bytes, family: str) -> NDArray[np.uint8]:
        done = subprocess.run([*where, family], input=network, stdout=subprocess.PIPE, check=True)
        return np.frombuffer(done.stdout, np.uint8)

    def in_page(network: bytes, family: str) -> NDArray[np.uint8]:
        found = where.evaluate(IN_PAGE, [base64.b64encode(network).decode(), family])
        return np.frombuffer(base64.b64decode(found), np.uint8)

    return in_node if request.param == "node" else in_page


def one_layer(size: int, channels: int, quantization: str, build: Callable[[GraphBuilder], TensorRef]) -> Graph:
    make = maker("case", size, quantization, 0, channels)
    return make.finish(build(make))


LAYERS: dict[str, Callable[[], Graph]] = {
    "conv": lambda: one_layer(9, 13, "qu8", lambda m: m.conv("y", m.input, 21, 3, stride=2, padding=1)),
    "pointwise": lambda: one_layer(7, 70, "qc8w", lambda m: m.conv("y", m.input, 37)),
    "depthwise": lambda: one_layer(11, 70, "qc8w", lambda m: m.conv("y", m.input, 70, 3, padding=1, groups=70)),
    "depthwise of stride 2": lambda: one_layer(
        11, 21, "qu8", lambda m: m.conv("y", m.input, 21, 3, stride=2, padding=1, groups=21)),
    "depthwise 5x5": lambda: one_layer(11, 21, "qs8", lambda m: m.conv("y", m.input, 21, 5, padding=2, groups=21)),
}
NETWORKS: dict[str, Callable[[], Graph]] = {
    "mobilenet_v1": lambda: model("mobilenet_v1", size=64, width=0.25),
    "mobilenet_v2": lambda: model("mobilenet_v2", size=64, width=0.35, quantization="qc8w"),
    "shufflenet_v1": lambda: model("shufflenet_v1", size=64),
}


@pytest.mark.parametrize("name", [*LAYERS, *NETWORKS])
def test_same_bytes_as_the_definition(run: Run, name: str) -> None:
    """Every tensor of a layer and of whole networks, with vectors and without."""
    graph = {**LAYERS, **NETWORKS}[name]()
    arena, x = place(graph, keep=True), random_input(graph)
    reference = graph.plan("reference")
    reference.run(x)
    text = serialize(graph, arena, x)
    for family in FAMILIES:
        memory = run(text, family)
        for one in graph.nodes:
            wanted = reference.tensor(one.name).values.view(np.uint8)
            assert np.array_equal(tensor_in(memory, graph, arena, one.name), wanted), (family, one.name)


def test_it_says_what_it_has_and_refuses_the_rest(node: list[str]) -> None:
    listed = json.loads(subprocess.run(node, capture_output=True, check=True).stdout)
    assert listed == [{"name": name, "missing": None} for name in FAMILIES]
    graph = LAYERS["pointwise"]()
    text = serialize(graph, place(graph), random_input(graph))
    for given, family, said in ((text, "avx2", "avx2: "), (text[:-1], "simd128", "not a network: it ends after"),
                                (b"GIF89a" + text, "simd128", "does not begin with NSN1"),
                                (text[:200], "scalar", "not a network: it ends after")):
        done = subprocess.run([*node, family], input=given, capture_output=True, check=False)
        assert done.returncode == 2 and said in done.stderr.decode() and done.stdout == b"", (family, done.stderr)


def test_it_tells_times(node: list[str]) -> None:
    """As often as it is asked to run; how short they are is measured, not tested."""
    graph = model("mobilenet_v1", size=32)
    text = serialize(graph, place(graph), random_input(graph))
    for family in FAMILIES:
        done = subprocess.run([*node, family, "3"], input=text, capture_output=True, check=True)
        found = json.loads(done.stdout)
        assert len(found["times"]) == 3 and min(found["times"]) > 0 and found["peak"] > 0, family
