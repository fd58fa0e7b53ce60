"""Sums of products that fit the lanes they are added up in, for all data."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from neonsim.arm.isa import Instruction, Location
from neonsim.arm.machine import Trace
from neonsim.arm.machine.arch.registers import VectorValue
from neonsim.arm.machine.arch.state import State
from neonsim.arm.semantics import ElementType, Term, TermPool
from neonsim.arm.semantics.interp.bitvectors import NoFormula
from neonsim.arm.semantics.interp.polynomials import Polynomial
from neonsim.common.extras import install
from neonsim.errors import BadArgument, MachineError

from .engine.solver import NEEDED, ask_each, available, limit_of
from .engine.symbolic_call import (
    KernelCall,
    Source,
    call_of,
    place_of,
    read_value,
    run_call,
    run_terms,
    subject_of,
    with_values,
)
from .engine.symbolic_inputs import Name, UnknownValue
from .kernel_equivalence import sizes_of, weights_assumed, weights_of
from .proof import TRUSTED, CounterExample, Proof

__all__ = ["no_overflow"]

DEPTH = 33           # two iterations of the deepest loop, and a rest
BIAS = 1 << 29       # a packed bias and a sum that is added to leave 32 bits this much room each
ROUNDS = 60          # of looking for the ends of a sum
MAX_SHOWN = 6


@dataclass(frozen=True)
class _Lane:
    """A lane that a sum of products was written to.

    step, location, first   of the run, the register's name, and the first byte in it
    type, term              of the lane; what it holds
    """

    step: int
    location: str
    first: int
    type: ElementType
    term: Term
    text: str

    @property
    def where(self) -> str:
        return f"{self.location}.{self.type}[{self.first // self.type.bytes}] after step {self.step + 1} ({self.text})"


def no_overflow(kernel: Source, *, weights: tuple[int, int] = (-127, 127), mr: int | None = None,
                nr: int | None = None, kc: int = DEPTH, ks: int = 1, seconds: float = 20.0,
                solver: str | None = None) -> Proof:
    """Return whether every sum of products fits the lane it is added up in, of 16 bits, 32 or 64, at a shape.

    kernel       name, kernel, .S file with a header, or `checking.subject(...)`: of a matrix product
    weights      bounds of signed weights, -127 and 127 or -128 and 127; unsigned ones are any byte
    mr, nr, kc   rows, columns and depth; left out: the whole tile, and a depth that meets every part of the loops
    ks           taps of an indirect product
    seconds, solver   how long a solver is asked where bounds do not decide, and which; as in `equal`
    ->           Proof. A counter-example names the lane, what it holds, and what the sum is; it was run in the machine

    Packed biases, and sums that are added to, are held to 2**29 at most: a full one leaves no room for any product.

    Raises BadArgument for contracts that are no matrix products, dynamic ones (qd8), and shapes that the kernel
    does not take.
    """
    began = time.monotonic()
    limit = limit_of(seconds, solver)
    bounds = weights_of(weights)
    what = subject_of(kernel)
    tile = what.tile
    if what.contract.startswith("qd8"):
        raise BadArgument(f"{what.name} starts from sums of weights times a zero point, not from packed biases. Only "
                          f"qs8 and qu8 products have claims about wrapping")
    sizes = sizes_of((what,), tile.mr if mr is None else mr, (tile.nr or 1) if nr is None else nr, kc, ks)
    call = call_of(what, sizes, bounds)
    call = replace(call, values=tuple(_bounded(value) for value in call.values))
    shape = ", ".join(f"{name} = {n}" for name, n in sizes.items())
    assumed = [f"for this shape only ({shape})", weights_assumed(call, bounds),
               f"packed biases and sums that are added to from {-BIAS} to {BIAS}; any inputs and parameters", TRUSTED]
    claim = f"no sum of products of {what.name} leaves its lane"

    def proof(verdict: str, **more: Any) -> Proof:
        return Proof(claim, verdict, tuple(assumed), time.monotonic() - began, **more)
    pool = TermPool()
    try:
        lanes = _lanes(pool, call)
    except MachineError as problem:
        return proof("unknown", reason=str(problem))
    if not lanes:
        return proof("unknown", reason="no lane holds a sum of products of integers")
    assumed[0] += f": {len(lanes)} sums in {', '.join(f'{kind}' for kind in sorted({str(n.type) for n in lanes}))}"
    for lane in lanes:
        if _fits(pool, lane):
            continue
        found = _decided(pool, lane, call, limit, solver)
        if isinstance(found, CounterExample):
            return proof("refuted", counterexample=found, reason=_alone(pool, lane))
        if isinstance(found, str):
            return proof("unknown", reason=f"{lane.where}: {found}")
    return proof("proved")


def _bounded(value: UnknownValue) -> UnknownValue:
    return replace(value, bounds=(-BIAS, BIAS)) if value.type.bits == 32 and value.name[0] != "params" else value


# ---- which lanes ---------------------------------------------------------------------------------------------------

def _lanes(pool: TermPool, call: KernelCall) -> list[_Lane]:
    """Of every sum of products the lane that it was first written to."""
    found: dict[tuple[Term, str], _Lane] = {}

    def watch(step: int, instruction: Instruction, state: State) -> None:
        if instruction.memory:
            return
        for result in instruction.resolved.results:
            for place in result.places if result.kind == "lanes" else ():
                if place.number >= 0 and place.type.bits > 8:
                    for i, term in enumerate(_written(state, place)):
                        if any(len(monomial) > 1 for monomial in term.polynomial):
                            name = state.registers.names[state.registers.get(place)]
                            found.setdefault((term, place.type.kind), _Lane(
                                step, name, place.start + i * place.type.bytes, place.type, term,
                                str(instruction).strip()))
    run_terms(pool, "only", call, watch)
    return list(found.values())


def _written(state: State, place: Location) -> tuple[Term, ...]:
    value = state.slots[state.registers.get(place)]
    if not isinstance(value, VectorValue):
        return ()
    lanes: Any = value.read(place.start, place.nbytes, place.type)
    return tuple(lanes.lanes)


def _ends(lane: _Lane) -> tuple[int, int]:
    """What the lane can hold. Of instructions that are not for signed lanes, with the sign that the data has: words
    that start from a bias may be added to with UADALP."""
    bits = lane.type.bits
    signed = lane.type.kind == "s" or lane.term.bounds[0] < 0
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)


def _fits(pool: TermPool, lane: _Lane) -> bool:
    low, high = _ends(lane)
    least, most = lane.term.bounds
    return low <= least and most <= high and not pool.is_truncated(lane.term)


# ---- those that bounds do not decide ---------------------------------------------------------------------------------

def _decided(pool: TermPool, lane: _Lane, call: KernelCall, limit: float, solver: str
             | None) -> CounterExample | str | None:
    """Data on which the lane wraps, None if there is none, or why neither is known."""
    if pool.is_truncated(lane.term):
        return "its factors do not fit the lane"
    for seed in range(ROUNDS):
        given = _extreme(pool, lane.term.polynomial, seed % 2 == 0, np.random.default_rng(seed))
        found = _replayed(pool, lane, call, given)
        if found is not None:
            return found
    if solver is None and not available():
        return f"a solver could say whether it wraps: {install(NEEDED)}"
    kind = "s" if _ends(lane)[0] < 0 else "u"
    whole = pool.make(64, lane.term.polynomial)
    try:
        answer = ask_each(pool, [(whole, pool.make(64, pool.value(lane.term, kind)))], seconds=limit, solver=solver)
    except NoFormula as problem:
        return str(problem)
    if answer.satisfiable is None:
        return f"{answer.solver}: {answer.reason}"
    if not answer.satisfiable:
        return None
    return _replayed(pool, lane, call, answer.values) or f"what {answer.solver} found does not wrap in the machine"


def _extreme(pool: TermPool, polynomial: Polynomial, upward: bool, rng: np.random.Generator) -> dict[Name, int]:
    """Inputs at ends of their ranges, each changed to its other end as long as that moves the sum outward."""
    names = sorted(pool.inputs(pool.make(64, polynomial)), key=str)
    ends = {name: pool.input_bounds(name) for name in names}
    given = {name: int(rng.choice(ends[name])) for name in names}
    whole, sign = pool.make(64, polynomial), 1 if upward else -1

    def value() -> int:
        found, = pool.evaluate([whole], given)
        return sign * (found - (1 << 64) if found >> 63 else found)
    best, changed = value(), True
    while changed:
        changed = False
        for name in names:
            before = given[name]
            given[name] = sum(ends[name]) - before
            now = value()
            if now > best:
                best, changed = now, True
            else:
                given[name] = before
    return given


def _replayed(pool: TermPool, lane: _Lane, call: KernelCall, values: dict[Name, int]) -> CounterExample | None:
    """The call run with this data; None if the lane holds the sum."""
    names = {v.name: v for v in call.values}
    inputs = {name: value for name, value in values.items() if name in names}
    given = {v.name: v.type.wrap(inputs.get(v.name, 0 if v.type.bits == 32 else read_value(call.case, v)))
             for v in call.values}
    whole, = pool.evaluate([pool.make(64, lane.term.polynomial)], _Zero(given))
    total = whole - (1 << 64) if whole >> 63 else whole
    low, high = _ends(lane)
    if low <= total <= high:
        return None
    _, trace = run_call(with_values(call, given), trace=True)
    held = _held(trace, lane) if trace is not None else total
    if trace is None or held == total:
        return None
    shown = {place_of(name): given[name] for name in sorted(pool.inputs(lane.term), key=str) if name in given}
    return CounterExample(lane.where, held, total, shown, (trace,),
                          "run, {where} holds {first}, and the sum is {second}")


class _Zero(dict[Name, int]):
    def __missing__(self, name: Name) -> int:
        return 0


def _held(trace: Trace, lane: _Lane) -> int:
    data = trace.state(lane.step + 1)[lane.location][lane.first:lane.first + lane.type.bytes]
    return int.from_bytes(data, "little", signed=_ends(lane)[0] < 0)


def _alone(pool: TermPool, lane: _Lane) -> str:
    """Whether that is the only data on which the lane wraps: said where it can be counted."""
    polynomial, (low, high) = lane.term.polynomial, _ends(lane)
    numbers = [n for monomial in polynomial for n in monomial]
    least, most = lane.term.bounds
    if len(set(numbers)) != len(numbers) or () in polynomial or least < low or most != high + 1:
        return ""
    shown = []
    for monomial, c in polynomial.items():
        factors = [pool.variable_numbered(n) for n in monomial]
        if len(factors) > 2 or any(f.op != "input" or f.high - f.low > 255 for f in factors):
            return ""
        # Every product of what the factors may be, of 16 bits at most.
        axes = [np.arange(f.low, f.high + 1, dtype=np.int64) for f in factors]
        products = c * (np.multiply.outer(*axes) if len(axes) == 2 else axes[0])
        best = np.argwhere(products == pool.bounds({monomial: c})[1])
        if len(best) != 1:
            return ""
        shown += [f"{place_of(f.args)} = {f.low + v}" for f, v in zip(factors, best[0], strict=True)]
    return f"the only data on which this lane wraps: {', '.join(shown)}" if len(shown) <= MAX_SHOWN else ""
