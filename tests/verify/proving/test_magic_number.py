"""The magic number of rounding: proved within 2**22, refuted by a run beyond."""

from __future__ import annotations

import numpy as np
import pytest

import neonsim as ns
from neonsim.errors import BadArgument
from neonsim.verify.proving.engine.solver import available

NEEDS = pytest.mark.skipif(not available(), reason="pip install 'neonsim[prove]'")


@NEEDS
def test_within_two_to_the_22() -> None:
    assert ns.prove.magic_number()


@NEEDS
def test_beyond_it_is_refuted_by_a_run() -> None:
    proof = ns.prove.magic_number((1 << 22) + 1)
    assert proof.verdict == "refuted"
    found = proof.counterexample
    assert found is not None
    x = np.array([found.inputs["x"]], np.uint32).view(np.float32)
    # numpy's own arithmetic says the same.
    assert (x + np.float32(12582912)).view(np.int32)[0] - 0x4B400000 == found.first
    assert np.rint(x)[0] == found.second != found.first


def test_numpy_agrees_around_the_ends() -> None:
    ends = [0.0, 0.5, 1.5, 2.5, 2.0**22, 2.0**22 - 0.5, 2.0**22 - 1.5]
    x = np.array([*ends, *(-n for n in ends)], np.float32)
    assert ((x + np.float32(12582912)).view(np.int32) - 0x4B400000 == np.rint(x)).all()


def test_what_cannot_be_asked() -> None:
    with pytest.raises(BadArgument, match="limit of the range"):
        ns.prove.magic_number(0)
