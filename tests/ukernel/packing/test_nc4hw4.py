"""NC4HW4: the formula of its offsets, and what is refused."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from neonsim.errors import BadArgument
from neonsim.ukernel.packing import nc4hw4_bytes, nc4hw4_offset, to_nc4hw4


@pytest.mark.parametrize("channels", range(1, 14))
@pytest.mark.parametrize("dtype", ["int8", "float32"])
def test_where_each_element_lies(channels: int, dtype: str) -> None:
    """Every element lies where the formula says; the rest is the fill."""
    shape = (2, 3, 5, channels)
    x = (np.arange(np.prod(shape)) % 100 + 1).reshape(shape).astype(dtype)
    made = to_nc4hw4(x, fill=-7)
    assert made.dtype == dtype and made.nbytes == nc4hw4_bytes(shape, made.itemsize) and made.flags.c_contiguous
    flat = made.reshape(-1)
    at = {nc4hw4_offset(shape, *where): x[where] for where in np.ndindex(*shape)}
    assert len(at) == x.size and all(flat[offset] == value for offset, value in at.items())
    assert (np.delete(flat, list(at)) == -7).all()


@pytest.mark.parametrize(("call", "said"), [
    (lambda: to_nc4hw4(np.zeros((2, 3))), r"an image must be \[batch, height, width, channels\]"),
    (lambda: to_nc4hw4(np.zeros((1, 2, 2, 0))), "all sizes at least 1")])
def test_refusals(call: Callable[[], object], said: str) -> None:
    with pytest.raises(BadArgument, match=said):
        call()
