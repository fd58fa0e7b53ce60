"""Whole networks in the C library: layers over one arena, packed once, run in one call.

    network = NativeNetwork(layers, arena_bytes)      packs weights, chooses kernels
    network.arena[...]                                uint8: write the input, read results
    network.run(threads=2)                            the interpreter's lock is released meanwhile
    Transfers(network, inputs, results).run()         arrays of callers in and out, and the layers, in one call

A layer is a `NetworkLayer`, described byte by byte as in native/include/neonsim_network.h: tensors are uint8 (int8 ones
with 128 added), NHWC, at offsets of the arena. `neonsim.nn.graph` makes layers from operators.

    families()      the kernels there are ("amx", "avx512vnni", "scalar" ...), best first, and why some cannot run here
    probe_peak()    multiply-accumulates per second of a family's inner instruction, measured
    probe_bandwidth()   bytes per second of a copy, measured
"""

from __future__ import annotations

import ctypes
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from neonsim.common.integers import as_int
from neonsim.common.locking import Serialized, processors, serialized
from neonsim.common.memory_limit import judge
from neonsim.errors import BackendError, BadArgument, OutOfMemory, UnsupportedHardware
from neonsim.nn.backends.native.library import check, is_status, numbers, require
from neonsim.nn.backends.native.structs import GemmChoiceRecord, LayerRecord, NativeRefusal, TransferRecord

__all__ = ["MAX_THREADS", "GemmChoice", "NativeNetwork", "NetworkLayer", "Transfers", "algorithms", "data_pointer",
           "families", "kinds", "probe_bandwidth", "probe_peak", "roundings"]

_PTR = ctypes.c_void_p
MAX_THREADS = 1024
ROUNDS = 10         # of a probe by several threads


def kinds() -> dict[str, int]:
    """Kinds of layers by name, as "conv", with their numbers in C. Raises BackendError without the library."""
    return numbers("neonsim_layer_kind")


def roundings() -> dict[str, int]:
    """Ways to make bytes of sums, as "q31", with their numbers in C. Raises BackendError without the library."""
    return numbers("neonsim_rounding")


def algorithms() -> dict[str, int]:
    """Ways to compute convolutions of floats by name, as "direct", with their numbers in C.

    Raises BackendError without the library.
    """
    return numbers("neonsim_algorithm")


@cache
def _strassen() -> dict[int, str]:
    """Whether a product takes a level of Strassen, as "used", by numbers in C."""
    return {number: name for name, number in numbers("neonsim_strassen").items()}


def _number(known: dict[str, int], name: str, what: str) -> int:
    if name not in known:
        raise BadArgument(f"The C library has no {what} {name!r}; it has {', '.join(known)}.")
    return known[name]


class NetworkLayer(LayerRecord):
    """struct neonsim_layer, made by names.

    `NetworkLayer.create("conv", ...)` takes fields by name and keeps the arrays it points at alive.
    """

    @classmethod
    def create(cls, kind: str, *, rounding: str | None = None, scale: NDArray[np.float32] | None = None,
               double_scale: NDArray[np.float64] | None = None, weights: NDArray[Any] | None = None,
               bias: NDArray[np.int32] | None = None, **fields: Any) -> NetworkLayer:
        """A layer; sizes that are not given are 1, limits 0 and 255, the rest 0: the first rounding there is.

        weights   uint8 or int8 [out, kh, kw, in/groups], contiguous;  bias   int32 [out];  scale   float32 [1] or [out]
        double_scale   float64 [1] or [out], in place of scale with roundings of 31 bits
        """
        ones = ("batch", "kernel_height", "kernel_width", "stride_height", "stride_width", "dilation_height",
                "dilation_width", "groups")
        layer = cls(kind=_number(kinds(), kind, "kind of layer"), output_max=255,
                    rounding=0 if rounding is None else _number(roundings(), rounding, "rounding of layers"),
                    **{name: 1 for name in ones if name not in fields})
        for name, value in fields.items():
            if not hasattr(cls, name):
                raise BadArgument(f"a layer has no field {name!r}.")
            setattr(layer, name, value)
        held = []
        for name, array in (("scale", scale), ("double_scale", double_scale), ("weights", weights), ("bias", bias)):
            if array is not None:
                array = np.ascontiguousarray(array)
                held.append(array)
                setattr(layer, name, array.ctypes.data)
        if weights is not None:
            layer.weights_signed = int(weights.dtype == np.int8)
        for given in (scale, double_scale):
            if given is not None:
                layer.scales = given.size
        layer._held = held
        return layer


_signed_up = False


def _library() -> ctypes.CDLL:
    global _signed_up
    library = require()
    if not _signed_up:
        size, status = ctypes.c_size_t, ctypes.c_int32
        for name, result, arguments in (
            ("create", status,
             (_PTR, size, size, ctypes.c_char_p, ctypes.POINTER(_PTR), ctypes.POINTER(NativeRefusal))),
            ("destroy", None, (_PTR,)),
            ("arena", _PTR, (_PTR,)), ("family", ctypes.c_char_p, (_PTR,)), ("packed_bytes", size, (_PTR,)),
            ("run_part", status, (_PTR, size, size, size, _PTR)),
            ("members", size, (_PTR, size)), ("run_watched", status, (_PTR, size, _PTR, _PTR)),
            ("run_together", status, (_PTR, size)),
            ("gemm_choice", status, (_PTR, size, ctypes.POINTER(GemmChoiceRecord))),
            ("run_bound", status, (_PTR, _PTR, size, size, size, _PTR)),
        ):
            function = getattr(library, f"neonsim_network_{name}")
            function.restype, function.argtypes = result, arguments
        library.neonsim_family_info.restype = status
        library.neonsim_family_info.argtypes = (size, ctypes.POINTER(ctypes.c_char_p), ctypes.POINTER(ctypes.c_char_p))
        for probe in (library.neonsim_probe_peak, library.neonsim_probe_f32_peak):
            probe.restype, probe.argtypes = ctypes.c_double, (ctypes.c_char_p, size)
        _signed_up = True
    return library


def families() -> dict[str, str | None]:
    """Families of kernels, best first, each with None or why it cannot run here.

    Raises BackendError without the library.
    """
    library = _library()
    found: dict[str, str | None] = {}
    name, missing = ctypes.c_char_p(), ctypes.c_char_p()
    while library.neonsim_family_info(len(found), ctypes.byref(name), ctypes.byref(missing)) == 0:
        assert name.value is not None
        found[name.value.decode()] = None if missing.value is None else missing.value.decode()
    return found


def probe_peak(family: str | None = None, repeats: int = 50, threads: int = 1, float32: bool = False) -> float:
    """Multiply-accumulates per second of a family's inner instruction, best of some bursts: measured.

    family    str or None   None: the best here
    threads   int           number at the same time, added up; more than there are processors do not count
    real      bool          of fused multiply-adds on float32, in place of dot products of bytes
    """
    library, name = _library(), None if family is None else family.encode()
    probe = library.neonsim_probe_f32_peak if float32 else library.neonsim_probe_peak
    if (count := _processors(threads)) == 1:
        return float(probe(name, repeats))
    return _at_once(count, lambda number: float(probe(name, max(repeats // ROUNDS, 1))))


def probe_bandwidth(nbytes: int, threads: int = 1) -> float:
    """Bytes read and written per second when one half of n bytes is copied to the other: measured.

    nbytes    int   of an arena, say: what lies in which cache depends on it
    threads   int   number at the same time, each with its part
    """
    count = _processors(threads)
    half = max(nbytes // 2 // count, 1)
    places = [(np.ones(half, np.uint8), np.ones(half, np.uint8)) for _ in range(count)]
    copies = min(max((1 << 22) // half, 4), 1 << 10)        # some tenths of a millisecond, of few bytes less

    def copy(number: int) -> float:
        source, target = places[number]
        begin = time.perf_counter()
        for _ in range(copies):
            np.copyto(target, source)
        return 2 * half * copies / (time.perf_counter() - begin)

    return _at_once(count, copy)


def _processors(threads: int) -> int:
    return max(min(threads, processors()), 1)


def _at_once(count: int, work: Callable[[int], float]) -> float:
    """The best sum of what n threads reach in rounds that begin together.

    Processors that share their multipliers, or their power, hold each other up; alone each would look faster.
    """
    together, rates = threading.Barrier(count), np.zeros((ROUNDS, count))

    def walk(number: int) -> None:
        for round_ in range(ROUNDS):
            together.wait()
            rates[round_, number] = work(number)

    others = [threading.Thread(target=walk, args=(number,)) for number in range(1, count)]
    for other in others:
        other.start()
    walk(0)
    for other in others:
        other.join()
    return float(rates.sum(axis=1).max())


def _refused(refusal: NativeRefusal, status: int, owners: Sequence[str] | None) -> BackendError | BadArgument:
    if owners is not None:
        return BackendError(f"The native backend does not support {owners[refusal.layer]}: {refusal}")
    text = str(require().neonsim_status_text(status), "ascii")
    return BadArgument(f"The C library refuses layer {refusal.layer}: {text}: {refusal}")


class _Owned:
    """A network of the library, destroyed with its last reference: neither plans nor views of its arena.

    An array of numpy's does not tell the collector what it holds, so the arena must not lead back to its holder.
    """

    def __init__(self, library: ctypes.CDLL, handle: ctypes.c_void_p, arena_bytes: int) -> None:
        self.handle = handle
        # Not at exit: a thread may still be running there, and the memory goes anyway.
        weakref.finalize(self, library.neonsim_network_destroy, handle).atexit = False
        self.__array_interface__ = {"version": 3, "typestr": "|u1", "shape": (arena_bytes,),
                                    "data": (library.neonsim_network_arena(handle), False)}


class GemmChoice(NamedTuple):
    """By which kernels a layer is multiplied; struct neonsim_gemm_choice.

    family                 the kernels that do it
    int16_accumulation     whether several groups of four depths are summed in 16 bits, as the weights prove that they
                           fit
    percent                of the time that accumulators of 32 bits take, as modelled from instructions
    groups                 of four depths, of all panels of columns; 0: it was not looked into
    quad_runs, pair_runs   runs of four and of two groups
    split_groups           groups whose weights are taken in parts, since they would not fit
    strassen               whether it takes a level of Strassen, seven products for eight: "used", "not_considered", or
                           why not
    """

    family: str
    int16_accumulation: bool
    percent: int
    groups: int
    quad_runs: int
    pair_runs: int
    split_groups: int
    strassen: str = "not_considered"


class NativeNetwork(Serialized):
    """A planned network. Threads that run it take turns; what they write into the arena before, and read after, is
    theirs to keep apart (`neonsim.nn.graph.NativePlan` does).

    arena    uint8 [arena_bytes]   the tensors; the library's memory stays as long as a view of it does
    family   str                   the kernels that run it

    owners   the node of a graph that each layer belongs to: nodes that operators compute, whatever is refused here

    Raises OutOfMemory, BadArgument for a family there is not and for layers that do not fit the arena or each other:
    BackendError where they have owners. It names layer, quantity and limit. A family that this processor lacks is
    planned, so that its choices can be looked at; all that run raise UnsupportedHardware then.
    """

    def __init__(self, layers: Sequence[NetworkLayer], arena_bytes: int, family: str | None = None,
                 owners: Sequence[str] | None = None) -> None:
        library = _library()
        known = families()
        if family is not None and not (isinstance(family, str) and family in known):
            raise BadArgument(f"Unknown family of kernels {family!r}. Use {', '.join(known)}.")
        judge(arena_bytes, "The arena of this network")
        array, handle, refusal = (NetworkLayer * max(len(layers), 1))(*layers), _PTR(), NativeRefusal()
        status = library.neonsim_network_create(array, len(layers), arena_bytes,
                                                None if family is None else family.encode(), ctypes.byref(handle),
                                                ctypes.byref(refusal))
        if refusal.quantity:
            raise _refused(refusal, status, owners)
        if is_status(status, "out_of_memory"):
            raise OutOfMemory(f"There is no memory for this network: an arena of {arena_bytes} bytes and its weights.")
        check(status)
        self._owned, self.layers = _Owned(library, handle, arena_bytes), len(layers)
        self.family: str = library.neonsim_network_family(handle).decode()
        self.packed_bytes: int = library.neonsim_network_packed_bytes(handle)
        self.arena: NDArray[np.uint8] = np.asarray(self._owned)
        self._run = library.neonsim_network_run_part

    @serialized
    def run(self, threads: int = 1, first: int = 0, last: int | None = None) -> None:
        """Layers first .. last - 1, all by itself, on the arena as it is.

        Raises BadArgument for numbers out of range.
        """
        end = self.layers if last is None else last
        if not (0 < threads <= MAX_THREADS and 0 <= first <= end <= self.layers):
            raise BadArgument(f"threads must be in 1..{MAX_THREADS}, first and last in order in 0..{self.layers}; got "
                              f"{threads}, {first} and {end}.")
        self.check(self._run(self._owned.handle, first, end, threads, None))

    def check(self, status: int) -> None:
        """Raise what a run's status other than 0 means."""
        if is_status(status, "unavailable_variant"):
            raise UnsupportedHardware(f"The kernels {self.family!r} cannot run here: {families()[self.family]}.")
        check(status)

    def gemm_choice(self, layer: int) -> GemmChoice:
        """By which kernels a layer is multiplied. Raises BadArgument for a layer that there is not."""
        found = GemmChoiceRecord()
        check(_library().neonsim_network_gemm_choice(self._owned.handle, as_int(layer, "layer", 0, self.layers - 1),
                                                     ctypes.byref(found)))
        return GemmChoice(found.family.decode(), bool(found.int16_accumulation), found.percent, found.groups,
                          found.quad_runs, found.pair_runs, found.split_groups, _strassen()[found.strassen])

    @serialized
    def profile(self, threads: int = 1) -> NDArray[np.uint64]:
        """Run once; nanoseconds of every layer, measured."""
        took = np.zeros(self.layers, np.uint64)
        self._for_its_time(threads, took.ctypes.data)
        return took

    @serialized
    def rerun(self, threads: int = 1) -> None:
        """Run on what lies in the arena, to be measured: the results are of no use."""
        self._for_its_time(threads, None)

    def _for_its_time(self, threads: int, took: int | None) -> None:
        workers = as_int(threads, "threads", 1, MAX_THREADS)
        status = self._run(self._owned.handle, 0, self.layers, workers, took)
        # The input's place may hold what a layer before left there, and that be a NaN: the time is the same.
        if not is_status(status, "not_a_number"):
            self.check(status)

    @serialized
    def waits(self, threads: int = 1) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """Run once; nanoseconds of every layer, and [layer, thread] of those what it waited for the others: measured.

        A thread waits when no task of a layer is left and others are still at theirs; one that had none, or was not
        there yet, waited all the time. The first layer has also what passed until a thread was awake. Threads beyond
        the number of processors do not come, nor are they counted.
        """
        library, workers = _library(), as_int(threads, "threads", 1, MAX_THREADS)
        members = library.neonsim_network_members(self._owned.handle, workers)
        took, idle = np.zeros(self.layers, np.uint64), np.zeros((self.layers, members), np.uint64)
        status = library.neonsim_network_run_watched(self._owned.handle, workers, took.ctypes.data, idle.ctypes.data)
        if not is_status(status, "not_a_number"):       # as in profile
            self.check(status)
        return took, np.minimum(idle, took[:, None])


def run_together(networks: Sequence[NativeNetwork]) -> None:
    """Each of several networks once, side by side, a thread for each, to be measured: the results are of no use.

    Together they reach what the machine has for n threads: `neonsim bench network --threads 2` holds a run that
    is shared by threads to it. The networks are separate; no other thread may run one of them meanwhile.

    Raises BadArgument for none, for more than MAX_THREADS, and for one that is there twice.
    """
    if not 0 < len(networks) <= MAX_THREADS or len({id(one) for one in networks}) < len(networks):
        raise BadArgument(f"1..{MAX_THREADS} networks run together, each once; got {len(networks)}, of which "
                          f"{len({id(one) for one in networks})} are others.")
    handles = (_PTR * len(networks))(*(one._owned.handle.value for one in networks))
    status = _library().neonsim_network_run_together(ctypes.addressof(handles), len(networks))
    if not is_status(status, "not_a_number"):       # as in NativeNetwork.profile
        next((one for one in networks if families()[one.family]), networks[0]).check(status)


def data_pointer(array: NDArray[Any]) -> ctypes.c_void_p:
    """Where numpy's object keeps the address of its elements: `.value` is what it is now. As long as the array lives.

    It is the first field behind the head of every array (PyArrayObject_fields); `array.ctypes.data` takes 30 times as
    long as looking there.
    """
    return ctypes.c_void_p.from_address(id(array) + object.__basicsize__)


class Transfers:
    """Tensors of callers beside a network's arena: moved in, all layers, moved out, in one call of the C library.

    records   TransferRecord [inputs + results]   `memory` of each is the caller's to set, and to keep alive
    watched   uint64 [3] or None    runs write there nanoseconds of moving in, of the layers, of moving out, measured

    The library looks at every record before it moves anything; what it cannot know is whether `memory` is as long as
    rows * row_bytes, and alive. One thread at a time (`neonsim.common.locking`): the records are read while it runs.
    """

    def __init__(self, network: NativeNetwork, inputs: Sequence[TransferRecord], results: Sequence[TransferRecord]
                 ) -> None:
        count = len(inputs) + len(results)
        self.records = (TransferRecord * max(count, 1))(*inputs, *results)
        self._counts = len(inputs), len(results)
        self._at, self._network = ctypes.addressof(self.records), network
        self._handle, self._call = network._owned.handle, _library().neonsim_network_run_bound
        self.watched: NDArray[np.uint64] | None = None

    def run(self, threads: int = 1) -> None:
        """All of it. threads: 1 .. MAX_THREADS, looked at by the caller."""
        took = None if self.watched is None else self.watched.ctypes.data
        if status := self._call(self._handle, self._at, *self._counts, threads, took):
            self._network.check(status)
