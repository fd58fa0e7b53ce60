"""Files that do not say their instruction set: the only one that takes the text is taken."""

from __future__ import annotations

from pathlib import Path

import pytest

from neonsim.arm.asm.undeclared import assemble_file
from neonsim.errors import AssemblyError, BadArgument


@pytest.mark.parametrize(("text", "isa"), [
    ("umull v0.8h, v1.8b, v2.8b\nret", "aarch64"), ("vmull.u8 q0, d2, d4\nbx lr", "aarch32"),
    ("//! isa: aarch32\nnop", "aarch32"),
])
def test_the_only_one_that_takes_it(tmp_path: Path, text: str, isa: str) -> None:
    path = tmp_path / "mine.s"
    path.write_text(text)
    assert assemble_file(path).isa == isa


def test_the_name_of_the_file_declares_it(tmp_path: Path) -> None:
    path = tmp_path / "mine__aarch32_neon.s"
    path.write_text("nop")
    assert assemble_file(path).isa == "aarch32"


def test_a_mistake_is_that_of_the_nearer_one(tmp_path: Path) -> None:
    path = tmp_path / "mine.s"
    path.write_text("ld1 {v0.8b}, [x0]\numul v0.8h, v1.8b, v1.8b\nret")
    with pytest.raises(AssemblyError, match="Did you mean UMULL") as caught:
        assemble_file(path)
    assert (caught.value.line, caught.value.column) == (2, 1)


@pytest.mark.parametrize(("text", "why"), [("nop", "both take"), ("lookup", "neither takes")])
def test_a_text_that_says_too_little(tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "mine.s"
    path.write_text(text)
    with pytest.raises(BadArgument, match=rf"has no instruction set, and {why}.*--isa aarch64"):
        assemble_file(path)


def test_what_is_given_goes_first(tmp_path: Path) -> None:
    path = tmp_path / "mine.s"
    path.write_text("umull v0.8h, v1.8b, v2.8b")
    with pytest.raises(AssemblyError):
        assemble_file(path, "aarch32")
