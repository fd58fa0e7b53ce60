"""Sections, data directives, addresses of labels and literals: assembled, placed in memory, run; QEMU is the judge."""

from __future__ import annotations

import pickle
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from neonsim import Grid, Machine
from neonsim.arm.asm import assemble
from neonsim.errors import AssemblyError, BadArgument, MemoryFault

A64 = """
        .global f
f:      adrp    x0, table
        add     x0, x0, :lo12:table+8
        ldr     x1, [x0]
        adrp    x2, word
        ldr     w3, [x2, #:lo12:word]
        add     x0, x1, x3
        ldr     x4, =0x123456789
        ldr     x5, =word + 4 - 4
        ldr     w5, [x5]
        add     x0, x0, x4
        add     x0, x0, x5
        ldr     x6, 1f
        add     x0, x0, x6
        adr     x7, table
        ldr     x7, [x7, 16]
        ldr     w7, [x7]
        add     x0, x0, x7
        adrp    x8, :got:counter
        ldr     x8, [x8, :got_lo12:counter]
        ldr     x9, [x8]
        add     x9, x9, 1
        str     x9, [x8]
        add     x0, x0, x9, lsl 60
        ldr     w10, =-1
        ldr     w11, =0xffff0000
        sub     w10, w10, w11
        add     x0, x0, x10
        adr     x12, codes
        ldrb    w13, [x12, 1]
        adr     x14, base
        add     x14, x14, x13, lsl 2
        br      x14
base:   b       one
        b       two
one:    mov     x0, 0
        ret
two:    ldr     q0, vector
        ldr     d1, vector+8
        ldr     s2, =7
        add     v0.2d, v0.2d, v1.2d
        add     v0.2d, v0.2d, v2.2d
        fmov    x15, d0
        add     x0, x0, x15
        ldrsw   x16, minus
        add     x0, x0, x16
        ret
codes:  .byte   (one - one) / 4, 1
        .align 3
1:      .quad   0x1000
table:  .quad   1, len, word
        .balign 16
vector: .quad   3, 5
minus:  .word   -2
        .section .rodata
word:   .word   100, table - word, vector - table, . - word
msg:    .asciz  "hello\\n"
len     = . - msg
        .data
counter: .quad  0
        .bss
        .zero 64
"""

A32 = """
        .syntax unified
        .arm
        .fpu neon
        .global f
f:      push    {r4, r5, lr}
        adr     r0, table
        ldr     r1, [r0, 4]
        movw    r2, #:lower16:word
        movt    r2, #:upper16:word
        ldr     r3, [r2]
        add     r0, r1, r3
        ldr     r4, =0x12345678
        add     r0, r0, r4
        ldr     r4, =0xffffff00
        add     r0, r0, r4
        ldr     r4, =word
        ldr     r4, [r4]
        add     r0, r0, r4
        ldr     r4, 1f
        add     r0, r0, r4
        ldr     r4, =counter
        ldr     r5, [r4]
        add     r5, r5, 1
        str     r5, [r4]
        add     r0, r0, r5, lsl 28
        vldr    d0, 1f
        vldr    s2, table
        vmov    r4, r5, d0
        add     r0, r0, r5
        cmp     r0, r0
        ldrne   r0, =word
        ldr     r4, table + 8
        ldr     r4, [r4, 4]
        add     r0, r0, r4
        pop     {r4, r5, pc}
        .align 3
1:      .word   0x1000, 0x2000
table:  .word   1, len, word
        .ltorg
        .section .rodata, "a", %progbits
word:   .word   100, . - word, 2f - word
msg:    .asciz  "hello\\n"
len     = . - msg
2:      .hword  1
        .data
counter: .word  0
"""
PROGRAMS = [pytest.param("aarch64", A64, id="aarch64"), pytest.param("aarch32", A32, id="aarch32")]


@pytest.mark.parametrize(("isa", "text"), PROGRAMS)
def test_a_program_with_data(isa: str, text: str) -> None:
    program = assemble(text, isa)
    machine = Machine(isa)
    if isa == "aarch64":
        first = 7 + 100 + 0x123456789 + 100 + 0x1000 + 100 + 0xFFFF + (3 + 5 + 7) - 2 + (1 << 60)
        step = 1 << 60
    else:
        first = (7 + 100 + 0x12345678 + 0xFFFFFF00 + 100 + 0x1000 + 0x2000 + 4 + (1 << 28)) % (1 << 32)
        step = 1 << 28
    results = [machine.call(program).returned for _ in range(3)]
    assert results == [first, first + step, first + 2 * step]
    assert machine.memory.fetch(".data", dtype="uint32")[0] == 3
    assert machine.call(program, trace=False, sanitize=False).returned == first + 3 * step


@pytest.mark.parametrize(("isa", "text"), PROGRAMS)
def test_listing_and_pickle(isa: str, text: str) -> None:
    program = assemble(text, isa)
    again = assemble(str(program), isa)
    assert again == program and str(again) == str(program)
    assert pickle.loads(pickle.dumps(program)) == program
    assert Machine(isa).call(again).returned == Machine(isa).call(program).returned
    assert program != assemble(text.replace("100,", "101,"), isa)


@pytest.mark.nightly
@pytest.mark.parametrize(("isa", "text"), PROGRAMS)
@pytest.mark.parametrize("listing", [False, True], ids=["text", "listing"])
def test_qemu_agrees(isa: str, text: str, listing: bool, tmp_path: Path) -> None:
    gcc, qemu, options = {
        "aarch64": ("aarch64-linux-gnu-gcc", "qemu-aarch64", []),
        "aarch32": ("arm-linux-gnueabihf-gcc", "qemu-arm", ["-marm", "-mfpu=neon"]),
    }[isa]
    if shutil.which(gcc) is None or shutil.which(qemu) is None:
        pytest.skip(f"needs {gcc} and {qemu}: make system-packages")
    program = assemble(text, isa)
    (tmp_path / "f.S").write_text(str(program) if listing else text)
    (tmp_path / "main.c").write_text(
        "#include <stdio.h>\nunsigned long f(void);\n"
        'int main(void) { printf("%lu ", f()); printf("%lu ", f()); return 0; }\n'
    )
    subprocess.run([gcc, *options, "-static", "-o", tmp_path / "a", tmp_path / "f.S", tmp_path / "main.c"], check=True)
    shown = subprocess.run([qemu, tmp_path / "a"], check=True, capture_output=True, text=True).stdout
    machine = Machine(isa)
    assert [int(word) for word in shown.split()] == [machine.call(program).returned for _ in range(2)]


def contents(text: str, isa: str = "aarch64") -> bytes:
    """The bytes of .data as a machine sees them."""
    program = assemble(f".data\nstart:\n{text}\n.text\nf: ret\n", isa)
    machine = Machine(isa)
    machine.call(program)
    assert assemble(str(program), isa) == program
    return machine.memory.fetch(".data", dtype="uint8").tobytes()


@pytest.mark.parametrize(
    ("text", "data"),
    [
        (".byte 1, -1, 'a', 0xff, (1 + 2) * 3", b"\x01\xffa\xff\x09"),
        (".hword 0x1234\n.short -2\n.2byte 1", b"\x34\x12\xfe\xff\x01\0"),
        (".word 1\n.long 2\n.int 3\n.4byte 4", b"\1\0\0\0\2\0\0\0\3\0\0\0\4\0\0\0"),
        (".quad -1\n.xword 1", b"\xff" * 8 + b"\1" + bytes(7)),
        (".octa 1", b"\1" + bytes(15)),
        (".float 1.0, -2e3\n.double 0.5", b"\0\0\x80?\0\0\xfa\xc4\0\0\0\0\0\0\xe0?"),
        ('.ascii "a,b;c", "\\n\\t\\\\\\"\\101\\x41"', b'a,b;c\n\t\\"AA'),
        ('.asciz "x"\n.string "yz"', b"x\0yz\0"),
        (".zero 3\n.space 2, 7\n.skip 1", b"\0\0\0\7\7\0"),
        (".fill 3\n.fill 2, 2, 0x102\n.fill 1, 4", b"\0\0\0\2\1\2\1\0\0\0\0"),
        (".byte 1\n.align 2\n.byte 2\n.p2align 1\n.balign 8, 5", b"\1\0\0\0\2\0\5\5"),
        ("a: .byte 1, 2, 3\nb: .byte b - a, . - a, (b - start) * 2", b"\1\2\3\3\4\6"),
        (".set n, 2\n.byte n\n.set n, n + 1\n.byte n", b"\2\3"),
        ("1: .byte 1b - start, 1f - start\n1: .byte 1b - start", b"\0\2\2"),
        (".irp v, 1, 2, 3\n.byte \\v\n.endr\n.rept 2\n.hword 9\n.endr", b"\1\2\3\t\0\t\0"),
        (".byte end - start, end - . \nend:", b"\2\1"),
    ],
    ids=lambda value: value.split()[0] if isinstance(value, str) else "",
)
def test_directives(text: str, data: bytes) -> None:
    assert contents(text) == data


def test_addresses_in_data() -> None:
    program = assemble(
        ".text\nf: ret\ng: ret\n.data\np: .quad p, f, g + 4, q\n.word q - p\n.section .rodata\nq: .byte 1\n", "aarch64"
    )
    machine = Machine("aarch64")
    machine.call(program, entry="f")
    own, f, g4, q = machine.memory.fetch(".data", dtype="uint8")[:32].view(np.uint64).tolist()
    assert own == machine.memory.buffer(".data").address and q == machine.memory.buffer(".rodata").address
    assert g4 - f == 8
    assert int(machine.memory.fetch(".data", dtype="uint8")[32:].view(np.int32)[0]) == q - own


def test_sections_of_several_kinds() -> None:
    program = assemble(
        """
        .section .text.f, "ax", %progbits
        f: adrp x0, big
           add x0, x0, :lo12:big
           ldr w1, [x0]
           adr x2, small
           ldr w2, [x2]
           add w0, w1, w2
           ret
        .pushsection .note.GNU-stack, "", %progbits
        .popsection
        .section .debug_info, ""
        .word 0
        .section .mine, "aw"
        small: .word 3
        .previous
        .word 1
        .comm big, 16, 8
        .lcomm other, 3
        .section __TEXT,__const
        .byte 1
    """,
        "aarch64",
    )
    assert [s.name for s in program.data] == [".mine", ".bss", "__TEXT,__const"]
    machine = Machine("aarch64")
    assert machine.call(program).returned == 3
    assert machine.memory.buffer(".bss").nbytes >= 19


def test_mach_o_parts() -> None:
    program = assemble(
        "f: adrp x0, t@PAGE\n ldr w0, [x0, t@PAGEOFF]\n ret\n.const_data = 0\n.data\nt: .word 7", "aarch64"
    )
    assert Machine("aarch64").call(program).returned == 7


def test_read_only_data_is_read_only() -> None:
    program = assemble("f: adr x0, t\n str w0, [x0]\n ret\n.section .rodata\nt: .word 7", "aarch64")
    with pytest.raises(MemoryFault, match=r"\.rodata"):
        Machine("aarch64").call(program)


def test_two_programs_in_one_machine() -> None:
    machine = Machine("aarch64")
    one, two = (assemble(f"f: adr x0, t\n ldr w0, [x0]\n ret\n.data\nt: .word {n}", "aarch64") for n in (1, 2))
    assert [machine.call(p).returned for p in (one, two, one)] == [1, 2, 1]
    assert [b.name for b in machine.memory.buffers if b.name != "stack"] == [".data", ".data (2)"]
    with pytest.raises(BadArgument, match="no buffer"):
        machine.memory.fill(16, b"x")


@pytest.mark.parametrize(("isa", "text"), PROGRAMS)
def test_every_engine_sees_the_data(isa: str, text: str) -> None:
    program = assemble(text, isa)
    expected = Machine(isa).call(program).returned
    assert Machine(isa).call(program, engine="python").returned == expected


def test_lock_step_sees_the_data() -> None:
    program = assemble("f: adr x1, t\n ldr w0, [x1, x0, lsl 2]\n ret\n.section .rodata\nt: .word 7, 8, 9", "aarch64")
    indices = np.array([[0, 1, 2], [2, 1, 0]])
    assert Machine("aarch64").call(program, indices, tiles=Grid(2, 3)).tile_returned.tolist() == [[7, 8, 9], [9, 8, 7]]


def test_alignment_is_kept() -> None:
    program = assemble("f: adr x0, t\n ret\n.data\n .byte 1\n .balign 4096\nt: .byte 2", "aarch64")
    assert Machine("aarch64").call(program).returned % 4096 == 0
    with pytest.raises(BadArgument, match="power of two"):
        Machine("aarch64").memory.place(np.zeros(3), align=100)


def test_stepping() -> None:
    program = assemble("f: adr x0, t\n ldr w0, [x0]\n ret\n.data\nt: .word 5", "aarch64")
    machine = Machine("aarch64")
    machine.start(program)
    machine.step(2)
    assert machine.registers["x0"] == 5
    machine.back(1)
    assert machine.registers["x0"] == machine.memory.buffer(".data").address


def test_incbin(tmp_path: Path) -> None:
    (tmp_path / "b.bin").write_bytes(b"abcdef")
    text = 'f: ret\n.data\n.incbin "b.bin"\n.incbin "b.bin", 4\n.incbin "b.bin", 1, 2\n'
    assert assemble(text, "aarch64", include=[tmp_path]).data[0].contents == b"abcdefefbc"
    for name in ("../b.bin", str(tmp_path / "b.bin")):
        with pytest.raises(AssemblyError, match="given folders"):
            assemble(f'f: ret\n.data\n.incbin "{name}"', "aarch64", include=[tmp_path])


@pytest.mark.parametrize(
    ("isa", "text", "line", "column", "words"),
    [
        pytest.param("aarch64", "f: ret\n.data\n.byte 256", 3, 7, "does not fit 1 byte", id="byte"),
        pytest.param("aarch64", "f: ret\n.data\n.byte x", 3, 7, "An address is 4 or 8 bytes wide", id="unknown"),
        pytest.param("aarch64", "f: ret\n.data\n.quad f * 2", 3, 7, "can only be added to", id="nonlinear"),
        pytest.param("aarch64", "f: ret\n.data\n.quad -f", 3, 7, "can only be added to", id="negative"),
        pytest.param("aarch64", "f: ret\n.data\n.zero 1 << 40", 3, 1, "more than 16 MiB", id="huge"),
        pytest.param("aarch64", "f: ret\n.data\n.zero -1", 3, 1, "less than nothing", id="below_zero"),
        pytest.param("aarch64", "f: ret\n.data\n.balign 3", 3, 1, "power of two", id="balign"),
        pytest.param("aarch64", "f: ret\n.data\n.align 40", 3, 1, "0 to 16", id="align"),
        pytest.param("aarch64", "f: ret\n.bss\n.word 1", 3, 1, "only zeros", id="bss"),
        pytest.param("aarch64", "f: ret\n.data\n nop", 3, 2, "Write .text", id="code_in_data"),
        pytest.param("aarch64", "f: nop\n.word 1\n ret", 2, 1, "would run into this data", id="run_into"),
        pytest.param("aarch64", "f: b t\n.data\nt: .word 1", 1, 6, "`t` is data", id="branch_to_data"),
        pytest.param("aarch64", "f: ldr x0, f", 1, 12, "is an instruction", id="load_code"),
        pytest.param("aarch64", "f: adrp x0, .Lt", 1, 13, "no label `.Lt`", id="adrp_unknown"),
        pytest.param("aarch64", "f: add x0, x0, :lo12:.Lt", 1, 16, "no label `.Lt`", id="lo12_unknown"),
        pytest.param("aarch64", "f: add x0, x0, :hi12:t", 1, 16, "Use :lo12:", id="modifier"),
        pytest.param("aarch64", "f: ldr x0, =.Ltabel\n.Ltable: ret", 1, 13, "`.Ltabel` is not a constant",
                     id="literal_unknown"),
        pytest.param("aarch64", "f: ldr x0, =1f\n1: ret", 1, 12, "a named label", id="literal_numeric"),
        pytest.param("aarch64", "f: b f+2", 1, 6, "not an instruction", id="between_instructions"),
        pytest.param("aarch64", "f: ret\n.popsection", 2, 1, "without .pushsection", id="popsection"),
        pytest.param("aarch64", "f: ret\n.data\n.ascii 3", 3, 8, "in quotes", id="ascii"),
        pytest.param("aarch64", "f: ret\n.data\n.float x", 3, 8, "not a floating-point number", id="float"),
        pytest.param("aarch32", "f: ldr r0, [r1, #:lo12:t]\n.data\nt: .byte 1", 1, 1, "", id="lo12_in_aarch32"),
    ],
)
def test_errors(isa: str, text: str, line: int, column: int, words: str) -> None:
    if not words:
        assemble(text, isa)  # taken: the parts of an address are the reader's business
        return
    with pytest.raises(AssemblyError) as caught:
        assemble(text, isa)
    assert words in caught.value.message
    assert (caught.value.line, caught.value.column) == (line, column)


@pytest.mark.parametrize(("isa", "load", "stored"), [
    ("aarch32", "vldr d0, =0x3ff0000000000000", 0x3FF0000000000000),
    ("aarch32", "vldr d0, =0x123456789abcdef0", 0x123456789ABCDEF0),
    ("aarch32", "vldr d0, =-1", 0xFFFFFFFFFFFFFFFF),
    ("aarch32", "vldr.64 d0, =-4294967297", 0xFFFFFFFEFFFFFFFF),
    ("aarch32", "vldr d0, =0xffffffff", 0x00000000FFFFFFFF),
    ("aarch32", "vldr s0, =0x40490fdb", 0x40490FDB),
    ("aarch32", "vldr s0, =-2", 0xFFFFFFFE),
    ("aarch64", "ldr q0, =-1", (1 << 128) - 1),
    ("aarch64", "ldr q0, =0xffffffffffffffff", 0xFFFFFFFFFFFFFFFF),
    ("aarch64", "ldr q0, =0x112233445566778899aabbccddeeff00", 0x112233445566778899AABBCCDDEEFF00),
    ("aarch64", "ldr d0, =-2", 0xFFFFFFFFFFFFFFFE),
    ("aarch64", "ldr s0, =-2", 0xFFFFFFFE),
    ("aarch64", "ldr w0, =-2; fmov d0, x0", 0xFFFFFFFE),
    ("aarch64", "ldrsw x0, =-2; fmov d0, x0", 0xFFFFFFFFFFFFFFFE),
    ("aarch64", "ldrsw x0, =0xfffffffe; fmov d0, x0", 0xFFFFFFFFFFFFFFFE),
    ("aarch64", "ldr x0, =-2; fmov d0, x0", 0xFFFFFFFFFFFFFFFE),
])
def test_a_literal_is_as_wide_as_its_register(isa: str, load: str, stored: int) -> None:
    back = "str q0, [x1]; ret" if isa == "aarch64" else "vst1.8 {q0}, [r1]; bx lr"
    clear = "movi v0.16b, #0" if isa == "aarch64" else "vmov.i8 q0, #0"
    machine = Machine(isa)
    machine.memory.place(np.zeros(16, np.uint8), name="out")
    machine.call(assemble(f"{clear}\n{load}\n{back}", isa), 0, machine.memory.buffer("out").address)
    assert int.from_bytes(machine.memory.fetch("out").tobytes(), "little") == stored


@pytest.mark.parametrize(("isa", "text", "words"), [
    ("aarch64", "ldr w0, =0x123456789", "does not fit 32 bits"),
    ("aarch32", "ldr r0, =-2147483649", "does not fit 32 bits"),
    ("aarch32", "vldr d0, =f", "An address has 32 bits, and d0 has 64"),
    ("aarch64", "ldr q0, =f", "An address has 64 bits, and q0 has 128"),
    ("aarch64", "ldr h0, =1", "one register of at least 32 bits"),
    ("aarch32", "ldrsh r0, =1", "follow the register of LDR"),
])
def test_literals_that_no_register_holds(isa: str, text: str, words: str) -> None:
    with pytest.raises(AssemblyError, match=words):
        assemble(f"f: {text}", isa)


def test_an_offset_that_does_not_fit_is_found_when_it_is_placed() -> None:
    program = assemble("f: adrp x0, t\n ldr x0, [x0, :lo12:t+1]\n ret\n.data\n .zero 512\nt: .quad 1, 2", "aarch64")
    with pytest.raises(AssemblyError, match="out of range"):
        Machine("aarch64").call(program)
