"""The reference backend: the quantised product by its definition in numpy, from the original weights and bias.

It uses `quant` alone: no packing order, no instruction, no C. Whatever it and another backend agree on, they agree on
for different reasons.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.backends import GemmResult, NamedKernel
from neonsim.errors import BackendError
from neonsim.packing import PackedWeights, pack_gemm
from neonsim.quant.reference import quantized_matmul
from neonsim.quant.requant import GemmParams

__all__ = ["ReferenceBackend"]

_NR = 8     # the layout does not matter here: products are taken from the original weights


class ReferenceBackend:
    """Numpy, written from the definition; takes every scheme, uint8 and int8, one scale or one per channel."""

    name = "reference"

    def available(self) -> str | None:
        """Always: numpy is all it needs."""
        return None

    def kernels(self) -> tuple[str, ...]:
        """The only one: numpy."""
        return ("numpy",)

    def refuses(self, params: GemmParams, kernel: str | NamedKernel | None = None) -> str | None:
        """Only kernels: the reference has none."""
        chosen = kernel if kernel is None or isinstance(kernel, str) else kernel.name
        if chosen in (None, "numpy"):
            return None
        return f"it computes by definition and has no kernel {chosen!r}; leave kernel out, or take backend='emulated'."

    def pack(self, weights: NDArray[Any], bias: NDArray[np.int32], params: GemmParams,
             kernel: str | NamedKernel | None = None) -> PackedWeights:
        """Weights [n, k] and bias [n], kept as they are beside a packed copy."""
        self._require(params, kernel)
        return pack_gemm(weights, bias, nr=_NR, a_zero_point=params.a_zero_point, w_zero_point=params.w_zero_point)

    def gemm(self, lhs: NDArray[Any], packed: PackedWeights, params: GemmParams, *, threads: int = 1,
             kernel: str | NamedKernel | None = None) -> GemmResult:
        """requantise((lhs - a_zero_point) @ (weights - w_zero_point) + bias); threads are left to numpy."""
        self._require(params, kernel)
        return GemmResult(quantized_matmul(lhs, packed.unpacked, packed.original_bias, params), "numpy")

    def _require(self, params: GemmParams, kernel: str | NamedKernel | None) -> None:
        reason = self.refuses(params, kernel)
        if reason is not None:
            raise BackendError(f"The reference backend cannot do this: {reason}")
