"""Text that is no GNU assembly, named as what it is: what to say instead of a list of mistakes."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["detect_format"]

# No part of a pattern goes on past its line: blank lines would be read again from each of them.
_KINDS: Final = (
    (re.compile(r"^[ \t]+AREA[ \t]+[|\w.$]+[ \t]*,|^\w+[ \t]+PROC[ \t]*$|^[ \t]+ENDP[ \t]*$", re.MULTILINE | re.ASCII),
     "the syntax of Arm's own assembler (armasm: AREA, PROC, EXPORT). Write GNU syntax: `.text`, `.global f`, `f:`; "
     "many libraries have both, in a folder called gnu or gas"),
    (re.compile(r"^.+:[ \t]+file format elf\w+-|^Disassembly of section |^[0-9a-f]{8,16} <[^>\n]+>:[ \t]*$",
                re.MULTILINE | re.ASCII),
     "a listing of objdump, not a program: load the object file that it was made of (neonsim.load_object), or keep the "
     "instructions alone"),
    (re.compile(r"^TEXT[ \t]+\S+\(SB\)", re.MULTILINE),
     "Go's assembler, which has a syntax and names of instructions of its own: what `go tool objdump -gnu` prints "
     "behind each // is GNU syntax"),
)


def detect_format(text: str) -> str | None:
    """Return the sentence about a text that another program would read, None if it may be GNU assembly."""
    return next((f"This is {what}." for shape, what in _KINDS if shape.search(text)), None)
