from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

import neonsim as ns
from neonsim.packing import GemmLayout
from neonsim.render import Picture, lanes_picture, packing_picture, registers_picture, step_picture

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
    ({"lane0": "up"}, "lane0 is"), ({"select": 4}, "result lane 0..3")], ids=["lane0", "select"])
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
    (["v99"], {}, "no register 'v99'"), (["v0"], {"types": "s7"}, "no element type"), (["v0"], {"lane0": ""}, "lane0")],
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
