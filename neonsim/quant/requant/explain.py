"""Requantisation as text: one scale step by step, the ties of every scheme."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from neonsim.errors import BadArgument
from neonsim.quant.fixedpoint import check_scale, decompose, int32_accumulators
from neonsim.quant.requant.lab import steps
from neonsim.quant.requant.schemes import largest_error, unclamped
from neonsim.quant.rounding import ROUNDINGS

__all__ = ["compare_schemes", "explain_requant", "tie_table"]

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
