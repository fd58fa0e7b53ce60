"""Kernels of the catalogue that are measured, each at a shape of a real layer, with the bytes that must come out.

A row is called "NAME KC" in files: a whole tile of the kernel, KC deep. The operands are those of `ukernel.cases`, so
a board computes what the emulated machine does, and its program compares every byte before it measures.
"""

from __future__ import annotations

from functools import cache

from neonsim.arm.machine import Trace
from neonsim.arm.timing import Core, load_core, time
from neonsim.ukernel import Case, Kernel, kernel
from neonsim.ukernel.case_runner import setup
from neonsim.ukernel.cases import shaped

__all__ = ["DEPTHS", "calls_of", "case_of", "modeled_call", "needs_of_call"]

# Depths of pointwise layers: 256 as at 14 x 14 of MobileNet, 64 as at its first ones.
DEPTHS = (64, 256)
IN_A_ROW = 3        # calls that are modelled one after the other, as the program makes them
_KERNELS = {
    "aarch64": ("qu8_gemm_q31_8x8__aarch64_neon_mlal_lane", "qs8_gemm_rndnu_4x16__aarch64_neon_mlal_lane",
                "qs8_gemm_rndnu_4x16__aarch64_neon_mlal_lane_cortex_a53",
                "qs8_gemm_rndnu_4x16__aarch64_neon_mlal_lane_cortex_a55",
                "qs8_gemm_rndnu_2x8c8__aarch64_neon_mlal_padal", "qs8_gemm_rndnu_4x8c2__aarch64_neon_mull_padal_dup",
                "qs8_gemm_rndnu_4x16c4__aarch64_neondot_ld64", "qs8_gemm_rndnu_4x16c8__aarch64_neoni8mm"),
    "aarch32": ("qu8_gemm_q31_4x8__aarch32_neon_mlal_lane", "qu8_gemm_xzp_q31_4x8c2__aarch32_neon_mull_padal"),
}


def calls_of(isa: str) -> dict[str, tuple[Kernel, int]]:
    """Row -> (kernel, depth)."""
    return {f"{name} {depth}": (kernel(name), depth) for name in _KERNELS[isa] for depth in DEPTHS}


@cache
def case_of(name: str, depth: int) -> Case:
    """Return the call that is measured."""
    one = kernel(name)
    return shaped(one.contract.name, one.tile, mr=one.tile.mr, nr=one.tile.nr or 1, kc=depth)


def needs_of_call(name: str) -> frozenset[str]:
    """Return what a core must have for a kernel."""
    return frozenset({kernel(name).feature}) | frozenset(
        i.feature for i in kernel(name).program().instructions if i.feature)


@cache
def _trace(name: str, depth: int) -> Trace:
    one, case = kernel(name), case_of(name, depth)
    machine, arguments = setup(one.program(), case, one.header.reads_before, one.header.reads_after)
    done = machine.call(one.program(), *arguments, entry=name, trace=True)
    assert done.trace is not None
    return done.trace


def modeled_call(name: str, depth: int, core: str | Core) -> float:
    """Cycles of a call among others in a row, modelled, caches warm."""
    return time(_trace(name, depth), core=load_core(core), calls=IN_A_ROW).cycles_per_call
