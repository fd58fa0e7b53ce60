"""How a product is cut into tasks for threads, and what it costs when threads move between big and little cores.

    tile_width     columns of one task: the 2021 rule, and the rule by caches                              (X42)
    cut            the tasks of a product, and which thread takes which (modelled: every thread the next one)
    migrate        a plan whose tiles run on the kernels of several cores in turn: the same bytes           (D15, X36)
    simulate       a chip of big and little cores, with and without switching kernels (modelled)            (X37)

A task is some rows (mr) by some columns (a multiple of nr). One thread takes all columns at once: nothing is won by
more tasks. Several threads need enough of them that the slow one does not hold up the others: five a thread.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.arm.timing import time
from neonsim.common.integers import as_int
from neonsim.errors import BadArgument
from neonsim.nn.backends import Call, Implementation, OffsetPointer, Pointer, Step
from neonsim.nn.ops.lowering.kernel_selection import Selection, migration_classes
from neonsim.nn.ops.operator import Plan

__all__ = [
    "TASKS_PER_THREAD",
    "ClusterSpec",
    "Makespan",
    "TaskGrid",
    "chip_table",
    "migrate",
    "simulate",
    "split_tasks",
    "task_split_table",
    "tile_width",
]

TASKS_PER_THREAD = 5


def _up(a: int, b: int) -> int:
    return -(-a // b)


def tile_width(n: int, nr: int, other_tiles: int, threads: int, *, k: int | None = None, mr: int | None = None,
               l1: int | None = None, l2: int | None = None) -> int:
    """Columns of one task.

    2021     one thread: n.  Else max = ceil(n * other_tiles / (threads * 5));  if max < n:
             min(n, ceil(n / (max * nr)) * nr)
    caches   (l1 given) the widest multiple of nr whose weights and rows fit the first-level cache, else the second, and
             that leaves five tasks for every thread

    n, nr         columns of the product, of the kernel
    other_tiles   tasks in the other directions: tiles of rows, groups, images
    threads       int
    k, mr         depth and rows of a tile: needed for the caches
    l1, l2        bytes
    ->            a multiple of nr, or n

    Source: (X42).

    >>> tile_width(1024, 16, 4, 1), tile_width(1024, 16, 4, 4), tile_width(1024, 16, 4000, 4)
    (1024, 16, 1024)
    """
    sizes = {"n": n, "nr": nr, "other_tiles": other_tiles, "threads": threads}
    n, nr, other, workers = (as_int(value, name, 1, 1 << 30) for name, value in sizes.items())
    if l1 is None:
        if workers == 1:
            return n
        most = _up(n * other, workers * TASKS_PER_THREAD)
        return n if most >= n else min(n, _up(n, most * nr) * nr)
    if k is None or mr is None:
        raise BadArgument("k and mr are needed to fit a task into a cache.")

    def fits(width: int, cache: int) -> bool:
        return mr * k + width * (k + 4) + mr * width <= cache

    def enough(width: int) -> bool:
        return workers == 1 or _up(n, width) * other >= workers * TASKS_PER_THREAD

    widths = [min(w, n) for w in range(_up(n, nr) * nr, 0, -nr)]
    for cache in (l1, l2):
        found = next((w for w in widths if cache is not None and fits(w, cache) and enough(w)), None)
        if found is not None:
            return found
    return next((w for w in widths if enough(w)), widths[-1])


@dataclass(frozen=True)
class TaskGrid:
    """The tasks of a product.

    m, n, k, mr, nr   sizes of product and kernel
    width             columns of a task
    threads           int
    owner             int [row tiles, column tiles]     which thread takes the task
    work              list of float                     MACs of each thread, padding included
    """

    m: int
    n: int
    k: int
    mr: int
    nr: int
    width: int
    threads: int
    owner: NDArray[np.int64]
    work: tuple[float, ...]

    @property
    def tasks(self) -> int:
        """How many."""
        return int(self.owner.size)

    @property
    def balance(self) -> float:
        """Work of an ideal thread / work of the busiest: 1 is perfect."""
        return sum(self.work) / (self.threads * max(self.work))


def split_tasks(m: int, n: int, k: int, *, mr: int, nr: int, threads: int, width: int | None = None) -> TaskGrid:
    """Cut a product into tasks and hand them out: the thread with least work so far takes the next task.

    width   columns of a task; None: by `tile_width`
    """
    tiles = _up(as_int(m, "m", 1, 1 << 30), mr)
    wide = tile_width(n, nr, tiles, threads) if width is None else as_int(width, "width", 1, 1 << 30)
    columns = _up(n, wide)
    owner, work = np.zeros((tiles, columns), np.int64), [0.0] * threads
    for row in range(tiles):
        for column in range(columns):
            thread = min(range(threads), key=lambda t: (work[t], t))
            here = min(wide, n - column * wide)
            work[thread] += mr * _up(here, nr) * nr * k
            owner[row, column] = thread
    return TaskGrid(m, n, k, mr, nr, wide, threads, owner, tuple(work))


def task_split_table(m: int, n: int, k: int, *, mr: int, nr: int, threads: Sequence[int] = (1, 2, 4, 8)) -> str:
    """Widths, tasks and balance for several numbers of threads.

    >>> print(task_split_table(16, 64, 32, mr=4, nr=16, threads=(1, 4)))
    threads   width   tasks   balance   many small tasks
          1      64       4      1.00                 16
          4      16      16      1.00                 16
    """
    lines = [f"{'threads':>7}{'width':>8}{'tasks':>8}{'balance':>10}{'many small tasks':>19}"]
    for count in threads:
        found = split_tasks(m, n, k, mr=mr, nr=nr, threads=count)
        lines.append(f"{count:>7}{found.width:>8}{found.tasks:>8}{found.balance:>10.2f}{_up(m, mr) * _up(n, nr):>19}")
    return "\n".join(lines)


# ---- threads that move

def _rows(value: Any, rows: NDArray[np.int64], of: int) -> Any:
    """An argument for some rows of a grid."""
    if isinstance(value, Pointer):
        return Pointer(value.region, _rows(value.offset, rows, of))
    if isinstance(value, np.ndarray) and value.shape and value.shape[0] == of and of > 1:
        return value[rows]
    return value


def migrate(plan: Plan, on: Callable[[int], Implementation]) -> NDArray[Any]:
    """Run a plan with every tile on the kernel of the core that its thread is on, and give the result.

    plan   of an operator, with the inputs of its last run in its memory; its weights are packed once
    on     number of a row of tiles -> kernel; all kernels share contract, mr, nr, kr and sr with the plan's

    Raises BadArgument for a kernel with another contract, tile or packing: it would read the weights wrongly (X36).
    """
    def shape(k: Implementation) -> tuple[Any, ...]:
        return k.contract, k.isa, k.mr, k.nr, k.kr, k.sr

    steps: list[Step] = []
    number = 0
    for step in plan.job.steps:
        if not isinstance(step, Call) or any(isinstance(v, OffsetPointer) for v in step.arguments.values()):
            steps.append(step)
            continue
        chosen = [on(number + row) for row in range(step.rows)]
        number += step.rows
        for kernel in dict.fromkeys(chosen):
            if shape(kernel) != shape(step.implementation):
                raise BadArgument(f"{kernel.name} cannot take over from {step.implementation.name}: contract, "
                                  "instruction set, mr, nr, kr and sr must be the same, because it reads the packed "
                                  "weights.")
            rows = np.array([i for i, k in enumerate(chosen) if k == kernel])
            given = {name: _rows(value, rows, step.rows) for name, value in step.arguments.items()}
            steps.append(replace(step, implementation=kernel, rows=len(rows), arguments=given))
    loaded = plan.backend.load(replace(plan.job, steps=tuple(steps)))
    for operand in plan.inputs:
        loaded.view(operand.name)[...] = plan.loaded.view(operand.name)
    loaded.run()
    return np.array(plan.output.view(loaded.view(plan.result)))


@dataclass(frozen=True)
class Makespan:
    """One way to spread the tiles over a chip: when it ends, and who did how many tiles.

    cycles   float                 of the fastest core's clock, until the last tile is done; modelled
    tiles    {core index: int}
    spans    list of (core index, start, end, kernel)
    """

    cycles: float
    tiles: dict[int, int]
    spans: tuple[tuple[int, float, float, str], ...]


@dataclass(frozen=True)
class ClusterSpec:
    """A chip with several cores, and a product's tiles on it, with and without switching kernels.

    cores      names, one a thread; clocks relative to the first
    decisions  {core: Decision}               which kernel each core switches to
    tile       {(core, kernel): cycles}       of one tile, modelled from its trace
    """

    cores: tuple[str, ...]
    clocks: tuple[float, ...]
    decisions: dict[str, Selection]
    tile: dict[tuple[str, str], float]
    fixed: Makespan
    switching: Makespan

    @property
    def gain(self) -> float:
        """Time without switching / time with it."""
        return self.fixed.cycles / self.switching.cycles


def _share(costs: Sequence[float], names: Sequence[str], tiles: int) -> Makespan:
    """Every core takes the next tile as soon as it is free."""
    free = [(0.0, i) for i in range(len(costs))]
    done: dict[int, int] = dict.fromkeys(range(len(costs)), 0)
    spans = []
    for _ in range(tiles):
        now, core = heapq.heappop(free)
        spans.append((core, now, now + costs[core], names[core]))
        done[core] += 1
        heapq.heappush(free, (now + costs[core], core))
    return Makespan(max(end for _, _, end, _ in spans), done, tuple(spans))


def simulate(plan: Plan, cores: Sequence[str], *, clocks: Sequence[float] | None = None,
             tiles: int | None = None) -> ClusterSpec:
    """A product's tiles on a chip, handed out as cores get free: all on the first core's kernel, and each on its own.

    plan     on the emulated backend, run once; its first call's first tile is traced with every kernel
    cores    one a thread, the first one decides for all where nothing is switched
    clocks   of each core relative to the first; None: all 1
    tiles    how many; None: those of the plan

    Everything but the trace is modelled: no memory shared by cores, no cost of moving a thread.
    """
    isa = getattr(plan.backend, "isa", None)
    calls = plan.job.calls
    if isa is None or not calls:
        raise BadArgument("a schedule needs traces: plan with backend='emulated', for at least one row.")
    speeds = tuple(1.0 for _ in cores) if clocks is None else tuple(float(c) for c in clocks)
    if len(speeds) != len(cores) or min(speeds) <= 0:
        raise BadArgument(f"clocks must be {len(cores)} positive numbers, one a core; got {list(speeds)}.")
    decisions = migration_classes(plan.backend.find(calls[0].implementation.contract), isa, list(dict.fromkeys(cores)))
    cost: dict[tuple[str, str], float] = {}
    for decision in dict.fromkeys(decisions.values()):
        kernel = decision.kernel
        again = plan.operator.plan(*(o.shape for o in plan.inputs), backend=plan.backend, kernel=kernel.name)
        for operand in plan.inputs:
            again.loaded.view(operand.name)[...] = plan.loaded.view(operand.name)
        trace = again.trace(0).trace
        for core in dict.fromkeys(cores):
            cost[core, kernel.name] = float(time(trace, core=core).cycles)
    number = sum(c.tiles for c in calls) if tiles is None else as_int(tiles, "tiles", 1, 1 << 24)
    first = decisions[cores[0]].kernel.name
    own = [decisions[core].kernel.name for core in cores]
    runs = [_share([cost[core, name] / speed for core, name, speed in zip(cores, names, speeds, strict=True)], names,
                   number) for names in ([first] * len(cores), own)]
    return ClusterSpec(tuple(cores), speeds, decisions, cost, *runs)


def chip_table(chip: ClusterSpec) -> str:
    """The chip as text."""
    lines = [f"{'core':<14}{'clock':>6}  {'cycles a tile':>13}  {'tiles':>6}  kernel"]
    first = chip.decisions[chip.cores[0]].kernel.name
    for name, run, kernels in (("all on the first core's kernel", chip.fixed, [first] * len(chip.cores)),
                               ("each on its own", chip.switching,
                                [chip.decisions[c].kernel.name for c in chip.cores])):
        lines.append(f"{name}: {run.cycles:.0f} cycles of the first clock")
        lines += [f"{core:<14}{clock:>6.2f}  {chip.tile[core, kernel]:>13.0f}  {run.tiles[i]:>6}  {kernel}"
                  for i, (core, clock, kernel) in enumerate(zip(chip.cores, chip.clocks, kernels, strict=True))]
    lines.append(f"switching makes it {chip.gain:.2f}x as fast (modelled: cycles from traces of one tile, no shared "
                 "memory, no cost of moving)")
    return "\n".join(lines)
