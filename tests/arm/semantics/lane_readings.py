"""One word of the vocabulary in every reading, against plain Python integers.

`check` takes a function of lanes and the same function of lists of integers. The inputs are the edges of their types
and random values; each reading computes the function its own way.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from neonsim.arm.semantics import (
    ElementType,
    NumpyLanes,
    PolynomialLanes,
    PythonWriter,
    ShadowLanes,
    SourceLanes,
    SymbolicLanes,
    TermPool,
    element,
)
from neonsim.arm.semantics.codegen.to_python import HELPERS

WIDTHS = (8, 16, 32, 64)
INTEGERS = [element(kind, bits) for bits in WIDTHS for kind in "su"]
WITH_128 = [*INTEGERS, element("s", 128), element("u", 128)]
ROWS, COLUMNS = 2, 3
GRIDS = ((1, 1), (ROWS, 1), (1, COLUMNS), (ROWS, COLUMNS))
Input = tuple[ElementType, int]


def value_in(type_: ElementType, number: int) -> int:
    """A number modulo the lane width, in the range of the type."""
    number %= 1 << type_.bits
    return number - (1 << type_.bits) if type_.kind == "s" and number >> type_.bits - 1 else number


def draw(rng: random.Random, type_: ElementType) -> int:
    """An edge of the type, a small number, or any number."""
    w = type_.bits
    if type_.kind == "f" and rng.random() < 0.7:
        fraction = 23 if w == 32 else 10
        one = (1 << w - 2) - (1 << fraction)
        size = rng.choice((0, 1, (1 << fraction) - 1, 1 << fraction, one, one + rng.randrange(-9, 9) % (1 << fraction),
                           one + rng.randrange(-20, 20) * (1 << fraction - 1), 2 * one, 2 * one + (1 << fraction) - 1,
                           2 * one + (1 << fraction), 2 * one + (1 << fraction) + 1,
                           2 * one + (3 << fraction - 1) + 5)) & (1 << w - 1) - 1
        return size | rng.getrandbits(1) << w - 1
    edges = (0, 1, 2, -1, -2, (1 << w - 1) - 1, 1 << w - 1, (1 << w - 1) + 1, (1 << w) - 2, 1 << w // 2,
             (1 << w // 2) - 1, -(1 << w // 2))
    kind = rng.random()
    number = rng.choice(edges) if kind < 0.4 else rng.randrange(-9, 9) if kind < 0.5 else rng.getrandbits(w)
    return value_in(type_, number)


def flat(result: Any) -> tuple[Any, ...]:
    return result if isinstance(result, tuple) else (result,)


def check(function: Callable[..., Any], reference: Callable[..., Any], inputs: Sequence[Input], seed: int,
          rounds: int = 6) -> None:
    """Every reading of ``function`` equals ``reference``, which takes and returns lists (several results: a tuple)."""
    rng = random.Random(seed)
    for at in range(rounds):
        axes = [GRIDS[(at + i) % 4] if at else (1, 1) for i in range(len(inputs))]
        # values[input][row][column] is a list of lanes; along an axis of length 1 there is one of them
        values = [[[[draw(rng, type_) for _ in range(count)] for _ in range(columns)] for _ in range(rows)]
                  for (type_, count), (rows, columns) in zip(inputs, axes, strict=True)]

        def tile(i: int, j: int, values: Any = values) -> list[list[int]]:
            return [v[i % len(v)][j % len(v[0])] for v in values]

        _one_tile(function, reference, inputs, tile(0, 0))
        if at:
            _grid(function, reference, inputs, values, tile)


def _one_tile(function: Any, reference: Any, inputs: Sequence[Input], values: list[list[int]]) -> None:
    types = [t for t, _ in inputs]
    expected = flat(reference(*values))
    plain = flat(function(*(NumpyLanes.from_integers(v, t) for v, t in zip(values, types, strict=True))))
    shadow = flat(function(*(ShadowLanes(NumpyLanes.from_integers(v, t)) for v, t in zip(values, types, strict=True))))
    leaves = {(f"p{i}", k): x for i, v in enumerate(values) for k, x in enumerate(v)}
    symbolic = flat(function(*(SymbolicLanes.leaves(f"p{i}", t, c) for i, (t, c) in enumerate(inputs))))
    for want, p, s, e in zip(expected, plain, shadow, symbolic, strict=True):
        assert p.array.dtype == p.type.dtype
        assert p.tolist() == want, f"numpy, inputs {values}"
        assert s.undefined is None
        assert s.value.tolist() == want, f"shadow, inputs {values}"
        assert e.type is p.type
        assert s.type is p.type
        assert [lane.evaluate(leaves) for lane in e.lanes] == want, f"symbolic, inputs {values}: {e}"
    _terms(function, inputs, values, expected)
    # A node belongs to one writer, who notes in it what is computed already.
    as_python(_source(function, inputs), values, expected)
    C_CASES.append((_source(function, inputs), list(inputs), values, expected))
    JAVASCRIPT_CASES.append((_source(function, inputs), list(inputs), values, expected))


def _terms(function: Any, inputs: Sequence[Input], values: list[list[int]], expected: tuple[Any, ...]) -> None:
    """Terms, of variables and of numbers; then the numbers' own terms must be numbers."""
    pool = TermPool()
    made = flat(function(*(PolynomialLanes.inputs(pool, f"p{i}", t, c) for i, (t, c) in enumerate(inputs))))
    known = flat(function(*(PolynomialLanes.from_integers(pool, v, t) for v,
                            (t, _) in zip(values, inputs, strict=True))))
    leaves = {(f"p{i}", k): x for i, v in enumerate(values) for k, x in enumerate(v)}
    for want, lanes, numbers in zip(expected, made, known, strict=True):
        got = pool.evaluate(list(lanes.lanes), leaves)
        assert [lanes.type.wrap(x) for x in got] == want, f"terms, inputs {values}: {lanes}"
        assert numbers.type is lanes.type
        assert [lanes.type.wrap(t.constant) for t in numbers.lanes] == want, f"terms of numbers, inputs {values}"


def _source(function: Any, inputs: Sequence[Input]) -> tuple[Any, ...]:
    return flat(function(*(SourceLanes.named(f"p{i}", t, c) for i, (t, c) in enumerate(inputs))))


def as_python(results: tuple[Any, ...], values: list[list[int]], expected: tuple[Any, ...]) -> None:
    """The generated Python, run."""
    writer = PythonWriter()
    texts = [[writer.exact(r.node, lane).text for lane in range(r.count)] for r in results]
    source = "\n".join([*writer.lines, f"results = [{', '.join('[' + ', '.join(t) + ']' for t in texts)}]"])
    scope = dict(HELPERS) | {f"p{i}_{k}": x for i, v in enumerate(values) for k, x in enumerate(v)}
    exec(source, scope)
    for want, got in zip(expected, scope["results"], strict=True):
        assert [int(x) for x in got] == want, f"Python, inputs {values}:\n{source}"


# What `check` saw, for the test that compiles it all as C: (results, inputs, values, expected).
C_CASES: list[tuple[tuple[Any, ...], list[Input], list[list[int]], tuple[Any, ...]]] = []
# The same, for the test that runs it in Node: a node belongs to one writer.
JAVASCRIPT_CASES: list[tuple[tuple[Any, ...], list[Input], list[list[int]], tuple[Any, ...]]] = []


def _grid(function: Any, reference: Any, inputs: Sequence[Input], values: Any, tile: Any) -> None:
    made = []
    for (type_, _), v in zip(inputs, values, strict=True):
        array = np.empty((len(v[0][0]), len(v), len(v[0])), type_.dtype)
        for i, row in enumerate(v):
            for j, lanes in enumerate(row):
                array[:, i, j] = lanes
        made.append(NumpyLanes(array, type_))
    for result in (flat(function(*made)), tuple(s.value for s in flat(function(*map(ShadowLanes, made))))):
        full = [np.broadcast_to(r.array, (r.count, ROWS, COLUMNS)) for r in result]
        for i in range(ROWS):
            for j in range(COLUMNS):
                expected = flat(reference(*tile(i, j)))
                for want, got in zip(expected, full, strict=True):
                    assert got[:, i, j].tolist() == want, f"tile {(i, j)}, inputs {tile(i, j)}"


# ---- which bits are known -------------------------------------------------------------------------------------------

FLIPS = 192


def check_shadow(function: Callable[..., Any], inputs: Sequence[Input], seed: int, exact: bool = False,
                 known: Sequence[int] = (), rounds: int = 8) -> None:
    """A result bit that changes when unknown input bits do is marked unknown; if ``exact``, no other is.

    known   numbers of inputs whose bits are all known
    """
    rng = random.Random(seed)
    for _ in range(rounds):
        values = [[draw(rng, t) for _ in range(c)] for t, c in inputs]
        masks = [[0 if i in known else _mask(rng, t.bits) for _ in range(c)] for i, (t, c) in enumerate(inputs)]
        shadow = flat(function(*(
            ShadowLanes(NumpyLanes.from_integers(v, t), NumpyLanes.from_integers(m, t.with_("u")))
            for v, m, (t, _) in zip(values, masks, inputs, strict=True))))
        # One grid row per way of flipping: nothing, all unknown bits to zero, all to one, any, a single one.
        flipped = []
        for v, m, (t, c) in zip(values, masks, inputs, strict=True):
            array = np.empty((c, FLIPS, 1), t.dtype)
            for lane in range(c):
                for row in range(FLIPS):
                    chosen = ((0, v[lane], ~v[lane])[row] if row < 3 else rng.getrandbits(t.bits) if row % 3 else
                              1 << rng.randrange(t.bits))
                    array[lane, row, 0] = value_in(t, v[lane] ^ m[lane] & chosen)
            flipped.append(NumpyLanes(array, t))
        for marked, seen in zip(shadow, flat(function(*flipped)), strict=True):
            full = np.broadcast_to(seen.array, (seen.count, FLIPS, 1))
            for lane in range(marked.count):
                at = [int(x) & marked.type.mask for x in full[lane, :, 0]]
                changed = 0
                for x in at:
                    changed |= x ^ at[0]
                unknown = int(marked.mask.array[lane])
                note = f"lane {lane}: changed {changed:#x}, marked {unknown:#x}, inputs {values}, unknown {masks}"
                assert int(marked.value.array[lane]) & marked.type.mask == at[0]
                assert changed & ~unknown == 0, f"a bit that changes is marked known; {note}"
                if exact:
                    assert changed == unknown, f"a bit that cannot change is marked unknown; {note}"


def _mask(rng: random.Random, bits: int) -> int:
    """Unknown bits: none, all, one, whole bytes, or any."""
    kind = rng.randrange(6)
    if kind == 0:
        return 0
    if kind == 1:
        return (1 << bits) - 1
    if kind == 2:
        return 1 << rng.randrange(bits)
    if kind == 3:
        return sum(255 << at for at in range(0, bits, 8) if rng.random() < 0.5)
    return rng.getrandbits(bits) & rng.getrandbits(bits)
