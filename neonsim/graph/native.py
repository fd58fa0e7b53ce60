"""A graph as one network of the C library: every operator becomes a layer, tensors lie in one arena.

int8 tensors are kept with 128 added, so that all kernels read unsigned bytes; zero points and limits move along.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.backends.network import Layer, NativeNetwork
from neonsim.errors import BackendError, BadArgument
from neonsim.graph.execute import check_network_input
from neonsim.graph.graph import Concat, Graph, Node, Tensor
from neonsim.graph.planner import Arena, joins, place
from neonsim.graph.two_pass import TwoPasses
from neonsim.integers import as_int
from neonsim.quant.scheme import Quantized, Scheme
from neonsim.turns import OneAtATime, in_turn, unless_in_turn

__all__ = ["NativePlan", "layers_of"]

Fields = dict[str, Any]


def _moved(scheme: Scheme) -> int:
    """What is added to bytes of a scheme to store them unsigned."""
    return 128 if scheme.dtype == "int8" else 0


def _image(shape: tuple[int, ...]) -> tuple[int, int, int]:
    """Batch, height, width of a tensor; what is no image is a row of pixels."""
    if len(shape) == 4:
        return shape[0], shape[1], shape[2]
    return 1, 1, int(np.prod(shape[:-1], dtype=np.int64))


def _fields(prefix: str, tensor: Tensor, arena: Arena, extra: int = 0) -> Fields:
    _, height, width = _image(tensor.shape)
    slot = arena.slots[tensor.name]
    return {f"{prefix}_height": height, f"{prefix}_width": width, f"{prefix}_channels": tensor.shape[-1],
            f"{prefix}_stride": slot.stride, prefix: slot.offset + extra,
            f"{prefix}_zero_point": tensor.scheme.zero_point + _moved(tensor.scheme)}


# From a node's name, kind and fields to its layers.
Lowering = Callable[[str, str, Fields], list[Layer]]


def _one_layer(name: str, kind: str, fields: Fields) -> list[Layer]:
    return [Layer.of(kind, **fields)]


def _node_layers(graph: Graph, node: Node, arena: Arena, lowering: Lowering, joined: bool) -> list[Layer]:
    out = graph.tensors[node.name]
    inputs = [graph.tensors[name] for name in node.inputs]
    batch: Fields = {"batch": _image(inputs[0].shape)[0]}
    if isinstance(node.operator, Concat):
        layers, start = [], 0
        home = arena.slots[node.name]
        for tensor in inputs:
            # What lies in its place already was written there; only the rest is copied.
            if arena.slots[tensor.name].offset != home.offset + start or arena.slots[tensor.name].stride != home.stride:
                layers.append(Layer.of("copy", **batch, **_fields("input", tensor, arena),
                                       **{**_fields("output", out, arena, start), "output_channels": tensor.shape[-1]}))
            start += tensor.shape[-1]
        return layers
    try:
        made = node.operator.native_layer(*(tensor.shape for tensor in inputs))
    except BackendError as problem:
        raise BackendError(f"Networks of the native backend cannot do {node.name}: {problem}") from None
    own = dict(made.fields)
    for limit in {"output_min", "output_max"} & set(own):
        own[limit] += _moved(out.scheme)
    fields = {**batch, **_fields("input", inputs[0], arena), **_fields("output", out, arena), **own}
    if len(inputs) == 2:
        second = arena.slots[node.inputs[1]]
        fields |= {"second": second.offset, "second_stride": second.stride, "joined": int(joined),
                   "second_zero_point": inputs[1].scheme.zero_point + _moved(inputs[1].scheme)}
    return lowering(node.name, made.kind, fields)


def layers_of(graph: Graph, arena: Arena, lowering: Lowering = _one_layer,
              joined: Container[str] = ()) -> tuple[list[Layer], list[str]]:
    """The layers of a graph, and for each the node that it belongs to.

    joined     additions that are done with the product before them
    lowering   what layers a node becomes, from its name, kind and fields; by itself the one that does it all

    Raises BackendError for an operator that the C library does not run in networks.
    """
    layers: list[Layer] = []
    owners: list[str] = []
    for node in graph.nodes:
        made = _node_layers(graph, node, arena, lowering, node.name in joined)
        layers += made
        owners += [node.name] * len(made)
    return layers, owners


class NativePlan(OneAtATime):
    """A graph ready to run in the C library; may be used from any thread, one at a time.

    graph    Graph
    arena    Arena           where tensors lie
    network  NativeNetwork
    owners   list[str]       the node of every layer

    joined   {str: str}      additions that are done with the product before them, and that
    moved    {str: (int, int)}   of each node in two passes: bytes of copied windows, bytes of sums

    two_passes   bool   the old way, to measure against: see `neonsim.graph.two_pass`
    """

    backend = "native"
    refusals: tuple[str, ...] = ()

    def __init__(self, graph: Graph, family: str | None = None, keep: bool = False, two_passes: bool = False) -> None:
        self.graph, self.keep = graph, keep
        self._options = family, keep, two_passes
        self._given: Quantized | None = None
        self.joined = {} if two_passes else joins(graph)
        self.arena = place(graph, keep, self.joined)
        old = TwoPasses(self.arena.nbytes) if two_passes else None
        layers, self.owners = layers_of(graph, self.arena, old or _one_layer, self.joined)
        self.moved = {} if old is None else old.moved
        if not layers:
            raise BadArgument(f"{graph.name} has no nodes: nothing is computed.")
        self.network = NativeNetwork(layers, self.arena.nbytes if old is None else old.nbytes, family, self.owners)
        self._views = {name: self._view(name) for name in graph.tensors}

    @property
    def family(self) -> str:
        """The kernels that run it."""
        return self.network.family

    def __repr__(self) -> str:
        return f"<NativePlan of {self.graph.name}: {len(self.owners)} layers, {self.family}, {self.arena.nbytes} bytes>"

    def __reduce__(self) -> tuple[Any, ...]:
        # What lies in the library stays there; copies and other processes plan again.
        return NativePlan, (self.graph, *self._options)

    def _view(self, name: str) -> NDArray[np.uint8]:
        tensor, slot = self.graph.tensors[name], self.arena.slots[name]
        strides, step = [1], slot.stride
        for size in reversed(tensor.shape[:-1]):
            strides.insert(0, step)
            step *= size
        return np.lib.stride_tricks.as_strided(self.network.arena[slot.offset:], tensor.shape, strides)

    @unless_in_turn
    def write(self, x: Quantized) -> None:
        """Put an input where the network reads it. Raises BadArgument if it does not fit."""
        values = check_network_input(self.graph, x).values
        self._given = x
        if values.dtype == np.int8:
            np.bitwise_xor(values.view(np.uint8), 0x80, out=self._views["input"])
        else:
            self._views["input"][...] = values

    def _read(self, name: str) -> Quantized:
        scheme = self.graph.scheme(name)
        values = np.array(self._views[name])
        if scheme.dtype == "int8":
            values = (values ^ 0x80).view(np.int8)
        return Quantized(values, scheme.scale, scheme.zero_point, backend="native", kernel=self.family)

    @in_turn
    def run(self, x: Quantized | None = None, threads: int = 1) -> Quantized:
        """The result for an input; None: the one before.

        Raises BadArgument for an input that does not fit, or if there was none yet.
        """
        workers = as_int(threads, "threads", 1, 1024)
        given = self._given if x is None else x
        if given is None:
            raise BadArgument(f"{self.graph.name} has no input yet: run(x).")
        self.write(given)       # its place may have been used again
        self.network.run(workers)
        return self._read(self.graph.output)

    @in_turn
    def tensor(self, name: str) -> Quantized:
        """What a tensor held after the last run: any with keep=True, else only the result."""
        if name not in self.graph.tensors:
            raise BadArgument(f"{self.graph.name} has no tensor {name!r}.")
        if not self.keep and name != self.graph.output:
            raise BadArgument(f"the place of {name} was used again; plan with keep=True to look at every tensor.")
        return self._read(name)

    @in_turn
    def profile(self, threads: int = 1, runs: int = 1) -> dict[str, float]:
        """Least seconds of every node over some runs, measured; joined additions count as part of their product."""
        took = np.min([self.network.profile(threads) for _ in range(max(runs, 1))], axis=0)
        found: dict[str, float] = {node.name: 0.0 for node in self.graph.nodes}
        for owner, nanoseconds in zip(self.owners, took, strict=True):
            found[owner] += float(nanoseconds) * 1e-9
        return found
