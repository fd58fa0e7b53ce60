"""Where two runs begin to differ in their data: planted mistakes, and differences that do not matter."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim.arm.machine import rerun
from neonsim.arm.machine.trace.provenance import MEMORY, ByteLocation, Lineage, ValueOrigin
from neonsim.cli.recording import record
from neonsim.render import Run, payload, split
from neonsim.render.stepper.trace_diff import differences

DOT = Path(__file__).with_name("dot.S").read_text(encoding="utf-8")


def changed(trace: ns.Trace, *pairs: tuple[str, str]) -> ns.Trace:
    text = DOT
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    other, problem = rerun(trace, ns.assemble(text, isa="aarch64"), max_steps=1000)
    assert problem is None
    return other


@pytest.mark.parametrize(("old", "new", "step", "says"), [
    ("uxtl    v0.8h", "sxtl    v0.8h", 5, "v0.h[2] is 229 left, -27 right: written by step 5 in line 11 on both sides; "
     "different arithmetic made them. It reaches c[0]"),
    ("usubl   v1.8h", "uaddl   v1.8h", 6, "different arithmetic made them"),
    ("v0.h[2]", "v0.h[3]", 7, "left takes a[0,2], right takes a[0,3]"),
    ("smlal2", "smlsl2", 8, "different arithmetic made them"),
    ("[x0], #8", "[x0]", 13, "left takes a[2,2], right takes a[0,2]"),
], ids=["extend", "subtract", "lane", "accumulate", "pointer"])
def test_a_planted_mistake_is_where_the_data_begin_to_differ(dot: ns.Trace, old: str, new: str, step: int, says: str
                                                             ) -> None:
    """At the first step that executes what was changed; of a pointer: what is made of the first other bytes."""
    other = changed(dot, (old, new))
    found = differences(dot, other)
    first = found.first
    assert first is not None
    assert (first.left, first.right) == (step, step) and says in first.text, first
    sums = [np.frombuffer(trace.state(trace.steps)["v16"], np.int32) for trace in (dot, other)]
    assert sorted(found.results) == [f"c[{k}]" for k in np.flatnonzero(sums[0] != sums[1])] != []
    assert str(found) == f"First difference of data: {first.text}"
    assert [(one.left, one.right) for one in found.every] == sorted((one.left, one.right) for one in found.every)


def test_other_registers_addresses_counters_and_scratch_are_no_difference(dot: ns.Trace) -> None:
    """The same sums in other registers, other set-up, a counter that runs the other way."""
    setup = "dot:\n        mov x9, #77\n        movi v31.16b, #9\n        mov x2, x2\n"
    other = changed(dot, ("v16.4s", "v25.4s"), ("{v0.8b}", "{v7.8b}"), ("v0.8h, v0.8b", "v7.8h, v7.8b"),
                    ("v0.h[", "v7.h["), ("dot:\n", setup))
    assert any(dot.state(k).get("v16") != other.state(k).get("v16") for k in range(dot.steps))
    found = differences(dot, other)
    assert found.first is None and found.every == () and found.results == ()
    assert str(found) == "No difference of data: both runs leave the same bytes in c."


def test_a_mistake_is_found_in_other_registers(dot: ns.Trace) -> None:
    other = changed(dot, ("v16.4s", "v25.4s"), ("dot:\n", "dot:\n        nop\n"), ("usubl", "uaddl"))
    first = differences(dot, other).first
    assert first is not None and (first.left, first.right) == (6, 7)
    wrong = changed(dot, ("v16.4s", "v25.4s"), ("smlal2", "smlsl2"))
    first = differences(dot, wrong).first
    assert first is not None and "v16.s[0] is" in first.text and "where v25.s[0] is" in first.text


def test_other_inputs(dot: ns.Trace) -> None:
    """The same program on other data: it begins where they were given, and only what reaches a result counts."""

    def run(value: int, unused: int) -> ns.Trace:
        machine = ns.Machine(isa="aarch64")
        a = machine.memory.place(np.array([3, value, unused], np.int16), name="a")
        c = machine.memory.alloc(2, name="c")
        program = ns.assemble("ldrsh w2, [x0, #2]\n ldrsh w3, [x0, #4]\n ldrsh w4, [x0]\n add w2, w2, w4\n"
                              " strh w2, [x1]\n ret", isa="aarch64")
        trace = machine.call(program, a, c, trace=True).trace
        assert trace is not None
        return trace

    first = differences(run(5, 1), run(6, 2)).first
    assert first is not None and (first.left, first.right, first.begins) == (1, 1, True)
    assert first.text == ("a[1] is 5 left, 6 right: given at the start, read by step 1 in line 1 on both sides; the "
                          "runs were given different values. It reaches c[0].")
    assert differences(run(5, 1), run(5, 2)).first is None, "an input that reaches nothing"


def test_the_same_words_with_other_types(dot: ns.Trace) -> None:
    """SMAX and UMAX print the same lanes: that they are different arithmetic is in the types."""
    old = "        uxtl    v0.8h, v0.8b"
    runs = [changed(dot, (old, f"        {word}    v0.8b, v0.8b, v2.8b\n{old}")) for word in ("smax", "umax")]
    first = differences(runs[0], runs[1]).first
    assert first is not None and runs[0].instruction(first.left - 1).form.name != "uxtl"
    assert first.text.startswith("v0.b[") and "different arithmetic made them" in first.text


def test_two_instruction_sets() -> None:
    """Registers are named otherwise, lanes too: the same arithmetic all the same, up to the one that is another."""
    both = []
    for isa, text in (("aarch64", "ld1 {v0.4s}, [x0]\n mul v1.4s, v0.4s, v0.4s\n smax v2.4s, v1.4s, v0.4s\n"
                                  " st1 {v2.4s}, [x1]\n ret"),
                      ("aarch32", "vld1.32 {d0, d1}, [r0]\n vadd.i32 q1, q0, q0\n vmax.s32 q3, q1, q0\n"
                                  " vst1.32 {d6, d7}, [r1]\n bx lr")):
        machine = ns.Machine(isa=isa)
        a = machine.memory.place(np.array([1, 2, 3, 4], np.int32), name="a")
        c = machine.memory.place(np.zeros(4, np.int32), name="c")
        trace = machine.call(ns.assemble(text, isa=isa), a, c, trace=True).trace
        assert trace is not None
        both.append(trace)
    found = differences(both[0], both[1])
    assert found.first is not None and (found.first.left, found.first.right) == (2, 2)
    assert "v1.s[0] is 1 left where q1.u32[0] is 2 right" in found.first.text
    assert [(one.left, one.right, one.begins) for one in found.every] == [(2, 2, True), (3, 3, False)]


def test_a_program_from_two_files(tmp_path: Path) -> None:
    """It is shown as numbered instructions, and so it is spoken of."""
    (tmp_path / "one.s").write_text("add w1, w0, w0\n", encoding="utf-8")
    (tmp_path / "two.s").write_text("sub w1, w0, w0\n", encoding="utf-8")
    both = []
    for name in ("one", "two"):
        text = f'f: ldr w0, [x2]\n#include "{name}.s"\n str w1, [x3]\n ret\n'
        machine = ns.Machine(isa="aarch64")
        a, c = machine.memory.place(np.array([5], np.int32), name="a"), machine.memory.alloc(4, name="c")
        program = ns.assemble(text, isa="aarch64", include=[tmp_path])
        trace = machine.call(program, 0, 0, a, c, trace=True).trace
        assert trace is not None
        both.append(trace)
    first = differences(both[0], both[1]).first
    assert first is not None and "written by step 2 in instruction 1 on both sides" in first.text


def test_what_only_flags_choose() -> None:
    def run(limit: int) -> ns.Trace:
        machine = ns.Machine(isa="aarch64")
        c = machine.memory.place(np.zeros(1, np.int64), name="c")
        program = ns.assemble(f"mov x1, #10\n mov x3, #4\n cmp x1, #{limit}\n csel x2, x1, x3, gt\n str x2, [x0]\n ret",
                              isa="aarch64")
        trace = machine.call(program, c, trace=True).trace
        assert trace is not None
        return trace

    first = differences(run(5), run(20)).first
    assert first is not None and (first.left, first.right) == (4, 4) and "flags or modes differ" in first.text


def test_one_that_stops_early_and_nothing_in_common(dot: ns.Trace) -> None:
    text = DOT.replace("st1     {v16.4s}, [x3]", "nop")
    other, _ = rerun(dot, ns.assemble(text, isa="aarch64"), max_steps=1000)
    first = differences(dot, other).first
    assert first is not None and "right it is as it was given, left it was worked out" in first.text
    machine = ns.Machine(isa="aarch64")
    alone = machine.call(ns.assemble("mov x0, #1\n ret", isa="aarch64"), trace=True).trace
    assert alone is not None
    assert "the two runs store to no buffer that both have" in str(differences(dot, alone))


def test_a_run_of_which_only_the_end_was_kept(dot: ns.Trace) -> None:
    program = ns.assemble("mov x1, #50\n0: subs x1, x1, #1\n b.ne 0b\n ret", isa="aarch64")
    end = ns.Machine(isa="aarch64").call(program, trace="last 10").trace
    assert end is not None
    with pytest.raises(ns.BadArgument, match="has only its last 10 steps"):
        differences(dot, end)
    header, _ = split(Run(end).pack(dot))
    assert "only its last 10 steps" in header["differs"]["said"] and header["differs"]["every"] == []


def test_lineage_against_the_recorded_values(dot: ns.Trace) -> None:
    """Whatever made a place says the bytes that are there, at every step; through spills and reloads too."""
    program = ns.assemble("sub sp, sp, #16\n movi v1.4s, #7\n str q1, [sp]\n ldr q2, [sp]\n mov v3.s[1], v2.s[0]\n"
                          " dup v4.4s, v3.s[1]\n str q4, [x0]\n add sp, sp, #16\n ret", isa="aarch64")
    machine = ns.Machine(isa="aarch64")
    spilled = machine.call(program, machine.memory.alloc(16, name="c"), trace=True).trace
    assert spilled is not None
    side = Lineage(spilled)
    made = side.find_maker(ByteLocation(MEMORY,
                                        spilled.buffers[-1].address if spilled.buffers[-1].name == "c" else next(
        b.address for b in spilled.buffers if b.name == "c"), 4), spilled.steps)
    assert isinstance(made, ValueOrigin) and (made.step, made.name, made.value) == (2, "v1.s[0]", "7")
    for trace in (dot, spilled):
        side = Lineage(trace)
        for step in range(trace.steps + 1):
            for name, data in trace.state(step).items():
                for at in range(0, len(data), 4):
                    place = ByteLocation(name, at, min(4, len(data)))
                    assert side.data(place, step) == data[at:at + place.size]
                    found = side.find_maker(place, step)
                    if isinstance(found, ValueOrigin):
                        assert data[at:at + place.size] in found.data and found.step <= step


def test_in_the_payload(dot: ns.Trace) -> None:
    other = changed(dot, ("uxtl    v0.8h", "sxtl    v0.8h"))
    header, _ = split(Run(other).pack(dot))
    found: dict[str, Any] = header["differs"]
    assert found["said"].startswith("First difference of data: v0.h[2] is") and found["results"]
    assert found["every"][0][:3] == [5, 5, 1] and split(payload(dot))[0]["differs"] is None


MUTATIONS = {"smlal": "smlsl", "smlal2": "smlsl2", "vmlal.s16": "vmlsl.s16", "uxtl": "sxtl", "usubl": "uaddl",
         "vsubl.u8": "vaddl.u8", "vmovl.u8": "vmovl.s8", "sqrdmulh": "sqdmulh", "vqrdmulh.s32": "vqdmulh.s32",
         "srshl": "sshl", "vrshl.s32": "vshl.s32", "umin": "umax", "vmin.u8": "vmax.u8"}


SOURCES = {name: Path(__file__).parents[2] / "kernels" / "gemm" / f"{name}.S" for name in (
    "qu8_gemm_q31_4x8__aarch32_neon_mlal_lane", "qu8_gemm_q31_8x8__aarch64_neon_mlal_lane",
    "qu8_gemm_xzp_q31_4x8c2__aarch32_neon_mull_padal")}


def recorded(program: str) -> tuple[ns.Trace, dict[str, int]]:
    """A tile of a kernel, as `neonsim trace` runs it."""
    options = argparse.Namespace(program=program, arguments=[], entry=None, isa=None, include=[], define=[],
                                 compiler=None, compiler_options=[], max_steps=100_000, no_sanitize=True,
                                 strict_calls=False)
    found = record(options)
    return found.trace, found.columns


@pytest.mark.nightly
@pytest.mark.parametrize("name", SOURCES)
def test_a_mutation_in_a_kernel_is_found_at_its_line(name: str, tmp_path: Path) -> None:
    """Some twenty instructions in turn are other ones: where results differ, that line is where data begin to."""
    lines = SOURCES[name].read_text(encoding="utf-8").splitlines()
    places = [k for k, line in enumerate(lines) if line.split("//")[0].split()[:1] and line.split()[0] in MUTATIONS]
    places = places[::1 + len(places) // 20]
    right, columns = recorded(name)
    found = 0
    for place in places:
        word = lines[place].split()[0]
        file = tmp_path / f"{name}.S"
        mutation = lines[place].replace(word, MUTATIONS[word], 1)
        file.write_text("\n".join([*lines[:place], mutation, *lines[place + 1:], ""]), encoding="utf-8")
        where = differences(right, recorded(str(file))[0], columns)
        assert (where.first is None) == (not where.results)
        if where.first is not None:
            found += 1
            assert right.instruction(where.first.left - 1).position.line == place + 1, where.first
    assert found >= 0.5 * len(places) > 3
