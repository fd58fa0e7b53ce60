"""Is this kernel, or this operator, the same bytes on every backend?

    from tests.nn.operator_cases import assert_bit_equal

    def test_my_kernel():
        assert_bit_equal(ns.kernel("qu8_gemm_q31_4x8__aarch32_neon_mlal_lane"), backends=("reference", "emulated"))

Without inputs it runs cases with intent, seeded: the same every time.

    products    cases of matrix products and convolutions: edges of the tile, zero points, clamps, ties
    operators   the table of all operators: cases by the axes of the libraries' own tests, of `uint8` and `int8`
    each        operators whose tests are a file of their own, found because it is there
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from neonsim.errors import BadArgument
from neonsim.nn.backends import Backend, NamedKernel
from neonsim.nn.ops import Operator, compare, conv2d, fully_connected
from neonsim.nn.ops.explain.backends import not_compared
from neonsim.quant.scheme import Quantized
from tests.nn.operator_cases.operators import DTYPES, OPERATORS, operator_cases
from tests.nn.operator_cases.products import Case, conv_cases, gemm_cases

__all__ = ["DTYPES", "OPERATORS", "Case", "assert_bit_equal", "conv_cases", "gemm_cases", "operator_cases"]

_PRODUCTS = ("qu8_gemm_q31", "qu8_gemm_xzp_q31")


def _cases(op_or_kernel: Callable[..., Quantized] | NamedKernel, seed: int) -> Iterator[Case]:
    if isinstance(op_or_kernel, NamedKernel):
        tile = getattr(op_or_kernel, "tile", None)
        mr, nr = getattr(tile, "mr", None), getattr(tile, "nr", None)
        contract = getattr(getattr(op_or_kernel, "contract", None), "name", None)
        if mr is None or nr is None or contract not in _PRODUCTS:
            raise BadArgument(f"{op_or_kernel.name} is no matrix product by itself, so there are no cases for it here: "
                              "ns.check(kernel) runs it through the cases of its contract.")
        return gemm_cases(mr, nr, seed)
    if op_or_kernel is fully_connected:
        return gemm_cases(seed=seed)
    if op_or_kernel is conv2d:
        return conv_cases(seed)
    for name, operator in OPERATORS.items():
        if op_or_kernel is operator:
            return operator_cases(name, seed=seed)
    if not callable(op_or_kernel):
        raise not_compared("assert_bit_equal", op_or_kernel)
    name = getattr(op_or_kernel, "__name__", "") or f"{type(op_or_kernel).__name__}(...)"
    raise BadArgument(f"There are no prepared cases for {name}: give inputs, assert_bit_equal({name}, "
                      f"{'x' if isinstance(op_or_kernel, Operator) else 'x, w, bias, out=...'}).")


def assert_bit_equal(op_or_kernel: Callable[..., Quantized] | NamedKernel, *inputs: Any,
                     backends: Sequence[str | Backend] | None = None, seed: int = 0, **options: Any) -> int:
    """Fail with the first differing element, and the step that wrote it, unless all backends give the same bytes.

    op_or_kernel   an operator, or a kernel as ``ns.kernel(name)``
    inputs         x, w, bias: this one call is checked; none: all prepared cases (gemm_cases, conv_cases)
    backends       names, at least two, the first is the judge; None: the reference and all others available here
    options        of the operator; with prepared cases they are added to every case
    ->             number of cases checked

    Raises AssertionError; BadArgument and BackendError as ``compare``.

    >>> assert_bit_equal(conv2d, backends=("reference", "reference"))
    9
    """
    cases = [Case("given inputs", inputs, {})] if inputs else list(_cases(op_or_kernel, seed))
    for case in cases:
        comparison = compare(op_or_kernel, *case.inputs, backends=backends, **{**case.options, **options})
        if not comparison:
            name = getattr(op_or_kernel, "__name__", None) or getattr(op_or_kernel, "name", repr(op_or_kernel))
            seeded = "" if inputs else f", seed {seed}"
            raise AssertionError(f"{name}, case {case.name}{seeded}:\n{comparison}")
    return len(cases)

