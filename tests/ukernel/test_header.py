"""Headers of kernel files: every complaint has a place and says what to write."""

from __future__ import annotations

import re

import pytest

from neonsim.errors import KernelFileError
from neonsim.ukernel import contract_named, kernel, kernels
from neonsim.ukernel.contract import InOut, Out
from neonsim.ukernel.header import in_lines, judge_header, read_header
from neonsim.ukernel.naming import Tile, split_name

NAME = "qu8_sumrows_4x__aarch32_test"
GOOD = f"""\
//! Sums of rows.
//! contract: qu8_sumrows
//! tile: 4x
//! isa: aarch32
//! feature: neon
//! reads-before: 7
//! source: own work
//!
//! in   a           r0          uint8 [m, k]
//! in   m           r1          rows
//! in   k           r2          bytes of a row
//! in   stride      r3          bytes
//! in   multiplier  [sp]        int32
//! in   sums        [sp, #4]    int32 [m]
//!
//! reg  va0..va3    q0-q3       bytes
//! reg  vacc[0..1]  q8-q11      sums
//! reg  pa0         r0, r4      pointers
//!
//!    a picture

    .text
    .global {NAME}
{NAME}:
    // ---- Return at once.
    bx lr
"""


def test_a_good_header_is_read() -> None:
    header = read_header(GOOD, NAME)
    assert header.summary == "Sums of rows."
    assert (header.contract, str(header.tile), header.isa, header.reads_before) == ("qu8_sumrows", "4x", "aarch32", 7)
    assert header.register_names()["va2"] == ("q2",)
    assert header.register_names()["vacc[1]"] == ("q10", "q11")
    assert header.register_names()["pa0"] == ("r0", "r4")
    assert [line.strip() for line in header.picture] == ["a picture"]
    assert header.stages == ((25, "Return at once."),)


@pytest.mark.parametrize(("old", "new", "line", "says"), [
    pytest.param("//! Sums of rows.", "//! Sums of rows", 1, "full stop", id="no_sentence"),
    pytest.param("contract: qu8_sumrows", "contract: qu8_sumcols", 2, "file name says qu8_sumrows",
                 id="other_contract"),
    pytest.param("tile: 4x", "tile: 8x", 3, "file name says 4x", id="other_tile"),
    pytest.param("isa: aarch32", "isa: aarch64", 4, "file name says aarch32", id="other_isa"),
    pytest.param("feature: neon", "feature: sse2", 5, "feature is one of", id="unknown_feature"),
    pytest.param("reads-before: 7", "reads-before: few", 6, "number of bytes", id="reads_before"),
    pytest.param("//! source: own work\n", "", 1, "no line `//! source", id="key_missing"),
    pytest.param("source: own", "origin: own", 7, "no key 'origin'", id="key_unknown"),
    pytest.param("tile: 4x\n", "tile: 4x\n//! tile: 4x\n", 4, "said twice", id="key_twice"),
    pytest.param("m           r1 ", "m           r2 ", 10, "m comes in r1", id="wrong_place"),
    pytest.param("[sp, #4]", "[sp, #8]", 14, "sums comes in [sp, #4]", id="wrong_stack_place"),
    pytest.param("//! in   m           r1          rows\n", "", 9, "the contract takes a, m, k", id="argument_missing"),
    pytest.param("q8-q11 ", "q3-q6  ", 17, "q3 of vacc[0] lies on va3", id="overlap"),
    pytest.param("q8-q11 ", "d6-d9  ", 17, "d6 of vacc[0] lies on va3", id="overlap_of_views"),
    pytest.param("q8-q11 ", "q13-q16", 17, "no register q16", id="no_such_register"),
    pytest.param("q8-q11 ", "v8-v11 ", 17, "no register v8", id="register_of_the_other_isa"),
    pytest.param("q8-q11 ", "q8-q10 ", 17, "shared evenly", id="uneven"),
    pytest.param("vacc[0..1]", "va1       ", 17, "va1 is given twice", id="name_twice"),
    pytest.param("va0..va3 ", "va0..vb3 ", 16, "cannot read 'va0..vb3'", id="unreadable_names"),
    pytest.param("va0..va3 ", "va0..va99999999", 16, "cannot read 'va0..va99999999'", id="names_without_end"),
    pytest.param("vacc[0..1]", "vacc[0..9999]", 17, "cannot read 'vacc[0..9999]'", id="more_names_than_registers"),
    pytest.param("q8-q11 ", "q8-q99999999", 17, "cannot read 'q8-q99999999'", id="registers_without_end"),
    pytest.param("q8-q11 ", f"q{'9' * 5000}", 17, "cannot read", id="a_register_of_5000_digits"),
    pytest.param("// ---- Return at once.", "// ---- return", 25, "one sentence", id="stage_no_sentence"),
    pytest.param("    // ---- Return at once.\n", "", 1, "no stage is marked", id="no_stage"),
    pytest.param("    // ---- Return at once.\n    bx lr", "    bx lr\n    // ---- Return at once.", 24, "right below",
                 id="stage_late"),
    pytest.param(f".global {NAME}", ".global other", 1, "not visible outside", id="not_global"),
    pytest.param(f"\n{NAME}:", "\nother:", 1, f"no label `{NAME}:`", id="no_label"),
])
def test_what_is_wrong_is_said_with_its_place(old: str, new: str, line: int, says: str) -> None:
    assert old in GOOD
    with pytest.raises(KernelFileError) as caught:
        read_header(GOOD.replace(old, new), NAME, "k.S")
    message = str(caught.value)
    assert says in message
    assert f"k.S:{line}:" in message


def test_all_complaints_at_once() -> None:
    with pytest.raises(KernelFileError) as caught:
        read_header(GOOD.replace("tile: 4x", "tile: 8x").replace("isa: aarch32", "isa: aarch64"), NAME, "k.S")
    assert len(str(caught.value).splitlines()) == 2


def test_a_file_without_header() -> None:
    with pytest.raises(KernelFileError, match="starts with a header"):
        read_header("    bx lr\n", NAME)
    with pytest.raises(KernelFileError, match="starts with a header"):
        read_header("", NAME)


@pytest.mark.parametrize("text", ["4x8", "4x8c2", "4x", "12x4"])
def test_tiles_print_as_they_are_written(text: str) -> None:
    assert str(Tile.parse(text)) == text


@pytest.mark.parametrize("text", ["0x8", "4", "x8", "4x8c", "4x8c0", "4X8", "9" * 5000 + "x8", "4x٨"])
def test_what_is_no_tile(text: str) -> None:
    assert Tile.parse(text) is None


@pytest.mark.parametrize("name", ["gemm", "qu8_gemm_q31_4x8_aarch32_neon", "qu8_gemm_q31_4x8__arm_neon"])
def test_what_is_no_kernel_name(name: str) -> None:
    with pytest.raises(KernelFileError, match="contract_tile__isa_technique"):
        split_name(name)


def test_reading_behind_a_row_may_be_declared_and_is_zero_otherwise() -> None:
    each = kernel("qu8_sumrows_4x__aarch32_neon")
    assert (each.header.reads_before, each.header.reads_after) == (7, 0)
    longer = each.source.replace("//! reads-before: 7\n", "//! reads-before: 7\n//! reads-after: 15\n")
    assert read_header(longer, each.name).reads_after == 15
    with pytest.raises(KernelFileError, match="number of bytes"):
        read_header(longer.replace("reads-after: 15", "reads-after: some"), each.name)


# What a kernel says of an argument in words of its own: where it needs it not, or only a part of it.
OWN_WORDS = ("not needed", "of which only", "steps per unit is the first")


@pytest.mark.parametrize("isa", ["aarch32", "aarch64"])
def test_in_lines_are_those_that_the_contract_prints(isa: str) -> None:
    """Strides and blocks word for word; results by their type, for a kernel may say what it leaves there."""
    seen = 0
    for each in kernels(isa=isa):
        for argument, line, printed in zip(each.contract.arguments, each.header.inputs,
                                           in_lines(each.contract, isa, each.tile), strict=True):
            assert (line.name, line.place) == (printed.name, printed.place)
            if any(words in line.text for words in OWN_WORDS):
                continue
            if argument.kind in ("params", "stride", "pointers"):
                assert line.text == printed.text, each.name
                seen += 1
            elif isinstance(argument.memory, Out | InOut):
                assert line.text.startswith(("bytes [", argument.memory.dtype)), each.name
                seen += 1
    assert seen > 400


def test_printed_in_lines_are_read_again() -> None:
    lines = in_lines(contract_named("qs8_gemm_rndnu"), "aarch32", Tile.parse("4x8"))
    source, printed = "//! source: own work\n//!\n", "".join(f"{line}\n" for line in lines)
    text = re.sub(r"(?m)^//! in .*\n", "", GOOD).replace(source, source + printed)
    text = text.replace("qu8_sumrows", "qs8_gemm_rndnu").replace("4x", "4x8")
    header = judge_header(text, NAME.replace("qu8_sumrows_4x", "qs8_gemm_rndnu_4x8")).header
    assert header is not None and header.inputs == lines
    assert lines[8].text == "bytes from one block of 8 columns of c to the next"
    assert lines[9].text == "neonsim_rndnu_gemm_params, 20 bytes"
