"""Random programs: every engine like the others and, in `make nightly`, like QEMU; the sanitizer has nothing to say.

NEONSIM_RANDOM_SEED   the first seed (0)      NEONSIM_RANDOM_COUNT   programs of a full run (20 000); of floating point
                                              a fifth as many again
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import calls
import numpy as np
import oracle
import pytest
from numpy.typing import NDArray
from randomly import FLOATS, TILES, Written, difference, size, start, write
from states import WINDOW

import neonsim as ns
from neonsim.arm.machine.arch.registers import AARCH32, numeric
from neonsim.arm.machine.engines import compiled

FIRST: Final = int(os.environ.get("NEONSIM_RANDOM_SEED", "0"))
COUNT: Final = int(os.environ.get("NEONSIM_RANDOM_COUNT", "20000"))
PARTS: Final = 20  # tests of both instruction sets together
FEW: Final = 4  # of floating point in a short run
SAMPLE: Final = 6  # programs of a short run, of each instruction set
BATCH: Final = 500  # functions in a guest
GRID: Final = ns.Grid(2, TILES // 2)
COMPILED: Final = 100  # every how many programs the C compiler is asked; of floating point ten times as often
Run = Callable[["Ours", ns.Program, NDArray[np.void]], list[tuple[int, bytes]]]


class Ours:
    """A machine with room for the states of a grid."""

    def __init__(self, isa: str) -> None:
        self.isa, self.machine = isa, ns.Machine(isa)
        self.bytes = size(isa)
        self.state = self.machine.memory.place(np.zeros((TILES, self.bytes), np.uint8), name="state")
        self.window = self.machine.memory.place(np.zeros((TILES, WINDOW), np.uint8), name="window")

    def run(self, program: ns.Program, before: NDArray[np.void], tile: int | None, **options: Any) -> list[bytes]:
        """One tile, or None: the grid; what each left behind."""
        memory = self.machine.memory
        memory.fill(self.state, b"".join(one.tobytes()[:self.bytes] for one in before))
        memory.fill(self.window, before["mem"].tobytes())
        number = np.arange(TILES).reshape(GRID.shape) if tile is None else tile
        done = self.machine.call(program, self.state + number * self.bytes, self.window + number * WINDOW,
                                 tiles=GRID if tile is None else None, **options)
        assert not done.warnings, done.warnings
        states, windows = memory.fetch("state"), memory.fetch("window")
        if self.isa == "aarch32":  # no instruction reads Q
            q = numeric(self.machine.state.slots[AARCH32.index["q"]]).array
            column = states[:, 256 + 52:256 + 56].view(np.uint32)
            if tile is None:
                column[:] = np.broadcast_to(q[0], GRID.shape).reshape(TILES, 1).astype(np.uint32) << 27
            else:
                column[tile] = int(q[0]) << 27
        return [s.tobytes() + w.tobytes() for s, w in zip(states, windows, strict=True)]


def one(tile: int, **options: Any) -> Run:
    return lambda ours, program, before: [(tile, ours.run(program, before, tile, **options)[tile])]


def grid(**options: Any) -> Run:
    def run(ours: Ours, program: ns.Program, before: NDArray[np.void]) -> list[tuple[int, bytes]]:
        try:
            return list(enumerate(ours.run(program, before, None, **options)))
        except ns.LockstepDivergence:  # tiles in lock-step branch alike: where they do not, all get the same state
            return [(0, after) for after in ours.run(program, before[:1].repeat(TILES), None, **options)]
    return run


ENGINES: Final[dict[str, Run]] = {
    "interpreter": one(0, engine="interpreter", trace=False, sanitize=True),
    "usual call": one(1),
    "python": one(2, engine="python"),
    "lock-step": grid(engine="interpreter", trace=False, sanitize=True),
    "compiled": grid(engine="compiled"),
}


def wrong(ours: Ours, program: Written, engine: str, expected: Sequence[bytes], text: ns.Program | None = None) -> str:
    """What an engine makes otherwise than expected, in words; "" if nothing."""
    try:
        runs = text or ns.assemble(program.text("f"), program.isa)
        after = ENGINES[engine](ours, runs, start(program.isa, program.seed))
    except Exception as problem:  # whatever it is, it is to be reported with its program
        return f"{type(problem).__name__}: {problem}"
    return next((f"state {tile}, {words}" for tile, found in after
                 if (words := difference(program.isa, expected[tile], found))), "")


def report(program: Written, text: str, engine: str) -> str:
    body = "\n".join(f"    {line}" for line in program.lines())
    return f"seed {program.seed} ({program.isa}), {engine}: {text}\n{body}"


def shrunk(program: Written, still: Callable[[Written], str]) -> tuple[Written, str]:
    """The program without whatever is not needed for its failure."""
    text = still(program)
    while True:
        for smaller in program.smaller():
            if found := still(smaller):
                program, text = smaller, found
                break
        else:
            return program, text


class Judge:
    """QEMU, with some programs as functions."""

    def __init__(self, programs: Sequence[Written], folder: Path) -> None:
        isa = programs[0].isa
        head = '.section .note.GNU-stack, "", %progbits\n.text\n' + ".syntax unified\n.arm\n" * (isa == "aarch32")
        source, into = folder / "programs.s", folder / f"programs.{isa}.o"
        text = "".join(program.text(f"f{i}", judge=True) for i, program in enumerate(programs))
        if isa == "aarch32":
            text = "".join(f"{oracle.word_of(line)}\n" for line in text.splitlines())
        source.write_text(head + text)
        oracle.assembled(isa, source, into)
        self._bytes = size(isa)
        self._guest = calls.Guest(calls.Built(into, isa, source), [f"f{i}" for i in range(len(programs))], folder)

    def __enter__(self) -> Judge:
        return self

    def __exit__(self, *_: object) -> None:
        self._guest.__exit__()

    def run(self, number: int, before: NDArray[np.void]) -> list[bytes]:
        rows = ((np.frombuffer(one.tobytes()[:self._bytes], np.uint8), one["mem"]) for one in before)
        return [b"".join(self._guest.call(f"f{number}", *row)[1]) for row in rows]


def judged(program: Written, folder: Path) -> list[bytes]:
    with Judge([program], folder) as judge:
        return judge.run(0, start(program.isa, program.seed))


def taken(isa: str, seeds: range) -> list[Written]:
    """The programs all of whose lines GNU as takes."""
    programs = [write(isa, seed) for seed in seeds]
    lines = sorted({line for program in programs for line in program.plain()})
    refused = {line for line, word in zip(lines, oracle.assemble(isa, lines), strict=True) if word is None}
    return [program.without(refused) for program in programs]


def engines(seed: int, compiles: bool = True) -> list[str]:
    """The interpreter with its sanitizer on all programs, the others in turn."""
    turn = ["interpreter", ("usual call", "python", "lock-step")[seed % 3]]
    every = COMPILED // 10 if seed >= FLOATS else COMPILED
    return [*turn, "compiled"] if compiles and seed % every == 0 and compiled.compiler() is not None else turn


@dataclass
class Tally:
    """What a run compared, and what was wrong, in words."""

    isa: str
    seeds: range
    instructions: int = 0
    runs: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        runs = ", ".join(f"{engine} {count:,}" for engine, count in self.runs.items())
        return "\n".join([f"{self.isa}: seeds {self.seeds.start} to {self.seeds.stop - 1}, {self.instructions:,} "
                          f"instructions, run by {runs}: {len(self.failures)} differences", *self.failures])


def compare(isa: str, first: int, count: int, folder: Path) -> Tally:
    """Programs of so many seeds against QEMU; ends at the third difference."""
    ours, tally = Ours(isa), Tally(isa, range(first, first + count))
    for begin in range(first, first + count, BATCH):
        programs = taken(isa, range(begin, min(begin + BATCH, first + count)))
        with Judge(programs, folder) as judge:
            for number, program in enumerate(programs):
                expected, text = judge.run(number, start(isa, program.seed)), ns.assemble(program.text("f"), isa)
                tally.instructions += len(program.lines())
                for engine in engines(program.seed):
                    tally.runs[engine] += 1
                    if wrong(ours, program, engine, expected, text):
                        tally.failures.append(least(ours, program, engine, folder / "least"))
                        break
                if len(tally.failures) == 3:
                    return tally
    return tally


def least(ours: Ours, program: Written, engine: str, folder: Path) -> str:
    """A difference, and as little of the program as shows it."""
    folder.mkdir(exist_ok=True)

    def still(smaller: Written) -> str:
        return wrong(ours, smaller, engine, judged(smaller, folder))

    return report(*shrunk(program, still), engine)


@pytest.mark.parametrize("isa", ["aarch64", "aarch32"])
def test_engines_agree(isa: str) -> None:
    """A sample for every run: what the interpreter makes of a state, with its sanitizer, is what the others make."""
    ours = Ours(isa)
    for seed in (*range(FIRST, FIRST + SAMPLE), *range(FLOATS + FIRST, FLOATS + FIRST + FEW)):
        program, before = write(isa, seed), start(isa, seed)
        text = ns.assemble(program.text("f"), isa)
        _, engine = engines(seed, compiles=False)
        for tile, found in ENGINES[engine](ours, text, before):
            expected = ours.run(text, before, tile, engine="interpreter", trace=False, sanitize=True)[tile]
            assert not (differs := difference(isa, expected, found)), report(program, differs, engine)


@pytest.mark.nightly
@pytest.mark.parametrize("isa", ["aarch64", "aarch32"])
@pytest.mark.parametrize("part", range(PARTS // 2))
def test_like_qemu(part: int, isa: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every engine makes of every program what QEMU makes."""
    if reason := calls.missing("gcc", isa) or oracle.missing(isa):
        pytest.skip(reason)
    monkeypatch.setenv("NEONSIM_CACHE", str(tmp_path / "cache"))
    print(found := compare(isa, FIRST + part * (COUNT // PARTS), COUNT // PARTS, tmp_path))
    assert not found.failures, str(found)


@pytest.mark.nightly
@pytest.mark.parametrize("isa", ["aarch64", "aarch32"])
@pytest.mark.parametrize("part", range(4))
def test_floats_like_qemu(part: int, isa: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same of programs of floating point, that change its rules as they go: all bits of FPSR and FPSCR."""
    if reason := calls.missing("gcc", isa) or oracle.missing(isa):
        pytest.skip(reason)
    monkeypatch.setenv("NEONSIM_CACHE", str(tmp_path / "cache"))
    count = COUNT // 40
    print(found := compare(isa, FLOATS + FIRST + part * count, count, tmp_path))
    assert not found.failures, str(found)
