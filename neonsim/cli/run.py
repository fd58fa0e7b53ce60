"""`neonsim run`: programs from files and from the catalogue, and networks."""

from __future__ import annotations

import argparse
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from neonsim.arm.machine import CallResult, Machine
from neonsim.errors import BadArgument
from neonsim.render.stepper.regions import region_of

from .calls import ARGUMENT_HELP, add_call_options, arguments, find_program
from .network_options import NETWORKS, add_model_options, add_network_options, is_model, is_saved
from .options import answer, print_json, top_command
from .progress import steps_shown

__all__ = ["add_commands"]


def add_commands(commands: Any) -> None:
    run = top_command(commands, "run", "neonsim run add.s --isa aarch64 u32:1,2,3,4 c=out:u32*4\n"
                      "  neonsim run mobilenet_v2 --profile\n"
                      "  neonsim run qu8_gemm_q31_8x8__aarch64_neon_mlal_lane --emit-c program > kernel.c",
                      ARGUMENT_HELP)
    add_call_options(run, "PROGRAM|NETWORK")
    run.add_argument("--emit-c", choices=("program", "function"),
                     help="Print the program as C instead of running it: a file that compiles (program), or to read, "
                     "only what each instruction does (function).")
    add_network_options(run)
    add_model_options(run)
    run.set_defaults(run=_run)


def _emit_c(options: argparse.Namespace) -> int:
    from neonsim.arm.machine import Memory, translate_c
    from neonsim.arm.machine.loader import load

    program = find_program(options)
    made = translate_c(load(program, Memory()), options.entry)
    text = made.readable if options.emit_c == "function" else made.text
    answer(text.rstrip("\n"), {"isa": program.isa, "function": made.function, "c": text}, options)
    return 0


def _call(options: argparse.Namespace) -> tuple[Machine, CallResult, list[str]]:
    program = find_program(options)
    machine = Machine(program.isa)
    values, names = arguments(machine, options.arguments)
    # The steps say of which type mere bytes are, and without the sanitizer what has been written.
    steps = options.report or options.no_sanitize or not all(machine.memory.buffer(name).typed for name in names)
    with steps_shown(machine, options):
        result = machine.call(program, *values, entry=options.entry, max_steps=options.max_steps,
                              sanitize=not options.no_sanitize, strict_calls=options.strict_calls,
                              trace="last 1000000" if steps else False)
    return machine, result, names


def _run(options: argparse.Namespace) -> int:
    if options.emit_c:
        return _emit_c(options)
    if options.program in NETWORKS or is_saved(options.program):
        from .networks import run_network  # programs need none

        return run_network(options)
    if is_model(options.program):
        from .models import run_model

        return run_model(options)
    meant = get_close_matches(options.program, NETWORKS, n=1)
    if meant and not Path(options.program).exists():
        raise BadArgument(f"unknown network {options.program!r}. Do you mean {meant[0]}? Networks are "
                          f"{', '.join(NETWORKS)}.")
    machine, result, names = _call(options)
    wraps = result.trace.wraps() if options.report and result.trace is not None else None
    contents = [region_of(machine, result.trace, name) for name in names]
    if options.json:
        print_json({"returned": result.returned, "steps": result.steps, "warnings": result.warnings,
                    "flags": vars(machine.flags), "buffers": {region.name: region.values() for region in contents},
                    **({} if wraps is None else {"wraps": wraps.rows})})
        return 0
    print(f"returned {result.returned} ({result.returned:#x}) after {result.steps} steps (counted)")
    print(f"flags    {machine.flags}")
    for region in contents:
        print(region)
    if wraps is not None:
        print(wraps)
    for warning in result.warnings:
        print(f"warning: {warning}")
    return 0
