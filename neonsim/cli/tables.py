"""`neonsim isa`, `kernels` and `cores`: what there is."""

from __future__ import annotations

import argparse
import difflib
import inspect
import textwrap
from typing import Any

from neonsim.errors import BadArgument
from neonsim.isa import FAMILIES, Meaning, forms, meanings
from neonsim.timing import cores, load_core
from neonsim.timing.anchors import anchors
from neonsim.timing.microbench import MEASURED, compare_measured
from neonsim.ukernel import kernel, kernels

from .words import ISAS, command, print_json

__all__ = ["add_commands"]


def add_commands(commands: Any) -> None:
    isa = command(commands, "isa", "the instructions that are emulated, and their manual pages",
                  "neonsim isa smlal")
    isa.add_argument("word", nargs="?", help="a mnemonic (smlal, vmlal), a function name (mlal) or a part of one")
    isa.add_argument("--isa", choices=ISAS, help="one instruction set only")
    isa.add_argument("--page", metavar="FAMILY", help="the page of a family: "
                     + " ".join(f.__name__.rpartition(".")[2] for f in FAMILIES))
    isa.add_argument("--json", action="store_true")
    isa.set_defaults(run=_isa)

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


def _isa(options: argparse.Namespace) -> int:
    wanted = [options.isa] if options.isa else list(ISAS)
    if options.page:
        return _page(options.page, wanted)
    chosen = _matching(options.word, wanted)
    if options.json:
        print_json([{"name": m.name, "family": m.family, "summary": m.doc.splitlines()[0], "timing": m.timing,
                     "forms": {isa: [f.template for f in forms(isa) if f.meaning is m] for isa in wanted}}
                    for m in chosen])
        return 0
    if options.word and len(chosen) <= 3:
        print("\n\n".join(_entry(m, wanted) for m in chosen))
        return 0
    for module in FAMILIES:
        family = module.__name__.rpartition(".")[2]
        rows = [m for m in chosen if m.family == family]
        if rows:
            print(f"{family}: {(inspect.getdoc(module) or '').splitlines()[0]}")
            for m in rows:
                spelled = sorted({f.template.split()[0].partition(".")[0] for isa in wanted for f in forms(isa)
                                  if f.meaning is m})
                print(f"  {m.name:18s} {m.doc.splitlines()[0]:58.58s} {' '.join(spelled)}")
    total = {isa: sum(1 for f in forms(isa) if f.meaning in chosen) for isa in wanted}
    print(f"{len(chosen)} instructions, " + ", ".join(f"{n} forms on {isa}" for isa, n in total.items()))
    return 0


def _matching(word: str | None, wanted: list[str]) -> list[Meaning]:
    """Meanings whose name or mnemonic is the word, or contains it."""
    listed = {isa: forms(isa) for isa in wanted}
    there = [m for m in meanings().values() if any(f.meaning is m for isa in wanted for f in listed[isa])]
    if word is None:
        return there
    low = word.lower().partition(".")[0]
    spelled: dict[str, set[str]] = {m.name: {m.name} for m in there}
    for isa in wanted:
        for form in listed[isa]:
            spelled[form.name] |= set(form.spellings)
    exact = [m for m in there if low in spelled[m.name]]
    found = exact or [m for m in there if any(low in s for s in spelled[m.name])]
    if not found:
        near = difflib.get_close_matches(low, {s for names in spelled.values() for s in names}, 4)
        raise BadArgument(f"there is no instruction {word!r} here"
                          + (f": did you mean {' or '.join(near)}?" if near else ". `neonsim isa` lists them all."))
    return found


def _entry(meaning: Meaning, wanted: list[str]) -> str:
    lines = [f"{meaning.name}  (family {meaning.family}, timing class {meaning.timing})", ""]
    lines += [f"  {line}".rstrip() for line in meaning.doc.splitlines()]
    for isa in wanted:
        templates = [f.readable for f in forms(isa) if f.meaning is meaning]
        if templates:
            lines += ["", f"  {isa}", *(f"    {t}" for t in templates)]
    return "\n".join(lines)


def _page(family: str, wanted: list[str]) -> int:
    modules = {m.__name__.rpartition(".")[2]: m for m in FAMILIES}
    if family not in modules:
        raise BadArgument(f"there is no family {family!r}: {', '.join(modules)}.")
    print(inspect.getdoc(modules[family]))
    for m in meanings().values():
        if m.family == family and any(f.meaning is m for isa in wanted for f in forms(isa)):
            print("\n" + _entry(m, wanted))
    return 0


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
        return _measured([options.name] if options.name else list(MEASURED), options.json)
    if options.anchors:
        return _anchors(options.name, options.json)
    if options.check:
        return _check([options.name] if options.name else list(cores()), options.json)
    if options.name:
        core = load_core(options.name)
        print(f"{core.name}: {core.title}\n\n{core.picture}\n\n{core.notes}\n\nsources:")
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


def _measured(names: list[str], as_json: bool) -> int:
    """The models against the tables: 1 if a value is off that is not excluded with a reason, else 0."""
    found = [compare_measured(name) for name in names]
    if as_json:
        print_json({c.core: [{"form": v.form, "class": v.timing, "what": v.what, "measured": v.measured,
                              "modelled": round(v.modelled, 3), "agrees": v.agrees, "excluded": v.reason or None}
                             for v in c.values] for c in found})
    else:
        print("latency within 0.5 cycle, throughput within 5 %; insn_bench (A53, A72, N1), Arm's guide (A55)")
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
        print("unpriced: no number; unknown: a placeholder; assumed: nobody measured or published it for this core. "
              "Every other number names its source: `neonsim cores NAME`.")
    return int(any(lists["unpriced"] for lists in found.values()))
