"""An `.onnx` file as it is: nodes with their attributes, constants, inputs and outputs, all of them checked.

The package `onnx` unpacks the message. Before it does, the fields are counted: a few bytes of a file can stand for an
object of hundreds. Sizes are checked before anything of that size is made.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.common.extras import install
from neonsim.common.fileio import open_file
from neonsim.common.limits import MAX_AXES, MAX_FIELDS, MAX_MODEL_BYTES, MAX_NODES, MAX_TENSOR_BYTES
from neonsim.errors import MissingPackage, ModelError
from neonsim.nn.formats.onnx.words import misfit

__all__ = ["File", "OnnxNode", "OnnxValue", "read_file", "type_name"]

# Of the schema, TensorProto.DataType: what numpy has.
TYPES = {1: "float32", 2: "uint8", 3: "int8", 4: "uint16", 5: "int16", 6: "int32", 7: "int64", 9: "bool",
         10: "float16", 11: "float64", 12: "uint32", 13: "uint64"}
# Where elements lie that are not raw bytes.
_FIELDS = {"float32": "float_data", "float64": "double_data", "int64": "int64_data", "uint64": "uint64_data",
           "uint32": "uint64_data", **dict.fromkeys(("uint8", "int8", "uint16", "int16", "int32", "bool"),
                                                    "int32_data")}
_OPSETS = {"": (7, 26), "com.microsoft": (1, 1)}


@dataclass(frozen=True, eq=False)
class OnnxNode:
    """A node of the file.

    place        int             its number, from 0
    word         str             "Conv", with the domain where it is another: "com.microsoft.QLinearAdd"
    inputs       (str, ...)      "" for one that is left out
    outputs      (str, ...)
    attributes   {str: value}    int, float, str, lists of them, arrays
    refused      str             why it cannot be read: "" if it can
    """

    place: int
    word: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, Any] = field(default_factory=dict)
    refused: str = ""


@dataclass(frozen=True)
class OnnxValue:
    """An input or an output, as the file declares it.

    shape   (int, ...) or None   None: not said
    dtype   str
    """

    name: str
    shape: tuple[int, ...] | None
    dtype: str


@dataclass(frozen=True, eq=False)
class File:
    """All that is read.

    opset   int   version of the standard operators
    """

    name: str
    opset: int
    nodes: tuple[OnnxNode, ...]
    constants: Mapping[str, NDArray[Any]]
    inputs: tuple[OnnxValue, ...]
    outputs: tuple[str, ...]


def read_file(data: bytes, name: str, sizes: Mapping[str, int], folder: Path | None, batch: int) -> File:
    """The message, checked. See `read_onnx`."""
    _count_fields(data, name)
    onnx = _package()
    model = onnx.ModelProto()
    try:
        model.ParseFromString(data)
    except Exception as problem:    # DecodeError, from whichever implementation of the package protobuf is there
        said = " ".join(str(problem).split())[:120]
        raise ModelError(f"{name} is not a .onnx file, or it is damaged: {said or type(problem).__name__}.") from None
    try:
        return _Reader(model, name, sizes, folder, batch).file()
    except (UnicodeError, OverflowError, ValueError, TypeError):
        raise ModelError(f"{name} is damaged: a number or a name in it is not of its kind.") from None


def _package() -> Any:
    try:
        import onnx
    except ImportError:
        raise MissingPackage(f"reading .onnx files needs another package: {install('neonsim[models]')}.") from None
    return onnx


def type_name(number: Any) -> str:
    """What ONNX calls a type of elements."""
    try:
        return str(_package().TensorProto.DataType.Name(number)).lower()
    except (ValueError, TypeError):
        return f"of type {number}, which ONNX does not have"


# ---- the size of a message -------------------------------------------------------------------------------------------

# Messages in messages, by the numbers of their fields: model, graph, node, attribute, tensor, value.
_TENSOR: dict[int, Any] = {}
_VALUE: dict[int, Any] = {2: {1: {2: {1: {}}}}}
_ATTRIBUTE: dict[int, Any] = {5: _TENSOR, 10: _TENSOR}
_GRAPH: dict[int, Any] = {1: {5: _ATTRIBUTE}, 5: _TENSOR, 11: _VALUE, 12: _VALUE, 13: _VALUE, 15: {}}
_ATTRIBUTE |= {6: _GRAPH, 11: _GRAPH}
_MODEL: dict[int, Any] = {7: _GRAPH, 8: {}, 14: {}, 20: {}, 25: {7: {5: _ATTRIBUTE}}}
_MAX_DEPTH = 40


def _varint(data: memoryview, at: int, end: int) -> tuple[int, int]:
    value = shift = 0
    while at < end and shift < 70:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
    raise ValueError


def _count_fields(data: bytes, name: str) -> None:
    """Refuse messages of more fields than any network has, before objects are made of them."""
    view, left = memoryview(data), [MAX_FIELDS]

    def walk(at: int, end: int, known: dict[int, Any], depth: int) -> None:
        while at < end:
            left[0] -= 1
            if left[0] < 0 or depth > _MAX_DEPTH:
                raise ModelError(f"{name} has more than {MAX_FIELDS:,} fields, or messages {_MAX_DEPTH} deep: which "
                                 f"exceeds every known network.")
            tag, at = _varint(view, at, end)
            kind = tag & 7
            if kind == 0:
                _, at = _varint(view, at, end)
            elif kind in (1, 5):
                at += 8 if kind == 1 else 4
            elif kind == 2:
                size, at = _varint(view, at, end)
                if size > end - at:
                    raise ValueError
                inner = known.get(tag >> 3)
                if inner is not None:
                    walk(at, at + size, inner, depth + 1)
                at += size
            else:
                raise ValueError

    try:
        walk(0, len(view), _MODEL, 0)
    except ValueError:
        raise ModelError(f"{name} is not a .onnx file, or it is damaged or truncated.") from None


def _text(given: str | bytes) -> str:
    """A name; one that is no UTF-8 arrives as bytes."""
    return given if isinstance(given, str) else given.decode("utf-8", "replace")


class _Reader:
    """One message."""

    def __init__(self, model: Any, name: str, sizes: Mapping[str, int], folder: Path | None, batch: int) -> None:
        self.model, self.name, self.sizes, self.folder, self.batch = model, name, sizes, folder, batch
        self.room = MAX_TENSOR_BYTES      # bytes that all constants may take

    def file(self) -> File:
        graph, opset = self.model.graph, self._opset()
        if not self.model.HasField("graph") or not len(graph.node):
            raise ModelError(f"{self.name} has no network: no graph, or one without nodes.")
        if len(graph.node) > MAX_NODES:
            raise ModelError(f"{self.name} has {len(graph.node):,} nodes; the limit is {MAX_NODES:,}.")
        if len(graph.sparse_initializer):
            raise ModelError(f"{self.name} has sparse constants, which are not supported. Store them as dense "
                             f"constants.")
        constants = {}
        for tensor in graph.initializer:
            constants[_text(tensor.name)] = self._constant(tensor, _text(tensor.name))
        own = {(_text(function.domain), _text(function.name)) for function in self.model.functions}
        nodes = tuple(self._node(node, place, own) for place, node in enumerate(graph.node))
        for node in nodes:
            if node.word == "Constant" and len(node.outputs) == 1 and not node.refused:
                self._keep(constants, node)
        inputs = tuple(self._value(value) for value in graph.input if _text(value.name) not in constants)
        return File(self.name, opset, nodes, constants, inputs, tuple(_text(value.name) for value in graph.output))

    def _keep(self, constants: dict[str, NDArray[Any]], node: OnnxNode) -> None:
        """The value of a Constant, if it is of numbers."""
        if node.outputs[0] in constants:
            raise ModelError(f"{self.name}: node {node.place}, Constant, writes {node.outputs[0]!r}, which is there "
                             "already.")
        for name, dtype in (("value_int", np.int64), ("value_float", np.float32), ("value_ints", np.int64),
                            ("value_floats", np.float32)):
            if name in node.attributes:
                constants[node.outputs[0]] = np.array(node.attributes[name], dtype)
        if isinstance(node.attributes.get("value"), np.ndarray):
            constants[node.outputs[0]] = node.attributes["value"]

    def _opset(self) -> int:
        found = {}
        for one in self.model.opset_import:
            domain = _text(one.domain)
            found["" if domain == "ai.onnx" else domain] = one.version
        if "" not in found:
            raise ModelError(f"{self.name} has no version of ONNX's operators.")
        low, high = _OPSETS[""]
        if not low <= found[""] <= high:
            raise ModelError(f"{self.name} is written in version {found['']} of ONNX's operators; supported: {low} to "
                             f"{high}.")
        return int(found[""])

    # ---- values
    def _value(self, value: Any) -> OnnxValue:
        kind, name = value.type.WhichOneof("value"), _text(value.name)
        if kind != "tensor_type":
            raise ModelError(f"{self.name}: its input {name!r} is a {kind or 'value without a type'}; supported: "
                             f"tensors.")
        type_ = value.type.tensor_type
        if type_.elem_type not in TYPES:
            raise ModelError(f"{self.name}: its input {name!r} is {type_name(type_.elem_type)}, which is not read.")
        if not type_.HasField("shape"):
            raise ModelError(f"{self.name}: its input {name!r} has no shape.")
        shape = tuple(self._size(one, axis, name) for axis, one in enumerate(type_.shape.dim))
        return OnnxValue(name, shape, TYPES[type_.elem_type])

    def _size(self, one: Any, axis: int, name: str) -> int:
        if one.WhichOneof("value") == "dim_value":
            size = int(one.dim_value)
            if size < 1:
                raise ModelError(f"{self.name}: its input {name!r} has {size} along axis {axis}; supported: at least "
                                 f"1.")
            return size
        given = _text(one.dim_param)
        if given in self.sizes:
            return int(self.sizes[given])
        if axis == 0:
            return self.batch
        raise ModelError(f"{self.name}: its input {name!r} leaves its size along axis {axis} open, "
                         f"{given or 'without a name'!r}: load_model(path, sizes={{{given!r}: 224}}) "
                         "says it.")

    # ---- constants
    def _constant(self, tensor: Any, name: str) -> NDArray[Any]:
        """Elements; raw bytes are a view."""
        shape = tuple(int(size) for size in tensor.dims)
        where = f"{self.name}: constant {name!r}"
        if tensor.data_type not in TYPES:
            raise ModelError(f"{where} is {type_name(tensor.data_type)}, which is not read.")
        dtype = np.dtype(TYPES[tensor.data_type])
        if len(shape) > MAX_AXES or any(size < 0 for size in shape):
            raise ModelError(f"{where} has a shape of {list(shape)}; {MAX_AXES} axes at most, none negative.")
        count = math.prod(shape)
        self.room -= count * dtype.itemsize
        if count * 8 > MAX_TENSOR_BYTES or self.room < 0:
            raise ModelError(f"{where} of shape {list(shape)} has {count:,} elements: too many.")
        if tensor.data_location == 1:
            found = np.frombuffer(self._outside(tensor, where, count * dtype.itemsize), dtype.newbyteorder("<"))
        elif tensor.HasField("raw_data"):
            if len(tensor.raw_data) != count * dtype.itemsize:
                raise ModelError(f"{where}, {dtype} {list(shape)}, takes {count * dtype.itemsize:,} bytes; there are "
                                 f"{len(tensor.raw_data):,}.")
            found = np.frombuffer(tensor.raw_data, dtype.newbyteorder("<"))
        else:
            listed = getattr(tensor, _FIELDS.get(dtype.name, "int32_data"))
            if len(listed) != count:
                raise ModelError(f"{where}, {dtype} {list(shape)}, has {count:,} elements; there are {len(listed):,}.")
            if dtype == np.float16:
                found = np.array(listed, np.int64).astype(np.uint16).view(np.float16)
            else:
                found = np.array(listed).astype(dtype)
        shaped = found.reshape(shape).astype(dtype, copy=False)
        shaped.flags.writeable = False
        return shaped

    def _outside(self, tensor: Any, where: str, wanted: int) -> bytes:
        """Bytes of another file: in the model's folder, and only where that was asked for."""
        if self.folder is None:
            raise ModelError(f"{where} is in another file. load_model(path, external=True) reads files of the model's "
                             f"folder.")
        said = {_text(one.key): _text(one.value) for one in tensor.external_data}
        folder = self.folder.resolve()
        try:
            path = (folder / said.get("location", "")).resolve()
            offset, length = int(said.get("offset", "0")), int(said.get("length", str(wanted)))
            fits = path.is_file() and path.is_relative_to(folder) and offset >= 0
            size = path.stat().st_size if fits else 0
        except (OSError, RuntimeError, ValueError):
            fits = False
        if not fits:
            raise ModelError(f"{where} lies in {said.get('location', '')!r}, which is not a file in the model's "
                             f"folder.")
        if length != wanted or offset + length > min(size, MAX_MODEL_BYTES):
            raise ModelError(f"{where} takes {wanted:,} bytes; its file has {size:,}, and {length:,} from {offset:,} "
                             "on are named.")
        with open_file(path) as file:
            file.seek(offset)
            found = file.read(length)
        if len(found) != wanted:
            raise ModelError(f"{where}: its file has been truncated.")
        return bytes(found)

    # ---- nodes
    def _node(self, node: Any, place: int, own: set[tuple[str, str]]) -> OnnxNode:
        said, kind = _text(node.domain), _text(node.op_type)
        domain = "" if said == "ai.onnx" else said
        word = (f"{domain}.{kind}" if domain else kind)[:120]
        word = word if word.isprintable() else ascii(word)
        refused = ""
        if (said, kind) in own:
            refused = "it is a function of the file, which are not read: inline them."
        elif domain not in _OPSETS:
            refused = f"operators of {domain!r} are not known here."
        attributes = {}
        for one in node.attribute:
            value, problem = self._attribute(one, f"node {place}, {word}")
            refused = refused or problem
            attributes[_text(one.name)] = value
        inputs, outputs = tuple(map(_text, node.input)), tuple(map(_text, node.output))
        return OnnxNode(place, word, inputs, outputs, attributes, refused or misfit(word, inputs, outputs, attributes))

    def _attribute(self, one: Any, where: str) -> tuple[Any, str]:
        kind = one.type
        if kind in (5, 10):
            return None, (f"its attribute {_text(one.name)!r} holds a network of its own (If, Loop, Scan), which is "
                          "not read.")
        if kind == 4:
            return self._constant(one.t, f"{_text(one.name)} of {where}"), ""
        simple = {1: "f", 2: "i"}
        lists = {6: "floats", 7: "ints"}
        if kind in simple:
            return getattr(one, simple[kind]), ""
        if kind in lists:
            return list(getattr(one, lists[kind])), ""
        if kind == 3:
            return one.s.decode("utf-8", "replace"), ""
        if kind == 8:
            return [each.decode("utf-8", "replace") for each in one.strings], ""
        return None, f"its attribute {_text(one.name)!r} is of a kind that is not read."


def consumers(nodes: Iterator[OnnxNode] | tuple[OnnxNode, ...]) -> dict[str, list[OnnxNode]]:
    """Who reads a value, by its name; a node once for every input."""
    found: dict[str, list[OnnxNode]] = {}
    for node in nodes:
        for name in node.inputs:
            if name:
                found.setdefault(name, []).append(node)
    return found
