"""Inception-v3: windows of 1x7, 7x1, 1x3, 3x1 and 5x5 beside 1x1 and 3x3, side by side (W28)."""

from __future__ import annotations

from neonsim.common.integers import as_int
from neonsim.nn.graph.graph import Graph
from neonsim.nn.graph.models.builder import GraphBuilder, TensorRef, scaled
from neonsim.nn.graph.models.float_builder import maker

__all__ = ["inception_v3"]


class _Blocks:
    """Its blocks, on a maker; `width` multiplies all channels."""

    def __init__(self, make: GraphBuilder, width: float) -> None:
        self.make, self.width = make, width

    def conv(self, name: str, x: TensorRef, channels: int, window: tuple[int, int] = (1, 1), stride: int = 1,
             same: bool = True) -> TensorRef:
        """With a ReLU; same: the image keeps its size."""
        padding = (window[0] // 2, window[1] // 2) if same else 0
        return self.make.conv(name, x, scaled(channels, self.width), window, stride=stride, padding=padding,
                              activation="relu")

    def chain(self, name: str, x: TensorRef, *steps: tuple[int, tuple[int, int]]) -> TensorRef:
        """Convolutions behind each other: (channels, window)."""
        for number, (channels, window) in enumerate(steps, 1):
            x = self.conv(f"{name}_{number}_{window[0]}x{window[1]}", x, channels, window)
        return x

    def pooled(self, name: str, x: TensorRef, channels: int) -> TensorRef:
        """Means of 3x3, then a 1x1."""
        mean = self.make.avg_pool(f"{name}_mean", x, 3, 1, 1, self.make.scheme(x))
        return self.conv(f"{name}_pool", mean, channels)

    def reduced(self, name: str, x: TensorRef, *branches: TensorRef) -> TensorRef:
        """Half the size: what branches of stride 2 made, and the largest of 3x3."""
        return self.make.concat(name, *branches, self.make.max_pool(f"{name}_max", x, 3, 2))

    def a(self, name: str, x: TensorRef, pool: int) -> TensorRef:
        """1x1, 5x5, and two 3x3."""
        return self.make.concat(
            name, self.conv(f"{name}_one", x, 64), self.chain(f"{name}_five", x, (48, (1, 1)), (64, (5, 5))),
            self.chain(f"{name}_three", x, (64, (1, 1)), (96, (3, 3)), (96, (3, 3))), self.pooled(name, x, pool))

    def b(self, name: str, x: TensorRef, inner: int) -> TensorRef:
        """Sevens one way and the other."""
        across, down = (1, 7), (7, 1)
        return self.make.concat(
            name, self.conv(f"{name}_one", x, 192),
            self.chain(f"{name}_seven", x, (inner, (1, 1)), (inner, across), (192, down)),
            self.chain(f"{name}_sevens", x, (inner, (1, 1)), (inner, down), (inner, across), (inner, down),
                       (192, across)), self.pooled(name, x, 192))

    def c(self, name: str, x: TensorRef) -> TensorRef:
        """Threes one way beside threes the other."""
        def both(name: str, y: TensorRef) -> tuple[TensorRef, TensorRef]:
            return self.conv(f"{name}_1x3", y, 384, (1, 3)), self.conv(f"{name}_3x1", y, 384, (3, 1))

        return self.make.concat(
            name, self.conv(f"{name}_one", x, 320), *both(f"{name}_three", self.conv(f"{name}_three", x, 384)),
            *both(f"{name}_threes", self.chain(f"{name}_threes", x, (448, (1, 1)), (384, (3, 3)))),
            self.pooled(name, x, 192))


def inception_v3(size: int = 299, quantization: str = "qu8", seed: int = 0, width: float = 1.0) -> Graph:
    """Inception-v3 without its second classifier.

    size    75 and more: below nothing is left of the image
    width   of channels, times so much: 1 is the published network
    """
    make = maker("inception_v3", as_int(size, "size", 75, 1024), quantization, seed)
    on = _Blocks(make, width)
    three = (3, 3)
    x = on.conv("stem1", make.input, 32, three, stride=2, same=False)
    x = on.conv("stem3", on.conv("stem2", x, 32, three, same=False), 64, three)
    x = on.conv("stem5", on.conv("stem4", make.max_pool("pool1", x, 3, 2), 80), 192, three, same=False)
    x = make.max_pool("pool2", x, 3, 2)
    for number, pool in enumerate((32, 64, 64), 1):
        x = on.a(f"a{number}", x, pool)
    long = on.chain("down1_three", x, (64, (1, 1)), (96, three))
    x = on.reduced("down1", x, on.conv("down1_one", x, 384, three, stride=2, same=False),
                   on.conv("down1_long", long, 96, three, stride=2, same=False))
    for number, inner in enumerate((128, 160, 160, 192), 1):
        x = on.b(f"b{number}", x, inner)
    long = on.chain("down2_seven", x, (192, (1, 1)), (192, (1, 7)), (192, (7, 1)))
    x = on.reduced("down2", x, on.conv("down2_one", on.conv("down2_first", x, 192), 320, three, stride=2, same=False),
                   on.conv("down2_long", long, 192, three, stride=2, same=False))
    for number in (1, 2):
        x = on.c(f"c{number}", x)
    return make.finish(make.linear("classifier", make.global_pool("pool", x), 1000))


NETWORKS = (inception_v3,)
