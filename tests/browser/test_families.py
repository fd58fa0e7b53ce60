"""An instruction of every kind in a real browser: what the page shows of each equals the trace."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim.arm.isa import Instruction, forms
from neonsim.arm.machine.arch.register_names import lane_values
from neonsim.errors import NeonsimError
from neonsim.render.manual.pages import _example

pytestmark = [pytest.mark.browser, pytest.mark.nightly]
PER_FAMILY = 4
SHOWN = """() => [Object.fromEntries([...document.querySelectorAll('.nsim-vectors [data-register]')].map(row => [
  row.dataset.register, [...row.querySelectorAll('.nsim-cell')].sort((a, b) => a.dataset.lane - b.dataset.lane)
    .map(cell => cell.textContent)])),
  document.querySelector('.nsim-instruction').textContent,
  [...document.querySelectorAll('.nsim-vectors .nsim-changed')].map(row => row.dataset.register),
  document.querySelector('.nsim-formula').textContent,
  Object.fromEntries([...document.querySelectorAll('[data-flag]')].map(
    flag => [flag.dataset.flag, flag.textContent.at(-1)]))]"""


def examples(isa: str) -> list[Instruction]:
    """Some of each family, straight on: no branches, nothing that moves the stack pointer."""
    found: dict[str, list[Instruction]] = {}
    for form in forms(isa):
        family = found.setdefault(form.semantics.family, [])
        if len(family) >= PER_FAMILY or any(one.form.semantics is form.semantics for one in family):
            continue
        one = _example(form)
        if one is None or one.is_branch or one.reference or "label" in form.semantics.parameters:
            continue
        if not {use.register for use in (*one.reads, *one.writes)} & {"sp", "r13", "r15", "pc"}:
            family.append(one)
    return [one for family in found.values() for one in family]


def recorded(isa: str) -> ns.Trace:
    """One after the other; what this state cannot execute by itself is left out."""
    wide = isa == "aarch64"
    spare, ret, core = ("x28", "ret", "x") if wide else ("r12", "bx lr", "r")
    texts = []
    for one in examples(isa):
        # Bases point into the buffer again, offsets are small, before each load and store: in the program itself.
        lines = [f"mov {use.register}, {spare}" for use in one.reads if use.role == "base"]
        lines += [f"mov {core}{use.register[1:]}, #0" for use in one.reads if use.role == "offset"]
        try:
            trial, address = machine_for(isa)
            trial.start(ns.assemble("\n".join([*lines, str(one)]) + "\n", isa=isa), sanitize=False)
            prepare(trial, isa, address)
            trial.step(len(lines) + 1)
            texts.append("\n".join([*lines, str(one)]))
        except NeonsimError:
            continue
    assert len(texts) > 60
    machine, address = machine_for(isa)
    machine.start(ns.assemble("\n".join([*texts, ret, ""]), isa=isa), sanitize=False)
    prepare(machine, isa, address)
    machine.step(sum(text.count("\n") + 1 for text in texts))
    return machine.trace()


def machine_for(isa: str) -> tuple[ns.Machine, int]:
    machine = ns.Machine(isa=isa)
    data = np.random.default_rng(3).integers(0, 256, 4096, np.uint8)
    return machine, machine.memory.place(data, name="data") + 2048


def prepare(machine: ns.Machine, isa: str, address: int) -> None:
    rng = np.random.default_rng(4)
    count, core = (32, [f"x{k}" for k in range(30)]) if isa == "aarch64" else (16, [f"r{k}" for k in range(13)])
    for name in core:
        machine.registers[name] = address
    for k in range(count):
        machine.registers[f"{'v' if isa == 'aarch64' else 'q'}{k}"] = rng.integers(0, 256, 16, np.uint8).tobytes()


@pytest.mark.parametrize("isa", ["aarch64", "aarch32"])
def test_every_family(tab: Any, tmp_path: Path, isa: str) -> None:
    trace = recorded(isa)
    families = {one.form.semantics.family for one in trace.program.instructions}
    assert len(families) > 20 and trace.steps > 60
    page = tab.open(trace.to_html(tmp_path / "all.html"))
    page.get_by_label("element type of all registers").select_option("u16")
    lanes_moved = 0
    for step in range(1, trace.steps + 1):
        page.evaluate("step => window.neonsim.goto(step)", step)
        shown, text, changed, formula, flags = page.evaluate(SHOWN)
        state = trace.marked(step)
        one = trace.instruction(step - 1)
        assert text == str(one)
        assert shown == {name: [v.replace("--", "·") for v in lane_values(state[name], "u16")] for name in shown}, text
        rows = range(trace.write_start[step - 1], trace.write_start[step])
        written = {trace.locations[trace.write_location[row]] for row in rows}
        assert set(changed) == {name for name in written if len(state[name]) == 16}, text
        known = all(state["nzcv"].defined)
        assert flags == {**{f: str(state["nzcv"][0] >> 3 - k & 1) if known else "·" for k, f in enumerate("nzcv")},
                         "qc": str(state["qc"][0] & 1)}, text
        lanes_moved += " = " in formula
    assert lanes_moved > trace.steps / 3 and tab.errors == []
