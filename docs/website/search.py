"""For the search: words spelled either way, and each page's text, of which it shows excerpts.

What a browser does with both is in static/search.js. A page that comes from a folder may not fetch another one, but may
load a script: so each page's text is one, in _static/texts, loaded when its result is seen.
"""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

__all__ = ["american", "pieces", "write_text"]

# The stemmer knows American words: "requantisation" is brought to "requantis", but "requantization" to "requant".
# static/search.js has the same two rules.
_ISE = re.compile(r"is(?=(?:e|ed|es|er|ers|ing|ation|ations)$)")
_OUR = re.compile(r"(?<=\w{3})our")
# Pictures have words of their own, in no order; the sign beside a heading links to it.
_NO_TEXT = re.compile(r'<(svg|script|style)\b.*?</\1>|<a class="headerlink".*?</a>', re.S)
_PLACE = re.compile(r'<(?:section|span)\b[^>]* id="([^"]+)"[^>]*>|<h[1-6]>(.*?)</h[1-6]>', re.S)
_WITHIN_A_WORD = re.compile(r"</?(?:a|code|em|span|strong|wbr)\b[^>]*>")
_TAG = re.compile(r"<[^>]+>")


def american(word: str) -> str:
    """A word as it is spelled in America, as far as endings tell: quantised, quantized; neighbour, neighbor."""
    return _OUR.sub("or", _ISE.sub("iz", word))


def pieces(body: str) -> list[tuple[list[str], str, str]]:
    """A page's HTML, cut at its headings: of each piece the anchors that lead to it, the heading, the text below it."""
    found: list[tuple[list[str], str, str]] = []
    body, anchors, heading, done = _NO_TEXT.sub(" ", body), list[str](), "", 0
    for place in _PLACE.finditer(body):
        text = _plain(body[done:place.start()])
        if text:
            found.append((anchors, heading, text))
            anchors, heading = [], ""
        if place[1] is None:
            heading = _plain(place[2])
        else:
            anchors.append(place[1])
        done = place.end()
    found.append((anchors, heading, _plain(body[done:])))
    return found


def _plain(markup: str) -> str:
    """Text without tags, on one line."""
    return " ".join(unescape(_TAG.sub(" ", _WITHIN_A_WORD.sub("", markup))).split())


def write_text(folder: Path, page: str, body: str) -> None:
    """A page's pieces as a script that hands them over, in _static/texts of that folder."""
    path = folder / "_static" / "texts" / f"{page}.js"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"siteSearch.take({json.dumps(page)}, {json.dumps(pieces(body), ensure_ascii=False)});\n", "utf-8")
