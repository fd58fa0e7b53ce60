"""An assembled program: instructions, labels, and the listing that assembles to it again."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from neonsim.asm.data import CODE, DataSection, section_lines
from neonsim.errors import AssemblyError
from neonsim.isa import Instruction

__all__ = ["Program"]


@dataclass(eq=False)
class Program:
    """What `assemble` makes. Immutable by custom; compares by meaning; pickles.

    isa            str                        "aarch64" | "aarch32"
    path           str                        file name, or "<text>"
    instructions   tuple[Instruction, ...]    in program order; branch targets are indices into it
    labels         tuple[(str, int), ...]     every label in order, numeric ones too, with the index it stands before
    globals        tuple[str, ...]            names from .global
    lines          tuple[str, ...]            the source, for pictures; instruction.where.line is 1-based
    data           tuple[DataSection, ...]    what it brings along; a machine places it in memory at the first call
    places         tuple[(str, int, int)...]  labels of data: name, index of the section, offset in it
    origins        tuple[(int, str)...]       of compiled C: number and text of each instruction's line, (0, "") if none

    Two programs are equal when isa, printed instructions, targets, labels, globals and data are; comments and path do
    not count.
    """

    isa: str
    path: str
    instructions: tuple[Instruction, ...]
    labels: tuple[tuple[str, int], ...] = ()
    globals: tuple[str, ...] = ()
    lines: tuple[str, ...] = field(default=(), repr=False)
    data: tuple[DataSection, ...] = ()
    places: tuple[tuple[str, int, int], ...] = ()
    origins: tuple[tuple[int, str], ...] = ()

    @cached_property
    def symbols(self) -> Mapping[str, int]:
        """{name: index of the first instruction behind it}; numeric labels are not in it."""
        return {name: index for name, index in self.labels if not name.isdigit()}

    def __len__(self) -> int:
        return len(self.instructions)

    def __repr__(self) -> str:
        return f"<Program {self.path} {self.isa}: {len(self.instructions)} instructions, labels {list(self.symbols)}>"

    def __str__(self) -> str:
        """The listing: labels at the margin, one instruction per line; `assemble` takes it, and so does GNU as."""
        out = [".syntax unified", ".arm"] if self.isa == "aarch32" else []
        out += [f".global {name}" for name in self.globals]
        places = {CODE: [(name, 4 * index) for name, index in self.labels if not name.isdigit()]}
        for name, section, offset in self.places:
            places.setdefault(section, []).append((name, offset))
        before: dict[int, list[str]] = {}
        for name, index in self.labels:
            before.setdefault(index, []).append(name)
        # A label belongs to what follows it in its section: one behind the last instruction must not meet data there.
        first = [n for n, s in enumerate(self.data) if s.name == ".text" and not s.generated
                 and len(self.instructions) in before]
        for number in first:
            out += section_lines(number, self.data[number], places)
        for index, instruction in enumerate(self.instructions):
            out += [f"{name}:" for name in before.get(index, ())]
            out.append(f"        {instruction}")
        out += [f"{name}:" for name in before.get(len(self.instructions), ())]
        for number, section_ in enumerate(self.data):
            if not section_.generated and number not in first:
                out += section_lines(number, section_, places)
        return "\n".join(out) + "\n"

    @cached_property
    def _meaning(self) -> tuple[object, ...]:
        return (self.isa, tuple((str(i), i.target, i.reference) for i in self.instructions), self.labels, self.globals,
                self.data, tuple(sorted(self.places)))

    def __eq__(self, other: object) -> bool:
        return self._meaning == other._meaning if isinstance(other, Program) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._meaning)

    def __getstate__(self) -> dict[str, object]:
        state = dict(self.__dict__)
        state.pop("_meaning", None)
        return state

    def entry(self, name: str | None = None) -> int:
        """The index at which a call begins.

        name   a label; None: the only .global name, or the first instruction when nothing is .global

        Raises AssemblyError naming the labels there are.
        """
        symbols = self.symbols
        if name is None:
            entries = [label for label in self.globals if label in symbols]  # the others are data
            if len(entries) > 1:
                raise AssemblyError(f"{self.path} has several entries: {', '.join(entries)}. Say which one: "
                                    f"entry={entries[0]!r} (--entry {entries[0]} on the command line).", path=self.path)
            return symbols[entries[0]] if entries else 0
        if name in symbols:
            return self._inside(name, symbols[name])
        if any(label == name for label, _, _ in self.places):
            raise AssemblyError(f"{name!r} is data of {self.path}: a call begins at an instruction.", path=self.path)
        if not symbols:
            raise AssemblyError(f"{self.path} has no label {name!r}: it has no named label at all. Write `{name}:` "
                                "before the first instruction, or leave entry out to begin there.", path=self.path)
        near = difflib.get_close_matches(name, symbols, 1)
        names = ", ".join(list(symbols)[:12]) + (", ..." if len(symbols) > 12 else "")
        raise AssemblyError(f"{self.path} has no label {name!r}{f'; did you mean {near[0]!r}?' if near else '.'} "
                            f"Labels: {names}.", path=self.path)

    def _inside(self, name: str, index: int) -> int:
        if index >= len(self.instructions):
            raise AssemblyError(f"The label {name!r} stands behind the last instruction: nothing can run there.",
                                path=self.path)
        return index
