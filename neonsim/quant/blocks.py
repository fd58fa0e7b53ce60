"""What parameter blocks of kernels have in common: checked fields, and numbers as bytes."""

from __future__ import annotations

from typing import Any

from neonsim.integers import as_int
from neonsim.quant.rounding import limits

__all__ = ["check_fields", "low_byte"]


def check_fields(block: Any, ranges: dict[str, tuple[int, int]]) -> None:
    """Integers in range: those named in theirs, all others (zero points, clamps) in the 8-bit type `block.dtype`.

    Raises BadArgument that names the field.
    """
    whole = limits(block.dtype)
    for name in block.__dataclass_fields__:
        if name not in ("dtype", "scale", "scheme"):
            object.__setattr__(block, name, as_int(getattr(block, name), name, *ranges.get(name, whole)))
    if hasattr(block, "output_min"):
        limits(block.dtype, block.output_min, block.output_max)


def low_byte(value: int) -> int:
    """A byte of either signedness as 0..255.

    >>> low_byte(-1)
    255
    """
    return value & 0xFF
