"""The calls that an answer is judged by: the same ones each time, then unseen ones.

    sweep   each edge of the sizes, with data that finds what is wrong; the same at every check
    drawn   the sizes of the sweep with other data, and sizes from anywhere in their ranges, with the largest data too:
            sums overflow there; another seed, other calls
    timed   the call whose instructions are counted and whose cycles are modelled: its size is drawn as well
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.errors import BadArgument
from neonsim.ukernel import Case, Contract, Tile, build
from neonsim.ukernel.case import axes
from neonsim.ukernel.cases import deep, stream
from neonsim.ukernel.cases.elements import FLOATS, KINDS, drawn_from, elements
from neonsim.ukernel.contract import In, InOut

__all__ = ["Calls", "CatalogCalls", "Ranges", "Source", "Values", "published", "unseen"]

SMALL = 4            # of each size that the sweep takes: the smallest ones
MORE = 7             # "full" goes up to this one
ANYWHERE = 2         # calls with sizes from anywhere
FRESH = 6            # calls at least with other data at sizes of the sweep
MANY, IN_TURN = 8, 3
TIMED = "timed"

Source = range | Sequence[Any] | Callable[[np.random.Generator, tuple[int, ...]], NDArray[Any]]
Values = range | Sequence[int]


@dataclass(frozen=True, eq=False)
class Calls(ABC):
    """What a `Task` is judged by; see the page of this module.

    contract   Contract
    sizes      dict    values that each size_t and int32_t may have
    timed      dict    their values in the timed call as the task states it
    """

    contract: Contract
    sizes: Mapping[str, Values]
    timed: Mapping[str, int]

    @abstractmethod
    def sweep(self, size: str) -> Iterator[Case]:
        """The calls that are the same each time; "full": more of them."""

    @abstractmethod
    def call(self, numbers: Mapping[str, int], rng: np.random.Generator, kind: str, name: str) -> Case:
        """A call with these numbers and data of that kind."""

    @abstractmethod
    def repeated(self, rng: np.random.Generator) -> Iterator[Case]:
        """Calls of the sweep's sizes with other data."""

    def draw(self, seed: int) -> Iterator[Case]:
        """Calls of one seed, without the timed one."""
        rng = np.random.default_rng((seed, 1))
        yield from self.repeated(rng)
        for _ in range(ANYWHERE if self.sizes else 0):
            numbers = {name: int(rng.choice(values)) for name, values in self.sizes.items()}
            for kind in ("uniform", "ends", "most"):
                yield self.call(numbers, rng, kind, f"{_words(numbers)}_{kind}_drawn")

    def clock(self, seed: int | None = None) -> Case:
        """Return the timed call: its sizes drawn around those that the task states; without a seed, those."""
        return _clock(self, seed)

    def _clock(self, seed: int | None) -> Case:
        if seed is None:
            return self.call(self.timed, np.random.default_rng(0), "uniform", f"{_words(self.timed)}_{TIMED}")
        rng = np.random.default_rng((seed, 2))
        numbers = {name: int(rng.choice(self._near(name))) for name in self.sizes}
        return self.call(numbers, rng, "uniform", f"{_words(numbers)}_{TIMED}")

    def _near(self, name: str) -> Values:
        """From where the timed call's number is drawn: sizes an eighth up or down, other numbers anywhere."""
        values, stated = self.sizes[name], self.timed[name]
        if next(a.kind for a in self.contract.arguments if a.name == name) != "size":
            return values
        return [v for v in values if 7 * stated <= 8 * v <= 9 * stated] or [stated]

    @property
    def between(self) -> str:
        """Where the timed call's sizes are drawn, in words: "n from 896 to 1152"; "" if there is none."""
        found = [(a.name, self._near(a.name)) for a in self.contract.arguments if a.kind == "size" and a.name in
                 self.sizes]
        return ", ".join(f"{name} from {min(some)} to {max(some)}" for name, some in found if min(some) != max(some))


@lru_cache(maxsize=256)
def _clock(calls: Calls, seed: int | None) -> Case:
    return calls._clock(seed)


@lru_cache(maxsize=64)
def published(calls: Calls, size: str) -> tuple[Case, ...]:
    """Return the calls of the sweep; made once for a whole class."""
    return tuple(calls.sweep(size))


@lru_cache(maxsize=64)
def unseen(calls: Calls, seed: int) -> tuple[Case, ...]:
    """Return the calls of a seed; made once for a whole class."""
    return tuple(calls.draw(seed))


def _words(numbers: Mapping[str, Any]) -> str:
    return "_".join(f"{name}{value}" for name, value in numbers.items()) or "call"


@dataclass(frozen=True, eq=False)
class Ranges(Calls):
    """Calls of a prototype: the smallest sizes, the edges of numbers, and data by its kind or by a function.

    data   dict   of arrays whose elements are not any values of their type: a range of them, or a function of
                  (numpy Generator, shape)
    extras  dict   sizes that the sweep takes besides the smallest
    """

    data: Mapping[str, Source] = field(default_factory=dict)
    extras: Mapping[str, Sequence[int]] = field(default_factory=dict)

    def sweep(self, size: str) -> Iterator[Case]:
        """Every one of the smallest sizes with the edges of the numbers, and all kinds of data; where there are many
        edges, three kinds in turn."""
        edges = self._edges(size)
        for turn, numbers in enumerate(edges):
            few = KINDS if len(edges) <= MANY else [KINDS[(IN_TURN * turn + i) % len(KINDS)] for i in range(IN_TURN)]
            for i, kind in enumerate(few):
                seed = (0, i, *(value % (1 << 64) for value in numbers.values()))      # no seed is negative
                yield self.call(numbers, np.random.default_rng(seed), kind,
                                f"{_words(numbers)}_{kind}")

    def repeated(self, rng: np.random.Generator) -> Iterator[Case]:
        """Sizes of the sweep, other numbers and other data."""
        found = {tuple(n[a.name] for a in self._of("size")): n for n in self._edges("quick")}
        for numbers in found.values():
            others = {a.name: int(rng.choice(self.sizes[a.name])) for a in self._of("int32")}
            for i in range(max(FRESH // len(found), 1)):
                kind = ("uniform", "ends")[i % 2]
                fresh = {**numbers, **others}
                yield self.call(fresh, rng, kind, f"{_words(fresh)}_{kind}_drawn")

    def call(self, numbers: Mapping[str, int], rng: np.random.Generator, kind: str, name: str) -> Case:
        given: dict[str, Any] = dict(numbers)
        for argument in self.contract.arguments:
            note = argument.memory
            if isinstance(note, In | InOut):
                given[argument.name] = self._data(argument.name, kind, axes(note, given), note.dtype, rng)
        return build(self.contract, name, **given)

    def _of(self, kind: str) -> list[Any]:
        return [a for a in self.contract.arguments if a.kind == kind]

    def _edges(self, size: str) -> list[dict[str, int]]:
        few: list[list[int]] = []
        for argument in (*self._of("size"), *self._of("int32")):
            values = self.sizes[argument.name]
            last = len(values) - 1
            places = range(min(SMALL if size == "quick" else MORE, len(values)))
            if argument.kind != "size":
                places = sorted({0, min(1, last), last // 2, last})  # type: ignore[assignment]
            few.append([*(int(values[i]) for i in places), *self.extras.get(argument.name, ())])
        names = [a.name for a in (*self._of("size"), *self._of("int32"))]
        found = [dict(zip(names, numbers, strict=True)) for numbers in product(*few)]
        return found

    def _data(self, name: str, kind: str, shape: tuple[int, ...], dtype: str, rng: np.random.Generator) -> NDArray[Any]:
        source = self.data.get(name)
        if callable(source):
            made = np.asarray(source(rng, shape))
            if made.shape != shape:
                raise BadArgument(f"data of {name}: the function returned shape {list(made.shape)}, not {list(shape)}")
            return made.astype(dtype)
        if source is None and dtype != "float32":
            return elements(kind, shape, dtype, rng)
        return drawn_from(kind, shape, FLOATS if source is None else np.asarray(source), rng).astype(dtype)


@dataclass(frozen=True, eq=False)
class CatalogCalls(Calls):
    """Calls of a contract of the catalogue, for kernels of one tile.

    tile   Tile
    make   called with the numbers of ``sizes`` and a numpy Generator: what `ukernel.build` is given
    keep   int   the sweep takes every k-th case of the catalogue, and all deep ones; "full" takes all
    """

    tile: Tile
    make: Callable[[Mapping[str, int], np.random.Generator], Mapping[str, Any]]
    keep: int = 1

    def sweep(self, size: str) -> Iterator[Case]:
        """Yield the contract's own cases."""
        for i, case in enumerate(stream(self.contract.name, self.tile, size="quick")):
            if size == "full" or i % self.keep == 0:
                yield case
        yield from deep(self.contract.name, self.tile)

    def repeated(self, rng: np.random.Generator) -> Iterator[Case]:
        """Yield the contract's cases of another seed, some of them."""
        seed, apart = int(rng.integers(1, 1 << 31)), 8 * self.keep
        first = int(rng.integers(apart))
        for i, case in enumerate(stream(self.contract.name, self.tile, seed=seed, size="quick")):
            if i % apart == first:
                yield case
        yield from deep(self.contract.name, self.tile, seed=seed)

    def call(self, numbers: Mapping[str, int], rng: np.random.Generator, kind: str, name: str) -> Case:
        """Return a call with these numbers; the kind of data is what ``make`` makes."""
        return build(self.contract, name, **self.make(numbers, rng))
