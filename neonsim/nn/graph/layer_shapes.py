"""How deep and how wide the products of networks are: the histogram behind "K and N are at most 1024, mostly 32 to 256"
(A11).

A product of a layer is M x K by K x N: M output pixels, K weights for each of N output channels, both within a group.
Depthwise convolutions are left out: no product is behind them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from neonsim.common.study_report import Bars, Quoted, Report
from neonsim.errors import BadArgument
from neonsim.nn.graph.graph import Graph

__all__ = ["LayerProduct", "products", "shapes", "share"]

EDGES = (16, 32, 64, 128, 256, 512, 1024)       # of the bins; the last is open
USUAL, MAX_SIZE = (32, 256), 1024                    # (A11)
MOBILE = ("mobilenet_v1", "mobilenet_v2")        # the networks that the article speaks of


@dataclass(frozen=True)
class LayerProduct:
    """The matrix product of one layer.

    network, layer   str
    m, k, n          int   rows, depth, columns of one group
    macs             int   multiply-accumulates of the layer, all groups
    taps, groups     int   pixels of a window, which k counts as depth; products beside each other
    """

    network: str
    layer: str
    m: int
    k: int
    n: int
    macs: int
    taps: int = 1
    groups: int = 1


def products(graph: Graph) -> list[LayerProduct]:
    """The products of a graph's convolutions and fully connected layers, depthwise ones left out."""
    found = []
    for node in graph.nodes:
        one: Any = node.operator
        out = graph.tensors[node.results[0]]
        if out.scheme is None:
            continue
        if one.product_kind == "rows":
            k, n, taps, groups = int(one.w.shape[1]), int(one.w.shape[0]), 1, 1
        elif one.product_kind == "windows" and not (one.groups > 1 and one.depth == 1):
            taps, groups = one.window[0] * one.window[1], one.groups
            k, n = taps * one.depth, one.outputs // groups
        else:
            continue
        found.append(LayerProduct(graph.name, node.name, out.size // out.shape[-1], k, n, graph.macs_of(node), taps,
                                  groups))
    return found


def _count(sizes: Iterable[int]) -> list[int]:
    """How many fall into each bin."""
    counts = [0] * (len(EDGES) + 1)
    for size in sizes:
        counts[next((i for i, edge in enumerate(EDGES) if size <= edge), len(EDGES))] += 1
    return counts


def share(products: Iterable[LayerProduct], dimension: str, low: int, high: int, by_macs: bool = False) -> float:
    """Of these products, or of their multiply-accumulates, with low <= size <= high: 0 to 1.

    dimension  "k" or "n"
    """
    some = [(getattr(p, dimension), p.macs if by_macs else 1) for p in products]
    return sum(weight for size, weight in some if low <= size <= high) / max(sum(w for _, w in some), 1)


def _bins() -> list[str]:
    lower = [1, *(edge + 1 for edge in EDGES)]
    return [*(f"{a}-{b}" if a > 1 else f"to {b}" for a, b in zip(lower, EDGES, strict=False)), f"over {EDGES[-1]}"]


def shapes(graphs: Sequence[Graph]) -> Report:
    """The products of some networks, by depth and by columns. Raises BadArgument if they have none."""
    found = [p for graph in graphs for p in products(graph)]
    if not found:
        raise BadArgument("None of these networks has a product.")
    low, high = USUAL
    head = ["network", "", "layers", *_bins(), "largest", f"{low}..{high}", f"..{MAX_SIZE}", "by MACs"]
    rows = []
    for name in dict.fromkeys(p.network for p in found):
        mine = [p for p in found if p.network == name]
        for what in ("k", "n"):
            sizes = [int(getattr(p, what)) for p in mine]
            shares = (share(mine, what, low, high), share(mine, what, 1, MAX_SIZE),
                      share(mine, what, low, high, by_macs=True))
            rows.append([name, what.upper(), str(len(sizes)), *(str(c) if c else "-" for c in _count(sizes)),
                         str(max(sizes)), *(f"{100 * one:.0f}%" for one in shares)])
    mobile = [p for p in found if p.network in MOBILE]
    others = [p for p in found if p.network not in MOBILE]
    sets = [(word, some) for word, some in (("MobileNets", mobile), ("other networks", others)) if some]
    counts = [_count(getattr(p, what) for p in some) for _, some in sets for what in ("k", "n")]
    groups = [(name, tuple(float(c[i]) if c[i] else None for c in counts)) for i, name in enumerate(_bins())]
    return Report(
        "Depths K and columns N of the products in networks (counted)", _notes(mobile), (head, rows),
        Bars("layers by depth (K) and columns (N) of their product, in bins of powers of two",
             tuple(f"{what.upper()}, {word}" for word, _ in sets for what in ("k", "n")), tuple(groups)),
        # Source: (A11).
        quoted=(Quoted("1024, and 32 to 256", "article", "QNNPACK's"),))


def _notes(mobile: Sequence[LayerProduct]) -> str:
    if not mobile:
        return ""
    low, high = USUAL
    beyond = [f"{p.network} {p.layer}: {what.upper()} = {getattr(p, what)}" for what in ("k", "n")
              for p in mobile if getattr(p, what) > MAX_SIZE]
    usual, by_macs = ([100 * share(mobile, what, low, high, by) for what in ("k", "n")] for by in (False, True))
    return (f"The article says of mobile networks: K and N are at most {MAX_SIZE}, mostly {low} to {high}. Of the "
            f"{len(mobile)} products of the MobileNets here, K is {low} to {high} in {usual[0]:.0f} % and N in "
            f"{usual[1]:.0f} %; by their multiply-accumulates {by_macs[0]:.0f} % and {by_macs[1]:.0f} %.\n"
            f"Beyond {MAX_SIZE}: {'; '.join(beyond) or 'none'}.\n"
            "A panel of 8 rows and 8 columns of depth 1024 takes 16 KB: it fits a first-level cache of 32 KB, so that "
            "nothing has to be repacked or cut in depth. Full 3x3 convolutions, as in ResNet-18, are deeper.")
