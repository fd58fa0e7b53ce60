"""Slides for a class: each notebook converted by nbconvert, with its stored outputs and runs to step through.

A heading begins a slide, and so does a prediction, so that what comes after it is not seen before the class has said
its own. Without scripts a page is the notebook in one piece.
"""

from __future__ import annotations

import re
import shutil
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from nbconvert import HTMLExporter
from pygments.formatters import HtmlFormatter

__all__ = ["begin", "write_slides"]

STATIC = Path(__file__).parent / "static"
_PAGE = re.compile(r'(?<=href=")([^":]+)\.(?:ipynb|md)(?=["#])')

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<base href="../course/">
<title>{title}: slides</title>
<style>
{colors}
</style>
<link rel="stylesheet" href="../slides/slides.css">
<script defer src="../slides/slides.js"></script>
</head>
<body>
<main id="slides">
{cells}
</main>
<nav aria-label="Slides" hidden>
<button type="button" id="back" aria-label="The slide before">&#8592;</button>
<output id="where"></output>
<button type="button" id="on" aria-label="The next slide">&#8594;</button>
<a href="{stem}.html">the notebook</a>
</nav>
</body>
</html>
"""


def begin(folder: Path) -> None:
    """The folder, with what all slides share."""
    folder.mkdir(parents=True)
    for name in ("slides.css", "slides.js"):
        shutil.copy(STATIC / name, folder)


@cache
def _exporter() -> HTMLExporter:
    """One for all notebooks: its templates are compiled once. What Pygments made of our own cells needs no cleaning."""
    exporter = HTMLExporter(template_name="basic", exclude_input_prompt=True, exclude_output_prompt=True,
                            exclude_anchor_links=True)
    exporter.register_filter("clean_html", lambda highlighted: highlighted)
    return exporter


def write_slides(folder: Path, stem: str, notebook: Any) -> None:
    """A notebook whose steppers are frames, as folder/STEM.html; its links are those of the course's page."""
    cells, _ = _exporter().from_notebook_node(notebook)
    light, dark = (HtmlFormatter(style=f"a11y-high-contrast-{theme}").get_style_defs(".highlight")
                   for theme in ("light", "dark"))
    title = notebook.cells[0].source.splitlines()[0].lstrip("# ")
    colors = f"{light}\n@media (prefers-color-scheme: dark) {{\n{dark}\n}}"
    (folder / f"{stem}.html").write_text(PAGE.format(title=escape(title), stem=stem, colors=colors,
                                                     cells=_PAGE.sub(r"\1.html", cells)), "utf-8")
