"""Element types: what one lane is.

kind "s" signed, "u" unsigned, "x" either (the instruction does not care), "p" polynomial over {0, 1}, "f" floating
point (the bit pattern, as an unsigned integer; the floating words compute with it); bits 8 to 128.
Lanes of 128 bits exist as intermediate results (a 64-bit product, a sum before it saturates) and as the result of
PMULL .1q; registers hold at most 64-bit elements otherwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    from .interp.numpy_lanes import NumpyLanes

__all__ = ["ElementType", "element", "element_named"]


class ElementType:
    """One lane's type, e.g. ``s16``. There is one object per type: compare with ``is``.

    kind    "s" "u" "x" "p" "f"
    bits    8, 16, 32, 64, 128         bytes   the same in bytes
    dtype   numpy dtype that holds it (unsigned for all but s; object, with Python integers, for 128 bits)
    low, high   smallest and largest value

    Calling one makes lanes: ``s16(1, -2, 3)``.
    """

    __slots__ = ("bits", "bytes", "dtype", "high", "kind", "low", "mask", "name")

    def __init__(self, kind: str, bits: int) -> None:
        self.kind, self.bits, self.bytes, self.name = kind, bits, bits // 8, f"{kind}{bits}"
        self.mask = (1 << bits) - 1
        self.low, self.high = (-(1 << bits - 1), (1 << bits - 1) - 1) if kind == "s" else (0, self.mask)

    if TYPE_CHECKING:
        dtype: np.dtype[Any]
    else:
        def __getattr__(self, name: str) -> np.dtype[Any]:
            """`dtype`, which is made when lanes are: assembly text needs no numpy."""
            if name != "dtype":
                raise AttributeError(f"an ElementType has no {name!r}")
            import numpy as np

            letter = "i" if self.kind == "s" else "u"
            self.dtype = np.dtype(object) if self.bits > 64 else np.dtype(f"{letter}{self.bits // 8}")
            return self.dtype

    def with_(self, kind: str | None = None, bits: int | None = None) -> ElementType:
        """Return the same type with another kind or width."""
        return element(kind or self.kind, bits or self.bits)

    def wrap(self, value: int) -> int:
        """Return the value that ``value`` has modulo 2**bits, in this type's range; what lies there stays as it is."""
        if self.low <= value <= self.high:
            return value
        value &= self.mask
        return value - self.mask - 1 if value > self.high else value

    def __call__(self, *values: int) -> NumpyLanes:
        from .interp.numpy_lanes import NumpyLanes

        return NumpyLanes.from_integers(values, self)

    def __repr__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple[Any, ...]:
        return element, (self.kind, self.bits)


_TYPES = {(kind, bits): ElementType(kind, bits) for kind in "suxp" for bits in (8, 16, 32, 64, 128)}
_TYPES |= {("f", bits): ElementType("f", bits) for bits in (16, 32, 64)}


def element(kind: str, bits: int) -> ElementType:
    """Return the element type of this kind and width."""
    return _TYPES[kind, bits]


def element_named(name: str) -> ElementType:
    """Return the element type called ``name``, e.g. "u16"."""
    return _TYPES[name[0], int(name[1:])]
