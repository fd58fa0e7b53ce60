"""Grids that are made ready once: run again and again, by threads, with the errors of a call."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import neonsim as ns
from neonsim.arm.machine import compiler
from neonsim.arm.machine.engines import compiled_grid
from neonsim.errors import LockstepDivergence

pytestmark = pytest.mark.skipif(compiler() is None, reason="no C compiler: install gcc or clang")
ROWS, COLUMNS = 24, 16
ADD = "ldr w3, [x0]\nadd w3, w3, #5\nstr w3, [x1]\nret"


def ready(text: str, step: int = 4) -> tuple[ns.Machine, Callable[[int], int]]:
    """Tiles with a word of input and of output each; outputs ``step`` bytes apart."""
    machine = ns.Machine()
    tiles = ROWS * COLUMNS
    a = machine.memory.place(np.arange(tiles, dtype=np.uint32), name="a")
    c = machine.memory.place(np.full(tiles + 1, 7, np.uint32), name="c")
    number = np.arange(tiles).reshape(ROWS, COLUMNS)
    return machine, machine.prepare(ns.assemble(text, isa="aarch64"), a + 4 * number, c + step * number,
                                  tiles=ns.Grid(ROWS, COLUMNS))


@pytest.mark.parametrize("threads", [1, 2, 3, 64])
def test_every_run_sees_memory_as_it_is(threads: int) -> None:
    machine, run = ready(ADD)
    for start in (0, 1000):
        machine.memory.fill(machine.memory.buffer("a").address,
                            np.arange(start, start + ROWS * COLUMNS, dtype=np.uint32).tobytes())
        assert run(threads) == 4 * ROWS * COLUMNS
        assert machine.memory.fetch("c")[:-1].tolist() == list(range(start + 5, start + 5 + ROWS * COLUMNS))
    assert not machine.memory.undefined_bits[machine.memory.buffer("c").address - machine.memory.base:][:4].any()


def test_memory_may_move_between_runs() -> None:
    machine, run = ready(ADD)
    arena = machine.memory.arena
    machine.memory.alloc(1 << 20, "more")
    assert machine.memory.arena is not arena
    run(2)
    assert machine.memory.fetch("c")[:-1].tolist() == list(range(5, 5 + ROWS * COLUMNS))


@pytest.mark.parametrize("threads", [pytest.param(1, marks=pytest.mark.nightly), 2])
@pytest.mark.parametrize("text, step, kind, says", [
    ("str w1, [x1]\nret", 0, LockstepDivergence, "tile"),
    ("str x1, [x1]\nret", 4, LockstepDivergence, "tile"),
    ("str w1, [x1]\nldr w3, [x1, #4]\nret", 4, LockstepDivergence, "tile"),
    ("ldr w3, [x0, #32]\nret", 4, ns.MemoryFault, r"tile \(23, 8\)"),
    ("mov x19, #1\nret", 4, ns.AbiViolation, "x19"),
    ("fmov d9, x0\nret", 4, ns.AbiViolation, "d9"),
    ("sub sp, sp, #16\nret", 4, ns.AbiViolation, "sp"),
], ids=["same_place", "overlap", "neighbor_read", "past_the_end", "x19", "d9", "sp"])
def test_mistakes_are_those_of_a_call(text: str, step: int, kind: Any, says: str, threads: int) -> None:
    """In every run, not only in the first."""
    _, run = ready(text, step)
    for _ in range(2):
        with pytest.raises(kind, match=says):
            run(threads)


def test_in_place_with_several_threads() -> None:
    """A buffer that is read and written: its readers are noted, by one thread."""
    machine, run = ready("ldr w3, [x0]\nadd w3, w3, w3\nstr w3, [x0]\nret")
    for times in (2, 4):
        run(4)
        assert machine.memory.fetch("a").tolist() == [times * i for i in range(ROWS * COLUMNS)]


def test_numbers_of_tiles_begin_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Owners are int32: before the last number all is cleared, and mistakes are still found."""
    monkeypatch.setattr(compiled_grid, "LAST", 2 * ROWS * COLUMNS)
    machine, run = ready(ADD)
    for _ in range(5):
        run(2)
    assert machine.memory.fetch("c")[:-1].tolist() == list(range(5, 5 + ROWS * COLUMNS))
    _, wrong = ready("str w1, [x1]\nret", 0)
    for _ in range(5):
        with pytest.raises(LockstepDivergence):
            wrong(2)


def test_two_threads_that_take_a_byte_at_once_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both saw it free: the bytes they count as theirs are more than there are, and one thread goes over it again."""
    seen: list[int] = []

    def one_less(self: compiled_grid.Owned, base: int, names: frozenset[str]) -> int:
        seen.append(base)
        return -1

    monkeypatch.setattr(compiled_grid.Owned, "since", one_less)
    machine, run = ready(ADD)
    run(2)
    assert len(seen) == 1 and machine.memory.fetch("c")[:-1].tolist() == list(range(5, 5 + ROWS * COLUMNS))


def test_a_grid_is_needed() -> None:
    with pytest.raises(ns.NeonsimError, match="tiles must be a neonsim"):
        ns.Machine().prepare(ns.assemble("ret", isa="aarch64"), tiles=(3, 4))  # type: ignore[arg-type]


@pytest.mark.nightly
def test_many_threads_with_machines_of_their_own() -> None:
    found: list[Any] = []

    def work() -> None:
        machine, run = ready(ADD)
        for _ in range(50):
            run(4)
        found.append(machine.memory.fetch("c")[:-1].tolist() == list(range(5, 5 + ROWS * COLUMNS)))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert found == [True] * 8
