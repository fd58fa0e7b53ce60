"""Cases of an exercise from its contract's annotations: every size, with data that finds what is wrong.

    uniform   any values                     ramp   every element different, in order: shows what went where
    least, most   all elements at one end    ends   the two ends of the type and what lies beside them
    zeros     all zero                       ones   all bits set
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.ukernel import Case, Contract, Tile, build
from neonsim.ukernel.case import axes
from neonsim.ukernel.cases import stream
from neonsim.ukernel.contract import In

__all__ = ["KINDS", "every", "of_contract", "one"]

KINDS = ("uniform", "ramp", "least", "most", "ends", "zeros", "ones")


def _data(kind: str, shape: tuple[int, ...], dtype: str, rng: np.random.Generator) -> NDArray[Any]:
    limits = np.iinfo(dtype)
    if kind == "ramp":
        return np.arange(1, int(np.prod(shape)) + 1).reshape(shape).astype(dtype)
    if kind == "ends":
        edge = np.array([limits.min, limits.min + 1, limits.max - 1, limits.max], dtype)
        return rng.choice(edge, shape)
    if kind in ("least", "most", "zeros", "ones"):
        value = {"least": limits.min, "most": limits.max, "zeros": 0, "ones": -1 if limits.min else limits.max}[kind]
        return np.full(shape, value, dtype)
    return rng.integers(limits.min, limits.max, shape, dtype, endpoint=True)


def one(contract: Contract, kind: str, seed: int, numbers: Mapping[str, Any]) -> Case:
    """One case: sizes, numbers and arrays as they are given, other inputs of that kind of data."""
    given: dict[str, Any] = dict(numbers)
    plain = {name: value for name, value in numbers.items() if isinstance(value, int)}
    rng = np.random.default_rng((seed, KINDS.index(kind), *plain.values()))
    for argument in contract.arguments:
        if isinstance(argument.memory, In) and argument.name not in given:
            given[argument.name] = _data(kind, axes(argument.memory, given), argument.memory.dtype, rng)
    words = "_".join(f"{name}{value}" for name, value in plain.items())
    return build(contract, f"{words or 'call'}_{kind}", **given)


def every(contract: Contract, sizes: Sequence[Mapping[str, Any]], more: Sequence[Mapping[str, Any]] = (),
          kinds: Iterable[str] = KINDS) -> Callable[[str], Iterator[Case]]:
    """All sizes with all kinds of data; "full" takes the sizes of ``more`` as well and random data twice more."""
    def made(size: str) -> Iterator[Case]:
        for numbers in (*sizes, *(more if size == "full" else ())):
            for kind in kinds:
                yield one(contract, kind, 0, numbers)
            for seed in (1, 2) if size == "full" else ():
                yield one(contract, "uniform", seed, numbers)
    return made


def of_contract(name: str, tile: Tile, keep: int = 1) -> Callable[[str], Iterator[Case]]:
    """The cases of a contract of the catalogue; "quick" keeps only every ``keep``-th."""
    def made(size: str) -> Iterator[Case]:
        for i, case in enumerate(stream(name, tile, size="quick")):
            if size == "full" or i % keep == 0:
                yield case
    return made
