"""NC4HW4: there and back, the formula of its offsets, and what is refused."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from neonsim.errors import BadArgument
from neonsim.ukernel.packing import fours_bytes, fours_table, from_nc4hw4, nc4hw4_offset, to_nc4hw4


@pytest.mark.parametrize("channels", range(1, 14))
@pytest.mark.parametrize("dtype", ["int8", "float32"])
def test_there_and_back(channels: int, dtype: str) -> None:
    """Every element lies where the formula says; the rest is the fill."""
    shape = (2, 3, 5, channels)
    x = (np.arange(np.prod(shape)) % 100 + 1).reshape(shape).astype(dtype)
    made = to_nc4hw4(x, fill=-7)
    assert made.dtype == dtype and made.nbytes == fours_bytes(shape, made.itemsize) and made.flags.c_contiguous
    flat = made.reshape(-1)
    at = {nc4hw4_offset(shape, *where): x[where] for where in np.ndindex(*shape)}
    assert len(at) == x.size and all(flat[offset] == value for offset, value in at.items())
    assert (np.delete(flat, list(at)) == -7).all()
    assert np.array_equal(from_nc4hw4(made, channels), x)


def test_a_view() -> None:
    assert fours_table((2, 1, 1, 5)).splitlines() == [
        "image 0 slice 0   (0,0) c0 c1 c2 c3", "image 0 slice 1   (0,0) c4  -  -  -",
        "image 1 slice 0   (0,0) c0 c1 c2 c3", "image 1 slice 1   (0,0) c4  -  -  -"]


@pytest.mark.parametrize(("call", "said"), [
    (lambda: to_nc4hw4(np.zeros((2, 3))), r"an image is \[batch, height, width, channels\]"),
    (lambda: to_nc4hw4(np.zeros((1, 2, 2, 0))), "none of them 0"),
    (lambda: from_nc4hw4(np.zeros((1, 1, 2, 2, 3)), 3), r"NC4HW4 is \[batch, slices, height, width, 4\]"),
    (lambda: from_nc4hw4(np.zeros((1, 2, 2, 2, 4)), 4), "2 slices of four hold 5 to 8 channels; got 4"),
    (lambda: from_nc4hw4(np.zeros((1, 2, 2, 2, 4)), True), "got True"),
    (lambda: fours_table((1, 224, 224, 3)), "take a smaller image")])
def test_refusals(call: Callable[[], object], said: str) -> None:
    with pytest.raises(BadArgument, match=said):
        call()
