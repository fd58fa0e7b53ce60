"""Programs translated to JavaScript leave what the machine leaves: every register, flag and byte, in both sets.

Random programs, and every recorded line that the reading has words for, which QEMU judged; in Node, where there is one,
and in Chromium.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple

import golden
import numpy as np
import ours
import pytest
import scripts
from cases import decoder
from numpy.typing import NDArray
from randomly import TILES, Written, size, start, write
from scripts import Left, Region, Start, different, file_of
from states import WINDOW

import neonsim as ns
from neonsim.machine.memory import Memory
from neonsim.machine.registers import AARCH32, AARCH64
from neonsim.machine.translate_js import JavaScriptFunctions, JavaScriptProgram, translate_javascript

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.browser.conftest import chromium  # noqa: F401

FIRST: Final = int(os.environ.get("NEONSIM_RANDOM_SEED", "0"))
COUNT: Final = int(os.environ.get("NEONSIM_RANDOM_COUNT", "10000"))
BATCH: Final = 250  # programs of a script
SAMPLE: Final = 3  # of a short run, of each instruction set
SLOTS: Final = {"aarch64": AARCH64, "aarch32": AARCH32}


class Case(NamedTuple):
    """A line, what it begins with, registers and window that QEMU leaves."""

    line: str
    start: Start
    registers: bytes
    window: bytes


class Both:
    """A machine and the same beginning for JavaScript."""

    def __init__(self, isa: str) -> None:
        self.isa, self.machine, self.bytes = isa, ns.Machine(isa), size(isa)
        memory = self.machine.memory
        self.state = memory.place(np.zeros((TILES, self.bytes), np.uint8), name="state")
        self.window = memory.place(np.zeros((TILES, WINDOW), np.uint8), name="window")

    def begin(self, program: ns.Program, made: JavaScriptProgram, seed: int) -> tuple[Start, list[Any]]:
        """(what JavaScript begins with, what the machine leaves: steps, registers, state and window)."""
        before, tile, memory = start(self.isa, seed)[:1], seed % TILES, self.machine.memory
        held = before[0].tobytes()[:self.bytes], before["mem"][0].tobytes()
        memory.fill(self.state + tile * self.bytes, held[0])
        memory.fill(self.window + tile * WINDOW, held[1])
        self.machine.start(program, self.state + tile * self.bytes, self.window + tile * WINDOW, sanitize=False)
        registers = file_of(self.machine.state.slots)
        stack = memory.buffer("stack")
        regions = [Region("state", self.state, TILES * self.bytes, held[0], tile * self.bytes),
                   Region("window", self.window, TILES * WINDOW, held[1], tile * WINDOW),
                   Region("stack", stack.address, stack.nbytes, after=stack.reads_after)]
        self.machine.run()
        left = [memory.fetch(name)[tile].tobytes() for name in ("state", "window")]
        return Start(program, made, registers, regions), [self.machine.steps, file_of(self.machine.state.slots), *left]

    def wrong(self, found: Left, expected: list[Any]) -> str:
        steps, registers, state, window = expected
        names = different(SLOTS[self.isa], registers, found.registers)
        memory = [name for name, a, b in zip(("state", "window"), (state, window), found.kept, strict=True) if a != b]
        if found.problem or found.steps != steps or names or memory:
            return f"{found.problem} {found.steps} steps of {steps}, differ: {names + memory}"
        return ""


def spoken(isa: str, seed: int) -> tuple[Written, ns.Program, JavaScriptProgram]:
    """The program of a seed without the lines that the reading has no words for, and those of floats, which it may
    refuse: `recorded_lines` has these."""
    written = write(isa, seed)
    while True:
        text = written.text("f")
        program = ns.assemble(text, isa=isa)
        functions = JavaScriptFunctions()
        made = translate_javascript(program, functions)
        left_out = [at for at, one in enumerate(made.steps) if one is None or "float_" in functions.texts[one.function]]
        if not left_out:
            return written, program, made
        lines = text.splitlines()
        written = written.without({lines[program.instructions[at].where.line - 1] for at in left_out})


def compared(isa: str, seeds: Iterable[int], run: Any) -> tuple[int, int]:
    """Run programs both ways; (programs, instructions) compared."""
    both, starts, wanted, functions, count = Both(isa), [], [], JavaScriptFunctions(), 0
    listed = list(seeds)
    for seed in listed:
        _, program, _ = spoken(isa, seed)
        one, expected = both.begin(program, translate_javascript(program, functions), seed)
        starts.append(one)
        wanted.append(expected)
        count += len(program.instructions)
    found = run(scripts.text(starts, functions))
    assert len(found) == len(listed)
    wrong = [f"seed {seed} ({isa}): {words}" for seed, left, expected in zip(listed, found, wanted, strict=True)
             if (words := both.wrong(left, expected))]
    assert not wrong, "\n".join(wrong[:5])
    return len(found), count


@pytest.mark.parametrize("isa", ["aarch64", "aarch32"])
def test_random_programs(isa: str, tmp_path: Path) -> None:
    """A sample for every run."""
    if scripts.node() is None:
        pytest.skip("no node: install Node.js to run the generated JavaScript")
    programs, instructions = compared(isa, range(FIRST, FIRST + SAMPLE), lambda text: scripts.in_node(text, tmp_path))
    assert (programs, instructions > 200) == (SAMPLE, True)


def after(recorded: golden.Recorded) -> NDArray[np.void]:
    """The states behind a recorded line, with all that it leaves alone."""
    states = recorded.before.copy()
    for (field, index), values in recorded.changes.items():
        if field == "mem":
            states["mem"][:, index:index + values.shape[1]] = values
        elif field in ("v", "x"):
            states[field][:, index] = values
        else:
            states[field] = values
    return states


def cases(isa: str, recorded: golden.Recorded, functions: JavaScriptFunctions, count: int) -> list[Case]:
    """A recorded line in so many of its states; none if the reading has no words for it."""
    instruction = decoder(isa)(recorded.line)
    assert instruction is not None
    program = replace(ns.assemble("nop", isa=isa), instructions=(instruction,))
    made = translate_javascript(program, functions)
    found = []
    for state, left in zip(recorded.before[:count], after(recorded)[:count], strict=True) if not made.refused else ():
        window = []
        if instruction.address is not None:
            memory = Memory()
            ours.place(memory, state)
            place = memory.buffer("window")
            window = [Region("window", place.address, place.nbytes, state["mem"].tobytes())]
        first, last = (file_of(ours.slot_values(isa, one[None], None)) for one in (state, left))
        begins = Start(program, made, first, window, limit=1)
        found.append(Case(recorded.line, begins, last, left["mem"].tobytes() if window else b""))
    return found


def recorded_lines(isa: str, every: int, count: int, run: Any) -> tuple[int, int]:
    """Compare them; (lines, those that there are no words for)."""
    lines, wrong, done, silent, refused = islice(golden.replay(isa), 0, None, every), list[str](), 0, 0, 0
    while batch := list(islice(lines, 1000)):
        functions = JavaScriptFunctions()
        made = [cases(isa, one, functions, count) for one in batch]
        listed = [case for some in made for case in some]
        silent += sum(not some for some in made)
        done += len(batch)
        found = run(scripts.text([case.start for case in listed], functions))
        for case, left in zip(listed, found, strict=True):
            if left.problem.endswith("which this page does not compute"):
                assert left.registers == case.start.registers
                refused += 1
                continue
            names = [x for x in different(SLOTS[isa], case.registers, left.registers) if x != ours.HIDDEN]
            if left.steps != 1 or names or case.window != b"".join(left.kept):
                wrong.append(f"{case.line}: {left.problem}, {names or 'memory'} differ")
    assert not wrong, f"{len(wrong)} of {done} differ:\n" + "\n".join(wrong[:20])
    print(f"{isa}: {refused} states with numbers that the reading refuses")
    return done - silent, silent


@pytest.mark.parametrize("isa", ["aarch64", "aarch32"])
def test_recorded_lines(isa: str, tmp_path: Path) -> None:
    """Some of the recorded lines in one state each, against QEMU."""
    if scripts.node() is None:
        pytest.skip("no node: install Node.js to run the generated JavaScript")
    assert recorded_lines(isa, 149, 1, lambda text: scripts.in_node(text, tmp_path)) [0] > 50


@pytest.mark.full
@pytest.mark.parametrize("isa", ["aarch64", "aarch32"])
def test_every_recorded_line_in_chromium(isa: str, chromium: Any) -> None:  # noqa: F811
    """Every instruction and arrangement that the reading has words for, in all recorded states."""
    page = chromium.new_page()
    compared, silent = recorded_lines(isa, 1, golden.STATES, lambda text: scripts.in_tab(text, page))
    print(f"{isa}: {compared} recorded lines, {silent} without words in this reading")
    assert compared > 5000
    page.close()


@pytest.mark.full
@pytest.mark.parametrize("isa", ["aarch64", "aarch32"])
@pytest.mark.parametrize("part", range(4))
def test_random_programs_in_chromium(isa: str, part: int, chromium: Any) -> None:  # noqa: F811
    """Ten thousand programs of both instruction sets together, in one tab."""
    share = COUNT // 8
    first, done, page = FIRST + part * share, 0, chromium.new_page()
    for at in range(first, first + share, BATCH):
        programs, _ = compared(isa, range(at, min(at + BATCH, first + share)),
                               lambda text: scripts.in_tab(text, page))
        done += programs
    page.close()
    assert done == share
