"""The requantisation laboratory: every scheme beside every other, one number step by step, witnesses on demand.

`scheme_table()` prints them: y = round(acc * scale) as their bodies say it (`quant.rounding`), ties, scales, sources.

    M, s   Q31 mantissa and right shift: scale = M / 2**(31+s)  (fixedpoint.decompose), without error

What requantises no sums is not here: additions (R07) and products (R12) of two bytes have parameters of their own
(`vector_params`); rndnu16 (R09) rounds 16-bit values and is left out.

    disagree(one, other)      accumulators that two schemes round differently, with the reason
    rates(scales, ...)        how often, counted over a stated set
    steps(scale, value)       every intermediate number of every scheme
    magic_range()             where adding 12582912.0 rounds rightly, and the first numbers where it does not
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.common.integers import as_int
from neonsim.errors import BadArgument
from neonsim.quant.fixedpoint import INT32_MAX, INT32_MIN, Int64, check_scale
from neonsim.quant.rounding import LABORATORY, MAGIC_BITS, ROUNDINGS, Rounding, scheme_name

__all__ = ["SCHEMES", "Counterexample", "Steps", "disagree", "magic_range", "rate_table", "rates",
           "result", "scheme_table", "shares_of", "steps"]

_MAGIC = 12582912.0     # MAGIC_BITS as a number


# What requantization= takes, and what is compared with it.
SCHEMES: dict[str, Rounding] = {**ROUNDINGS, **LABORATORY}
_WIDEST = max(ROUNDINGS.values(), key=lambda row: row.below).name


def _named(scheme: str) -> str:
    name = scheme_name(scheme) if isinstance(scheme, str) else scheme
    if name not in SCHEMES:
        raise BadArgument(f"Unknown scheme {scheme!r} in the laboratory. Use {', '.join(SCHEMES)}.")
    return str(name)


def result(acc: NDArray[np.int64], scale: NDArray[np.float32] | np.float32, scheme: str) -> Int64:
    """round(acc * scale) by a scheme, before zero point and clamp (fp32_magic: held to -2**22..2**22).

    >>> [result(np.array([585]), np.float32(1 / 90), name).item() for name in ("q31", "fp32", "ncnn")]
    [7, 6, 7]
    """
    return SCHEMES[_named(scheme)].of(acc, scale)


# ---- witnesses

@dataclass(frozen=True)
class Counterexample:
    """One accumulator and scale that two schemes round differently.

    acc              int
    scale            float            in single precision
    schemes          (str, str)
    results          (int, int)       before zero point and clamp
    exact            Fraction         acc * scale
    """

    acc: int
    scale: float
    schemes: tuple[str, str]
    results: tuple[int, int]
    exact: Fraction

    @property
    def reason(self) -> str:
        """Why they differ, in words."""
        whole = self.exact - self.exact // 1
        tie = whole == Fraction(1, 2)
        notes = []
        if tie:
            notes.append(f"{float(self.exact):g} is an exact half: "
                         + ", ".join(f"{s} takes it {SCHEMES[s].ties}" for s in self.schemes))
        for scheme in self.schemes:
            seen = SCHEMES[scheme].seen(self.acc, self.scale)
            if seen is None or seen == self.exact:
                continue
            if SCHEMES[scheme].fixed:
                notes.append(f"{scheme} rounds twice: first to {float(seen):.10g}, then that, where the exact product "
                             f"is {float(self.exact):.10g}")
            else:
                notes.append(f"{scheme} sees the product as {float(seen):.10g} in single precision; it is "
                             f"{float(self.exact):.10g}")
        return "; ".join(notes) or "they round differently"

    def __str__(self) -> str:
        (one, other), (x, y) = self.schemes, self.results
        return f"acc {self.acc}, scale {self.scale!r}: {one} {x}, {other} {y}\n    {self.reason}"


def _candidates(rng: np.random.Generator, scale: float | None,
                count: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Accumulators next to halves, and anywhere, whose products 8 bits can show."""
    if scale is None:
        powers = 2.0 ** -rng.integers(1, 12, count).astype(np.float64)
        scales = np.where(rng.random(count) < 0.3, powers, rng.uniform(2.0**-14, 1 - 2.0**-24, count))
    else:
        scales = np.full(count, scale)
    single = scales.astype(np.float32)
    halves = (rng.integers(-128, 128, count) + 0.5) / single.astype(np.float64)
    anywhere = rng.uniform(-128, 128, count) / single.astype(np.float64)
    acc = np.where(rng.random(count) < 0.7, np.rint(halves) + rng.integers(-1, 2, count), np.floor(anywhere))
    return np.clip(acc, INT32_MIN, INT32_MAX).astype(np.int64), single


def disagree(first: str, second: str, scale: float | None = None, *, count: int = 3,
             seed: int = 0) -> list[Counterexample]:
    """Accumulators that two schemes round differently, the smallest ones first.

    first, second  names out of SCHEMES ("fp32" is fp32_lrint)
    scale        float or None   None: scales of all sizes below 1
    count        int             how many witnesses at most
    seed         int             of the search: up to 400 000 accumulators, most of them next to a half
    ->           list            empty if none was found: q31 and gemmlowp, for example, never differ

    Raises BadArgument for names that do not exist and scales that one of them refuses.

    >>> print(disagree("precise", "rndnu", 0.5, count=1)[0])
    acc -1, scale 0.5: precise -1, rndnu 0
        -0.5 is an exact half: precise takes it away from zero, rndnu takes it up
    >>> disagree("q31", "gemmlowp", 0.3)
    []
    """
    names = (_named(first), _named(second))
    if scale is not None:
        _check_range(scale, names)
    wanted, rng = as_int(count, "count", 1, 10_000), np.random.default_rng(as_int(seed, "seed", 0))
    found: dict[tuple[int, float], Counterexample] = {}
    for _ in range(4):
        acc, scales = _candidates(rng, scale, 100_000)
        results = [result(acc, scales, name) for name in names]
        differ = np.flatnonzero(results[0] != results[1])
        for i in differ[np.argsort(np.abs(acc[differ]), kind="stable")][:2 * wanted]:
            at = (int(acc[i]), float(scales[i]))
            found[at] = Counterexample(*at, names, (int(results[0][i]), int(results[1][i])), Fraction(at[1]) * at[0])
        if len(found) >= wanted:
            break
    return sorted(found.values(), key=lambda w: (abs(w.acc), w.acc, w.scale))[:wanted]


def _check_range(scale: float, names: tuple[str, ...]) -> float:
    single = float(check_scale(scale, "requantisation scale"))
    for name in names:
        if not 2.0**-32 <= single < SCHEMES[name].below:
            raise BadArgument(f"{name} takes 2**-32 <= scale < {SCHEMES[name].below}; got {single:g}.")
    return single


def shares_of(results: Mapping[str, NDArray[Any]]) -> dict[tuple[str, str], float]:
    """For every pair of results: the share of their elements that differ."""
    return {(one, other): float(np.mean(results[one] != results[other]))
            for one, other in itertools.combinations(results, 2)}


def rates(scale: float | None = None, *, count: int = 200_000, seed: int = 0,
          magnitude: int | None = None) -> dict[tuple[str, str], float]:
    """How often two schemes differ: share of a stated set, counted, for every pair.

    The set: `count` accumulators, uniform over |acc * scale| <= 128, what no clamp hides, or over |acc| <= magnitude;
    scale as given, or one for each, uniform in (0, 1).

    For q31 against precise the law is 2**-(shift + 1) for shift >= 1 (R13). fp32 differs more and more once
    accumulators pass 2**24 and no longer fit a float32.

    >>> round(rates(0.3, count=20_000, magnitude=1 << 28)["precise", "q31"], 2)     # shift 1: one in four
    0.25
    """
    names = tuple(SCHEMES)
    count, rng = as_int(count, "count", 1, 1 << 27), np.random.default_rng(as_int(seed, "seed", 0))
    if scale is None:
        scales = rng.uniform(2.0**-24, 1 - 2.0**-24, count).astype(np.float32)
    else:
        single = _check_range(scale, (_WIDEST,))
        names = tuple(n for n in names if single < SCHEMES[n].below)
        scales = np.full(count, scale, np.float32)
    reach = np.minimum(128.0 / scales, 2.0**31) if magnitude is None else np.float64(magnitude)
    acc = np.clip(np.floor(rng.uniform(-1, 1, count) * reach), INT32_MIN, INT32_MAX).astype(np.int64)
    return shares_of({name: result(acc, scales, name) for name in names})


def rate_table(scale: float | None = None, *, count: int = 200_000, seed: int = 0) -> str:
    """`rates` as text: per cent of accumulators that two schemes round differently.

    >>> print(rate_table(0.5, count=10_000).splitlines()[-1])
    counted over 10000 accumulators, uniform where |acc * scale| <= 128; scale 0.5
    """
    shares = rates(scale, count=count, seed=seed)
    names = list(dict.fromkeys(name for pair in shares for name in pair))
    lines = [f"{'differs (%)':<12}" + "".join(f"{name:>{len(name) + 2}}" for name in names)]
    for one in names:
        cells = []
        for other in names:
            share = 0.0 if one == other else shares[(one, other) if (one, other) in shares else (other, one)]
            cells.append(f"{100 * share:>{len(other) + 2}.3g}")
        lines.append(f"{one:<12}" + "".join(cells))
    what = "scales uniform in (0, 1)" if scale is None else f"scale {float(np.float32(scale)):.9g}"
    return "\n".join([*lines, f"counted over {count} accumulators, uniform where |acc * scale| <= 128; {what}"])


def scheme_table() -> str:
    """All schemes: formula, ties, scales, instructions."""
    head = ("scheme", "round(acc * scale) as", "ties", "scales below", "A64 unless said", "source")
    rows = [(name, s.formula, s.ties, str(s.below), s.neon, s.source) for name, s in SCHEMES.items()]
    wide = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]
    lines = ["  ".join(cell.ljust(w) for cell, w in zip(row, wide, strict=True)).rstrip() for row in (head, *rows)]
    return "\n".join([*lines, "M: mantissa of 31 bits, s: shift to the right; scale = M / 2**(31 + s)"])


# ---- one number, step by step

@dataclass(frozen=True)
class Steps:
    """One accumulator on its way through every scheme that takes the scale. What another one does in the same steps is
    left out.

    acc, scale   as given, the scale in single precision
    exact        Fraction                        acc * scale
    lines        {scheme: tuple of str}          each step as text
    results      {scheme: int}                   before zero point and clamp
    """

    acc: int
    scale: float
    exact: Fraction
    lines: dict[str, tuple[str, ...]]
    results: dict[str, int]

    def __str__(self) -> str:
        shown = f"{float(self.exact):.10g}"
        text = [f"acc {self.acc} * scale {self.scale:.17g} = {shown}" + ("" if Fraction(shown) == self.exact else "...")
                + (", an exact half" if self.exact % 1 == Fraction(1, 2) else "")]
        for name, lines in self.lines.items():
            text += [f"{name:<12} {self.results[name]}", *(f"    {line}" for line in lines)]
        return "\n".join(text)


def steps(scale: float, acc: int) -> Steps:
    """Every intermediate number of every scheme for one accumulator.

    Raises BadArgument for a scale that is none or that no scheme takes, and an accumulator that is no int32.

    >>> print(str(steps(1 / 90, 585)).splitlines()[0])
    acc 585 * scale 0.011111111380159855 = 6.500000157...
    """
    single = check_scale(scale, "requantisation scale")
    if single.ndim:
        raise BadArgument(f"steps takes one scale; got an array of shape {single.shape}.")
    value = as_int(acc, "the accumulator", INT32_MIN, INT32_MAX)
    _check_range(float(single), (_WIDEST,))
    lines: dict[str, tuple[str, ...]] = {}
    results: dict[str, int] = {}
    for name, rule in SCHEMES.items():
        made = rule.steps(value, float(single)) if 2.0**-32 <= float(single) < rule.below else ()
        if made and made not in lines.values():
            lines[name], results[name] = made, int(rule.of(value, single))
    return Steps(value, float(single), Fraction(float(single)) * value, lines, results)


def magic_range() -> tuple[float, float]:
    """(lowest, highest) float32 numbers between which adding 12582912.0 gives rint: all of them within do.

    The sum must stay in [2**23, 2**24], where floats are 1 apart; outside they are 1/2 or 2 apart, and the low bits no
    longer count ones. Found here by trying, from the ends of the theory on.

    >>> magic_range() == (-2.0**22, 2.0**22 + 0.5)
    True
    """
    def right(f: np.float32) -> bool:
        bits = int(np.float32(f + np.float32(_MAGIC)).view(np.int32)) - MAGIC_BITS
        return bits == int(np.rint(np.float64(f)))

    ends = []
    for end in (np.float32(-(2.0**22)), np.float32(2.0**22)):
        while right(np.nextafter(end, np.float32(np.copysign(np.inf, end)))):
            end = np.nextafter(end, np.float32(np.copysign(np.inf, end)))
        ends.append(float(end))
    return ends[0], ends[1]
