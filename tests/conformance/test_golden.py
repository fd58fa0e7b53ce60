"""Recorded QEMU results, replayed: every case, every register, flag and byte of memory. Needs no oracle."""

from __future__ import annotations

from itertools import islice

import branches
import numpy as np
import ours
import pytest
import recordings
from cases import decoder
from corpus import shapes
from readings import LockStep

from neonsim.arm.asm import assemble
from neonsim.arm.isa import forms
from neonsim.arm.machine import Machine
from neonsim.arm.machine.arch.registers import AARCH32, AARCH64, RULES_TAKEN
from neonsim.arm.semantics.float_formats import RULES_FROM


@pytest.mark.parametrize("every_line", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("isa", ["aarch64", "aarch32"])
def test_recorded_results(isa: str, every_line: bool) -> None:
    """A line of each form, or every line, in lock-step; the first of a form that touches memory state by state too."""
    decoded, pool, wrong = decoder(isa), recordings.pool(isa), list[str]()
    lockstep = LockStep(pool)
    seen: set[str] = set()
    count = 0
    for recorded in recordings.replay(isa):
        count += 1
        instruction = decoded(recorded.line)
        if instruction is None:
            wrong.append(f"{recorded.line}: no longer taken by the assembler")
            continue
        template = instruction.form.template
        if template in seen and not every_line:
            continue
        lockstep.prepare([instruction])
        found = lockstep.run(0, recorded.chunk)
        wrong += [f"{recorded.line}: {text}"
                  for text in pool.differences(recorded.chunk, pool.judged(recorded.changes), found)]
        if template not in seen and instruction.memory and every_line:
            got = recordings.canonical(isa, ours.singly(isa, instruction, recorded.before))
            if got.tobytes() != recorded.after.tobytes():
                wrong.append(ours.describe(recorded.line, recorded.before, recorded.after, got))
        seen.add(template)
    assert not wrong, f"{len(wrong)} of {count} recorded lines differ:\n" + "\n".join(wrong[:20])
    missing = [form.template for form in forms(isa)
               if form.template not in seen and "pc" not in form.semantics.writes and form.semantics.writes
               # VMSR of FPSCR stops at rounding modes that are not simulated: test_oracle and
               # tests/arm/machine/test_float.
               and not {"<d:=fpscr>", "<d:=fpcr>"} & {form.template.split(",")[0].split(" ", 1)[-1]}
               and not any(p.role == "label" or p.spec in ("literal", "identity", "block") for p in form.patterns)]
    assert not missing, f"no recorded line for {missing}: record again (python tests/conformance/record.py)"


@pytest.mark.parametrize("isa", ["aarch64", "aarch32"])
def test_recorded_branches(isa: str) -> None:
    """Each branch is taken in the states in which QEMU took it."""
    with np.load(recordings.FOLDER / f"branches_{isa}.npz") as file:
        expected = file["taken"]
    taken, _ = branches.ours(isa)
    assert taken.shape == expected.shape, "the list of branches has changed: record again"
    wrong = [line for line, a, b in zip(branches.lines(isa), expected, taken, strict=True) if (a != b).any()]
    assert not wrong


@pytest.mark.nightly
@pytest.mark.parametrize("isa", [pytest.param("aarch64", marks=pytest.mark.nightly), "aarch32"])
def test_recorded_results_through_the_machine(isa: str) -> None:
    """A sample, through `Machine.start` and `step` and the registers by name."""
    decoded = decoder(isa)
    letter, general, slots = ("v", "x", AARCH64) if isa == "aarch64" else ("q", "r", AARCH32)
    for recorded in islice(recordings.replay(isa), 0, None, 61):
        line, instruction = recorded.line, decoded(recorded.line)
        if instruction is None or instruction.address is not None:
            continue
        before, after = recorded.before, recorded.after
        machine = Machine(isa=isa)
        for i in range(2):
            machine.start(assemble(f"{line}\nnop", isa=isa), sanitize=False)
            for bank in range(before["v"].shape[1]):
                machine.registers[f"{letter}{bank}"] = before["v"][i, bank]
            for at in (n for n in range(before["x"].shape[1]) if (isa, n) != ("aarch32", 15)):
                machine.registers[f"{general}{at}"] = int(before["x"][i, at])
            if isa == "aarch64":
                machine.registers["sp"] = int(before["sp"][i])
            rules = int(ours.flag(before[i], "fpcr")) << RULES_FROM
            if rules & ~RULES_TAKEN:
                continue  # vectors of VFP, which machines refuse
            for name in sorted(slots.flags, key="qc".__eq__):     # fpsr has QC as its bit 27: written first
                machine.registers[name] = rules if name == "fpcr" else int(ours.flag(before[i], name))
            machine.step()
            for bank in range(before["v"].shape[1]):
                assert bytes(machine.registers[f"{letter}{bank}"]) == after["v"][i, bank].tobytes(), line
            for at in (n for n in range(before["x"].shape[1]) if (isa, n) != ("aarch32", 15)):
                assert machine.registers[f"{general}{at}"] == int(after["x"][i, at]), line
            for name in slots.flags:
                left = int(machine.registers[name])
                left = left >> RULES_FROM if name == "fpcr" else left & ~(1 << 27) if name == "fpsr" else left
                assert left == int(ours.flag(after[i], name)), line


@pytest.mark.nightly
@pytest.mark.parametrize("isa", ["aarch64", "aarch32"])
def test_the_shadow_reading_keeps_what_is_known(isa: str) -> None:
    """One line of each form, one state, on values all of whose bits are known: same results, and all of them known."""
    decoded = decoder(isa)
    seen: set[str] = set()
    for recorded in recordings.replay(isa):
        instruction = decoded(recorded.line)
        if instruction is None or instruction.form.template in seen:
            continue
        seen.add(instruction.form.template)
        before, after = recorded.before[:1], recorded.after[:1]
        got = recordings.canonical(isa, ours.shadowed(isa, instruction, before))
        assert got.tobytes() == after.tobytes(), ours.describe(recorded.line, before, after, got)
    assert len(seen) > 100


def test_the_files_are_small() -> None:
    assert sum(file.stat().st_size for file in recordings.FOLDER.rglob("*.npz")) < 3_000_000


@pytest.mark.parametrize("isa", ["aarch64", "aarch32"])
def test_every_form_is_written(isa: str) -> None:
    """No kind of operand is missing in the corpus: labels apart, and what is judged elsewhere (see `shapes`)."""
    assert not [form.template for form in forms(isa) if next(shapes(form), None) is None and not any(
        p.role == "label" or p.spec in ("literal", "identity", "block") for p in form.patterns)]
