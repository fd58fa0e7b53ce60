"""`neonsim study`: the studies of the cost models, with the kernels of the catalogue."""

from __future__ import annotations

import argparse
import sys
import time as clock
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from neonsim.arm.asm import assemble
from neonsim.arm.timing import CoreFilter, load_cores, requirements_of, time
from neonsim.arm.timing.stream import longest_loop, stream_of
from neonsim.errors import BackendError, BadArgument, MissingPackage
from neonsim.nn.backends.native import backend
from neonsim.nn.graph import model
from neonsim.nn.graph.layer_shapes import shapes
from neonsim.nn.graph.models import PUBLISHED, digits
from neonsim.quant import Q31Params
from neonsim.studies.kernels import (
    Geometry,
    Report,
    Side,
    anomaly,
    cliff,
    cliff_traces,
    dual_issue,
    kernel_traces,
    neon_rates,
    orders,
    simple_rates,
)
from neonsim.studies.kernels.cache_associativity import PADDING
from neonsim.studies.networks.digits_accuracy import accuracy
from neonsim.studies.networks.integer_only import CORES as ENDS_CORES
from neonsim.studies.networks.integer_only import integer_only_study
from neonsim.studies.networks.mnn import mnn_study
from neonsim.studies.networks.ncnn import red_line_study, scale_study
from neonsim.studies.networks.networks import family_study, network_study
from neonsim.studies.networks.phones import phone_times, phones_report
from neonsim.studies.networks.quantize_recipes import flow_study
from neonsim.studies.networks.tengine import tengine_study
from neonsim.studies.runners.kernels import run_isa_comparison
from neonsim.studies.runners.schedules import make_schedules
from neonsim.ukernel import kernel
from neonsim.ukernel.packing import pack_gemm

from .calls import core_names
from .network_options import check_networks
from .options import add_output, answer, command, command_group, wrote

__all__ = ["add_commands", "host_cache", "host_sweep", "host_walk"]

GEMM = {"4x8, multiply by lane (A32)": "qu8_gemm_q31_4x8__aarch32_neon_mlal_lane",
        "4x8c2, dual-issue (A32)": "qu8_gemm_xzp_q31_4x8c2__aarch32_neon_mull_padal",
        "8x8, multiply by lane (A64)": "qu8_gemm_q31_8x8__aarch64_neon_mlal_lane"}
SUMS = "qu8_sumrows_4x__aarch32_neon"
DEPTHS = (8, 16, 32, 64, 128, 256, 512, 1024)
_DOUBTED = ("cortex-a75",)            # its numbers are guesses: the study takes them otherwise, too
PITCHES = (512, 1024, 2048, 4096, 8192, 16384)
ROWS, DEPTH, COLUMNS = 8, 512, 256
WALKS = (8, 16, 32)
# Two short rows, loaded, widened and multiplied where they stand: what an in-order core trips over.
PLAIN = """
top:    ld1     {v0.8b}, [x0], #8
        uxtl    v0.8h, v0.8b
        smlal   v4.4s, v0.4h, v2.4h
        smlal2  v5.4s, v0.8h, v2.8h
        ld1     {v1.8b}, [x1], #8
        uxtl    v1.8h, v1.8b
        smlal   v6.4s, v1.4h, v3.4h
        smlal2  v7.4s, v1.8h, v3.8h
        subs    x2, x2, #8
        b.ne    top
"""


class StudyEntry(NamedTuple):
    """A study: its line of help, what makes it, and which of --core, --columns, --network and --no-host it takes."""

    help: str
    make: Callable[[Sequence[str], argparse.Namespace], Report]
    options: tuple[str, ...] = ("core",)


def _shorthand(words: Sequence[str]) -> str | None:
    return "list" if not words or words[0].startswith("-") else None


def add_commands(commands: Any) -> None:
    group = command_group(commands, "study", "neonsim study\n  neonsim study dual-issue --html dual.html",
                          "`neonsim study` is short for `neonsim study list`.", _shorthand)
    command(group, "list", "List the studies.", "neonsim study list").set_defaults(run=_list)
    for name, study in STUDIES.items():
        made = command(group, name, study.help, f"neonsim study {name} --html {name}.html")
        if "core" in study.options:
            made.add_argument("--core", metavar="CORES",
                              help="Take these cores, with commas, or all (the study's own).")
        if "columns" in study.options:
            made.add_argument("--columns", type=int, default=8, metavar="N",
                              help="Columns of the product, over which row sums are shared (8).")
        if "network" in study.options:
            made.add_argument("--network", metavar="NETWORKS", help="Take these networks, with commas (the study's "
                              "own).")
        if "no-host" in study.options:
            made.add_argument("--no-host", action="store_true", help="Do not measure on this machine.")
        add_output(made, "--html", help="Write figure, table and notes as a page.")
        add_output(made, "--svg", help="Write the figure.")
        made.set_defaults(run=_study, name=name)


def _list(options: argparse.Namespace) -> int:
    answer("\n".join(f"{name:<14}{study.help}" for name, study in STUDIES.items()),
           {name: study.help for name, study in STUDIES.items()}, options)
    return 0


def _study(options: argparse.Namespace) -> int:
    entry, names = STUDIES[options.name], list[str]()
    if "core" in entry.options:
        names = core_names(options.core or "all", lambda: [core.name for core in load_cores() if not core.teaching])
    study = entry.make(names, options)
    answer(study, study.to_dict, options)
    if options.html:
        wrote(study.to_html(options.html), options)
    if options.svg:
        wrote(study.picture().save(options.svg), options)
    return 0


def _dual(names: Sequence[str], options: argparse.Namespace) -> Report:
    default, dual, sums = (kernel(name).program() for name in (*list(GEMM.values())[:2], SUMS))
    traces = {depth: kernel_traces(default, dual, sums, depth) for depth in DEPTHS}
    return dual_issue(traces, names, columns=options.columns, doubted=_DOUBTED)


def _rates(names: Sequence[str], options: argparse.Namespace) -> Report:
    programs = {text: kernel(name).program() for text, name in GEMM.items()}
    loops = {text: stream_of(program, entry=longest_loop(program)) for text, program in programs.items()}
    able = CoreFilter()
    timings = [(text, time(stream, core=core)) for text, stream in loops.items()
               for core in able.cores(names, requirements_of(stream))]
    return neon_rates(timings, able.sentences())


# Without --core: the boards' cores, and some with the dot product; without --network: the MobileNets.
_CORES = {"networks": ("cortex-a53", "cortex-a72", "cortex-a76"),
          "families": ("cortex-a53", "cortex-a55", "cortex-a72", "cortex-a76", "neoverse-n1")}
_NETWORKS = ("mobilenet_v1", "mobilenet_v2")


def _networks(names: Sequence[str], options: argparse.Namespace) -> Report:
    cores = names if options.core else [name for name in _CORES[options.name] if name in names]
    study = network_study if options.name == "networks" else family_study
    return study(check_networks(options.network) or _NETWORKS, cores, quiet=options.json)


def _some_digits() -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """All test digits, or those that are here."""
    try:
        return digits.every_test()
    except MissingPackage as why:
        print(why, file=sys.stderr)
        return digits.sample()


def _flows(names: Sequence[str], options: argparse.Namespace) -> Report:
    if options.core is not None and len(names) != 1:
        raise BadArgument("`neonsim study flows` models the cycles of one core. Add --core, as --core a53.")
    networks = check_networks(options.network)
    return flow_study(*_some_digits(), names[0] if options.core else "cortex-a53",
                      {name: model(name, quantization="f32") for name in networks})


def _mnn(names: Sequence[str], options: argparse.Namespace) -> Report:
    missing = backend.available()
    if missing is not None and not options.no_host:
        print(f"not measured here: {missing}", file=sys.stderr)
    return mnn_study(measure=missing is None and not options.no_host)


def _phones(names: Sequence[str], options: argparse.Namespace) -> Report:
    if options.core is not None and len(names) != 1:
        raise BadArgument("`neonsim study phones` needs one core of phones, as --core a55.")
    splits = phone_times(names[0] if options.core else None)
    if not splits:
        raise BadArgument(f"no phone in the data has a {names[0]}. `neonsim study phones` lists all.")
    return phones_report(splits)


def _cliff(names: Sequence[str], options: argparse.Namespace) -> Report:
    traces = cliff_traces(kernel(list(GEMM.values())[2]).program(), DEPTH, PITCHES, rows=ROWS)
    measured: dict[str, tuple[Side, dict[int, float]]] = {}
    if not options.no_host:
        cache = host_cache()
        try:
            # The portable C kernel takes four rows of its tile at a time.
            measured["here, scalar kernel"] = (Side(4, True, True, cache), host_sweep())
        except BackendError as why:
            print(f"not measured here: the native scalar kernel. {why}", file=sys.stderr)
        for rows in WALKS:
            measured[f"here, walk of {rows}"] = (Side(rows, False, True, cache), host_walk(rows))
    return cliff(traces, names, rows=ROWS, depth=DEPTH, measured=measured)


STUDIES: dict[str, StudyEntry] = {
    "dual-issue": StudyEntry("Compare the default kernel with the dual-issue one by depth, row sums included.", _dual,
                             ("core", "columns")),
    "neon-rate": StudyEntry("Count NEON instructions a cycle of the main loops: one on in-order cores.", _rates),
    "three-in-two": StudyEntry("Count simple NEON operations a cycle: three in two cycles on the Cortex-A72.",
                               lambda names, _: simple_rates(names)),
    "order": StudyEntry("Compare the same instructions as written, scheduled by hand, and by a list scheduler.",
                        lambda names, _: orders(names, [("two rows", stream_of(assemble(PLAIN, "aarch64")))])),
    "anomaly": StudyEntry("Show a longer latency that makes a program faster.", lambda *_: anomaly(), ()),
    "ladder": StudyEntry("Compare matrix product kernels by MACs per vector instruction, and on every core.",
                         run_isa_comparison, ("core", "no-host")),
    "schedules": StudyEntry("Compare kernels ordered for one core with the plain ones on every core.", make_schedules),
    "networks": StudyEntry("Model whole networks on cores, beside published times of boards.", _networks,
                           ("core", "network")),
    "families": StudyEntry("Model whole networks by family of Arm kernels, beside published times.", _networks,
                           ("core", "network")),
    "shapes": StudyEntry("Count depths and columns of the products in networks.",
                         lambda *_: shapes([model(name) for name in PUBLISHED]), ()),
    "digits": StudyEntry("Count the digits that a network recognizes in float32 and in 8 bits, on every backend.",
                         lambda *_: accuracy(*_some_digits()), ()),
    "flows": StudyEntry("Compare every recipe and every calibrator of quantization on the digits.", _flows,
                        ("core", "network")),
    "ends-only": StudyEntry("Keep integers from end to end, quantized only there: bits, errors, and the cost.",
                            lambda names, options: integer_only_study(cores=names if options.core else ENDS_CORES)),
    "red-line": StudyEntry("Count the pairs of convolutions that stay in int8 by ncnn's red line.",
                           lambda *_: red_line_study(), ()),
    "scales": StudyEntry("Show ncnn's table of scales for a small network, and what it converts.",
                         lambda *_: scale_study(), ()),
    "tengine": StudyEntry("Measure Tengine's choices: 32-bit biases, ReLU of integers, ReLU6, Winograd in int8.",
                          lambda *_: tengine_study(), ()),
    "mnn": StudyEntry("Compare the figures of MNN's article, paper and code with ours.", _mnn, ("no-host",)),
    "phones": StudyEntry("Model MobileNets on the big and the LITTLE cores of phones, and split over both.", _phones),
    "cliff": StudyEntry("Show the cost of rows a power of two apart, and of 64 bytes of padding.", _cliff,
                        ("core", "no-host")),
}


# ---- this machine

def host_cache() -> Geometry | None:
    """Return the first-level data cache of this machine, where Linux tells."""
    for folder in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        try:
            told = {name: (folder / name).read_text(encoding="ascii").strip() for name in
                    ("level", "type", "size", "ways_of_associativity", "coherency_line_size")}
            if told["level"] == "1" and told["type"] in ("Data", "Unified"):
                return Geometry(int(told["size"].rstrip("K")) * 1024, int(told["ways_of_associativity"]),
                                int(told["coherency_line_size"]))
        except (OSError, ValueError):
            continue
    return None


def host_sweep(pitches: Sequence[int] = PITCHES, *, rounds: int = 25) -> dict[int, float]:
    """Pitch -> seconds of a product with the native scalar kernel, measured here; with 64 bytes of padding too.

    8 rows, depth 512, 256 columns: the panel of the left matrix is walked again for every eight columns.

    Raises BackendError where there is no native library.
    """
    if min(pitches) < DEPTH:
        raise BadArgument(f"a pitch must be at least the depth, {DEPTH}.")
    why = backend.available()
    if why:
        raise BackendError(f"the sweep on this machine needs the native library: {why}")
    random = np.random.default_rng(0)
    weights = pack_gemm(random.integers(0, 256, (COLUMNS, DEPTH), dtype=np.uint8), np.zeros(COLUMNS, np.int32),
                        nr=8, kr=1, a_zero_point=3, w_zero_point=128)
    params = Q31Params(1 << 30, 9, 3, 128, 5)
    variant = next(v.name for v in backend.variants("qu8_gemm_q31") if v.name.endswith("8x8__scalar"))
    out = np.empty((ROWS, COLUMNS), np.uint8)
    memory = _memory(ROWS, pitches)

    def prepare(pitch: int) -> Callable[[], object]:
        a = np.lib.stride_tricks.as_strided(memory, (ROWS, DEPTH), (pitch, 1))
        return lambda: backend.gemm(a, weights, params, variant=variant, out=out)

    return _fastest(pitches, rounds, prepare)


def host_walk(rows: int, pitches: Sequence[int] = PITCHES, *, rounds: int = 25) -> dict[int, float]:
    """Pitch -> seconds of reading a byte in eight of n rows, side by side, measured here; padded too."""
    memory = _memory(rows, pitches)

    def prepare(pitch: int) -> Callable[[], object]:
        walk = (np.arange(0, DEPTH, 8)[:, None] + np.arange(rows) * pitch).ravel()
        out = np.empty(walk.size, np.uint8)

        def run() -> None:
            for _ in range(10):
                np.take(memory, walk, out=out, mode="clip")
        return run

    return _fastest(pitches, rounds, prepare)


def _memory(rows: int, pitches: Sequence[int]) -> NDArray[np.uint8]:
    """Bytes for the rows, from the start of a page. They are written: unwritten pages are all the same one."""
    raw = np.random.default_rng(1).integers(0, 256, rows * (max(pitches) + PADDING) + 8192, dtype=np.uint8)
    return raw[-raw.ctypes.data % 4096:]


def _fastest(pitches: Sequence[int], rounds: int, prepare: Callable[[int], Callable[[], object]]) -> dict[int, float]:
    """The fastest of some rounds by pitch; a slow moment of the machine meets every pitch."""
    runs = {at: prepare(at) for pitch in pitches for at in (pitch, pitch + PADDING)}
    found = dict.fromkeys(runs, float("inf"))
    for _ in range(rounds):
        for pitch, run in runs.items():
            begin = clock.perf_counter()
            run()
            found[pitch] = min(found[pitch], clock.perf_counter() - begin)
    return found
