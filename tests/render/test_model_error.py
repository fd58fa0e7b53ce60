"""The picture of the models' error: every loop is in it, with its number, and bars point the right way."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from neonsim.arm.timing.validation.published_loops import ANCHORS, AnchorRow, Anchors
from neonsim.errors import BadArgument
from neonsim.render.pictures.networks.model_error import HALF, ZERO, evidence


def rows() -> Anchors:
    """One too slow by half, one too fast by a tenth, one that llvm-mca has as well."""
    found = []
    for anchor, factor, llvm in zip((a for a in ANCHORS if a.unit != "instructions a cycle"), (1.5, 0.9, 1.02),
                                    (None, None, 3.0), strict=False):
        found.append(AnchorRow(anchor, factor * anchor.measured, llvm and llvm * anchor.measured))
    return Anchors(tuple(found))


def test_all_numbers_are_in_it() -> None:
    picture = evidence(rows(), without=["cortex-z9"])
    words = [node.text for node in ET.fromstring(picture.svg).iter() if node.text]
    assert {"+50.0 %", "-10.0 %", "+2.0 %", "+200 %"} <= set(words)
    assert any("cortex-z9" in word for word in words)
    assert "cortex-a53: 20.7 % over 3 loops" in picture.description


def test_bars() -> None:
    """Too slow to the right of the middle, too fast to the left; what is too long ends."""
    bars = [node.attrib for node in ET.fromstring(evidence(rows()).svg).iter()
            if node.attrib.get("class") in ("nsp-mark-0", "nsp-line-1")]
    ends = [(float(bar["x"]), float(bar["x"]) + float(bar["width"])) for bar in bars]
    assert ends[0] == (ZERO, ZERO + HALF) and ends[3] == (ZERO, ZERO + HALF)
    assert ends[1][1] == ZERO and ends[1][0] == pytest.approx(ZERO - HALF / 5)


def test_nothing_to_draw() -> None:
    with pytest.raises(BadArgument, match="no published loop to draw"):
        evidence(Anchors(()))
