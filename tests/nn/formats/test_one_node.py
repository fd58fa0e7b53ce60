"""Files of one node by chance: LiteRT's three resolvers judge every operator in three arithmetics."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from neonsim.nn.backends.native import library
from neonsim.nn.formats import Model
from neonsim.nn.formats.tflite.read import read_tflite
from tests.needs import needs
from tests.nn.formats.one_node import ARITHMETICS, WORDS, NamesAxis, judged, made, reasons

needs("tflite", install="pip install 'neonsim[models]'")

BACKENDS = ["reference", *(["native"] if library.available() is None else [])]
# Files that had other elements once: word, arithmetic, seeds.
FOUND = [
    ("QUANTIZE", "xnnpack", (1, 6, 67)),        # to int16 in whole eights; uint8 to int8
    ("QUANTIZE", "ruy", (0, 4)),
    *(("QUANTIZE", arithmetic, (27, 32)) for arithmetic in ARITHMETICS),    # to and from int16
    ("DEQUANTIZE", "ruy", (2, 4)),
    ("ADD", "ruy", (28, 37, 51)),               # results that leave 16 bits
    ("MUL", "ruy", (11, 13, 46)),
    ("CONV_2D", "ruy", (53, 136, 139)),         # of several groups
    *(("LOGISTIC", arithmetic, (59,)) for arithmetic in ARITHMETICS),       # next to halves, in single precision
    *(("SOFTMAX", arithmetic, (4, 13, 15)) for arithmetic in ARITHMETICS),      # steps that are not 1/256
    *(("LEAKY_RELU", arithmetic, (95, 119, 215)) for arithmetic in ("tflite", "ruy")),     # negative slopes, halves
    *(("LEAKY_RELU", arithmetic, (15, 23, 63)) for arithmetic in ARITHMETICS),      # slopes that are no numbers
    ("ELU", "xnnpack", (21, 34, 35)),
    ("ELU", "ruy", (6, 21, 35)),
    *(("DEPTHWISE_CONV_2D", arithmetic, (223,)) for arithmetic in ARITHMETICS),     # of int16, with weights of -128
    ("FULLY_CONNECTED", "ruy", (362, 384)),     # the product of two scales in single precision
]
# Files whose elements the delegate and the runtime's own kernels have otherwise: word, the tensor with an axis, seeds.
AXES = [("ADD", 0, (12, 49)), ("ADD", 2, (12, 14)), ("CONV_2D", 0, (13, 25)), ("CONV_2D", 1, (13, 25, 35)),
        ("DEPTHWISE_CONV_2D", 0, (1, 5)), ("DEPTHWISE_CONV_2D", 1, (1, 5, 6)), ("FULLY_CONNECTED", 0, (0, 5)),
        ("FULLY_CONNECTED", 1, (0, 5, 6))]


@pytest.mark.filterwarnings("ignore:.*runs (operator by operator|in segments)")
@pytest.mark.parametrize("arithmetic", ARITHMETICS)
@pytest.mark.parametrize("count", [2, pytest.param(1000, marks=pytest.mark.nightly)])
def test_every_operator(arithmetic: str, count: int, litert: Any) -> None:
    for word in WORDS:
        verdicts = [judged(word, seed, arithmetic, litert) for seed in range(count)]
        assert not [one.why for one in verdicts if one.what == "different"], word
        print(word, list(reasons(verdicts)))


@pytest.mark.filterwarnings("ignore:.*runs (operator by operator|in segments)")
@pytest.mark.parametrize(("word", "arithmetic", "seeds"), FOUND)
def test_what_was_found(word: str, arithmetic: str, seeds: tuple[int, ...], litert: Any) -> None:
    for seed in seeds:
        for backend in BACKENDS:
            wanted = (backend, "reference") if backend == "native" else backend
            assert judged(word, seed, arithmetic, litert, wanted).what == "equal", (seed, backend)


@pytest.mark.filterwarnings("ignore:.*runs (operator by operator|in segments)")
@pytest.mark.parametrize(("word", "place", "seeds"), AXES)
def test_an_axis_of_one_scale(word: str, place: int, seeds: tuple[int, ...], litert: Any) -> None:
    """The delegate leaves such nodes to the runtime's own kernels, but for int8 weights."""
    for seed in seeds:
        verdict = judged(word, seed, "xnnpack", NamesAxis(litert, place))
        assert verdict.what == "equal", (seed, verdict)


def test_a_resized_side_that_is_left(litert: Any) -> None:
    """1 row becomes 75: LiteRT's own kernels read a second one, whatever lies there."""
    assert judged("RESIZE_BILINEAR", 445, "xnnpack", litert).what == "equal"
    for arithmetic in ("tflite", "ruy"):
        verdict = judged("RESIZE_BILINEAR", 445, arithmetic, litert)
        assert verdict.what == "refused" and "a side of 1 cannot become 75 by rule 'q10'" in verdict.why


@pytest.mark.filterwarnings("ignore:.*runs (operator by operator|in segments)")
@pytest.mark.nightly
def test_backends_agree(litert: Any) -> None:
    """The sums and products of two emulated too, sometimes."""
    for seed in range(60):
        for word in WORDS:
            data, given = made(word, seed, litert)
            model = Model(read_tflite(data, word))
            for arithmetic in ARITHMETICS:
                if model.lowered(arithmetic).refusals:
                    continue
                wanted = model.run(given, "reference", arithmetic=arithmetic)
                others: list[Any] = [("native", "reference")] if len(BACKENDS) > 1 else []
                others += [("emulated", "reference")] * (word in ("ADD", "SUB", "MUL") and seed % 10 == 0)
                for backend in others:
                    found = model.run(given, backend, arithmetic=arithmetic)
                    assert all(map(np.array_equal, found, wanted)), (seed, word, arithmetic, backend)
