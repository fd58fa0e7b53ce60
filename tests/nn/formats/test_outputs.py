"""What a run gives is a list of arrays, and in a notebook a picture of what was shown and said."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import neonsim as ns
from neonsim.nn import ops
from neonsim.nn.formats import Model, tflite_bytes
from neonsim.nn.formats.images import image_and_convention, image_for, pixels_of
from neonsim.nn.formats.ir import StoredTensor
from neonsim.nn.formats.tflite.read import read_tflite
from neonsim.nn.graph import Graph, model
from neonsim.nn.graph.models import digits
from neonsim.render.pictures.networks.classification import png
from tests.needs import needs

needs("tflite", install="pip install 'neonsim[models]'")


@pytest.fixture(autouse=True)
def svg(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pictures as SVG, also where the package is that makes PNG of them."""
    monkeypatch.setitem(sys.modules, "resvg_py", None)


def test_a_digit_shows_itself_and_its_answer(tmp_path: Path) -> None:
    graph, (images, labels) = model("digits"), digits.sample()
    labeled = Model(read_tflite(tflite_bytes(graph), "digits"), ["zero", "one", "two", "<b>three"])
    y = labeled.run(digits.input_of(graph, images[3:4]).values)
    assert isinstance(y, list) and len(y) == 1 and y[0].shape == (1, 10)
    assert np.array_equal(y.image, images[3]) and y.answers(1)[0].number == labels[3] == 3
    svg = y._repr_mimebundle_()["image/svg+xml"]
    ElementTree.fromstring(svg)
    assert "3 &lt;b&gt;three" in svg and svg.index("&lt;b&gt;three") < svg.index("9 ")
    from base64 import b64encode
    assert b64encode(png(images[3])).decode() in svg
    assert labeled.run(digits.input_of(graph, images[3:4]), until="conv")._repr_mimebundle_() is None


def test_without_a_picture() -> None:
    graph = Graph("row", (1, 6), ns.Scheme(0.1, 3))
    graph.add_node("shares", ops.Softmax(graph.scheme("input")), "input")
    y = Model(read_tflite(tflite_bytes(graph), "row")).run(np.arange(6, dtype=np.uint8)[None])
    assert y.image is None and "<image" not in y._repr_mimebundle_()["image/svg+xml"] and y.answers(1)[0].number == 5


@pytest.mark.parametrize(("given", "seen"), [
    (np.array([0, 255], np.uint8), [0, 255]), (np.array([-128, 127], np.int8), [0, 255]),
    (np.array([-1, 1], np.float32), [0, 255]), (np.array([3, 3], np.float32), [0, 0]),
    (np.array([np.nan, 1], np.float32), [0, 255]), (np.array([1, 2], np.int32), None)])
def test_what_a_picture_looks_like(given: np.ndarray, seen: list[int] | None) -> None:
    value = np.repeat(given, 6).reshape(1, 4, 3, 1)
    tensor = StoredTensor("x", value.shape, value.dtype.name)
    found = pixels_of(value, tensor)
    assert (found is None) if seen is None else np.array_equal(found, np.repeat(seen, 6).reshape(4, 3, 1))
    assert pixels_of(value, StoredTensor("x", (1, 12), value.dtype.name)) is None


MIDDLE = np.array([2 / 255], np.float32), np.array([-1])       # signed pixels
LOWEST = np.array([1 / 255], np.float32), np.array([-128])


@pytest.mark.parametrize(("suffix", "grey", "size", "input", "copied"), [
    (".bmp", True, (3, 4), MIDDLE, True),           # what TensorFlow Lite Micro copies
    (".png", True, (3, 4), MIDDLE, False), (".bmp", False, (3, 4), MIDDLE, False),
    (".bmp", True, (6, 8), MIDDLE, False), (".bmp", True, (3, 4), LOWEST, False)])
def test_bytes_of_pictures_by_their_kind(suffix: str, grey: bool, size: tuple[int, int], input: Any, copied: bool,
                                         tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image", reason="needs the package pillow: pip install 'neonsim[models]'")
    pixels = np.full((*size[::-1], 1 if grey else 3), 200, np.uint8)
    pixels[0, 0] = 7
    image.fromarray(pixels[..., 0] if grey else pixels).save(path := tmp_path / f"p{suffix}")
    tensor = StoredTensor("x", (1, 4, 3, 1), "int8", *input)
    for raw_image in (None, True, False):
        found, said = image_and_convention(path, tensor, raw_image)
        taken = copied if raw_image is None else raw_image
        assert found[0, -1, -1, 0] == (200 - 256 if taken else 200 - 128)
        assert ("unchanged, int8" if taken else "0..255 are used as -128..127") in said
        assert np.array_equal(found, image_for(path, tensor, raw_image))
    assert ("--no-raw-image" if copied else "--raw-image:") in image_and_convention(path, tensor)[1]
    assert "unchanged, uint8" in image_and_convention(path, StoredTensor("x", (1, 4, 3, 1), "uint8"))[1]
    assert "0..255 are used as -1..1" in image_and_convention(path, StoredTensor("x", (1, 4, 3, 1), "float32"))[1]
