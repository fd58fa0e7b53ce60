"""Rows of `neonsim bench emulator`: one instruction beside another, in a loop of sixteen of them on many tiles."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from neonsim.arm.asm import assemble
from neonsim.arm.machine import Grid, Machine
from neonsim.errors import BackendError

__all__ = ["single_lines"]

# Each is measured in every round, the first one is what the others are compared with.
_LINES = {"SMLAL.4S": "smlal v{d}.4s, v{n}.4h, v{m}.4h", "FMLA.4S": "fmla v{d}.4s, v{n}.4s, v{m}.4s",
          "FADD.4S": "fadd v{d}.4s, v{n}.4s, v{m}.4s", "FMUL.4S": "fmul v{d}.4s, v{n}.4s, v{m}.4s",
          "FMLA.2D": "fmla v{d}.2d, v{n}.2d, v{m}.2d", "FADD.2D": "fadd v{d}.2d, v{n}.2d, v{m}.2d",
          "FMUL.2D": "fmul v{d}.2d, v{n}.2d, v{m}.2d"}
_GOALS = {"interpreter": None, "compiled": 1.3}  # times SMLAL.4S, of FMLA.4S
_SIDE = 32
_ROW = 256  # bytes of a tile


def _program(line: str) -> str:
    """Eight registers are loaded, and each of four combined with each of four others, in accumulators of their own."""
    each = range(16)
    body = [line.format(d=16 + i, n=i // 4, m=4 + i % 4) for i in each]
    loads = [f"ldp q{i}, q{i + 1}, [x0], #{32 if i < 6 else -96}" for i in (0, 2, 4, 6)]
    return "\n".join([*(f"ldr q{16 + i}, [x0, #{16 * i}]" for i in each), "loop:", *loads, *body,
                      "subs x1, x1, #1", "b.ne loop", *(f"str q{16 + i}, [x2, #{16 * i}]" for i in each), "ret"])


def single_lines(measurement: Callable[..., Any], best: Callable[..., tuple[float, Any]], quick: bool,
                 missing: list[str]) -> list[Any]:
    """Time of one instruction on 1024 tiles in lock-step, every line beside SMLAL.4S of the same rounds."""
    rows = []
    for engine, goal in _GOALS.items():
        long = (6 if quick else 40) * (1 if engine == "interpreter" else 10)
        try:
            runs = [_Run(line, engine) for line in _LINES.values()]
            least = [float("inf")] * len(runs)
            for _ in range(2 if quick else 5):
                for number, run in enumerate(runs):
                    taken = best(partial(run.passes, long + 2), 1)[0] - best(partial(run.passes, 2), 1)[0]
                    least[number] = min(least[number], max(taken, 1e-9) / (16 * long))
        except BackendError as problem:
            missing.append(f"single instructions, {engine}: {problem}")
            continue
        for name, seconds in zip(_LINES, least, strict=True):
            rows.append(measurement(
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
