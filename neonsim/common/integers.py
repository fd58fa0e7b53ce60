"""Integers that callers hand over: what counts as one, and the words in which others are refused."""

from __future__ import annotations

from typing import Any

from neonsim.common.terminal import short_repr
from neonsim.errors import BadArgument

__all__ = ["as_int", "is_int"]

def is_int(value: Any) -> bool:
    """Return whether a value is an integer: an int, a numpy integer, or an integer array without axes. True is none.

    >>> import numpy as np
    >>> is_int(3), is_int(np.uint8(3)), is_int(np.array(3)), is_int(3.0), is_int(True)
    (True, True, True, False, False)
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return True
    # Of numpy, which is not imported here: the C library is built without it.
    kind = getattr(getattr(value, "dtype", None), "kind", "")
    return getattr(value, "ndim", None) == 0 and kind in ("i", "u")


def as_int(value: Any, name: str, low: int, high: int | None = None) -> int:
    """``value`` as a Python int within low..high (from low up if there is no high).

    Raises BadArgument, which says what it is.

    >>> import numpy as np
    >>> as_int(np.uint8(3), "threads", 1, 8)
    3
    """
    # The first word is for what is called a hundred thousand times a second.
    number = value if type(value) is int else int(value) if is_int(value) else None
    if number is None or number < low or (high is not None and number > high):
        an = "an integer " if number is None else ""
        within = f"{an}in {low}..{high}" if high is not None else f"{an}of {low} or more" if an else f"{low} or more"
        raise BadArgument(f"{name} must be {within}; got {short_repr(value if number is None else number)}.")
    return number
