"""Variables of a network: what it keeps from one run to the next (M15).

A variable that is read before it is written is one more input of the graph, and what is written last to it is what
the next run reads. Nothing is kept here: the runner of the graph does (`neonsim.nn.formats.model`).
"""

from __future__ import annotations

from neonsim.nn.formats.ir import IRNode
from neonsim.nn.formats.lowering.base import Cannot, Kind, Lowering, in_words

__all__ = ["KINDS"]


def _call_once(of: Lowering, entry: IRNode) -> None:
    """What the file's subgraph writes was read with the file."""
    if entry.attributes["why"]:
        raise Cannot(entry.attributes["why"])


def _handle(of: Lowering, entry: IRNode) -> None:
    if len(entry.outputs) != 1:
        raise Cannot("it has one result: the variable.")
    of.variables[entry.outputs[0]] = entry.attributes["variable"]


def _variable(of: Lowering, entry: IRNode) -> str:
    number = entry.inputs[0] if entry.inputs else None
    if number is None or number not in of.variables:
        raise Cannot("its first input is not a variable.")
    return of.variables[number]


def _read(of: Lowering, entry: IRNode) -> None:
    name, result = _variable(of, entry), of.result(entry)
    if name not in of.current:
        initial = of.record.initial.get(name)
        if initial is None:
            raise Cannot(f"nothing has written the variable {name!r} before.")
        type_ = of.type_of(result)
        if initial.dtype != result.dtype or initial.shape != result.shape:
            raise Cannot(f"the variable {name!r} is {result}; it begins as {initial.dtype} {list(initial.shape)}.")
        of.current[name] = of.add_state(name, result, type_, initial)
    of.names[entry.outputs[0]] = of.current[name]


def _assign(of: Lowering, entry: IRNode) -> None:
    name, value = _variable(of, entry), of.name(entry, 1)
    if name in of.states:
        was, now = of.graph.tensors[of.states[name].input], of.graph.tensors[value]
        if (was.shape, was.type) != (now.shape, now.type):
            raise Cannot(f"the variable {name!r} is {list(was.shape)} of {in_words(was.type)}; {list(now.shape)} of "
                         f"{in_words(now.type)} is written to it.")
    of.current[name] = value


KINDS: dict[str, Kind] = {
    "assign_variable": _assign, "call_once": _call_once, "read_variable": _read, "variable": _handle,
}
