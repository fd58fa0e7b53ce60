"""The roundings in C are what is printed from their bodies."""

from __future__ import annotations

from pathlib import Path

import pytest

from neonsim.quant.rounding import ROUNDINGS
from neonsim.ukernel.kernelgen.roundings_c import c_function, c_header

HEADER = (Path(__file__).parents[2] / "native/src/contracts/scalar/roundings.h").read_text("utf-8")


@pytest.mark.parametrize("name", [name for name, row in ROUNDINGS.items() if row.fixed])
def test_the_header_has_every_rounding(name: str) -> None:
    assert c_function(name, ROUNDINGS[name].body) in HEADER, "make headers"


def test_the_header_has_nothing_else() -> None:
    assert c_header() == HEADER, "make headers"
