"""How many NEON instructions a cycle: one on in-order cores; three in two cycles on the Cortex-A72."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from neonsim.timing.corefile import load_core
from neonsim.timing.model import Core
from neonsim.timing.op import Op, Stream
from neonsim.timing.simulate import simulate
from neonsim.timing.studies.study import Bars, Quoted, Study, Table
from neonsim.timing.timing import Timing

__all__ = ["NeonRates", "SimpleRates", "neon_rate", "neon_rates", "simple_rate", "simple_rates"]


@dataclass(frozen=True)
class NeonRates(Study):
    """NEON instructions a cycle of loops on cores: (loop, core, rate, products a cycle)."""

    rows: tuple[tuple[str, str, float, float], ...]
    skipped: tuple[str, ...] = ()
    # Source: (H09).
    quoted = (Quoted("0.99 on a Cortex-A53", "library's code", "by gemmlowp's benchmark"),)

    @property
    def title(self) -> str:
        return "NEON instructions a cycle of the main loops (modelled)"

    @property
    def notes(self) -> str:
        return (
            "In-order cores issue one 128-bit NEON instruction a cycle whatever the kernel, so the kernel with "
            "the fewest wins there; a 64-bit load rides along on the Cortex-A55 and not on the A53 (gemmlowp's "
            "loops were measured at 0.99 on the A53). Out-of-order cores have two NEON pipes, but all multiplies "
            "go through one of them.")

    @property
    def loops(self) -> list[str]:
        return list(dict.fromkeys(row[0] for row in self.rows))

    @property
    def cores(self) -> list[str]:
        return list(dict.fromkeys(row[1] for row in self.rows))

    def rate(self, loop: str, core: str) -> float | None:
        """NEON instructions a cycle; None if the core does not run the loop."""
        return next((rate for name, where, rate, _ in self.rows if (name, where) == (loop, core)), None)

    def table(self) -> Table:
        found = {(name, core): (rate, macs) for name, core, rate, macs in self.rows}
        rows = []
        for core in self.cores:
            cells = [f"{found[name, core][0]:.2f} ({found[name, core][1]:.1f})" if (name, core) in found else "-"
                     for name in self.loops]
            rows.append([core, *cells])
        return ["core; NEON a cycle (products)", *self.loops], rows

    def figure(self) -> Bars:
        groups = tuple((core, tuple(self.rate(name, core) for name in self.loops)) for core in self.cores)
        return Bars("NEON instructions a cycle", tuple(self.loops), groups, ((1.0, "one a cycle"),))


def neon_rates(timings: Iterable[tuple[str, Timing]], skipped: Sequence[str] = ()) -> NeonRates:
    """The study from (name of the loop, its timing on a core), and sentences on cores that do not run some of them."""
    return NeonRates(tuple((name, t.core.name, neon_rate(t), t.macs_per_cycle) for name, t in timings), tuple(skipped))


def neon_rate(timing: Timing) -> float:
    """NEON instructions a cycle of a loop in its steady state.

    (NEON instructions of an iteration) / (cycles of an iteration)
    """
    n = timing.stream.iterations
    return timing.counts.neon / n / timing.cycles_per_iteration


@dataclass(frozen=True)
class SimpleRates(Study):
    """Independent vector additions a cycle: (core, 64-bit, 128-bit)."""

    rows: tuple[tuple[str, float, float], ...]
    # Source: (A29).
    quoted = (Quoted("1.50 and 2.00 additions a cycle", "core's file", "measured by others on a Cortex-A72"),
              Quoted("three in two cycles", "article", "QNNPACK's"))

    @property
    def title(self) -> str:
        return "Independent vector additions a cycle (modelled, from measured tables)"

    @property
    def notes(self) -> str:
        return (
            "Three instructions in two cycles: the Cortex-A72 was measured at 1.50 additions of 128 bits a cycle "
            "and 2.00 of 64 bits, though it has two NEON pipes; the limit is a budget that both share. It holds "
            "the dual-issue kernel back: with two a cycle it would be 1.7 times as fast as the default one, with "
            "1.5 about 1.3 times. A73 and A75 are assumed to be like the A72: no measurements were found. "
            "In-order cores do one of 128 or two of 64 bits.")

    def table(self) -> Table:
        rows = [[name, f"{d:.2f}", f"{q:.2f}"] for name, d, q in self.rows]
        return ["core", "64-bit a cycle", "128-bit a cycle"], rows

    def figure(self) -> Bars:
        return Bars("additions a cycle", ("64-bit", "128-bit"), tuple((name, (d, q)) for name, d, q in self.rows),
                    ((1.5, "three in two cycles"),))


def simple_rates(cores: Sequence[str]) -> SimpleRates:
    """The study on these cores."""
    return SimpleRates(tuple((name, *simple_rate(name)) for name in cores))


def simple_rate(core: str | Core) -> tuple[float, float]:
    """(64-bit, 128-bit) independent vector additions a cycle.

    >>> simple_rate("cortex-a72")
    (2.0, 1.5)
    """
    model = load_core(core)

    def rate(width: str) -> float:
        ops = [Op("asimd_add", f"add {width}", width, 32, writes=(("d", f"v{k % 24}"),)) for k in range(481)]
        issue = simulate(Stream.of_ops(ops, isa=model.isas[-1]), model).issue
        return round(360 / (issue[480] - issue[120]), 2)

    return rate("d"), rate("q")
