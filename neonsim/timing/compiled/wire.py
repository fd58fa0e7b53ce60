"""Objects as 64-bit words, to a translated pipeline and back: by the kinds of its fields, every object once.

    number              the number                  word      its number in the table of words
    object              NOTHING, or the number of one sent before, or NEW and its fields
    list                the same; its greatest length (a queue's), its length, how (NEW, or ALIKE: one for all), items
    dictionary          the same; its length, keys and values
    what may be missing  0, or 1 and the value
"""

from __future__ import annotations

import itertools
from collections import deque
from typing import Any

import numpy as np
import numpy.typing as npt

from neonsim.timing.compiled.kinds import INT, STR, Kind

__all__ = ["Receiver", "Sender"]

NEW, NOTHING, ALIKE = -1, -2, -3
_MANY = 32      # items from which on a list goes as an array
Words = npt.NDArray[np.int64]


class Sender:
    """Python to words. `texts` has the strings that were met, those of the translation first."""

    def __init__(self, classes: dict[type, dict[str, Kind]], words: tuple[str, ...]) -> None:
        self.classes = classes
        self.texts = {text: number for number, text in enumerate(words)}
        self._seen: dict[int, int] = {}
        self._kept: list[Any] = []          # so that no two objects get one id
        self._pieces: list[Words] = []
        self._words: list[int] = []

    def words(self) -> Words:
        """All that was sent."""
        self._flush()
        return np.concatenate(self._pieces) if self._pieces else np.zeros(0, np.int64)

    def _flush(self) -> None:
        if self._words:
            self._pieces.append(np.array(self._words, np.int64))
            self._words = []

    def send(self, value: Any, kind: Kind) -> None:
        """One value."""
        word = kind[0]
        if word in ("int", "bool"):
            self._words.append(int(value))
        elif word == "str":
            self._words.append(self.texts.setdefault(value, len(self.texts)))
        elif word == "tuple":
            for part, inner in zip(value, kind[1:], strict=True):
                self.send(part, inner)
        elif word == "maybe":
            self._words.append(value is not None)
            if value is not None:
                self.send(value, kind[1])
        elif value is None:
            self._words.append(NOTHING)
        elif id(value) in self._seen:
            self._words.append(self._seen[id(value)])
        else:
            self._seen[id(value)] = len(self._seen)
            self._kept.append(value)
            self._words.append(NEW)
            self._content(value, kind)

    def _content(self, value: Any, kind: Kind) -> None:
        word = kind[0]
        if word == "ref":
            for name, inner in self.classes[kind[1]].items():
                self.send(getattr(value, name), inner)
        elif word == "list":
            self._list(value, kind[1])
        elif word == "set":
            self._words.append(len(value))
            for part in value:
                self.send(part, kind[1])
        else:
            self._words.append(len(value))
            for key, part in value.items():
                self.send(key, kind[1])
                self.send(part, kind[2])

    def _list(self, value: Any, inner: Kind) -> None:
        most = value.maxlen if isinstance(value, deque) else None
        count = len(value)
        self._words += [-1 if most is None else most, count]
        if count >= _MANY and isinstance(value, list) and inner in (INT, STR) and value.count(value[0]) == count:
            self._words.append(ALIKE)
            self.send(value[0], inner)
        elif count >= _MANY and inner[0] in ("int", "bool"):
            self._words.append(NEW)
            self._flush()
            self._pieces.append(np.array(value, np.int64))
        elif count >= _MANY and inner[0] == "tuple" and set(inner[1:]) == {INT}:
            self._words.append(NEW)
            self._flush()
            width = len(inner) - 1
            self._pieces.append(np.fromiter(itertools.chain.from_iterable(value), np.int64, count * width))
        else:
            self._words.append(NEW)
            for part in value:
                self.send(part, inner)


class Receiver:
    """Words to Python, in the order in which they were saved. Objects that are there get their new values."""

    def __init__(self, classes: dict[type, dict[str, Kind]], words: Words, texts: list[str]) -> None:
        self.classes, self.texts = classes, texts
        self._words, self._at = words.data, 0        # an item of it is a number of Python's

    def _next(self) -> int:
        self._at += 1
        found: int = self._words[self._at - 1]
        return found

    def value(self, kind: Kind, old: Any = None) -> Any:
        """The next value. `old`: the object that is to have it."""
        word = kind[0]
        if word == "int":
            return self._next()
        if word == "bool":
            return bool(self._next())
        if word == "str":
            return self.texts[self._next()]
        if word == "tuple":
            return tuple(self.value(inner) for inner in kind[1:])
        if word == "key":
            count = self._next()
            self._at += count
            return self._words[self._at - count:self._at].tobytes()
        if word == "maybe":
            return self.value(kind[1]) if self._next() else None
        if self._next() == NOTHING:
            return None
        if word == "ref":
            return self._object(kind[1], old)
        count = self._next()
        if kind == ("dict", STR, INT):
            self._at += 2 * count
            flat = self._words[self._at - 2 * count:self._at].tolist()
            return {self.texts[name]: number for name, number in zip(flat[::2], flat[1::2], strict=True)}
        if word == "dict":
            return {self.value(kind[1]): self.value(kind[2]) for _ in range(count)}
        if word == "set":
            return {self.value(kind[1]) for _ in range(count)}
        return self._list(kind[1], count)

    def _list(self, inner: Kind, count: int) -> list[Any]:
        if inner in (INT, STR):
            self._at += count
            found: list[int] = self._words[self._at - count:self._at].tolist()
            return found if inner == INT else [*map(self.texts.__getitem__, found)]
        return [self.value(inner) for _ in range(count)]

    def _object(self, cls: type, old: Any) -> Any:
        fields = self.classes[cls]
        if issubclass(cls, tuple):
            made: dict[str, Any] = {name: self.value(kind) for name, kind in fields.items()}
            return cls(**made)
        if old is None:
            new = cls.__new__(cls)
            for name, kind in fields.items():
                object.__setattr__(new, name, self.value(kind))
            return new
        target = old
        for name, kind in fields.items():
            there = getattr(target, name, None)
            found = self.value(kind, there if kind[0] == "ref" else None)
            if isinstance(there, deque):
                found = deque(found, maxlen=there.maxlen)
            if found != there:
                object.__setattr__(target, name, found)
        return target
