"""A call that is made again and again, of which only a part is simulated: loops by a few of their turns.

A kernel's call of a whole network runs some hundred thousand instructions, nearly all of them in loops whose turns are
alike, one inside the other. Such a path is folded: a turn that repeats is kept a few times, to warm up and to measure,
and what the measured turns take is counted for all the others. A short call is put after itself, and the second one
counts: so the pipeline is full when it begins.

    path      0 1 2 [3 4 5] [3 4 5] ... 100 times ... 6 7
    folded    0 1 2 [3 4 5] x 8, [3 4 5] x 8 that count for 92, 6 7

Every access hits L1. How far it is from simulating the whole call: `tests/arm/timing/test_steady_state.py`, below 1 %.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from neonsim.arm.timing.cores.loader import load_core
from neonsim.arm.timing.cores.model import Core
from neonsim.arm.timing.pipeline.loop_folding import fold
from neonsim.arm.timing.simulation import simulate
from neonsim.arm.timing.stream import InstructionStream, from_order

if TYPE_CHECKING:
    from neonsim.arm.asm import Program

__all__ = ["Steady", "steady"]

WARM, MEASURED = 192, 256   # instructions, at least, of the turns that warm up and that are measured
TURNS = 2                   # turns of each, at least
LONG = 20_000               # instructions of a call beside which the start of the pipeline is nothing


@dataclass(frozen=True)
class Steady:
    """One call of many alike.

    cycles         modelled, of one call after another       instructions   of one call (counted)
    macs           products of one call (counted)            simulated      instructions that were simulated
    """

    cycles: float
    instructions: int
    macs: int
    simulated: int


def steady(program: Program, order: NDArray[np.int64], core: str | Path | Core,
           cache: dict[Any, Any] | None = None) -> Steady:
    """Return what one of many equal calls takes on a core.

    order   numbers of the instructions that a call executes, in their order (`Machine.execution_path`)
    cache   of this program, filled here and kept by its caller: calls that differ in nothing but how often
            their loops turn are one simulation

    Raises TimingError as `time` does.
    """
    model, known = load_core(core), {} if cache is None else cache
    path = order.tobytes()
    if path not in known:
        known[path] = _Folded(order)
    folded: _Folded = known[path]
    copies = 1 if len(order) > LONG else 2
    before = (copies - 1) * len(folded.order)
    what = copies, tuple(folded.order), tuple(folded.taken)
    if what not in known:
        known[what] = from_order(program, copies * folded.order, copies * folded.taken)
    stream: InstructionStream = known[what]
    if (model.name, what) not in known:
        known[model.name, what] = np.maximum.accumulate(np.asarray(simulate(stream, model).retire, np.int64))
    retired = np.concatenate([[0], known[model.name, what]])
    weights = np.asarray(folded.weights)
    cycles = float((np.diff(retired[before:]) * weights).sum())
    late = sum(weight for weight, turns, kept in folded.exits if kept < model.learned <= turns)
    macs = np.array([stream.ops[i].macs for i in stream.order[before:]])
    return Steady(cycles + late * model.mispredict, len(order), round(float((macs * weights).sum())), len(stream))


@dataclass
class _Folded:
    """A path with its loops cut short.

    order, taken   of the instructions that are kept
    weights        how many each of them stands for; they sum up to the length of the path
    exits          (how often, turns, turns that are kept) of loops that are left
    """

    path: NDArray[np.int64]
    order: list[int] = field(default_factory=list)
    taken: list[bool] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)
    exits: list[tuple[float, int, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        # Pieces between taken branches.
        cuts = np.flatnonzero(np.diff(self.path) != 1) + 1
        firsts, ends = np.concatenate([[0], cuts]), np.concatenate([cuts, [len(self.path)]])
        self._pieces = sorted({(int(self.path[a]), int(self.path[b - 1]) + 1)
                               for a, b in zip(firsts, ends, strict=True)})
        number = {piece: i for i, piece in enumerate(self._pieces)}
        items = [number[int(self.path[a]), int(self.path[b - 1]) + 1] for a, b in zip(firsts, ends, strict=True)]
        items, self._loops = fold(items)
        for item in items:
            self._emit(item, 1.0)
        self.taken[-1] = True       # it returns, to be called again

    def _emit(self, item: int, weight: float) -> None:
        if item >= 0:
            first, end = self._pieces[item]
            self.order += range(first, end)
            self.taken += [*[False] * (end - first - 1), True]
            self.weights += [weight] * (end - first)
            return
        turn, count = self._loops[-1 - item]
        begin = len(self.order)
        self._turn(turn, weight)
        size = len(self.order) - begin
        warm, measured = (max(TURNS, -(-least // size)) for least in (WARM, MEASURED))
        if count <= warm + measured:
            warm, measured = count, 0
        for _ in range(warm - 1):
            self._turn(turn, weight)
        for _ in range(measured):
            self._turn(turn, weight * (count - warm) / measured)
        self.exits.append((weight, count, warm + measured))

    def _turn(self, turn: tuple[int, ...], weight: float) -> None:
        for item in turn:
            self._emit(item, weight)
