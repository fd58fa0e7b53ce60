"""What all parameters of kernels have in common: fields that are checked."""

from __future__ import annotations

from functools import cache
from typing import Any

from neonsim.common.integers import as_int
from neonsim.quant.rounding import Rounding, limits

__all__ = ["check_fields", "rounded_by"]


@cache
def rounded_by(block: Any, row: Rounding) -> Any:
    """The class of parameters that are laid out as those of `block`, and requantise by another scheme."""
    return block if block.rounding is row else type(block.__name__, (block,), {"rounding": row, "__doc__": row.says})


def check_fields(block: Any, ranges: dict[str, tuple[int, int]]) -> None:
    """Integers in range: those named in theirs, all others (zero points, clamps) in the 8-bit type `block.dtype`, uint8
    where blocks have none.

    Raises BadArgument that names the field.
    """
    dtype = getattr(block, "dtype", "uint8")
    whole = limits(dtype)
    for name in block.__dataclass_fields__:
        if name not in ("dtype", "scale", "scheme"):
            object.__setattr__(block, name, as_int(getattr(block, name), name, *ranges.get(name, whole)))
    if hasattr(block, "output_min"):
        limits(dtype, block.output_min, block.output_max)
