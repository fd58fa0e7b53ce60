"""One order of lanes: printed, drawn, and the page's word for it."""

from __future__ import annotations

import re

import numpy as np
import pytest

import neonsim as ns
from neonsim.arm.semantics.lane_order import LANE0, in_order
from neonsim.errors import BadArgument
from neonsim.render.pictures.registers import registers_picture
from neonsim.render.stepper.bundle import static_text


def test_the_page_has_the_same_default() -> None:
    assert f'export const LANE0 = "{LANE0}";' in static_text("format.js") and LANE0 == "right"


def test_both_ways_and_no_third() -> None:
    assert (in_order("abc"), in_order("abc", "left")) == (["c", "b", "a"], ["a", "b", "c"])
    with pytest.raises(BadArgument, match="lane0 must"):
        in_order("abc", "up")


def test_a_printed_register_says_its_lanes_in_the_order_of_its_number() -> None:
    machine = ns.Machine(isa="aarch64")
    machine.registers["v8"] = np.array([1, -2, 3, 4], np.int32)
    number, *_, words = str(machine.registers["v8"]).splitlines()
    assert number == "v8  0x" + "".join(f"{v % 2**32:08x}" for v in (4, 3, -2, 1))
    assert words.split() == ["s32", "[3..0]", "4", "3", "-2", "1"]
    assert str(machine.registers["h8"]).splitlines()[-1].split() == ["s16", "[0]", "1"]


@pytest.mark.parametrize(("lane0", "want"), [("right", [3, 2, 1, 0]), ("left", [0, 1, 2, 3])])
def test_a_picture_numbers_its_lanes(lane0: str, want: list[int]) -> None:
    state = {"v0": np.arange(10, 14, dtype=np.int32).tobytes()}
    svg = registers_picture(state, ["v0"], isa="aarch64", types="s32", lane0=lane0).svg
    drawn = sorted((float(x), int(text)) for x, text in re.findall(r'<text x="([\d.]+)"[^>]*>(\d+)</text>', svg))
    assert [text for _, text in drawn] == [n for lane in want for n in (lane, lane + 10)]
