"""The short way of floating words in generated numpy: the same as the definition, where it is taken and where not."""

from __future__ import annotations

import numpy as np
import pytest

from neonsim.lanes import element
from neonsim.lanes.floating import FloatWord
from neonsim.lanes.numpy_float import FLOAT_LINES, QUICK

_SHAPE = (3, 4, 5)
_CASES = [(name, form) for name, formats in QUICK.items() for form in formats]


def operands(kind: str, count: int, form: str) -> list[np.ndarray]:
    """Numbers near 1, or such that sums are exact, or halfway between two numbers and a little beside."""
    random, real = np.random.default_rng(len(kind)), np.dtype(f"f{int(form[1:]) // 8}")
    fraction = np.finfo(real).nmant
    if kind == "any":
        found = [random.uniform(0.5, 2, _SHAPE) * random.choice([-1, 1], _SHAPE) for _ in range(count)]
    elif kind == "whole":
        found = [random.integers(1, 99, _SHAPE) for _ in range(count)]
    else:
        found = [1 + random.integers(0, 4, _SHAPE) * 2.0 ** -fraction, 2.0 ** -(fraction + 1) * (
            1 + random.integers(-1, 2, _SHAPE) * 2.0 ** -random.integers(20, 24, _SHAPE)), np.ones(_SHAPE)][:count]
    patterns = [np.asarray(n).astype(real).view(f"u{real.itemsize}") for n in found]
    if kind == "odd one":
        patterns[0][1, 2, 3] = np.array(np.nan, real).view(patterns[0].dtype)
    return patterns


@pytest.mark.parametrize("kind", ["any", "whole", "halfway", "odd one"])
@pytest.mark.parametrize(("name", "form"), _CASES)
@pytest.mark.parametrize("rules", [0, 8, 0x20])
def test_like_the_definition(name: str, form: str, kind: str, rules: int) -> None:
    word = FloatWord(name, form, rules)
    given = operands(kind, 3 if name == "fma" else 2, form)
    with np.errstate(all="ignore"):
        found, flags = FLOAT_LINES[f"float_{name}"](word, element("u", int(form[1:])), *given)
    outcomes = [word(*each) for each in zip(*(n.ravel().tolist() for n in given), strict=True)]
    assert found.ravel().tolist() == [value for value, _ in outcomes]
    raised = np.array([flag for _, flag in outcomes], np.uint8).reshape(_SHAPE)
    assert np.array_equal(np.broadcast_to(flags, (3, 1, 5)), np.bitwise_or.reduce(raised, axis=1, keepdims=True))
    assert any(flag for _, flag in outcomes) or kind == "whole"


@pytest.mark.parametrize("name", ["fma", "mul", "add"])
def test_one_lane_for_all(name: str) -> None:
    """A factor by element has one lane; a value that is the same in all rows has one row."""
    word, random = FloatWord(name), np.random.default_rng(7)
    shapes = [(3, 4, 5), (3, 4, 1), (1, 1, 5)][-3 if name == "fma" else 0:3 if name == "fma" else 2]
    given = [random.uniform(0.5, 2, shape).astype(np.float32).view(np.uint32) for shape in shapes]
    found, _ = FLOAT_LINES[f"float_{name}"](word, element("u", 32), *given)
    spread = [n.ravel().tolist() for n in np.broadcast_arrays(*given)]
    assert found.ravel().tolist() == [word(*each)[0] for each in zip(*spread, strict=True)]
