"""Blocks of memory that live from one step to another: no two that live together overlap, and how much it takes."""

from __future__ import annotations

import numpy as np
import pytest

from neonsim.errors import BadArgument
from neonsim.nn.graph import MODELS, model
from neonsim.nn.graph.memory.allocator import ALIGNMENT, METHODS, ArenaBlock, bound, place_blocks
from neonsim.nn.graph.memory.planner import joins, place
from tests.nn.graph.architectures import ARCHITECTURES


def by_chance(seed: int) -> list[ArenaBlock]:
    """The tensors of a network by chance: layer after layer, with branches of one to four layers that are added or put
    side by side, sizes that grow and shrink, and scratch memory of some."""
    rng = np.random.default_rng([7, seed])
    names, last, blocks = ["x"], {"x": 0}, []
    sizes = {"x": int(2 ** rng.uniform(8, 20))}
    first = {"x": -1}
    step = 0

    def layer(*reads: str) -> str:
        nonlocal step
        name = f"t{step}"
        for one in reads:
            last[one] = step
        first[name], last[name] = step, step
        sizes[name] = max(int(sizes[reads[0]] * 2 ** rng.uniform(-1.2, 1.0)), 1)
        if rng.random() < 0.3:
            blocks.append(ArenaBlock(f"s{step}", int(sizes[name] * 2 ** rng.uniform(-3, 2)), step, step, scratch=True))
        step += 1
        names.append(name)
        return name

    at = "x"
    for _ in range(int(rng.integers(1, 14))):
        branches = []
        for _ in range(int(rng.integers(1, 5))):
            branch = at
            for _ in range(int(rng.integers(0, 5))):
                branch = layer(branch)
            branches.append(branch)
        at = layer(*branches)
    for name in rng.permutation(names)[:int(rng.integers(0, 3))]:
        last[str(name)] = step      # results
    last[at] = step
    return blocks + [ArenaBlock(name, sizes[name], first[name], last[name]) for name in names]


def check(blocks: list[ArenaBlock], offsets: dict[str, int], nbytes: int) -> None:
    places = np.array([offsets[block.name] for block in blocks])
    sizes, first, last = (np.array([getattr(block, what) for block in blocks]) for what in ("nbytes", "first", "last"))
    assert (places % ALIGNMENT == 0).all() and (places >= 0).all() and (places + sizes <= nbytes).all()
    together = np.maximum.outer(first, first) <= np.minimum.outer(last, last)
    there = np.minimum.outer(sizes, sizes) > 0
    apart = np.add.outer(places + sizes, -places) <= 0      # the one in the row ends before the one in the column
    wrong = np.triu(together & there & ~(apart | apart.T), 1)
    assert not wrong.any(), [(blocks[i], blocks[j]) for i, j in np.argwhere(wrong)]


@pytest.mark.parametrize("count", [60, pytest.param(10_000, marks=pytest.mark.nightly)])
def test_lives_never_overlap(count: int) -> None:
    """By every way; the bound is a bound; the largest first come within 1.15 of it in 95 of 100."""
    ratios: dict[str, list[float]] = {way: [] for way in METHODS}
    for seed in range(count):
        blocks = by_chance(seed)
        least = bound(blocks)
        steps = range(min(b.first for b in blocks), max(b.last for b in blocks) + 1)
        assert least == max(sum(b.nbytes for b in blocks if b.first <= at <= b.last) for at in steps)
        for way in METHODS:
            made = place_blocks(blocks, way)
            check(blocks, dict(made.offsets), made.nbytes)
            assert made.nbytes >= least
            ratios[way].append(made.nbytes / least)
    assert np.mean(np.array(ratios["largest-first"]) <= 1.15) >= 0.95
    assert np.mean(ratios["largest-first"]) < np.mean(ratios["reference-counts"]) < np.mean(ratios["no-reuse"])


@pytest.mark.parametrize("name", ["mobilenet_v1", "squeezenet", *(
    pytest.param(name, marks=pytest.mark.nightly) for name in (*MODELS, *ARCHITECTURES))])
def test_networks_take_hardly_more_than_they_must(name: str) -> None:
    """Within a twentieth; with scratch memory of every node as large as its result too."""
    graph = model(name) if name in MODELS else ARCHITECTURES[name]()
    arena = place(graph, joined=joins(graph))
    assert arena.peak <= arena.nbytes <= 1.05 * arena.peak
    assert place(graph, joined=joins(graph), method="reference-counts").nbytes >= arena.nbytes
    scratch = {node.name: graph.tensors[node.results[0]].nbytes for node in graph.nodes}
    arena = place(graph, joined=joins(graph), scratch=scratch)
    assert arena.peak <= arena.nbytes <= 1.05 * arena.peak and arena.scratch.keys() == scratch.keys()


def test_scratch_memory_lies_where_the_dead_lay() -> None:
    """What a node needs for itself takes no room of its own, as long as others were larger before."""
    blocks = [ArenaBlock("a", 6400, -1, 0), ArenaBlock("b", 640, 0, 2), ArenaBlock("c", 640, 1, 2),
              ArenaBlock("s", 3200, 1, 1, scratch=True)]
    for way in ("largest-first", "reference-counts"):
        made = place_blocks(blocks, way)
        assert made.nbytes == bound(blocks) == 7040
        assert made.offsets["s"] < made.offsets["a"] + 6400 and made.offsets["a"] < made.offsets["s"] + 3200


def test_pieces_are_split_and_joined() -> None:
    """The steps of a free list: the smallest that fits, its rest kept, parts one again when all are free."""
    blocks = [ArenaBlock("a", 1024, 0, 0), ArenaBlock("b", 256, 1, 1), ArenaBlock("c", 256, 1, 2),
              ArenaBlock("d", 1024, 3, 3)]
    made = place_blocks(blocks, "reference-counts")
    assert made.offsets == {"a": 0, "b": 0, "c": 256, "d": 0} and made.nbytes == 1024
    # As long as a part of it is taken a piece is not whole: the next goes to the end.
    late = place_blocks([*blocks[:2], ArenaBlock("c", 256, 1, 3), blocks[3]], "reference-counts")
    assert late.offsets["d"] == 1024


def test_what_is_no_block() -> None:
    for blocks, said in (([ArenaBlock("a", 1, 2, 1)], "a lives from step 2 to 1"),
                         ([ArenaBlock("a", -1, 0, 1)], "-1 bytes"),
                         ([ArenaBlock("a", 1, 0, 1)] * 2, "have the same name")):
        with pytest.raises(BadArgument, match=said):
            place_blocks(blocks)
    with pytest.raises(BadArgument, match="largest-first, reference-counts, no-reuse; got 'best'"):
        place_blocks([], "best")
    assert place_blocks([]).nbytes == bound([]) == 0
