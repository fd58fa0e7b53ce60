"""`neonsim bench`: how fast programs run here, every way there is, side by side in one run; how fast they are timed.

Speeds are measured in processor time of one core, the best of a few rounds; results of the ways are compared first.
"""

from __future__ import annotations

import argparse
import importlib
import os
import platform
import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import numpy as np

from neonsim.arm.asm import Program, assemble
from neonsim.arm.machine import Grid, Machine
from neonsim.arm.machine.engines.background_build import at_once
from neonsim.bench.assembler import assembler_rows
from neonsim.bench.emulated_networks import whole_network
from neonsim.bench.emulator import single_lines
from neonsim.bench.measurement import BenchMeasurement
from neonsim.bench.model_files import ModelRow, bench_models
from neonsim.bench.native import CLOCKS, SETS, bench_native
from neonsim.bench.scaling import scaling
from neonsim.bench.timing import timing
from neonsim.bench.two_pass import article_rows, articles
from neonsim.common.extras import install
from neonsim.common.study_report import text_table
from neonsim.errors import BackendError, BadArgument
from neonsim.nn.formats import SUFFIXES
from neonsim.nn.graph.models.float_builder import F32
from neonsim.nn.graph.select.strategy import MNN, POLICIES
from neonsim.ukernel import kernel
from neonsim.ukernel.packing import pack_gemm

from .parts.options import add_output, print_json, top_command, wrote
from .parts.progress import Bar

__all__ = ["add_commands"]

KERNEL = "qu8_gemm_q31_8x8__aarch64_neon_mlal_lane"
# The inner step of a GEMM: two rows by eight columns, three depths.
LOOP = """
loop:   ld1     {v0.8b}, [x0], #8
        ld1     {v1.8b}, [x1], #8
        ld1     {v5.8b}, [x2], #8
        uxtl    v0.8h, v0.8b
        uxtl    v1.8h, v1.8b
        usubl   v5.8h, v5.8b, v26.8b
        smlal   v16.4s, v5.4h, v0.h[0]
        smlal2  v17.4s, v5.8h, v0.h[0]
        smlal   v18.4s, v5.4h, v1.h[0]
        smlal2  v19.4s, v5.8h, v1.h[0]
        smlal   v16.4s, v5.4h, v0.h[1]
        smlal2  v17.4s, v5.8h, v0.h[1]
        smlal   v18.4s, v5.4h, v1.h[1]
        smlal2  v19.4s, v5.8h, v1.h[1]
        smlal   v16.4s, v5.4h, v0.h[2]
        smlal2  v17.4s, v5.8h, v0.h[2]
        smlal   v18.4s, v5.4h, v1.h[2]
        smlal2  v19.4s, v5.8h, v1.h[2]
        subs    x3, x3, #1
        b.ne    loop
"""
# The same twenty instructions in A64's encoding, for Unicorn.
CODE = bytes.fromhex("""
    0070df0c2170df0c4570df0c00a4082f21a4082fa5203a2eb020400fb120404fb220410fb320414f
    b020500fb120504fb220510fb320514fb020600fb120604fb220610fb320614f630400f1a1fdff54
""")
COUNT = 20
ZERO = "movi v16.16b, #0\nmovi v17.16b, #0\nmovi v18.16b, #0\nmovi v19.16b, #0\nmovi v26.16b, #128\n"


def add_commands(commands: Any) -> None:
    bench = top_command(commands, "bench", "neonsim bench emulator --json")
    bench.add_argument("what", choices=["emulator", "timing", *SETS, "articles", "model", "scaling"],
                       help="emulator: steps of the emulated machine, every engine; timing: speed of the cost models; "
                       "gemm, dwconv, network: layers and whole networks on the native backend; articles: every layer "
                       "of all networks, fused against copied windows and two passes; model: networks of files; "
                       "scaling: how cost grows with the work, beside its bars")
    bench.add_argument("files", nargs="*", default=[], metavar="MODEL",
                       help=f"model, network: {', '.join(SUFFIXES)}, one or several")
    bench.add_argument("--quick", action="store_true", help="shorter runs, less exact")
    bench.add_argument("--threads", default="1", metavar="N,N", help="gemm, dwconv, network, model: numbers of "
                       "threads")
    bench.add_argument("--peers", action="store_true", help="... beside other libraries that are installed")
    bench.add_argument("--beside", metavar="WORD,WORD", help="... beside those with one of these in their names: torch")
    bench.add_argument("--padding", choices=["same", "even"], default="same",
                       help="... windows padded as by TensorFlow, or on both sides alike, which PyTorch asks for")
    bench.add_argument("--family", metavar="NAME", help="... by these kernels: amx, avx512vnni, scalar, ...; "
                       "several, with commas; all: those here. One alone restricts peers too, if they let themselves")
    bench.add_argument("--only", metavar="WORD,WORD", help="... the cases with one of these in their names: pw_196")
    bench.add_argument("--quantization", choices=["qu8", "qs8", "qc8w"], default="qu8")
    bench.add_argument("--dtype", choices=["int8", "float32"], default="int8", help="... of real numbers: float32")
    bench.add_argument("--strategy", choices=[MNN, *POLICIES], help="... the way of every product chosen so; beside "
                       "our own without")
    bench.add_argument("--clock", choices=list(CLOCKS), default="wall", help="... by the processor's time, on a "
                       "machine that others use too; one thread")
    bench.add_argument("--layers", action="store_true", help="articles: every layer, not only their means")
    add_output(bench, "--html", help="articles: write figure, table and notes as a page")
    add_output(bench, "--svg", help="articles: write the figure")
    def run(options: argparse.Namespace) -> int:
        _check_options(options, bench.get_default)
        return _run(options)

    bench.set_defaults(run=run)


def _threads(options: argparse.Namespace) -> list[int]:
    counts = options.threads.split(",")
    if not all(c.isdigit() and 0 < int(c) <= 1024 for c in counts):
        raise BadArgument(f"--threads takes numbers from 1 to 1024, separated by commas; got {options.threads!r}.")
    return [int(c) for c in counts]


def _articles(options: argparse.Namespace) -> int:
    studies = articles(quick=options.quick, threads=_threads(options), family=options.family,
                       quantization=options.quantization, only=options.only, svg=options.svg, html=options.html)
    if options.json:
        print_json({"machine": _machine(), **article_rows(studies)})
    else:
        for study in studies:
            if options.layers:
                print(text_table(*study.data.layer_table()), end="\n\n")
            print(study)
    for path in filter(None, (options.svg, options.html)):
        wrote(path, options)
    return 0


def _native(options: argparse.Namespace) -> int:
    with_peers = options.peers or options.beside is not None
    quantization = F32 if options.dtype == "float32" else options.quantization
    rows, missing = bench_native(options.what, quick=options.quick, threads=_threads(options),
                                 with_peers=with_peers, family=options.family, quantization=quantization,
                                 only=options.only, beside=options.beside, padding=options.padding,
                                 strategy=options.strategy, clock=options.clock)
    if options.json:
        print_json({"machine": _machine(), "rows": [asdict(row) for row in rows], "missing": missing})
        return 0
    compared = with_peers or options.strategy is not None
    print(f"{_machine()['processor']}; {quantization}{f'; strategy {options.strategy}' if options.strategy else ''}; "
          f"measured{', time of the processor' * (options.clock == 'processor')}: least (median) of many runs"
          f"{'; ratio of least (of medians) to others (their least)' if compared else ''}")
    shown = None
    for row in rows:
        peak = "" if row.percent_of_peak is None else f"{row.percent_of_peak:5.1f} % of peak"
        beside = "" if row.peer is None else (f"   {row.ratio:.2f} ({row.ratio_of_medians:.2f}) x {row.peer} "
                                              f"({row.peer_value:.4f})")
        head = f"{row.name:24s} {row.threads}T {row.value:9.4f} ({row.median:.4f}) ms  {row.family:12s} {peak:16s}"
        print(f"{' ' * len(head) if (row.name, row.threads, row.family) == shown else head}{beside}".rstrip())
        shown = row.name, row.threads, row.family
    for line in missing:
        print(line)
    return 0


def _machine() -> dict[str, Any]:
    return {"processor": _processor(), "cores": os.cpu_count(), "system": platform.platform(),
            "python": platform.python_version(), "numpy": np.__version__}


# What options belong to; those of the others would change nothing.
_BELONG = {"peers": (*SETS, "model"), "beside": (*SETS,), "padding": (*SETS,), "family": (*SETS, "articles", "model"),
           "only": (*SETS, "articles", "scaling"), "threads": (*SETS, "articles", "model"),
           "quantization": (*SETS, "articles"), "dtype": (*SETS,), "layers": ("articles",),
           "html": ("articles",), "svg": ("articles",),
           "files": ("model", "network"), "strategy": (*SETS,), "clock": (*SETS,)}


def _check_options(options: argparse.Namespace, default: Callable[[str], Any]) -> None:
    if options.dtype == "float32" and options.quantization != default("quantization"):
        raise BadArgument(f"--quantization {options.quantization} is of integers: leave it out with --dtype float32.")
    what = "model" if options.files and options.what == "network" else options.what
    for name, whose in _BELONG.items():
        if what not in whose and getattr(options, name) != default(name):
            words = "a file" if name == "files" else f"--{name}"
            raise BadArgument(f"{words} does nothing for `neonsim bench {what}`; it belongs to "
                              f"{', '.join(whose)}.")


def _models(options: argparse.Namespace) -> int:
    rows, said = bench_models(options.files, quick=options.quick, threads=_threads(options), with_peers=options.peers,
                              family=options.family)
    if options.json:
        print_json({"machine": _machine(), "rows": [asdict(row) for row in rows], "missing": said})
        return 0
    print(f"{_machine()['processor']}; measured: least of many runs, in turns, milliseconds")
    if rows:
        more = ["peer", "its", "bound / its", "bytes"] if options.peers else []
        head = ["file", "by", "T", "layers", "bound", "model.run", *more]
        print(text_table(head, [_model_cells(row)[:len(head)] for row in rows]))
        print("by: backend, or its family of kernels; layers: alone; bound: a run bound to arrays, model.bind(x, y); "
              "T: threads")
    for line in said:
        print(line)
    return 0


def _scaling(options: argparse.Namespace) -> int:
    bar = Bar("rows", options)
    try:
        rows = scaling(options.quick, options.only, bar)
    finally:
        bar.close()
    if options.json:
        print_json({"machine": _machine(), "rows": [{**asdict(row), "over": row.over} for row in rows], "missing": []})
        return 0
    print(f"{_machine()['processor']}; measured, least of some rounds; of the largest size")
    print(text_table(["action", "size", "seconds", "bar", "exponent", "bar", ""], [
        [row.name, f"{row.sizes[-1]:,}" if row.exponent is not None else "-", f"{row.seconds[-1]:.2g}",
         "-" if row.bar is None else f"{row.bar:g}", *("-" if number is None else f"{number:.2f}" for number in (
             row.exponent, row.steepest)), row.over] for row in rows]))
    return 0


def _model_cells(row: ModelRow) -> list[str]:
    def time_of(value: float | None) -> str:
        return "-" if value is None else f"{value:.4f}"
    by = row.backend.removeprefix("native (").removesuffix(")")
    same = {None: "-", True: "same", False: "other"}[row.same]
    return [row.name, by, str(row.threads), *map(time_of, (row.layers, row.bound, row.run)), row.peer or "-",
            time_of(row.peer_value), "-" if row.ratio is None else f"{row.ratio:.2f}", same]


def _run(options: argparse.Namespace) -> int:
    at_once()
    if options.what == "model" or options.files:
        return _models(options)
    if options.what == "articles":
        return _articles(options)
    if options.what in SETS:
        return _native(options)
    if options.what == "scaling":
        return _scaling(options)
    rows, missing = (emulator(quick=options.quick) if options.what == "emulator" else
                     timing(BenchMeasurement, quick=options.quick))
    machine = _machine()
    if options.json:
        print_json({"machine": machine, "rows": [asdict(row) for row in rows], "missing": missing})
        return 0
    print(f"{machine['processor']}, Python {machine['python']}, numpy {machine['numpy']}; measured, one core")
    beside = {"emulator": "ratio to Unicorn, or to", "timing": "goal of whole layers: 60 x plain"}
    print(f"{'':58s} {'measured':>12s} {'goal':>8s}   {beside[options.what]}")
    for row in rows:
        goal = "" if row.goal is None else f"{row.goal:g}"
        ratio = "" if row.ratio is None else f"{row.ratio:.3g} x {row.peer}"
        print(f"{row.name:58s} {row.value:8.3g} {row.unit:15s} {goal:>6s}   {ratio}".rstrip())
    for line in missing:
        print(line)
    return 0


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            return next(line.partition(":")[2].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def best(run: Callable[[], Any], rounds: int = 3) -> tuple[float, Any]:
    """(seconds of processor time of the fastest round, its result)."""
    fastest, result = float("inf"), None
    for _ in range(rounds):
        start = time.process_time()
        found = run()
        taken = time.process_time() - start
        if taken < fastest:
            fastest, result = taken, found
    return max(fastest, 1e-9), result


def emulator(quick: bool = False) -> tuple[list[BenchMeasurement], list[str]]:
    """All rows, and what could not be measured and why."""
    missing: list[str] = []
    rows = _single(quick, missing) + _grids(quick, missing)
    rows += assembler_rows(BenchMeasurement, best, quick, missing)
    try:
        whole = whole_network(BenchMeasurement, best, quick)
    except BackendError as problem:
        whole = []
        missing.append(f"a whole network, compiled beside numpy: {problem}")
    _unicorn(rows, quick, missing)
    return rows + whole + single_lines(BenchMeasurement, best, quick, missing), missing


# ---- one tile -------------------------------------------------------------------------------------------------------

def _loop_call(program: Program, passes: int, **options: Any) -> Any:
    machine = Machine("aarch64")
    random = np.random.default_rng(1)
    places = [machine.memory.place(random.integers(0, 256, 8 * passes, dtype=np.uint8)) for _ in range(3)]
    start = time.process_time()
    done = machine.call(program, *places, passes, max_steps=1 << 40, **options)
    return time.process_time() - start, done.steps, [bytes(machine.registers[f"v{i}"]) for i in range(16, 20)]


def _single(quick: bool, missing: list[str]) -> list[BenchMeasurement]:
    program = assemble(f"{ZERO}{LOOP}ret", isa="aarch64")
    short = 20 if quick else 250
    ways: list[tuple[str, int, float | None, dict[str, Any]]] = [
        ("one tile, trace and sanitizer, as by default", short, 0.3, {}),
        ("one tile, trace and sanitizer, interpreter", max(short // 5, 20), None, {"engine": "interpreter"}),
        ("one tile, interpreter", short, None, {"engine": "interpreter", "trace": False, "sanitize": False}),
        ("one tile, without trace and sanitizer (Python)", 100 * short, 1.5, {"engine": "python"}),
        ("one tile, translated to C", 4000 * short, None, {"engine": "compiled"}),
    ]
    rows = []
    for name, passes, goal, options in ways:
        try:
            # The first call translates; and the ways must agree.
            same = _loop_call(program, short, **options)[2] == _loop_call(program, short)[2]
            if not same:
                raise BackendError(f"{name}: other results than the interpreter's")
            seconds, steps = min(_loop_call(program, passes, **options)[:2] for _ in range(3))
        except BackendError as problem:
            missing.append(f"{name}: {problem}")
            continue
        rows.append(BenchMeasurement(name, steps / seconds / 1e6, "M steps/s", goal))
    return rows


# ---- grids ----------------------------------------------------------------------------------------------------------

class _Product:
    """The 8x8 kernel on a grid of tiles: operands placed, any engine runs it."""

    def __init__(self, rows: int, cols: int, k: int, gathered: bool = False) -> None:
        self.kernel = kernel(KERNEL)
        mr, nr = self.kernel.tile.mr, self.kernel.tile.nr or 8
        random = np.random.default_rng(2)
        m, n = rows * mr, cols * nr
        self.machine = Machine(self.kernel.isa)
        memory = self.machine.memory
        a = memory.place(random.integers(0, 256, (m, k), dtype=np.uint8), name="a", reads_before=7, readonly=True)
        packed = pack_gemm(random.integers(0, 256, (n, k), dtype=np.uint8), np.zeros(n, np.int32), nr=nr, kr=1,
                           a_zero_point=3, w_zero_point=128)
        w = memory.place(packed.data, name="w", readonly=True)
        block = np.zeros(16, np.uint8)
        block[:8] = np.array([1500000000, -9], np.int32).view(np.uint8)
        block[8:13] = 5, 0, 255, 0, 128
        params = memory.place(block, name="params", readonly=True)
        c = memory.alloc(m * n, name="c")
        row, column = np.arange(rows)[:, None], np.arange(cols)[None, :]
        if gathered:  # tiles in no order: neither rows nor columns step evenly
            row, column = random.permutation(rows)[:, None], random.permutation(cols)[None, :]
        shape = (rows, cols)
        self.grid = Grid(rows, cols)
        self.arguments = (mr, nr, k, np.broadcast_to(a + row * mr * k, shape), k,
                          np.broadcast_to(w + column * packed.layout.block_bytes, shape),
                          c + row * mr * n + column * nr, n, params)

    def run(self, engine: str) -> int:
        done = self.machine.call(self.kernel.program(), *self.arguments, entry=self.kernel.name, tiles=self.grid,
                                 trace=False, engine=engine)
        return done.tile_steps


def _grids(quick: bool, missing: list[str]) -> list[BenchMeasurement]:
    rows = []
    for name, size, depth, gathered, engine, goal in (
            ("8x8 kernel in lock-step, 1024 tiles", 32, 256, False, "interpreter", None),
            ("8x8 kernel in lock-step, 4096 tiles", 64, 256, False, "interpreter", None),
            ("8x8 kernel, gathered addresses, in lock-step, 1024 tiles", 32, 256, True, "interpreter", None),
            ("8x8 kernel, translated to C, 1024 tiles", 32, 256, False, "compiled", None),
            ("8x8 kernel, depth 1024, translated to C, 4096 tiles", 64, 1024, False, "compiled", 2.0)):
        product = _Product(size, size, depth // 4 if quick else depth, gathered)
        try:
            product.run(engine)
            seconds, steps = best(lambda p=product, e=engine: p.run(e), 2 if quick else 3)  # type: ignore[misc]
        except BackendError as problem:
            missing.append(f"{name}: {problem}")
            continue
        rows.append(BenchMeasurement(name, steps / seconds / 1e9, "G tile-instr/s", goal))
    return rows


# ---- Unicorn --------------------------------------------------------------------------------------------------------

def _unicorn(rows: list[BenchMeasurement], quick: bool, missing: list[str]) -> None:
    """Add Unicorn's speeds on the loop, and everybody's ratio to the one that is like it."""
    try:
        unicorn, names = (importlib.import_module(name) for name in ("unicorn", "unicorn.arm64_const"))
    except ImportError:
        missing.append(f"Unicorn is not installed: {install('unicorn')}, to see its figures")
        return
    at, data, size = 0x10000, 0x1000000, 1 << 22

    def fresh(passes: int) -> Any:
        core = unicorn.Uc(unicorn.UC_ARCH_ARM64, unicorn.UC_MODE_ARM)
        core.mem_map(at, 0x1000)
        core.mem_write(at, CODE)
        for i in range(3):
            core.mem_map(data + i * size, size)
            core.reg_write(names.UC_ARM64_REG_X0 + i, data + i * size)
        core.reg_write(names.UC_ARM64_REG_X3, passes)
        return core

    def bare(core: Any, passes: int) -> None:
        core.emu_start(at, at + len(CODE))

    def hooked(core: Any, passes: int) -> None:
        core.hook_add(unicorn.UC_HOOK_CODE, lambda *_: None)
        core.emu_start(at, at + len(CODE))

    def stepped(core: Any, passes: int) -> None:
        place = at
        for _ in range(passes * COUNT):
            core.emu_start(place, 0, count=1)
            place = core.reg_read(names.UC_ARM64_REG_PC)

    found = {}
    for name, run, passes in (("bare", bare, 100_000), ("hooked", hooked, 5_000), ("stepped", stepped, 1_000)):
        passes = max(passes // (10 if quick else 1), 10)
        seconds = float("inf")
        for _ in range(3):
            core = fresh(passes)
            start = time.process_time()
            run(core, passes)
            seconds = min(seconds, time.process_time() - start)
        found[name] = passes * COUNT / seconds / 1e6
        text = {"bare": "", "hooked": ", an empty Python function for every instruction",
                "stepped": ", one instruction and pc at a time"}[name]
        rows.append(BenchMeasurement(f"Unicorn {unicorn.__version__}, {name}{text}", found[name], "M steps/s"))
    for row in rows:
        if row.unit == "M steps/s" and not row.name.startswith("Unicorn"):
            row.peer = "bare" if "to C" in row.name else "hooked" if "without" in row.name else "stepped"
            row.peer_value = found[row.peer]
        elif row.unit == "G tile-instr/s":
            row.peer, row.peer_value = "bare", found["bare"] / 1e3
        if row.peer_value:
            row.ratio = row.value / row.peer_value

