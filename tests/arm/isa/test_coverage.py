"""Arm's list: every integer row is here, each example is what it says, what is missing is said to be missing."""

from __future__ import annotations

import contextlib
import re

import pytest

from neonsim.arm.isa import CoreRegister, SourcePosition, forms, select_form
from neonsim.arm.isa.coverage import ArmForm, groups, listed, out_of_scope
from neonsim.arm.isa.forms.spec import SHORT, TABLE
from neonsim.errors import AssemblyError

ISAS = ("aarch64", "aarch32")
WHOLE = ("integer Advanced SIMD", "loads and stores of SIMD registers", "single precision",
         "conversions of half precision", "CRC32", "base integer instructions")


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("group", WHOLE)
def test_every_row_of_these_is_here(isa: str, group: str) -> None:
    missing = [f"{row.mnemonic} {row.shape}" for row in groups()[group][isa] if not row.is_implemented]
    assert not missing


@pytest.mark.parametrize("isa", ISAS)
def test_an_example_has_the_mnemonic_and_the_shape(isa: str) -> None:
    for row in listed(isa):
        if row.shape and row.example is not None:
            assert row.example.mnemonic == row.mnemonic
            assert len(row.example.operands) == len(row.shape.split(","))
            assert row.example.form in forms(isa)


@pytest.mark.parametrize("isa", ISAS)
def test_what_is_not_here_is_refused_by_its_name(isa: str) -> None:
    """A mnemonic of Arm's list is known either as an instruction, or as one that is left out or comes later."""
    mnemonics = {row.mnemonic.partition(".")[0].lower(): row for row in listed(isa)}
    unknown = {name: row for name, row in mnemonics.items() if name not in TABLE[SHORT[isa]]}
    assert unknown
    for name, row in unknown.items():
        with pytest.raises(AssemblyError) as caught:
            select_form(isa, name, [], position=SourcePosition())
        message = caught.value.message
        assert message.startswith(name.upper())
        assert "Did you mean" not in message
        assert row.out_of_scope or "yet" in message or "neonsim" in message, message


@pytest.mark.parametrize("isa", ISAS)
def test_what_is_here_is_not_said_to_come_later(isa: str) -> None:
    for mnemonic in TABLE[SHORT[isa]]:
        with contextlib.suppress(AssemblyError):
            select_form(isa, mnemonic, [CoreRegister("x", 40)], position=SourcePosition())
            continue
        with pytest.raises(AssemblyError) as caught:
            select_form(isa, mnemonic, [CoreRegister("x", 40)], position=SourcePosition())
        assert "yet" not in caught.value.message, mnemonic


@pytest.mark.parametrize("isa", ISAS)
def test_rows_are_unique(isa: str) -> None:
    keys = [(row.mnemonic, row.shape) for row in listed(isa) if row.shape]
    assert len(keys) == len(set(keys))


def test_what_is_left_out_is_said() -> None:
    for isa in ISAS:
        assert any("system instruction" in text for text in out_of_scope(isa))
        assert not any("yet" in text for text in out_of_scope(isa))
    assert any("Thumb" in text for text in out_of_scope("aarch32"))
    assert not any("Thumb" in text for text in out_of_scope("aarch64"))


@pytest.mark.parametrize(("isa", "name", "lines"), [
    ("aarch64", "add", ("ADD <Wd|WSP>, <Wn|WSP>, #<imm>{, lsl #12}", "ADD <Xd|SP>, <Xn|SP>, #<imm>{, lsl #12}")),
    ("aarch64", "maddl", ("{S|U}MADDL <Xd>, <Wn>, <Wm>, <Xa>",)),
    ("aarch64", "crc32x", ("CRC32X <Wd>, <Wn>, <Xm>",)),
    ("aarch64", "vadd", ("ADD <Vd>.<T>, <Vn>.<T>, <Vm>.<T>",)),
    ("aarch64", "mlal", ("{S|U}MLAL{2} <Vd>.<Ta>, <Vn>.<Tb>, <Vm>.<Ts>[<index>]",)),
    ("aarch64", "tbl", ("TBL <Vd>.8b, {<Vn>.16b, ...}, <Vm>.8b",)),
    ("aarch64", "fadd", ("FADD <Vd>.<T>, <Vn>.<T>, <Vm>.<T>",)),
    ("aarch32", "vadd", ("VADD.<i> <Dd>, <Dn>, <Dm>", "VADD.<i> <Qd>, <Qn>, <Qm>")),
    ("aarch32", "add", ("ADD{S}{c} <Rd>, <Rn>, <Operand2>",)),
    ("aarch32", "mull_words", ("{S|U}MULL{c} <RdLo>, <RdHi>, <Rn>, <Rm>",)),
])
def test_syntax_is_printed_with_arms_names_of_registers(isa: str, name: str, lines: tuple[str, ...]) -> None:
    written = [form.arm_syntax for form in forms(isa) if form.name == name]
    assert lines in written, written


@pytest.mark.parametrize("isa", ISAS)
def test_no_syntax_shows_the_parsers_marks(isa: str) -> None:
    for form in forms(isa):
        for line in form.arm_syntax:
            assert not re.search(r"<[^>]*[:+*]|\}\*|<[dnmat]\d?>(?<!<V><.>)(?<!<Va><.>)(?<!<R><.>)", line), line


def test_an_unknown_shape_is_not_here() -> None:
    assert not ArmForm("aarch64", "", "ADD", "8b,8b,4s").is_implemented
    assert not ArmForm("aarch64", "", "SVC", "").is_implemented
    assert ArmForm("aarch32", "", "VADD.I8", "d,d,d").is_implemented
