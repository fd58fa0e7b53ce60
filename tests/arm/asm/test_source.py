"""Comments, separators and labels: what is a statement, and in which column."""

from __future__ import annotations

import pytest

from neonsim.arm.asm.text.gas_macros import Expander
from neonsim.arm.asm.text.includes import Includes
from neonsim.arm.asm.text.preprocessor import Preprocessor
from neonsim.arm.asm.text.source import Statement, read, split_lines
from neonsim.common.limits import MAX_FILE_LENGTH
from neonsim.errors import AssemblyError, BadArgument


def statements(text: str, isa: str = "aarch64") -> list[Statement]:
    return Expander(Preprocessor(isa, Includes([]), {})).statements("t.S", text, None)


def heads(text: str, isa: str = "aarch64") -> list[tuple[str, str]]:
    return [(s.head, s.operands.strip()) for s in statements(text, isa)]


@pytest.mark.parametrize(
    ("isa", "text", "expected"),
    [
        pytest.param("aarch64", "nop // a; b\nret", [("nop", ""), ("ret", "")], id="slashes"),
        pytest.param("aarch32", "nop @ a; b\nbx lr", [("nop", ""), ("bx", "lr")], id="at_aarch32"),
        pytest.param("aarch64", "# don't; /* no\nret", [("ret", "")], id="hash_hides_quote_and_block"),
        pytest.param("aarch64", "a: # x\n ret; # y", [("", ""), ("ret", "")], id="hash_after_label_and_semicolon"),
        pytest.param("aarch64", "/* x */ # y ; z\n ret", [("ret", "")], id="hash_after_block"),
        pytest.param("aarch64", "/* one\ntwo\nthree */ ret", [("ret", "")], id="block_over_lines"),
        pytest.param("aarch64", "add/**/x0, x1,/* // */x2", [("add", "x0, x1,        x2")], id="block_inside"),
        pytest.param("aarch64", "nop;nop ; ;nop", [("nop", "")] * 3, id="semicolons"),
        pytest.param("aarch64", "mov w0, #';'", [("mov", "w0, #';'")], id="semicolon_character"),
        pytest.param("aarch64", "mov w0, #'\\''", [("mov", "w0, #'\\''")], id="quoted_quote"),
        pytest.param("aarch64", '.ident "a // b"; nop', [(".ident", '"a // b"'), ("nop", "")], id="string"),
        pytest.param("aarch64", "nop\r\nret\r\n", [("nop", ""), ("ret", "")], id="crlf"),
        pytest.param("aarch64", "nop\n.end\n(((\n", [("nop", ""), (".end", "")], id="end"),
        pytest.param("aarch64", "# if this is a sentence\nnop", [("nop", "")], id="hash_blank_if_is_a_sentence"),
        pytest.param("aarch64", '# 1 "k.S"\nnop', [("nop", "")], id="line_marker"),
        pytest.param("aarch64", "  \t \n\n", [], id="blank"),
    ],
)
def test_statements(isa: str, text: str, expected: list[tuple[str, str]]) -> None:
    assert heads(text, isa) == expected


def test_labels_and_columns() -> None:
    [one, two] = statements("a: 1:\tb.c: /* x */ add x0, x1 ; ret")
    assert one.labels == (("a", 1), ("1", 4), ("b.c", 7))
    assert (one.head, one.head_column, one.operands_column) == ("add", 20, 23)
    assert (two.head, two.head_column) == ("ret", 33)


def test_lines_are_kept() -> None:
    text = "nop\r\n // x\n\n ret\n"
    assert split_lines(text) == ("nop", " // x", "", " ret")
    assert [s.place.line for s in statements(text)] == [1, 4]


def test_a_path_is_read(tmp_path) -> None:  # type: ignore[no-untyped-def]
    file = tmp_path / "k.S"
    file.write_bytes(b"\xef\xbb\xbf nop // na\xc3\xafve\n")
    assert read(file) == (str(file), " nop // naïve\n")


def test_a_missing_file(tmp_path) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(AssemblyError, match=r"there is no file .*nowhere\.S\.") as caught:
        read(tmp_path / "nowhere.S")
    assert caught.value.path.endswith("nowhere.S")


def test_too_long_a_file() -> None:
    with pytest.raises(AssemblyError, match=f"the limit is {MAX_FILE_LENGTH:,}"):
        read("\n" * (MAX_FILE_LENGTH + 1))


@pytest.mark.parametrize("source", ["kernel.S", "a/b.s"])
def test_a_file_name_as_text(source: str) -> None:
    with pytest.raises(BadArgument, match="pathlib"):
        read(source)


def test_another_type() -> None:
    with pytest.raises(BadArgument, match="bytes"):
        read(b"nop")  # type: ignore[arg-type]
