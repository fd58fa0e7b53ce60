"""`neonsim isa`: the instructions, their manual, and Arm's list against it."""

from __future__ import annotations

import argparse
import difflib
import inspect
from pathlib import Path
from typing import Any

from neonsim.arm.isa import FAMILIES, Semantics, family_name, forms, meanings, mnemonics
from neonsim.errors import BadArgument

from .parts.options import ISAS, add_output, answer, print_json, top_command

__all__ = ["add_commands"]


def add_commands(commands: Any) -> None:
    isa = top_command(commands, "isa", "neonsim isa smlal")
    isa.add_argument("word", nargs="?", help="a mnemonic (smlal, vmlal), a function name (mlal) or a part of one")
    isa.add_argument("--isa", choices=ISAS, help="one instruction set only")
    isa.add_argument("--page", metavar="FAMILY", help="the page of a family: "
                     + " ".join(family_name(f.__name__) for f in FAMILIES))
    isa.add_argument("--coverage", nargs="?", const="", metavar="FAMILY",
                     help="Arm's list against what is here: all families, or one")
    add_output(isa, "--html", folder=True, help="write the manual: a page for each family, and an index")
    add_output(isa, "--card", help="write a card of the instructions that the kernels use: one sheet, to be printed")
    isa.set_defaults(run=_isa)


def _isa(options: argparse.Namespace) -> int:
    wanted = [options.isa] if options.isa else list(ISAS)
    if options.coverage is not None:
        from .parts.isa_coverage import show_coverage  # a word needs neither Arm's list nor what draws

        return show_coverage(wanted, options.coverage, options.json)
    if options.html:
        from neonsim.render.manual.pages import write_manual

        page = write_manual(Path(options.html))
        answer(f"wrote {page}", {"wrote": str(page)}, options)
        return 0
    if options.card:
        from neonsim.render.manual.card import write_card

        card = write_card(options.card)
        answer(f"wrote {card}", {"wrote": str(card)}, options)
        return 0
    if options.page:
        return _page(options, wanted)
    chosen = _matching(options.word, wanted)
    if options.json:
        print_json([_row(m, wanted) for m in chosen])
        return 0
    if options.word and len(chosen) <= 3:
        print("\n\n".join(_entry(m, wanted) for m in chosen))
        return 0
    for module in FAMILIES:
        family = family_name(module.__name__)
        rows = [m for m in chosen if m.family == family]
        if rows:
            print(f"{family}: {(inspect.getdoc(module) or '').splitlines()[0]}")
            for m in rows:
                spelled = sorted({f.template.split()[0].partition(".")[0] for isa in wanted for f in forms(isa, m)})
                print(f"  {m.name:18s}  {m.doc.splitlines()[0].rstrip('.')}: {' '.join(spelled)}")
    total = {isa: sum(1 for f in forms(isa) if f.meaning in chosen) for isa in wanted}
    print(f"{len(chosen)} instructions, " + ", ".join(f"{n} forms on {isa}" for isa, n in total.items()))
    return 0


def _matching(word: str | None, wanted: list[str]) -> list[Semantics]:
    """Meanings whose name or mnemonic is the word, or contains it."""
    spelled: dict[str, set[str]] = {}
    for isa in wanted:
        for written, meant in mnemonics(isa).items():
            for meaning in meant:
                spelled.setdefault(meaning.name, {meaning.name}).add(written.rstrip("."))
    there = [m for m in meanings().values() if m.name in spelled]
    if word is None:
        return there
    low = word.lower().partition(".")[0]
    exact = [m for m in there if low in spelled[m.name]]
    found = exact or [m for m in there if any(low in s for s in spelled[m.name])]
    if not found:
        near = difflib.get_close_matches(low, {s for names in spelled.values() for s in names}, 4)
        raise BadArgument(f"there is no instruction {word!r} here"
                          + (f": did you mean {' or '.join(near)}?" if near else ". `neonsim isa` lists them all."))
    return found


def _entry(meaning: Semantics, wanted: list[str]) -> str:
    lines = [f"{meaning.name}  (family {meaning.family}, timing class {meaning.timing})", ""]
    lines += [f"  {line}".rstrip() for line in meaning.doc.splitlines()]
    for isa in wanted:
        templates = [line for f in forms(isa, meaning) for line in f.written]
        if templates:
            lines += ["", f"  {isa}", *(f"    {t}" for t in templates)]
    return "\n".join(lines)


def _row(meaning: Semantics, wanted: list[str]) -> dict[str, Any]:
    return {"name": meaning.name, "family": meaning.family, "summary": meaning.doc.splitlines()[0],
            "timing": meaning.timing,
            "forms": {isa: [f.template for f in forms(isa, meaning)] for isa in wanted}}


def _page(options: argparse.Namespace, wanted: list[str]) -> int:
    family = options.page
    modules = {family_name(m.__name__): m for m in FAMILIES}
    alike = [name for name in modules if family in (name, name.partition("/")[2])]
    if len(alike) > 1:
        raise BadArgument(f"there are {len(alike)} families {family!r}: {' and '.join(alike)}.")
    if not alike:
        raise BadArgument(f"there is no family {family!r}: {', '.join(modules)}.")
    family = alike[0]
    text = inspect.getdoc(modules[family]) or ""
    listed = [m for m in meanings().values()
              if m.family == family and any(forms(isa, m) for isa in wanted)]
    answer(lambda: "\n\n".join([text, *(_entry(m, wanted) for m in listed)]),
           lambda: {"family": family, "page": text,
                    "instructions": [{**_row(m, wanted), "doc": m.doc} for m in listed]}, options)
    return 0
