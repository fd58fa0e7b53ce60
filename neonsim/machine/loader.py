"""Placing a program in memory: its data as named buffers, its instructions with the addresses of their labels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from neonsim.asm import Program
from neonsim.asm.data import CODE as IN_CODE
from neonsim.asm.data import part_of_address, parts
from neonsim.isa import Address, Immediate, Instruction, Operand, decode

from .bind import CODE
from .memory import Memory

__all__ = ["load"]

BEHIND = 16  # bytes of code behind data that stands among it: tables are read in whole registers, the rest is not used


def load(program: Program, memory: Memory) -> Program:
    """The program as it is in this memory: equal to it, and each instruction knows the addresses it names.

    Its sections become buffers named as they are (`.rodata`, `.data`, ...), which keep what is stored in them.
    """
    if not program.data:
        return program
    bases = {IN_CODE: CODE}
    for number, section in enumerate(program.data):
        size = len(section.contents)
        among_code = section.name == ".text" or section.name.startswith(".text.")
        bases[number] = memory.place(np.zeros(size, np.uint8), name=_free(memory, section.name),
                                     reads_after=BEHIND if among_code else 0, readonly=not section.writable,
                                     align=max(section.align, 64))
    for number, section in enumerate(program.data):
        memory.fill(bases[number], section.image(bases[number], bases))
    return replace(program, instructions=tuple(
        i if i.reference is None else _placed(i, bases[i.reference[0]] + i.reference[1]) for i in program.instructions))


def _free(memory: Memory, name: str) -> str:
    """A name that no buffer has."""
    taken = {buffer.name for buffer in memory.buffers}
    return name if name not in taken else next(f"{name} ({n})" for n in range(2, len(taken) + 3)
                                               if f"{name} ({n})" not in taken)


def _placed(instruction: Instruction, address: int) -> Instruction:
    """An instruction with the address that it names."""
    if instruction.label is not None:
        return replace(instruction, label_address=address)

    def known(operand: Operand) -> Operand:
        if isinstance(operand, Immediate) and operand.symbol:
            reference = parts(operand.symbol)
            value = part_of_address(reference[0], address) if reference is not None else None
            assert value is not None
            return replace(operand, value=value)
        if isinstance(operand, Address) and isinstance(operand.offset, Immediate):
            return replace(operand, offset=known(operand.offset))  # type: ignore[arg-type]
        return operand

    operands = [known(operand) for operand in instruction.operands]
    made = decode(instruction.isa, instruction.mnemonic, operands, where=instruction.where)
    return replace(made, reference=instruction.reference)
