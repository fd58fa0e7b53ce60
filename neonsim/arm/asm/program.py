"""An assembled program: instructions, labels, and the listing that assembles to it again."""

from __future__ import annotations

import difflib
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from neonsim.arm.asm.c.prototypes import Prototype
from neonsim.arm.asm.data import CODE, DataSection, section_lines
from neonsim.arm.asm.library import OWN, SECTION, built_in
from neonsim.arm.isa import Instruction
from neonsim.errors import AssemblyError, BadArgument

__all__ = ["Program"]

_MAX_COMPARED = 1000  # labels that a name is compared with

@dataclass(eq=False)
class Program:
    """An assembled program. Do not change it; it compares by meaning and can be pickled.

    isa            str                        "aarch64" | "aarch32"
    path           str                        file name, or "<text>"
    instructions   tuple[Instruction, ...]    in program order; branch targets are indices into it
    labels         tuple[(str, int), ...]     every label in order, numeric ones too, with the index it stands before
    globals        tuple[str, ...]            names from .global
    lines          tuple[str, ...]            the source, for pictures; instruction.where.line is 1-based
    data           tuple[DataSection, ...]    what it brings along; a machine places it in memory at the first call
    places         tuple[(str, int, int)...]  labels of data: name, index of the section, offset in it
    origins        tuple[(int, str)...]       of compiled C: number and text of each instruction's line, (0, "") if none
    base           int                        address of the code; a machine that places data among it chooses another
    text_length    int | None                 how many instructions the text has itself: behind them are the built-in
                                              functions that it calls, not in the listing. None: there are none
    parts          tuple[int, ...]            of joined programs: where the instructions of each one begin
    prototypes     tuple[Prototype, ...]      what functions take, where an object or a contract says it: calls convert
                                              their arguments to that

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
    base: int = 0x0800_0000
    text_length: int | None = None
    parts: tuple[int, ...] = field(default=(), repr=False)
    prototypes: tuple[Prototype, ...] = field(default=(), repr=False)

    @cached_property
    def symbols(self) -> Mapping[str, int]:
        """{name: index of the first instruction behind it}; numeric labels are not in it."""
        found = {name: index for name, index in self.labels if not name.isdigit()}
        # Between data and the instruction behind it may be room for its alignment; a jump to it arrives.
        ends = {number: s.offset + len(s.contents) for number, s in enumerate(self.data) if s.offset is not None}
        return found | {name: self.indices[self.data[number].behind] for name, number, offset in self.places
                        if number in ends and offset == len(self.data[number].contents) and ends[number] % 4 == 0
                        and self.data[number].behind in self.indices}

    @cached_property
    def offsets(self) -> tuple[int, ...]:
        """Where in the code each instruction lies, in bytes, and the end: four for each, and the data among them."""
        found: list[int] = []
        at = 0
        for section in self.data:
            if section.offset is not None:
                found += range(at, section.offset, 4)
                at = section.behind
        return *found, *range(at, at + 4 * (len(self.instructions) - len(found)) + 1, 4)

    @cached_property
    def indices(self) -> Mapping[int, int]:
        """{offset in the code: index} of the instructions."""
        return {offset: index for index, offset in enumerate(self.offsets[:-1])}

    @cached_property
    def placements(self) -> dict[tuple[int, ...], Program]:
        """This program as it is in memory, by the addresses of code and data: kept by machines, for other machines."""
        return {}

    def address(self, index: int) -> int:
        """Return the address of an instruction, or of the end of the code. Raises BadArgument for an unknown index."""
        try:
            return self.base + self.offsets[index]
        except IndexError:
            raise BadArgument(f"instruction {index} does not exist; the last is {len(self.offsets) - 2}.") from None

    def index_at(self, address: int) -> int | None:
        """Return the index of the instruction at an address, or None."""
        return self.indices.get(address - self.base)

    def file_of(self, index: int) -> int:
        """Return the linked program that an instruction comes from, -1 for the built-in functions after them."""
        return -1 if self.text_length is not None and index >= self.text_length else max(bisect_right(self.parts,
                                                                                                      index) - 1, 0)

    @cached_property
    def undefined(self) -> tuple[str, ...]:
        """Symbols of other files that it names: `link` joins it with what defines them."""
        named = [i.label for i in self.instructions if i.label is not None and i.is_branch and i.target is None]
        named += [name for name, number, _ in self.places if self.data[number].outside]
        return tuple(dict.fromkeys(named))

    @property
    def remarks(self) -> tuple[str, ...]:
        """What may be a typing error: symbols of other files whose names are nearly those of labels here."""
        found = [(name, self.closest_label(name)) for name in self.undefined]
        return tuple(f"`{name}` is not in {self.path}; did you mean `{near}`?" for name, near in found if near)

    def closest_label(self, name: str) -> str | None:
        """Return a label with a similar name."""
        labels = [*self.symbols, *(label for label, number, _ in self.places if not self.data[number].outside)]
        near = difflib.get_close_matches(name, labels[:_MAX_COMPARED], 1, 0.7)
        return near[0] if near else None

    @cached_property
    def built_in(self) -> Mapping[str, range]:
        """{name: its instructions} of the functions behind the program's own, which it calls without having them."""
        if self.text_length is None:
            return {}
        starts = [(index, name.removeprefix(OWN)) for name, index in self.labels
                  if index >= self.text_length and self.is_built_in(name) and not name.startswith(f"{OWN}L")]
        ends = [index for index, _ in starts[1:]]
        return {name: range(index, end) for (index, name), end in zip(starts, [*ends, len(self)], strict=True)}

    def is_built_in(self, label: str) -> bool:
        """Return whether a label is a built-in function after the program's own."""
        return self.text_length is not None and (label.startswith(OWN) or label in self._library)

    @cached_property
    def _library(self) -> frozenset[str]:
        """Names of built-in functions that are behind the program's own."""
        return built_in(self.isa) & {i.position.function for i in self.instructions[self.text_length:]}

    def __len__(self) -> int:
        return len(self.instructions)

    def __repr__(self) -> str:
        return f"<Program {self.path} {self.isa}: {len(self.instructions)} instructions, labels {list(self.symbols)}>"

    def __str__(self) -> str:
        """The listing: labels at the margin, one instruction per line; `assemble` takes it, and so does GNU as."""
        out = [".syntax unified", ".arm"] if self.isa == "aarch32" else []
        out += [f".global {name}" for name in self.globals]
        own = len(self) if self.text_length is None else self.text_length
        end = self.offsets[own]
        places = {CODE: [(name, self.offsets[index]) for name, index in self.labels if not name.isdigit()]}
        for name, number, offset in self.places:
            places.setdefault(number, []).append((name, offset))
            if (start := self.data[number].offset) is not None:
                places[CODE].append((name, start + offset))
        before: dict[int, list[str]] = {}
        for name, index in self.labels:
            if not self.is_built_in(name):
                before.setdefault(index, []).append(name)
        among = {s.offset: number for number, s in enumerate(self.data)
                 if s.offset is not None and (self.text_length is None or s.offset < end)}
        at = 0
        for index, offset in enumerate(self.offsets[:own + 1]):
            if at in among:
                out += section_lines(among[at], self.data[among[at]], places)
            out += [f"{name}:" for name in before.get(index, ())]
            out += [f"        {instruction}" for instruction in self.instructions[index:min(index + 1, own)]]
            at = offset + 4
        for number, section in enumerate(self.data):
            if not (section.generated or section.name.startswith(SECTION)) and section.offset is None:
                out += section_lines(number, section, places)
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
        for derived in ("_meaning", "offsets", "indices", "placements", "built_in", "_library", "_made"):
            state.pop(derived, None)
        return state

    def entry(self, name: str | None = None) -> int:
        """Return the index at which a call begins.

        name   a label; None: the only .global name, or the first instruction when nothing is .global

        Raises AssemblyError naming the labels there are.
        """
        symbols = self.symbols
        if not self.instructions:
            remedy = " Join it with a program that uses it: neonsim.link(program, data)." if self.data else ""
            raise AssemblyError(f"The program {self.path} has no instruction to call."
                                f"{remedy}", path=self.path)
        if name is not None and name not in symbols and f"_{name}" in symbols:  # as macOS has it
            name = f"_{name}"
        if name is None:
            entries = [label for label in self.globals if label in symbols]  # the others are data
            if len(entries) > 1:
                raise AssemblyError(f"{self.path} has several entries: {', '.join(entries)}. Select one: "
                                    f"entry={entries[0]!r} (--entry {entries[0]} on the command line).", path=self.path)
            return symbols[entries[0]] if entries else 0
        if name in symbols:
            return self._inside(name, symbols[name])
        if any(label == name for label, _, _ in self.places):
            raise AssemblyError(f"{name!r} is data of {self.path}: a call must begin at an instruction.",
                                path=self.path)
        if not symbols:
            raise AssemblyError(f"{self.path} has no named label, so {name!r} is unknown. Write `{name}:` before the "
                                f"first instruction, or omit entry to begin there.", path=self.path)
        near = difflib.get_close_matches(name, symbols, 1)
        names = ", ".join(list(symbols)[:12]) + (", ..." if len(symbols) > 12 else "")
        raise AssemblyError(f"{self.path} has no label {name!r}{f'; did you mean {near[0]!r}?' if near else '.'} "
                            f"Labels: {names}.", path=self.path)

    def _inside(self, name: str, index: int) -> int:
        if index >= len(self.instructions):
            raise AssemblyError(f"The label {name!r} is after the last instruction, so nothing can run there.",
                                path=self.path)
        return index
