"""Text to Program: two walks over the statements, the first for labels, the second for everything else."""

from __future__ import annotations

import difflib
import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from neonsim.asm.directives import MEANINGFUL, check
from neonsim.asm.includes import Includes
from neonsim.asm.macros import Expander
from neonsim.asm.operands import OperandParser
from neonsim.asm.preprocessor import Preprocessor
from neonsim.asm.program import Program
from neonsim.asm.registers import REGISTERS
from neonsim.asm.source import Place, Statement, read, split_lines
from neonsim.errors import AssemblyError, BadArgument
from neonsim.isa import Instruction, Where, decode
from neonsim.isa.operands import Operand, Span, Symbol

__all__ = ["assemble"]

_NAME = re.compile(r"[A-Za-z_.$][\w.$]*\Z", re.ASCII)
_NUMERIC = re.compile(r"(\d+)([bf])\Z", re.ASCII)


def assemble(source: str | Path, isa: str, *, include: Sequence[str | Path] = (),
             define: Mapping[str, str | int | None] | None = None) -> Program:
    """Assemble text for one instruction set: AArch64 GNU syntax, or AArch32 UAL in Arm state.

    source    str: the text; pathlib.Path: a .S or .s file in UTF-8
    isa       "aarch64" | "aarch32"
    include   folders for #include, .include and .incbin, searched in order; for quoted names the folder of the file
              that asks comes first. Nothing outside these folders is read.
    define    {name: text, whole number, or None}: macros as if by #define before the first line; "F(a, b)" takes
              arguments, None forgets a predefined one (see `predefined`)

    Returns a Program.
    Raises AssemblyError (.path .line .column .message; a caret when printed) for the first thing that is wrong,
    BadArgument for a wrong isa, source type or definition.

    >>> program = assemble("double: add w0, w0, w0; ret", "aarch64")
    >>> program.symbols, len(program)
    ({'double': 0}, 2)
    """
    if isa not in REGISTERS:
        near = {"arm64": "aarch64", "a64": "aarch64", "arm": "aarch32", "armv7": "aarch32", "a32": "aarch32"}
        hint = f" Did you mean {near[isa]!r}?" if isa in near else ""
        raise BadArgument(f'isa is {isa!r}; there are "aarch64" and "aarch32".{hint}')
    if isinstance(include, str | Path):
        raise BadArgument(f"include is {include!r}; pass a list of folders: include=[{str(include)!r}].")
    preprocessor = Preprocessor(isa, Includes(include), define or {})
    path, text = read(source)
    found = Expander(preprocessor).statements(path, text, Path(path).parent if isinstance(source, Path) else None)
    return _Assembler(path, isa, found, split_lines(text)).program()


class _Jump(NamedTuple):
    """An instruction that names a label: which instruction, in which statement, and where the label is written."""

    at: int
    statement: int
    label: str
    place: Place
    span: Span


class _Assembler:
    def __init__(self, path: str, isa: str, found: list[Statement], lines: tuple[str, ...]) -> None:
        self.path, self.isa, self.statements, self.lines = path, isa, found, lines
        self.defined: dict[str, Place] = {}  # named labels and where
        self.labels: list[tuple[str, int]] = []
        self.numeric: dict[int, list[tuple[int, int]]] = {}  # number -> (statement, index of instruction), rising
        self.globals: dict[str, tuple[Place, int]] = {}
        self._collect_labels()
        self.parser = OperandParser(isa, self.defined.keys())

    def program(self) -> Program:
        instructions: list[Instruction] = []
        jumps: list[_Jump] = []
        for number, statement in enumerate(self.statements):
            for name, _ in statement.labels:
                self.labels.append((name, len(instructions)))
                if name.isdigit():
                    self.numeric.setdefault(int(name), []).append((number, len(instructions)))
            head = statement.head
            if not head:
                continue
            low = head.lower()
            rest = statement.rest.lstrip()
            if rest[:1] == "=":
                value = statement.rest.replace("=", " ", 1)
                self._set(statement, head, statement.head_column, value, statement.rest_column)
            elif rest[:4].lower() == ".req" and not rest[4:5].strip():
                self._req(statement)
            elif low[0] == ".":
                self._directive(statement, low)
            else:
                operands = self.parser.parse(statement.place, statement.rest, statement.rest_column)
                instruction = self._decode(statement, operands)
                if instruction.label is not None:
                    span = (statement.head_column, len(head))
                    for operand in operands:
                        if isinstance(operand, Symbol) and operand.name == instruction.label:
                            span = operand.span
                    jumps.append(_Jump(len(instructions), number, instruction.label, statement.place, span))
                instructions.append(instruction)
        if not instructions:
            raise AssemblyError("There is no instruction in this program.", path=self.path, line=1 if self.lines else 0,
                                column=1, text=self.lines[0][:80] if self.lines else "")
        named = dict(self.labels)
        for jump in jumps:
            target = self._target(jump, named)
            instructions[jump.at] = instructions[jump.at].resolve(target)
        for name, (place, column) in self.globals.items():
            if name not in self.defined:
                raise place.error(f"`{name}` is declared .global but there is no label `{name}:`{self._near(name)}",
                                  column, len(name))
        return Program(self.isa, self.path, tuple(instructions), tuple(self.labels), tuple(self.globals), self.lines)

    # -- labels

    def _collect_labels(self) -> None:
        registers = REGISTERS[self.isa]
        for statement in self.statements:
            for name, column in statement.labels:
                place = statement.place
                if name.isdigit():
                    continue
                if name in self.defined:
                    raise place.error(f"The label `{name}` was already set in line {self.defined[name].line}. Rename "
                                      "one of them, or use a numeric label (1: with 1b and 1f).", column, len(name))
                if name.lower() in registers:
                    raise place.error(f"`{name}` is a register; give the label another name.", column, len(name))
                self.defined[name] = place

    def _target(self, jump: _Jump, named: Mapping[str, int]) -> int:
        label = jump.label
        numeric = _NUMERIC.match(label)
        if numeric is None:
            if label in self.defined and label in named:
                return named[label]
            raise jump.place.error(f"There is no label `{label}`{self._near(label)}", *jump.span)
        key, backwards = int(numeric.group(1)), numeric.group(2) == "b"
        places = self.numeric.get(key, [])
        # A label on the statement itself lies behind it: `1: b 1b` jumps to itself.
        behind = bisect_right(places, jump.statement, key=lambda entry: entry[0])
        if backwards and behind:
            return places[behind - 1][1]
        if not backwards and behind < len(places):
            return places[behind][1]
        where, elsewhere, letter = ("before", "after", "f") if backwards else ("after", "before", "b")
        remedy = (f"There is one {elsewhere} it: write {key}{letter}." if places
                  else f"Put `{key}:` in front of the instruction that is meant.")
        raise jump.place.error(f"There is no label `{key}:` {where} this line. {remedy}", *jump.span)

    def _near(self, name: str) -> str:
        near = difflib.get_close_matches(name, self.defined, 1, 0.6)
        if near:
            return f"; did you mean `{near[0]}`?"
        return f". Labels here: {', '.join(list(self.defined)[:8])}." if self.defined else \
            f". Write `{name}:` in front of the instruction that is meant."

    # -- statements

    def _decode(self, statement: Statement, operands: list[Operand]) -> Instruction:
        place = statement.place
        where = Where(place.path, place.line, statement.head_column, len(statement.head), place.text)
        if place.origin is None:
            return decode(self.isa, statement.head, operands, where=where)
        try:
            instruction = decode(self.isa, statement.head, operands, where=where)
        except AssemblyError as error:
            raise place.error(error.message, error.column, error.width) from None
        source, column, width = place.source(statement.head_column, len(statement.head))
        return replace(instruction, where=Where(source.path, source.line, column, width, source.text))

    def _directive(self, statement: Statement, name: str) -> None:
        refusal = check(self.isa, name, statement.rest)
        if refusal is not None:
            raise statement.place.error(refusal, statement.head_column, len(statement.head))
        if name not in MEANINGFUL:
            return
        rest, column = statement.rest, statement.rest_column
        if name in (".global", ".globl"):
            for match in re.finditer(r"[^,\s]+", rest):
                self.globals.setdefault(match.group(), (statement.place, column + match.start()))
            if not rest.strip():
                raise self._usage(statement, ".global name")
        elif name == ".unreq":
            name = rest.strip()
            if self.parser.aliases.pop(name.lower(), None) is None:
                blank = len(rest) - len(rest.lstrip())
                raise statement.place.error(f"`{name}` is no name made with .req.", column + blank, len(name))
            self.parser.forget()
        elif name == ".req":
            raise self._usage(statement, "acc .req v16")
        else:
            symbol, comma, value = rest.partition(",")
            if not comma:
                raise self._usage(statement, f"{name} NAME, 4")
            blank = len(symbol) - len(symbol.lstrip())
            self._set(statement, symbol.strip(), column + blank, value, column + len(symbol) + 1)

    def _usage(self, statement: Statement, example: str) -> AssemblyError:
        width = len(statement.head) + len(statement.rest)
        return statement.place.error(f"This directive is written `{example}`.", statement.head_column, width)

    def _set(self, statement: Statement, name: str, column: int, value: str, value_column: int) -> None:
        place = statement.place
        if _NAME.match(name) is None or name == ".":
            raise place.error(f"`{name}` cannot be the name of a constant." if name else "The name is missing.",
                              column, len(name))
        if self.parser.register(name) is not None:
            raise place.error(f"`{name}` is a register; give the constant another name.", column, len(name))
        if name in self.defined:
            raise place.error(f"`{name}` is a label (line {self.defined[name].line}); give the constant another name.",
                              column, len(name))
        if statement.head.lower() == ".equiv" and name in self.parser.constants:
            raise place.error(f"`{name}` is set already, and .equiv sets a name once. Use .set to change it.",
                              column, len(name))
        self.parser.constants[name] = self.parser.constant(place, value, value_column)
        self.parser.forget()

    def _req(self, statement: Statement) -> None:
        place, alias = statement.place, statement.head
        word = statement.rest.lstrip()[4:].strip()
        column = statement.rest_column + statement.rest.lower().index(".req") + 4
        if alias.lower() in REGISTERS[self.isa]:
            raise place.error(f"`{alias}` is a register already; choose another name.",
                              statement.head_column, len(alias))
        name = self.parser.register(word)
        if name is None:
            raise place.error(f"`{word}` is no register. Write `{alias} .req v16`." if word else
                              f"The register is missing: `{alias} .req v16`.", column + bool(word), max(len(word), 1))
        base, dot, arrangement = word.lower().partition(".")
        self.parser.aliases[alias.lower()] = self.parser.aliases.get(base, base) + dot + arrangement
        self.parser.forget()
