"""`neonsim kernels` and `cores`: what there is."""

from __future__ import annotations

import argparse
import textwrap
from typing import Any

from neonsim.isa import meanings
from neonsim.timing import Core, cores, load_core
from neonsim.timing.anchors import anchors
from neonsim.timing.microbench import compare_measured, measured
from neonsim.ukernel import kernel, kernels

from .options import command, print_json

__all__ = ["add_commands"]


def add_commands(commands: Any) -> None:
    listing = command(commands, "kernels", "the kernels of the catalogue",
                      "neonsim kernels --explain qu8_gemm_q31_8x8__aarch64_neon_mlal_lane")
    listing.add_argument("name", nargs="?", help="show one kernel's text")
    listing.add_argument("--explain", metavar="NAME", help="read a kernel's name aloud")
    listing.add_argument("--json", action="store_true")
    listing.set_defaults(run=_kernels)

    core = command(commands, "cores", "the cores that are modelled", "neonsim cores cortex-a53")
    core.add_argument("name", nargs="?", help="show one core: its picture and where its numbers come from")
    core.add_argument("--check", action="store_true",
                      help="list what is unpriced, unknown or assumed, in all cores or in one")
    core.add_argument("--measured", action="store_true",
                      help="hold the models against measured and published tables of single instructions")
    core.add_argument("--anchors", action="store_true",
                      help="hold the models against published speeds of loops, llvm-mca's figures beside ours")
    core.add_argument("--json", action="store_true")
    core.set_defaults(run=_cores)


def _kernels(options: argparse.Namespace) -> int:
    if options.explain:
        print(kernel(options.explain).explain())
        return 0
    if options.name:
        print(kernel(options.name).source, end="")
        return 0
    listed = kernels()
    if options.json:
        print_json([{"name": k.name, "contract": k.contract.name, "tile": str(k.tile), "isa": k.isa,
                     "summary": k.header.summary, "path": str(k.path)} for k in listed])
        return 0
    for k in listed:
        print(f"{k.name}\n    {k.header.summary}")
    return 0


def _cores(options: argparse.Namespace) -> int:
    if options.measured:
        return _measured([options.name] if options.name else measured(), options.json)
    if options.anchors:
        return _anchors(options.name, options.json)
    if options.check:
        return _check([options.name] if options.name else list(cores()), options.json)
    if options.name:
        core = load_core(options.name)
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
    return 0


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


def _measured(names: list[str], as_json: bool) -> int:
    """The models against the tables: 1 if a value is off that is not excluded with a reason, else 0."""
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
    if name is not None:
        load_core(name)                 # a name that is not there is told with the nearest one
    found = anchors(name)
    if as_json:
        print_json([{"core": r.anchor.core, "loop": r.anchor.name, "unit": r.anchor.unit, "measured": r.anchor.measured,
                     "modelled": r.modelled, "llvm_mca": r.llvm} for r in found.rows])
    else:
        print(found)
    return 0


def _check(names: list[str], as_json: bool) -> int:
    """What a core file does not know: 1 if an instruction has no price somewhere, else 0."""
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
