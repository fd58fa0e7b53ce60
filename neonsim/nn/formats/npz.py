"""A graph of ours as an `.npz`: whatever was quantised, by any flow, saved and read back as it was.

The archive holds the arrays "0", "1" ... and "graph", the bytes of a JSON text that says tensors, nodes, and for every
node its class with the arguments it was made with. There is no pickle in it: numpy's `load` opens it as it is. Reading
makes every operator anew by its class, which checks its arguments, so a damaged file is refused and not run. Nothing is
made before its size is known to be one that networks have.
"""

from __future__ import annotations

import io
import json
import math
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from neonsim.common.fileio import load_json, write_file
from neonsim.common.limits import (
    MAX_GRAPH_TEXT_BYTES,
    MAX_GRAPH_TEXT_VALUES,
    MAX_INDICES,
    MAX_MODEL_BYTES,
    MAX_NODES,
    MAX_TENSOR_BYTES,
)
from neonsim.errors import BadArgument, ModelError, NeonsimError
from neonsim.nn import ops
from neonsim.nn.formats.npy import archived_arrays
from neonsim.nn.graph import Concat, Constant, GatherIndices, Graph, Node, Reshape, Split
from neonsim.nn.graph.data_movement import Relabel
from neonsim.nn.ops.arithmetics import ncnn, onnxruntime, tengine
from neonsim.nn.ops.float32 import operators, unquantized
from neonsim.nn.ops.quantized.lut import ACTIVATIONS
from neonsim.nn.ops.quantized.weighted import WeightedOperator
from neonsim.quant.scheme import Quantized, Scheme
from neonsim.quant.tensor_type import TensorType

__all__ = ["npz_bytes", "read_npz", "write_npz"]

_VERSION = 1
_MAX_RANGES = 16 * MAX_INDICES
Arguments = dict[str, Any]


class _Kind(NamedTuple):
    """An operator in the file: how it is made, and the arguments that make it."""

    make: Callable[..., Any]
    of: Callable[[Any], Arguments]


# ---- classes and their arguments -------------------------------------------------------------------------------------

def _named(make: Callable[..., Any], names: str, operands: str = "") -> _Kind:
    """Arguments that are attributes of the same name; operands are schemes of what it reads."""
    def of(one: Any) -> Arguments:
        found = {name: one.schemes[place] for place, name in enumerate(operands.split())}
        return found | {name: getattr(one, name) for name in names.split()}
    return _Kind(make, of)


def _product(make: Callable[..., Any], names: str) -> _Kind:
    def of(one: WeightedOperator) -> Arguments:
        found = {"x": one.schemes[0]} | {name: getattr(one, name) for name in (
            "w", "bias", "out", "requantization", "output_min", "output_max", *names.split())}
        return found if one.given_scale is None else found | {"scale": np.asarray(one.given_scale, np.float64)}
    return _Kind(make, of)


def _integer(make: Callable[..., Any], windows: bool) -> _Kind:
    def of(one: Any) -> Arguments:
        w = one.w.astype(np.int8) if one.w.min() >= -128 and one.w.max() <= 127 else one.w
        found = {"x": one.input_types[0], "w": w, "zero_point": one.zero_point}
        return found | {name: getattr(one, name) for name in _WINDOW.split()} if windows else found
    return _Kind(make, of)


def _global_mean(x: Scheme, out: Scheme, image: list[int]) -> onnxruntime.OrtGlobalMean:
    if math.prod(image) * 8 > MAX_TENSOR_BYTES >> 4:      # it is made of as many ones
        raise BadArgument(f"a mean of images {image} has more pixels than an image.")
    return onnxruntime.OrtGlobalMean(x, out=out, image=image)


def _single_activation(x: Scheme, out: Scheme, word: str, attributes: Mapping[str, float]
                       ) -> onnxruntime.OrtActivation:
    return onnxruntime.OrtActivation(x, out, word, **attributes)


def _tabled(x: Scheme, out: Scheme, table: NDArray[Any], kind: str) -> onnxruntime.TableFunction:
    if table.shape != (256,) or table.dtype != out.dtype:
        raise BadArgument(f"a function of one byte has 256 results of {out.dtype}; got {table.dtype} "
                          f"{list(table.shape)}.")
    return onnxruntime.TableFunction.from_table(x, out, table, str(kind))


def _picked(type: TensorType, shape: list[int], axes: list[int], indices: list[Any], view: list[int],
            order: list[int], result: list[int], fill: float, kind: str, made_with: Mapping[str, Any]) -> GatherIndices:
    return GatherIndices(type, tuple(shape), dict(zip(axes, indices, strict=True)), view=tuple(view), order=order,
                         result=tuple(result), fill=fill, kind=kind, **made_with)


def _pick_arguments(one: GatherIndices) -> Arguments:
    return {"type": one.type, "shape": one.shape, "axes": list(one.picks), "indices": list(one.picks.values()),
            "view": one.view, "order": one.order, "result": one.result, "fill": one.fill, "kind": one.kind,
            "made_with": dict(one.made_with)}


def _typed(make: Callable[..., Any], names: str) -> _Kind:
    return _Kind(lambda type, **more: make(type, **more), _named(make, f"type {names}").of)


_WINDOW, _POOL, _CUT = "stride padding dilation groups", "pool stride padding", "output_min output_max"
_REAL = "low high"
_KINDS: dict[type, _Kind] = {
    **{row.operator: _named(row.operator, f"out{' ties' * row.ties}", "x") for row in ACTIVATIONS.values()},
    **{kind: _named(kind, f"out ties {_CUT}", "x") for kind in (ops.Sigmoid, ops.Tanh)},
    ops.Conv2d: _product(ops.Conv2d, _WINDOW), ops.FullyConnected: _product(ops.FullyConnected, ""),
    ops.Deconv2d: _product(ops.Deconv2d, f"{_WINDOW} adjustment"),
    ops.Add: _named(ops.Add, f"out rounding {_CUT}", "a b"),
    ops.Multiply: _named(ops.Multiply, f"out requantization {_CUT}", "a b"),
    ops.Clamp: _named(ops.Clamp, _CUT, "x"),
    ops.LeakyRelu: _named(ops.LeakyRelu, "slope out requantization", "x"),
    ops.MaxPool2d: _named(ops.MaxPool2d, f"{_POOL} dilation {_CUT}", "x"),
    ops.AvgPool2d: _named(ops.AvgPool2d, f"{_POOL} out integer {_CUT}", "x"),
    ops.GlobalAvgPool: _named(ops.GlobalAvgPool, f"out requantization {_CUT}", "x"),
    ops.Softmax: _named(ops.Softmax, "beta out fixed", "x"),
    ops.ChannelShuffle: _named(ops.ChannelShuffle, "groups", "x"),
    ops.Quantize: _named(ops.Quantize, "out reciprocal ties finite"), ops.Dequantize: _named(ops.Dequantize, "x scale"),
    onnxruntime.OrtQuantize: _named(onnxruntime.OrtQuantize, "out"),
    onnxruntime.OrtMean: _named(onnxruntime.OrtMean, f"{_POOL} counts_padding out", "x"),
    onnxruntime.OrtGlobalMean: _Kind(_global_mean, lambda one: {
        "x": one.schemes[0], "out": one.out, "image": (*one.w.shape[1:3], one.w.shape[0])}),
    onnxruntime.OrtSoftmax: _named(onnxruntime.OrtSoftmax, "out", "x"),
    onnxruntime.OrtActivation: _Kind(_single_activation, lambda one: {
        "x": one.schemes[0], "out": one.out, "word": one.word, "attributes": one.attributes}),
    onnxruntime.TableFunction: _Kind(_tabled, lambda one: {"x": one.schemes[0], "out": one.out, "kind": one.kind,
                                                     "table": one.table().view(one.out.dtype)}),
    tengine.TengineQuantize: _named(tengine.TengineQuantize, "out"),
    tengine.DetourMean: _named(tengine.DetourMean, f"{_POOL} out {_CUT}", "x"),
    tengine.DetourClamp: _named(tengine.DetourClamp, f"out {_REAL}", "x"),
    tengine.DetourSoftmax: _named(tengine.DetourSoftmax, "out beta", "x"),
    ncnn.QuantizeInt8: _named(ncnn.QuantizeInt8, "steps"),
    ncnn.DequantizeAcc: _named(ncnn.DequantizeAcc, f"factor bias {_REAL}"),
    ncnn.RequantizeAcc: _named(ncnn.RequantizeAcc, f"factor bias steps {_REAL}"),
    unquantized.AccumulatorConv2d: _integer(unquantized.AccumulatorConv2d, True),
    unquantized.AccumulatorMatmul: _integer(unquantized.AccumulatorMatmul, False),
    operators.Float32Conv2d: _named(operators.Float32Conv2d, f"w bias {_WINDOW} {_REAL}"),
    operators.Float32FullyConnected: _named(operators.Float32FullyConnected, f"w bias {_REAL}"),
    operators.BatchNorm: _named(operators.BatchNorm, "gain offset"),
    operators.Float32Add: _named(operators.Float32Add, _REAL),
                             operators.Float32Clamp: _named(operators.Float32Clamp, _REAL),
    operators.Float32LeakyRelu: _named(operators.Float32LeakyRelu, "slope"),
    operators.Float32MaxPool2d: _named(operators.Float32MaxPool2d, f"{_POOL} dilation {_REAL}"),
    operators.Float32AvgPool2d: _named(operators.Float32AvgPool2d, f"{_POOL} {_REAL}"),
    operators.Float32GlobalAvgPool: _named(operators.Float32GlobalAvgPool, ""),
    operators.Float32Softmax: _named(operators.Float32Softmax, "beta"),
    Concat: _typed(Concat, "axis"), Split: _typed(Split, "parts axis"), Reshape: _typed(Reshape, "shape"),
    Relabel: _typed(Relabel, "shape before"), Constant: _typed(Constant, "values"),
    GatherIndices: _Kind(_picked, _pick_arguments),
}
_BY_NAME = {kind.__name__: made for kind, made in _KINDS.items()}


# ---- writing ---------------------------------------------------------------------------------------------------------

def write_npz(graph: Graph, path: str | Path) -> Path:
    """Write a graph as an `.npz`; returns its path.

    Raises ModelError for an operator that is not saved, BadArgument for a place where nothing can be written.
    """
    return write_file(path, npz_bytes(graph))


def npz_bytes(graph: Graph) -> bytes:
    """The bytes of that file: the same for the same graph."""
    saving = _Saving()
    said = {
        "neonsim": _VERSION, "name": graph.name,
        "inputs": [[name, graph.tensors[name].shape, saving.value(graph.tensors[name].type)] for name in graph.inputs],
        "nodes": [[node.name, type(node.operator).__name__, node.inputs, saving.arguments(graph, node)]
                  for node in graph.nodes],
        "outputs": graph.outputs,
    }
    saving.arrays["graph"] = np.frombuffer(json.dumps(said, separators=(",", ":"), allow_nan=False).encode(), np.uint8)
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in saving.arrays.items():
            part = io.BytesIO()
            np.lib.format.write_array(part, array, allow_pickle=False)
            one = zipfile.ZipInfo(f"{name}.npy", (1980, 1, 1, 0, 0, 0))     # no time: the same bytes tomorrow
            one.compress_type, one.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(one, part.getvalue())
    return held.getvalue()


class _Saving:
    """Arrays that the text names by their numbers."""

    def __init__(self) -> None:
        self.arrays: dict[str, NDArray[Any]] = {}

    def arguments(self, graph: Graph, node: Node) -> dict[str, Any]:
        kind = _KINDS.get(type(node.operator))
        if kind is None:
            raise ModelError(f"{node.name} of {graph.name}: {node.kind} of class {type(node.operator).__name__} is not "
                             "saved in .npz files.")
        return {name: self.value(one) for name, one in kind.of(node.operator).items()}

    def value(self, one: Any) -> Any:
        """An argument in JSON."""
        match one:
            case None | bool() | int() | str():
                return one
            case float() if math.isfinite(one):
                return one
            case float():
                return {"real": repr(one)}
            case np.ndarray() if one.ndim == 0:
                return {"array0": self._array(one.reshape(1))}
            case np.ndarray():
                return {"array": self._array(one)}
            case np.generic():
                return self.value(one.item())
            case Scheme():
                return {"scheme": [self.value(part) for part in (one.scale, one.zero_point, one.dtype, one.axis)]}
            case Quantized():
                return {"quantized": [self.value(part) for part in (one.values, one.scale, one.zero_point, one.axis)]}
            case TensorType():
                return {"type": [one.dtype, self.value(one.scheme)]}
            case range():
                return {"range": [one.start, one.stop, one.step]}
            case dict():
                return {"dict": {name: self.value(part) for name, part in one.items()}}
            case _:
                return [self.value(part) for part in one]

    def _array(self, one: NDArray[Any]) -> int:
        number = len(self.arrays)
        self.arrays[str(number)] = np.ascontiguousarray(one)
        return number


# ---- reading ---------------------------------------------------------------------------------------------------------

def read_npz(path: str | Path) -> Graph:
    """The graph of such a file.

    Raises BadArgument for a file that is not there, ModelError for one that is no graph of ours, or damaged: which
    node, and why.
    """
    file = Path(path)
    if not file.is_file():
        raise BadArgument(f"there is no file {file}.")
    if file.stat().st_size > MAX_MODEL_BYTES:
        raise ModelError(f"{file} has {file.stat().st_size:,} bytes; the limit is {MAX_MODEL_BYTES:,}.")
    arrays = _arrays(file)
    if "graph" not in arrays:
        raise ModelError(f"{file} is not a saved graph: it has no array 'graph'. write_npz(graph, path) writes one.")
    text = arrays.pop("graph")
    try:
        said = load_json(text.tobytes(), MAX_GRAPH_TEXT_VALUES)
        if said["neonsim"] != _VERSION:
            raise ModelError(f"{file} is of version {said['neonsim']!r}; supported: {_VERSION}.")
        inputs, nodes, outputs, name = said["inputs"], said["nodes"], said["outputs"], said["name"]
    except (ValueError, KeyError, TypeError) as problem:
        raise ModelError(f"{file} is not a saved graph, or it is damaged: {_words(problem)}.") from None
    return _Reading(file.name, arrays).graph(str(name), inputs, nodes, outputs)


def _arrays(file: Path) -> dict[str, NDArray[Any]]:
    room = [MAX_MODEL_BYTES]

    def check(shape: tuple[int, ...], dtype: np.dtype[Any], name: str) -> None:
        if dtype.kind not in "iuf" or any(not isinstance(size, int) or size < 0 for size in shape):
            raise BadArgument(f"{name} has {dtype} {list(shape)}; supported: numbers.")
        room[0] -= math.prod(shape) * dtype.itemsize
        if name.startswith("graph.npy") and math.prod(shape) * dtype.itemsize > MAX_GRAPH_TEXT_BYTES:
            raise BadArgument(f"{name} has more than {MAX_GRAPH_TEXT_BYTES:,} bytes of text.")
        if room[0] < 0:
            raise BadArgument(f"{name} and what is before it take more than {MAX_MODEL_BYTES:,} bytes.")

    try:
        return {name: read(check) for name, read in archived_arrays(file)}
    except BadArgument as problem:
        raise ModelError(str(problem)) from None


def _words(problem: Exception) -> str:
    said = " ".join(str(problem).split())[:160].rstrip(".")
    return said if isinstance(problem, NeonsimError) else f"{type(problem).__name__}, {said}"


class _Reading:
    """One file on its way."""

    def __init__(self, file: str, arrays: dict[str, NDArray[Any]]) -> None:
        self.file, self.arrays = file, arrays
        self.weights = MAX_MODEL_BYTES            # bytes that operators may yet make from their numbers
        self.indices = _MAX_RANGES             # that ranges may yet have

    def graph(self, name: str, inputs: Any, nodes: Any, outputs: Any) -> Graph:
        where = "its inputs"
        try:
            found = Graph(name)
            for one, shape, type_ in inputs:
                given = self.value(type_)
                if not isinstance(given, TensorType):
                    raise BadArgument(f"{one!r} has no type.")
                self._check(found, (found.add_input(one, shape, given.scheme, None if given.scheme else given.dtype),))
            if len(nodes) > MAX_NODES:
                raise BadArgument(f"it has {len(nodes):,} nodes; the limit is {MAX_NODES:,}.")
            for place, (one, kind, read, arguments) in enumerate(nodes):
                where = f"node {place}, {str(one)[:80]!r} ({str(kind)[:40]})"
                if kind not in _BY_NAME:
                    raise BadArgument("there is no such operator.")
                operator = _BY_NAME[kind].make(**{key: self.value(given) for key, given in arguments.items()})
                self.weights -= operator.weight_bytes if operator.requantizes else 0
                if self.weights < 0:
                    raise BadArgument(f"weights up to here take more than {MAX_MODEL_BYTES:,} bytes.")
                found.add_node(one, operator, *read)
                self._check(found, found.nodes[-1].results)
            where = "its results"
            return found.finish(*outputs)
        except ModelError:
            raise
        except (NeonsimError, TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RecursionError,
                MemoryError) as problem:
            raise ModelError(f"{self.file} is damaged: {where}: {_words(problem)}.") from None

    @staticmethod
    def _check(graph: Graph, made: Sequence[str]) -> None:
        """Refuse tensors of sizes that none has, and too many of them."""
        for name in made:
            if graph.tensors[name].size * 8 > MAX_TENSOR_BYTES:
                raise BadArgument(f"{name!r} has {graph.tensors[name].size:,} elements: too many.")
        if len(graph.tensors) > 2 * MAX_NODES:
            raise BadArgument(f"up to here there are {len(graph.tensors):,} tensors; the limit is {2 * MAX_NODES:,}.")

    def _array(self, given: Any) -> NDArray[Any]:
        """An array; each is named once, or a short text would make many copies of it."""
        found = self.arrays.pop(str(given), None)
        if found is None:
            raise BadArgument(f"unknown array {str(given)[:40]!r}, or two arguments name it.")
        return found

    def _range(self, start: int, stop: int, step: int) -> range:
        """A range that may be counted out."""
        found = range(start, stop, step)
        count = max(0, -(-(stop - start) // step))      # len() fails above 63 bits
        self.indices -= count
        if count > MAX_INDICES or self.indices < 0:
            raise BadArgument(f"a range has {count:,} indices; {MAX_INDICES:,} at most, {_MAX_RANGES:,} of all "
                              "together.")
        return found

    def value(self, said: Any) -> Any:
        """An argument of JSON."""
        if isinstance(said, list):
            return [self.value(one) for one in said]
        if not isinstance(said, dict):
            return said
        if len(said) != 1:
            raise BadArgument("an argument names several kinds of value.")
        (kind, given), = said.items()
        match kind:
            case "real":
                return float(given)
            case "array":
                return self._array(given)
            case "array0":
                return self._array(given).reshape(())
            case "scheme":
                return Scheme(*(self.value(one) for one in given))
            case "quantized":
                return Quantized(*(self.value(one) for one in given[:4]))
            case "type":
                return TensorType(given[0], self.value(given[1]))
            case "range":
                return self._range(*given)
            case "dict":
                return {name: self.value(one) for name, one in given.items()}
        raise BadArgument(f"unknown value of kind {str(kind)[:40]!r}.")
