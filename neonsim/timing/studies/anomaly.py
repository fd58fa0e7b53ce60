"""A longer latency that makes a program faster."""

from __future__ import annotations

from dataclasses import dataclass, replace

from neonsim.timing.corefile import load_core
from neonsim.timing.model import Core, PriceRow
from neonsim.timing.op import Op, Stream
from neonsim.timing.simulate import simulate
from neonsim.timing.studies.study import Bars, Study, Table

__all__ = ["Anomaly", "anomaly", "with_latency"]

CORE = "neoverse-n1"    # the program is made for its pipes


def with_latency(core: str | Core, timing: str, latency: int) -> Core:
    """A core on which one timing class has another latency."""
    model = load_core(core)
    return replace(model, rows=(*model.rows, PriceRow(timing, (), {"latency": latency})))


@dataclass(frozen=True)
class Anomaly(Study):
    """A program on a core, and on the same core where one class of instruction is slower."""

    stream: Stream
    core: Core
    timing: str
    quick: int
    slow: int
    cycles_quick: int
    cycles_slow: int

    @property
    def title(self) -> str:
        return (
            f"A scheduling anomaly: {self.timing} takes {self.slow} cycles instead of {self.quick}, and the "
            f"program {self.cycles_slow} instead of {self.cycles_quick} (modelled)")

    @property
    def notes(self) -> str:
        return (
            "SHL feeds the second ADD, the first ADD feeds MUL. With the quick SHL the second ADD is ready in the "
            "same cycle as MUL and, being older, takes the one pipe that can multiply. With the slow SHL it comes "
            "a cycle later, MUL goes first, and the whole is done sooner: a pipe that takes the oldest ready "
            "operation is greedy, not wise. Such anomalies are real (R. L. Graham, 1966): bounds are monotone in "
            "latencies, schedules are not.")

    def _rows(self) -> list[tuple[str, tuple[int, int], tuple[int, int]]]:
        """Per instruction (issue, result) with the quick and the slow latency."""
        quick = simulate(self.stream, self.core)
        slow = simulate(self.stream, with_latency(self.core, self.timing, self.slow))
        return [(op.text, (quick.issue[k], quick.done[k]), (slow.issue[k], slow.done[k]))
                for k, op in enumerate(self.stream.ops)]

    def table(self) -> Table:
        head = ["instruction", f"{self.timing} {self.quick}: issue", "result", f"{self.timing} {self.slow}: issue",
                "result "]
        rows = [[text, *map(str, (*quick, *slow))] for text, quick, slow in self._rows()]
        return head, [*rows, ["cycles", "", str(self.cycles_quick), "", str(self.cycles_slow)]]

    def figure(self) -> Bars:
        legend = (f"latency {self.quick}", f"latency {self.slow}")
        groups = [(text, (float(quick[1]), float(slow[1]))) for text, quick, slow in self._rows()]
        return Bars("cycle in which the result is there", legend, tuple(groups))


def anomaly() -> Anomaly:
    """A longer latency that makes a program faster (Neoverse N1, modelled).

    SHL feeds the second ADD, the first ADD feeds MUL. With the quick SHL the second ADD is ready in the same cycle as
    MUL and, being older, takes the one pipe that can multiply. With the slow SHL it comes a cycle later, MUL goes
    first, and the whole is done sooner: a pipe that takes the oldest ready operation is greedy, not wise.

    Source: scheduling anomalies, R. L. Graham, Bounds for certain multiprocessing anomalies, 1966.
    """
    def op(timing: str, text: str, target: str, *sources: str) -> Op:
        return Op(timing, text, "q", 32, reads=tuple(zip("nm", sources, strict=False)), writes=(("d", target),))

    stream = Stream.of_ops([
        op("asimd_shift_imm", "shl v5.4s, v3.4s, #1", "v5", "v3"),
        op("asimd_add", "add v1.4s, v3.4s, v3.4s", "v1", "v3", "v3"),
        op("asimd_add", "add v4.4s, v0.4s, v5.4s", "v4", "v0", "v5"),
        op("asimd_mul", "mul v6.4s, v3.4s, v1.4s", "v6", "v3", "v1"),
    ], name="anomaly")
    core = load_core(CORE)
    quick = core.price(stream.ops[0]).latency
    slow = quick + 1
    return Anomaly(stream, core, "asimd_shift_imm", quick, slow, simulate(stream, core).cycles,
                   simulate(stream, with_latency(core, "asimd_shift_imm", slow)).cycles)
