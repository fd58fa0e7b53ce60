"""`neonsim measure`: a program that measures an Arm board; and `neonsim cores derive`: a core of what it measured."""

from __future__ import annotations

import argparse
import json
from typing import Any

from neonsim.arm.timing import load_core
from neonsim.bench.board import (
    compare,
    core_text,
    derive,
    open_classes,
    probes,
    read_measurement,
    simulated_board,
    some_probes,
    write_program,
)
from neonsim.bench.board.write_core import comparison_report, findings_report
from neonsim.common.fileio import write_file
from neonsim.errors import BadArgument

from .options import ISAS, add_output, answer, print_json, top_command, wrote

__all__ = ["add_commands", "core_from"]


def add_commands(commands: Any) -> None:
    made = top_command(commands, "measure", "neonsim measure --core cortex-a75 -o board/",
                       "Without -o the micro-tests are listed. The program is built on the board by `make` and writes "
                       "a file;\n`neonsim cores derive FILE` makes a core of it and sets the models beside it.")
    made.add_argument("--core", help="Measure only what the file of this core does not know, forwarding, and pairs "
                                     "that issue together.")
    made.add_argument("--tests", nargs="+", default=[], metavar="WORD",
                      help="Take micro-tests with one of these words in their names: latency, queue, smlal.")
    made.add_argument("--isa", choices=ISAS, default="aarch64", help="Instruction set of the program (aarch64).")
    made.add_argument("--no-kernels", action="store_true", help="Leave kernels of the catalogue out.")
    made.add_argument("--no-memory", action="store_true", help="Leave chains and streams through memory out.")
    add_output(made, "-o", "--out", help="Write the program into this folder.", folder=True)
    add_output(made, "--simulate", help="Write what a board with this --core would, by its model: to try the steps "
                                        "without a board.")
    made.set_defaults(run=_measure)


def _measure(options: argparse.Namespace) -> int:
    if options.simulate:
        return _simulate(options)
    tests = some_probes(options.isa, core=options.core, words=options.tests)
    if options.out is None:
        answer(lambda: _listed(tests, options), lambda: [_row(probe) for probe in tests], options)
        return 0
    paths = write_program(options.out, tests, isa=options.isa, kernels=not options.no_kernels,
                          memory=not options.no_memory)
    if options.json:
        print_json({"files": list(map(str, paths)), "tests": [probe.name for probe in tests]})
        return 0
    print(f"wrote {len(paths)} files into {options.out}: {len(tests)} micro-tests\n"
          f"on the board: cd {options.out} && make && ./measure --cpu 0\n"
          "then, here: neonsim cores derive measured.json -o my-board.toml")
    return 0


def _simulate(options: argparse.Namespace) -> int:
    if options.core is None:
        raise BadArgument("--simulate needs --core: the model that replaces the board.")
    if options.out is not None:
        raise BadArgument("-o writes a program for a board, and --simulate replaces the board. Use one of them.")
    core = load_core(options.core)
    if options.isa not in core.isas:
        raise BadArgument(f"{core.name} runs {' and '.join(core.isas)}, but the micro-tests are for {options.isa}: use "
                          f"--isa {core.isas[0]}.")
    tests = some_probes(options.isa, words=options.tests)
    found = simulated_board(core, isa=options.isa, tests=tests, kernels=not options.no_kernels,
                            memory=not options.no_memory)
    wrote(write_file(options.simulate, json.dumps(found) + "\n"), options,
          f": what the model of {core.name} says, no measurement")
    if options.json:
        print_json({"file": options.simulate, "core": core.name, "rows": len(found["rows"])})
    return 0


def _listed(tests: Any, options: argparse.Namespace) -> str:
    lines = [f"{probe.name:<36} {probe.lines[0]}" for probe in tests]
    what = f"of {options.core}: {len(open_classes(options.core))} classes without a source of their own; " \
        if options.core else ""
    return "\n".join([*lines, f"{what}{len(tests)} of {len(probes(options.isa))} micro-tests of {options.isa}. "
                              "-o FOLDER writes the program."])


def _row(probe: Any) -> dict[str, Any]:
    return {"name": probe.name, "kind": probe.kind, "per": probe.per, "lines": list(probe.lines)}


def core_from(options: argparse.Namespace) -> int:
    """Return a core of a result file: told, compared, and written where -o says."""
    found = read_measurement(options.source)
    done = derive(found, options.based_on)
    text = core_text(done, options.name)
    if options.out:
        write_file(options.out, text)
    if options.json:
        print_json({"parent": done.parent.name, "kind": found.kind, "machine": dict(found.machine),
                    "findings": [{"where": f.location, "what": f.quantity, "value": f.value, "low": f.low,
                                  "high": f.high,
                                  "before": f.before, "by": f.row_name, "cycles": list(f.cycles),
                                  "also": list(f.alternatives)}
                                 for f in done.findings],
                    "left_out": done.excluded,
                    "rows": [{"name": row.name, "unit": row.unit, "minimum": row.minimum, "median": row.median,
                              "modeled": cycles} for row, cycles in compare(found, done.core)], "core": text})
    else:
        print(f"{findings_report(done)}\n\n{comparison_report(done)}")
    if options.out:
        wrote(options.out, options)
    return 0
