"""Data with intent, and parameters that make the most of it: what all share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.quant.params.gemm_steps import Q31Params

__all__ = ["DEEP", "EDGE_ZERO_POINTS", "ENDS", "KINDS", "against", "beyond", "bytes_of", "drawn", "edge_sums",
           "ends_of_sums", "kinds_for", "scaling", "some_of", "spread"]

EDGE_ZERO_POINTS = (0, 1, 127, 128, 254, 255)

# Zero points of input and weights, none or at the ends.
ENDS = ((0, 127), (127, 0), (0, 0), (255, 255), (0, 255), (255, 0))

# uniform      random bytes; bias and scale spread the results over the byte, so nothing wrong hides behind a clamp
# zeros, ones  all bytes 0, or 255
# ends         bytes 0, 1, 254, 255 only
# ties         the input at its zero point, so that the bias alone is the sum: exact halves after scaling, of both signs
# near_ties    those, one nearer to zero
# unshifted    shift 0 and small sums of both signs: no second rounding
# extremes     sums at the ends of int32 and wrapped around them, shift 0 and 31
# saturating   scaled values beyond 16 bits
# clamped      as uniform, with a narrow band between the limits
# mixed_ties   ties whose sign differs from row to row: a sign taken from another row shows
KINDS = ("uniform", "zeros", "ones", "ends", "ties", "near_ties", "unshifted", "extremes", "saturating", "clamped",
         "mixed_ties")

# beyond_16    the largest products, all of one sign: with `beyond` depths no lane of 16 bits holds its share of the sum
# near_32      the largest inputs; the bias takes the sum of each column to the end of int32 that it is nearer to
DEEP = ("beyond_16", "near_32")

IN_TURN = 3
LANES = 32   # that share a sum: four registers of 16-bit lanes


def beyond(bits: int, most: int, lanes: int = LANES) -> int:
    """The smallest depth at which every one of the lanes that share a sum leaves that many bits.

    most   size of each term

    >>> [beyond(16, 255, lanes) for lanes in (1, 8, 32)]
    [258, 2064, 8256]
    """
    return lanes * ((1 << bits) // most + 1)


def against(size: int, block: int) -> str:
    """A size beside the block that kernels take at once, in the words of XNNPACK's tests.

    >>> [against(size, 8) for size in (8, 3, 24, 9)]
    ['eq_8', 'lt_3', 'div_24', 'gt_9']
    """
    word = "eq" if size == block else "lt" if size < block else "gt" if size % block else "div"
    return f"{word}_{size}"


def ends_of_sums(acc: NDArray[np.int64], bits: int = 32) -> NDArray[np.int64]:
    """Bias [n] that takes sums to the ends of their type; acc [..., n] without it, all rows alike."""
    row = acc.reshape(-1, acc.shape[-1])[0]
    bias: NDArray[np.int64] = np.where(row < 0, -(1 << bits - 1), (1 << bits - 1) - 1) - row
    return bias


def kinds_for(number: int) -> tuple[str, ...]:
    """Three kinds of data for one of very many sizes: every size meets some, eleven sizes in a row meet all.

    >>> kinds_for(0), kinds_for(3)
    (('uniform', 'zeros', 'ones'), ('clamped', 'mixed_ties', 'uniform'))
    """
    return tuple(KINDS[(IN_TURN * number + i) % len(KINDS)] for i in range(IN_TURN))


def some_of(kinds: tuple[str, ...], number: int, every: int, at: int) -> tuple[str, ...]:
    """All kinds at one size of so many, counted from ``at``; at each other one uniform data and one kind, in turn.

    >>> some_of(("uniform", "ends", "ties"), 3, 5, 4), some_of(("uniform", "ends", "ties"), 4, 5, 4)
    (('uniform', 'ties'), ('uniform', 'ends', 'ties'))
    """
    return kinds if number % every == at else ("uniform", kinds[1 + number % (len(kinds) - 1)])


def drawn(seed: int, sizes: Iterable[Any], kinds: Sequence[str] | Callable[[int], Sequence[str]],
          ) -> Iterator[tuple[np.random.Generator, int, int, str, Any]]:
    """(random numbers of their own, i, j, kind j, size i), for all kinds of each size; kinds: the same, or by i."""
    for i, size in enumerate(sizes):
        for j, kind in enumerate(kinds(i) if callable(kinds) else kinds):
            key = size if isinstance(size, tuple) else (size,)
            yield np.random.default_rng((seed, *key, j)), i, j, kind, size


_FLAT = ("ties", "near_ties", "unshifted")


def bytes_of(kind: str, shape: tuple[int, ...], rng: np.random.Generator, zero_point: int,
             weights: bool = False) -> NDArray[np.uint8]:
    """Bytes of one operand."""
    if kind in ("zeros", "ones"):
        return np.full(shape, 255 * (kind == "ones"), np.uint8)
    if kind == "beyond_16" or (kind == "near_32" and not weights):
        return np.full(shape, 255, np.uint8)
    if kind == "ends":
        return rng.choice(np.array([0, 1, 254, 255], np.uint8), shape)
    if kind in _FLAT and not weights:
        return np.full(shape, zero_point, np.uint8)
    if kind == "mixed_ties":
        # Every sum is a multiple of 8, of either sign.
        steps = np.ones(shape, int) if weights else 8 * rng.integers(-12, 13, shape)
        return (zero_point + steps).astype(np.uint8)
    return rng.integers(0, 256, shape, dtype=np.uint8)


def spread(acc: NDArray[np.int64]) -> tuple[NDArray[np.int32], float]:
    """Bias [n] and scale that spread acc [..., n] over the byte around 128."""
    flat = acc.reshape(-1, acc.shape[-1])
    bias = -np.round(flat.mean(axis=0)).astype(np.int64)
    scale = min(120.0 / max(int(np.abs(flat + bias).max()), 1), 1 - 2.0**-24)
    return bias.astype(np.int32), float(np.float32(scale)) if scale < 1 - 2.0**-24 else scale


def scaling(kind: str, acc: NDArray[np.int64], rng: np.random.Generator, a_zero_point: int, w_zero_point: int,
            **limits: int) -> tuple[NDArray[np.int32], Q31Params, str]:
    """Bias and parameters of one case, and what its name says of the limits that are given.

    acc   int64 [..., n]   its sums without bias
    """
    n = acc.shape[-1]
    multiplier, shift = int(rng.integers(1 << 30, 1 << 31)), int(rng.integers(0, 16))
    bias = np.asarray(rng.integers(-5000, 5001, n), np.int32)
    low, high, zero = 0, 255, int(rng.integers(0, 256))
    if kind in ("uniform", "ends", "clamped", "beyond_16"):
        bias, scale = spread(acc)
        mantissa, exponent = np.frexp(scale)
        multiplier, shift, zero = int(mantissa * 2.0**31), -int(exponent), 128
        if kind == "clamped":
            low = int(rng.integers(60, 120))
            high = low + int(rng.integers(0, 40))
    elif kind in ("ties", "near_ties"):
        # The first rounding must give odd * 2**(shift - 1), exactly half of a unit.
        shift, zero = int(rng.choice([1, 2, 3, 7, 12, 24])), 128
        half = rng.choice([-1, 1], n) * (2 * rng.integers(64 if shift == 24 else 0, 126, n) + 1).astype(np.int64)
        half = half << shift - 1
        half -= np.sign(half) * (kind == "near_ties")
        bias = np.round(half * 2.0**31 / multiplier).clip(-(1 << 31), (1 << 31) - 1).astype(np.int32)
    elif kind == "mixed_ties":
        # Half of the sum is an odd multiple of 2, half of a unit.
        multiplier, shift, zero = 1 << 30, 2, 128
        bias = np.asarray(rng.choice([-4, 4], n), np.int32)
    elif kind == "unshifted":
        shift, zero = 0, 128
        bias = (rng.integers(1, 100, n) * np.where(np.arange(n) % 2, 1, -1)).astype(np.int32)
    elif kind == "extremes":
        bias = edge_sums(rng, n)
        shift = int(rng.choice([0, 1, 23, 24, 31]))
    elif kind == "near_32":
        bias, multiplier, shift, zero = ends_of_sums(acc).astype(np.int32), 1 << 30, 24, 128
    elif kind == "saturating":
        bias, shift, zero = np.asarray(rng.integers(-(1 << 30), 1 << 30, n), np.int32), int(rng.integers(8, 16)), 255
    params = Q31Params(multiplier, shift, a_zero_point, w_zero_point, zero,
                       **{"output_min": low, "output_max": high, **limits})
    return bias, params, "".join(f"_{name}{value}" for name, value in limits.items())


def edge_sums(rng: np.random.Generator, n: int) -> NDArray[np.int32]:
    """int32 values at the ends of their range and around 0."""
    edge = np.array([-(1 << 31), (1 << 31) - 1, -(1 << 31) + 1, (1 << 31) - 2, -1, 0, 1, -(1 << 30)])
    return np.resize(rng.permutation(edge), n).astype(np.int32)


def zero_points(kind: str, rng: np.random.Generator, a: int | None = None, w: int | None = None) -> tuple[int, int]:
    """Zero points of input and weights, where they are not given: any; at the ends for data that is all alike."""
    if kind in ("zeros", "ones", "ends"):
        drawn = [int(rng.choice(np.array(EDGE_ZERO_POINTS))) for _ in range(2)]
    elif kind in DEEP:
        drawn = [0, 128 * (kind == "near_32")]
    elif kind == "mixed_ties":
        drawn = [int(rng.integers(104, 151)), int(rng.integers(0, 255))]
    else:
        drawn = [int(rng.integers(0, 256)) for _ in range(2)]
    return drawn[0] if a is None else a, drawn[1] if w is None else w
