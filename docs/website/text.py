"""Docstrings and values as Markdown, and what a build of the main pages says of the others."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

__all__ = ["docstring", "escaped", "fenced", "left_out", "raw", "table"]

_SPECIAL = re.compile(r"([\\*_\[\]<>#$|~{}])")
# Two words and a gap: columns, which stay as they are.
_COLUMNS = re.compile(r"\S {2,}\S")


def escaped(text: str) -> str:
    """Prose as it reads, whatever its characters mean to Markdown; what stands between backticks stays code."""
    parts = text.split("`")
    if len(parts) % 2 == 0:  # a backtick by itself
        return _SPECIAL.sub(r"\\\1", text).replace("`", r"\`")
    return "`".join(part if n % 2 else _SPECIAL.sub(r"\\\1", part) for n, part in enumerate(parts))


def fenced(text: str, language: str = "text") -> str:
    """Lines as they are, in a fence that none of them closes."""
    fence = "`" * max(3, *(len(run) + 1 for run in re.findall(r"`+", text)), 3)
    return f"{fence}{language}\n{text}\n{fence}\n"


def raw(markup: str) -> str:
    """HTML as it is."""
    return f"```{{raw}} html\n{markup}\n```\n"


def docstring(text: str) -> str:
    """A docstring's paragraphs: prose as prose, columns and what is indented as they are, examples as Python."""
    blocks = re.split(r"\n\s*\n", text.strip("\n"))
    return "\n\n".join(_block(block.strip("\n")) for block in blocks if block.strip())


def _block(block: str) -> str:
    lines = block.splitlines()
    if lines[0].lstrip().startswith(">>>"):
        return fenced(block, "pycon")
    if any(line.startswith("    ") for line in lines) or any(_COLUMNS.search(line) for line in lines) \
            or lines[0].startswith("|") or any("<-" in line for line in lines):
        return fenced(block)
    return escaped(" ".join(line.strip() for line in lines))


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of Markdown; the cells are Markdown already, without line breaks."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("\n", " ") for cell in line) + " |" for line in lines) + "\n"


def left_out(what: Iterable[str]) -> str:
    """A paragraph that names what a build of the main pages has no pages for; of nothing: nothing."""
    named = ", ".join(map(escaped, what))
    return named and f"This build has the main pages only (`make site SITE=main`). It omits {named}.\n\n"
