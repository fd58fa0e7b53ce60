"""What a convolution costs directly and through F(n x n, k x k), as counted by the paper and by MNN's code.

    policy      transforms and product of one tile, t = n + k - 1                              n it looks at
    mnn         2 ic t^3 + ic oc t^2 + n t (2n + k - 1) oc                                     1 to 8; 1 is direct
    mnn-2020    2 ic t^2 + ic oc t^2 + (t + n) n oc, and a penalty of 0.12 t^2 / k^2           2 to 8 with t of 4, 8
    mnn-main    2 ic t^3 + 2 ic oc t^2 + 2 (t + n) n t oc, the direct way counted twice        2 to 8 with t of 4, 6, 8

Source: (E04, E05, E06, E07, E08): X. Jiang et al., MNN: A Universal and Efficient Inference Engine, 2020; MNN
`source/backend/cpu/compute/ConvolutionWinograd.cpp` of 2020, `ConvolutionPackWinograd.cpp` of today.
"""

from __future__ import annotations

from collections.abc import Callable
from math import isqrt
from typing import NamedTuple

from neonsim.common.integers import as_int
from neonsim.errors import BadArgument

__all__ = ["POLICIES", "ConvLayer", "TileChoice", "choose", "cost_by_axis", "direct_cost", "direct_count",
           "estimated_speedup", "exact_integer_cost", "sizes_of", "stages_of", "winograd_cost"]

_MAX_N = 8


class ConvLayer(NamedTuple):
    """A convolution with a square window and stride 1: its result is [oh, ow, oc]."""

    oh: int
    ow: int
    ic: int
    oc: int
    k: int = 3


class TileChoice(NamedTuple):
    """n, what it costs, how many times less than directly, and why n is no other; n = 1 is the direct way."""

    n: int
    cost: int
    gain: float
    reason: str


def direct_cost(layer: ConvLayer) -> int:
    """Multiplications of the sliding window.

    >>> direct_cost(ConvLayer(56, 56, 64, 64))
    115605504
    """
    return layer.oh * layer.ow * layer.ic * layer.oc * layer.k**2


def _paper(n: int, t: int, layer: ConvLayer) -> int:
    return 2 * layer.ic * t**3 + layer.ic * layer.oc * t**2 + n * t * (2 * n + layer.k - 1) * layer.oc


def _mnn2020(n: int, t: int, layer: ConvLayer) -> int:
    return 2 * layer.ic * t**2 + layer.ic * layer.oc * t**2 + (t + n) * n * layer.oc


def _head(n: int, t: int, layer: ConvLayer) -> int:
    return 2 * layer.ic * t**3 + 2 * layer.ic * layer.oc * t**2 + 2 * (t + n) * n * t * layer.oc


class _Policy(NamedTuple):
    tile: Callable[[int, int, ConvLayer], int]
    direct: int                     # how often the direct way is counted
    sizes: tuple[int, ...]          # of t; () for all
    pixels: int                     # results a thread should have for each tile of 1 x 1; 0: n is not bounded so
    penalty: float


POLICIES = {
    "mnn": _Policy(_paper, 1, (), 0, 0.0),
    "mnn-2020": _Policy(_mnn2020, 1, (4, 8), 8, 0.12),
    "mnn-main": _Policy(_head, 2, (4, 6, 8), 1, 0.0),
}


def _policy(name: str) -> _Policy:
    if name not in POLICIES:
        raise BadArgument(f"a policy must be {', '.join(POLICIES)}; got {name!r}.")
    return POLICIES[name]


def winograd_cost(layer: ConvLayer, n: int, policy: str = "mnn") -> int:
    """Of all tiles of n x n results, in multiplications.

    >>> winograd_cost(ConvLayer(4, 4, 1, 1), 2)
    768
    """
    rule, n = _policy(policy), as_int(n, "n", 1, 64)
    return rule.tile(n, n + layer.k - 1, layer) * -(-layer.oh // n) * -(-layer.ow // n)


def cost_by_axis(layer: ConvLayer, kernel: tuple[int, int], n: int) -> int:
    """The same by the paper's stages for any window, n results along each axis of more than one tap.

    kernel   (height, width), in place of the layer's k

    >>> cost_by_axis(ConvLayer(56, 56, 64, 64), (3, 3), 8) == winograd_cost(ConvLayer(56, 56, 64, 64), 8)
    True
    >>> inception = ConvLayer(17, 17, 192, 192)
    >>> round(17 * 17 * 192 * 192 * 7 / cost_by_axis(inception, (1, 7), 4), 2)
    2.22
    """
    tiles, *stages = stages_of(layer, kernel, n)
    return tiles * sum(stages)


def stages_of(layer: ConvLayer, kernel: tuple[int, int], n: int) -> tuple[int, int, int, int]:
    """Tiles; of each the source transform, the product, the destination transform."""
    (ky, kx), (ny, nx) = kernel, (n if taps > 1 else 1 for taps in kernel)
    ty, tx = ny + ky - 1, nx + kx - 1
    source = layer.ic * ty * tx * ((ty if ky > 1 else 0) + (tx if kx > 1 else 0))
    destination = layer.oc * ny * ((ty * tx if ky > 1 else 0) + (nx * tx if kx > 1 else 0))
    return -(-layer.oh // ny) * -(-layer.ow // nx), source, layer.ic * layer.oc * ty * tx, destination


# Rows of a matrix below which a product does not get quicker: its weights have to be fetched all the same.
_FEWEST_ROWS = 14


def exact_integer_cost(layer: ConvLayer, n: int, at_once: int, kernel: tuple[int, int] = (3, 3)) -> int:
    """Of all tiles in integers, for 8-bit operands, in multiplications of the direct way.

    at_once   products of bytes that a lane of 32 bits adds up in one step: 4 with dot products, else 2
    kernel    (height, width), in place of the layer's k

    Numbers of tiles have 16 bits, two to a lane; a step of the source transform is one of two numbers a lane, a step
    of the destination's of one. The stages are those of the paper; in whose formula nothing says how wide numbers are.

    >>> direct = direct_cost(ConvLayer(28, 28, 128, 128))
    >>> [round(direct / exact_integer_cost(ConvLayer(28, 28, 128, 128), 4, at_once), 2) for at_once in (2, 4)]
    [2.87, 1.43]
    """
    tiles, source, product, destination = stages_of(layer, kernel, n)
    return at_once * (tiles * (source + 2 * destination) + max(tiles, _FEWEST_ROWS) * product // 2)


def direct_count(policy: str) -> int:
    """How many times a policy counts a multiplication of the direct way."""
    return _policy(policy).direct


def sizes_of(layer: ConvLayer, policy: str = "mnn", threads: int = 1) -> tuple[int, ...]:
    """The n that a policy looks at for a layer, without 1, the direct way.

    >>> sizes_of(ConvLayer(56, 56, 64, 64), "mnn-2020"), sizes_of(ConvLayer(14, 14, 256, 256), "mnn-2020")
    ((2, 6), (2,))
    """
    rule = _policy(policy)
    if layer.k < 2:
        return ()
    most = _MAX_N
    if rule.pixels:
        most = max(2, min(most, isqrt(-(-layer.oh * layer.ow // (rule.pixels * as_int(threads, "threads", 1, 1024))))))
    return tuple(n for n in range(2, most + 1) if not rule.sizes or n + layer.k - 1 in rule.sizes)


def estimated_speedup(layer: ConvLayer, n: int, policy: str = "mnn") -> float:
    """How many times less n costs than the direct way, less the policy's penalty: the largest is taken, 1 is direct."""
    rule = _policy(policy)
    penalty = rule.penalty * (n + layer.k - 1)**2 / layer.k**2
    return rule.direct * direct_cost(layer) / winograd_cost(layer, n, policy) - penalty


def choose(layer: ConvLayer, policy: str = "mnn", threads: int = 1) -> TileChoice:
    """The n that a policy takes for a layer.

    >>> choose(ConvLayer(56, 56, 64, 64)).n, choose(ConvLayer(56, 56, 64, 64), "mnn-2020").n
    (8, 6)
    """
    rule = _policy(policy)
    direct = direct_cost(layer) * rule.direct
    if layer.k < 2:
        return TileChoice(1, direct, 1.0, "a window of one tap has nothing to save")
    best = TileChoice(1, direct, 1.0, f"no n gains on the direct way's {direct:,}")
    highest = 1.0
    for n in sizes_of(layer, policy, threads):
        weighed = estimated_speedup(layer, n, policy)
        # MNN goes the direct way below 1, not at 1.
        if weighed > highest or (rule.sizes and weighed >= 1.0 and best.n == 1):
            cost = winograd_cost(layer, n, policy)
            best = TileChoice(n, cost, direct / cost,
                              f"{direct / cost:.2f} times less than the direct way's {direct:,}")
            highest = weighed
    return best
