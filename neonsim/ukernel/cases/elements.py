"""Elements of arrays by kind: what an array of a call holds, so that what is wrong with a function shows.

    uniform      any values                    ramp   every element different, in order: shows what went where
    least, most  all elements at one end       ends   the two ends of the type and what lies beside them
    zeros        all zero                      ones   all bits set
    ties         halves: where roundings differ, and the powers of two with what lies beside them
    nan          floats alone: NaN, infinities, zeros with both signs, denormals, among others

Floats are integers of -64..64, but for the last two kinds and ends: sums and products of a few are exact in every
order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["FLOATS", "KINDS", "drawn_from", "elements", "kinds_of"]

KINDS = ("uniform", "ramp", "least", "most", "ends", "zeros", "ones")
FLOATS = np.arange(-64, 65)


def kinds_of(dtype: str, nan: bool = False) -> tuple[str, ...]:
    """The kinds that an array of a type may hold; ``nan``: that one too."""
    real = np.dtype(dtype).kind == "f"
    return (*KINDS, "ties", *(["nan"] if real and nan else []))


def elements(kind: str, shape: tuple[int, ...], dtype: str, rng: np.random.Generator) -> NDArray[Any]:
    """An array of a type whose elements are of a kind: all values of an integer type may come."""
    if np.dtype(dtype).kind == "f":
        return _floats(kind, shape, dtype, rng)
    limits = np.iinfo(dtype)
    if kind == "ramp":
        return np.arange(1, int(np.prod(shape)) + 1).reshape(shape).astype(dtype)
    if kind == "ends":
        edge = np.array([limits.min, limits.min + 1, limits.max - 1, limits.max], dtype)
        return rng.choice(edge, shape)
    if kind == "ties":
        powers = [1 << bit for bit in range(limits.bits - bool(limits.min))]
        near = {sign * power + beside for power in powers for beside in (-1, 0, 1) for sign in (1, -1)}
        return rng.choice(np.array(sorted(v for v in near if limits.min <= v <= limits.max), dtype), shape)
    if kind in ("least", "most", "zeros", "ones"):
        value = {"least": limits.min, "most": limits.max, "zeros": 0, "ones": -1 if limits.min else limits.max}[kind]
        return np.full(shape, value, dtype)
    return rng.integers(limits.min, limits.max, shape, dtype, endpoint=True)


def _floats(kind: str, shape: tuple[int, ...], dtype: str, rng: np.random.Generator) -> NDArray[Any]:
    if kind == "ties":
        return (rng.integers(-64, 64, shape) + 0.5).astype(dtype)
    if kind in ("ends", "nan"):
        limits = np.finfo(dtype)
        some = [limits.max, limits.min, limits.tiny, -limits.tiny, 0.0, -0.0, 1.0, -1.0]
        some += [np.nan, np.inf, -np.inf, limits.smallest_subnormal] if kind == "nan" else []
        return rng.choice(np.array(some, dtype), shape)
    return drawn_from(kind, shape, FLOATS, rng).astype(dtype)


def drawn_from(kind: str, shape: tuple[int, ...], values: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
    """Elements out of a list of values, of a kind as far as the list has it."""
    if kind == "ramp":
        return np.resize(values, shape)
    if kind == "ends":
        return rng.choice(np.array([values[0], values[min(1, len(values) - 1)], values[-2:][0], values[-1]]), shape)
    fixed = {"least": values[0], "most": values[-1], "zeros": values[len(values) // 2], "ones": values[-1]}
    return np.full(shape, fixed[kind]) if kind in fixed else rng.choice(values, shape)
