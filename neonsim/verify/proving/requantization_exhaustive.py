"""Requantisation in single precision: the kernel itself, run on each of the 2**32 sums beside its definition.

Floating point has no formulas over bits here, but 2**32 is not many: the compiled engine runs the kernel's instructions
on all of them in a minute or two. Each call of a whole tile is given as many sums as it has results: the packed
biases of its columns, and rows of inputs that add multiples of the tile's width to them. That one result of the tile
has seen a sum is enough if all its results are one term of their sums, which is read from the same instructions.
Threads, one a processor, take the sums in turn, each with copies of the tile in memory of its own.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.arm.machine import Grid
from neonsim.common.locking import processors
from neonsim.errors import BadArgument, MachineError
from neonsim.nn.backends.native import backend
from neonsim.quant.rounding import fp32_lrint
from neonsim.ukernel.case import At
from neonsim.ukernel.case_runner import setup

from .engine.symbolic_accumulators import requantized_accumulators, steps_between
from .engine.symbolic_call import KernelCall, place_of, read_value, run_call, with_values
from .engine.symbolic_inputs import outputs_of
from .proof import CounterExample

__all__ = ["SPREAD", "SUMS", "Progress", "RoundingParams", "every_sum", "variant_of"]

SUMS = 1 << 32
SPREAD = float(np.float32(255 / SUMS))  # the scale by which all sums spread over the 8 bits of a result
AT_ONCE = 1 << 18   # sums of one run of the engine: what they are and become stays in a processor's cache

RUN = "run on one sum, {where} is {first}, and should be {second}"

Progress = Callable[[int], None]  # n more sums are done


@dataclass(frozen=True)
class RoundingParams:
    """What the definition takes: float32 scale, zero point, limits, type of the result."""

    scale: float
    zero_point: int
    low: int
    high: int
    dtype: str

    def apply(self, sums: NDArray[np.int32]) -> NDArray[Any]:
        """int32 [...] -> dtype [...], by the formula."""
        return fp32_lrint(sums, self.scale, self.zero_point, self.low, self.high, self.dtype)

    def __str__(self) -> str:
        return f"scale {self.scale!r}, zero point {self.zero_point}, limits {self.low}..{self.high}"


def variant_of(call: KernelCall) -> str:
    """Return the kernel of the C library for the same call that this machine runs. Raises BadArgument where there is
    none."""
    what = call.kernel
    if not ("_gemm_" in what.contract or what.contract.startswith("qu8_requantize")):
        raise BadArgument(f"{what.contract} reads its rows through pointers. The exhaustive proof runs only products "
                          f"of rows in memory, and qu8_requantize_fp32")
    tile = (what.tile.mr, what.tile.nr, what.tile.kr, what.tile.sr)
    found = [v.name for v in backend.variants(what.contract) if v.missing is None and (
        what.tile.nr is None or (v.mr, v.nr, v.kr, v.sr) == tile)]
    if not found:
        raise BadArgument(f"no kernel of the C library has the tile of {what.name}")
    return found[0]


def every_sum(call: KernelCall, rounding: RoundingParams, progress: Progress | None = None,
              variant: str | None = None) -> CounterExample | None:
    """Run a kernel on all sums of 32 bits, beside the definition.

    call      of `accumulator_call`, with the parameters that ``rounding`` says and zero points 0
    progress  called with how many more sums are done
    variant   of the C library (`variant_of`): it is run instead of the kernel's instructions
    ->        None if they agree on all; or the data of the first call on which they differ

    Raises BackendError without a C compiler, MachineError where a call ends in one.
    """
    call = with_values(call, {v.name: read_value(call.case, v) for v in call.values} | steps_between(call))
    hands = [_Tiles(call, rounding.dtype, variant) for _ in range(processors())]
    found: dict[int, tuple[NDArray[np.int32], NDArray[Any], NDArray[np.intp]]] = {}  # by the first sum of a run
    turn, stopped = threading.Lock(), threading.Event()

    def work(hand: int) -> None:
        tiles = hands[hand]
        for done in range(hand * tiles.size, SUMS, len(hands) * tiles.size):
            with turn:
                if stopped.is_set() or any(first < done for first in found):
                    return
            sums = tiles.sums_from(done - SUMS // 2)
            wrong = tiles.run(sums) != rounding.apply(sums)
            with turn:
                if wrong.any():
                    found[done] = sums, tiles.results.copy(), np.argwhere(wrong)[0]
                elif progress is not None:
                    progress(min(tiles.size, SUMS - done))

    with ThreadPoolExecutor(len(hands)) as pool:
        running = [pool.submit(work, hand) for hand in range(len(hands))]
        try:
            for hand in as_completed(running):
                hand.result()
        finally:
            stopped.set()   # one has failed, or the user has interrupted: the others end with their run
    if not found:
        return None
    sums, results, at = found[min(found)]
    if variant is not None:
        return CounterExample(f"result [{at[1]}, {at[2]}] of {variant}", int(results[tuple(at)]),
                              int(rounding.apply(sums)[tuple(at)]), {"sum": int(sums[tuple(at)])}, (), RUN)
    example = _replayed(call, sums[at[0]], rounding)
    if example is None:
        raise MachineError(f"{call.kernel.name} gives different results in the compiled engine and in the interpreter, "
                           f"for the accumulator {sums[tuple(at)]}")
    return example


class _Tiles:
    """Copies of a call's sums (its packed weights) and results beside each other, as many as AT_ONCE sums need."""

    def __init__(self, call: KernelCall, dtype: str, variant: str | None = None) -> None:
        case, what = call.case, call.kernel
        self._machine, arguments = setup(what.program, case, what.reads_before, what.reads_after)
        given, results = requantized_accumulators(call), list(outputs_of(case).items())
        columns = len(given)
        rows = len(results) // columns
        self._count = AT_ONCE // (rows * columns)
        self.size = self._count * rows * columns
        self._sums = np.arange(self.size, dtype=np.int32).reshape(-1, rows, columns)
        memory = self._machine.memory
        of_sums, of_results = given[0].region, results[0][1][0]
        sizes = {name: case.memory[name].data.size for name in (of_sums, of_results)}
        at = {of_sums: memory.place(np.tile(case.memory[of_sums].data, self._count), "all sums", typed=False),
              of_results: memory.alloc(sizes[of_results] * self._count, "all results")}

        def places(name: str, offset: int, dtype: str, shape: tuple[int, ...], steps: tuple[int, ...]) -> NDArray[Any]:
            return np.ndarray((self._count, *shape), dtype, memory.arena, at[name] - memory.base + offset,
                              (sizes[name], *steps))
        offsets = np.array([offset for _, (_, offset, _) in results]).reshape(rows, columns)
        self.results = places(of_results, 0, dtype, (rows, columns), (int(offsets[-1, 0] - offsets[0, 0])
                               // max(rows - 1, 1), 1))
        self._given = places(of_sums, given[0].offset, "<i4", (columns,), (4,))
        moved = {argument.name: at[place.region] + place.offset + sizes[place.region] * np.arange(self._count)[None]
                 for argument in case.contract.arguments
                 if isinstance(place := case.values[argument.name], At) and place.region in at}
        values = {argument.name: moved.get(argument.name, number)
                  for argument, number in zip(case.contract.arguments, arguments, strict=True)}
        self._run: Callable[[int], Any]
        if variant is None:
            self._run = self._machine.prepare(what.program, *values.values(), entry=what.entry,
                                            tiles=Grid(1, self._count))
        else:
            rows_of_arguments = np.empty((self._count, len(values)), np.uint64)
            for number, argument in enumerate(case.contract.arguments):
                # Where the machine's memory lies in this process.
                home = memory.arena.ctypes.data - memory.base if argument.kind in ("memory", "params") else 0
                rows_of_arguments[:, number] = np.asarray(values[argument.name], np.int64).reshape(-1) + home
            self._run = partial(backend.call, variant, rows_of_arguments)

    def sums_from(self, first: int) -> NDArray[np.int32]:
        """int32 [copies, rows, columns]: the sums from the first on, in order, modulo 2**32."""
        return self._sums + np.int32(first)

    def run(self, sums: NDArray[np.int32]) -> NDArray[Any]:
        """Return what the kernel makes of them, in the same places."""
        self._given[:] = sums[:, 0]
        self._run(1)
        return self.results


def _replayed(call: KernelCall, sums: NDArray[np.int32], rounding: RoundingParams) -> CounterExample | None:
    """One tile in the machine, of these sums [rows, columns], beside the definition; None if they agree."""
    given = {v.name: read_value(call.case, v) for v in call.values}
    given |= {v.name: int(sums[0, column]) for column, v in enumerate(requantized_accumulators(call))}
    left, trace = run_call(with_values(call, given), trace=True)
    assert trace is not None
    wanted = rounding.apply(sums)
    for name, (_, _, type_) in outputs_of(call.case).items():
        at = (0, *name[1:])[-2:]
        found, should = left if isinstance(left, str) else left[name], type_.wrap(int(wanted[at]))
        if found != should:
            return CounterExample(place_of(name), found, should, {"sum": int(sums[at])}, (trace,),
                                  RUN)
    return None
