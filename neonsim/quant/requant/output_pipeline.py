"""gemmlowp's output pipeline: what is done with int32 sums, stage by stage, before they are stored (Y08).

    QuantizeDown      ((x + offset) * multiplier + half) >> shift                           one rounding, ties up
    ByFixedPoint      rdivpot(srdhm(x, multiplier), shift) + offset                         ties up, then away from zero
    ByExponent        the same with 2**exponent: shifted to the left before, or to the right behind
    AddBias           x + bias
    Clamp             min(max(x, low), high)
    Tanh              zero + amplitude * tanh((x - zero) / amplitude), in fixed point
    SaturatingCast    to uint8, int8 or int16, the nearest it has
    TruncatingCast    to uint8, the low eight bits

Numbers of a stage are one for all, or one for each column, the last axis. Whatever leaves 32 bits wraps: C++ leaves
that undefined. A cast is the last stage; without one, sums stay int32.

    >>> pipeline([AddBias([10, 20]), QuantizeDown(0, 3, 2), SaturatingCast("uint8")], np.array([[1, -30]])).tolist()
    [[8, 0]]

Source: (Y08, Y09, Y10, Y11, Y20): gemmlowp `public/output_stages.h`, `internal/output.h`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neonsim.common.integers import as_int
from neonsim.errors import BadArgument
from neonsim.quant.fixedpoint import INT32_MAX, INT32_MIN, Int64, int32_accumulators, rdivpot, srdhm, wrap
from neonsim.quant.requant.fixed_softmax import exp_negative, one_minus_over_one_plus

__all__ = ["AddBias", "ByExponent", "ByFixedPoint", "ClampStage", "QuantizeDown", "SaturatingCast", "Stage",
           "TanhStage",
           "TruncatingCast", "check_stages", "pipeline"]

_TANH_DIGITS = 3            # before the point, of what tanh is taken of
_CASTS = ("uint8", "int8", "int16")


def _numbers(value: Any, what: str, low: int, high: int) -> Int64:
    """Integers of a stage, one or [n]. Raises BadArgument, with the column."""
    found = np.asarray(value)
    if found.dtype.kind not in "iu" or found.ndim > 1 or not found.size:
        raise BadArgument(f"{what} must be an integer, or one for each column; got {value!r}.")
    wide = found.astype(np.int64)
    wrong = ((wide < low) | (wide > high)).reshape(-1)
    if wrong.any():
        at = int(np.argmax(wrong))
        where = f" at column {at}" if wide.ndim else ""
        raise BadArgument(f"{what} must be in {low}..{high}; got {int(wide.reshape(-1)[at])}{where}.")
    wide.flags.writeable = False
    return wide


class Stage(ABC):
    """One of them."""

    dtype = "int32"         # of its result

    @abstractmethod
    def apply(self, x: Int64) -> Int64:
        """Values of int32 [..., n] -> values of its type."""

    def columns(self) -> int:
        """How many columns its numbers are for; 1: any."""
        return max((np.asarray(getattr(self, one.name)).size for one in fields(self)  # type: ignore[arg-type]
                    if not isinstance(getattr(self, one.name), str)), default=1)


def _word(x: Int64) -> Int64:
    """The low 32 bits."""
    return wrap(x).astype(np.int64)


@dataclass(frozen=True, eq=False)
class QuantizeDown(Stage):
    """offset, multiplier: int32; shift: 0..31, to the right; each one or [n].

    >>> QuantizeDown(1, 5, 1).apply(np.array([2, -4])).tolist()
    [8, -7]
    """

    offset: Any
    multiplier: Any
    shift: Any

    def __post_init__(self) -> None:
        for name, low, high in (("offset", INT32_MIN, INT32_MAX), ("multiplier", INT32_MIN, INT32_MAX),
                                ("shift", 0, 31)):
            object.__setattr__(self, name, _numbers(getattr(self, name), name, low, high))

    def apply(self, x: Int64) -> Int64:
        shift = np.asarray(self.shift, np.int64)
        product = _word(_word(x + self.offset) * self.multiplier)
        return _word(product + (np.int64(1) << shift >> 1)) >> shift


@dataclass(frozen=True, eq=False)
class ByFixedPoint(Stage):
    """multiplier: int32, in steps of 2**-31; shift: 0..31, to the right; offset: int32, added at the end.

    >>> ByFixedPoint(1 << 30, 1, 7).apply(np.array([10, -10])).tolist()
    [10, 4]
    """

    multiplier: Any
    shift: Any
    offset: Any = 0

    def __post_init__(self) -> None:
        for name, low, high in (("multiplier", INT32_MIN, INT32_MAX), ("shift", 0, 31),
                                ("offset", INT32_MIN, INT32_MAX)):
            object.__setattr__(self, name, _numbers(getattr(self, name), name, low, high))

    def apply(self, x: Int64) -> Int64:
        return _word(rdivpot(srdhm(x, self.multiplier), self.shift) + self.offset)


@dataclass(frozen=True, eq=False)
class ByExponent(Stage):
    """multiplier: int32, in steps of 2**-31; exponent: -31..31; offset: int32, added at the end.

    >>> [ByExponent(1 << 30, exponent, 0).apply(np.array([10])).tolist() for exponent in (2, -1)]
    [[20], [3]]
    """

    multiplier: Any
    exponent: Any
    offset: Any = 0

    def __post_init__(self) -> None:
        for name, low, high in (("multiplier", INT32_MIN, INT32_MAX), ("exponent", -31, 31),
                                ("offset", INT32_MIN, INT32_MAX)):
            object.__setattr__(self, name, _numbers(getattr(self, name), name, low, high))

    def apply(self, x: Int64) -> Int64:
        exponent = np.asarray(self.exponent, np.int64)
        high = srdhm(_word(x << np.maximum(exponent, 0)), self.multiplier)
        return _word(rdivpot(high, np.maximum(-exponent, 0)) + self.offset)


@dataclass(frozen=True, eq=False)
class AddBias(Stage):
    """bias: int32 [n]."""

    bias: Any

    def __post_init__(self) -> None:
        object.__setattr__(self, "bias", _numbers(self.bias, "bias", INT32_MIN, INT32_MAX))

    def apply(self, x: Int64) -> Int64:
        return _word(x + self.bias)


@dataclass(frozen=True)
class ClampStage(Stage):
    """low, high: int32, in order."""

    low: int
    high: int

    def __post_init__(self) -> None:
        for name in ("low", "high"):
            object.__setattr__(self, name, as_int(getattr(self, name), f"{name} of a clamp", INT32_MIN, INT32_MAX))
        if self.low > self.high:
            raise BadArgument(f"a clamp has low <= high; got {self.low} and {self.high}.")

    def apply(self, x: Int64) -> Int64:
        return np.clip(x, self.low, self.high)


def _normalized(real: float) -> tuple[int, int]:
    """Raw Q0 of real / 2**exponent in [1/2, 1), and the exponent."""
    mantissa, exponent = np.frexp(real)
    return min(int(np.floor(mantissa * 2.0**31 + 0.5)), INT32_MAX), int(exponent)


@dataclass(frozen=True)
class TanhStage(Stage):
    """real_zero: what stands for 0; real_amplitude: 1 .. 2**27, how many steps stand for 1.

    Beyond 8 amplitudes the result is the end of its range. Within, the quotient is rounded before it is shifted to
    Q3, so up to two steps are lost; just below 8 it may leave Q3 (amplitude 2, x = 15), and wraps.

    >>> TanhStage(0, 1000).apply(np.array([0, 500, -500, 9000])).tolist()
    [0, 462, -463, 1000]
    """

    real_zero: int
    real_amplitude: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "real_zero", as_int(self.real_zero, "real_zero of tanh", -(1 << 30), 1 << 30))
        object.__setattr__(self, "real_amplitude", as_int(self.real_amplitude, "real_amplitude of tanh", 1, 1 << 27))

    def apply(self, x: Int64) -> Int64:
        """In gemmlowp's fixed point: the quotient in Q3, tanh in Q0."""
        inverse, down = _normalized(1 / self.real_amplitude)
        amplitude, up = _normalized(float(self.real_amplitude))
        if inverse == 1 << 30 and down == 1:        # 1 / 1: its loop ends at 1, which Q0 does not hold
            inverse, down = INT32_MAX, 0
        centered = _word(x - self.real_zero)
        raw = _word(srdhm(centered, inverse) << 31 - _TANH_DIGITS + down)
        found = srdhm(_tanh(raw), amplitude) >> 31 - up
        least, most = self.real_zero - self.real_amplitude, self.real_zero + self.real_amplitude
        wide = 8 * self.real_amplitude
        return np.where(x <= self.real_zero - wide, least, np.where(x >= self.real_zero + wide, most,
                                                                    found + self.real_zero))


def _tanh(raw: Int64) -> Int64:
    """tanh of Q3 in Q0: (1 - e) / (1 + e) with e = exp(-2 |x|), twice x being the same word in Q4."""
    size = one_minus_over_one_plus(exp_negative(-np.abs(raw), _TANH_DIGITS + 1))
    return np.where(raw == 0, 0, np.where(raw < 0, -size, size))


@dataclass(frozen=True)
class SaturatingCast(Stage):
    """dtype: "uint8", "int8" or "int16"."""

    dtype: str = "uint8"

    def __post_init__(self) -> None:
        if self.dtype not in _CASTS:
            raise BadArgument(f"a saturating cast must be to {', '.join(_CASTS)}; got {self.dtype!r}.")

    def apply(self, x: Int64) -> Int64:
        """The nearest number of the type."""
        info = np.iinfo(self.dtype)
        return np.clip(x, info.min, info.max)


@dataclass(frozen=True)
class TruncatingCast(Stage):
    """To uint8, the low eight bits."""

    @property
    def dtype(self) -> str:  # type: ignore[override]
        """uint8."""
        return "uint8"

    def apply(self, x: Int64) -> Int64:
        """The low eight bits."""
        return x & 0xFF


def check_stages(stages: Sequence[Stage], columns: int) -> str:
    """The type of the result. Raises BadArgument for a cast that is not the last, for numbers of other columns, and
    for what is no stage."""
    for at, stage in enumerate(stages):
        if not isinstance(stage, Stage):
            raise BadArgument(f"stage {at} of the pipeline is a {type(stage).__name__}; stages are those of "
                              "neonsim.quant.requant.output_pipeline.")
        if at + 1 < len(stages) and stage.dtype != "int32":
            raise BadArgument(f"stage {at} of the pipeline casts to {stage.dtype}: only the last one may.")
        if stage.columns() not in (1, columns):
            raise BadArgument(f"stage {at} of the pipeline, {type(stage).__name__}, has numbers for {stage.columns()} "
                              f"columns; there are {columns}.")
    return stages[-1].dtype if stages else "int32"


def pipeline(stages: Sequence[Stage], sums: ArrayLike) -> NDArray[Any]:
    """All stages in order: int32 [..., n] -> the type of the last one.

    Raises BadArgument as `check_stages`, and for sums that are no int32.
    """
    x = int32_accumulators(sums)
    dtype = check_stages(stages, x.shape[-1] if x.ndim else 1)
    for stage in stages:
        x = stage.apply(x)
    return np.asarray(x).astype(dtype)
