"""The roundings in C are what is printed from their bodies."""

from __future__ import annotations

from pathlib import Path

from neonsim.ukernel.kernelgen.roundings_c import c_header

HEADER = "native/src/contracts/scalar/roundings.h"


def test_the_header_is_printed_from_the_bodies() -> None:
    assert (Path(__file__).parents[2] / HEADER).read_text("utf-8") == c_header(), (
        f"python -m neonsim.ukernel.kernelgen.roundings_c {HEADER}")
