"""State and motion: registers, memory, calls, traces."""

from neonsim.kinds import judge_all

from .again import call_again, call_changed
from .compiled import compiler
from .dataflow import LaneEdge, dataflow
from .machine import CallResult, Grid, Machine
from .memory import Buffer, Memory
from .registers import Flags, Register, Registers
from .trace import BufferInfo, Trace
from .trace_file import load_trace
from .translate_c import translate_c

__all__ = ["Buffer", "BufferInfo", "CallResult", "Flags", "Grid", "LaneEdge", "Machine", "Memory", "Register",
           "Registers", "Trace", "call_again", "call_changed", "compiler", "dataflow", "load_trace", "translate_c"]

judge_all(globals(), "Machine", "Trace")
