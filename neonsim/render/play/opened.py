"""A text and its arguments as the page's engine takes them, or what is wrong with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from neonsim.arm.asm import Program, assemble
from neonsim.arm.isa import WORD_BYTES
from neonsim.arm.machine.arch.abi import preserved
from neonsim.arm.machine.loader import load
from neonsim.arm.machine.memory.arguments import declared
from neonsim.arm.machine.translate.to_javascript import JavaScriptFunctions
from neonsim.arm.timing.stream import static_instruction
from neonsim.common.limits import STACK_BYTES
from neonsim.errors import AssemblyError, AssemblyErrors, BadArgument, NeonsimError, TimingError
from neonsim.render.play.start import ByteBuffer, ByteMemory, ByteRegisters
from neonsim.render.stepper.header import buffer_header, program_header
from neonsim.render.stepper.live_page import live_program

__all__ = [
    "MAX_TEXT_LENGTH",
    "OpenedProgram",
    "TextMistakes",
    "checked_words",
    "expected_bytes",
    "open_text",
    "rerun_opened",
]

MAX_TEXT_LENGTH = 200_000  # characters


class TextMistakes(NeonsimError):
    """What is wrong with a text or its arguments.

    mistakes   [{path, line, column, width, text, message}] of the text; none where it is something else
    """

    def __init__(self, message: str, mistakes: Sequence[dict[str, Any]] = ()) -> None:
        super().__init__(message)
        self.mistakes = list(mistakes)


@dataclass(frozen=True)
class OpenedProgram:
    """What the page needs to run a program.

    text      the program as it was assembled
    program   with its data where they are in memory
    header    of a recorded run of no steps, see `neonsim.render.stepper.payload`, with ``live``; in it ``words`` of
              floating point, that `soft_words` computes, and what the callee ``keeps``: [name, slot, first byte, bytes]
    columns   initial, registers_known, memory, known: bytes
    script    the program's functions: a JavaScript expression
    """

    text: Program
    program: Program
    header: dict[str, Any]
    columns: dict[str, bytes]
    script: str


def open_text(text: str, isa: str, words: Sequence[str] = (), title: str = "", names: dict[str, str] | None = None,
              include: Sequence[str | Path] = (), entry: str = "") -> OpenedProgram:
    """Assemble a text, place its arguments, and translate it.

    words   of the arguments, as on the command line: see `neonsim.arm.machine.memory.arguments`
    names   register -> what the page calls it
    include   folders that #include looks in
    entry   the function that is called, if the text has it

    Raises TextMistakes.
    """
    if isa not in WORD_BYTES:
        raise TextMistakes(f"isa must be aarch64 or aarch32; got {isa!r}")
    if len(text) > MAX_TEXT_LENGTH:
        raise TextMistakes(f"this text has {len(text)} characters; the limit is {MAX_TEXT_LENGTH}")
    try:
        program = assemble(text, isa=isa, include=include)
        if not program.instructions:
            raise TextMistakes("this text has no instruction")
        placed, memory, registers = _begun(program, words)
        first = placed.entry(entry if entry in placed.symbols else None)
    except AssemblyError as problem:
        more = isinstance(problem, AssemblyErrors) and problem.truncated
        raise TextMistakes(f"{problem.message}{' There may be more.' * more}", [
            {"path": str(one.path), "line": one.line, "column": one.column, "width": one.width, "text": one.text,
             "message": one.message} for one in problem.errors]) from None
    except TextMistakes:
        raise
    except NeonsimError as problem:
        raise TextMistakes(str(problem)) from None
    live, _, functions = live_program(placed, JavaScriptFunctions(words=[]))
    header = {
        "isa": isa, "title": title or "playground", "steps": 0, "first": 0, "locations": list(registers.slots.names),
        "names": names or {}, **program_header(placed), "buffers": [], "timing": None,
        "differs": None, "changes": [], "warnings": [],
        "live": {"program": live, "exact": True, "pc": first, "check": {}, "regions": [],
                 "keeps": [[name, *place] for name, place in preserved(registers.slots).items()],
                 "words": [[one.name, one.format, one.detail] for one in functions.words or ()]},
    }
    for one, instruction in zip(header["instructions"], placed.instructions, strict=True):
        try:
            one["macs"] = static_instruction(instruction).macs
        except TimingError:
            one["macs"] = None
    return OpenedProgram(program, placed, *_filled(header, memory, registers), functions.text())


def rerun_opened(opened: OpenedProgram, words: Sequence[str]) -> OpenedProgram:
    """Return the same program for a call with other arguments. Raises TextMistakes."""
    try:
        placed, memory, registers = _begun(opened.text, words)
    except NeonsimError as problem:
        raise TextMistakes(str(problem)) from None
    return OpenedProgram(opened.text, placed, *_filled(opened.header, memory, registers), opened.script)


def _begun(program: Program, words: Sequence[str]) -> tuple[Program, ByteMemory, ByteRegisters]:
    """A program in a memory, with the arguments of a call."""
    memory, registers = ByteMemory(), ByteRegisters(program.isa)
    placed = load(program, memory)
    registers.place(words, memory)
    return placed, memory, registers


def _filled(header: dict[str, Any], memory: ByteMemory, registers: ByteRegisters
            ) -> tuple[dict[str, Any], dict[str, bytes]]:
    """The header with the buffers of a call, and the columns that it begins with."""
    buffers = memory.buffers
    columns = {"initial": b"".join(registers.data), "registers_known": b"".join(registers.known),
               "memory": b"".join(one.data for one in buffers), "known": b"".join(one.defined for one in buffers)}
    return {**header, "buffers": [_buffer(one) for one in buffers],
            "live": {**header["live"], "regions": [_region(one) for one in buffers]}}, columns


def _buffer(one: ByteBuffer) -> dict[str, Any]:
    shape = one.shape
    size = STACK_BYTES if one.scratch else len(one.data)
    return buffer_header(one.name, one.address, len(one.data), skipped=one.skipped, size=size, dtype=one.dtype,
                         itemsize=int(one.kind[1:]) // 8 if one.kind else 1, shape=shape,
                         wide=shape[-1] if len(shape) > 1 else 16, kind=one.kind or "u8", typed=bool(one.kind))


def _region(one: ByteBuffer) -> dict[str, Any]:
    return {"before": [], "whole": not one.skipped, "after": list(one.after), "readonly": one.readonly,
            "scratch": one.scratch}


def checked_words(words: Any) -> list[str]:
    """Check the words of a call from a page or a link, which are untrusted. Raises BadArgument."""
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words) or len(words) > 64:
        raise BadArgument("a call takes at most 64 words as arguments")
    return words


def expected_bytes(words: Sequence[str], opened: OpenedProgram) -> list[tuple[str, str, bytes]]:
    """(buffer, element type, bytes) that each word says a buffer begins with when the call returns: c=s32:1,2,3.

    Raises BadArgument for a word that names no buffer of the call or no values, and for more bytes than it has.
    """
    sizes = {one["name"]: one["nbytes"] for one in opened.header["buffers"] if one["name"] != "stack"}
    found = []
    for word in words:
        said = declared(word)
        if said.name not in sizes or not said.kind or said.data is None:
            raise BadArgument(f"{word!r} is not an expected result. Write the name of a buffer and its values, as "
                              f"c=s32:1,2,3 (buffers: {', '.join(sizes) or 'none'})")
        if len(said.data) > sizes[said.name]:
            raise BadArgument(f"{word!r} expects {len(said.data)} bytes, but the buffer {said.name} has "
                              f"{sizes[said.name]}")
        found.append((said.name, said.kind, said.data))
    return found
