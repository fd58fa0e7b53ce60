"""The libraries that `neonsim bench network --peers` measures compute the same networks as ours, in any form."""

from __future__ import annotations

import numpy as np
import pytest

from neonsim.bench.native import SETS
from neonsim.bench.peers.base import peers
from neonsim.errors import BackendError
from neonsim.nn.backends.native.network import families
from neonsim.nn.graph import Graph, random_input, random_inputs
from neonsim.nn.graph.models.float_builder import F32
from neonsim.nn.ops import Clamp
from neonsim.quant import Scheme

pytestmark = pytest.mark.nightly
# Without it libraries add pairs of products of uint8 and int8 in 16 bits, which saturate.
HAS_VNNI = any(families().get(name, "") is None for name in ("avxvnni", "avx512vnni"))


def shifted(values: np.ndarray) -> np.ndarray:
    return (values.view(np.uint8) ^ np.uint8(0x80) if values.dtype == np.int8 else values).astype(int)


@pytest.mark.parametrize("quantization", ["qu8", "qc8w"])
@pytest.mark.parametrize("what", sorted(SETS))
def test_peers_agree(what: str, quantization: str) -> None:
    """One operator differs by a rounding at most; whole networks of random weights drift a little further.

    PyTorch adds in floating point, which rounds other sums up, and random weights make much of it."""
    found, missing = peers(quantization)
    if not found:
        pytest.skip("; ".join(missing))
    for padding, graph in [(p, g) for p in ("same", "even") for g in SETS[what](quantization, p)]:
        x = random_input(graph)
        ours = shifted(graph.plan("native").run(x).values)
        for peer in found:
            if peer.name.startswith("torch") != (padding == "even"):
                continue
            if peer.name.startswith(("torch-fbgemm", "torch-x86")) and what == "dwconv":
                continue        # its 16-bit sums overflow: it wants weights of 7 bits
            try:
                ready = peer.prepare(graph, x, 1)
            except BackendError:
                # Means over windows and shuffles are not given to LiteRT; others are told by the test below.
                assert graph.name in ("shufflenet_v1", "inception_v3"), (graph.output, peer.name)
                assert peer.name.startswith(("litert", "torch")), (graph.output, peer.name)
                continue
            ready.run()
            theirs = ready.result().astype(int)
            assert theirs.shape == ours.shape, (graph.output, peer.name)
            assert np.ptp(theirs) > 50, (graph.output, peer.name)
            most = 1 if what != "network" else 32 if peer.name.startswith("torch") and graph.name.endswith("v2") else 4
            exact = HAS_VNNI or not peer.name.startswith(("onnxruntime", "openvino"))
            assert not exact or np.abs(theirs - ours).max() <= most, (graph.output, peer.name)
            assert np.corrcoef(theirs.ravel(), ours.ravel())[0, 1] > 0.97, (graph.output, peer.name)


@pytest.mark.parametrize("what", sorted(SETS))
def test_peers_of_real_numbers_agree(what: str) -> None:
    """Other orders of sums, and Winograd's algorithm: as near as float32 allows after some layers."""
    found, missing = peers(F32)
    if not found:
        pytest.skip("; ".join(missing))
    compared = 0
    for graph in SETS[what](F32, "same"):
        x = random_inputs(graph)[graph.inputs[0]]
        ours = graph.plan("native").run(x)
        for peer in found:
            try:
                ready = peer.prepare(graph, x, 1)
            except BackendError as problem:
                assert "one at a time" in str(problem) or "image" in str(problem), (graph.output, peer.name)
                continue
            ready.run()
            theirs = ready.result()
            assert theirs.shape == ours.shape, (graph.output, peer.name)
            assert abs(theirs - ours).max() < 1e-3 * abs(ours).max(), (graph.output, peer.name)
            compared += 1
    assert compared >= len(SETS[what](F32, "same")) * (len(found) - 1)


def test_what_a_peer_does_not_take() -> None:
    """Other operators and limits are refused, in words."""
    found, missing = peers("qu8")
    if not found:
        pytest.skip("; ".join(missing))
    x = Scheme(0.05, 3)
    graph = Graph("limited", (1, 6, 6, 4), x)
    graph.add_node("low", Clamp(x, output_min=3, output_max=127), "input")
    for peer in found:
        with pytest.raises(BackendError, match=r"not given|padding|limits"):
            peer.prepare(graph, random_input(graph), 1)
        if peer.name.startswith("torch"):
            with pytest.raises(BackendError, match="--padding even"):
                peer.prepare(SETS["dwconv"]("qu8", "same")[1], random_input(graph), 1)
