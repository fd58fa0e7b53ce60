"""`neonsim models FILE`, and `neonsim run FILE.tflite` or `.onnx`: networks of other people's files."""

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

from neonsim.bench.model_files import random_arrays
from neonsim.common.fileio import require_file, write_file
from neonsim.errors import BadArgument
from neonsim.nn.formats import SUFFIXES, ClassScore, Model, answers, load_model
from neonsim.nn.formats.images import image_and_convention
from neonsim.nn.formats.npy import read_array
from neonsim.nn.graph.plan.native import NativePlan
from neonsim.nn.graph.plan.partition import SegmentPlan

from .network_options import add_reading_options
from .networks import cores_of, emulated_options, engine_of, modeled, print_cycles, print_engine, print_refusals
from .options import print_json, top_command, wrote
from .progress import waiting

__all__ = ["add_commands", "inputs_of", "run_model"]


def add_commands(commands: Any) -> None:
    parser = top_command(commands, "models", "neonsim models person_detect.tflite")
    parser.add_argument("file", help=f"A file of a network: {', '.join(SUFFIXES)}.")
    add_reading_options(parser)
    parser.set_defaults(run=_models)


def _read(options: argparse.Namespace, path: str, labels: str | None = None) -> Model:
    sizes = {}
    for said in options.dimension:
        name, _, size = said.rpartition("=")
        if not name or not size.isascii() or not size.isdigit():
            raise BadArgument(f"--dimension must be NAME=N, as in height=224; got {said!r}.")
        sizes[name] = int(size)
    return load_model(path, labels, sizes=sizes, external=options.external, batch=options.batch)


def _models(options: argparse.Namespace) -> int:
    report = _read(options, options.file).report(options.arithmetic)
    if options.json:
        print_json(report.to_dict())
    else:
        print(report)
    return 1 if report.missing else 0


def inputs_of(model: Model, image: str | None, npy: list[str], raw_image: bool | None, seed: int
              ) -> tuple[list[NDArray[Any]], str]:
    """Inputs of a network: a picture, arrays, or random ones; and what they are in words ("" of arrays)."""
    if image and npy:
        raise BadArgument("--image and --npy both set the input. Use one of them.")
    if raw_image is not None and not image:
        raise BadArgument("--raw-image and --no-raw-image need --image.")
    if image:
        if len(model.inputs) > 1:
            raise BadArgument(f"{model.record.name} has {len(model.inputs)} inputs, but --image is for one input.")
        found, said = image_and_convention(image, model.inputs[0], raw_image)
        return [found], said
    if npy:
        return [np.array(read_array(path)) for path in npy], ""
    if seed < 0:
        raise BadArgument(f"--seed must be at least 0; got {seed}.")
    return random_arrays(model, seed), f"its input is random (--seed {seed}); give one with --image or --npy"


def _frames(model: Model, given: list[NDArray[Any]]) -> list[list[NDArray[Any]]] | None:
    """Inputs frame by frame, where a network has variables and each input one axis more in front, or a longer first
    one in place of a size of 1; else None."""
    wanted, there = [tensor.shape for tensor in model.inputs], [one.shape for one in given]
    if not model.state() or there == wanted or len({shape[:1] for shape in there}) != 1:
        return None
    more, longer = [shape[1:] for shape in there], [shape[1:] for shape in wanted if shape[:1] == (1,)]
    if more != wanted and more != longer:
        return None
    if not len(given[0]):
        raise BadArgument("the array of --npy has no frames.")
    return [[one.reshape(shape) for one, shape in zip(frame, wanted, strict=True)]
            for frame in zip(*given, strict=True)]


def _highest(results: list[NDArray[Any]], model: Model, name: str) -> str:
    """Of single values over time: the largest, and when."""
    scheme, values = model.tensor_of(name).scheme, results[0].reshape(-1)
    at = int(values.argmax())
    real = values[at] if scheme is None else scheme.scale * (int(values[at]) - scheme.zero_point)
    return f"  {real:8.4f}  at frame {at} of {len(values)}, the highest"


def run_model(options: argparse.Namespace) -> int:
    """`neonsim run FILE.tflite`, `neonsim run FILE.onnx`."""
    require_file(options.program)
    if options.arguments:
        raise BadArgument(f"{options.program} takes no call arguments. Use --image or --npy.")
    if options.runs < 1:
        raise BadArgument("--runs must be at least 1.")
    if options.strategy is not None:
        raise BadArgument(f"--strategy is for built-in networks, not for the file {options.program}.")
    model = _read(options, options.program, options.labels)
    x, said = inputs_of(model, options.image, options.npy, options.raw_image, options.seed)
    begin = time.perf_counter()
    on = cores_of(options)
    with waiting(f"planning {options.program}", options):
        plan = model.plan(options.backend, arithmetic=options.arithmetic, until=options.stop_after,
                          family=options.isa_variant, **emulated_options(options, on[0]))
    planned = time.perf_counter() - begin

    def run_once(given: Any) -> list[NDArray[Any]]:
        return model.run(given, threads=options.threads, arithmetic=options.arithmetic, until=options.stop_after,
                         plan=plan)

    begin = time.perf_counter()
    frames = _frames(model, x)
    with waiting(f"running {options.program}", options):
        runs = [run_once(one) for one in ([x] if frames is None else frames)]
    took = (time.perf_counter() - begin) / len(runs)
    results = runs[0] if frames is None else [np.stack(one) for one in zip(*runs, strict=True)]
    told = engine_of(plan, options.threads)
    cycles = [modeled(plan if core == on[0] else model.plan(
        options.backend, arithmetic=options.arithmetic, until=options.stop_after, **emulated_options(options, core)),
        core, options) for core in on if core is not None]
    costs = None
    if isinstance(plan, NativePlan):
        frame = x if frames is None else frames[0]
        took = min(_seconds(lambda: run_once(frame)) for _ in range(options.runs))
        if options.stop_after is None and all(one.order is None for one in (*model.inputs, *model.outputs)):
            arrays = [np.array(value) for value in frame]
            costs = model.bind(arrays, arithmetic=options.arithmetic, family=options.isa_variant
                               ).costs(options.threads, options.runs)
    names = [tensor.name for tensor in model.outputs] if options.stop_after is None else [options.stop_after]
    if options.out:
        _save(options.out, dict(zip(names, results, strict=True)))
        wrote(options.out, options)
    best: list[ClassScore] = answers(runs[-1][0], model.tensor_of(names[0]).scheme, model.labels)
    if options.json:
        print_json({"file": model.record.name, "backend": plan.backend, "arithmetic": model.rules(options.arithmetic),
                    "input": said, "threads": options.threads, "plan_seconds": planned, "run_seconds": took,
                    **told, "cycles": [one.to_dict() for one in cycles],
                    "costs": None if costs is None else costs._asdict(), "runs": plan.explain(),
                    "outputs": {name: one.tolist() for name, one in zip(names, results, strict=True)},
                    "answers": [one._asdict() for one in best]})
        return 0
    print(f"{model.record.name}: {len(plan.graph.nodes)} operators, {plan.graph.macs:,} MACs (counted)")
    print(f"{plan.backend}, {options.threads} thread{'s' * (options.threads > 1)}: planned in {planned * 1e3:.1f} ms, "
          f"{took * 1e3:.3f} ms a run (measured)")
    print_engine(told, took)
    print_refusals(plan)
    if costs is not None:
        print(f"its layers take {costs.layers * 1e3:.3f} ms; beside them a run costs {costs.bound_overhead * 1e6:.1f} "
              f"us bound to arrays (model.bind), {(took - costs.layers) * 1e6:.1f} us by model.run (measured)")
    elif isinstance(plan, SegmentPlan):
        print(plan.explain())
    if said:
        print(said)
    for name, one in zip(names, results, strict=True):
        print(f"{name}: {one.dtype} {list(one.shape)}")
    if frames is not None and runs[0][0].size == 1:
        print(_highest(results, model, names[0]))
    for answer in best if runs[0][0].size > 1 else []:
        print(f"  {answer.score:8.4f}  {answer.number:>5}  {answer.name}".rstrip())
    if cycles:
        print_cycles(cycles)
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
