"""Counts: classes, products, and the multiply share: two that are counted, one that is computed from the tile."""

from __future__ import annotations

import pytest

from neonsim.arm.asm import assemble
from neonsim.arm.timing import InstructionStream, StaticInstruction, article_share, count
from neonsim.errors import BadArgument

DEFAULT_4X8 = "\n".join([
    "loop:", *["vld1.8 {d0}, [r3]!"] * 12, *["vmovl.u8 q0, d0"] * 4, *["vsubl.u8 q4, d8, d14"] * 8,
    *["vmlal.s16 q8, d8, d0[0]"] * 64, "subs r2, r2, #8", "bhs loop"])


@pytest.mark.parametrize(("mr", "nr", "percent"), [(4, 8, 57.1), (4, 12, 60.0), (12, 4, 60.0)])
def test_the_article_s_figures_are_computed(mr: int, nr: int, percent: float) -> None:
    assert 100 * article_share(mr, nr) == pytest.approx(percent, abs=0.05)


def test_shares_of_the_4x8_loop() -> None:
    counted = count(assemble(DEFAULT_4X8, "aarch32"), tile=(4, 8))
    assert (counted.instructions, counted.neon, counted.multiplies, counted.macs) == (90, 88, 64, 256)
    shares = [100 * (counted.share_article or 0), 100 * counted.share_neon, 100 * counted.share_all]
    assert shares == pytest.approx([57.1, 72.7, 71.1], abs=0.05)
    text = str(counted)
    before, _, after = text.partition("computed from 4x8")
    assert "72.7 %" in before and "71.1 %" in before and "57.1 %" not in before and "57.1 %" in after


@pytest.mark.parametrize(("isa", "line"), [
    ("aarch32", "vmull.u8 q0, d2, d3\n vpadal.u16 q8, q0"), ("aarch64", "sdot v0.4s, v1.16b, v2.16b"),
    ("aarch64", "smull v0.8h, v1.8b, v2.8b\n smlal v0.8h, v1.8b, v3.8b\n sadalp v4.4s, v0.8h"),
    ("aarch64", "smlal v0.8h, v1.8b, v2.8b"), ("aarch64", "add v0.4s, v1.4s, v2.4s")],
    ids=["multiply_then_add", "dot", "pairs", "eight_lanes", "no_product"])
def test_no_figure_of_the_article_without_multiply_accumulate_of_four(isa: str, line: str) -> None:
    counted = count(assemble(f"loop: {line}\n b loop", isa), tile=(4, 8))
    assert counted.share_article is None and "article" not in str(counted) and "computed" not in str(counted)


@pytest.mark.parametrize(("isa", "line", "macs"), [
    ("aarch64", "smlal v0.4s, v1.4h, v2.4h", 4), ("aarch64", "smlal2 v0.4s, v1.8h, v2.8h", 4),
    ("aarch64", "smlal v0.4s, v1.4h, v2.h[3]", 4), ("aarch64", "umull v0.8h, v1.8b, v2.8b", 8),
    ("aarch64", "umull2 v0.8h, v1.16b, v2.16b", 8), ("aarch64", "umlal v0.2d, v1.2s, v2.2s", 2),
    ("aarch64", "mla v0.4s, v1.4s, v2.4s", 4), ("aarch64", "mul v0.8b, v1.8b, v2.8b", 8),
    ("aarch64", "uadalp v0.4s, v1.8h", 0), ("aarch64", "sqrdmulh v0.4s, v1.4s, v2.4s", 0),
    ("aarch32", "vmlal.s16 q0, d2, d3", 4), ("aarch32", "vmlal.s16 q0, d2, d3[1]", 4),
    ("aarch32", "vmull.u8 q0, d2, d3", 8), ("aarch32", "vmull.s32 q0, d2, d3", 2),
    ("aarch32", "vmul.i32 q0, q1, q2", 4), ("aarch32", "vmul.i16 d0, d1, d2", 4),
    ("aarch32", "vpadal.u16 q0, q1", 0), ("aarch32", "vqrdmulh.s32 q0, q1, q2", 0),
])
def test_products_of_an_instruction(isa: str, line: str, macs: int) -> None:
    jump = "b loop"
    assert count(assemble(f"loop: {line}\n {jump}", isa)).macs == macs


def test_counts_of_a_stream() -> None:
    a = count(InstructionStream.of_ops([StaticInstruction("asimd_mla_long", macs=4),
                                        StaticInstruction("ldr", nbytes=8)], iterations=3, name="three"))
    b = count(InstructionStream.of_ops([StaticInstruction("asimd_mul_long", macs=8)], name="one"))
    assert (a.instructions, a.neon, a.macs, a.nbytes) == (6, 3, 12, 24)
    assert a.kinds == {"NEON multiply": 3, "load": 3}
    assert b.share_article is None and "article" not in str(b)


def test_refusals() -> None:
    with pytest.raises(BadArgument, match="0x8"):
        article_share(0, 8)
    with pytest.raises(BadArgument, match="Cannot time a str"):
        count("smlal")
