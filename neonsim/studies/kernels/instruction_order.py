"""The same instructions in another order: as written plainly, as scheduled by hand, as a list scheduler has them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from neonsim.arm.timing.cores.capability import CoreFilter, requirements_of
from neonsim.arm.timing.cores.loader import load_core
from neonsim.arm.timing.cores.model import Core
from neonsim.arm.timing.stream import InstructionStream
from neonsim.arm.timing.timing import time
from neonsim.arm.timing.validation.published_loops import ANCHORS, ITERATION
from neonsim.common.study_report import Bars, Quoted, Report, cell

__all__ = ["orders", "reorder"]


def orders(cores: Sequence[str], others: Iterable[tuple[str, InstructionStream]] = ()) -> Report:
    """gemmlowp's loops on the cores they were measured on, and other loops (name, stream) on all `cores`.

    `data` has a row a loop and core: (loop, core, cycles an iteration plain, by hand, by list scheduling, measured
    plain, measured by hand), None where there is no such figure.
    """
    found: list[tuple[str, str, float, float | None, float, float | None, float | None]] = []
    for anchor in ANCHORS:
        if anchor.unit == ITERATION and anchor.name.endswith("before"):
            tile = anchor.name.removesuffix(" before")
            hand = next(a for a in ANCHORS if (a.name, a.core) == (f"{tile} after", anchor.core))
            plain = anchor.times()[0]
            better = time(reorder(plain.stream, anchor.core), core=anchor.core)
            found.append((tile, anchor.core, plain.cycles_per_iteration, hand.times()[0].cycles_per_iteration,
                          better.cycles_per_iteration, anchor.measured, hand.measured))
    able = CoreFilter()
    for name, stream in others:
        for core in able.cores(cores, requirements_of(stream, f"the loop of {name}")):
            plain = time(stream, core=core)
            better = time(reorder(stream, core), core=core)
            found.append((name, core, plain.cycles_per_iteration, None, better.cycles_per_iteration, None, None))
    legend = ("plain", "by hand", "list scheduler", "measured plain", "measured by hand")
    return Report(
        "The same instructions in another order: cycles an iteration (modelled; measured where published)",
        "gemmlowp spread the loads of its inner loops between the multiplies: by hand, and measured on both cores. An "
        "in-order core waits where it stands, so order is everything there; an out-of-order one finds most of it by "
        "itself. The list scheduler takes of what could start soonest the head of the longest chain; it cannot work on "
        "two iterations at once, which is what a loop of dependent instructions needs.",
        (["loop, core", *legend],
         [[f"{name}, {core}", *(cell(value, ".1f") for value in cycles)] for name, core, *cycles in found]),
        Bars("cycles an iteration", legend,
             tuple((f"{name} {core.rpartition('-')[2]}", tuple(cycles)) for name, core, *cycles in found),
             measured=legend[3:]),
        # Source: (H09).
        quoted=(Quoted("measured plain, measured by hand", "library's code", "gemmlowp's benchmark"),),
        skipped=able.sentences(), data=tuple(found))


def reorder(stream: InstructionStream, core: str | Core) -> InstructionStream:
    """One iteration of a loop in an order made for a core: of what could start soonest, the head of the longest chain.

    Every dependence through registers is kept, stores keep their place among loads and stores, the branch stays last.
    What it cannot do is work on several iterations at once, or rename registers.

    Source: list scheduling by critical path, as in any compiler's back end.
    """
    model = load_core(core)
    n = stream.body or len(stream)
    ops = [stream.ops[index] for index in stream.order[:n]]
    after: list[dict[int, int]] = [{} for _ in ops]           # earlier -> later: cycles between their starts

    def edge(first: int, second: int, cycles: int) -> None:
        after[first][second] = max(after[first].get(second, 0), cycles)

    for k, op in enumerate(ops):
        for j in range(k):
            before = ops[j]
            written = {register: w for w, (_, register) in enumerate(before.writes)}
            mine = {register for _, register in op.writes}
            for p, (role, register) in enumerate(op.reads):
                if register in written:
                    edge(j, k, model.latency(before, written[register], op, role, p))
            if mine & {register for _, register in before.reads} or mine & set(written):
                edge(j, k, 0)
            if "store" in (op.kind, before.kind) and {op.kind, before.kind} <= {"load", "store"}:
                edge(j, k, 0)
            if op.kind == "branch" or before.kind == "branch":
                edge(j, k, 0)
    height = [0] * n
    for k in range(n - 1, -1, -1):
        height[k] = max((cycles + height[later] for later, cycles in after[k].items()), default=0)
    waits = [0] * n
    for k in range(n):
        for later in after[k]:
            waits[later] += 1
    ready = {k: 0 for k in range(n) if not waits[k]}
    soonest = [0] * n
    order: list[int] = []
    slot = 0
    while ready:
        now = slot // max(1, model.width)
        best = min(ready, key=lambda k: (max(ready[k], now), -height[k], k))
        slot = max(slot + 1, ready[best] * model.width + 1)
        start = max(ready.pop(best), now)
        order.append(best)
        for later, cycles in after[best].items():
            waits[later] -= 1
            soonest[later] = max(soonest[later], start + cycles)
            if not waits[later]:
                ready[later] = soonest[later]
    return InstructionStream.of_ops([ops[k] for k in order], iterations=stream.iterations, isa=stream.isa,
                                    name=f"{stream.name}, reordered")
