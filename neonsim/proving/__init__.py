"""Right for all data: what two programs compute as terms, compared without running through values.

    proof = ns.prove.same("qu8_gemm_q31_4x8__aarch32_neon_mlal_lane", "qu8_gemm_q31_8x8__aarch64_neon_mlal_lane",
                          mr=4, nr=8, kc=9)
    print(proof)          # proved, refuted with an example that both were run on, or unknown; and what is assumed

`inputs` says which bytes of a call are unknown and what each is called, so that kernels with other tiles and other
packings of the weights are given the same data; `proof` is what comes out.
"""

from __future__ import annotations

from neonsim.kinds import judge_all

from .equal import equal
from .magic import magic_number
from .proof import CounterExample, Proof
from .requantising import requantisation
from .safety import safe
from .same import QUICK_SHAPES, polynomials, same
from .wrapping import no_overflow

__all__ = ["QUICK_SHAPES", "CounterExample", "Proof", "equal", "magic_number", "no_overflow", "polynomials",
           "requantisation", "safe", "same"]

judge_all(globals())
