"""Parameter blocks: the bytes, little-endian, in which kernels read the numbers of `quant`.

`block_of` knows every class of parameters; the structs of the C library have the same fields at the same places.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import cache
from operator import attrgetter
from typing import Any

import numpy as np

from neonsim.errors import BadArgument
from neonsim.quant.float32 import EXPONENTIAL
from neonsim.quant.params.convert import DequantizeParams, DivideParams, QuantizeParams
from neonsim.quant.params.elementwise import (
    AddParams,
    AveragePoolParams,
    ClampParams,
    Fp32Params,
    PreciseParams,
    RndnuParams,
)
from neonsim.quant.params.float32 import FloatMeanParams, FloatParams, FloatShareParams, FloatSlopeParams
from neonsim.quant.params.gemm import Fp32GemmParams, Qc8wParams, RndnuGemmParams
from neonsim.quant.params.gemm_steps import Q31Params
from neonsim.quant.params.qs8_elementwise import ConvertParams, LeakyParams, MeanParams, MultiplyParams, ScaledAddParams
from neonsim.quant.reference.dynamic import DynamicRows, Qd8Params
from neonsim.quant.requant.ncnn import NcnnParams
from neonsim.quant.rounding import MAGIC_BITS, derive

__all__ = ["LAYOUTS", "block_of", "is_block"]

# The fields of each block in the order of memory, without gaps, named as in native/include/neonsim.h:
# B uint8_t (a byte of either sign), h int16_t, i int32_t, q int64_t, f float; x bytes of zero at the end.
LAYOUTS: dict[Any, str] = {
    AveragePoolParams: "i bias, i multiplier, q left_shift, h output_zero_point, B output_max, B output_min, 4x",
    AddParams: "B a_zero_point, B b_zero_point, h output_zero_point, i a_multiplier, i b_multiplier, i left_shift, "
               "B output_max, B output_min, 2x",
    ClampParams: "B output_max, B output_min, 2x",
    PreciseParams: "i multiplier, h output_zero_point, B output_max, B output_min, q left_shift",
    RndnuParams: "i multiplier, i pre_shift, i post_shift, h output_zero_point, B output_max, B output_min",
    Fp32Params: "f scale, f output_min_less_zero, f output_max_less_zero, i magic_less_zero, h output_zero_point, "
                "B output_max, B output_min",
    # Zero points of products: for kernels that do not find them in the bias.
    RndnuGemmParams: "i multiplier, i pre_shift, i post_shift, h output_zero_point, B output_max, B output_min, "
                     "B w_zero_point, B a_zero_point, 2x",
    Fp32GemmParams: "f scale, f output_min_less_zero, f output_max_less_zero, i magic_less_zero, h output_zero_point, "
                    "B output_max, B output_min, B w_zero_point, B a_zero_point, 2x",
    Qc8wParams: "f output_min_less_zero, f output_max_less_zero, i magic_less_zero, h output_zero_point, "
                "B output_max, B output_min",
    Q31Params: "i multiplier, i left_shift, h output_zero_point, B output_max, B output_min, B w_zero_point, "
               "B a_zero_point, 2x",
    Qd8Params: "f output_min, f output_max",
    NcnnParams: "f steps, f low, f high",
    ScaledAddParams: "B a_zero_point, B b_zero_point, h output_zero_point, i a_multiplier, i b_multiplier, "
                     "i left_shift, B output_max, B output_min, 2x",
    (MultiplyParams, "fp32"): "f scale, i magic_less_zero, h output_zero_point, B output_max, B output_min, "
                              "B a_zero_point, B b_zero_point, 2x",
    (MultiplyParams, "rndnu"): "i multiplier, i pre_shift, i post_shift, h output_zero_point, B output_max, "
                               "B output_min, B a_zero_point, B b_zero_point, 2x",
    ConvertParams: "h input_zero_point, h minus_multiplier, h output_zero_point, 2x",
    LeakyParams: "h input_zero_point, h minus_positive_multiplier, h minus_negative_multiplier, h output_zero_point",
    MeanParams: "i bias, i multiplier, i pre_shift, i post_shift, h output_zero_point, B output_max, B output_min",
    FloatParams: "f output_min, f output_max",
    FloatMeanParams: "f scale, f output_min, f output_max",
    FloatSlopeParams: "f slope",
    FloatShareParams: "f beta, f least, f log2e, f magic, 2f minus_ln2, 5f polynomial",
    QuantizeParams: "f factor, f low, f high, i zero_point",
    DequantizeParams: "f scale, i zero_point, i flips",
    DivideParams: "f divisor, f least, f most, f scale, f other_scale, f count, f low, f high",
}


def _rndnu(params: Any) -> tuple[int, int]:
    """Multiplier and shift to the right."""
    if isinstance(params, MultiplyParams):
        multiplier, shift = derive(params.scale, "rndnu")
        return int(multiplier), int(shift)
    return params.multiplier, params.shift


def _flips(params: DequantizeParams) -> int:
    """What bytes are XORed with first; the zero point is moved by as much."""
    return 128 if params.dtype == "int8" else 0


# Fields that parameters have under no name of their own, of any struct or of one: how they follow.
_DERIVED: dict[Any, Callable[[Any], Any]] = {
    "multiplier": lambda params: _rndnu(params)[0],
    "left_shift": lambda params: -params.shift,
    # The post-shift is 1 at least, so that its rounding does the rounding; the pre-shift makes up for it (X29).
    "pre_shift": lambda params: max(_rndnu(params)[1], 1) - _rndnu(params)[1],
    "post_shift": lambda params: -max(_rndnu(params)[1], 1),
    "magic_less_zero": lambda params: MAGIC_BITS - params.output_zero_point,
    "output_min_less_zero": lambda params: params.output_min - params.output_zero_point,
    "output_max_less_zero": lambda params: params.output_max - params.output_zero_point,
    "minus_multiplier": lambda params: -params.multiplier,
    "minus_positive_multiplier": lambda params: -params.positive_multiplier,
    "minus_negative_multiplier": lambda params: -params.negative_multiplier,
    (FloatShareParams, "least"): lambda params: EXPONENTIAL[0],
    (FloatShareParams, "log2e"): lambda params: EXPONENTIAL[1],
    (FloatShareParams, "magic"): lambda params: EXPONENTIAL[2],
    (FloatShareParams, "minus_ln2"): lambda params: EXPONENTIAL[3:5],
    (FloatShareParams, "polynomial"): lambda params: EXPONENTIAL[5:],
    (QuantizeParams, "low"): lambda params: params.ends[0],
    (QuantizeParams, "high"): lambda params: params.ends[1],
    (DequantizeParams, "zero_point"): lambda params: params.zero_point + _flips(params),
    (DequantizeParams, "flips"): lambda params: _flips(params),
    (DivideParams, "least"): lambda params: params.output_min,
    (DivideParams, "most"): lambda params: params.output_max,
}


def block_of(params: Any) -> bytes:
    """What a kernel reads of these parameters: bytes, laid out as `LAYOUTS` says for each class.

    DynamicRows   for every row int32 zero point, float32 scale; 8 bytes a row

    >>> block_of(ClampParams(0, 6)).hex()
    '06000000'

    Raises BadArgument for what is no parameters of a kernel.
    """
    if isinstance(params, DynamicRows):
        rows = np.zeros(len(params.scale), [("zero_point", "<i4"), ("scale", "<f4")])
        rows["zero_point"], rows["scale"] = params.zero_point, params.scale
        return rows.tobytes()
    key = _key(params)
    if key not in LAYOUTS:
        raise BadArgument(f"{type(params).__name__} is no block of parameters that kernels read")
    layout, fields = _fields(key)
    values: list[Any] = []
    for is_byte, read in fields:
        value = read(params)
        if type(value) is tuple:
            values += value
        else:
            values.append(value & 0xFF if is_byte else value)
    return layout.pack(*values)


def is_block(value: Any) -> bool:
    """Whether `block_of` has bytes for it."""
    return isinstance(value, DynamicRows) or _key(value) in LAYOUTS


def _key(params: Any) -> Any:
    return (MultiplyParams, params.scheme) if isinstance(params, MultiplyParams) else type(params)


@cache
def _fields(key: Any) -> tuple[struct.Struct, tuple[tuple[bool, Callable[[Any], Any]], ...]]:
    """The struct of a class, and how each field is read: (it is a byte, function of the parameters)."""
    kind = key[0] if isinstance(key, tuple) else key
    named = [field.split() for field in LAYOUTS[key].split(", ")]
    own = {*dir(kind), *getattr(kind, "__dataclass_fields__", ())}
    return struct.Struct("<" + "".join(letter for letter, *_ in named)), tuple(
        (letter == "B", _DERIVED.get((kind, name)) or (attrgetter(name) if name in own else _DERIVED[name]))
        for letter, *names in named for name in names)
