"""What an answer costs: instructions counted and cycles modelled on the case that an exercise is scored with."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from neonsim.asm import Program, assemble
from neonsim.checking import entry_of
from neonsim.machine import Trace
from neonsim.timing import time
from neonsim.timing.op import longest_loop
from neonsim.ukernel import Kernel, kernels_folder
from neonsim.ukernel.judge import finished, prepared

if TYPE_CHECKING:
    from neonsim.course.task import Task

__all__ = ["STEPS", "Figures", "figures", "loop_cycles", "program_of", "reference", "run", "start_cycles"]

STEPS = 20_000  # of one call of an answer; the longest call of a solution takes a twentieth


@dataclass(frozen=True)
class Figures:
    """Of one call.

    instructions   int    counted
    cycles         int    modelled
    macs           int    multiply-accumulates, counted
    """

    instructions: int
    cycles: int
    macs: int


def program_of(text: str, isa: str) -> Program:
    """An answer, assembled; only the kernels' own include files can be included. Raises AssemblyError."""
    return assemble(text, isa=isa, include=[kernels_folder()])


def run(task: Task, program: Program, entry: str) -> tuple[Any, Trace]:
    """The call that is scored: what it has left behind, and its trace. Raises MachineError."""
    case = task.scored()
    machine, arguments = prepared(program, case, task.reads_before(program.isa))
    result = machine.call(program, *arguments, entry=entry, sanitize=True, trace=True, max_steps=STEPS)
    assert result.trace is not None
    return finished(case, machine, result), result.trace


def figures(trace: Trace, core: str) -> Figures:
    """Count and model one call. Raises TimingError for an unknown core, or an instruction the core does not have."""
    timing = time(trace, core=core)
    return Figures(timing.instructions, timing.cycles, timing.macs)


def reference(task: Task, isa: str, core: str) -> Figures:
    """Of the solution that comes with neonsim."""
    return _of_text(task.solution(isa), task, isa, core)


def start_cycles(task: Task, isa: str, core: str) -> int:
    """Modelled cycles of the text one starts from."""
    return _of_text(task.start(isa), task, isa, core).cycles


@lru_cache(maxsize=128)
def _of_text(text: str, task: Task, isa: str, core: str) -> Figures:
    program = program_of(text, isa)
    return figures(run(task, program, entry_of(program, task.label))[1], core)


@lru_cache(maxsize=8)
def loop_cycles(kernel: Kernel, core: str, iterations: int) -> int:
    """Modelled cycles of so many turns of a kernel's longest loop."""
    program = kernel.program()
    return time(program, core=core, entry=longest_loop(program), iterations=iterations).cycles
