"""A kernel's contract as a test of pytest: the plugin makes one of it for each class of sizes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from .judge import Judge

__all__ = ["contract"]


def contract(name: str, source: str | Path, **options: Any) -> Callable[[Judge, str], None]:
    """Return a test to be put into a module of tests: test_mine = contract("qu8_gemm_q31", "mine.S").

    name      of the contract
    source    a .S, .c or .o file, from the module's folder on
    options   as of `neonsim.check`: tile, isa, entry, reads_before, define

    ->        a function that pytest runs once for each class of sizes (whole tiles, parts of one, deep calls)
    """
    def test(neon: Judge, shape: str) -> None:
        neon.contract(name, source, shape, **options)

    test.__doc__ = f"{source} is {name}."
    test.neonsim_contract = (name, source, options)  # type: ignore[attr-defined]  # the plugin asks for it
    return test
