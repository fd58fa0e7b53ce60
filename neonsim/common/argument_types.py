"""What kind of value an argument is: the one place that says so, by the annotations of public functions.

    check_arguments(globals(), "Graph")
                  at the end of a package's __init__: its public functions, constructors, methods of these classes
    __getattr__ = later(globals(), "Graph")
                  public names that are loaded, and judged, when they are first used
    @judged       one function

A function that refuses a value itself says it best, and does. Where it fails otherwise over a value of another kind
than its annotation says (`backend=3`, `family=[]`), that was wrong, and BadArgument names argument, kinds and value. A
failure with arguments of the right kinds is passed on as it is. Annotations are only looked at then: a call that
succeeds takes no longer.
"""

from __future__ import annotations

import ast
import inspect
import math
import re
import sys
import types
from collections.abc import Callable, Mapping, Sequence
from functools import cache, wraps
from importlib import import_module
from importlib.util import resolve_name
from itertools import islice
from numbers import Number, Real
from operator import index
from typing import Any, NamedTuple, TypeVar, Union, get_args, get_origin

from neonsim.common.terminal import short_repr
from neonsim.errors import BadArgument, NeonsimError

__all__ = ["check_arguments", "is_protocol", "judged", "later"]

F = TypeVar("F", bound=Callable[..., Any])
_RAW = (TypeError, AttributeError, ValueError, LookupError, ArithmeticError, RecursionError, NotImplementedError)
_MAX_CHECKED = 1000      # elements of a sequence


def check_arguments(namespace: dict[str, Any], *methods: str) -> None:
    """Check the arguments of a package's public functions and of its public classes' constructors.

    methods   names of classes whose public methods are judged, too
    """
    for name in namespace["__all__"]:
        _judge(namespace, name, methods)


def later(namespace: dict[str, Any], *methods: str, judge: bool = True) -> Callable[[str], Any]:
    """Return a package's __getattr__, for names that are seldom used and import much: its file imports them under
    `if TYPE_CHECKING:`, and they are loaded when they are first used.

    No module of the package may have the name of one: importing it would put it in the name's place.

    methods   as of `check_arguments`; such a class is judged with the first name that loads its module
    judge     False: for a package whose names run too often to be judged
    """
    def load(name: str) -> Any:
        homes = _homes(namespace["__file__"], namespace["__name__"])
        if name not in homes or name not in namespace["__all__"]:
            raise AttributeError(f"{namespace['__name__']} has no {name!r}")
        namespace[name] = getattr(import_module(homes[name]), name)
        if judge:
            _judge(namespace, name, methods)
        for each in methods:
            if each not in namespace and homes.get(each) in sys.modules:
                load(each)
        return namespace[name]

    return load


@cache
def _homes(file: str, package: str) -> dict[str, str]:
    """Modules of the names that the file of a package imports for type checkers."""
    with open(file, encoding="utf-8") as opened:
        block = re.split(r"^if TYPE_CHECKING:\n", opened.read(), maxsplit=1, flags=re.M)[-1]
    block = re.split(r"^\S", block, maxsplit=1, flags=re.M)[0]
    found = re.findall(r"^    from (\S+) import (\([^)]*\)|.*)", block, re.M)
    return {name: resolve_name(home, package) for home, names in found for name in re.findall(r"\w+", names)}


def _judge(namespace: dict[str, Any], name: str, methods: Sequence[str] = ()) -> None:
    found = namespace.get(name)
    if inspect.isfunction(found) or (found is not None and hasattr(found, "cache_clear")):
        namespace[name] = judging = judged(found)
        if judging is not found:    # pickle looks for it in the package
            judging.__module__, judging.__qualname__ = namespace["__name__"], name
    elif inspect.isclass(found) and not issubclass(found, BaseException) and not is_protocol(found):
        own: dict[str, Any] = {"__init__": found.__init__, **(vars(found) if name in methods else {})}
        for key, value in own.items():
            if inspect.isfunction(value) and (key in ("__init__", "__call__") or not key.startswith("_")):
                setattr(found, key, judged(value))


def is_protocol(class_: type) -> bool:
    """Return whether a class only says what others have."""
    return bool(getattr(class_, "_is_protocol", False))


def judged(function: F) -> F:
    """Return a function whose failures over arguments of wrong kinds are BadArgument."""
    if hasattr(function, "__judged__"):
        return function

    @wraps(function)
    def judging(*args: Any, **given: Any) -> Any:
        try:
            return function(*args, **given)
        except NeonsimError:
            raise
        except _RAW as problem:
            wrong = _wrong(function, args, given)
            if wrong is None:
                raise
            raise BadArgument(wrong) from problem

    judging.__judged__ = True  # type: ignore[attr-defined]
    for name in ("cache_clear", "cache_info"):
        if hasattr(function, name):
            setattr(judging, name, getattr(function, name))
    return judging  # type: ignore[return-value]


def _wrong(function: Callable[..., Any], args: tuple[Any, ...], given: dict[str, Any]) -> str | None:
    """A sentence about the first argument that is of another kind than its annotation; None: all are as they should be,
    or the call itself does not fit."""
    signature = inspect.signature(function)
    try:
        bound = signature.bind(*args, **given).arguments
    except TypeError:
        return None
    called = function.__qualname__.removesuffix(".__init__").rpartition(".")[2]
    for name, value in bound.items():
        parameter = signature.parameters[name]
        if parameter.annotation is parameter.empty:
            continue
        kind = _kind(parameter.annotation, getattr(function, "__globals__", {}))
        each = {parameter.VAR_POSITIONAL: tuple, parameter.VAR_KEYWORD: lambda them: tuple(them.values())}
        for one in each[parameter.kind](value) if parameter.kind in each else (value,):
            if not kind.fits(one):
                return f"{called}: {name} is {kind.words}; got {_got(one)}."
            if isinstance(one, Real) and not math.isfinite(one):
                return f"{called}: {name} is a finite number; got {one}."
    return None


def _got(value: Any) -> str:
    plain = isinstance(value, Number | str | bytes | list | tuple | dict | set | types.NoneType)
    return short_repr(value) if plain else _a(type(value).__name__)


class _Kind(NamedTuple):
    """What an annotation says: whether a value is so, and in words. Of what cannot be told, everything is."""

    fits: Callable[[Any], bool]
    words: str


_ANY = _Kind(lambda value: True, "anything")
_REST = _Kind(lambda value: True, "...")
_NONE = _Kind(lambda value: value is None, "None")


def _whole(value: Any) -> bool:
    try:
        index(value)
    except TypeError:
        return False
    return not isinstance(value, bool)


# numpy is loaded where a value is looked at, which no call that succeeds does: words of Arm's need no arrays.

def _is_numpy(value: Any, *names: str) -> bool:
    """Whether a value is of one of these types of numpy."""
    import numpy as np

    return isinstance(value, tuple(getattr(np, name) for name in names))


def _number(value: Any) -> bool:
    return _whole(value) or isinstance(value, float) or _is_numpy(value, "floating") or (
        _is_numpy(value, "ndarray") and value.ndim == 0 and value.dtype.kind == "f")


def _numbers(value: Any) -> bool:
    """Whether numpy makes numbers of it."""
    import numpy as np

    try:
        return np.asarray(value).dtype.kind in "biufc"
    except (ValueError, TypeError):
        return False


_SIMPLE: dict[str, _Kind] = {
    "Any": _ANY, "object": _ANY, "None": _NONE, "NoneType": _NONE,
    "int": _Kind(_whole, "an integer"), "float": _Kind(_number, "a number"),
    "bool": _Kind(lambda value: isinstance(value, bool) or _is_numpy(value, "bool_"), "True or False"),
    "str": _Kind(lambda value: isinstance(value, str), "a str"),
    "bytes": _Kind(lambda value: isinstance(value, bytes | bytearray), "bytes"),
    "Path": _Kind(lambda value: hasattr(value, "__fspath__"), "a Path"),
    "NDArray": _Kind(lambda value: _is_numpy(value, "ndarray"), "a numpy array"),
    "ndarray": _Kind(lambda value: _is_numpy(value, "ndarray"), "a numpy array"),
    "ArrayLike": _Kind(_numbers, "an array of numbers"),
    "Callable": _Kind(callable, "a function"), "type": _Kind(inspect.isclass, "a class"),
}
_SEQUENCES = ("Sequence", "list", "tuple", "Collection", "Iterable", "Iterator", "set", "frozenset")
_MAPPINGS = ("Mapping", "dict", "MutableMapping")


def _kind(annotation: Any, names: Mapping[str, Any]) -> _Kind:
    """What an annotation says, a type or its text, whose names stand among `names`, or belong to type checkers only."""
    if isinstance(annotation, str):
        try:
            return _of_text(ast.parse(annotation, mode="eval").body, names)
        except SyntaxError:
            return _ANY
    return _of_type(annotation, names)


def _of_text(node: ast.expr, names: Mapping[str, Any]) -> _Kind:
    match node:
        case ast.BinOp(left, ast.BitOr(), right):
            return _either([_of_text(left, names), _of_text(right, names)])
        case ast.Constant(None):
            return _NONE
        case ast.Constant(value) if value is ...:
            return _REST
        case ast.Constant(str() as text):
            return _kind(text, names)
        case ast.Subscript(ast.Name(name) | ast.Attribute(attr=name), inner):
            parts = inner.elts if isinstance(inner, ast.Tuple) else [inner]
            return _generic(name, [_of_text(part, names) for part in parts])
        case ast.Name(name) | ast.Attribute(attr=name) if name in _SIMPLE:
            return _SIMPLE[name]
        case ast.Name(name) if name in names:
            return _of_type(names[name], names)
        case ast.Name(name) | ast.Attribute(attr=name):
            return _generic(name, [])
    return _ANY


def _of_type(found: Any, names: Mapping[str, Any]) -> _Kind:
    origin = get_origin(found)
    if isinstance(found, types.UnionType) or origin is Union:
        return _either([_of_type(one, names) for one in get_args(found)])
    if isinstance(found, str):
        return _kind(found, names)
    if origin is not None:
        return _generic(getattr(origin, "__name__", ""), [_of_type(one, names) for one in get_args(found)])
    if found is None or found is ...:
        return _NONE if found is None else _REST
    if not inspect.isclass(found):
        return _ANY
    if found.__name__ in _SIMPLE:
        return _SIMPLE[found.__name__]
    if is_protocol(found):
        return _Kind(lambda value: _has(found, value), _a(found.__name__))
    return _Kind(lambda value: isinstance(value, found), _a(found.__name__))


def _generic(name: str, parts: list[_Kind]) -> _Kind:
    """Sequences and mappings with what is in them, and classes by their names."""
    if name in _SIMPLE:
        return _SIMPLE[name]
    if name == "tuple" and parts and _REST not in parts:
        return _Kind(lambda value: _in_a_row(value) and hasattr(value, "__len__") and len(value) == len(parts) and all(
            kind.fits(one) for kind, one in zip(parts, value, strict=True)), f"a sequence of {len(parts)}")
    if name in _SEQUENCES:
        inner = parts[0] if parts else _ANY
        return _Kind(lambda value: _in_a_row(value, name in ("Collection", "Iterable")) and (
            not hasattr(value, "__len__") or all(map(inner.fits, islice(value, _MAX_CHECKED)))),
            "a sequence" if inner is _ANY else f"a sequence, each of it {inner.words}")
    if name in _MAPPINGS:
        key, item = parts if len(parts) == 2 else (_ANY, _ANY)
        return _Kind(lambda value: isinstance(value, Mapping) and all(
            key.fits(a) and item.fits(b) for a, b in islice(value.items(), _MAX_CHECKED)),
            "a dict" if item is _ANY else f"a dict, each of its values {item.words}")
    if name in ("Literal", "Self", "TypeVar") or not name:
        return _ANY
    return _Kind(lambda value: any(one.__name__ == name for one in type(value).__mro__), _a(name))


def _in_a_row(value: Any, loose: bool = False) -> bool:
    """Whether it has elements one after the other; loose: a dict has, too."""
    if isinstance(value, str | bytes) or (isinstance(value, Mapping) and not loose):
        return False
    return hasattr(value, "__iter__") and not (_is_numpy(value, "ndarray") and value.ndim == 0)


def _has(protocol: type, value: Any) -> bool:
    """Whether a value has what a protocol names."""
    named = {name for one in protocol.__mro__ if is_protocol(one) for name in (
        *vars(one), *vars(one).get("__annotations__", {})) if not name.startswith("_")}
    return all(hasattr(value, name) for name in named)


def _either(kinds: list[_Kind]) -> _Kind:
    if any(one is _ANY for one in kinds):
        return _ANY
    return _Kind(lambda value: any(one.fits(value) for one in kinds), " or ".join(dict.fromkeys(
        one.words for one in kinds)))


def _a(name: str) -> str:
    return f"{'an' if name[0] in 'AEIOaeio' else 'a'} {name}"
