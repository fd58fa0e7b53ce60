"""Products of the C library, one call each: a tile as its contract says, or a whole matrix tile by tile in threads."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from neonsim.common.integers import as_int
from neonsim.errors import BadArgument
from neonsim.nn.backends.native.library import NativeVariant, check, choose, require
from neonsim.quant.params.gemm_steps import Q31Params
from neonsim.ukernel.packing import PackedWeights
from neonsim.ukernel.packing.param_blocks import block_of

__all__ = ["gemm", "qu8_gemm_q31", "qu8_gemm_xzp_q31", "qu8_sumrows"]


# ---- arguments -------------------------------------------------------------------------------------------------------

def _matrix(array: Any, name: str, columns: int | None = None) -> NDArray[np.uint8]:
    """A uint8 matrix whose rows are contiguous and do not overlap."""
    if not isinstance(array, np.ndarray) or array.dtype != np.uint8 or array.ndim != 2 or 0 in array.shape:
        got = f"{array.dtype} {array.shape}" if isinstance(array, np.ndarray) else type(array).__name__
        raise BadArgument(f"{name} must be a numpy array, uint8 with two axes, neither of length 0; got {got}.")
    if columns is not None and array.shape[1] != columns:
        raise BadArgument(f"{name} must have {columns} columns; it has {array.shape[1]}.")
    if array.shape[1] > 1 and array.strides[1] != 1:
        raise BadArgument(f"{name} must have the bytes of a row next to each other; make it contiguous "
                          "(np.ascontiguousarray).")
    if array.shape[0] > 1 and array.strides[0] < array.shape[1]:
        raise BadArgument(f"the rows of {name} must lie at least a row apart, in ascending order; they are "
                          f"{array.strides[0]} bytes apart. Make it contiguous (np.ascontiguousarray).")
    return array


def _stride(array: NDArray[Any]) -> int:
    # The stride of a single row is never used, and numpy may have any number there.
    return array.strides[0] if array.shape[0] > 1 else array.shape[1]


def _output(out: Any, name: str, rows: int, columns: int, *inputs: NDArray[Any]) -> NDArray[np.uint8]:
    """A new matrix, or the caller's if it can be written without touching an input."""
    if out is None:
        return np.empty((rows, columns), np.uint8)
    matrix = _matrix(out, name, columns)
    if matrix.shape[0] != rows:
        raise BadArgument(f"{name} must have {rows} rows; it has {matrix.shape[0]}.")
    _writable(matrix, name, *inputs)
    return matrix


def _writable(array: NDArray[Any], name: str, *inputs: NDArray[Any]) -> None:
    if not array.flags.writeable:
        raise BadArgument(f"{name} is read-only.")
    if any(np.may_share_memory(array, other) for other in inputs):
        raise BadArgument(f"{name} overlaps an input; kernels read their inputs while they write.")


def _params(params: Any) -> bytes:
    if not isinstance(params, Q31Params):
        raise BadArgument(f"params must be Q31Params; got {type(params).__name__}.")
    return block_of(params)


def _packed(packed: Any, variant: NativeVariant, params: Q31Params) -> NDArray[np.uint8]:
    """The bytes of packed weights, if this variant with these parameters can read them."""
    if not isinstance(packed, PackedWeights):
        raise BadArgument(f"weights must be packed (neonsim.ukernel.packing); got {type(packed).__name__}.")
    layout = packed.layout
    if (layout.nr, layout.kr, layout.sr) != (variant.nr, variant.kr, variant.sr):
        raise BadArgument(f"{variant.name} reads weights packed with nr {variant.nr}, kr {variant.kr}, "
                          f"sr {variant.sr}; these have nr {layout.nr}, kr {layout.kr}, sr {layout.sr}.")
    if packed.weights.dtype != np.uint8:
        raise BadArgument(f"{variant.name} multiplies uint8 weights; these are {packed.weights.dtype}.")
    if (packed.a_zero_point, packed.w_zero_point) != (params.a_zero_point, params.w_zero_point):
        raise BadArgument(f"the weights are packed for zero points a {packed.a_zero_point}, w {packed.w_zero_point}; "
                          f"params has a {params.a_zero_point}, w {params.w_zero_point}.")
    data = packed.data
    if data.dtype != np.uint8 or data.shape != (layout.nbytes,) or not data.flags.c_contiguous:
        raise BadArgument(f"packed data must be contiguous uint8 [{layout.nbytes}]; got {data.dtype} {data.shape}.")
    return data


def _within_tile(variant: NativeVariant, rows: int, columns: int) -> None:
    if rows > variant.mr or columns > max(variant.nr, 1):
        tile = f"{variant.mr} rows" + (f" by {variant.nr} columns" if variant.nr else "")
        raise BadArgument(f"the tile of {variant.name} is {tile}; asked for {rows} by {columns}.")


# ---- one tile --------------------------------------------------------------------------------------------------------

def qu8_gemm_q31(a: NDArray[np.uint8], w: PackedWeights, params: Q31Params, *, variant: str | None = None,
                 out: NDArray[np.uint8] | None = None) -> NDArray[np.uint8]:
    """One tile: out <- requantize((a - a_zero_point) @ (w - w_zero_point) + bias).

    a        uint8 [mr, kc]     rows contiguous, any stride of at least kc bytes; mr at most the variant's
    w        PackedWeights      one block of pack_gemm: nr columns, kc deep
    params   Q31Params
    variant  str                a name out of variants(); None: the default
    out      uint8 [mr, nr]     written if given, any stride; must not overlap a or w
    ->       uint8 [mr, nr]

    Raises BadArgument for operands that do not fit, BackendError without the library or the variant.
    """
    chosen = choose(("qu8_gemm_q31",), variant)
    block, data = _params(params), _packed(w, chosen, params)
    a = _matrix(a, "a", w.k)
    _within_tile(chosen, a.shape[0], w.n)
    c = _output(out, "out", a.shape[0], w.n, a, data)
    check(require().neonsim_qu8_gemm_q31(chosen.name.encode(), a.shape[0], w.n, w.k, a.ctypes.data, _stride(a),
                                           data.ctypes.data, c.ctypes.data, _stride(c), block))
    return c


def _sums(array: Any, name: str, rows: int) -> NDArray[np.int32]:
    is_array = isinstance(array, np.ndarray)
    if is_array and array.dtype == np.int32 and array.shape == (rows,) and array.flags.c_contiguous:
        return cast("NDArray[np.int32]", array)
    got = f"{array.dtype} {array.shape}" if is_array else type(array).__name__
    raise BadArgument(f"{name} must be a contiguous numpy array, int32 [{rows}]; got {got}.")


def qu8_gemm_xzp_q31(a: NDArray[np.uint8], a_sum: NDArray[np.int32], w: PackedWeights, params: Q31Params, *,
                     variant: str | None = None, out: NDArray[np.uint8] | None = None) -> NDArray[np.uint8]:
    """One tile of raw bytes: out <- requantize(a @ w + a_sum + packed bias).

    a_sum    int32 [mr]         -w_zero_point * sum of each row of a (qu8_sumrows)
    w        PackedWeights      one block of pack_gemm_xzp

    Everything else as qu8_gemm_q31.
    """
    chosen = choose(("qu8_gemm_xzp_q31",), variant)
    block, data = _params(params), _packed(w, chosen, params)
    a = _matrix(a, "a", w.k)
    _within_tile(chosen, a.shape[0], w.n)
    sums = _sums(a_sum, "a_sum", a.shape[0])
    c = _output(out, "out", a.shape[0], w.n, a, data, sums)
    check(require().neonsim_qu8_gemm_xzp_q31(chosen.name.encode(), a.shape[0], w.n, w.k, a.ctypes.data, _stride(a),
                                               sums.ctypes.data, data.ctypes.data, c.ctypes.data, _stride(c), block))
    return c


def qu8_sumrows(a: NDArray[np.uint8], multiplier: int, *, variant: str | None = None,
                out: NDArray[np.int32] | None = None) -> NDArray[np.int32]:
    """Row sums: out[i] <- multiplier * sum of row i of a, modulo 2**32.

    a            uint8 [m, k]   rows contiguous, any stride of at least k bytes; m at most the variant's rows
    multiplier   int            int32; -w_zero_point for qu8_gemm_xzp_q31
    out          int32 [m]      written if given
    ->           int32 [m]
    """
    chosen = choose(("qu8_sumrows",), variant)
    a = _matrix(a, "a")
    _within_tile(chosen, a.shape[0], 1)
    factor = as_int(multiplier, "multiplier", -(1 << 31), (1 << 31) - 1)
    sums = np.empty(a.shape[0], np.int32) if out is None else _sums(out, "out", a.shape[0])
    _writable(sums, "out", a)
    check(require().neonsim_qu8_sumrows(chosen.name.encode(), a.ctypes.data, *a.shape, _stride(a), factor,
                                          sums.ctypes.data))
    return sums


# ---- a whole product -------------------------------------------------------------------------------------------------

_GEMM_CONTRACTS = ("qu8_gemm_q31", "qu8_gemm_xzp_q31")


def gemm(a: NDArray[np.uint8], w: PackedWeights, params: Q31Params, *, variant: str | None = None,
         sumrows_variant: str | None = None, threads: int = 1,
         out: NDArray[np.uint8] | None = None) -> NDArray[np.uint8]:
    """A whole product, tile by tile: out <- requantize((a - a_zero_point) @ (w - w_zero_point) + bias).

    a                uint8 [m, k]     rows contiguous, any stride of at least k bytes
    w                PackedWeights    n columns, k deep, packed as the variant reads them
    variant          str              of qu8_gemm_q31 or qu8_gemm_xzp_q31; None: the default of qu8_gemm_q31
    sumrows_variant  str              for the row sums of a qu8_gemm_xzp_q31 variant; None: the default
    threads          int >= 1         how many share the tiles
    out              uint8 [m, n]     written if given, any stride; must not overlap a or w
    ->               uint8 [m, n]

    Raises BadArgument for operands that do not fit, BackendError without the library or the variant.
    """
    chosen = choose(_GEMM_CONTRACTS, variant)
    block, data = _params(params), _packed(w, chosen, params)
    a = _matrix(a, "lhs", w.k)
    workers = as_int(threads, "threads", 1, 1 << 16)
    c = _output(out, "out", a.shape[0], w.n, a, data)
    sizes = (a.shape[0], w.n, w.k, a.ctypes.data, _stride(a))
    rest = (data.ctypes.data, c.ctypes.data, _stride(c), block, workers)
    if chosen.contract == "qu8_gemm_q31":
        check(require().neonsim_gemm_qu8_q31(chosen.name.encode(), *sizes, *rest))
    else:
        sums = choose(("qu8_sumrows",), sumrows_variant)
        check(require().neonsim_gemm_qu8_xzp_q31(chosen.name.encode(), sums.name.encode(), *sizes, None, *rest))
    return c
