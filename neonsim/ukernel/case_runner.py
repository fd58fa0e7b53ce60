"""Run cases on the emulated machine and compare every byte with the definition: alone, or many in lock-step.

Alone, every region lies in a buffer of its exact size, so that any step over an edge is a fault; in lock-step the
regions of all calls follow each other in shared buffers. How far a kernel may read before and behind a row of its
input is what its header declares, no more.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from neonsim.arm.asm import Program
from neonsim.arm.isa import WORD_BYTES
from neonsim.errors import BadArgument, LockstepDivergence, MachineError
from neonsim.ukernel.case import CANARY, RETURNED, At, Case, CaseRegion
from neonsim.ukernel.contract import NUMBERS, Argument

if TYPE_CHECKING:
    from neonsim.arm.machine import CallResult, Machine

__all__ = ["Failure", "Outcome", "collect", "run_alone", "run_cases", "run_together", "setup"]


@dataclass(frozen=True)
class Failure:
    """A case that went wrong.

    case   Case
    message  str    one sentence: the first wrong byte, or the machine's error
    """

    case: Case
    message: str

    def __str__(self) -> str:
        return f"{self.case.contract.name}, {self.case.name}: {self.message}"


@dataclass(frozen=True)
class Outcome:
    """What one call left behind.

    memory   {region: uint8 [bytes]}   of every region that the kernel may write
    result   CallResult
    """

    case: Case
    memory: dict[str, NDArray[np.uint8]]
    result: CallResult
    machine: Machine

    def wrong(self) -> str:
        """The first byte that is not as the definition says, or a warning of the machine; "" if all is well."""
        for name, left in self.memory.items():
            if name != RETURNED and self.case.memory[name].role == "scratch":
                continue
            expected = self.case.expected[name]
            differs = np.flatnonzero(left != expected)
            if differs.size:
                at = int(differs[0])
                more = f" ({differs.size} bytes differ)" if differs.size > 1 else ""
                if name != RETURNED and not self.case.memory[name].written and left[at] == CANARY:
                    return f"byte {at} of {name} should be {expected[at]}, and is as it was before the call{more}"
                return f"byte {at} of {name} is {left[at]}, not {expected[at]}{more}"
        return self.result.warnings[0] if self.result.warnings else ""


def _writable(region: CaseRegion) -> bool:
    return region.role in ("out", "scratch")


def _allowances(region: CaseRegion, before: int, after: int) -> tuple[int, int]:
    """Return the bytes that may be read before and after a region: only rows of data have any."""
    return (before, after) if region.role == "in" or region.role == "out" else (0, 0)


def _table(region: CaseRegion, pointer: int, addresses: dict[str, int]) -> NDArray[np.uint8]:
    found = [addresses[at.region] + at.offset for at in region.pointers]
    return np.array(found, f"<u{pointer}").view(np.uint8)


def _argument(case: Case, name: str, kind: str, pointer: int, addresses: dict[str, int]) -> int:
    value = case.values[name]
    if isinstance(value, At):
        return addresses[value.region] + value.offset
    if kind == "pointers":
        return value * pointer
    return value & 0xFFFFFFFF if kind == "int32" else value


def setup(program: Program, case: Case, reads_before: int = 0, reads_after: int = 0,
             seed: int = 0) -> tuple[Machine, list[Any]]:
    """A machine with every region of a case in a buffer of its exact size, and the arguments of the call."""
    from neonsim.arm.machine import Machine

    machine = Machine(isa=program.isa, poison=seed)
    pointer = WORD_BYTES[program.isa]
    addresses: dict[str, int] = {}
    for name, region in sorted(case.memory.items(), key=lambda item: item[1].role == "table"):
        before, after = _allowances(region, reads_before, reads_after)
        if region.role == "scratch":
            addresses[name] = machine.memory.alloc(region.data.size, name=name)
            continue
        data = _table(region, pointer, addresses) if region.role == "table" else region.data
        dtype = np.dtype(f"<u{pointer}" if region.role == "table" else region.dtype or np.uint8)
        typed = bool(region.dtype or region.role == "table") and data.size % dtype.itemsize == 0
        addresses[name] = machine.memory.place(data.view(dtype) if typed else data, name=name, reads_before=before,
                                               reads_after=after, readonly=not _writable(region),
                                               initialized=region.written, typed=typed, skew=region.skew)
    arguments: list[Any] = [_argument(case, a.name, a.kind, pointer, addresses) for a in case.contract.arguments]
    return machine, [_typed(a, v) for a, v in zip(case.contract.arguments, arguments, strict=True)]


def _typed(argument: Argument, value: Any) -> Any:
    """A number of its own size: one of 32 bits leaves the other half of its register undefined."""
    if argument.kind == "int32":
        return np.uint32(value)
    if argument.kind in ("size", "number") and argument.ctype in NUMBERS:
        return np.array(value).astype(NUMBERS[argument.ctype])[()]
    return value


def collect(case: Case, machine: Machine, result: CallResult) -> Outcome:
    """What a call has left behind on a machine that `prepared` made."""
    left = {name: machine.memory.fetch(name).view(np.uint8) for name, r in case.memory.items() if _writable(r)}
    if kind := case.contract.returns:
        real = np.dtype(kind).kind == "f"
        whole = np.array([result.returned_float]) if real else np.array([result.returned], np.uint64)
        left[RETURNED] = whole.view(np.uint8)[:np.dtype(kind).itemsize].copy()
    return Outcome(case, left, result, machine)


def run_alone(program: Program, entry: str, case: Case, *, reads_before: int = 0, reads_after: int = 0,
              seed: int = 0, **options: Any) -> Outcome:
    """One call, every region in a buffer of its exact size; options as `Machine.call`."""
    machine, arguments = setup(program, case, reads_before, reads_after, seed)
    return collect(case, machine, machine.call(program, *arguments, entry=entry, **{"trace": False, **options}))


def run_together(program: Program, entry: str, cases: Sequence[Case], *, reads_before: int = 0, reads_after: int = 0,
                 seed: int = 0, **options: Any) -> list[Outcome]:
    """Calls of equal sizes in lock-step: the grid is as square as their number allows.

    The bytes between the regions of two calls are looked at too: one that changed is reported with the call before it.
    """
    if not cases:
        raise BadArgument("calls must have at least one case; got none.")
    from neonsim.arm.machine import Grid, Machine

    machine = Machine(isa=program.isa, poison=seed)
    pointer, count = WORD_BYTES[program.isa], len(cases)
    rows = next(r for r in range(math.isqrt(count), 0, -1) if count % r == 0)
    grid = Grid(rows, count // rows)
    bases: list[dict[str, int]] = [{} for _ in cases]
    pitches: dict[str, int] = {}
    for name, region in sorted(cases[0].memory.items(), key=lambda item: item[1].role == "table"):
        before, after = _allowances(region, reads_before, reads_after)
        sizes = [case.memory[name].nbytes(pointer) for case in cases]
        before += -before % 8
        pitch = max(sizes) + before + after + 8
        pitch += -pitch % 8
        data = np.full((count, pitch), CANARY, np.uint8)
        for i, case in enumerate(cases):
            own = case.memory[name]
            content = _table(own, pointer, bases[i]) if own.role == "table" else own.data
            data[i, before:before + sizes[i]] = content
        base = machine.memory.place(data.reshape(-1), name=name, readonly=not _writable(region))
        for i in range(count):
            bases[i][name] = base + pitch * i + before
        pitches[name] = pitch
    arguments: list[Any] = []
    for argument in cases[0].contract.arguments:
        values = [_argument(case, argument.name, argument.kind, pointer, bases[i]) for i, case in enumerate(cases)]
        same = len(set(values)) == 1
        arguments.append(values[0] if same else np.array(values, np.int64).reshape(grid.shape))
    result = machine.call(program, *arguments, entry=entry, tiles=grid, **{"trace": False, **options})
    return list(_outcomes(machine, cases, pitches, bases, result))


def _outcomes(machine: Machine, cases: Sequence[Case], pitches: dict[str, int], bases: list[dict[str, int]],
              result: CallResult) -> Iterator[Outcome]:
    names = [name for name, region in cases[0].memory.items() if _writable(region)]
    fetched = {name: (machine.memory.fetch(name).view(np.uint8).copy(), machine.memory.buffer(name).address)
               for name in names}
    for i, case in enumerate(cases):
        left = {}
        for name in names:
            flat, start = fetched[name]
            at, size = bases[i][name] - start, case.memory[name].data.size
            left[name] = flat[at:at + size].copy()
            flat[at:at + size] = CANARY
        yield Outcome(case, left, result, machine)
    for name in names:
        flat, _ = fetched[name]
        stray = np.flatnonzero(flat != CANARY)
        if stray.size:
            which = min(int(stray[0]) // pitches[name], len(cases) - 1)
            raise MachineError(f"bytes next to {name} of call {which} ({cases[which].name}) were changed")


def _places(case: Case) -> tuple[Any, ...]:
    # What lies where must be the same: in place or not, which areas the pointers lead into.
    regions = tuple(v.region for v in case.values.values() if isinstance(v, At))
    return regions, tuple(sorted((name, region.role) for name, region in case.memory.items()))


def _sizes(case: Case) -> tuple[Any, ...]:
    """What calls that go together must share. Rows of a tile may differ: kernels repeat the last one in place of those
    that are missing (C09), selecting by their number instead of branching on it."""
    return (tuple(case.number(a.name) for a in case.contract.arguments if a.kind == "size" and a.name != "mr"),
            _places(case))


def _all_sizes(case: Case) -> tuple[Any, ...]:
    """What they must share where a kernel branches on more: rows, and the way from one pixel's pointers to the next."""
    return (tuple(case.number(a.name) for a in case.contract.arguments if a.kind in ("size", "pointers")),
            _places(case))


def _groups(cases: Iterable[Case], key: Callable[[Case], tuple[Any, ...]]) -> list[list[Case]]:
    return [list(group) for _, group in groupby(sorted(cases, key=key), key=key)]


def run_cases(program: Program, entry: str, cases: Iterable[Case], *, reads_before: int = 0, reads_after: int = 0,
              lockstep: bool = True, max_failures: int = 10, **options: Any) -> list[Failure]:
    """Run cases and compare with the definition of their contract.

    program, entry              what is called
    reads_before, reads_after   bytes outside a row of its input that the kernel may read (its header says)
    lockstep                    calls of equal sizes together; False: each alone, in buffers of its exact size
    max_failures                failures after which to stop
    options                     as `Machine.call`: sanitize, engine, max_steps
    ->                          list of Failure, empty if every byte is right
    """
    found: list[Failure] = []
    limits = {"reads_before": reads_before, "reads_after": reads_after}
    groups = _groups(cases, _sizes)[::-1] if lockstep else [[case] for case in cases][::-1]
    while groups:
        group = groups.pop()
        try:
            if len(group) > 1:
                outcomes = run_together(program, entry, group, **limits, **options)
            else:
                outcomes = [run_alone(program, entry, group[0], **limits, **options)]
        except LockstepDivergence as error:
            narrower = _groups(group, _all_sizes)
            if len(narrower) == 1:
                found.append(Failure(group[0], f"{type(error).__name__}: {error}"))
            groups += narrower[::-1] if len(narrower) > 1 else []
        except MachineError as error:
            found.append(Failure(group[0], f"{type(error).__name__}: {error}"))
        else:
            found += [Failure(outcome.case, wrong) for outcome in outcomes if (wrong := outcome.wrong())]
        if len(found) >= max_failures:
            break
    return found
