"""Plant bugs into the kernels of every family and record those that the tests must catch: bugs/FAMILY.toml.

    python tests/ukernel/record_bugs.py [FAMILY ...] [--count 60] [--new]

A bug is one slip of a programmer in one line of a kernel, macros included. Each that still assembles is run against the
contract's cases; what catches it (one case, alone, with the sanitizer) is recorded with it, so that the daily test is
short. With --new the kernels that the file has already stay as they are, and count is that of the others' bugs. Bugs
that nothing catches are printed: each must be one that changes no byte, or the cases are too weak.
"""

from __future__ import annotations

import argparse
import math
import random
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from test_planted_bugs import FILES, FOLDER, flat, normal

from neonsim.asm import Program, assemble
from neonsim.errors import NeonsimError
from neonsim.ukernel import Case, Kernel, cases, judge, kernels

OPTIONS: dict[str, Any] = {"max_steps": 30_000}
CONDITIONS = {"lo": "ls", "ls": "lo", "hs": "hi", "hi": "hs", "eq": "ne", "ne": "eq", "lt": "le", "mi": "le",
              "pl": "gt"}


def slips(line: str) -> Iterator[tuple[str, str, str]]:
    """(name, what it imitates, the line with the slip in it)."""
    code = normal(line)
    yield "dropped", "a line that was forgotten", ""
    if re.search(r"\]!|\], #\d+$", code):
        yield "no_write_back", "forgotten write-back", re.sub(r"\]!|\], #\d+$", "]", code)
    for match in re.finditer(r"(?<=[ {,])([vqdrxw])(\d+)\b", code):
        other = f"{match[1]}{int(match[2]) + 1 if int(match[2]) < 7 else int(match[2]) - 1}"
        yield f"register_{match.start()}", "wrong register", code[:match.start()] + other + code[match.end():]
    for match in re.finditer(r"#(-?\d+)", code):
        for step, name in ((-1, ""), (1, "_up")):
            put = f"{code[:match.start()]}#{int(match[1]) + step}{code[match.end():]}"
            yield f"constant_{match.start()}{name}", "off by one", put
    if match := re.match(r"(b\.?|mov|ldr|bx)(lo|ls|hs|hi|eq|ne|lt|mi|pl)\b", code):
        yield "condition", "wrong condition", match[1] + CONDITIONS[match[2]] + code[match.end():]
    if match := re.search(r", (lo|ls|eq|ne|hi)$", code):
        yield "condition", "wrong condition", f"{code[:match.start()]}, {CONDITIONS[match[1]]}"
    if match := re.match(r"(\w+\.)([us])(\d+)", code):
        other = "s" if match[2] == "u" else "u"
        yield "signedness", "wrong data type", f"{match[1]}{other}{match[3]}{code[match.end():]}"
    elif match := re.match(r"([us])(xtl|ubl|addw|addl|mlal|max|min|shl|qxtn|ubl|ddlp|dalp)", code):
        yield "signedness", "wrong data type", ("s" if match[1] == "u" else "u") + code[1:]
    if match := re.search(r"\[(\d)\]", code):
        yield "lane", "stale lane", f"{code[:match.start()]}[{int(match[1]) ^ 1}]{code[match.end():]}"


def expanded(lines: list[str]) -> list[bool]:
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


def candidates(each: Kernel) -> Iterator[tuple[str, list[object], str, str]]:
    """(name, edit, imitates, text): every slip in every line of code."""
    lines = flat(each.name)
    seen: dict[str, int] = {}
    for number, (line, there) in enumerate(zip(lines, expanded(lines), strict=True)):
        code = normal(line)
        seen[code] = seen.get(code, 0) + 1
        if not there or not line.startswith("    ") or not code or code.startswith(".") or " .req " in code:
            continue
        for name, imitates, put in slips(line):
            text = "\n".join([*lines[:number], f"    {put}", *lines[number + 1:]]) + "\n"
            yield f"line_{number + 1}_{name}", [code, put, seen[code]], imitates, text


def caught(program: Program, each: Kernel, chosen: list[Case]) -> tuple[str, bool] | None:
    """A case that fails alone, a small one, and whether it takes the sanitizer; None if none does."""
    limits: dict[str, Any] = {"reads_before": each.header.reads_before, "reads_after": each.header.reads_after}
    suspects = [f.case for f in judge(program, each.name, chosen, most=40, **limits, **OPTIONS)]
    suspects.sort(key=lambda case: math.prod(case.sizes))
    for sanitize, alone in ((False, suspects[:4]), (True, suspects[:4] + chosen[:: max(len(chosen) // 12, 1)])):
        for case in alone:
            if judge(program, each.name, [case], lockstep=False, sanitize=sanitize, **limits, **OPTIONS):
                return case.name, sanitize
    return None


@cache
def _made(contract: str, tile: str) -> tuple[Case, ...]:
    return cases(contract, tile)


def record(family: str, count: int, new: bool) -> None:
    stream, file = random.Random(family), FOLDER / f"{family}.toml"
    there = (*FILES["by_hand"], *(FILES.get(family, {}) if new else ()))
    mine = [k for k in kernels() if k.path.parent.name == family and k.name not in there]
    queues = {k.name: list(candidates(k)) for k in mine}
    for queue in queues.values():
        stream.shuffle(queue)
    found: dict[str, list[str]] = {k.name: [] for k in mine}
    missed = 0
    while sum(map(len, found.values())) < count and any(queues.values()):
        each = min(mine, key=lambda k: (not queues[k.name], len(found[k.name])))
        name, edit, imitates, text = queues[each.name].pop()
        try:
            program = assemble(text, isa=each.isa)
        except NeonsimError:
            continue
        chosen = list(_made(each.contract.name, str(each.tile)))
        try:
            case = caught(program, each, chosen)
        except (NeonsimError, OverflowError):
            continue
        if case is None:
            missed += 1
            print(f"not caught: {each.name} {name}: {edit[0]} -> {edit[1]}")
            continue
        line, put, which = edit
        found[each.name].append(f'  {{ name = "{name}", imitates = "{imitates}", '
                                f"edits = [['{line}', '{put}', {which}]], " f'case = "{case[0]}"'
                                f'{", sanitize = true" if case[1] else ""} }},')
    print(f"{family}: {sum(map(len, found.values()))} recorded, {missed} not caught")
    text = file.read_text() if new and file.exists() else (
        "# Bugs planted into these kernels; written by record_bugs.py.  edits: [line, what it becomes, which\n"
        "# one of the lines that read so], macros of include/ in place; case: what must catch it, alone.\n")
    for name, bugs in found.items():
        text += f"\n[{name}]\nbugs = [\n" + "\n".join(bugs) + "\n]\n" if bugs else ""
    file.write_text(text)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("families", nargs="*",
                        default=sorted({k.path.parent.name for k in kernels()}))
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--new", action="store_true")
    options = parser.parse_args()
    for one in options.families:
        record(one, options.count, options.new)
