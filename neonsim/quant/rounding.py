"""How the schemes of requantisation round: the step that they differ in, what each takes, limits of the result.

Source: QNNPACK, gemmlowp and XNNPACK (R01, R02, R03, R04, R05, R08); tie rules (Z10, Z11, R17).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from neonsim.common.integers import as_int
from neonsim.errors import BadArgument
from neonsim.quant.fixedpoint import (
    FixedPoint,
    Int64,
    check_scale,
    decompose,
    rdivpot,
    rounding_shift,
    saturating_shift,
    sdhm,
    srdhm,
)

__all__ = ["MAGIC_BITS", "ROUNDINGS", "Rounding", "derive", "gemmlowp_step", "limits", "precise_step", "q31_step",
           "rndnu_neon_step", "rndnu_step", "rounding", "scheme_name"]

MAGIC_BITS = 0x4B400000         # 12582912.0 = 1.5 * 2**23 as an integer: added, it rounds a float32 (R03)
_SMALLEST_SCALE = 2.0**-32
_WHOLE = {np.dtype(kind): np.iinfo(kind) for kind in (np.uint8, np.int8, np.int16)}


# ---- integer schemes: acc, multiplier, shift -> rounded product, before zero point and clamp

def precise_step(acc: Int64, multiplier: Int64, shift: Int64) -> Int64:
    """One rounding, ties away from zero."""
    magnitude = np.abs(acc) * multiplier + (np.int64(1) << 30 + shift) >> 31 + shift
    signed: Int64 = np.sign(acc) * magnitude
    return signed


def rndnu_step(acc: Int64, multiplier: Int64, shift: Int64) -> Int64:
    """One rounding, ties up."""
    return acc * multiplier + (np.int64(1) << 30 + shift) >> 31 + shift


def rndnu_neon_step(acc: Int64, multiplier: Int64, shift: Int64) -> Int64:
    """rndnu within 32 bits, as the vector code does it."""
    post = np.maximum(shift, 1)
    return rounding_shift(sdhm(saturating_shift(acc, post - shift), multiplier), post)


def q31_step(acc: Int64, multiplier: Int64, shift: Int64) -> Int64:
    """A Q31 product rounded up at ties, then a shift rounded away from zero."""
    product = acc * multiplier + (1 << 30) >> 31
    mask = (np.int64(1) << shift) - 1
    remainder = (product & mask) - (acc < 0)
    return (product >> shift) + (remainder > mask >> 1)


def gemmlowp_step(acc: Int64, multiplier: Int64, shift: Int64) -> Int64:
    """The same values in gemmlowp's two words."""
    return rdivpot(srdhm(acc, multiplier), shift)


class Rounding(NamedTuple):
    """One requantisation scheme.

    name         str        what `requantization=` takes
    ties         str        which way an exact half goes
    below        int        scales are accepted from 2**-32 up to this, exclusive
    step         callable   (acc, multiplier, shift) -> rounded product; None for the float schemes
    roundings    str        how often the value is rounded
    """

    name: str
    ties: str
    below: int
    step: Callable[[Int64, Int64, Int64], Int64] | None
    roundings: str


ROUNDINGS: dict[str, Rounding] = {
    row.name: row
    for row in (
        Rounding("precise", "away from zero", 256, precise_step, "one"),
        Rounding("rndnu", "up", 256, rndnu_step, "one"),
        Rounding("fp32_lrint", "to even", 256, None, "int to float32, product, integer"),
        Rounding("fp32_magic", "to even", 256, None, "int to float32, product, integer"),
        Rounding("q31", "up, then away from zero", 1, q31_step, "two"),
        Rounding("gemmlowp", "up, then away from zero", 1, gemmlowp_step, "two"),
    )
}
_ALIASES = {"fp32": "fp32_lrint"}


def scheme_name(name: str) -> str:
    """A scheme by its own name: "fp32" is fp32_lrint."""
    return _ALIASES.get(name, name)


def rounding(name: str) -> Rounding:
    """The scheme of that name ("fp32" is fp32_lrint). Raises BadArgument naming those there are.

    >>> rounding("fp32").name
    'fp32_lrint'
    """
    known = ROUNDINGS.get(scheme_name(name)) if isinstance(name, str) else None
    if known is None:
        raise BadArgument(f"There is no requantization {name!r}. There are {', '.join([*ROUNDINGS, *_ALIASES])}.")
    return known


def limits(dtype: Any, lo: int | None = None, hi: int | None = None, zero_point: int = 0) -> tuple[int, int]:
    """Clamp range within a quantised type: what is left open is filled with the limits of the type.

    Raises BadArgument for a type other than uint8, int8 and int16, for values outside it, and for lo > hi.

    >>> limits("int8", lo=0)
    (0, 127)
    """
    try:
        kind = np.dtype(dtype)
    except TypeError:
        raise BadArgument(f"dtype must be uint8, int8 or int16; got {dtype!r}.") from None
    info = _WHOLE.get(kind)
    if info is None:
        raise BadArgument(f"dtype must be uint8, int8 or int16; got {kind}.")
    as_int(zero_point, f"zero_point of {kind}", info.min, info.max)
    low = info.min if lo is None else as_int(lo, f"output_min of {kind}", info.min, info.max)
    high = info.max if hi is None else as_int(hi, f"output_max of {kind}", info.min, info.max)
    if low > high:
        raise BadArgument(f"output_min {low} is greater than output_max {high}: no value would be left.")
    return low, high


def derive(scale: ArrayLike, scheme: str = "q31") -> FixedPoint:
    """Multiplier and shift of a requantisation scale, after checking that the scheme takes it.

    scale    float [] or [n]   input scale * weight scale / output scale, in single precision
    ->       FixedPoint        multiplier 2**30..2**31-1; shift 0..31 (q31, gemmlowp), -8..31 (the others)

    Raises BadArgument: q31 and gemmlowp take scales below 1 (strict, as QNNPACK), the others below 256 (as XNNPACK);
    none takes less than 2**-32.
    Source: (X27, Z09).

    >>> derive(1 / 90)
    FixedPoint(multiplier=array(1527099520), shift=array(6))
    """
    rule = rounding(scheme)
    single = check_scale(scale, "requantisation scale")
    low, high = single < _SMALLEST_SCALE, single >= rule.below
    if low.any() or high.any():
        flat = single.reshape(-1)
        worst = int(np.argmax((low | high).reshape(-1)))
        where = "" if single.ndim == 0 else f" at channel {worst}"
        text = (f"The requantisation scale is {float(flat[worst]):.9g}{where}; "
                f"{rule.name} takes 2**-32 <= scale < {rule.below}.")
        if high.any() and rule.below == 1:
            text += (" It multiplies by a fraction (a Q31 mantissa) and shifts right, so it cannot enlarge: choose a"
                     " larger output scale, or requantization='rndnu', 'precise' or 'fp32', which go up to 256.")
        raise BadArgument(text)
    return decompose(single)
