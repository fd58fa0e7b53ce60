"""What a function is compared with: a Python function or another loaded one, as a definition of its contract."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from neonsim.errors import BadArgument

from .function import Function

__all__ = ["definition_from"]

# AAPCS and the processor's default: the one NaN that arithmetic makes (DDI 0487 A1.5, FPCR.DN aside).
_NAN = {"float16": (np.uint16, 0x7E00), "float32": (np.uint32, 0x7FC00000), "float64": (np.uint64, 0x7FF8 << 48)}


def definition_from(function: Function, reference: Callable[..., Any]) -> Callable[..., None]:
    """Return a reference as the definition of a function's contract: it takes all arguments by name and fills the
    outputs.

    reference   takes what a call of ``function`` is given (arrays that are read, numbers that no array says), in this
                order or by name, sizes by name too; returns what the call does. Or it takes all arguments, and fills
                its outputs

    Results must fit the outputs' types: 300 is no uint8. Every NaN becomes Arm's default one.
    Raises BadArgument for a reference with other arguments.
    """
    if not callable(reference):
        raise BadArgument(f"the reference of {function.entry} must be a Python function or a loaded one, not "
                          f"{type(reference).__name__}")
    outputs = list(function.outputs) + [""] * bool(function.contract.returns)
    dtypes = {a.name: a.memory.dtype for a in function.contract.arguments if a.memory is not None}
    dtypes[""] = function.contract.returns
    by_name, names = _asked(function, reference)

    def definition(**values: Any) -> Any:
        given = {name: values[name] for name in names}
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            result = reference(**given) if by_name else reference(*given.values())
        if result is None:
            return None
        results = result if isinstance(result, tuple) else (result,)
        if len(results) != len(outputs):
            raise BadArgument(f"the reference of {function.entry} returns {len(results)} results, the function "
                              f"{len(outputs)}")
        for name, each in zip(outputs, results, strict=True):
            fitted = _fitted(each, dtypes[name], name or "what is returned", function.entry)
            if not name:
                return fitted[()]
            values[name][...] = fitted
        return None

    return definition


def _asked(function: Function, reference: Callable[..., Any]) -> tuple[bool, tuple[str, ...]]:
    """(whether by name, which arguments) a reference is called with."""
    every = tuple(a.name for a in function.contract.arguments)
    if isinstance(reference, Function):
        known = {a.name for a in reference.contract.arguments} - {*reference.outputs}
        if {*reference.inputs} <= {*every}:
            return True, tuple(name for name in every if name in known)
        return False, function.inputs
    if isinstance(reference, np.ufunc):
        taken, count = [], reference.nin
    else:
        parameters = [p for p in inspect.signature(reference).parameters.values() if p.default is p.empty
                      and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
        taken, count = [p.name for p in parameters if p.kind != p.POSITIONAL_ONLY], len(parameters)
    if taken and len(taken) == count and set(taken) <= set(every):
        return True, tuple(taken)
    if count != len(function.inputs):
        raise BadArgument(f"the reference of {function.entry} takes {count} arguments ({', '.join(taken)}); a call is "
                          f"given {', '.join(function.inputs)}")
    return False, function.inputs


def _fitted(values: Any, dtype: str, name: str, entry: str) -> Any:
    """A result in the output's type. Raises BadArgument where it does not hold a value."""
    array = np.asarray(values)
    with np.errstate(over="ignore", invalid="ignore"):
        made = array.astype(dtype)
    if made.dtype.kind == "f":
        made = np.array(made)   # not the reference's own
        unsigned, bits = _NAN[dtype]
        made.view(unsigned)[np.isnan(made)] = bits
        return made
    wrong = np.argwhere(np.atleast_1d(made != array))
    if wrong.size:
        index = tuple(wrong[0].tolist())
        raise BadArgument(f"the reference of {entry} gives {np.atleast_1d(array)[index]} for {name}"
                          f"[{', '.join(map(str, index))}], which does not fit {dtype}. Clip or wrap it there")
    return made
