"""Every tensor of the networks, by quantization and backend; files that graphs are written to, and read from."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import product
from typing import Any

import numpy as np

from neonsim.nn.formats import npz_bytes, onnx_bytes, tflite_bytes
from neonsim.nn.graph import FLOWS, Graph, model, quantize, random_inputs
from neonsim.nn.graph.models import PUBLISHED, options_of
from neonsim.quant.tensor_type import elements
from tests.nn.formats.conftest import Chance

from . import Row, digest, value_of

# Whose kernels run: to compile both takes twice as long.
ISAS = {"qu8": "aarch32", "qs8": "aarch64", "qc8w": "aarch64", "f32": "aarch64"}
WHOLE: dict[str, dict[str, Any]] = {
    "native": {"backend": "native", "keep": True}, "native operators": {"backend": "native", "operators": True}}
SMALL = WHOLE | {"reference": {"backend": "reference"}, "compiled": {"backend": "emulated", "engine": "compiled"}}
QUICK = ("mobilenet_v1", "squeezenet")
CHANCE = 6      # graphs by chance


def rows() -> list[Row]:
    """One of each network, size and quantization, and of each file."""
    found = [Row(f"{name} {quantization} {made.__name__}",
                 {way: partial(_run, made, name, quantization, way) for way in ways},
                 ("native", "reference") if made is small and name in QUICK else ())
             for name, quantization in product(PUBLISHED, ISAS) for made, ways in ((small, SMALL), (whole, WHOLE))]
    found += [Row(name, {"bytes": write}, ("bytes",)) for name, write in _files()]
    return found + [Row(f"flow {flow}", {"file": partial(_flow, flow)}) for flow in FLOWS]


@cache
def small(name: str, quantization: str) -> Graph:
    """A network for small images, and with a quarter of the channels where it takes that."""
    options: dict[str, Any] = {"width": 0.25} if "width" in options_of(name) else {}
    return model(name, quantization=quantization, size=75 if name == "inception_v3" else 64, **options)


def whole(name: str, quantization: str) -> Graph:
    """A network as it was published."""
    return model(name, quantization=quantization)


def _run(made: Callable[[str, str], Graph], name: str, quantization: str, way: str) -> str:
    graph = made(name, quantization)
    plan = graph.plan(**SMALL[way], **({"isa": ISAS[quantization]} if way == "compiled" else {}))
    plan.run(random_inputs(graph, 1))
    return digest(*(elements(plan.tensor(result)) for node in graph.nodes for result in node.results))


def _files() -> Iterator[tuple[str, Callable[[], str]]]:
    graphs = {f"digits {quantization}": partial(model, "digits", quantization=quantization)
              for quantization in ("qu8", "qs8", "qc8w")}
    graphs |= {f"{name} {quantization}": partial(small, name, quantization)
               for name, quantization in (("mobilenet_v1", "f32"), ("squeezenet", "qs8"))}
    graphs |= {f"by chance {seed}": partial(_by_chance, seed) for seed in range(CHANCE)}
    for name, made in graphs.items():
        for suffix, write in (("tflite", tflite_bytes), ("onnx", onnx_bytes), ("npz", _archive)):
            yield f"{name}.{suffix}", partial(_file, write, made)


def _by_chance(seed: int) -> Graph:
    return Chance(seed).graph


def _file(write: Callable[[Graph], bytes], made: Callable[[], Graph]) -> str:
    """Of a graph that such a file cannot hold, the sentence that says so."""
    return digest(value_of(lambda: write(made())))


def _archive(graph: Graph) -> bytes:
    """What is in the file; how it is compressed is a matter of zlib's version."""
    with np.load(io.BytesIO(npz_bytes(graph))) as found:
        return digest(*(part for name in sorted(found) for part in (name, found[name]))).encode()


def _flow(flow: str) -> str:
    """A network of real numbers made integers: what it then computes, and the file of it."""
    real = small("mobilenet_v1", "f32")
    made = quantize(real, flow, calibration=[random_inputs(real, seed)["input"] for seed in range(2)])
    plan = made.plan("reference")
    plan.run(random_inputs(made, 1))
    return digest(_archive(made), *(elements(plan.tensor(name)) for node in made.nodes for name in node.results))
