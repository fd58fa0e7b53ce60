"""Every command of the command line in a line: what --help lists, and where the command is.

All commands together take longer to load than most of them to run. Help and wrong usage read this table alone; only the
room of the command that is asked for is imported.
"""

from __future__ import annotations

import argparse
import re
from typing import Any, NamedTuple

__all__ = ["WORDS", "CommandEntry", "Parser"]


class CommandEntry(NamedTuple):
    """The module of a command, and its line in --help."""

    room: str
    help: str


WORDS = {
    "demo": CommandEntry("demo", "one layer of MobileNetV1 by every kernel on every backend"),
    "run": CommandEntry("run", "assemble a program, call it, show what it left behind"),
    "trace": CommandEntry("trace", "run a program and list its steps, or write a page that replays them"),
    "translate": CommandEntry("translate", "print a program as C, the assembly line beside each statement"),
    "step": CommandEntry("step", "step through a run: registers as lanes, memory, back and on"),
    "check": CommandEntry("check", "run your own kernel through its contract's sweep"),
    "prove": CommandEntry("prove", "right for all data, proved or refuted"),
    "sweep": CommandEntry("sweep", "kernels x cores x shapes x data as one set of data, on many machines"),
    "course": CommandEntry("course", "exercises that grade themselves"),
    "time": CommandEntry("time", "modelled cycles of a loop, or of a call, on one core or several"),
    "study": CommandEntry("study", "studies of the cost models, with figures"),
    "explain": CommandEntry("explain", "what an operator prepares and why: kernels, layouts, pointers, traffic"),
    "isa": CommandEntry("isa", "the instructions that are emulated, and their manual pages"),
    "models": CommandEntry("models", "list what a file of a network is made of, and how each part runs"),
    "quantise": CommandEntry("quantize", "make a network of real numbers one of integers, and compare both"),
    "kernels": CommandEntry("kernels", "the kernels of the catalogue"),
    "cores": CommandEntry("cores", "the cores that are modelled"),
    "bench": CommandEntry("bench", "measure speed on this machine"),
    "measure": CommandEntry("measure", "a C program that measures an Arm board: instructions, kernels, memory"),
    "lab": CommandEntry("lab", "a copy of the course, opened with JupyterLab"),
    "completion": CommandEntry("completion", "print what makes a shell complete neonsim's commands and names"),
}


class Parser(argparse.ArgumentParser):
    """A parser that answers a word that is none of its commands with the nearest ones, not with all of them.

    A word of - and a digit is a value: `--weights -128..127`, `--pixels -1e-3 1`. No option begins so.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        # As argparse itself has it from Python 3.14 on; before, only whole words that are numbers.
        self._negative_number_matcher = re.compile(r"-\.?\d")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices and not action.option_strings:
            known = [str(choice) for choice in action.choices]
            from difflib import get_close_matches

            near = get_close_matches(str(value), known, 3)
            word = str(action.metavar or action.dest or "word").lower()
            raise argparse.ArgumentError(None, f"there is no {word} {value!r}. " + (
                f"Did you mean {' or '.join(near)}?" if near else f"There are {', '.join(known)}."))
        super()._check_value(action, value)
