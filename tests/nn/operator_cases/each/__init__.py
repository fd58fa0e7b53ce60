"""Operators whose tests are a file of their own, named as the function: found because it is there.

Operators that share their cases with others stand in the lists of `tests.nn.operator_cases.operators` and of the tests;
one that shares nothing has all that these lists want in its file, as ``TESTS``, and is added to each of them.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np

from neonsim.nn.ops import Operator
from neonsim.nn.ops.job_builder import Builder
from neonsim.quant.scheme import Quantized, Scheme
from tests.nn.operator_cases import products
from tests.nn.operator_cases.products import Case

__all__ = ["OperatorTests", "another_table", "byte_cases", "given", "operator_files", "pixels_on_top_of_each_other",
           "tensor"]


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
    """Random bytes of scale 0.05, any zero point; so many bytes lie between two pixels."""
    return products.tensor(rng, shape, dtype, 0.05, spare=spare)


def given(*shape: int) -> tuple[Quantized]:
    """The inputs of a refusal."""
    return (tensor(np.random.default_rng(0), shape),)


def byte_cases(dtype: str, rng: np.random.Generator, size: str) -> Iterator[Case]:
    """Of a function of one byte: all bytes, ratios of scales, any zero point, lengths around tasks of 1024 bytes."""
    info = np.iinfo(dtype)

    def case(name: str, x: Quantized, ratio: float) -> Case:
        scale = float(np.float32(x.scheme.scale) * np.float32(ratio))
        return Case(name, (x,), {"out": Scheme(scale, int(rng.integers(info.min, info.max + 1)), dtype)})

    every = np.arange(256, dtype=np.uint8).view(dtype).reshape(1, 256)
    for i, ratio in enumerate((0.02, 0.1, 0.5, 1.0, 1.7, 4.0)):
        x = Quantized(every, float(np.float32(2.0 ** -(i + 1))), int(rng.integers(info.min, info.max + 1)))
        yield case(f"all_bytes_ratio{ratio}", x, ratio)
    for n in (1, *products.sample(rng, range(2, 60), size, 6), 1024, 1025):
        yield case(f"n{n}", tensor(rng, (1, n), dtype), 0.8)
    yield Case("same_scheme", (tensor(rng, (3, 7), dtype),))
    yield Case("zero_batch", (tensor(rng, (0, 9), dtype),))
    yield Case("pixel_stride", (tensor(rng, (5, 12), dtype, spare=3),))


def pixels_on_top_of_each_other(patch: Any) -> None:
    """A planted mistake: all pixels are written where the first one is."""
    right = Builder.call

    def wrong(build: Builder, implementation: Any, *inputs: Any, **arguments: Any) -> None:
        y = arguments["y"]
        right(build, implementation, *inputs, **arguments | {"y": replace(y, offset=0 * y.offset + y.offset[:1])})

    patch.setattr(Builder, "call", wrong)


def another_table(operator: Any, patch: Any) -> None:
    """A planted mistake: the table is that of another function."""
    right = operator.table
    patch.setattr(operator, "table", lambda one: np.roll(right(one), 1))


@cache
def operator_files() -> dict[str, OperatorTests]:
    """Function -> what its file says."""
    return {module.name: importlib.import_module(f"{__name__}.{module.name}").TESTS
            for module in pkgutil.iter_modules(__path__)}
