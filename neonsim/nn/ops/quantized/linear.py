"""Fully connected layers: every row of x by a weight matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

from numpy.typing import ArrayLike, NDArray

from neonsim.errors import BadArgument
from neonsim.nn.backends import Backend, NamedKernel
from neonsim.nn.ops.arithmetics.gemmlowp import fully_connected_by_stages
from neonsim.nn.ops.operand import scheme_of
from neonsim.nn.ops.product import DenseRows
from neonsim.nn.ops.quantized.weighted import FinishOptions, WeightedOperator
from neonsim.quant.requant.output_pipeline import Stage
from neonsim.quant.scheme import Quantized, Scheme

__all__ = ["FullyConnected", "fully_connected"]


class FullyConnected(DenseRows, WeightedOperator):
    """y = x @ w.T + bias, prepared. Arguments as `fully_connected`, with the scheme of x in place of x."""

    kind, product_kind = "fully connected", "rows"

    def __init__(self, x: Scheme, w: Quantized, bias: ArrayLike | None = None, *, out: Scheme,
                 **options: Unpack[FinishOptions]) -> None:
        self._quantize(x, w, bias, out, **options)
        self._settle(w.shape)


def fully_connected(x: Quantized, w: Quantized, bias: ArrayLike | None = None, *, out: Scheme,
                    requantization: str | None = None, output_min: int | None = None, output_max: int | None = None,
                    scale_rule: str | None = None, scale: ArrayLike | None = None,
                    output_stages: Sequence[Stage] | None = None,
                    backend: str | Backend | None = None, threads: int = 1,
                    kernel: str | NamedKernel | None = None, out_array: NDArray[Any] | None = None) -> Quantized:
    """Multiply every row of x by a weight matrix: y = x @ w.T + bias, in integers.

    acc[i, j] = bias[j] + sum over l of (x[i, l] - x.zero_point) * (w[j, l] - w.zero_point)
    y[i, j]   = clip(round(acc[i, j] * (x.scale * w.scale / out.scale)) + out.zero_point, output_min, output_max)

    x                Quantized [..., k]    uint8 or int8, one scale; rows may be apart, their bytes may not
    w                Quantized [n, k]      uint8 or int8, one scale or one per row (axis=0)
    bias             int32 [n] or None     in steps of x.scale * w.scale
    out              Scheme                of the result
    requantization   str                   "q31" "precise" "fp32" "rndnu" "gemmlowp": which `round`; left out, the one
                                           with kernels: "q31" for uint8, "fp32" for int8
    output_min/max   int or None           clamp, in quantised values
    scale_rule       str or None           "strict": refuse scales of 1 and more as QNNPACK; "wide": up to 256; None: as
                                           far as the requantization goes
    scale            float64 [] or [n]     the requantization scale in double precision, 0 up to below 2**30: then
                                           requantization is "gemmlowp" (left out), "ruy" or "fp64"
                                           (`quant.requant.double_scale`)
    output_stages    stages or None        gemmlowp's pipeline in place of requantization and clamp: uint8 by its packed
                                           kernel, bias, then stages of `quant.requant.output_pipeline` (Y08); the last
                                           is a cast to the type of out
    backend          str or None           None: the fastest here that can do it; the result says which in y.backend
    threads          int                   native backend only
    kernel           str, Kernel or None   a micro-kernel by name; None: the backend chooses
    out_array             array or None         where the result goes, of its shape; must not overlap x
    ->               Quantized [..., n]    with .backend and .kernel

    Raises BadArgument for operands that do not fit, naming which and why; BackendError for a backend that is missing
    or cannot do this.
    Source: (K03); QNNPACK refuses scales of 1 and more (Z09), and so does q31 here.

    >>> import numpy as np
    >>> x = Quantized(np.array([[3, 5]], np.uint8), scale=0.5, zero_point=1)
    >>> w = Quantized(np.array([[1, 2], [4, 0]], np.uint8), scale=1.0, zero_point=0)
    >>> y = fully_connected(x, w, np.array([0, -2], np.int32), out=Scheme(1.0, 10), backend="reference")
    >>> y.values.tolist(), y.backend
    ([[15, 13]], 'reference')
    """
    if output_stages is not None:
        others = {"requantization": requantization, "output_min": output_min, "output_max": output_max,
                  "scale_rule": scale_rule, "scale": scale, "out_array": out_array}
        if given := [name for name, value in others.items() if value is not None]:
            raise BadArgument(f"output_stages say all that is done with sums: omit {', '.join(given)}.")
        return fully_connected_by_stages(x, w, bias, out, output_stages, backend=backend, threads=threads,
                                         kernel=kernel)
    operator = FullyConnected(scheme_of(x), w, bias, out=out, requantization=requantization, output_min=output_min,
                              output_max=output_max, scale_rule=scale_rule, scale=scale)
    return operator(x, backend=backend, threads=threads, kernel=kernel, out_array=out_array)
