"""The part of a translation to C that is worth reading: what each instruction does.

What a run needs beside it is left out: the count of steps and its limit, the log of blocks, checks of addresses, the
dispatch by number of an instruction, and the host's own way through runs of floating point.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

__all__ = ["readable"]

MAX_HELPER_LINES = 8     # lines of a helper that is shown
WORDS = {       # what stands in the text -> what it is, if it stands there
    "load(": "load(address, bytes), store(address, bytes): where these bytes of memory are",
    "jump(": "jump(address): on at an address; to the caller, if it is that of the call",
    "nzcv": "nzcv: the flags N, Z, C, V in bits 3 to 0",
    "fpcr": "fpcr: the rules of floating point; fpsr: its exceptions"}
_RUN = re.compile(r" *(?:if \(limit - steps |steps \+= |if \(log != log_end\)|next = \d+; status = ELSEWHERE)")
_CHECK = re.compile(r"if \(.*\) \{ steps -= \d+; next = .*goto out; \}")
_RETURN = re.compile(r"\{ next = \d+; status = RETURNED; goto out; \}")
_ELSEWHERE = re.compile(r"\{ next = (\d+); status = ELSEWHERE; goto out; \}")
_JUMP = re.compile(r"\{ (.*?)target = (.*?); before = \d+; back = \d+; goto branch; \}")
_PLACE = re.compile(r"to_(read|write)\(m, &near_\w+, ")
_LABEL = re.compile(r"(at_\w+):")


def readable(head: str, name: str, helpers: Iterable[str], registers: Mapping[str, str], body: Sequence[str],
             column: int) -> str:
    """Return the text.

    head        first line of the comment
    helpers     functions and types that instructions have in common
    registers   name -> type
    body        lines of the function; behind `column` stands the line of assembly
    """
    rows, beside = [], ""
    for line in _plain(body):
        code, mark, assembly = line.partition("// ") if len(line) > column else (line, "", "")
        beside = assembly if mark else beside
        code = _said(code.rstrip())
        if not code:
            continue
        braces = code.strip() in ("{", "}") or _LABEL.fullmatch(code)
        rows.append(code if braces or not beside else f"{code:<{column}}// {beside}")
        beside = beside if braces else ""
    jumps = set(re.findall(r"goto (at_\w+);", "\n".join(rows)))
    rows = [row for row in rows if (label := _LABEL.fullmatch(row)) is None or label[1] in jumps]
    text = "\n".join(rows)
    shown = [one for one in helpers if not one.startswith("typedef") and one.count("\n") < MAX_HELPER_LINES]
    kinds: dict[str, list[str]] = {}
    for register, kind in registers.items():
        kinds.setdefault(kind, []).append(register)
    notes = [*(f"{', '.join(some)}: {kind}" for kind, some in kinds.items()),
             "u32x4: a vector of four uint32_t, and so on",
             *(words for word, words in WORDS.items() if word in text)]
    return "\n".join([f"/* {head}", *(f"   {note}" for note in notes), "   The whole file, which compiles: without "
                      "--function. */", "", *shown, *[""] * bool(shown), f"void {name}(void) {{", text, "}"])


def _plain(body: Sequence[str]) -> list[str]:
    """Without the host's own way, which does the same once more."""
    found, inside = [], False
    for line in body:
        inside = inside or line.startswith("#ifdef HOST_VECTORS")
        if not inside:
            found.append(line)
        inside = inside and not line.startswith("#endif")
    return found


def _said(code: str) -> str:
    """A line without what only a run needs, "" if nothing is left."""
    if _RUN.match(code) or _CHECK.search(code):
        return ""
    code = _RETURN.sub("return;", code)
    code = _ELSEWHERE.sub(r"goto at_\1;", code)
    code = _JUMP.sub(lambda m: "return;" if m[2] in ("x30", "r14") else f"{m[1]}jump({m[2]});", code)
    return _PLACE.sub(lambda m: "load(" if m[1] == "read" else "store(", code)
