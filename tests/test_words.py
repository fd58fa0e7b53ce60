"""One word for one thing, and sentences that can be read once: `tests.wording` has what CONTRIBUTING.md asks."""

from __future__ import annotations

import re

import pytest

from tests import wording
from tests.wording import ROOT

READ = ("README.md", "docs/**/*.md", "docs/website/*.py", "notebooks/*.ipynb", "neonsim/render/static/*.js",
        *(f"neonsim/{package}/**/*.py" for package in ("bench/board", "cli", "learn", "render", "verify/checking",
                                                       "verify/proving")))
OTHER = re.compile(r"\b(?:turn|pass|round|trip)(?:e?s)? of (?:the|its|a|either|both|each) (?:\w+ )?loops?\b|"
                   r"\bcycles a turn\b|\b(?:bytes|words|depths|loads) a (?:turn|round)\b|\bone round to the next\b")


def test_once_through_a_loop_is_an_iteration() -> None:
    wrong, read = [], 0
    for path in (path for pattern in READ for path in ROOT.glob(pattern)):
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            read += 1
            if len(line) < 20_000 and OTHER.search(line):
                wrong.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()[:120]}")
    assert read > 50_000
    assert not wrong, "say iteration:\n" + "\n".join(wrong)


def test_pages_and_code_keep_to_the_lists() -> None:
    assert not [*wording.all_complaints()]


def test_help_keeps_to_them_too() -> None:
    assert not [*wording.help_complaints()]


PAGE = """# A heading that nobody reads

One two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
nineteen twenty 21 22 23 24 `code of several words` 26. A short one. It names v0.4s, e.g. this one.

| a cell | %s |
| --- | --- |

<!-- long: it counts -->
- %s
- %s

%s

```
%s nobody
```
"""


def test_the_check_finds_what_it_is_for() -> None:
    many = "word " * 26
    page = PAGE % (many, many, many, many, many)
    found = [*wording.complaints(page, ["nobody"])]
    assert [(line, problem[:8]) for line, problem in found] == [
        (1, "not used"), (3, "26 words"), (6, "26 words"), (13, "26 words")]
    assert wording.sentences("One. Two `a. B` three! Is v0.4s. Four") == [
        "One.", "Two `a. B` three!", "Is v0.4s.", "Four"]
    assert not [*wording.complaints("As `nobody` said.", ["nobody"])]
    assert [*wording.complaints("<!-- word: a quotation -->\nWhole numbers.", ["whole number"])] == []
    assert [*wording.complaints("Whole\nnumbers.", ["whole number"])] == [(1, "not used here: Whole numbers")]


def test_the_lists_are_there() -> None:
    assert "nobody" in wording.page_words() and len(wording.page_words()) > 10
    assert "grid mode" in wording.project_words()
    with pytest.raises(ValueError, match="no words"):
        wording.pattern([])
