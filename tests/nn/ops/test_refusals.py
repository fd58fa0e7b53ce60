"""Bad input: one clear error, the same on every backend, before anything is computed."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from neonsim.errors import BackendError, BadArgument
from neonsim.nn import ops
from neonsim.quant import Quantized, Scheme
from tests.needs import needs_backend
from tests.nn.operator_cases.each import operator_files
from tests.nn.operator_cases.listed import BY_DEFINITION, functions, left_out


def q(*shape: int, scale: float = 0.5, dtype: str = "uint8") -> Quantized:
    return Quantized(np.ones(shape, dtype), scale, 3)


IMAGE, OUT = q(1, 6, 6, 4), Scheme(4.0, 3)
W, DW, FC = q(8, 3, 3, 4), q(4, 3, 3, 1), q(3, 4)

REFUSALS: dict[str, tuple[Callable[..., Quantized], tuple[Any, ...], dict[str, Any], str]] = {
    # convolution (K01)
    "conv_kernel_0": (ops.conv2d, (IMAGE, q(8, 0, 3, 4)), {"out": OUT}, "all sizes at least 1"),
    "conv_stride_0": (ops.conv2d, (IMAGE, W), {"out": OUT, "stride": 0}, "stride must be in 1"),
    "conv_dilation_0": (ops.conv2d, (IMAGE, W), {"out": OUT, "dilation": (1, 0)}, "dilation (width) must be in 1"),
    "conv_padding_negative": (ops.conv2d, (IMAGE, W), {"out": OUT, "padding": -1}, "padding must be in 0"),
    "conv_groups_0": (ops.conv2d, (IMAGE, W), {"out": OUT, "groups": 0}, "groups must be in 1"),
    "conv_scale_1": (ops.conv2d, (IMAGE, W), {"out": Scheme(0.25)}, "takes 2**-32 <= scale < 1"),
    "conv_scale_strict": (ops.conv2d, (IMAGE, W),
                          {"out": Scheme(0.2), "requantization": "rndnu", "scale_rule": "strict"},
                          "the strict rule of QNNPACK takes scales below 1 only"),
    "conv_scale_wide_q31": (ops.conv2d, (IMAGE, W), {"out": OUT, "scale_rule": "wide"}, "it has no wide rule"),
    "conv_scale_rule": (ops.conv2d, (IMAGE, W), {"out": OUT, "scale_rule": "loose"},
                        "scale_rule must be strict or wide"),
    "conv_no_pixels": (ops.conv2d, (q(1, 0, 6, 4), W), {"out": OUT}, "has no pixels"),
    "conv_channels": (ops.conv2d, (q(1, 6, 6, 5), W), {"out": OUT}, "x has 5 channels"),
    "conv_rank": (ops.conv2d, (q(6, 6, 4), W), {"out": OUT}, "[batch, height, width, channels]"),
    "conv_weights_rank": (ops.conv2d, (IMAGE, q(8, 3, 12)), {"out": OUT}, "[out, kh, kw, in/groups]"),
    "conv_window_too_large": (ops.conv2d, (IMAGE, W), {"out": OUT, "dilation": 3}, "no output pixel is left"),
    "conv_min_max": (ops.conv2d, (IMAGE, W), {"out": OUT, "output_min": 9, "output_max": 8}, "is greater than"),
    "conv_not_quantized": (ops.conv2d, (IMAGE.values, W), {"out": OUT}, "x must be a Quantized"),
    "conv_float_bias": (ops.conv2d, (IMAGE, W, np.zeros(8)), {"out": OUT}, "bias must be int32 [8]"),
    "conv_not_contiguous": (ops.conv2d, (Quantized(np.ones((1, 6, 6, 8), np.uint8)[..., ::2], 0.5, 3), W),
                            {"out": OUT}, "not contiguous"),
    "vector_not_contiguous": (ops.sigmoid, (Quantized(np.ones(8, np.uint8)[::2], 0.5, 3),), {}, "not contiguous"),
    "conv_nchw_view": (ops.conv2d, (Quantized(np.ones((1, 4, 6, 6), np.uint8).transpose(0, 2, 3, 1), 0.5, 3), W),
                       {"out": OUT}, "not contiguous"),
    "conv_every_other_row": (ops.conv2d, (Quantized(np.ones((1, 12, 6, 4), np.uint8)[:, ::2], 0.5, 3), W),
                             {"out": OUT}, "not all of them"),
    # A lowering is refused by definition, too, where there is none to go by.
    "conv_lowering": (ops.conv2d, (IMAGE, W), {"out": OUT, "lowering": "fast"}, "lowering must be one of"),
    "conv_lowering_taps": (ops.conv2d, (IMAGE, W), {"out": OUT, "lowering": "winograd-f27"}, "windows of 7 taps"),
    "conv_lowering_name": (ops.conv2d, (IMAGE, W), {"out": OUT, "lowering": "winograd-f"},
                           "must be called winograd-fNK"),
    # deconvolution (K02)
    "deconv_stride_0": (ops.deconv2d, (IMAGE, q(4, 3, 3, 8)), {"out": OUT, "stride": 0}, "stride must be in 1"),
    "deconv_scale_1": (ops.deconv2d, (IMAGE, q(4, 3, 3, 8)), {"out": Scheme(0.25)}, "scale < 1"),
    "deconv_channels": (ops.deconv2d, (q(1, 6, 6, 5), q(4, 3, 3, 8)), {"out": OUT}, "x has 5 channels"),
    "deconv_groups": (ops.deconv2d, (IMAGE, q(4, 3, 3, 8)), {"out": OUT, "groups": 3}, "does not divide"),
    "deconv_all_cut_off": (ops.deconv2d, (q(1, 1, 1, 4), q(4, 1, 1, 8)), {"out": OUT, "padding": 1},
                           "no pixel is left"),
    "deconv_rank": (ops.deconv2d, (q(6, 4), q(4, 3, 3, 8)), {"out": OUT}, "[batch, height, width, channels]"),
    # fully connected (K03)
    "fc_scale_1": (ops.fully_connected, (q(2, 4), FC), {"out": Scheme(0.25)}, "scale < 1"),
    "fc_depth": (ops.fully_connected, (q(2, 5), FC), {"out": OUT}, "5 in x and 4 in w"),
    # global average pooling (K04)
    "gap_channels_0": (ops.global_avg_pool, (q(1, 5, 0),), {"out": OUT}, "at least one pixel and one channel"),
    "gap_width_0": (ops.global_avg_pool, (q(1, 0, 4),), {"out": OUT}, "at least one pixel and one channel"),
    "gap_ratio_low": (ops.global_avg_pool, (q(1, 5, 4),), {"out": Scheme(129.0)}, "in [2**-8, 2**8)"),
    "gap_ratio_high": (ops.global_avg_pool, (q(1, 5, 4),), {"out": Scheme(0.5 / 256)}, "in [2**-8, 2**8)"),
    "gap_rank": (ops.global_avg_pool, (q(5, 4),), {"out": OUT}, "[batch, pixels, channels]"),
    "gap_mixture": (ops.global_avg_pool, (q(1, 5, 4, dtype="int8"),), {"out": OUT}, "out must be int8"),
    # average pooling (K05)
    "avg_pool_1": (ops.avg_pool2d, (IMAGE,), {"out": OUT, "pool": 1}, "pool must not be 1x1"),
    "avg_pool_0": (ops.avg_pool2d, (IMAGE,), {"out": OUT, "pool": (0, 2)}, "pool (height) must be in 1"),
    "avg_stride_0": (ops.avg_pool2d, (IMAGE,), {"out": OUT, "pool": 2, "stride": 0}, "stride must be in 1"),
    "avg_channels_0": (ops.avg_pool2d, (q(1, 6, 6, 0),), {"out": OUT, "pool": 2}, "at least one pixel and one channel"),
    "avg_ratio": (ops.avg_pool2d, (IMAGE,), {"out": Scheme(200.0), "pool": 2}, "in [2**-8, 2**8)"),
    "avg_pool_huge": (ops.avg_pool2d, (IMAGE,), {"out": OUT, "pool": 4096}, "too large"),
    # max pooling (K06)
    "max_pool_1": (ops.max_pool2d, (IMAGE,), {"pool": 1}, "pool must not be 1x1"),
    "max_dilation_0": (ops.max_pool2d, (IMAGE,), {"pool": 2, "dilation": 0}, "dilation must be in 1"),
    "max_rank": (ops.max_pool2d, (q(6, 4),), {"pool": 2}, "[batch, height, width, channels]"),
    # add (K08)
    "add_min_max_equal": (ops.add, (q(4), q(4)), {"out": OUT, "output_min": 5, "output_max": 5}, "must be less than"),
    "add_ratio_low": (ops.add, (q(4), q(4)), {"out": Scheme(9000.0)}, "in [2**-14, 2**8)"),
    "add_ratio_high": (ops.add, (q(4), q(4, scale=200.0)), {"out": Scheme(0.5)}, "b scale / output scale is 400"),
    "add_shift_beyond_31": (ops.add, (q(4), q(4)), {"out": Scheme(600.0)}, "one of them must be at least 2**-10"),
    "add_shapes": (ops.add, (q(4), q(5)), {"out": OUT}, "must have one shape"),
    "add_channels_0": (ops.add, (q(2, 0), q(2, 0)), {"out": OUT}, "at least one channel"),
    # subtract and multiply
    "subtract_min_max_equal": (ops.subtract, (q(4), q(4)), {"out": OUT, "output_min": 5, "output_max": 4},
                               "is greater than"),
    "subtract_ratio": (ops.subtract, (q(4), q(4)), {"out": Scheme(1e9)}, "it must be in [2**-1"),
    "subtract_shapes": (ops.subtract, (q(4), q(5)), {"out": OUT}, "axis -1 has 4 and 5, and neither is 1"),
    "multiply_shapes": (ops.multiply, (q(4), q(5)), {"out": OUT}, "axis -1 has 4 and 5, and neither is 1"),
    "multiply_ratio": (ops.multiply, (q(4), q(4)), {"out": Scheme(1e9)}, "it must be in [2**-1"),
    "multiply_requantization": (ops.multiply, (q(4), q(4)), {"out": OUT, "requantization": "q31"}, "fp32"),
    # clamp (K09)
    "clamp_min_max": (ops.clamp, (q(4),), {"output_min": 5, "output_max": 4}, "is greater than"),
    # sigmoid (K10)
    "sigmoid_scale": (ops.sigmoid, (q(4),), {"out": Scheme(1 / 255)}, "steps of 1/256 from 0"),
    "sigmoid_zero_point": (ops.sigmoid, (q(4),), {"out": Scheme(1 / 256, 1)}, "steps of 1/256 from 0"),
    "sigmoid_min_max": (ops.sigmoid, (q(4),), {"output_min": 9, "output_max": 9}, "must be less than"),
    # tanh, convert
    "tanh_scale": (ops.tanh, (q(4),), {"out": Scheme(1 / 255)}, "out"),
    "tanh_min_max": (ops.tanh, (q(4),), {"output_min": 9, "output_max": 8}, "output_m"),
    "convert_ratio": (ops.convert, (q(4),), {"out": Scheme(500.0)}, "in [2**-8, 2**8)"),
    # leaky ReLU (K11)
    "leaky_slope_0": (ops.leaky_relu, (q(4),), {"out": OUT, "slope": 0.0}, "in (0, 1]"),
    "leaky_slope_2": (ops.leaky_relu, (q(4),), {"out": OUT, "slope": 1.5}, "in (0, 1]"),
    "leaky_slope_denormal": (ops.leaky_relu, (q(4),), {"out": OUT, "slope": 1e-40}, "normal number"),
    "leaky_slope_nan": (ops.leaky_relu, (q(4),), {"out": OUT, "slope": float("nan")}, "normal number"),
    "leaky_ratio": (ops.leaky_relu, (q(4),), {"out": Scheme(500.0), "slope": 0.5}, "in [2**-8, 2**8)"),
    # softargmax (K12)
    "softargmax_out": (ops.softargmax, (q(4),), {"out": Scheme(1 / 128)}, "steps of 1/256 from 0"),
    "softargmax_channels_0": (ops.softargmax, (q(2, 0),), {}, "1 to"),
    # pad, copy
    "pad_negative": (ops.pad, (IMAGE,), {"amounts": -1}, "padding before axis 0 must be in 0"),
    "pad_axes": (ops.pad, (IMAGE,), {"amounts": [(0, 1)]}, "for each of the 4 axes"),
    "pad_value": (ops.pad, (IMAGE,), {"amounts": 1, "value": 256}, "value must be in 0..255"),
    "copy_array": (ops.copy, (IMAGE.values,), {}, "x must be a Quantized"),
    # all
    "threads_0": (ops.clamp, (q(4),), {"output_min": 1, "output_max": 4, "threads": 0}, "threads must be in 1"),
    "out_none": (ops.conv2d, (IMAGE, W), {"out": None}, "out must be a Scheme"),
    **{f"{name}_{what}": (getattr(ops, name), *misuse) for name, each in operator_files().items()
       for what, misuse in each.refusals.items()},
}


@pytest.mark.parametrize("backend", ["reference", "emulated", "native"])
@pytest.mark.parametrize("name", REFUSALS)
def test_refused(name: str, backend: str) -> None:
    operator, inputs, options, words = REFUSALS[name]
    needs_backend(backend)
    with pytest.raises(BadArgument, match=re.escape(words)):
        operator(*inputs, backend=backend, **options)


def test_every_operator_refuses_something() -> None:
    names = {name for name, function in functions().items() if any(function is entry[0] for entry in REFUSALS.values())}
    lost = left_out(names, "refusals of uint8 (REFUSALS of tests/nn/ops/test_refusals.py)", functions(), {
        **BY_DEFINITION, **dict.fromkeys(("dynamic_fully_connected", "dynamic_conv2d"),
                                         "weights are int8: tests/nn/ops/test_refusals_int8.py")})
    assert not lost, lost


@pytest.mark.parametrize("backend", ["reference", "emulated", "native"])
def test_a_lowering_that_does_not_suit(backend: str) -> None:
    """By definition there is none to go by; it is refused as by kernels."""
    needs_backend(backend)
    for lowering, words in (("gemm", "takes a 1x1 window"), ("depthwise", "groups of one channel")):
        with pytest.raises(BackendError, match=words):
            ops.conv2d(IMAGE, W, out=OUT, backend=backend, lowering=lowering)
    with pytest.raises(BackendError, match="of a deconvolution is there for the newer kernels"):
        ops.deconv2d(IMAGE, q(4, 3, 3, 8), out=OUT, backend=backend, lowering="gemm")
    with pytest.raises(BackendError, match="no kernels"):
        ops.conv2d(IMAGE, W, out=OUT, backend=backend, lowering="im2col", requantization="precise")
    with pytest.raises(BadArgument, match="FullyConnected has no option lowering; convolutions have"):
        ops.FullyConnected(IMAGE.scheme, FC, out=OUT).plan((2, 4), backend=backend, lowering="gemm")
    assert ops.conv2d(IMAGE, W, out=OUT, backend=backend, lowering="im2col").values.size


@pytest.mark.parametrize("scale", [0.0, -1.0, float("nan"), float("inf"), 1e-40, "half"])
def test_scales_that_are_none(scale: Any) -> None:
    with pytest.raises(BadArgument, match="scale"):
        Quantized(np.ones(4, np.uint8), scale)
    with pytest.raises(BadArgument, match="scale"):
        Scheme(scale)


@pytest.mark.parametrize("backend", ["reference", "emulated", "native"])
def test_sizes_that_overflow(backend: str) -> None:
    needs_backend(backend)
    layer = ops.Clamp(Scheme(1.0), output_min=0, output_max=9)
    with pytest.raises(BadArgument, match="at most 2147483647 can be addressed"):
        layer.plan((1 << 20, 1 << 20), backend=backend)
    with pytest.raises(BadArgument, match="at most 2147483647 can be addressed"):
        layer.plan((1 << 10, 9), backend=backend, strides=[1 << 28], out_stride=9)
    with pytest.raises(BadArgument, match="a size of x must be in"):
        layer.plan((1 << 40, 9), backend=backend)
    with pytest.raises(BadArgument, match="sums of 16777216 pixels do not fit"):
        ops.GlobalAvgPool(Scheme(1.0), out=Scheme(1.0)).plan((1, 4096, 4096, 1), backend=backend)


def test_wide_scales_are_taken_by_schemes_that_can() -> None:
    """What QNNPACK refuses, XNNPACK's schemes take (Z09)."""
    for scheme in ("rndnu", "precise", "fp32"):
        options: dict[str, Any] = {"out": Scheme(0.02), "requantization": scheme, "scale_rule": "wide"}
        y = ops.fully_connected(q(2, 4), FC, **options)
        # Only rndnu has kernels for uint8, and only fp32 layers of the native backend.
        assert y.backend == "reference" or scheme in ("rndnu", "fp32")
        np.testing.assert_array_equal(y.values, ops.fully_connected(q(2, 4), FC, backend="reference", **options).values)
