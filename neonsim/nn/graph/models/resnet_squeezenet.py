"""SqueezeNet, ResNet and ShuffleNet: other shapes than MobileNet's, for the operators those use (H03)."""

from __future__ import annotations

from neonsim.common.integers import as_int
from neonsim.nn.graph.graph import Graph
from neonsim.nn.graph.models.builder import TensorRef
from neonsim.nn.graph.models.float_builder import maker

__all__ = ["resnet18", "shufflenet_v1", "squeezenet"]


def _size(size: int) -> None:
    as_int(size, "size", 64, 1024)


def squeezenet(size: int = 224, quantization: str = "qu8", seed: int = 0) -> Graph:
    """SqueezeNet 1.1: fire modules, 1x1 down, then 1x1 and 3x3 side by side."""
    _size(size)
    make = maker("squeezenet", size, quantization, seed)

    def fire(i: int, x: TensorRef, squeeze: int, expand: int) -> TensorRef:
        x = make.conv(f"squeeze{i}", x, squeeze, activation="relu")
        one = make.conv(f"expand{i}_1x1", x, expand, activation="relu")
        three = make.conv(f"expand{i}_3x3", x, expand, 3, padding=1, activation="relu")
        return make.concat(f"fire{i}", one, three)

    x = make.conv("stem", make.input, 64, 3, stride=2, activation="relu")
    x = make.max_pool("pool1", x, 3, 2)
    x = fire(3, fire(2, x, 16, 64), 16, 64)
    x = make.max_pool("pool3", x, 3, 2)
    x = fire(5, fire(4, x, 32, 128), 32, 128)
    x = make.max_pool("pool5", x, 3, 2)
    for i, (squeeze, expand) in enumerate([(48, 192), (48, 192), (64, 256), (64, 256)], 6):
        x = fire(i, x, squeeze, expand)
    x = make.conv("classifier", x, 1000, activation="relu")
    return make.finish(make.global_pool("pool", x))


def resnet18(size: int = 224, quantization: str = "qu8", seed: int = 0) -> Graph:
    """ResNet-18: a 7x7 convolution, max pooling, eight blocks of two 3x3 convolutions with a way around."""
    _size(size)
    make = maker("resnet18", size, quantization, seed)
    x = make.conv("stem", make.input, 64, 7, stride=2, padding=3, activation="relu")
    x = make.max_pool("pool1", x, 3, 2, padding=1)
    for stage, channels in enumerate((64, 128, 256, 512), 1):
        for block in (1, 2):
            name, stride = f"block{stage}_{block}", 2 if stage > 1 and block == 1 else 1
            around = x
            if stride == 2:
                around = make.conv(f"{name}_around", x, channels, stride=2, activation="none")
            y = make.conv(f"{name}_a", x, channels, 3, stride=stride, padding=1, activation="relu")
            y = make.conv(f"{name}_b", y, channels, 3, padding=1, activation="none")
            x = make.add(f"{name}_add", around, y, relu=True)
    x = make.global_pool("pool", x)
    return make.finish(make.linear("classifier", x, 1000))


def shufflenet_v1(size: int = 224, quantization: str = "qu8", seed: int = 0) -> Graph:
    """ShuffleNetV1 1.0 with three groups: grouped 1x1 convolutions, channels shuffled between them."""
    _size(size)
    groups = 3
    make = maker("shufflenet_v1", size, quantization, seed)

    def unit(name: str, x: TensorRef, channels: int, stride: int) -> TensorRef:
        inputs = make.shape(x)[-1]
        parts = 1 if inputs == 24 else groups       # the very first 1x1 has too few channels to divide
        y = make.conv(f"{name}_a", x, channels // 4, groups=parts, activation="relu")
        if parts > 1:
            y = make.shuffle(f"{name}_shuffle", y, groups)
        y = make.conv(f"{name}_dw", y, channels // 4, 3, stride=stride, padding=1, groups=channels // 4,
                      activation="none")
        if stride == 1:
            return make.add(f"{name}_add", x, make.conv(f"{name}_b", y, channels, groups=groups, activation="none"),
                            relu=True)
        y = make.conv(f"{name}_b", y, channels - inputs, groups=groups, activation="relu")
        around = make.avg_pool(f"{name}_pool", x, 3, 2, 1, make.scheme(y))
        return make.concat(f"{name}_concat", around, y)

    x = make.conv("stem", make.input, 24, 3, stride=2, padding=1, activation="relu")
    x = make.max_pool("pool1", x, 3, 2, padding=1)
    for stage, (channels, repeats) in enumerate([(240, 4), (480, 8), (960, 4)], 2):
        for i in range(repeats):
            x = unit(f"stage{stage}_{i + 1}", x, channels, 2 if i == 0 else 1)
    x = make.global_pool("pool", x)
    return make.finish(make.linear("classifier", x, 1000))


NETWORKS = (squeezenet, resnet18, shufflenet_v1)
