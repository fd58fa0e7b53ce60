"""A native plan between arrays of the caller's: a run reads and writes them in one call, and makes nothing.

    x, y = np.zeros((1, 96, 96, 1), np.int8), np.zeros((1, 2), np.int8)
    bound = plan.bind(x, y)
    x[...] = picture
    bound.run()                 # y holds the answer

Python's share of a run is then a lock and a call (some 2 us, `BoundPlan.costs` measures it); the network's share is its
layers and one pass over inputs and results, which the C library keeps as unsigned bytes in an arena of its own.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from neonsim.common.integers import as_int
from neonsim.common.locking import Serialized, reentrant, serialized
from neonsim.common.memory_limit import judge, within
from neonsim.errors import BadArgument
from neonsim.nn.backends.native.network import MAX_THREADS, Transfers, data_pointer
from neonsim.nn.graph.graph import Graph, Tensor
from neonsim.quant.scheme import Quantized
from neonsim.quant.tensor_type import elements

if TYPE_CHECKING:
    from neonsim.nn.graph.plan.native import NativePlan

__all__ = ["BoundPlan", "CallOverhead"]


class CallOverhead(NamedTuple):
    """Where the time of a run goes: least seconds of some runs, measured in turns.

    layers    the layers themselves, by the C library's clock
    moved     inputs and results, from and to the arrays, by the same
    bound     a whole bound.run()                               plain     a whole plan.run(x)
    bound_overhead, unbound_overhead  what such a run costs beside its own layers, never those of another run
    """

    layers: float
    moved: float
    bound: float
    unbound: float
    bound_overhead: float
    unbound_overhead: float


class _Held(NamedTuple):
    """An array that is read or written, or the one whose memory it lies in; and how it was when it was bound.

    place   `data_pointer`: what it says is compared at every run
    """

    array: NDArray[Any]
    place: Any
    address: int
    nbytes: int
    written: bool
    name: str


class BoundPlan(Serialized):
    """A native plan and arrays that its runs read and write; `plan.bind(inputs, outputs)`.

    inputs, outputs   one array or Quantized, a list of them in the order of the graph's inputs and outputs, or a dict
                      by name: of the tensor's shape and type, without gaps, results writable. outputs None: new ones
    shapes            {name: shape} of tensors that the caller knows by other shapes of as many elements
    shown             names of the results that are bound; None: all of the graph, in its order
    states            {input: (tensor that becomes it, array)}: what a run leaves there, the next one takes

    The arrays stay alive as long as this does. Results may not share memory with each other or with inputs, but for an
    input and a result that are exactly one array: a state, which every run replaces. Runs of a plan, bound or not, take
    turns, so that any thread may have a Bound of its own; who shares one shares its arrays too.

    Raises BadArgument for what does not fit; and in `run`, should an array have been resized or closed for writing
    since. (Only one who resizes it with refcheck=False during a run, which numpy forbids, is not noticed.)
    """

    def __init__(self, plan: NativePlan, inputs: Any, outputs: Any = None,
                 shapes: Mapping[str, tuple[int, ...]] | None = None, shown: Sequence[str] | None = None,
                 states: Mapping[str, tuple[str, NDArray[Any]]] | None = None) -> None:
        graph, kept = plan.graph, dict(states or {})
        self._turn = plan._turn         # one turn for all that run in the same arena
        self.plan = plan
        names = tuple(graph.outputs if shown is None else shown)
        if outputs is None:
            outputs = [_new(graph.tensors[name], plan.family) for name in names]
        given = _named(graph, inputs, [name for name in graph.inputs if name not in kept], "input")
        given |= {name: array for name, (_, array) in kept.items()}
        reads = [(name, given[name]) for name in graph.inputs]
        writes = [*zip(names, _several(graph, outputs, names, "result"), strict=True), *kept.values()]
        self.inputs, self.outputs = tuple(v for _, v in reads), tuple(v for _, v in writes[:len(names)])
        wanted = {name: tensor.shape for name, tensor in graph.tensors.items()} | dict(shapes or {})
        arrays = [_fitting(graph, name, value, wanted[name], written=False) for name, value in reads]
        fits = [*(wanted[name] for name in names), *(array.shape for _, array in kept.values())]
        written = [_fitting(graph, name, value, shape, written=True)
                   for (name, value), shape in zip(writes, fits, strict=True)]
        _apart(graph, [name for name, _ in (*reads, *writes)], [*arrays, *written], len(arrays))
        self._held = [held for (name, _), array in zip(reads, arrays, strict=True)
                      for held in _held(array, name, False)]
        self._held += [held for (name, _), array in zip(writes, written, strict=True)
                       for held in _held(array, name, True)]
        self._transfers = plan.transfers([name for name, _ in writes])
        for record, array in zip(self._transfers.records, (*arrays, *written), strict=True):
            record.memory = array.ctypes.data

    def __repr__(self) -> str:
        return f"<Bound {self.plan!r} to {len(self.inputs)} and {len(self.outputs)} arrays>"

    def __reduce__(self) -> Any:
        raise BadArgument("a bound plan belongs to its arrays, so it cannot be copied or pickled. Bind a plan again "
                          "there.")

    @serialized
    def run(self, threads: int = 1) -> Any:
        """From the inputs as they are to the results in place: what was bound, one or a tuple.

        Raises BadArgument for threads out of 1 .. 1024, and for arrays that are not what was bound any more.
        """
        for array, place, address, nbytes, written, name in self._held:
            if place.value != address or array.nbytes != nbytes or (written and not array.flags.writeable):
                raise BadArgument(_changed(name, array, written))
        self._transfers.run(min(as_int(threads, "threads", 1, MAX_THREADS), self.plan.most_threads))
        return self.outputs[0] if len(self.outputs) == 1 else self.outputs

    def costs(self, threads: int = 1, runs: int = 200) -> CallOverhead:
        """Where the time of a run goes, measured: least of some runs, the ways in turns.

        The arrays' own contents are run: a state bound to input and result moves on.
        """
        x = dict(zip(self.plan.graph.inputs, (_wrapped(self.plan.graph.tensors[name], value) for name, value in
                                              zip(self.plan.graph.inputs, self.inputs, strict=True)), strict=True))
        workers, least = as_int(threads, "threads", 1, MAX_THREADS), [float("inf")] * len(CallOverhead._fields)
        for _ in range(as_int(runs, "runs", 1)):
            bound, (moved_in, layers, moved_out) = self._watched(self._transfers, lambda: self.run(workers))
            plain, (_, others, _) = self._watched(self.plan._transfers, lambda: self.plan.run(x, workers))
            found = (min(layers, others), moved_in + moved_out, bound, plain, bound - layers, plain - others)
            least = [min(pair) for pair in zip(least, found, strict=True)]
        return CallOverhead(*least)

    @reentrant
    def _watched(self, transfers: Transfers, call: Callable[[], object]) -> tuple[float, list[float]]:
        """Seconds of a run, and its own of moving in, of the layers, of moving out."""
        took = np.zeros(3, np.uint64)
        transfers.watched = took
        try:
            return _seconds(call), [float(part) * 1e-9 for part in took]
        finally:
            transfers.watched = None


def _seconds(call: Callable[[], object]) -> float:
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def _new(tensor: Tensor, family: str) -> Any:
    what = f"A result {list(tensor.shape)}"
    judge(tensor.nbytes, what)
    with within(what):
        return tensor.type.value(np.zeros(tensor.shape, tensor.dtype), "native", family)


def _wrapped(tensor: Tensor, value: Any) -> Any:
    """An input as `plan.run` takes it."""
    return value if isinstance(value, Quantized) else tensor.type.value(value.reshape(tensor.shape))


def _named(graph: Graph, given: Any, names: Sequence[str], what: str) -> dict[str, Any]:
    """What was given, by the names of tensors."""
    return dict(zip(names, _several(graph, given, names, what), strict=True))


def _several(graph: Graph, given: Any, names: Sequence[str], what: str) -> list[Any]:
    """What was given for each of some tensors, none missing and none too many."""
    if isinstance(given, Mapping):
        if set(given) != set(names):
            raise BadArgument(f"the {what}s of {graph.name} must be {', '.join(names) or 'none'}; got "
                              f"{', '.join(map(str, given)) or 'none'}.")
        return [given[name] for name in names]
    several = list(given) if isinstance(given, list | tuple) else [given]
    if len(several) != len(names):
        raise BadArgument(f"{graph.name} has {len(names)} {what}s, {', '.join(names)}: bind a list of arrays in this "
                          f"order, or a dict; got {len(several)}.")
    return several


def _fitting(graph: Graph, name: str, value: Any, shape: tuple[int, ...], written: bool) -> NDArray[Any]:
    """The array of a value, if runs can read it, or write it, as it is."""
    tensor, what = graph.tensors[name], f"{'the result' if written else 'the input'} {name} of {graph.name}"
    if isinstance(value, Quantized) and (tensor.scheme is None or not value.follows(tensor.scheme)):
        raise BadArgument(f"{what} must be {tensor}; got {list(value.shape)} of {value.scheme}.")
    array = elements(value)
    if not isinstance(array, np.ndarray) or isinstance(array, np.ma.MaskedArray):
        raise BadArgument(f"{what} must be bound to a numpy array of {tensor.dtype}; got {type(value).__name__}.")
    if array.dtype != tensor.dtype or array.shape != shape or array.size != tensor.size:
        raise BadArgument(f"{what} must be {list(shape)} of {tensor.dtype}; got {list(array.shape)} of {array.dtype}. "
                          f"No conversion takes place: bind an array of this type and shape.")
    if not array.flags.c_contiguous:
        raise BadArgument(f"{what} must be bound to a contiguous array; got strides {array.strides}. Bind "
                          f"np.ascontiguousarray(array), and fill that.")
    if written and not array.flags.writeable:
        raise BadArgument(f"{what} is an output, but this array is read-only. Bind a writable one.")
    return array


def _span(array: NDArray[Any]) -> tuple[int, int]:
    begin = int(array.ctypes.data)
    return begin, begin + array.nbytes


def _apart(graph: Graph, names: Sequence[str], arrays: Sequence[NDArray[Any]], inputs: int) -> None:
    """Refuses results, behind n inputs, that share memory, but for one that is exactly an input."""
    spans = [_span(array) for array in arrays]
    for number in range(inputs, len(spans)):
        for other in range(number):
            (low, high), (begin, end) = spans[number], spans[other]
            same = other < inputs and spans[number] == spans[other]
            if low < end and begin < high and not same:
                raise BadArgument(f"the result {names[number]} of {graph.name} shares memory with {names[other]}. Bind "
                                  f"separate arrays, or a result to all of an input's array.")


def _held(array: NDArray[Any], name: str, written: bool) -> list[_Held]:
    """The array, and the one that owns its memory: either may be resized."""
    owner = array
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    found = []
    for one in (array,) if owner is array else (array, owner):
        found.append(_Held(one, data_pointer(one), int(one.ctypes.data), one.nbytes, written and one is array, name))
    return found


def _changed(name: str, array: NDArray[Any], written: bool) -> str:
    if written and not array.flags.writeable:
        return f"the array bound to the result {name} may not be written any more."
    return (f"the array bound to {name} lies elsewhere, or has another size, since it was resized: bind again with the "
            "array as it is now.")
