"""The wording that people read: `python -m tests.wording` names long sentences and words that are not used here.

CONTRIBUTING.md has both lists. A word in backticks in the glossary's column "not" is refused in every text of the
project, code too. Words in backticks in the style guide's last rules are refused on pages, and in the package. A
sentence has at most 25 words. A comment excepts the paragraph, the list or the table that follows it:

    <!-- long: REASON -->       sentences may be longer
    <!-- word: REASON -->       words may be others
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

__all__ = ["MAX_WORDS", "ROOT", "Paragraph", "all_complaints", "complaints", "help_complaints", "package_words",
           "page_words", "paragraphs", "pattern", "project_words", "sentences"]

ROOT: Final = Path(__file__).parents[1]
MAX_WORDS: Final = 25
# Pages that people read from top to bottom. What a command writes (proofs.md) and a table of quotations are none.
PAGES: Final = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "notebooks/README.md", "docs/*.md",
                "docs/website/pages/**/*.md")
NO_PAGES: Final = ("docs/proofs.md", "docs/sources.md")
TEXTS: Final = ("*.md", "Makefile", "docs/**/*.md", "docs/**/*.py", "kernels/**/*.[Sh]", "native/**/*.[ch]",
                "neonsim/**/*.py", "neonsim/**/*.js", "neonsim/**/*.toml", "notebooks/*.md", "notebooks/*.ipynb",
                "tests/**/*.py")
PACKAGE: Final = ("neonsim/**/*.py", "neonsim/**/*.js", "neonsim/**/*.css", "neonsim/**/*.toml", "kernels/**/*.S")
_GUIDE = ROOT / "CONTRIBUTING.md"
_QUOTING = {_GUIDE, ROOT / "tests" / "test_words.py"}      # they name the words that are refused
_CODE = re.compile(r"^( *)```.*?^\1```$", re.M | re.S)
_EXCEPTION = re.compile(r"<!-- (long|word): [^>]+ -->")
_LINK = re.compile(r"!?\[((?:[^\[\]]|\[[^\]]*\])*)\]\([^)\s]+\)")
_END = re.compile(r"(?<=[.!?])[\"')*_]*\s+(?=[\"'(*_`]*(?:[A-Z0-9`]|neonsim\b))")
_OPENS = re.compile(r"^ *(?:[-*] |\d+\. |#+ |\||>|:::|<)")


class Paragraph(NamedTuple):
    """Text that stands together on a page: its line, its words without marks, what a comment before it excepts."""

    line: int
    text: str
    excepted: frozenset[str]


def paragraphs(page: str) -> Iterator[Paragraph]:
    """Paragraphs, items of lists, headings and cells of tables; neither code nor comments."""
    page = _CODE.sub(lambda block: "\n" * block[0].count("\n"), page)
    waiting: list[str] = []
    excepted, first = set[str](), 0

    def told() -> Iterator[Paragraph]:
        whole = _LINK.sub(r"\1", re.sub(r"<[^>]+>", " ", " ".join(waiting)))
        cells = re.split(r"(?<!\\)\|", whole) if whole.startswith("|") else [whole]
        for cell in cells:
            text = re.sub(r"^\s*(?:[-*>]|\d+\.|#+)\s+", "", cell).strip(" *-")
            if re.search(r"[A-Za-z]", text):
                yield Paragraph(first, text, frozenset(excepted))
        waiting.clear()

    for number, line in enumerate(page.splitlines(), 1):
        mark = _EXCEPTION.search(line)
        if mark:
            yield from told()
            excepted.add(mark[1])
        elif not line.strip():
            if waiting:
                yield from told()
                excepted = set()
        else:
            if _OPENS.match(line):
                yield from told()
            first = first if waiting else number
            waiting.append(line.strip())
    yield from told()


def sentences(text: str) -> list[str]:
    """Those of one paragraph; code in backticks is one word of them."""
    kept: list[str] = []

    def hide(match: re.Match[str]) -> str:
        kept.append(match[0])
        return f"`{len(kept) - 1}`"

    hidden = re.sub(r"`[^`]+`", hide, text)
    return [re.sub(r"`(\d+)`", lambda m: kept[int(m[1])], one) for one in _END.split(hidden)]


def length(sentence: str) -> int:
    """How many words a sentence has: signs alone are none, code in backticks is one."""
    return len(re.findall(r"\S*\w\S*", re.sub(r"`[^`]+`", "code", sentence)))


def _marked(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


def project_words() -> list[str]:
    """Words that the glossary refuses everywhere."""
    table = _GUIDE.read_text("utf-8").partition("## Glossary")[2].partition("\n## ")[0]
    return [word for row in re.findall(r"^\|.*\|([^|]*)\|$", table, re.M) for word in _marked(row)]


def _listed(opening: str) -> list[str]:
    rule = _GUIDE.read_text("utf-8").partition(opening)[2].partition("\n\n")[0]
    return _marked(re.split(r"\n(?:- |<)", rule, maxsplit=1)[0])


def page_words() -> list[str]:
    """Words that the style guide refuses on pages."""
    return _listed("These words are not used on pages:")


def package_words() -> list[str]:
    """Words that the style guide refuses in the package, also in comments and docstrings."""
    return _listed("These words are not used in the package either:")


def pattern(words: list[str]) -> re.Pattern[str]:
    """Any of them, in the plural too, also within an identifier. Raises ValueError if there are none."""
    if not words:
        raise ValueError("no words: CONTRIBUTING.md has lost its lists")
    some = "|".join(re.escape(word).replace(r"\ ", r"[\s_]+") for word in words)
    return re.compile(rf"(?<![A-Za-z])(?:{some})s?(?![a-z])", re.I)


def complaints(page: str, words: list[str]) -> Iterator[tuple[int, str]]:
    """What is wrong on a page, by its line."""
    banned = pattern(words)
    for line, text, excepted in paragraphs(page):
        for sentence in sentences(text) if "long" not in excepted else ():
            if length(sentence) > MAX_WORDS:
                yield line, f"{length(sentence)} words: {sentence[:100]}"
        if "word" not in excepted and (found := banned.search(re.sub(r"`[^`]+`", "", text))):
            yield line, f"not used here: {found[0]}"


def _pages() -> list[Path]:
    return sorted({path for pattern in PAGES for path in ROOT.glob(pattern)} - {ROOT / name for name in NO_PAGES})


def all_complaints() -> Iterator[str]:
    """Those of the project, as lines for a terminal."""
    words = [*project_words(), *page_words()]
    for path in _pages():
        for line, problem in complaints(path.read_text("utf-8"), words):
            yield f"{path.relative_to(ROOT)}:{line}: {problem}"
    for scope, banned in ((TEXTS, pattern(project_words())), (PACKAGE, pattern(package_words()))):
        for path in sorted({path for one in scope for path in ROOT.glob(one)} - _QUOTING - {*_pages()}):
            text = "" if "node_modules" in path.parts else path.read_text("utf-8")
            for found in banned.finditer(text):
                line = text.count("\n", 0, found.start()) + 1
                yield f"{path.relative_to(ROOT)}:{line}: not used here: {found[0]}"


def help_complaints() -> Iterator[str]:
    """Those of `neonsim COMMAND --help`: what a command is for, and its options; tables below them are no sentences."""
    from neonsim.cli import parser

    banned = pattern([*project_words(), *page_words()])
    waiting = [("neonsim", parser())]
    while waiting:
        path, command = waiting.pop()
        texts = [(command.description or "").partition("\n\nexamples:")[0]]
        for action in command._actions:
            texts.append("" if action.help in (None, argparse.SUPPRESS) else str(action.help))
            if isinstance(action, argparse._SubParsersAction):
                waiting += [(f"{path} {name}", below) for name, below in action.choices.items()]
        for sentence in (one for text in texts for one in sentences(" ".join(text.split()))):
            if length(sentence) > MAX_WORDS:
                yield f"{path} --help: {length(sentence)} words: {sentence[:100]}"
            if found := banned.search(sentence):
                yield f"{path} --help: not used here: {found[0]}: {sentence[:100]}"


if __name__ == "__main__":
    wrong = [*all_complaints(), *help_complaints()]
    print("\n".join(wrong) or "wording: nothing to mend")
    sys.exit(bool(wrong))
