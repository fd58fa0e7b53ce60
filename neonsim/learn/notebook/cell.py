"""The cell of a notebook that a run comes from: its first line, its identity, its result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from neonsim.arm.machine import CallResult
from neonsim.errors import BadArgument, NeonsimError

if TYPE_CHECKING:
    from neonsim.arm.machine.trace.trace import Trace

__all__ = ["Cell", "CellResult", "below_magic", "running_cell", "running_shell"]


@dataclass
class CellResult(CallResult):
    """What `%%neon -o NAME` keeps: the result of the call; what is changed in the stepper below the cell arrives here.

    text      the program as text: that of the cell, or as it was edited and run last
    line      the first line of a cell that runs it
    problem   why the run shown in the stepper ended before its return, "" if it did not

    The trace, what was returned and the other fields are those of the run that the stepper shows. The arrays of the
    notebook stay as the cell left them.
    """

    text: str = field(default="", repr=False)
    line: str = field(default="%%neon", repr=False)
    problem: str = field(default="", repr=False)

    def rerun(self, text: str, trace: Trace, problem: NeonsimError | None) -> None:
        """The stepper shows another run."""
        vars(self).update(vars(CallResult.from_trace(trace)), text=text.removeprefix("\n"),  # see below_magic
                          problem="" if problem is None else str(problem))

    def to_cell(self, *, replace: bool = False) -> None:
        """Put the text into a cell: a new one below, or (replace) in place of the cell that asks.

        Raises BadArgument outside of IPython.
        """
        shell = running_shell()
        if shell is None:
            raise BadArgument("to_cell() works only in a notebook. Use .text")
        shell.set_next_input(f"{self.line}\n{self.text}", replace=replace)


@dataclass
class Cell:
    """Where a run that a stepper shows comes from.

    line       the first line of a cell that runs such a text
    id         of the cell that was executed, "" if the host does not say
    is_program  whether its text is the program, so that a changed text may take its place
    complete   what is added to a text before it is assembled
    on_rerun   is told the text, the trace and the problem of each new run
    """

    line: str
    id: str = ""
    is_program: bool = False
    complete: Callable[[str], str] = str
    on_rerun: Callable[[str, Trace, NeonsimError | None], None] = field(default=lambda *_: None)


def below_magic(text: str) -> str:
    """Return the text of a cell with an empty line where the magic stands: numbers of lines are then those of the
    cell."""
    return f"\n{text}"


def running_cell() -> str:
    """Return the identity of the cell that is being executed, as the front end says it; "" if it does not."""
    try:
        parent = running_shell().kernel.get_parent()
        found = parent.get("metadata", {}).get("cellId", "")
    except (AttributeError, LookupError, TypeError):  # no kernel, or another kind of one
        return ""
    return found if isinstance(found, str) else ""


def running_shell() -> Any:
    """IPython, or None outside of it."""
    try:
        from IPython import get_ipython
    except ImportError:
        return None
    return get_ipython()
