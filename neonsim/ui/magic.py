"""`%%neon`: a cell of assembly is assembled, run and shown.

    %%neon                        AArch64, run from the first instruction
    %%neon aarch32 -o result      the other instruction set; the run is kept in the variable `result`
    %%neon --args a,b,3           arguments x0, x1, ...: integers, or arrays of the notebook (placed in memory, read
                                  back after the run)
    %%neon --core cortex-a53      with modelled cycles
    %%neon --no-step              registers at the end, no stepper
    %%neon --steps 1000000        let it run longer than 50 000 steps (a loop that never ends stops there)

Registers that the program reads before it has written them are reported, as everywhere. A cell whose text has no return
gets one at its end, so that three lines are a program.
"""

from __future__ import annotations

import argparse
import shlex
from typing import Any

import numpy as np

from neonsim.asm import assemble
from neonsim.errors import BadArgument, NeonsimError
from neonsim.machine import Machine
from neonsim.render import registers_picture
from neonsim.render.names import locate, printable

__all__ = ["load_ipython_extension", "run_cell"]


MAX_STEPS = 50_000  # recorded in two or three seconds: a cell with an endless loop answers soon


class _Parser(argparse.ArgumentParser):
    """argparse exits the process on a mistake; a notebook wants a sentence."""

    def error(self, message: str) -> Any:
        raise BadArgument(f"%%neon: {message}\n{self.format_usage().strip()}")


def _parser() -> _Parser:
    parser = _Parser(prog="%%neon", add_help=False, description="assemble, run and show the cell")
    parser.add_argument("isa", nargs="?", choices=["aarch64", "aarch32"], default="aarch64")
    parser.add_argument("-o", "--output", metavar="NAME", help="variable that receives the result of the call")
    parser.add_argument("--args", default="", help="comma-separated integers and names of arrays")
    parser.add_argument("--entry", default=None, help="label to start at")
    parser.add_argument("--core", default=None, help="show modelled cycles of this core")
    parser.add_argument("--steps", type=int, default=MAX_STEPS, help="stop with an error after so many steps")
    parser.add_argument("--no-step", action="store_true", help="show registers instead of the stepper")
    return parser


def run_cell(line: str, text: str, variables: dict[str, Any]) -> tuple[Any, Any]:
    """What `%%neon` does, without IPython.

    line        the rest of the magic's line
    text        the assembly
    variables   the notebook's: arrays named in --args are read from here, written back, and -o goes here
    ->          (result of the call, what to display)

    Raises NeonsimError for anything wrong with the options, the text or the run.
    """
    options = _parser().parse_args(shlex.split(line))
    if options.output is not None and not options.output.isidentifier():
        raise BadArgument(f"%%neon -o takes a variable name, got {options.output!r}")
    program = assemble(_with_return(text, options.isa), isa=options.isa)
    machine = Machine(isa=options.isa)
    arguments, arrays = [], {}
    for word in (part.strip() for part in options.args.split(",") if part.strip()):
        value = _argument(word, variables)
        if isinstance(value, np.ndarray):
            arrays[word] = value
            arguments.append(machine.memory.place(value, name=word))
        else:
            arguments.append(value)
    result = machine.call(program, *arguments, entry=options.entry, max_steps=options.steps, trace=True)
    for name, array in arrays.items():
        if array.flags.writeable:
            array[...] = machine.memory.fetch(name, dtype=str(array.dtype), shape=array.shape)
    if options.output is not None:
        variables[options.output] = result
    return result, _face(result, options)


def _face(result: Any, options: argparse.Namespace) -> Any:
    if not options.no_step:
        from neonsim.ui.widget import Stepper

        return Stepper(result.trace, options.core)
    trace = result.trace
    first, last = trace.state(0), trace.state(trace.steps)
    changed = [name for name in trace.locations if first[name] != last[name]]
    return registers_picture(last, changed, isa=trace.isa, before=first, types=_last_types(trace),
                             title=f"after {trace.steps} steps (counted)")


def _last_types(trace: Any) -> dict[str, str]:
    """The element type each register was used in last; a load (x16) says only the width, its reader the sign."""
    types: dict[str, str] = {}
    for pc in trace.pc:
        instruction = trace.program.instructions[int(pc)]
        for use in (*instruction.reads, *instruction.writes):
            if use.lanes:
                place, said = locate(use.register, trace.isa)[0], use.lanes[0]
                if said[0] != "x" or types.get(place, "")[1:] != said[1:]:
                    types[place] = printable(said)
    return types


def _argument(word: str, variables: dict[str, Any]) -> Any:
    try:
        return int(word, 0)
    except ValueError:
        pass
    if word not in variables:
        raise BadArgument(f"%%neon --args: {word!r} is neither an integer nor a variable of this notebook")
    value = variables[word]
    if isinstance(value, np.ndarray | int | np.integer):
        return value
    raise BadArgument(f"%%neon --args: {word!r} is a {type(value).__name__}; an integer or a numpy array is needed")


def _with_return(text: str, isa: str) -> str:
    words = {part for row in text.splitlines() for part in row.split("//")[0].lower().replace(",", " ").split()}
    if isa == "aarch64":
        return text if "ret" in words else f"{text}\n        ret\n"
    return text if words & {"bx", "pc", "{pc}"} else f"{text}\n        bx lr\n"


def load_ipython_extension(ipython: Any) -> None:
    """Register `%%neon` (IPython calls this on `%load_ext neonsim`)."""

    def neon(line: str, cell: str) -> None:
        from IPython.display import display as show

        try:
            result, face = run_cell(line, cell, ipython.user_ns)
        except NeonsimError as error:
            # The message points into the cell with a caret: a Python traceback above it would only hide it.
            ipython.showtraceback((type(error), error, None), exception_only=True)
            return
        for warning in result.warnings:
            print(f"warning: {warning}")
        show(face)  # type: ignore[no-untyped-call]

    neon.__doc__ = __doc__
    ipython.register_magic_function(neon, magic_kind="cell", magic_name="neon")
