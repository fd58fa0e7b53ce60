"""The manual as pages: one for each family of instructions, and an index with Arm's list beside it.

Plain HTML that asks for nothing: no script, no font, no picture from elsewhere. What an instruction does is its
docstring, its syntax the templates, its picture the dataflow of an example.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Sequence
from functools import cache
from html import escape
from itertools import islice, product
from pathlib import Path
from types import ModuleType

from neonsim.arm.isa import (
    FAMILIES,
    Address,
    CoreRegister,
    Form,
    Immediate,
    Instruction,
    Operand,
    RegisterList,
    Semantics,
    SourcePosition,
    Symbol,
    VectorRegister,
    all_semantics,
    family_name,
    forms,
    select_form,
)
from neonsim.arm.isa.coverage import families, listed
from neonsim.arm.timing.cores.instruction_classes import CLASSES
from neonsim.common.fileio import make_folder, write_file
from neonsim.errors import NeonsimError
from neonsim.render.html import sheet
from neonsim.render.pictures.lanes import lanes_picture
from neonsim.render.stepper.bundle import static_text

__all__ = ["ISAS", "coverage_table", "family_page", "heading_of", "index_page", "introduction_of", "members", "name_of",
           "use_of", "write_manual"]

ISAS = ("aarch64", "aarch32")
TRIES = 400  # combinations of operands that are tried to find an example of a form
SUFFIXES = ("", ".f32", ".bf16.f32", ".ne")  # of mnemonics whose forms leave one open
_WIDEST = 900  # px: a wider picture is left out

BODY = """<a class="skip" href="#content">To the content</a>
<nav aria-label="Families"><a href="index.html">Instructions</a>{links}</nav>
<main id="content">
{body}
</main>"""


def write_manual(folder: Path) -> Path:
    """Write index.html and a page for each family into a folder, which is made if need be; returns the index.

    Raises BadArgument if the folder cannot be made or written to.
    """
    make_folder(folder)
    for module in FAMILIES:
        write_file(folder / _file(module), family_page(module))
    return write_file(folder / "index.html", index_page())


def name_of(module: ModuleType) -> str:
    """Return the family's name: its room and its file."""
    return family_name(module.__name__)


def _file(module: ModuleType) -> str:
    return name_of(module).replace("/", "-") + ".html"


def _page(title: str, body: list[str], current: str = "") -> str:
    links = "".join(f'<a href="{_file(m)}"{" aria-current=page" if name_of(m) == current else ""}>'
                    f"{name_of(m)}</a>" for m in FAMILIES)
    return sheet(title, BODY.format(links=links, body="\n".join(body)), css=static_text("manual.css"))


def index_page() -> str:
    """All families with their instructions, and what of Arm's list is here."""
    counts = [len(forms(isa)) for isa in ISAS]
    body = ["<h1>Instructions</h1>",
            f"<p>{len(all_semantics())} instructions, {counts[0]} forms of AArch64 and {counts[1]} of AArch32: what "
            "each computes, how it is written, what it reads and writes, its timing class.</p>",
            _head_row("Family", "What", "Instructions")]
    for module in FAMILIES:
        own = members(module)
        links = " ".join(f'<a href="{_file(module)}#{m.name}">{escape(m.name)}</a>' for m in own)
        body.append(f'<tr><th scope=row><a href="{_file(module)}">{name_of(module)}</a>'
                    f"<td>{escape(heading_of(module))}<td>{links}</tr>")
    return _page("neonsim: instructions", [*body, "</tbody></table>", "<h2>Arm's list</h2>", *coverage_table()])


def coverage_table() -> list[str]:
    """Return what of Arm's list is here: a row a family, lines of HTML."""
    body = ["<p>Forms that are here, of all that Arm has: by mnemonic for base instructions.</p>",
            _head_row("Family", "AArch64", "AArch32")]
    for family in dict.fromkeys(row.family for isa in ISAS for row in listed(isa)):
        cells = "".join(f"<td>{_count(isa, family)}" for isa in ISAS)
        body.append(f"<tr><th scope=row>{escape(family)}{cells}</tr>")
    return [*body, "</tbody></table>"]


def _head_row(*names: str) -> str:
    """The beginning of a table."""
    return f"<table><thead><tr>{''.join(f'<th scope=col>{name}' for name in names)}</tr></thead><tbody>"


def _count(isa: str, family: str) -> str:
    rows = families(isa).get(family)
    if not rows:
        return ""
    here = sum(row.is_implemented for row in rows)
    return f"{here} of {len(rows)}" + (", left out" if rows[0].out_of_scope else ", not yet" if not here else "")


def heading_of(module: ModuleType) -> str:
    """Return the family in a line."""
    return (inspect.getdoc(module) or "").partition("\n")[0].rstrip(".")


def introduction_of(module: ModuleType) -> str:
    """Return what the family's file says of it under its heading."""
    return (inspect.getdoc(module) or "").partition("\n")[2]


def members(module: ModuleType) -> list[Semantics]:
    """Return the family's instructions."""
    return [m for m in all_semantics().values() if m.family == name_of(module)]


def family_page(module: ModuleType) -> str:
    """Return the family's own page, then its instructions."""
    family = name_of(module)
    body = [f"<h1>{escape(heading_of(module))}</h1>", *_blocks(introduction_of(module)),
            "<nav aria-label=Instructions><ul class=toc>",
            *(f'<li><a href="#{m.name}"><code>{escape(m.name)}</code></a>' for m in members(module)), "</ul></nav>"]
    for meaning in members(module):
        body += _entry(meaning)
    return _page(f"neonsim: {family}", body, family)


def _entry(meaning: Semantics) -> list[str]:
    summary, _, rest = meaning.doc.partition("\n")
    return [f'<section id="{meaning.name}"><h2><a href="#{meaning.name}"><code>{escape(meaning.name)}</code></a> '
            f"<span>{escape(summary)}</span></h2>", *_blocks(rest), *use_of(meaning), "</section>"]


def use_of(semantics: Semantics) -> list[str]:
    """Return how an instruction is written, its timing class, an example with its picture: lines of HTML."""
    own = {isa: forms(isa, semantics) for isa in ISAS}
    rows = "".join(f"<tr><td>{isa}<td>{_written(f)}<td>{_types(f)}</tr>" for isa in ISAS for f in own[isa])
    body = [f"{_head_row('Set', 'Written', 'Elements')}{rows}</tbody></table>",
            _timing(semantics, [f for isa in ISAS for f in own[isa]])]
    example = example_of(semantics)
    return [*body, *(_illustrated(example) if example is not None else [])]


def _written(form: Form) -> str:
    return "<br>".join(f"<code>{escape(line)}</code>" for line in form.arm_syntax)


def _types(form: Form) -> str:
    return escape(" ".join(dict.fromkeys(t.name for t in form.types)))


def _timing(meaning: Semantics, own: Sequence[Form]) -> str:
    names = dict.fromkeys(f.timing for f in own)
    texts = []
    for name in names:
        found = [CLASSES[n] for n in (name.format(count=k) for k in range(1, 5)) if n in CLASSES]
        texts += [f"<code>{row.name}</code> ({escape(row.text)})" for row in dict.fromkeys(found)]
    feature = f"; needs {escape(meaning.feature)}" if meaning.feature else ""
    return f"<p class=small>Timing class {', '.join(texts)}{feature}.</p>"


def _illustrated(example: Instruction) -> list[str]:
    """An example with what it reads and writes, and its picture."""
    uses = "".join(f"<dt>{word}<dd>{', '.join(_use(u) for u in found) or 'nothing'}"
                   for word, found in (("reads", example.reads), ("writes", example.writes)))
    body = [f"<p>For example <code>{escape(str(example))}</code></p>", f"<dl>{uses}</dl>"]
    try:
        picture = lanes_picture(example, isa=example.isa)
    except NeonsimError:
        return body
    width = re.search(r'width="([\d.]+)"', picture.svg)
    if width and float(width[1]) <= _WIDEST:
        body.append(f'<figure tabindex=0 aria-label="{escape(picture.description)}">{picture.svg}</figure>')
    return body


def _use(use: object) -> str:
    register, lanes = getattr(use, "register", ""), getattr(use, "lanes", None)
    if lanes is None or register[0] not in "vdq":
        return f"<code>{register}</code>"
    type_, first, count = lanes
    where = f"lanes {first} to {first + count - 1}" if count > 1 else f"lane {first}"
    return f"<code>{register}</code> ({where}, {type_})"


def _blocks(text: str) -> Iterator[str]:
    """A docstring's paragraphs: tables, formulas, examples, prose."""
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        lines = block.strip("\n").splitlines()
        while lines:
            kind = _kind(lines[0])
            length = next((i for i, line in enumerate(lines) if _kind(line) != kind and not line.startswith(" ")),
                          len(lines))
            part, lines = lines[:max(length, 1)], lines[max(length, 1):]
            if kind == "table":
                yield _table(part)
            elif kind == "code":
                yield f"<pre>{escape(chr(10).join(part))}</pre>"
            elif kind == "source":
                yield f"<p class=small>{escape(' '.join(part + lines))}</p>"
                lines = []
            else:
                yield f"<p>{escape(' '.join(line.strip() for line in part))}</p>"


def _kind(line: str) -> str:
    if line.startswith("|"):
        return "table"
    if "<-" in line or line.startswith((">>>", "...")):
        return "code"
    return "source" if line.startswith("Source:") else "prose"


def _table(lines: list[str]) -> str:
    rows = [[escape(cell.strip()) for cell in line.strip().strip("|").split("|")] for line in lines]
    body = "".join("<tr><th scope=row>" + "<td>".join(row) + "</tr>" for row in rows[2:])
    return f"{_head_row(*rows[0])}{body}</tbody></table>"


# ---- examples -------------------------------------------------------------------------------------------------------

@cache
def _examples() -> dict[str, Instruction]:
    """An instruction for each form that Arm's list has a shape of: the one with the fewest lanes."""
    found: dict[str, Instruction] = {}
    for isa in ISAS:
        for row in listed(isa):
            example = row.example if row.shape else None
            if example is not None and (example.form.template not in found
                                        or _lanes(example) < _lanes(found[example.form.template])):
                found[example.form.template] = example
    return found


def _lanes(instruction: Instruction) -> int:
    """How much there is to draw; a vector of four is nicer than a scalar."""
    counts = [lanes[2] for use in instruction.writes if (lanes := use.lanes) is not None]
    return abs(sum(counts) - 4)


def example_of(semantics: Semantics) -> Instruction | None:
    """Return an instruction of one of its forms; None where nothing that is tried is one."""
    return next(filter(None, (_example(form) for isa in ISAS for form in forms(isa, semantics))), None)


def _example(form: Form) -> Instruction | None:
    """An instruction of this form."""
    if form.template in _examples():
        return _examples()[form.template]
    isa = "aarch64" if form.isa == "a64" else "aarch32"
    choices = [_operands(isa, type(p).__name__, p.spec, n + 1) for n, p in enumerate(form.patterns)]
    for spelling, suffix in product(form.spellings, SUFFIXES):
        for operands in islice(product(*choices), TRIES):
            try:
                made = select_form(isa, spelling + suffix, list(operands), position=SourcePosition())
            except NeonsimError:
                continue
            if made.form is form:
                return made
    return None


def _operands(isa: str, pattern: str, spec: str, number: int) -> list[Operand]:
    """What could stand at one place of a base instruction."""
    core = "x" if isa == "aarch64" else "r"
    match pattern:
        case "GeneralRegister" | "Op2":  # some forms want an even register and the next one
            return [CoreRegister(kind, n) for n in (number, number + 1) for kind in ("wx" if isa == "aarch64" else "r")]
        case "Scalar" | "Vector32":
            return [VectorRegister(kind, number) for kind in "sdhq"]
        case "Zero":
            return [Immediate(0.0)]
        case "NamedRegister":
            return [Symbol(spec.removeprefix("="))]
        case "ImmediatePattern":
            return [Immediate(value) for value in (1, 0, 4, 8, 16)]
        case "MemoryOperand" if spec == "literal":
            return [Symbol("label")]
        case "MemoryOperand" if spec == "block":
            return [CoreRegister(core, 0)]
        case "MemoryOperand" if spec.startswith("ldm"):
            return [CoreRegister(core, 0, writeback=True)]
        case "MemoryOperand":
            return [Address(CoreRegister(core, 5))]
        case "RegList":
            return [RegisterList((CoreRegister("r", 4), CoreRegister("r", 5)))]
        case "Cond":
            return [Symbol("ne")]
        case "Label":
            return [Symbol("label")]
        case "NamedOperand":
            return [Symbol(word) for word in ("pldl1keep", "ish", "sy", "c", "csync", "zva", "cvau", "ivau")]
        case "Identity":
            return [Symbol("ctr_el0")]
    return []
