"""Arguments of micro-kernels as families list them: numbers, and arrays by where their elements lie."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["Array", "In", "InOut", "InSchemes", "Indirect", "Int32", "Number", "Out", "Packed", "Params", "Pointee",
           "PointerStride", "PointerTable", "Scratch", "Size", "Stride", "ctype_of"]

Array = NDArray[Any]


class PointerTable(Protocol):
    """What a definition sees of a table of pointers: the rows they point at."""

    def __len__(self) -> int:
        """Number of pointers."""
        ...

    def take(self, index: NDArray[np.int64]) -> Array:
        """The rows behind the pointers of these numbers: [*index.shape, elements of a row]."""
        ...


@dataclass(frozen=True)
class Number:
    """An argument that is passed as it is. description: what its page tells."""

    description: str = ""
    ctype: ClassVar[str] = "size_t"
    kind: ClassVar[str] = "size"
    word: ClassVar[str] = "size"


class Size(Number):
    """A count; kernels branch on it."""


class Stride(Number):
    """Bytes from one row, or block, to the next."""

    kind, word = "stride", "bytes"


class PointerStride(Number):
    """Bytes from one pointer of a table to another; definitions count pointers."""

    kind, word = "pointers", "bytes"


class Int32(Number):
    """A number that may be negative."""

    ctype, kind, word = "int32_t", "int32", "int32"


class Params:
    """The block of parameters: each row says of which class."""


@dataclass(frozen=True)
class Pointee:
    """An array in memory, by the names of the arguments that say where its elements lie.

    dtype     str          of its elements
    shape     str          the sizes of its axes, "mr kc"; of a table of pointers, of one row
    description  str       what its page tells, but for what follows from the rest
    stride    str | None   holds the bytes from one row to the next
    gap       str | None   holds the bytes between the end of a row and the next
    blocks    str | None   of outputs: holds the bytes from one block of columns to the next
    offset    str | None   of tables: is added to pointers
    zero      str | None   of tables: the pointer that is spared
    fallback  str | None   of tables: the row that is read in place of the spared one
    over      str          of outputs: inputs over which it may lie exactly, "a b"
    """

    dtype: str
    shape: str
    description: str = ""
    stride: str | None = None
    gap: str | None = None
    blocks: str | None = None
    offset: str | None = None
    zero: str | None = None
    fallback: str | None = None
    over: str = ""
    const: ClassVar[bool] = False
    default_write: ClassVar[str] = ""

    @property
    def word(self) -> str:
        """Type and shape as its page has them."""
        return f"{self.dtype} [{', '.join(axis.partition(':')[0] for axis in self.shape.split())}]"

    @property
    def ctype(self) -> str:
        """The C type of the pointer."""
        return f"{'const ' * self.const}{ctype_of(self.dtype)} *"

    @property
    def page(self) -> str:
        """Where its rows lie, whether it is written, and what there is to say besides."""
        rows = (f"rows {self.stride}, blocks of NR columns {self.blocks} bytes apart" if self.blocks else
                f"rows {self.stride} bytes apart" if self.stride else
                f"{self.gap} bytes lie between two pixels" if self.gap else "")
        return "; ".join(filter(None, (rows, self.default_write, self.overlap, self.description)))

    @property
    def overlap(self) -> str:
        """Over what it may lie: "may be a, b or both"."""
        names = self.over.split()
        return f"may be {', '.join(names)}{' or both' * (len(names) > 1)}" if names else ""


class In(Pointee):
    """Memory that the kernel reads."""

    const = True


class InSchemes(In):
    """Pairs of an int32 zero point and a float32 scale that the kernel reads; definitions see their bits as int32."""

    ctype = "const struct neonsim_qd8_row *"


class Out(Pointee):
    """Memory that the kernel writes, every element of it and nothing else."""

    default_write = "written"


class InOut(Pointee):
    """Memory that the kernel reads and writes."""

    default_write = "read and written"


class Scratch(Pointee):
    """Memory for the kernel's own use: undefined before and after the call."""

    default_write = "rounded up to 8"


class Indirect(Pointee):
    """Pointers to rows; the shape is that of one row."""

    @property
    def word(self) -> str:
        """As its page has it."""
        return "pointers"

    @property
    def ctype(self) -> str:
        """A table that is not written, of pointers to what is not written."""
        return f"const {ctype_of(self.dtype)} *const *"


@dataclass(frozen=True)
class Packed(Pointee):
    """Weights in the layout of `packing`; the shape is the one before packing.

    swizzle   int   depths within which the columns of every kernel's weights are rotated; 0: its tile says
    """

    swizzle: int = 0

    @property
    def word(self) -> str:
        """Before packing, whatever the type."""
        return f"packed [{', '.join(self.shape.split())}]"

    @property
    def ctype(self) -> str:
        """Bytes of several types."""
        return "const void *"


def ctype_of(dtype: str) -> str:
    """The C type of elements; "" are those of any type."""
    return "float" if dtype == "float32" else "void" if not dtype else f"{np.dtype(dtype).name}_t"
