"""Programs translated to JavaScript leave what the machine leaves: every register, flag and byte, in both sets.

Random programs, and every recorded line, which QEMU judged; in Node, where there is one, and in Chromium. There the
lines are left out that the reading has no exact words for; beside Python, as in the playground, there are none.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import ours
import pytest
import recordings
import scripts
from cases import decoder
from numpy.typing import NDArray
from randomly import FLOATS, TILES, Written, size, start, write
from scripts import Left, Region, Start, different, file_of
from states import WINDOW

import neonsim as ns
from neonsim.arm.machine.arch.registers import AARCH32, AARCH64
from neonsim.arm.machine.memory.memory import Memory
from neonsim.arm.machine.translate.to_javascript import JavaScriptFunctions, JavaScriptProgram, translate_javascript

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.browser.conftest import chromium  # noqa: F401
from tests.tiers import every

FIRST: Final = int(os.environ.get("NEONSIM_RANDOM_SEED", "0"))
COUNT: Final = int(os.environ.get("NEONSIM_RANDOM_COUNT", "10000"))
PARTS: Final = 10  # of the long run, of each instruction set
BATCH: Final = 250  # programs of a script
SAMPLE: Final = 3  # of a short run, of each instruction set
ROUNDS: Final = 6  # runs of a program that has numbers which are refused
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


class Spoken(NamedTuple):
    """A random program in the words that the reading has; which of its instructions are of floats."""

    written: Written
    program: ns.Program
    made: JavaScriptProgram
    floats: list[int]


class Compared(NamedTuple):
    """Programs that left the same, their instructions, those of floats among them, and lines that were refused."""

    programs: int = 0
    instructions: int = 0
    floats: int = 0
    refused: int = 0

    def __add__(self, other: Any) -> Compared:
        return Compared(*(a + b for a, b in zip(self, other, strict=True)))


def spoken(written: Written, functions: JavaScriptFunctions, floats: bool = True) -> Spoken:
    """A program without the lines that the reading has no words for, and without those of floats if they are not
    wanted."""
    while True:
        text = written.text("f")
        program = ns.assemble(text, isa=written.isa)
        made = translate_javascript(program, functions)
        of_floats = [at for at, one in enumerate(made.steps) if one and "float_" in functions.texts[one.function]]
        left_out = [at for at, one in enumerate(made.steps) if one is None] + ([] if floats else of_floats)
        if not left_out:
            return Spoken(written, program, made, of_floats)
        written = written.without(lines_of(text, program, left_out))


def lines_of(text: str, program: ns.Program, instructions: Iterable[int]) -> set[str]:
    lines = text.splitlines()
    return {lines[program.instructions[at].position.line - 1] for at in instructions}


def compared(isa: str, seeds: Iterable[int], run: Any) -> Compared:
    """Run programs both ways. Where JavaScript stops, because a float's numbers are none that it computes exactly, the
    program is run again without that line, in the end without lines of floats."""
    both, done, wrong, functions = Both(isa), Compared(), list[str](), JavaScriptFunctions()
    waiting = {seed: spoken(write(isa, seed), functions) for seed in seeds}
    for turn in range(ROUNDS + 1):
        rest, again = JavaScriptFunctions(), dict[int, Spoken]()
        begun = [both.begin(one.program, one.made, seed) for seed, one in waiting.items()]
        found = run(scripts.text([start for start, _ in begun], functions)) if begun else []
        for (seed, one), (_, expected), left in zip(waiting.items(), begun, found, strict=True):
            if left.problem.endswith("which this page does not compute"):
                assert left.pc in one.floats, f"seed {seed} ({isa}): {left.problem}"
                lines = lines_of(one.written.text("f"), one.program, [left.pc])
                again[seed] = spoken(one.written.without(lines), rest, floats=turn < ROUNDS - 1)
                done += Compared(refused=1)
            elif words := both.wrong(left, expected):
                wrong.append(f"seed {seed} ({isa}): {words}")
            else:
                done += Compared(1, len(one.program.instructions), len(one.floats))
        waiting, functions = again, rest
    assert not wrong and not waiting, "\n".join(wrong[:5])
    return done


@pytest.mark.nightly
@pytest.mark.parametrize("isa", ["aarch64", "aarch32"])
def test_random_programs(isa: str, tmp_path: Path) -> None:
    """A sample for every run."""
    if scripts.node() is None:
        pytest.skip("no node: install Node.js to run the generated JavaScript")
    done = compared(isa, range(FIRST, FIRST + SAMPLE), lambda text: scripts.in_node(text, tmp_path))
    assert (done.programs, done.instructions > 200) == (SAMPLE, True)


def after(recorded: recordings.Recorded) -> NDArray[np.void]:
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


def cases(isa: str, recorded: recordings.Recorded, functions: JavaScriptFunctions, count: int) -> list[Case]:
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


def beside_python(isa: str, every: int, count: int, folder: Path) -> tuple[int, int]:
    """Compare recorded lines with floating point by its definitions; (lines, kinds of words that were needed)."""
    lines, wrong, done, words = islice(recordings.replay(isa), 0, None, every), list[str](), 0, 0
    while batch := list(islice(lines, 1000)):
        functions = JavaScriptFunctions(words=[])
        listed = [case for one in batch for case in cases(isa, one, functions, count)]
        assert len(listed) >= len(batch)
        done += len(batch)
        found = scripts.beside_python(scripts.text([case.start for case in listed], functions), folder, functions)
        wrong += [differs for case, left in zip(listed, found, strict=True) if (differs := unlike(isa, case, left))]
        words += len(functions.words or ())
    assert not wrong, f"{len(wrong)} of {done} differ:\n" + "\n".join(wrong[:20])
    return done, words


def unlike(isa: str, case: Case, left: Left) -> str:
    """What is not as QEMU leaves it; "" for nothing."""
    names = [x for x in different(SLOTS[isa], case.registers, left.registers) if x != ours.HIDDEN]
    if left.steps == 1 and not names and case.window == b"".join(left.kept):
        return ""
    return f"{case.line}: {left.problem}, {names or 'memory'} differ"


def recorded_lines(isa: str, every: int, count: int, run: Any) -> tuple[int, int]:
    """Compare them; (lines, those that there are no words for)."""
    lines, wrong, done, silent, refused = islice(recordings.replay(isa), 0, None, every), list[str](), 0, 0, 0
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
            wrong += [words] if (words := unlike(isa, case, left)) else []
    assert not wrong, f"{len(wrong)} of {done} differ:\n" + "\n".join(wrong[:20])
    print(f"{isa}: {refused} states with numbers that the reading refuses")
    return done - silent, silent


@pytest.mark.parametrize("isa", every(2, ["aarch64", "aarch32"]))
def test_recorded_lines(isa: str, tmp_path: Path) -> None:
    """Some of the recorded lines in one state each, against QEMU."""
    if scripts.node() is None:
        pytest.skip("no node: install Node.js to run the generated JavaScript")
    done, words = beside_python(isa, 149, 1, tmp_path)
    assert done > 50 and words > 5


@pytest.mark.nightly
@pytest.mark.parametrize("isa", ["aarch64", "aarch32"])
def test_every_recorded_line_beside_python(isa: str, tmp_path: Path) -> None:
    """Every instruction and arrangement in two states each, floating point to the bit."""
    assert beside_python(isa, 1, 2, tmp_path)[0] > 5000


@pytest.mark.nightly
@pytest.mark.parametrize("isa", ["aarch64", "aarch32"])
def test_every_recorded_line_in_chromium(isa: str, chromium: Any) -> None:  # noqa: F811
    """Every instruction and arrangement that the reading has words for, in all recorded states."""
    page = chromium.new_page()
    compared, silent = recorded_lines(isa, 1, recordings.STATES, lambda text: scripts.in_tab(text, page))
    print(f"{isa}: {compared} recorded lines, {silent} without words in this reading")
    assert compared > 5000
    page.close()


def in_chromium(isa: str, seeds: range, chromium: Any) -> Compared:  # noqa: F811
    done = Compared()
    for at in range(0, len(seeds), BATCH):
        page = chromium.new_page()
        done += compared(isa, seeds[at:at + BATCH], lambda text, page=page: scripts.in_tab(text, page))
        page.close()
    print(f"{isa}, seeds {seeds[0]} to {seeds[-1]}: {done}")
    return done


@pytest.mark.nightly
@pytest.mark.parametrize("isa", ["aarch64", "aarch32"])
@pytest.mark.parametrize("part", range(PARTS))
def test_random_programs_in_chromium(isa: str, part: int, chromium: Any) -> None:  # noqa: F811
    """Ten thousand programs of both instruction sets together: registers, flags, memory. A part can be run alone."""
    share = COUNT // (2 * PARTS)
    first = FIRST + part * share
    assert in_chromium(isa, range(first, first + share), chromium).programs == share


@pytest.mark.nightly
@pytest.mark.parametrize("isa", ["aarch64", "aarch32"])
def test_random_float_programs_in_chromium(isa: str, chromium: Any) -> None:  # noqa: F811
    """Programs that compute in floating point, as far as the reading does."""
    done = in_chromium(isa, range(FLOATS + FIRST, FLOATS + FIRST + BATCH), chromium)
    assert done.programs == BATCH and done.floats > BATCH
