"""A float network made one of integers, node by node: what flows have in common, and the hooks for what differs."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from neonsim.common.class_table import ClassTable
from neonsim.errors import BadArgument
from neonsim.nn import ops
from neonsim.nn.graph.data_movement import DataMovement
from neonsim.nn.graph.graph import Graph, Node
from neonsim.nn.graph.passes import simplify
from neonsim.nn.ops.float32 import operators
from neonsim.quant.calibration import Observer, Range, observer_of
from neonsim.quant.scheme import Quantized, Scheme

__all__ = ["Product", "Recipe", "SchemeRecipe", "as_input", "check_float32", "check_flow", "float32_network", "ranges"]

Product = operators.Float32Conv2d | operators.Float32FullyConnected


def check_flow(flow: str, flows: Collection[str]) -> None:
    """Raises BadArgument for a flow that is none of these."""
    if flow not in flows:
        raise BadArgument(f"flow must be {', '.join(map(repr, flows))}; got {flow!r}.")


def check_float32(graph: Graph) -> None:
    """Raises BadArgument for what is no graph, and one in which there is something else than floats."""
    if not isinstance(graph, Graph):
        raise BadArgument(f"a flow takes a Graph of float32; got {type(graph).__name__}.")
    for name, tensor in graph.tensors.items():
        if tensor.dtype != "float32":
            raise BadArgument(f"{graph.name} is not a network of floating-point values: its {name!r} is {tensor.type}.")


def float32_network(graph: Graph, flow: str, flows: Collection[str]) -> Graph:
    """What a flow begins with: batch normalisations folded, limits fused.

    Raises BadArgument for a flow that is none of these, and as `check_float32`.
    """
    check_flow(flow, flows)
    simple = simplify(graph)
    check_float32(simple)
    return simple


def ranges(graph: Graph, calibration: Iterable[Any], method: str = "minmax") -> dict[str, Range]:
    """What every tensor of a float graph reaches on some inputs: {tensor: Range}.

    Raises BadArgument as `neonsim.nn.graph.quantize`.
    """
    check_float32(graph)
    inputs = calibration if isinstance(calibration, Sequence) else list(calibration)
    seen = {name: observer_of(method) for name in graph.tensors}
    if not inputs:
        raise BadArgument("there are no calibration inputs: pass some inputs of the network.")
    plan = graph.plan("reference")
    looks: list[Callable[[Observer, Any], None]] = [lambda one, values: one.look(values)]
    if next(iter(seen.values())).looks == 2:
        looks.append(lambda one, values: one.look_again(values))
    for look in looks:
        for x in inputs:
            plan.run(as_input(graph, x))
            for name, observer in seen.items():
                look(observer, plan.tensor(name))
    found = {name: observer.range() for name, observer in seen.items()}
    for name in graph.inputs:
        if found[name] == (0.0, 0.0):
            warnings.warn(f"{graph.name}: every calibration value of {name!r} is 0, so its scale is arbitrary. "
                          f"Calibrate with typical inputs.", RuntimeWarning,
                          stacklevel=2)
    return found


def as_input(graph: Graph, x: Any) -> Any:
    """The only input of a network as float32; several as they are."""
    if len(graph.inputs) != 1:
        return x
    array = np.asarray(x)
    if array.dtype.kind not in "fiu":
        raise BadArgument(f"calibration values must be floating-point values; got {array.dtype}.")
    return np.ascontiguousarray(array, np.float32)


class Recipe(ABC):
    """One graph on its way.

    graph   Graph   of float32, simplified
    flow    str     its name
    """

    def __init__(self, graph: Graph, flow: str) -> None:
        self.graph, self.flow = graph, flow
        self.made = Graph(f"{graph.name} ({flow})")
        self.names: dict[str, str] = {}         # tensors of `graph` as tensors of `made`

    def all(self) -> Graph:
        """Every node."""
        for name in self.graph.inputs:
            self.made.add_input(name, self.graph.tensors[name].shape, dtype="float32")
            self.names[name] = self.enter(name)
        for node in self.graph.nodes:
            try:
                self.place(node)
            except BadArgument as problem:
                raise BadArgument(f"{node.name} of {self.graph.name} ({node.kind}) does not suit flow="
                                  f"{self.flow!r}: {problem}") from None
        return self.made.finish(*map(self.leave, self.graph.outputs))

    @abstractmethod
    def enter(self, name: str) -> str:
        """The tensor in which operators take an input of the network."""

    @abstractmethod
    def leave(self, name: str) -> str:
        """The tensor in which a result of the network is real."""

    @abstractmethod
    def place(self, node: Node) -> None:
        """Adds what an operator becomes."""

    def put(self, node: Node, operator: ops.Operator | DataMovement, *given: str) -> None:
        """Adds a node whose results are those of a node of floats."""
        made = self.made.add_node(node.name, operator, *given)
        self.names |= dict(zip(node.results, self.made.results(made), strict=True))


class SchemeRecipe(Recipe):
    """One in which every tensor is integers by a scheme.

    schemes          {tensor: Scheme}   of all tensors of `graph`
    requantization   str                of products
    """

    form = "integers"       # what it makes, as a message says it
    # Operators of integers for those of floats: of (recipe, operator, node, scheme of input, scheme of result).
    forms: ClassVar[ClassTable[Callable[[Any, Any, Node, Scheme, Scheme], ops.Operator]]] = ClassTable({
        operators.Float32Conv2d: lambda of, one, node, x, out: ops.Conv2d(
            x, stride=one.stride, padding=one.padding, dilation=one.dilation, groups=one.groups,
            **of.weighted(one, x, out)),
        operators.Float32FullyConnected: lambda of, one, node, x, out: ops.FullyConnected(
            x, **of.weighted(one, x, out)),
        operators.Float32MaxPool2d: lambda of, one, node, x, out: ops.MaxPool2d(
            x, pool=one.pool, stride=one.stride, padding=one.padding, dilation=one.dilation, **of.cut(one, out)),
    })
    # How nodes are placed that are no operator for one.
    places: ClassVar[ClassTable[Callable[[Any, Any, Node], None]]] = ClassTable({
        DataMovement: lambda of, one, node: of.put(
            node, one.quantized(of.schemes[node.results[0]]), *(of.names[name] for name in node.inputs)),
    })

    def __init__(self, graph: Graph, flow: str, schemes: Mapping[str, Scheme], requantization: str) -> None:
        super().__init__(graph, flow)
        self.schemes, self.requantization = schemes, requantization

    @abstractmethod
    def entry(self, out: Scheme) -> ops.Operator:
        """Quantises an input of the network."""

    @abstractmethod
    def weights(self, one: Product, x: Scheme, out: Scheme) -> Quantized:
        """Of a product, for its input and its result."""

    @abstractmethod
    def bias(self, one: Product, x: Scheme, w: Quantized) -> NDArray[Any]:
        """Of a product, in steps of its sums."""

    @abstractmethod
    def cut(self, one: operators.Float32Operator, out: Scheme) -> dict[str, Any]:
        """Limits of an operator as integers of its result: output_min, output_max."""

    def enter(self, name: str) -> str:
        """Quantized."""
        return self.made.add_node(f"{name} (quantised)", self.entry(self.schemes[name]), name)

    def leave(self, name: str) -> str:
        """Dequantized."""
        return self.made.add_node(f"{name} (real)", ops.Dequantize(self.schemes[name]), self.names[name])

    def place(self, node: Node) -> None:
        """One operator for one, where the table of places does not say how."""
        place = self.places.find(node.operator) or type(self).place_one
        place(self, node.operator, node)

    def place_one(self, one: Any, node: Node) -> None:
        """One operator for one."""
        made = self.operator(one, node, self.schemes[node.inputs[0]], self.schemes[node.results[0]])
        self.put(node, made, *(self.names[name] for name in node.inputs))

    def operator(self, one: Any, node: Node, x: Scheme, out: Scheme) -> ops.Operator:
        """The operator of integers for one of floats, by the schemes of its first input and its result.

        Raises BadArgument where there is none.
        """
        make = self.forms.find(one)
        if make is None:
            raise BadArgument(f"{one.kind} has no form in {self.form}.")
        return make(self, one, node, x, out)

    def weighted(self, one: Product, x: Scheme, out: Scheme) -> dict[str, Any]:
        """Weights, bias and limits of a product."""
        w = self.weights(one, x, out)
        return {"w": w, "bias": self.bias(one, x, w), "out": out, "requantization": self.requantization,
                **self.cut(one, out)}
