"""What commands share: options, files to be written, answers. What runs a program is `calls`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neonsim.common.fileio import check_file, check_folder
from neonsim.errors import BadArgument

from .words import WORDS, Parser

if TYPE_CHECKING:
    from neonsim.verify.checking import FailingCase
    from neonsim.verify.reporting.ci_report import ReportedItem

__all__ = ["EXAMPLES", "ISAS", "add_compiler_option", "add_failing", "add_format", "add_live", "add_output",
           "add_subject_options", "answer", "check_failing", "check_live", "check_outputs", "command",
           "command_group", "definitions", "for_machines", "path_of", "print_json", "reported", "show_failing",
           "top_command", "wrote"]

EXAMPLES = "examples"
ISAS = ("aarch64", "aarch32")


def command(commands: Any, name: str, text: str, example: str, notes: str = "", *,
            json: bool = True) -> argparse.ArgumentParser:
    """Return a sub-command whose --help begins with a sentence and examples; with --json, but for one that only has
    others.

    text   the sentence, with its stop; its first word is the verb
    """
    parser: argparse.ArgumentParser = commands.add_parser(
        name, help=text, description=f"{text}\n\n{EXAMPLES}:\n  {example}", epilog=notes,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    if json:
        parser.add_argument("--json", action="store_true", help="Print the answer as JSON.")
    return parser


def top_command(commands: Any, name: str, example: str, notes: str = "", *,
                json: bool = True) -> argparse.ArgumentParser:
    """One of the commands of `words`, which has its line of help."""
    return command(commands, name, WORDS[name].help, example, notes, json=json)


def command_group(commands: Any, name: str, example: str, notes: str = "",
                  shorthand: Callable[[Sequence[str]], str | None] | None = None) -> Any:
    """Return the sub-commands of one of the commands of `words`, to be added to.

    shorthand   as `Parser` has it: which of them is meant by words that begin with none
    """
    parser = top_command(commands, name, example, notes, json=False)
    assert isinstance(parser, Parser)
    parser.shorthand = shorthand
    return parser.add_subparsers(dest="subcommand", required=True, metavar="COMMAND")


class _File(str):
    """The name of a file to be written."""


class _Folder(str):
    """The name of a folder to be written to."""


def add_live(parser: argparse.ArgumentParser) -> None:
    """--live, for a command that writes a recorded run as a page with --html."""
    parser.add_argument("--live", action="store_true", help="Make the page of --html compute too: it changes values "
                        "at any step, without neonsim.")


def check_live(options: argparse.Namespace) -> None:
    """Raises BadArgument if there is no page to compute."""
    if options.live and not options.html:
        raise BadArgument("--live needs a page: add --html FILE")


def add_output(parser: Any, *flags: str, help: str, folder: bool = False, **more: Any) -> None:
    """An option that names a file to be written (or a folder); `check_outputs` looks at it before anything runs."""
    parser.add_argument(*flags, help=help, metavar="FOLDER" if folder else "FILE", type=_Folder if folder else _File,
                        **more)


def check_outputs(options: argparse.Namespace) -> None:
    """Raises BadArgument for a file or folder of `add_output` that cannot be written, or is named twice; and where two
    forms of one answer are asked for."""
    if getattr(options, "format", None) and options.json:
        raise BadArgument("--format and --json exclude each other. Use one of them.")
    named: set[str] = set()
    for value in vars(options).values():
        if isinstance(value, _Folder):
            check_folder(value)
        elif isinstance(value, _File):
            check_file(value)
            if value in named and not Path(value).is_char_device():
                raise BadArgument(f"{value} is the output of two options. Name another file for one of them.")
            named.add(value)


def wrote(path: object, options: argparse.Namespace, note: str = "") -> None:
    """Say what was written: beside the answer, not in it, where that is JSON."""
    print(f"wrote {path}{note}", file=sys.stderr if for_machines(options) else sys.stdout)


def add_compiler_option(parser: argparse.ArgumentParser) -> None:
    """--compiler-option, for a command that compiles C."""
    parser.add_argument("--compiler-option", dest="compiler_options", metavar="OPTION", action="append", default=[],
                        help="Pass this to the compiler of C, as -march=armv8.2-a+dotprod; can be given again.")


def add_subject_options(parser: Any) -> None:
    """What `verify.checking.target` takes of a kernel in a file, where its header does not say it."""
    parser.add_argument("--contract", metavar="CONTRACT", help="Contract that the kernel is meant to keep.")
    parser.add_argument("--tile", metavar="MRxNR", help="Tile of the kernel, as 4x8, 4x8c2 or 4x.")
    parser.add_argument("--isa", choices=ISAS, help="Instruction set of the kernel.")
    parser.add_argument("--entry", metavar="LABEL", help="Label of the function, if there are several.")
    parser.add_argument("--reads-before", type=int, metavar="N", help="Allow reads of this many bytes before a row.")
    parser.add_argument("--reads-after", type=int, metavar="N", help="Allow reads of this many bytes behind a row.")
    parser.add_argument("-D", dest="define", action="append", default=[], metavar="NAME[=VALUE]",
                        help="Define a macro as #define does; its text is 1 if none is given.")


def definitions(options: argparse.Namespace) -> dict[str, str | int]:
    """Return what -D says."""
    return {word.partition("=")[0]: word.partition("=")[2] if "=" in word else 1 for word in options.define}


def print_json(value: Any) -> None:
    """Print a value as JSON; numbers and arrays of numpy, records and paths are written as plain ones."""
    print(json.dumps(value, indent=1, default=_plain).replace("\x7f", "\\u007f"))


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):    # numpy's, which need not be loaded
        return value.tolist()
    if is_dataclass(value) and not isinstance(value, type):
        return {part.name: getattr(value, part.name) for part in fields(value)}
    if isinstance(value, Path | Fraction):
        return str(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")


def answer(text: object, value: Any, options: argparse.Namespace) -> None:
    """The answer of a command: its text, or its value as JSON. Either may be a function that makes it."""
    if options.json:
        print_json(value() if callable(value) else value)
    else:
        print(text() if callable(text) else text)


def add_format(parser: argparse.ArgumentParser) -> None:
    """--format, for a command that build servers run."""
    parser.add_argument("--format", choices=["github", "junit", "sarif"],
                        help="Print the answer for a build server: annotations of GitHub, JUnit's XML, or SARIF.")


def reported(items: Callable[[], Sequence[ReportedItem]], options: argparse.Namespace) -> bool:
    """Print the answer in the format of --format; False where none is asked for."""
    if not options.format:
        return False
    from neonsim.verify.reporting.ci_report import report

    print(report(options.format, items()))
    return True


def for_machines(options: argparse.Namespace) -> bool:
    """Return whether a program reads the answer, so that nothing else may be printed with it."""
    return bool(options.json or getattr(options, "format", None))


def path_of(name: str) -> str:
    """Return the file that a command's argument names, "" for a kernel of the catalogue."""
    return name if Path(name).is_file() else ""


# ---- the call that a check has found wrong

HOW = "--html FILE writes a page that replays this call, opened where it went wrong"


def add_failing(parser: argparse.ArgumentParser) -> None:
    """--html, --step and --live."""
    add_output(parser, "--html", help="Write the failing call as a page that replays it.")
    parser.add_argument("--step", type=int, metavar="N", help="Open the page of --html at this step, not where the "
                        "call went wrong.")
    add_live(parser)


def check_failing(options: argparse.Namespace) -> None:
    """Raises BadArgument if there is no page to open at a step, or to compute."""
    check_live(options)
    if options.step is not None and not options.html:
        raise BadArgument("--step needs a page: add --html FILE")


def show_failing(trouble: FailingCase | None, name: str, options: argparse.Namespace, remedy: str = "") -> None:
    """Write the page that is asked for, or say behind a failing call that there can be one.

    trouble   None: no call failed, or none was made
    remedy    what else helps, for the sentence
    """
    if trouble is None or trouble.trace is None:
        if options.html:
            print(f"There is no failing call to step through: {options.html} is not written.", file=sys.stderr)
    elif options.html:
        path = trouble.to_html(options.html, name, step=options.step, live=options.live)
        wrote(path, options, f": it opens at step {trouble.opening_step if options.step is None else options.step}, "
              f"{trouble.message.partition('   (')[0]}")
    elif not for_machines(options):
        print(f"\n{HOW}{remedy}")
