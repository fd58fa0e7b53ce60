"""The whole corpus against QEMU:   python tests/conformance/run.py [--vectors 10000] [--isa ...] [--family ...]

Every line that there can be of every form (loads and stores included), each on at least one chunk of 1024 states; every
form (a line of syntax with its mnemonic, element type and width) on at least `--vectors` of them: random and boundary
values in all registers, flags and memory. Compared is all that QEMU says has changed, and that nothing else has: V, X
or R, sp, NZCV, QC, floating-point flags, memory. Lock-step numpy runs every line; generated C and generated Python run
every form on as many vectors.

One process for each instruction set, each beside its QEMU.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import oracle
from cases import WHOLE, Part, cases, decoder, distinct, unit
from readings import READINGS, Pool, Reading
from states import CHUNK, EACH, MODES
from tqdm import tqdm  # type: ignore[import-untyped]

from neonsim.arm.isa import Instruction

ISAS = ("aarch64", "aarch32")
BATCH = 128  # lines that make one library of generated C


@dataclass
class Line:
    """A line with the chunks it runs on; `all_readings`: also in the readings that go state by state."""

    text: str
    word: int
    instruction: Instruction
    chunks: list[int]
    all_readings: bool


@dataclass
class Tally:
    """What a run compared."""

    isa: str
    lines: int = 0
    forms: int = 0
    vectors: dict[str, int] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def __str__(self) -> str:
        counts = ", ".join(f"{name} {count:,}" for name, count in self.vectors.items())
        return (f"{self.isa}: {self.lines:,} lines of {self.forms:,} forms; vectors compared with QEMU: {counts}; "
                f"{len(self.wrong)} differences; {self.seconds:.0f} s")


def plan(isa: str, vectors: int, chunks: int, families: frozenset[str], flavors: int = 5,
         part: Part = WHOLE, size: int = CHUNK) -> list[Line]:
    """Which line runs on which chunks of ``size`` states: each on one, and each form on ``vectors`` states in all."""
    decoded = decoder(isa)
    by_form: dict[object, list[tuple[str, int, Instruction]]] = {}
    for text, word in distinct(isa, cases(isa, flavors=flavors, families=families, part=part)):
        instruction = decoded(text)
        assert instruction is not None
        by_form.setdefault(unit(instruction), []).append((text, word, instruction))
    least = -(-vectors // size)
    found = []
    for lines in by_form.values():
        each = -(-least // len(lines))
        for number, (text, word, instruction) in enumerate(lines):
            # Tiles in lock-step access memory all or none, and LDRD faults on other addresses.
            usable = range(1, chunks, 2) if instruction.memory and (
                instruction.condition or text.startswith(("ldrd", "strd"))) else range(chunks)
            mine = [usable[(number * each + i) % len(usable)] for i in range(each)]
            found.append(Line(text, word, instruction, mine, number * each < least))
    return found


def compare(pool: Pool, lines: list[Line], readings: dict[str, Reading], folder: Path, bar: tqdm) -> Tally:
    """All lines in all readings against QEMU."""
    tally = Tally(pool.isa, len(lines), len({unit(line.instruction) for line in lines}))
    started = time.monotonic()
    with oracle.Qemu(pool.isa, folder) as qemu:
        qemu.keep(pool.states)
        for batch in _batches(lines):
            parent = multiprocessing.parent_process()
            if parent is not None and not parent.is_alive():
                raise SystemExit("stopped: the command that began this is gone")
            slow = [line for line in batch if line.all_readings]
            for name, reading in readings.items():
                if mine := batch if name == "lock-step" else slow:
                    reading.prepare([line.instruction for line in mine])
            jobs = [(line, chunk) for line in batch for chunk in line.chunks]
            qemu.ask_changes(jobs[0][0].word, jobs[0][1] * pool.size, pool.size)
            places = {"lock-step": {id(line): n for n, line in enumerate(batch)}}
            for number, (line, chunk) in enumerate(jobs):
                expected = pool.judged(qemu.changes(pool.size))
                if number + 1 < len(jobs):  # QEMU works on the next while we do on this one
                    ahead, at = jobs[number + 1]
                    qemu.ask_changes(ahead.word, at * pool.size, pool.size)
                for name, reading in readings.items():
                    where = places.setdefault(name, {id(line): n for n, line in enumerate(slow)}).get(id(line))
                    if where is None:
                        continue
                    wrong = pool.differences(chunk, expected, reading.run(where, chunk))
                    for text in wrong:
                        tally.wrong.append(f"{name}: {line.text}: {text}")
                        bar.write(f"{pool.isa}: {tally.wrong[-1]}")
                    tally.vectors[name] = tally.vectors.get(name, 0) + pool.size
                bar.update(1)
    tally.seconds = time.monotonic() - started
    return tally


def _batches(lines: list[Line]) -> Iterator[list[Line]]:
    rest = iter(lines)
    while batch := list(islice(rest, BATCH)):
        yield batch


def run(isa: str, vectors: int, families: frozenset[str] = frozenset(), names: tuple[str, ...] = tuple(READINGS),
        position: int = 0, flavors: int = 2, part: Part = WHOLE, size: int = CHUNK, rules: bool = False) -> Tally:
    """One instruction set, or a part of its forms; with rules each form by every combination of them."""
    size, vectors = (EACH, EACH * len(MODES)) if rules else (size, vectors)
    chunks = len(MODES) if rules else max(2, min(12, -(-vectors // size)))
    lines = plan(isa, vectors, chunks, families, flavors, part, size)
    pool = Pool(isa, chunks, size=size, rules=MODES if rules else (0,))
    readings = {name: READINGS[name](pool) for name in names}
    with tempfile.TemporaryDirectory() as folder, tqdm(
            total=sum(len(line.chunks) for line in lines), desc=isa, unit="chunk", position=position,
            mininterval=1) as bar:
        os.environ["NEONSIM_CACHE"] = folder  # libraries of the corpus are of no use to anybody later
        return compare(pool, lines, readings, Path(folder), bar)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--vectors", type=int, default=10_000, help="states for each form, at least (10000)")
    parser.add_argument("--isa", choices=ISAS, help="one instruction set (both)")
    parser.add_argument("--family", action="append", default=[], help="forms of this family only; can be given again")
    parser.add_argument("--rules", action="store_true",
                        help=f"by every combination of the rules in FPCR and FPSCR, {EACH} states each")
    parser.add_argument("--reading", action="append", choices=tuple(READINGS), help="only this one; can be given again")
    parser.add_argument("--flavours", type=int, default=2, help="more choices of registers for a line, 0 to 5 (2)")
    options = parser.parse_args()
    wanted = [options.isa] if options.isa else list(ISAS)
    for isa in wanted:
        if reason := oracle.missing(isa):
            print(reason)
            return 2
    names = tuple(options.reading or READINGS)
    jobs = [(isa, options.vectors, frozenset(options.family), names, at, options.flavors, WHOLE, CHUNK, options.rules)
            for at, isa in enumerate(wanted)]
    if len(jobs) > 1:
        with multiprocessing.get_context("spawn").Pool(len(jobs)) as workers:
            tallies = workers.starmap(run, jobs)
    else:
        tallies = [run(*jobs[0])]
    print()
    for tally in tallies:
        print(tally)
        print("".join(f"  {text}\n" for text in tally.wrong[:40]), end="")
    return int(any(tally.wrong for tally in tallies))


if __name__ == "__main__":
    sys.exit(main())
