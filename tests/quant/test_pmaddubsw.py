"""VPMADDUBSW modelled: at its edges, for all pairs of weights, and beside ONNX Runtime on a processor without VNNI."""

from __future__ import annotations

import itertools
import shutil
import subprocess
import sys

import numpy as np
import pytest

from neonsim.errors import BadArgument
from neonsim.quant.reference.pmaddubsw import exact_sums, pair_reach, pairs_that_fit, saturating_sums


def test_the_edges() -> None:
    """Sums at 32 767 and 32 768, and at -32 768 and -32 769."""
    for a, w, exact, wanted in (((255, 191), (127, 2), 32767, 32767), ((255, 11), (126, 58), 32768, 32767),
                                ((255, 255), (127, 127), 64770, 32767), ((255, 128), (-128, -1), -32768, -32768),
                                ((255, 129), (-128, -1), -32769, -32768), ((255, 255), (127, -128), -255, -255)):
        row, column = np.array([a], np.uint8), np.array([w], np.int8)
        assert exact_sums(row, column) == exact and saturating_sums(row, column) == wanted


@pytest.mark.parametrize("most", [255, 128])
def test_what_fits_is_what_no_row_can_leave(most: int) -> None:
    """A sum is largest or smallest where each byte is 0 or the largest: those are tried, for every pair of weights."""
    w = np.array(list(itertools.product(range(-128, 128), repeat=2)), np.int8)
    rows = np.array(list(itertools.product((0, most), repeat=2)), np.uint8)
    sums = exact_sums(rows, w)
    low, high = pair_reach(w, most)
    assert np.array_equal(low[:, 0], sums.min(0)) and np.array_equal(high[:, 0], sums.max(0))
    assert np.array_equal(pairs_that_fit(w, most)[:, 0], (saturating_sums(rows, w) == sums).all(0))


def test_odd_depths_are_refused() -> None:
    with pytest.raises(BadArgument, match="3 depths"):
        pair_reach(np.zeros((1, 3), np.int8))
    with pytest.raises(BadArgument, match="3 depths"):
        saturating_sums(np.zeros((1, 3), np.uint8), np.zeros((1, 3), np.int8))


_PRODUCT = """
import sys
import numpy as np, onnx, onnxruntime
from onnx import TensorProto as T, helper as h
data = np.load(sys.argv[1])
a, w = data["a"], data["w"]
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = 1
graph = h.make_graph([h.make_node("MatMulInteger", ["a", "w"], ["y"])], "one",
    [h.make_tensor_value_info("a", T.UINT8, a.shape)], [h.make_tensor_value_info("y", T.INT32, (len(a), len(w)))],
    [h.make_tensor("w", T.INT8, w.T.shape, w.T.tobytes(), raw=True)])
model = h.make_model(graph, opset_imports=[h.make_opsetid("", 13)])
model.ir_version = 8
np.save(sys.argv[2], onnxruntime.InferenceSession(model.SerializeToString(), options).run(None, {"a": a})[0])
"""


@pytest.mark.nightly
def test_onnxruntime_without_vnni(tmp_path) -> None:  # type: ignore[no-untyped-def]
    """Its bytes on a processor with AVX2 and no VNNI, which QEMU is: those of the model, where that saturates too."""
    pytest.importorskip("onnxruntime", reason="needs the packages onnx and onnxruntime")
    if shutil.which("qemu-x86_64") is None:
        pytest.skip("needs qemu-x86_64 (apt-get install qemu-user)")
    rng = np.random.default_rng(0)
    a = rng.integers(0, 256, (49, 256)).astype(np.uint8)
    w = np.concatenate([np.full((32, 256), 127), rng.integers(-128, 128, (32, 256)), rng.normal(0, 39, (32, 256)),
                        rng.laplace(0, 12, (32, 256))])
    w = np.clip(np.rint(w), -127, 127).astype(np.int8)
    np.savez(tmp_path / "data.npz", a=a, w=w)
    (tmp_path / "product.py").write_text(_PRODUCT)
    subprocess.run(["qemu-x86_64", "-cpu", "Haswell", sys.executable, "product.py", "data.npz", "sums.npy"],
                   cwd=tmp_path, check=True, timeout=300, capture_output=True)
    sums, exact = np.load(tmp_path / "sums.npy"), exact_sums(a, w)
    assert np.array_equal(sums, saturating_sums(a, w))
    assert (sums != exact).mean() > 0.5
