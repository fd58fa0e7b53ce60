"""A picture with its numbers as text: what a notebook shows, and what becomes a file.

One below the other, pictures make one; each keeps its own paper, light and dark.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from neonsim.common.fileio import write_file
from neonsim.errors import BadArgument
from neonsim.render.html import PLAIN, sheet
from neonsim.render.svg import Picture, shown

__all__ = ["View", "below"]

GAP = 10  # px between two pictures
CSS = PLAIN + """
pre { overflow-x: auto; font-size: 12.5px; }"""


@dataclass(frozen=True)
class View:
    """A picture and the same as text.

    title     str       of the page
    picture   Picture
    text      str       what the picture says, in numbers
    """

    title: str
    picture: Picture
    text: str

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<View: {self.title}>"

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        """The picture; the numbers where there are no pictures."""
        return shown(self.picture, self.text)

    def to_svg(self, path: str | Path) -> Path:
        """Write the picture to a file and return its path."""
        return write_file(path, self.picture.svg)

    def to_html(self, path: str | Path) -> Path:
        """Write a page with the picture and its numbers, which needs nothing else, and return its path."""
        return write_file(path, self.page())

    def page(self) -> str:
        """That page as text."""
        # What scrolls can be reached by keyboard.
        head = f"<h1>{html.escape(self.title)}</h1>"
        return sheet(self.title, f'{head}\n<figure tabindex="0">{self.picture.svg}</figure>\n<pre tabindex="0">'
                                 f'{html.escape(self.text)}</pre>', css=CSS)


def below(pictures: Sequence[Picture]) -> Picture:
    """Pictures one below the other as one. Raises BadArgument if there is none."""
    if not pictures:
        raise BadArgument("there is no picture to show")
    sizes = []
    for picture in pictures:
        found = re.match(r'<svg [^>]*?width="([\d.]+)" height="([\d.]+)"', picture.svg)
        assert found is not None
        sizes.append((float(found[1]), float(found[2])))
    width, height = max(w for w, _ in sizes), sum(h for _, h in sizes) + GAP * (len(sizes) - 1)
    said = "; ".join(picture.description for picture in pictures)
    parts, y = [], 0.0
    for picture, (_, tall) in zip(pictures, sizes, strict=True):
        parts.append(picture.svg.replace("<svg ", f'<svg y="{y:g}" ', 1))
        y += tall + GAP
    svg = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
           f'viewBox="0 0 {width:g} {height:g}" role="img" aria-label="{html.escape(said, quote=True)}">'
           + "".join(parts) + "</svg>")
    return Picture(svg, said)
