"""Engines that run translated programs: on the machine's own state and memory, with the interpreter as their judge.

An engine runs from one instruction as far as it can: to the return, or to just before an instruction that only the
interpreter can do or explain (a fault, the step limit, a branch to an odd place). Registers and memory are then what
the interpreter would have left.
"""

from __future__ import annotations

from neonsim.arm.asm import Program
from neonsim.common.locking import PerObjectCache

from .python_engine import Engine, PythonEngine

__all__ = ["engine_for"]


def _engine(program: Program, kind: str, entry: str | None) -> Engine:
    if kind != "compiled":
        return PythonEngine(program, entry)
    from .compiled_engine import CompiledEngine  # and with it what runs a compiler, which most calls do not need

    return CompiledEngine(program, entry)


_ENGINES: PerObjectCache[Program, Engine] = PerObjectCache(_engine)


def engine_for(program: Program, kind: str, entry: str | None) -> Engine:
    """Return the engine of a program and entry, made once."""
    return _ENGINES.get(program, kind, entry)
