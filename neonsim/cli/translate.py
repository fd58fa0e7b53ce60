"""`neonsim translate`: a program as C."""

from __future__ import annotations

import argparse
from typing import Any

from neonsim.arm.machine import Memory, translate_c
from neonsim.arm.machine.loader import load

from .calls import add_program_options, find_program
from .options import print_json, top_command

__all__ = ["add_commands"]


def add_commands(commands: Any) -> None:
    parser = top_command(commands, "translate",
                         "neonsim translate qu8_gemm_q31_8x8__aarch64_neon_mlal_lane > kernel.c && "
                         "gcc -O2 -c kernel.c\n"
                         "  neonsim translate qu8_gemm_q31_8x8__aarch64_neon_mlal_lane --function | less")
    add_program_options(parser)
    parser.add_argument("--entry", metavar="LABEL", help="label to begin at")
    parser.add_argument("--function", action="store_true",
                        help="to read: what each instruction does, without counters, logs and dispatch (a part, which "
                        "does not compile)")
    parser.set_defaults(run=_translate)


def _translate(options: argparse.Namespace) -> int:
    program = find_program(options)
    made = translate_c(load(program, Memory()), options.entry)
    text = made.readable if options.function else made.text
    if options.json:
        print_json({"isa": program.isa, "function": made.function, "c": text})
    else:
        print(text.rstrip("\n"))
    return 0
