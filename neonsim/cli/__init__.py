"""The command line: one file for each command.

Every command has --help with an example, and --json: then standard output is JSON and nothing else. What goes wrong is
one message on standard error, and a status:

    0    done, and nothing is wrong
    1    it ran and found something wrong: a check that fails, bytes that differ, a program that breaks a rule
    2    it did not run: wrong usage, a file that is not there, text that cannot be read, a backend that is missing
    130  interrupted (Ctrl-C)

A reader that stops reading (`| head`) is no error. Lines are as long as they are, on a terminal as in a pipe.
"""

from __future__ import annotations

import argparse
import importlib
import io
import os
import re
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout

from neonsim import __version__
from neonsim.common.terminal import EscapedStream, bare
from neonsim.errors import MachineError, NeonsimError

from .words import WORDS, Parser

__all__ = ["main", "parser"]

FOUND, REFUSED, INTERRUPTED = 1, 2, 130


def parser(words: Sequence[str] = tuple(WORDS), alone: bool = False) -> argparse.ArgumentParser:
    """Return the parser of all commands, where these have their options, and the others a line of help.

    alone   without the others: the first word is one of these, so that nothing asks for them
    """
    made = Parser(prog="neonsim", description="Step, count and check Arm NEON kernels.",
                  epilog="exit status: 0 done, 1 something is found wrong, 2 wrong usage or bad input, 130 interrupted",
                  formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--version", action="version", version=f"neonsim {__version__}")
    commands = made.add_subparsers(dest="command", required=True, metavar="COMMAND")
    wanted = {WORDS[word].module for word in words}
    for name, (room, text) in WORDS.items():
        if room not in wanted:
            if not alone:
                commands.add_parser(name, help=text)
        elif name not in commands.choices:      # a room may have several
            importlib.import_module(f"{__name__}.{room}").add_commands(commands)
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:      # closed by the caller (`>&-`): output has no reader
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8"))
    try:
        with redirect_stdout(EscapedStream(sys.stdout)), redirect_stderr(EscapedStream(sys.stderr)):
            return _main(sys.argv[1:] if arguments is None else arguments)
    except BrokenPipeError:
        # The reader (head, less) has seen enough; nothing more may be written, not even at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        print("neonsim: interrupted", file=sys.stderr)
        return INTERRUPTED


def _main(arguments: Sequence[str]) -> int:
    if isinstance(bare(sys.stdout), io.TextIOWrapper) and sys.stdout.errors != "backslashreplace":
        bare(sys.stdout).reconfigure(errors="backslashreplace")     # a terminal need not be able to show all
    options = _options(arguments)
    from .options import check_outputs

    try:
        check_outputs(options)
        status: int = options.run(options)
        sys.stdout.flush()
        return status
    except NeonsimError as problem:
        print(f"neonsim: {problem}", file=sys.stderr)
        return FOUND if isinstance(problem, MachineError) else REFUSED
    except BrokenPipeError:
        raise
    except OSError as problem:
        print(f"neonsim: {problem.strerror or problem}: {problem.filename or ''}".rstrip(": "), file=sys.stderr)
        return REFUSED


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    # Without a command there is help, the version, or wrong usage: words alone.
    called = next((word for word in arguments if not word.startswith("-")), "")
    made = parser([called] if called in WORDS else [], alone=called in WORDS and called == arguments[0])
    if called in WORDS and not {"--compare-flags", "--compiler-option"}.isdisjoint(arguments):
        from neonsim.arm.asm.c.options import joined_words

        arguments = joined_words(arguments)
    options, more = made.parse_known_args(arguments)
    # argparse ends a list of positionals at the first option; those that come after it belong to the call as well.
    if more and (not hasattr(options, "arguments") or any(re.match(r"-(?!\d)", word) for word in more)):
        made.error(f"unrecognized arguments: {' '.join(more)}")
    if more:
        options.arguments += more
    return options
