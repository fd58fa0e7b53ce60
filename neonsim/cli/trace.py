"""`neonsim trace`: the steps of a run, listed, kept, or as a page; two runs beside each other."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from neonsim.arm.machine import Trace
from neonsim.arm.machine.trace.definedness import ShadowBytes, hex_of
from neonsim.arm.timing import Timing, count, time
from neonsim.common.integers import as_int
from neonsim.errors import BadArgument
from neonsim.render import Run
from neonsim.render.stepper.trace_diff import differences
from neonsim.render.text_listing import HEAD

from .calls import ARGUMENT_HELP, Recording, add_call_options, options_for
from .options import add_live, add_output, check_live, print_json, top_command, wrote
from .progress import waiting
from .recording import SAMPLE_HELP, record

__all__ = ["add_commands"]


def add_commands(commands: Any) -> None:
    trace = top_command(commands, "trace",
                        "neonsim trace add.s --isa aarch64 u32:1,2,3,4 c=out:u32*4 --html steps.html --live\n"
                        "  neonsim trace qu8_gemm_q31_4x8__aarch32_neon_mlal_lane --html tile.html "
                        "--core cortex-a53 \\\n"
                        "    --compare qu8_gemm_xzp_q31_4x8c2__aarch32_neon_mull_padal\n"
                        "  neonsim trace add.c u32:1,2,3,4 c=out:16 --compare-flags -O0",
                        SAMPLE_HELP + ARGUMENT_HELP)
    add_call_options(trace)
    trace.add_argument("--first", type=int, default=1, metavar="STEP", help="Number of the first step to list (1).")
    trace.add_argument("--count", type=int, metavar="N", help="Number of steps to list (all).")
    add_output(trace, "--html", help="Write one self-contained page instead.")
    add_live(trace)
    other = trace.add_mutually_exclusive_group()
    other.add_argument("--compare", metavar="PROGRAM", action="append", default=[],
                       help="Call this program alike, and say where the data of both begin to differ. With --html the "
                       "page shows both.")
    other.add_argument("--compare-flags", metavar="FLAGS",
                       help="Compare with the same C compiled in another way: -O0, clang, \"clang -O3\".")
    trace.add_argument("--core", metavar="CORE", help="Show the modelled cycles of this core on the page of --html.")
    trace.add_argument("--caches", choices=["cold", "warm"],
                       help="Step through the caches of --core too: empty at first, or after a run of the same.")
    add_output(trace, "--save", help="Keep the recorded run, for `neonsim step FILE` and ns.load_trace(FILE).")
    trace.set_defaults(run=_trace)


def _trace(options: argparse.Namespace) -> int:
    if options.core and not options.html:
        raise BadArgument("--core needs a page: add --html FILE")
    if options.caches and not options.core:
        raise BadArgument("--caches needs a core: add --core NAME")
    check_live(options)
    first = as_int(options.first, "--first", 1) - 1
    if options.count is not None:
        as_int(options.count, "--count", 0)
    found = record(options)
    trace = found.trace
    other = _other(options, trace.isa)
    if options.html:
        with waiting(f"writing the page ({trace.steps:,} steps)", options):
            page = trace.to_html(Path(options.html), title=found.title, names=found.names, columns=found.columns,
                                 timing=_timing(trace, options), live=options.live,
                                 compare_with=None if other is None else _other_run(other, options))
        wrote(page, options, f": {_steps(trace)}")
        for one in (found, other):
            if one is not None and one.note and not options.json:
                print(f"{one.title}: {one.note}")
    if other is not None:
        return _compared(found, other, options)
    if options.save:
        with waiting(f"saving {trace.steps:,} steps", options):
            kept = trace.save(Path(options.save))
        wrote(kept, options, f": {_steps(trace)}. `neonsim step {options.save}` goes through them.")
    if options.json:
        shown = range(first, trace.steps if options.count is None else min(trace.steps, first + options.count))
        rows, known = [], trace.knowledge.cursor_at()
        for at in shown:
            known.goto(at)
            before = [known.bytes_at(trace.buffers, a, n) for a, n, *_ in trace.accesses(at)]
            known.goto(at + 1)
            after = [known.bytes_at(trace.buffers, a, n) for a, n, *_ in trace.accesses(at)]
            changed = {}
            for r in trace.rows(at):  # digits of uninitialized data are "--"
                name = trace.locations[trace.write_location[r]]
                data = trace.write_after[r].tobytes()
                changed[name] = hex_of(ShadowBytes(data, known.registers[name].ljust(len(data), b"\1")))
            rows.append({"step": trace.first + at + 1, "line": trace.instruction(at).position.line,
                         "instruction": str(trace.instruction(at)), "executed": bool(trace.executed[at]),
                         "writes": changed,
                         "memory": [{"address": a, "bytes": n, "store": s, "before": _in_order(b, was),
                                     "after": _in_order(f, now)} for (a, n, s, b, f), was, now in
                                    zip(trace.accesses(at), before, after, strict=True)]})
        print_json({"isa": trace.isa, "steps": rows, "returned": trace.returned, "first": trace.first,
                    "returns": found.problem is None, "notices": _notices(trace),
                    **({"wraps": trace.wraps().rows} if options.report else {})})
    elif not (options.html or options.save):
        with waiting(f"listing ({trace.steps if options.count is None else options.count:,} steps)", options):
            text = trace.to_text(first, options.count)
        print(HEAD)
        print(text)
        if options.count is not None and first + options.count < trace.steps:
            print(f"{trace.steps - first - options.count} more steps are not listed (--count {options.count})")
            print(*_notices(trace), sep="\n", end="\n" * bool(trace.notices))
        print(count(trace))
        if found.note:
            print(found.note)
    if options.report and not options.json:
        print(trace.wraps())
    if found.problem is not None:
        raise found.problem
    return 0


def _other(options: argparse.Namespace, isa: str) -> Recording | None:
    """The run to compare with: of another program, or of the same compiled in another way."""
    if options.compare_flags is not None:
        return record(options, flags=options.compare_flags)
    if len(options.compare) > 1:
        raise BadArgument("--compare must name one program, because a page and a listing show two runs.")
    return record(options_for(options, options.compare[0], isa)) if options.compare else None


def _steps(trace: Trace) -> str:
    cut = f", of {trace.first + trace.steps}" if trace.first else ""
    return "; ".join([f"{trace.steps} steps (counted){cut}", *(text for _, text in trace.notices)])


def _notices(trace: Trace) -> list[str]:
    """What the run did that is suspicious, and what the trace does not show."""
    return [f"line {trace.program.instructions[pc].position.line}: {text}" for pc, text in trace.notices]


def _compared(found: Recording, other: Recording, options: argparse.Namespace) -> int:
    """Say where the data of two runs begin to differ. Exit status 0, whether they do or not."""
    where = differences(found.trace, other.trace, found.columns)
    if options.json:
        print_json({"left": {"title": found.title, "steps": found.trace.steps},
                    "right": {"title": other.title, "steps": other.trace.steps}, **where.to_dict()})
    else:
        for side, one in (("left ", found), ("right", other)):
            print(f"{side} {one.title}: {one.trace.steps} steps (counted)")
        print(where)
    for one in (found, other):
        if one.problem is not None:
            raise one.problem
    return 0


def _in_order(data: bytes, known: bytes) -> str:
    """Digits of bytes as they lie in memory, "--" for uninitialized data."""
    return hex_of(ShadowBytes(data[::-1], known[::-1]))


def _other_run(found: Recording, options: argparse.Namespace) -> Run:
    return Run(found.trace, found.names, _timing(found.trace, options), found.title, found.columns)


def _timing(trace: Trace, options: argparse.Namespace) -> Timing | None:
    return time(trace, core=options.core, caches=options.caches) if options.core else None
