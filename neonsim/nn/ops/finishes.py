"""From sums of products to integers of a scheme: a row of FINISHES for each way to round.

    acc  = bias + sum of (x - zx) * (w - zw)                    int32, wraps; int64 of 16x8
    y    = clip(round(acc * scale) + zy, output_min, output_max)

    rows             rounding                        scale                          kernels                   layers
    Float32Finish    a row of `quant.rounding`       x.scale * w.scale /            those of its word         most
                                                     out.scale, single precision
    DoubleFinish     one of `requant.double_scale`   given, in double precision     q31's, where below 1      all but
                                                                                                              flat16
    QuotientFinish   Tengine's kernels'              as of Float32Finish            of int8, one scale a      yes
                                                                                    channel
    DividedFinish    Tengine's reference's           the divisor by itself          that keep sums            yes
    ShortFinish      of `requant.int16x8`            in double precision            of 16x8                   yes

Kernels do this for the combinations of types, scales and requantization in `kernel_families`; the reference backend
does it for every scheme, uint8 or int8, with one scale or one per output channel. int8 weights have zero point 0 where
there are kernels of int8, which also rely on weights of -127 and more: those in fixed point refuse -128, those in
single precision take it without kernels.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from neonsim.errors import BackendError, BadArgument
from neonsim.nn.ops.job_builder import Builder
from neonsim.nn.ops.lowering.gemm_calls import ZeroPoint
from neonsim.nn.ops.lowering.kernel_families import SUMS, TILES, GemmLayer, KernelFamily, family_of, is_symmetric
from neonsim.nn.ops.lowering.per_channel import lower_by_column
from neonsim.nn.ops.lowering.two_stage import lower_by_sums
from neonsim.nn.ops.lowering.wide_gemm import WideGemm
from neonsim.nn.ops.product import Windows
from neonsim.quant.params.gemm import Qc8wParams, check_weights, gemm_params
from neonsim.quant.params.gemm_steps import GemmParams, Q31Params, SchemeParams
from neonsim.quant.params.requant import vector_params
from neonsim.quant.requant.double_scale import DOUBLE, WIDE, DoubleScale, DoubleScaleParams
from neonsim.quant.requant.int16x8 import Int16x8Params, check_accumulators
from neonsim.quant.requant.runtimes import ARITHMETICS
from neonsim.quant.requant.tengine import RULES, TengineParams
from neonsim.quant.rounding import ROUNDINGS, Rounding, default_rounding, derive, rounding_named, scheme_word

if TYPE_CHECKING:
    from neonsim.nn.ops.quantized.weighted import WeightedOperator

__all__ = ["FINISHES", "SCALE_RULES", "Finish", "finish_of"]

# Which requantisation scales are taken (Z09): below 1, as QNNPACK, or up to 256, as XNNPACK.
SCALE_RULES = ("strict", "wide")
_SHORT = "s64"
_GIVEN = ARITHMETICS["tflite"].products     # rounds scales that are given, where no name is


def _common(p: WeightedOperator) -> dict[str, Any]:
    return {"a_zero_point": p.schemes[0].zero_point, "w_zero_point": p.w.zero_point,
            "output_zero_point": p.out.zero_point, "output_min": p.output_min, "output_max": p.output_max}


def _one_or_each(scale: NDArray[Any], channels: int) -> NDArray[Any]:
    if scale.shape not in ((), (channels,)):
        raise BadArgument(f"scale must be one number or one per output channel, [{channels}]; got shape "
                          f"{list(scale.shape)}.")
    return scale


@dataclass(frozen=True)
class Finish(ABC):
    """A way to round the sums of a product.

    name   what `requantization=` takes
    word   what it is in the names of contracts
    """

    name: str
    word: str
    given: ClassVar[bool] = False               # the scale is
    takes_lowest: ClassVar[bool] = False        # weights of -128, if by no kernel
    sum_type: ClassVar[str] = "int32"
    layer_kinds: ClassVar[tuple[str, str]] = ("conv", "depthwise")

    def __reduce__(self) -> tuple[Any, ...]:
        """Rows are the same objects in every process."""
        return finish_of, (self.name, ("", ""), self.given)

    def check(self, p: WeightedOperator) -> None:
        """Refuse mixtures of types, and int8 weights that are not symmetric where kernels rely on it.

        Raises BadArgument that names the operand and the remedy.
        """
        types = {"x": p.schemes[0].dtype, "w": p.w.dtype.name, "out": p.out.dtype}
        if len(set(types.values())) > 1:
            listed = ", ".join(f"{name} is {kind}" for name, kind in types.items())
            raise BadArgument(f"{listed}: operands and result are all uint8 or all int8. int8 from uint8: subtract 128 "
                              "from values and zero point alike.")
        if p.w.dtype == np.int8 and is_symmetric(self.word):
            if p.w.zero_point != 0:
                raise BadArgument(f"w is int8 with zero point {p.w.zero_point}: int8 weights are symmetric, their zero "
                                  "point is 0 (requantization 'precise' takes any).")
            if not self.takes_lowest:
                check_weights(p.w.values)

    @abstractmethod
    def scale(self, p: WeightedOperator, rule: str | None) -> NDArray[Any]:
        """The requantisation scale, [] or [out]; rule: the argument `scale_rule`.

        Raises BadArgument for one that does not suit.
        """

    @abstractmethod
    def params(self, p: WeightedOperator) -> GemmParams | Int16x8Params:
        """What requantises its sums."""

    def wide(self, p: WeightedOperator) -> DoubleScale | None:
        """A scale in double precision with its multipliers; None where sums are rounded from a single one."""
        return None

    def family(self, p: WeightedOperator) -> KernelFamily | None:
        """The contracts whose kernels suit; None where there are none."""
        return family_of(p.out.dtype, bool(p.scale.ndim), self.word)

    def block(self, p: WeightedOperator) -> Any:
        """The block of kernels with one scale."""
        return p.params

    def gemm_layer(self, p: WeightedOperator) -> GemmLayer:
        """The product as kernels of its family take it."""
        assert p.family is not None
        common = _common(p)
        if p.family.name != "qc8w":
            return GemmLayer(p.family, p.by_group(p.w.values), p.bias, self.block(p), p.scale)
        common.pop("w_zero_point")
        return GemmLayer(p.family, p.by_group(p.w.values), p.bias, Qc8wParams(**common), p.scale)

    def lower(self, p: WeightedOperator, build: Builder, lowering: str | None) -> None:
        """As calls of its kernels."""
        p.lower_gemm(p.gemm_layer, build, lowering)

    def refusal(self, p: WeightedOperator) -> str | None:
        """Why no kernel does it; None if kernels do."""
        if p.family is not None:
            return None
        scales = "one scale per channel" if p.scale.ndim else "one scale"
        return (f"there are no kernels for {p.out.dtype} operands with {scales} and requantization {self.name!r}. "
                "There are for uint8 with one scale: 'q31', 'rndnu', 'fp32'; int8 with one scale: 'rndnu', 'fp32'; "
                "int8 with one scale per channel: 'fp32', 'tengine'. backend='reference' takes everything.")

    def vector_blocks(self, p: WeightedOperator, limits_: dict[str, int]) -> list[Any] | None:
        """The block of every scale for kernels that requantise sums in memory; None where there are none.

        limits_   output_zero_point, output_min, output_max
        """
        return None

    @abstractmethod
    def layer(self, p: WeightedOperator) -> dict[str, Any]:
        """Its rounding and scale, or all, in a layer of networks. Raises BackendError where they do not have it."""


@dataclass(frozen=True)
class Float32Finish(Finish):
    """A scheme of `quant.rounding`; the scale is one of single precision."""

    row: Rounding

    @property
    def takes_lowest(self) -> bool:  # type: ignore[override]
        return not self.row.fixed

    def scale(self, p: WeightedOperator, rule: str | None) -> NDArray[Any]:
        if rule not in (None, *SCALE_RULES):
            raise BadArgument(f"scale_rule must be {' or '.join(SCALE_RULES)}; got {rule!r}.")
        scale = p.single_scale
        try:
            derive(scale, self.name)
            if rule == "strict" and (scale >= 1).any():
                raise BadArgument(f"The requantisation scale is {float(scale.max()):.9g}; the strict rule of QNNPACK "
                                  f"takes scales below 1 only. Use scale_rule='wide', or a larger output scale.")
            if rule == "wide" and self.row.below == 1:
                raise BadArgument(f"requantization={self.name!r} needs scales below 1, so it has no wide rule: use "
                                  f"'rndnu', 'precise' or 'fp32', which go up to 256.")
        except BadArgument as problem:
            raise BadArgument(f"input scale * weight scale / output scale does not suit requantization={self.name!r} "
                              f"(input {p.schemes[0].scale!r}, output {p.out.scale!r}). {problem}") from None
        return scale

    def params(self, p: WeightedOperator) -> GemmParams:
        if p.family is TILES:
            return Q31Params.from_scale(float(p.scale), **_common(p))
        return SchemeParams(self.name, p.scale, dtype=p.out.dtype, **_common(p))

    def family(self, p: WeightedOperator) -> KernelFamily | None:
        return None if self._lowest(p) else super().family(p)

    def _lowest(self, p: WeightedOperator) -> int:
        """Weights of -128, where kernels rely on it that there is none."""
        return int((p.w.values == -128).sum()) if self.takes_lowest and p.out.dtype == "int8" else 0

    def block(self, p: WeightedOperator) -> Any:
        return p.params if p.family is TILES else gemm_params(self.row).from_scale(
            float(p.scale), dtype=p.out.dtype, **_common(p))

    def refusal(self, p: WeightedOperator) -> str | None:
        count = self._lowest(p)
        return (f"w holds -128 {count} times, and kernels rely on weights of -127 and more: two products -128 * -128 "
                "do not add up in 16 bits. backend='reference' takes them, and networks do.") if count \
            else super().refusal(p)

    def vector_blocks(self, p: WeightedOperator, limits_: dict[str, int]) -> list[Any]:
        return [vector_params(self.name, float(scale), **limits_) for scale in np.atleast_1d(p.scale)]

    def layer(self, p: WeightedOperator) -> dict[str, Any]:
        if not self.row.fixed:
            return {"rounding": self.word, "scale": np.atleast_1d(p.scale).astype(np.float32)}
        if not self.row.twice or p.scale.ndim:
            raise BackendError(f"its requantization is {self.name!r} with {p.scale.size} scales; 'q31' takes one "
                               "scale, 'fp32' one or one per channel.")
        multiplier, shift = self.row.derive(p.scale)
        return {"rounding": self.row.alike or self.name, "multiplier": int(multiplier), "shift": int(shift)}


class DoubleFinish(Finish):
    """A scheme of `requant.double_scale`; the scale is given, in double precision, and any scale below 2**30 is
    valid."""

    given = True

    def scale(self, p: WeightedOperator, rule: str | None) -> NDArray[Any]:
        if rule is not None:
            raise BadArgument("a scale in float64 has no scale_rule: any scale below 2**30 is valid.")
        assert p.given_scale is not None
        return _one_or_each(DoubleScale(self.name, p.given_scale).scale, len(p.bias))

    def wide(self, p: WeightedOperator) -> DoubleScale:
        return DoubleScale(self.name, p.scale)

    def as_tiles(self, p: WeightedOperator) -> bool:
        """Whether kernels of q31 round so: they take any multiplier of 31 bits, and shift to the right."""
        row = DOUBLE.get(self.name)
        return (row is not None and family_of("uint8", False, row.alike) is TILES
                and bool((self.wide(p).fixed.shift >= 0).all()))

    def params(self, p: WeightedOperator) -> GemmParams:
        wide = self.wide(p)
        if p.family is TILES:
            return Q31Params(int(wide.fixed.multiplier), int(wide.fixed.shift), **_common(p))
        return DoubleScaleParams(wide, dtype=p.out.dtype, **_common(p))

    def family(self, p: WeightedOperator) -> KernelFamily | None:
        fits = p.out.dtype == "uint8" and not p.scale.ndim and self.as_tiles(p) and self.wide(p).fixed.multiplier > 0
        return TILES if fits else None

    def lower(self, p: WeightedOperator, build: Builder, lowering: str | None) -> None:
        """By kernels of q31, or a column at a time."""
        if p.family is not None:
            super().lower(p, build, lowering)
            return
        if lowering not in (None, "im2col"):
            raise BackendError("channels with multipliers of their own must be lowered by 'im2col' only, a column at a "
                               f"time; got {lowering!r}.")
        lower_by_column(p, self.wide(p).fixed, build, cast(Windows, p).shape(build.inputs[0].shape))

    def refusal(self, p: WeightedOperator) -> str | None:
        if p.family is not None or (p.copies_windows and self.as_tiles(p)):
            return None
        return (f"there are no kernels of {p.kind} for {p.out.dtype} with requantization {self.name!r} and "
                f"{'one scale per channel' if p.scale.ndim else 'a scale'} in double precision, up to "
                f"{float(p.scale.max()):.3g}. There are for scales below 1: 'gemmlowp' of convolutions, and of other "
                "uint8 products with one scale. backend='reference' takes everything; networks do but for 'flat16' "
                "and zero points of int8 weights.")

    def vector_blocks(self, p: WeightedOperator, limits_: dict[str, int]) -> list[Any]:
        """Raises BackendError for scales that those kernels do not take."""
        pairs = list(zip(*(np.atleast_1d(one).tolist() for one in self.wide(p).fixed), strict=True))
        if not self.as_tiles(p) or not all(multiplier for multiplier, _ in pairs):
            raise BackendError(f"Winograd's convolution requantises scales in float64 by {_GIVEN!r} and below 1 only; "
                               f"this is {self.name!r}.")
        return [Q31Params(multiplier, shift, 0, 0, **limits_) for multiplier, shift in pairs]

    def layer(self, p: WeightedOperator) -> dict[str, Any]:
        if self.name == "flat16":
            raise BackendError("requantization 'flat16' rounds by the position of an element in the result; use "
                               "backend='reference'.")
        return {"rounding": self.name, "double_scale": np.atleast_1d(p.scale)}


class QuotientFinish(Finish):
    """Tengine's kernels: input scale * weight scale, over the output's, by multiplier and shift."""

    def scale(self, p: WeightedOperator, rule: str | None) -> NDArray[Any]:
        if rule is not None:
            raise BadArgument(f"requantization={self.name!r} has no scale_rule: valid scales are 2**-32 up to 256.")
        self.params(p)          # raises for scales that do not suit
        return p.single_scale

    def params(self, p: WeightedOperator) -> TengineParams:
        with np.errstate(over="ignore", under="ignore"):
            product = np.asarray(np.float32(p.schemes[0].scale) * np.asarray(p.w.scale, np.float32), np.float32)
        return TengineParams(self.name, product, float(np.float32(p.out.scale)), dtype=p.out.dtype, **_common(p))

    def layer(self, p: WeightedOperator) -> dict[str, Any]:
        return {"rounding": self.name, "double_scale": np.atleast_1d(self.params(p).quotient).astype(np.float64)}


class DividedFinish(QuotientFinish):
    """Tengine's reference: sums are kept, go through floats, and are divided (but by fully connected layers)."""

    def params(self, p: WeightedOperator) -> TengineParams:
        return super().params(p) if p.divides else TengineParams(self.name, p.single_scale, 1.0, dtype=p.out.dtype,
                                                                 **_common(p))

    def lower(self, p: WeightedOperator, build: Builder, lowering: str | None) -> None:
        """The sums first (F10)."""
        kept = GemmLayer(SUMS, p.by_group(p.w.values), p.bias, ZeroPoint(p.schemes[0].zero_point))
        lower_by_sums(build, self.params(p), lambda: p.lower_gemm(kept, build, lowering))

    def family(self, p: WeightedOperator) -> KernelFamily | None:
        return None

    def refusal(self, p: WeightedOperator) -> str | None:
        kept = p.stores_accumulators and not p.out.zero_point and p.out.dtype == "int8"
        return None if kept else super().refusal(p)

    def layer(self, p: WeightedOperator) -> dict[str, Any]:
        made = self.params(p)
        return {"rounding": "f32_quotient", "double_scale": np.atleast_1d(made.factor).astype(np.float64),
                "scale": np.array([made.divisor], np.float32)}


class ShortFinish(Finish):
    """16x8: int16 times int8 to int16, all of zero point 0, by sums and a bias of 64 bits (`requant.int16x8`)."""

    sum_type = "int64"
    layer_kinds = ("int64_gemm", "int64_gemm")

    def check(self, p: WeightedOperator) -> None:
        x, w = p.schemes[0], p.w
        if (x.dtype, w.dtype.name, p.out.dtype) != ("int16", "int8", "int16"):
            raise BadArgument(f"16x8 multiplies int16 by int8 weights to int16; got x of {x.dtype}, w of {w.dtype}, "
                              f"out of {p.out.dtype}.")
        zeros = {"x": x.zero_point, "w": w.zero_point, "out": p.out.zero_point}
        if any(zeros.values()):
            raise BadArgument("16x8 is symmetric, all zero points are 0; got "
                              f"{', '.join(f'{name} {zero}' for name, zero in zeros.items())}.")
        if p.axis:
            raise BadArgument(f"16x8 is there for convolutions and fully connected layers; this is a {p.kind}.")

    def scale(self, p: WeightedOperator, rule: str | None) -> NDArray[Any]:
        if rule is not None:
            raise BadArgument(f"16x8 has one requantization, {_SHORT!r}, and no scale_rule; got {rule!r}.")
        if p.w.values.ndim:
            check_accumulators(p.w.values, p.bias)
        # Scales count in single precision, their product and quotient are of doubles, as in TensorFlow Lite.
        x, w, out = (np.asarray(np.asarray(one.scale, np.float32), np.float64) for one in (p.schemes[0], p.w, p.out))
        found = _one_or_each(np.asarray(x * w / out if p.given_scale is None else p.given_scale, np.float64),
                             len(p.bias))
        Int16x8Params.from_scale(found, p.output_min, p.output_max)
        return found

    def params(self, p: WeightedOperator) -> Int16x8Params:
        return Int16x8Params.from_scale(p.scale, p.output_min, p.output_max)

    def lower(self, p: WeightedOperator, build: Builder, lowering: str | None) -> None:
        p.lower_wide(WideGemm.sixteen(p.w.values, p.bias, self.params(p), p.groups), build, lowering)

    def refusal(self, p: WeightedOperator) -> str | None:
        return None

    def layer(self, p: WeightedOperator) -> dict[str, Any]:
        return WideGemm.sixteen(p.w.values, p.bias, self.params(p), p.groups).layer_fields(p.out.dtype, p.out.dtype)


# Ways to round with the scale of operands and result; a scale that is given, with them, is rounded by one of DOUBLES.
FINISHES: dict[str, Finish] = {one.name: one for one in (
    *(Float32Finish(row.name, row.word, row) for row in ROUNDINGS.values()),
    QuotientFinish("tengine", "tengine"), DividedFinish("tengine-reference", "tengine"), ShortFinish(_SHORT, _SHORT))}
DOUBLES: dict[str, Finish] = {name: DoubleFinish(name, scheme_word(name)) for name in WIDE}


def finish_of(requantization: str | None, dtypes: tuple[str, str], scaled: bool) -> Finish:
    """The row of a product.

    requantization   as it was asked for; None: the one with kernels
    dtypes           of x and the result
    scaled           a scale is given

    Raises BadArgument for names that there are not, and combinations.
    """
    if "int16" in dtypes or requantization == _SHORT:       # whatever scale is given
        if requantization not in (None, _SHORT):
            raise BadArgument(f"16x8 has one requantization, {_SHORT!r}, and no scale_rule; got {requantization!r}.")
        return FINISHES[_SHORT]
    if not scaled:
        name = requantization or default_rounding(dtypes[1]).name
        return FINISHES[name] if name in FINISHES else FINISHES[rounding_named(name).name]
    if requantization in RULES:
        raise BadArgument(f"requantization={requantization!r} takes the scales of its operands; omit scale=.")
    return DOUBLES[DoubleScale(requantization or _GIVEN, 1.0).scheme]
