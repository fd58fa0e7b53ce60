"""A histogram with ranges below it: every number is in a bar, every range at its place, and in words."""

from __future__ import annotations

import re

import numpy as np
import pytest

from neonsim.errors import BadArgument
from neonsim.render import distribution_picture


def test_bars_hold_every_number_and_ranges_lie_where_they_reach() -> None:
    values = np.random.default_rng(0).normal(size=(50, 40))
    picture = distribution_picture(values, {"all": (values.min(), values.max()), "half": (-1.0, 0.5)}, "a tensor")
    bars, = re.findall(r'<path d="([^"]*)" class="nsp-mark-0"', picture.svg)
    wanted = np.histogram(values, 96)[0]
    heights = [236 - float(top) for top in re.findall(r"V([\d.]+)H", bars)]
    assert len(heights) == (wanted > 0).sum()
    scale = 190 / np.log10(wanted.max() * 1.25)
    for height, count in zip(heights, wanted[wanted > 0], strict=True):
        assert height == pytest.approx(scale * max(np.log10(count), 0.12), abs=0.06)
    assert "half -1 to 0.5" in picture.description and "2000 numbers" in picture.description
    (left, right), = re.findall(r'<path d="M([\d.]+) \d+H([\d.]+)" class="nsp-line-2"', picture.svg)
    low, high = values.min(), values.max()
    assert float(left) == pytest.approx(60 + 840 * (-1 - low) / (high - low), abs=0.1)
    assert float(right) == pytest.approx(60 + 840 * (0.5 - low) / (high - low), abs=0.1)


def test_what_cannot_be_drawn() -> None:
    assert "1 numbers of 0 to 0" in distribution_picture([0.0], {}, "zeros").description
    for values in ([], [np.nan], [np.inf, 1.0]):
        with pytest.raises(BadArgument, match="needs at least one finite number"):
            distribution_picture(values, {}, "none")
