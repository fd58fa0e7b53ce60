"""`neonsim check`: a kernel of your own through the whole sweep of its contract; the rules of the sanitizer."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from neonsim.arm.machine.memory.violations import RULES, rules_table
from neonsim.common.limits import LIMITS, limits_table
from neonsim.errors import BadArgument
from neonsim.ukernel import Tile, contracts, kernel
from neonsim.verify.checking import check, lint_kernels
from neonsim.verify.checking.kernel_lint import RULES as HOUSE_RULES
from neonsim.verify.checking.kernel_lint import house_rules_table

from .parts.failing_call import add_failing, check_failing, show_failing
from .parts.options import add_compiler_option, add_subject_options, answer, definitions, top_command
from .parts.progress import Bar, waiting

__all__ = ["add_commands"]

NOTES = """
FILE is assembly text (.S, .s), an object file (.o), C (.c, through a cross compiler), or the name of a kernel.
What its `//!` header says (contract, tile, isa, reads-before) need not be said again:

  //! contract: qu8_gemm_q31
  //! tile: 4x8
  //! isa: aarch32

Every case is run twice: alone, in buffers of its exact size and under the sanitizer, and beside others in lock-step.
Contracts that add up have calls whose sums leave 16 bits, and some that come to the ends of 32. What passes, passes for
the sizes that the verdict names.
A file that is to join kernels/ keeps more rules: header, picture of the register tile, names, comments, feature,
reads before a row, native twins, planted bugs that the cases notice. `neonsim check FILE --catalogue` says all that are
broken.
Of what fails, the smallest call is printed; --html FILE writes it as a page that is stepped through in a browser. It
opens at the step that has the wrong element as a lane, or at step N with --step N.
Exit status: 0 every byte is right, 1 something is wrong, 2 wrong usage or a file that cannot be read.
"""


def add_commands(commands: Any) -> None:
    parser = top_command(commands, "check",
                         "neonsim check mine.S --contract qu8_gemm_q31 --isa aarch64 --tile 8x8\n"
                         "  neonsim check mine.S --quick --html failing.html", NOTES)
    parser.add_argument("program", nargs="?", metavar="FILE", help="a file, or the name of a kernel")
    add_subject_options(parser)
    for size, what in (("mr", "rows"), ("nr", "columns"), ("kr", "depths side by side")):
        parser.add_argument(f"--{size}", type=int, metavar="N", help=f"{what} of the tile, in place of --tile")
    parser.add_argument("-I", dest="include", action="append", default=[], metavar="FOLDER", help="for #include")
    parser.add_argument("-O", dest="optimise", metavar="LEVEL", help="optimisation of C: 0, 1, 2 (if not said), 3, s")
    add_compiler_option(parser)
    parser.add_argument("--catalogue", action="store_true",
                        help="instead of the sweep: hold a .S file to every rule of kernels/; without FILE list them")
    parser.add_argument("--quick", action="store_true", help="each edge once: seconds instead of minutes")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the cases' data")
    add_failing(parser)
    parser.add_argument("--contracts", action="store_true", help="list the contracts and stop")
    parser.add_argument("--rules", action="store_true", help="list the rules of the sanitizer and stop")
    parser.add_argument("--limits", action="store_true", help="list the bounds on programs and runs and stop")
    parser.set_defaults(run=_check)


def _check(options: argparse.Namespace) -> int:
    if options.rules or options.limits or options.contracts:
        asked = [(rules_table, _rules)] * options.rules + [(limits_table, _limits)] * options.limits \
            + [(_contract_table, _contracts)] * options.contracts
        answer(lambda: "\n\n".join(text() for text, _ in asked),
               lambda: {name: rows for _, values in asked for name, rows in values().items()}, options)
        return 0
    if options.program is None and options.catalogue:
        answer(house_rules_table, lambda: {"house_rules": {name: rule.what for name, rule in HOUSE_RULES.items()}},
               options)
        return 0
    if options.program is None:
        raise BadArgument("check takes a FILE or the name of a kernel (or --rules, --contracts, --limits)")
    if options.catalogue:
        return _house_rules(options)
    check_failing(options)
    bar = Bar("calls", options)
    try:
        result = check(_source(options), options.contract, tile=_tile(options), isa=options.isa, entry=options.entry,
                       reads_before=options.reads_before, reads_after=options.reads_after, include=options.include,
                       define=definitions(options), options=_compiling(options),
                       size="quick" if options.quick else "full", seed=options.seed, progress=bar)
    finally:
        bar.close()
    answer(result, result.to_dict, options)
    if options.html or not result:
        show_failing(result.smallest, result.name, options)
    return 0 if result else 1


def _house_rules(options: argparse.Namespace) -> int:
    if options.contract or options.tile or options.mr or options.isa:
        raise BadArgument("--catalogue reads contract, tile and isa from the file's header: leave the options out")
    with waiting("holding it to every rule", options):
        found = lint_kernels(_source(options))
    answer(found, found.to_dict, options)
    return 0 if found else 1


def _compiling(options: argparse.Namespace) -> list[str]:
    if (options.optimise or options.compiler_options) and not options.program.endswith(".c"):
        raise BadArgument(f"-O and --compiler-option are for C; {options.program} is not compiled.")
    return [f"-O{options.optimise or 2}", *options.compiler_options]


def _source(options: argparse.Namespace) -> Any:
    name = options.program
    if Path(name).is_file() or "/" in name or Path(name).suffix:
        return Path(name)
    return kernel(name)


def _tile(options: argparse.Namespace) -> Tile | str | None:
    if options.mr is None:
        if options.nr is not None or options.kr is not None:
            raise BadArgument("--nr and --kr go with --mr")
        tile: str | None = options.tile
        return tile
    if options.tile is not None:
        raise BadArgument("the tile is given by --tile or by --mr and --nr, not by both")
    return Tile.parse(f"{options.mr}x{options.nr or ''}{f'c{options.kr}' if (options.kr or 1) > 1 else ''}") or "?"


def _contract_table() -> str:
    width = max(len(c.name) for c in contracts())
    return "\n".join(f"{c.name:<{width}}  {c.summary}" for c in contracts())


def _contracts() -> dict[str, Any]:
    return {"contracts": {c.name: c.summary for c in contracts()}}


def _rules() -> dict[str, Any]:
    return {"rules": {rule.name: {"sentence": rule.sentence, "error": rule.error.__name__, "when": rule.when,
                                  "reports": rule.reports} for rule in RULES}}


def _limits() -> dict[str, Any]:
    return {"limits": {name: {"most": value, "what": what} for name, (value, what) in LIMITS.items()}}
