"""Stands in for numpy where there is none, in the playground's worker: modules that name it can be imported.

Types of annotations and constants of modules that are loaded may be made of it, and are nothing. From `seal` on every
use raises, and says which name was used, in which line of which file.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any, NoReturn

__all__ = ["Absent", "AbsentModule", "install", "seal"]

_SUBMODULES = ("typing", "random", "linalg", "lib", "ma", "exceptions", "dtypes", "core", "testing")
_sealed = False


class Absent:
    """Something of numpy by its name."""

    def __init__(self, name: str) -> None:
        self._name = name

    def _used(self, how: str) -> Absent:
        if _sealed:
            refuse(self._name + how)
        return Absent(self._name + how)

    def __getattr__(self, name: str) -> Absent:
        if name.startswith("__"):
            raise AttributeError(name)
        return Absent(f"{self._name}.{name}")

    def __call__(self, *_: Any, **__: Any) -> Absent:
        return self._used("()")

    def __getitem__(self, _: Any) -> Absent:
        return self._used("[]")

    def __iter__(self) -> NoReturn:
        refuse(f"{self._name}, one by one")

    def __bool__(self) -> NoReturn:
        refuse(f"{self._name} as a condition")

    def __or__(self, _: Any) -> Absent:
        return self._used(" | ...")

    __ror__ = __or__
    __neg__ = __invert__ = lambda self: self._used(" negated")
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __and__ = __lshift__ = __rshift__ = (
        lambda self, _: self._used(" computed with"))

    def __mro_entries__(self, _: Any) -> tuple[type, ...]:
        return (object,)


class AbsentModule(ModuleType):
    """numpy, or a module of it."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Absent(f"{self.__name__}.{name}")


class _Kind(type):
    """Nothing is an instance of a class of numpy's that is not there."""

    def __instancecheck__(cls, _: Any) -> bool:
        return False


def refuse(what: str) -> NoReturn:
    """Say what was used, and where."""
    frame = sys._getframe(1)
    here = sys._getframe(0).f_code.co_filename  # which `__file__` is not where the module was compiled elsewhere
    while frame.f_back is not None and frame.f_code.co_filename == here:
        frame = frame.f_back
    raise ImportError(f"{what} is used at {frame.f_code.co_filename}:{frame.f_lineno}: there is no numpy here")


def install() -> None:
    """From now on `import numpy` gives this. Raises ImportError if numpy has been imported."""
    if "numpy" in sys.modules:
        raise ImportError("numpy has been imported already")
    numpy = sys.modules["numpy"] = AbsentModule("numpy")
    numpy.__path__ = []
    for name in _SUBMODULES:
        module = sys.modules[f"numpy.{name}"] = AbsentModule(f"numpy.{name}")
        setattr(numpy, name, module)
    for name in ("ndarray", "generic", "integer", "floating", "bool_", "number"):
        setattr(numpy, name, _Kind(name, (), {"__class_getitem__": classmethod(lambda cls, _: cls)}))


def seal() -> None:
    """From now on a use is an error."""
    global _sealed
    _sealed = True
