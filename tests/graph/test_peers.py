"""The libraries that `neonsim bench --peers` measures compute the same networks as ours, whatever form they get."""

from __future__ import annotations

import numpy as np
import pytest

from neonsim.cli.bench_native import SETS
from neonsim.cli.peers import peers
from neonsim.errors import BackendError
from neonsim.graph import Graph, random_input

pytestmark = pytest.mark.full


def shifted(values: np.ndarray) -> np.ndarray:
    return (values.view(np.uint8) ^ np.uint8(0x80) if values.dtype == np.int8 else values).astype(int)


@pytest.mark.parametrize("quantization", ["qu8", "qc8w"])
@pytest.mark.parametrize("what", sorted(SETS))
def test_peers_agree(what: str, quantization: str) -> None:
    """One operator differs by a rounding at most; whole networks of random weights drift a little further."""
    found, missing = peers(quantization)
    if not found:
        pytest.skip("; ".join(missing))
    graphs: list[Graph] = SETS[what](quantization)
    for graph in graphs:
        x = random_input(graph)
        ours = shifted(graph.plan("native").run(x).values)
        for peer in found:
            ready = peer.prepare(graph, x, 1)
            ready.run()
            theirs = ready.result().astype(int)
            assert theirs.shape == ours.shape, (graph.output, peer.name)
            assert np.ptp(theirs) > 50, (graph.output, peer.name)
            assert np.abs(theirs - ours).max() <= (4 if what == "network" else 1), (graph.output, peer.name)


def test_what_a_peer_does_not_take() -> None:
    """Other operators and limits are refused, in words."""
    found, missing = peers("qu8")
    if not found:
        pytest.skip("; ".join(missing))
    from neonsim.graph import squeezenet
    graph = squeezenet(64)
    for peer in found:
        with pytest.raises(BackendError, match=r"not given|padding|limits"):
            peer.prepare(graph, random_input(graph), 1)
