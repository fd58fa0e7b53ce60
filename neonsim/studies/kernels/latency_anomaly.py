"""A longer latency that makes a program faster."""

from __future__ import annotations

from dataclasses import replace

from neonsim.arm.timing.cores.loader import load_core
from neonsim.arm.timing.cores.model import Core, PriceRow
from neonsim.arm.timing.simulation import simulate
from neonsim.arm.timing.stream import InstructionStream, StaticInstruction
from neonsim.common.study_report import Bars, Report

__all__ = ["anomaly", "with_latency"]

CORE = "neoverse-n1"    # the program is made for its pipes
_SHIFT = "asimd_shift_imm"


def with_latency(core: str | Core, timing: str, latency: int) -> Core:
    """Return a core on which one timing class has another latency."""
    model = load_core(core)
    return replace(model, rows=(*model.rows, PriceRow(timing, (), {"latency": latency})))


def anomaly() -> Report:
    """Return a longer latency that makes a program faster (Neoverse N1, modelled): how, say its notes. `data` is the
    program.

    Source: scheduling anomalies, R. L. Graham, Bounds for certain multiprocessing anomalies, 1966.
    """
    def op(timing: str, text: str, target: str, *sources: str) -> StaticInstruction:
        return StaticInstruction(timing, text, "q", 32, reads=tuple(zip("nm", sources, strict=False)),
                                 writes=(("d", target),))

    stream = InstructionStream.of_ops([
        op(_SHIFT, "shl v5.4s, v3.4s, #1", "v5", "v3"),
        op("asimd_add", "add v1.4s, v3.4s, v3.4s", "v1", "v3", "v3"),
        op("asimd_add", "add v4.4s, v0.4s, v5.4s", "v4", "v0", "v5"),
        op("asimd_mul", "mul v6.4s, v3.4s, v1.4s", "v6", "v3", "v1"),
    ], name="anomaly")
    core = load_core(CORE)
    quick = core.price(stream.ops[0]).latency
    slow = quick + 1
    before, after = simulate(stream, core), simulate(stream, with_latency(core, _SHIFT, slow))
    texts = [op.text for op in stream.ops]
    head = ["instruction", f"{_SHIFT} {quick}: issue", "result", f"{_SHIFT} {slow}: issue", "result "]
    rows = [[text, *(str(run[k]) for run in (before.issue, before.completion, after.issue, after.completion))]
            for k, text in enumerate(texts)]
    return Report(
        f"A scheduling anomaly: {_SHIFT} takes {slow} cycles instead of {quick}, and the program {after.cycles} "
        f"instead of {before.cycles} (modelled)",
        "SHL feeds the second ADD, the first ADD feeds MUL. With the quick SHL the second ADD is ready in the same "
        "cycle as MUL and, being older, takes the one pipe that can multiply. With the slow SHL it comes a cycle "
        "later, MUL goes first, and the whole is done sooner: a pipe that takes the oldest ready operation is greedy, "
        "not wise. Such anomalies are real (R. L. Graham, 1966): bounds are monotone in latencies, schedules are not.",
        (head, [*rows, ["cycles", "", str(before.cycles), "", str(after.cycles)]]),
        Bars("cycle in which the result is there", (f"latency {quick}", f"latency {slow}"),
             tuple((text, (float(before.completion[k]), float(after.completion[k]))) for k, text in enumerate(texts))),
        data=stream)
