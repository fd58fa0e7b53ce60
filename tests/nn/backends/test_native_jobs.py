"""The one entry for any contract: what it refuses, and that threads change nothing."""

from __future__ import annotations

import numpy as np
import pytest

from neonsim.errors import BackendError, BadArgument
from neonsim.nn.backends.native import backend
from neonsim.nn.ops import Conv2d, SoftArgmax
from neonsim.quant import Quantized, Scheme

pytestmark = pytest.mark.skipif(backend.available() is not None, reason=f"native backend: {backend.available()}")


def test_arguments_are_checked_as_far_as_they_can_be() -> None:
    data, largest = np.arange(9, dtype=np.uint8), np.zeros(1, np.uint8)
    good = np.array([[9, data.ctypes.data, largest.ctypes.data]], np.uint64)
    backend.call("u8_rmax_1x__scalar", good)
    assert largest[0] == 8
    backend.call("u8_rmax_1x__scalar", good[:0])
    with pytest.raises(BadArgument, match="contiguous uint64"):
        backend.call("u8_rmax_1x__scalar", good.astype(np.int64))  # the wrong type on purpose
    with pytest.raises(BadArgument, match="contiguous uint64"):
        backend.call("u8_rmax_1x__scalar", np.zeros((2, 6), np.uint64)[:, ::2])
    with pytest.raises(BadArgument, match="out of range"):
        backend.call("u8_rmax_1x__scalar", np.zeros((1, 4), np.uint64))
    with pytest.raises(BackendError, match="no variant"):
        backend.call("nobody", good)


@pytest.mark.parametrize("threads", [1, 2, 7, 300])
def test_threads_change_nothing(threads: int) -> None:
    rng = np.random.default_rng(threads)
    x = Quantized(rng.integers(0, 256, (2, 9, 8, 12), dtype=np.uint8), 0.05, 7)
    w = Quantized(rng.integers(0, 256, (12, 5, 5, 1), dtype=np.uint8), 0.1, 120)
    for operator in (Conv2d(x.scheme, w, out=Scheme(3.0, 99), groups=12, padding=2), SoftArgmax(x.scheme)):
        plan = operator.plan(x.shape, backend="native")
        for _ in range(3):
            np.testing.assert_array_equal(plan.run(x, threads=threads).values, operator.reference(x.values))
