"""`neonsim quantize FILE`: a network of real numbers as one of integers."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.errors import BadArgument
from neonsim.nn.formats import Model, check_writable, image_for, load_model, write_graph
from neonsim.nn.formats.ir import StoredTensor
from neonsim.nn.formats.npy import read_array
from neonsim.nn.graph import FLOWS, Graph, quantize, simplify
from neonsim.nn.graph.passes import diff, fuse_requantization
from neonsim.nn.graph.quantize.ncnn import EQ
from neonsim.nn.graph.quantize.quantize import calibrate_run, list_casts
from neonsim.quant.calibration import METHODS, similarity

from .options import add_output, print_json, top_command, wrote
from .progress import Bar

__all__ = ["add_commands"]

_PICTURES = (".bmp", ".gif", ".jpeg", ".jpg", ".png", ".ppm", ".webp")


def add_commands(commands: Any) -> None:
    parser = top_command(commands, "quantize",
                         "neonsim quantize float.tflite --calibrate inputs.npy --method kl --out int8.tflite")
    parser.add_argument("file", help="A .tflite or .onnx file of a float32 network.")
    parser.add_argument("--flow", choices=list(FLOWS), default="tflite", help="Quantize as this runtime does (tflite).")
    parser.add_argument("--calibrate", metavar="INPUTS",
                        help="Take ranges from these inputs: a folder of pictures, or a .npy array [count, ...].")
    parser.add_argument("--pixels", nargs=2, type=float, default=(-1.0, 1.0), metavar=("LOW", "HIGH"),
                        help="Map black and white of pictures to these float32 values (-1 1).")
    parser.add_argument("--method", choices=[*METHODS, EQ], default="minmax",
                        help="Choose ranges by this method (minmax); eq searches scales in ncnn's flows.")
    parser.add_argument("--max-inputs", type=int, default=100, metavar="N", help="Take at most this many inputs (100).")
    parser.add_argument("--per", choices=("tensor", "channel"), help="Give weights a scale per tensor or per channel "
                        "(the flow's own choice).")
    add_output(parser, "--out", help="Write the network: .npz (any flow), .tflite (tflite, shift-only, 16x8), .onnx "
               "(onnxruntime).")
    parser.set_defaults(run=_quantize)


class _Shown(list[NDArray[Any]]):
    """Inputs, counted on a bar each time they are gone through."""

    def __init__(self, inputs: list[NDArray[Any]], bar: Bar) -> None:
        super().__init__(inputs)
        self.bar = bar

    def __iter__(self) -> Iterator[NDArray[Any]]:
        for one in super().__iter__():
            yield one
            self.bar(1)


def _inputs(where: str, model: Model, max_inputs: int, pixels: tuple[float, float]) -> list[NDArray[Any]]:
    """Inputs of a folder or an array, in order, with their channels last as graphs have them."""
    if len(model.inputs) != 1:
        raise BadArgument(f"{model.record.name} has {len(model.inputs)} inputs, but this command needs one.")
    if max_inputs < 1:
        raise BadArgument("--max-inputs must be at least 1.")
    if not (np.isfinite(pixels).all() and pixels[0] < pixels[1]):
        raise BadArgument(f"--pixels must be LOW and HIGH, with LOW below HIGH; got {pixels[0]:g} and {pixels[1]:g}.")
    wanted, path = model.inputs[0], Path(where)
    if path.is_dir():
        files = sorted(one for one in path.iterdir() if one.suffix.lower() in _PICTURES)[:max_inputs]
        if not files:
            raise BadArgument(f"{path} has no pictures ({', '.join(_PICTURES)}).")
        return [_ours(image_for(one, wanted, pixels=pixels), wanted) for one in files]
    if path.suffix != ".npy" or not path.is_file():
        raise BadArgument(f"{path} is neither a folder of pictures nor a .npy file.")
    found = read_array(path)
    shape = wanted.shape
    if found.shape[1:] not in (shape, shape[1:]):
        raise BadArgument(f"{path} has shape {list(found.shape)}; inputs of {wanted.name!r} must be [count, "
                          f"{', '.join(map(str, shape[1:]))}].")
    if not len(found):
        raise BadArgument(f"{path} has no inputs for the calibration.")
    if found.dtype.kind not in "fiu":
        raise BadArgument(f"{path} has type {found.dtype}; it must be a floating-point type.")
    return [_ours(np.asarray(one, np.float32).reshape(shape), wanted) for one in found[:max_inputs]]


def _ours(values: NDArray[Any], wanted: StoredTensor) -> NDArray[Any]:
    return np.ascontiguousarray(wanted.from_file(values))


@contextmanager
def _warnings_said() -> Iterator[None]:
    """Warnings as lines of their own, without the place in our code."""
    with warnings.catch_warnings(record=True) as heard:
        yield
    for one in heard:
        print(f"neonsim: warning: {one.message}", file=sys.stderr)


def _quantize(options: argparse.Namespace) -> int:
    model = load_model(options.file)
    if options.calibrate is None:       # after the file: a missing file is the first thing to name
        raise BadArgument("--calibrate is missing: name a folder of pictures, or a .npy array [count, ...].")
    graph, pixels = model.graph, tuple(options.pixels)
    if options.out:
        check_writable(graph, options.flow, options.out)
    inputs = _inputs(options.calibrate, model, options.max_inputs, (pixels[0], pixels[1]))
    bar = Bar("inputs", options, "calibrating")
    with _warnings_said():
        try:
            made = quantize(graph, options.flow, calibration=_Shown(inputs, bar), method=options.method,
                            per_channel=None if options.per is None else options.per == "channel")
        finally:
            bar.close()
    alike = _alike(graph, made, inputs[:8])
    changes = diff(graph, simplify(graph))
    if options.flow == "ncnn-fused":
        blue = calibrate_run(graph, "ncnn")
        changes += diff(blue, fuse_requantization(blue))
    converted = list_casts(made)
    if options.out:
        with _warnings_said():
            write_graph(made, options.out)
        wrote(options.out, options)
    if options.json:
        print_json({"file": model.record.name, "flow": options.flow, "method": options.method, "inputs": len(inputs),
                    "merged": [str(one) for one in changes], "operators": len(made.nodes),
                    "conversions": converted, "similarity": alike,
                    "schemes": {name: {"scale": float(tensor.scheme.scale), "zero_point": tensor.scheme.zero_point}
                                for name, tensor in made.tensors.items() if tensor.scheme is not None}})
        return 0
    print(f"{model.record.name} by flow {options.flow}, {options.method}, {len(inputs)} inputs")
    for one in changes:
        print(f"  {one}")
    print(f"{len(made.nodes)} operators; elements of a run: " + ", ".join(
        f"{count:,} {what}" for what, count in converted.items()) + " (counted)")
    print("how like the real network (cosine, least of the inputs tried; 1 is the same direction)")
    for name, value in alike.items():
        print(f"  {value:9.6f}  {name}")
    return 0


def _alike(graph: Graph, made: Graph, inputs: list[NDArray[Any]]) -> dict[str, float]:
    """Least similarity of every result over some inputs."""
    plans = graph.plan("reference"), made.plan(("native", "reference"))
    found = dict.fromkeys(graph.outputs, 1.0)
    for x in inputs:
        for plan in plans:
            plan.run(x)
        for name, own in zip(graph.outputs, made.outputs, strict=True):
            found[name] = min(found[name], similarity(plans[0].tensor(name), plans[1].tensor(own)))
    return found
