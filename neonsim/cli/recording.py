"""A recorded call, which `trace` and `step` show: with given arguments, or of a kernel on a case of its contract."""

from __future__ import annotations

import argparse
from pathlib import Path

from neonsim.arm.asm.file_header import header_of
from neonsim.arm.machine import Machine, Trace, load_trace
from neonsim.arm.machine.trace.file import is_trace_file
from neonsim.common.fileio import read_text
from neonsim.common.limits import MAX_FILE_LENGTH
from neonsim.errors import BadArgument, MachineError

from .calls import KEPT, Recording, arguments, compiler_options, find_program, no_compiler
from .progress import steps_shown

__all__ = ["SAMPLE_HELP", "record"]

SAMPLE_HELP = ("A kernel of the catalogue without arguments runs a whole tile of its contract's cases. A trace that "
               "was saved\n(trace ... --save FILE, trace.save(path)) is shown as it was recorded.\n")
SUFFIX = ".neontrace"


def record(options: argparse.Namespace, flags: str | None = None) -> Recording:
    """Run the program of a command line. A kernel without arguments runs a case of its contract, a whole tile.

    flags   compile C in another way: "-O0", "clang -O3"

    Raises what is wrong with the program or its arguments; a run that fails is a Recording up to there.
    """
    way = None
    if flags is not None:
        if Path(options.program).suffix != ".c":
            raise BadArgument(f"--compare-flags {flags} needs a C file, unlike {options.program}. Use a C file, or "
                              f"--compare with another program.")
        way = compiler_options(options).with_changes(flags)
    path = Path(options.program)
    no_compiler(options)
    if path.suffix == SUFFIX or (path.is_file() and is_trace_file(path)):
        if options.arguments or options.entry:
            raise BadArgument(f"{path} is a recorded run, which takes no arguments and no --entry.")
        return Recording(load_trace(path), path.stem, note=f"recorded before, read from {path}")
    title = f"{path.stem} ({(way or compiler_options(options)).title})" if path.suffix == ".c" else path.stem
    if not (options.arguments or options.entry) and _keeps_contract(options.program):
        from .kernel_case import record_tile

        return record_tile(options, way, title)
    program_ = find_program(options, way)
    machine = Machine(program_.isa)
    values, _ = arguments(machine, options.arguments)
    try:
        with steps_shown(machine, options):
            result = machine.call(program_, *values, entry=options.entry, max_steps=options.max_steps,
                                  sanitize=not options.no_sanitize,
                                  strict_calls=options.strict_calls, trace=KEPT)
    except MachineError as problem:
        return Recording(_until(machine, problem), title, problem=problem)
    assert result.trace is not None
    return Recording(result.trace, title)


def _until(machine: Machine, problem: MachineError) -> Trace:
    """The steps before a failure; without any there is nothing to show but the failure."""
    if not machine.steps:
        raise problem
    return machine.trace()


def _keeps_contract(program: str) -> bool:
    """Return whether the program is a kernel of the catalogue, or a file whose header names a contract."""
    path = Path(program)
    if path.is_file():
        return path.suffix != ".o" and "contract" in header_of(read_text(path, 4 * MAX_FILE_LENGTH, "replace"))
    return "/" not in program and not path.suffix
