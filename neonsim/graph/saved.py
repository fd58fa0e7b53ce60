"""A network as one file of bytes, for C programs without Python: the driver of native/tests/, WebAssembly.

    text = saved(graph, arena, x)                       layers, weights, and the arena before the run
    memory = np.frombuffer(what_came_back, np.uint8)    the arena after it
    tensor_in(memory, graph, arena, name)               a tensor's numbers

The form is described in native/tests/saved.c.
"""

from __future__ import annotations

import struct

import numpy as np
from numpy.typing import NDArray

from neonsim.backends.network import Layer
from neonsim.errors import BackendError
from neonsim.graph.graph import Graph
from neonsim.graph.native import layers_of
from neonsim.graph.planner import Arena
from neonsim.quant.scheme import Quantized

__all__ = ["saved", "tensor_in"]

_KINDS = ((np.float32,), (np.uint8, np.int8), (np.int32,))     # scale, weights, bias
_TYPES = [dtype for kind in _KINDS for dtype in kind]


def saved(graph: Graph, arena: Arena, x: Quantized) -> bytes:
    """The network, its input in the arena. Little-endian, as every host here is.

    Raises BackendError for layers with numbers that the form has no place for.
    """
    layers, owners = layers_of(graph, arena)
    text = b"NSN1" + struct.pack("<IQ", len(layers), arena.nbytes)
    for layer, owner in zip(layers, owners, strict=True):
        arrays = [array for array in layer._held if array is not None]
        if any(array.dtype not in _TYPES for array in arrays):
            raise BackendError(f"{owner} of {graph.name} cannot be saved: it has numbers of another type than float32, "
                               "int8, uint8 and int32. Use a network of the q31 or fp32 requantisation.")
        scale, weights, bias = ([array for array in arrays if array.dtype in kind] for kind in _KINDS)
        text += bytes(layer)[:Layer.scales.offset + 4]
        text += struct.pack("<3I", *(sum(array.size for array in kind) for kind in (scale, weights, bias)))
        text += b"".join(array.tobytes() for array in (*scale, *weights, *bias))
    before = np.zeros(arena.nbytes, np.uint8)
    _view(before, graph, arena, graph.inputs[0])[...] = x.values.view(np.uint8) ^ _flip(x.values.dtype.name)
    return text + before.tobytes()


def tensor_in(memory: NDArray[np.uint8], graph: Graph, arena: Arena, name: str) -> NDArray[np.uint8]:
    """A tensor's bytes in an arena, int8 ones without the 128 that is added there. A copy."""
    return np.asarray(_view(memory, graph, arena, name) ^ _flip(graph.tensors[name].dtype))


def _flip(dtype: str) -> np.uint8:
    return np.uint8(0x80 if dtype == "int8" else 0)


def _view(memory: NDArray[np.uint8], graph: Graph, arena: Arena, name: str) -> NDArray[np.uint8]:
    shape, slot = graph.tensors[name].shape, arena.slots[name]
    strides, step = [1], slot.stride
    for size in reversed(shape[:-1]):
        strides.insert(0, step)
        step *= size
    return np.lib.stride_tricks.as_strided(memory[slot.offset:], shape, strides)
