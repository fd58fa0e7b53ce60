"""Objects that do one thing at a time, and what is made of an object once: both from any thread.

    class Plan(Serialized):
        @serialized
        def run(self): ...              other threads wait until it is done; a forked child need not wait for them

    translations = PerObjectCache(translate)
    translations.of(program, entry)     made for the first who asks, kept by the program

    processors()                        n threads are worth starting
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Hashable
from functools import wraps
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, overload

from neonsim.errors import BackendError

__all__ = ["PerObjectCache", "Serialized", "lockless_cached_property", "processors", "reentrant", "serialized"]

Self = TypeVar("Self", bound="Serialized")
Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
Owner = TypeVar("Owner")


def processors() -> int:
    """Return how many threads of this process can run at once."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Turn:
    """Whose turn it is, and at what."""

    def __init__(self) -> None:
        self.lock, self.inside = threading.RLock(), ""


class Serialized:
    """An object whose methods `serialized` are run by one thread at a time, the others waiting.

    Copies, also by pickle, have a turn of their own.
    """

    _turn: _Turn

    def __new__(cls, *_: Any, **__: Any) -> Any:
        made = super().__new__(cls)
        made._turn = _Turn()
        _all.add(made)
        return made

    def _forked(self) -> None:
        """In the child of a fork: threads of the parent that had their turn are not there any more."""
        self._turn.lock, self._turn.inside = threading.RLock(), ""

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_turn"}


_all: weakref.WeakSet[Serialized] = weakref.WeakSet()


def _after_fork() -> None:
    for one in list(_all):
        one._forked()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def serialized(method: Callable[Concatenate[Self, Arguments],
                                Result]) -> Callable[Concatenate[Self, Arguments], Result]:
    """Return a method of `Serialized` that no other method in turn may run beside.

    One that the same thread begins in the middle of another, from a signal handler or a finaliser, raises BackendError:
    waiting would never end, and going on would spoil the first.
    """
    @wraps(method)
    def waiting(self: Self, /, *arguments: Arguments.args, **options: Arguments.kwargs) -> Result:
        turn = self._turn
        with turn.lock:
            if turn.inside:
                raise BackendError(f"{method.__qualname__}() cannot begin inside {turn.inside}() of the same object "
                                   f"and thread, for example in a signal handler or a callback. Wait until that call "
                                   f"ends.")
            turn.inside = method.__qualname__
            try:
                return method(self, *arguments, **options)
            finally:
                turn.inside = ""
    return waiting


def reentrant(method: Callable[Concatenate[Self, Arguments], Result]
                   ) -> Callable[Concatenate[Self, Arguments], Result]:
    """Return a method of `Serialized` that waits for other threads, and may also be called inside one that is in
    turn."""
    @wraps(method)
    def waiting(self: Self, /, *arguments: Arguments.args, **options: Arguments.kwargs) -> Result:
        with self._turn.lock:
            return method(self, *arguments, **options)
    return waiting


class PerObjectCache(Generic[Owner, Result]):
    """What a function makes of an object and a key: made once, and kept by the object itself.

    make   (owner, *key) -> result; two threads that ask for the same at once may both make it, and get the same one

    The result may refer to its owner. It lies in `owner.__dict__["_made"]`, which pickles and copies leave out.
    """

    def __init__(self, make: Callable[..., Result]) -> None:
        self._make = make

    def get(self, owner: Owner, *key: Hashable) -> Result:
        """Return the result for an object and a key."""
        kept: dict[Any, Result] = owner.__dict__.setdefault("_made", {})
        found = kept.get((self, key))
        return kept.setdefault((self, key), self._make(owner, *key)) if found is None else found


class lockless_cached_property(Generic[Owner, Result]):
    """functools.cached_property without a lock: two threads that ask at once may both compute it.

    That of Python 3.11 has one lock for all objects of a class; a forked child would wait for ever if a thread of the
    parent held it.
    """

    def __init__(self, method: Callable[[Owner], Result]) -> None:
        self._method, self.__doc__ = method, method.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, owner: None, kind: type) -> lockless_cached_property[Owner, Result]: ...
    @overload
    def __get__(self, owner: Owner, kind: type) -> Result: ...
    def __get__(self, owner: Owner | None, kind: type) -> lockless_cached_property[Owner, Result] | Result:
        if owner is None:
            return self
        made: Result = owner.__dict__.setdefault(self._name, self._method(owner))
        return made
