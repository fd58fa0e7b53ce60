"""Micro-kernels: contracts, cases, catalogue, packing of operands, generated kernels.

>>> print(kernel("qu8_gemm_q31_4x8__aarch32_neon_mlal_lane").contract.summary)
Multiply a tile of bytes by packed weights and requantise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from neonsim.common.argument_types import check_arguments, later
from neonsim.ukernel.cases import cases
from neonsim.ukernel.contracts import contract_named, contracts

if TYPE_CHECKING:
    from neonsim.ukernel.case import At, Case, Pointers, build
    from neonsim.ukernel.case_runner import Failure, Outcome, run_alone, run_cases, run_together
    from neonsim.ukernel.catalog import Catalog, Kernel, kernel, kernels, kernels_folder
    from neonsim.ukernel.contract import Argument, Contract, Family
    from neonsim.ukernel.header import Header, read_header
    from neonsim.ukernel.naming import Tile

__all__ = [
           "Argument",
           "At",
           "Case",
           "Catalog",
           "Contract",
           "Failure",
           "Family",
           "Header",
           "Kernel",
           "Outcome",
           "Pointers",
           "Tile",
           "build",
           "cases",
           "contract_named",
           "contracts",
           "kernel",
           "kernels",
           "kernels_folder",
           "read_header",
           "run_alone",
           "run_cases",
           "run_together",
]

check_arguments(globals())
# A list of kernels needs neither the assembler nor the machine.
__getattr__ = later(globals(), "Kernel")
