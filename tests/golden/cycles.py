"""Modelled cycles on every core: main loops of kernels, layers of networks, calls with caches.

A row holds all cores; of a core that cannot run it, the sentence that says so.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from neonsim.arm.timing import cores, time
from neonsim.arm.timing.stream import longest_loop, stream_of
from neonsim.nn.graph import Graph, OperatorPlan
from neonsim.nn.graph.plan.cycles import network_cycles
from neonsim.ukernel import kernel, kernels

from . import Row, digest, some, value_of
from .networks import small
from .traces import KERNELS, of_kernel

LOOPS = 5           # the loop of one kernel of so many
QUICK = 120
LAYERS = (          # network, quantization, layer
    ("mobilenet_v1", "qu8", "stem"), ("mobilenet_v1", "qu8", "dw2"), ("mobilenet_v1", "qc8w", "pw4"),
    ("mobilenet_v1", "qs8", "classifier"), ("mobilenet_v1", "f32", "pw3"), ("mobilenet_v2", "f32", "dw3"),
    ("mobilenet_v2", "qs8", "add3"), ("mobilenet_v2", "qu8", "pool"), ("squeezenet", "qu8", "pool1"),
    ("shufflenet_v1", "qu8", "stage2_2_shuffle"), ("shufflenet_v1", "qc8w", "stage2_1_pool"),
    ("inception_v3", "qc8w", "b1_seven_2_1x7"))


def rows() -> list[Row]:
    """One of each loop, layer and call."""
    found = [Row(f"loop of {each.name}", {"model": partial(_loop, each.name)},
                 ("model",) if some(each.name, QUICK) else ()) for each in kernels() if some(each.name, LOOPS)]
    found += [Row(f"layer {layer} of {network} {kind}", {"compiled": partial(_layer, network, kind, layer)})
              for network, kind, layer in LAYERS]
    return found + [Row(f"call of {name}, {caches} caches", {"model": partial(_call, name, caches)})
                    for name in KERNELS[:6] for caches in ("cold", "warm")]


def _of_all(cycles: Callable[[str], Any]) -> str:
    return digest("\n".join(f"{core}: {value_of(partial(cycles, core))}" for core in cores()))


def _loop(name: str) -> str:
    program = kernel(name).program()
    stream = stream_of(program, entry=longest_loop(program), iterations=100)
    return _of_all(lambda core: _said(time(stream, core=core)))


def _call(name: str, caches: str) -> str:
    trace = of_kernel(name)
    return _of_all(lambda core: _said(time(trace, core=core, caches=caches, calls=2)))


def _said(timing: Any) -> str:
    return f"{timing.cycles} {sorted(timing.slots.items())} {sorted(timing.run.busy.items())}"


def _layer(network: str, quantization: str, layer: str) -> str:
    whole = small(network, quantization)
    node, alone = whole.node(layer), Graph(layer)
    for name in node.inputs:
        tensor = whole.tensors[name]
        alone.add_input(name, tensor.shape, tensor.scheme, **({} if tensor.scheme else {"dtype": tensor.dtype}))
    alone.finish(alone.add_node(layer, node.operator, *node.inputs))

    def cycles(core: str) -> str:
        plan = alone.plan("emulated", engine="interpreter", core=core)
        assert isinstance(plan, OperatorPlan)
        found = network_cycles(plan, core)
        return f"{found.isa} {found.layers[0].kernels} {found.instructions} {found.cycles:.6f}"

    return _of_all(cycles)
