"""Text to Program: two walks over the statements, the first for labels, the second for everything else."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import ChainMap
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from operator import itemgetter
from pathlib import Path

from neonsim.arm.asm.data import CODE, Relocation, Spot, parts
from neonsim.arm.asm.library import OWN, built_in, text_of
from neonsim.arm.asm.object.disassembler import disassembler, relative, render_word
from neonsim.arm.asm.parse.addresses import SHIFTS
from neonsim.arm.asm.parse.directives import MEANINGFUL, check
from neonsim.arm.asm.parse.fixups import Jump, References
from neonsim.arm.asm.parse.labels import Labels
from neonsim.arm.asm.parse.layout import ALIGNS, SectionLayout
from neonsim.arm.asm.parse.operands import OperandParser
from neonsim.arm.asm.parse.registers import REGISTERS
from neonsim.arm.asm.parse.sections import at
from neonsim.arm.asm.program import Program
from neonsim.arm.asm.text.apple import has_suffix, is_apple, readings, without_comments
from neonsim.arm.asm.text.detect_format import detect_format
from neonsim.arm.asm.text.diagnostics import Diagnostics, TooManyErrors
from neonsim.arm.asm.text.expression import Tokens, tokenize
from neonsim.arm.asm.text.gas_macros import Expander
from neonsim.arm.asm.text.includes import Includes
from neonsim.arm.asm.text.preprocessor import Preprocessor
from neonsim.arm.asm.text.source import Line, Statement, read, split, split_lines
from neonsim.arm.isa import WORD_BYTES, Instruction, SourcePosition, select_form
from neonsim.arm.isa.forms.select import other_set_hint
from neonsim.arm.isa.operands.ast import Address, Immediate, Operand, Span, Symbol, VectorRegister
from neonsim.arm.isa.operands.gpr import CONDITION_ALIASES
from neonsim.arm.isa.operands.immediates import a32_encodes
from neonsim.arm.semantics import CONDITIONS
from neonsim.errors import AssemblyError, BadArgument

__all__ = ["assemble", "assemble_named"]

_NAME = re.compile(r"[A-Za-z_.$][\w.$]*\Z", re.ASCII)
_ALIAS = re.compile(r"(\.req|\.[dq]n)(?!\S)(.*)", re.ASCII | re.IGNORECASE | re.DOTALL)
_LOADS = re.compile(rf"v?ldr(sw)?(\.\w+|{'|'.join((*CONDITIONS, *CONDITION_ALIASES))})?\Z", re.ASCII | re.IGNORECASE)
_LITERAL_BITS = {"w": 32, "x": 64, "r": 32, "s": 32, "d": 64, "q": 128}
_IT = re.compile(r"it[te]{0,3}\Z", re.ASCII)
_ADRL = re.compile(r"adr(?:l([a-z]{2})?|([a-z]{2})l)\Z", re.ASCII)
_WIDE = re.compile(r"\s*0[xX][0-9a-fA-F]{17,32}\s*")  # more than an expression holds
_LITERAL = re.compile(r"(.*?),\s*=(.*)\Z", re.DOTALL)
_MACH_O = re.compile(r"([A-Za-z_.$][\w.$]*)@(PAGEOFF|PAGE|GOTPAGEOFF|GOTPAGE)\b", re.ASCII | re.IGNORECASE)
_MACH_O_PARTS = {"PAGE": "", "PAGEOFF": ":lo12:", "GOTPAGE": ":got:", "GOTPAGEOFF": ":got_lo12:"}
_WORDS = frozenset((".word", ".long", ".int", ".4byte"))
_PLT = re.compile(r"\(PLT\)\Z", re.IGNORECASE)  # by the linker's table, where there is one
_FILLERS = frozenset(("mov r0, r0", "andeq r0, r0, r0"))  # of AArch32: NOP before Armv6K, and zeros
_ROUNDS = 8                  # that a text is read at most, where its values hang on places
_REMEMBERED = 8192           # decoded lines that are kept: more than a kernel has
_MAX_CACHED_LENGTH = 120    # characters of their operands
_decoded: dict[tuple[str, str, str, int, tuple[Operand, ...]], Instruction] = {}


def assemble(source: str | Path, isa: str, *, include: Sequence[str | Path] = (),
             define: Mapping[str, str | int | None] | None = None) -> Program:
    """Assemble text for one instruction set: AArch64 GNU syntax, or AArch32 UAL in Arm state.

    source    str: the text; pathlib.Path: a .S or .s file in UTF-8
    isa       "aarch64" | "aarch32"
    include   folders for #include, .include and .incbin, searched in order; for quoted names the folder of the file
              that asks must pass first. Nothing outside these folders is read.
    define    {name: text, integer, or None}: macros as if by #define before the first line; "F(a, b)" takes
              arguments, None forgets a predefined one (see `predefined`)

    Returns a Program.
    Raises AssemblyError (.path .line .column .message; a caret when printed) for what is wrong, AssemblyErrors for
    several mistakes (.errors has each, up to MAX_MISTAKES; all are printed; .line and the others are the first one's),
    BadArgument for a wrong isa, source type or definition.

    >>> program = assemble("double: add w0, w0, w0; ret", "aarch64")
    >>> program.symbols, len(program)
    ({'double': 0}, 2)
    """
    if isa not in REGISTERS:
        near = {"arm64": "aarch64", "a64": "aarch64", "arm": "aarch32", "armv7": "aarch32", "a32": "aarch32"}
        hint = f" Did you mean {near[isa]!r}?" if isa in near else ""
        raise BadArgument(f'isa must be "aarch64" or "aarch32"; got {isa!r}.{hint}')
    if isinstance(include, str | Path):
        raise BadArgument(f"include must be a list of folders; got {include!r}. Use include=[{str(include)!r}].")
    path, text = read(source)
    folder = Path(path).parent if isinstance(source, Path) else None
    apple = isa == "aarch64" and is_apple(text)
    plain = without_comments(text) if apple else text
    try:
        return _read(path, plain, split_lines(text), isa, lambda: Includes(include), define or {}, folder, apple)
    except AssemblyError:
        if (named := detect_format(text)) is None:
            raise
        raise AssemblyError(named, path=path) from None


def assemble_named(path: str, text: str, isa: str, inside: Mapping[str, bytes] | None = None,
                   include: Sequence[str | Path] = ()) -> Program:
    """Return a text that stands in no file but has a name, such as the disassembly of an object.

    inside   {name: bytes} of what the text names by .incbin
    include  folders for what it includes; with some, the folder of `path` must pass first
    """
    folder = Path(path).parent if include else None
    return _read(path, text, split_lines(text), isa, lambda: Includes(include, inside), {}, folder, False)


def _read(path: str, text: str, lines: tuple[str, ...], isa: str, files: Callable[[], Includes],
          define: Mapping[str, str | int | None], folder: Path | None, apple: bool) -> Program:
    """The program of a text. Where its values or alignments hang on places that are known once all is read, it is read
    again with those, until they stay."""
    before: _Assembler | None = None
    for _ in range(_ROUNDS):
        includes = files()
        preprocessor = Preprocessor(isa, includes, define)
        expander = Expander(preprocessor, None if before is None else before.value_at)
        found = expander.statements(path, text, folder)
        assembler = _Assembler(path, isa, found, lines, includes, preprocessor.mistakes, apple, expander, before)
        program = assembler.program()
        if program is not None:
            return program
        before = assembler
    raise AssemblyError("The distances and alignments of this program depend on each other. Use numbers instead of "
                        "labels in its conditions.", path=path)


class _Assembler:
    """One walk over the statements; labels are bound to what follows them, names of labels are looked up at the end."""

    def __init__(self, path: str, isa: str, statements: list[Statement], lines: tuple[str, ...], includes: Includes,
                 mistakes: Diagnostics, apple: bool, expander: Expander, before: _Assembler | None) -> None:
        self.path, self.isa, self.statements, self.lines = path, isa, statements, lines
        self.includes, self.mistakes, self.apple = includes, mistakes, apple
        self.labels = Labels(statements, mistakes)
        self.globals: dict[str, tuple[Line, int]] = {}
        self.instructions: list[Instruction] = []
        self.gaps: list[tuple[Spot, Statement]] = []  # data between instructions: where it begins
        self.own: int | None = None                  # instructions before those of built-in functions
        self.built_in: tuple[str, ...] = ()          # the text of these
        self.layout: SectionLayout = SectionLayout(isa, includes, {} if before is None else before.layout.phases)
        # Values that hang on places: by those that the reading before found, if there was one.
        self.before, self.again, self.asked = before, expander.again, expander.asked
        self.by_before = bool(expander.asked)
        self.spots: dict[int, Spot] = {}    # of the statements that the expander asks for
        self.moved: dict[int, Spot] = {}
        self.reading_operands = False
        self.references = References(isa, self.labels, self.layout)
        self.parser = OperandParser(isa, self.labels.defined.keys())
        self.parser.later = self.labels.constants
        # Lines that say the same each time, by head, rest and its column: the instruction, the labels in it.
        self.known: dict[tuple[str, str, int], tuple[Instruction, tuple[tuple[str, Span], ...]]] = {}
        self.parser.by_places = None if before is None else self._by_places
        self.layout.constants = self.parser.constants
        self.layout.spot_of = self.labels.spot_of

    def program(self) -> Program | None:
        """None: places that values hang on have become known, or have changed."""
        mistakes = self.mistakes
        try:
            self._walk(0)
            if not self.again:
                self._add_built_in()
            mistakes.walk()
            self._refer()
        except TooManyErrors:
            pass
        mistakes.check()
        return None if self.again else self._program()

    # -- readings

    def value_at(self, tokens: Tokens, number: int) -> int:
        """Return the value of an expression in front of a statement, by the places of this reading."""
        return self._by(tokens, self.spots.get(number, (CODE, 0)), number, {})

    def _by(self, tokens: Tokens, here: Spot, number: int, constants: Mapping[str, int], weakest: int = 1) -> int:
        start = tokens.at
        value = self.layout.value(tokens, here, number, ChainMap(dict(constants), self.parser.constants), weakest)
        if isinstance(value, Relocation):
            raise tokens.fail("A number is expected here, not an address.", start, max(tokens.at - 1, start))
        return value

    def _by_places(self, tokens: Tokens, weakest: int = 1) -> int:
        """The value of an expression of an operand or a constant, by the places of the reading before."""
        assert self.before is not None
        self.by_before = True
        here = self.layout.places[-1] if self.reading_operands else self.layout.spot
        return self.before._by(tokens, at(here, self.before.moved), self.layout.number, self.parser.constants,
                               weakest)

    def _hangs_on_places(self, tokens: Tokens) -> bool:
        """Whether the next reading may know an expression that this one does not: all names in it that are no constants
        are labels, or constants that come later."""
        names = [text for kind, text in zip(tokens.kinds, tokens.texts, strict=True)
                 if kind in ("word", "labelref") and text not in self.parser.constants
                 and self.parser.register(text) is None and text.lower() not in SHIFTS]
        if not names or not all(name[0].isdigit() or name == "." or name in self.labels.defined
                                or name in self.labels.constants for name in names):
            return False
        before = self.before
        if before is None:
            return True
        # Constants may hang on each other, one reading for each; as long as more are known.
        return any(name in self.labels.constants and name not in before.known_names for name in names) and (
            before.before is None or len(before.known_names) > len(before.before.known_names))

    @property
    def known_names(self) -> set[str]:
        return self.parser.constants.keys() | self.labels.spots.keys()

    def _same_places(self) -> bool:
        """Whether what this reading found is what it was read by."""
        before = self.before
        return before is not None and (before.labels.spots == self.labels.spots and before.spots == self.spots
                                       and before.labels.numeric == self.labels.numeric
                                       and before.parser.constants == self.parser.constants)

    def _walk(self, first: int) -> None:
        """Read the statements from this one on."""
        self.mistakes.walk()
        self.labels.collect(self.isa, first)
        for number in range(first, len(self.statements)):
            statement = self.statements[number]
            try:
                self.layout.number = number
                if number in self.asked:
                    self.spots[number] = self.layout.spot
                if statement.labels:
                    self.labels.bind([(name, number) for name, _ in statement.labels], self.layout.spot)
                if statement.head:
                    self._statement(number, statement)
            except AssemblyError as error:
                self.mistakes.add(error)
        if len(self.statements) in self.asked:
            self.spots[len(self.statements)] = self.layout.spot

    def _add_built_in(self) -> None:
        """Put the built-in functions that the text names, and has none of its own for, behind it."""
        named = {reference[1] for jump in self.references.jumps if (reference := parts(jump.label)) is not None}
        for tokens, _ in self.references.pool.values():
            named.update(() if isinstance(tokens, int) else tokens.texts)
        for section in self.layout.data:
            for waiting in section.numbers:
                named.update(waiting.tokens.texts)
        taken = self.labels.defined.keys() | self.labels.spots.keys() | self.parser.constants.keys()
        wanted = (named & built_in(self.isa)) - taken
        if not wanted or self.mistakes:
            return
        self.own, self.apple = len(self.instructions), False
        first, path = len(self.statements), ""
        text = text_of(self.isa, wanted, taken)
        last = next((p.last for p in reversed(self.layout.in_order) if p.last is not None), None)
        if last is not None and not _leaves(self.instructions[last]):
            text = (".text\nbrk #0\n" if self.isa == "aarch64" else ".text\nudf #0\n") + text
        self.layout.begin_library()
        for number, line in enumerate(text.splitlines(), 1):
            if line.endswith(":") and not line.startswith(f"{OWN}L"):
                path = SourcePosition.path_of(line[:-1].removeprefix(OWN))
            self.statements.append(split(line, 0, Line(path, number, line)))
        self.built_in = split_lines(text)
        self._walk(first)

    def _refer(self) -> None:
        """What is said about other places of the text, when all of it is read."""
        mistakes = self.mistakes
        moved, order = self.layout.place_code()
        self.labels.relocate(moved)
        self.moved, self.spots = moved, {number: at(spot, moved) for number, spot in self.spots.items()}
        expected = {} if self.before is None else self.before.layout.phases
        self.again = self.again or self.layout.phases != expected or (self.by_before and not self._same_places())
        if self.again:
            return
        self.gaps = [(at(spot, moved), statement) for spot, statement in self.gaps]
        if self.layout.reordered and not mistakes:
            now = {old: new for new, old in enumerate(order)}
            self.instructions = [self.instructions[old] for old in order]
            self.references.jumps = sorted((
                jump._replace(number=now[jump.number]) for jump in self.references.jumps), key=itemgetter(0))
        self.references.constants = self.parser.constants
        self.layout.is_external = self.references.is_external
        if not mistakes:
            self._check_gaps()
            self.labels.check_names(self.layout.place_of)
            self.layout.finish(mistakes)
            self.references.resolve(self.instructions, mistakes)
        elif not mistakes.lost:
            # Places in the code are not those of the text without its mistakes; that a label is missing is certain.
            self.layout.finish(mistakes)
            self.references.look_for_labels(mistakes)

    def _program(self) -> Program:
        data = self.layout.result()
        self.labels.name_sections([r for s in data for r in s.relocations])
        listed = [(name, self.layout.place_of(spot[1]) if spot[0] == CODE else spot)
                  for name, spot in self.labels.listed]
        code = tuple(sorted(((name, place) for name, place in listed if isinstance(place, int)), key=itemgetter(1)))
        places = tuple((name, *place) for name, place in listed if isinstance(place, tuple) and not name.isdigit())
        # Only sections with something in them stay, and those that keep instructions apart.
        used = {section for _, section, _ in places}
        kept = [i for i, s in enumerate(data) if s.contents or i in used or (s.offset is not None
                                                                             and s.behind > s.offset)]
        # As in the listing: what is among the code must pass first.
        kept.sort(key=lambda i: (data[i].offset is None, data[i].offset or 0))
        where = {CODE: CODE, **{old: new for new, old in enumerate(kept)}}
        data = tuple(replace(data[i], relocations=tuple(
            replace(r, plus=where[r.plus], minus=None if r.minus is None else where[r.minus])
            for r in data[i].relocations)) for i in kept)
        instructions = tuple(i if i.reference is None else
                             replace(i, reference=(where[i.reference[0]], i.reference[1])) for i in self.instructions)
        places = tuple(sorted(((name, where[section], offset) for name, section, offset in places),
                              key=itemgetter(1, 2)))
        # A kernel may keep all its instructions in a file that it includes: that text is then what pictures show.
        written = {str(i.position.path) for i in instructions[:self.own]}
        included = self.includes.texts.get(written.pop()) if len(written) == 1 else None
        lines = self.lines if included is None else split_lines(included)
        there = self.labels.spots.keys() - self.labels.outside  # others are declared only
        if self.own is not None:
            instructions = instructions[:self.own] + tuple(
                replace(i,
                        position=replace(i.position,
                                         line=i.position.line + len(lines))) for i in instructions[self.own:])
            lines += self.built_in
        return Program(self.isa, self.path, instructions, code, tuple(name for name in self.globals if name in there),
                       lines, data, places, text_length=self.own)

    # -- statements

    def _forget(self) -> None:
        """Names have changed their meaning."""
        self.parser.forget()
        self.known.clear()

    def _statement(self, number: int, statement: Statement) -> None:
        head = statement.head
        known = self.known.get((head, statement.operands, statement.operands_column))
        if known is not None and self.layout.in_code:
            self.layout.instruction()
            self._add(known[0].relocate(_where(statement)), number, statement.place, known[1])
            return
        low = head.lower()
        rest = statement.operands.lstrip()
        if rest[:1] == "=":
            value = statement.operands.replace("=", " ", 2 if rest[:2] == "==" else 1)
            self._set(statement, head, statement.head_column, value, statement.operands_column)
        elif (alias := _ALIAS.match(rest)) and (self.isa == "aarch32" or alias[1].lower() == ".req"):
            self._req(statement, alias)
        elif low == ".inst":
            self._numbers(number, statement)
        elif low[0] == ".":
            self._directive(number, statement, low)
        elif self.isa == "aarch32" and _IT.match(low):
            self._if_then(statement)
        elif self.isa == "aarch32" and (long := _ADRL.match(low)):
            # Two instructions, whose second one GNU as leaves empty where one is enough; here ADR reaches everything.
            self._instruction(number, statement._replace(head=f"adr{long[1] or long[2] or ''}"))
            self._instruction(number, statement._replace(head="mov", operands=" r0, r0"))
        else:
            self._instruction(number, statement)

    @staticmethod
    def _if_then(statement: Statement) -> None:
        """IT, ITE ...: Thumb's prefix to conditional instructions, which has no code in Arm state."""
        condition = statement.operands.strip().lower()
        if CONDITION_ALIASES.get(condition, condition) not in CONDITIONS:
            raise statement.place.error(f"`{statement.head}` needs a condition: {statement.head} ne.",
                                        statement.head_column, len(statement.head))

    def _numbers(self, number: int, statement: Statement) -> None:
        """.inst: instructions as numbers, written so where an older assembler does not know them."""
        if not statement.operands.strip():
            raise self._usage(statement, ".inst 0x4e828420" if self.isa == "aarch64" else ".inst 0xe0810002")
        decoder = disassembler(self.isa)
        column = statement.operands_column
        for piece in statement.operands.split(","):
            blank = len(piece) - len(piece.lstrip())
            span = column + blank, len(piece.strip())
            value = self.parser.constant(statement.place, piece, column)
            column += len(piece) + 1
            if not 0 <= value < 1 << 32:
                raise statement.place.error("An instruction must be a 32-bit number.", *span)
            words = render_word(decoder, self.isa, value.to_bytes(4, "little"), 0)
            if words is None:
                raise statement.place.error(f"{value:#010x} is not an instruction that neonsim supports.", *span)
            words = words[0], relative(self.isa, *words, 0, lambda distance: f".{distance:+d}")
            try:
                self._instruction(number, statement._replace(head=words[0], operands=f" {words[1]}"))
            except AssemblyError as error:
                raise statement.place.error(f"{value:#010x} is `{' '.join(words)}`. {error.message}", *span) from None

    def _instruction(self, number: int, statement: Statement) -> None:
        if self.isa == "aarch64" and (has_suffix(statement.head) or (self.apple and "[" in statement.operands)):
            statement = self._of_apple(statement)
        elif self.isa == "aarch32" and statement.head.lower() == "blx" and self.parser.register(
                statement.operands.strip()) is None:
            statement = statement._replace(head="bl")  # as a linker does where the function is in Arm state
        place = statement.place
        if not self.layout.in_code:
            self.layout.back_to_code()  # said once, not for every instruction that follows
            raise place.error("An instruction must not be in a data section. Write .text before it.",
                              statement.head_column,
                              len(statement.head))
        self.layout.instruction()
        text = statement.operands
        literal = _LITERAL.match(text) if "=" in text and _LOADS.match(statement.head) else None
        if literal is not None:
            operands = self._load_literal(number, statement, literal)
        else:
            if "@" in text:  # Mach-O's way to write :lo12:
                text = _MACH_O.sub(lambda m: f"{_MACH_O_PARTS[m[2].upper()]}{m[1]}", text)
            if self.isa == "aarch32" and text.endswith(")"):
                text = _PLT.sub("", text)
            parsed = self._operands(statement, text)
            if parsed is None:  # something stands for it until the places are known
                self._add(select_form(self.isa, "nop", [], position=_where(statement)), number, place, ())
                return
            operands = parsed
            if self.parser.types:
                statement = self._typed(statement, operands)
        try:
            instruction = self._decode(statement, operands)
        except AssemblyError:
            if (place_meant := self._last_as_label(statement, operands)) is None:
                raise
            operands = place_meant
            instruction = self._decode(statement, operands)
        labels: list[tuple[str, Span]] = []
        if instruction.label is not None:
            span = (statement.head_column, len(statement.head))
            for operand in operands:
                if isinstance(operand, Symbol) and operand.name == instruction.label:
                    span = operand.span
            labels.append((instruction.label, span))
        for operand in operands:
            part = operand.offset if isinstance(operand, Address) else operand
            if isinstance(part, Immediate) and part.symbol:
                labels.append((part.symbol, part.span))
        if literal is None and not self.parser.placed:
            self.known[statement.head, statement.operands, statement.operands_column] = instruction, tuple(labels)
        self._add(instruction, number, place, labels)

    def _typed(self, statement: Statement, operands: list[Operand]) -> Statement:
        """VADD q0.i16, q1.i16, q2.i16 with the data type behind the mnemonic: that of what is read, which stands last;
        a conversion has both."""
        types = [*self.parser.types.values()]
        if "." in statement.head:
            raise statement.place.error("The data type is written twice. Write it after the mnemonic or on the "
                                        "registers.",
                                        statement.head_column, len(statement.head))
        kinds = [types[-1], types[0]]
        if statement.head.lower().startswith("vcvt"):
            kinds = [f"{types[0]}.{types[-1]}"]
        for kind in kinds:
            typed = statement._replace(head=f"{statement.head}.{kind}")
            with suppress(AssemblyError):
                self._decode(typed, operands)
                break
        return typed

    def _operands(self, statement: Statement, text: str) -> list[Operand] | None:
        """The operands of an instruction; None where one hangs on places, and they are not known."""
        self.reading_operands = True
        try:
            return self.parser.parse(statement.place, text, statement.operands_column)
        except AssemblyError:
            if not self._hangs_on_places(tokenize(statement.place, text, statement.operands_column)):
                if elsewhere := other_set_hint(self.isa, statement.head):
                    raise statement.place.error(elsewhere, statement.head_column, len(statement.head)) from None
                raise
            self.again = True
            return None
        finally:
            self.reading_operands = False

    def _last_as_label(self, statement: Statement, operands: list[Operand]) -> list[Operand] | None:
        """The operands of `b dst` where `dst` names a register (.req) and a label too; None for others."""
        word = statement.operands.rstrip().rpartition(",")[2].strip()
        if word.lower() not in self.parser.aliases or word not in self.labels.defined or not operands:
            return None
        return [*operands[:-1], Symbol(word, operands[-1].span)]

    def _add(self, instruction: Instruction, number: int, place: Line, labels: Iterable[tuple[str, Span]]) -> None:
        for label, span in labels:
            self.references.jumps.append(Jump(len(self.instructions), number, label, place, span))
        self.layout.piece.last = len(self.instructions)
        self.instructions.append(instruction)

    def _of_apple(self, statement: Statement) -> Statement:
        """ADD.4S v0, v1, v2, as Clang writes for macOS, in GNU syntax; the statement itself if it is none."""
        for head, rest in readings(statement.head, statement.operands):
            read = statement._replace(head=head, operands=rest)
            try:
                self._decode(read, self.parser.parse(statement.place, rest, statement.operands_column))
            except AssemblyError:
                continue
            return read
        return statement

    def _load_literal(self, number: int, statement: Statement, literal: re.Match[str]) -> list[Operand]:
        """The operands of LDR reg, =value; the value is noted for the pool."""
        column = statement.operands_column + literal.start(2)
        operands = self.parser.parse(statement.place, literal[1], statement.operands_column)
        tokens = tokenize(statement.place, literal[2], column)
        span = (column - 1, len(literal[2].rstrip()) + 1)
        register = operands[0] if operands else None
        wide = _LITERAL_BITS.get(getattr(register, "kind", ""), 0)
        if not wide or len(operands) > 1:
            whole = register.number if isinstance(register, VectorRegister) and register.kind == "v" else None
            raise statement.place.error("`=value` loads one register of at least 32 bits" + (
                "." if whole is None else f": write q{whole} for all of v{whole}."), *span)
        if statement.head.lower() == "ldrsw":
            wide = 32
        if not any(kind in ("word", "labelref") and text not in self.parser.constants
                   for kind, text in zip(tokens.kinds, tokens.texts, strict=True)):
            value = int(literal[2], 16) if _WIDE.fullmatch(literal[2]) else self.parser.constant(
                statement.place, literal[2], column)
            if not -(1 << wide - 1) <= value < 1 << wide:
                raise statement.place.error(f"{value:#x} does not fit {wide} bits.", *span)
            key = f"={value % (1 << wide):#x}"
            self.references.pool.setdefault(key, (value % (1 << wide), number))
            return [*operands, Symbol(key, span)]
        if "." in tokens.texts or "labelref" in tokens.kinds:
            raise statement.place.error("A literal needs a named label: define one, and write `=label`.", *span)
        if wide > 8 * WORD_BYTES[self.isa]:
            raise statement.place.error(f"An address has {8 * WORD_BYTES[self.isa]} bits, and {literal[1].strip()} has "
                                        f"{wide}: load it into a general register.", *span)
        key = "=" + "".join(tokens.texts)
        self.references.pool.setdefault(key, (tokens, number))
        return [*operands, Symbol(key, span)]

    def _decode(self, statement: Statement, operands: list[Operand]) -> Instruction:
        place = statement.place
        head = statement.head
        last = operands[-1] if operands else None
        if self.isa == "aarch32" and isinstance(last, Symbol) and last.name[:3] == "=0x" and head[:1] in "lL":
            # As GNU as does: a constant that MOV or MVN can make needs no literal.
            value = int(last.name[1:], 16)
            for name, number in (("mov", value), ("mvn", ~value & 0xFFFFFFFF)):
                if a32_encodes(number, "op2") >= 0:
                    head, operands = name + head[3:], [*operands[:-1], Immediate(number, last.span)]
                    break
        where = SourcePosition(place.path, place.line, statement.head_column, len(statement.head), place.text)
        # A line that another program had is not read again: kernels share their parts.
        key = (self.isa, head, statement.operands, statement.operands_column, tuple(operands))
        try:
            instruction = _decoded.get(key) or select_form(self.isa, head, operands, position=where)
        except AssemblyError as error:
            if place.origin is None:
                raise
            raise place.error(error.message, error.column, error.width) from None
        if len(_decoded) >= _REMEMBERED:
            _decoded.clear()
        if len(statement.operands) <= _MAX_CACHED_LENGTH:
            _decoded[key] = instruction
        return instruction.relocate(where if place.origin is None else _where(statement))

    def _directive(self, number: int, statement: Statement, name: str) -> None:
        layout = self.layout
        if name in layout.choices:
            layout.choices[name](statement)
        elif not layout.loaded and (name in layout.directives or name in ALIGNS):
            pass
        elif name in layout.directives:
            self._data(number, statement, name)
        elif name in ALIGNS:
            layout.align(statement)
        elif name in (".comm", ".lcomm", ".zerofill", ".tbss"):
            self._common(statement)
        else:
            self._plain_directive(statement, name)

    def _runs_into(self, statement: Statement) -> bool:
        """Whether words stand where the instruction before goes on: instructions written as numbers.

        Words that are no instruction are data, of which is said later that something runs into it.
        """
        code = self.layout.piece
        if code.last is None or _leaves(self.instructions[code.last]) or code.run is not None:
            return False
        decoder = disassembler(self.isa)
        for piece in statement.operands.split(","):
            if re.fullmatch(r"\s*(0[xX][0-9a-fA-F]+|\d+)\s*", piece) is None:
                return False
            value = int(piece, 0) if not piece.strip().isdigit() else int(piece)
            words = render_word(decoder, self.isa, value.to_bytes(4, "little"), 0) if value < 1 << 32 else None
            if words is None or words[0] == "udf" or (self.isa == "aarch32" and value >> 28 < 0xE):
                return False  # with a condition it is rather a number
        return True

    def _data(self, number: int, statement: Statement, name: str) -> None:
        layout = self.layout
        if layout.in_code and name in _WORDS and self._runs_into(statement):
            self._numbers(number, statement)
            return
        if layout.in_code:
            self.gaps.append((layout.spot, statement))
        layout.directives[name](statement)

    def _check_gaps(self) -> None:
        """Data between instructions is fine as long as nothing runs into it."""
        if not self.gaps:
            return
        named = {self.layout.index_behind(spot[1]) for _, spot in self.labels.listed if spot[0] == CODE}
        fillers = {n for n, i in enumerate(self.instructions) if n not in named
                   and (i.form.name == "nop" or str(i) in _FILLERS)}
        for (_, offset), statement in self.gaps:
            index = gap = bisect_left(self.layout.offsets, offset)
            # An instruction that does nothing and is no jump target only fills up, as compilers do in front of aligned
            # data.
            while index - 1 in fillers:
                index -= 1
            last = len(self.instructions) if self.own is None else self.own
            before = self.instructions[index - 1] if index > 0 and gap < last else None
            if before is not None and not _leaves(before):
                self.mistakes.add(statement.place.error(
                    f"`{before}` would run into this data: add a branch or a return before it. Use .inst to write an "
                    f"instruction as a number.", statement.head_column,
                    len(statement.head)))

    def _common(self, statement: Statement) -> None:
        pieces = [piece.strip() for piece in statement.operands.split(",")]
        if statement.head.lower() == ".zerofill":  # segment and section first; without a name it only makes the section
            if len(pieces) == 2:
                return
            pieces = pieces[2:]
        if not 2 <= len(pieces) <= 3 or _NAME.match(pieces[0]) is None:
            raise self._usage(statement, f"{statement.head} name, 16, 4" if statement.head.lower() != ".zerofill" else
                              ".zerofill __DATA,__bss,name,16,2")
        size, *alignment = [self.parser.constant(statement.place, piece, statement.operands_column)
                            for piece in pieces[1:]]
        if alignment and (self.apple or statement.head.lower() in (".zerofill", ".tbss")):
            alignment[0] = 1 << alignment[0] if 0 <= alignment[0] <= 16 else 0
        name = pieces[0]
        if name in self.labels.defined or name in self.labels.spots:
            raise statement.place.error(f"The label `{name}` is set already.", statement.head_column,
                                        len(statement.head))
        self.labels.spots[name] = self.layout.common(statement, name, size, alignment[0] if alignment else 8)
        self.labels.listed.append((name, self.labels.spots[name]))

    def _plain_directive(self, statement: Statement, name: str) -> None:
        refusal = check(self.isa, name, statement.operands)
        if refusal is not None:
            raise statement.place.error(refusal, statement.head_column, len(statement.head))
        if name in (".extern", ".weak"):
            self.labels.declared.update(re.findall(r"[^,\s]+", statement.operands))
        if name not in MEANINGFUL or name == ".end":
            return
        rest, column = statement.operands, statement.operands_column
        if name in (".global", ".globl"):
            for match in re.finditer(r"[^,\s]+", rest):
                self.labels.declared.add(match.group())
                self.globals.setdefault(match.group(), (statement.place, column + match.start()))
            if not rest.strip():
                raise self._usage(statement, ".global name")
        elif name == ".unreq":
            name = rest.strip()
            if self.parser.aliases.pop(name.lower(), None) is None:
                blank = len(rest) - len(rest.lstrip())
                raise statement.place.error(f"`{name}` was not defined with .req.", column + blank, len(name))
            self._forget()
        elif name == ".req":
            raise self._usage(statement, "acc .req v16")
        else:
            symbol, comma, value = rest.partition(",")
            if not comma:
                raise self._usage(statement, f"{name} NAME, 4")
            blank = len(symbol) - len(symbol.lstrip())
            self._set(statement, symbol.strip(), column + blank, value, column + len(symbol) + 1)

    def _usage(self, statement: Statement, example: str) -> AssemblyError:
        width = len(statement.head) + len(statement.operands)
        return statement.place.error(f"The form of this directive is `{example}`.", statement.head_column, width)

    def _set(self, statement: Statement, name: str, column: int, value: str, value_column: int) -> None:
        place = statement.place
        if _NAME.match(name) is None or name == ".":
            raise place.error(f"`{name}` cannot be the name of a constant." if name else "The name is missing.",
                              column, len(name))
        if name.lower() in REGISTERS[self.isa]:  # a name made with .req stays one where a register stands
            raise place.error(f"`{name}` is a register; give the constant another name.", column, len(name))
        if name in self.labels.defined:
            raise place.error(f"`{name}` is a label (line {self.labels.defined[name].line}); give the constant another "
                              "name.", column, len(name))
        if statement.head.lower() == ".equiv" and name in self.parser.constants:
            raise place.error(f"`{name}` is set already, and .equiv sets a name once. Use .set to change it.",
                              column, len(name))
        tokens = tokenize(place, value, value_column)
        try:
            found = self._found(tokens)
        except AssemblyError as error:
            if self._hangs_on_places(tokens):
                self.again = True
            elif self.layout.loaded:  # elsewhere: a distance within debug information, and labels have not come yet
                self.mistakes.add(error, suggestion=name)
            return
        if not isinstance(found, Relocation):
            self.parser.constants[name] = found
        elif found.minus is None:  # another name for a place
            if name in self.labels.spots:
                raise place.error(f"`{name}` is a place already; give this one another name.", column, len(name))
            self.parser.constants.pop(name, None)
            self.labels.spots[name] = found.plus, found.value
            self.labels.listed.append((name, self.labels.spots[name]))
            self.labels.names[name] = place, column
        else:
            raise place.error("The distance between two sections is unknown before linking.", value_column, len(value))
        self._forget()

    def _found(self, tokens: Tokens) -> int | Relocation:
        """The value of a constant: of what is known here, or by the places of the reading before."""
        try:
            return self.layout.evaluate(tokens, self.layout.spot, self.layout.number)
        except AssemblyError:
            if self.before is None:
                raise
        tokens.at = 0
        return self._by_places(tokens)

    def _req(self, statement: Statement, written: re.Match[str]) -> None:
        """Another name for a register; .dn and .qn give it a data type."""
        place, alias = statement.place, statement.head
        word = written[2].strip()
        column = statement.operands_column + len(statement.operands) - len(written[2])
        if alias.lower() in REGISTERS[self.isa]:
            raise place.error(f"`{alias}` is a register already; choose another name.",
                              statement.head_column, len(alias))
        name = self.parser.register(word)
        if name is None:
            some = "v16" if self.isa == "aarch64" else "q8"
            self.mistakes.add(place.error(
                f"`{word}` is no register. Write `{alias} .req {some}`." if word else
                f"The register is missing: `{alias} .req {some}`.", column + bool(word), max(len(word), 1)),
                suggestion=alias)
            return
        base, dot, arrangement = word.lower().partition(".")
        self.parser.typed.pop(alias.lower(), None)
        if self.isa == "aarch32" and arrangement:
            self.parser.typed[alias.lower()] = arrangement
            dot = arrangement = ""
        self.parser.aliases[alias.lower()] = self.parser.aliases.get(base, base) + dot + arrangement
        self._forget()


def _where(statement: Statement) -> SourcePosition:
    """Where in a file the head of a statement stands."""
    place, column, width = statement.place, statement.head_column, len(statement.head)
    if place.origin is not None:
        place, column, width = place.source(column, width)
    return SourcePosition(place.path, place.line, column, width, place.text)


def _leaves(instruction: Instruction) -> bool:
    """Whether the next instruction is never reached from this one."""
    return (instruction.is_branch and instruction.condition is None and instruction.select_condition is None
            and not any(name in ("n", "nzcv", "link") for name in instruction.form.semantics.parameters
                        if instruction.label is not None) and "link" not in instruction.form.semantics.writes)
