"""`neonsim models FILE`, and `neonsim run FILE.tflite`: networks of other people's files."""

from __future__ import annotations

import argparse
import io
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.errors import BadArgument
from neonsim.files import write_file
from neonsim.formats import ARITHMETICS, SUFFIXES, Answer, Model, answers, image_for, load_model
from neonsim.graph.native import NativePlan

from .bench_models import random_arrays
from .options import add_output, command, print_json, wrote

__all__ = ["add_commands", "add_model_options", "is_model", "run_model"]


def add_commands(commands: Any) -> None:
    parser = command(commands, "models", "list what a file of a network is made of, and how each part runs",
                     "neonsim models person_detect.tflite")
    parser.add_argument("file", help=f"a file of a network: {', '.join(SUFFIXES)}")
    parser.add_argument("--arithmetic", choices=list(ARITHMETICS), default="xnnpack", help="whose bytes")
    parser.set_defaults(run=_models)


def add_model_options(parser: argparse.ArgumentParser) -> None:
    """What goes with a file of a network."""
    group = parser.add_argument_group("files of networks", f"PROGRAM may be one: {', '.join(SUFFIXES)}")
    group.add_argument("--image", metavar="PICTURE", help="a picture, resized to what the network takes; also for "
                                                            "the networks that are here")
    group.add_argument("--as-is", action="store_true", help="the picture's bytes are the input's, also where that is "
                                                            "int8: nothing is taken off")
    group.add_argument("--npy", metavar="ARRAY", action="append", default=[],
                       help="a .npy file: an input as it is; once for each of several. Networks with variables take "
                            "frames too, one axis more in front: run one after the other")
    group.add_argument("--labels", metavar="LABELS", help="a file: names of classes, one a line")
    add_output(group, "--out", help="write the results, by name (.npz)")
    group.add_argument("--until", metavar="TENSOR", help="compute as far as this tensor only")
    group.add_argument("--arithmetic", choices=list(ARITHMETICS), default="xnnpack", help="whose bytes")


def is_model(name: str) -> bool:
    """Is it a file of a network, by its name?"""
    return Path(name).suffix.lower() in SUFFIXES


def _models(options: argparse.Namespace) -> int:
    report = load_model(options.file).report(options.arithmetic)
    if options.json:
        print_json(report.as_dict())
    else:
        print(report)
    return 1 if report.missing else 0


def _given(options: argparse.Namespace, model: Model) -> list[NDArray[Any]]:
    if options.image and options.npy:
        raise BadArgument("--image and --npy both give the input: take one of them.")
    if options.image:
        if len(model.inputs) > 1:
            raise BadArgument(f"{model.record.name} takes {len(model.inputs)} inputs; --image is for one.")
        return [image_for(options.image, model.inputs[0], options.as_is)]
    if options.npy:
        return [_array(path) for path in options.npy]
    return random_arrays(model, options.seed)


def _array(path: str) -> NDArray[Any]:
    if not Path(path).is_file():
        raise BadArgument(f"there is no file {path}.")
    try:
        # A view of the file first: a header that promises more than there is takes no memory.
        found = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, OSError, EOFError, OverflowError, TypeError):
        raise BadArgument(f"{path} is no whole .npy file of numbers: write one with np.save(path, array).") from None
    if not isinstance(found, np.ndarray):
        raise BadArgument(f"{path} holds several arrays; --npy takes files of one, one for each input.")
    return np.array(found)


def _frames(model: Model, given: list[NDArray[Any]]) -> list[list[NDArray[Any]]] | None:
    """Inputs frame by frame, where a network has variables and each input an axis more in front; else None."""
    wanted = [tensor.shape for tensor in model.inputs]
    if not model.state() or [one.shape[1:] for one in given] != wanted or len({len(one) for one in given}) != 1:
        return None
    if not len(given[0]):
        raise BadArgument("there are no frames in what --npy gives.")
    return [list(frame) for frame in zip(*given, strict=True)]


def _highest(results: list[NDArray[Any]], model: Model, name: str) -> str:
    """Of single values over time: the largest, and when."""
    scheme, values = model.tensor_of(name).scheme, results[0].reshape(-1)
    at = int(values.argmax())
    real = values[at] if scheme is None else scheme.scale * (int(values[at]) - scheme.zero_point)
    return f"  {real:8.4f}  at frame {at} of {len(values)}, the highest"


def run_model(options: argparse.Namespace) -> int:
    """`neonsim run FILE.tflite`."""
    if options.arguments:
        raise BadArgument(f"{options.program} takes no arguments of a call: give --image or --npy.")
    if options.runs < 1:
        raise BadArgument("--runs must be at least 1.")
    model = load_model(options.program, options.labels)
    x = _given(options, model)
    begin = time.perf_counter()
    plan = model.plan(options.backend, arithmetic=options.arithmetic, until=options.until, family=options.family)
    planned = time.perf_counter() - begin

    def run_once(given: Any) -> list[NDArray[Any]]:
        return model.run(given, options.backend, options.threads, arithmetic=options.arithmetic, until=options.until,
                         family=options.family)

    begin = time.perf_counter()
    frames = _frames(model, x)
    runs = [run_once(one) for one in ([x] if frames is None else frames)]
    took = (time.perf_counter() - begin) / len(runs)
    results = runs[0] if frames is None else [np.stack(one) for one in zip(*runs, strict=True)]
    costs = None
    if isinstance(plan, NativePlan):
        frame = x if frames is None else frames[0]
        took = min(_seconds(lambda: run_once(frame)) for _ in range(options.runs))
        if options.until is None:
            arrays = [np.array(value) for value in frame]
            costs = model.bind(arrays, arithmetic=options.arithmetic, family=options.family
                               ).costs(options.threads, options.runs)
    names = [tensor.name for tensor in model.outputs] if options.until is None else [options.until]
    if options.out:
        _save(options.out, dict(zip(names, results, strict=True)))
        wrote(options.out, options)
    best: list[Answer] = answers(runs[-1][0], model.tensor_of(names[0]).scheme, model.labels)
    if options.json:
        print_json({"file": model.record.name, "backend": plan.backend, "arithmetic": options.arithmetic,
                    "threads": options.threads, "plan_seconds": planned, "run_seconds": took,
                    "costs": None if costs is None else costs._asdict(), "runs": plan.explain(),
                    "outputs": {name: one.tolist() for name, one in zip(names, results, strict=True)},
                    "answers": [one._asdict() for one in best]})
        return 0
    print(f"{model.record.name}: {len(plan.graph.nodes)} operators, {plan.graph.macs:,} MACs (counted)")
    print(f"{plan.backend}, {options.threads} thread{'s' * (options.threads > 1)}: planned in {planned * 1e3:.1f} ms, "
          f"{took * 1e3:.3f} ms a run (measured)")
    if costs is not None:
        print(f"its layers take {costs.layers * 1e3:.3f} ms; beside them a run costs {costs.beside_bound * 1e6:.1f} us "
              f"bound to arrays (model.bind), {(took - costs.layers) * 1e6:.1f} us by model.run (measured)")
    elif not isinstance(plan, NativePlan):
        print(plan.explain())
    if not (options.image or options.npy):
        print(f"its input is random (--seed {options.seed}); give one with --image or --npy")
    for name, one in zip(names, results, strict=True):
        print(f"{name}: {one.dtype} {list(one.shape)}")
    if frames is not None and runs[0][0].size == 1:
        print(_highest(results, model, names[0]))
    for answer in best if runs[0][0].size > 1 else []:
        print(f"  {answer.score:8.4f}  {answer.number:>5}  {answer.name}".rstrip())
    return 0


def _seconds(call: Callable[[], object]) -> float:
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def _save(path: str, arrays: dict[str, NDArray[Any]]) -> None:
    """An archive that np.load reads, each array under its tensor's name."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for name, one in arrays.items():
            part = io.BytesIO()
            np.lib.format.write_array(part, one, allow_pickle=False)
            archive.writestr(f"{name}.npy", part.getvalue())
    write_file(Path(path), held.getvalue())
