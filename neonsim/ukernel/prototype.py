"""A contract from a C prototype and a definition in numpy: what a function promises, in two languages readers know.

    size_t n                    a size: an int to the definition; so is any integer that stands in brackets
    int32_t zero, float scale   a number: an int, a float
    const uint8_t x[n][4]       an array that is read: uint8 [n, 4]; const uint8_t *x[n] says the same
    uint8_t y[n]                an array that is written, every element of it and nothing else
    int32_t sum(...)            what the definition returns behind its arrays
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple

from neonsim.arm.asm.c.prototypes import Prototype
from neonsim.errors import BadArgument
from neonsim.ukernel.contract import NUMBERS, Argument, Contract, In, InOut, Out, Pointee

__all__ = ["contract_of", "declared_in", "definition_of", "prototype_text"]

_FUNCTION = re.compile(r"\s*([A-Za-z_][\w\s]*?)\s+([A-Za-z_]\w*)\s*\((.*)\)\s*;?\s*", re.S)
_PARAMETER = re.compile(r"(\w+(?:\s+\w+)*)(?:\s+|\s*(\*)\s*(?:(?:const|restrict|__restrict)\s+)*)"
                        r"([A-Za-z_]\w*)\s*((?:\[[^\[\]]*\]\s*)*)")
_SIZE = re.compile(r"(?:(\d+)\*)?(\w+)(?:\*(\d+))?(?:/(\d+))?(?:\+(\d+))?")
_QUALIFIERS = frozenset(("const", "volatile", "restrict", "static", "inline", "extern", "__restrict"))
# C's other names of the types that have a width, as Arm's procedure call standard has them (AAPCS64 10.1).
_SPELLED = {"unsigned char": "uint8_t", "char": "uint8_t", "signed char": "int8_t", "short": "int16_t",
            "short int": "int16_t", "unsigned short": "uint16_t", "short unsigned int": "uint16_t", "int": "int32_t",
            "unsigned": "uint32_t", "unsigned int": "uint32_t", "long long": "int64_t", "long long int": "int64_t",
            "unsigned long long": "uint64_t", "long long unsigned int": "uint64_t", "float32_t": "float",
            "float64_t": "double", "__fp16": "float16_t", "_Float16": "float16_t", "_Bool": "bool",
            "long unsigned int": "size_t", "unsigned long": "size_t", "long int": "size_t", "long": "size_t",
            "ptrdiff_t": "size_t", "uintptr_t": "size_t", "intptr_t": "size_t", "ssize_t": "size_t"}
_ELEMENTS = {ctype: dtype for ctype, dtype in NUMBERS.items() if ctype != "bool"}


class _Said(NamedTuple):
    """One parameter as it is written: its type without const, and what stands in its brackets."""

    text: str
    name: str
    ctype: str
    const: bool
    star: bool
    sizes: tuple[str, ...]


def contract_of(prototype: str, definition: Callable[..., Any] | None, changed: Collection[str] = ()) -> Contract:
    """The contract of a prototype; ``changed`` names arrays that are read and written.

    definition   takes its arguments by name, fills its outputs or returns them; None: there is none to judge by. A
                 pointer without brackets has as many elements as the only size says

    Raises BadArgument for what is no such prototype, and for a definition with other arguments.
    """
    if not isinstance(prototype, str) or (whole := _FUNCTION.fullmatch(prototype)) is None:
        raise BadArgument(f"{prototype!r} is not a prototype. Write it as in C, void add(size_t n, const uint8_t a[n], "
                          "uint8_t y[n])")
    returned, name, inside = whole.groups()
    said = [_read(" ".join(text.split())) for text in inside.split(",")] if inside.strip() not in ("", "void") else []
    names = [one.name for one in said]
    if twice := [one for one in names if names.count(one) > 1]:
        raise BadArgument(f"the prototype has two arguments {twice[0]}")
    arguments = [_argument(one, _sizes_of(said), changed) for one in said]
    if wrong := sorted(set(changed) - {a.name for a in arguments if isinstance(a.memory, InOut)}):
        raise BadArgument(f"{name}: changed names {', '.join(wrong)}, but only arrays of the prototype without const "
                          f"can change")
    kind = _SPELLED.get(_plain(returned), _plain(returned))
    if kind != "void" and kind not in NUMBERS:
        raise BadArgument(f"{name} returns {kind}; it must return void or one of {', '.join(NUMBERS)}")
    if kind == "void" and not any(isinstance(a.memory, Out | InOut) for a in arguments):
        raise BadArgument(f"{name} has no output: at least one array must be without const")
    returns = NUMBERS.get(kind, "")
    if definition is None:
        return Contract(name, tuple(arguments), _undefined(name), "", tuple(names), returns=returns)
    return Contract(name, tuple(arguments), definition_of(definition, arguments, name, returns),
                    inspect.getdoc(definition) or "", tuple(names), returns=returns)


def _undefined(name: str) -> Callable[..., None]:
    def definition(**_: Any) -> None:
        raise BadArgument(f"{name} has no definition to compare with")

    return definition


def _plain(text: str) -> str:
    return " ".join(word for word in text.split() if word not in _QUALIFIERS)


def _read(text: str) -> _Said:
    found = _PARAMETER.fullmatch(text)
    if found is None:
        raise BadArgument(f"{text!r} is not an argument of a prototype: write size_t n, int32_t zero, const uint8_t "
                          f"x[n] or uint8_t y[n] (an array has its size in brackets)")
    written, star, name, brackets = found.groups()
    kind = _plain(written)
    sizes = tuple(one.replace("static", "").strip() for one in re.findall(r"\[([^\[\]]*)\]", brackets))
    return _Said(text, name, _SPELLED.get(kind, kind), "const" in written.split(), star is not None, sizes)


def _sizes_of(said: Sequence[_Said]) -> list[str]:
    """The integers that are sizes: those that brackets name, and every size_t."""
    inside = {word for one in said for size in one.sizes for word in re.findall(r"[A-Za-z_]\w*", size)}
    whole = {ctype for ctype, dtype in NUMBERS.items() if "int" in dtype} | {"size_t"}
    return [one.name for one in said if not one.star and not one.sizes and one.ctype in whole and (
        one.ctype == "size_t" or one.name in inside)]


def _argument(said: _Said, sizes: Sequence[str], changed: Collection[str]) -> Argument:
    name, kind = said.name, said.ctype
    if not said.star and not said.sizes:
        if kind not in NUMBERS and kind != "size_t":
            raise BadArgument(f"{said.text!r}: a number must be size_t, {', '.join(NUMBERS)}; an array needs its size "
                              f"in brackets, {kind} {name}[n]")
        return Argument(name, kind, "size" if name in sizes else "int32" if kind == "int32_t" else "number")
    if kind not in _ELEMENTS:
        raise BadArgument(f"{said.text!r}: elements must be {', '.join(_ELEMENTS)}; got {kind}")
    if not said.sizes and len(sizes) != 1:
        raise BadArgument(f"{said.text!r}: an array needs its size in brackets, not a star: {kind} {name}[n]")
    shape = " ".join(_size(one, name, sizes) for one in said.sizes or sizes)
    role: type[Pointee] = In if said.const else InOut if name in changed else Out
    return Argument(name, f"{'const ' if said.const else ''}{kind} *", "memory", role(_ELEMENTS[kind], shape))


def _size(text: str, array: str, known: Sequence[str]) -> str:
    """A size in brackets, as shapes of contracts say it: "n", "n*2", "k/4", "n+2", "16"."""
    found = _SIZE.fullmatch(text.replace(" ", ""))
    if found is None or not (found[2].isdigit() or found[2] in known):
        raise BadArgument(f"{array}[{text}]: a size must be a number or an integer of the prototype"
                          f"{f' ({chr(44).join(known)})' if known else ''}, also n*2, n/4 or n+2")
    factor, name, times, divided, more = found.groups()
    if factor and times:
        raise BadArgument(f"{array}[{text}]: a size has at most one factor")
    return name + "".join(sign + number for sign, number in (("*", factor or times), ("/", divided), ("+", more))
                          if number)


def definition_of(function: Callable[..., Any], arguments: Sequence[Argument], what: str,
                  returns: str = "") -> Callable[..., Any]:
    """A definition as contracts call it: it fills its outputs, or returns what goes into them.

    returns   the type of what the function returns besides, "" for nothing: the last of what the definition returns

    Raises BadArgument if it does not take just these arguments.
    """
    if not callable(function):
        raise BadArgument(f"{what}: a definition must be a function of numpy arrays, not {type(function).__name__}")
    names = [one.name for one in arguments]
    taken = list(inspect.signature(function).parameters)
    if taken != names:
        raise BadArgument(f"{what}: the definition {getattr(function, '__name__', '')} takes ({', '.join(taken)}), but "
                          f"the prototype has ({', '.join(names)})")
    outputs = [one.name for one in arguments if isinstance(one.memory, Out | InOut)]

    @functools.wraps(function)
    def filled(**values: Any) -> Any:
        result = function(**values)
        if result is None:
            return None
        results = result if isinstance(result, tuple) else (result,)
        number = results[-1] if returns else None
        if returns and len(results) == 1:
            return number       # its arrays it has filled, or it has none
        if len(results) - bool(returns) != len(outputs):
            raise BadArgument(f"{what}: the definition returns {len(results)} results for "
                              f"{', '.join([*outputs, *(['what is returned'] if returns else [])])}")
        for name, each in zip(outputs, results[:len(outputs)], strict=True):
            values[name][...] = each
        return number

    return filled


def declared_in(text: str, name: str) -> str:
    """The prototype of a function that C text defines or declares, "" if it does not."""
    plain = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.S)
    found = re.search(rf"(?:^|[;}}\n])\s*((?:\w+\s+)+)\*?\s*{re.escape(name)}\s*(\([^()]*\))\s*[;{{]", plain)
    return "" if found is None else f"{_plain(found[1])} {name}{found[2]}"


def prototype_text(prototype: Prototype) -> str:
    """What debug information says of a function, as C declares it."""
    inside = ", ".join(f"{one.ctype} {one.name}".replace("* ", "*") for one in prototype.parameters)
    return f"{prototype.returns or 'void'} {prototype.name}({inside})"

