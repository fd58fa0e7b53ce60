"""One computation on several backends: are the bytes equal, which is the first that is not, and which step wrote it.

The operator runs once per backend. Its matrix products are recorded on the way (a recorder stands in for the backend,
through the same protocol), so that for a backend that can trace, the one tile that holds the wrong byte is run again
alone, step by step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.backends import Backend, GemmResult, NamedKernel, TileTrace, TracingBackend, get, names
from neonsim.errors import BackendError, BadArgument, MachineError
from neonsim.ops.linear import fully_connected
from neonsim.packing import PackedWeights
from neonsim.quant.reference import accumulate
from neonsim.quant.requant import GemmParams
from neonsim.quant.scheme import Quantized

__all__ = ["Comparison", "Difference", "WritingStep", "compare"]


@dataclass(frozen=True)
class WritingStep:
    """The step of a kernel that wrote one output byte, found by running its tile again alone.

    kernel        str          name of the kernel
    tile          (int, int)   row and column of the tile's first element in the product
    place         (int, int)   row and column of the byte within the tile
    step          int or None  index into the trace; None: no step wrote the byte
    instruction   str          as text, "" if no step wrote it
    path, line    str, int     of the instruction in the kernel file
    value         int          what the tile wrote when it ran alone
    right_sum     int          what the accumulator of this byte has to be before requantisation, by definition
    sum_step      int or None  last step after which a vector register holds that sum; None: none ever does
    sum_place     str          which lane that is, as ``v16.s[2]``
    trace         Trace        all steps of the tile: ns.Stepper(step.trace) shows them
    """

    kernel: str
    tile: tuple[int, int]
    place: tuple[int, int]
    step: int | None
    instruction: str
    path: str
    line: int
    value: int
    right_sum: int
    sum_step: int | None
    sum_place: str
    trace: Any = field(repr=False, compare=False)

    def __str__(self) -> str:
        lines = [f"kernel {self.kernel}, tile at row {self.tile[0]}, column {self.tile[1]}, element {list(self.place)}"]
        if self.step is None:
            lines.append("    no step writes this byte")
        else:
            lines.append(f"    written by step {self.step}, {self.path}:{self.line}:  {self.instruction}")
        if self.sum_step is None:
            lines.append(f"    the sum {self.right_sum} that belongs here is in no register after any step: "
                         "look before the requantisation")
        else:
            lines.append(f"    the sum {self.right_sum} that belongs here is in {self.sum_place} after step "
                         f"{self.sum_step}: look after that")
        return "\n    ".join(lines)


@dataclass(frozen=True)
class Difference:
    """Where two backends first disagree, in the order of the elements in memory.

    backends   (str, str)         the judge, and the one that is compared with it
    index      tuple[int, ...]    of the element in the result
    values     (int, int)         of both, in the same order
    count      int                how many elements differ
    step       WritingStep or None   who wrote it, if one of both backends can trace
    note       str                what else is known, or ""
    """

    backends: tuple[str, str]
    index: tuple[int, ...]
    values: tuple[int, int]
    count: int
    step: WritingStep | None = None
    note: str = ""

    def __str__(self) -> str:
        lines = [f"{self.backends[0]} and {self.backends[1]} differ in {self.count} elements, first at "
                 f"{list(self.index)}: {self.values[0]} and {self.values[1]}"]
        if self.step is not None:
            lines.append(f"    {self.step}")
        if self.note:
            lines.append(f"    {self.note}")
        return "\n".join(lines)


@dataclass(frozen=True)
class Comparison:
    """What `compare` found. True if all results are the same bytes.

    equal         bool
    results       {name: Quantized}    of every backend that was asked, the judge first
    differences   tuple[Difference, ...]   one for each backend that disagrees with the judge
    skipped       {name: reason}       backends that were not asked, only when none were named
    """

    equal: bool
    results: dict[str, Quantized]
    differences: tuple[Difference, ...]
    skipped: dict[str, str]

    @property
    def first(self) -> Difference | None:
        """The first disagreement, None if there is none."""
        return self.differences[0] if self.differences else None

    def __bool__(self) -> bool:
        return self.equal

    def __str__(self) -> str:
        lines = [str(d) for d in self.differences]
        if self.equal:
            shape = next(iter(self.results.values())).values.shape
            lines = [f"equal: {', '.join(self.results)} give the same {int(np.prod(shape))} bytes"]
        lines += [f"not compared: {name} ({reason})" for name, reason in self.skipped.items()]
        return "\n".join(lines)


@dataclass(frozen=True)
class _Call:
    lhs: NDArray[Any]
    packed: PackedWeights
    params: GemmParams
    kernel: str | NamedKernel | None
    result: GemmResult


class _Recorder:
    """A backend that passes everything on and remembers the products."""

    def __init__(self, backend: Backend) -> None:
        self.backend = backend
        self.calls: list[_Call] = []

    @property
    def name(self) -> str:
        return self.backend.name

    def available(self) -> str | None:
        return self.backend.available()

    def kernels(self) -> tuple[str, ...]:
        return self.backend.kernels()

    def refuses(self, params: GemmParams, kernel: str | NamedKernel | None = None) -> str | None:
        return self.backend.refuses(params, kernel)

    def pack(self, weights: NDArray[Any], bias: NDArray[np.int32], params: GemmParams,
             kernel: str | NamedKernel | None = None) -> PackedWeights:
        return self.backend.pack(weights, bias, params, kernel)

    def gemm(self, lhs: NDArray[Any], packed: PackedWeights, params: GemmParams, *, threads: int = 1,
             kernel: str | NamedKernel | None = None) -> GemmResult:
        result = self.backend.gemm(lhs, packed, params, threads=threads, kernel=kernel)
        self.calls.append(_Call(lhs, packed, params, kernel, result))
        return result

    def writing_step(self, row: int, column: int) -> WritingStep | None:
        """Who wrote this element of the operator's result, seen as [pixels, channels].

        None if the backend cannot trace, or if the operator made no matrix product of it.
        """
        if not isinstance(self.backend, TracingBackend):
            return None
        # Products stand side by side: each gives the next channels of every pixel.
        for call in self.calls:
            width = call.result.values.shape[1]
            if column < width:
                tile = self.backend.trace_tile(call.lhs, call.packed, call.params, row=row, column=column,
                                               kernel=call.kernel)
                right = accumulate(call.lhs[row:row + 1], call.packed.unpacked[:, column:column + 1],
                                   call.packed.original_bias[column:column + 1], call.params.a_zero_point,
                                   call.params.w_zero_point)
                return _writing_step(tile, row - tile.row, column - tile.column, int(right.item()))
            column -= width
        return None


def _writing_step(tile: TileTrace, row: int, column: int, right_sum: int) -> WritingStep:
    """The last store of the trace that covers one byte of the tile's output. Row and column count within the tile."""
    trace = tile.trace
    byte = tile.address + row * tile.row_stride + column
    step, instruction, path, line = trace.last_store(byte), "", "", 0
    if step is not None:
        written = trace.instruction(step)
        instruction, path, line = str(written), str(written.where.path), int(written.where.line)
    return WritingStep(tile.kernel, (tile.row, tile.column), (row, column), step, instruction, path, line,
                       int(tile.values[row, column]), right_sum, *_where_sum(trace, right_sum), trace)


def _where_sum(trace: Any, value: int) -> tuple[int | None, str]:
    """The last step after which a 32-bit lane of a vector register holds a value, and the name of the lane."""
    lanes = np.ascontiguousarray(trace.write_after).view("<i4")
    vectors = np.array([name[0] in "vq" and name != "qc" for name in trace.locations], bool)
    writes, places = np.nonzero((lanes == value) & vectors[trace.write_location][:, np.newaxis])
    if not writes.size:
        return None, ""
    # The engine lists the writes of a step one after the other; the last one found is the latest.
    step = int(np.searchsorted(trace.write_start, writes[-1], side="right")) - 1
    name = trace.locations[int(trace.write_location[writes[-1]])]
    return step, f"{name}.{'s' if name[0] == 'v' else 's32'}[{int(places[-1])}]"


def _difference(judge: _Recorder, other: _Recorder, wanted: Quantized, got: Quantized) -> Difference | None:
    if wanted.values.shape != got.values.shape:
        raise BackendError(f"{judge.name} gives shape {list(wanted.shape)}, {other.name} {list(got.shape)}: they did "
                           "not compute the same operator.")
    unequal = np.flatnonzero(wanted.values != got.values)
    if not unequal.size:
        return None
    index = tuple(int(i) for i in np.unravel_index(int(unequal[0]), wanted.values.shape))
    row, column = divmod(int(unequal[0]), wanted.values.shape[-1])
    values = int(wanted.values[index]), int(got.values[index])
    step: WritingStep | None = None
    note = ""
    # The backend under test is asked first; the judge may be the one that can trace.
    for recorder, shown in ((other, values[1]), (judge, values[0])):
        try:
            step = recorder.writing_step(row, column)
        except MachineError as problem:
            # A faulty kernel may do what the stricter single execution refuses; that is a finding, too.
            note = f"run alone, the tile of {recorder.name} stops: {problem}"
            break
        if step is not None:
            if step.value != shown:
                note = (f"the tile run alone gives {step.value}, the whole product gave {shown}: lock-step and single "
                        "execution disagree")
            break
    return Difference((judge.name, other.name), index, values, int(unequal.size), step, note)


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


def compare(op_or_kernel: Callable[..., Quantized] | NamedKernel, *inputs: Any,
            backends: Sequence[str | Backend] | None = None, **options: Any) -> Comparison:
    """Compute the same on several backends and find the first byte that differs, and the step that wrote it.

    op_or_kernel   an operator as ``ops.conv2d``, or a kernel as ``ns.kernel(name)`` (then a fully connected layer)
    inputs         what the operator takes: x, w, bias
    backends       names, at least two; the first is the judge. None: the reference and all others available here
    options        of the operator: out=, stride=, ...; ``kernel=`` is given to those backends that have that kernel
    ->             Comparison: true if equal; prints in words; .first.index, .first.values, .first.step

    Raises BadArgument and BackendError as the operator does, and BackendError for a backend named but not available.

    >>> from neonsim.quant.scheme import Scheme
    >>> x = Quantized(np.array([[3, 5]], np.uint8), scale=0.5, zero_point=1)
    >>> print(compare(fully_connected, x, x, out=Scheme(1.0), backends=("reference", "reference")))
    equal: reference, reference (1) give the same 1 bytes
    """
    chosen, skipped = _chosen(backends)
    if isinstance(op_or_kernel, NamedKernel):
        op, kernel = fully_connected, options.pop("kernel", op_or_kernel)
    elif callable(op_or_kernel):
        op, kernel = op_or_kernel, options.pop("kernel", None)
    else:
        raise BadArgument(f"compare takes an operator or a kernel first; got {type(op_or_kernel).__name__}. "
                          "Write compare(ns.ops.fully_connected, x, w, bias, out=...).")
    if "backend" in options:
        raise BadArgument("compare runs on several backends: say backends=(...), not backend=.")
    kernel_name = kernel.name if isinstance(kernel, NamedKernel) else kernel
    if kernel is not None and not any(kernel_name in b.kernels() or isinstance(b, TracingBackend) for b in chosen):
        raise BackendError(f"None of {', '.join(b.name for b in chosen)} has a kernel {kernel_name!r}: nothing would "
                           "test it. Name the emulated backend too.")
    results: dict[str, Quantized] = {}
    recorders: list[_Recorder] = []
    differences = []
    for i, backend in enumerate(chosen):
        recorder = _Recorder(backend)
        # A kernel object of the reader's own is in no list: the backend that can trace kernels gets it anyhow.
        if kernel is not None and (kernel_name in backend.kernels() or isinstance(backend, TracingBackend)):
            options["kernel"] = kernel
        else:
            options.pop("kernel", None)
        result = op(*inputs, backend=recorder, **options)
        recorders.append(recorder)
        results[recorder.name if recorder.name not in results or i == 0 else f"{recorder.name} ({i})"] = result
        if i:
            difference = _difference(recorders[0], recorder, next(iter(results.values())), result)
            if difference is not None:
                differences.append(difference)
    return Comparison(not differences, results, tuple(differences), skipped)
