"""The reference card: the instructions that the kernels here use, to be printed on paper."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path

from neonsim.arm.isa import FAMILIES, Form, Semantics
from neonsim.common.fileio import write_file
from neonsim.render.html import sheet
from neonsim.ukernel import kernels

from .pages import ISAS, heading_of, members

__all__ = ["card_page", "used_forms", "write_card"]

MAX_LINES = 2  # lines that an instruction takes up for each set: how it is written most often

CSS = """:root { color-scheme: light dark; --ink: light-dark(#1c2128, #e3e8ee); --soft: light-dark(#57606a, #9aa6b2);
  --line: light-dark(#d0d7de, #343c46); }
@page { size: A4 landscape; margin: 8mm; }
body { margin: 12px auto; max-width: 1500px; padding: 0 12px; color: var(--ink); background: light-dark(#fff, #14181d);
  font: 12px/1.35 system-ui, "DejaVu Sans", sans-serif; }
main { columns: 34rem; column-gap: 18px; }
h1 { font-size: 1.4em; margin: 0 0 2px; } p { margin: 0 0 8px; color: var(--soft); }
h2 { font-size: 1.05em; margin: 8px 0 2px; break-after: avoid; border-bottom: 1px solid var(--line); }
dl { margin: 0; display: grid; grid-template-columns: 1fr 1fr; gap: 0 8px; break-inside: avoid; padding: 1px 0; }
dt { grid-column: 1 / 3; } dd { margin: 0 0 0 1em; overflow-wrap: anywhere; }
code { font: 0.92em/1.3 ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
@media print { :root { color-scheme: light; } body { font-size: 7.4px; margin: 0; padding: 0; max-width: none; }
  main { columns: 3; column-gap: 12px; } h1 { font-size: 13px; } }"""


def write_card(path: str | Path) -> Path:
    """Write the card as a page, A4 on its side when printed; returns its path.

    Raises BadArgument if the file cannot be written.
    """
    return write_file(path, card_page())


def used_forms() -> dict[str, dict[str, list[Form]]]:
    """{name of an instruction: {instruction set: its forms in kernels, most used first}} (counted in their text)."""
    counts: dict[str, dict[str, dict[str, tuple[int, Form]]]] = {}
    for kernel in kernels():
        for instruction in kernel.program().instructions:
            form = instruction.form
            forms = counts.setdefault(form.semantics.name, {}).setdefault(kernel.isa, {})
            forms[form.template] = (forms.get(form.template, (0, form))[0] + 1, form)
    return {name: {isa: [form for _, form in sorted(found.values(), key=lambda one: -one[0])]
                   for isa, found in by_isa.items()} for name, by_isa in counts.items()}


def card_page() -> str:
    """Return the card's HTML: a block for each instruction, what it does above how it is written, AArch64 beside
    AArch32."""
    used = used_forms()
    body = [f"<h1>Instructions of neonsim's kernels</h1><p>{len(used)} instructions (counted: those that its kernels "
            "use). Left AArch64, right AArch32; what else each can be is in the manual, <code>neonsim isa NAME</code>."
            "</p><main>"]
    for module in FAMILIES:
        own = [meaning for meaning in members(module) if meaning.name in used]
        if own:
            body += [f"<h2>{escape(heading_of(module))}</h2>", *_entries(own, used)]
    return sheet("neonsim: reference card", "\n".join([*body, "</main>"]), css=CSS)


def _entries(own: Iterable[Semantics], used: dict[str, dict[str, list[Form]]]) -> Iterator[str]:
    for meaning in own:
        cells = "".join(f"<dd>{'<br>'.join(_lines(used[meaning.name].get(isa, [])))}</dd>" for isa in ISAS)
        yield f"<dl><dt>{escape(meaning.doc.partition(chr(10))[0])}</dt>{cells}</dl>"


def _lines(forms: Iterable[Form]) -> list[str]:
    written = dict.fromkeys(form.arm_syntax[0] for form in forms)
    return [f"<code>{escape(line)}</code>" for line in list(written)[:MAX_LINES]] or ["-"]
