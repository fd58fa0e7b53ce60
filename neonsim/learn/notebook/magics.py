"""What the magics do, without IPython: cells and lines are run and shown. `magic_registration` has their help."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from neonsim.arm.asm import Program, assemble
from neonsim.arm.asm.c.options import COMPILERS, CompilerOptions
from neonsim.arm.machine import Machine
from neonsim.arm.machine.arch.register_names import locate, printable, width_of
from neonsim.common.pcg64 import Pcg64
from neonsim.errors import BadArgument, StepLimit
from neonsim.render import Run, registers_picture
from neonsim.render.stepper.regions import region_of

from .cell import Cell, CellResult, below_magic, running_cell
from .magic_options import MagicParser, variable_name

__all__ = ["run_cell", "run_line"]

COMMA = re.compile(r",(?![^\[]*\])")    # between arguments, not inside brackets
WORD = re.compile(r"[:*@=.]|\w[-+]")    # in a word of `declared`; integers and names of variables have none
MAX_TRACE_STEPS = 1_000_000  # about a kilobyte each
DEFAULT_STEPS = 50_000  # recorded in two or three seconds: a cell with an endless loop answers soon


def _parser(magic: str) -> MagicParser:
    parser = MagicParser(prog=magic, add_help=False, description="run and show the cell",
                         epilog=f"for example: {magic} aarch64 --args a,b,16 -o result     (a and b are arrays of the "
                                "notebook)")
    parser.add_argument("isa", nargs="?", choices=["aarch64", "aarch32"], default="aarch64")
    parser.add_argument("-o", "--output", metavar="NAME", help="variable that receives the result of the call")
    parser.add_argument("--args", default="", help="comma-separated integers, names of arrays, regions as c=out:s32*4")
    parser.add_argument("--entry", default=None, help="label to start at")
    parser.add_argument("--core", default=None, help="show modelled cycles of this core")
    parser.add_argument("--caches", choices=["cold", "warm"], help="with --core: its caches, step by step")
    parser.add_argument("--steps", type=int, default=DEFAULT_STEPS, help="stop with an error after n steps")
    parser.add_argument("--at", type=int, default=0, metavar="STEP", help="where the stepper begins, 0 is the start")
    parser.add_argument("--no-step", action="store_true", help="show registers instead of the stepper")
    if magic == "%%neon_c":
        parser.add_argument("-O", dest="optimize", default="2", help="optimisation: 0, 1, 2, 3, s")
        parser.add_argument("-D", dest="define", action="append", default=[], metavar="NAME[=TEXT]")
        parser.add_argument("-I", dest="include", action="append", default=[], metavar="FOLDER")
        parser.add_argument("--compiler", choices=COMPILERS)
        parser.add_argument("--compiler-option", dest="compiler_options", action="append", default=[], metavar="OPTION",
                            help="for the compiler, -march=armv8.2-a+dotprod, say; can be given again")
        parser.add_argument("--compare-flags", metavar="FLAGS",
                            help="Compare with the same C compiled in another way: -O0, clang, \"clang -O3\".")
    return parser


def run_cell(line: str, text: str, variables: dict[str, Any], magic: str = "%%neon",
             say: Callable[[str], None] = print) -> tuple[Any, Any]:
    """Return what `%%neon` and `%%neon_c` do, without IPython.

    line        the rest of the magic's line
    text        the assembly, or the C
    variables   the notebook's: arrays named in --args are read from here, written back; -o and regions go here
    say         what the regions of --args hold after the run
    ->          (result of the call, what to display)

    Raises NeonsimError for anything wrong with the options, the text or the run.
    """
    options = _parser(magic).read(line)
    variable_name(options.output, magic)
    if options.caches and not options.core:
        raise BadArgument(f"{magic} --caches needs a core: add --core cortex-a53")
    if not 1 <= options.steps <= MAX_TRACE_STEPS:
        raise BadArgument(f"{magic} --steps must be 1 to {MAX_TRACE_STEPS:,}, because every step is recorded. For "
                          f"longer runs: machine.call(program, ..., trace=\"last 100000\")")
    compare_with: Run | None = None
    title = ""
    if magic == "%%neon_c":
        told = (f"-O{options.optimize}", *(f"-D{word}" for word in options.define), *options.compiler_options)
        way = CompilerOptions(options.isa, options.compiler, told, tuple(options.include))
        if options.compare_flags is not None and options.no_step:
            raise BadArgument("%%neon_c --compare-flags needs the stepper. Omit --no-step")
        other = way.with_changes(options.compare_flags) if options.compare_flags is not None else None
        program = way.load(below_magic(text))
        if other is not None:
            title = way.title
            compare_with = Run(_call(other.load(below_magic(text)), options, variables, magic)[1].trace,
                               title=other.title)
    else:
        program = assemble(below_magic(_with_return(text, options.isa)), isa=options.isa)
    for remark in program.remarks:
        say(remark)
    machine, result, arrays, placed = _call(program, options, variables, magic)
    for name, array in arrays.items():
        if array.flags.writeable:
            array[...] = machine.memory.fetch(name, dtype=str(array.dtype), shape=array.shape)
    for name in placed:
        region = region_of(machine, result.trace, name)
        say(str(region))
        if not re.fullmatch(r"arg\d+", name):
            found = region.array()
            variables[name] = found if found.mask.any() else found.data
    written = magic == "%%neon"
    kept = CellResult(**vars(result), text=text if written else str(program), line=_cell_line(line, options, written))
    if options.output is not None:
        variables[options.output] = kept
    cell = Cell(kept.line, running_cell(), written, (lambda new: _with_return(new, options.isa)) if written else str,
                kept.rerun)
    return kept, _face(kept, options, compare_with, title, cell)


def _call(program: Program, options: argparse.Namespace, variables: dict[str, Any], magic: str
          ) -> tuple[Machine, Any, dict[str, np.ndarray[Any, Any]], list[str]]:
    """Run a program with what --args names; the notebook's arrays are placed in memory and left as they are. ->
    (machine, result, those arrays by name, names of the regions that --args declares)."""
    machine = Machine(isa=options.isa)
    arguments: list[Any] = []
    arrays: dict[str, tuple[np.ndarray[Any, Any], int]] = {}
    placed: list[str] = []
    random = Pcg64()
    for word in (part.strip() for part in COMMA.split(options.args) if part.strip()):
        if WORD.search(word):
            arguments.append(machine.memory.declare(word, f"arg{len(arguments)}", random))
            placed += [b.name for b in machine.memory.buffers if b.name not in arrays and b.name not in placed]
            continue
        value = _argument(word, variables, magic)
        if isinstance(value, np.ndarray):
            if word not in arrays:
                # What the notebook may not write, the program may not either.
                arrays[word] = value, machine.memory.place(value, name=word, readonly=not value.flags.writeable)
            arguments.append(arrays[word][1])
        else:
            arguments.append(value)
    try:
        result = machine.call(program, *arguments, entry=options.entry, max_steps=options.steps, trace=True)
    except StepLimit as problem:  # in a cell the limit has another name
        problem.args = (str(problem).replace("Raise max_steps", f"Give {magic} a larger --steps"),)
        raise
    return machine, result, {name: array for name, (array, _) in arrays.items()}, placed


def _cell_line(line: str, options: argparse.Namespace, written: bool) -> str:
    """The first line of a cell of assembly that runs as this one."""
    if written:
        return f"%%neon {line.strip()}".rstrip()
    options_said = {name: getattr(options, name) for name in ("args", "entry", "core", "caches")}
    return " ".join(["%%neon", options.isa, *(f"--{name} {value}" for name, value in options_said.items() if value)])


def _face(result: Any, options: argparse.Namespace, compare_with: Run | None, title: str, cell: Cell) -> Any:
    if not options.no_step:
        from neonsim.learn.notebook.stepper import Stepper

        return Stepper(result.trace, options.core, caches=options.caches, compare_with=compare_with, title=title,
                       step=options.at, cell=cell)
    trace = result.trace
    first, last = trace.marked(0), trace.marked(trace.steps)
    title = f"after {trace.steps} steps (counted)"
    if options.core is not None:
        from neonsim.arm.timing import time

        title += f", {time(trace, core=options.core, caches=options.caches).cycles} cycles on {options.core} (modelled)"
    changed = [name for name in trace.locations if first[name] != last[name]]
    return registers_picture(last, changed, isa=trace.isa, before=first, types=_last_types(trace),
                             title=title)


def _last_types(trace: Any) -> dict[str, str]:
    """The element type each register was used in last; a load (x16) says only the width, its reader the sign."""
    types: dict[str, str] = {}
    for pc in trace.pc:
        instruction = trace.program.instructions[int(pc)]
        for use in (*instruction.reads, *instruction.writes):
            if use.lanes:
                place, said = locate(use.register, trace.isa)[0], use.lanes[0]
                if said[0] != "x" or width_of(types.get(place, "")) != width_of(said):
                    types[place] = printable(said)
    return types


def _argument(word: str, variables: dict[str, Any], magic: str) -> Any:
    try:
        return int(word, 0)
    except ValueError:
        pass
    if word not in variables:
        raise BadArgument(f"{magic} --args: {word!r} is neither an integer nor a variable of this notebook")
    value = variables[word]
    if isinstance(value, np.ndarray) and value.dtype.kind not in "iufb":
        raise BadArgument(f"{magic} --args: {word!r} holds elements of type {value.dtype}; only integers, "
                          f"floating-point numbers and booleans fit a vector register")
    if isinstance(value, np.ndarray | int | np.integer | float | np.floating):
        return value
    hint = f"; numpy.array({word}, dtype=...) makes one" if isinstance(value, list | tuple) else ""
    raise BadArgument(f"{magic} --args: {word!r} is a {type(value).__name__}; it must be an integer or a numpy array"
                      f"{hint}")


def _with_return(text: str, isa: str) -> str:
    words = {part for row in text.splitlines() for part in row.split("//")[0].lower().replace(",", " ").split()}
    if isa == "aarch64":
        return text if "ret" in words else f"{text}\n        ret\n"
    return text if words & {"bx", "pc", "{pc}"} else f"{text}\n        bx lr\n"


def run_line(line: str, variables: dict[str, Any], magic: str) -> Any:
    """Return what `%neon_check` and `%neon_time` do, without IPython: what is to be printed.

    Raises NeonsimError for anything wrong.
    """
    parser = MagicParser(prog=magic, add_help=False)
    parser.add_argument("subject", help="a file, the name of a kernel, or a variable of the notebook")
    if magic == "%neon_time":
        from neonsim.arm.timing import time

        parser.add_argument("--core", default="cortex-a53")
        options = parser.read(line)
        trace = getattr(variables.get(options.subject), "trace", None)
        if trace is None:
            raise BadArgument(f"%neon_time: {options.subject!r} is not a run with a trace. Store one with %%neon -o "
                              f"NAME")
        return time(trace, core=options.core)
    from neonsim.ukernel import kernel
    from neonsim.verify.checking import check

    for name in ("contract", "tile", "isa", "entry"):
        parser.add_argument(f"--{name}")
    parser.add_argument("--full", action="store_true", help="the whole sweep, minutes instead of seconds")
    options = parser.read(line)
    source = variables.get(options.subject, options.subject)
    if isinstance(source, str) and "." not in source and "/" not in source:
        source = kernel(source)
    return check(source, options.contract, tile=options.tile, isa=options.isa, entry=options.entry,
                 size="full" if options.full else "quick")
