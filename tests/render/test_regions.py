"""Regions of memory: of which type, as text, by address."""

from __future__ import annotations

import numpy as np
import pytest

import neonsim as ns
from neonsim.arm.machine.arch.register_names import lane_values
from neonsim.arm.machine.trace.definedness import ShadowBytes
from neonsim.cli.kernel_case import _whole_tile
from neonsim.render import payload, split
from neonsim.render.stepper.cursor import TraceCursor
from neonsim.render.stepper.regions import address_of_text, region_lines, region_of, region_types
from neonsim.ukernel import kernel
from neonsim.ukernel.case_runner import run_alone
from neonsim.verify.checking.target import subject

TEXT = """
        ldr     q0, [x0]        // does not say of what
        add     v0.4s, v0.4s, v0.4s
        str     q0, [x1]
        ldrb    w3, [x2]
        strb    w3, [x1, #18]
        ret
"""


@pytest.fixture(scope="module")
def run() -> tuple[ns.Machine, ns.Trace]:
    machine = ns.Machine()
    a, c = machine.memory.declare("a=s32:1,-2,3,4"), machine.memory.alloc(24, name="c")
    text = machine.memory.place(np.frombuffer(b"some words\0", np.uint8), name="text", typed=False)
    machine.memory.declare("big=s16*100x200")
    trace = machine.call(ns.assemble(TEXT, isa="aarch64"), a, c, text).trace
    assert trace is not None
    return machine, trace


def test_types_come_from_who_says_them(run: tuple[ns.Machine, ns.Trace]) -> None:
    found = region_types(run[1])
    assert (found["a"], found["big"]) == ("s32", "s16"), "declared"
    assert (found["c"], found["text"]) == ("u32", "u8"), "what most bytes are moved as"


@pytest.mark.parametrize(("name", "want"), [
    ("qu8_requantize_precise_16x__aarch64_neon", {"x": "s32", "y": "u8"}),
    ("qd8_f32_qc8w_igemm_4x16c4__aarch64_neondot_ld64", {"c": "f32", "a": "u64", "image": "s8"}),
])
def test_types_of_a_contract(name: str, want: dict[str, str]) -> None:
    what = subject(kernel(name))
    trace = run_alone(what.program, what.entry, _whole_tile(what), trace=True, reads_before=what.reads_before,
                      reads_after=what.reads_after).result.trace
    assert trace is not None
    found = region_types(trace)
    assert {region: found[region] for region in want} == want


def test_printed(run: tuple[ns.Machine, ns.Trace]) -> None:
    region = region_of(*run, "c")
    assert str(region) == ("c        u32 [6], as used; -- has not been written\n"
                           "           2 4294967292          6          8 0x--73----         --")
    assert region.values() == [2, 2**32 - 4, 6, 8, None, None]
    assert region.array().mask.tolist() == [False] * 4 + [True] * 2
    assert str(region_of(*run, "a")) == "a        s32 [4]\n   1 -2  3  4"
    assert '  as text "some words"' in str(region_of(*run, "text"))
    assert all(len(line) <= 79 for line in region_lines(bytes(range(256)) * 8, "u64"))
    assert "  ... 1792 more ..." in region_lines(bytes(2048), "u8")
    matrix = region_lines(np.arange(6, dtype=np.int16).tobytes(), "s16", (2, 3))
    assert matrix == ["  0 1 2", "  3 4 5"]
    assert lane_values(ShadowBytes(bytes([165] * 8), bytes([0, 0, 0, 0, 1, 0, 0, 0])), "s32") == ["--", "0x------a5"]


def test_addresses_as_they_are_written(run: tuple[ns.Machine, ns.Trace]) -> None:
    machine, trace = run
    walk, c = TraceCursor(trace), machine.memory.buffer("c").address
    for text, offset in (("c", 0), (" c + 16 ", 16), ("c+0x10", 16), (hex(c + 4), 4), (str(c + 5), 5), ("x1", 0),
                         ("x1 + 3", 3)):
        assert address_of_text(text, walk) == c + offset
    for text, words in (("q", "is neither a region nor a general register of this run (regions: a, c, text, big"),
                        ("c +", "is not an address. Write 4096, 0x1000"),
                        ("0x10", "0x10 is not in any region of this run"),
                        ("c - 1", "is not in any region"), ("x9", "x9 has not been written yet"),
                        ("", "is not an address")):
        with pytest.raises(ns.BadArgument) as caught:
            address_of_text(text, walk)
        assert words in str(caught.value), text


def test_a_page_learns_what_the_trace_knows(run: tuple[ns.Machine, ns.Trace]) -> None:
    trace = run[1]
    header, columns = split(payload(trace))
    assert {b["name"]: (b["type"], b["typed"], b["columns"]) for b in header["buffers"]} == {
        "a": ("s32", True, 16), "c": ("u32", False, 4), "text": ("u8", False, 16)}
    starts = np.cumsum([0, *(b["nbytes"] for b in header["buffers"])])
    state = {"learned": columns["registers_known"].copy(), "memory_learned": columns["known"].copy()}
    for step in range(trace.steps + 1):
        for prefix, known in state.items():
            rows = (columns[f"{prefix}_{field}"] for field in ("step", "at", "bytes", "known"))
            for at, first, count, value in zip(*rows, strict=True):
                if at == step and step:
                    known[first:first + count] = value
        there = trace.knowledge.cursor_at(step)
        assert state["learned"].tobytes() == b"".join(there.registers[name] for name in trace.locations), step
        for buffer, start in zip(header["buffers"], starts, strict=False):
            known = state["memory_learned"][start:start + buffer["nbytes"]]
            assert known.tobytes() == bytes(there.memory[buffer["name"]])
