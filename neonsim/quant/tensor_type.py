"""What the elements of a tensor are: integers that stand for floats by a scheme, or numbers as they are.

    TensorType("int8", Scheme(0.5, 3, "int8"))    values are `Quantized` of that scheme
    TensorType("float32")                         values are numpy arrays of that type
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.errors import BadArgument
from neonsim.quant.scheme import Quantized, Scheme

__all__ = ["DTYPES", "TensorType", "Value", "elements"]

DTYPES = ("uint8", "int8", "int16", "int32", "int64", "float32")
Value = Quantized | NDArray[Any]


def elements(value: Value) -> NDArray[Any]:
    """The numbers of a value as they are in memory."""
    return value.values if isinstance(value, Quantized) else value


@dataclass(frozen=True)
class TensorType:
    """An element type, and the scheme of 8-bit integers that stand for floats.

    dtype    str              one of DTYPES
    scheme   Scheme or None   of that type, with one scale; None: the numbers are what they are

    Raises BadArgument for another type, and for a scheme that does not fit it.

    >>> str(TensorType.from_any("float32")), TensorType.from_any(Scheme(0.5)).dtype
    ('float32', 'uint8')
    """

    dtype: str
    scheme: Scheme | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.dtype, str) or self.dtype not in DTYPES:
            raise BadArgument(f"tensors hold {', '.join(DTYPES)}, by name; got {self.dtype!r}.")
        if self.scheme is None:
            return
        if not isinstance(self.scheme, Scheme):
            raise BadArgument(f"the scheme of a tensor must be a Scheme, or None; got {type(self.scheme).__name__}.")
        if self.scheme.axis is not None or self.scheme.dtype != self.dtype:
            raise BadArgument(f"a tensor of {self.dtype} has a scheme of that type with one scale; got {self.scheme}.")

    @classmethod
    def from_any(cls, spec: TensorType | Scheme | str) -> TensorType:
        """A type; that of a scheme; or one by its name, without a scheme. Raises BadArgument for anything else."""
        if isinstance(spec, TensorType):
            return spec
        if isinstance(spec, Scheme):
            return cls(spec.dtype, spec)
        return cls(spec)

    def __str__(self) -> str:
        return self.dtype if self.scheme is None else str(self.scheme)

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return np.dtype(self.dtype).itemsize

    def array(self, value: Any, name: str) -> NDArray[Any]:
        """The elements of a value that must be of this type.

        Raises BadArgument for another type or scheme: nothing is converted.
        """
        if self.scheme is not None:
            if not isinstance(value, Quantized):
                raise BadArgument(f"{name} must be a Quantized, an array with its scale and zero point; got "
                                  f"{type(value).__name__}. Write Quantized(values, scale=..., zero_point=...).")
            if value.axis is not None:
                raise BadArgument(f"{name} has one scale per channel (axis {value.axis}); only weights may. Give "
                                  f"{name} one scale.")
            if not value.follows(self.scheme):
                raise BadArgument(f"{name} must be of {self.scheme}; got {value.scheme}.")
            return value.values
        if not isinstance(value, np.ndarray) or value.dtype != self.dtype:
            got = f"one of {value.dtype}" if isinstance(value, np.ndarray) else type(value).__name__
            raise BadArgument(f"{name} must be a numpy array of {self.dtype}; got {got}.")
        return value

    def value(self, values: NDArray[Any], backend: str | None = None, kernel: str | None = None) -> Value:
        """Elements as a value of this type; backend, kernel: who computed them, where a value can say so."""
        if self.scheme is None:
            return values
        return self.scheme.wrap(values, backend, kernel)
