"""Calibration: which reals the integers of a tensor shall reach, chosen from what the tensor held.

    observers   what is kept of the values seen, and the ranges that follow: largest, moving average, percentile ...
    entropy     ranges by Kullback-Leibler divergence: ncnn's way and TensorRT's
    schemes     from a range to scale and zero point; ncnn's search for a better scale
    enlarged    scales that tools make larger where a tensor or a channel is next to nothing

    calibrate(arrays, "kl")        one scheme for a tensor, or one scale per channel
"""

from __future__ import annotations

from neonsim.quant.calibration.observers import METHODS, Observer, Range, observer_of
from neonsim.quant.calibration.schemes import calibrate, improved_scale, scheme_of, similarity

__all__ = ["METHODS", "Observer", "Range", "calibrate", "improved_scale", "observer_of", "scheme_of", "similarity"]
