"""Plant bugs into the kernels of every family and record those that the tests must catch: bugs/FAMILY.toml.

    python tests/ukernel/record_bugs.py [FAMILY ...] [--count 60] [--new]

A bug is one mistake of a programmer in one line of a kernel, macros included. Each that still assembles is run against
the contract's cases. What catches it (one case, alone, with the sanitizer) is recorded with it, so the daily test is
short. With --new the kernels that the file has already stay as they are, and count is that of the others' bugs. Bugs
that nothing catches are printed: each must be one that changes no byte, or the cases are too weak.
"""

from __future__ import annotations

import argparse
import math
import random
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from neonsim.arm.asm import Program, assemble
from neonsim.errors import NeonsimError
from neonsim.ukernel import Case, Kernel, cases, kernels, run_cases
from neonsim.verify.checking.mutations import generate_mutations

FOLDER = Path(__file__).parent / "bugs"
FILES: dict[str, dict[str, Any]] = {
    path.stem: tomllib.loads(path.read_text()) for path in sorted(FOLDER.glob("*.toml"))}

OPTIONS: dict[str, Any] = {"max_steps": 30_000}


def caught(program: Program, each: Kernel, chosen: list[Case]) -> tuple[str, bool] | None:
    """A case that fails alone, a small one, and whether it takes the sanitizer; None if none does."""
    limits: dict[str, Any] = {"reads_before": each.header.reads_before, "reads_after": each.header.reads_after}
    suspects = [f.case for f in run_cases(program, each.name, chosen, max_failures=40, **limits, **OPTIONS)]
    suspects.sort(key=lambda case: math.prod(case.sizes))
    for sanitize, alone in ((False, suspects[:4]), (True, suspects[:4] + chosen[:: max(len(chosen) // 12, 1)])):
        for case in alone:
            if run_cases(program, each.name, [case], lockstep=False, sanitize=sanitize, **limits, **OPTIONS):
                return case.name, sanitize
    return None


@cache
def _made(contract: str, tile: str) -> tuple[Case, ...]:
    return cases(contract, tile)


def record(family: str, count: int, new: bool) -> None:
    stream, file = random.Random(family), FOLDER / f"{family}.toml"
    there = (*FILES["by_hand"], *(FILES.get(family, {}) if new else ()))
    mine = [k for k in kernels() if k.path.parent.name == family and k.name not in there]
    queues = {k.name: list(generate_mutations(k)) for k in mine}
    for queue in queues.values():
        stream.shuffle(queue)
    found: dict[str, list[str]] = {k.name: [] for k in mine}
    missed = 0
    while sum(map(len, found.values())) < count and any(queues.values()):
        each = min(mine, key=lambda k: (not queues[k.name], len(found[k.name])))
        mutation = queues[each.name].pop()
        try:
            program = assemble(mutation.text, isa=each.isa)
        except NeonsimError:
            continue
        chosen = list(_made(each.contract.name, str(each.tile)))
        try:
            case = caught(program, each, chosen)
        except (NeonsimError, OverflowError):
            continue
        if case is None:
            missed += 1
            print(f"not caught: {each.name} {mutation.name}: {mutation.line} -> {mutation.replacement}")
            continue
        found[each.name].append(f'  {{ name = "{mutation.name}", imitates = "{mutation.imitates}", '
                                f"edits = [['{mutation.line}', '{mutation.replacement}', {mutation.index}]], "
                                f'case = "{case[0]}"'
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
