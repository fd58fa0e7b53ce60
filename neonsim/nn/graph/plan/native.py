"""A graph as one network of the C library: every operator becomes a layer, tensors lie in one arena.

int8 tensors are kept with 128 added, so that all kernels read unsigned bytes; zero points and limits move along.
Moves are copies of bytes, of elements of any type, where the planner has not made them unnecessary.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from neonsim.common.integers import as_int
from neonsim.common.locking import Serialized, serialized
from neonsim.common.memory_limit import judge, within
from neonsim.errors import BackendError, BadArgument
from neonsim.nn.backends.native.network import MAX_THREADS, NativeNetwork, NetworkLayer, Transfers, data_pointer
from neonsim.nn.backends.native.structs import TransferRecord
from neonsim.nn.backends.native_layer import ArenaTensor, image_of, layer_fields
from neonsim.nn.graph.data_movement import along
from neonsim.nn.graph.graph import Graph, Node, Tensor
from neonsim.nn.graph.memory.allocator import METHODS as LAYOUTS
from neonsim.nn.graph.memory.allocator import place_blocks
from neonsim.nn.graph.memory.planner import Arena, blocks_of, joins, place, starts
from neonsim.nn.graph.plan.bound import BoundPlan
from neonsim.nn.graph.plan.run import Inputs, arrays_of, one_or_all
from neonsim.nn.graph.select.algorithms import DIRECT, algorithm_names, get_algorithm, product_of
from neonsim.nn.graph.select.int16_report import explain_accumulator_width
from neonsim.nn.graph.select.two_pass import Im2colTwoPass
from neonsim.nn.ops import Operator
from neonsim.quant.tensor_type import Value

if TYPE_CHECKING:
    from neonsim.nn.graph.select.strategy import Strategy

__all__ = ["NativePlan", "layers_of"]

Fields = dict[str, Any]


def _stored(tensor: Tensor, arena: Arena) -> ArenaTensor:
    """A tensor as layers see it."""
    slot, zero_point = arena.slots[tensor.name], 0 if tensor.scheme is None else tensor.scheme.zero_point
    return ArenaTensor(tensor.shape, tensor.pixel_bytes, slot.stride, tensor.dtype, zero_point, slot.offset)


# From a node's name, kind and fields to its layers.
Lowering = Callable[[str, str, Fields], list[NetworkLayer]]


def _one_layer(name: str, kind: str, fields: Fields) -> list[NetworkLayer]:
    return [NetworkLayer.create(kind, **fields)]


def _copied(image: tuple[int, int, int], nbytes: int, source: tuple[int, int], target: tuple[int, int]) -> NetworkLayer:
    """Rows of n bytes copied; source and target: first byte in the arena, bytes from row to row."""
    batch, height, width = image
    sides: Fields = {}
    for prefix, (offset, stride) in (("input", source), ("output", target)):
        sides |= {prefix: offset, f"{prefix}_stride": stride, f"{prefix}_channels": nbytes, f"{prefix}_height": height,
                  f"{prefix}_width": width}
    return NetworkLayer.create("copy", batch=batch, **sides)


def _picked(graph: Graph, node: Node, arena: Arena) -> NetworkLayer:
    """A pick: neither what it reads nor what it makes has anything between its pixels."""
    operator: Any = node.operator
    run, tables = operator.tables()
    numbers = np.concatenate([[run, *(table.size for table in tables)], *tables])
    fills = any((table < 0).any() for table in tables)
    tensor = graph.tensors[node.name]
    if fills and tensor.type.itemsize > 1 and any(np.array(operator.fill, tensor.dtype).tobytes()):
        raise BackendError(f"The native backend does not support {node.name}: what it fills in is {operator.fill} "
                           f"of {tensor.dtype}, not 0; use operators=True.")
    if numbers.max() >= 1 << 31 or len(tables) > _MAX_AXES:
        raise BackendError(f"The native backend does not support {node.name}: {tensor} is too large, or of too many "
                           f"axes, to be picked; use operators=True.")
    sides: Fields = {}
    for prefix, name in (("input", node.inputs[0]), ("output", node.name)):
        one = graph.tensors[name]
        height = int(np.prod(one.shape[:-2], dtype=np.int64))
        sides |= {prefix: arena.slots[name].offset, f"{prefix}_height": height, f"{prefix}_channels": one.pixel_bytes,
                  f"{prefix}_width": one.shape[-2] if len(one.shape) > 1 else 1, f"{prefix}_stride": one.pixel_bytes}
    fill = 0 if tensor.type.itemsize > 1 else (int(operator.fill) & 0xFF) ^ (0x80 if tensor.dtype == "int8" else 0)
    return NetworkLayer.create("gather", bias=numbers.astype(np.int32), scales=numbers.size, groups=len(tables),
                               input_zero_point=fill, **sides)


_MAX_AXES = 8      # of a layer that picks


def _moves(graph: Graph, node: Node, arena: Arena) -> list[NetworkLayer]:
    """The copies that a move needs: of what does not lie in its place already."""
    operator: Any = node.operator
    if operator.layout == "constant":
        return []       # it lies there from the beginning
    if operator.layout == "gather":
        return [_picked(graph, node, arena)]
    if operator.layout == "view":
        x, slot, there = graph.tensors[node.inputs[0]], arena.slots[node.inputs[0]], arena.slots[node.name]
        rows = image_of(x.shape)
        return [] if slot.offset == there.offset else [
            _copied(rows, x.pixel_bytes, (slot.offset, slot.stride), (there.offset, x.pixel_bytes))]
    cuts = operator.layout == "split"
    names = node.results if cuts else node.inputs
    whole = graph.tensors[node.inputs[0] if cuts else node.results[0]]
    home = arena.slots[whole.name]
    at = along(operator.axis, whole.shape)
    outer, inner = (int(np.prod(part, dtype=np.int64)) for part in (whole.shape[:at], whole.shape[at + 1:-1]))
    layers = []
    for name, start in zip(names, starts(graph, node), strict=True):
        part, slot = graph.tensors[name], arena.slots[name]
        if at == len(whole.shape) - 1:          # channels of every pixel
            begin, image, nbytes = start * part.type.itemsize, image_of(part.shape), part.pixel_bytes
            strides = slot.stride, home.stride
        elif outer == 1:                        # pixels next to each other
            begin, image, nbytes = start * inner * home.stride, (1, 1, part.shape[at] * inner), part.pixel_bytes
            strides = slot.stride, home.stride
        else:                                   # rows of pixels without gaps
            pixels = inner * part.pixel_bytes
            begin, image, nbytes = start * pixels, (1, 1, outer), part.shape[at] * pixels
            strides = nbytes, whole.shape[at] * pixels
        ends = (slot.offset, strides[0]), (home.offset + begin, strides[1])
        if cuts or ends[0] != ends[1]:
            layers.append(_copied(image, nbytes, *(reversed(ends) if cuts else ends)))
    return layers


def _node_layers(graph: Graph, node: Node, arena: Arena, lowering: Lowering, joined: bool) -> list[NetworkLayer]:
    operator: Any = node.operator
    if operator.moves:
        return _moves(graph, node, arena)
    out, inputs = graph.tensors[node.name], [graph.tensors[name] for name in node.inputs]
    try:
        kind, fields = _layer(operator, inputs, out, arena)
    except BackendError as problem:
        said = str(problem).rstrip(".")
        raise BackendError(f"The native backend does not support {node.name}: {said}.") from None
    if kind == "add":
        fields["fuse_with_previous"] = int(joined)
    return lowering(node.name, kind, fields)


def _layer(operator: Operator, inputs: list[Tensor], out: Tensor, arena: Arena) -> tuple[str, Fields]:
    """Kind and fields of an operator's layer, with what the operator does not know."""
    made = operator.network_layer(*(tensor.shape for tensor in inputs))
    return made.kind, layer_fields(made, [_stored(tensor, arena) for tensor in inputs], _stored(out, arena))


def layers_of(graph: Graph, arena: Arena, lowering: Lowering = _one_layer,
              joined: Container[str] = ()) -> tuple[list[NetworkLayer], list[str]]:
    """The layers of a graph, and for each the node that it belongs to.

    joined     additions that are done with the product before them
    lowering   what layers a node becomes, from its name, kind and fields; by itself the one that does it all

    Raises BackendError for an operator that the C library does not run in networks.
    """
    layers: list[NetworkLayer] = []
    owners: list[str] = []
    for node in graph.nodes:
        made = _node_layers(graph, node, arena, lowering, node.name in joined)
        layers += made
        owners += [node.name] * len(made)
    return layers, owners


class _Chosen:
    """Lowers every node in the way that was chosen for it.

    Raises BadArgument for a node that is no product, and a way that it cannot go.
    """

    def __init__(self, graph: Graph, choices: Mapping[str, str]) -> None:
        self.scratch: dict[str, int] = {}
        self._ways = {name: way for name, way in choices.items() if way != DIRECT}
        for name, way in choices.items():
            product = product_of(graph, graph.node(name))
            if product is None:
                raise BadArgument(f"{name} of {graph.name} is not a product, so it has only one algorithm.")
            if way not in algorithm_names():
                raise BadArgument(f"algorithms of products are {', '.join(algorithm_names())}; got {way!r} for {name}.")
            if refusal := get_algorithm(way).refusal(product):
                raise BadArgument(f"{name} of {graph.name} cannot use {way}: {refusal}.")
            if nbytes := get_algorithm(way).scratch(product):
                self.scratch[name] = nbytes

    def with_places(self, places: Mapping[str, int]) -> Lowering:
        """With the places of what ways need for themselves."""
        def lower(name: str, kind: str, fields: Fields) -> list[NetworkLayer]:
            return get_algorithm(self._ways.get(name, DIRECT)).layers(kind, fields, places.get(name, 0))
        return lower


# Work of a thread that is worth waking it, which takes some 3 us of the caller's time: multiply-accumulates, and eight
# for a byte of a tensor. The scalar kernels take eight times as long over them.
WORTH_A_THREAD, WORTH_A_SCALAR_THREAD = 1 << 20, 1 << 17


def _most_threads(graph: Graph, family: str) -> int:
    """How many threads a run of a graph can use."""
    work = graph.macs + 8 * sum(graph.tensors[name].nbytes for node in graph.nodes for name in node.results)
    return max(work // (WORTH_A_SCALAR_THREAD if family == "scalar" else WORTH_A_THREAD), 1)


class NativePlan(Serialized):
    """A graph ready to run in the C library; may be used from any thread, one at a time.

    graph    Graph
    arena    Arena           where tensors lie
    network  NativeNetwork
    owners   list[str]       the node of every layer

    most_threads   int       runs take no more, however many they are given: others are not woken for a few microseconds

    joined   {str: str}      additions that are done with the product before them, and that
    moved    {str: (int, int)}   of each node in two passes: bytes of copied windows, bytes of sums

    two_passes   bool   the old way, to measure against: see `neonsim.nn.graph.select.two_pass`
    choices      {node: way}   of `neonsim.nn.graph.select.algorithms`, for products; others go directly
    strategy     Strategy      its choices, in place of `choices`; `explain` tells them
    """

    backend = "native"
    refusals: tuple[str, ...] = ()

    def __init__(self, graph: Graph, family: str | None = None, keep: bool = False, two_passes: bool = False,
                 choices: Mapping[str, str] | None = None, strategy: Strategy | None = None) -> None:
        self.graph, self.keep, self.strategy = graph, keep, strategy
        self._options = family, keep, two_passes, choices, strategy
        self._given: Inputs | None = None
        self.joined = {} if two_passes else joins(graph)
        chosen = _Chosen(graph, choices or {} if strategy is None else strategy.choices)
        self.arena = place(graph, keep, self.joined, chosen.scratch)
        old = Im2colTwoPass(self.arena.nbytes) if two_passes else None
        layers, self.owners = layers_of(graph, self.arena, old or chosen.with_places(self.arena.scratch), self.joined)
        if not layers:
            raise BackendError(f"{graph.name} has nothing to compute, because its results are constants or its inputs.")
        self.moved = {} if old is None else old.moved
        if not graph.nodes:
            raise BadArgument(f"{graph.name} has no nodes: nothing is computed.")
        self._within = within(f"A run of {graph.name}")
        self._made = sum(graph.tensors[name].nbytes for name in graph.outputs)
        self.network = NativeNetwork(layers, self.arena.nbytes if old is None else old.nbytes, family, self.owners)
        self.most_threads = _most_threads(graph, self.network.family)
        self._transfers = self.transfers()
        for node in graph.nodes:
            operator: Any = node.operator
            if operator.layout == "constant":
                self._put(node.name, operator.values)

    @property
    def family(self) -> str:
        """The kernels that run it."""
        return self.network.family

    def __repr__(self) -> str:
        return f"<NativePlan of {self.graph.name}: {len(self.owners)} layers, {self.family}, {self.arena.nbytes} bytes>"

    def __reduce__(self) -> tuple[Any, ...]:
        # What lies in the library stays there; copies and other processes plan again.
        return NativePlan, (self.graph, *self._options)

    def _view(self, name: str) -> NDArray[Any]:
        """A tensor in the arena; int8 as the bytes that are there."""
        tensor, slot = self.graph.tensors[name], self.arena.slots[name]
        strides, step = [1], slot.stride
        for size in reversed(tensor.shape[:-1]):
            strides.insert(0, step)
            step *= size
        found = np.lib.stride_tricks.as_strided(self.network.arena[slot.offset:],
                                                (*tensor.shape[:-1], tensor.pixel_bytes), strides)
        return found if tensor.type.itemsize == 1 else found.view(tensor.dtype)

    def transfers(self, results: Sequence[str] | None = None) -> Transfers:
        """Records of inputs, in the graph's order, and of results, for arrays without gaps; their memory is to be set.

        results   names; None: those of the graph
        """
        def record(name: str) -> TransferRecord:
            tensor, slot = self.graph.tensors[name], self.arena.slots[name]
            return TransferRecord(slot.offset, tensor.size // tensor.shape[-1], tensor.pixel_bytes, slot.stride,
                                  0x80 if tensor.dtype == "int8" else 0, None)
        return Transfers(self.network, [record(name) for name in self.graph.inputs],
                         [record(name) for name in (self.graph.outputs if results is None else results)])

    def _put(self, name: str, values: NDArray[Any]) -> None:
        if values.dtype == np.int8:
            np.bitwise_xor(values.view(np.uint8), 0x80, out=self._view(name))
        else:
            self._view(name)[...] = values

    def _read(self, name: str) -> Value:
        tensor, values = self.graph.tensors[name], np.array(self._view(name))
        if tensor.dtype == "int8":
            values = (values ^ 0x80).view(np.int8)
        return tensor.type.value(values, "native", self.family)

    @serialized
    def run(self, x: Inputs | None = None, threads: int = 1) -> Any:
        """The results for inputs; None: for those before. One value, or a tuple in the order of the graph's outputs.

        Raises BadArgument for an input that does not fit, or if there was none yet.
        """
        workers = as_int(threads, "threads", 1, MAX_THREADS)
        given = self._given if x is None else x
        if given is None:
            raise BadArgument(f"{self.graph.name} has no input yet. Call run(x).")
        tensors = self.graph.tensors
        judge(self._made, self._within.subject)
        with self._within:
            arrays = [np.ascontiguousarray(one) for one in arrays_of(self.graph, given).values()]
            results = [np.empty(tensors[name].shape, tensors[name].dtype) for name in self.graph.outputs]
        self._given = given
        for record, array in zip(self._transfers.records, (*arrays, *results), strict=True):
            record.memory = data_pointer(array).value
        self._transfers.run(min(workers, self.most_threads))
        return one_or_all([tensors[name].type.value(values, "native", self.family)
                           for name, values in zip(self.graph.outputs, results, strict=True)])

    def explain(self) -> str:
        """How it runs; by a strategy also which way each product goes, why, and the memory of it all.

        By kernels that add 16-bit sums where weights prove that they fit (avx2, sse41), or multiply by halves (avx2):
        which products do, and why not.
        """
        count = len(self.graph.nodes)
        said = (f"{self.graph.name}: {count} node{'s' * (count > 1)} in one network of the native backend, "
                f"{self.family}, {len(self.owners)} layers")
        sums = explain_accumulator_width(self.owners,
                                         [self.network.gemm_choice(layer) for layer in range(self.network.layers)])
        said = "\n".join([said, *sums])
        if self.strategy is None:
            return said
        scratch = _Chosen(self.graph, self.strategy.choices).scratch
        blocks = blocks_of(self.graph, self.keep, self.joined, scratch)
        memory = ", ".join(f"{way} {place_blocks(blocks, way).nbytes:,}" for way in LAYOUTS)
        return "\n".join([said, f"memory in bytes (counted): {memory}; alive at most {self.arena.peak:,}",
                          self.strategy.explain()])

    def bind(self, inputs: Any, outputs: Any = None) -> BoundPlan:
        """This network between arrays of the caller's: `bound.run()` reads and writes them, see `BoundPlan`."""
        return BoundPlan(self, inputs, outputs)

    @serialized
    def tensor(self, name: str) -> Any:
        """What a tensor held after the last run: any with keep=True, else only results."""
        if name not in self.graph.tensors:
            raise BadArgument(f"{self.graph.name} has no tensor {name!r}.")
        if not self.keep and name not in self.graph.outputs:
            raise BadArgument(f"the place of {name} was used again; plan with keep=True to look at every tensor.")
        return self._read(name)

    @serialized
    def profile(self, threads: int = 1, runs: int = 1) -> dict[str, float]:
        """Least seconds of every node over some runs, measured; joined additions count as part of their product."""
        took = np.min([self.network.profile(threads) for _ in range(max(runs, 1))], axis=0)
        found: dict[str, float] = {node.name: 0.0 for node in self.graph.nodes}
        for owner, nanoseconds in zip(self.owners, took, strict=True):
            found[owner] += float(nanoseconds) * 1e-9
        return found

    @serialized
    def waiting(self, threads: int = 2, runs: int = 1) -> dict[str, float]:
        """Share of the threads' time that they wait for each other at the end of every node, 0 to 1: measured.

        Of the quickest of some runs: what the way tasks are shared costs, not what other programs do.
        """
        least, found = float("inf"), dict.fromkeys((node.name for node in self.graph.nodes), 0.0)
        for _ in range(as_int(runs, "runs", 1)):
            took, idle = self.network.waits(threads)
            if (whole := float(took.sum())) >= least:
                continue
            least, times, waits = whole, dict.fromkeys(found, 0.0), dict.fromkeys(found, 0.0)
            for owner, one, each in zip(self.owners, took, idle, strict=True):
                times[owner] += float(one) * idle.shape[1]
                waits[owner] += float(each.sum())
            found = {name: waits[name] / times[name] if times[name] else 0.0 for name in found}
        return found
