"""MobileNetV1 and V2 (W01, W02)."""

from __future__ import annotations

from numbers import Real

from neonsim.common.integers import as_int
from neonsim.errors import BadArgument
from neonsim.nn.graph.graph import Graph
from neonsim.nn.graph.models.builder import GraphBuilder, TensorRef, scaled
from neonsim.nn.graph.models.float_builder import maker

__all__ = ["mobilenet_v1", "mobilenet_v2"]

CLASSES = 1001


def _sizes(width: float, size: int) -> None:
    if not isinstance(width, Real) or not 0.1 <= width <= 4:
        raise BadArgument(f"width must be a number from 0.1 to 4; got {width!r}.")
    as_int(size, "size", 32, 1024)


def _depthwise(make: GraphBuilder, name: str, x: TensorRef, stride: int) -> TensorRef:
    channels = make.shape(x)[-1]
    return make.conv(name, x, channels, 3, stride=stride, padding=make.same_padding(x, 3, stride), groups=channels)


def mobilenet_v1(width: float = 1.0, size: int = 224, quantization: str = "qu8", seed: int = 0,
                 padding: str = "same") -> Graph:
    """MobileNetV1: a 3x3 convolution, thirteen pairs of depthwise 3x3 and 1x1, the mean, the classifier.

    width   float   multiplier of all channels
    size    int     height and width of the image
    padding str     "same": TensorFlow's, more at the bottom and right; "even": both sides alike, as PyTorch's are

    Raises BadArgument for sizes out of range, an unknown quantization or padding.
    Source: (W01); 568 741 376 MACs at 1.0 and 224.
    """
    _sizes(width, size)
    make = maker("mobilenet_v1", size, quantization, seed, padding=padding)
    x = make.conv("stem", make.input, scaled(32, width), 3, stride=2, padding=make.same_padding(make.input, 3, 2))
    blocks = [(64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *[(512, 1)] * 5, (1024, 2), (1024, 1)]
    for i, (channels, stride) in enumerate(blocks, 1):
        x = _depthwise(make, f"dw{i}", x, stride)
        x = make.conv(f"pw{i}", x, scaled(channels, width))
    x = make.global_pool("pool", x)
    return make.finish(classifier(make, x))


def mobilenet_v2(width: float = 1.0, size: int = 224, quantization: str = "qu8", seed: int = 0,
                 padding: str = "same") -> Graph:
    """MobileNetV2: inverted bottlenecks, 1x1 up, depthwise 3x3, 1x1 down without activation, added where shapes agree.

    Arguments as mobilenet_v1. Source: (W02); 300 775 552 MACs at 1.0 and 224.
    """
    _sizes(width, size)
    make = maker("mobilenet_v2", size, quantization, seed, padding=padding)
    x = make.conv("stem", make.input, scaled(32, width), 3, stride=2, padding=make.same_padding(make.input, 3, 2))
    blocks = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]
    number = 0
    for expansion, channels, repeats, first_stride in blocks:
        for repeat in range(repeats):
            number += 1
            before, stride = x, first_stride if repeat == 0 else 1
            if expansion != 1:
                x = make.conv(f"expand{number}", x, make.shape(x)[-1] * expansion)
            x = _depthwise(make, f"dw{number}", x, stride)
            x = make.conv(f"project{number}", x, scaled(channels, width), activation="none")
            if repeat:
                x = make.add(f"add{number}", before, x)
    x = make.conv("head", x, max(1280, scaled(1280, width)))
    x = make.global_pool("pool", x)
    return make.finish(classifier(make, x))


def classifier(make: GraphBuilder, x: TensorRef) -> TensorRef:
    """1x1 over one pixel; the mean has no height and width any more, so it is a fully connected layer."""
    return make.linear("classifier", x, CLASSES)


NETWORKS = (mobilenet_v1, mobilenet_v2)
