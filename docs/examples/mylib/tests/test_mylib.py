"""Each function beside its definition in numpy, for all sizes and kinds of data that find what is wrong."""

import numpy as np
import pytest

DEFINITIONS = {
    "add_u8.S": lambda a, b: np.minimum(a.astype(int) + b, 255),
    "dot_s8.c": lambda a, b: int(a.astype(int) @ b.astype(int)),
    "negate_s16.S": lambda x: np.minimum(-x.astype(int), 32767),
    "scale_f32.c": lambda x, by: x * np.float32(by),
    "sum_u8.c": lambda x: int(x.sum(dtype=int)),
}


@pytest.mark.parametrize("source", DEFINITIONS)
def test_it_is_as_defined(neon, source):
    neon.equal(neon.load(f"../src/{source}"), DEFINITIONS[source])


def test_it_costs_no_more(neon):
    add = neon.load("../src/add_u8.S")
    assert neon.cycles(add, a=np.ones(256), b=np.ones(256), core="cortex-a53") <= neon.baseline
