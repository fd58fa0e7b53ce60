"""What requantisation costs: instructions for sixteen sums, counted in traces of kernels that do nothing else (K38).

A kernel is run with 16 and with 32 values; the difference is one turn of its loop, whatever stands around it.
"""

from __future__ import annotations

from typing import NamedTuple

from neonsim.arm.timing import count, time
from neonsim.common.study_report import short
from neonsim.ukernel import Kernel, kernels
from neonsim.ukernel.case_runner import run_alone
from neonsim.ukernel.cases import stream

__all__ = ["RequantCost", "requant_cost_table", "requant_costs"]

CORES = ("cortex-a53", "cortex-a72")        # one that issues in order, one that does not

class RequantCost(NamedTuple):
    """One kernel.

    scheme         str
    kernel         str
    isa            str
    arithmetic     int     NEON instructions for 16 sums without loads and stores, counted
    neon           int     all NEON instructions for 16 sums, counted
    instructions   int     all instructions for 16 sums, counted
    cycles         dict    core -> cycles for 16 sums, modelled
    """

    scheme: str
    kernel: str
    isa: str
    arithmetic: int
    neon: int
    instructions: int
    cycles: dict[str, float]


def _turn(kernel: Kernel) -> RequantCost:
    found = {}
    for case in stream(kernel.contract.name, kernel.tile):
        n = case.number("n")
        if n in (16, 32) and n not in found:
            result = run_alone(kernel.program(), kernel.name, case, trace=True).result
            assert result.trace is not None
            found[n] = result.trace
        if len(found) == 2:
            break
    short, long = count(found[16]), count(found[32])
    moves = sum(long.kinds.get(k, 0) - short.kinds.get(k, 0) for k in ("NEON load", "NEON store"))
    cycles = {}
    for core in CORES:
        cycles[core] = float(time(found[32], core=core).cycles - time(found[16], core=core).cycles)
    neon = long.neon - short.neon
    scheme = kernel.contract.name.removeprefix("qu8_requantize_")
    return RequantCost(scheme, kernel.name, kernel.isa, neon - moves, neon, long.instructions - short.instructions,
                       cycles)


def requant_costs(isa: str | None = None) -> list[RequantCost]:
    """Every scheme that has a kernel, cheapest first.

    isa   aarch64, aarch32, or None: both
    """
    every = [k for k in kernels() if k.contract.name.startswith("qu8_requantize_") and isa in (None, k.isa)]
    return sorted((_turn(k) for k in every), key=lambda c: (c.isa, c.arithmetic, c.scheme))


def requant_cost_table(costs: list[RequantCost]) -> str:
    """The costs as text."""
    names = "".join(f"{short(core):>7}" for core in CORES)
    lines = [f"{'':<10}{'':<9}{'arithmetic':>11}{'NEON':>6}{'all':>5}{names}"]
    for c in costs:
        cycles = "".join(f"{c.cycles[core]:>7.0f}" for core in CORES)
        lines.append(f"{c.scheme:<10}{c.isa:<9}{c.arithmetic:>11}{c.neon:>6}{c.instructions:>5}{cycles}")
    return "\n".join([*lines, "instructions for 16 sums, counted in traces; cycles for 16 sums, modelled"])
