"""Data among code lies where the code lies: tables of distances, before and behind the code that jumps by them."""

from __future__ import annotations

import pickle
import random
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import neonsim as ns
from neonsim.arm.asm import Program, assemble, load_object
from neonsim.errors import AssemblyError, MachineError
from tests.tiers import every

ENGINES = ("interpreter", "python", "compiled", None)
AS = {"aarch64": ("aarch64-linux-gnu-as", "aarch64-linux-gnu-objcopy"),
      "aarch32": ("arm-linux-gnueabihf-as", "arm-linux-gnueabihf-objcopy")}

# directive, load (AArch64, AArch32), shift of the index, distances in words?
WIDTHS = {"byte": (".byte", "ldrb w2, [x1, x0]", "ldrb r2, [r1, r0]", True),
          "hword": (".hword", "ldrsh x2, [x1, x0, lsl #1]", "add r3, r1, r0\nldrsh r2, [r3, r0]", False),
          "word": (".word", "ldrsw x2, [x1, x0, lsl #2]", "ldr r2, [r1, r0, lsl #2]", False),
          "xword": (".xword", "ldr x2, [x1, x0, lsl #3]", "ldr r2, [r1, r0, lsl #3]", False)}


def switch(isa: str, width: str, before: bool, local: bool) -> str:
    """A function that returns 10, 20, 30 or 40 for 0 to 3, by a table before or behind its code."""
    word, load64, load32, quarter = WIDTHS[width]
    name, near = ("1", "1b" if before else "1f") if local else ("table", "table")
    own = "1b" if local else "table"
    distances = ", ".join(f"({case} - {own}) / 4" if quarter else f"{case} - {own}" for case in "abcd")
    if width == "xword" and isa == "aarch32":
        distances = distances.replace(", ", ", 0, ")
        word, distances = ".word", distances + ", 0"
    table = f".p2align 2\n{name}: {word} {distances}\n.p2align 2\n"
    if isa == "aarch64":
        head = f"f: adr x1, {near}\n{load64}\nadd x1, x1, x2{', lsl #2' if quarter else ''}\nbr x1\n"
        cases = "".join(f"{case}: mov w0, #{10 * n}\nret\n" for n, case in enumerate("abcd", 1))
    else:
        head = f"f: adr r1, {near}\n{load32}\nadd pc, r1, r2{', lsl #2' if quarter else ''}\n"
        cases = "".join(f"{case}: mov r0, #{10 * n}\nbx lr\n" for n, case in enumerate("abcd", 1))
    cases = cases.replace("c:", ".p2align 4\nc:")  # what fills up counts as code
    if before and width == "byte":  # an unsigned byte reaches forwards only
        return f".global f\n{table}{head}{cases}"
    return f".global f\n{table}{head}{cases}" if before else f".global f\n{head}{cases}{table}" \
        if width != "byte" else f".global f\n{head}{table}{cases}"


KINDS = [(isa, width, before, local) for isa in AS for width in WIDTHS for before in (False, True)
         for local in (False, True)]


@pytest.mark.parametrize(("isa", "width", "before", "local"), every(3, KINDS))
def test_a_jump_by_a_table(isa: str, width: str, before: bool, local: bool) -> None:
    program = assemble(switch(isa, width, before, local), isa)
    again = assemble(str(program), isa)
    assert again == program and str(again) == str(program) and pickle.loads(pickle.dumps(program)) == program
    for engine in ENGINES[:2] + ENGINES[3:]:
        machine = ns.Machine(isa)
        assert [machine.call(program, n, engine=engine).returned for n in range(4)] == [10, 20, 30, 40], engine


@pytest.mark.parametrize("isa", every(2, AS))
def test_every_engine_wherever_it_lies(isa: str) -> None:
    """One program in machines where it lies elsewhere, and several in one."""
    program, other = (assemble(switch(isa, "hword", before, True), isa) for before in (True, False))
    large = assemble("f: b 1f\n.zero 40000\n1: " + ("ret" if isa == "aarch64" else "bx lr"), isa)
    bases: set[int] = set()
    for engine in ENGINES:
        machines = [ns.Machine(isa) for _ in range(3)]
        for first in range(2):  # what is loaded before moves what comes behind
            machines[first].call((other, large)[first], 1, engine="interpreter")
        for machine in machines:
            machine.memory.alloc(100 * len(bases))
            for n in (3, 0, 2, 1):
                assert machine.call(program, n, engine=engine).returned == 10 * n + 10, engine
                assert machine.call(other, n, engine=engine).returned == 10 * n + 10, engine
            assert machine.program is not None
            bases.add(machine.program.base)
    assert len(bases) == 3
    # On a grid all tiles go one way.
    machine = ns.Machine(isa)
    c = machine.memory.alloc(4 * 6, name="c")
    text = switch(isa, "hword", False, False)
    store = "str w0, [x3]\nret" if isa == "aarch64" else "str r0, [r12]\nbx lr"
    move = "mov x3, x1\n" if isa == "aarch64" else "mov r12, r1\n"
    text = text.replace("\nret\n", f"\n{store}\n").replace("\nbx lr\n", f"\n{store}\n").replace("f: ", f"f: {move}")
    rows = c + 4 * np.arange(6).reshape(2, 3)
    for engine in ("interpreter", "compiled"):
        for n in range(4):
            machine.call(assemble(text, isa), n, rows, tiles=ns.Grid(2, 3), engine=engine)
            assert (machine.memory.fetch("c", np.uint32) == 10 * n + 10).all(), engine


@pytest.mark.parametrize("isa", AS)
def test_a_trace_of_it(isa: str, tmp_path: Path) -> None:
    program = assemble(switch(isa, "hword", True, True), isa)
    result = ns.Machine(isa).call(program, 2, trace=True)
    assert result.trace is not None
    again = ns.load_trace(result.trace.save(tmp_path / "x.neontrace"))
    assert again.to_text() == result.trace.to_text()
    assert ns.arm.machine.rerun(again, again.program, max_steps=100)[0].to_text() == result.trace.to_text()


@pytest.mark.parametrize("isa", AS)
def test_only_the_data_can_be_read(isa: str) -> None:
    """Instructions have no bytes, and two tables are two buffers."""
    x, back = ("x", "ret") if isa == "aarch64" else ("r", "bx lr")
    program = assemble(f"f: adr {x}1, t\nldrb {x.replace('x', 'w')}0, [{x}1, {x}0]\n{back}\nt: .byte 1, 2, 3\n"
                       f".p2align 2\ng: {back}\nu: .byte 9", isa)
    machine = ns.Machine(isa)
    assert [machine.call(program, at, sanitize=False).returned for at in (0, 2, 8)] == [1, 3, 9]
    for at in (-1, 8 + 1 + 16, 1 << 16):
        with pytest.raises(ns.MemoryFault):
            ns.Machine(isa).call(program, at % (1 << 32 if isa == "aarch32" else 1 << 64))
    with pytest.raises(AssemblyError, match="Instructions have no bytes"):
        assemble(f"f: ldr {x}0, g\ng: {back}", isa)


@pytest.mark.parametrize(("text", "words"), [
    ("f: ret\n.zero 300\ng: ret\n.byte g - f", "304 does not fit 1 byte"),
    ("f: ret\n.byte f - 1b + 300\n1: ret", "There is no label"),
    ("f: ret\n1: .zero 40000\ng: ret\n.hword 1b - g, 1b - g - 1", ""),
    ("f: ret\n1: .zero 70000\ng: ret\n.hword g - 1b", "70000 does not fit 2 bytes"),
    ("f: ret\n1: .zero 40000\ng: ret\n.hword 1b - g", "-40000 does not fit 2 bytes"),
    ("f: ret\n.hword f", "An address is 4 or 8 bytes wide (.word, .xword), and .hword holds 2"),
    ("f: ret\n.byte x - f\n.data\nx: .word 1", "A distance to another section is 4 or 8 bytes wide"),
    ("f: ret\n.octa f", "An address is 4 or 8 bytes wide"),
    ("f: b t\nt: .word 1\nret", "`t` is data, but a branch needs an instruction"),
    ("f: b .+2\nret", "is not an instruction of this program"),
    ("f: nop\n.word 1\nret", "would run into this data"),
    ("f: ret\n.set x, f + 2\nret", "without an instruction"),
])
def test_what_does_not_fit_is_never_cut(text: str, words: str) -> None:
    for isa in AS:
        source = text if isa == "aarch64" else text.replace("ret", "bx lr")
        with pytest.raises(AssemblyError) as caught:
            assemble(source, isa)
        assert words in caught.value.message and caught.value.line


def test_a_number_that_does_not_fit_once_it_is_in_memory() -> None:
    program = assemble("f: ldr r0, =x\nbx lr\n.data\nx: .word x + 0x7fffffff, x + 0x7fffffff", "aarch32")
    assert ns.Machine("aarch32").call(program).returned
    program = assemble("f: ret\n.data\nx: .word x + 0xffffffff", "aarch64")
    with pytest.raises(MachineError, match=r"at offset 0 of \.data does not fit 4 bytes"):
        ns.Machine().call(program)


def test_where_labels_are() -> None:
    """Beside data that is not a multiple of the size of words, and beside what fills up."""
    program = assemble("f: adr x0, t\nadr x1, e\nsub x0, x1, x0\nb g\nt: .byte 1, 2, 3\ne:\n.p2align 4\ng: ret\n"
                       "h: .p2align 5\nret\nw: .word 7\ni: .p2align 4\nret\nj: .byte 4", "aarch64")
    assert ns.Machine().call(program, entry="f").returned == 3
    assert program.symbols == {"f": 0, "g": 4, "h": 5, "i": 6} and assemble(str(program), "aarch64") == program
    for entry in ("g", "h", "i"):
        ns.Machine().call(program, entry=entry)
    with pytest.raises(AssemblyError, match="a call must begin at an instruction"):
        ns.Machine().call(program, entry="w")


@pytest.mark.parametrize(("here", "filled"), [
    ("from:", ".p2align 4"), ("1:", ".p2align 4"), ("", ".p2align 3\nfrom: .p2align 5"),
    ("", ".p2align 3\n1: .p2align 5")])
def test_the_place_before_what_fills_up(here: str, filled: str) -> None:
    """A distance and the address that it is added to mean the same place: GCC counts from behind its BR."""
    near, own = ("1f", "1b") if "1:" in here + filled else ("from", "from")
    program = assemble(f"f: adr x1, {near}\nadrp x3, table\nadd x3, x3, :lo12:table\nldrsh x2, [x3, x0, lsl #1]\n"
                       f"add x1, x1, x2\nbr x1\n{here}\n{filled}\na: mov w0, #1\nret\n.p2align 6\nb: mov w0, #2\n"
                       f"ret\n.section .rodata\ntable: .hword a - {own}, b - {own}", "aarch64")
    assert assemble(str(program), "aarch64") == program
    for engine in ("interpreter", "python"):
        assert [ns.Machine().call(program, n, entry="f", engine=engine).returned for n in (0, 1)] == [1, 2]


def test_names_that_are_made_are_nobodys() -> None:
    for text in ("f: adr x0, 1f\nldrb w0, [x0]\nret\n.Lcode_16: ret\n1: .byte 7\n.Lcode_12:",
                 "adr x0, 1f\nldrb w0, [x0]\nret\n1: .byte 7\n.data\n.Lcode: .quad 1b\n.Ldata0_0:"):
        program = assemble(text, "aarch64")
        assert assemble(str(program), "aarch64") == program
        assert ns.Machine().call(program).returned == 7


@pytest.mark.nightly
@pytest.mark.parametrize(("isa", "width", "before", "local"), KINDS)
def test_the_bytes_of_gnu(isa: str, width: str, before: bool, local: bool, tmp_path: Path) -> None:
    text = switch(isa, width, before, local)
    same_bytes(text, isa, tmp_path)
    # Back from the object: other text, the same table.
    taken = load_object(tmp_path / "x.o")
    assert [ns.Machine(isa).call(taken, n).returned for n in range(4)] == [10, 20, 30, 40]


@pytest.mark.nightly
@pytest.mark.parametrize("isa", AS)
def test_the_bytes_of_gnu_for_any_layout(isa: str, tmp_path: Path) -> None:
    rng, done = random.Random(5), 0
    for _ in range(300):
        labels = [f"l{n}" for n in range(8)]
        lines = []
        back = "ret" if isa == "aarch64" else "bx lr"
        for label in labels:
            lines += [f".p2align {rng.randrange(2, 6)}{rng.choice(('', ',,7', ',0,40'))}"] * (rng.random() < 0.4)
            lines += [f"{label}: {back}"] + [back] * rng.randrange(4)
            if rng.random() < 0.6:
                for _ in range(rng.randrange(1, 4)):
                    a, b = rng.choice(labels), rng.choice([*labels, ".", "3b"])
                    lines.append(f"3: {rng.choice(('.byte', '.hword', '.word'))} {a} - {b}, {rng.randrange(100)}")
                    lines += [f".ascii \"{'x' * rng.randrange(5)}\""] * (rng.random() < 0.3)
                lines.append(".p2align 2")
        text = "\n".join(lines) + "\n"
        try:
            program = assemble(text, isa)
        except AssemblyError as problem:
            assert "does not fit" in problem.message, text
            continue
        assert assemble(str(program), isa) == program
        same_bytes(text, isa, tmp_path)
        same_bytes(str(program), isa, tmp_path)
        done += 1
    assert done > 150


SWITCH = """int g(int x, int *p) { switch (x) { case 10: p[0] = 1; return 7; case 11: p[1] = 2; return 9;
case 12: p[2] = 5; return 1; case 13: return p[1] * 3; case 14: return p[0]; case 15: return p[3] + p[2];
case 16: return 4; } return p[7]; }"""


@pytest.mark.nightly
@pytest.mark.parametrize("level", ["-O1", "-O2", "-Os"])
@pytest.mark.parametrize("align", ["-fno-align-labels", "-falign-labels=16", "-falign-labels=64"])
@pytest.mark.parametrize("isa", AS)
def test_the_tables_of_gcc(isa: str, align: str, level: str, tmp_path: Path) -> None:
    gcc = ["aarch64-linux-gnu-gcc"] if isa == "aarch64" else ["arm-linux-gnueabihf-gcc", "-marm"]
    if shutil.which(gcc[0]) is None:
        pytest.skip(f"needs {gcc[0]}: make system-packages")
    source = tmp_path / "x.c"
    source.write_text(SWITCH)
    for way, name in (("-S", "x.s"), ("-c", "x.o")):
        options = [level, align, "-fno-tree-switch-conversion", way]
        subprocess.run([*gcc, *options, str(source), "-o", str(tmp_path / name)], check=True)
    for program in (assemble(tmp_path / "x.s", isa), load_object(tmp_path / "x.o")):
        assert assemble(str(program), isa) == program
        for engine in ENGINES:
            found = []
            for x in range(9, 18):
                machine = ns.Machine(isa)
                p = machine.memory.place(np.array([3, 5, 7, 11, 13, 17, 19, 23], np.int32))
                found.append(machine.call(program, x, p, engine=engine).returned)
            assert found == [23, 7, 9, 1, 15, 3, 18, 4, 23], engine


def same_bytes(text: str, isa: str, folder: Path) -> Program:
    assembler, copier = AS[isa]
    if shutil.which(assembler) is None:
        pytest.skip(f"needs {assembler}: make system-packages")
    source, made, raw = folder / "x.s", folder / "x.o", folder / "x.bin"
    source.write_text(text)
    subprocess.run([assembler, str(source), "-o", str(made)], check=True, capture_output=True)
    subprocess.run([copier, "-O", "binary", "-j", ".text", str(made), str(raw)], check=True)
    theirs = raw.read_bytes()
    program = assemble(text, isa)
    assert program.offsets[-1] in range(len(theirs) - 3, len(theirs) + 4), text
    for section in program.data:
        assert section.offset is not None and not section.relocations
        assert theirs[section.offset:section.offset + len(section.contents)] == section.contents, text
    return program
