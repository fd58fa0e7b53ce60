"""What a package index shows: the page without a link that leads nowhere, and metadata that agree with each other."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))

from native.wheels import metadata

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PROJECT = PYPROJECT["project"]


def targets(text: str) -> list[str]:
    """Where links, pictures and sources lead, found by another way than the one under test: bracket by bracket."""
    text = re.sub(r"```.*?```", "", text, flags=re.S)
    found = [piece.partition(")")[0] for piece in text.split("](")[1:]]
    for word in ('src="', 'srcset="'):
        found += [piece.partition('"')[0] for piece in text.split(word)[1:]]
    return found


def test_elsewhere_no_link_leads_nowhere() -> None:
    there = targets(README)
    assert len(there) > 20
    assert all((ROOT / target.partition("#")[0]).is_file() for target in there)
    page = metadata.page(README, "", "v1")
    assert targets(page) == []
    assert "<picture" not in page
    assert "> Picture: The stepper: assembly code" in page
    assert "| [proofs](" not in page
    assert "| proofs (`docs/proving.md`) |" in page


def test_where_sources_are_public_every_link_leads_there() -> None:
    url = "https://example.org/someone/neonsim"
    page = metadata.page(README, url, "v1")
    for before, after in zip(targets(README), targets(page), strict=True):
        picture = Path(before).suffix in (".png", ".svg")
        assert after == f"{url}/{'raw' if picture else 'blob'}/v1/{before}"
    assert re.findall("```.*?```", page, re.S) == re.findall("```.*?```", README, re.S)


@pytest.mark.parametrize(("text", "page"), [
    ("[a](b.md#c) and `[d](e)`", "a and `[d](e)`"), ("![p [q]](r.png)", "> Picture: p [q]"),
    ("[here](#there), [a](https://a.b)", "[here](#there), [a](https://a.b)")])
def test_links_by_name(text: str, page: str) -> None:
    assert metadata.page(text, "", "v1") == page


def test_fields_that_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(metadata.VARIABLE, raising=False)
    assert metadata.dynamic_metadata({}, PROJECT)["urls"] == {}
    monkeypatch.setenv(metadata.VARIABLE, "https://example.org/someone/neonsim/")
    made = metadata.dynamic_metadata({}, PROJECT)
    assert set(made) == set(PROJECT["dynamic"])
    assert made["urls"]["Source"] == "https://example.org/someone/neonsim"
    assert made["readme"]["content-type"] == "text/markdown"
    for wrong in ("neonsim", "http://example.org/x", 'https://example.org/"onload="', "https://example.org"):
        monkeypatch.setenv(metadata.VARIABLE, wrong)
        with pytest.raises(ValueError, match="give the https address"):
            metadata.dynamic_metadata({}, PROJECT)


def test_versions_of_python_agree() -> None:
    said = [name.rpartition(" ")[2] for name in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", name)]
    assert said == ["3.11", "3.12", "3.13", "3.14"]
    assert PROJECT["requires-python"] == f">={said[0]}"
    assert PYPROJECT["tool"]["ruff"]["target-version"] == "py" + said[0].replace(".", "")
    assert PYPROJECT["tool"]["mypy"]["python_version"] == said[0]


def test_licenses_agree_with_their_texts() -> None:
    """What travels and is not ours is named in the metadata, in THIRD-PARTY.md and on the page."""
    assert PROJECT["license"].split(" AND ") == ["BSD-3-Clause", "CC-BY-SA-3.0"]
    assert (ROOT / PROJECT["license-files"][0]).read_text("utf-8").startswith("BSD 3-Clause License")
    others = (ROOT / PROJECT["license-files"][1]).read_text("utf-8")
    assert f"`{PROJECT['license']}`" in others
    for text in (README, others):
        assert all((ROOT / file).is_file() for file in re.findall(r"`(neonsim/[\w/]+\.npz)`", text) or ["none"])
        assert re.search(r"CC BY-SA 3\.0|Attribution-ShareAlike 3\.0", text)
    # CC BY-SA 3.0, 4: its address with every copy, the authors, the title, and that something was changed.
    for needed in ("https://creativecommons.org/licenses/by-sa/3.0/", "LeCun", "Cortes", "Burges", "MNIST", "Changed:"):
        assert needed in others
