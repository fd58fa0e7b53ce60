"""One call of a kernel: what of it is unknown, the same call with other data, and its run in the machine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from neonsim.arm.machine import Trace
from neonsim.arm.machine.symbolic.run import SymbolicMemory, Watch, run_symbolic
from neonsim.arm.semantics import Term, TermPool
from neonsim.arm.semantics.interp.polynomials import Polynomial
from neonsim.errors import MachineError
from neonsim.ukernel import Case, Kernel, kernel
from neonsim.ukernel.case_runner import collect, setup
from neonsim.ukernel.cases import shaped
from neonsim.verify.checking import KernelUnderTest, subject

from .symbolic_inputs import Name, UnknownValue, outputs_of, values_of

__all__ = ["STEPS", "KernelCall", "Source", "call_of", "place_of", "read_value", "run_call", "run_quickly", "run_terms",
           "subject_of", "with_values"]

STEPS = 200_000    # of a replayed call

Source = str | Path | Kernel | KernelUnderTest


@dataclass(frozen=True)
class KernelCall:
    """A kernel and how it is called.

    values   {name: Value}   what is unknown, of each name one place (padding lies in many)
    accumulators  {name: (factor, names)}   values that are minus a factor times a sum of others: `inputs.sums_of`
    """

    kernel: KernelUnderTest
    case: Case
    values: tuple[UnknownValue, ...]
    accumulators: dict[Name, tuple[Name, tuple[Name, ...]]] = field(default_factory=dict)


def subject_of(source: Source) -> KernelUnderTest:
    if isinstance(source, KernelUnderTest):
        return source
    if isinstance(source, str) and not ("/" in source or source.endswith((".S", ".s"))):
        source = kernel(source)
    return subject(source)


def call_of(kernel: KernelUnderTest, sizes: dict[str, int], bounds: tuple[int, int], kind: str = "uniform",
            seed: int = 0) -> KernelCall:
    case = shaped(kernel.contract, kernel.tile, kind=kind, seed=seed, **sizes)
    return KernelCall(kernel, case, tuple(values_of(case, bounds)))


def read_value(case: Case, value: UnknownValue) -> int:
    data = case.memory[value.region].data[value.offset:value.offset + value.type.bytes]
    return int.from_bytes(data.tobytes(), "little", signed=value.type.kind == "s")


def with_values(call: KernelCall, values: dict[Name, int]) -> KernelCall:
    """Return the call with these values in its memory; sums are those of the values."""
    values = values | {name: -values[factor] * sum(values[n] for n in names)
                       for name, (factor, names) in call.accumulators.items()}
    data = {name: region.data.copy() for name, region in call.case.memory.items()}
    for v in call.values:
        size = v.type.bytes
        raw = (values[v.name] & v.type.mask).to_bytes(size, "little")
        data[v.region][v.offset:v.offset + size] = np.frombuffer(raw, np.uint8)
    memory = {name: replace(region, data=data[name]) for name, region in call.case.memory.items()}
    return replace(call, case=replace(call.case, memory=memory))


def run_call(call: KernelCall, trace: bool) -> tuple[dict[Name, int] | str, Trace | None]:
    """Its results, or why it did not come to its end: by the interpreter, under the sanitizer."""
    return _run(call, trace=trace, sanitize=True)


def run_quickly(call: KernelCall) -> dict[Name, int] | str:
    """Return the same by the compiled engine, in a hundredth of the time once it is built: it does not look for reads
    of what was never written."""
    return _run(call, engine="compiled")[0]


def _run(call: KernelCall, **how: Any) -> tuple[dict[Name, int] | str, Trace | None]:
    what, case = call.kernel, call.case
    machine, arguments = setup(what.program, case, what.reads_before, what.reads_after)
    try:
        result = machine.call(what.program, *arguments, entry=what.entry, max_steps=STEPS, **how)
    except MachineError as problem:
        return str(problem).splitlines()[0], machine.trace() if how.get("trace") else None
    left = collect(case, machine, result).memory
    return {name: type_.wrap(int.from_bytes(left[region][offset:offset + type_.bytes].tobytes(), "little"))
            for name, (region, offset, type_) in outputs_of(case).items()}, result.trace


@dataclass(frozen=True)
class TermRun:
    """A call whose data is unknown, run.

    memory   the memory afterwards        before   address -> (term, which byte of it) of what was unknown
    addresses  {region: its address}
    """

    memory: SymbolicMemory
    before: dict[int, tuple[Term, int]]
    addresses: dict[str, int]


def run_terms(pool: TermPool, name: str, call: KernelCall, watch: Watch | None = None) -> TermRun:
    """Return the call with every value a variable of its name; ``name`` is that of the run. Raises as
    `run_symbolic`."""
    case, what = call.case, call.kernel
    machine, arguments = setup(what.program, case, what.reads_before, what.reads_after)
    memory = machine.memory
    at = {region: memory.buffer(region).address for region in case.memory}
    for region, address in at.items():
        if case.memory[region].role != "table":  # whatever has no name is junk
            start = address - memory.base
            memory.undefined_bits[start:start + case.memory[region].data.size] = 255
    for region, offset, data in _fixed(case, call.values):
        memory.fill(at[region] + offset, data)
    cells: dict[int, tuple[Term, int]] = {}
    for value in call.values:
        if value.name in call.accumulators:
            term = _sum_term(pool, *call.accumulators[value.name], {v.name: v for v in call.values})
        else:
            term = pool.variable(value.name, value.type, value.bounds)
        cells |= {at[value.region] + value.offset + i: (term, i) for i in range(value.type.bytes)}
    left, _ = run_symbolic(what.program, memory, tuple(arguments), what.entry, pool, cells, name, STEPS, watch)
    return TermRun(left, cells, at)


def _sum_term(pool: TermPool, factor: Name, names: tuple[Name, ...], values: dict[Name, UnknownValue]) -> Term:
    one, *others = (pool.variable(name, values[name].type, values[name].bounds).polynomial for name in (factor, *names))
    total: Polynomial = {}
    for other in others:
        total = pool.sum(total, pool.product(other, {(): -1}))
    return pool.make(32, pool.product(one, total))


def _fixed(case: Case, values: tuple[UnknownValue, ...]) -> Iterator[tuple[str, int, bytes]]:
    """Padding of the weights that is the same whatever they are."""
    named = {(v.region, v.offset + i) for v in values for i in range(v.type.bytes)}
    for region, one in case.memory.items():
        if one.role == "block":
            yield from ((region, i, bytes([int(byte)])) for i, byte in enumerate(one.data) if (region, i) not in named)


def place_of(name: Name) -> str:
    return f"{name[0]}[{', '.join(map(str, name[1:]))}]" if len(name) > 1 else str(name[0]) if name else ""
