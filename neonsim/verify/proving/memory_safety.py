"""A kernel's accesses stay inside its buffers, whatever one of its sizes is."""

from __future__ import annotations

import re
import time
from typing import Any

import numpy as np

from neonsim.arm.machine.symbolic.paths import start_path
from neonsim.arm.semantics import Term, TermPool, element
from neonsim.arm.semantics.interp.polynomials import Polynomial
from neonsim.common.extras import install
from neonsim.common.integers import as_int
from neonsim.errors import BadArgument, MachineError, MissingPackage
from neonsim.ukernel import Case, contract_named
from neonsim.ukernel.cases import cases, shaped, shapes_known
from neonsim.ukernel.contract import Argument, In, Indirect, InOut, Out, Packed, Scratch
from neonsim.ukernel.packing import PackedWeights
from neonsim.ukernel.packing.gemm_layout import GemmLayout

from .engine.induction import Failed, SymbolicBuffer, Walker
from .engine.invariants import clauses
from .engine.solver import NEEDED, available, limit_of
from .engine.symbolic_call import KernelCall, Source, run_call, subject_of
from .proof import TRUSTED, CounterExample, Proof

__all__ = ["safe"]

MAX_SIZE = {"aarch64": 1 << 24, "aarch32": 1 << 20}    # of the unknown size; strides are unknown up to there too
TRIED = 40              # sizes that a kernel is run with, to find what a solver says to be there
_CHANGE = re.compile(r"([*/:+])")


def safe(kernel: Source, invariant: str | None = None, *, size: str | None = None, mr: int | None = None,
         nr: int | None = None, seconds: float = 120.0, solver: str | None = None) -> Proof:
    """Return whether a kernel touches nothing outside its buffers, for every value of one of its sizes, and comes to
    its end.

    kernel      name, kernel, .S file with a header, or `checking.subject(...)`
    invariant   what holds at the heads of its loops, e.g. "x2 == kc - 8*i - 8; x3 == a + 8*i; x2 >= 0": see
                `neonsim.verify.proving.engine.invariants`; left out: what moves by a fixed number an iteration
                is found, as are counters
    size        the unknown one, "kc" or "n"; left out: the depth of a product, the only size of others
    mr, nr      rows and columns of a product; left out: the whole tile
    seconds, solver   how long solvers are asked in all, and which; as in `equal`
    ->          Proof, with the invariants that were used among its assumptions. Refuted means: run with that size, it
                faulted in the machine

    Raises BadArgument for sizes that there are not, kernels that follow pointers from memory, and invariants that
    cannot be read; MissingPackage for a solver that is named and not installed.
    """
    began = time.monotonic()
    limit = limit_of(seconds, solver)
    given = clauses(invariant) if invariant is not None else []
    what = subject_of(kernel)
    case = _case(what, mr, nr)
    size = _size(case, size)
    pool, isa = TermPool(), what.program.isa
    most = MAX_SIZE[isa]
    word = element("x", 64 if isa == "aarch64" else 32)
    known = {name: _unknown(pool, name, most, word) for name in _unknowns(case, size)}
    others = ", ".join(f"{a.name} = {case.values[a.name]}" for a in case.contract.arguments
                       if a.kind == "size" and a.name != size)
    claim = (f"{what.name} touches nothing outside its buffers for every {size} from 1 to {most}"
             + (f" ({others})" if others else ""))
    assumed = [f"strides from 1 to {most}; every buffer as long as the contract says, "
               f"{what.reads_before} bytes before and {what.reads_after} behind what is read; alignment is not asked",
               TRUSTED]
    ends = began + limit

    def proof(verdict: str, **more: Any) -> Proof:
        return Proof(claim, verdict, tuple(assumed), time.monotonic() - began, **more)
    if solver is None and not available():
        return proof("unknown", reason=f"induction asks a solver: {install(NEEDED)}")
    buffers = {a.name: _buffer(pool, a, case, known, what.reads_before, what.reads_after)
               for a in case.contract.arguments if a.is_pointer}
    names = {a.name: _value(pool, a, case, known, word) for a in case.contract.arguments}
    walker = Walker(pool, what.program, buffers, {name: pool.value(t, "s") if name in known else t.polynomial
                                                  for name, t in names.items()}, given, ends, solver)
    try:
        walker.walk(start_path(what.program, what.entry, pool, list(names.values())))
    except (Failed, MachineError) as problem:
        if isinstance(problem, MissingPackage):
            raise
        found = _run_into(what, case, size, problem)
        if found is not None:
            return proof("refuted", counterexample=found)
        answer = getattr(problem, "answer", None)
        why = f": {answer.solver} says {answer.reason}" if answer is not None and answer.satisfiable is None else ""
        return proof("unknown", reason=f"{problem}{why}; with {size} from 1 to {TRIED} it has not faulted")
    assumed[1:1] = [f"by induction, line {line}: {text}" for line, text in sorted(walker.said.items())]
    assumed += [f"trusted: the solver {' and '.join(sorted(walker.solvers))}"] if walker.solvers else []
    return proof("proved")


# ---- the call ------------------------------------------------------------------------------------------------------

def _case(what: Any, mr: int | None, nr: int | None) -> Case:
    """A call of the contract, for all that is not unknown."""
    contract = contract_named(what.contract)
    if any(isinstance(a.memory, Indirect) for a in contract.arguments):
        raise BadArgument(f"{what.name} follows pointers in memory. Claims for every size need kernels whose arguments "
                          f"point to their data")
    if what.contract in shapes_known():
        rows = what.tile.mr if mr is None else as_int(mr, "mr", 1, what.tile.mr)
        columns = (what.tile.nr or 1) if nr is None else as_int(nr, "nr", 1, what.tile.nr or 1)
        return shaped(what.contract, what.tile, mr=rows, nr=columns, kc=16)
    if mr is not None or nr is not None:
        raise BadArgument(f"{what.contract} is not a matrix product, so it has no mr and nr")
    for case in cases(what.contract, what.tile):
        if all(at.region == name for name, at in case.values.items() if not isinstance(at, int)):
            return case
    raise BadArgument(f"there is no direct call of {what.contract}")


def _size(case: Case, size: str | None) -> str:
    sizes = [a.name for a in case.contract.arguments if a.kind == "size"]
    if size is None:
        size = "kc" if "kc" in sizes else sizes[0] if len(sizes) == 1 else ""
    if size not in sizes:
        raise BadArgument(f"size must be {', '.join(sizes)}, which then becomes symbolic"
                          + (f"; not {size!r}" if size else ""))
    return size


def _unknowns(case: Case, size: str) -> list[str]:
    return [size, *(a.name for a in case.contract.arguments if a.kind == "stride")]


def _unknown(pool: TermPool, name: str, most: int, word: Any) -> Term:
    return pool.variable(("size", name), word, (1, most))


def _value(pool: TermPool, argument: Argument, case: Case, known: dict[str, Term], word: Any) -> Term:
    """What is passed for an argument."""
    if argument.name in known:
        return known[argument.name]
    if argument.is_pointer:
        return pool.variable(("base", argument.name), word)
    if argument.kind == "int32" and word.bits == 64:  # the other half of its register is undefined
        return pool.concat((pool.number(case.number(argument.name), 32), pool.unnamed(element("u", 32))))
    return pool.number(case.number(argument.name), word.bits)


def _buffer(pool: TermPool, argument: Argument, case: Case, known: dict[str, Term], before: int,
            after: int) -> SymbolicBuffer:
    note = argument.memory
    if argument.kind == "params" or note is None:
        return SymbolicBuffer({(): int(case.memory[argument.name].data.size)}, False)
    if isinstance(note, Packed):
        return SymbolicBuffer(_packed(pool, argument.name, case, known), False)
    kind = element("u", 8).bytes * _bytes_of(note.dtype)
    sizes = [_axis(pool, text, case, known) for text in note.shape.split()]
    blocks = note.blocks is not None and _blocks(case) > 1
    if note.gap is not None or blocks or (len(sizes) > 2 and note.stride):
        raise BadArgument(f"{argument.name} of {case.contract.name} does not consist of plain rows, so its size has no "
                          f"formula")
    each: Polynomial = {(): kind}
    total = each
    for at, one in enumerate(sizes):
        if at == 0 and len(sizes) > 1 and note.stride is not None:
            step = pool.value(known[note.stride], "s") if note.stride in known else _known(
                case.number(note.stride))
            rows = pool.sum(one, {(): -1})
            inside = pool.product(sizes[1], each)
            total = pool.sum(pool.product(rows, step), inside)
            break
        total = pool.product(total, one)
    writable = isinstance(note, Out | InOut | Scratch)
    read = isinstance(note, In | InOut | Out)
    return SymbolicBuffer(total, writable, before if read else 0, after if read else 0)


def _known(number: int) -> Polynomial:
    return {(): number}


def _bytes_of(dtype: str) -> int:
    return int(np.dtype(dtype).itemsize)


def _blocks(case: Case) -> int:
    made = next((one for one in case.objects.values() if isinstance(one, PackedWeights)), None)
    return made.layout.blocks if made is not None else 1


def _axis(pool: TermPool, text: str, case: Case, known: dict[str, Term]) -> Polynomial:
    """The length of an axis, as `ukernel.case.axes` reads it, of unknown sizes."""
    name, *changes = _CHANGE.split(text)
    found: Polynomial = ({(): int(name)} if name.isdigit() else pool.value(known[name], "s") if name in known else
                         {(): case.number(name)})
    for sign, number in zip(changes[::2], map(int, changes[1::2]), strict=True):
        found = (pool.product(found, {(): number}) if sign == "*" else pool.sum(found, {(): number}) if sign == "+" else
                 _up(pool, found, number) if sign == ":" else _down(pool, found, number))
    return found


def _down(pool: TermPool, size: Polynomial, by: int) -> Polynomial:
    if by & by - 1:
        raise BadArgument(f"an axis that is divided by {by} has no formula for every size")
    return pool.shifted(size, by.bit_length() - 1)


def _up(pool: TermPool, size: Polynomial, to: int) -> Polynomial:
    """Rounded up to a multiple."""
    return pool.product(_down(pool, pool.sum(size, {(): to - 1}), to), {(): to}) if to > 1 else size


def _packed(pool: TermPool, name: str, case: Case, known: dict[str, Term]) -> Polynomial:
    """Bytes of packed weights, as `GemmLayout.nbytes` counts them."""
    layout = case.objects[name].layout
    if not isinstance(layout, GemmLayout):
        raise BadArgument(f"the weights of {case.contract.name} are not packed like those of an 8-bit product, so "
                          f"their size has no formula for every depth")
    depth = _axis(pool, "kc", case, known)
    unit = layout.sr if layout.whole and layout.sr > 1 else layout.kr
    depths = pool.product(_up(pool, depth, unit), {(): layout.taps})
    row = pool.sum(depths, {(): 4 + 4 * len(layout.tail)})
    return pool.product(row, {(): layout.blocks * layout.nr})


# ---- counter-examples ----------------------------------------------------------------------------------------------

def _run_into(what: Any, case: Case, size: str, problem: Exception) -> CounterExample | None:
    """The kernel run with small sizes, and with the one that a solver has found; the first that faults."""
    answer = getattr(problem, "answer", None)
    said = answer.values.get(("size", size)) if answer is not None and answer.satisfiable else None
    tried = [*([said] if said is not None and said <= 1 << 14 else []), *range(1, TRIED + 1)]
    for value in tried:
        found = _call(what, case, size, value)
        if found is None:
            continue
        left, trace = run_call(found, trace=False)
        if isinstance(left, str):
            left, trace = run_call(found, trace=True)
            assert trace is not None
            inputs = {size: value} | {a.name: found.case.number(a.name) for a in case.contract.arguments
                                      if a.kind in ("size", "stride")}
            return CounterExample(f"{size} = {value}", str(left), "no fault", inputs, (trace,),
                                  "run with {where}, it faults: {first}")
    return None


def _call(what: Any, case: Case, size: str, value: int) -> KernelCall | None:
    if size == "kc" and what.contract in shapes_known():
        rows, columns = (case.number(next(n for n in names if n in case.values)) for names in (("mr",), ("nr", "nc")))
        return KernelCall(what, shaped(what.contract, what.tile, mr=rows, nr=columns, kc=value), ())
    found = next((c for c in cases(what.contract, what.tile) if c.number(size) == value), None)
    return None if found is None else KernelCall(what, found, ())
