"""Places in a network: "layer:y,x,c" as tensor and index, in the order of axes that the file has."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass

import numpy as np

from neonsim.errors import BadArgument
from neonsim.nn.formats import Model
from neonsim.nn.formats.ir import IRNode
from neonsim.verify.debugger.graph_tensors import OWN

__all__ = ["TensorElement", "index_of", "near_names", "place_at", "producers", "short_name"]

Index = tuple[int, ...]
# Of an image's element.
_ORDERS = {"tflite": "row, column, channel", OWN: "row, column, channel",
           "onnx": "channel, row, column, as the file has them"}


@dataclass(frozen=True)
class TensorElement:
    """An element of a tensor of a file.

    number   int              of the tensor
    name     str
    index    (int, ...)       as the file has the tensor's shape
    entry    Entry or None    the node that makes it; None: an input of the network
    """

    number: int
    name: str
    index: Index
    entry: IRNode | None

    def __str__(self) -> str:
        node = "an input of the network" if self.entry is None else f"node {self.entry.place}, {self.entry.word}"
        return f"{short_name(self.name)}[{','.join(map(str, self.index))}] ({node})"


def short_name(name: str) -> str:
    """Converters name a tensor after all that was folded into it, joined by semicolons: the first of them."""
    return name.split(";")[0] or name


def producers(model: Model) -> dict[int, IRNode]:
    """Return which node of the file makes each tensor."""
    return {number: entry for entry in model.record.nodes for number in entry.outputs}


def near_names(name: str, known: list[str]) -> str:
    """Return a few of these names, the nearest first."""
    inside = [one for one in known if name and name.lower() in one.lower()]
    near = list(dict.fromkeys([*difflib.get_close_matches(name, known, 3, 0.4), *inside]))[:4]
    return ", ".join(map(repr, near or known[:4]))


def place_at(model: Model, at: str) -> TensorElement:
    """Return what "layer:y,x,c" means.

    at   name of a tensor or number of a node, a colon, and an index of it; what is left out in front is 0

    Raises BadArgument: no such text, no such layer, an index outside.
    """
    found = re.fullmatch(r"(.*):\s*(\d{1,10}(?:\s*,\s*\d{1,10}){0,7})\s*", at if isinstance(at, str) else "", re.S)
    if found is None:
        raise BadArgument(f"{at!r} is not an element. Write LAYER:INDEX, as 3:5,7,0 or \"conv1:5,7,0\" (a node's "
                          f"number or a tensor's name; {_ORDERS[model.record.format]}, counted from 0).")
    layer, index = found[1].strip(), tuple(int(word) for word in found[2].split(","))
    number = _tensor(model, layer)
    stored = model.record.tensors[number]
    shape = stored.shape or (1,)
    whole = (0,) * (len(shape) - len(index)) + index
    skipped = shape[:len(shape) - len(index)]
    if len(index) > len(shape) or any(size != 1 for size in skipped[1:]):
        raise BadArgument(f"{stored.name!r} has shape {list(shape)}: {len(index)} numbers do not select an element.")
    if any(i >= size for i, size in zip(whole, shape, strict=True)):
        raise BadArgument(f"{list(index)} is outside {stored.name!r}, which has shape {list(shape)}. Indices begin at "
                          f"0.")
    return TensorElement(number, stored.name, whole, producers(model).get(number))


def _tensor(model: Model, layer: str) -> int:
    record, made = model.record, producers(model)
    there = [*record.inputs, *made]
    for number in there:
        if record.tensors[number].name == layer:
            return number
    short = [number for number in there if short_name(record.tensors[number].name) == layer]
    if len(short) == 1:
        return short[0]
    if re.fullmatch(r"\d{1,7}", layer):
        entry = next((entry for entry in record.nodes if entry.place == int(layer)), None)
        if entry is None:
            raise BadArgument(f"{record.name} has no node {layer}; it has {len(record.nodes)}, and the first is 0 "
                              f"({_list_of(model, 'nodes')} lists them).")
        if entry.outputs:
            return entry.outputs[0]
    if any(tensor.name == layer for tensor in record.tensors):
        raise BadArgument(f"{layer!r} of {record.name} is a constant, which is not computed.")
    names = [short_name(record.tensors[number].name) for number in there]
    raise BadArgument(f"{record.name} has no layer {layer!r}; there are {near_names(layer, names)} "
                      f"({_list_of(model, 'tensors')} lists all).")


def _list_of(model: Model, what: str) -> str:
    """What shows all nodes, or tensors: a command for a file, an attribute of a graph."""
    record = model.record
    return f"`graph.{what}`" if record.format == OWN else f"`neonsim models {record.name}`"


def index_of(flat: int, shape: tuple[int, ...]) -> Index:
    """Return an element's index from its place in memory."""
    return tuple(int(i) for i in np.unravel_index(flat, shape or (1,)))
