"""What the functions of all kinds of nodes use: the graph as it grows, the node's inputs and results in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.common.limits import MAX_MODEL_BYTES
from neonsim.errors import BackendError, BadArgument, ModelError
from neonsim.nn import ops
from neonsim.nn.formats.ir import IRNode, ModelIR, StoredTensor
from neonsim.nn.formats.lowering.xnnpack_delegate import refusal
from neonsim.nn.graph import Constant, DataMovement, Graph, Reshape
from neonsim.nn.graph.data_movement import Relabel
from neonsim.quant.requant.runtimes import ARITHMETICS, RuntimeArithmetic
from neonsim.quant.scheme import Quantized, Scheme
from neonsim.quant.tensor_type import DTYPES, TensorType, elements
from neonsim.ukernel.packing.im2col import same_padding

__all__ = ["ACTIVATION_LIMITS", "Cannot", "Kind", "LoweredNode", "Lowering", "Pair", "UnsupportedNode", "VariableState",
           "float_limits_of", "image_of", "in_rows", "in_words", "limits_of", "padding_of", "pair", "same_padding"]

Pair = tuple[int, int]


@dataclass(frozen=True)
class UnsupportedNode:
    """A node that is not in the graph.

    entry   the node
    reason  a sentence
    """

    entry: IRNode
    reason: str


@dataclass(frozen=True, eq=False)
class VariableState:
    """A variable that a run reads, and leaves for the next one.

    input     str            the graph's input that it is read from
    next      str            the tensor that it is afterwards; the input itself where nothing writes it
    initial   array [...]    what it is at first
    """

    input: str
    next: str
    initial: NDArray[Any]


@dataclass(frozen=True, eq=False)
class LoweredNode:
    """What a record has become.

    graph      Graph                  not finished: its results are chosen when it is run
    tensors    {number: name}         of tensors of the file: where they are in the graph
    nodes      {place: (name, ...)}   of nodes of the file: what they are in the graph; () where nothing is left to do
    refusals   {place: Refusal}
    states     {name: State}          of variables: inputs of the graph beside the file's
    delegate_reasons  {place: why}           nodes that the runtime's delegate leaves to its own kernels; they have
                                             those rules
    """

    graph: Graph
    tensors: dict[int, str]
    nodes: dict[int, tuple[str, ...]]
    refusals: dict[int, UnsupportedNode]
    states: dict[str, VariableState]
    delegate_reasons: dict[int, str]


# Of two schemes these take the integers as they are, in the runtime's own kernels.
_AS_THEY_ARE = ("average_pool", "broadcast", "depth_to_space", "gather", "max_pool", "pad", "reshape", "resize_nearest",
                "slice", "space_to_depth", "split", "split_sizes", "strided_slice", "tile", "transpose")
_SMALL = 1 << 12        # elements of a tensor that is worked out while a file is read


class Cannot(Exception):
    """Why a node has no place in the graph."""


class Lowering:
    """One record on its way."""

    def __init__(self, record: ModelIR, rules: RuntimeArithmetic, kinds: Mapping[str, Kind],
                 reals: Mapping[str, Kind]) -> None:
        self.record, self.rules, self.kinds, self.reals = record, rules, kinds, reals
        self.tensors = [tensor.in_graph for tensor in record.tensors]
        self.said = {tensor.name for tensor in record.tensors}
        self.graph = Graph(record.name)
        self.names: dict[int, str] = {}
        self.made: list[str] = []
        self.room = 2 * MAX_MODEL_BYTES       # bytes that operators may yet hold: many nodes may name one constant
        # What is known of tensors of the graph before any run: constants, and small ones that are moved only.
        self.values: dict[str, NDArray[Any]] = {}
        # Variables: which a tensor stands for, the tensor that each is by now, those that a run begins with.
        self.variables: dict[int, str] = {}
        self.current: dict[str, str] = {}
        self.states: dict[str, VariableState] = {}
        self.left: dict[int, str] = {}

    def all(self) -> LoweredNode:
        """Every node in order."""
        for number in self.record.inputs:
            tensor = self.tensors[number]
            if tensor.dtype not in DTYPES or (tensor.scale is not None and tensor.dtype in ("uint8", "int8")
                                              and tensor.scheme is None):
                scales = 0 if tensor.scale is None else tensor.scale.size
                raise ModelError(f"{self.record.name}: its input {tensor.name!r} is {tensor}"
                                 + (f"; supported: {', '.join(DTYPES)}." if tensor.dtype not in DTYPES else
                                    f" with {scales} scales; supported: one."))
            self.names[number] = self.graph.add_input(tensor.name, tensor.shape or (1,), tensor.scheme,
                                                      None if tensor.scheme else tensor.dtype)
        nodes, refusals = {}, {}
        for entry in self.record.nodes:
            self.made = []
            try:
                self._by_whom(entry)
            except (Cannot, BadArgument, BackendError) as problem:
                refusals[entry.place] = UnsupportedNode(entry, f"node {entry.place}, {entry.word}: {problem}")
                # What it has made by then is undefined: nodes that need it are left out, too.
                for number in entry.outputs:
                    self.names.pop(number, None)
            else:
                nodes[entry.place] = tuple(self.made)
        states = {name: replace(state, next=self.current[name]) for name, state in self.states.items()}
        return LoweredNode(self.graph, self.names, nodes, refusals, states, self.left)

    def _by_whom(self, entry: IRNode) -> None:
        """A node by the rules of the runtime's delegate, or of its own kernels where that leaves it to them."""
        rules = self.rules
        why = refusal(self.record, entry) if rules.fallback is not None else ""
        if rules.fallback is not None and why:
            self.rules = ARITHMETICS[rules.fallback]
        try:
            self._node(entry)
        finally:
            self.rules = rules
        if why:
            self.left[entry.place] = why

    def _node(self, entry: IRNode) -> None:
        for number in entry.inputs:
            if number is None or number in self.names or number in self.variables:
                continue
            if self.tensors[number].data is None:
                raise Cannot(f"it needs {self.tensors[number].name!r}, which is not computed.")
        # On floats most kinds are other operators; those that only move elements are not.
        kinds = self.reals if entry.kind in self.reals and self._is_real(entry) else self.kinds
        if entry.kind not in kinds:
            raise Cannot(entry.attributes.get("why", "this operator is not supported."))
        if kinds is self.reals and self.rules.name not in ("xnnpack", "onnxruntime"):
            raise Cannot(f"arithmetic {self.rules.name!r} is for integers only; use 'xnnpack' for floating-point "
                         f"values.")
        kinds[entry.kind](self, entry)
        for number in (one for one in entry.outputs if one not in self.variables):
            said = self.tensors[number]
            if (entry.kind in _AS_THEY_ARE and self.rules.wide) or (entry.kind == "reduce_max" and self.rules.fallback):
                self.names[number] = self.relabeled(said.name, self.names[number], self.type_of(said))
            made = self.graph.tensors[self.names[number]]
            if made.shape != (said.shape or (1,)) or made.type != self.type_of(said):
                raise Cannot(f"its result would be {list(made.shape)} of {in_words(made.type)}; the file says "
                             f"{list(said.shape)} of {in_words(self.type_of(said))}.")

    def relabeled(self, what: str, name: str, type_: TensorType) -> str:
        """A tensor whose integers are taken as those of another scheme of their type; itself where that is its own."""
        tensor = self.graph.tensors[name]
        if tensor.type == type_ or tensor.type.dtype != type_.dtype:
            return name
        return self._added(self.graph.add_node(f"{what} (as they are)", Relabel(type_, tensor.shape, tensor.type),
                                               name))

    def _is_real(self, entry: IRNode) -> bool:
        return all(self.tensors[number].dtype == "float32"
                   for number in (*entry.inputs[:1], *entry.outputs) if number is not None)

    # ---- of a node
    def stored(self, entry: IRNode, which: int) -> StoredTensor:
        """An input of the file, as it lies in the graph."""
        number = entry.inputs[which] if which < len(entry.inputs) else None
        if number is None:
            raise Cannot(f"its input {which} is missing.")
        return self.tensors[number]

    def constant(self, entry: IRNode, which: int, what: str) -> NDArray[Any]:
        """An input that must be known."""
        found, number = self.stored(entry, which), entry.inputs[which]
        data = found.data if number is None or number not in self.names else self.values.get(self.names[number])
        if data is None:
            raise Cannot(f"its {what} must be constant; {found.name!r} is computed.")
        return data.reshape(found.shape)

    def constant_integers(self, entry: IRNode, which: int, what: str) -> list[int]:
        """The elements of an input that must be constant integers."""
        found = self.constant(entry, which, what)
        if found.dtype.kind not in "iu":
            raise Cannot(f"its {what} must be integers; {self.stored(entry, which).name!r} is {found.dtype}.")
        return [int(one) for one in found.reshape(-1)]

    def constant_integer(self, entry: IRNode, which: int, what: str, least: int, most: int) -> int:
        """The same, of one."""
        found = self.constant_integers(entry, which, what)
        if len(found) != 1 or not least <= found[0] <= most:
            raise Cannot(f"its {what} is {found}; supported: one number of {least} to {most}.")
        return found[0]

    def result(self, entry: IRNode) -> StoredTensor:
        """Its first result."""
        if not entry.outputs:
            raise Cannot("it has no result.")
        return self.tensors[entry.outputs[0]]

    def type_of(self, tensor: StoredTensor) -> TensorType:
        if tensor.dtype not in DTYPES:
            raise Cannot(f"{tensor.name!r} is {tensor.dtype}; it must be one of {', '.join(DTYPES)}.")
        if tensor.dtype in ("uint8", "int8") and tensor.scale is not None:
            return TensorType.from_any(self.scheme(tensor))
        if tensor.dtype == "int16" and tensor.scheme is not None:
            return TensorType.from_any(self.scheme(tensor, wide=True))
        return TensorType(tensor.dtype)

    def scheme(self, tensor: StoredTensor, wide: bool = False) -> Scheme:
        """Of a tensor that must have one, of a type that the runtime takes; wide: of 16 bits, too, if it has those."""
        if tensor.scheme is None:
            raise Cannot(f"{tensor.name!r} is {tensor}, not 8-bit integers with one scale.")
        if tensor.scheme.dtype == "int16" and self.rules.int16x8:
            if wide:
                return tensor.scheme
            raise Cannot(f"{tensor.name!r} is {tensor}; for 16 bits only convolutions, data movement, quantize and "
                         f"dequantize are supported.")
        if tensor.scheme.dtype not in self.rules.types:
            raise Cannot(f"{tensor.name!r} is {tensor}; arithmetic {self.rules.name!r} is of "
                         f"{' and '.join(self.rules.types)}.")
        return tensor.scheme

    def no_operator(self, what: str) -> Cannot:
        """For `raise`: of what the runtime has none."""
        return Cannot(f"arithmetic {self.rules.name!r} has no {what}.")

    def name(self, entry: IRNode, which: int) -> str:
        """An input in the graph."""
        stored, number = self.stored(entry, which), entry.inputs[which]
        assert number is not None
        if number not in self.names:
            if stored.data is None:
                raise Cannot(f"its input {which}, {stored.name!r}, is not computed.")
            values = stored.data.reshape(stored.shape or (1,))
            self.names[number] = self.known(stored.name, self.type_of(stored), values)
        return self.names[number]

    def known(self, name: str, type_: TensorType, values: NDArray[Any]) -> str:
        """A node that is a constant; its name."""
        return self._added(self.graph.add_node(name, Constant(type_, values)))

    def _added(self, name: str) -> str:
        """A node that was just added: what it gives, if it is known, and no more than what shapes need."""
        node = self.graph.nodes[-1]
        self.made.append(name)
        self.room -= _held(node.operator)
        if self.room < 0:
            raise Cannot(f"its constants and those of nodes before it take more than {2 * MAX_MODEL_BYTES:,} bytes.")
        operator: Any = node.operator
        if operator.layout == "constant":
            self.values[name] = operator.values
        elif (operator.moves and len(node.results) == 1 and self.graph.tensors[name].size <= _SMALL
              and all(one in self.values for one in node.inputs)):
            self.values[name], = operator.reference(*(self.values[one] for one in node.inputs))
        return name

    def add(self, entry: IRNode, operator: ops.Operator | DataMovement, *inputs: str) -> None:
        """A node that makes the result of an entry."""
        self.names[entry.outputs[0]] = self._added(self.graph.add_node(self.result(entry).name, operator, *inputs))

    def between(self, entry: IRNode, what: str, operator: ops.Operator | DataMovement, *inputs: str) -> str:
        """A node on the way to it."""
        return self._added(self.graph.add_node(self.free(f"{self.result(entry).name} ({what})"), operator, *inputs))

    def free(self, name: str, results: int = 0) -> str:
        """A name for a node that the file does not have: this one, or like it. results: of several results."""
        while any(one in self.said or one in self.graph.tensors for one in (
                name, *(f"{name}:{i}" for i in range(results)))):
            name += "'"
        return name

    def add_state(self, variable: str, tensor: StoredTensor, type_: TensorType, initial: NDArray[Any]) -> str:
        """One more input of the graph: what a variable holds before the run."""
        name = self.graph.add_input(tensor.name, tensor.shape or (1,), type_.scheme,
                                    None if type_.scheme else type_.dtype)
        self.states[variable] = VariableState(name, name, initial)
        return name

    def shaped(self, entry: IRNode, what: str, name: str, shape: Sequence[int]) -> str:
        """A tensor in another shape, itself if it has that shape."""
        tensor = self.graph.tensors[name]
        if tensor.shape == tuple(shape):
            return name
        return self.between(entry, what, Reshape(tensor.type, shape), name)

    def limits(self, entry: IRNode) -> dict[str, Any]:
        """Of the activation that is part of a node: in integers of the result, ties away from zero."""
        return limits_of(entry.attributes.get("activation", "none"), self.scheme(self.result(entry)))


def _held(operator: ops.Operator | DataMovement) -> int:
    """Bytes of weights, tables and indices."""
    parts = (*vars(operator).values(), *getattr(operator, "picks", {}).values())
    return sum(elements(one).nbytes for one in parts if isinstance(one, np.ndarray | Quantized))


def in_words(operand_type: TensorType | Scheme) -> str:
    """For sentences.

    >>> in_words(Scheme(0.5, 3)), in_words(TensorType("float32"))
    ('uint8 (scale 0.5, zero point 3)', 'float32')
    """
    type_ = TensorType.from_any(operand_type)
    if type_.scheme is None:
        return type_.dtype
    return f"{type_.dtype} (scale {float(type_.scheme.scale):.9g}, zero point {type_.scheme.zero_point})"


def no_change_reason(x: Scheme, out: Scheme) -> str:
    """Why LiteRT does not change one into the other, int16 being one of them, in words that follow a name; "" if it
    does.

    >>> no_change_reason(Scheme(0.5, 0, "int16"), Scheme(0.5))
    'it converts int16 to uint8, which LiteRT does not support; supported: int8 and int16.'
    """
    if x.dtype != "int16":
        return ""
    if out.dtype == "uint8":
        return "it converts int16 to uint8, which LiteRT does not support; supported: int8 and int16."
    if out.dtype == "int16" and (x.zero_point or out.zero_point):
        return f"its int16 have the zero points {x.zero_point} and {out.zero_point}; LiteRT takes 0 only."
    return ""


ACTIVATION_LIMITS = {"none": (-np.inf, np.inf), "relu": (0.0, np.inf), "relu6": (0.0, 6.0), "relu_n1_to_1": (-1.0, 1.0)}


def float_limits_of(activation: str) -> tuple[float, float]:
    """Where an activation that cuts off begins and ends."""
    if activation not in ACTIVATION_LIMITS:
        raise Cannot(f"its activation is {activation.upper()}; supported: {', '.join(ACTIVATION_LIMITS).upper()}.")
    return ACTIVATION_LIMITS[activation]


def limits_of(activation: str, out: Scheme) -> dict[str, Any]:
    """output_min and output_max of an activation that cuts off.

    >>> limits_of("relu6", Scheme(0.05, 3))
    {'output_min': 3, 'output_max': 123}
    >>> limits_of("relu6", Scheme(1.2e-38))
    {'output_min': 0, 'output_max': 255}
    """
    info = np.iinfo(out.dtype)
    found: list[int | None] = []
    for bound in float_limits_of(activation):
        if np.isinf(bound):
            found.append(None)
            continue
        with np.errstate(over="ignore"):
            real = np.float32(bound) / np.float32(out.scale)
        # Of a scale next to nothing these are more steps than any number has.
        steps = int(np.clip(np.copysign(np.floor(abs(real) + np.float32(0.5)), real), -(2.0**31), 2.0**31))
        found.append(min(max(steps + out.zero_point, info.min), info.max))
    return {"output_min": found[0], "output_max": found[1]}


# ---- windows ---------------------------------------------------------------------------------------------------------

def padding_of(entry: IRNode, image: tuple[int, ...], window: Pair, stride: Pair, dilation: Pair) -> tuple[Pair, Pair]:
    """What SAME and VALID are in numbers: ((top, bottom), (left, right)). Some files say these."""
    if not isinstance(entry.attributes["padding"], str):
        (top, bottom), (left, right) = entry.attributes["padding"]
        return (top, bottom), (left, right)
    if entry.attributes["padding"] == "valid":
        return (0, 0), (0, 0)
    return same_padding((image[1], image[2]), window, stride, dilation)


def pair(entry: IRNode, what: str) -> tuple[int, int]:
    found = int(entry.attributes[f"{what}_height"]), int(entry.attributes[f"{what}_width"])
    if min(found) < 1:
        raise Cannot(f"its {what} is {found[0]}x{found[1]}; supported: at least 1.")
    return found


def image_of(tensor: StoredTensor) -> tuple[int, ...]:
    if len(tensor.shape) != 4 or 0 in tensor.shape:
        raise Cannot(f"{tensor.name!r} has shape {list(tensor.shape)}; an image is [batch, height, width, channels].")
    return tensor.shape


# ---- rows ------------------------------------------------------------------------------------------------------------

def in_rows(lowering: Lowering, entry: IRNode, operator: ops.Operator, depth: int) -> None:
    """A node on rows of n elements, whatever the shapes of what it reads and writes."""
    name, said = lowering.name(entry, 0), lowering.result(entry).shape
    shape = lowering.graph.tensors[name].shape
    if shape[-1] != depth or len(shape) != len(said):
        name = lowering.shaped(entry, "rows", name, (-1, depth))
    made = operator.output_shape(lowering.graph.tensors[name].shape)
    if made == said:
        lowering.add(entry, operator, name)
        return
    inner = lowering.between(entry, "as rows", operator, name)
    lowering.add(entry, Reshape(operator.output_type, said), inner)


Kind = Callable[[Lowering, IRNode], None]
