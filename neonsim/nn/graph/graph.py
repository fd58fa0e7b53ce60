"""A network: tensors, and operators between them, in the order in which they run.

    graph = Graph("pair", (1, 8, 8, 16), Scheme(0.1, 128))
    y = graph.add_node("conv", Conv2d(graph.scheme("input"), w, bias, out=...), "input")
    graph.finish(y)

    graph = Graph("two")                                several inputs and results, of any type
    image = graph.add_input("image", (1, 8, 8, 16), Scheme(0.1, 128))
    state = graph.add_input("state", (1, 20), dtype="float32")
    ...
    graph.finish(answer, next_state)

A graph holds operators of `neonsim.nn.ops` with everything settled, weights included, and moves
(`neonsim.nn.graph.data_movement`); it computes nothing. `graph.plan` prepares it for a backend, see
`neonsim.nn.graph.plan.run`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from neonsim.common.integers import as_int
from neonsim.common.limits import MAX_AXES
from neonsim.common.memory_limit import within
from neonsim.errors import BadArgument
from neonsim.nn.graph.data_movement import DataMovement
from neonsim.nn.ops import Operator
from neonsim.quant.scheme import Scheme
from neonsim.quant.tensor_type import TensorType

if TYPE_CHECKING:
    from neonsim.nn.graph.plan.run import Runnable

__all__ = ["Graph", "Node", "Tensor"]

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Tensor:
    """A value that flows through a graph.

    name     str
    shape    (int, ...)   images are NHWC
    type     TensorType   of its elements: a type, with a scheme or without
    """

    name: str
    shape: Shape
    type: TensorType

    @property
    def dtype(self) -> str:
        """Type of its elements, as "int8"."""
        return self.type.dtype

    @property
    def scheme(self) -> Scheme | None:
        """By which they stand for floats; None: they are what they are."""
        return self.type.scheme

    @property
    def size(self) -> int:
        """Elements."""
        return math.prod(self.shape)

    @property
    def pixel_bytes(self) -> int:
        """Of the last axis: the channels of one pixel."""
        return self.shape[-1] * self.type.itemsize

    @property
    def nbytes(self) -> int:
        """Of all elements."""
        return self.size * self.type.itemsize

    def __str__(self) -> str:
        return f"{list(self.shape)} of {self.type}"


@dataclass(frozen=True, eq=False)
class Node:
    """One operator of a graph.

    name       str
    operator   Operator or Move
    inputs     (str, ...)   names of tensors
    results    (str, ...)   the same: the node's name; of several "name:0", "name:1" ...
    """

    name: str
    operator: Operator | DataMovement
    inputs: tuple[str, ...]
    results: tuple[str, ...]

    @property
    def kind(self) -> str:
        """What it does, in a word or two: depthwise and pointwise convolutions are told apart."""
        return self.operator.form


class Graph:
    """Tensors and nodes; nodes are added in an order in which they can run.

    name     str
    shape    (int, ...)       of the only input, "input"; without it inputs are added one by one
    scheme   Scheme           of that input
    dtype    str              in place of a scheme

    Raises BadArgument for sizes below 1.
    """

    def __init__(self, name: str, shape: Sequence[int] | None = None, scheme: Scheme | None = None,
                 dtype: str | None = None) -> None:
        self.name = name
        self.tensors: dict[str, Tensor] = {}
        self.nodes: list[Node] = []
        self._inputs: list[str] = []
        self._outputs: tuple[str, ...] = ()
        self._parted: set[str] = set()      # names of nodes that no tensor has: those of several results
        if shape is not None:
            self.add_input("input", shape, scheme, dtype)
        elif scheme is not None or dtype is not None:
            raise BadArgument(f"{name}: the shape of its input is missing; omit scheme and dtype too where inputs are "
                              f"added one by one.")

    def add_input(self, name: str, shape: Sequence[int], scheme: Scheme | None = None,
                  dtype: str | None = None) -> str:
        """One more input; returns its name.

        shape    (int, ...)   1 to MAX_AXES axes
        scheme   Scheme       of 8-bit integers that stand for floats, or
        dtype    str          the type of numbers that are what they are: uint8 int8 int16 int32 float32

        Raises BadArgument for a name that exists, sizes below 1, and neither or both of scheme and dtype.
        """
        self._check_name(name)
        if (scheme is None) == (dtype is None):
            raise BadArgument(f"{name} of {self.name} has a scheme or a dtype: give one of both.")
        type_ = TensorType.from_any(scheme) if scheme is not None else TensorType(str(dtype))
        of = "the input" if name == "input" else name
        sizes = tuple(as_int(size, f"size {axis} of {of}'s shape", 1, 1 << 31) for axis, size in enumerate(shape))
        if not 0 < len(sizes) <= MAX_AXES:
            raise BadArgument(f"{of} of {self.name} has 1 to {MAX_AXES} axes, the last its channels; got "
                              f"{len(sizes)}.")
        self.tensors[name] = Tensor(name, sizes, type_)
        self._inputs.append(name)
        return name

    def _check_name(self, name: str) -> None:
        if not isinstance(name, str) or not name:
            raise BadArgument(f"the name of a tensor must be a str, not empty; got {name!r}.")
        if name in self.tensors or name in self._parted:
            raise BadArgument(f"{self.name} has a tensor {name!r} already.")

    def add_node(self, name: str, operator: Operator | DataMovement, *inputs: str) -> str:
        """Append a node; returns its name, which is its result's. Of several results see `results`.

        Raises BadArgument for a name that exists, inputs that do not, and operands that do not fit.
        """
        self._check_name(name)
        for one in inputs:
            if one not in self.tensors:
                parts = next((f": it has several results, {', '.join(n.results)}" for n in self.nodes
                              if n.name == one), " (yet)")
                raise BadArgument(f"{name} reads {one!r}, which {self.name} does not have{parts}.")
        given = [self.tensors[one] for one in inputs]
        wanted = operator.operand_types(len(given))
        if wanted is None or len(wanted) != len(given):
            count = "one input" if wanted is None or len(wanted) == 1 else f"{len(wanted)} inputs"
            raise BadArgument(f"{name} ({operator.kind}) takes {count}; got {len(given)}.")
        for tensor, type_ in zip(given, wanted, strict=True):
            if tensor.type != type_:
                raise BadArgument(f"{name} was made for {type_}; {tensor.name} has {tensor.type}.")
        made = operator.results(*(tensor.shape for tensor in given))
        names = (name,) if len(made) == 1 else tuple(f"{name}:{i}" for i in range(len(made)))
        for result in names:
            self._check_name(result)
        for result, (shape, type_) in zip(names, made, strict=True):
            self.tensors[result] = Tensor(result, shape, type_)
        self.nodes.append(Node(name, operator, inputs, names))
        self._parted.update({name} - {*names})
        return name

    def results(self, name: str) -> tuple[str, ...]:
        """Names of what a node makes."""
        return self.node(name).results

    def finish(self, *outputs: str) -> Graph:
        """Say which tensors are the results; returns the graph."""
        if not outputs or len(set(outputs)) != len(outputs):
            raise BadArgument(f"the results of {self.name} must be one tensor and more, each once; got "
                              f"{', '.join(map(repr, outputs)) or 'none'}.")
        for output in outputs:
            if output not in self.tensors:
                raise BadArgument(f"{self.name} has no tensor {output!r}.")
        self._outputs = outputs
        return self

    def part(self, *outputs: str) -> Graph:
        """The nodes that some tensors need, as a graph of its own with these results; inputs are all there."""
        found = Graph(self.name)
        found.tensors = {name: self.tensors[name] for name in self._inputs}
        found._inputs = list(self._inputs)
        needed = set(outputs)
        for node in reversed(self.nodes):
            if needed & set(node.results):
                needed.update(node.inputs)
                found.nodes.insert(0, node)
        for node in found.nodes:
            found.tensors |= {name: self.tensors[name] for name in node.results}
        found._parted = {node.name for node in found.nodes} - {*found.tensors}
        return found.finish(*outputs)

    def between(self, nodes: Sequence[Node], outputs: Sequence[str]) -> Graph:
        """Some nodes, in an order in which they can run, as a graph of their own: what they read from outside is given
        to it."""
        made = {name for node in nodes for name in node.results}
        found = Graph(self.name)
        found._inputs = list(dict.fromkeys(name for node in nodes for name in node.inputs if name not in made))
        found.tensors = {name: self.tensors[name] for name in (*found._inputs, *(
            name for node in nodes for name in node.results))}
        found.nodes = list(nodes)
        found._parted = {node.name for node in found.nodes} - {*found.tensors}
        return found.finish(*outputs)

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the inputs, in the order in which they were added."""
        return tuple(self._inputs)

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of the results; by themselves those of the last node."""
        if self._outputs:
            return self._outputs
        if not self.nodes:
            raise BadArgument(f"{self.name} has no nodes: nothing is computed.")
        return self.nodes[-1].results

    @property
    def output(self) -> str:
        """Name of the only result. Raises BadArgument if there are several."""
        if len(self.outputs) > 1:
            raise BadArgument(f"{self.name} has {len(self.outputs)} results: {', '.join(self.outputs)}. Take "
                              "`outputs`.")
        return self.outputs[0]

    def scheme(self, tensor: str) -> Scheme:
        """The scheme of a tensor. Raises BadArgument for one that has none, and for a name that is not there."""
        if tensor not in self.tensors:
            raise BadArgument(f"{self.name} has no tensor {tensor!r}.")
        found = self.tensors[tensor].scheme
        if found is None:
            raise BadArgument(f"{tensor} of {self.name} has {self.tensors[tensor].dtype} as it is, without a scheme.")
        return found

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
        return node.operator.macs(*(self.tensors[name].shape for name in node.inputs))

    @property
    def macs(self) -> int:
        """Multiply-accumulates of all nodes, padding counted."""
        return sum(self.macs_of(n) for n in self.nodes)

    @property
    def weight_bytes(self) -> int:
        """Bytes of all weights, unpacked, without biases."""
        return sum(n.operator.weight_bytes for n in self.nodes)

    # ---- running
    def plan(self, backend: str | Sequence[str] | None = None, **options: object) -> Runnable:
        """Prepare for a backend: see `neonsim.nn.graph.plan.run.plan`."""
        from neonsim.nn.graph.plan.run import plan
        with within(f"A plan of {self.name}"):
            return plan(self, backend, **options)  # type: ignore[arg-type]

    def __iter__(self) -> Iterator[Node]:
        return iter(self.nodes)

    def __repr__(self) -> str:
        return f"<Graph {self.name}: {len(self.nodes)} nodes, {self.macs} MACs>"
