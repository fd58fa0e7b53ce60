"""Files of other people's networks.

    model = neonsim.load_model("person_detect.tflite")      or .onnx; packages: pip install 'neonsim[models]'
    model.run(image)                                        arrays in the file's types and shapes
    write_tflite(graph, "mine.tflite")                      a graph of ours as such a file

    record   what a file says: tensors and nodes        tflite   reading .tflite        onnx   reading .onnx
    lowering a record to a graph of our operators       model    running it
    report   how each part runs                         images   pictures in, classes out
    arithmetic   whose rules                             arrays   .npy and .npz
    outputs      a list of arrays that shows itself
"""

from __future__ import annotations

from neonsim.formats.arithmetic import ARITHMETICS
from neonsim.formats.images import Answer, answers, image_for
from neonsim.formats.model import SUFFIXES, Model, load_model
from neonsim.formats.outputs import Outputs
from neonsim.formats.write_tflite import tflite_bytes, write_tflite

__all__ = ["ARITHMETICS", "SUFFIXES", "Answer", "Model", "Outputs", "answers", "image_for", "load_model",
           "tflite_bytes", "write_tflite"]
