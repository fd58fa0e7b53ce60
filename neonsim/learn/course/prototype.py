"""A contract from a C prototype and a definition in numpy: what an exercise promises, in two languages readers know.

    size_t n                    a size: an int to the definition
    int32_t zero_point          a number: an int
    const uint8_t x[n][4]       an array that is read: uint8 [n, 4]
    uint8_t y[n]                an array that is written, every element of it and nothing else
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Collection, Sequence
from typing import Any

from neonsim.errors import BadArgument
from neonsim.ukernel.contract import Argument, Contract, In, InOut, Out

__all__ = ["contract_of", "definition_of"]

_FUNCTION = re.compile(r"\s*void\s+([a-z_]\w*)\s*\((.*)\)\s*;?\s*", re.S)
_PARAMETER = re.compile(r"(const\s+)?(\w+)\s+([A-Za-z_]\w*)\s*((?:\[[^\[\]]*\]\s*)*)")
_NUMBERS = {"size_t": "size", "int32_t": "int32"}
_ELEMENTS = {f"{sign}int{bits}_t": f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)} | {
    "float": "float32"}
_SIZE = re.compile(r"(?:(\d+)\*)?(\w+)(?:\*(\d+))?(?:/(\d+))?(?:\+(\d+))?")


def contract_of(prototype: str, definition: Callable[..., Any], changed: Collection[str] = ()) -> Contract:
    """The contract of a prototype; ``changed`` names arrays that are read and written.

    Raises BadArgument for what is no such prototype, and for a definition with other arguments or without a page.
    """
    if not isinstance(prototype, str) or (whole := _FUNCTION.fullmatch(prototype)) is None:
        raise BadArgument(f"{prototype!r} is no prototype: write it as C does, void add(size_t n, const uint8_t a[n], "
                          "uint8_t y[n])")
    name, inside = whole.groups()
    arguments: list[Argument] = []
    for text in inside.split(","):
        arguments.append(_argument(" ".join(text.split()), arguments, changed))
    if wrong := sorted(set(changed) - {a.name for a in arguments if isinstance(a.memory, InOut)}):
        raise BadArgument(f"{name}: changed names {', '.join(wrong)}, but arrays that are changed are those of the "
                          "prototype without const")
    if not any(isinstance(a.memory, Out | InOut) for a in arguments):
        raise BadArgument(f"{name} writes nothing: at least one array stands without const")
    if not (getattr(definition, "__doc__", None) or "").strip():
        raise BadArgument(f"{name}: the definition has no docstring; students read it: the formula, then the arguments")
    return Contract(name, tuple(arguments), definition_of(definition, arguments, name),
                    inspect.getdoc(definition) or "", tuple(one.name for one in arguments))


def _argument(text: str, before: list[Argument], changed: Collection[str]) -> Argument:
    found = _PARAMETER.fullmatch(text)
    if found is None:
        raise BadArgument(f"{text!r} is no argument of a prototype: write size_t n, int32_t zero, const uint8_t x[n] "
                          "or uint8_t y[n] (an array has its size in brackets, not a star)")
    const, kind, name, brackets = found.groups()
    if name in {one.name for one in before}:
        raise BadArgument(f"the prototype has two arguments {name}")
    if not brackets:
        if kind not in _NUMBERS or const:
            raise BadArgument(f"{text!r}: a number is size_t or int32_t; an array has its size in brackets, "
                              f"{kind} {name}[n]")
        return Argument(name, kind, _NUMBERS[kind])
    if kind not in _ELEMENTS:
        raise BadArgument(f"{text!r}: elements are {', '.join(_ELEMENTS)}, not {kind}")
    sizes = [_size(one, name, before) for one in re.findall(r"\[([^\[\]]*)\]", brackets)]
    role = In if const else InOut if name in changed else Out
    return Argument(name, f"{'const ' if const else ''}{kind} *", "memory", role(_ELEMENTS[kind], " ".join(sizes)))


def _size(text: str, array: str, before: list[Argument]) -> str:
    """A size in brackets, as shapes of contracts say it: "n", "n*2", "k/4", "n+2", "16"."""
    found = _SIZE.fullmatch(text.replace(" ", ""))
    known = [one.name for one in before if one.kind == "size"]
    if found is None or not (found[2].isdigit() or found[2] in known):
        raise BadArgument(f"{array}[{text}]: a size is a number, or a size_t that stands before the array"
                          f"{f' ({chr(44).join(known)})' if known else ''}, also n*2, n/4 or n+2")
    factor, name, times, divided, more = found.groups()
    if factor and times:
        raise BadArgument(f"{array}[{text}]: one factor is enough")
    return name + "".join(sign + number for sign, number in (("*", factor or times), ("/", divided), ("+", more))
                          if number)


def definition_of(function: Callable[..., Any], arguments: Sequence[Argument], what: str) -> Callable[..., None]:
    """A definition as contracts call it: it fills its outputs, or returns what goes into them.

    Raises BadArgument if it does not take just these arguments.
    """
    if not callable(function):
        raise BadArgument(f"{what}: a definition is a function of numpy arrays, not {type(function).__name__}")
    names = [one.name for one in arguments]
    taken = list(inspect.signature(function).parameters)
    if taken != names:
        raise BadArgument(f"{what}: the definition {getattr(function, '__name__', '')} takes ({', '.join(taken)}), the "
                          f"prototype says ({', '.join(names)})")
    outputs = [one.name for one in arguments if isinstance(one.memory, Out | InOut)]

    @functools.wraps(function)
    def filled(**values: Any) -> None:
        result = function(**values)
        if result is None:
            return
        results = result if isinstance(result, tuple) else (result,)
        if len(results) != len(outputs):
            raise BadArgument(f"{what}: the definition returns {len(results)} results for {', '.join(outputs)}")
        for name, each in zip(outputs, results, strict=True):
            values[name][...] = each

    return filled
