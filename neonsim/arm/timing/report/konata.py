"""A run as a Kanata 0004 log, which Konata draws.

Tab-separated commands in cycle order. Lane 0 holds the stages of an instruction: `Dq` waits (in-order: to issue;
out-of-order: in a queue), `X` executes, `Cm` is done and waits to retire. Arrows go from producer to consumer.

Source: shioyadan/Konata, docs/kanata-log-format.md.
"""

from __future__ import annotations

from neonsim.arm.timing.pipeline.base import Execution
from neonsim.arm.timing.stream import InstructionStream

__all__ = ["konata"]


def konata(stream: InstructionStream, run: Execution) -> str:
    """Return the log as text.

    I id id 0; L id 0 text; S id 0 stage at each change; W consumer producer 0; R id retired 0
    """
    events: list[tuple[int, int, str]] = []
    writer: dict[str, int] = {}
    for k, index in enumerate(stream.order):
        op = stream.ops[index]
        place = f"{k}" if not stream.body else f"{k // stream.body}.{k % stream.body}"
        start, issue, done, retire = run.start[k], run.issue[k], run.completion[k], max(run.retire[k],
                                                                                        run.completion[k])
        first = min(start, issue)
        events.append((first, 0, f"I\t{k}\t{k}\t0"))
        events.append((first, 1, f"L\t{k}\t0\t{place}: {op.text or op.timing}"))
        waited = f", waited for {run.stall_reason[k]}" if run.stall_reason[k] else ""
        events.append((first, 1, f"L\t{k}\t1\tclass {op.timing}, unit {run.unit[k]}, line {op.line}{waited}"))
        if issue > first:
            events.append((first, 2, f"S\t{k}\t0\tDq"))
        events.append((issue, 2, f"S\t{k}\t0\tX"))
        for register in dict.fromkeys(register for _, register in op.reads):
            producer = writer.get(register)
            # Konata draws an arrow only while its consumer is alive and the producer not yet gone.
            if producer is not None and run.retire[producer] >= issue:
                events.append((issue, 3, f"W\t{k}\t{producer}\t0"))
        if retire > done:
            events.append((done, 4, f"S\t{k}\t0\tCm"))
        events.append((retire, 5, f"R\t{k}\t{k}\t0"))
        for _, register in op.writes:
            writer[register] = k
    events.sort(key=lambda event: (event[0], event[1]))
    lines = ["Kanata\t0004", "C=\t0"]
    now = 0
    for cycle, _, text in events:
        if cycle != now:
            lines.append(f"C\t{cycle - now}")
            now = cycle
        lines.append(text)
    return "\n".join(lines) + "\n"
