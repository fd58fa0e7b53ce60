"""A network from a file, ready to run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neonsim.common.fileio import read_file, read_text
from neonsim.common.integers import as_int
from neonsim.common.limits import MAX_MODEL_BYTES
from neonsim.common.locking import Serialized, reentrant, serialized
from neonsim.common.memory_limit import within
from neonsim.errors import BadArgument, ModelError
from neonsim.nn.formats.ir import ModelIR, StoredTensor
from neonsim.nn.formats.lowering import LoweredNode, lower
from neonsim.nn.formats.onnx import read_onnx
from neonsim.nn.formats.outputs import Outputs, RunContext
from neonsim.nn.formats.report import FileReport, report_of
from neonsim.nn.formats.tflite.read import read_tflite
from neonsim.nn.graph import BoundPlan, Graph, Runnable, place
from neonsim.nn.graph.plan.native import NativePlan
from neonsim.quant.scheme import Quantized
from neonsim.quant.tensor_type import elements

__all__ = ["SUFFIXES", "Model", "load_model"]

SUFFIXES = (".tflite", ".onnx")
# Whose bytes, by default: those of the runtime that such files are written for.
_DEFAULTS = {"tflite": "xnnpack", "onnx": "onnxruntime"}
_MAX_LABELS = 1 << 24   # bytes


def load_model(path: str | Path, labels: str | Path | None = None, *, sizes: Mapping[str, int] | None = None,
               external: bool = False, batch: int | None = None) -> Model:
    """Read a network from a file.

    path       a .tflite or .onnx file
    labels     a text file with the name of one class a line
    sizes      {name: int}   of sizes that an .onnx file leaves open, by their names
    batch      int           inputs of a run, where the file leaves it open; None: 1
    external   bool          constants of an .onnx file may lie in other files of its folder: read them

    Raises BadArgument for a file that is not there or of another kind, ModelError for one that is damaged,
    MissingPackage without the packages that read it (pip install 'neonsim[models]').
    """
    file = Path(path)
    if file.suffix.lower() == ".npz":
        raise BadArgument(f"{file} has a neonsim graph. Read it with neonsim.nn.formats.read_npz(path).")
    if file.suffix.lower() not in SUFFIXES:
        raise BadArgument(f"{file} is none of {', '.join(SUFFIXES)}. Its name must end in its format.")
    if not file.is_file():
        raise BadArgument(f"{file} is a folder: name a file in it." if file.is_dir() else f"there is no file {file}.")
    if file.stat().st_size > MAX_MODEL_BYTES:
        raise ModelError(f"{file} has {file.stat().st_size:,} bytes; the limit is {MAX_MODEL_BYTES:,}.")
    many = as_int(1 if batch is None else batch, "batch", 1, 1 << 31)
    if file.suffix.lower() == ".onnx":
        given = {name: as_int(size, f"size {name!r}", 1, 1 << 31) for name, size in (sizes or {}).items()}
        with within(str(file)):
            found = read_onnx(read_file(file, MAX_MODEL_BYTES), file.name, given, file.parent if external else None,
                              many)
    elif sizes or external:
        raise BadArgument(f"{file} has all of its sizes and constants. Omit sizes and external.")
    else:
        with within(str(file)):
            found = read_tflite(read_file(file, MAX_MODEL_BYTES), file.name, many)
    shapes = [found.tensors[number].shape for number in found.inputs]
    if batch is not None and many not in (shape[0] for shape in shapes if shape):
        raise BadArgument(f"{file} has its own batch, {found.tensors[found.inputs[0]]}: omit batch.")
    return Model(found, _lines(labels))


def _lines(labels: str | Path | None) -> tuple[str, ...]:
    if labels is None:
        return ()
    return tuple(line.strip() for line in read_text(labels, _MAX_LABELS, "replace").splitlines())


class Model(Serialized):
    """A network of a file. Any thread may use it, one at a time.

    record   Record          what the file says
    labels   (str, ...)      names of classes, () if none were given

    A network with variables goes on where its last run ended: its first results depend on one input, the next on two
    and so on. `reset` begins again. Models are independent of each other; copies begin where the original is.
    """

    def __init__(self, record: ModelIR, labels: Iterable[str] = ()) -> None:
        self.record, self.labels = record, tuple(labels)
        self._lowered: dict[str, LoweredNode] = {}
        self._plans: dict[tuple[Any, ...], Runnable] = {}
        self._last: tuple[LoweredNode, Runnable] | None = None
        self._state: dict[str, NDArray[Any]] = {}

    def __repr__(self) -> str:
        return (f"<Model {self.record.name}: {len(self.record.nodes)} nodes, "
                f"{', '.join(str(t) for t in self.inputs)} -> {', '.join(str(t) for t in self.outputs)}>")

    @cached_property
    def inputs(self) -> tuple[StoredTensor, ...]:
        """Tensors that a run is given."""
        return tuple(self.record.tensors[number] for number in self.record.inputs)

    @cached_property
    def outputs(self) -> tuple[StoredTensor, ...]:
        """Tensors that a run gives, in the file's order."""
        return tuple(self.record.tensors[number] for number in self.record.outputs)

    def rules(self, arithmetic: str | None = None) -> str:
        """The name of the arithmetic that is taken where one or None is asked for."""
        return arithmetic or _DEFAULTS[self.record.format]

    def lowered(self, arithmetic: str | None = None) -> LoweredNode:
        """What it is in operators of ours, by the rules of a runtime; None: of the one that such files are for."""
        rules = self.rules(arithmetic)
        if rules not in self._lowered:
            with within(self.record.name):
                self._lowered[rules] = lower(self.record, rules)
        return self._lowered[rules]

    @property
    def graph(self) -> Graph:
        """All of it, finished. Raises ModelError where an operator is missing.

        What variables hold before a run are its last inputs, what they hold afterwards its last results. Images lie in
        it with their channels last, whatever the file does.
        """
        return self._graph(self.lowered(), self.record.outputs, True)

    # ---- variables
    @serialized
    def state(self) -> dict[str, NDArray[Any]]:
        """What its variables hold, by name: copies; {} for networks without any."""
        return {name: self._state.get(name, state.initial).copy() for name, state in self.lowered().states.items()}

    @serialized
    def reset(self, state: Mapping[str, NDArray[Any]] | None = None) -> None:
        """Begin again: as before the first run, or with variables as `state` had them.

        Raises BadArgument for other variables, types or shapes.
        """
        there = {name: one.initial for name, one in self.lowered().states.items()}
        given = there if state is None else dict(state)
        if set(given) != set(there):
            raise BadArgument(f"{self.record.name} has the variables {', '.join(there) or '(none)'}; got "
                              f"{', '.join(map(str, given)) or 'none'}.")
        for name, value in given.items():
            if not isinstance(value, np.ndarray) or (value.dtype, value.shape) != (there[name].dtype,
                                                                                   there[name].shape):
                raise BadArgument(f"the variable {name} of {self.record.name} must be {there[name].dtype} "
                                  f"{list(there[name].shape)}; got {value!r:.80}.")
        self._state = {name: value.copy() for name, value in given.items()}

    def report(self, arithmetic: str | None = None) -> FileReport:
        """Every node of the file with how it runs, parameters, products; prints as a table."""
        lowered = self.lowered(arithmetic)
        arena = 0 if lowered.refusals else place(self._graph(lowered, self.record.outputs, True), False, {}).nbytes
        return report_of(self.record, lowered, arena)

    def _graph(self, lowered: LoweredNode, wanted: tuple[int, ...], steps: bool) -> Graph:
        """The part of it that some tensors need; steps: and what variables are afterwards."""
        names = []
        for number in wanted:
            if number not in lowered.tensors and not lowered.refusals:
                raise ModelError(f"{self.record.name}: its output {self.record.tensors[number].name!r} is a constant: "
                                 "nothing is computed.")
            if number not in lowered.tensors:
                first = min(lowered.refusals)
                more = len(lowered.refusals) - 1
                others = f" ({more} more {'nodes are' if more > 1 else 'node is'} left out.)" if more else ""
                raise ModelError(f"{self.record.name}: {lowered.refusals[first].reason}{others} run(until=NAME) "
                                 "computes "
                                 "what comes before; model.report() lists it.")
            names.append(lowered.tensors[number])
        lost = [one for one in lowered.refusals.values() if one.entry.kind == "assign_variable"]
        if steps and lost:
            raise ModelError(f"{self.record.name}: {lost[0].reason} run(until=NAME) computes what comes before.")
        if steps:
            names += [state.next for state in lowered.states.values()]
        return lowered.graph.part(*dict.fromkeys(names))

    def tensor_of(self, name: str) -> StoredTensor:
        """A tensor as the file has it. Raises BadArgument for a name that is not there."""
        return self.record.tensors[self._number(name)]

    def _number(self, name: str) -> int:
        for number, tensor in enumerate(self.record.tensors):
            if tensor.name == name:
                return number
        raise BadArgument(f"{self.record.name} has no tensor {name!r}; model.report() lists them.")

    @reentrant
    def plan(self, backend: str | Sequence[str] | None = None, *, arithmetic: str | None = None,
             until: str | None = None, keep: bool = False, family: str | None = None, engine: str | None = None,
             isa: str | None = None, core: str | None = None) -> Runnable:
        """Prepared once for a backend, or several: see `run`, and `neonsim.nn.graph.plan.run.plan`.

        family              kernels of native networks, by name
        engine, isa, core   of the emulated backend
        """
        backend = backend if backend is None or isinstance(backend, str) else tuple(backend)
        key = backend, arithmetic, until, keep, family, engine, isa, core
        if key not in self._plans:
            lowered = self.lowered(arithmetic)
            wanted = self.record.outputs if until is None else (self._number(until),)
            # Of networks; plans of operators keep every tensor as they are.
            more = {name: value for name, value in (("keep", keep), ("family", family)) if value}
            emulated = {"engine": engine, "isa": isa, "core": core}
            with within(self.record.name):
                self._plans[key] = self._graph(lowered, wanted, until is None).plan(
                    backend, **emulated, **(more if backend in (None, "native") else {}))
        return self._plans[key]

    @serialized
    def run(self, x: Any, backend: str | Sequence[str] | None = None, threads: int = 1, *,
            arithmetic: str | None = None, until: str | None = None, keep: bool = False,
            plan: Runnable | None = None) -> Outputs:
        """The outputs for inputs. In a notebook they show the picture that was given, and the best classes.

        x            array of the file's type and shape, a list of them for several inputs, or Quantized
        backend      "reference", "emulated", "native"; None: the fastest here
        arithmetic   whose bytes: a name of ARITHMETICS; None: "xnnpack" of .tflite, "onnxruntime" of .onnx. Nodes that
                     XNNPACK does not take are "ruy"'s, as in LiteRT: `report` says which
        until        name of a tensor: compute as far as this, and give this alone
        keep         every tensor can be asked for afterwards, see `tensor`
        plan         of `plan`, for this arithmetic and until; None: the one for this backend
        ->           Outputs: a list of arrays in the file's order of outputs

        Variables are afterwards what the run has made of them; `until` leaves them as they are.

        Raises BadArgument for inputs that do not fit, ModelError for operators that are missing.
        """
        if plan is None:
            plan = self.plan(backend, arithmetic=arithmetic, until=until, keep=keep)
        lowered = self.lowered(arithmetic)
        before = {one.input: plan.graph.tensors[one.input].type.value(
            self._state.get(name, one.initial).reshape(plan.graph.tensors[one.input].shape))
            for name, one in lowered.states.items()}
        with within(self.record.name):
            made = plan.run(self._inputs(x, plan.graph) | before, threads)
        values = dict(zip(plan.graph.outputs, made if isinstance(made, tuple) else (made,), strict=True))
        self._last = lowered, plan
        if until is None:
            self._state = {name: np.array(elements(values[one.next])).reshape(one.initial.shape)
                           for name, one in lowered.states.items()}
        numbers = self.record.outputs if until is None else (self._number(until),)
        given = zip(self.inputs, x if isinstance(x, list | tuple) else (x,), strict=True)
        return Outputs((self.record.tensors[number].to_file(np.asarray(elements(values[lowered.tensors[number]])))
                        for number in numbers),
            RunContext(self.record.name, tuple(given), self.record.tensors[numbers[0]].scheme, self.labels))

    def bind(self, inputs: Any, outputs: Any = None, *, arithmetic: str | None = None,
             family: str | None = None) -> BoundPlan:
        """This network between arrays of the caller's: `bound.run()` reads and writes them, and makes nothing.

        inputs, outputs   arrays of the file's types and shapes, lists of them for several; outputs None: new ones
        family            kernels of native networks, by name

        Variables begin as they are in this model, and from then on belong to what is bound.

        Raises BadArgument for arrays that do not fit, and for files whose images have channels first (they are turned,
        which is a copy: use run), BackendError where the native backend cannot run all of it; see
        `neonsim.nn.graph.plan.bound.Bound`.
        """
        turned = [one.name for one in (*self.inputs, *self.outputs) if one.order is not None]
        if turned:
            raise BadArgument(f"{turned[0]!r} of {self.record.name} has its channels first: it is turned for every "
                              "run, so nothing can be bound to it. Use run.")
        ready = self._plans.get((None, arithmetic, None, False, family, None, None, None))
        plan = ready if isinstance(ready, NativePlan) else self.plan("native", arithmetic=arithmetic, family=family)
        assert isinstance(plan, NativePlan)
        lowered, tensors = self.lowered(arithmetic), plan.graph.tensors
        names = [lowered.tensors[number] for number in self.record.outputs]
        given = {one.name: value for one, value in zip(self.inputs, self._each(inputs), strict=True)
                 if one.name in plan.graph.inputs}
        shapes = {one.name: one.shape for one in self.inputs} | {
            name: one.shape for name, one in zip(names, self.outputs, strict=True)}
        made = [np.zeros(one.shape, one.dtype) for one in self.outputs] if outputs is None else outputs
        states = {one.input: (one.next, np.array(self._state.get(variable, one.initial)).reshape(
            tensors[one.input].shape)) for variable, one in lowered.states.items()}
        return BoundPlan(plan, given, made, shapes, names, states)

    def _each(self, x: Any) -> Sequence[Any]:
        """What was given for each of the inputs."""
        given = x if isinstance(x, list | tuple) else [x]
        if len(given) != len(self.inputs):
            raise BadArgument(f"{self.record.name} takes {len(self.inputs)} inputs; got {len(given)}. Pass a list: "
                              f"{', '.join(map(str, self.inputs))}.")
        return given

    def _inputs(self, x: Any, graph: Graph) -> dict[str, Any]:
        found, wanted = {}, graph.inputs
        for value, stored in zip(self._each(x), self.inputs, strict=True):
            if stored.name not in wanted:
                continue
            array = elements(value) if isinstance(value, Quantized) else np.asarray(value)
            if array.dtype != stored.dtype or array.shape != stored.shape:
                raise BadArgument(f"{stored.name} of {self.record.name} must be {stored}; got {array.dtype} "
                                  f"{list(array.shape)}.")
            tensor = graph.tensors[stored.name]
            found[stored.name] = tensor.type.value(np.ascontiguousarray(stored.from_file(array)).reshape(
                tensor.shape))
        return found

    @serialized
    def tensor(self, name: str) -> NDArray[Any]:
        """What a tensor of the file held after the last run(keep=True)."""
        if self._last is None:
            raise BadArgument(f"{self.record.name} was not run yet: model.run(x, keep=True).")
        lowered, plan = self._last
        number = self._number(name)
        if number not in lowered.tensors:
            raise BadArgument(f"{name} of {self.record.name} is not computed.")
        value: ArrayLike = elements(plan.tensor(lowered.tensors[number]))
        return self.record.tensors[number].to_file(np.asarray(value))
