"""`neonsim bench`: how fast programs, cost models and networks run here, beside peers or bars."""

from __future__ import annotations

import argparse
import os
import platform
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from neonsim.arm.machine.engines.background_build import at_once
from neonsim.bench.emulator import emulator
from neonsim.bench.measurement import BenchMeasurement
from neonsim.bench.model_files import ModelRow, bench_models
from neonsim.bench.native import CLOCKS, bench_native
from neonsim.bench.scaling import scaling
from neonsim.bench.timing import timing
from neonsim.bench.two_pass import article_rows, bench_two_pass
from neonsim.common.study_report import text_table
from neonsim.errors import BadArgument
from neonsim.nn.formats import SUFFIXES
from neonsim.nn.graph.select.strategy import POLICIES

from .network_options import DTYPES
from .options import add_output, answer, command, command_group, wrote
from .progress import Bar

__all__ = ["add_commands"]

NATIVE = {"gemm": "Measure matrix products on the native backend.",
          "dwconv": "Measure depthwise convolutions on the native backend.",
          "network": "Measure whole networks on the native backend."}


def add_commands(commands: Any) -> None:
    group = command_group(commands, "bench", "neonsim bench emulator --json\n  neonsim bench network --peers")

    made = command(group, "emulator", "Measure every engine of the emulated machine, beside Unicorn.",
                   "neonsim bench emulator --json")
    made.set_defaults(run=_emulator)
    _add_quick(made)

    made = command(group, "timing", "Measure the cost models, beside the plain model and llvm-mca.",
                   "neonsim bench timing")
    made.set_defaults(run=_timing)
    _add_quick(made)

    for name, text in NATIVE.items():
        made = command(group, name, text, f"neonsim bench {name} --peers --threads 1,2")
        made.set_defaults(run=_native, set_of_cases=name)
        _add_quick(made)
        _add_native(made)

    made = command(group, "two-pass", "Measure fused kernels against copied windows and two passes, layer by layer.",
                   "neonsim bench two-pass --only mobilenet --layers")
    made.set_defaults(run=_two_pass)
    _add_quick(made)
    _add_only(made, "networks")
    _add_threads(made)
    _add_isa_variant(made)
    made.add_argument("--dtype", choices=[name for name in DTYPES if name != "float32"], default="uint8",
                      help="Element type of the networks (uint8).")
    made.add_argument("--layers", action="store_true", help="Print every layer, not only their means.")
    add_output(made, "--html", help="Write figure, table and notes as a page.")
    add_output(made, "--svg", help="Write the figure.")

    made = command(group, "model", "Measure networks of files, beside LiteRT and ONNX Runtime.",
                   "neonsim bench model person_detect.tflite --peers")
    made.set_defaults(run=_models)
    made.add_argument("files", nargs="+", metavar="MODEL", help=f"Files of networks: {', '.join(SUFFIXES)}.")
    _add_quick(made)
    _add_threads(made)
    _add_isa_variant(made)
    made.add_argument("--peers", action="store_true", help="Measure the file's own runtime too, if it is installed.")

    made = command(group, "scaling", "Measure how cost grows with the size of the work, beside its bars.",
                   "neonsim bench scaling --quick --only steps")
    made.set_defaults(run=_scaling)
    _add_quick(made)
    _add_only(made, "rows")


def _add_quick(made: argparse.ArgumentParser) -> None:
    made.add_argument("--quick", action="store_true", help="Run shorter, less exact measurements.")


def _add_only(made: argparse.ArgumentParser, what: str) -> None:
    made.add_argument("--only", metavar="WORD,WORD", help=f"Measure {what} with one of these words in their names.")


def _add_threads(made: argparse.ArgumentParser) -> None:
    made.add_argument("--threads", default="1", metavar="N,N", help="Numbers of threads, with commas (1).")


def _add_isa_variant(made: argparse.ArgumentParser) -> None:
    made.add_argument("--isa-variant", metavar="NAME,NAME",
                      help="Take native kernels of these instruction sets (amx, avx512vnni, scalar, ...), or of all "
                      "that run here (all). One alone restricts peers too, where they can be restricted.")


def _add_native(made: argparse.ArgumentParser) -> None:
    _add_only(made, "cases")
    _add_threads(made)
    _add_isa_variant(made)
    made.add_argument("--dtype", choices=list(DTYPES), default="uint8", help="Element type of the networks (uint8).")
    made.add_argument("--peers", action="store_true", help="Measure other libraries too, those that are installed.")
    made.add_argument("--peer-filter", metavar="WORD,WORD",
                      help="Measure only peers with one of these words in their names: torch.")
    made.add_argument("--padding", choices=["same", "even"], default="same",
                      help="Pad windows as TensorFlow does (same), or alike on both sides, as PyTorch needs (even).")
    made.add_argument("--strategy", choices=POLICIES,
                      help="Choose the algorithm of every product by this strategy, and compare with the direct one.")
    made.add_argument("--clock", choices=list(CLOCKS), default="wall",
                      help="Measure elapsed time (wall), or processor time (processor), which needs one thread.")


def _threads(options: argparse.Namespace) -> list[int]:
    counts = options.threads.split(",")
    if not all(c.isdigit() and 0 < int(c) <= 1024 for c in counts):
        raise BadArgument(f"--threads must be numbers from 1 to 1024, separated by commas; got {options.threads!r}.")
    return [int(c) for c in counts]


def _two_pass(options: argparse.Namespace) -> int:
    at_once()
    studies = bench_two_pass(quick=options.quick, threads=_threads(options), family=options.isa_variant,
                       quantization=DTYPES[options.dtype], patterns=options.only, svg=options.svg, html=options.html)
    answer(lambda: "\n".join([part for study in studies for part in (
        *([text_table(*study.data.layer_table()), ""] if options.layers else []), str(study))]),
        lambda: {"machine": _machine(), **article_rows(studies)}, options)
    for path in filter(None, (options.svg, options.html)):
        wrote(path, options)
    return 0


def _native(options: argparse.Namespace) -> int:
    at_once()
    with_peers = options.peers or options.peer_filter is not None
    rows, missing = bench_native(options.set_of_cases, quick=options.quick, threads=_threads(options),
                                 with_peers=with_peers, family=options.isa_variant,
                                 quantization=DTYPES[options.dtype], patterns=options.only,
                                 peer_filter=options.peer_filter, padding=options.padding, strategy=options.strategy,
                                 clock=options.clock)

    def text() -> str:
        compared = with_peers or options.strategy is not None
        strategy = f"; strategy {options.strategy}" if options.strategy else ""
        lines = [f"{_processor()}; {options.dtype}{strategy}; "
                 f"measured{', time of the processor' * (options.clock == 'processor')}: least (median) of many runs"
                 f"{'; ratio of least (of medians) to others (their least)' if compared else ''}"]
        shown = None
        for row in rows:
            peak = "" if row.percent_of_peak is None else f"{row.percent_of_peak:5.1f} % of peak"
            peer = "" if row.peer is None else (f"   {row.ratio:.2f} ({row.ratio_of_medians:.2f}) x {row.peer} "
                                                f"({row.peer_value:.4f})")
            head = f"{row.name:24s} {row.threads}T {row.value:9.4f} ({row.median:.4f}) ms  {row.family:12s} {peak:16s}"
            lines.append(f"{' ' * len(head) if (row.name, row.threads, row.family) == shown else head}{peer}".rstrip())
            shown = row.name, row.threads, row.family
        return "\n".join([*lines, *missing])

    return _answer(text, rows, missing, options)


def _models(options: argparse.Namespace) -> int:
    at_once()
    rows, said = bench_models(options.files, quick=options.quick, threads=_threads(options), with_peers=options.peers,
                              family=options.isa_variant)

    def text() -> str:
        lines = [f"{_processor()}; measured: least of many runs, in turns, milliseconds"]
        if rows:
            more = ["peer", "its", "bound / its", "bytes"] if options.peers else []
            head = ["file", "by", "T", "layers", "bound", "model.run", *more]
            lines += [text_table(head, [_model_cells(row)[:len(head)] for row in rows]),
                      "by: backend, or its ISA variant; layers: alone; bound: a run bound to arrays, model.bind(x, y); "
                      "T: threads"]
        return "\n".join([*lines, *said])

    return _answer(text, rows, said, options)


def _model_cells(row: ModelRow) -> list[str]:
    def time_of(value: float | None) -> str:
        return "-" if value is None else f"{value:.4f}"
    by = row.backend.removeprefix("native (").removesuffix(")")
    same = {None: "-", True: "same", False: "other"}[row.bytes_equal]
    return [row.name, by, str(row.threads), *map(time_of, (row.layers, row.bound, row.run)), row.peer or "-",
            time_of(row.peer_value), "-" if row.ratio is None else f"{row.ratio:.2f}", same]


def _scaling(options: argparse.Namespace) -> int:
    at_once()
    bar = Bar("rows", options)
    try:
        rows = scaling(options.quick, options.only, bar)
    finally:
        bar.close()
    answer(lambda: f"{_processor()}; measured, least of some rounds; of the largest size\n" + text_table(
        ["action", "size", "seconds", "bar", "exponent", "bar", ""], [
            [row.name, f"{row.sizes[-1]:,}" if row.exponent is not None else "-", f"{row.seconds[-1]:.2g}",
             "-" if row.bar is None else f"{row.bar:g}", *("-" if number is None else f"{number:.2f}" for number in (
                 row.exponent, row.steepest)), row.over] for row in rows]),
        lambda: {"machine": _machine(), "rows": [{**asdict(row), "over": row.over} for row in rows], "missing": []},
        options)
    return 0


def _emulator(options: argparse.Namespace) -> int:
    at_once()
    return _measurements(*emulator(options.quick), "ratio to Unicorn, or to", options)


def _timing(options: argparse.Namespace) -> int:
    at_once()
    return _measurements(*timing(options.quick), "goal of whole layers: 60 x plain", options)


def _measurements(rows: Sequence[BenchMeasurement], missing: Sequence[str], heading: str,
                  options: argparse.Namespace) -> int:
    def text() -> str:
        machine = _machine()
        lines = [f"{machine['processor']}, Python {machine['python']}, numpy {machine['numpy']}; measured, one core",
                 f"{'':58s} {'measured':>12s} {'goal':>8s}   {heading}"]
        for row in rows:
            goal = "" if row.goal is None else f"{row.goal:g}"
            ratio = "" if row.ratio is None else f"{row.ratio:.3g} x {row.peer}"
            lines.append(f"{row.name:58s} {row.value:8.3g} {row.unit:15s} {goal:>6s}   {ratio}".rstrip())
        return "\n".join([*lines, *missing])

    return _answer(text, rows, missing, options)


def _answer(text: Any, rows: Sequence[Any], missing: Sequence[str], options: argparse.Namespace) -> int:
    answer(text, lambda: {"machine": _machine(), "rows": [asdict(row) for row in rows], "missing": list(missing)},
           options)
    return 0


def _machine() -> dict[str, Any]:
    return {"processor": _processor(), "cores": os.cpu_count(), "system": platform.platform(),
            "python": platform.python_version(), "numpy": np.__version__}


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return next(line.partition(":")[2].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()
