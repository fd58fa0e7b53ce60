"""A network: tensors, and operators between them, in the order in which they run.

    graph = Graph("pair", (1, 8, 8, 16), Scheme(0.1, 128))
    y = graph.add_node("conv", Conv2d(graph.scheme("input"), w, bias, out=...), "input")
    graph.finish(y)

A graph holds operators of `neonsim.ops` with everything settled, weights included; it computes nothing. `graph.plan`
prepares it for a backend, see `neonsim.graph.execute`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from neonsim.errors import BadArgument
from neonsim.integers import as_int
from neonsim.ops import Conv2d, Deconv2d, FullyConnected, Operator
from neonsim.quant.scheme import Scheme

if TYPE_CHECKING:
    from neonsim.graph.execute import Runnable

__all__ = ["Concat", "Graph", "Node", "Tensor"]

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Tensor:
    """A value that flows through a graph.

    name     str
    shape    (int, ...)   images are NHWC
    scheme   Scheme
    """

    name: str
    shape: Shape
    scheme: Scheme

    @property
    def nbytes(self) -> int:
        """One byte an element."""
        return int(np.prod(self.shape, dtype=np.int64))


@dataclass(frozen=True, eq=False)
class Concat:
    """The channels of several tensors of one scheme, next to each other. No arithmetic: bytes are laid side by side."""

    scheme: Scheme
    kind = "concatenation"

    def output_shape(self, *shapes: Shape) -> Shape:
        """Shapes that differ in their channels only -> their channels in a row."""
        if len({s[:-1] for s in shapes}) != 1:
            raise BadArgument(f"only channels may differ between the inputs of a concatenation; got "
                              f"{', '.join(str(list(s)) for s in shapes)}.")
        return (*shapes[0][:-1], sum(s[-1] for s in shapes))

    @property
    def out(self) -> Scheme:
        """That of all inputs."""
        return self.scheme


@dataclass(frozen=True, eq=False)
class Node:
    """One operator of a graph; its result carries the node's name.

    name       str
    operator   Operator or Concat
    inputs     (str, ...)   names of tensors
    """

    name: str
    operator: Operator | Concat
    inputs: tuple[str, ...]

    @property
    def kind(self) -> str:
        """What it does, in a word or two: depthwise and pointwise convolutions are told apart."""
        one = self.operator
        if isinstance(one, Conv2d):
            window = "x".join(map(str, one.window))
            if one.groups > 1:
                return f"depthwise {window}" if one.depth == 1 and one.outputs == one.groups else f"grouped {window}"
            return f"conv {window}"
        return one.kind


class Graph:
    """Tensors and nodes; nodes are added in an order in which they can run.

    name     str
    shape    (int, ...)   of the input
    scheme   Scheme       of the input

    Raises BadArgument for sizes below 1.
    """

    def __init__(self, name: str, shape: Sequence[int], scheme: Scheme) -> None:
        self.name = name
        sizes = tuple(as_int(size, f"size {axis} of the input's shape", 1, 1 << 31) for axis, size in enumerate(shape))
        self.tensors: dict[str, Tensor] = {"input": Tensor("input", sizes, scheme)}
        self.nodes: list[Node] = []
        self._output: str | None = None

    def add_node(self, name: str, operator: Operator | Concat, *inputs: str) -> str:
        """Append a node; returns the name of its result.

        Raises BadArgument for a name that exists, inputs that do not, and operands that do not fit.
        """
        if name in self.tensors:
            raise BadArgument(f"{self.name} has a tensor {name!r} already.")
        for one in inputs:
            if one not in self.tensors:
                raise BadArgument(f"{name} reads {one!r}, which {self.name} does not have (yet).")
        given = [self.tensors[one] for one in inputs]
        wanted = (operator.scheme,) * len(given) if isinstance(operator, Concat) else operator.schemes
        if len(wanted) != len(given):
            raise BadArgument(f"{name} ({operator.kind}) takes {len(wanted)} inputs; got {len(given)}.")
        for tensor, scheme in zip(given, wanted, strict=True):
            if tensor.scheme != scheme:
                raise BadArgument(f"{name} was made for {scheme}; {tensor.name} has {tensor.scheme}.")
        shape = operator.output_shape(*(t.shape for t in given))
        self.tensors[name] = Tensor(name, shape, operator.out)
        self.nodes.append(Node(name, operator, inputs))
        return name

    def finish(self, output: str) -> Graph:
        """Say which tensor is the result; returns the graph."""
        if output not in self.tensors:
            raise BadArgument(f"{self.name} has no tensor {output!r}.")
        self._output = output
        return self

    @property
    def output(self) -> str:
        """Name of the result; by itself the last node's."""
        if self._output is not None:
            return self._output
        if not self.nodes:
            raise BadArgument(f"{self.name} has no nodes: nothing is computed.")
        return self.nodes[-1].name

    def scheme(self, tensor: str) -> Scheme:
        """The scheme of a tensor."""
        return self.tensors[tensor].scheme

    def node(self, name: str) -> Node:
        """The node of that name. Raises BadArgument, with some names, if there is none."""
        for one in self.nodes:
            if one.name == name:
                return one
        some = ", ".join(n.name for n in self.nodes[:8])
        raise BadArgument(f"{self.name} has no node {name!r}; it has {some} ...")

    # ---- counting
    def macs_of(self, node: Node) -> int:
        """Multiply-accumulates of one node; only convolutions and fully connected layers have any."""
        one, out = node.operator, self.tensors[node.name]
        if isinstance(one, Conv2d):
            return out.nbytes * one.window[0] * one.window[1] * one.depth
        if isinstance(one, Deconv2d):
            x = self.tensors[node.inputs[0]]
            return x.nbytes * one.window[0] * one.window[1] * one.per_group
        if isinstance(one, FullyConnected):
            return out.nbytes * int(one.w.shape[1])
        return 0

    @property
    def macs(self) -> int:
        """Multiply-accumulates of all nodes, padding counted."""
        return sum(self.macs_of(n) for n in self.nodes)

    @property
    def weight_bytes(self) -> int:
        """Bytes of all weights, unpacked, without biases."""
        return sum(int(n.operator.w.values.size) for n in self.nodes
                   if isinstance(n.operator, Conv2d | Deconv2d | FullyConnected))

    # ---- running
    def plan(self, backend: str | None = None, **options: object) -> Runnable:
        """Prepare for a backend: see `neonsim.graph.execute.plan`."""
        from neonsim.graph.execute import plan
        return plan(self, backend, **options)  # type: ignore[arg-type]

    def __iter__(self) -> Iterator[Node]:
        return iter(self.nodes)

    def __repr__(self) -> str:
        return f"<Graph {self.name}: {len(self.nodes)} nodes, {self.macs} MACs>"
