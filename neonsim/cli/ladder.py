"""The loops of `neonsim study ladder`: every matrix product kernel of the catalogue, counted and timed."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from tqdm import tqdm  # type: ignore[import-untyped]

from neonsim.backends import native
from neonsim.timing import Able, count, needs_of, time
from neonsim.timing.op import longest_loop, stream_of
from neonsim.timing.studies import Ladder, Rung, ladder
from neonsim.timing.studies.steps import Measured
from neonsim.ukernel import Kernel, kernels
from neonsim.ukernel.header import split_name

from .ladder_host import measure_ladder

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
    rungs = [_rung(k, names, able) for k in tqdm(every, desc="loops", disable=None, leave=False)]
    return ladder(rungs, names, able.sentences(), {} if options.no_host else _measured())


def _measured() -> dict[str, Measured]:
    """What this machine does; where there is no C library, a word on it."""
    missing = native.available()
    if missing is None:
        return measure_ladder()
    print(f"not measured here: {missing}", file=sys.stderr)
    return {}
