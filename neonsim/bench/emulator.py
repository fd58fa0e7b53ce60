"""`neonsim bench emulator`: every engine on one tile and on grids, whole networks, single instructions; beside Unicorn.

Speeds are measured in processor time of one core, the best of a few rounds; results of the engines are compared first.
"""

from __future__ import annotations

import importlib
import time
from functools import partial
from typing import Any

import numpy as np

from neonsim.arm.asm import Program, assemble
from neonsim.arm.machine import Grid, Machine
from neonsim.common.extras import install
from neonsim.errors import BackendError
from neonsim.ukernel import kernel
from neonsim.ukernel.packing import pack_gemm

from .assembler import assembler_rows
from .emulated_networks import bench_network
from .measurement import BenchMeasurement, best_of

__all__ = ["CODE", "COUNT", "LOOP", "emulator"]

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


# Each is measured in every round, the first one is what the others are compared with.
_LINES = {"SMLAL.4S": "smlal v{d}.4s, v{n}.4h, v{m}.4h", "FMLA.4S": "fmla v{d}.4s, v{n}.4s, v{m}.4s",
          "FADD.4S": "fadd v{d}.4s, v{n}.4s, v{m}.4s", "FMUL.4S": "fmul v{d}.4s, v{n}.4s, v{m}.4s",
          "FMLA.2D": "fmla v{d}.2d, v{n}.2d, v{m}.2d", "FADD.2D": "fadd v{d}.2d, v{n}.2d, v{m}.2d",
          "FMUL.2D": "fmul v{d}.2d, v{n}.2d, v{m}.2d"}
_GOALS = {"interpreter": None, "compiled": 1.3}  # times SMLAL.4S, of FMLA.4S
_SIDE = 32
_ROW = 256  # bytes of a tile


def emulator(quick: bool = False) -> tuple[list[BenchMeasurement], list[str]]:
    """All rows, and what could not be measured and why."""
    missing: list[str] = []
    rows = _single(quick, missing) + _grids(quick, missing)
    rows += assembler_rows(quick, missing)
    try:
        whole = bench_network(quick)
    except BackendError as problem:
        whole = []
        missing.append(f"a whole network, compiled beside numpy: {problem}")
    _unicorn(rows, quick, missing)
    return rows + whole + _single_lines(quick, missing), missing


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
                raise BackendError(f"{name}: its results differ from the interpreter's")
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
            seconds, steps = best_of(partial(product.run, engine), 2 if quick else 3)
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


# ---- single instructions --------------------------------------------------------------------------------------------

def _program(line: str) -> str:
    """Eight registers are loaded, and each of four combined with each of four others, in accumulators of their own."""
    each = range(16)
    body = [line.format(d=16 + i, n=i // 4, m=4 + i % 4) for i in each]
    loads = [f"ldp q{i}, q{i + 1}, [x0], #{32 if i < 6 else -96}" for i in (0, 2, 4, 6)]
    return "\n".join([*(f"ldr q{16 + i}, [x0, #{16 * i}]" for i in each), "loop:", *loads, *body,
                      "subs x1, x1, #1", "b.ne loop", *(f"str q{16 + i}, [x2, #{16 * i}]" for i in each), "ret"])


def _single_lines(quick: bool, missing: list[str]) -> list[BenchMeasurement]:
    """Time of one instruction on 1024 tiles in lock-step, every line beside SMLAL.4S of the same rounds."""
    rows = []
    for engine, goal in _GOALS.items():
        long = (6 if quick else 40) * (1 if engine == "interpreter" else 10)
        try:
            runs = [_Run(line, engine) for line in _LINES.values()]
            least = [float("inf")] * len(runs)
            for _ in range(2 if quick else 5):
                for number, run in enumerate(runs):
                    taken = best_of(partial(run.passes, long + 2), 1)[0] - best_of(partial(run.passes, 2), 1)[0]
                    least[number] = min(least[number], max(taken, 1e-9) / (16 * long))
        except BackendError as problem:
            missing.append(f"single instructions, {engine}: {problem}")
            continue
        for name, seconds in zip(_LINES, least, strict=True):
            rows.append(BenchMeasurement(
                f"{name} with its loads, {engine}, {_SIDE * _SIDE} tiles", 1e6 * seconds, "us",
                goal * 1e6 * least[0] if goal and name == "FMLA.4S" else None,
                *(("SMLAL.4S", 1e6 * least[0], seconds / least[0]) if name != "SMLAL.4S" else ())))
    return rows


class _Run:
    """A program on a grid of tiles with numbers of their own."""

    def __init__(self, line: str, engine: str) -> None:
        self.machine, self.engine, self.program = Machine("aarch64"), engine, assemble(_program(line), isa="aarch64")
        random, tiles = np.random.default_rng(4), _SIDE * _SIDE
        values: Any = random.uniform(0.5, 1.5, (tiles, _ROW // 8))
        if ".4h" in line:
            values = random.integers(-99, 99, (tiles, _ROW // 2)).astype(np.int16)
        elif ".4s" in line:
            values = random.uniform(0.5, 1.5, (tiles, _ROW // 4)).astype(np.float32)
        each = np.arange(tiles).reshape(_SIDE, _SIDE) * _ROW
        self.data = self.machine.memory.place(values) + each
        self.out = self.machine.memory.place(np.zeros((tiles, _ROW), np.uint8)) + each
        self.passes(2)

    def passes(self, count: int) -> None:
        self.machine.call(self.program, self.data, count, self.out, tiles=Grid(_SIDE, _SIDE), trace=False,
                          engine=self.engine)
