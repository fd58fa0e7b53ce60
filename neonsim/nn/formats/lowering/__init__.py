"""From a record to a graph of our operators, by the rules of the runtime whose bytes are wanted.

Every kind of node has one function here, which adds what it means to the graph. One that cannot says why, in a sentence
that names the node; nodes that need its result are left out with it, and all the others still run.

    base       what all of them use          products   convolutions, fully connected layers
    elements   element by element, softmax   pooling    windows and means           moves   nothing is computed
    single     what runtimes that compute in single precision do otherwise            plain   numbers as they are
    reals      all of these on float32
    states     what is kept from run to run
    delegate   which nodes run by the rules of the runtime's delegate, which by those of its own kernels
"""

from __future__ import annotations

from neonsim.errors import BadArgument
from neonsim.nn.formats.ir import ModelIR
from neonsim.nn.formats.lowering import (
    data_movement,
    elementwise,
    float32,
    onnxruntime,
    pooling,
    unquantized,
    variables,
    weights,
)
from neonsim.nn.formats.lowering.base import (
    ACTIVATION_LIMITS,
    Kind,
    LoweredNode,
    Lowering,
    UnsupportedNode,
    VariableState,
    limits_of,
    no_change_reason,
    same_padding,
)
from neonsim.quant.requant.runtimes import ARITHMETICS

__all__ = [
    "ACTIVATION_LIMITS",
    "LoweredNode",
    "UnsupportedNode",
    "VariableState",
    "limits_of",
    "lower",
    "no_change_reason",
    "same_padding",
]

_KINDS: dict[str, Kind] = (weights.KINDS | elementwise.KINDS | pooling.KINDS | data_movement.KINDS | variables.KINDS
                           | unquantized.KINDS)


def lower(record: ModelIR, arithmetic: str = "xnnpack") -> LoweredNode:
    """The graph of a record.

    arithmetic   whose rules: a name of ARITHMETICS

    Raises BadArgument for another name and for a runtime that does not read such files, ModelError for inputs of a
    type that no graph has.
    """
    if arithmetic not in ARITHMETICS:
        raise BadArgument(f"arithmetic must be {', '.join(map(repr, ARITHMETICS))}; got {arithmetic!r}.")
    rules = ARITHMETICS[arithmetic]
    if record.format not in rules.formats:
        there = ", ".join(name for name, one in ARITHMETICS.items() if record.format in one.formats)
        raise BadArgument(f"{arithmetic} reads no .{record.format} file: for {record.name} there is {there}.")
    return Lowering(record, rules, _KINDS | onnxruntime.KINDS if rules.single else _KINDS, float32.KINDS).all()
