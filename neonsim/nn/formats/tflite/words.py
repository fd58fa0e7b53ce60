"""The words of `.tflite`: one row for each, which its reader and its writer share."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from neonsim.nn.ops.quantized.lut import ACTIVATIONS

__all__ = ["WORDS", "Word"]


class Word(NamedTuple):
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
    **{word: Word(word.lower(), version=1) for word in ACTIVATIONS},
    "ADD": Word("add", "AddOptions", _ACTIVATION),
    "ARG_MAX": Word("arg_max", "ArgMaxOptions"),
    "ARG_MIN": Word("arg_min", "ArgMinOptions"),
    "ASSIGN_VARIABLE": Word("assign_variable"),
    "AVERAGE_POOL_2D": Word("average_pool", "Pool2DOptions", _POOL),
    "BATCH_TO_SPACE_ND": Word("batch_to_space", "BatchToSpaceNDOptions"),
    "BROADCAST_TO": Word("broadcast", "BroadcastToOptions"),
    "CALL_ONCE": Word("call_once", "CallOnceOptions", {"subgraph": "InitSubgraphIndex"}),
    "CAST": Word("cast"),
    "CONCATENATION": Word("concatenation", "ConcatenationOptions", {"axis": "Axis", **_ACTIVATION}),
    "CONV_2D": Word("conv2d", "Conv2DOptions", _WINDOW | _DILATION, version=3),
    "DEPTHWISE_CONV_2D": Word("depthwise", "DepthwiseConv2DOptions",
                               _WINDOW | _DILATION | {"multiplier": "DepthMultiplier"}, version=3),
    "DEPTH_TO_SPACE": Word("depth_to_space", "DepthToSpaceOptions", {"block": "BlockSize"}),
    "DEQUANTIZE": Word("dequantize"),
    "EXPAND_DIMS": Word("reshape"),
    "FULLY_CONNECTED": Word("fully_connected", "FullyConnectedOptions",
                             {**_ACTIVATION, "keep_dims": "KeepNumDims", "weights_format": "WeightsFormat"}, version=4),
    "GATHER": Word("gather", "GatherOptions", {"axis": "Axis", "batch_dims": "BatchDims"}),
    "LEAKY_RELU": Word("leaky_relu", "LeakyReluOptions", {"slope": "Alpha"}),
    "LOGISTIC": Word("logistic"),
    "MAXIMUM": Word("maximum", "MaximumMinimumOptions"),
    "MAX_POOL_2D": Word("max_pool", "Pool2DOptions", _POOL),
    "MEAN": Word("mean", "ReducerOptions", {"keep_dims": "KeepDims"}),
    "MINIMUM": Word("minimum", "MaximumMinimumOptions"),
    "MIRROR_PAD": Word("mirror_pad", "MirrorPadOptions", {"mode": "Mode"}),
    "MUL": Word("multiply", "MulOptions", _ACTIVATION),
    "PACK": Word("pack", "PackOptions", {"axis": "Axis"}),
    "PAD": Word("pad", "PadOptions"),
    "PADV2": Word("pad", "PadV2Options"),
    "QUANTIZE": Word("quantize", version=1),
    "READ_VARIABLE": Word("read_variable"),
    "REDUCE_MAX": Word("reduce_max", "ReducerOptions", {"keep_dims": "KeepDims"}),
    "RELU": Word("relu"),
    "RELU6": Word("relu6"),
    "RELU_N1_TO_1": Word("relu_n1_to_1", version=1),
    "RESHAPE": Word("reshape", "ReshapeOptions", version=1),
    "RESIZE_BILINEAR": Word("resize_bilinear", "ResizeBilinearOptions", _RESIZE),
    "RESIZE_NEAREST_NEIGHBOR": Word("resize_nearest", "ResizeNearestNeighborOptions", _RESIZE),
    "SHAPE": Word("shape"),
    "SLICE": Word("slice"),
    "SOFTMAX": Word("softmax", "SoftmaxOptions", {"beta": "Beta"}),
    "SPACE_TO_BATCH_ND": Word("space_to_batch", "SpaceToBatchNDOptions"),
    "SPACE_TO_DEPTH": Word("space_to_depth", "SpaceToDepthOptions", {"block": "BlockSize"}),
    "SPLIT": Word("split", "SplitOptions", {"parts": "NumSplits"}),
    "SPLIT_V": Word("split_sizes", "SplitVOptions"),
    "SQUEEZE": Word("reshape"),
    "STRIDED_SLICE": Word("strided_slice", "StridedSliceOptions", {
        "begin_mask": "BeginMask", "end_mask": "EndMask", "ellipsis_mask": "EllipsisMask",
        "new_axis_mask": "NewAxisMask", "shrink_axis_mask": "ShrinkAxisMask"}),
    "SUB": Word("subtract", "SubOptions", _ACTIVATION),
    "SUM": Word("sum", "ReducerOptions", {"keep_dims": "KeepDims"}),
    "TANH": Word("tanh"),
    "TILE": Word("tile", "TileOptions"),
    "TRANSPOSE": Word("transpose", "TransposeOptions"),
    "TRANSPOSE_CONV": Word("transpose_conv", "TransposeConvOptions", _WINDOW, version=3),
    "UNPACK": Word("unpack", "UnpackOptions", {"axis": "Axis"}),
    "VAR_HANDLE": Word("variable", "VarHandleOptions", {"container": "Container", "shared_name": "SharedName"}),
}
