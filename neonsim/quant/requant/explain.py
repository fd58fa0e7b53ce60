"""Requantisation as text: one scale step by step, the ties of every scheme, how often schemes disagree."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from neonsim.common.integers import as_int
from neonsim.errors import BadArgument
from neonsim.quant.fixedpoint import INT32_MAX, INT32_MIN, check_scale, decompose, int32_accumulators
from neonsim.quant.requant.lab import shares_of, steps
from neonsim.quant.requant.schemes import largest_error, unclamped
from neonsim.quant.rounding import ROUNDINGS

__all__ = ["compare_schemes", "disagreement_table", "disagreements", "explain_requant", "tie_table"]

# What has another one's values needs no column of its own.
_SHOWN = tuple(name for name, rule in ROUNDINGS.items() if not rule.alike)


def explain_requant(scale: float, value: int | None = None) -> str:
    """How a float32 scale becomes a multiplier and a shift, and what each scheme makes of it, as text.

    scale   float         input scale * weight scale / output scale
    value   int or None   an accumulator: its way through every scheme, step by step, is added

    >>> print(*explain_requant(1 / 90).splitlines()[:9], sep="\\n")
    scale        0.01111111138015985 in single precision, bits 0x3C360B61
    mantissa     m23 = 0xB60B61 = 11930465, exponent e = 120: scale = m23 / 2**(150 - e) = 11930465 / 2**30
    multiplier   m23 * 2**7 = 1527099520 (0x5B05B080), a fraction of 2**31: 0.711111
    shift        126 - e = 6 bits to the right: scale = multiplier / 2**(31 + shift)
    kernels read multiplier 1527099520 and left shift -6
    <BLANKLINE>
    precise      p = acc * multiplier;  (p + (p >> 63) + 2**36) >> 37; halves away from zero; error <= 0.5
    rndnu        (acc * multiplier + 2**36) >> 37; halves up; error <= 0.5
    fp32_lrint   rint(float32(acc) * scale); halves to even; error <= 0.500031
    """
    single = check_scale(scale, "requantisation scale")
    if single.ndim:
        raise BadArgument(f"explain_requant takes one scale; got an array of shape {single.shape}.")
    multiplier, shift = (int(part) for part in decompose(single))
    m23, e, h = multiplier >> 7, 126 - shift, 24 + shift
    lines = [
        f"scale        {float(single):.17f} in single precision, bits 0x{int(single.view(np.uint32)):08X}",
        f"mantissa     m23 = 0x{m23:06X} = {m23}, exponent e = {e}: scale = m23 / 2**(150 - e) = {m23} / 2**{h}",
        f"multiplier   m23 * 2**7 = {multiplier} (0x{multiplier:08X}), a fraction of 2**31: {multiplier / 2**31:.6f}",
        f"shift        126 - e = {shift} bits to the right: scale = multiplier / 2**(31 + shift)",
        f"kernels read multiplier {multiplier} and left shift {-shift}",
        "",
    ]
    for name in _SHOWN:
        rule = ROUNDINGS[name]
        if not 2.0**-32 <= float(single) < rule.below:
            lines.append(f"{name:<12} refuses it: takes 2**-32 <= scale < {rule.below}")
            continue
        lines.append(f"{name:<12} {rule.formula_at(float(single))}; halves {rule.ties}; error <= "
                     f"{largest_error(float(single), name):.6g}")
    if value is not None:
        lines += ["", str(steps(float(single), value))]
    return "\n".join(lines)


def tie_table(scale: float = 0.5, accumulators: Sequence[int] = (-3, -1, 1, 3)) -> str:
    """What every scheme makes of a few accumulators, as text; by default the exact halves of scale 1/2.

    >>> print(tie_table())
         acc       exact     precise       rndnu  fp32_lrint         q31
          -3        -3/2          -2          -1          -2          -1
          -1        -1/2          -1           0           0           0
           1         1/2           1           1           0           1
           3         3/2           2           2           2           2
    """
    acc = int32_accumulators(np.asarray(accumulators))
    exact = Fraction(float(check_scale(scale)))
    columns = [unclamped(acc, scale, name) for name in _SHOWN]
    lines = [f"{'acc':>8}" + "".join(f"{name:>12}" for name in ("exact", *_SHOWN))]
    for i, x in enumerate(acc.tolist()):
        product = exact * x
        shown = str(product) if product.denominator <= 4096 else f"{float(product):.7g}"
        lines.append(f"{x:>8}{shown:>12}" + "".join(f"{int(column[i]):>12}" for column in columns))
    return "\n".join(lines)


def compare_schemes(acc: int, scale: float) -> dict[str, int]:
    """One accumulator through every scheme that takes the scale, before zero point and clamp.

    The common question of users: why 7 here and 6 there? The exact product of this example is 6.50000016; as float32
    it is 6.5, a tie that was none.

    >>> compare_schemes(585, 1 / 90)
    {'precise': 7, 'rndnu': 7, 'fp32_lrint': 6, 'q31': 7, 'gemmlowp': 7}
    """
    single = float(check_scale(scale))
    return {name: int(unclamped(acc, scale, name)) for name, rule in ROUNDINGS.items()
            if name != "fp32_magic" and 2.0**-32 <= single < rule.below}


def disagreements(scale: float | None = None, *, count: int = 100_000, seed: int = 0,
                  magnitude: int | None = None) -> dict[tuple[str, str], float]:
    """How often two schemes round differently: share of random accumulators, counted, for every pair of schemes.

    scale       float or None   None: a new scale for every accumulator, uniform in (0, 1)
    count       int             number of accumulators
    magnitude   int or None     accumulators are uniform in -magnitude..magnitude - 1, at most 2**31;
                                None: wherever |acc * scale| <= 128, those that no clamp hides
    ->          {(scheme, scheme): share of disagreements, 0..1}

    For q31 against precise the law is 2**-(shift + 1) for shift >= 1 (R13). fp32 differs more and more once
    accumulators pass 2**24 and no longer fit a float32.

    >>> round(disagreements(0.3, count=20_000, magnitude=1 << 28)["precise", "q31"], 2)     # shift 1: one in four
    0.25
    """
    count, rng = as_int(count, "count", 1, 1 << 27), np.random.default_rng(as_int(seed, "seed", 0))
    scales = rng.uniform(2.0**-31, 1.0 - 2.0**-24, count) if scale is None else np.float64(scale)
    reach = np.minimum(128.0 / scales, 2.0**31) if magnitude is None else np.float64(magnitude)
    acc = np.clip(np.floor(rng.uniform(-1.0, 1.0, count) * reach), INT32_MIN, INT32_MAX).astype(np.int64)
    return shares_of({name: unclamped(acc, scales, name) for name in _SHOWN})


def disagreement_table(scale: float | None = None, *, count: int = 100_000, seed: int = 0,
                       magnitude: int | None = None) -> str:
    """`disagreements` as text: per cent of accumulators that two schemes round differently.

    >>> print(disagreement_table(0.375, count=20_000))
    differs (%)  precise  rndnu  fp32_lrint  q31
    precise            0   6.33        6.08  18.9
    rndnu           6.33      0        6.44  25.3
    fp32_lrint      6.08   6.44           0   25
    q31             18.9   25.3          25    0
    """
    shares = disagreements(scale, count=count, seed=seed, magnitude=magnitude)
    lines = ["differs (%)  " + "  ".join(_SHOWN)]
    for one in _SHOWN:
        cells = []
        for other in _SHOWN:
            share = 0.0 if one == other else shares[(one, other) if (one, other) in shares else (other, one)]
            cells.append(f"{100 * share:>{len(other)}.3g}")
        lines.append(f"{one:<11}  " + "  ".join(cells))
    return "\n".join(lines)
