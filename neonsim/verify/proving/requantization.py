"""A kernel's requantisation: the definition's result for every sum that an accumulator can hold."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from neonsim.arm.machine.symbolic.run import run_symbolic
from neonsim.arm.semantics import (
    ElementType,
    PolynomialLanes,
    Term,
    TermPool,
    compare,
    element,
    s32,
    select,
    signed,
    wide,
)
from neonsim.arm.semantics.interp.bitvectors import NoFormula
from neonsim.common.extras import install
from neonsim.common.integers import as_int
from neonsim.errors import BadArgument, MachineError
from neonsim.quant.rounding import ROUNDINGS, default_rounding, fp32_lrint
from neonsim.quant.rounding import limits as limits_of
from neonsim.ukernel import Case
from neonsim.ukernel.case_runner import setup
from neonsim.ukernel.packing.param_blocks import block_of

from .engine.solver import NEEDED, ask_each, available, limit_of
from .engine.symbolic_accumulators import accumulator_call, emptied, requantized_accumulators, unsupported_contract
from .engine.symbolic_call import STEPS, KernelCall, Source, place_of, read_value, run_call, subject_of, with_values
from .engine.symbolic_inputs import Name, outputs_of
from .proof import TRUSTED, CounterExample, Proof
from .requantization_exhaustive import SPREAD, Progress, RoundingParams, every_sum, variant_of

__all__ = ["requantization"]

SUM = "sum"
_LIMITS = ("output_zero_point", "output_min", "output_max")


@dataclass(frozen=True)
class _Place:
    """Where a field of the parameters lies as it is, and what it may be."""

    offset: int
    type: ElementType
    low: int
    high: int


@dataclass(frozen=True)
class _Question:
    """One run: numbers that are known, and the fields that are not.

    call       a whole tile, one step of depth; all that is multiplied is 0, so that a column's packed bias is its sum
    scheme     a row of ROUNDINGS
    places     {field: where it is}, of the unknown ones
    """

    call: KernelCall
    scheme: str
    params: Any
    places: dict[str, _Place]


def requantization(kernel: Source, multiplier: int | None = None, shift: int | None = None, *,
                   scale: float | None = None, zero_point: int | None = None, limits: tuple[int, int] | None = None,
                   native: bool = False, seconds: float = 60.0, solver: str | None = None,
                   progress: Progress | None = None) -> Proof:
    """Return whether a kernel rounds, adds the zero point and clamps as its definition does, for all sums.

    It is one of a matrix product, of a depthwise convolution, or one that does nothing else (`qu8_requantize_q31`).

    kernel       name, kernel, .S file with a header, or `checking.subject(...)`
    multiplier   Q31 mantissa, 2**30 <= multiplier < 2**31; left out: all of them
    shift        to the right; left out: all that the scheme takes, one after the other
    scale, zero_point, limits   of a kernel that rounds in single precision (fp32): those of the one call, whose sums
                 are all run. Left out: the scale by which the sums spread over 8 bits, the middle, all 8 bits
    native       of fp32: run the C library's kernel for the same call that this machine takes, instead of the
                 instructions of the one that is named
    seconds, solver   how long a solver is asked about each shift, and which; as in `equal`
    progress     called with how many more of the 2**32 sums of a kernel in single precision are done
    ->           Proof. All 2**32 sums, zero points and limits; what is not unknown is said in its assumptions

    The definition is the body of its rounding in `neonsim.quant.rounding`, read for unknown numbers. A counter-example
    was run in the machine, and computed by numpy.

    Of fp32 no solver is asked: every sum is run, by the kernel's own instructions on the compiled engine, beside
    `quant.fp32_lrint`; the claim then says "checked on all 2**32 sums", and for which parameters.

    Raises BadArgument for kernels that requantise in another way or not at all, and for numbers that the scheme does
    not take; MissingPackage for a solver that is named and not installed; BackendError of fp32 without a C compiler.
    """
    began = time.monotonic()
    limit = limit_of(seconds, solver)
    what = subject_of(kernel)
    call = accumulator_call(what)
    if "_fp32" in what.contract:
        if multiplier is not None or shift is not None:
            raise BadArgument(f"{what.contract} needs a scale (scale=0.005) instead of multiplier and shift")
        return _checked(emptied(call), (scale, zero_point, limits), began, progress, native)
    if native:
        raise BadArgument(f"native= applies only to kernels that round in float32 (fp32) and run on all accumulators, "
                          f"not to {what.contract}")
    if not (scale is None and zero_point is None and limits is None):
        raise BadArgument(f"{what.contract} takes multiplier and shift; scale, zero_point and limits apply only to "
                          f"kernels that round in float32 (fp32)")
    call = emptied(call)
    scheme, region, params = _scheme(call.case)
    lowest = -8 if ROUNDINGS[scheme].below > 1 else 0
    shifts = range(lowest, 32) if shift is None else [as_int(shift, f"shift of {scheme}", lowest, 31)]
    if multiplier is not None:
        as_int(multiplier, "multiplier", 1 << 30, (1 << 31) - 1)
    fields = [*_LIMITS, *(["multiplier"] if multiplier is None else [])]
    places = {name: place for name in fields if (place := _place(params, name))}
    known = {name: getattr(params, name) for name in fields if name not in places}
    said = f"multiplier {'any' if multiplier is None else multiplier}, shift {'any' if shift is None else shift}"
    claim = f"{what.name} requantises as the definition of {scheme}: {said}"
    fields = [name.replace("_", " ") for name in places]
    assumed = (f"every sum of 32 bits; {', '.join(fields)} any that the scheme takes",
               "all rows of the tile have the same sums",
               *((f"{', '.join(f'{name} = {value}' for name, value in known.items())}: they do not lie in the "
                  "parameters as they are",) if known else ()), TRUSTED)
    solvers: set[str] = set()
    for at in shifts:
        chosen = replace(params, shift=at, **({} if multiplier is None else {"multiplier": multiplier}))
        question = _Question(_with_params(call, region, chosen), scheme, chosen, places)
        verdict, more = _asked(question, limit, solver)
        if verdict != "proved":
            where = f" at shift {at}" if shift is None else ""
            more |= {"reason": f"{more['reason']}{where}"} if more.get("reason") else {}
            return Proof(claim, verdict, assumed, time.monotonic() - began, **more)
        solvers |= more["solvers"]
    trusted = (f"trusted: the solver {' and '.join(sorted(solvers))}",) if solvers else ()
    return Proof(claim, "proved", (*assumed, *trusted), time.monotonic() - began)


# ---- single precision ----------------------------------------------------------------------------------------------

def _checked(call: KernelCall, given: tuple[float | None, int | None, tuple[int, int] | None], began: float,
             progress: Progress | None, native: bool) -> Proof:
    """A kernel in single precision, on all sums for one scale, zero point and pair of limits."""
    region = next(a.name for a in call.case.contract.arguments if a.kind == "params")
    rounding = _rounding(getattr(call.case.objects[region], "dtype", "uint8"), *given)
    params = _changed(call.case.objects[region], a_zero_point=0, w_zero_point=0, scale=rounding.scale,
                      output_zero_point=rounding.zero_point, output_min=rounding.low, output_max=rounding.high)
    call = _with_params(call, region, params)
    bits = int(np.float32(rounding.scale).view(np.int32))
    call = with_values(call, {v.name: bits if v.name[0] == "tail" else read_value(call.case, v) for v in call.values})
    variant = variant_of(call) if native else None
    claim = (f"{variant or call.kernel.name} requantises as the definition of fp32: {rounding}; checked on all 2**32 "
             "sums")

    def proof(verdict: str, **more: Any) -> Proof:
        how = (("each sum was run by the kernel's own instructions, on the compiled engine, beside quant.fp32_lrint",
                "all results of a tile are one term of their sums: one of them has seen each sum", TRUSTED,
                "trusted: the compiled engine and the C compiler; the host's single precision") if variant is None else
               ("each sum was run by one of the results of a tile, in C, beside quant.fp32_lrint",
                "trusted: that what C does for one result it does for the others; the host's single precision"))
        return Proof(claim, verdict, ("for this scale, zero point and these limits only", *how),
                     time.monotonic() - began, **more)
    if variant is not None:
        example = every_sum(call, rounding, progress, variant)
        return proof("proved") if example is None else proof("refuted", counterexample=example)
    try:
        question = _Question(call, default_rounding("int8").name, params, {})
        terms = set(_results(TermPool(), question, lambda column: 0).values())
    except MachineError as problem:
        return proof("unknown", reason=str(problem))
    example = every_sum(call, rounding, progress)
    if example is not None:
        return proof("refuted", counterexample=example)
    if len(terms) > 1:
        return proof("unknown", reason=f"the results of a tile are {len(terms)} different terms of their sums, and "
                                       "each sum was run in one of them only")
    return proof("proved")


def _rounding(dtype: str, scale: float | None, zero_point: int | None, limits: tuple[int, int]
              | None) -> RoundingParams:
    """What is asked, or what stands for it; BadArgument for numbers that the scheme does not take."""
    lowest, highest = (0, 255) if dtype == "uint8" else (-128, 127)
    low, high = limits_of(dtype, *(_two(limits) if limits is not None else ()))
    middle = (lowest + highest + 1) // 2
    zero_point = middle if zero_point is None else as_int(zero_point, "zero_point", lowest, highest)
    scale = SPREAD if scale is None else scale
    fp32_lrint.row.derive(scale)
    return RoundingParams(float(np.float32(scale)), zero_point, low, high, dtype)


def _two(limits: Any) -> tuple[int, int]:
    if not isinstance(limits, tuple | list) or len(limits) != 2:
        raise BadArgument(f"limits must be two numbers, the lower one first, as (0, 255); got {limits!r}")
    return limits[0], limits[1]


# ---- what is asked -------------------------------------------------------------------------------------------------

def _scheme(case: Case) -> tuple[str, str, Any]:
    """(how it rounds, the region of the parameters, the parameters)."""
    name = case.contract.name
    found = next((a.name for a in case.contract.arguments if a.kind == "params"), None)
    params = case.objects.get(found) if found else None
    scheme = next((row.name for row in ROUNDINGS.values() if row.fixed and f"_{row.word}_" in f"{name}_"), None)
    if found is None or scheme is None or getattr(params, "multiplier", 0) < 1 << 30:    # of 31 bits
        raise unsupported_contract(name)
    return scheme, found, _changed(params, a_zero_point=0, w_zero_point=0)


def _changed(params: Any, **fields: Any) -> Any:
    """With those fields that there are."""
    return replace(params, **{name: value for name, value in fields.items() if name in params.__dataclass_fields__})


def _with_params(call: KernelCall, region: str, params: Any) -> KernelCall:
    case = call.case
    data = np.frombuffer(block_of(params), np.uint8)
    memory = case.memory | {region: replace(case.memory[region], data=data.copy())}
    return replace(call, case=replace(case, memory=memory, objects=case.objects | {region: params}))


def _place(params: Any, field: str) -> _Place | None:
    """Where a field lies in the block as it is, found by changing it; None if it is not there so."""
    signed = getattr(params, "dtype", "uint8") == "int8" and field != "multiplier"
    low, high = (1 << 30, (1 << 31) - 1) if field == "multiplier" else (-128, 127) if signed else (0, 255)
    blocks = {}
    for value in (low, low + 1, (low + high) // 2 + 3, high - 1, high):
        others = {"output_min": min(value, params.output_min), "output_max": max(value, params.output_max)}
        changed = {field: value} if field in ("multiplier", "output_zero_point") else {**others, field: value}
        if field == "output_min":
            changed["output_max"] = high
        elif field == "output_max":
            changed["output_min"] = low
        blocks[value] = block_of(replace(params, **changed))
    first = blocks[low]
    bytes_ = [i for i in range(len(first)) if len({block[i] for block in blocks.values()}) > 1]
    if not bytes_:
        return None
    start, size = bytes_[0], bytes_[-1] + 1 - bytes_[0]
    if size not in (1, 2, 4) or any(block[start:start + size] != (value & (1 << 8 * size) - 1).to_bytes(size, "little")
                                    for value, block in blocks.items()):
        return None
    return _Place(start, element("s" if low < 0 else "u", 8 * size), low, high)


# ---- terms ---------------------------------------------------------------------------------------------------------

def _asked(question: _Question, limit: float, solver: str | None) -> tuple[str, dict[str, Any]]:
    pool = TermPool()
    try:
        pairs, never = _pairs(pool, question)
    except MachineError as problem:
        return "unknown", {"reason": str(problem)}
    if all(found is wanted for found, wanted in pairs):
        return "proved", {"solvers": set()}
    if solver is None and not available():
        return "unknown", {"reason": f"the terms differ; a solver could say more: {install(NEEDED)}"}
    try:
        answer = ask_each(pool, pairs, zero=never, seconds=limit, solver=solver)
    except NoFormula as problem:
        return "unknown", {"reason": str(problem)}
    if answer.satisfiable is None:
        return "unknown", {"reason": f"{answer.solver}: {answer.reason}"}
    if not answer.satisfiable:
        return "proved", {"solvers": {answer.solver}}
    example = _replayed(question, answer.values)
    if example is None:
        return "unknown", {"reason": f"the data that {answer.solver} found makes no difference in the machine"}
    return "refuted", {"counterexample": example}


def _pairs(pool: TermPool, question: _Question) -> tuple[list[tuple[Term, Term]], list[Term]]:
    """(what each result is and should be, terms that are 0 wherever the parameters are such as the scheme takes).

    Every column has a sum of its own. If no result depends on another column's, they may all have the same one, and
    most results are one term.
    """
    fields = {(name,) for name in question.places}
    results = _results(pool, question, lambda column: column)
    if all(pool.inputs(term) <= {(SUM, name[-1]), *fields} for name, term in results.items()):
        results = _results(pool, question, lambda column: 0)
        columns = dict.fromkeys(results, 0)
    else:
        columns = {name: int(name[-1]) for name in results}
    wanted: dict[int, Term] = {}
    never: list[Term] = []
    pairs = []
    for name, term in results.items():
        column = columns[name]
        if column not in wanted:
            wanted[column], never = _defined(pool, question, column, term.bits)
        pairs.append((term, wanted[column]))
    return list(dict.fromkeys(pairs)), never


def _results(pool: TermPool, question: _Question, sum_of: Callable[[int], int]) -> dict[Name, Term]:
    """What the kernel writes, as terms of the sums (of each column the one of this number) and the unknown fields."""
    call = question.call
    case, what = call.case, call.kernel
    machine, arguments = setup(what.program, case, what.reads_before, what.reads_after)
    memory = machine.memory
    cells: dict[int, tuple[Term, int]] = {}

    def unknown(region: str, offset: int, term: Term) -> None:
        at = memory.buffer(region).address + offset
        cells.update({at + i: (term, i) for i in range(term.bits // 8)})
    for column, value in enumerate(requantized_accumulators(call)):
        unknown(value.region, value.offset, pool.variable((SUM, sum_of(column)), s32))
    block = next(a.name for a in case.contract.arguments if a.kind == "params")
    for name, place in question.places.items():
        unknown(block, place.offset, pool.variable((name,), place.type, (place.low, place.high)))
    left, _ = run_symbolic(what.program, memory, tuple(arguments), what.entry, pool, cells, "only", STEPS)
    return {name: left.at(memory.buffer(region).address + offset, type_.bytes)
            for name, (region, offset, type_) in outputs_of(case).items()}


def _defined(pool: TermPool, question: _Question, column: int, bits: int) -> tuple[Term, list[Term]]:
    """(what the definition says, terms that are 0 wherever the parameters are such as the scheme takes)."""
    def field(name: str) -> PolynomialLanes:
        place = question.places.get(name)
        if place is None:
            return PolynomialLanes.from_integers(pool, [getattr(question.params, name)], s32)
        unknown = pool.variable((name,), place.type, (place.low, place.high))
        return PolynomialLanes(pool, (pool.make(32, unknown.polynomial),), s32)

    acc = PolynomialLanes(pool, (pool.variable((SUM, column), s32),), s32)
    rounded = ROUNDINGS[question.scheme].body(acc, field("multiplier"), question.params.shift)
    zero_point, low, high = (wide(field(name)) for name in _LIMITS)
    total = rounded + zero_point
    above = select(compare(total, "<", low), low, total)
    result = select(compare(above, ">", high), high, above)
    never = signed(compare(high, "<", low)) & 1
    assert isinstance(result, PolynomialLanes) and isinstance(never, PolynomialLanes)
    return pool.narrow(result.lanes[0], bits), [never.lanes[0]]


# ---- counter-examples ----------------------------------------------------------------------------------------------

def _replayed(question: _Question, values: dict[Name, int]) -> CounterExample | None:
    """The kernel run on this data, beside numpy; None if they agree."""
    given = {name: place.type.wrap(values.get((name,), place.low)) for name, place in question.places.items()}
    region = next(a.name for a in question.call.case.contract.arguments if a.kind == "params")
    params = replace(question.params, **given)
    call = _with_params(question.call, region, params)
    places = requantized_accumulators(call)
    sums = {column: s32.wrap(values.get((SUM, column), values.get((SUM, 0), 0))) for column in range(len(places))}
    call = with_values(call, {v.name: read_value(call.case, v) for v in call.values} | {
        v.name: sums[column] for column, v in enumerate(places)})
    left, trace = run_call(call, trace=True)
    assert trace is not None
    shown = {f"sum[{column}]": total for column, total in sums.items()} | {
        field: getattr(params, field) for field in ("multiplier", "shift", *_LIMITS)}
    for name, (_, _, type_) in outputs_of(call.case).items():
        wanted = type_.wrap(int(params.requantize(np.array([sums[name[-1]]], np.int32))[0]))
        found = left if isinstance(left, str) else left[name]
        if found != wanted:
            return CounterExample(place_of(name), found, wanted, shown, (trace,))
    return None
