"""A few lines around an instruction, for its page's link to the playground: values, the instruction, results."""

from __future__ import annotations

import re

import neonsim as ns
from neonsim.arm.asm import assemble
from neonsim.arm.isa import Instruction
from neonsim.arm.machine.arch.register_names import locate
from neonsim.errors import NeonsimError

from .examples import link_to

__all__ = ["link_of"]

IN, OUT = 256, 128  # bytes
_SIMD, _GENERAL = re.compile(r"[vqds]\d+"), re.compile(r"[xr]\d+")


def link_of(instruction: Instruction, sentence: str) -> str:
    """What stands behind # for a program that shows the instruction; "" where the machine does not do it.

    sentence   the first line of its page
    """
    a64 = instruction.isa == "aarch64"
    kind = instruction.element or "u8"
    kind = kind if kind in ("u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64", "f16", "f32", "f64") else "u8"
    given = [f"in={kind}*{8 * IN // int(kind[1:])}", f"out=out:{OUT}"]
    words = given if a64 else given[::-1]
    lines = _around(instruction, f"// {' '.join(sentence.split())}", a64)
    text = "\n".join(lines) + "\n"
    try:
        machine = ns.Machine(instruction.isa)
        machine.call(assemble(text, isa=instruction.isa), *map(machine.memory.declare, words))
    except NeonsimError:
        return ""
    return link_to(text, instruction.isa, words)


def _around(instruction: Instruction, head: str, a64: bool) -> list[str]:
    back, link = ("ret", "x30") if a64 else ("bx          lr", "r14")
    bases = {use.register for use in instruction.reads if use.role == "base"}
    reads = list(dict.fromkeys(use.register for use in instruction.reads if use.register not in {*bases, link}))
    writes = list(dict.fromkeys(use.register for use in instruction.writes if use.register not in {*bases, link}))
    before = [_line("mov", "x16, x0", "values") if a64 else _line("mov", "r12, r1", "values")]
    before += [_line("mov", "x17, x1", "results")] if a64 else []
    for at, base in enumerate(sorted(bases)):
        before.append(_line("add", f"{base}, {'x16' if a64 else 'r12'}, #{IN // 2 + 16 * at}"))
    # Of AArch32 a result is often a part of its register, all of which is stored.
    loaded = list(dict.fromkeys(found for one in (*reads, *(() if a64 else writes)) if (found := _vector(one, a64))))
    before += [_line("ldr", f"{one}, [x16, #{16 * at}]") if a64 else _line("vld1.8", f"{one}, [r12]!")
               for at, one in enumerate(loaded)]
    jumps = instruction.is_branch and instruction.label is None
    before += [_line("adr", f"{one}, label") if jumps else _line("mov", f"{one}, #{at + 5}")
               for at, one in enumerate(reads) if _GENERAL.fullmatch(one)]
    before += [_line("cmp", "x16, x17" if a64 else "r0, r12")] * ("nzcv" in reads)
    before += [_line("uadd8", "r3, r0, r1")] * ("ge" in reads)
    before += [_line("vld1.8", "{d0}, [r12]!"), _line("vcmp.f32", "s0, #0.0")] * ("fpnzcv" in reads)
    after: list[str] = []
    for at, register in enumerate(writes):
        if vector := _vector(register, a64):
            after.append(_line("str", f"{vector}, [x17, #{16 * at}]") if a64 else _line("vst1.8", f"{vector}, [r0]!"))
        elif _GENERAL.fullmatch(register):
            after.append(_line("str", f"{register}, [x17, #{16 * at}]" if a64 else f"{register}, [r0], #4"))
    if any(one in ("r4", "r5", "r6", "r7") for one in (*reads, *writes, *bases)):
        before.insert(0, _line("push", "{r4-r7}", "a function must keep them"))
        after.append(_line("pop", "{r4-r7}"))
    mnemonic, _, operands = str(instruction).partition(" ")
    own, end = _line(mnemonic, operands.strip()), f"        {back}"
    if link in (use.register for use in instruction.writes):  # a call: the way back is kept meanwhile
        kept = "x9" if a64 else "r3"
        return [head, *before, _line("mov", f"{kept}, {link}"), own, _line("mov", f"{link}, {kept}"), end, "label:",
                end]
    if instruction.is_branch and link in (use.register for use in instruction.reads):
        return [head, own]
    return [head, *before, own, *["label:"] * instruction.is_branch, *after, end]


def _vector(register: str, a64: bool) -> str:
    """A SIMD register as loads and stores of this file name it; "" of another."""
    if not _SIMD.fullmatch(register):
        return ""
    if a64:
        return f"q{locate(register, 'aarch64')[0][1:]}"
    number = int(register[1:])
    return {"q": f"{{d{2 * number}, d{2 * number + 1}}}", "d": f"{{d{number}}}"}.get(register[0], f"{{d{number // 2}}}")


def _line(mnemonic: str, operands: str, remark: str = "") -> str:
    return f"        {mnemonic:<11} {operands}".rstrip() + (f"{'':8}// {remark}" if remark else "")
