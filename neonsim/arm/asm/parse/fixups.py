"""What instructions refer to: labels, literals, the table of addresses; resolved when the whole text is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from neonsim.arm.asm.data import CODE, Relocation, Spot, parts
from neonsim.arm.asm.parse.labels import Labels
from neonsim.arm.asm.parse.layout import SectionLayout
from neonsim.arm.asm.text.diagnostics import Diagnostics
from neonsim.arm.asm.text.expression import Tokens
from neonsim.arm.asm.text.source import Line
from neonsim.arm.isa import WORD_BYTES, Instruction, select_form
from neonsim.arm.isa.operands.ast import Address, Immediate, Operand, Span, Symbol
from neonsim.errors import AssemblyError

__all__ = ["Jump", "References"]


class Jump(NamedTuple):
    """An instruction that names a label: which instruction, in which statement, the label, and where it is written."""

    number: int
    statement: int
    label: str
    place: Line
    span: Span


class References:
    """The places that instructions name.

    jumps   who names one
    pool    literals of LDR reg, =value: "=label+4" -> (tokens or value, statement)
    """

    def __init__(self, isa: str, labels: Labels, layout: SectionLayout) -> None:
        self.isa, self.labels, self.layout = isa, labels, layout
        self.jumps: list[Jump] = []
        self.constants: Mapping[str, int] = {}
        self.pool: dict[str, tuple[Tokens | int, int]] = {}

    def is_external(self, name: str) -> bool:
        """Return whether a name that is nowhere here is taken for a symbol of another file; it then has a place."""
        if name in self.labels.outside:
            return True
        if not self.labels.may_be_outside(name):
            return False
        self.labels.outside.add(name)
        self.labels.spots[name] = self.layout.add_outside(name), 0
        self.labels.listed.append((name, self.labels.spots[name]))
        return True

    def resolve(self, instructions: list[Instruction], mistakes: Diagnostics) -> None:
        """Put into the instructions where their labels are."""
        for jump in self.jumps:
            try:
                instructions[jump.number] = self._resolved(jump, instructions[jump.number])
            except AssemblyError as error:
                mistakes.add(error)

    def look_for_labels(self, mistakes: Diagnostics) -> None:
        """Only whether the labels are there, of a text that has mistakes already."""
        for jump in self.jumps:
            reference = parts(jump.label)
            if reference is None or jump.label.startswith("=") or reference[1] == ".":
                continue
            name = reference[1]
            if self.labels.spot_of(name, jump.statement) is None and not self.labels.may_be_outside(name):
                mistakes.add(self.labels.missing(jump.place, jump.span, name))

    def _resolved(self, jump: Jump, instruction: Instruction) -> Instruction:
        """An instruction with the place of its label."""
        pooled = jump.label.startswith("=")
        reference = parts(jump.label)
        if pooled or (reference is not None and reference[0].startswith("got")):
            spot = self._literal(jump, reference)
        else:
            assert reference is not None
            _, name, distance = reference
            here = CODE, self.layout.offsets[jump.number]
            found = here if name == "." else self.labels.spot_of(name, jump.statement)
            if instruction.is_branch and (name in self.labels.outside or found is None):
                if self.labels.may_be_outside(name):
                    return instruction  # without a target: what goes there is said when it is reached
            elif found is None and self.is_external(name):
                found = self.labels.spots[name]
            if found is None:
                raise self.labels.missing(jump.place, jump.span, name)
            if name[0].isdigit() and (self.layout.reordered or found[0] != CODE
                                      or isinstance(self.layout.place_of(found[1]), tuple)):
                instruction = self._renamed(instruction, jump, found, distance)
            spot = found[0], found[1] + distance
            index = self.layout.place_of(spot[1]) if spot[0] == CODE and not instruction.is_branch else None
            if isinstance(index, int) and spot[1] < (behind := self.layout.offsets[index:index + 1] or [0])[0]:
                # Within what fills up: named by its distance from the instruction behind.
                instruction = self._renamed(instruction, jump, (CODE, behind[0]), spot[1] - behind[0])
                return replace(instruction, reference=spot)
        if instruction.label is None:  # a part of an address
            return replace(instruction, reference=spot)
        place = self.layout.place_of(spot[1]) if spot[0] == CODE else spot
        if isinstance(place, tuple):
            if not instruction.is_branch:
                return replace(instruction, reference=spot)
            place = self.layout.index_behind(spot[1]) if spot[0] == CODE else None
            if place is None:
                raise jump.place.error(f"`{jump.label}` is data, but a branch needs an instruction as its target.",
                                       *jump.span)
        if instruction.memory is not None:
            raise jump.place.error(f"`{jump.label}` is an instruction, but loads read data. Instructions have no bytes "
                                   f"in this memory.",
                                   *jump.span)
        if place is None:
            raise jump.place.error(f"`{jump.label}` is not an instruction of this program.", *jump.span)
        return instruction.resolve(place)

    def _renamed(self, instruction: Instruction, jump: Jump, spot: Spot, distance: int) -> Instruction:
        """With another name and distance: numeric labels of data get names, the listing keeps no others of data."""
        old = jump.label.lstrip(":").split(":")[-1]
        name = f".Ldata{spot[0]}_{spot[1]}" if spot[0] != CODE else f".Lcode_{spot[1]}"
        while self.labels.spots.get(name, spot) != spot:
            name += "_"
        if name not in self.labels.spots:
            self.labels.spots[name] = spot
            self.labels.listed.append((name, spot))
        new = name + (f"{distance:+d}" if distance else "")

        def swapped(operand: Operand) -> Operand:
            if isinstance(operand, Symbol) and operand.name == old:
                return replace(operand, name=new)
            if isinstance(operand, Immediate) and operand.symbol:
                return replace(operand, symbol=operand.symbol.replace(old, new))
            if isinstance(operand, Address) and isinstance(operand.offset, Immediate):
                part = swapped(operand.offset)
                assert isinstance(part, Immediate)
                return replace(operand, offset=part)
            return operand

        operands = [swapped(operand) for operand in instruction.operands]
        return select_form(self.isa, instruction.mnemonic, operands, position=instruction.position)

    def _literal(self, jump: Jump, reference: tuple[str, str, int] | None) -> Spot:
        """The place of a literal, or of a label's entry in the table of addresses; made when it is first needed."""
        key = jump.label if reference is None else f":got:{reference[1]}"
        if key in self.labels.spots:
            return self.labels.spots[key]
        size = WORD_BYTES[self.isa]
        slot = 2 * size
        wanted = "literal pool" if reference is None else "table of addresses"
        index = next((i for i, s in enumerate(self.layout.data) if s.generated and s.name == wanted), None)
        if index is None:
            index = self.layout.add(wanted, slot)
        section = self.layout.data[index]
        spot = index, len(section.contents)
        section.contents += bytes(slot)
        if reference is None:
            tokens, number = self.pool[key]
            here = CODE, self.layout.offsets[jump.number]
            value = tokens if isinstance(tokens, int) else self.layout.evaluate(tokens, here, number)
        else:
            found = self.labels.spot_of(reference[1], jump.statement)
            if found is None and self.is_external(reference[1]):
                found = self.labels.spots[reference[1]]
            if found is None:
                raise self.labels.missing(jump.place, jump.span, reference[1])
            value = Relocation(0, 0, found[1], found[0])
        if isinstance(value, Relocation):
            section.relocations.append(replace(value, offset=spot[1], nbytes=size))
        else:
            section.contents[spot[1]:spot[1] + slot] = (value % (1 << 8 * slot)).to_bytes(slot, "little")
        self.labels.spots[key] = spot
        return spot
