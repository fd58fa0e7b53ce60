"""The table of operators: the cases of each, by type of data."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from neonsim.nn import ops
from neonsim.quant.scheme import Quantized
from tests.nn.operator_cases import int8, uint8
from tests.nn.operator_cases.each import operator_files
from tests.nn.operator_cases.products import Case

__all__ = ["DTYPES", "OPERATORS", "operator_cases"]

Cases = Callable[[np.random.Generator, str], Iterator[Case]]
DTYPES = ("uint8", "int8")
_CASES: dict[str, tuple[Cases, Cases]] = {
    "fully_connected": (uint8.fully_connected, int8.fully_connected),
    "conv2d": (uint8.conv2d, int8.conv2d),
    "deconv2d": (uint8.deconv2d, int8.deconv2d),
    "global_avg_pool": (uint8.global_avg_pool, int8.global_avg_pool),
    "avg_pool2d": (uint8.avg_pool2d, int8.avg_pool2d),
    "max_pool2d": (uint8.max_pool2d, int8.max_pool2d),
    "add": (uint8.binary, int8.sum_of_two),
    "subtract": (uint8.binary, int8.sum_of_two),
    "multiply": (uint8.multiply, int8.multiply),
    "clamp": (uint8.clamp, int8.clamp),
    "sigmoid": (uint8.curve, int8.curve),
    "tanh": (uint8.curve, int8.curve),
    "convert": (uint8.convert, int8.convert),
    "leaky_relu": (uint8.leaky_relu, int8.leaky_relu),
    "softargmax": (uint8.softargmax, int8.softargmax),
    "pad": (uint8.pad, int8.pad),
    "copy": (uint8.images, int8.images),
    **{name: (each.uint8, each.int8) for name, each in operator_files().items()},
}
OPERATORS: dict[str, Callable[..., Quantized]] = {name: getattr(ops, name) for name in _CASES}


def operator_cases(name: str, dtype: str = "uint8", seed: int = 0, size: str = "quick") -> Iterator[Case]:
    """Cases of one operator.

    name    a key of OPERATORS
    dtype   "uint8"; "int8": also uint8 in the newer library's roundings
    seed    of everything random
    size    "quick": named edges and a sample of the residues; "full": all residues

    >>> [case.name for case in operator_cases("conv2d")][:3]
    ['1x1', '1x3', '3x1']
    >>> [case.name for case in operator_cases("add", "int8")][:3]
    ['int8_same', 'int8_row', 'int8_constant']
    """
    return _CASES[name][DTYPES.index(dtype)](np.random.default_rng(seed), size)
