"""From a record to a graph of our operators, by the rules of the runtime whose bytes are wanted.

Every kind of node has one function here, which adds what it means to the graph. One that cannot says why, in a sentence
that names the node; nodes that need its result are left out with it, and all the others still run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim import ops
from neonsim.errors import BackendError, BadArgument, ModelError
from neonsim.formats.record import Entry, Record, Stored
from neonsim.graph import Concat, Graph, Move, Reshape, Split
from neonsim.quant.scheme import Quantized, Scheme
from neonsim.quant.tensor_type import DTYPES, TensorType

__all__ = ["ARITHMETICS", "Arithmetic", "Lowered", "Refusal", "limits_of", "lower", "same_padding"]

Pair = tuple[int, int]


@dataclass(frozen=True)
class Arithmetic:
    """The rules of a runtime (M02).

    products   requantization of convolutions and fully connected layers
    sums       rounding of ties in additions
    """

    name: str
    products: str
    sums: str


ARITHMETICS = {one.name: one for one in (Arithmetic("xnnpack", "fp32", "up"),)}


@dataclass(frozen=True)
class Refusal:
    """A node that is not in the graph.

    entry   the node
    why     a sentence
    """

    entry: Entry
    why: str


@dataclass(frozen=True, eq=False)
class Lowered:
    """What a record has become.

    graph      Graph                  not finished: its results are chosen when it is run
    tensors    {number: name}         of tensors of the file: where they are in the graph
    nodes      {place: (name, ...)}   of nodes of the file: what they are in the graph; () where nothing is left to do
    refusals   {place: Refusal}
    """

    graph: Graph
    tensors: dict[int, str]
    nodes: dict[int, tuple[str, ...]]
    refusals: dict[int, Refusal]


class _Cannot(Exception):
    """Why a node has no place in the graph."""


def lower(record: Record, arithmetic: str = "xnnpack") -> Lowered:
    """The graph of a record.

    arithmetic   whose rules: a name of ARITHMETICS

    Raises BadArgument for another name, ModelError for inputs of a type that no graph has.
    """
    if arithmetic not in ARITHMETICS:
        raise BadArgument(f"arithmetic is {', '.join(map(repr, ARITHMETICS))}; got {arithmetic!r}.")
    return _Lowering(record, ARITHMETICS[arithmetic]).all()


class _Lowering:
    """One record on its way."""

    def __init__(self, record: Record, rules: Arithmetic) -> None:
        self.record, self.rules = record, rules
        self.graph = Graph(record.name)
        self.names: dict[int, str] = {}
        self.made: list[str] = []

    def all(self) -> Lowered:
        """Every node in order."""
        for number in self.record.inputs:
            tensor = self.record.tensors[number]
            if tensor.dtype not in DTYPES or (tensor.dtype in ("uint8", "int8") and tensor.scheme is None):
                raise ModelError(f"{self.record.name}: its input {tensor.name!r} is {tensor}, without one scale of "
                                 f"8-bit integers and none of {', '.join(DTYPES)}.")
            self.names[number] = self.graph.add_input(tensor.name, tensor.shape or (1,), tensor.scheme,
                                                      None if tensor.scheme else tensor.dtype)
        nodes, refusals = {}, {}
        for entry in self.record.nodes:
            self.made = []
            try:
                self._node(entry)
            except _Cannot as problem:
                refusals[entry.place] = Refusal(entry, f"node {entry.place}, {entry.word}: {problem}")
            except (BadArgument, BackendError) as problem:
                refusals[entry.place] = Refusal(entry, f"node {entry.place}, {entry.word}: {problem}")
            else:
                nodes[entry.place] = tuple(self.made)
        return Lowered(self.graph, self.names, nodes, refusals)

    def _node(self, entry: Entry) -> None:
        for number in entry.inputs:
            if number is not None and number not in self.names and self.record.tensors[number].data is None:
                raise _Cannot(f"it needs {self.record.tensors[number].name!r}, which is not computed.")
        if entry.kind not in _KINDS:
            raise _Cannot("there is no such operator here.")
        _KINDS[entry.kind](self, entry)
        for number in entry.outputs:
            made, said = self.graph.tensors[self.names[number]], self.record.tensors[number]
            if made.shape != (said.shape or (1,)) or made.type != self._type(said):
                raise _Cannot(f"its result would be {made}; the file says {said}"
                              f"{'' if said.scheme is None else f' with {said.scheme}'}.")

    # ---- of a node
    def stored(self, entry: Entry, which: int) -> Stored:
        """An input, as the file has it."""
        number = entry.inputs[which] if which < len(entry.inputs) else None
        if number is None:
            raise _Cannot(f"its input {which} is missing.")
        return self.record.tensors[number]

    def constant(self, entry: Entry, which: int, what: str) -> NDArray[Any]:
        """An input that must be a constant."""
        found = self.stored(entry, which)
        if found.data is None:
            raise _Cannot(f"its {what}, {found.name!r}, are computed; they must be constant.")
        return found.data

    def whole_numbers(self, entry: Entry, which: int, what: str) -> list[int]:
        """The elements of an input that must be constant whole numbers."""
        found = self.constant(entry, which, what)
        if found.dtype.kind not in "iu":
            raise _Cannot(f"its {what} are {found.dtype}; they must be whole numbers.")
        return [int(one) for one in found.reshape(-1)]

    def whole_number(self, entry: Entry, which: int, what: str, least: int, most: int) -> int:
        """The same, of one."""
        found = self.whole_numbers(entry, which, what)
        if len(found) != 1 or not least <= found[0] <= most:
            raise _Cannot(f"its {what} is {found}; one number of {least} to {most} is taken.")
        return found[0]

    def result(self, entry: Entry) -> Stored:
        """Its first result."""
        if not entry.outputs:
            raise _Cannot("it has no result.")
        return self.record.tensors[entry.outputs[0]]

    def _type(self, tensor: Stored) -> TensorType:
        if tensor.dtype not in DTYPES:
            raise _Cannot(f"{tensor.name!r} is {tensor.dtype}; tensors here are {', '.join(DTYPES)}.")
        if tensor.dtype in ("uint8", "int8"):
            return TensorType.of(self.scheme(tensor))
        return TensorType(tensor.dtype)

    @staticmethod
    def scheme(tensor: Stored) -> Scheme:
        """Of a tensor that must have one."""
        if tensor.scheme is None:
            raise _Cannot(f"{tensor.name!r} is {tensor}, not 8-bit integers with one scale.")
        return tensor.scheme

    def name(self, entry: Entry, which: int) -> str:
        """An input in the graph."""
        number = entry.inputs[which] if which < len(entry.inputs) else None
        if number is None or number not in self.names:
            raise _Cannot(f"its input {which} is {'missing' if number is None else 'a constant'}; it must be computed.")
        return self.names[number]

    def add(self, entry: Entry, operator: ops.Operator | Move, *inputs: str) -> None:
        """A node that makes the result of an entry."""
        name = self.graph.add_node(self.result(entry).name, operator, *inputs)
        self.made.append(name)
        self.names[entry.outputs[0]] = name

    def between(self, entry: Entry, what: str, operator: ops.Operator | Move, *inputs: str) -> str:
        """A node on the way to it."""
        name = self.graph.add_node(f"{self.result(entry).name} ({what})", operator, *inputs)
        self.made.append(name)
        return name

    def shaped(self, entry: Entry, what: str, name: str, shape: Sequence[int]) -> str:
        """A tensor in another shape, itself if it has that shape."""
        tensor = self.graph.tensors[name]
        if tensor.shape == tuple(shape):
            return name
        return self.between(entry, what, Reshape(tensor.type, shape), name)

    def limits(self, entry: Entry) -> dict[str, Any]:
        """Of the activation that is part of a node: in integers of the result, ties away from zero."""
        return limits_of(entry.attributes.get("activation", "none"), self.scheme(self.result(entry)))


def limits_of(activation: str, out: Scheme) -> dict[str, Any]:
    """output_min and output_max of an activation that cuts off.

    >>> limits_of("relu6", Scheme(0.05, 3))
    {'output_min': 3, 'output_max': 123}
    """
    bounds: dict[str, tuple[int | None, int | None]] = {
        "none": (None, None), "relu": (0, None), "relu6": (0, 6), "relu_n1_to_1": (-1, 1)}
    if activation not in bounds:
        raise _Cannot(f"the activation {activation.upper()} is not there.")
    info = np.iinfo(out.dtype)
    found: list[int | None] = []
    for bound in bounds[activation]:
        if bound is None:
            found.append(None)
            continue
        real = np.float32(bound) / np.float32(out.scale)
        steps = int(np.copysign(np.floor(abs(real) + np.float32(0.5)), real))
        found.append(min(max(steps + out.zero_point, info.min), info.max))
    return {"output_min": found[0], "output_max": found[1]}


# ---- windows ---------------------------------------------------------------------------------------------------------

def _padding(entry: Entry, image: tuple[int, ...], window: Pair, stride: Pair, dilation: Pair) -> tuple[Pair, Pair]:
    """What SAME and VALID are in numbers: ((top, bottom), (left, right))."""
    if entry.attributes["padding"] == "valid":
        return (0, 0), (0, 0)
    return same_padding((image[1], image[2]), window, stride, dilation)


def same_padding(image: Pair, window: Pair, stride: Pair, dilation: Pair) -> tuple[Pair, Pair]:
    """What SAME adds to an image of that height and width: ((top, bottom), (left, right)).

    >>> same_padding((6, 6), (3, 3), (2, 2), (1, 1))
    ((0, 1), (0, 1))
    """
    whole = [max((-(-size // step) - 1) * step + (taps - 1) * gap + 1 - size, 0)
             for size, taps, step, gap in zip(image, window, stride, dilation, strict=True)]
    return (whole[0] // 2, whole[0] - whole[0] // 2), (whole[1] // 2, whole[1] - whole[1] // 2)


def _pair(entry: Entry, what: str) -> tuple[int, int]:
    found = int(entry.attributes[f"{what}_height"]), int(entry.attributes[f"{what}_width"])
    if min(found) < 1:
        raise _Cannot(f"its {what} is {found[0]}x{found[1]}; 1 and more are taken.")
    return found


def _image(tensor: Stored) -> tuple[int, ...]:
    if len(tensor.shape) != 4 or 0 in tensor.shape:
        raise _Cannot(f"{tensor.name!r} has shape {list(tensor.shape)}; an image is [batch, height, width, channels].")
    return tensor.shape


# ---- products --------------------------------------------------------------------------------------------------------

def _weights(of: _Lowering, entry: Entry, axis: int) -> tuple[Stored, NDArray[Any]]:
    stored, values = of.stored(entry, 1), of.constant(entry, 1, "weights")
    if stored.dtype not in ("uint8", "int8") or stored.scale is None or stored.zero_point is None:
        raise _Cannot(f"its weights, {stored.name!r}, are {stored} without scales; 8-bit integers are taken.")
    if stored.scale.size > 1 and stored.axis != axis:
        raise _Cannot(f"its weights have their scales along axis {stored.axis}; axis {axis} counts the results.")
    if not (np.isfinite(stored.scale) & (stored.scale > 0)).all():
        raise _Cannot("a scale of its weights is no positive number.")
    if (stored.zero_point != stored.zero_point[0]).any():
        raise _Cannot("its weights have several zero points; one is taken.")
    return stored, values


def _product_operands(of: _Lowering, entry: Entry, stored: Stored, values: NDArray[Any]) -> dict[str, Any]:
    """Weights [out, ...] and bias of a product. Channels without weights get a scale that rounds to the same byte."""
    assert stored.scale is not None and stored.zero_point is not None
    x, out = of.scheme(of.stored(entry, 0)), of.scheme(of.result(entry))
    channels, zero_point = values.shape[0], int(stored.zero_point[0])
    scale, bias = stored.scale, _bias(of, entry, channels)
    if scale.size > 1:
        scale, bias = _revived(values != zero_point, scale.copy(), bias.copy(), x, out)
    weights = Quantized(values, scale if scale.size > 1 else float(scale[0]), zero_point,
                        axis=0 if scale.size > 1 else None)
    return {"w": weights, "bias": bias, "out": out, "requantization": of.rules.products, **of.limits(entry)}


def _bias(of: _Lowering, entry: Entry, channels: int) -> NDArray[np.int32]:
    if len(entry.inputs) < 3 or entry.inputs[2] is None:
        return np.zeros(channels, np.int32)
    bias = of.constant(entry, 2, "bias")
    if bias.dtype != np.int32 or bias.shape != (channels,):
        raise _Cannot(f"its bias is {bias.dtype} {list(bias.shape)}; int32 [{channels}] is taken.")
    return bias


def _revived(used: NDArray[np.bool_], scale: NDArray[np.float32], bias: NDArray[np.int32], x: Scheme,
             out: Scheme) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
    """Quantisers give channels that are always zero scales below what can be multiplied with: the same constant byte
    with a scale of about 1 / 2**16 (M12)."""
    with np.errstate(under="ignore", over="ignore", invalid="ignore"):
        factor = np.float32(x.scale) * scale / np.float32(out.scale)
        dead = (factor < 2.0**-32) & ~used.reshape(used.shape[0], -1).any(axis=1)
        scale[dead] = np.float32(out.scale) / np.float32(x.scale) * np.float32(2.0**-16)
        bias[dead] = np.rint(np.clip(bias[dead] * factor[dead].astype(np.float64), -1024, 1024)) * 2**16
    return scale, bias


def _conv2d(of: _Lowering, entry: Entry) -> None:
    stored, values = _weights(of, entry, 0)
    x = of.stored(entry, 0)
    image, stride, dilation = _image(x), _pair(entry, "stride"), _pair(entry, "dilation")
    if values.ndim != 4 or image[3] % values.shape[3]:
        raise _Cannot(f"its weights are {list(values.shape)}, which do not fit {image[3]} channels.")
    operator = ops.Conv2d(of.scheme(x), stride=stride, dilation=dilation, groups=image[3] // values.shape[3],
                          padding=_padding(entry, image, values.shape[1:3], stride, dilation),
                          **_product_operands(of, entry, stored, values))
    of.add(entry, operator, of.name(entry, 0))


def _depthwise(of: _Lowering, entry: Entry) -> None:
    stored, values = _weights(of, entry, 3)
    x = of.stored(entry, 0)
    image, stride, dilation = _image(x), _pair(entry, "stride"), _pair(entry, "dilation")
    if values.ndim != 4 or values.shape[0] != 1 or values.shape[3] % image[3]:
        raise _Cannot(f"its weights are {list(values.shape)}, which do not fit {image[3]} channels.")
    operator = ops.Conv2d(of.scheme(x), stride=stride, dilation=dilation, groups=image[3],
                          padding=_padding(entry, image, values.shape[1:3], stride, dilation),
                          **_product_operands(of, entry, stored, np.ascontiguousarray(values.transpose(3, 1, 2, 0))))
    of.add(entry, operator, of.name(entry, 0))


def _fully_connected(of: _Lowering, entry: Entry) -> None:
    stored, values = _weights(of, entry, 0)
    if entry.attributes["weights_format"] != 0:
        raise _Cannot("its weights are shuffled for one processor.")
    if values.ndim != 2 or not values.size:
        raise _Cannot(f"its weights are {list(values.shape)}; [out, in] is taken.")
    operator = ops.FullyConnected(of.scheme(of.stored(entry, 0)), **_product_operands(of, entry, stored, values))
    _in_rows(of, entry, operator, values.shape[1])


def _in_rows(of: _Lowering, entry: Entry, operator: ops.Operator, depth: int) -> None:
    """A node on rows of so many elements, whatever the shapes of what it reads and writes."""
    name, said = of.name(entry, 0), of.result(entry).shape
    shape = of.graph.tensors[name].shape
    if shape[-1] != depth or len(shape) != len(said):
        name = of.shaped(entry, "rows", name, (-1, depth))
    made = operator.output_shape(of.graph.tensors[name].shape)
    if made == said:
        of.add(entry, operator, name)
        return
    inner = of.between(entry, "as rows", operator, name)
    of.add(entry, Reshape(operator.gives, said), inner)


# ---- element by element ----------------------------------------------------------------------------------------------

def _two(of: _Lowering, entry: Entry) -> tuple[Scheme, Scheme, Scheme]:
    return of.scheme(of.stored(entry, 0)), of.scheme(of.stored(entry, 1)), of.scheme(of.result(entry))


def _add(of: _Lowering, entry: Entry) -> None:
    a, b, out = _two(of, entry)
    operator = ops.Add(a, b, out=out, rounding=of.rules.sums, **of.limits(entry))
    of.add(entry, operator, of.name(entry, 0), of.name(entry, 1))


def _subtract(of: _Lowering, entry: Entry) -> None:
    a, b, out = _two(of, entry)
    of.add(entry, ops.Subtract(a, b, out=out, **of.limits(entry)), of.name(entry, 0), of.name(entry, 1))


def _multiply(of: _Lowering, entry: Entry) -> None:
    a, b, out = _two(of, entry)
    operator = ops.Multiply(a, b, out=out, requantization=of.rules.products, **of.limits(entry))
    of.add(entry, operator, of.name(entry, 0), of.name(entry, 1))


def _cut(activation: str) -> Callable[[_Lowering, Entry], None]:
    def cut(of: _Lowering, entry: Entry) -> None:
        x, out = of.scheme(of.stored(entry, 0)), of.scheme(of.result(entry))
        if x != out:
            raise _Cannot(f"it reads {x} and writes {out}; one scheme is taken.")
        of.add(entry, ops.Clamp(x, **limits_of(activation, out)), of.name(entry, 0))
    return cut


def _curve(kind: Callable[..., ops.Operator]) -> Callable[[_Lowering, Entry], None]:
    def curve(of: _Lowering, entry: Entry) -> None:
        operator = kind(of.scheme(of.stored(entry, 0)), out=of.scheme(of.result(entry)))
        of.add(entry, operator, of.name(entry, 0))
    return curve


def _leaky_relu(of: _Lowering, entry: Entry) -> None:
    x, out = of.scheme(of.stored(entry, 0)), of.scheme(of.result(entry))
    if x.dtype == "uint8":  # QNNPACK's function of one byte: off by one from two rounded factors in one byte of twenty
        raise _Cannot("leaky ReLU of uint8 has other bytes here than there; int8 is taken.")
    of.add(entry, ops.LeakyRelu(x, slope=float(entry.attributes["slope"]), out=out), of.name(entry, 0))


def _softmax(of: _Lowering, entry: Entry) -> None:
    x, out = of.scheme(of.stored(entry, 0)), of.scheme(of.result(entry))
    of.add(entry, ops.Softmax(x, beta=float(entry.attributes["beta"]), out=out), of.name(entry, 0))


def _quantize(of: _Lowering, entry: Entry) -> None:
    x, out = of.stored(entry, 0), of.scheme(of.result(entry))
    operator = ops.Quantize(out=out) if x.dtype == "float32" else ops.Convert(of.scheme(x), out=out)
    of.add(entry, operator, of.name(entry, 0))


def _dequantize(of: _Lowering, entry: Entry) -> None:
    of.add(entry, ops.Dequantize(of.scheme(of.stored(entry, 0))), of.name(entry, 0))


# ---- pooling ---------------------------------------------------------------------------------------------------------

def _average_pool(of: _Lowering, entry: Entry) -> None:
    x, pool, stride = of.stored(entry, 0), _pair(entry, "pool"), _pair(entry, "stride")
    operator = ops.AvgPool2d(of.scheme(x), pool=pool, out=of.scheme(of.result(entry)), stride=stride, integer=True,
                             padding=_padding(entry, _image(x), pool, stride, (1, 1)), **of.limits(entry))
    of.add(entry, operator, of.name(entry, 0))


def _max_pool(of: _Lowering, entry: Entry) -> None:
    x, pool, stride = of.stored(entry, 0), _pair(entry, "pool"), _pair(entry, "stride")
    operator = ops.MaxPool2d(of.scheme(x), pool=pool, stride=stride,
                             padding=_padding(entry, _image(x), pool, stride, (1, 1)), **of.limits(entry))
    of.add(entry, operator, of.name(entry, 0))


def _mean(of: _Lowering, entry: Entry) -> None:
    image = _image(of.stored(entry, 0))
    axes = sorted(axis % 4 for axis in of.whole_numbers(entry, 1, "axes"))
    if axes != [1, 2]:
        raise _Cannot(f"it takes the mean over axes {axes} of {list(image)}; over height and width is taken.")
    operator = ops.GlobalAvgPool(of.scheme(of.stored(entry, 0)), out=of.scheme(of.result(entry)))
    made = of.between(entry, "mean", operator, of.name(entry, 0)) if entry.attributes["keep_dims"] else ""
    if made:
        of.add(entry, Reshape(operator.gives, of.result(entry).shape), made)
    else:
        of.add(entry, operator, of.name(entry, 0))


# ---- moves -----------------------------------------------------------------------------------------------------------

def _reshape(of: _Lowering, entry: Entry) -> None:
    of.add(entry, Reshape(of._type(of.stored(entry, 0)), of.result(entry).shape or (1,)), of.name(entry, 0))


def _pad(of: _Lowering, entry: Entry) -> None:
    amounts, x = of.constant(entry, 1, "amounts"), of.stored(entry, 0)
    if amounts.dtype.kind not in "iu" or amounts.shape != (len(x.shape), 2):
        raise _Cannot(f"its amounts are {amounts.dtype} {list(amounts.shape)}; whole numbers [{len(x.shape)}, 2] are "
                      "taken.")
    value = of.whole_number(entry, 2, "value", -128, 255) if len(entry.inputs) > 2 else None
    operator = ops.Pad(of.scheme(x), amounts=[(int(a), int(b)) for a, b in amounts], value=value)
    of.add(entry, operator, of.name(entry, 0))


def _concatenation(of: _Lowering, entry: Entry) -> None:
    if entry.attributes.get("activation", "none") != "none":
        raise _Cannot("an activation after joining is not there.")
    of.add(entry, Concat(of._type(of.stored(entry, 0)), int(entry.attributes["axis"])),
           *(of.name(entry, which) for which in range(len(entry.inputs))))


def _splits(of: _Lowering, entry: Entry, x: int, axis: int, parts: int | list[int]) -> None:
    first = of.result(entry).name
    made = of.graph.add_node(f"{first} (split)", Split(of._type(of.stored(entry, x)), parts, axis), of.name(entry, x))
    of.made.append(made)
    results = of.graph.results(made)
    if len(results) != len(entry.outputs):
        raise _Cannot(f"it has {len(entry.outputs)} results; {len(results)} parts were made.")
    of.names |= dict(zip(entry.outputs, results, strict=True))


def _split(of: _Lowering, entry: Entry) -> None:
    rank = len(of.stored(entry, 1).shape)
    _splits(of, entry, 1, of.whole_number(entry, 0, "axis", -rank, rank - 1), int(entry.attributes["parts"]))


def _split_sizes(of: _Lowering, entry: Entry) -> None:
    sizes, shape = of.whole_numbers(entry, 1, "sizes"), of.stored(entry, 0).shape
    axis = of.whole_number(entry, 2, "axis", -len(shape), len(shape) - 1)
    if sizes.count(-1) == 1:
        sizes[sizes.index(-1)] = shape[axis] - sum(sizes) - 1
    _splits(of, entry, 0, axis, sizes)


_KINDS: dict[str, Callable[[_Lowering, Entry], None]] = {
    "add": _add, "average_pool": _average_pool, "concatenation": _concatenation, "conv2d": _conv2d,
    "depthwise": _depthwise, "dequantize": _dequantize, "fully_connected": _fully_connected,
    "leaky_relu": _leaky_relu, "logistic": _curve(ops.Sigmoid), "max_pool": _max_pool, "mean": _mean,
    "multiply": _multiply, "pad": _pad, "quantize": _quantize, "relu": _cut("relu"), "relu6": _cut("relu6"),
    "relu_n1_to_1": _cut("relu_n1_to_1"), "reshape": _reshape, "softmax": _softmax, "split": _split,
    "split_sizes": _split_sizes, "subtract": _subtract, "tanh": _curve(ops.Tanh),
}
