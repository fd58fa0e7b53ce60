"""The one-off-by-one debugger: two runs of a network differ in a byte. Where first, and why?

    explain_byte(model, x, "conv1:3,4,5")             how one element came about: terms, sum, rounding, the instruction
    explain_difference(model, x, a="tflite", b="xnnpack")    first layer and element that differ, and both ways there
    explain_difference(model, x, b="dump/")           the same against tensors of your own, a .npy each; and what was
                                                      done wrongly, where a known cause makes all of a layer
    count_differences(model, inputs, a=, b=)          histogram per layer over many inputs, and which rule explains it

    places         "layer:y,x,c" to a tensor and an index; of .onnx "layer:c,y,x": every array, shape and index is
                   the file's, here as in `Model.run`
    sides          who gives the bytes: the rules of a runtime, another file, a dump
    dump           tensors of a third-party run, from a folder or an archive
    element        one element: the operator that made it, from which numbers
    tile           the kernel, the tile and the instruction that write it
    explanation    all that as text, page and picture
    pairs          two sides of one network
    walk           layer by layer: what differs, counted
    why            what the difference of one element comes from
    causes         known causes: a layer with one thing done wrongly, in every way
    before         causes in layers that a dump does not hold
    graphs         a graph of ours as a network of a file
    differences    what was found, as text and table
"""

from __future__ import annotations

from neonsim.common.argument_types import check_arguments
from neonsim.verify.debugger.causes import Cause
from neonsim.verify.debugger.diff import count_differences, explain_difference
from neonsim.verify.debugger.diff_report import Differences, LayerDifference
from neonsim.verify.debugger.dump import Dump
from neonsim.verify.debugger.explain import Explanation, explain_byte

__all__ = ["Cause", "Differences", "Dump", "Explanation", "LayerDifference", "count_differences", "explain_byte",
           "explain_difference"]

check_arguments(globals())
