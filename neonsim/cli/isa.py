"""`neonsim isa`: the instructions, their manual, and Arm's list against it."""

from __future__ import annotations

import argparse
import difflib
import inspect
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from neonsim.arm.isa import FAMILIES, Semantics, all_semantics, family_name, forms, mnemonics
from neonsim.errors import BadArgument

from .options import ISAS, add_output, answer, command, command_group, print_json

__all__ = ["add_commands"]


def _shorthand(words: Sequence[str]) -> str:
    return "show"


def add_commands(commands: Any) -> None:
    group = command_group(commands, "isa", "neonsim isa smlal\n  neonsim isa page simd/multiply\n"
                          "  neonsim isa coverage bfloat16",
                          "`neonsim isa WORD` is short for `neonsim isa show WORD`.", _shorthand)

    show = command(group, "show", "Show the instructions that match a word, or list all.", "neonsim isa show smlal")
    show.add_argument("word", nargs="?", help="A mnemonic (smlal, vmlal), a function name (mlal), or part of one.")
    show.set_defaults(run=_show)

    page = command(group, "page", "Show the manual page of one family.", "neonsim isa page simd/multiply",
                   textwrap.fill("Families: " + ", ".join(family_name(f.__name__) for f in FAMILIES), 110))
    page.add_argument("family", metavar="FAMILY", help="Name of the family, or its last part.")
    page.set_defaults(run=_page)

    coverage = command(group, "coverage", "Compare Arm's list of instructions with those that are emulated.",
                       "neonsim isa coverage\n  neonsim isa coverage bfloat16")
    coverage.add_argument("family", nargs="?", metavar="FAMILY", help="List the instructions of this family of Arm's.")
    coverage.set_defaults(run=_coverage)
    for parser in (show, page, coverage):
        parser.add_argument("--isa", choices=ISAS, help="Take one instruction set only.")

    pages = command(group, "pages", "Write the manual as web pages: one for each family, and an index.",
                    "neonsim isa pages manual")
    add_output(pages, "folder", folder=True, help="Folder for the pages.")
    pages.set_defaults(run=_pages)

    card = command(group, "card", "Write a card of the instructions that the kernels use, to be printed.",
                   "neonsim isa card card.html")
    add_output(card, "file", help="File for the card, one sheet.")
    card.set_defaults(run=_card)


def _wanted(options: argparse.Namespace) -> list[str]:
    return [options.isa] if options.isa else list(ISAS)


def _coverage(options: argparse.Namespace) -> int:
    from .isa_coverage import show_coverage  # a word needs no list of Arm's

    return show_coverage(_wanted(options), options.family, options.json)


def _pages(options: argparse.Namespace) -> int:
    from neonsim.render.manual.pages import write_manual

    page = write_manual(Path(options.folder))
    answer(f"wrote {page}", {"wrote": str(page)}, options)
    return 0


def _card(options: argparse.Namespace) -> int:
    from neonsim.render.manual.card import write_card

    card = write_card(options.file)
    answer(f"wrote {card}", {"wrote": str(card)}, options)
    return 0


def _show(options: argparse.Namespace) -> int:
    wanted = _wanted(options)
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
    total = {isa: sum(1 for f in forms(isa) if f.semantics in chosen) for isa in wanted}
    print(f"{len(chosen)} instructions, " + ", ".join(f"{n} forms on {isa}" for isa, n in total.items()))
    return 0


def _matching(word: str | None, wanted: list[str]) -> list[Semantics]:
    """Meanings whose name or mnemonic is the word, or contains it."""
    spelled: dict[str, set[str]] = {}
    for isa in wanted:
        for written, meant in mnemonics(isa).items():
            for meaning in meant:
                spelled.setdefault(meaning.name, {meaning.name}).add(written.rstrip("."))
    there = [m for m in all_semantics().values() if m.name in spelled]
    if word is None:
        return there
    low = word.lower().partition(".")[0]
    exact = [m for m in there if low in spelled[m.name]]
    found = exact or [m for m in there if any(low in s for s in spelled[m.name])]
    if not found:
        near = difflib.get_close_matches(low, {s for names in spelled.values() for s in names}, 4)
        raise BadArgument(f"unknown instruction {word!r}"
                          + (f": did you mean {' or '.join(near)}?" if near else ". `neonsim isa` lists them all."))
    return found


def _entry(meaning: Semantics, wanted: list[str]) -> str:
    lines = [f"{meaning.name}  (family {meaning.family}, timing class {meaning.timing})", ""]
    lines += [f"  {line}".rstrip() for line in meaning.doc.splitlines()]
    for isa in wanted:
        templates = [line for f in forms(isa, meaning) for line in f.arm_syntax]
        if templates:
            lines += ["", f"  {isa}", *(f"    {t}" for t in templates)]
    return "\n".join(lines)


def _row(meaning: Semantics, wanted: list[str]) -> dict[str, Any]:
    return {"name": meaning.name, "family": meaning.family, "summary": meaning.doc.splitlines()[0],
            "timing": meaning.timing,
            "forms": {isa: [f.template for f in forms(isa, meaning)] for isa in wanted}}


def _page(options: argparse.Namespace) -> int:
    family, wanted = options.family, _wanted(options)
    modules = {family_name(m.__name__): m for m in FAMILIES}
    alike = [name for name in modules if family in (name, name.partition("/")[2])]
    if len(alike) > 1:
        raise BadArgument(f"{len(alike)} families have the name {family!r}: {' and '.join(alike)}.")
    if not alike:
        raise BadArgument(f"unknown family {family!r}; use {', '.join(modules)}.")
    family = alike[0]
    text = inspect.getdoc(modules[family]) or ""
    listed = [m for m in all_semantics().values()
              if m.family == family and any(forms(isa, m) for isa in wanted)]
    answer(lambda: "\n\n".join([text, *(_entry(m, wanted) for m in listed)]),
           lambda: {"family": family, "page": text,
                    "instructions": [{**_row(m, wanted), "doc": m.doc} for m in listed]}, options)
    return 0
