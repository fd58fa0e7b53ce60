"""Without any one of its instructions a kernel is wrong: each in its turn does nothing, macros in place.

    python tests/ukernel/test_dropped.py [--all] [KERNEL ...]

prints the instructions that nobody misses: of those that the test takes, an even sample, or of all. What may go is
listed in dropped.toml, with the reason.
"""

from __future__ import annotations

import math
import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from neonsim.arm.asm import Program, assemble
from neonsim.errors import NeonsimError
from neonsim.ukernel import Case, Kernel, cases, kernel, kernels, run_alone, run_cases

# Kernels of int8 and of rndnu are made of parts that they share, but for the averages of windows: their planted bugs
# have to do.
SHARED = re.compile(r"q[sd]8_(?!avgpool)|qu8_(i?gemm_rndnu|vmul|vsub)")
MINE = [k for k in kernels() if not SHARED.match(k.contract.name)]
HARMLESS: dict[str, dict[str, list[str]]] = tomllib.loads((Path(__file__).parent / "dropped.toml").read_text())
EVERY_DAY = "qu8_sumrows_4x__aarch64_neon"
STEPS = 30_000
MAX_INSTRUCTIONS = 30   # instructions of a kernel, evenly spread: so many take some seconds


@cache
def _nothing(isa: str) -> Program:
    return assemble("f:\n    nop\n", isa=isa)


def without(program: Program, index: int) -> Program:
    """The program with an instruction that does nothing in the place of one of its own."""
    nothing = replace(_nothing(program.isa).instructions[0], position=program.instructions[index].position)
    return replace(program, instructions=(*program.instructions[:index], nothing, *program.instructions[index + 1:]))


def telling(each: Kernel) -> tuple[list[Case], list[Case]]:
    """A few calls that meet most instructions, to be made alone; and all of them, smallest first."""
    every = sorted(cases(each.contract.name, each.tile), key=lambda case: math.prod(case.sizes))
    spread = [case for case in every if "uniform" in case.name or "_" not in case.name] or every
    return [spread[len(spread) * part // 4] for part in (3, 2, 1)] + [spread[-1]], every


def caught(program: Program, each: Kernel, first: list[Case], every: list[Case]) -> bool:
    """Whether any case tells it from the kernel."""
    limits: dict[str, Any] = {"reads_before": each.header.reads_before, "reads_after": each.header.reads_after}
    try:
        if any(run_alone(program, each.name, case, max_steps=STEPS, sanitize=False, engine="interpreter",
                         **limits).wrong() for case in first):
            return True
    except NeonsimError:
        return True
    if run_cases(program, each.name, every, max_failures=1, max_steps=STEPS, engine="interpreter", **limits):
        return True
    # What the machine alone notices: registers that the caller wants back, values that are uninitialized.
    return bool(run_cases(program, each.name, every[::max(len(every) // 16, 1)], max_failures=1, lockstep=False,
                          sanitize=True,
                          max_steps=STEPS, **limits))


def unnoticed(each: Kernel, most: int) -> Iterator[str]:
    """Instructions that can go, of so many at the most, evenly spread."""
    program, (first, every) = each.program(), telling(each)
    for index in range(0, len(program), -(-len(program) // most)):
        if not caught(without(program, index), each, first, every):
            yield str(program.instructions[index])


@pytest.mark.parametrize("each", [
    k if k.name == EVERY_DAY else pytest.param(k, marks=pytest.mark.nightly) for k in MINE], ids=str)
def test_without_any_one_instruction_something_is_wrong(each: Kernel) -> None:
    harmless = [text for texts in HARMLESS.get(each.name, {}).values() for text in texts]
    found = sorted(unnoticed(each, MAX_INSTRUCTIONS))
    assert found == sorted(harmless), "what may go is listed in dropped.toml, with the reason"


def test_the_list_names_kernels() -> None:
    assert set(HARMLESS) <= {k.name for k in MINE}
    assert all(instructions for reasons in HARMLESS.values() for instructions in reasons.values())


if __name__ == "__main__":
    names = [word for word in sys.argv[1:] if word != "--all"] or [k.name for k in MINE]
    for name in names:
        print(f"[{name}]", *unnoticed(kernel(name), MAX_INSTRUCTIONS if "--all" not in sys.argv else 10_000),
              sep="\n    ",
              flush=True)
