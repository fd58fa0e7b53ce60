"""Architectures whose trained files many people run, with seeded random weights: shapes as published.

    name                 what                                                       image     MACs            facts
    efficientnet_lite0   inverted bottlenecks of 3x3 and 5x5, no squeezing          224x224     385 187 552   (W21)
    mobilenet_v3_small   hard swish, squeeze and excite                             224x224      56 511 424   (W22)
    ssd_mobilenet_v1     boxes and classes of 1 917 anchors from six maps           300x300   1 237 129 408   (W23)
    posenet              heat maps and offsets of 17 parts, a dilated MobileNetV1   257x257     684 554 448   (W24)
    deeplab_v3           21 classes of every pixel, a dilated MobileNetV2           257x257     720 425 664   (W25)
    movenet              heat maps and offsets of 17 joints, a pyramid              192x192     306 713 088   (W26)
    efficientdet_lite0   boxes and classes of 19 206 anchors, pyramids both ways    320x320     966 626 496   (W27)

In arithmetic they are what `.tflite` files say: `neonsim.nn.formats.tflite.write` writes them, and LiteRT runs them to
the same bytes. Every one takes `size`, `quantization` ("qc8w", "qs8", "qu8") and `seed`. Left out: what follows the
last convolution outside of networks (non-maximum suppression, decoding of poses).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.common.integers import as_int
from neonsim.nn.graph.data_movement import Concat, Reshape
from neonsim.nn.graph.gather import nearest
from neonsim.nn.graph.graph import Graph
from neonsim.nn.graph.models.builder import GraphBuilder, TensorRef, scaled
from neonsim.nn.ops import Clamp, Conv2d, HardSwish, MaxPool2d, Multiply, ResizeBilinear, Sigmoid, Softmax
from neonsim.quant.scheme import Scheme

__all__ = ["ARCHITECTURES", "deeplab_v3", "efficientdet_lite0", "efficientnet_lite0", "mobilenet_v3_small", "movenet",
           "posenet", "ssd_mobilenet_v1"]

_SIGMA = 1.5        # of sums before a hard swish


class _Files(GraphBuilder):
    """A maker whose graphs have words in `.tflite` files."""

    def __init__(self, name: str, size: int, quantization: str, seed: int) -> None:
        super().__init__(name, as_int(size, "size", 32, 1024), quantization, seed, requantization="fp32")

    def depthwise(self, name: str, x: TensorRef, window: int, stride: int = 1, *, activation: str = "relu6",
                  dilation: int = 1) -> TensorRef:
        """Every channel by itself, padding SAME."""
        return self.conv(name, x, self.shape(x)[-1], window, stride=stride, groups=self.shape(x)[-1],
                         padding=self.same_padding(x, window, stride, dilation), activation=activation,
                         dilation=dilation)

    def bent(self, name: str, x: TensorRef) -> TensorRef:
        """Hard swish of sums of standard deviation 1.5."""
        grid = np.linspace(-4.5, 4.5, 2001)
        real, share = grid * _SIGMA, np.exp(-grid**2 / 2)
        square = float((_hard_swish(real)**2 * share).sum() / share.sum())
        return self.node(name, HardSwish(self.scheme(x), out=self.reaching(-0.375, 4.5 * _SIGMA)), x, square)

    def one_pixel(self, name: str, x: TensorRef) -> TensorRef:
        """Mean of every channel, still an image."""
        mean = self.global_pool(f"{name}_mean", x)
        shape = (*self.shape(mean)[:1], 1, 1, self.shape(mean)[-1])
        return TensorRef(self.graph.add_node(name, Reshape(self.scheme(mean), shape), mean.name), mean.square)

    def excite(self, name: str, x: TensorRef) -> TensorRef:
        """Every channel times a share of 0 to 1 that depends on the means of all: squeeze and excite.

        The share is a hard sigmoid, (s + 3) / 6 between 0 and 1: the scheme ends there, so it cuts off.
        """
        y = self.one_pixel(f"{name}_pixel", x)
        y = self.conv(f"{name}_squeeze", y, scaled(self.shape(x)[-1], 0.25), activation="relu")
        channels, sigma = self.shape(x)[-1], _SIGMA / 6
        w, bias = self._parameters((channels, 1, 1, self.shape(y)[-1]), y, sigma)
        half = np.rint(0.5 / (np.float32(self.scheme(y).scale) * np.asarray(w.scale, np.float32))).astype(np.int32)
        layer = Conv2d(self.scheme(y), w, bias + half, out=self.reaching(0.0, 1.0), requantization=self.rounding)
        share = TensorRef(self.graph.add_node(f"{name}_share", layer, y.name), 0.25 + sigma**2)
        product = Multiply(self.scheme(x), self.scheme(share), out=self.scheme(x), requantization="fp32")
        return TensorRef(self.graph.add_node(name, product, x.name, share.name), x.square * share.square)

    def rows(self, name: str, x: TensorRef, width: int) -> TensorRef:
        """An image [1, h, w, n * width] as rows [1, h * w * n, width]."""
        layer = Reshape(self.scheme(x), (self.shape(x)[0], -1, width))
        return TensorRef(self.graph.add_node(name, layer, x.name), x.square)

    def below(self, name: str, values: Sequence[TensorRef]) -> TensorRef:
        """Rows below each other; all must have one scheme."""
        layer = Concat(self.scheme(values[0]), axis=1)
        return TensorRef(self.graph.add_node(name, layer, *(v.name for v in values)), values[0].square)

    def resized(self, name: str, x: TensorRef, size: Sequence[int]) -> TensorRef:
        """Another height and width, bilinear, corners where they were."""
        if tuple(self.shape(x)[1:3]) == tuple(size):
            return x
        return self.node(name, ResizeBilinear(self.scheme(x), size=size, corners="aligned"), x)

    def nearest(self, name: str, x: TensorRef, size: Sequence[int]) -> TensorRef:
        """Another height and width, each pixel the nearest one."""
        if tuple(self.shape(x)[1:3]) == tuple(size):
            return x
        made = self.graph.add_node(name, nearest(self.scheme(x), self.shape(x), size), x.name)
        return TensorRef(made, x.square)

    def halved(self, name: str, x: TensorRef) -> TensorRef:
        """Largest of windows of 3x3, every other one, padding SAME."""
        layer = MaxPool2d(self.scheme(x), pool=3, stride=2, padding=self.same_padding(x, 3, 2))
        return self.node(name, layer, x, 2 * x.square)

    def results(self, *values: TensorRef) -> Graph:
        """The graph, with these as its results."""
        return self.graph.finish(*(v.name for v in values))


def _hard_swish(real: NDArray[Any]) -> NDArray[Any]:
    return np.asarray(real * np.clip(real + 3, 0, 6) / 6)


def _backbone(make: _Files, width: float, dilated: int = 0) -> dict[int, TensorRef]:
    """MobileNetV1's pairs by number, the stem as 0; `dilated`: from that pair on dilation in place of strides."""
    x = make.conv("stem", make.input, scaled(32, width), 3, stride=2, padding=make.same_padding(make.input, 3, 2))
    blocks = [(64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *[(512, 1)] * 5, (1024, 2), (1024, 1)]
    found, dilation = {0: x}, 1
    for i, (channels, stride) in enumerate(blocks, 1):
        step = stride
        if dilated and i >= dilated:
            step = 1
        x = make.depthwise(f"dw{i}", x, 3, step, dilation=dilation)
        x = found[i] = make.conv(f"pw{i}", x, scaled(channels, width))
        dilation *= stride // step
    return found


_LITE0 = ((1, 3, 1, 16, 1), (6, 3, 2, 24, 2), (6, 5, 2, 40, 2), (6, 3, 2, 80, 3), (6, 5, 1, 112, 3), (6, 5, 2, 192, 4),
          (6, 3, 1, 320, 1))
_V2 = ((1, 3, 1, 16, 1), (6, 3, 2, 24, 2), (6, 3, 2, 32, 3), (6, 3, 2, 64, 4), (6, 3, 1, 96, 3), (6, 3, 2, 160, 3),
       (6, 3, 1, 320, 1))


def _bottlenecks(make: _Files, stages: Sequence[tuple[int, int, int, int, int]], dilated: int | None = None
                 ) -> list[TensorRef]:
    """A stem and inverted bottlenecks: the last value of every stage.

    stages    (expansion, window, stride of the first, channels, repeats)
    dilated   from that stage on dilation in place of strides
    """
    x = make.conv("stem", make.input, 32, 3, stride=2, padding=make.same_padding(make.input, 3, 2))
    number, dilation, found = 0, 1, []
    for stage, (expansion, window, first_stride, channels, repeats) in enumerate(stages):
        for repeat in range(repeats):
            number += 1
            before, stride = x, 1 if repeat else first_stride
            if dilated is not None and stage >= dilated:
                dilation, stride = dilation * stride, 1
            if expansion != 1:
                x = make.conv(f"expand{number}", x, make.shape(x)[-1] * expansion)
            x = make.depthwise(f"dw{number}", x, window, stride, dilation=dilation)
            x = make.conv(f"project{number}", x, channels, activation="none")
            if repeat:
                x = make.add(f"add{number}", before, x)
        found.append(x)
    return found


def efficientnet_lite0(size: int = 224, quantization: str = "qc8w", seed: int = 0) -> Graph:
    """EfficientNet-Lite0: MobileNetV2's blocks with windows of 3x3 and 5x5, ReLU6 throughout.

    Source: (W21).
    """
    make = _Files("efficientnet_lite0", size, quantization, seed)
    x = make.global_pool("pool", make.conv("head", _bottlenecks(make, _LITE0)[-1], 1280))
    x = make.linear("classifier", x, 1000)
    return make.results(make.node("classes", Softmax(make.scheme(x)), x))


def mobilenet_v3_small(size: int = 224, quantization: str = "qc8w", seed: int = 0) -> Graph:
    """MobileNetV3-Small: bottlenecks with squeeze and excite, hard swish in the later ones.

    Source: (W22).
    """
    make = _Files("mobilenet_v3_small", size, quantization, seed)

    def curved(name: str, x: TensorRef, channels: int, window: int = 1, stride: int = 1) -> TensorRef:
        y = make.conv(f"{name}_sums", x, channels, window, stride=stride, padding=make.same_padding(x, window, stride),
                      activation="sums")
        return make.bent(name, y)

    def block(i: int, x: TensorRef, window: int, expanded: int, channels: int, excites: bool, bends: bool,
              stride: int) -> TensorRef:
        y = x
        if expanded != make.shape(x)[-1]:
            y = curved(f"expand{i}", x, expanded) if bends else make.conv(f"expand{i}", x, expanded, activation="relu")
        if bends:
            y = make.bent(f"dw{i}", make.depthwise(f"dw{i}_sums", y, window, stride, activation="sums"))
        else:
            y = make.depthwise(f"dw{i}", y, window, stride, activation="relu")
        y = make.excite(f"excite{i}", y) if excites else y
        y = make.conv(f"project{i}", y, channels, activation="none")
        return make.add(f"add{i}", x, y) if stride == 1 and channels == make.shape(x)[-1] else y

    x = curved("stem", make.input, 16, 3, 2)
    for i, row in enumerate([
            (3, 16, 16, True, False, 2), (3, 72, 24, False, False, 2), (3, 88, 24, False, False, 1),
            (5, 96, 40, True, True, 2), (5, 240, 40, True, True, 1), (5, 240, 40, True, True, 1),
            (5, 120, 48, True, True, 1), (5, 144, 48, True, True, 1), (5, 288, 96, True, True, 2),
            (5, 576, 96, True, True, 1), (5, 576, 96, True, True, 1)], 1):
        x = block(i, x, *row)
    x = make.one_pixel("pool", curved("head", x, 576))
    x = make.conv("classifier", curved("hidden", x, 1024), 1001, activation="none")
    x = make.rows("scores", x, 1001)
    return make.results(make.node("classes", Softmax(make.scheme(x)), x))


def ssd_mobilenet_v1(size: int = 300, quantization: str = "qc8w", seed: int = 0) -> Graph:
    """SSD on MobileNetV1: boxes [1, anchors, 4] and scores of 91 classes [1, anchors, 91], before suppression.

    Source: (W23).
    """
    make = _Files("ssd_mobilenet_v1", size, quantization, seed)
    pairs = _backbone(make, 1.0)
    maps = [pairs[11], pairs[13]]
    for i, (narrow, channels) in enumerate([(256, 512), (128, 256), (128, 256), (64, 128)], 2):
        x = make.conv(f"extra{i}_a", maps[-1], narrow)
        maps.append(make.conv(f"extra{i}", x, channels, 3, stride=2, padding=make.same_padding(x, 3, 2)))
    boxes, scores = [], []
    for i, x in enumerate(maps):
        anchors = 3 if i == 0 else 6
        boxes.append(make.rows(f"boxes{i}", make.conv(f"box{i}", x, 4 * anchors, activation="none"), 4))
        scores.append(make.rows(f"scores{i}", make.conv(f"class{i}", x, 91 * anchors, activation="none"), 91))
    found = make.below("scores", scores)
    return make.results(make.below("boxes", boxes), make.node("classes", Sigmoid(make.scheme(found)), found))


def posenet(size: int = 257, quantization: str = "qc8w", seed: int = 0) -> Graph:
    """PoseNet: MobileNetV1 of width 0.75 that stays at a 16th of the image; heat maps and offsets of 17 parts.

    Source: (W24).
    """
    make = _Files("posenet", size, quantization, seed)
    x = _backbone(make, 0.75, dilated=12)[13]
    heat = make.conv("heat_sums", x, 17, activation="none")
    heads = [make.conv(name, x, channels, activation="none")
             for name, channels in (("offsets", 34), ("forward", 32), ("backward", 32))]
    return make.results(make.node("heat", Sigmoid(make.scheme(heat)), heat), *heads)


def deeplab_v3(size: int = 257, quantization: str = "qc8w", seed: int = 0) -> Graph:
    """DeepLabV3 on MobileNetV2: 21 classes of every pixel, from a 16th of the image and the mean of all of it.

    Source: (W25).
    """
    make = _Files("deeplab_v3", size, quantization, seed)
    x = _bottlenecks(make, _V2, dilated=5)[-1]
    mean = make.conv("mean", make.one_pixel("pixel", x), 256, activation="relu")
    mean = make.resized("mean_everywhere", mean, make.shape(x)[1:3])
    x = make.concat("both", mean, make.conv("local", x, 256, activation="relu"))
    x = make.conv("classes", make.conv("projection", x, 256, activation="relu"), 21, activation="none")
    return make.results(make.resized("pixels", x, (size, size)))


def movenet(size: int = 192, quantization: str = "qc8w", seed: int = 0) -> Graph:
    """MoveNet's body: MobileNetV2, a pyramid back up to a quarter of the image, four heads; no decoding.

    Results: heat map of centres [.., 1], offsets of 17 joints from there [.., 34], heat maps of joints [.., 17],
    offsets within pixels [.., 34]. Source: (W26).
    """
    make = _Files("movenet", size, quantization, seed)
    stages = _bottlenecks(make, _V2)
    x = make.conv("top", stages[6], 64, activation="none")
    for i, below in ((1, stages[4]), (2, stages[2]), (3, stages[1])):
        side = make.conv(f"side{i}", below, 64, activation="none")
        x = make.add(f"sum{i}", side, make.resized(f"up{i}", x, make.shape(side)[1:3]))
        x = make.conv(f"mixed{i}", make.depthwise(f"smooth{i}", x, 3), 64, activation="none")
    heads = []
    for name, channels in (("centers", 1), ("joints", 34), ("heat", 17), ("offsets", 34)):
        y = make.conv(f"{name}_a", make.depthwise(f"{name}_dw", x, 3), 96)
        y = make.conv(f"{name}_sums", y, channels, activation="none")
        heads.append(make.node(name, Sigmoid(make.scheme(y)), y) if name in ("centers", "heat") else y)
    return make.results(*heads)


def efficientdet_lite0(size: int = 320, quantization: str = "qc8w", seed: int = 0) -> Graph:
    """EfficientDet-Lite0: a pyramid that goes down and up three times; boxes [1, anchors, 4], scores of 90 classes.

    Source: (W27).
    """
    make = _Files("efficientdet_lite0", size, quantization, seed)
    stages = _bottlenecks(make, _LITE0)
    levels = [make.conv(f"side{i}", x, 64, activation="none") for i, x in zip((3, 4, 5), (stages[2], stages[4],
                                                                                          stages[6]), strict=True)]
    for i in (6, 7):
        levels.append(make.halved(f"level{i}", levels[-1]))

    def joined(name: str, *values: TensorRef) -> TensorRef:
        x = values[0]
        for i, y in enumerate(values[1:]):
            x = make.add(f"{name}_sum{i}", x, y)
        x = make.node(f"{name}_relu", Clamp(make.scheme(x), **_relu6(make.scheme(x))), x, 0.4 * x.square)
        return make.conv(name, make.depthwise(f"{name}_dw", x, 3, activation="none"), 64, activation="none")

    for cell in range(3):
        down = [levels[4]]
        for i in (3, 2, 1, 0):
            up = make.nearest(f"cell{cell}_up{i}", down[0], make.shape(levels[i])[1:3])
            down.insert(0, joined(f"cell{cell}_down{i}", levels[i], up))
        merged = [down[0]]
        for i in (1, 2, 3, 4):
            half = make.halved(f"cell{cell}_half{i}", merged[-1])
            inner = (levels[i], down[i]) if i < 4 else (levels[i],)
            merged.append(joined(f"cell{cell}_out{i}", *inner, half))
        levels = merged
    found = []
    for name, width in (("boxes", 4), ("scores", 90)):
        parts = []
        for i, x in enumerate(levels):
            for layer in range(3):
                x = make.depthwise(f"{name}{i}_dw{layer}", x, 3, activation="none")
                x = make.conv(f"{name}{i}_pw{layer}", x, 64)
            x = make.conv(f"{name}{i}_last", make.depthwise(f"{name}{i}_dw3", x, 3, activation="none"), 9 * width,
                          activation="none")
            parts.append(make.rows(f"{name}{i}", x, width))
        found.append(make.below(name, parts))
    return make.results(found[0], make.node("classes", Sigmoid(make.scheme(found[1])), found[1]))


def _relu6(scheme: Scheme) -> dict[str, int]:
    """Limits of a ReLU6 in a scheme."""
    info, steps = np.iinfo(scheme.dtype), np.floor(np.float32(6) / np.float32(scheme.scale) + np.float32(0.5))
    return {"output_min": scheme.zero_point, "output_max": int(min(scheme.zero_point + steps, info.max))}


ARCHITECTURES: dict[str, Callable[..., Graph]] = {function.__name__: function for function in (
    efficientnet_lite0, mobilenet_v3_small, ssd_mobilenet_v1, posenet, deeplab_v3, movenet, efficientdet_lite0)}
