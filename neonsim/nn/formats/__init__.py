"""Files of other people's networks.

    model = neonsim.load_model("person_detect.tflite")      or .onnx; packages: pip install 'neonsim[models]'
    model.run(image)                                        arrays in the file's types and shapes
    write_tflite(graph, "mine.tflite")                      a graph of ours as such a file; write_onnx
    write_npz(graph, "mine.npz")                            as it is, any of them: read_npz("mine.npz")

    record   what a file says: tensors and nodes        tflite   reading .tflite        onnx   reading .onnx
    lowering a record to a graph of our operators       model    running it
    report   how each part runs                         images   pictures in, classes out
    arithmetic   whose rules                             arrays   .npy and .npz
    outputs      a list of arrays that shows itself          npz      our graphs as they are
    writing      which file a graph can become
"""

from __future__ import annotations

from neonsim.common.argument_types import check_arguments
from neonsim.nn.formats.export import WRITERS, check_writable, write_graph
from neonsim.nn.formats.images import ClassScore, answers, image_for
from neonsim.nn.formats.model import SUFFIXES, Model, load_model
from neonsim.nn.formats.npz import npz_bytes, read_npz, write_npz
from neonsim.nn.formats.onnx.write import onnx_bytes, write_onnx
from neonsim.nn.formats.outputs import Outputs
from neonsim.nn.formats.tflite.write import tflite_bytes, write_tflite
from neonsim.quant.requant.runtimes import ARITHMETICS

__all__ = ["ARITHMETICS", "SUFFIXES", "WRITERS", "ClassScore", "Model", "Outputs", "answers", "check_writable",
           "image_for",
           "load_model", "npz_bytes", "onnx_bytes", "read_npz", "tflite_bytes", "write_graph", "write_npz",
           "write_onnx", "write_tflite"]

check_arguments(globals(), "Model")
