from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from typing import Any

import pytest

from neonsim.arm.timing import InstructionStream, StaticInstruction, Timing, load_core
from neonsim.arm.timing.counts import count_stream
from neonsim.arm.timing.simulation import simulate
from neonsim.errors import BadArgument
from neonsim.render import timeline_picture, timing_page

SVG = "{http://www.w3.org/2000/svg}"


def loop(core: str, iterations: int = 4) -> Timing:
    ops = [StaticInstruction("ld1_1", "ld1 {v0.8b}, [x0], #8", "d", 8, False, (("base", "x0"),),
                             (("t", "v0"), ("base", "x0")), 8),
           StaticInstruction("asimd_shift_long", "uxtl v0.8h, v0.8b", "q", 8, False, (("n", "v0"),), (("d", "v0"),)),
           StaticInstruction("asimd_mla_long", "smlal v16.4s, v1.4h, v0.h[0] <&>", "q", 16, True,
                             (("a", "v16"), ("n", "v1"), ("m", "v0")), (("d", "v16"),), 0, 4),
           StaticInstruction("branch", "b.ne loop")]
    stream, model = InstructionStream.of_ops(ops, iterations=iterations, name="three lines"), load_core(core)
    return Timing(model, stream, simulate(stream, model), count_stream(stream))


@pytest.mark.parametrize("core", ["cortex-a53", "cortex-a72"])
def test_bars_are_the_cycles(core: str) -> None:
    timing = loop(core)
    titles = [node.text or "" for node in ET.fromstring(str(timeline_picture(timing))).iter(f"{SVG}title")]
    issues = [tuple(map(int, re.findall(r"cycle (\d+)", text))) for text in titles if text.startswith("issues")]
    assert issues == list(zip(timing.run.issue, timing.run.completion, strict=True))
    waits = [tuple(map(int, re.findall(r"\d+", text)[:2])) for text in titles if text.startswith("waits")]
    assert waits == [(start, issue - 1) for start, issue in zip(timing.run.start, timing.run.issue, strict=True)
                     if issue > start]


def test_part_of_a_run() -> None:
    text = [node.text or "" for node in ET.fromstring(str(timeline_picture(loop("cortex-a53"), first=4, count=2)))
            .iter(f"{SVG}text")]
    assert [line.split()[0] for line in text if re.match(r" +\d+  ", line)] == ["4", "5"]
    assert "three lines on cortex-a53: cycles (modelled)" in text


@pytest.mark.parametrize(("options", "message"), [
    ({"first": 16}, "one of the 16 executed instructions"), ({"count": 0}, "count must be"),
    ({"count": 400}, "modelled cycles; the limit for drawing is 400"),
], ids=["first", "count", "too_long"])
def test_timeline_refuses(options: dict[str, Any], message: str) -> None:
    with pytest.raises(BadArgument, match=message):
        timeline_picture(loop("cortex-a53", 200 if "count" in options else 4), **options)


def test_page_of_a_timing() -> None:
    timing = loop("cortex-a72", 300)
    text = timing_page(timing)
    assert f"Modelled: {timing.cycles} cycles" in text and "&lt;&amp;&gt;" in text and "<script" not in text
    assert "every access hits L1" in text
    for reason, slots in timing.slots.items():
        assert f"<td>{reason}</td><td>{slots}</td>" in text
