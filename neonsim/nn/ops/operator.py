"""Operators and their plans: what is settled once, and what is done every time.

    operator = Conv2d(x.scheme, w, bias, out=out)        create: schemes, weights, geometry are checked
    plan = operator.plan(x.shape, backend="native")      plan: a kernel is chosen, weights are packed, pointers built
    y = plan.run(x)                                      run: the kernels, and nothing else
    print(plan.explain())                                which kernel, and why

Calling the operator does both. A plan owns its memory: inputs are copied in (or written there by the caller, see
`plan.input`), so addresses stay and indirection buffers are built once. Any thread may call an operator or run a plan:
the threads of one plan take turns, and each gets a result of its own.
"""

from __future__ import annotations

import inspect
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from typing import Any, ClassVar, Protocol, TypeGuard, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from neonsim.common.integers import as_int
from neonsim.common.locking import Serialized, serialized
from neonsim.common.memory_limit import judge, within
from neonsim.errors import BackendError, BadArgument, OutOfMemory
from neonsim.nn.backends import (
    Backend,
    BindingJob,
    Call,
    CopyRows,
    EngineJob,
    Job,
    LayerBackend,
    LayerJob,
    Loaded,
    NamedKernel,
    TileTrace,
    TracingJob,
    candidates,
    get,
)
from neonsim.nn.backends.job import Definition
from neonsim.nn.backends.native_layer import ArenaTensor, NativeLayer
from neonsim.nn.node_operator import NodeOperator
from neonsim.nn.ops.job_builder import Builder, KernelChoice
from neonsim.nn.ops.operand import Operand, check_input, check_output, pixel_stride
from neonsim.quant.scheme import Quantized, Scheme
from neonsim.quant.tensor_type import TensorType, Value
from neonsim.ukernel.catalog import cached_reads
from neonsim.ukernel.packing import ConvShape, counting
from neonsim.ukernel.packing.counters import count

__all__ = ["Operator", "Plan", "first_capable_backend", "kernels_refuse", "refuse_kernel"]

Shape = tuple[int, ...]
Result = TypeVar("Result")


def first_capable_backend(backend: str | Backend | None, kernel: str | NamedKernel | None,
                          do: Callable[[Backend], Result]) -> Result:
    """What the backend asked for makes of it, else the first that can.

    Raises BackendError, with what each of them says, if none can.
    """
    if backend is not None:
        return do(get(backend))
    refusals = []
    for name, found in candidates(kernel):
        if isinstance(found, str):
            refusals.append(f"{name}: {found}")
            continue
        try:
            return do(found)
        except OutOfMemory:
            raise
        except BackendError as problem:
            refusals.append(f"{name}: {problem}")
    raise BackendError("No backend can do this.\n  " + "\n  ".join(refusals))


def refuse_kernel(backend: Backend, kernel: str | NamedKernel | None) -> None:
    """Raise BackendError if a backend that computes by definition is asked for a kernel."""
    if kernel is not None:
        name = kernel if isinstance(kernel, str) else kernel.name
        raise BackendError(f"The {backend.name} backend has no kernels, so kernel={name!r} cannot apply. Omit kernel, "
                           "or use backend='emulated'.")


def kernels_refuse(make: Callable[[], object]) -> str | None:
    """Why there are no parameters for kernels; None if they can be made."""
    try:
        make()
    except BadArgument as why:
        return f"kernels do not take it: {str(why).rstrip('.')}; backend='reference' does it."
    return None


@runtime_checkable
class Windowed(Protocol):
    """An operator that looks at windows of images."""

    def shape(self, x: Shape) -> ConvShape:
        """Sizes for an image [batch, height, width, channels]."""
        ...


@lru_cache(maxsize=512)
def _is_windowed(kind: type[Operator]) -> bool:
    return issubclass(kind, Windowed)


def _has_windows(operator: Operator) -> TypeGuard[Windowed]:
    """isinstance, asked once for a class: of a protocol it takes as long as much of a plan."""
    return _is_windowed(type(operator))


class Operator(NodeOperator, ABC):
    """An operator with everything settled but the sizes of its inputs.

    names      names of the inputs, as in messages
    schemes    their schemes
    out        scheme of the result

    An operator on numbers as they are says so in `input_types` and `output_type`; see `neonsim.nn.ops.quantize`.
    """

    kind: ClassVar[str]
    names: ClassVar[tuple[str, ...]] = ("x",)
    may_overwrite: bool = False
    account: ClassVar[str] = ""     # how `explain.element` says what made an element; "": by the definition
    element_bytes: ClassVar[int] = 40       # what an element takes at most on its way through the definition: measured
    prefers_network_layer: bool = False   # native: as a layer, unless a kernel is asked for
    schemes: tuple[Scheme, ...]
    out: Scheme
    output_min: int     # of those that have limits
    output_max: int

    # ---- what an operator says of itself
    @property
    def input_types(self) -> tuple[TensorType, ...]:
        """Types of the inputs."""
        return tuple(TensorType.from_any(scheme) for scheme in self.schemes)

    @property
    def output_type(self) -> TensorType:
        """Type of the result."""
        return TensorType.from_any(self.out)

    def operand_types(self, count: int) -> tuple[TensorType, ...] | None:
        """Types of n inputs, None where no number of them is taken."""
        return self.input_types

    def results(self, *shapes: Shape) -> list[tuple[Shape, TensorType]]:
        """Shape and type of each result; raises BadArgument for inputs that do not fit."""
        return [(self.output_shape(*shapes), self.output_type)]

    @abstractmethod
    def output_shape(self, *shapes: Shape) -> Shape:
        """Shape of the result; raises BadArgument for inputs that do not fit."""

    @abstractmethod
    def reference(self, *values: NDArray[Any]) -> NDArray[Any]:
        """The result by definition, from `quant` alone."""

    def lower(self, build: Builder) -> None:
        """Describe the work as kernel calls; never asked where `unsupported_reason` says why there are none."""
        raise AssertionError(self.unsupported_reason())

    def network_layer(self, *shapes: Shape) -> NativeLayer:
        """What it is to a whole network of the C library, for inputs of these shapes.

        Raises BackendError, saying which quantity does not suit, where there is no such layer.
        """
        raise BackendError(f"there is no layer for {self.kind}")

    def between(self, *shapes: Shape) -> int:
        """Elements that stand between inputs and result: the images of windows, with what lies around them."""
        if not _has_windows(self):
            return 0
        (top, bottom), (left, right) = self.shape(shapes[0]).padding
        batch, height, width, channels = shapes[0]
        return batch * (height + top + bottom) * (width + left + right) * channels

    def max_bytes(self, *shapes: Shape, kernels: bool = False) -> int:
        """Bytes that it takes at most: the definition with its operands in double precision, kernels with pointers.

        kernels   it is done by kernels, not by definition
        """
        count = sum(map(math.prod, shapes)) + math.prod(self.output_shape(*shapes)) + self.between(*shapes)
        if kernels and _has_windows(self):
            windows = self.shape(shapes[0])
            count += shapes[0][0] * math.prod(windows.output) * math.prod(windows.kernel)
        return self.element_bytes * count

    def check_values(self, *values: NDArray[Any]) -> None:
        """Refuse inputs that no backend has a result for. Raises BadArgument."""
        del values      # by itself none is refused

    def unsupported_reason(self) -> str | None:
        """Why no kernel can do this at all, None if kernels can."""
        return None

    def accumulators(self, *values: NDArray[Any]) -> NDArray[np.int32] | None:
        """Sums before requantisation, in the shape of the result, where the operator has such."""
        return None

    @property
    def single_scale(self) -> NDArray[np.float32] | None:
        """What those sums are multiplied with, in single precision, [] or one for each channel."""
        return None

    def by_other_rules(self, *values: NDArray[Any]) -> dict[str, NDArray[Any]]:
        """The result by every rule of rounding that it has, by title, where it has no such sums."""
        del values
        return {}

    def details(self) -> list[str]:
        """Lines for readers: what is special about this operator."""
        return []

    # ---- planning
    def plan(self, *shapes: Sequence[int], backend: str | Backend | None = None,
             kernel: str | NamedKernel | None = None, strides: Sequence[int | None] | None = None,
             out_stride: int | None = None, in_place: str | None = None, **options: Any) -> Plan:
        """Choose kernels, pack weights, build pointers, reserve memory: everything that one size of inputs needs.

        shapes       one per input
        backend      name, Backend, or None: the fastest here that can do it
        kernel       the main kernel, by name or as an object; None: chosen by the rules of `explain`
        strides      bytes from one pixel of each input to the next; None: its channels
        out_stride   the same for the result
        in_place     name of the input that the result overwrites, for operators that can
        options      of the operator: lowering= for convolutions

        Raises BadArgument for shapes that do not fit and options that there are not, BackendError for a backend or a
        kernel that is not there.
        """
        if options and (unknown := options.keys() - (inspect.signature(self.lower).parameters.keys()
                                                     - {"build", "options"})):
            raise BadArgument(f"{type(self).__name__} has no option {', '.join(sorted(unknown))}; convolutions have a "
                              'lowering. The instruction set is the backend\'s: EmulatedBackend("aarch64")')
        return first_capable_backend(backend, kernel,
                                     lambda found: Plan(self, found, shapes, kernel, strides, out_stride, in_place,
                                                        options))

    def __call__(self, *inputs: Value, backend: str | Backend | None = None, threads: int = 1,
                 kernel: str | NamedKernel | None = None, out_array: NDArray[Any] | None = None,
                 **options: Any) -> Quantized:
        """Plan for these inputs and run once.

        out_array   array for the result's values, of its shape and type; None: a new one
        """
        workers = as_int(threads, "threads", 1, 1024)
        if len(inputs) != len(self.names):
            raise BadArgument(f"{self.kind} takes {len(self.names)} inputs ({', '.join(self.names)}); got "
                              f"{len(inputs)}.")
        values = tuple(check_input(x, t, n) for x, t, n in zip(inputs, self.input_types, self.names, strict=True))
        shape = self.output_shape(*(v.shape for v in values))
        strides = [pixel_stride(v, n) for v, n in zip(values, self.names, strict=True)]
        out_stride, in_place = None, None
        if out_array is not None:
            check_output(out_array, shape, self.output_type.dtype, values, self.may_overwrite)
            out_stride = pixel_stride(out_array, "out_array")
            in_place = next((n for v, n in zip(values, self.names, strict=True)
                             if self.may_overwrite and out_array.size and np.shares_memory(out_array, v)), None)
        plan = self.plan(*(v.shape for v in values), backend=backend, kernel=kernel, strides=strides,
                         out_stride=out_stride, in_place=in_place, **options)
        found: Quantized = plan._run(inputs, workers, out_array)
        return found

    def explain(self, *shapes: Sequence[int], **options: Any) -> str:
        """Which kernels a plan for these shapes takes, and why; see Plan.explain."""
        return self.plan(*shapes, **options).explain()


_watchers: ContextVar[tuple[list[Plan], ...]] = ContextVar("neonsim_plans", default=())


class Plan(Serialized):
    """An operator prepared for one size of inputs on one backend. Any thread may run it; they take turns.

    operator   Operator
    backend    Backend
    input_types      types of the inputs; output_type: of the result
    job        Job           regions and steps
    result     str           name of the region that the result lies in
    choices    kernels and reasons; empty where the backend computes by definition
    layer_refusal  str       why the native backend calls kernels tile by tile, and does not take a layer of its
                             networks; "" if it does, or nothing was to be decided
    work       Work          what preparing it cost
    """

    layer_refusal = ""

    def __init__(self, operator: Operator, backend: Backend, shapes: Sequence[Sequence[int]],
                 kernel: str | NamedKernel | None, strides: Sequence[int | None] | None, out_stride: int | None,
                 in_place: str | None, options: Mapping[str, Any]) -> None:
        self.operator, self.backend = operator, backend
        self.input_types, self.output_type = operator.input_types, operator.output_type
        names = operator.names
        if kernel is not None and not isinstance(kernel, str | NamedKernel):
            raise BadArgument("kernel must be a name of `neonsim kernels` or a kernel, ns.kernel(name); got "
                              f"{type(kernel).__name__}.")
        if len(shapes) != len(names):
            raise BadArgument(f"{operator.kind} has {len(names)} input{'s' * (len(names) > 1)} ({', '.join(names)}); "
                              f"got {len(shapes)} shapes. Give the shape of each: plan((1, 56, 56, 32)), or "
                              "explain((1, 56, 56, 32)).")
        sizes = [_shape(s, n) for s, n in zip(shapes, names, strict=True)]
        result = operator.output_shape(*sizes)
        self._what = f"{operator.kind} of {', '.join(str(list(size)) for size in sizes)}"
        self._room = operator.max_bytes(*sizes, kernels=not backend.is_reference)
        given = [None] * len(sizes) if strides is None else list(strides)
        self.inputs = tuple(Operand(n, s, s[-1] * t.itemsize if d is None else d, t.dtype)
                            for n, s, d, t in zip(names, sizes, given, self.input_types, strict=True))
        if in_place is not None:
            self._check_in_place(in_place, result, out_stride)
        step = result[-1] * self.output_type.itemsize if out_stride is None else out_stride
        self.output = Operand("the result", result, step, self.output_type.dtype)
        if backend.is_reference and any(value is not None for value in options.values()):
            self._check_options(options)
        judge(self._room, self._what)
        with counting() as self.work, within(self._what), cached_reads():
            build = Builder(operator.kind, backend, kernel, self.inputs, self.output, in_place)
            self.result = build.result
            asked = kernel is not None or in_place is not None or any(v is not None for v in options.values())
            layer = None if asked or not operator.prefers_network_layer else self._as_layer(build)
            if layer is None:
                if not backend.is_reference:
                    reason = operator.unsupported_reason()
                    if reason is not None:
                        raise BackendError(f"The {backend.name} backend does not support this: {reason}")
                    operator.lower(build, **options)
                else:
                    refuse_kernel(backend, kernel)
            self.choices: tuple[KernelChoice, ...] = tuple(build.choices)
            self.job: Job = build.job(self._definition) if layer is None else layer.job
            self.loaded: Loaded = backend.load(self.job) if layer is None else layer
        for made in _watchers.get():
            made.append(self)

    @property
    def _definition(self) -> Definition:
        return _definition(self.operator, self.inputs, self.output, self.result)

    def _check_options(self, options: Mapping[str, Any]) -> None:
        """Refuse a lowering that kernels refuse. By definition there is none, and a wrong one is not taken silently."""
        operator = self.operator
        if (reason := operator.unsupported_reason()) is not None:
            raise BackendError(f"A lowering needs kernels: {reason} Omit lowering.")
        operator.lower(Builder(operator.kind, get("emulated"), None, self.inputs, self.output, None), **options)

    def _as_layer(self, build: Builder) -> LayerJob | None:
        """The whole work as a layer of the library's networks, whose kernels are faster than calls of contracts; None
        where the backend has none, and `layer_refusal` says why not."""
        if not isinstance(self.backend, LayerBackend) or not self.output.nbytes or not all(
                o.nbytes for o in self.inputs):
            return None
        operator = self.operator
        inputs = {o.name: _stored(o, scheme) for o, scheme in zip(self.inputs, operator.schemes, strict=True)}
        try:
            made = operator.network_layer(*(o.shape for o in self.inputs))
            job = self.backend.load_layer(build.job(self._definition), made, inputs, _stored(self.output, operator.out))
        except BackendError as problem:
            self.layer_refusal = str(problem).strip().rstrip(".")
            return None
        build.choices.append(KernelChoice(f"a {made.kind} layer", job.family, "",
                                          "no kernel is asked for: a layer as of "
                                          "whole networks, by the fastest kernels here"))
        return job

    @staticmethod
    @contextmanager
    def watching() -> Iterator[list[Plan]]:
        """Collect the plans that are made while the block is open, also inside operators' functions."""
        made: list[Plan] = []
        token = _watchers.set((*_watchers.get(), made))
        try:
            yield made
        finally:
            _watchers.reset(token)

    def _check_in_place(self, name: str, shape: Shape, out_stride: int | None) -> None:
        operand = next((o for o in self.inputs if o.name == name), None)
        if not self.operator.may_overwrite or operand is None:
            raise BadArgument(f"{self.operator.kind} cannot overwrite {name!r} with its result.")
        if operand.shape != shape or out_stride not in (None, operand.stride):
            raise BadArgument(f"a result that overwrites {name} has its shape {list(operand.shape)} and pixel stride "
                              f"{operand.stride}; asked for {list(shape)} and {out_stride}.")

    @property
    def input(self) -> NDArray[Any]:
        """The plan's own memory of its first input: write there, `run()` without arguments, and nothing is copied.

        There is one, for one thread: others give `run` their inputs.
        """
        return self.inputs_view(self.inputs[0].name)

    def inputs_view(self, name: str) -> NDArray[Any]:
        """The plan's own memory of an input."""
        operand = next((o for o in self.inputs if o.name == name), None)
        if operand is None:
            raise BadArgument(f"{self.operator.kind} has no input {name!r}; it has {', '.join(self.operator.names)}.")
        return operand.view(self.loaded.view(name))

    @property
    def kernels(self) -> tuple[str, ...]:
        """Names of the kernels in the order of their first call."""
        return tuple(dict.fromkeys(call.implementation.name for call in self.job.calls))

    def run(self, *inputs: Value, threads: int = 1) -> Quantized:
        """Compute; the result is a new array.

        inputs    as the operator takes them; none: what `input` holds. Where the backend can, they are read in place
                  (native kernels, without assembly that reads in front of rows), else copied, as for a native layer;
                  `counting` says which
        threads   number that share the work

        Raises BadArgument for inputs that do not fit; BackendError if it is called in the middle of a run of this plan
        by the same thread, as a signal handler might.
        """
        found: Quantized = self._run(inputs, as_int(threads, "threads", 1, 1024), None)
        return found

    @serialized
    def _run(self, inputs: tuple[Any, ...], threads: int, out_array: NDArray[Any] | None) -> Any:
        operator = self.operator
        if inputs and len(inputs) != len(self.inputs):
            raise BadArgument(f"{operator.kind} takes {len(self.inputs)} inputs ({', '.join(operator.names)}); "
                              f"got {len(inputs)}.")
        judge(self._room, self._what)
        with within(self._what):
            return self._computed(inputs, threads, out_array)

    def _computed(self, inputs: tuple[Any, ...], threads: int, out_array: NDArray[Any] | None) -> Any:
        operator = self.operator
        for value, operand, type_ in zip(inputs, self.inputs, self.input_types, strict=False):
            values = check_input(value, type_, operand.name)
            if values.shape != operand.shape:
                raise BadArgument(f"this plan is for {operand.name} {list(operand.shape)}; got {list(values.shape)}. "
                                  "Create a new plan for another size.")
            own = self.inputs_view(operand.name)
            if values.size and not self._bind(operand, values, own):
                own[...] = values
                count(copied_bytes=values.nbytes)
        if not inputs:
            for operand in self.inputs:
                self._bind(operand, self.inputs_view(operand.name), self.inputs_view(operand.name))
        operator.check_values(*inputs or [self.inputs_view(o.name) for o in self.inputs])
        if self.output.nbytes:
            self.loaded.run(threads)
        result = self.output.view(self.loaded.view(self.result))
        if out_array is None:
            out_array = np.array(result, order="C")
        else:
            out_array[...] = result
        return self.output_type.value(out_array, self.backend.name,
                                      ", ".join(self.kernels) or getattr(self.loaded, "family", None)
                                      or ("numpy" if self.backend.is_reference else None))

    def _bind(self, operand: Operand, values: NDArray[Any], own: NDArray[Any]) -> bool:
        """Whether kernels find an input without a copy: in the plan's memory, or where the caller has it."""
        loaded = self.loaded if isinstance(self.loaded, BindingJob) else None
        if values.__array_interface__["data"][0] == own.__array_interface__["data"][0]:
            return loaded is None or loaded.bind(operand.name, None)
        try:
            fits = pixel_stride(values, operand.name) == operand.stride
        except BadArgument:
            fits = False        # not in a row: a copy is
        if loaded is not None and fits and loaded.bind(operand.name, values):
            return True
        if loaded is not None:
            loaded.bind(operand.name, None)
        return False

    @serialized
    def trace(self, call: int = 0, row: int = 0, column: int = 0) -> TileTrace:
        """Run one tile of one call alone and record every step, on the memory as the last run left it.

        call          index into `job.calls`
        row, column   of the tile in the grid of that call
        ->            TileTrace: .trace for ns.Stepper and ns.time

        Raises BackendError for a backend that cannot trace: only the emulated one can.
        """
        if not isinstance(self.loaded, TracingJob):
            raise BackendError(f"The {self.backend.name} backend records no steps; use backend='emulated'.")
        if not self.job.calls:
            raise BadArgument("this plan calls no kernel, because its batch is empty.")
        return self.loaded.trace(call, row, column, self.result)

    def explain(self) -> str:
        """What was chosen and prepared, in words."""
        shapes = ", ".join(f"{o.name} {list(o.shape)}" for o in self.inputs)
        lines = [f"{self.operator.kind}: {shapes} -> {list(self.output.shape)} on the {self.backend.name} backend"]
        lines += [f"    {line}" for line in self.operator.details()]
        if self.backend.is_reference:
            lines.append("    numpy, by definition: no kernel is chosen")
        if isinstance(self.loaded, EngineJob):
            name = "interpreter" if self.loaded.engine == "interpreter" else "compiled engine"
            lines.append(f"    tiles run on the {name}: {self.loaded.reason or 'asked for'}")
        for choice in self.choices:
            lines.append(f"    {choice.kernel}")
            lines.append(f"        {'contract ' if choice.isa else ''}{choice.contract}; {choice.reason}")
        if self.layer_refusal:
            lines.append(f"    tile by tile, not by the faster kernels of whole networks: {self.layer_refusal}")
        if self.job.steps:
            lines.append("steps")
            for step in self.job.steps:
                if isinstance(step, Call):
                    lines.append(f"    {step.implementation.contract:<18} {step.rows} x {step.columns} tiles: "
                                 f"{step.description}")
                elif isinstance(step, CopyRows):
                    lines.append(f"    {'copy':<18} {step.nbytes} bytes: {step.description}")
        lines.append("memory")
        for region in self.job.regions:
            size = region.size(self.job.pointer_bytes)
            entries = "" if region.table is None else f", {region.table.offsets.size} pointers"
            lines.append(f"    {region.name:<18} {size:>10} bytes ({region.role}{entries})")
        lines.append(f"prepared once: {self.work}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<Plan of {self.operator.kind} {[list(o.shape) for o in self.inputs]} on {self.backend.name}>"


def _definition(operator: Operator, inputs: tuple[Operand, ...], output: Operand, result: str) -> Definition:
    """What a job must compute; it does not know the plan, so a plan that is dropped is gone at once."""
    def define(regions: Mapping[str, NDArray[np.uint8]]) -> dict[str, NDArray[np.uint8]]:
        values = [o.view(regions[o.name]) for o in inputs]
        found = np.array(regions[result])
        if found.size:
            output.view(found)[...] = operator.reference(*values)
        return {result: found}
    return define


def _stored(operand: Operand, scheme: Scheme) -> ArenaTensor:
    return ArenaTensor(operand.shape, operand.channels, operand.stride, operand.dtype, scheme.zero_point)


def _shape(given: Sequence[int], name: str) -> Shape:
    if isinstance(given, (str, bytes)) or not hasattr(given, "__iter__"):
        raise BadArgument(f"the shape of {name} must be a sequence of sizes; got {given!r}.")
    sizes = tuple(as_int(size, f"a size of {name}", 0, (1 << 31) - 1) for size in given)
    if not sizes:
        raise BadArgument(f"{name} needs at least one axis, its channels.")
    return sizes


