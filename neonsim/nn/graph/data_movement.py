"""Nodes that move elements and compute nothing: the same bytes, in another order or under another shape.

    node      inputs    results    what
    Concat    several   one        one behind the other along an axis
    Split     one       several    cut along an axis
    Reshape   one       one        the same elements, in order, in another shape
    Constant  none      one        elements that are known
    Copy      one       one        the same, where another back end finds it
    Relabel   one       one        the same integers under another scheme
    Pick      one       one        slices, transposes and the like: `neonsim.nn.graph.gather`

Elements are of any type. A node that needs no copy lies in the memory of its result
(`neonsim.nn.graph.memory.planner`).
"""

from __future__ import annotations

import copy
import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from neonsim.common.integers import as_int
from neonsim.common.limits import MAX_AXES, MAX_NODES
from neonsim.errors import BadArgument
from neonsim.nn.node_operator import NodeOperator
from neonsim.quant.scheme import Scheme
from neonsim.quant.tensor_type import TensorType

__all__ = ["BackendCopy", "Concat", "Constant", "DataMovement", "Relabel", "Reshape", "Split"]

Shape = tuple[int, ...]


class DataMovement(NodeOperator, ABC):
    """Elements of one type moved.

    type   TensorType   of all inputs and results
    """

    moves = selects = True

    def __init__(self, elements: Scheme | TensorType | str) -> None:
        self.type = TensorType.from_any(elements)

    def quantized(self, scheme: Scheme) -> Self:
        """A move of floats as one of integers that stand for them."""
        found = copy.copy(self)
        found.type = TensorType.from_any(scheme)
        return found

    def operand_types(self, count: int) -> tuple[TensorType, ...] | None:
        """Types of n inputs, None where it takes another number of them."""
        return (self.type,) if count == 1 else None

    def results(self, *shapes: Shape) -> list[tuple[Shape, TensorType]]:
        """Shape and type of each result; raises BadArgument for inputs that do not fit."""
        return [(shape, self.type) for shape in self.output_shapes(*shapes)]

    @abstractmethod
    def output_shapes(self, *shapes: Shape) -> tuple[Shape, ...]:
        """Shapes of the results; raises BadArgument for inputs that do not fit."""

    def max_bytes(self, *shapes: Shape) -> int:
        """Bytes that it takes at most: inputs, results, and one of both on the way."""
        made = sum(map(math.prod, self.output_shapes(*shapes)))
        return self.type.itemsize * (sum(map(math.prod, shapes)) + 2 * made)

    @abstractmethod
    def reference(self, *values: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        """The results: new arrays."""


def along(axis: int, shape: Shape) -> int:
    """An axis of a shape, counted from 0; BadArgument if it has none such."""
    return as_int(axis, f"axis of a tensor of shape {list(shape)}", -len(shape), len(shape) - 1) % len(shape)


class Concat(DataMovement):
    """Several tensors one behind the other.

    elements   Scheme, TensorType, or a type by its name
    axis       int   by itself the last one, the channels
    """

    kind, layout = "concatenation", "join"

    def __init__(self, elements: Scheme | TensorType | str, axis: int = -1) -> None:
        super().__init__(elements)
        self.axis = as_int(axis, "axis", -64, 63)

    def operand_types(self, count: int) -> tuple[TensorType, ...] | None:
        """Any number of them, one and more."""
        return (self.type,) * count if count else None

    def output_shape(self, *shapes: Shape) -> Shape:
        """Shapes that differ along the axis only -> their sizes there added up."""
        at = along(self.axis, shapes[0])
        if len({(len(s), s[:at], s[at + 1:]) for s in shapes}) != 1:
            which = "channels" if at == len(shapes[0]) - 1 else f"sizes of axis {at}"
            raise BadArgument(f"only {which} may differ between the inputs of a concatenation; got "
                              f"{', '.join(str(list(s)) for s in shapes)}.")
        return (*shapes[0][:at], sum(s[at] for s in shapes), *shapes[0][at + 1:])

    def output_shapes(self, *shapes: Shape) -> tuple[Shape, ...]:
        return (self.output_shape(*shapes),)

    def reference(self, *values: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        """Laid side by side."""
        return (np.concatenate(values, axis=self.axis),)


class Split(DataMovement):
    """A tensor cut in parts.

    elements   Scheme, TensorType, or a type by its name
    parts      int: their number, of one size; or their sizes along the axis
    axis       int
    """

    kind, layout = "split", "split"

    def __init__(self, elements: Scheme | TensorType | str, parts: int | Sequence[int], axis: int = -1) -> None:
        super().__init__(elements)
        self.axis = as_int(axis, "axis", -64, 63)
        self.parts: int | tuple[int, ...]
        if isinstance(parts, Sequence) and not isinstance(parts, str):
            self.parts = tuple(as_int(size, f"size of part {i}", 1, 1 << 31) for i, size in enumerate(parts))
            if not self.parts:
                raise BadArgument("a split has one part and more; got none.")
        else:
            self.parts = as_int(parts, "parts", 1, MAX_NODES)

    def sizes(self, shape: Shape) -> tuple[int, ...]:
        """Of the parts, along the axis. Raises BadArgument where they do not make up the tensor."""
        whole = shape[along(self.axis, shape)]
        if isinstance(self.parts, tuple):
            if sum(self.parts) != whole:
                raise BadArgument(f"parts of {', '.join(map(str, self.parts))} make {sum(self.parts)}; axis "
                                  f"{self.axis} of {list(shape)} has {whole}.")
            return self.parts
        if whole % self.parts:
            raise BadArgument(f"axis {self.axis} of {list(shape)} has {whole}, which {self.parts} equal parts do not "
                              "make.")
        return (whole // self.parts,) * self.parts

    def output_shapes(self, *shapes: Shape) -> tuple[Shape, ...]:
        """As the input, but for the axis."""
        at = along(self.axis, shapes[0])
        return tuple((*shapes[0][:at], size, *shapes[0][at + 1:]) for size in self.sizes(shapes[0]))

    def reference(self, *values: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        ends = np.cumsum(self.sizes(values[0].shape))[:-1]
        return tuple(np.array(part, order="C") for part in np.split(values[0], ends, axis=self.axis))


class Reshape(DataMovement):
    """The same elements, in order, in another shape.

    elements   Scheme, TensorType, or a type by its name
    shape      (int, ...)   one of them may be -1: what is left
    """

    kind, layout, dense = "reshape", "view", True

    def __init__(self, elements: Scheme | TensorType | str, shape: Sequence[int]) -> None:
        super().__init__(elements)
        self.shape = tuple(as_int(size, f"size {i} of the new shape", -1, 1 << 31) for i, size in enumerate(shape))
        if not 0 < len(self.shape) <= MAX_AXES or self.shape.count(-1) > 1 or 0 in self.shape:
            raise BadArgument(f"a new shape has 1 to {MAX_AXES} axes, none of size 0, and -1 once at most; got "
                              f"{list(self.shape[:MAX_AXES])}{' ...' * (len(self.shape) > MAX_AXES)}.")

    def output_shapes(self, *shapes: Shape) -> tuple[Shape, ...]:
        whole, known = math.prod(shapes[0]), math.prod(size for size in self.shape if size != -1)
        if whole % known or (-1 not in self.shape and whole != known):
            raise BadArgument(f"{list(shapes[0])} has {whole} elements, which do not make {list(self.shape)}.")
        return (tuple(whole // known if size == -1 else size for size in self.shape),)

    def reference(self, *values: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        return (np.array(values[0], order="C").reshape(self.output_shapes(values[0].shape)[0]),)


class BackendCopy(Reshape):
    """The same elements under the same shape, where another back end finds them.

    elements   Scheme, TensorType, or a type by its name
    shape      (int, ...)
    """

    kind = "copy"


class Relabel(Reshape):
    """The same integers, which stand for other floats from there on: nothing is converted.

    elements   Scheme       of the result
    shape      (int, ...)
    before     Scheme       of the input, of the same type

    Raises BadArgument for other types.
    """

    kind = "relabelling"

    def __init__(self, elements: Scheme | TensorType | str, shape: Sequence[int],
                 before: Scheme | TensorType | str) -> None:
        super().__init__(elements, shape)
        self.before = TensorType.from_any(before)
        if self.before.dtype != self.type.dtype:
            raise BadArgument(f"integers of {self.before.dtype} are none of {self.type.dtype}.")

    def operand_types(self, count: int) -> tuple[TensorType, ...] | None:
        """One input, of the scheme before."""
        return (self.before,) if count == 1 else None


class Constant(DataMovement):
    """Elements that are known.

    elements   Scheme, TensorType, or a type by its name
    values     array [...] of that type, of one axis and more
    """

    kind, layout = "constant", "constant"

    def __init__(self, elements: Scheme | TensorType | str, values: NDArray[Any]) -> None:
        super().__init__(elements)
        if values.dtype != self.type.dtype or values.ndim == 0 or values.size == 0:
            raise BadArgument(f"a constant of {self.type.dtype} must be an array of it, of one axis and more, not "
                              f"empty; got {values.dtype} {list(values.shape)}.")
        self.values = np.array(values, order="C")
        self.values.flags.writeable = False

    def quantized(self, scheme: Scheme) -> Self:
        found = super().quantized(scheme)
        found.values = scheme.quantize(self.values).values
        return found

    def operand_types(self, count: int) -> tuple[TensorType, ...] | None:
        return None if count else ()

    def output_shapes(self, *shapes: Shape) -> tuple[Shape, ...]:
        return (self.values.shape,)

    def reference(self, *values: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        """The elements themselves, read-only."""
        return (self.values,)
