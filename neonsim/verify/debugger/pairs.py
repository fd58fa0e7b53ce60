"""Two sides of one network: two arithmetics, two files, or a file and a dump."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from neonsim.errors import BadArgument
from neonsim.nn.formats import Model
from neonsim.nn.formats.ir import IRNode
from neonsim.verify.debugger.dump import is_dump
from neonsim.verify.debugger.locations import TensorElement
from neonsim.verify.debugger.runtimes import Rules, Values, all_rules, checked_arithmetic

__all__ = ["MatchedElement", "RuntimePair", "pair_of"]


@dataclass(eq=False)
class RuntimePair:
    """Two sides of one network.

    a        Rules
    b        Rules, or None: a dump
    moved    {number of a: number of b}    where b is another file
    candidates  every arithmetic there is, to say whose bytes b has
    """

    model: Model
    a: Rules
    b: Rules | None
    b_name: str
    moved: dict[int, int] | None
    candidates: list[Rules]

    def from_b(self, values: Values) -> Values:
        """Tensors of the other file by a's numbers."""
        if self.moved is None:
            return values
        return {mine: values[theirs] for mine, theirs in self.moved.items() if theirs in values}

    def to_b(self, values: Mapping[int, NDArray[Any]]) -> Values:
        """Return the other way round."""
        if self.moved is None:
            return dict(values)
        return {theirs: values[mine] for mine, theirs in self.moved.items() if mine in values}

    def layer_of_b(self, entry: IRNode, values: Values) -> Values:
        """Return what b's rules make of a layer's inputs."""
        assert self.b is not None
        if self.moved is None:
            return self.b.layer(entry.place, values)
        wanted = {self.moved.get(number) for number in entry.outputs}
        theirs = next((one for one in self.b.model.record.nodes if wanted & set(one.outputs)), None)
        return {} if theirs is None else self.from_b(self.b.layer(theirs.place, self.to_b(values)))


def pair_of(model: Model, a: str, b: Any, backend: str | None) -> RuntimePair:
    first = Rules(model, checked_arithmetic(a, model), backend)
    if isinstance(b, Model):
        name = b.record.name if b.record.name != model.record.name else f"{b.record.name} (b)"
        other = Rules(b, a, backend, name)
        return RuntimePair(model, first, other, name, numbers_of(model, b), all_rules(model, backend, [first]))
    if is_dump(b):
        return RuntimePair(model, first, None, "dump", None, all_rules(model, backend, [first]))
    if isinstance(b, Path) or (isinstance(b, str) and ("/" in b or "." in b)):
        raise BadArgument(f"there is no dump {b}. A dump is an .npz, or a folder with one .npy file for each tensor.")
    other = Rules(model, checked_arithmetic(b, model), backend)
    return RuntimePair(model, first, other, other.name, None, all_rules(model, backend, [first, other]))


def numbers_of(model: Model, other: Model) -> dict[int, int]:
    """{number: number of the tensor of the same name, shape and type in another file}."""
    by_name = {tensor.name: number for number, tensor in enumerate(other.record.tensors)}
    found = {}
    for number, tensor in enumerate(model.record.tensors):
        theirs = by_name.get(tensor.name)
        if theirs is not None and other.record.tensors[theirs].shape == tensor.shape \
                and other.record.tensors[theirs].dtype == tensor.dtype:
            found[number] = theirs
    if not all(number in found for number in model.record.inputs):
        raise BadArgument(f"{other.record.name} has different inputs from {model.record.name}. Names, shapes and types "
                          f"must be the same.")
    return found


@dataclass(eq=False)
class MatchedElement:
    """What is needed to explain an element later.

    state     tensors of b before its layer, which both sides are given
    b_value   what b has there
    b_tensors  tensors of b with that layer
    """

    place: TensorElement
    state: Values
    b_value: Any
    b_tensors: Values
