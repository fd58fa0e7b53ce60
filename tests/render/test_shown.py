"""What a notebook keeps of a picture: an image that untrusted notebooks draw, the SVG, and for PDF a PNG."""

from __future__ import annotations

import base64
import re
import sys
import xml.etree.ElementTree as ET
from types import SimpleNamespace
from urllib.parse import unquote

import pytest

from neonsim.render.svg import Drawing, Picture, shown
from neonsim.render.view import View, below

SVG = "{http://www.w3.org/2000/svg}"
SOURCE = re.compile(r"""<img src='data:image/svg\+xml,([^']*)' alt="([^"]*)" style="([^"]*)">""")


def drawn() -> Picture:
    drawing = Drawing()
    drawing.rect(1, 2, 30, 20, "read", title="what is under the mouse")
    drawing.text(4, 14, "a  <b> & \u2192 'c'", "soft", anchor="middle")
    drawing.path("M1 2L3 4", "line-0", opacity=.5)
    return drawing.finish(100, 50, 'lanes of "v0" & v1')


def inside(image: str) -> str:
    """The SVG in an image."""
    found = SOURCE.fullmatch(image)
    assert found is not None
    assert not set(found[1]) & set("#&\\\n"), "a sign that ends an address, or means something else in HTML"
    return unquote(found[1])


def test_an_image_holds_the_same_picture() -> None:
    picture = drawn()
    lean = inside(picture.image)
    roots = [ET.fromstring(text) for text in (picture.svg, lean)]
    assert [[node.text for node in root.iter(f"{SVG}text")] for root in roots] == [["a  <b> & \u2192 'c'"]] * 2
    places = [[{key: value for key, value in node.items() if key not in ("class", "fill", "stroke")}
               for kind in ("rect", "text", "path") for node in root.iter(f"{SVG}{kind}")] for root in roots]
    assert places[0] == places[1]
    _, alt, style = SOURCE.fullmatch(picture.image).groups()
    assert alt == "lanes of &quot;v0&quot; &amp; v1" and style == "max-width:100%;height:auto;min-width:60px"


def test_an_image_has_the_colors_of_both_themes_once() -> None:
    lean = inside(drawn().image)
    light, dark = re.findall(r"<style>(.*?)</style>", lean)
    assert ".read{fill:#e3f0fd;stroke:#0b4f94}" in light and ".line-0{fill:none;stroke:#0b5cad}" in light
    assert dark.startswith("@media (prefers-color-scheme:dark){") and ".read{fill:#14304d;stroke:#9ecbff}" in dark
    body = lean.rpartition("</style>")[2]
    assert "fill=" not in body and 'class="read"' in body and "mouse" not in body
    assert len(lean) < len(drawn().svg)


def test_pictures_below_each_other_are_one_image() -> None:
    image = below([drawn(), drawn()]).image
    assert len(list(ET.fromstring(inside(image)).iter(f"{SVG}text"))) == 2
    assert 'style="max-width:100%;height:auto"' in image


@pytest.mark.parametrize("make", [drawn, lambda: View("v", drawn(), "numbers")], ids=["picture", "view"])
def test_a_bundle_is_drawn_without_trust(make: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    bundle = make()._repr_mimebundle_()  # type: ignore[operator]
    assert list(bundle) == ["text/html", "image/svg+xml", "text/plain"]
    assert SOURCE.fullmatch(bundle["text/html"]) and bundle["image/svg+xml"] == drawn().svg


def test_png_stands_in_place_of_svg_where_it_can_be_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """nbconvert asks Inkscape for every SVG that it finds, also beside a PNG."""
    asked: list[str] = []

    def converter(svg_string: str, zoom: int) -> bytes:
        asked.append(svg_string)
        return bytes([zoom])

    monkeypatch.setitem(sys.modules, "resvg_py", SimpleNamespace(svg_to_bytes=converter))
    bundle = shown(drawn(), "text")
    assert list(bundle) == ["text/html", "image/png", "text/plain"] and asked == [drawn().svg]
    assert base64.b64decode(bundle["image/png"]) == b"\2"


@pytest.mark.nightly
def test_latex_has_the_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("resvg_py", reason="needs a package: pip install 'neonsim[pdf]'")
    nbconvert = pytest.importorskip("nbconvert", reason="needs nbconvert: pip install jupyterlab")
    nbformat = pytest.importorskip("nbformat", reason="needs nbformat: pip install jupyterlab")
    monkeypatch.setenv("PATH", "")      # no Inkscape
    output = nbformat.v4.new_output("display_data", data=shown(drawn(), "text"))
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("picture", outputs=[output])])
    text, found = nbconvert.LatexExporter().from_notebook_node(notebook)
    (name, png), = found["outputs"].items()
    assert name.endswith(".png") and png.startswith(b"\x89PNG") and f"{{{name}}}" in text
    width, height = (int.from_bytes(png[k:k + 4], "big") for k in (16, 20))
    assert (width, height) == (200, 100)
