"""Critical path, what a loop carries, register pressure, slots side by side, llvm-mca beside us."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from neonsim.arm import timing as package
from neonsim.arm.asm import assemble
from neonsim.arm.timing import (
    InstructionStream,
    StaticInstruction,
    compare_slots,
    compare_timings,
    legend,
    load_core,
    load_cores,
    mca,
    time,
)
from neonsim.arm.timing.report.legend import MEANINGS
from neonsim.cli import main
from neonsim.errors import BadArgument

FOLDER = Path(package.__file__).parent

LOOP = """
top:    ld1     {v0.8b}, [x0], #8
        uxtl    v1.8h, v0.8b
        smlal   v2.4s, v1.4h, v3.h[0]
        mul     v4.4s, v4.4s, v5.4s
        subs    x1, x1, #1
        b.ne    top
"""


def test_critical_path_is_the_chain() -> None:
    """Load 3, widen 2, then three multiply-accumulates one cycle apart; the last has 4 to go."""
    ops = [StaticInstruction("ld1_1", "ld1", "d", reads=(("base", "x0"),), writes=(("t", "v0"),), nbytes=8),
           StaticInstruction("asimd_shift_long", "uxtl", "d", 8, reads=(("n", "v0"),), writes=(("d", "v1"),)),
           *[StaticInstruction("asimd_mla_long", "smlal", "d", 16, reads=(("n", "v1"), ("a", "v2")),
                               writes=(("d", "v2"),))] * 3,
           StaticInstruction("alu", "add", reads=(("n", "x1"),), writes=(("d", "x1"),))]
    timing = time(InstructionStream.of_ops(ops), core="cortex-a55")
    path = timing.critical_path()
    assert [link.step for link in path] == [0, 1, 2, 3, 4]
    assert [link.start for link in path] == [0, 3, 5, 6, 7]
    assert [link.register for link in path] == ["", "v0", "v1", "v2", "v2"]
    assert timing.bounds.cycles["path"] == 7 + 4


@pytest.mark.parametrize(("core", "cycles"), [("cortex-a53", 4), ("cortex-a57", 6), ("cortex-a72", 4),
                                               ("neoverse-n1", 5)])
def test_carried_by_the_slowest_chain(core: str, cycles: int) -> None:
    """MUL by itself over and over; the accumulator costs 1, the address 1 or 2."""
    timing = time(assemble(LOOP, "aarch64"), core=core)
    assert timing.carried == cycles
    assert timing.cycles_per_iteration >= cycles
    assert f"ask for {cycles}.0" in str(timing)


def test_registers_alive() -> None:
    timing = time(assemble(LOOP, "aarch64"))
    # v2 and v4 accumulate, v3 and v5 stay; v0 or v1 on top.
    assert timing.pressure.vectors == (4, 5, 5, 4, 4, 4) and timing.pressure.general == (2, 2, 2, 2, 2, 2)
    assert "5 of 32 vector registers alive" in str(timing)


def test_two_d_registers_are_one_q() -> None:
    timing = time(assemble("top: vmlal.u8 q0, d4, d5\n subs r0, r0, #1\n bne top", "aarch32"))
    assert timing.pressure.vectors[0] == 2 and timing.pressure.available == 16


def test_slots_side_by_side_add_up() -> None:
    program = assemble(LOOP, "aarch64")
    timings = [time(program, core=core) for core in ("cortex-a53", "cortex-a72")]
    rows = [line.split() for line in compare_slots(*timings).splitlines()[2:]]
    for column in (-2, -1):
        values = [float(row[column]) for row in rows]
        assert sum(values[:-1]) == pytest.approx(values[-1], abs=0.06 * len(rows))
    assert all(set(row[-2:]) != {"0.0"} for row in rows)
    assert " 0.0 %" not in str(timings[0]) and "less than 0.05 % each: end" in str(time(program, iterations=4000))
    with pytest.raises(BadArgument):
        compare_slots()


def test_every_word_for_a_lost_slot_has_a_meaning() -> None:
    source = "".join((FOLDER / "pipeline" / f"{name}.py").read_text() for name in ("inorder", "outoforder"))
    said = set(re.findall(r'(?:lose\(|return |else |reason = |waited = )f?"([a-z][a-z -]+)(?::|")', source))
    said.remove("arithmetic")
    assert len(said) > 12 and said < MEANINGS.keys(), said - MEANINGS.keys()
    text = legend([time(assemble(LOOP, "aarch64"), core="cortex-a53")])
    assert "waits for what another instruction makes" in text
    assert "64-bit half of the NEON datapath (cortex-a53)" in text


def test_only_models_of_its_own() -> None:
    stream = time(assemble(LOOP, "aarch64")).stream
    assert mca(stream, "cortex-a72") is None and not load_core("cortex-a72").llvm
    own = {core.name for core in load_cores() if core.llvm}
    assert own == {"cortex-a53", "cortex-a55", "cortex-a57", "cortex-a510", "neoverse-n1", "neoverse-n2", "neoverse-v1"}


def test_table_with_llvm() -> None:
    program = assemble(LOOP, "aarch64")
    text = compare_timings(time(program, core="cortex-a55"), time(program, core="cortex-a73"), llvm=True)
    assert "llvm-mca" in text and "no model" in text


def test_command_shows_slots_and_llvm(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "loop.s"
    path.write_text(LOOP, encoding="utf-8")
    assert main(["time", str(path), "--isa", "aarch64", "--core", "all", "--slots", "--llvm"]) == 0
    text = capsys.readouterr().out
    assert "cortex-a76" in text and "issued" in text and "llvm-mca" in text
