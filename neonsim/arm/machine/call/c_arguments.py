"""Arguments of a call as the function's prototype wants them: what a C compiler does to them at the caller's."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from neonsim.arm.asm import Program
from neonsim.arm.asm.c.prototypes import Parameter, Prototype
from neonsim.common.integers import is_int
from neonsim.errors import BadArgument

__all__ = ["converted", "prototype_at"]


def converted(program: Program, first: int, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """Numbers of the types that the function at an instruction takes; as they are if it is unknown what it takes.

    Raises BadArgument for a number of another kind, or one that does not fit.
    """
    prototype = prototype_at(program, first)
    if prototype is None or any(one.kind == "other" for one in prototype.parameters):
        return arguments
    made = [_one(argument, number, parameter, prototype.name) for number, (argument, parameter) in
            enumerate(zip(arguments, prototype.parameters, strict=False))]
    return (*made, *arguments[len(made):])


def prototype_at(program: Program, first: int) -> Prototype | None:
    """Return what the function that begins at an instruction takes, None if that is unknown."""
    return next((one for one in program.prototypes if program.symbols.get(one.name) == first), None)


def _one(argument: Any, number: int, parameter: Parameter, function: str) -> Any:
    if isinstance(argument, np.ndarray) and argument.dtype.kind in "iu" and parameter.kind in ("signed", "whole"):
        return _on_a_grid(argument, number, parameter, function)
    real = isinstance(argument, (float, np.floating))
    if not real and not isinstance(argument, (bool, np.bool_)) and not is_int(argument):
        return argument  # an array on a grid; of anything else the code that places it says what is wrong
    what = (f"argument {number} of {function}, `{parameter.ctype}"
            f"{'' if parameter.ctype[-1:] == '*' else ' '}{parameter.name}".rstrip() + f"`, is {argument!r}")
    if parameter.kind == "float":
        kind = np.dtype(f"f{parameter.nbytes}")
        with np.errstate(over="ignore"):
            try:
                value = kind.type(argument)
            except OverflowError:
                raise BadArgument(f"{what}, which does not fit") from None
        if np.isinf(value) and not np.isinf(float(argument)):
            raise BadArgument(f"{what}, which does not fit; the maximum is {np.finfo(kind).max:g}")
        return value
    if real:
        raise BadArgument(f"{what}; it must be "
                          + ("an address from memory.place" if parameter.kind == "address" else "an integer"))
    value, bits = int(argument), 8 * parameter.nbytes
    if parameter.kind == "truth":
        return np.uint8(value != 0)
    if not -(1 << bits - 1) <= value < 1 << bits:
        raise BadArgument(f"{what}, which does not fit {bits} bits")
    value &= (1 << bits) - 1
    signed = parameter.kind == "signed"
    return np.dtype(f"{'i' if signed else 'u'}{parameter.nbytes}").type(
        value - (1 << bits) if signed and value >> bits - 1 else value)


def _on_a_grid(values: npt.NDArray[Any], number: int, parameter: Parameter, function: str) -> npt.NDArray[Any]:
    """The same for one number per tile."""
    bits = 8 * parameter.nbytes
    if values.dtype.itemsize <= parameter.nbytes or not values.size:
        return values
    low, high = int(values.min()), int(values.max())
    if low < -(1 << bits - 1) or high >> bits > 0:
        raise BadArgument(f"argument {number} of {function}, `{parameter.ctype} {parameter.name}`, is from {low} to "
                          f"{high}, which does not fit {bits} bits")
    return values.astype(f"{'i' if parameter.kind == 'signed' else 'u'}{parameter.nbytes}")
