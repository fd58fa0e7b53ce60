"""The loops of `neonsim study ladder`: every matrix product kernel of the catalogue, counted and timed."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from tqdm import tqdm  # type: ignore[import-untyped]

from neonsim.timing import Able, count, needs_of, time
from neonsim.timing.op import longest_loop, stream_of
from neonsim.timing.studies import Ladder, Rung, ladder
from neonsim.ukernel import Kernel, kernels
from neonsim.ukernel.header import split_name

__all__ = ["CONTRACTS", "make_ladder"]

# One contract of each kind of product: others have the same loops, and another end.
CONTRACTS = ("qu8_gemm_q31", "qu8_gemm_xzp_q31", "u8_gemm_packed_s32", "qs8_gemm_rndnu", "qu8_gemm_rndnu")


def _rung(kernel: Kernel, names: Sequence[str], able: Able) -> Rung:
    program = kernel.program()
    entry = longest_loop(program)
    _, tile, isa, technique = split_name(kernel.name)
    cycles = {core: float(time(stream_of(program, entry=entry), core=core).cycles_per_iteration)
              for core in able.cores(names, needs_of(program, kernel.name, [kernel.feature]))}
    return Rung(kernel.name, tile, f"{isa} {technique}", count(program, entry=entry), cycles)


def make_ladder(names: Sequence[str], options: argparse.Namespace) -> Ladder:
    """The study on these cores; cores that cannot run a kernel are left out of its row, and said."""
    able = Able()
    every = [k for contract in CONTRACTS for k in kernels(contract) if (k.tile.nr or 0) > 1]
    return ladder([_rung(k, names, able) for k in tqdm(every, desc="loops", disable=None, leave=False)], names,
                  able.sentences())
