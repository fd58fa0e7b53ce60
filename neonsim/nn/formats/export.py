"""Which file a graph can become: a writer for each ending."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

from neonsim.common.fileio import check_file, write_file
from neonsim.errors import BadArgument, ModelError
from neonsim.nn.formats.npz import npz_bytes
from neonsim.nn.formats.onnx.write import onnx_bytes
from neonsim.nn.formats.tflite.write import tflite_bytes
from neonsim.nn.graph import Graph
from neonsim.nn.graph.quantize.quantize import calibrate_run

__all__ = ["WRITERS", "check_writable", "write_graph"]

WRITERS: dict[str, Callable[[Graph], bytes]] = {".npz": npz_bytes, ".tflite": tflite_bytes, ".onnx": onnx_bytes}


def _writer(path: str | Path) -> Callable[[Graph], bytes]:
    ending = Path(path).suffix.lower()
    if ending not in WRITERS:
        raise BadArgument(f"{path} is none of {', '.join(WRITERS)}. Its name must end in a format.")
    return WRITERS[ending]


def write_graph(graph: Graph, path: str | Path) -> Path:
    """Write a graph as what the file's name says; returns the path.

    .npz      any graph: `read_npz` gives it back
    .tflite   floats, and flows tflite, shift-only and 16x8: LiteRT gives their bytes; where it cannot, a warning
              names the node
    .onnx     floats, and flow onnxruntime: pairs of QuantizeLinear and DequantizeLinear; ONNX Runtime gives its
              bytes (M34)

    Raises BadArgument for another ending, ModelError for an operator that such a file has no word for.
    """
    return write_file(path, _writer(path)(graph))


def check_writable(graph: Graph, flow: str, path: str | Path) -> None:
    """Whether what a flow makes of a graph of floats could be written there: asked before it is calibrated.

    Raises BadArgument and ModelError as `write_graph` would, and as the flow for operators that it does not take.
    """
    write, trial = _writer(path), calibrate_run(graph, flow)
    try:
        with warnings.catch_warnings():     # of ranges that are made up
            warnings.simplefilter("ignore")
            write(trial)
    except ModelError as problem:
        raise ModelError(f"flow {flow} cannot be written as {Path(path).suffix}: {problem} Files: .npz of any flow, "
                         ".tflite of tflite, shift-only and 16x8, .onnx of onnxruntime.") from None
    check_file(path)
