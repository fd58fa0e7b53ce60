"""Sections and subsections lie as GNU as lays them: nothing falls from one into another."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest

import neonsim as ns
from neonsim.arm.asm import Program, assemble
from neonsim.errors import AssemblyError

AS = {"aarch64": "aarch64-linux-gnu-as", "aarch32": "arm-linux-gnueabihf-as"}

TWICE = """
    .text
    .global f
f:  mov x0, #1
    cbz x1, 2f
    {away}
2:  mov x0, #100
    b 3f
    {back}
    add x0, x0, #10
3:  add x0, x0, #1000
    ret
"""


@pytest.mark.parametrize(("away", "back"), [
    (".subsection 1", ".previous"), (".subsection 1", ".text"), (".text 1", ".text 0"), (".text 1", ".previous"),
    ('.pushsection .text.unlikely,"ax"', ".popsection"), ('.section .text.cold,"ax",%progbits', ".previous"),
    (".pushsection .text, 7", ".popsection"), ('.pushsection .text.x, 2, "ax"', ".popsection"),
    (".section .init", ".text"), (".subsection 3\nnop\n.subsection 2", ".subsection 0"),
])
def test_code_is_laid_by_section(away: str, back: str) -> None:
    program = assemble(TWICE.format(away=away, back=back), "aarch64")
    assert [ns.Machine().call(program, 0, x1).returned for x1 in (1, 0)] == [1011, 1100]
    assert assemble(str(program), "aarch64") == program


def test_the_order_of_memory() -> None:
    text = """.text\nmov x0, #0\n.text 2\nmov x0, #2\n.section .text.b,"ax"\nmov x0, #4\n.text 1\nmov x0, #1
    .section .text.c,"ax"\nmov x0, #6\n.section .text.b\nmov x0, #5\n.text 2\nmov x0, #3\nret"""
    assert [str(i) for i in assemble(text, "aarch64").instructions] == [
        "mov x0, #0", "mov x0, #1", "mov x0, #2", "mov x0, #3", "ret", "mov x0, #4", "mov x0, #5", "mov x0, #6"]


def test_data() -> None:
    text = """f: ret\n.data\na: .byte 1\n.data 2\nb: .byte 4\n.subsection 1\n.byte 2\n.previous\n.byte 5\n.data 1
    .balign 4\nc: .byte 3\n.word b - a\n.data\n.word c\n"""
    (data,) = assemble(text, "aarch64").data
    assert data.contents == bytes([1, 0, 0, 0, 0, 2, 0, 0, 3, 13, 0, 0, 0, 4, 5])
    assert [(r.offset, r.value) for r in data.relocations] == [(1, 8)]


def test_built_in_functions_lie_behind_all_sections() -> None:
    program = assemble('.global f\nf: b g\n.section .text.cold,"ax"\ng: b memcpy', "aarch64")
    assert program.text_length == 2 and list(program.built_in) == ["memcpy"]
    assert assemble(str(program), "aarch64") == program


@pytest.mark.parametrize(("text", "words"), [
    (".subsection 9000\nret", "be 0 to 8192; got 9000"),
    (".text -1\nret", "be 0 to 8192"),
    (".subsection x\nret", "not a constant|A constant number"),
    ("".join(f'.section .text.{n},"ax"\nret\n' for n in range(1001)), "more than 1,000 sections"),
])
def test_errors(text: str, words: str) -> None:
    with pytest.raises(AssemblyError, match=words):
        assemble(text, "aarch64")


def check(program: Program, data: bytes, word: bytes) -> None:
    """Data and instructions, all of which are `word`, are where GNU as has them; what fills up is its own choice."""
    assert 0 <= len(data) - program.offsets[-1] < 1 << 5    # the end of .text is as aligned as its begin
    for run in program.data:
        if run.offset is not None:
            assert all(a == b for a, b in zip(data[run.offset:], run.contents, strict=False) if b)
    assert all(data[offset:offset + 4] == word for offset in program.offsets[:-1])


@pytest.mark.slow
@pytest.mark.parametrize("isa", AS)
def test_the_bytes_of_gnu(isa: str, tmp_path: Path) -> None:
    """Labels and data in any subsections of .text, whose distances say where all of it lies."""
    if shutil.which(AS[isa]) is None:
        pytest.skip(f"needs {AS[isa]}: make system-packages")
    rng = random.Random(11)
    back = "ret" if isa == "aarch64" else "bx lr"
    for _ in range(40):
        lines, labels = [], [f"l{n}" for n in range(12)]
        for label in labels:
            lines.append(rng.choice((".text", ".text 1", ".subsection 2", ".previous", "")))
            lines += [f"{label}: {back}"] + [back] * rng.randrange(3)
            lines += [f".p2align {rng.randrange(2, 6)}"] * (rng.random() < 0.3)
            for _ in range(rng.randrange(3)):
                lines.append(f".word {rng.choice(labels)} - {rng.choice(labels)}")
        text = "\n".join(lines) + "\n"
        program = assemble(text, isa)
        assert assemble(str(program), isa) == program
        for number, source in enumerate((text, str(program))):
            (tmp_path / "a.s").write_text(source)
            subprocess.run([AS[isa], "a.s", "-o", f"{number}.o"], cwd=tmp_path, check=True)
            subprocess.run([AS[isa].replace("-as", "-objcopy"), "-O", "binary", "-j", ".text", f"{number}.o",
                            f"{number}.bin"], cwd=tmp_path, check=True)
            word = {"aarch64": 0xD65F03C0, "aarch32": 0xE12FFF1E}[isa].to_bytes(4, "little")
            check(program, (tmp_path / f"{number}.bin").read_bytes(), word)
