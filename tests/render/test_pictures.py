from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim.arm.machine.arch.register_names import lane_values, signed_sums
from neonsim.render import (
    Picture,
    lanes_picture,
    packing_picture,
    registers_picture,
    step_picture,
    still_picture,
)
from neonsim.render.svg import Drawing
from neonsim.ukernel.packing import GemmLayout

SMLAL_STEP = 6


def words(picture: Picture) -> list[str]:
    """The text of a picture, in order; parsing it is also the test that it is well-formed."""
    return [node.text or "" for node in ET.fromstring(str(picture)).iter("{http://www.w3.org/2000/svg}text")]


def test_lanes_without_values(dot: ns.Trace) -> None:
    picture = lanes_picture(dot.program.instructions[6], isa="aarch64")
    text = words(picture)
    assert text[0] == "smlal v16.4s, v1.4h, v0.h[2]"
    assert sum(line.startswith("v16.s[") for line in text) == 4
    assert picture.svg == str(picture) and "smlal" in repr(picture)


def test_lanes_of_a_step_show_its_numbers(dot: ns.Trace) -> None:
    before, after = dot.state(SMLAL_STEP), dot.state(SMLAL_STEP + 1)
    n, m = (int.from_bytes(before[name][k:k + 2], "little", signed=True) for name, k in (("v1", 6), ("v0", 4)))
    old, new = (int.from_bytes(state["v16"][12:16], "little", signed=True) for state in (before, after))
    assert new == old + n * m
    text = words(step_picture(dot, SMLAL_STEP, names={"vacc": ("v16",)}, select=3))
    formula = next(line for line in text if line.startswith("v16.s[3]"))
    assert formula.endswith(f" = {new}")
    for number in (old, n, m):
        assert (f"({number})" if number < 0 else str(number)) in formula
    assert "vacc v16 s32" in text


@pytest.mark.parametrize(("options", "message"), [
    ({"lane0": "up"}, "lane0 must"), ({"select": 4}, "result lane 0..3")], ids=["lane0", "select"])
def test_lanes_refuse(dot: ns.Trace, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ns.BadArgument, match=message):
        lanes_picture(dot.program.instructions[6], isa="aarch64", **options)


def test_lanes_of_a_branch(dot: ns.Trace) -> None:
    with pytest.raises(ns.BadArgument, match="moves no lanes"):
        lanes_picture(dot.program.instructions[9], isa="aarch64")


def test_step_outside_the_trace(dot: ns.Trace) -> None:
    with pytest.raises(ns.BadArgument, match="step 99 is not in this trace"):
        step_picture(dot, 99)


def test_registers_snapshot(dot: ns.Trace, tmp_path: Path) -> None:
    state = dot.state(dot.steps)
    picture = registers_picture(state, ["v16", "x2", "nzcv"], isa="aarch64", types={"v16": "s32"}, before=dot.state(0),
                                names={"v16": "<sum>"})
    text = words(picture)
    lanes = [str(int.from_bytes(state["v16"][k:k + 4], "little", signed=True)) for k in (12, 8, 4, 0)]
    positions = [text.index(lane) for lane in lanes]
    assert len(positions) == 4 and set(lanes) <= set(text)
    assert "<sum>" in text and "0" in text and "n=0  z=1  c=1  v=0" in text
    assert picture.save(tmp_path / "r.svg").read_text() == str(picture)


@pytest.mark.parametrize(("registers", "options", "message"), [
    (["v99"], {}, "no register 'v99'"), (["v0"], {"types": "s7"}, "not an element type"),
    (["v0"], {"lane0": ""}, "lane0")],
    ids=["register", "type", "lane0"])
def test_registers_refuse(dot: ns.Trace, registers: list[str], options: dict[str, Any], message: str) -> None:
    with pytest.raises(ns.BadArgument, match=message):
        registers_picture(dot.state(0), registers, isa="aarch64", **options)


@pytest.mark.parametrize("layout", [GemmLayout(n=8, k=16, nr=8, kr=2, sr=8), GemmLayout(n=6, k=5, nr=8)],
                         ids=["swizzled", "padded_columns"])
def test_packing_says_where_each_depth_lies(layout: GemmLayout) -> None:
    text = words(packing_picture(layout, max_groups=100))
    depths = [word for word in text if word.isdigit()]
    assert sorted(map(int, depths)) == sorted(k for k in range(layout.k) for _ in range(layout.n))
    assert text.count("bias") == layout.n


def test_packing_refuses_a_block() -> None:
    with pytest.raises(ns.BadArgument, match="no block 3"):
        packing_picture(GemmLayout(n=8, k=4, nr=8), block=3)


def test_pictures_have_both_themes(dot: ns.Trace) -> None:
    svg = str(step_picture(dot, SMLAL_STEP))
    assert "prefers-color-scheme:dark" in svg and 'fill="#ffffff"' in svg and 'role="img"' in svg


PAIRS = """vld1.8 {d0}, [r0]
vld1.32 {q8}, [r1]
vorr q9, q8, q8
vmull.u8 q2, d0, d0
vpadal.u16 q8, q2
vpadal.u16 q9, q2
vqrdmulh.s32 q8, q8, q8
vmin.u32 q9, q9, q9
vqrdmulh.s32 q9, q9, q9
bx lr"""


def test_sums_that_the_program_takes_as_signed_are_shown_signed() -> None:
    """An instruction for unsigned numbers adds to them: the bits are the same."""
    program = ns.assemble(PAIRS, isa="aarch32")
    assert signed_sums(program) == {("q8", "u32")}
    machine = ns.Machine(isa="aarch32")
    bytes_, sums = np.arange(8, dtype=np.uint8), np.array([-5, -6, 7, 8], np.int32)
    trace = machine.call(program, *map(machine.memory.place, (bytes_, sums)), trace=True).trace
    signed, unsigned = (words(step_picture(trace, step)) for step in (4, 5))
    assert "q8 s32" in signed and "-5" in signed and "q9 u32" in unsigned and "4294967291" in unsigned
    assert any(line == "q8.s32[0] = q8.s32[0] + (u32(q2.u16[0]) + u32(q2.u16[1])) = (-5) + (0 + 1) = -4"
               for line in signed), signed


def test_still_picture_of_a_stepper(dot: ns.Trace) -> None:
    start = words(still_picture(dot, 0, title="dot"))
    assert start[0] == "dot: step 0 of 20" and "16          b.ne    loop" in start
    picture = still_picture(dot, SMLAL_STEP + 1, names={"vacc": ("v16",)})
    text = words(picture)
    assert text[0] == "step 7 of 20" and text[2].startswith("smlal v16.4s, v1.4h, v0.h[2]   Multiply long")
    lanes = reversed(lane_values(dot.state(SMLAL_STEP + 1)["v16"], "s32"))
    row = next(line for line in text if line.startswith("v16"))
    assert row.split() == ["v16", "vacc", "s32", *lanes]
    assert [line.split()[:2] for line in text if line.startswith("x0")] == [["x0", "u64"]]
    marked = re.findall(r'<rect [^>]*class="nsp-(read|write)"', picture.svg)
    assert sorted(marked) == ["read", "read", "write", "write"], "the line, what it wrote, what it read"
    assert len(picture.svg) < 8000 and picture.description == "step 7 of 20; 13          smlal   v16.4s, v1.4h, v0.h[2]"


def test_still_picture_cuts_what_is_long() -> None:
    many = "\n".join(f"        movi v{k}.4s, #{k}        // the number {k}, {'which is long ' * 4}"
                     for k in (*range(8), *range(16, 32)))
    trace = ns.Machine(isa="aarch64").call(ns.assemble(f"{many}\n ret", isa="aarch64"), trace=True).trace
    text = words(still_picture(trace, 17))
    lines, registers = (sum(bool(re.match(kind, line)) for line in text) for kind in (r" ?\d+  ", r"v\d|x\d"))
    assert (lines, registers) == (16, 18) and any(line.startswith("v24 ") for line in text)
    assert max(map(len, text)) <= 104


def test_spaces_are_kept() -> None:
    """Browsers take that from an element of text alone."""
    drawing = Drawing()
    for text in ("one two", "1    x", " x"):
        drawing.text(0, 0, text)
    assert ["preserve" in part for part in drawing.parts] == [False, True, True]
