"""Scales that tools of quantisation make larger, so that channels and tensors that died in training have integers.

    wide_enough      a range that TensorFlow Lite's converter takes for too narrow becomes 1e-6 wide
    for_bias         scales of weights by which a bias fits its sums: TensorFlow Lite's converter, ONNX Runtime's tool
    for_sums         ... by which the factor of sums is no less than kernels take: what is smaller gives zero points
    least_output     the scale of a result below which a step of the sums would be more steps of it than kernels take

Source: (F19): TensorFlow `tensorflow/compiler/mlir/lite/quantization/common/quantization_lib/quantization_utils.cc`
(ExpandVerySmallRange), `quantization_driver.cc` (SetBiasParamsWithAdjustments); ONNX Runtime
`onnxruntime/python/tools/quantization/qdq_quantizer.py` (_adjust_weight_scale_for_int32_bias).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neonsim.quant.calibration.observers import Range

__all__ = ["MAX_BIAS", "NARROW", "ONNX_BIAS", "for_bias", "for_sums", "least_output", "wide_enough"]

NARROW = 1e-6
MAX_BIAS = (2**31 - 1) // 2                # of TensorFlow Lite's converter: half is left to the products
ONNX_BIAS = (2**31 - 1) / 1.0001
_LEAST_FACTOR, _LEAST_PRODUCT = 2.0**-32, 2.0**-125
_MORE = 1 + 2.0**-20                        # single precision rounds what is exactly enough

Scales = NDArray[np.float64]


def wide_enough(reals: Range) -> Range:
    """A range of at least 1e-6, half of it to each side if it was narrower.

    >>> wide_enough(Range(0.0, 1e-9))
    Range(low=-5e-07, high=5e-07)
    """
    if reals.high - reals.low > NARROW:
        return reals
    return Range(min(reals.low, -NARROW / 2), max(reals.high, NARROW / 2))


def for_bias(scale: ArrayLike, bias: NDArray[Any], x_scale: float, most: float) -> Scales:
    """Scales of weights, one or one a channel, by which a bias is at most n steps of its sums.

    scale   float [] or [n]
    bias    float [n]          floats
    ->      float64 [] or [n]

    >>> for_bias([0.5, 1e-12], np.array([1.0, 1.0]), 0.25, 2.0**30).tolist()
    [0.5, 3.725290298461914e-09]
    """
    sizes = np.abs(np.asarray(bias, np.float64))
    if np.ndim(scale) == 0:
        sizes = sizes.max(initial=0.0)
    return np.maximum(np.asarray(scale, np.float64), sizes / most / float(np.float32(x_scale)))


def for_sums(scale: ArrayLike, x_scale: float, out_scale: float) -> Scales:
    """Scales of weights with x scale * scale / output scale of at least 2**-32: sums of 32 bits times less are below a
    half, so that the result is the zero point whatever the weights are."""
    least = max(_LEAST_FACTOR * float(np.float32(out_scale)), _LEAST_PRODUCT) / float(np.float32(x_scale))
    return np.maximum(np.asarray(scale, np.float64), least * _MORE)


def least_output(scale: ArrayLike, x_scale: float, below: float) -> float:
    """The least scale of a result with x scale * scale / output scale below a rule's limit."""
    largest = float(np.max(np.asarray(scale, np.float64), initial=0.0))
    return float(np.float32(x_scale)) * largest / below * _MORE
