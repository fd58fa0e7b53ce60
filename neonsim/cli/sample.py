"""What `neonsim trace` and `step` show: a call with the arguments given, or a kernel on a case of its contract."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from neonsim.asm.c_way import CWay, is_way
from neonsim.checking.subject import Subject, entry_of, header_of, subject
from neonsim.errors import BadArgument, MachineError
from neonsim.files import read_text
from neonsim.limits import LONGEST_FILE
from neonsim.machine import Machine, Trace, load_trace
from neonsim.machine.trace_file import is_trace_file
from neonsim.render.names import Names
from neonsim.ukernel import Kernel, kernel
from neonsim.ukernel.case import Case
from neonsim.ukernel.cases import cases
from neonsim.ukernel.contract import Packed
from neonsim.ukernel.judge import run_alone

from .options import arguments, beside, c_way, definitions, find_program, no_compiler
from .progress import steps_shown

__all__ = ["SAMPLE_HELP", "Recording", "record"]

SAMPLE_HELP = ("A kernel of the catalogue without arguments runs a whole tile of its contract's cases. A trace that "
               "was saved\n(trace ... --save FILE, trace.save(path)) is shown as it was recorded.\n")
SUFFIX = ".neontrace"

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


def record(options: argparse.Namespace, other: str = "", isa: str = "") -> Recording:
    """Run the program of a command line. A kernel without arguments runs a case of its contract, a whole tile.

    other   another program than `options.program`, called alike; or another way to compile it ("-O0", "clang -O3")
    isa     of the first one, which the other one takes where it says none

    Raises what is wrong with the program or its arguments; a run that fails is a Recording up to there.
    """
    way = None
    if is_way(other):
        if Path(options.program).suffix != ".c":
            raise BadArgument(f"--beside {other}: {options.program} is not compiled. Give a C file, or name another "
                              "program.")
        way = c_way(options).but(other)
    elif other:
        options = beside(options, other, isa)
    path = Path(options.program)
    no_compiler(options)
    if path.suffix == SUFFIX or (path.is_file() and is_trace_file(path)):
        if options.arguments or options.entry:
            raise BadArgument(f"{path} is a recorded run: it is shown as it was, without arguments or --entry.")
        return Recording(load_trace(path), path.stem, said=f"recorded before, read from {path}")
    title = f"{path.stem} ({(way or c_way(options)).title})" if path.suffix == ".c" else path.stem
    found = None if options.arguments or options.entry else _subject(options, way)
    if found is not None:
        return _sample(*found, title)
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


def _subject(options: argparse.Namespace, way: CWay | None) -> tuple[Subject, Kernel | None] | None:
    """A kernel of the catalogue, or a file whose header says contract and tile; None for another program."""
    path = Path(options.program)
    if path.is_file():
        said = {} if path.suffix == ".o" else header_of(read_text(path, 4 * LONGEST_FILE, "replace"))
        if "contract" not in said:
            return None
        if path.suffix == ".c":
            way = replace(way or c_way(options), isa=options.isa or said.get("isa", "aarch64"))
            program = way.load(path)
            limits = {key.replace("-", "_"): int(said[key]) for key in ("reads-before", "reads-after") if key in said}
            return subject(program, said["contract"], tile=said.get("tile"), entry=entry_of(program, path.stem),
                           **limits), None  # type: ignore[arg-type]
        return subject(path, isa=options.isa, include=options.include, define=definitions(options)), None
    if "/" in options.program or path.suffix:
        return None
    found = kernel(options.program)
    return subject(found), found


def _sample(what: Subject, found: Kernel | None, title: str) -> Recording:
    case = _whole_tile(what)
    limits = {"reads_before": what.reads_before, "reads_after": what.reads_after}
    names = found.header.register_names() if found is not None else None
    sizes = ", ".join(f"{a.name}={case.number(a.name)}" for a in case.contract.arguments if a.kind == "size")
    said = f"a case of {what.contract}: {sizes} ({case.name})"
    outcome = run_alone(what.program, what.entry, case, trace=KEPT, **limits)
    assert outcome.result.trace is not None
    return Recording(outcome.result.trace, title if found is None else what.name, names,
                     _columns(what, case), said)


def _whole_tile(what: Subject) -> Case:
    """The largest case with plain data and the least room between rows."""
    every = cases(what.contract, what.tile)
    most = max(case.sizes for case in every)
    gaps = {case.name: sum(case.number(a.name) for a in case.contract.arguments if a.kind in ("stride", "pointers"))
            for case in every}
    return min((case for case in every if case.sizes == most),
               key=lambda case: ("uniform" not in case.name, gaps[case.name]))


def _columns(what: Subject, case: Case) -> dict[str, int]:
    """How many elements make a row of each region's picture."""
    found = {}
    for argument in case.contract.arguments:
        note = argument.memory
        if isinstance(note, Packed) and what.tile.nr:
            found[argument.name] = int(what.tile.nr)
        elif note is not None and note.stride is not None and argument.name in case.memory:
            region = case.memory[argument.name]
            each = np.dtype(region.dtype or np.uint8).itemsize
            found[argument.name] = max(1, case.number(note.stride) // (1 if region.data.size % each else each))
    return found
