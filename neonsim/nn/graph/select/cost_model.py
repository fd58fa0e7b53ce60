"""What products take by families of kernels, directly and by Winograd's tiles in integers: rates, for choosing.

Nothing is timed when a network is planned. Rates were measured once, layer by layer, and tell the ratio of two ways of
the same layer on other machines of the kind: both multiply by the same instruction.

    direct   products; bytes of windows that are copied; results that are finished
    tiles    products of transformed numbers, of six rows at least; steps of both transforms; weights, which have to be
             fetched once a run; results that are finished

Measured on an AMD EPYC of Zen 5, one thread, 28 layers of 4x4 to 112x112 results and 8 to 512 channels, windows of 3x3,
5x5, 1x3, 1x7 and 7x1, each in every way and in turns, with 8 MB read between: least squares of relative errors, whose
mean is 6 to 15 %. Weights lay in the machine's third cache, so of ways that are about as quick the one of fewest bytes
is taken. docs/families.md has gains beside those of the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from neonsim.nn.graph.select.algorithms import DIRECT, MAX_TILE, Candidate, ProductShape, square, tiles_named
from neonsim.quant.winograd import cost

__all__ = ["CLEARLY", "LEAST_SHARE", "RATES", "CostCoefficients", "fastest"]

CLEARLY = 1.3       # times as quick as directly: the model's error is well below
LEAST_SHARE = 0.6   # what 16-bit sums can leave of the direct way's time: VPMADDUBSW added up by fours over VPMADDWD
_ABOUT = 1.1        # ways within are alike
_FEWEST_ROWS = 6    # that a kernel multiplies at once


class CostCoefficients(NamedTuple):
    """Of a family; nanoseconds for one of each."""

    product: float
    copied: float
    result: float
    tile_product: float
    source: float
    destination: float
    weight: float
    tile_result: float

    def seconds(self, product: ProductShape, share: float = 1.0) -> dict[str, float]:
        """{way: seconds} of a product, of bytes and of one group: directly and, with stride 1, by tiles.

        share   what sums of 16 bits leave of the direct way's time
        """
        results = product.pixels * product.oc
        direct = product.macs * self.product + product.pixels * product.depth * self.copied + results * self.result
        found = {DIRECT: direct * share * 1e-9}
        for n in range(2, MAX_TILE + 1):
            tiles, source, products, destination = cost.stages_of(square(product), product.kernel, n)
            tiles *= product.batch
            took = (max(tiles, _FEWEST_ROWS) * products * self.tile_product + products * self.weight +
                    tiles * (source * self.source + destination * self.destination) + results * self.tile_result)
            found[tiles_named(n)] = took * 1e-9
        return found


#                      directly                  by tiles
RATES = {
    "sse2":       CostCoefficients(0.0224, 0.0424, 0.4124, 0.0209, 0.0158, 0.0158, 0.0, 1.6854),
    "sse41":      CostCoefficients(0.0219, 0.0484, 0.3311, 0.0206, 0.0171, 0.0122, 0.0, 1.5764),
    "avx2":       CostCoefficients(0.0088, 0.0343, 0.2403, 0.0091, 0.0110, 0.0064, 0.0, 1.0663),
    "avx512bw":   CostCoefficients(0.0053, 0.0440, 0.0289, 0.0048, 0.0102, 0.0, 0.0260, 0.7946),
    "avx512vnni": CostCoefficients(0.0023, 0.0140, 0.0448, 0.0035, 0.0142, 0.0, 0.0167, 0.4941),
}


def fastest(candidates: Sequence[Candidate]) -> Candidate:
    """The smallest tiles of those that are about as quick as the quickest; the direct way, the first, where none is."""
    able = [one for one in candidates if one.cost is not None and not one.refusal]
    best = max(able, key=lambda one: one.gain)
    if best.gain < CLEARLY:
        return candidates[0]
    return next(one for one in able if one.gain >= CLEARLY and one.gain * _ABOUT >= best.gain)
