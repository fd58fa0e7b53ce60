"""`neonsim time`: modelled cycles of a loop, or of a whole call, on one core or several."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from neonsim.arm.asm import Program
from neonsim.arm.machine import Machine, Trace
from neonsim.arm.timing import (
    CoreFilter,
    InstructionStream,
    Timing,
    compare_slots,
    compare_timings,
    cores,
    legend,
    loop_heads,
    requirements_of,
    time,
)
from neonsim.arm.timing.stream import longest_loop, stream_of
from neonsim.common.fileio import write_file
from neonsim.errors import BadArgument
from neonsim.verify.reporting.ci_report import items_of_timings

from .calls import ARGUMENT_HELP, add_program_options, arguments, core_names, find_program, options_for
from .options import (
    add_format,
    add_output,
    for_machines,
    path_of,
    print_json,
    reported,
    top_command,
    wrote,
)
from .progress import steps_shown, waiting

__all__ = ["add_commands"]


def add_commands(commands: Any) -> None:
    cost = top_command(commands, "time", "neonsim time qu8_gemm_q31_8x8__aarch64_neon_mlal_lane --core all\n"
                       "  neonsim time qu8_gemm_q31_8x8__aarch64_neon_mlal_lane --compare "
                       "qu8_gemm_q31_4x8__aarch64_neon_mlal_lane",
                       "With arguments the program is called as by `neonsim run`, and the whole call is timed.\n"
                       + ARGUMENT_HELP)
    add_program_options(cost)
    cost.add_argument("arguments", nargs="*", default=[], metavar="ARGUMENT", help="Arguments of a call; see below.")
    cost.add_argument("--entry", help="Call this label.")
    cost.add_argument("--core", default="cortex-a53", help="Model this core, several with commas, or all "
                      "(cortex-a53).")
    cost.add_argument("--loop", metavar="LABEL", help="Time the loop at this label or first line (the longest loop).")
    cost.add_argument("--iterations", type=int, default=100, metavar="N", help="Iterations of the loop (100).")
    cost.add_argument("--caches", choices=["cold", "warm"],
                      help="Model the caches in a call: empty at first, or after a run of the same. Without this "
                      "option every access hits.")
    cost.add_argument("--no-prefetch", action="store_true", help="Switch the stream prefetcher of --caches off.")
    cost.add_argument("--calls", type=int, default=1, metavar="N",
                      help="Time this many calls in a row, as checkasm measures four.")
    cost.add_argument("--compare", action="append", default=[], metavar="PROGRAM",
                      help="Compare with the loop of this program; can be given again.")
    cost.add_argument("--slots", action="store_true", help="Show the lost issue slots by reason.")
    cost.add_argument("--lines", action="store_true", help="Show the cost by source line.")
    cost.add_argument("--ports", action="store_true", help="Show how busy each unit is.")
    cost.add_argument("--path", action="store_true", help="Show the longest chain of dependent instructions.")
    cost.add_argument("--timeline", type=int, metavar="N", help="Draw the first N instructions.")
    cost.add_argument("--llvm", action="store_true", help="Show llvm-mca's cycles of a loop too, where it has a "
                      "model.")
    add_output(cost, "--html", help="Write a page of one timing, or of several side by side.")
    add_output(cost, "--konata", help="Write a Kanata log for Konata, of one kernel on one core.")
    add_format(cost)
    cost.set_defaults(run=_time)


def _call(program: Program, options: argparse.Namespace) -> Trace:
    machine = Machine(program.isa)
    values, _ = arguments(machine, options.arguments)
    with steps_shown(machine, options):
        done = machine.call(program, *values, entry=options.entry, trace=True)
    assert done.trace is not None
    return done.trace


def _feature_of(program: str) -> list[str]:
    """What a kernel of the catalogue needs by its header; nothing of other programs."""
    if Path(program).suffix:
        return []
    from neonsim.ukernel import kernel, kernels

    return [kernel(program).feature] if program in kernels().names else []


def _able(what: Trace | InstructionStream, names: list[str], options: argparse.Namespace) -> list[str]:
    """The cores that can run it; which of several cannot is said, and it is an error if none can."""
    header = _feature_of(options.program)
    able = CoreFilter()
    found = able.require_some(names, requirements_of(what, options.program, header))
    for sentence in able.sentences():
        print(sentence, file=sys.stderr)
    return found


def _timings(program: Program, names: list[str], options: argparse.Namespace) -> list[Timing]:
    if options.arguments:
        if options.loop:
            raise BadArgument("--loop times a loop alone, and arguments time the complete call. Use one of them.")
        trace = _call(program, options)
        able = _able(trace, names, options)
        with waiting(f"timing ({trace.steps * len(able):,} steps)", options):
            return [time(trace, core=name, caches=options.caches, prefetch=not options.no_prefetch, calls=options.calls)
                    for name in able]
    if options.calls != 1:
        raise BadArgument("--calls repeats a call: add arguments as for `neonsim run`.")
    if options.caches:
        raise BadArgument("--caches needs the addresses of a call: add arguments as for `neonsim run`.")
    heads = loop_heads(program)
    entry: str | int | None = options.loop
    if entry is None:
        entry = longest_loop(program)
        if len(heads) > 1 and not for_machines(options):
            print(f"{options.program}: the main one of {len(heads)} loops, from line {entry} (another with --loop)")
    elif options.loop.isdigit():
        entry = int(options.loop)
    stream = stream_of(program, entry=entry, iterations=options.iterations)
    return [time(stream, core=name) for name in _able(stream, names, options)]


def _time(options: argparse.Namespace) -> int:
    names = core_names(options.core, cores)
    program = find_program(options)
    timings = _timings(program, names, options)
    for other in options.compare:
        its = options_for(options, other, program.isa)
        its.loop = None
        timings += _timings(find_program(its), names, its)
    if options.konata and len(timings) != 1:
        raise BadArgument("--konata needs one kernel and one core: add --core NAME.")
    if options.json:
        print_json([t.to_dict() for t in timings])
    elif not reported(lambda: items_of_timings(timings, path_of(options.program)), options):
        _print(timings, options)
    if options.html and len(timings) > 1:
        from neonsim.render.charts import comparison_page

        wrote(write_file(options.html, comparison_page(timings)), options)
    elif options.html:
        wrote(timings[0].to_html(options.html), options)
    if options.konata:
        wrote(timings[0].to_konata(options.konata), options)
    return 0


def _print(timings: list[Timing], options: argparse.Namespace) -> None:
    print(compare_timings(*timings, llvm=options.llvm) if len(timings) > 1 or options.llvm else timings[0])
    if options.slots or options.compare:
        print("\n" + compare_slots(*timings))
    for timing in timings:
        for wanted, report in ((options.lines, timing.line_report), (options.ports, timing.ports),
                               (options.path, timing.path_report)):
            if wanted:
                print(f"\n{report()}")
        if options.timeline:
            print(f"\n{timing.timeline(count=options.timeline)}")
    if len(timings) == 1 or options.slots or options.compare or options.lines:
        print(f"\n{legend(timings)}")
