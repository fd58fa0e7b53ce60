"""What several commands share: finding a program, reading arguments from the command line, options."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from difflib import get_close_matches
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from neonsim.asm import Program, assemble, load_c, load_object
from neonsim.errors import BadArgument
from neonsim.files import check_file, check_folder
from neonsim.machine import Machine
from neonsim.timing import load_core
from neonsim.ukernel import kernel

__all__ = ["ARGUMENT_HELP", "Parser", "add_output", "add_program_options", "answer", "arguments", "c_options",
           "check_outputs", "command", "core_names", "definitions", "find_program", "print_json", "wrote"]

ISAS = ("aarch64", "aarch32")
TYPES = {"u8": "uint8", "s8": "int8", "u16": "uint16", "s16": "int16", "u32": "uint32", "s32": "int32",
         "u64": "uint64", "s64": "int64"}
LARGEST = 1 << 26  # elements of a buffer made on the command line

ARGUMENT_HELP = """\
arguments of the call, in order:
  12  -3  0x10         a whole number
  u8:1,2,3             a buffer of these elements (u8 s8 u16 s16 u32 s32 u64 s64); its address is passed
  s32*16               a buffer of 16 random elements (seeded)
  s32*16:7             a buffer of 16 elements, all 7
  out:64               a buffer of 64 uninitialised bytes, for results
  @FILE                a buffer with the bytes of a file
  NAME=...             gives a buffer a name for messages and for what is printed, as in c=out:64
"""


class Parser(argparse.ArgumentParser):
    """A parser that answers a word that is none of its commands with the nearest ones, not with all of them."""

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices and not action.option_strings:
            known = [str(choice) for choice in action.choices]
            near = get_close_matches(str(value), known, 3)
            word = str(action.metavar or action.dest or "word").lower()
            raise argparse.ArgumentError(None, f"there is no {word} {value!r}. " + (
                f"Did you mean {' or '.join(near)}?" if near else f"There are {', '.join(known)}."))
        super()._check_value(action, value)


def command(commands: Any, name: str, text: str, example: str, epilog: str = "", *,
            json: bool = True) -> argparse.ArgumentParser:
    """A sub-command whose --help ends in an example; with --json, but for one that only has sub-commands of its own."""
    parser: argparse.ArgumentParser = commands.add_parser(
        name, help=text, description=text[0].upper() + text[1:] + ".",
        epilog=(epilog + "\n" if epilog else "") + f"example:\n  {example}",
        formatter_class=argparse.RawDescriptionHelpFormatter)
    if json:
        parser.add_argument("--json", action="store_true", help="print the answer as JSON")
    return parser


class _File(str):
    """The name of a file to be written."""


class _Folder(str):
    """The name of a folder to be written to."""


def add_output(parser: Any, *flags: str, help: str, folder: bool = False) -> None:
    """An option that names a file to be written (or a folder); `check_outputs` looks at it before anything runs."""
    parser.add_argument(*flags, help=help, metavar="FOLDER" if folder else "FILE", type=_Folder if folder else _File)


def check_outputs(options: argparse.Namespace) -> None:
    """Raises BadArgument for a file or folder of `add_output` that cannot be written, or is named twice."""
    named: set[str] = set()
    for value in vars(options).values():
        if isinstance(value, _Folder):
            check_folder(value)
        elif isinstance(value, _File):
            check_file(value)
            if value in named and not Path(value).is_char_device():
                raise BadArgument(f"{value} is to be written twice: name another file for one of them.")
            named.add(value)


def wrote(path: object, options: argparse.Namespace, more: str = "") -> None:
    """Say what was written: beside the answer, not in it, where that is JSON."""
    print(f"wrote {path}{more}", file=sys.stderr if options.json else sys.stdout)


def add_program_options(parser: argparse.ArgumentParser, metavar: str = "PROGRAM") -> None:
    parser.add_argument("program", metavar=metavar,
                        help="an assembler file, an object file (.o), C (.c: compiled by this machine's compiler, see "
                        "SECURITY.md), or the name of a kernel")
    parser.add_argument("--isa", choices=ISAS, help="instruction set (kernels know theirs)")
    parser.add_argument("-I", dest="include", metavar="FOLDER", action="append", default=[],
                        help="folder to look for #include files in; can be given again")
    parser.add_argument("-D", dest="define", metavar="NAME[=TEXT]", action="append", default=[],
                        help="macro as if by #define; 1 without a text")
    parser.add_argument("-O", dest="optimise", metavar="LEVEL", default="2", help="optimisation of C: 0, 1, 2, 3, s")


def find_program(options: argparse.Namespace) -> Program:
    """A file's program, or a kernel's by its name in the catalogue, from what `add_program_options` added."""
    name, isa = options.program, options.isa
    path = Path(name)
    if path.suffix == ".neontrace":
        raise BadArgument(f"{path} is a recorded run, not a program. `neonsim trace {path}` lists it, `neonsim step "
                          f"{path}` goes through it.")
    if path.is_file() and path.suffix == ".o":
        return load_object(path)
    if path.is_file() and path.suffix == ".c":
        return load_c(path, options.isa or "aarch64", include=options.include, options=c_options(options))
    if path.is_file():
        return assemble(path, isa=isa or _isa_of(path), include=options.include, define=definitions(options))
    if "/" not in name and not path.suffix and path.name:
        return kernel(name).program()
    if path.is_dir():
        raise BadArgument(f"{name} is a folder: name a file in it.")
    raise BadArgument(f"there is no file {name}. `neonsim kernels` lists the kernels that can be given by name.")


def c_options(options: argparse.Namespace) -> list[str]:
    """What a C compiler is told: -O, and what -D says."""
    return [f"-O{options.optimise}", *(f"-D{word}" for word in options.define)]


def definitions(options: argparse.Namespace) -> dict[str, str | int]:
    """What -D says."""
    return {word.partition("=")[0]: word.partition("=")[2] if "=" in word else 1 for word in options.define}


def _isa_of(path: Path) -> str:
    """The instruction set a file declares: `//! isa: aarch32` in its header, or the word in its name."""
    found = re.search(r"^//!\s*isa:\s*(\w+)", path.read_text("utf-8", "replace")[:4096], re.M)
    if found:
        return found[1]
    named = [isa for isa in ISAS if isa in path.name]
    if len(named) == 1:
        return named[0]
    raise BadArgument(f"{path} does not say its instruction set: add --isa aarch64 or --isa aarch32.")


def arguments(machine: Machine, texts: list[str]) -> tuple[list[int], list[str]]:
    """Values for a call, buffers placed; and the names of the buffers."""
    random = np.random.default_rng(0)
    values: list[int] = []
    names: list[str] = []
    for number, text in enumerate(texts):
        label, equals, rest = text.partition("=")
        name, word = (label, rest) if equals and re.fullmatch(r"[A-Za-z_]\w*", label) else (f"arg{number}", text)
        if re.fullmatch(r"[-+]?(\d+|0[xX][0-9a-fA-F]+|0[bB][01]+)", word):
            values.append(int(word, 0))
            continue
        if word.startswith("out:"):
            values.append(machine.memory.alloc(_number(word[4:], text), name=name))
        else:
            values.append(machine.memory.place(_array(word, text, random), name=name))
        names.append(name)
    return values, names


def _array(word: str, text: str, random: np.random.Generator) -> np.ndarray[Any, Any]:
    if word.startswith("@"):
        try:
            with Path(word[1:]).open("rb") as file:
                data = file.read(LARGEST + 1)
        except (OSError, ValueError) as problem:
            raise BadArgument(f"{text!r}: the file cannot be read: {getattr(problem, 'strerror', None) or problem}."
                              ) from None
        if len(data) > LARGEST:
            raise BadArgument(f"{text!r}: the file is larger than {LARGEST:,} bytes, the most that a buffer made here "
                              "holds.")
        return np.frombuffer(data, np.uint8)
    found = re.fullmatch(r"(\w+?)(?:\*(\d+))?(?::(.*))?", word)
    if not found or found[1] not in TYPES or (found[2] is None and found[3] is None):
        raise BadArgument(f"{text!r} is no argument: write a number, u8:1,2,3, s32*16, s32*16:7, out:64 or @FILE.")
    dtype = np.dtype(TYPES[found[1]])
    limits = np.iinfo(dtype)
    if found[2] is None:
        elements = [_number(v, text, negative=True) for v in found[3].split(",")]
    elif found[3] is None:
        return random.integers(limits.min, limits.max, _size(found[2], text), dtype=dtype, endpoint=True)
    else:
        elements = [_number(found[3], text, negative=True)] * _size(found[2], text)
    outside = [v for v in elements if not limits.min <= v <= limits.max]
    if outside:
        raise BadArgument(f"{text!r}: {outside[0]} does not fit {found[1]}, {limits.min} to {limits.max}.")
    return np.array(elements, dtype)


def _size(text: str, whole: str) -> int:
    size = _number(text, whole)
    if size > LARGEST:
        raise BadArgument(f"{whole!r}: a buffer from the command line has at most {LARGEST} elements.")
    return size


def _number(text: str, whole: str, negative: bool = False) -> int:
    if not re.fullmatch(r"-?(0[xX][0-9a-fA-F]{1,20}|\d{1,20})" if negative else r"0[xX][0-9a-fA-F]{1,20}|\d{1,20}",
                        text.strip()):
        raise BadArgument(f"{whole!r}: {text!r} is no whole number.")
    return int(text, 0)


def core_names(text: str, every: Iterable[str]) -> list[str]:
    """What --core says: names with commas, or all of these. Each is looked up, so that a wrong one is told first."""
    names = list(every) if text == "all" else [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise BadArgument("--core names no core: give one, several with commas, or all (`neonsim cores` lists them).")
    # "a53, cortex-a53" is one core.
    return list(dict.fromkeys(load_core(name).name for name in names))


def print_json(value: Any) -> None:
    """Print a value as JSON; numbers and arrays of numpy, records and paths are written as plain ones."""
    print(json.dumps(value, indent=1, default=_plain))


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if is_dataclass(value) and not isinstance(value, type):
        return {part.name: getattr(value, part.name) for part in fields(value)}
    if isinstance(value, Path | Fraction):
        return str(value)
    raise TypeError(f"{type(value).__name__} is not written as JSON")


def answer(text: object, value: Any, options: argparse.Namespace) -> None:
    """The answer of a command: its text, or its value as JSON. Either may be a function that makes it."""
    if options.json:
        print_json(value() if callable(value) else value)
    else:
        print(text() if callable(text) else text)
