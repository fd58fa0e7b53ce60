"""Networks of which parts died in training, written: LiteRT and ONNX Runtime give the bytes of the flows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from neonsim.nn.formats import write_graph
from neonsim.nn.graph import quantize
from tests.needs import needs
from tests.nn.graph.test_dead_channels import dead, images
from tests.tiers import every

needs("tflite", "onnx", install="pip install 'neonsim[models]'")


@pytest.mark.parametrize("size", every(3, (0.0, 1e-8, 1e-12)))
@pytest.mark.parametrize("flow", ["tflite", "shift-only", "16x8", "onnxruntime"])
def test_runtimes_have_the_bytes(flow: str, size: float, tmp_path: Path) -> None:
    made = quantize(dead(1, size), flow, calibration=images(1))
    path = tmp_path / ("made.onnx" if flow == "onnxruntime" else "made.tflite")
    write_graph(made, path)
    plan, native = made.plan("reference"), made.plan(("native", "reference"))
    if flow == "onnxruntime":
        from tests.nn.formats.test_write_onnx import runtime as sessions
        run = sessions(path)
    else:
        pytest.importorskip("ai_edge_litert", reason="needs a package: pip install ai-edge-litert")
        from tests.nn.formats.test_flows import runtime

        def run(x: Any) -> Any:
            return runtime(path, x)
    for x in images(2, 3):
        for theirs, ours, again in zip(run(x), plan.run(x), native.run(x), strict=True):
            assert theirs.tobytes() == ours.tobytes() == again.tobytes()
