"""Whether a call of an exercise keeps to its budget, from the record that the page made of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from neonsim.arm.asm import Program
from neonsim.arm.machine.trace.backward_slice import needed_steps
from neonsim.arm.timing.counts import Budget
from neonsim.errors import TimingError

from .priced import Accesses, modeled, recorded

__all__ = ["judge"]


def judge(program: Program, budget: Budget, outputs: Sequence[str], pcs: Sequence[int], executed: Sequence[int],
          accesses: Accesses, buffers: Sequence[dict[str, Any]]) -> tuple[list[str], list[str]]:
    """(what is kept, what is missed): sentences, as `neonsim course check` has them.

    outputs   names of the buffers that hold the result

    The others as of `price`.
    """
    stream = recorded(program, pcs, executed, accesses, buffers)
    memory = {at for one in buffers if one["name"] in outputs
              for at in range(one["address"], one["address"] + one["nbytes"])}
    useful = needed_steps(program, pcs, executed, lambda step: _bytes(accesses[step]), memory)
    cycles = None
    if budget.cycles is not None:
        try:
            cycles = modeled(stream, budget.core)[0].cycles
        except TimingError as problem:
            return [], [f"its cycles cannot be modelled: {problem}"]
    neon = [stream.ops[at].neon for at in stream.order]
    useful_neon = sum(one and used for one, used in zip(neon, useful, strict=True))
    return budget.judge(len(stream), sum(neon), useful_neon, cycles)


def _bytes(accesses: Sequence[tuple[int, int, int]]) -> tuple[list[int], list[int]]:
    """Addresses of the bytes that a step loads, and that it stores."""
    found: tuple[list[int], list[int]] = [], []
    for first, nbytes, store in accesses:
        found[store].extend(range(first, first + nbytes))
    return found
