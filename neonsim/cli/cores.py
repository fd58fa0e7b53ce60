"""`neonsim cores`: the cores that are modelled.

What holds models against measurements (phones, boards, fits) is imported where it is asked for: a list needs none.
"""

from __future__ import annotations

import argparse
import textwrap
from typing import Any

from neonsim.arm.timing import Core, cores, load_core
from neonsim.errors import BadArgument

from .parts.options import add_output, answer, print_json, top_command, wrote

__all__ = ["add_commands"]


def add_commands(commands: Any) -> None:
    core = top_command(commands, "cores", "neonsim cores cortex-a53")
    core.add_argument("name", nargs="?", metavar="CORE",
                      help="show one core: its picture and where its numbers come from")
    core.add_argument("--check", action="store_true",
                      help="list what is unpriced, unknown or assumed, in all cores or in one")
    core.add_argument("--measured", action="store_true",
                      help="hold the models against measured and published tables of single instructions")
    core.add_argument("--anchors", action="store_true",
                      help="hold the models against published speeds of loops, llvm-mca's figures beside ours")
    core.add_argument("--memory", action="store_true",
                      help="hold the caches and the memory of the models against published figures of boards")
    core.add_argument("--pairs", action="store_true",
                      help="MobileNetV1 and V2 on the big and the LITTLE cores of the articles' phones, and split over "
                           "both; with CORE on those that have it")
    core.add_argument("--from", dest="source", metavar="RESULT",
                      help="make a core of a result file of `neonsim measure`, based on CORE (default: the board's), "
                      "and set the models beside it")
    core.add_argument("--as", dest="own_name", metavar="NAME", help="with --from: the name of the core")
    add_output(core, "-o", "--out", help="with --from: write the core, for --core FILE.toml and core=\"FILE.toml\"")
    core.add_argument("--fit", action="store_true",
                      help="which numbers of one core are determined by what others measured, which are not, and how "
                           "well a fit tells figures that it has not seen (needs neonsim[search])")
    add_output(core, "--evidence", help="draw the error of the models beside that evidence, as SVG")
    core.set_defaults(run=_cores)


def _cores(options: argparse.Namespace) -> int:
    if options.source:
        from .measure import core_from

        return core_from(options)
    if options.own_name or options.out:
        raise BadArgument("--as and -o belong to --from: give the result file of `neonsim measure` there.")
    if options.fit:
        return _fit(options)
    if options.evidence:
        return _evidence(options)
    if options.measured:
        return _measured(options.name, options.json)
    if options.anchors:
        return _anchors(options.name, options.json)
    if options.memory:
        return _memory(options.name, options.json)
    if options.pairs:
        from neonsim.studies.networks.phones import phone_times, phones_report

        splits = phone_times(options.name)
        if not splits:
            raise BadArgument(f"no phone here has a {load_core(options.name).name}: `neonsim cores --pairs` lists all.")
        answer(lambda: phones_report(splits), lambda: [split.to_dict() for split in splits], options)
        return 0
    if options.check:
        return _check([options.name] if options.name else list(cores()), options.json)
    if options.name:
        core = load_core(options.name)
        if options.json:
            print_json(_core(core))
            return 0
        print(f"{core.name}: {core.title}\n\n{core.picture}\n\n{core.notes}\n\n{_facts(core)}\n\nsources:")
        for key, text in core.sources.items():
            print(f"  {key:10s} {text}")
        return 0
    listed = cores()
    if options.json:
        print_json(listed)
        return 0
    width = max(map(len, listed))
    for name, text in listed.items():
        print(f"{name:<{width}}  {text}")
    print("\nThe end of a name is enough: a53, n1. `neonsim cores NAME` shows one.")
    return 0


def _fit(options: argparse.Namespace) -> int:
    """One core fitted; which, must be said: it takes a while."""
    if not options.name:
        raise BadArgument("--fit is of one core: `neonsim cores a53 --fit`. `neonsim cores` lists them.")
    from neonsim.arm.timing.fitting import as_json, as_text, fit

    found = fit(options.name)
    answer(lambda: as_text(found), lambda: as_json(found), options)
    return 0


def _evidence(options: argparse.Namespace) -> int:
    """The picture of one core, or of all."""
    from neonsim.arm.timing.validation.microbench import compare_measured, measured
    from neonsim.arm.timing.validation.published_loops import anchors
    from neonsim.render.pictures.networks.model_error import evidence

    name = load_core(options.name).name if options.name else None
    found = anchors(name)
    tables = [compare_measured(one) for one in measured() if name in (None, one)]
    seen = {row.anchor.core for row in found.rows}
    without = [] if name else [one for one in cores() if one not in seen and not load_core(one).teaching]
    evidence(found, tables, without).save(options.evidence)
    wrote(options.evidence, options)
    if options.json:
        print_json({"loops": [{"core": row.anchor.core, "name": row.anchor.name, "unit": row.anchor.unit,
                               "measured": row.anchor.measured, "modelled": row.modelled, "llvm_mca": row.llvm,
                               "error": row.error(row.modelled)} for row in found.rows], "without": without})
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


def _measured(name: str | None, as_json: bool) -> int:
    """The models against the tables: 1 if a value is off that is not excluded with a reason, else 0."""
    from neonsim.arm.timing.validation.microbench import compare_measured, measured

    names = [name] if name else measured()
    found = [compare_measured(name) for name in names]
    if as_json:
        print_json({c.core: [{"form": v.form, "class": v.timing, "what": v.what, "measured": v.measured,
                              "modelled": round(v.modelled, 3), "agrees": v.agrees, "excluded": v.reason or None}
                             for v in c.values] for c in found})
    else:
        tables = [f"{core.name}: {core.measured.table}" for core in map(load_core, names) if core.measured]
        print(f"latency within 0.5 cycle, throughput within 5 %; {', '.join(tables)}")
        print(*found, sep="\n")
    return int(any(c.wrong or c.needless for c in found))


def _anchors(name: str | None, as_json: bool) -> int:
    from neonsim.arm.timing.validation.published_loops import anchors

    if name is not None:
        load_core(name)                 # a name that is not there is told with the nearest one
    found = anchors(name)
    if as_json:
        print_json([{"core": r.anchor.core, "loop": r.anchor.name, "unit": r.anchor.unit, "measured": r.anchor.measured,
                     "modelled": r.modelled, "llvm_mca": r.llvm} for r in found.rows])
    else:
        print(found)
    return 0


def _memory(name: str | None, as_json: bool) -> int:
    from neonsim.arm.timing.validation.memory_boards import boards, boards_report

    name = name and load_core(name).name
    if as_json:
        print_json([{"core": r.core, "board": r.board, "what": r.what, "unit": r.unit, "measured": r.measured,
                     "modelled": r.modelled, "used": r.used, "source": r.source} for r in boards(name)])
    else:
        print(boards_report(name))
    return 0


def _check(names: list[str], as_json: bool) -> int:
    """What a core file does not know: 1 if an instruction has no price somewhere, else 0."""
    from neonsim.arm.isa import meanings

    used = {m.timing.format(count=n) for m in meanings().values() for n in range(1, 5)}
    found = {}
    for name in names:
        core = load_core(name)
        missing, unknown = core.check()
        found[name] = {"unpriced": sorted({*missing, *(used - core.known())}), "unknown": unknown,
                       "assumed": core.assumed()}
    if as_json:
        print_json(found)
    else:
        for name, lists in found.items():
            print(f"{name}: " + ", ".join(f"{len(rows)} {word}" for word, rows in lists.items()))
            for word, rows in lists.items():
                if rows:
                    print(textwrap.fill(", ".join(rows), 110, initial_indent=f"  {word:10s}",
                                        subsequent_indent=" " * 12))
        print("unpriced: no number; unknown: a placeholder; assumed: no source read here has it for this core. "
              "Every other number names its source: `neonsim cores NAME`.")
    return int(any(lists["unpriced"] for lists in found.values()))
