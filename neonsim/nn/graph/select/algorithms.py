"""Ways in which a native network can compute a product: what each costs, what memory it needs, and where it is none.

    name              the sums are made                                              multiplications
    direct            of the image, row after row, as it lies                        all
    im2col            of windows copied side by side first                           all
    winograd NxN      of tiles that are transformed, n x n results at a time; n in   the paper's formula
                      a row or a column where windows are one tap high or wide
    strassen          of halves of the matrices, seven products for eight            7/8, and sums

A way is a `Algorithm`: it looks at a product and says a `Candidate`, and makes the layers of a network, given the
memory that it asked for. `neonsim.nn.graph.select.strategy` chooses among them; one that is added to `WAYS` is a
candidate everywhere.

Source: (E04, E05, E06, E14, E19, E21).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from functools import cache
from typing import Any, NamedTuple

from neonsim.errors import BackendError
from neonsim.nn.backends.native.library import available
from neonsim.nn.backends.native.network import NetworkLayer, algorithms
from neonsim.nn.graph.graph import Graph, Node
from neonsim.nn.graph.select.two_pass import im2col_layer
from neonsim.nn.ops import Operator
from neonsim.nn.ops.explain.strassen import strassen_gain
from neonsim.nn.ops.float32.winograd import transformed_weights
from neonsim.nn.ops.lowering import winograd_tiling
from neonsim.quant.winograd import cost as costs
from neonsim.quant.winograd import shift_of
from neonsim.ukernel.kernelgen.winograd_c import TILES, unsupported_integer_tiles

__all__ = [
    "ALGORITHMS",
    "DIRECT",
    "IM2COL",
    "MAX_TILE",
    "STRASSEN",
    "Algorithm",
    "Candidate",
    "OperatorLowering",
    "ProductShape",
    "algorithm_names",
    "get_algorithm",
    "product_of",
    "square",
    "tiles_named",
]

DIRECT, IM2COL, STRASSEN = "direct", "im2col", "strassen"


class ProductShape(NamedTuple):
    """What is multiplied: a convolution, or a fully connected layer as one of 1x1 over a column of pixels.

    batch, oh, ow, oc    of the result
    ic                   input channels of a group
    kernel, stride, dilation   (height, width)
    groups               int
    is_pointwise         bool   1x1, stride 1 and no padding: pixels are the rows of a matrix as they lie
    dtype                str    of inputs
    largest              int    of integers: no sum is further from 0, whatever the inputs; of real ones 0
    """

    batch: int
    oh: int
    ow: int
    oc: int
    ic: int
    kernel: tuple[int, int]
    stride: tuple[int, int]
    dilation: tuple[int, int]
    groups: int
    is_pointwise: bool
    dtype: str
    largest: int = 0

    @property
    def pixels(self) -> int:
        """Of the result."""
        return self.batch * self.oh * self.ow

    @property
    def depth(self) -> int:
        """Products of one sum."""
        return self.ic * self.kernel[0] * self.kernel[1]

    @property
    def macs(self) -> int:
        """Multiplications of the direct way."""
        return self.pixels * self.oc * self.depth

    @property
    def is_depthwise(self) -> bool:
        """Each channel by itself."""
        return self.groups > 1 and self.ic == 1

    def __str__(self) -> str:
        window = "x".join(map(str, self.kernel))
        more = "".join([f" stride {'x'.join(map(str, self.stride))}" * (self.stride != (1, 1)),
                        f" dilation {'x'.join(map(str, self.dilation))}" * (self.dilation != (1, 1)),
                        f" groups {self.groups}" * (self.groups > 1)])
        return f"{self.oh}x{self.ow} {self.ic * self.groups}-{self.oc} {window}{more}"


class Candidate(NamedTuple):
    """One way to compute a product.

    name      str             of the way
    cost      float or None   in the unit of the strategy; None: it is not looked at
    gain      float           how many times less than the direct way, as the strategy weighs it
    scratch   int             bytes of the arena that it needs beside its operands
    refusal   str             why it cannot be taken; "" if it can
    """

    name: str
    cost: float | None
    gain: float
    scratch: int
    refusal: str


def product_of(graph: Graph, node: Node) -> ProductShape | None:
    """A node as a product; None for one that is none."""
    one: Any = node.operator
    x, y = graph.tensors[node.inputs[0]].shape if node.inputs else (), \
        graph.tensors[node.results[0]].shape
    dtype = graph.tensors[node.inputs[0]].dtype if node.inputs else ""
    if one.product_kind == "rows":
        return ProductShape(1, math.prod(y[:-1]), 1, y[-1], x[-1], (1, 1), (1, 1), (1, 1), 1, True, dtype)
    if one.product_kind == "windows":
        shape = one.shape(x)
        return ProductShape(y[0], y[1], y[2], y[3], one.depth, shape.kernel, shape.stride, shape.dilation, one.groups,
                            shape.is_pointwise, dtype, 0 if dtype == "float32" else winograd_tiling.largest_sum(one))
    return None


class OperatorLowering(NamedTuple):
    """How an operator by itself is computed.

    refusal    str   why not so; "" if it can
    keyword    str   the lowering= of its plan; "" for its own choice
    scratch    int   bytes
    """

    refusal: str = ""
    keyword: str = ""
    scratch: int = 0


class Algorithm(ABC):
    """A way to compute products."""

    name: str

    @abstractmethod
    def refusal(self, product: ProductShape) -> str:
        """Why not, "" if it can."""

    def cost(self, product: ProductShape, policy: str, threads: int, at_once: int = 0) -> float | None:
        """Multiplications as a policy of `neonsim.quant.winograd` counts them; None where that one does not look at it.

        at_once   products of bytes in a lane, of the network that is to compute it; 0: an operator by itself
        """
        return float(product.macs * costs.direct_count(policy))

    def gain(self, product: ProductShape, policy: str, cost: float, at_once: int = 0) -> float:
        """How many times less than the direct way, as that policy weighs it."""
        return product.macs * costs.direct_count(policy) / cost

    def scratch(self, product: ProductShape) -> int:
        """Bytes that it needs in the arena."""
        return 0

    def lowering(self, operator: Operator, product: ProductShape, shape: tuple[int, ...]) -> OperatorLowering:
        """How an operator by itself goes this way, for an input of a shape."""
        return OperatorLowering(f"operators by themselves have no lowering {self.name}")

    @abstractmethod
    def layers(self, kind: str, fields: dict[str, Any], place: int) -> list[NetworkLayer]:
        """The layers of a network, for the layer that the operator is by itself; `place`: of the scratch memory."""

    def candidate(self, product: ProductShape, policy: str, threads: int, at_once: int = 0) -> Candidate:
        """What it offers."""
        no, cost = self.refusal(product), self.cost(product, policy, threads, at_once)
        if cost is None and not no:
            no = f"{policy} does not look at it"
        return Candidate(self.name, cost, 0.0 if cost is None else self.gain(product, policy, cost, at_once),
                         0 if no else self.scratch(product), no)


class _Direct(Algorithm):
    name = DIRECT

    def refusal(self, product: ProductShape) -> str:
        return ""

    def lowering(self, operator: Operator, product: ProductShape, shape: tuple[int, ...]) -> OperatorLowering:
        return OperatorLowering()

    def layers(self, kind: str, fields: dict[str, Any], place: int) -> list[NetworkLayer]:
        return [NetworkLayer.create(kind, **fields)]


class _Copied(Algorithm):
    """Windows copied side by side; an element copied counts as much as a product."""

    name = IM2COL

    def refusal(self, product: ProductShape) -> str:
        if not _is_bytes(product):
            return f"the layer that copies windows has bytes, not {product.dtype}"
        if product.is_depthwise:
            return "channels by themselves have no matrix to be copied for"
        return "nothing to copy: pixels are the rows of a matrix as they lie" if product.is_pointwise else ""

    def cost(self, product: ProductShape, policy: str, threads: int, at_once: int = 0) -> float | None:
        direct = super().cost(product, policy, threads)
        return None if direct is None else direct + self.scratch(product)

    def scratch(self, product: ProductShape) -> int:
        return product.pixels * product.depth * product.groups

    def layers(self, kind: str, fields: dict[str, Any], place: int) -> list[NetworkLayer]:
        first, product = im2col_layer(fields, place)
        return [first, NetworkLayer.create(kind, **product)]

    def lowering(self, operator: Operator, product: ProductShape, shape: tuple[int, ...]) -> OperatorLowering:
        return OperatorLowering(self.refusal(product), self.name, self.scratch(product))


def tiles_named(n: int) -> str:
    """The way by tiles of n results along an axis."""
    return f"winograd {n}x{n}"


class _Tiles(Algorithm):
    """Winograd's tiles of n results along each axis on which windows have more than one tap."""

    def __init__(self, n: int) -> None:
        self.n, self.name = n, tiles_named(n)

    def refusal(self, product: ProductShape) -> str:
        if why := _no_tiles(product):
            return why
        window = "x".join(map(str, product.kernel))
        if self._layer not in _in_library():
            return _not_built(product.dtype)
        if product.dtype == "float32":
            there = all(taps == 1 or self.n in TILES.get(taps, ()) for taps in product.kernel)
            return "" if there else f"networks have no such tiles for windows of {window}"
        return self._too_large(product) if _is_bytes(product) else _not_built(product.dtype)

    def lowering(self, operator: Any, product: ProductShape, shape: tuple[int, ...]) -> OperatorLowering:
        if operator.product_kind != "windows" or not _is_bytes(product):
            return super().lowering(operator, product, shape)
        made = winograd_tiling.candidate(operator, shape, self.n)
        return OperatorLowering(made.refusal, made.name, made.scratch)

    @property
    def _layer(self) -> str:
        """What the C library calls it."""
        return f"winograd_{self.n}"

    def _too_large(self, product: ProductShape) -> str:
        """Integers grow on their way: numbers of a tile have 16 bits, and sums lose what the last shift takes."""
        if why := unsupported_integer_tiles(self.n, product.kernel):
            return why
        shift = sum(shift_of(self.n, taps) for taps in product.kernel if taps > 1)
        return winograd_tiling.sums_overflow(product.largest, shift)

    def cost(self, product: ProductShape, policy: str, threads: int, at_once: int = 0) -> float | None:
        layer = square(product)
        if _no_tiles(product) or self.n not in costs.sizes_of(layer, policy, threads):
            return None
        if product.kernel[0] != product.kernel[1]:
            # The code of MNN looks at square windows only.
            if policy != "mnn":
                return None
            if not (at_once and _is_bytes(product)):
                return float(product.batch * costs.cost_by_axis(layer, product.kernel, self.n))
        if at_once and _is_bytes(product):
            whole = costs.exact_integer_cost(layer, self.n, at_once, product.kernel)
            return float(product.batch * whole * costs.direct_count(policy))
        return float(product.batch * costs.winograd_cost(layer, self.n, policy))

    def gain(self, product: ProductShape, policy: str, cost: float, at_once: int = 0) -> float:
        if product.kernel[0] != product.kernel[1] or (at_once and _is_bytes(product)):
            return super().gain(product, policy, cost)
        return costs.estimated_speedup(square(product), self.n, policy)

    def layers(self, kind: str, fields: dict[str, Any], place: int) -> list[NetworkLayer]:
        changed: dict[str, Any] = {"algorithm": algorithms()[self._layer]}
        if kind == "f32_conv":
            taps = fields["weights"].shape[1:3]
            changed["weights"] = transformed_weights(fields["weights"], (self.n if taps[0] > 1 else 1,
                                                                         self.n if taps[1] > 1 else 1))
        return [NetworkLayer.create(kind, **{**fields, **changed})]


@cache
def _in_library() -> frozenset[str]:
    """Algorithms that layers have."""
    return frozenset() if available() is not None else frozenset(algorithms())


def square(product: ProductShape) -> costs.ConvLayer:
    """A product as `quant.winograd.cost` counts it, of a square window."""
    return costs.ConvLayer(product.oh, product.ow, product.ic, product.oc, max(product.kernel))


def _is_bytes(product: ProductShape) -> bool:
    return product.dtype in ("uint8", "int8")


def _no_tiles(product: ProductShape) -> str:
    """Why a product has no tiles."""
    if product.kernel == (1, 1):
        return "a window of one tap has nothing to save"
    if product.stride != (1, 1) or product.dilation != (1, 1):
        return "windows of a tile must lie side by side: stride and dilation 1"
    return "each channel by itself has no products to share transforms" if product.groups > 1 else ""


def _not_built(dtype: str) -> str:
    return f"networks have no such layer for {dtype}"


class _Halves(Algorithm):
    """Strassen: seven products of halves for eight, where that saves more than it moves."""

    name = STRASSEN

    def refusal(self, product: ProductShape) -> str:
        if not product.is_pointwise or product.groups > 1:
            return "only products of whole matrices are halved: 1x1, stride 1, one group"
        m, n, k = product.pixels, product.oc, product.ic
        if min(m, n, k) < 2:
            return f"a product of {m} by {n} by {k} has no halves"
        if strassen_gain(m, n, k) <= 0:
            return f"{m} by {n} by {k} is too small: the sums cost more than the eighth product"
        return _not_built(product.dtype)

    def cost(self, product: ProductShape, policy: str, threads: int, at_once: int = 0) -> float | None:
        if not product.is_pointwise or product.groups > 1 or min(product.pixels, product.oc, product.ic) < 2:
            return None
        saved = strassen_gain(product.pixels, product.oc, product.ic)
        return (product.macs - saved) * costs.direct_count(policy)

    def layers(self, kind: str, fields: dict[str, Any], place: int) -> list[NetworkLayer]:
        raise BackendError(f"networks have no layer of {self.name}.")


MAX_TILE = 8
ALGORITHMS: tuple[Algorithm, ...] = (_Direct(), _Copied(), *(_Tiles(n) for n in range(2, MAX_TILE + 1)), _Halves())


def algorithm_names() -> tuple[str, ...]:
    """Names of all ways."""
    return tuple(way.name for way in ALGORITHMS)


def get_algorithm(name: str) -> Algorithm:
    """The way of that name."""
    return next(way for way in ALGORITHMS if way.name == name)
