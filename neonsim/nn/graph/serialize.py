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

from neonsim.errors import BackendError
from neonsim.nn.backends.native.network import NetworkLayer
from neonsim.nn.graph.graph import Graph
from neonsim.nn.graph.memory.planner import Arena
from neonsim.nn.graph.plan.native import layers_of
from neonsim.quant.tensor_type import Value, elements

__all__ = ["serialize", "tensor_in"]

def serialize(graph: Graph, arena: Arena, x: Value) -> bytes:
    """The network, its input in the arena. Little-endian, as every host here is.

    Raises BackendError for layers with numbers that the form has no place for.
    """
    layers, owners = layers_of(graph, arena)
    text = b"NSN1" + struct.pack("<IQ", len(layers), arena.nbytes)
    for layer, owner in zip(layers, owners, strict=True):
        if layer.double_scale or layer.algorithm:
            raise BackendError(f"{owner} of {graph.name} cannot be saved: its scales are in float64, or its weights "
                               f"transformed. Use the q31 or fp32 requantisation, and no Winograd.")
        held = {array.ctypes.data: array for array in layer._held if array is not None}
        scale, weights, bias = (b"" if not place else held[place].tobytes()
                                for place in (layer.scale, layer.weights, layer.bias))
        text += bytes(layer)[:NetworkLayer.scales.offset + 4]
        text += struct.pack("<3I", len(scale) // 4, len(weights), len(bias) // 4) + scale + weights + bias
    before = np.zeros(arena.nbytes, np.uint8)
    values = elements(x)
    _view(before, graph, arena, graph.inputs[0])[...] = values.view(np.uint8) ^ _flip(values.dtype.name)
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
