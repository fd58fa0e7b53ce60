"""Pictures of images and answers: pixels as they are, names of anybody, numbers of any kind."""

from __future__ import annotations

import io
import re
from base64 import b64decode
from xml.etree import ElementTree

import numpy as np
import pytest

from neonsim.errors import BadArgument
from neonsim.render.pictures.networks.classification import answer_picture, image_row, png

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("shape", [(1, 1, 1), (28, 28, 1), (5, 9, 3), (200, 150, 3)])
def test_png_as_others_read_it(shape: tuple[int, ...]) -> None:
    images = pytest.importorskip("PIL.Image", reason="the outside check needs Pillow: pip install 'neonsim[models]'")
    pixels = np.random.default_rng(0).integers(0, 256, shape, dtype=np.uint8)
    with images.open(io.BytesIO(png(pixels))) as seen:
        assert seen.mode == ("L" if shape[2] == 1 else "RGB")
        assert np.array_equal(np.asarray(seen).reshape(shape), pixels)


def test_answers_with_a_picture() -> None:
    pixels = np.arange(64, dtype=np.uint8).reshape(8, 8, 1)
    picture = answer_picture(pixels, [("seven", 0.75), ("two", 0.5), ("three", -0.25)], "digits")
    tree = ElementTree.fromstring(picture.svg)
    data = tree.find(f"{SVG}image").get("href")
    assert b64decode(data.removeprefix("data:image/png;base64,")) == png(pixels)
    bars = [(float(r.get("x")), float(r.get("width"))) for r in tree.iter(f"{SVG}rect") if r.get("rx") == "2"]
    (first, wide), (second, half), (third, back) = bars
    assert first == second == pytest.approx(third + back, abs=0.11) and half == pytest.approx(wide * 2 / 3, abs=0.11)
    assert back == pytest.approx(wide / 3, abs=0.11)
    assert picture.description == "digits: seven 0.750, two 0.500, three -0.250"
    assert ElementTree.fromstring(answer_picture(None, [("a", 0.0)]).svg).find(f"{SVG}image") is None


def test_names_of_anybody() -> None:
    bad = '<script>alert(1)</script>"\x00\x1b[31m\n' + "x" * 500
    picture = answer_picture(None, [(bad, float("nan")), ("]]>&lt;", float("inf"))], bad)
    ElementTree.fromstring(picture.svg)
    assert "<script" not in picture.svg and not re.search(r"[\x00-\x09\x0b-\x1f]", picture.svg)
    assert len(picture.svg) < 8000 and ">nan<" in picture.svg and ">inf<" in picture.svg
    ElementTree.fromstring(image_row([np.zeros((2, 2, 1), np.uint8)], [bad], bad).svg)


def test_large_pictures_are_made_smaller() -> None:
    pixels = np.random.default_rng(1).integers(0, 256, (900, 1200, 3), dtype=np.uint8)
    assert len(answer_picture(pixels, [("a", 1.0)]).svg) < 250_000


def test_rows_of_pictures() -> None:
    images = [np.zeros((4, 4, 1), np.uint8)] * 13
    tree = ElementTree.fromstring(image_row(images, [str(n) for n in range(13)], "thirteen").svg)
    places = [(float(i.get("x")), float(i.get("y"))) for i in tree.iter(f"{SVG}image")]
    assert len(set(places)) == 13 and len({y for _, y in places}) == 2


def test_refusals() -> None:
    for call, words in ((lambda: png(np.zeros((2, 2), np.uint8)), r"pixels must be uint8 \[height, width, 1 or 3\]"),
                        (lambda: png(np.zeros((2, 2, 3), np.int8)), "got int8"),
                        (lambda: answer_picture(None, []), "at least one class"),
                        (lambda: image_row([], []), "must have the same length, at least 1; got 0 and 0")):
        with pytest.raises(BadArgument, match=words):
            call()
