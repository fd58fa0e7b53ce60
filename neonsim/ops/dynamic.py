"""Dynamically quantised layers (qd8): float in, float out, int8 products in between.

Every row of x is quantised when it comes (quant.dynamic), multiplied by symmetric int8 weights, and scaled back with
its own scale and the channel's. Source: X04, X32.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neonsim.backends import Backend, Place, candidates, get
from neonsim.errors import BackendError, BadArgument
from neonsim.ops.builder import Builder, parts
from neonsim.ops.lower_rows import kernel_for
from neonsim.ops.operand import Operand
from neonsim.packing import pack_qd8
from neonsim.quant.dynamic import DynamicRows, Qd8Params, dynamic_matmul, quantize_rows
from neonsim.quant.gemm_params import check_weights
from neonsim.quant.scheme import Quantized

__all__ = ["DynamicResult", "dynamic_fully_connected"]

CONTRACT = "qd8_f32_qc8w_gemm"


class DynamicResult(np.ndarray):
    """A float32 array that remembers who computed it: .backend and .kernel."""

    backend: str | None = None
    kernel: str | None = None

    def __array_finalize__(self, made_from: object) -> None:
        """Views and copies keep the maker's name."""
        self.backend = getattr(made_from, "backend", None)
        self.kernel = getattr(made_from, "kernel", None)


def _run(backend: Backend, rows: DynamicRows, w: Quantized, scale: NDArray[np.float32], bias: NDArray[np.float32],
         params: Qd8Params, kernel: str | None) -> tuple[NDArray[np.float32], str | None]:
    (m, k), n = rows.values.shape, w.shape[0]
    if backend.by_definition:
        return dynamic_matmul(rows, w.values, scale, bias, params), None
    inputs = (Operand("x", (m, k), k, "int8"), Operand("rows", (m, 8), 8, "uint8"))
    build = Builder("dynamic fully connected", backend, kernel, inputs, Operand("the result", (m, 4 * n), 4 * n))
    one = kernel_for(build, CONTRACT, "rows with zero points of their own (X04)", rows=m)
    packed = pack_qd8(w.values, bias, scale, nr=one.nr, kr=one.kr, sr=one.sr)
    weights, block = build.constant("weights", packed.data), build.constant("params", params.block())
    for high in parts(m, one.mr):
        row = high.first + one.mr * np.arange(high.tiles, dtype=np.int64)[:, np.newaxis]
        build.call(one, high.tiles, 1, f"{high.size} rows x {n} columns of depth {k}", mr=high.size, nc=n, kc=k,
                   a=Place("x", row * k), a_stride=k, w=weights, c=Place("output", row * 4 * n), cm_stride=4 * n,
                   cn_stride=4 * one.nr, rows=Place("rows", row * 8), params=block)

    def definition(regions: Mapping[str, NDArray[np.uint8]]) -> Mapping[str, NDArray[np.uint8]]:
        return {"output": dynamic_matmul(rows, w.values, scale, bias, params).view(np.uint8).reshape(-1)}

    loaded = backend.load(build.job(definition))
    loaded.view("x")[...] = rows.values.view(np.uint8).reshape(-1)
    loaded.view("rows")[...] = np.frombuffer(rows.block(), np.uint8)
    loaded.run()
    return np.array(loaded.view("output")).view(np.float32).reshape(m, n), one.name


def dynamic_fully_connected(x: ArrayLike, w: Quantized, bias: ArrayLike | None = None, *,
                            output_min: float = -np.inf, output_max: float = np.inf,
                            backend: str | Backend | None = None, kernel: str | None = None) -> DynamicResult:
    """Multiply float rows by int8 weights: every row is quantised by itself, the result is float again.

    rows      values, zero_point, row_scale = quant.quantize_rows(x)
    acc       = sum over l of (values[i, l] - zero_point[i]) * w[j, l]
    y[i, j]   = clamp((float32(acc) * row_scale[i]) * w.scale[j] + bias[j])

    x                        float [..., k]   finite
    w                        Quantized int8 [n, k], symmetric, one scale or one per row (axis=0)
    bias                     float32 [n] or None
    output_min, output_max   float
    ->                       float32 [..., n], with .backend and .kernel; every step rounded to single precision

    Raises BadArgument for other shapes and types, weights that are not symmetric, values that are not finite;
    BackendError for a backend that is missing or has no such kernel.
    Source: X04, X32.

    >>> w = Quantized(np.array([[100, 0], [0, 50]], np.int8), np.array([0.01, 0.02]), axis=0)
    >>> dynamic_fully_connected([[1.0, 2.0]], w, [0.5, 0.0], backend="reference").round(2).tolist()
    [[1.5, 2.0]]
    """
    if not isinstance(w, Quantized) or w.values.ndim != 2 or 0 in w.shape:
        raise BadArgument("w must be a Quantized int8 [out, in], none of both 0.")
    if w.axis not in (None, 0) or w.zero_point != 0:
        raise BadArgument("w has one scale, or one per output channel (axis=0), and zero point 0; got axis "
                          f"{w.axis}, zero point {w.zero_point}.")
    check_weights(w.values)
    real = np.asarray(x, np.float64)
    n, k = w.shape
    if real.ndim < 1 or real.shape[-1] != k:
        raise BadArgument(f"x {list(real.shape)} and w {list(w.shape)} do not fit: the last axis of both is the depth.")
    floats = np.zeros(n, np.float32) if bias is None else np.asarray(bias, np.float32)
    if floats.shape != (n,):
        raise BadArgument(f"bias must be float32 [{n}], one per output channel; got shape {list(floats.shape)}.")
    scale = np.broadcast_to(np.asarray(w.scale, np.float32), (n,)).copy()
    params, shape = Qd8Params(output_min, output_max), (*real.shape[:-1], n)
    if real.size == 0:
        return np.zeros(shape, np.float32).view(DynamicResult)
    rows = quantize_rows(real.reshape(-1, k))
    chosen = [get(backend)] if backend is not None else [b for _, b in candidates(kernel) if not isinstance(b, str)]
    problem: BackendError | None = None
    for one in chosen:
        try:
            values, name = _run(one, rows, w, scale, floats, params, kernel)
        except BackendError as found:
            problem = found
            continue
        result = values.reshape(shape).view(DynamicResult)
        result.backend, result.kernel = one.name, name
        return result
    raise problem or BackendError("No backend can do this.")
