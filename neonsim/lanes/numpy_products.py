"""Sums of products as matrix products, in generated numpy.

When one factor of a product varies along the grid's rows only and the other along its columns only, the sum over k of
x[k] * y[k] is the product of a matrix [rows, k] and a matrix [k, lanes * columns]: one call of the BLAS in floating
point instead of 2 * k passes over the grid.

It is exact, not approximate. Ranges are carried along (a widened byte is at most 255), and it is done only where the
sum of all |x * y| stays below 2**24 in float32, or 2**53 in float64: then every partial sum is an integer that the
format holds, in whatever order they are added.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .source import Node, SourceLanes, pick

if TYPE_CHECKING:
    from .source_numpy import NumpyWriter

__all__ = ["Products", "even_slice", "product"]

SHORTEST = 3     # products in a sum that is worth a matrix product
PIECE = 1 << 18  # multiplications at a time: few enough for one core's cache, and for the BLAS to start no threads


class Products:
    """Finds the sums of products among the nodes of a writer."""

    def __init__(self, writer: NumpyWriter) -> None:
        self.writer = writer
        self._ranges: dict[int, tuple[int, int]] = {}
        self._keep: list[Node] = []

    def range(self, node: Node) -> tuple[int, int]:
        """An interval that holds every lane."""
        found = self._ranges.get(id(node))
        if found is None:
            self._keep.append(node)
            low, high = self._loose_range(node)
            if not (node.type.low <= low and high <= node.type.high):
                low, high = node.type.low, node.type.high
            found = self._ranges[id(node)] = low, high
        return found

    def _loose_range(self, node: Node) -> tuple[int, int]:
        """The same before it wraps."""
        a = node.args
        if node.op in ("lanes", "wide"):
            return self.range(a[0])
        if node.op == "const":
            return min(a), max(a)
        if node.op == "join":
            parts = [self.range(x) for x in a]
            return min(x for x, _ in parts), max(y for _, y in parts)
        if node.op == "kind":
            # The bits of a number that wrapped are those of the number.
            return self._loose_range(a[0])
        if node.op in ("+", "-", "*"):
            (p, q), (r, s) = self.range(a[0]), self.range(a[1])
            ends = [p + r, q + s] if node.op == "+" else [p - s, q - r] if node.op == "-" else [
                p * r, p * s, q * r, q * s]
            return min(ends), max(ends)
        return node.type.low, node.type.high

    def summed(self, node: Node) -> int | None:
        """A sum with enough products of a row's and a column's value in it, as a matrix product; None if there are not.
        """
        terms: list[Node] = []
        waiting = [node]
        while waiting:
            x = waiting.pop()
            inner = x.uses < 2 and id(x) not in self.writer.arrays
            if x.op == "+" and x.count == node.count and (inner or x is node):
                waiting += (x.args[1], x.args[0])
            else:
                terms.append(x)
        groups: dict[bool, list[tuple[Node, Node]]] = {}
        rest: list[Node] = []
        for term in terms:
            found = self._outer(term) if term.count == node.count else None
            if found is None or self._reach([found[:2]]) >= 1 << 53:
                rest.append(term)
            else:
                groups.setdefault(found[2], []).append(found[:2])
        if not groups or max(map(len, groups.values())) < SHORTEST:
            return None
        number: int | None = None
        for term in rest:
            at = self.writer.array(term)
            number = at if number is None else self._added(number, at, node)
        for by_row, pairs in groups.items():
            at = self._matrix(by_row, pairs, node)
            number = at if number is None else self._added(number, at, node)
        return number

    def _added(self, x: int, y: int, node: Node) -> int:
        return self.writer.made("add({0}, {1})", (x, y), node, in_place="add({0}, {1}, {out})")

    def _outer(self, term: Node) -> tuple[Node, Node, bool] | None:
        """(one lane, several lanes, whether the one lane varies along rows) of a product that spans the grid."""
        if term.op != "*" or term.type.bits > 64:
            return None
        for x, y in (term.args, term.args[::-1]):
            x, y = _narrowest(x), _narrowest(y)
            if self.writer.form(x) != "array" or self.writer.form(y) != "array" or x.count != 1:
                continue
            a, b = self.writer.of(self.writer.array(x)), self.writer.of(self.writer.array(y))
            if a.rows and not a.columns and b.columns and not b.rows:
                return x, y, True
            if a.columns and not a.rows and b.rows and not b.columns:
                return x, y, False
        return None

    def _reach(self, pairs: list[tuple[Node, Node]]) -> int:
        """What the sum of all |x * y| cannot exceed."""
        return sum(max(map(abs, self.range(x))) * max(map(abs, self.range(y))) for x, y in pairs)

    def _matrix(self, by_row: bool, pairs: list[tuple[Node, Node]], node: Node) -> int:
        reach = self._reach(pairs)
        kind = "f4" if reach < 1 << 24 else "f8"
        if reach >= 1 << 53:
            half = len(pairs) // 2
            return self._added(self._matrix(by_row, pairs[:half], node), self._matrix(by_row, pairs[half:], node), node)
        left = self._stacked([x for x, _ in pairs], kind, by_row)
        right = self._stacked([y for _, y in pairs], kind, not by_row)
        n = node.count
        # [R, k] @ [k, n*C] as it comes; [R*n, k] @ [k, C] if the many lanes are those of the rows.
        first, second = (left, right) if by_row else (right, left)
        wide = "i8" if reach >= 1 << 31 else "i4"
        text = f"product({{0}}, {{1}}, {wide}).reshape(R, {n}, C).astype({self.writer.dtype(node.type)}, copy=False)"
        return self.writer.line(text, (first, second), True, True, node.type, n)

    def _stacked(self, nodes: list[Node], kind: str, by_row: bool) -> int:
        """[rows * lanes, k] of values that vary along rows, [k, lanes * columns] of those along columns."""
        n, k = nodes[0].count, len(nodes)
        picked = [pick(node, 0) for node in nodes]
        number = self.writer.one_source([source for source, _ in picked]) if n == 1 else None
        if number is not None:
            lanes = [lane for _, lane in picked]
            cut = even_slice(lanes) or self.writer.indices(lanes)
            cut = "" if lanes == list(range(self.writer.of(number).count)) else f"[:, {cut}]"
            text = f"{{0}}{cut}.reshape({'R' if by_row else k}, {k if by_row else 'C'}).astype({kind})"
            return self.writer.line(text, (number,), by_row, not by_row, None, k)
        numbers = [self.writer.array(node) for node in nodes]
        if by_row:
            text = f"empty((R, {n}, {k}), {kind}); " + "; ".join(
                f"{{=}}[:, :, {i}] = {{{i}}}[:, :, 0]" for i in range(k)) + f"; {{=}} = {{=}}.reshape(-1, {k})"
        else:
            text = f"empty(({k}, {n}, C), {kind}); " + "; ".join(
                f"{{=}}[{i}] = {{{i}}}[0]" for i in range(k)) + f"; {{=}} = {{=}}.reshape({k}, -1)"
        return self.writer.line(text, numbers, by_row, not by_row, None, n * k, key=("stack", kind, by_row, *numbers))


def even_slice(indices: list[int]) -> str | None:
    """Evenly stepping indices as a slice, None for others."""
    first, step = indices[0], indices[1] - indices[0] if len(indices) > 1 else 1
    if step <= 0 or indices != list(range(first, first + step * len(indices), step)):
        return None
    return f"{first}:{indices[-1] + 1}" + (f":{step}" if step > 1 else "")


def _narrowest(node: Node) -> Node:
    """The node before it was widened: of the same values."""
    while node.op == "wide" or (node.op == "lanes" and node.args[0].op == "wide"):
        node = node.args[0] if node.op == "wide" else SourceLanes(node.args[0].args[0])._lanes(node.args[1]).node
    return node


def product(x: Any, y: Any, dtype: Any) -> Any:
    """The matrix product of whole numbers held in floating point, as integers; in pieces that stay in the cache."""
    rows, depth = x.shape
    step = max(1, PIECE // (depth * y.shape[1]))
    if step >= rows:
        return np.matmul(x, y).astype(dtype)
    out = np.empty((rows, y.shape[1]), dtype)
    for at in range(0, rows, step):
        np.copyto(out[at:at + step], np.matmul(x[at:at + step], y), casting="unsafe")
    return out
