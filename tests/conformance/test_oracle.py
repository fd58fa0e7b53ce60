"""Every line there can be, on many random and boundary states, against QEMU: no difference at all."""

from __future__ import annotations

from pathlib import Path

import branches
import golden
import numpy as np
import oracle
import ours
import pytest
import states
from cases import cases, decoder, distinct

pytestmark = pytest.mark.full

MANY = 64  # states per line in lock-step; lines that touch memory run one state at a time, on FEW
FEW = 8
SEED = 2


@pytest.fixture(scope="module", params=["aarch64", "aarch32"])
def isa(request: pytest.FixtureRequest) -> str:
    name = str(request.param)
    if reason := oracle.missing(name):
        pytest.skip(reason)
    return name


def test_every_line_on_many_states(isa: str, guest_folder: Path) -> None:
    decoded = decoder(isa)
    pool = states.states(isa, oracle.DTYPE[isa], 4096, SEED)
    listed = cases(isa)
    wrong: list[str] = []
    compared = 0
    with oracle.Qemu(isa, guest_folder) as qemu:
        results: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        for number, (line, word) in enumerate(listed):
            instruction = decoded(line)
            assert instruction is not None
            count = MANY if instruction.address is None else FEW
            if word not in results:
                start = golden.pick(line, pool, np.arange(number * 61, number * 61 + count))
                results[word] = start, golden.canonical(isa, qemu.run(word, start))
            start, after = results[word]
            got = golden.canonical(isa, ours.run(isa, instruction, start))
            compared += count
            if got.tobytes() != after.tobytes():
                wrong.append(ours.describe(line, start, after, got))
    print(f"{isa}: {len(listed)} lines, {len(results)} words, {compared} states compared, {len(wrong)} lines differ")
    assert not wrong, f"{len(wrong)} of {len(listed)} lines differ:\n" + "\n".join(wrong[:30])


def test_one_at_a_time_is_lock_step(isa: str) -> None:
    """The same results from the single-tile path as from the grid."""
    decoded = decoder(isa)
    for line, before, after in golden.replay(isa, golden.load(isa)):
        instruction = decoded(line)
        if instruction is not None and instruction.address is None:
            got = golden.canonical(isa, ours.singly(isa, instruction, before))
            assert got.tobytes() == after.tobytes(), ours.describe(line, before, after, got)


def test_branches(isa: str, guest_folder: Path) -> None:
    """Taken in the same states, and the same registers afterwards."""
    expected, expected_after = branches.qemu(isa, guest_folder)
    taken, after = branches.ours(isa)
    for line, a, b, x, y in zip(branches.lines(isa), expected, taken, expected_after, after, strict=True):
        assert (a == b).all(), line
        assert x.tobytes() == y.tobytes(), line
    with np.load(golden.FOLDER / f"branches_{isa}.npz") as file:
        assert (file["taken"] == expected).all(), "golden/branches is out of date: python tests/conformance/record.py"


def test_recording_again_gives_the_same(isa: str, guest_folder: Path) -> None:
    """The committed files are what QEMU says today of today's lines."""
    again = golden.record(isa, distinct(isa, cases(isa, flavours=1)), guest_folder)
    for name, array in golden.load(isa).items():
        assert np.array_equal(array, again[name]), f"{isa}.npz is out of date: python tests/conformance/record.py"
