"""Which way round the lanes of a register are written: one answer for pages, pictures, terminal and printed values."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from neonsim.errors import BadArgument

__all__ = ["LANE0", "in_order"]

# As Arm's manual draws a register and as a number is written: the least significant lane is the last. The page has the
# same word (static/format.js). numpy arrays of lanes begin with lane 0, as memory does.
LANE0 = "right"
T = TypeVar("T")


def in_order(lanes: Iterable[T], lane0: str = LANE0) -> list[T]:
    """Lanes, given from lane 0 on, as they are written.

    lane0   where lane 0 stands: "right", or "left" as in memory and numpy

    Raises BadArgument for another word.
    """
    if lane0 not in ("left", "right"):
        raise BadArgument(f'lane0 must be "left" or "right"; got {lane0!r}')
    there = list(lanes)
    return there[::-1] if lane0 == "right" else there
