"""Lines of C beside instructions, from the debug information (DWARF) of an object file made with -g.

pyelftools reads it. An object names the file that it was made of; that is read only if it lies in the folder of the
object, whatever folder is named: nothing else of what an object names is opened.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from neonsim.arm.asm.object.elf import load_bytes, object_bytes
from neonsim.arm.asm.program import Program
from neonsim.arm.asm.text.source import decoded, read_bytes
from neonsim.errors import NeonsimError

__all__ = ["DebugLines", "load_object", "with_lines"]

_SOURCES: Final = (".c", ".cc", ".cpp", ".cxx", ".s")  # files that are shown beside what was made of them


def load_object(source: str | Path | bytes) -> Program:
    """Load a relocatable object file (.o) as a Program. Its header gives the instruction set.

    source   path of the file, or its bytes: ELF, little-endian, AArch64 or AArch32 in Arm state

    Functions are called by their symbols; data comes along. Functions of the C library that it calls are built in
    (docs/library.md).
    What it needs and does not define is in `Program.undefined`: `link` joins it with what does.
    Of an object made with -g, `program.origins` says the line of C of each instruction; its text too, if the C file
    lies beside the object.
    Raises NeonsimError for what is no such file, is damaged, or holds instructions or relocations that are not taken;
    BadArgument for another type.

    The listing, `print(program)`, assembles again; `program.lines` is the disassembly.
    """
    path, data = object_bytes(source, "object")
    if b".debug_line" not in data:
        return load_bytes(path, data)
    name = source_of(data)
    if not name:
        return load_bytes(path, data)
    text: list[str] = []
    if isinstance(source, str | Path):
        beside = Path(source).resolve().parent / name
        if beside.suffix.lower() in _SOURCES and beside.is_file() and not beside.is_symlink():
            with contextlib.suppress(NeonsimError):
                text = decoded(read_bytes(beside)).splitlines()
    return with_lines(path, data, DebugLines(data, name), text, name)


def source_of(data: bytes) -> str:
    """Return the name of the file that the first unit was made of, without folders; "" if there is none."""
    with contextlib.suppress(Exception):  # pyelftools meets damage in many ways; without lines the object is as good
        from elftools.elf.elffile import ELFFile

        for unit in ELFFile(io.BytesIO(data)).get_dwarf_info().iter_CUs():
            said = unit.get_top_DIE().attributes.get("DW_AT_name")
            return "" if said is None else Path(os.fsdecode(said.value)).name
    return ""


def with_lines(path: str, data: bytes, lines: DebugLines, source: Sequence[str], name: str = "") -> Program:
    """Return an object as a program, each instruction with its line in a comment and in `origins`.

    source   the lines of the file, none if it is not there; name   what to call it where they are missing
    """
    shown = 0

    def comment(offset: int) -> str:
        nonlocal shown
        number = lines.at(offset)
        if number <= 0 or (source and number > len(source)):
            return ""
        # The text only where the line changes. A backslash at its end would continue the comment.
        words = (" ".join(source[number - 1].split()).rstrip("\\") if source else name) if number != shown else ""
        shown = number
        return f"C {number}  {words}".rstrip()

    program = load_bytes(path, data, comment if lines.begins else None)
    numbers = [int(match[1]) if (match := re.search(r"// C (\d+)",
                                                    i.position.text)) else 0 for i in program.instructions]
    if not any(numbers):
        return program
    return replace(program, origins=tuple((n, source[n - 1].strip() if n and source else f"{name}:{n}" if n else "")
                                          for n in numbers))


class DebugLines:
    """Which line of C an instruction belongs to, from the object's DWARF; 0 if it does not say.

    Intrinsics are functions of a header that are inlined: what they are made of belongs to the line that calls them.
    """

    def __init__(self, data: bytes, name: str) -> None:
        self.name = name
        self.begins: dict[int, int] = {}                 # offset: line of the file, 0 from another file on
        self.calls: list[tuple[int, int, int]] = []      # (first, end, line) of what is inlined into the file
        # Line information is an extra: pyelftools meets what it does not know in many ways.
        with contextlib.suppress(Exception):
            self._read(data)
        self.starts = sorted(self.begins)

    def at(self, offset: int) -> int:
        index = bisect_right(self.starts, offset) - 1
        own = self.begins[self.starts[index]] if index >= 0 else 0
        inside = [(end - first, line) for first, end, line in self.calls if first <= offset < end]
        return own or min(inside, default=(0, 0))[1]

    def _read(self, data: bytes) -> None:
        from elftools.elf.elffile import ELFFile

        elf = ELFFile(io.BytesIO(data))
        code = [s for s in elf.iter_sections() if s["sh_flags"] & 4 and s["sh_size"]]
        if len(code) != 1 or not elf.has_dwarf_info():
            return  # offsets in several sections cannot be told apart
        dwarf = elf.get_dwarf_info()
        for unit in dwarf.iter_CUs():
            program = dwarf.line_program_for_CU(unit)
            if program is None:
                continue
            for entry in program.get_entries():
                state: Any = entry.state
                if state is not None:
                    own = _file_name(program, state.file) == self.name and not state.end_sequence
                    self.begins[state.address] = state.line if own else 0
            for die in unit.iter_DIEs():
                if die.tag == "DW_TAG_inlined_subroutine" and "DW_AT_call_line" in die.attributes:
                    self._inlined(die, unit, dwarf, program)

    def _inlined(self, die: Any, unit: Any, dwarf: Any, program: Any) -> None:
        said = die.attributes
        if _file_name(program, said["DW_AT_call_file"].value) != self.name:
            return
        line = said["DW_AT_call_line"].value
        if "DW_AT_low_pc" in said:
            low, high = said["DW_AT_low_pc"].value, said["DW_AT_high_pc"]
            self.calls.append((low, high.value if high.form == "DW_FORM_addr" else low + high.value, line))
        elif "DW_AT_ranges" in said:
            base = unit.get_top_DIE().attributes.get("DW_AT_low_pc")
            start = 0 if base is None else base.value
            for span in dwarf.range_lists().get_range_list_at_offset(said["DW_AT_ranges"].value, unit):
                if hasattr(span, "base_address"):
                    start = span.base_address
                    continue
                shift = 0 if getattr(span, "is_absolute", False) else start
                self.calls.append((span.begin_offset + shift, span.end_offset + shift, line))


def _file_name(program: Any, number: int) -> str:
    """The name of a file in a line program: numbered from 0 since DWARF 5, from 1 before."""
    entry = program["file_entry"][number - (0 if program["version"] >= 5 else 1)]
    return Path(os.fsdecode(entry.name)).name
