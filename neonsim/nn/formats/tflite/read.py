"""Reading `.tflite`: a FlatBuffer whose schema is TensorFlow Lite's.

The packages `tflite` (the schema) and `flatbuffers` find their way about the bytes. They check nothing, so here every
count is held against the size of the file before anything is done so often, and whatever they stumble over is one
sentence. Constants are views of the file's bytes, never copied.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.common.extras import install
from neonsim.errors import MissingPackage, ModelError
from neonsim.nn.formats.ir import IRNode, ModelIR, StoredTensor
from neonsim.nn.formats.tflite.words import WORDS, TfliteWord

__all__ = ["read_tflite"]

_MARK = b"TFL3"


_NUMPY = {"FLOAT32": "float32", "FLOAT16": "float16", "FLOAT64": "float64", "INT8": "int8", "UINT8": "uint8",
          "INT16": "int16", "UINT16": "uint16", "INT32": "int32", "UINT32": "uint32", "INT64": "int64",
          "UINT64": "uint64", "BOOL": "bool"}


# A table without fields: every attribute is what the schema says where nothing is said.
_NO_OPTIONS = struct.pack("<HHi", 4, 4, 4)


def read_tflite(data: bytes, name: str, batch: int = 1) -> ModelIR:
    """What a `.tflite` file says.

    name    of the file, for messages
    batch   size of the first axis of tensors where the file leaves it open: its shape or its signature says -1

    Raises ModelError for bytes that are no such file, or a damaged one; MissingPackage without its packages.
    """
    if data[4:8] != _MARK:
        raise ModelError(f"{name} is not a .tflite file: its bytes 4 to 7 are not {_MARK.decode()}.")
    try:
        return _Reader(data, name, batch).record()
    except (struct.error, IndexError, ValueError, TypeError, OverflowError, AttributeError, RuntimeError):
        # From inside the two packages: an offset that leads out of the file, most often.
        raise ModelError(f"{name} is damaged or truncated: it has an offset outside the file, or one that overlaps "
                         f"other data.") from None


def _packages() -> tuple[Any, Any]:
    try:
        import tflite
        from flatbuffers import number_types
    except ImportError:
        raise MissingPackage(f"reading .tflite files needs two more packages: {install('neonsim[models]')}.") from None
    return tflite, number_types


def _names(enum: Any) -> dict[int, str]:
    return {number: word for word, number in vars(enum).items() if isinstance(number, int)}


class _Reader:
    """One file."""

    def __init__(self, data: bytes, name: str, batch: int) -> None:
        self.data, self.name, self.batch = data, name, batch
        self.schema, self.numbers = _packages()
        self.types = _names(self.schema.TensorType)
        self.words = _names(self.schema.BuiltinOperator)
        self.activations = _names(self.schema.ActivationFunctionType)
        self.paddings = _names(self.schema.Padding)
        self.model = self.schema.Model.GetRootAs(data, 0)

    def _many(self, count: int, what: str, most: int | None = None) -> range:
        """n of something, each of which takes four bytes at least."""
        limit = len(self.data) // 4 if most is None else most
        if not 0 <= count <= limit:
            raise ModelError(f"{self.name} is damaged: it claims {count:,} {what} in {len(self.data):,} bytes.")
        return range(count)

    def _numbers(self, count: int, get: Callable[[], Any], what: str) -> NDArray[Any]:
        """A list of numbers, as an array; its length is checked first."""
        self._many(count, what, len(self.data))
        return np.array(get()) if count else np.zeros(0, np.int64)

    def record(self) -> ModelIR:
        if self.model.Version() != 3:
            raise ModelError(f"{self.name} is of version {self.model.Version()} of the schema; supported: 3.")
        if len(self._many(self.model.SubgraphsLength(), "subgraphs")) == 0:
            raise ModelError(f"{self.name} has no network.")
        graph = self.model.Subgraphs(0)
        initial: dict[str, NDArray[Any]] = {}
        tensors, nodes = self._parts(graph)
        nodes = [self._once(node, initial) if node.kind == "call_once" else node for node in nodes]
        inputs, outputs = (tuple(int(i) for i in self._numbers(*given)) for given in (
            (graph.InputsLength(), graph.InputsAsNumpy, "inputs"),
            (graph.OutputsLength(), graph.OutputsAsNumpy, "outputs")))
        return ModelIR(self.name, "tflite", tuple(_unique(tensors)), tuple(nodes), inputs, outputs, initial)

    def _parts(self, graph: Any) -> tuple[list[StoredTensor], list[IRNode]]:
        """Tensors and nodes of a subgraph. A tensor of no elements that no node writes is a constant."""
        tensors = [self._tensor(graph.Tensors(i)) for i in self._many(graph.TensorsLength(), "tensors")]
        nodes = [self._entry(graph.Operators(i), i) for i in self._many(graph.OperatorsLength(), "nodes")]
        written = {number for node in nodes for number in node.outputs}
        for number, tensor in enumerate(tensors):
            if tensor.size == 0 and tensor.dtype in _NUMPY.values() and number not in written:
                tensors[number] = replace(tensor, data=np.zeros(tensor.shape, tensor.dtype))
        return tensors, nodes

    def _once(self, entry: IRNode, initial: dict[str, NDArray[Any]]) -> IRNode:
        """A node that calls a subgraph before the first run: what that writes to variables; and why it does more."""
        number = entry.attributes["subgraph"]
        if not 0 < number < self.model.SubgraphsLength():
            raise ModelError(f"{self.name}: node {entry.place}, {entry.word}, calls subgraph {number}; there are "
                             f"{self.model.SubgraphsLength()}.")
        tensors, nodes = self._parts(self.model.Subgraphs(number))
        variables: dict[int, str] = {}
        for node in nodes:
            given = [tensors[i] if i is not None and 0 <= i < len(tensors) else None for i in node.inputs]
            if node.kind == "variable" and len(node.outputs) == 1:
                variables[node.outputs[0]] = node.attributes["variable"]
            elif (node.kind == "assign_variable" and len(given) == 2 and node.inputs[0] in variables
                  and given[1] is not None and given[1].data is not None):
                initial[variables[node.inputs[0]]] = given[1].data
            else:
                why = f"in subgraph {number}, node {node.place}, {node.word}, does more than give variables constants."
                return replace(entry, attributes={"why": why})
        return replace(entry, attributes={"why": ""})

    # ---- tensors
    def _tensor(self, tensor: Any) -> StoredTensor:
        name = (tensor.Name() or b"").decode("utf-8", "replace")
        shape = self._shape(tensor)
        word = self.types.get(tensor.Type(), str(tensor.Type()))
        dtype = _NUMPY.get(word, word.lower())
        scale = zero_point = None
        axis, quantization = 0, tensor.Quantization()
        if quantization is not None and quantization.ScaleLength():
            scale = self._numbers(quantization.ScaleLength(), quantization.ScaleAsNumpy, "scales").astype(np.float32)
            zero_point = self._numbers(quantization.ZeroPointLength(), quantization.ZeroPointAsNumpy, "zero points")
            # Files leave zero points out, and say an axis that there is not where there is one scale.
            zero_point = np.zeros(scale.size, np.int64) if zero_point.size == 0 else zero_point.astype(np.int64)
            axis = int(quantization.QuantizedDimension())
            axis = axis if scale.size > 1 or 0 <= axis < len(shape) else 0
            fitting = [i for i, size in enumerate(shape) if size == scale.size]
            if axis >= len(shape) and len(fitting) == 1:
                axis = fitting[0]   # a bias that kept the axis of its weights
            if zero_point.size != scale.size:
                raise ModelError(f"{self.name}: tensor {name!r} has {scale.size} scales and {zero_point.size} zero "
                                 "points.")
            if scale.size > 1 and (not 0 <= axis < len(shape) or shape[axis] != scale.size):
                raise ModelError(f"{self.name}: tensor {name!r} of shape {list(shape)} has {scale.size} scales along "
                                 f"axis {axis}.")
        return StoredTensor(name, shape, dtype, scale, zero_point, axis,
                            self._constant(tensor.Buffer(), name, shape, dtype))

    def _shape(self, tensor: Any) -> tuple[int, ...]:
        """With the batch that was asked for, where the file leaves that open."""
        shape = [int(n) for n in self._numbers(tensor.ShapeLength(), tensor.ShapeAsNumpy, "sizes")]
        signature = self._numbers(tensor.ShapeSignatureLength(), tensor.ShapeSignatureAsNumpy, "sizes")
        if shape and -1 in (shape[0], *signature[:1]):
            shape[0] = self.batch
        return tuple(shape)

    def _constant(self, number: int, name: str, shape: tuple[int, ...], dtype: str) -> NDArray[Any] | None:
        """Elements of a constant: a view of the file."""
        if not 0 <= number < self.model.BuffersLength():
            raise ModelError(f"{self.name}: tensor {name!r} lies in buffer {number}; there are "
                             f"{self.model.BuffersLength()}.")
        buffer = self.model.Buffers(number)
        if buffer is None or dtype not in _NUMPY.values() or (length := buffer.DataLength()) == 0:
            return None     # computed, or of a type without elements of one size
        self._many(length, "bytes of a constant", len(self.data))
        found = np.asarray(buffer.DataAsNumpy(), np.uint8)
        wanted = int(np.prod(shape, dtype=object)) * np.dtype(dtype).itemsize
        if found.size != wanted:
            raise ModelError(f"{self.name}: constant {name!r}, {dtype} {list(shape)}, takes {wanted:,} bytes; there "
                             f"are {found.size:,}.")
        shaped = np.frombuffer(found, np.dtype(dtype).newbyteorder("<")).reshape(shape).astype(dtype, copy=False)
        shaped.flags.writeable = False
        return shaped

    # ---- nodes
    def _entry(self, node: Any, place: int) -> IRNode:
        index = node.OpcodeIndex()
        if not 0 <= index < self.model.OperatorCodesLength():
            raise ModelError(f"{self.name}: node {place} is operator {index}; there are "
                             f"{self.model.OperatorCodesLength()}.")
        code = self.model.OperatorCodes(index)
        number = self._number_of(code)
        word = self.words.get(number, f"operator {number}")
        if word == "CUSTOM":
            word = f"CUSTOM {(code.CustomCode() or b'').decode('utf-8', 'replace')[:80]!r}"
        inputs, outputs = (self._numbers(*given) for given in (
            (node.InputsLength(), node.InputsAsNumpy, "inputs of a node"),
            (node.OutputsLength(), node.OutputsAsNumpy, "outputs of a node")))
        known = WORDS.get(word, TfliteWord(""))
        return IRNode(known.kind, word, place, tuple(None if i == -1 else int(i) for i in inputs),
                      tuple(int(i) for i in outputs), self._attributes(node, known, word, place))

    def _number_of(self, code: Any) -> int:
        """Of an operator: the larger of two fields. Numbers up to 127 are in an older field of one byte, in a newer
        field, or in both. The package reads the newer field only for larger numbers."""
        place = code._tab.Offset(10)
        newer = code._tab.Get(self.numbers.Int32Flags, place + code._tab.Pos) if place else 0
        return max(int(newer), int(code.DeprecatedBuiltinCode()))

    def _attributes(self, node: Any, known: TfliteWord, word: str, place: int) -> dict[str, Any]:
        if not known.attributes:
            return {}
        wanted, table = getattr(self.schema.BuiltinOptions, known.options), node.BuiltinOptions()
        options = getattr(self.schema, known.options)()
        # The runtime, too, takes what the schema says where a node has no options, or those of another kind.
        if table is None or node.BuiltinOptionsType() != wanted:
            options.Init(_NO_OPTIONS, 4)
        else:
            options.Init(table.Bytes, table.Pos)
        found: dict[str, Any] = {}
        for name, field in known.attributes.items():
            value = getattr(options, field)()
            names = {"activation": self.activations, "padding": self.paddings}.get(name)
            if names is not None:
                if value not in names:
                    raise ModelError(f"{self.name}: node {place}, {word}, has {name} {value}, which is unknown.")
                value = names[value].lower()
            found[name] = value
        if known.kind == "variable":
            words = [(found.pop(part) or b"").decode("utf-8", "replace") for part in ("container", "shared_name")]
            found["variable"] = "/".join(filter(None, words))
        return found


def _unique(tensors: list[StoredTensor]) -> Iterator[StoredTensor]:
    """Names for all, no two alike."""
    seen: set[str] = set()
    for number, tensor in enumerate(tensors):
        name = tensor.name or f"tensor {number}"
        if name in seen:
            name = f"{name} ({number})"
        while name in seen:
            name += "'"
        seen.add(name)
        yield tensor if name == tensor.name else StoredTensor(name, tensor.shape, tensor.dtype, tensor.scale,
                                                              tensor.zero_point, tensor.axis, tensor.data)
