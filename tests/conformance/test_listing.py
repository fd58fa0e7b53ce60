"""A printed listing assembled by GNU as gives the bytes of the original text; so does every single printed line."""

from __future__ import annotations

import subprocess
from pathlib import Path

import oracle
import pytest
from cases import PARTS, cases, decoder

from neonsim.arm.asm import assemble
from neonsim.ukernel.catalog import kernels_folder

pytestmark = pytest.mark.nightly

KERNELS = sorted(Path(__file__).parents[2].joinpath("kernels").rglob("*.S"))
PROGRAM = {
    "aarch64": """
        .set STEP, 1 << 2 + 1
        acc .req v16
    f:  cmp x0, STEP ; b.lo 2f
    1:  ld1 {v0.8b}, [x1], 8
        umlal acc.8h, v0.8b, v1.8b
        subs x0, x0, #(STEP * 2 - 9)
        b.hs 1b
    2:  tbz x0, 3, 1b ; cbnz w2, f ; bl f
        ext v0.16b, acc.16b, v3.16b, #'a' - 90
        .inst 0x4ea28420, 0x6f80e220
        ret
    """,
    "aarch32": """
    f:  push {r4-r6, lr} @ keep
        cmp r0, #1 << 3
        blo 2f
    1:  vld1.8 {d0}, [r1:64]!
        vmlal.s16 q8, d0, d2[1 + 2]
        subs r0, 8 ; bhs 1b
    2:  movne r0, r1, lsl 3
        bl f
        adrl r0, f ; adrleq r1, 2b
        vand.i16 d0, #0xff00 ; vorn.i32 q0, q0, #0xffffff00
        .inst 0xf3b00000
        pop {r4-r6, pc}
    """,
}


@pytest.mark.parametrize("isa", ["aarch64", "aarch32"])
def test_a_program(isa: str) -> None:
    if reason := oracle.missing(isa):
        pytest.skip(reason)
    text = PROGRAM[isa]
    head = ".syntax unified\n" if isa == "aarch32" else ""
    assert oracle.text_bytes(isa, head + text) == oracle.text_bytes(isa, str(assemble(text, isa=isa)))


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
def test_kernels(path: Path) -> None:
    isa = "aarch32" if "aarch32" in path.name else "aarch64"
    if reason := oracle.missing(isa):
        pytest.skip(reason)
    # GCC's preprocessor for the includes; the comments of its own that it leaves are comments to GNU as too.
    command = [oracle.PREFIX[isa] + "gcc", "-E", "-P", "-x", "assembler-with-cpp", "-I",
               str(kernels_folder()), str(path)]
    source = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    program = assemble(path, isa=isa, include=[kernels_folder()])
    assert oracle.text_bytes(isa, source) == oracle.text_bytes(isa, str(program))


@pytest.mark.parametrize("isa", ["aarch64", "aarch32"])
@pytest.mark.parametrize("part", range(PARTS))
def test_every_line_prints_as_it_was_written(isa: str, part: int) -> None:
    if reason := oracle.missing(isa):
        pytest.skip(reason)
    decoded = decoder(isa)
    listed = cases(isa, flavors=1, part=(part, PARTS))
    printed = [str(decoded(line)) for line, _ in listed]
    words = oracle.assemble(isa, printed)
    wrong = [(line, text) for (line, word), text, again in zip(listed, printed, words, strict=True) if word != again]
    assert not wrong, f"{len(wrong)} of {len(listed)} lines, among them {wrong[:20]}"
    for (line, _), text in zip(listed, printed, strict=True):
        assert decoded(text) == decoded(line), line
