"""The manual: a page for each family, everything on it, nothing from elsewhere."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from neonsim.arm.isa import FAMILIES, all_semantics, family_name, forms
from neonsim.cli import main
from neonsim.errors import BadArgument
from neonsim.render.manual.pages import write_manual


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    index = write_manual(tmp_path_factory.mktemp("manual") / "new")
    return {file.stem: file.read_text("utf-8") for file in index.parent.glob("*.html")}


class Links(HTMLParser):
    """Identifiers and targets of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.targets: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id":
                self.ids.append(str(value))
            elif name in ("href", "src"):
                self.targets.append(str(value))


@pytest.mark.slow
def test_a_page_for_each_family(pages: dict[str, str]) -> None:
    assert set(pages) == {family_name(f.__name__).replace("/", "-") for f in FAMILIES} | {"index"}


@pytest.mark.nightly
def test_each_instruction_with_its_formula_syntax_and_class(pages: dict[str, str]) -> None:
    for meaning in all_semantics().values():
        page = pages[meaning.family.replace("/", "-")]
        section = re.search(rf'<section id="{meaning.name}">(.*?)</section>', page, re.S)
        assert section is not None, meaning.name
        assert "Timing class <code>" in section[1]
        assert not meaning.writes or "<pre>" in section[1], f"{meaning.name}: no formula"
        for isa in ("aarch64", "aarch32"):
            own = [f for f in forms(isa) if f.semantics is meaning]
            assert section[1].count(f"<td>{isa}<td><code>") == len(own)


@pytest.mark.nightly
def test_nearly_every_instruction_has_an_example(pages: dict[str, str]) -> None:
    without = [name for name, m in all_semantics().items() if not re.search(
        rf'<section id="{name}">(?:(?!</section>).)*For example', pages[m.family.replace("/", "-")], re.S)]
    assert len(without) < 0.1 * len(all_semantics()), without


def test_links_lead_somewhere_and_nothing_comes_from_outside(pages: dict[str, str]) -> None:
    found = {name: Links(text) for name, text in pages.items()}
    for name, links in found.items():
        for target in links.targets:
            page, _, anchor = target.partition("#")
            page = page.removesuffix(".html") or name
            assert page in found, target
            assert not anchor or anchor in found[page].ids, f"{name}: {target}"
        assert "<script" not in pages[name]
        assert "url(" not in pages[name]


def test_pages_are_of_a_size_to_read(pages: dict[str, str]) -> None:
    assert max(map(len, pages.values())) < 600_000


def test_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    assert main(["isa", "pages", str(tmp_path / "file")]) == 2
    assert "Name a folder" in capsys.readouterr().err
    with pytest.raises(BadArgument):
        write_manual(tmp_path / "file")
