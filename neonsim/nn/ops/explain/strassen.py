"""Strassen's product of matrices, in Winograd's form: seven products of halves for eight, and fifteen sums.

    S1 = A[21] + A[22]   S2 = S1 - A[11]   S3 = A[11] - A[21]   S4 = A[12] - S2
    T1 = B[12] - B[11]   T2 = B[22] - T1   T3 = B[22] - B[12]   T4 = T2 - B[21]
    P1 = A[11] B[11]   P2 = A[12] B[21]   P3 = S4 B[22]   P4 = A[22] T4   P5 = S1 T1   P6 = S2 T2   P7 = S3 T3
    U2 = P1 + P6   U3 = U2 + P7   U4 = U2 + P5
    C[11] = P1 + P2   C[12] = U4 + P3   C[21] = U3 - P4   C[22] = U3 + P5

A plan is a flat list of products and sums over parts of four memories, made before the run: the executor goes from
step to step, without a choice, an allocation or a call of itself. Where a size is odd, the last row, column or depth is
left over and multiplied by itself.

Source: (E19, E20, E21); N. Higham, Accuracy and Stability of Numerical Algorithms, 2002, 23.2.2, for the bound.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from neonsim.common.integers import as_int
from neonsim.errors import BadArgument

__all__ = ["Rectangle", "StrassenPlan", "StrassenStep", "pays_2020", "strassen", "strassen_gain", "where_it_pays"]

_MAX_SIZE = 1 << 14
_MAX_LEVELS = 8
Matrix = NDArray[Any]


class Rectangle(NamedTuple):
    """A rectangle of a memory: of the operands "a" and "b", the result "c", or the plan's own, "t".

    start    int   number of its first element
    stride   int   elements from row to row
    """

    memory: str
    start: int
    stride: int
    rows: int
    columns: int

    def cut(self, row: int, column: int, rows: int, columns: int) -> Rectangle:
        """A part of it."""
        return Rectangle(self.memory, self.start + row * self.stride + column, self.stride, rows, columns)

    def seen(self, memory: Matrix) -> Matrix:
        """The elements, of a memory in one row."""
        size = memory.itemsize
        return np.lib.stride_tricks.as_strided(memory[self.start:], (self.rows, self.columns),
                                               (self.stride * size, size))


class StrassenStep(NamedTuple):
    """`product` and `more` (added to what is there): target = a b; `add`, `sub`: target = a + b, a - b."""

    word: str
    target: Rectangle
    a: Rectangle
    b: Rectangle


def strassen_gain(m: int, n: int, k: int) -> float:
    """What one level saves by the paper's count: products, less what the sums read and write, sizes halved (E21).

    >>> strassen_gain(32, 32, 32) > 0, strassen_gain(30, 30, 30) > 0
    (True, False)
    """
    a, b, c = m / 2, n / 2, k / 2
    return m * n * k - 7 * a * b * c - (4 * a * c + 4 * b * c + 7 * a * b)


def pays_2020(m: int, n: int, k: int) -> bool:
    """Whether MNN's code of 2020 takes another level: depth and columns counted in fours, memory three times as dear.

    >>> pays_2020(32, 32, 32), pays_2020(512, 512, 512)
    (False, True)
    """
    e, h, depth = m // 2, -(-n // 4) // 2, -(-k // 4) // 2
    return e * depth * h * (1 + 1 / 8) - 3 * (4 * e * depth + 4 * 4 * depth * h + 7 * e * h) >= 0


@dataclass(frozen=True)
class StrassenPlan:
    """A product [m, k] by [k, n] as a list.

    levels    int              of halves
    steps     (Step, ...)
    scratch   int              numbers of its own memory
    """

    m: int
    n: int
    k: int
    levels: int
    steps: tuple[StrassenStep, ...]
    scratch: int

    @property
    def multiplications(self) -> int:
        """Of all products, counted step by step: 7/8 a level where sizes are even."""
        return sum(s.a.rows * s.a.columns * s.b.columns for s in self.steps if s.word in ("product", "more"))

    @property
    def additions(self) -> int:
        """Of sums of parts, those within products not counted."""
        return sum(s.target.rows * s.target.columns for s in self.steps if s.word in ("add", "sub"))

    def traffic(self, itemsize: int = 4) -> int:
        """Bytes that steps read and write, each operand once (modelled: no cache)."""
        def size(part: Rectangle) -> int:
            return part.rows * part.columns

        return itemsize * sum(size(s.a) + size(s.b) + size(s.target) * (2 if s.word == "more" else 1)
                              for s in self.steps)

    def run(self, a: Matrix, b: Matrix, multiply: Callable[..., Any] = np.matmul) -> Matrix:
        """The product; int32 wraps, so that it is exact modulo 2**32, floats are rounded by every step.

        a, b       [m, k], [k, n] of one type: int32, float32 or float64
        multiply   (a, b, out=) -> a b written to out

        Raises BadArgument for other shapes and types.
        """
        if a.shape != (self.m, self.k) or b.shape != (self.k, self.n):
            raise BadArgument(f"this plan multiplies [{self.m}, {self.k}] by [{self.k}, {self.n}]; got {list(a.shape)} "
                              f"by {list(b.shape)}.")
        if a.dtype != b.dtype or a.dtype not in (np.int32, np.float32, np.float64):
            raise BadArgument(f"a and b must be both int32, float32 or float64; got {a.dtype} and {b.dtype}.")
        memory = {"a": np.ascontiguousarray(a).reshape(-1), "b": np.ascontiguousarray(b).reshape(-1),
                  "c": np.empty(self.m * self.n, a.dtype), "t": np.empty(self.scratch, a.dtype)}
        for word, target, left, right in self.steps:
            out, x, y = (part.seen(memory[part.memory]) for part in (target, left, right))
            if word == "product":
                multiply(x, y, out=out)
            elif word == "more":
                out += x @ y
            else:
                (np.add if word == "add" else np.subtract)(x, y, out=out)
        return memory["c"].reshape(self.m, self.n)

    def error_bound(self, a: Matrix, b: Matrix) -> float:
        """How far a result in float32 can be from the exact one: 18**levels * (k0**2 + 6 k0) * 2**-24 * max|a| max|b|,
        k0 the depth of the smallest products, to first order."""
        depth = max(s.a.columns for s in self.steps if s.word in ("product", "more"))
        first = 18.0**self.levels * (depth**2 + 6 * depth)
        left_over = self.k if self.levels else 0
        return float((first + left_over**2) * 2.0**-24 * abs(a).max() * abs(b).max())


class _Maker:
    """Steps as they come; its memory is a stack, whose highest place is what a plan needs."""

    def __init__(self) -> None:
        self.steps: list[StrassenStep] = []
        self.top = self.most = 0

    def room(self, rows: int, columns: int) -> Rectangle:
        found = Rectangle("t", self.top, columns, rows, columns)
        self.top += rows * columns
        self.most = max(self.most, self.top)
        return found

    def step(self, word: str, target: Rectangle, a: Rectangle, b: Rectangle) -> Rectangle:
        self.steps.append(StrassenStep(word, target, a, b))
        return target

    def product(self, c: Rectangle, a: Rectangle, b: Rectangle, levels: int) -> None:
        """c = a b."""
        m, k, n = a.rows // 2, a.columns // 2, b.columns // 2
        if levels == 0 or min(m, k, n) == 0:
            self.step("product", c, a, b)
            return
        begin = self.top
        a11, a12, a21, a22 = self._quarters(a, m, k)
        b11, b12, b21, b22 = self._quarters(b, k, n)
        s, t = self.room(m, k), self.room(k, n)
        p1, p5, p6 = (self.room(m, n) for _ in range(3))
        p = self.room(m, n)
        down = levels - 1
        self.step("add", s, a21, a22)                               # S1
        self.step("sub", t, b12, b11)                               # T1
        self.product(p5, s, t, down)
        self.step("sub", s, s, a11)                                 # S2
        self.step("sub", t, b22, t)                                 # T2
        self.product(p6, s, t, down)
        self.step("sub", s, a12, s)                                 # S4
        self.step("sub", t, t, b21)                                 # T4
        self.product(p1, a11, b11, down)
        self.step("add", p6, p1, p6)                                # U2
        c11, c12, c21, c22 = self._quarters(c, m, n)
        self.product(p, a12, b21, down)
        self.step("add", c11, p1, p)
        self.product(p, s, b22, down)
        self.step("add", p1, p6, p5)                                # U4
        self.step("add", c12, p1, p)
        self.product(p, a22, t, down)
        self.step("sub", s, a11, a21)                               # S3
        self.step("sub", t, b22, b12)                               # T3
        self.product(p1, s, t, down)
        self.step("add", p6, p6, p1)                                # U3
        self.step("sub", c21, p6, p)
        self.step("add", c22, p6, p5)
        self.top = begin
        self._left_over(c, a, b, (m, n, k))

    @staticmethod
    def _quarters(x: Rectangle, rows: int, columns: int) -> tuple[Rectangle, Rectangle, Rectangle, Rectangle]:
        return (x.cut(0, 0, rows, columns), x.cut(0, columns, rows, columns), x.cut(rows, 0, rows, columns),
                x.cut(rows, columns, rows, columns))

    def _left_over(self, c: Rectangle, a: Rectangle, b: Rectangle, halves: tuple[int, int, int]) -> None:
        """The last depth of what is there, the last column, the last row."""
        m, n, k = (2 * one for one in halves)
        if k < a.columns:
            self.step("more", c.cut(0, 0, m, n), a.cut(0, k, m, 1), b.cut(k, 0, 1, n))
        if n < b.columns:
            self.step("product", c.cut(0, n, m, 1), a.cut(0, 0, m, a.columns), b.cut(0, n, b.rows, 1))
        if m < a.rows:
            self.step("product", c.cut(m, 0, 1, b.columns), a.cut(m, 0, 1, a.columns), b)


def strassen(m: int, n: int, k: int, *, levels: int | None = None,
             pays: Callable[[int, int, int], bool] = lambda m, n, k: strassen_gain(m, n, k) > 0) -> StrassenPlan:
    """Plan a product [m, k] by [k, n].

    levels   of halves, 0 to 8; None: as long as `pays` says of the halves that another one does
    pays     (m, n, k) -> bool: the paper's rule; pays_2020 is that of MNN's code

    Raises BadArgument for sizes that are not 1 to 16384.

    >>> plan = strassen(64, 64, 64, levels=2)
    >>> plan.multiplications / 64**3 == (7 / 8)**2, len(plan.steps)
    (True, 169)
    """
    m, n, k = (as_int(value, name, 1, _MAX_SIZE) for value, name in ((m, "m"), (n, "n"), (k, "k")))
    if levels is None:
        levels, size = 0, (m, n, k)
        while levels < _MAX_LEVELS and min(size) >= 2 and pays(*size):
            levels, size = levels + 1, (size[0] // 2, size[1] // 2, size[2] // 2)
    levels = as_int(levels, "levels", 0, _MAX_LEVELS)
    make = _Maker()
    make.product(Rectangle("c", 0, n, m, n), Rectangle("a", 0, k, m, k), Rectangle("b", 0, n, k, n), levels)
    return StrassenPlan(m, n, k, levels, tuple(make.steps), make.most)


def where_it_pays(sizes: Sequence[int], levels: int = 1, repeats: int = 5) -> list[tuple[int, float]]:
    """Measured here: (size, times as fast as numpy's product) of squares of float32, both in turn, the best of each."""
    found = []
    for size in sizes:
        rng = np.random.default_rng(size)
        a, b = (rng.normal(size=(size, size)).astype(np.float32) for _ in range(2))
        plan = strassen(size, size, size, levels=levels)
        best = [float("inf")] * 2
        for _ in range(repeats):
            ways: tuple[Callable[[Matrix, Matrix], Matrix], ...] = (np.matmul, plan.run)
            for i, do in enumerate(ways):
                begin = time.perf_counter()
                do(a, b)
                best[i] = min(best[i], time.perf_counter() - begin)
        found.append((size, best[0] / best[1]))
    return found
