"""Object files: calls, data, relocations of every kind; damage gives a NeonsimError and can only be added to."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import neonsim as ns
from neonsim.arm.asm import Program, assemble, load_object, parse_operands
from neonsim.arm.asm.object.disassembler import disassembler, render_word
from neonsim.arm.asm.object.relocations import extra_encoding
from neonsim.arm.isa import SourcePosition, select_form
from neonsim.errors import BadArgument, NeonsimError
from tests.arm.asm.sections import differences
from tests.tiers import examples

HERE = Path(__file__).parent / "objects"
KERNELS = Path(__file__).parents[3] / "kernels"
OBJECTS = ["aarch64", "aarch32", "aarch32_pic"]
GCC = {"aarch64": ["aarch64-linux-gnu-gcc"], "aarch32": ["arm-linux-gnueabihf-gcc", "-marm", "-mfpu=neon"]}


def check(program: Program) -> None:
    """Call the functions of answers.c."""
    machine = ns.Machine(program.isa)
    numbers = machine.memory.place(np.arange(10, dtype=np.int32), name="numbers")
    text = machine.memory.alloc(64, name="text")
    assert machine.call(program, numbers, 10, entry="sum").returned == 45
    assert [machine.call(program, 2, entry="use").returned for _ in range(3)] == [3 + 6 + 2, 3 + 7 + 4, 3 + 8 + 6]
    assert [machine.call(program, which, 7, entry="apply").returned for which in (0, 1)] == [14, 21]
    machine.call(program, text, numbers, 40, entry="copy")
    machine.call(program, text, 42, entry="shift")
    expected = np.arange(10, dtype=np.int32).tobytes() + b"\7\7\7"
    assert machine.memory.fetch("text").tobytes()[:43] == expected[:1] + expected[:42]


def compile_(isa: str, source: Path, folder: Path, *options: str) -> Path:
    if shutil.which(GCC[isa][0]) is None:
        pytest.skip(f"needs {GCC[isa][0]}: make system-packages")
    subprocess.run([*GCC[isa], *options, "-c", str(source), "-o", str(folder / "a.o")], check=True)
    return folder / "a.o"


@pytest.mark.parametrize("name", OBJECTS)
def test_an_object(name: str) -> None:
    program = ns.load_object(HERE / f"{name}.o")
    assert program.isa == name.partition("_")[0]
    assert {"sum", "use", "copy", "shift", "apply", "memcpy"} <= set(program.symbols)
    assert set(program.globals) >= {"sum", "use", "copy", "shift", "apply", "counter", "functions"}
    check(program)


@pytest.mark.parametrize("name", OBJECTS)
def test_from_bytes_and_its_listing(name: str) -> None:
    program = load_object((HERE / f"{name}.o").read_bytes())
    assert program == load_object(str(HERE / f"{name}.o"))
    again = assemble(str(program), program.isa)
    assert again == program
    check(again)
    assert program.path.endswith("(disassembled)") and program.instructions[0].position.line <= len(program.lines)


@pytest.mark.nightly
@pytest.mark.parametrize("level", ["-O0", "-O1", "-O2", "-O3", "-Os"])
@pytest.mark.parametrize("pic", ["", "-fno-pic", "-fPIC"])
@pytest.mark.parametrize("isa", GCC)
def test_what_gcc_makes(isa: str, pic: str, level: str, tmp_path: Path) -> None:
    path = compile_(isa, HERE / "answers.c", tmp_path, level, *[pic] * bool(pic))
    check(load_object(path))


@pytest.mark.nightly
@pytest.mark.parametrize("kernel", sorted(KERNELS.glob("**/*.S")), ids=lambda path: path.stem)
def test_kernels_as_objects(kernel: Path, tmp_path: Path) -> None:
    isa = "aarch32" if "aarch32" in kernel.name else "aarch64"
    newest = ["-march=armv8.6-a"] if isa == "aarch64" else []  # those that need it and do not say so: exercises
    program = load_object(compile_(isa, kernel, tmp_path, f"-I{KERNELS}", *newest))
    text = assemble(kernel, isa, include=[KERNELS])
    assert len(program) == len(text)
    assert [i.target for i in program.instructions] == [i.target for i in text.instructions]
    # Aliases apart (uxtl is ushll, vmov is vorr), the same registers are read and written.
    for ours, theirs in zip(program.instructions, text.instructions, strict=True):
        assert {u.register for u in ours.writes} == {u.register for u in theirs.writes}, (ours, theirs)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("isa", "code", "words"),
    [
        ("aarch64", "_Thread_local int t; int f(void) { return t++; }", "relocation of type"),
    ],
)
def test_what_is_not_there(isa: str, code: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text(code)
    with pytest.raises(NeonsimError, match=words):
        load_object(compile_(isa, tmp_path / "a.c", tmp_path, "-O1"))


@pytest.mark.nightly
def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("int elsewhere(int x); int f(int x) { return x / 3 * elsewhere(x); }")
    program = load_object(compile_("aarch32", tmp_path / "a.c", tmp_path, "-O1"))
    assert program.undefined == ("elsewhere",) and list(program.built_in) == []
    with pytest.raises(ns.MachineError, match="elsewhere"):
        ns.Machine("aarch32").call(program, 7, entry="f")


@pytest.mark.nightly
@pytest.mark.parametrize("isa", GCC)
def test_disassembled_words_parse_back(isa: str, tmp_path: Path) -> None:
    """The recorded lines, through GNU as, Capstone, our decoder and printer, and GNU as again: the same words."""
    lines = []
    for recorded in sorted((Path(__file__).parents[2] / "conformance" / "golden" / isa).rglob("*.npz")):
        with np.load(recorded) as file:
            lines += file["lines"].tobytes().decode().split("\n")
    # GNU as refuses fixed-point numbers of 16 bits beside half precision.
    lines = [line for line in lines if not re.match(r"vcvt\w*\.(f16\.[su]16|[su]16\.f16) s", line)]
    assert len(lines) > 10_000
    march = {"aarch64": ("-march=armv8.6-a+crypto+sha3+sm4+fp16+fp16fml",),
             "aarch32": ("-march=armv8.6-a+fp16+i8mm+simd", "-mfpu=crypto-neon-fp-armv8")}

    def words(text: list[str]) -> bytes:
        (tmp_path / "a.s").write_text("\n".join([".syntax unified" if isa == "aarch32" else "", *text, ""]))
        assembler = GCC[isa][0].replace("-gcc", "-as")
        subprocess.run([assembler, *march[isa], tmp_path / "a.s", "-o", tmp_path / "a.o"], check=True)
        subprocess.run(
            [assembler.replace("-as", "-objcopy"), "-O", "binary", "-j", ".text", tmp_path / "a.o", tmp_path / "a.bin"],
            check=True,
        )
        return (tmp_path / "a.bin").read_bytes()

    if shutil.which(GCC[isa][0]) is None:
        pytest.skip(f"needs {GCC[isa][0]}: make system-packages")
    code = words(lines)
    decoder = disassembler(isa)
    printed, expected, missing, unknown = [], b"", [], set[str]()
    for at in range(0, len(code), 4):
        found = render_word(decoder, isa, code[at : at + 4], at)
        if found is None:
            unknown.add(lines[at // 4].split()[0])
            continue
        mnemonic, operands = found
        try:
            printed.append(str(select_form(isa, mnemonic, parse_operands(isa, operands), position=SourcePosition())))
            expected += code[at : at + 4]
        except ns.AssemblyError as error:
            missing.append(f"{lines[at // 4]}: {mnemonic} {operands}: {error}")
    # Capstone knows no bfloat16 of AArch32, and no FP16FML.
    assert unknown == (set() if isa == "aarch64" else {
        "vdot.bf16", "vfmab.bf16", "vfmat.bf16", "vmmla.bf16", "vfmal.f16", "vfmsl.f16"})
    assert not missing, f"{len(missing)} of {len(lines)}:\n" + "\n".join(missing[:20])
    again = words(printed)
    # Some constants of MOV have two encodings (ORR and MOVN); GNU as takes its own.
    differ = [
        (printed[i // 4], expected[i : i + 4].hex(), again[i : i + 4].hex())
        for i in range(0, len(expected), 4)
        if expected[i : i + 4] != again[i : i + 4] and not (printed[i // 4][:4] == "mov " and "#" in printed[i // 4])
    ]
    assert not differ, f"{len(differ)} of {len(lines)}: {differ[:20]}"


@pytest.mark.parametrize(
    ("word", "text"),
    [
        (0xFC242C46, "vsmmla.s8 q1, q2, q3"),
        (0xFC242C76, "vummla.u8 q1, q2, q11"),
        (0xFCE42C46, "vusmmla.s8 q9, q2, q3"),
        (0xFC252C46, None),
        (0xFCA42D46, "vusdot.s8 q1, q2, q3"),
        (0xFCA21D03, "vusdot.s8 d1, d2, d3"),
        (0xFE821D23, "vusdot.s8 d1, d2, d3[1]"),
        (0xFE842D53, "vsudot.u8 q1, q2, d3[0]"),
        (0xE7F000F0, None),
    ],
)
def test_words_that_capstone_has_no_row_for(word: int, text: str | None) -> None:
    row = extra_encoding(word)
    assert (None if row is None else " ".join(row)) == text


def test_padding_that_is_marked_as_code(tmp_path: Path) -> None:
    """GNU as marks what it fills up behind data as code: moves of r0 to itself, and zeros."""
    text = (".syntax unified\n.global f\nf: adr r3, t2\nldr r2, [r3]\nstr r2, [r0]\nbx lr\n.align 5\nt1: .hword 1\n"
            ".align 8\nt2: .word 42\n")
    (tmp_path / "a.s").write_text(text)
    program = load_object(compile_("aarch32", tmp_path / "a.s", tmp_path))
    machine = ns.Machine("aarch32")
    machine.call(program, machine.memory.place(np.zeros(1, np.uint32), name="out"), entry="f")
    assert list(machine.memory.fetch("out")) == [42]
    assert assemble(str(program), "aarch32") == program
    assert not differences(program, (tmp_path / "a.o").read_bytes())


@pytest.mark.nightly
def test_thumb_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("int f(int x) { return x; }")
    with pytest.raises(NeonsimError, match="-marm"):
        load_object(compile_("aarch32", tmp_path / "a.c", tmp_path, "-mthumb"))


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (b"", "no ELF file"),
        (b"!<arch>\n", "an archive"),
        (b"\x7fELF", "damaged"),
        (b"\x7fELF" + bytes(100), "damaged|not for"),
        ("nowhere.o", "there is no file nowhere.o."),
        ("a\0b", "cannot be read"),
        (".", "is a folder"),
    ],
)
def test_what_is_no_object(source: str | bytes, words: str) -> None:
    with pytest.raises(NeonsimError, match=words):
        load_object(source)


def test_another_type() -> None:
    with pytest.raises(BadArgument, match="int"):
        load_object(3)  # type: ignore[arg-type]


def damaged(data: bytes, seed: int) -> bytes:
    """An object with a few bytes changed, or its end missing."""
    rng = random.Random(seed)
    broken = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8))):
        at = rng.choice((rng.randrange(len(broken)), rng.randrange(64), len(broken) - 1 - rng.randrange(900)))
        broken[at] = rng.choice((0, 1, 255, broken[at] ^ 1 << rng.randrange(8), rng.randrange(256)))
    return bytes(broken[: rng.randrange(len(broken))] if rng.random() < 0.15 else broken)


@pytest.mark.parametrize("name", OBJECTS)
@examples(20)
@given(seed=st.integers(0, 1 << 32))
def test_damage(name: str, seed: int) -> None:
    try:
        load_object(damaged((HERE / f"{name}.o").read_bytes(), seed))
    except NeonsimError as error:
        assert str(error)
