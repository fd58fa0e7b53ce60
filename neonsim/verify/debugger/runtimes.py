"""Who gives the bytes: a network by the rules of a runtime, layer by layer from any inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.errors import BackendError, BadArgument, ModelError
from neonsim.nn.backends import candidates
from neonsim.nn.formats import ARITHMETICS, Model
from neonsim.nn.graph.plan.run import OperatorPlan
from neonsim.quant.tensor_type import elements
from neonsim.verify.debugger.graph_tensors import GraphModel

__all__ = ["Rules", "Values", "all_rules", "checked_arithmetic"]

Values = dict[int, NDArray[Any]]        # by the file's numbers of tensors, in the file's shapes


def checked_arithmetic(name: object, model: Model) -> str:
    """Return the name, if there is such an arithmetic, or the graph's own. Raises BadArgument."""
    if isinstance(model, GraphModel):
        return model.rules(name)  # type: ignore[arg-type]
    if not isinstance(name, str) or name not in ARITHMETICS:
        raise BadArgument(f"unknown arithmetic {name!r}; use {', '.join(ARITHMETICS)}. A dump is a dict of arrays, a "
                          f"folder of .npy files, or an .npz.")
    return name


class Rules:
    """A network by one arithmetic.

    name       of the arithmetic; of another file, of that file
    backend    None: the fastest here for every layer, native and reference; or one of both by name
    """

    def __init__(self, model: Model, arithmetic: str, backend: str | None = None, name: str = "") -> None:
        self.model, self.arithmetic, self.name = model, arithmetic, name or arithmetic
        self.lowered = model.lowered(arithmetic)
        there = [one for one, found in candidates() if not isinstance(found, str)]
        self.plan = OperatorPlan(self.lowered.graph, there if backend is None else backend)
        self.numbers: dict[str, list[int]] = {}
        for number, tensor in self.lowered.tensors.items():
            self.numbers.setdefault(tensor, []).append(number)
        # What variables hold: inputs of the graph beside the network's.
        held = model.state()
        self.variables = {state.input: held[name] for name, state in self.lowered.states.items()}
        self.entry_of = {node: place for place, nodes in self.lowered.nodes.items() for node in nodes}
        self.node_of = {result: node for node in self.lowered.graph.nodes for result in node.results}

    def computes(self, number: int) -> bool:
        """Is it a tensor that can be computed?"""
        return number in self.lowered.tensors

    def inputs(self, x: Any) -> Values:
        """Return the inputs of a run, as `Model.run` takes them."""
        given = x if isinstance(x, list | tuple) else [x]
        arrays = [np.asarray(getattr(value, "values", value)) for value in given]
        wanted = self.model.inputs
        if len(arrays) != len(wanted) or any(a.dtype != w.dtype or a.shape != w.shape
                                             for a, w in zip(arrays, wanted, strict=False)):
            got = ", ".join(f"{a.dtype} {list(a.shape)}" for a in arrays)
            raise BadArgument(f"{self.model.record.name} takes {', '.join(map(str, wanted))}; got {got}.")
        return dict(zip(self.model.record.inputs, arrays, strict=True))

    def free(self, inputs: Values, until: int | None = None) -> Values:
        """Every tensor of a run from the network's inputs.

        until   number of a tensor: only what comes before, and it
        """
        values = dict(inputs)
        for entry in self.model.record.nodes:
            if until is not None and until in values:
                break
            values |= self.layer(entry.place, values)
        return values

    def layer(self, place: int, values: Mapping[int, NDArray[Any]]) -> Values:
        """Return what one node of the file makes of given tensors; {} for one that is not computed here."""
        if place not in self.lowered.nodes:
            return {}
        entry = next(entry for entry in self.model.record.nodes if entry.place == place)
        made: dict[str, NDArray[Any]] = {}
        found = {}
        for number in entry.outputs:
            if number in self.lowered.tensors:
                name = self.lowered.tensors[number]
                node = self.node_of.get(name)
                own = node is not None and self.entry_of.get(node.name) == place    # else nothing is left to do
                array = self.model.record.tensors[number].to_file(self.value(name, values, made, fresh=own))
                found[number] = array.reshape(array.shape or (1,))
        return found

    def value(self, name: str, values: Mapping[int, NDArray[Any]], computed: dict[str, NDArray[Any]],
              fresh: bool = False) -> NDArray[Any]:
        """Return a tensor of the graph, from tensors of the file.

        computed  what was computed on the way before, kept for later
        fresh   computed by the node that makes it, even if it is in `values`
        """
        if name in computed:
            return computed[name]
        shape = self.lowered.graph.tensors[name].shape
        known = next((number for number in self.numbers.get(name, ()) if number in values), None)
        node = self.node_of.get(name)
        if known is not None and (not fresh or node is None):
            return self.model.record.tensors[known].from_file(np.asarray(values[known])).reshape(shape)
        if node is None and name in self.variables:
            return self.variables[name].reshape(shape)
        if node is None:
            raise BadArgument(f"{name} of {self.model.record.name} is missing.")
        inputs = [self.lowered.graph.tensors[one].type.value(self.value(one, values, computed))
                  for one in node.inputs]
        results = self.plan.compute(node.name, *inputs)
        computed |= {one: np.asarray(elements(result)) for one, result in zip(node.results, results, strict=True)}
        return computed[name]


def all_rules(model: Model, backend: str | None, computed: Sequence[Rules]) -> list[Rules]:
    """Return the network by every arithmetic there is; those that are made already are taken."""
    there = {one.name: one for one in computed if one.model is model}
    found = []
    for name, one in ARITHMETICS.items():
        if model.record.format not in one.formats:
            continue
        try:
            found.append(there.get(name) or Rules(model, name, backend))
        except (BackendError, ModelError):
            continue    # a runtime that does not take such a network did not make these bytes
    return found
