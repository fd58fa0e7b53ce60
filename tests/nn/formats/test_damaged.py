"""Damaged files: one sentence, whatever is wrong with them."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from neonsim.errors import NeonsimError
from neonsim.nn.formats import Model, tflite_bytes
from neonsim.nn.formats.onnx import read_onnx
from neonsim.nn.formats.tflite.read import read_tflite
from tests.needs import needs

from .onnx_chance import OnnxChance, integer_graph

needs("tflite", install="pip install 'neonsim[models]'")

WORDS = (0, 1, 2**31 - 1, 2**31, 2**32 - 1)


def damaged(right: bytes, chance: random.Random) -> bytes:
    """Some bytes, words and stretches of a file changed, or its end cut off."""
    data = bytearray(right)
    for _ in range(chance.choice([1, 1, 2, 4, 8])):
        at = chance.randrange(8, min(len(data), chance.choice([3000, 1 << 30])))
        kind = chance.randrange(10)
        if kind < 5:
            data[at] = chance.choice([0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)])
        elif kind < 8:
            at &= ~3
            value = chance.choice([*WORDS, len(data), chance.randrange(64), chance.randrange(2**32)])
            data[at:at + 4] = value.to_bytes(4, "little")
        elif kind < 9:
            other = chance.randrange(8, len(data))
            data[at:at + 8] = data[other:other + 8]
        else:
            del data[max(at, 64):]
    return bytes(data)


@pytest.mark.parametrize("count", [15, pytest.param(5_000, marks=pytest.mark.nightly)])
def test_one_sentence_of_variables(words: list[Path], count: int) -> None:
    """Files with variables, and a subgraph that gives them values: read, run a frame, looked at."""
    right, by_chance, refused = [path.read_bytes() for path in words], random.Random(9), 0
    for number in range(count):
        try:
            model = Model(read_tflite(damaged(by_chance.choice(right), by_chance), "damaged.tflite"))
            if not model.report().missing and number % 8 == 0:
                model.run([np.zeros(one.shape, one.dtype) for one in model.inputs], "reference")
            model.state()
        except NeonsimError as problem:
            refused += 1
            assert "\n" not in str(problem).strip(), str(problem)
    assert count / 8 < refused < count


@pytest.mark.filterwarnings("ignore:.*runs operator by operator")
@pytest.mark.filterwarnings("ignore:.*runs (operator by operator|in segments)")
@pytest.mark.parametrize("count, first", [
    (100, 0), *(pytest.param(40_000, first, marks=pytest.mark.nightly) for first in range(1, 6))])
def test_one_sentence(chance: Any, count: int, first: int) -> None:
    right = [tflite_bytes(chance([2, seed], 5).graph) for seed in range(6)]
    by_chance, refused = random.Random(first), 0
    for number in range(count):
        data = damaged(by_chance.choice(right), by_chance)
        try:
            model = Model(read_tflite(data, "damaged.tflite"))
            if not model.report().missing and number % 8 == 0:
                model.plan()
        except NeonsimError as problem:
            refused += 1
            assert "\n" not in str(problem).strip() or "backend" in str(problem), str(problem)
    assert count / 8 < refused < count


# ---- .onnx: a message of tags and lengths
def bent(right: bytes, chance: random.Random) -> bytes:
    """As `damaged`; lengths and varints are what matters here, so single bytes and stretches are changed, and moved."""
    data = bytearray(right)
    for _ in range(chance.choice([1, 1, 2, 4])):
        if not data:
            break
        at = chance.randrange(len(data))
        kind = chance.randrange(10)
        if kind < 6:
            data[at] = chance.choice([0, 1, 2, 0x7F, 0x80, 0xFF, chance.randrange(256),
                                      data[at] ^ 1 << chance.randrange(8)])
        elif kind < 8:
            other = chance.randrange(len(data))
            data[at:at + 4] = data[other:other + 4]
        elif kind < 9:
            data[at:at] = bytes([0xFF] * chance.randrange(1, 10))
        else:
            del data[at:at + chance.choice([1, 2, 8, len(data)])]
    return bytes(data)


def changed(model: Any, chance: random.Random) -> bytes:
    """A message that is right, and says something else: names, sizes, types, attributes, order."""
    graph, names = model.graph, [name for node in model.graph.node for name in node.output]
    for _ in range(chance.choice([1, 1, 2, 3])):
        node = chance.choice(graph.node)
        kind = chance.randrange(8)
        if kind == 0 and len(node.input):
            node.input[chance.randrange(len(node.input))] = chance.choice([*names, "x", ""])
        elif kind == 1 and len(node.output):
            node.output[0] = chance.choice(["x", "", "new", *names])
        elif kind == 2 and len(node.attribute):
            one = chance.choice(node.attribute)
            value = chance.choice([0, -1, 1, 7, 2**31, -2**63, 2**63 - 1])
            if len(one.ints):
                one.ints[chance.randrange(len(one.ints))] = value
            else:
                one.i = value
        elif kind == 3 and len(node.attribute):
            del node.attribute[chance.randrange(len(node.attribute))]
        elif kind == 4:
            node.op_type = chance.choice([*(o.op_type for o in graph.node), "Loop", "Squeeze", "Unsqueeze", "Pad",
                                          "Transpose", "Clip", "Relu", "Softmax", "ConvInteger", "MatMulInteger",
                                          "DynamicQuantizeLinear", "Shape", "Gather", "Cast", "Constant"])
        elif kind == 5 and len(graph.initializer):
            one = chance.choice(graph.initializer)
            one.data_type = chance.choice([0, 1, 2, 3, 6, 7, 8, 10, 11, 99])
        elif kind == 6 and len(graph.initializer):
            one = chance.choice(graph.initializer)
            if len(one.dims) and chance.randrange(2):
                one.dims[0] = chance.choice([0, -1, 1, 2, 2**31, 2**62])
            elif one.raw_data:
                one.raw_data = bytes(chance.choice([0, 0x7F, 0x80, 0xFF, chance.randrange(256)]) for _ in one.raw_data)
        elif kind == 7:
            node.domain = chance.choice(["", "ai.onnx", "com.microsoft", "other"])
            if chance.randrange(2) and len(node.input) > 1:
                del node.input[-1]
    return bytes(model.SerializeToString())


@pytest.mark.filterwarnings("ignore:.*runs operator by operator")
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("count, first", [
    (60, 0), *(pytest.param(20_000, first, marks=pytest.mark.nightly) for first in range(1, 6))])
def test_one_sentence_of_onnx(count: int, first: int) -> None:
    onnx = pytest.importorskip("onnx", reason="needs the package onnx: pip install 'neonsim[models]'")
    right = [*(OnnxChance([13, seed], bool(seed % 2), 4).model() for seed in range(6)),
             *(integer_graph([13, seed])[0] for seed in range(3))]
    by_chance, refused = random.Random(first), 0
    for number in range(count):
        data = by_chance.choice(right)
        data = changed(onnx.ModelProto.FromString(data), by_chance) if number % 2 else bent(data, by_chance)
        try:
            model = Model(read_onnx(data, "damaged.onnx"))
            if not model.report().missing and number % 8 < 2:
                model.plan()
        except NeonsimError as problem:
            refused += 1
            assert "\n" not in str(problem).strip() or "backend" in str(problem), str(problem)
    assert count / 10 < refused < count
