"""Every line there can be, on random and boundary states, against QEMU: no difference at all."""

from __future__ import annotations

from pathlib import Path

import branches
import numpy as np
import oracle
import ours
import pytest
import readings
import recordings
import run as corpus_run
from cases import PARTS, chosen, decoder

from neonsim.arm.isa import forms
from neonsim.arm.machine.engines import compiled

pytestmark = pytest.mark.nightly


@pytest.fixture
def isa(request: pytest.FixtureRequest) -> str:
    name = str(request.param)
    if reason := oracle.missing(name):
        pytest.skip(reason)
    return name


UNRECORDED = {"base/branch", "base/pc_relative"}  # see test_branches; test_listing and tests/arm/asm have the others
ISAS = pytest.mark.parametrize("isa", ["aarch64", "aarch32"], indirect=True)


@ISAS
@pytest.mark.parametrize("part", range(PARTS))
def test_every_line_in_every_reading(isa: str, part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """256 states for each line in lock-step, for each form in generated C and Python; run.py does 10 000."""
    monkeypatch.setenv("NEONSIM_CACHE", "")  # put back afterwards: the run has a folder of its own
    names = tuple(name for name in readings.READINGS if name != "C" or compiled.compiler() is not None)
    tally = corpus_run.run(isa, 1, names=names, flavors=1, part=(part, PARTS), size=256)
    print(tally)
    assert tally.lines > 100
    assert not tally.wrong, f"{len(tally.wrong)} differences:\n" + "\n".join(tally.wrong[:30])


@ISAS
@pytest.mark.parametrize("part", range(PARTS))
def test_floating_point_by_every_rule(isa: str, part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """10 240 states for each form in every reading: 160 by each combination of rounding, FZ, DN, AHP and FZ16."""
    monkeypatch.setenv("NEONSIM_CACHE", "")
    families = frozenset(form.semantics.family for form in forms(isa) if form.semantics.family.startswith("fp/"))
    names = tuple(name for name in readings.READINGS if name != "C" or compiled.compiler() is not None)
    tally = corpus_run.run(isa, 1, families, names, flavors=1, part=(part, PARTS), rules=True)
    print(tally)
    assert tally.forms > 10
    assert all(count >= 10_000 * tally.forms for count in tally.vectors.values())
    assert not tally.wrong, f"{len(tally.wrong)} differences:\n" + "\n".join(tally.wrong[:30])


@pytest.mark.parametrize(("isa", "line"), [("aarch64", "msr fpcr, x2"), ("aarch64", "msr fpcr, xzr"),
                                           ("aarch32", "vmsr fpscr, r2"), ("aarch32", "vmsrne fpscr, r2")],
                         indirect=["isa"])
def test_control_registers(isa: str, line: str, guest_folder: Path) -> None:
    """What the corpus leaves out: most numbers choose rules that are not simulated. Here bits 26 to 8 are 0."""
    pool = readings.Pool(isa, 2, size=256)
    pool.states["x"][:, 2] &= pool.states["x"].dtype.type(0xF8000000 | 0x9F)
    [word], instruction = oracle.assemble(isa, [line]), decoder(isa)(line)
    assert word is not None
    assert instruction is not None
    with oracle.Qemu(isa, guest_folder) as qemu:
        qemu.keep(pool.states)
        for name, reading in ((name, make(pool)) for name, make in readings.READINGS.items()):
            reading.prepare([instruction])
            for chunk in range(2):
                qemu.ask_changes(word, chunk * pool.size, pool.size)
                expected = pool.judged(qemu.changes(pool.size))
                assert not pool.differences(chunk, expected, reading.run(0, chunk)), name
                assert isa == "aarch64" or expected


@ISAS
def test_one_at_a_time_is_lock_step(isa: str) -> None:
    """The same results from the single-tile path as from the grid."""
    decoded = decoder(isa)
    for recorded in recordings.replay(isa):
        instruction = decoded(recorded.line)
        if instruction is not None:
            got, after = recordings.canonical(isa, ours.singly(isa, instruction, recorded.before)), recorded.after
            assert got.tobytes() == after.tobytes(), ours.describe(recorded.line, recorded.before, after, got)


@pytest.mark.slow
@ISAS
def test_branches(isa: str, guest_folder: Path) -> None:
    """Taken in the same states, and the same registers afterwards."""
    expected, expected_after = branches.qemu(isa, guest_folder)
    taken, after = branches.ours(isa)
    for line, a, b, x, y in zip(branches.lines(isa), expected, taken, expected_after, after, strict=True):
        assert (a == b).all(), line
        assert x.tobytes() == y.tobytes(), line
    with np.load(recordings.FOLDER / f"branches_{isa}.npz") as file:
        assert (file["taken"] == expected).all(), "golden/branches is out of date: python tests/conformance/record.py"


@pytest.mark.parametrize(("isa", "family"), [
    pytest.param(isa, family, marks=[pytest.mark.nightly if isa == "aarch64" else pytest.mark.slow] * (
        family == "simd/multiply"))
    for isa in ("aarch64", "aarch32") for family in recordings.families(isa)], indirect=["isa"])
def test_recording_again_gives_the_same(isa: str, family: str, guest_folder: Path) -> None:
    """The committed files are what QEMU says today of today's lines."""
    [listed] = chosen(isa, [family]).values()
    again, recorded = ({one.line: one for one in recordings.unpack(isa, packed)} for packed in (
        recordings.record(isa, listed, guest_folder), recordings.load(isa, family)))
    assert again.keys() == recorded.keys(), f"{isa}/{family}.npz has other lines: run record.py {family}"
    for line, one in recorded.items():
        assert again[line].chunk == one.chunk, line
        assert again[line].after.tobytes() == one.after.tobytes(), f"{line}: run record.py {family}"


def test_there_is_a_recording_of_each_family() -> None:
    for isa in ("aarch64", "aarch32"):
        assert {form.semantics.family for form in forms(isa)} - set(recordings.families(isa)) <= UNRECORDED, isa
