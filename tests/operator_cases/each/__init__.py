"""Operators whose tests are a file of their own, named as the function: found because it is there.

Operators that share their cases with others stand in the lists of `tests.operator_cases.operators` and of the tests;
one that shares nothing has all that these lists want in its file, as ``TESTS``, and is added to each of them.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from neonsim.ops import Operator
from neonsim.quant.scheme import Quantized, Scheme
from tests.operator_cases.products import Case

__all__ = ["OperatorTests", "operator_files", "tensor"]

@dataclass(frozen=True, kw_only=True)
class OperatorTests:
    """What tests hold an operator to that is made as operator(scheme of x, **options).

    operator   its class
    options    its other arguments, also those of the function
    shape      of a tensor that it takes; those of [2, 6, 5, 8] as well
    uint8      called with a generator of random numbers and "quick" or "full": cases, by name
    int8       the same
    words      words that names of the uint8 cases hold, apart by blanks
    axes       axis -> pattern that names of int8 cases match
    refusals   name -> (inputs, options, words of the message): misuse of the uint8 operator
    bugs       name -> plants a mistake into how it is lowered, with pytest's monkeypatch; at least one
    """

    operator: type[Operator]
    shape: tuple[int, ...]
    uint8: Callable[[np.random.Generator, str], Iterator[Case]]
    int8: Callable[[np.random.Generator, str], Iterator[Case]]
    words: str
    axes: Mapping[str, str]
    refusals: Mapping[str, tuple[tuple[Any, ...], dict[str, Any], str]]
    bugs: Mapping[str, Callable[[Any], None]]
    options: Mapping[str, Any] = field(default_factory=dict)

    def prepared(self, x: Scheme) -> Operator:
        """The operator, for tensors of that scheme."""
        operator: Callable[..., Operator] = self.operator
        return operator(x, **self.options)


def tensor(rng: np.random.Generator, shape: tuple[int, ...], dtype: str = "uint8", spare: int = 0) -> Quantized:
    """Random bytes, any zero point; so many bytes lie between two pixels."""
    info = np.iinfo(dtype)
    values = rng.integers(info.min, info.max + 1, (*shape[:-1], shape[-1] + spare), dtype=dtype)[..., :shape[-1]]
    return Quantized(values, 0.05, int(rng.integers(info.min, info.max + 1)))


@cache
def operator_files() -> dict[str, OperatorTests]:
    """Function -> what its file says."""
    return {module.name: importlib.import_module(f"{__name__}.{module.name}").TESTS
            for module in pkgutil.iter_modules(__path__)}
