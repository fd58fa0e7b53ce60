"""Plant mistakes of a programmer into a kernel, one at a time; its cases must notice them.

A mutation is one line that a tired programmer could have written: forgotten, with the wrong register, off by one.
Cases that notice no mutation do not test the kernel.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from neonsim.errors import KernelFileError
from neonsim.ukernel import Kernel, kernels_folder

__all__ = ["Mutation", "apply_edits", "flat", "generate_mutations", "normal"]

_CONDITIONS = {"lo": "ls", "ls": "lo", "hs": "hi", "hi": "hs", "eq": "ne", "ne": "eq", "lt": "le", "mi": "le",
               "pl": "gt"}


@dataclass(frozen=True)
class Mutation:
    """One mutation in one line of a kernel.

    name       str    line and kind: "line_113_condition"
    imitates   str    what was done
    line       str    the line as it should be, without its comment
    replacement  str    what stands there instead, "" if it was forgotten
    index      int    of the lines that read so, counted from 1
    text       str    the whole kernel with the mutation in it, macros in place
    """

    name: str
    imitates: str
    line: str
    replacement: str
    index: int
    text: str


def normal(line: str) -> str:
    """Return a line without its comment, one space between words."""
    return " ".join(line.split("//")[0].split())


def flat(kernel: Kernel) -> tuple[str, ...]:
    """Return the kernel's lines with its macros in place. Raises KernelFileError for a macro file that is not there."""
    lines: list[str] = []
    for line in kernel.source.splitlines():
        if found := re.fullmatch(r'#include "(include/\w+\.h)"', line):
            path = kernels_folder() / found[1]
            if not path.is_file():
                raise KernelFileError(f"{kernel.path} includes {found[1]}, which is not in {kernels_folder()}.")
            lines += path.read_text("utf-8").splitlines()
        else:
            lines.append(line)
    return tuple(lines)


def apply_edits(lines: tuple[str, ...], edits: list[list[str | int]], name: str = "a bug") -> str:
    """Return the kernel's text with lines replaced.

    edits   [line as it is, what it becomes, which of the lines that read so (left out if there is one)]

    Raises KernelFileError where no such line is: the bug was recorded for another text.
    """
    changed = list(lines)
    before = [normal(line) for line in lines]
    for line, put, *rest in edits:
        places, which = [at for at, text in enumerate(before) if text == line], int(rest[0]) if rest else 0
        if len(places) < max(which, 1):
            raise KernelFileError(f"{name} changes `{line}`, which is in the kernel {len(places)} times"
                                  f"{f', not {which}' if which else ''}.")
        if not which and len(places) > 1:
            raise KernelFileError(
                f"{name} changes `{line}`, which is in the kernel {len(places)} times: say which.")
        changed[places[which - 1 if which else 0]] = f"    {put}"
    return "\n".join(changed) + "\n"


def generate_mutations(kernel: Kernel) -> Iterator[Mutation]:
    """Every mutation in every line of code that ends up in the kernel. Not all of them change a byte, nor assemble."""
    lines = flat(kernel)
    seen: dict[str, int] = {}
    for number, (line, there) in enumerate(zip(lines, _expanded(lines), strict=True)):
        code = normal(line)
        seen[code] = seen.get(code, 0) + 1
        if not there or not line.startswith("    ") or not code or code.startswith(".") or " .req " in code:
            continue
        for name, imitates, put in _of(line):
            text = "\n".join([*lines[:number], f"    {put}", *lines[number + 1:]]) + "\n"
            yield Mutation(f"line_{number + 1}_{name}", imitates, code, put, seen[code], text)


def _of(line: str) -> Iterator[tuple[str, str, str]]:
    """(name, what it imitates, the line with the mutation in it)."""
    code = normal(line)
    yield "dropped", "a line that was forgotten", ""
    if re.search(r"\]!|\], #\d+$", code):
        yield "no_write_back", "forgotten write-back", re.sub(r"\]!|\], #\d+$", "]", code)
    for one in re.finditer(r"(?<=[ {,])([vqdrxw])(\d+)\b", code):
        other = f"{one[1]}{int(one[2]) + 1 if int(one[2]) < 7 else int(one[2]) - 1}"
        yield f"register_{one.start()}", "wrong register", code[:one.start()] + other + code[one.end():]
    for one in re.finditer(r"#(-?\d+)", code):
        for step, name in ((-1, ""), (1, "_up")):
            put = f"{code[:one.start()]}#{int(one[1]) + step}{code[one.end():]}"
            yield f"constant_{one.start()}{name}", "off by one", put
    if match := re.match(r"(b\.?|mov|ldr|bx)(lo|ls|hs|hi|eq|ne|lt|mi|pl)\b", code):
        yield "condition", "wrong condition", match[1] + _CONDITIONS[match[2]] + code[match.end():]
    if match := re.search(r", (lo|ls|eq|ne|hi)$", code):
        yield "condition", "wrong condition", f"{code[:match.start()]}, {_CONDITIONS[match[1]]}"
    if match := re.match(r"(\w+\.)([us])(\d+)", code):
        other = "s" if match[2] == "u" else "u"
        yield "signedness", "wrong data type", f"{match[1]}{other}{match[3]}{code[match.end():]}"
    elif match := re.match(r"([us])(xtl|ubl|addw|addl|mlal|max|min|shl|qxtn|ubl|ddlp|dalp)", code):
        yield "signedness", "wrong data type", ("s" if match[1] == "u" else "u") + code[1:]
    if match := re.search(r"\[(\d)\]", code):
        yield "lane", "stale lane", f"{code[:match.start()]}[{int(match[1]) ^ 1}]{code[match.end():]}"


def _expanded(lines: tuple[str, ...]) -> list[bool]:
    """Which lines end up in the kernel: not those of macros that it does not use."""
    inside, name, bodies = [""] * len(lines), "", {"": set[str]()}
    for number, line in enumerate(lines):
        words = normal(line).split()
        if words[:1] == [".macro"]:
            name = words[1].rstrip(",")
            bodies[name] = set()
        inside[number] = name
        bodies[name] |= set(words[:1])
        name = "" if words[:1] == [".endm"] else name
    used, more = {""}, True
    while more:
        found = used | {macro for macro in bodies if any(macro in bodies[user] for user in used)}
        used, more = found, found != used
    return [name in used for name in inside]
