"""Which kernel of a contract takes the fewest cycles, by shape and core; and where one overtakes another.

Both are read part by part: of each shape and core only the two best are kept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from neonsim.common.study_report import Table, cell, short
from neonsim.errors import BadArgument
from neonsim.studies.kernels import Heat, Lines, Report, Series
from neonsim.ukernel.naming import split_name

from .plan import is_depthwise

__all__ = ["Best", "Crossover", "Winners", "crossover", "label", "winners", "winners_report"]

Shape = tuple[int, int, int, int]
MAX_ROWS, MAX_LINES = 60, 8       # of a picture


@dataclass(frozen=True)
class Best:
    """The best kernel of a shape on a core, and the second best; cycles are modelled."""

    core: str
    shape: Shape
    kernel: str
    cycles: float
    second: str = ""
    excess: float | None = None

    @property
    def gain(self) -> float | None:
        """How many times the cycles the second best takes, less 1; None where there is no other."""
        return None if self.excess is None else self.excess / self.cycles - 1


def label(kernel: str) -> str:
    """Return a kernel's name without its contract.

    >>> label("qu8_gemm_q31_4x8__aarch32_neon_mlal_lane")
    '4x8 A32 mlal_lane'
    """
    _, tile, isa, technique = split_name(kernel)
    return f"{tile} {'A32' if isa == 'aarch32' else 'A64'} {technique.removeprefix('neon_')}"


def shape_text(shape: Shape) -> str:
    """m x n x k, with taps where there are any."""
    return "x".join(map(str, shape if shape[3] != 1 else shape[:3]))


def _order(shape: Shape) -> Shape:
    m, n, k, taps = shape
    return k * taps, n, m, taps


@dataclass(frozen=True)
class Winners:
    """Best kernels of one contract.

    best      core, shape -> Best
    totals    core -> kernel -> cycles of all shapes, each as often as it weighs
    weights   shape -> how often it is there; 1 where nothing is said
    """

    contract: str
    best: Mapping[tuple[str, Shape], Best]
    totals: Mapping[str, Mapping[str, float]]
    caches: str = "l1"
    weights: Mapping[Shape, int] = field(default_factory=dict)

    @cached_property
    def cores(self) -> list[str]:
        """In order of their names."""
        return sorted({core for core, _ in self.best})

    @cached_property
    def shapes(self) -> list[Shape]:
        """By depth, columns, rows."""
        return sorted({shape for _, shape in self.best}, key=_order)

    def weight(self, shape: Shape) -> int:
        """Return how often a shape is there."""
        return self.weights.get(shape, 1)

    def best_single(self, core: str) -> tuple[str, float]:
        """Return the kernel with the fewest cycles over all shapes of a core, of those that do all of them; its
        cycles."""
        return min(self.totals[core].items(), key=lambda item: (item[1], item[0]))

    def chosen(self, core: str) -> float:
        """Cycles of all shapes, each by its best kernel."""
        return sum(best.cycles * self.weight(best.shape) for (at, _), best in self.best.items() if at == core)


def winners_report(won: Winners) -> Report:
    rows = []
    for core in won.cores:
        for shape in won.shapes:
            best = won.best.get((core, shape))
            if best is not None:
                m, n, k, taps = shape
                gain = "-" if best.gain is None else f"{100 * best.gain:.1f} %"
                rows.append([core, *map(str, shape), best.kernel, f"{best.cycles:.0f}",
                             f"{m * n * k * taps / best.cycles:.2f}", best.second or "-", gain])
    where = {"l1": "Every access hits L1", "cold": "Each call begins with empty caches",
             "warm": "Each call by itself, its data in the caches"}[won.caches]
    counted = "" if not won.weights else " Lines count as often as images of layers have them." \
        if is_depthwise(won.contract) else " Shapes count as often as layers have them."
    what = "of one call, which does a line of an image (pixels x channels x 1 x taps)" \
        if is_depthwise(won.contract) else "of all calls of a product one after the other, edges included"
    return Report(
        f"Best kernel of {won.contract} for {len(won.shapes)} shapes on {len(won.cores)} cores (modelled)",
        f"Cycles are modelled, those {what}. {where}; left out are packing, row sums, memory beyond that, and the code "
        "around the calls.\n"
        f"\"One for all\" is the kernel with the fewest cycles if one has to do every shape.{counted} The gain is what "
        "choosing a kernel for each shape saves beside that one.",
        (["core", "m", "n", "k", "taps", "kernel", "cycles", "products a cycle", "second", "gain"], rows), _heat(won),
        printed=(_one_for_all(won),), data=won)


def _one_for_all(won: Winners) -> Table:
    wins: dict[str, Counter[str]] = {core: Counter() for core in won.cores}
    for (core, shape), best in won.best.items():
        wins[core][best.kernel] += won.weight(shape)
    # Some small products are not told apart in millions.
    small = max(won.best_single(core)[1] for core in won.cores) < 1e6
    head = ["core", "one for all", "cycles" if small else "M cycles", "best of each", "gain", "most wins", "of"]
    rows = []
    for core in won.cores:
        one, cycles = won.best_single(core)
        least = won.chosen(core)
        most, count = min(wins[core].items(), key=lambda item: (-item[1], item[0]))
        rows.append([core, label(one), *(f"{n:.0f}" if small else f"{n / 1e6:.3f}" for n in (cycles, least)),
                     f"{100 * (cycles / least - 1):.1f} %", f"{label(most)} {count}", str(wins[core].total())])
    return head, rows


def _heat(won: Winners) -> Heat:
    """Cells of at most 60 shapes, evenly chosen by depth."""
    every = won.shapes
    step = max(1, -(-len(every) // MAX_ROWS))
    shapes = every[::step]
    wins = Counter(best.kernel for (_, shape), best in won.best.items() if shape in set(shapes))
    order = [kernel for kernel, _ in sorted(wins.items(), key=lambda item: (-item[1], item[0]))]
    number = {kernel: i for i, kernel in enumerate(order)}
    cells = tuple(tuple(_cell(won.best.get((core, shape)), number) for core in won.cores) for shape in shapes)
    sizes = "pixels x channels x 1 x taps" if is_depthwise(won.contract) else "rows x columns x depth"
    which = sizes + (f", one in {step} of {len(every)}" if step > 1 else "")
    return Heat(which, "cores; in a cell how much more the second best takes", tuple(map(shape_text, shapes)),
                tuple(map(short, won.cores)), tuple(map(label, order)), cells)


def _cell(best: Best | None, number: Mapping[str, int]) -> tuple[int, str, str] | None:
    if best is None:
        return None
    if best.gain is None:
        return number[best.kernel], "", f"{best.kernel}, {best.cycles:.0f} cycles, the only one"
    return (number[best.kernel], f"{100 * best.gain:.0f}%" if best.gain >= 0.005 else "=",
            f"{best.kernel}, {best.cycles:.0f} cycles; {best.second} takes {100 * best.gain:.1f} % more")


@dataclass(frozen=True)
class Crossover:
    """Products a cycle of kernels as one size grows.

    axis     "m", "n" or "k"
    lines    kernel -> ((size, products a cycle), ...), best ones first
    leads    where the best one changes: (size, kernel)
    """

    axis: str
    lines: Mapping[str, tuple[tuple[float, float], ...]]
    leads: tuple[tuple[float, str], ...]


# ---- out of rows ----------------------------------------------------------------------------------------------------

def _cycles(tables: Iterator[Any], caches: str) -> Iterator[dict[str, Any]]:
    wanted = ["measure", "kernel", "core", "m", "n", "k", "taps", "caches", "status", "cycles"]
    for table in tables:
        for row in table.select(wanted).to_pylist():
            if row["measure"] == "cycles" and row["status"] == "ok" and row["caches"] == caches:
                yield row


def _contract(kernels: Sequence[str], asked: str | None) -> str:
    there = sorted({split_name(name)[0] for name in kernels})
    if asked is None and len(there) > 1:
        raise BadArgument(f"the sweep has kernels of {len(there)} contracts, but only kernels of one contract can be "
                          f"compared. Name one of {', '.join(there)}.")
    if asked is not None and asked not in there:
        raise BadArgument(f"the sweep has no kernel of {asked}; there are {', '.join(there)}.")
    return asked or there[0]


def _why_none(rows: Any, contract: str, caches: str) -> str:
    """Why no row of a contract says cycles: the end of a sentence."""
    if "cycles" not in rows.plan.measures or caches not in rows.plan.caches:
        return ": sweep with measures=\"cycles\"." if caches in rows.plan.caches else \
            f"; there are of caches {', '.join(rows.plan.caches)}."
    statuses: Counter[str] = Counter()
    first = ""
    for table in rows.tables():
        for row in table.select(["measure", "kernel", "caches", "status", "what"]).to_pylist():
            if row["measure"] == "cycles" and row["caches"] == caches and split_name(row["kernel"])[0] == contract:
                statuses[row["status"]] += 1
                first = first or f"{row['status']}, {row['what'] or row['kernel']}"
    if not statuses:
        return ": none of its rows is there yet."
    counted = ", ".join(f"{n:,} {status}" for status, n in sorted(statuses.items()))
    return f": of its rows {counted}. The first: {first.rstrip('.')}."


def winners(rows: Any, contract: str | None = None, caches: str | None = None,
            weights: Mapping[Shape, int] | None = None) -> Report:
    """Return the best kernels of a sweep's rows. Arguments and errors as of `Rows.best`."""
    chosen, state = _contract(rows.plan.kernels, contract), caches or rows.plan.caches[0]
    weighs = weights or {}
    found: dict[tuple[str, Shape], Best] = {}
    totals: dict[str, dict[str, float]] = {}
    done: Counter[tuple[str, str]] = Counter()
    for row in _cycles(rows.tables(), state):
        if split_name(row["kernel"])[0] != chosen:
            continue
        core, shape, cycles = row["core"], (row["m"], row["n"], row["k"], row["taps"]), row["cycles"]
        per = totals.setdefault(core, {})
        per[row["kernel"]] = per.get(row["kernel"], 0.0) + cycles * weighs.get(shape, 1)
        done[core, row["kernel"]] += 1
        best = found.get((core, shape))
        if best is None:
            found[core, shape] = Best(core, shape, row["kernel"], cycles)
        elif (cycles, row["kernel"]) < (best.cycles, best.kernel):
            found[core, shape] = Best(core, shape, row["kernel"], cycles, best.kernel, best.cycles)
        elif best.excess is None or (cycles, row["kernel"]) < (best.excess, best.second):
            found[core, shape] = Best(core, shape, best.kernel, best.cycles, row["kernel"], cycles)
    if not found:
        raise BadArgument(f"the sweep has no cycles of {chosen} with caches {state}{_why_none(rows, chosen, state)}")
    for core, per in totals.items():
        most = max(done[core, name] for name in per)
        totals[core] = {name: cycles for name, cycles in per.items() if done[core, name] == most}
    return winners_report(Winners(chosen, found, totals, state, weighs))


def crossover(rows: Any, core: str | None = None, contract: str | None = None, caches: str | None = None) -> Report:
    """Return where kernels of a sweep's rows overtake each other. Arguments and errors as of `Rows.crossover`."""
    chosen, state = _contract(rows.plan.kernels, contract), caches or rows.plan.caches[0]
    on = core or rows.plan.cores[0] if rows.plan.cores else ""
    if on not in rows.plan.cores:
        raise BadArgument(f"the sweep has no rows of {on or 'a core'}; there are of "
                          f"{', '.join(rows.plan.cores) or 'none'}.")
    points: dict[tuple[str, tuple[int, ...]], dict[int, dict[str, float]]] = {}
    for row in _cycles(rows.tables(), state):
        if row["core"] == on and split_name(row["kernel"])[0] == chosen:
            shape = (row["m"], row["n"], row["k"], row["taps"])
            for place, axis in enumerate("mnk"):
                rest = (*shape[:place], 0, *shape[place + 1:])
                points.setdefault((axis, rest), {}).setdefault(shape[place], {})[row["kernel"]] = \
                    shape[0] * shape[1] * shape[2] * shape[3] / row["cycles"]
    if not points or max(map(len, points.values())) < 2:
        raise BadArgument(f"no size of {chosen} grows in the sweep on {on}: give a shape with a range, 8x8x16..256/16.")
    # The axis with the most sizes; of equal ones the depth, which loops run over.
    (axis, rest), sizes = max(points.items(), key=lambda item: (len(item[1]), item[0][0] == "k", item[0]))
    leads: list[tuple[float, str]] = []
    for size in sorted(sizes):
        best = max(sizes[size].items(), key=lambda item: (item[1], item[0]))[0]
        if not leads or leads[-1][1] != best:
            leads.append((float(size), best))
    wins = list(dict.fromkeys(name for _, name in leads))
    last = sizes[max(sizes)]
    others = sorted(set().union(*sizes.values()) - set(wins), key=lambda name: (-last.get(name, 0.0), name))
    shown = [*wins, *others][:max(MAX_LINES, len(wins))]
    lines = {name: tuple((float(size), sizes[size][name]) for size in sorted(sizes) if name in sizes[size])
             for name in shown}
    fixed = ", ".join(f"{name} = {n}" for name, n in zip(("m", "n", "k", "taps"), rest, strict=True)
                      if name != axis and (name != "taps" or n != 1))
    steps = "".join(f", from {size:g} on {label(kernel)}" for size, kernel in leads[1:])
    left_out = len(wins) + len(others) - len(shown)
    many = "one kernel that is" if left_out == 1 else f"{left_out} kernels that are"
    more = f" The figure leaves out {many} never best." if left_out else ""
    at = sorted({size for points in lines.values() for size, _ in points})
    cells = [[label(name), *(cell(dict(points).get(size), ".2f") for size in at)] for name, points in lines.items()]
    return Report(
        f"{chosen} on {on}: products a cycle by {axis} (modelled)",
        f"With {fixed}, the best kernel is {label(leads[0][1])}{steps}.{more}",
        (["kernel", *(f"{size:g}" for size in at)], cells),
        Lines(f"{axis} ({fixed})", "products a cycle",
              tuple(Series(label(name), points) for name, points in lines.items()), (),
              tuple((label(kernel), size, f"{label(kernel)} from {size:g}") for size, kernel in leads[1:])),
        data=Crossover(axis, lines, tuple(leads)))
