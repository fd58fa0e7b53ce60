"""Functions and kernels in your own tests: emulated against a definition, with the smallest call that fails.

    load, cases         a function of a file, called with numpy arrays; the calls it is tested with
    Judge               what a test asks: equal, contract, agree, cycles; the fixture `neon` of pytest is one
    contract            a test of pytest, one for each class of sizes: test_mine = contract("qu8_gemm_q31", "mine.S")
    TestCase            the same for unittest: self.neon, assertEqualTo, assertContract
    FunctionFailure     the AssertionError of all of them

In pytest the plugin `neonsim.verify.pytest_plugin` gives the fixture; it is found because neonsim is installed.
"""

from __future__ import annotations

from neonsim.common.argument_types import check_arguments

from .cases import Cases, cases
from .contract_test import contract
from .cycles import Baselines, Cycles
from .failure import Artifacts, FunctionFailure
from .function import Function, load
from .judge import Judge
from .unittest_case import TestCase

__all__ = [
           "Artifacts",
           "Baselines",
           "Cases",
           "Cycles",
           "Function",
           "FunctionFailure",
           "Judge",
           "TestCase",
           "cases",
           "contract",
           "load",
]

check_arguments(globals())
