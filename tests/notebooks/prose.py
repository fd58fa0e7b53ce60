"""What the prose of a notebook says: its numbers, its claims, its links, its exercises.

A number in prose is computed by a cell of the same notebook, or it is a name (v0.h[2], 4x8, int8, Cortex-A72), part of
code, or one of the few that need no computing: the width of a lane, a notebook of the course.

A claim is a sentence with a word that is easily said and often not quite true: faster, cheaper, costs, free, gains,
best, only, never, always, nothing, nobody, everything (all in CLAIM). It carries a mark, a comment that readers do not
see, which says what it rests on:

    <!-- shown: TEXT -->        a cell of the notebook shows this text (several: shown: ONE | ANOTHER)
    <!-- source: WORDS -->      docs/sources.md says these words
    <!-- by definition -->      what a word, an instruction or a contract means; what the text is about

Questions, headings, the line of time and the closing list of skills claim nothing. What is not in the list is judged by
its readers: `more`, `same`, `all`, `no` stand in every second sentence.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from typing import Any

# Widths of lanes and registers in bits, their lanes and bytes, and what everybody counts on the fingers.
KNOWN = {"0", "1", "2", "4", "8", "9", "16", "32", "64", "128", "255"}
# What is written between these is code, a formula, an address or a picture, not a number in a sentence.
NOT_PROSE = (r"```.*?```", r"`[^`]*`", r"\$[^$]*\$", r"\]\([^)]*\)", r"<!--.*?-->",
             r"\b\d+\*\*\d+\b")
# A word with letters in it is a name, and so is "3x3".
CLAIM = re.compile(r"\b(?:cheap(?:er|est)?|dear(?:er|est)?|fast(?:er|est)|slow(?:er|est)|costs?|costing|free|pays?|"
                   r"gains?|gained|wins?|loses?|best|worse|worst|only|never|always|nothing|nobody|none|everything|"
                   r"impossible|at all)\b", re.I)
MARK = re.compile(r"<!-- (by definition|shown: .+?|source: .+?) -->", re.S)
NUMBER = re.compile(r"(?<![\w.,/^-])[-+]?\d+(?:[ ,]\d{3})*(?:\.\d+)?(?![\w^/]|\.\d)")


def text(cell: Mapping[str, Any]) -> str:
    source = cell["source"]
    return source if isinstance(source, str) else "".join(source)


def markdown(notebook: Mapping[str, Any]) -> Iterator[str]:
    return (text(cell) for cell in notebook["cells"] if cell["cell_type"] == "markdown")


def numbers(prose: str) -> list[str]:
    """The numbers that its sentences say."""
    for pattern in NOT_PROSE:
        prose = re.sub(pattern, " ", prose, flags=re.S)
    # "1." opens an item of a list; a heading may be numbered; the line of time and prerequisites is checked elsewhere.
    prose = re.sub(r"^\s*\d+\.\s", " ", prose, flags=re.M)
    prose = re.sub(r"^\*\*Time\*\*.*$|\b[Nn]otebooks? \d+(?: (?:to|and) \d+)?", " ", prose, flags=re.M)
    return [found.group().replace(" ", "").replace(",", "") for found in NUMBER.finditer(prose)]


def computed(notebook: Mapping[str, Any]) -> set[str]:
    """The numbers that its cells show: printed, in tables, in pictures."""
    shown = []
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            parts = [output.get("text", ""), *output.get("data", {}).values()]
            for part in parts:
                joined = "".join(part) if isinstance(part, list) else part
                if isinstance(joined, str):
                    shown.append(html.unescape(re.sub(r"<[^>]*>", " ", joined)))
    found = re.findall(r"\d+(?:[ ,]\d{3})*(?:\.\d+)?|\d+", " ".join(shown))
    plain = {number.replace(" ", "").replace(",", "") for number in found}
    return plain | {part for number in found for part in re.split(r"[ ,]", number)}


def uncomputed(notebook: Mapping[str, Any]) -> list[str]:
    """Numbers in prose that no cell shows."""
    shown = computed(notebook) | KNOWN
    return [number for prose in markdown(notebook) for number in numbers(prose) if number.lstrip("+-") not in shown]


def claims(prose: str) -> Iterator[tuple[str, list[str]]]:
    """Its sentences that claim something, with the marks they carry."""
    prose = re.sub(r"## What you can do now.*", "", prose, flags=re.S)
    for block in re.split(r"\n\s*\n|\n(?=- |\||\d+\. |#)", prose):
        if block.lstrip().startswith(("#", "**Time**", "```")):
            continue
        # A mark behind the full stop belongs to the sentence that ends there.
        for sentence in re.split(r"(?<=[.!?])[*)\"']*\s+(?!<!--)|(?<=-->)\s+(?=[A-Z*`(\"])", block):
            said = MARK.sub(" ", sentence)
            for pattern in NOT_PROSE:
                said = re.sub(pattern, " ", said, flags=re.S)
            if CLAIM.search(said) and not said.rstrip("*) \n").endswith("?"):
                yield " ".join(said.split()), MARK.findall(sentence)


def shown(notebook: Mapping[str, Any]) -> str:
    """Everything that its cells show, blanks as one."""
    parts = [part for cell in notebook["cells"] for output in cell.get("outputs", [])
             for part in (output.get("text", ""), *output.get("data", {}).values())]
    joined = " ".join("".join(part) if isinstance(part, list) else str(part) for part in parts)
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", joined)).split())


def unfounded(notebook: Mapping[str, Any], page: str) -> list[str]:
    """Claims that rest on nothing: no mark, text that no cell shows, words that the page of sources does not have."""
    outputs, sources, found = shown(notebook), " ".join(page.split()), []
    for prose in markdown(notebook):
        for said, marks in claims(prose):
            if not marks:
                found.append(f"no mark: {said}")
            for mark in marks:
                kind, _, what = mark.partition(": ")
                for one in (" ".join(part.split()) for part in what.split("|")):
                    if kind == "shown" and one not in outputs:
                        found.append(f"no cell shows {one!r}: {said}")
                    if kind == "source" and one not in sources:
                        found.append(f"no source says {one!r}: {said}")
    return found


def links(notebook: Mapping[str, Any]) -> list[str]:
    """Where its links lead, without those that leave the repository."""
    found = [target for prose in markdown(notebook) for target in re.findall(r"\]\(([^)]+)\)", prose)]
    return [target.partition("#")[0] for target in found if "://" not in target and not target.startswith("#")]


def exercises(notebook: Mapping[str, Any]) -> list[str]:
    """Names of the exercises that it gives."""
    code = "\n".join(text(cell) for cell in notebook["cells"] if cell["cell_type"] == "code")
    return re.findall(r"Exercise\(\s*[\"']([\w-]+)[\"']", code) + re.findall(r"^%%neon_exercise\s+([\w-]+)", code, re.M)
