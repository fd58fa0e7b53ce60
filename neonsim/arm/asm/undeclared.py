"""Files of assembly text: the instruction set that is given or declared, or the only one that has all of the text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from neonsim.arm.asm.assembler import assemble
from neonsim.arm.asm.file_header import declared_isa
from neonsim.arm.asm.program import Program
from neonsim.arm.isa.forms.arm_inventory import ISAS
from neonsim.errors import AssemblyError, AssemblyErrors, BadArgument

__all__ = ["assemble_file"]


def assemble_file(path: Path, isa: str | None = None, *, include: Sequence[str | Path] = (),
                  define: Mapping[str, str | int | None] | None = None) -> Program:
    """Assemble a file whose instruction set need not be given.

    isa       "aarch64", "aarch32" or None: what the file declares; otherwise the only one that takes all of its text
    others    as `assemble`

    Raises AssemblyError: where no instruction set takes the text, that of the one with fewer mistakes; BadArgument
    where the text says too little to choose.
    """
    if isa := isa or declared_isa(path):
        return assemble(path, isa, include=include, define=define)
    programs: list[Program] = []
    failures: list[AssemblyError] = []
    for each in ISAS:
        try:
            programs.append(assemble(path, each, include=include, define=define))
        except AssemblyError as failure:
            failures.append(failure)
    if len(programs) == 1:
        return programs[0]
    failures.sort(key=_mistakes)
    if failures and _mistakes(failures[0]) < _mistakes(failures[1]):
        raise failures[0]
    raise BadArgument(f"{path} has no instruction set, and "
                      f"{'both take' if programs else 'neither takes'} its text. Add --isa aarch64 or --isa aarch32, "
                      "in Python isa=, or the line `//! isa: aarch64` at its top.")


def _mistakes(failure: AssemblyError) -> int:
    return len(failure.errors) if isinstance(failure, AssemblyErrors) else 1
