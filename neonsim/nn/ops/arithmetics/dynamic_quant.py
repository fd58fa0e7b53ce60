"""Dynamically quantised layers (qd8): float in, float out, int8 products in between.

    dynamic_fully_connected   every row of x has a scale and a zero point of its own     qd8_f32_qc8w_gemm
    dynamic_conv2d            every image has                                            qd8_f32_qc8w_igemm

They are found when x comes (quant.dynamic), multiplied by symmetric int8 weights, and scaled back with the scale of the
row or image and the channel's. A table of pointers serves all images: what taps outside of one read, a row of its zero
points, is an argument of every call. Source: (X04, X32).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neonsim.errors import BadArgument
from neonsim.nn.backends import Backend, Pointer
from neonsim.nn.ops.job_builder import Builder
from neonsim.nn.ops.lowering.gemm_calls import call_gathered, call_rows, concatenated
from neonsim.nn.ops.lowering.gemm_conv import kernel_for
from neonsim.nn.ops.operand import Operand
from neonsim.nn.ops.operator import first_capable_backend, refuse_kernel
from neonsim.nn.ops.product import check_kernels, image_shape
from neonsim.quant.params.gemm import check_weights
from neonsim.quant.reference import dynamic
from neonsim.quant.reference.dynamic import Qd8Params, dynamic_matmul, quantize_rows
from neonsim.quant.scheme import Quantized
from neonsim.ukernel.packing import ConvShape, conv_taps, pack_qd8
from neonsim.ukernel.packing.param_blocks import block_of

__all__ = ["DynamicResult", "dynamic_conv2d", "dynamic_fully_connected"]

Floats = NDArray[np.float32]
Regions = Mapping[str, NDArray[np.uint8]]


class DynamicResult(np.ndarray):
    """A float32 array that remembers who computed it: .backend and .kernel."""

    backend: str | None = None
    kernel: str | None = None

    def __array_finalize__(self, made_from: object) -> None:
        """Views and copies keep the maker's name."""
        self.backend = getattr(made_from, "backend", None)
        self.kernel = getattr(made_from, "kernel", None)


def _channels(w: Quantized, bias: ArrayLike | None) -> tuple[Floats, Floats]:
    """Scale and bias of every output channel, float32 [out] each; refuses weights that kernels do not take."""
    if w.axis not in (None, 0) or w.zero_point != 0:
        raise BadArgument("w has one scale, or one per output channel (axis=0), and zero point 0; got axis "
                          f"{w.axis}, zero point {w.zero_point}.")
    check_weights(w.values)
    n = w.shape[0]
    given = np.zeros(n) if bias is None else _real(bias, "bias")
    if given.shape != (n,):
        raise BadArgument(f"bias must be float32 [{n}], one per output channel; got shape {list(given.shape)}.")
    with np.errstate(over="ignore"):
        floats = given.astype(np.float32)
    if not np.isfinite(floats).all():
        at = int(np.argmin(np.isfinite(floats)))
        raise BadArgument(f"bias must be finite in float32; at [{at}] is {given[at]}.")
    return np.broadcast_to(np.asarray(w.scale, np.float32), (n,)).copy(), floats


def _real(given: ArrayLike, name: str) -> NDArray[np.float64]:
    """Real numbers, as float64; refuses what is quantised already, which would be taken for numbers of its own."""
    kind = getattr(given, "dtype", np.dtype(np.float64))
    if isinstance(given, Quantized) or kind in (np.int8, np.uint8, np.int32):
        said = "a Quantized" if isinstance(given, Quantized) else str(kind)
        raise BadArgument(f"{name} of a dynamically quantised layer has floating-point values; got {said}. Convert a "
                          f"Quantized with dequantize().")
    try:
        return np.asarray(given, np.float64)
    except (TypeError, ValueError):
        raise BadArgument(f"{name} of a dynamically quantised layer has floating-point values, in an array; got "
                          f"{type(given).__name__}.") from None


def _first(backend: str | Backend | None, kernel: str | None, definition: Callable[[], Floats],
           kernels: Callable[[Backend], tuple[Floats, str | None]]) -> DynamicResult:
    """By the backend asked for, else by the first that can."""
    def compute(one: Backend) -> DynamicResult:
        if one.is_reference:
            refuse_kernel(one, kernel)
        values, name = (definition(), None) if one.is_reference else kernels(one)
        result = values.view(DynamicResult)
        result.backend, result.kernel = one.name, name
        return result

    return first_capable_backend(backend, kernel, compute)


def _nothing(backend: str | Backend | None, kernel: str | None, shape: Sequence[int]) -> DynamicResult:
    """Of no rows and no images there is nothing to compute; wrong backends are refused all the same."""
    def none() -> Floats:
        return np.zeros(shape, np.float32)

    return _first(backend, kernel, none, lambda _: (none(), None))


def _computed(backend: Backend, build: Builder, definition: Callable[[], Floats],
              operands: Mapping[str, NDArray[np.uint8]], shape: Sequence[int]) -> Floats:
    """Run what was built on these operands."""
    def bytes_of(regions: Regions) -> Regions:
        return {"output": definition().view(np.uint8).reshape(-1)}

    loaded = backend.load(build.job(bytes_of))
    for name, values in operands.items():
        loaded.view(name)[...] = values.reshape(-1)
    loaded.run()
    return np.array(loaded.view("output")).view(np.float32).reshape(shape)


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
    Source: (X04, X32).

    >>> w = Quantized(np.array([[100, 0], [0, 50]], np.int8), np.array([0.01, 0.02]), axis=0)
    >>> dynamic_fully_connected([[1.0, 2.0]], w, [0.5, 0.0], backend="reference").round(2).tolist()
    [[1.5, 2.0]]
    """
    if not isinstance(w, Quantized) or w.values.ndim != 2 or 0 in w.shape:
        raise BadArgument("w must be a Quantized int8 [out, in], with all sizes at least 1.")
    scale, floats = _channels(w, bias)
    real, (n, k) = _real(x, "x"), w.shape
    if real.ndim < 1 or real.shape[-1] != k:
        raise BadArgument(f"x {list(real.shape)} and w {list(w.shape)} do not match: the last axis of both must be the "
                          f"depth.")
    params, shape = Qd8Params(output_min, output_max), (*real.shape[:-1], n)
    if real.size == 0:
        return _nothing(backend, kernel, shape)
    rows = quantize_rows(real.reshape(-1, k))

    def definition() -> Floats:
        return dynamic_matmul(rows, w.values, scale, floats, params).reshape(shape)

    def kernels(one: Backend) -> tuple[Floats, str]:
        m = len(rows.scale)
        inputs = (Operand("x", (m, k), k, "int8"), Operand("rows", (m, 8), 8))
        build = Builder("dynamic fully connected", one, kernel, inputs, Operand("the result", (m, n), 4 * n, "float32"))
        name = _call_rows(build, w.values, floats, scale, params, m)
        operands = {"x": rows.values.view(np.uint8), "rows": np.frombuffer(block_of(rows), np.uint8)}
        return _computed(one, build, definition, operands, shape), name

    return _first(backend, kernel, definition, kernels)


def _call_rows(build: Builder, weights: NDArray[np.int8], bias: Floats, scale: Floats, params: Qd8Params,
               m: int) -> str:
    """A matrix product of the m rows x; the kernel's name."""
    k = weights.shape[1]
    one = kernel_for(build, "qd8_f32_qc8w_gemm", "rows with zero points of their own", rows=m)
    packed = pack_qd8(weights, bias, scale, nr=one.nr, kr=one.kr, sr=one.sr)
    call_rows(build, one, concatenated(build, [packed]), params, source=Pointer("x"), m=m, k=k, a_stride=k,
              group_bytes=0, more={"rows": (Pointer("rows"), 8)})
    return one.name


def dynamic_conv2d(x: ArrayLike, w: Quantized, bias: ArrayLike | None = None, *, stride: int | Sequence[int] = 1,
                   padding: int | Sequence[int] | Sequence[Sequence[int]] = 0, dilation: int | Sequence[int] = 1,
                   groups: int = 1, output_min: float = -np.inf, output_max: float = np.inf,
                   backend: str | Backend | None = None, kernel: str | None = None) -> DynamicResult:
    """Convolve float images with int8 weights: every image is quantised by itself, the result is float again.

    images    values, zero_point, scale = quant.quantize_rows(x), an image a row
    acc       = sum over the window of (values - zero_point of the image) * w
    y[..., j] = clamp((float32(acc) * scale of the image) * w.scale[j] + bias[j])

    x                           float [batch, height, width, groups * c]   finite
    w                           Quantized int8 [out, kh, kw, c], symmetric, one scale or one per output channel (axis=0)
    bias                        float32 [out] or None
    stride, padding, dilation   as conv2d
    output_min, output_max      float
    ->                          float32 [batch, oh, ow, out], with .backend and .kernel; every step rounded to single
                                precision

    Raises BadArgument for other shapes and types, weights that are not symmetric, values that are not finite;
    BackendError for a backend that is missing or has no such kernel.
    Source: (X04, X32); every lowering but the indirect one is left to conv2d.

    >>> w = Quantized(np.full((1, 1, 2, 1), 100, np.int8), 0.01)
    >>> dynamic_conv2d(np.array([1.0, 2.0, 4.0]).reshape(1, 1, 3, 1), w, backend="reference").round(1).tolist()
    [[[[3.0], [6.0]]]]
    """
    if not isinstance(w, Quantized):
        raise BadArgument("w must be a Quantized int8 [out, kh, kw, in/groups].")
    count = check_kernels(w.shape, groups)
    scale, floats = _channels(w, bias)
    real = _real(x, "x")
    window = image_shape(real.shape, w.shape, count, stride=stride, padding=padding, dilation=dilation)
    params, shape = Qd8Params(output_min, output_max), (real.shape[0], *window.output, w.shape[0])
    if len(real) == 0:
        return _nothing(backend, kernel, shape)
    images = quantize_rows(real.reshape(len(real), -1))

    def definition() -> Floats:
        return dynamic.dynamic_conv2d(images, window.input, w.values, scale, floats, params, groups=count,
                                            stride=window.stride, padding=window.padding, dilation=window.dilation)

    def kernels(one: Backend) -> tuple[Floats, str]:
        batch, channels, depth = len(real), real.shape[3], w.shape[3]
        inputs = (Operand("x", real.shape, channels, "int8"), Operand("schemes", (batch, 8), 8),
                  Operand("zero points", (batch, depth), depth, "int8"))
        result = Operand("the result", shape, 4 * shape[3], "float32")
        build = Builder("dynamic convolution", one, kernel, inputs, result)
        name = _call_images(build, window, np.split(w.values, count), np.split(floats, count), np.split(scale, count),
                            params)
        operands = {"x": images.values.view(np.uint8), "schemes": np.frombuffer(block_of(images), np.uint8),
                    "zero points": (images.zero_point & 0xFF).astype(np.uint8).repeat(depth)}
        return _computed(one, build, definition, operands, shape), name

    return _first(backend, kernel, definition, kernels)


def _call_images(build: Builder, shape: ConvShape, weights: Sequence[NDArray[np.int8]], biases: Sequence[Floats],
                 scales: Sequence[Floats], params: Qd8Params) -> str:
    """A convolution of the images x, by groups; the kernel's name."""
    one = kernel_for(build, "qd8_f32_qc8w_igemm", "images with zero points of their own, through pointers")
    packed = concatenated(build, [pack_qd8(w, b, s, nr=one.nr, kr=one.kr, sr=one.sr)
                                  for w, b, s in zip(weights, biases, scales, strict=True)])
    depth = weights[0].shape[3]
    # The address of the row of zeros alone matters: kernels read the image's own zero points instead.
    call_gathered(build, one, packed, params, taps=conv_taps(shape), channels=depth, zero=0,
                  more={"zero_data": (Pointer("zero points"), depth), "scheme": (Pointer("schemes"), 8)})
    return one.name
