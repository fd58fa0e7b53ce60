"""`neonsim bench scaling`: how cost grows with the size of the work, beside what it may be.

Seconds are of the processor (of a first network on the clock, for the compiler runs beside), the least of three rounds,
of more where they are short. The exponent is that of the power of the size that fits them best: 1 is a cost that grows
as the work does.
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import neonsim as ns
from neonsim.arm.timing import loop_heads
from neonsim.common.fileio import write_file
from neonsim.errors import BadArgument
from neonsim.nn.graph import mobilenet_v1
from neonsim.nn.ops import Conv2d
from neonsim.verify.proving import same

__all__ = ["ScalingRow", "exponent", "scaling"]

STEEPEST = 1.15     # no exponent may be above
ROUNDS, LONG = 3, 3.0           # a round of n seconds is not repeated
MOST_ROUNDS, SHORT = 50, 0.05   # rounds that take less than n seconds in all are repeated up to so often
GEMM = "qu8_gemm_q31_4x8__aarch32_neon_mlal_lane"
PAIR = "qs8_gemm_rndnu_4x8__aarch32_neon_mlal_lane", "qs8_gemm_rndnu_4x16__aarch64_neon_mlal_lane"
LOOP = "add: mov x1, #0\n0: add x1, x1, x0\nsubs x0, x0, #1\nb.ne 0b\nmov x0, x1\nret"
UNWRITTEN = LOOP.replace("mov x1, #0", "nop")   # the beginner's missing MOV
STEPS = 3           # of a turn of them
WALK = "walk: ldr q0, [x1], #16\nadd v0.4s, v0.4s, v0.4s\nstr q0, [x2], #16\nsubs x0, x0, #1\nb.ne walk\nret"
WALKED = 5          # of a turn of it
FIRST_NETWORK = """
from neonsim.nn.graph import mobilenet_v1, random_input
graph = mobilenet_v1(0.25, 64)
graph.plan("emulated").run(random_input(graph))
"""


@dataclass(frozen=True)
class ScalingRow:
    """One action.

    sizes, seconds      of each measurement; one size 1 where the action has none
    bar                 seconds that the largest size may take, None: no limit
    exponent, steepest  of the growth, and what it may be; None for an action of one size
    """

    name: str
    sizes: tuple[int, ...]
    seconds: tuple[float, ...]
    bar: float | None
    exponent: float | None
    steepest: float | None

    @property
    def over(self) -> str:
        """What is above its bar, in a word; "" if nothing is."""
        slow = self.bar is not None and self.seconds[-1] > self.bar
        steep = self.exponent is not None and self.steepest is not None and self.exponent > self.steepest
        return " and ".join(["slow"] * slow + ["steep"] * steep)


@dataclass(frozen=True)
class _Case:
    """ready: makes what a round runs, of a size; ``clock`` tells its seconds."""

    name: str
    sizes: tuple[int, ...]
    bar: float | None
    ready: Callable[[int], Callable[[], object]]
    clock: Callable[[], float] = time.process_time


def scaling(quick: bool = False, patterns: str | None = None,
            progress: Callable[[int, str], None] = lambda count, doing: None) -> list[ScalingRow]:
    """All rows, or those with one of these words, with commas between them, in their names.

    quick      without the largest sizes, and one round of each
    progress   called with (rows measured since the last time, what is measured next)

    Raises BadArgument where no row has such a name.
    """
    words = [word for word in (patterns or "").split(",") if word]
    with _cases() as cases:
        chosen = [case for case in cases if not words or any(word in case.name for word in words)]
        if not chosen:
            raise BadArgument(f"no row of `neonsim bench scaling` has {patterns} in its name; there are: "
                              f"{'; '.join(case.name for case in cases)}.")
        rows = []
        for case in chosen:
            progress(0, case.name)
            rows.append(_measured(case, quick))
            progress(1, "")
        return rows


def exponent(sizes: Sequence[int], seconds: Sequence[float]) -> float:
    """Of the power of the size that fits best: least squares of the logarithms.

    >>> round(exponent((10, 100, 1000), (0.02, 0.2, 2.0)), 6)
    1.0
    """
    return float(np.polyfit(np.log(sizes), np.log(np.maximum(seconds, 1e-7)), 1)[0])


def _measured(case: _Case, quick: bool) -> ScalingRow:
    sizes = case.sizes[:-1] if quick and len(case.sizes) > 2 else case.sizes
    seconds = []
    for size in sizes:
        run, least, rounds, spent = case.ready(size), math.inf, 0, 0.0
        # What takes less than a millisecond needs more rounds for one that nothing came between.
        while rounds < (1 if quick else ROUNDS) or (not quick and spent < SHORT and rounds < MOST_ROUNDS):
            begin = case.clock()
            run()
            taken = case.clock() - begin
            least, rounds, spent = min(least, taken), rounds + 1, spent + taken
            if taken > LONG:
                break
        seconds.append(least)
    grows = len(sizes) > 1
    return ScalingRow(case.name, sizes, tuple(seconds), case.bar if sizes[-1] == case.sizes[-1] else None,
                      exponent(sizes, seconds) if grows else None, STEEPEST if grows else None)


# ---- the actions ---------------------------------------------------------------------------------------------------

@contextmanager
def _cases() -> Iterator[list[_Case]]:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        write_file(home / "tiny.s", "tiny: mov x0, #7\nret\n")
        yield [*_commands(home), *_runs(home), *_models(home)]


def _commands(home: Path) -> Iterator[_Case]:
    """Processes of their own."""
    tiny = str(home / "tiny.s")
    for words, bar in (("--version", 0.03), ("--help", 0.10), ("isa smlal", 0.20), ("run tiny.s", 0.30),
                       ("trace tiny.s", 0.30), ("time kernel", 0.35), ("kernels", 0.35), ("cores", 0.35)):
        line = [tiny if word == "tiny.s" else word for word in words.split()]
        if words == "time kernel":
            line = ["time", GEMM, "--core", "cortex-a53"]
        elif line[0] in ("run", "trace"):
            line += ["--isa", "aarch64"]
        yield _Case(f"neonsim {words}", (1,), bar, partial(_process, ["-m", "neonsim", *line], {}), _of_children)
    for name, text in (("the first Stepper", "import neonsim; neonsim.Stepper"),
                       ("import neonsim.learn.notebook", "import neonsim.learn.notebook"),
                       ("%load_ext neonsim", "import neonsim; neonsim.load_ipython_extension")):
        yield _Case(name, (1,), 0.30, partial(_process, ["-c", text], {}), _of_children)


def _process(line: list[str], environment: dict[str, str], size: int) -> Callable[[], object]:
    found = {name: value for name, value in os.environ.items() if name != "CI"} | environment
    return partial(subprocess.run, [sys.executable, *line], env=found, check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)


def _of_children() -> float:
    """Processor time of the processes that have ended; where the system does not tell: the clock."""
    if sys.platform == "win32":
        return time.perf_counter()
    import resource

    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _runs(home: Path) -> Iterator[_Case]:
    """The machine, its traces and their pages, by steps."""
    program, unwritten, walk = (ns.assemble(text, isa="aarch64") for text in (LOOP, UNWRITTEN, WALK))

    def called(steps: int, of: Any = program, **options: Any) -> Callable[[], Any]:
        return lambda: ns.Machine().call(of, steps // STEPS, max_steps=4 * steps, **options)

    def stepped(steps: int) -> Callable[[], object]:
        def run() -> None:
            machine = ns.Machine()
            machine.start(program, steps // STEPS)
            machine.run(max_steps=4 * steps)
        return run

    def traced(use: Callable[[Any], object]) -> Callable[[int], Callable[[], object]]:
        return lambda steps: partial(use, called(steps, trace=True)().trace)

    def walked(steps: int) -> Callable[[], object]:
        machine, turns = ns.Machine(), steps // WALKED
        places = [machine.memory.place(np.zeros(4 * turns, np.int32)) for _ in range(2)]
        return partial(ns.time, machine.call(walk, turns, *places, max_steps=2 * steps, trace=True).trace)

    yield _Case("blank lines, read", (1_000, 10_000, 100_000), 0.05,
                lambda lines: lambda: ns.assemble("\n" * lines + LOOP, isa="aarch64"))
    yield _Case("a call, traced, by steps", (10_000, 100_000, 1_000_000), None, lambda steps: called(steps, trace=True))
    yield _Case('... trace="last 1000"', (10_000, 100_000, 1_000_000), 1.0,
                lambda steps: called(steps, trace="last 1000"))
    yield _Case("m.start and m.run, by steps", (1_000, 10_000, 100_000), 0.9, stepped)
    yield _Case("... an uninitialized register", (400, 4_000, 40_000), 0.3, lambda steps: called(steps, unwritten))
    yield _Case("trace.to_html, by steps", (1_000, 10_000, 100_000), 0.2,
                traced(lambda trace: trace.to_html(home / "page.html")))
    yield _Case("Stepper(trace), by steps", (1_000, 10_000, 100_000), 0.2, traced(ns.Stepper))
    yield _Case("ns.time of a trace, by steps", (1_000, 10_000, 100_000), 0.1, traced(ns.time))
    yield _Case("ns.time of a trace with addresses, by steps", (1_000, 10_000, 100_000), 0.1, walked)
    loops = ns.kernel("qu8_gemm_q31_8x8__aarch64_neon_mlal_lane").program()
    heads = loop_heads(loops)
    longest = max(heads, key=lambda head: heads[head][1] - heads[head][0])
    yield _Case("ns.time of a kernel's loop, by turns", (1_000, 10_000, 100_000, 1_000_000), None,
                lambda turns: lambda: ns.time(loops, entry=longest, iterations=turns))


def _models(home: Path) -> Iterator[_Case]:
    """Checking, proving, plans and networks."""
    yield _Case("proving.same, by kc", (64, 128, 256, 512), 2.2,
                lambda kc: lambda: same(*PAIR, mr=4, nr=8, kc=kc, search=False))
    yield _Case("check of a GEMM, full", (1,), 7.0, lambda _: lambda: ns.check(ns.kernel(GEMM)))
    byte = ns.Scheme(0.1, 128)
    layer = Conv2d(byte, ns.Quantized(np.ones((8, 1, 1, 8), np.uint8), 0.01, 128), out=byte)
    layer.plan((1, 1, 1, 8), backend="emulated")    # which reads the headers
    yield _Case("an emulated operator's plan, 1 x 1 x 8", (1,), 0.0005,
                lambda _: lambda: layer.plan((1, 1, 1, 8), backend="emulated"))
    yield _Case("an emulated network's plan, by pixels a side", (32, 64, 128), None,
                lambda size: partial(mobilenet_v1(0.25, size).plan, "emulated", engine="interpreter"))
    folders = (home / f"cache{number}" for number in range(ROUNDS))

    def first(_: int) -> Callable[[], object]:
        return lambda: _process(["-c", FIRST_NETWORK], {"NEONSIM_CACHE": str(next(folders))}, 1)()
    yield _Case("the first emulated network, nothing compiled", (1,), 2.0, first, time.perf_counter)
