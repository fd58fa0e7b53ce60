"""Sums as deep as it takes: every kernel holds them, and sums kept in 16 bits (of 16x8: never drained) are noticed."""

from __future__ import annotations

import re
from typing import Any

import pytest

from neonsim.arm.asm import assemble
from neonsim.ukernel import Kernel, Tile, cases, contracts, kernel, kernels, run_cases
from neonsim.ukernel.cases import deep
from neonsim.verify.checking import ContractRun, check
from neonsim.verify.checking.mutations import flat
from neonsim.verify.checking.target import KernelUnderTest
from tests.tiers import every, first_of_each

DEEP = [each for each in kernels() if any(True for _ in deep(each.contract.name, each.tile))]
# Contracts that add up no more than 16 bits hold, few numbers, or floats.
SHALLOW = re.compile(r"^f32_|_f32_(vcvt|dequantize)|x8_|_vadd|_vsub|_vmul|_vcvt|_vlrelu|clamp|rmax|maxpool|softmax"
                     r"|quantize|winograd|quotient|lut32norm|qs8_gavgpool$")
# What adds to a wide lane, and the lane.
ADDS = re.compile(r"\s*([su])(?:mlal2?|addw2?|adalp|dot|mmla) +([^,]+)\.(4s|2d),")


def _failures(each: Kernel, text: str | None = None) -> list[Any]:
    program = each.program() if text is None else assemble(text, isa=each.isa)
    return run_cases(program, each.name, deep(each.contract.name, each.tile), lockstep=False, sanitize=text is None,
                     max_steps=200_000, reads_before=each.header.reads_before, reads_after=each.header.reads_after)


@pytest.mark.parametrize("each", first_of_each(lambda k: k.path.parent, DEEP), ids=str)
def test_kernels_hold_deep_sums(each: Kernel) -> None:
    assert not _failures(each)


def test_every_contract_that_sums_has_deep_calls() -> None:
    named = {each.contract.name for each in DEEP}
    assert {c.name for c in contracts() if not SHALLOW.search(c.name)} == named - {"qs8_avgpool_quotient"}
    assert [case.sizes for case in deep("qu8_gavgpool", "8x")] == [(258, 7), (1032, 7)]
    other = [case.sizes for case in deep("qu8_sumrows", "4x", seed=3)]
    assert all(k < more[1] < k + 16 for k, more in zip((258, 2064, 8256), other, strict=True))


def _cut(line: str, wide: str, less: int) -> str:
    """A line, and if it adds to lanes of that width (4s, 2d) these cut by so many bits."""
    found = ADDS.match(line)
    if found is None or found[3] != wide:
        return line
    lane = f"{found[2]}.{wide}"
    return f"{line}\n    shl {lane}, {lane}, #{less}\n    {found[1]}shr {lane}, {lane}, #{less}"


def _narrow(each: Kernel, wide: str, less: int) -> str:
    lines = flat(each)
    changed = [_cut(line, wide, less) for line in lines]
    assert changed != list(lines), "no line of it adds to wide lanes"
    return "\n".join(changed) + "\n"


@pytest.mark.parametrize("each", first_of_each(lambda k: k.path.parent, (
    each for each in DEEP if each.isa == "aarch64" and each.tile.nr != 1)), ids=str)
def test_sums_cut_to_half_their_bits_are_noticed(each: Kernel) -> None:
    assert _failures(each, _narrow(each, "2d", 32) if each.contract.name.endswith("_s64") else _narrow(each, "4s", 16))


@pytest.mark.parametrize("name", every(3, [
    "qu8_gemm_q31_8x8__aarch64_neon_mlal_lane", "qs8_igemm_rndnu_4x16__aarch64_neon_mlal_lane",
    "qs8_dwconv_s32_8x9__aarch64_neon_mul16", "qu8_conv_q31_8x8__aarch64_neon_mlal_lane",
    "s8_gemm_s32_4x8__aarch64_neon_mlal_lane", "s16_gemm_s32_4x8__aarch64_neon_generated"]))
def test_sums_of_31_bits_are_noticed(name: str) -> None:
    found = _failures(kernel(name), _narrow(kernel(name), "4s", 1))
    assert [failure for failure in found if "near" in failure.case.name]


# Lanes of 16 bits that wrap, as people write them: shallow calls do not show it.
SUM_ROWS = """
        .global sums
sums:   movi    v1.8h, #0
        mov     w6, #0
        subs    x2, x2, #8
        b.lo    2f
1:      ld1     {v0.8b}, [x0], #8
        uaddw   v1.8h, v1.8h, v0.8b
        subs    x2, x2, #8
        b.hs    1b
2:      adds    x2, x2, #8
        b.eq    4f
3:      ldrb    w7, [x0], #1
        add     w6, w6, w7
        subs    x2, x2, #1
        b.ne    3b
4:      uaddlv  s1, v1.8h
        fmov    w7, s1
        add     w6, w6, w7
        mul     w6, w6, w4
        str     w6, [x5]
        ret
"""
FEW_CHANNELS = (("uaddw       v16.4s, v16.4s, v0.4h", "add v18.8h, v18.8h, v0.8h"),
                ("uaddw2      v17.4s, v17.4s, v0.8h", "nop"),
                ("mov         v17.16b, bias.16b", "mov v17.16b, bias.16b\n    movi v18.8h, #0"),
                ("b.ne        0b", "b.ne 0b\n    uaddw v16.4s, v16.4s, v18.4h\n    uaddw2 v17.4s, v17.4s, v18.8h"))


def test_a_sum_of_rows_in_lanes_of_16_bits() -> None:
    program, tile = assemble(SUM_ROWS, isa="aarch64"), Tile(1, None, 1)
    assert not run_cases(program, "sums", cases("qu8_sumrows", tile))
    what = KernelUnderTest(program, "sums", "mine.S", "qu8_sumrows", tile)
    result = ContractRun(what, lambda size: deep(what.contract, tile)).run(full=False)
    assert not result and result.smallest is not None and result.smallest.sizes == {"m": 1, "k": 2064}


def test_the_verdict_names_the_sizes() -> None:
    text = SUM_ROWS.replace("b.lo    2f", "b       2f")      # byte by byte
    what = KernelUnderTest(assemble(text, isa="aarch64"), "sums", "mine.S", "qu8_sumrows", Tile(1, None, 1))
    found = check(what, size="quick")
    assert found and found.sizes.startswith("sizes tried: m 1; k 1 to 9, 14 to 17, ")
    assert str(found).endswith(found.sizes) and found.sizes.endswith(", 48, 258, 2064, 8256")
    assert found.to_dict()["called_sizes"]["m"] == [1]


def test_an_average_in_lanes_of_16_bits() -> None:
    each = kernel("qu8_gavgpool_8x__aarch64_neon_few_channels")
    text = "\n".join(flat(each)) + "\n"
    for line, put in FEW_CHANNELS:
        assert line in text
        text = text.replace(line, put, 1)
    assert {found.case.sizes[0] for found in _failures(each, text)} == {258, 1032}
    few = cases(each.contract.name, each.tile)[::20]
    assert not run_cases(assemble(text, isa="aarch64"), each.name, few, reads_before=each.header.reads_before)


def test_sums_of_16x8_that_are_never_drained() -> None:
    each = kernel("qs16_qc8w_gemm_s64_4x4__aarch64_neon_mlal_lane")
    source = "\n".join(flat(each)) + "\n"
    text, times = re.subn(r"#256\b", "#4096", source)
    assert times and _failures(each, text)
