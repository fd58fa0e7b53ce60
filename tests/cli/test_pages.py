"""Commands that pages name are commands: each is read by its parser, with its options; nothing is run."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

import pytest

from neonsim import cli
from tests.wording import ROOT

PAGES = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "docs/*.md", "docs/website/pages/**/*.md",
         "notebooks/README.md")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
# A command may be named without all that it needs, as in "neonsim explain shows".
INCOMPLETE = ("the following arguments are required", "expected one argument", "expected at least one argument")


def commands(page: str) -> Iterator[str]:
    """Commands of a page, without the remarks behind them: in blocks of shell and in backticks."""
    for language, block in BLOCK.findall(page):
        if language in ("", "sh", "text"):
            lines = re.findall(r"^(?:\$ |! )?(neonsim .+)$", block, re.M)
            yield from (re.split(r"\s+#|\s{3,}", line)[0] for line in lines)
    yield from re.findall(r"`(neonsim [^`\n]+)`", BLOCK.sub("", page))


NAMED = sorted({(path.relative_to(ROOT).as_posix(), line) for pattern in PAGES for path in ROOT.glob(pattern)
                for line in commands(path.read_text("utf-8")) if "COMMAND" not in line})


def test_pages_name_commands() -> None:
    assert len(NAMED) > 80
    assert [*commands("```sh\nneonsim isa smlal   # a page\n```\n`neonsim demo`; neonsim is no command here.")] == [
        "neonsim isa smlal", "neonsim demo"]


@pytest.mark.parametrize(("page", "line"), NAMED)
def test_a_command_that_a_page_names_is_one(page: str, line: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = [word for word in shlex.split(line.partition(" > ")[0])[1:] if word != "..."]
    try:
        cli._options(words)
    except SystemExit as end:
        wrong = capsys.readouterr().err
        assert not end.code or any(reason in wrong for reason in INCOMPLETE), f"{page}: {line}: {wrong}"
