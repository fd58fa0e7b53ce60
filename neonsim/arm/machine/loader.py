"""Placing a program in memory: its data as named buffers, its instructions with the addresses of their labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Protocol

from neonsim.arm.asm import Program
from neonsim.arm.asm.data import CODE as IN_CODE
from neonsim.arm.asm.data import part_of_address, parts
from neonsim.arm.isa import Address, Immediate, Instruction, Operand, select_form
from neonsim.arm.isa.operands.system_registers import IDENTITY
from neonsim.common.integers import as_int
from neonsim.errors import BadArgument, MachineError

__all__ = ["DataMemory", "load", "reads_id_registers", "validate_identity", "with_id_registers"]

PLACEMENTS = 16  # of one program that are kept
BEHIND = 16  # bytes of code behind data that stands among it: tables are read in whole registers, the rest is not used


class NamedBuffer(Protocol):
    """A buffer, as far as its name."""

    @property
    def name(self) -> str: ...


class DataMemory(Protocol):
    """What of a memory takes a program's data, as `memory.Memory` does."""

    @property
    def buffers(self) -> Iterable[NamedBuffer]: ...

    def place_data(self, name: str, data: bytes, readonly: bool, align: int) -> int: ...

    def place_code(self, rows: list[tuple[str, int, int]], nbytes: int, align: int, reads_after: int) -> int: ...

    def fill(self, address: int, data: bytes) -> None: ...


def load(program: Program, memory: DataMemory) -> Program:
    """Return the program as it is in this memory: equal to it, and each instruction knows the addresses it names.

    Its sections become buffers named as they are (`.rodata`, `.data`, ...), which keep what is stored in them. Data
    among the instructions lies where it does in the code, whose bytes are unreadable.

    Raises MachineError if a number in the data does not fit its place now that addresses are known.
    """
    if not program.data:
        return program
    bases = {IN_CODE: program.base}
    among = {number: s.offset for number, s in enumerate(program.data) if s.offset is not None and s.contents}
    if among:
        taken = {buffer.name for buffer in memory.buffers}
        rows = []
        for number, offset in among.items():
            name = _free(taken, program.data[number].name)
            taken.add(name)
            rows.append((name, offset, len(program.data[number].contents)))
        bases[IN_CODE] = memory.place_code(rows, program.offsets[-1], max(s.align for s in program.data), BEHIND)
        bases |= {number: bases[IN_CODE] + offset for number, offset in among.items()}
    for number, section in enumerate(program.data):
        if section.offset is None:
            name = _free({buffer.name for buffer in memory.buffers}, section.name)
            bases[number] = memory.place_data(name, section.contents, not section.writable, max(section.align, 64))
    for number, section in enumerate(program.data):
        if number in bases:
            try:
                memory.fill(bases[number], section.image(bases))
            except ValueError as problem:
                raise MachineError(f"{program.path}: {problem}. Store it in a wider type, or as a distance") from None
    return _at(program, bases)


def _at(program: Program, bases: Mapping[int, int]) -> Program:
    """The program when section i begins at bases[i]: the same object each time, so what is made of it can be kept."""
    kept = program.placements
    key = tuple(value for _, value in sorted(bases.items()))
    found = kept.get(key)
    if found is None:
        found = replace(program, base=bases[IN_CODE], instructions=tuple(
            i if i.reference is None else _placed(i, bases[i.reference[0]] + i.reference[1])
            for i in program.instructions))
        while len(kept) >= PLACEMENTS:
            kept.pop(next(iter(kept), key), None)
        kept[key] = found
    return found


def validate_identity(identity: Mapping[str, int]) -> dict[str, int]:
    """Values of registers that say what the core is, by their names in lower case; else BadArgument."""
    found = {}
    for name, value in identity.items():
        low = name.lower() if isinstance(name, str) else name
        if low not in IDENTITY:
            raise BadArgument(f"{name!r} does not identify the core; use {', '.join(IDENTITY)}")
        found[low] = as_int(value, name, 0, (1 << 64) - 1)
    return found


def reads_id_registers(program: Program) -> bool:
    """Return whether it reads what the core is."""
    return any("identity" in instruction.numbers for instruction in program.instructions)


def with_id_registers(program: Program, identity: Mapping[str, int]) -> Program:
    """Return the program with these values in the instructions that read what the core is."""
    if not identity or not reads_id_registers(program):
        return program

    def known(instruction: Instruction) -> Instruction:
        name = str(getattr(instruction.roles.get("n"), "name", "")).lower()
        if "identity" not in instruction.numbers or name not in identity:
            return instruction
        return replace(instruction, numbers={**instruction.numbers, "identity": identity[name]})
    return replace(program, instructions=tuple(known(i) for i in program.instructions))


def _free(taken: set[str], name: str) -> str:
    """A name that no buffer has."""
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
    made = select_form(instruction.isa, instruction.mnemonic, operands, position=instruction.position)
    return replace(made, reference=instruction.reference)
