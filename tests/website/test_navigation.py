"""The navigation that is put together once is the one that Sphinx and furo put together for each page."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CONF = ROOT / "docs" / "website" / "conf.py"
TREE = re.compile(r'<div class="sidebar-tree">.*?</div>', re.S)
# Pages with and without a folder, below others, and with marks that HTML and furo's labels must escape.
PAGES = {"index": ["one/index", "two/index", "alone"], "one/index": ["one/a", "one/b"], "one/a": [],
         "one/b": ["one/deep/c"], "one/deep/c": [], "two/index": ["two/a"], "two/a": [], "alone": []}


@pytest.mark.nightly
def test_every_page_has_furos(tmp_path: Path) -> None:
    pytest.importorskip("myst_nb", reason="needs Sphinx with myst-nb and furo: make site")
    (tmp_path / "static").mkdir()
    (tmp_path / "runs").mkdir()
    (tmp_path / "static" / "site.css").touch()
    for page, below in PAGES.items():
        path = tmp_path / f"{page}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# The \"page\" {page} & its <b>'s\n\n```{{toctree}}\n:caption: Below {page}\n\n"
                        + "".join(f"/{one}\n" for one in below) + "```\n", "utf-8")
    text = CONF.read_text("utf-8")
    plain = re.sub(r'marked\((context\.get\("furo_navigation_tree", ""\)), app\.builder, page\)', r"\1",
                   re.sub(r"^.*one_tree, priority.*\n", "", text, flags=re.M))
    assert plain.count("marked") == plain.count("one_tree") == 1, "conf.py has changed: so must this test"
    trees: list[dict[str, list[str]]] = []
    for conf in (text, plain):
        (tmp_path / "conf.py").write_text(conf, "utf-8")
        pages = tmp_path / f"html{len(trees)}"
        subprocess.run([sys.executable, "-m", "sphinx", "-q", "-E", "-b", "html", str(tmp_path), str(pages)], cwd=ROOT,
                       check=True, timeout=600)
        trees.append({name: TREE.findall((pages / f"{name}.html").read_text("utf-8"))
                      for name in (*PAGES, "genindex", "search")})
    once, each = trees
    assert once == each
    assert "current-page" in once["one/deep/c"][0] and "current" not in once["genindex"][0]
