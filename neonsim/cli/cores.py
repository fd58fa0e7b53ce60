"""`neonsim cores`: the cores that are modelled.

What holds models against measurements (phones, boards, fits) is imported where it is asked for: a list needs none.
"""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Sequence
from typing import Any

from neonsim.arm.timing import Core, cores, load_core

from .options import add_output, answer, command, command_group, print_json, wrote

__all__ = ["add_commands"]


def _shorthand(words: Sequence[str]) -> str:
    return "list" if all(word.startswith("-") for word in words) else "show"


def add_commands(commands: Any) -> None:
    group = command_group(commands, "cores", "neonsim cores\n  neonsim cores cortex-a53\n"
                          "  neonsim cores validate cortex-a53 --loops",
                          "`neonsim cores` is short for `neonsim cores list`, `neonsim cores CORE` for `neonsim cores "
                          "show CORE`.\nThe end of a core's name is enough: a53, n1.", _shorthand)

    command(group, "list", "List the cores.", "neonsim cores list").set_defaults(run=_list)

    show = command(group, "show", "Show one core: its picture, and the sources of its numbers.",
                   "neonsim cores show cortex-a53")
    show.add_argument("name", metavar="CORE", help="Name of the core, or its file (.toml).")
    show.set_defaults(run=_show)

    validate = command(group, "validate", "Compare the models with published figures, and list what is assumed.",
                       "neonsim cores validate\n  neonsim cores validate cortex-a53 --loops",
                       "Exit status: 1 if an instruction has no price, or if a modelled figure is off without a stated "
                       "reason.")
    validate.add_argument("name", nargs="?", metavar="CORE", help="Validate this core only.")
    against = validate.add_mutually_exclusive_group()
    against.add_argument("--prices", dest="run", action="store_const", const=_prices,
                         help="List the numbers that are missing, unknown or assumed. This is the default.")
    against.add_argument("--instructions", dest="run", action="store_const", const=_instructions,
                         help="Compare with published and measured tables of single instructions.")
    against.add_argument("--loops", dest="run", action="store_const", const=_loops,
                         help="Compare with published speeds of loops; llvm-mca's figures stand beside ours.")
    against.add_argument("--memory", dest="run", action="store_const", const=_memory,
                         help="Compare caches and memory with published figures of boards.")
    add_output(against, "--plot", help="Draw the errors of the models as SVG.")
    validate.set_defaults(run=_prices)

    fit = command(group, "fit", "Fit a core's numbers to published figures (needs neonsim[search]).",
                  "neonsim cores fit cortex-a53",
                  "The answer says which numbers the figures determine, which they leave open, and how well a fit\n"
                  "predicts figures that it has not seen.")
    fit.add_argument("name", metavar="CORE", help="Name of the core.")
    fit.set_defaults(run=_fit)

    derive = command(group, "derive", "Derive a core from the result file of `neonsim measure`.",
                     "neonsim cores derive measured.json --name my-board -o my-board.toml")
    derive.add_argument("source", metavar="RESULT", help="File that the program of `neonsim measure` wrote.")
    derive.add_argument("--based-on", metavar="CORE", help="Core that gives the other numbers (the board's own).")
    derive.add_argument("--name", metavar="NAME", help="Name of the new core.")
    add_output(derive, "-o", "--out", help="Write the core here, for --core FILE.toml and core=\"FILE.toml\".")
    derive.set_defaults(run=_derive)


def _list(options: argparse.Namespace) -> int:
    listed = cores()
    width = max(map(len, listed))
    answer("\n".join([*(f"{name:<{width}}  {text}" for name, text in listed.items()), "",
                      "The end of a name is enough: a53, n1. `neonsim cores NAME` shows one."]), listed, options)
    return 0


def _show(options: argparse.Namespace) -> int:
    core = load_core(options.name)
    answer(lambda: "\n".join([f"{core.name}: {core.title}\n\n{core.picture}\n\n{core.notes}\n\n{_facts(core)}\n\n"
                              "sources:", *(f"  {key:10s} {text}" for key, text in core.sources.items())]),
           lambda: _core(core), options)
    return 0


def _fit(options: argparse.Namespace) -> int:
    from neonsim.arm.timing.fitting import as_json, as_text, fit

    found = fit(options.name)
    answer(lambda: as_text(found), lambda: as_json(found), options)
    return 0


def _derive(options: argparse.Namespace) -> int:
    from .measure import core_from

    return core_from(options)


def _plot(options: argparse.Namespace) -> int:
    """The errors of one core, or of all, as a picture."""
    from neonsim.arm.timing.validation.microbench import compare_measured, measured
    from neonsim.arm.timing.validation.published_loops import anchors
    from neonsim.render.pictures.networks.model_error import evidence

    name = load_core(options.name).name if options.name else None
    found = anchors(name)
    tables = [compare_measured(one) for one in measured() if name in (None, one)]
    seen = {row.anchor.core for row in found.rows}
    without = [] if name else [one for one in cores() if one not in seen and not load_core(one).teaching]
    evidence(found, tables, without).save(options.plot)
    wrote(options.plot, options)
    if options.json:
        print_json({"loops": [{"core": row.anchor.core, "name": row.anchor.name, "unit": row.anchor.unit,
                               "measured": row.anchor.measured, "modeled": row.modeled, "llvm_mca": row.llvm,
                               "error": row.error(row.modeled)} for row in found.rows], "without": without})
    return 0


def _core(core: Core) -> dict[str, Any]:
    return {"name": core.name, "title": core.title, "isas": list(core.isas), "features": sorted(core.features),
            "based_on": core.based_on, "inherits": list(core.inherits), "picture": core.picture, "notes": core.notes,
            "kernels": list(core.choices), "dual_issue": core.dual_issue,
            "stands_for": list(core.proxies), "llvm": dict(core.llvm),
            "measured": core.measured.table if core.measured else None, "sources": dict(core.sources)}


def _facts(core: Core) -> str:
    """What a core can run, what libraries choose for it, what it takes over from another: a line each."""
    lines = [("runs", ", ".join(core.isas)), ("has", ", ".join(sorted(core.features)) or "nothing beyond that")]
    if core.based_on:
        lines.append(("based on", f"{core.based_on}, for {', '.join(core.inherits)}"))
    lines += [("kernels", f"{c.isa}: {c.tile} {c.technique}{f' ({c.feature})' if c.feature else ''}, {c.source}")
              for c in core.choices]
    if core.dual_issue:
        lines.append(("kernels", f"aarch32: dual issue from depth {core.dual_issue} on"))
    if core.proxies:
        lines.append(("stands for", f"{', '.join(core.proxies)}, where kernels are chosen"))
    lines += [("llvm-mca", f"{isa}: {name}") for isa, name in core.llvm.items()]
    if core.measured:
        lines.append(("measured", core.measured.table))
    return "\n".join(f"{word:<10} {text}" for word, text in lines)


def _instructions(options: argparse.Namespace) -> int:
    """The models against the tables: 1 if a value is off that is not excluded with a reason, else 0."""
    from neonsim.arm.timing.validation.microbench import compare_measured, measured

    names = [options.name] if options.name else measured()
    found = [compare_measured(name) for name in names]

    def text() -> str:
        tables = [f"{core.name}: {core.measured.table}" for core in map(load_core, names) if core.measured]
        return "\n".join([f"latency within 0.5 cycle, throughput within 5 %; {', '.join(tables)}", *map(str, found)])

    answer(text, lambda: {c.core: [{"form": v.form, "class": v.timing, "what": v.quantity, "measured": v.measured,
                                    "modeled": round(v.modeled, 3), "agrees": v.agrees, "excluded": v.reason or None}
                                   for v in c.values] for c in found}, options)
    return int(any(c.deviations or c.needless for c in found))


def _loops(options: argparse.Namespace) -> int:
    from neonsim.arm.timing.validation.published_loops import anchors

    if options.name is not None:
        load_core(options.name)         # of an unknown name the error says the nearest one
    found = anchors(options.name)
    answer(found, lambda: [{"core": r.anchor.core, "loop": r.anchor.name, "unit": r.anchor.unit,
                            "measured": r.anchor.measured, "modeled": r.modeled, "llvm_mca": r.llvm}
                           for r in found.rows], options)
    return 0


def _memory(options: argparse.Namespace) -> int:
    from neonsim.arm.timing.validation.memory_boards import boards, boards_report

    name = options.name and load_core(options.name).name
    answer(lambda: boards_report(name),
           lambda: [{"core": r.core, "board": r.board, "what": r.quantity, "unit": r.unit, "measured": r.measured,
                     "modeled": r.modeled, "used": r.used, "source": r.source} for r in boards(name)], options)
    return 0


def _prices(options: argparse.Namespace) -> int:
    """What a core file does not know: 1 if an instruction has no price somewhere, else 0."""
    from neonsim.arm.isa import all_semantics

    if options.plot:
        return _plot(options)
    used = {m.timing.format(count=n) for m in all_semantics().values() for n in range(1, 5)}
    found = {}
    for name in [options.name] if options.name else list(cores()):
        core = load_core(name)
        missing, unknown = core.check()
        found[name] = {"unpriced": sorted({*missing, *(used - core.timing_classes())}), "unknown": unknown,
                       "assumed": core.assumed()}

    def text() -> str:
        lines = []
        for name, lists in found.items():
            lines.append(f"{name}: " + ", ".join(f"{len(rows)} {word}" for word, rows in lists.items()))
            lines += [textwrap.fill(", ".join(rows), 110, initial_indent=f"  {word:10s}", subsequent_indent=" " * 12)
                      for word, rows in lists.items() if rows]
        return "\n".join([*lines, "unpriced: no number; unknown: a placeholder; assumed: no source read here has it "
                          "for this core. Every other number names its source: `neonsim cores NAME`."])

    answer(text, found, options)
    return int(any(lists["unpriced"] for lists in found.values()))
