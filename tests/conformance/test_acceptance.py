"""GNU as and our assembler take the same lines, but for what is listed here with its reason."""

from __future__ import annotations

import re

import oracle
import pytest
from cases import PARTS, decoder, enumerated

pytestmark = pytest.mark.nightly

# Lines that GNU as takes and we refuse: (pattern, why)
WIDER = {
    "aarch64": [
        (r"x3, [us]xt[bhw]|x2, [us]xt[bhw]", "UXTB to SXTW extend a w register; GNU as lets its x name pass"),
        (r"w[23], [us]xtx", "UXTX and SXTX read an x register; GNU as lets a w name pass and reads x all the same"),
        (r"^uxtw w1, w2$", "MOV, under the name of what it does to an x register"),
        (r"^(mov w1|bic w1, w2), #18446744073709\d*$", "a 64-bit number for a 32-bit register"),
        (r"^(m(ov|vn)i|bic|orr) .*#-1", "GNU as makes 255 of -1, whatever the lane"),
        (r"^(f|[su]cvtf).*(\b[dh]\d|v\d\.(4h|8h|2d)|\.[hd]\[)", "double and half precision arithmetic come later"),
    ],
    "aarch32": [
        (r"^vcvt.* (s\d+, [dq]|d\d+, [sq]|q\d+, [sd])", "GNU as takes registers of two sizes"),
        (r"^vcvt(r|.*f16).* (d\d+, d|q\d+, q)", "GNU as takes d and q registers for s, d for q"),
        (r"^vcvt.*#0$", "GNU as makes VCVT without fraction bits of #0"),
        (r"^v(ld|st)\d.*, -r8", "can only add the register; GNU as drops the sign"),
        (r"^v(ld|st)\d.*, r8, lsl", "there is no shifted form; GNU as drops the shift"),
        (r"^((ld|st|vld|vst)r|pl).*\[r12:\d+\]", "VLD1 to VLD4, VST1 to VST4 take an alignment; GNU as drops it"),
        (r"^v(ld|st)r(\.16)? .*, (-?r8|sp|pc)[],]", "there is no register offset; GNU as drops it"),
        (r"^vmov\.f(16|64) .*#0x", "GNU as takes the bits of single precision for a number of any width"),
        (r"^f(ld|st)m\w+x .*\bd16\b", "registers behind d15 are unpredictable in FLDMX and FSTMX"),
        (r"^(lsr|asr|ror)s? .*#0$", "GNU as makes LSL of a shift by 0"),
        (r"^(ssat|usat|pkhtb).*, asr #0$", "GNU as makes LSL of a shift by 0, and PKHBT of PKHTB"),
        (r"^vq?r?shru?n?\..*#0$", "GNU as makes VMOV, VMOVN or VQMOVN of a shift by 0"),
        (r"^v(bic|orr)\.f32 .*#", "GNU as takes a type that says nothing about the constant"),
        (r"^v(bic|orr)\.[siu]?(8|64) .*#", "GNU as takes 0 for lanes of any width"),
        (r"^vshll\.", "GNU as takes shifts of more than the lane"),
        (r"^vdup\..*\[[2-7]\]", "GNU as takes lanes that the register does not have"),
        (r"^stm\w* r12!, \{r12\}", "what is stored of the base is not defined in general"),
        (r"^v(mov|mvn)\.\w+ .*#\d{12}", "a 64-bit constant for narrower lanes, which GNU as cuts"),
        (r"^vmvn\.[siu]?(8|64) .*#", "GNU as makes VMOV of it; VMVN has 16 and 32 bits"),
    ],
}
# Lines that we take and GNU as refuses.
NARROWER = {
    "aarch64": [],
    "aarch32": [(r"^v(mov|mvn)\.\w+ .*#-1$", "the same bits as 0xff or 0xffff, which GNU as takes")],
}


@pytest.mark.parametrize("isa", ["aarch64", "aarch32"])
@pytest.mark.parametrize("part", range(PARTS))
def test_the_same_lines_are_accepted(isa: str, part: int) -> None:
    if reason := oracle.missing(isa):
        pytest.skip(reason)
    decoded = decoder(isa)
    lines = list(enumerated(isa, part=(part, PARTS)))
    assert len(lines) > 1000
    words = oracle.assemble(isa, lines)
    ours = [decoded(line) is not None for line in lines]
    fewer = [re.compile(pattern) for pattern, _ in NARROWER[isa]]
    only_ours = [line for line, word, mine in zip(lines, words, ours, strict=True)
                 if mine and word is None and not any(p.search(line) for p in fewer)]
    assert not only_ours, f"{len(only_ours)} lines GNU as refuses, among them {only_ours[:20]}"
    known = [re.compile(pattern) for pattern, _ in WIDER[isa]]
    only_gas = [line for line, word, mine in zip(lines, words, ours, strict=True)
                if not mine and word is not None and not any(p.search(line) for p in known)]
    assert not only_gas, f"{len(only_gas)} lines only GNU as takes, among them {only_gas[:20]}"
