"""Parameter blocks: the bytes, little-endian, in which kernels read the numbers of `quant`.

The structs of native/include/neonsim.h are their one description. A block has the name of its class, `RndnuGemmParams`
is struct neonsim_rndnu_gemm_params; each field is read from the parameters by its name, or follows from them as
`_DERIVED` says.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np

from neonsim.errors import BadArgument, KernelFileError
from neonsim.quant.float32 import EXPONENTIAL
from neonsim.quant.reference.dynamic import DynamicRows
from neonsim.quant.rounding import MAGIC_BITS
from neonsim.ukernel.contract import struct_name

__all__ = ["block_bytes", "block_of", "is_block", "layouts"]

_LETTERS = {"uint8_t": "B", "int16_t": "h", "int32_t": "i", "int64_t": "q", "float": "f"}

# Fields that parameters have under no name of their own.
_DERIVED: dict[str, Callable[[Any], Any]] = {
    "left_shift": lambda params: -params.shift,
    # The post-shift is 1 at least, so that its rounding does the rounding; the pre-shift makes up for it (X29).
    "pre_shift": lambda params: max(params.shift, 1) - params.shift,
    "post_shift": lambda params: -max(params.shift, 1),
    "magic_less_zero": lambda params: MAGIC_BITS - params.output_zero_point,
    "output_min_less_zero": lambda params: params.output_min - params.output_zero_point,
    "output_max_less_zero": lambda params: params.output_max - params.output_zero_point,
    "minus_multiplier": lambda params: -params.multiplier,
    "minus_positive_multiplier": lambda params: -params.positive_multiplier,
    "minus_negative_multiplier": lambda params: -params.negative_multiplier,
    "least": lambda params: EXPONENTIAL[0],
    "log2e": lambda params: EXPONENTIAL[1],
    "magic": lambda params: EXPONENTIAL[2],
    "minus_ln2": lambda params: EXPONENTIAL[3:5],
    "polynomial": lambda params: EXPONENTIAL[5:],
    # int8 is read as uint8: bytes are XORed with 128, and the zero point is moved by as much.
    "flips": lambda params: 128 if params.dtype == "int8" else 0,
    "flipped_zero_point": lambda params: params.zero_point + (128 if params.dtype == "int8" else 0),
    "reserved": lambda params: (),
}


def block_of(params: Any) -> bytes:
    """What a kernel reads of these parameters: bytes, laid out as the struct of their class is.

    DynamicRows   for every row int32 zero point, float32 scale; 8 bytes a row

    >>> from neonsim.quant.params.elementwise import ClampParams
    >>> block_of(ClampParams(0, 6)).hex()
    '06000000'

    Raises BadArgument for what is no parameters of a kernel.
    """
    if isinstance(params, DynamicRows):
        rows = np.zeros(len(params.scale), [("zero_point", "<i4"), ("scale", "<f4")])
        rows["zero_point"], rows["scale"] = params.zero_point, params.scale
        return rows.tobytes()
    kind: Any = type(params)
    name = _struct(params)
    if name not in layouts():
        raise BadArgument(f"{kind.__name__} is not a parameter block that kernels read")
    layout, fields = _fields(name, kind)
    values: list[Any] = []
    for is_byte, read in fields:
        value = read(params)
        values += value if type(value) is tuple else (value & 0xFF if is_byte else value,)
    return layout.pack(*values)


def _struct(params: Any) -> str:
    scheme = getattr(params, "scheme", "")
    return struct_name(type(params), scheme if type(scheme) is str else "")


def is_block(value: Any) -> bool:
    """Whether `block_of` has bytes for it."""
    return isinstance(value, DynamicRows) or _struct(value) in layouts()


@cache
def layouts() -> dict[str, tuple[tuple[str, str], ...]]:
    """Struct -> (format, name) of each of its fields, formats as `struct` has them: B (a byte of either sign) h i q f,
    how many of them before, and x for bytes of zero.

    >>> layouts()["neonsim_clamp_params"]
    (('1B', 'output_max'), ('1B', 'output_min'), ('2x', 'reserved'))

    Raises KernelFileError where the header is missing.
    """
    package = Path(__file__).parents[2]
    places = (package.parent / "native" / "include" / "neonsim.h", package / "include" / "neonsim.h")
    path = next((place for place in places if place.is_file()), None)
    if path is None:
        raise KernelFileError(f"No parameter blocks: neither {places[0]} nor {places[1]} exists. Install neonsim "
                              "again.")
    text = re.sub(r"/\*.*?\*/", "", path.read_text("utf-8"), flags=re.S)
    return {name: tuple((f"{many or 1}{'x' if field == 'reserved' else _LETTERS[kind]}", field)
                        for kind, field, many in re.findall(r"(\w+) (\w+)(?:\[(\d+)\])?;", body))
            for name, body in re.findall(r"struct (neonsim_\w+_params) \{(.*?)\n\};", text, re.S)}


def block_bytes(name: str) -> int:
    """Size of a struct.

    >>> block_bytes("neonsim_q31_params")
    16
    """
    return struct.calcsize("<" + "".join(letters for letters, _ in layouts()[name]))


@cache
def _fields(name: str, kind: type[Any]) -> tuple[struct.Struct, tuple[tuple[bool, Callable[[Any], Any]], ...]]:
    """The struct of a class, and how each field is read: (it is a byte, function of the parameters)."""
    own = {*dir(kind), *getattr(kind, "__dataclass_fields__", ())}
    found = layouts()[name]
    return struct.Struct("<" + "".join(letters for letters, _ in found)), tuple(
        (letters == "1B", attrgetter(field) if field in own else _DERIVED[field]) for letters, field in found)
