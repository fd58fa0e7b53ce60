"""`neonsim bench model FILE ...`: networks of files, run by us and by the runtimes that such files are made for.

    LiteRT          .tflite   its XNNPACK delegate, as it takes it by itself
    ONNX Runtime    .onnx     its own processor kernels

Ours are three: the layers alone, a run bound to arrays (`model.bind`), and `model.run(x)`. Theirs is the call that runs
(`invoke`, `run_with_iobinding`), inputs in place before. All take turns, and their results are compared first.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.common.extras import install
from neonsim.common.fileio import read_file
from neonsim.common.limits import MAX_MODEL_BYTES
from neonsim.errors import BackendError, BadArgument, NeonsimError
from neonsim.nn.formats import Model, load_model
from neonsim.nn.graph.plan.native import NativePlan

from .native import chosen_families, measure
from .peers.isa_limit import Restriction

__all__ = ["ModelRow", "bench_models", "random_arrays"]

Arrays = list[NDArray[Any]]


@dataclass
class ModelRow:
    """One file by n threads: least of many runs, measured.

    layers, bound, run   milliseconds of the layers alone, of a bound run, of model.run(x); None: not by one native plan
    peer_value           the same of the peer                    ratio   (bound or else run) / peer_value
    bytes_equal          whether the peer's bytes are ours; None without one
    """

    name: str
    threads: int
    backend: str
    layers: float | None
    bound: float | None
    run: float
    unit: str = "ms"
    peer: str | None = None
    peer_value: float | None = None
    ratio: float | None = None
    bytes_equal: bool | None = None


@dataclass(frozen=True)
class PreparedFile:
    """A file in another runtime: runs it; what the last run gave."""

    name: str
    run: Callable[[], object]
    results: Callable[[], Arrays]


def random_arrays(model: Model, seed: int) -> Arrays:
    """Seeded inputs of a network: any number of its types, -1 to 1 in float32."""
    rng = np.random.default_rng(seed)
    found: Arrays = []
    for tensor in model.inputs:
        if tensor.dtype == "float32":
            found.append(rng.uniform(-1, 1, tensor.shape).astype(np.float32))
        else:
            info = np.iinfo(tensor.dtype)
            found.append(rng.integers(info.min, info.max + 1, tensor.shape, dtype=tensor.dtype))
    return found


def _module(name: str, wanted: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise BackendError(f"not measured: {install(*wanted.split())}") from None


def _without_stale_axes(content: bytes) -> bytes:
    """Scales along an axis that their tensor does not have, which LiteRT refuses, along the first."""
    schema = _module("ai_edge_litert.schema_py_generated", "ai-edge-litert flatbuffers")
    model = schema.ModelT.InitFromPackedBuf(content, 0)
    for graph in model.subgraphs:
        for tensor in graph.tensors:
            found = tensor.quantization
            if found is not None and found.quantizedDimension >= len([] if tensor.shape is None else tensor.shape):
                found.quantizedDimension = 0
    builder = _module("flatbuffers", "flatbuffers").Builder(len(content))
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def _litert(path: str, x: Arrays, threads: int) -> PreparedFile:
    module = _module("ai_edge_litert.interpreter", "ai-edge-litert flatbuffers")
    content = read_file(path, MAX_MODEL_BYTES)

    def made(content: bytes) -> Any:
        found = module.Interpreter(model_content=content, num_threads=threads)
        found.allocate_tensors()
        return found

    try:
        try:
            interpreter = made(content)
        except (ValueError, RuntimeError):
            interpreter = made(_without_stale_axes(content))
        for detail, values in zip(interpreter.get_input_details(), x, strict=True):
            interpreter.set_tensor(detail["index"], values)
        interpreter.invoke()
    except BackendError:
        raise
    except Exception as problem:  # whatever that library raises
        raise BackendError(f"cannot run it: {str(problem).splitlines()[0][:120]}") from None
    outputs = [detail["index"] for detail in interpreter.get_output_details()]
    return PreparedFile(f"litert {version('ai-edge-litert')}", interpreter.invoke,
                        lambda: [interpreter.get_tensor(index) for index in outputs])


def _onnxruntime(path: str, x: Arrays, threads: int) -> PreparedFile:
    module = _module("onnxruntime", "onnxruntime")
    options = module.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads, options.log_severity_level = threads, 1, 3
    try:
        session = module.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        binding = session.io_binding()
        for one, values in zip(session.get_inputs(), x, strict=True):
            binding.bind_cpu_input(one.name, np.ascontiguousarray(values))
        for one in session.get_outputs():
            binding.bind_output(one.name)
        session.run_with_iobinding(binding)
    except Exception as problem:  # whatever that library raises
        raise BackendError(f"cannot run it: {str(problem).splitlines()[0][:120]}") from None
    return PreparedFile(f"onnxruntime {version('onnxruntime')}", lambda: session.run_with_iobinding(binding),
                        binding.copy_outputs_to_cpu)


# By the ending of a file: whose it is, and how it is prepared there.
_PEERS: dict[str, tuple[str, Callable[[str, Arrays, int], PreparedFile]]] = {
    ".tflite": ("litert", _litert), ".onnx": ("onnxruntime", _onnxruntime)}


def bench_models(paths: Sequence[str], *, quick: bool, threads: Sequence[int], with_peers: bool,
                 family: str | None = None) -> tuple[list[ModelRow], list[str]]:
    """Return a row for each file and number of threads, and sentences about what is missing or differs.

    Raises whatever keeps the first file from being read.
    """
    rows: list[ModelRow] = []
    names, said = chosen_families(family)
    label = Restriction(names)
    label.apply()
    for path in paths:
        model = load_model(path)
        try:
            _check_families(model, names)
            rows += [_row(model, path, count, quick, label if with_peers else None, name, said)
                     for count in threads for name in names]
        except NeonsimError as problem:
            if len(paths) == 1:
                raise
            said.append(f"{model.record.name}: {problem}")
    return rows, list(dict.fromkeys(said))


def _check_families(model: Model, names: Sequence[str | None]) -> None:
    """Raises BackendError if families give other bytes."""
    x, wanted = random_arrays(model, 1), None
    for name in names if len(names) > 1 else ():
        found = model.run(x, plan=model.plan(family=name))
        if wanted is not None and not _same(wanted, found):
            raise BackendError(f"{model.record.name}: {name} gives other bytes than {names[0]}. Please report this.")
        wanted = wanted or found


def _row(model: Model, path: str, threads: int, quick: bool, label: Restriction | None, family: str | None,
         said: list[str]) -> ModelRow:
    """A row; label: how peers are called, None: without them."""
    name, x = model.record.name, random_arrays(model, 0)
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        plan = model.plan(family=family)
    said += [str(one.message) for one in heard]
    calls: dict[str, Callable[[], object]] = {"run": lambda: model.run(x, threads=threads, plan=plan)}
    wanted = model.run(x, threads=threads, plan=plan)
    if isinstance(plan, NativePlan):
        network = plan.network
        calls["network"] = lambda: network.rerun(threads)
        try:
            bound = model.bind(x, family=family)
        except BadArgument as problem:
            said.append(str(problem))
        else:
            calls["bound"] = lambda: bound.run(threads)
    peer = None
    if label is not None:
        who, prepare = _PEERS[Path(path).suffix.lower()]
        try:
            peer = prepare(path, x, threads)
            calls["peer"] = peer.run
        except BackendError as problem:
            said.append(f"{name}: {who} {problem}")
    same = None if peer is None else _same(wanted, peer.results())
    if same is False:
        said.append(f"{name}: {'' if peer is None else peer.name} gives other bytes")
    times = measure(list(calls.values()), threads, quick)
    least = {name: min(every) * 1e3 for name, every in zip(calls, times, strict=True)}
    row = ModelRow(name, threads, f"{plan.backend}{f' ({plan.family})' if isinstance(plan, NativePlan) else ''}",
                   least.get("network"), least.get("bound"), least["run"])
    if peer is not None:
        name = peer.name if label is None else label.mark(peer.name)
        row.peer, row.peer_value, row.bytes_equal = name, least["peer"], same
        row.ratio = (row.run if row.bound is None else row.bound) / least["peer"]
    return row


def _same(ours: Arrays, theirs: Arrays) -> bool:
    return len(ours) == len(theirs) and all(
        np.array_equal(a.reshape(-1), np.asarray(b).reshape(-1)) for a, b in zip(ours, theirs, strict=True))
