"""The words of `.tflite`: one row for each, which its reader and its writer share."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from neonsim.nn.ops.quantized.lut import ACTIVATIONS

__all__ = ["WORDS", "TfliteWord"]


class TfliteWord(NamedTuple):
    """What a word of the file means here.

    kind         our name of it
    options      the table its attributes stand in, "" if it has none
    attributes   our name -> the table's
    version      from which the runtimes take int8
    """

    kind: str
    options: str = ""
    attributes: Mapping[str, str] = MappingProxyType({})
    version: int = 2


_WINDOW = {"padding": "Padding", "stride_height": "StrideH", "stride_width": "StrideW",
           "activation": "FusedActivationFunction"}
_DILATION = {"dilation_height": "DilationHFactor", "dilation_width": "DilationWFactor"}
_POOL = {**_WINDOW, "pool_height": "FilterHeight", "pool_width": "FilterWidth"}
_ACTIVATION = {"activation": "FusedActivationFunction"}

_RESIZE = {"align_corners": "AlignCorners", "half_pixel": "HalfPixelCenters"}

# Words that are not here have no kind: the runner of the network says so, with the word and its place.
WORDS = {
    **{word: TfliteWord(word.lower(), version=1) for word in ACTIVATIONS},
    "ADD": TfliteWord("add", "AddOptions", _ACTIVATION),
    "ARG_MAX": TfliteWord("arg_max", "ArgMaxOptions"),
    "ARG_MIN": TfliteWord("arg_min", "ArgMinOptions"),
    "ASSIGN_VARIABLE": TfliteWord("assign_variable"),
    "AVERAGE_POOL_2D": TfliteWord("average_pool", "Pool2DOptions", _POOL),
    "BATCH_TO_SPACE_ND": TfliteWord("batch_to_space", "BatchToSpaceNDOptions"),
    "BROADCAST_TO": TfliteWord("broadcast", "BroadcastToOptions"),
    "CALL_ONCE": TfliteWord("call_once", "CallOnceOptions", {"subgraph": "InitSubgraphIndex"}),
    "CAST": TfliteWord("cast"),
    "CONCATENATION": TfliteWord("concatenation", "ConcatenationOptions", {"axis": "Axis", **_ACTIVATION}),
    "CONV_2D": TfliteWord("conv2d", "Conv2DOptions", _WINDOW | _DILATION, version=3),
    "DEPTHWISE_CONV_2D": TfliteWord("depthwise", "DepthwiseConv2DOptions",
                               _WINDOW | _DILATION | {"multiplier": "DepthMultiplier"}, version=3),
    "DEPTH_TO_SPACE": TfliteWord("depth_to_space", "DepthToSpaceOptions", {"block": "BlockSize"}),
    "DEQUANTIZE": TfliteWord("dequantize"),
    "EXPAND_DIMS": TfliteWord("reshape"),
    "FULLY_CONNECTED": TfliteWord("fully_connected", "FullyConnectedOptions",
                             {**_ACTIVATION, "keep_dims": "KeepNumDims", "weights_format": "WeightsFormat"}, version=4),
    "GATHER": TfliteWord("gather", "GatherOptions", {"axis": "Axis", "batch_dims": "BatchDims"}),
    "LEAKY_RELU": TfliteWord("leaky_relu", "LeakyReluOptions", {"slope": "Alpha"}),
    "LOGISTIC": TfliteWord("logistic"),
    "MAXIMUM": TfliteWord("maximum", "MaximumMinimumOptions"),
    "MAX_POOL_2D": TfliteWord("max_pool", "Pool2DOptions", _POOL),
    "MEAN": TfliteWord("mean", "ReducerOptions", {"keep_dims": "KeepDims"}),
    "MINIMUM": TfliteWord("minimum", "MaximumMinimumOptions"),
    "MIRROR_PAD": TfliteWord("mirror_pad", "MirrorPadOptions", {"mode": "Mode"}),
    "MUL": TfliteWord("multiply", "MulOptions", _ACTIVATION),
    "PACK": TfliteWord("pack", "PackOptions", {"axis": "Axis"}),
    "PAD": TfliteWord("pad", "PadOptions"),
    "PADV2": TfliteWord("pad", "PadV2Options"),
    "QUANTIZE": TfliteWord("quantize", version=1),
    "READ_VARIABLE": TfliteWord("read_variable"),
    "REDUCE_MAX": TfliteWord("reduce_max", "ReducerOptions", {"keep_dims": "KeepDims"}),
    "RELU": TfliteWord("relu"),
    "RELU6": TfliteWord("relu6"),
    "RELU_N1_TO_1": TfliteWord("relu_n1_to_1", version=1),
    "RESHAPE": TfliteWord("reshape", "ReshapeOptions", version=1),
    "RESIZE_BILINEAR": TfliteWord("resize_bilinear", "ResizeBilinearOptions", _RESIZE),
    "RESIZE_NEAREST_NEIGHBOR": TfliteWord("resize_nearest", "ResizeNearestNeighborOptions", _RESIZE),
    "SHAPE": TfliteWord("shape"),
    "SLICE": TfliteWord("slice"),
    "SOFTMAX": TfliteWord("softmax", "SoftmaxOptions", {"beta": "Beta"}),
    "SPACE_TO_BATCH_ND": TfliteWord("space_to_batch", "SpaceToBatchNDOptions"),
    "SPACE_TO_DEPTH": TfliteWord("space_to_depth", "SpaceToDepthOptions", {"block": "BlockSize"}),
    "SPLIT": TfliteWord("split", "SplitOptions", {"parts": "NumSplits"}),
    "SPLIT_V": TfliteWord("split_sizes", "SplitVOptions"),
    "SQUEEZE": TfliteWord("reshape"),
    "STRIDED_SLICE": TfliteWord("strided_slice", "StridedSliceOptions", {
        "begin_mask": "BeginMask", "end_mask": "EndMask", "ellipsis_mask": "EllipsisMask",
        "new_axis_mask": "NewAxisMask", "shrink_axis_mask": "ShrinkAxisMask"}),
    "SUB": TfliteWord("subtract", "SubOptions", _ACTIVATION),
    "SUM": TfliteWord("sum", "ReducerOptions", {"keep_dims": "KeepDims"}),
    "TANH": TfliteWord("tanh"),
    "TILE": TfliteWord("tile", "TileOptions"),
    "TRANSPOSE": TfliteWord("transpose", "TransposeOptions"),
    "TRANSPOSE_CONV": TfliteWord("transpose_conv", "TransposeConvOptions", _WINDOW, version=3),
    "UNPACK": TfliteWord("unpack", "UnpackOptions", {"axis": "Axis"}),
    "VAR_HANDLE": TfliteWord("variable", "VarHandleOptions", {"container": "Container", "shared_name": "SharedName"}),
}
