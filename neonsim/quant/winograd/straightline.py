"""Transforms as straight-line programs: additions factored, every operation and its order written down.

A matrix times a vector is a list of steps, one operation each; values are numbered, inputs first. What several rows
have in common is computed once: of all pairs of terms that occur in more than one row with the same ratio, the most
frequent becomes a value of its own, until none occurs twice. The rest of a row is a chain of its terms, in the order
of their numbers, positive ones first.

    step          value
    add   a, b    a + b
    sub   a, b    a - b
    mul   a, c    a * c

The C library is built by these modules, of Python alone: none of them imports numpy. (`neonsim.quant.winograd.bytecode`
does.)

Each operation on floats is rounded by itself: nothing is fused. So the program is what kernels, portable C and the
definition have in common to the bit.

Whole results are the wanted ones times a power of two, which the last step shifts out, once: `shift_of`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

from neonsim.common.integers import as_int
from neonsim.errors import BadArgument
from neonsim.quant.winograd.bit_growth import balanced_transforms, shift_of
from neonsim.quant.winograd.transforms import Matrix, transforms

__all__ = ["MAX_PROGRAM", "StraightLineProgram", "StraightLineStep", "best_step", "factored", "transform_program"]

MAX_PROGRAM = 16    # n + k - 1: more values than the registers of a kernel

Row = dict[int, Fraction]


class StraightLineStep(NamedTuple):
    """One operation: its word, the values that it reads (b: 0 where there is one), its constant."""

    word: str
    a: int
    b: int = 0
    constant: Fraction = Fraction(0)


@dataclass(frozen=True)
class StraightLineProgram:
    """Steps from some inputs to some outputs.

    inputs    int
    steps     (Step, ...)   the i-th gives value inputs + i
    outputs   (int, ...)    numbers of values
    is_integer  bool          numbers are whole, modulo a power of two; else they are floats
    """

    inputs: int
    steps: tuple[StraightLineStep, ...]
    outputs: tuple[int, ...]
    is_integer: bool

    @property
    def additions(self) -> int:
        """Of them, subtractions included."""
        return sum(step.word in ("add", "sub") for step in self.steps)

    @property
    def multiplications(self) -> int:
        """By constants."""
        return len(self.steps) - self.additions

    @property
    def depth(self) -> int:
        """Operations that follow one another, at most: the number of roundings of a result."""
        passed = [0] * self.inputs
        for word, a, b, _ in self.steps:
            passed.append(1 + (max(passed[a], passed[b]) if word in ("add", "sub") else passed[a]))
        return max(passed[one] for one in self.outputs)

    def run(self, values: Sequence[Any]) -> list[Any]:
        """Of numbers of Python, exactly."""
        known = list(values)
        for word, a, b, constant in self.steps:
            if word in ("add", "sub"):
                known.append(known[a] + known[b] if word == "add" else known[a] - known[b])
            else:
                known.append(known[a] * constant)
        return [known[one] for one in self.outputs]

    def __str__(self) -> str:
        """One line a step.

        >>> print(factored([[1, 1], [1, -1]]))
        v2 = v0 + v1
        v3 = v0 - v1
        y0 = v2, y1 = v3
        """
        said: dict[str, Callable[[StraightLineStep], str]] = {
            "add": lambda s: f"v{s.a} + v{s.b}", "sub": lambda s: f"v{s.a} - v{s.b}",
            "mul": lambda s: f"v{s.a} * {s.constant}"}
        lines = [f"v{self.inputs + i} = {said[step.word](step)}" for i, step in enumerate(self.steps)]
        return "\n".join([*lines, ", ".join(f"y{row} = v{value}" for row, value in enumerate(self.outputs))])


class _Maker:
    def __init__(self, inputs: int, whole: bool) -> None:
        self.inputs, self.whole = inputs, whole
        self.steps: list[StraightLineStep] = []
        self._known: dict[StraightLineStep, int] = {}

    def value(self, word: str, a: int, b: int = 0, constant: Fraction = Fraction(0)) -> int:
        """The number of a step's value; equal steps are one."""
        step = StraightLineStep(word, a, b, constant)
        if step not in self._known:
            self.steps.append(step)
            self._known[step] = self.inputs + len(self.steps) - 1
        return self._known[step]

    def times(self, a: int, constant: Fraction) -> int:
        return a if constant == 1 else self.value("mul", a, constant=constant)

    def chain(self, row: Row) -> int:
        """The terms of a row one after another: first those to be added, then those to be taken away."""
        terms = sorted(row.items(), key=lambda term: (term[1] < 0, term[0]))
        first, factor = terms[0]
        found = self.times(first, factor)
        for value, factor in terms[1:]:
            found = self.value("add" if factor > 0 else "sub", found, self.times(value, abs(factor)))
        return found

    def _fits(self, ratio: Fraction) -> bool:
        return not self.whole or ratio.denominator == 1 or abs(ratio.numerator) == 1

    def share(self, rows: list[Row]) -> bool:
        """Make a value of the pair of terms that most rows have; False if no two rows have one."""
        seen: Counter[tuple[int, int, Fraction]] = Counter()
        for row in rows:
            terms = sorted(row.items())
            seen.update((a, b, y / x) for i, (a, x) in enumerate(terms) for b, y in terms[i + 1:] if self._fits(y / x))
        best = min(seen.items(), key=lambda item: (-item[1], item[0][:2], -item[0][2]), default=None)
        if best is None or best[1] < 2:
            return False
        (a, b, ratio), _ = best
        pair = {a: Fraction(1), b: ratio}
        if abs(ratio) < 1:      # Multiplied by what is whole, for integers.
            pair = {a: 1 / ratio, b: Fraction(1)}
        made = self.chain(pair)
        for row in rows:
            if a in row and b in row and row[b] / row[a] == ratio:
                row[made] = row.get(made, Fraction(0)) + row[a] / pair[a]
                del row[a], row[b]
        return True


def factored(matrix: Sequence[Sequence[Fraction | int]], *, integer: bool = False,
             divisor: int = 1) -> StraightLineProgram:
    """The program of a matrix: y = matrix @ x / divisor.

    matrix    [outputs, inputs]   integers if `integer`
    divisor   odd, of integers, which leaves no rest: the inverse modulo 2**32

    Raises BadArgument for a row of zeros and a matrix of fractions that should be whole.
    """
    rows: list[Row] = [{i: Fraction(one) for i, one in enumerate(row) if one} for row in matrix]
    if not rows or not all(rows):
        raise BadArgument("a transform needs at least one number other than 0 in every row.")
    if integer and any(one.denominator != 1 for row in rows for one in row.values()):
        raise BadArgument("a transform of integers takes a matrix of integers.")
    make = _Maker(len(matrix[0]), integer)
    while make.share(rows):
        pass
    outputs = [make.chain(row) for row in rows]
    if divisor > 1:
        outputs = [make.value("mul", one, constant=Fraction(pow(divisor, -1, 2**32))) for one in outputs]
    return _in_order(StraightLineProgram(make.inputs, tuple(make.steps), tuple(outputs), integer))


def _in_order(program: StraightLineProgram) -> StraightLineProgram:
    """The same steps, each as late as results in their order let it be: fewer values are alive at a time."""
    number = {value: value for value in range(program.inputs)}
    steps: list[StraightLineStep] = []

    def place(value: int) -> int:
        if value not in number:
            step = program.steps[value - program.inputs]
            a = place(step.a)
            b = place(step.b) if step.word in ("add", "sub") else 0
            steps.append(step._replace(a=a, b=b))
            number[value] = program.inputs + len(steps) - 1
        return number[value]

    outputs = tuple(place(one) for one in program.outputs)
    return StraightLineProgram(program.inputs, tuple(steps), outputs, program.is_integer)


def best_step(n: int, k: int) -> Fraction:
    """Distance of interpolation points with the smaller error of float32: 1 up to five numbers a tile, then 1/2.

    Source: (E16, Z15): 1/2 is worse for F(2, 3) and better from six numbers on.
    """
    return Fraction(1) if n + k - 1 < 6 else Fraction(1, 2)


@lru_cache(maxsize=256)
def transform_program(side: str, n: int, k: int, *, integer: bool = False) -> StraightLineProgram:
    """The source transform B^T or the destination transform A^T of F(n, k) along one axis.

    side    "source": n + k - 1 numbers to as many; "destination": n + k - 1 to n
    integer  as of `balanced_transforms`; the destination divides by the odd part of the factor of one axis, and leaves
            its power of two: `shift_of`

    Raises BadArgument for another side and sizes beyond MAX_PROGRAM.

    >>> print(transform_program("source", 2, 3, integer=True))
    v4 = v2 - v0
    v5 = v1 + v2
    v6 = v2 - v1
    v7 = v3 - v1
    y0 = v4, y1 = v5, y2 = v6, y3 = v7
    """
    if side not in ("source", "destination"):
        raise BadArgument(f"a transform must be of the 'source' or the 'destination'; got {side!r}.")
    n, k = as_int(n, "n", 1, MAX_PROGRAM), as_int(k, "k", 1, MAX_PROGRAM)
    if n + k - 1 > MAX_PROGRAM:
        raise BadArgument(f"F({n}, {k}) transforms {n + k - 1} numbers at a time; programs take {MAX_PROGRAM}.")
    matrix: Matrix | list[list[int]]
    if integer:
        a, b, _, factor = balanced_transforms(n, k)
        matrix = b if side == "source" else a
        turned = [list(row) for row in zip(*matrix, strict=True)]
        return factored(turned, integer=True, divisor=factor >> shift_of(n, k) if side == "destination" else 1)
    a_real, b_real, _ = transforms(n, k, best_step(n, k))
    matrix = b_real if side == "source" else a_real
    return factored([list(row) for row in zip(*matrix, strict=True)])
