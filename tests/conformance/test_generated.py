"""Recorded QEMU results against generated Python, numpy and C: a sample in every run, all lines in `make test-full`.

Many lines make one program, each followed by a conditional branch, so that it is a block of its own and the run stops
behind it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

import golden
import ours
import pytest
from cases import decoder

from neonsim.asm import Program, assemble
from neonsim.machine import compiled
from neonsim.machine.bind import State, bind
from neonsim.machine.engines import CompiledEngine, PythonEngine
from neonsim.machine.lockstep import LockstepEngine
from neonsim.machine.memory import Memory
from neonsim.machine.registers import AARCH32, AARCH64

BATCH = 150
SAMPLE = 47  # every how many lines in a short run
KINDS = ["python", "numpy", pytest.param("compiled", marks=pytest.mark.skipif(
    compiled.compiler() is None, reason="no C compiler: install gcc or clang"))]


@pytest.fixture(autouse=True)
def cache(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEONSIM_CACHE", str(tmp_path / "cache"))


def batches(isa: str, every: int) -> Iterator[list[tuple[str, Any, Any, Any]]]:
    """[(line, instruction, before, after)]; what reads the program counter depends on where it stands."""
    decoded = decoder(isa)
    recorded = enumerate(golden.replay(isa))
    found = ((line, decoded(line), before, after) for n, (line, before, after) in recorded if n % every == 0)
    usable = ((line, instruction, before, after) for line, instruction, before, after in found
              if instruction is not None and not re.search(r"\b(pc|r15)\b", str(instruction)))
    while batch := list(islice(usable, BATCH)):
        yield batch


def differences(isa: str, kind: str, every: int) -> tuple[int, list[str]]:
    slots = AARCH64 if isa == "aarch64" else AARCH32
    behind = assemble("nop", isa=isa).instructions
    separator = assemble("0: b.eq 0b" if isa == "aarch64" else "0: beq 0b", isa=isa).instructions[0]
    limit = 2 if isa == "aarch64" else 1
    wrong: list[str] = []
    count = 0
    for batch in batches(isa, every):
        program = Program(isa, "golden", tuple(x for _, i, _, _ in batch for x in (i, separator)) + behind)
        engine: Any = (PythonEngine(program, None) if kind == "python" else CompiledEngine(program, None)
                       if kind == "compiled" else None)
        if engine is not None:
            engine.checked = True
        for number, (line, instruction, before, expected) in enumerate(batch):
            count += 1
            got = before.copy()
            for i in range(len(before)):
                memory = Memory()
                if instruction.address is not None:
                    ours.place(memory, before[i])
                values = ours.slot_values(isa, before[i:i + 1], (1, 1) if kind == "numpy" else None)
                state = State(slots, memory, list(values), 2 * number, tracing=False)
                if kind == "numpy":  # a grid of one tile
                    state.axes, memory.tiles = 2, (1, 1)
                    engine = LockstepEngine(program, None, (1, 1), patience=0)
                # A conditional instruction is a block of its own, any other goes on to the branch behind it.
                alone = instruction.condition not in (None, "al")
                steps, returned = engine.run(state, memory, 1 if alone else limit)
                if kind == "numpy" and 2 * number not in engine.leaders:
                    bind(instruction, 0, slots)(state)  # a tile's own stack is the interpreter's
                    steps = 1 if alone else limit
                assert steps == (1 if alone else limit) and not returned, f"{line}: left the text"
                ours.write_back(isa, values, state, got[i:i + 1])
                if instruction.address is not None:
                    got["mem"][i] = memory.fetch("window", dtype="uint8")
            got = golden.canonical(isa, got)
            if got.tobytes() != expected.tobytes():
                wrong.append(ours.describe(line, before, expected, got))
    return count, wrong


@pytest.mark.parametrize("isa", ["aarch64", "aarch32"])
@pytest.mark.parametrize("kind", KINDS)
def test_sample(kind: str, isa: str) -> None:
    count, wrong = differences(isa, kind, 2 * SAMPLE if kind == "numpy" else SAMPLE)
    assert count > 50
    assert not wrong, f"{len(wrong)} of {count} recorded lines differ:\n" + "\n".join(wrong[:10])


@pytest.mark.full
@pytest.mark.parametrize("isa", ["aarch64", "aarch32"])
@pytest.mark.parametrize("kind", KINDS)
def test_all(kind: str, isa: str) -> None:
    count, wrong = differences(isa, kind, 1)
    assert not wrong, f"{len(wrong)} of {count} recorded lines differ:\n" + "\n".join(wrong[:20])
