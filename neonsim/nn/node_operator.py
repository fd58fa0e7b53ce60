"""What a graph asks of each of its operators: of those that compute, and of those that only move elements."""

from __future__ import annotations

from typing import Any, ClassVar

__all__ = ["NodeOperator"]

Shape = tuple[int, ...]


class NodeOperator:
    """Facts of an operator, by themselves those of one that is nothing special.

    moves          bool   it moves elements, and computes nothing
    layout         str    of a move, how results lie to inputs: "join", "split", "view", "constant" or "gather"
    dense          bool   in memory nothing may lie between pixels of what it reads and writes
    selects        bool   its results are elements of its inputs, or limits
    product_kind   str    "windows", "transposed windows" or "rows", where weights multiply these
    requantizes    bool   it rounds sums of products to integers of a scheme
    mean_of        str    "windows" or "image", where its results are means
    shares         bool   its results are shares of 1
    """

    kind: ClassVar[str]
    moves: ClassVar[bool] = False
    layout: ClassVar[str] = ""
    dense: ClassVar[bool] = False
    selects: ClassVar[bool] = False
    product_kind: ClassVar[str] = ""
    requantizes: ClassVar[bool] = False
    mean_of: ClassVar[str] = ""
    shares: ClassVar[bool] = False

    @property
    def form(self) -> str:
        """What it does, in a word or two; of windows with their sizes."""
        return self.kind

    @property
    def weight_bytes(self) -> int:
        """Bytes of its weights, unpacked, without biases."""
        return 0

    def macs(self, *shapes: Shape) -> int:
        """Multiply-accumulates for inputs of these shapes, padding counted."""
        return 0

    # ---- passes
    def fold_into(self, product: Any) -> NodeOperator | None:
        """A product that does this too, by other weights; None where there is none."""
        return None

    def fuse_into(self, before: NodeOperator) -> NodeOperator | None:
        """What was before with this one's limits as its own; None where it is none of limits."""
        return None

    def within(self, low: float, high: float) -> NodeOperator | None:
        """The same cut off at these limits, too; None where it has none."""
        return None
