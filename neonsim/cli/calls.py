"""Finding a program, the arguments of its call, and what a recorded call is, as commands have them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from neonsim.arm.asm import Program, load_archive, load_object
from neonsim.arm.asm.c.options import COMPILERS, CompilerOptions
from neonsim.arm.asm.file_header import declared_isa, header_of
from neonsim.arm.asm.undeclared import assemble_file
from neonsim.arm.machine import Machine, Trace
from neonsim.arm.machine.arch.register_names import Names
from neonsim.arm.machine.memory.arguments import GRAMMAR, is_place
from neonsim.common.fileio import read_text
from neonsim.common.integers import is_int
from neonsim.common.limits import MAX_FILE_LENGTH
from neonsim.common.pcg64 import Pcg64
from neonsim.errors import BadArgument, MachineError

from .options import ISAS, add_compiler_option, definitions

__all__ = ["ARGUMENT_HELP", "KEPT", "Recording", "add_call_options", "add_program_options", "add_run_options",
           "arguments", "compiler_options", "core_names", "find_program", "no_compiler", "options_for"]

KEPT = "last 1000000"
ARGUMENT_HELP = "arguments of the call, in order:\n" + GRAMMAR


@dataclass(frozen=True)
class Recording:
    """A recorded call and how to show it. `problem`: why it did not return; the trace leads up to there."""

    trace: Trace
    title: str
    names: Names | None = None
    columns: dict[str, int] = field(default_factory=dict)
    note: str = ""
    problem: MachineError | None = None


def add_program_options(parser: argparse.ArgumentParser, metavar: str = "PROGRAM") -> None:
    parser.add_argument("program", metavar=metavar,
                        help="An assembler file, an object file (.o), C (.c: compiled by this machine's compiler, see "
                        "SECURITY.md), or the name of a kernel.")
    parser.add_argument("--isa", choices=ISAS, help="Instruction set. Left out, it is what a kernel's "
                        "name or a file's header says, or the only one that has all of the text.")
    parser.add_argument("-I", dest="include", metavar="FOLDER", action="append", default=[],
                        help="Search this folder for #include files; can be given again.")
    parser.add_argument("-D", dest="define", metavar="NAME[=TEXT]", action="append", default=[],
                        help="Define a macro as #define does; its text is 1 if none is given.")
    parser.add_argument("-O", dest="optimize", metavar="LEVEL", default="2",
                        help="Optimization level for C: 0, 1, 2, 3 or s (2).")
    parser.add_argument("--compiler", choices=COMPILERS, help="Compile C with this compiler (the first one found).")
    add_compiler_option(parser)


def add_call_options(parser: argparse.ArgumentParser, metavar: str = "PROGRAM") -> None:
    """A program, the arguments of its call, and what holds for the run."""
    add_program_options(parser, metavar)
    add_run_options(parser, 10_000_000)
    parser.add_argument("--report", choices=["wraps"],
                        help="Report the lanes that wrapped, saturated or lost bits, and where first.")


def add_run_options(parser: argparse.ArgumentParser, most: int) -> None:
    """The arguments of a call and the rules of its run. most: steps, where no other number is given."""
    parser.add_argument("arguments", nargs="*", default=[], metavar="ARGUMENT",
                        help="Arguments of the call; see below.")
    parser.add_argument("--entry", help="Call this label.")
    parser.add_argument("--max-steps", type=int, default=most, metavar="N",
                        help=f"Stop with an error after this many steps ({most}).")
    parser.add_argument("--no-sanitize", action="store_true", help="Do not report uses of uninitialized data.")
    parser.add_argument("--strict-calls", action="store_true",
                        help="Hold calls inside the program to the calling convention too (not in compiled C).")


def find_program(options: argparse.Namespace, compiler: CompilerOptions | None = None) -> Program:
    """Return a file's program, or a kernel's by its name in the catalogue, from what `add_program_options` added.

    compiler  to compile C, if not that of the options
    """
    name, isa = options.program, options.isa
    path = Path(name)
    no_compiler(options)
    if path.suffix == ".neontrace":
        raise BadArgument(f"{path} is a recorded run, not a program. `neonsim trace {path}` lists it, `neonsim step "
                          f"{path}` steps through it.")
    if path.is_file() and path.suffix == ".o":
        return load_object(path)
    library, _, member = name.rpartition(":")
    if library.endswith(".a"):
        return load_archive(library).load(member)
    if path.is_file() and path.suffix == ".a":
        raise BadArgument(f"{path} is an archive. Name a member: {path}:{(*load_archive(path).members, 'a.o')[0]}")
    if path.is_file() and path.suffix == ".c":
        return (compiler or compiler_options(options)).load(path)
    if path.is_file():
        program = assemble_file(path, isa, include=options.include, define=definitions(options))
        for remark in program.remarks:
            print(f"remark: {remark}", file=sys.stderr)
        return _as_promised(program, header_of(read_text(path, 4 * MAX_FILE_LENGTH, "replace")), path.stem)
    if "/" not in name and not path.suffix and path.name:
        from neonsim.ukernel import kernel

        return kernel(name).program()
    if path.is_dir():
        raise BadArgument(f"{name} is a folder. Name a file in it.")
    raise BadArgument(f"there is no file {name}. `neonsim kernels` lists the kernels.")


def _as_promised(program: Program, said: dict[str, str], stem: str) -> Program:
    """The program; if the header of its file names a contract, its function takes what that says."""
    if "contract" not in said or stem not in program.symbols:
        return program
    from neonsim.ukernel import contract_named

    return contract_named(said["contract"]).known_to(program, stem)


def no_compiler(options: argparse.Namespace) -> None:
    """Raises BadArgument for a --compiler, or an option for one, of what is not compiled."""
    others = getattr(options, "compare", [])
    if any(name.endswith(".c") for name in (options.program, *others)):
        return
    for name, said in (("--compiler", options.compiler), ("--compiler-option", " ".join(options.compiler_options))):
        if said:
            raise BadArgument(f"{name} {said} is for C files, unlike {options.program}.")


def compiler_options(options: argparse.Namespace) -> CompilerOptions:
    """Return how C is compiled: by --compiler, with -O, what -D says and every --compiler-option."""
    told = (f"-O{options.optimize}", *(f"-D{word}" for word in options.define), *options.compiler_options)
    return CompilerOptions(options.isa or "aarch64", options.compiler, told, tuple(options.include))


def options_for(options: argparse.Namespace, name: str, isa: str) -> argparse.Namespace:
    """Return the options for another program that is compared with the first one, whose instruction set is `isa`.

    What was said for the first one need not be said again, and is not said of what it does not fit: a file that
    declares an instruction set has its own, and only C is compiled.
    """
    path = Path(name)
    text = path.is_file() and path.suffix not in (".o", ".a", ".neontrace")
    return argparse.Namespace(**{**vars(options), "program": name, "isa": (declared_isa(path) if text else None) or isa,
                                 **({} if path.suffix == ".c" else {"compiler": None, "compiler_options": []})})


def arguments(machine: Machine, texts: list[str]) -> tuple[list[Any], list[str]]:
    """Values for a call, regions placed; and the names of the regions. The words are those of `memory.arguments`."""
    random = Pcg64()
    before = {buffer.name for buffer in machine.memory.buffers}
    # Where a region is, is known when all are placed.
    values = {number: machine.memory.declare(text, f"arg{number}", random)
              for number, text in sorted(enumerate(texts), key=lambda one: is_place(one[1]))}
    if machine.isa == "aarch32" and any(is_int(v) and not hasattr(v, "dtype") and not -(1 << 31) <= v < 1 << 32
                                        for v in values.values()):
        raise BadArgument("an argument does not fit a 32-bit AArch32 register. Use u64:..., which takes two registers.")
    made = [buffer for buffer in machine.memory.buffers if buffer.name not in before]
    return [values[number] for number in range(len(texts))], [
        buffer.name for buffer in sorted(made, key=lambda buffer: buffer.address)]


def core_names(text: str, every: Callable[[], Iterable[str]]) -> list[str]:
    """Return what --core says: names with commas, or all that ``every`` lists.

    Each is looked up, so that a wrong one is told first.
    """
    from neonsim.arm.timing import load_core

    names = list(every()) if text == "all" else [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise BadArgument("--core is empty: name one core, several with commas, or all (`neonsim cores` lists them).")
    # "a53, cortex-a53" is one core; a file is known by its path.
    found = {name: load_core(name).name for name in names}
    return list(dict.fromkeys(name if name.endswith(".toml") else core for name, core in found.items()))
