"""`time` and `Timing`: what can be timed, the loop that is meant, texts, Kanata log, pickling."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest

from neonsim.arm.asm import assemble
from neonsim.arm.timing import InstructionStream, StaticInstruction, Timing, compare_timings, cores, loop_heads, time
from neonsim.errors import BadArgument
from neonsim.studies.kernels import with_latency

TWO_LOOPS = """
.global first
first:
    mov x3, #4
0:  add x0, x0, #1
    subs x3, x3, #1
    b.ne 0b
    ret
.global second
second:
inner:
    smlal v0.4s, v1.4h, v2.4h
    subs x3, x3, #1
    b.ne inner
outer:
    add x0, x0, #1
    cbnz x0, outer
    ret
"""


@pytest.fixture
def timing() -> Timing:
    return time(assemble(TWO_LOOPS, "aarch64"), core="cortex-a72", entry="inner", iterations=20)


def test_cores_are_listed_with_one_line_each() -> None:
    listed = cores()
    assert {"cortex-a53", "cortex-a72", "ideal-1", "ideal-mul-add"} <= set(listed)
    assert all(line and "\n" not in line for line in listed.values())


def test_loop_heads() -> None:
    assert list(loop_heads(assemble(TWO_LOOPS, "aarch64"))) == ["line 5", "inner", "outer"]


@pytest.mark.parametrize(("entry", "body"), [("inner", 3), ("outer", 2), (5, 3), ("line 5", 3), ("first", 3)],
                         ids=["label", "other_label", "line_number", "line_name", "function_with_one_loop"])
def test_loop_by_entry(entry: str | int, body: int) -> None:
    result = time(assemble(TWO_LOOPS, "aarch64"), entry=entry, iterations=7)
    assert (result.stream.body, result.instructions) == (body, 7 * body)


@pytest.mark.parametrize(("arguments", "says"), [
    ({}, "3 loops; select one with entry=: 5, 'inner', 'outer'"),
    ({"entry": "second"}, "No branch goes back to 'second'"),
    ({"entry": "nowhere"}, "No branch goes back to 'nowhere'"),
    ({"entry": 3}, "No branch goes back to 3"),
    ({"entry": "inner", "iterations": 0}, "iterations must be 1 or more; got 0"),
    ({"entry": "inner", "iterations": 2.5}, "iterations must be an integer of 1 or more; got 2.5"),
], ids=["which_loop", "function_with_two_loops", "unknown_label", "no_loop_at_line", "no_iteration", "half"])
def test_loop_refusals(arguments: dict[str, Any], says: str) -> None:
    with pytest.raises(BadArgument, match=says):
        time(assemble(TWO_LOOPS, "aarch64"), **arguments)


def test_program_without_loop_is_refused() -> None:
    with pytest.raises(BadArgument, match="no loop"):
        time(assemble("f: ret", "aarch64"))


def test_only_loop_needs_no_name() -> None:
    assert time(assemble("again: subs x0, x0, #1\n b.ne again", "aarch64"), iterations=5).instructions == 10


def test_untimeable_things_are_refused() -> None:
    with pytest.raises(BadArgument, match="Cannot time a int"):
        time(3)


def test_text_says_counted_and_modeled(timing: Timing) -> None:
    text = str(timing)
    assert "counted" in text and "modelled" in text and "cycles an iteration" in text
    assert "F0" in timing.ports()
    assert "loop inner" in compare_timings(timing, timing)
    assert repr(timing).startswith("<Timing cortex-a72: ")


def test_timeline(timing: Timing) -> None:
    lines = timing.timeline(first=3, count=6).splitlines()
    assert len(lines) == 2 + 6
    assert lines[2].lstrip().startswith("1.0") and "smlal" in lines[2] and lines[2].rstrip().endswith("R")
    with pytest.raises(BadArgument, match=r"first must be 0 to 59"):
        timing.timeline(first=60)


def test_rows_lines_and_dict_agree(timing: Timing) -> None:
    rows = timing.rows()
    assert len(rows) == timing.instructions
    assert all(row.start <= row.issue < row.completion <= row.retire for row in rows)
    assert sum(timing.line_costs().values()) == pytest.approx(timing.cycles)
    data = json.loads(json.dumps(timing.to_dict()))
    assert data["modeled"]["cycles"] == timing.cycles and data["counted"]["macs"] == timing.macs == 80


def test_changed_core_pickles_as_it_is() -> None:
    core = with_latency("cortex-a53", "asimd_add", 9)
    assert pickle.loads(pickle.dumps(core)).price(StaticInstruction("asimd_add", width="q")).latency == 9


def test_pickles(timing: Timing) -> None:
    again = pickle.loads(pickle.dumps(timing))
    assert (again.cycles, again.slots, str(again)) == (timing.cycles, timing.slots, str(timing))


def test_stalls_and_instructions_make_the_cycles(timing: Timing) -> None:
    assert sum(timing.slots.values()) + timing.instructions == timing.core.width * timing.cycles
    assert sum(timing.stalls.values()) + timing.instructions / timing.core.width == pytest.approx(timing.cycles)


# ---- a parser of Kanata 0004, written from the format's description

def parse_kanata(path: Path) -> dict[int, dict[str, Any]]:
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "Kanata\t0004"
    now, found = 0, dict[int, dict[str, Any]]()
    for line in lines[1:]:
        command, *fields = line.split("\t")
        if command == "C=":
            now = int(fields[0])
        elif command == "C":
            assert int(fields[0]) > 0
            now += int(fields[0])
        else:
            number = int(fields[0])
            if command == "I":
                assert number not in found, "an instruction starts once"
                found[number] = {"begin": now, "labels": {}, "stages": [], "arrows": []}
                continue
            entry = found[number]
            assert "end" not in entry, "nothing may follow retirement"
            if command == "L":
                entry["labels"][int(fields[1])] = fields[2]
            elif command == "S":
                assert fields[1] == "0"
                entry["stages"].append((now, fields[2]))
            elif command == "W":
                producer = found[int(fields[1])]
                assert producer.get("end", now) >= now and fields[2] == "0"
                entry["arrows"].append(int(fields[1]))
            elif command == "R":
                assert fields[2] == "0"
                entry["end"] = now
            else:
                raise AssertionError(f"unknown command {command}")
    assert all("end" in entry for entry in found.values())
    return found


@pytest.mark.parametrize("core", ["cortex-a53", "cortex-a72"])
def test_konata_log_parses(tmp_path: Path, core: str) -> None:
    result = time(assemble(TWO_LOOPS, "aarch64"), core=core, entry="inner", iterations=20)
    log = parse_kanata(result.to_konata(tmp_path / "loop.kanata"))
    assert sorted(log) == list(range(result.instructions))
    for row in result.rows():
        entry = log[row.step]
        assert ((row.issue, "X") in entry["stages"]) and entry["labels"][0].endswith(row.op.text)
    assert log[3]["arrows"] == [0]          # smlal of the second iteration accumulates on the first


def test_stream_of_ops_is_timed_like_a_loop() -> None:
    result = time(InstructionStream.of_ops([StaticInstruction("alu", "add", writes=(("d", "x0"),),
                                                              reads=(("n", "x0"),))], iterations=50))
    assert result.cycles_per_iteration == 1.0
