"""One job, done in this process: a row of the data.

Of a product m x n x k a kernel computes a tile a call: whole tiles, and what is left over at the edges with sizes of
its own. Calls of equal sizes run the same instructions, whatever the data, so each is looked at once and counted as
often as it is made. A depthwise kernel does a row of pixels in one call, over all channels. Left out of the cycles:
packing, row sums, the library's code around the calls, memory beyond what `caches` says of each call by itself.
"""

from __future__ import annotations

import time as clock
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.arm.asm import Program, assemble
from neonsim.arm.machine import Trace, compiler
from neonsim.arm.timing import Requirements, load_core, requirements_of, steady, time
from neonsim.arm.timing.stream import from_order
from neonsim.errors import BadArgument, MachineError, NeonsimError
from neonsim.ukernel import Case, cases, contract_named, kernel, kernels, run_cases
from neonsim.ukernel.case_runner import setup
from neonsim.ukernel.cases import depthwise_row, shaped
from neonsim.verify import proving
from neonsim.verify.checking import KernelUnderTest, check, subject
from neonsim.verify.checking.mutations import Mutation, generate_mutations

from .plan import SweepJob, is_depthwise
from .user_kernels import UserKernel

__all__ = ["DONE", "Row", "broken", "row_of"]

Row = dict[str, Any]        # of the columns in `dataset`, those that say something
Shape = tuple[int, int, int, int]
Which = str | UserKernel         # a kernel: its name in the catalogue, or itself
DONE = ("ok", "right", "noticed", "proved")     # the others: wrong missed refuted unknown cannot error timeout
MAX_STEPS = 50_000_000     # of one call
MUTATION_STEPS = 30_000         # of one with a mutation in it: many never end
TOLD_STEPS = 1_000_000      # of one that has gone wrong and is run again to say why
MAX_CACHED = 3000            # simulations of a kernel, 20 KB each
TOLD = 300                  # characters of what is said of a row
MAX_ROW_MACS = 1 << 24          # products of a depthwise call: its image is in memory


class _CannotError(Exception):
    """This kernel, core or shape is not for this question: a row of its own kind, and no error."""


def row_of(job: SweepJob) -> Row:
    """Do a job. Whatever goes wrong is said in the row."""
    began = clock.perf_counter()
    try:
        found = _MEASURES[job.measure](job)
    except _CannotError as why:
        found = {"status": "cannot", "what": _told(str(why))}
    except NeonsimError as why:
        found = {"status": "error", "what": _told(str(why))}
    except Exception as why:    # a broken job is a row, not the end of all others
        found = {"status": "error", "what": _told(f"{type(why).__name__}: {why}")}
    return {**_named(job), **found, "seconds": clock.perf_counter() - began}


def broken(job: SweepJob, status: str, message: str, seconds: float) -> Row:
    """Return the row of a job that could not say anything itself."""
    return {**_named(job), "status": status, "what": message, "seconds": seconds}


def _named(job: SweepJob) -> Row:
    m, n, k, taps = job.shape or (None,) * 4
    return {"job": job.number, "measure": job.measure, "kernel": job.kernel, "core": job.core or None, "m": m, "n": n,
            "k": k, "taps": taps, "caches": job.caches or None, "data": job.data or None, "seed": job.seed}


def _told(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= TOLD else f"{line[:TOLD - 3]}..."


def _which(job: SweepJob) -> Which:
    return job.user_kernel or job.kernel


def _subject(which: Which) -> KernelUnderTest:
    return which.subject if isinstance(which, UserKernel) else subject(kernel(which))


# ---- calls of a product ---------------------------------------------------------------------------------------------

@dataclass(frozen=True)
class _Call:
    """Calls of one size: rows, columns, depth, taps; how many of them the product takes."""

    mr: int
    nr: int
    k: int
    taps: int
    times: int

    @property
    def sizes(self) -> dict[str, int]:
        return {"mr": self.mr, "nr": self.nr, "kc": self.k, **({"ks": self.taps} if self.taps else {})}


def _parts(size: int, tile: int | None) -> list[tuple[int, int]]:
    """(size, how often) of whole tiles and of the rest."""
    if tile is None or size <= tile:
        return [(size, 1)]
    return [(tile, size // tile), *([(size % tile, 1)] if size % tile else [])]


def _calls(one: KernelUnderTest, shape: Shape) -> list[_Call]:
    m, n, k, taps = shape
    contract, indirect = contract_named(one.contract), "igemm" in one.contract
    if is_depthwise(one.contract):
        if k != 1 or taps != one.tile.nr:
            raise _CannotError(f"a shape of {one.name} must be pixels x channels x 1 x {one.tile.nr}, a row of an "
                               f"image.")
        if m * n * taps > MAX_ROW_MACS:
            raise _CannotError(f"a row of {m} x {n} x {taps} has more than {MAX_ROW_MACS:,} MACs. Use fewer pixels.")
        return [_Call(m, n, 1, taps, 1)]
    if taps != 1 and not indirect:
        raise _CannotError(f"{contract.name} has no taps, so the fourth number of a shape must be 1.")
    # Those with an argument nc walk over all columns in one call.
    walks = any(argument.name == "nc" for argument in contract.arguments)
    return [_Call(mr, nr, k, taps if indirect else 0, rows * columns) for mr, rows in _parts(m, one.tile.mr)
            for nr, columns in _parts(n, None if walks else one.tile.nr)]


@lru_cache(maxsize=64)
def _parted(which: Which, shape: Shape) -> list[_Call]:
    return _calls(_subject(which), shape)


def _case(one: KernelUnderTest, call: _Call, data: str = "uniform", seed: int = 0) -> Case:
    try:
        if is_depthwise(one.contract):
            return depthwise_row(one.contract, one.tile, call.mr, call.nr, kind=data, seed=seed)
        return shaped(one.contract, one.tile, kind=data, seed=seed, **call.sizes)
    except BadArgument as why:
        raise _CannotError(str(why)) from None


@lru_cache(maxsize=32)
def _order(which: Which, call: _Call) -> NDArray[np.int64]:
    """Numbers of the instructions that a call executes."""
    if compiler() is None:
        return _trace(which, call).pc.astype(np.int64)
    one = _subject(which)
    machine, arguments = setup(one.program, _case(one, call), one.reads_before, one.reads_after)
    try:
        return machine.execution_path(one.program, *arguments, entry=one.entry, max_steps=MAX_STEPS)
    except MachineError:    # run it as one call, which says where and why
        machine.call(one.program, *arguments, entry=one.entry, sanitize=False, max_steps=TOLD_STEPS)
        raise


@lru_cache(maxsize=4)
def _trace(which: Which, call: _Call) -> Trace:
    one = _subject(which)
    machine, arguments = setup(one.program, _case(one, call), one.reads_before, one.reads_after)
    trace = machine.call(one.program, *arguments, entry=one.entry, trace=True, sanitize=False,
                         max_steps=MAX_STEPS).trace
    assert trace is not None
    return trace


@lru_cache(maxsize=4096)
def _steady(which: Which, call: _Call, core: str) -> float:
    kept = _kept(which)
    if len(kept) > MAX_CACHED:
        kept.clear()
    return steady(_fixed(which)[0], _order(which, call), core, kept).cycles


@lru_cache(maxsize=2)
def _kept(which: Which) -> dict[Any, Any]:
    """Simulations of one kernel: jobs come kernel by kernel."""
    return {}


@lru_cache(maxsize=16)
def _fixed(which: Which) -> tuple[Program, Requirements]:
    """A kernel's program, and what it needs: files do not change while a sweep runs."""
    one, features = _subject(which), [] if isinstance(which, UserKernel) else [kernel(which).feature]
    return one.program, requirements_of(one.program, one.name, features)


@lru_cache(maxsize=64)
def _counted(which: Which, call: _Call) -> tuple[int, int]:
    """Instructions of a call, and those of them that are NEON."""
    order = _order(which, call)
    numbers, times = np.unique(order, return_counts=True)
    ran = from_order(_fixed(which)[0], numbers, np.zeros(len(numbers), np.bool_))
    neon = np.array([ran.ops[at].neon for at in ran.order])
    return len(order), int(times[neon].sum())


def _counts_of(job: SweepJob) -> Row:
    assert job.shape is not None
    calls = _parted(_which(job), job.shape)
    counted = [(call.times, *_counted(_which(job), call)) for call in calls]
    m, n, k, taps = job.shape
    return {"status": "ok", "calls": sum(call.times for call in calls), "macs": m * n * k * taps,
            "instructions": sum(times * all_ for times, all_, _ in counted),
            "neon": sum(times * neon for times, _, neon in counted)}


def _cycles_of(job: SweepJob) -> Row:
    assert job.shape is not None
    which = _which(job)
    core, (_, needs) = load_core(job.core), _fixed(which)
    if missing := core.lacks(needs.isa, needs.features, needs.name):
        raise _CannotError(missing)
    counted = _counts_of(job)
    cycles = 0.0
    for call in _parted(which, job.shape):
        if job.caches == "l1":
            cycles += call.times * _steady(which, call, core.name)
        elif core.memory is None:
            raise _CannotError(f"{core.name} has no caches in its model, so caches must be l1.")
        else:
            cycles += call.times * time(_trace(which, call), core=core, caches=job.caches).cycles
    return {**counted, "cycles": cycles}


# ---- right? ---------------------------------------------------------------------------------------------------------

def _judged(job: SweepJob) -> Row:
    assert job.shape is not None and job.seed is not None
    one, calls = _subject(_which(job)), 0
    for call in _calls(one, job.shape):
        case = _case(one, call, job.data, job.seed)
        wrong = run_cases(one.program, one.entry, [case], reads_before=one.reads_before, reads_after=one.reads_after,
                          sanitize=True, max_steps=MAX_STEPS)
        calls += 1
        if wrong:
            return {"status": "wrong", "cases": calls, "what": _told(str(wrong[0]))}
    return {"status": "right", "cases": calls}


def _swept(job: SweepJob) -> Row:
    assert job.seed is not None
    found = check(_subject(_which(job)), size=job.data, seed=job.seed)
    said = {} if found else {"what": _told(str(found.smallest))}
    return {"status": "right" if found else "wrong", "cases": found.cases, **said}


@lru_cache(maxsize=2)
def _mutations_of(name: str) -> list[Mutation]:
    return list(generate_mutations(kernel(name)))


@lru_cache(maxsize=2)
def _made(contract: str, tile: str) -> tuple[Case, ...]:
    return cases(contract, tile)


def _bug(job: SweepJob) -> Row:
    """A mutation, and whether the cases of the contract notice it. One that changes no byte cannot be noticed."""
    assert job.bug is not None
    one, every = kernel(job.kernel), _mutations_of(job.kernel)
    if job.bug >= len(every):
        raise _CannotError(f"{len(every)} mutations can be planted into {one.name}.")
    # Spread over the kernel's lines: a step that shares no divisor with their number meets each once.
    mutation = every[job.bug * _step(len(every)) % len(every)]
    said: Row = {"bug": mutation.name,
                 "what": _told(f"`{mutation.line}` became `{mutation.replacement}`: {mutation.imitates}")}
    try:
        program: Program = assemble(mutation.text, isa=one.isa)
    except NeonsimError:
        return {**said, "status": "noticed", "cases": 0}    # by the assembler
    chosen = _made(one.contract.name, str(one.tile))
    try:
        failed = bool(run_cases(program, one.name, chosen, max_failures=1, max_steps=MUTATION_STEPS,
                                reads_before=one.header.reads_before, reads_after=one.header.reads_after))
    except (NeonsimError, OverflowError):
        failed = True
    return {**said, "status": "noticed" if failed else "missed", "cases": len(chosen)}


def _other(one: KernelUnderTest) -> KernelUnderTest:
    """What a kernel is compared with: the largest other one of its contract, so that a call has as many rows and
    columns as can be."""
    others = [other for other in kernels(one.contract) if other.name != one.name]
    if not others:
        raise _CannotError(f"{one.name} is the only kernel of {one.contract}: there is none to compare it with.")
    return subject(max(others, key=lambda other: min(other.tile.mr, one.tile.mr) * min(other.tile.nr or 1,
                                                                                       one.tile.nr or 1)))


def _step(count: int) -> int:
    step = max(1, round(count * 0.618))
    while step > 1 and np.gcd(step, count) != 1:
        step -= 1
    return step


def _proof(job: SweepJob) -> Row:
    assert job.shape is not None
    one = _subject(_which(job))
    first = _other(one)
    m, n, k, taps = job.shape
    walks = any(argument.name == "nc" for argument in contract_named(one.contract).arguments)
    mr = min(m, one.tile.mr, first.tile.mr)
    nr = min(n, 64) if walks else min(n, one.tile.nr or 1, first.tile.nr or 1)
    try:
        found = proving.same(first, one, mr=mr, nr=nr, kc=k, ks=taps)
    except BadArgument as why:
        raise _CannotError(str(why)) from None
    more = f"; {found.reason}" if found.reason else f"; {found.counterexample}" if found.counterexample else ""
    return {"status": found.verdict, "what": _told(f"a call of {mr}x{nr}x{k}, against {first.name}{more}")}


_MEASURES: dict[str, Callable[[SweepJob], Row]] = {"cycles": _cycles_of, "counts": _counts_of, "calls": _judged,
                                                   "contract": _swept, "bugs": _bug, "proofs": _proof}
