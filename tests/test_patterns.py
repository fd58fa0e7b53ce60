"""Patterns that look for lines: each character of a text is read by one line alone, so the work grows as the text."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from re import _compiler, _constants, _parser  # type: ignore[attr-defined]
from typing import Any

import pytest

from neonsim.arm.asm.text.apple import without_comments
from neonsim.arm.asm.text.detect_format import detect_format
from tests.syntax import trees_of


def patterns_of_lines() -> Iterator[tuple[str, str]]:
    """Where each pattern with re.MULTILINE stands in the package, and the pattern; what is put into one is an x."""
    for name, tree in trees_of(lambda text: re.search(r"\bre\.M(ULTILINE)?\b", text)):
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("re.") and re.search(
                    r"\bre\.M(ULTILINE)?\b", ast.unparse(node)):
                parts = node.args[0].values if isinstance(node.args[0], ast.JoinedStr) else [node.args[0]]
                if all(isinstance(part, ast.Constant | ast.FormattedValue) for part in parts):
                    yield f"{name}:{node.lineno}", "".join(
                        str(part.value) if isinstance(part, ast.Constant) else "x" for part in parts)


def goes_past_its_line(parsed: Any) -> bool:
    """Whether something in a pattern is repeated without a bound that may be the end of a line: \\s, [^>]."""
    for kind, of in parsed:
        if kind in (_constants.MAX_REPEAT, _constants.MIN_REPEAT):
            _, most, inner = of
            if most is _constants.MAXREPEAT and len(inner) == 1 and inner[0][0] not in (
                    _constants.SUBPATTERN, _constants.BRANCH) and _compiler.compile(inner).match("\n"):
                return True
        below = of if isinstance(of, tuple) else ()
        for one in (part for some in below for part in (some if isinstance(some, list) else [some])):
            if isinstance(one, _parser.SubPattern) and goes_past_its_line(one):
                return True
    return False


def test_no_pattern_that_looks_for_lines_goes_past_its_own() -> None:
    # An import of our own code goes over several lines.
    found = {place: pattern for place, pattern in patterns_of_lines()
             if not place.startswith(("render/stepper/bundle.py", "common/argument_types.py"))}
    assert len(found) > 10
    wrong = [place for place, pattern in found.items() if goes_past_its_line(_parser.parse(pattern))]
    assert not wrong, f"write [ \\t] for \\s, and \\n among what is left out: {', '.join(wrong)}"


@pytest.mark.parametrize(("pattern", "past"), [(r"^\s*x", True), (r"^(?:a|<[^>]+>)$", True), (r"^[ \t]*x", False),
                                               (r"^<[^>\n]+>.*$", False), (r"^x\s", False)])
def test_the_rule_tells_them_apart(pattern: str, past: bool) -> None:
    assert goes_past_its_line(_parser.parse(pattern)) == past


def test_a_comment_that_is_not_closed_is_read_once() -> None:
    # All of it is one comment: nothing in it is looked at again, though each /* could begin one.
    assert without_comments("/* a; " * 3) == "/* a; " * 3


@pytest.mark.parametrize("text", [
    "  AREA |.text|, CODE\n", "f PROC\n", "\tENDP\n", "x.o:     file format elf64-little\n", "0000000000000000 <f>:\n",
    "TEXT \u00b7f(SB), $0\n"])
def test_texts_of_others_are_known_behind_blank_lines(text: str) -> None:
    assert detect_format("\n \n" + text + "\n") is not None
