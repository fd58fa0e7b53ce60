"""The command line: `neonsim demo | run | trace | step | check | time | study | explain | ...`, see `neonsim -h`.

Every command has --help with an example and --json where a program may want to read the answer. Exit status: 0 done,
1 refused or failed (one message on standard error), 2 wrong usage.
"""

from __future__ import annotations

import argparse
import importlib
import io
import os
import re
import sys
from collections.abc import Sequence

from neonsim import __version__
from neonsim.asm.c_way import joined_words
from neonsim.errors import NeonsimError

__all__ = ["main"]

# The module of every command. Only the one that is asked for is imported: all of them together take longer to load than
# most commands to run.
_ROOMS = {
    "demo": "demo", "run": "programs", "trace": "programs", "translate": "programs", "step": "step", "check": "check",
    "course": "course", "time": "cost", "study": "study", "explain": "explain", "isa": "instructions",
    "models": "models", "kernels": "tables", "cores": "tables", "bench": "bench",
}


def _parser(rooms: Sequence[str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="neonsim", description="Step, count and check Arm NEON kernels.",
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", action="version", version=f"neonsim {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for room in rooms:
        importlib.import_module(f"{__name__}.{room}").add_commands(commands)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    if arguments is None:
        arguments = sys.argv[1:]
    arguments = joined_words(arguments)
    # Help, and a word that is no command, list every command there is.
    word = arguments[0] if arguments else ""
    every = [] if word == "--version" else list(dict.fromkeys(_ROOMS.values()))
    parser = _parser([_ROOMS[word]] if word in _ROOMS else every)
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="backslashreplace")  # names of files need not be UTF-8
    options, more = parser.parse_known_args(arguments)
    # argparse ends a list of positionals at the first option; those that come after it belong to the call as well.
    if more and (not hasattr(options, "arguments") or any(re.match(r"-(?!\d)", word) for word in more)):
        parser.error(f"unrecognized arguments: {' '.join(more)}")
    if more:
        options.arguments += more
    try:
        status: int = options.run(options)
        sys.stdout.flush()
        return status
    except NeonsimError as problem:
        print(f"neonsim: {problem}", file=sys.stderr)
        return 1
    except OSError as problem:
        if isinstance(problem, BrokenPipeError):
            # The reader (head, less) has seen enough; nothing more may be written, not even at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        print(f"neonsim: {problem.strerror or problem}: {problem.filename or ''}".rstrip(": "), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("neonsim: interrupted", file=sys.stderr)
        return 130
