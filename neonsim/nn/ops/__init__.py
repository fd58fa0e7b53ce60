"""Operators on quantised arrays: the same call on any backend.

    function                            class            does                                               sources
    fully_connected(x, w, bias, out=)   FullyConnected   x [..., in] by weights [out, in]                   (K03)
    conv2d(x, w, bias, out=)            Conv2d           images NHWC by kernels [out, kh, kw, in/groups]    (K01)
    deconv2d(x, w, bias, out=)          Deconv2d         the other way: [in, kh, kw, out/groups]            (K02)
    avg_pool2d(x, pool=, out=)          AvgPool2d        mean of windows                                    (K05)
    global_avg_pool(x, out=)            GlobalAvgPool    mean of whole images                               (K04)
    max_pool2d(x, pool=)                MaxPool2d        largest of windows                                 (K06)
    resize_bilinear(x, size=)           ResizeBilinear   images of another size                             (M17)
    add(a, b, out=)                     Add              sum of two arrays, broadcast                       (K08, D08)
    subtract(a, b, out=)                Subtract         difference of two arrays, broadcast                (D08)
    multiply(a, b, out=)                Multiply         product of two arrays, broadcast                   (D08, R12)
    -                                   Maximum, Minimum the larger or smaller of two arrays                (M17)
    -                                   ArgMax, ArgMin   which channel is the largest or smallest           (M17)
    -                                   Mean             mean or sum of rows, in single precision           (M17)
    -                                   Rescale          another scale as before joining, in single         (M18)
    clamp(x, output_min=, output_max=)  Clamp            limits                                             (K09)
    sigmoid(x)                          Sigmoid          logistic function                                  (K10)
    tanh(x)                             Tanh             hyperbolic tangent                                 (X23)
    convert(x, out=)                    Convert          another scale, zero point or type                  (X09)
    hard_swish(x, out=)                 HardSwish        x * relu6(x + 3) / 6                               (M24)
    elu(x, out=)                        Elu              exponentials below zero                            (M25)
    leaky_relu(x, slope=, out=)         LeakyRelu        negative values times a slope                      (K11)
    softargmax(x)                       SoftArgmax       shares of exponentials                             (K12)
    softmax(x, beta=)                   Softmax          the same in single precision                       (M14)
    channel_shuffle(x, groups=)         ChannelShuffle   channels of groups dealt out                       (K07)
    pad(x, amounts=), copy(x)           Pad, Copy        bytes moved, nothing computed                      (X23)
    quantize(x, out=)                   Quantize         float32 to integers of a scheme
    dequantize(x)                       Dequantize       integers to float32
    dynamic_fully_connected(x, w)       -                float rows, quantised one by one, float results    (X04)
    dynamic_conv2d(x, w)                -                float images, the same                             (X04)

A function plans and runs. A class keeps what does not change: ``operator.plan(shape)`` packs and builds once,
``plan.run(x)`` computes as often as wanted, ``plan.explain()`` says which kernel and why.

    compare       one operator, or several in a row, on several backends: the first byte that differs, who wrote it

Modules that count:   ops.lowerings   the ways to compute one convolution side by side: bytes moved, buffers, cycles
                      ops.traffic     fused requantisation against a second pass
"""

from __future__ import annotations

from neonsim.common.argument_types import check_arguments
from neonsim.nn.ops.arithmetics.dynamic_quant import DynamicResult, dynamic_conv2d, dynamic_fully_connected
from neonsim.nn.ops.explain.backends import BackendComparison, BackendDifference, WritingStep, compare
from neonsim.nn.ops.operator import Operator, Plan
from neonsim.nn.ops.quantize import Dequantize, Quantize, dequantize, quantize
from neonsim.nn.ops.quantized.binary import Add, Maximum, Minimum, Multiply, Subtract, add, multiply, subtract
from neonsim.nn.ops.quantized.channels import (
    ArgMax,
    ArgMin,
    ChannelShuffle,
    SoftArgmax,
    Softmax,
    channel_shuffle,
    softargmax,
    softmax,
)
from neonsim.nn.ops.quantized.conv import Conv2d, Deconv2d, conv2d, deconv2d
from neonsim.nn.ops.quantized.elementwise import (
    Clamp,
    Convert,
    LeakyRelu,
    Rescale,
    Sigmoid,
    Tanh,
    clamp,
    convert,
    leaky_relu,
    sigmoid,
    tanh,
)
from neonsim.nn.ops.quantized.linear import FullyConnected, fully_connected
from neonsim.nn.ops.quantized.lut import Elu, HardSwish, elu, hard_swish
from neonsim.nn.ops.quantized.pad_copy import Copy, Pad, copy, pad
from neonsim.nn.ops.quantized.pooling import (
    AvgPool2d,
    GlobalAvgPool,
    MaxPool2d,
    avg_pool2d,
    global_avg_pool,
    max_pool2d,
)
from neonsim.nn.ops.quantized.reduce_mean import Mean
from neonsim.nn.ops.quantized.resize import ResizeBilinear, resize_bilinear

__all__ = ["Add", "ArgMax", "ArgMin", "AvgPool2d", "BackendComparison", "BackendDifference", "ChannelShuffle", "Clamp",
           "Conv2d", "Convert", "Copy", "Deconv2d", "Dequantize", "DynamicResult", "Elu", "FullyConnected",
           "GlobalAvgPool", "HardSwish", "LeakyRelu", "MaxPool2d", "Maximum", "Mean", "Minimum", "Multiply", "Operator",
           "Pad", "Plan", "Quantize", "Rescale", "ResizeBilinear", "Sigmoid", "SoftArgmax", "Softmax", "Subtract",
           "Tanh", "WritingStep", "add", "avg_pool2d", "channel_shuffle", "clamp", "compare", "conv2d", "convert",
           "copy", "deconv2d", "dequantize", "dynamic_conv2d", "dynamic_fully_connected", "elu", "fully_connected",
           "global_avg_pool", "hard_swish", "leaky_relu", "max_pool2d", "multiply", "pad", "quantize",
           "resize_bilinear", "sigmoid", "softargmax", "softmax", "subtract", "tanh"]

check_arguments(globals(), "Operator", "Plan")
