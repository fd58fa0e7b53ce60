"""All that is wrong with a text is said at once, and nothing that only follows from it."""

from __future__ import annotations

import pickle
from functools import partial
from pathlib import Path

import pytest

from neonsim import AssemblyError, AssemblyErrors, assemble
from neonsim.cli import main
from neonsim.common.limits import MAX_MISTAKES
from tests.work import calls


def mistakes(text: str, isa: str = "aarch64") -> AssemblyError:
    with pytest.raises(AssemblyError) as caught:
        assemble(text, isa)
    return caught.value


def places(text: str) -> list[tuple[int, int, int]]:
    return [(error.line, error.column, error.width) for error in mistakes(text).errors]


def test_one_is_itself() -> None:
    error = mistakes(" frob v0\n ret")
    assert type(error) is AssemblyError and error.errors == (error,) and "mistakes" not in str(error)


def test_every_kind_in_the_order_of_the_text() -> None:
    text = """ add v0.4s, v1.4s, v99.4s
        ldr q0, [x99
        b.ne .Lnowhere
        .error "stop"
x3:     ret
        .word 1 +
        add x0, x0, #5000
        é
"""
    error = mistakes(text)
    assert isinstance(error, AssemblyErrors) and not error.truncated
    assert [one.line for one in error.errors] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert (error.line, error.column, error.message) == (1, 20, error.errors[0].message)
    shown = str(error)
    for one in error.errors:
        assert str(one) in shown  # line and caret, message and remedy of each, as if it were the only one
    assert shown.endswith("\n\n8 mistakes.")
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == shown


@pytest.mark.parametrize(("text", "lines"), [
    pytest.param("loop: frob v0\n b loop", [1], id="label_of_a_bad_line"),
    pytest.param("loop: !\n b loop", [1], id="label_of_a_line_that_is_none"),
    pytest.param(".set N, 1 +\n mov x0, #N\n ret", [1], id="set"),
    pytest.param("acc .req v99\n add acc.4s, acc.4s, acc.4s\n ret", [1], id="req"),
    pytest.param("} acc .req v9\n mov v0.16b, acc.16b\n ret", [1], id="a_damaged_req"),
    pytest.param("acc .req v99\n.macro m\n add acc.4s, acc.4s, acc.4s\n.endm\n m\n m\n ret", [1], id="req_in_a_macro"),
    pytest.param("#define F(a\n F(v0)\n ret", [1], id="define"),
    pytest.param(".macro m a:what\n nop\n .endm\n m\n ret", [1], id="macro_header"),
    pytest.param(".macro m a\n here: nop\n .endm\n m 1, 2\n b here", [4], id="macro_not_expanded"),
    pytest.param("#if 1 +\n nop\n#else\n frob\n#endif\n ret", [1], id="condition"),
    pytest.param(" .if 1 +\n nop\n .else\n frob\n .endif\n ret", [1], id="if"),
    pytest.param(" .rept 1 +\n nop\n .endr\n ret", [1], id="rept"),
    pytest.param(" b end\n/* open\nend: ret", [2], id="open_comment"),
    pytest.param(" b end\n .macro m\nend: ret", [2], id="open_macro"),
    pytest.param('#include "none.h"\n add ACC.4s, ACC.4s, ACC.4s\n bl helper', [1], id="missing_file"),
    pytest.param(" .data\n nop\n nop\n nop\n ret", [2], id="code_in_data"),
])
def test_what_only_follows_is_left_out(text: str, lines: list[int]) -> None:
    assert [error.line for error in mistakes(text).errors] == lines


def test_a_mistake_in_a_macro_is_said_once_and_one_in_its_arguments_where_it_is() -> None:
    text = """.macro twice a, b
 add \\a\\().4s, \\b, v1.4s
 frob \\a
.endm
 twice v0, v1.4s
 twice v2, v9.8h
 twice v3, v8.8h
 .rept 3
 bogus x0
 .endr
 ret"""
    assert places(text) == [(5, 2, 5), (6, 12, 5), (7, 12, 5), (9, 2, 5)]
    assert places("#define F(a) frob a\n F(v1)\n F(v2)\n ret") == [(2, 2, 1)]
    assert len(places("#define N 5000\n add x0, x0, #N\n add x1, x1, #N\n ret")) == 2  # N is no mistake in itself


@pytest.mark.parametrize("line", [" frob{} v0", " add v0.4s, v1.4s, v{}99.4s", " @ {}", " b.ne .Lnowhere{}",
                                  " .word 1 +", " .if 1 +"])
def test_many_are_bounded_and_do_not_hide_the_first(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("neonsim.arm.asm.text.diagnostics.MAX_MISTAKES", 10)
    monkeypatch.setattr("neonsim.arm.asm.text.diagnostics.MAX_REFUSALS", 150)

    def many(count: int) -> None:
        error = mistakes(" add v0.4s, v0.4s, v77.4s\n" + "\n".join(line.format(k) for k in range(count)))
        assert isinstance(error, AssemblyErrors) and error.truncated and len(error.errors) == 10
        assert (error.line, error.column) == (1, 20)
        assert str(error).endswith("The first 10 mistakes; there may be more.")
    few, twice_as_many = (calls(partial(many, count)) for count in (200, 400))
    assert twice_as_many - few < 300 * 200      # a line more is read, and not explained


def test_as_many_as_are_listed_are_all() -> None:
    error = mistakes("\n".join([" frob"] * MAX_MISTAKES))
    assert isinstance(error, AssemblyErrors) and not error.truncated and len(error.errors) == MAX_MISTAKES


@pytest.mark.parametrize("command", [["run", "--isa", "aarch64"], ["trace", "--isa", "aarch64"],
                                     ["check", "--contract", "f32_vadd", "--isa", "aarch64"]])
def test_commands_print_all(command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "bad.S"
    file.write_text(" frob v0\n add v0.4s, v1.4s, v99.4s\n b.ne .Lnowhere\n", "utf-8")
    name, *options = command
    assert main([name, str(file), *options]) == 2
    said = capsys.readouterr()
    text = said.err + said.out
    assert all(f"{file}:{line}:" in text for line in (1, 2, 3)) and "3 mistakes." in text
