"""Two kernels of a contract: the same results for all data, at a shape."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from neonsim.arm.machine import compiler
from neonsim.arm.machine.symbolic.run import SymbolicMemory
from neonsim.arm.semantics import Term, TermPool, u8
from neonsim.arm.semantics.interp.bitvectors import NoFormula
from neonsim.common.extras import install
from neonsim.common.integers import as_int
from neonsim.errors import BadArgument, MachineError
from neonsim.ukernel import Case, contract_named
from neonsim.ukernel.cases import cases, shapes_known
from neonsim.ukernel.contract import Packed
from neonsim.verify.checking import KernelUnderTest

from .engine.solver import NEEDED, SolverAnswer, ask_each, available, limit_of
from .engine.symbolic_call import (
    KernelCall,
    Source,
    call_of,
    place_of,
    read_value,
    run_call,
    run_quickly,
    run_terms,
    subject_of,
    with_values,
)
from .engine.symbolic_inputs import Name, UnknownValue, outputs_of, sums_of, values_of
from .proof import TRUSTED, CounterExample, Proof

__all__ = ["ORDINARY", "QUICK_SHAPES", "polynomials", "same", "sizes_of", "weights_assumed", "weights_of"]

QUICK_SHAPES = (1, 2, 7, 8, 9, 16, 17)  # depths at which loops and their rests begin and end
# Data with intent (`ukernel.cases`); where a contract has no kind of this name, it makes any data of it.
KINDS = ("uniform", "clamped", "ends", "ties", "extremes", "saturating", "near_ties", "mixed_ties", "unshifted",
         "enlarging")
WATCHED = 2        # calls of that search that are run under the sanitizer
ROUNDS = 4         # of looking for a counter-example: every kind of data once in each
MAX_DEPTH = 512
# Contracts that one product can be computed by: the second is given row sums, and they are those of the rows.
WITH_SUMS = {"qu8_gemm_q31", "qu8_gemm_xzp_q31"}
# Without which kernels in floating point of both instruction sets are not the same.
ORDINARY = ("no number on the way is denormal or a NaN: AArch32 Advanced SIMD takes denormal numbers for zero, and "
            "has one NaN")
_Make = Callable[[str, int], tuple[KernelCall, KernelCall]]  # (kind of data, seed) -> both calls


def same(first: Source, second: Source, *, mr: int = 0, nr: int = 0, kc: int = 0, ks: int = 1,
         case: str | Case | None = None,
         weights: tuple[int, int] = (-127, 127), seed: int = 0, seconds: float = 20.0,
         solver: str | None = None, search: bool = True) -> Proof:
    """Return whether two kernels of a contract give the same results for all data, biases, zero points and parameters.

    A kernel that is given row sums (`qu8_gemm_xzp_q31`) may be compared with one that is not: the sums are polynomials
    of the row and the zero point then, not data of their own.

    first, second   names of kernels, kernels, .S files with a header, or `checking.subject(...)` of
                    anything else
    mr, nr, kc      rows, columns and depth of the call of a product; ks: taps of an indirect one
    case            of other contracts: a case of theirs, or its name (`neonsim.ukernel.cases`); its sizes are taken
    weights         bounds of signed weights, -127 and 127 or -128 and 127; unsigned ones are any byte
    seed            of the data that is tried where the terms differ
    seconds, solver   how long a solver is asked where no such data is found, and which; as in `equal`
    search          whether to look for such data at all, and to ask a solver
    ->              Proof

    Raises BadArgument for kernels of different contracts, contracts that are no matrix products, and shapes that a
    kernel does not take.
    """
    began = time.monotonic()
    limit, bounds = limit_of(seconds, solver), weights_of(weights)
    subjects = subject_of(first), subject_of(second)
    make: _Make
    if case is None:
        sizes = sizes_of(subjects, mr, nr, kc, ks)
        shape, make = ", ".join(f"{name} = {n}" for name, n in sizes.items()), _shaped(subjects, sizes, bounds)
    else:
        both = _named(subjects, case) if isinstance(case, str) else (case, case)
        shape, make = f"sizes of {both[0].name}", _of_case(subjects, both, bounds)
    claim = f"{subjects[0].name} and {subjects[1].name} give the same results at {shape.replace(' = ', '=')}"
    calls = _apart(make)
    assumed = _assumed(calls[0], shape, bounds)
    if any(call.accumulators for call in calls):
        assumed = (*assumed, "row sums are minus the zero point of the weights times the sum of each row, modulo 2**32")
    reason, pool, pairs = _difference(calls[0], calls[1])

    def proof(verdict: str, **more: Any) -> Proof:
        return Proof(claim, verdict, assumed, time.monotonic() - began, **more)
    if not reason:
        return proof("proved")
    if len(pool.float_rules()) > 1 and not _difference(*calls, ordinary=True)[0]:
        assumed = (*assumed, ORDINARY)
        return proof("proved")
    for number, tried in enumerate(_samples(make, seed) if search else ()):
        # Where no branch depends on data (there are terms), one run under the sanitizer is as good as many.
        found = _replayed(tried) if number < WATCHED or not (pairs and compiler()) or _differ_quickly(tried) else None
        if found is not None:
            return proof("refuted", counterexample=found)
    if not search:
        return proof("unknown", reason=f"{reason}; no difference was looked for")
    answer = _asked(pool, pairs, calls[0], limit, solver)
    if answer.satisfiable is False:
        assumed = (*assumed, f"trusted: the solver {answer.solver}")
        return proof("proved")
    found = _replayed(_with_answer(calls, answer)) if answer.satisfiable else None
    if found is not None:
        return proof("refuted", counterexample=found)
    return proof("unknown", reason=f"{reason}; no difference was found on {ROUNDS * len(KINDS)} calls with data "
                                   f"at its extremes; {answer.reason}")


def polynomials(kernel: Source, *, mr: int, nr: int, kc: int, ks: int = 1,
                weights: tuple[int, int] = (-127, 127)) -> dict[str, str]:
    """Return what a kernel leaves in every element of its output, as a text: sums of products of inputs and weights.

    Arguments as `same`. What is no sum of products is named by the word that made it, as "clamp#17". Raises as `same`,
    and MachineError for a kernel that cannot be read for unknown data.

    >>> polynomials("qs8_gemm_s32_4x8__aarch32_neon_mlal_lane", mr=1, nr=1, kc=1)["c[0, 0]"]
    'bias.0.0 + a.0.0 * w.0.0'
    """
    subject, pool = subject_of(kernel), TermPool()
    call = call_of(subject, sizes_of((subject,), mr, nr, kc, ks), weights_of(weights))
    return {place_of(name): pool.text(dict(sorted(term.polynomial.items(), key=lambda one: (
        len(one[0]), one[0])))) for name, term in _results(pool, "only", call).items()}


# ---- what is asked -------------------------------------------------------------------------------------------------

def weights_of(weights: tuple[int, int]) -> tuple[int, int]:
    """Bounds of signed weights that are such."""
    if not isinstance(weights, tuple | list) or len(weights) != 2:
        raise BadArgument(f"weights must be two bounds of signed weights, as (-127, 127); got {weights!r}")
    low, high = (as_int(n, "a bound of the weights", -128, 127) for n in weights)
    if low > high:
        raise BadArgument(f"the lower bound of the weights must come first; got {low}, {high}")
    return low, high


def sizes_of(subjects: Sequence[KernelUnderTest], mr: int, nr: int, kc: int, ks: int) -> dict[str, int]:
    """Return the sizes of a call that all of these kernels take."""
    one, other = subjects[0], subjects[-1]
    if one.contract != other.contract and {one.contract, other.contract} != WITH_SUMS:
        raise BadArgument(f"{one.name} keeps {one.contract}, {other.name} keeps {other.contract}: only kernels of one "
                          f"contract can be equivalent")
    sizes = {"mr": as_int(mr, "mr", 1, min(s.tile.mr for s in subjects))}
    # Those that walk over columns takes any number of them.
    walks = any(a.name == "nc" for a in contract_named(one.contract).arguments)
    sizes["nr"] = as_int(nr, "nr", 1, 64 if walks else min(s.tile.nr or 1 for s in subjects))
    sizes["kc"] = as_int(kc, "kc", 1, MAX_DEPTH)
    if "igemm" in one.contract:
        sizes["ks"] = as_int(ks, "ks", 1, 64)
    return sizes


def _shaped(subjects: Sequence[KernelUnderTest], sizes: dict[str, int], bounds: tuple[int, int]) -> _Make:
    """Calls of both at a shape, of the same data."""
    def make(kind: str, seed: int) -> tuple[KernelCall, KernelCall]:
        one, other = (_summed(call_of(s, sizes, bounds, kind, seed), subjects) for s in subjects)
        return one, other
    return make


def _named(subjects: Sequence[KernelUnderTest], name: str) -> tuple[Case, Case]:
    """The case of this name, for each of them."""
    one, other = subjects
    if one.contract != other.contract or one.contract in shapes_known():
        raise BadArgument(f"case= needs two kernels of one contract that is not a product; {one.name} keeps "
                          f"{one.contract}, {other.name} {other.contract}: use mr, nr and kc for products")
    found = [_cases(s.contract, str(s.tile)).get(name) for s in subjects]
    if found[0] is not None and (found[1] is None or not any(
            isinstance(a.memory, Packed) for a in found[0].contract.arguments)):
        found[1] = found[0]
    if found[0] is None or found[1] is None or found[0].values != found[1].values:
        raise BadArgument(f"there is no case {name!r} of {one.contract} that both kernels support. `neonsim check` "
                          f"lists the cases")
    return found[0], found[1]


def _of_case(subjects: Sequence[KernelUnderTest], both: tuple[Case, Case], bounds: tuple[int, int]) -> _Make:
    """Calls of both with the sizes of a case of their contract."""
    calls = [KernelCall(s, c, tuple(values_of(c, bounds))) for s, c in zip(subjects, both, strict=True)]
    given = {v.name: read_value(call.case, v) for call in reversed(calls) for v in call.values}

    def make(kind: str, seed: int) -> tuple[KernelCall, KernelCall]:
        rng = np.random.default_rng((seed, KINDS.index(kind)))
        data = given | ({v.name: int(rng.integers(*v.bounds or (v.type.low, v.type.high), endpoint=True))
                         for v in calls[0].values if v.name[0] in _operands(calls[0].values)} if seed % 2 else {})
        return with_values(calls[0], data), with_values(calls[1], data)
    return make


@lru_cache(maxsize=4)
def _cases(contract: str, tile: str) -> dict[str, Case]:
    return {case.name: case for case in cases(contract, tile)}


def _apart(make: _Make) -> tuple[KernelCall, KernelCall]:
    """The same call of each, whose strides differ from each other if there is one: a kernel that takes one for another
    is found out. Of one seed, for it also says which pointers lead to zeros."""
    for seed in range(30):
        calls = make("uniform", seed)
        if all(_differ(call.case) for call in calls):
            break
    return calls


def _summed(call: KernelCall, subjects: Sequence[KernelUnderTest]) -> KernelCall:
    """The call whose row sums are those of its rows, if the other kernel computes them by itself."""
    return replace(call, accumulators=sums_of(call.case)) if len({one.contract for one in subjects}) > 1 else call


def _differ(case: Case) -> bool:
    strides = [case.number(a.name) for a in case.contract.arguments if a.kind == "stride"]
    return len(set(strides)) == len(strides)


def _assumed(call: KernelCall, shape: str, bounds: tuple[int, int]) -> tuple[str, ...]:
    return (f"for this shape only ({shape}), and the strides of one call", weights_assumed(call, bounds),
            "any inputs, any packed biases and scales, any bytes as parameters", TRUSTED)


def weights_assumed(call: KernelCall, bounds: tuple[int, int]) -> str:
    """Return what weights are, for the list of what is assumed."""
    if not any(v.name[0] == "w" for v in call.values):
        return "there are no weights"
    signed = call.kernel.contract.startswith(("qs8", "qd8"))
    return f"weights from {bounds[0]} to {bounds[1]}" if signed else "weights of any byte, padded with their zero point"


# ---- terms ---------------------------------------------------------------------------------------------------------

def _difference(first: KernelCall, second: KernelCall,
                ordinary: bool = False) -> tuple[str, TermPool, list[tuple[Term, Term]]]:
    """(why the terms do not say that both are the same, "" if they do; the pool; the results that differ)."""
    pool = TermPool(ordinary)
    left = []
    for name, call in (("first", first), ("second", second)):
        try:
            left.append(_results(pool, name, call))
        except MachineError as problem:
            return f"{call.kernel.name}: {problem}", pool, []
    differing = [name for name, term in left[0].items() if left[1][name] is not term]
    if not differing:
        return "", pool, []
    junk = sorted({n[1] for name in differing for terms in left for n in pool.inputs(terms[name]) if n[0] == "junk"})
    why = (f"{len(differing)} of {len(left[0])} results are not the same term, {place_of(differing[0])} is the first"
            + (f"; uninitialized data is part of it in the {' and in the '.join(junk)} kernel" if junk else "")
            + ("; their floating point follows different rules: AArch32 Advanced SIMD takes denormal numbers for zero"
               if len(pool.float_rules()) > 1 else ""))
    return why, pool, [(left[0][name], left[1][name]) for name in differing]


def _asked(pool: TermPool, pairs: list[tuple[Term, Term]], call: KernelCall, limit: float, solver: str
           | None) -> SolverAnswer:
    """What a solver says of these being different: first with the parameters of a call, where data is found sooner."""
    if not pairs:
        return SolverAnswer(None, {}, "", reason="there is nothing to ask a solver")
    if solver is None and not available():
        return SolverAnswer(None, {}, "", reason=f"a solver could say more: {install(NEEDED)}")
    try:
        known = [pool.plus(pool.variable(v.name, v.type), pool.number(read_value(call.case, v), v.type.bits), -1)
                 for v in call.values if v.name[0] == "params"]
        answer = ask_each(pool, pairs, zero=known, seconds=limit / 2, solver=solver)
        if not answer.satisfiable:  # says nothing of other parameters
            answer = ask_each(pool, pairs, seconds=limit, solver=solver)
    except NoFormula as problem:
        return SolverAnswer(None, {}, "", reason=str(problem))
    return replace(answer, reason=f"{answer.solver}: {answer.reason}" if answer.satisfiable is None else
                   f"what {answer.solver} found makes no difference in the machine")


def _with_answer(calls: Sequence[KernelCall], answer: SolverAnswer) -> tuple[KernelCall, KernelCall]:
    """Both with the data that a solver has found; what it does not mention stays."""
    given = {v.name: v.type.wrap(answer.values.get(v.name, read_value(calls[0].case, v)))
             for call in calls for v in call.values}
    one, other = (with_values(call, given) for call in calls)
    return one, other


def _results(pool: TermPool, name: str, call: KernelCall) -> dict[Name, Term]:
    """The results as terms. MachineError if bytes beside them are changed."""
    run = run_terms(pool, name, call)
    _check_beside(run.memory, run.before, call, run.addresses)
    return {key: run.memory.at(run.addresses[region] + offset, type_.bytes)
            for key, (region, offset, type_) in outputs_of(call.case).items()}


def _check_beside(left: SymbolicMemory, before: dict[int, tuple[Term, int]], call: KernelCall,
                  at: dict[str, int]) -> None:
    """Between the rows of an output, and in what is only read, every byte is as it was."""
    written = {at[region] + offset + i for region, offset, type_ in outputs_of(call.case).values()
               for i in range(type_.bytes)}
    for region, one in call.case.memory.items():
        if one.role != "out":
            continue
        for address in range(at[region], at[region] + one.data.size):
            if address in written or address not in left.cells:
                continue
            term = left.at(address, 1)
            old = before.get(address)
            was = left.pool.part(old[0], 8 * old[1], 8) if old else left.pool.variable(
                ("junk", left.name, address), u8)
            if term is not was:
                raise MachineError(f"byte {address - at[region]} of {region} changes, but is not a result")


# ---- counter-examples ----------------------------------------------------------------------------------------------

def _samples(make: _Make, seed: int) -> Iterator[tuple[KernelCall, KernelCall]]:
    """Both kernels with the same data: cases of the contract, then with operands at their ends."""
    for number in range(ROUNDS):
        for kind in KINDS:
            one, other = make(kind, seed + number)
            given = {v.name: read_value(call.case, v) for call in (other, one) for v in call.values}
            if number % 2:
                given |= _extreme(one.values, np.random.default_rng((seed, number)), uniform=number % 4 == 1)
            yield with_values(one, given), with_values(other, given)


def _extreme(values: tuple[UnknownValue, ...], rng: np.random.Generator, uniform: bool) -> dict[Name, int]:
    """Inputs and weights at the ends of their ranges: all at one end, or each at any."""
    found = {}
    for kind in _operands(values):
        low = bool(rng.integers(2))
        for v in values:
            if v.name[0] == kind:
                ends = v.bounds or (v.type.low, v.type.high)
                found[v.name] = ends[0 if (low if uniform else rng.integers(2)) else 1]
    if uniform:  # the largest products: both at the lower end
        found = {v.name: (v.bounds or (v.type.low, v.type.high))[0] for v in values if v.name in found}
    return found


def _operands(values: tuple[UnknownValue, ...]) -> list[str]:
    """What is neither a parameter nor a word: 32 bits are sums, or floats that no bits at their ends are data of."""
    return sorted({v.name[0] for v in values if v.type.bits <= 16} - {"params"})


def _replayed(calls: tuple[KernelCall, KernelCall]) -> CounterExample | None:
    """Both run in the machine; None if they leave the same."""
    found = [run_call(call, trace=False) for call in calls]
    where = _first_difference(*(left for left, _ in found))
    if where is None:
        return None
    traces = [run_call(call, trace=True)[1] for call in calls]
    assert traces[0] is not None and traces[1] is not None
    inputs = {place_of(v.name): read_value(call.case, v) for call in calls for v in call.values}
    sides = [left if isinstance(left, str) else left.get(where, "no result") for left, _ in found]
    return CounterExample(place_of(where) if where else "the call", sides[0], sides[1], inputs, (traces[0], traces[1]))


def _differ_quickly(calls: tuple[KernelCall, KernelCall]) -> bool:
    return _first_difference(*(run_quickly(call) for call in calls)) is not None


def _first_difference(first: dict[Name, int] | str, second: dict[Name, int] | str) -> Name | None:
    if isinstance(first, str) or isinstance(second, str):
        return () if isinstance(first, str) != isinstance(second, str) else None  # both failing is no difference
    return next((name for name, value in first.items() if second[name] != value), None)
