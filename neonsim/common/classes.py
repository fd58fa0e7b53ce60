"""`dataclass`, as the standard library has it, for a quarter of its price.

The library compiles up to six functions for each class, 0.3 ms; a command that defines a hundred classes waits longer
for them than for its work. Here one is compiled, the constructor; the others are closures over the names of fields.
They do, raise and return the same, by tests that compare both. Classes with other options than `frozen`, `eq`, `repr`
and `kw_only`, or with an `InitVar`, go to the library.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable
from dataclasses import MISSING, FrozenInstanceError
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass"]

if TYPE_CHECKING:
    from dataclasses import dataclass
else:
    def dataclass(cls: type | None = None, /, *, frozen: bool = False, eq: bool = True, repr: bool = True,
                  kw_only: bool = False, **options: Any) -> Any:
        """Make a class a dataclass: see `dataclasses.dataclass`."""
        def made(cls: type) -> type:
            if options or "InitVar" in str(vars(cls).get("__annotations__")):
                return dataclasses.dataclass(cls, frozen=frozen, eq=eq, repr=repr, kw_only=kw_only, **options)
            return _made(cls, frozen, eq, repr, kw_only)

        return made if cls is None else made(cls)


def _made(cls: type, frozen: bool, eq: bool, repr: bool, kw_only: bool) -> type:
    documented = cls.__doc__
    cls.__doc__ = documented or cls.__name__    # else the library writes a signature, which takes as long as all else
    dataclasses.dataclass(init=False, repr=False, eq=False, kw_only=kw_only)(cls)
    cls.__doc__ = documented
    fields = dataclasses.fields(cls)
    added: dict[str, Any] = {"__init__": _init(cls, fields, frozen)}
    if repr:
        added["__repr__"] = _repr(tuple(f.name for f in fields if f.repr))
    if eq:
        explicit = vars(cls).get("__hash__") is not None or ("__hash__" in vars(cls) and "__eq__" not in vars(cls))
        added["__eq__"] = _eq(_values(f.name for f in fields if f.compare))
        if not explicit:
            cls.__hash__ = _hash(_values(  # type: ignore[assignment]
                f.name for f in fields if (f.compare if f.hash is None else f.hash))) if frozen else None
    if frozen:
        added |= _refusals(cls, frozenset(f.name for f in fields))
    for name, function in added.items():
        if name not in vars(cls):
            function.__qualname__, function.__module__ = f"{cls.__qualname__}.{name}", cls.__module__
            setattr(cls, name, function)
    return cls


def _init(cls: type, fields: tuple[dataclasses.Field[Any], ...], frozen: bool) -> Callable[..., None]:
    given: dict[str, Any] = {"_set": object.__setattr__, "_left_out": MISSING}
    parameters, named, body = ["self"], list[str](), list[str]()
    for f in fields:
        value = f.name
        if f.default_factory is not MISSING:
            given[f"_make_{f.name}"] = f.default_factory
            value = f"_make_{f.name}() if {f.name} is _left_out else {f.name}" if f.init else f"_make_{f.name}()"
        elif f.default is not MISSING:
            given[f"_default_{f.name}"] = f.default
        elif not f.init:
            continue
        if f.init:
            default = "=_left_out" if f.default_factory is not MISSING else \
                f"=_default_{f.name}" if f.default is not MISSING else ""
            (named if f.kw_only else parameters).append(f.name + default)
        elif f.default_factory is MISSING:
            continue        # the class has the default
        body.append(f"  _set(self, {f.name!r}, {value})" if frozen else f"  self.{f.name} = {value}")
    if hasattr(cls, "__post_init__"):
        body.append("  self.__post_init__()")
    parameters += ["*", *named] if named else []
    text = (f"def make({', '.join(given)}):\n def __init__({', '.join(parameters)}):\n"
            + "\n".join(body or ["  pass"]) + "\n return __init__")
    made: dict[str, Any] = {}
    exec(text, vars(sys.modules[cls.__module__]), made)     # annotations are looked up where the class stands
    init: Callable[..., None] = made["make"](**given)
    init.__annotations__ = {f.name: f.type for f in fields if f.init} | {"return": None}
    return init


def _values(names: Any) -> Callable[[Any], tuple[Any, ...]]:
    """A function from a record to the tuple of these fields."""
    chosen = tuple(names)
    if len(chosen) > 1:
        return attrgetter(*chosen)
    return lambda record: tuple(getattr(record, name) for name in chosen)


def _repr(names: tuple[str, ...]) -> Callable[[Any], str]:
    @recursive_repr()
    def __repr__(self: Any) -> str:
        return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"

    return __repr__


def _eq(values: Callable[[Any], tuple[Any, ...]]) -> Callable[[Any, Any], Any]:
    def __eq__(self: Any, other: Any) -> Any:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    return __eq__


def _hash(values: Callable[[Any], tuple[Any, ...]]) -> Callable[[Any], int]:
    def __hash__(self: Any) -> int:
        return hash(values(self))

    return __hash__


def _refusals(cls: type, names: frozenset[str]) -> dict[str, Callable[..., None]]:
    def __setattr__(self: Any, name: str, value: Any) -> None:
        if type(self) is cls or name in names:
            raise FrozenInstanceError(f"cannot assign to field {name!r}")
        super(cls, self).__setattr__(name, value)  # type: ignore[arg-type]

    def __delattr__(self: Any, name: str) -> None:
        if type(self) is cls or name in names:
            raise FrozenInstanceError(f"cannot delete field {name!r}")
        super(cls, self).__delattr__(name)  # type: ignore[arg-type]

    return {"__setattr__": __setattr__, "__delattr__": __delattr__}
