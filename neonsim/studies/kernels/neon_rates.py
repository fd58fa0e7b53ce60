"""How many NEON instructions a cycle: one on in-order cores; three in two cycles on the Cortex-A72."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from neonsim.arm.timing.cores.loader import load_core
from neonsim.arm.timing.cores.model import Core
from neonsim.arm.timing.simulation import simulate
from neonsim.arm.timing.stream import InstructionStream, StaticInstruction
from neonsim.arm.timing.timing import Timing
from neonsim.common.study_report import Bars, Quoted, Report

__all__ = ["neon_rate", "neon_rates", "simple_rate", "simple_rates"]


def neon_rates(timings: Iterable[tuple[str, Timing]], skipped: Sequence[str] = ()) -> Report:
    """NEON instructions a cycle of loops on cores; `data`: {(loop, core): instructions a cycle}.

    timings   (name of the loop, its timing on a core)
    skipped   sentences on cores that do not run some of them
    """
    found = {(name, t.core.name): (neon_rate(t), t.macs_per_cycle) for name, t in timings}
    loops, cores = (tuple(dict.fromkeys(key[place] for key in found)) for place in (0, 1))
    rates = {key: rate for key, (rate, _) in found.items()}
    rows = [[core, *("{:.2f} ({:.1f})".format(*found[name, core]) if (name, core) in found else "-" for name in loops)]
            for core in cores]
    return Report(
        "NEON instructions a cycle of the main loops (modelled)",
        "In-order cores issue one 128-bit NEON instruction a cycle whatever the kernel, so the kernel with the fewest "
        "wins there; a 64-bit load rides along on the Cortex-A55 and not on the A53 (gemmlowp's loops were measured at "
        "0.99 on the A53). Out-of-order cores have two NEON pipes, but all multiplies go through one of them.",
        (["core; NEON a cycle (products)", *loops], rows),
        Bars("NEON instructions a cycle", loops,
             tuple((core, tuple(rates.get((name, core)) for name in loops)) for core in cores),
             ((1.0, "one a cycle"),)),
        # Source: (H09).
        quoted=(Quoted("0.99 on a Cortex-A53", "library's code", "by gemmlowp's benchmark"),),
        skipped=tuple(skipped), data=rates)


def neon_rate(timing: Timing) -> float:
    """NEON instructions a cycle of a loop in its steady state.

    (NEON instructions of an iteration) / (cycles of an iteration)
    """
    n = timing.stream.iterations
    return timing.counts.neon / n / timing.cycles_per_iteration


def simple_rates(cores: Sequence[str]) -> Report:
    """Independent vector additions a cycle of these cores, of 64 and of 128 bits."""
    found = [(name, *simple_rate(name)) for name in cores]
    return Report(
        "Independent vector additions a cycle (modelled, from measured tables)",
        "Three instructions in two cycles: the Cortex-A72 was measured at 1.50 additions of 128 bits a cycle and 2.00 "
        "of 64 bits, though it has two NEON pipes; the limit is a budget that both share. It holds the dual-issue "
        "kernel back: with two a cycle it would be 1.7 times as fast as the default one, with 1.5 about 1.3 times. "
        "A73 and A75 are assumed to be like the A72: no measurements were found. In-order cores do one of 128 or two "
        "of 64 bits.",
        (["core", "64-bit a cycle", "128-bit a cycle"], [[name, f"{d:.2f}", f"{q:.2f}"] for name, d, q in found]),
        Bars("additions a cycle", ("64-bit", "128-bit"), tuple((name, (d, q)) for name, d, q in found),
             ((1.5, "three in two cycles"),)),
        # Source: (A29).
        quoted=(Quoted("1.50 and 2.00 additions a cycle", "core's file", "measured by others on a Cortex-A72"),
                Quoted("three in two cycles", "article", "QNNPACK's")))


def simple_rate(core: str | Core) -> tuple[float, float]:
    """(64-bit, 128-bit) independent vector additions a cycle.

    >>> simple_rate("cortex-a72")
    (2.0, 1.5)
    """
    model = load_core(core)

    def rate(width: str) -> float:
        ops = [StaticInstruction("asimd_add", f"add {width}", width, 32, writes=(("d", f"v{k % 24}"),)) for k
               in range(481)]
        issue = simulate(InstructionStream.of_ops(ops, isa=model.isas[-1]), model).issue
        return round(360 / (issue[480] - issue[120]), 2)

    return rate("d"), rate("q")
