"""The command line: a heading for every command, with its options, its words and its examples, as `--help` has them."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from neonsim.cli import parser
from neonsim.cli.options import EXAMPLES

from .text import escaped, fenced

__all__ = ["write"]

WIDTH = 90  # characters of a line of help: what a page shows without scrolling


class _Help(argparse.RawDescriptionHelpFormatter):
    """As on a terminal of WIDTH characters, whatever this one has."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=WIDTH)


def write(sources: Path) -> None:
    """commands.md: all of them, in the order of `neonsim --help`."""
    whole = parser()
    parts = ["# The command line\n",
             "This page shows `neonsim COMMAND --help` for every command. Commands that print results have `--json`, "
             "for programs. The exit status of a command is:\n",
             fenced((whole.epilog or "").removeprefix("exit status: "))]
    for name, made in _commands(whole):
        parts.append(f"{'#' * (2 + name.count(' '))} neonsim {name}\n")
        text, marked, examples = (made.description or "").partition(f"\n\n{EXAMPLES}:\n")
        parts.append(escaped(text) + "\n")
        if marked:
            parts.append(fenced("\n".join(line.removeprefix("  ") for line in examples.splitlines()), "sh"))
        made.description, made.formatter_class = None, _Help
        parts.append(fenced(made.format_help().strip("\n")))
    (sources / "commands.md").write_text("\n".join(parts), "utf-8")


def _commands(made: argparse.ArgumentParser, path: str = "") -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Every command below one, the command before its own."""
    for action in made._actions:
        if isinstance(action, argparse._SubParsersAction):
            choices: dict[str, Any] = action.choices
            for name, below in choices.items():
                yield f"{path}{name}", below
                yield from _commands(below, f"{path}{name} ")
