from __future__ import annotations

import re
from pathlib import Path

import pytest

import neonsim.render
from neonsim.arm.machine.arch.register_names import TYPE_BYTES
from neonsim.errors import NeonsimError
from neonsim.render import join_modules, static_text
from neonsim.render.stepper import bundle
from neonsim.render.stepper.payload import KINDS, PAYLOAD_VERSION

STATIC = Path(neonsim.render.__file__).parent / "static"


@pytest.mark.parametrize("entry", ["widget.js", "page.js", "livepage.js", "playpage.js"])
def test_joined_module_needs_nothing_else(entry: str) -> None:
    text = join_modules(entry)
    assert not re.search(r"^import ", text, re.MULTILINE)
    assert "class Stepper" in text and text.count("class Stepper ") == 1
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", text), "the front end must ask nothing of the network"


def test_widget_exports_only_its_default() -> None:
    for entry in ("widget.js", "loader.js"):
        assert re.findall(r"^export .*$", join_modules(entry), re.MULTILINE) == ["export default { render };"]
    assert "export" not in re.sub(r"//.*", "", join_modules("page.js"))


def test_every_module_is_reached() -> None:
    text = "".join(map(join_modules, ("loader.js", "widget.js", "page.js", "livepage.js", "playpage.js",
                                      "playworker.js")))
    assert [path.name for path in STATIC.glob("*.js") if f"// ---- {path.name}\n" not in text] == []


def test_nothing_is_parsed_as_html() -> None:
    for path in STATIC.glob("*.js"):
        text = path.read_text()
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b", text), path.name
        assert "</script" not in text, path.name


NEEDS_F = 'import { f } from "./b.js";\nconst g = 1;\n'


@pytest.mark.parametrize(("modules", "message"), [
    ({"a.js": NEEDS_F, "b.js": "const f = 1;\n"}, "a.js imports f, which b.js does not export"),
    ({"a.js": NEEDS_F, "b.js": "export function f() {}\nconst g = 2;\n"}, "both define g"),
    ({"a.js": NEEDS_F + "const A = 1, B = [2, 3];\n", "b.js": "export const f = 1;\nconst B = 4;\n"}, "both define B"),
    ({"a.js": NEEDS_F, "b.js": 'import { g } from "./a.js";\nexport const f = 1;\n'}, "in a circle"),
], ids=["not_exported", "defined_twice", "defined_in_a_list", "circle"])
def test_join_refuses(modules: dict[str, str], message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundle, "static_text", modules.__getitem__)
    with pytest.raises(NeonsimError, match=message):
        join_modules.__wrapped__("a.js")


def test_static_text_is_cached_and_utf8() -> None:
    assert static_text("stepper.css").startswith("/*")


def test_both_languages_agree() -> None:
    """What Python writes and the browser reads: the format's version, the kinds of columns, the element types."""
    assert f"PAYLOAD_VERSION = {PAYLOAD_VERSION};" in static_text("payload.js")
    kinds = re.search(r"const ARRAYS = \{(.*?)\};", static_text("payload.js"))
    assert kinds and set(re.findall(r"(\w+):", kinds[1])) == set(KINDS)
    types = re.search(r"export const TYPES = \{(.*?)\};", static_text("format.js"))
    assert types and {name: int(size) for name, size in re.findall(r"(\w+): (\d)", types[1])} == TYPE_BYTES
