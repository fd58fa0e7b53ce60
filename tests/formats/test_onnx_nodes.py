"""Files of one operator by chance against ONNX Runtime: what runs has its bytes, what does not says why."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import numpy as np
import pytest

from neonsim.errors import ModelError
from neonsim.formats import Model
from neonsim.formats.onnx import read_onnx
from neonsim.formats.onnx.meaning import _FOLDS, _HANDLERS

from .onnx_chance import theirs
from .onnx_nodes import WORDS, OneNode
from .test_onnx import exact

pytest.importorskip("onnx", reason="needs the package onnx: pip install 'neonsim[models]'")
pytestmark = pytest.mark.filterwarnings("ignore:.*runs in segments", "ignore:.*runs operator by operator")

# Every reason for which a file of these is refused; one that is not here is a sentence that nobody has read.
REASONS = [
    "it makes type 7 of the schema of int32; float32 of int32 is taken",
]


def one(seed: Any, word: str) -> str:
    """What became of a file: "equal", "close", a reason; "" where the runtime does not take it."""
    made = OneNode(seed, word, exact())
    data, feeds = made.model(), made.feeds
    try:
        wanted = list(theirs(data, feeds).values())
    except Exception:   # of many kinds: the runtime's own
        return ""
    model = Model(read_onnx(data, "one.onnx"))
    given = list(feeds.values())
    try:
        found = [model.run(given, backend) for backend in ("reference", None)]
    except ModelError as problem:
        return re.sub(r"^one\.onnx: node \d+, \S+ | run\(until=NAME\).*| \(\d+ nodes? more .*\)", "", str(problem))
    for results in found:
        for mine, theirs_ in zip(results, wanted, strict=True):
            assert (mine.dtype, mine.shape) == (theirs_.dtype, theirs_.shape), (seed, word)
            same = mine.tobytes() == theirs_.tobytes()
            assert same or (not made.exact and np.allclose(
                mine, theirs_, rtol=1e-4, atol=1e-5 * max(1.0, float(np.abs(theirs_).max())))), (seed, word)
    return "equal" if made.exact else "close"


def test_every_word_that_is_read_is_among_them() -> None:
    assert set(WORDS) == {word.removeprefix("com.microsoft.") for word in {*_HANDLERS, *_FOLDS, "Shape"}}


@pytest.mark.parametrize("count, first", [(1, 0), pytest.param(30, 100, marks=pytest.mark.slow),
                                          pytest.param(250, 1000, marks=pytest.mark.nightly)])
def test_by_chance(count: int, first: int, record_property: Any) -> None:
    """So many of each word."""
    pytest.importorskip("onnxruntime", reason="the outside check needs ONNX Runtime: pip install 'neonsim[outside]'")
    became = Counter(one([39, seed], word) for word in WORDS for seed in range(first, first + count))
    total = became.total() - became.pop("", 0)
    unknown = [said for said in became if said not in ("equal", "close")
               and not any(re.search(reason, said) for reason in REASONS)]
    record_property("became", dict(became))
    assert not unknown, unknown
    assert total > 0.9 * count * len(WORDS) and became["equal"] + became["close"] > 0.85 * total
