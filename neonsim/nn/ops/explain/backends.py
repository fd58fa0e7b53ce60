"""One computation on several backends: are the bytes equal, which is the first that is not, and which step wrote it.

The operator is planned and run once per backend. If results differ, the tile that wrote the first wrong byte is found
from the arguments of the calls and, where a backend can trace, run again alone, step by step. Several operators in a
row are compared one by one, each on the judge's results of the one before, and the first that differs ends the walk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.errors import BackendError, BadArgument, MachineError
from neonsim.nn.backends import Backend, Call, Job, Loaded, NamedKernel, Pointer, TileTrace, TracingJob, get, names
from neonsim.nn.ops.operator import Operator, Plan
from neonsim.nn.ops.quantized.linear import fully_connected
from neonsim.quant.scheme import Quantized
from neonsim.quant.tensor_type import elements
from neonsim.ukernel import contract_named
from neonsim.ukernel.contract import InOut, Out

__all__ = ["BackendComparison", "BackendDifference", "WritingStep", "compare", "not_compared", "writing_step"]


@dataclass(frozen=True)
class WritingStep:
    """The step of a kernel that wrote one output byte, found by running its tile again alone.

    kernel        str          name of the kernel
    call          int          index of the kernel's call among those of the operator
    tile          (int, int)   row and column of the tile in the grid of the call
    step          int or None  index into the trace, from 0 (the text counts from 1); None: no step wrote it
    instruction   str          as text, "" if no step wrote it
    path, line    str, int     of the instruction in the kernel file
    value         int          what the tile wrote when it ran alone, and what calls after it made of that
    right_sum     int or None  what the accumulator of this byte has to be before requantisation, by definition; None
                               for operators without such sums
    sum_step      int or None  last step after which a vector register holds that sum; None: none ever does
    sum_place     str          which lane that is, as ``v16.s[2]``
    trace         Trace        all steps of the tile: ns.Stepper(step.trace) shows them
    later_calls   str          calls that changed the byte afterwards, "" if there are none
    """

    kernel: str
    call: int
    tile: tuple[int, int]
    step: int | None
    instruction: str
    path: str
    line: int
    value: int
    right_sum: int | None
    sum_step: int | None
    sum_place: str
    trace: Any = field(repr=False, compare=False)
    later_calls: str = ""

    def __str__(self) -> str:
        lines = [f"kernel {self.kernel}, call {self.call}, tile {list(self.tile)} of its grid"]
        if self.step is None:
            lines.append("    no step writes this byte")
        else:
            lines.append(f"    written by step {self.step + 1}, {self.path}:{self.line}:  {self.instruction}")
        if self.later_calls:
            lines.append(f"    then {self.later_calls}")
        if self.right_sum is None:
            return "\n    ".join(lines)
        if self.sum_step is None:
            lines.append(f"    the sum {self.right_sum} that belongs here is in no register after any step: "
                         "look before the requantisation")
        else:
            lines.append(f"    the sum {self.right_sum} that belongs here is in {self.sum_place} after step "
                         f"{self.sum_step + 1}: look after that")
        return "\n    ".join(lines)


@dataclass(frozen=True)
class BackendDifference:
    """Where two backends first disagree, in the order of the elements in memory.

    backends   (str, str)         the judge, and the one that is compared with it
    operator   str                which one of several
    index      tuple[int, ...]    of the element in the result
    values     (int, int)         of both, in the same order
    count      int                how many elements differ
    step       WritingStep or None   who wrote it, if one of both backends can trace
    note       str                what else is known, or ""
    """

    backends: tuple[str, str]
    operator: str
    index: tuple[int, ...]
    values: tuple[int, int]
    count: int
    step: WritingStep | None = None
    note: str = ""

    def __str__(self) -> str:
        lines = [f"{self.operator}: {self.backends[0]} and {self.backends[1]} differ in {self.count} elements, first "
                 f"at {list(self.index)}: {self.values[0]} and {self.values[1]}"]
        if self.step is not None:
            lines.append(f"    {self.step}")
        if self.note:
            lines.append(f"    {self.note}")
        return "\n".join(lines)


@dataclass(frozen=True)
class BackendComparison:
    """What `compare` found. True if all results are the same bytes.

    equal         bool
    results       {name: Quantized}    of every backend that was asked, the judge first
    differences   tuple[Difference, ...]   one for each backend that disagrees with the judge
    skipped       {name: reason}       backends that were not asked, only when none were named
    compared      int                  operators that were compared, the one that differs included
    """

    equal: bool
    results: dict[str, Quantized]
    differences: tuple[BackendDifference, ...]
    skipped: dict[str, str]
    compared: int = 1

    @property
    def first(self) -> BackendDifference | None:
        """The first disagreement, None if there is none."""
        return self.differences[0] if self.differences else None

    def __bool__(self) -> bool:
        return self.equal

    def __str__(self) -> str:
        lines = [str(d) for d in self.differences]
        if self.equal:
            nbytes = elements(next(iter(self.results.values()))).nbytes
            walk = f" in {self.compared} operators, the last" if self.compared > 1 else ""
            lines = [f"equal: {', '.join(self.results)} give the same{walk} {nbytes} bytes"]
        lines += [f"not compared: {name} ({reason})" for name, reason in self.skipped.items()]
        return "\n".join(lines)


# ---- who wrote a byte

def _tiles_over(job: Job, region: str, byte: int) -> Iterator[tuple[int, int, int]]:
    """(call, row, column) of the tiles that write this byte of a region, the last call first."""
    calls = job.calls
    for index in range(len(calls) - 1, -1, -1):
        call = calls[index]
        for argument in contract_named(call.implementation.contract).arguments:
            place = call.arguments.get(argument.name)
            if not isinstance(argument.memory, Out | InOut) or not isinstance(place, Pointer) or place.region != region:
                continue
            base = np.broadcast_to(np.asarray(place.offset), (call.rows, call.columns))
            rows, row_bytes, stride = _extent(call, argument.memory)
            behind = byte - base
            inside = (behind >= 0) & (behind < (rows - 1) * stride + row_bytes) & (behind % stride < row_bytes)
            for row, column in zip(*(axis.tolist() for axis in np.nonzero(inside)), strict=True):
                yield index, row, column


def _extent(call: Call, memory: Any) -> tuple[int, int, int]:
    """(rows, bytes of a row, bytes from row to row) of an array that a contract writes, alike in all tiles."""
    def size(word: str) -> int:
        name, _, multiple = word.partition(":")
        found = int(name) if name.isdigit() else int(np.asarray(call.arguments[name]).reshape(-1)[0])
        return -(-found // int(multiple)) * int(multiple) if multiple else found

    *outer, inner = (size(word) for word in memory.shape.split())
    rows, row_bytes = int(np.prod(outer, dtype=np.int64)), inner * np.dtype(memory.dtype).itemsize
    if memory.stride is not None:
        return rows, row_bytes, size(memory.stride)
    return rows, row_bytes, row_bytes + (size(memory.gap) if memory.gap is not None else 0)


def writing_step(plan: Plan, byte: int, right_sum: int | None = None) -> WritingStep | None:
    """Who wrote this byte of the result of a plan that has run; None if the backend cannot trace, or no call writes
    there.

    right_sum   what the byte's accumulator has to be: the step says where it stands
    """
    loaded: Loaded = plan.loaded
    if not isinstance(loaded, TracingJob):
        return None
    tiles = list(_tiles_over(plan.job, plan.result, byte))
    if not tiles:
        return None
    # Tables over the result where it stands come last; who made the byte that they change is asked for.
    own = next((one for one in tiles if not _reads(plan.job.calls[one[0]], plan.result)), tiles[0])
    found = _step_of(loaded.trace(*own, plan.result), byte, right_sum)
    value, then = found.value, []
    for after in reversed(tiles[:tiles.index(own)]):
        call = plan.job.calls[after[0]]
        table = call.arguments.get("t")
        if isinstance(table, Pointer) and (known := plan.job.region(table.region).data) is not None:
            value = int(known[value])
        then.append(f"call {after[0]}, {call.implementation.name}, makes {value} of it: {call.description}")
    return replace(found, value=value, later_calls="; ".join(then))


def _reads(call: Call, region: str) -> bool:
    """Does it read a region, as calls do that change their result where it stands?"""
    return any(isinstance(place := call.arguments.get(argument.name), Pointer) and place.region == region
               for argument in contract_named(call.implementation.contract).arguments
               if not isinstance(argument.memory, Out))


def _step_of(tile: TileTrace, byte: int, right_sum: int | None) -> WritingStep:
    """The last store of the trace that covers a byte of the region."""
    trace = tile.trace
    step, instruction, path, line = trace.last_store(tile.base + byte), "", "", 0
    if step is not None:
        written = trace.instruction(step)
        instruction, path, line = str(written), str(written.position.path), int(written.position.line)
    found = (None, "") if right_sum is None else _where_sum(trace, right_sum)
    return WritingStep(tile.kernel, tile.call, tile.tile, step, instruction, path, line, int(tile.values[byte]),
                       right_sum, *found, trace)


def _where_sum(trace: Any, value: int) -> tuple[int | None, str]:
    """The last step after which a 32-bit lane of a vector register holds a value, and the name of the lane."""
    lanes = np.ascontiguousarray(trace.write_after).view("<i4")
    vectors = np.array([name[0] in "vq" and name[1:].isdigit() for name in trace.locations], bool)
    writes, places = np.nonzero((lanes == value) & vectors[trace.write_location][:, np.newaxis])
    if not writes.size:
        return None, ""
    # The engine lists the writes of a step one after the other; the last one found is the latest.
    step = int(np.searchsorted(trace.write_start, writes[-1], side="right")) - 1
    name = trace.locations[int(trace.write_location[writes[-1]])]
    return step, f"{name}.{'s' if name[0] == 'v' else 's32'}[{int(places[-1])}]"


def _chosen(backends: Sequence[str | Backend] | None) -> tuple[list[Backend], dict[str, str]]:
    if backends is not None:
        if isinstance(backends, str) or len(backends) < 2:
            raise BadArgument(f"compare needs at least two backends, as backends=('reference', 'emulated'); "
                              f"got {backends!r}.")
        return [get(b) for b in backends], {}
    found, skipped = [get("reference")], {}
    for name in names():
        if name != "reference":
            try:
                found.append(get(name))
            except BackendError as problem:
                skipped[name] = str(problem)
    if len(found) < 2:
        raise BackendError("There is nothing to compare the reference with:\n  " + "\n  ".join(skipped.values()))
    return found, skipped


# ---- comparing

def _difference(operator: Operator, judge: Plan, other: Plan, labels: tuple[str, str], wanted: NDArray[Any],
                got: NDArray[Any]) -> BackendDifference | None:
    if wanted.shape != got.shape:
        raise BackendError(f"{labels[0]} gives shape {list(wanted.shape)}, {labels[1]} {list(got.shape)}: they did not "
                           "compute the same operator.")
    unequal = np.flatnonzero(wanted != got)
    if not unequal.size:
        return None
    index = tuple(int(i) for i in np.unravel_index(int(unequal[0]), wanted.shape))
    pixel, channel = divmod(int(unequal[0]), wanted.shape[-1])
    values = int(wanted[index]), int(got[index])
    sums = operator.accumulators(*(judge.inputs_view(name) for name in operator.names))
    right_sum = None if sums is None else int(sums[index])
    step: WritingStep | None = None
    note = ""
    # The backend under test is asked first; the judge may be the one that can trace.
    for plan, shown in ((other, values[1]), (judge, values[0])):
        try:
            step = writing_step(plan, pixel * plan.output.stride + channel, right_sum)
        except MachineError as problem:
            # A faulty kernel may do what the stricter single execution refuses; that is a finding, too.
            note = f"run alone, the tile of {plan.backend.name} stops: {problem}"
            break
        if step is not None:
            if step.value != shown & 0xFF:
                note = (f"the tile run alone gives {step.value}, the whole operator gave {shown}: lock-step and single "
                        "execution disagree")
            break
    return BackendDifference(labels, operator.kind, index, values, int(unequal.size), step, note)


def _plans_of(op: Callable[..., Quantized], inputs: tuple[Any, ...], backend: Backend,
              options: dict[str, Any]) -> tuple[Quantized, Plan]:
    """Run an operator's function and catch the plan it makes."""
    with Plan.watching() as made:
        result = op(*inputs, backend=backend, **options)
    if not made:
        raise BadArgument(f"{getattr(op, '__name__', op)!r} planned no operator of neonsim.nn.ops, so there is nothing "
                          f"to compare.")
    return result, made[-1]


def compare(op_or_kernel: Callable[..., Quantized] | NamedKernel | Sequence[Operator], *inputs: Any,
            backends: Sequence[str | Backend] | None = None, **options: Any) -> BackendComparison:
    """Compute the same on several backends and find the first byte that differs, and the step that wrote it.

    op_or_kernel   an operator as ``ops.conv2d``, a kernel as ``ns.kernel(name)`` (then a fully connected layer), an
                   Operator object, or a list of Operator objects, each fed with the result of the one before
    inputs         what the operator takes: x, w, bias; for Operator objects the quantised inputs of the (first) one
    backends       names, at least two; the first is the judge. None: the reference and all others available here
    options        of the operator: out=, stride=, ...; ``kernel=`` is given to those backends that have that kernel
    ->             Comparison: true if equal; prints in words; .first.operator, .first.index, .first.values, .first.step

    With several operators the walk stops at the first whose results differ.

    Raises BadArgument and BackendError as the operator does, and BackendError for a backend named but not available.

    >>> from neonsim.quant.scheme import Scheme
    >>> x = Quantized(np.array([[3, 5]], np.uint8), scale=0.5, zero_point=1)
    >>> print(compare(fully_connected, x, x, out=Scheme(1.0), backends=("reference", "reference")))
    equal: reference, reference (1) give the same 1 bytes
    """
    chosen, skipped = _chosen(backends)
    kernel = options.pop("kernel", None)
    if isinstance(op_or_kernel, NamedKernel):
        walk: list[Callable[..., Quantized]] = [fully_connected]
        kernel = kernel or op_or_kernel
    elif (isinstance(op_or_kernel, (list, tuple)) and op_or_kernel
          and all(isinstance(o, Operator) for o in op_or_kernel)):
        walk = list(op_or_kernel)
    elif callable(op_or_kernel):
        walk = [op_or_kernel]
    else:
        raise not_compared("compare", op_or_kernel)
    if "backend" in options:
        raise BadArgument("compare runs on several backends: say backends=(...), not backend=.")
    takers = _takers(chosen, kernel)
    for number, op in enumerate(walk, 1):
        found = _compare_one(op, inputs, chosen, takers, kernel, options)
        if found.differences or number == len(walk):
            return BackendComparison(not found.differences, found.results, found.differences, skipped, number)
        inputs = (next(iter(found.results.values())),)
    raise AssertionError("a walk has at least one operator")


def _takers(chosen: list[Backend], kernel: Any) -> list[bool]:
    """Which backends are given the kernel that was asked for."""
    if kernel is None:
        return [False] * len(chosen)
    name = kernel if isinstance(kernel, str) else kernel.name
    # A kernel object of the reader's own is in no list: a backend that runs files takes it by its contract.
    contract = getattr(getattr(kernel, "contract", None), "name", None)
    takers = [name in b.kernels() or (contract is not None and bool(b.find(contract, kernel))) for b in chosen]
    if not any(takers):
        raise BackendError(f"None of {', '.join(b.name for b in chosen)} has a kernel {name!r}: so it would not be "
                           f"tested. Name the emulated backend too.")
    return takers


def _compare_one(op: Callable[..., Quantized], inputs: tuple[Any, ...], chosen: list[Backend], takers: list[bool],
                 kernel: Any, options: dict[str, Any]) -> BackendComparison:
    results: dict[str, Quantized] = {}
    plans: list[Plan] = []
    differences = []
    for i, (backend, takes) in enumerate(zip(chosen, takers, strict=True)):
        result, plan = _plans_of(op, inputs, backend, {**options, "kernel": kernel} if takes else options)
        plans.append(plan)
        label = backend.name if backend.name not in results or i == 0 else f"{backend.name} ({i})"
        results[label] = result
        if i:
            judge = next(iter(results))
            difference = _difference(plan.operator, plans[0], plan, (judge, backend.name), elements(results[judge]),
                                     elements(result))
            if difference is not None:
                differences.append(difference)
    return BackendComparison(not differences, results, tuple(differences), {})


def not_compared(function: str, value: object) -> BadArgument:
    """What to do instead with something that is neither operator nor kernel: a program, a name, a plan, ..."""
    kind = type(value).__name__
    remedy = {
        "Program": "A program has no operands of its own: ns.check(program, contract=..., tile=...) runs it through "
                   "all cases of a contract, Machine().call(program, ...) runs it once.",
        "str": f"A kernel is named by ns.kernel({value!r}); a file of yours is checked by ns.check(Path(...), "
               "contract=...).",
        "Plan": f"A plan is for one backend: write {function}(plan.operator, x).",
        "Trace": "A trace has been recorded already: trace.to_html(path, compare_with=...) shows two.",
    }.get(kind, f"Write {function}(ns.ops.fully_connected, x, w, bias, out=...).")
    return BadArgument(f"{function} takes an operator or a kernel first; got {'an' if kind[0] in 'aeiou' else 'a'} "
                       f"{kind}. {remedy}")
