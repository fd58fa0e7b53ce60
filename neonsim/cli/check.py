"""`neonsim check`: a kernel of your own through all cases of its contract; rules, limits and contracts as lists."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from neonsim.arm.isa import WORD_BYTES
from neonsim.arm.machine.memory.violations import RULES, rules_table
from neonsim.common.limits import LIMITS, limits_table
from neonsim.errors import BadArgument
from neonsim.ukernel import contract_named, contracts, kernel
from neonsim.ukernel.header import in_lines
from neonsim.verify.checking import check, lint_kernels
from neonsim.verify.checking.kernel_lint import RULES as HOUSE_RULES
from neonsim.verify.checking.kernel_lint import kernel_rules_table
from neonsim.verify.reporting.ci_report import items_of_check
from neonsim.verify.reporting.json_schema import SCHEMAS, json_schema

from .options import (
    add_compiler_option,
    add_failing,
    add_format,
    add_subject_options,
    answer,
    check_failing,
    command,
    command_group,
    definitions,
    path_of,
    reported,
    show_failing,
)
from .progress import Bar, waiting

__all__ = ["add_commands"]

NOTES = """\
FILE is assembly text (.S, .s), an object file (.o), C (.c, through a cross compiler), or the name of a
kernel. Its `//!` header may say what the options say (contract, tile, isa, reads-before):

  //! contract: qu8_gemm_q31
  //! tile: 4x8
  //! isa: aarch32

Every case is run twice: alone, in buffers of its exact size and under the sanitizer, and beside others in lock-step.
Contracts that add up have calls whose sums leave 16 bits, and some that come to the ends of 32. What passes, passes for
the sizes that the verdict names. Of what fails, the smallest call is printed.

Exit status: 0 every byte is right, 1 something is wrong, 2 wrong usage or a file that cannot be read.
"""


def _shorthand(words: Sequence[str]) -> str:
    return "kernel"


def add_commands(commands: Any) -> None:
    group = command_group(commands, "check", "neonsim check mine.S --contract qu8_gemm_q31 --isa aarch64 --tile 8x8\n"
                          "  neonsim check rules",
                          "`neonsim check FILE` is short for `neonsim check kernel FILE`.", _shorthand)
    parser = command(group, "kernel", "Run a kernel through all cases of its contract.",
                     "neonsim check mine.S --contract qu8_gemm_q31 --isa aarch64 --tile 8x8\n"
                     "  neonsim check mine.S --quick --html failing.html", NOTES)
    parser.add_argument("program", metavar="FILE", help="A file, or the name of a kernel of the catalogue.")
    add_subject_options(parser)
    parser.add_argument("-I", dest="include", action="append", default=[], metavar="FOLDER",
                        help="Search this folder for #include files; can be given again.")
    parser.add_argument("-O", dest="optimize", metavar="LEVEL",
                        help="Optimisation level for C: 0, 1, 2, 3 or s (2).")
    add_compiler_option(parser)
    parser.add_argument("--quick", action="store_true", help="Run each edge case once: seconds instead of minutes.")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="Seed of the cases' data (0).")
    add_failing(parser)
    add_format(parser)
    parser.set_defaults(run=_check)

    catalogue = command(group, "catalogue", "Hold a file to the rules of kernels/, or list these rules.",
                        "neonsim check catalogue\n  neonsim check catalogue kernels/mine/mine.S",
                        "The rules: header, picture of the register tile, names, comments, feature, reads before a "
                        "row, native twins,\nplanted bugs that the cases notice.")
    catalogue.add_argument("program", nargs="?", metavar="FILE", help="Name every rule that this file breaks.")
    catalogue.set_defaults(run=_house_rules)

    listed = command(group, "contracts", "List the contracts, or show one as the header of its kernels has it.",
                     "neonsim check contracts\n  neonsim check contracts qs8_vadd")
    listed.add_argument("contract", nargs="?", metavar="CONTRACT",
                        help="Show its page, its prototype and the `//! in` lines.")
    listed.set_defaults(run=_contracts)

    for name, text, run in (("rules", "List the rules of the sanitizer.", _rules),
                            ("limits", "List the bounds on programs and runs.", _limits),
                            ("schema", "Print the JSON schema of what check, prove and time print with --json.",
                             _schema)):
        command(group, name, text, f"neonsim check {name}").set_defaults(run=run)


def _check(options: argparse.Namespace) -> int:
    check_failing(options)
    bar = Bar("calls", options)
    try:
        result = check(_source(options), options.contract, tile=options.tile, isa=options.isa, entry=options.entry,
                       reads_before=options.reads_before, reads_after=options.reads_after, include=options.include,
                       define=definitions(options), options=_compiling(options),
                       size="quick" if options.quick else "full", seed=options.seed, progress=bar)
    finally:
        bar.close()
    if not reported(lambda: items_of_check(result, path_of(options.program)), options):
        answer(result, result.to_dict, options)
    if options.html or not result:
        show_failing(result.smallest, result.name, options)
    return 0 if result else 1


def _house_rules(options: argparse.Namespace) -> int:
    if options.program is None:
        answer(kernel_rules_table,
               lambda: {"house_rules": {name: rule.description for name, rule in HOUSE_RULES.items()}},
               options)
        return 0
    with waiting("holding it to every rule", options):
        found = lint_kernels(_source(options))
    answer(found, found.to_dict, options)
    return 0 if found else 1


def _compiling(options: argparse.Namespace) -> list[str]:
    if (options.optimize or options.compiler_options) and not options.program.endswith(".c"):
        raise BadArgument(f"-O and --compiler-option are for C files, unlike {options.program}.")
    return [f"-O{options.optimize or 2}", *options.compiler_options]


def _source(options: argparse.Namespace) -> Any:
    name = options.program
    if Path(name).is_file() or "/" in name or Path(name).suffix:
        return Path(name)
    return kernel(name)


def _contracts(options: argparse.Namespace) -> int:
    if options.contract is not None:
        one = contract_named(options.contract)
        lines = {isa: [str(line) for line in in_lines(one, isa)] for isa in WORD_BYTES}
        answer("\n\n".join((one.doc, one.prototype(), *("\n".join((f"{isa}:", *lines[isa])) for isa in lines))),
               {"name": one.name, "page": one.doc, "prototype": one.prototype(), "in_lines": lines}, options)
        return 0
    width = max(len(c.name) for c in contracts())
    answer("\n".join(f"{c.name:<{width}}  {c.summary}" for c in contracts()),
           {"contracts": {c.name: c.summary for c in contracts()}}, options)
    return 0


def _rules(options: argparse.Namespace) -> int:
    answer(rules_table, {"rules": {rule.name: {"sentence": rule.sentence, "error": rule.error.__name__,
                                               "when": rule.condition, "reports": rule.reports} for rule in RULES}},
           options)
    return 0


def _schema(options: argparse.Namespace) -> int:
    found = {command: json_schema(command) for command in SCHEMAS}
    answer(json.dumps(found, indent=1), found, options)
    return 0


def _limits(options: argparse.Namespace) -> int:
    answer(limits_table, {"limits": {name: {"most": value, "what": what} for name, (value, what) in LIMITS.items()}},
           options)
    return 0
