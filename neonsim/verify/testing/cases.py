"""Which calls a function is tested with: sizes around every loop, data that finds what is wrong, odd addresses.

    cases()                                     for every size its residues, all kinds of elements, some deep calls
    cases(sizes={"n": range(16, 257, 16)})      a function that takes multiples of 16
    cases(sizes={"zero": (0, 128, 255)}, data={"w": range(-127, 128)})
    cases(hypothesis=100)                       and a hundred that Hypothesis draws, and makes small

They are the same every time; another seed, other data. Kinds of elements: `neonsim.ukernel.cases.elements`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from neonsim.common.integers import as_int, is_int
from neonsim.errors import BadArgument
from neonsim.ukernel import Argument, At, Case, build
from neonsim.ukernel.case import axes
from neonsim.ukernel.cases.elements import drawn_from, elements, kinds_of
from neonsim.ukernel.contract import NUMBERS, In, InOut, Out, Pointee

from .function import Function

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

__all__ = ["Cases", "Source", "cases"]

Source = range | Sequence[Any] | Callable[[np.random.Generator, tuple[int, ...]], NDArray[Any]]
VECTOR = 16     # elements that a loop takes at once, at most, unless it is said
# n elements that every lane of a vector of bytes adds up more than a sum of 16 bits holds: 257 times 255.
DEEP = 258
FEW = 3         # values of each size that go with each other's


@dataclass(frozen=True)
class Cases:
    """Calls to test a function with; `cases` says what the fields mean."""

    sizes: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    residues: int = VECTOR
    kinds: tuple[str, ...] = ()
    data: Mapping[str, Source] = field(default_factory=dict)
    nan: bool = False
    align: bool = True
    deep: bool = True
    hypothesis: int = 0
    in_place: Mapping[str, str] = field(default_factory=dict)

    def calls(self, function: Function, seed: int = 0) -> Iterator[Case]:
        """Yield the calls of a function, small ones first. Raises BadArgument where no data can be made for it."""
        arrays = self._arrays(function)
        kinds = self.kinds or tuple(dict.fromkeys(
            kind for note in arrays.values() for kind in kinds_of(note.dtype, self.nan)))
        for turn, numbers in enumerate(self._numbers(function)):
            # Every size has a kind of its own; where it is the second or the last of the small ones, all kinds.
            for kind in kinds if turn in (1, self.residues + FEW) or not self.residues else [kinds[turn % len(kinds)]]:
                yield self._call(function, arrays, numbers, kind, turn, seed)
        for numbers in self._deep(function) if self.deep else ():
            for kind in ("most", "least"):
                yield self._call(function, arrays, numbers, kind, 0, seed)

    def strategy(self, function: Function) -> SearchStrategy[Case]:
        """Return the calls as a strategy of Hypothesis, which makes failing ones small. Raises BadArgument as
        `calls`."""
        from .hypothesis_cases import strategy

        return strategy(self, function)

    def values(self, argument: Argument) -> list[Any]:
        """Return what a number of a call may be, smallest first."""
        if argument.name in self.sizes:
            return list(self.sizes[argument.name])
        if argument.kind == "size":
            step = self.residues
            return sorted({*range(1, 2 * step + 1), 3 * step - 1, 4 * step, 5 * step + 1})
        if (dtype := NUMBERS.get(argument.ctype, "int64")).startswith("float"):
            return [1.0, 0.0, -1.0, 0.5, 3.25]
        limits = np.iinfo(dtype)
        return [v for v in (1, 0, -1, 7, limits.max, limits.min) if limits.min <= v <= limits.max]

    def array(self, name: str, kind: str, shape: tuple[int, ...], dtype: str, rng: np.random.Generator) -> Any:
        """Return the elements of an array of a call."""
        source = self.data.get(name)
        if source is None:
            return elements(kind if kind in kinds_of(dtype, self.nan) else "uniform", shape, dtype, rng)
        if not callable(source):
            return drawn_from(kind, shape, np.asarray(source), rng).astype(dtype)
        made = np.asarray(source(rng, shape))
        if made.shape != shape:
            raise BadArgument(f"data of {name}: the function returned shape {list(made.shape)}, not {list(shape)}")
        return made.astype(dtype)

    def _arrays(self, function: Function) -> dict[str, Pointee]:
        names = {a.name for a in function.contract.arguments}
        if strange := sorted(({*self.sizes} | {*self.data} | {*self.in_place} | {*self.in_place.values()}) - names):
            raise BadArgument(f"{function.entry} has no argument {strange[0]}: it takes {', '.join(sorted(names))}")
        hard = [a.name for a in function.contract.arguments if a.kind in ("params", "stride", "pointers")
                or not isinstance(a.memory, In | InOut | Out | None)]
        if hard:
            raise BadArgument(f"{function.entry} takes {hard[0]}, for which test data cannot be generated. Test it by "
                              f"its contract, neon.contract(\"{function.contract.name}\", FILE)")
        return {a.name: a.memory for a in function.contract.arguments if isinstance(a.memory, In | InOut)}

    def _numbers(self, function: Function) -> Iterator[dict[str, Any]]:
        """The numbers of each call: each size through all its values, and the smallest with each other."""
        told = {a.name: self.values(a) for a in function.contract.arguments if a.memory is None}
        many = max((len(values) for values in told.values()), default=1)
        seen = set()
        small = product(*(values[:FEW] for values in told.values())) if 1 < len(told) < FEW + 2 else ()
        paces = [1 + 2 * i for i in range(len(told))]
        turned = (tuple(values[turn * pace % len(values)] for pace, values in zip(paces, told.values(), strict=True))
                  for turn in range(many))
        for some in (*small, *turned):
            if some not in seen:
                seen.add(some)
                yield dict(zip(told, some, strict=True))

    def _deep(self, function: Function) -> Iterator[dict[str, Any]]:
        """For each size that is not said one call so deep that sums of 16 bits overflow, the others small."""
        told = {a.name: (self.values(a), a.kind == "size" and a.name not in self.sizes)
                for a in function.contract.arguments if a.memory is None}
        for name in [one for one, (_, free) in told.items() if free]:
            yield {other: DEEP * self.residues + 1 if other == name else values[min(1, len(values) - 1)]
                   for other, (values, _) in told.items()}

    def _call(self, function: Function, arrays: Mapping[str, Pointee], numbers: Mapping[str, Any], kind: str, turn: int,
              seed: int) -> Case:
        rng = np.random.default_rng((seed, turn, *kind.encode()))
        given: dict[str, Any] = dict(numbers)
        for name, note in arrays.items():
            given[name] = self.array(name, kind, axes(note, given), note.dtype, rng)
        given |= self.in_place if turn % 3 == 1 else {}
        others = {a.name for a in function.contract.arguments if a.kind != "size"}
        words = ", ".join([kind, *(f"{key} = {value}" for key, value in numbers.items() if key in others)])
        return placed(build(function.contract, words, **given), turn % 4 if self.align else 0)


def placed(case: Case, elements: int) -> Case:
    """Return the same call with every array offset from a multiple of 64 bytes."""
    memory = {name: replace(region, skew=elements * np.dtype(region.dtype).itemsize if region.dtype else 0)
              for name, region in case.memory.items()}
    return replace(case, memory=memory)


def inputs_of(case: Case) -> dict[str, Any]:
    """Return what a call is given, by name: numbers, arrays as they stand before it, and which input an output lies
    over."""
    views, found = case.views(), dict[str, Any]()
    for argument in case.contract.arguments:
        place = case.values[argument.name]
        if not isinstance(place, At) or isinstance(argument.memory, In | InOut):
            found[argument.name] = views[argument.name]
        elif place.region != argument.name:
            found[argument.name] = place.region
    return found


def cases(sizes: Mapping[str, Sequence[Any]] | None = None, *, residues: int = VECTOR, kinds: Sequence[str] = (),
          data: Mapping[str, Source] | None = None, nan: bool = False, align: bool = True, deep: bool = True,
          hypothesis: int = 0, in_place: Mapping[str, str] | None = None) -> Cases:
    """Calls to test a function with.

    sizes        values of sizes and other numbers by name, smallest first; those left out: for sizes every residue of
                 ``residues`` and a few more, for other numbers 0, 1 and the ends of their types
    residues     elements that the function's widest loop takes at once
    kinds        of elements: "uniform", "ramp", "least", "most", "ends", "zeros", "ones", "ties"; left out, all
    data         arrays whose elements are not any values of their type: {"w": range(-127, 128)}, or a function of
                 (numpy Generator, shape)
    nan          floats may be NaN and infinite
    align        arrays also begin at addresses that are multiples of their elements' size alone
    deep         also calls so deep that sums of 16 bits overflow
    hypothesis   calls that Hypothesis draws besides; MissingPackage where it is not installed
    in_place     outputs that every third call writes over an input: {"y": "x"}

    Raises BadArgument.
    """
    for name, values in (sizes or {}).items():
        if not len(values) or not all(is_int(v) or isinstance(v, float) for v in values):
            raise BadArgument(f"sizes must have at least one number for {name}: sizes={{{name!r}: range(1, 40)}}")
    every = (*kinds_of("float32", True), *kinds_of("uint8"))
    if strange := [kind for kind in kinds if kind not in every]:
        raise BadArgument(f"unknown kind of elements {strange[0]!r}; use {', '.join(dict.fromkeys(every))}")
    return Cases(dict(sizes or {}), as_int(residues, "residues", 1, 1024), tuple(kinds), dict(data or {}),
                 nan or "nan" in kinds, align, deep, as_int(hypothesis, "the number of calls by Hypothesis", 0),
                 dict(in_place or {}))
