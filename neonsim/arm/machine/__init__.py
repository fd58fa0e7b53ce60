"""State and motion: registers, memory, calls, traces."""

from typing import TYPE_CHECKING

from neonsim.common.argument_types import later

if TYPE_CHECKING:
    from .arch.registers import Flags, Register, Registers
    from .call.rerun import rerun, rerun_with_edits
    from .engines.compiled import compiler
    from .machine import CallResult, Grid, Machine
    from .memory.memory import Buffer, Memory
    from .trace.dataflow import LaneEdge, dataflow
    from .trace.file import load_trace
    from .trace.trace import BufferInfo, Trace
    from .translate.to_c import translate_c

__all__ = [
           "Buffer",
           "BufferInfo",
           "CallResult",
           "Flags",
           "Grid",
           "LaneEdge",
           "Machine",
           "Memory",
           "Register",
           "Registers",
           "Trace",
           "compiler",
           "dataflow",
           "load_trace",
           "rerun",
           "rerun_with_edits",
           "translate_c",
]

__getattr__ = later(globals(), "Machine", "Trace")
