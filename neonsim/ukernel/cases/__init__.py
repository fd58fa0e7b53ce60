"""Cases with intent for every contract: sizes around every loop, strides, zero points, clamps, data that lands on ties.

A module here speaks for an operation: its ``GENERATORS`` has a generator for each family of contracts, or for those of
a family with one class of parameters: (family, class). Every test, `neonsim check` and the native drivers run what it
makes of a row that is new; only a family that is new has a generator of its own.

>>> sum(case.contract.name == "u8_clamp" for case in cases("u8_clamp", "64x")) > 20
True
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from neonsim.errors import BadArgument
from neonsim.ukernel.contracts import contract_named, contracts
from neonsim.ukernel.naming import Tile

if TYPE_CHECKING:
    import numpy as np

    from neonsim.ukernel.case import Case
    from neonsim.ukernel.contract import Contract

__all__ = ["cases", "deep", "depthwise_row", "shaped", "shapes_known", "stream"]

MORE = 16     # depths, of deep calls of another seed

# Makes the cases of a contract: (contract, tile, seed, whether they are all).
Generator = Callable[["Contract", Tile, int, bool], Iterator["Case"]]


@cache
def _table(name: str) -> dict[Any, Any]:
    found: dict[Any, Any] = {}
    for module in pkgutil.iter_modules(__path__):
        found |= getattr(importlib.import_module(f"{__name__}.{module.name}"), name, {})
    return found


def _entry(name: str, contract: Contract) -> Any:
    """What a table has for a contract; None if it has nothing."""
    table = _table(name)
    return table.get((contract.family, contract.params)) or table.get(contract.family)


def cases(contract: str, tile: Tile | str, *, seed: int = 0, size: str = "quick") -> tuple[Case, ...]:
    """Cases of a contract for kernels of one tile; the same every time.

    contract   str           name of the contract
    tile       Tile or str   "4x8", "8x9": what sizes a kernel takes
    seed       int           of everything random
    size       str           quick: each edge at least once; full: every residue with every other
    ->         tuple of Case, all different

    Raises KernelFileError for an unknown contract, BadArgument for a wrong tile or size.
    """
    return tuple(stream(contract, tile, seed=seed, size=size))


def stream(contract: str, tile: Tile | str, *, seed: int = 0, size: str = "quick") -> Iterator[Case]:
    """The same one by one, as they are made: for callers that show progress. Arguments and errors as `cases`."""
    promised = contract_named(contract)
    made: Generator | None = _entry("GENERATORS", promised)
    if made is None:
        raise BadArgument(f"There are no cases for {contract}: its family has no generator in neonsim/ukernel/cases.")
    if size not in ("quick", "full"):
        raise BadArgument(f'size must be "quick" or "full"; got {size!r}.')
    return made(promised, _parsed(tile), seed, size == "full")


def deep(contract: str, tile: Tile | str, *, seed: int = 0) -> Iterator[Case]:
    """Calls whose sums leave 16 bits, or nearly 32: as few depths or rows as that takes, with the largest data.

    Of contracts that add up nothing but a few numbers there are none. Another seed: up to `MORE` depths more.

    >>> [case.sizes for case in deep("qu8_sumrows", "4x")]
    [(4, 258), (4, 2064), (1, 8256)]
    """
    promised = contract_named(contract)
    rng = _random(seed, 0)
    made = _entry("DEEP_CASES", promised)
    if made is not None:
        yield from made(promised, _parsed(tile), rng, int(rng.integers(0, MORE)) if seed else 0)


def _random(*seed: int) -> np.random.Generator:
    import numpy as np  # those who have no case made need none

    return np.random.default_rng(seed)


def _parsed(tile: Tile | str) -> Tile:
    parsed = Tile.parse(tile) if isinstance(tile, str) else tile
    if parsed is None:
        raise BadArgument(f"{tile!r} is not a tile; write 4x8, 4x8c2 or 4x.")
    return parsed


def shapes_known() -> frozenset[str]:
    """The contracts that `shaped` makes calls of."""
    return frozenset(each.name for each in contracts() if _entry("SHAPED", each) is not None)


def shaped(contract: str, tile: Tile, *, kind: str = "uniform", seed: int = 0, **sizes: int) -> Case:
    """One call of a matrix product at a shape: mr, nr (columns) and kc, of indirect ones also ks.

    For kernels of other tiles the same data, packed as they want it.

    Raises BadArgument for contracts that are no matrix products.
    """
    if contract not in shapes_known():
        raise BadArgument(f"shapes are not available for {contract}, only for "
                          f"{', '.join(sorted(shapes_known()))}.")
    promised, rng = contract_named(contract), _random(seed, *sizes.values())
    return _entry("SHAPED", promised)(promised, tile, kind, rng, **sizes)  # type: ignore[no-any-return]


def depthwise_row(contract: str, tile: Tile, pixels: int, channels: int, *, kind: str = "uniform",
                  seed: int = 0) -> Case:
    """One call of a depthwise kernel, of as many taps as its tile: a row of pixels, side by side with a stride of 1.

    Raises BadArgument for other contracts.
    """
    promised = next((each for each in contracts() if each.name == contract), None)
    made = _entry("DEPTHWISE_ROWS", promised) if promised is not None else None
    if made is None:
        known = sorted(each.name for each in contracts() if _entry("DEPTHWISE_ROWS", each) is not None)
        raise BadArgument(f"rows are not available for {contract}, only for {', '.join(known)}.")
    rng = _random(seed, pixels, channels, tile.nr or 0)
    return made(promised, tile, kind, rng, pixels, channels)  # type: ignore[no-any-return]
