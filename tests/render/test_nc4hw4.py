"""The picture of NC4HW4: what it shows is what the layout says."""

from __future__ import annotations

import re
import xml.etree.ElementTree as tree

import numpy as np
import pytest

from neonsim.errors import BadArgument
from neonsim.render import nc4hw4_picture
from neonsim.ukernel.packing import to_nc4hw4


@pytest.mark.parametrize(("h", "w", "c"), [(2, 3, 6), (1, 1, 1), (3, 2, 3), (2, 2, 8)])
def test_every_element_is_where_it_lies(h: int, w: int, c: int) -> None:
    """Read back from the titles: three layouts, elements in order."""
    svg = str(nc4hw4_picture(h, w, c, pixel=0))
    tree.fromstring(svg)
    found = re.findall(r"element (\d+): (filled up|pixel \d+, channel \d+)", svg)
    image = np.arange(h * w * c).reshape(1, h, w, c)
    for wanted in (image, image.transpose(0, 3, 1, 2), to_nc4hw4(image, -1)):
        flat = wanted.reshape(-1).tolist()
        part, found = found[:len(flat)], found[len(flat):]
        assert part == [(str(i), "filled up" if one < 0 else f"pixel {one // c}, channel {one % c}")
                        for i, one in enumerate(flat)]
    assert not found


def test_what_is_not_drawn() -> None:
    with pytest.raises(BadArgument, match="200 elements; the limit for drawing is 192"):
        nc4hw4_picture(5, 10, 3)
    with pytest.raises(BadArgument, match="pixel"):
        nc4hw4_picture(2, 2, 2, pixel=4)
