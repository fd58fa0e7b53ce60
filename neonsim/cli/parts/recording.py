"""A recorded call and how to show it: what `neonsim trace` and `step` work on."""

from __future__ import annotations

from dataclasses import dataclass, field

from neonsim.arm.machine import Trace
from neonsim.arm.machine.arch.register_names import Names
from neonsim.errors import MachineError

__all__ = ["KEPT", "Recording"]

KEPT = "last 1000000"


@dataclass(frozen=True)
class Recording:
    """A recorded call and how to show it. `problem`: why it did not return; the trace leads up to there."""

    trace: Trace
    title: str
    names: Names | None = None
    columns: dict[str, int] = field(default_factory=dict)
    said: str = ""
    problem: MachineError | None = None
