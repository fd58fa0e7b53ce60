"""What an answer costs: instructions counted and cycles modelled, in one call."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from neonsim.arm.asm import Program, assemble
from neonsim.arm.machine import Trace
from neonsim.arm.machine.trace.backward_slice import needed
from neonsim.arm.timing import count, time
from neonsim.arm.timing.stream import longest_loop, stream_of
from neonsim.errors import BadArgument
from neonsim.ukernel import Case, Kernel, Outcome, kernels_folder
from neonsim.ukernel.case_runner import collect, setup
from neonsim.verify.checking import entry_of

if TYPE_CHECKING:
    from neonsim.learn.course.program_exercise import Task

__all__ = ["AnswerCost", "figures", "loop_cycles", "program_of", "reference", "run", "start_cycles"]


@dataclass(frozen=True)
class AnswerCost:
    """Of one call.

    instructions   int          counted
    neon           int          of these NEON instructions, counted (vector loads and stores are)
    macs           int          multiply-accumulates, counted
    cycles         int | None   modelled; None if not asked for
    useful         int | None   of the NEON instructions those that the result depends on, counted; None of a plan
    """

    instructions: int
    neon: int
    macs: int
    cycles: int | None = None
    useful: int | None = None


def program_of(text: str, isa: str) -> Program:
    """Return an answer, assembled; only the kernels' own include files can be included. Raises AssemblyError, and
    BadArgument for an answer that includes a kernel, or the solution."""
    program, folder = assemble(text, isa=isa, include=[kernels_folder()]), kernels_folder()
    for each in program.instructions:
        path = Path(each.position.path) if each.position is not None else Path()
        if path.is_relative_to(folder) and not path.is_relative_to(folder / "include"):
            raise BadArgument(f"{each.position.path}:{each.position.line}: an answer may include only files of "
                              f"include/, not kernels and solutions. Write these instructions yourself")
    return program


def run(task: Task, program: Program, entry: str, case: Case) -> tuple[Outcome, Trace]:
    """One call, recorded: what it has left behind, and its trace. Raises MachineError."""
    machine, arguments = setup(program, case, task.reads_before(program.isa))
    result = machine.call(program, *arguments, entry=entry, sanitize=True, trace=True, max_steps=task.limits.steps)
    assert result.trace is not None
    return collect(case, machine, result), result.trace


def figures(trace: Trace, case: Case, core: str | None = None) -> AnswerCost:
    """Count one call, and model it on a core. Raises TimingError for an unknown core, or an instruction without price.
    """
    stream = stream_of(trace)
    found, kept = count(stream), needed(trace, [name for name, region in case.memory.items() if region.role == "out"])
    useful = sum(stream.ops[index].neon for index, one in zip(stream.order, kept.tolist(), strict=True) if one)
    return AnswerCost(found.instructions, found.neon, found.macs, time(trace, core=core).cycles if core else None,
                      useful)


def reference(task: Task, isa: str, core: str, case: Case) -> AnswerCost | None:
    """Of the solution, in a call; None if none is known."""
    return _of_text(task.solution(isa), task, isa, core, case) if task.solved(isa) else None


def start_cycles(task: Task, isa: str, core: str, case: Case) -> int:
    """Modelled cycles of the text one starts from."""
    cycles = _of_text(task.start(isa), task, isa, core, case).cycles
    assert cycles is not None
    return cycles


@lru_cache(maxsize=256)
def _of_text(text: str, task: Task, isa: str, core: str, case: Case) -> AnswerCost:
    program = program_of(text, isa)
    return figures(run(task, program, entry_of(program, task.label), case)[1], case, core)


@lru_cache(maxsize=64)
def loop_cycles(kernel: Kernel, core: str, iterations: int) -> int:
    """Modelled cycles of n iterations of a kernel's longest loop."""
    program = kernel.program()
    return time(program, core=core, entry=longest_loop(program), iterations=iterations).cycles
