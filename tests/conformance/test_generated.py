"""Recorded QEMU results against generated Python and C: a sample in every run, all lines in `make nightly`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest
import recordings
from cases import decoder
from readings import READINGS
from recordings import Recorded

from neonsim.arm.isa import Instruction
from neonsim.arm.machine.engines import compiled

BATCH = 150
PARTS = 6  # tests of all recorded lines
SAMPLE = 149  # every how many lines in a short run
KINDS = ["Python", pytest.param("C", marks=pytest.mark.skipif(
    compiled.compiler() is None, reason="no C compiler: install gcc or clang"))]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEONSIM_CACHE", str(tmp_path / "cache"))
    # Seven in eight seconds would be the compiler's, optimising; test_oracle compiles as users do.
    monkeypatch.setattr(compiled, "_options", lambda *_: ["-O0", "-fPIC", "-shared", "-fno-strict-aliasing", "-w"])


def batches(isa: str, every: int, first: int = 0) -> Iterator[list[tuple[Recorded, Instruction]]]:
    decoded = decoder(isa)
    sample = islice(recordings.replay(isa), first, None, every)
    usable = ((one, instruction) for one in sample if (instruction := decoded(one.line)) is not None)
    while batch := list(islice(usable, BATCH)):
        yield batch


def differences(isa: str, kind: str, every: int, first: int = 0) -> tuple[int, list[str]]:
    pool, wrong, count = recordings.pool(isa), list[str](), 0
    reading = READINGS[kind](pool)
    for batch in batches(isa, every, first):
        reading.prepare([instruction for _, instruction in batch])
        for number, (one, _) in enumerate(batch):
            count += 1
            found = reading.run(number, one.chunk)
            wrong += [f"{one.line}: {text}" for text in pool.differences(one.chunk, pool.judged(one.changes), found)]
    return count, wrong


@pytest.mark.parametrize("isa", ["aarch64", "aarch32"])
@pytest.mark.parametrize("kind", KINDS)
def test_sample(kind: str, isa: str) -> None:
    count, wrong = differences(isa, kind, SAMPLE)
    assert count > 15
    assert not wrong, f"{len(wrong)} of {count} recorded lines differ:\n" + "\n".join(wrong[:10])


@pytest.mark.nightly
@pytest.mark.parametrize("isa", ["aarch64", "aarch32"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("part", range(PARTS))
def test_all(kind: str, isa: str, part: int) -> None:
    count, wrong = differences(isa, kind, PARTS, part)
    assert not wrong, f"{len(wrong)} of {count} recorded lines differ:\n" + "\n".join(wrong[:20])
