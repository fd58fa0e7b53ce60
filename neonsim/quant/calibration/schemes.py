"""From a range of floats to scale and zero point."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from neonsim.common.integers import as_int
from neonsim.errors import BadArgument
from neonsim.quant.calibration.observers import Range, observer_of
from neonsim.quant.rounding import limits
from neonsim.quant.scheme import Scheme

__all__ = ["calibrate", "improved_scale", "scheme_of", "similarity"]

_TINY = float(np.finfo(np.float32).tiny)


def scheme_of(reals: Range, dtype: str = "int8", symmetric: bool = True) -> Scheme:
    """The scheme whose integers reach from low to high.

    symmetric   zero point in the middle (0, or 128 for uint8), 127 steps to each side, 32767 of int16; else all 255
                steps are used, and the zero point is the nearest integer, so that 0 is a number of the tensor

    A tensor that only ever held 0 gets a scale of 1: any scale gives its bytes. So does one whose scale would not be a
    normal float32, as ONNX Runtime's tool has it.

    >>> scheme_of(Range(-1.0, 2.54))
    Scheme(scale=0.02, zero_point=0, dtype='int8')
    >>> scheme_of(Range(-100.0, 155.0), "uint8", symmetric=False)
    Scheme(scale=1.0, zero_point=100, dtype='uint8')
    """
    low, high = limits(dtype)
    if not (np.isfinite(reals.low) and np.isfinite(reals.high) and reals.low <= 0 <= reals.high):
        raise BadArgument(f"a range must be finite and contain 0; got {reals.low} to {reals.high}.")
    width, steps = (reals.reach, (high - low) // 2) if symmetric else (reals.high - reals.low, high - low)
    scale = width / steps if width / steps >= _TINY else 1.0
    middle = (low + high + 1) // 2
    zero_point = middle if symmetric else int(np.clip(np.rint(low - reals.low / scale), low, high))
    return Scheme(scale, zero_point, dtype)


def calibrate(arrays: Sequence[ArrayLike], method: str = "minmax", dtype: str = "int8", symmetric: bool = True,
              axis: int | None = None) -> Scheme:
    """The scheme of a tensor from what it held.

    arrays   floats [...], batch after batch; they are looked at up to two times
    method   a name of METHODS
    axis     None: one scale; else one along this axis of every array, symmetric

    Raises BadArgument for no arrays, NaN or infinity among them, arrays whose axis has several lengths.

    >>> calibrate([np.array([[1.0, -127.0], [0.5, 0.0]])], axis=0).scale.tolist()
    [1.0, 0.003937007859349251]
    """
    batches = list(arrays)
    if axis is None:
        return scheme_of(_range(batches, method), dtype, symmetric)
    if not symmetric:
        raise BadArgument("per-channel scales must be symmetric, because a tensor has one zero point.")
    if not batches:
        raise BadArgument("there are no arrays for the calibration.")
    rows = [np.moveaxis(one, as_int(axis, "axis", -one.ndim, one.ndim - 1), 0) if one.ndim else one
            for one in map(np.asarray, batches)]
    if not rows[0].ndim or any(one.ndim == 0 or len(one) != len(rows[0]) for one in rows):
        raise BadArgument(f"axis {axis} counts channels: it must have the same length in every array; got shapes "
                          f"{', '.join(str(list(np.shape(one))) for one in batches[:4])}.")
    found = [scheme_of(_range([one[channel] for one in rows], method), dtype) for channel in range(len(rows[0]))]
    zero_point = found[0].zero_point if found else 0
    return Scheme(np.array([one.scale for one in found], np.float32), zero_point, dtype,
                  axis=axis % np.ndim(batches[0]))


def _range(batches: Sequence[ArrayLike], method: str) -> Range:
    observer = observer_of(method)
    for one in batches:
        observer.look(one)
    for one in batches if observer.looks == 2 else ():
        observer.look_again(one)
    return observer.range()


def similarity(a: ArrayLike, b: ArrayLike) -> float:
    """The cosine between two tensors, as vectors: 1 for the same direction. 0 if one of them is 0 only.

    >>> similarity([1.0, 0.0], [1.0, 1.0])
    0.7071067811865475
    """
    one, other = np.asarray(a, np.float64).reshape(-1), np.asarray(b, np.float64).reshape(-1)
    sizes = float(np.linalg.norm(one) * np.linalg.norm(other))
    return float(one @ other) / sizes if sizes else 0.0


def improved_scale(scale: float, score: Callable[[float], float], lower: float = 0.5, upper: float = 2.0,
                   steps: int = 100) -> float:
    """ncnn's way to a better scale (EQ): of `steps` scales from lower to upper times the first, the one whose score is
    highest, the smallest of equals; the first one if no score is above 0.

    score   of a scale: how like the layer's result on integers is to its result on floats (`similarity`), added
            up over some images. ncnn searches the weights' scales one after another, then the input's.

    ncnn's scales are steps per unit, the reciprocals of ours: give it the one that it shall search in.

    Source: (F17): ncnn `tools/quantize/ncnn2table.cpp`, quantize_EQ.

    >>> improved_scale(10.0, lambda scale: 1 / (1 + abs(scale - 12.2)))
    12.2
    """
    first = scale * lower
    step = (scale * upper - first) / steps
    best, highest = scale, 0.0
    for number in range(steps):
        found = score(first + number * step)
        if found > highest:
            best, highest = first + number * step, found
    return best
