"""Right for all data: what two programs compute as terms, compared without running through values.

    proof = ns.prove.same("qu8_gemm_q31_4x8__aarch32_neon_mlal_lane", "qu8_gemm_q31_8x8__aarch64_neon_mlal_lane",
                          mr=4, nr=8, kc=9)
    print(proof)          # proved, refuted with an example that both were run on, or unknown; and what is assumed

`inputs` says which bytes of a call are unknown and what each is called, so that kernels with other tiles and other
packings of the weights are given the same data; `proof` is what comes out.
"""

from __future__ import annotations

from neonsim.common.argument_types import check_arguments

from .code_equivalence import equal
from .kernel_equivalence import QUICK_SHAPES, polynomials, same
from .magic_number import magic_number
from .memory_safety import safe
from .overflow import no_overflow
from .proof import CounterExample, Proof
from .requantization import requantization

__all__ = ["QUICK_SHAPES", "CounterExample", "Proof", "equal", "magic_number", "no_overflow", "polynomials",
           "requantization", "safe", "same"]

check_arguments(globals())
