"""The manual of instructions: a page for each family, a heading for each instruction, so that search finds both."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

from neonsim.arm.isa import FAMILIES, Semantics, all_semantics, forms
from neonsim.render.manual.card import write_card
from neonsim.render.manual.pages import (
    ISAS,
    coverage_table,
    example_of,
    heading_of,
    introduction_of,
    members,
    name_of,
    use_of,
)

from .play.instruction import link_of
from .text import docstring, escaped, left_out, raw

__all__ = ["write"]

MAX_MNEMONICS = 8  # mnemonics of a heading: with their conditions and S there would be dozens
MAIN = ("simd-multiply",)   # families that the main pages have
CARD = ('To be printed, one sheet: <a href="../card.html">the card of those that the kernels use</a>.\n\n')


def write(sources: Path, *, whole: bool = True) -> None:
    """instructions/: an index and a page for each family; runs/card.html: one sheet for printing.

    whole   bool   False: the families of MAIN, and no card
    """
    folder = sources / "instructions"
    folder.mkdir()
    families = [module for module in FAMILIES if whole or _file(module) in MAIN]
    for module in families:
        (folder / f"{_file(module)}.md").write_text(_family(module), "utf-8")
    if whole:
        (sources / "runs").mkdir(exist_ok=True)
        write_card(sources / "runs" / "card.html")
    missing = [] if whole else ["the card, one sheet to be printed",
                                *(heading_of(module) for module in FAMILIES if module not in families)]
    counts = [len(forms(isa)) for isa in ISAS]
    names = "\n".join(_file(module) for module in families)
    (folder / "index.md").write_text(
        f"# Instructions\n\n{len(all_semantics())} instructions, {counts[0]} forms of AArch64 and {counts[1]} of "
        "AArch32 (counted). Each entry shows what the instruction computes, its syntax, its operands, and a picture "
        "of an example. "
        f"{CARD if whole else left_out(missing)}"
        f"```{{toctree}}\n:maxdepth: 1\n\n{names}\n```\n\n## Arm's list\n\n"
        + raw("\n".join(coverage_table())), "utf-8")


def _file(module: ModuleType) -> str:
    return name_of(module).replace("/", "-")


def _family(module: ModuleType) -> str:
    parts = [f"# {escaped(heading_of(module))}\n", docstring(introduction_of(module))]
    for meaning in members(module):
        found = _mnemonics(meaning)
        # With ! an entry counts as much as a heading, and search leads to it.
        parts.append(f"```{{index}} {', '.join(f'!{word}' for word in found)}\n```\n\n"
                     f"({_file(module)}-{meaning.name})=\n## {escaped(', '.join(found[:MAX_MNEMONICS]))}\n")
        summary, _, rest = meaning.doc.partition("\n")
        parts += [escaped(summary), docstring(rest), raw("\n".join([*use_of(meaning), *_link(meaning, summary)]))]
    return "\n\n".join(parts) + "\n"


def _link(meaning: Semantics, summary: str) -> list[str]:
    example = example_of(meaning)
    link = link_of(example, summary) if example is not None else ""
    return [f'<p><a href="../play/index.html#{link}">Open it in the playground</a></p>'] if link else []


def _mnemonics(meaning: Semantics) -> list[str]:
    """Those of both instruction sets, as one would look for them."""
    return list(dict.fromkeys(word.upper().partition(".")[0] for isa in ISAS for form in forms(isa)
                              if form.semantics is meaning for word in form.spellings)) or [meaning.name.upper()]
