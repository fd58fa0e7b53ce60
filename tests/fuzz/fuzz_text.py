"""Fuzzing of text: preprocessor, macros, directives, instructions; then the listing, the translation to C, a run.

    python tests/fuzz/fuzz_text.py --inputs 1000000 --seed 1

Inputs are cut out of our own kernels and of the lines that are recorded for the conformance tests, and mixed with
sentences about macros, data, files and numbers at their ends. A line `//isa aarch32` at the start picks the ISA.

What is checked beyond `harness`: a program's listing assembles to the same program; the C that it translates to holds
nothing of the source outside comments, and no comment ends early; a run of at most 300 steps raises NeonsimErrors only.
"""

from __future__ import annotations

import random
import re
import shutil
import subprocess
import sys

import numpy as np
from harness import CANARY, ROOT, Box, Escape, Fuzz

from neonsim.arm.asm import Program, assemble
from neonsim.arm.machine import Grid, Machine, translate_c
from neonsim.errors import AssemblyError, NeonsimError

MARK = "INJECTED"
SENTENCES = r"""
.macro m a, b=x1|.macro n a:req, b:vararg|.macro m|.endm|.exitm|.purgem m|m x1, x2|m 1|n x0, x1, x2|n|.rept 2
.rept 99999999|.rept 0x7fffffffffffffff|.endr|.irp a, x1, x2|.irpc a, 012|mov \a, \b|l\@: nop|\a\(): b \a|.altmacro
LOCAL x|m <x, y>, %1+2|.if 1|.if \a|.ifc \a, x1|.ifb \b|.ifdef N|.else|.elseif 1|.endif|.set N, N+1|N = 3|nop|ret
bx lr|#define N 3|#define F(a, b) add a, a, b|#define m n|#define n m|#define X X X|X
#define CAT(a, ...) a ## __VA_ARGS__ #a|F(x1, N)|F(F, F)(|#undef N
#if N > 2|#if defined(N) && F(1,2)|#ifdef N|#elif N|#else|#endif|CAT(x,1,2)|#error
#include "inside.h"|#include "../secret.h"|#include "link.h"|#include "linked/secret.h"|#include "loop.h"
#include <inside.h>|.include "inside.h"
.include "../secret.h"|.include "linked/secret.h"|.include "/etc/passwd"|.incbin "inside.bin", 2, 4
.incbin "../secret.h"|.incbin "link.h"|.incbin "/etc/hostname"|.incbin "self"|.incbin "inside.bin", -1|.include "linked"
.data|.text|.section .rodata|x: .word 1, x, . - x|y: .asciz "a*/INJECTED/*"|.byte y - x, 300|.quad x + y|.zero N
1: .byte 1b|.ident "*/ INJECTED();\"|.file "*/INJECTED"|// */ INJECTED|/* INJECTED|*/ INJECTED|"*/INJECTED": nop
adr x0, x|ldr x0, =x|ldr x1, =0x123456789|ldr x0, 1b|adrp x0, :got:x|add x0, x0, :lo12:y+1|b .+4|.balign 8|f: ret
.zero 99999999|.fill 0x7fffffff, 8|.space -1|.p2align 62|.org 99999999|.skip 1<<40|.fill 3, 2, 1|.comm c, 8, 4|.bss
.inst 0x4ea28420, N|.inst N|.inst|.inst 1<<32|.inst x|.inst 0x14000001|adrl r0, x|adrlne r1, .+8|adrl r2, 1b|teqp r0, r1
vand.i32 q0, #0xffffff00|vorn.i16 d1, d1, #N|vand.i16 d0, #x|vand.i32 d0, #0x12
.pushsection .data|.popsection|.set z, . - x|.word z, w|.thumb|.code 16|.end|.error "x"|.req|a .req x1|a .req a|mov a, a
.hword x - 1b, . - 2f|t: .hword f - t, 1f - t|.p2align 4,,7|.balign 32|2: .byte 2f - 1b, e - t, 1|e:|2: nop|.text|1: ret
INJECTED\|nop \|nop // \|.set N, N+N|.set N, 1<<(1<<9)|.set N, (((((((((1)))))))))|.if N <|.rept N|.irp x|.irpc x
"""
NUMBERS = re.split(r"\s+", """0 1 -1 2 7 8 15 16 31 32 63 64 127 128 255 256 4095 4096 65535 65536 0x7fffffff 0x80000000
    0xffffffff 0x7fffffffffffffff 0x8000000000000000 0xffffffffffffffff 99999999999999999999999 1<<70 -128 0b101 017 1.5
    'a 1b 9f .""")
BRACKETS = ((".macro m a, b", ".endm"), (".rept 3", ".endr"), (".irp a, x1, x2", ".endr"), (".if 1", ".endif"),
            ("#if N", "#endif"), ("/*", "*/"), (".irpc a, 01", ".endr"))
CHARACTERS = " \t,;:#@[]{}()!=+-*/<>|&^~%'\"\\.$_\n\r\0\x0b\x0c\x1a\u00e9\u2028"


SPECIAL = [line for row in SENTENCES.splitlines() for line in row.split("|") if line]
KERNELS = [path.read_text("utf-8") for path in sorted((ROOT / "kernels").rglob("*.S"))]
RECORDED = {isa: [line for path in sorted((ROOT / "tests" / "conformance" / "golden").glob(f"{isa}*/*.npz"))
                  for line in np.load(path)["lines"].tobytes().decode().split("\n")] or ["nop"]
            for isa in ("aarch64", "aarch32")}
TOKENS = sorted({word for text in KERNELS for word in re.findall(r"[\w.]+|[^\w\s]", text)} | set(NUMBERS))


def make(rng: random.Random) -> bytes:
    """A few lines of a kernel, recorded lines, sentences; half of the inputs are meant to be right."""
    isa = rng.choice(("aarch64", "aarch32"))
    lines: list[str] = []
    right = rng.random() < 0.6
    if rng.random() < 0.7:  # a line or two are quickly tried
        lines = [f".inst {rng.getrandbits(32):#x}" if rng.random() < 0.1 else
                 rng.choice(RECORDED[isa]) if rng.random() < 0.6 else rng.choice(SPECIAL)
                 for _ in range(rng.choice((1, 1, 2, 3)))]
        return f"//isa {isa}\n{chr(10).join(lines)}\n".encode()
    for _ in range(rng.randint(1, 3)):
        kind = rng.random()
        if kind < 0.3:
            text = rng.choice([k for k in KERNELS if f"isa: {isa}" in k])
            rows = text.splitlines()
            at = rng.randrange(len(rows))
            found = rows[at:at + rng.randint(1, 14)]
            lines += [r for r in found if not right or not re.match(r"\s*(c?b[a-z.]*|t?bn?z)\s", r)]
        elif kind < 0.6 or right:
            lines += rng.choices(RECORDED[isa], k=rng.randint(1, 6))
        else:
            lines += rng.choices(SPECIAL, k=rng.randint(1, 8))
    label = rng.choice(("entry", "int", "state", "main", "memcpy", "L$.1", "_"))
    if right and rng.random() < 0.4:
        lines.insert(0, f"{label}:")
        lines.append(rng.choice((f"b {label}", f"bne {label}", f"adr x1, {label}")))
    if right or rng.random() < 0.3:
        lines.append("ret" if isa == "aarch64" else "bx lr")
    return f"//isa {isa}\n{chr(10).join(lines)}\n".encode()


def mutate(data: bytes, rng: random.Random) -> bytes:
    head, _, body = data.decode("utf-8", "replace").partition("\n")
    lines = body.split("\n")
    at = rng.randrange(len(lines))
    line = lines[at]
    words = re.findall(r"[\w.]+|\s+|[^\w\s]", line) or [""]
    word = rng.randrange(len(words))
    kind = rng.randrange(13)
    if kind == 0:
        del lines[at]
    elif kind == 1:
        lines.insert(rng.randrange(len(lines) + 1), line)
    elif kind == 2:
        lines.insert(at, rng.choice(SPECIAL))
    elif kind == 3:
        words[word] = rng.choice(TOKENS)
    elif kind == 4:
        words[word] = rng.choice(NUMBERS)
    elif kind == 5:
        words.insert(word, rng.choice(TOKENS))
    elif kind == 6:
        del words[word]
    elif kind == 7:
        place = rng.randint(0, len(line))
        new = rng.choice(CHARACTERS) * rng.choice((1, 1, 1, 2, 60))
        lines[at] = line[:place] + new + line[place + rng.randint(0, 1):]
    elif kind == 8:
        end = rng.randint(at, len(lines))
        opening, closing = rng.choice(BRACKETS)
        lines[at:end] = [opening, *lines[at:end], closing]
    elif kind == 9:
        other = make(rng).decode().split("\n")[1:]
        lines[at:at + rng.randint(0, 2)] = other[:rng.randint(1, 6)]
    elif kind == 10:
        rng.shuffle(lines)
    elif kind == 11:
        words[word] = words[word] * rng.choice((2, 3, 50))
    else:
        lines[at] = " ; ".join(lines[at:at + 3])
    if kind in (3, 4, 5, 6, 11):
        lines[at] = "".join(words)
    return "\n".join([head, *lines]).encode("utf-8", "replace")[:20_000]


def check(data: bytes, rng: random.Random) -> str:
    text = data.decode("utf-8", "replace")
    isa = "aarch32" if text.startswith("//isa aarch32") else "aarch64"
    program = assemble(text, isa=isa, include=[BOX.folder], define={"N": "2"} if rng.random() < 0.5 else None)
    listing = str(program)
    if CANARY in listing or (program.data and CANARY in repr(program.data)):
        raise Escape("a file outside was read")
    assert assemble(listing, isa=isa) == program, "the listing is another program"
    chance = rng.random()
    if chance < 0.02:
        return translated(program, rng.random() < 0.05)
    if chance < 0.12 and program.instructions:
        return executed(program, rng)
    return "assembled"


def translated(program: Program, compiled: bool) -> str:
    """The C of a program: comments are closed where they should be, and nothing of the source is outside of them."""
    made = translate_c(program, next(iter(program.symbols), None))
    for c in (made.text, made.readable):
        code = re.sub(r"/\*.*?\*/|//(?:\\\n|[^\n])*", " ", c, flags=re.DOTALL)
        assert MARK not in code, "text of the source outside a comment"
        lines = re.sub(r"^ *#define (?:.*\\\n)*", "", c, flags=re.MULTILINE)  # the macros of soft floats are ours
        assert "\\\n" not in lines, "a line of C is continued"
        assert "??" not in c, "a trigraph"
        assert re.fullmatch(r"[\n -~]*", code), "odd characters outside comments"
    compiler = shutil.which("cc")
    if compiled and compiler:
        BOX.armed = False
        done = subprocess.run([compiler, "-std=gnu11", "-fsyntax-only", "-w", "-x", "c", "-"], input=made.text,
                              text=True, capture_output=True, timeout=60, check=False)
        assert not done.returncode, f"the C does not compile: {done.stderr[:500]}"
    return "translated"


def executed(program: Program, rng: random.Random) -> str:
    machine = Machine(program.isa, poison=rng.randrange(100))
    arguments = [machine.memory.place(np.zeros(256, np.uint8), name=f"b{i}") for i in range(3)]
    arguments += [rng.choice((0, 1, 3, 8, 64)) for _ in range(3)]
    entry = rng.choice([*program.symbols, None]) if program.symbols else None
    kind = rng.random()
    options = {"trace": True} if kind < 0.3 else {"trace": False, "sanitize": False} if kind < 0.5 else {
        "tiles": Grid(1, 2)} if kind < 0.6 else {"engine": "python"} if kind < 0.7 else {}
    try:
        result = machine.call(program, *arguments, entry=entry, max_steps=300, **options)
    except NeonsimError as error:
        if machine.program is program and rng.random() < 0.2:
            machine.trace()
        return f"run: {type(error).__name__}"
    assert result.steps <= 300
    return "run: returned"


BOX = Box.make()

if __name__ == "__main__":
    sys.exit(Fuzz("text", make, mutate, check, AssemblyError, BOX).main())
