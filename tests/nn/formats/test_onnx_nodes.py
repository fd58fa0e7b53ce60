"""Files of one operator by chance against ONNX Runtime: what runs has its bytes, what does not says why."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import numpy as np
import pytest

from neonsim.errors import ModelError, NeonsimError
from neonsim.nn.formats import Model
from neonsim.nn.formats.onnx import read_onnx
from neonsim.nn.formats.onnx.words import WORDS as READ

from .onnx_chance import theirs
from .onnx_nodes import WORDS, OneNode
from .test_onnx import exact

pytest.importorskip("onnx", reason="needs the package onnx: pip install 'neonsim[models]'")
pytestmark = pytest.mark.filterwarnings("ignore:.*runs in segments", "ignore:.*runs operator by operator")

# Every reason for which a file of these is refused; one that is not here is a sentence that nobody has read.
REASONS = [
    r"it makes int64 of int32; supported: float32 of int32", r"it reads \[.*\]; supported: rows or an image",
    r"there is no (Elu|HardSwish|Sigmoid|Tanh) of float32\. It runs in integers if",
    r"it runs along axis .*; supported: the last axis of rows",
    r"its channels come last; an image is \[batch, channels, height, width\]",
    r"one of its operands is a constant of shape .*; supported: of integers a single value",
    r"its operands are .*; supported: one shape, because sums that broadcast are rounded in another order there",
    r"its operands are .*; supported: as many axes, of one size or of 1", r"its constant has more axes than the other",
    r"its operands have \d and \d axes; supported: as many, or one number,",
    r"no node says by which scale the integers of 'x' stand for floating-point values",
    r"it has (ceil_mode|count_include_pad|dilations) .*, which is supported for integers only",
    r"its auto_pad is 'SAME_.*', and its windows of .* omit pixels at the ends",
    r"its (alpha|transA) is .*; supported: [01]", r"its mode is 'reflect'; supported: 'constant'",
    r"its windows have gaps, .*, and padding; supported: one of both", r"it leaves integers as they are, but",
    r"input scale \* weight scale / output scale is .*; supported: less than 256",
    r"its bias is float32 \[\d, 1\]; supported: float32 \[\d+\]",
    r"it joins integers of several scales as they are; supported: one scale",
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
        return re.sub(r"^one\.onnx: node \d+, \S+ | run\(until=NAME\).*| \(\d+ more .*\)", "", str(problem))
    for results in found:
        for mine, theirs_ in zip(results, wanted, strict=True):
            assert (mine.dtype, mine.shape) == (theirs_.dtype, theirs_.shape), (seed, word)
            same = mine.tobytes() == theirs_.tobytes()
            assert same or (not made.exact and np.allclose(
                mine, theirs_, rtol=1e-4, atol=1e-5 * max(1.0, float(np.abs(theirs_).max())))), (seed, word)
    return "equal" if made.exact else "close"


def test_every_word_that_is_read_is_among_them() -> None:
    assert set(WORDS) == {word.removeprefix("com.microsoft.") for word in READ if word != "Constant"}


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


def changed(seed: Any) -> tuple[bytes, list[Any]]:
    """A file with one thing that does not fit: attribute, input, constant, operator, version, or bytes."""
    import onnx
    made, rng = OneNode(seed), np.random.default_rng(seed)
    model = onnx.ModelProto.FromString(made.model())
    node = model.graph.node[int(rng.integers(len(model.graph.node)))]
    attribute = node.attribute[int(rng.integers(len(node.attribute)))] if node.attribute else None
    kind = int(rng.integers(6))
    if kind == 0 and attribute is not None:
        attribute.type = int(rng.integers(1, 9))
    elif kind == 1 and attribute is not None:
        attribute.i, attribute.f = int(rng.choice([-1, 0, 7, 1 << 40])), float(rng.choice([np.nan, np.inf, -1]))
        if attribute.ints:
            attribute.ints[0] = int(rng.choice([-1, 0, 7, 1 << 40, -(1 << 60)]))
    elif kind == 2 and node.input:
        node.input[int(rng.integers(len(node.input)))] = ""
    elif kind == 3 and model.graph.initializer:
        held = model.graph.initializer[int(rng.integers(len(model.graph.initializer)))]
        values = onnx.numpy_helper.to_array(held)
        others = [values.astype(np.float64), values.reshape(-1)[:0], np.stack([values, values]), values * 0,
                  values.reshape((1,) * 5 + values.shape)]
        held.CopyFrom(onnx.numpy_helper.from_array(others[int(rng.integers(5))], held.name))
    elif kind == 4:
        node.op_type = str(rng.choice(WORDS))
    else:
        model.opset_import[0].version = int(rng.integers(7, 27))
    data = bytearray(model.SerializeToString())
    for _ in range(3 * int(rng.integers(4) == 0)):
        data[int(rng.integers(len(data)))] = int(rng.integers(256))
    return bytes(data), list(made.feeds.values())


@pytest.mark.parametrize("count", [40, pytest.param(6000, marks=pytest.mark.nightly)])
def test_files_that_do_not_fit_end_in_sentences(count: int) -> None:
    for seed in range(count):
        data, given = changed([40, seed])
        try:
            model = Model(read_onnx(data, "changed.onnx"))
            model.report()
            model.run(given)
        except NeonsimError as problem:
            assert "not those of such a node" not in str(problem), (seed, "which of them is it?")
