"""The page that shows one body in seven readings is what the readings give."""

from __future__ import annotations

from docs.website.readings import PAGE, parts, written
from neonsim.quant.rounding import ROUNDINGS


def test_the_page_is_as_it_is_written() -> None:
    page = PAGE.read_text("utf-8")
    assert written(page) == page, "python -m docs.website.readings"


def test_every_rounding_by_a_multiplier_has_seven_readings() -> None:
    for row in ROUNDINGS.values():
        if row.fixed:
            assert len(parts(row)) == 8, "the body, and seven readings"
