"""A network as its file says it: tensors and nodes, before anything is decided about how they run.

Readers of files make it (`neonsim.nn.formats.tflite.read`), `neonsim.nn.formats.lowering` makes a graph of it. Sizes
are checked here before anything of that size is made: files are untrusted.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.common.limits import MAX_AXES, MAX_NODES, MAX_TENSOR_BYTES
from neonsim.errors import ModelError
from neonsim.quant.scheme import Scheme

__all__ = ["IRNode", "ModelIR", "StoredTensor"]


@dataclass(frozen=True, eq=False)
class StoredTensor:
    """A tensor.

    name         str
    shape        (int, ...)      as the file has it; () for a single value
    dtype        str             numpy's name of its elements, or "string", "resource" ... of what has none
    scale        float32 [n] or None     of integers that stand for floats: one, or one per index of `axis`
    zero_point   int64 [n] or None       the same
    axis         int             along which scales run; of one it means nothing, but to the runtime's delegate
    data         array or None   of constants
    order        (int, ...) or None   which axis of it each axis is as it lies in a graph; None: the same. Images of
                                 files that put channels first lie there with channels last
    file         Stored or None  of a tensor `in_graph`: the file's

    Raises ModelError for sizes that no tensor has.
    """

    name: str
    shape: tuple[int, ...]
    dtype: str
    scale: NDArray[np.float32] | None = None
    zero_point: NDArray[np.int64] | None = None
    axis: int = 0
    data: NDArray[Any] | None = None
    order: tuple[int, ...] | None = None
    file: StoredTensor | None = None

    def __post_init__(self) -> None:
        if len(self.shape) > MAX_AXES:
            raise ModelError(f"tensor {self.name!r} has {len(self.shape)} axes; the limit is {MAX_AXES}.")
        if any(size < 0 for size in self.shape):
            raise ModelError(f"tensor {self.name!r} has a shape of {list(self.shape)}: no size is negative.")
        if self.size * 8 > MAX_TENSOR_BYTES:
            raise ModelError(f"tensor {self.name!r} of shape {list(self.shape)} has {self.size:,} elements, too many "
                             f"for {MAX_TENSOR_BYTES:,} bytes.")

    @property
    def size(self) -> int:
        """Elements."""
        return math.prod(self.shape)

    @cached_property
    def in_graph(self) -> StoredTensor:
        """As it lies in a graph; in messages it is still the file's."""
        if self.order is None:
            return self
        data = None if self.data is None else np.ascontiguousarray(self.from_file(self.data))
        return replace(self, shape=self.index_from_file(self.shape), axis=self.order.index(self.axis), data=data,
                       order=None, file=self)

    def index_from_file(self, index: tuple[int, ...]) -> tuple[int, ...]:
        """An index, or a shape, of the file's tensor as one of a graph's."""
        return index if self.order is None else tuple(index[axis] for axis in self.order)

    def index_to_file(self, index: tuple[int, ...]) -> tuple[int, ...]:
        """The other way."""
        return index if self.order is None else tuple(index[self.order.index(axis)] for axis in range(len(index)))

    def from_file(self, values: NDArray[Any]) -> NDArray[Any]:
        """An array of the file's shape as it lies in a graph."""
        return values if self.order is None else values.transpose(self.order)

    def to_file(self, values: NDArray[Any]) -> NDArray[Any]:
        """The other way."""
        shaped = values.reshape(self.index_from_file(self.shape))
        return shaped if self.order is None else np.ascontiguousarray(shaped.transpose(np.argsort(self.order)))

    @cached_property
    def scheme(self) -> Scheme | None:
        """How its integers stand for floats, None where it has none or one per channel."""
        if self.scale is None or self.scale.size != 1 or self.dtype not in ("uint8", "int8", "int16"):
            return None
        zero_point = 0 if self.zero_point is None else int(self.zero_point[0])
        return Scheme(float(self.scale[0]), zero_point, self.dtype)

    def __str__(self) -> str:
        return f"{self.dtype} {list((self.file or self).shape)}"


@dataclass(frozen=True, eq=False)
class IRNode:
    """A node.

    kind         str    what it does, in our words: "conv2d"; "" where there is no word for it
    word         str    what the file calls it: CONV_2D
    place        int    its number in the file, from 0
    inputs       (int or None, ...)   numbers of tensors; None: an input that is left out
    outputs      (int, ...)
    attributes   {str: value}
    """

    kind: str
    word: str
    place: int
    inputs: tuple[int | None, ...]
    outputs: tuple[int, ...]
    attributes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class ModelIR:
    """A network.

    name      str               of its file
    format    str               "tflite", "onnx"
    tensors   (Stored, ...)
    nodes     (Entry, ...)      in an order in which they can run
    inputs    (int, ...)        numbers of tensors
    outputs   (int, ...)
    initial   {name: array}     of variables: what they hold before the first run

    Raises ModelError for numbers of tensors that there are not, a tensor that two nodes write, and one that is read
    before it is written: there are no circles.
    """

    name: str
    format: str
    tensors: tuple[StoredTensor, ...]
    nodes: tuple[IRNode, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    initial: Mapping[str, NDArray[Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if len(self.nodes) > MAX_NODES:
            raise ModelError(f"{self.name} has {len(self.nodes):,} nodes; the limit is {MAX_NODES:,}.")
        there = {number for number, tensor in enumerate(self.tensors) if tensor.data is not None} | set(self.inputs)
        for number in (*self.inputs, *self.outputs):
            self._check(number, "its inputs and outputs")
        for node in self.nodes:
            where = f"node {node.place}, {node.word}"
            for number in (*(i for i in node.inputs if i is not None), *node.outputs):
                self._check(number, where)
            for read in node.inputs:
                if read is not None and read not in there:
                    raise ModelError(f"{self.name}: {where} reads tensor {self.tensors[read].name!r}, which nothing "
                                     "before it writes.")
            for written in node.outputs:
                if written in there:
                    raise ModelError(f"{self.name}: {where} writes tensor {self.tensors[written].name!r}, which is "
                                     "there already.")
                there.add(written)
        missing = [self.tensors[number].name for number in self.outputs if number not in there]
        if missing:
            raise ModelError(f"{self.name}: nothing writes its output {missing[0]!r}.")

    def _check(self, number: int, where: str) -> None:
        if not 0 <= number < len(self.tensors):
            raise ModelError(f"{self.name}: {where} names tensor {number}; there are {len(self.tensors)}.")
