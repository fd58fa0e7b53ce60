"""One word for one thing, where people read it: in docs, notebooks, help, messages and on pages."""

from __future__ import annotations

import re

from tests.syntax import ROOT

READ = ("README.md", "docs/**/*.md", "docs/website/*.py", "notebooks/*.ipynb", "neonsim/render/static/*.js",
        *(f"neonsim/{package}/**/*.py" for package in ("bench/board", "cli", "learn", "render", "verify/checking",
                                                       "verify/proving")))
OTHER = re.compile(r"\b(?:turn|pass|round|trip)(?:e?s)? of (?:the|its|a|either|both|each) (?:\w+ )?loops?\b|"
                   r"\bcycles a turn\b|\b(?:bytes|words|depths|loads) a (?:turn|round)\b|\bone round to the next\b")


def test_once_through_a_loop_is_an_iteration() -> None:
    found = []
    for pattern in READ:
        for path in ROOT.glob(pattern):
            for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
                if len(line) < 20_000 and OTHER.search(line):
                    found.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()[:120]}")
    assert not found, "say iteration:\n" + "\n".join(found)
