"""A rounding that nobody has, written as a body here: its readings agree, and say the same as fractions."""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np
import pytest

from neonsim.arm.semantics import (
    Lanes,
    PolynomialLanes,
    PythonWriter,
    SourceLanes,
    TermPool,
    f32,
    float_to_int,
    s32,
    wide,
)
from neonsim.quant.readings import BLOCK, HostFloats, lanes_of, read_fixed
from neonsim.quant.rounding import Rounding, fp32_lrint, rounding
from neonsim.ukernel.kernelgen.roundings_c import c_function

OWN: dict[str, Rounding] = {}


@rounding(ties="to even", below=256, neon="SMULL, SSHR, AND, ADD, SSHR", source="nobody", of=OWN)
def half_even(acc: Lanes, multiplier: Lanes, shift: int) -> Lanes:
    """One exact rounding, ties to even."""
    product = wide(acc) * wide(multiplier)
    odd = product >> 31 + shift & 1
    return product + odd + ((1 << 30 + shift) - 1) >> 31 + shift


ROW = OWN["half_even"]
SUMS = np.r_[0, 1, -1, 2**31 - 1, -2**31, np.arange(-12, 13), np.random.default_rng(1).integers(-2**31, 2**31, 60)]
SCALES = [0.5, 0.25, 0.75, 1.5, 1 / 90, 200.0, 2.0**-31]


@pytest.mark.parametrize("scale", SCALES)
def test_readings_agree(scale: float) -> None:
    multiplier, shift = (int(one) for one in ROW.derive(scale))
    wanted = [round(Fraction(multiplier, 1 << 31 + shift) * total) for total in SUMS.tolist()]
    assert ROW.of(SUMS, scale).tolist() == wanted, "numpy"
    limited = np.clip(np.add(wanted, 3), -128, 127).tolist()
    assert half_even(SUMS, multiplier, shift, 3, dtype="int8").tolist() == limited
    pool, writer = TermPool(), PythonWriter()
    term = ROW.body(PolynomialLanes.inputs(pool, "acc", s32, 1), PolynomialLanes.from_integers(pool, [multiplier], s32),
                    shift)
    text = ROW.body(SourceLanes.named("acc", s32, 1), SourceLanes.named("m", s32, 1), shift)
    assert isinstance(term, PolynomialLanes) and isinstance(text, SourceLanes)
    result = writer.exact(text.node, 0).text
    program = "\n".join([*writer.lines, f"result = {result}"])
    for total, value in zip(SUMS.tolist(), wanted, strict=True):
        assert pool.evaluate([term.lanes[0]], {("acc", 0): total}) == [value & (1 << 64) - 1], "terms"
        names = {"acc_0": total, "m_0": multiplier}
        exec(program, names)
        assert names["result"] == value, "Python text"
        assert ROW.steps(total, scale)[-1].rsplit(" = ", 1)[1] == str(value), "steps"
        if shift > 0:
            names = {"acc": total, "M": multiplier, "s": shift}
            exec(f"{ROW.formula.rpartition(';')[0]}\nresult = {ROW.formula.rpartition(';')[2].strip()}", names)
            assert names["result"] == value, "formula"


def test_texts() -> None:
    assert ROW.formula == "p = acc * M;  (p + ((p >> (31 + s)) & 1) + 2**(30 + s) - 1) >> (31 + s)"
    assert c_function("half_even", ROW.body).count("return ") == 1
    assert re.search(r"INT64_C\(1\) << \(30 \+ shift\)\) - 1", c_function("half_even", ROW.body))


def test_floats_of_the_host_become_integers_as_the_words_say() -> None:
    reals = np.array([0.5, -0.5, 1.5, 2.5, -2.5, 3e9, -3e9, np.inf, -np.inf, np.nan, 7.49], np.float32)
    for how in "na":
        ours, _ = float_to_int(lanes_of(reals), s32, how, 0, 0)
        exact, _ = float_to_int(f32(*reals.view(np.uint32).tolist()), s32, how, 0, 0)
        assert isinstance(ours, HostFloats) and ours.tolist() == exact.tolist()


@pytest.mark.parametrize("shape", [(3, BLOCK), (BLOCK + 7,), (BLOCK // 8, 3, 5)])
@pytest.mark.parametrize("each", [False, True])
def test_what_is_read_in_blocks_is_what_is_read_at_once(shape: tuple[int, ...], each: bool) -> None:
    rng = np.random.default_rng(3)
    sums = rng.integers(-2**31, 2**31, shape).astype(np.int32)
    multiplier = rng.integers(1 << 30, 1 << 31, shape[-1] if each else ())
    shift = rng.integers(-8, 32, shape[-1] if each else ())
    assert np.array_equal(ROW.by(sums, multiplier, shift), read_fixed(ROW.body, sums, multiplier, shift))
    product = sums.astype(np.float32) * np.float32(0.013)
    assert np.array_equal(fp32_lrint(sums, 0.013, dtype="int8"), np.clip(np.rint(product), -128, 127))
