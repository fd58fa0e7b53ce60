"""Sphinx's settings for the site. The pages are put together by this folder's `__main__.py`, which runs Sphinx too."""

import re
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.search.en import SearchEnglish

from docs.website.navigation import marked, of_no_page
from docs.website.search import american, write_text
from neonsim import __version__

project = "neonsim"
author = copyright = "the engineers of neonsim"
release = __version__
extensions = ["myst_nb"]

# The course is shown with the outputs that are stored, which tests keep fresh; nothing is run by Sphinx.
nb_execution_mode = "off"
nb_merge_streams = True
# Where there is a picture it is shown, not the words beside it: `image/svg+xml` before `text/html` for the stepper.
nb_mime_priority_overrides = [("html", "image/svg+xml", 0), ("html", "text/html", 1)]
myst_enable_extensions = ["attrs_block", "attrs_inline", "colon_fence"]
myst_heading_anchors = 3
suppress_warnings = ["mystnb.mime_priority", "mystnb.unknown_mime_type", "myst.header",
                     "misc.highlighting_failure"]  # cells of assembler text are no Python
source_suffix = {".md": "myst-nb", ".ipynb": "myst-nb"}

html_theme = "furo"
html_title = "neonsim"
html_static_path = ["static"]
html_css_files = ["site.css"]
# Runs that are replayed are pages already.
html_extra_path = ["runs"]
exclude_patterns = ["runs"]
html_copy_source = False
html_show_sourcelink = False
# Order and excerpts. Those of Sphinx's own are fetched from the pages, which a browser refuses to one from a folder.
html_search_scorer = str(Path(__file__).parent / "static" / "search.js")
html_show_search_summary = False
html_theme_options = {"navigation_with_keys": True}
# Characters of a line of code that fit on a telephone; names and paths, which a table may break within.
NARROW = 40
_PRE = re.compile("<pre([^>]*>.*?)</pre>", re.S)
_NAME = re.compile(r'(?<=<span class="pre">)[\w./-]+[_/][\w./-]+(?=</span>)')
# A block that names no language is a command or its output.
highlight_language = "none"
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"


class English(SearchEnglish):  # type: ignore[misc]  # to mypy Sphinx is nothing, here or not
    """For the index: a word is brought to its stem once, not once for each page that has it."""

    def __init__(self, options: dict[str, str]) -> None:
        super().__init__(options)
        self.stems: dict[str, str] = {}

    def stem(self, word: str) -> str:
        """As Sphinx has it, of either spelling."""
        if word not in self.stems:
            self.stems[word] = super().stem(american(word.lower()))
        return self.stems[word]


def setup(app: Sphinx) -> None:
    """Called by Sphinx."""
    app.add_search_language(English)
    app.connect("html-page-context", one_tree, priority=100)
    app.connect("html-page-context", accessible, priority=900)  # after furo


def one_tree(app: Sphinx, page: str, template: str, context: dict[str, Any], tree: object) -> None:
    """Furo gets the same navigation for every page, and remembers what it made of it."""
    context["toctree"] = lambda **_: of_no_page(app.builder)


def accessible(app: Sphinx, page: str, template: str, context: dict[str, Any], tree: object) -> None:
    """Captions of the navigation are headings, of a level; what scrolls sideways is reached by the keyboard.

    The page as it is then is what the search shows excerpts of.
    """
    body = context.get("body", "").replace('<div class="table-wrapper', '<div tabindex="0" class="table-wrapper')
    body = _PRE.sub(_reached, body)
    context["body"] = _NAME.sub(lambda name: re.sub("(?<=[_/])(?!_)", "<wbr>", name[0]), body)
    context["furo_navigation_tree"] = marked(context.get("furo_navigation_tree", ""), app.builder, page).replace(
        'role="heading"', 'role="heading" aria-level="2"')
    if tree is not None:    # not the page of the search, nor the index
        write_text(Path(app.outdir), page, body)


def _reached(lines: re.Match[str]) -> str:
    """Lines that a telephone cannot show whole scroll, and have the focus for it."""
    longest = max(map(len, re.sub("<[^>]+>", "", lines[0]).split("\n")))
    return f'<pre tabindex="0"{lines[1]}</pre>' if longest > NARROW else lines[0]
