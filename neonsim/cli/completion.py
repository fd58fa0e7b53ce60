"""`neonsim completion`: what a shell needs to complete commands, options, and names of kernels and cores; by shtab."""

from __future__ import annotations

import argparse
from typing import Any

from neonsim.arm.timing import cores
from neonsim.common.extras import install
from neonsim.errors import BadArgument
from neonsim.learn.course import tasks
from neonsim.nn.graph import MODELS
from neonsim.ukernel import contracts, kernels

from .options import answer, top_command
from .words import Parser

__all__ = ["add_commands"]

SHELLS = ("bash", "fish", "zsh")
SETUP = """
Needs shtab: pip install 'neonsim[completion]'. For this shell, and in its start-up file for all that come:
  bash   eval "$(neonsim completion bash)"                                  ~/.bashrc
  zsh    eval "$(neonsim completion zsh)"      (after compinit)             ~/.zshrc
  fish   neonsim completion fish | source                                   ~/.config/fish/config.fish
The names of kernels and cores are those of the day the line was run.
"""


def add_commands(commands: Any) -> None:
    parser = top_command(commands, "completion", 'eval "$(neonsim completion bash)"', SETUP)
    parser.add_argument("shell", choices=SHELLS, help="Shell to print the script for.")
    parser.set_defaults(run=_completion)


def _completion(options: argparse.Namespace) -> int:
    try:
        import shtab
    except ImportError:
        raise BadArgument(f"completion needs shtab: {install('neonsim[completion]')}") from None
    from . import parser

    names = {"KERNEL": kernels().names, "CORE": [*cores(), "all"], "CONTRACT": [one.name for one in contracts()],
             "NETWORK": list(MODELS), "EXERCISE": [task.name for task in tasks()]}
    names |= {"PROGRAM": names["KERNEL"], "KERNELS": names["KERNEL"], "CORES": names["CORE"]}

    def name_values(made: argparse.ArgumentParser) -> argparse.ArgumentParser:
        for action in made._actions:
            for below in action.choices.values() if isinstance(action, argparse._SubParsersAction) else ():
                name_values(below)
            action.choices = action.choices or names.get(str(action.metavar or action.dest).upper())
        # Behind a short form, `check mine.S`, come the options of the sub-command that it is short for.
        if isinstance(made, Parser) and made.shorthand is not None and (meant := made.shorthand(["model.tflite"])):
            commands = next(action for action in made._actions if isinstance(action, argparse._SubParsersAction))
            made._actions += commands.choices[meant]._get_optional_actions()[1:]    # but for --help, which it has
        return made

    script = shtab.complete(name_values(parser()), options.shell)
    answer(script.rstrip("\n"), {"shell": options.shell, "script": script}, options)
    return 0
