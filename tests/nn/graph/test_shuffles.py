"""Channel shuffles in networks, by every family's kernels: bytes where the definition puts them."""

from __future__ import annotations

import numpy as np
import pytest

from neonsim.nn.backends.native import library
from neonsim.nn.backends.native.network import families
from neonsim.nn.graph import Graph, random_input
from neonsim.nn.ops.quantized.channels import ChannelShuffle
from neonsim.quant import Scheme

MISSING = library.available()
HERE = [] if MISSING else [name for name, lacks in families().items() if lacks is None]


@pytest.mark.skipif(MISSING is not None, reason=str(MISSING))
@pytest.mark.parametrize("family", HERE)
def test_shuffles(family: str) -> None:
    """Below, at and beyond sixteen channels of a group; several tasks, and what is left over."""
    for groups in (2, 3, 4, 5):
        for channels in (15, 16, 17, 48):
            x = Scheme(0.1, 3, "uint8")
            graph = Graph("shuffled", (2, 9, 13, groups * channels), x)
            graph.finish(graph.add_node("shuffle", ChannelShuffle(x, groups=groups), "input"))
            given = random_input(graph, channels)
            wanted = given.values.reshape(2, 9, 13, groups, channels).swapaxes(3, 4).reshape(2, 9, 13, -1)
            for threads in (1, 2):
                made = graph.plan("native", family=family).run(given, threads).values
                assert np.array_equal(made, wanted), (groups, channels, threads)
