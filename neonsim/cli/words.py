"""Every command of the command line in a line: what --help lists, and where the command is.

All commands together take longer to load than most of them to run. Help and wrong usage read this table alone; only the
room of the command that is asked for is imported.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

__all__ = ["WORDS", "CommandEntry", "Parser"]


class CommandEntry(NamedTuple):
    """The module of a command, and its line in --help."""

    module: str
    help: str


WORDS = {
    "demo": CommandEntry("demo", "Compute one layer of MobileNetV1 by every kernel on every backend."),
    "run": CommandEntry("run", "Run a program or a network, and show what it computes."),
    "trace": CommandEntry("trace", "Run a program and list its steps, or write a page that replays them."),
    "step": CommandEntry("step", "Step through a run, forwards and backwards, and look at registers and memory."),
    "check": CommandEntry("check", "Check your own kernel against its contract."),
    "prove": CommandEntry("prove", "Prove or refute that a kernel is right for all data."),
    "sweep": CommandEntry("sweep", "Measure kernels x cores x shapes x data as one data set, on many machines."),
    "course": CommandEntry("course", "Work on exercises that grade themselves, or set and grade them."),
    "time": CommandEntry("time", "Model the cycles of a loop or of a call, on one core or on several."),
    "study": CommandEntry("study", "Make a study of the cost models, with its figure."),
    "explain": CommandEntry("explain", "Explain what an operator prepares: kernels, layouts, pointers, traffic."),
    "isa": CommandEntry("isa", "Show the emulated instructions and their manual pages."),
    "models": CommandEntry("models", "List the parts of a network's file, and how each part runs."),
    "quantize": CommandEntry("quantize", "Quantize a float32 network, and compare both."),
    "kernels": CommandEntry("kernels", "List, show and explain the kernels of the catalogue."),
    "cores": CommandEntry("cores", "List, validate, fit and derive the models of processor cores."),
    "bench": CommandEntry("bench", "Measure speed on this machine."),
    "measure": CommandEntry("measure", "Write a C program that measures an Arm board."),
    "lab": CommandEntry("lab", "Copy the course, and open it with JupyterLab."),
    "completion": CommandEntry("completion", "Print what makes a shell complete neonsim's commands and names."),
}


class Parser(argparse.ArgumentParser):
    """A parser that answers a word that is none of its commands with the nearest ones, not with all of them.

    A word of - and a digit is a value: `--weights -128..127`, `--pixels -1e-3 1`. No option begins so.

    shorthand   of words that do not begin with a sub-command, the one that is meant: `cores a53` is `cores show a53`
    """

    shorthand: Callable[[Sequence[str]], str | None] | None = None

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        # As argparse itself has it from Python 3.14 on; before, only whole words that are numbers.
        self._negative_number_matcher = re.compile(r"-\.?\d")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        words = list(sys.argv[1:] if args is None else args)
        if self.shorthand is not None and words[:1] not in (["-h"], ["--help"]) and not (
                words and words[0] in self._subparsers_named()):
            meant = self.shorthand(words)
            words[:0] = [] if meant is None else [meant]
        return super().parse_known_args(words, namespace)

    def _subparsers_named(self) -> set[str]:
        return {name for action in self._actions if isinstance(action, argparse._SubParsersAction)
                for name in action.choices}

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices and not action.option_strings:
            known = [str(choice) for choice in action.choices]
            from difflib import get_close_matches

            near = get_close_matches(str(value), known, 3)
            word = str(action.metavar or action.dest or "word").lower()
            raise argparse.ArgumentError(None, f"unknown {word} {value!r}. " + (
                f"Did you mean {' or '.join(near)}?" if near else f"Use {', '.join(known)}."))
        super()._check_value(action, value)
