"""Every exception of neonsim, one hierarchy.

An error says what, where, and what to do, in the reader's words. What it quotes (lines, names) cannot steer the
terminal that it is shown on. ``except NeonsimError`` catches all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from neonsim.common.terminal import escape_text

__all__ = ["AbiViolation", "AssemblyError", "AssemblyErrors", "BackendError", "BadArgument", "CompilerError",
           "KernelFileError", "LockstepDivergence", "MachineError", "MemoryFault", "MissingPackage", "ModelError",
           "NeonsimError", "OutOfMemory", "StepLimit", "TimingError", "UninitialisedRead", "UnknownCore",
           "UnsupportedHardware"]


class NeonsimError(Exception):
    """The base of all errors of neonsim."""

    def __str__(self) -> str:
        return escape_text(super().__str__())


class BadArgument(NeonsimError, ValueError):
    """A value handed to a function of neonsim is of the wrong type, shape or range."""


class AssemblyError(NeonsimError):
    """Assembly text has an error.

    path      str        file name, or "<text>" for a string
    line      int        1-based
    column    int        1-based, of the first character that is wrong
    message   str        what is wrong and what to write instead
    text      str        the source line
    width     int        how many characters the caret underlines
    errors    all that is wrong with the text, in its order: this one, or more (`AssemblyErrors`)
    """

    body: str = ""  # "path:line" of the macro that is at fault, wherever it is used

    def __init__(self, message: str, *, path: str = "<text>", line: int = 0, column: int = 0, text: str = "",
                 width: int = 1) -> None:
        self.path, self.line, self.column = path, line, column
        self.message, self.text, self.width = message, text, width
        super().__init__(message)

    @property
    def errors(self) -> tuple[AssemblyError, ...]:
        """Each mistake by itself."""
        return (self,)

    def __str__(self) -> str:
        message = escape_text(self.message)
        if not self.line:
            return message
        head = f"{escape_text(self.path)}:{self.line}:{max(self.column, 1)}"
        if not self.text:
            return f"{head}\n{message}"
        first = max(self.column, 1) - 1
        before, under = escape_text(self.text[:first]), escape_text(self.text[first:first + self.width])
        # Tabs are kept in the pad so that the caret stands under its character on any tab width.
        pad = "".join(c if c == "\t" else " " for c in before)
        return f"{head}\n    {escape_text(self.text)}\n    {pad}{'^' * max(self.width, len(under), 1)}\n{message}"

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild_assembly_error, (self.message, self.path, self.line, self.column, self.text, self.width)


def _rebuild_assembly_error(message: str, path: str, line: int, column: int, text: str, width: int) -> AssemblyError:
    return AssemblyError(message, path=path, line=line, column=column, text=text, width=width)


class AssemblyErrors(AssemblyError):
    """Several mistakes in one text: prints them all; path, line, column, message, text and width are the first one's.

    errors   in the order of the text          more   whether there are others that were not looked for
    """

    def __init__(self, errors: Sequence[AssemblyError], truncated: bool = False) -> None:
        first, self._errors, self.truncated = errors[0], tuple(errors), truncated
        super().__init__(first.message, path=first.path, line=first.line, column=first.column, text=first.text,
                         width=first.width)

    @property
    def errors(self) -> tuple[AssemblyError, ...]:
        return self._errors

    def __str__(self) -> str:
        count = len(self._errors)
        first = "The first mistake" if count == 1 else f"The first {count} mistakes"
        end = f"{first}; there may be more." if self.truncated else f"{count} mistakes."
        return "\n\n".join([*map(str, self._errors), end])

    def __reduce__(self) -> tuple[object, ...]:
        return AssemblyErrors, (self._errors, self.truncated)


class CompilerError(NeonsimError):
    """C does not compile, with the compiler's messages; or a compiler is missing, with what to install."""


class MachineError(NeonsimError):
    """The emulated machine cannot continue: the base of all errors while a program runs.

    rule      str              name of the rule that is broken (``neonsim check rules``), "" if none is
    finding   Finding | None   the same in parts: instruction, register or buffer, the steps that led there
    """

    rule: str = ""
    finding: Any = None


class MemoryFault(MachineError):
    """An access outside the named buffers, or a write to a read-only one."""


class UninitialisedRead(MachineError):
    """A result, an address or a decision depends on uninitialized bits."""


class AbiViolation(MachineError):
    """A call returned without preserving what the procedure call standard requires."""


class StepLimit(MachineError):
    """More steps than allowed: most often a loop that does not end."""


class LockstepDivergence(MachineError):
    """Tiles that run in lock-step would have to part, or write the same byte."""


class KernelFileError(NeonsimError):
    """A kernel file, its header or its name breaks the rules of the catalogue."""


class BackendError(NeonsimError):
    """A backend is missing or does not support an operation."""


class UnsupportedHardware(BackendError):
    """This processor lacks what was asked for: status unsupported_hardware."""


class OutOfMemory(BackendError, MemoryError):
    """There is not enough memory: status out_of_memory."""


class ModelError(NeonsimError):
    """A model file is damaged, or contains what neonsim cannot run."""


class MissingPackage(NeonsimError):
    """A feature needs a package that is not installed; the message names it."""


class TimingError(NeonsimError):
    """A core is unknown or cannot run a program, a core file is malformed, or an instruction has no price."""


class UnknownCore(TimingError, BadArgument):
    """There is no core of this name; the message has the nearest one and the list."""
