"""Arithmetic on labels: in operands, in constants, in conditions; what GNU as refuses of it is refused."""

from __future__ import annotations

import pytest

import neonsim as ns
from neonsim.arm.asm import assemble
from neonsim.errors import AssemblyError

TABLE = "\nret\ntab: .word 1, 2\nsecond: .word 77\nend:"
LENGTH = """
    .text
    .global f
f:  ldr x1, =arr
    mov x2, #len
    mov x0, #0
1:  ldr w3, [x1], #4
    add x0, x0, x3
    subs x2, x2, #4
    b.ne 1b
    ret
    .data
arr: .word 1, 2, 3, 4
len = . - arr
"""


@pytest.mark.parametrize(("text", "returned"), [
    (LENGTH, 10),
    ("f: mov w0, #(end - tab)" + TABLE, 12),
    ("f: mov w0, end - tab + 1" + TABLE, 13),
    ("f: adr x1, tab\nldr w0, [x1, #second - tab]" + TABLE, 77),
    ("f: adr x1, tab\nldr w0, [x1, second - tab]" + TABLE, 77),
    ("f: adr x1, tab + (second - tab)\nldr w0, [x1]" + TABLE, 77),
    ("f: mov x1, #1\nadd x0, x1, #(second - tab) / 4" + TABLE, 3),
    ("f: mov x0, #1\n1: nop\n2: .if (2b - 1b) == 4\nmov x0, #9\n.endif\nret", 9),
    ("f: mov x0, #1\n.if . - f > 4\nmov x0, #9\n.endif\nret", 1),
    ("f: nop\nnop\nmov x0, #1\n.if . - f > 8\nmov x0, #9\n.endif\nret", 9),
    ("f: nop\ng: .rept (g - f) / 4 + 1\nadd x1, x1, #0\n.endr\nmov x0, #(end - g)\nret\nend:", 16),
    ("f: mov x0, #a\nret\n.equ a, b + 1\n.equ b, c * 2\n.equ c, 4", 9),
    ("f: mov x0, #n\nret\n.set n, end - f\nend:", 8),
    ("f: mov x0, #1\n.set n, 0\n.rept 4\n.if n & 1\nlsl x0, x0, #2\n.endif\n.set n, n + 1\n.endr\nret", 16),
    ("f: mov x0, #1\nn = 2\nn = n + g - f\n.if n == 6\nmov x0, #9\n.endif\nret\n.equ g, f + 4", 9),
    ("f: mov x0, #. - f\nret", 0),
    ("f: nop\nmov x0, #. - f\nret", 4),
    ("f: mov x0, #n\nret\nn = 1\nn = 5", 5),
    ("n = 1\nf: mov x0, #n\nret\nn = 5", 1),
    ("f: b 1f\n.subsection 1\n1: mov x0, #(2f - 1b)\nret\n2:\n.previous\nnop", 8),
])
def test_values(text: str, returned: int) -> None:
    machine = ns.Machine()
    machine.registers["x1"] = 0
    program = assemble(text, "aarch64")
    assert machine.call(program, 0, 0).returned == returned
    assert assemble(str(program), "aarch64") == program


def test_aarch32() -> None:
    text = "f: add r0, r0, #(end - f)\nldr r1, [r0, #-(end - f)]\nbx lr\nend:"
    assert [str(i) for i in assemble(text, "aarch32").instructions] == [
        "add r0, r0, #12", "ldr r1, [r0, #-12]", "bx lr"]


@pytest.mark.parametrize(("text", "words"), [
    ("f: mov x0, #end\nend: ret", "is a label, not a number"),
    ("f: mov x0, #end - d\nend: ret\n.data\nd: .word 1", "A number is expected here, not an address"),
    ("f: mov x0, #end + f\nend: ret", "can only be added to"),
    ("f: mov x0, #end - nowhere\nend: ret", "`nowhere` is neither a constant nor a label"),
    ("f: mov x0, #n\nret\n.set n, n + 1", "`n` is not a constant"),
    (".if a - b\n.endif\nret", "`a` is not a constant"),
    ("f: .if g - f == 8\nnop\n.endif\ng: ret", "`g` is not a constant"),
    ("f: nop\n.if . - f == 4\nadd x0, x0, #(g - f)\n.endif\ng: ret\n.if g - f == 8\n.org 0\n.endif", "cannot go back"),
    ("f: ret\n.data\n.quad a * b", "can only be added to"),
    ("f: ret\n.data\n.word a << b", "can only be added to"),
    ("f: ret\n.data\n.word a == b", "different sections cannot be compared"),
    ("f: ret\n.data\n.word a < d\nd: .word 1", "different sections cannot be compared"),
    ("f: ret\n.data\n.word a - b", "The distance from a symbol of another file"),
    ("f: ret\n.data\n.quad ~f", "can only be added to"),
])
def test_refused(text: str, words: str) -> None:
    with pytest.raises(AssemblyError, match=words):
        assemble(text, "aarch64")


def test_comparisons_within_a_section() -> None:
    (data,) = assemble("f: ret\n.data\na: .byte 1\nb: .byte a == b, a < b, b - a == 1, a != b", "aarch64").data
    assert data.contents == bytes([1, 0, 255, 255, 255])


def test_what_hangs_on_itself_ends() -> None:
    """A condition that is false where it is taken for true, and the other way round."""
    text = "f: nop\n1: .if 2b - f == 4\nnop\n.endif\n2: ret"
    with pytest.raises(AssemblyError):
        assemble(text, "aarch64")
    swapping = "f: b 1f\n.if l - f == 4\nnop\n.endif\n1: ret\nl = 5"
    with pytest.raises(AssemblyError):
        assemble(swapping, "aarch64")
