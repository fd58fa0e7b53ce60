"""Is this kernel right? A program of any origin through the whole sweep of its contract.

    result = ns.check("mine.S", "qu8_gemm_q31", tile="4x8")
    print(result)         # the smallest failing case, or how much has passed

The sweep is that of our own kernels: every size of the tile, depths around every loop, strides, zero points, clamps,
data at its extremes and on ties (`ukernel.cases`); first each case alone, in buffers of its exact size and under the
sanitizer, then many in lock-step. What fails is made small: the fewest rows, columns, depths that still fail. What adds
up is called as deep as it takes for sums of 16 bits to overflow; the verdict names the sizes that were tried.

    print(lint_kernels("kernels/gemm/mine.S"))   # what the catalogue asks of a file beside right bytes
"""

from __future__ import annotations

from neonsim.common.argument_types import check_arguments

from .check import check
from .contract_run import CheckResult, ContractRun, FailingCase
from .kernel_lint import LintReport, lint_kernels
from .target import KernelUnderTest, entry_of, subject, tile_limits

__all__ = [
           "CheckResult",
           "ContractRun",
           "FailingCase",
           "KernelUnderTest",
           "LintReport",
           "check",
           "entry_of",
           "lint_kernels",
           "subject",
           "tile_limits",
]

check_arguments(globals())
